/* state.h: the demo brain's state and the parts of its walk. Private to the brain. */
#ifndef IA_MOCK_BRAIN_STATE_H
#define IA_MOCK_BRAIN_STATE_H

#include "base/buf.h"
#include "mock/brain/brain.h"
#include "mock/brain/phrases.h"
#include "mock/brain/screen.h"

enum {
    IA_BRAIN_CALLS_MAX = 6,    /* tool calls in one answer */
    IA_BRAIN_TRIES_MAX = 2,    /* repeats of an action that failed */
    IA_BRAIN_EVIDENCE_MAX = 8, /* quotes */
    IA_BRAIN_REASON_MAX = 600
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
    int step; /* number of the result that showed it */
};

/* How far the walk was: see the same members of struct ia_brain. */
struct ia_brain_place {
    size_t at;
    int phase, tries;
    bool sought, waited, altered;
    unsigned done, asked, ok;
};

/* Rebuilt for every request by walking through its conversation from the start. */
struct ia_brain {
    struct ia_step steps[IA_STEPS_MAX];
    size_t count;
    size_t at;        /* the step that is being done */
    size_t announced; /* number of the step that the last answer named, from 1 */
    int phase;        /* within the step; 0 at its start */
    int tries;
    bool sought;   /* this step has scrolled or looked again already */
    bool waited;   /* this step has waited for something that was being loaded */
    bool altered;  /* this step has taken its detour (a row, an edit button, going back) */
    unsigned done; /* bits of a form's fields that are filled */
    struct ia_brain_screen screen;

    unsigned asked;               /* calls of the last answer, as bits */
    unsigned ok;                  /* of those, the ones that succeeded */
    const char *asked_tool;       /* the first of them; static; "" for none */
    struct ia_brain_place before; /* where that was decided */
    bool cut_off; /* a call's outcome is unknown: the program or the phone went away */
    unsigned
        fields; /* form fields of the last answer's calls, in order of calls: 4 bits each */
    char last_error[IA_BRAIN_REASON_MAX]; /* text of the last failed result */
    int shown_step;                       /* number in the latest result's head */
    bool finishing;                       /* the last answer called finish */
    bool refused;                         /* and it was refused */

    struct ia_brain_quote quotes[IA_BRAIN_EVIDENCE_MAX];
    size_t quote_count;
    char reason[IA_BRAIN_REASON_MAX]; /* of a step that failed or was blocked */

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
    IA_WANT_ROW,
    IA_WANT_ANY
};
/* The best element for a name: exact label before longer label before words in it before value;
 * letters' case and a leading "the" do not count. NULL when there is none. */
const struct ia_brain_item *ia_brain_find(const struct ia_brain *b, enum ia_want want,
                                          const char *name);
/* The first of several names (NULL-ended) that is found. */
const struct ia_brain_item *ia_brain_find_any(const struct ia_brain *b, enum ia_want want,
                                              const char *const *names);
/* The focused field, else the only one; NULL otherwise. */
const struct ia_brain_item *ia_brain_only_field(const struct ia_brain *b);
bool ia_brain_role_is(const struct ia_brain_item *item, const char *role);
/* True when text stands in a label, value or the title; in any case of letters. *ret_quote is
 * that label, value or title. */
bool ia_brain_shown(const struct ia_brain_screen *s, const char *text, const char **ret_quote);
/* True when `text` contains `part` in any case of letters. */
bool ia_brain_contains(const char *text, const char *part);
/* Bundle id of an app that comes with the system, or NULL. */
const char *ia_brain_bundle(const char *app);
/* "A, B, C" of what the screen shows. */
void ia_brain_list(const struct ia_brain_screen *s, struct ia_buf *out);

/* ---- actions.c: calls, all return IA_WALK_ACTED ---- */

/* Takes input. A call beyond IA_BRAIN_CALLS_MAX is dropped. */
enum ia_walk ia_brain_call(struct ia_brain *b, const char *tool, json_t *input);
enum ia_walk ia_brain_tap(struct ia_brain *b, const struct ia_brain_item *item);
enum ia_walk ia_brain_snapshot(struct ia_brain *b);
enum ia_walk ia_brain_type(struct ia_brain *b, const struct ia_brain_item *item,
                           const char *text);
enum ia_walk ia_brain_press_home(struct ia_brain *b);

/* ---- actions.c: ends of a step ---- */

bool ia_brain_all_ok(const struct ia_brain *b);
enum ia_walk ia_brain_fail(struct ia_brain *b, const char *fmt, ...) IA_PRINTF(2, 3);
enum ia_walk ia_brain_block(struct ia_brain *b, const char *fmt, ...) IA_PRINTF(2, 3);
/* After a failed action: looks again and goes back to `phase`, or fails. */
enum ia_walk ia_brain_again(struct ia_brain *b, int phase);
/* What to do when a name is not on the screen: scroll to it or look again, once; then fail. */
enum ia_walk ia_brain_seek(struct ia_brain *b, const char *what, const char *name);
/* Evidence: something that stands on the screen now. A text quoted before is quoted anew. */
void ia_brain_quote(struct ia_brain *b, const char *text);

/* ---- steps.c, forms.c, checks.c ---- */

/* One move of the current step. */
enum ia_walk ia_brain_step(struct ia_brain *b, const struct ia_step *s);
enum ia_walk ia_brain_step_contact(struct ia_brain *b, const struct ia_step *s);
enum ia_walk ia_brain_step_type(struct ia_brain *b, const struct ia_step *s);
enum ia_walk ia_brain_step_clear(struct ia_brain *b, const struct ia_step *s);
enum ia_walk ia_brain_step_search(struct ia_brain *b, const struct ia_step *s);
enum ia_walk ia_brain_step_delete(struct ia_brain *b, const struct ia_step *s);
enum ia_walk ia_brain_check_visible(struct ia_brain *b, const struct ia_step *s);
enum ia_walk ia_brain_check_list(struct ia_brain *b, const struct ia_step *s);
enum ia_walk ia_brain_check_gone(struct ia_brain *b, const struct ia_step *s);
enum ia_walk ia_brain_check_toggle(struct ia_brain *b, const struct ia_step *s, bool on);
enum ia_walk ia_brain_check_value(struct ia_brain *b, const struct ia_step *s);

/* ---- tasks.c: steps that take several fields or pages ---- */

enum ia_walk ia_brain_step_login(struct ia_brain *b, const struct ia_step *s);
enum ia_walk ia_brain_step_add_to_cart(struct ia_brain *b, const struct ia_step *s);
enum ia_walk ia_brain_step_take_out(struct ia_brain *b, const struct ia_step *s);
enum ia_walk ia_brain_step_coupon(struct ia_brain *b, const struct ia_step *s);
enum ia_walk ia_brain_step_add_reminder(struct ia_brain *b, const struct ia_step *s);
enum ia_walk ia_brain_step_complete(struct ia_brain *b, const struct ia_step *s);

/* ---- verify.c ---- */

void ia_brain_verify(const struct ia_mock_request *req, struct ia_mock_answer *answer);

/* ---- conversation.c ---- */

/* The goal's text: between <goal> and </goal> of the first user message, else all of it. */
void ia_brain_goal(const struct ia_mock_request *req, struct ia_buf *out);

/* Brings the screen up to date with a block that shows one. */
void ia_brain_read_screen(const struct ia_mock_block *block, struct ia_brain_screen *s);
/* Copies text that may be cut at the end of a letter to fit. */
void ia_brain_copy(char *dst, size_t size, const char *text);

#endif
