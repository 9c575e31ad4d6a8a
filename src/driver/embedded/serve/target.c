/* target.c: the app that hosts look at and touch.
 *
 * The target is the app that was launched or named last. While it is in front it is what requests
 * mean; while the home screen is in front, or a system alert is over it, they mean those, as in
 * XCTest. While another app is in front, looking and touching is refused: that app is not what
 * the host asked for. What a host does itself may bring another app to the front (an icon, a
 * link); then there is no target until one is named. */
#include "driver/embedded/serve/impl.h"

#include <stdio.h>
#include <string.h>

void ia_serve_set_target(struct ia_serve *s, const char *bundle_id)
{
    (void)snprintf(s->target, sizeof(s->target), "%s", bundle_id);
}

void ia_serve_follow_target(struct ia_serve *s, const char *front_before)
{
    const char *front = ia_serve_front(s);
    if (strcmp(front, front_before) != 0 && strcmp(front, IA_SERVE_SPRINGBOARD) != 0 &&
        strcmp(front, s->target) != 0) {
        s->target[0] = '\0';
    }
}

bool ia_serve_in_front(struct ia_serve *s, const char *bundle_id)
{
    struct ia_embedded_alert alert;
    bool springboard = strcmp(bundle_id, IA_SERVE_SPRINGBOARD) == 0;
    return strcmp(bundle_id, ia_serve_front(s)) == 0 ||
           (springboard && ia_embedded_device_alert(s->phone, &alert) && alert.system);
}

bool ia_serve_reach_target(struct ia_serve *s, const struct ia_wire_request *req,
                           struct ia_wire_reply *reply)
{
    if (ia_serve_in_front(s, ia_serve_app(s, "")) ||
        ia_serve_in_front(s, IA_SERVE_SPRINGBOARD)) {
        return true;
    }
    ia_wire_reply_fail(reply, IA_WIRE_E_TREE_EMPTY,
                       ia_wire_has_effect(req) ? IA_WIRE_NOT_SENT : IA_WIRE_NONE, false,
                       "%.100s is the target and is not in front; %s is: launch the one, or "
                       "make the other the target",
                       s->target, ia_serve_front(s));
    return false;
}
