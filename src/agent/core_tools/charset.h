/* charset.h: bytes in one of the web's encodings as UTF-8. */
#ifndef IA_AGENT_CORE_TOOLS_CHARSET_H
#define IA_AGENT_CORE_TOOLS_CHARSET_H

#include "base/buf.h"
#include "base/err.h"

/* Appends bytes as UTF-8; what does not fit the encoding becomes U+FFFD. charset is lower case. Only the
 * encodings of a table are tried, whatever else the system's iconv could load: IA_E_UNSUPPORTED for
 * others, IA_E_MISSING without glib. */
enum ia_rc ia_charset_decode(const char *charset, struct ia_str bytes, struct ia_buf *out,
                             struct ia_err *err);

/* The charset that a page is in: what the header says, else its byte order mark, else what its first
 * 1,024 bytes declare, else UTF-8 where it is that, else Windows-1252. In ret, lower case. */
void ia_charset_of(const char *header, struct ia_str bytes, char *ret, size_t size);

#endif
