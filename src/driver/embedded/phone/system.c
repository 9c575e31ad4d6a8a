/* system.c: what a phone's system was told: overrides of the status bar, permissions, location,
 * notifications, photos, pasteboard. Owns every text that it keeps. */
#include "driver/embedded/phone/system.h"

#include "base/utf8.h"
#include "driver/embedded/phone/phone.h"
#include "driver/native.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)IA_SYSTEM_APPS_MAX == (int)IA_APPS_MAX, "permissions of every app");

void ia_system_init(struct ia_system *s)
{
    *s = (struct ia_system){.bar = IA_STATUS_BAR};
}

static void clear_bar(struct ia_system *s)
{
    for (size_t i = 0; i < IA_STATUS_BAR_FIELDS; i++) {
        if (ia_status_bar_fields[i].max == 0) {
            free((char *)*ia_status_bar_text(&s->bar, &ia_status_bar_fields[i]));
        }
    }
    s->bar = IA_STATUS_BAR;
}

static void free_notice(struct ia_system *s, int i)
{
    free(s->notices[i].title);
    free(s->notices[i].body);
    s->notice_count--;
    memmove(&s->notices[i], &s->notices[i + 1],
            (size_t)(s->notice_count - i) * sizeof(s->notices[0]));
}

void ia_system_fini(struct ia_system *s)
{
    clear_bar(s);
    while (s->notice_count > 0) {
        free_notice(s, s->notice_count - 1);
    }
    for (int i = 0; i < s->media_count; i++) {
        free(s->media[i]);
    }
    free(s->pasteboard);
    ia_system_init(s);
}

/* ---- status bar, permissions ------------------------------------------------------------- */

void ia_system_set_bar(struct ia_system *s, struct ia_str json)
{
    struct ia_status_bar bar;
    json_t *o = json.n > 0 ? json_loadb(json.p, json.n, 0, NULL) : NULL;
    if (!o) {
        clear_bar(s);
    } else if (ia_status_bar_read(o, &bar)) {
        for (size_t i = 0; i < IA_STATUS_BAR_FIELDS; i++) {
            const struct ia_status_bar_field *f = &ia_status_bar_fields[i];
            if (f->max > 0 && *ia_status_bar_number(&bar, f) >= 0) {
                *ia_status_bar_number(&s->bar, f) = *ia_status_bar_number(&bar, f);
            } else if (f->max == 0 && *ia_status_bar_text(&bar, f)) {
                free((char *)*ia_status_bar_text(&s->bar, f));
                *ia_status_bar_text(&s->bar, f) = ia_strdup(*ia_status_bar_text(&bar, f));
            }
        }
    }
    json_decref(o);
}

/* Those that no device's `privacy` takes; they are numbered behind the others. */
static const char *const own_services[] = {"photos-limited", "health", "home"};
enum { FIRST_OWN = 24, SERVICES_MAX = 32 };

static const char *service_name(int i)
{
    return i < FIRST_OWN                                   ? ia_privacy_service(i)
           : i - FIRST_OWN < (int)IA_COUNTOF(own_services) ? own_services[i - FIRST_OWN]
                                                           : NULL;
}

int ia_system_service(struct ia_str service)
{
    for (int i = 0; i < SERVICES_MAX; i++) {
        if (service_name(i) && ia_str_is(service, service_name(i))) {
            return i;
        }
    }
    return -1;
}

int ia_system_holder(struct ia_str bundle_id)
{
    for (int i = 0; ia_apps[i]; i++) {
        if (ia_str_is(bundle_id, ia_apps[i]->bundle_id)) {
            return i;
        }
    }
    return ia_str_is(bundle_id, IA_NATIVE_APP) ? IA_PERMISSIONS_NATIVE : -1;
}

static uint32_t bit_of(const char *service)
{
    return (uint32_t)1 << ia_system_service(ia_str(service));
}

/* The limited form of a service; 0: it has none. */
static uint32_t limited_bit(const char *service)
{
    return strcmp(service, "contacts") == 0 ? bit_of("contacts-limited")
           : strcmp(service, "photos") == 0 ? bit_of("photos-limited")
                                            : 0;
}

void ia_system_permit(struct ia_system *s, enum ia_privacy set, int app, int service)
{
    uint32_t bits = service == 0 ? UINT32_MAX : (uint32_t)1 << service, clear = bits;
    static const char *const limitable[] = {"contacts", "photos"};
    for (size_t i = 0; i < IA_COUNTOF(limitable); i++) {
        uint32_t both = bit_of(limitable[i]) | limited_bit(limitable[i]);
        clear |= bits & both ? both : 0;
    }
    for (int i = 0; i <= IA_PERMISSIONS_NATIVE; i++) {
        if (app < 0 || i == app) {
            s->permissions[i].granted &= ~clear;
            s->permissions[i].denied &= ~clear;
            s->permissions[i].granted |= set == IA_PRIVACY_GRANT ? bits : 0;
            s->permissions[i].denied |= set == IA_PRIVACY_REVOKE ? bits : 0;
        }
    }
}

enum ia_permission ia_system_permission(const struct ia_system *s, int app, const char *service)
{
    uint32_t bit = bit_of(service);
    return s->permissions[app].granted & bit                    ? IA_PERMISSION_GRANTED
           : s->permissions[app].denied & bit                   ? IA_PERMISSION_DENIED
           : s->permissions[app].granted & limited_bit(service) ? IA_PERMISSION_LIMITED
                                                                : IA_PERMISSION_UNASKED;
}

/* ---- notifications ----------------------------------------------------------------------- */

static char *cut_text(const char *text)
{
    size_t n = strlen(text), most = IA_NOTICE_BYTES_MAX;
    return ia_strndup(text, n > most ? ia_utf8_cut(text, most) : n);
}

void ia_phone_post(struct ia_phone *p, const struct ia_notice *notice, bool shown)
{
    struct ia_system *s = &p->system;
    if (s->notice_count == IA_NOTICES_MAX) {
        free_notice(s, 0);
    }
    struct ia_notice *n = &s->notices[s->notice_count++];
    *n = *notice;
    n->title = cut_text(notice->title);
    n->body = cut_text(notice->body);
    shown = shown && !ia_prefs_on(&p->prefs, IA_PREF_DO_NOT_DISTURB);
    s->banner_until_ms = shown ? p->now_ms + IA_BANNER_MS : 0;
}

/* "alert" is a text, or an object with title and body. */
void ia_phone_notify(struct ia_phone *p, int app, struct ia_str payload)
{
    json_t *o = json_loadb(payload.p, payload.n, 0, NULL);
    const json_t *alert = json_object_get(json_object_get(o, "aps"), "alert");
    const char *title = ia_json_text(alert, "title"), *body = ia_json_text(alert, "body");
    if (json_is_string(alert)) {
        body = json_string_value(alert);
    }
    struct ia_notice notice = {.app = app,
                               .title =
                                   (char *)(uintptr_t)(*title ? title : ia_apps[app]->name),
                               .body = (char *)(uintptr_t)body};
    /* One without an alert only changes the badge. */
    ia_phone_post(p, &notice, alert != NULL);
    json_decref(o);
}

const struct ia_notice *ia_phone_banner(const struct ia_phone *p)
{
    const struct ia_system *s = &p->system;
    bool shown = s->notice_count > 0 && p->now_ms < s->banner_until_ms;
    return shown ? &s->notices[s->notice_count - 1] : NULL;
}

bool ia_phone_take_banner(struct ia_phone *p, struct ia_notice *ret)
{
    const struct ia_notice *n = ia_phone_banner(p);
    if (n) {
        *ret = (struct ia_notice){.app = n->app, .arg = n->arg};
        free_notice(&p->system, p->system.notice_count - 1);
        p->system.banner_until_ms = 0;
    }
    return n != NULL;
}

/* ---- photos, pasteboard ------------------------------------------------------------------ */

void ia_system_add_media(struct ia_system *s, struct ia_str name, int64_t now_ms)
{
    if (s->media_count < IA_MEDIA_MAX) {
        s->media_ms[s->media_count] = now_ms;
        s->media[s->media_count++] = ia_strndup(name.p, name.n);
    }
}

void ia_system_set_pasteboard(struct ia_system *s, struct ia_str text)
{
    free(s->pasteboard);
    s->pasteboard = text.n > 0 ? ia_strndup(text.p, text.n) : NULL;
}

/* ---- the oracle -------------------------------------------------------------------------- */

/* Each service that a holder was asked for. */
static void holder_json(const struct ia_system *s, int holder, const char *bundle_id,
                        struct ia_jsonw *w)
{
    for (int i = 1; i < SERVICES_MAX; i++) {
        uint32_t bit = (uint32_t)1 << i;
        bool granted = s->permissions[holder].granted & bit;
        if (service_name(i) && (granted || (s->permissions[holder].denied & bit))) {
            ia_jsonw_object(w);
            ia_jsonw_kv(w, "app", bundle_id);
            ia_jsonw_kv(w, "service", service_name(i));
            ia_jsonw_kv_bool(w, "granted", granted);
            ia_jsonw_end_object(w);
        }
    }
}

static void privacy_json(const struct ia_phone *p, struct ia_jsonw *w)
{
    ia_jsonw_key(w, "privacy");
    ia_jsonw_array(w);
    for (int app = 0; app < p->app_count; app++) {
        holder_json(&p->system, app, ia_apps[app]->bundle_id, w);
    }
    holder_json(&p->system, IA_PERMISSIONS_NATIVE, IA_NATIVE_APP, w);
    ia_jsonw_end_array(w);
}

static void location_json(const struct ia_system *s, struct ia_jsonw *w)
{
    ia_jsonw_key(w, "location");
    if (!s->placed) {
        ia_jsonw_null(w);
        return;
    }
    ia_jsonw_object(w);
    ia_jsonw_kv_real(w, "latitude", s->location.latitude);
    ia_jsonw_kv_real(w, "longitude", s->location.longitude);
    ia_jsonw_end_object(w);
}

static void notices_json(const struct ia_system *s, struct ia_jsonw *w)
{
    ia_jsonw_key(w, "notifications");
    ia_jsonw_array(w);
    for (int i = 0; i < s->notice_count; i++) {
        ia_jsonw_object(w);
        ia_jsonw_kv(w, "app", ia_apps[s->notices[i].app]->bundle_id);
        ia_jsonw_kv(w, "title", s->notices[i].title);
        ia_jsonw_kv(w, "body", s->notices[i].body);
        ia_jsonw_end_object(w);
    }
    ia_jsonw_end_array(w);
}

void ia_phone_system_json(const struct ia_phone *p, struct ia_jsonw *w)
{
    const struct ia_system *s = &p->system;
    ia_jsonw_key(w, "status_bar");
    if (ia_status_bar_check(&s->bar, NULL) == IA_OK) {
        ia_status_bar_json(&s->bar, w);
    } else {
        ia_jsonw_null(w); /* nothing is overridden */
    }
    privacy_json(p, w);
    location_json(s, w);
    notices_json(s, w);
    ia_jsonw_kv_bool(w, "banner", ia_phone_banner(p) != NULL);
    ia_jsonw_key(w, "media");
    ia_jsonw_array(w);
    for (int i = 0; i < s->media_count; i++) {
        ia_jsonw_string(w, s->media[i]);
    }
    ia_jsonw_end_array(w);
    ia_jsonw_kv(w, "pasteboard", s->pasteboard ? s->pasteboard : "");
}
