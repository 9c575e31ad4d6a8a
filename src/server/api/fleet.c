/* fleet.c: /v1/fleet: who is in the fleet that the configuration names, and what each does. */
#include "app/fleet/watch.h"
#include "server/api/handlers.h"

enum { WAIT_MS = 1500 };

enum ia_rc ia_api_fleet(struct ia_api_call *call, struct ia_err *err)
{
    (void)err; /* what is wrong with a fleet is the answer */
    ia_fleet_watch_json(call->api->fleet, WAIT_MS, &call->w);
    return IA_OK;
}

enum ia_rc ia_api_fleet_drain(struct ia_api_call *call, struct ia_err *err)
{
    const char *worker = ia_args_text(&call->input, "worker");
    enum ia_rc rc =
        ia_fleet_watch_drain(call->api->fleet, worker, ia_http_cancel(call->http), err);
    if (rc == IA_OK) {
        ia_jsonw_object(&call->w);
        ia_jsonw_kv(&call->w, "draining", worker);
        ia_jsonw_end_object(&call->w);
    }
    return rc;
}
