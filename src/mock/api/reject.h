/* reject.h: why a request is refused, in the shape of the service's errors. */
#ifndef IA_MOCK_API_REJECT_H
#define IA_MOCK_API_REJECT_H

#include "base/base.h"

enum { IA_MOCK_MESSAGE_MAX = 1024 };

struct ia_mock_reject {
    int status;
    const char *type;    /* "invalid_request_error", … ; static */
    const char *reason;  /* name of the rule, for statistics; static */
    const char *details; /* JSON of error.details, or NULL; static */
    char message[IA_MOCK_MESSAGE_MAX];
};

/* Fills a 400 invalid_request_error and returns false, so that a check is one statement. */
bool ia_mock_refuse(struct ia_mock_reject *r, const char *reason, const char *fmt, ...)
    IA_PRINTF(3, 4);
/* The same with another status; the error type follows from it. */
bool ia_mock_refuse_as(struct ia_mock_reject *r, int status, const char *reason,
                       const char *fmt, ...) IA_PRINTF(4, 5);
/* "rate_limit_error" for 429, and so on; "api_error" for what has no type of its own. */
const char *ia_mock_error_type(int status);
/* The other way round; 500 for a type that is not known. */
int ia_mock_error_status(const char *type);

#endif
