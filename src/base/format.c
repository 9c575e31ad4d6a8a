/* format.c: durations, counts, money, times and shares as people read them. */
#include "base/format.h"

#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void ia_fmt_ms(struct ia_buf *out, int64_t ms)
{
    if (ms < 1000) {
        ia_buf_printf(out, "%" PRId64 " ms", ms);
    } else if (ms < 59950) { /* what would round to 60.0 s is a minute */
        ia_buf_printf(out, "%.1f s", (double)ms / 1000.0);
    } else if (ms < 3600000) {
        ms = ms < 60000 ? 60000 : ms;
        ia_buf_printf(out, "%" PRId64 " min %" PRId64 " s", ms / 60000, ms / 1000 % 60);
    } else {
        ia_buf_printf(out, "%" PRId64 " h %" PRId64 " min", ms / 3600000, ms / 60000 % 60);
    }
}

void ia_fmt_count(struct ia_buf *out, int64_t n)
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

void ia_fmt_usd(struct ia_buf *out, double usd)
{
    ia_buf_printf(out, usd < 1 ? "$%.4f" : "$%.2f", usd);
}

void ia_fmt_time(struct ia_buf *out, int64_t wall_ms)
{
    if (wall_ms <= 0) {
        ia_buf_puts(out, "-");
        return;
    }
    char iso[IA_ISO_SIZE];
    ia_iso_format(wall_ms, iso);
    ia_buf_printf(out, "%.10s %.8s UTC", iso, iso + 11);
}

void ia_fmt_percent(struct ia_buf *out, double share)
{
    ia_buf_printf(out, "%.0f %%", share * 100.0);
}
