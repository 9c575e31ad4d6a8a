/* context.c: a request while it is performed: its time limits, one primitive of the back end,
 * and snapshots with their retries. All composed operations are built on this.
 *
 * Waits are measured on the device's clock. Where ops->sleep is set, as with the simulated
 * iPhone, that clock advances without real time passing here, so `device_slept_us` is added to
 * ours. */
#include "core/impl.h"

int64_t ia_bridge_clock(const struct ia_bridge_ctx *ctx)
{
    return ia_bridge_now_us() + ctx->device_slept_us;
}

int64_t ia_bridge_until(const struct ia_bridge_ctx *ctx, uint32_t timeout_ms)
{
    int64_t until = ctx->start_us + timeout_ms * INT64_C(1000);
    return until < ctx->call.deadline_us ? until : ctx->call.deadline_us;
}

uint32_t ia_bridge_since_ms(const struct ia_bridge_ctx *ctx)
{
    return (uint32_t)((ia_bridge_clock(ctx) - ctx->start_us) / 1000);
}

bool ia_bridge_fail_if_stopped(struct ia_bridge_ctx *ctx, struct ia_wire_reply *to,
                               enum ia_wire_outcome outcome)
{
    enum ia_bridge_stop_reason reason = ia_bridge_stop_reason(ctx->job);
    if (reason == IA_BRIDGE_NO_STOP) {
        return false;
    }
    bool late = reason == IA_BRIDGE_STOP_DEADLINE;
    ia_wire_reply_fail(to, late ? IA_WIRE_E_TIMEOUT : IA_WIRE_E_CANCELLED, outcome, false, "%s",
                       late                              ? "the deadline has passed"
                       : reason == IA_BRIDGE_STOP_SERVER ? "the bridge is stopping"
                                                         : "cancelled");
    return true;
}

bool ia_bridge_sleep(struct ia_bridge_ctx *ctx, int64_t us, int64_t until_us)
{
    struct ia_bridge *b = ctx->bridge;
    int64_t wake_us = ia_bridge_now_us() + us;
    if (ia_bridge_stop_reason(ctx->job) != IA_BRIDGE_NO_STOP ||
        ia_bridge_clock(ctx) >= until_us) {
        return false;
    }
    if (b->ops.sleep) {
        b->ops.sleep(b->ops.ctx, us);
        ctx->device_slept_us += us;
        return true;
    }
    /* In slices of a tick: the device's run loop has to be pumped meanwhile, and a cancel
     * writes to the pipe. */
    while (ia_bridge_stop_reason(ctx->job) == IA_BRIDGE_NO_STOP &&
           ia_bridge_now_us() < wake_us) {
        int64_t slice = ia_bridge_now_us() + b->opt.tick_ms * INT64_C(1000);
        if (b->ops.pump) {
            b->ops.pump(b->ops.ctx);
        }
        ia_bridge_wait_until(b->wake_pipe[0], slice < wake_us ? slice : wake_us);
        ia_bridge_drain(b->wake_pipe[0]);
    }
    return ia_bridge_stop_reason(ctx->job) == IA_BRIDGE_NO_STOP;
}

/* Fills in defaults and limits, so that no back end has to know them. */
static struct ia_wire_request with_defaults(const struct ia_wire_request *req)
{
    struct ia_wire_request r = *req;
    if (r.op == IA_WIRE_OP_TREE) {
        struct ia_wire_tree *t = &r.u.tree;
        t->max_nodes = t->max_nodes ? t->max_nodes : IA_BRIDGE_TREE_NODES;
        t->max_nodes = t->max_nodes < IA_WIRE_NODES_MAX ? t->max_nodes : IA_WIRE_NODES_MAX;
        t->max_depth = t->max_depth ? t->max_depth : IA_BRIDGE_TREE_DEPTH;
        t->max_depth = t->max_depth < IA_WIRE_DEPTH_MAX ? t->max_depth : IA_WIRE_DEPTH_MAX;
    }
    return r;
}

void ia_bridge_primitive(struct ia_bridge_ctx *ctx, const struct ia_wire_request *req,
                         struct ia_wire_reply *reply)
{
    bool effect = ia_wire_has_effect(req);
    struct ia_bridge *b = ctx->bridge;
    struct ia_wire_request r = with_defaults(req);
    *reply = (struct ia_wire_reply){.op = req->op, .id = req->id, .code = IA_WIRE_E_INTERNAL};
    if (!(b->ops.can & IA_WIRE_BIT(req->op))) {
        ia_wire_reply_fail(reply, IA_WIRE_E_UNSUPPORTED,
                           effect ? IA_WIRE_NOT_SENT : IA_WIRE_NONE, false,
                           "this bridge does not support %s", ia_wire_op_name(req->op));
        return;
    }
    if (!effect && ia_bridge_fail_if_stopped(ctx, reply, IA_WIRE_NONE)) {
        return;
    }
    /* From a granted may_send on, a connection that gives up answers "unknown" and no longer
     * "not sent". So it is asked last, and its refusal is final. */
    if (effect && !ia_bridge_may_send(ctx->job)) {
        if (!ia_bridge_fail_if_stopped(ctx, reply, IA_WIRE_NOT_SENT)) {
            ia_wire_reply_fail(reply, IA_WIRE_E_CANCELLED, IA_WIRE_NOT_SENT, false,
                               "the host no longer waits for it");
        }
        return;
    }
    b->ops.perform(b->ops.ctx, &r, &ctx->call, reply);
    /* Still as it was initialised: the back end forgot to fill it. */
    if (reply->code == IA_WIRE_E_INTERNAL && !reply->text) {
        ia_wire_reply_fail(reply, IA_WIRE_E_INTERNAL, effect ? IA_WIRE_UNKNOWN : IA_WIRE_NONE,
                           false, "the back end returned no result");
    }
}

static bool try_snapshot(struct ia_bridge_ctx *ctx, struct ia_wire_reply *tree,
                         struct ia_wire_reply *to)
{
    struct ia_wire_request req = {.op = IA_WIRE_OP_TREE, .id = to->id};
    const struct ia_wire_op *op = ia_wire_op(to->op);
    req.u.tree.app = "";
    ia_bridge_primitive(ctx, &req, tree);
    ctx->snapshots++;
    if (tree->code == IA_WIRE_OK) {
        return true;
    }
    /* A snapshot has no effect, but its failure ends an operation that would have had one. */
    ia_bridge_copy_failure(to, tree);
    to->outcome = op && op->effect ? IA_WIRE_NOT_SENT : IA_WIRE_NONE;
    ia_wire_reply_fini(tree);
    return false;
}

/* Snapshots fail like this while the screen changes. */
static bool is_transient(uint16_t code)
{
    return code == IA_WIRE_E_TREE_EMPTY || code == IA_WIRE_E_TREE_MALFORMED ||
           code == IA_WIRE_E_DEVICE;
}

bool ia_bridge_snapshot(struct ia_bridge_ctx *ctx, int64_t until_us, struct ia_wire_reply *tree,
                        struct ia_wire_reply *to)
{
    while (!try_snapshot(ctx, tree, to)) {
        if (!is_transient(to->code) ||
            !ia_bridge_sleep(ctx, ctx->bridge->opt.poll_ms * INT64_C(1000), until_us)) {
            return false;
        }
        /* A failure has no body, so only its text points into its memory. */
        to->text = NULL;
        ia_wire_arena_fini(&to->arena);
    }
    return true;
}
