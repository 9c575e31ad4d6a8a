/* schedule_plan.h: a schedule that is to be added or changed: from named values to a row.
 *
 * The values are those of `schedule add` and of a JSON body alike: cron, every, at, tz, missed,
 * overlap, grace, if, notify. */
#ifndef IA_APP_SCHEDULE_PLAN_H
#define IA_APP_SCHEDULE_PLAN_H

#include "agent/goal/request.h"
#include "base/paths.h"
#include "base/zone.h"
#include "opt/opt.h"
#include "store/schedules.h"

struct ia_schedule_plan {
    const struct ia_args *args; /* borrowed, as what the row is read from */
    struct ia_schedule_row row; /* borrows from the members */
    bool when;                  /* what says when it fires was given */
    char zone[IA_ZONE_NAME_MAX];
    char seconds[32];
    struct ia_buf lane, run, notify;
};

/* Begins with that row, of which what the arguments have is replaced; NULL: a new one of that name. */
void ia_schedule_plan_init(struct ia_schedule_plan *p, const struct ia_args *args,
                           const char *name, const struct ia_schedule_row *before);
void ia_schedule_plan_fini(struct ia_schedule_plan *p);
/* Reads when it fires. IA_E_USAGE. */
enum ia_rc ia_schedule_plan_when(struct ia_schedule_plan *p, struct ia_err *err);
/* Then zone and policies. IA_E_USAGE. */
enum ia_rc ia_schedule_plan_policies(struct ia_schedule_plan *p, struct ia_err *err);
/* The device of a schedule that names none: "embedded:schedule-NAME". It must not find what a person
 * left on the default phone, and where it resets it, it must not erase that. */
void ia_schedule_plan_phone(const char *name, struct ia_buf *out);
/* Then what is run, which was checked (ia_run_check), and on which device. IA_E_NO_DEVICE,
 * IA_E_LIMIT. */
enum ia_rc ia_schedule_plan_run(struct ia_schedule_plan *p, const struct ia_paths *paths,
                                const struct ia_run_request *request, const char *device,
                                struct ia_err *err);

#endif
