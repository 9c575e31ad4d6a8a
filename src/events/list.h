/* list.h: every event, once. The structs that writers fill (events.h), the tables that turn them
 * into JSON and back (shapes.c) and docs/events.schema.json all follow from the lists below.
 *
 * A row of a field list is F(kind, presence, member, "key", "what"). Keys are written in the order
 * of the rows. What a database holds was written by these rows or by older ones, so a row may be
 * added, but not renamed, reordered or given another meaning.
 *
 *     kind    member                       JSON
 *     TEXT    struct ia_str                a string
 *     INT     int64_t                      an integer
 *     REAL    double                       a number
 *     BOOL    bool                         true or false
 *     NATURAL int64_t, -1: nothing         an integer from 0
 *     COST    struct ia_event_cost         a number of dollars, or null where it is not known
 *     PART    struct ia_event_<member>     an object
 *     GROUP   struct ia_event_<member>     no object: its fields stand among the others
 *     LIST    struct ia_event_<member>_list    an array of objects
 *     TEXTS   struct ia_event_texts        an array of strings
 *     JSON    struct ia_event_json         any value
 *
 *     presence    where the member has nothing (text without a pointer, integer 0, part whose
 *                 `has` is false, JSON without a text)
 *     ALWAYS      it is written all the same: "", 0, …
 *     NULLABLE    null is written
 *     OPTIONAL    the key is left out */
#ifndef IA_EVENTS_LIST_H
#define IA_EVENTS_LIST_H

/* clang-format off */

/* X(ID, tag, "name", where, "writers", "readers", "what"). tag names the struct and the member of
 * struct ia_event. where: COMMITTED, to the events table and then to observers; LIVE, to observers
 * only, with seq 0; BARE, a line of a command's standard output that has no run. */
#define IA_EVENT_LIST(X)                                                                          \
    X(RUN_QUEUED, run_queued, "run.queued", COMMITTED, "store", "",                               \
      "The run was recorded and waits for its lane.")                                             \
    X(RUN_CLAIMED, run_claimed, "run.claimed", COMMITTED, "store", "",                            \
      "A process took the run from the queue.")                                                   \
    X(RUN_STATE, run_state, "run.state", COMMITTED, "store", "",                                  \
      "The run moved, and no other event says so.")                                               \
    X(RUN_STARTED, run_started, "run.started", COMMITTED, "agent/run",                            \
      "progress, report, foreground, event log, views", "The run has its device.")                \
    X(RUN_RESUMED, run_resumed, "run.resumed", COMMITTED, "agent/run",                            \
      "progress, foreground, event log, views", "The run goes on after an interruption or an error.") \
    X(RUN_PLANNED, run_planned, "run.planned", COMMITTED, "agent/run", "progress, views",         \
      "A plan was made, before anything was touched.")                                            \
    X(RUN_LOOKED, run_looked, "run.looked", COMMITTED, "agent/run", "progress",                   \
      "The setup is done, and the first screen was read.")                                        \
    X(TEXT_DELTA, text_delta, "text.delta", LIVE, "agent/loop", "views",                          \
      "A piece of what the model says, as it arrives.")                                           \
    X(REQUEST_STARTED, request_started, "request.started", LIVE, "agent/loop", "views",           \
      "A request to the model is about to leave.")                                                \
    X(REQUEST_RETRY, request_retry, "request.retry", COMMITTED, "agent/loop",                     \
      "progress, event log, views", "A request failed and will be repeated.")                     \
    X(REQUEST_FINISHED, request_finished, "request.finished", COMMITTED,                          \
      "agent/loop, agent/verdict", "progress, report, sweep, views", "The model answered.")       \
    X(CONTEXT_COMPACTED, context_compacted, "context.compacted", COMMITTED, "agent/run", "",       \
      "A summary has replaced the conversation, which had grown long.")                              \
    X(STEP_REPLAYED, step_replayed, "step.replayed", COMMITTED, "agent/run",                      \
      "progress, report, views", "The next call is a step of a recording.")                       \
    X(REPLAY_STRAYED, replay_strayed, "replay.strayed", COMMITTED, "agent/run",                   \
      "replay, report, views", "The app is not as recorded; a model does this step.")      \
    X(REPLAY_REJOINED, replay_rejoined, "replay.rejoined", COMMITTED, "agent/run",                \
      "replay, report, views", "The step had its recorded effect; the replay continues.")   \
    X(TOOL_STARTED, tool_started, "tool.started", COMMITTED, "agent/tools",                       \
      "progress, report, views", "A tool call is about to be made.")                              \
    X(TOOL_FINISHED, tool_finished, "tool.finished", COMMITTED, "agent/tools",                    \
      "progress, verifier, report, event log, views", "A tool call has its result.")              \
    X(PICTURE, picture, "picture", COMMITTED, "agent/loop", "report",                             \
      "A screenshot was kept. Comes with a later commit than its step.")         \
    X(PICTURE_TAKEN, picture_taken, "picture.taken", LIVE, "agent/loop", "views",                 \
      "A screenshot was kept; its picture event comes with the next commit.")                     \
    X(MESSAGE_QUEUED, message_queued, "message.queued", COMMITTED, "store", "",                   \
      "Somebody sent a message to the run.")                                                      \
    X(MESSAGE_TAKEN, message_taken, "message.taken", COMMITTED, "agent/loop",                     \
      "progress, views", "The next request shows these messages to the model.")                   \
    X(FINISH_REFUSED, finish_refused, "finish.refused", COMMITTED, "agent/verdict",               \
      "progress, report, views", "The model said passed, but proof is missing.")                  \
    X(FINISH_CHECKED, finish_checked, "finish.checked", COMMITTED, "agent/verdict",               \
      "progress, report, views", "What had to be shown was shown; what is left is said here.")    \
    X(VERIFIER_RESULT, verifier_result, "verifier.result", COMMITTED, "agent/verdict",            \
      "progress, report, views", "The verifier answered.")                                        \
    X(NOTICE, notice, "notice", LIVE, "agent/loop", "views", "A remark for people.")              \
    X(RUN_RETRY_WAIT, run_retry_wait, "run.retry_wait", COMMITTED, "agent/run",                   \
      "progress, sweep, foreground, event log, views",                                            \
      "A transient error ended the attempt; the run will be tried again.")                        \
    X(RUN_ASKED, run_asked, "run.asked", COMMITTED, "agent/run",                                  \
      "progress, report, foreground, event log, notify, views",                                   \
      "A call needs a person's word; the run is blocked until it is answered.")                   \
    X(RUN_ANSWERED, run_answered, "run.answered", COMMITTED, "store", "report, views",            \
      "The question was answered, and the run is queued again.")                                  \
    X(SCREEN_SUSPICIOUS, screen_suspicious, "screen.suspicious", COMMITTED, "agent/run",          \
      "report, views", "A screen shows text that tries to give orders.")                          \
    X(RUN_ROLLED_BACK, run_rolled_back, "run.rolled_back", COMMITTED, "store",                    \
      "progress, verifier", "The attempt had no effect; its transcript was dropped.")             \
    X(RUN_INTERRUPTED, run_interrupted, "run.interrupted", COMMITTED, "store, agent/run",         \
      "progress, resume, foreground, views",                                                                \
      "The run went back to the queue: by its own process, or by another that found it dead.")    \
    X(RUN_PLACED, run_placed, "run.placed", COMMITTED, "app/fleet", "views",                      \
      "A worker of a fleet did the run; the events that follow are that worker's.")               \
    X(RUN_DELEGATED, run_delegated, "run.delegated", COMMITTED, "agent/run",                      \
      "report, views", "The run gave a subtask to an agent, as a run of its own.")                \
    X(RUN_WAITS, run_waits, "run.waits", COMMITTED, "agent/run", "progress, views",               \
      "The run gave its device back until its subtasks are over.")                                \
    X(RUN_CHILD_FINISHED, run_child_finished, "run.child_finished", COMMITTED, "store",           \
      "report, views", "A subtask of the run is over.")                                           \
    X(RUN_REFUSED, run_refused, "run.refused", COMMITTED, "agent/run", "",                        \
      "A claimed run could not be started and waits again.")                                      \
    X(RUN_FINISHED, run_finished, "run.finished", COMMITTED, "store, agent/run",                  \
      "foreground, report, views", "The run is over.")                                            \
    X(START_REFUSED, start_refused, "run.refused", BARE, "cli", "",                               \
      "The command could not start a run.")                                                       \
    X(SWEEP_STARTED, sweep_started, "sweep.started", BARE, "cli", "", "The sweep begins.")        \
    X(SWEEP_GOAL, sweep_goal, "sweep.goal", BARE, "cli", "", "The state of a goal changed.")      \
    X(SWEEP_FINISHED, sweep_finished, "sweep.finished", BARE, "cli", "", "The sweep is over.")

/* ---- parts: objects and groups inside events. Each before those that contain it. ---------- */

#define IA_EVENT_PART_LIST(X)                                                                     \
    X(DEVICE, device) X(BUDGET, budget) X(START, start) X(PLAN, plan) X(SETUP, setup) X(USAGE, usage)           \
    X(SPENT, spent) X(BOX, box) X(MESSAGES, messages) X(EVIDENCE, evidence) X(EXPECTS, expects)   \
    X(TOKENS, tokens) X(REPLAY, replay) X(RESULT, result) X(RECORD, record)

#define IA_FIELDS_DEVICE(F)                                                                       \
    F(TEXT, ALWAYS, kind, "kind", "embedded, bridge, …")                                          \
    F(TEXT, ALWAYS, id, "id", "also the name of its lane")                                        \
    F(TEXT, ALWAYS, name, "name", "for people")                                                   \
    F(TEXT, ALWAYS, os, "os", "")                                                                 \
    F(BOOL, ALWAYS, simulated, "simulated", "by ios-agent; not one of Apple's simulators")

#define IA_FIELDS_BUDGET(F)                                                                       \
    F(INT, ALWAYS, max_steps, "max_steps", "")                                                    \
    F(INT, ALWAYS, max_seconds, "max_seconds", "0: no limit")                                     \
    F(INT, ALWAYS, max_tokens, "max_tokens", "0: no limit")                                       \
    F(REAL, ALWAYS, max_usd, "max_usd", "0: no limit")

#define IA_FIELDS_START(F)                                                                        \
    F(TEXT, ALWAYS, goal, "goal", "")                                                             \
    F(TEXT, NULLABLE, name, "name", "of the goal, for reports")                                   \
    F(TEXT, NULLABLE, app, "app", "bundle id that the run is locked to")                          \
    F(PART, ALWAYS, device, "device", "")                                                         \
    F(TEXT, ALWAYS, model, "model", "")                                                           \
    F(BOOL, ALWAYS, demo, "demo", "the demo brain answers, which does not reason")                \
    F(PART, ALWAYS, budget, "budget", "")

#define IA_FIELDS_PLAN(F)                                                                         \
    F(TEXT, ALWAYS, action, "do", "")                                                             \
    F(TEXT, ALWAYS, check, "check", "what the screen must show then")

#define IA_FIELDS_SETUP(F)                                                                        \
    F(TEXT, ALWAYS, action, "do", "reset, launch, terminate or open-url")                         \
    F(TEXT, NULLABLE, value, "value", "bundle id or URL")                                         \
    F(INT, ALWAYS, ms, "ms", "")

#define IA_FIELDS_USAGE(F)                                                                        \
    F(INT, ALWAYS, input, "input", "tokens that were neither read from nor written to the cache") \
    F(INT, ALWAYS, cache_read, "cache_read", "")                                                  \
    F(INT, ALWAYS, cache_write, "cache_write", "")                                                \
    F(INT, ALWAYS, output, "output", "")

#define IA_FIELDS_SPENT(F)                                                                        \
    F(INT, ALWAYS, tokens, "tokens", "of all attempts of the run so far")                         \
    F(REAL, ALWAYS, usd, "usd", "as far as it is known")                                          \
    F(REAL, ALWAYS, usd_max, "usd_max", "at most")                                                \
    F(BOOL, ALWAYS, cost_known, "cost_known", "whether usd is all of it")                         \
    F(NATURAL, ALWAYS, ran_ms, "ran_ms", "time running, without the time between attempts")

#define IA_FIELDS_BOX(F)                                                                          \
    F(REAL, ALWAYS, x, "x", "points of the screen, origin top left")                              \
    F(REAL, ALWAYS, y, "y", "")                                                                   \
    F(REAL, ALWAYS, w, "w", "")                                                                   \
    F(REAL, ALWAYS, h, "h", "")

#define IA_FIELDS_MESSAGES(F)                                                                     \
    F(INT, ALWAYS, id, "id", "")                                                                  \
    F(TEXT, ALWAYS, sender, "sender", "")                                                         \
    F(TEXT, ALWAYS, text, "text", "")

#define IA_FIELDS_EVIDENCE(F)                                                                     \
    F(TEXT, ALWAYS, quote, "quote", "what the screen showed")                                     \
    F(NATURAL, OPTIONAL, step, "step", "the step that showed it; 0: the first screen; else the last screen") \
    F(BOOL, OPTIONAL, unproven, "unproven", "it was not found; the expectations hold without it") \
    F(BOOL, OPTIONAL, pictured, "pictured", "it was read on the picture of the screen")

#define IA_FIELDS_EXPECTS(F)                                                                      \
    F(TEXT, ALWAYS, expect, "expect", "as it was written")                                        \
    F(BOOL, ALWAYS, held, "held", "")                                                             \
    F(TEXT, OPTIONAL, found, "found", "what was found instead")

#define IA_FIELDS_TOKENS(F)                                                                       \
    F(INT, ALWAYS, input, "input", "tokens that were neither read from nor written to the cache") \
    F(INT, ALWAYS, cache_read, "cache_read", "")                                                  \
    F(INT, ALWAYS, cache_write, "cache_write", "")                                                \
    F(INT, ALWAYS, output, "output", "")                                                          \
    F(REAL, ALWAYS, cached_share, "cached_share", "of what was sent, 0 to 1")

#define IA_FIELDS_REPLAY(F)                                                                       \
    F(TEXT, ALWAYS, recording, "recording", "its id")                                             \
    F(INT, ALWAYS, of, "of", "steps that it has")                                                 \
    F(INT, ALWAYS, replayed, "replayed", "that were repeated as recorded")            \
    F(INT, ALWAYS, drifted, "drifted", "of those: the element was found in other surroundings") \
    F(INT, ALWAYS, healed, "healed", "that a model did")                                          \
    F(BOOL, ALWAYS, quarantined, "quarantined",                                                   \
      "the recording was healed and is not accepted yet")                               \
    F(TEXT, ALWAYS, notes, "notes", "which drifted or were healed, and why")                      \
    F(INT, ALWAYS, requests, "requests", "to the model, the verifier's included")

/* What a run came to. Left out where it never began. */
#define IA_FIELDS_RESULT(F)                                                                       \
    F(TEXT, ALWAYS, basis, "basis", "what the end rests on (events/basis.h)") \
    F(TEXT, ALWAYS, summary, "summary", "for people")                                             \
    F(LIST, ALWAYS, evidence, "evidence", "")                                                     \
    F(LIST, ALWAYS, expects, "expects", "the expectations that the last finish checked")          \
    F(INT, ALWAYS, steps, "steps", "")                                                            \
    F(REAL, ALWAYS, seconds, "seconds", "")                                                       \
    F(PART, ALWAYS, tokens, "tokens", "")                                                         \
    F(COST, NULLABLE, cost_usd, "cost_usd", "null where it is not known, and of the demo brain")  \
    F(BOOL, ALWAYS, demo, "demo", "the demo brain answered, which does not reason")               \
    F(TEXT, OPTIONAL, outcome, "outcome", "of a passed replay: replayed, or healed by a model")   \
    F(PART, OPTIONAL, replay, "replay", "")

/* What only the process that did the run knows of its end. */
#define IA_FIELDS_RECORD(F)                                                                       \
    F(TEXT, NULLABLE, screenshot, "screenshot", "path of the last screen's PNG")                  \
    F(INT, ALWAYS, host_us_median, "host_us_median",                                              \
      "time per step that neither the model nor the device took")

/* ---- events --------------------------------------------------------------------------------- */

#define IA_FIELDS_RUN_QUEUED(F)                                                                   \
    F(TEXT, ALWAYS, goal, "goal", "")                                                             \
    F(TEXT, NULLABLE, lane, "lane", "the lane or pool in which it waits")

#define IA_FIELDS_RUN_CLAIMED(F)                                                                  \
    F(TEXT, ALWAYS, lane, "lane", "")                                                             \
    F(INT, ALWAYS, attempt, "attempt", "from 1")

#define IA_FIELDS_RUN_STATE(F)                                                                    \
    F(TEXT, ALWAYS, from, "from", "")                                                             \
    F(TEXT, ALWAYS, to, "to", "")

#define IA_FIELDS_RUN_STARTED(F)                                                                  \
    F(GROUP, ALWAYS, start, "", "")

#define IA_FIELDS_RUN_RESUMED(F)                                                                  \
    F(INT, ALWAYS, attempt, "attempt", "from 1")                                                  \
    F(INT, ALWAYS, steps, "steps", "of earlier attempts")                                         \
    F(REAL, ALWAYS, seconds, "seconds", "of earlier attempts")                                    \
    F(GROUP, ALWAYS, start, "", "")

#define IA_FIELDS_RUN_PLANNED(F)                                                                  \
    F(TEXT, ALWAYS, mode, "mode", "show, or ask: a person has to approve it")                     \
    F(LIST, ALWAYS, plan, "plan", "its steps")

#define IA_FIELDS_RUN_LOOKED(F)                                                                   \
    F(LIST, ALWAYS, setup, "setup", "what was done before the first look")                        \
    F(TEXT, NULLABLE, app, "app", "bundle id in front")                                           \
    F(TEXT, ALWAYS, screen, "screen", "text form")                                                \
    F(BOOL, ALWAYS, expects_held, "expects_held", "all expectations hold already")                \
    F(INT, ALWAYS, refs, "refs", "highest ref that was given out")                                \
    F(TEXT, NULLABLE, continues, "continues", "run whose conversation goes on")                   \
    F(TEXTS, OPTIONAL, start, "start",                                                            \
      "for each expectation: what the first screen says of it, or empty")

#define IA_FIELDS_TEXT_DELTA(F)                                                                   \
    F(TEXT, ALWAYS, text, "text", "")

#define IA_FIELDS_REQUEST_STARTED(F)                                                              \
    F(INT, ALWAYS, turn, "turn", "from 1")

#define IA_FIELDS_REQUEST_RETRY(F)                                                                \
    F(INT, ALWAYS, attempt, "attempt", "the one that failed, from 1")                             \
    F(INT, ALWAYS, wait_ms, "wait_ms", "until the next")                                          \
    F(TEXT, ALWAYS, code, "code", "")                                                             \
    F(TEXT, NULLABLE, message, "message", "")                                                     \
    F(BOOL, ALWAYS, text_discarded, "text_discarded", "text was shown that will come anew")

#define IA_FIELDS_REQUEST_FINISHED(F)                                                             \
    F(INT, ALWAYS, turn, "turn", "")                                                              \
    F(INT, ALWAYS, ms, "ms", "")                                                                  \
    F(TEXT, NULLABLE, stop_reason, "stop_reason", "as the Messages API gave it")                  \
    F(PART, ALWAYS, usage, "usage", "")                                                           \
    F(COST, NULLABLE, cost_usd, "cost_usd", "null where it is not known, and of the demo brain")  \
    F(TEXT, ALWAYS, purpose, "purpose", "act, verify, plan, compact or see")                                          \
    F(INT, ALWAYS, host_us, "host_us", "time that neither the model nor the device took")         \
    F(PART, ALWAYS, spent, "spent", "")                                                           \
    F(TEXT, OPTIONAL, model, "model", "that answered")

#define IA_FIELDS_CONTEXT_COMPACTED(F)                                                            \
    F(INT, ALWAYS, step, "step", "the last step in the summary")                               \
    F(INT, ALWAYS, tokens, "tokens", "of the conversation before, estimated")                         \
    F(TEXT, ALWAYS, by, "by", "model: its summary; steps: a list of what was done, made by the program")

#define IA_FIELDS_STEP_REPLAYED(F)                                                                \
    F(INT, ALWAYS, step, "step", "of the recording, from 1; one more than it has: the verdict")   \
    F(INT, ALWAYS, of, "of", "how many it has")                                                   \
    F(TEXT, ALWAYS, match, "match", "how its element was found: exact, drifted, offscreen (it must be scrolled to first), or empty") \
    F(INT, ALWAYS, ms, "ms", "how long it was waited for")                                        \
    F(TEXT, OPTIONAL, screen, "screen", "hash of the screen before") \
    F(BOOL, ALWAYS, tells, "tells", "the step's effect did not hold before, so it will prove that the step was done") \
    F(TEXT, OPTIONAL, differs, "differs", "what differs from the recording, if it drifted") \
    F(TEXT, OPTIONAL, captured, "captured", "what the step read from the screen for later ones: lines NAME=VALUE")

#define IA_FIELDS_REPLAY_STRAYED(F)                                                               \
    F(INT, ALWAYS, step, "step", "of the recording, from 1")                                      \
    F(TEXT, ALWAYS, match, "match", "what differs: screen, question, missing, changed, or renamed (only the label differs)") \
    F(TEXT, ALWAYS, why, "why", "what is not as recorded")                                 \
    F(BOOL, ALWAYS, led, "led", "the step's effect held already")                       \
    F(BOOL, ALWAYS, next_there, "next_there", "the step after it could have been done already")

#define IA_FIELDS_REPLAY_REJOINED(F)                                                              \
    F(INT, ALWAYS, step, "step", "of the recording, from 1: the last that was done")             \
    F(TEXT, OPTIONAL, same, "same", "what the model touched, if it has the identifier of the recorded element")

#define IA_FIELDS_TOOL_STARTED(F)                                                                 \
    F(INT, ALWAYS, step, "step", "from 1")                                                        \
    F(TEXT, ALWAYS, id, "id", "of the tool_use block")                                            \
    F(TEXT, ALWAYS, tool, "tool", "")                                                             \
    F(TEXT, OPTIONAL, skill, "skill", "whose tool it is")                                         \
    F(TEXT, ALWAYS, element, "element", "the element that a ref names, or empty")                 \
    F(JSON, NULLABLE, input, "input", "null where it is too large for an event")                  \
    F(INT, OPTIONAL, input_left_out_bytes, "input_left_out_bytes", "size of an input that is null")

#define IA_FIELDS_TOOL_FINISHED(F)                                                                \
    F(INT, ALWAYS, step, "step", "")                                                              \
    F(TEXT, ALWAYS, id, "id", "")                                                                 \
    F(TEXT, ALWAYS, tool, "tool", "")                                                             \
    F(TEXT, OPTIONAL, skill, "skill", "whose tool it is")                                         \
    F(BOOL, ALWAYS, ok, "ok", "")                                                                 \
    F(TEXT, ALWAYS, code, "code", "")                                                             \
    F(TEXT, ALWAYS, outcome, "outcome", "whether an effect reached the device: sent, not_sent, unknown or empty") \
    F(TEXT, ALWAYS, element, "element", "")                                                       \
    F(BOOL, ALWAYS, changed, "changed", "the screen did")                                         \
    F(TEXT, ALWAYS, changes, "changes", "in text form")                                           \
    F(INT, ALWAYS, ms, "ms", "")                                                                  \
    F(PART, NULLABLE, box, "box", "frame of the element that was acted on")                       \
    F(TEXT, NULLABLE, image, "image", "SHA-256 of a screenshot")                                  \
    F(INT, ALWAYS, host_us, "host_us", "time that neither the model nor the device took")         \
    F(INT, ALWAYS, refs, "refs", "highest ref that was given out")                                \
    F(INT, ALWAYS, device_us, "device_us", "time in operations of the device")

#define IA_FIELDS_PICTURE(F)                                                                      \
    F(INT, ALWAYS, step, "step", "the step after which it was taken; 0: before the first")        \
    F(TEXT, ALWAYS, image, "image", "SHA-256")                                                    \
    F(INT, ALWAYS, width, "width", "points")                                                      \
    F(INT, ALWAYS, height, "height", "points")

#define IA_FIELDS_PICTURE_TAKEN(F) IA_FIELDS_PICTURE(F)

#define IA_FIELDS_MESSAGE_QUEUED(F)                                                               \
    F(INT, ALWAYS, id, "id", "")                                                                  \
    F(TEXT, NULLABLE, sender, "sender", "")                                                       \
    F(TEXT, ALWAYS, text, "text", "")

#define IA_FIELDS_MESSAGE_TAKEN(F)                                                                \
    F(LIST, ALWAYS, messages, "messages", "")

#define IA_FIELDS_FINISH_REFUSED(F)                                                               \
    F(TEXTS, ALWAYS, missing, "missing", "for each: what is missing")                             \
    F(TEXT, OPTIONAL, basis, "basis", "disputed where the verifier alone does not agree")

#define IA_FIELDS_FINISH_CHECKED(F)                                                               \
    F(TEXTS, ALWAYS, unproven, "unproven",                                                        \
      "quotes that were not found; the expectations hold without them")                           \
    F(TEXTS, OPTIONAL, pictured, "pictured", "quotes that were read on the picture of the screen") \
    F(TEXT, NULLABLE, relaunch, "relaunch",                                                       \
      "bundle id of the app that is ended and launched again now, for expectations after that")

#define IA_FIELDS_VERIFIER_RESULT(F)                                                              \
    F(BOOL, ALWAYS, agrees, "agrees", "")                                                         \
    F(TEXT, ALWAYS, reason, "reason", "")                                                         \
    F(TEXT, OPTIONAL, question, "question", "SHA-256 of what was asked: the same is not asked again")

#define IA_FIELDS_NOTICE(F)                                                                       \
    F(TEXT, ALWAYS, text, "text", "")

#define IA_FIELDS_RUN_RETRY_WAIT(F)                                                               \
    F(INT, ALWAYS, attempt, "attempt", "the one that ended, from 1")                              \
    F(INT, ALWAYS, tries, "tries", "how many there may be")                                       \
    F(INT, ALWAYS, wait_ms, "wait_ms", "")                                                        \
    F(TEXT, ALWAYS, retry_at, "retry_at", "UTC")                                                  \
    F(TEXT, ALWAYS, code, "code", "")                                                             \
    F(TEXT, ALWAYS, message, "message", "")                                                       \
    F(BOOL, ALWAYS, kept, "kept", "whether the next attempt goes on with the transcript")         \
    F(PART, ALWAYS, spent, "spent", "")

#define IA_FIELDS_RUN_ASKED(F)                                                                    \
    F(INT, ALWAYS, step, "step", "the call that waits for the answer")                            \
    F(TEXT, ALWAYS, question, "question", "its id")                                               \
    F(TEXT, ALWAYS, rule, "rule", "of the policy")                                                \
    F(TEXT, ALWAYS, text, "text", "what is asked")                                                \
    F(TEXT, OPTIONAL, expires_at, "expires_at", "when it counts as denied")                       \
    F(PART, ALWAYS, spent, "spent", "")

#define IA_FIELDS_RUN_ANSWERED(F)                                                                 \
    F(TEXT, ALWAYS, question, "question", "its id")                                               \
    F(TEXT, ALWAYS, answer, "answer", "approved or denied")                                       \
    F(TEXT, NULLABLE, by, "by", "who answered: terminal, a name, or timeout")                     \
    F(TEXT, NULLABLE, note, "note", "")

#define IA_FIELDS_SCREEN_SUSPICIOUS(F)                                                            \
    F(INT, ALWAYS, step, "step", "whose screen it is; 0: the first")                              \
    F(TEXTS, ALWAYS, texts, "texts", "for each: the ref, why, and the text")

#define IA_FIELDS_RUN_ROLLED_BACK(F)                                                              \
    F(INT, ALWAYS, attempt, "attempt", "")

#define IA_FIELDS_RUN_INTERRUPTED(F)                                                              \
    F(PART, OPTIONAL, spent, "spent", "where its own process put it back")                        \
    F(INT, OPTIONAL, owner_pid, "owner_pid", "the process that was found dead")

#define IA_FIELDS_RUN_PLACED(F)                                                                   \
    F(TEXT, ALWAYS, worker, "worker", "")                                                         \
    F(INT, ALWAYS, attempt, "attempt", "from 1; an earlier one came to no verdict: its worker died or lost the server") \
    F(TEXT, ALWAYS, device, "device", "")

#define IA_FIELDS_RUN_DELEGATED(F)                                                                \
    F(TEXT, ALWAYS, call, "call", "of the tool_use block")                                        \
    F(INT, ALWAYS, number, "number", "of the subtask within the run, from 1")                     \
    F(TEXT, ALWAYS, child, "child", "id of its run")                                              \
    F(TEXT, ALWAYS, agent, "agent", "who does it")                                                \
    F(TEXT, ALWAYS, goal, "goal", "")                                                             \
    F(TEXT, ALWAYS, device, "device", "as it was named")                                          \
    F(PART, ALWAYS, budget, "budget", "its share")

#define IA_FIELDS_RUN_WAITS(F)                                                                    \
    F(INT, ALWAYS, children, "children", "subtasks that are not over")                            \
    F(PART, ALWAYS, spent, "spent", "")

#define IA_FIELDS_RUN_CHILD_FINISHED(F)                                                           \
    F(INT, ALWAYS, number, "number", "of the subtask within the run, from 1")                     \
    F(TEXT, ALWAYS, child, "child", "id of its run")                                              \
    F(TEXT, ALWAYS, state, "state", "passed, failed, blocked, error or cancelled")                \
    F(TEXT, NULLABLE, code, "code", "")                                                           \
    F(TEXT, NULLABLE, basis, "basis", "what its end rests on (events/basis.h)")

#define IA_FIELDS_RUN_REFUSED(F)                                                                  \
    F(TEXT, ALWAYS, state, "state", "the state to which the run went: queued or retry_wait")      \
    F(TEXT, ALWAYS, code, "code", "")                                                             \
    F(TEXT, ALWAYS, message, "message", "")                                                       \
    F(TEXT, ALWAYS, hint, "hint", "")

#define IA_FIELDS_RUN_FINISHED(F)                                                                 \
    F(TEXT, ALWAYS, state, "state", "passed, failed, blocked, error or cancelled")                \
    F(TEXT, ALWAYS, code, "code", "")                                                             \
    F(TEXT, ALWAYS, message, "message", "")                                                       \
    F(TEXT, OPTIONAL, hint, "hint", "")                                                           \
    F(GROUP, OPTIONAL, result, "", "")                                                            \
    F(GROUP, OPTIONAL, record, "", "")

/* ---- lines of commands ----------------------------------------------------------------------- */

#define IA_FIELDS_START_REFUSED(F)                                                                \
    F(TEXT, ALWAYS, code, "code", "")                                                             \
    F(TEXT, ALWAYS, message, "message", "")                                                       \
    F(TEXT, ALWAYS, hint, "hint", "")                                                             \
    F(TEXT, ALWAYS, outcome, "outcome", "as in tool.finished")                                    \
    F(BOOL, ALWAYS, retry_safe, "retry_safe", "")

#define IA_FIELDS_SWEEP_STARTED(F)                                                                \
    F(TEXT, ALWAYS, sweep, "sweep", "its id")                                                     \
    F(TEXT, ALWAYS, title, "title", "")                                                           \
    F(INT, ALWAYS, goals, "goals", "repeats counted")                                             \
    F(TEXTS, ALWAYS, lanes, "lanes", "")                                                          \
    F(BOOL, ALWAYS, demo, "demo", "")

#define IA_FIELDS_SWEEP_GOAL(F)                                                                   \
    F(INT, ALWAYS, no, "no", "from 1")                                                            \
    F(TEXT, ALWAYS, name, "name", "")                                                             \
    F(INT, ALWAYS, repeat, "repeat", "from 1")                                                    \
    F(TEXT, NULLABLE, file, "file", "")                                                           \
    F(INT, ALWAYS, line, "line", "")                                                              \
    F(TEXT, ALWAYS, state, "state", "")                                                           \
    F(BOOL, ALWAYS, expected, "expected", "it failed, as its file says")                          \
    F(TEXT, NULLABLE, code, "code", "null unless the last run ended without passing")             \
    F(TEXT, NULLABLE, reason, "reason", "")                                                       \
    F(INT, ALWAYS, tries, "tries", "")                                                            \
    F(TEXT, NULLABLE, run, "run", "the last")                                                     \
    F(TEXT, NULLABLE, outcome, "outcome", "of that one, if it is a passed replay: replayed, or healed") \
    F(COST, NULLABLE, cost_usd, "cost_usd", "")                                                   \
    F(INT, ALWAYS, ms, "ms", "")

#define IA_FIELDS_SWEEP_FINISHED(F)                                                               \
    F(TEXT, ALWAYS, sweep, "sweep", "")                                                           \
    F(TEXT, NULLABLE, why, "why", "it was stopped")                                               \
    F(INT, ALWAYS, goals, "goals", "")                                                            \
    F(INT, ALWAYS, passed, "passed", "")                                                          \
    F(INT, ALWAYS, flaky, "flaky", "")                                                            \
    F(INT, ALWAYS, replayed, "replayed", "of those: from their recordings, without a model")      \
    F(INT, ALWAYS, healed, "healed", "reached, but a model did a step of the recording")          \
    F(INT, ALWAYS, failed, "failed", "")                                                          \
    F(INT, ALWAYS, expected, "expected", "failed, as their files say; not in failed")             \
    F(INT, ALWAYS, blocked, "blocked", "")                                                        \
    F(INT, ALWAYS, errors, "errors", "")                                                          \
    F(INT, ALWAYS, skipped, "skipped", "")                                                        \
    F(INT, ALWAYS, cancelled, "cancelled", "")                                                    \
    F(INT, ALWAYS, unfinished, "unfinished", "")                                                  \
    F(COST, NULLABLE, cost_usd, "cost_usd", "")                                                   \
    F(REAL, ALWAYS, cost_known_usd, "cost_known_usd", "as far as it is known")                    \
    F(BOOL, ALWAYS, demo, "demo", "")                                                             \
    F(REAL, ALWAYS, seconds, "seconds", "")                                                       \
    F(INT, ALWAYS, exit, "exit", "status with which the command exits")                           \
    F(TEXT, NULLABLE, report, "report", "path of the report that was written")

/* clang-format on */

#endif
