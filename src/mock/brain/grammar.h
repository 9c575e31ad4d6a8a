/* grammar.h: the rows of the grammar, and how a goal is matched against them. Private to the
 * brain. The patterns are explained in pattern.h, the types of values in values.h. */
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

#endif
