/* core.h: the server side of the wire: loopback sockets, a queue and one main thread. It knows
 * nothing of Objective-C and depends on wire/ alone.
 *
 *   connection threads (pure C)                       the thread in ia_bridge_run()
 *   ---------------------------                       -----------------------------
 *   read a frame, decode, check the token --> queue --> job --> ops->perform(), one at a time,
 *   answer hello, health and cancel           |                 at top level: a run loop that
 *   wait for the job, its deadline,      <-- reply <---------   is nested in an operation
 *   a cancel or the peer's disconnect                           cannot start a second one
 *
 * A job that misses its deadline is answered TIMEOUT by its connection's thread, whatever the
 * main thread is doing: not_sent if no effect can have begun, otherwise unknown. The connection
 * stays open and the late result is dropped, so a hung snapshot blocks neither health nor
 * cancel.
 *
 * The core implements these itself, which makes them the same on every back end and testable
 * without one:
 *
 *   classic requests (01-16)    translated to the requests below and answered by A0 with the
 *                               texts of that protocol; a back end never sees them (classic.c)
 *   FIND ACT WAIT               composed of TREE, TAP_POINT, LONG_PRESS_POINT, TYPE_TEXT and
 *   SET_TEXT CLEAR              DELETE_TEXT. Matching, the visibility estimate, the four checks
 *                               before a tap, checking a switch after it, typing in chunks and
 *                               reading back all work on trees, in C
 *   PINCH                       its target is resolved and passed in call->element
 *   TYPE_TEXT                   long texts arrive in chunks of whole characters
 *   BATCH                       its items, in order, up to the first failure
 *
 * What is left for a back end is a set of primitives, each of them one effect or one
 * reading. */
#ifndef IA_BRIDGE_CORE_H
#define IA_BRIDGE_CORE_H

#include "wire/wire.h"

/* Fixed sizes and defaults. Times are in milliseconds. */
enum {
    IA_BRIDGE_CONNECTIONS_MAX = 16, /* one more is closed at once */
    IA_BRIDGE_QUEUE_MAX = 32,       /* waiting jobs; one more is answered BUSY */
    IA_BRIDGE_BACKLOG = 16,
    IA_BRIDGE_DEADLINE_MS = 30000,      /* of a request that names none */
    IA_BRIDGE_CLASSIC_MS = 25000,       /* of a classic request; its host waits 30 s */
    IA_BRIDGE_CLASSIC_MORE_MS = 10000,  /* on top of the timeout that a classic request names */
    IA_BRIDGE_CLASSIC_TREE_MS = 120000, /* of DUMP_TREE; its host waits 135 s */
    IA_BRIDGE_IDLE_MS = 600000, /* a connection without a request for this long is closed */
    IA_BRIDGE_FRAME_MS = 30000, /* for the rest of a frame, and for a required token to come */
    IA_BRIDGE_UNAUTHENTICATED_MAX = 4096, /* bytes of a frame before the token was presented */
    IA_BRIDGE_WRITE_MS = 10000, /* a peer that does not read for this long is dropped */
    IA_BRIDGE_GRACE_MS = 300,   /* for a cancelled job to report its own outcome */
    IA_BRIDGE_TICK_MS = 20,     /* between two calls of ops->pump while idle */
    IA_BRIDGE_POLL_MS = 50,     /* between two snapshots of a screen */
    IA_BRIDGE_VERIFY_MS = 2000, /* for a switch or a text to read as wanted */
    IA_BRIDGE_TREE_DEPTH = 30,  /* defaults of TREE */
    IA_BRIDGE_TREE_NODES = 5000,
    IA_BRIDGE_CHUNK_CHARS = 60 /* characters of one TYPE_TEXT */
};

struct ia_bridge;

/* One request while it is performed. Borrowed; main thread only. */
struct ia_bridge_call {
    int64_t deadline_us;                /* on the clock of ia_bridge_now_us() */
    const struct ia_wire_node *element; /* PINCH: the resolved target; otherwise NULL */
    const uint16_t *path;               /* child numbers that lead to it from the root */
    uint32_t path_n;
    struct ia_bridge_job *job; /* private to the core; NULL in a test */
};
/* True once the request was cancelled, its peer disconnected, its deadline passed or the server
 * is stopping. A long operation calls this now and then, and returns early. Any thread. */
bool ia_bridge_cancelled(const struct ia_bridge_call *call);
/* Microseconds of the monotonic clock. */
int64_t ia_bridge_now_us(void);
/* Blocks until until_us or until `wake` (-1: none) can be read; at most a minute, and sometimes
 * shorter. For the main thread, in the middle of a request. */
void ia_bridge_wait_until(int wake, int64_t until_us);

/* A back end. All of it is called on the thread that is in ia_bridge_run(). */
struct ia_bridge_ops {
    void *ctx;
    /* IA_WIRE_BIT() of every request that perform implements; any other is answered
     * UNSUPPORTED. The core adds the requests that it composes (above) when their primitives
     * are here. */
    uint64_t can;
    uint32_t features; /* IA_WIRE_FEATURE_* */
    /* One pass of the run loop, without blocking. May be NULL. */
    void (*pump)(void *ctx);
    /* Lets `us` of the device's time pass between two snapshots, for a device whose clock
     * advances with the calls made to it. NULL: real time passes, with pump. */
    void (*sleep)(void *ctx, int64_t us);
    /* Performs one of INFO, TREE, TAP_POINT, LONG_PRESS_POINT, DRAG, PINCH, PRESS_BUTTON,
     * ORIENTATION, LAUNCH, TERMINATE, STATE, LIST_APPS, OPEN_URL, ALERTS, ALERT_ACT,
     * PASTEBOARD, APPEARANCE, AUDIT, SCREENSHOT, TYPE_TEXT, DELETE_TEXT, RESET, TARGET.
     *
     * `reply` arrives with op and id set, code INTERNAL and no body. The operation fills
     * reply->u with memory of reply->arena (ia_wire_str) and ends with ia_wire_reply_ok or
     * ia_wire_reply_fail. The outcome of a failure says whether an effect was sent, and
     * NOT_SENT is a promise. No exception may leave it. The fields of `req` are within the
     * ranges that wire.h documents; strings are never NULL unless it says so, and 0 means a
     * default where it says so, except that max_nodes and max_depth of TREE are always set. */
    void (*perform)(void *ctx, const struct ia_wire_request *req,
                    const struct ia_bridge_call *call, struct ia_wire_reply *reply);
};

/* A zero means the default above. Strings are copied. */
struct ia_bridge_options {
    uint16_t port;      /* 0: any free one; see ia_bridge_port */
    const char *token;  /* NULL or "": none is required */
    const char *server; /* reported to hosts: "ios-agent 0.2.0 xcuitest" */
    const char *udid;   /* of the device; NULL where there is none */
    uint32_t idle_ms, frame_ms, write_ms, grace_ms, tick_ms, poll_ms, verify_ms;
    uint32_t deadline_ms;
    uint32_t queue_max;
};

/* Binds 127.0.0.1 and listens. Connections are served from now on, but their jobs wait for
 * ia_bridge_run. The ops are copied. False: fault says what the system refused. */
bool ia_bridge_open(const struct ia_bridge_options *opt, const struct ia_bridge_ops *ops,
                    struct ia_bridge **ret, struct ia_wire_fault *fault);
/* The port that the bridge listens on. */
uint16_t ia_bridge_port(const struct ia_bridge *b);
/* Performs jobs until the bridge is stopped, by ia_bridge_stop or by a SHUTDOWN request, whose
 * reply is sent first. Jobs still waiting then are answered CANCELLED, not_sent. */
void ia_bridge_run(struct ia_bridge *b);
/* Makes ia_bridge_run return after its current job, which learns of it through
 * ia_bridge_cancelled. Any thread, also a signal handler, also before ia_bridge_run; calling it
 * again does no harm. */
void ia_bridge_stop(struct ia_bridge *b);
/* Stops, closes every connection, joins every thread and frees. No thread may be in
 * ia_bridge_run. NULL is fine. */
void ia_bridge_close(struct ia_bridge *b);

/* ---- building a tree --------------------------------------------------------------------- */

/* For TREE: the back end walks its snapshot, and this enforces the limits, prunes and fills the
 * reply. A node without identifier, label and value, without an area and without a remaining
 * child is dropped, unless IA_WIRE_TREE_UNPRUNED keeps all nodes. A limit that was reached sets
 * its bit in `cut`; nodes below the depth limit or beyond the node limit are left out, and
 * their parent is marked IA_WIRE_NODE_CUT.
 *
 *     ia_bridge_tree_begin(&t, &req->u.tree, reply);
 *     walk(root):
 *         if (ia_bridge_tree_enter(&t, &node)) {
 *             walk(each child);
 *             ia_bridge_tree_leave(&t);
 *         }
 *     ia_bridge_tree_end(&t, bundle_id); */
struct ia_bridge_tree {
    struct ia_wire_reply *reply;
    struct ia_wire_node *nodes; /* in its own memory until _end */
    uint32_t n, cap;
    uint32_t open[IA_WIRE_DEPTH_MAX + 1]; /* index of the open node at each depth */
    uint32_t depth;                       /* of the next node */
    uint32_t visited, max_nodes, max_depth;
    size_t bytes;
    uint8_t cut;
    bool unpruned;
};
void ia_bridge_tree_begin(struct ia_bridge_tree *t, const struct ia_wire_tree *how,
                          struct ia_wire_reply *reply);
/* Opens a node. Sets its depth, copies its strings (any bytes will do) and cuts them to size,
 * and replaces a coordinate that is not finite by 0. False when a limit is reached: skip the
 * children, and do not call leave. */
bool ia_bridge_tree_enter(struct ia_bridge_tree *t, const struct ia_wire_node *node);
void ia_bridge_tree_leave(struct ia_bridge_tree *t);
/* Records that a part could not be taken or had to be spliced (IA_WIRE_CUT_*). */
void ia_bridge_tree_cut(struct ia_bridge_tree *t, uint8_t cut);
/* Fills reply->u.tree and makes the reply OK, or TREE_EMPTY when no node was entered. To give
 * up midway, call it and then ia_wire_reply_fail. */
void ia_bridge_tree_end(struct ia_bridge_tree *t, const char *app);

#endif
