/* routes.c: which handler a request has: WebDriverAgent's routes (FB*Commands.m), one row each. */
#include "server/wda/wda_impl.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { SEGMENTS_MAX = 8 };

#define FREE IA_WDA_FREE
#define ASIDE (IA_WDA_FREE | IA_WDA_ASIDE)

static const struct ia_wda_route routes[] = {
    {"GET", "status", ia_wda_status, ASIDE, NULL, 0},
    {"GET", "health", ia_wda_health, ASIDE | IA_WDA_TEXT_ONLY, NULL, 0},
    {"GET", "wda/healthcheck", ia_wda_nothing, ASIDE, NULL, 0},

    {"POST", "session", ia_wda_session_create, FREE, NULL, 0},
    {"GET", "", ia_wda_session_get, 0, NULL, 0},
    {"DELETE", "", ia_wda_session_end, IA_WDA_ENDS, NULL, 0},
    {"GET", "appium/settings", ia_wda_settings_get, 0, NULL, 0},
    {"POST", "appium/settings", ia_wda_settings_set, 0, NULL, 0},
    {"POST", "timeouts", ia_wda_nothing, 0, NULL, 0},

    {"GET", "source", ia_wda_source, FREE, NULL, 0},
    {"GET", "wda/accessibleSource", ia_wda_accessible_source, FREE, NULL, 0},
    {"GET", "screenshot", ia_wda_screenshot, FREE, NULL, 0},
    {"GET", "screenshot/:", ia_wda_element_screenshot, 0, NULL, 0},
    {"GET", "element/:/screenshot", ia_wda_element_screenshot, 0, NULL, 0},

    {"POST", "element", ia_wda_find_element, 0, NULL, 0},
    {"POST", "elements", ia_wda_find_element, 0, NULL, IA_WDA_ALL},
    {"POST", "element/:/element", ia_wda_find_element, 0, NULL, IA_WDA_UNDER},
    {"POST", "element/:/elements", ia_wda_find_element, 0, NULL, IA_WDA_ALL | IA_WDA_UNDER},
    {"GET", "element/active", ia_wda_active, 0, NULL, 0},
    {"GET", "wda/element/:/getVisibleCells", ia_wda_visible_cells, 0, NULL, 0},

    {"GET", "element/:/rect", ia_wda_read, 0, NULL, IA_WDA_RECT},
    {"GET", "element/:/name", ia_wda_read, 0, NULL, IA_WDA_TYPE},
    {"GET", "element/:/enabled", ia_wda_read, 0, NULL, IA_WDA_ENABLED},
    {"GET", "element/:/selected", ia_wda_read, 0, NULL, IA_WDA_SELECTED},
    {"GET", "element/:/displayed", ia_wda_read, 0, NULL, IA_WDA_VISIBLE},
    {"GET", "element/:/text", ia_wda_read_text, 0, NULL, 0},
    {"GET", "element/:/attribute/:", ia_wda_read_named, 0, NULL, 0},
    {"GET", "wda/element/:/accessible", ia_wda_read, 0, NULL, IA_WDA_ACCESSIBLE},
    {"GET", "wda/element/:/accessibilityContainer", ia_wda_read, 0, NULL, IA_WDA_CONTAINER},

    {"POST", "element/:/click", ia_wda_tap, 0, NULL, 1},
    {"POST", "element/:/value", ia_wda_value, 0, NULL, 0},
    {"POST", "element/:/clear", ia_wda_clear, 0, NULL, 0},
    {"POST", "actions", ia_wda_actions, 0, NULL, 0},

    {"POST", "wda/tap", ia_wda_tap, 0, "x y", 1},
    {"POST", "wda/element/:/tap", ia_wda_tap, 0, "x? y?", 1},
    {"POST", "wda/tap/:", ia_wda_tap, 0, "x? y?", 1},
    {"POST", "wda/doubleTap", ia_wda_tap, 0, "x y", 2},
    {"POST", "wda/element/:/doubleTap", ia_wda_tap, 0, "x? y?", 2},
    {"POST", "wda/tapWithNumberOfTaps", ia_wda_taps, 0, "numberOfTaps numberOfTouches?", 0},
    {"POST", "wda/element/:/tapWithNumberOfTaps", ia_wda_taps, 0,
     "numberOfTaps numberOfTouches?", 0},
    {"POST", "wda/touchAndHold", ia_wda_press, 0, "x y duration", 0},
    {"POST", "wda/element/:/touchAndHold", ia_wda_press, 0, "x? y? duration", 0},
    {"POST", "wda/twoFingerTap", ia_wda_one_finger, 0, NULL, 0},
    {"POST", "wda/element/:/twoFingerTap", ia_wda_one_finger, 0, NULL, 0},
    {"POST", "wda/forceTouch", ia_wda_one_finger, 0, NULL, 0},
    {"POST", "wda/element/:/forceTouch", ia_wda_one_finger, 0, NULL, 0},
    {"POST", "wda/rotate", ia_wda_one_finger, 0, NULL, 0},
    {"POST", "wda/element/:/rotate", ia_wda_one_finger, 0, NULL, 0},
    {"POST", "wda/pinch", ia_wda_pinch, 0, "scale velocity?", 0},
    {"POST", "wda/element/:/pinch", ia_wda_pinch, 0, "scale velocity?", 0},
    {"POST", "wda/dragfromtoforduration", ia_wda_drag, 0, "fromX fromY toX toY duration?", 0},
    {"POST", "wda/element/:/dragfromtoforduration", ia_wda_drag, 0,
     "fromX fromY toX toY duration?", 0},
    {"POST", "wda/pressAndDragWithVelocity", ia_wda_drag_velocity, 0,
     "fromX fromY toX toY velocity", 0},
    {"POST", "wda/element/:/pressAndDragWithVelocity", ia_wda_drag_velocity, 0,
     "fromX fromY toX toY velocity", 0},
    {"POST", "wda/swipe", ia_wda_swipe, 0, NULL, 0},
    {"POST", "wda/element/:/swipe", ia_wda_swipe, 0, NULL, 0},
    {"POST", "wda/scroll", ia_wda_scroll, 0, "distance?", 0},
    {"POST", "wda/element/:/scroll", ia_wda_scroll, 0, "distance?", 0},
    {"POST", "wda/element/:/scrollTo", ia_wda_scroll_here, 0, NULL, 0},

    {"POST", "wda/keys", ia_wda_keys, 0, NULL, 0},
    {"POST", "wda/element/:/keyboardInput", ia_wda_keyboard_input, 0, NULL, 0},
    {"POST", "wda/keyboard/dismiss", ia_wda_keyboard_dismiss, 0, NULL, 0},
    {"POST", "wda/pickerwheel/:/select", ia_wda_pick, 0, "offset? maxAttempts?", 0},

    {"GET", "alert/text", ia_wda_alert_text, FREE, NULL, 0},
    {"POST", "alert/text", ia_wda_alert_type, 0, NULL, 0},
    {"POST", "alert/accept", ia_wda_alert_act, FREE, NULL, 1},
    {"POST", "alert/dismiss", ia_wda_alert_act, FREE, NULL, 0},
    {"GET", "wda/alert/buttons", ia_wda_alert_buttons, 0, NULL, 0},

    {"POST", "wda/apps/launch", ia_wda_app_launch, 0, NULL, 0},
    {"POST", "wda/apps/activate", ia_wda_app_launch, 0, NULL, 0},
    {"POST", "wda/apps/launchUnattached", ia_wda_app_launch, FREE, NULL, 0},
    {"POST", "wda/apps/terminate", ia_wda_app_terminate, 0, NULL, 0},
    {"POST", "wda/apps/state", ia_wda_app_state, 0, NULL, 0},
    {"GET", "wda/apps/list", ia_wda_app_list, 0, NULL, 0},
    {"GET", "wda/activeAppInfo", ia_wda_app_active, FREE, NULL, 0},
    {"POST", "wda/homescreen", ia_wda_home, FREE, NULL, 0},
    {"POST", "wda/deactivateApp", ia_wda_deactivate, 0, "duration?", 0},
    {"POST", "url", ia_wda_open_url, 0, NULL, 0},

    {"GET", "window/size", ia_wda_window_size, FREE, NULL, 0},
    {"GET", "window/:/size", ia_wda_window_size, FREE, NULL, 0},
    {"GET", "window/rect", ia_wda_window_rect, 0, NULL, 0},
    {"GET", "wda/screen", ia_wda_screen_info, FREE, NULL, 0},
    {"GET", "wda/screens", ia_wda_screens, FREE, NULL, 0},
    {"GET", "orientation", ia_wda_orientation_get, FREE, NULL, 0},
    {"POST", "orientation", ia_wda_orientation_set, FREE, NULL, 0},
    {"GET", "rotation", ia_wda_rotation_get, FREE, NULL, 0},
    {"POST", "rotation", ia_wda_rotation_set, FREE, "x y z", 0},

    {"POST", "wda/pressButton", ia_wda_button, 0, NULL, 0},
    {"POST", "wda/lock", ia_wda_lock, FREE, NULL, 1},
    {"POST", "wda/unlock", ia_wda_lock, FREE, NULL, 0},
    {"GET", "wda/locked", ia_wda_locked, FREE, NULL, 0},
    {"GET", "wda/device/info", ia_wda_device_info, FREE, NULL, 0},
    {"POST", "wda/device/appearance", ia_wda_appearance, FREE, NULL, 0},
    {"GET", "wda/batteryInfo", ia_wda_battery, 0, NULL, 0},
    {"POST", "wda/setPasteboard", ia_wda_pasteboard_set, FREE, NULL, 0},
    {"POST", "wda/getPasteboard", ia_wda_pasteboard_get, FREE, NULL, 0},
    {"GET", "wda/simulatedLocation", ia_wda_place_get, FREE, NULL, 0},
    {"POST", "wda/simulatedLocation", ia_wda_place_set, FREE, "latitude longitude", 0},
    {"DELETE", "wda/simulatedLocation", ia_wda_place_clear, FREE, NULL, 0},
    {"POST", "wda/performAccessibilityAudit", ia_wda_audit, 0, NULL, 0},
};

/* Cuts the path into its segments, in place. */
static size_t cut(char *path, char *segments[SEGMENTS_MAX])
{
    size_t n = 0;
    for (char *p = path; *p == '/' && n < SEGMENTS_MAX;) {
        *p++ = '\0';
        segments[n++] = p;
        p += strcspn(p, "/");
    }
    return n;
}

/* Whether those segments are the route's, in any case; only then fills args. */
static bool matches(const char *route, char *const segments[], size_t n,
                    const char *args[IA_WDA_ARGS_MAX])
{
    const char *found[IA_WDA_ARGS_MAX] = {0};
    size_t arg = 0;
    for (size_t i = 0; i < n; i++) {
        size_t len = strcspn(route, "/");
        if (len == 1 && route[0] == ':') {
            found[arg++] = segments[i];
        } else if (len == 0 || len != strlen(segments[i]) ||
                   strncasecmp(route, segments[i], len) != 0) {
            return false;
        }
        route += len + (route[len] == '/' && i + 1 < n);
    }
    if (*route) {
        return false;
    }
    memcpy(args, found, sizeof(found));
    return true;
}

const struct ia_wda_route *ia_wda_routes(size_t *ret_count)
{
    *ret_count = IA_COUNTOF(routes);
    return routes;
}

enum ia_wda_error ia_wda_route(struct ia_wda_call *c)
{
    char *segments[SEGMENTS_MAX];
    c->path = ia_strdup(c->http->path);
    size_t n = cut(c->path, segments);
    bool named = n >= 2 && strcasecmp(segments[0], "session") == 0 && segments[1][0];
    size_t skip = named ? 2 : 0;
    c->session = skip ? segments[1] : "";
    for (size_t i = 0; i < IA_COUNTOF(routes); i++) {
        const struct ia_wda_route *r = &routes[i];
        if ((skip || (r->flags & IA_WDA_FREE)) && strcmp(r->method, c->http->method) == 0 &&
            matches(r->path, segments + skip, n - skip, c->args)) {
            c->route = r;
            return IA_WDA_OK;
        }
    }
    c->session = "";
    return ia_wda_fail(c, IA_WDA_E_UNKNOWN_COMMAND, "Unhandled endpoint: %s %s",
                       c->http->method, c->http->path);
}
