/* fixture.h: a running double for one test. */
#ifndef IA_TESTS_UNIT_MOCK_FIXTURE_H
#define IA_TESTS_UNIT_MOCK_FIXTURE_H

#include "http.h"
#include "mock/server/mock.h"

/* Starts a double; fails the test when that fails. script with ' for ", or NULL for the demo
 * brain. */
struct ia_mock *start_double(const char *script, const char *faults);
/* A counter of the double by path, "rejected.auth_wrong"; 0 when it was never counted. */
long long counted(struct ia_mock *m, const char *path);

/* A script that says "ok" for ever. */
#define ALWAYS_OK "{'turns':[{'repeat':true,'blocks':[{'text':'ok'}]}]}"

#endif
