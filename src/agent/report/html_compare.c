/* html_compare.c: the page of two evaluations side by side: how much better one is and how sure that is, their
 * rates by difficulty and area on the same axis, and each goal that ended differently. */
#include "agent/report/html.h"

#include <string.h>

static void put_groups(struct ia_buf *out, const struct ia_eval *const both[2])
{
    struct ia_eval_group g[2];
    struct ia_buf name = IA_BUF(512);
    for (size_t i = 0; ia_eval_group(both[0], i, &g[0]); i++) {
        for (size_t k = 0; ia_eval_group(both[1], k, &g[1]); k++) {
            bool same = strcmp(g[0].kind, g[1].kind) == 0 && strcmp(g[0].name, g[1].name) == 0;
            for (int e = 0; same && e < 2; e++) {
                ia_buf_reset(&name);
                ia_eval_group_name(&g[e], &name);
                ia_buf_printf(&name, ", %c", 'A' + e);
                ia_html_eval_sum(out, ia_buf_cstr(&name), &g[e].sum, both[e]->demo);
            }
        }
    }
    for (int e = 0; e < 2; e++) {
        struct ia_eval_sum all = ia_eval_sum(both[e], NULL, NULL);
        ia_html_eval_sum(out, e == 0 ? "all, A" : "all, B", &all, both[e]->demo);
    }
    ia_buf_fini(&name);
}

static void put_pair(void *ctx, const struct ia_eval_row *a, const struct ia_eval_row *b)
{
    struct ia_buf difficulty = IA_BUF(32), line = IA_BUF(32);
    ia_buf_printf(&difficulty, "%d", a->difficulty);
    ia_buf_printf(&line, "%d", a->line);
    ia_tmpl(ctx, "compare_row.html",
            (struct ia_tmpl_var[]){IA_VAR("state_a", ia_html_eval_state(a->kind)),
                                   IA_VAR("state_b", ia_html_eval_state(b->kind)),
                                   IA_VAR("kind_a", ia_eval_kind_name(a->kind)),
                                   IA_VAR("kind_b", ia_eval_kind_name(b->kind)),
                                   IA_VAR("name", a->name),
                                   IA_VAR("text", a->text),
                                   IA_VAR_BUF("difficulty", &difficulty),
                                   IA_VAR("file", a->file),
                                   IA_VAR_BUF("line", &line),
                                   IA_VAR("wrong_a", a->wrong),
                                   IA_VAR("wrong_b", b->wrong),
                                   {0}});
    ia_buf_fini(&difficulty);
    ia_buf_fini(&line);
}

/* Texts of figures: a number each. */
enum {
    DIFFERENCE,
    LOW,
    HIGH,
    LOW_X,
    WIDTH,
    AT,
    PAIRS,
    BOTH,
    ONLY_A,
    ONLY_B,
    NEITHER,
    LEFT_OUT,
    FIGURES
};

static void put_page(struct ia_buf *out, const struct ia_eval *const both[2])
{
    struct ia_buf rows = IA_BUF(IA_HTML_PART_MAX), groups = IA_BUF(IA_HTML_PART_MAX),
                  seeds[2] = {IA_BUF(64), IA_BUF(64)}, f[FIGURES];
    const struct ia_eval_compared c = ia_eval_compare(both[0], both[1], put_pair, &rows);
    const double reals[] = {[DIFFERENCE] = 100 * c.difference,
                            [LOW] = 100 * c.interval.low,
                            [HIGH] = 100 * c.interval.high,
                            [LOW_X] = 100 * (1 + c.interval.low),
                            [WIDTH] = 100 * (c.interval.high - c.interval.low),
                            [AT] = 100 * (1 + c.difference)};
    const int counts[] = {c.pairs, c.both, c.only_a, c.only_b, c.neither, c.left_out};
    for (int i = 0; i < FIGURES; i++) {
        f[i] = IA_BUF(64);
        if (i < PAIRS) {
            ia_buf_printf(&f[i], i <= HIGH ? "%+.1f" : "%.1f", reals[i]);
        } else {
            ia_buf_printf(&f[i], "%d", counts[i - PAIRS]);
        }
    }
    put_groups(&groups, both);
    ia_eval_seeds(both[0], &seeds[0]);
    ia_eval_seeds(both[1], &seeds[1]);
    ia_tmpl(out, "compare.html",
            (struct ia_tmpl_var[]){
                IA_VAR("model_a", both[0]->model ? both[0]->model : "nobody"),
                IA_VAR("model_b", both[1]->model ? both[1]->model : "nobody"),
                IA_VAR_BUF("difference", &f[DIFFERENCE]),
                IA_VAR_BUF("low", &f[LOW]),
                IA_VAR_BUF("high", &f[HIGH]),
                IA_VAR_BUF("low_x", &f[LOW_X]),
                IA_VAR_BUF("width", &f[WIDTH]),
                IA_VAR_BUF("at", &f[AT]),
                IA_VAR("verdict", ia_eval_verdict(&c)),
                IA_VAR_BUF("pairs", &f[PAIRS]),
                IA_VAR_BUF("both", &f[BOTH]),
                IA_VAR_BUF("only_a", &f[ONLY_A]),
                IA_VAR_BUF("only_b", &f[ONLY_B]),
                IA_VAR_BUF("neither", &f[NEITHER]),
                IA_VAR("left_out", c.left_out > 0 ? ia_buf_cstr(&f[LEFT_OUT]) : ""),
                IA_VAR_BUF("seeds_a", &seeds[0]),
                IA_VAR_BUF("seeds_b", &seeds[1]),
                IA_VAR_BUF("groups", &groups),
                IA_VAR_BUF("rows", &rows),
                IA_VAR_IF("same", rows.len == 0),
                {0}});
    for (int i = 0; i < FIGURES; i++) {
        ia_buf_fini(&f[i]);
    }
    ia_buf_fini(&rows);
    ia_buf_fini(&groups);
    ia_buf_fini(&seeds[0]);
    ia_buf_fini(&seeds[1]);
}

enum ia_rc ia_report_compared(const struct ia_eval *a, const struct ia_eval *b,
                              const char *path, const char *program, struct ia_err *err)
{
    const struct ia_eval *const both[2] = {a, b};
    char ids[2 * IA_ID_SIZE + 8];
    (void)snprintf(ids, sizeof(ids), "%s and %s", a->id, b->id);
    struct ia_rep r = {
        .program = program, .id = ids, .sweep = true, .now_ms = ia_wall_ms(ia_clock_system())};
    struct ia_report_done done = {0};
    struct ia_site site = {.r = &r, .done = &done};
    struct ia_page page;
    enum ia_rc rc = ia_page_open(&page, &site, path, "", "two evaluations", err);
    if (rc == IA_OK) {
        put_page(&page.out.buf, both);
        rc = ia_page_close(&page, IA_OK, err);
    }
    return rc;
}
