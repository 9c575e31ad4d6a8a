/* wda_server.h: a device of ours as a WebDriverAgent server, for Appium and every other client of it.
 *
 *   client ──HTTP──► server/http (loopback, Host, Origin, token, caps) ──► routes ──► queue
 *                                                                                      │ one thread
 *                                                     tree, selectors, actions ◄── device vtable
 *
 * One thread owns the device; requests queue for it. GET /status and the end of a session are taken
 * beside the queue: ending a session answers everything that waits with `invalid session id` and
 * cancels what runs. A client that hangs up takes its request with it.
 *
 * Facts: WebDriverAgent 16 (FBSessionCommands.m, FBElementCommands.m, FBCustomCommands.m,
 * FBFindElementCommands.m, FBAlert.m) and what its clients send. It listens on 127.0.0.1 alone, refuses
 * every request with an Origin or a Host that is not this machine, and sends no CORS header:
 * WebDriverAgent itself does the opposite, so that any web page can drive it. */
#ifndef IA_SERVER_WDA_WDA_SERVER_H
#define IA_SERVER_WDA_WDA_SERVER_H

#include "driver/device.h"

struct ia_wda_server;

struct ia_wda_server_options {
    struct ia_device *device; /* borrowed; the server's alone until ia_wda_server_stop */
    int port;                 /* on 127.0.0.1; 0: any free one */
    int mjpeg_port;           /* of a live picture of the screen; 0: any free one, -1: none */
    /* Requests need "Authorization: Bearer TOKEN" with the token in this file (server/http/token.h);
     * NULL: they need none, as most clients cannot send one. */
    const char *token_file;
};

/* Serves from its return on. IA_E_IO for a port that cannot be had, IA_E_MISSING without
 * libmicrohttpd, and the errors of the device's info. */
enum ia_rc ia_wda_server_start(const struct ia_wda_server_options *opt,
                               struct ia_wda_server **ret, struct ia_err *err);
int ia_wda_server_port(const struct ia_wda_server *s);
int ia_wda_server_mjpeg_port(const struct ia_wda_server *s); /* 0: none */
/* Cancels what runs, answers what waits, and frees. The device stays open. NULL is fine. */
void ia_wda_server_stop(struct ia_wda_server *s);

#endif
