/* core.h: the server side of the wire. Loopback sockets, a queue, one main thread; no word of
 * Objective-C, and nothing but wire/ beneath it.
 *
 *   connection threads (pure C)                       the thread in ia_bridge_run()
 *   ───────────────────────────                       ─────────────────────────────
 *   read a frame, decode, token  ──► queue ──► job ──► ops->perform(), one at a time
 *   hello, health, cancel: here      │                at top level: a run loop nested inside
 *   wait for the job, its deadline,  ◄── reply ◄───── an operation cannot start a second one
 *   a cancel or the peer's end
 *
 * A job whose deadline passes is answered TIMEOUT by its connection's thread, whatever the main
 * thread does: not_sent when no effect can have begun, else unknown. The connection goes on,
 * the late result is dropped. So a hung snapshot blocks neither health nor cancel.
 *
 * What the core does itself, so that it is the same on every back end and is tested without
 * one: classic requests (01-16)    become the requests below and are answered by A0 with the
 * texts of that protocol; a back end never sees them FIND ACT WAIT SET_TEXT CLEAR are made of
 * TREE, TAP_POINT, LONG_PRESS_POINT, TYPE_TEXT and DELETE_TEXT: matching, estimated
 * hittability, the four checks before a tap, the look at a switch after it, chunks and
 *                               read-back all work on trees in C (act.c, match.c, visibility.c)
 *   PINCH                       its target is looked up and handed over in call->element
 *   TYPE_TEXT                   long texts arrive in pieces of whole characters
 *   BATCH                       its items, in order, up to the first failure
 * A back end is therefore a set of primitives: each one effect or one reading. */
#ifndef IA_BRIDGE_CORE_H
#define IA_BRIDGE_CORE_H

#include "wire/wire.h"

/* Fixed sizes and defaults. Times are in milliseconds. */
enum {
    IA_BRIDGE_CONNECTIONS_MAX = 16, /* one more is closed at once */
    IA_BRIDGE_QUEUE_MAX = 32,       /* jobs that wait; one more is answered BUSY */
    IA_BRIDGE_BACKLOG = 16,
    IA_BRIDGE_DEADLINE_MS = 30000,      /* of a request that names none */
    IA_BRIDGE_CLASSIC_MS = 25000,       /* of a classic request; its host waits 30 s */
    IA_BRIDGE_CLASSIC_MORE_MS = 10000,  /* beyond the timeout that a classic request names */
    IA_BRIDGE_CLASSIC_TREE_MS = 120000, /* of DUMP_TREE; its host waits 135 s */
    IA_BRIDGE_IDLE_MS = 600000,         /* a link without a request for so long is closed */
    IA_BRIDGE_FRAME_MS = 30000,         /* a frame that has begun must be whole by then, and the
                                           token be there, where one is asked for */
    IA_BRIDGE_STRANGER_MAX = 4096,      /* a frame before the token */
    IA_BRIDGE_WRITE_MS = 10000,         /* a peer that does not read is dropped after that */
    IA_BRIDGE_GRACE_MS = 300,           /* a cancelled job may still tell its outcome */
    IA_BRIDGE_TICK_MS = 20,             /* between two calls of ops->pump at rest */
    IA_BRIDGE_POLL_MS = 50,             /* between two looks at a screen */
    IA_BRIDGE_VERIFY_MS = 2000,         /* for a switch or a text to read as wanted */
    IA_BRIDGE_TREE_DEPTH = 30,          /* defaults of TREE */
    IA_BRIDGE_TREE_NODES = 5000,
    IA_BRIDGE_PIECE_CHARS = 60 /* characters of one TYPE_TEXT */
};

struct ia_bridge;

/* One request while it is performed; borrowed, on the main thread only. */
struct ia_bridge_call {
    int64_t deadline_us; /* of ia_bridge_now_us() */
    const struct ia_wire_node
        *element;         /* what the request's target is, with PINCH; else NULL */
    const uint16_t *path; /* and its path from the root in that tree */
    uint32_t path_n;
    struct ia_bridge_job *job; /* the core's own; NULL in a test */
};
/* True when the request was cancelled, its peer has gone, its deadline has passed or the server
 * stops: an operation that takes long asks now and then and returns. Any thread. */
bool ia_bridge_cancelled(const struct ia_bridge_call *call);
/* Microseconds of the monotonic clock. */
int64_t ia_bridge_now_us(void);

/* A back end. All of it is called on the thread that is in ia_bridge_run(). */
struct ia_bridge_ops {
    void *ctx;
    /* IA_WIRE_BIT() of what perform does. What is not here is answered UNSUPPORTED; what the
     * core makes of others (above) is added by it where its parts are there. */
    uint64_t can;
    uint32_t features; /* IA_WIRE_FEATURE_* */
    /* One pass of the run loop, without waiting. May be NULL. */
    void (*pump)(void *ctx);
    /* Lets `us` pass between two looks, for a device whose time moves with its calls. NULL:
     * real time, with pump. */
    void (*rest)(void *ctx, int64_t us);
    /* Performs one of INFO, TREE, TAP_POINT, LONG_PRESS_POINT, DRAG, PINCH, PRESS_BUTTON,
     * ORIENTATION, LAUNCH, TERMINATE, STATE, LIST_APPS, OPEN_URL, ALERTS, ALERT_ACT,
     * PASTEBOARD, APPEARANCE, AUDIT, SCREENSHOT, TYPE_TEXT, DELETE_TEXT, RESET, TARGET.
     *
     * `reply` comes with op and id, code INTERNAL and no body. The operation fills reply->u
     * with memory of reply->arena (ia_wire_str) and ends with ia_wire_reply_ok or _fail, whose
     * outcome says whether an effect was sent: NOT_SENT is a promise. No exception may leave
     * it. Fields of `req` are in the ranges that wire.h says; strings are never NULL unless it
     * says so, and 0 stands for a default as it says, except that TREE's max_nodes and
     * max_depth are always set. */
    void (*perform)(void *ctx, const struct ia_wire_request *req,
                    const struct ia_bridge_call *call, struct ia_wire_reply *reply);
};

/* Zero means the default above. Strings are copied. */
struct ia_bridge_options {
    uint16_t port;      /* 0: any free one; see ia_bridge_port */
    const char *token;  /* NULL or "": none is asked for */
    const char *server; /* told to hosts: "ios-agent 0.1.0 xcuitest" */
    const char *udid;   /* of the device; NULL where there is none */
    uint32_t idle_ms, frame_ms, write_ms, grace_ms, tick_ms, poll_ms, verify_ms;
    uint32_t deadline_ms;
    uint32_t queue_max;
};

/* Binds 127.0.0.1 and starts to listen; connections are served from here on, and their jobs
 * wait until ia_bridge_run. The ops are copied. False: fault says what could not be had. */
bool ia_bridge_open(const struct ia_bridge_options *opt, const struct ia_bridge_ops *ops,
                    struct ia_bridge **ret, struct ia_wire_fault *fault);
/* The port that is listened on. */
uint16_t ia_bridge_port(const struct ia_bridge *b);
/* Performs jobs until the bridge is stopped: by ia_bridge_stop or by a SHUTDOWN request, whose
 * reply is sent first. Jobs that then still wait are answered CANCELLED, not_sent. */
void ia_bridge_run(struct ia_bridge *b);
/* Asks ia_bridge_run to return after the job it is at, which is told by ia_bridge_cancelled.
 * Any thread, also a signal handler, also before ia_bridge_run; more than once is fine. */
void ia_bridge_stop(struct ia_bridge *b);
/* Stops, closes every connection, joins every thread and frees. Not while another thread is in
 * ia_bridge_run. NULL is fine. */
void ia_bridge_close(struct ia_bridge *b);

/* ---- building a tree --------------------------------------------------------------------- */

/* For perform of TREE: the back end walks its snapshot, this keeps the limits, prunes and fills
 * the reply. A node is dropped that has no identifier, label and value, no area, and no child
 * that stays; IA_WIRE_TREE_UNPRUNED keeps all. Caps set the bits of `cut`; what lies below the
 * depth or behind the count is left out and its parent marked IA_WIRE_NODE_CUT.
 *
 *     ia_bridge_tree_begin(&t, &req->u.tree, reply);
 *     walk(root):  if (ia_bridge_tree_enter(&t, &node)) { walk(children);
 * ia_bridge_tree_leave(&t); } ia_bridge_tree_end(&t, bundle_id);
 */
struct ia_bridge_tree {
    struct ia_wire_reply *reply;
    struct ia_wire_node *nodes; /* in memory of its own until _end */
    uint32_t n, cap;
    uint32_t open[IA_WIRE_DEPTH_MAX + 1]; /* index of the open node of each depth */
    uint32_t depth;                       /* of the next node */
    uint32_t visited, max_nodes, max_depth;
    size_t bytes;
    uint8_t cut;
    bool unpruned;
};
void ia_bridge_tree_begin(struct ia_bridge_tree *t, const struct ia_wire_tree *how,
                          struct ia_wire_reply *reply);
/* Opens a node; its depth is set here, its strings are copied (any bytes will do) and cut, and
 * what of its frame is not finite becomes 0. False when a cap says no: then its children are
 * not to be looked at, and there is no leave. */
bool ia_bridge_tree_enter(struct ia_bridge_tree *t, const struct ia_wire_node *node);
void ia_bridge_tree_leave(struct ia_bridge_tree *t);
/* Says that a part could not be taken or had to be spliced (IA_WIRE_CUT_*). */
void ia_bridge_tree_cut(struct ia_bridge_tree *t, uint8_t cut);
/* Fills reply->u.tree and makes the reply OK; TREE_EMPTY when no node was entered. To give up
 * midway call it and then ia_wire_reply_fail. */
void ia_bridge_tree_end(struct ia_bridge_tree *t, const char *app);

#endif
