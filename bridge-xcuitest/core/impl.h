/* impl.h: what the sources of the core share. Private to core/.
 *
 * Calls go downwards only; tests/layering checks that:
 *
 *     bridge     accepts connections, runs the main thread
 *     conn       one connection's frames               perform    one job on the main thread
 *     classic    classic requests and answers          text       SET_TEXT, CLEAR, TYPE_TEXT
 *     control    hello, health, cancel                 act, wait  ACT; FIND, WAIT
 *     jobs       the queue between the two sides  <--  context    primitives, snapshots, pauses
 *     outcome, stop, target, match, visibility, view, json, net, clock
 *
 * Locking: bridge.lock guards the queue, the state of every job, the list of connections and
 * the counters. It is never held while a thread waits or a back end is called. */
#ifndef IA_BRIDGE_IMPL_H
#define IA_BRIDGE_IMPL_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/core.h"

#define IA_BRIDGE_COUNTOF(array) (sizeof(array) / sizeof((array)[0]))

/* The life of a job.
 *
 *   WAITING --> RUNNING --> DONE     moved by the main thread
 *      |
 *      +------------------> DONE     by whichever thread takes it out of the queue
 *
 * Its connection owns a share of it, and so does the main thread from the moment it is queued;
 * the last owner frees it. A connection that gives up sets `conn` to NULL. */
enum ia_bridge_job_state { IA_BRIDGE_WAITING, IA_BRIDGE_RUNNING, IA_BRIDGE_DONE };

/* Why a job has to end early. The first reason that is set stays. */
enum ia_bridge_stop_reason {
    IA_BRIDGE_NO_STOP,
    IA_BRIDGE_STOP_DEADLINE,
    IA_BRIDGE_STOP_CANCELLED,
    IA_BRIDGE_STOP_PEER_GONE,
    IA_BRIDGE_STOP_SERVER
};

struct ia_bridge_conn;

struct ia_bridge_job {
    struct ia_bridge *bridge;
    struct ia_bridge_job *next;
    struct ia_bridge_conn *conn; /* to be woken; NULL once it has given up */
    struct ia_wire_request req;
    struct ia_wire_reply reply;
    struct ia_wire_reply *items; /* of a batch; those below items_n no longer change */
    uint32_t items_n;
    enum ia_bridge_job_state state;
    int owners;
    uint32_t session;
    int64_t deadline_us, started_us;
    bool maybe_sent;        /* an effect was begun */
    atomic_int stop_reason; /* enum ia_bridge_stop_reason */
};

struct ia_bridge_conn {
    struct ia_bridge *bridge;
    struct ia_bridge_conn *next;
    pthread_t thread;
    int fd, wake_pipe[2];
    uint32_t session;
    atomic_bool authenticated; /* hello has presented the token */
    int64_t accepted_us;
    bool ended; /* the thread is about to return; bridge.lock */
    struct ia_wire_reader reader;
    bool held; /* `frame` arrived while another request was in flight, and is next */
    struct ia_wire_frame frame;
};

struct ia_bridge {
    struct ia_bridge_ops ops;
    struct ia_bridge_options opt; /* with every default filled in */
    char token[IA_WIRE_TOKEN_MAX + 1], server[IA_WIRE_NAME_MAX + 1], udid[IA_WIRE_NAME_MAX + 1];
    uint16_t port;
    int listener;
    int wake_pipe[2];   /* wakes the main thread */
    int accept_pipe[2]; /* wakes the accepting thread */
    pthread_t accept_thread;
    pthread_mutex_t lock;
    atomic_bool stopping; /* ia_bridge_run has to return */
    atomic_bool closing;  /* every thread has to return */
    bool ended;           /* ia_bridge_run has returned */
    struct ia_bridge_job *head, *running;
    uint32_t queued;
    struct ia_bridge_conn *conns;
    uint32_t conns_n, sessions;
    uint64_t done, late;
    int64_t opened_us, pumped_us; /* pumped_us: the main thread's last pass of its loop */
};

/* ---- net.c: sockets and pipes ---- */

bool ia_bridge_pipe(int fds[2]);
void ia_bridge_pipe_close(int fds[2]);
void ia_bridge_wake(int fd);  /* async-signal-safe */
void ia_bridge_drain(int fd); /* reads what ia_bridge_wake wrote */
bool ia_bridge_listen(struct ia_bridge *b, struct ia_wire_fault *fault);
int ia_bridge_accept(int listener); /* -1 when no connection is pending */
/* Waits until one of the two is readable (fd may be -1) or until_us. Bit 0: fd; bit 1: wake. */
int ia_bridge_poll(int fd, int wake, int64_t until_us);
/* Reads once. Number of bytes, 0 at the end of the stream or on an error, -1 when nothing was
 * there. */
long ia_bridge_recv(int fd, void *to, size_t n);
/* Writes all of it before until_us. */
bool ia_bridge_send(int fd, const void *from, size_t n, int64_t until_us);

/* ---- stop.c: why a job or the server ends ---- */

/* Why the job has to end now; NO_STOP while it may run. */
enum ia_bridge_stop_reason ia_bridge_stop_reason(const struct ia_bridge_job *j);

/* ---- outcome.c: replies made of other replies ---- */

/* Makes `to` the same failure as `from`. */
void ia_bridge_copy_failure(struct ia_wire_reply *to, const struct ia_wire_reply *from);
/* Makes the reply to a batch, whose items are set, a success with the gravest of their
 * outcomes. */
void ia_bridge_batch_outcome(struct ia_wire_reply *to, bool effect);

/* ---- conn.c: one thread per connection ---- */

void *ia_bridge_conn_main(void *conn);

/* ---- control.c: hello, health, cancel ---- */

/* The extensions that this bridge serves, as IA_WIRE_BIT()s. */
uint64_t ia_bridge_serves(const struct ia_bridge *b);
/* Fills the reply to a request that does not need the main thread; op and id are set. */
void ia_bridge_control(struct ia_bridge_conn *c, const struct ia_wire_request *req,
                       struct ia_wire_reply *reply);

/* ---- jobs.c: the queue between connections and the main thread ---- */

/* Reads what arrives on a connection while one of its requests is in flight: answers health and
 * cancel, holds anything else. readable: there are bytes to read. False when the peer has
 * disconnected. */
typedef bool ia_bridge_read_ahead(struct ia_bridge_conn *c, bool readable);

/* Queues a request, which is taken over, and waits until it is done, past its deadline or its
 * peer has disconnected; reads ahead meanwhile. NULL when the peer has gone, or without memory.
 * Otherwise *ret is the reply: either the job's, valid until ia_bridge_job_drop, or `local`,
 * filled here for a job that did not return in time. `local` arrives with op and id, and the
 * caller frees it. */
struct ia_bridge_job *ia_bridge_job_do(struct ia_bridge_conn *c, struct ia_wire_request *req,
                                       ia_bridge_read_ahead *read_ahead,
                                       const struct ia_wire_reply **ret,
                                       struct ia_wire_reply *local);
void ia_bridge_job_drop(struct ia_bridge_job *j);
/* The next job, now RUNNING, or NULL. Main thread. */
struct ia_bridge_job *ia_bridge_job_next(struct ia_bridge *b);
void ia_bridge_job_done(struct ia_bridge_job *j);
/* Ends every waiting job: CANCELLED, not_sent. Later ones end the same way at once. */
void ia_bridge_jobs_end(struct ia_bridge *b);
/* Cancels the job of that session and id (0: any). False when there is none. */
bool ia_bridge_job_cancel(struct ia_bridge *b, uint32_t session, uint32_t id);
/* Called right before an effect. False: it is too late, and nothing may be sent any more. */
bool ia_bridge_may_send(struct ia_bridge_job *j);

/* ---- view.c: relations between the nodes of a tree ---- */

struct ia_bridge_view {
    const struct ia_wire_node *nodes;
    uint32_t n;
};
enum { IA_BRIDGE_NONE = -1 };
struct ia_bridge_view ia_bridge_view(const struct ia_wire_reply *tree);
/* NONE for the root. */
int32_t ia_bridge_parent(struct ia_bridge_view v, int32_t at);
/* One past the last node of the subtree. */
uint32_t ia_bridge_subtree_end(struct ia_bridge_view v, uint32_t at);
/* Equal within half a point: layout rounds differently from one snapshot to the next. */
bool ia_bridge_same_frame(struct ia_wire_rect a, struct ia_wire_rect b);
/* Child numbers from the root; returns how many, which is the node's depth. */
uint32_t ia_bridge_path(struct ia_bridge_view v, int32_t at, uint16_t path[IA_WIRE_DEPTH_MAX]);

/* ---- match.c: which nodes a selector or a signature means ---- */

bool ia_bridge_text_matches(uint8_t match, const char *pattern, const char *text);
bool ia_bridge_matches(const struct ia_wire_selector *s, const struct ia_wire_node *node);
/* How many nodes match; *ret_at is the one at the index (the first for IA_WIRE_UNIQUE), or
 * NONE. */
uint32_t ia_bridge_select(struct ia_bridge_view v, const struct ia_wire_selector *s,
                          int32_t *ret_at);
/* The node of a signature, or NONE. */
int32_t ia_bridge_find_signature(struct ia_bridge_view v, const struct ia_wire_signature *s);

/* ---- visibility.c: whether a node can be touched ---- */

/* OK and the point to touch, otherwise NOT_VISIBLE, COVERED or DISABLED. */
enum ia_wire_code ia_bridge_visibility(struct ia_bridge_view v, int32_t at,
                                       struct ia_wire_point *ret_point);

/* ---- target.c: the element that a request names ---- */

/* False: the target contradicts itself or names nothing, and reply is that USAGE failure. */
bool ia_bridge_check_target(const struct ia_wire_target *t, bool may_be_none,
                            struct ia_wire_reply *reply);
/* The node that is meant: OK and *ret_at, otherwise the reason why there is none. */
enum ia_wire_code ia_bridge_resolve(struct ia_bridge_view v, const struct ia_wire_target *t,
                                    int32_t *ret_at);
/* Fails with the code of ia_bridge_resolve or ia_bridge_visibility and a text that names the
 * element. */
void ia_bridge_fail_target(struct ia_wire_reply *to, const struct ia_wire_target *t,
                           enum ia_wire_code code);

/* ---- context.c: a request while it is performed, main thread ---- */

struct ia_bridge_ctx {
    struct ia_bridge *bridge;
    struct ia_bridge_job *job;
    struct ia_bridge_call call;
    int64_t start_us;
    int64_t device_slept_us; /* time that passed on the device and not here, by ops->sleep */
    uint16_t snapshots;
};
/* One primitive of the back end. The reply is initialised here; give it to
 * ia_wire_reply_fini. */
void ia_bridge_primitive(struct ia_bridge_ctx *ctx, const struct ia_wire_request *req,
                         struct ia_wire_reply *reply);
/* Takes a tree with default options. One that cannot be taken, as in the middle of a
 * transition, is retried until until_us. False: `to` is that failure. */
bool ia_bridge_snapshot(struct ia_bridge_ctx *ctx, int64_t until_us, struct ia_wire_reply *tree,
                        struct ia_wire_reply *to);
/* Lets time pass between two snapshots. False when the request has to end or until_us has
 * come. */
bool ia_bridge_sleep(struct ia_bridge_ctx *ctx, int64_t us, int64_t until_us);
/* The time as the device sees it, which waits are measured against. */
int64_t ia_bridge_clock(const struct ia_bridge_ctx *ctx);
/* When an operation has to give up: after its own timeout, but within its deadline. */
int64_t ia_bridge_until(const struct ia_bridge_ctx *ctx, uint32_t timeout_ms);
uint32_t ia_bridge_since_ms(const struct ia_bridge_ctx *ctx);
/* When the request has to end early: makes `to` CANCELLED or TIMEOUT and returns true. */
bool ia_bridge_fail_if_stopped(struct ia_bridge_ctx *ctx, struct ia_wire_reply *to,
                               enum ia_wire_outcome outcome);

/* ---- act.c, text.c, wait.c: composed operations; the replies arrive with op and id ---- */

void ia_bridge_find(struct ia_bridge_ctx *ctx, const struct ia_wire_request *req,
                    struct ia_wire_reply *reply);
void ia_bridge_act(struct ia_bridge_ctx *ctx, const struct ia_wire_request *req,
                   struct ia_wire_reply *reply);
void ia_bridge_wait(struct ia_bridge_ctx *ctx, const struct ia_wire_request *req,
                    struct ia_wire_reply *reply);
void ia_bridge_set_text(struct ia_bridge_ctx *ctx, const struct ia_wire_request *req,
                        struct ia_wire_reply *reply);
void ia_bridge_clear(struct ia_bridge_ctx *ctx, const struct ia_wire_request *req,
                     struct ia_wire_reply *reply);
void ia_bridge_type(struct ia_bridge_ctx *ctx, const char *text, struct ia_wire_reply *reply);

/* What one snapshot says of the element to be touched. */
struct ia_bridge_spot {
    struct ia_wire_point at;
    struct ia_wire_rect frame;
    enum ia_wire_code visibility; /* OK: `at` can be touched; else the reason, and no `at` */
    uint16_t type, flags;
    bool focus_elsewhere;      /* another element is known to have the keyboard */
    char *value, *placeholder; /* heap, NULL when absent; ia_bridge_spot_fini */
};
void ia_bridge_spot_fini(struct ia_bridge_spot *s);
/* Waits until the element is there, free and still. False: reply is the failure, not_sent.
 * timeout_ms 0: one snapshot. */
bool ia_bridge_wait_until_steady(struct ia_bridge_ctx *ctx, const struct ia_wire_target *t,
                                 uint32_t timeout_ms, struct ia_bridge_spot *ret,
                                 struct ia_wire_reply *reply);
/* Takes another snapshot of it, without those checks. *ret is all zeros when it is gone. False:
 * no tree could be taken. */
bool ia_bridge_reread(struct ia_bridge_ctx *ctx, const struct ia_wire_target *t,
                      struct ia_bridge_spot *ret);
/* TAP_POINT. False: reply is the failure. */
bool ia_bridge_tap(struct ia_bridge_ctx *ctx, struct ia_wire_point at, uint8_t taps,
                   struct ia_wire_reply *reply);

/* ---- perform.c: a whole job on the main thread ---- */

void ia_bridge_perform(struct ia_bridge_job *j);

/* ---- classic.c and json.c: the classic protocol ---- */

/* Translates a classic request into an extension. Its arena moves to `to`, which needs its
 * _fini in any case; the strings of `from` live as long. False: ret_error is the error to
 * answer. */
bool ia_bridge_from_classic(struct ia_wire_request *from, struct ia_wire_request *to,
                            char *ret_error, size_t error_size);
/* Translates the reply back; a->text may point into `json`. */
void ia_bridge_to_classic(const struct ia_wire_request *from, const struct ia_wire_reply *r,
                          struct ia_wire_buf *json, struct ia_wire_answer *a);
void ia_bridge_json_tree(struct ia_wire_buf *out, const struct ia_wire_node *nodes, uint32_t n);
/* The first node with those below it, in pre-order; "null" without one. */
void ia_bridge_json_element(struct ia_wire_buf *out, const struct ia_wire_node *nodes,
                            uint32_t n);
void ia_bridge_json_info(struct ia_wire_buf *out, const struct ia_wire_info_reply *info);

#endif
