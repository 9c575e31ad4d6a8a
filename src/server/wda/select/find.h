/* find.h: elements by one of WebDriverAgent's locator strategies.
 *
 *   accessibility id, id, name   the attribute name is the value
 *   class name                   "XCUIElementTypeButton"; XCUIElementTypeAny is any
 *   link text                    "attribute=value", or a value of name
 *   partial link text            the same, where the attribute contains it
 *   predicate string             predicate.h
 *   class chain                  class_chain.h
 *   xpath                        xpath.h
 *
 * Where it starts and in which order: XCUIElement+FBFind.m. Elements come in pre-order; `under` itself
 * counts, and so is the first, for all but class chain (which begins below it) and xpath (which is
 * told where to look by its path). */
#ifndef IA_SERVER_WDA_SELECT_FIND_H
#define IA_SERVER_WDA_SELECT_FIND_H

#include "server/wda/select/node.h"

/* A longer value is refused. */
enum { IA_WDA_SELECTOR_MAX = 16384 };
/* How long one search may take; some patterns would take for ever. */
enum { IA_WDA_FIND_MS_MAX = 3000 };

/* Appends what is found in the subtree of `under` (an element of s; 0: everywhere) to *ret, which the
 * caller began as {0} and frees; nothing found is IA_OK. With `first` it is one at most. Errors, of which
 * node.h has the WebDriver errors: IA_E_USAGE "Invalid locator requested: X", or a class that there
 * cannot be; IA_E_NOT_FOUND an unknown attribute; IA_E_STATE a bad predicate; IA_E_PARSE a bad class
 * chain or XPath; IA_E_TIMEOUT; IA_E_LIMIT; IA_E_MISSING a library. Any thread. */
enum ia_rc ia_wda_find(const struct ia_wda_screen *s, int32_t under, struct ia_str using,
                       struct ia_str value, bool first, struct ia_wda_nodes *ret,
                       struct ia_err *err);

#endif
