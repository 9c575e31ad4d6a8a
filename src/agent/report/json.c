/* json.c: the report as our own JSON; docs/report.schema.json describes it. */
#include "agent/report/model.h"

#include "agent/report/out.h"
#include "base/jsonw.h"
#include "json/json.h"

#include <stdlib.h>

static void kv_time(struct ia_jsonw *w, const char *key, int64_t wall_ms)
{
    char iso[IA_ISO_SIZE];
    ia_iso_format(wall_ms, iso);
    ia_jsonw_kv(w, key, wall_ms > 0 ? iso : NULL);
}

static void kv_seconds(struct ia_jsonw *w, const char *key, int64_t ms)
{
    ia_jsonw_kv_real(w, key, (double)ms / 1000.0);
}

static void kv_json(struct ia_jsonw *w, const char *key, const char *json, const char *none)
{
    ia_jsonw_key(w, key);
    ia_jsonw_raw(w, ia_str(ia_json_ok(ia_str(json)) ? json : none));
}

/* ---- steps ------------------------------------------------------------------------------- */

static void put_box(struct ia_jsonw *w, const struct ia_rep_step *s)
{
    ia_jsonw_key(w, "box");
    if (!s->has_box) {
        ia_jsonw_null(w);
        return;
    }
    ia_jsonw_object(w);
    ia_jsonw_kv_real(w, "x", s->x);
    ia_jsonw_kv_real(w, "y", s->y);
    ia_jsonw_kv_real(w, "w", s->w);
    ia_jsonw_kv_real(w, "h", s->h);
    ia_jsonw_end_object(w);
}

static void put_answer(struct ia_jsonw *w, const struct ia_rep_step *s)
{
    ia_jsonw_key(w, "answer");
    ia_jsonw_object(w);
    ia_jsonw_kv_int(w, "turn", s->turn);
    ia_jsonw_kv_int(w, "ms", s->model_ms);
    ia_jsonw_kv_int(w, "tokens_in", s->tokens_in);
    ia_jsonw_kv_int(w, "tokens_cached", s->tokens_cached);
    ia_jsonw_kv_int(w, "tokens_out", s->tokens_out);
    ia_jsonw_kv_known(w, "cost_usd", s->cost_usd, s->cost_known);
    ia_jsonw_end_object(w);
}

struct step_writer {
    struct ia_out *out;
    struct ia_jsonw *w;
};

/* The input is JSON text, but it may have been cut. */
static void put_input(struct ia_jsonw *w, const char *input)
{
    ia_jsonw_key(w, "input");
    if (ia_json_ok(ia_str(input))) {
        ia_jsonw_raw(w, ia_str(input));
    } else {
        ia_jsonw_string(w, input);
    }
}

static bool put_step(void *ctx, const struct ia_rep_step *s)
{
    struct step_writer *sw = ctx;
    struct ia_jsonw *w = sw->w;
    ia_jsonw_object(w);
    ia_jsonw_kv_int(w, "step", s->step);
    ia_jsonw_kv(w, "tool", s->tool);
    ia_jsonw_kv(w, "element", s->element);
    put_input(w, s->input);
    ia_jsonw_kv(w, "reason", s->reason);
    ia_jsonw_kv(w, "replay", s->replay[0] ? s->replay : NULL);
    ia_jsonw_kv_bool(w, "done", s->done);
    ia_jsonw_kv_bool(w, "ok", s->ok);
    ia_jsonw_kv(w, "code", s->code);
    ia_jsonw_kv(w, "outcome", s->outcome);
    ia_jsonw_kv_bool(w, "changed", s->changed);
    ia_jsonw_kv(w, "changes", s->changes);
    ia_jsonw_kv_int(w, "ms", s->ms);
    put_box(w, s);
    ia_jsonw_kv(w, "before", s->before.sha);
    ia_jsonw_kv(w, "after", s->after.sha);
    put_answer(w, s);
    ia_jsonw_kv(w, "missing", s->missing[0] ? s->missing : NULL);
    ia_jsonw_kv(w, "verifier", s->verifier[0] ? s->verifier : NULL);
    ia_jsonw_kv(w, "relaunched", s->relaunched[0] ? s->relaunched : NULL);
    ia_jsonw_end_object(w);
    ia_out_flush(sw->out);
    return ia_buf_ok(&sw->out->buf);
}

/* ---- runs -------------------------------------------------------------------------------- */

static void put_evidence(struct ia_jsonw *w, const struct ia_rep_run *run)
{
    ia_jsonw_key(w, "evidence");
    ia_jsonw_array(w);
    for (size_t i = 0; i < run->evidence_count; i++) {
        ia_jsonw_object(w);
        ia_jsonw_kv(w, "quote", run->evidence[i].quote);
        ia_jsonw_key(w, "step");
        if (run->evidence[i].step >= 0) {
            ia_jsonw_int(w, run->evidence[i].step);
        } else {
            ia_jsonw_null(w);
        }
        ia_jsonw_kv_bool(w, "unproven", run->evidence[i].unproven);
        ia_jsonw_kv_bool(w, "pictured", run->evidence[i].pictured);
        ia_jsonw_end_object(w);
    }
    ia_jsonw_end_array(w);
}

void ia_rep_put_expectations(struct ia_jsonw *w, const struct ia_rep_run *run)
{
    size_t i = 0;
    const json_t *e = NULL;
    ia_jsonw_key(w, "expectations");
    ia_jsonw_array(w);
    json_array_foreach(run->expect, i, e)
    {
        const struct ia_event_expects *checked = ia_rep_checked(run, json_string_value(e));
        ia_jsonw_object(w);
        ia_jsonw_kv(w, "expect", json_string_value(e));
        ia_jsonw_key(w, "held");
        if (checked) {
            ia_jsonw_bool(w, checked->held);
        } else {
            ia_jsonw_null(w);
        }
        ia_jsonw_kv(w, "found", checked && checked->found.n > 0 ? checked->found.p : NULL);
        ia_jsonw_end_object(w);
    }
    ia_jsonw_end_array(w);
}

static void put_replay(struct ia_jsonw *w, const struct ia_rep_run *run)
{
    const struct ia_event_replay *replay = &run->end.run_finished.result.replay;
    struct ia_buf json = IA_BUF(IA_EVENT_BYTES_MAX);
    bool has = run->end.type == IA_EVENT_RUN_FINISHED && replay->has;
    if (has) {
        ia_event_write_part(&json, IA_EVENT_PART(replay));
    }
    kv_json(w, "replay", has ? ia_buf_cstr(&json) : NULL, "null");
    ia_buf_fini(&json);
}

static void put_verdict(struct ia_jsonw *w, const struct ia_rep_run *run)
{
    const struct ia_run_row *row = run->row;
    ia_jsonw_kv(w, "state", ia_run_state_name(row->state));
    ia_jsonw_kv_bool(w, "process_gone", run->gone);
    ia_jsonw_kv(w, "code", row->code);
    ia_jsonw_kv(w, "summary", row->summary);
    ia_jsonw_kv(w, "message", run->message);
    ia_jsonw_kv(w, "advice", run->hint);
    ia_jsonw_kv(w, "basis", row->basis);
    ia_jsonw_kv(w, "outcome", row->outcome);
    put_replay(w, run);
    put_evidence(w, run);
    ia_rep_put_expectations(w, run);
}

static void put_figures(struct ia_jsonw *w, const struct ia_rep_run *run)
{
    const struct ia_usage_row *u = &run->row->usage;
    kv_time(w, "started", run->row->started_ms);
    kv_time(w, "finished", run->row->finished_ms);
    kv_seconds(w, "seconds", run->ms);
    ia_jsonw_kv_int(w, "step_count", run->row->steps);
    ia_jsonw_key(w, "tokens");
    ia_jsonw_object(w);
    ia_jsonw_kv_int(w, "input", u->input);
    ia_jsonw_kv_int(w, "cache_read", u->cache_read);
    ia_jsonw_kv_int(w, "cache_write", u->cache_write);
    ia_jsonw_kv_int(w, "output", u->output);
    ia_jsonw_end_object(w);
    ia_jsonw_kv_known(w, "cost_usd", u->cost_usd, u->cost_known && !run->row->demo);
}

/* ---- a run ------------------------------------------------------------------------------- */

static void put_asked(struct ia_jsonw *w, const struct ia_rep *r, const struct ia_rep_goal *g,
                      const struct ia_rep_run *run)
{
    const struct ia_run_row *row = run->row;
    struct ia_buf command = IA_BUF((size_t)1 << 20);
    ia_jsonw_kv(w, "id", row->id);
    ia_jsonw_kv_int(w, "attempt", row->attempt);
    ia_jsonw_kv(w, "goal", row->goal);
    ia_jsonw_kv(w, "app", row->app);
    ia_jsonw_kv(w, "hint", row->hint);
    ia_jsonw_kv(w, "agent", row->agent);
    ia_jsonw_kv(w, "model", ia_run_model(row));
    ia_jsonw_kv_bool(w, "demo", row->demo);
    ia_jsonw_kv(w, "lane", row->lane);
    char *device = json_dumps(run->device, JSON_COMPACT);
    kv_json(w, "device", device, "{}");
    free(device);
    kv_json(w, "expect", row->expect, "[]");
    kv_json(w, "budget", row->budget, "{}");
    ia_rep_command(r, g, run, &command);
    ia_jsonw_kv(w, "command", ia_buf_cstr(&command));
    ia_jsonw_kv(w, "screenshot", row->screenshot);
    ia_buf_fini(&command);
}

static enum ia_rc put_run(const struct ia_rep *r, const struct ia_rep_goal *g,
                          const struct ia_rep_run *run, struct step_writer *sw,
                          struct ia_err *err)
{
    struct ia_jsonw *w = sw->w;
    ia_jsonw_object(w);
    put_asked(w, r, g, run);
    put_verdict(w, run);
    put_figures(w, run);
    enum ia_rc rc = ia_rep_put_policy(w, r->store, run->row->id, err);
    if (rc == IA_OK) {
        rc = ia_rep_put_subtasks(w, r->store, run->row->id, err);
    }
    ia_jsonw_key(w, "steps");
    ia_jsonw_array(w);
    if (rc == IA_OK) {
        rc = ia_rep_steps(r->store, run->row->id, put_step, sw, err);
    }
    ia_jsonw_end_array(w);
    ia_jsonw_end_object(w);
    return rc;
}

/* ---- goals ------------------------------------------------------------------------------- */

static void put_rate(struct ia_jsonw *w, const struct ia_rep_goal *g)
{
    ia_jsonw_key(w, "pass_rate");
    if (g->repeats_done == 0) {
        ia_jsonw_null(w);
        return;
    }
    ia_jsonw_object(w);
    ia_jsonw_kv_int(w, "passed", g->repeats_passed);
    ia_jsonw_kv_int(w, "of", g->repeats_done);
    ia_jsonw_kv_real(w, "low", g->rate.low);
    ia_jsonw_kv_real(w, "high", g->rate.high);
    ia_jsonw_end_object(w);
}

static void put_tags(struct ia_jsonw *w, const struct ia_rep_goal *g)
{
    size_t i = 0;
    const json_t *tag = NULL;
    ia_jsonw_key(w, "tags");
    ia_jsonw_array(w);
    json_array_foreach(g->tags, i, tag)
    {
        ia_jsonw_string(w, json_string_value(tag));
    }
    ia_jsonw_end_array(w);
}

static enum ia_rc put_goal(const struct ia_rep *r, const struct ia_rep_goal *g,
                           struct step_writer *sw, struct ia_err *err)
{
    struct ia_jsonw *w = sw->w;
    bool known;
    double usd = ia_rep_goal_cost(g, &known);
    enum ia_rc rc = IA_OK;
    ia_jsonw_object(w);
    ia_jsonw_kv_int(w, "no", g->no);
    ia_jsonw_kv(w, "name", g->name);
    ia_jsonw_kv(w, "file", g->file);
    ia_jsonw_kv_int(w, "line", g->line);
    ia_jsonw_kv_int(w, "repeat", g->repeat);
    ia_jsonw_kv(w, "state", ia_rep_state_name(g->state));
    ia_jsonw_kv_bool(w, "flaky", g->state == IA_REP_FLAKY);
    ia_jsonw_kv_bool(w, "strict", g->strict);
    ia_jsonw_kv(w, "reason", g->reason);
    put_tags(w, g);
    put_rate(w, g);
    kv_seconds(w, "seconds", ia_rep_goal_ms(g));
    ia_jsonw_kv_known(w, "cost_usd", usd, known);
    ia_jsonw_key(w, "runs");
    ia_jsonw_array(w);
    for (size_t i = 0; rc == IA_OK && i < g->run_count; i++) {
        rc = put_run(r, g, &g->runs[i], sw, err);
    }
    ia_jsonw_end_array(w);
    ia_jsonw_end_object(w);
    return rc;
}

static void put_totals(struct ia_jsonw *w, const struct ia_rep *r)
{
    const struct ia_rep_totals *t = &r->totals;
    ia_jsonw_key(w, "totals");
    ia_jsonw_object(w);
    ia_jsonw_kv_int(w, "goals", (int64_t)r->goal_count);
    for (int i = 0; i < IA_REP_STATE_COUNT; i++) {
        ia_jsonw_kv_int(w, ia_rep_state_name((enum ia_rep_state)i), t->count[i]);
    }
    ia_jsonw_kv_int(w, "replayed", t->replayed);
    ia_jsonw_kv_int(w, "runs", t->runs);
    ia_jsonw_kv_int(w, "steps", t->steps);
    ia_jsonw_kv_int(w, "tokens_in", t->tokens_in);
    ia_jsonw_kv_int(w, "tokens_cached", t->tokens_cached);
    ia_jsonw_kv_int(w, "tokens_out", t->tokens_out);
    kv_seconds(w, "run_seconds", t->run_ms);
    ia_jsonw_kv_known(w, "cost_usd", t->cost_usd, t->cost_known);
    ia_jsonw_kv_bool(w, "demo", t->demo);
    ia_jsonw_kv_bool(w, "simulated", t->simulated);
    ia_jsonw_end_object(w);
}

enum ia_rc ia_rep_json(const struct ia_rep *r, struct ia_out *out, struct ia_err *err)
{
    struct ia_jsonw w;
    ia_jsonw_init(&w, &out->buf);
    struct step_writer sw = {out, &w};
    enum ia_rc rc = IA_OK;
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "format", "ios-agent-report");
    ia_jsonw_kv_int(&w, "version", 1);
    ia_jsonw_kv(&w, "program", r->program);
    kv_time(&w, "generated", r->now_ms);
    ia_jsonw_kv(&w, "kind", r->sweep ? "sweep" : "run");
    ia_jsonw_kv(&w, "id", r->id);
    ia_jsonw_kv(&w, "title", r->title);
    ia_jsonw_kv(&w, "state", r->state);
    ia_jsonw_kv(&w, "why", r->why);
    ia_jsonw_kv_bool(&w, "unfinished", ia_rep_unfinished(r));
    kv_time(&w, "started", r->started_ms);
    kv_time(&w, "finished", r->finished_ms);
    put_totals(&w, r);
    ia_jsonw_key(&w, "goals");
    ia_jsonw_array(&w);
    for (size_t i = 0; rc == IA_OK && i < r->goal_count; i++) {
        rc = put_goal(r, &r->goals[i], &sw, err);
    }
    ia_jsonw_end_array(&w);
    ia_jsonw_end_object(&w);
    ia_buf_putc(&out->buf, '\n');
    return rc;
}
