/* definition.c: a server's definition of a tool as one of a request.
 *
 * The Messages API refuses a whole request for one bad tool, so what it would refuse is found here. All
 * text of the server goes through ia_clean, since what a person cannot see in a list of tools a model
 * still reads. */
#include "agent/mcp_tools/mcp_tools.h"

#include "base/clean.h"
#include "base/jsonw.h"
#include "base/utf8.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

enum { KEY_MAX = 64 };

static bool key_ok(const char *key)
{
    size_t n = strspn(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-");
    return n > 0 && n <= KEY_MAX && key[n] == '\0';
}

/* Its depth was limited when it was parsed (IA_MCP_CLIENT_DEPTH_MAX). */
static void clean_strings(json_t *value)
{
    const char *key;
    json_t *item;
    size_t i;
    if (json_is_string(value)) {
        struct ia_buf out = IA_BUF(8 * (json_string_length(value) + 1));
        ia_clean(&out, ia_json_str(value), IA_CLEAN_TEXT);
        (void)json_string_set(value, ia_buf_cstr(&out));
        ia_buf_fini(&out);
    } else if (json_is_array(value)) {
        json_array_foreach(value, i, item)
        {
            clean_strings(item);
        }
    } else {
        json_object_foreach(value, key, item)
        {
            clean_strings(item);
        }
    }
}

/* The schema as text, or NULL with the reason. Free it. */
static char *schema_text(const json_t *tool, const char **ret_why)
{
    static const char *const refused[] = {"oneOf", "anyOf", "allOf"};
    json_t *given = json_object_get(tool, "inputSchema");
    const char *key;
    json_t *item;
    *ret_why = NULL;
    if (!json_is_object(given) || strcmp(ia_json_text(given, "type"), "object") != 0) {
        *ret_why = "its schema is not that of an object";
    }
    for (size_t i = 0; i < IA_COUNTOF(refused); i++) {
        *ret_why = json_object_get(given, refused[i])
                       ? "its schema has oneOf, anyOf or allOf at the top"
                       : *ret_why;
    }
    json_object_foreach(json_object_get(given, "properties"), key, item)
    {
        *ret_why =
            key_ok(key) ? *ret_why : "an argument's name is not 1 to 64 of A-Z a-z 0-9 _ . -";
    }
    if (*ret_why) {
        return NULL;
    }
    json_t *schema = json_deep_copy(given);
    clean_strings(schema);
    char *text = json_dumps(schema, JSON_COMPACT);
    json_decref(schema);
    if (!text || strlen(text) > IA_MCP_TOOLS_SCHEMA_MAX) {
        free(text);
        *ret_why = "its schema is larger than 16 KB";
        return NULL;
    }
    return text;
}

/* Ours first: it says whose words follow. */
static void put_description(const json_t *tool, const char *preface, struct ia_buf *out)
{
    struct ia_str said = ia_json_field(tool, "description");
    bool cut = said.n > IA_MCP_TOOLS_DESCRIPTION_MAX;
    said.n = cut ? ia_utf8_cut(said.p, IA_MCP_TOOLS_DESCRIPTION_MAX) : said.n;
    ia_buf_printf(out, "%s\n", preface);
    ia_clean(out, said, IA_CLEAN_TEXT);
    ia_buf_puts(out, cut ? " [cut]" : "");
}

bool ia_mcp_tool_definition(const json_t *tool, const char *name, const char *preface,
                            struct ia_buf *out, const char **ret_why)
{
    char *schema = schema_text(tool, ret_why);
    if (!schema) {
        return false;
    }
    struct ia_buf description = IA_BUF(8 * IA_MCP_TOOLS_DESCRIPTION_MAX + IA_PROMPT_BYTES_MAX);
    struct ia_jsonw w;
    put_description(tool, preface, &description);
    ia_jsonw_init(&w, out);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "name", name);
    ia_jsonw_key(&w, "description");
    ia_jsonw_str(&w, ia_buf_str(&description));
    ia_jsonw_key(&w, "input_schema");
    ia_jsonw_raw(&w, ia_str(schema));
    ia_jsonw_end_object(&w);
    ia_buf_fini(&description);
    free(schema);
    return true;
}
