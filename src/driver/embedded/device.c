/* device.c: the phone behind the device vtable, and its oracle. What changes it goes through
 * submit.c.
 *
 *   read:  slow? wait ─► late or cancelled? refused ─► scene ─► tree or picture */
#include "driver/embedded/embedded.h"

#include "driver/embedded/draw/paint.h"
#include "driver/embedded/impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum ia_rc op_info(struct ia_device *d, struct ia_device_info *ret, struct ia_err *err)
{
    (void)err;
    const struct ia_phone *p = ia_embedded_of(d)->phone;
    const struct ia_display *display = ia_phone_display(p);
    *ret = (struct ia_device_info){.width_pt = display->w,
                                   .height_pt = display->h,
                                   .scale = IA_PAINT_SCALE,
                                   .simulated = true,
                                   /* A message of another phone comes whenever it is sent. */
                                   .instant = ia_changes_late_ms(p->changes) == 0 &&
                                              p->link.peers.count == 0};
    (void)snprintf(ret->kind, sizeof(ret->kind), "embedded");
    (void)snprintf(ret->id, sizeof(ret->id), "embedded:%s", ia_embedded_of(d)->name);
    (void)snprintf(ret->name, sizeof(ret->name), "iPhone (simulated)");
    (void)snprintf(ret->os, sizeof(ret->os), "iOS 18.5");
    return IA_OK;
}

/* Loading, and what is on its way, goes on while it is looked at. When that cannot be written down,
 * time stands still. */
static void pass_time(struct ia_embedded *e)
{
    if (ia_phone_waits(e->phone)) {
        struct ia_op tick = {.kind = IA_OP_TICK};
        (void)ia_embedded_commit(e, &tick, NULL);
    }
}

/* Faults of a read: it takes time, and the layout moves. */
static enum ia_rc before_read(struct ia_embedded *e, const struct ia_deadline *deadline,
                              struct ia_err *err)
{
    bool shift;
    int32_t ms = ia_faults_read(&e->faults, &shift);
    enum ia_rc rc = IA_OK;
    if (ms > 0) {
        int64_t until = ia_mono_us(e->clock) + (int64_t)ms * 1000;
        bool late = deadline && deadline->at_us < until;
        (void)ia_clock_wait(e->clock, deadline ? deadline->cancel : NULL,
                            late ? deadline->at_us : until);
    }
    if (shift) {
        struct ia_op op = {.kind = IA_OP_FAULT, .n = IA_OP_FAULT_SHIFT};
        rc = ia_embedded_commit(e, &op, err);
    }
    return rc;
}

static enum ia_rc op_tree(struct ia_device *d, const struct ia_deadline *deadline,
                          struct ia_tree **ret_tree, struct ia_err *err)
{
    struct ia_embedded *e = ia_embedded_of(d);
    /* First, so that begin() sees a deadline that passed during the wait. */
    enum ia_rc rc = before_read(e, deadline, err);
    if (rc == IA_OK) {
        rc = ia_embedded_begin(d, deadline, err);
    }
    if (rc == IA_OK) {
        rc = ia_embedded_send_mail(e, err);
    }
    if (rc == IA_OK) {
        rc = ia_embedded_receive_mail(e, err);
    }
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_scene s;
    ia_phone_scene(e->phone, &s);
    struct ia_tree *t = ia_tree_new();
    ia_embedded_identify(e, &s);
    ia_scene_to_tree(&s, t);
    ia_scene_fini(&s);
    ia_embedded_tell(e, t);
    /* After the scene is built: the tree shows the moment before. */
    pass_time(e);
    *ret_tree = t;
    return IA_OK;
}

static enum ia_rc draw(struct ia_device *d, const struct ia_deadline *deadline, int scale,
                       struct ia_buf *ret_png, struct ia_err *err)
{
    enum ia_rc rc = ia_embedded_begin(d, deadline, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_scene s;
    ia_phone_scene(ia_embedded_of(d)->phone, &s);
    rc = ia_paint_png(&s, scale, IA_PORTRAIT, ret_png, err);
    ia_scene_fini(&s);
    return rc;
}

static enum ia_rc op_screenshot(struct ia_device *d, const struct ia_deadline *deadline,
                                struct ia_buf *ret_png, struct ia_err *err)
{
    return draw(d, deadline, IA_PAINT_SCALE, ret_png, err);
}

static enum ia_rc op_screenshot_pt(struct ia_device *d, const struct ia_deadline *deadline,
                                   struct ia_buf *ret_png, struct ia_err *err)
{
    return draw(d, deadline, 1, ret_png, err);
}

static enum ia_rc op_tap(struct ia_device *d, const struct ia_deadline *deadline,
                         struct ia_point at, struct ia_err *err)
{
    struct ia_op op = {.kind = IA_OP_TAP, .x = at.x, .y = at.y};
    return ia_embedded_submit(d, deadline, &op, err);
}

static enum ia_rc op_long_press(struct ia_device *d, const struct ia_deadline *deadline,
                                struct ia_point at, int duration_ms, struct ia_err *err)
{
    struct ia_op op = {.kind = IA_OP_LONG_PRESS, .x = at.x, .y = at.y, .n = duration_ms};
    return ia_embedded_submit(d, deadline, &op, err);
}

static enum ia_rc op_drag(struct ia_device *d, const struct ia_deadline *deadline,
                          struct ia_point from, struct ia_point to, int duration_ms,
                          struct ia_err *err)
{
    struct ia_op op = {.kind = IA_OP_DRAG,
                       .x = from.x,
                       .y = from.y,
                       .to_x = to.x,
                       .to_y = to.y,
                       .n = duration_ms};
    return ia_embedded_submit(d, deadline, &op, err);
}

static enum ia_rc op_pinch(struct ia_device *d, const struct ia_deadline *deadline,
                           struct ia_rect in, double scale, struct ia_err *err)
{
    double percent = fmin(fmax(scale * 100, 0), INT32_MAX);
    struct ia_op op = {.kind = IA_OP_PINCH,
                       .x = in.x + in.w / 2,
                       .y = in.y + in.h / 2,
                       .n = (int)lrint(percent)};
    return ia_embedded_submit(d, deadline, &op, err);
}

static enum ia_rc op_type_text(struct ia_device *d, const struct ia_deadline *deadline,
                               struct ia_str text, struct ia_err *err)
{
    struct ia_op op = {.kind = IA_OP_TYPE, .text = text};
    return ia_embedded_submit(d, deadline, &op, err);
}

static enum ia_rc op_delete_text(struct ia_device *d, const struct ia_deadline *deadline,
                                 int count, struct ia_err *err)
{
    struct ia_op op = {.kind = IA_OP_DELETE, .n = count};
    return ia_embedded_submit(d, deadline, &op, err);
}

static enum ia_rc op_press(struct ia_device *d, const struct ia_deadline *deadline,
                           enum ia_button button, struct ia_err *err)
{
    struct ia_op op = {.kind = IA_OP_PRESS, .n = (int)button};
    return ia_embedded_submit(d, deadline, &op, err);
}

static enum ia_rc op_launch(struct ia_device *d, const struct ia_deadline *deadline,
                            const char *bundle_id, struct ia_err *err)
{
    struct ia_op op = {.kind = IA_OP_LAUNCH, .text = ia_str(bundle_id)};
    return ia_embedded_submit(d, deadline, &op, err);
}

static enum ia_rc op_terminate(struct ia_device *d, const struct ia_deadline *deadline,
                               const char *bundle_id, struct ia_err *err)
{
    struct ia_op op = {.kind = IA_OP_TERMINATE, .text = ia_str(bundle_id)};
    return ia_embedded_submit(d, deadline, &op, err);
}

static enum ia_rc op_open_url(struct ia_device *d, const struct ia_deadline *deadline,
                              const char *url, struct ia_err *err)
{
    struct ia_op op = {.kind = IA_OP_OPEN_URL, .text = ia_str(url)};
    struct ia_str query;
    struct ia_knobs k;
    enum ia_rc rc = ia_embedded_submit(d, deadline, &op, err);
    if (rc == IA_OK && ia_knobs_url(op.text, &query) &&
        ia_knobs_parse(query, &k, err) == IA_OK && k.has_faults) {
        ia_faults_set(&ia_embedded_of(d)->faults, &k, ia_embedded_of(d)->phone->seed);
    }
    return rc;
}

static enum ia_rc op_alert(struct ia_device *d, const struct ia_deadline *deadline,
                           enum ia_alert_action action, const char *button, struct ia_err *err)
{
    struct ia_op op = {.kind = IA_OP_ALERT, .n = (int)action, .text = ia_str(button)};
    return ia_embedded_submit(d, deadline, &op, err);
}

static enum ia_rc op_orientation(struct ia_device *d, const struct ia_deadline *deadline,
                                 enum ia_orientation o, struct ia_err *err)
{
    const struct ia_phone *p = ia_embedded_of(d)->phone;
    struct ia_op op = {.kind = IA_OP_ROTATE, .n = (int)o};
    /* As it lies already: nothing is done, so nothing is logged. */
    bool lies = o == ia_phone_orientation(p) && o == (enum ia_orientation)p->held;
    return lies ? ia_embedded_begin(d, deadline, err)
                : ia_embedded_submit(d, deadline, &op, err);
}

static enum ia_rc op_reset(struct ia_device *d, const struct ia_deadline *deadline,
                           struct ia_err *err)
{
    struct ia_op op = {.kind = IA_OP_RESET};
    return ia_embedded_submit(d, deadline, &op, err);
}

static enum ia_rc install_text(struct ia_embedded *e, enum ia_op_kind kind, struct ia_str text,
                               struct ia_err *err)
{
    struct ia_op op = {.kind = (uint8_t)kind, .text = text};
    return ia_embedded_commit(e, &op, err);
}

/* Installs the planted bugs and changes that the knobs ask for; an operation only where that makes a
 * difference. */
static enum ia_rc install(struct ia_embedded *e, bool fresh, struct ia_err *err)
{
    const struct ia_knobs *k = &e->knobs;
    const struct ia_phone *p = e->phone;
    struct ia_str none = ia_str("none"), changes = p->changes ? ia_str(p->changes) : none;
    enum ia_rc rc = IA_OK;
    if (k->has_bugs && (p->installed != k->bugs || p->bugs != k->bugs)) {
        struct ia_buf list = IA_BUF(1024);
        ia_bugs_write(k->bugs, &list);
        rc = install_text(e, IA_OP_BUGS, ia_buf_str(&list), err);
        ia_buf_fini(&list);
    }
    struct ia_str wanted = k->changes.n > 0 ? k->changes : none;
    if (rc == IA_OK && k->has_changes &&
        (wanted.n != changes.n || memcmp(wanted.p, changes.p, wanted.n) != 0)) {
        rc = install_text(e, IA_OP_CHANGES, wanted, err);
    }
    return rc == IA_OK ? ia_embedded_link(e, fresh, err) : rc;
}

static enum ia_rc op_release(struct ia_device *d, struct ia_err *err)
{
    (void)err;
    if (ia_embedded_of(d)->log) {
        ia_oplog_release(ia_embedded_of(d)->log);
    }
    return IA_OK;
}

/* The phone as another process left it gets what this device's name asks for, as when it is opened. */
static enum ia_rc op_acquire(struct ia_device *d, const struct ia_deadline *deadline,
                             bool *ret_changed, struct ia_err *err)
{
    struct ia_embedded *e = ia_embedded_of(d);
    bool changed = false;
    enum ia_rc rc = ia_deadline_check(deadline, e->clock, err);
    if (rc == IA_OK && e->log) {
        rc = ia_oplog_acquire(e->log, &e->phone, &changed, err);
    }
    if (rc == IA_OK && changed) {
        e->handed = 0;
        e->mail_size = 0;
        ia_embedded_film(e);
        rc = install(e, false, err);
    }
    if (rc != IA_OK) {
        (void)op_release(d, NULL);
        return ia_device_not_sent(rc, err);
    }
    *ret_changed = changed;
    return IA_OK;
}

static void op_close(struct ia_device *d)
{
    struct ia_embedded *e = ia_embedded_of(d);
    struct ia_recording ignored;
    if (e->film) {
        (void)ia_embedded_film_end(e, &ignored, NULL);
    }
    ia_oplog_close(e->log);
    ia_phone_free(e->phone);
    free(e->changes);
    free(e->folder);
    free(e);
}

static const struct ia_device_ops ops = {
    .info = op_info,
    .tree = op_tree,
    .screenshot = op_screenshot,
    .screenshot_pt = op_screenshot_pt,
    .tap = op_tap,
    .long_press = op_long_press,
    .drag = op_drag,
    .type_text = op_type_text,
    .delete_text = op_delete_text,
    .press = op_press,
    .launch = op_launch,
    .terminate = op_terminate,
    .open_url = op_open_url,
    .alert = op_alert,
    .orientation = op_orientation,
    .reset = op_reset,
    .pinch = op_pinch,
    .status_bar = ia_embedded_status_bar,
    .privacy = ia_embedded_privacy,
    .location = ia_embedded_location,
    .push = ia_embedded_push,
    .add_media = ia_embedded_add_media,
    .app_state = ia_embedded_app_state,
    .appearance = ia_embedded_appearance,
    .locked = ia_embedded_locked,
    .set_pasteboard = ia_embedded_set_pasteboard,
    .pasteboard = ia_embedded_pasteboard,
    .native = ia_embedded_native,
    .record_start = ia_embedded_record_start,
    .record_stop = ia_embedded_record_stop,
    .release = op_release,
    .acquire = op_acquire,
    .close = op_close,
};

enum ia_rc ia_embedded_check(const char *query, struct ia_err *err)
{
    struct ia_knobs ignored;
    return ia_knobs_parse(ia_str(query ? query : ""), &ignored, err);
}

enum ia_rc ia_embedded_check_name(const char *name, struct ia_err *err)
{
    return ia_oplog_check_name(name, err);
}

enum ia_rc ia_embedded_open(const struct ia_embedded_options *opt, struct ia_device **ret,
                            struct ia_err *err)
{
    struct ia_knobs knobs;
    enum ia_rc rc = ia_oplog_check_name(opt->name, err);
    if (rc == IA_OK) {
        rc = ia_knobs_parse(ia_str(opt->query ? opt->query : ""), &knobs, err);
    }
    if (rc != IA_OK) {
        return rc;
    }
    uint64_t seed = knobs.seed && !knobs.has_faults ? knobs.seed : opt->seed;
    struct ia_embedded *e = ia_calloc(1, sizeof(*e));
    e->device.ops = &ops;
    e->clock = opt->clock ? opt->clock : ia_clock_system();
    (void)snprintf(e->name, sizeof(e->name), "%s", opt->name);
    if (opt->folder) {
        e->folder = ia_strdup(opt->folder);
        rc = ia_oplog_open(opt->folder, opt->name, opt->fresh, seed, &e->log, &e->phone, err);
    } else {
        e->phone = ia_phone_new(seed);
    }
    if (rc == IA_OK) {
        ia_faults_set(&e->faults, &knobs, e->phone->seed);
        e->knobs = knobs;
        e->changes = ia_strndup(knobs.changes.n > 0 ? knobs.changes.p : "", knobs.changes.n);
        e->knobs.changes = ia_str(e->changes);
        rc = install(e, opt->fresh, err);
    }
    if (rc != IA_OK) {
        op_close(&e->device);
        return rc;
    }
    *ret = &e->device;
    return IA_OK;
}

void ia_embedded_device_state_json(struct ia_device *d, struct ia_jsonw *w)
{
    ia_phone_state_json(ia_embedded_of(d)->phone, w);
}
