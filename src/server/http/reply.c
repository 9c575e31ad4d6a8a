/* reply.c: what a handler says its answer is. */
#include "base/envelope.h"
#include "server/http/http.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ia_http_reply_header(struct ia_http_reply *r, const char *name, const char *fmt, ...)
{
    char value[4096];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(value, sizeof(value), fmt, args);
    va_end(args);
    /* A line break would start a header of the value's making. */
    for (char *p = value; (p = strpbrk(p, "\r\n")) != NULL;) {
        *p = ' ';
    }
    ia_buf_printf(&r->headers, "%s: %s\n", name, value);
}

void ia_http_reply_error(struct ia_http_reply *r, const struct ia_err *err)
{
    r->status = ia_rc_http(err->code);
    r->content_type = NULL;
    ia_buf_reset(&r->body);
    ia_envelope(&r->body, ia_str(""), ia_str(""), err->code, err);
}
