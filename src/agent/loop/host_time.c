#include "agent/loop/host_time.h"

int64_t ia_host_time_now(void)
{
    return ia_mono_us(ia_clock_system());
}

void ia_host_time_away(struct ia_host_time *t, int64_t wall_us, int64_t cpu_us)
{
    t->away_us += wall_us > cpu_us ? wall_us - cpu_us : 0;
}

int64_t ia_host_time_lap(struct ia_host_time *t)
{
    int64_t now = ia_host_time_now();
    int64_t host = now - t->mark_us - t->away_us;
    t->mark_us = now;
    t->away_us = 0;
    return host > 0 ? host : 0;
}

/* ---- the device -------------------------------------------------------------------------- */

static struct ia_host_time *of(struct ia_device *d)
{
    return (struct ia_host_time *)d; /* the device is the first member */
}

/* Calls the inner device's op with the arguments that follow and counts its time. */
#define FORWARD(d, op, ...)                                                                    \
    struct ia_host_time *t = of(d);                                                            \
    int64_t from = ia_host_time_now();                                                         \
    enum ia_rc rc = t->inner->ops->op(t->inner, __VA_ARGS__);                                  \
    t->away_us += ia_host_time_now() - from;                                                   \
    return rc

static enum ia_rc timed_info(struct ia_device *d, struct ia_device_info *ret,
                             struct ia_err *err)
{
    FORWARD(d, info, ret, err);
}

static enum ia_rc timed_tree(struct ia_device *d, const struct ia_deadline *deadline,
                             struct ia_tree **ret, struct ia_err *err)
{
    FORWARD(d, tree, deadline, ret, err);
}

static enum ia_rc timed_screenshot(struct ia_device *d, const struct ia_deadline *deadline,
                                   struct ia_buf *ret, struct ia_err *err)
{
    FORWARD(d, screenshot, deadline, ret, err);
}

static enum ia_rc timed_screenshot_pt(struct ia_device *d, const struct ia_deadline *deadline,
                                      struct ia_buf *ret, struct ia_err *err)
{
    if (!of(d)->inner->ops->screenshot_pt) {
        return IA_E_UNSUPPORTED;
    }
    FORWARD(d, screenshot_pt, deadline, ret, err);
}

static enum ia_rc timed_tap(struct ia_device *d, const struct ia_deadline *deadline,
                            struct ia_point at, struct ia_err *err)
{
    FORWARD(d, tap, deadline, at, err);
}

static enum ia_rc timed_long_press(struct ia_device *d, const struct ia_deadline *deadline,
                                   struct ia_point at, int ms, struct ia_err *err)
{
    FORWARD(d, long_press, deadline, at, ms, err);
}

static enum ia_rc timed_drag(struct ia_device *d, const struct ia_deadline *deadline,
                             struct ia_point from_pt, struct ia_point to_pt, int ms,
                             struct ia_err *err)
{
    FORWARD(d, drag, deadline, from_pt, to_pt, ms, err);
}

static enum ia_rc timed_type(struct ia_device *d, const struct ia_deadline *deadline,
                             struct ia_str text, struct ia_err *err)
{
    FORWARD(d, type_text, deadline, text, err);
}

static enum ia_rc timed_delete(struct ia_device *d, const struct ia_deadline *deadline,
                               int count, struct ia_err *err)
{
    FORWARD(d, delete_text, deadline, count, err);
}

static enum ia_rc timed_press(struct ia_device *d, const struct ia_deadline *deadline,
                              enum ia_button button, struct ia_err *err)
{
    FORWARD(d, press, deadline, button, err);
}

static enum ia_rc timed_launch(struct ia_device *d, const struct ia_deadline *deadline,
                               const char *bundle_id, struct ia_err *err)
{
    FORWARD(d, launch, deadline, bundle_id, err);
}

static enum ia_rc timed_terminate(struct ia_device *d, const struct ia_deadline *deadline,
                                  const char *bundle_id, struct ia_err *err)
{
    FORWARD(d, terminate, deadline, bundle_id, err);
}

static enum ia_rc timed_open_url(struct ia_device *d, const struct ia_deadline *deadline,
                                 const char *url, struct ia_err *err)
{
    FORWARD(d, open_url, deadline, url, err);
}

static enum ia_rc timed_alert(struct ia_device *d, const struct ia_deadline *deadline,
                              enum ia_alert_action action, const char *button,
                              struct ia_err *err)
{
    FORWARD(d, alert, deadline, action, button, err);
}

static enum ia_rc timed_orientation(struct ia_device *d, const struct ia_deadline *deadline,
                                    enum ia_orientation o, struct ia_err *err)
{
    FORWARD(d, orientation, deadline, o, err);
}

static enum ia_rc timed_reset(struct ia_device *d, const struct ia_deadline *deadline,
                              struct ia_err *err)
{
    struct ia_host_time *t = of(d);
    int64_t from = ia_host_time_now();
    enum ia_rc rc = ia_device_reset(t->inner, deadline, err);
    t->away_us += ia_host_time_now() - from;
    return rc;
}

static void timed_close(struct ia_device *d)
{
    (void)d; /* the inner device belongs to the caller */
}

static const struct ia_device_ops timed_ops = {
    .info = timed_info,
    .tree = timed_tree,
    .screenshot = timed_screenshot,
    .screenshot_pt = timed_screenshot_pt,
    .tap = timed_tap,
    .long_press = timed_long_press,
    .drag = timed_drag,
    .type_text = timed_type,
    .delete_text = timed_delete,
    .press = timed_press,
    .launch = timed_launch,
    .terminate = timed_terminate,
    .open_url = timed_open_url,
    .alert = timed_alert,
    .orientation = timed_orientation,
    .reset = timed_reset,
    .close = timed_close,
};

/* ---- the clock --------------------------------------------------------------------------- */

static int64_t timed_mono(void *ctx)
{
    struct ia_host_time *t = ctx;
    return ia_mono_us(t->inner_clock);
}

static int64_t timed_wall(void *ctx)
{
    struct ia_host_time *t = ctx;
    return ia_wall_ms(t->inner_clock);
}

static enum ia_rc timed_wait(void *ctx, struct ia_cancel *cancel, int64_t until_us)
{
    struct ia_host_time *t = ctx;
    int64_t from = ia_host_time_now();
    enum ia_rc rc = ia_clock_wait(t->inner_clock, cancel, until_us);
    t->away_us += ia_host_time_now() - from;
    return rc;
}

void ia_host_time_init(struct ia_host_time *t, struct ia_device *device,
                       const struct ia_clock *clock)
{
    *t = (struct ia_host_time){
        .device = {.ops = &timed_ops},
        .clock = {timed_mono, timed_wall, timed_wait, t},
        .inner = device,
        .inner_clock = clock,
        .mark_us = ia_host_time_now(),
    };
}
