/* class_chain.h: WebDriverAgent's class chain queries. Source: FBClassChainQueryParser.m, its tests
 * (FBClassChainTests.m) and its wiki "Class Chain Queries Construction Rules".
 *
 *   chain = [ "**" "/" ] item *( "/" [ "**" "/" ] item )
 *   item  = ( LETTERS / "*" ) *( "[`" predicate "`]" / "[$" predicate "$]" ) [ "[" [ "-" ] DIGITS "]" ]
 *
 * An item takes the children of what was found so far, with two stars before it all descendants, the
 * first one those of the start. ` keeps elements for which a predicate (predicate.h) holds, $ those with such a
 * descendant; either mark stands for itself when it is doubled. A position counts in what is left then,
 * what lies below one element after what lies below another, from 1, or from -1 at the end. Each
 * element is found once. There is no space outside of predicates. */
#ifndef IA_SERVER_WDA_SELECT_CLASS_CHAIN_H
#define IA_SERVER_WDA_SELECT_CLASS_CHAIN_H

#include "server/wda/select/effort.h"
#include "server/wda/select/node.h"

struct ia_wda_chain;

/* Parses valid UTF-8 without NUL. IA_E_PARSE "Cannot parse class chain query 'Q'. …", also for a bad predicate;
 * IA_E_MISSING. Free with _free. Read-only after: any thread. */
enum ia_rc ia_wda_chain_new(struct ia_str text, struct ia_wda_chain **ret, struct ia_err *err);
void ia_wda_chain_free(struct ia_wda_chain *chain);
/* How many items it has. */
size_t ia_wda_chain_items(const struct ia_wda_chain *chain);
/* Appends what it finds below `under`, which itself is not found, in pre-order. Check the effort after. */
void ia_wda_chain_find(const struct ia_wda_chain *chain, const struct ia_wda_screen *s,
                       int32_t under, struct ia_wda_effort *effort, struct ia_wda_nodes *ret);

#endif
