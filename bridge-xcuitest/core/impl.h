/* impl.h: the insides of the core. Private to core/.
 *
 * Locks: bridge.lock guards the queue, every job's state, the list of connections and the
 * counters. It is never held while anything waits or a back end is called. */
#ifndef IA_BRIDGE_IMPL_H
#define IA_BRIDGE_IMPL_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/core.h"

#define IA_BRIDGE_COUNTOF(array) (sizeof(array) / sizeof((array)[0]))

/* A job's life.
 *
 *   WAITING ──► RUNNING ──► DONE     moved by the main thread
 *      └────────────────────► DONE   by whoever takes it out of the queue
 *
 * It belongs to its connection, which asked, and to the main thread, which has it from the
 * queue on; the last of them frees it. A connection that gives up sets `abandoned`. */
enum ia_bridge_job_state { IA_BRIDGE_WAITING, IA_BRIDGE_RUNNING, IA_BRIDGE_DONE };

/* Why a job is to end early. */
enum ia_bridge_why {
    IA_BRIDGE_GO_ON,
    IA_BRIDGE_DEADLINE,
    IA_BRIDGE_CANCEL,
    IA_BRIDGE_GONE,
    IA_BRIDGE_STOP
};

struct ia_bridge_conn;

struct ia_bridge_job {
    struct ia_bridge *bridge;
    struct ia_bridge_job *next;
    struct ia_bridge_conn *conn; /* whom to wake; NULL once abandoned */
    struct ia_wire_request req;
    struct ia_wire_reply reply;
    struct ia_wire_reply *items; /* of a batch; those below items_n do not change any more */
    uint32_t items_n;
    enum ia_bridge_job_state state;
    int owners;
    uint32_t session;
    int64_t deadline_us, begun_us;
    bool maybe_sent; /* an effect has been begun */
    atomic_int why;  /* enum ia_bridge_why */
};

struct ia_bridge_conn {
    struct ia_bridge *bridge;
    struct ia_bridge_conn *next;
    pthread_t thread;
    int fd, wake[2];
    uint32_t session;
    bool greeted;
    int64_t since_us; /* when it came */
    bool ended;       /* the thread is about to return; bridge.lock */
    struct ia_wire_reader reader;
    bool held; /* a frame that came while another request is in flight */
    struct ia_wire_frame frame;
};

struct ia_bridge {
    struct ia_bridge_ops ops;
    struct ia_bridge_options opt; /* with every default put in */
    char token[IA_WIRE_TOKEN_MAX + 1], server[IA_WIRE_NAME_MAX + 1], udid[IA_WIRE_NAME_MAX + 1];
    uint16_t port;
    int listener;
    int wake[2]; /* of the main thread */
    int turn[2]; /* of the accepting thread */
    pthread_t accepting;
    pthread_mutex_t lock;
    atomic_bool stopping; /* ia_bridge_run is to return */
    atomic_bool closing;  /* every thread is to return */
    bool ended;           /* ia_bridge_run has returned */
    struct ia_bridge_job *head, *running;
    uint32_t queued;
    struct ia_bridge_conn *conns;
    uint32_t conns_n, sessions;
    uint64_t done, late;
    int64_t opened_us, seen_us; /* when the main thread last came by */
};

/* ---- net.c: sockets and pipes ---- */

bool ia_bridge_pipe(int fds[2]);
void ia_bridge_pipe_close(int fds[2]);
void ia_bridge_wake(int fd);  /* async-signal-safe */
void ia_bridge_drain(int fd); /* what ia_bridge_wake wrote */
bool ia_bridge_listen(struct ia_bridge *b, struct ia_wire_fault *fault);
int ia_bridge_accept(int listener); /* -1 when nobody came */
/* Waits until one of the two can be read (fd may be -1) or until_us. Bit 0: fd, bit 1: wake. */
int ia_bridge_poll(int fd, int wake, int64_t until_us);
/* Reads once. Bytes, 0 at the end of the stream, -1 when nothing was there. An error is an end.
 */
long ia_bridge_recv(int fd, void *to, size_t n);
/* Writes all of it before until_us. */
bool ia_bridge_send(int fd, const void *from, size_t n, int64_t until_us);

/* ---- conn.c: one thread per connection ---- */

void *ia_bridge_conn_main(void *conn);
bool ia_bridge_send_reply(struct ia_bridge_conn *c, const struct ia_wire_reply *r);
/* Takes what came while a request is in flight: health and cancel are answered, anything else
 * is held. readable: there are bytes to be read. False when the peer has gone. */
bool ia_bridge_conn_aside(struct ia_bridge_conn *c, bool readable);

/* ---- control.c: hello, health, cancel ---- */

/* The extensions that are served. */
uint64_t ia_bridge_serves(const struct ia_bridge *b);
/* Fills the reply to a request that needs no main thread; op and id are set. */
void ia_bridge_own(struct ia_bridge_conn *c, const struct ia_wire_request *req,
                   struct ia_wire_reply *reply);

/* ---- jobs.c ---- */

/* Puts a request into the queue and waits for its end, its deadline or the peer's. The request
 * is taken over. NULL when the peer has gone (or there is no memory); else *ret is the reply:
 * the job's, valid until ia_bridge_job_drop, or `own`, filled by the connection for a job that
 * did not come back. `own` comes with op and id, and is the caller's to free. */
struct ia_bridge_job *ia_bridge_job_do(struct ia_bridge_conn *c, struct ia_wire_request *req,
                                       const struct ia_wire_reply **ret,
                                       struct ia_wire_reply *own);
void ia_bridge_job_drop(struct ia_bridge_job *j);
/* The next job, RUNNING from now on, or NULL. Main thread. */
struct ia_bridge_job *ia_bridge_job_next(struct ia_bridge *b);
void ia_bridge_job_done(struct ia_bridge_job *j);
/* Ends whatever waits: CANCELLED, not_sent. */
void ia_bridge_jobs_end(struct ia_bridge *b);
/* Tells the job of that session and id (0: any) to end. */
bool ia_bridge_job_cancel(struct ia_bridge *b, uint32_t session, uint32_t id);
/* Asked right before an effect. False: too late, nothing may be sent any more. */
bool ia_bridge_may_send(struct ia_bridge_job *j);
/* Why it is to end now; GO_ON while it may run. */
enum ia_bridge_why ia_bridge_why(const struct ia_bridge_job *j);

/* ---- perform.c: on the main thread ---- */

/* A request while it is performed, with what composed operations need. */
struct ia_bridge_doing {
    struct ia_bridge *bridge;
    struct ia_bridge_job *job;
    struct ia_bridge_call call;
    int64_t start_us;
    int64_t rested_us; /* that went by in the device and not here, where ops has `rest` */
    uint16_t looks;
};
void ia_bridge_perform(struct ia_bridge_job *j);
/* Makes the reply to a batch, whose items are there, a success with the gravest of outcomes. */
void ia_bridge_sum_up(struct ia_wire_reply *to, bool effect);
/* One primitive of the back end; reply is set up here, and must be given to
 * ia_wire_reply_fini. */
void ia_bridge_primitive(struct ia_bridge_doing *d, const struct ia_wire_request *req,
                         struct ia_wire_reply *reply);
/* A tree with default options. A tree that cannot be taken, as in the middle of a transition,
 * is tried again until until_us. False: `to` has become the failure of it. */
bool ia_bridge_look(struct ia_bridge_doing *d, int64_t until_us, struct ia_wire_reply *tree,
                    struct ia_wire_reply *to);
/* Lets time pass between two looks. False when the request is to end or until_us has come. */
bool ia_bridge_rest(struct ia_bridge_doing *d, int64_t us, int64_t until_us);
/* The time as the device sees it; limits of waiting are held against it. */
int64_t ia_bridge_clock(const struct ia_bridge_doing *d);
/* The time until which an operation may try: its own limit, within its deadline. */
int64_t ia_bridge_until(const struct ia_bridge_doing *d, uint32_t timeout_ms);
uint32_t ia_bridge_since_ms(const struct ia_bridge_doing *d);
/* Makes `to` the failure that `from` is. */
void ia_bridge_pass_on(struct ia_wire_reply *to, const struct ia_wire_reply *from);
/* When the request is to end early: fills `to` with CANCELLED or TIMEOUT and returns true. */
bool ia_bridge_ended(struct ia_bridge_doing *d, struct ia_wire_reply *to,
                     enum ia_wire_outcome outcome);

/* ---- match.c: which nodes are meant ---- */

struct ia_bridge_view {
    const struct ia_wire_node *nodes;
    uint32_t n;
};
struct ia_bridge_view ia_bridge_view(const struct ia_wire_reply *tree);
enum { IA_BRIDGE_NONE = -1 };
bool ia_bridge_text_matches(uint8_t match, const char *pattern, const char *text);
bool ia_bridge_matches(const struct ia_wire_selector *s, const struct ia_wire_node *node);
/* How many match; *ret_at is the one at the index (the first for IA_WIRE_UNIQUE), or NONE. */
uint32_t ia_bridge_select(struct ia_bridge_view v, const struct ia_wire_selector *s,
                          int32_t *ret_at);
/* The node of a signature, or NONE. */
int32_t ia_bridge_recognise(struct ia_bridge_view v, const struct ia_wire_signature *s);
int32_t ia_bridge_parent(struct ia_bridge_view v, int32_t at);
/* One past the last node of the subtree. */
uint32_t ia_bridge_subtree_end(struct ia_bridge_view v, uint32_t at);
/* Child numbers from the root; the result has the node's depth as its length. */
uint32_t ia_bridge_path(struct ia_bridge_view v, int32_t at, uint16_t path[IA_WIRE_DEPTH_MAX]);
/* A copy for a reply: depth 0, flags with what is estimated of it. */
void ia_bridge_copy_node(struct ia_bridge_view v, int32_t at, struct ia_wire_arena *arena,
                         struct ia_wire_node *to);

/* ---- visibility.c: whether it can be touched ---- */

/* IA_WIRE_OK and the point to touch, else NOT_VISIBLE, COVERED or DISABLED. */
enum ia_wire_code ia_bridge_seen(struct ia_bridge_view v, int32_t at,
                                 struct ia_wire_point *ret_point);

/* ---- the composed operations; each fills the reply, whose op and id are set ---- */

bool ia_bridge_target_sound(const struct ia_wire_target *t, bool may_be_none,
                            struct ia_wire_reply *reply);
/* "Button 'Save'", "identifier 'a'", for texts. */
void ia_bridge_describe(const struct ia_wire_target *t, char *out, size_t size);
/* Says of a resolved or missing element why not. */
void ia_bridge_refuse(struct ia_wire_reply *to, const struct ia_wire_target *t,
                      enum ia_wire_code code);
/* One look, and the node that is meant: OK and *ret_at, else why not. */
enum ia_wire_code ia_bridge_resolve(struct ia_bridge_view v, const struct ia_wire_target *t,
                                    int32_t *ret_at);

void ia_bridge_find(struct ia_bridge_doing *d, const struct ia_wire_request *req,
                    struct ia_wire_reply *reply);
void ia_bridge_act(struct ia_bridge_doing *d, const struct ia_wire_request *req,
                   struct ia_wire_reply *reply);
void ia_bridge_wait(struct ia_bridge_doing *d, const struct ia_wire_request *req,
                    struct ia_wire_reply *reply);
void ia_bridge_set_text(struct ia_bridge_doing *d, const struct ia_wire_request *req,
                        struct ia_wire_reply *reply);
void ia_bridge_clear(struct ia_bridge_doing *d, const struct ia_wire_request *req,
                     struct ia_wire_reply *reply);
void ia_bridge_type(struct ia_bridge_doing *d, const char *text, struct ia_wire_reply *reply);

/* What is known of the element that is to be touched. */
struct ia_bridge_spot {
    struct ia_wire_point at;
    struct ia_wire_rect frame;
    enum ia_wire_code seen; /* OK: `at` can be touched; else why not, and `at` means nothing */
    uint16_t type, flags;
    bool elsewhere;            /* another element is known to have the keyboard */
    char *value, *placeholder; /* heap, NULL when absent; ia_bridge_spot_fini */
};
void ia_bridge_spot_fini(struct ia_bridge_spot *s);
/* The first three checks and the fourth: until the element is there, free and still. False:
 * reply is the failure, not_sent. timeout_ms 0: one look. */
bool ia_bridge_steady(struct ia_bridge_doing *d, const struct ia_wire_target *t,
                      uint32_t timeout_ms, struct ia_bridge_spot *ret,
                      struct ia_wire_reply *reply);
/* Looks at it again, without the checks. NONE: *ret is all zeros. False: no tree. */
bool ia_bridge_reread(struct ia_bridge_doing *d, const struct ia_wire_target *t,
                      struct ia_bridge_spot *ret);
/* TAP_POINT. False: reply is the failure. */
bool ia_bridge_tap(struct ia_bridge_doing *d, struct ia_wire_point at, uint8_t taps,
                   struct ia_wire_reply *reply);

/* ---- classic.c and json.c ---- */

/* What a classic request is in the extensions. Its arena goes over to `to`, which needs its
 * _fini in any case; the strings of `from` live as long. False: ret_error is the error to
 * answer. */
bool ia_bridge_from_classic(struct ia_wire_request *from, struct ia_wire_request *to,
                            char *ret_error, size_t error_size);
/* The answer to it; a->text may point into `json`. */
void ia_bridge_to_classic(const struct ia_wire_request *from, const struct ia_wire_reply *r,
                          struct ia_wire_buf *json, struct ia_wire_answer *a);
void ia_bridge_json_tree(struct ia_wire_buf *out, const struct ia_wire_node *nodes, uint32_t n);
void ia_bridge_json_element(struct ia_wire_buf *out, const struct ia_wire_node *node);
void ia_bridge_json_info(struct ia_wire_buf *out, const struct ia_wire_info_reply *info);

#endif
