/* system.c: the words and limits of what a phone's system can be told. Pure. */
#include "driver/system.h"

#include "base/utf8.h"
#include "json/json.h"

#include <math.h>
#include <string.h>

static enum ia_rc refuse(enum ia_rc rc, struct ia_err *err)
{
    if (err) {
        err->outcome = IA_OUTCOME_NOT_SENT;
        err->retry_safe = true;
    }
    return rc;
}

/* ---- status bar -------------------------------------------------------------------------- */

static const char *const networks[] = {"hide", "wifi", "3g",  "4g",     "lte",   "lte-a",
                                       "lte+", "5g",   "5g+", "5g-uwb", "5g-uc", NULL};
static const char *const wifi_modes[] = {"searching", "failed", "active", NULL};
static const char *const cellular_modes[] = {"notSupported", "searching", "failed", "active",
                                             NULL};
static const char *const battery_states[] = {"charging", "charged", "discharging", NULL};

#define AT(member) offsetof(struct ia_status_bar, member)
const struct ia_status_bar_field ia_status_bar_fields[IA_STATUS_BAR_FIELDS] = {
    {"time", AT(time), 0, NULL},
    {"data_network", AT(data_network), 0, networks},
    {"wifi_mode", AT(wifi_mode), 0, wifi_modes},
    {"cellular_mode", AT(cellular_mode), 0, cellular_modes},
    {"operator_name", AT(operator_name), 0, NULL},
    {"battery_state", AT(battery_state), 0, battery_states},
    {"wifi_bars", AT(wifi_bars), 3, NULL},
    {"cellular_bars", AT(cellular_bars), 4, NULL},
    {"battery_level", AT(battery_level), 100, NULL},
};

const char **ia_status_bar_text(struct ia_status_bar *bar, const struct ia_status_bar_field *f)
{
    return (const char **)((char *)bar + f->at);
}

int *ia_status_bar_number(struct ia_status_bar *bar, const struct ia_status_bar_field *f)
{
    return (int *)((char *)bar + f->at);
}

static void put_words(const char *const *words, struct ia_buf *out)
{
    for (size_t i = 0; words[i]; i++) {
        ia_buf_printf(out, "%s%s", i == 0 ? "" : words[i + 1] ? ", " : " or ", words[i]);
    }
}

/* A word of the list, else a short text without control characters. */
static enum ia_rc check_text(const struct ia_status_bar_field *f, const char *text,
                             struct ia_err *err)
{
    enum { BYTES_MAX = 64 };
    size_t n = strlen(text);
    bool good = !f->words && n <= BYTES_MAX && ia_utf8_printable(ia_str(text), "");
    for (size_t i = 0; f->words && f->words[i]; i++) {
        good = good || strcmp(f->words[i], text) == 0;
    }
    if (good) {
        return IA_OK;
    }
    struct ia_buf hint = IA_BUF(400);
    if (f->words) {
        put_words(f->words, &hint);
    } else {
        ia_buf_printf(&hint, "at most %d bytes of UTF-8 on one line", (int)BYTES_MAX);
    }
    (void)ia_err_set(err, IA_E_USAGE, "the status bar's %s cannot be \"%.100s\"", f->key, text);
    ia_err_hint(err, "%s", ia_buf_cstr(&hint));
    ia_buf_fini(&hint);
    return refuse(IA_E_USAGE, err);
}

enum ia_rc ia_status_bar_check(const struct ia_status_bar *bar, struct ia_err *err)
{
    struct ia_status_bar copy = *bar;
    bool any = false;
    enum ia_rc rc = IA_OK;
    for (size_t i = 0; rc == IA_OK && i < IA_STATUS_BAR_FIELDS; i++) {
        const struct ia_status_bar_field *f = &ia_status_bar_fields[i];
        if (f->max > 0) {
            int n = *ia_status_bar_number(&copy, f);
            any = any || n >= 0;
            if (n < -1 || n > f->max) {
                rc = refuse(ia_err_set(err, IA_E_USAGE,
                                       "the status bar's %s is %d; it must be 0 to %d", f->key,
                                       n, f->max),
                            err);
            }
        } else if (*ia_status_bar_text(&copy, f)) {
            any = true;
            rc = check_text(f, *ia_status_bar_text(&copy, f), err);
        }
    }
    if (rc == IA_OK && !any) {
        rc = refuse(ia_err_set(err, IA_E_USAGE,
                               "nothing to override in the status bar: name what it is "
                               "to show, such as the time or the battery's level"),
                    err);
    }
    return rc;
}

void ia_status_bar_json(const struct ia_status_bar *bar, struct ia_jsonw *w)
{
    struct ia_status_bar copy = *bar;
    ia_jsonw_object(w);
    for (size_t i = 0; i < IA_STATUS_BAR_FIELDS; i++) {
        const struct ia_status_bar_field *f = &ia_status_bar_fields[i];
        if (f->max > 0 && *ia_status_bar_number(&copy, f) >= 0) {
            ia_jsonw_kv_int(w, f->key, *ia_status_bar_number(&copy, f));
        } else if (f->max == 0 && *ia_status_bar_text(&copy, f)) {
            ia_jsonw_kv(w, f->key, *ia_status_bar_text(&copy, f));
        }
    }
    ia_jsonw_end_object(w);
}

bool ia_status_bar_read(const struct json_t *object, struct ia_status_bar *ret)
{
    size_t known = 0;
    *ret = IA_STATUS_BAR;
    for (size_t i = 0; i < IA_STATUS_BAR_FIELDS; i++) {
        const struct ia_status_bar_field *f = &ia_status_bar_fields[i];
        const json_t *v = json_object_get(object, f->key);
        if (f->max > 0 && json_is_integer(v) && json_integer_value(v) >= 0 &&
            json_integer_value(v) <= f->max) {
            *ia_status_bar_number(ret, f) = (int)json_integer_value(v);
            known++;
        } else if (f->max == 0 && json_is_string(v)) {
            *ia_status_bar_text(ret, f) = json_string_value(v);
            known++;
        }
    }
    return json_is_object(object) && known == json_object_size(object);
}

/* ---- permissions ------------------------------------------------------------------------- */

static const char *const services[] = {
    "all",        "calendar", "contacts-limited", "contacts",   "location", "location-always",
    "photos-add", "photos",   "media-library",    "microphone", "motion",   "reminders",
    "siri",       NULL};

const char *ia_privacy_service(int i)
{
    return i >= 0 && i < (int)IA_COUNTOF(services) ? services[i] : NULL;
}

int ia_privacy_service_find(struct ia_str service)
{
    for (int i = 0; services[i]; i++) {
        if (ia_str_is(service, services[i])) {
            return i;
        }
    }
    return -1;
}

enum ia_rc ia_privacy_check(enum ia_privacy set, const char *service, const char *bundle_id,
                            struct ia_err *err)
{
    if (!service || ia_privacy_service_find(ia_str(service)) < 0) {
        struct ia_buf list = IA_BUF(400);
        put_words(services, &list);
        (void)ia_err_set(err, IA_E_UNSUPPORTED, "there is no service \"%.60s\" to permit",
                         service ? service : "");
        ia_err_hint(err,
                    "use %s; for camera, notifications and health, answer the app's own prompt",
                    ia_buf_cstr(&list));
        ia_buf_fini(&list);
        return refuse(IA_E_UNSUPPORTED, err);
    }
    if (!bundle_id && set != IA_PRIVACY_RESET) {
        (void)ia_err_set(err, IA_E_USAGE, "no app is named to permit \"%s\" to", service);
        ia_err_hint(err, "give its bundle id, such as com.example.shop");
        return refuse(IA_E_USAGE, err);
    }
    return IA_OK;
}

/* ---- location, notifications ------------------------------------------------------------- */

enum ia_rc ia_location_check(const struct ia_location *at, struct ia_err *err)
{
    if (fabs(at->latitude) <= 90 && fabs(at->longitude) <= 180) {
        return IA_OK;
    }
    return refuse(ia_err_set(err, IA_E_USAGE,
                             "%g,%g is not a location: the latitude must be within 90 degrees, "
                             "the longitude within 180",
                             at->latitude, at->longitude),
                  err);
}

enum ia_rc ia_push_check(struct ia_str payload, struct ia_err *err)
{
    json_error_t why = {.text = ""};
    if (payload.n > IA_PUSH_BYTES_MAX) {
        return refuse(ia_err_set(err, IA_E_USAGE,
                                 "the notification has %zu bytes; Apple's limit is %d",
                                 payload.n, IA_PUSH_BYTES_MAX),
                      err);
    }
    json_t *o = json_loadb(payload.p ? payload.p : "", payload.n, JSON_REJECT_DUPLICATES, &why);
    bool good = json_is_object(json_object_get(o, "aps"));
    if (!o) {
        (void)ia_err_set(err, IA_E_USAGE, "the notification is not JSON: line %d: %s", why.line,
                         why.text);
    } else if (!good) {
        (void)ia_err_set(err, IA_E_USAGE, "the notification has no object \"aps\"");
    }
    json_decref(o);
    if (!good) {
        ia_err_hint(err, "write {\"aps\":{\"alert\":{\"title\":\"…\",\"body\":\"…\"}}}");
        return refuse(IA_E_USAGE, err);
    }
    return IA_OK;
}

void ia_push_app(struct ia_str payload, char ret[IA_PUSH_APP_SIZE])
{
    json_t *o = json_loadb(payload.p ? payload.p : "", payload.n, 0, NULL);
    ret[0] = '\0';
    (void)ia_json_copy(o, "Simulator Target Bundle", ret, IA_PUSH_APP_SIZE);
    json_decref(o);
}
