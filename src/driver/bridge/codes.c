/* codes.c: codes of the wire become codes of this program, with what to do about them.
 *
 * Two tables: by code for a bridge of ours, by parts of the text for a classic agent. What
 * neither knows is IA_E_DEVICE, and whether an effect was sent is then unknown. */
#include "driver/bridge/impl.h"

#include <stdio.h>
#include <string.h>

static const struct row {
    uint16_t code; /* enum ia_wire_code */
    enum ia_rc rc;
    const char *hint;
} rows[] = {
    {IA_WIRE_OK, IA_OK, ""},
    {IA_WIRE_E_PROTO, IA_E_PROTO,
     "the bridge and this program have different versions: build and start the bridge again"},
    {IA_WIRE_E_UNSUPPORTED, IA_E_UNSUPPORTED,
     "this device cannot do it: try another way; the bridge's `info` lists what it serves"},
    {IA_WIRE_E_AUTH, IA_E_AUTH,
     "give the token that it was started with: --device bridge:HOST:PORT?token-file=FILE"},
    {IA_WIRE_E_VERSION, IA_E_UNSUPPORTED,
     "the bridge is older or newer than this program: build and start it again"},
    {IA_WIRE_E_LIMIT, IA_E_LIMIT, "request less at once"},
    {IA_WIRE_E_BUSY, IA_E_BUSY, "another client is using the bridge: stop it, or wait for it"},
    {IA_WIRE_E_MEMORY, IA_E_DEVICE, "the runner is out of memory: start the bridge again"},
    {IA_WIRE_E_TIMEOUT, IA_E_TIMEOUT,
     "the app or the bridge was too slow: look at the screen, then try again"},
    /* Not IA_E_CANCELLED, which means that this call was cancelled here. */
    {IA_WIRE_E_CANCELLED, IA_E_DEVICE,
     "the bridge is being stopped, or another client cancelled it: see the bridge's log"},
    {IA_WIRE_E_INTERNAL, IA_E_INTERNAL,
     "a bug in the bridge: see its log, then start it again"},
    {IA_WIRE_E_USAGE, IA_E_USAGE, "correct the request"},
    {IA_WIRE_E_IO, IA_E_IO, "see the bridge's log"},
    {IA_WIRE_E_NOT_FOUND, IA_E_NOT_FOUND, "look at the screen: what is there now?"},
    {IA_WIRE_E_STALE_REF, IA_E_STALE_REF, "take a new snapshot and choose again"},
    {IA_WIRE_E_NOT_VISIBLE, IA_E_NOT_VISIBLE, "scroll to it first"},
    {IA_WIRE_E_COVERED, IA_E_COVERED, "close or move what covers it"},
    {IA_WIRE_E_DISABLED, IA_E_DISABLED, "first do what enables it"},
    {IA_WIRE_E_MOVING, IA_E_MOVING, "wait until it stops moving, then try again"},
    {IA_WIRE_E_NOT_ACTIONABLE, IA_E_NOT_ACTIONABLE, "choose another element"},
    {IA_WIRE_E_AMBIGUOUS, IA_E_AMBIGUOUS, "say more precisely which one is meant"},
    {IA_WIRE_E_NO_KEYBOARD, IA_E_NO_KEYBOARD, "tap a text field first"},
    {IA_WIRE_E_TEXT_MISMATCH, IA_E_TEXT_MISMATCH, "read the field, clear it and type again"},
    {IA_WIRE_E_NO_ALERT, IA_E_NO_ALERT, "look at the screen: there is nothing to answer"},
    {IA_WIRE_E_NOT_MET, IA_E_NOT_MET, "look at the screen, or wait longer"},
    {IA_WIRE_E_NO_EFFECT, IA_E_NO_EFFECT,
     "look at the screen: it was touched and did not change"},
    {IA_WIRE_E_NO_APP, IA_E_NO_APP, "install the app, or check its bundle id"},
    {IA_WIRE_E_APP_GONE, IA_E_APP_GONE, "launch the app again; its crash report says why"},
    {IA_WIRE_E_TREE_EMPTY, IA_E_TREE_EMPTY, "launch the app, or wait until it shows something"},
    {IA_WIRE_E_TREE_MALFORMED, IA_E_TREE_MALFORMED,
     "the app's accessibility does not answer: wait, or launch it again"},
    {IA_WIRE_E_DEVICE, IA_E_DEVICE, "look at the screen, then try another way"},
    {IA_WIRE_E_DEVICE_LOST, IA_E_DEVICE_LOST,
     "the simulator behind the bridge is gone: boot it, then start the bridge"},
    {IA_WIRE_E_FORBIDDEN, IA_E_FORBIDDEN,
     "answer the phone's alert and try again, or permit it: ios-agent privacy grant"},
    {IA_WIRE_E_EXISTS, IA_E_EXISTS, "use the one that is there, or another name"},
    {IA_WIRE_E_STATE, IA_E_STATE, "look at the screen: something has to be done first"},
};

static const struct row *row_of(unsigned code)
{
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        if (rows[i].code == code) {
            return &rows[i];
        }
    }
    return NULL;
}

enum ia_rc ia_bridge_client_rc(unsigned code)
{
    const struct row *row = row_of(code);
    return row ? row->rc : IA_E_DEVICE;
}

enum ia_rc ia_bridge_client_outcome(enum ia_rc rc, enum ia_outcome outcome, struct ia_err *err)
{
    if (err) {
        err->outcome = outcome;
        err->retry_safe = outcome == IA_OUTCOME_NONE || outcome == IA_OUTCOME_NOT_SENT;
    }
    return rc;
}

/* Whether an effect was sent is for the bridge to say; without its word it is unknown. */
static enum ia_outcome outcome_of(unsigned outcome, bool effect)
{
    if (!effect) {
        return IA_OUTCOME_NONE;
    }
    switch (outcome) {
    case IA_WIRE_NOT_SENT:
        return IA_OUTCOME_NOT_SENT;
    case IA_WIRE_SENT:
        return IA_OUTCOME_SENT;
    default:
        return IA_OUTCOME_UNKNOWN;
    }
}

/* Some bridges put the name of the operation into their text too. */
static const char *without_name(const char *text, const char *name)
{
    size_t n = strlen(name);
    return strncmp(text, name, n) == 0 && strncmp(text + n, ": ", 2) == 0 ? text + n + 2 : text;
}

enum ia_rc ia_bridge_client_reply_err(const struct ia_wire_reply *reply, bool effect,
                                      struct ia_err *err)
{
    const struct row *row = row_of(reply->code);
    const char *name = ia_wire_op_name(reply->op);
    const char *text = reply->text && reply->text[0] != '\0' ? reply->text : "no reason given";
    enum ia_rc rc = row ? row->rc : IA_E_DEVICE;
    if (rc == IA_OK) {
        return IA_OK;
    }
    text = without_name(text, name);
    if (row) {
        (void)ia_err_set(err, rc, "%s: %s", name, text);
        ia_err_hint(err, "%s", row->hint);
    } else {
        (void)ia_err_set(err, rc, "%s: %s (code %u of a newer bridge)", name, text,
                         (unsigned)reply->code);
        ia_err_hint(err, "update this program to the bridge's version");
    }
    (void)ia_bridge_client_outcome(rc, outcome_of(reply->outcome, effect), err);
    if (err && !reply->retry_safe) {
        err->retry_safe = false;
    }
    return rc;
}

/* A classic agent has no codes: its texts are matched. */
static const struct {
    const char *part;
    enum ia_rc rc;
    enum ia_outcome outcome;
    const char *hint;
} texts[] = {
    {"invalid opcode", IA_E_UNSUPPORTED, IA_OUTCOME_NOT_SENT,
     "use this program's bridge, which can do it"},
    {"decode error", IA_E_PROTO, IA_OUTCOME_NOT_SENT,
     "the agent has a version that this program does not know"},
    {"No keyboard visible", IA_E_NO_KEYBOARD, IA_OUTCOME_NOT_SENT, "tap a text field first"},
    {"Failed to capture accessibility tree", IA_E_TREE_MALFORMED, IA_OUTCOME_NONE,
     "the app's accessibility does not answer: wait, or launch it again"},
    {"not found", IA_E_NOT_FOUND, IA_OUTCOME_NOT_SENT, "look at the screen: what is there?"},
    {"Unknown element type", IA_E_USAGE, IA_OUTCOME_NOT_SENT, "name another element type"},
};

enum ia_rc ia_bridge_client_answer_err(const char *text, bool effect, struct ia_err *err)
{
    const char *said = text && text[0] != '\0' ? text : "no reason given";
    for (size_t i = 0; i < IA_COUNTOF(texts); i++) {
        if (strstr(said, texts[i].part)) {
            (void)ia_err_set(err, texts[i].rc, "the agent answered: %s", said);
            ia_err_hint(err, "%s", texts[i].hint);
            return ia_bridge_client_outcome(texts[i].rc,
                                            effect ? texts[i].outcome : IA_OUTCOME_NONE, err);
        }
    }
    (void)ia_err_set(err, IA_E_DEVICE, "the agent answered: %s", said);
    ia_err_hint(err, "look at the screen, then try another way");
    return ia_bridge_client_outcome(IA_E_DEVICE, effect ? IA_OUTCOME_UNKNOWN : IA_OUTCOME_NONE,
                                    err);
}

enum ia_rc ia_bridge_client_unsupported(const struct ia_bridge_client *h, const char *what,
                                        struct ia_err *err)
{
    enum ia_rc rc;
    if (h->mode == IA_BRIDGE_CLIENT_CLASSIC) {
        rc = ia_err_set(
            err, IA_E_UNSUPPORTED,
            "%s: the agent supports only the classic requests, which do not include it", what);
        ia_err_hint(err, "start this program's bridge instead: ios-agent bridge start");
    } else {
        rc = ia_err_set(err, IA_E_UNSUPPORTED, "%s: the bridge does not support it", what);
        ia_err_hint(err, "do it another way, or with another device");
    }
    return ia_bridge_client_outcome(rc, IA_OUTCOME_NOT_SENT, err);
}

void ia_bridge_client_where(const struct ia_bridge_client *h, char *dst, size_t size)
{
    bool v6 = strchr(h->place.address, ':') != NULL;
    (void)snprintf(dst, size, v6 ? "[%s]:%u" : "%s:%u", h->place.address,
                   (unsigned)h->place.port);
}

void ia_bridge_client_fix(const struct ia_bridge_client *h, enum ia_bridge_client_life life,
                          struct ia_err *err)
{
    const char *udid = h->status.udid[0] != '\0' ? h->status.udid : h->wanted;
    if (h->status.features & IA_WIRE_FEATURE_SIMULATED) {
        ia_err_hint(err, "start it again: ios-agent embedded serve --port %u",
                    (unsigned)h->place.port);
    } else if (life == IA_BRIDGE_CLIENT_DEVICE_GONE && udid[0] != '\0') {
        ia_err_hint(err, "boot it: ios-agent boot %s; then ios-agent bridge start", udid);
    } else if (life == IA_BRIDGE_CLIENT_RUNNER_UP) {
        ia_err_hint(err,
                    "the runner hangs: ios-agent bridge stop, then ios-agent bridge start; "
                    "ios-agent bridge logs shows what it did last");
    } else {
        ia_err_hint(err, "start it: ios-agent bridge start; its last output: "
                         "ios-agent bridge logs");
    }
}
