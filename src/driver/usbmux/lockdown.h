/* lockdown.h: what a plugged-in iPhone says of itself: name, version, trust, developer mode.
 *
 * Asked through libimobiledevice, whose calls block and cannot be cancelled: so in a child process, this
 * program's hidden command __lockdown, which is ended when the time is over. Where the library is
 * missing everything is unknown and nothing fails.
 *
 * Nothing is changed on the device: without a pair record no session is begun, for that would open the
 * dialog "Trust This Computer?" on it.
 *
 * Sources: libimobiledevice 1.3.0 (lockdown.h, mobile_image_mounter.h); the domain and key of the
 * developer mode, and the image type "Personalized" of iOS 17: pymobiledevice3 and go-ios. */
#ifndef IA_DRIVER_USBMUX_LOCKDOWN_H
#define IA_DRIVER_USBMUX_LOCKDOWN_H

#include "driver/usbmux/usbmux.h"

enum { IA_LOCKDOWN_MS = 8000 };

enum ia_lockdown_flag { IA_LOCKDOWN_UNKNOWN, IA_LOCKDOWN_NO, IA_LOCKDOWN_YES };

/* X(value, "word") */
#define IA_LOCKDOWN_TRUST_LIST(X)                                                              \
    X(IA_TRUST_UNKNOWN, "unknown")                                                             \
    X(IA_TRUSTED, "trusted")                                                                   \
    X(IA_TRUST_NONE, "not trusted") /* nobody tapped Trust, or it was taken back */            \
    X(IA_TRUST_ASKING, "asking")    /* the dialog is on the screen */                          \
    X(IA_TRUST_LOCKED, "locked")    /* nothing is said before it is unlocked */

enum ia_lockdown_trust {
#define IA_LOCKDOWN_ENUM(value, word) value,
    IA_LOCKDOWN_TRUST_LIST(IA_LOCKDOWN_ENUM)
#undef IA_LOCKDOWN_ENUM
};
const char *ia_lockdown_trust_word(enum ia_lockdown_trust t);

/* Texts are "" where they are unknown. */
struct ia_lockdown {
    char name[64];    /* "Ada's iPhone" */
    char version[24]; /* "18.5" */
    char type[24];    /* "iPhone16,1" */
    enum ia_lockdown_trust trust;
    enum ia_lockdown_flag developer_mode; /* iOS 16 and newer */
    enum ia_lockdown_flag image;          /* a developer image is mounted */
    bool no_library;                      /* libimobiledevice is not installed */
};

/* Asks that device. IA_OK with what is known; IA_E_CANCELLED; errors of usbmuxd, with nothing known. Waits at most
 * IA_LOCKDOWN_MS and a little. */
enum ia_rc ia_lockdown_read(const struct ia_usbmux_phone *phone,
                            const struct ia_deadline *deadline, struct ia_lockdown *ret,
                            struct ia_err *err);

/* The same for who lists devices again and again: what was learned before of a device that was not unplugged
 * since, some minutes ago at most, or seconds where something of it waits for somebody (Trust to be tapped, the
 * developer mode to be turned on). Any thread. */
enum ia_rc ia_lockdown_recall(const struct ia_usbmux_phone *phone,
                              const struct ia_deadline *deadline, struct ia_lockdown *ret,
                              struct ia_err *err);

/* The device that is meant by its UDID, or by the name that it says of itself ("Ada's iPhone", as base/textfold.h
 * compares), which is asked of each that is plugged in. IA_E_NO_DEVICE; IA_E_AMBIGUOUS where two have that name, with
 * their UDIDs; errors of usbmuxd. */
enum ia_rc ia_lockdown_find(const char *text, const struct ia_deadline *deadline,
                            struct ia_usbmux_phone *ret, struct ia_err *err);

/* The child's part: appends what is known as a JSON object {"name","version","type","trust",
 * "developer_mode","image"}, of which any may be missing. paired: there is a pair record. Blocks.
 * IA_E_MISSING without the library. */
enum ia_rc ia_lockdown_ask(const char *udid, bool paired, struct ia_buf *out,
                           struct ia_err *err);

#endif
