/* session.c: /status, the one session and its app (FBSessionCommands.m).
 *
 * WebDriverAgent has one session: a new one ends that which runs, with its app. */
#include "server/wda/wda_impl.h"

#include "base/rand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- state -------------------------------------------------------------------------------- */

void ia_wda_session_reset(struct ia_wda_server *s)
{
    json_decref(s->settings);
    s->settings = ia_wda_settings_new();
    ia_wda_elements_free(s->elements);
    s->elements = ia_wda_elements_new();
    s->app[0] = '\0';
    s->app_expected = s->app_ends = false;
}

void ia_wda_session_fini(struct ia_wda_server *s)
{
    json_decref(s->settings);
    ia_wda_elements_free(s->elements);
}

/* ---- /status ------------------------------------------------------------------------------ */

enum ia_wda_error ia_wda_nothing(struct ia_wda_call *c)
{
    (void)c;
    return IA_WDA_OK;
}

enum ia_wda_error ia_wda_health(struct ia_wda_call *c)
{
    ia_buf_puts(c->out, "I-AM-ALIVE");
    return IA_WDA_OK;
}

/* "18.5" of "iOS 18.5". */
static const char *version(const struct ia_wda_server *s)
{
    const char *space = strrchr(s->info.os, ' ');
    return space ? space + 1 : s->info.os;
}

static void put_os(struct ia_wda_call *c)
{
    ia_jsonw_key(&c->w, "os");
    ia_jsonw_object(&c->w);
    ia_jsonw_kv(&c->w, "name", "iOS");
    ia_jsonw_kv(&c->w, "version", version(c->s));
    ia_jsonw_kv(&c->w, "sdkVersion", version(c->s));
    ia_jsonw_kv_int(&c->w, "testmanagerdVersion", 65535);
    ia_jsonw_end_object(&c->w);
    ia_jsonw_key(&c->w, "ios");
    ia_jsonw_object(&c->w);
    ia_jsonw_kv(&c->w, "ip", NULL);
    ia_jsonw_kv(&c->w, "simulatorVersion", version(c->s));
    ia_jsonw_end_object(&c->w);
}

enum ia_wda_error ia_wda_status(struct ia_wda_call *c)
{
    struct ia_jsonw *w = &c->w;
    char message[IA_DEVICE_NAME_MAX + 96];
    (void)snprintf(message, sizeof(message), "ready to accept commands: %s%s", c->s->info.name,
                   c->s->info.simulated ? ", simulated by ios-agent" : ", by ios-agent");
    ia_jsonw_object(w);
    ia_jsonw_kv_bool(w, "ready", true);
    ia_jsonw_kv(w, "message", message);
    ia_jsonw_kv(w, "state", "success");
    put_os(c);
    ia_jsonw_key(w, "build");
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "time", "Jan  1 2026 00:00:00");
    ia_jsonw_kv(w, "version", "16.12.9"); /* whose answers these follow */
    ia_jsonw_kv(w, "productBundleIdentifier",
                c->s->info.simulated ? "ios-agent.embedded" : "ios-agent");
    ia_jsonw_end_object(w);
    ia_jsonw_kv(w, "device", "iphone");
    ia_jsonw_end_object(w);
    return IA_WDA_OK;
}

/* ---- the session -------------------------------------------------------------------------- */

/* Ends what the session leaves behind. Its failure is nobody's: the app may be gone. */
static void leave(struct ia_wda_call *c)
{
    struct ia_wda_server *s = c->s;
    if (s->app[0] && s->app_ends) {
        (void)ia_device_terminate(s->device, &c->deadline, s->app, NULL);
    }
    ia_wda_session_reset(s);
}

static bool is_another(struct ia_wda_server *s)
{
    pthread_mutex_lock(&s->lock);
    bool is = s->session[0] != '\0';
    pthread_mutex_unlock(&s->lock);
    return is;
}

/* One that was created while this call waited has left the old one behind; what is there is its own. */
enum ia_wda_error ia_wda_session_end(struct ia_wda_call *c)
{
    if (!is_another(c->s)) {
        leave(c);
    }
    return IA_WDA_OK;
}

static void put_session(struct ia_wda_call *c, const char *id)
{
    ia_jsonw_object(&c->w);
    ia_jsonw_kv(&c->w, "sessionId", id);
    ia_jsonw_key(&c->w, "capabilities");
    ia_jsonw_object(&c->w);
    ia_jsonw_kv(&c->w, "device", "iphone");
    ia_jsonw_kv(&c->w, "browserName", c->s->app);
    ia_jsonw_kv(&c->w, "sdkVersion", version(c->s));
    ia_jsonw_kv(&c->w, "CFBundleIdentifier", c->s->app);
    ia_jsonw_end_object(&c->w);
    ia_jsonw_end_object(&c->w);
}

enum ia_wda_error ia_wda_session_get(struct ia_wda_call *c)
{
    put_session(c, c->session);
    return IA_WDA_OK;
}

/* ---- capabilities (FBProtocolHelpers.m) --------------------------------------------------- */

/* Without "appium:"; NULL for a standard one, which must not have it. */
static const char *own_name(const char *name)
{
    static const char prefix[] = "appium:";
    static const char *const standard[] = {
        "browserName",         "browserVersion",   "platformName",
        "acceptInsecureCerts", "pageLoadStrategy", "proxy",
        "setWindowRect",       "timeouts",         "unhandledPromptBehavior"};
    if (strncmp(name, prefix, sizeof(prefix) - 1) != 0) {
        return name;
    }
    name += sizeof(prefix) - 1;
    for (size_t i = 0; i < IA_COUNTOF(standard); i++) {
        if (strcmp(name, standard[i]) == 0) {
            return NULL;
        }
    }
    return name;
}

/* Those of a set under their own names, owned; NULL where one is none. */
static json_t *own_names(struct ia_wda_call *c, json_t *set)
{
    json_t *own = json_object();
    const char *key;
    json_t *value;
    json_object_foreach(set, key, value)
    {
        const char *name = own_name(key);
        if (!name) {
            (void)ia_wda_fail(c, IA_WDA_E_NOT_CREATED,
                              "'%.60s' is standard and must not have the prefix 'appium:'",
                              key);
            json_decref(own);
            return NULL;
        }
        (void)json_object_set(own, name, value);
    }
    return own;
}

static bool any_of_both(const json_t *a, json_t *b)
{
    const char *key;
    json_t *value;
    json_object_foreach(b, key, value)
    {
        if (json_object_get(a, key)) {
            return true;
        }
    }
    return false;
}

/* The body's capabilities become one set: alwaysMatch, and the first of firstMatch that has none of its
 * names. */
static enum ia_wda_error match(struct ia_wda_call *c)
{
    const json_t *asked = json_object_get(c->body, "capabilities");
    const json_t *sets = json_object_get(asked, "firstMatch");
    size_t n = json_array_size(sets);
    json_t *always = own_names(c, json_object_get(asked, "alwaysMatch"));
    json_t *first = NULL;
    bool matched = false;
    for (size_t i = 0; always && !matched && i < (n ? n : 1); i++) {
        json_decref(first);
        first = own_names(c, json_array_get(sets, i));
        if (!first) {
            break;
        }
        matched = !any_of_both(always, first);
    }
    if (matched) {
        (void)json_object_update(always, first);
        (void)json_object_set(c->body, "capabilities", always);
    } else if (first) {
        (void)ia_wda_fail(c, IA_WDA_E_NOT_CREATED,
                          "a capability of 'alwaysMatch' is in every set of 'firstMatch' too");
    }
    json_decref(always);
    json_decref(first);
    return matched ? IA_WDA_OK : IA_WDA_E_NOT_CREATED;
}

/* Of that set. */
static json_t *capability(const struct ia_wda_call *c, const char *name)
{
    return json_object_get(json_object_get(c->body, "capabilities"), name);
}

static bool truth(const json_t *value, bool absent)
{
    return json_is_boolean(value) ? json_is_true(value) : absent;
}

/* *ret is NULL where there is none. */
static enum ia_wda_error text_capability(struct ia_wda_call *c, const char *name,
                                         const char **ret)
{
    const json_t *value = capability(c, name);
    *ret = json_string_value(value);
    return *ret || !value || json_is_null(value)
               ? IA_WDA_OK
               : ia_wda_fail(c, IA_WDA_E_NOT_CREATED, "'%s' must be a text", name);
}

static enum ia_rc launch(struct ia_wda_call *c)
{
    struct ia_wda_server *s = c->s;
    /* "shouldTerminateApp": the app goes with its session; "forceAppLaunch": one that runs starts anew. */
    if (truth(capability(c, "forceAppLaunch"), true)) {
        (void)ia_device_terminate(s->device, &c->deadline, s->app, NULL);
    }
    return ia_device_launch(s->device, &c->deadline, s->app, &c->err);
}

static enum ia_wda_error start_app(struct ia_wda_call *c, const char *bundle_id)
{
    struct ia_wda_server *s = c->s;
    if (strlen(bundle_id) >= sizeof(s->app)) {
        return ia_wda_fail(c, IA_WDA_E_NOT_CREATED, "'bundleId' is too long");
    }
    enum ia_wda_error error = ia_wda_launch_is_plain(
        c, json_object_get(c->body, "capabilities"), IA_WDA_E_NOT_CREATED);
    if (error != IA_WDA_OK) {
        return error;
    }
    (void)snprintf(s->app, sizeof(s->app), "%s", bundle_id);
    if (launch(c) != IA_OK) {
        struct ia_err why = c->err;
        s->app[0] = '\0';
        return ia_wda_fail(c, IA_WDA_E_NOT_CREATED,
                           "Cannot launch %s application. Make sure the correct bundle "
                           "identifier has been provided in capabilities: %s",
                           bundle_id, why.msg);
    }
    s->app_expected = true;
    s->app_ends = truth(capability(c, "shouldTerminateApp"), true);
    return IA_WDA_OK;
}

static enum ia_wda_error open_first(struct ia_wda_call *c, const char *url)
{
    if (!url || ia_device_open_url(c->s->device, &c->deadline, url, &c->err) == IA_OK) {
        return IA_WDA_OK;
    }
    leave(c);
    return IA_WDA_E_NOT_CREATED;
}

/* A session begins with those settings that its capabilities have (FBSessionCommands.m). */
static enum ia_wda_error set_from_capabilities(struct ia_wda_call *c)
{
    static const char *const names[] = {"defaultAlertAction", "shouldUseCompactResponses",
                                        "elementResponseAttributes", "maxTypingFrequency",
                                        "waitForIdleTimeout"};
    enum ia_wda_error error = IA_WDA_OK;
    for (size_t i = 0; error == IA_WDA_OK && i < IA_COUNTOF(names); i++) {
        json_t *value = capability(c, names[i]);
        error = value ? ia_wda_set(c, names[i], value, IA_WDA_E_NOT_CREATED) : error;
    }
    return error;
}

enum ia_wda_error ia_wda_session_create(struct ia_wda_call *c)
{
    struct ia_wda_server *s = c->s;
    char id[IA_WDA_UID_SIZE] = "";
    const char *app = NULL;
    const char *url = NULL;
    ia_wda_session_set(s, id);
    leave(c);
    if (!json_is_object(json_object_get(c->body, "capabilities"))) {
        return ia_wda_fail(c, IA_WDA_E_NOT_CREATED,
                           "'capabilities' is mandatory to create a new session");
    }
    enum ia_wda_error error = match(c);
    error = error == IA_WDA_OK ? set_from_capabilities(c) : error;
    error = error == IA_WDA_OK ? text_capability(c, "bundleId", &app) : error;
    error = error == IA_WDA_OK ? text_capability(c, "initialUrl", &url) : error;
    error = error == IA_WDA_OK && app && app[0] ? start_app(c, app) : error;
    error = error == IA_WDA_OK ? open_first(c, url) : error;
    if (error == IA_WDA_OK) {
        ia_id_new(ia_clock_system(), ia_rand_system(), id);
        ia_wda_session_set(s, id);
        put_session(c, id);
    }
    return error;
}
