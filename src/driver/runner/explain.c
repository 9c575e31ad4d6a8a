/* explain.c: why a tool or a runner failed, in one table: what it printed, what it means, what to
 * do. xcodebuild ends with 65 for whatever fails in a build or a test, with 70 when it finds no
 * destination or platform, with 69 without the licence (sysexits(3)): the text says more, so it
 * decides. Sources of the texts: tests/data/xcodebuild/errors.jsonl. */
#include "driver/runner/impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row {
    enum ia_runner_cause cause;
    const char *text;
    enum ia_rc rc;
    const char *hint;
    const char *tool; /* the tool that means this by it; NULL: any */
};

static const char hint_xcode[] =
    "install Xcode and select it: sudo xcode-select -s /Applications/Xcode.app";
static const char hint_again[] =
    "start it again; if that does not help, shut the simulator down and boot it: ios-agent "
    "shutdown NAME, ios-agent boot NAME";
static const char hint_destination[] =
    "this Xcode does not have the simulator: see xcrun simctl list devices available, or "
    "select another Xcode with xcode-select -s";

static const char hint_compiler[] = "the bridge does not compile or link with this Xcode: "
                                    "select another with xcode-select -s, or update ios-agent";

/* The first row whose text is in the output decides: specific texts come first. */
static const struct row rows[] = {
    {IA_RUNNER_CAUSE_PORT, "Address already in use", IA_E_BUSY,
     "another program uses its port: quit that program, or start again to use the next port",
     NULL},
    {IA_RUNNER_CAUSE_PORT, "address in use", IA_E_BUSY,
     "another program uses its port: quit that program, or start again to use the next port",
     NULL},
    {IA_RUNNER_CAUSE_LICENSE, "Xcode/iOS license", IA_E_MISSING,
     "accept Xcode's licence: sudo xcodebuild -license accept", NULL},
    {IA_RUNNER_CAUSE_LICENSE, "not agreed to the Xcode license", IA_E_MISSING,
     "accept Xcode's licence: sudo xcodebuild -license accept", NULL},
    {IA_RUNNER_CAUSE_NO_XCODE, "requires Xcode, but active developer directory", IA_E_MISSING,
     hint_xcode, NULL},
    {IA_RUNNER_CAUSE_NO_XCODE, "invalid active developer path", IA_E_MISSING, hint_xcode, NULL},
    {IA_RUNNER_CAUSE_NO_XCODE, "SDK \"iphonesimulator\" cannot be located", IA_E_MISSING,
     hint_xcode, NULL},
    {IA_RUNNER_CAUSE_SIGNING, "resource fork, Finder information, or similar detritus",
     IA_E_DEVICE,
     "files of Xcode carry attributes that cannot be signed: run xattr -cr on the folder that "
     "the message names, then ios-agent bridge build --force",
     NULL},
    {IA_RUNNER_CAUSE_SIGNING, "errSecInternalComponent", IA_E_DEVICE,
     "the keychain is locked: run security unlock-keychain, or start from a terminal on the "
     "desktop",
     NULL},
    {IA_RUNNER_CAUSE_SIGNING, "code object is not signed", IA_E_DEVICE,
     "build it again: ios-agent bridge build --force", NULL},
    {IA_RUNNER_CAUSE_SIGNING, "Code Signing Error", IA_E_DEVICE,
     "build it again: ios-agent bridge build --force; a simulator needs no certificate", NULL},
    {IA_RUNNER_CAUSE_SIGNING, "code signature invalid", IA_E_DEVICE,
     "build it again: ios-agent bridge build --force", NULL},
    {IA_RUNNER_CAUSE_RUNTIME, "is not installed. Please download and install the platform",
     IA_E_MISSING, "install the platform: xcodebuild -downloadPlatform iOS", NULL},
    {IA_RUNNER_CAUSE_RUNTIME, "is not installed. To use with Xcode", IA_E_MISSING,
     "install the platform: xcodebuild -downloadPlatform iOS", NULL},
    {IA_RUNNER_CAUSE_NO_DESTINATION, "Unable to find a destination matching", IA_E_NO_DEVICE,
     hint_destination, NULL},
    {IA_RUNNER_CAUSE_NO_DESTINATION, "Unable to find a device matching", IA_E_NO_DEVICE,
     hint_destination, NULL},
    {IA_RUNNER_CAUSE_SHUT_DOWN, "in current state: Shutdown", IA_E_STATE,
     "boot it first: ios-agent boot NAME", NULL},
    {IA_RUNNER_CAUSE_SHUT_DOWN, "Timed out waiting 120 seconds for simulator to boot",
     IA_E_DEVICE_LOST, "boot it first, and check that it comes up: ios-agent boot NAME", NULL},
    {IA_RUNNER_CAUSE_TESTMANAGER, "Timed out while enabling automation mode", IA_E_DEVICE,
     hint_again, NULL},
    {IA_RUNNER_CAUSE_TESTMANAGER, "Timed out while loading Accessibility", IA_E_DEVICE,
     hint_again, NULL},
    {IA_RUNNER_CAUSE_TESTMANAGER, "Cannot initiate shared session more than once", IA_E_DEVICE,
     "two controllers compete for the test session; build it again: ios-agent bridge build "
     "--force",
     NULL},
    {IA_RUNNER_CAUSE_TESTMANAGER, "Lost connection to testmanagerd", IA_E_DEVICE, hint_again,
     NULL},
    {IA_RUNNER_CAUSE_TESTMANAGER, "failed to initialize for UI testing", IA_E_DEVICE,
     hint_again, NULL},
    {IA_RUNNER_CAUSE_CRASHED, "Early unexpected exit", IA_E_DEVICE,
     "the test host crashed before the test: build it again (ios-agent bridge build --force); "
     "its crash report is in ~/Library/Logs/DiagnosticReports",
     NULL},
    {IA_RUNNER_CAUSE_CRASHED, "Test runner exited before starting test execution", IA_E_DEVICE,
     "the test host crashed before the test: build it again (ios-agent bridge build --force); "
     "its crash report is in ~/Library/Logs/DiagnosticReports",
     NULL},
    {IA_RUNNER_CAUSE_CRASHED, "Test crashed with signal", IA_E_DEVICE,
     "start it again; its crash report is in ~/Library/Logs/DiagnosticReports", NULL},
    {IA_RUNNER_CAUSE_CRASHED, "Library not loaded", IA_E_DEVICE,
     "it was built with another Xcode: ios-agent bridge build --force", NULL},
    {IA_RUNNER_CAUSE_BAD_BUILD, "There are no test bundles available to test", IA_E_DEVICE,
     "the build is incomplete: ios-agent bridge build --force", NULL},
    {IA_RUNNER_CAUSE_BAD_BUILD, "Failed to load the test bundle", IA_E_DEVICE,
     "the build does not fit this Xcode: ios-agent bridge build --force", NULL},
    {IA_RUNNER_CAUSE_COMPILER, "linker command failed", IA_E_CHILD, hint_compiler, NULL},
    {IA_RUNNER_CAUSE_COMPILER, " error: ", IA_E_CHILD, hint_compiler, "clang"},
    {IA_RUNNER_CAUSE_COMPILER, "** TEST BUILD FAILED **", IA_E_CHILD, hint_compiler, NULL},
    {IA_RUNNER_CAUSE_OTHER, "BRIDGE_FAILED", IA_E_DEVICE, hint_again, NULL},
    {IA_RUNNER_CAUSE_OTHER, "Testing failed:", IA_E_DEVICE, hint_again, NULL},
};

/* ---- text -------------------------------------------------------------------------------- */

static struct ia_str trimmed(struct ia_str line)
{
    for (; line.n > 0 && (line.p[0] == ' ' || line.p[0] == '\t'); line.p++, line.n--) {
    }
    for (; line.n > 0 && strchr(" \t\r", line.p[line.n - 1]); line.n--) {
    }
    return line;
}

/* The line that `at` lies in. */
static struct ia_str line_around(struct ia_str text, const char *at)
{
    const char *from = at;
    const char *end = memchr(at, '\n', (size_t)(text.p + text.n - at));
    for (; from > text.p && from[-1] != '\n'; from--) {
    }
    end = end ? end : text.p + text.n;
    return trimmed((struct ia_str){from, (size_t)(end - from)});
}

/* Cuts the last line off the text. */
static struct ia_str pop_line(struct ia_str *text)
{
    size_t at = text->n;
    while (at > 0 && text->p[at - 1] != '\n') {
        at--;
    }
    struct ia_str line = trimmed((struct ia_str){text->p + at, text->n - at});
    text->n = at > 0 ? at - 1 : 0;
    return line;
}

void ia_runner_last_lines(struct ia_str text, int lines, char *dst, size_t size)
{
    struct ia_str found[16];
    int n = 0;
    struct ia_buf joined = IA_BUF(65536);
    while (text.n > 0 && n < lines && n < (int)IA_COUNTOF(found)) {
        struct ia_str line = pop_line(&text);
        if (line.n > 0) {
            found[n++] = line;
        }
    }
    while (n > 0) {
        struct ia_str *line = &found[--n];
        ia_buf_put(&joined, line->p, line->n < 200 ? line->n : 200);
        ia_buf_puts(&joined, n > 0 ? " | " : "");
    }
    (void)snprintf(dst, size, "%s", ia_buf_cstr(&joined));
    ia_buf_fini(&joined);
}

/* ---- explaining -------------------------------------------------------------------------- */

static void how_it_ended(const struct ia_runner_end *end, char *dst, size_t size)
{
    if (end->signal != 0) {
        (void)snprintf(dst, size, "%s was killed by signal %d", end->what, end->signal);
    } else if (end->exit_status >= 0) {
        (void)snprintf(dst, size, "%s exited with status %d", end->what, end->exit_status);
    } else {
        (void)snprintf(dst, size, "%s is gone", end->what);
    }
}

static enum ia_rc unknown_failure(const struct ia_runner_end *end, const char *how,
                                  struct ia_err *err)
{
    char last[256];
    ia_runner_last_lines(end->text, 3, last, sizeof(last));
    enum ia_rc rc =
        ia_err_set(err, end->exit_status == 70 ? IA_E_NO_DEVICE : IA_E_DEVICE, "%s%s%s", how,
                   last[0] != '\0' ? ": " : " without any output", last);
    if (end->exit_status == 70) {
        ia_err_hint(err, "%s", hint_destination);
    } else if (end->exit_status == 69) {
        ia_err_hint(err, "accept Xcode's licence: sudo xcodebuild -license accept");
    } else {
        ia_err_hint(
            err,
            "ios-agent bridge logs shows its whole output; ios-agent doctor checks every part");
    }
    return rc;
}

enum ia_rc ia_runner_explain(const struct ia_runner_end *end, enum ia_runner_cause *ret_cause,
                             struct ia_err *err)
{
    char how[128];
    how_it_ended(end, how, sizeof(how));
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        bool other = rows[i].tool && strcmp(rows[i].tool, end->what) != 0;
        const char *at = other ? NULL : ia_str_find(end->text, rows[i].text);
        if (at) {
            struct ia_str line = line_around(end->text, at);
            *ret_cause = rows[i].cause;
            (void)ia_err_set(err, rows[i].rc, "%s: %.*s", how,
                             (int)(line.n < 300 ? line.n : 300), line.p);
            ia_err_hint(err, "%s", rows[i].hint);
            return rows[i].rc;
        }
    }
    *ret_cause = IA_RUNNER_CAUSE_OTHER;
    return unknown_failure(end, how, err);
}
