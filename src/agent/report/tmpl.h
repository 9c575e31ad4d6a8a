/* tmpl.h: fills a template, which is a file of the report's assets.
 *
 *   {{name}}              the value, escaped for markup
 *   {{&name}}             the value as it is: markup that was built from templates
 *   {{#name}}…{{/name}}   the part, when the value is not empty
 *   {{^name}}…{{/name}}   the part, when it is
 *
 * Parts may nest. A name that the caller does not give is empty. */
#ifndef IA_AGENT_REPORT_TMPL_H
#define IA_AGENT_REPORT_TMPL_H

#include "base/buf.h"

struct ia_tmpl_var {
    const char *name; /* NULL ends a list */
    struct ia_str value;
};
#define IA_VAR(n, text) ((struct ia_tmpl_var){(n), ia_str(text)})
#define IA_VAR_BUF(n, b) ((struct ia_tmpl_var){(n), ia_buf_str(b)})
#define IA_VAR_IF(n, cond) ((struct ia_tmpl_var){(n), ia_str((cond) ? "1" : "")})

/* asset is the name of a file; that it exists and is well-formed is
 * certain (a test fills all). */
void ia_tmpl(struct ia_buf *out, const char *asset, const struct ia_tmpl_var *vars);
/* The file's text. */
struct ia_str ia_tmpl_asset(const char *asset);

#endif
