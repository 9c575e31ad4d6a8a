/* goal.h: from a goal in plain English to the steps that reach it.
 *
 *     text ─► words ─► clauses: the row of the table that each matches, with its slots ─► steps
 *
 * A goal is understood only as a whole: every word belongs to a clause, and every clause to a row
 * of rows.c. What a person leaves unsaid is added: the app that holds the thing is opened,
 * several names are several steps, "it" is what was spoken of before. Pure. */
#ifndef IA_MOCK_BRAIN_GOAL_H
#define IA_MOCK_BRAIN_GOAL_H

#include "base/buf.h"

enum ia_step_kind {
    IA_STEP_UNKNOWN,  /* text is what was not understood */
    IA_STEP_NOTHING,  /* understood, and nothing is to be done for it */
    IA_STEP_CANNOT,   /* understood, and beyond the demo brain; a: why */
    IA_STEP_TOPIC,    /* a: what "it" or "her" means from here on */
    IA_STEP_OPEN_APP, /* a: app; also goes to its first page, when it is the app's first step */
    IA_STEP_OPEN,     /* a: something on the screen, or an app */
    IA_STEP_CLOSE,    /* a: app */
    IA_STEP_TAP,      /* a: label */
    IA_STEP_HOLD,     /* a: label */
    IA_STEP_TYPE,     /* a: text, b: field or "" */
    IA_STEP_CLEAR,    /* a: field */
    IA_STEP_SEARCH,   /* a: text */
    IA_STEP_SCROLL,   /* a: text */
    IA_STEP_SWIPE,    /* a: up, down, left or right, the way of the finger */
    IA_STEP_BACK,
    IA_STEP_HOME,
    IA_STEP_LOCK,
    IA_STEP_SCREENSHOT,
    IA_STEP_WAIT,   /* a: text, "" to wait until nothing moves */
    IA_STEP_ACCEPT, /* an alert */
    IA_STEP_DISMISS,
    IA_STEP_CHECK_VISIBLE, /* a: text */
    IA_STEP_CHECK_LIST,    /* a: label of a row */
    IA_STEP_CHECK_GONE,    /* a: text */
    IA_STEP_CHECK_ON,      /* a: label */
    IA_STEP_CHECK_OFF,     /* a: label */
    IA_STEP_CHECK_VALUE,   /* a: label, b: text */
    IA_STEP_SWITCH_ON,     /* a: setting, b: page or "" */
    IA_STEP_SWITCH_OFF,
    IA_STEP_CHOOSE,       /* a: setting, b: option */
    IA_STEP_LEVEL,        /* a: setting, b: percent, c: "", "+" or "-" to what it is */
    IA_STEP_SET_TEXT,     /* a: setting behind which a field is, b: text */
    IA_STEP_READ_SETTING, /* a: setting */
    IA_STEP_ADD_CONTACT,  /* a: name, b: phone or "", c: email or "", d: last name or "" */
    IA_STEP_EDIT_CONTACT, /* a: name, b: field, c: text */
    IA_STEP_READ_CONTACT, /* a: name, b: row */
    IA_STEP_COUNT,        /* a: Contacts */
    IA_STEP_DELETE,       /* a: label */
    IA_STEP_ADD_REMINDER, /* a: title, b: list or "", c: when it is due or "", d: note or "" */
    IA_STEP_ADD_LIST,     /* a: name */
    IA_STEP_COMPLETE,     /* a: title */
    IA_STEP_COMPLETE_ALL, /* a: list */
    IA_STEP_DELETE_DONE,  /* all reminders that are completed */
    IA_STEP_DUE,          /* a: title, c: when */
    IA_STEP_READ_LIST,    /* a: list */
    IA_STEP_LOGIN,        /* a: user, b: password */
    IA_STEP_CODE,         /* a: field; six digits that a message tells */
    IA_STEP_ADD_TO_CART,  /* a: item, b: how many, "" for one */
    IA_STEP_BUY,          /* the same, and an order of it */
    IA_STEP_ADDRESS,      /* a: name, b: street, c: city, d: ZIP code */
    IA_STEP_CHECK_OUT,    /* the same; fills the form and places the order */
    IA_STEP_TAKE_OUT,     /* of the cart; a: item */
    IA_STEP_COUPON,       /* a: code */
    IA_STEP_READ_PRICE    /* a: item */
};

enum { IA_STEPS_MAX = 40, IA_STEP_TEXT_MAX = 240, IA_STEP_SLOTS = 4, IA_GOAL_BYTES_MAX = 8192 };

struct ia_step {
    enum ia_step_kind kind;
    char text[IA_STEP_TEXT_MAX]; /* the clause as it was written */
    union {
        struct {
            char a[IA_STEP_TEXT_MAX]; /* never with surrounding quotes */
            char b[IA_STEP_TEXT_MAX];
            char c[IA_STEP_TEXT_MAX];
            char d[IA_STEP_TEXT_MAX];
        };
        char slot[IA_STEP_SLOTS][IA_STEP_TEXT_MAX];
    };
};

/* At most IA_STEPS_MAX steps of a goal; returns how many, 0 for a goal without words. What is
 * not understood is one step of kind IA_STEP_UNKNOWN, the last. */
size_t ia_goal_parse(struct ia_str goal, struct ia_step *ret);

/* What can be said, for people: the i-th example and what it is about; false behind the last. */
bool ia_goal_example(size_t i, const char **ret_about, const char **ret_example);
/* The example that shares the most words with a text; NULL when none shares any. */
const char *ia_goal_nearest(struct ia_str text);

#endif
