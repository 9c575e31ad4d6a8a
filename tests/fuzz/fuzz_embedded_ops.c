/* Bytes as a walk over the phone: taps on what is there and anywhere, drags, texts, buttons,
 * apps, links. Whatever is walked, the log of it gives the same phone. */
#include "driver/embedded/op/oplog.h"
#include "driver/native.h"

#include <stdlib.h>
#include <string.h>

enum { OPS_MAX = 48 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
    const uint8_t *p;
    size_t n;
};

static unsigned take(struct input *in)
{
    if (in->n == 0) {
        return 0;
    }
    in->n--;
    return *in->p++;
}

/* The middle of a view that takes touches, or any point. */
static void choose_point(const struct ia_phone *p, struct input *in, double *x, double *y)
{
    struct ia_scene s;
    ia_phone_scene(p, &s);
    unsigned pick = take(in);
    *x = take(in) * 1.55;
    *y = take(in) * 3.35;
    for (int32_t i = s.count - 1; i >= 0 && pick < 200; i--) {
        const struct ia_view *v = &s.views[i];
        if (v->tap && v->y >= 0 && v->y + v->h < s.display->h && pick-- == 0) {
            *x = v->x + v->w / 2;
            *y = v->y + v->h / 2;
            break;
        }
    }
    ia_scene_fini(&s);
}

static struct ia_str choose_text(struct input *in)
{
    size_t n = take(in) % 40;
    n = n < in->n ? n : in->n;
    struct ia_str text = {(const char *)in->p, n};
    in->p += n;
    in->n -= n;
    return text;
}

/* Some that are well formed, and any bytes. */
static struct ia_str native_args(struct ia_op *op, struct input *in)
{
    static const struct {
        enum ia_native action;
        const char *args;
    } some[] = {
        {IA_NATIVE_CALENDAR_CREATE, "{\"title\":\"A\",\"start\":\"2025-09-09\"}"},
        {IA_NATIVE_CALENDAR_UPDATE, "{\"id\":\"2\",\"start\":\"2025-09-09T10:00\"}"},
        {IA_NATIVE_CALENDAR_DELETE, "{\"id\":\"3\"}"},
        {IA_NATIVE_CONTACT_CREATE, "{\"first\":\"Ada\"}"},
        {IA_NATIVE_REMINDER_CREATE, "{\"title\":\"A\"}"},
        {IA_NATIVE_MUSIC_PLAY, "{\"query\":\"e\"}"},
    };
    size_t pick = (size_t)op->n;
    op->n %= IA_NATIVE_COUNT;
    if (pick % 8 < IA_COUNTOF(some)) {
        op->n = (int)some[pick % 8].action;
        return ia_str(some[pick % 8].args);
    }
    return choose_text(in);
}

static const char *choose_url(int n)
{
    static const char *const urls[] = {"prefs:root=General",
                                       "contacts:",
                                       "shop:",
                                       "uikitcatalog:",
                                       "prefs:root=General&path=About",
                                       "x-apple-reminderkit:",
                                       "sketch://save",
                                       "sms:555-0123",
                                       "bank:",
                                       "shortcuts://run-shortcut?name=Buy%20Later&text=a",
                                       "sms:555-0123?&body=a%20b%",
                                       "embedded://?bugs=all",
                                       "embedded://?bugs=reminders-ghost&faults=popup@1"};
    return urls[n % (int)IA_COUNTOF(urls)];
}

/* Operations with a number of few values, or with a text made of it. */
static void choose_setting(struct ia_op *op)
{
    static const char *const bars[] = {"", "{\"time\":\"1:23\",\"wifi_bars\":0}",
                                       "{\"battery_level\":1,\"data_network\":\"lte\"}"};
    int n = op->n;
    switch ((enum ia_op_kind)op->kind) {
    case IA_OP_PRESS:
    case IA_OP_ALERT:
        op->n = n % 4;
        op->text = ia_str("Cancel");
        break;
    case IA_OP_ROTATE:
        op->n = n % (IA_UPSIDE_DOWN + 1);
        break;
    case IA_OP_APPEARANCE:
    case IA_OP_LOCATION:
        op->n = n % 2;
        break;
    case IA_OP_FAULT:
        op->n = n % IA_OP_FAULTS;
        break;
    case IA_OP_BUGS:
        op->text = ia_str(n % 2 ? "all" : "shop-total,settings-switch-lies");
        break;
    case IA_OP_STATUS_BAR:
        op->text = ia_str(bars[n % 3]);
        break;
    case IA_OP_ASK:
        op->text = ia_str(n % 2 ? "calendar" : "contacts");
        break;
    case IA_OP_OPEN_URL:
        op->text = ia_str(choose_url(n));
        break;
    default:
        break;
    }
}

/* Operations on an app, or between phones. */
static void choose_app(struct ia_op *op)
{
    const char *bundle_id = ia_apps[op->n % ia_app_count()]->bundle_id;
    switch ((enum ia_op_kind)op->kind) {
    case IA_OP_LAUNCH:
    case IA_OP_TERMINATE:
        op->text = ia_str(bundle_id);
        break;
    case IA_OP_PRIVACY:
        op->text = ia_str(ia_privacy_service(op->n % 13));
        op->n %= 3;
        op->app = ia_str(op->n ? ia_apps[op->n]->bundle_id : IA_NATIVE_APP);
        break;
    case IA_OP_PUSH:
        op->app = ia_str(bundle_id);
        op->text = ia_str("{\"aps\":{\"alert\":\"Hi\"}}");
        break;
    case IA_OP_LINK:
        op->text = ia_str(op->n % 4 ? "alice,bob" : "none");
        op->app = ia_str("1");
        break;
    default:
        break;
    }
}

/* Operations whose text or point is any input. */
static void choose_input(struct ia_op *op, struct input *in)
{
    switch ((enum ia_op_kind)op->kind) {
    case IA_OP_DRAG:
        op->to_x = take(in) * 1.55;
        op->to_y = take(in) * 3.35;
        break;
    case IA_OP_NATIVE:
        op->text = native_args(op, in);
        break;
    case IA_OP_RECEIVE:
    case IA_OP_RECEIVE_PICTURE:
        op->app = ia_str(op->n % 4 ? "alice" : "nobody");
        op->text = choose_text(in);
        break;
    case IA_OP_TYPE:
    case IA_OP_MEDIA:
    case IA_OP_PASTEBOARD:
        op->text = choose_text(in);
        break;
    default:
        break;
    }
}

static struct ia_op choose_op(const struct ia_phone *p, struct input *in)
{
    struct ia_op op = {.kind = (uint8_t)(take(in) % (IA_OP_COUNT + 6))};
    if (op.kind >= IA_OP_COUNT) {
        op.kind = IA_OP_TAP;
    }
    choose_point(p, in, &op.x, &op.y);
    op.n = (int)take(in);
    choose_setting(&op);
    choose_app(&op);
    choose_input(&op, in);
    return op;
}

static void append_state(const struct ia_phone *p, struct ia_buf *out)
{
    struct ia_scene s;
    ia_phone_scene(p, &s);
    for (int32_t i = 0; i < s.count; i++) {
        const struct ia_view *v = &s.views[i];
        if (v->end <= i || v->end > s.count || v->parent >= i || !(v->w >= 0) || !(v->h >= 0)) {
            abort();
        }
        ia_buf_printf(out, "%g %g %s %s %x\n", (double)v->x, (double)v->y,
                      v->label ? v->label : "", v->value ? v->value : "", v->flags);
    }
    ia_scene_fini(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, size};
    struct ia_phone *p = ia_phone_new(1), *again = NULL;
    struct ia_buf log = IA_BUF((size_t)4 << 20), a = log, b = log;
    ia_buf_puts(&log, "{\"phone\":2,\"seed\":\"1\"}\n");
    for (int i = 0; i < OPS_MAX && in.n > 0; i++) {
        struct ia_op op = choose_op(p, &in);
        if (ia_op_check(p, &op, NULL) == IA_OK) {
            ia_op_write(p, &op, &log);
            ia_buf_putc(&log, '\n');
            (void)ia_op_act(p, &op, NULL);
        }
    }
    size_t good = 0;
    if (ia_oplog_replay(ia_buf_str(&log), "walk.log", 0, &again, &good, NULL) != IA_OK ||
        good != log.len) {
        abort();
    }
    append_state(p, &a);
    append_state(again, &b);
    if (!ia_str_eq(ia_buf_str(&a), ia_buf_str(&b)) || p->prefs.on != again->prefs.on) {
        abort();
    }
    ia_phone_free(p);
    ia_phone_free(again);
    ia_buf_fini(&log);
    ia_buf_fini(&a);
    ia_buf_fini(&b);
    return 0;
}
