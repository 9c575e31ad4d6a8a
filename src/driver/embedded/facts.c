/* facts.c: what a server of a phone reports beyond the device vtable: apps, the alert, appearance. */
#include "driver/embedded/embedded.h"

#include "driver/embedded/impl.h"
#include "driver/embedded/phone/phone.h"

#include <string.h>

_Static_assert((int)IA_EMBEDDED_BUTTONS_MAX == (int)IA_ALERT_BUTTONS_MAX, "one cap");

bool ia_embedded_device_app(struct ia_device *d, int i, struct ia_embedded_app *ret)
{
    const struct ia_phone *p = ia_embedded_phone(d);
    if (i < 0 || i >= p->app_count) {
        return false;
    }
    *ret = (struct ia_embedded_app){.bundle_id = ia_apps[i]->bundle_id,
                                    .name = ia_apps[i]->name,
                                    .running = p->apps[i].running,
                                    .front = !p->locked && p->foreground == i};
    return true;
}

/* A sheet's Cancel button stands below the others. */
static void put_buttons(const struct ia_alert *alert, struct ia_embedded_alert *ret)
{
    for (int last = 0; last < 2; last++) {
        for (int i = 0; i < ia_alert_count(alert); i++) {
            bool below = alert->action_sheet && alert->buttons[i].role == IA_ALERT_CANCEL;
            if (below == (last != 0)) {
                ret->buttons[ret->buttons_n++] = alert->buttons[i].label;
            }
        }
    }
}

/* The scene's own: alerts are drawn after everything but the home indicator. */
static struct ia_rect frame_of(const struct ia_phone *p, const struct ia_alert *alert)
{
    struct ia_rect frame = {0};
    struct ia_scene s;
    ia_phone_scene(p, &s);
    uint8_t type = alert->action_sheet ? IA_EL_SHEET : IA_EL_ALERT;
    for (int32_t i = s.count - 1; i >= 0; i--) {
        const struct ia_view *v = &s.views[i];
        if (v->type == type) {
            frame = (struct ia_rect){v->x, v->y, v->w, v->h};
            break;
        }
    }
    ia_scene_fini(&s);
    return frame;
}

bool ia_embedded_device_alert(struct ia_device *d, struct ia_embedded_alert *ret)
{
    const struct ia_phone *p = ia_embedded_phone(d);
    const struct ia_alert *alert = ia_alert_shown(p);
    if (!alert) {
        return false;
    }
    *ret = (struct ia_embedded_alert){
        .system = alert == p->system_alert,
        .title = alert->title,
        .message = alert->message,
        .accept = alert->buttons[ia_alert_accept_index(alert)].label,
        .dismiss = alert->buttons[ia_alert_dismiss_index(alert)].label,
        .frame = frame_of(p, alert),
    };
    put_buttons(alert, ret);
    return true;
}

enum ia_orientation ia_embedded_device_orientation(struct ia_device *d)
{
    return ia_phone_orientation(ia_embedded_phone(d));
}

bool ia_embedded_device_dark(struct ia_device *d)
{
    return ia_prefs_on(&ia_embedded_phone(d)->prefs, IA_PREF_DARK_APPEARANCE);
}

enum ia_rc ia_embedded_device_set_dark(struct ia_device *d, const struct ia_deadline *deadline,
                                       bool dark, struct ia_err *err)
{
    struct ia_op op = {.kind = IA_OP_APPEARANCE, .n = dark};
    return ia_embedded_submit(d, deadline, &op, err);
}

/* Apps behind are frozen between the calls. The home screen is an app that always runs. */
static enum ia_application_state state_of(struct ia_device *d, const char *bundle_id)
{
    struct ia_embedded_app app;
    bool home = true;
    enum ia_application_state state = IA_APP_UNKNOWN;
    for (int i = 0; ia_embedded_device_app(d, i, &app); i++) {
        home = home && !app.front;
        if (strcmp(app.bundle_id, bundle_id) == 0) {
            state = app.front     ? IA_APP_FRONT
                    : app.running ? IA_APP_SUSPENDED
                                  : IA_APP_NOT_RUNNING;
        }
    }
    bool springboard = strcmp(bundle_id, "com.apple.springboard") == 0;
    return !springboard ? state : home ? IA_APP_FRONT : IA_APP_BACKGROUND;
}

enum ia_rc ia_embedded_app_state(struct ia_device *d, const struct ia_deadline *deadline,
                                 const char *bundle_id, enum ia_application_state *ret_state,
                                 struct ia_err *err)
{
    enum ia_rc rc = ia_embedded_begin(d, deadline, err);
    if (rc == IA_OK) {
        *ret_state = state_of(d, bundle_id);
    }
    return rc;
}

enum ia_rc ia_embedded_appearance(struct ia_device *d, const struct ia_deadline *deadline,
                                  const bool *set_dark, bool *ret_dark, struct ia_err *err)
{
    enum ia_rc rc = set_dark ? ia_embedded_device_set_dark(d, deadline, *set_dark, err)
                             : ia_embedded_begin(d, deadline, err);
    if (rc == IA_OK) {
        *ret_dark = ia_embedded_device_dark(d);
    }
    return rc;
}

enum ia_rc ia_embedded_locked(struct ia_device *d, const struct ia_deadline *deadline,
                              bool *ret_locked, struct ia_err *err)
{
    enum ia_rc rc = ia_embedded_begin(d, deadline, err);
    if (rc == IA_OK) {
        *ret_locked = ia_embedded_phone(d)->locked;
    }
    return rc;
}
