/* device.h: one vtable for every device: the embedded iPhone, the XCTest bridge,
 * WebDriverAgent.
 *
 * A device is used by one thread at a time. Every call takes a struct ia_deadline: the cancel token
 * and the monotonic deadline under which it must return. On failure err->outcome says whether
 * an effect was sent (not_sent, sent, unknown); a call with an effect is never repeated by a
 * device itself. Coordinates are points. */
#ifndef IA_DRIVER_DEVICE_H
#define IA_DRIVER_DEVICE_H

#include "base/buf.h"
#include "base/cancel.h"
#include "base/clock.h"
#include "base/err.h"
#include "driver/tree.h"

struct ia_deadline {
    struct ia_cancel *cancel; /* may be NULL */
    int64_t at_us;            /* of the system's monotonic clock; IA_NO_DEADLINE for none */
};

enum ia_button { IA_BUTTON_HOME, IA_BUTTON_LOCK, IA_BUTTON_VOLUME_UP, IA_BUTTON_VOLUME_DOWN };
enum ia_alert_action { IA_ALERT_ACCEPT, IA_ALERT_DISMISS, IA_ALERT_BUTTON };
enum ia_orientation { IA_PORTRAIT, IA_LANDSCAPE_LEFT, IA_LANDSCAPE_RIGHT, IA_UPSIDE_DOWN };

enum { IA_DEVICE_NAME_MAX = 64 };
struct ia_device_info {
    char kind[16];                 /* "embedded", "bridge", "wda" */
    char id[IA_DEVICE_NAME_MAX];   /* lane id, "embedded:default" */
    char name[IA_DEVICE_NAME_MAX]; /* "iPhone (simulated)" */
    char os[IA_DEVICE_NAME_MAX];   /* "iOS 19.0" */
    double width_pt, height_pt;
    double scale;   /* pixels per point */
    bool simulated; /* true: not an Apple simulator or device; said everywhere */
    bool instant;   /* its time moves with its calls, not with the wall clock: two
                       equal trees in a row mean that it is still */
};

struct ia_device;

struct ia_device_ops {
    enum ia_rc (*info)(struct ia_device *d, struct ia_device_info *ret, struct ia_err *err);
    /* A fresh tree; the caller frees it. */
    enum ia_rc (*tree)(struct ia_device *d, const struct ia_deadline *deadline,
                       struct ia_tree **ret_tree, struct ia_err *err);
    /* A PNG in device pixels appended to ret_png. */
    enum ia_rc (*screenshot)(struct ia_device *d, const struct ia_deadline *deadline,
                             struct ia_buf *ret_png, struct ia_err *err);
    /* The same in points, from a device that can draw it small at once. NULL, or
     * IA_E_UNSUPPORTED, where it has to be scaled. */
    enum ia_rc (*screenshot_pt)(struct ia_device *d, const struct ia_deadline *deadline,
                                struct ia_buf *ret_png, struct ia_err *err);
    enum ia_rc (*tap)(struct ia_device *d, const struct ia_deadline *deadline,
                      struct ia_point at, struct ia_err *err);
    enum ia_rc (*long_press)(struct ia_device *d, const struct ia_deadline *deadline,
                             struct ia_point at, int duration_ms, struct ia_err *err);
    enum ia_rc (*drag)(struct ia_device *d, const struct ia_deadline *deadline,
                       struct ia_point from, struct ia_point to, int duration_ms,
                       struct ia_err *err);
    /* Types UTF-8 into whatever has the keyboard; "\n" is the return key. IA_E_NO_KEYBOARD. */
    enum ia_rc (*type_text)(struct ia_device *d, const struct ia_deadline *deadline,
                            struct ia_str text, struct ia_err *err);
    /* Deletes `count` characters before the cursor in the focused field. */
    enum ia_rc (*delete_text)(struct ia_device *d, const struct ia_deadline *deadline,
                              int count, struct ia_err *err);
    enum ia_rc (*press)(struct ia_device *d, const struct ia_deadline *deadline,
                        enum ia_button button, struct ia_err *err);
    /* Brings the app to the front, starting it when it does not run. IA_E_NO_APP. */
    enum ia_rc (*launch)(struct ia_device *d, const struct ia_deadline *deadline,
                         const char *bundle_id, struct ia_err *err);
    enum ia_rc (*terminate)(struct ia_device *d, const struct ia_deadline *deadline,
                            const char *bundle_id, struct ia_err *err);
    enum ia_rc (*open_url)(struct ia_device *d, const struct ia_deadline *deadline,
                           const char *url, struct ia_err *err);
    /* button names the button for IA_ALERT_BUTTON, else NULL. IA_E_NO_ALERT, IA_E_NOT_FOUND. */
    enum ia_rc (*alert)(struct ia_device *d, const struct ia_deadline *deadline,
                        enum ia_alert_action action, const char *button, struct ia_err *err);
    enum ia_rc (*orientation)(struct ia_device *d, const struct ia_deadline *deadline,
                              enum ia_orientation o, struct ia_err *err);
    /* Optional (NULL: the device cannot): the device as if new. Apps end, what they and the
     * settings keep is forgotten; what is installed stays. */
    enum ia_rc (*reset)(struct ia_device *d, const struct ia_deadline *deadline,
                        struct ia_err *err);
    void (*close)(struct ia_device *d);
};

/* Back ends embed this as their first member. */
struct ia_device {
    const struct ia_device_ops *ops;
};

/* The operation `reset`. IA_E_UNSUPPORTED, nothing sent, where the device has none. */
static inline enum ia_rc ia_device_reset(struct ia_device *d,
                                         const struct ia_deadline *deadline, struct ia_err *err)
{
    if (d->ops->reset) {
        return d->ops->reset(d, deadline, err);
    }
    enum ia_rc rc = ia_err_set(err, IA_E_UNSUPPORTED, "this device cannot be reset");
    if (err) {
        err->outcome = IA_OUTCOME_NOT_SENT;
    }
    return rc;
}

/* Closes and frees; NULL is fine. */
static inline void ia_device_close(struct ia_device *d)
{
    if (d) {
        d->ops->close(d);
    }
}

#endif
