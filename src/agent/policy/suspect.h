/* suspect.h: text on a screen that tries to give orders to who reads it.
 *
 * A text is suspicious for one of three reasons:
 *     order       it says what such texts say: "ignore all previous instructions", in the languages of orders.json
 *     addressed   it names an assistant, an agent or a model, and tells it to do something
 *     markup      it looks like a part of the conversation: "</screen", "<|im_start|>", "[SYSTEM]"
 * Compared as people read: without regard to case, width, invisible characters, letters of other alphabets that look
 * alike, digits for letters, and spaces between letters. Two elements in a row count as one text as well.
 *
 * It marks and forbids nothing: what a call may do is decided by policy.h, whatever a screen says. Pure; the table
 * of words is read once. Any thread. */
#ifndef IA_AGENT_POLICY_SUSPECT_H
#define IA_AGENT_POLICY_SUSPECT_H

#include "driver/snapshot/snapshot.h"

enum { IA_SUSPECTS_MAX = 8, IA_SUSPECT_TEXT = 200, IA_SUSPECT_SEEN = 512 };

struct ia_suspect {
    uint32_t ref; /* 0: the title, or an element without a ref */
    const char *why;
    char text[IA_SUSPECT_TEXT]; /* its beginning, as on the screen */
};
/* Why the text is suspicious; NULL: it is not. */
const char *ia_suspect_text(struct ia_str text);

/* What was found so far in a run, so that a text is looked at and told once. Zeroed at first; nothing to free. */
struct ia_suspects {
    uint64_t seen[IA_SUSPECT_SEEN]; /* hashes of texts that were looked at */
    bool any;
};
/* The suspicious texts of a screen that were not seen before, at most max; returns how many. */
size_t ia_suspects_find(struct ia_suspects *s, const struct ia_snapshot *screen,
                        struct ia_suspect *ret, size_t max);
/* The same for one text that stands on no screen; returns 0 or 1. */
size_t ia_suspects_take(struct ia_suspects *s, struct ia_str text, struct ia_suspect *ret,
                        size_t max);

#endif
