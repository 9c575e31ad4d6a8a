/* bench_wda.c: what our part of a command over WebDriverAgent costs. A thread of this process plays a
 * WebDriverAgent that sends prepared answers at once.
 *
 *   bench_wda                      a tap, and a tree of 500 nodes
 *   bench_wda URL APPIUM_URL CAPS  also a phone asked directly and one through an Appium server,
 *                                  alternately; CAPS are the capabilities for Appium (bench/wda.py)
 *
 * Fails when the median of a tap exceeds 1.5 ms, or that of a tree up to the text that a model sees 5 ms. */
#include "rounds.h"

#include "driver/wda/wda.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum { NODES = 500, ROW = 5, REQUEST_MAX = 8192 };
#define TAP_LIMIT_US 1500.0
#define TREE_LIMIT_US 5000.0

/* ---- a WebDriverAgent that answers at once ------------------------------------------------- */

static struct ia_buf source; /* the whole answer to GET …/source */
static _Atomic int requests;

static void add_node(struct ia_buf *xml, const char *type, const char *label, int x, int y,
                     int w, int h)
{
    ia_buf_printf(xml,
                  "<XCUIElementType%s type=\\\"XCUIElementType%s\\\" name=\\\"%s\\\" "
                  "label=\\\"%s\\\" enabled=\\\"true\\\" visible=\\\"true\\\" x=\\\"%d\\\" "
                  "y=\\\"%d\\\" width=\\\"%d\\\" height=\\\"%d\\\" index=\\\"0\\\">",
                  type, type, label, label, x, y, w, h);
}

static void leave(struct ia_buf *xml, const char *type)
{
    ia_buf_printf(xml, "</XCUIElementType%s>", type);
}

/* A list: rows of a cell with four texts in it. The application is the first node. */
static void make_xml(struct ia_buf *xml)
{
    add_node(xml, "Application", "List", 0, 0, 393, 852);
    for (int i = 0; i + 1 < NODES; i++) {
        char label[64];
        int y = i / ROW * 44;
        (void)snprintf(label, sizeof(label), "Row %d, which has a label of some length", i);
        if (i % ROW == 0) {
            add_node(xml, "Cell", label, 0, y, 393, 44);
        } else {
            add_node(xml, "StaticText", label, i % ROW * 70, y + 10, 60, 20);
            leave(xml, "StaticText");
        }
        if (i % ROW == ROW - 1 || i + 2 == NODES) {
            leave(xml, "Cell");
        }
    }
    leave(xml, "Application");
}

static void add_answer(struct ia_buf *out, const char *status, const char *json, size_t n)
{
    ia_buf_printf(out,
                  "HTTP/1.1 %s\r\nContent-Type: application/json;charset=UTF-8\r\n"
                  "Content-Length: %zu\r\n\r\n",
                  status, n);
    ia_buf_put(out, json, n);
}

static void make_source(void)
{
    struct ia_buf json = IA_BUF(1 << 20);
    ia_buf_printf(&json, "{\"value\":\"");
    make_xml(&json);
    ia_buf_printf(&json, "\",\"sessionId\":\"S\"}");
    source = IA_BUF(1 << 20);
    add_answer(&source, "200 OK", ia_buf_cstr(&json), json.len);
    ia_buf_fini(&json);
}

/* The first row whose text occurs in the request line has the answer. */
static void answer(const char *line, struct ia_buf *out)
{
    static const struct {
        const char *has, *status, *json;
    } rows[] = {
        {"GET /status", "200 OK",
         "{\"value\":{\"ready\":true,\"message\":\"ready\",\"state\":\"success\","
         "\"os\":{\"name\":\"iOS\",\"version\":\"18.5\"},\"build\":{\"version\":\"16.12.9\","
         "\"productBundleIdentifier\":\"com.facebook.WebDriverAgentRunner\"}},"
         "\"sessionId\":null}"},
        {"POST /session ", "200 OK",
         "{\"value\":{\"sessionId\":\"S\",\"capabilities\":{\"device\":\"iphone\"}},"
         "\"sessionId\":\"S\"}"},
        {"/wda/screen", "200 OK",
         "{\"value\":{\"screenSize\":{\"width\":393,\"height\":852},\"scale\":3},"
         "\"sessionId\":\"S\"}"},
        {"/appium/settings", "200 OK", "{\"value\":{},\"sessionId\":\"S\"}"},
        {"/wda/alert/buttons", "404 Not Found",
         "{\"value\":{\"error\":\"no such alert\",\"message\":\"none\",\"traceback\":\"\"},"
         "\"sessionId\":\"S\"}"},
        {"", "200 OK", "{\"value\":null,\"sessionId\":\"S\"}"},
    };
    size_t i = 0;
    while (!strstr(line, rows[i].has)) {
        i++;
    }
    add_answer(out, rows[i].status, rows[i].json, strlen(rows[i].json));
}

static void send_all(int fd, const char *p, size_t n)
{
    while (n > 0) {
        ssize_t sent = send(fd, p, n, 0);
        if (sent <= 0) {
            return;
        }
        p += sent;
        n -= (size_t)sent;
    }
}

/* The length of the whole request, or 0 if it has not all arrived. The client sends a Content-Length. */
static size_t whole(const char *text, size_t n)
{
    const char *end = strstr(text, "\r\n\r\n"), *length = strcasestr(text, "Content-Length:");
    if (!end) {
        return 0;
    }
    size_t body = length && length < end ? strtoul(length + 15, NULL, 10) : 0;
    size_t all = (size_t)(end + 4 - text) + body;
    return n >= all ? all : 0;
}

static void serve(int fd)
{
    char text[REQUEST_MAX + 1];
    size_t have = 0, used;
    ssize_t got;
    while ((got = recv(fd, text + have, REQUEST_MAX - have, 0)) > 0) {
        have += (size_t)got;
        text[have] = '\0';
        if ((used = whole(text, have)) == 0) {
            continue;
        }
        text[strcspn(text, "\r")] = '\0';
        requests++;
        if (strstr(text, "/source")) {
            send_all(fd, ia_buf_cstr(&source), source.len);
        } else {
            struct ia_buf out = IA_BUF(4096);
            answer(text, &out);
            send_all(fd, ia_buf_cstr(&out), out.len);
            ia_buf_fini(&out);
        }
        have -= used;
        memmove(text, text + used, have);
    }
    (void)close(fd);
}

static void *serve_main(void *listening)
{
    int fd;
    while ((fd = accept(*(int *)listening, NULL, NULL)) >= 0) {
        serve(fd);
    }
    return NULL;
}

/* ---- rows ---------------------------------------------------------------------------------- */

static struct ia_device *open_at(const char *url, enum ia_wda_dialect dialect, const char *caps)
{
    struct ia_wda_options opt = {.url = url, .dialect = dialect, .capabilities = caps};
    struct ia_device *d = NULL;
    struct ia_err err = {0};
    check(ia_wda_open(&opt, &no_limit, &d, &err), &err);
    return d;
}

static int listen_somewhere(int *ret_port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof(at);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&at, n) != 0 || listen(fd, 4) != 0 ||
        getsockname(fd, (struct sockaddr *)&at, &n) != 0) {
        die("no port", "");
    }
    *ret_port = ntohs(at.sin_port);
    return fd;
}

static struct took row(const char *what, round_fn *fn, struct ia_device *d, int rounds)
{
    char line[80];
    int before = requests;
    struct took t = measure(fn, d, rounds);
    (void)snprintf(line, sizeof(line), "%s, %.1f requests", what,
                   (requests - before) / (rounds * 1.1));
    show(line, t);
    return t;
}

static bool our_part(void)
{
    static int fd;
    char url[64];
    int port;
    pthread_t thread;
    make_source();
    fd = listen_somewhere(&port);
    (void)snprintf(url, sizeof(url), "http://127.0.0.1:%d", port);
    if (pthread_create(&thread, NULL, serve_main, &fd) != 0) {
        die("no thread", "");
    }
    struct ia_device *d = open_at(url, IA_WDA_ANY, NULL);
    struct ia_tree *t = take_tree(d);
    if (ia_tree_count(t) != NODES) {
        die("the tree has another size", "");
    }
    ia_tree_free(t);
    struct took tapped = row("tap", tap, d, ROUNDS);
    (void)row("tree of 500 nodes", tree, d, TREE_ROUNDS);
    struct took text =
        row("the same, to the text that a model sees", tree_text, d, TREE_ROUNDS);
    ia_device_close(d);
    return tapped.p50 <= TAP_LIMIT_US && text.p50 <= TREE_LIMIT_US;
}

static void with_appium(const char *url, const char *appium, const char *caps)
{
    struct ia_device *a = open_at(url, IA_WDA_DIRECT, NULL);
    struct ia_device *b = open_at(appium, IA_WDA_APPIUM, caps);
    struct took direct, through;
    measure_both(tap, a, b, TREE_ROUNDS, &direct, &through);
    show("tap on a served phone", direct);
    show("the same through Appium", through);
    measure_both(tree, a, b, TREE_ROUNDS, &direct, &through);
    show("tree of a served phone", direct);
    show("the same through Appium", through);
    ia_device_close(a);
    ia_device_close(b);
}

int main(int argc, char **argv)
{
    printf("%-58s %11s %11s\n", "over loopback", "median", "99 %");
    bool fast = our_part();
    if (argc == 4) {
        with_appium(argv[1], argv[2], argv[3]);
    }
    return fast ? 0 : 1;
}
