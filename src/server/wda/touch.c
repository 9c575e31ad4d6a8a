/* touch.c: fingers: taps, presses, swipes, drags, at points and on elements. */
#include "server/wda/wda_impl.h"

enum ia_wda_error ia_wda_tap_at(struct ia_wda_call *c)
{
    struct ia_point at = {c->num[0], c->num[1]};
    return ia_wda_result(ia_device_tap(c->s->device, &c->deadline, at, &c->err));
}
