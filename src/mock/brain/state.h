/* state.h: the demo brain's state and the parts of its walk. Private to the brain. */
#ifndef IA_MOCK_BRAIN_STATE_H
#define IA_MOCK_BRAIN_STATE_H

#include "base/buf.h"
#include "mock/brain/brain.h"
#include "mock/brain/goal.h"
#include "mock/brain/screen.h"

enum {
    IA_BRAIN_CALLS_MAX = 6,    /* tool calls in one answer */
    IA_BRAIN_TRIES_MAX = 2,    /* repeats of an action that failed */
    IA_BRAIN_EVIDENCE_MAX = 8, /* quotes */
    IA_BRAIN_REASON_MAX = 600,
    IA_BRAIN_ANSWER_MAX = 800,
    IA_BRAIN_LOOKED = 100 /* now.moves: the search was used, too */
};

/* What a step came to, with the screen as it is now. */
enum ia_walk {
    IA_WALK_DONE,  /* the next step may start */
    IA_WALK_ACTED, /* calls were put into the answer; their results are needed */
    IA_WALK_FAILED,
    IA_WALK_BLOCKED
};

struct ia_brain_quote {
    char text[IA_STEP_TEXT_MAX];
    int step; /* number of the result that showed it; 0: no result did */
};

/* How far the walk is. */
struct ia_brain_place {
    size_t at;      /* the step that is being done */
    int phase;      /* within the step; 0 at its start */
    int tries;      /* repeats of what failed */
    int moves;      /* ways that were tried to what the step needs */
    int number;     /* that the step remembers */
    int rows;       /* rows that were followed to what the step needs */
    bool sought;    /* has scrolled or looked again */
    bool waited;    /* has waited for something that was being loaded */
    bool altered;   /* has taken its detour (a row, an edit button, going back) */
    bool intruded;  /* an alert that nothing asked for was closed in this step */
    bool unchanged; /* the last answer's calls changed nothing on the screen */
    unsigned asked; /* calls of the last answer, as bits */
    unsigned ok;    /* of those, the ones that succeeded */
};

/* Rebuilt for every request by walking through its conversation from the start. */
struct ia_brain {
    struct ia_step steps[IA_STEPS_MAX];
    size_t count;
    size_t announced; /* number of the step that the last answer named, from 1 */
    struct ia_brain_place now, before; /* before: where the last answer was decided */
    struct ia_brain_screen screen;

    const char *asked_tool; /* the first call of the last answer; static; "" for none */
    bool cut_off; /* a call's outcome is unknown: the program or the phone went away */
    bool crashed; /* the app that was in front is gone, and nobody sent it away */
    int alerts;   /* so many of them in all */
    char last_error[IA_BRAIN_REASON_MAX]; /* text of the last failed result */
    char last_alert[IA_STEP_TEXT_MAX];    /* the last alert that was closed */
    int shown_step; /* number in the head of the result that showed the screen; 0: none did */
    bool finishing; /* the last answer called finish */
    bool refused;   /* and it was refused */

    struct ia_brain_quote quotes[IA_BRAIN_EVIDENCE_MAX];
    size_t quote_count;
    char reason[IA_BRAIN_REASON_MAX]; /* of a step that failed or was blocked */
    char answer[IA_BRAIN_ANSWER_MAX]; /* to the questions in the goal, and what else to say */

    struct {
        const char *tool; /* static */
        json_t *input;    /* owned until taken */
    } calls[IA_BRAIN_CALLS_MAX];
    size_t call_count;
};

/* ---- find.c ---- */

/* Kinds of elements by what can be done with them. */
enum ia_want {
    IA_WANT_TAP,
    IA_WANT_FIELD,
    IA_WANT_TOGGLE,
    IA_WANT_ICON,
    IA_WANT_ROW,  /* and buttons and links */
    IA_WANT_CELL, /* rows alone */
    IA_WANT_SLIDER,
    IA_WANT_ANY
};
/* The best element for a name: exact label before its part up to ", " before words in it before
 * value; letters' case and a leading "the" do not count. NULL when there is none. */
const struct ia_brain_item *ia_brain_find(const struct ia_brain_screen *s, enum ia_want want,
                                          const char *name);
/* The same, but only the label, or its part up to ", ". */
const struct ia_brain_item *ia_brain_find_exact(const struct ia_brain_screen *s,
                                                enum ia_want want, const char *name);
/* The exact one, else the only one whose label has all the words that the name says, in any
 * form ("called the dentist": Call the dentist). *ret_count: how many there are; more than one is
 * none. */
const struct ia_brain_item *ia_brain_find_akin(const struct ia_brain_screen *s,
                                               enum ia_want want, const char *name,
                                               size_t *ret_count);
/* The first of several names (NULL-ended) that is found. */
const struct ia_brain_item *ia_brain_find_any(const struct ia_brain_screen *s,
                                              enum ia_want want, const char *const *names);
/* The first with the role, or NULL. */
const struct ia_brain_item *ia_brain_role(const struct ia_brain_screen *s, const char *role);
/* The alert or action sheet on the screen, or NULL. */
const struct ia_brain_item *ia_brain_alert(const struct ia_brain_screen *s);
/* The focused field, else the only one; NULL otherwise. */
const struct ia_brain_item *ia_brain_only_field(const struct ia_brain_screen *s);
bool ia_brain_role_is(const struct ia_brain_item *item, const char *role);
/* True when text stands in a label, value or the title; in any case of letters. *ret_quote is
 * that label, value or title. */
bool ia_brain_shown(const struct ia_brain_screen *s, const char *text, const char **ret_quote);
/* True when `text` contains `part` in any case of letters; _has_words: between word
 * boundaries. */
bool ia_brain_contains(const char *text, const char *part);
bool ia_brain_has_words(const char *text, const char *part);
/* A setting's label for what people call it, or the name itself. */
const char *ia_brain_setting(const char *name);
/* "A, B, C" of what the screen shows. */
void ia_brain_list(const struct ia_brain_screen *s, struct ia_buf *out);

/* ---- effect.c ---- */

/* Whether a screen shows that a step was done. */
enum ia_effect {
    IA_EFFECT_UNKNOWN, /* it shows nothing about it */
    IA_EFFECT_NO,      /* it shows the contrary */
    IA_EFFECT_YES
};
enum ia_effect ia_brain_effect(const struct ia_brain_screen *s, const struct ia_step *step);
/* Whether the page that the step names, else this one, shows that its thing is not there: not on
 * another page, and not in a list of what another search found. */
bool ia_brain_absent(const struct ia_brain_screen *s, const struct ia_step *step);
/* The label, value or title in which the text stands, but for the search that asks for it; or NULL. */
const char *ia_brain_still(const struct ia_brain_screen *s, const char *text);
/* Whether the home screen is in front: what is not on it says nothing about the apps. */
bool ia_brain_nowhere(const struct ia_brain_screen *s);
/* What a level says, "50%": 50; -1 for no level. */
int ia_brain_level(const struct ia_brain_item *item);
/* The percent that a step asks for, with what the level is now (-1: unknown). -1: none. */
int ia_brain_level_wanted(const struct ia_step *step, int now);
/* How many pieces a step asks for. */
int ia_brain_pieces(const struct ia_step *step);

/* ---- actions.c: calls, all return IA_WALK_ACTED ---- */

/* Takes input. A call beyond IA_BRAIN_CALLS_MAX is dropped. */
enum ia_walk ia_brain_call(struct ia_brain *b, const char *tool, json_t *input);
enum ia_walk ia_brain_tap(struct ia_brain *b, const struct ia_brain_item *item);
enum ia_walk ia_brain_snapshot(struct ia_brain *b);
enum ia_walk ia_brain_back(struct ia_brain *b);
enum ia_walk ia_brain_swipe(struct ia_brain *b, const char *direction);
enum ia_walk ia_brain_type(struct ia_brain *b, const struct ia_brain_item *item,
                           const char *text);
enum ia_walk ia_brain_press(struct ia_brain *b, const char *button);
/* Presses a button of the alert on the screen. */
enum ia_walk ia_brain_answer_alert(struct ia_brain *b, const struct ia_brain_item *button);

/* ---- actions.c: ends of a step ---- */

bool ia_brain_all_ok(const struct ia_brain *b);
enum ia_walk ia_brain_fail(struct ia_brain *b, const char *fmt, ...) IA_PRINTF(2, 3);
enum ia_walk ia_brain_block(struct ia_brain *b, const char *fmt, ...) IA_PRINTF(2, 3);
/* After a failed action: looks again and goes back to `phase`, or blocks. */
enum ia_walk ia_brain_again(struct ia_brain *b, int phase);
/* Ends a step whose effect is not to be seen: as again(), and at last with what the app says. */
enum ia_walk ia_brain_retry(struct ia_brain *b, int phase, const char *what);
/* What to do when a name is not on the screen: scroll to it or look again, once; then block. */
enum ia_walk ia_brain_seek(struct ia_brain *b, const char *what, const char *name);
/* The same for a check: it then fails. */
enum ia_walk ia_brain_expect(struct ia_brain *b, const char *what, const char *name);
/* What to do when a thing of a known app is not on the screen: its first page, its search,
 * scrolling; then block. `query` is what to search for. */
enum ia_walk ia_brain_look_for(struct ia_brain *b, const char *what, const char *name,
                               const char *query);
/* Back to the first page of the app in front. DONE when it is there, or nobody knows. */
enum ia_walk ia_brain_to_first_page(struct ia_brain *b);
/* To a setting on the screen, behind a row of its name, or by the search. DONE when it is there, as
 * *ret_item. */
enum ia_walk ia_brain_reach(struct ia_brain *b, enum ia_want want, const struct ia_step *s,
                            const struct ia_brain_item **ret_item);
/* Evidence: something that stands on the screen now. A text quoted before is quoted anew. */
void ia_brain_quote(struct ia_brain *b, const char *text);
/* Evidence with its role, states and value, where the line stands on the screen like that. */
void ia_brain_quote_item(struct ia_brain *b, const struct ia_brain_item *item);
/* Adds a sentence to what the summary says. */
void ia_brain_say(struct ia_brain *b, const char *fmt, ...) IA_PRINTF(2, 3);

/* ---- one move of a step, by kind ---- */

typedef enum ia_walk ia_brain_machine(struct ia_brain *b, const struct ia_step *s);
/* steps.c: what is on the screen; dispatches to all others. */
ia_brain_machine ia_brain_step;
/* checks.c */
ia_brain_machine ia_brain_check;
/* settings.c */
ia_brain_machine ia_brain_do_switch, ia_brain_do_choose, ia_brain_do_level,
    ia_brain_do_set_text, ia_brain_do_read_setting;
/* forms.c */
ia_brain_machine ia_brain_do_form;
/* things.c: rows of a list and what is done with them */
ia_brain_machine ia_brain_do_delete, ia_brain_do_complete, ia_brain_do_edit, ia_brain_do_read,
    ia_brain_do_count, ia_brain_do_list, ia_brain_do_all, ia_brain_do_cart,
    ia_brain_do_take_out;

/* ---- verify.c ---- */

void ia_brain_verify(const struct ia_mock_request *req, struct ia_mock_answer *answer);

/* ---- conversation.c ---- */

/* The goal's text: between <goal> and </goal> of the first user message, else all of it. */
void ia_brain_goal(const struct ia_mock_request *req, struct ia_buf *out);

/* Answers with a plan: the clauses of the goal. */
void ia_brain_plan_goal(const struct ia_mock_request *req, struct ia_mock_answer *answer);

/* Brings the screen up to date with a block that shows one. True when it did. */
bool ia_brain_read_screen(const struct ia_mock_block *block, struct ia_brain_screen *s);
/* Copies text that may be cut at the end of a letter to fit. */
void ia_brain_copy(char *dst, size_t size, const char *text);

#endif
