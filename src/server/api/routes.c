/* routes.c: the table of routes: what there is, what it takes, and which function answers. */
#include "server/api/handlers.h"

static const struct ia_opt stop_body[] = {
    {.name = "drain",
     .kind = IA_OPT_FLAG,
     .help = "true, the default: what is in hand is finished first; false: it is cancelled"},
    IA_API_OPTS_END};

static const struct ia_opt device_query[] = {
    {.name = "as", .kind = IA_OPT_CHOICE, .value = "cli", .help = "the bytes that it prints"},
    IA_API_OPTS_END};

const struct ia_api_route ia_api_routes[] = {
    {.method = "GET",
     .path = "/v1/daemon",
     .run = ia_api_daemon,
     .flags = IA_API_ALWAYS,
     .summary = "What this daemon is; frozen for all versions.",
     .result = "build, version, api, pid, home, started, idle_in_s, http, lanes, clients"},
    {.method = "POST",
     .path = "/v1/daemon/stop",
     .run = ia_api_daemon_stop,
     .body = stop_body,
     .flags = IA_API_ACTS | IA_API_ALWAYS,
     .summary = "End the daemon.",
     .result = "drain, pid"},
    {.method = "POST",
     .path = "/v1/device/{verb}",
     .run = ia_api_device,
     .query = device_query,
     .flags = IA_API_ANY_BODY | IA_API_VERB,
     .summary = "A command to a device: tap, type, snapshot, …",
     .result = "as the command says"},
    {.path = NULL}};
