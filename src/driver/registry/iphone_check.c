/* iphone_check.c: the steps from a cable to a screen, and what to do about the first that fails.
 *
 * What needs a tunnel (usbmuxd forwards ports on every iOS; the developer services that start a runner have
 * moved twice):
 *
 *   iOS            a port    starting a runner
 *   16 and older   none      none: lockdown, and a developer image
 *   17.0 – 17.3    none      one that needs root, and in practice a Mac
 *   17.4 and newer none      one over lockdown, which go-ios makes without root
 *
 * Sources: go-ios README and issues, GADS pull request 302, appium-xcuitest-driver's guide to hosts other
 * than macOS; WebDriverAgent's FBSessionCommands.m for /status. */
#include "driver/registry/iphone_check.h"

#include "base/clock.h"
#include "base/fd.h"
#include "base/platform.h"
#include "driver/adapt/adapt.h"
#include "net/ask.h"
#include "json/json.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    STATUS_MS = 10000,
    SOURCE_MS = 30000,
    STATUS_MAX = 256 << 10,
    SESSION_MAX = 64 << 10,
};

/* ---- versions --------------------------------------------------------------------------- */

/* "16.12.9" as 16012; -1 if it is no version. */
static int version_of(const char *text)
{
    char *end = NULL;
    long major = strtol(text, &end, 10);
    long minor = *end == '.' ? strtol(end + 1, NULL, 10) : 0;
    return end != text && major >= 0 && major < 1000 && minor >= 0 && minor < 1000
               ? (int)(major * 1000 + minor)
               : -1;
}

/* By the version of iOS, in ascending order. */
static const struct {
    int before;
    const char *tunnel;
    const char *first; /* on Linux, run before the runner; NULL: Linux cannot start one */
} starts[] = {
    {17000, "needs no tunnel", ""},
    {17004, "needs a tunnel as root, and in practice a Mac", NULL},
    {INT32_MAX, "needs a tunnel over lockdown, without root", "ios tunnel start --userspace; "},
};

/* An unknown version counts as the newest. */
static size_t start_of(const char *version)
{
    int v = version_of(version);
    size_t i = 0;
    while (v < 0 ? i + 1 < IA_COUNTOF(starts) : v >= starts[i].before) {
        i++;
    }
    return i;
}

const char *ia_iphone_tunnel(const char *version)
{
    return starts[start_of(version)].tunnel;
}

void ia_iphone_start_hint(const char *version, const char *udid, bool mac, struct ia_err *err)
{
    const char *first = starts[start_of(version)].first;
    if (mac || !first) {
        ia_err_hint(err,
                    "start the runner%s and leave it running: xcodebuild test-without-building "
                    "-xctestrun FILE -destination id=%s (docs/iphone.md has all of it)",
                    mac ? "" : " on a Mac (from Linux it takes iOS 17.4 or newer)", udid);
    } else {
        ia_err_hint(err,
                    "start the runner: %sios image auto --udid=%s; ios runwda --udid=%s "
                    "(go-ios; docs/iphone.md has all of it)",
                    first, udid, udid);
    }
}

/* ---- trust, developer mode, image ------------------------------------------------------- */

static enum ia_rc check_trust(const struct ia_lockdown *says, const char *udid,
                              struct ia_err *err)
{
    bool mac = ia_platform_here() == IA_PLATFORM_MACOS;
    switch (says->trust) {
    case IA_TRUST_UNKNOWN:
    case IA_TRUSTED:
        return IA_OK;
    case IA_TRUST_LOCKED:
        (void)ia_err_set(err, IA_E_AUTH, "the iPhone %s is locked", udid);
        ia_err_hint(err, "unlock it, then try again");
        return IA_E_AUTH;
    case IA_TRUST_ASKING:
        (void)ia_err_set(err, IA_E_AUTH, "the iPhone %s asks whether to trust this computer",
                         udid);
        ia_err_hint(err, "tap Trust on it, then try again");
        return IA_E_AUTH;
    case IA_TRUST_NONE:
        break;
    }
    (void)ia_err_set(err, IA_E_AUTH, "the iPhone %s does not trust this computer", udid);
    if (mac) {
        ia_err_hint(err, "unplug it, plug it in again, unlock it and tap Trust");
    } else {
        ia_err_hint(err, "unlock it, tap Trust, then: idevicepair -u %s pair", udid);
    }
    return IA_E_AUTH;
}

/* Explains from the iPhone's own values why nothing listens; else says that no runner was started. */
static enum ia_rc explain_refused(const struct ia_lockdown *says, const char *udid,
                                  struct ia_err *err)
{
    bool mac = ia_platform_here() == IA_PLATFORM_MACOS;
    if (says->developer_mode == IA_LOCKDOWN_NO) {
        (void)ia_err_set(err, IA_E_STATE, "the developer mode of the iPhone %s is off", udid);
        ia_err_hint(
            err,
            "on the iPhone: Settings > Privacy & Security > Developer Mode, then restart "
            "it. The switch is there once a Mac with Xcode has seen it, or after ios "
            "devmode enable --udid=%s (go-ios)",
            udid);
        return IA_E_STATE;
    }
    if (says->image == IA_LOCKDOWN_NO && !mac) { /* xcodebuild mounts it by itself */
        (void)ia_err_set(err, IA_E_STATE, "no developer image is mounted on the iPhone %s",
                         udid);
        ia_iphone_start_hint(says->version, udid, mac, err);
        return IA_E_STATE;
    }
    (void)ia_err_set(err, IA_E_NO_DEVICE,
                     "nothing listens on port %d of the iPhone %s: WebDriverAgent does not run",
                     IA_IPHONE_WDA_PORT, udid);
    ia_iphone_start_hint(says->version, udid, mac, err);
    return IA_E_NO_DEVICE;
}

static enum ia_rc check_port(const char *udid, const struct ia_lockdown *says,
                             const struct ia_deadline *deadline, struct ia_err *err)
{
    int fd = -1;
    enum ia_rc rc = ia_usbmux_connect(udid, IA_IPHONE_WDA_PORT, deadline, &fd, err);
    if (rc == IA_OK) {
        close(fd);
    }
    return rc == IA_E_NO_DEVICE ? explain_refused(says, udid, err) : rc;
}

/* ---- who answers ------------------------------------------------------------------------ */

static enum ia_rc foreign(int http_status, struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_PROTO,
                               "port %d answers by HTTP (status %d), but is not WebDriverAgent",
                               IA_IPHONE_WDA_PORT, http_status);
    ia_err_hint(err, "end the app on the iPhone that listens there, then start "
                     "WebDriverAgent: docs/iphone.md");
    return rc;
}

static enum ia_rc too_old(const char *version, struct ia_err *err)
{
    enum ia_rc rc =
        ia_err_set(err, IA_E_UNSUPPORTED,
                   "WebDriverAgent %.40s is too old: ios-agent needs 9.3 or newer", version);
    ia_err_hint(err, "build a newer one and start it: docs/iphone.md");
    return rc;
}

static enum ia_rc taken(const char *session, struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_BUSY,
                               "another client drives WebDriverAgent (session %.60s)", session);
    ia_err_hint(err, "end that client, or end its session with --device iphone:UDID?take");
    return rc;
}

/* Its traits are "os", "build" and "state"; Appium has only "build". */
static bool is_wda(const json_t *value)
{
    return json_is_object(json_object_get(value, "os")) &&
           json_is_object(json_object_get(value, "build")) &&
           json_is_string(json_object_get(value, "state"));
}

static void put_status(const json_t *value, const char *version, const char *session,
                       struct ia_buf *out)
{
    int v = version_of(version);
    const char *ip = ia_json_text(json_object_get(value, "ios"), "ip");
    ia_buf_printf(out, "WebDriverAgent %.40s", v < 0 ? "of an unknown version" : version);
    if (v >= 0 && v < 16007) {
        ia_buf_puts(out, " (before 16.7 an app that hangs blocks it: update it)");
    }
    ia_buf_printf(out, ", %s%.60s", session[0] != '\0' ? "session " : "no session", session);
    if (ip[0] != '\0') {
        ia_buf_printf(out,
                      ", also reached by Wi-Fi at %.60s by anybody: start it with "
                      "USE_IP=127.0.0.1",
                      ip);
    }
}

enum ia_rc ia_iphone_check_status(int http_status, struct ia_str body, const char *own,
                                  bool take, struct ia_buf *out, struct ia_err *err)
{
    json_t *doc = ia_json_depth_ok(body, 32) ? json_loadb(body.p, body.n, 0, NULL) : NULL;
    const json_t *value = json_object_get(doc, "value");
    const char *version = ia_json_text(json_object_get(value, "build"), "version");
    const char *session = ia_json_text(doc, "sessionId");
    int v = version_of(version);
    enum ia_rc rc = IA_OK;
    if (!is_wda(value)) {
        rc = foreign(http_status, err);
    } else if (v >= 0 && v < 9003) {
        rc = too_old(version, err);
    } else if (session[0] != '\0' && strcmp(session, own) != 0 && !take) {
        rc = taken(session, err);
    } else {
        put_status(value, version, session, out);
    }
    json_decref(doc);
    return rc;
}

/* ---- asking it -------------------------------------------------------------------------- */

static enum ia_rc get(struct ia_ask_link *link, const char *path, int ms,
                      const struct ia_deadline *deadline, size_t most,
                      struct ia_ask_answer *ret, struct ia_err *err)
{
    int64_t until_us = ia_mono_us(ia_clock_system()) + (int64_t)ms * 1000;
    const struct ia_ask_request q = {
        .method = "GET",
        .path = path,
        .bytes_max = most,
        .deadline_us = until_us < deadline->at_us ? until_us : deadline->at_us,
        .cancel = deadline->cancel};
    return ia_ask(link, &q, ret, err);
}

static enum ia_rc no_http(enum ia_rc rc, struct ia_err *err)
{
    char why[200];
    if (rc != IA_E_IO && rc != IA_E_TIMEOUT) {
        return rc;
    }
    (void)snprintf(why, sizeof(why), "%.199s", err->msg);
    rc = ia_err_set(err, IA_E_PROTO, "port %d is open, but nothing there answers by HTTP: %s",
                    IA_IPHONE_WDA_PORT, why);
    ia_err_hint(err,
                "unlock the iPhone; if that does not help, end WebDriverAgent and start it "
                "again: docs/iphone.md");
    return rc;
}

/* The id in the file that WebDriverAgent's client keeps; "" if there is none. */
static void own_session(const char *file, char *ret, size_t size)
{
    struct ia_buf text = IA_BUF(SESSION_MAX);
    ret[0] = '\0';
    if (ia_file_read(file, &text, NULL) == IA_OK) {
        json_t *doc = json_loadb(text.p, text.len, 0, NULL);
        (void)ia_json_copy(doc, "session", ret, size);
        json_decref(doc);
    }
    ia_buf_fini(&text);
}

static enum ia_rc check_source(struct ia_ask_link *link, const struct ia_deadline *deadline,
                               struct ia_buf *out, struct ia_err *err)
{
    struct ia_ask_answer answer = {.status = 0};
    struct ia_tree *tree = NULL;
    enum ia_rc rc = get(link, "/source?format=xml&excluded_attributes=visible,accessible",
                        SOURCE_MS, deadline, IA_ADAPT_BYTES_MAX, &answer, err);
    if (rc == IA_OK) {
        rc = ia_adapt(IA_SOURCE_WDA_XML, ia_buf_str(&answer.body), &tree, err);
    }
    size_t n = rc == IA_OK ? ia_tree_count(tree) : 0;
    if (rc == IA_E_TREE_EMPTY || (rc == IA_OK && n < 2)) {
        rc =
            ia_err_set(err, IA_E_TREE_EMPTY, "WebDriverAgent answers, but its screen is empty");
        ia_err_hint(err,
                    "unlock the iPhone, and answer the question about UI automation on it");
    }
    if (rc == IA_OK) {
        ia_buf_printf(out, ", %zu elements on the screen", n);
    }
    ia_tree_free(tree);
    ia_buf_fini(&answer.body);
    return rc;
}

static enum ia_rc ask_all(const struct ia_iphone_check *check, struct ia_ask_link *link,
                          const struct ia_deadline *deadline, struct ia_buf *out,
                          struct ia_err *err)
{
    struct ia_ask_answer answer = {.status = 0};
    char own[160];
    own_session(check->session_file, own, sizeof(own));
    enum ia_rc rc =
        no_http(get(link, "/status", STATUS_MS, deadline, STATUS_MAX, &answer, err), err);
    if (rc == IA_OK) {
        rc = ia_iphone_check_status(answer.status, ia_buf_str(&answer.body), own, check->take,
                                    out, err);
    }
    ia_buf_fini(&answer.body);
    return rc == IA_OK ? check_source(link, deadline, out, err) : rc;
}

static enum ia_rc check_wda(const struct ia_iphone_check *check,
                            const struct ia_deadline *deadline, struct ia_buf *out,
                            struct ia_err *err)
{
    struct ia_usbmux_relay *relay = NULL;
    struct ia_ask_link *link = NULL;
    const struct ia_usbmux_relay_options opt = {.udid = check->udid,
                                                .port = IA_IPHONE_WDA_PORT};
    enum ia_rc rc = ia_usbmux_relay_open(&opt, &relay, err);
    if (rc == IA_OK) {
        const struct ia_ask_place place = {.url = IA_IPHONE_WDA_URL,
                                           .unix_socket = ia_usbmux_relay_path(relay)};
        rc = ia_ask_open(&place, &link, err);
    }
    if (rc == IA_OK) {
        rc = ask_all(check, link, deadline, out, err);
    }
    ia_ask_close(link);
    ia_usbmux_relay_close(relay);
    return rc;
}

/* ---- all steps -------------------------------------------------------------------------- */

static void put_phone(const struct ia_usbmux_phone *phone, const struct ia_lockdown *says,
                      struct ia_buf *out)
{
    ia_buf_printf(out, "%s, iOS %s, by %s, trust: %s; ",
                  says->name[0] != '\0' ? says->name : "an iPhone",
                  says->version[0] != '\0' ? says->version : "unknown",
                  phone->network ? "Wi-Fi" : "USB", ia_lockdown_trust_word(says->trust));
}

enum ia_rc ia_iphone_check(const struct ia_iphone_check *check,
                           const struct ia_deadline *deadline, struct ia_buf *out,
                           struct ia_err *err)
{
    struct ia_usbmux_phone phone;
    struct ia_lockdown says;
    enum ia_rc rc = ia_usbmux_find(check->udid, deadline, &phone, err);
    if (rc == IA_OK) {
        rc = ia_lockdown_read(&phone, deadline, &says, err);
    }
    if (rc == IA_OK) {
        rc = check_trust(&says, check->udid, err);
    }
    if (rc == IA_OK) {
        rc = check_port(check->udid, &says, deadline, err);
    }
    if (rc == IA_OK) {
        put_phone(&phone, &says, out);
        rc = check_wda(check, deadline, out, err);
    }
    if (rc == IA_OK) {
        ia_buf_printf(out, "; its ports need no tunnel, starting a runner %s",
                      ia_iphone_tunnel(says.version));
    }
    return rc;
}
