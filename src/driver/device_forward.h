/* device_forward.h: the base of a device that stands in front of another.
 *
 * Every operation goes to the inner device; a wrapper overrides those that it changes, and may
 * look at every call through hooks:
 *
 *   struct slow { struct ia_device_forward forward; ... };   (first member)
 *
 *   static enum ia_rc slow_tap(struct ia_device *d, const struct ia_deadline *deadline,
 *                              struct ia_point at, struct ia_err *err)
 *   {
 *       ...
 *       return ia_device_forward_ops.tap(d, deadline, at, err);
 *   }
 *
 *   ia_device_forward_init(&slow->forward, inner);
 *   slow->forward.ops.tap = slow_tap;
 *
 * An optional operation that the inner device lacks is NULL in the wrapper too, so that both
 * look the same; override it only where it is not NULL. */
#ifndef IA_DRIVER_DEVICE_FORWARD_H
#define IA_DRIVER_DEVICE_FORWARD_H

#include "driver/device.h"

struct ia_device_forward {
    struct ia_device device;  /* first; give this one away. Closing it closes nothing */
    struct ia_device_ops ops; /* of this wrapper */
    struct ia_device *inner;  /* borrowed */
    /* Called around every operation that reaches the inner device; either may be NULL. after
     * returns what the operation is to return. */
    void (*before)(struct ia_device_forward *f);
    enum ia_rc (*after)(struct ia_device_forward *f, enum ia_rc rc, struct ia_err *err);
    /* Asked before those, unless the operation only reads (info, tree, a screenshot); what it fails is
     * not sent. May be NULL. */
    enum ia_rc (*gate)(void *ctx, struct ia_err *err);
    void *gate_ctx;
};

/* Sets everything but the wrapper's own members; the hooks to NULL. f must not move after. */
void ia_device_forward_init(struct ia_device_forward *f, struct ia_device *inner);

/* The operations that forward, hooks included: for what an override does by itself. */
extern const struct ia_device_ops ia_device_forward_ops;

#endif
