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

    {"POST", "wda/tap", ia_wda_tap_at, 0, "x y", 0},
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

/* Whether those segments are the route's, in any case; fills args. */
static bool matches(const char *route, char *const segments[], size_t n,
                    const char *args[IA_WDA_ARGS_MAX])
{
    size_t arg = 0;
    for (size_t i = 0; i < n; i++) {
        size_t len = strcspn(route, "/");
        if (len == 1 && route[0] == ':') {
            args[arg++] = segments[i];
        } else if (len == 0 || len != strlen(segments[i]) ||
                   strncasecmp(route, segments[i], len) != 0) {
            return false;
        }
        route += len + (route[len] == '/' && i + 1 < n);
    }
    return *route == '\0';
}

enum ia_wda_error ia_wda_route(struct ia_wda_call *c)
{
    char *segments[SEGMENTS_MAX];
    c->path = ia_strdup(c->http->path);
    size_t n = cut(c->path, segments);
    size_t skip = n >= 2 && strcasecmp(segments[0], "session") == 0 ? 2 : 0;
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
