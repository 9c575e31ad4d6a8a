/* usbmux.h: iPhones that are plugged in, through the daemon that speaks to them (usbmuxd): which there
 * are, and a stream to a port of one.
 *
 *   ios-agent ──Unix socket── usbmuxd ──USB or Wi-Fi── iPhone: port 8100, 62078 …
 *
 * The daemon is at USBMUXD_SOCKET_ADDRESS, "UNIX:PATH" or "HOST:PORT" as libusbmuxd has it, else at
 * /var/run/usbmuxd, where macOS always has one. Each call has a connection of its own, waits at most
 * IA_USBMUX_ANSWER_MS, and ends with its deadline or token before that. Any thread.
 *
 * A request and its answer are a frame each: four little-endian words (length with these 16 bytes,
 * version 1, message 8, a tag that the answer repeats) and a property list in XML. After a good answer to
 * Connect the connection is the stream to the device's port.
 *
 * Errors beyond those of a stream (base/stream.h):
 *   IA_E_MISSING    no usbmuxd answers
 *   IA_E_NO_DEVICE  no such iPhone is plugged in, or nothing listens on its port
 *   IA_E_PROTO      what answers does not speak this protocol
 *   IA_E_CONFIG     USBMUXD_SOCKET_ADDRESS is neither
 *
 * Sources: libusbmuxd 2.0.2 and its tools, whose requests and
 * answers tests/e2e/test_usbmux.py compares with ours. */
#ifndef IA_DRIVER_USBMUX_USBMUX_H
#define IA_DRIVER_USBMUX_USBMUX_H

#include "base/stream.h"
#include "driver/device.h"

enum { IA_USBMUX_ANSWER_MS = 5000, IA_USBMUX_PHONES_MAX = 64, IA_USBMUX_UDID_SIZE = 44 };

struct ia_usbmux_phone {
    char udid[IA_USBMUX_UDID_SIZE]; /* as ia_usbmux_udid writes it */
    char serial
        [IA_USBMUX_UDID_SIZE]; /* the same as the daemon writes it: pair records have that name */
    uint32_t id;               /* the daemon's number for it, until it is unplugged */
    bool network;
};

struct ia_usbmux_phones {
    struct ia_usbmux_phone phones[IA_USBMUX_PHONES_MAX];
    size_t count;
};

/* Whether the text is the UDID of a device: 8 and 16 hexadecimal digits, with a dash between them or
 * without, or 40. Writes it as it is written everywhere else: with the dash and in capitals, or 40 in
 * small letters. A simulator's is a UUID, which has another form, so the two are never mixed up. */
bool ia_usbmux_udid(const char *text, char ret[IA_USBMUX_UDID_SIZE]);

/* Every device that is plugged in, once: one that is also reached by Wi-Fi is listed as the one on
 * USB. In the daemon's order. */
enum ia_rc ia_usbmux_list(const struct ia_deadline *deadline, struct ia_usbmux_phones *ret,
                          struct ia_err *err);
/* The device with that UDID, which is as ia_usbmux_udid writes it. */
enum ia_rc ia_usbmux_find(const char *udid, const struct ia_deadline *deadline,
                          struct ia_usbmux_phone *ret, struct ia_err *err);
/* A stream to that port of it; *ret_fd is as ia_stream_own leaves it, and the caller's. */
enum ia_rc ia_usbmux_connect(const char *udid, uint16_t port,
                             const struct ia_deadline *deadline, int *ret_fd,
                             struct ia_err *err);
/* Whether this computer has a pair record of it: somebody tapped Trust once. What the record holds (keys)
 * is not looked at. */
enum ia_rc ia_usbmux_paired(const struct ia_usbmux_phone *phone,
                            const struct ia_deadline *deadline, bool *ret, struct ia_err *err);

/* ---- relay.c: a port of a device as a socket of this computer ----------------------------- */

struct ia_usbmux_relay;

struct ia_usbmux_relay_options {
    const char *udid; /* as ia_usbmux_udid writes it */
    uint16_t port;    /* of the device */
    /* False: a Unix socket that only this user reaches, in a folder of its own. True: a port of 127.0.0.1,
     * for everybody on this computer; `local` 0 lets the system choose one. */
    bool tcp;
    uint16_t local;
    /* A connection that came here and could not be carried on, with why; it was closed. On the relay's
     * thread. May be NULL. */
    void (*problem)(void *ctx, const struct ia_err *err);
    void *ctx;
};

/* Listens, on a thread of its own, until it is closed: each connection is one to the device's port. When
 * one side closes, what it sent last is still delivered, then the other is closed. Nothing is sent to
 * the device before somebody connects. IA_E_EXISTS: the local port is taken. */
enum ia_rc ia_usbmux_relay_open(const struct ia_usbmux_relay_options *opt,
                                struct ia_usbmux_relay **ret, struct ia_err *err);
/* The path of the Unix socket; "" for TCP. The relay's. */
const char *ia_usbmux_relay_path(const struct ia_usbmux_relay *r);
/* The port of 127.0.0.1; 0 for a Unix socket. */
int ia_usbmux_relay_port(const struct ia_usbmux_relay *r);
/* Ends its connections, and waits for the thread. NULL is fine. */
void ia_usbmux_relay_close(struct ia_usbmux_relay *r);

#endif
