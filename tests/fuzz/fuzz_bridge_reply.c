/* Bytes from a bridge into the client: whatever they are, every call ends with a result or with
 * an error that says why, and an effect is never sent twice.
 *
 * The first byte chooses operations; the rest is what the bridge sends, cut into one piece for
 * each connection at the bytes ff 00 ff. A piece that begins with 01 is taken up behind a good
 * hello and info, whose ids are right. */
#include "driver/bridge/impl.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CONNECTIONS_MAX = 12, PIECE_MAX = 60000 };

struct world {
    const uint8_t *p;
    size_t n;
    int connections;
    int ends[CONNECTIONS_MAX]; /* the bridge's ends of the pairs */
    const uint32_t *host_id;
};

static void must(bool ok)
{
    if (!ok) {
        abort();
    }
}

static void put_reply(struct ia_wire_buf *out, struct ia_wire_reply *r)
{
    ia_wire_reply_ok(r, false);
    must(ia_wire_put_reply(out, r, NULL));
}

/* A good hello, and a good info when it is the first connection. */
static void greet(struct world *w, struct ia_wire_buf *out)
{
    uint32_t id = (w->host_id ? *w->host_id : 0) + 1;
    struct ia_wire_reply hello = {
        .op = IA_WIRE_OP_HELLO, .id = id, .u.hello = {.version = 1, .ops = UINT64_MAX}};
    struct ia_wire_reply info = {.op = IA_WIRE_OP_INFO,
                                 .id = id + 1,
                                 .u.info = {.width_pt = 400, .height_pt = 800, .scale = 2}};
    put_reply(out, &hello);
    if (!w->host_id) {
        put_reply(out, &info);
    }
}

/* The next piece of the input. */
static struct ia_str next_piece(struct world *w)
{
    static const uint8_t mark[] = {0xff, 0x00, 0xff};
    const uint8_t *end = w->n > 0 ? memmem(w->p, w->n, mark, sizeof(mark)) : NULL;
    size_t n = end ? (size_t)(end - w->p) : w->n;
    struct ia_str piece = {(const char *)w->p, n < PIECE_MAX ? n : PIECE_MAX};
    size_t used = end ? n + sizeof(mark) : n;
    w->p += used;
    w->n -= used;
    return piece;
}

static enum ia_rc dial(void *ctx, const struct ia_bridge_client_place *place,
                       const struct ia_limit *limit, int *ret_fd, struct ia_err *err)
{
    struct world *w = ctx;
    struct ia_wire_buf out = {0};
    int pair[2];
    (void)place;
    (void)limit;
    if (w->connections == CONNECTIONS_MAX || w->n == 0) {
        return ia_err_set(err, IA_E_IO, "refused");
    }
    must(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    struct ia_str piece = next_piece(w);
    if (piece.n > 0 && piece.p[0] == 1) {
        greet(w, &out);
        piece.p++;
        piece.n--;
    }
    ia_wire_buf_put(&out, piece.p, piece.n);
    for (size_t at = 0; at < out.len;) {
        ssize_t n = write(pair[1], out.p + at, out.len - at);
        must(n > 0);
        at += (size_t)n;
    }
    must(shutdown(pair[1], SHUT_WR) == 0);
    w->ends[w->connections++] = pair[1];
    *ret_fd = pair[0];
    ia_wire_buf_fini(&out);
    return IA_OK;
}

static void check(enum ia_rc rc, const struct ia_err *err)
{
    must(rc == IA_OK || (err->code == rc && err->msg[0] != '\0'));
}

static void read_all(struct ia_device *d)
{
    struct ia_tree *t = NULL;
    struct ia_buf png = IA_BUF(1 << 20);
    struct ia_device_info info;
    struct ia_err err = {.code = IA_OK};
    enum ia_rc rc = ia_device_tree(d, NULL, &t, &err);
    check(rc, &err);
    must(rc != IA_OK || ia_tree_count(t) > 0);
    ia_tree_free(t);
    check(ia_device_screenshot(d, NULL, &png, &err), &err);
    check(ia_device_info(d, &info, &err), &err);
    ia_buf_fini(&png);
}

static void act_all(struct ia_device *d)
{
    struct ia_err err = {.code = IA_OK};
    struct ia_point at = {3, 4};
    check(ia_device_tap(d, NULL, at, &err), &err);
    check(ia_device_type_text(d, NULL, ia_str("x"), &err), &err);
    check(ia_device_launch(d, NULL, "a.b", &err), &err);
    check(ia_device_alert(d, NULL, IA_ALERT_BUTTON, "OK", &err), &err);
}

/* What the client sent over all connections: each effect at most once. */
static void count_effects(struct world *w)
{
    int counts[256] = {0};
    for (int i = 0; i < w->connections; i++) {
        struct ia_wire_reader in;
        struct ia_wire_frame f;
        ssize_t n = 1;
        ia_wire_reader_init(&in, IA_WIRE_REQUEST_MAX);
        while (n > 0) {
            size_t room = 0;
            uint8_t *to = ia_wire_reader_space(&in, &room);
            n = read(w->ends[i], to, room);
            ia_wire_reader_added(&in, n > 0 ? (size_t)n : 0);
            while (ia_wire_reader_next(&in, &f) == IA_WIRE_READ_FRAME) {
                counts[f.op]++;
            }
        }
        ia_wire_reader_fini(&in);
        close(w->ends[i]);
    }
    must(counts[IA_WIRE_OP_TAP_POINT] + counts[IA_WIRE_OP_TAP_COORD] <= 1);
    must(counts[IA_WIRE_OP_TYPE_TEXT] + counts[IA_WIRE_OP_CLASSIC_TYPE_TEXT] <= 1);
    must(counts[IA_WIRE_OP_LAUNCH] <= 1);
    must(counts[IA_WIRE_OP_ALERT_ACT] <= 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    struct world w = {.p = data + 1, .n = size - 1};
    struct ia_dialer dialer = {dial, &w};
    struct ia_bridge_client_options opt = {.place = {.address = "127.0.0.1", .port = 1}};
    struct ia_device *d = NULL;
    struct ia_err err = {.code = IA_OK};
    enum ia_rc rc = ia_bridge_client_open_with(&opt, &dialer, NULL, &d, &err);
    check(rc, &err);
    if (rc == IA_OK) {
        w.host_id = &ia_bridge_client_of(d)->last_id;
        if (data[0] & 1) {
            read_all(d);
        }
        if (data[0] & 2) {
            act_all(d);
        }
        if (data[0] & 4) {
            read_all(d);
        }
        ia_device_close(d);
    }
    count_effects(&w);
    return 0;
}
