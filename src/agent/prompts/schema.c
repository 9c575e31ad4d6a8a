/* schema.c: JSON Schema as far as tool inputs need it. One function for each type, called again
 * for fields and items; the path to the value ("finish.evidence[0].quote") goes along for the
 * message. */
#include "agent/prompts/schema.h"

#include "base/buf.h"
#include "json/json.h"

#include <string.h>

enum { LIST_MAX = 300, DEPTH_MAX = 8, WHERE_MAX = 160 };

/* ---- lint -------------------------------------------------------------------------------- */

static bool known_keyword(const char *key)
{
    static const char *const known[] = {"type",      "properties",  "required",
                                        "items",     "maxItems",    "enum",
                                        "minLength", "maxLength",   "minimum",
                                        "maximum",   "description", "additionalProperties"};
    for (size_t i = 0; i < IA_COUNTOF(known); i++) {
        if (strcmp(known[i], key) == 0) {
            return true;
        }
    }
    return false;
}

static bool known_type(const char *type)
{
    static const char *const known[] = {"object",  "array",  "string",
                                        "integer", "number", "boolean"};
    for (size_t i = 0; i < IA_COUNTOF(known); i++) {
        if (strcmp(known[i], type) == 0) {
            return true;
        }
    }
    return false;
}

static enum ia_rc lint(const json_t *schema, const char *where, int depth, struct ia_err *err);

static enum ia_rc lint_object(const json_t *schema, const char *where, int depth,
                              struct ia_err *err)
{
    if (!json_is_false(json_object_get(schema, "additionalProperties"))) {
        return ia_err_set(err, IA_E_CONFIG, "%s: additionalProperties must be false", where);
    }
    json_t *props = json_object_get(schema, "properties");
    if (!json_is_object(props)) {
        return ia_err_set(err, IA_E_CONFIG, "%s: properties are missing", where);
    }
    size_t i;
    json_t *name;
    json_array_foreach(json_object_get(schema, "required"), i, name)
    {
        if (!json_is_string(name) || !json_object_get(props, json_string_value(name))) {
            return ia_err_set(err, IA_E_CONFIG, "%s: required names no property", where);
        }
    }
    const char *key;
    json_t *prop;
    json_object_foreach(props, key, prop)
    {
        char inner[WHERE_MAX];
        (void)snprintf(inner, sizeof(inner), "%s.%s", where, key);
        enum ia_rc rc = lint(prop, inner, depth + 1, err);
        if (rc != IA_OK) {
            return rc;
        }
    }
    return IA_OK;
}

static enum ia_rc lint(const json_t *schema, const char *where, int depth, struct ia_err *err)
{
    if (!json_is_object(schema) || depth > DEPTH_MAX ||
        !known_type(ia_json_text(schema, "type"))) {
        return ia_err_set(err, IA_E_CONFIG, "%s: not a schema with a known type", where);
    }
    const char *key;
    json_t *ignored;
    json_object_foreach((json_t *)schema, key, ignored)
    {
        if (!known_keyword(key)) {
            return ia_err_set(err, IA_E_CONFIG, "%s: schema keyword %s is not supported", where,
                              key);
        }
    }
    if (strcmp(ia_json_text(schema, "type"), "object") == 0) {
        return lint_object(schema, where, depth, err);
    }
    if (strcmp(ia_json_text(schema, "type"), "array") == 0) {
        return lint(json_object_get(schema, "items"), where, depth + 1, err);
    }
    return IA_OK;
}

enum ia_rc ia_schema_lint(const json_t *schema, const char *where, struct ia_err *err)
{
    if (!json_is_object(schema) || strcmp(ia_json_text(schema, "type"), "object") != 0) {
        return ia_err_set(err, IA_E_CONFIG, "%s: input_schema must be an object schema", where);
    }
    return lint(schema, where, 0, err);
}

/* ---- check ------------------------------------------------------------------------------- */

static enum ia_rc check(const json_t *schema, const json_t *value, const char *where,
                        struct ia_err *err);

static bool is_required(const json_t *schema, const char *key)
{
    size_t i;
    json_t *name;
    json_array_foreach(json_object_get(schema, "required"), i, name)
    {
        if (strcmp(json_string_value(name), key) == 0) {
            return true;
        }
    }
    return false;
}

/* "ref (integer, required), text (string)" */
static void list_fields(const json_t *schema, struct ia_buf *out)
{
    const char *key;
    json_t *prop;
    json_object_foreach(json_object_get(schema, "properties"), key, prop)
    {
        ia_buf_printf(out, "%s%s (%s%s)", out->len ? ", " : "", key, ia_json_text(prop, "type"),
                      is_required(schema, key) ? ", required" : "");
    }
    if (out->len == 0) {
        ia_buf_puts(out, "none");
    }
}

static void list_enum(const json_t *choices, struct ia_buf *out)
{
    size_t i;
    json_t *choice;
    json_array_foreach(choices, i, choice)
    {
        ia_buf_printf(out, "%s%s", i ? ", " : "", json_string_value(choice));
    }
}

static enum ia_rc wrong_fields(const json_t *schema, const char *where, const char *what,
                               const char *key, struct ia_err *err)
{
    struct ia_buf fields = IA_BUF(LIST_MAX);
    list_fields(schema, &fields);
    ia_err_set(err, IA_E_USAGE, "%s: %s \"%.60s\"; fields: %s", where, what, key,
               ia_buf_cstr(&fields));
    ia_buf_fini(&fields);
    return IA_E_USAGE;
}

static enum ia_rc check_object(const json_t *schema, const json_t *value, const char *where,
                               struct ia_err *err)
{
    const json_t *props = json_object_get(schema, "properties");
    size_t i;
    json_t *name;
    json_array_foreach(json_object_get(schema, "required"), i, name)
    {
        if (!json_object_get(value, json_string_value(name))) {
            return wrong_fields(schema, where, "missing field", json_string_value(name), err);
        }
    }
    const char *key;
    json_t *field;
    json_object_foreach((json_t *)value, key, field)
    {
        const json_t *prop = json_object_get(props, key);
        if (!prop) {
            return wrong_fields(schema, where, "unknown field", key, err);
        }
        char inner[WHERE_MAX];
        (void)snprintf(inner, sizeof(inner), "%s.%s", where, key);
        enum ia_rc rc = check(prop, field, inner, err);
        if (rc != IA_OK) {
            return rc;
        }
    }
    return IA_OK;
}

static enum ia_rc check_array(const json_t *schema, const json_t *value, const char *where,
                              struct ia_err *err)
{
    json_t *most = json_object_get(schema, "maxItems");
    if (most && json_array_size(value) > (size_t)json_integer_value(most)) {
        return ia_err_set(err, IA_E_USAGE, "%s: at most %lld items", where,
                          (long long)json_integer_value(most));
    }
    size_t i;
    json_t *item;
    json_array_foreach(value, i, item)
    {
        char inner[WHERE_MAX];
        (void)snprintf(inner, sizeof(inner), "%s[%zu]", where, i);
        enum ia_rc rc = check(json_object_get(schema, "items"), item, inner, err);
        if (rc != IA_OK) {
            return rc;
        }
    }
    return IA_OK;
}

static enum ia_rc check_enum(const json_t *choices, const char *text, const char *where,
                             struct ia_err *err)
{
    size_t i;
    json_t *choice;
    json_array_foreach(choices, i, choice)
    {
        if (strcmp(json_string_value(choice), text) == 0) {
            return IA_OK;
        }
    }
    struct ia_buf list = IA_BUF(LIST_MAX);
    list_enum(choices, &list);
    ia_err_set(err, IA_E_USAGE, "%s: \"%.60s\" is not one of: %s", where, text,
               ia_buf_cstr(&list));
    ia_buf_fini(&list);
    return IA_E_USAGE;
}

static enum ia_rc check_string(const json_t *schema, const json_t *value, const char *where,
                               struct ia_err *err)
{
    size_t n = json_string_length(value);
    json_t *least = json_object_get(schema, "minLength");
    json_t *most = json_object_get(schema, "maxLength");
    if (strlen(json_string_value(value)) != n) {
        return ia_err_set(err, IA_E_USAGE, "%s: must not contain a NUL character", where);
    }
    if (least && n < (size_t)json_integer_value(least)) {
        return ia_err_set(err, IA_E_USAGE, "%s: must not be empty or shorter than %lld", where,
                          (long long)json_integer_value(least));
    }
    if (most && n > (size_t)json_integer_value(most)) {
        return ia_err_set(err, IA_E_USAGE, "%s: longer than %lld bytes", where,
                          (long long)json_integer_value(most));
    }
    const json_t *choices = json_object_get(schema, "enum");
    return choices ? check_enum(choices, json_string_value(value), where, err) : IA_OK;
}

static enum ia_rc check_number(const json_t *schema, const json_t *value, const char *where,
                               struct ia_err *err)
{
    json_t *least = json_object_get(schema, "minimum");
    json_t *most = json_object_get(schema, "maximum");
    double v = json_number_value(value);
    if ((least && v < json_number_value(least)) || (most && v > json_number_value(most))) {
        double from = json_number_value(least), to = json_number_value(most);
        return most ? ia_err_set(err, IA_E_USAGE, "%s: %.15g is out of range (%.15g to %.15g)",
                                 where, v, from, to)
                    : ia_err_set(err, IA_E_USAGE, "%s: %.15g is out of range (%.15g or more)",
                                 where, v, from);
    }
    return IA_OK;
}

static bool has_type(const json_t *value, const char *type)
{
    switch (type[0]) {
    case 'o':
        return json_is_object(value);
    case 'a':
        return json_is_array(value);
    case 's':
        return json_is_string(value);
    case 'i':
        return json_is_integer(value);
    case 'n':
        return json_is_number(value);
    default:
        return json_is_boolean(value);
    }
}

static enum ia_rc check(const json_t *schema, const json_t *value, const char *where,
                        struct ia_err *err)
{
    const char *type = ia_json_text(schema, "type");
    if (!has_type(value, type)) {
        return ia_err_set(err, IA_E_USAGE, "%s: must be %s %s", where,
                          strchr("aioeu", type[0]) ? "an" : "a", type);
    }
    switch (type[0]) {
    case 'o':
        return check_object(schema, value, where, err);
    case 'a':
        return check_array(schema, value, where, err);
    case 's':
        return check_string(schema, value, where, err);
    case 'i':
    case 'n':
        return check_number(schema, value, where, err);
    default:
        return IA_OK;
    }
}

enum ia_rc ia_schema_check(const json_t *schema, const json_t *value, const char *where,
                           struct ia_err *err)
{
    return check(schema, value, where, err);
}
