/* stroke.h: the way of a finger from down to up, and what it is. */
#ifndef IA_SERVER_WDA_ACTIONS_STROKE_H
#define IA_SERVER_WDA_ACTIONS_STROKE_H

#include "server/wda/actions/actions.h"

/* A finger at a place; on the way there since from_ms. */
struct ia_wda_waypoint {
    struct ia_point at;
    double from_ms, to_ms;
};

/* The first waypoint is where it goes down, the last one where and when it goes up. */
struct ia_wda_stroke {
    struct ia_wda_waypoint *way;
    size_t n;
};

struct ia_wda_strokes {
    struct ia_wda_stroke *at;
    size_t n;
};

/* Appends taps, presses and drags. IA_E_UNSUPPORTED for a way that is not straight. */
enum ia_rc ia_wda_strokes_act(const struct ia_wda_strokes *strokes, struct ia_wda_acts *acts,
                              struct ia_err *err);
void ia_wda_strokes_free(struct ia_wda_strokes *strokes);

#endif
