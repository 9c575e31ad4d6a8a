#include "faulty.h"

enum { SLOW_US = 20000 };

static struct faulty *of(struct ia_device *d)
{
    return (struct faulty *)d;
}

static enum ia_rc lost(struct ia_err *err)
{
    return ia_err_set(err, IA_E_DEVICE_LOST, "the device does not answer any more");
}

static enum ia_rc f_tree(struct ia_device *d, const struct ia_deadline *deadline,
                         struct ia_tree **ret, struct ia_err *err)
{
    struct faulty *f = of(d);
    if (f->lost) {
        return lost(err);
    }
    enum ia_rc rc = ia_device_forward_ops.tree(d, deadline, ret, err);
    if (rc == IA_OK && f->foreign_at > 0 && f->taps >= f->foreign_at) {
        ia_tree_set_app(*ret, f->foreign_app);
    }
    return rc;
}

static enum ia_rc f_screenshot(struct ia_device *d, const struct ia_deadline *deadline,
                               struct ia_buf *ret, struct ia_err *err)
{
    if (of(d)->blind) {
        return ia_err_set(err, IA_E_DEVICE, "no screenshots today");
    }
    return of(d)->lost ? lost(err) : ia_device_forward_ops.screenshot(d, deadline, ret, err);
}

static enum ia_rc f_screenshot_pt(struct ia_device *d, const struct ia_deadline *deadline,
                                  struct ia_buf *ret, struct ia_err *err)
{
    struct faulty *f = of(d);
    if (f->blind) {
        return ia_err_set(err, IA_E_DEVICE, "no screenshots today");
    }
    return f->lost ? lost(err) : ia_device_forward_ops.screenshot_pt(d, deadline, ret, err);
}

/* Waits for the token alone. */
static enum ia_rc hang(struct faulty *f, const struct ia_deadline *deadline, struct ia_err *err)
{
    if (f->on_hang) {
        f->on_hang(f->ctx);
    }
    int ready = 0;
    enum ia_rc rc = ia_cancel_poll(deadline->cancel, NULL, 0, deadline->at_us, &ready);
    ia_err_set(err, rc, "the tap did not come back");
    if (err) {
        err->outcome = IA_OUTCOME_UNKNOWN;
    }
    return rc;
}

static enum ia_rc dawdle(struct faulty *f, const struct ia_deadline *deadline,
                         struct ia_err *err)
{
    int ready = 0;
    f->on_hang(f->ctx);
    int64_t until = ia_mono_us(ia_clock_system()) + SLOW_US;
    if (ia_cancel_poll(deadline->cancel, NULL, 0, until, &ready) == IA_E_CANCELLED) {
        return ia_err_set(err, IA_E_CANCELLED, "the tap was cancelled");
    }
    return IA_OK;
}

static enum ia_rc f_tap(struct ia_device *d, const struct ia_deadline *deadline,
                        struct ia_point at, struct ia_err *err)
{
    struct faulty *f = of(d);
    f->taps++;
    if (f->taps == f->lose_at) {
        f->lost = true;
        return lost(err);
    }
    if (f->taps == f->hang_at) {
        return hang(f, deadline, err);
    }
    enum ia_rc rc = f->taps == f->slow_at ? dawdle(f, deadline, err) : IA_OK;
    if (rc == IA_OK) {
        rc = ia_device_forward_ops.tap(d, deadline, at, err);
    }
    if (f->taps == f->fail_at) {
        rc = ia_err_set(err, IA_E_DEVICE, "the answer to the tap got lost");
        err->outcome = IA_OUTCOME_UNKNOWN;
    }
    return rc;
}

void faulty_init(struct faulty *f, struct ia_device *inner)
{
    *f = (struct faulty){.taps = 0};
    ia_device_forward_init(&f->forward, inner);
    f->forward.ops.tree = f_tree;
    f->forward.ops.screenshot = f_screenshot;
    f->forward.ops.screenshot_pt = f_screenshot_pt;
    f->forward.ops.tap = f_tap;
}
