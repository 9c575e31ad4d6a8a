/* recording_certain.c: whether the steps of a recording tell all that depends on a variable.
 *
 * A value may be in a text by chance, be written in another way, or be chosen in parts; then another value would do
 * something else than the goal says. */
#include "agent/recording/recording_vars.h"

#include "agent/goal/vars.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

/* ---- texts of a step --------------------------------------------------------------------- */

typedef bool text_test(struct ia_str text, const char *what);

/* The strings of JSON end with a NUL. */
static bool has_name(struct ia_str text, const char *braces)
{
    return strstr(text.p, braces) != NULL;
}

/* The text is a part of the value. */
static bool is_part(struct ia_str text, const char *value)
{
    char *part = ia_strndup(text.p, text.n);
    bool is = text.n >= IA_VAR_VALUE_MIN && ia_vars_left(ia_str(value), part);
    free(part);
    return is;
}

/* Words of the program, and what is for people only. */
static bool is_told(const char *key)
{
    static const char *const keys[] = {"act", "why", "role", "on"};
    size_t i = 0;
    while (i < IA_COUNTOF(keys) && strcmp(key, keys[i]) != 0) {
        i++;
    }
    return i < IA_COUNTOF(keys);
}

static bool any(const json_t *value, text_test *test, const char *what)
{
    const char *key;
    json_t *item;
    size_t i;
    if (json_is_string(value)) {
        return test(ia_json_str(value), what);
    }
    json_array_foreach(value, i, item)
    {
        if (any(item, test, what)) {
            return true;
        }
    }
    json_object_foreach((json_t *)value, key, item)
    {
        if (!is_told(key) && any(item, test, what)) {
            return true;
        }
    }
    return false;
}

/* ---- all steps --------------------------------------------------------------------------- */

struct found {
    bool acted;                   /* an action has the name */
    bool typed, seen, seen_first; /* its input; the screen, also before it is typed */
    bool left;                    /* the value is somewhere else */
};

static void look(struct found *f, const json_t *step, const char *name, const char *value)
{
    const json_t *input = json_object_get(step, "input");
    const json_t *label = json_object_get(json_object_get(step, "target"), "label");
    bool typed = any(input, has_name, name);
    const char *key;
    json_t *member;
    json_object_foreach((json_t *)step, key, member)
    {
        bool before = strcmp(key, "until") != 0 && member != input && !is_told(key);
        f->seen = f->seen || (before && any(member, has_name, name));
    }
    f->seen_first = f->seen_first || (typed && !f->typed && f->seen);
    f->seen = f->seen || any(step, has_name, name);
    f->typed = f->typed || typed;
    f->acted = f->acted || typed || any(label, has_name, name);
    f->left = f->left || any(step, ia_vars_left, value) || any(input, is_part, value) ||
              any(label, is_part, value);
}

bool ia_recording_certain(const json_t *steps, struct ia_str name, const char *value)
{
    struct ia_buf braces = IA_BUF(IA_VAR_NAME_MAX + 8);
    struct found f = {.acted = false};
    size_t i;
    json_t *step;
    ia_buf_printf(&braces, "{{%.*s}}", (int)name.n, name.p);
    json_array_foreach((json_t *)steps, i, step)
    {
        look(&f, step, ia_buf_cstr(&braces), value);
    }
    ia_buf_fini(&braces);
    return f.acted && !f.seen_first && !f.left && strlen(value) >= IA_VAR_VALUE_MIN;
}
