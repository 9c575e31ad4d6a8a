/* definitions.c: verbs that have no definition of their own, as tools: the table of a verb's options
 * says all that a schema needs. */
#include "server/mcp/mcp_impl.h"

#include <stdlib.h>
#include <string.h>

enum { DEFINITION_MAX = 16 << 10 };

/* A shell's word for an element may be a selector too; a model is shown numbers, and gives numbers. */
static bool is_ref(const struct ia_opt *o)
{
    return strcmp(o->name, "ref") == 0;
}

static const char *type_of(const struct ia_opt *o)
{
    if (is_ref(o)) {
        return "integer";
    }
    switch (o->kind) {
    case IA_OPT_FLAG:
        return "boolean";
    case IA_OPT_INT:
        return "integer";
    case IA_OPT_REAL:
        return "number";
    default:
        return "string";
    }
}

static void put_choices(struct ia_jsonw *w, const char *words)
{
    ia_jsonw_key(w, "enum");
    ia_jsonw_array(w);
    while (*words) {
        size_t n = strcspn(words, "|");
        ia_jsonw_str(w, (struct ia_str){words, n});
        words += n + (words[n] == '|');
    }
    ia_jsonw_end_array(w);
}

static void put_value(struct ia_jsonw *w, const struct ia_opt *o)
{
    ia_jsonw_kv(w, "type", type_of(o));
    if (o->kind == IA_OPT_CHOICE) {
        put_choices(w, o->value);
    } else if (o->kind == IA_OPT_INT) {
        ia_jsonw_kv_int(w, "minimum", o->min);
        if (o->max > o->min) {
            ia_jsonw_kv_int(w, "maximum", o->max);
        }
    }
}

static void put_option(struct ia_jsonw *w, const struct ia_opt *o, const char *name)
{
    ia_jsonw_key(w, name);
    ia_jsonw_object(w);
    if (o->repeat) {
        ia_jsonw_kv(w, "type", "array");
        ia_jsonw_key(w, "items");
        ia_jsonw_object(w);
        put_value(w, o);
        ia_jsonw_end_object(w);
    } else {
        put_value(w, o);
    }
    if (is_ref(o)) {
        ia_jsonw_kv(w, "description", "number before the element");
    } else if (strcmp(name, "device") != 0) {
        ia_jsonw_kv(w, "description", o->help);
    }
    ia_jsonw_end_object(w);
}

/* "max-bytes" as "max_bytes", in new memory. */
static char *underscored(const char *name)
{
    char *copy = ia_strdup(name);
    for (char *p = copy; *p; p++) {
        *p = *p == '-' || *p == ' ' ? '_' : *p;
    }
    return copy;
}

/* A named session is for those who cannot name a device with each call. */
static bool offered(const struct ia_opt *o)
{
    return !o->local && o->kind != IA_OPT_PATH && strcmp(o->name, "session") != 0;
}

static void put_schema(struct ia_jsonw *w, const struct ia_opt *opts)
{
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "type", "object");
    ia_jsonw_key(w, "properties");
    ia_jsonw_object(w);
    for (const struct ia_opt *o = opts; o->name; o++) {
        if (offered(o)) {
            char *name = underscored(o->name);
            put_option(w, o, name);
            free(name);
        }
    }
    ia_jsonw_end_object(w);
    ia_jsonw_key(w, "required");
    ia_jsonw_array(w);
    for (const struct ia_opt *o = opts; o->name; o++) {
        if (offered(o) && o->required) {
            char *name = underscored(o->name);
            ia_jsonw_string(w, name);
            free(name);
        }
    }
    ia_jsonw_end_array(w);
    ia_jsonw_kv_bool(w, "additionalProperties", false);
    ia_jsonw_end_object(w);
}

/* A file would be on this machine, under whatever name a model chose. */
static bool about_files(const struct ia_opt *opts)
{
    for (; opts->name; opts++) {
        if (opts->kind == IA_OPT_OUT || (opts->kind == IA_OPT_PATH && opts->operand > 0)) {
            return true;
        }
    }
    return false;
}

bool ia_mcp_define_verb(const struct ia_verb *verb, char **ret_name, char **ret_json)
{
    struct ia_buf json = IA_BUF(DEFINITION_MAX);
    struct ia_jsonw w;
    if (about_files(verb->opts)) {
        return false;
    }
    *ret_name = underscored(verb->name);
    ia_jsonw_init(&w, &json);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "name", *ret_name);
    ia_jsonw_kv(&w, "description", verb->summary);
    ia_jsonw_key(&w, "inputSchema");
    put_schema(&w, verb->opts);
    if (!(verb->flags & IA_VERB_ACTS)) {
        ia_jsonw_key(&w, "annotations");
        ia_jsonw_raw(&w, ia_str("{\"readOnlyHint\":true}"));
    }
    ia_jsonw_end_object(&w);
    *ret_json = ia_buf_steal(&json);
    return true;
}
