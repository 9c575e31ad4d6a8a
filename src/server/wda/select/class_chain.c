/* class_chain.c: a chain is a list of items; a search goes through them with a list of elements:
 *
 *   roots ─► what lies below, root by root, each once ─► type, predicates ─► position ─► the next roots */
#include "server/wda/select/class_chain.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "server/wda/select/predicate.h"

#include <stdlib.h>
#include <string.h>

struct filter {
    bool below; /* $: of its descendants */
    struct ia_wda_predicate *predicate;
};

struct item {
    bool descendants;
    enum ia_eltype type; /* IA_EL_ANY: all */
    struct filter *filters;
    size_t filters_n;
    long position; /* 0: all */
};

struct ia_wda_chain {
    struct item *items;
    size_t n;
};

/* ---- parsing ---- */

struct parser {
    struct ia_str text;
    size_t at;
    struct ia_err *err;
};

enum { SHOWN_MAX = 300 };

static int shown(size_t n, const char *p)
{
    return (int)(n <= SHOWN_MAX ? n : ia_utf8_cut(p, SHOWN_MAX));
}

static enum ia_rc refuse(const struct parser *q, const char *what, struct ia_str value,
                         const char *why)
{
    return ia_err_set(q->err, IA_E_PARSE, "Cannot parse class chain query '%.*s'. %s'%.*s'%s",
                      shown(q->text.n, q->text.p), q->text.p, what, shown(value.n, value.p),
                      value.p, why);
}

/* The character at `at`, or the last one at the end. */
static enum ia_rc unexpected(const struct parser *q)
{
    size_t at = q->at < q->text.n ? q->at : q->text.n - (q->text.n > 0);
    while (at > 0 && (q->text.p[at] & 0xC0) == 0x80) {
        at--;
    }
    size_t len = at < q->text.n ? ia_utf8_valid_len(q->text.p + at, q->text.n - at) : 0;
    size_t characters = 0;
    for (size_t i = 0; i < at + len; i++) {
        characters += (q->text.p[i] & 0xC0) != 0x80;
    }
    return ia_err_set(q->err, IA_E_PARSE,
                      "Cannot parse class chain query '%.*s'. Unexpected character detected at "
                      "position %zu:\n%.*s <----",
                      shown(q->text.n, q->text.p), q->text.p, characters,
                      shown(at + len, q->text.p), q->text.p);
}

static char peek(const struct parser *q)
{
    return q->at < q->text.n ? q->text.p[q->at] : '\0';
}

static bool accept(struct parser *q, const char *word)
{
    struct ia_str rest = {q->text.p + q->at, q->text.n - q->at};
    bool is = ia_str_starts(rest, ia_str(word));
    q->at += is ? strlen(word) : 0;
    return is;
}

/* The run of characters from here on that are among these. */
static struct ia_str run_of(struct parser *q, const char *among)
{
    struct ia_str run = {q->text.p + q->at, 0};
    while (peek(q) && strchr(among, peek(q))) {
        q->at++;
        run.n++;
    }
    return run;
}

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

static enum ia_rc read_type(struct parser *q, struct item *item)
{
    if (accept(q, "*")) {
        item->type = IA_EL_ANY;
        return IA_OK;
    }
    struct ia_str name = run_of(q, LETTERS);
    if (name.n == 0) {
        return unexpected(q);
    }
    item->type = ia_wda_type_from_name(name);
    return item->type == IA_EL_COUNT ? refuse(q, "", name, " class name is unknown to WDA")
                                     : IA_OK;
}

/* Behind the first mark: up to the next one that is not doubled, which stays unread. */
static bool read_marked(struct parser *q, char mark, struct ia_buf *out)
{
    for (; q->at < q->text.n; q->at++) {
        char c = peek(q);
        bool doubled = c == mark && q->at + 1 < q->text.n && q->text.p[q->at + 1] == mark;
        if (c == mark && !doubled) {
            return true;
        }
        q->at += doubled;
        ia_buf_putc(out, c);
    }
    return false;
}

static enum ia_rc add_filter(struct parser *q, struct item *item, bool below,
                             struct ia_str text)
{
    struct ia_err why;
    struct filter filter = {.below = below};
    if (item->position != 0) {
        return refuse(q, "Predicate value ", text, " must be set before position value.");
    }
    enum ia_rc rc = ia_wda_predicate_new(text, &filter.predicate, &why);
    if (rc == IA_E_MISSING) {
        return ia_err_set(q->err, rc, "%s", why.msg);
    }
    if (rc != IA_OK) {
        return ia_err_set(q->err, IA_E_PARSE, "Cannot parse class chain query '%.*s'. %s",
                          shown(q->text.n, q->text.p), q->text.p, why.msg);
    }
    item->filters = ia_realloc(item->filters, item->filters_n + 1, sizeof(filter));
    item->filters[item->filters_n++] = filter;
    return IA_OK;
}

static enum ia_rc read_filter(struct parser *q, struct item *item)
{
    char mark = peek(q);
    struct ia_buf text = IA_BUF(q->text.n + 1);
    q->at++;
    bool whole = read_marked(q, mark, &text);
    enum ia_rc rc = IA_OK;
    if (whole) {
        q->at++;
        rc = add_filter(q, item, mark == '$', ia_buf_str(&text));
    } else {
        struct ia_str so_far = {ia_buf_cstr(&text), text.len};
        rc = refuse(q, "Cannot find the end of ", so_far, " predicate value.");
    }
    ia_buf_fini(&text);
    return rc;
}

/* A number that long counts more elements than any tree has. */
enum { DIGITS_MAX = 9 };

static enum ia_rc read_position(struct parser *q, struct item *item)
{
    struct ia_str digits = run_of(q, "-0123456789");
    char room[DIGITS_MAX + 2] = "";
    if (digits.n == 0) {
        return unexpected(q);
    }
    if (item->position != 0) {
        return refuse(q, "Position value ", digits, " is expected to be set only once.");
    }
    size_t dashes = 0;
    for (size_t i = 0; i < digits.n; i++) {
        dashes += digits.p[i] == '-';
    }
    if (digits.n < sizeof(room) && dashes == (digits.p[0] == '-')) {
        memcpy(room, digits.p, digits.n);
    }
    item->position = strtol(room, NULL, 10);
    return item->position == 0
               ? refuse(q, "Position value ", digits,
                        " is expected to be a valid integer number not equal to zero.")
               : IA_OK;
}

static enum ia_rc read_item(struct parser *q, struct item *item)
{
    item->descendants = accept(q, "**/");
    enum ia_rc rc = read_type(q, item);
    while (rc == IA_OK && accept(q, "[")) {
        bool marked = peek(q) == '`' || peek(q) == '$';
        rc = marked ? read_filter(q, item) : read_position(q, item);
        if (rc == IA_OK && !accept(q, "]")) {
            rc = unexpected(q);
        }
    }
    return rc;
}

static struct item *add_item(struct ia_wda_chain *chain)
{
    if ((chain->n & (chain->n + 1)) == 0) { /* room doubles at 0, 1, 3, 7 … */
        chain->items = ia_realloc(chain->items, chain->n * 2 + 1, sizeof(*chain->items));
    }
    struct item *item = &chain->items[chain->n++];
    *item = (struct item){0};
    return item;
}

enum ia_rc ia_wda_chain_new(struct ia_str text, struct ia_wda_chain **ret, struct ia_err *err)
{
    struct ia_wda_chain *chain = ia_calloc(1, sizeof(*chain));
    struct parser q = {.text = {text.p ? text.p : "", text.n}, .err = err};
    enum ia_rc rc = read_item(&q, add_item(chain));
    while (rc == IA_OK && q.at < text.n) {
        rc = accept(&q, "/") ? read_item(&q, add_item(chain)) : unexpected(&q);
    }
    if (rc != IA_OK) {
        ia_wda_chain_free(chain);
        return rc;
    }
    *ret = chain;
    return IA_OK;
}

void ia_wda_chain_free(struct ia_wda_chain *chain)
{
    if (!chain) {
        return;
    }
    for (size_t i = 0; i < chain->n; i++) {
        for (size_t k = 0; k < chain->items[i].filters_n; k++) {
            ia_wda_predicate_free(chain->items[i].filters[k].predicate);
        }
        free(chain->items[i].filters);
    }
    free(chain->items);
    free(chain);
}

size_t ia_wda_chain_items(const struct ia_wda_chain *chain)
{
    return chain->n;
}

/* ---- searching ---- */

struct search {
    const struct ia_wda_screen *s;
    struct ia_wda_effort *effort;
    struct ia_wda_nodes roots, next;
    uint8_t *seen;  /* was a candidate for this item already */
    int32_t *holds; /* before how many elements the predicate of a $ holds */
    int32_t from, end;
};

static void add_candidate(struct search *q, const struct item *item, int32_t at)
{
    bool fits = item->type == IA_EL_ANY || q->s->nodes[at].node->type == item->type;
    if (!q->seen[at] && fits) {
        ia_wda_nodes_add(&q->next, at);
    }
    q->seen[at] = 1;
}

/* Root by root. A root that was a candidate itself is below another one, and so is all below it. */
static void add_candidates(struct search *q, const struct item *item)
{
    const struct ia_wda_node *nodes = q->s->nodes;
    memset(q->seen + q->from, 0, (size_t)(q->end - q->from));
    q->next.n = 0;
    for (int32_t i = 0; i < q->roots.n; i++) {
        int32_t root = q->roots.at[i];
        bool known = item->descendants && q->seen[root];
        int32_t end = known ? root : nodes[root].end;
        for (int32_t at = root + 1; at < end; at = item->descendants ? at + 1 : nodes[at].end) {
            add_candidate(q, item, at);
        }
        (void)ia_wda_spend(q->effort, (size_t)(end - root));
    }
}

/* How often it holds before each element, so that a difference is how often within a subtree. */
static void count_holds(struct search *q, const struct ia_wda_predicate *predicate)
{
    int32_t n = 0;
    for (int32_t i = q->from; i < q->end && ia_wda_spend(q->effort, 1); i++) {
        q->holds[i] = n;
        n += ia_wda_predicate_holds(predicate, q->s, i, q->effort);
    }
    q->holds[q->end] = n;
}

static void filter(struct search *q, const struct filter *f)
{
    int32_t kept = 0;
    if (f->below) {
        count_holds(q, f->predicate);
    }
    for (int32_t i = 0; i < q->next.n && ia_wda_spend(q->effort, 1); i++) {
        int32_t at = q->next.at[i];
        bool keep = f->below ? q->holds[q->s->nodes[at].end] > q->holds[at + 1]
                             : ia_wda_predicate_holds(f->predicate, q->s, at, q->effort);
        q->next.at[kept] = at;
        kept += keep;
    }
    q->next.n = kept;
}

static void keep_position(struct ia_wda_nodes *list, long position)
{
    long at = position > 0 ? position - 1 : list->n + position;
    bool there = at >= 0 && at < list->n;
    if (there) {
        list->at[0] = list->at[at];
    }
    list->n = there;
}

static void search(struct search *q, const struct item *item)
{
    add_candidates(q, item);
    for (size_t i = 0; i < item->filters_n; i++) {
        filter(q, &item->filters[i]);
    }
    if (item->position != 0) {
        keep_position(&q->next, item->position);
    }
    struct ia_wda_nodes roots = q->next;
    q->next = q->roots;
    q->roots = roots;
}

void ia_wda_chain_find(const struct ia_wda_chain *chain, const struct ia_wda_screen *s,
                       int32_t under, struct ia_wda_effort *effort, struct ia_wda_nodes *ret)
{
    size_t count = (size_t)s->count;
    struct search q = {.s = s, .effort = effort, .from = under, .end = s->nodes[under].end};
    q.seen = ia_calloc(count, sizeof(*q.seen));
    q.holds = ia_calloc(count + 1, sizeof(*q.holds));
    ia_wda_nodes_add(&q.roots, under);
    for (size_t i = 0; i < chain->n && ia_wda_spend(effort, count); i++) {
        search(&q, &chain->items[i]);
    }
    ia_wda_nodes_append(ret, &q.roots);
    ia_wda_nodes_fini(&q.roots);
    ia_wda_nodes_fini(&q.next);
    free(q.seen);
    free(q.holds);
}
