/* compare.c: one function for numbers, one for texts. */
#include "server/wda/select/compare.h"

#include "base/utf8.h"

#include <string.h>

static bool is_number(const struct ia_wda_value *v)
{
    return v->is == IA_WDA_BOOL || v->is == IA_WDA_NUMBER;
}

static double number_of(const struct ia_wda_value *v)
{
    return v->is == IA_WDA_BOOL ? v->truth : v->number;
}

/* order: below 0, 0 or above 0. */
static bool in_order(enum ia_wda_op op, int order)
{
    switch (op) {
    case IA_WDA_EQUAL:
        return order == 0;
    case IA_WDA_UNEQUAL:
        return order != 0;
    case IA_WDA_LESS:
        return order < 0;
    case IA_WDA_AT_MOST:
        return order <= 0;
    case IA_WDA_MORE:
        return order > 0;
    case IA_WDA_AT_LEAST:
        return order >= 0;
    default:
        return false;
    }
}

static int order_of(struct ia_str a, struct ia_str b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int order = n ? memcmp(a.p, b.p, n) : 0;
    return order ? order : (a.n > b.n) - (a.n < b.n);
}

static bool contains(struct ia_str text, struct ia_str part)
{
    return part.n == 0 || (text.n >= part.n && memmem(text.p, text.n, part.p, part.n));
}

static bool ends(struct ia_str text, struct ia_str part)
{
    return text.n >= part.n &&
           order_of((struct ia_str){text.p + text.n - part.n, part.n}, part) == 0;
}

/* The length of the character at i; 1 for a byte that is none. */
static size_t step(struct ia_str s, size_t i)
{
    size_t n = ia_utf8_valid_len(s.p + i, s.n - i);
    return n ? n : 1;
}

/* Goes back to the newest star only, which is enough: an earlier one could only take more of the text. */
static bool like(struct ia_str text, struct ia_str mask, struct ia_wda_effort *effort)
{
    size_t t = 0, m = 0;
    size_t star = SIZE_MAX,
           behind = 0; /* the mask after the newest star, and the text it goes on with */
    while (t < text.n) {
        if (m < mask.n && mask.p[m] == '*') {
            star = ++m;
            behind = t;
        } else if (m < mask.n && mask.p[m] == '?') {
            m++;
            t += step(text, t);
        } else if (m < mask.n && mask.p[m] == text.p[t]) {
            m++;
            t++;
        } else if (star != SIZE_MAX && ia_wda_spend(effort, 1 + t - behind)) {
            behind += step(text, behind);
            t = behind;
            m = star;
        } else {
            return false;
        }
    }
    while (m < mask.n && mask.p[m] == '*') {
        m++;
    }
    return m == mask.n;
}

static bool compare_texts(enum ia_wda_op op, struct ia_str a, struct ia_str b,
                          struct ia_wda_effort *effort)
{
    (void)ia_wda_spend(effort, a.n + b.n);
    switch (op) {
    case IA_WDA_IN:
        return contains(b, a);
    case IA_WDA_BEGINSWITH:
        return ia_str_starts(a, b);
    case IA_WDA_CONTAINS:
        return contains(a, b);
    case IA_WDA_ENDSWITH:
        return ends(a, b);
    case IA_WDA_LIKE:
        return like(a, b, effort);
    default:
        return in_order(op, order_of(a, b));
    }
}

bool ia_wda_compare(enum ia_wda_op op, const struct ia_wda_value *a,
                    const struct ia_wda_value *b, struct ia_wda_effort *effort)
{
    if (a->is == IA_WDA_TEXT && b->is == IA_WDA_TEXT) {
        return compare_texts(op, a->text, b->text, effort);
    }
    if (is_number(a) && is_number(b)) {
        double x = number_of(a), y = number_of(b);
        return in_order(op, (x > y) - (x < y));
    }
    bool both_null = a->is == IA_WDA_NULL && b->is == IA_WDA_NULL;
    return op == IA_WDA_EQUAL ? both_null : op == IA_WDA_UNEQUAL && !both_null;
}
