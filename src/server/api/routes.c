/* routes.c: the table of routes: what there is, what it takes, and which function answers. */
#include "agent/report/stats.h"
#include "server/api/handlers.h"

static const struct ia_opt stop_body[] = {
    IA_FLAG("drain",
            "true, the default: what is in hand is finished first; false: it is cancelled"),
    IA_API_OPTS_END};

static const struct ia_opt device_query[] = {
    IA_OPTION(CHOICE, "as", "cli", "the bytes that it prints"), IA_API_OPTS_END};

/* What every verb takes beside its own. */
static const struct ia_opt device_body[] = {
    IA_OPTION(TEXT, "seen", "HASH",
              "of the frame that the caller goes by: what it did not show is refused"),
    IA_API_OPTS_END};

static const struct ia_opt devices_query[] = {
    IA_FLAG("all", "also simulators that are unavailable or not iOS"), IA_API_OPTS_END};

static const struct ia_opt frame_query[] = {
    IA_OPTION(TEXT, "device", "DEVICE", "as for a command"),
    IA_OPTION(TEXT, "session", "NAME", "as for a command"),
    IA_OPTION(TEXT, "after", "HASH", "of the frame that is known"),
    IA_OPTION(INT, "wait_ms", "N", "how long to wait for another one", .max = 30000),
    IA_API_OPTS_END};

#define LIMIT_TO(most)                                                                         \
    IA_OPTION(INT, "limit", "N", "at most so many; 50 unless it is given", .min = 1,           \
              .max = (most))
#define LIMIT LIMIT_TO(IA_API_PAGE_MAX)

static const struct ia_opt runs_query[] = {
    IA_OPTION(CHOICE, "state", IA_RUN_FILTERS,
              "only those; passed has the replayed and the healed, too"),
    IA_OPTION(TEXT, "device", "DEVICE", "only runs of it"),
    IA_OPTION(TEXT, "agent", "NAME", "only runs of it"),
    IA_OPTION(TEXT, "goal", "GOAL",
              "only runs of the goal with that name or, where none has it, that text"),
    IA_OPTION(TEXT, "sweep", "ID", "only runs of it"),
    IA_OPTION(TEXT, "text", "TEXT", "only runs with it in the name or the text of their goal"),
    IA_OPTION(TEXT, "schedule", "NAME", "only runs of it"),
    IA_OPTION(CHOICE, "top", "1|true", "without those that another run delegated"),
    IA_OPTION(TEXT, "before", "ID", "only older ones than that run"),
    IA_OPTION(INT, "skip", "N", "without the newest N of them", .max = INT32_MAX),
    LIMIT,
    IA_API_OPTS_END};

static const struct ia_opt sweep_body[] = {
    IA_OPTION(PATH, "files", "PATH",
              "goal files and folders; a relative path starts at the caller's folder",
              .repeat = true, .required = true),
    IA_OPTION(TEXT, "tag", "T", "only goals with this tag, and those they need",
              .repeat = true),
    IA_OPTION(TEXT, "goal", "NAME", "only the goal with this name, and those it needs",
              .repeat = true),
    IA_OPTION(TEXT, "var", "NAME=VALUE", "a variable of the goals", .repeat = true),
    IA_OPTION(INT, "jobs", "N", "phones", .min = 1, .max = 64),
    IA_OPTION(TEXT, "device", "NAME", "use this device instead of phones of its own",
              .repeat = true),
    IA_OPTION(INT, "repeat", "N", "run each goal this often", .min = 1, .max = 1000),
    IA_OPTION(INT, "retries", "N", "run a failed goal again", .max = 10),
    IA_FLAG("fail-fast", "start nothing more once a goal did not pass"),
    IA_FLAG("last-failed", "only goals that did not pass the last time"),
    IA_OPTION(REAL, "max-usd", "X", "limit of the whole sweep"),
    IA_OPTION(INT, "max-seconds", "N", "limit of the whole sweep", .max = 86400),
    IA_OPTION(TEXT, "report-dir", "D", "writes reports there"),
    IA_OPTION(TEXT, "model", "ID", "the model that acts"),
    IA_FLAG("demo", "the demo brain answers, which does not reason"),
    IA_API_OPTS_END};

static const struct ia_opt sweeps_query[] = {LIMIT, IA_API_OPTS_END};

static const struct ia_opt stats_query[] = {
    IA_OPTION(INT, "days", "N", "up to today; 30 unless it is given", .min = 1,
              .max = IA_STATS_DAYS_MAX),
    IA_OPTION(INT, "offset_min", "M", "minutes from UTC to the local time whose days are meant",
              .min = -24 * 60, .max = 24 * 60),
    IA_OPTION(TEXT, "agent", "NAME", "only runs of it"),
    IA_OPTION(TEXT, "goal", "GOAL", "as for runs"), IA_API_OPTS_END};

#define AFTER                                                                                  \
    IA_OPTION(INT, "after", "N", "only those after that number: `next` of the answer before",  \
              .max = INT32_MAX)
static const struct ia_opt page_query[] = {AFTER, LIMIT, IA_API_OPTS_END};
static const struct ia_opt run_events_query[] = {AFTER, LIMIT_TO(IA_EVENT_BATCH_MAX),
                                                 IA_API_OPTS_END};

static const struct ia_opt say_body[] = {
    IA_OPTION(TEXT, "text", "TEXT", "what the agent reads with its next turn",
              .required = true),
    IA_OPTION(TEXT, "sender", "NAME", "who says it"), IA_API_OPTS_END};

static const struct ia_opt questions_query[] = {
    IA_FLAG("all", "also those that were answered"),
    IA_OPTION(TEXT, "run", "ID", "only those of this run, by its whole id"), IA_API_OPTS_END};

static const struct ia_opt answer_body[] = {
    IA_OPTION(TEXT, "note", "TEXT",
              "what the agent is told with a denial; kept with the answer"),
    IA_API_OPTS_END};

static const struct ia_opt report_query[] = {
    IA_OPTION(CHOICE, "format", "json|junit|md|ctrf", "json unless it is given"),
    IA_API_OPTS_END};

/* What a schedule is made of but its name and what is run. */
#define SCHEDULE                                                                               \
    IA_OPTION(TEXT, "cron", "EXPR", "\"0 3 * * 1-5\""),                                        \
        IA_OPTION(TEXT, "every", "TIME", "\"30m\""),                                           \
        IA_OPTION(TEXT, "at", "TIME", "once: \"2026-12-01T09:00\""),                           \
        IA_OPTION(TEXT, "tz", "ZONE", "\"Europe/Berlin\""),                                    \
        IA_OPTION(CHOICE, "missed", "latest|all|skip", "which of the missed times run"),       \
        IA_OPTION(CHOICE, "overlap", "skip|queue",                                             \
                  "when it is due while its last run is not over"),                            \
        IA_OPTION(TEXT, "grace", "TIME", "with missed skip: how late it may begin"),           \
        IA_OPTION(TEXT, "if", "COMMAND",                                                       \
                  "runs only when it exits with 0; over the Unix socket only"),                \
        IA_OPTION(TEXT, "notify", "URL",                                                       \
                  "a webhook, or over the Unix socket a command, that hears of each end")

static const struct ia_opt schedule_body[] = {
    IA_OPTION(TEXT, "name", "NAME", "by which it is found", .required = true), SCHEDULE,
    IA_API_OPTS_END};
static const struct ia_opt schedule_patch[] = {SCHEDULE, IA_API_OPTS_END};

static const struct ia_opt agent_body[] = {
    IA_OPTION(TEXT, "model", "MODEL", "empty: the default"),
    IA_OPTION(TEXT, "prompt", "TEXT", "empty: the default"),
    IA_OPTION(TEXT, "tools", "TOOL", "what it may use; an empty list: the device's tools",
              .repeat = true),
    IA_OPTION(TEXT, "role", "TEXT", "what it is for"),
    IA_OPTION(TEXT, "skills", "SKILL", "further tools it has", .repeat = true),
    IA_OPTION(TEXT, "may_call", "AGENT", "agents that it may give subtasks to", .repeat = true),
    IA_OPTION(CHOICE, "memory_kind", IA_AGENT_MEMORY_KINDS, "what it remembers by"),
    IA_OPTION(TEXT, "memory", "TEXT", "what it remembers"),
    IA_API_OPTS_END};

static const struct ia_opt config_body[] = {
    IA_OPTION(TEXT, "key", "SECTION.NAME", "as GET /v1/config has it", .required = true),
    IA_OPTION(TEXT, "value", "TEXT", "as text: \"40\", \"0.5\", \"true\"", .required = true),
    IA_API_OPTS_END};

static const struct ia_opt key_body[] = {
    IA_OPTION(TEXT, "key", "KEY", "is sealed and never shown again", .required = true),
    IA_OPTION(TEXT, "passphrase", "TEXT",
              "seals it instead of the key file; the daemon cannot open it then"),
    IA_API_OPTS_END};

static const struct ia_opt secret_body[] = {
    IA_OPTION(TEXT, "value", "TEXT", "is sealed and never shown again", .required = true),
    IA_API_OPTS_END};

static const struct ia_opt fleet_drain_body[] = {
    IA_OPTION(TEXT, "worker", "NAME", "as GET /v1/fleet names it", .required = true),
    IA_API_OPTS_END};

static const struct ia_opt codes_body[] = {
    IA_OPTION(CHOICE, "scope", "act|view", "what the page may do; act unless given"),
    IA_API_OPTS_END};
static const struct ia_opt login_body[] = {
    IA_OPTION(TEXT, "code", "CODE", "from POST /v1/codes; it works once", .required = true),
    IA_API_OPTS_END};

static const struct ia_opt events_query[] = {
    IA_OPTION(TEXT, "run", "ID", "only events of that run"),
    IA_OPTION(TEXT, "types", "TYPE,…",
              "only events of these types: run.finished,tool.finished"),
    IA_OPTION(TEXT, "device", "DEVICE", "only runs of it"),
    IA_OPTION(
        INT, "after", "N",
        "goes on after that event, as the header Last-Event-ID does; from now on unless given",
        .max = INT64_MAX),
    IA_OPTION(CHOICE, "live", "1|true",
              "also what is not kept, without an id: text.delta, request.started, "
              "picture.taken and notice of runs of this daemon, and command"),
    IA_API_OPTS_END};

static const struct ia_opt recordings_query[] = {
    IA_OPTION(TEXT, "goal", "GOAL", "only those of that goal"),
    IA_OPTION(CHOICE, "state", "candidate|trusted|quarantined|rejected|replaced", "only those"),
    LIMIT, IA_API_OPTS_END};

static const struct ia_opt commands_query[] = {
    IA_OPTION(TEXT, "device", "DEVICE", "only those of it"),
    IA_OPTION(INT, "limit", "N", "at most so many; 50 unless it is given", .min = 1,
              .max = IA_COMMANDS_KEPT),
    IA_API_OPTS_END};

#define GET(the_path, fn, the_query, the_summary, the_result)                                  \
    {                                                                                          \
        .method = "GET", .path = (the_path), .run = (fn), .query = (the_query),                \
        .summary = (the_summary), .result = (the_result)                                       \
    }
#define ACT(the_method, the_path, fn, the_body, more, the_summary, the_result)                 \
    {                                                                                          \
        .method = (the_method), .path = (the_path), .run = (fn), .body = (the_body),           \
        .flags = IA_API_ACTS | (more), .summary = (the_summary), .result = (the_result)        \
    }

const struct ia_api_route ia_api_routes[] = {
    {.method = "GET",
     .path = "/v1/daemon",
     .run = ia_api_daemon,
     .flags = IA_API_ALWAYS,
     .summary = "What this daemon is; frozen for all versions.",
     .result = "build, version, api, pid, home, started, idle_in_s, http, lanes, clients"},
    ACT("POST", "/v1/daemon/stop", ia_api_daemon_stop, stop_body, IA_API_ALWAYS,
        "End the daemon.", "drain, pid"),
    GET("/v1/devices", ia_api_devices, devices_query,
        "What can be driven, and who has what was driven by commands.",
        "simulators, problem, iphones, iphones_problem, embedded, lanes"),
    GET("/v1/device/frame", ia_api_frame, frame_query,
        "The present screen, for who watches it; 204 while it is as known.",
        "hash, device, generation, holder, picture, screen, snapshot, lines"),
    GET("/v1/commands", ia_api_commands, commands_query,
        "The newest commands that anybody gave through this daemon, newest first.", "commands"),
    {.method = "POST",
     .path = "/v1/device/{verb}",
     .run = ia_api_device,
     .query = device_query,
     .body = device_body,
     .flags = IA_API_ANY_BODY | IA_API_VERB,
     .summary = "A command to a device: tap, type, snapshot, …",
     .types = "application/octet-stream"},
    ACT("POST", "/v1/codes", ia_api_codes, codes_body, 0,
        "A one-time code for a page; over the Unix socket only.", "code, url, scope, seconds"),
    {.method = "POST",
     .path = "/v1/login",
     .run = ia_api_login,
     .body = login_body,
     .flags = IA_API_PUBLIC,
     .summary = "Trade a code for a token.",
     .result = "token, scope"},
    GET("/v1/runs", ia_api_runs, runs_query,
        "Runs, the newest first, and how many there are on all pages.", "runs, total, as_of"),
    ACT("POST", "/v1/runs", ia_api_run_create, NULL, IA_API_JOB,
        "Queue a run; the body is a goal with its options.", "run"),
    GET("/v1/runs/{id}", ia_api_run, NULL,
        "One run, by its id, a unique start or end of it, or \"last\", what was asked for, the "
        "runs that it delegated, and what all below it used.",
        "run, job, children, below, as_of"),
    GET("/v1/runs/{id}/tree", ia_api_run_tree, NULL,
        "One run, and as \"children\" those that it delegated, each with its own.",
        "run, children, as_of"),
    GET("/v1/runs/{id}/events", ia_api_run_events, run_events_query,
        "What happened in a run, as it is stored.", "run, events, next, as_of"),
    GET("/v1/runs/{id}/steps", ia_api_run_steps, page_query,
        "The journal: each tool call with its result.", "run, steps, next, as_of"),
    GET("/v1/runs/{id}/messages", ia_api_run_messages, page_query, "The transcript.",
        "run, messages, next, as_of"),
    ACT("POST", "/v1/runs/{id}/cancel", ia_api_run_cancel, NULL, 0,
        "End a run at its next safe moment.", "run, cancel"),
    ACT("POST", "/v1/runs/{id}/say", ia_api_run_say, say_body, 0, "Leave a message for a run.",
        "run, state"),
    GET("/v1/questions", ia_api_questions, questions_query,
        "What runs ask a person, the oldest first.", "questions, as_of"),
    ACT("POST", "/v1/questions/{id}/approve", ia_api_question_approve, answer_body, 0,
        "Allow what a run asks, once; by the question's id or the run's. Not with a token.",
        "question, run, answer"),
    ACT("POST", "/v1/questions/{id}/deny", ia_api_question_deny, answer_body, 0,
        "Deny it; the run goes on without it. Not with a token.", "question, run, answer"),
    ACT("POST", "/v1/runs/{id}/resume", ia_api_run_resume, NULL, 0,
        "Go on at once with a run that waits.", "run, state"),
    {.method = "GET",
     .path = "/v1/runs/{id}/report",
     .run = ia_api_report,
     .query = report_query,
     .flags = IA_API_RAW,
     .summary = "The report of a run as a file.",
     .types = "application/json|application/xml|text/markdown"},
    GET("/v1/sweeps", ia_api_sweeps, sweeps_query, "Sweeps, the newest first.",
        "sweeps, as_of"),
    ACT("POST", "/v1/sweeps", ia_api_sweep_create, sweep_body, 0,
        "Begin a sweep; the members are the options of the command.", "sweep"),
    GET("/v1/sweeps/{id}", ia_api_sweep, NULL, "One sweep and its goals.",
        "goals, sweep, as_of"),
    GET("/v1/sweeps/{id}/goals/{no}", ia_api_sweep_goal, NULL,
        "One goal of a sweep, with what is run for it: a body for POST /v1/runs.",
        "goal, as_of"),
    ACT("POST", "/v1/sweeps/{id}/cancel", ia_api_sweep_cancel, NULL, 0,
        "Stop a sweep so that it can be resumed.", "sweep, cancel"),
    {.method = "GET",
     .path = "/v1/sweeps/{id}/report",
     .run = ia_api_report,
     .query = report_query,
     .flags = IA_API_RAW,
     .summary = "The report of a sweep as a file.",
     .types = "application/json|application/xml|text/markdown"},
    GET("/v1/schedules", ia_api_schedules, NULL, "Goals that repeat, by name.",
        "schedules, as_of"),
    ACT("POST", "/v1/schedules", ia_api_schedule_create, schedule_body, IA_API_RUN,
        "Add a schedule; run is a goal with its options.", "schedule"),
    GET("/v1/schedules/{id}", ia_api_schedule, NULL, "One schedule and its last times.",
        "schedule, fires, as_of"),
    ACT("PATCH", "/v1/schedules/{id}", ia_api_schedule_patch, schedule_patch, IA_API_RUN,
        "Change what the body has.", "schedule"),
    ACT("DELETE", "/v1/schedules/{id}", ia_api_schedule_delete, NULL, 0,
        "Remove a schedule; its runs stay.", "name, cancelled"),
    ACT("POST", "/v1/schedules/{id}/pause", ia_api_schedule_pause, NULL, 0,
        "Stop it from being due.", "name, cancelled"),
    ACT("POST", "/v1/schedules/{id}/resume", ia_api_schedule_resume, NULL, 0,
        "Let it be due again.", "schedule"),
    ACT("POST", "/v1/schedules/{id}/run-now", ia_api_schedule_run_now, NULL, 0,
        "Queue a run of it now.", "name, run"),
    GET("/v1/recordings", ia_api_recordings, recordings_query,
        "Runs that can be done again without a model, the newest first.", "recordings, as_of"),
    GET("/v1/recordings/{id}", ia_api_recording, NULL,
        "One recording with its steps and as a file, and that from which it was healed.",
        "recording, parent, as_of"),
    ACT("POST", "/v1/recordings/{id}/accept", ia_api_recording_accept, NULL, 0,
        "Trust it: what it was healed from is replaced.", "recording"),
    ACT("POST", "/v1/recordings/{id}/reject", ia_api_recording_reject, NULL, 0,
        "Never replay it again, nor propose the same change.", "recording"),
    GET("/v1/fleet", ia_api_fleet, NULL,
        "The fleet that the configuration names: its workers, what each of their devices does, "
        "and what waits. Where its server cannot be reached, error says why.",
        "configured, connected, url, error, looked, workers, runs_out, proposed, verdicts, "
        "queues, leader"),
    ACT("POST", "/v1/fleet/drain", ia_api_fleet_drain, fleet_drain_body, 0,
        "Let a worker finish what it has in hand, and end.", "draining"),
    GET("/v1/stats", ia_api_stats, stats_query,
        "What the runs that ended on some days came to, by day, by goal and in all.",
        "days, goals, total, complete, as_of"),
    GET("/v1/agents", ia_api_agents, NULL,
        "Agents, by name: those of the store and those of the configuration.", "agents, as_of"),
    GET("/v1/agents/{name}", ia_api_agent, NULL, "One agent.", "agent, as_of"),
    ACT("PUT", "/v1/agents/{name}", ia_api_agent_put, agent_body, 0,
        "Add an agent, or change what the body has.", "agent, as_of"),
    ACT("DELETE", "/v1/agents/{name}", ia_api_agent_delete, NULL, 0, "Remove an agent.",
        "removed"),
    ACT("DELETE", "/v1/agents/{name}/session", ia_api_agent_forget, NULL, 0,
        "Forget the conversation of an agent; its runs and its memory stay.", "agent, as_of"),
    GET("/v1/models", ia_api_models, NULL,
        "Known models with USD per million tokens, and the one that is used unless another is "
        "named.",
        "default, models"),
    GET("/v1/skills", ia_api_skills, NULL,
        "The tools that a model is given, and the texts of this build for coding agents.",
        "build, tools, skills"),
    GET("/v1/config", ia_api_config, NULL, "The configuration, with the origin of each value.",
        "files, values, agents"),
    ACT("PUT", "/v1/config", ia_api_config_put, config_body, 0,
        "Change a setting in the user's file; settable says which ones a token may.",
        "file, changed, value"),
    ACT("DELETE", "/v1/config/{key}", ia_api_config_delete, NULL, 0,
        "Take a setting out of the user's file.", "file, changed, value"),
    GET("/v1/doctor", ia_api_doctor, NULL, "Every part, checked as a command would use it.",
        "checks"),
    GET("/v1/key", ia_api_key, NULL, "Whether there is a key, never the key.",
        "stored, seal, sealed_at, key_file, in_use"),
    ACT("PUT", "/v1/key", ia_api_key_put, key_body, IA_API_SECRET, "Store the API key.",
        "stored, seal, sealed_at, key_file, in_use"),
    ACT("DELETE", "/v1/key", ia_api_key_delete, NULL, 0, "Remove the stored key.",
        "stored, seal, sealed_at, key_file, in_use"),
    GET("/v1/secrets", ia_api_secrets, NULL,
        "Secrets that runs may type, by name, never a value: what is stored, and of the "
        "daemon's "
        "environment what a schedule or an unfinished run names.",
        "secrets"),
    ACT("PUT", "/v1/secrets/{name}", ia_api_secret_put, secret_body, IA_API_SECRET,
        "Store a secret.", "secret"),
    ACT("DELETE", "/v1/secrets/{name}", ia_api_secret_delete, NULL, 0,
        "Remove a stored secret.", "removed"),
    {.method = "GET",
     .path = "/v1/blobs/{sha256}",
     .run = ia_api_blob,
     .flags = IA_API_RAW,
     .summary = "A picture or a tree.",
     .types = "image/png|image/jpeg|application/json|text/plain|application/octet-stream"},
    {.method = "GET",
     .path = "/v1/events",
     .run = ia_api_events,
     .query = events_query,
     .flags = IA_API_RAW,
     .summary = "What happens, as server-sent events.",
     .types = "text/event-stream"},
    {.method = "GET",
     .path = "/v1/openapi.json",
     .run = ia_api_openapi,
     .flags = IA_API_RAW,
     .summary = "This document.",
     .types = "application/json"},
    {.method = "GET",
     .path = "/metrics",
     .run = ia_api_metrics,
     .flags = IA_API_RAW | IA_API_ALWAYS,
     .summary = "What runs came to so far and what goes on, as Prometheus reads it.",
     .types = "text/plain"},
    {.path = NULL}};
