/* schedule_time.c: the times of schedules that are not cron expressions: intervals ("1h30m") and
 * single times ("2026-12-01T09:00"). */
#include "agent/schedule/cron.h"

#include <stdio.h>
#include <string.h>

enum { YEAR_S = 366 * 86400 };

static enum ia_rc bad_interval(const char *text, struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "\"%.40s\" is not an interval", text);
    ia_err_hint(err, "write 90s, 30m, 2h, 1d or 1h30m, up to a year");
    return rc;
}

static int64_t unit_s(char unit)
{
    switch (unit) {
    case 's':
        return 1;
    case 'm':
        return 60;
    case 'h':
        return 3600;
    case 'd':
        return 86400;
    default:
        return 0;
    }
}

enum ia_rc ia_interval_parse(const char *text, int64_t *ret_s, struct ia_err *err)
{
    int64_t total = 0, smaller_than = INT64_MAX;
    const char *p = text;
    while (*p) {
        int64_t n = 0;
        const char *from = p;
        for (; *p >= '0' && *p <= '9' && n <= YEAR_S; p++) {
            n = n * 10 + (*p - '0');
        }
        int64_t unit = unit_s(*p);
        if (p == from || n > YEAR_S || unit == 0 || unit >= smaller_than) {
            return bad_interval(text, err);
        }
        smaller_than = unit;
        total += n * unit;
        p++;
    }
    if (total < 1 || total > YEAR_S) {
        return bad_interval(text, err);
    }
    *ret_s = total;
    return IA_OK;
}

int64_t ia_interval_next(int64_t anchor_ms, int64_t every_s, int64_t after_ms)
{
    int64_t every = every_s * 1000;
    if (after_ms < anchor_ms) {
        return anchor_ms;
    }
    return anchor_ms + ((after_ms - anchor_ms) / every + 1) * every;
}

/* ---- one moment -------------------------------------------------------------------------- */

static enum ia_rc bad_moment(const char *text, const char *at, struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "not a date and time\n  %.60s\n  %*s", text,
                               (int)(at - text) + 1, "^");
    ia_err_hint(err, "write 2026-12-01T09:00, followed by Z or +02:00 for another zone");
    return rc;
}

static bool read_number(const char **p, int digits, char before, int *ret)
{
    const char *q = *p;
    if (before && *q++ != before) {
        return false;
    }
    int value = 0;
    for (int i = 0; i < digits; i++, q++) {
        if (*q < '0' || *q > '9') {
            return false;
        }
        value = value * 10 + (*q - '0');
    }
    *p = q;
    *ret = value;
    return true;
}

/* "Z", "+02:00", "" (none). False for anything else. */
static bool read_offset(const char **p, bool *ret_has, int64_t *ret_ms)
{
    int hours = 0, minutes = 0;
    char sign = **p;
    *ret_has = sign != '\0';
    *ret_ms = 0;
    if (sign == 'Z') {
        (*p)++;
    } else if (sign == '+' || sign == '-') {
        if (!read_number(p, 2, sign, &hours) || !read_number(p, 2, ':', &minutes) ||
            hours > 23 || minutes > 59) {
            return false;
        }
        *ret_ms = (hours * INT64_C(60) + minutes) * 60000 * (sign == '-' ? -1 : 1);
    }
    return **p == '\0';
}

enum ia_rc ia_at_parse(const char *text, const struct ia_zone *zone, int64_t *ret_ms,
                       struct ia_err *err)
{
    struct ia_civil c = {0};
    const char *p = text;
    bool has_offset = false;
    int64_t offset = 0, second = 0;
    bool ok = read_number(&p, 4, 0, &c.year) && read_number(&p, 2, '-', &c.month) &&
              read_number(&p, 2, '-', &c.day);
    char between = ok && (*p == 'T' || *p == ' ') ? *p : 'T';
    ok = ok && read_number(&p, 2, between, &c.hour) && read_number(&p, 2, ':', &c.minute);
    if (ok && *p == ':') {
        ok = read_number(&p, 2, ':', &c.second);
    }
    if (!ok || !ia_civil_ok(&c) || !read_offset(&p, &has_offset, &offset)) {
        return bad_moment(text, p, err);
    }
    if (has_offset) {
        *ret_ms = ia_civil_ms(&c) - offset;
    } else {
        (void)ia_zone_moment(zone, &c, ret_ms, &second);
    }
    return IA_OK;
}
