/* suggest.c: which known word was meant, by edit distance with swaps (optimal string alignment,
 * also called restricted Damerau-Levenshtein). */
#include "base/suggest.h"

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Optimal string alignment over three rows of the matrix: rows[i % 3][j] is the distance
 * between the first i bytes of a and the first j bytes of b. */
size_t ia_edit_distance(struct ia_str a, struct ia_str b)
{
    size_t rows[3][IA_SUGGEST_MAX + 1];
    if (a.n > IA_SUGGEST_MAX || b.n > IA_SUGGEST_MAX) {
        return SIZE_MAX;
    }
    for (size_t j = 0; j <= b.n; j++) {
        rows[0][j] = j;
    }
    for (size_t i = 1; i <= a.n; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3];
        const size_t *above2 = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b.n; j++) {
            char ca = lower(a.p[i - 1]);
            char cb = lower(b.p[j - 1]);
            row[j] = least(above[j], row[j - 1]) + 1;
            row[j] = least(row[j], above[j - 1] + (ca != cb));
            if (i > 1 && j > 1 && ca == lower(b.p[j - 2]) && lower(a.p[i - 2]) == cb) {
                row[j] = least(row[j], above2[j - 2] + 1);
            }
        }
    }
    return rows[a.n % 3][b.n];
}

const char *ia_nearest(struct ia_str word, const char *const *words, size_t count)
{
    size_t limit = word.n / 3 > 2 ? word.n / 3 : 2;
    const char *best = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t d = ia_edit_distance(word, ia_str(words[i]));
        if (d <= limit && (!best || d < ia_edit_distance(word, ia_str(best)))) {
            best = words[i];
        }
    }
    /* Two edits turn a word of two letters into any other. */
    return best && ia_edit_distance(word, ia_str(best)) < word.n ? best : NULL;
}
