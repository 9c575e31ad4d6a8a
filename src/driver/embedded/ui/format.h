/* format.h: how the phone and its apps write times, days and money, in UTC. Texts made for a scene live as long
 * as it does. */
#ifndef IA_DRIVER_EMBEDDED_UI_FORMAT_H
#define IA_DRIVER_EMBEDDED_UI_FORMAT_H

#include "base/jsonw.h"
#include "driver/embedded/phone/phone.h"

/* weekday 0: Sunday. */
const char *ia_weekday_name(int weekday);
/* month 1: January. */
const char *ia_month_name(int month);
/* "9:41" or, with 24-hour time, "09:41". */
const char *ia_time_text(const struct ia_phone *p, struct ia_scene *s, int64_t at_ms);
/* The day of a time in ms since 1970, in days since 1970. */
int32_t ia_day_of(int64_t at_ms);
/* "Today", "Tomorrow", "Yesterday" or "Fri, 12 Sep 2025"; both in days since 1970. */
const char *ia_day_text(struct ia_scene *s, int32_t day, int32_t today);
/* "$1,249.50", "-$3.99" */
const char *ia_money_text(struct ia_scene *s, int32_t cents);
/* Writes the member "key":"1249.50". */
void ia_money_json(struct ia_jsonw *w, const char *key, int32_t cents);
/* Writes the member "key":"3": a text, as in what a build for tests prints. */
void ia_count_json(struct ia_jsonw *w, const char *key, int count);
/* A copy without leading and trailing spaces; free it. */
char *ia_trimmed(const char *text);

#endif
