/* verb_options.c: the values that each verb takes: words and options of a command line, members of a
 * request. */
#include "server/verbs/verb_options.h"
#include "driver/adapt/adapt.h"
#include "server/verbs/verbs.h"

#define HELP_REF "12, @e12, \"label\", role \"label\", #identifier or focused"

/* Which device; every table ends with these. */
#define END                                                                                    \
    IA_OPTION(TEXT, "device", "NAME",                                                          \
              "embedded[:NAME], iphone:UDID, bridge:UDID, bridge:HOST:PORT, wda:URL or a "     \
              "simulator's name"),                                                             \
        IA_OPTION(TEXT, "session", "NAME", "remembers its device: several at once"),           \
        IA_FLAG("no-daemon", "work in this process, and keep no refs for the next command",    \
                .local = true),                                                                \
        IA_OPTS_END

#define REF(place, must)                                                                       \
    IA_OPTION(TEXT, "ref", "REF", HELP_REF, .operand = (place), .required = (must))

const struct ia_opt ia_verb_snapshot_opts[] = {
    IA_FLAG("text", "the text form (default)"),
    IA_FLAG("rows", "ref|action|role:states|label|value|identifier; with --json lists of them"),
    IA_FLAG("status", "also the status bar, and the keys that are no letters"),
    IA_FLAG("next", "also list the most likely next steps"),
    IA_OPTION(INT, "max-bytes", "N",
              "size limit; the least useful elements go first (default 12000)", .min = 100,
              .max = 1000000),
    IA_FLAG("screenshot", "with --json: also a PNG, as a data: URI"),
    IA_OPTION(OUT, "annotate", "OUT.png", "draw refs on the screen, with a legend"),
    IA_OPTION(PATH, "from", "FILE", "a tree that another tool printed; - is standard input",
              .local = true),
    IA_OPTION(CHOICE, "source", IA_SOURCE_NAMES, "the tool that printed it", .local = true),
    END,
};

const struct ia_opt ia_verb_screenshot_opts[] = {
    IA_OPTION(OUT, "out", "OUT.png",
              "where to save it (default screenshot.png); - is standard output", .operand = 1,
              .fallback = "screenshot.png"),
    IA_FLAG("annotate", "draw refs on it, with a legend"),
    IA_FLAG("points", "one pixel for each point, as frames count"),
    END,
};

const struct ia_opt ia_verb_tap_opts[] = {REF(1, true), END};

const struct ia_opt ia_verb_long_press_opts[] = {
    REF(1, true),
    IA_OPTION(INT, "ms", "N", "how long (default 1000)", .min = 300, .max = 10000),
    END,
};

const struct ia_opt ia_verb_type_opts[] = {
    REF(1, true),
    IA_OPTION(TEXT, "text", "TEXT", "what to type; - reads standard input", .operand = 2,
              .required = true),
    IA_FLAG("replace", "empty the field first"),
    IA_FLAG("submit", "press return after"),
    END,
};

const struct ia_opt ia_verb_clear_opts[] = {REF(1, true), END};

const struct ia_opt ia_verb_swipe_opts[] = {
    IA_OPTION(CHOICE, "direction", "up|down|left|right", "where the finger moves", .operand = 1,
              .required = true),
    REF(2, false),
    IA_OPTION(REAL, "distance", "X", "part of the stroke, 0.1 to 1 (default 0.8)"),
    END,
};

#define HELP_SPOT HELP_REF ", or a point: X,Y"
const struct ia_opt ia_verb_drag_opts[] = {
    IA_OPTION(TEXT, "from", "FROM", HELP_SPOT, .operand = 1, .required = true),
    IA_OPTION(TEXT, "to", "TO", HELP_SPOT, .operand = 2, .required = true),
    IA_OPTION(INT, "ms", "N", "how long the movement takes (default 500)", .min = 50,
              .max = 10000),
    END,
};

const struct ia_opt ia_verb_pinch_opts[] = {
    REF(1, false),
    IA_OPTION(REAL, "scale", "X",
              "above 1 to enlarge, below 1 to shrink; 0.1 to 10 (default 2)"),
    END,
};

const struct ia_opt ia_verb_scroll_to_opts[] = {
    IA_OPTION(TEXT, "text", "TEXT", "part of a label", .operand = 1, .required = true),
    IA_OPTION(INT, "max-swipes", "N", "give up after so many (default 12)", .min = 1,
              .max = 60),
    END,
};

const struct ia_opt ia_verb_back_opts[] = {END};

const struct ia_opt ia_verb_press_opts[] = {
    IA_OPTION(CHOICE, "button", "home|lock|volume_up|volume_down|back", "which one",
              .operand = 1, .required = true),
    END,
};

const struct ia_opt ia_verb_alert_opts[] = {
    IA_OPTION(CHOICE, "action", "accept|dismiss",
              "press the button that agrees, or the one that declines", .operand = 1),
    IA_OPTION(TEXT, "button", "LABEL", "press the button with this label instead",
              .operand = 2),
    END,
};

const struct ia_opt ia_verb_open_opts[] = {
    IA_OPTION(TEXT, "what", "WHAT", "a bundle id, a URL, or the name of an app: Settings",
              .operand = 1, .required = true),
    END,
};

const struct ia_opt ia_verb_audit_opts[] = {
    IA_OPTION(CHOICE, "fail-on", "error|warning|notice|never",
              "exit with 1 for findings of this severity or worse (default error)"),
    END,
};

/* Named as the fields of struct ia_status_bar (driver/system.h), which checks the values. */
const struct ia_opt ia_verb_status_bar_opts[] = {
    IA_OPTION(CHOICE, "what", "clear", "show again what is true", .operand = 1),
    IA_OPTION(TEXT, "time", "9:41", "the time"),
    IA_OPTION(INT, "battery-level", "N", "percent", .max = 100),
    IA_OPTION(CHOICE, "battery-state", "charging|charged|discharging", "whether it is charged"),
    IA_OPTION(INT, "wifi-bars", "N", "0 to 3", .max = 3),
    IA_OPTION(CHOICE, "wifi-mode", "searching|failed|active", "state of Wi-Fi"),
    IA_OPTION(INT, "cellular-bars", "N", "0 to 4", .max = 4),
    IA_OPTION(CHOICE, "cellular-mode", "notSupported|searching|failed|active",
              "state of the mobile network"),
    IA_OPTION(TEXT, "operator-name", "TEXT", "its name"),
    IA_OPTION(TEXT, "data-network", "TYPE", "hide, wifi, 3g, 4g, lte, 5g and so on"),
    END,
};

const struct ia_opt ia_verb_rotate_opts[] = {
    IA_OPTION(CHOICE, "orientation", "portrait|landscape|landscape-right|upside-down",
              "landscape: its top is at the left", .operand = 1, .required = true),
    END,
};

const struct ia_opt ia_verb_privacy_opts[] = {
    IA_OPTION(CHOICE, "set", "grant|revoke|reset", "permit, forbid, or ask again", .operand = 1,
              .required = true),
    IA_OPTION(TEXT, "service", "SERVICE",
              "all, calendar, contacts, location, microphone, photos, reminders and so on",
              .operand = 2, .required = true),
    IA_OPTION(TEXT, "bundle", "BUNDLE", "the app; none only for reset", .operand = 3),
    END,
};

const struct ia_opt ia_verb_location_opts[] = {
    IA_OPTION(TEXT, "place", "PLACE", "LATITUDE,LONGITUDE in degrees, or clear", .operand = 1,
              .required = true),
    END,
};

const struct ia_opt ia_verb_push_opts[] = {
    IA_OPTION(TEXT, "bundle", "BUNDLE", "the app; none where the payload names it",
              .operand = 1),
    IA_OPTION(TEXT, "title", "TEXT", "its first line"),
    IA_OPTION(TEXT, "body", "TEXT", "its text"),
    IA_OPTION(PATH, "payload", "FILE", "a file with the whole JSON payload instead"),
    END,
};

const struct ia_opt ia_verb_media_opts[] = {
    IA_OPTION(PATH, "file", "FILE", "a photo or a video", .operand = 1, .required = true),
    END,
};

const struct ia_opt ia_verb_pasteboard_opts[] = {
    IA_OPTION(TEXT, "text", "TEXT", "what to put there; - reads standard input", .operand = 1),
    END,
};

const struct ia_opt ia_verb_record_opts[] = {
    IA_OPTION(CHOICE, "set", "start|stop", "begin or end", .operand = 1, .required = true),
    IA_OPTION(PATH, "file", "FILE",
              "where the film is written: .mp4, and .apng of a simulated phone", .operand = 2),
    END,
};

#define BUNDLE                                                                                 \
    IA_OPTION(TEXT, "bundle", "BUNDLE", "the bundle id: com.example.App", .operand = 1,        \
              .required = true)

const struct ia_opt ia_verb_launch_opts[] = {
    BUNDLE,
    IA_SIM_OPTS,
    IA_OPTION(TEXT, "env", "NAME=VALUE", "set a variable for the app", .repeat = true,
              .local = true),
    IA_FLAG("relaunch", "end a running instance first", .local = true),
    END,
};

const struct ia_opt ia_verb_terminate_opts[] = {BUNDLE, IA_SIM_OPTS, END};

const struct ia_opt ia_verb_open_url_opts[] = {
    IA_OPTION(TEXT, "url", "URL", "the URL", .operand = 1, .required = true),
    IA_SIM_OPTS,
    END,
};

const struct ia_opt ia_verb_wait_for_opts[] = {
    IA_OPTION(TEXT, "what", "WHAT",
              "exists, gone, enabled, focused, value, count, text, settled; an element; or an "
              "expectation",
              .operand = 1, .required = true),
    IA_OPTION(TEXT, "element", "ELEMENT", HELP_REF, .operand = 2),
    IA_OPTION(TEXT, "text", "TEXT", "for value and text"),
    IA_OPTION(INT, "count", "N", "for count", .max = 1000),
    IA_OPTION(INT, "seconds", "N", "how long (default 10)", .min = 1, .max = 60),
    END,
};

const struct ia_opt ia_verb_is_opts[] = {
    IA_OPTION(TEXT, "what", "WHAT",
              "an expectation; or visible, enabled, disabled, on, off, selected, focused",
              .operand = 1, .required = true),
    IA_OPTION(TEXT, "element", "ELEMENT", HELP_REF, .operand = 2),
    END,
};

const struct ia_opt ia_verb_get_opts[] = {
    IA_OPTION(CHOICE, "what", "text|label|value|role|identifier|frame|state|count|app|title",
              "app and title are of the screen; text is all that the element says",
              .operand = 1, .required = true),
    IA_OPTION(TEXT, "element", "ELEMENT", HELP_REF, .operand = 2),
    END,
};
