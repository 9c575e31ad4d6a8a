#include "cli/say.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void ia_say_ms(struct ia_buf *out, int64_t ms)
{
    if (ms < 1000) {
        ia_buf_printf(out, "%" PRId64 " ms", ms);
    } else if (ms < 60000) {
        ia_buf_printf(out, "%.1f s", (double)ms / 1000.0);
    } else {
        ia_buf_printf(out, "%" PRId64 " min %" PRId64 " s", ms / 60000, ms / 1000 % 60);
    }
}

void ia_say_count(struct ia_buf *out, int64_t n)
{
    char digits[32];
    (void)snprintf(digits, sizeof(digits), "%" PRId64, n);
    size_t len = strlen(digits);
    for (size_t i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0 && digits[i - 1] != '-') {
            ia_buf_putc(out, ',');
        }
        ia_buf_putc(out, digits[i]);
    }
}

void ia_say_cost(struct ia_buf *out, const struct ia_say_figures *f)
{
    if (f->demo) {
        ia_buf_puts(out, "nothing billed (demo brain)");
    } else if (!f->cost_known) {
        ia_buf_puts(out, "cost unknown");
    } else {
        ia_buf_printf(out, f->cost_usd < 1 ? "$%.4f" : "$%.2f", f->cost_usd);
    }
}

void ia_say_figures(struct ia_buf *out, const struct ia_say_figures *f)
{
    int64_t input = f->input + f->cache_read + f->cache_write;
    ia_buf_printf(out, "%" PRId64 " step%s, ", f->steps, f->steps == 1 ? "" : "s");
    ia_say_ms(out, (int64_t)(f->seconds * 1000.0 + 0.5));
    ia_buf_puts(out, ", ");
    ia_say_count(out, input + f->output);
    ia_buf_puts(out, " tokens");
    if (input > 0) {
        double share = 100.0 * (double)f->cache_read / (double)input;
        ia_buf_printf(out, " (%.0f %% of the input cached)", share);
    }
    ia_buf_puts(out, ", ");
    ia_say_cost(out, f);
}

const char *ia_say_basis(struct ia_str name)
{
    if (ia_str_is(name, "expectations")) {
        return "every expectation holds, checked by code";
    }
    if (ia_str_is(name, "verifier")) {
        return "the quoted evidence holds, and the verifier agrees";
    }
    if (ia_str_is(name, "unverified")) {
        return "unverified: only the quoted evidence holds; nobody else looked";
    }
    return "nothing";
}
