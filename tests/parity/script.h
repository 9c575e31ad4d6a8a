/* script.h: one list of operations for any device, and what the device answered.
 *
 * A script is lines of a verb and its words ("tap add", "drag 200 600 200 300 300"); words with
 * spaces stand in double quotes, \n in them is the return key, $name is a word of the cast, and
 * # begins a comment. "cancelled" or "late" before a verb makes its call one that was
 * cancelled, or whose time was over, before it began.
 *
 *   info | tree | shot | shot_pt | has NAME | value NAME | focused NAME
 *   launch APP | terminate APP | open URL | press BUTTON | orient N | reset
 *   tap NAME | tap_at X Y | hold NAME MS | hold_at X Y MS | drag X Y X Y MS
 *   type TEXT | delete N | alert accept|dismiss|button [LABEL]
 *
 * NAME is an identifier or label: what is meant is the middle of the last node that has it. */
#ifndef IA_TESTS_PARITY_SCRIPT_H
#define IA_TESTS_PARITY_SCRIPT_H

#include "base/buf.h"
#include "driver/device.h"

/* One fact that a device told in answer to a line. */
struct fact {
    int line;
    char *verb, *key, *text;
};
struct facts {
    struct fact *list;
    size_t n, cap;
};
void facts_fini(struct facts *f);

struct cast {
    const char *name, *word;
};
struct script {
    const char *text;
    const struct cast *cast; /* ended by a NULL name; may be NULL */
    /* After each line: further facts, by facts_add. May be NULL. */
    void (*after)(void *ctx, struct facts *f);
    void *ctx;
};

/* Runs it. The test fails at a line that is none. */
void script_run(const struct script *s, struct ia_device *d, struct facts *ret);
/* Adds a fact to the line that runs now. */
void facts_add(struct facts *f, const char *key, const char *text);

/* Which facts of two devices are compared, and how. */
enum same { SAME_TEXT, SAME_CONTAINED, SAME_IGNORED };
/* Whether what b said may stand for what a said. */
typedef enum same same_fn(const char *key);

/* One line for each difference: "script:line verb | key | a | b". */
void facts_compare(const char *script, const struct facts *a, const struct facts *b,
                   same_fn *how, struct ia_buf *out);

#endif
