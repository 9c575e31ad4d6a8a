/* predicate.h: a subset of Apple's predicate format (Predicate Programming Guide, "Predicate Format
 * String Syntax"), over the attributes of an element.
 *
 *   pred = and *( ("OR" / "||") and )
 *   and  = not *( ("AND" / "&&") not )
 *   not  = ("NOT" / "!") not / "(" pred ")" / TRUEPREDICATE / FALSEPREDICATE / cmp
 *   cmp  = expr op [ "[" 1*("c"/"d"/"n"/"l") "]" ] expr
 *   op   = == = != <> < <= =< > >= => IN BETWEEN BEGINSWITH CONTAINS ENDSWITH LIKE MATCHES
 *   expr = string / number / YES NO TRUE FALSE NULL NIL / key *( "." key ) / "(" expr ")"
 *        / "{" expr *( "," expr ) "}"
 *
 * Keywords in any case; strings in either quote, a backslash takes the next character as it is. Keys are
 * attributes (node.h); rect.x, frame.size.width, label.length and value.intValue go on from there. [c] and
 * [d] disregard case and accents. MATCHES wants a pattern that is written out, and matches the whole text.
 * A null is equal to a null and in no other relation. */
#ifndef IA_SERVER_WDA_SELECT_PREDICATE_H
#define IA_SERVER_WDA_SELECT_PREDICATE_H

#include "server/wda/select/effort.h"
#include "server/wda/select/node.h"

/* Brackets and NOTs in each other. */
enum { IA_WDA_PREDICATE_DEPTH_MAX = 100 };

struct ia_wda_predicate;

/* Parses valid UTF-8 without NUL. Errors: IA_E_STATE "Unable to parse the format string …" with the place,
 * IA_E_NOT_FOUND an unknown attribute, IA_E_MISSING. Free with _free. Read-only after: any thread. */
enum ia_rc ia_wda_predicate_new(struct ia_str text, struct ia_wda_predicate **ret,
                                struct ia_err *err);
void ia_wda_predicate_free(struct ia_wda_predicate *p);

/* Whether it holds for an element. Once the effort is spent, the answer means nothing. */
bool ia_wda_predicate_holds(const struct ia_wda_predicate *p, const struct ia_wda_screen *s,
                            int32_t node, struct ia_wda_effort *effort);

#endif
