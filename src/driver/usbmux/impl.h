/* impl.h: what the files of driver/usbmux share.
 *
 *   relay.c ──► usbmux.c ──► packet.c ──► plist.c
 *   lockdown.c                what a device says of itself, by libimobiledevice in a child
 *
 * packet.c and plist.c are pure. */
#ifndef IA_DRIVER_USBMUX_IMPL_H
#define IA_DRIVER_USBMUX_IMPL_H

#include "base/buf.h"
#include "driver/usbmux/usbmux.h"

#include <jansson.h>

/* ---- plist.c ---- */

/* A property list in XML as JSON: dict, array, string, integer, real, true and false as what they are;
 * data (base64 as it stands) and date as strings. IA_E_PROTO for anything else, for one that declares
 * entities, and for one deeper than 16 levels. */
enum ia_rc ia_plist_read(struct ia_str xml, json_t **ret, struct ia_err *err);

/* ---- packet.c ---- */

enum {
    IA_USBMUX_HEADER_BYTES = 16,
    IA_USBMUX_ANSWER_MAX = 1 << 20, /* of a frame; a list of 64 devices has about 40 KiB */
    IA_USBMUX_REQUEST_MAX = 4096,
};

/* What the daemon's Result says (usbmuxd-proto.h). */
enum {
    IA_USBMUX_OK = 0,
    IA_USBMUX_BAD_COMMAND = 1,
    IA_USBMUX_BAD_DEVICE = 2, /* also: there is no such pair record */
    IA_USBMUX_REFUSED = 3,
    IA_USBMUX_BAD_VERSION = 6,
};

struct ia_usbmux_request {
    const char *type;      /* "ListDevices", "Connect", "ReadPairRecord" */
    const char *record_id; /* PairRecordID, or NULL */
    uint32_t device;       /* DeviceID of a Connect; 0: none is sent */
    uint16_t port;         /* of a Connect, in the host's order */
};

/* Appends the frame. */
void ia_usbmux_put(struct ia_buf *out, uint32_t tag, const struct ia_usbmux_request *q);
/* How many bytes follow these 16. IA_E_PROTO for a header that does not begin the answer to that
 * tag, or announces more than the cap. */
enum ia_rc ia_usbmux_header(const uint8_t header[IA_USBMUX_HEADER_BYTES], uint32_t tag,
                            size_t *ret_left, struct ia_err *err);
/* The Number of a Result; -1 where the answer is none. */
int ia_usbmux_result(const json_t *answer);
/* The devices of an answer to ListDevices; entries that name none are passed over. IA_E_PROTO where
 * it is no list. */
enum ia_rc ia_usbmux_devices(const json_t *answer, struct ia_usbmux_phones *ret,
                             struct ia_err *err);

#endif
