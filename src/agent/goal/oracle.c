/* oracle.c: holds rules against two states of a phone.
 *
 *     each rule        checks what its path finds in the state after the run
 *     all the rest     both states are walked side by side; what no rule is about must be equal */
#include "agent/goal/oracle_impl.h"

#include "base/civil.h"
#include "base/textfold.h"
#include "json/json.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { QUOTED_MAX = 200, PATH_MAX_BYTES = 1000, DAY_MS = 86400000, CENTS = 100 };
#define FOLDED_MAX (2 * (size_t)IA_ORACLE_SEEN_MAX)

/* ---- finding ----------------------------------------------------------------------------- */

static struct ia_str text_of(const json_t *v, char number[32])
{
    if (json_is_string(v)) {
        return ia_json_str(v);
    }
    if (json_is_integer(v)) {
        (void)snprintf(number, 32, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
        return ia_str(number);
    }
    return ia_str(json_is_true(v) ? "true" : json_is_false(v) ? "false" : "");
}

/* Ignores case. */
static bool text_matches(struct ia_str have, struct ia_str want, bool part)
{
    struct ia_buf a = IA_BUF(FOLDED_MAX), b = IA_BUF(FOLDED_MAX);
    ia_text_fold(&a, have);
    ia_text_fold(&b, want);
    bool yes = part ? strstr(ia_buf_cstr(&a), ia_buf_cstr(&b)) != NULL
                    : strcmp(ia_buf_cstr(&a), ia_buf_cstr(&b)) == 0;
    ia_buf_fini(&a);
    ia_buf_fini(&b);
    return yes;
}

static json_t *member(const json_t *object, struct ia_str key)
{
    return json_object_getn(object, key.p, key.n);
}

static bool chosen(const json_t *element, const struct ia_oracle_step *s)
{
    char number[32];
    const json_t *v = member(element, s->field);
    return v && text_matches(text_of(v, number), s->text, s->part);
}

/* Appends what a step of a path finds in an object. */
static void follow(const json_t *from, const struct ia_oracle_step *s, json_t *out)
{
    json_t *m = member(from, s->key), *e;
    size_t i;
    if (m && s->field.n == 0) {
        json_array_append(out, m);
        return;
    }
    json_array_foreach(m, i, e)
    {
        if (chosen(e, s)) {
            json_array_append(out, e);
        }
    }
}

/* Everything that the path finds, as a new array. */
static json_t *find(const json_t *state, const struct ia_oracle_path *p)
{
    json_t *now = json_array();
    json_array_append(now, (json_t *)state);
    for (size_t k = 0; k < p->n; k++) {
        json_t *next = json_array(), *v;
        size_t i;
        json_array_foreach(now, i, v)
        {
            follow(v, &p->steps[k], next);
        }
        json_decref(now);
        now = next;
    }
    return now;
}

/* ---- one rule ---------------------------------------------------------------------------- */

/* A number, or an amount of money, with so much more. */
static json_t *more(const json_t *v, double plus)
{
    char *end = NULL;
    double was = json_is_string(v) ? strtod(json_string_value(v), &end) : 0;
    if (json_is_integer(v)) {
        return json_integer(json_integer_value(v) + (json_int_t)plus);
    }
    if (!end || end == json_string_value(v) || *end != '\0') {
        return NULL;
    }
    return json_sprintf("%.2f", round((was + plus) * CENTS) / CENTS);
}

/* What was there before: of a list, how many. NULL where there was not one. */
static json_t *what_was(const struct ia_oracle_rule *r, const json_t *before)
{
    json_t *was = find(before, &r->from), *one = json_array_get(was, 0), *want = NULL;
    if (json_array_size(was) == 1) {
        want = json_is_array(one) ? json_integer((json_int_t)json_array_size(one))
               : r->plus != 0     ? more(one, r->plus)
                                  : json_incref(one);
    }
    json_decref(was);
    return want;
}

static json_t *wanted(const struct ia_oracle_rule *r, const json_t *before)
{
    if (!r->day) {
        return r->from.n > 0 ? what_was(r, before) : json_incref(r->value);
    }
    int64_t at = json_integer_value(json_object_get(before, "time_ms"));
    struct ia_civil c = ia_civil_at(at + json_integer_value(r->value) * DAY_MS);
    return json_sprintf("%04d-%02d-%02d", c.year, c.month, c.day);
}

static bool has_part(const json_t *found, const json_t *want)
{
    size_t i;
    json_t *e;
    bool yes =
        json_is_string(found) && text_matches(ia_json_str(found), ia_json_str(want), true);
    json_array_foreach((json_t *)found, i, e)
    {
        yes = yes || text_matches(ia_json_str(e), ia_json_str(want), false);
    }
    return yes;
}

static bool word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Folded, and without what groups thousands: "2,345.60" is 2345.60. */
static void put_plain(struct ia_buf *out, struct ia_str text)
{
    struct ia_buf folded = IA_BUF(FOLDED_MAX);
    ia_text_fold(&folded, text);
    const char *p = ia_buf_cstr(&folded);
    for (size_t i = 0; i < folded.len; i++) {
        bool groups = p[i] == ',' && i > 0 && isdigit((unsigned char)p[i - 1]) &&
                      isdigit((unsigned char)p[i + 1]);
        if (!groups) {
            ia_buf_putc(out, p[i]);
        }
    }
    ia_buf_fini(&folded);
}

/* As whole words: "555-0111" is not in "1555-0111". */
static bool says(const char *text, const json_t *want)
{
    char number[32];
    struct ia_buf words = IA_BUF(FOLDED_MAX);
    put_plain(&words, text_of(want, number));
    bool yes = false;
    for (const char *at = strstr(text, ia_buf_cstr(&words)); words.len > 0 && at && !yes;
         at = strstr(at + 1, ia_buf_cstr(&words))) {
        bool begins = at == text || (!word_char(at[-1]) && at[-1] != '.');
        yes = begins && !word_char(at[words.len]);
    }
    ia_buf_fini(&words);
    return yes;
}

/* One of the texts, where want is a list. */
static bool says_any(const char *text, const json_t *want)
{
    struct ia_buf plain = IA_BUF(FOLDED_MAX);
    size_t i;
    json_t *v;
    put_plain(&plain, ia_str(text ? text : ""));
    bool yes = want && !json_is_array(want) && says(ia_buf_cstr(&plain), want);
    json_array_foreach((json_t *)want, i, v)
    {
        yes = yes || says(ia_buf_cstr(&plain), v);
    }
    ia_buf_fini(&plain);
    return yes;
}

static bool holds(const struct ia_oracle_rule *r, const json_t *before, const json_t *after,
                  const struct ia_oracle_run *run)
{
    json_t *want = wanted(r, before);
    if (r->op == IA_ORACLE_ANSWER || r->op == IA_ORACLE_SEEN) {
        bool told = says_any(r->op == IA_ORACLE_SEEN ? run->seen : run->answer, want);
        json_decref(want);
        return told;
    }
    json_t *found = find(after, &r->path), *was = find(before, &r->path);
    const json_t *one = json_array_size(found) == 1 ? json_array_get(found, 0) : NULL;
    bool listed = r->path.steps[r->path.n - 1].field.n > 0;
    size_t count = listed ? json_array_size(found) : json_array_size(one);
    bool yes =
        r->op == IA_ORACLE_FREE || (r->op == IA_ORACLE_GONE && json_array_size(found) == 0) ||
        (r->op == IA_ORACLE_SAME && json_equal(found, was)) ||
        (r->op == IA_ORACLE_COUNT && (json_int_t)count == json_integer_value(r->value)) ||
        (r->op == IA_ORACLE_IS && one && want && json_equal(one, want)) ||
        (r->op == IA_ORACLE_HAS && one && ia_oracle_is_text(want) && has_part(one, want));
    json_decref(found);
    json_decref(was);
    json_decref(want);
    return yes;
}

/* ---- all the rest ------------------------------------------------------------------------ */

struct walk {
    const struct ia_oracle_rule *rules;
    size_t n;
    struct ia_buf *wrong;
};

/* Keys of the phone's place and time. */
static bool is_place(const char *key)
{
    static const char *const keys[] = {
        "foreground",  "screen", "alert", "keyboard", "locked",  "held",         "running",
        "orientation", "banner", "bugs",  "seq",      "time_ms", "notifications"};
    for (size_t i = 0; i < IA_COUNTOF(keys); i++) {
        if (strcmp(key, keys[i]) == 0) {
            return true;
        }
    }
    return false;
}

static void quote(struct ia_buf *out, const json_t *v)
{
    char *text = v ? json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    ia_buf_printf(out, "%.*s", QUOTED_MAX, text ? text : "nothing");
    free(text);
}

/* True if the rule is about that part and allows it to change. */
static bool about(const struct ia_oracle_rule *r, const char *path)
{
    return r->path.n > 0 && r->op != IA_ORACLE_SAME && ia_str_is(r->path.base, path);
}

static bool is_free(const struct walk *w, const char *path)
{
    for (size_t i = 0; i < w->n; i++) {
        if (w->rules[i].op == IA_ORACLE_FREE && ia_str_is(w->rules[i].path.all, path)) {
            return true;
        }
    }
    return false;
}

static bool is_meant(const struct walk *w, const char *path, const json_t *element)
{
    for (size_t i = 0; i < w->n; i++) {
        const struct ia_oracle_rule *r = &w->rules[i];
        const struct ia_oracle_step *s = r->path.steps, *end = s + r->path.n;
        while (s < end && s->field.n == 0) {
            s++;
        }
        bool choice = s < end;
        if (about(r, path) &&
            (choice ? chosen(element, s)
                    : r->op == IA_ORACLE_HAS && json_is_string(element) &&
                          ia_oracle_is_text(r->value) &&
                          text_matches(ia_json_str(element), ia_json_str(r->value), false))) {
            return true;
        }
    }
    return false;
}

/* Reports the elements of a list that the other list lacks and no rule selects, counting duplicates. */
static void only_in(const struct walk *w, const char *path, const json_t *list,
                    const json_t *other, const char *what)
{
    json_t *rest = json_copy((json_t *)other), *e, *o;
    size_t i, j;
    json_array_foreach((json_t *)list, i, e)
    {
        size_t n = json_array_size(rest), at = n;
        json_array_foreach(rest, j, o)
        {
            at = at == n && json_equal(e, o) ? j : at;
        }
        if (at < n) {
            json_array_remove(rest, at);
        } else if (!is_meant(w, path, e)) {
            ia_buf_printf(w->wrong, "%s: ", path);
            quote(w->wrong, e);
            ia_buf_printf(w->wrong, " %s\n", what);
        }
    }
    json_decref(rest);
}

static void compare(const struct walk *w, const char *path, const json_t *old,
                    const json_t *now);

static void compare_member(const struct walk *w, const char *path, const char *key,
                           const json_t *old, const json_t *now)
{
    struct ia_buf full = IA_BUF(PATH_MAX_BYTES);
    if (path[0] != '\0' || !is_place(key)) {
        ia_buf_printf(&full, "%s%s%s", path, path[0] ? "." : "", key);
        compare(w, ia_buf_cstr(&full), json_object_get(old, key), json_object_get(now, key));
    }
    ia_buf_fini(&full);
}

/* Recursion is as deep as the state, which this program wrote. */
static void compare(const struct walk *w, const char *path, const json_t *old,
                    const json_t *now)
{
    const char *key;
    json_t *v;
    if (is_free(w, path)) {
        return;
    }
    if (json_is_array(old) && json_is_array(now)) {
        only_in(w, path, old, now, "is no longer there");
        only_in(w, path, now, old, "was not there");
        return;
    }
    if (json_is_object(old) && json_is_object(now)) {
        json_object_foreach((json_t *)old, key, v)
        {
            compare_member(w, path, key, old, now);
        }
        json_object_foreach((json_t *)now, key, v)
        {
            if (!json_object_get(old, key)) {
                compare_member(w, path, key, old, now);
            }
        }
        return;
    }
    for (size_t i = 0; i < w->n; i++) {
        if (about(&w->rules[i], path)) {
            return;
        }
    }
    if (!json_equal(old, now)) {
        ia_buf_printf(w->wrong, "%s was ", path);
        quote(w->wrong, old);
        ia_buf_puts(w->wrong, " and is ");
        quote(w->wrong, now);
        ia_buf_putc(w->wrong, '\n');
    }
}

/* ---- the whole --------------------------------------------------------------------------- */

enum ia_rc ia_oracle_judge(const char *const *rules, size_t n, const struct ia_oracle_run *run,
                           bool *ret_holds, struct ia_buf *wrong, struct ia_err *err)
{
    size_t start = wrong->len, read = 0;
    struct ia_oracle_rule *all = ia_calloc(n + 1, sizeof(*all));
    json_t *old = json_loads(run->before, 0, NULL), *now = json_loads(run->after, 0, NULL);
    enum ia_rc rc =
        old && now ? IA_OK : ia_err_set(err, IA_E_PARSE, "the phone's state is not JSON");
    for (; rc == IA_OK && read < n; read++) {
        rc = ia_oracle_read(rules[read], &all[read], err);
    }
    for (size_t i = 0; rc == IA_OK && i < n; i++) {
        if (!holds(&all[i], old, now, run)) {
            ia_buf_printf(wrong, "%s: not so\n", rules[i]);
        }
    }
    if (rc == IA_OK) {
        compare(&(struct walk){all, n, wrong}, "", old, now);
        *ret_holds = wrong->len == start;
    }
    for (size_t i = 0; i < read; i++) {
        ia_oracle_rule_fini(&all[i]);
    }
    free(all);
    json_decref(old);
    json_decref(now);
    return rc;
}
