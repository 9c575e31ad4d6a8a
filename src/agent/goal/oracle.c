/* oracle.c: reads rules and holds them against two states of a phone.
 *
 *     each rule        checks what its path finds in the state after the run
 *     all the rest     both states are walked side by side; what no rule is about must be equal */
#include "agent/goal/oracle.h"

#include "base/civil.h"
#include "base/textfold.h"
#include "json/json.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_MAX = 6, QUOTED_MAX = 200, PATH_MAX_BYTES = 1000, FOLDED_MAX = 1 << 20 };
enum { DAY_MS = 86400000 };

enum op { IS, HAS, GONE, COUNT, SAME, FREE, ANSWER, OPS };
static const char *const op_names[OPS] = {"is",   "has",  "gone",  "count",
                                          "same", "free", "answer"};

/* NAME, or NAME[field=text] */
struct step {
    struct ia_str key, field, text;
    bool part; /* ~= */
};

struct rule {
    enum op op;
    struct step steps[STEPS_MAX];
    size_t n;
    struct ia_str path; /* all of it */
    struct ia_str base; /* up to its first choice: the part of the state that it is about */
    json_t *value;
    bool day; /* value is a number of days */
};

/* ---- reading ----------------------------------------------------------------------------- */

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static struct ia_str take_name(const char **at)
{
    struct ia_str name = {*at, 0};
    while (is_name((*at)[0])) {
        (*at)++;
    }
    name.n = (size_t)(*at - name.p);
    return name;
}

static bool read_choice(struct step *s, const char **at)
{
    ++*at; /* "[" */
    s->field = take_name(at);
    s->part = **at == '~';
    *at += s->part;
    if (s->field.n == 0 || **at != '=') {
        return false;
    }
    s->text.p = ++*at;
    s->text.n = strcspn(*at, "]");
    *at += s->text.n;
    return *(*at)++ == ']' && s->text.n > 0;
}

static bool read_path(struct rule *r, const char **at)
{
    const char *begin = *at, *base = NULL;
    do {
        struct step *s = &r->steps[r->n];
        *at += r->n > 0; /* "." */
        s->key = take_name(at);
        if (s->key.n == 0) {
            return false;
        }
        if (**at == '[') {
            base = base ? base : *at;
            if (!read_choice(s, at)) {
                return false;
            }
        }
    } while (++r->n < STEPS_MAX && **at == '.');
    r->path = (struct ia_str){begin, (size_t)(*at - begin)};
    r->base = (struct ia_str){begin, (size_t)((base ? base : *at) - begin)};
    return true;
}

static enum ia_rc read_value(struct rule *r, const char *at, struct ia_err *err)
{
    r->day = strncmp(at, "day ", 4) == 0;
    r->value = json_loads(at + (r->day ? 4 : 0), JSON_DECODE_ANY, NULL);
    bool text = r->op == HAS || r->op == ANSWER, number = r->op == COUNT || r->day;
    bool right = text     ? json_is_string(r->value) && json_string_length(r->value) > 0
                 : number ? json_is_integer(r->value)
                          : r->value && !json_is_array(r->value) && !json_is_object(r->value);
    if (right && !(r->day && r->op != IS)) {
        return IA_OK;
    }
    return ia_err_set(err, IA_E_PARSE, "\"%.60s\" is not %s", at,
                      text ? "a text in double quotes"
                      : number
                          ? "a whole number"
                          : "a text in double quotes, a number, true, false, null or day N");
}

static void rule_fini(struct rule *r)
{
    json_decref(r->value);
}

/* The rule borrows from the text. Free with rule_fini, whatever it returns. */
static enum ia_rc read_rule(const char *text, struct rule *r, struct ia_err *err)
{
    const char *at = text;
    struct ia_str word = take_name(&at);
    *r = (struct rule){.op = OPS};
    for (int i = 0; i < OPS; i++) {
        r->op = ia_str_is(word, op_names[i]) ? (enum op)i : r->op;
    }
    if (strlen(text) > IA_ORACLE_BYTES_MAX) {
        return ia_err_set(err, IA_E_PARSE, "a rule has at most %d bytes", IA_ORACLE_BYTES_MAX);
    }
    if (r->op == OPS || *at++ != ' ') {
        enum ia_rc rc =
            ia_err_set(err, IA_E_PARSE, "\"%.60s\" is not a rule of an oracle", text);
        ia_err_hint(err, "use is, has, gone, count, same, free or answer (docs/eval.md)");
        return rc;
    }
    if (r->op == ANSWER) {
        return read_value(r, at, err);
    }
    if (!read_path(r, &at)) {
        return ia_err_set(err, IA_E_PARSE,
                          "\"%.60s\" is not a path; write NAME.NAME or NAME[FIELD=text].NAME",
                          at);
    }
    bool valued = r->op == IS || r->op == HAS || r->op == COUNT;
    bool fits = valued ? strncmp(at, " = ", 3) == 0 : *at == '\0';
    if (!fits) {
        return ia_err_set(err, IA_E_PARSE, "after the path, %s",
                          valued ? "write \" = \" and a value" : "the rule must end");
    }
    return valued ? read_value(r, at + 3, err) : IA_OK;
}

enum ia_rc ia_oracle_check(const char *rule, struct ia_err *err)
{
    struct rule r;
    enum ia_rc rc = read_rule(rule, &r, err);
    rule_fini(&r);
    return rc;
}

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

static bool chosen(const json_t *element, const struct step *s)
{
    char number[32];
    const json_t *v = member(element, s->field);
    return v && text_matches(text_of(v, number), s->text, s->part);
}

/* Appends what a step of a path finds in an object. */
static void follow(const json_t *from, const struct step *s, json_t *out)
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
static json_t *find(const json_t *state, const struct rule *r)
{
    json_t *now = json_array();
    json_array_append(now, (json_t *)state);
    for (size_t k = 0; k < r->n; k++) {
        json_t *next = json_array(), *v;
        size_t i;
        json_array_foreach(now, i, v)
        {
            follow(v, &r->steps[k], next);
        }
        json_decref(now);
        now = next;
    }
    return now;
}

/* ---- one rule ---------------------------------------------------------------------------- */

static json_t *wanted(const struct rule *r, const json_t *before)
{
    if (!r->day) {
        return json_incref(r->value);
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

/* As whole words: "555-0111" is not in "1555-0111". */
static bool says(const char *answer, const json_t *want)
{
    struct ia_buf a = IA_BUF(FOLDED_MAX), b = IA_BUF(FOLDED_MAX);
    ia_text_fold(&a, ia_str(answer));
    ia_text_fold(&b, ia_json_str(want));
    bool yes = false;
    const char *text = ia_buf_cstr(&a);
    for (const char *at = strstr(text, ia_buf_cstr(&b)); at && !yes;
         at = strstr(at + 1, ia_buf_cstr(&b))) {
        bool begins = at == text || (!word_char(at[-1]) && at[-1] != '.');
        yes = begins && !word_char(at[b.len]);
    }
    ia_buf_fini(&a);
    ia_buf_fini(&b);
    return yes;
}

static bool holds(const struct rule *r, const json_t *before, const json_t *after,
                  const char *answer)
{
    if (r->op == ANSWER) {
        return says(answer, r->value);
    }
    json_t *found = find(after, r), *was = find(before, r), *want = wanted(r, before);
    const json_t *one = json_array_size(found) == 1 ? json_array_get(found, 0) : NULL;
    bool listed = r->steps[r->n - 1].field.n > 0;
    size_t count = listed ? json_array_size(found) : json_array_size(one);
    bool yes = r->op == FREE || (r->op == GONE && json_array_size(found) == 0) ||
               (r->op == SAME && json_equal(found, was)) ||
               (r->op == COUNT && (json_int_t)count == json_integer_value(r->value)) ||
               (r->op == IS && one && json_equal(one, want)) ||
               (r->op == HAS && one && has_part(one, want));
    json_decref(found);
    json_decref(was);
    json_decref(want);
    return yes;
}

/* ---- all the rest ------------------------------------------------------------------------ */

struct walk {
    const struct rule *rules;
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
static bool about(const struct rule *r, const char *path)
{
    return r->op != ANSWER && r->op != SAME && ia_str_is(r->base, path);
}

static bool is_free(const struct walk *w, const char *path)
{
    for (size_t i = 0; i < w->n; i++) {
        if (w->rules[i].op == FREE && ia_str_is(w->rules[i].path, path)) {
            return true;
        }
    }
    return false;
}

static bool is_meant(const struct walk *w, const char *path, const json_t *element)
{
    for (size_t i = 0; i < w->n; i++) {
        const struct rule *r = &w->rules[i];
        const struct step *s = r->steps;
        while (s < r->steps + r->n && s->field.n == 0) {
            s++;
        }
        bool choice = s < r->steps + r->n;
        if (about(r, path) &&
            (choice ? chosen(element, s)
                    : r->op == HAS && json_is_string(element) &&
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

enum ia_rc ia_oracle_judge(const char *const *rules, size_t n, const char *before,
                           const char *after, const char *answer, bool *ret_holds,
                           struct ia_buf *wrong, struct ia_err *err)
{
    size_t start = wrong->len, read = 0;
    struct rule *all = ia_calloc(n + 1, sizeof(*all));
    json_t *old = json_loads(before, 0, NULL), *now = json_loads(after, 0, NULL);
    enum ia_rc rc =
        old && now ? IA_OK : ia_err_set(err, IA_E_PARSE, "the phone's state is not JSON");
    for (; rc == IA_OK && read < n; read++) {
        rc = read_rule(rules[read], &all[read], err);
    }
    for (size_t i = 0; rc == IA_OK && i < n; i++) {
        if (!holds(&all[i], old, now, answer ? answer : "")) {
            ia_buf_printf(wrong, "%s: not so\n", rules[i]);
        }
    }
    if (rc == IA_OK) {
        compare(&(struct walk){all, n, wrong}, "", old, now);
        *ret_holds = wrong->len == start;
    }
    for (size_t i = 0; i < read; i++) {
        rule_fini(&all[i]);
    }
    free(all);
    json_decref(old);
    json_decref(now);
    return rc;
}
