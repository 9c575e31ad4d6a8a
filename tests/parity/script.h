/* script.h: runs one list of operations on any device and records what the device answered.
 *
 * A line of a script is a verb and its words ("tap add", "drag 200 600 200 300 300"). Words
 * with spaces are in double quotes, where \n is the return key; $name is replaced by the cast's
 * word for it; # begins a comment. "cancelled" or "late" before a verb makes a call that was
 * cancelled, or past its deadline, before it began.
 *
 *   info | tree | shot | shot_pt | has NAME | value NAME | focused NAME
 *   launch APP | terminate APP | open URL | press BUTTON | orient N | reset
 *   tap NAME | tap_at X Y | hold NAME MS | hold_at X Y MS | drag X Y X Y MS
 *   pinch NAME SCALE (a name that is not there: the screen) | copy TEXT | pasteboard
 *   native ACTION [ARGS] (its arguments, a JSON object with ' for ")
 *   type TEXT | delete N | alert accept|dismiss|button [LABEL]
 *
 * NAME is an identifier or a label; it means the middle of the last node that has it. */
#ifndef IA_TESTS_PARITY_SCRIPT_H
#define IA_TESTS_PARITY_SCRIPT_H

#include "base/buf.h"
#include "driver/device.h"

/* One fact in the answer of a device to a line. */
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

/* Runs the script. An invalid line fails the test. */
void script_run(const struct script *s, struct ia_device *d, struct facts *ret);
/* Adds a fact to the current line. */
void facts_add(struct facts *f, const char *key, const char *text);

/* Which facts of the two devices are compared, and how. */
enum same { SAME_TEXT, SAME_CONTAINED, SAME_IGNORED };
/* Whether the answer of b is acceptable in place of that of a. */
typedef enum same same_fn(const char *key);

/* One line for each difference: "script:line verb | key | a | b". */
void facts_compare(const char *script, const struct facts *a, const struct facts *b,
                   same_fn *how, struct ia_buf *out);

#endif
