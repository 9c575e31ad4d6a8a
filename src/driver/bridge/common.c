/* common.c: what both tables of operations share (device.c, classic.c). */
#include "driver/bridge/impl.h"

#include <stdlib.h>
#include <string.h>

static struct ia_bridge_client_device *self(struct ia_device *d)
{
    return (struct ia_bridge_client_device *)d;
}

struct ia_bridge_client *ia_bridge_client_of(struct ia_device *d)
{
    return &self(d)->client;
}

enum ia_rc ia_bridge_client_op_info(struct ia_device *d, struct ia_device_info *ret,
                                    struct ia_err *err)
{
    struct ia_bridge_client_device *b = self(d);
    enum ia_rc rc = IA_OK;
    if (!b->known) {
        rc = b->learn(b, NULL, err);
    }
    if (rc == IA_OK) {
        *ret = b->info;
    }
    return rc;
}

void ia_bridge_client_op_close(struct ia_device *d)
{
    struct ia_bridge_client_device *b = self(d);
    ia_link_drop(&b->client.link);
    ia_wire_buf_fini(&b->client.out);
    if (b->client.supervisor.free) {
        b->client.supervisor.free(b->client.supervisor.ctx);
    }
    free(b);
}

bool ia_bridge_client_is_png(const uint8_t *p, size_t n)
{
    static const uint8_t head[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    return n > sizeof(head) && memcmp(p, head, sizeof(head)) == 0;
}

/* Strings of the wire end at a NUL: what follows one would be left out silently. */
enum ia_rc ia_bridge_client_typed(struct ia_str text, char **ret, struct ia_err *err)
{
    if (text.n > 0 && memchr(text.p, '\0', text.n)) {
        return ia_bridge_client_outcome(
            ia_err_set(err, IA_E_USAGE, "a NUL character cannot be typed"), IA_OUTCOME_NOT_SENT,
            err);
    }
    *ret = ia_strndup(text.n > 0 ? text.p : "", text.n);
    return IA_OK;
}
