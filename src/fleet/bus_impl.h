/* bus_impl.h: the insides of a connection that its files share (private to fleet/). */
#ifndef IA_FLEET_BUS_IMPL_H
#define IA_FLEET_BUS_IMPL_H

#include "fleet/bus.h"
#include "fleet/nats.h"

#include <stdatomic.h>

struct ia_bus {
    const struct ia_nats *nats;
    natsConnection *connection;
    jsCtx *js;
    char *shown_url;
    _Atomic(bool) denied; /* the server refused something since somebody looked */
};

/* A status of the library as a code of ours; js: the server's code, or 0. */
enum ia_rc ia_bus_fail(struct ia_bus *bus, natsStatus status, int js, const char *what,
                       struct ia_err *err);

#endif
