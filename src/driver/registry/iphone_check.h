/* iphone_check.h: whether a plugged-in iPhone can be driven through WebDriverAgent, and if not, what to do
 * next. For doctor. */
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

/* Checks the steps from the cable to the screen, in order. The first that fails is the error, and the hint has
 * the next command. IA_OK: out has one line. Starts and changes nothing on the device.
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

/* Pure. Writes how to start a runner on an iPhone with that version ("" when unknown) into err's hint. mac:
 * this computer is a Mac. */
void ia_iphone_start_hint(const char *version, const char *udid, bool mac, struct ia_err *err);
/* Pure. What starting a runner needs besides the cable: "needs no tunnel", … . Reaching a port never needs one. */
const char *ia_iphone_tunnel(const char *version);
/* Pure. Checks the answer to GET /status and appends version and session to out. Errors are those above from
 * "it answers" to "it is not too old". own: the id of our own session, or "". */
enum ia_rc ia_iphone_check_status(int http_status, struct ia_str body, const char *own,
                                  bool take, struct ia_buf *out, struct ia_err *err);

#endif
