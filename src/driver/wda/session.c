/* session.c: a session from nothing, what it changes, and the file by which the next run knows it.
 *
 *   GET /status ─► dialect; whose session? ─► file: a mark ─► POST /session ─► file: its id
 *   ─► settings read, kept, changed
 *   close: settings as they were ─► DELETE /session/ID ─► the file goes
 *
 * Settings outlive a session in WebDriverAgent, some even its process (the keyboard's are preferences of
 * the device). What they were is in the file, so that a run that was killed leaves nothing behind: the
 * next one puts it back.
 *
 * A run that is killed before it has read the answer to POST /session does not know the id. So it gives the
 * session a mark of its own, in a setting that every new session resets and that nothing here uses
 * (elementResponseAttributes: names of attributes for answers that are not compact; unknown ones are passed
 * over), and writes the mark to the file first. A session with that mark was begun by that POST: one that
 * another client began since has lost it. Only a client that copies our settings into its own session, and a
 * WebDriverAgent older than 4.10, which resets nothing, could be taken for ours.
 * An Appium server does not show its WebDriverAgent's session: there such a session stays. */
#include "driver/wda/impl.h"

#include "base/fd.h"
#include "base/rand.h"
#include "base/utf8.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_MAX = 64 << 10, END_MS = 3000, MARK_SIZE = 32 };

/* The default of elementResponseAttributes; a mark stands behind it. */
#define ATTRIBUTES "type,label"

/* Nothing waits for an app to be idle: two equal trees say so. Text is typed as it is given. */
#define SETTINGS                                                                               \
    "\"snapshotMaxDepth\":62,\"animationCoolOffTimeout\":0,\"waitForIdleTimeout\":0,"          \
    "\"useClearTextShortcut\":false,\"keyboardAutocorrection\":0,\"keyboardPrediction\":0,"    \
    "\"screenshotQuality\":3,\"accessibilityDeadline\":15"

bool ia_wda_client_id(struct ia_str text, char dst[IA_WDA_ID_MAX + 1])
{
    bool ok = text.n <= IA_WDA_ID_MAX, dots = true; /* "..": the folder above */
    for (size_t i = 0; ok && i < text.n; i++) {
        ok = isalnum((unsigned char)text.p[i]) || strchr("-_.:", text.p[i]);
        dots = dots && text.p[i] == '.';
    }
    ok = ok && !dots;
    if (ok) {
        memcpy(dst, text.p, text.n);
        dst[text.n] = '\0';
    }
    return ok;
}

/* One request, without another try; *ret is to be json_decref'ed. */
static enum ia_rc ask(struct ia_wda_client *w, const struct ia_deadline *deadline,
                      const struct ia_wda_client_request *r, json_t **ret, struct ia_err *err)
{
    struct ia_deadline limit = ia_wda_client_limit(w, r, deadline);
    struct ia_buf body = IA_BUF(0);
    bool broken;
    enum ia_rc rc = ia_wda_client_once(w, r, &limit, &body, &broken, err);
    if (rc == IA_OK) {
        rc = ia_wda_client_read(w, r->kind, IA_WDA_GOOD, ia_buf_str(&body), ret, err);
    }
    ia_buf_fini(&body);
    return rc;
}

/* ---- who answers ------------------------------------------------------------------------ */

/* ChromeDriver and others have a build and an os, too. */
static enum ia_wda_dialect dialect_of(const json_t *value)
{
    const json_t *build = json_object_get(value, "build");
    if (json_object_get(value, "ios") || json_object_get(value, "state") ||
        json_object_get(build, "productBundleIdentifier")) {
        return IA_WDA_DIRECT;
    }
    return json_object_get(build, "version") && !json_object_get(value, "os") ? IA_WDA_APPIUM
                                                                              : IA_WDA_ANY;
}

static enum ia_rc check_dialect(struct ia_wda_client *w, enum ia_wda_dialect found,
                                struct ia_err *err)
{
    static const char *const names[] = {"something else", "WebDriverAgent", "an Appium server"};
    if (found != IA_WDA_ANY && (w->dialect == IA_WDA_ANY || w->dialect == found)) {
        w->dialect = found;
        w->dialect_known = true;
        return IA_OK;
    }
    const char *wanted = w->dialect == IA_WDA_ANY      ? "neither WebDriverAgent nor Appium"
                         : w->dialect == IA_WDA_DIRECT ? "not WebDriverAgent"
                                                       : "not an Appium server";
    enum ia_rc rc = ia_err_set(err, IA_E_NO_DEVICE, "what answers at %s is %s, but %s", w->url,
                               wanted, names[found]);
    ia_err_hint(err,
                found == IA_WDA_ANY      ? "check the address and the port"
                : found == IA_WDA_APPIUM ? "write appium:%s"
                                         : "write wda:%s",
                w->url);
    return rc;
}

/* WebDriverAgent puts the id of its session, if it has one, beside the value of every answer. */
enum ia_rc ia_wda_client_look(struct ia_wda_client *w, const struct ia_deadline *deadline,
                              char ret_session[IA_WDA_ID_MAX + 1], json_t **ret,
                              struct ia_err *err)
{
    const struct ia_wda_client_request r = {.kind = IA_WDA_ASK_STATUS};
    struct ia_deadline limit = ia_wda_client_limit(w, &r, deadline);
    struct ia_buf body = IA_BUF(0);
    bool broken;
    ret_session[0] = '\0';
    enum ia_rc rc = ia_wda_client_once(w, &r, &limit, &body, &broken, err);
    if (rc == IA_OK) {
        rc = ia_wda_client_read(w, IA_WDA_ASK_STATUS, IA_WDA_GOOD, ia_buf_str(&body), ret, err);
    }
    if (rc == IA_OK) {
        json_t *doc = json_loadb(body.p, body.len, 0, NULL);
        (void)ia_wda_client_id(ia_json_field(doc, "sessionId"), ret_session);
        json_decref(doc);
        rc = check_dialect(w, dialect_of(*ret), err);
    }
    ia_buf_fini(&body);
    return rc;
}

/* ---- the file --------------------------------------------------------------------------- */

static json_t *read_file(const struct ia_wda_client *w)
{
    struct ia_buf text = IA_BUF(FILE_MAX);
    json_t *doc = NULL;
    if (w->session_file && ia_file_read(w->session_file, &text, NULL) == IA_OK) {
        doc = json_loadb(ia_buf_cstr(&text), text.len, 0, NULL);
    }
    ia_buf_fini(&text);
    return doc;
}

bool ia_wda_client_in_file(const struct ia_wda_client *w)
{
    json_t *file = read_file(w);
    bool same = !w->session_file || strcmp(ia_json_text(file, "session"), w->session) == 0;
    json_decref(file);
    return same;
}

/* mark: of the session that is about to be begun; NULL: there is none. */
static enum ia_rc write_file(const struct ia_wda_client *w, const char *session,
                             const char *mark, struct ia_err *err)
{
    struct ia_buf text = IA_BUF(FILE_MAX);
    struct ia_jsonw out;
    if (!w->session_file) {
        return IA_OK;
    }
    ia_jsonw_init(&out, &text);
    ia_jsonw_object(&out);
    ia_jsonw_kv(&out, "session", session);
    if (mark) {
        ia_jsonw_kv(&out, "mark", mark);
    }
    ia_jsonw_key(&out, "settings");
    ia_json_put(&out, ia_str(w->before));
    ia_jsonw_end_object(&out);
    enum ia_rc rc = ia_buf_check(&text, "the session's file", err);
    if (rc == IA_OK) {
        rc = ia_file_write_atomic(w->session_file, text.p, text.len, 0600, err);
    }
    ia_buf_fini(&text);
    return rc;
}

/* ---- whose session ---------------------------------------------------------------------- */

/* Whether that session has the mark of the file. */
static bool is_marked(struct ia_wda_client *w, const struct ia_deadline *deadline,
                      const char *active, const char *mark)
{
    const struct ia_wda_client_request r = {.kind = IA_WDA_ASK_SETTINGS};
    char wanted[sizeof(ATTRIBUTES) + MARK_SIZE];
    struct ia_err ignored = {.code = IA_OK};
    json_t *all = NULL;
    (void)snprintf(wanted, sizeof(wanted), ATTRIBUTES ",%s", mark);
    (void)snprintf(w->session, sizeof(w->session), "%s", active);
    (void)ask(w, deadline, &r, &all, &ignored);
    w->session[0] = '\0';
    bool same = strcmp(ia_json_text(all, "elementResponseAttributes"), wanted) == 0;
    json_decref(all);
    return same;
}

/* The file's session is our own, of a run that was killed, and so is the one with the file's mark. */
static bool is_own(struct ia_wda_client *w, const struct ia_deadline *deadline,
                   const char *active, const json_t *file)
{
    const char *mark = ia_json_text(file, "mark");
    return strcmp(ia_json_text(file, "session"), active) == 0 ||
           strcmp(w->latest, active) == 0 ||
           (mark[0] != '\0' && active[0] != '\0' && is_marked(w, deadline, active, mark));
}

/* May the session that is there be ended? */
static enum ia_rc check_owner(const struct ia_wda_client *w, const char *active, bool own,
                              struct ia_err *err)
{
    if (active[0] == '\0' || own || w->take) {
        return IA_OK;
    }
    enum ia_rc rc = ia_err_set(
        err, IA_E_BUSY, "another client drives the device at %s (session %s)", w->url, active);
    ia_err_hint(err, "end that session, or take the device over with the setting take: %s?take",
                w->info.id);
    if (err) {
        err->foreign = true;
    }
    return ia_wda_client_outcome(rc, IA_OUTCOME_NOT_SENT, err);
}

/* Appium has any number of sessions; the one that a killed run left holds the phone for ever. */
static void end_left_over(struct ia_wda_client *w, const struct ia_deadline *deadline,
                          const json_t *file)
{
    const struct ia_wda_client_request r = {.kind = IA_WDA_ASK_END};
    struct ia_err ignored = {.code = IA_OK};
    if (w->dialect == IA_WDA_APPIUM &&
        ia_wda_client_id(ia_json_field(file, "session"), w->session)) {
        (void)ask(w, deadline, &r, NULL, &ignored);
        w->session[0] = '\0';
    }
}

/* ---- capabilities ----------------------------------------------------------------------- */

/* shouldTerminateApp is true by default: the end of the session would end the app in front. */
#define DIRECT_CAPABILITIES                                                                    \
    "{\"capabilities\":{\"alwaysMatch\":{\"shouldTerminateApp\":false,"                        \
    "\"forceAppLaunch\":false,\"shouldWaitForQuiescence\":false,\"waitForIdleTimeout\":0,"     \
    "\"eventloopIdleDelaySec\":0,\"maxTypingFrequency\":60,"                                   \
    "\"elementResponseAttributes\":\"" ATTRIBUTES ",%s\"},\"firstMatch\":[{}]}}"

/* newCommandTimeout is 60 s by default, and a model may think longer. noReset also keeps the apps as
 * they are. Appium tells none of WebDriverAgent's settings, so only those are changed that
 * WebDriverAgent itself resets when its next session begins. */
static const char appium_capabilities[] =
    "{\"platformName\":\"iOS\",\"appium:automationName\":\"XCUITest\",\"appium:noReset\":true,"
    "\"appium:newCommandTimeout\":0,\"appium:waitForIdleTimeout\":0,"
    "\"appium:skipLogCapture\":true,\"appium:settings[snapshotMaxDepth]\":62,"
    "\"appium:settings[animationCoolOffTimeout]\":0,"
    "\"appium:settings[useClearTextShortcut]\":false,"
    "\"appium:settings[accessibilityDeadline]\":15,"
    "\"appium:settings[pageSourceExcludedAttributes]\":\"accessible\"}";

static void take_depth(struct ia_wda_client *w, const json_t *depth)
{
    json_int_t n = json_is_integer(depth) ? json_integer_value(depth) : IA_WDA_DEPTH;
    w->depth = w->full_depth = n < 1 ? 1 : n > IA_WDA_DEPTH ? IA_WDA_DEPTH : (int)n;
}

/* A name that is not the standard's needs a vendor's prefix. */
static void put_capability(json_t *all, const char *name, json_t *value)
{
    static const char *const standard[] = {
        "platformName",        "browserName",      "browserVersion",
        "acceptInsecureCerts", "pageLoadStrategy", "proxy",
        "setWindowRect",       "timeouts",         "unhandledPromptBehavior",
        "webSocketUrl"};
    char full[200];
    bool plain = !strchr(name, ':');
    for (size_t i = 0; i < IA_COUNTOF(standard); i++) {
        plain = plain && strcmp(name, standard[i]) != 0;
    }
    (void)snprintf(full, sizeof(full), "%s%s", plain ? "appium:" : "", name);
    (void)json_object_set(all, full, value);
}

static enum ia_rc capabilities(struct ia_wda_client *w, struct ia_buf *out, struct ia_err *err)
{
    json_t *all = json_loads(appium_capabilities, 0, NULL);
    json_t *theirs = w->capabilities ? json_loads(w->capabilities, JSON_REJECT_DUPLICATES, NULL)
                                     : json_object();
    const char *name;
    json_t *value;
    enum ia_rc rc = IA_OK;
    if (!json_is_object(theirs)) {
        rc = ia_wda_client_refuse(IA_E_USAGE, err,
                                  "the capabilities are not a JSON object such as "
                                  "{\"appium:platformVersion\":\"18.5\"}");
    }
    if (w->udid) {
        (void)json_object_set_new(all, "appium:udid", json_string(w->udid));
    }
    json_object_foreach(theirs, name, value)
    {
        put_capability(all, name, value);
    }
    take_depth(w, json_object_get(all, "appium:settings[snapshotMaxDepth]"));
    char *text = json_dumps(all, JSON_COMPACT);
    ia_buf_printf(out, "{\"capabilities\":{\"alwaysMatch\":%s,\"firstMatch\":[{}]}}", text);
    free(text);
    json_decref(theirs);
    json_decref(all);
    return rc;
}

/* ---- begin ------------------------------------------------------------------------------ */

void ia_wda_client_text(char *dst, size_t size, const char *before, const char *text)
{
    size_t n = strlen(before), left = size - n - 1, most = strlen(text);
    if (most > 0) {
        most = ia_utf8_cut(text, most < left ? most : left);
        (void)snprintf(dst, size, "%s%.*s", before, (int)most, text);
    }
}

static void take_version(struct ia_wda_client *w, const char *version)
{
    ia_wda_client_text(w->info.os, sizeof(w->info.os), "iOS ", version);
}

/* own: the session that is there and that is ours, or "". */
static enum ia_rc direct(const struct ia_wda_client *w, const char *own, struct ia_buf *out,
                         struct ia_err *err)
{
    char mark[MARK_SIZE];
    (void)snprintf(mark, sizeof(mark), "ios-agent-%016" PRIx64, ia_rand_next(ia_rand_system()));
    ia_buf_printf(out, DIRECT_CAPABILITIES, mark);
    return write_file(w, own, mark, err);
}

static enum ia_rc create(struct ia_wda_client *w, const struct ia_deadline *deadline,
                         const char *own, struct ia_err *err)
{
    struct ia_buf body = IA_BUF(1 << 20);
    json_t *value = NULL;
    enum ia_rc rc =
        w->dialect == IA_WDA_APPIUM ? capabilities(w, &body, err) : direct(w, own, &body, err);
    rc = rc == IA_OK ? ia_buf_check(&body, "the capabilities", err) : rc;
    if (rc == IA_OK) {
        const struct ia_wda_client_request r = {.kind = IA_WDA_ASK_BEGIN,
                                                .args = ia_buf_str(&body)};
        rc = ask(w, deadline, &r, &value, err);
    }
    if (rc == IA_OK && !ia_wda_client_id(ia_json_field(value, "sessionId"), w->session)) {
        rc = ia_err_set(err, IA_E_PROTO, "session: the answer of %s names no session", w->url);
    }
    if (rc == IA_OK) {
        take_version(w,
                     ia_json_text(json_object_get(value, "capabilities"), "platformVersion"));
    }
    json_decref(value);
    ia_buf_fini(&body);
    return rc;
}

/* What of all the settings will be changed, as it is now. */
static char *kept_of(const json_t *all)
{
    json_t *kept = json_object(), *changes = json_loads("{" SETTINGS "}", 0, NULL);
    const char *name;
    json_t *value;
    json_object_foreach(changes, name, value)
    {
        json_t *now = json_object_get(all, name);
        if (now) {
            (void)json_object_set(kept, name, now);
        }
    }
    char *text = json_object_size(kept) > 0 ? json_dumps(kept, JSON_COMPACT) : NULL;
    json_decref(changes);
    json_decref(kept);
    return text;
}

/* A server without settings can be driven, too. */
static enum ia_rc or_without(enum ia_rc rc)
{
    return rc == IA_E_UNSUPPORTED || rc == IA_E_USAGE ? IA_OK : rc;
}

/* The mark has done its part when the file has the session's id. */
static enum ia_rc change_settings(struct ia_wda_client *w, const struct ia_deadline *deadline,
                                  struct ia_err *err)
{
    static const char changes[] =
        "{\"settings\":{" SETTINGS ",\"elementResponseAttributes\":\"" ATTRIBUTES "\"}}";
    const struct ia_wda_client_request read = {.kind = IA_WDA_ASK_SETTINGS};
    const struct ia_wda_client_request set = {.kind = IA_WDA_ASK_SET, .args = ia_str(changes)};
    json_t *all = NULL;
    enum ia_rc rc = IA_OK;
    if (!w->before) {
        rc = or_without(ask(w, deadline, &read, &all, err));
        w->before = kept_of(all);
        json_decref(all);
        rc = rc == IA_OK ? write_file(w, w->session, NULL, err) : rc;
    }
    if (rc == IA_OK) {
        all = NULL;
        rc = or_without(ask(w, deadline, &set, &all, err));
        take_depth(w, json_object_get(all, "snapshotMaxDepth"));
        json_decref(all);
    }
    return rc;
}

enum ia_rc ia_wda_client_begin(struct ia_wda_client *w, const struct ia_deadline *deadline,
                               struct ia_err *err)
{
    char active[IA_WDA_ID_MAX + 1];
    enum ia_rc rc = ia_wda_client_hold(w, err);
    if (rc != IA_OK) {
        return rc;
    }
    json_t *status = NULL, *file = read_file(w);
    rc = ia_wda_client_look(w, deadline, active, &status, err);
    bool own = rc == IA_OK && is_own(w, deadline, active, file);
    rc = rc == IA_OK ? check_owner(w, active, own, err) : rc;
    if (rc == IA_OK && !w->before && json_is_object(json_object_get(file, "settings"))) {
        w->before = json_dumps(json_object_get(file, "settings"), JSON_COMPACT);
    }
    if (rc == IA_OK) {
        take_version(w, ia_json_text(json_object_get(status, "os"), "version"));
        /* What `serve --protocol wda` of this program says of a phone that it simulates. */
        const char *maker =
            ia_json_text(json_object_get(status, "build"), "productBundleIdentifier");
        w->info.simulated = strcmp(maker, "ios-agent.embedded") == 0;
        end_left_over(w, deadline, file);
        rc = create(w, deadline, own ? active : "", err);
    }
    if (rc == IA_OK) {
        memcpy(w->latest, w->session, sizeof(w->latest));
        rc = write_file(w, w->session, NULL, err);
        rc =
            rc == IA_OK && w->dialect == IA_WDA_DIRECT ? change_settings(w, deadline, err) : rc;
        if (rc != IA_OK) {
            ia_wda_client_end(w);
        }
    }
    w->at_springboard = false;
    json_decref(status);
    json_decref(file);
    return rc;
}

/* ---- end -------------------------------------------------------------------------------- */

static bool restore(struct ia_wda_client *w, const struct ia_deadline *limit)
{
    struct ia_buf body = IA_BUF(FILE_MAX);
    struct ia_err ignored = {.code = IA_OK};
    ia_buf_printf(&body, "{\"settings\":%s}", w->before);
    const struct ia_wda_client_request r = {.kind = IA_WDA_ASK_SET, .args = ia_buf_str(&body)};
    bool done = ia_buf_ok(&body) && ask(w, limit, &r, NULL, &ignored) == IA_OK;
    ia_buf_fini(&body);
    return done;
}

/* Where a request hung, only the end of the session is answered: WebDriverAgent does all else one after
 * the other. The file then stays, with what the settings were. */
void ia_wda_client_end(struct ia_wda_client *w)
{
    const struct ia_wda_client_request r = {.kind = IA_WDA_ASK_END};
    struct ia_deadline limit = {NULL, ia_mono_us(ia_clock_system()) + END_MS * INT64_C(1000)};
    struct ia_err ignored = {.code = IA_OK};
    /* Whoever holds the lock has begun a session, which ended this one. */
    if (w->session[0] == '\0' || ia_wda_client_hold(w, &ignored) != IA_OK) {
        return;
    }
    bool restored = !w->before || (!w->hung && restore(w, &limit));
    bool ended = ask(w, &limit, &r, NULL, &ignored) == IA_OK;
    w->session[0] = '\0';
    if (restored && ended && w->session_file) {
        (void)unlink(w->session_file);
    }
}
