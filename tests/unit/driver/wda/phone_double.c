/* phone_double.c: a request has the name that WebDriverAgent knows it by: method and path without the session,
 * query and element ("GET /element/ID/rect"). What comes as "mobile: X" through Appium has the name of
 * what Appium makes of it. */
#include "phone_double.h"

#include "test.h"

#include "base/clock.h"

#include <strings.h>

#define APP                                                                                    \
    "<?xml version='1.0' encoding='UTF-8'?>\n"                                                 \
    "<XCUIElementTypeApplication type='XCUIElementTypeApplication' name='Notes' "              \
    "label='Notes' enabled='true' visible='true' x='0' y='0' width='390' height='844' "        \
    "index='0' bundleId='com.example.notes'>"                                                  \
    "<XCUIElementTypeButton type='XCUIElementTypeButton' name='add' label='Add' "              \
    "enabled='true' visible='true' x='10' y='20' width='30' height='40' index='0'/>"           \
    "</XCUIElementTypeApplication>"

/* What Appium's driver makes of "mobile: NAME". */
static const struct {
    const char *script, *name;
} scripts[] = {
    {"deviceScreenInfo", "GET /wda/screen"},
    {"deviceInfo", "GET /wda/device/info"},
    {"tap", "POST /wda/tap"},
    {"touchAndHold", "POST /wda/touchAndHold"},
    {"pressButton", "POST /wda/pressButton"},
    {"lock", "POST /wda/lock"},
    {"pinch", "POST /wda/pinch"},
    {"setSimulatedLocation", "POST /wda/simulatedLocation"},
    {"resetSimulatedLocation", "DELETE /wda/simulatedLocation"},
    {"activateApp", "POST /wda/apps/activate"},
    {"queryAppState", "POST /wda/apps/state"},
    {"terminateApp", "POST /wda/apps/terminate"},
    {"deepLink", "POST /url"},
};

struct seen {
    char name[600];
    json_t *args; /* borrowed from doc */
    json_t *doc;
};

static void name_script(struct seen *s)
{
    const char *script = json_string_value(json_object_get(s->doc, "script"));
    s->args = json_array_get(json_object_get(s->doc, "args"), 0);
    assert_non_null(script);
    assert_true(strncmp(script, "mobile: ", 8) == 0);
    for (size_t i = 0; i < IA_COUNTOF(scripts); i++) {
        if (strcmp(scripts[i].script, script + 8) == 0) {
            (void)snprintf(s->name, sizeof(s->name), "%s", scripts[i].name);
            return;
        }
    }
    assert_string_equal(script, "mobile: alert");
    const char *action = json_string_value(json_object_get(s->args, "action"));
    bool asks = strcmp(action, "getButtons") == 0;
    (void)snprintf(s->name, sizeof(s->name), asks ? "GET /wda/alert/buttons" : "POST /alert/%s",
                   action);
}

static struct seen see(const struct peer_request *r)
{
    struct seen s = {.doc = r->body[0] != '\0' ? json_loads(r->body, 0, NULL) : NULL};
    const char *path = r->path;
    size_t n = strncmp(path, "/session/", 9) == 0 ? 9 + strcspn(path + 9, "/?") : 0;
    path += n;
    int shown = (int)strcspn(path, "?");
    s.args = s.doc;
    assert_true(r->body[0] == '\0' || s.doc);
    if (n > 0 && strcmp(path, "/execute/sync") == 0) {
        assert_string_equal(r->method, "POST");
        name_script(&s);
    } else if (n > 0 && shown == 0) {
        (void)snprintf(s.name, sizeof(s.name), "%s session", r->method);
    } else {
        (void)snprintf(s.name, sizeof(s.name), "%s %.*s", r->method, shown, path);
    }
    return s;
}

/* ---- answers ---------------------------------------------------------------------------- */

static void value(struct phone_double *p, struct peer_reply *ret, json_t *v)
{
    json_t *all = json_pack("{s:o, s:o}", "value", v, "sessionId",
                            p->session[0] ? json_string(p->session) : json_null());
    char *text = json_dumps(all, JSON_COMPACT);
    ia_buf_puts(&ret->body, text);
    free(text);
    json_decref(all);
}

static void error(struct phone_double *p, struct peer_reply *ret, int status, const char *name,
                  const char *message)
{
    ret->status = status;
    value(p, ret,
          json_pack("{s:s, s:s, s:s}", "error", name, "message", message,
                    p->appium ? "stacktrace" : "traceback", ""));
}

static void say_status(struct phone_double *p, struct peer_reply *ret, const struct seen *s)
{
    (void)s;
    value(p, ret,
          p->appium ? json_pack("{s:b, s:s, s:{s:s}}", "ready", 1, "message",
                                "The server is ready to accept new connections", "build",
                                "version", "3.8.0")
                    : json_pack("{s:b, s:s, s:s, s:{s:s, s:s}, s:{s:n}, s:{s:s, s:s}}", "ready",
                                1, "message", "WebDriverAgent is ready to accept commands",
                                "state", "success", "os", "name", "iOS", "version", "18.5",
                                "ios", "ip", "build", "productBundleIdentifier",
                                "com.facebook.WebDriverAgentRunner", "version", "16.12.9"));
}

static void create(struct phone_double *p, struct peer_reply *ret, const struct seen *s)
{
    json_t *caps = json_object_get(json_object_get(s->args, "capabilities"), "alwaysMatch");
    assert_non_null(caps);
    json_t *depth = json_object_get(caps, "appium:settings[snapshotMaxDepth]");
    json_t *attributes = json_object_get(caps, "elementResponseAttributes");
    (void)json_object_set_new(p->settings, "elementResponseAttributes",
                              attributes ? json_incref(attributes) : json_string("type,label"));
    if (depth) { /* Appium passes it on */
        (void)json_object_set(p->settings, "snapshotMaxDepth", depth);
    }
    (void)snprintf(p->session, sizeof(p->session), "A0000000-0000-0000-0000-%012d",
                   ++p->sessions);
    value(p, ret,
          json_pack("{s:s, s:{s:s, s:s}}", "sessionId", p->session, "capabilities", "device",
                    "iphone", p->appium ? "platformVersion" : "sdkVersion", "18.5"));
}

static void delete (struct phone_double *p, struct peer_reply *ret, const struct seen *s)
{
    (void)s;
    p->session[0] = '\0';
    value(p, ret, json_null());
}

static void say_settings(struct phone_double *p, struct peer_reply *ret, const struct seen *s)
{
    (void)s;
    value(p, ret, json_incref(p->settings));
}

static void set(struct phone_double *p, struct peer_reply *ret, const struct seen *s)
{
    assert_int_equal(json_object_update(p->settings, json_object_get(s->args, "settings")), 0);
    value(p, ret, json_incref(p->settings));
}

static void say_screen(struct phone_double *p, struct peer_reply *ret, const struct seen *s)
{
    (void)s;
    value(p, ret,
          json_pack("{s:{s:i, s:i}, s:i}", "screenSize", "width", 390, "height", 844, "scale",
                    3));
}

static void say_info(struct phone_double *p, struct peer_reply *ret, const struct seen *s)
{
    (void)s;
    value(p, ret, json_pack("{s:s, s:b}", "name", "Ada's iPhone", "isSimulator", 0));
}

static void say_source(struct phone_double *p, struct peer_reply *ret, const struct seen *s)
{
    (void)s;
    const char *app =
        json_string_value(json_object_get(p->settings, "defaultActiveApplication"));
    bool system = app && strcmp(app, "com.apple.springboard") == 0;
    int depth = (int)json_integer_value(json_object_get(p->settings, "snapshotMaxDepth"));
    if (p->clock) {
        ia_vclock_advance(p->clock, INT64_C(1000) * p->slow_ms);
    }
    if (p->deepest > 0 && depth > p->deepest) {
        error(p, ret, 404, "stale element reference",
              "The previously found element \"Application\" is not present in the current view "
              "anymore. Original error: Error kAXErrorIllegalArgument getting snapshot");
        return;
    }
    value(p, ret, json_string(system ? p->system : p->app));
}

static void say_shot(struct phone_double *p, struct peer_reply *ret, const struct seen *s)
{
    (void)s;
    value(p, ret,
          json_string("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhf"
                      "DwAChwGA60e6kgAAAABJRU5ErkJggg=="));
}

static void say_buttons(struct phone_double *p, struct peer_reply *ret, const struct seen *s)
{
    (void)s;
    if (p->buttons) {
        value(p, ret, json_loads(p->buttons, 0, NULL));
    } else {
        error(p, ret, 404, "no such alert",
              "An attempt was made to operate on a modal dialog when one was not open");
    }
}

static void say_active(struct phone_double *p, struct peer_reply *ret, const struct seen *s)
{
    (void)s;
    if (p->focus) {
        value(p, ret,
              json_pack("{s:s, s:s}", "element-6066-11e4-a52e-4f735466cecf", "E-1", "ELEMENT",
                        "E-1"));
    } else {
        error(p, ret, 404, "no such element", "no element has the keyboard focus");
    }
}

static void say_rect(struct phone_double *p, struct peer_reply *ret, const struct seen *s)
{
    (void)s;
    value(p, ret, json_loads(p->focus, 0, NULL));
}

static void say_state(struct phone_double *p, struct peer_reply *ret, const struct seen *s)
{
    assert_non_null(json_object_get(s->args, "bundleId"));
    value(p, ret, json_integer(p->app_state));
}

static void say_true(struct phone_double *p, struct peer_reply *ret, const struct seen *s)
{
    (void)s;
    value(p, ret, json_true());
}

static void say_pasteboard(struct phone_double *p, struct peer_reply *ret, const struct seen *s)
{
    (void)s;
    value(p, ret, json_string(p->pasteboard));
}

/* What else there is answers null. */
static void say_nothing(struct phone_double *p, struct peer_reply *ret, const struct seen *s)
{
    (void)s;
    value(p, ret, json_null());
}

static const struct {
    const char *name;
    void (*say)(struct phone_double *, struct peer_reply *, const struct seen *);
    bool bare;
} known[] = {
    {"GET /status", say_status, true},
    {"POST /session", create, true},
    {"DELETE session", delete, false},
    {"GET /appium/settings", say_settings, false},
    {"POST /appium/settings", set, false},
    {"GET /wda/screen", say_screen, false},
    {"GET /wda/device/info", say_info, false},
    {"GET /source", say_source, false},
    {"GET /screenshot", say_shot, false},
    {"POST /appium/device/set_clipboard", say_nothing, false},
    {"POST /appium/device/get_clipboard", say_pasteboard, false},
    {"GET /wda/alert/buttons", say_buttons, false},
    {"GET /element/active", say_active, false},
    {"GET /element/E-1/rect", say_rect, false},
    {"POST /wda/apps/state", say_state, false},
    {"POST /wda/apps/terminate", say_true, false},
    {"POST /wda/getPasteboard", say_pasteboard, false},
    {"POST /wda/tap", say_nothing, false},
    {"POST /wda/touchAndHold", say_nothing, false},
    {"POST /actions", say_nothing, false},
    {"POST /wda/keys", say_nothing, false},
    {"POST /wda/pressButton", say_nothing, false},
    {"POST /wda/lock", say_nothing, false},
    {"POST /wda/pinch", say_nothing, false},
    {"POST /wda/simulatedLocation", say_nothing, false},
    {"DELETE /wda/simulatedLocation", say_nothing, false},
    {"POST /wda/apps/activate", say_nothing, false},
    {"POST /url", say_nothing, false},
    {"POST /alert/accept", say_nothing, false},
    {"POST /alert/dismiss", say_nothing, false},
    {"POST /orientation", say_nothing, false},
    {"POST /wda/setPasteboard", say_nothing, false},
};

static void usual(struct phone_double *p, const struct peer_request *r, const struct seen *s,
                  struct peer_reply *ret)
{
    size_t i = 0;
    while (i < IA_COUNTOF(known) && strcmp(known[i].name, s->name) != 0) {
        i++;
    }
    if (i == IA_COUNTOF(known)) {
        error(p, ret, 404, "unknown command", s->name);
        return;
    }
    size_t n = strlen(p->session);
    bool ours = n > 0 && strncmp(r->path, "/session/", 9) == 0 &&
                strncmp(r->path + 9, p->session, n) == 0;
    if (known[i].bare || ours) {
        known[i].say(p, ret, s);
    } else {
        error(p, ret, 404, "invalid session id", "Session does not exist");
    }
}

static void answer(void *ctx, const struct peer_request *r, struct peer_reply *ret)
{
    struct phone_double *p = ctx;
    struct seen s = see(r);
    struct trouble *t = &p->trouble;
    bool hit = t->on && strcmp(t->on, s.name) == 0;
    if (!hit || t->status == 0) {
        usual(p, r, &s, ret);
    }
    if (hit) {
        ret->how = t->how;
        if (t->status != 0) {
            ret->status = t->status;
            ret->type = t->type;
            ia_buf_puts(&ret->body, t->body);
        }
        t->on = t->times > 0 && --t->times == 0 ? NULL : t->on;
    }
    json_decref(s.doc);
}

/* ---- the test's side -------------------------------------------------------------------- */

void double_start(struct phone_double *p, bool appium)
{
    *p = (struct phone_double){.appium = appium, .app = APP, .system = APP, .app_state = 4};
    p->settings = json_loads("{\"snapshotMaxDepth\":50,\"animationCoolOffTimeout\":2,"
                             "\"waitForIdleTimeout\":10,\"useClearTextShortcut\":true,"
                             "\"keyboardAutocorrection\":1,\"keyboardPrediction\":1,"
                             "\"screenshotQuality\":3,\"defaultActiveApplication\":\"auto\","
                             "\"elementResponseAttributes\":\"type,label\","
                             "\"mjpegServerFramerate\":10}",
                             0, NULL);
    p->pasteboard = "";
    p->peer = peer_start(NULL, answer, p);
}

void double_stop(struct phone_double *p)
{
    peer_stop(p->peer);
    json_decref(p->settings);
}

enum ia_rc double_try(struct phone_double *p, struct ia_wda_options opt, struct ia_device **ret,
                      struct ia_err *err)
{
    opt.url = opt.url ? opt.url : peer_url(p->peer);
    opt.lane = "wda:test";
    return ia_wda_open(&opt, NULL, ret, err);
}

struct ia_device *double_open(struct phone_double *p, struct ia_wda_options opt)
{
    struct ia_device *d = NULL;
    struct ia_err err = {0};
    if (double_try(p, opt, &d, &err) != IA_OK) {
        fail_msg("%s (%s)", err.msg, err.hint);
    }
    return d;
}

size_t double_count(struct phone_double *p, const char *name)
{
    size_t n = 0;
    for (size_t i = 0; i < peer_count(p->peer); i++) {
        struct seen s = see(peer_request(p->peer, i));
        n += strcmp(s.name, name) == 0;
        json_decref(s.doc);
    }
    return n;
}

json_t *double_last(struct phone_double *p, const char *name)
{
    for (size_t i = peer_count(p->peer); i > 0; i--) {
        struct seen s = see(peer_request(p->peer, i - 1));
        json_t *args = strcmp(s.name, name) == 0 ? json_incref(s.args) : NULL;
        json_decref(s.doc);
        if (args) {
            return args;
        }
    }
    fail_msg("there was no %s", name);
    return NULL;
}
