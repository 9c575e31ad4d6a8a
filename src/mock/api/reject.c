/* reject.c: fills a refusal; the error's type follows from the status. */
#include "mock/api/reject.h"

#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    int status;
    const char *type;
} types[] = {
    {400, "invalid_request_error"}, {401, "authentication_error"}, {402, "billing_error"},
    {403, "permission_error"},      {404, "not_found_error"},      {409, "conflict_error"},
    {413, "request_too_large"},     {429, "rate_limit_error"},     {504, "timeout_error"},
    {529, "overloaded_error"},
};

const char *ia_mock_error_type(int status)
{
    for (size_t i = 0; i < IA_COUNTOF(types); i++) {
        if (types[i].status == status) {
            return types[i].type;
        }
    }
    return status >= 400 && status < 500 ? "invalid_request_error" : "api_error";
}

int ia_mock_error_status(const char *type)
{
    for (size_t i = 0; i < IA_COUNTOF(types); i++) {
        if (strcmp(types[i].type, type) == 0) {
            return types[i].status;
        }
    }
    return 500;
}

static void fill(struct ia_mock_reject *r, int status, const char *reason, const char *fmt,
                 va_list args) IA_PRINTF(4, 0);

static void fill(struct ia_mock_reject *r, int status, const char *reason, const char *fmt,
                 va_list args)
{
    r->status = status;
    r->type = ia_mock_error_type(status);
    r->reason = reason;
    r->details = NULL;
    int n = vsnprintf(r->message, sizeof(r->message), fmt, args);
    if (n >= (int)sizeof(r->message)) {
        r->message[ia_utf8_cut(r->message, sizeof(r->message) - 1)] = '\0';
    }
}

bool ia_mock_refuse(struct ia_mock_reject *r, const char *reason, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fill(r, 400, reason, fmt, args);
    va_end(args);
    return false;
}

bool ia_mock_refuse_as(struct ia_mock_reject *r, int status, const char *reason,
                       const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fill(r, status, reason, fmt, args);
    va_end(args);
    return false;
}
