/* phrases.h: the literal steps that the demo brain understands, as a table of grammars.
 *
 * A goal is split into phrases at line ends, full stops, semicolons, commas and "then", and at
 * "and" where a known verb follows; not inside quotes. Each phrase is matched against the table
 * in phrases.c, first row first; "… in Settings" becomes two steps, the app's opening first.
 * Pure. */
#ifndef IA_MOCK_BRAIN_PHRASES_H
#define IA_MOCK_BRAIN_PHRASES_H

#include "base/base.h"

enum ia_step_kind {
    IA_STEP_UNKNOWN,     /* no row matched; text is the phrase */
    IA_STEP_OPEN,        /* a: app, or something on the screen */
    IA_STEP_CLOSE,       /* a: app */
    IA_STEP_ADD_CONTACT, /* a: name, b: phone or "", c: email or "" */
    IA_STEP_TAP,         /* a: label */
    IA_STEP_HOLD,        /* a: label */
    IA_STEP_SWITCH_ON,   /* a: label */
    IA_STEP_SWITCH_OFF,
    IA_STEP_TYPE,          /* a: text, b: field or "" */
    IA_STEP_CLEAR,         /* a: field */
    IA_STEP_SEARCH,        /* a: text */
    IA_STEP_SCROLL,        /* a: text */
    IA_STEP_SWIPE,         /* a: up, down, left or right */
    IA_STEP_CHECK_VISIBLE, /* a: text */
    IA_STEP_CHECK_LIST,    /* a: label of a row */
    IA_STEP_CHECK_GONE,    /* a: text */
    IA_STEP_CHECK_ON,      /* a: label */
    IA_STEP_CHECK_OFF,     /* a: label */
    IA_STEP_CHECK_VALUE,   /* a: label, b: text */
    IA_STEP_BACK,
    IA_STEP_HOME,
    IA_STEP_DELETE, /* a: label */
    IA_STEP_SCREENSHOT,
    IA_STEP_WAIT,   /* a: text, "" to wait until nothing moves */
    IA_STEP_ACCEPT, /* an alert */
    IA_STEP_DISMISS,
    IA_STEP_LOGIN,        /* a: user, b: password */
    IA_STEP_ADD_TO_CART,  /* a: item, b: how many, "" for one */
    IA_STEP_TAKE_OUT,     /* of the cart; a: item */
    IA_STEP_COUPON,       /* a: code */
    IA_STEP_ADD_REMINDER, /* a: title, b: list or "", c: when it is due or "" */
    IA_STEP_COMPLETE      /* a: title of a reminder */
};

enum { IA_STEPS_MAX = 40, IA_STEP_TEXT_MAX = 240, IA_GOAL_BYTES_MAX = 8192 };

struct ia_step {
    enum ia_step_kind kind;
    char text[IA_STEP_TEXT_MAX]; /* the phrase as it was written */
    char a[IA_STEP_TEXT_MAX];    /* never with surrounding quotes */
    char b[IA_STEP_TEXT_MAX];
    char c[IA_STEP_TEXT_MAX];
};

/* Splits and matches at most IA_STEPS_MAX phrases of a goal; returns how many. Whatever does
 * not fit is one last step of kind IA_STEP_UNKNOWN. */
size_t ia_goal_parse(struct ia_str goal, struct ia_step *ret);
/* Matches one phrase. */
void ia_phrase_parse(struct ia_str phrase, struct ia_step *ret);

#endif
