/* faults.h: faults on demand. The grammar of a fault list is in mock.h. Pure. */
#ifndef IA_MOCK_SERVER_FAULTS_H
#define IA_MOCK_SERVER_FAULTS_H

#include "base/err.h"

enum ia_mock_fault_kind {
    IA_MOCK_FAULT_STATUS, /* an error answer */
    IA_MOCK_FAULT_HTML,   /* an error answer that is not JSON */
    IA_MOCK_FAULT_ERROR_EVENT,
    IA_MOCK_FAULT_CUT,
    IA_MOCK_FAULT_RESET,
    IA_MOCK_FAULT_STALL,
    IA_MOCK_FAULT_GARBAGE
};

enum { IA_MOCK_FAULTS_MAX = 32, IA_MOCK_FAULT_TYPE_MAX = 40 };

struct ia_mock_fault {
    const char *name; /* static */
    enum ia_mock_fault_kind kind;
    int status;
    const char *details; /* JSON of error.details, or NULL; static */
    int64_t first, last; /* requests it may strike, counted from 1 */
    double probability;
    int64_t frame;
    double retry_after_s;              /* -1: no header */
    double retry_after_ms;             /* -1: no header */
    int should_retry;                  /* -1: as the service does, else 0 or 1 */
    int64_t stall_ms;                  /* -1: until the client goes */
    char type[IA_MOCK_FAULT_TYPE_MAX]; /* of an error event */
};

struct ia_mock_faults {
    struct ia_mock_fault rules[IA_MOCK_FAULTS_MAX];
    size_t count;
};

/* spec NULL or empty: none. IA_E_USAGE names the entry and its byte position. */
enum ia_rc ia_mock_faults_parse(const char *spec, struct ia_mock_faults *ret,
                                struct ia_err *err);
/* The first rule that strikes the request with that number, or NULL. rnd is a random number. */
const struct ia_mock_fault *ia_mock_faults_pick(const struct ia_mock_faults *f, int64_t request,
                                                uint64_t rnd);

#endif
