/* message.h: what the members of a fleet write to each other, checked when it is read: whoever may publish may send
 * anything.
 *
 * An order is a run to do. It holds a key of that run alone, which only the worker that gets the order sees; what a
 * worker says of the run counts only with the code (HMAC) of that key over all that it says. So nobody gives a verdict
 * on what he never pulled, and nobody changes one. The same key encrypts what is fetched from a worker.
 * Any thread. */
#ifndef IA_FLEET_MESSAGE_H
#define IA_FLEET_MESSAGE_H

#include "base/base.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/rand.h"
#include "fleet/layout.h"

enum {
    IA_FLEET_PROTOCOL = 1,
    IA_FLEET_KEY_SIZE = 32,
    IA_FLEET_ATTEMPTS_MAX = 100,
    IA_FLEET_MACHINE_SIZE = 17
};

struct ia_fleet_key {
    unsigned char bytes[IA_FLEET_KEY_SIZE];
};
void ia_fleet_key_new(struct ia_fleet_key *ret);

/* The code (HMAC-SHA-512-256, hexadecimal) of a text under a run's key. purpose keeps texts of different kinds apart. */
void ia_fleet_code(const struct ia_fleet_key *key, const char *purpose, struct ia_str text,
                   char ret[IA_SHA256_HEX_SIZE]);

/* ---- the order --------------------------------------------------------------------------- */

struct ia_fleet_order {
    char batch[IA_ID_SIZE], run[IA_ID_SIZE];
    char class_key[IA_FLEET_CLASS_SIZE];
    int attempts;     /* that are begun at most */
    int64_t lease_ms; /* without a word of the worker, until somebody else gets it */
    struct ia_fleet_key key;
    struct ia_str job; /* JSON (agent/goal/job.h); borrowed from the message or the writer */
    struct ia_str
        recording; /* TOML (agent/recording/recording.h) that is replayed; likewise; empty: none */
    bool quarantined; /* the recording was healed and is not accepted yet */
    struct ia_str
        shared; /* names of secrets whose values the submitter gives (ask.h), with commas; likewise */
};
void ia_fleet_order_write(const struct ia_fleet_order *order, struct ia_buf *out);
/* *ret_job, which job, recording and shared are borrowed from, is freed by the caller (free). IA_E_PARSE for anything else than an order of this protocol. */
enum ia_rc ia_fleet_order_read(struct ia_str text, struct ia_fleet_order *ret, char **ret_job,
                               struct ia_err *err);

/* ---- the proposal ------------------------------------------------------------------------ */

struct ia_fleet_proposal {
    char batch[IA_ID_SIZE], run[IA_ID_SIZE];
    char worker[IA_FLEET_NAME_SIZE];
    char url[160];                   /* where its blobs are: http://HOST:PORT; "" nowhere */
    char sha256[IA_SHA256_HEX_SIZE]; /* of the bundle (app/run_bundle.h) */
    int attempt;
    struct ia_str bundle; /* empty: it must be fetched; borrowed */
};
/* Whether that is "", or http:// or https:// with a server and nothing else: what is fetched there is said here, not by
 * whoever wrote the URL. */
bool ia_fleet_url_ok(const char *url);
/* Signs and writes it: a line of JSON, and the bundle behind it. */
void ia_fleet_proposal_write(const struct ia_fleet_proposal *p, const struct ia_fleet_key *key,
                             struct ia_buf *out);
/* bundle is borrowed from text. IA_E_PARSE. The code is not checked yet. */
enum ia_rc ia_fleet_proposal_read(struct ia_str text, struct ia_fleet_proposal *ret,
                                  char ret_code[IA_SHA256_HEX_SIZE], struct ia_err *err);
/* Whether the code is that of the key, and the bundle, where it is there, has the hash. */
bool ia_fleet_proposal_true(const struct ia_fleet_proposal *p, const char *code,
                            const struct ia_fleet_key *key);

/* ---- a worker ---------------------------------------------------------------------------- */

struct ia_fleet_worker {
    char name[IA_FLEET_NAME_SIZE], class_key[IA_FLEET_CLASS_SIZE];
    char version[24], state[12]; /* "up", "draining" */
    int lanes, busy;
    int64_t since_ms, done;
    int64_t now_ms; /* when it wrote this, by its own clock; 0: it does not say */
};

enum {
    IA_FLEET_LANES_SHOWN = 40, /* a worker says of so many what they do */
    IA_FLEET_DEVICE_SIZE = 81,
    IA_FLEET_WORKER_MAX = 32 << 10, /* bytes of all that it says */
};
/* What a lane does. Whoever may write the bucket chose the device's name: it is text from outside. */
struct ia_fleet_lane {
    char device[IA_FLEET_DEVICE_SIZE];
    char batch[IA_ID_SIZE], run[IA_ID_SIZE]; /* those of the submitter; "": the lane is free */
    int64_t since_ms;                        /* by the worker's clock */
};
/* lanes: the first n of them; those beyond IA_FLEET_LANES_SHOWN are left out. */
void ia_fleet_worker_write(const struct ia_fleet_worker *w, const struct ia_fleet_lane *lanes,
                           size_t n, struct ia_buf *out);
/* False for what no worker writes. */
bool ia_fleet_worker_read(const char *key, const char *text, struct ia_fleet_worker *ret);
/* The lanes that a worker's text tells of, how many; what is no lane is left out. Workers of earlier versions tell of
 * none. */
size_t ia_fleet_lanes_read(const char *text, struct ia_fleet_lane ret[IA_FLEET_LANES_SHOWN]);

/* ---- schedules --------------------------------------------------------------------------- */

/* A machine that starts schedules: who leads, and whose a due time is. */
struct ia_fleet_leader {
    char id[IA_FLEET_MACHINE_SIZE]; /* of the machine and its data folder, hexadecimal */
    char name[IA_FLEET_NAME_SIZE];  /* for people */
    char version[24];
    int64_t since_ms; /* since when it leads, or when it took the due time */
};
void ia_fleet_leader_write(const struct ia_fleet_leader *l, struct ia_buf *out);
/* False for anything else, an empty text included: nobody leads. */
bool ia_fleet_leader_parse(struct ia_str text, struct ia_fleet_leader *ret);

/* ---- what is fetched --------------------------------------------------------------------- */

/* The code that a request for a blob of a run needs, as hexadecimal: nobody else knows the key. */
void ia_fleet_blob_code(const struct ia_fleet_key *key, const char *run, const char *sha256,
                        char ret[IA_SHA256_HEX_SIZE]);
/* Appends the bytes, encrypted with that key and authenticated; and back. False: not of this key, or changed. */
void ia_fleet_seal(const struct ia_fleet_key *key, struct ia_str bytes, struct ia_buf *out);
bool ia_fleet_unseal(const struct ia_fleet_key *key, struct ia_str sealed, struct ia_buf *out);

#endif
