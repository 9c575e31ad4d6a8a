/* made.c: see made.h. */
#include "made.h"

#include "base/buf.h"

#include <stdarg.h>

static struct made *made_of(struct ia_device *d)
{
    return (struct made *)((char *)d - offsetof(struct made, s.device));
}

static enum ia_rc told(struct ia_device *d, struct ia_err *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static enum ia_rc told(struct ia_device *d, struct ia_err *err, const char *format, ...)
{
    struct made *m = made_of(d);
    size_t len = strlen(m->log);
    va_list args;
    if (m->most > 0 && m->effects == m->most) {
        return ia_device_not_sent(ia_err_set(err, IA_E_DEVICE, "no"), err);
    }
    m->effects++;
    va_start(args, format);
    (void)vsnprintf(m->log + len, sizeof(m->log) - len, format, args);
    va_end(args);
    return IA_OK;
}

static enum ia_rc made_tree(struct ia_device *d, const struct ia_deadline *deadline,
                            struct ia_tree **ret_tree, struct ia_err *err)
{
    struct made *m = made_of(d);
    struct ia_rect all = {0, 0, 393, 852};
    struct ia_tree *t = ia_tree_new();
    struct ia_node *root = ia_tree_add(t, NULL, IA_EL_APPLICATION, all);
    (void)deadline;
    (void)err;
    ia_tree_set_app(t, MADE_APP);
    m->fill(m, t, ia_tree_add(t, root, IA_EL_WINDOW, all));
    *ret_tree = t;
    return IA_OK;
}

static enum ia_rc told_tap(struct ia_device *d, const struct ia_deadline *deadline,
                           struct ia_point at, struct ia_err *err)
{
    (void)deadline;
    return told(d, err, "tap %g,%g; ", at.x, at.y);
}

static enum ia_rc told_hold(struct ia_device *d, const struct ia_deadline *deadline,
                            struct ia_point at, int ms, struct ia_err *err)
{
    (void)deadline;
    return told(d, err, "hold %g,%g %d; ", at.x, at.y, ms);
}

static enum ia_rc told_drag(struct ia_device *d, const struct ia_deadline *deadline,
                            struct ia_point from, struct ia_point to, int ms,
                            struct ia_err *err)
{
    (void)deadline;
    return told(d, err, "drag %g,%g %g,%g %d; ", from.x, from.y, to.x, to.y, ms);
}

static enum ia_rc told_pinch(struct ia_device *d, const struct ia_deadline *deadline,
                             struct ia_rect in, double scale, struct ia_err *err)
{
    (void)deadline;
    return told(d, err, "pinch %g,%g %g,%g %g; ", in.x, in.y, in.w, in.h, scale);
}

static enum ia_rc told_type(struct ia_device *d, const struct ia_deadline *deadline,
                            struct ia_str text, struct ia_err *err)
{
    (void)deadline;
    return told(d, err, "type %.*s; ", (int)text.n, text.p);
}

static enum ia_rc told_turn(struct ia_device *d, const struct ia_deadline *deadline,
                            enum ia_orientation o, struct ia_err *err)
{
    (void)deadline;
    return told(d, err, "turn %d; ", o);
}

static enum ia_rc told_alert(struct ia_device *d, const struct ia_deadline *deadline,
                             enum ia_alert_action action, const char *label, struct ia_err *err)
{
    (void)deadline;
    return told(d, err, "alert %d %s; ", action, label ? label : "-");
}

static enum ia_rc told_press(struct ia_device *d, const struct ia_deadline *deadline,
                             enum ia_button button, struct ia_err *err)
{
    (void)deadline;
    return told(d, err, "press %d; ", button);
}

static enum ia_rc told_delete(struct ia_device *d, const struct ia_deadline *deadline,
                              int count, struct ia_err *err)
{
    (void)deadline;
    return told(d, err, "delete %d; ", count);
}

#define TOLD_TEXT(name)                                                                        \
    static enum ia_rc told_##name(struct ia_device *d, const struct ia_deadline *deadline,     \
                                  const char *text, struct ia_err *err)                        \
    {                                                                                          \
        (void)deadline;                                                                        \
        return told(d, err, #name " %s; ", text);                                              \
    }
TOLD_TEXT(launch)
TOLD_TEXT(terminate)
TOLD_TEXT(open_url)

void made_open(struct made *m, made_fill *fill, int n)
{
    *m = (struct made){.fill = fill, .n = n};
    served_open(&m->s);
    m->s.device.ops.tree = made_tree;
    m->s.device.ops.tap = told_tap;
    m->s.device.ops.long_press = told_hold;
    m->s.device.ops.drag = told_drag;
    m->s.device.ops.pinch = told_pinch;
    m->s.device.ops.type_text = told_type;
    m->s.device.ops.orientation = told_turn;
    m->s.device.ops.alert = told_alert;
    m->s.device.ops.press = told_press;
    m->s.device.ops.delete_text = told_delete;
    m->s.device.ops.launch = told_launch;
    m->s.device.ops.terminate = told_terminate;
    m->s.device.ops.open_url = told_open_url;
    served_start(&m->s, NULL);
    served_session(&m->s);
}

struct ia_node *made_add(struct ia_tree *t, struct ia_node *parent, enum ia_eltype type,
                         struct ia_rect frame, const char *label)
{
    struct ia_node *n = ia_tree_add(t, parent, type, frame);
    n->label = ia_tree_text(t, label, strlen(label));
    return n;
}

void made_find(struct made *m, const char *name, char ret_uid[64])
{
    struct said r;
    char path[128];
    char body[128];
    (void)snprintf(path, sizeof(path), "/session/%s/element", m->s.session);
    (void)snprintf(body, sizeof(body), "{\"using\":\"name\",\"value\":\"%s\"}", name);
    served_ask(&m->s, "POST", path, body, &r);
    assert_int_equal(r.status, 200);
    (void)snprintf(ret_uid, 64, "%s", json_string_value(json_object_get(r.value, "ELEMENT")));
    said_fini(&r);
}

void made_check(struct made *m, const struct made_row *row)
{
    struct ia_buf path = IA_BUF(512);
    for (const char *p = row->path; *p;) {
        if (strncmp(p, "E(", 2) == 0) {
            char name[64];
            char uid[64];
            size_t len = strcspn(p + 2, ")");
            (void)snprintf(name, sizeof(name), "%.*s", (int)len, p + 2);
            made_find(m, name, uid);
            ia_buf_puts(&path, uid);
            p += 3 + len;
        } else {
            ia_buf_putc(&path, *p++);
        }
    }
    m->log[0] = '\0';
    served_says(&m->s, row->method, ia_buf_cstr(&path), row->body, row->status, row->text);
    if (strcmp(m->log, row->log) != 0) {
        fail_msg("%s %s: %s", row->path, row->body ? row->body : "", m->log);
    }
    ia_buf_fini(&path);
}

void made_check_all(struct made *m, const struct made_row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        made_check(m, &rows[i]);
    }
}

void made_run(made_fill *fill, int n, const struct made_row *rows, size_t count)
{
    struct made m;
    made_open(&m, fill, n);
    made_check_all(&m, rows, count);
    served_close(&m.s);
}
