#include "cli/nearest.h"

#include <string.h>

enum { WORD_MAX = 40 };

static size_t min3(size_t a, size_t b, size_t c)
{
    size_t m = a < b ? a : b;
    return m < c ? m : c;
}

/* Optimal string alignment: insertions, deletions, replacements and swapped neighbours. */
static size_t distance(const char *a, size_t an, const char *b, size_t bn)
{
    size_t d[WORD_MAX + 1][WORD_MAX + 1];
    for (size_t i = 0; i <= an; i++) {
        d[i][0] = i;
    }
    for (size_t j = 0; j <= bn; j++) {
        d[0][j] = j;
    }
    for (size_t i = 1; i <= an; i++) {
        for (size_t j = 1; j <= bn; j++) {
            size_t cost = a[i - 1] == b[j - 1] ? 0 : 1;
            d[i][j] = min3(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + cost);
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && d[i - 2][j - 2] + 1 < d[i][j]) {
                d[i][j] = d[i - 2][j - 2] + 1;
            }
        }
    }
    return d[an][bn];
}

/* A prefix ("max-step", "stat") counts as close, however much is missing. */
static size_t closeness(const char *word, const char *candidate)
{
    size_t wn = strlen(word);
    size_t cn = strlen(candidate);
    if (wn >= 3 && wn < cn && strncmp(word, candidate, wn) == 0) {
        return 1;
    }
    if (wn > WORD_MAX || cn > WORD_MAX) {
        return WORD_MAX;
    }
    return distance(word, wn, candidate, cn);
}

void ia_nearest_offer(struct ia_nearest *n, const char *candidate)
{
    size_t d = closeness(n->word, candidate);
    size_t limit = strlen(n->word) / 3 + 1;
    if (d <= limit && (!n->best || d < n->distance)) {
        n->best = candidate;
        n->distance = d;
    }
}
