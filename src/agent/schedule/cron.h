/* cron.h: when a schedule fires next: cron expressions, intervals and single moments.
 *
 * Five fields: minute, hour, day of month, month, day of week; each *, a value, a range, a step
 * or a list of these; months and days of the week also by their English names; 0 and 7 are
 * Sunday; @hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually. As in Vixie's
 * cron, a day fits when either of the two day fields fits, unless one of them begins with *:
 * then both must.
 *
 * When clocks change, as in cron(8) of Debian: a job whose minute or hour field begins with *
 * follows the clock on the wall: not in a skipped hour, and in both of a repeated one. Any other
 * job fires once: a skipped time at the moment of the change, a repeated one the first time. */
#ifndef IA_AGENT_SCHEDULE_CRON_H
#define IA_AGENT_SCHEDULE_CRON_H

#include "base/zone.h"

struct ia_cron {
    uint64_t minutes; /* bit n: value n */
    uint32_t hours, days, months, weekdays;
    bool any_day, any_weekday; /* the field begins with * */
    bool wall;                 /* minute or hour begins with * */
};

enum { IA_CRON_TEXT_MAX = 256 };

/* IA_E_USAGE with the text and a caret under the mistake; also for an expression that can never
 * fire (30 February). */
enum ia_rc ia_cron_parse(const char *text, struct ia_cron *ret, struct ia_err *err);
/* The first fire after that time; 0 when there is none within 41 years, which cannot happen. */
int64_t ia_cron_next(const struct ia_cron *cron, const struct ia_zone *zone, int64_t after_ms);

/* "90s", "30m", "2h", "1d", "1h30m": seconds. IA_E_USAGE for anything else,
 * 0 or beyond a year. */
enum ia_rc ia_interval_parse(const char *text, int64_t *ret_s, struct ia_err *err);
/* The first point of the grid anchor, anchor + every, … after that moment. */
int64_t ia_interval_next(int64_t anchor_ms, int64_t every_s, int64_t after_ms);

/* "2026-12-01T09:00", with or without seconds, on the zone's clock; with Z or an offset
 * (+02:00) that moment. A time that clocks skip becomes the moment of the change; of one that
 * comes twice the first is taken. IA_E_USAGE with a caret. */
enum ia_rc ia_at_parse(const char *text, const struct ia_zone *zone, int64_t *ret_ms,
                       struct ia_err *err);

#endif
