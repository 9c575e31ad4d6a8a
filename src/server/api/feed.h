/* feed.h: which event is the newest, for all streams together (private to api/). */
#ifndef IA_SERVER_API_FEED_H
#define IA_SERVER_API_FEED_H

#include "store/watch.h"

struct ia_feed;
struct ia_feed *ia_feed_new(struct ia_store *store, const struct ia_clock *clock);
void ia_feed_free(struct ia_feed *f); /* no stream may be left; NULL is fine */
/* A stream begins; the first opens the connection. */
enum ia_rc ia_feed_enter(struct ia_feed *f, struct ia_err *err);
void ia_feed_leave(struct ia_feed *f); /* NULL is fine */
/* As it was when the store was asked, *ret_asked_us of the clock, a few milliseconds ago at most. Any
 * thread that entered. */
enum ia_rc ia_feed_newest(struct ia_feed *f, int64_t *ret_event_id, int64_t *ret_asked_us,
                          struct ia_err *err);

#endif
