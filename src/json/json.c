/* json.c: members of a parsed JSON document, and stored JSON. jansson returns NULL for every member that is missing
 * and for every value of another type, so each function is one look-up and one default. */
#include "json/json.h"

#include <limits.h>
#include <string.h>

struct ia_str ia_json_str(const json_t *value)
{
    return (struct ia_str){json_string_value(value), json_string_length(value)};
}

struct ia_str ia_json_field(const json_t *object, const char *key)
{
    return ia_json_str(json_object_get(object, key));
}

const char *ia_json_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

bool ia_json_copy(const json_t *object, const char *key, char *dst, size_t size)
{
    const char *text = json_string_value(json_object_get(object, key));
    if (!text || strlen(text) >= size) {
        return false;
    }
    memcpy(dst, text, strlen(text) + 1);
    return true;
}

/* Goes over the text as far as depth and count stay within their limits. */
static bool within(struct ia_str text, int depth_max, size_t count_max)
{
    int depth = 0;
    size_t count = 1;
    bool in_string = false;
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (in_string) {
            i += c == '\\';
            in_string = c != '"';
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            depth++;
            count++;
        } else if (c == '}' || c == ']') {
            depth--;
        } else if (c == ',') {
            count++;
        }
        if (depth > depth_max || count > count_max) {
            return false;
        }
    }
    return true;
}

bool ia_json_depth_ok(struct ia_str text, int max)
{
    return within(text, max, SIZE_MAX);
}

bool ia_json_count_ok(struct ia_str text, size_t max)
{
    return within(text, INT_MAX, max);
}

bool ia_json_ok(struct ia_str text)
{
    json_t *value =
        text.n > 0 ? json_loadb(text.p, text.n, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL) : NULL;
    json_decref(value);
    return value != NULL;
}

void ia_json_put(struct ia_jsonw *w, struct ia_str text)
{
    if (ia_json_ok(text)) {
        ia_jsonw_raw(w, text);
    } else {
        ia_jsonw_null(w);
    }
}
