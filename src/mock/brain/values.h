/* values.h: which words of a goal may be a value of a pattern. Private to the brain.
 *
 * Types of values. Between quotation marks any text is an L, U, T, W, P, N, I and S.
 *   L  a label: any words; it is looked up on the screen, so a wrong one is never found
 *   U  a text to be typed; none of the words that say how, when or whether to do something
 *   T  the same, and it may contain "and"
 *   W  one word     P  a phone number     E  an email address     #  a number     %  percent
 *   N  names of people, one or several    I  things to buy, each perhaps with a number
 *   S  settings, one or several           K  a setting that know.c has
 *   C  an app that know.c has             D  a day: today, tomorrow, next week
 *   R  up, down, left or right */
#ifndef IA_MOCK_BRAIN_VALUES_H
#define IA_MOCK_BRAIN_VALUES_H

#include "mock/brain/words.h"

enum { IA_KNOWN_WORDS_MAX = 6 };

/* What is remembered of the words of one goal, because the matching asks the same again and again. Begins as
 * zeros and w, which is borrowed and must outlive it; owns nothing. */
struct ia_values {
    const struct ia_words *w;
    signed char verb[IA_WORDS_MAX + 1]; /* is_verb: 0 not asked yet, 1 yes, -1 no */
    signed char known[IA_WORDS_MAX + 1]
                     [IA_KNOWN_WORDS_MAX + 1]; /* a setting of so many words */
};

enum ia_fit {
    IA_FIT_NO,   /* no value, nor with more words behind them */
    IA_FIT_MORE, /* no value, but perhaps with more words */
    IA_FIT_YES
};

/* Whether the words from i up to but without `end` are a value of the type. For each i it is asked with
 * every `end` from i + 1 on until it says no: most types look only at what the last word adds. */
enum ia_fit ia_value_fits(struct ia_values *v, size_t i, size_t end, char type);

#endif
