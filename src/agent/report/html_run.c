/* html_run.c: the page of a goal: its head, and each of its runs with verdict, steps,
 * transcript. */
#include "agent/report/html.h"
#include "events/basis.h"
#include "store/questions.h"

#include <string.h>

/* ---- lists ------------------------------------------------------------------------------- */

static void put_expect(const struct ia_rep_run *run, struct ia_buf *out)
{
    size_t i = 0;
    const json_t *e = NULL;
    json_array_foreach(run->expect, i, e)
    {
        const struct ia_event_expects *checked = ia_rep_checked(run, json_string_value(e));
        ia_tmpl(out, "expect.html",
                (struct ia_tmpl_var[]){
                    IA_VAR("text", json_string_value(e)),
                    IA_VAR("kind", !checked        ? "open"
                                   : checked->held ? "good"
                                                   : "bad"),
                    IA_VAR("words", ia_rep_checked_words(checked)),
                    IA_VAR("found", checked ? ia_event_text(checked->found) : ""),
                    {0}});
    }
}

/* Each quote leads to the step whose screen showed it. */
static void put_evidence(const struct ia_rep_run *run, const char *prefix, struct ia_buf *out)
{
    for (size_t i = 0; i < run->evidence_count; i++) {
        const struct ia_rep_evidence *e = &run->evidence[i];
        struct ia_buf target = IA_BUF(64), where = IA_BUF(64);
        if (e->step >= 0) {
            ia_buf_printf(&target, "%s%d", prefix, e->step == 0 ? 1 : e->step);
            ia_buf_printf(&where, e->step == 0 ? "on the first screen" : "after step %d",
                          e->step);
        } else {
            ia_buf_printf(&target, "%send", prefix);
            ia_buf_puts(&where, "on the last screen");
        }
        if (e->pictured) {
            ia_buf_puts(&where, ", read on the picture");
        }
        if (e->unproven) {
            ia_buf_reset(&where);
            ia_buf_puts(&where, "not found, but the expectations hold");
        }
        ia_tmpl(out, "quote.html",
                (struct ia_tmpl_var[]){IA_VAR("text", e->quote),
                                       IA_VAR_BUF("target", &target),
                                       IA_VAR_BUF("where", &where),
                                       {0}});
        ia_buf_fini(&target);
        ia_buf_fini(&where);
    }
}

/* ---- the head of a run ------------------------------------------------------------------- */

/* A sentence for what has no summary yet. */
static const char *summary_of(const struct ia_rep_run *run)
{
    if (run->row->summary && run->row->summary[0] != '\0') {
        return run->row->summary;
    }
    switch (run->row->state) {
    case IA_RUN_QUEUED:
        return "Waiting in the queue.";
    case IA_RUN_RETRY_WAIT:
        return "Waiting for a retry.";
    case IA_RUN_CLAIMED:
    case IA_RUN_RUNNING:
        return run->gone ? "Interrupted." : "Running.";
    default:
        return ia_run_state_name(run->row->state);
    }
}

static void put_device(const struct ia_rep_run *run, struct ia_buf *out)
{
    ia_buf_puts(out, run->device_name);
    ia_buf_printf(out, "%s%s%s", run->os[0] ? ", " : "", run->os,
                  run->device_name[0] ? ", " : "");
    ia_buf_puts(out, run->row->lane);
}

/* ---- subtasks ---------------------------------------------------------------------------- */

static bool put_subtask(void *ctx, const struct ia_tree_item *item)
{
    const struct ia_run_row *row = item->row;
    struct ia_buf number = IA_BUF(32), depth = IA_BUF(32);
    ia_buf_printf(&number, "%d", item->number);
    ia_buf_printf(&depth, "%d", item->depth);
    ia_tmpl(
        ctx, "subtask.html",
        (struct ia_tmpl_var[]){
            IA_VAR_BUF("number", &number),
            IA_VAR_BUF("depth", &depth),
            IA_VAR("state", ia_run_state_name(row->state)),
            IA_VAR("goal", row->goal),
            IA_VAR("agent", row->agent),
            IA_VAR("device", row->lane),
            IA_VAR("basis", ia_basis_words(ia_basis_from_name(ia_str(row->basis)))),
            IA_VAR("code",
                   row->state == IA_RUN_PASSED || row->state == IA_RUN_FAILED ? "" : row->code),
            IA_VAR("summary", row->summary),
            IA_VAR("id", row->id),
            {0}});
    ia_buf_fini(&number);
    ia_buf_fini(&depth);
    return true;
}

/* ---- policy ------------------------------------------------------------------------------ */

static bool put_question(void *ctx, const struct ia_question_row *q)
{
    static const char *const kinds[IA_QUESTION_STATE_COUNT] = {
        [IA_QUESTION_OPEN] = "blocked",      [IA_QUESTION_APPROVED] = "passed",
        [IA_QUESTION_USED] = "passed",       [IA_QUESTION_DENIED] = "failed",
        [IA_QUESTION_WITHDRAWN] = "skipped",
    };
    struct ia_buf answer = IA_BUF(IA_HTML_PART_MAX);
    ia_rep_answer(q, &answer);
    ia_tmpl(ctx, "question.html",
            (struct ia_tmpl_var[]){IA_VAR("kind", kinds[q->state]),
                                   IA_VAR("state", ia_question_state_name(q->state)),
                                   IA_VAR("rule", q->rule),
                                   IA_VAR("text", q->text),
                                   IA_VAR_BUF("answer", &answer),
                                   IA_VAR("id", q->id),
                                   {0}});
    ia_buf_fini(&answer);
    return true;
}

static bool put_suspect(void *ctx, int step, struct ia_str text)
{
    struct ia_buf number = IA_BUF(32);
    if (step > 0) {
        ia_buf_printf(&number, "%d", step);
    }
    ia_tmpl(ctx, "suspect.html",
            (struct ia_tmpl_var[]){{"text", text}, IA_VAR_BUF("step", &number), {0}});
    ia_buf_fini(&number);
    return true;
}

/* What stands below the head, each with what it reads from the store. */
static enum ia_rc put_stored(struct ia_store *store, const char *run_id, struct ia_buf b[],
                             struct ia_err *err)
{
    enum ia_rc rc = ia_store_tree(store, run_id, put_subtask, &b[12], err);
    if (rc == IA_OK) {
        rc = ia_store_questions(store, true, run_id, put_question, &b[13], err);
    }
    return rc == IA_OK ? ia_rep_suspicious(store, run_id, put_suspect, &b[14], err) : rc;
}

enum { HEAD_TEXTS = 15 };

static void put_texts(struct ia_page *p, const struct ia_rep_goal *g,
                      const struct ia_rep_run *run, const char *prefix,
                      struct ia_buf b[HEAD_TEXTS])
{
    const struct ia_usage_row *u = &run->row->usage;
    put_expect(run, &b[0]);
    put_evidence(run, prefix, &b[1]);
    ia_html_command(p->site->r, g, run, &b[2]);
    put_device(run, &b[3]);
    ia_fmt_count(&b[4], run->row->steps);
    ia_fmt_ms(&b[5], run->ms);
    ia_html_tokens(u->input + u->cache_read + u->cache_write, u->cache_read, u->output, &b[6]);
    ia_rep_cost(run, &b[7]);
    ia_fmt_time(&b[8], run->row->started_ms);
    ia_rep_replay(run, &b[11]);
}

static void put_head(struct ia_page *p, const struct ia_rep_goal *g,
                     const struct ia_rep_run *run, struct ia_buf b[HEAD_TEXTS])
{
    const struct ia_run_row *row = run->row;
    const char *word =
        ia_outcome_healed(row->outcome) ? row->outcome : ia_run_state_name(row->state);
    const char *state = run->gone ? "interrupted" : word;
    ia_tmpl(
        &p->out.buf, "run.html",
        (struct ia_tmpl_var[]){IA_VAR_BUF("title", &b[10]),
                               IA_VAR("state", state),
                               IA_VAR("summary", summary_of(run)),
                               IA_VAR("message", run->message),
                               IA_VAR("code", row->code),
                               IA_VAR_IF("gone", run->gone),
                               IA_VAR("hint", run->hint),
                               IA_VAR("basis", ia_rep_basis(run)),
                               IA_VAR_BUF("replay", &b[11]),
                               IA_VAR("goal", strcmp(g->name, row->goal) == 0 ? "" : row->goal),
                               IA_VAR_BUF("expect", &b[0]),
                               IA_VAR_BUF("evidence", &b[1]),
                               IA_VAR_BUF("command", &b[2]),
                               IA_VAR_BUF("subtasks", &b[12]),
                               IA_VAR_BUF("questions", &b[13]),
                               IA_VAR_BUF("suspicious", &b[14]),
                               IA_VAR_BUF("device", &b[3]),
                               IA_VAR("model", ia_run_model(row)),
                               IA_VAR("app", row->app),
                               IA_VAR_BUF("steps", &b[4]),
                               IA_VAR_BUF("time", &b[5]),
                               IA_VAR_BUF("tokens", &b[6]),
                               IA_VAR_BUF("cost", &b[7]),
                               IA_VAR_BUF("started", &b[8]),
                               IA_VAR("id", row->id),
                               IA_VAR_BUF("strip", &b[9]),
                               IA_VAR_IF("few", b[9].len == 0 && row->steps > 0),
                               IA_VAR_IF("long", row->steps > IA_HTML_LONG),
                               {0}});
}

/* ---- a run ------------------------------------------------------------------------------- */

static void put_end(struct ia_page *p, const struct ia_rep_run *run, const char *prefix)
{
    struct ia_buf id = IA_BUF(64), shot = IA_BUF(IA_HTML_PART_MAX);
    ia_buf_printf(&id, "%send", prefix);
    if (run->row->screenshot) {
        struct ia_rep_picture pic = {run->row->screenshot, 0, 0};
        ia_page_shot(p, &shot, &pic, "the last screen", NULL);
    }
    ia_tmpl(&p->out.buf, "run_end.html",
            (struct ia_tmpl_var[]){IA_VAR_BUF("id", &id), IA_VAR_BUF("shot", &shot), {0}});
    ia_buf_fini(&id);
    ia_buf_fini(&shot);
}

static enum ia_rc put_run(struct ia_page *p, const struct ia_rep_goal *g, size_t i,
                          struct ia_err *err)
{
    const struct ia_rep_run *run = &g->runs[i];
    struct ia_buf b[HEAD_TEXTS], prefix = IA_BUF(32);
    for (size_t k = 0; k < HEAD_TEXTS; k++) {
        b[k] = IA_BUF(IA_HTML_PART_MAX);
    }
    ia_buf_printf(&prefix, "r%zu-", i + 1);
    put_texts(p, g, run, ia_buf_cstr(&prefix), b);
    if (g->run_count > 1) {
        ia_buf_printf(&b[10], "Try %zu of %zu", i + 1, g->run_count);
    }
    enum ia_rc rc = ia_html_strip(p, run, "", ia_buf_cstr(&prefix), &b[9], err);
    if (rc == IA_OK) {
        rc = put_stored(p->site->r->store, run->row->id, b, err);
    }
    if (rc == IA_OK) {
        put_head(p, g, run, b);
        rc = ia_html_steps(p, run, ia_buf_cstr(&prefix), err);
    }
    if (rc == IA_OK) {
        put_end(p, run, ia_buf_cstr(&prefix));
        rc = ia_html_talk(p, run, err);
    }
    for (size_t k = 0; k < HEAD_TEXTS; k++) {
        ia_buf_fini(&b[k]);
    }
    ia_buf_fini(&prefix);
    return rc;
}

/* ---- a goal ------------------------------------------------------------------------------ */

static void put_goal_head(struct ia_page *p, const struct ia_rep_goal *g)
{
    const struct ia_rep *r = p->site->r;
    const struct ia_rep_run *last = ia_rep_last(g);
    struct ia_buf line = IA_BUF(32), repeat = IA_BUF(64), rate = IA_BUF(128), now = IA_BUF(64);
    ia_buf_printf(&line, "%d", g->line);
    ia_html_repeat(g, &repeat);
    ia_html_rate(g, &rate);
    ia_fmt_time(&now, r->now_ms);
    ia_tmpl(&p->out.buf, "goal.html",
            (struct ia_tmpl_var[]){
                IA_VAR("back", r->sweep ? p->site->to_index : ""),
                IA_VAR("sweep_title", r->title),
                IA_VAR("file", g->file),
                IA_VAR_BUF("line", &line),
                IA_VAR("state", ia_rep_state_name(g->state)),
                IA_VAR("name", g->name),
                IA_VAR_BUF("repeat", &repeat),
                IA_VAR_BUF("rate", &rate),
                IA_VAR("reason", last && g->reason && last->row->summary &&
                                         strcmp(g->reason, last->row->summary) == 0
                                     ? ""
                                     : g->reason),
                IA_VAR_IF("flaky", g->state == IA_REP_FLAKY),
                IA_VAR_IF("healed", g->state == IA_REP_HEALED),
                IA_VAR_IF("strict", g->strict),
                IA_VAR_IF("unfinished", ia_rep_state_open(g->state)),
                IA_VAR_BUF("now", &now),
                IA_VAR_IF("staged", last && (last->row->demo || last->simulated)),
                IA_VAR_IF("demo", last && last->row->demo),
                IA_VAR_IF("simulated", last && last->simulated),
                {0}});
    ia_buf_fini(&line);
    ia_buf_fini(&repeat);
    ia_buf_fini(&rate);
    ia_buf_fini(&now);
}

/* The last try first: it is the verdict. */
enum ia_rc ia_html_goal(struct ia_page *p, const struct ia_rep_goal *g, struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    put_goal_head(p, g);
    for (size_t i = g->run_count; rc == IA_OK && i > 0; i--) {
        rc = put_run(p, g, i - 1, err);
    }
    ia_buf_puts(&p->out.buf, "</main>\n");
    return rc;
}
