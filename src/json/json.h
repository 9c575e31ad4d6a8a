/* json.h: reading members of a parsed JSON document (jansson) that may be missing or of another
 * type, and passing on JSON that was stored.
 *
 * The readers accept NULL where a value is expected, borrow from the document and never fail:
 * what is missing reads as empty. A caller that must tell "missing" from "empty" asks jansson.
 * Text that is not parsed yet: agent/claude/jscan.h; text to write: base/jsonw.h. */
#ifndef IA_JSON_JSON_H
#define IA_JSON_JSON_H

#include "base/base.h"
#include "base/jsonw.h"

#include <jansson.h>

/* The bytes of a string, which may hold NUL; empty (p is NULL) for everything else. */
struct ia_str ia_json_str(const json_t *value);
/* The same for a member. */
struct ia_str ia_json_field(const json_t *object, const char *key);
/* A member as C text, up to its first NUL; "" unless it is a string. */
const char *ia_json_text(const json_t *object, const char *key);
/* Copies a member that is a string and fits with its NUL; otherwise dst is as it was and the
 * result false. */
bool ia_json_copy(const json_t *object, const char *key, char *dst, size_t size);
/* Whether arrays and objects of the text go no deeper than max, counted in its bytes: for before it is
 * parsed, as a parser goes down a level of its own stack for each. */
bool ia_json_depth_ok(struct ia_str text, int max);
/* Whether it has at most about max values (each costs a parser some hundred bytes), counted likewise. */
bool ia_json_count_ok(struct ia_str text, size_t max);
/* Whether it is one JSON value. */
bool ia_json_ok(struct ia_str text);
/* Writes JSON text that was stored, as it stands; null where it is empty or damaged, so that one bad
 * row does not make the whole output unreadable. */
void ia_json_put(struct ia_jsonw *w, struct ia_str text);

#endif
