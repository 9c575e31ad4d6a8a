/* predicate.c: a predicate is parsed once into a program without branches back:
 *
 *     a AND (b OR NOT c)      test a; if false: end; test b; if true: end; test c; not; end
 *
 * A bracket may hold a predicate or an expression, and which is known only behind it; so the parser
 * goes through it once and says what it was. */
#include "server/wda/select/predicate.h"

#include "base/textfold.h"
#include "base/utf8.h"
#include "server/wda/select/lex.h"
#include "server/wda/select/operand.h"
#include "server/wda/select/pattern.h"

#include <stdlib.h>
#include <string.h>

enum step_kind { STEP_TEST, STEP_CONSTANT, STEP_NOT, STEP_END_IF };

struct step {
    enum step_kind kind;
    bool truth;  /* STEP_CONSTANT; STEP_END_IF: go on at `to` when the answer so far is this */
    size_t to;   /* STEP_END_IF */
    size_t test; /* STEP_TEST: which */
};

struct test {
    enum ia_wda_op op;
    bool no_case, no_marks;
    struct ia_wda_operand left, right;
    struct ia_wda_pattern *pattern; /* MATCHES */
};

struct ia_wda_predicate {
    struct step *steps;
    size_t steps_n, steps_cap;
    struct test *tests;
    size_t tests_n, tests_cap;
};

/* What stands in a bracket, or between two ANDs. */
enum found { FOUND_PREDICATE, FOUND_OPERAND };

struct parser {
    struct ia_str text;
    size_t at;                 /* behind the token */
    struct ia_wda_token token; /* the next one */
    struct ia_wda_predicate *p;
    struct ia_wda_operand operand; /* of FOUND_OPERAND */
    int depth;
    enum ia_rc rc; /* after a failure every token is the end */
    struct ia_err *err;
};

static void next(struct parser *q)
{
    if (q->rc == IA_OK) {
        q->token = ia_wda_lex(q->text, &q->at);
    }
}

/* Every token from here on is the end, so that every function of the parser returns. */
static void fail(struct parser *q, enum ia_rc rc)
{
    q->rc = rc;
    q->token = (struct ia_wda_token){.kind = IA_WDA_T_END};
}

static int shown(struct ia_str s, size_t max)
{
    return (int)(s.n <= max ? s.n : ia_utf8_cut(s.p, max));
}

static void unexpected(struct parser *q, const char *what)
{
    if (q->rc != IA_OK) {
        return;
    }
    struct ia_str found = q->token.source;
    ia_err_set(q->err, IA_E_STATE,
               "Unable to parse the format string \"%.*s\": %s at character %zu, before '%.*s'",
               shown(q->text, 400), q->text.p, what, (size_t)(found.p - q->text.p) + 1,
               shown(found, 40), found.p);
    fail(q, IA_E_STATE);
}

static bool accept(struct parser *q, enum ia_wda_token_kind kind)
{
    bool is = q->token.kind == kind && q->rc == IA_OK;
    if (is) {
        next(q);
    }
    return is;
}

static void expect(struct parser *q, enum ia_wda_token_kind kind, const char *what)
{
    if (!accept(q, kind)) {
        unexpected(q, what);
    }
}

static bool deeper(struct parser *q)
{
    if (++q->depth > IA_WDA_PREDICATE_DEPTH_MAX) {
        unexpected(q, "too many brackets in each other");
    }
    return q->rc == IA_OK;
}

/* ---- the program ---- */

static size_t add_step(struct ia_wda_predicate *p, struct step step)
{
    if (p->steps_n == p->steps_cap) {
        p->steps_cap = p->steps_cap ? p->steps_cap * 2 : 16;
        p->steps = ia_realloc(p->steps, p->steps_cap, sizeof(*p->steps));
    }
    p->steps[p->steps_n] = step;
    return p->steps_n++;
}

static struct test *add_test(struct ia_wda_predicate *p)
{
    if (p->tests_n == p->tests_cap) {
        p->tests_cap = p->tests_cap ? p->tests_cap * 2 : 8;
        p->tests = ia_realloc(p->tests, p->tests_cap, sizeof(*p->tests));
    }
    struct test *t = &p->tests[p->tests_n];
    *t = (struct test){0};
    add_step(p, (struct step){.kind = STEP_TEST, .test = p->tests_n++});
    return t;
}

/* ---- operands ---- */

struct folding {
    bool no_case, no_marks;
};

static char *text_of(struct ia_str source, struct folding how)
{
    struct ia_buf plain = IA_BUF(source.n + 1);
    struct ia_buf out = IA_BUF(SIZE_MAX / 2);
    ia_wda_unescape(&plain, source);
    ia_text_fold_letters(&out, ia_buf_str(&plain), how.no_case, how.no_marks);
    ia_buf_fini(&plain);
    ia_buf_puts(&out, "");
    return ia_buf_steal(&out);
}

static bool constant(struct parser *q, struct folding how, struct ia_wda_operand *ret)
{
    const struct ia_wda_token *t = &q->token;
    *ret = (struct ia_wda_operand){.is = IA_WDA_CONSTANT};
    switch (t->kind) {
    case IA_WDA_T_TEXT:
        ret->value.is = IA_WDA_TEXT;
        ret->owned = text_of(t->source, how);
        break;
    case IA_WDA_T_NUMBER:
        ret->value.is = IA_WDA_NUMBER;
        ret->value.number = t->number;
        break;
    case IA_WDA_T_TRUTH:
        ret->value.is = IA_WDA_BOOL;
        ret->value.truth = t->truth;
        break;
    case IA_WDA_T_NULL:
        break;
    default:
        return false;
    }
    next(q);
    return true;
}

static void add_item(struct parser *q, struct folding how, struct ia_wda_operand *list)
{
    struct ia_wda_operand item;
    if (!constant(q, how, &item)) {
        unexpected(q, "a list holds texts and numbers;");
        return;
    }
    list->items = ia_grow(list->items, list->n, sizeof(item));
    list->items[list->n++] = item;
}

static void read_list(struct parser *q, struct folding how, struct ia_wda_operand *ret)
{
    *ret = (struct ia_wda_operand){.is = IA_WDA_LIST};
    if (accept(q, IA_WDA_T_UNBRACE)) {
        return;
    }
    do {
        add_item(q, how, ret);
    } while (accept(q, IA_WDA_T_COMMA));
    expect(q, IA_WDA_T_UNBRACE, "the list has no end");
}

/* One without brackets around it. */
static void read_operand(struct parser *q, struct folding how, struct ia_wda_operand *ret)
{
    if (constant(q, how, ret)) {
        return;
    }
    if (q->token.kind == IA_WDA_T_KEY) {
        enum ia_rc rc = ia_wda_operand_key(q->token.source, ret, q->err);
        if (rc != IA_OK) {
            fail(q, rc);
            return;
        }
        next(q);
    } else if (accept(q, IA_WDA_T_BRACE)) {
        read_list(q, how, ret);
    } else {
        unexpected(q, "there is no value");
    }
}

static void read_right(struct parser *q, struct folding how, struct ia_wda_operand *ret)
{
    int brackets = 0;
    while (q->token.kind == IA_WDA_T_OPEN && deeper(q)) {
        next(q);
        brackets++;
    }
    q->depth -= brackets;
    read_operand(q, how, ret);
    for (; brackets > 0; brackets--) {
        expect(q, IA_WDA_T_CLOSE, "a bracket is not closed");
    }
}

/* ---- comparisons ---- */

static void compile(struct parser *q, struct test *t)
{
    struct ia_err why;
    if (t->right.is != IA_WDA_CONSTANT || t->right.value.is != IA_WDA_TEXT) {
        unexpected(q, "MATCHES wants a pattern in quotes");
        return;
    }
    unsigned flags = IA_WDA_PATTERN_WHOLE | (t->no_case ? IA_WDA_PATTERN_NO_CASE : 0u);
    enum ia_rc rc = ia_wda_pattern_new(ia_str(t->right.owned), flags, &t->pattern, &why);
    if (rc == IA_E_PARSE) {
        unexpected(q, why.msg);
    } else if (rc != IA_OK) {
        ia_err_set(q->err, rc, "%s", why.msg);
        fail(q, rc);
    }
}

static void check(struct parser *q, struct test *t)
{
    bool list = t->right.is == IA_WDA_LIST;
    if (t->left.is == IA_WDA_LIST || (list && t->op != IA_WDA_IN && t->op != IA_WDA_BETWEEN)) {
        unexpected(q, "a list goes behind IN or BETWEEN");
    } else if (t->op == IA_WDA_BETWEEN && t->right.n != 2) {
        unexpected(q, "BETWEEN wants a list of two");
    } else if (t->op == IA_WDA_MATCHES) {
        compile(q, t);
    }
}

/* The token is the operator. Takes the left side over. */
static void read_comparison(struct parser *q, struct ia_wda_operand left)
{
    struct test *t = add_test(q->p);
    t->op = q->token.op;
    t->left = left;
    if (!ia_wda_lex_options(q->text, &q->at, &t->no_case, &t->no_marks)) {
        unexpected(q, "the options may be c, d, n and l");
        return;
    }
    next(q);
    /* A pattern keeps its case: \W is not \w. */
    struct folding how = {t->no_case && t->op != IA_WDA_MATCHES, t->no_marks};
    read_right(q, how, &t->right);
    if (q->rc == IA_OK) {
        check(q, t);
    }
}

/* ---- predicates ---- */

static enum found read_or(struct parser *q, bool operand_will_do);

/* What was an operand so far is one side of a comparison, or all there is. */
static enum found with_operand(struct parser *q, bool operand_will_do)
{
    if (q->token.kind == IA_WDA_T_OP) {
        struct ia_wda_operand left = q->operand;
        q->operand = (struct ia_wda_operand){0};
        read_comparison(q, left);
        return FOUND_PREDICATE;
    }
    if (!operand_will_do) {
        unexpected(q, "there is no comparison");
    }
    return FOUND_OPERAND;
}

static enum found read_bracket(struct parser *q, bool operand_will_do)
{
    enum found found = deeper(q) ? read_or(q, true) : FOUND_PREDICATE;
    q->depth--;
    expect(q, IA_WDA_T_CLOSE, "a bracket is not closed");
    return found == FOUND_OPERAND ? with_operand(q, operand_will_do) : found;
}

static enum found read_not(struct parser *q, bool operand_will_do)
{
    bool invert = false;
    bool negated = false;
    while (accept(q, IA_WDA_T_NOT)) {
        invert = !invert;
        negated = true;
    }
    operand_will_do = operand_will_do && !negated;
    enum found found = FOUND_PREDICATE;
    if (accept(q, IA_WDA_T_OPEN)) {
        found = read_bracket(q, operand_will_do);
    } else if (q->token.kind == IA_WDA_T_ALWAYS) {
        add_step(q->p, (struct step){.kind = STEP_CONSTANT, .truth = q->token.truth});
        next(q);
    } else {
        read_operand(q, (struct folding){0}, &q->operand);
        found = with_operand(q, operand_will_do);
    }
    if (invert) {
        add_step(q->p, (struct step){.kind = STEP_NOT});
    }
    return found;
}

/* Parts with AND or OR between them: behind each but the last the answer may be known. The steps that
 * then go to the end are a chain by their `to` until the end is known. */
static enum found read_series(struct parser *q, enum ia_wda_token_kind between, bool decides,
                              bool operand_will_do,
                              enum found (*part)(struct parser *q, bool operand_will_do))
{
    size_t newest = SIZE_MAX;
    enum found found = part(q, operand_will_do);
    while (found == FOUND_PREDICATE && accept(q, between)) {
        struct step step = {.kind = STEP_END_IF, .truth = decides, .to = newest};
        newest = add_step(q->p, step);
        (void)part(q, false);
    }
    while (newest != SIZE_MAX) {
        struct step *step = &q->p->steps[newest];
        newest = step->to;
        step->to = q->p->steps_n;
    }
    return found;
}

static enum found read_and(struct parser *q, bool operand_will_do)
{
    return read_series(q, IA_WDA_T_AND, false, operand_will_do, read_not);
}

static enum found read_or(struct parser *q, bool operand_will_do)
{
    return read_series(q, IA_WDA_T_OR, true, operand_will_do, read_and);
}

enum ia_rc ia_wda_predicate_new(struct ia_str text, struct ia_wda_predicate **ret,
                                struct ia_err *err)
{
    struct ia_wda_predicate *p = ia_calloc(1, sizeof(*p));
    struct parser q = {.text = {text.p ? text.p : "", text.n}, .p = p, .err = err};
    next(&q);
    (void)read_or(&q, false);
    if (q.token.kind != IA_WDA_T_END) {
        unexpected(&q, "something is left over");
    }
    ia_wda_operand_fini(&q.operand);
    if (q.rc != IA_OK) {
        ia_wda_predicate_free(p);
        return q.rc;
    }
    *ret = p;
    return IA_OK;
}

void ia_wda_predicate_free(struct ia_wda_predicate *p)
{
    if (!p) {
        return;
    }
    for (size_t i = 0; i < p->tests_n; i++) {
        ia_wda_operand_fini(&p->tests[i].left);
        ia_wda_operand_fini(&p->tests[i].right);
        ia_wda_pattern_free(p->tests[i].pattern);
    }
    free(p->tests);
    free(p->steps);
    free(p);
}

/* ---- evaluation ---- */

static void fold(struct ia_wda_value *v, bool no_case, bool no_marks, struct ia_buf *room,
                 struct ia_wda_effort *effort)
{
    if (v->is == IA_WDA_TEXT && (no_case || no_marks)) {
        (void)ia_wda_spend(effort, v->text.n * 4);
        ia_text_fold_letters(room, v->text, no_case, no_marks);
        v->text = (struct ia_str){ia_buf_cstr(room), room->len};
    }
}

static bool in_list(const struct test *t, const struct ia_wda_value *left,
                    struct ia_wda_effort *effort)
{
    struct ia_wda_value item;
    if (t->op == IA_WDA_BETWEEN) {
        ia_wda_operand_get(&t->right.items[0], NULL, 0, &item);
        bool enough = ia_wda_compare(IA_WDA_AT_LEAST, left, &item, effort);
        ia_wda_operand_get(&t->right.items[1], NULL, 0, &item);
        return enough && ia_wda_compare(IA_WDA_AT_MOST, left, &item, effort);
    }
    for (size_t i = 0; i < t->right.n && ia_wda_spend(effort, 1); i++) {
        ia_wda_operand_get(&t->right.items[i], NULL, 0, &item);
        if (ia_wda_compare(IA_WDA_EQUAL, left, &item, effort)) {
            return true;
        }
    }
    return false;
}

static bool matches(const struct test *t, const struct ia_wda_value *left,
                    struct ia_wda_effort *effort)
{
    struct ia_wda_span groups[IA_WDA_GROUPS_MAX];
    return left->is == IA_WDA_TEXT &&
           ia_wda_pattern_find(t->pattern, left->text, 0, effort, groups);
}

/* Constants on the right were folded when they were read. */
static bool test_holds(const struct test *t, const struct ia_wda_screen *s, int32_t node,
                       struct ia_wda_effort *effort)
{
    struct ia_buf room[2] = {IA_BUF(SIZE_MAX / 2), IA_BUF(SIZE_MAX / 2)};
    struct ia_wda_value left, right;
    ia_wda_operand_get(&t->left, s, node, &left);
    fold(&left, t->no_case && t->op != IA_WDA_MATCHES, t->no_marks, &room[0], effort);
    bool holds = false;
    if (t->op == IA_WDA_MATCHES) {
        holds = matches(t, &left, effort);
    } else if (t->right.is == IA_WDA_LIST) {
        holds = in_list(t, &left, effort);
    } else {
        ia_wda_operand_get(&t->right, s, node, &right);
        if (t->right.is == IA_WDA_KEY) {
            fold(&right, t->no_case, t->no_marks, &room[1], effort);
        }
        holds = ia_wda_compare(t->op, &left, &right, effort);
    }
    ia_buf_fini(&room[0]);
    ia_buf_fini(&room[1]);
    return holds;
}

bool ia_wda_predicate_holds(const struct ia_wda_predicate *p, const struct ia_wda_screen *s,
                            int32_t node, struct ia_wda_effort *effort)
{
    bool answer = false;
    for (size_t i = 0; i < p->steps_n && ia_wda_spend(effort, 1); i++) {
        const struct step *step = &p->steps[i];
        switch (step->kind) {
        case STEP_TEST:
            answer = test_holds(&p->tests[step->test], s, node, effort);
            break;
        case STEP_CONSTANT:
            answer = step->truth;
            break;
        case STEP_NOT:
            answer = !answer;
            break;
        case STEP_END_IF:
            i = answer == step->truth ? step->to - 1 : i;
            break;
        }
    }
    return answer;
}
