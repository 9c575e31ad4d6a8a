/* verbs.h: what a person, a coding agent or a page can do with a device: one table for the command
 * line, MCP and the control API.
 *
 * A verb takes named values (opt/opt.h): words of a command line, members of a JSON object, or the
 * arguments of an MCP tool, all read into a struct ia_args by the verb's own table. It says what
 * happened as text (for people and models) and as one JSON value (for programs). Verbs of one device
 * run one at a time, in order of arrival. */
#ifndef IA_SERVER_VERBS_VERBS_H
#define IA_SERVER_VERBS_VERBS_H

#include "base/buf.h"
#include "base/err.h"
#include "driver/device.h"
#include "opt/opt.h"
#include "server/hub/hub.h"

#include <jansson.h>

enum ia_verb_flags {
    IA_VERB_READS = 0,
    IA_VERB_ACTS = 1,  /* may change the device */
    IA_VERB_TELLS = 2, /* fails when something does not hold: is, wait-for */
};

/* X(id, "name", "operands as the help shows them", flags, "summary", "examples, a line each") */
#define IA_VERB_LIST(X)                                                                        \
    X(snapshot, "snapshot", NULL, IA_VERB_READS, "show what the model sees of a screen",       \
      "ios-agent snapshot\nios-agent snapshot --json > screen.json\n"                          \
      "ios-agent snapshot --from axe.json\n")                                                  \
    X(screenshot, "screenshot", "[OUT]", IA_VERB_READS, "save a picture of the screen",        \
      "ios-agent screenshot --out out.png\nios-agent screenshot refs.png --annotate\n")        \
    X(tap, "tap", "REF", IA_VERB_ACTS, "tap an element",                                       \
      "ios-agent tap @e12\nios-agent tap 'button \"Done\"'\n")                                 \
    X(long_press, "long-press", "REF", IA_VERB_ACTS, "press an element for a while",           \
      "ios-agent long-press @e12 --ms 1500\n")                                                 \
    X(type, "type", "REF TEXT", IA_VERB_ACTS, "focus a field, type, and read it back",         \
      "ios-agent type @e9 \"hello@example.com\"\n"                                             \
      "ios-agent type '#search' milk --replace --submit\n")                                    \
    X(clear, "clear", "REF", IA_VERB_ACTS, "empty a text field", "ios-agent clear @e9\n")      \
    X(swipe, "swipe", "DIRECTION [REF]", IA_VERB_ACTS,                                         \
      "move the finger: up shows what is further down",                                        \
      "ios-agent swipe up\nios-agent swipe @e7 left\n")                                        \
    X(drag, "drag", "FROM TO", IA_VERB_ACTS, "drag from one element or point to another",      \
      "ios-agent drag @e7 @e9\nios-agent drag 100,300 100,500 --ms 800\n")                     \
    X(pinch, "pinch", "[REF]", IA_VERB_ACTS, "move two fingers apart or together",             \
      "ios-agent pinch --scale 2\nios-agent pinch @e4 --scale 0.5\n")                          \
    X(scroll_to, "scroll-to", "TEXT", IA_VERB_ACTS, "scroll until a text is on the screen",    \
      "ios-agent scroll-to \"Privacy & Security\"\n")                                          \
    X(back, "back", NULL, IA_VERB_ACTS, "go one screen back", "ios-agent back\n")              \
    X(press, "press", "BUTTON", IA_VERB_ACTS, "press a hardware button",                       \
      "ios-agent press home\n")                                                                \
    X(rotate, "rotate", "ORIENTATION", IA_VERB_ACTS, "turn the device",                        \
      "ios-agent rotate landscape\nios-agent rotate portrait\n")                               \
    X(alert, "alert", "ACTION|LABEL", IA_VERB_ACTS, "answer the alert on the screen",          \
      "ios-agent alert accept\nios-agent alert \"Don't Allow\"\n")                             \
    X(open, "open", "WHAT", IA_VERB_ACTS, "bring an app to the front, or open a URL",          \
      "ios-agent open Settings\nios-agent open com.example.App\n"                              \
      "ios-agent open https://example.com\n")                                                  \
    X(audit, "audit", NULL, IA_VERB_TELLS, "check the screen's accessibility",                 \
      "ios-agent audit\nios-agent audit --fail-on warning --json\n")                           \
    X(status_bar, "status-bar", "[clear]", IA_VERB_ACTS, "change what the status bar shows",   \
      "ios-agent status-bar --time 9:41 --battery-level 100 --battery-state charged\n"         \
      "ios-agent status-bar clear\n")                                                          \
    X(privacy, "privacy", "SET SERVICE [BUNDLE]", IA_VERB_ACTS, "change what apps may do",     \
      "ios-agent privacy grant photos com.example.App\n"                                       \
      "ios-agent privacy reset all com.example.App\n")                                         \
    X(location, "location", "PLACE", IA_VERB_ACTS, "say where the device is",                  \
      "ios-agent location 47.3769,8.5417\nios-agent location clear\n")                         \
    X(push, "push", "[BUNDLE]", IA_VERB_ACTS, "deliver a notification",                        \
      "ios-agent push com.example.App --title Hello --body \"Your order is ready\"\n"          \
      "ios-agent push com.example.App --payload payload.json\n")                               \
    X(media, "media", "FILE", IA_VERB_ACTS, "add a photo or video to the library",             \
      "ios-agent media photo.png\n")                                                           \
    X(pasteboard, "pasteboard", "[TEXT]", IA_VERB_ACTS, "fill the pasteboard, or print it",    \
      "ios-agent pasteboard \"a text\"\nios-agent pasteboard\n")                               \
    X(record, "record", "SET [FILE]", IA_VERB_ACTS, "film the screen",                         \
      "ios-agent record start film.mp4\nios-agent record stop\n")                              \
    X(wait_for, "wait-for", "WHAT [ELEMENT]", IA_VERB_TELLS, "wait until a condition holds",   \
      "ios-agent wait-for @e12 --seconds 5\nios-agent wait-for gone '\"Loading\"'\n"           \
      "ios-agent wait-for text \"Saved\"\n")                                                   \
    X(is, "is", "WHAT [ELEMENT]", IA_VERB_TELLS, "check what is on the screen",                \
      "ios-agent is 'visible \"Done\"'\nios-agent is enabled @e12\n"                           \
      "ios-agent is 'value #volume = \"50%\"'\n")                                              \
    X(get, "get", "WHAT [ELEMENT]", IA_VERB_READS, "print one thing of an element or screen",  \
      "ios-agent get value @e9\nios-agent get app\nios-agent get count button\n")

/* Verbs whose commands also know simulators, which they reach without a runner. */
#define IA_VERB_APP_LIST(X)                                                                    \
    X(launch, "launch", "BUNDLE [-- ARG...]", IA_VERB_ACTS, "start an app",                    \
      "ios-agent launch com.example.App\nios-agent launch com.apple.Preferences --device "     \
      "embedded\n")                                                                            \
    X(terminate, "terminate", "BUNDLE", IA_VERB_ACTS, "end an app",                            \
      "ios-agent terminate com.example.App\n")                                                 \
    X(open_url, "open-url", "URL", IA_VERB_ACTS, "open a URL in the app that handles it",      \
      "ios-agent open-url https://example.com\n")

#define IA_VERB_BYTES_MAX ((size_t)64 << 20) /* of a file, a picture or a result */
enum { IA_VERB_WORD_MAX = 1 << 20 };         /* bytes of one value */

struct ia_verb_call;
struct ia_verb_result {
    struct ia_buf text;   /* for people; also what a model reads */
    struct ia_buf result; /* one JSON value; empty is null */
    struct ia_buf file;   /* bytes for the path that the caller named (screenshot, record) */
    struct ia_buf image;  /* a PNG in points that belongs to the text */
    bool fence; /* text holds what the screen says: whoever gives it to a model fences it */
};
void ia_verb_result_init(struct ia_verb_result *r);
void ia_verb_result_fini(struct ia_verb_result *r);

typedef enum ia_rc ia_verb_fn(struct ia_verb_call *call, struct ia_verb_result *ret,
                              struct ia_err *err);

struct ia_verb {
    const char *name;     /* "long-press"; two words for "sim create" */
    const char *operands; /* as the help shows them */
    const struct ia_opt *opts;
    unsigned flags;
    ia_verb_fn *run;
    const char *summary; /* one line */
};
#define IA_VERB_OPTS(id, name, operands, flags, summary, examples)                             \
    extern const struct ia_opt ia_verb_##id##_opts[];
IA_VERB_LIST(IA_VERB_OPTS)
IA_VERB_APP_LIST(IA_VERB_OPTS)
#undef IA_VERB_OPTS
/* Ended by a NULL name. */
extern const struct ia_verb ia_verbs[];
const struct ia_verb *ia_verb_find(const char *name); /* NULL: there is none */

/* What can be said of the arguments without a device: that required ones are there, and go together.
 * Before anything is opened or connected to. IA_E_USAGE. */
enum ia_rc ia_verb_check(const struct ia_verb *verb, const struct ia_args *args,
                         struct ia_err *err);

/* Who asks and from where: nothing of it outlives the call. */
struct ia_verb_request {
    const struct ia_verb *verb;
    const struct ia_args *args;
    const char *actor;        /* "cli", "mcp", "http", "dashboard" */
    const char *cwd;          /* of the caller: its project's configuration; NULL: none */
    const char *device;       /* of the caller's environment; NULL: the configuration decides */
    struct ia_device_env env; /* of the caller's environment */
    const char *session;      /* named session (hub.h); NULL or "": none */
    uint64_t look;            /* the look that its caller goes by (ia_session_go_by); 0: none */
    struct ia_deadline deadline;
};
/* Takes the lane, does it, gives the lane back. Any thread. On failure *ret has what is known: the
 * present screen, candidates. */
enum ia_rc ia_verb_run(struct ia_hub *hub, const struct ia_verb_request *request,
                       struct ia_verb_result *ret, struct ia_err *err);

/* Appends the name of the device that a request means, whose table has "device" and "session"; its verb
 * is not looked at. */
enum ia_rc ia_verb_device(struct ia_hub *hub, const struct ia_verb_request *request,
                          struct ia_buf *ret, struct ia_err *err);

/* Reads a JSON object into arguments: a member for each option, with "_" or "-" in its name; numbers,
 * booleans and arrays for those that repeat. Texts are copied; free with ia_verb_args_fini.
 * IA_E_USAGE for what the table has not, with the nearest name. */
enum ia_rc ia_verb_args_read(const struct ia_opt *opts, const json_t *object,
                             struct ia_args *ret, struct ia_err *err);
void ia_verb_args_fini(struct ia_args *args);

#endif
