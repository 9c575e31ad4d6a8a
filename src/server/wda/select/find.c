/* find.c: the table of locator strategies, and those that compare one attribute. */
#include "server/wda/select/find.h"

#include "base/utf8.h"
#include "server/wda/select/class_chain.h"
#include "server/wda/select/compare.h"
#include "server/wda/select/predicate.h"
#include "server/wda/select/scan.h"
#include "server/wda/select/xpath.h"

#include <string.h>

struct search {
    const struct ia_wda_screen *s;
    int32_t under;
    struct ia_str value;
    bool first;
    struct ia_wda_effort effort;
    struct ia_wda_nodes *ret;
    int32_t had; /* what was in it before */
};

static enum ia_rc scan(struct search *q, ia_wda_match_fn *holds, void *ctx, struct ia_err *err)
{
    struct ia_wda_match match = {holds, ctx};
    ia_wda_scan(q->s, q->under, q->s->nodes[q->under].end, &match, q->first, &q->effort,
                q->ret);
    return ia_wda_effort_check(&q->effort, err);
}

static bool is_named(void *ctx, const struct ia_wda_screen *s, int32_t node,
                     struct ia_wda_effort *effort)
{
    (void)effort;
    const struct ia_str *name = ctx;
    const char *is = ia_wda_name(s->nodes[node].node);
    return is && ia_str_is(*name, is);
}

static enum ia_rc by_name(struct search *q, struct ia_err *err)
{
    return scan(q, is_named, &q->value, err);
}

static bool is_typed(void *ctx, const struct ia_wda_screen *s, int32_t node,
                     struct ia_wda_effort *effort)
{
    (void)effort;
    const enum ia_eltype *type = ctx;
    return *type == IA_EL_ANY || s->nodes[node].node->type == *type;
}

static enum ia_rc by_class(struct search *q, struct ia_err *err)
{
    enum ia_eltype type = ia_wda_type_from_name(q->value);
    if (type == IA_EL_COUNT) {
        int n = (int)(q->value.n > 200 ? 200 : q->value.n);
        return ia_err_set(
            err, IA_E_USAGE,
            "Invalid argument for class used '%.*s'. Did you mean XCUIElementType%.*s?", n,
            q->value.p, n, q->value.p);
    }
    return scan(q, is_typed, &type, err);
}

struct link_text {
    enum ia_wda_attribute attribute;
    enum ia_wda_op op;
    struct ia_wda_value value;
};

static bool is_linked(void *ctx, const struct ia_wda_screen *s, int32_t node,
                      struct ia_wda_effort *effort)
{
    const struct link_text *link = ctx;
    struct ia_wda_value is;
    ia_wda_get(s, node, link->attribute, &is);
    return ia_wda_compare(link->op, &is, &link->value, effort);
}

static const char *last_of(struct ia_str s, char c)
{
    for (size_t i = s.n; i > 0; i--) {
        if (s.p[i - 1] == c) {
            return &s.p[i - 1];
        }
    }
    return NULL;
}

/* The attribute's name goes up to the first "=", its value begins after the last. */
static enum ia_rc by_link(struct search *q, enum ia_wda_op op, struct ia_err *err)
{
    struct ia_str name = ia_str("name");
    struct link_text link = {.op = op, .value = {.is = IA_WDA_TEXT, .text = q->value}};
    const char *last = last_of(q->value, '=');
    if (last) {
        const char *first = memchr(q->value.p, '=', q->value.n);
        name = (struct ia_str){q->value.p, (size_t)(first - q->value.p)};
        link.value.text =
            (struct ia_str){last + 1, (size_t)(q->value.p + q->value.n - last - 1)};
    }
    enum ia_rc rc = ia_wda_attribute(name, &link.attribute, err);
    return rc == IA_OK ? scan(q, is_linked, &link, err) : rc;
}

static enum ia_rc by_link_text(struct search *q, struct ia_err *err)
{
    return by_link(q, IA_WDA_EQUAL, err);
}

static enum ia_rc by_partial_link_text(struct search *q, struct ia_err *err)
{
    return by_link(q, IA_WDA_CONTAINS, err);
}

static bool holds(void *ctx, const struct ia_wda_screen *s, int32_t node,
                  struct ia_wda_effort *effort)
{
    return ia_wda_predicate_holds(ctx, s, node, effort);
}

static enum ia_rc by_predicate(struct search *q, struct ia_err *err)
{
    struct ia_wda_predicate *p = NULL;
    enum ia_rc rc = ia_wda_predicate_new(q->value, &p, err);
    rc = rc == IA_OK ? scan(q, holds, p, err) : rc;
    ia_wda_predicate_free(p);
    return rc;
}

/* Its positions count in all that is found, so all of it is. */
static enum ia_rc by_chain(struct search *q, struct ia_err *err)
{
    struct ia_wda_chain *chain = NULL;
    enum ia_rc rc = ia_wda_chain_new(q->value, &chain, err);
    if (rc == IA_OK) {
        ia_wda_chain_find(chain, q->s, q->under, &q->effort, q->ret);
        rc = ia_wda_effort_check(&q->effort, err);
    }
    ia_wda_chain_free(chain);
    return rc;
}

static enum ia_rc by_xpath(struct search *q, struct ia_err *err)
{
    return ia_wda_xpath_find(q->s, q->under, q->value, &q->effort, q->ret, err);
}

static const struct {
    const char *using;
    enum ia_rc (*find)(struct search *q, struct ia_err *err);
} strategies[] = {
    {"accessibility id", by_name},
    {"id", by_name},
    {"name", by_name},
    {"class name", by_class},
    {"link text", by_link_text},
    {"partial link text", by_partial_link_text},
    {"predicate string", by_predicate},
    {"class chain", by_chain},
    {"xpath", by_xpath},
};

/* After a failure nothing, and with `first` no more than that. */
static enum ia_rc found(struct search *q, enum ia_rc rc)
{
    int32_t most = rc != IA_OK ? q->had : q->first ? q->had + 1 : q->ret->n;
    q->ret->n = q->ret->n < most ? q->ret->n : most;
    return rc;
}

/* The languages take it as text without NUL. */
static bool is_text(struct ia_str s)
{
    size_t n = 1;
    for (size_t i = 0; i < s.n; i += n) {
        n = s.p[i] ? ia_utf8_valid_len(s.p + i, s.n - i) : 0;
        if (n == 0) {
            return false;
        }
    }
    return true;
}

enum ia_rc ia_wda_find(const struct ia_wda_screen *s, int32_t under, struct ia_str using,
                       struct ia_str value, bool first, struct ia_wda_nodes *ret,
                       struct ia_err *err)
{
    if (value.n > IA_WDA_SELECTOR_MAX) {
        return ia_err_set(err, IA_E_LIMIT, "a selector of %zu bytes is longer than %d", value.n,
                          IA_WDA_SELECTOR_MAX);
    }
    if (!is_text(value)) {
        return ia_err_set(err, IA_E_USAGE, "a selector is UTF-8 without NUL");
    }
    struct search q = {s, under, value, first, ia_wda_effort(IA_WDA_FIND_MS_MAX), ret, ret->n};
    for (size_t i = 0; i < IA_COUNTOF(strategies); i++) {
        if (ia_str_is(using, strategies[i].using)) {
            return s->count > 0 ? found(&q, strategies[i].find(&q, err)) : IA_OK;
        }
    }
    return ia_err_set(err, IA_E_USAGE, "Invalid locator requested: %.*s",
                      (int)(using.n > 200 ? 200 : using.n), using.p ? using.p : "");
}
