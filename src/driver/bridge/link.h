/* link.h: one stream to a bridge: bytes and frames under limits. Knows no message. Internal to
 * driver/bridge. */
#ifndef IA_DRIVER_BRIDGE_LINK_H
#define IA_DRIVER_BRIDGE_LINK_H

#include "base/stream.h"
#include "driver/bridge/bridge.h"

/* TCP without delay. IA_E_IO with what the system says, IA_E_TIMEOUT, IA_E_CANCELLED. */
extern const struct ia_dialer ia_dialer_tcp;

struct ia_link {
    int fd; /* -1: no stream */
    struct ia_wire_reader in;
    int64_t used_us; /* when something was last sent or read */
};

static inline bool ia_link_up(const struct ia_link *l)
{
    return l->fd >= 0;
}
void ia_link_init(struct ia_link *l);
/* Takes the descriptor over. */
void ia_link_adopt(struct ia_link *l, int fd);
/* Ends the stream, if there is one, and forgets what came of it. */
void ia_link_drop(struct ia_link *l);
/* The stream is open and nothing has come that nobody asked for. Does not wait. */
bool ia_link_quiet(struct ia_link *l);
/* Sends all; *ret_sent is what left this process, on failure too. IA_E_IO, IA_E_TIMEOUT,
 * IA_E_CANCELLED; the stream is dropped then. */
enum ia_rc ia_link_send(struct ia_link *l, const struct ia_limit *limit, const uint8_t *p,
                        size_t n, size_t *ret_sent, struct ia_err *err);
/* The next frame, borrowed until the next call. As ia_link_send; also IA_E_PROTO for a frame
 * beyond the cap. */
enum ia_rc ia_link_recv(struct ia_link *l, const struct ia_limit *limit,
                        struct ia_wire_frame *ret, struct ia_err *err);

#endif
