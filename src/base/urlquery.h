/* urlquery.h: parts of a URL. Its query: "scheme:...?name=value&name=value", percent-encoded (RFC 3986). */
#ifndef IA_BASE_URLQUERY_H
#define IA_BASE_URLQUERY_H

#include "base/buf.h"

/* Appends a text so that it may stand as a value: all but letters, digits and "-._~" is encoded. */
void ia_url_escape(struct ia_buf *out, struct ia_str text);
/* Appends the text decoded. False, and nothing appended, where a percent sign is not followed by two hexadecimal digits, or
 * it has a NUL. "+" stays "+". */
bool ia_url_unescape(struct ia_buf *out, struct ia_str text);
/* Appends the decoded value of the first member with that name. "+" stays "+", as URLs of apps have
 * it. False, and nothing appended, where there is none, or a percent sign is not followed by two
 * hexadecimal digits, or the value has a NUL. */
bool ia_url_query(struct ia_str url, const char *name, struct ia_buf *out);
/* Appends what may be shown of a URL whose path or user is a secret: "https://hooks.example/…". */
void ia_url_server(struct ia_buf *out, const char *url);

#endif
