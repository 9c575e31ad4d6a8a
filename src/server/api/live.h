/* live.h: what happens now and is stored nowhere: pieces of what a model says, commands as they begin and
 * end. For streams that ask for it (events.c).
 *
 * A bounded ring: whoever adds never waits, and a reader that is too slow skips what was dropped. While
 * nobody listens nothing is kept. */
#ifndef IA_SERVER_API_LIVE_H
#define IA_SERVER_API_LIVE_H

#include "base/buf.h"
#include "base/clock.h"
#include "events/events.h"

enum {
    IA_LIVE_KEPT = 2048,
    IA_LIVE_BYTES_MAX = 1 << 20,
    IA_LIVE_ROW_BYTES_MAX =
        32 << 10 /* what is longer is not told: an event of a stream, which may
                                        have 1 MiB, must still fit behind it */
};
/* The type of what a command does; the others are those of runs. */
#define IA_LIVE_COMMAND IA_EVENT_COUNT

struct ia_live;
struct ia_live *ia_live_new(const struct ia_clock *clock); /* NULL: the system's */
void ia_live_free(struct ia_live *l);                      /* NULL is fine */

/* What happened, as one JSON object, in which lane; run "" for what no run did. Any thread, as below. */
void ia_live_add(struct ia_live *l, enum ia_event_type type, const char *run, const char *lane,
                 struct ia_str json);
/* The same for ia_commands_listen; ctx is the struct ia_live. */
void ia_live_command(void *ctx, const char *device, struct ia_str json);

/* One that was added. Borrowed until the callback returns. */
struct ia_live_row {
    enum ia_event_type type;
    const char *run, *lane;
    int64_t at_ms, at_us; /* when, by the wall's and the monotonic clock */
    struct ia_str json;
};
/* False: no more, this row comes again. Must not wait: who adds waits for it. */
typedef bool ia_live_fn(void *ctx, const struct ia_live_row *row);
/* A reader comes: *ret_after is what it has read, which is all of it. */
void ia_live_enter(struct ia_live *l, uint64_t *ret_after);
void ia_live_leave(struct ia_live *l);
/* Gives what came after *after, oldest first, and moves it on. */
void ia_live_read(struct ia_live *l, uint64_t *after, ia_live_fn *fn, void *ctx);

#endif
