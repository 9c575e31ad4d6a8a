/* device_forward.c: one forwarding function for each operation of device.h, made from its list. */
#include "driver/device_forward.h"

#include <stddef.h>

/* op: its place in the table. */
static bool reads(size_t op)
{
    return op == offsetof(struct ia_device_ops, tree) ||
           op == offsetof(struct ia_device_ops, info) ||
           op == offsetof(struct ia_device_ops, screenshot) ||
           op == offsetof(struct ia_device_ops, screenshot_pt);
}

static enum ia_rc may_pass(struct ia_device *d, size_t op, struct ia_err *err)
{
    const struct ia_device_forward *f = (struct ia_device_forward *)d;
    enum ia_rc rc = f->gate && !reads(op) ? f->gate(f->gate_ctx, err) : IA_OK;
    if (rc != IA_OK && err) {
        err->outcome = IA_OUTCOME_NOT_SENT;
    }
    return rc;
}

static struct ia_device_forward *begin(struct ia_device *d)
{
    struct ia_device_forward *f = (struct ia_device_forward *)d;
    if (f->before) {
        f->before(f);
    }
    return f;
}

static enum ia_rc end(struct ia_device_forward *f, enum ia_rc rc, struct ia_err *err)
{
    return f->after ? f->after(f, rc, err) : rc;
}

#define FORWARD(name, what, params, args)                                                      \
    static enum ia_rc forward_##name(struct ia_device *d, IA_DEVICE_LIST params)               \
    {                                                                                          \
        enum ia_rc rc = may_pass(d, offsetof(struct ia_device_ops, name), err);                \
        if (rc != IA_OK) {                                                                     \
            return rc;                                                                         \
        }                                                                                      \
        struct ia_device_forward *f = begin(d);                                                \
        return end(f, ia_device_##name(f->inner, IA_DEVICE_LIST args), err);                   \
    }
IA_DEVICE_OPS(FORWARD)

/* The inner device belongs to whoever made the wrapper. */
static void forward_close(struct ia_device *d)
{
    (void)d;
}

#define ROW(name, what, params, args) .name = forward_##name,
const struct ia_device_ops ia_device_forward_ops = {IA_DEVICE_OPS(ROW).close = forward_close};

void ia_device_forward_init(struct ia_device_forward *f, struct ia_device *inner)
{
    f->device.ops = &f->ops;
    f->ops = ia_device_forward_ops;
    f->inner = inner;
    f->before = NULL;
    f->after = NULL;
    f->gate = NULL;
#define DROP(name, what, params, args) f->ops.name = inner->ops->name ? f->ops.name : NULL;
    IA_DEVICE_OPTIONAL_OPS(DROP)
}
