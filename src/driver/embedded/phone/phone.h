/* phone.h: the simulated phone's state and what moves it. Internal to driver/embedded/.
 *
 * A phone is a value: operations change it, scenes are made from it, and nothing else does. It
 * reads no clock, no file and no randomness, so the same operations give the same phone.
 *
 *   touch, keys, system ──► ia_phone_act ──► state ──► ia_phone_scene ──► tree, pixels, hits
 *            (driver/embedded/op/op.h)           (driver/embedded/draw/scene.h)
 *
 * Reading never changes a phone: after each operation ia_phone_act settles it (scroll positions
 * clamped, the focused field moved above the keyboard). */
#ifndef IA_DRIVER_EMBEDDED_PHONE_PHONE_H
#define IA_DRIVER_EMBEDDED_PHONE_PHONE_H

#include "driver/device.h"
#include "driver/embedded/draw/scene.h"
#include "driver/embedded/fault/bugs.h"
#include "driver/embedded/phone/link.h"
#include "driver/embedded/phone/prefs.h"
#include "driver/embedded/phone/system.h"

struct ia_kit;
struct ia_app;
struct ia_nav_entry;

/* A screen of an app. build draws it through the kit; title may be NULL (name is the title). */
struct ia_screen {
    const char *name;
    void (*build)(struct ia_kit *k);
    const char *(*title)(const struct ia_phone *p, const struct ia_nav_entry *e);
    ia_touch_fn *cancel; /* of a sheet: its Cancel button and a pull down */
};

struct ia_nav_entry {
    const struct ia_screen *screen;
    int32_t arg;
    bool sheet; /* this entry stands in a sheet above the ones before it */
    float scroll;
};

/* Which keyboard a field brings up. */
enum ia_keyboard {
    IA_KEYBOARD_TEXT,
    IA_KEYBOARD_WORDS,
    IA_KEYBOARD_EMAIL,
    IA_KEYBOARD_PHONE,
    IA_KEYBOARD_SECURE /* and shows a dot for each character */
};

/* A text field of an app. Field 0 of an app is its search field. */
struct ia_field {
    const char *ident, *label, *placeholder;
    uint8_t keyboard; /* enum ia_keyboard */
    int8_t next;      /* field that the return key goes to, -1: the keyboard goes away */
    const char *return_label; /* "return", "search", "next", "done" */
};

/* Alerts and action sheets are constant data; arg goes to the button's handler. */
enum ia_alert_role { IA_ALERT_DEFAULT, IA_ALERT_CANCEL, IA_ALERT_DESTRUCTIVE };
struct ia_alert_button {
    const char *label;
    uint8_t role;
    ia_touch_fn *tap; /* NULL: only closes */
};
enum { IA_ALERT_BUTTONS_MAX = 3 };
struct ia_alert {
    bool action_sheet;
    const char *title, *message; /* NULL when absent */
    uint8_t field;               /* of the app, to be typed into; 0: none */
    struct ia_alert_button buttons[IA_ALERT_BUTTONS_MAX];
};
/* An alert with a message and the button OK. */
#define IA_ALERT_OK(title_, message_)                                                          \
    {                                                                                          \
        .title = (title_), .message = (message_), .buttons = {                                 \
            {"OK", IA_ALERT_DEFAULT, NULL}                                                     \
        }                                                                                      \
    }

enum { IA_NAV_MAX = 6, IA_FIELDS_MAX = 9, IA_FIELD_BYTES_MAX = 1024, IA_MEMO_MAX = 3 };

/* One app's part of the phone. Everything but data is the running app's and goes with it. */
struct ia_app_state {
    void *data; /* what the app keeps on disk */
    const struct ia_alert *alert;
    int32_t alert_arg;
    bool running, searching;
    bool shift;    /* the keyboard's */
    uint8_t page;  /* 0 letters, 1 numbers */
    int8_t focus;  /* field that has the keyboard, -1 */
    uint8_t depth; /* of nav */
    struct ia_nav_entry nav[IA_NAV_MAX];
    char *fields[IA_FIELDS_MAX];         /* NULL: empty */
    int32_t memo[IA_MEMO_MAX];           /* what its screens remember */
    int64_t busy_from_ms, busy_until_ms; /* the phone's clock; it loads something till then */
};

/* An app: one folder under apps/, one line in apps.c. Handlers may be NULL. */
struct ia_app {
    const char *bundle_id, *name;
    uint8_t icon;  /* enum ia_app_icon */
    bool dock;     /* its icon is in the dock */
    bool off_home; /* its icon is in the App Library alone, not on the home screen */
    bool rotates;  /* its screens may lie on their side; else it supports portrait only */
    const struct ia_screen *root;
    const struct ia_field *fields;
    void *(*create)(uint64_t seed); /* factory data; seed: the phone's */
    void (*destroy)(void *data);
    void (*example)(void *data); /* adds one of each thing that a new phone has none of */
    bool (*takes_url)(struct ia_str url);
    void (*open_url)(struct ia_phone *p,
                     struct ia_str url); /* the app is in front, at its root */
    void (*started)(struct ia_phone *p); /* its process has just begun; it is in front */
    void (*edited)(struct ia_phone *p, int field); /* after each change of a field */
    /* Called after each operation, whichever app is in front, for what happens with time. */
    void (*passed)(struct ia_phone *p);
    /* True if something will happen by itself, so that the clock advances when the screen is read. */
    bool (*waits)(const struct ia_phone *p);
    void (*open_notice)(struct ia_phone *p,
                        int32_t arg); /* a banner was touched; the app is in front */
    /* A screen was left for the one before it; what it showed is no longer there. */
    void (*left)(struct ia_phone *p, const struct ia_nav_entry *e);
    void (*state_json)(const void *data, struct ia_jsonw *w); /* "key":value pairs */
    /* What its build for tests tells of its state (driver/app_sdk.h): "name":"value" pairs. bugs: the
     * phone's. */
    void (*tell)(const void *data, uint32_t bugs, struct ia_jsonw *w);
    int (*badge)(const void *data); /* the number on its icon; 0: none */
};

extern const struct ia_app *const ia_apps[];
enum { IA_APPS_MAX = 12, IA_NO_APP = -1 };
int ia_app_count(void);
/* Index of the app with that bundle id, or IA_NO_APP. */
int ia_app_find(const char *bundle_id);

struct ia_phone {
    uint64_t seed;  /* of its data */
    uint64_t born;  /* the one that a reset comes back to */
    int64_t now_ms; /* the phone's clock, Unix time; its time zone is UTC */
    int64_t seq;    /* operations so far */
    struct ia_prefs prefs;
    struct ia_system system;
    struct ia_phone_link link; /* outlasts a reset */
    int foreground;            /* index of the app, IA_NO_APP: the home screen */
    bool locked;
    uint8_t held;                        /* enum ia_orientation */
    bool mute;                           /* the next text that is typed is not taken */
    bool shifted;                        /* a banner stands over lists */
    const struct ia_alert *system_alert; /* over everything; NULL: none */
    int32_t system_alert_arg;
    char *answer;       /* of the last native action that changed something; NULL: none */
    uint32_t bugs;      /* set of enum ia_bug */
    uint32_t installed; /* those that a reset comes back to */
    char *changes; /* planted changes of screens (driver/embedded/fault/changes.h), or NULL */
    uint32_t answered; /* bit n: the page, dialog or button of change n was touched */
    uint8_t app_count;
    struct ia_app_state apps[]; /* parallel to ia_apps */
};

#define IA_SPRINGBOARD "com.apple.springboard"
/* Tuesday, 9 September 2025, 09:41:00 UTC. */
#define IA_PHONE_EPOCH_MS INT64_C(1757410860000)
enum { IA_PHONE_DEFAULT_SEED = 1, IA_PHONE_BATTERY_MIN = 55 };

/* A phone in factory state on its home screen. */
struct ia_phone *ia_phone_new(uint64_t seed);
void ia_phone_free(struct ia_phone *p);
/* Back to the factory state of a seed on the home screen; 0: of the one that it was made from. Clock and the
 * count of operations go on. */
void ia_phone_reset(struct ia_phone *p, uint64_t seed);
/* The n-th number of a phone with that seed, below max. */
int32_t ia_phone_number(uint64_t seed, int n, int32_t max);

/* The scene of what is on the screen now. ia_scene_fini. */
void ia_phone_scene(const struct ia_phone *p, struct ia_scene *s);
/* Clamps scroll positions and keeps the focused field above the keyboard. */
void ia_phone_settle(struct ia_phone *p);

/* How the screen lies: as the phone is held where the app in front rotates, else upright. */
enum ia_orientation ia_phone_orientation(const struct ia_phone *p);
const struct ia_display *ia_phone_display(const struct ia_phone *p);

/* The app in front and its state, or NULL on the home screen. */
const struct ia_app *ia_phone_app(const struct ia_phone *p);
struct ia_app_state *ia_phone_front(struct ia_phone *p);
const struct ia_app_state *ia_phone_front_const(const struct ia_phone *p);
/* The state of an app by its description, for its handlers. */
struct ia_app_state *ia_phone_state_of(struct ia_phone *p, const struct ia_app *app);
const struct ia_app_state *ia_phone_state_of_const(const struct ia_phone *p,
                                                   const struct ia_app *app);

void ia_phone_launch(struct ia_phone *p, int app);
void ia_phone_terminate(struct ia_phone *p, int app);
void ia_phone_home(struct ia_phone *p);
/* Title of the screen in front, as its navigation bar has it: "Contacts", "Home Screen". */
const char *ia_phone_title(const struct ia_phone *p);
/* Applies a fault: an enum ia_op_fault (driver/embedded/op/trouble.c). */
void ia_phone_fault(struct ia_phone *p, int fault);
/* A secure field has the keyboard. */
bool ia_phone_secure(const struct ia_phone *p);
/* The app in front loads something for that long. */
void ia_phone_busy(struct ia_phone *p, int64_t ms);
/* How much of it is loaded, in percent; 100 when nothing is being loaded. */
int ia_phone_loaded(const struct ia_phone *p);
/* True if something will change by itself: the app in front loads, or an app expects an event. */
bool ia_phone_waits(const struct ia_phone *p);
/* Tells every app that time has passed. */
void ia_phone_pass(struct ia_phone *p);
bool ia_phone_bug(const struct ia_phone *p, enum ia_bug bug);
/* The phone behind an open device (driver/embedded/device.c). */
struct ia_device;
struct ia_phone *ia_embedded_phone(struct ia_device *d);
/* The oracle (driver/embedded/embedded.h). */
void ia_phone_state_json(const struct ia_phone *p, struct ia_jsonw *w);
/* Percent, fixed by the seed. */
int ia_phone_battery(const struct ia_phone *p);

/* Navigation in the app in front (nav.c). A full stack ignores a push. */
void ia_nav_push(struct ia_phone *p, const struct ia_screen *screen, int32_t arg);
void ia_nav_present(struct ia_phone *p, const struct ia_screen *screen, int32_t arg);
/* Leaves the top screen, never the first of the app. The first of a sheet closes the sheet. */
void ia_nav_pop(struct ia_phone *p);
/* The same as the handler of a touch. */
void ia_nav_on_back(struct ia_phone *p, const struct ia_touch *t);
void ia_nav_to_root(struct ia_phone *p);
/* The top entry, or NULL on the home screen. */
struct ia_nav_entry *ia_nav_top(struct ia_phone *p);
/* What a swipe from the left edge does: back, never out of a sheet. */
void ia_nav_swipe_back(struct ia_phone *p);
const char *ia_nav_title(const struct ia_phone *p, const struct ia_nav_entry *e);
/* The back button's label: the title of the screen below in the same stack, or NULL. */
const char *ia_nav_back_title(const struct ia_phone *p, const struct ia_app_state *a,
                              int entry);

/* The alert that is on the screen: the system's, else that of the app in front; NULL: none. */
const struct ia_alert *ia_alert_shown(const struct ia_phone *p);
/* Alerts in the app in front. */
void ia_alert_show(struct ia_phone *p, const struct ia_alert *alert, int32_t arg);
/* Presses button i: the alert closes, then the handler runs. */
void ia_alert_press(struct ia_phone *p, int i);
int ia_alert_count(const struct ia_alert *alert);
/* Which button `accept` and `dismiss` press. */
int ia_alert_accept_index(const struct ia_alert *alert);
int ia_alert_dismiss_index(const struct ia_alert *alert);

/* Text editing in the app in front (edit.c). */
void ia_edit_focus(struct ia_phone *p, int field); /* -1: the keyboard goes away */
const char *ia_edit_text(const struct ia_app_state *a, int field); /* never NULL */
void ia_edit_set(struct ia_phone *p, int field, const char *text);
/* Types one character into the focused field; '\n' is the return key.
 * A full field ignores it. */
void ia_edit_type(struct ia_phone *p, const char *utf8, size_t n);
/* Adds one character to the focused field. */
void ia_edit_append(struct ia_phone *p, const char *utf8, size_t n);
void ia_edit_delete(struct ia_phone *p);
/* Ends searching: empties field 0 and closes the keyboard. */
void ia_edit_end_search(struct ia_phone *p);

#endif
