/* replay.h: answers of requests that acted, kept so that a repeat gets the same and acts no second
 * time (private to api/). */
#ifndef IA_SERVER_API_REPLAY_H
#define IA_SERVER_API_REPLAY_H

#include "base/clock.h"
#include "server/http/http.h"

struct ia_replay;

enum {
    IA_REPLAY_KEPT_S = 600,
    IA_REPLAY_ANSWERS_MAX = 4096,         /* the oldest go first */
    IA_REPLAY_BYTES_MAX = 16 << 20,       /* of all kept answers */
    IA_REPLAY_ANSWER_BYTES_MAX = 1 << 20, /* a larger one is not kept, only that it was given */
    IA_REPLAY_ID_BYTES_MAX = 64
};

struct ia_replay *ia_replay_new(const struct ia_clock *clock);
void ia_replay_free(struct ia_replay *r); /* NULL is fine */

enum ia_replay_turn { IA_REPLAY_FIRST, IA_REPLAY_AGAIN };
/* Asks for the turn of a request. FIRST: it is to be done, and ia_replay_end gives its answer. AGAIN:
 * *reply is a copy of the answer of the first; one that is still being done is waited for, until the
 * deadline (monotonic). what tells requests apart: IA_E_USAGE when another one had the same id,
 * IA_E_STATE when the answer was too large to keep, IA_E_TIMEOUT. */
enum ia_rc ia_replay_begin(struct ia_replay *r, const char *id, uint64_t what,
                           int64_t deadline_us, enum ia_replay_turn *ret,
                           struct ia_http_reply *reply, struct ia_err *err);
/* Keeps a copy of the answer. */
void ia_replay_end(struct ia_replay *r, const char *id, const struct ia_http_reply *reply);

#endif
