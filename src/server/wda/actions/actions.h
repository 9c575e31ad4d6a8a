/* actions.h: W3C actions (POST /session/ID/actions) as what one finger and a keyboard do.
 *
 * Pure: no device, no clock. Each pointer has a clock of its own in ms, to which the durations of its
 * pauses and moves add up. Shapes and messages: WebDriver's "Actions", and WebDriverAgent's
 * FBW3CActionsSynthesizer.m, which is stricter: a pointer is "touch" and is never nowhere, keys balance.
 *
 *   a stroke that stays within 6 points   less than 500 ms: a tap; two of them, 300 ms and 20 points
 *                                         apart: a double tap; else a long press
 *   any other                             a drag: it rests for press_ms, moves for move_ms, rests for hold_ms
 *   keys until a pause                    texts, and backspaces between them */
#ifndef IA_SERVER_WDA_ACTIONS_ACTIONS_H
#define IA_SERVER_WDA_ACTIONS_ACTIONS_H

#include "base/buf.h"
#include "driver/tree.h"

#include <jansson.h>

enum ia_wda_act_kind {
    IA_WDA_ACT_TAP,
    IA_WDA_ACT_DOUBLE_TAP,
    IA_WDA_ACT_LONG_PRESS, /* press_ms */
    IA_WDA_ACT_DRAG,
    IA_WDA_ACT_TYPE,  /* text */
    IA_WDA_ACT_DELETE /* count characters before the cursor */
};

struct ia_wda_act {
    enum ia_wda_act_kind kind;
    struct ia_point from, to; /* in points; to: of a drag */
    int press_ms, move_ms, hold_ms;
    char *text; /* owned by the list; UTF-8, "\n" is return */
    int count;
    double at_ms; /* when it begins, since the begin of all */
};

/* In the order in which they are to be done. */
struct ia_wda_acts {
    struct ia_wda_act *at;
    size_t n;
};

/* Where an element's middle is on the screen: of what is seen of it. */
struct ia_wda_where {
    enum ia_rc (*middle)(void *ctx, struct ia_str element_id, struct ia_point *ret,
                         struct ia_err *err);
    void *ctx;
};

/* Reads the member "actions" of a request. *ret is written on success alone; free it with _free. Nothing is
 * half read: an error means that nothing is to be done.
 *   IA_E_USAGE        (invalid argument) what WebDriverAgent refuses, or more than the caps below
 *   IA_E_UNSUPPORTED  (unsupported operation) two fingers, a path that is not straight
 *   others            as `middle` gave them */
enum ia_rc ia_wda_actions_read(const json_t *actions, const struct ia_wda_where *where,
                               struct ia_wda_acts *ret, struct ia_err *err);
void ia_wda_acts_free(struct ia_wda_acts *acts);

enum { IA_WDA_ACTION_ITEMS_MAX = 10000 };
enum { IA_WDA_ACTION_MS_MAX = 600000 }; /* of one source, all together */

#endif
