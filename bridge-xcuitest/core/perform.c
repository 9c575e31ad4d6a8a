/* perform.c: one job on the main thread, from its request to its reply.
 *
 *   batch --> each item --+
 *   any other request ----+--> arguments valid? --> composed operation (act.c, text.c, wait.c)
 *                                               --> primitive of the back end */
#include "core/impl.h"

#include <stdlib.h>
#include <string.h>

/* ---- requests ---- */

/* Why a request that could be decoded makes no sense; NULL when it does. */
static const char *invalid_argument(const struct ia_wire_request *req)
{
    switch (req->op) {
    case IA_WIRE_OP_LAUNCH:
        return req->u.launch.bundle_id[0] ? NULL : "no bundle id";
    case IA_WIRE_OP_TERMINATE:
    case IA_WIRE_OP_TARGET:
        return req->u.bundle.bundle_id[0] ? NULL : "no bundle id";
    case IA_WIRE_OP_OPEN_URL:
        return req->u.open_url.url[0] ? NULL : "no URL";
    case IA_WIRE_OP_ALERT_ACT:
        return req->u.alert_act.action != IA_WIRE_ALERT_BUTTON || req->u.alert_act.button[0]
                   ? NULL
                   : "no button is named; send its title";
    case IA_WIRE_OP_PINCH:
        return req->u.pinch.scale > 0 ? NULL : "the scale must be above 0";
    case IA_WIRE_OP_LONG_PRESS_POINT:
        return req->u.long_press_point.duration_s >= 0 ? NULL
                                                       : "the duration must not be negative";
    default:
        return NULL;
    }
}

/* The only operation that a back end performs on an element and not at a point: XCTest pinches
 * elements alone. The core resolves the target, so that all back ends agree which element is
 * meant. */
static void pinch(struct ia_bridge_ctx *ctx, const struct ia_wire_request *req,
                  struct ia_wire_reply *reply)
{
    const struct ia_wire_target *t = &req->u.pinch.target;
    uint16_t path[IA_WIRE_DEPTH_MAX];
    struct ia_wire_reply tree = {0};
    int32_t at = IA_BRIDGE_NONE;
    if (!ia_bridge_check_target(t, true, reply)) {
        return;
    }
    if (t->signature || t->selector) {
        if (!ia_bridge_snapshot(ctx, ctx->start_us, &tree, reply)) {
            return;
        }
        enum ia_wire_code code = ia_bridge_resolve(ia_bridge_view(&tree), t, &at);
        if (code != IA_WIRE_OK) {
            ia_bridge_fail_target(reply, t, code);
            ia_wire_reply_fini(&tree);
            return;
        }
        ctx->call.element = &tree.u.tree.nodes[at];
        ctx->call.path_n = ia_bridge_path(ia_bridge_view(&tree), at, path);
        ctx->call.path = path;
    }
    ia_bridge_primitive(ctx, req, reply);
    ctx->call.element = NULL;
    ctx->call.path = NULL;
    ctx->call.path_n = 0;
    ia_wire_reply_fini(&tree);
}

static void perform_one(struct ia_bridge_ctx *ctx, const struct ia_wire_request *req,
                        struct ia_wire_reply *reply)
{
    const char *error = invalid_argument(req);
    *reply = (struct ia_wire_reply){.op = req->op, .id = req->id};
    ctx->start_us = ia_bridge_now_us();
    ctx->device_slept_us = 0;
    ctx->snapshots = 0;
    if (error) {
        ia_wire_reply_fail(reply, IA_WIRE_E_USAGE, IA_WIRE_NOT_SENT, false, "%s", error);
        return;
    }
    switch (req->op) {
    case IA_WIRE_OP_FIND:
        ia_bridge_find(ctx, req, reply);
        break;
    case IA_WIRE_OP_ACT:
        ia_bridge_act(ctx, req, reply);
        break;
    case IA_WIRE_OP_WAIT:
        ia_bridge_wait(ctx, req, reply);
        break;
    case IA_WIRE_OP_SET_TEXT:
        ia_bridge_set_text(ctx, req, reply);
        break;
    case IA_WIRE_OP_CLEAR:
        ia_bridge_clear(ctx, req, reply);
        break;
    case IA_WIRE_OP_TYPE_TEXT:
        ia_bridge_type(ctx, req->u.type_text.text, reply);
        break;
    case IA_WIRE_OP_PINCH:
        pinch(ctx, req, reply);
        break;
    default:
        ia_bridge_primitive(ctx, req, reply);
        break;
    }
}

/* ---- batches ---- */

/* The items are performed until one fails. Their replies are published one by one, because a
 * connection that gives up on the batch answers with those that are done. */
static void batch(struct ia_bridge_ctx *ctx)
{
    struct ia_bridge_job *j = ctx->job;
    const struct ia_wire_batch *req = &j->req.u.batch;
    int64_t whole_us = ctx->call.deadline_us;
    j->items = calloc(req->items_n ? req->items_n : 1, sizeof(*j->items));
    if (!j->items) {
        ia_wire_reply_fail(&j->reply, IA_WIRE_E_MEMORY, IA_WIRE_NOT_SENT, false,
                           "out of memory");
        return;
    }
    for (uint32_t i = 0; i < req->items_n; i++) {
        struct ia_wire_reply reply;
        uint32_t ms = req->items[i].deadline_ms;
        int64_t item_us = ia_bridge_now_us() + ms * INT64_C(1000);
        /* An item may shorten the time of the batch, never extend it. */
        ctx->call.deadline_us = ms && item_us < whole_us ? item_us : whole_us;
        perform_one(ctx, &req->items[i], &reply);
        pthread_mutex_lock(&j->bridge->lock);
        j->items[j->items_n++] = reply;
        pthread_mutex_unlock(&j->bridge->lock);
        if (reply.code != IA_WIRE_OK) {
            break;
        }
    }
    j->reply.u.batch.items = j->items;
    j->reply.u.batch.items_n = j->items_n;
    ia_bridge_batch_outcome(&j->reply, ia_wire_has_effect(&j->req));
}

void ia_bridge_perform(struct ia_bridge_job *j)
{
    struct ia_bridge_ctx ctx = {
        .bridge = j->bridge, .job = j, .call = {.deadline_us = j->deadline_us, .job = j}};
    if (j->req.op == IA_WIRE_OP_BATCH) {
        batch(&ctx);
    } else {
        perform_one(&ctx, &j->req, &j->reply);
    }
}
