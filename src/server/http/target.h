/* target.h: the target of a request line, as it came from the wire: path and query.
 *
 * Strict, since routes compare texts: a path that could mean another one is refused (400) rather than
 * tidied up. Pure. */
#ifndef IA_SERVER_HTTP_TARGET_H
#define IA_SERVER_HTTP_TARGET_H

#include "base/err.h"
#include "server/http/http.h"

struct ia_target {
    char *path; /* decoded */
    size_t members;
    struct {
        const char *name, *value; /* decoded; value is "" where there is no "=" */
    } query[IA_HTTP_QUERY_MAX];
    char *memory; /* of all texts */
};

/* Reads "/path?a=b&c". IA_E_PARSE for anything but an absolute path of visible ASCII; for a "%" that
 * is not followed by two digits; for a path that, decoded, has a control character, a backslash, an
 * encoded "/", an empty segment, "." or ".."; for text that is not UTF-8; and for a query with a NUL, an
 * empty name, a name that comes twice or more than IA_HTTP_QUERY_MAX members. "+" is a space in the
 * query. */
enum ia_rc ia_target_parse(const char *raw, struct ia_target *ret, struct ia_err *err);
void ia_target_fini(struct ia_target *t);
const char *ia_target_query(const struct ia_target *t, const char *name); /* NULL: absent */

#endif
