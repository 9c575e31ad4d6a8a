/* fake_bridge.c: a thread that accepts one connection at a time and answers by its script. */
#include "test.h"

#include "fake_bridge.h"

#include "base/buf.h"
#include "base/fd.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

struct fake_bridge {
    struct fake_script script; /* guarded by lock, as all that follows */
    pthread_mutex_t lock;
    int struck; /* how often the script was followed */
    int counts[256];
    int connections;
    struct ia_wire_request last[256];
    bool has_last[256];
    struct ia_buf order;
    int listener; /* the thread's */
    int stop[2];
    uint16_t port;
    pthread_t thread;
    bool joined;
};

static const uint8_t png[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n', 0, 0, 0, 13,
                              'I',  'H', 'D', 'R', 0,    0,    3,    0,    0, 0, 6, 0};
static const char classic_tree[] =
    "[{\"type\":\"Application\",\"AXLabel\":\"App\",\"frame\":{\"x\":0,\"y\":0,\"width\":384,"
    "\"height\":800},\"children\":[{\"type\":\"Button\",\"AXUniqueId\":\"ok\",\"AXLabel\":"
    "\"OK\",\"frame\":{\"x\":10,\"y\":20,\"width\":80,\"height\":40},\"children\":[]}]}]";

/* cmocka's assertions are for the test's own thread. */
static void must(bool ok)
{
    if (!ok) {
        abort();
    }
}

/* ---- the script -------------------------------------------------------------------------- */

static struct fake_script script_of(struct fake_bridge *a)
{
    pthread_mutex_lock(&a->lock);
    struct fake_script s = a->script;
    pthread_mutex_unlock(&a->lock);
    return s;
}

/* Whether the script is followed for this request. */
static bool strikes(struct fake_bridge *a, uint8_t op, struct fake_script *ret)
{
    pthread_mutex_lock(&a->lock);
    *ret = a->script;
    bool now = ret->op == op && ret->does != FAKE_ANSWERS &&
               (ret->times == 0 || a->struck < ret->times);
    a->struck += now;
    pthread_mutex_unlock(&a->lock);
    return now;
}

static void keep(struct fake_bridge *a, const struct ia_wire_frame *f)
{
    pthread_mutex_lock(&a->lock);
    a->counts[f->op]++;
    ia_buf_printf(&a->order, "%s%02x", a->order.len > 0 ? " " : "", f->op);
    if (a->has_last[f->op]) {
        ia_wire_request_fini(&a->last[f->op]);
    }
    a->has_last[f->op] = ia_wire_get_request(f, &a->last[f->op], NULL);
    pthread_mutex_unlock(&a->lock);
}

/* ---- good answers ------------------------------------------------------------------------ */

static void body_hello(const struct fake_script *s, struct ia_wire_reply *r)
{
    r->u.hello = (struct ia_wire_hello_reply){.version = 1,
                                              .session = 7,
                                              .ops = UINT64_MAX & ~s->without,
                                              .features = s->features,
                                              .server = "agent 1.0",
                                              .udid = s->udid ? s->udid : "UDID-1"};
}

static void body_tree(const struct fake_script *s, struct ia_wire_reply *r)
{
    static const struct ia_wire_node nodes[] = {
        {.depth = 0, .type = 2, .flags = 1, .frame = {0, 0, 384, 800}, .label = "App"},
        {.depth = 1, .type = 4, .flags = 1, .frame = {0, 0, 384, 800}},
        {.depth = 2,
         .type = 9,
         .flags = 3,
         .frame = {10, 20, 80, 40},
         .identifier = "ok",
         .label = "OK",
         .value = "v",
         .placeholder = "p"},
        {.depth = 1, .type = 999, .flags = 0x7ff, .frame = {0, 700, 384, 100}}};
    r->u.tree = (struct ia_wire_tree_reply){
        .app = "com.example.app", .cut = s->cut, .visited = 4, .nodes = nodes, .nodes_n = 4};
}

static void body_info(const struct fake_script *s, struct ia_wire_reply *r)
{
    r->u.info = (struct ia_wire_info_reply){.kind = "xcuitest",
                                            .name = "iPhone 17",
                                            .os = "iOS 26.2",
                                            .udid = s->udid ? s->udid : "UDID-1",
                                            .width_pt = 384,
                                            .height_pt = 800,
                                            .scale = 2,
                                            .orientation = 1};
}

static void body(const struct fake_script *s, struct ia_wire_reply *r)
{
    switch (r->op) {
    case IA_WIRE_OP_HELLO:
        body_hello(s, r);
        break;
    case IA_WIRE_OP_TREE:
        body_tree(s, r);
        break;
    case IA_WIRE_OP_INFO:
        body_info(s, r);
        break;
    case IA_WIRE_OP_STATE:
        r->u.state.state = s->app_state ? s->app_state : IA_WIRE_APP_FOREGROUND;
        break;
    case IA_WIRE_OP_SCREENSHOT:
        r->u.screenshot = (struct ia_wire_screenshot_reply){
            .width_px = 768, .height_px = 1600, .scale = 2, .png = png, .png_n = sizeof(png)};
        break;
    case IA_WIRE_OP_NATIVE:
        r->u.native.answer = s->json ? s->json : "{\"event\":{}}";
        break;
    case IA_WIRE_OP_HEALTH:
        r->u.health.busy = s->busy_ms > 0;
        r->u.health.op = IA_WIRE_OP_TREE;
        r->u.health.busy_ms = s->busy_ms;
        break;
    default:
        break;
    }
}

static void extension(const struct fake_script *s, const struct ia_wire_request *req,
                      struct ia_wire_buf *out)
{
    struct ia_wire_reply r = {.op = req->op, .id = req->id};
    if (req->op == IA_WIRE_OP_HELLO && s->token && strcmp(req->u.hello.token, s->token) != 0) {
        ia_wire_reply_fail(&r, IA_WIRE_E_AUTH, IA_WIRE_NONE, false, "not the token");
    } else if (req->op == IA_WIRE_OP_HELLO && s->hello == FAKE_HELLO_VERSION) {
        ia_wire_reply_fail(&r, IA_WIRE_E_VERSION, IA_WIRE_NONE, false, "only version 9");
    } else {
        body(s, &r);
        ia_wire_reply_ok(&r, ia_wire_has_effect(req));
    }
    must(ia_wire_put_reply(out, &r, NULL));
    ia_wire_reply_fini(&r);
}

static void classic(const struct fake_script *s, uint8_t op, struct ia_wire_buf *out)
{
    struct ia_wire_answer a = {.kind = IA_WIRE_ANSWER_OK};
    switch (op) {
    case IA_WIRE_OP_DUMP_TREE:
        a.kind = IA_WIRE_ANSWER_TREE;
        a.text = s->json ? s->json : classic_tree;
        break;
    case IA_WIRE_OP_CLASSIC_SCREENSHOT:
        a = (struct ia_wire_answer){
            .kind = IA_WIRE_ANSWER_SCREENSHOT, .png = png, .png_n = sizeof(png)};
        break;
    case IA_WIRE_OP_DEVICE_UDID:
        a = (struct ia_wire_answer){.kind = IA_WIRE_ANSWER_VALUE,
                                    .text = s->udid ? s->udid : "UDID-1"};
        break;
    case IA_WIRE_OP_GET_TARGET_INFO:
        a = (struct ia_wire_answer){.kind = IA_WIRE_ANSWER_TARGET_INFO,
                                    .text = s->app_state == IA_WIRE_APP_NOT_RUNNING
                                                ? "{\"state\":\"not_running\"}"
                                                : "{\"state\":\"running_foreground\"}"};
        break;
    default:
        break;
    }
    must(ia_wire_put_answer(out, &a, NULL));
}

static void good(const struct fake_script *s, const struct ia_wire_frame *f,
                 struct ia_wire_buf *out)
{
    struct ia_wire_request req;
    must(ia_wire_get_request(f, &req, NULL));
    if (f->op >= IA_WIRE_OP_HELLO) {
        extension(s, &req, out);
    } else {
        classic(s, f->op, out);
    }
    ia_wire_request_fini(&req);
}

/* ---- other answers ----------------------------------------------------------------------- */

enum { ID_AT = 5 };

static void failure(const struct fake_script *s, const struct ia_wire_frame *f,
                    struct ia_wire_buf *out)
{
    const char *text = s->text ? s->text : "it did not work";
    if (f->op < IA_WIRE_OP_HELLO) {
        struct ia_wire_answer a = {.kind = IA_WIRE_ANSWER_ERROR, .text = text};
        must(ia_wire_put_answer(out, &a, NULL));
        return;
    }
    struct ia_wire_request req;
    must(ia_wire_get_request(f, &req, NULL));
    struct ia_wire_reply r = {.op = req.op, .id = req.id};
    ia_wire_reply_fail(&r, IA_WIRE_E_DEVICE, s->outcome, false, "%s", text);
    r.code = s->code;
    must(ia_wire_put_reply(out, &r, NULL));
    ia_wire_reply_fini(&r);
    ia_wire_request_fini(&req);
}

static void wrong_op(const struct ia_wire_frame *f, struct ia_wire_buf *out)
{
    struct ia_wire_request req;
    must(ia_wire_get_request(f, &req, NULL));
    struct ia_wire_reply r = {.op = req.op == IA_WIRE_OP_RESET ? IA_WIRE_OP_OPEN_URL
                                                               : IA_WIRE_OP_RESET,
                              .id = req.id};
    ia_wire_reply_ok(&r, true);
    must(ia_wire_put_reply(out, &r, NULL));
    ia_wire_request_fini(&req);
}

/* Fills out with what is sent; true: the connection goes on after it. */
static bool other(const struct fake_script *s, const struct ia_wire_frame *f,
                  struct ia_wire_buf *out)
{
    static const uint8_t garbage[] = {6, 0, 0, 0, 0xc0, 1, 2, 3, 4, 5};
    static const uint8_t noise[] = "HTTP/1.1 400 Bad Request\r\n\r\n";
    static const uint8_t too_long[] = {0xff, 0xff, 0xff, 0x7f, 0xc0};
    good(s, f, out);
    switch (s->does) {
    case FAKE_CUTS_ANSWER:
        out->len /= 2;
        return false;
    case FAKE_HALF:
        out->len /= 2;
        return true;
    case FAKE_SAYS_NOTHING:
    case FAKE_RESETS:
        out->len = 0;
        return false;
    case FAKE_HANGS:
        out->len = 0;
        return true;
    case FAKE_WRONG_ID:
        out->p[ID_AT] ^= 0x55;
        return true;
    case FAKE_TWICE:
        good(s, f, out);
        return true;
    case FAKE_CLOSES_AFTER:
        return false;
    default:
        break;
    }
    out->len = 0;
    switch (s->does) {
    case FAKE_GARBAGE:
        ia_wire_buf_put(out, garbage, sizeof(garbage));
        return true;
    case FAKE_NOISE:
        ia_wire_buf_put(out, noise, sizeof(noise) - 1);
        return false;
    case FAKE_TOO_LONG:
        ia_wire_buf_put(out, too_long, sizeof(too_long));
        return true;
    case FAKE_WRONG_OP:
        wrong_op(f, out);
        return true;
    case FAKE_FAILS:
        failure(s, f, out);
        return true;
    default:
        return true;
    }
}

/* ---- the stream -------------------------------------------------------------------------- */

/* Waits until fd is readable; false when the bridge is to end. */
static bool readable(struct fake_bridge *a, int fd)
{
    struct pollfd fds[] = {{.fd = fd, .events = POLLIN}, {.fd = a->stop[0], .events = POLLIN}};
    while (poll(fds, 2, -1) < 0 && errno == EINTR) {
    }
    return fds[0].revents != 0 && fds[1].revents == 0;
}

static void send_all(int fd, const struct ia_wire_buf *out)
{
    for (size_t at = 0; at < out->len;) {
        ssize_t n = send(fd, out->p + at, out->len - at, MSG_NOSIGNAL);
        if (n <= 0) {
            return;
        }
        at += (size_t)n;
    }
}

static void no_listener(struct fake_bridge *a)
{
    if (a->listener >= 0) {
        close(a->listener);
        a->listener = -1;
    }
}

/* The hello of an agent that does not know it; true when the connection goes on. */
static bool plain_hello(enum fake_hello how, struct ia_wire_buf *out)
{
    static const char text[] = "decode error: invalid opcode: 0x40";
    static const uint8_t garbage[] = {3, 0, 0, 0, 0x77, 1, 2};
    struct ia_wire_answer a = {.kind = IA_WIRE_ANSWER_ERROR, .text = text};
    switch (how) {
    case FAKE_HELLO_UNKNOWN:
        return ia_wire_put_answer(out, &a, NULL);
    case FAKE_HELLO_BARE: {
        uint8_t head[] = {5 + sizeof(text) - 1, 0, 0, 0, 0x99, sizeof(text) - 1, 0, 0, 0};
        ia_wire_buf_put(out, head, sizeof(head));
        ia_wire_buf_put(out, text, sizeof(text) - 1);
        return true;
    }
    case FAKE_HELLO_GARBAGE:
        ia_wire_buf_put(out, garbage, sizeof(garbage));
        return true;
    default:
        return how == FAKE_HELLO_SILENT;
    }
}

/* One request; true: the connection goes on. */
static bool serve(struct fake_bridge *a, int fd, const struct ia_wire_frame *f)
{
    struct ia_wire_buf out = {0};
    struct fake_script s;
    bool struck = strikes(a, f->op, &s);
    bool on = true;
    keep(a, f);
    if (struck && s.cancel) {
        ia_cancel_fire(s.cancel);
    }
    bool plain = f->op == IA_WIRE_OP_HELLO && s.hello != FAKE_HELLO_GOOD &&
                 s.hello != FAKE_HELLO_VERSION;
    if (plain) {
        on = plain_hello(s.hello, &out);
    } else if (struck && on) {
        on = other(&s, f, &out);
    } else if (!struck) {
        good(&s, f, &out);
    }
    if (struck && s.away) {
        no_listener(a); /* before anybody can know that something is wrong */
    }
    send_all(fd, &out);
    ia_wire_buf_fini(&out);
    if (struck && s.does == FAKE_RESETS) {
        struct linger now = {.l_onoff = 1};
        (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    }
    return on;
}

/* Whether the next request is one to be cut: its first bytes were seen,
 * the rest stays unread. */
static bool cuts_request(struct fake_bridge *a, int fd)
{
    uint8_t head[5];
    struct fake_script s = script_of(a);
    if (s.does != FAKE_CUTS_REQUEST ||
        recv(fd, head, sizeof(head), MSG_PEEK | MSG_WAITALL) < (ssize_t)sizeof(head) ||
        !strikes(a, head[4], &s)) {
        return false;
    }
    if (s.away) {
        no_listener(a);
    }
    return true;
}

static void serve_connection(struct fake_bridge *a, int fd)
{
    struct ia_wire_reader in;
    struct ia_wire_frame f;
    bool on = true;
    ia_wire_reader_init(&in, IA_WIRE_REQUEST_MAX);
    while (on) {
        size_t room = 0;
        enum ia_wire_read got = ia_wire_reader_next(&in, &f);
        if (got == IA_WIRE_READ_FRAME) {
            on = serve(a, fd, &f);
            continue;
        }
        uint8_t *to = ia_wire_reader_space(&in, &room);
        bool more = readable(a, fd) && (ia_wire_reader_midway(&in) || !cuts_request(a, fd));
        ssize_t n = more ? recv(fd, to, room, 0) : 0;
        on = n > 0;
        ia_wire_reader_added(&in, n > 0 ? (size_t)n : 0);
    }
    ia_wire_reader_fini(&in);
}

static void *run(void *arg)
{
    struct fake_bridge *a = arg;
    while (a->listener >= 0 && readable(a, a->listener)) {
        int fd = accept(a->listener, NULL, NULL);
        if (fd < 0) {
            continue;
        }
        pthread_mutex_lock(&a->lock);
        a->connections++;
        pthread_mutex_unlock(&a->lock);
        serve_connection(a, fd);
        close(fd);
    }
    no_listener(a);
    return NULL;
}

/* ---- from outside ------------------------------------------------------------------------ */

struct fake_bridge *fake_start(const struct fake_script *script)
{
    struct fake_bridge *a = ia_calloc(1, sizeof(*a));
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof(at);
    a->script = *script;
    a->order = IA_BUF(1 << 20);
    assert_int_equal(pthread_mutex_init(&a->lock, NULL), 0);
    assert_int_equal(ia_pipe(a->stop, NULL), IA_OK);
    a->listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(a->listener >= 0);
    assert_int_equal(bind(a->listener, (struct sockaddr *)&at, n), 0);
    assert_int_equal(listen(a->listener, 16), 0);
    assert_int_equal(getsockname(a->listener, (struct sockaddr *)&at, &n), 0);
    a->port = ntohs(at.sin_port);
    assert_int_equal(pthread_create(&a->thread, NULL, run, a), 0);
    return a;
}

void fake_stop(struct fake_bridge *a)
{
    if (!a->joined) {
        assert_int_equal(write(a->stop[1], "x", 1), 1);
        assert_int_equal(pthread_join(a->thread, NULL), 0);
        a->joined = true;
    }
}

void fake_free(struct fake_bridge *a)
{
    fake_stop(a);
    for (size_t i = 0; i < IA_COUNTOF(a->last); i++) {
        if (a->has_last[i]) {
            ia_wire_request_fini(&a->last[i]);
        }
    }
    close(a->stop[0]);
    close(a->stop[1]);
    ia_buf_fini(&a->order);
    pthread_mutex_destroy(&a->lock);
    free(a);
}

uint16_t fake_port(const struct fake_bridge *a)
{
    return a->port;
}

void fake_script(struct fake_bridge *a, const struct fake_script *script)
{
    pthread_mutex_lock(&a->lock);
    a->script = *script;
    a->struck = 0;
    pthread_mutex_unlock(&a->lock);
}

int fake_count(struct fake_bridge *a, uint8_t op)
{
    pthread_mutex_lock(&a->lock);
    int n = a->counts[op];
    pthread_mutex_unlock(&a->lock);
    return n;
}

int fake_connections(struct fake_bridge *a)
{
    pthread_mutex_lock(&a->lock);
    int n = a->connections;
    pthread_mutex_unlock(&a->lock);
    return n;
}

const struct ia_wire_request *fake_request(struct fake_bridge *a, uint8_t op)
{
    return a->has_last[op] ? &a->last[op] : NULL;
}

const char *fake_order(struct fake_bridge *a)
{
    return ia_buf_cstr(&a->order);
}
