/* base64.h: bytes as base64 (RFC 4648, section 4), with padding. */
#ifndef IA_BASE_BASE64_H
#define IA_BASE_BASE64_H

#include "base/buf.h"

/* How many characters n bytes become. */
#define IA_BASE64_SIZE(n) (((n) + 2) / 3 * 4)

/* Writes IA_BASE64_SIZE(n) characters to dst, without a NUL, and returns how many. To encode a long
 * text in parts, let n be a multiple of 3 in all parts but the last. */
size_t ia_base64_encode(const void *bytes, size_t n, char *dst);

/* Appends the bytes behind a base64 text, in which white space may stand. False where it is none; what
 * was appended then means nothing. */
bool ia_base64_decode(struct ia_str text, struct ia_buf *out);

#endif
