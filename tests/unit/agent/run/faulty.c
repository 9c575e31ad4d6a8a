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

static enum ia_rc f_info(struct ia_device *d, struct ia_device_info *ret, struct ia_err *err)
{
    return of(d)->inner->ops->info(of(d)->inner, ret, err);
}

static enum ia_rc f_tree(struct ia_device *d, const struct ia_deadline *deadline,
                         struct ia_tree **ret, struct ia_err *err)
{
    struct faulty *f = of(d);
    if (f->lost) {
        return lost(err);
    }
    enum ia_rc rc = f->inner->ops->tree(f->inner, deadline, ret, err);
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
    return of(d)->lost ? lost(err)
                       : of(d)->inner->ops->screenshot(of(d)->inner, deadline, ret, err);
}

static enum ia_rc f_screenshot_pt(struct ia_device *d, const struct ia_deadline *deadline,
                                  struct ia_buf *ret, struct ia_err *err)
{
    struct faulty *f = of(d);
    if (f->blind) {
        return ia_err_set(err, IA_E_DEVICE, "no screenshots today");
    }
    return f->lost ? lost(err) : f->inner->ops->screenshot_pt(f->inner, deadline, ret, err);
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
        rc = f->inner->ops->tap(f->inner, deadline, at, err);
    }
    if (f->taps == f->fail_at) {
        rc = ia_err_set(err, IA_E_DEVICE, "the answer to the tap got lost");
        err->outcome = IA_OUTCOME_UNKNOWN;
    }
    return rc;
}

static enum ia_rc f_long_press(struct ia_device *d, const struct ia_deadline *deadline,
                               struct ia_point at, int ms, struct ia_err *err)
{
    return of(d)->inner->ops->long_press(of(d)->inner, deadline, at, ms, err);
}

static enum ia_rc f_drag(struct ia_device *d, const struct ia_deadline *deadline,
                         struct ia_point from, struct ia_point to, int ms, struct ia_err *err)
{
    return of(d)->inner->ops->drag(of(d)->inner, deadline, from, to, ms, err);
}

static enum ia_rc f_type(struct ia_device *d, const struct ia_deadline *deadline,
                         struct ia_str text, struct ia_err *err)
{
    return of(d)->inner->ops->type_text(of(d)->inner, deadline, text, err);
}

static enum ia_rc f_delete(struct ia_device *d, const struct ia_deadline *deadline, int count,
                           struct ia_err *err)
{
    return of(d)->inner->ops->delete_text(of(d)->inner, deadline, count, err);
}

static enum ia_rc f_press(struct ia_device *d, const struct ia_deadline *deadline,
                          enum ia_button button, struct ia_err *err)
{
    return of(d)->inner->ops->press(of(d)->inner, deadline, button, err);
}

static enum ia_rc f_launch(struct ia_device *d, const struct ia_deadline *deadline,
                           const char *bundle_id, struct ia_err *err)
{
    return of(d)->inner->ops->launch(of(d)->inner, deadline, bundle_id, err);
}

static enum ia_rc f_terminate(struct ia_device *d, const struct ia_deadline *deadline,
                              const char *bundle_id, struct ia_err *err)
{
    return of(d)->inner->ops->terminate(of(d)->inner, deadline, bundle_id, err);
}

static enum ia_rc f_open_url(struct ia_device *d, const struct ia_deadline *deadline,
                             const char *url, struct ia_err *err)
{
    return of(d)->inner->ops->open_url(of(d)->inner, deadline, url, err);
}

static enum ia_rc f_alert(struct ia_device *d, const struct ia_deadline *deadline,
                          enum ia_alert_action action, const char *button, struct ia_err *err)
{
    return of(d)->inner->ops->alert(of(d)->inner, deadline, action, button, err);
}

static enum ia_rc f_orientation(struct ia_device *d, const struct ia_deadline *deadline,
                                enum ia_orientation o, struct ia_err *err)
{
    return of(d)->inner->ops->orientation(of(d)->inner, deadline, o, err);
}

static enum ia_rc f_reset(struct ia_device *d, const struct ia_deadline *deadline,
                          struct ia_err *err)
{
    return ia_device_reset(of(d)->inner, deadline, err);
}

static void f_close(struct ia_device *d)
{
    (void)d;
}

static const struct ia_device_ops ops = {
    .info = f_info,
    .tree = f_tree,
    .screenshot = f_screenshot,
    .screenshot_pt = f_screenshot_pt,
    .tap = f_tap,
    .long_press = f_long_press,
    .drag = f_drag,
    .type_text = f_type,
    .delete_text = f_delete,
    .press = f_press,
    .launch = f_launch,
    .terminate = f_terminate,
    .open_url = f_open_url,
    .alert = f_alert,
    .orientation = f_orientation,
    .reset = f_reset,
    .close = f_close,
};

void faulty_init(struct faulty *f, struct ia_device *inner)
{
    *f = (struct faulty){.device = {.ops = &ops}, .inner = inner};
}
