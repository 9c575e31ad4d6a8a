/* served.c: runs ia_serve in a thread until it is stopped, and exchanges frames over a plain
 * socket. */
#include "served.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

static void *serve_main(void *arg)
{
    ia_serve_run(arg);
    return NULL;
}

static struct served start(struct ia_serve_options opt)
{
    struct served s = {.cancel = ia_cancel_new(NULL)};
    struct ia_err err = {0};
    opt.server = "test";
    opt.cancel = s.cancel;
    if (ia_serve_open(&opt, &s.serve, &err) != IA_OK) {
        fail_msg("%s", err.msg);
    }
    s.port = ia_serve_port(s.serve);
    assert_int_equal(pthread_create(&s.thread, NULL, serve_main, s.serve), 0);
    return s;
}

struct served served_start(const char *query, const char *token)
{
    return start(
        (struct ia_serve_options){.phone = {.name = "test", .query = query}, .token = token});
}

struct served served_start_in(const char *folder, const char *name, const char *query)
{
    return start(
        (struct ia_serve_options){.phone = {.folder = folder, .name = name, .query = query}});
}

void served_stop(struct served *s)
{
    ia_cancel_fire(s->cancel);
    pthread_join(s->thread, NULL);
}

void served_end(struct served *s)
{
    ia_serve_close(s->serve);
    ia_cancel_free(s->cancel);
}

struct client client_open(int port)
{
    struct client c = {.fd = socket(AF_INET, SOCK_STREAM, 0)};
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    assert_int_equal(connect(c.fd, (struct sockaddr *)&to, sizeof(to)), 0);
    ia_wire_reader_init(&c.reader, IA_WIRE_REPLY_MAX);
    return c;
}

void client_close(struct client *c)
{
    close(c->fd);
    ia_wire_reader_fini(&c->reader);
}

void client_send(struct client *c, struct ia_wire_request *req)
{
    struct ia_wire_buf out = {0};
    struct ia_wire_fault fault;
    req->id = ++c->id;
    if (!ia_wire_put_request(&out, req, &fault)) {
        fail_msg("%s", fault.text);
    }
    for (size_t at = 0; at < out.len;) {
        ssize_t n = send(c->fd, out.p + at, out.len - at, 0);
        assert_true(n > 0);
        at += (size_t)n;
    }
    ia_wire_buf_fini(&out);
}

struct ia_wire_reply client_recv(struct client *c)
{
    struct ia_wire_frame f;
    struct ia_wire_reply reply;
    struct ia_wire_fault fault;
    while (ia_wire_reader_next(&c->reader, &f) != IA_WIRE_READ_FRAME) {
        size_t room;
        uint8_t *to = ia_wire_reader_space(&c->reader, &room);
        ssize_t n = recv(c->fd, to, room, 0);
        assert_true(n > 0);
        ia_wire_reader_added(&c->reader, (size_t)n);
    }
    if (!ia_wire_get_reply(&f, &reply, &fault)) {
        fail_msg("%s", fault.text);
    }
    return reply;
}

struct ia_wire_reply client_ask(struct client *c, struct ia_wire_request req)
{
    client_send(c, &req);
    struct ia_wire_reply reply = client_recv(c);
    assert_int_equal(reply.id, req.id);
    assert_int_equal(reply.op, req.op);
    return reply;
}

struct ia_wire_reply client_hello(struct client *c, const char *token)
{
    return client_ask(c, (struct ia_wire_request){.op = IA_WIRE_OP_HELLO,
                                                  .u.hello = {.version = IA_WIRE_VERSION,
                                                              .version_min = IA_WIRE_VERSION,
                                                              .token = token,
                                                              .client = "test"}});
}

void client_expect(struct client *c, enum ia_wire_code code, enum ia_wire_outcome outcome,
                   struct ia_wire_request req, const char *file, int line)
{
    struct ia_wire_reply reply = client_ask(c, req);
    if (reply.code != code || reply.outcome != outcome) {
        print_error("%s:%d: %s answered %s, outcome %u: %s\n", file, line,
                    ia_wire_op_name(req.op), ia_wire_code_name(reply.code), reply.outcome,
                    reply.text);
        fail();
    }
    ia_wire_reply_fini(&reply);
}

static bool named(const struct ia_wire_node *n, const char *name)
{
    return (n->identifier && strcmp(n->identifier, name) == 0) ||
           (n->label && strcmp(n->label, name) == 0);
}

struct ia_wire_point client_find(struct client *c, const char *name)
{
    struct ia_wire_reply tree =
        client_ask(c, (struct ia_wire_request){.op = IA_WIRE_OP_TREE, .u.tree = {.app = ""}});
    assert_int_equal(tree.code, IA_WIRE_OK);
    struct ia_wire_point at = {-1, -1};
    for (uint32_t i = 0; i < tree.u.tree.nodes_n; i++) {
        const struct ia_wire_node *n = &tree.u.tree.nodes[i];
        if (named(n, name)) {
            at = (struct ia_wire_point){n->frame.x + n->frame.w / 2,
                                        n->frame.y + n->frame.h / 2};
        }
    }
    ia_wire_reply_fini(&tree);
    if (at.x < 0) {
        fail_msg("nothing on the screen is named %s", name);
    }
    return at;
}

void client_tap(struct client *c, const char *name)
{
    struct ia_wire_point at = client_find(c, name);
    ask_for(c, IA_WIRE_OK, IA_WIRE_SENT, .op = IA_WIRE_OP_TAP_POINT, .u.tap_point = {.at = at});
}

struct pair pair_open(const char *query)
{
    struct pair p = {.s = served_start(query, NULL)};
    p.c = client_open(p.s.port);
    return p;
}

void pair_close(struct pair *p)
{
    client_close(&p->c);
    served_stop(&p->s);
    served_end(&p->s);
}

void launch(struct pair *p, const char *app)
{
    ask_for(&p->c, IA_WIRE_OK, IA_WIRE_SENT, .op = IA_WIRE_OP_LAUNCH,
            .u.launch = {.bundle_id = app});
}
