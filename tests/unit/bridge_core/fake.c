/* fake.c: the fake back end, whose hooks let a test change the screen between two snapshots,
 * and the host. */
#include "fake.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#define BIT IA_WIRE_BIT
#define SCREEN ((struct ia_wire_rect){0, 0, 390, 844})

/* ---- the back end ---- */

static void maybe_hang(struct fake *f, uint8_t op, const struct ia_bridge_call *call)
{
    pthread_mutex_lock(&f->lock);
    bool hang = f->hang_at == op;
    f->hanging = hang;
    pthread_cond_broadcast(&f->changed);
    while (hang && !atomic_load(&f->release) &&
           !(f->stops_on_cancel && ia_bridge_cancelled(call))) {
        struct timespec ts;
        clock_gettime(CLOCK_REALTIME, &ts);
        ts.tv_nsec += 1000000;
        ts.tv_sec += ts.tv_nsec / 1000000000;
        ts.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&f->changed, &f->lock, &ts);
    }
    f->hanging = false;
    pthread_cond_broadcast(&f->changed);
    pthread_mutex_unlock(&f->lock);
}

static void do_tree(struct fake *f, const struct ia_wire_request *req,
                    struct ia_wire_reply *reply)
{
    struct ia_bridge_tree t;
    f->snapshots++;
    if (f->on_snapshot) {
        f->on_snapshot(f);
    }
    if (f->tree_code != IA_WIRE_OK) {
        ia_wire_reply_fail(reply, f->tree_code, IA_WIRE_NONE, false, "no tree today");
        return;
    }
    ia_bridge_tree_begin(&t, &req->u.tree, reply);
    uint32_t open = 0;
    for (uint32_t i = 0; i < f->n; i++) {
        while (open > f->nodes[i].depth) {
            ia_bridge_tree_leave(&t);
            open--;
        }
        assert_true(ia_bridge_tree_enter(&t, &f->nodes[i]));
        open++;
    }
    while (open-- > 0) {
        ia_bridge_tree_leave(&t);
    }
    ia_bridge_tree_end(&t, f->target);
}

static void do_type(struct fake *f, const char *text, struct ia_wire_reply *reply)
{
    if (f->type_failures > 0) {
        f->type_failures--;
        ia_wire_reply_fail(reply, IA_WIRE_E_NO_KEYBOARD, IA_WIRE_NOT_SENT, false,
                           "nothing has the keyboard");
        return;
    }
    f->chunks++;
    for (size_t n = strlen(f->field), i = 0; text[i]; i++) {
        if (text[i] != '\n' && !(f->drops_characters && i % 2)) {
            assert_true(n + 1 < sizeof(f->field));
            f->field[n++] = text[i];
            f->field[n] = 0;
        }
    }
    ia_wire_reply_ok(reply, true);
}

static void do_delete(struct fake *f, uint32_t count, struct ia_wire_reply *reply)
{
    size_t n = strlen(f->field);
    f->deletes++;
    for (; count > 0 && n > 0; count--) {
        do {
            n--;
        } while (n > 0 && ((unsigned char)f->field[n] & 0xc0) == 0x80);
    }
    f->field[n] = 0;
    ia_wire_reply_ok(reply, true);
}

static void do_tap(struct fake *f, const struct ia_wire_tap_point *t,
                   struct ia_wire_reply *reply)
{
    f->taps++;
    f->at = t->at;
    f->taps_of_last = t->taps;
    if (f->on_tap) {
        f->on_tap(f);
    }
    ia_wire_reply_ok(reply, true);
}

static void do_info(struct fake *f, struct ia_wire_reply *reply)
{
    static const char *const notes[] = {"quiescence cannot be switched off here"};
    reply->u.info = (struct ia_wire_info_reply){.kind = "fake",
                                                .name = "Fake",
                                                .os = "iOS 1.0",
                                                .udid = "U-1",
                                                .width_pt = 390,
                                                .height_pt = 844,
                                                .scale = 3,
                                                .orientation = IA_WIRE_PORTRAIT,
                                                .bundle_id = f->target,
                                                .app_name = "App",
                                                .app_version = "1.2",
                                                .app_build = "",
                                                .app_state = IA_WIRE_APP_FOREGROUND,
                                                .notes = notes,
                                                .notes_n = 1};
    ia_wire_reply_ok(reply, false);
}

static void do_more(struct fake *f, const struct ia_wire_request *req,
                    struct ia_wire_reply *reply)
{
    switch (req->op) {
    case IA_WIRE_OP_LONG_PRESS_POINT:
        f->presses++;
        f->at = req->u.long_press_point.at;
        f->press_s = req->u.long_press_point.duration_s;
        ia_wire_reply_ok(reply, true);
        break;
    case IA_WIRE_OP_DRAG:
        f->drags++;
        f->drag = req->u.drag;
        ia_wire_reply_ok(reply, true);
        break;
    case IA_WIRE_OP_TARGET:
        f->targets++;
        snprintf(f->target, sizeof(f->target), "%s", req->u.bundle.bundle_id);
        reply->u.state.state = IA_WIRE_APP_FOREGROUND;
        ia_wire_reply_ok(reply, true);
        break;
    case IA_WIRE_OP_SCREENSHOT:
        reply->u.screenshot =
            (struct ia_wire_screenshot_reply){.width_px = 1,
                                              .height_px = 1,
                                              .scale = 1,
                                              .png = (const uint8_t *)"\x89PNG",
                                              .png_n = 4};
        ia_wire_reply_ok(reply, false);
        break;
    default:
        ia_wire_reply_fail(reply, IA_WIRE_E_DEVICE, IA_WIRE_UNKNOWN, false, "NSException: x");
        break;
    }
}

static void perform(void *ctx, const struct ia_wire_request *req,
                    const struct ia_bridge_call *call, struct ia_wire_reply *reply)
{
    struct fake *f = ctx;
    maybe_hang(f, req->op, call);
    if (f->no_result) {
        return;
    }
    switch (req->op) {
    case IA_WIRE_OP_TREE:
        do_tree(f, req, reply);
        break;
    case IA_WIRE_OP_TAP_POINT:
        do_tap(f, &req->u.tap_point, reply);
        break;
    case IA_WIRE_OP_TYPE_TEXT:
        do_type(f, req->u.type_text.text, reply);
        break;
    case IA_WIRE_OP_DELETE_TEXT:
        do_delete(f, req->u.delete_text.count, reply);
        break;
    case IA_WIRE_OP_INFO:
        do_info(f, reply);
        break;
    default:
        do_more(f, req, reply);
        break;
    }
}

static void pump(void *ctx)
{
    ((struct fake *)ctx)->pumps++;
}

struct fake *fake_new(void)
{
    struct fake *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    pthread_mutex_init(&f->lock, NULL);
    pthread_cond_init(&f->changed, NULL);
    snprintf(f->target, sizeof(f->target), "com.apple.springboard");
    f->ops = (struct ia_bridge_ops){
        .ctx = f,
        .can = BIT(IA_WIRE_OP_TREE) | BIT(IA_WIRE_OP_TAP_POINT) | BIT(IA_WIRE_OP_INFO) |
               BIT(IA_WIRE_OP_LONG_PRESS_POINT) | BIT(IA_WIRE_OP_DRAG) |
               BIT(IA_WIRE_OP_TYPE_TEXT) | BIT(IA_WIRE_OP_DELETE_TEXT) |
               BIT(IA_WIRE_OP_TARGET) | BIT(IA_WIRE_OP_SCREENSHOT) | BIT(IA_WIRE_OP_OPEN_URL),
        .features = IA_WIRE_FEATURE_SIMULATED,
        .pump = pump,
        .perform = perform};
    f->opt = (struct ia_bridge_options){
        .server = "fake 1", .poll_ms = 1, .tick_ms = 1, .verify_ms = 100, .grace_ms = 20};
    fake_add(f, 0, 2, NULL, "App", SCREEN);
    return f;
}

struct ia_wire_node *fake_add(struct fake *f, uint16_t depth, uint16_t type, const char *id,
                              const char *label, struct ia_wire_rect frame)
{
    assert_true(f->n < FAKE_NODES);
    struct ia_wire_node *n = &f->nodes[f->n++];
    *n = (struct ia_wire_node){.depth = depth,
                               .type = type,
                               .flags = IA_WIRE_NODE_ENABLED,
                               .identifier = id,
                               .label = label,
                               .frame = frame};
    return n;
}

static void *run(void *arg)
{
    ia_bridge_run(((struct fake *)arg)->bridge);
    return NULL;
}

void fake_start(struct fake *f)
{
    struct ia_wire_fault fault = {0};
    if (!ia_bridge_open(&f->opt, &f->ops, &f->bridge, &fault)) {
        fail_msg("%s", fault.text);
    }
    assert_int_equal(pthread_create(&f->thread, NULL, run, f), 0);
    f->running = true;
}

void fake_free(struct fake *f)
{
    fake_release(f);
    if (f->running) {
        ia_bridge_stop(f->bridge);
        pthread_join(f->thread, NULL);
    }
    ia_bridge_close(f->bridge);
    pthread_cond_destroy(&f->changed);
    pthread_mutex_destroy(&f->lock);
    free(f);
}

void fake_await_hang(struct fake *f)
{
    pthread_mutex_lock(&f->lock);
    while (!f->hanging) {
        pthread_cond_wait(&f->changed, &f->lock);
    }
    pthread_mutex_unlock(&f->lock);
}

void fake_release(struct fake *f)
{
    atomic_store(&f->release, true);
    pthread_mutex_lock(&f->lock);
    pthread_cond_broadcast(&f->changed);
    pthread_mutex_unlock(&f->lock);
}

/* ---- the host ---- */

void host_open(struct host *h, const struct fake *f)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons(ia_bridge_port(f->bridge))};
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    *h = (struct host){.fd = socket(AF_INET, SOCK_STREAM, 0)};
    assert_int_equal(connect(h->fd, (struct sockaddr *)&at, sizeof(at)), 0);
    ia_wire_reader_init(&h->reader, IA_WIRE_REPLY_MAX);
}

void host_close(struct host *h)
{
    close(h->fd);
    ia_wire_reader_fini(&h->reader);
}

void host_send(struct host *h, const void *bytes, size_t n)
{
    const char *p = bytes;
    while (n > 0) {
        ssize_t put = send(h->fd, p, n, MSG_NOSIGNAL);
        assert_true(put > 0);
        p += put;
        n -= (size_t)put;
    }
}

static size_t hex_bytes(const char *hex, uint8_t *out, size_t size)
{
    size_t n = 0;
    for (; hex[0] && hex[1]; hex += 2) {
        unsigned v = 0;
        assert_int_equal(sscanf(hex, "%2x", &v), 1);
        assert_true(n < size);
        out[n++] = (uint8_t)v;
    }
    return n;
}

void host_send_hex(struct host *h, const char *hex)
{
    uint8_t bytes[512];
    host_send(h, bytes, hex_bytes(hex, bytes, sizeof(bytes)));
}

bool host_next(struct host *h)
{
    while (ia_wire_reader_next(&h->reader, &h->frame) != IA_WIRE_READ_FRAME) {
        size_t room;
        uint8_t *to = ia_wire_reader_space(&h->reader, &room);
        ssize_t n = recv(h->fd, to, room, 0);
        if (n <= 0) {
            return false;
        }
        ia_wire_reader_added(&h->reader, (size_t)n);
    }
    return true;
}

void host_expect_hex(struct host *h, const char *hex)
{
    uint8_t want[512];
    size_t n = hex_bytes(hex, want, sizeof(want));
    assert_true(host_next(h));
    assert_int_equal(h->frame.op, want[4]);
    assert_int_equal(h->frame.n, n - 5);
    assert_memory_equal(h->frame.p, want + 5, n - 5);
}

void host_expect_closed(struct host *h)
{
    assert_false(host_next(h));
}

void host_send_request(struct host *h, const struct ia_wire_request *r)
{
    struct ia_wire_buf out = {0};
    struct ia_wire_fault fault = {0};
    if (!ia_wire_put_request(&out, r, &fault)) {
        fail_msg("%s", fault.text);
    }
    host_send(h, out.p, out.len);
    ia_wire_buf_fini(&out);
}

void host_reply(struct host *h, struct ia_wire_reply *ret)
{
    struct ia_wire_fault fault = {0};
    assert_true(host_next(h));
    if (!ia_wire_get_reply(&h->frame, ret, &fault)) {
        fail_msg("%s", fault.text);
    }
}

void host_do(struct host *h, const struct ia_wire_request *r, struct ia_wire_reply *ret)
{
    host_send_request(h, r);
    host_reply(h, ret);
    assert_int_equal(ret->id, r->id);
    assert_int_equal(ret->op, r->op);
}

void host_expect(struct host *h, const struct ia_wire_request *r, enum ia_wire_code code,
                 enum ia_wire_outcome outcome)
{
    struct ia_wire_reply reply;
    host_do(h, r, &reply);
    if (reply.code != code || reply.outcome != outcome) {
        fail_msg("%s: %s, outcome %u: %s", ia_wire_op_name(r->op),
                 ia_wire_code_name(reply.code), reply.outcome, reply.text);
    }
    ia_wire_reply_fini(&reply);
}

void host_classic(struct host *h, const struct ia_wire_request *r, struct ia_wire_answer *ret)
{
    host_send_request(h, r);
    assert_true(host_next(h));
    assert_true(ia_wire_get_answer(&h->frame, ret, NULL));
}

void host_health(struct host *h, struct ia_wire_health_reply *ret)
{
    struct ia_wire_request r = {.op = IA_WIRE_OP_HEALTH, .id = 4000};
    struct ia_wire_reply reply;
    host_do(h, &r, &reply);
    assert_int_equal(reply.code, IA_WIRE_OK);
    *ret = reply.u.health;
    ia_wire_reply_fini(&reply);
}

void host_hello(struct host *h, const char *token, struct ia_wire_reply *ret)
{
    struct ia_wire_request r = {.op = IA_WIRE_OP_HELLO,
                                .id = 4001,
                                .u.hello = {.version = IA_WIRE_VERSION,
                                            .version_min = IA_WIRE_VERSION_MIN,
                                            .token = token,
                                            .client = "test"}};
    host_do(h, &r, ret);
}
