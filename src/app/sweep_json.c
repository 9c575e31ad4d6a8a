/* sweep_json.c: a sweep's row and what its goals came to. */
#include "app/sweep_json.h"

#include "agent/goal/job.h"
#include "agent/sweep/sweep.h"
#include "json/json.h"

const char *ia_sweep_json_state(const struct ia_sweep_row *row)
{
    bool orphaned = row->state == IA_SWEEP_RUNNING && !row->owner_alive;
    return orphaned ? "interrupted" : ia_sweep_state_name(row->state);
}

void ia_sweep_tally_init(struct ia_sweep_tally *s)
{
    *s = (struct ia_sweep_tally){.cost_known = true};
}

static bool by_demo(const struct ia_sweep_goal_row *row)
{
    struct ia_job *job = NULL;
    bool demo =
        ia_job_parse(ia_str(row->job), &job, NULL) == IA_OK && ia_job_request(job)->demo_brain;
    ia_job_free(job);
    return demo;
}

bool ia_sweep_tally_add(void *ctx, const struct ia_sweep_goal_row *row)
{
    struct ia_sweep_tally *s = ctx;
    s->demo = row->no == 1 ? by_demo(row) : s->demo; /* one brain for all */
    if (ia_sweep_row_expected(row)) {
        s->expected++;
    } else if (row->state < IA_SWEEP_GOAL_STATE_COUNT) {
        s->by_state[row->state]++;
    }
    s->cost_usd += row->cost_usd;
    s->cost_known = s->cost_known && row->cost_known;
    return true;
}

static void kv_time(struct ia_jsonw *w, const char *key, int64_t ms)
{
    char iso[IA_ISO_SIZE];
    ia_iso_format(ms, iso);
    ia_jsonw_kv(w, key, ms == 0 ? NULL : iso);
}

void ia_sweep_json(struct ia_jsonw *w, const struct ia_sweep_row *row,
                   const struct ia_sweep_tally *s)
{
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "id", row->id);
    ia_jsonw_kv(w, "title", row->title);
    ia_jsonw_kv(w, "state", ia_sweep_json_state(row));
    ia_jsonw_kv(w, "why", row->why);
    kv_time(w, "created", row->created_ms);
    kv_time(w, "finished", row->finished_ms);
    ia_jsonw_kv_int(w, "goals", row->goals);
    for (int i = 0; i < IA_SWEEP_GOAL_STATE_COUNT; i++) {
        ia_jsonw_kv_int(w, ia_sweep_goal_state_name((enum ia_sweep_goal_state)i),
                        s->by_state[i]);
    }
    ia_jsonw_kv_int(w, "expected", s->expected);
    ia_jsonw_kv_bool(w, "demo", s->demo);
    ia_jsonw_kv_known(w, "cost_usd", s->cost_usd, s->cost_known && !s->demo);
    ia_jsonw_end_object(w);
}

static void kv_raw(struct ia_jsonw *w, const char *key, const char *json)
{
    ia_jsonw_key(w, key);
    ia_json_put(w, ia_str(json));
}

void ia_sweep_goal_json(struct ia_jsonw *w, const struct ia_sweep_goal_row *row, bool job)
{
    enum ia_rc code = row->code ? ia_rc_from_name(row->code) : IA_OK;
    ia_jsonw_object(w);
    ia_jsonw_kv_int(w, "no", row->no);
    ia_jsonw_kv(w, "name", row->name);
    ia_jsonw_kv(w, "state", ia_sweep_goal_state_name(row->state));
    ia_jsonw_kv(w, "outcome", row->outcome);
    ia_jsonw_kv_bool(w, "expected", ia_sweep_row_expected(row));
    ia_jsonw_kv_bool(w, "counts", ia_sweep_goal_counts(row->state, code));
    ia_jsonw_kv(w, "reason", row->reason);
    ia_jsonw_kv_int(w, "repeat", row->repeat);
    ia_jsonw_kv_int(w, "tries", row->tries);
    ia_jsonw_kv_int(w, "ms", row->ms);
    ia_jsonw_kv_known(w, "cost_usd", row->cost_usd, row->tries > 0 && row->cost_known);
    ia_jsonw_kv(w, "code", row->code);
    ia_jsonw_kv(w, "run", row->run_id);
    ia_jsonw_kv(w, "file", row->file);
    ia_jsonw_kv_int(w, "line", row->line);
    kv_raw(w, "needs", row->needs);
    if (job) {
        kv_raw(w, "job", row->job);
    }
    ia_jsonw_end_object(w);
}

enum ia_rc ia_sweep_cancel_json(struct ia_jsonw *w, const struct ia_sweep_row *row,
                                enum ia_cancel_result result, struct ia_err *err)
{
    if (result == IA_CANCEL_TOO_LATE) {
        return ia_err_set(err, IA_E_STATE, "sweep %s has already ended: %s", row->id,
                          ia_sweep_state_name(row->state));
    }
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "sweep", row->id);
    ia_jsonw_kv(w, "cancel", result == IA_CANCEL_ASKED ? "asked" : "done");
    ia_jsonw_end_object(w);
    return IA_OK;
}
