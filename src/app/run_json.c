/* run_json.c: a run's row as JSON, for commands and servers. Two things are worked out when
 * it is asked for and not stored: `orphaned`, when the owner has died and nobody has
 * recovered the run yet, and `stuck`, when it lives but has shown no sign of it for too long
 * (agent/queue/pulse.h). */
#include "app/run_json.h"

#include "agent/queue/pulse.h"
#include "base/clock.h"
#include "json/json.h"

static bool orphaned(const struct ia_run_row *row)
{
    bool owned = row->state == IA_RUN_RUNNING || row->state == IA_RUN_CLAIMED;
    return owned && !ia_run_owner_alive(row);
}

int64_t ia_run_silent_ms(const struct ia_run_row *row)
{
    if (row->state != IA_RUN_RUNNING) {
        return 0;
    }
    struct ia_pulse_facts f = {.now_ms = ia_wall_ms(ia_clock_system()),
                               .heartbeat_ms = row->heartbeat_ms,
                               .tool_deadline_ms = row->tool_deadline_ms,
                               .owner_alive = ia_run_owner_alive(row)};
    return ia_pulse_judge(&f) == IA_PULSE_STUCK ? f.now_ms - f.heartbeat_ms : 0;
}

const char *ia_run_json_state(const struct ia_run_row *row)
{
    /* Before stuck: a dead owner sends no heartbeats either. */
    if (orphaned(row)) {
        return "orphaned";
    }
    return ia_run_silent_ms(row) > 0 ? "stuck" : ia_run_state_name(row->state);
}

const char *ia_run_json_word(const struct ia_run_row *row)
{
    return row->state == IA_RUN_PASSED ? ia_run_word(row->state, row->outcome)
                                       : ia_run_json_state(row);
}

int64_t ia_run_duration_ms(const struct ia_run_row *row)
{
    bool both = row->started_ms > 0 && row->finished_ms >= row->started_ms;
    return both ? row->finished_ms - row->started_ms : -1;
}

static void put_raw(struct ia_jsonw *w, const char *key, const char *json)
{
    ia_jsonw_key(w, key);
    ia_json_put(w, ia_str(json));
}

static void put_time(struct ia_jsonw *w, const char *key, int64_t wall_ms)
{
    char iso[IA_ISO_SIZE];
    ia_iso_format(wall_ms, iso);
    ia_jsonw_kv(w, key, wall_ms > 0 ? iso : NULL);
}

static void put_usage(struct ia_jsonw *w, const struct ia_run_row *row)
{
    int64_t ms = ia_run_duration_ms(row);
    ia_jsonw_kv_int(w, "steps", row->steps);
    ia_jsonw_kv_known(w, "seconds", (double)ms / 1000.0, ms >= 0);
    ia_jsonw_key(w, "tokens");
    ia_jsonw_object(w);
    ia_jsonw_kv_int(w, "input", row->usage.input);
    ia_jsonw_kv_int(w, "cache_read", row->usage.cache_read);
    ia_jsonw_kv_int(w, "cache_write", row->usage.cache_write);
    ia_jsonw_kv_int(w, "output", row->usage.output);
    ia_jsonw_end_object(w);
    ia_jsonw_kv_known(w, "cost_usd", row->usage.cost_usd, row->usage.cost_known && !row->demo);
}

static void put_owner(struct ia_jsonw *w, const struct ia_run_row *row)
{
    ia_jsonw_key(w, "owner");
    if (!row->owner_token) {
        ia_jsonw_null(w);
        return;
    }
    ia_jsonw_object(w);
    ia_jsonw_kv_int(w, "pid", row->owner_pid);
    ia_jsonw_kv(w, "command", row->owner_command);
    ia_jsonw_kv_bool(w, "alive", ia_run_owner_alive(row));
    ia_jsonw_end_object(w);
}

void ia_run_json(struct ia_jsonw *w, const struct ia_run_row *row)
{
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "id", row->id);
    ia_jsonw_kv(w, "state", ia_run_state_name(row->state));
    ia_jsonw_kv_bool(w, "orphaned", orphaned(row));
    ia_jsonw_kv_bool(w, "stuck", ia_run_silent_ms(row) > 0);
    ia_jsonw_kv_bool(w, "cancel_requested", row->cancel_requested);
    ia_jsonw_kv_int(w, "attempt", row->attempt);
    ia_jsonw_kv(w, "goal", row->goal);
    ia_jsonw_kv(w, "name", row->name);
    ia_jsonw_kv(w, "kind", ia_run_kind_name(row->kind));
    ia_jsonw_kv(w, "sweep", row->sweep_id);
    ia_jsonw_kv_int(w, "sweep_no", row->sweep_no);
    ia_jsonw_kv(w, "schedule", row->schedule);
    ia_jsonw_kv(w, "parent", row->parent_id);
    ia_jsonw_kv(w, "parent_call", row->parent_call);
    ia_jsonw_kv_int(w, "waits_for", row->waits_for);
    ia_jsonw_kv(w, "app", row->app);
    ia_jsonw_kv(w, "hint", row->hint);
    ia_jsonw_kv(w, "agent", row->agent);
    ia_jsonw_kv(w, "model", ia_run_model(row));
    ia_jsonw_kv_bool(w, "demo", row->demo);
    ia_jsonw_kv(w, "lane", row->lane);
    put_raw(w, "device", row->device);
    put_raw(w, "expect", row->expect);
    put_raw(w, "budget", row->budget);
    ia_jsonw_kv(w, "code", row->code);
    ia_jsonw_kv(w, "summary", row->summary);
    ia_jsonw_kv(w, "basis", row->basis);
    ia_jsonw_kv(w, "recording", row->recording);
    ia_jsonw_kv(w, "outcome", row->outcome);
    put_usage(w, row);
    put_time(w, "created", row->created_ms);
    put_time(w, "started", row->started_ms);
    put_time(w, "finished", row->finished_ms);
    put_time(w, "retry_at", row->state == IA_RUN_RETRY_WAIT ? row->retry_at_ms : 0);
    put_owner(w, row);
    ia_jsonw_end_object(w);
}

void ia_message_json(struct ia_jsonw *w, const struct ia_message_row *row, bool demo)
{
    ia_jsonw_object(w);
    ia_jsonw_kv_int(w, "seq", row->seq);
    ia_jsonw_kv(w, "role", row->role);
    ia_jsonw_kv(w, "purpose", row->purpose);
    ia_jsonw_kv(w, "stop_reason", row->stop_reason);
    ia_jsonw_kv(w, "model", row->model && demo ? IA_DEMO_MODEL : row->model);
    ia_jsonw_kv(w, "request_id", row->request_id);
    ia_jsonw_kv_int(w, "ms", row->ms);
    ia_jsonw_key(w, "content");
    ia_json_put(w, row->content);
    ia_jsonw_end_object(w);
}

void ia_call_json(struct ia_jsonw *w, const struct ia_call_row *row)
{
    bool done = row->state == IA_CALL_DONE;
    ia_jsonw_object(w);
    ia_jsonw_kv_int(w, "step", row->step);
    ia_jsonw_kv_int(w, "message_seq", row->message_seq);
    ia_jsonw_kv(w, "id", row->tool_use_id);
    ia_jsonw_kv(w, "tool", row->name);
    ia_jsonw_key(w, "input");
    ia_json_put(w, row->input);
    ia_jsonw_kv_bool(w, "has_effect", row->has_effect);
    ia_jsonw_kv(w, "state", ia_call_state_name(row->state));
    ia_jsonw_key(w, "result");
    ia_json_put(w, row->result);
    ia_jsonw_kv_bool(w, "is_error", row->is_error);
    ia_jsonw_kv(w, "code", done ? row->code : NULL);
    ia_jsonw_kv(w, "outcome", done ? row->outcome : NULL);
    ia_jsonw_kv_int(w, "ms", row->ms);
    ia_jsonw_key(w, "screen");
    if (row->screen.n > 0) {
        ia_jsonw_str(w, row->screen);
    } else {
        ia_jsonw_null(w);
    }
    put_time(w, "intent", row->intent_ms);
    put_time(w, "done", row->done_ms);
    ia_jsonw_end_object(w);
}

enum ia_rc ia_run_cancel_json(struct ia_jsonw *w, const struct ia_run_row *row,
                              enum ia_cancel_result result, struct ia_err *err)
{
    if (result == IA_CANCEL_TOO_LATE) {
        return ia_err_set(err, IA_E_STATE, "run %s has already finished: %s", row->id,
                          ia_run_state_name(row->state));
    }
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "run", row->id);
    ia_jsonw_kv(w, "cancel", result == IA_CANCEL_ASKED ? "asked" : "done");
    ia_jsonw_end_object(w);
    return IA_OK;
}
