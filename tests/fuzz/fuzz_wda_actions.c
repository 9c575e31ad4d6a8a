/* W3C actions: any JSON is refused, or a list of what can be done, by time. */
#include "server/wda/actions/actions.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum ia_rc middle(void *ctx, struct ia_str id, struct ia_point *ret, struct ia_err *err)
{
    (void)ctx;
    *ret = (struct ia_point){(double)id.n, 7};
    return id.n < 20 ? IA_OK : ia_err_set(err, IA_E_STALE_REF, "gone");
}

static bool can_be(const struct ia_wda_act *a)
{
    switch (a->kind) {
    case IA_WDA_ACT_TYPE:
        return a->text && a->text[0];
    case IA_WDA_ACT_DELETE:
        return a->count > 0;
    default:
        return isfinite(a->from.x + a->from.y + a->to.x + a->to.y) && a->press_ms >= 0 &&
               a->move_ms >= 0 && a->hold_ms >= 0 &&
               a->press_ms + a->move_ms + a->hold_ms <= IA_WDA_ACTION_MS_MAX + 3;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    json_t *actions = ia_json_depth_ok((struct ia_str){text, size}, 100)
                          ? json_loadb(text, size, JSON_DECODE_ANY, NULL)
                          : NULL;
    struct ia_wda_where where = {middle, NULL};
    struct ia_wda_acts acts = {0};
    struct ia_err err = {0};
    enum ia_rc rc = ia_wda_actions_read(actions, &where, &acts, &err);
    if (rc != IA_OK && (acts.n > 0 || err.code != rc || !err.msg[0])) {
        abort();
    }
    for (size_t i = 0; i < acts.n; i++) {
        if (!can_be(&acts.at[i]) || (i > 0 && acts.at[i].at_ms < acts.at[i - 1].at_ms)) {
            abort();
        }
    }
    ia_wda_acts_free(&acts);
    json_decref(actions);
    return 0;
}
