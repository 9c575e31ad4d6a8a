/* cron.c: reads a cron expression into sets of bits, and finds the next time that fits.
 *
 * The search goes day by day on the zone's calendar and, on a day that fits, minute by minute, so
 * that a change of clocks is met where it happens: ia_zone_moment says for each wall time
 * whether it never comes, comes once, or comes twice. It starts some hours early, because wall
 * times that are shown twice may still come although they look past. */
#include "agent/schedule/cron.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum {
    YEARS_MAX = 41,     /* between two 29 Februaries that are a certain weekday are up to 40 */
    BACK_MS = 10800000, /* clocks never go back by more */
    DAY_MS = 86400000
};

/* ---- reading ----------------------------------------------------------------------------- */

struct field {
    const char *what;
    int min, max;
    const char *const *names; /* of the values from min on; NULL: none */
};

static const char *const months[] = {"jan", "feb", "mar", "apr", "may", "jun", "jul",
                                     "aug", "sep", "oct", "nov", "dec", NULL};
static const char *const weekdays[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat", NULL};
static const struct field fields[] = {{"minute", 0, 59, NULL},
                                      {"hour", 0, 23, NULL},
                                      {"day of the month", 1, 31, NULL},
                                      {"month", 1, 12, months},
                                      {"day of the week", 0, 7, weekdays}};

struct reader {
    const char *text, *p;
    struct ia_err *err;
};

static enum ia_rc mistake(const struct reader *r, const char *at, const char *what)
{
    return ia_err_set(r->err, IA_E_USAGE, "%s\n  %.*s\n  %*s", what, IA_CRON_TEXT_MAX, r->text,
                      (int)(at - r->text) + 1, "^");
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* A name of the field, or -1. */
static int named(const struct field *f, const char *p, size_t n)
{
    for (int i = 0; f->names && f->names[i]; i++) {
        if (n == strlen(f->names[i]) && strncasecmp(p, f->names[i], n) == 0) {
            return f->min + i;
        }
    }
    return -1;
}

static enum ia_rc read_value(struct reader *r, const struct field *f, int *ret)
{
    const char *from = r->p;
    char what[96];
    int value = -1;
    if (is_digit(*r->p)) {
        /* Stops at four digits: no field has more, and an int cannot overflow. */
        for (value = 0; is_digit(*r->p) && value < 1000; r->p++) {
            value = value * 10 + (*r->p - '0');
        }
    } else if (is_letter(*r->p)) {
        while (is_letter(*r->p)) {
            r->p++;
        }
        value = named(f, from, (size_t)(r->p - from));
    }
    if (value < 0 || value < f->min || value > f->max) {
        (void)snprintf(what, sizeof(what), "the %s must be a number from %d to %d%s", f->what,
                       f->min, f->max, f->names ? " or a name of three letters" : "");
        return mistake(r, from, what);
    }
    *ret = value;
    return IA_OK;
}

static enum ia_rc read_step(struct reader *r, int *ret)
{
    const char *from = ++r->p;
    int step = 0;
    for (; is_digit(*r->p) && step < 1000; r->p++) {
        step = step * 10 + (*r->p - '0');
    }
    if (step < 1) {
        return mistake(r, from, "a step must be a number of at least 1");
    }
    *ret = step;
    return IA_OK;
}

/* "*", "5", "1-5", each with "/2" behind it. */
static enum ia_rc read_range(struct reader *r, const struct field *f, uint64_t *bits)
{
    const char *from = r->p;
    int lo = f->min, hi = f->max, step = 1;
    enum ia_rc rc = IA_OK;
    bool all = *r->p == '*';
    if (all) {
        r->p++;
    } else {
        rc = read_value(r, f, &lo);
        hi = lo;
    }
    if (rc == IA_OK && !all && *r->p == '-') {
        r->p++;
        rc = read_value(r, f, &hi);
    } else if (rc == IA_OK && !all && *r->p == '/') {
        hi = f->max;
    }
    if (rc == IA_OK && *r->p == '/') {
        rc = read_step(r, &step);
    }
    if (rc == IA_OK && lo > hi) {
        rc = mistake(r, from, "the range ends before it begins");
    }
    /* At most bit 59: every field fits into the 64 bits. */
    for (int v = lo; rc == IA_OK && v <= hi; v += step) {
        *bits |= UINT64_C(1) << v;
    }
    return rc;
}

static enum ia_rc read_field(struct reader *r, const struct field *f, uint64_t *bits,
                             bool *ret_any)
{
    char what[96];
    if (*r->p == '\0') {
        (void)snprintf(what, sizeof(what), "the %s is missing: a schedule has five fields",
                       f->what);
        return mistake(r, r->p, what);
    }
    *ret_any = *r->p == '*';
    enum ia_rc rc = read_range(r, f, bits);
    while (rc == IA_OK && *r->p == ',') {
        r->p++;
        rc = read_range(r, f, bits);
    }
    if (rc == IA_OK && *r->p != '\0' && *r->p != ' ' && *r->p != '\t') {
        (void)snprintf(what, sizeof(what), "this does not belong in the %s", f->what);
        rc = mistake(r, r->p, what);
    }
    r->p += strspn(r->p, " \t");
    return rc;
}

static const char *shortcut(const char *text)
{
    static const char *const rows[][2] = {{"@hourly", "0 * * * *"},   {"@daily", "0 0 * * *"},
                                          {"@midnight", "0 0 * * *"}, {"@weekly", "0 0 * * 0"},
                                          {"@monthly", "0 0 1 * *"},  {"@yearly", "0 0 1 1 *"},
                                          {"@annually", "0 0 1 1 *"}};
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        if (strcasecmp(text, rows[i][0]) == 0) {
            return rows[i][1];
        }
    }
    return text;
}

static enum ia_rc read_fields(struct reader *r, struct ia_cron *ret)
{
    uint64_t bits[IA_COUNTOF(fields)] = {0};
    bool any[IA_COUNTOF(fields)] = {false};
    enum ia_rc rc = IA_OK;
    for (size_t i = 0; rc == IA_OK && i < IA_COUNTOF(fields); i++) {
        rc = read_field(r, &fields[i], &bits[i], &any[i]);
    }
    if (rc == IA_OK && *r->p != '\0') {
        rc = mistake(r, r->p, "a schedule has five fields; this is one too many");
    }
    /* A day counts as any if its field begins with a star, also with a step behind it, as in
     * cron(8). */
    *ret = (struct ia_cron){
        .minutes = bits[0],
        .hours = (uint32_t)bits[1],
        .days = (uint32_t)bits[2],
        .months = (uint32_t)bits[3],
        .weekdays = (uint32_t)((bits[4] | bits[4] >> 7) & 0x7f), /* 7 is Sunday, too */
        .any_day = any[2],
        .any_weekday = any[4],
        .wall = any[0] || any[1],
    };
    return rc;
}

/* Whether one of the days exists in one of the months. */
static bool possible(const struct ia_cron *c)
{
    enum { A_LEAP_YEAR = 2024 };
    bool by_weekday = c->any_day || !c->any_weekday;
    for (int month = 1; month <= 12; month++) {
        /* Bits 1 to the number of days; a leap year, so that 29 February exists. */
        uint64_t exist = (UINT64_C(2) << ia_days_in_month(A_LEAP_YEAR, month)) - 2;
        if ((c->months >> month & 1) && (by_weekday || (c->days & exist))) {
            return true;
        }
    }
    return false;
}

enum ia_rc ia_cron_parse(const char *text, struct ia_cron *ret, struct ia_err *err)
{
    text += strspn(text, " \t");
    if (strlen(text) > IA_CRON_TEXT_MAX) {
        return ia_err_set(err, IA_E_USAGE, "a schedule can have at most %d characters",
                          IA_CRON_TEXT_MAX);
    }
    const char *full = shortcut(text);
    struct reader r = {.text = full, .p = full, .err = err};
    enum ia_rc rc = full[0] == '@'
                        ? mistake(&r, full,
                                  "known shortcuts are @hourly, @daily, @weekly, @monthly and "
                                  "@yearly")
                        : read_fields(&r, ret);
    if (rc == IA_OK && !possible(ret)) {
        rc = mistake(&r, full, "there is no such day, so it would never run");
    }
    if (rc != IA_OK) {
        ia_err_hint(err, "for example \"0 3 * * 1-5\": at 03:00, Monday to Friday");
    }
    return rc;
}

/* ---- the next fire ----------------------------------------------------------------------- */

static bool day_fits(const struct ia_cron *c, const struct ia_civil *day)
{
    bool by_day = c->days >> day->day & 1, by_weekday = c->weekdays >> day->weekday & 1;
    /* Cron's own rule: with both the day and the weekday given, either will do. */
    bool either = !c->any_day && !c->any_weekday;
    return (c->months >> day->month & 1) &&
           (either ? by_day || by_weekday : by_day && by_weekday);
}

/* The earlier of the two, if the moment is after `after`; best 0: none yet. */
static int64_t earlier(int64_t best, int64_t moment, int64_t after)
{
    return moment > after && (best == 0 || moment < best) ? moment : best;
}

/* Tries one wall time. False when no later one can come before the best. */
static bool consider(const struct ia_cron *c, const struct ia_zone *z, const struct ia_civil *t,
                     int64_t after, int64_t *best)
{
    int64_t first = 0, second = 0;
    enum ia_zone_fit fit = ia_zone_moment(z, t, &first, &second);
    /* Wall times ascend but moments need not, where clocks go back; so the search goes on
     * until a first moment lies behind the best. */
    if (*best != 0 && first > *best) {
        return false;
    }
    /* A time that is skipped still fires if hour and minute are fixed: a nightly job must
     * not be lost once a year. One by the clock ("every hour") just goes on. */
    if (fit != IA_ZONE_NEVER || !c->wall) {
        *best = earlier(*best, first, after);
    }
    if (fit == IA_ZONE_TWICE && c->wall) {
        *best = earlier(*best, second, after);
    }
    return true;
}

/* The day's first fire after `after`, or 0. `from` is the first minute to try. */
static int64_t first_of_day(const struct ia_cron *c, const struct ia_zone *z,
                            struct ia_civil day, int from, int64_t after)
{
    int64_t best = 0;
    for (int m = from; m < 24 * 60; m++) {
        day.hour = m / 60;
        day.minute = m % 60;
        if (!(c->hours >> day.hour & 1)) {
            /* To the end of an hour that does not fit. */
            m += 59 - day.minute;
        } else if ((c->minutes >> day.minute & 1) && !consider(c, z, &day, after, &best)) {
            break;
        }
    }
    return best;
}

int64_t ia_cron_next(const struct ia_cron *cron, const struct ia_zone *zone, int64_t after_ms)
{
    /* Times that clocks show again may still come although they lie before the clock. */
    struct ia_civil start = ia_zone_civil(zone, after_ms - BACK_MS);
    int from = start.hour * 60 + start.minute;
    start.hour = start.minute = start.second = 0;
    int64_t midnight = ia_civil_ms(&start);
    for (int days = 0; days < YEARS_MAX * 366; days++, from = 0) {
        struct ia_civil day = ia_civil_at(midnight + (int64_t)days * DAY_MS);
        int64_t fire = day_fits(cron, &day) ? first_of_day(cron, zone, day, from, after_ms) : 0;
        if (fire != 0) {
            return fire;
        }
    }
    return 0;
}
