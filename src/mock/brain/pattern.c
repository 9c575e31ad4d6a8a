/* pattern.c: see pattern.h. A nested group is skipped by counting brackets. */
#include "mock/brain/pattern.h"

#include "mock/brain/words.h"

#include <ctype.h>
#include <string.h>

enum { LITERAL_BYTES = 24 };

const char *ia_pattern_group_end(const char *p)
{
    int depth = 0;
    for (; *p; p++) {
        depth += *p == '(' || *p == '[';
        depth -= *p == ')' || *p == ']';
        if (depth == 0) {
            return p;
        }
    }
    return p;
}

const char *ia_pattern_next_alternative(const char *p, const char *end)
{
    while (p < end && *p != '|') {
        p = *p == '(' || *p == '[' ? ia_pattern_group_end(p) + 1 : p + 1;
    }
    return p + 1;
}

size_t ia_pattern_literal_len(const char *p)
{
    return strcspn(p, " ()[]{}|");
}

/* A first letter that differs is the end of most comparisons. */
bool ia_pattern_may_be(struct ia_str w, const char *p)
{
    unsigned char c = (unsigned char)*w.p;
    return (char)tolower(c) == *p || c >= 0x80;
}

bool ia_pattern_is_literal(struct ia_str w, const char *p, size_t n)
{
    char known[LITERAL_BYTES];
    if (!ia_pattern_may_be(w, p) || n == 0 || n >= sizeof(known)) {
        return false;
    }
    memcpy(known, p, n);
    known[n] = '\0';
    return ia_word_is(w, known);
}

bool ia_pattern_begins(const char *p, struct ia_str w)
{
    for (;;) {
        p += strspn(p, " ");
        if (*p != '(' && *p != '[') {
            return ia_pattern_is_literal(w, p, ia_pattern_literal_len(p));
        }
        const char *end = ia_pattern_group_end(p);
        for (const char *alt = p + 1; alt < end; alt = ia_pattern_next_alternative(alt, end)) {
            if (ia_pattern_may_be(w, alt) &&
                ia_pattern_is_literal(w, alt, ia_pattern_literal_len(alt))) {
                return true;
            }
        }
        if (*p == '(') {
            return false;
        }
        p = end + 1;
    }
}
