/* grammar.h: the rows of the grammar, and how a goal is matched against them. Private to the
 * brain.
 *
 * A pattern is matched against the words of a clause:
 *   word      that word, in any case; in a long one a slip is forgiven (ia_word_is)
 *   (x|y z)   one of the alternatives      [x|y z]   the same, or nothing
 *   {aT}      a value of type T into slot a, b, c or d: as few words as possible
 *   lparen    an opening bracket       comma    a comma
 * Marks that pause (, : - and brackets) may stand between the parts of a pattern.
 *
 * Types of values. Between quotation marks any text is a value of every type.
 *   L  a label: any words; it is looked up on the screen, so a wrong one is never found
 *   U  a text to be typed; none of the words that say how, when or whether to do something
 *   T  the same, and it may contain "and"
 *   W  one word     P  a phone number     E  an email address     #  a number     %  percent
 *   N  names of people, one or several    I  things to buy, each perhaps with a number
 *   S  settings, one or several           K  a setting that know.c has
 *   C  an app that know.c has             D  a day: today, tomorrow, next week
 *   R  up, down, left or right */
#ifndef IA_MOCK_BRAIN_GRAMMAR_H
#define IA_MOCK_BRAIN_GRAMMAR_H

#include "mock/brain/goal.h"
#include "mock/brain/words.h"

enum ia_row_flags {
    IA_ROW_GLUED = 1, /* the next clause may follow without a mark or an "and" */
    IA_ROW_STAYS = 2  /* "in Contacts" at its end is no place to go to */
};

struct ia_row {
    enum ia_step_kind kind;
    int flags;
    const char *app; /* that holds the thing; NULL: whatever is in front */
    const char *pattern;
    const char *fill;    /* "b=Email|c=none": slots that the row itself says; NULL */
    const char *example; /* for people; NULL: it is another way to say what is above */
};

extern const struct ia_row ia_rows[];
extern const size_t ia_row_count;

struct ia_clause {
    const struct ia_row *row;
    struct {
        size_t from, to; /* words; the same for none */
        char type;
    } slot[IA_STEP_SLOTS];
    size_t from, to;
    struct ia_str app; /* named at its end: "… in Settings" */
};

enum { IA_CLAUSES_MAX = 80 };

struct ia_clauses {
    struct ia_words words;
    struct ia_clause c[IA_CLAUSES_MAX];
    size_t count;
    size_t unknown; /* where the words begin that no row matches; words.count for none */
};

void ia_grammar_match(struct ia_str goal, struct ia_clauses *ret);
/* The words of a goal as they were written, from the first up to but without the second. */
struct ia_str ia_grammar_text(const struct ia_words *w, size_t from, size_t to);
/* True for a comma or an "and": what stands between the elements of a list. */
bool ia_grammar_joins(const struct ia_word *w);
/* True where a clause may end: a mark, "and", "then", "but" … */
bool ia_grammar_ends(const struct ia_words *w, size_t i);

#endif
