/* calls.c: every request of the back end, in both dialects. A row without a script is the same path through
 * an Appium server; one whose script begins with "/" has another path there.
 *
 * Sources: WebDriverAgent's Commands/FB*Commands.m; appium-xcuitest-driver's lib/execute-method-map.ts. */
#include "driver/wda/impl.h"

#include "driver/adapt/adapt.h"

enum {
    QUICK_MS = 5000,
    READ_MS = 15000,
    SHOT_MS = 20000,
    ACT_MS = 30000,
    LONG_MS = 60000,
    SHORT_BYTES = 1 << 20
};
/* A tree is escaped once more in JSON; base64 makes 4 bytes of 3. */
#define TREE_BYTES (2 * IA_ADAPT_BYTES_MAX)
#define PICTURE_BYTES ((size_t)48 << 20)

/* kind, what, method, path, script, limit, bare, effect, answer */
#define KINDS(X)                                                                               \
    X(STATUS, "status", "GET", "/status", NULL, QUICK_MS, true, false, SHORT_BYTES)            \
    X(BEGIN, "session", "POST", "/session", NULL, LONG_MS, true, true, SHORT_BYTES)            \
    X(END, "end of session", "DELETE", "", NULL, QUICK_MS, false, false, SHORT_BYTES)          \
    X(SETTINGS, "settings", "GET", "/appium/settings", NULL, READ_MS, false, false,            \
      SHORT_BYTES)                                                                             \
    X(SET, "settings", "POST", "/appium/settings", NULL, READ_MS, false, false, SHORT_BYTES)   \
    X(SCREEN, "screen size", "GET", "/wda/screen", "deviceScreenInfo", READ_MS, false, false,  \
      SHORT_BYTES)                                                                             \
    X(ABOUT, "device info", "GET", "/wda/device/info", "deviceInfo", READ_MS, false, false,    \
      SHORT_BYTES)                                                                             \
    X(SOURCE, "source", "GET", "/source", NULL, LONG_MS, false, false, TREE_BYTES)             \
    X(SCREENSHOT, "screenshot", "GET", "/screenshot", NULL, SHOT_MS, false, false,             \
      PICTURE_BYTES)                                                                           \
    X(BUTTONS, "alert buttons", "GET", "/wda/alert/buttons", "alert", READ_MS, false, false,   \
      SHORT_BYTES)                                                                             \
    X(ACTIVE, "active element", "GET", "/element/active", NULL, READ_MS, false, false,         \
      SHORT_BYTES)                                                                             \
    X(RECT, "element frame", "GET", "/element/%s/rect", NULL, READ_MS, false, false,           \
      SHORT_BYTES)                                                                             \
    X(APP_STATE, "app state", "POST", "/wda/apps/state", "queryAppState", READ_MS, false,      \
      false, SHORT_BYTES)                                                                      \
    X(TAP, "tap", "POST", "/wda/tap", "tap", ACT_MS, false, true, SHORT_BYTES)                 \
    X(HOLD, "long press", "POST", "/wda/touchAndHold", "touchAndHold", ACT_MS, false, true,    \
      SHORT_BYTES)                                                                             \
    X(ACTIONS, "gesture", "POST", "/actions", NULL, ACT_MS, false, true, SHORT_BYTES)          \
    X(KEYS, "typing", "POST", "/wda/keys", NULL, ACT_MS, false, true, SHORT_BYTES)             \
    X(PRESS, "button", "POST", "/wda/pressButton", "pressButton", ACT_MS, false, true,         \
      SHORT_BYTES)                                                                             \
    X(LOCK, "lock", "POST", "/wda/lock", "lock", ACT_MS, false, true, SHORT_BYTES)             \
    X(ACTIVATE, "launch", "POST", "/wda/apps/activate", "activateApp", LONG_MS, false, true,   \
      SHORT_BYTES)                                                                             \
    X(TERMINATE, "terminate", "POST", "/wda/apps/terminate", "terminateApp", ACT_MS, false,    \
      true, SHORT_BYTES)                                                                       \
    X(URL, "open URL", "POST", "/url", "deepLink", LONG_MS, false, true, SHORT_BYTES)          \
    X(ACCEPT, "alert", "POST", "/alert/accept", "alert", ACT_MS, false, true, SHORT_BYTES)     \
    X(DISMISS, "alert", "POST", "/alert/dismiss", "alert", ACT_MS, false, true, SHORT_BYTES)   \
    X(ORIENTATION, "orientation", "POST", "/orientation", NULL, ACT_MS, false, true,           \
      SHORT_BYTES)                                                                             \
    X(PINCH, "pinch", "POST", "/wda/pinch", "pinch", ACT_MS, false, true, SHORT_BYTES)         \
    X(PASTE_SET, "pasteboard", "POST", "/wda/setPasteboard", "/appium/device/set_clipboard",   \
      ACT_MS, false, true, SHORT_BYTES)                                                        \
    X(PASTE_GET, "pasteboard", "POST", "/wda/getPasteboard", "/appium/device/get_clipboard",   \
      READ_MS, false, false, SHORT_BYTES)                                                      \
    X(PLACE, "location", "POST", "/wda/simulatedLocation", "setSimulatedLocation", ACT_MS,     \
      false, true, SHORT_BYTES)                                                                \
    X(UNPLACE, "location", "DELETE", "/wda/simulatedLocation", "resetSimulatedLocation",       \
      ACT_MS, false, true, SHORT_BYTES)

const struct ia_wda_client_call_kind *ia_wda_client_call_kind(enum ia_wda_client_kind kind)
{
#define ROW(kind, what, method, path, script, limit, bare, effect, answer)                     \
    [IA_WDA_ASK_##kind] = {what, method, path, script, limit, bare, effect, answer},
    static const struct ia_wda_client_call_kind kinds[IA_WDA_ASK_KINDS] = {KINDS(ROW)};
#undef ROW
    return &kinds[kind];
}
