#include "fake.h"

#include "draw.h"

#include "test.h"

static struct fake *of(struct ia_device *d)
{
    return (struct fake *)d;
}

static enum ia_rc scripted_failure(struct fake *f, enum ia_rc rc, struct ia_err *err)
{
    ia_err_set(err, rc, "the fake was told to fail");
    err->outcome = f->outcome;
    return rc;
}

static enum ia_rc fake_info(struct ia_device *d, struct ia_device_info *ret, struct ia_err *err)
{
    (void)err;
    *ret = (struct ia_device_info){.kind = "fake",
                                   .id = "fake:1",
                                   .width_pt = 400,
                                   .height_pt = 800,
                                   .scale = 2,
                                   .instant = of(d)->instant};
    return IA_OK;
}

static enum ia_rc fake_tree(struct ia_device *d, const struct ia_deadline *deadline,
                            struct ia_tree **ret_tree, struct ia_err *err)
{
    (void)deadline;
    struct fake *f = of(d);
    f->trees++;
    ia_vclock_advance(f->clock, f->tree_cost_us);
    if (f->tree_fails != IA_OK) {
        return scripted_failure(f, f->tree_fails, err);
    }
    const char *text = f->screen(f);
    *ret_tree = *text ? draw_tree(text) : ia_tree_new();
    return IA_OK;
}

static enum ia_rc fake_tap(struct ia_device *d, const struct ia_deadline *deadline,
                           struct ia_point at, struct ia_err *err)
{
    (void)deadline;
    struct fake *f = of(d);
    if (f->tap_fails != IA_OK) {
        return scripted_failure(f, f->tap_fails, err);
    }
    f->taps++;
    f->last = at;
    if (f->tapped) {
        f->tapped(f, at);
    }
    return IA_OK;
}

static enum ia_rc fake_long_press(struct ia_device *d, const struct ia_deadline *deadline,
                                  struct ia_point at, int duration_ms, struct ia_err *err)
{
    of(d)->presses = duration_ms;
    return fake_tap(d, deadline, at, err);
}

static enum ia_rc fake_drag(struct ia_device *d, const struct ia_deadline *deadline,
                            struct ia_point from, struct ia_point to, int duration_ms,
                            struct ia_err *err)
{
    (void)deadline;
    (void)duration_ms;
    (void)err;
    struct fake *f = of(d);
    f->drags++;
    f->last = from;
    f->end = to;
    if (f->dragged) {
        f->dragged(f, from, to);
    }
    return IA_OK;
}

static enum ia_rc fake_pinch(struct ia_device *d, const struct ia_deadline *deadline,
                             struct ia_rect in, double scale, struct ia_err *err)
{
    (void)deadline;
    (void)err;
    of(d)->pinched = in;
    of(d)->pinch_scale = scale;
    return IA_OK;
}

static enum ia_rc fake_pace(struct ia_device *d, int per_second, struct ia_err *err)
{
    of(d)->pace = per_second;
    return of(d)->paced ? IA_OK : ia_device_cannot("type at another pace", err);
}

static enum ia_rc fake_type(struct ia_device *d, const struct ia_deadline *deadline,
                            struct ia_str text, struct ia_err *err)
{
    (void)deadline;
    struct fake *f = of(d);
    if (f->type_fails != IA_OK) {
        return scripted_failure(f, f->type_fails, err);
    }
    f->types++;
    if (f->typed) {
        f->typed(f, text);
        return IA_OK;
    }
    size_t n = strlen(f->field);
    snprintf(f->field + n, sizeof(f->field) - n, "%.*s", (int)text.n, text.p);
    return IA_OK;
}

static enum ia_rc fake_delete(struct ia_device *d, const struct ia_deadline *deadline,
                              int count, struct ia_err *err)
{
    (void)deadline;
    (void)err;
    struct fake *f = of(d);
    f->deletes++;
    if (f->deleted) {
        f->deleted(f, count);
        return IA_OK;
    }
    size_t n = strlen(f->field);
    f->field[(size_t)count < n ? n - (size_t)count : 0] = '\0';
    return IA_OK;
}

static enum ia_rc fake_press(struct ia_device *d, const struct ia_deadline *deadline,
                             enum ia_button b, struct ia_err *err)
{
    (void)deadline;
    (void)b;
    (void)err;
    of(d)->state++;
    return IA_OK;
}

static enum ia_rc fake_alert(struct ia_device *d, const struct ia_deadline *deadline,
                             enum ia_alert_action action, const char *button,
                             struct ia_err *err)
{
    (void)d;
    (void)deadline;
    (void)action;
    (void)button;
    return ia_err_set(err, IA_E_NO_ALERT, "there is no alert");
}

static const struct ia_device_ops ops = {.info = fake_info,
                                         .tree = fake_tree,
                                         .tap = fake_tap,
                                         .long_press = fake_long_press,
                                         .drag = fake_drag,
                                         .pinch = fake_pinch,
                                         .type_text = fake_type,
                                         .typing_pace = fake_pace,
                                         .delete_text = fake_delete,
                                         .press = fake_press,
                                         .alert = fake_alert};

void fake_open(struct fake *f, const char *(*screen)(struct fake *f))
{
    *f = (struct fake){.device.ops = &ops, .screen = screen};
    f->clock = ia_vclock_new(0);
    struct ia_session_options opt = {.clock = ia_vclock_clock(f->clock)};
    f->session = ia_session_new(&f->device, &opt);
}

void fake_close(struct fake *f)
{
    ia_session_free(f->session);
    ia_vclock_free(f->clock);
}

int64_t fake_ms(const struct fake *f)
{
    return ia_mono_us(ia_vclock_clock(f->clock)) / 1000;
}

struct ia_deadline fake_call(const struct fake *f, int ms)
{
    int64_t now = ia_mono_us(ia_vclock_clock(f->clock));
    return (struct ia_deadline){NULL, ms ? now + (int64_t)ms * 1000 : IA_NO_DEADLINE};
}
