/* config_file.c: one TOML file into a configuration.
 *
 *     toml.h ──key by key──► section? agents.NAME.key? known key? ──► its row ──► typed value
 *                                         │ no
 *                                         ▼
 *                              error with file:line:column
 *
 * toml.h promises no order of keys, so errors are kept until the end of the file and reported from its
 * top. Nothing that is loaded so far is undone: on an error the caller throws the whole configuration
 * away. */
#include "base/config_schema.h"

#include "base/fd.h"
#include "base/suggest.h"
#include "base/toml.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_BYTES = 64, AGENT_KEY_MAX = 128, NUMBER_MAX = 40, MISTAKES_MAX = 16 };

const struct ia_config_row ia_config_agent_rows[IA_CFG_AGENT_COUNT] = {
    [IA_CFG_AGENT_MODEL] = {.key = "model", .type = IA_CFG_STRING, .def = ""},
    [IA_CFG_AGENT_PROMPT] = {.key = "prompt", .type = IA_CFG_PATH, .def = ""},
    [IA_CFG_AGENT_TOOLS] = {.key = "tools", .type = IA_CFG_LIST, .def = ""},
    [IA_CFG_AGENT_ROLE] = {.key = "role", .type = IA_CFG_STRING, .def = ""},
    [IA_CFG_AGENT_SKILLS] = {.key = "skills", .type = IA_CFG_LIST, .def = ""},
    [IA_CFG_AGENT_MAY_CALL] = {.key = "may_call", .type = IA_CFG_LIST, .def = ""},
    [IA_CFG_AGENT_MEMORY] = {.key = "memory",
                             .type = IA_CFG_ENUM,
                             .def = "",
                             .choices = "notes|files|off"},
    [IA_CFG_AGENT_MAX_STEPS] =
        {.key = "max_steps", .type = IA_CFG_INT, .def = "", .min = 1, .max = 1000},
    [IA_CFG_AGENT_MAX_SECONDS] =
        {.key = "max_seconds", .type = IA_CFG_INT, .def = "", .min = 1, .max = 604800},
    [IA_CFG_AGENT_MAX_TOKENS] =
        {.key = "max_tokens", .type = IA_CFG_INT, .def = "", .min = 1, .max = 1e12},
    [IA_CFG_AGENT_MAX_USD] =
        {.key = "max_usd", .type = IA_CFG_REAL, .def = "", .min = 0, .max = 1e6},
};

struct mistake {
    unsigned line, column;
    struct ia_err err;
};

/* One file being read, with what is wrong in it. */
struct file_reader {
    struct ia_config *c;
    const char *path;
    char *folder;
    enum ia_config_origin origin;
    struct mistake mistakes[MISTAKES_MAX];
    size_t mistake_count;
};

static char *place(const struct file_reader *r, unsigned line, unsigned column)
{
    struct ia_buf b = IA_BUF(SIZE_MAX / 2);
    ia_buf_puts(&b, r->path);
    if (line > 0) {
        ia_buf_printf(&b, ":%u:%u", line, column);
    }
    return ia_buf_steal(&b);
}

/* With its place before the message. Beyond the cap the user has enough to do. */
static void keep_mistake(struct file_reader *r, unsigned line, unsigned column,
                         const struct ia_err *err)
{
    if (r->mistake_count == MISTAKES_MAX) {
        return;
    }
    struct mistake *m = &r->mistakes[r->mistake_count++];
    char *where = place(r, line, column);
    *m = (struct mistake){line, column, *err};
    m->err.code = IA_E_CONFIG; /* also for what the parser refused */
    (void)ia_err_wrap(&m->err, IA_E_CONFIG, "%s", where);
    free(where);
}

static int by_place(const void *a, const void *b)
{
    const struct mistake *x = a, *y = b;
    return x->line != y->line ? (x->line > y->line) - (x->line < y->line)
                              : (x->column > y->column) - (x->column < y->column);
}

static bool type_fits(enum ia_config_type want, enum ia_toml_type have)
{
    switch (want) {
    case IA_CFG_INT:
        return have == IA_TOML_INT;
    case IA_CFG_REAL:
        return have == IA_TOML_REAL || have == IA_TOML_INT;
    case IA_CFG_BOOL:
        return have == IA_TOML_BOOL;
    case IA_CFG_LIST:
        return have == IA_TOML_LIST;
    case IA_CFG_ENUM: /* true and false may be among its words */
        return have == IA_TOML_STRING || have == IA_TOML_BOOL;
    default:
        return have == IA_TOML_STRING;
    }
}

/* A value of the file in the form that the environment would have it. */
static struct ia_str as_text(const struct ia_toml_value *v, char number[NUMBER_MAX])
{
    switch (v->type) {
    case IA_TOML_INT:
        (void)snprintf(number, NUMBER_MAX, "%" PRId64, v->i);
        return ia_str(number);
    case IA_TOML_REAL:
        (void)snprintf(number, NUMBER_MAX, "%.17g", v->r);
        return ia_str(number);
    case IA_TOML_BOOL:
        return ia_str(v->b ? "true" : "false");
    default:
        return ia_str(v->s);
    }
}

/* What a file names is read, and what is read may be sent: a project names files of its own only. */
static enum ia_rc check_path(const struct file_reader *r, const struct ia_config_row *row,
                             const char *path, struct ia_err *err)
{
    if (row->type != IA_CFG_PATH || r->origin != IA_CFG_FROM_PROJECT_FILE || path[0] == '\0' ||
        ia_path_inside(r->folder, path)) {
        return IA_OK;
    }
    (void)ia_err_set(err, IA_E_CONFIG, "%s must lie in the project's folder, %.200s", row->key,
                     r->folder);
    ia_err_hint(err, "set it in %.200s or in the environment", r->c->user_file);
    return IA_E_CONFIG;
}

/* Checks the value by the row and puts it into the slot. row->key is the name in messages. */
static enum ia_rc put_value(struct file_reader *r, const struct ia_config_row *row,
                            const struct ia_toml_value *v, struct ia_config_value *slot,
                            struct ia_err *err)
{
    struct ia_config_value value;
    char number[NUMBER_MAX];
    if (!type_fits(row->type, v->type)) {
        return ia_err_set(err, IA_E_CONFIG, "%s must be %s, not %s", row->key,
                          ia_config_type_name(row->type), v->type_name);
    }
    enum ia_rc rc = row->type == IA_CFG_LIST
                        ? ia_config_value_items(row, v->items, v->count, &value, err)
                        : ia_config_value_parse(row, as_text(v, number), r->folder, r->c->home,
                                                &value, err);
    if (rc != IA_OK) {
        return rc;
    }
    rc = check_path(r, row, value.text, err);
    if (rc != IA_OK) {
        ia_config_value_fini(&value);
        return rc;
    }
    /* A project makes the user's policy stricter, never laxer: the answers stand in that order. */
    bool laxer = r->origin == IA_CFG_FROM_PROJECT_FILE && row->type == IA_CFG_ENUM &&
                 strncmp(row->key, "policy.", strlen("policy.")) == 0 && value.i < slot->i;
    if (laxer) {
        ia_config_value_fini(&value);
        return IA_OK;
    }
    char *where = place(r, v->line, v->column);
    ia_config_value_put(slot, value, r->origin, where);
    free(where);
    return IA_OK;
}

static bool name_ok(struct ia_str name)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    for (size_t i = 0; i < name.n; i++) {
        if (!memchr(letters, name.p[i], sizeof(letters) - 1)) {
            return false;
        }
    }
    return name.n > 0 && name.n <= NAME_MAX_BYTES;
}

/* The agent with that name, made where there is none; NULL beyond the cap. */
static struct ia_config_agent_entry *agent_entry(struct ia_config *c, struct ia_str name)
{
    for (size_t i = 0; i < c->agent_count; i++) {
        if (ia_str_is(name, c->agents[i].name)) {
            return &c->agents[i];
        }
    }
    if (c->agent_count == IA_CFG_AGENTS_MAX) {
        return NULL;
    }
    struct ia_config_agent_entry *entry = &c->agents[c->agent_count++];
    entry->name = ia_strndup(name.p, name.n);
    entry->view = (struct ia_config_agent){
        .name = entry->name, .model = "", .prompt = "", .role = "", .memory = ""};
    return entry;
}

static const char *text_of(const struct ia_config_value *v)
{
    return v->text ? v->text : "";
}

static void refresh_view(struct ia_config_agent_entry *e)
{
    const struct ia_config_value *v = e->values;
    e->view = (struct ia_config_agent){
        .name = e->name,
        .model = text_of(&v[IA_CFG_AGENT_MODEL]),
        .prompt = text_of(&v[IA_CFG_AGENT_PROMPT]),
        .tools = (const char *const *)v[IA_CFG_AGENT_TOOLS].items,
        .role = text_of(&v[IA_CFG_AGENT_ROLE]),
        .skills = (const char *const *)v[IA_CFG_AGENT_SKILLS].items,
        .may_call = (const char *const *)v[IA_CFG_AGENT_MAY_CALL].items,
        .memory = text_of(&v[IA_CFG_AGENT_MEMORY]),
        .max_steps = (int)v[IA_CFG_AGENT_MAX_STEPS].i,
        .max_seconds = (int)v[IA_CFG_AGENT_MAX_SECONDS].i,
        .max_tokens = v[IA_CFG_AGENT_MAX_TOKENS].i,
        .max_usd = v[IA_CFG_AGENT_MAX_USD].r,
    };
}

static enum ia_rc unknown_agent_key(const struct ia_toml_value *v, struct ia_str key,
                                    struct ia_err *err)
{
    const char *names[IA_CFG_AGENT_COUNT];
    for (size_t i = 0; i < IA_CFG_AGENT_COUNT; i++) {
        names[i] = ia_config_agent_rows[i].key;
    }
    enum ia_rc rc = ia_err_set(err, IA_E_CONFIG, "unknown key %.100s", v->path);
    const char *near = ia_nearest(key, names, IA_CFG_AGENT_COUNT);
    ia_err_hint(err,
                near ? "did you mean %s?" : "the keys of an agent are in config.example.toml%s",
                near ? near : "");
    return rc;
}

/* path is "NAME" or "NAME.key", behind "agents.". */
static enum ia_rc put_agent(struct file_reader *r, const struct ia_toml_value *v,
                            const char *path, struct ia_err *err)
{
    struct ia_str name = {path, strcspn(path, ".")};
    struct ia_str key = ia_str(path[name.n] ? path + name.n + 1 : "");
    if (!name_ok(name)) {
        return ia_err_set(err, IA_E_CONFIG,
                          "the name of %.100s must be 1 to %d characters of A-Z a-z 0-9 _ -",
                          v->path, NAME_MAX_BYTES);
    }
    if (key.n == 0 && v->type != IA_TOML_TABLE) {
        return ia_err_set(err, IA_E_CONFIG, "%.100s must be a section, not %s", v->path,
                          v->type_name);
    }
    struct ia_config_agent_entry *entry = agent_entry(r->c, name);
    if (!entry) {
        return ia_err_set(err, IA_E_CONFIG, "there are more than %d agents", IA_CFG_AGENTS_MAX);
    }
    for (size_t i = 0; key.n > 0 && i < IA_CFG_AGENT_COUNT; i++) {
        if (ia_str_is(key, ia_config_agent_rows[i].key)) {
            char full[AGENT_KEY_MAX];
            struct ia_config_row row = ia_config_agent_rows[i];
            (void)snprintf(full, sizeof(full), "%s", v->path);
            row.key = full;
            enum ia_rc rc = put_value(r, &row, v, &entry->values[i], err);
            refresh_view(entry);
            return rc;
        }
    }
    return key.n == 0 ? IA_OK : unknown_agent_key(v, key, err);
}

/* True when the path is the section of some key. */
static bool is_section(const char *path)
{
    size_t n = strlen(path);
    for (size_t i = 0; i < IA_CFG_COUNT; i++) {
        const char *key = ia_config_rows[i].key;
        if (strncmp(key, path, n) == 0 && key[n] == '.') {
            return true;
        }
    }
    return strcmp(path, "agents") == 0;
}

static enum ia_rc unknown_section(const char *path, struct ia_err *err)
{
    static const char *const names[] = {"run", "api", "log", "prompts", "agents"};
    enum ia_rc rc = ia_err_set(err, IA_E_CONFIG, "unknown section [%.100s]", path);
    const char *near = ia_nearest(ia_str(path), names, IA_COUNTOF(names));
    ia_err_hint(err, near ? "did you mean [%s]?" : "`ios-agent config` lists every key%s",
                near ? near : "");
    return rc;
}

static enum ia_rc put(struct file_reader *r, const struct ia_toml_value *v, struct ia_err *err)
{
    if (strncmp(v->path, "agents.", strlen("agents.")) == 0) {
        return put_agent(r, v, v->path + strlen("agents."), err);
    }
    if (v->type == IA_TOML_TABLE && ia_config_find(ia_str(v->path)) == IA_CFG_COUNT) {
        return is_section(v->path) ? IA_OK : unknown_section(v->path, err);
    }
    size_t key = ia_config_find(ia_str(v->path));
    if (key == IA_CFG_COUNT && is_section(v->path)) {
        return ia_err_set(err, IA_E_CONFIG, "%s must be a section, not %s", v->path,
                          v->type_name);
    }
    if (key == IA_CFG_COUNT) {
        return ia_config_unknown(ia_str(v->path), err);
    }
    const struct ia_config_row *row = &ia_config_rows[key];
    if (row->scope == IA_CFG_SCOPE_USER && r->origin == IA_CFG_FROM_PROJECT_FILE) {
        enum ia_rc rc =
            ia_err_set(err, IA_E_CONFIG, "a project's file cannot set %s", row->key);
        ia_err_hint(err, "set it in %s or in the environment", r->c->user_file);
        return rc;
    }
    return put_value(r, row, v, &r->c->values[key], err);
}

static void on_value(void *ctx, const struct ia_toml_value *v)
{
    struct file_reader *r = ctx;
    struct ia_err err;
    if (put(r, v, &err) != IA_OK) {
        keep_mistake(r, v->line, v->column, &err);
    }
}

static enum ia_rc all_mistakes(struct file_reader *r, struct ia_err *err)
{
    struct ia_err all[MISTAKES_MAX];
    qsort(r->mistakes, r->mistake_count, sizeof(*r->mistakes), by_place);
    for (size_t i = 0; i < r->mistake_count; i++) {
        all[i] = r->mistakes[i].err;
    }
    ia_err_join(err, all, r->mistake_count);
    return IA_E_CONFIG;
}

enum ia_rc ia_config_read_text(struct ia_config *c, const char *path,
                               enum ia_config_origin origin, struct ia_str text,
                               struct ia_err *err)
{
    struct file_reader r = {.c = c, .path = path, .origin = origin};
    unsigned line = 0;
    unsigned column = 0;
    r.folder = ia_config_folder_of(path);
    struct ia_err broken;
    if (ia_toml_each(text, on_value, &r, &line, &column, &broken) != IA_OK) {
        r.mistake_count = 0; /* the file says nothing until it can be read */
        keep_mistake(&r, line, column, &broken);
    }
    free(r.folder);
    return r.mistake_count > 0 ? all_mistakes(&r, err) : IA_OK;
}

enum ia_rc ia_config_read_file(struct ia_config *c, const char *path,
                               enum ia_config_origin origin, bool must_exist,
                               struct ia_err *err)
{
    struct ia_buf text = IA_BUF(IA_CONFIG_FILE_MAX);
    enum ia_rc rc = ia_file_read(path, &text, err);
    if (rc == IA_E_NOT_FOUND && !must_exist) {
        rc = IA_OK;
    } else if (rc != IA_OK) {
        ia_err_hint(err, "this file was read as the configuration");
    } else {
        rc = ia_config_read_text(c, path, origin, ia_buf_str(&text), err);
    }
    ia_buf_fini(&text);
    return rc;
}
