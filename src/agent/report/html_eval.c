/* html_eval.c: the page of an evaluation: rates by difficulty and area, and each goal with its violations, the worst
 * first. */
#include "agent/report/html.h"

#include <string.h>

enum { TEXTS = 12 };

/* Buffers of one template. */
struct texts {
    struct ia_buf b[TEXTS];
};

static void texts_init(struct texts *t)
{
    for (size_t i = 0; i < TEXTS; i++) {
        t->b[i] = IA_BUF(IA_HTML_PART_MAX);
    }
}

static void texts_fini(struct texts *t)
{
    for (size_t i = 0; i < TEXTS; i++) {
        ia_buf_fini(&t->b[i]);
    }
}

static double rate_of(const struct ia_eval_sum *s)
{
    return s->n > 0 ? (double)s->kinds[IA_EVAL_SUCCESS] / s->n : 0;
}

static void put_interval(struct ia_buf *out, const struct ia_eval_sum *s)
{
    ia_buf_printf(out, "%.0f to %.0f %%", ia_percent(s->rate.low), ia_percent(s->rate.high));
}

static int64_t tokens_of(const struct ia_eval_sum *s)
{
    const struct ia_usage_row *u = &s->usage;
    return u->input + u->cache_read + u->cache_write + u->output;
}

static void put_per_success(struct ia_buf *out, const struct ia_eval_sum *s, bool demo)
{
    double usd;
    if (!demo && ia_eval_usd_per_success(s, &usd)) {
        ia_fmt_usd(out, usd);
    } else {
        ia_buf_puts(out, "–");
    }
}

static void put_cost(struct ia_buf *out, const struct ia_usage_row *u, bool demo)
{
    if (demo) {
        ia_buf_puts(out, "nothing billed");
    } else if (u->cost_known) {
        ia_fmt_usd(out, u->cost_usd);
    } else {
        ia_buf_puts(out, "cost unknown");
    }
}

void ia_html_eval_sum(struct ia_buf *out, const char *name, const struct ia_eval_sum *s,
                      bool demo)
{
    struct texts t;
    texts_init(&t);
    ia_buf_printf(&t.b[0], "%d of %d", s->kinds[IA_EVAL_SUCCESS], s->n);
    ia_fmt_percent(&t.b[1], rate_of(s));
    put_interval(&t.b[2], s);
    ia_buf_printf(&t.b[3], "%.1f", 100 * s->rate.low);
    ia_buf_printf(&t.b[4], "%.1f", 100 * (s->rate.high - s->rate.low));
    ia_buf_printf(&t.b[5], "%.1f", 100 * rate_of(s));
    ia_buf_printf(&t.b[6], "%d", s->kinds[IA_EVAL_FALSE_PASS]);
    ia_buf_printf(&t.b[7], "%d", s->kinds[IA_EVAL_FALSE_FAILURE]);
    ia_buf_printf(&t.b[8], "%.1f", s->goals > 0 ? (double)s->steps / s->goals : 0);
    ia_fmt_count(&t.b[9], s->goals > 0 ? tokens_of(s) / s->goals : 0);
    put_per_success(&t.b[10], s, demo);
    ia_tmpl(out, "eval_group.html",
            (struct ia_tmpl_var[]){IA_VAR("name", name),
                                   IA_VAR_BUF("done", &t.b[0]),
                                   IA_VAR_BUF("rate", &t.b[1]),
                                   IA_VAR_BUF("interval", &t.b[2]),
                                   IA_VAR_BUF("low", &t.b[3]),
                                   IA_VAR_BUF("width", &t.b[4]),
                                   IA_VAR_BUF("at", &t.b[5]),
                                   IA_VAR_BUF("false_passes", &t.b[6]),
                                   IA_VAR_IF("bad", s->kinds[IA_EVAL_FALSE_PASS] > 0),
                                   IA_VAR_BUF("false_failures", &t.b[7]),
                                   IA_VAR_BUF("steps", &t.b[8]),
                                   IA_VAR_BUF("tokens", &t.b[9]),
                                   IA_VAR_BUF("per_success", &t.b[10]),
                                   {0}});
    texts_fini(&t);
}

static void put_groups(struct ia_buf *out, const struct ia_eval *e,
                       const struct ia_eval_sum *all)
{
    struct ia_eval_group g;
    for (size_t i = 0; ia_eval_group(e, i, &g); i++) {
        struct ia_buf name = IA_BUF(512);
        ia_eval_group_name(&g, &name);
        ia_html_eval_sum(out, ia_buf_cstr(&name), &g.sum, e->demo);
        ia_buf_fini(&name);
    }
    ia_html_eval_sum(out, "all", all, e->demo);
}

/* Colours of the page by what a kind is. */
static const struct {
    const char *tone, *state;
} looks[IA_EVAL_KINDS] = {
    [IA_EVAL_FALSE_PASS] = {"bad", "failed"}, [IA_EVAL_FALSE_FAILURE] = {"flaky", "flaky"},
    [IA_EVAL_FAILURE] = {"bad", "failed"},    [IA_EVAL_ERROR] = {"flaky", "flaky"},
    [IA_EVAL_OPEN] = {"other", "waiting"},    [IA_EVAL_SUCCESS] = {"good", "passed"},
};

const char *ia_html_eval_state(enum ia_eval_kind kind)
{
    return looks[kind].state;
}

static void put_row(struct ia_buf *out, const struct ia_eval_row *r, bool demo)
{
    struct texts t;
    texts_init(&t);
    ia_buf_printf(&t.b[0], "goals/%03d.html", r->no);
    ia_buf_printf(&t.b[1], "%d", r->difficulty);
    ia_buf_printf(&t.b[2], "%d", r->line);
    ia_buf_printf(&t.b[3], "%d step%s", r->steps, r->steps == 1 ? "" : "s");
    ia_fmt_ms(&t.b[4], r->ms);
    put_cost(&t.b[5], &r->usage, demo);
    ia_cut(&t.b[6], ia_str(r->said), IA_REP_REASON_MAX);
    ia_tmpl(out, "eval_row.html",
            (struct ia_tmpl_var[]){IA_VAR("tone", looks[r->kind].tone),
                                   IA_VAR("state", looks[r->kind].state),
                                   IA_VAR("kind", ia_eval_kind_name(r->kind)),
                                   IA_VAR_BUF("href", &t.b[0]),
                                   IA_VAR("name", r->name),
                                   IA_VAR("text", r->text),
                                   IA_VAR_BUF("difficulty", &t.b[1]),
                                   IA_VAR("file", r->file),
                                   IA_VAR_BUF("line", &t.b[2]),
                                   IA_VAR("run", r->state[0] ? r->state : "not begun"),
                                   IA_VAR_BUF("said", &t.b[6]),
                                   IA_VAR("wrong", r->wrong),
                                   IA_VAR_BUF("steps", &t.b[3]),
                                   IA_VAR_BUF("time", &t.b[4]),
                                   IA_VAR_BUF("cost", &t.b[5]),
                                   {0}});
    texts_fini(&t);
}

static void put_rows(struct ia_buf *out, const struct ia_eval *e)
{
    for (int kind = 0; kind < IA_EVAL_KINDS; kind++) {
        for (size_t i = 0; i < e->count; i++) {
            if (e->rows[i].kind == (enum ia_eval_kind)kind) {
                put_row(out, &e->rows[i], e->demo);
            }
        }
    }
}

static void put_page(struct ia_buf *out, const struct ia_eval *e)
{
    struct texts t, n;
    struct ia_eval_sum s = ia_eval_sum(e, NULL, NULL);
    const int *k = s.kinds;
    texts_init(&t);
    texts_init(&n);
    ia_fmt_percent(&t.b[0], rate_of(&s));
    put_interval(&t.b[1], &s);
    ia_buf_printf(&t.b[2], "%d", k[IA_EVAL_SUCCESS]);
    ia_buf_printf(&t.b[3], "%d", s.n);
    ia_buf_printf(&t.b[4], "%d", s.holds);
    ia_fmt_count(&t.b[5], s.steps);
    ia_fmt_count(&t.b[6], tokens_of(&s));
    put_cost(&t.b[7], &s.usage, e->demo);
    put_per_success(&t.b[8], &s, e->demo);
    ia_fmt_time(&t.b[9], e->started_ms);
    put_groups(&t.b[10], e, &s);
    put_rows(&t.b[11], e);
    ia_buf_printf(&n.b[0], "%d", k[IA_EVAL_FALSE_PASS]);
    ia_buf_printf(&n.b[1], "%d", k[IA_EVAL_FALSE_FAILURE]);
    ia_buf_printf(&n.b[2], "%d", k[IA_EVAL_OPEN]);
    ia_buf_printf(&n.b[3], "%d", k[IA_EVAL_ERROR]);
    ia_eval_seeds(e, &n.b[4]);
    ia_tmpl(out, "eval.html",
            (struct ia_tmpl_var[]){
                IA_VAR("title", e->title),
                IA_VAR("model", e->model ? e->model : "nobody"),
                IA_VAR_BUF("rate", &t.b[0]),
                IA_VAR_BUF("interval", &t.b[1]),
                IA_VAR_BUF("successes", &t.b[2]),
                IA_VAR_BUF("counted", &t.b[3]),
                IA_VAR_BUF("holds", &t.b[4]),
                IA_VAR_BUF("steps", &t.b[5]),
                IA_VAR_BUF("tokens", &t.b[6]),
                IA_VAR_BUF("cost", &t.b[7]),
                IA_VAR_BUF("per_success", &t.b[8]),
                IA_VAR_BUF("started", &t.b[9]),
                IA_VAR_BUF("groups", &t.b[10]),
                IA_VAR_BUF("rows", &t.b[11]),
                IA_VAR_BUF("n_false_pass", &n.b[0]),
                IA_VAR_BUF("n_false_failure", &n.b[1]),
                IA_VAR("false_passes", k[IA_EVAL_FALSE_PASS] > 0 ? ia_buf_cstr(&n.b[0]) : ""),
                IA_VAR("errors", k[IA_EVAL_ERROR] > 0 ? ia_buf_cstr(&n.b[3]) : ""),
                IA_VAR("open", ia_buf_cstr(&n.b[2])),
                IA_VAR_BUF("seeds", &n.b[4]),
                IA_VAR_IF("unfinished", k[IA_EVAL_OPEN] > 0),
                IA_VAR_IF("demo", e->demo),
                {0}});
    texts_fini(&t);
    texts_fini(&n);
}

enum ia_rc ia_html_eval(struct ia_site *site, const struct ia_eval *e, struct ia_err *err)
{
    struct ia_page page;
    char path[4096];
    (void)snprintf(path, sizeof(path), "%s/eval.html", site->root);
    enum ia_rc rc = ia_page_open(&page, site, path, "", e->title, err);
    if (rc == IA_OK) {
        put_page(&page.out.buf, e);
        rc = ia_page_close(&page, IA_OK, err);
    }
    return rc;
}
