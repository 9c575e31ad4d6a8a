/* signature.h: what an element is known by in another run, where its ref means nothing.
 *
 * A signature is made of texts and structure, never of a place on the screen or of a hash, so it can stand
 * in a file and be read by people. Finding an element by it has five outcomes; only the first two may
 * be acted on:
 *
 *   exact      one element has the role, identifier, label and question of the recorded one
 *   drifted    one element is far ahead of all others, and only its surroundings differ
 *   ambiguous  several elements that the signature cannot tell apart
 *   changed    an element that is probably meant, but reads differently
 *   missing    none that is like it
 *
 * Pure; any thread. */
#ifndef IA_DRIVER_SNAPSHOT_SIGNATURE_H
#define IA_DRIVER_SNAPSHOT_SIGNATURE_H

#include "driver/snapshot/snapshot.h"

/* X(enum, "its name in files") */
#define IA_SIGN_LIST(X)                                                                        \
    X(IA_SIGN_ID, "id") /* the developer's identifier; unique, and no number */                \
    X(IA_SIGN_LABEL, "label")                                                                  \
    X(IA_SIGN_PLACEHOLDER, "placeholder") /* of a field without label */                       \
    X(IA_SIGN_QUESTION, "question")       /* what the alert or sheet around it says */         \
    X(IA_SIGN_BEFORE, "before")           /* labels next to it, without those with digits */   \
    X(IA_SIGN_AFTER, "after")                                                                  \
    X(IA_SIGN_IN, "in") /* the nearest container that has a name, as a selector */

enum ia_sign {
#define IA_SIGN_ENUM(code, name) code,
    IA_SIGN_LIST(IA_SIGN_ENUM)
#undef IA_SIGN_ENUM
        IA_SIGN_COUNT
};
extern const char *const ia_sign_names[IA_SIGN_COUNT];

struct ia_signature {
    int role; /* enum ia_role */
    char *text[IA_SIGN_COUNT];
    int on;      /* enum ia_tristate of a switch before the act; IA_UNSET: it has no state */
    int nth, of; /* among those with equal role, label and container, from 1 */
    int alike;   /* how many labels were equal but for their digits, itself included */
};
void ia_signature_fini(struct ia_signature *sig);

/* Of an element of the snapshot; *ret is zero before. False where it has neither a usable identifier nor a
 * label or placeholder: then nothing would find it again, and *ret stays zero. */
bool ia_signature_of(const struct ia_snapshot *s, const struct ia_element *e,
                     struct ia_signature *ret);

/* Appends what the alert or action sheet in front asks: its label and texts. How many buttons answer it; 0, and
 * nothing appended, where none is in front. */
size_t ia_signature_question(const struct ia_snapshot *s, struct ia_buf *out);

/* Appends a selector (snapshot.h) that finds this element and no other that is listed, made of its identifier
 * or of role and label. False, and nothing appended, where there is none that would do so in another run, too:
 * a label with digits, an identifier that a program made up. */
bool ia_signature_selector(const struct ia_snapshot *s, const struct ia_element *e,
                           struct ia_buf *out);

/* What a condition `value` says of the element: on, off, its value, or selected; NULL: nothing. Borrowed. */
const char *ia_signature_state(const struct ia_element *e);

/* Tells at most `max` of the elements that an action brought onto the screen (value NULL), where nothing was there
 * that the selector finds, or whose value or state it changed: by a selector as above, and with the value as it is now ("on", "off" for a switch). Both
 * snapshots are of one session, one after the other. Long texts and passwords are left out. */
void ia_signature_changes(const struct ia_snapshot *before, const struct ia_snapshot *after,
                          size_t max,
                          void (*tell)(void *ctx, struct ia_str selector, const char *value),
                          void *ctx);

/* X(enum, "its name") */
#define IA_MATCH_LIST(X)                                                                       \
    X(IA_MATCH_EXACT, "exact")                                                                 \
    X(IA_MATCH_DRIFTED, "drifted")                                                             \
    X(IA_MATCH_AMBIGUOUS, "ambiguous")                                                         \
    X(IA_MATCH_CHANGED, "changed")                                                             \
    X(IA_MATCH_MISSING, "missing")

enum ia_match_class {
#define IA_MATCH_ENUM(code, name) code,
    IA_MATCH_LIST(IA_MATCH_ENUM)
#undef IA_MATCH_ENUM
        IA_MATCH_COUNT
};
extern const char *const ia_match_names[IA_MATCH_COUNT];

enum { IA_MATCH_BEST = 5 };
struct ia_match {
    enum ia_match_class class;
    const struct ia_element *e; /* EXACT, DRIFTED; borrowed from the snapshot */
    /* The nearest elements, best first, with 0 to 100 points; also where nothing matches. */
    struct ia_match_candidate {
        const struct ia_element *e;
        int score;
        const char *veto;    /* why it cannot be the one, whatever its score; NULL: it could */
        const char *differs; /* what of it is not as recorded, in a word; NULL: nothing */
    } best[IA_MATCH_BEST];
    size_t count;
};
/* Looks for the element in a snapshot. Linear in its elements. */
void ia_signature_match(const struct ia_snapshot *s, const struct ia_signature *sig,
                        struct ia_match *ret);

#endif
