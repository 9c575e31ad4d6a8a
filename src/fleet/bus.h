/* bus.h: a connection to the NATS server of a fleet, and the few things that a fleet does with JetStream.
 *
 * Delivery is at least once, and an acknowledgement says nothing of who has a message. What must be there once is a
 * message in a stream that takes one message a subject (ia_bus_once). A publish whose answer did not come is neither
 * done nor undone: IA_E_TIMEOUT, and it is sent again with the same id.
 *
 * libnats reconnects by itself, without end. Any thread may use a bus; one at a time uses a struct ia_bus_pull.
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

/* Connects. IA_E_USAGE for a bad URL, IA_E_AUTH where the server refuses the credentials, IA_E_UNSUPPORTED for a
 * server that is too old or has no JetStream, IA_E_IO where there is none, IA_E_MISSING without libnats. */
enum ia_rc ia_bus_open(const struct ia_bus_opts *opts, struct ia_bus **ret, struct ia_err *err);
void ia_bus_close(struct ia_bus *bus); /* NULL is fine */
bool ia_bus_connected(const struct ia_bus *bus);
/* The same with "***" instead of a password; borrowed. */
const char *ia_bus_shown_url(const struct ia_bus *bus);
/* Appends the URL without what stands before "@" in it. */
void ia_bus_hide(const char *url, struct ia_buf *out);

/* ---- streams ----------------------------------------------------------------------------- */

struct ia_bus_stream {
    const char *name, *subjects;
    bool work_queue;     /* a message goes when it is acknowledged */
    bool keeps;          /* nothing may be deleted from it */
    int per_subject;     /* messages of one subject; further ones are refused; 0: any number */
    int64_t max_age_s;   /* 0: for good */
    int64_t max_bytes;   /* 0: no limit */
    int32_t message_max; /* bytes of a message */
    int replicas;
};
/* Makes the stream, or finds it. IA_E_STATE where one of that name is otherwise. */
enum ia_rc ia_bus_add_stream(struct ia_bus *bus, const struct ia_bus_stream *stream,
                             struct ia_err *err);
struct ia_bus_count {
    uint64_t messages, bytes;
};
enum ia_rc ia_bus_count(struct ia_bus *bus, const char *stream, struct ia_bus_count *ret,
                        struct ia_err *err);
/* Takes the messages of those subjects out of a stream. */
enum ia_rc ia_bus_purge(struct ia_bus *bus, const char *stream, const char *subject,
                        struct ia_err *err);

enum ia_bus_put { IA_BUS_STORED, IA_BUS_DUPLICATE, IA_BUS_TAKEN };
/* Publishes and waits until the server has stored it. *ret: stored; a message with that id was stored before; or the
 * subject is taken (a stream with per_subject). once: only where the subject has no message. IA_E_TIMEOUT: nobody
 * knows, publish again with the same id. IA_E_LIMIT: too large. */
enum ia_rc ia_bus_publish(struct ia_bus *bus, const char *subject, struct ia_str body,
                          const char *id, bool once, enum ia_bus_put *ret, struct ia_err *err);
/* Appends the newest message of the subject. False in *ret_found: there is none. */
enum ia_rc ia_bus_last(struct ia_bus *bus, const char *stream, const char *subject,
                       struct ia_buf *ret_body, bool *ret_found, struct ia_err *err);

/* Without any promise: to whoever listens now. */
void ia_bus_tell(struct ia_bus *bus, const char *subject, struct ia_str body);
/* Called on a thread of the library. */
typedef void ia_bus_heard(void *ctx, const char *subject, struct ia_str body);
enum ia_rc ia_bus_listen(struct ia_bus *bus, const char *subject, ia_bus_heard *fn, void *ctx,
                         struct ia_bus_watch **ret, struct ia_err *err);
/* fn is not called any more once this returned. NULL is fine. */
void ia_bus_unlisten(struct ia_bus_watch *watch);
/* Waits until what was told has left. */
void ia_bus_flush(struct ia_bus *bus, int64_t ms);

/* ---- consumers --------------------------------------------------------------------------- */

struct ia_bus_consumer {
    const char *stream, *name, *filter;
    int64_t
        ack_wait_ms; /* a message that is neither acknowledged nor prolonged goes to somebody else */
    int64_t pending_max; /* messages in hand at once */
};
enum ia_rc ia_bus_add_consumer(struct ia_bus *bus, const struct ia_bus_consumer *consumer,
                               struct ia_err *err);
enum ia_rc ia_bus_remove_consumer(struct ia_bus *bus, const char *stream, const char *name,
                                  struct ia_err *err);
/* Messages that wait, and those in hand. */
enum ia_rc ia_bus_consumer_count(struct ia_bus *bus, const char *stream, const char *name,
                                 uint64_t *ret_waiting, uint64_t *ret_in_hand,
                                 struct ia_err *err);

typedef void ia_bus_consumer_seen(void *ctx, const char *name, uint64_t waiting,
                                  uint64_t in_hand);
/* The same of all consumers of a stream. IA_E_NOT_FOUND: no such stream. */
enum ia_rc ia_bus_consumers(struct ia_bus *bus, const char *stream, ia_bus_consumer_seen *fn,
                            void *ctx, struct ia_err *err);

/* IA_E_NOT_FOUND: no such consumer yet. */
enum ia_rc ia_bus_pull_open(struct ia_bus *bus, const char *stream, const char *consumer,
                            struct ia_bus_pull **ret, struct ia_err *err);
void ia_bus_pull_close(struct ia_bus_pull *pull); /* NULL is fine */

struct ia_bus_message {
    void *handle; /* of the library; NULL: none */
    const char *subject;
    struct ia_str body;
    uint64_t deliveries; /* how often it was delivered, this time included */
};
/* Waits up to ms for one message. False in *ret_got: none came, the server cannot be reached included. IA_E_NOT_FOUND
 * where the consumer is gone. */
enum ia_rc ia_bus_fetch(struct ia_bus_pull *pull, int64_t ms, struct ia_bus_message *ret,
                        bool *ret_got, struct ia_err *err);
/* Those that wait now, at most max, without waiting for any. */
enum ia_rc ia_bus_fetch_waiting(struct ia_bus_pull *pull, size_t max,
                                struct ia_bus_message *ret, size_t *ret_n, struct ia_err *err);
void ia_bus_message_free(struct ia_bus *bus, struct ia_bus_message *m); /* empty is fine */
/* The message is done. sync: waits for the server's word. */
enum ia_rc ia_bus_ack(struct ia_bus *bus, const struct ia_bus_message *m, bool sync,
                      struct ia_err *err);
/* It goes to somebody else, not before ms. */
void ia_bus_give_back(struct ia_bus *bus, const struct ia_bus_message *m, int64_t ms);
/* It is still in hand: ack_wait begins anew. Any thread; never waits. */
void ia_bus_prolong(struct ia_bus *bus, const struct ia_bus_message *m);

/* ---- buckets: values that are forgotten unless they are written again ------------------------ */

/* Makes the bucket where there is none. One that is there stays as it is: ia_bus_bucket_ttl says how. */
enum ia_rc ia_bus_add_bucket(struct ia_bus *bus, const char *bucket, int64_t ttl_s,
                             int replicas, struct ia_err *err);
/* After how many ms without a write the server forgets a value; 0: never. IA_E_NOT_FOUND: no such bucket. */
enum ia_rc ia_bus_bucket_ttl(struct ia_bus *bus, const char *bucket, int64_t *ret_ms,
                             struct ia_err *err);
enum ia_rc ia_bus_set(struct ia_bus *bus, const char *bucket, const char *key,
                      const char *value, struct ia_err *err);
/* Appends the value and gives the revision of its last write; 0: there is none. A value that was deleted is empty. */
enum ia_rc ia_bus_get(struct ia_bus *bus, const char *bucket, const char *key,
                      struct ia_buf *ret_value, uint64_t *ret_revision, struct ia_err *err);
/* Writes it where nobody has (revision 0), or where nobody has written since that revision. *ret_revision is the new
 * one. IA_E_STATE: somebody else was first, and nothing else is. IA_E_TIMEOUT: nobody knows, ia_bus_get says. */
enum ia_rc ia_bus_swap(struct ia_bus *bus, const char *bucket, const char *key,
                       const char *value, uint64_t revision, uint64_t *ret_revision,
                       struct ia_err *err);
/* Hears of each write as ia_bus_listen does; the body is the value. */
enum ia_rc ia_bus_listen_value(struct ia_bus *bus, const char *bucket, const char *key,
                               ia_bus_heard *fn, void *ctx, struct ia_bus_watch **ret,
                               struct ia_err *err);
void ia_bus_unset(struct ia_bus *bus, const char *bucket, const char *key);
typedef void ia_bus_value(void *ctx, const char *key, const char *value);
/* IA_E_NOT_FOUND: no such bucket. */
enum ia_rc ia_bus_values(struct ia_bus *bus, const char *bucket, ia_bus_value *fn, void *ctx,
                         struct ia_err *err);

#endif
