/* labels.c: steps, time, tokens and cost of a run in words, the same in every view. */
#include "cli/view/labels.h"

#include "app/run_json.h"

#include <inttypes.h>

struct ia_label_figures ia_label_run_figures(const struct ia_run_row *row)
{
    int64_t ms = ia_run_duration_ms(row);
    return (struct ia_label_figures){
        .steps = row->steps,
        .seconds = ms < 0 ? 0 : (double)ms / 1000.0,
        .input = row->usage.input,
        .cache_read = row->usage.cache_read,
        .cache_write = row->usage.cache_write,
        .output = row->usage.output,
        .cost_known = row->usage.cost_known,
        .cost_usd = row->usage.cost_usd,
        .demo = row->demo,
    };
}

void ia_label_cost(struct ia_buf *out, const struct ia_label_figures *f)
{
    if (f->demo) {
        ia_buf_puts(out, "nothing billed (demo brain)");
    } else if (!f->cost_known) {
        ia_buf_puts(out, "cost unknown");
    } else {
        ia_fmt_usd(out, f->cost_usd);
    }
}

void ia_label_goals(struct ia_buf *out, int goals, int runs)
{
    ia_buf_printf(out, "%d goal%s", goals, goals == 1 ? "" : "s");
    if (runs != goals) {
        ia_buf_printf(out, " in %d runs", runs);
    }
}

void ia_label_figures(struct ia_buf *out, const struct ia_label_figures *f)
{
    int64_t input = f->input + f->cache_read + f->cache_write;
    ia_buf_printf(out, "%" PRId64 " step%s, ", f->steps, f->steps == 1 ? "" : "s");
    ia_fmt_ms(out, (int64_t)(f->seconds * 1000.0 + 0.5));
    ia_buf_puts(out, ", ");
    ia_fmt_count(out, input + f->output);
    ia_buf_puts(out, " tokens");
    if (input > 0) {
        double share = 100.0 * (double)f->cache_read / (double)input;
        ia_buf_printf(out, " (%.0f %% of the input cached)", share);
    }
    ia_buf_puts(out, ", ");
    ia_label_cost(out, f);
}
