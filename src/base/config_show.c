/* config_show.c: the effective configuration with the origin of every value, as JSON and as TOML.
 *
 * JSON's numbers, booleans, strings and lists of strings are TOML as well, so put_value serves
 * both forms. */
#include "base/config_schema.h"

#include <stdio.h>
#include <string.h>

enum { VARIABLE_MAX = 96, SHOWN_MAX = IA_CONFIG_VALUE_MAX + 16 };

static const char *origin_name(enum ia_config_origin origin)
{
    static const char *const names[] = {
        [IA_CFG_FROM_DEFAULT] = "default",
        [IA_CFG_FROM_USER_FILE] = "user file",
        [IA_CFG_FROM_PROJECT_FILE] = "project file",
        [IA_CFG_FROM_ENVIRONMENT] = "environment",
        [IA_CFG_FROM_FLAG] = "flag",
    };
    return names[origin];
}

static void put_list(struct ia_jsonw *w, const char *const *items)
{
    if (!items) {
        ia_jsonw_null(w);
        return;
    }
    ia_jsonw_array(w);
    for (; *items; items++) {
        ia_jsonw_string(w, *items);
    }
    ia_jsonw_end_array(w);
}

/* The value as JSON, which is TOML as well for every type here. */
static void put_value(struct ia_jsonw *w, const struct ia_config_row *row,
                      const struct ia_config_value *v)
{
    struct ia_buf shown = IA_BUF(SHOWN_MAX);
    switch (row->type) {
    case IA_CFG_INT:
        ia_jsonw_int(w, v->i);
        break;
    case IA_CFG_REAL:
        ia_jsonw_real(w, v->r);
        break;
    case IA_CFG_BOOL:
        ia_jsonw_bool(w, v->i != 0);
        break;
    case IA_CFG_LIST:
        put_list(w, (const char *const *)v->items);
        break;
    default:
        ia_config_value_show(row, v, &shown);
        ia_jsonw_str(w, ia_buf_str(&shown));
    }
    ia_buf_fini(&shown);
}

static void put_choices(struct ia_jsonw *w, const struct ia_config_row *row)
{
    ia_jsonw_key(w, "choices");
    if (row->type != IA_CFG_ENUM) {
        ia_jsonw_null(w);
        return;
    }
    ia_jsonw_array(w);
    for (const char *p = row->choices; p; p = p[0] ? p + 1 : NULL) {
        size_t n = strcspn(p, "|");
        ia_jsonw_str(w, (struct ia_str){p, n});
        p += n;
    }
    ia_jsonw_end_array(w);
}

static void put_limit(struct ia_jsonw *w, const char *name, const struct ia_config_row *row,
                      double limit)
{
    ia_jsonw_key(w, name);
    if (row->type == IA_CFG_INT || row->type == IA_CFG_REAL) {
        ia_jsonw_real(w, limit);
    } else {
        ia_jsonw_null(w);
    }
}

/* What a form needs to know to ask for it. */
static void put_kind(struct ia_jsonw *w, const struct ia_config_row *row)
{
    static const char *const names[] = {
        [IA_CFG_STRING] = "string", [IA_CFG_PATH] = "path",   [IA_CFG_URL] = "url",
        [IA_CFG_HOOK] = "hook",     [IA_CFG_INT] = "integer", [IA_CFG_REAL] = "number",
        [IA_CFG_BOOL] = "boolean",  [IA_CFG_ENUM] = "choice", [IA_CFG_LIST] = "list",
    };
    ia_jsonw_kv(w, "type", names[row->type]);
    put_choices(w, row);
    put_limit(w, "min", row, row->min);
    put_limit(w, "max", row, row->max);
}

void ia_config_row_json(const struct ia_config *c, enum ia_config_key key,
                        enum ia_config_may may, struct ia_jsonw *w)
{
    const struct ia_config_row *row = &ia_config_rows[key];
    const struct ia_config_value *v = &c->values[key];
    char variable[VARIABLE_MAX];
    ia_config_variable(row->key, variable, sizeof(variable));
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "key", row->key);
    ia_jsonw_key(w, "value");
    put_value(w, row, v);
    ia_jsonw_kv(w, "origin", origin_name(v->origin));
    ia_jsonw_kv(w, "where", v->where ? v->where : "");
    ia_jsonw_kv(w, "variable", variable);
    ia_jsonw_kv(w, "help", row->help);
    put_kind(w, row);
    ia_jsonw_kv_bool(w, "settable", ia_config_settable(key, may));
    ia_jsonw_end_object(w);
}

/* What the entry does not say is null. */
static void put_agent(struct ia_jsonw *w, const struct ia_config_agent_entry *a)
{
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "name", a->name);
    for (size_t k = 0; k < IA_CFG_AGENT_COUNT; k++) {
        const struct ia_config_value *v = &a->values[k];
        ia_jsonw_key(w, ia_config_agent_rows[k].key);
        if (v->text || v->items) {
            put_value(w, &ia_config_agent_rows[k], v);
        } else {
            ia_jsonw_null(w);
        }
    }
    ia_jsonw_end_object(w);
}

void ia_config_json(const struct ia_config *c, enum ia_config_may may, struct ia_jsonw *w)
{
    ia_jsonw_object(w);
    ia_jsonw_key(w, "files");
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "user", c->user_file);
    ia_jsonw_kv(w, "project", c->project_file);
    ia_jsonw_end_object(w);
    ia_jsonw_key(w, "values");
    ia_jsonw_array(w);
    for (size_t i = 0; i < IA_CFG_COUNT; i++) {
        ia_config_row_json(c, (enum ia_config_key)i, may, w);
    }
    ia_jsonw_end_array(w);
    ia_jsonw_key(w, "agents");
    ia_jsonw_array(w);
    for (size_t i = 0; i < c->agent_count; i++) {
        put_agent(w, &c->agents[i]);
    }
    ia_jsonw_end_array(w);
    ia_jsonw_end_object(w);
}

static void put_line(struct ia_buf *out, const char *key, const struct ia_config_row *row,
                     const struct ia_config_value *v)
{
    struct ia_jsonw w;
    ia_buf_printf(out, "%s = ", key);
    ia_jsonw_init(&w, out);
    put_value(&w, row, v);
    ia_buf_printf(out, "  # %s%s%s\n", origin_name(v->origin), v->where ? " " : "",
                  v->where ? v->where : "");
}

void ia_config_text(const struct ia_config *c, struct ia_buf *out)
{
    for (size_t i = 0; i < IA_CFG_COUNT; i++) {
        put_line(out, ia_config_rows[i].key, &ia_config_rows[i], &c->values[i]);
    }
    for (size_t i = 0; i < c->agent_count; i++) {
        const struct ia_config_agent_entry *a = &c->agents[i];
        ia_buf_printf(out, "[agents.%s]\n", a->name);
        for (size_t k = 0; k < IA_CFG_AGENT_COUNT; k++) {
            if (a->values[k].text || a->values[k].items) {
                put_line(out, ia_config_agent_rows[k].key, &ia_config_agent_rows[k],
                         &a->values[k]);
            }
        }
    }
}
