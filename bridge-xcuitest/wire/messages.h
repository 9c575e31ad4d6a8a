/* messages.h: the messages of the wire as structs: versions, caps, opcodes, parts, requests,
 * replies. wire.h includes this and documents what holds for all of them (memory, texts,
 * numbers); the tables of their fields are in parts.c, requests.c and replies.c. */
#ifndef IA_WIRE_MESSAGES_H
#define IA_WIRE_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/native.h"

/* The newest and the oldest version of the extensions that this side speaks. */
enum { IA_WIRE_VERSION = 1, IA_WIRE_VERSION_MIN = 1 };

/* Caps. The decoder refuses anything longer before it allocates memory for it, the encoder
 * before it sends it. Lengths are in bytes. */
enum {
    IA_WIRE_REQUEST_MAX = 1 << 20,   /* a frame from the host, without its length */
    IA_WIRE_REPLY_MAX = 64 << 20,    /* a frame from the bridge, without its length */
    IA_WIRE_TOKEN_MAX = 256,         /* token */
    IA_WIRE_NAME_MAX = 256,          /* bundle ids, device names, names of variables, UDIDs */
    IA_WIRE_TEXT_MAX = 16384,        /* identifiers, labels, values, error texts, arguments */
    IA_WIRE_TYPED_MAX = 256 << 10,   /* text to type, pasteboard */
    IA_WIRE_URL_MAX = 8192,          /* URLs */
    IA_WIRE_PNG_MAX = 48 << 20,      /* a screenshot */
    IA_WIRE_JSON_MAX = 48 << 20,     /* the tree of a classic answer */
    IA_WIRE_DEPTH_MAX = 200,         /* length of a path, depth of a node */
    IA_WIRE_NODES_MAX = 20000,       /* nodes of a tree */
    IA_WIRE_MATCHES_MAX = 100,       /* elements that find returns */
    IA_WIRE_ARGS_MAX = 128,          /* arguments or variables of a launch */
    IA_WIRE_APPS_MAX = 1000,         /* apps of a list */
    IA_WIRE_ALERTS_MAX = 16,         /* alerts of a list */
    IA_WIRE_BUTTONS_MAX = 32,        /* buttons of an alert */
    IA_WIRE_NOTES_MAX = 32,          /* notes of info */
    IA_WIRE_ISSUES_MAX = 500,        /* issues of an audit */
    IA_WIRE_BATCH_MAX = 64,          /* requests of a batch */
    IA_WIRE_DEADLINE_MAX_MS = 600000 /* a longer deadline is shortened to this */
};

enum ia_wire_opcode {
    /* classic requests; the reply is A0 */
    IA_WIRE_OP_HEARTBEAT = 0x01,
    IA_WIRE_OP_TAP_COORD = 0x02,
    IA_WIRE_OP_TAP_ELEMENT = 0x03,
    IA_WIRE_OP_TAP_BY_LABEL = 0x04,
    IA_WIRE_OP_TAP_WITH_TYPE = 0x05,
    IA_WIRE_OP_CLASSIC_TYPE_TEXT = 0x06,
    IA_WIRE_OP_SWIPE = 0x07,
    IA_WIRE_OP_GET_VALUE = 0x08,
    IA_WIRE_OP_LONG_PRESS = 0x09,
    IA_WIRE_OP_DUMP_TREE = 0x10,
    IA_WIRE_OP_CLASSIC_SCREENSHOT = 0x11,
    IA_WIRE_OP_SET_TARGET = 0x12,
    IA_WIRE_OP_FIND_ELEMENT = 0x13,
    IA_WIRE_OP_GET_TARGET_INFO = 0x14,
    IA_WIRE_OP_BRIDGE_HEALTH = 0x15,
    IA_WIRE_OP_DEVICE_UDID = 0x16,
    /* extensions; the reply is C0 */
    IA_WIRE_OP_HELLO = 0x40,
    IA_WIRE_OP_HEALTH = 0x41,
    IA_WIRE_OP_CANCEL = 0x42,
    IA_WIRE_OP_INFO = 0x43,
    IA_WIRE_OP_TREE = 0x44,
    IA_WIRE_OP_FIND = 0x45,
    IA_WIRE_OP_ACT = 0x46,
    IA_WIRE_OP_WAIT = 0x47,
    IA_WIRE_OP_SET_TEXT = 0x48,
    IA_WIRE_OP_CLEAR = 0x49,
    IA_WIRE_OP_TYPE_TEXT = 0x4a,
    IA_WIRE_OP_DELETE_TEXT = 0x4b,
    IA_WIRE_OP_TAP_POINT = 0x4c,
    IA_WIRE_OP_LONG_PRESS_POINT = 0x4d,
    IA_WIRE_OP_DRAG = 0x4e,
    IA_WIRE_OP_PINCH = 0x4f,
    IA_WIRE_OP_PRESS_BUTTON = 0x50,
    IA_WIRE_OP_ORIENTATION = 0x51,
    IA_WIRE_OP_LAUNCH = 0x52,
    IA_WIRE_OP_TERMINATE = 0x53,
    IA_WIRE_OP_STATE = 0x54,
    IA_WIRE_OP_LIST_APPS = 0x55,
    IA_WIRE_OP_OPEN_URL = 0x56,
    IA_WIRE_OP_ALERTS = 0x57,
    IA_WIRE_OP_ALERT_ACT = 0x58,
    IA_WIRE_OP_PASTEBOARD = 0x59,
    IA_WIRE_OP_APPEARANCE = 0x5a,
    IA_WIRE_OP_AUDIT = 0x5b,
    IA_WIRE_OP_SCREENSHOT = 0x5c,
    IA_WIRE_OP_BATCH = 0x5d,
    IA_WIRE_OP_SHUTDOWN = 0x5e,
    IA_WIRE_OP_RESET = 0x5f,
    IA_WIRE_OP_TARGET = 0x60,
    IA_WIRE_OP_NATIVE = 0x61,
    /* sent by bridges */
    IA_WIRE_OP_ERROR = 0x99,  /* a bare error of the classic protocol: str */
    IA_WIRE_OP_ANSWER = 0xa0, /* the reply to a classic request */
    IA_WIRE_OP_REPLY = 0xc0   /* the reply to an extension */
};

/* The bit of an extension in a set of operations, such as hello's `ops`. */
#define IA_WIRE_BIT(op) ((uint64_t)1 << ((unsigned)(op)-0x40u))

/* Whether an effect reached the device; same numbers as enum ia_outcome. */
enum ia_wire_outcome {
    IA_WIRE_NONE,     /* the request has no effect on the device */
    IA_WIRE_NOT_SENT, /* nothing happened, for certain */
    IA_WIRE_SENT,     /* it happened */
    IA_WIRE_UNKNOWN   /* it may have happened: observe before retrying */
};

/* ---- parts of messages ------------------------------------------------------------------- */

/* In points of the screen; the origin is at the top left. */
struct ia_wire_point {
    double x, y;
};
struct ia_wire_rect {
    double x, y, w, h;
};

/* A number that may be absent. */
struct ia_wire_ou64 {
    bool has;
    uint64_t v;
};
struct ia_wire_of64 {
    bool has;
    double v;
};

/* Bits 0-6 are the same as in the canonical tree (IA_NODE_*). */
enum {
    IA_WIRE_NODE_ENABLED = 1 << 0,
    IA_WIRE_NODE_SELECTED = 1 << 1,
    IA_WIRE_NODE_FOCUSED = 1 << 2, /* has the keyboard, as far as known */
    IA_WIRE_NODE_HEADER = 1 << 3,
    IA_WIRE_NODE_INVISIBLE = 1 << 4,
    IA_WIRE_NODE_ADJUSTABLE = 1 << 5,
    IA_WIRE_NODE_HINTED = 1 << 6,
    IA_WIRE_NODE_HITTABLE = 1 << 8,       /* estimated from the tree, or confirmed live */
    IA_WIRE_NODE_HITTABLE_KNOWN = 1 << 9, /* whether the bit HITTABLE was determined */
    IA_WIRE_NODE_CUT = 1 << 10            /* a cap left out some of its children */
};

/* One node of a tree. A tree is the list of its nodes in pre-order. The root has depth 0, and
 * the parent of a node is the nearest earlier node whose depth is one less. A node's depth is
 * at most one more than that of the previous node; the decoder checks that. */
struct ia_wire_node {
    uint16_t depth;
    uint16_t type; /* number of XCUIElementType, 0-82; any other means "Other" */
    uint16_t flags;
    struct ia_wire_rect frame;
    const char *identifier, *label, *value, *placeholder; /* NULL when absent */
};

/* Names an element as an earlier tree showed it. It is looked up among the nodes with its type,
 * identifier and label, as long as there are still `count` of them: the one at `path`,
 * otherwise the only one, otherwise the one with index `ordinal`. If there are more or fewer
 * than before, they cannot be told apart, and the element counts as gone (STALE_REF). */
struct ia_wire_signature {
    const char *identifier, *label; /* NULL when absent */
    uint16_t type;
    const uint16_t *path; /* child numbers from the root, in a tree with default options */
    uint32_t path_n;
    struct ia_wire_rect frame; /* where it was */
    uint16_t ordinal, count;   /* among nodes of equal type, identifier and label, in pre-order;
                                  count 0: unknown */
};

enum ia_wire_match {
    IA_WIRE_EXACT,    /* the whole text */
    IA_WIRE_CONTAINS, /* a part of it, ignoring ASCII case */
    IA_WIRE_GLOB      /* the whole text; * matches any characters, ? matches one */
};
enum { IA_WIRE_UNIQUE = 0xffff };

/* Describes elements: those for which every part that is set holds. */
struct ia_wire_selector {
    uint8_t match;                          /* enum ia_wire_match, for all the texts */
    const char *identifier, *label, *value; /* NULL: any */
    const char *text;                       /* identifier or label; NULL: any */
    uint16_t type;                          /* number of XCUIElementType; 0: any */
    uint16_t index; /* 0-based among the matches in pre-order; IA_WIRE_UNIQUE: exactly one
                       element must match (AMBIGUOUS) */
};

/* Exactly one of the two, or neither where a message documents what that means. */
struct ia_wire_target {
    const struct ia_wire_signature *signature;
    const struct ia_wire_selector *selector;
};

struct ia_wire_pair {
    const char *name, *value;
};

enum ia_wire_app_state { /* the numbers of XCUIApplicationState */
                         IA_WIRE_APP_UNKNOWN,
                         IA_WIRE_APP_NOT_RUNNING,
                         IA_WIRE_APP_SUSPENDED,
                         IA_WIRE_APP_BACKGROUND,
                         IA_WIRE_APP_FOREGROUND
};
struct ia_wire_app {
    const char *bundle_id, *name;
    uint8_t state;
};

enum ia_wire_owner { IA_WIRE_OWNER_ANY, IA_WIRE_OWNER_SYSTEM, IA_WIRE_OWNER_APP };
struct ia_wire_alert {
    uint8_t owner; /* SYSTEM or APP */
    const char *title, *text;
    const char *const *buttons; /* their labels, in the order on the screen */
    uint32_t buttons_n;
    struct ia_wire_rect frame;
};

struct ia_wire_issue {
    uint64_t type; /* one bit of XCUIAccessibilityAuditType */
    const char *summary, *detail;
    const struct ia_wire_node *element; /* NULL if the audit names none; its depth is 0 */
};

/* ---- classic requests -------------------------------------------------------------------- */

struct ia_wire_tap_coord {
    int32_t x, y;
};
struct ia_wire_tap_element { /* TAP_ELEMENT (by identifier) and TAP_BY_LABEL */
    const char *selector;
    struct ia_wire_ou64 timeout_ms;
};
struct ia_wire_tap_with_type {
    const char *selector;
    bool by_label;
    const char *type;
    struct ia_wire_ou64 timeout_ms;
};
struct ia_wire_classic_text { /* CLASSIC_TYPE_TEXT and SET_TARGET */
    const char *text;
};
struct ia_wire_swipe {
    int32_t x0, y0, x1, y1;
    struct ia_wire_of64 duration_s;
};
struct ia_wire_get_value {
    const char *selector;
    bool by_label;
    const char *type; /* NULL when absent */
    struct ia_wire_ou64 timeout_ms;
};
struct ia_wire_long_press {
    int32_t x, y;
    double duration_s;
};
struct ia_wire_find_element {
    const char *selector;
    bool by_label;
    const char *type; /* NULL when absent */
};

/* ---- requests of the extensions ---------------------------------------------------------- */

struct ia_wire_hello {
    uint16_t version, version_min; /* newest and oldest version that the host speaks */
    const char *token;             /* "" if none is required */
    const char *client;            /* for the server's log: "ios-agent 0.2.0" */
};
struct ia_wire_cancel {
    uint32_t session; /* from the reply to hello; 0: this connection */
    uint32_t request; /* its id; 0: any request in flight there */
};

enum { IA_WIRE_TREE_UNPRUNED = 1 << 0 }; /* keep nodes that have no text, area and children */
struct ia_wire_tree {
    const char *app;    /* bundle id; "": the target app */
    uint32_t max_nodes; /* 0: the server's default */
    uint16_t max_depth; /* 0: the server's default */
    uint8_t flags;      /* IA_WIRE_TREE_* */
};
struct ia_wire_find {
    struct ia_wire_selector selector;
    uint32_t timeout_ms; /* 0: one snapshot; otherwise wait for a match this long */
    uint16_t limit;      /* at most this many matches are returned; 0: 1 */
    bool whole;          /* never on the wire: the first match and all that is inside it */
};

enum ia_wire_action { IA_WIRE_TAP, IA_WIRE_DOUBLE_TAP, IA_WIRE_LONG_PRESS };
enum {
    IA_WIRE_ACT_UNVERIFIED = 1 << 0 /* do not verify that a switch changed */
};
/* Taps the centre of an element after four checks: it is there, enabled and not covered; its
 * frame is equal in two snapshots; it is found again; it has not moved since. */
struct ia_wire_act {
    struct ia_wire_target target;
    uint8_t action;      /* enum ia_wire_action */
    double duration_s;   /* of LONG_PRESS; 0: 1 */
    uint32_t timeout_ms; /* how long the checks may be repeated; 0: one snapshot, no wait
                            for stillness */
    uint8_t flags;       /* IA_WIRE_ACT_* */
};

enum ia_wire_condition {
    IA_WIRE_WAIT_EXISTS,
    IA_WIRE_WAIT_GONE,   /* nothing in the tree matches */
    IA_WIRE_WAIT_HIDDEN, /* no match is visible */
    IA_WIRE_WAIT_ENABLED,
    IA_WIRE_WAIT_HITTABLE, /* enabled, on the screen and not covered */
    IA_WIRE_WAIT_FOCUSED,
    IA_WIRE_WAIT_VALUE,  /* the value is `text` */
    IA_WIRE_WAIT_TEXT,   /* any text on the screen, except identifiers, contains `text` */
    IA_WIRE_WAIT_COUNT,  /* exactly `count` match */
    IA_WIRE_WAIT_STILL,  /* the frame of the match is equal in two snapshots */
    IA_WIRE_WAIT_SETTLED /* the whole tree is equal in two snapshots */
};
struct ia_wire_wait {
    uint8_t condition; /* enum ia_wire_condition */
    struct ia_wire_selector selector;
    const char *text;
    uint32_t count;
    uint32_t timeout_ms; /* then NOT_MET; 0: one snapshot (STILL and SETTLED: two) */
    uint16_t poll_ms;    /* between snapshots; 0: 50 */
};

enum {
    IA_WIRE_TEXT_APPEND = 1 << 0,    /* keep the old text and append to it */
    IA_WIRE_TEXT_SUBMIT = 1 << 1,    /* press return after the read-back */
    IA_WIRE_TEXT_UNVERIFIED = 1 << 2 /* do not read back */
};
struct ia_wire_set_text {
    struct ia_wire_target target;
    const char *text;
    uint32_t timeout_ms; /* for finding and focusing the field, as in act */
    uint8_t flags;       /* IA_WIRE_TEXT_* */
};
struct ia_wire_clear {
    struct ia_wire_target target;
    uint32_t timeout_ms;
};
struct ia_wire_type_text {
    const char *text; /* goes to the element with the keyboard; "\n" is the return key */
};
struct ia_wire_delete_text {
    uint32_t count; /* characters before the cursor */
};
struct ia_wire_tap_point {
    struct ia_wire_point at;
    uint8_t taps; /* 0: 1 */
};
struct ia_wire_long_press_point {
    struct ia_wire_point at;
    double duration_s;
};
struct ia_wire_drag {
    struct ia_wire_point from, to;
    double press_s;    /* held before moving */
    double duration_s; /* of the movement, if velocity is 0; 0: 0.3 */
    double velocity;   /* points per second; 0: from duration_s */
    double hold_s;     /* held before lifting */
};
struct ia_wire_pinch {
    struct ia_wire_target target; /* neither: the whole app */
    double scale;                 /* above 1 spreads, below 1 closes */
    double velocity; /* scale per second, with the sign that XCTest requires; 0: default */
};
enum ia_wire_button {
    IA_WIRE_BUTTON_HOME,
    IA_WIRE_BUTTON_LOCK,
    IA_WIRE_BUTTON_VOLUME_UP,
    IA_WIRE_BUTTON_VOLUME_DOWN,
    IA_WIRE_BUTTON_ACTION,
    IA_WIRE_BUTTON_CAMERA
};
struct ia_wire_press_button {
    uint8_t button; /* enum ia_wire_button */
};
enum ia_wire_orientation_mode {
    IA_WIRE_ORIENTATION_READ, /* changes nothing */
    IA_WIRE_PORTRAIT,
    IA_WIRE_LANDSCAPE_LEFT,
    IA_WIRE_LANDSCAPE_RIGHT,
    IA_WIRE_UPSIDE_DOWN
};
struct ia_wire_orientation {
    uint8_t mode; /* enum ia_wire_orientation_mode; READ has no effect */
};
enum ia_wire_launch_mode {
    IA_WIRE_LAUNCH_FRONT, /* bring to the front, starting it if needed */
    IA_WIRE_LAUNCH_FRESH  /* terminate it first if it runs */
};
struct ia_wire_launch {
    const char *bundle_id;
    uint8_t mode; /* enum ia_wire_launch_mode */
    const char *const *args;
    uint32_t args_n;
    const struct ia_wire_pair *env;
    uint32_t env_n;
};
struct ia_wire_bundle { /* TERMINATE, STATE, TARGET; "" in STATE: the target */
    const char *bundle_id;
};
struct ia_wire_open_url {
    const char *url;
};
enum ia_wire_alert_action { IA_WIRE_ALERT_ACCEPT, IA_WIRE_ALERT_DISMISS, IA_WIRE_ALERT_BUTTON };
struct ia_wire_alert_act {
    uint8_t owner;      /* enum ia_wire_owner; ANY: the system's first */
    uint8_t action;     /* enum ia_wire_alert_action */
    const char *button; /* of BUTTON */
};
enum ia_wire_pasteboard_mode { IA_WIRE_PASTEBOARD_READ, IA_WIRE_PASTEBOARD_WRITE };
struct ia_wire_pasteboard {
    uint8_t mode; /* enum ia_wire_pasteboard_mode; READ has no effect */
    const char *text;
};
enum ia_wire_appearance_mode { IA_WIRE_APPEARANCE_READ, IA_WIRE_LIGHT, IA_WIRE_DARK };
struct ia_wire_appearance {
    uint8_t mode; /* enum ia_wire_appearance_mode; READ has no effect */
};
struct ia_wire_audit {
    uint64_t types; /* XCUIAccessibilityAuditType; 0: all */
};
enum ia_wire_scale { IA_WIRE_SCALE_PIXELS, IA_WIRE_SCALE_POINTS };
struct ia_wire_screenshot {
    uint8_t
        scale; /* enum ia_wire_scale; a device that cannot draw POINTS answers UNSUPPORTED */
};
/* The phone's own data and services. */
struct ia_wire_native {
    uint8_t action;   /* enum ia_native; native.h says which have an effect */
    const char *args; /* a JSON object, as native.h has it; the host has checked it */
};
struct ia_wire_batch {
    const struct ia_wire_request *items; /* extensions that need the main thread */
    uint32_t items_n;
};

/* A request of either kind. HEARTBEAT, DUMP_TREE, CLASSIC_SCREENSHOT, GET_TARGET_INFO,
 * BRIDGE_HEALTH, DEVICE_UDID, HEALTH, INFO, LIST_APPS, ALERTS,
 * SHUTDOWN and RESET have no body. */
union ia_wire_request_body {
    struct ia_wire_tap_coord tap_coord;
    struct ia_wire_tap_element tap_element;
    struct ia_wire_tap_with_type tap_with_type;
    struct ia_wire_classic_text classic_text;
    struct ia_wire_swipe swipe;
    struct ia_wire_get_value get_value;
    struct ia_wire_long_press long_press;
    struct ia_wire_find_element find_element;
    struct ia_wire_hello hello;
    struct ia_wire_cancel cancel;
    struct ia_wire_tree tree;
    struct ia_wire_find find;
    struct ia_wire_act act;
    struct ia_wire_wait wait;
    struct ia_wire_set_text set_text;
    struct ia_wire_clear clear;
    struct ia_wire_type_text type_text;
    struct ia_wire_delete_text delete_text;
    struct ia_wire_tap_point tap_point;
    struct ia_wire_long_press_point long_press_point;
    struct ia_wire_drag drag;
    struct ia_wire_pinch pinch;
    struct ia_wire_press_button press_button;
    struct ia_wire_orientation orientation;
    struct ia_wire_launch launch;
    struct ia_wire_bundle bundle; /* TERMINATE, STATE, TARGET */
    struct ia_wire_open_url open_url;
    struct ia_wire_alert_act alert_act;
    struct ia_wire_pasteboard pasteboard;
    struct ia_wire_appearance appearance;
    struct ia_wire_audit audit;
    struct ia_wire_screenshot screenshot;
    struct ia_wire_native native;
    struct ia_wire_batch batch;
};

/* ---- replies of the extensions ----------------------------------------------------------- */

/* Properties of the server beyond its operations. */
enum {
    IA_WIRE_FEATURE_SIMULATED = 1 << 0,    /* not an Apple simulator or device */
    IA_WIRE_FEATURE_INSTANT = 1 << 1,      /* its clock advances with calls only */
    IA_WIRE_FEATURE_NO_QUIESCENCE = 1 << 2 /* the wait for idle is skipped */
};
struct ia_wire_hello_reply {
    uint16_t version;   /* used from now on */
    uint32_t session;   /* of this connection, for cancel */
    uint64_t ops;       /* IA_WIRE_BIT of every supported extension */
    uint32_t features;  /* IA_WIRE_FEATURE_* */
    const char *server; /* "ios-agent 0.2.0 xcuitest" */
    const char *udid;   /* "" if there is none */
};
struct ia_wire_health_reply {
    bool busy;                 /* the main thread is performing a request */
    uint8_t op;                /* its opcode, when busy */
    uint32_t session, request; /* its session and id, when busy */
    uint32_t busy_ms;          /* for how long */
    bool overdue;              /* its deadline has passed and it has not returned */
    uint32_t queued;           /* waiting requests */
    uint32_t connections;
    uint64_t done, late; /* requests performed; of those, finished after their deadline */
    uint64_t uptime_ms;
    uint64_t idle_ms; /* since the last pass of the main loop, when not busy */
};
struct ia_wire_cancel_reply {
    bool found; /* false: no such request was waiting or running */
};
struct ia_wire_info_reply {
    const char *kind; /* "xcuitest", "stub", "embedded" */
    const char *name, *os, *udid;
    double width_pt, height_pt;
    double scale;        /* pixels per point */
    uint8_t orientation; /* enum ia_wire_orientation_mode, never READ */
    const char *bundle_id, *app_name, *app_version,
        *app_build;           /* of the target; "" if unknown */
    uint8_t app_state;        /* enum ia_wire_app_state */
    const char *const *notes; /* what is missing or degraded, one sentence each */
    uint32_t notes_n;
};

/* Why a tree is incomplete. */
enum {
    IA_WIRE_CUT_NODES = 1 << 0,   /* max_nodes was reached */
    IA_WIRE_CUT_DEPTH = 1 << 1,   /* max_depth was reached */
    IA_WIRE_CUT_BYTES = 1 << 2,   /* a text or the frame would have been too long */
    IA_WIRE_CUT_SPLICED = 1 << 3, /* too deep for one snapshot: assembled from several */
    IA_WIRE_CUT_FAILED = 1 << 4   /* a part could not be read */
};
struct ia_wire_tree_reply {
    const char *app;  /* bundle id */
    uint8_t cut;      /* IA_WIRE_CUT_*; 0: the tree is complete */
    uint32_t visited; /* nodes visited, including pruned ones */
    const struct ia_wire_node *nodes;
    uint32_t nodes_n;
};
struct ia_wire_find_reply {
    uint32_t count;  /* how many match, before the index is applied */
    uint16_t reason; /* OK if the first of `nodes` can be tapped, otherwise NOT_FOUND,
                        NOT_VISIBLE, COVERED or DISABLED */
    const struct ia_wire_node *nodes; /* from the index on; their depth is 0 */
    uint32_t nodes_n;
};
struct ia_wire_act_reply {
    struct ia_wire_point at;   /* the point that was touched */
    struct ia_wire_rect frame; /* of the element at that time */
    uint32_t waited_ms;        /* from the request to the touch */
    uint16_t snapshots;        /* trees taken before the touch */
    const char *value;         /* of a switch, after the tap; NULL if it was not read */
};
struct ia_wire_wait_reply {
    uint32_t waited_ms;
    uint32_t count;                     /* matches in the last snapshot */
    const struct ia_wire_node *element; /* the match in the last snapshot, depth 0, or NULL */
};
struct ia_wire_text_reply { /* SET_TEXT, CLEAR; also present with TEXT_MISMATCH */
    const char *value;      /* as read back; NULL if it was not */
    bool secure;            /* the field hides its text: only the length was compared */
};
struct ia_wire_typed_reply { /* TYPE_TEXT, DELETE_TEXT; also present if it failed midway */
    uint32_t count;          /* characters sent */
};
struct ia_wire_mode_reply { /* ORIENTATION, APPEARANCE */
    uint8_t mode;           /* the current one; READ only if it is unknown */
};
struct ia_wire_state_reply { /* LAUNCH, TERMINATE, STATE, TARGET */
    uint8_t state;           /* enum ia_wire_app_state */
};
struct ia_wire_apps_reply {
    const struct ia_wire_app *apps;
    uint32_t apps_n;
};
struct ia_wire_alerts_reply {
    const struct ia_wire_alert *alerts; /* front-most first */
    uint32_t alerts_n;
};
struct ia_wire_alert_act_reply {
    const char *button; /* the button that was pressed */
};
struct ia_wire_pasteboard_reply {
    const char *text; /* the current text; NULL if there is none */
};
struct ia_wire_audit_reply {
    bool cut; /* some issues were left out */
    const struct ia_wire_issue *issues;
    uint32_t issues_n;
};
struct ia_wire_screenshot_reply {
    uint32_t width_px, height_px;
    double scale; /* pixels of this image per point */
    const uint8_t *png;
    uint32_t png_n;
};
struct ia_wire_native_reply {
    const char *answer; /* a JSON object, as native.h has it */
};
struct ia_wire_batch_reply {
    const struct ia_wire_reply *items; /* of the requests that were begun, in order. Only the
                                          last can be a failure; then the rest was not begun */
    uint32_t items_n;
};

/* TAP_POINT, LONG_PRESS_POINT, DRAG, PINCH, PRESS_BUTTON, OPEN_URL, SHUTDOWN and RESET have no
 * body. */
union ia_wire_reply_body {
    struct ia_wire_hello_reply hello;
    struct ia_wire_health_reply health;
    struct ia_wire_cancel_reply cancel;
    struct ia_wire_info_reply info;
    struct ia_wire_tree_reply tree;
    struct ia_wire_find_reply find;
    struct ia_wire_act_reply act;
    struct ia_wire_wait_reply wait;
    struct ia_wire_text_reply text;
    struct ia_wire_typed_reply typed;
    struct ia_wire_mode_reply mode;
    struct ia_wire_state_reply state;
    struct ia_wire_apps_reply apps;
    struct ia_wire_alerts_reply alerts;
    struct ia_wire_alert_act_reply alert_act;
    struct ia_wire_pasteboard_reply pasteboard;
    struct ia_wire_audit_reply audit;
    struct ia_wire_screenshot_reply screenshot;
    struct ia_wire_native_reply native;
    struct ia_wire_batch_reply batch;
};

/* ---- whole messages ---------------------------------------------------------------------- */

/* The memory of one message. {0} is empty. A failed allocation sets `failed` for good, and the
 * encoder then refuses the message. */
struct ia_wire_arena {
    struct ia_wire_chunk *chunks;
    bool failed;
};
struct ia_wire_request {
    uint8_t op;           /* enum ia_wire_opcode */
    uint32_t id;          /* chosen by the host; extensions only */
    uint32_t deadline_ms; /* from its arrival; 0: the server's default; extensions only */
    union ia_wire_request_body u;
    struct ia_wire_arena arena;
};

struct ia_wire_reply {
    uint8_t op; /* of the request */
    uint32_t id;
    uint16_t code;    /* enum ia_wire_code, or a number from a newer peer */
    uint8_t outcome;  /* enum ia_wire_outcome */
    bool retry_safe;  /* sending the request again cannot repeat an effect */
    const char *text; /* what happened, for people; "" if OK */
    bool has_body;    /* always if OK; for a failure only where the body says so. Without it the
                         body is all zeros */
    union ia_wire_reply_body u;
    struct ia_wire_arena arena;
};

/* The reply to a classic request. */
enum ia_wire_answer_kind {
    IA_WIRE_ANSWER_OK,
    IA_WIRE_ANSWER_ERROR,
    IA_WIRE_ANSWER_TREE,        /* text: a JSON array of elements */
    IA_WIRE_ANSWER_SCREENSHOT,  /* png */
    IA_WIRE_ANSWER_VALUE,       /* text, NULL for none */
    IA_WIRE_ANSWER_ELEMENT,     /* text: a JSON object, or `null` */
    IA_WIRE_ANSWER_TARGET_INFO, /* text: a JSON object */
    IA_WIRE_ANSWER_KINDS
};
struct ia_wire_answer {
    uint8_t kind;
    const char *text; /* of ERROR, TREE, VALUE, ELEMENT and TARGET_INFO */
    const uint8_t *png;
    uint32_t png_n;
    struct ia_wire_arena arena;
};

#endif
