/* actions.h: W3C actions (POST /session/ID/actions) as what one finger and a keyboard do.
 *
 * Pure: no device, no clock. Each source has a clock of its own in ms, to which the durations of its
 * pauses and moves add up. Shapes: WebDriver, "Actions". Rules and messages: WebDriverAgent's
 * FBW3CActionsSynthesizer.m, which is stricter: a pointer is "touch" and is never nowhere, keys balance, a
 * pointerCancel takes the item before it back.
 *
 *   a stroke that stays within 6 points   less than 500 ms: a tap; two of them within 300 ms and 20 points:
 *                                         a double tap; else a long press
 *   any other                             a drag: rests for press_ms, moves for move_ms, rests for hold_ms
 *   keys up to a pause                    texts, and deletions between them */
#ifndef IA_SERVER_WDA_ACTIONS_ACTIONS_H
#define IA_SERVER_WDA_ACTIONS_ACTIONS_H

#include "driver/tree.h"
#include "json/json.h"

enum ia_wda_act_kind {
    IA_WDA_ACT_TAP,        /* from */
    IA_WDA_ACT_DOUBLE_TAP, /* from */
    IA_WDA_ACT_LONG_PRESS, /* from, press_ms */
    IA_WDA_ACT_DRAG,       /* from, to, press_ms, move_ms, hold_ms */
    IA_WDA_ACT_TYPE,       /* text */
    IA_WDA_ACT_DELETE      /* count characters before the cursor */
};

struct ia_wda_act {
    enum ia_wda_act_kind kind;
    struct ia_point from, to; /* points on the screen */
    int press_ms, move_ms, hold_ms;
    char *text; /* owned by the list; UTF-8, "\n" is return */
    int count;
    int at_ms; /* when it begins */
};

/* In the order in which they are to be done. Begin as {0}. */
struct ia_wda_acts {
    struct ia_wda_act *at;
    size_t n;
};

/* Where the middle of what is seen of an element is. */
struct ia_wda_where {
    enum ia_rc (*middle)(void *ctx, struct ia_str element_id, struct ia_point *ret,
                         struct ia_err *err);
    void *ctx;
};

enum {
    IA_WDA_ACTION_ITEMS_MAX = 10000, /* of all sources, and what they come to */
    IA_WDA_ACTION_MS_MAX = 600000    /* of one source */
};

/* Reads the member "actions" of a request. An error means that nothing is to be done, and *ret stays as it
 * was; else free it with _free.
 *   IA_E_USAGE        (invalid argument) what WebDriverAgent refuses, or more than the limits above
 *   IA_E_UNSUPPORTED  (unsupported operation) two fingers, a path that is not straight
 *   others            as `middle` gave them */
enum ia_rc ia_wda_actions_read(const json_t *actions, const struct ia_wda_where *where,
                               struct ia_wda_acts *ret, struct ia_err *err);
/* Appends what typing these characters does: "\b", DEL and U+E003, U+E017 delete; U+E006, U+E007 and "\r" are
 * return; U+E018 to U+E029 are those of the number pad; WebDriver's other keys do nothing. */
void ia_wda_acts_type(struct ia_wda_acts *acts, struct ia_str text, int at_ms);
void ia_wda_acts_free(struct ia_wda_acts *acts);

#endif
