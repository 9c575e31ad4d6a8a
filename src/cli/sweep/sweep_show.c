/* sweep_show.c: a plan for people and for programs: what --dry-run prints. */
#include "cli/sweep/sweep_plan.h"

#include "agent/goal/job.h"
#include "base/clean.h"

static void show_texts(struct ia_buf *out, const char *what, const char *const *texts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ia_buf_printf(out, "     %-8s ", i == 0 ? what : "");
        ia_clean(out, ia_str(texts[i]), IA_CLEAN_LINE);
        ia_buf_putc(out, '\n');
    }
}

static void show_line(struct ia_buf *out, const char *what, const char *text)
{
    show_texts(out, what, &text, text ? 1 : 0);
}

static int repeats_of(const struct ia_sweep_plan *p, const struct ia_goal *g)
{
    return p->opts.repeat > 0 ? p->opts.repeat : g->repeat > 0 ? g->repeat : 1;
}

static int retries_of(const struct ia_sweep_plan *p, const struct ia_goal *g)
{
    return p->opts.retries >= 0 ? p->opts.retries : g->retries > 0 ? g->retries : 0;
}

static void show_counts(const struct ia_sweep_plan *p, const struct ia_goal *g,
                        struct ia_buf *out)
{
    const struct ia_budget *b = &g->req.budget;
    ia_buf_printf(out, "     budget   %d steps", b->max_steps);
    if (b->max_seconds > 0) {
        ia_buf_printf(out, ", %d s", b->max_seconds);
    }
    if (b->max_tokens > 0) {
        ia_buf_printf(out, ", %lld tokens", (long long)b->max_tokens);
    }
    if (b->max_usd > 0) {
        ia_buf_printf(out, ", $%g", b->max_usd);
    }
    ia_buf_putc(out, '\n');
    if (repeats_of(p, g) > 1 || retries_of(p, g) > 0) {
        ia_buf_printf(out, "     runs     %d, each retried up to %d times\n", repeats_of(p, g),
                      retries_of(p, g));
    }
}

static void show_goal(const struct ia_sweep_plan *p, const struct ia_goal *g, size_t no,
                      struct ia_buf *out)
{
    ia_buf_printf(out, "%3zu  ", no);
    ia_clean(out, ia_str(g->req.name), IA_CLEAN_LINE);
    ia_buf_printf(out, "  (");
    ia_clean(out, ia_str(g->file), IA_CLEAN_LINE);
    ia_buf_printf(out, ":%u)\n", g->line);
    show_line(out, "goal", g->req.goal);
    show_line(out, "hint", g->req.hint);
    show_line(out, "fails", g->req.fails);
    show_line(out, "app", g->req.app);
    show_line(out, "device", g->device);
    show_line(out, "model", g->req.model);
    for (size_t i = 0; i < g->req.setup_count; i++) {
        const struct ia_setup_step *s = &g->req.setup[i];
        struct ia_buf step = IA_BUF(IA_GOALFILE_VALUE_MAX + 100);
        ia_buf_printf(&step, "%s%s%s", ia_setup_kind_name(s->kind), s->value ? " " : "",
                      s->value ? s->value : "");
        show_line(out, i == 0 ? "setup" : "", ia_buf_cstr(&step));
        ia_buf_fini(&step);
    }
    show_texts(out, "oracle", g->oracle, g->oracle_count);
    show_texts(out, "expect", g->req.expect, g->req.expect_count);
    show_texts(out, "secrets", g->req.secrets, g->req.secret_count);
    show_texts(out, "tags", g->tags, g->tag_count);
    for (size_t i = 0; i < g->need_count; i++) {
        show_line(out, i == 0 ? "needs" : "", ia_goals_at(p->goals, g->needs[i])->req.name);
    }
    show_counts(p, g, out);
}

static void put_texts(struct ia_jsonw *w, const char *key, const char *const *texts, size_t n)
{
    ia_jsonw_key(w, key);
    ia_jsonw_array(w);
    for (size_t i = 0; i < n; i++) {
        ia_jsonw_string(w, texts[i]);
    }
    ia_jsonw_end_array(w);
}

static void put_goal(const struct ia_sweep_plan *p, const struct ia_goal *g, struct ia_jsonw *w)
{
    struct ia_buf job = IA_BUF(IA_JOB_BYTES_MAX);
    ia_job_write(&g->req, g->device, &job);
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "name", g->req.name);
    ia_jsonw_kv(w, "file", g->file);
    ia_jsonw_kv_int(w, "line", g->line);
    put_texts(w, "tags", g->tags, g->tag_count);
    ia_jsonw_key(w, "needs");
    ia_jsonw_array(w);
    for (size_t i = 0; i < g->need_count; i++) {
        ia_jsonw_string(w, ia_goals_at(p->goals, g->needs[i])->req.name);
    }
    ia_jsonw_end_array(w);
    ia_jsonw_kv_int(w, "repeat", repeats_of(p, g));
    ia_jsonw_kv_int(w, "retries", retries_of(p, g));
    ia_jsonw_key(w, "job");
    ia_jsonw_raw(w, ia_buf_str(&job));
    ia_jsonw_end_object(w);
    ia_buf_fini(&job);
}

void ia_sweep_plan_show(const struct ia_sweep_plan *p, struct ia_cli *c)
{
    size_t no = 0;
    ia_jsonw_object(&c->w);
    ia_jsonw_kv_bool(&c->w, "dry_run", true);
    put_texts(&c->w, "lanes", p->opts.lanes, p->opts.lane_count);
    ia_jsonw_key(&c->w, "goals");
    ia_jsonw_array(&c->w);
    for (size_t i = 0; i < ia_goals_count(p->goals); i++) {
        if (p->chosen[i]) {
            show_goal(p, ia_goals_at(p->goals, i), ++no, &c->text);
            put_goal(p, ia_goals_at(p->goals, i), &c->w);
        }
    }
    ia_jsonw_end_array(&c->w);
    ia_jsonw_end_object(&c->w);
    ia_buf_printf(&c->text, "%zu of %zu goals on %zu device%s; nothing was run\n", no,
                  ia_goals_count(p->goals), p->opts.lane_count,
                  p->opts.lane_count == 1 ? "" : "s");
}
