/* served.h: a simulated phone behind the server, a client that hides nothing, and a device that waits. */
#ifndef IA_TESTS_UNIT_SERVER_WDA_SERVED_H
#define IA_TESTS_UNIT_SERVER_WDA_SERVED_H

#include "server/wda/wda_server.h"

#include "driver/device_forward.h"
#include "wire.h"

#include <jansson.h>

struct served {
    struct ia_device *phone; /* in memory, in factory state */
    struct ia_device_forward
        device; /* what is served; override its operations before the start */
    struct ia_wda_server *server;
    struct wire at;     /* where wire_tcp connects to */
    char session[64];   /* "": none */
    _Atomic int inside; /* calls in served_wait */
};

void served_open(struct served *s);
/* With bugs and faults (driver/embedded/fault/knobs.h). */
void served_open_with(struct served *s, const char *query);
/* options NULL: none but the device. */
void served_start(struct served *s, const struct ia_wda_server_options *options);
void served_close(struct served *s);

struct said {
    int status;
    json_t *whole; /* the envelope */
    json_t *value; /* in it */
    const char *error;
};
/* One request on a connection of its own; body NULL: none. Fails the test when the answer is no envelope.
 * Free with said_fini. */
void served_ask(struct served *s, const char *method, const char *path, const char *body,
                struct said *ret);
void said_fini(struct said *r);
/* Starts a session without an app. */
void served_session(struct served *s);
/* One in the session whose status is this and whose value, as JSON, has the text. */
void served_says(struct served *s, const char *method, const char *rest, const char *body,
                 int status, const char *text);
/* Every operation fails with IA_E_DEVICE_LOST, but for info, which devices remember. */
void served_lose(struct served *s);
/* An operation that waits until its token fires: for device.ops.tree. */
enum ia_rc served_wait(struct ia_device *d, const struct ia_deadline *deadline,
                       struct ia_tree **ret_tree, struct ia_err *err);

#endif
