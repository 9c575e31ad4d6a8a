/* names.c: one list of words for each enum that is stored, and the functions over them that
 * store.h, schedules.h, notices.h and sweeps.h promise. The words are part of the schema: they
 * stand in its CHECK constraints and in databases of earlier versions. */
#include "store/names.h"

#include "store/notices.h"
#include "store/questions.h"
#include "store/recordings.h"
#include "store/sweeps.h"

#include <string.h>

const char *ia_name_of(const struct ia_names *names, unsigned value)
{
    return value < names->count ? names->list[value] : "";
}

unsigned ia_name_find(const struct ia_names *names, const char *name)
{
    unsigned i = 0;
    while (i < names->count && !(name && strcmp(names->list[i], name) == 0)) {
        i++;
    }
    return i;
}

/* NAMES(run_kind, IA_RUN_STATE_COUNT, {...}): the list, and what translates it both ways. */
#define NAMES(noun, count, ...)                                                                \
    static const char *const noun##_list[count] = __VA_ARGS__;                                 \
    const struct ia_names ia_##noun##_names = {noun##_list, count};                            \
    const char *ia_##noun##_name(enum ia_##noun value)                                         \
    {                                                                                          \
        return ia_name_of(&ia_##noun##_names, (unsigned)value);                                \
    }                                                                                          \
    enum ia_##noun ia_##noun##_from_name(const char *name)                                     \
    {                                                                                          \
        return (enum ia_##noun)ia_name_find(&ia_##noun##_names, name);                         \
    }

/* Rows and people know one word for two states (store.h). Read by IA_RUN_STATE_SQL, an asking run has its own. */
static const char *const run_state_list[IA_RUN_STATE_COUNT] = {
    [IA_RUN_QUEUED] = "queued",       [IA_RUN_CLAIMED] = "claimed",
    [IA_RUN_RUNNING] = "running",     [IA_RUN_RETRY_WAIT] = "retry_wait",
    [IA_RUN_PASSED] = "passed",       [IA_RUN_FAILED] = "failed",
    [IA_RUN_BLOCKED] = "blocked",     [IA_RUN_ERROR] = "error",
    [IA_RUN_CANCELLED] = "cancelled", [IA_RUN_ASKING] = "asking",
};
const struct ia_names ia_run_state_names = {run_state_list, IA_RUN_STATE_COUNT};

const char *ia_run_state_name(enum ia_run_state state)
{
    return ia_name_of(&ia_run_state_names, state == IA_RUN_ASKING ? IA_RUN_BLOCKED : state);
}

enum ia_run_state ia_run_state_from_name(const char *name)
{
    return (enum ia_run_state)ia_name_find(&ia_run_state_names, name);
}

/* clang-format off */
NAMES(run_kind, IA_RUN_KIND_COUNT, {
    [IA_RUN_GOAL] = "goal",
    [IA_RUN_SCHEDULED] = "scheduled",
    [IA_RUN_FOLLOW_UP] = "follow_up",
})
NAMES(schedule_kind, IA_SCHEDULE_KIND_COUNT, {
    [IA_SCHEDULE_CRON] = "cron",
    [IA_SCHEDULE_EVERY] = "every",
    [IA_SCHEDULE_AT] = "at",
})
NAMES(missed, IA_MISSED_COUNT, {
    [IA_MISSED_LATEST] = "latest",
    [IA_MISSED_ALL] = "all",
    [IA_MISSED_SKIP] = "skip",
})
NAMES(overlap, IA_OVERLAP_COUNT, {
    [IA_OVERLAP_SKIP] = "skip",
    [IA_OVERLAP_QUEUE] = "queue",
})
NAMES(sweep_goal_state, IA_SWEEP_GOAL_STATE_COUNT, {
    [IA_SWEEP_GOAL_WAITING] = "waiting",
    [IA_SWEEP_GOAL_RUNNING] = "running",
    [IA_SWEEP_GOAL_PASSED] = "passed",
    [IA_SWEEP_GOAL_FLAKY] = "flaky",
    [IA_SWEEP_GOAL_HEALED] = "healed",
    [IA_SWEEP_GOAL_FAILED] = "failed",
    [IA_SWEEP_GOAL_BLOCKED] = "blocked",
    [IA_SWEEP_GOAL_ERROR] = "error",
    [IA_SWEEP_GOAL_CANCELLED] = "cancelled",
    [IA_SWEEP_GOAL_SKIPPED] = "skipped",
})
NAMES(sweep_state, IA_SWEEP_STATE_COUNT, {
    [IA_SWEEP_RUNNING] = "running",
    [IA_SWEEP_DONE] = "done",
    [IA_SWEEP_STOPPED] = "stopped",
})
NAMES(notice_state, IA_NOTICE_STATE_COUNT, {
    [IA_NOTICE_WAITING] = "waiting",
    [IA_NOTICE_SENT] = "sent",
    [IA_NOTICE_GIVEN_UP] = "given_up",
})
NAMES(recording_state, IA_RECORDING_STATE_COUNT, {
    [IA_RECORDING_CANDIDATE] = "candidate",
    [IA_RECORDING_TRUSTED] = "trusted",
    [IA_RECORDING_QUARANTINED] = "quarantined",
    [IA_RECORDING_REJECTED] = "rejected",
    [IA_RECORDING_REPLACED] = "replaced",
})
NAMES(question_state, IA_QUESTION_STATE_COUNT, {
    [IA_QUESTION_OPEN] = "open",
    [IA_QUESTION_APPROVED] = "approved",
    [IA_QUESTION_DENIED] = "denied",
    [IA_QUESTION_USED] = "used",
    [IA_QUESTION_WITHDRAWN] = "withdrawn",
})
NAMES(call_state, IA_CALL_STATE_COUNT, {
    [IA_CALL_INTENT] = "intent",
    [IA_CALL_DONE] = "done",
})
/* clang-format on */
