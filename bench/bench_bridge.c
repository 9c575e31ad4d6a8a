/* What the wire of the bridge costs: round trips over loopback against the embedded phone, a
 * back end with trees of exactly 100 and 2,000 nodes, and any other bridge.
 *
 *   bench_bridge                            both of these, served in threads of this process
 *   bench_bridge PORT APP [NAME=VALUE...]   the bridge that listens there, with the app
 * launched in that environment
 *
 * Times are by the clock, medians and the 99th percentile. Fails when a tap through server and
 * client takes more than 1 ms over the same tap on the phone itself, or a tree of 2,000 nodes
 * more than 20 ms from the request to the text that a model sees. */
#include "rounds.h"

#include "core/core.h"
#include "driver/bridge/bridge.h"
#include "driver/embedded/serve/serve.h"
#include "driver/session/session.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { BIG = 2000, SMALL = 100, ROW = 5 };
#define TAP_LIMIT_US 1000.0
#define TREE_LIMIT_US 20000.0
#define CONTACTS "com.apple.MobileAddressBook"

/* ---- what is measured -------------------------------------------------------------------- */

static void heartbeat(struct ia_device *d)
{
    struct ia_wire_request req = {.op = IA_WIRE_OP_HEARTBEAT};
    struct ia_wire_answer answer;
    struct ia_err err = {0};
    check(ia_bridge_client_classic(ia_bridge_client_of(d), &no_limit, &req, &answer, &err),
          &err);
    ia_wire_answer_fini(&answer);
}

/* A tap as the agent makes it: looks before and after, and what changed. */
static struct ia_session *session_of; /* of the device that is tapped */
static void settled(struct ia_device *d)
{
    const struct ia_snapshot *s = NULL;
    struct ia_err err = {0};
    (void)d;
    check(ia_session_snapshot(session_of, &no_limit, &s, &err), &err);
}

/* ---- servers ----------------------------------------------------------------------------- */

static struct ia_device *connect_to(int port, const char *token)
{
    struct ia_bridge_client_options opt = {
        .place = {.address = "127.0.0.1", .port = (uint16_t)port}};
    struct ia_device *d = NULL;
    struct ia_err err = {0};
    (void)snprintf(opt.place.token, sizeof(opt.place.token), "%s", token);
    if (ia_bridge_client_open(&opt, NULL, &d, &err) != IA_OK) {
        die("no bridge", err.msg);
    }
    return d;
}

static void *serve_main(void *serve)
{
    ia_serve_run(serve);
    return NULL;
}

/* Nodes as a list has them: rows of a cell with a text and a button in it. */
static void perform_list(void *ctx, const struct ia_wire_request *req,
                         const struct ia_bridge_call *deadline, struct ia_wire_reply *reply)
{
    (void)deadline;
    struct ia_bridge_tree t;
    int count = *(const int *)ctx;
    if (req->op == IA_WIRE_OP_INFO) {
        reply->u.info = (struct ia_wire_info_reply){
            .kind = "bench", .width_pt = 393, .height_pt = 852, .scale = 3};
        ia_wire_reply_ok(reply, false);
        return;
    }
    ia_bridge_tree_begin(&t, &req->u.tree, reply);
    struct ia_wire_node root = {.type = 2, .flags = 1, .frame = {0, 0, 393, 852}, .label = "A"};
    (void)ia_bridge_tree_enter(&t, &root);
    for (int i = 0; i + 1 < count; i++) {
        char label[64];
        int row = i / ROW;
        double y = row * 44.0;
        struct ia_wire_node n = {.type = IA_EL_CELL, .flags = 1, .frame = {0, y, 393, 44}};
        (void)snprintf(label, sizeof(label), "Row %d, which has a label of some length", i);
        n.label = label;
        if (i % ROW > 0) {
            n.type = i % ROW == 4 ? IA_EL_BUTTON : IA_EL_STATIC_TEXT;
            n.frame = (struct ia_wire_rect){(i % ROW) * 70, y + 10, 60, 20};
        }
        bool cell = i % ROW == 0;
        if (cell && i > 0) {
            ia_bridge_tree_leave(&t);
        }
        if (ia_bridge_tree_enter(&t, &n) && !cell) {
            ia_bridge_tree_leave(&t);
        }
    }
    ia_bridge_tree_leave(&t);
    ia_bridge_tree_leave(&t);
    ia_bridge_tree_end(&t, "com.example.list");
}

static void *bridge_main(void *bridge)
{
    ia_bridge_run(bridge);
    return NULL;
}

/* ---- the rows ---------------------------------------------------------------------------- */

/* Trees of that many nodes; returns the median of request to text. */
static double list_rows(int count)
{
    struct ia_bridge_options opt = {.server = "bench"};
    struct ia_bridge_ops ops = {.ctx = &count,
                                .can =
                                    IA_WIRE_BIT(IA_WIRE_OP_TREE) | IA_WIRE_BIT(IA_WIRE_OP_INFO),
                                .perform = perform_list};
    struct ia_bridge *b = NULL;
    struct ia_wire_fault fault = {.text = ""};
    pthread_t thread;
    char what[80];
    if (!ia_bridge_open(&opt, &ops, &b, &fault) ||
        pthread_create(&thread, NULL, bridge_main, b) != 0) {
        die("no server", fault.text);
    }
    struct ia_device *d = connect_to(ia_bridge_port(b), "");
    struct ia_tree *t = take_tree(d);
    if (ia_tree_count(t) != (size_t)count) {
        die("the tree has another size", "");
    }
    ia_tree_free(t);
    (void)snprintf(what, sizeof(what), "tree of %d nodes", count);
    show(what, measure(tree, d, TREE_ROUNDS));
    struct took text = measure(tree_text, d, TREE_ROUNDS);
    (void)snprintf(what, sizeof(what), "tree of %d nodes, to the text that a model sees",
                   count);
    show(what, text);
    ia_device_close(d);
    ia_bridge_stop(b);
    pthread_join(thread, NULL);
    ia_bridge_close(b);
    return text.p50;
}

static void open_contacts(struct ia_device *d)
{
    struct ia_err err = {0};
    check(ia_device_launch(d, &no_limit, CONTACTS, &err), &err);
}

static struct took settle_time(struct ia_device *d)
{
    session_of = ia_session_new(d, NULL);
    struct took t = measure(settled, d, TREE_ROUNDS);
    ia_session_free(session_of);
    return t;
}

/* Returns what a tap costs over the same on the phone itself. */
static double phone_rows(void)
{
    struct ia_serve_options opt = {.phone = {.name = "served"}, .server = "bench"};
    struct ia_embedded_options direct_opt = {.name = "direct"};
    struct ia_serve *s = NULL;
    struct ia_device *direct = NULL;
    struct ia_err err = {0};
    struct took a, b;
    pthread_t thread;
    if (ia_serve_open(&opt, &s, &err) != IA_OK ||
        ia_embedded_open(&direct_opt, &direct, &err) != IA_OK ||
        pthread_create(&thread, NULL, serve_main, s) != 0) {
        die("no phone", err.msg);
    }
    struct ia_device *d = connect_to(ia_serve_port(s), "");
    open_contacts(d);
    open_contacts(direct);
    show("heartbeat", measure(heartbeat, d, ROUNDS));
    measure_both(tap, direct, d, ROUNDS, &a, &b);
    show("tap on the phone itself", a);
    show("tap on the phone behind the wire", b);
    double over = b.p50 - a.p50;
    measure_both(tree, direct, d, ROUNDS, &a, &b);
    show("tree of 120 nodes of the phone itself", a);
    show("tree of 120 nodes of the phone behind the wire", b);
    show("settled snapshot of the phone itself", settle_time(direct));
    show("settled snapshot of the phone behind the wire", settle_time(d));
    ia_device_close(d);
    ia_device_close(direct);
    ia_serve_stop(s);
    pthread_join(thread, NULL);
    ia_serve_close(s);
    return over;
}

/* ---- what a phone takes ------------------------------------------------------------------ */

enum { PHONES = 100 };

static double peak_kb(void)
{
    struct rusage u;
    (void)getrusage(RUSAGE_SELF, &u);
#ifdef __APPLE__
    return (double)u.ru_maxrss / 1024;
#else
    return (double)u.ru_maxrss;
#endif
}

/* One after the other, all of them open; each has shown its contacts. */
static void memory_rows(void)
{
    static struct ia_device *direct[PHONES], *host[PHONES];
    static struct ia_serve *serve[PHONES];
    static pthread_t thread[PHONES];
    struct ia_err err = {0};
    double start = peak_kb();
    for (int i = 0; i < PHONES; i++) {
        struct ia_embedded_options opt = {.name = "direct"};
        check(ia_embedded_open(&opt, &direct[i], &err), &err);
        open_contacts(direct[i]);
        tree(direct[i]);
    }
    double between = peak_kb();
    for (int i = 0; i < PHONES; i++) {
        struct ia_serve_options opt = {.phone = {.name = "served"}, .server = "bench"};
        check(ia_serve_open(&opt, &serve[i], &err), &err);
        if (pthread_create(&thread[i], NULL, serve_main, serve[i]) != 0) {
            die("no thread", "");
        }
        host[i] = connect_to(ia_serve_port(serve[i]), "");
        open_contacts(host[i]);
        tree(host[i]);
    }
    double end = peak_kb();
    printf("memory of an open phone %.0f KB, of one behind the wire %.0f KB and 3 threads\n",
           (between - start) / PHONES, (end - between) / PHONES);
    for (int i = 0; i < PHONES; i++) {
        ia_device_close(direct[i]);
        ia_device_close(host[i]);
        ia_serve_stop(serve[i]);
        pthread_join(thread[i], NULL);
        ia_serve_close(serve[i]);
    }
}

/* ---- another bridge ---------------------------------------------------------------------- */

static void launch_there(struct ia_device *d, const char *app, char **pairs, int n)
{
    struct ia_wire_pair env[IA_WIRE_ARGS_MAX];
    struct ia_wire_request req = {
        .op = IA_WIRE_OP_LAUNCH,
        .u.launch = {.bundle_id = app, .mode = IA_WIRE_LAUNCH_FRESH, .env = env}};
    struct ia_wire_reply reply;
    struct ia_err err = {0};
    for (int i = 0; i < n && i < IA_WIRE_ARGS_MAX; i++) {
        char *value = strchr(pairs[i], '=');
        if (!value) {
            die("not NAME=VALUE", pairs[i]);
        }
        *value = '\0';
        env[req.u.launch.env_n++] = (struct ia_wire_pair){pairs[i], value + 1};
    }
    check(ia_bridge_client_request(ia_bridge_client_of(d), &no_limit, &req, &reply, &err),
          &err);
    ia_wire_reply_fini(&reply);
}

static int other_bridge(char **argv, int argc)
{
    char what[80];
    if (argc < 2) {
        die("usage", "bench_bridge [PORT APP [NAME=VALUE...]]");
    }
    struct ia_device *d = connect_to((int)strtol(argv[0], NULL, 10), "");
    launch_there(d, argv[1], argv + 2, argc - 2);
    show("heartbeat", measure(heartbeat, d, ROUNDS));
    struct ia_tree *t = take_tree(d);
    size_t nodes = ia_tree_count(t);
    ia_tree_free(t);
    (void)snprintf(what, sizeof(what), "tree of %zu nodes", nodes);
    show(what, measure(tree, d, TREE_ROUNDS));
    struct took text = measure(tree_text, d, TREE_ROUNDS);
    show("the same, to the text that a model sees", text);
    show("tap", measure(tap, d, TREE_ROUNDS));
    ia_device_close(d);
    return text.p50 <= TREE_LIMIT_US ? 0 : 1;
}

int main(int argc, char **argv)
{
    printf("%-58s %11s %11s\n", "over loopback", "median", "99 %");
    if (argc > 1) {
        return other_bridge(argv + 1, argc - 1);
    }
    memory_rows(); /* first, while nothing has made room for it */
    double over = phone_rows();
    (void)list_rows(SMALL);
    double big = list_rows(BIG);
    printf("a tap over the wire takes %.0f us more than on the phone itself (limit %.0f)\n",
           over, TAP_LIMIT_US);
    printf("a tree of %d nodes takes %.1f ms to its text (limit %.0f)\n", BIG, big / 1000,
           TREE_LIMIT_US / 1000);
    return over <= TAP_LIMIT_US && big <= TREE_LIMIT_US ? 0 : 1;
}
