/* sample.h: a store with a sweep in it, made without running anything. */
#ifndef IA_TESTS_REPORT_SAMPLE_H
#define IA_TESTS_REPORT_SAMPLE_H

#include "store/sweeps.h"

/* Text that is an attack in some format. */
#define HOSTILE                                                                                \
    "</script><script>alert(1)</script> <img src=x onerror=alert(2)> ]]> & \"'` |x| @octocat " \
    "#12 [a](http://evil.example) ::error::no %0A \x1b[31mred\x07 \xe2\x80\xaereversed "       \
    "\xff\xfe $(touch /tmp/pwned) {{name}} {{&style}}"

struct sample {
    int goals;
    int steps;               /* of each run */
    const char *const *shas; /* pictures of steps, used in turn; may be none */
    size_t sha_count;
    bool running; /* the sweep and its last goal are not finished */
};

/* Adds the sweep; its goals are named "goal 1" …, those of a multiple of 4 carry HOSTILE. Their
 * states go round: passed, failed, flaky (two runs), error, blocked, skipped (no run), and two
 * goals "twice" that differ in verdict are repeats of each other. */
void sample_sweep(struct ia_store *store, const struct sample *sample,
                  char ret_sweep_id[IA_ID_SIZE]);
/* A run alone with that many steps; state passed, or running. */
void sample_run(struct ia_store *store, const struct sample *sample, char ret_id[IA_ID_SIZE]);

#endif
