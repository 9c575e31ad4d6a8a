/* embedded.h: the simulated iPhone inside this program. Deterministic: the same log of
 * operations gives the same phone. Nothing outside driver/embedded/ sees its insides; its apps,
 * screens and identifiers are listed in driver/embedded/README.md. */
#ifndef IA_DRIVER_EMBEDDED_EMBEDDED_H
#define IA_DRIVER_EMBEDDED_EMBEDDED_H

#include "base/jsonw.h"
#include "driver/device.h"

struct ia_embedded_options {
    const char *folder; /* where the phone's log lives; NULL: in memory only */
    const char *name;   /* "default"; [a-z0-9-]{1,32} */
    bool fresh;         /* forget the log: factory state */
    const char *query;  /* "bugs=shop-total&faults=popup@5&seed=7" (fault/knobs.h), or NULL */
    uint64_t seed; /* of a new phone, 0: the default; a phone keeps the seed it began with */
    const struct ia_clock *clock; /* NULL: the system's; used only where the device must wait */
    int64_t
        at; /* for ia_embedded_state_json and _log_json: the number of operations after which; 0: all */
};

/* Opens (and first replays) a phone. It outlives the program: each operation is appended to
 * folder/NAME.log before it acts. IA_E_BUSY when another process drives it, IA_E_USAGE for a
 * bad name, IA_E_DEVICE when the log is damaged (the hint names the file and `run --fresh`). */
enum ia_rc ia_embedded_open(const struct ia_embedded_options *opt, struct ia_device **ret,
                            struct ia_err *err);

/* Whether that is a query for a phone. IA_E_USAGE names the invalid part. */
enum ia_rc ia_embedded_check(const char *query, struct ia_err *err);
/* Whether that can be the name of a phone. IA_E_USAGE. */
enum ia_rc ia_embedded_check_name(const char *name, struct ia_err *err);

/* What can be planted: appends lines "word  what goes wrong" of bugs, faults and changes, or
 * writes {"bugs":[{"name","what"}],"faults":[…],"changes":[…]}. */
void ia_embedded_bugs_text(struct ia_buf *out);
void ia_embedded_bugs_json(struct ia_jsonw *w);

/* The oracle:
 * {"contacts":[{"name","first","last","phone","email"}…],"reminders":[…],"reminder_lists":[…],
 * "shop":{…},"settings":{"airplane_mode":false,…},"status_bar":{…}|null,"privacy":[…],
 * "location":{…}|null,"notifications":[…],"banner":false,"media":[…],"pasteboard":"","foreground":"com.apple.MobileAddressBook",
 * "screen":"Contacts","alert":null,"keyboard":false,"locked":false,"orientation":"portrait" (of the screen),
 * "held":"landscape_left" (as the phone is held),"running":[…],"bugs":[…],"changes":"label:#add=New"|null,
 * "seq":operations,"time_ms":the phone's clock}.
 * Reads the log of a phone, which another process may be driving, without touching it; a phone
 * that never was is in factory state. Errors as for ia_embedded_open, never IA_E_BUSY. */
enum ia_rc ia_embedded_state_json(const struct ia_embedded_options *opt, struct ia_jsonw *w,
                                  struct ia_err *err);
/* The state of a new phone that has one of each thing: the names that a state can have. */
void ia_embedded_example_json(struct ia_jsonw *w);
/* The operations of the last run, for judging it: *ret_before is their number after the last reset and the `setup` - 1
 * steps that follow it, *ret_after their number now. IA_E_NOT_FOUND: there was no such reset; otherwise the errors
 * above. */
enum ia_rc ia_embedded_last_run(const struct ia_embedded_options *opt, size_t setup,
                                int64_t *ret_before, int64_t *ret_after, struct ia_err *err);
/* Every operation that reached the phone, oldest first: [{"seq":1,"at_ms":…,"op":"tap","x":1,
 * "y":2},…]; the fields of each are listed in driver/embedded/op/op.h. */
enum ia_rc ia_embedded_log_json(const struct ia_embedded_options *opt, struct ia_jsonw *w,
                                struct ia_err *err);

/* What a server of an open phone reports beyond the vtable. Same thread rule as the device;
 * reading changes nothing. Texts live as long as the device. */
struct ia_embedded_app {
    const char *bundle_id, *name;
    bool running;
    bool front; /* on the screen; true of no app while the home screen or the lock screen is */
};
/* The i-th of the installed apps; false after the last. */
bool ia_embedded_device_app(struct ia_device *d, int i, struct ia_embedded_app *ret);

enum { IA_EMBEDDED_BUTTONS_MAX = 3 };
struct ia_embedded_alert {
    bool system;                 /* the system's, else that of the app in front */
    const char *title, *message; /* NULL when absent */
    const char *buttons[IA_EMBEDDED_BUTTONS_MAX]; /* in their order on the screen */
    int buttons_n;
    const char *accept, *dismiss; /* the buttons that those actions press */
    struct ia_rect frame;
};
/* The alert or action sheet that is on the screen; false: none. */
bool ia_embedded_device_alert(struct ia_device *d, struct ia_embedded_alert *ret);

/* How its screen lies: as it is held while the app in front rotates, else portrait. */
enum ia_orientation ia_embedded_device_orientation(struct ia_device *d);

bool ia_embedded_device_dark(struct ia_device *d);
/* The setting Dark Appearance, as an operation of its own. Errors as of the vtable. */
enum ia_rc ia_embedded_device_set_dark(struct ia_device *d, const struct ia_deadline *deadline,
                                       bool dark, struct ia_err *err);

/* The same oracle of an open phone, also of one that is in memory only. Same thread rule as the
 * device; changes nothing. */
void ia_embedded_device_state_json(struct ia_device *d, struct ia_jsonw *w);

#endif
