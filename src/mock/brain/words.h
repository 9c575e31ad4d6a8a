/* words.h: a goal's text as words, and when two words mean the same. Pure.
 *
 *     put a 'Desk Lamp' in Nora's cart, please.
 *     put|a|Desk Lamp (quoted)|in|Nora|'s|cart|, (a pause)|please|. (a stop) */
#ifndef IA_MOCK_BRAIN_WORDS_H
#define IA_MOCK_BRAIN_WORDS_H

#include "base/base.h"

enum { IA_WORDS_MAX = 600 };

enum ia_word_kind {
    IA_WORD_PLAIN,
    IA_WORD_QUOTED, /* without its marks; nothing in it is grammar */
    IA_WORD_PAUSE,  /* , : ( ) and a dash that stands alone */
    IA_WORD_STOP    /* . ; ? ! and the end of a line */
};

struct ia_word {
    struct ia_str s;
    enum ia_word_kind kind;
    struct ia_str raw; /* with the marks */
};

struct ia_words {
    struct ia_word w[IA_WORDS_MAX];
    size_t count;
    bool cut; /* there were more */
};

/* The words point into s. */
void ia_words_split(struct ia_str s, struct ia_words *ret);
/* The words as they were written, from the first up to but without the second. */
struct ia_str ia_words_text(const struct ia_words *w, size_t from, size_t to);
/* A plain word of the list (ia_word_in): what is between quotation marks is none. */
bool ia_word_plain_in(const struct ia_word *w, const char *list);
/* True for a comma or an "and": what stands between the elements of a list. */
bool ia_word_joins_items(const struct ia_word *w);
/* True for "and", "then", "but" …: what stands between two clauses. */
bool ia_word_joins_clauses(const struct ia_word *w);

/* In any case of letters; a curly apostrophe is a straight one. From six letters on, one letter
 * may be missing, wrong, too many or swapped with the next, but not at an end. */
bool ia_word_is(struct ia_str w, const char *known);
/* The same without room for a slip. */
bool ia_word_same(struct ia_str a, struct ia_str b);
/* Also forms of one word: lamp and lamps, call and called. */
bool ia_word_akin(struct ia_str a, struct ia_str b);
/* Takes the next run of letters and digits of *s; false at its end. */
bool ia_word_next(struct ia_str *s, struct ia_str *ret);
/* True when both texts have the same words (ia_word_is): "wi-fi" and "Wi Fi". */
bool ia_text_same(struct ia_str a, const char *b);
/* True when every word of part that says something (not "the", "my", "to" …) is akin to one of
 * text; false when there is none. */
bool ia_text_tells(const char *text, struct ia_str part);
/* The longest word of a text, without the ending of a plural or a past tense. */
struct ia_str ia_text_key(struct ia_str s);
/* True when one of the words, separated by spaces in list, is w. */
bool ia_word_in(struct ia_str w, const char *list);
/* The value of digits or of a word up to twelve; -1 for none. */
long ia_word_number(struct ia_str w);

#endif
