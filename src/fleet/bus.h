/* bus.h: a connection to the fleet's NATS server, and the parts of JetStream that a fleet uses.
 *
 * Messages are delivered at least once, and an acknowledgement does not prove who has a message. Anything that must exist
 * once is a message in a stream that takes one message per subject (ia_bus_publish with once). If the response to a publish
 * is lost, the message may or may not be stored: IA_E_TIMEOUT; the caller publishes it again with the same id.
 *
 * libnats reconnects by itself, without limit. Any thread may use a bus, and one thread at a time a struct ia_bus_pull.
 * Source of facts: docs.nats.io, nats.h of libnats 3.4.1, and tests/e2e/test_fleet*.py, which run a real server. */
#ifndef IA_FLEET_BUS_H
#define IA_FLEET_BUS_H

#include "base/base.h"
#include "base/buf.h"
#include "base/err.h"

struct ia_bus;
struct ia_bus_pull;
struct ia_bus_watch;

struct ia_bus_opts {
    const char *url;   /* nats://HOST:PORT or tls://…; may hold a user and a password */
    const char *name;  /* of this connection, for the server's operators */
    const char *inbox; /* prefix of the inboxes of this connection; NULL: the library's */
    /* Paths; "" or NULL: none. */
    const char *creds; /* a .creds file */
    const char *nkey;  /* a file that holds the seed of an NKey */
    const char *ca;    /* authorities to trust, PEM */
    const char *cert, *key;
};
/* The oldest server that is used: older ones cannot sync a message to disk before they acknowledge it
 * (sync_interval came with 2.10.0), and 2.10.20 to 2.10.22 could lose a stream when killed. */
#define IA_BUS_SERVER_MIN "2.10.23"

/* Connects. IA_E_USAGE for a bad URL, IA_E_AUTH if the server refuses the credentials, IA_E_UNSUPPORTED if it is too old
 * or has no JetStream, IA_E_IO if none answers, IA_E_MISSING without libnats. */
enum ia_rc ia_bus_open(const struct ia_bus_opts *opts, struct ia_bus **ret, struct ia_err *err);
void ia_bus_close(struct ia_bus *bus); /* NULL is fine */
bool ia_bus_connected(const struct ia_bus *bus);
/* The URL with "***" instead of a password; borrowed. */
const char *ia_bus_shown_url(const struct ia_bus *bus);
/* Appends the URL without its user and password. */
void ia_bus_hide(const char *url, struct ia_buf *out);

/* ---- streams ----------------------------------------------------------------------------- */

struct ia_bus_stream {
    const char *name, *subjects;
    bool work_queue; /* a message is removed when it is acknowledged */
    bool keeps;      /* messages cannot be deleted */
    int per_subject; /* how many messages per subject; further ones are refused; 0: no limit */
    int64_t max_age_s;   /* 0: messages do not expire */
    int64_t max_bytes;   /* 0: no limit */
    int32_t message_max; /* bytes of a message */
    int replicas;
};
/* Makes the stream unless it exists. IA_E_STATE if it exists with other settings. */
enum ia_rc ia_bus_add_stream(struct ia_bus *bus, const struct ia_bus_stream *stream,
                             struct ia_err *err);
struct ia_bus_count {
    uint64_t messages, bytes;
};
enum ia_rc ia_bus_count(struct ia_bus *bus, const char *stream, struct ia_bus_count *ret,
                        struct ia_err *err);
/* Removes the messages of those subjects from a stream. */
enum ia_rc ia_bus_purge(struct ia_bus *bus, const char *stream, const char *subject,
                        struct ia_err *err);

enum ia_bus_put { IA_BUS_STORED, IA_BUS_DUPLICATE, IA_BUS_TAKEN };
/* Publishes a message and waits until the server has stored it. *ret: it was stored now, it was stored before under the
 * same id, or the stream takes no further message of that subject. once: store it only if the subject has no message.
 * IA_E_TIMEOUT: unknown, publish again with the same id. IA_E_LIMIT: it is too large. */
enum ia_rc ia_bus_publish(struct ia_bus *bus, const char *subject, struct ia_str body,
                          const char *id, bool once, enum ia_bus_put *ret, struct ia_err *err);
/* Appends the newest message of the subject. *ret_found: whether there is one. */
enum ia_rc ia_bus_last(struct ia_bus *bus, const char *stream, const char *subject,
                       struct ia_buf *ret_body, bool *ret_found, struct ia_err *err);

/* Publishes to current listeners, without any guarantee. */
void ia_bus_tell(struct ia_bus *bus, const char *subject, struct ia_str body);
/* Called on a thread of libnats. */
typedef void ia_bus_heard(void *ctx, const char *subject, struct ia_str body);
enum ia_rc ia_bus_listen(struct ia_bus *bus, const char *subject, ia_bus_heard *fn, void *ctx,
                         struct ia_bus_watch **ret, struct ia_err *err);
/* After this returns, fn is not called any more. NULL is fine. */
void ia_bus_unlisten(struct ia_bus_watch *watch);
/* Waits up to ms until published messages were sent. */
void ia_bus_flush(struct ia_bus *bus, int64_t ms);

/* ---- consumers --------------------------------------------------------------------------- */

struct ia_bus_consumer {
    const char *stream, *name, *filter;
    int64_t
        ack_wait_ms; /* after which a message is delivered again unless it is acknowledged or prolonged */
    int64_t pending_max; /* messages that are delivered and not yet acknowledged */
};
enum ia_rc ia_bus_add_consumer(struct ia_bus *bus, const struct ia_bus_consumer *consumer,
                               struct ia_err *err);
enum ia_rc ia_bus_remove_consumer(struct ia_bus *bus, const char *stream, const char *name,
                                  struct ia_err *err);
/* Counts messages that wait and messages that are delivered and not yet acknowledged. */
enum ia_rc ia_bus_consumer_count(struct ia_bus *bus, const char *stream, const char *name,
                                 uint64_t *ret_waiting, uint64_t *ret_in_hand,
                                 struct ia_err *err);

typedef void ia_bus_consumer_seen(void *ctx, const char *name, uint64_t waiting,
                                  uint64_t in_hand);
/* The same of all consumers of a stream. IA_E_NOT_FOUND: no such stream. */
enum ia_rc ia_bus_consumers(struct ia_bus *bus, const char *stream, ia_bus_consumer_seen *fn,
                            void *ctx, struct ia_err *err);

/* Opens a consumer. IA_E_NOT_FOUND: it does not exist yet. */
enum ia_rc ia_bus_pull_open(struct ia_bus *bus, const char *stream, const char *consumer,
                            struct ia_bus_pull **ret, struct ia_err *err);
void ia_bus_pull_close(struct ia_bus_pull *pull); /* NULL is fine */

struct ia_bus_message {
    void *handle; /* of the library; NULL: none */
    const char *subject;
    struct ia_str body;
    uint64_t deliveries; /* how often it was delivered, this time included */
};
/* Waits up to ms for one message. *ret_got: whether one came; also false if the server cannot be reached. IA_E_NOT_FOUND if
 * the consumer is gone. */
enum ia_rc ia_bus_fetch(struct ia_bus_pull *pull, int64_t ms, struct ia_bus_message *ret,
                        bool *ret_got, struct ia_err *err);
/* Fetches up to max messages that wait now; does not wait for more. */
enum ia_rc ia_bus_fetch_waiting(struct ia_bus_pull *pull, size_t max,
                                struct ia_bus_message *ret, size_t *ret_n, struct ia_err *err);
void ia_bus_message_free(struct ia_bus *bus, struct ia_bus_message *m); /* empty is fine */
/* Acknowledges a message. sync: waits for the server's confirmation. */
enum ia_rc ia_bus_ack(struct ia_bus *bus, const struct ia_bus_message *m, bool sync,
                      struct ia_err *err);
/* Gives a message back; it is delivered again after ms. */
void ia_bus_give_back(struct ia_bus *bus, const struct ia_bus_message *m, int64_t ms);
/* Prolongs a message: its ack_wait starts again. Any thread; does not wait. */
void ia_bus_prolong(struct ia_bus *bus, const struct ia_bus_message *m);

/* ---- buckets: values that expire unless they are written again ------------------------------ */

/* Makes the bucket unless it exists. An existing bucket keeps its TTL, which ia_bus_bucket_ttl reads. */
enum ia_rc ia_bus_add_bucket(struct ia_bus *bus, const char *bucket, int64_t ttl_s,
                             int replicas, struct ia_err *err);
/* The time in ms after which a value expires without a write; 0: never. IA_E_NOT_FOUND: no such bucket. */
enum ia_rc ia_bus_bucket_ttl(struct ia_bus *bus, const char *bucket, int64_t *ret_ms,
                             struct ia_err *err);
enum ia_rc ia_bus_set(struct ia_bus *bus, const char *bucket, const char *key,
                      const char *value, struct ia_err *err);
/* Appends the value and sets the revision of its last write; 0: there is none. A deleted value is empty. */
enum ia_rc ia_bus_get(struct ia_bus *bus, const char *bucket, const char *key,
                      struct ia_buf *ret_value, uint64_t *ret_revision, struct ia_err *err);
/* Writes a value if it has no revision yet (revision 0), or if that is still its revision. *ret_revision is the new one.
 * IA_E_STATE: another write came first, and for no other reason. IA_E_TIMEOUT: unknown; ask ia_bus_get. */
enum ia_rc ia_bus_swap(struct ia_bus *bus, const char *bucket, const char *key,
                       const char *value, uint64_t revision, uint64_t *ret_revision,
                       struct ia_err *err);
/* Listens to writes of a value as ia_bus_listen does; the body is the value. */
enum ia_rc ia_bus_listen_value(struct ia_bus *bus, const char *bucket, const char *key,
                               ia_bus_heard *fn, void *ctx, struct ia_bus_watch **ret,
                               struct ia_err *err);
void ia_bus_unset(struct ia_bus *bus, const char *bucket, const char *key);
typedef void ia_bus_value(void *ctx, const char *key, const char *value);
/* IA_E_NOT_FOUND: no such bucket. */
enum ia_rc ia_bus_values(struct ia_bus *bus, const char *bucket, ia_bus_value *fn, void *ctx,
                         struct ia_err *err);

#endif
