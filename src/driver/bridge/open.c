/* open.c: a device from its options: limits, the first ladder, and which table of operations
 * the bridge that answers calls for. */
#include "driver/bridge/impl.h"

#include <stdio.h>

static uint32_t or_default(uint32_t ms, uint32_t def)
{
    return ms > 0 ? ms : def;
}

static struct ia_bridge_client_limits limits_of(const struct ia_bridge_client_limits *l)
{
    return (struct ia_bridge_client_limits){.connect_ms = or_default(l->connect_ms, 5000),
                                            .hello_ms = or_default(l->hello_ms, 3000),
                                            .heartbeat_ms = or_default(l->heartbeat_ms, 5000),
                                            .idle_ms = or_default(l->idle_ms, 20000),
                                            .action_ms = or_default(l->action_ms, 30000),
                                            .read_ms = or_default(l->read_ms, 30000),
                                            .respawn_ms = or_default(l->respawn_ms, 180000),
                                            .total_ms = or_default(l->total_ms, 240000),
                                            .hung_ms = or_default(l->hung_ms, 120000)};
}

static struct ia_bridge_client_device *new_device(const struct ia_bridge_client_options *opt,
                                                  const struct ia_dialer *dialer)
{
    struct ia_bridge_client_device *d = ia_calloc(1, sizeof(*d));
    struct ia_bridge_client *h = &d->client;
    d->ops = ia_bridge_client_ops;
    d->device.ops = &d->ops;
    d->learn = ia_bridge_client_learn;
    h->place = opt->place;
    h->supervisor = opt->supervisor;
    h->limits = limits_of(&opt->limits);
    h->dialer = *dialer;
    ia_link_init(&h->link);
    (void)snprintf(h->client, sizeof(h->client), "%s", opt->client ? opt->client : "ios-agent");
    (void)snprintf(h->wanted, sizeof(h->wanted), "%s", opt->udid ? opt->udid : "");
    (void)snprintf(h->called, sizeof(h->called), "%s", opt->called ? opt->called : "");
    return d;
}

static enum ia_rc meet(struct ia_bridge_client_device *d, const struct ia_deadline *deadline,
                       struct ia_err *err)
{
    struct ia_limit limit = ia_bridge_client_limit(&d->client, deadline);
    enum ia_rc rc = ia_bridge_client_ready(&d->client, &limit, err);
    if (rc != IA_OK) {
        return rc;
    }
    if (d->client.mode == IA_BRIDGE_CLIENT_CLASSIC) {
        d->ops = ia_classic_ops;
        d->learn = ia_classic_learn;
        return IA_OK; /* learning costs a tree and a picture: left for when it is asked for */
    }
    if (!ia_bridge_client_serves(&d->client, IA_WIRE_OP_RESET)) {
        d->ops.reset = NULL;
    }
    return d->learn(d, deadline, err);
}

enum ia_rc ia_bridge_client_open_with(const struct ia_bridge_client_options *opt,
                                      const struct ia_dialer *dialer,
                                      const struct ia_deadline *deadline,
                                      struct ia_device **ret, struct ia_err *err)
{
    struct ia_err local_err = {.code = IA_OK};
    struct ia_bridge_client_device *d = new_device(opt, dialer);
    enum ia_rc rc = meet(d, deadline, err ? err : &local_err);
    if (rc != IA_OK) {
        ia_bridge_client_op_close(&d->device);
        return rc;
    }
    *ret = &d->device;
    return IA_OK;
}

enum ia_rc ia_bridge_client_open(const struct ia_bridge_client_options *opt,
                                 const struct ia_deadline *deadline, struct ia_device **ret,
                                 struct ia_err *err)
{
    return ia_bridge_client_open_with(opt, opt->dialer ? opt->dialer : &ia_dialer_tcp, deadline,
                                      ret, err);
}

void ia_bridge_client_status(const struct ia_bridge_client *h,
                             struct ia_bridge_client_status *ret)
{
    *ret = h->status;
    ret->up = ia_link_up(&h->link);
}
