/* doctor.c: GET /v1/doctor: every part checked as a command would use it, by the command itself: it asks
 * this daemon over its socket, so that it cannot go another way. */
#include "server/api/handlers.h"
#include "server/api/own.h"

enum { DOCTOR_MS = 120000 };

/* Checks that failed are an answer: the result says which, and why. */
enum ia_rc ia_api_doctor(struct ia_api_call *call, struct ia_err *err)
{
    struct ia_own own;
    enum ia_rc rc = ia_own_init(&own, call, "doctor", err);
    if (rc == IA_OK) {
        struct ia_spawn_result r;
        ia_own_add(&own, "--json");
        struct ia_spawn spawn = ia_own_spawn(&own);
        spawn.timeout_ms = DOCTOR_MS;
        spawn.cancel = ia_http_cancel(call->http);
        rc = ia_spawn_run(&spawn, &r, err);
        if (rc == IA_OK) {
            rc = ia_own_answer(call, &r, err);
        }
        ia_spawn_result_fini(&r);
    }
    ia_own_fini(&own);
    return call->result.len > 0 ? IA_OK : rc;
}
