/* errors.c: from what simctl printed to a code, a message and what to do.
 *
 *     exit status, stderr ─► code: "(domain=…, code=405)", else the exit status
 *                         ─► first row whose text is in stderr and whose code matches
 *                              ├ found: cause, code, outcome, hint from the row
 *                              └ none:  IA_E_DEVICE, outcome unknown
 *     message: the first line of stderr that is more than a preamble
 *
 * The exit status alone says little (it is the code modulo 256, and 149 stands for every wrong
 * state), and the texts change between versions of Xcode: a row needs both, and gives up the code
 * where Apple has changed it. */
#include "driver/simctl/errors.h"

#include "base/platform.h"

#include <stdlib.h>
#include <string.h>

/* ---- the table --------------------------------------------------------------------------- */

/* A row matches when stderr contains its text and its code (where it has one) is the NSError's, or
 * the exit status where no NSError is named. */
struct row {
    enum ia_simctl_cause cause;
    const char *text;
    int codes[2]; /* 0: any */
    enum ia_rc rc;
    enum ia_outcome outcome;
    const char *hint;
};

#define NOT_SENT IA_OUTCOME_NOT_SENT

static const char hint_boot[] = "boot it first: ios-agent boot NAME";
static const char hint_runtime[] =
    "install the runtime (xcodebuild -downloadPlatform iOS, or Xcode's settings under "
    "Components), or choose another simulator: ios-agent devices";
static const char hint_xcode[] =
    "install Xcode (the command line tools alone have no simulators) and select it: sudo "
    "xcode-select -s /Applications/Xcode.app; or use --device embedded, which needs neither";
static const char hint_license[] = "accept Xcode's licence: sudo xcodebuild -license accept";

/* The first row that matches decides: specific texts come before general ones. */
static const struct row rows[] = {
    /* xcrun and Xcode themselves */
    {IA_SIMCTL_NO_XCODE,
     "missing DEVELOPER_DIR path",
     {1},
     IA_E_MISSING,
     NOT_SENT,
     "DEVELOPER_DIR names a folder that does not exist: unset it, or set it to "
     "/Applications/Xcode.app/Contents/Developer"},
    {IA_SIMCTL_NO_XCODE,
     "invalid active developer path",
     {0},
     IA_E_MISSING,
     NOT_SENT,
     hint_xcode},
    {IA_SIMCTL_NO_XCODE, "developer tools were found", {0}, IA_E_MISSING, NOT_SENT, hint_xcode},
    {IA_SIMCTL_NO_SIMCTL, "unable to find utility", {72}, IA_E_MISSING, NOT_SENT, hint_xcode},
    {IA_SIMCTL_NO_XCODE,
     "requires Xcode, but active developer directory",
     {0},
     IA_E_MISSING,
     NOT_SENT,
     hint_xcode},
    {IA_SIMCTL_NO_LICENSE,
     "Agreeing to the Xcode/iOS license",
     {69},
     IA_E_MISSING,
     NOT_SENT,
     hint_license},
    {IA_SIMCTL_NO_LICENSE,
     "not agreed to the Xcode license",
     {0},
     IA_E_MISSING,
     NOT_SENT,
     hint_license},
    {IA_SIMCTL_BAD_COMMAND,
     "Unrecognized subcommand",
     {1},
     IA_E_UNSUPPORTED,
     NOT_SENT,
     "this Xcode's simctl is too old for that: update Xcode, or select a newer one with "
     "xcode-select"},

    /* the state of the simulator: SimError 405, formerly 164 and other numbers */
    {IA_SIMCTL_ALREADY_BOOTED,
     "Unable to boot device in current state: Booted",
     {405, 164},
     IA_E_STATE,
     NOT_SENT,
     "nothing to do: it is already booted; ios-agent shutdown shuts it down"},
    {IA_SIMCTL_ALREADY_SHUT_DOWN,
     "Unable to shutdown device in current state: Shutdown",
     {405, 164},
     IA_E_STATE,
     NOT_SENT,
     "nothing to do: it is already shut down"},
    {IA_SIMCTL_NOT_SHUT_DOWN,
     "Unable to erase contents and settings in current state",
     {405, 164},
     IA_E_STATE,
     NOT_SENT,
     "shut it down first: ios-agent shutdown NAME; ios-agent reset-sim does both"},
    {IA_SIMCTL_NOT_BOOTED,
     "Unable to lookup in current state: Shutdown",
     {405, 164},
     IA_E_STATE,
     NOT_SENT,
     hint_boot},
    {IA_SIMCTL_NOT_BOOTED,
     "in current state: Shutdown",
     {405, 164},
     IA_E_STATE,
     NOT_SENT,
     hint_boot},
    {IA_SIMCTL_NOT_SHUT_DOWN,
     "in current state: Booted",
     {405, 164},
     IA_E_STATE,
     NOT_SENT,
     "shut it down first: ios-agent shutdown NAME"},
    {IA_SIMCTL_WRONG_STATE,
     "in current state:",
     {405, 164},
     IA_E_STATE,
     NOT_SENT,
     "it is between two states: try again in a moment; ios-agent devices shows its state"},

    /* which simulator */
    {IA_SIMCTL_NO_DEVICE,
     "Invalid device or device pair:",
     {148},
     IA_E_NO_DEVICE,
     NOT_SENT,
     "it was deleted or never existed: ios-agent devices lists what there is"},
    {IA_SIMCTL_BAD_TYPE,
     "Invalid device type:",
     {0},
     IA_E_NOT_FOUND,
     NOT_SENT,
     "xcrun simctl list devicetypes shows the types"},
    {IA_SIMCTL_NO_DEVICE,
     "Invalid device:",
     {148},
     IA_E_NO_DEVICE,
     NOT_SENT,
     "it was deleted or never existed: ios-agent devices lists what there is"},
    {IA_SIMCTL_NONE_BOOTED,
     "No devices are booted.",
     {148},
     IA_E_NO_DEVICE,
     NOT_SENT,
     "boot one: ios-agent boot NAME"},
    {IA_SIMCTL_BAD_RUNTIME,
     "Invalid runtime:",
     {0},
     IA_E_NOT_FOUND,
     NOT_SENT,
     "xcrun simctl list runtimes shows the runtimes; xcodebuild -downloadPlatform iOS installs "
     "one"},
    {IA_SIMCTL_MISMATCH,
     "Incompatible device",
     {163},
     IA_E_UNSUPPORTED,
     NOT_SENT,
     "this type of device does not run this iOS: choose another pair from xcrun simctl list"},
    {IA_SIMCTL_RUNTIME_MISSING,
     "cannot determine the runtime bundle",
     {2},
     IA_E_MISSING,
     NOT_SENT,
     hint_runtime},
    {IA_SIMCTL_RUNTIME_MISSING,
     "The runtime is not available",
     {162},
     IA_E_MISSING,
     NOT_SENT,
     hint_runtime},
    {IA_SIMCTL_SERVICE_DEAD,
     "launchd failed to respond",
     {60},
     IA_E_DEVICE_LOST,
     NOT_SENT,
     "the simulator's own launchd does not answer: xcrun simctl shutdown all, then boot again; "
     "if that fails too, restart the Mac"},

    /* apps */
    {IA_SIMCTL_NOT_RUNNING,
     "found nothing to terminate",
     {3},
     IA_E_STATE,
     NOT_SENT,
     "nothing to do: the app is not running"},
    {IA_SIMCTL_DENIED,
     "denied by service delegate",
     {1},
     IA_E_DEVICE,
     NOT_SENT,
     "SpringBoard refuses to open the app: install it again (ios-agent install), or shut the "
     "simulator down and boot it"},
    {IA_SIMCTL_NOT_INSTALLED,
     "Simulator device failed to launch",
     {4},
     IA_E_NO_APP,
     NOT_SENT,
     "install it first: ios-agent install APP --sim NAME; xcrun simctl listapps UDID shows the "
     "bundle ids"},
    {IA_SIMCTL_NO_FILE,
     "failed: No such file or directory",
     {2},
     IA_E_NOT_FOUND,
     NOT_SENT,
     "give the path of an existing .app folder, such as "
     "Build/Products/Debug-iphonesimulator/My.app"},
    {IA_SIMCTL_NO_FILE,
     "An application bundle was not found at the provided path",
     {2},
     IA_E_NOT_FOUND,
     NOT_SENT,
     "give the path of an .app folder with an Info.plist, such as "
     "Build/Products/Debug-iphonesimulator/My.app"},
    {IA_SIMCTL_WRONG_PLATFORM,
     "needs to be updated by the developer",
     {4},
     IA_E_UNSUPPORTED,
     NOT_SENT,
     "build the app for the iphonesimulator SDK and for this iOS: see its MinimumOSVersion and "
     "CFBundleSupportedPlatforms"},
    {IA_SIMCTL_NO_HANDLER,
     "failed to open",
     {115},
     IA_E_NO_APP,
     NOT_SENT,
     "no app on it opens such URLs: install one that does (CFBundleURLTypes), or fix the URL"},
    {IA_SIMCTL_NO_HANDLER,
     "OSStatus error -10814",
     {-10814},
     IA_E_NO_APP,
     NOT_SENT,
     "no app on it opens such URLs: install one that does (CFBundleURLTypes), or fix the URL"},

    /* settings and screen */
    {IA_SIMCTL_BAD_SERVICE,
     "Failed to create TCC authorization record",
     {1},
     IA_E_UNSUPPORTED,
     NOT_SENT,
     "simctl cannot grant this; it knows all, calendar, contacts, location, photos, "
     "media-library, microphone, motion, reminders and siri. Answer the app's own prompt "
     "instead"},
    {IA_SIMCTL_BAD_VALUE,
     "Invalid argument",
     {22},
     IA_E_USAGE,
     NOT_SENT,
     "the simulator does not accept this value: xcrun simctl help VERB shows what it accepts"},
    {IA_SIMCTL_NO_SCREEN,
     "Timeout waiting for screen surfaces",
     {0},
     IA_E_STATE,
     NOT_SENT,
     "it has no screen yet or is shut down: ios-agent boot NAME"},
};

/* ---- reading what was printed ------------------------------------------------------------ */

/* The same line without blanks around it. */
static struct ia_str trimmed(struct ia_str line)
{
    for (; line.n > 0 && (line.p[0] == ' ' || line.p[0] == '\t'); line.p++, line.n--) {
    }
    for (; line.n > 0 && (line.p[line.n - 1] == '\r' || line.p[line.n - 1] == ' '); line.n--) {
    }
    return line;
}

/* The code of the first "(domain=…, code=405):", or 0. */
static int error_code(struct ia_str err)
{
    static const char mark[] = ", code=";
    const char *at = ia_str_find(err, mark);
    if (!at) {
        return 0;
    }
    at += sizeof(mark) - 1;
    char digits[12] = "";
    size_t room = (size_t)(err.p + err.n - at);
    memcpy(digits, at, room < sizeof(digits) - 1 ? room : sizeof(digits) - 1);
    return (int)strtol(digits, NULL, 10);
}

/* Lines that only introduce the next ones. */
static bool is_preamble(struct ia_str line)
{
    static const char *const starts[] = {
        "An error was encountered processing the command", "Device boot failed",
        "Underlying error (domain=",
        "Simulator device failed to complete the requested operation",
        "Simulator device returned an error for the requested operation"};
    bool preamble = line.n == 0;
    for (size_t i = 0; i < IA_COUNTOF(starts) && !preamble; i++) {
        preamble = ia_str_starts(line, ia_str(starts[i]));
    }
    return preamble;
}

/* The first line that names the failure; else the first that is not empty. */
static struct ia_str main_line(struct ia_str text)
{
    struct ia_str line = {NULL, 0};
    struct ia_str first = {NULL, 0};
    while (ia_str_line(&text, &line)) {
        line = trimmed(line);
        if (!is_preamble(line)) {
            return line;
        }
        first = first.n > 0 ? first : line;
    }
    return first;
}

/* ---- explaining -------------------------------------------------------------------------- */

static const struct row *find(const struct ia_simctl_end *e)
{
    int code = error_code(e->err);
    code = code != 0 ? code : e->exit_status;
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        const struct row *r = &rows[i];
        bool any_code = r->codes[0] == 0;
        bool same_code = code == r->codes[0] || (r->codes[1] != 0 && code == r->codes[1]);
        if ((any_code || same_code) && ia_str_find(e->err, r->text)) {
            return r;
        }
    }
    return NULL;
}

static enum ia_rc ended_by_signal(const struct ia_simctl_end *e, struct ia_err *err)
{
    struct ia_str line = main_line(e->err);
    enum ia_rc rc =
        ia_err_set(err, IA_E_DEVICE, "simctl %s was killed by signal %d%s%.*s", e->verb,
                   e->signal, line.n > 0 ? ": " : "", (int)line.n, line.n > 0 ? line.p : "");
    ia_err_hint(err, "something else killed it; check the state with ios-agent devices");
    return rc;
}

static enum ia_rc unknown_failure(const struct ia_simctl_end *e, struct ia_err *err)
{
    struct ia_str line = main_line(e->err);
    line = line.n > 0 ? line : main_line(e->out);
    if (line.n == 0) {
        line = ia_str("it printed nothing");
    }
    enum ia_rc rc = ia_err_set(err, IA_E_DEVICE, "simctl %s: %.*s (status %d)", e->verb,
                               (int)line.n, line.p, e->exit_status);
    ia_err_hint(err,
                "check the state with ios-agent devices, and every part with ios-agent doctor");
    return rc;
}

enum ia_rc ia_simctl_explain(const struct ia_simctl_end *end, enum ia_simctl_cause *ret_cause,
                             struct ia_err *err)
{
    const struct row *r = end->signal == 0 ? find(end) : NULL;
    enum ia_rc rc;
    if (r) {
        struct ia_str line = main_line(end->err);
        rc = ia_err_set(err, r->rc, "simctl %s: %.*s", end->verb, (int)line.n, line.p);
        ia_err_hint(err, "%s", r->hint);
    } else {
        rc = end->signal != 0 ? ended_by_signal(end, err) : unknown_failure(end, err);
    }
    if (err) {
        err->outcome = r ? r->outcome : IA_OUTCOME_UNKNOWN;
        err->retry_safe = r && r->outcome == IA_OUTCOME_NOT_SENT;
    }
    if (ret_cause) {
        *ret_cause = r ? r->cause : IA_SIMCTL_OTHER;
    }
    return rc;
}

void ia_simctl_hint_missing(struct ia_err *err)
{
    if (ia_platform_here() == IA_PLATFORM_MACOS) {
        ia_err_hint(err, "%s", hint_xcode);
    } else {
        ia_err_hint(err, "simulators need macOS with Xcode; --device embedded is a phone "
                         "simulated by this program, and works here");
    }
}
