/* facts.c: what the bridge's core asks of a device that never changes or changes by itself: screen,
 * apps, alert, keyboard. */
#include "driver/embedded/serve/impl.h"

#include <string.h>

const char *ia_serve_front(struct ia_serve *s)
{
    struct ia_embedded_app app;
    for (int i = 0; ia_embedded_device_app(s->phone, i, &app); i++) {
        if (app.front) {
            return app.bundle_id;
        }
    }
    return IA_SERVE_SPRINGBOARD;
}

const char *ia_serve_app(struct ia_serve *s, const char *bundle_id)
{
    if (bundle_id[0] != '\0') {
        return bundle_id;
    }
    return s->target[0] != '\0' ? s->target : ia_serve_front(s);
}

static bool find_app(struct ia_serve *s, const char *bundle_id, struct ia_embedded_app *ret)
{
    for (int i = 0; ia_embedded_device_app(s->phone, i, ret); i++) {
        if (strcmp(ret->bundle_id, bundle_id) == 0) {
            return true;
        }
    }
    return false;
}

bool ia_serve_installed(struct ia_serve *s, const char *bundle_id)
{
    struct ia_embedded_app app;
    return strcmp(bundle_id, IA_SERVE_SPRINGBOARD) == 0 || find_app(s, bundle_id, &app);
}

/* Apps behind are frozen between the calls, yet keep what they show. */
enum ia_wire_app_state ia_serve_state(struct ia_serve *s, const char *bundle_id)
{
    struct ia_embedded_app app;
    if (strcmp(bundle_id, ia_serve_front(s)) == 0) {
        return IA_WIRE_APP_FOREGROUND;
    }
    if (strcmp(bundle_id, IA_SERVE_SPRINGBOARD) == 0) {
        return IA_WIRE_APP_BACKGROUND;
    }
    if (!find_app(s, bundle_id, &app)) {
        return IA_WIRE_APP_UNKNOWN;
    }
    return app.running ? IA_WIRE_APP_SUSPENDED : IA_WIRE_APP_NOT_RUNNING;
}

static const char *name_of(struct ia_serve *s, const char *bundle_id)
{
    struct ia_embedded_app app;
    return find_app(s, bundle_id, &app) ? app.name : "Home Screen";
}

uint8_t ia_serve_orientation(struct ia_device *phone)
{
    static const uint8_t modes[] = {[IA_PORTRAIT] = IA_WIRE_PORTRAIT,
                                    [IA_LANDSCAPE_LEFT] = IA_WIRE_LANDSCAPE_LEFT,
                                    [IA_LANDSCAPE_RIGHT] = IA_WIRE_LANDSCAPE_RIGHT};
    return modes[ia_embedded_device_orientation(phone)];
}

void ia_serve_info(struct ia_serve *s, struct ia_wire_reply *reply)
{
    static const char *const notes[] = {
        "simulated by this program: not an Apple simulator or device",
        "its clock advances with each call: there is nothing to wait for",
        "only some of its apps rotate, it has no pasteboard, and takes one finger",
    };
    struct ia_device_info info;
    struct ia_err err = {0};
    if (ia_device_info(s->phone, &info, &err) != IA_OK) {
        ia_serve_refuse(reply, &err);
        return;
    }
    const char *target = ia_serve_app(s, "");
    struct ia_wire_arena *a = &reply->arena;
    reply->u.info = (struct ia_wire_info_reply){
        .kind = ia_wire_str(a, info.kind),
        .name = ia_wire_str(a, info.name),
        .os = ia_wire_str(a, info.os),
        .udid = ia_wire_str(a, info.id),
        .width_pt = info.width_pt,
        .height_pt = info.height_pt,
        .scale = info.scale,
        .orientation = ia_serve_orientation(s->phone),
        .bundle_id = ia_wire_str(a, target),
        .app_name = ia_wire_str(a, name_of(s, target)),
        .app_state = (uint8_t)ia_serve_state(s, target),
        .notes = notes,
        .notes_n = IA_COUNTOF(notes),
    };
    ia_wire_reply_ok(reply, false);
}

void ia_serve_apps(struct ia_serve *s, struct ia_wire_reply *reply)
{
    struct ia_embedded_app app;
    uint32_t n = 0;
    while (ia_embedded_device_app(s->phone, (int)n, &app)) {
        n++;
    }
    struct ia_wire_app *list = ia_wire_alloc(&reply->arena, n * sizeof(*list));
    for (uint32_t i = 0; list && i < n; i++) {
        (void)ia_embedded_device_app(s->phone, (int)i, &app);
        list[i] = (struct ia_wire_app){
            .bundle_id = ia_wire_str(&reply->arena, app.bundle_id),
            .name = ia_wire_str(&reply->arena, app.name),
            .state = (uint8_t)ia_serve_state(s, app.bundle_id),
        };
    }
    reply->u.apps = (struct ia_wire_apps_reply){.apps = list, .apps_n = list ? n : 0};
    ia_wire_reply_ok(reply, false);
}

static const char *const *copy_buttons(struct ia_wire_arena *a,
                                       const struct ia_embedded_alert *alert)
{
    const char **buttons =
        ia_wire_alloc(a, (size_t)alert->buttons_n * sizeof(*buttons)); /* NULL sets failed */
    for (int i = 0; buttons && i < alert->buttons_n; i++) {
        buttons[i] = ia_wire_str(a, alert->buttons[i]);
    }
    return (const char *const *)buttons;
}

void ia_serve_alerts(struct ia_serve *s, struct ia_wire_reply *reply)
{
    struct ia_embedded_alert alert;
    reply->u.alerts = (struct ia_wire_alerts_reply){.alerts_n = 0};
    struct ia_wire_alert *shown = NULL;
    if (ia_embedded_device_alert(s->phone, &alert)) {
        shown = ia_wire_alloc(&reply->arena, sizeof(*shown));
    }
    if (shown) {
        const char *const *buttons = copy_buttons(&reply->arena, &alert);
        *shown = (struct ia_wire_alert){
            .owner = alert.system ? IA_WIRE_OWNER_SYSTEM : IA_WIRE_OWNER_APP,
            .title = ia_wire_str(&reply->arena, alert.title),
            .text = ia_wire_str(&reply->arena, alert.message),
            .buttons = buttons,
            .buttons_n = buttons ? (uint32_t)alert.buttons_n : 0,
            .frame = {alert.frame.x, alert.frame.y, alert.frame.w, alert.frame.h},
        };
        reply->u.alerts = (struct ia_wire_alerts_reply){.alerts = shown, .alerts_n = 1};
    }
    ia_wire_reply_ok(reply, false);
}
