/* op.h: the operations that a phone takes, and their form in the log. */
#ifndef IA_DRIVER_EMBEDDED_OP_OP_H
#define IA_DRIVER_EMBEDDED_OP_OP_H

#include "base/buf.h"
#include "driver/device.h"
#include "driver/embedded/phone/phone.h"

enum ia_op_kind {
    IA_OP_TAP,
    IA_OP_LONG_PRESS,
    IA_OP_DRAG,
    IA_OP_TYPE,
    IA_OP_DELETE,
    IA_OP_PRESS,
    IA_OP_LAUNCH,
    IA_OP_TERMINATE,
    IA_OP_OPEN_URL,
    IA_OP_ALERT,
    IA_OP_RESET,
    IA_OP_BUGS,  /* which planted bugs are installed */
    IA_OP_FAULT, /* an injected fault */
    IA_OP_TICK,  /* nothing but time passed */
    IA_OP_APPEARANCE,
    IA_OP_PINCH,
    IA_OP_STATUS_BAR,
    IA_OP_PRIVACY,
    IA_OP_LOCATION,
    IA_OP_PUSH,
    IA_OP_MEDIA,
    IA_OP_PASTEBOARD,
    IA_OP_ROTATE,
    IA_OP_CHANGES, /* how screens are built in another way */
    IA_OP_NATIVE,  /* a native action with an effect (driver/embedded/apps/native/native.h) */
    IA_OP_ASK,     /* the system asks whether such actions are permitted */
    IA_OP_LINK,    /* which phones messages are exchanged with (driver/embedded/phone/link.h) */
    IA_OP_RECEIVE, /* a message of one of them, or what it is not */
    IA_OP_RECEIVE_PICTURE,
    IA_OP_COUNT
};

/* Faults that change the phone; the others are the driver's. */
enum ia_op_fault { IA_OP_FAULT_POPUP, IA_OP_FAULT_CRASH, IA_OP_FAULT_SHIFT, IA_OP_FAULT_MUTE };
enum { IA_OP_FAULTS = 4 };

struct ia_op {
    uint8_t kind;      /* enum ia_op_kind */
    double x, y;       /* tap, long press, drag, pinch; longitude and latitude */
    double to_x, to_y; /* drag */
    int n; /* duration_ms, count, enum ia_button, ia_alert_action or ia_op_fault, dark or not,
              percent of a pinch, enum ia_privacy, a place is set or not, enum ia_orientation, enum ia_native,
              the number of a line of the mailbox */
    /* Borrowed: text, app, url, bugs, changes, the alert button's label, the status bar as JSON (empty: no
     * override), the service, the notification, the name of a file, the arguments of a native action, names of
     * phones, a message. */
    struct ia_str text;
    struct ia_str
        app; /* privacy, push: its bundle id; empty: all; link: its id; receive: the sender */
};

enum { IA_OP_TEXT_MAX = 4096, IA_OP_DURATION_MAX_MS = 60000, IA_OP_COUNT_MAX = 4096 };
enum { IA_OP_PINCH_MIN = 10, IA_OP_PINCH_MAX = 1000 }; /* percent */
/* The names of enum ia_orientation; upside down is none that the phone has. */
enum { IA_OP_ORIENTATIONS = 3 };
extern const char *const ia_op_orientations[IA_OP_ORIENTATIONS];
/* How far the phone's clock moves with each operation. */
enum { IA_OP_MS = 1000 };

/* Whether the phone takes the operation now. Every refusal happens here, before anything is
 * logged: IA_E_USAGE for a point outside the screen, bad text or bad numbers, IA_E_LIMIT for
 * too long a text, IA_E_NO_KEYBOARD, IA_E_NO_ALERT, IA_E_NOT_FOUND (no such alert button),
 * IA_E_NO_APP, IA_E_UNSUPPORTED for a rotation that the app in front does not take. The outcome is
 * NOT_SENT. */
enum ia_rc ia_op_check(const struct ia_phone *p, const struct ia_op *op, struct ia_err *err);

/* Does what ia_op_check allowed, moves the clock, counts it and settles the phone. Fails only
 * with IA_E_NO_KEYBOARD, outcome SENT, when the keyboard went away in the middle of a text. */
enum ia_rc ia_op_act(struct ia_phone *p, const struct ia_op *op, struct ia_err *err);

/* Appends {"seq":1,"at_ms":…,"op":"tap","x":1,"y":2} without a newline. seq and at_ms are those
 * of the phone before the operation. Further fields by op: drag to_x, to_y, duration_ms;
 * long_press duration_ms; type text; delete count; press button; launch and terminate app;
 * open_url url; alert action, and button for the action "button"; bugs bugs; changes changes; fault fault;
 * appearance appearance; pinch x, y, percent; status_bar bar; privacy set, service, app; location
 * location ("set" or "clear"), longitude, latitude; push payload, app; media file; pasteboard text;
 * native action, args; ask service; link as, phones; receive and receive_picture no, from, text.
 * A text that is typed into a secure field has "secure":true. */
void ia_op_write(const struct ia_phone *p, const struct ia_op *op, struct ia_buf *out);

/* Reads one line (without its newline) that must be the phone's next operation. On IA_OK the
 * operation's text is borrowed from *ret_json, which the caller frees with ia_op_free. err names
 * the fault of the line, not its place. */
struct json_t;
enum ia_rc ia_op_read(const struct ia_phone *p, struct ia_str line, struct ia_op *ret,
                      struct json_t **ret_json, struct ia_err *err);
void ia_op_free(struct json_t *json);

#endif
