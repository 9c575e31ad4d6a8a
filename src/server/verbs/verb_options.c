/* verb_options.c: the values that each verb takes: words and options of a command line, members of a
 * request. */
#include "server/verbs/verb_options.h"
#include "driver/adapt/adapt.h"
#include "server/verbs/verbs.h"

#define HELP_REF "12, @e12, \"label\", role \"label\", #identifier or focused"

/* Which device; every table ends with these. */
#define END                                                                                    \
    {.name = "device",                                                                         \
     .kind = IA_OPT_TEXT,                                                                      \
     .value = "NAME",                                                                          \
     .help = "embedded[:NAME], iphone:UDID, bridge:UDID, bridge:HOST:PORT, wda:URL or a "      \
             "simulator's name"},                                                              \
        {.name = "session",                                                                    \
         .kind = IA_OPT_TEXT,                                                                  \
         .value = "NAME",                                                                      \
         .help = "remembers its device: several at once"},                                     \
        {.name = "no-daemon",                                                                  \
         .kind = IA_OPT_FLAG,                                                                  \
         .help = "work in this process, and keep no refs for the next command",                \
         .local = true},                                                                       \
        IA_OPTS_END

#define REF(place, must)                                                                       \
    {                                                                                          \
        .name = "ref", .kind = IA_OPT_TEXT, .value = "REF", .help = HELP_REF,                  \
        .operand = (place), .required = (must)                                                 \
    }

const struct ia_opt ia_verb_snapshot_opts[] = {
    {.name = "text", .kind = IA_OPT_FLAG, .help = "the text form (default)"},
    {.name = "rows",
     .kind = IA_OPT_FLAG,
     .help = "ref|action|role:states|label|value|identifier; with --json lists of them"},
    {.name = "status",
     .kind = IA_OPT_FLAG,
     .help = "also the status bar, and the keys that are no letters"},
    {.name = "next", .kind = IA_OPT_FLAG, .help = "also list the most likely next steps"},
    {.name = "max-bytes",
     .kind = IA_OPT_INT,
     .value = "N",
     .help = "size limit; the least useful elements go first (default 12000)",
     .min = 100,
     .max = 1000000},
    {.name = "screenshot",
     .kind = IA_OPT_FLAG,
     .help = "with --json: also a PNG, as a data: URI"},
    {.name = "annotate",
     .kind = IA_OPT_OUT,
     .value = "OUT.png",
     .help = "draw refs on the screen, with a legend"},
    {.name = "from",
     .kind = IA_OPT_PATH,
     .value = "FILE",
     .help = "a tree that another tool printed; - is standard input",
     .local = true},
    {.name = "source",
     .kind = IA_OPT_CHOICE,
     .value = IA_SOURCE_NAMES,
     .help = "the tool that printed it",
     .local = true},
    END,
};

const struct ia_opt ia_verb_screenshot_opts[] = {
    {.name = "out",
     .kind = IA_OPT_OUT,
     .value = "OUT.png",
     .help = "where to save it (default screenshot.png); - is standard output",
     .operand = 1,
     .fallback = "screenshot.png"},
    {.name = "annotate", .kind = IA_OPT_FLAG, .help = "draw refs on it, with a legend"},
    {.name = "points",
     .kind = IA_OPT_FLAG,
     .help = "one pixel for each point, as frames count"},
    END,
};

const struct ia_opt ia_verb_tap_opts[] = {REF(1, true), END};

const struct ia_opt ia_verb_long_press_opts[] = {
    REF(1, true),
    {.name = "ms",
     .kind = IA_OPT_INT,
     .value = "N",
     .help = "how long (default 1000)",
     .min = 300,
     .max = 10000},
    END,
};

const struct ia_opt ia_verb_type_opts[] = {
    REF(1, true),
    {.name = "text",
     .kind = IA_OPT_TEXT,
     .value = "TEXT",
     .help = "what to type; - reads standard input",
     .operand = 2,
     .required = true},
    {.name = "replace", .kind = IA_OPT_FLAG, .help = "empty the field first"},
    {.name = "submit", .kind = IA_OPT_FLAG, .help = "press return after"},
    END,
};

const struct ia_opt ia_verb_clear_opts[] = {REF(1, true), END};

const struct ia_opt ia_verb_swipe_opts[] = {
    {.name = "direction",
     .kind = IA_OPT_CHOICE,
     .value = "up|down|left|right",
     .help = "where the finger moves",
     .operand = 1,
     .required = true},
    REF(2, false),
    {.name = "distance",
     .kind = IA_OPT_REAL,
     .value = "X",
     .help = "part of the stroke, 0.1 to 1 (default 0.8)"},
    END,
};

#define HELP_SPOT HELP_REF ", or a point: X,Y"
const struct ia_opt ia_verb_drag_opts[] = {
    {.name = "from",
     .kind = IA_OPT_TEXT,
     .value = "FROM",
     .help = HELP_SPOT,
     .operand = 1,
     .required = true},
    {.name = "to",
     .kind = IA_OPT_TEXT,
     .value = "TO",
     .help = HELP_SPOT,
     .operand = 2,
     .required = true},
    {.name = "ms",
     .kind = IA_OPT_INT,
     .value = "N",
     .help = "how long the movement takes (default 500)",
     .min = 50,
     .max = 10000},
    END,
};

const struct ia_opt ia_verb_pinch_opts[] = {
    REF(1, false),
    {.name = "scale",
     .kind = IA_OPT_REAL,
     .value = "X",
     .help = "above 1 to enlarge, below 1 to shrink; 0.1 to 10 (default 2)"},
    END,
};

const struct ia_opt ia_verb_scroll_to_opts[] = {
    {.name = "text",
     .kind = IA_OPT_TEXT,
     .value = "TEXT",
     .help = "part of a label",
     .operand = 1,
     .required = true},
    {.name = "max-swipes",
     .kind = IA_OPT_INT,
     .value = "N",
     .help = "give up after so many (default 12)",
     .min = 1,
     .max = 60},
    END,
};

const struct ia_opt ia_verb_back_opts[] = {END};

const struct ia_opt ia_verb_press_opts[] = {
    {.name = "button",
     .kind = IA_OPT_CHOICE,
     .value = "home|lock|volume_up|volume_down|back",
     .help = "which one",
     .operand = 1,
     .required = true},
    END,
};

const struct ia_opt ia_verb_alert_opts[] = {
    {.name = "action",
     .kind = IA_OPT_CHOICE,
     .value = "accept|dismiss",
     .help = "press the button that agrees, or the one that declines",
     .operand = 1},
    {.name = "button",
     .kind = IA_OPT_TEXT,
     .value = "LABEL",
     .help = "press the button with this label instead",
     .operand = 2},
    END,
};

const struct ia_opt ia_verb_open_opts[] = {
    {.name = "what",
     .kind = IA_OPT_TEXT,
     .value = "WHAT",
     .help = "a bundle id, a URL, or the name of an app: Settings",
     .operand = 1,
     .required = true},
    END,
};

const struct ia_opt ia_verb_audit_opts[] = {
    {.name = "fail-on",
     .kind = IA_OPT_CHOICE,
     .value = "error|warning|notice|never",
     .help = "exit with 1 for findings of this severity or worse (default error)"},
    END,
};

/* Named as the fields of struct ia_status_bar (driver/system.h), which checks the values. */
const struct ia_opt ia_verb_status_bar_opts[] = {
    {.name = "what",
     .kind = IA_OPT_CHOICE,
     .value = "clear",
     .help = "show again what is true",
     .operand = 1},
    {.name = "time", .kind = IA_OPT_TEXT, .value = "9:41", .help = "the time"},
    {.name = "battery-level", .kind = IA_OPT_INT, .value = "N", .help = "percent", .max = 100},
    {.name = "battery-state",
     .kind = IA_OPT_CHOICE,
     .value = "charging|charged|discharging",
     .help = "whether it is charged"},
    {.name = "wifi-bars", .kind = IA_OPT_INT, .value = "N", .help = "0 to 3", .max = 3},
    {.name = "wifi-mode",
     .kind = IA_OPT_CHOICE,
     .value = "searching|failed|active",
     .help = "state of Wi-Fi"},
    {.name = "cellular-bars", .kind = IA_OPT_INT, .value = "N", .help = "0 to 4", .max = 4},
    {.name = "cellular-mode",
     .kind = IA_OPT_CHOICE,
     .value = "notSupported|searching|failed|active",
     .help = "state of the mobile network"},
    {.name = "operator-name", .kind = IA_OPT_TEXT, .value = "TEXT", .help = "its name"},
    {.name = "data-network",
     .kind = IA_OPT_TEXT,
     .value = "TYPE",
     .help = "hide, wifi, 3g, 4g, lte, 5g and so on"},
    END,
};

const struct ia_opt ia_verb_rotate_opts[] = {
    {.name = "orientation",
     .kind = IA_OPT_CHOICE,
     .value = "portrait|landscape|landscape-right|upside-down",
     .help = "landscape: its top is at the left",
     .operand = 1,
     .required = true},
    END,
};

const struct ia_opt ia_verb_privacy_opts[] = {
    {.name = "set",
     .kind = IA_OPT_CHOICE,
     .value = "grant|revoke|reset",
     .help = "permit, forbid, or ask again",
     .operand = 1,
     .required = true},
    {.name = "service",
     .kind = IA_OPT_TEXT,
     .value = "SERVICE",
     .help = "all, calendar, contacts, location, microphone, photos, reminders and so on",
     .operand = 2,
     .required = true},
    {.name = "bundle",
     .kind = IA_OPT_TEXT,
     .value = "BUNDLE",
     .help = "the app; none only for reset",
     .operand = 3},
    END,
};

const struct ia_opt ia_verb_location_opts[] = {
    {.name = "place",
     .kind = IA_OPT_TEXT,
     .value = "PLACE",
     .help = "LATITUDE,LONGITUDE in degrees, or clear",
     .operand = 1,
     .required = true},
    END,
};

const struct ia_opt ia_verb_push_opts[] = {
    {.name = "bundle",
     .kind = IA_OPT_TEXT,
     .value = "BUNDLE",
     .help = "the app; none where the payload names it",
     .operand = 1},
    {.name = "title", .kind = IA_OPT_TEXT, .value = "TEXT", .help = "its first line"},
    {.name = "body", .kind = IA_OPT_TEXT, .value = "TEXT", .help = "its text"},
    {.name = "payload",
     .kind = IA_OPT_PATH,
     .value = "FILE",
     .help = "a file with the whole JSON payload instead"},
    END,
};

const struct ia_opt ia_verb_media_opts[] = {
    {.name = "file",
     .kind = IA_OPT_PATH,
     .value = "FILE",
     .help = "a photo or a video",
     .operand = 1,
     .required = true},
    END,
};

const struct ia_opt ia_verb_pasteboard_opts[] = {
    {.name = "text",
     .kind = IA_OPT_TEXT,
     .value = "TEXT",
     .help = "what to put there; - reads standard input",
     .operand = 1},
    END,
};

const struct ia_opt ia_verb_record_opts[] = {
    {.name = "set",
     .kind = IA_OPT_CHOICE,
     .value = "start|stop",
     .help = "begin or end",
     .operand = 1,
     .required = true},
    {.name = "file",
     .kind = IA_OPT_PATH,
     .value = "FILE",
     .help = "where the film is written: .mp4, and .apng of a simulated phone",
     .operand = 2},
    END,
};

#define BUNDLE                                                                                 \
    {                                                                                          \
        .name = "bundle", .kind = IA_OPT_TEXT, .value = "BUNDLE",                              \
        .help = "the bundle id: com.example.App", .operand = 1, .required = true               \
    }

const struct ia_opt ia_verb_launch_opts[] = {
    BUNDLE,
    IA_SIM_OPTS,
    {.name = "env",
     .kind = IA_OPT_TEXT,
     .value = "NAME=VALUE",
     .help = "set a variable for the app",
     .repeat = true,
     .local = true},
    {.name = "relaunch",
     .kind = IA_OPT_FLAG,
     .help = "end a running instance first",
     .local = true},
    END,
};

const struct ia_opt ia_verb_terminate_opts[] = {BUNDLE, IA_SIM_OPTS, END};

const struct ia_opt ia_verb_open_url_opts[] = {
    {.name = "url",
     .kind = IA_OPT_TEXT,
     .value = "URL",
     .help = "the URL",
     .operand = 1,
     .required = true},
    IA_SIM_OPTS,
    END,
};

const struct ia_opt ia_verb_wait_for_opts[] = {
    {.name = "what",
     .kind = IA_OPT_TEXT,
     .value = "WHAT",
     .help = "exists, gone, enabled, focused, value, count, text, settled; an element; or an "
             "expectation",
     .operand = 1,
     .required = true},
    {.name = "element",
     .kind = IA_OPT_TEXT,
     .value = "ELEMENT",
     .help = HELP_REF,
     .operand = 2},
    {.name = "text", .kind = IA_OPT_TEXT, .value = "TEXT", .help = "for value and text"},
    {.name = "count", .kind = IA_OPT_INT, .value = "N", .help = "for count", .max = 1000},
    {.name = "seconds",
     .kind = IA_OPT_INT,
     .value = "N",
     .help = "how long (default 10)",
     .min = 1,
     .max = 60},
    END,
};

const struct ia_opt ia_verb_is_opts[] = {
    {.name = "what",
     .kind = IA_OPT_TEXT,
     .value = "WHAT",
     .help = "an expectation; or visible, enabled, disabled, on, off, selected, focused",
     .operand = 1,
     .required = true},
    {.name = "element",
     .kind = IA_OPT_TEXT,
     .value = "ELEMENT",
     .help = HELP_REF,
     .operand = 2},
    END,
};

const struct ia_opt ia_verb_get_opts[] = {
    {.name = "what",
     .kind = IA_OPT_CHOICE,
     .value = "text|label|value|role|identifier|frame|state|count|app|title",
     .help = "app and title are of the screen; text is all that the element says",
     .operand = 1,
     .required = true},
    {.name = "element",
     .kind = IA_OPT_TEXT,
     .value = "ELEMENT",
     .help = HELP_REF,
     .operand = 2},
    END,
};
