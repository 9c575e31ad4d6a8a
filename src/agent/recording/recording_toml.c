/* recording_toml.c: a recording as TOML that people read, edit and commit, and back.
 *
 * One table lists all members. The writer follows its order, so that equal recordings give equal files, and the
 * reader checks against it, so that an error names its place. */
#include "agent/recording/recording.h"

#include "agent/goal/expect.h"
#include "agent/goal/vars.h"
#include "agent/recording/recording_vars.h"
#include "base/suggest.h"
#include "base/toml_tree.h"
#include "json/json.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum table { FILE_ITSELF, RECORDED, DEVICE, STEP, TARGET, INPUT, CAPTURE, FIXED };
enum { STEP_MS_MAX = 24 * 3600 * 1000, ORDER_MAX = 10000 };

/* Checks a value beyond its type: NULL, or what is wrong with it. */
typedef const char *rule_fn(const struct ia_toml_node *n);

static const char *is_format(const struct ia_toml_node *n)
{
    return n->i == IA_RECORDING_FORMAT
               ? NULL
               : "this is a recording of another version of the program";
}

static const char *is_hash(const struct ia_toml_node *n)
{
    return strncmp(n->s, "sha256:", 7) == 0 && strlen(n->s) == IA_GOAL_HASH_SIZE - 2
               ? NULL
               : "this must be \"sha256:\" and 64 digits";
}

static const char *is_act(const struct ia_toml_node *n)
{
    enum ia_tool tool = ia_tool_from_name(ia_str(n->s));
    return tool != IA_TOOL_COUNT && tool != IA_TOOL_FINISH && ia_tool_has_effect(tool)
               ? NULL
               : "this is no action: tap, long_press, type_text, clear_text, swipe, scroll_to, "
                 "press_button, back, launch_app, terminate_app, open_url, alert";
}

static const char *is_role(const struct ia_toml_node *n)
{
    return ia_role_from_name(ia_str(n->s)) < IA_ROLE_COUNT ? NULL : "this is not a role";
}

static const char *is_state(const struct ia_toml_node *n)
{
    int on = IA_OFF;
    while (on <= IA_MIXED && strcmp(n->s, ia_tristate_names[on]) != 0) {
        on++;
    }
    return on <= IA_MIXED ? NULL : "this must be \"on\", \"off\" or \"mixed\"";
}

static const char *is_ms(const struct ia_toml_node *n)
{
    return n->i >= 0 && n->i <= STEP_MS_MAX ? NULL : "this must be 0 to a day of milliseconds";
}

static const char *is_order(const struct ia_toml_node *n)
{
    return n->i >= 1 && n->i <= ORDER_MAX ? NULL : "this counts from 1";
}

static const char *is_some(const struct ia_toml_node *n)
{
    return *n->s ? NULL : "nothing is found by an empty text; leave it out";
}

/* Checks each element of a list of strings. */
typedef enum ia_rc parse_fn(const char *text, struct ia_err *err);

static enum ia_rc parse_selector(const char *text, struct ia_err *err)
{
    struct ia_selector sel;
    size_t at = 0;
    enum ia_rc rc = ia_selector_parse(ia_str(text), &sel, &at, err);
    if (rc == IA_OK) {
        ia_selector_fini(&sel);
    }
    return rc;
}

static enum ia_rc parse_name(const char *text, struct ia_err *err)
{
    return ia_var_name_ok(ia_str(text))
               ? IA_OK
               : ia_err_set(err, IA_E_PARSE, "this must be the name of a variable");
}

/* Only expectations on a single screen: the screen before the step is gone, and a file runs no program. */
static enum ia_rc parse_until(const char *text, struct ia_err *err)
{
    static const bool told[IA_EXPECT_KINDS] = {
        [IA_EXPECT_VISIBLE] = true, [IA_EXPECT_GONE] = true, [IA_EXPECT_VALUE] = true,
        [IA_EXPECT_COUNT] = true,   [IA_EXPECT_TEXT] = true, [IA_EXPECT_APP] = true};
    struct ia_expect x;
    enum ia_rc rc = ia_expect_parse(text, &x, err);
    if (rc == IA_OK) {
        rc = told[x.kind] && !x.relaunch
                 ? IA_OK
                 : ia_err_set(err, IA_E_PARSE,
                              "a step is judged on one screen: visible, gone, value, count, "
                              "text or app");
        ia_expect_fini(&x);
    }
    return rc;
}

static const struct member {
    enum table in;
    const char *name;
    enum ia_toml_type type;
    bool must;
    enum table table; /* TABLE, and ARRAY of tables */
    rule_fn *rule;
    parse_fn *parse; /* ARRAY of strings */
} members[] = {
#define M(table_, name_, type_, ...)                                                           \
    {                                                                                          \
        .in = (table_), .name = (name_), .type = IA_TOML_##type_, __VA_ARGS__                  \
    }
    M(FILE_ITSELF, "format", INT, .must = true, .rule = is_format),
    M(FILE_ITSELF, "goal", STRING, .must = true),
    M(FILE_ITSELF, "goal_hash", STRING, .must = true, .rule = is_hash),
    M(FILE_ITSELF, "steps", INT, .must = true),
    M(FILE_ITSELF, "vars", ARRAY, .parse = parse_name),
    M(FILE_ITSELF, "fixed", TABLE, .table = FIXED),
    M(FILE_ITSELF, "recorded", TABLE, .must = true, .table = RECORDED),
    M(FILE_ITSELF, "device", TABLE, .must = true, .table = DEVICE),
    M(FILE_ITSELF, "step", ARRAY, .must = true, .table = STEP),
    M(RECORDED, "run", STRING, .must = true),
    M(RECORDED, "at", STRING, .must = true),
    M(RECORDED, "program", STRING, .must = true),
    M(RECORDED, "model", STRING, .must = true),
    M(DEVICE, "kind", STRING, .must = true),
    M(DEVICE, "os", STRING, .must = true),
    M(STEP, "act", STRING, .must = true, .rule = is_act),
    M(STEP, "why", STRING, .must = false),
    M(STEP, "app", STRING, .must = false),
    M(STEP, "title", STRING, .must = false),
    M(STEP, "marks", ARRAY, .parse = parse_selector),
    M(STEP, "asked", STRING, .must = false),
    M(STEP, "capture", TABLE, .table = CAPTURE),
    M(STEP, "target", TABLE, .table = TARGET),
    M(STEP, "input", TABLE, .table = INPUT),
    M(STEP, "app_after", STRING, .must = false),
    M(STEP, "until", ARRAY, .parse = parse_until),
    M(STEP, "ms", INT, .rule = is_ms),
    M(STEP, "changed", BOOL, .must = false),
    M(STEP, "commit", BOOL, .must = false),
    M(TARGET, "role", STRING, .must = true, .rule = is_role),
#define SIGN_MEMBER(code, name) M(TARGET, name, STRING, .rule = is_some),
    IA_SIGN_LIST(SIGN_MEMBER)
#undef SIGN_MEMBER
        M(TARGET, "on", STRING, .rule = is_state),
    M(TARGET, "nth", INT, .rule = is_order),
    M(TARGET, "of", INT, .rule = is_order),
    M(TARGET, "alike", INT, .rule = is_order),
#undef M
};

/* ---- writing ---------------------------------------------------------------------------- */

/* As a person would write it: in apostrophes if that saves escapes, which are those of JSON. */
static void put_string(struct ia_buf *out, struct ia_str s)
{
    bool literal = memchr(s.p, '"', s.n) && !memchr(s.p, '\'', s.n);
    for (size_t i = 0; i < s.n && literal; i++) {
        literal = (unsigned char)s.p[i] >= ' ' && s.p[i] != 0x7F;
    }
    ia_buf_putc(out, literal ? '\'' : '"');
    if (literal) {
        ia_buf_putstr(out, s);
    } else {
        ia_json_escape(out, s);
    }
    ia_buf_putc(out, literal ? '\'' : '"');
}

/* The number of members of an object, or elements of a list. */
static void put_value(struct ia_buf *out, const json_t *value)
{
    const char *key, *before = "";
    size_t i;
    json_t *item;
    switch (json_typeof(value)) {
    case JSON_STRING:
        put_string(out, ia_json_str(value));
        break;
    case JSON_INTEGER:
        ia_buf_printf(out, "%lld", (long long)json_integer_value(value));
        break;
    case JSON_REAL: /* TOML wants a point */
        ia_buf_printf(out, "%.6f", json_real_value(value));
        break;
    case JSON_ARRAY:
        ia_buf_putc(out, '[');
        json_array_foreach(value, i, item)
        {
            ia_buf_puts(out, i > 0 ? ", " : "");
            put_value(out, item);
        }
        ia_buf_putc(out, ']');
        break;
    case JSON_OBJECT:
        ia_buf_puts(out, "{ ");
        json_object_foreach((json_t *)value, key, item)
        {
            ia_buf_printf(out, "%s%s = ", before, key);
            put_value(out, item);
            before = ", ";
        }
        ia_buf_puts(out, " }");
        break;
    default:
        ia_buf_puts(out, json_is_true(value) ? "true" : "false");
    }
}

/* The members of one table in the order above: values, then sections. */
static void put_members(struct ia_buf *out, const json_t *object, enum table in)
{
    for (size_t i = 0; i < IA_COUNTOF(members); i++) {
        const struct member *m = &members[i];
        const json_t *value = m->in == in ? json_object_get(object, m->name) : NULL;
        bool section = m->in == FILE_ITSELF && m->table && m->table != FIXED;
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
    ia_err_hint(r->err,
                near ? "did you mean %s?"
                     : "only steps that are fully understood are done; this file was made by "
                       "another version, or has a mistake%s",
                near ? near : "");
    return rc;
}

/* ---- reading ---------------------------------------------------------------------------- */

/* A tool's input: strings, numbers and booleans, checked by its schema. */
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
        json_t *value = n->key && strcmp(n->key, "ref") != 0 ? scalar(n) : NULL;
        if (!value) {
            return wrong(r, n->line, n->column, "this is no input of an action");
        }
        (void)json_object_set_new(ret, n->key, value);
    }
    return IA_OK;
}

static enum ia_rc read_capture(const struct reading *r, const struct ia_toml_node *table,
                               json_t *ret)
{
    for (const struct ia_toml_node *n = table->first; n; n = n->next) {
        struct ia_err why = {0};
        if (n->type != IA_TOML_STRING || !n->key || !ia_var_name_ok(ia_str(n->key))) {
            return wrong(r, n->line, n->column, "this must be a name and a string");
        }
        if (ia_recording_capture_check(n->key, n->s, &why) != IA_OK) {
            (void)wrong_value(r, n, why.msg);
            ia_err_hint(r->err, "%s", why.hint);
            return IA_E_CONFIG;
        }
        (void)json_object_set_new(ret, n->key, json_string(n->s));
    }
    return IA_OK;
}

static enum ia_rc read_fixed(const struct reading *r, const struct ia_toml_node *table,
                             json_t *ret)
{
    for (const struct ia_toml_node *n = table->first; n; n = n->next) {
        if (n->type != IA_TOML_STRING || !n->key || !ia_var_name_ok(ia_str(n->key))) {
            return wrong(r, n->line, n->column, "this must be a variable and its value");
        }
        (void)json_object_set_new(ret, n->key, json_string(n->s));
    }
    return IA_OK;
}

static enum ia_rc read_text(const struct reading *r, const struct member *m,
                            const struct ia_toml_node *n, json_t *list)
{
    struct ia_err why = {0};
    if (n->type != IA_TOML_STRING) {
        return wrong_value(r, n, "this must be a list of strings");
    }
    if (m->parse(n->s, &why) != IA_OK) {
        (void)wrong_value(r, n, why.msg);
        ia_err_hint(r->err, "%s", why.hint);
        return IA_E_CONFIG;
    }
    (void)json_array_append_new(list, json_string(n->s));
    return IA_OK;
}

static enum ia_rc read_section(const struct reading *r, const struct member *m,
                               const struct ia_toml_node *n, json_t *list)
{
    json_t *item = json_object();
    (void)json_array_append_new(list, item);
    return n->type == IA_TOML_TABLE ? read_table(r, n, m->table, item)
                                    : wrong_value(r, n, "this must be a section");
}

static enum ia_rc read_array(const struct reading *r, const struct member *m,
                             const struct ia_toml_node *array, json_t *ret)
{
    enum ia_rc rc = array->count <= IA_RECORDING_STEPS_MAX
                        ? IA_OK
                        : wrong(r, array->line, array->column, "%s has more than %d entries",
                                m->name, IA_RECORDING_STEPS_MAX);
    for (const struct ia_toml_node *n = array->first; n && rc == IA_OK; n = n->next) {
        rc = m->table ? read_section(r, m, n, ret) : read_text(r, m, n, ret);
    }
    return rc;
}

static enum ia_rc read_member(const struct reading *r, const struct member *m,
                              const struct ia_toml_node *n, json_t *ret)
{
    if (n->type != m->type) {
        return m->type == IA_TOML_INT && n->type == IA_TOML_REAL
                   ? wrong(r, n->at_line, n->at_column, "%s must be a whole number", m->name)
                   : wrong(r, n->at_line, n->at_column, "%s must not be %s", m->name,
                           n->type_name);
    }
    const char *why = m->rule ? m->rule(n) : NULL;
    if (why) {
        return wrong_value(r, n, why);
    }
    json_t *value = m->type == IA_TOML_TABLE   ? json_object()
                    : m->type == IA_TOML_ARRAY ? json_array()
                                               : scalar(n);
    (void)json_object_set_new(ret, m->name, value);
    return m->type == IA_TOML_ARRAY   ? read_array(r, m, n, value)
           : m->type != IA_TOML_TABLE ? IA_OK
           : m->table == INPUT        ? read_input(r, n, value)
           : m->table == CAPTURE      ? read_capture(r, n, value)
           : m->table == FIXED        ? read_fixed(r, n, value)
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

/* True if a list of names, or the captures of steps up to that line, have the name. */
static bool has_name(const struct ia_toml_node *root, const struct ia_toml_node *at,
                     struct ia_str name)
{
    const struct ia_toml_node *vars = ia_toml_get(root, "vars"),
                              *step = ia_toml_get(root, "step");
    for (const struct ia_toml_node *n = vars ? vars->first : NULL; n; n = n->next) {
        if (ia_str_is(name, n->s)) {
            return true;
        }
    }
    for (step = step->first; step && step->line <= at->at_line; step = step->next) {
        const struct ia_toml_node *all = ia_toml_get(step, "capture");
        for (const struct ia_toml_node *n = all ? all->first : NULL; n; n = n->next) {
            if (ia_str_is(name, n->key)) {
                return true;
            }
        }
    }
    return false;
}

/* Checks that every {{name}} has a value when its step is done. */
static enum ia_rc check_names(const struct reading *r, const struct ia_toml_node *root,
                              const struct ia_toml_node *n)
{
    struct ia_str name;
    size_t at = 0;
    enum ia_rc rc = IA_OK;
    while (rc == IA_OK && n->type == IA_TOML_STRING &&
           ia_recording_next_name(ia_str(n->s), &at, &name)) {
        if (name.n == 0 || !has_name(root, n, name)) {
            rc = wrong(r, n->at_line, n->at_column, "{{%.*s}} is no variable here", (int)name.n,
                       name.p);
            ia_err_hint(r->err, "name it in vars = [\"…\"], or capture it in a step before");
        }
    }
    for (n = n->first; n && rc == IA_OK; n = n->next) {
        rc = check_names(r, root, n);
    }
    return rc;
}

/* Of each action: 1, it is done to an element, and without app_after there is something to see; -1, it never is. */
static const struct {
    int target;
    bool input;
} actions[IA_TOOL_COUNT] = {
    [IA_TOOL_TAP] = {1, false},          [IA_TOOL_LONG_PRESS] = {1, true},
    [IA_TOOL_TYPE_TEXT] = {1, true},     [IA_TOOL_CLEAR_TEXT] = {1, false},
    [IA_TOOL_SWIPE] = {0, true},         [IA_TOOL_SCROLL_TO] = {-1, true},
    [IA_TOOL_PRESS_BUTTON] = {-1, true}, [IA_TOOL_BACK] = {-1, false},
    [IA_TOOL_LAUNCH_APP] = {-1, true},   [IA_TOOL_TERMINATE_APP] = {-1, true},
    [IA_TOOL_OPEN_URL] = {-1, true},     [IA_TOOL_ALERT] = {-1, true},
};

/* A step that could not be done, or not be judged, is found before the first is done. */
static enum ia_rc check_step(const struct reading *r, const struct ia_toml_node *n,
                             const json_t *step)
{
    const struct ia_toml_node *target = ia_toml_get(n, "target"),
                              *input = ia_toml_get(n, "input"),
                              *until = ia_toml_get(n, "until");
    enum ia_tool act = ia_recording_act(step);
    const char *name = ia_tool_name(act);
    const json_t *text = json_object_get(json_object_get(step, "input"), "text");
    if (!target && actions[act].target > 0) {
        return wrong(r, n->line, n->column, "%s needs a target", name);
    }
    if (target && actions[act].target < 0) {
        return wrong(r, target->line, target->column, "%s has no target", name);
    }
    if (input && !actions[act].input) {
        return wrong(r, input->line, input->column, "%s has no input", name);
    }
    if (act == IA_TOOL_TYPE_TEXT && !json_is_string(text)) {
        return wrong(r, n->line, n->column, "type_text needs input = { text = \"…\" }");
    }
    if (actions[act].target > 0 && json_array_size(json_object_get(step, "until")) == 0 &&
        !json_object_get(step, "changed") && !json_object_get(step, "app_after")) {
        n = until ? until : n;
        enum ia_rc rc =
            wrong(r, n->line, n->column, "nothing tells whether this %s worked", name);
        ia_err_hint(r->err, "name what it leads to in until, or say changed = true; changed = "
                            "false, if there is nothing to see");
        return rc;
    }
    return IA_OK;
}

/* A file that a merge or a copy truncated would end on a screen that was never recorded. */
static enum ia_rc check_steps(const struct reading *r, const struct ia_toml_node *root,
                              const json_t *doc)
{
    const struct ia_toml_node *n = ia_toml_get(root, "step")->first;
    size_t count = ia_recording_count(doc);
    for (size_t i = 0; i < count; i++, n = n->next) {
        enum ia_rc rc = check_step(r, n, ia_recording_step(doc, i));
        if (rc != IA_OK) {
            return rc;
        }
    }
    n = ia_toml_get(root, "steps");
    return count > 0 && n->i == (int64_t)count
               ? IA_OK
               : wrong(r, n->at_line, n->at_column, "steps is %lld, and there are %zu",
                       (long long)n->i, count);
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
        rc = check_names(&r, root, ia_toml_get(root, "step"));
    }
    if (rc == IA_OK) {
        rc = check_steps(&r, root, doc);
    }
    ia_toml_free(root);
    if (rc != IA_OK) {
        json_decref(doc);
        return rc;
    }
    *ret = doc;
    return IA_OK;
}
