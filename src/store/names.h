/* names.h: the words by which enums are stored (private to store/).
 *
 * Tables hold words, the program holds enums; each enum has one list of words, and only the
 * store translates. A word that no list has reads as the enum's _COUNT, which no table accepts
 * when it is written. */
#ifndef IA_STORE_NAMES_H
#define IA_STORE_NAMES_H

#include <stddef.h>

struct ia_names {
    const char *const *list; /* by the enum's value */
    unsigned count;
};

extern const struct ia_names ia_run_state_names, ia_run_kind_names, ia_call_state_names;
extern const struct ia_names ia_schedule_kind_names, ia_missed_names, ia_overlap_names;
extern const struct ia_names ia_notice_state_names, ia_recording_state_names,
    ia_question_state_names;
extern const struct ia_names ia_sweep_state_names, ia_sweep_goal_state_names;

/* "" beyond the list. */
const char *ia_name_of(const struct ia_names *names, unsigned value);
/* The value with that name; the count for NULL and for unknown words. */
unsigned ia_name_find(const struct ia_names *names, const char *name);

#endif
