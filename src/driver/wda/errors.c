/* errors.c: what an answer means: a value, or one of WebDriver's errors as a code of this program with the
 * outcome of an effect and what to do.
 *
 * An error is told by its name; its text is looked at only where WebDriverAgent and Appium use one name
 * for different things (FBResponsePayload.m, FBCommandStatus.m; appium's proxy.ts). */
#include "driver/wda/impl.h"

#include "base/clean.h"

#include <stdio.h>
#include <string.h>

enum { MESSAGE_MAX = 400, SAID_MAX = 4096 };

static const char look[] = "it may have taken effect: look at the screen before trying again";
/* Said before a request is dispatched (FBRoute.m; appium's base-driver, protocol.ts). A request that was pending
 * when its session ended may have run, or still runs (FBWebServer.m). */
static const char session_gone[] =
    "another client took WebDriverAgent over, or it was started again: try again";
/* "Only the following button names are supported" (XCUIDevice+FBHelpers.m) */
static const char no_button[] = "a simulator has no volume buttons";

static const struct meaning {
    const char *error;
    const char *text; /* that its message contains; NULL: any */
    int kind;         /* of request; -1: any */
    enum ia_rc rc;
    enum ia_outcome outcome;
    const char *hint;
} meanings[] = {
    {"invalid session id", "Session does not exist", -1, IA_E_DEVICE_LOST, IA_OUTCOME_NOT_SENT,
     session_gone},
    {"invalid session id", "either terminated or not started", -1, IA_E_DEVICE_LOST,
     IA_OUTCOME_NOT_SENT, session_gone},
    {"invalid session id", NULL, -1, IA_E_DEVICE_LOST, IA_OUTCOME_UNKNOWN, look},
    {"no such alert", NULL, -1, IA_E_NO_ALERT, IA_OUTCOME_NOT_SENT, ""},
    {"invalid element state", "possibly crashed", -1, IA_E_APP_GONE, IA_OUTCOME_NOT_SENT,
     "launch the app again; its crash report says why"},
    {"invalid element state", "Failed to find", -1, IA_E_NOT_FOUND, IA_OUTCOME_NOT_SENT,
     "the alert has changed: look again"},
    {"invalid element state", NULL, -1, IA_E_DEVICE, IA_OUTCOME_UNKNOWN, look},
    {"stale element reference", NULL, -1, IA_E_DEVICE, IA_OUTCOME_NOT_SENT,
     "the screen changed while it was read: look again"},
    {"no such element", NULL, -1, IA_E_NOT_FOUND, IA_OUTCOME_NOT_SENT, ""},
    {"invalid argument", "button names", -1, IA_E_UNSUPPORTED, IA_OUTCOME_NOT_SENT, no_button},
    {"unknown error", "button names", -1, IA_E_UNSUPPORTED, IA_OUTCOME_NOT_SENT, no_button},
    {"invalid argument", NULL, -1, IA_E_USAGE, IA_OUTCOME_NOT_SENT, ""},
    {"invalid selector", NULL, -1, IA_E_USAGE, IA_OUTCOME_NOT_SENT, ""},
    {"element not visible", NULL, -1, IA_E_USAGE, IA_OUTCOME_NOT_SENT, ""},
    {"invalid coordinates", NULL, -1, IA_E_USAGE, IA_OUTCOME_NOT_SENT, ""},
    {"unknown command", NULL, -1, IA_E_UNSUPPORTED, IA_OUTCOME_NOT_SENT,
     "this WebDriverAgent is too old for it: 9.3 or newer is needed"},
    {"unknown method", NULL, -1, IA_E_UNSUPPORTED, IA_OUTCOME_NOT_SENT,
     "this WebDriverAgent is too old for it: 9.3 or newer is needed"},
    {"unsupported operation", NULL, -1, IA_E_UNSUPPORTED, IA_OUTCOME_NOT_SENT, ""},
    {"session not created", "bundle", -1, IA_E_NO_APP, IA_OUTCOME_NOT_SENT,
     "take bundleId and app out of the capabilities: apps are launched later"},
    {"session not created", NULL, -1, IA_E_NO_DEVICE, IA_OUTCOME_NOT_SENT,
     "the server's own log says why WebDriverAgent did not start"},
    {"timeout", NULL, -1, IA_E_TIMEOUT, IA_OUTCOME_UNKNOWN, look},
    {"script timeout", NULL, -1, IA_E_TIMEOUT, IA_OUTCOME_UNKNOWN, look},
    {"unable to capture screen", NULL, -1, IA_E_DEVICE, IA_OUTCOME_NOT_SENT,
     "the screen may be locked, or show something protected"},
    {"unexpected alert open", NULL, -1, IA_E_DEVICE, IA_OUTCOME_NOT_SENT,
     "answer the alert first"},
    {"unknown error", "Unable To Rotate", -1, IA_E_UNSUPPORTED, IA_OUTCOME_SENT,
     "the app in front does not turn that way"},
    {"unknown error", "ECONNREFUSED", -1, IA_E_DEVICE_LOST, IA_OUTCOME_NOT_SENT,
     "Appium has lost its WebDriverAgent: see its log, then open the device again"},
    {"unknown error", "Could not proxy", -1, IA_E_DEVICE_LOST, IA_OUTCOME_UNKNOWN,
     "Appium has lost its WebDriverAgent: see its log, then open the device again"},
    {"unknown error", NULL, IA_WDA_ASK_ACTIVATE, IA_E_NO_APP, IA_OUTCOME_UNKNOWN,
     "check the bundle id, and that the app is installed"},
    {"unknown error", NULL, -1, IA_E_DEVICE, IA_OUTCOME_UNKNOWN, look},
    {NULL, NULL, -1, IA_E_DEVICE, IA_OUTCOME_UNKNOWN, look}, /* any other name */
};

/* Answers that are not WebDriver's: what stands between here and there. */
static const struct refusal {
    int status;
    enum ia_rc rc;
    enum ia_outcome outcome;
    const char *hint;
} refusals[] = {
    {401, IA_E_AUTH, IA_OUTCOME_NOT_SENT,
     "give a login: ?token-file=FILE, or IOS_AGENT_DEVICE_TOKEN"},
    {403, IA_E_AUTH, IA_OUTCOME_NOT_SENT,
     "give a login: ?token-file=FILE, or IOS_AGENT_DEVICE_TOKEN"},
    {407, IA_E_AUTH, IA_OUTCOME_NOT_SENT, "the proxy wants a login"},
    {502, IA_E_DEVICE_LOST, IA_OUTCOME_UNKNOWN,
     "what stands before the server cannot reach it"},
    {503, IA_E_DEVICE_LOST, IA_OUTCOME_UNKNOWN,
     "what stands before the server cannot reach it"},
    {504, IA_E_DEVICE_LOST, IA_OUTCOME_UNKNOWN,
     "what stands before the server cannot reach it"},
    {0, IA_E_PROTO, IA_OUTCOME_UNKNOWN,
     "what answers there is neither WebDriverAgent nor Appium: check the address"},
};

enum ia_rc ia_wda_client_outcome(enum ia_rc rc, enum ia_outcome outcome, struct ia_err *err)
{
    if (err) {
        err->outcome = outcome;
        err->retry_safe = outcome == IA_OUTCOME_NOT_SENT || outcome == IA_OUTCOME_NONE;
    }
    return rc;
}

enum ia_rc ia_wda_client_refuse(enum ia_rc rc, struct ia_err *err, const char *fmt, ...)
{
    char text[MESSAGE_MAX];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    return ia_wda_client_outcome(ia_err_set(err, rc, "%s", text), IA_OUTCOME_NOT_SENT, err);
}

static enum ia_rc fail(enum ia_wda_client_kind kind, enum ia_rc rc, enum ia_outcome outcome,
                       const char *hint, const char *text, struct ia_err *err)
{
    const struct ia_wda_client_call_kind *k = ia_wda_client_call_kind(kind);
    (void)ia_err_set(err, rc, "%s: %s", k->what, text);
    /* "It may have taken effect" is nothing to say of a reading. */
    ia_err_hint(err, "%s", hint == look && !k->effect ? "" : hint);
    return ia_wda_client_outcome(rc, k->effect ? outcome : IA_OUTCOME_NONE, err);
}

/* How many bytes of text are the secret, also where a JSON text has it with backslashes; 0: they are none of it. */
static size_t secret_at(struct ia_str text, const char *secret)
{
    size_t i = 0;
    for (; *secret != '\0' && i < text.n; i++) {
        if (text.p[i] == *secret) {
            secret++;
        } else if (text.p[i] != '\\') {
            return 0;
        }
    }
    return *secret == '\0' ? i : 0;
}

/* One line of what a server said. Some answer with the header lines that they were sent, so the login goes out of
 * it, before it is cut. */
static void put_said(const struct ia_wda_client *w, struct ia_buf *out, struct ia_str said,
                     size_t columns)
{
    const char *secret = w->link ? ia_ask_secret(w->link) : NULL;
    struct ia_buf open = IA_BUF(SAID_MAX);
    for (size_t i = 0, n; i < said.n && ia_buf_ok(&open); i += n > 0 ? n : 1) {
        n = secret ? secret_at((struct ia_str){said.p + i, said.n - i}, secret) : 0;
        ia_buf_put(&open, n > 0 ? "***" : said.p + i, n > 0 ? 3 : 1);
    }
    ia_clean_cut(out, ia_buf_str(&open), columns);
    ia_buf_fini(&open);
}

/* An answer that is no WebDriver JSON. */
static enum ia_rc foreign(const struct ia_wda_client *w, enum ia_wda_client_kind kind,
                          int status, struct ia_str body, struct ia_err *err)
{
    const struct refusal *r = refusals;
    struct ia_buf text = IA_BUF(MESSAGE_MAX * 8);
    while (r->status != 0 && r->status != status) {
        r++;
    }
    ia_buf_printf(&text,
                  r->status != 0 ? "HTTP status %d: "
                                 : "the answer (HTTP status %d) is no WebDriver JSON: ",
                  status);
    put_said(w, &text, body, 80);
    enum ia_rc rc = fail(kind, r->rc, r->outcome, r->hint, ia_buf_cstr(&text), err);
    ia_buf_fini(&text);
    return rc;
}

static bool means(const struct meaning *m, enum ia_wda_client_kind kind, const char *error,
                  struct ia_str message)
{
    return (!m->error || strcmp(m->error, error) == 0) &&
           (m->kind < 0 || m->kind == (int)kind) && (!m->text || ia_str_find(message, m->text));
}

/* {"error":NAME,"message":TEXT,…} */
static enum ia_rc named(struct ia_wda_client *w, enum ia_wda_client_kind kind,
                        const json_t *value, struct ia_err *err)
{
    const struct meaning *m = meanings;
    struct ia_str message = ia_json_field(value, "message");
    struct ia_buf text = IA_BUF(MESSAGE_MAX * 8);
    (void)snprintf(w->error, sizeof(w->error), "%s", ia_json_text(value, "error"));
    while (!means(m, kind, w->error, message)) {
        m++;
    }
    put_said(w, &text, ia_json_field(value, "error"), sizeof(w->error));
    ia_buf_puts(&text, message.n > 0 ? ": " : "");
    put_said(w, &text, message, MESSAGE_MAX / 2);
    enum ia_rc rc = fail(kind, m->rc, m->outcome, m->hint, ia_buf_cstr(&text), err);
    ia_buf_fini(&text);
    return rc;
}

enum ia_rc ia_wda_client_read(struct ia_wda_client *w, enum ia_wda_client_kind kind, int status,
                              struct ia_str body, json_t **ret_value, struct ia_err *err)
{
    w->error[0] = '\0';
    json_t *doc = ia_json_depth_ok(body, IA_WDA_JSON_DEPTH)
                      ? json_loadb(body.p ? body.p : "", body.n, 0, NULL)
                      : NULL;
    json_t *value = json_object_get(doc, "value");
    bool error = json_is_string(json_object_get(value, "error")) &&
                 (status >= 400 || json_is_string(json_object_get(value, "message")));
    bool login = status == 401 || status == 403 || status == 407; /* whoever says so */
    enum ia_rc rc = IA_OK;
    if (error && !login) {
        rc = named(w, kind, value, err);
    } else if (status != IA_WDA_GOOD || !value) {
        rc = foreign(w, kind, status, body, err);
    } else if (ret_value) {
        *ret_value = json_incref(value);
    }
    json_decref(doc);
    return rc;
}
