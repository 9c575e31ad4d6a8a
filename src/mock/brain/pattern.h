/* pattern.h: the text of a row's pattern. Private to the brain. Pure; patterns are constants of the
 * program and well formed, so nothing here can fail or allocates.
 *
 * A pattern is matched against the words of a clause:
 *   word      that word, in any case; in a long one a slip is forgiven (ia_word_is)
 *   (x|y z)   one of the alternatives      [x|y z]   the same, or nothing
 *   {aT}      a value of type T (values.h) into slot a, b, c or d: as few words as possible
 *   lparen    an opening bracket       comma    a comma
 * Marks that pause (, : - and brackets) may stand between the parts of a pattern. */
#ifndef IA_MOCK_BRAIN_PATTERN_H
#define IA_MOCK_BRAIN_PATTERN_H

#include "base/base.h"

/* The end of a group that begins at p, or of the pattern. */
const char *ia_pattern_group_end(const char *p);
/* Behind the next "|" of the group that ends at `end`; beyond `end` where p is in the last alternative. */
const char *ia_pattern_next_alternative(const char *p, const char *end);
/* Bytes of the literal word at p; 0 for none. */
size_t ia_pattern_literal_len(const char *p);
/* False when the first letter tells that w is not the literal at p: patterns are in lower case. w is not
 * empty. */
bool ia_pattern_may_be(struct ia_str w, const char *p);
/* True when w is the literal of n bytes at p. */
bool ia_pattern_is_literal(struct ia_str w, const char *p, size_t n);
/* True when a pattern can begin with the word. */
bool ia_pattern_begins(const char *p, struct ia_str w);

#endif
