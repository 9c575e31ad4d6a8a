/* apps.c: apps: starting, ending, which is in front; the home screen; URLs (FBSessionCommands.m,
 * FBCustomCommands.m).
 *
 * Where a device cannot tell an app's state, the app in front runs and of another nothing is known. */
#include "server/wda/wda_impl.h"

#include "base/clock.h"

#include <stdio.h>
#include <string.h>

static const char springboard[] = "com.apple.springboard";
enum { DEACTIVATE_S_MAX = 600 };

static enum ia_wda_error bundle_of(struct ia_wda_call *c, const char **ret)
{
    *ret = ia_json_text(c->body, "bundleId");
    return (*ret)[0] && strlen(*ret) < IA_WDA_APP_SIZE
               ? IA_WDA_OK
               : ia_wda_fail(c, IA_WDA_E_ARGUMENT, "'bundleId' must be a bundle id");
}

static const char *front(const struct ia_wda_call *c)
{
    const char *app = ia_tree_app(c->tree);
    return app ? app : springboard;
}

static enum ia_wda_error state_of(struct ia_wda_call *c, const char *app,
                                  enum ia_application_state *ret)
{
    enum ia_rc rc = ia_device_app_state(c->s->device, &c->deadline, app, ret, &c->err);
    if (rc != IA_E_UNSUPPORTED) {
        return ia_wda_result(rc);
    }
    enum ia_wda_error error = ia_wda_look(c);
    if (error == IA_WDA_OK) {
        *ret = strcmp(front(c), app) == 0 ? IA_APP_FRONT : IA_APP_UNKNOWN;
    }
    return error;
}

enum ia_wda_error ia_wda_app_state(struct ia_wda_call *c)
{
    const char *app;
    enum ia_application_state state = IA_APP_UNKNOWN;
    enum ia_wda_error error = bundle_of(c, &app);
    error = error == IA_WDA_OK ? state_of(c, app, &state) : error;
    if (error == IA_WDA_OK) {
        ia_jsonw_int(&c->w, state);
    }
    return error;
}

enum ia_wda_error ia_wda_launch_is_plain(struct ia_wda_call *c, const json_t *asked,
                                         enum ia_wda_error error)
{
    static const char *const names[] = {"arguments", "environment"};
    for (size_t i = 0; i < IA_COUNTOF(names); i++) {
        const json_t *value = json_object_get(asked, names[i]);
        if (json_array_size(value) > 0 || json_object_size(value) > 0) {
            return ia_wda_fail(c, error, "'%s': this device starts apps without any", names[i]);
        }
    }
    return IA_WDA_OK;
}

enum ia_wda_error ia_wda_app_launch(struct ia_wda_call *c)
{
    const char *app;
    enum ia_wda_error error = bundle_of(c, &app);
    error =
        error == IA_WDA_OK ? ia_wda_launch_is_plain(c, c->body, IA_WDA_E_UNSUPPORTED) : error;
    if (error != IA_WDA_OK) {
        return error;
    }
    enum ia_rc rc = ia_device_launch(c->s->device, &c->deadline, app, &c->err);
    if (rc == IA_OK && strcmp(app, c->s->app) == 0) {
        c->s->app_expected = true;
    }
    return ia_wda_result(rc);
}

/* Answers whether it ran. */
enum ia_wda_error ia_wda_app_terminate(struct ia_wda_call *c)
{
    const char *app;
    enum ia_application_state state = IA_APP_UNKNOWN;
    enum ia_wda_error error = bundle_of(c, &app);
    error = error == IA_WDA_OK ? state_of(c, app, &state) : error;
    if (error != IA_WDA_OK) {
        return error;
    }
    bool ran = state != IA_APP_NOT_RUNNING;
    enum ia_rc rc = ran ? ia_device_terminate(c->s->device, &c->deadline, app, &c->err) : IA_OK;
    if (strcmp(app, c->s->app) == 0) {
        c->s->app_expected = false;
    }
    if (rc == IA_OK || rc == IA_E_NO_APP) {
        ia_jsonw_bool(&c->w, ran && rc == IA_OK);
        rc = IA_OK;
    }
    return ia_wda_result(rc);
}

static void put_app(struct ia_wda_call *c, bool whole)
{
    const char *label = ia_tree_root(c->tree)->label;
    ia_jsonw_object(&c->w);
    ia_jsonw_kv_int(&c->w, "pid", IA_WDA_PROCESS_ID);
    ia_jsonw_kv(&c->w, "bundleId", front(c));
    if (whole) {
        ia_jsonw_kv(&c->w, "name", label ? label : "");
        ia_jsonw_key(&c->w, "processArguments");
        ia_jsonw_raw(&c->w, ia_str("{\"args\":[],\"env\":{}}"));
    }
    ia_jsonw_end_object(&c->w);
}

enum ia_wda_error ia_wda_app_active(struct ia_wda_call *c)
{
    enum ia_wda_error error = ia_wda_look(c);
    if (error == IA_WDA_OK) {
        put_app(c, true);
    }
    return error;
}

/* Those in front: one. */
enum ia_wda_error ia_wda_app_list(struct ia_wda_call *c)
{
    enum ia_wda_error error = ia_wda_look_at_device(c);
    if (error == IA_WDA_OK) {
        ia_jsonw_array(&c->w);
        put_app(c, false);
        ia_jsonw_end_array(&c->w);
    }
    return error;
}

enum ia_wda_error ia_wda_home(struct ia_wda_call *c)
{
    return ia_wda_did(c, ia_device_press(c->s->device, &c->deadline, IA_BUTTON_HOME, &c->err));
}

/* nums: "duration?": seconds until it comes back. */
enum ia_wda_error ia_wda_deactivate(struct ia_wda_call *c)
{
    char app[IA_WDA_APP_SIZE];
    double seconds = c->has[0] ? c->num[0] : 3;
    if (seconds < 0 || seconds > DEACTIVATE_S_MAX) {
        return ia_wda_fail(c, IA_WDA_E_ARGUMENT, "'duration' must be 0 to %d seconds",
                           DEACTIVATE_S_MAX);
    }
    enum ia_wda_error error = ia_wda_look(c);
    if (error != IA_WDA_OK) {
        return error;
    }
    (void)snprintf(app, sizeof(app), "%s", front(c));
    error = ia_wda_home(c);
    if (error != IA_WDA_OK) {
        return error;
    }
    int64_t until = ia_mono_us(ia_clock_system()) + (int64_t)(seconds * 1000000);
    enum ia_rc rc = ia_clock_wait(ia_clock_system(), c->deadline.cancel, until);
    c->deadline.at_us += (int64_t)(seconds * 1000000);
    if (rc == IA_OK && strcmp(app, springboard) != 0) {
        rc = ia_device_launch(c->s->device, &c->deadline, app, &c->err);
    }
    return ia_wda_result(rc);
}

enum ia_wda_error ia_wda_open_url(struct ia_wda_call *c)
{
    const char *url = ia_json_text(c->body, "url");
    enum ia_rc rc =
        url[0] ? ia_device_open_url(c->s->device, &c->deadline, url, &c->err) : IA_OK;
    return url[0] ? (rc == IA_OK ? IA_WDA_OK : IA_WDA_E_UNKNOWN)
                  : ia_wda_fail(c, IA_WDA_E_ARGUMENT, "'url' must be a URL");
}
