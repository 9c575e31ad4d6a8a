/* op_codec.c: operations as lines of the log.
 *
 *   {"seq":N,"at_ms":N,"op":NAME, fields of the form, "secure":true}
 *
 * `seq` and `at_ms` are those that the phone must have when the operation acts. */
#include "driver/embedded/op/op.h"

#include "base/jsonw.h"
#include "json/json.h"

#include <string.h>

static const char *const op_names[IA_OP_COUNT] = {
    [IA_OP_TAP] = "tap",
    [IA_OP_LONG_PRESS] = "long_press",
    [IA_OP_DRAG] = "drag",
    [IA_OP_TYPE] = "type",
    [IA_OP_DELETE] = "delete",
    [IA_OP_PRESS] = "press",
    [IA_OP_LAUNCH] = "launch",
    [IA_OP_TERMINATE] = "terminate",
    [IA_OP_OPEN_URL] = "open_url",
    [IA_OP_ALERT] = "alert",
    [IA_OP_RESET] = "reset",
    [IA_OP_BUGS] = "bugs",
    [IA_OP_FAULT] = "fault",
    [IA_OP_TICK] = "tick",
    [IA_OP_APPEARANCE] = "appearance",
    [IA_OP_PINCH] = "pinch",
    [IA_OP_STATUS_BAR] = "status_bar",
    [IA_OP_PRIVACY] = "privacy",
    [IA_OP_LOCATION] = "location",
    [IA_OP_PUSH] = "push",
    [IA_OP_MEDIA] = "media",
    [IA_OP_PASTEBOARD] = "pasteboard",
    [IA_OP_ROTATE] = "rotate",
    [IA_OP_CHANGES] = "changes",
    [IA_OP_NATIVE] = "native",
    [IA_OP_ASK] = "ask",
    [IA_OP_LINK] = "link",
    [IA_OP_RECEIVE] = "receive",
    [IA_OP_RECEIVE_PICTURE] = "receive_picture",
};
static const char *const button_names[] = {
    [IA_BUTTON_HOME] = "home",
    [IA_BUTTON_LOCK] = "lock",
    [IA_BUTTON_VOLUME_UP] = "volume_up",
    [IA_BUTTON_VOLUME_DOWN] = "volume_down",
};
static const char *const alert_names[] = {
    [IA_ALERT_ACCEPT] = "accept",
    [IA_ALERT_DISMISS] = "dismiss",
    [IA_ALERT_BUTTON] = "button",
};
static const char *const appearance_names[] = {"light", "dark"};
const char *const ia_op_orientations[IA_OP_ORIENTATIONS] = {
    [IA_PORTRAIT] = "portrait",
    [IA_LANDSCAPE_LEFT] = "landscape_left",
    [IA_LANDSCAPE_RIGHT] = "landscape_right",
};
static const char *const location_names[] = {"clear", "set"};
static const char *const privacy_names[] = {
    [IA_PRIVACY_GRANT] = "grant",
    [IA_PRIVACY_REVOKE] = "revoke",
    [IA_PRIVACY_RESET] = "reset",
};

static const char *const native_names[IA_NATIVE_COUNT] = {
#define NAME(name, service, action, effect, args, answer)                                      \
    [IA_NATIVE_##name] = service "." action,
    IA_NATIVE_LIST(NAME)
#undef NAME
};

static const char *const fault_names[IA_OP_FAULTS] = {
    [IA_OP_FAULT_POPUP] = "popup",
    [IA_OP_FAULT_CRASH] = "crash",
    [IA_OP_FAULT_SHIFT] = "shift",
    [IA_OP_FAULT_MUTE] = "mute",
};

/* The fields of each operation, in the order they are written. n_names: n is written as one of
 * these names. */
struct form {
    const char *n_key;
    const char *const *n_names;
    const char *text_key, *app_key;
    int n_count;
    bool at, to, place;
};
static const struct form forms[IA_OP_COUNT] = {
    [IA_OP_TAP] = {.at = true},
    [IA_OP_LONG_PRESS] = {.at = true, .n_key = "duration_ms"},
    [IA_OP_DRAG] = {.at = true, .to = true, .n_key = "duration_ms"},
    [IA_OP_TYPE] = {.text_key = "text"},
    [IA_OP_DELETE] = {.n_key = "count"},
    [IA_OP_PRESS] = {.n_key = "button", .n_names = button_names, .n_count = 4},
    [IA_OP_LAUNCH] = {.text_key = "app"},
    [IA_OP_TERMINATE] = {.text_key = "app"},
    [IA_OP_OPEN_URL] = {.text_key = "url"},
    [IA_OP_ALERT] = {.n_key = "action",
                     .n_names = alert_names,
                     .n_count = 3,
                     .text_key = "button"},
    [IA_OP_RESET] = {0},
    [IA_OP_BUGS] = {.text_key = "bugs"},
    [IA_OP_FAULT] = {.n_key = "fault", .n_names = fault_names, .n_count = IA_OP_FAULTS},
    [IA_OP_TICK] = {0},
    [IA_OP_APPEARANCE] = {.n_key = "appearance", .n_names = appearance_names, .n_count = 2},
    [IA_OP_PINCH] = {.at = true, .n_key = "percent"},
    [IA_OP_STATUS_BAR] = {.text_key = "bar"},
    [IA_OP_PRIVACY] = {.n_key = "set",
                       .n_names = privacy_names,
                       .n_count = 3,
                       .text_key = "service",
                       .app_key = "app"},
    [IA_OP_LOCATION] = {.place = true,
                        .n_key = "location",
                        .n_names = location_names,
                        .n_count = 2},
    [IA_OP_PUSH] = {.text_key = "payload", .app_key = "app"},
    [IA_OP_MEDIA] = {.text_key = "file"},
    [IA_OP_PASTEBOARD] = {.text_key = "text"},
    [IA_OP_ROTATE] = {.n_key = "to",
                      .n_names = ia_op_orientations,
                      .n_count = IA_OP_ORIENTATIONS},
    [IA_OP_CHANGES] = {.text_key = "changes"},
    [IA_OP_NATIVE] = {.n_key = "action",
                      .n_names = native_names,
                      .n_count = IA_NATIVE_COUNT,
                      .text_key = "args"},
    [IA_OP_ASK] = {.text_key = "service"},
    [IA_OP_LINK] = {.text_key = "phones", .app_key = "as"},
    [IA_OP_RECEIVE] = {.n_key = "no", .text_key = "text", .app_key = "from"},
    [IA_OP_RECEIVE_PICTURE] = {.n_key = "no", .text_key = "text", .app_key = "from"},
};

/* Only the alert action "button" has a text. */
static bool has_text(const struct form *f, int n)
{
    return f->text_key && (f->n_names != alert_names || n == IA_ALERT_BUTTON);
}

void ia_op_write(const struct ia_phone *p, const struct ia_op *op, struct ia_buf *out)
{
    const struct form *f = &forms[op->kind];
    struct ia_jsonw w;
    ia_jsonw_init(&w, out);
    ia_jsonw_object(&w);
    ia_jsonw_kv_int(&w, "seq", p->seq + 1);
    ia_jsonw_kv_int(&w, "at_ms", p->now_ms);
    ia_jsonw_kv(&w, "op", op_names[op->kind]);
    if (f->at) {
        ia_jsonw_kv_real(&w, "x", op->x);
        ia_jsonw_kv_real(&w, "y", op->y);
    }
    if (f->to) {
        ia_jsonw_kv_real(&w, "to_x", op->to_x);
        ia_jsonw_kv_real(&w, "to_y", op->to_y);
    }
    if (f->place) {
        ia_jsonw_kv_real(&w, "longitude", op->x);
        ia_jsonw_kv_real(&w, "latitude", op->y);
    }
    if (f->n_names) {
        ia_jsonw_kv(&w, f->n_key, f->n_names[op->n]);
    } else if (f->n_key) {
        ia_jsonw_kv_int(&w, f->n_key, op->n);
    }
    if (has_text(f, op->n)) {
        ia_jsonw_key(&w, f->text_key);
        ia_jsonw_str(&w, op->text);
    }
    if (f->app_key) {
        ia_jsonw_key(&w, f->app_key);
        ia_jsonw_str(&w, op->app);
    }
    if (op->kind == IA_OP_TYPE && ia_phone_secure(p)) {
        /* The last member: oplog.c knows such a line by its end. */
        ia_jsonw_kv_bool(&w, "secure", true);
    }
    ia_jsonw_end_object(&w);
}

static bool read_real(const json_t *o, const char *key, double *ret)
{
    const json_t *v = json_object_get(o, key);
    *ret = json_number_value(v);
    return json_is_number(v);
}

static int name_index(const char *const *names, int count, const json_t *v)
{
    for (int i = 0; json_is_string(v) && i < count; i++) {
        if (strcmp(names[i], json_string_value(v)) == 0) {
            return i;
        }
    }
    return -1;
}

static bool read_n(const json_t *o, const struct form *f, int *ret)
{
    const json_t *v = json_object_get(o, f->n_key);
    if (f->n_names) {
        *ret = name_index(f->n_names, f->n_count, v);
        return *ret >= 0;
    }
    json_int_t n = json_integer_value(v);
    *ret = (int)n;
    return json_is_integer(v) && n >= 0 && n <= INT32_MAX;
}

static bool read_text(const json_t *o, const char *key, struct ia_str *ret)
{
    const json_t *v = json_object_get(o, key);
    *ret = ia_json_str(v);
    return json_is_string(v);
}

static bool read_fields(const json_t *o, struct ia_op *op)
{
    const struct form *f = &forms[op->kind];
    return (!f->at || (read_real(o, "x", &op->x) && read_real(o, "y", &op->y))) &&
           (!f->to || (read_real(o, "to_x", &op->to_x) && read_real(o, "to_y", &op->to_y))) &&
           (!f->place ||
            (read_real(o, "longitude", &op->x) && read_real(o, "latitude", &op->y))) &&
           (!f->n_key || read_n(o, f, &op->n)) &&
           (!f->app_key || read_text(o, f->app_key, &op->app)) &&
           (!has_text(f, op->n) || read_text(o, f->text_key, &op->text));
}

/* Lines are numbered and dated, so that one that is missing or doubled is noticed. */
static enum ia_rc read_object(const struct ia_phone *p, const json_t *o, struct ia_op *op,
                              struct ia_err *err)
{
    json_int_t seq = json_integer_value(json_object_get(o, "seq"));
    json_int_t at_ms = json_integer_value(json_object_get(o, "at_ms"));
    if (seq != p->seq + 1 || at_ms != p->now_ms) {
        return ia_err_set(err, IA_E_PARSE,
                          "found operation %lld at %lld ms where %lld at %lld ms was expected",
                          (long long)seq, (long long)at_ms, (long long)p->seq + 1,
                          (long long)p->now_ms);
    }
    int kind = name_index(op_names, IA_OP_COUNT, json_object_get(o, "op"));
    if (kind < 0) {
        return ia_err_set(err, IA_E_PARSE, "unknown operation");
    }
    *op = (struct ia_op){.kind = (uint8_t)kind};
    return read_fields(o, op) ? IA_OK
                              : ia_err_set(err, IA_E_PARSE,
                                           "a field of the operation \"%s\" is "
                                           "missing or has the wrong type",
                                           op_names[kind]);
}

enum ia_rc ia_op_read(const struct ia_phone *p, struct ia_str line, struct ia_op *ret,
                      struct json_t **ret_json, struct ia_err *err)
{
    json_error_t ignored;
    json_t *o = json_loadb(line.p, line.n, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &ignored);
    if (!json_is_object(o)) {
        json_decref(o);
        return ia_err_set(err, IA_E_PARSE, "not a JSON object");
    }
    struct ia_op op;
    enum ia_rc rc = read_object(p, o, &op, err);
    if (rc == IA_OK) {
        rc = ia_op_check(p, &op, err);
    }
    if (rc != IA_OK) {
        json_decref(o);
        return rc;
    }
    *ret = op;
    *ret_json = o;
    return IA_OK;
}

void ia_op_free(struct json_t *json)
{
    json_decref(json);
}
