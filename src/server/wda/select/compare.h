/* compare.h: the operators of a predicate on two values, as Foundation's NSComparisonPredicate has them.
 *
 * Numbers and truth values compare as numbers, texts as texts; a number never equals a text, and what
 * cannot be compared is unequal and in no order. Texts are compared as they are: who wants to disregard
 * case or accents folds them before (base/textfold.h). */
#ifndef IA_SERVER_WDA_SELECT_COMPARE_H
#define IA_SERVER_WDA_SELECT_COMPARE_H

#include "server/wda/select/effort.h"
#include "server/wda/select/node.h"

enum ia_wda_op {
    IA_WDA_EQUAL,
    IA_WDA_UNEQUAL,
    IA_WDA_LESS,
    IA_WDA_AT_MOST,
    IA_WDA_MORE,
    IA_WDA_AT_LEAST,
    IA_WDA_IN, /* a list, or within a text */
    IA_WDA_BETWEEN,
    IA_WDA_BEGINSWITH,
    IA_WDA_CONTAINS,
    IA_WDA_ENDSWITH,
    IA_WDA_LIKE,   /* the whole text; * is any, ? is one character */
    IA_WDA_MATCHES /* a pattern (pattern.h) */
};

/* All but BETWEEN and MATCHES, which take more than two values; IN is of texts here. */
bool ia_wda_compare(enum ia_wda_op op, const struct ia_wda_value *a,
                    const struct ia_wda_value *b, struct ia_wda_effort *effort);

#endif
