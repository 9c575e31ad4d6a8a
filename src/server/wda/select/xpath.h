/* xpath.h: XPath 1.0 over a subtree, by libxml2 as in WebDriverAgent (FBXPath.m, FBXPathExtensions.m).
 *
 * The document's root is the element where the search begins; an element is named by its type, and has
 * those attributes alone that the expression mentions as "@name" (all of them for "@*"): type, value,
 * name, label, enabled, visible, accessible, nativeAccessibilityElement, x, y, width, height, index, hittable,
 * placeholderValue, traits, nativeFrame. Beside XPath's own functions there are
 *
 *   matches(text, pattern [, flags])      tokenize(text [, pattern])     ends-with(text, end)
 *   replace(text, pattern, with [, flags])  string-join(nodes or tokens, between)
 *   lower-case(text)  upper-case(text)
 *
 * Patterns are pattern.h's, of the flags imsx only i does something; "$1" in `with` is a group. */
#ifndef IA_SERVER_WDA_SELECT_XPATH_H
#define IA_SERVER_WDA_SELECT_XPATH_H

#include "server/wda/select/effort.h"
#include "server/wda/select/node.h"

/* Brackets in each other, and words and signs of an expression: libxml2 goes down its stack for both. */
enum { IA_WDA_XPATH_DEPTH_MAX = 50, IA_WDA_XPATH_WORDS_MAX = 1000 };

/* Appends the elements of the result, in pre-order; attributes, texts and numbers are none. text is valid
 * UTF-8 without NUL. IA_E_PARSE "Cannot evaluate results for XPath expression …", IA_E_TIMEOUT, IA_E_MISSING. */
enum ia_rc ia_wda_xpath_find(const struct ia_wda_screen *s, int32_t under, struct ia_str text,
                             struct ia_wda_effort *effort, struct ia_wda_nodes *ret,
                             struct ia_err *err);

#endif
