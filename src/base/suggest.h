/* suggest.h: the nearest known word, for "did you mean". */
#ifndef IA_BASE_SUGGEST_H
#define IA_BASE_SUGGEST_H

#include "base/base.h"

/* Words longer than this are never near to anything. */
enum { IA_SUGGEST_MAX = 64 };

/* How many single edits (insert, delete, replace, swap of neighbours) lead from a to b, without
 * regard to ASCII case; SIZE_MAX when either is longer than IA_SUGGEST_MAX bytes. */
size_t ia_edit_distance(struct ia_str a, struct ia_str b);

/* The word nearest to `word`, or NULL when none is near (more than a third of its bytes differ,
 * at least 2 edits being allowed). The first of several equally near. Borrowed from words. */
const char *ia_nearest(struct ia_str word, const char *const *words, size_t count);

#endif
