/* serve.h: an embedded phone served over the wire of the XCTest bridge, by the same core.
 *
 *   any client of the wire ──► core (connections, jobs) ──► perform.c ──► the device vtable
 *
 * Whatever the vtable does holds here too: the log is written before an operation acts, faults
 * and planted bugs strike, one process drives a phone. The phone says of itself that it is
 * simulated and that its time moves with its calls.
 *
 * Beyond the vtable: the target, which INFO and STATE report. It is the app that was launched
 * or made the target last, else whatever is in front. A tree without a name, and every touch and
 * text, are refused while another app is in front (target.c), so nothing reaches an app that the
 * host did not mean. The tree of an app that is asked for by name and is not in front is
 * TREE_EMPTY. */
#ifndef IA_DRIVER_EMBEDDED_SERVE_SERVE_H
#define IA_DRIVER_EMBEDDED_SERVE_SERVE_H

#include "base/cancel.h"
#include "driver/embedded/embedded.h"

struct ia_serve;

struct ia_serve_options {
    struct ia_embedded_options phone;
    int port;                 /* 0: any free one */
    const char *token;        /* asked for in hello; NULL: none is */
    const char *server;       /* sent to hosts: "ios-agent 0.2.0 embedded" */
    struct ia_cancel *cancel; /* ends ia_serve_run; may be NULL. Outlives the server */
};

/* Opens the phone and listens on 127.0.0.1; requests wait until ia_serve_run. Errors are those
 * of ia_embedded_open, and IA_E_IO for a port that cannot be had. */
enum ia_rc ia_serve_open(const struct ia_serve_options *opt, struct ia_serve **ret,
                         struct ia_err *err);
int ia_serve_port(const struct ia_serve *s);
/* Serves on the calling thread until the token fires, ia_serve_stop was called or a host asks
 * for the end. */
void ia_serve_run(struct ia_serve *s);
/* Any thread. */
void ia_serve_stop(struct ia_serve *s);
/* The phone, for whoever wants its oracle. Only while nobody is in ia_serve_run. */
struct ia_device *ia_serve_phone(struct ia_serve *s);
/* Ends every connection and closes the phone. Not while another thread is in ia_serve_run. NULL
 * is fine. */
void ia_serve_close(struct ia_serve *s);

#endif
