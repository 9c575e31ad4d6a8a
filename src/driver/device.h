/* device.h: one table of operations for every device: the embedded iPhone, and the bridge with its
 * extensions or without (classic).
 *
 * A device is used by one thread at a time. Every call but info takes a struct ia_deadline: the
 * cancel token and the monotonic deadline under which it must return. Callers may pass NULL for
 * it, and for err: a device must expect both. On failure err->outcome says whether an effect was
 * sent (not_sent, sent, unknown); for tree and the screenshots, which send none, it is none or
 * not_sent, and callers treat the two alike. A device never repeats a call with an effect by
 * itself. Coordinates are points.
 *
 * A device has every operation of IA_DEVICE_REQUIRED_OPS and close; those of
 * IA_DEVICE_OPTIONAL_OPS may be NULL. every_device_has_all_that_is_required in
 * tests/unit/driver/device_test.c checks that: a new device gets a line there.
 *
 * To add an operation:
 *   1. a row with its contract in IA_DEVICE_OPTIONAL_OPS below. The member of the table, the
 *      call ia_device_NAME, the forwarding of wrappers (device_forward.h) and the tests of all
 *      tables follow from it; a device that leaves it NULL answers IA_E_UNSUPPORTED;
 *   2. the embedded phone: embedded/device.c, and embedded/op/op.h when it changes the phone;
 *   3. real devices: a request of the wire (bridge-xcuitest/wire/PROTOCOL.md) and
 *      bridge/device.c;
 *   4. who uses it: a function of session/session.h that begins, sends it once and ends.
 * When every device has it, move the row to IA_DEVICE_REQUIRED_OPS. */
#ifndef IA_DRIVER_DEVICE_H
#define IA_DRIVER_DEVICE_H

#include "base/buf.h"
#include "base/cancel.h"
#include "base/clock.h"
#include "base/err.h"
#include "driver/system.h"
#include "driver/tree.h"
#include "wire/native.h"

struct ia_deadline {
    struct ia_cancel *cancel; /* may be NULL */
    int64_t at_us;            /* of the system's monotonic clock; IA_NO_DEADLINE for none */
};

enum ia_button { IA_BUTTON_HOME, IA_BUTTON_LOCK, IA_BUTTON_VOLUME_UP, IA_BUTTON_VOLUME_DOWN };
enum ia_alert_action { IA_ALERT_ACCEPT, IA_ALERT_DISMISS, IA_ALERT_BUTTON };
/* Numbers are XCUIApplicationState's (Apple's XCUIApplication.h). */
enum ia_application_state {
    IA_APP_UNKNOWN,
    IA_APP_NOT_RUNNING,
    IA_APP_SUSPENDED,
    IA_APP_BACKGROUND,
    IA_APP_FRONT
};
enum ia_orientation { IA_PORTRAIT, IA_LANDSCAPE_LEFT, IA_LANDSCAPE_RIGHT, IA_UPSIDE_DOWN };

enum { IA_DEVICE_NAME_MAX = 64 };
struct ia_device_info {
    char kind[16]; /* "embedded", "bridge" */
    /* What --device takes and what is shown, "embedded:default". It is ia_device_spec_lane of the name
     * that opened the device, unless the device knows a truer one: what answers at bridge:HOST:PORT
     * says which UDID it is. */
    char id[IA_DEVICE_NAME_MAX];
    /* The lane that a run takes, where it is another: two names of one device must exclude each other.
     * "": id. */
    char lane[IA_DEVICE_NAME_MAX];
    char name[IA_DEVICE_NAME_MAX]; /* "iPhone (simulated)" */
    char os[IA_DEVICE_NAME_MAX];   /* "iOS 19.0" */
    double width_pt, height_pt;
    double scale;   /* pixels per point */
    bool simulated; /* by ios-agent, in this process or in the one that serves it: neither an
                       Apple simulator nor a device; said everywhere */
    bool instant;   /* its time moves with its calls, not with the wall clock: two
                       equal trees in a row mean that it is still */
};

static inline const char *ia_device_info_lane(const struct ia_device_info *info)
{
    return info->lane[0] != '\0' ? info->lane : info->id;
}

/* X(name, "what a device without it cannot do", (parameters after the device), (their names)) */
#define IA_DEVICE_REQUIRED_OPS(X)                                                               \
    /* What the device is. */                                                                   \
    X(info, "tell what it is", (struct ia_device_info * ret, struct ia_err * err), (ret, err))  \
    /* A fresh tree; the caller frees it. A device that keeps its last one builds another: */   \
    /* trees are not copied. */                                                                 \
    X(tree, "deliver a tree",                                                                   \
      (const struct ia_deadline *deadline, struct ia_tree **ret_tree, struct ia_err *err),      \
      (deadline, ret_tree, err))                                                                \
    /* A PNG in device pixels, appended to ret_png. */                                          \
    X(screenshot, "take a screenshot",                                                          \
      (const struct ia_deadline *deadline, struct ia_buf *ret_png, struct ia_err *err),         \
      (deadline, ret_png, err))                                                                 \
    X(tap, "tap",                                                                               \
      (const struct ia_deadline *deadline, struct ia_point at, struct ia_err *err),             \
      (deadline, at, err))                                                                      \
    X(long_press, "long-press",                                                                 \
      (const struct ia_deadline *deadline, struct ia_point at, int duration_ms,                 \
       struct ia_err *err),                                                                     \
      (deadline, at, duration_ms, err))                                                         \
    /* duration_ms is of the movement: the finger rests neither before it nor after. A drag */  \
    /* from the screen's edge is the system's and may leave the app: strokes stay IA_EDGE_PT */ \
    /* away (session/session_impl.h). So must a tool whose points the model chooses: the app */ \
    /* lock sees the screen before a drag, not where it begins. */                              \
    X(drag, "drag",                                                                             \
      (const struct ia_deadline *deadline, struct ia_point from, struct ia_point to,            \
       int duration_ms, struct ia_err *err),                                                    \
      (deadline, from, to, duration_ms, err))                                                   \
    /* Types UTF-8 into whatever has the keyboard; "\n" is the return key. IA_E_NO_KEYBOARD. */ \
    X(type_text, "type",                                                                        \
      (const struct ia_deadline *deadline, struct ia_str text, struct ia_err *err),             \
      (deadline, text, err))                                                                    \
    /* Deletes `count` characters before the cursor in the focused field. */                    \
    X(delete_text, "delete text",                                                               \
      (const struct ia_deadline *deadline, int count, struct ia_err *err),                      \
      (deadline, count, err))                                                                   \
    X(press, "press a button",                                                                  \
      (const struct ia_deadline *deadline, enum ia_button button, struct ia_err *err),          \
      (deadline, button, err))                                                                  \
    /* Brings the app to the front, starting it when it does not run. IA_E_NO_APP. */           \
    X(launch, "launch an app",                                                                  \
      (const struct ia_deadline *deadline, const char *bundle_id, struct ia_err *err),          \
      (deadline, bundle_id, err))                                                               \
    X(terminate, "terminate an app",                                                            \
      (const struct ia_deadline *deadline, const char *bundle_id, struct ia_err *err),          \
      (deadline, bundle_id, err))                                                               \
    X(open_url, "open a URL",                                                                   \
      (const struct ia_deadline *deadline, const char *url, struct ia_err *err),                \
      (deadline, url, err))                                                                     \
    /* label names the button for IA_ALERT_BUTTON, else NULL. IA_E_NO_ALERT, IA_E_NOT_FOUND. */ \
    X(alert, "answer an alert",                                                                 \
      (const struct ia_deadline *deadline, enum ia_alert_action action, const char *label,      \
       struct ia_err *err),                                                                     \
      (deadline, action, label, err))                                                           \
    X(orientation, "be turned",                                                                 \
      (const struct ia_deadline *deadline, enum ia_orientation o, struct ia_err *err),          \
      (deadline, o, err))

#define IA_DEVICE_OPTIONAL_OPS(X)                                                                       \
    /* A screenshot in points, where the device can draw it small; else it has to be scaled. */         \
    X(screenshot_pt, "take a screenshot in points",                                                     \
      (const struct ia_deadline *deadline, struct ia_buf *ret_png, struct ia_err *err),                 \
      (deadline, ret_png, err))                                                                         \
    /* At most so many characters a second from now on; 0: as by itself. Sends nothing. */              \
    X(typing_pace, "type at another pace", (int per_second, struct ia_err *err),                        \
      (per_second, err))                                                                                \
    /* As if new: apps end, their data and the settings go; what is installed stays. */                 \
    X(reset, "be reset", (const struct ia_deadline *deadline, struct ia_err *err),                      \
      (deadline, err))                                                                                  \
    /* Two fingers move apart (scale above 1) or together (below 1) in the middle of `in`, which */     \
    /* is the frame of an element on the screen, or the whole screen. */                                \
    X(pinch, "pinch",                                                                                   \
      (const struct ia_deadline *deadline, struct ia_rect in, double scale,                             \
       struct ia_err *err),                                                                             \
      (deadline, in, scale, err))                                                                       \
    /* The forms of what follows, and what no device takes: system.h. Members of bar that are */        \
    /* unset stay as they are; NULL: the bar shows again what is true. */                               \
    X(status_bar, "change its status bar",                                                              \
      (const struct ia_deadline *deadline, const struct ia_status_bar *bar,                             \
       struct ia_err *err),                                                                             \
      (deadline, bar, err))                                                                             \
    X(privacy, "change what apps are permitted",                                                        \
      (const struct ia_deadline *deadline, enum ia_privacy set, const char *service,                    \
       const char *bundle_id, struct ia_err *err),                                                      \
      (deadline, set, service, bundle_id, err))                                                         \
    /* NULL: where it is by itself. */                                                                  \
    X(location, "be somewhere else",                                                                    \
      (const struct ia_deadline *deadline, const struct ia_location *place,                             \
       struct ia_err *err),                                                                             \
      (deadline, place, err))                                                                           \
    /* bundle_id NULL: the payload names the app. IA_E_NO_APP. */                                       \
    X(push, "deliver a notification",                                                                   \
      (const struct ia_deadline *deadline, const char *bundle_id, struct ia_str payload,                \
       struct ia_err *err),                                                                             \
      (deadline, bundle_id, payload, err))                                                              \
    /* A photo or video on this machine into the device's library. IA_E_NOT_FOUND. */                   \
    X(add_media, "take photos and videos",                                                              \
      (const struct ia_deadline *deadline, const char *path, struct ia_err *err),                       \
      (deadline, path, err))                                                                            \
    X(set_pasteboard, "fill its pasteboard",                                                            \
      (const struct ia_deadline *deadline, struct ia_str text, struct ia_err *err),                     \
      (deadline, text, err))                                                                            \
    /* Appends its text to ret_text; nothing where it holds none. */                                    \
    X(pasteboard, "tell what is on its pasteboard",                                                     \
      (const struct ia_deadline *deadline, struct ia_buf *ret_text, struct ia_err *err),                \
      (deadline, ret_text, err))                                                                        \
    /* Its own data and services, without its screen (native.h). json: the arguments, an object; the */ \
    /* answer, another, is appended to ret_answer. IA_E_FORBIDDEN: the phone does not permit it, or */  \
    /* has just put the question on its screen (then retry_safe). IA_E_NOT_FOUND; IA_E_UNSUPPORTED: */  \
    /* it has no such service. */                                                                       \
    X(native, "reach its own data and services",                                                        \
      (const struct ia_deadline *deadline, enum ia_native native, struct ia_str json,                   \
       struct ia_buf *ret_answer, struct ia_err *err),                                                  \
      (deadline, native, json, ret_answer, err))                                                        \
    /* Whether an app runs. IA_E_NO_APP or IA_APP_UNKNOWN for one that is not installed. */             \
    X(app_state, "tell the state of an app",                                                            \
      (const struct ia_deadline *deadline, const char *bundle_id,                                       \
       enum ia_application_state *ret_state, struct ia_err *err),                                       \
      (deadline, bundle_id, ret_state, err))                                                            \
    /* Sets dark or light, unless set_dark is NULL, and tells which it is. */                           \
    X(appearance, "tell or change its appearance",                                                      \
      (const struct ia_deadline *deadline, const bool *set_dark, bool *ret_dark,                        \
       struct ia_err *err),                                                                             \
      (deadline, set_dark, ret_dark, err))                                                              \
    X(locked, "tell whether it is locked",                                                              \
      (const struct ia_deadline *deadline, bool *ret_locked, struct ia_err *err),                       \
      (deadline, ret_locked, err))                                                                      \
    /* Begins to film the screen into a new file, which replaces one that is there; returns when */     \
    /* it is filmed. path is absolute. IA_E_STATE while another film is being made. */                  \
    X(record_start, "film its screen",                                                                  \
      (const struct ia_deadline *deadline, const char *path, struct ia_err *err),                       \
      (deadline, path, err))                                                                            \
    /* Ends it: the file is complete then. IA_E_STATE when nothing is filmed. A deadline that */        \
    /* passes first leaves a film that is ending, to be asked for again. Closing the device */          \
    /* ends it too. */                                                                                  \
    X(record_stop, "film its screen",                                                                   \
      (const struct ia_deadline *deadline, struct ia_recording *ret_film, struct ia_err *err),          \
      (deadline, ret_film, err))                                                                        \
    /* Lets other processes drive the device while it stays open here; until acquire every */           \
    /* other call is refused. A device that lacks the two shares itself: nothing to do. */              \
    X(release, "be released", (struct ia_err * err), (err))                                             \
    /* Takes it back, without waiting: IA_E_BUSY while another process has it. */                       \
    /* *ret_changed: somebody else drove it meanwhile, and what was read from it says nothing */        \
    /* now. After a failure it is still released. */                                                    \
    X(acquire, "be acquired",                                                                           \
      (const struct ia_deadline *deadline, bool *ret_changed, struct ia_err *err),                      \
      (deadline, ret_changed, err))

#define IA_DEVICE_OPS(X) IA_DEVICE_REQUIRED_OPS(X) IA_DEVICE_OPTIONAL_OPS(X)
#define IA_DEVICE_LIST(...) __VA_ARGS__ /* takes the parentheses off a row's lists */

/* IA_E_CANCELLED or IA_E_TIMEOUT, not_sent and safe to retry, when the token has fired or the time
 * is over; d may be NULL. A device asks before it sends anything. */
enum ia_rc ia_deadline_check(const struct ia_deadline *d, const struct ia_clock *clock,
                             struct ia_err *err);
/* Marks a failure before which nothing was sent: outcome not_sent, safe to retry. Returns rc. */
enum ia_rc ia_device_not_sent(enum ia_rc rc, struct ia_err *err);

struct ia_device;

struct ia_device_ops {
/* NOLINTBEGIN(bugprone-macro-parentheses): a name that is declared */
#define IA_DEVICE_MEMBER(name, what, params, args)                                             \
    enum ia_rc (*name)(struct ia_device * d, IA_DEVICE_LIST params);
    /* NOLINTEND(bugprone-macro-parentheses) */
    IA_DEVICE_OPS(IA_DEVICE_MEMBER)
#undef IA_DEVICE_MEMBER
    /* Closes and frees. */
    void (*close)(struct ia_device *d);
};

/* Back ends embed this as their first member. */
struct ia_device {
    const struct ia_device_ops *ops;
};

/* IA_E_UNSUPPORTED, nothing sent. */
static inline enum ia_rc ia_device_cannot(const char *what, struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_UNSUPPORTED, "this device cannot %s", what);
    ia_err_hint(err, "the simulated phone (embedded) and simulators (bridge:UDID) can");
    if (err) {
        err->outcome = IA_OUTCOME_NOT_SENT;
    }
    return rc;
}

/* ia_device_tap(d, deadline, at, err) and so on: the operations of the list above. */
#define IA_DEVICE_CALL(name, what, params, args)                                               \
    static inline enum ia_rc ia_device_##name(struct ia_device *d, IA_DEVICE_LIST params)      \
    {                                                                                          \
        return d->ops->name ? d->ops->name(d, IA_DEVICE_LIST args)                             \
                            : ia_device_cannot(what, err);                                     \
    }
IA_DEVICE_OPS(IA_DEVICE_CALL)
#undef IA_DEVICE_CALL

/* Closes and frees; NULL is fine. */
static inline void ia_device_close(struct ia_device *d)
{
    if (d) {
        d->ops->close(d);
    }
}

#endif
