/* recording_vars.c: replaces values by names when a recording is made, and names by values when it is replayed. */
#include "agent/recording/recording_vars.h"

#include "agent/goal/expect.h"
#include "agent/goal/job.h"
#include "agent/goal/vars.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

/* A shorter value is replaced only if it is the whole text: "1" occurs in many. */
enum { WORD_BYTES = IA_VAR_VALUE_MIN, TEXT_BYTES = 32 << 10 };
#define SECRET "{{secret:"
#define SHOWN "{{shown"

/* ---- all texts of all steps -------------------------------------------------------------- */

/* Replaces a text. quoted: it is a selector or an expectation, with values in double quotes. */
typedef void text_fn(void *ctx, struct ia_str text, bool quoted, struct ia_buf *out);

struct walk {
    text_fn *fn;
    void *ctx;
};

/* Members that never hold a user's text, or are for people only. */
static bool is_fixed(const char *key)
{
    static const char *const keys[] = {"act",  "why", "app", "app_after",
                                       "role", "id",  "on",  "capture"};
    for (size_t i = 0; i < IA_COUNTOF(keys); i++) {
        if (strcmp(key, keys[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_quoted(const char *key)
{
    return strcmp(key, "marks") == 0 || strcmp(key, "until") == 0 || strcmp(key, "in") == 0;
}

static void walk_value(const struct walk *w, json_t *value, bool quoted)
{
    struct ia_buf out = IA_BUF(TEXT_BYTES);
    const char *key;
    json_t *item;
    size_t i;
    if (json_is_string(value)) {
        w->fn(w->ctx, ia_json_str(value), quoted, &out);
        if (ia_buf_ok(&out)) {
            (void)json_string_setn(value, ia_buf_cstr(&out), out.len);
        }
    }
    json_array_foreach(value, i, item)
    {
        walk_value(w, item, quoted);
    }
    json_object_foreach(value, key, item)
    {
        if (!is_fixed(key)) {
            walk_value(w, item, quoted || is_quoted(key));
        }
    }
    ia_buf_fini(&out);
}

static void walk_steps(json_t *recording, text_fn *fn, void *ctx)
{
    const struct walk w = {fn, ctx};
    walk_value(&w, json_object_get(recording, "step"), false);
}

static void put_escaped(struct ia_buf *out, struct ia_str value, bool quoted)
{
    for (size_t i = 0; i < value.n; i++) {
        ia_buf_puts(out, quoted && strchr("\"\\", value.p[i]) ? "\\" : "");
        ia_buf_putc(out, value.p[i]);
    }
}

/* ---- values to names --------------------------------------------------------------------- */

struct naming {
    struct ia_var vars[IA_JOB_VARS_MAX]; /* the longest value first */
    size_t count;
    bool fixed[IA_JOB_VARS_MAX];
    const struct ia_var
        *same[2]; /* two variables with the same value, which occurs in a text */
    bool braces;
};

static int by_length(const void *a, const void *b)
{
    size_t x = strlen(((const struct ia_var *)a)->value);
    size_t y = strlen(((const struct ia_var *)b)->value);
    return (x < y) - (x > y);
}

static bool is_word(const char *p)
{
    unsigned char c = (unsigned char)*p;
    return c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
           (c >= 'a' && c <= 'z');
}

/* The length of the value that begins here as a whole text or as whole words; 0: none. */
static size_t value_at(struct ia_str text, size_t at, const char *value, bool quoted)
{
    struct ia_buf escaped = IA_BUF(TEXT_BYTES);
    put_escaped(&escaped, ia_str(value), quoted);
    size_t n = escaped.len, end = at + n;
    bool here = n > 0 && end <= text.n && memcmp(text.p + at, escaped.p, n) == 0;
    ia_buf_fini(&escaped);
    bool whole = n == text.n || (quoted && at > 0 && text.p[at - 1] == '"' && end < text.n &&
                                 text.p[end] == '"');
    bool words = n >= WORD_BYTES &&
                 (at == 0 || !is_word(text.p + at) || !is_word(text.p + at - 1)) &&
                 (end >= text.n || !is_word(text.p + end) || !is_word(text.p + end - 1));
    return here && (whole || words) ? n : 0;
}

/* The variable whose value begins here. */
static size_t find_value(struct naming *m, struct ia_str text, size_t at, bool quoted,
                         size_t *ret_n)
{
    size_t i = 0;
    while (i < m->count &&
           (*ret_n = m->fixed[i] ? 0 : value_at(text, at, m->vars[i].value, quoted)) == 0) {
        i++;
    }
    for (size_t k = i + 1; k < m->count; k++) {
        if (strcmp(m->vars[i].value, m->vars[k].value) == 0) {
            m->same[0] = &m->vars[i];
            m->same[1] = &m->vars[k];
        }
    }
    return i;
}

/* The length of the name that begins here, with its braces. */
static size_t braces_at(struct ia_str text, size_t at, const char *with)
{
    struct ia_str rest = {text.p + at, text.n - at};
    size_t n = ia_str_starts(rest, ia_str(with)) ? 2 : 0;
    while (n > 0 && n + 1 < rest.n && memcmp(rest.p + n, "}}", 2) != 0) {
        n++;
    }
    return n > 0 && n + 1 < rest.n ? n + 2 : 0;
}

static void name_text(void *ctx, struct ia_str text, bool quoted, struct ia_buf *out)
{
    struct naming *m = ctx;
    size_t n = 0;
    for (size_t at = 0; at < text.n; at += n) {
        n = braces_at(text, at, SECRET) + braces_at(text, at, SHOWN);
        if (n > 0) {
            ia_buf_put(out, text.p + at, n);
            continue;
        }
        size_t i = find_value(m, text, at, quoted, &n);
        if (i < m->count) {
            ia_buf_printf(out, "{{%.*s}}", (int)m->vars[i].name.n, m->vars[i].name.p);
        } else {
            m->braces = m->braces ||
                        ia_str_starts((struct ia_str){text.p + at, text.n - at}, ia_str("{{"));
            ia_buf_putc(out, text.p[at]);
            n = 1;
        }
    }
}

static struct ia_var var_of(const char *text)
{
    size_t n = strcspn(text, "=");
    return (struct ia_var){{text, n}, text + n + (text[n] == '='), true};
}

static void put_some(json_t *recording, const char *key, json_t *value)
{
    if (json_array_size(value) + json_object_size(value) > 0) {
        (void)json_object_set(recording, key, value);
    }
    json_decref(value);
}

/* Returns true if there are more than before. What a fixed value contains is fixed, too. */
static bool find_fixed(struct naming *m, const json_t *steps)
{
    bool more = false;
    for (size_t i = 0; i < m->count; i++) {
        const struct ia_var *v = &m->vars[i];
        bool fixed = !ia_recording_certain(steps, v->name, v->value);
        for (size_t k = 0; k < m->count && !fixed; k++) {
            fixed = m->fixed[k] && ia_vars_left(ia_str(m->vars[k].value), v->value);
        }
        more = more || (fixed && !m->fixed[i]);
        m->fixed[i] = m->fixed[i] || fixed;
    }
    return more;
}

static void name_steps(json_t *recording, struct naming *m)
{
    json_t *steps = json_incref(json_object_get(recording, "step"));
    do {
        (void)json_object_set_new(recording, "step", json_deep_copy(steps));
        walk_steps(recording, name_text, m);
    } while (find_fixed(m, json_object_get(recording, "step")));
    json_decref(steps);
}

enum ia_rc ia_recording_name_vars(json_t *recording, const struct ia_run_request *req,
                                  struct ia_err *err)
{
    struct naming m = {.count = req->var_count};
    json_t *names = json_array(), *fixed = json_object();
    for (size_t i = 0; i < m.count; i++) {
        m.vars[i] = var_of(req->vars[i]);
    }
    qsort(m.vars, m.count, sizeof(*m.vars), by_length);
    name_steps(recording, &m);
    for (size_t i = 0; i < m.count; i++) {
        json_t *name = json_stringn(m.vars[i].name.p, m.vars[i].name.n);
        if (m.fixed[i]) {
            (void)json_object_set_new(fixed, json_string_value(name),
                                      json_string(m.vars[i].value));
        } else {
            (void)json_array_append(names, name);
        }
        json_decref(name);
    }
    put_some(recording, "vars", names);
    put_some(recording, "fixed", fixed);
    if (m.same[0]) {
        enum ia_rc rc = ia_err_set(err, IA_E_STATE,
                                   "the run cannot be replayed: {{%.*s}} and {{%.*s}} have "
                                   "the same value, which it typed or read",
                                   (int)m.same[0]->name.n, m.same[0]->name.p,
                                   (int)m.same[1]->name.n, m.same[1]->name.p);
        ia_err_hint(err, "run the goal once with two different values: --var %.*s=…",
                    (int)m.same[0]->name.n, m.same[0]->name.p);
        return rc;
    }
    return m.braces ? ia_err_set(err, IA_E_STATE,
                                 "the run cannot be replayed: a text that it typed or read has "
                                 "{{, which is a variable in a recording")
                    : IA_OK;
}

void ia_recording_name_shown(json_t *step, const char *name, const char *value)
{
    struct naming m = {.vars = {{ia_str(name), value, true}}, .count = 1};
    const struct walk w = {name_text, &m};
    walk_value(&w, step, false);
}

/* ---- names to values --------------------------------------------------------------------- */

bool ia_recording_next_name(struct ia_str text, size_t *at, struct ia_str *ret_name)
{
    for (size_t i = *at; i + 1 < text.n; i++) {
        size_t secret = braces_at(text, i, SECRET);
        if (secret > 0) {
            i += secret - 1;
        } else if (memcmp(text.p + i, "{{", 2) == 0) {
            struct ia_str name = {text.p + i + 2, 0};
            while (i + 3 + name.n < text.n && memcmp(name.p + name.n, "}}", 2) != 0) {
                name.n++;
            }
            bool ends = i + 3 + name.n < text.n;
            *ret_name = ends && ia_var_name_ok(name) ? name : ia_str("");
            *at = ends ? i + 4 + name.n : text.n;
            return true;
        }
    }
    return false;
}

struct filling {
    const char *const *vars;
    size_t count;
};

static void fill_text(void *ctx, struct ia_str text, bool quoted, struct ia_buf *out)
{
    const struct filling *f = ctx;
    struct ia_str name;
    size_t at = 0, from = 0;
    while (ia_recording_next_name(text, &at, &name)) {
        size_t i = 0;
        while (i < f->count && !ia_str_eq(var_of(f->vars[i]).name, name)) {
            i++;
        }
        if (i < f->count) {
            ia_buf_put(out, text.p + from, at - name.n - 4 - from);
            put_escaped(out, ia_str(var_of(f->vars[i]).value), quoted);
            from = at;
        }
    }
    ia_buf_put(out, text.p + from, text.n - from);
}

void ia_recording_fill(json_t *recording, const char *const *vars, size_t n)
{
    struct filling f = {vars, n};
    if (n > 0) {
        walk_steps(recording, fill_text, &f);
    }
}
