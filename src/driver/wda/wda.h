/* wda.h: a real iPhone or a simulator behind WebDriverAgent, asked directly or through an Appium
 * server. Both speak W3C WebDriver JSON over HTTP; one table (calls.c) has both dialects.
 *
 *   open ─► GET /status: which dialect, whose session ─► POST /session ─► settings ─► screen
 *   tree, screenshot, … ─► one request each; a reading whose connection broke, or whose session is
 *                          gone, is repeated once
 *   tap, type, …        ─► one request each, never repeated by anything below it
 *   close ─► what the settings were, DELETE /session
 *
 * WebDriverAgent has one session, and a new one ends the one before. So it is looked at first: a
 * session of somebody else is IA_E_BUSY unless `take` is set. Our own is known by its id in
 * session_file, or by a mark where its run was killed before it knew the id (session.c); that of a process
 * that lives and has not released the device is IA_E_BUSY, too, even with `take`. An Appium server does not
 * tell whose session its WebDriverAgent has.
 *
 * The session has no app of its own: WebDriverAgent then follows the app in front, and a crash of one
 * does not end it. Elements are never looked up (Appium answers "no such element" for a dead session,
 * too): what is there is read from the tree, and touches go to points.
 *
 * Errors beyond those of device.h:
 *   IA_E_NO_DEVICE    nothing answers at open, or what does is neither of the two
 *   IA_E_BUSY         another client has the session
 *   IA_E_DEVICE_LOST  the server or the session is gone; hint what to start
 *   IA_E_DEVICE       WebDriverAgent failed, or the answer to an effect was lost: observe
 *   IA_E_APP_GONE     the app has ended
 *   IA_E_AUTH         the way there wants a login
 *   IA_E_PROTO        an answer that is not WebDriver's
 *   IA_E_USAGE        also: "accept" for an alert with more than two buttons; the hint names them
 *
 * Sources: WebDriverAgent 16.12 (FBSessionCommands.m, FBCustomCommands.m, FBAlert.m,
 * FBResponsePayload.m, FBConfiguration.h), appium-xcuitest-driver 12.13 (lib/commands), W3C
 * WebDriver, section "Errors". */
#ifndef IA_DRIVER_WDA_WDA_H
#define IA_DRIVER_WDA_WDA_H

#include "driver/device.h"

enum ia_wda_dialect { IA_WDA_ANY, IA_WDA_DIRECT, IA_WDA_APPIUM };

/* All of it is copied. */
struct ia_wda_options {
    /* "http://127.0.0.1:8100", or an Appium server's with its base path. Without user and password:
     * it is shown in messages. */
    const char *url;
    const char *unix_socket; /* connect there instead (a relay to a phone), or NULL */
    /* IA_WDA_ANY: found out by GET /status. Another one than answers is IA_E_NO_DEVICE. */
    enum ia_wda_dialect dialect;
    const char *lane;          /* info.id, without settings */
    const char *udid;          /* of the device that Appium is to drive, or NULL */
    const char *capabilities;  /* for Appium: a JSON object, over our own; or NULL */
    const char *authorization; /* the value of that header, or NULL; in no message and no log */
    /* Where our session is kept, mode 0600, with FILE.lock beside it; NULL: nowhere. */
    const char *session_file;
    bool take;                    /* end the session of another client */
    const struct ia_clock *clock; /* NULL: the system's */
};

/* Opens a session. Through Appium that may build and start WebDriverAgent first, which takes
 * minutes. *ret is closed with ia_device_close; kind is "wda" in both dialects. */
enum ia_rc ia_wda_open(const struct ia_wda_options *opt, const struct ia_deadline *deadline,
                       struct ia_device **ret, struct ia_err *err);

/* Appends one line on what answers there, "WebDriverAgent 16.12.9, iOS 18.5, no session"; opens no
 * session and changes nothing. The same errors; a foreign session is no error here. */
enum ia_rc ia_wda_describe(const struct ia_wda_options *opt, const struct ia_deadline *deadline,
                           struct ia_buf *out, struct ia_err *err);

#endif
