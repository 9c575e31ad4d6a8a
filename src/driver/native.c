/* native.c: the arguments of native actions. What a model or another program sent is checked here,
 * by the table that every back end shares. */
#include "driver/native.h"

#include "base/utf8.h"
#include "driver/device.h"
#include "json/json.h"

#include <stdio.h>
#include <string.h>

/* ---- times ------------------------------------------------------------------------------- */

/* Exactly n digits. */
static bool digits(struct ia_str text, size_t at, size_t n, int *ret)
{
    int v = 0;
    for (size_t i = at; i < at + n; i++) {
        if (i >= text.n || text.p[i] < '0' || text.p[i] > '9') {
            return false;
        }
        v = v * 10 + (text.p[i] - '0');
    }
    *ret = v;
    return true;
}

static bool sign(struct ia_str text, size_t at, char c)
{
    return at < text.n && text.p[at] == c;
}

static bool read_day(struct ia_str t, struct ia_civil *c)
{
    return digits(t, 0, 4, &c->year) && sign(t, 4, '-') && digits(t, 5, 2, &c->month) &&
           sign(t, 7, '-') && digits(t, 8, 2, &c->day) && c->year >= 1970;
}

static bool read_clock(struct ia_str t, struct ia_civil *c)
{
    bool minutes = sign(t, 10, 'T') && digits(t, 11, 2, &c->hour) && sign(t, 13, ':') &&
                   digits(t, 14, 2, &c->minute);
    return minutes &&
           (t.n == 16 || (t.n == 19 && sign(t, 16, ':') && digits(t, 17, 2, &c->second)));
}

bool ia_native_time(struct ia_str text, int64_t *ret_ms, bool *ret_day)
{
    struct ia_civil c = {0};
    bool day = text.n == 10;
    if (!read_day(text, &c) || (!day && !read_clock(text, &c)) || !ia_civil_ok(&c)) {
        return false;
    }
    *ret_ms = ia_civil_ms(&c);
    *ret_day = day;
    return true;
}

void ia_native_time_text(int64_t ms, bool day, char ret[IA_NATIVE_TIME_SIZE])
{
    struct ia_civil c = ia_civil_at(ms);
    int year = c.year < 0 ? 0 : c.year > 9999 ? 9999 : c.year;
    (void)snprintf(ret, IA_NATIVE_TIME_SIZE,
                   day ? "%04d-%02d-%02d" : "%04d-%02d-%02dT%02d:%02d", year, c.month % 100,
                   c.day % 100, c.hour % 100, c.minute % 100);
}

/* ---- arguments --------------------------------------------------------------------------- */

static bool is_time(const json_t *v, bool day_only)
{
    int64_t ms;
    bool day;
    return json_is_string(v) && ia_native_time(ia_json_str(v), &ms, &day) && (day || !day_only);
}

static bool is_text(const json_t *v)
{
    struct ia_str s = ia_json_str(v);
    return json_is_string(v) && s.n <= IA_NATIVE_TEXT_MAX && ia_utf8_printable(s, "\n\t");
}

/* NULL: the value is one of that kind; else what it should be. */
static const char *wants(const json_t *v, char kind)
{
    switch ((enum ia_native_kind)kind) {
    case IA_NATIVE_TEXT:
        return is_text(v) ? NULL : "a text of at most 1024 bytes without control characters";
    case IA_NATIVE_DAY:
        return is_time(v, true) ? NULL : "a day, such as \"2025-09-09\"";
    case IA_NATIVE_TIME:
        return is_time(v, false) ? NULL
                                 : "a time such as \"2025-09-09T14:00\" in the phone's time "
                                   "zone, or a day such as \"2025-09-09\"";
    case IA_NATIVE_NUMBER:
        return json_is_number(v) ? NULL : "a number";
    case IA_NATIVE_BOOL:
        return json_is_boolean(v) ? NULL : "true or false";
    }
    return "nothing that is known here";
}

static bool takes(const char *args, const char *name)
{
    struct ia_native_arg a;
    while (ia_native_next_arg(&args, &a)) {
        if (strcmp(a.name, name) == 0) {
            return true;
        }
    }
    return false;
}

static enum ia_rc refuse_name(const struct ia_native_action *a, const char *name,
                              struct ia_err *err)
{
    struct ia_native_arg arg;
    struct ia_buf list = IA_BUF(256);
    const char *at = a->args;
    while (ia_native_next_arg(&at, &arg)) {
        ia_buf_printf(&list, "%s%s", list.len > 0 ? ", " : "", arg.name);
    }
    enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "%s takes no \"%.40s\"", a->name, name);
    ia_err_hint(err, "it takes: %s", list.len > 0 ? ia_buf_cstr(&list) : "nothing");
    ia_buf_fini(&list);
    return ia_device_not_sent(rc, err);
}

static enum ia_rc check_arg(const struct ia_native_action *a, const struct ia_native_arg *arg,
                            const json_t *v, struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    const char *wanted = v ? wants(v, arg->kind) : NULL;
    if (!v && arg->required) {
        rc = ia_err_set(err, IA_E_USAGE, "%s needs \"%s\"", a->name, arg->name);
    } else if (arg->required && json_is_string(v) && json_string_length(v) == 0) {
        rc = ia_err_set(err, IA_E_USAGE, "%s: \"%s\" is empty", a->name, arg->name);
    } else if (wanted) {
        rc = ia_err_set(err, IA_E_USAGE, "%s: \"%s\" must be %s", a->name, arg->name, wanted);
    }
    return rc == IA_OK ? rc : ia_device_not_sent(rc, err);
}

enum ia_rc ia_native_check(enum ia_native action, const struct json_t *args, struct ia_err *err)
{
    const struct ia_native_action *a = &ia_native_actions[action];
    const char *at = a->args, *key;
    const json_t *v;
    struct ia_native_arg arg;
    if (!json_is_object(args)) {
        return ia_device_not_sent(
            ia_err_set(err, IA_E_USAGE, "%s: the arguments are no JSON object", a->name), err);
    }
    json_object_foreach((json_t *)(uintptr_t)args, key, v)
    {
        if (!takes(a->args, key)) {
            return refuse_name(a, key, err);
        }
    }
    enum ia_rc rc = IA_OK;
    while (rc == IA_OK && ia_native_next_arg(&at, &arg)) {
        rc = check_arg(a, &arg, json_object_get(args, arg.name), err);
    }
    return rc;
}

enum ia_rc ia_native_parse(enum ia_native action, struct ia_str text, struct json_t **ret,
                           struct ia_err *err)
{
    if (text.n > IA_NATIVE_ARGS_MAX || !ia_json_depth_ok(text, 4)) {
        return ia_device_not_sent(
            ia_err_set(err, IA_E_LIMIT, "the arguments are longer than %d bytes, or nested",
                       IA_NATIVE_ARGS_MAX),
            err);
    }
    json_t *o = json_loadb(text.p, text.n, JSON_REJECT_DUPLICATES, NULL);
    enum ia_rc rc = ia_native_check(action, o, err);
    if (rc == IA_OK && ret) {
        *ret = o;
    } else {
        json_decref(o);
    }
    return rc;
}
