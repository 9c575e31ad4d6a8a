/* html_sweep.c: the overview of a sweep: totals, and a row for each goal with the strip of its
 * last run. */
#include "agent/report/html.h"

#include <string.h>

/* What the filter of the overview calls it. */
static const char *kind_of(enum ia_rep_state state)
{
    if (state == IA_REP_FLAKY || state == IA_REP_HEALED) {
        return ia_rep_state_name(state);
    }
    return ia_rep_state_good(state) ? "good" : ia_rep_state_bad(state) ? "bad" : "other";
}

static void put_int(struct ia_buf *out, int64_t n)
{
    ia_fmt_count(out, n);
}

/* ---- head -------------------------------------------------------------------------------- */

static void put_bar(const struct ia_rep *r, struct ia_buf *out)
{
    ia_buf_puts(out, "<div class=\"bar\">");
    for (int i = 0; i < IA_REP_STATE_COUNT; i++) {
        if (r->totals.count[i] > 0) {
            struct ia_buf n = IA_BUF(32);
            ia_buf_printf(&n, "%d", r->totals.count[i]);
            ia_tmpl(
                out, "bar.html",
                (struct ia_tmpl_var[]){IA_VAR("state", ia_rep_state_name((enum ia_rep_state)i)),
                                       IA_VAR_BUF("n", &n),
                                       {0}});
            ia_buf_fini(&n);
        }
    }
    ia_buf_puts(out, "</div>");
}

static void put_cost(const struct ia_rep_totals *t, struct ia_buf *out)
{
    if (!t->cost_known) {
        ia_buf_puts(out, "unknown");
    } else if (t->demo && t->cost_usd <= 0) {
        ia_buf_puts(out, "nothing billed");
    } else {
        ia_fmt_usd(out, t->cost_usd);
    }
}

enum { HEAD_TEXTS = 14 };

static void put_head(struct ia_page *p)
{
    const struct ia_rep *r = p->site->r;
    const struct ia_rep_totals *t = &r->totals;
    int64_t end = r->finished_ms > 0 ? r->finished_ms : r->now_ms;
    struct ia_buf b[HEAD_TEXTS];
    for (size_t i = 0; i < HEAD_TEXTS; i++) {
        b[i] = IA_BUF(4096);
    }
    put_bar(r, &b[0]);
    put_int(&b[1], (int64_t)r->goal_count);
    put_int(&b[2], t->runs);
    put_int(&b[3], t->steps);
    ia_fmt_ms(&b[4], r->started_ms > 0 && end > r->started_ms ? end - r->started_ms : 0);
    ia_html_tokens(t->tokens_in, t->tokens_cached, t->tokens_out, &b[5]);
    put_cost(t, &b[6]);
    ia_fmt_time(&b[7], r->started_ms);
    ia_fmt_time(&b[8], r->now_ms);
    put_int(&b[9], ia_rep_goals_bad(r));
    put_int(&b[10], t->count[IA_REP_FLAKY]);
    put_int(&b[11], t->count[IA_REP_PASSED] + t->count[IA_REP_FLAKY]);
    put_int(&b[12], t->replayed);
    put_int(&b[13], t->count[IA_REP_HEALED]);
    ia_tmpl(&p->out.buf, "sweep.html",
            (struct ia_tmpl_var[]){
                IA_VAR("title", r->title),
                IA_VAR("why", r->why),
                IA_VAR_BUF("bar", &b[0]),
                IA_VAR_BUF("goals", &b[1]),
                IA_VAR_BUF("runs", &b[2]),
                IA_VAR_BUF("steps", &b[3]),
                IA_VAR_BUF("time", &b[4]),
                IA_VAR_BUF("tokens", &b[5]),
                IA_VAR_BUF("cost", &b[6]),
                IA_VAR_BUF("started", &b[7]),
                IA_VAR_BUF("now", &b[8]),
                IA_VAR_BUF("bad", &b[9]),
                IA_VAR_BUF("flaky", &b[10]),
                IA_VAR_BUF("good", &b[11]),
                IA_VAR("replayed", t->replayed ? ia_buf_cstr(&b[12]) : ""),
                IA_VAR("healed", t->count[IA_REP_HEALED] ? ia_buf_cstr(&b[13]) : ""),
                IA_VAR_IF("unfinished", ia_rep_unfinished(r)),
                IA_VAR_IF("eval", r->eval),
                IA_VAR("root", p->to_root),
                IA_VAR_IF("staged", t->demo || t->simulated),
                IA_VAR_IF("demo", t->demo),
                IA_VAR_IF("simulated", t->simulated),
                IA_VAR_IF("long", r->goal_count > IA_HTML_LONG),
                IA_VAR_IF("missing", p->site->done->pictures_missing > 0),
                {0}});
    for (size_t i = 0; i < HEAD_TEXTS; i++) {
        ia_buf_fini(&b[i]);
    }
}

/* ---- goals ------------------------------------------------------------------------------- */

/* Tags twice: as words for the search, and as they are shown. */
static void put_tags(const struct ia_rep_goal *g, struct ia_buf *words, struct ia_buf *shown)
{
    size_t i = 0;
    const json_t *tag = NULL;
    json_array_foreach(g->tags, i, tag)
    {
        const char *text = json_string_value(tag);
        ia_buf_puts(words, text);
        ia_buf_putc(words, ' ');
        ia_tmpl(shown, "tag.html", (struct ia_tmpl_var[]){IA_VAR("text", text), {0}});
    }
}

static void put_figures(const struct ia_rep_goal *g, struct ia_buf *steps, struct ia_buf *time,
                        struct ia_buf *cost)
{
    const struct ia_rep_run *last = ia_rep_last(g);
    bool known;
    double usd = ia_rep_goal_cost(g, &known);
    if (!last) {
        return;
    }
    ia_buf_printf(steps, "%d step%s", last->row->steps, last->row->steps == 1 ? "" : "s");
    if (g->run_count > 1) {
        ia_buf_printf(steps, ", %zu tries", g->run_count);
    }
    ia_fmt_ms(time, ia_rep_goal_ms(g));
    if (known) {
        ia_fmt_usd(cost, usd);
    } else if (!last->row->demo) {
        ia_buf_puts(cost, "cost unknown");
    }
}

enum { ROW_TEXTS = 12 };

static enum ia_rc put_row(struct ia_page *p, const struct ia_rep_goal *g, struct ia_err *err)
{
    const struct ia_rep_run *last = ia_rep_last(g);
    struct ia_buf b[ROW_TEXTS], prefix = IA_BUF(32);
    enum ia_rc rc = IA_OK;
    for (size_t i = 0; i < ROW_TEXTS; i++) {
        b[i] = IA_BUF(IA_HTML_PART_MAX);
    }
    ia_buf_puts(&b[0], p->to_root);
    ia_site_goal_href(g, &b[0]);
    put_tags(g, &b[1], &b[2]);
    put_figures(g, &b[3], &b[4], &b[5]);
    ia_html_rate(g, &b[6]);
    ia_html_repeat(g, &b[7]);
    ia_buf_printf(&b[8], "%d", g->line);
    ia_buf_printf(&b[9], "%d", g->no);
    if (last) {
        ia_buf_printf(&prefix, "r%zu-", g->run_count);
        ia_html_command(p->site->r, g, last, &b[10]);
        rc = ia_html_strip(p, last, ia_buf_cstr(&b[0]), ia_buf_cstr(&prefix), &b[11], err);
    }
    ia_tmpl(&p->out.buf, "row.html",
            (struct ia_tmpl_var[]){IA_VAR("state", ia_rep_state_name(g->state)),
                                   IA_VAR("kind", kind_of(g->state)),
                                   IA_VAR("name", g->name),
                                   IA_VAR("file", g->file),
                                   IA_VAR("story", ia_rep_goal_story(g)),
                                   IA_VAR_BUF("href", &b[0]),
                                   IA_VAR_BUF("tags", &b[1]),
                                   IA_VAR_BUF("tags_html", &b[2]),
                                   IA_VAR_BUF("steps", &b[3]),
                                   IA_VAR_BUF("time", &b[4]),
                                   IA_VAR_BUF("cost", &b[5]),
                                   IA_VAR_BUF("rate", &b[6]),
                                   IA_VAR_BUF("repeat", &b[7]),
                                   IA_VAR_BUF("line", &b[8]),
                                   IA_VAR_BUF("no", &b[9]),
                                   IA_VAR_BUF("command", &b[10]),
                                   IA_VAR_BUF("strip", &b[11]),
                                   IA_VAR_IF("open", ia_rep_state_bad(g->state) ||
                                                         g->state == IA_REP_FLAKY ||
                                                         g->state == IA_REP_HEALED),
                                   IA_VAR_IF("replayed", ia_rep_replayed(g)),
                                   {0}});
    for (size_t i = 0; i < ROW_TEXTS; i++) {
        ia_buf_fini(&b[i]);
    }
    ia_buf_fini(&prefix);
    ia_out_flush(&p->out);
    return rc;
}

enum ia_rc ia_html_sweep(struct ia_page *p, struct ia_err *err)
{
    const struct ia_rep *r = p->site->r;
    enum ia_rc rc = IA_OK;
    put_head(p);
    for (size_t i = 0; rc == IA_OK && i < r->goal_count; i++) {
        rc = put_row(p, &r->goals[i], err);
    }
    ia_buf_puts(&p->out.buf, "</main>\n");
    return rc;
}
