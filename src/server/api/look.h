/* look.h: one look at a device, for who only watches (private to api/). */
#ifndef IA_SERVER_API_LOOK_H
#define IA_SERVER_API_LOOK_H

#include "base/hash.h"
#include "server/api/pictures.h"
#include "server/hub/hub.h"
#include "store/store.h"

enum { IA_FRAME_HASH_SIZE = 33, IA_LOOK_BYTES_MAX = 8 << 20 };

struct ia_look_ctx {
    struct ia_hub *hub;
    struct ia_store *store;
    struct ia_pictures_kept *pictures;
    const char *device, *lane;
    struct ia_deadline deadline;
};

/* What it found. Of the one before, it says what need not be made again. */
struct ia_look {
    char
        hash[IA_FRAME_HASH_SIZE]; /* half of the picture, half of the elements: their look id */
    struct ia_buf json;           /* nothing where the hash is that of the look before */
    char picture[IA_SHA256_HEX_SIZE];
    uint64_t pixels, elements; /* hashes of the device's own picture, and of the tree */
    bool untouched;            /* nobody drove the device since the look before */
    bool instant;              /* its time moves with its calls, which cost next to nothing */
    bool held, run;            /* somebody has the device: a run, or a command */
};

/* *io is the look before (zero at first) and becomes this one; its json is empty. */
enum ia_rc ia_look_take(const struct ia_look_ctx *ctx, struct ia_look *io, struct ia_err *err);

#endif
