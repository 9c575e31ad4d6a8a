/* say.c: an evaluation, and two side by side, as lines for people and as JSON. */
#include "agent/eval/eval.h"

#include "base/clean.h"
#include "base/columns.h"
#include "base/format.h"

#include <string.h>

enum { NAME_COLUMNS = 34 };

static double share(int part, int n)
{
    return n > 0 ? (double)part / n : 0;
}

void ia_eval_seeds(const struct ia_eval *e, struct ia_buf *out)
{
    ia_buf_printf(out, e->last_seed > e->first_seed ? "seeds %d to %d" : "seed %d",
                  e->first_seed, e->last_seed);
}

/* ---- for people -------------------------------------------------------------------------- */

static void say_percents(struct ia_buf *out, double rate, struct ia_interval i)
{
    ia_buf_printf(out, "%3.0f %% (%.0f to %.0f %%)", ia_percent(rate), ia_percent(i.low),
                  ia_percent(i.high));
}

static void pad(struct ia_buf *out, size_t from, size_t columns)
{
    struct ia_str said = {out->p + from, out->len - from};
    for (size_t n = ia_columns(said); n < columns; n++) {
        ia_buf_putc(out, ' ');
    }
}

static void say_sum(struct ia_buf *out, const char *name, const struct ia_eval_sum *s,
                    bool demo)
{
    size_t from = out->len;
    double usd;
    ia_buf_puts(out, "  ");
    ia_clean(out, ia_str(name), IA_CLEAN_LINE);
    pad(out, from, NAME_COLUMNS);
    from = out->len;
    ia_buf_printf(out, "%3d of %-3d ", s->kinds[IA_EVAL_SUCCESS], s->n);
    if (s->n > 0) {
        say_percents(out, share(s->kinds[IA_EVAL_SUCCESS], s->n), s->rate);
    }
    pad(out, from, 33);
    ia_buf_printf(out, "%5d  %5d  %7.1f", s->kinds[IA_EVAL_FALSE_PASS],
                  s->kinds[IA_EVAL_FALSE_FAILURE],
                  s->goals > 0 ? (double)s->steps / s->goals : 0);
    ia_buf_puts(out, "  ");
    if (!demo && ia_eval_usd_per_success(s, &usd)) {
        ia_fmt_usd(out, usd);
    } else {
        ia_buf_putc(out, '-');
    }
    ia_buf_putc(out, '\n');
}

static void say_row(const struct ia_eval_row *r, struct ia_buf *out)
{
    ia_buf_printf(out, "%-14s", ia_eval_kind_name(r->kind));
    ia_clean(out, ia_str(r->name), IA_CLEAN_LINE);
    size_t n = strcspn(r->wrong, "\n");
    if (n > 0) {
        ia_buf_puts(out, ": ");
        ia_clean(out, (struct ia_str){r->wrong, n}, IA_CLEAN_LINE);
    }
    ia_buf_putc(out, '\n');
}

void ia_eval_say(const struct ia_eval *e, struct ia_buf *out)
{
    struct ia_eval_group g;
    struct ia_eval_sum all = ia_eval_sum(e, NULL, NULL);
    for (int kind = 0; kind < IA_EVAL_SUCCESS; kind++) {
        for (size_t i = 0; i < e->count; i++) {
            if (e->rows[i].kind == (enum ia_eval_kind)kind && kind != IA_EVAL_OPEN) {
                say_row(&e->rows[i], out);
            }
        }
    }
    ia_buf_printf(out, "%-*s%-33s%5s  %5s  %7s  $ a success\n", NAME_COLUMNS, "",
                  "  done, 95 % interval", "false", "false", "steps");
    ia_buf_printf(out, "%-*s%-33s%5s  %5s  %7s\n", NAME_COLUMNS, "", "", "pass", "fail.",
                  "a goal");
    for (size_t i = 0; ia_eval_group(e, i, &g); i++) {
        struct ia_buf name = IA_BUF(100);
        ia_eval_group_name(&g, &name);
        say_sum(out, ia_buf_cstr(&name), &g.sum, e->demo);
        ia_buf_fini(&name);
    }
    say_sum(out, "all", &all, e->demo);
    ia_buf_printf(out, "%s: the phone was as it must be after %d of %d goals",
                  e->model ? e->model : "nobody", all.holds, all.n);
    if (all.kinds[IA_EVAL_ERROR] + all.kinds[IA_EVAL_OPEN] > 0) {
        ia_buf_printf(out, "; not counted: %d errors, %d not finished",
                      all.kinds[IA_EVAL_ERROR], all.kinds[IA_EVAL_OPEN]);
    }
    ia_buf_puts(out, "; ");
    ia_eval_seeds(e, out);
    ia_buf_putc(out, '\n');
}

const char *ia_eval_verdict(const struct ia_eval_compared *c)
{
    return c->interval.low > 0    ? "B is better"
           : c->interval.high < 0 ? "A is better"
                                  : "no difference shown";
}

static void say_pair(void *ctx, const struct ia_eval_row *a, const struct ia_eval_row *b)
{
    struct ia_buf *out = ctx;
    ia_buf_printf(out, "  %-14s %-14s ", ia_eval_kind_name(a->kind),
                  ia_eval_kind_name(b->kind));
    ia_clean(out, ia_str(a->name), IA_CLEAN_LINE);
    ia_buf_putc(out, '\n');
}

void ia_eval_say_compared(const struct ia_eval *a, const struct ia_eval *b, struct ia_buf *out)
{
    const struct ia_eval *const both[] = {a, b};
    size_t from = out->len;
    ia_buf_puts(out, "  A              B\n");
    size_t head = out->len;
    struct ia_eval_compared c = ia_eval_compare(a, b, say_pair, out);
    if (out->len == head) {
        ia_buf_cut(out, from);
        ia_buf_puts(out, "no goal ended differently\n");
    }
    for (int i = 0; i < 2; i++) {
        struct ia_eval_sum s = ia_eval_sum(both[i], NULL, NULL);
        struct ia_buf name = IA_BUF(300);
        ia_buf_printf(&name, "%c %s", 'A' + i, both[i]->model ? both[i]->model : "nobody");
        say_sum(out, ia_buf_cstr(&name), &s, both[i]->demo);
        ia_buf_fini(&name);
    }
    ia_buf_printf(out, "of %d goals that both did: %d both, %d only A, %d only B, %d neither\n",
                  c.pairs, c.both, c.only_a, c.only_b, c.neither);
    ia_buf_printf(out, "B - A: %+.1f points (95 %%: %+.1f to %+.1f): %s\n", 100 * c.difference,
                  100 * c.interval.low, 100 * c.interval.high, ia_eval_verdict(&c));
    if (c.left_out > 0) {
        ia_buf_printf(out,
                      "%d goals are left out: only one has them, they differ, or one did not "
                      "end by a verdict\n",
                      c.left_out);
    }
}

/* ---- for programs ------------------------------------------------------------------------ */

static void put_interval(struct ia_jsonw *w, struct ia_interval i)
{
    ia_jsonw_kv_real(w, "low", i.low);
    ia_jsonw_kv_real(w, "high", i.high);
}

static void put_usage(struct ia_jsonw *w, const struct ia_usage_row *u)
{
    ia_jsonw_key(w, "tokens");
    ia_jsonw_object(w);
    ia_jsonw_kv_int(w, "input", u->input);
    ia_jsonw_kv_int(w, "cache_read", u->cache_read);
    ia_jsonw_kv_int(w, "cache_write", u->cache_write);
    ia_jsonw_kv_int(w, "output", u->output);
    ia_jsonw_end_object(w);
    ia_jsonw_kv_known(w, "cost_usd", u->cost_usd, u->cost_known);
}

static void put_sum(struct ia_jsonw *w, const struct ia_eval_sum *s)
{
    double usd;
    bool known = ia_eval_usd_per_success(s, &usd);
    ia_jsonw_kv_int(w, "goals", s->goals);
    ia_jsonw_kv_int(w, "counted", s->n);
    ia_jsonw_kv_int(w, "successes", s->kinds[IA_EVAL_SUCCESS]);
    ia_jsonw_kv_int(w, "false_passes", s->kinds[IA_EVAL_FALSE_PASS]);
    ia_jsonw_kv_int(w, "false_failures", s->kinds[IA_EVAL_FALSE_FAILURE]);
    ia_jsonw_kv_int(w, "failures", s->kinds[IA_EVAL_FAILURE]);
    ia_jsonw_kv_int(w, "errors", s->kinds[IA_EVAL_ERROR]);
    ia_jsonw_kv_int(w, "open", s->kinds[IA_EVAL_OPEN]);
    ia_jsonw_kv_int(w, "oracle_holds", s->holds);
    ia_jsonw_kv_known(w, "rate", share(s->kinds[IA_EVAL_SUCCESS], s->n), s->n > 0);
    put_interval(w, s->rate);
    ia_jsonw_kv_int(w, "steps", s->steps);
    ia_jsonw_kv_int(w, "ms", s->ms);
    put_usage(w, &s->usage);
    ia_jsonw_kv_known(w, "usd_per_success", usd, known);
}

static void put_row(struct ia_jsonw *w, const struct ia_eval_row *r)
{
    ia_jsonw_object(w);
    ia_jsonw_kv_int(w, "no", r->no);
    ia_jsonw_kv(w, "name", r->name);
    ia_jsonw_kv(w, "goal", r->goal);
    ia_jsonw_kv(w, "text", r->text);
    ia_jsonw_kv(w, "file", r->file);
    ia_jsonw_kv_int(w, "line", r->line);
    ia_jsonw_kv_int(w, "difficulty", r->difficulty);
    ia_jsonw_kv_int(w, "wording", r->wording);
    ia_jsonw_kv_int(w, "seed", r->seed);
    ia_jsonw_kv_int(w, "repeat", r->repeat);
    ia_jsonw_kv(w, "kind", ia_eval_kind_name(r->kind));
    ia_jsonw_kv_bool(w, "oracle_holds", r->holds);
    ia_jsonw_kv_bool(w, "impossible", r->impossible);
    ia_jsonw_kv(w, "state", r->state);
    ia_jsonw_kv(w, "run", r->run_id);
    ia_jsonw_kv(w, "said", r->said);
    ia_jsonw_kv(w, "wrong", r->wrong);
    ia_jsonw_kv_int(w, "steps", r->steps);
    ia_jsonw_kv_int(w, "ms", r->ms);
    put_usage(w, &r->usage);
    ia_jsonw_end_object(w);
}

static void put_head(const struct ia_eval *e, struct ia_jsonw *w)
{
    struct ia_eval_sum all = ia_eval_sum(e, NULL, NULL);
    ia_jsonw_kv(w, "eval", e->id);
    ia_jsonw_kv(w, "title", e->title);
    ia_jsonw_kv(w, "model", e->model);
    ia_jsonw_kv_bool(w, "demo", e->demo);
    ia_jsonw_kv_bool(w, "unfinished", e->unfinished);
    ia_jsonw_kv_int(w, "first_seed", e->first_seed);
    ia_jsonw_kv_int(w, "last_seed", e->last_seed);
    put_sum(w, &all);
}

void ia_eval_put(const struct ia_eval *e, struct ia_jsonw *w)
{
    struct ia_eval_group g;
    ia_jsonw_object(w);
    put_head(e, w);
    ia_jsonw_key(w, "groups");
    ia_jsonw_array(w);
    for (size_t i = 0; ia_eval_group(e, i, &g); i++) {
        ia_jsonw_object(w);
        ia_jsonw_kv(w, "by", g.kind);
        ia_jsonw_kv(w, "name", g.name);
        put_sum(w, &g.sum);
        ia_jsonw_end_object(w);
    }
    ia_jsonw_end_array(w);
    ia_jsonw_key(w, "results");
    ia_jsonw_array(w);
    for (size_t i = 0; i < e->count; i++) {
        put_row(w, &e->rows[i]);
    }
    ia_jsonw_end_array(w);
    ia_jsonw_end_object(w);
}

static void put_pair(void *ctx, const struct ia_eval_row *a, const struct ia_eval_row *b)
{
    struct ia_jsonw *w = ctx;
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "name", a->name);
    ia_jsonw_kv(w, "a", ia_eval_kind_name(a->kind));
    ia_jsonw_kv(w, "b", ia_eval_kind_name(b->kind));
    ia_jsonw_kv(w, "run_a", a->run_id);
    ia_jsonw_kv(w, "run_b", b->run_id);
    ia_jsonw_end_object(w);
}

void ia_eval_put_compared(const struct ia_eval *a, const struct ia_eval *b, struct ia_jsonw *w)
{
    const struct ia_eval *const both[] = {a, b};
    static const char *const names[] = {"a", "b"};
    ia_jsonw_object(w);
    for (int i = 0; i < 2; i++) {
        ia_jsonw_key(w, names[i]);
        ia_jsonw_object(w);
        put_head(both[i], w);
        ia_jsonw_end_object(w);
    }
    ia_jsonw_key(w, "differently");
    ia_jsonw_array(w);
    struct ia_eval_compared c = ia_eval_compare(a, b, put_pair, w);
    ia_jsonw_end_array(w);
    ia_jsonw_kv_int(w, "pairs", c.pairs);
    ia_jsonw_kv_int(w, "both", c.both);
    ia_jsonw_kv_int(w, "only_a", c.only_a);
    ia_jsonw_kv_int(w, "only_b", c.only_b);
    ia_jsonw_kv_int(w, "neither", c.neither);
    ia_jsonw_kv_int(w, "left_out", c.left_out);
    ia_jsonw_kv_real(w, "rate_a", c.rate_a);
    ia_jsonw_kv_real(w, "rate_b", c.rate_b);
    ia_jsonw_kv_real(w, "difference", c.difference);
    put_interval(w, c.interval);
    ia_jsonw_end_object(w);
}
