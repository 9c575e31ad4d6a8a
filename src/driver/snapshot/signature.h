/* signature.h: identifies an element across runs, where its ref means nothing.
 *
 * A signature consists of texts and structure, never of coordinates or hashes, so it can be kept in a file
 * and read by people. A search has five outcomes; only the first two may be acted on:
 *
 *   exact      one element has the recorded role, identifier, label (but for digits beside words) and question
 *   drifted    one element scores far above all others, and only its surroundings differ
 *   ambiguous  the signature cannot tell several elements apart
 *   changed    one element is probably meant, but its own texts differ
 *   missing    no element is similar
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
    int role;                  /* enum ia_role */
    char *text[IA_SIGN_COUNT]; /* UTF-8, owned; NULL: the element has none */
    int on;      /* enum ia_tristate of a switch before the action; IA_UNSET: no switch */
    int nth, of; /* position, from 1, among the elements with equal role, label and container */
    int alike;   /* elements whose labels are equal but for digits, itself included */
};
/* Frees the texts and zeroes *sig. */
void ia_signature_fini(struct ia_signature *sig);

/* Takes the signature of an element of the snapshot. *ret must be zero; free it with ia_signature_fini.
 * Returns false and leaves *ret zero if the element has neither a usable identifier nor a label or
 * placeholder, by which it could be found again. */
bool ia_signature_of(const struct ia_snapshot *s, const struct ia_element *e,
                     struct ia_signature *ret);

/* Appends the question of the alert or action sheet in front: its label and texts. Returns the number of its
 * buttons; 0, and appends nothing, if there is none. */
size_t ia_signature_question(const struct ia_snapshot *s, struct ia_buf *out);

/* Appends a selector (snapshot.h) that finds this listed element alone, by its identifier or by role and
 * label. Returns false and appends nothing if no selector would do so in another run, too: the label
 * has digits, or the identifier is generated. */
bool ia_signature_selector(const struct ia_snapshot *s, const struct ia_element *e,
                           struct ia_buf *out);

/* The element's value as an expectation `value` reads it: "on", "off", its value, or "selected"; NULL if it has
 * none. Borrowed from the snapshot. */
const char *ia_signature_state(const struct ia_element *e);

/* Reports at most `max` effects of an action to tell(ctx, selector, value): elements that are new on the screen
 * (value NULL) and elements whose value or state changed (value: the new one; "on" or "off" for a switch). A new
 * element has its value, too, if that says in words what was chosen: `acted` is the ref of the element that the
 * action was done to, or 0. Selectors are as above; both arguments are valid during the call. The snapshots are of
 * one session, one after the other. Long texts and passwords are left out. */
void ia_signature_changes(const struct ia_snapshot *before, const struct ia_snapshot *after,
                          uint32_t acted, size_t max,
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
    /* The nearest elements, best first, with scores from 0 to 100; also filled if nothing matches. */
    struct ia_match_candidate {
        const struct ia_element *e;
        int score;
        const char *veto; /* why it is ruled out, whatever its score; NULL: it is not */
        const char
            *differs; /* the word for what differs from the recorded element; NULL: nothing */
    } best[IA_MATCH_BEST];
    size_t count;
};
/* Searches a snapshot for the element; takes time linear in the number of elements. *ret borrows from s. */
void ia_signature_match(const struct ia_snapshot *s, const struct ia_signature *sig,
                        struct ia_match *ret);

#endif
