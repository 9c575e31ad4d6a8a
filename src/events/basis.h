/* basis.h: what the end of a run rests on. The names are what events, rows and reports hold; the
 * words are what people read, the same on every surface. */
#ifndef IA_EVENTS_BASIS_H
#define IA_EVENTS_BASIS_H

#include "base/buf.h"

/* X(enum, "name", "words"). NONE has no words: there is nothing to say of it. */
#define IA_BASIS_LIST(X)                                                                       \
    X(IA_BASIS_NONE, "none", "")                                                               \
    X(IA_BASIS_EXPECTATIONS, "expectations", "every expectation holds, checked by code")       \
    X(IA_BASIS_VERIFIER, "verifier", "the quoted evidence holds, and the verifier agrees")     \
    X(IA_BASIS_PICTURE, "picture",                                                             \
      "the quoted evidence was read on a picture, and the verifier agrees")                    \
    X(IA_BASIS_BOTH, "both", "every expectation holds, and the verifier agrees")               \
    X(IA_BASIS_UNVERIFIED, "unverified",                                                       \
      "unverified: no expectation and no verifier shows what was done")                        \
    X(IA_BASIS_DISPUTED, "disputed",                                                           \
      "disputed: every expectation holds, but the verifier does not agree")                    \
    X(IA_BASIS_EXPECTATIONS_HOLD, "expectations_hold",                                         \
      "the model's word, although the expectations hold")

enum ia_basis {
#define IA_BASIS_ENUM(code, name, words) code,
    IA_BASIS_LIST(IA_BASIS_ENUM)
#undef IA_BASIS_ENUM
        IA_BASIS_COUNT
};

const char *ia_basis_name(enum ia_basis basis);
/* The one with that name; NONE for any other word. */
enum ia_basis ia_basis_from_name(struct ia_str name);
/* "" for NONE. */
const char *ia_basis_words(enum ia_basis basis);

struct ia_event_replay;
/* Appends one line on a replay: "replayed 9 of 10 steps, 1 drifted (step 4: container), 0 model calls, 4.1 s".
 * Appends nothing if there was none. */
void ia_replay_words(const struct ia_event_replay *replay, double seconds, struct ia_buf *out);

#endif
