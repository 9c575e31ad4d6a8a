/* iphone_check.h: whether an iPhone that is plugged in can be driven through WebDriverAgent, and if not, what
 * to do next. For doctor. */
#ifndef IA_DRIVER_REGISTRY_IPHONE_CHECK_H
#define IA_DRIVER_REGISTRY_IPHONE_CHECK_H

#include "base/buf.h"
#include "driver/usbmux/lockdown.h"

#define IA_IPHONE_WDA_URL "http://127.0.0.1:8100"
enum { IA_IPHONE_WDA_PORT = 8100 };

struct ia_iphone_check {
    const char *udid;
    const char *session_file; /* where our own session is kept; need not exist */
    bool take;                /* a foreign session would be ended */
};

/* The steps from the cable to the screen, in order; the first that fails is the error, and its hint the
 * next command. IA_OK with one line in out. Starts and changes nothing on the device.
 *
 *   usbmuxd, plugged in                   errors of usbmux.h
 *   this computer is trusted              IA_E_AUTH
 *   something listens on port 8100        IA_E_STATE for the developer mode or image that is missing,
 *                                         else IA_E_NO_DEVICE with how a runner is started
 *   it answers as WebDriverAgent          IA_E_PROTO
 *   no other client's session             IA_E_BUSY
 *   it is not too old                     IA_E_UNSUPPORTED
 *   its screen can be read                IA_E_TREE_EMPTY */
enum ia_rc ia_iphone_check(const struct ia_iphone_check *check,
                           const struct ia_deadline *deadline, struct ia_buf *out,
                           struct ia_err *err);

/* Pure. How a runner is started on an iPhone with that version ("" when unknown) from this system, as
 * a hint; mac: this computer is one. */
void ia_iphone_start_hint(const char *version, const char *udid, bool mac, struct ia_err *err);
/* Pure. What starting one needs beside the cable: "needs no tunnel", … . Reaching a port never needs one. */
const char *ia_iphone_tunnel(const char *version);
/* Pure. The answer to GET /status: appends version and session to out. The errors above from "answers"
 * to "not too old"; own: the session that is no other client's, or "". */
enum ia_rc ia_iphone_check_status(int http_status, struct ia_str body, const char *own,
                                  bool take, struct ia_buf *out, struct ia_err *err);

#endif
