/* utf8.h: the UTF-8 questions the program asks. */
#ifndef IA_BASE_UTF8_H
#define IA_BASE_UTF8_H

#include "base/base.h"

/* Bytes of the valid sequence at p (1 to 4), or 0 when there is none within n bytes. Overlong
 * forms, surrogates and values above U+10FFFF are not valid (RFC 3629). */
size_t ia_utf8_valid_len(const char *p, size_t n);
/* Whether all of it is valid and has no control characters but these. */
bool ia_utf8_printable(struct ia_str text, const char *controls);
/* How many characters it has; a byte of what is not valid counts as one. */
int ia_utf8_count(struct ia_str text);
/* The largest m <= n such that s[0..m) does not end inside a sequence. */
size_t ia_utf8_cut(const char *s, size_t n);
/* Decodes the valid sequence at p (see above) into a code point. */
uint32_t ia_utf8_decode(const char *p, size_t len);
/* Encodes cp (at most U+10FFFF) and returns how many bytes were written. */
size_t ia_utf8_encode(uint32_t cp, char dst[4]);

#endif
