/* frames.h: the screens of devices that somebody watches (private to api/).
 *
 * All who watch a device share its looks, one of them at a time takes the next, and nobody takes one
 * while nobody asks. A look is taken soon after a command or a step of a run, and else the more rarely
 * the longer nothing changed. A device whose time passes by itself is looked at twice a second at most. */
#ifndef IA_SERVER_API_FRAMES_H
#define IA_SERVER_API_FRAMES_H

#include "server/api/pictures.h"
#include "server/hub/hub.h"
#include "store/store.h"

struct ia_frames;
struct ia_frames_opts {
    struct ia_hub *hub;
    struct ia_store *store;
    struct ia_pictures_kept *pictures; /* where they are kept */
};
struct ia_frames *ia_frames_new(const struct ia_frames_opts *opts);
void ia_frames_free(struct ia_frames *f); /* nobody may watch; NULL is fine */

/* What somebody who watches a device wants. */
struct ia_frame_want {
    const char *device;
    const char *after; /* any frame but the one with that hash; NULL: any */
    int64_t until_us;  /* of the system's clock: waits so long for it */
    struct ia_cancel *cancel;
};
/* Appends the present frame as JSON, an object; nothing where it is still the known one. */
enum ia_rc ia_frames_get(struct ia_frames *f, const struct ia_frame_want *want,
                         struct ia_buf *ret_json, struct ia_err *err);
/* The look (ia_session_go_by) behind the hash of a frame. False: it is no such hash. */
bool ia_frame_look(const char *hash, uint64_t *ret_look);

#endif
