/* perform.c: a job on the main thread, from its request to the primitives of the back end. */
#include "core/impl.h"

#include <stdlib.h>
#include <string.h>

int64_t ia_bridge_clock(const struct ia_bridge_doing *d)
{
    return ia_bridge_now_us() + d->rested_us;
}

int64_t ia_bridge_until(const struct ia_bridge_doing *d, uint32_t timeout_ms)
{
    int64_t until = d->start_us + timeout_ms * INT64_C(1000);
    return until < d->call.deadline_us ? until : d->call.deadline_us;
}

uint32_t ia_bridge_since_ms(const struct ia_bridge_doing *d)
{
    return (uint32_t)((ia_bridge_clock(d) - d->start_us) / 1000);
}

void ia_bridge_pass_on(struct ia_wire_reply *to, const struct ia_wire_reply *from)
{
    ia_wire_reply_fail(to, (enum ia_wire_code)from->code, (enum ia_wire_outcome)from->outcome,
                       false, "%s", from->text ? from->text : "");
    to->retry_safe = from->retry_safe;
}

bool ia_bridge_ended(struct ia_bridge_doing *d, struct ia_wire_reply *to,
                     enum ia_wire_outcome outcome)
{
    enum ia_bridge_why why = ia_bridge_why(d->job);
    if (why == IA_BRIDGE_GO_ON) {
        return false;
    }
    bool late = why == IA_BRIDGE_DEADLINE;
    ia_wire_reply_fail(to, late ? IA_WIRE_E_TIMEOUT : IA_WIRE_E_CANCELLED, outcome, false, "%s",
                       late                    ? "the deadline has passed"
                       : why == IA_BRIDGE_STOP ? "the bridge stops"
                                               : "cancelled");
    return true;
}

bool ia_bridge_rest(struct ia_bridge_doing *d, int64_t us, int64_t until_us)
{
    struct ia_bridge *b = d->bridge;
    int64_t wake_us = ia_bridge_now_us() + us;
    if (ia_bridge_why(d->job) != IA_BRIDGE_GO_ON || ia_bridge_clock(d) >= until_us) {
        return false;
    }
    if (b->ops.rest) {
        b->ops.rest(b->ops.ctx, us);
        d->rested_us += us;
        return true;
    }
    while (ia_bridge_why(d->job) == IA_BRIDGE_GO_ON && ia_bridge_now_us() < wake_us) {
        int64_t slice = ia_bridge_now_us() + b->opt.tick_ms * INT64_C(1000);
        if (b->ops.pump) {
            b->ops.pump(b->ops.ctx);
        }
        ia_bridge_poll(-1, b->wake[0], slice < wake_us ? slice : wake_us);
        ia_bridge_drain(b->wake[0]);
    }
    return ia_bridge_why(d->job) == IA_BRIDGE_GO_ON;
}

/* ---- primitives ---- */

/* Puts in the defaults of a request that the back end is not to know of. */
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

void ia_bridge_primitive(struct ia_bridge_doing *d, const struct ia_wire_request *req,
                         struct ia_wire_reply *reply)
{
    bool effect = ia_wire_has_effect(req);
    struct ia_bridge *b = d->bridge;
    struct ia_wire_request r = with_defaults(req);
    *reply = (struct ia_wire_reply){.op = req->op, .id = req->id, .code = IA_WIRE_E_INTERNAL};
    if (!(b->ops.can & IA_WIRE_BIT(req->op))) {
        ia_wire_reply_fail(reply, IA_WIRE_E_UNSUPPORTED,
                           effect ? IA_WIRE_NOT_SENT : IA_WIRE_NONE, false,
                           "this bridge cannot do that");
        return;
    }
    if (effect ? !ia_bridge_may_send(d->job) : ia_bridge_ended(d, reply, IA_WIRE_NONE)) {
        if (effect && !ia_bridge_ended(d, reply, IA_WIRE_NOT_SENT)) {
            ia_wire_reply_fail(reply, IA_WIRE_E_CANCELLED, IA_WIRE_NOT_SENT, false,
                               "nobody waits for it any more");
        }
        return;
    }
    b->ops.perform(b->ops.ctx, &r, &d->call, reply);
    if (reply->code == IA_WIRE_E_INTERNAL && !reply->text) {
        ia_wire_reply_fail(reply, IA_WIRE_E_INTERNAL, effect ? IA_WIRE_UNKNOWN : IA_WIRE_NONE,
                           false, "the operation said nothing");
    }
}

/* One try. */
static bool take_tree(struct ia_bridge_doing *d, struct ia_wire_reply *tree,
                      struct ia_wire_reply *to)
{
    struct ia_wire_request req = {.op = IA_WIRE_OP_TREE, .id = to->id};
    const struct ia_wire_op *op = ia_wire_op(to->op);
    req.u.tree.app = "";
    ia_bridge_primitive(d, &req, tree);
    d->looks++;
    if (tree->code == IA_WIRE_OK) {
        return true;
    }
    ia_bridge_pass_on(to, tree);
    to->outcome = op && op->effect ? IA_WIRE_NOT_SENT : IA_WIRE_NONE;
    ia_wire_reply_fini(tree);
    return false;
}

static bool may_pass(uint16_t code)
{
    return code == IA_WIRE_E_TREE_EMPTY || code == IA_WIRE_E_TREE_MALFORMED ||
           code == IA_WIRE_E_DEVICE;
}

bool ia_bridge_look(struct ia_bridge_doing *d, int64_t until_us, struct ia_wire_reply *tree,
                    struct ia_wire_reply *to)
{
    while (!take_tree(d, tree, to)) {
        if (!may_pass(to->code) ||
            !ia_bridge_rest(d, d->bridge->opt.poll_ms * INT64_C(1000), until_us)) {
            return false;
        }
        /* A failure has no body: nothing points into its memory but its text. */
        to->text = NULL;
        ia_wire_arena_fini(&to->arena);
    }
    return true;
}

/* ---- requests ---- */

/* What the decoder cannot know to be nonsense. */
static const char *nonsense(const struct ia_wire_request *req)
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
                   : "no button is named";
    case IA_WIRE_OP_PINCH:
        return req->u.pinch.scale > 0 ? NULL : "a scale must be above 0";
    case IA_WIRE_OP_LONG_PRESS_POINT:
        return req->u.long_press_point.duration_s >= 0 ? NULL : "a negative duration";
    default:
        return NULL;
    }
}

static void pinch(struct ia_bridge_doing *d, const struct ia_wire_request *req,
                  struct ia_wire_reply *reply)
{
    const struct ia_wire_target *t = &req->u.pinch.target;
    uint16_t path[IA_WIRE_DEPTH_MAX];
    struct ia_wire_reply tree = {0};
    int32_t at = IA_BRIDGE_NONE;
    if (!ia_bridge_target_sound(t, true, reply)) {
        return;
    }
    if (t->signature || t->selector) {
        if (!ia_bridge_look(d, d->start_us, &tree, reply)) {
            return;
        }
        enum ia_wire_code code = ia_bridge_resolve(ia_bridge_view(&tree), t, &at);
        if (code != IA_WIRE_OK) {
            ia_bridge_refuse(reply, t, code);
            ia_wire_reply_fini(&tree);
            return;
        }
        d->call.element = &tree.u.tree.nodes[at];
        d->call.path_n = ia_bridge_path(ia_bridge_view(&tree), at, path);
        d->call.path = path;
    }
    ia_bridge_primitive(d, req, reply);
    d->call.element = NULL;
    d->call.path = NULL;
    d->call.path_n = 0;
    ia_wire_reply_fini(&tree);
}

static void perform_one(struct ia_bridge_doing *d, const struct ia_wire_request *req,
                        struct ia_wire_reply *reply)
{
    const char *wrong = nonsense(req);
    *reply = (struct ia_wire_reply){.op = req->op, .id = req->id};
    d->start_us = ia_bridge_now_us();
    d->rested_us = 0;
    d->looks = 0;
    if (wrong) {
        ia_wire_reply_fail(reply, IA_WIRE_E_USAGE, IA_WIRE_NOT_SENT, false, "%s", wrong);
        return;
    }
    switch (req->op) {
    case IA_WIRE_OP_FIND:
        ia_bridge_find(d, req, reply);
        break;
    case IA_WIRE_OP_ACT:
        ia_bridge_act(d, req, reply);
        break;
    case IA_WIRE_OP_WAIT:
        ia_bridge_wait(d, req, reply);
        break;
    case IA_WIRE_OP_SET_TEXT:
        ia_bridge_set_text(d, req, reply);
        break;
    case IA_WIRE_OP_CLEAR:
        ia_bridge_clear(d, req, reply);
        break;
    case IA_WIRE_OP_TYPE_TEXT:
        ia_bridge_type(d, req->u.type_text.text, reply);
        break;
    case IA_WIRE_OP_PINCH:
        pinch(d, req, reply);
        break;
    default:
        ia_bridge_primitive(d, req, reply);
        break;
    }
}

/* ---- batches ---- */

/* From here on the connection may see the item. */
static void publish(struct ia_bridge_job *j, const struct ia_wire_reply *reply)
{
    pthread_mutex_lock(&j->bridge->lock);
    j->items[j->items_n++] = *reply;
    pthread_mutex_unlock(&j->bridge->lock);
}

void ia_bridge_sum_up(struct ia_wire_reply *to, bool effect)
{
    uint8_t outcome = effect ? IA_WIRE_NOT_SENT : IA_WIRE_NONE;
    for (uint32_t i = 0; i < to->u.batch.items_n; i++) {
        uint8_t one = to->u.batch.items[i].outcome;
        outcome = one > outcome ? one : outcome;
    }
    ia_wire_reply_ok(to, effect);
    to->outcome = outcome;
    to->retry_safe = outcome == IA_WIRE_NONE || outcome == IA_WIRE_NOT_SENT;
}

static void batch(struct ia_bridge_doing *d)
{
    struct ia_bridge_job *j = d->job;
    const struct ia_wire_batch *req = &j->req.u.batch;
    int64_t whole_us = d->call.deadline_us;
    j->items = calloc(req->items_n ? req->items_n : 1, sizeof(*j->items));
    if (!j->items) {
        ia_wire_reply_fail(&j->reply, IA_WIRE_E_MEMORY, IA_WIRE_NOT_SENT, false, "no memory");
        return;
    }
    for (uint32_t i = 0; i < req->items_n; i++) {
        struct ia_wire_reply reply;
        uint32_t ms = req->items[i].deadline_ms;
        int64_t own_us = ia_bridge_now_us() + ms * INT64_C(1000);
        d->call.deadline_us = ms && own_us < whole_us ? own_us : whole_us;
        perform_one(d, &req->items[i], &reply);
        publish(j, &reply);
        if (reply.code != IA_WIRE_OK) {
            break;
        }
    }
    j->reply.u.batch.items = j->items;
    j->reply.u.batch.items_n = j->items_n;
    ia_bridge_sum_up(&j->reply, ia_wire_has_effect(&j->req));
}

void ia_bridge_perform(struct ia_bridge_job *j)
{
    struct ia_bridge_doing d = {
        .bridge = j->bridge, .job = j, .call = {.deadline_us = j->deadline_us, .job = j}};
    if (j->req.op == IA_WIRE_OP_BATCH) {
        batch(&d);
    } else {
        perform_one(&d, &j->req, &j->reply);
    }
}
