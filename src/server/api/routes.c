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

#define LIMIT                                                                                  \
    {                                                                                          \
        .name = "limit", .kind = IA_OPT_INT, .min = 1, .max = IA_API_PAGE_MAX, .value = "N",   \
        .help = "at most so many; 50 unless it is given"                                       \
    }

static const struct ia_opt runs_query[] = {
    {.name = "state",
     .kind = IA_OPT_CHOICE,
     .value = "queued|claimed|running|retry_wait|passed|failed|blocked|error|cancelled|"
              "unfinished",
     .help = "only those"},
    {.name = "device", .kind = IA_OPT_TEXT, .value = "DEVICE", .help = "only runs of it"},
    {.name = "before",
     .kind = IA_OPT_TEXT,
     .value = "ID",
     .help = "only older ones than that run"},
    LIMIT,
    IA_API_OPTS_END};

static const struct ia_opt page_query[] = {
    {.name = "after",
     .kind = IA_OPT_INT,
     .max = INT32_MAX,
     .value = "N",
     .help = "only those after that number: `next` of the answer before"},
    LIMIT,
    IA_API_OPTS_END};

static const struct ia_opt say_body[] = {
    {.name = "text",
     .kind = IA_OPT_TEXT,
     .value = "TEXT",
     .help = "what the agent reads with its next turn",
     .required = true},
    {.name = "sender", .kind = IA_OPT_TEXT, .value = "NAME", .help = "who says it"},
    IA_API_OPTS_END};

static const struct ia_opt report_query[] = {{.name = "format",
                                              .kind = IA_OPT_CHOICE,
                                              .value = "json|junit|md|ctrf",
                                              .help = "json unless it is given"},
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
    {.method = "GET",
     .path = "/v1/runs",
     .run = ia_api_runs,
     .query = runs_query,
     .summary = "Runs, the newest first.",
     .result = "runs, as_of"},
    {.method = "POST",
     .path = "/v1/runs",
     .run = ia_api_run_create,
     .flags = IA_API_ACTS | IA_API_ANY_BODY,
     .summary = "Queue a run; the body is a goal with its options.",
     .result = "run"},
    {.method = "GET",
     .path = "/v1/runs/{id}",
     .run = ia_api_run,
     .summary = "One run, by its id, a unique start or end of it, or \"last\".",
     .result = "run, as_of"},
    {.method = "GET",
     .path = "/v1/runs/{id}/steps",
     .run = ia_api_run_steps,
     .query = page_query,
     .summary = "The journal: each tool call with its result.",
     .result = "run, steps, next, as_of"},
    {.method = "GET",
     .path = "/v1/runs/{id}/messages",
     .run = ia_api_run_messages,
     .query = page_query,
     .summary = "The transcript.",
     .result = "run, messages, next, as_of"},
    {.method = "POST",
     .path = "/v1/runs/{id}/cancel",
     .run = ia_api_run_cancel,
     .flags = IA_API_ACTS,
     .summary = "End a run at its next safe moment.",
     .result = "run, cancel"},
    {.method = "POST",
     .path = "/v1/runs/{id}/say",
     .run = ia_api_run_say,
     .body = say_body,
     .flags = IA_API_ACTS,
     .summary = "Leave a message for a run.",
     .result = "run, state"},
    {.method = "POST",
     .path = "/v1/runs/{id}/resume",
     .run = ia_api_run_resume,
     .flags = IA_API_ACTS,
     .summary = "Go on at once with a run that waits.",
     .result = "run, state"},
    {.method = "GET",
     .path = "/v1/runs/{id}/report",
     .run = ia_api_report,
     .query = report_query,
     .flags = IA_API_RAW,
     .summary = "The report of a run as a file.",
     .result = NULL},
    {.path = NULL}};
