/* device_forward.c: one forwarding function for each operation of device.h, made from its list. */
#include "driver/device_forward.h"

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
#define DROP(name, what, params, args) f->ops.name = inner->ops->name ? f->ops.name : NULL;
    IA_DEVICE_OPTIONAL_OPS(DROP)
}
