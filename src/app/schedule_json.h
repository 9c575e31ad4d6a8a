/* schedule_json.h: schedules and their fires, as JSON and as lines for people. */
#ifndef IA_APP_SCHEDULE_JSON_H
#define IA_APP_SCHEDULE_JSON_H

#include "base/jsonw.h"
#include "store/schedules.h"

/* "active", "paused", "retired" (it has a problem) or "done" (it never fires again). */
const char *ia_schedule_state(const struct ia_schedule_row *row);

/* {"name","state","kind","spec","tz","next"|null,"missed","overlap","grace_s","if"|null,
 *  "notify"|null,"paused","device","last_verdict"|null,"problem"|null,"created","updated",
 *  "run":{…as agent/goal/job.h writes it…}} without the braces. Of a webhook only scheme and host
 * are shown: what follows is often a secret. */
void ia_schedule_json(struct ia_jsonw *w, const struct ia_schedule_row *row);

/* "0 3 * * 1-5", "every 30 min", "at 2026-12-01T09:00". */
void ia_schedule_say_when(struct ia_buf *out, const struct ia_schedule_row *row);
/* "Tue 2026-12-01 09:00" on the clock of the zone; UTC where that cannot be opened;
 * "-" for 0. */
void ia_schedule_say_time(struct ia_buf *out, int64_t ms, const char *zone);
/* Who is notified, without secrets. */
void ia_schedule_say_notify(struct ia_buf *out, const char *notify);

/* {"scheduled","fired","state","reason"|null,"run"|null,"code"|null,"finished"|null,
 *  "cost_usd"|null} */
void ia_fire_json(struct ia_jsonw *w, const struct ia_fire_row *row);

#endif
