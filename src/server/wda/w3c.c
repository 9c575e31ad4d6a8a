/* w3c.c: POST /actions: what actions/actions.h reads out of it, done one after the other. */
#include "server/wda/wda_impl.h"

#include "base/clock.h"
#include "server/wda/actions/actions.h"

#include <stdlib.h>

static enum ia_rc middle_of(void *ctx, struct ia_str uid, struct ia_point *ret,
                            struct ia_err *err)
{
    struct ia_wda_call *c = ctx;
    char *id = ia_strndup(uid.p, uid.n);
    int32_t node = 0;
    enum ia_wda_error error = ia_wda_element(c, id, &node);
    if (error == IA_WDA_OK && !(c->screen->nodes[node].state & IA_WDA_IS_VISIBLE)) {
        error = ia_wda_not_visible(c, node);
    }
    free(id);
    if (error != IA_WDA_OK) {
        c->error = error; /* ia_wda_actions knows no such codes */
        *err = c->err;
        return IA_E_FAILED;
    }
    *ret = ia_wda_middle(c->screen->nodes[node].seen);
    return IA_OK;
}

/* An action begins when the client says, or later. A device whose time moves with its calls waits for
 * nothing. */
static enum ia_rc wait_for(struct ia_wda_call *c, const struct ia_wda_act *a, int64_t start_us)
{
    int64_t at = start_us + (int64_t)(a->at_ms * 1000);
    return c->s->info.instant || at <= ia_mono_us(ia_clock_system())
               ? IA_OK
               : ia_clock_wait(ia_clock_system(), c->deadline.cancel, at);
}

static enum ia_wda_error act(struct ia_wda_call *c, const struct ia_wda_act *a)
{
    switch (a->kind) {
    case IA_WDA_ACT_TAP:
        return ia_wda_finger_tap(c, a->from, 1);
    case IA_WDA_ACT_DOUBLE_TAP:
        return ia_wda_finger_tap(c, a->from, 2);
    case IA_WDA_ACT_LONG_PRESS:
        return ia_wda_finger_press(c, a->from, a->press_ms / 1000.0);
    case IA_WDA_ACT_DRAG:
        return ia_wda_finger_drag(c, a->from, a->to, a->move_ms > 0 ? a->move_ms : 1);
    case IA_WDA_ACT_TYPE:
        return ia_wda_result(
            ia_device_type_text(c->s->device, &c->deadline, ia_str(a->text), &c->err));
    case IA_WDA_ACT_DELETE:
        return ia_wda_result(
            ia_device_delete_text(c->s->device, &c->deadline, a->count, &c->err));
    }
    return IA_WDA_OK;
}

enum ia_wda_error ia_wda_do(struct ia_wda_call *c, const struct ia_wda_acts *acts)
{
    enum ia_wda_error error = IA_WDA_OK;
    int64_t start = ia_mono_us(ia_clock_system());
    ia_wda_unlook(c);
    c->deadline.at_us += acts->n ? (int64_t)(acts->at[acts->n - 1].at_ms * 1000) : 0;
    for (size_t i = 0; error == IA_WDA_OK && i < acts->n; i++) {
        error = ia_wda_result(wait_for(c, &acts->at[i], start));
        error = error == IA_WDA_OK ? act(c, &acts->at[i]) : error;
        c->acted = c->acted || error == IA_WDA_OK;
    }
    return error;
}

enum ia_wda_error ia_wda_actions(struct ia_wda_call *c)
{
    struct ia_wda_where where = {middle_of, c};
    struct ia_wda_acts acts = {0};
    enum ia_rc rc =
        ia_wda_actions_read(json_object_get(c->body, "actions"), &where, &acts, &c->err);
    if (rc != IA_OK) {
        return rc == IA_E_FAILED ? c->error : ia_wda_result(rc);
    }
    enum ia_wda_error error = ia_wda_do(c, &acts);
    ia_wda_acts_free(&acts);
    return error;
}
