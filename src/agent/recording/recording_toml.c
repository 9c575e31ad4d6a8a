/* recording_toml.c: a recording as TOML that people read, edit and commit, and back.
 *
 * One table says what there may be. The writer goes through it, so the order of members is always the same, and
 * the reader checks by it, so a mistake is told with its place. */
#include "agent/recording/recording.h"

#include "agent/goal/expect.h"
#include "base/suggest.h"
#include "base/toml_tree.h"
#include "json/json.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum table { FILE_ITSELF, RECORDED, DEVICE, STEP, TARGET, INPUT, TABLES };

/* What a member's text must be, beyond its type. */
enum rule { ANY, ACT, ROLE, SELECTORS, EXPECTATIONS, HASH, ONE, STATE };

static const struct member {
    enum table in;
    const char *name;
    enum ia_toml_type type;
    bool must;
    enum table table; /* TABLE, and ARRAY of tables */
    enum rule rule;
} members[] = {
    {FILE_ITSELF, "format", IA_TOML_INT, true, 0, ONE},
    {FILE_ITSELF, "goal", IA_TOML_STRING, true, 0, ANY},
    {FILE_ITSELF, "goal_hash", IA_TOML_STRING, true, 0, HASH},
    {FILE_ITSELF, "steps", IA_TOML_INT, true, 0, ANY},
    {FILE_ITSELF, "recorded", IA_TOML_TABLE, true, RECORDED, ANY},
    {FILE_ITSELF, "device", IA_TOML_TABLE, true, DEVICE, ANY},
    {FILE_ITSELF, "step", IA_TOML_ARRAY, true, STEP, ANY},
    {RECORDED, "run", IA_TOML_STRING, true, 0, ANY},
    {RECORDED, "at", IA_TOML_STRING, true, 0, ANY},
    {RECORDED, "program", IA_TOML_STRING, true, 0, ANY},
    {RECORDED, "model", IA_TOML_STRING, true, 0, ANY},
    {DEVICE, "kind", IA_TOML_STRING, true, 0, ANY},
    {DEVICE, "os", IA_TOML_STRING, true, 0, ANY},
    {STEP, "act", IA_TOML_STRING, true, 0, ACT},
    {STEP, "why", IA_TOML_STRING, false, 0, ANY},
    {STEP, "app", IA_TOML_STRING, false, 0, ANY},
    {STEP, "title", IA_TOML_STRING, false, 0, ANY},
    {STEP, "marks", IA_TOML_ARRAY, false, 0, SELECTORS},
    {STEP, "target", IA_TOML_TABLE, false, TARGET, ANY},
    {STEP, "input", IA_TOML_TABLE, false, INPUT, ANY},
    {STEP, "app_after", IA_TOML_STRING, false, 0, ANY},
    {STEP, "until", IA_TOML_ARRAY, false, 0, EXPECTATIONS},
    {STEP, "ms", IA_TOML_INT, false, 0, ANY},
    {STEP, "commit", IA_TOML_BOOL, false, 0, ANY},
    {TARGET, "role", IA_TOML_STRING, true, 0, ROLE},
    {TARGET, "id", IA_TOML_STRING, false, 0, ANY},
    {TARGET, "label", IA_TOML_STRING, false, 0, ANY},
    {TARGET, "placeholder", IA_TOML_STRING, false, 0, ANY},
    {TARGET, "question", IA_TOML_STRING, false, 0, ANY},
    {TARGET, "before", IA_TOML_STRING, false, 0, ANY},
    {TARGET, "after", IA_TOML_STRING, false, 0, ANY},
    {TARGET, "in", IA_TOML_STRING, false, 0, ANY},
    {TARGET, "on", IA_TOML_STRING, false, 0, STATE},
    {TARGET, "nth", IA_TOML_INT, false, 0, ANY},
    {TARGET, "of", IA_TOML_INT, false, 0, ANY},
    {TARGET, "alike", IA_TOML_INT, false, 0, ANY},
};

static const char *const states[] = {"", "off", "on", "mixed"};

/* ---- writing ---------------------------------------------------------------------------- */

/* A basic string; control characters and quotes are escaped as in JSON, which TOML takes, too. */
static void put_string(struct ia_buf *out, struct ia_str s)
{
    ia_buf_putc(out, '"');
    ia_json_escape(out, s);
    ia_buf_putc(out, '"');
}

static void put_value(struct ia_buf *out, const json_t *value);

static void put_inline(struct ia_buf *out, const json_t *object)
{
    const char *key, *before = "{ ";
    json_t *value;
    json_object_foreach((json_t *)object, key, value)
    {
        ia_buf_printf(out, "%s%s = ", before, key);
        put_value(out, value);
        before = ", ";
    }
    ia_buf_puts(out, json_object_size(object) > 0 ? " }" : "{}");
}

static void put_list(struct ia_buf *out, const json_t *list)
{
    size_t i;
    json_t *value;
    ia_buf_putc(out, '[');
    json_array_foreach(list, i, value)
    {
        ia_buf_puts(out, i > 0 ? ", " : "");
        put_value(out, value);
    }
    ia_buf_putc(out, ']');
}

static void put_value(struct ia_buf *out, const json_t *value)
{
    struct ia_jsonw w;
    switch (json_typeof(value)) {
    case JSON_STRING:
        put_string(out, ia_json_str(value));
        break;
    case JSON_OBJECT:
        put_inline(out, value);
        break;
    case JSON_ARRAY:
        put_list(out, value);
        break;
    case JSON_REAL: /* TOML wants a point */
        ia_buf_printf(out, "%.6f", json_real_value(value));
        break;
    default:
        ia_jsonw_init(&w, out);
        if (json_is_integer(value)) {
            ia_jsonw_int(&w, json_integer_value(value));
        } else {
            ia_jsonw_bool(&w, json_is_true(value));
        }
    }
}

/* The members of one table in the order above: plain ones, then the sections. */
static void put_members(struct ia_buf *out, const json_t *object, enum table in)
{
    for (size_t i = 0; i < IA_COUNTOF(members); i++) {
        const struct member *m = &members[i];
        const json_t *value = m->in == in ? json_object_get(object, m->name) : NULL;
        bool section = m->in == FILE_ITSELF && (m->type == IA_TOML_TABLE || m->table);
        if (value && !section) {
            ia_buf_printf(out, "%s = ", m->name);
            put_value(out, value);
            ia_buf_putc(out, '\n');
        }
    }
}

void ia_recording_write(const json_t *recording, struct ia_buf *out)
{
    size_t i;
    json_t *step;
    put_members(out, recording, FILE_ITSELF);
    ia_buf_puts(out, "\n[recorded]\n");
    put_members(out, json_object_get(recording, "recorded"), RECORDED);
    ia_buf_puts(out, "\n[device]\n");
    put_members(out, json_object_get(recording, "device"), DEVICE);
    json_array_foreach(json_object_get(recording, "step"), i, step)
    {
        ia_buf_puts(out, "\n[[step]]\n");
        put_members(out, step, STEP);
    }
}

/* ---- mistakes --------------------------------------------------------------------------- */

struct reading {
    const char *path;
    struct ia_err *err;
};

static enum ia_rc wrong(const struct reading *r, unsigned line, unsigned column,
                        const char *fmt, ...) IA_PRINTF(4, 5);
static enum ia_rc wrong(const struct reading *r, unsigned line, unsigned column,
                        const char *fmt, ...)
{
    char what[sizeof(r->err->msg)];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(what, sizeof(what), fmt, args);
    va_end(args);
    return line ? ia_err_set(r->err, IA_E_CONFIG, "%s:%u:%u: %s", r->path, line, column, what)
                : ia_err_set(r->err, IA_E_CONFIG, "%s: %s", r->path, what);
}

static enum ia_rc wrong_value(const struct reading *r, const struct ia_toml_node *n,
                              const char *what)
{
    return wrong(r, n->at_line, n->at_column, "%s", what);
}

static enum ia_rc unknown(const struct reading *r, enum table in, const struct ia_toml_node *n)
{
    const char *names[IA_COUNTOF(members)];
    size_t count = 0;
    for (size_t i = 0; i < IA_COUNTOF(members); i++) {
        if (members[i].in == in) {
            names[count++] = members[i].name;
        }
    }
    enum ia_rc rc =
        wrong(r, n->line, n->column, "unknown key %.60s", n->key ? n->key : "(with a NUL)");
    const char *near = n->key ? ia_nearest(ia_str(n->key), names, count) : NULL;
    if (near) {
        ia_err_hint(r->err, "did you mean %s?", near);
    } else {
        ia_err_hint(
            r->err,
            "a step that is not understood whole is not done; this file was made by another "
            "version, or has a mistake");
    }
    return rc;
}

/* ---- rules ------------------------------------------------------------------------------ */

static int role_of(const char *name)
{
    int role = 0;
    while (role < IA_ROLE_COUNT && strcmp(name, ia_role_name((enum ia_role)role)) != 0) {
        role++;
    }
    return role < IA_ROLE_COUNT ? role : -1;
}

static int state_of(const char *name)
{
    int on = 0;
    while (on < (int)IA_COUNTOF(states) && strcmp(name, states[on]) != 0) {
        on++;
    }
    return on < (int)IA_COUNTOF(states) ? on : -1;
}

static enum ia_rc check_each(const struct reading *r, const struct ia_toml_node *list,
                             bool expectations)
{
    for (const struct ia_toml_node *n = list->first; n; n = n->next) {
        struct ia_err why = {0};
        struct ia_selector sel;
        size_t at = 0;
        enum ia_rc rc = IA_OK;
        if (n->type != IA_TOML_STRING) {
            return wrong_value(r, n, "this must be a list of strings");
        }
        if (expectations) {
            rc = ia_expect_check((const char *const *)&n->s, 1, &why);
        } else if ((rc = ia_selector_parse(ia_str(n->s), &sel, &at, &why)) == IA_OK) {
            ia_selector_fini(&sel);
        }
        if (rc != IA_OK) {
            (void)wrong_value(r, n, why.msg);
            ia_err_hint(r->err, "%s", why.hint);
            return IA_E_CONFIG;
        }
    }
    return IA_OK;
}

static enum ia_rc check_rule(const struct reading *r, const struct member *m,
                             const struct ia_toml_node *n)
{
    enum ia_tool tool;
    switch (m->rule) {
    case ONE:
        return n->i == IA_RECORDING_FORMAT
                   ? IA_OK
                   : wrong_value(r, n, "this is a recording of another version of the program");
    case ACT:
        tool = ia_tool_from_name(ia_str(n->s));
        return tool != IA_TOOL_COUNT && tool != IA_TOOL_FINISH && ia_tool_has_effect(tool)
                   ? IA_OK
                   : wrong_value(r, n, "this is no action");
    case ROLE:
        return role_of(n->s) >= 0 ? IA_OK : wrong_value(r, n, "this is not a role");
    case STATE:
        return state_of(n->s) > 0
                   ? IA_OK
                   : wrong_value(r, n, "this must be \"on\", \"off\" or \"mixed\"");
    case HASH:
        return strncmp(n->s, "sha256:", 7) == 0 && strlen(n->s) == IA_RECORDING_HASH_SIZE - 2
                   ? IA_OK
                   : wrong_value(r, n, "this must be \"sha256:\" and 64 digits");
    case SELECTORS:
    case EXPECTATIONS:
        return check_each(r, n, m->rule == EXPECTATIONS);
    default:
        return IA_OK;
    }
}

/* ---- reading ---------------------------------------------------------------------------- */

/* A tool's input: strings, numbers and booleans, which its schema judges. */
static json_t *scalar(const struct ia_toml_node *n)
{
    switch (n->type) {
    case IA_TOML_STRING:
        return json_string(n->s);
    case IA_TOML_INT:
        return json_integer(n->i);
    case IA_TOML_REAL:
        return json_real(n->r);
    case IA_TOML_BOOL:
        return json_boolean(n->b);
    default:
        return NULL;
    }
}

static enum ia_rc read_table(const struct reading *r, const struct ia_toml_node *table,
                             enum table in, json_t *ret);

static enum ia_rc read_input(const struct reading *r, const struct ia_toml_node *table,
                             json_t *ret)
{
    for (const struct ia_toml_node *n = table->first; n; n = n->next) {
        json_t *value = n->key ? scalar(n) : NULL;
        if (!value || strcmp(n->key, "ref") == 0) {
            json_decref(value);
            return wrong(r, n->line, n->column, "this is no input of an action");
        }
        (void)json_object_set_new(ret, n->key, value);
    }
    return IA_OK;
}

/* An array of strings, or of tables. */
static enum ia_rc read_array(const struct reading *r, const struct member *m,
                             const struct ia_toml_node *array, json_t *ret)
{
    for (const struct ia_toml_node *n = array->first; n; n = n->next) {
        json_t *item = m->table ? json_object() : json_string(n->s);
        (void)json_array_append_new(ret, item);
        enum ia_rc rc = !m->table ? IA_OK
                        : n->type == IA_TOML_TABLE
                            ? read_table(r, n, m->table, item)
                            : wrong_value(r, n, "this must be a section");
        if (rc != IA_OK) {
            return rc;
        }
    }
    return json_array_size(ret) <= IA_RECORDING_STEPS_MAX
               ? IA_OK
               : wrong(r, array->line, array->column, "a recording has at most %d steps",
                       IA_RECORDING_STEPS_MAX);
}

static enum ia_rc read_member(const struct reading *r, const struct member *m,
                              const struct ia_toml_node *n, json_t *ret)
{
    if (n->type != m->type) {
        return wrong(r, n->at_line, n->at_column, "%s must not be %s", m->name, n->type_name);
    }
    enum ia_rc rc = check_rule(r, m, n);
    if (rc != IA_OK) {
        return rc;
    }
    json_t *value = m->type == IA_TOML_TABLE   ? json_object()
                    : m->type == IA_TOML_ARRAY ? json_array()
                                               : scalar(n);
    (void)json_object_set_new(ret, m->name, value);
    if (m->type == IA_TOML_ARRAY) {
        return read_array(r, m, n, value);
    }
    return m->type != IA_TOML_TABLE ? IA_OK
           : m->table == INPUT      ? read_input(r, n, value)
                                    : read_table(r, n, m->table, value);
}

static const struct member *member_of(enum table in, const char *name)
{
    size_t i = 0;
    while (i < IA_COUNTOF(members) &&
           (members[i].in != in || !name || strcmp(members[i].name, name) != 0)) {
        i++;
    }
    return i < IA_COUNTOF(members) ? &members[i] : NULL;
}

static enum ia_rc read_table(const struct reading *r, const struct ia_toml_node *table,
                             enum table in, json_t *ret)
{
    for (const struct ia_toml_node *n = table->first; n; n = n->next) {
        const struct member *m = member_of(in, n->key);
        enum ia_rc rc = m ? read_member(r, m, n, ret) : unknown(r, in, n);
        if (rc != IA_OK) {
            return rc;
        }
    }
    for (size_t i = 0; i < IA_COUNTOF(members); i++) {
        if (members[i].in == in && members[i].must && !json_object_get(ret, members[i].name)) {
            return wrong(r, table->line, table->column, "%s is missing", members[i].name);
        }
    }
    return IA_OK;
}

/* A file that lost its end in a merge or a copy would reach a screen that nobody recorded. */
static enum ia_rc check_steps(const struct reading *r, const struct ia_toml_node *root,
                              size_t count)
{
    const struct ia_toml_node *n = ia_toml_get(root, "steps");
    if (count == 0 || n->i != (int64_t)count) {
        return wrong(r, n->at_line, n->at_column, "steps is %lld, and there are %zu",
                     (long long)n->i, count);
    }
    return IA_OK;
}

enum ia_rc ia_recording_read(const char *path, struct ia_str toml, json_t **ret,
                             struct ia_err *err)
{
    struct ia_toml_node *root = NULL;
    struct ia_err local, why = {0};
    struct reading r = {path, err ? err : &local};
    unsigned line = 0, column = 0;
    if (ia_toml_parse(toml, &root, &line, &column, &why) != IA_OK) {
        (void)wrong(&r, line, column, "%s", why.msg);
        ia_err_hint(r.err, "%s", why.hint);
        return IA_E_CONFIG;
    }
    json_t *doc = json_object();
    enum ia_rc rc = read_table(&r, root, FILE_ITSELF, doc);
    if (rc == IA_OK) {
        rc = check_steps(&r, root, ia_recording_count(doc));
    }
    ia_toml_free(root);
    if (rc != IA_OK) {
        json_decref(doc);
        return rc;
    }
    *ret = doc;
    return IA_OK;
}

/* ---- parts ------------------------------------------------------------------------------ */

size_t ia_recording_count(const json_t *recording)
{
    return json_array_size(json_object_get(recording, "step"));
}

const json_t *ia_recording_step(const json_t *recording, size_t i)
{
    return json_array_get(json_object_get(recording, "step"), i);
}

enum ia_tool ia_recording_act(const json_t *step)
{
    return ia_tool_from_name(ia_str(ia_json_text(step, "act")));
}

bool ia_recording_target(const json_t *step, struct ia_signature *ret)
{
    const json_t *target = json_object_get(step, "target");
    int role = role_of(ia_json_text(target, "role"));
    *ret = (struct ia_signature){0};
    if (!target || role < 0) {
        return false;
    }
    ret->role = role;
    for (size_t i = 0; i < IA_SIGN_COUNT; i++) {
        ret->text[i] = ia_strdup(json_string_value(json_object_get(target, ia_sign_names[i])));
    }
    int on = state_of(ia_json_text(target, "on"));
    ret->on = on > 0 ? on : IA_UNSET;
    ret->nth = (int)json_integer_value(json_object_get(target, "nth"));
    ret->of = (int)json_integer_value(json_object_get(target, "of"));
    ret->alike = (int)json_integer_value(json_object_get(target, "alike"));
    return true;
}

void ia_recording_put_target(struct ia_jsonw *w, const struct ia_signature *sig)
{
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "role", ia_role_name((enum ia_role)sig->role));
    for (size_t i = 0; i < IA_SIGN_COUNT; i++) {
        if (sig->text[i]) {
            ia_jsonw_kv(w, ia_sign_names[i], sig->text[i]);
        }
    }
    if (sig->on != IA_UNSET) {
        ia_jsonw_kv(w, "on", states[sig->on]);
    }
    ia_jsonw_kv_int(w, "nth", sig->nth);
    ia_jsonw_kv_int(w, "of", sig->of);
    ia_jsonw_kv_int(w, "alike", sig->alike);
    ia_jsonw_end_object(w);
}
