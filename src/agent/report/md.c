/* md.c: Markdown for a pull request, an issue or a job's summary.
 *
 * A comment on GitHub holds 65,536 characters, so the report stays below: goals that did not
 * pass come first and in detail, the others as a table, and what does not fit is counted. */
#include "agent/report/model.h"

#include "agent/report/escape.h"
#include "agent/report/out.h"

#include <string.h>

enum { NAME_MAX_BYTES = 160, STORY_MAX = 400, QUOTE_MAX = 160, BYTES_MAX = 56 << 10 };

static const char *mark_of(enum ia_rep_state state)
{
    static const char *const marks[IA_REP_STATE_COUNT] = {
        "⏳", "▶️", "✅", "⚠️", "❌", "🚧", "💥", "⏹️", "⏭️", "☑️", "🩹",
    };
    return marks[state];
}

static void put_cut(struct ia_buf *b, const char *text, size_t max)
{
    struct ia_buf cut = IA_BUF(max + 8);
    ia_cut(&cut, ia_str(text), max);
    ia_esc_md(b, ia_buf_str(&cut));
    ia_buf_fini(&cut);
}

/* ---- head -------------------------------------------------------------------------------- */

static void put_states(struct ia_buf *b, const struct ia_rep *r)
{
    const char *between = "";
    for (int i = 0; i < IA_REP_STATE_COUNT; i++) {
        if (r->totals.count[i] > 0) {
            ia_buf_printf(b, "%s%s %d %s", between, mark_of((enum ia_rep_state)i),
                          r->totals.count[i], ia_rep_state_name((enum ia_rep_state)i));
            between = " · ";
        }
    }
    ia_buf_puts(b, "\n\n");
}

static void put_figures(struct ia_buf *b, const struct ia_rep *r)
{
    const struct ia_rep_totals *t = &r->totals;
    int64_t end = r->finished_ms > 0 ? r->finished_ms : r->now_ms;
    ia_buf_printf(b, "%d run%s, %d step%s, ", t->runs, t->runs == 1 ? "" : "s", t->steps,
                  t->steps == 1 ? "" : "s");
    ia_fmt_ms(b, r->started_ms > 0 && end > r->started_ms ? end - r->started_ms : 0);
    ia_buf_puts(b, ", ");
    ia_fmt_count(b, t->tokens_in + t->tokens_out);
    ia_buf_puts(b, " tokens, ");
    if (!t->cost_known) {
        ia_buf_puts(b, "cost unknown");
    } else if (t->demo && t->cost_usd <= 0) {
        ia_buf_puts(b, "nothing billed");
    } else {
        ia_fmt_usd(b, t->cost_usd);
    }
    ia_buf_puts(b, "\n\n");
}

static void put_notes(struct ia_buf *b, const struct ia_rep *r)
{
    if (ia_rep_unfinished(r)) {
        ia_buf_puts(b, "> Not finished: this is its current state.\n\n");
    }
    if (r->why) {
        ia_buf_puts(b, "> Stopped: ");
        put_cut(b, r->why, STORY_MAX);
        ia_buf_puts(b, "\n\n");
    }
    if (r->totals.demo) {
        ia_buf_puts(b, "> Answered by the demo brain, which follows literal steps and does not "
                       "reason.\n\n");
    }
    if (r->totals.simulated) {
        ia_buf_puts(b, "> The device is simulated by ios-agent.\n\n");
    }
}

/* ---- goals ------------------------------------------------------------------------------- */

static void put_name(struct ia_buf *b, const struct ia_rep_goal *g)
{
    put_cut(b, g->name, NAME_MAX_BYTES);
    if (g->repeats > 1) {
        ia_buf_printf(b, " (%d of %d)", g->repeat, g->repeats);
    }
}

static void put_evidence(struct ia_buf *b, const struct ia_rep_run *run)
{
    for (size_t i = 0; i < run->evidence_count && i < 5; i++) {
        ia_buf_puts(b, "- evidence: “");
        put_cut(b, run->evidence[i].quote, QUOTE_MAX);
        ia_buf_puts(b, "”");
        if (run->evidence[i].step >= 0) {
            ia_buf_printf(b, " (step %d)", run->evidence[i].step);
        }
        ia_buf_puts(b, run->evidence[i].unproven ? " (not found)" : "");
        ia_buf_puts(b, run->evidence[i].pictured ? " (read on the picture)" : "");
        ia_buf_putc(b, '\n');
    }
}

/* A fence of more backticks than the text has in a row cannot be closed by it. */
static void put_command(struct ia_buf *b, const struct ia_rep *r, const struct ia_rep_goal *g,
                        const struct ia_rep_run *run)
{
    struct ia_buf command = IA_BUF((size_t)1 << 20);
    ia_rep_command(r, g, run, &command);
    size_t longest = 0, row = 0;
    for (size_t i = 0; i < command.len; i++) {
        row = command.p[i] == '`' ? row + 1 : 0;
        longest = row > longest ? row : longest;
    }
    size_t fence = longest < 3 ? 3 : longest + 1;
    for (size_t i = 0; i < fence; i++) {
        ia_buf_putc(b, '`');
    }
    ia_buf_puts(b, "sh\n");
    ia_buf_putstr(b, ia_buf_str(&command));
    ia_buf_putc(b, '\n');
    for (size_t i = 0; i < fence; i++) {
        ia_buf_putc(b, '`');
    }
    ia_buf_puts(b, "\n\n");
    ia_buf_fini(&command);
}

static void put_replay(struct ia_buf *b, const struct ia_rep_run *run)
{
    struct ia_buf words = IA_BUF(STORY_MAX * 4);
    ia_rep_replay(run, &words);
    if (words.len > 0) {
        ia_buf_puts(b, "- replay: ");
        put_cut(b, ia_buf_cstr(&words), STORY_MAX);
        ia_buf_putc(b, '\n');
    }
    if (ia_outcome_healed(run->row->outcome)) {
        ia_buf_puts(
            b,
            "- healed: look at what the model changed, then `ios-agent recordings accept` or "
            "`reject`\n");
    }
    ia_buf_fini(&words);
}

struct listing {
    struct ia_buf *b;
    int left; /* that had no room */
};

static bool put_subtask(void *ctx, const struct ia_tree_item *item)
{
    struct listing *l = ctx;
    struct ia_buf text = IA_BUF((size_t)1 << 20);
    if (l->b->len < BYTES_MAX * 2 / 3) {
        ia_rep_subtask(item, &text);
        ia_buf_printf(l->b, "%*s- subtask %d: ", 2 * item->depth, "", item->number);
        put_cut(l->b, ia_buf_cstr(&text), STORY_MAX);
        ia_buf_putc(l->b, '\n');
    } else {
        l->left++;
    }
    ia_buf_fini(&text);
    return true;
}

static enum ia_rc put_subtasks(struct ia_buf *b, const struct ia_rep *r,
                               const struct ia_rep_run *run, struct ia_err *err)
{
    struct listing l = {.b = b};
    enum ia_rc rc = ia_store_tree(r->store, run->row->id, put_subtask, &l, err);
    if (l.left > 0) {
        ia_buf_printf(b, "- … and %d more subtasks\n", l.left);
    }
    return rc;
}

static enum ia_rc put_bad(struct ia_buf *b, const struct ia_rep *r, const struct ia_rep_goal *g,
                          struct ia_err *err)
{
    const struct ia_rep_run *last = ia_rep_last(g);
    ia_buf_printf(b, "### %s ", mark_of(g->state));
    put_name(b, g);
    ia_buf_printf(b, ": %s\n\n", ia_rep_state_name(g->state));
    if (g->file) {
        put_cut(b, g->file, NAME_MAX_BYTES);
        ia_buf_printf(b, ", line %d\n\n", g->line);
    }
    put_cut(b, ia_rep_goal_story(g), STORY_MAX);
    ia_buf_puts(b, "\n\n");
    if (!last) {
        return IA_OK;
    }
    if (last->message[0] != '\0') {
        ia_buf_printf(b, "- why: %s: ", last->row->code ? last->row->code : "");
        put_cut(b, last->message, STORY_MAX);
        ia_buf_putc(b, '\n');
    }
    size_t i = 0;
    const json_t *e = NULL;
    json_array_foreach(last->expect, i, e)
    {
        const struct ia_event_expects *checked = ia_rep_checked(last, json_string_value(e));
        ia_buf_printf(b, "- expected (%s): ", ia_rep_checked_words(checked));
        put_cut(b, json_string_value(e), QUOTE_MAX);
        if (checked && checked->found.n > 0) {
            ia_buf_puts(b, " — found: ");
            put_cut(b, ia_event_text(checked->found), QUOTE_MAX);
        }
        ia_buf_putc(b, '\n');
    }
    if (*ia_rep_basis(last)) {
        ia_buf_printf(b, "- basis: %s\n", ia_rep_basis(last));
    }
    put_replay(b, last);
    put_evidence(b, last);
    enum ia_rc rc = put_subtasks(b, r, last, err);
    ia_buf_printf(b, "- run %s\n\n", last->row->id);
    put_command(b, r, g, last);
    return rc;
}

static void put_row(struct ia_buf *b, const struct ia_rep_goal *g)
{
    bool known;
    double usd = ia_rep_goal_cost(g, &known);
    const struct ia_rep_run *last = ia_rep_last(g);
    ia_buf_printf(b, "| %s | ", mark_of(g->state));
    put_name(b, g);
    ia_buf_printf(b, " | %s%s | %zu | %d | ", ia_rep_state_name(g->state),
                  ia_rep_replayed(g) ? " (replayed)" : "", g->run_count,
                  last ? last->row->steps : 0);
    ia_fmt_ms(b, ia_rep_goal_ms(g));
    ia_buf_puts(b, " | ");
    if (known) {
        ia_fmt_usd(b, usd);
    } else {
        ia_buf_puts(b, last && last->row->demo ? "demo" : "-");
    }
    if (g->repeats > 1 && g->repeats_done > 0) {
        ia_buf_printf(b, " | %d of %d (%.0f to %.0f %%)", g->repeats_passed, g->repeats_done,
                      ia_percent(g->rate.low), ia_percent(g->rate.high));
    } else {
        ia_buf_puts(b, " | ");
    }
    ia_buf_puts(b, " |\n");
}

/* Puts what fits; says how many did not. */
static enum ia_rc put_all_bad(struct ia_buf *b, const struct ia_rep *r, struct ia_err *err)
{
    int left = 0;
    enum ia_rc rc = IA_OK;
    for (size_t i = 0; rc == IA_OK && i < r->goal_count; i++) {
        const struct ia_rep_goal *g = &r->goals[i];
        /* Of a run alone it was said already. */
        bool look = ia_rep_state_bad(g->state) || (r->sweep && g->state == IA_REP_HEALED);
        if (look && b->len < BYTES_MAX * 2 / 3) {
            rc = put_bad(b, r, g, err);
        } else if (look) {
            left++;
        }
    }
    if (left > 0) {
        ia_buf_printf(b, "… and %d more that did not pass\n\n", left);
    }
    return rc;
}

static void put_table(struct ia_buf *b, const struct ia_rep *r)
{
    size_t i = 0;
    ia_buf_puts(b, "| | Goal | Result | Runs | Steps | Time | Cost | Pass rate |\n"
                   "|---|---|---|---:|---:|---:|---:|---|\n");
    for (; i < r->goal_count && b->len < BYTES_MAX; i++) {
        put_row(b, &r->goals[i]);
    }
    if (i < r->goal_count) {
        ia_buf_printf(b, "\n… and %zu more\n", r->goal_count - i);
    }
    ia_buf_putc(b, '\n');
}

enum ia_rc ia_rep_md(const struct ia_rep *r, struct ia_out *out, struct ia_err *err)
{
    struct ia_buf *b = &out->buf;
    const struct ia_rep_run *only = r->sweep ? NULL : ia_rep_last(&r->goals[0]);
    enum ia_rc rc = IA_OK;
    ia_buf_puts(b, "## ");
    put_cut(b, r->title, NAME_MAX_BYTES);
    ia_buf_puts(b, "\n\n");
    put_states(b, r);
    put_figures(b, r);
    put_notes(b, r);
    if (only && only->row->state == IA_RUN_PASSED) {
        put_cut(b, ia_rep_goal_story(&r->goals[0]), STORY_MAX);
        ia_buf_printf(b, "\n\n- basis: %s\n", ia_rep_basis(only));
        put_replay(b, only);
        put_evidence(b, only);
        rc = put_subtasks(b, r, only, err);
        ia_buf_putc(b, '\n');
        put_command(b, r, &r->goals[0], only);
    }
    rc = rc == IA_OK ? put_all_bad(b, r, err) : rc;
    put_table(b, r);
    ia_buf_puts(b, "<sub>");
    put_cut(b, r->program, NAME_MAX_BYTES);
    ia_buf_printf(b, " · %s %s</sub>\n", r->sweep ? "sweep" : "run", r->id);
    return rc;
}
