/* oracle_read.c: from texts to rules, and whether there can be what they name. */
#include "agent/goal/oracle_impl.h"

#include "base/suggest.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 128 };

static const char *const op_names[IA_ORACLE_OPS] = {"is",   "has",  "gone",   "count",
                                                    "same", "free", "answer", "seen"};

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

static bool read_choice(struct ia_oracle_step *s, const char **at)
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

static bool read_path(struct ia_oracle_path *p, const char **at)
{
    const char *begin = *at, *base = NULL;
    do {
        struct ia_oracle_step *s = &p->steps[p->n];
        *at += p->n > 0; /* "." */
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
    } while (++p->n < IA_ORACLE_STEPS_MAX && **at == '.');
    p->all = (struct ia_str){begin, (size_t)(*at - begin)};
    p->base = (struct ia_str){begin, (size_t)((base ? base : *at) - begin)};
    return true;
}

bool ia_oracle_is_text(const json_t *v)
{
    return json_is_string(v) && json_string_length(v) > 0;
}

/* Of words that must be said or seen, one of several may do. */
static bool fits(const struct ia_oracle_rule *r)
{
    size_t i;
    json_t *v;
    if (r->op == IA_ORACLE_COUNT || r->day) {
        return json_is_integer(r->value) && (r->op == IA_ORACLE_COUNT) != r->day;
    }
    if (r->op == IA_ORACLE_HAS || r->op == IA_ORACLE_ANSWER || r->op == IA_ORACLE_SEEN) {
        bool texts = r->op != IA_ORACLE_HAS && json_array_size(r->value) > 0;
        json_array_foreach(r->value, i, v)
        {
            texts = texts && ia_oracle_is_text(v);
        }
        return texts || ia_oracle_is_text(r->value);
    }
    return r->value && !json_is_array(r->value) && !json_is_object(r->value);
}

static const char *value_form(const struct ia_oracle_rule *r)
{
    return r->op == IA_ORACLE_ANSWER || r->op == IA_ORACLE_SEEN
               ? "a text in double quotes, or a list of such"
           : r->op == IA_ORACLE_HAS ? "a text in double quotes"
           : r->op == IA_ORACLE_COUNT || r->day
               ? "a whole number"
               : "a text in double quotes, a number, true, false, null, day N or was PATH";
}

/* PATH [ ("+" / "-") NUMBER ] */
static bool read_was(struct ia_oracle_rule *r, const char *at)
{
    if (r->op == IA_ORACLE_COUNT || r->op == IA_ORACLE_SEEN || !read_path(&r->from, &at)) {
        return false;
    }
    if (strncmp(at, " + ", 3) == 0 || strncmp(at, " - ", 3) == 0) {
        char *end = NULL;
        r->plus = strtod(at + 3, &end) * (at[1] == '-' ? -1 : 1);
        at = isdigit((unsigned char)at[3]) ? end : at;
    }
    return *at == '\0';
}

static enum ia_rc read_value(struct ia_oracle_rule *r, const char *at, struct ia_err *err)
{
    if (strncmp(at, "was ", 4) == 0) {
        return read_was(r, at + 4)
                   ? IA_OK
                   : ia_err_set(err, IA_E_PARSE, "\"%.60s\" is not was PATH, + N or - N", at);
    }
    r->day = r->op == IA_ORACLE_IS && strncmp(at, "day ", 4) == 0;
    r->value = json_loads(at + (r->day ? 4 : 0), JSON_DECODE_ANY, NULL);
    return fits(r) ? IA_OK
                   : ia_err_set(err, IA_E_PARSE, "\"%.60s\" is not %s", at, value_form(r));
}

void ia_oracle_rule_fini(struct ia_oracle_rule *r)
{
    json_decref(r->value);
}

enum ia_rc ia_oracle_read(const char *text, struct ia_oracle_rule *r, struct ia_err *err)
{
    const char *at = text;
    struct ia_str word = take_name(&at);
    *r = (struct ia_oracle_rule){.op = IA_ORACLE_OPS};
    for (int i = 0; i < IA_ORACLE_OPS; i++) {
        r->op = ia_str_is(word, op_names[i]) ? (enum ia_oracle_op)i : r->op;
    }
    if (strlen(text) > IA_ORACLE_BYTES_MAX) {
        return ia_err_set(err, IA_E_PARSE, "a rule has at most %d bytes", IA_ORACLE_BYTES_MAX);
    }
    if (r->op == IA_ORACLE_OPS || *at++ != ' ') {
        enum ia_rc rc =
            ia_err_set(err, IA_E_PARSE, "\"%.60s\" is not a rule of an oracle", text);
        ia_err_hint(err, "use is, has, gone, count, same, free, answer or seen (docs/eval.md)");
        return rc;
    }
    if (r->op == IA_ORACLE_ANSWER || r->op == IA_ORACLE_SEEN) {
        return read_value(r, at, err);
    }
    if (!read_path(&r->path, &at)) {
        return ia_err_set(err, IA_E_PARSE,
                          "\"%.60s\" is not a path; write NAME.NAME or NAME[FIELD=text].NAME",
                          at);
    }
    bool valued = r->op == IA_ORACLE_IS || r->op == IA_ORACLE_HAS || r->op == IA_ORACLE_COUNT;
    if (valued ? strncmp(at, " = ", 3) != 0 : *at != '\0') {
        return ia_err_set(err, IA_E_PARSE, "after the path, %s",
                          valued ? "write \" = \" and a value" : "the rule must end");
    }
    return valued ? read_value(r, at + 3, err) : IA_OK;
}

/* ---- checking ---------------------------------------------------------------------------- */

static enum ia_rc no_such(const json_t *where, const struct ia_oracle_path *p,
                          struct ia_str name, struct ia_err *err)
{
    const char *names[NAMES_MAX], *key;
    size_t n = 0, i;
    json_t *object, *v;
    json_array_foreach((json_t *)where, i, object)
    {
        json_object_foreach(object, key, v)
        {
            names[n] = key;
            n += n + 1 < NAMES_MAX;
        }
    }
    const char *near = ia_nearest(name, names, n);
    enum ia_rc rc = ia_err_set(err, IA_E_PARSE, "\"%.*s\": no phone's state has \"%.*s\" there",
                               (int)p->all.n, p->all.p, (int)name.n, name.p);
    ia_err_hint(err,
                near ? "did you mean %s?" : "ios-agent embedded state shows what there is%s",
                near ? near : "");
    return rc;
}

/* Whether a field chooses from one of the lists, or nothing tells, since they are empty. Appends what may be
 * chosen. */
static bool choose_from(const json_t *lists, struct ia_str field, json_t *out)
{
    size_t i, k;
    json_t *list, *e;
    bool empty = true;
    json_array_foreach((json_t *)lists, i, list)
    {
        json_array_foreach(list, k, e)
        {
            empty = false;
            if (json_object_getn(e, field.p, field.n)) {
                json_array_append(out, e);
            }
        }
    }
    return empty || json_array_size(out) > 0;
}

static enum ia_rc check_path(const json_t *state, const struct ia_oracle_path *p,
                             struct ia_err *err)
{
    json_t *now = json_array(), *v;
    enum ia_rc rc = IA_OK;
    json_array_append(now, (json_t *)state);
    /* Nothing there, or null: nothing tells what may come there. */
    for (size_t k = 0; k < p->n && rc == IA_OK && !json_is_null(json_array_get(now, 0)) &&
                       json_array_size(now) > 0;
         k++) {
        json_t *next = json_array(), *rows = json_array();
        size_t i;
        json_array_foreach(now, i, v)
        {
            json_t *m = json_object_getn(v, p->steps[k].key.p, p->steps[k].key.n);
            if (m) {
                json_array_append(next, m);
            }
        }
        bool field = p->steps[k].field.n > 0;
        if (json_array_size(next) == 0) {
            rc = no_such(now, p, p->steps[k].key, err);
        } else if (field && !choose_from(next, p->steps[k].field, rows)) {
            rc = no_such(json_array_get(next, 0), p, p->steps[k].field, err);
        }
        json_decref(now);
        json_decref(field ? next : rows);
        now = field ? rows : next;
    }
    json_decref(now);
    return rc;
}

enum ia_rc ia_oracle_check(const char *rule, const char *state, struct ia_err *err)
{
    struct ia_oracle_rule r;
    enum ia_rc rc = ia_oracle_read(rule, &r, err);
    json_t *known = rc == IA_OK && state ? json_loads(state, 0, NULL) : NULL;
    if (known) {
        rc = check_path(known, &r.path, err);
    }
    if (known && rc == IA_OK) {
        rc = check_path(known, &r.from, err);
    }
    json_decref(known);
    ia_oracle_rule_fini(&r);
    return rc;
}

bool ia_oracle_tells_why(const char *rule)
{
    struct ia_oracle_rule r;
    bool yes = ia_oracle_read(rule, &r, NULL) == IA_OK &&
               (r.op == IA_ORACLE_ANSWER || r.op == IA_ORACLE_SEEN);
    ia_oracle_rule_fini(&r);
    return yes;
}
