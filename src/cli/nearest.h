/* nearest.h: what the user may have meant. */
#ifndef IA_CLI_NEAREST_H
#define IA_CLI_NEAREST_H

#include "base/base.h"

/* Remembers the candidate that is closest to a word so far. Start with {.word = "..."}. */
struct ia_nearest {
    const char *word;
    const char *best; /* NULL while nothing is close enough to be meant */
    size_t distance;
};

/* Offers one candidate; it is borrowed. */
void ia_nearest_offer(struct ia_nearest *n, const char *candidate);

#endif
