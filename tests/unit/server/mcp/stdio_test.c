/* MCP over real pipes: order, concurrency, cancellation, long lines, the end. */
#include "server/mcp/core/stdio.h"

#include "base/clock.h"
#include "base/fd.h"

#include "test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#define TOOL(tool_name)                                                                        \
    "{\"name\":\"" tool_name "\",\"inputSchema\":{\"type\":\"object\",\"properties\":{"        \
    "\"device\":{\"type\":\"string\"},\"n\":{\"type\":\"integer\"}},"                          \
    "\"additionalProperties\":false}}"

/* ---- tools: one waits until the test lets it go, one notes its order ----------------------- */

struct desk {
    struct ia_cancel *go;
    atomic_int waiting, cancelled, stubborn;
    pthread_mutex_t mutex;
    char order[256];
};

static enum ia_rc waits(struct ia_mcp_call *call, struct ia_mcp_result *ret, struct ia_err *err)
{
    struct desk *d = call->ctx;
    (void)err;
    struct pollfd go = {.fd = ia_cancel_fd(d->go), .events = POLLIN};
    int ready = 0;
    atomic_fetch_add(&d->waiting, 1);
    enum ia_rc rc = ia_cancel_poll(call->cancel, &go, 1, IA_NO_DEADLINE, &ready);
    atomic_fetch_add(&d->cancelled, rc == IA_E_CANCELLED);
    while (atomic_load(&d->stubborn) && !ia_cancel_fired(d->go)) {
        (void)ia_cancel_poll(d->go, NULL, 0, IA_NO_DEADLINE, &ready);
    }
    ia_buf_puts(&ret->text, "went");
    return IA_OK;
}

static enum ia_rc notes(struct ia_mcp_call *call, struct ia_mcp_result *ret, struct ia_err *err)
{
    struct desk *d = call->ctx;
    (void)err;
    (void)ret;
    pthread_mutex_lock(&d->mutex);
    size_t n = strlen(d->order);
    (void)snprintf(d->order + n, sizeof(d->order) - n, "%d ",
                   (int)json_integer_value(json_object_get(call->args, "n")));
    pthread_mutex_unlock(&d->mutex);
    return IA_OK;
}

static const struct ia_mcp_tool tools[] = {
    {"wait", TOOL("wait"), 0, waits, NULL},
    {"wait_device", TOOL("wait_device"), IA_MCP_TOOL_SERIAL, waits, NULL},
    {"note", TOOL("note"), IA_MCP_TOOL_SERIAL, notes, NULL},
    {.name = NULL},
};

/* ---- a server on pipes ---------------------------------------------------------------------- */

struct world {
    struct desk desk;
    struct ia_mcp *mcp;
    struct ia_mcp_peer peer;
    struct ia_mcp_stdio_opts opts;
    struct ia_cancel *stop;
    int to[2], from[2];
    pthread_t thread;
    enum ia_rc rc;
    struct ia_buf got;
};

static void *serve(void *arg)
{
    struct world *w = arg;
    struct ia_err err;
    w->rc = ia_mcp_stdio(&w->opts, &err);
    close(w->from[1]);
    return NULL;
}

static void open_world(struct world *w)
{
    struct ia_err err = {.code = IA_OK};
    *w = (struct world){.got = IA_BUF(16 << 20)};
    pthread_mutex_init(&w->desk.mutex, NULL);
    w->desk.go = ia_cancel_new(&err);
    w->stop = ia_cancel_new(&err);
    const struct ia_mcp_opts opts = {
        .version = "1", .instructions = "", .tools = tools, .ctx = &w->desk};
    assert_int_equal(ia_mcp_new(&opts, &w->mcp, &err), IA_OK);
    assert_int_equal(ia_pipe(w->to, &err), IA_OK);
    assert_int_equal(ia_pipe(w->from, &err), IA_OK);
    w->opts = (struct ia_mcp_stdio_opts){
        .mcp = w->mcp, .peer = &w->peer, .in = w->to[0], .out = w->from[1], .stop = w->stop};
    assert_int_equal(pthread_create(&w->thread, NULL, serve, w), 0);
}

static void say(struct world *w, const char *line)
{
    assert_int_equal(ia_write_all(w->to[1], line, strlen(line)), IA_OK);
    assert_int_equal(ia_write_all(w->to[1], "\n", 1), IA_OK);
}

static void call(struct world *w, const char *id, const char *tool, const char *args)
{
    struct ia_buf line = IA_BUF(1024);
    ia_buf_printf(&line,
                  "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"tools/call\",\"params\":{"
                  "\"name\":\"%s\",\"arguments\":{%s}}}",
                  id, tool, args);
    say(w, ia_buf_cstr(&line));
    ia_buf_fini(&line);
}

/* The next line that comes, without its newline; NULL at the end. Free it. */
static char *hear(struct world *w)
{
    const char *end = NULL;
    while (!(end = w->got.len ? memchr(w->got.p, '\n', w->got.len) : NULL)) {
        char *at = ia_buf_reserve(&w->got, 65536);
        ssize_t n = read(w->from[0], at, 65536);
        if (n <= 0) {
            return NULL;
        }
        ia_buf_grew(&w->got, (size_t)n);
    }
    size_t n = (size_t)(end - w->got.p);
    char *line = ia_strndup(w->got.p, n);
    ia_buf_consume(&w->got, n + 1);
    return line;
}

static void hears(struct world *w, const char *what)
{
    char *line = hear(w);
    assert_non_null(line);
    assert_string_equal(line, what);
    free(line);
}

static void until(atomic_int *what, int n)
{
    while (atomic_load(what) < n) {
        (void)ia_clock_wait(ia_clock_system(), NULL, ia_mono_us(ia_clock_system()) + 1000);
    }
}

static void join(struct world *w)
{
    pthread_join(w->thread, NULL);
}

static void order_is(struct world *w, const char *what)
{
    pthread_mutex_lock(&w->desk.mutex);
    assert_string_equal(w->desk.order, what);
    pthread_mutex_unlock(&w->desk.mutex);
}

static void close_world(struct world *w)
{
    ia_mcp_free(w->mcp);
    ia_cancel_free(w->desk.go);
    ia_cancel_free(w->stop);
    pthread_mutex_destroy(&w->desk.mutex);
    ia_buf_fini(&w->got);
    close(w->to[0]);
    close(w->from[0]);
}

#define PONG(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{}}"
#define WENT(id)                                                                               \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":" \
    "\"went\"}]}}"

/* ---- tests ---------------------------------------------------------------------------------- */

static void a_slow_call_does_not_hold_up_others(void **state)
{
    (void)state;
    struct world w;
    open_world(&w);
    call(&w, "1", "wait", "");
    call(&w, "\"two\"", "wait", "");
    say(&w, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}\r");
    hears(&w, PONG("3"));
    until(&w.desk.waiting, 2);
    ia_cancel_fire(w.desk.go);
    for (int i = 0; i < 2; i++) {
        char *line = hear(&w);
        assert_true(strcmp(line, WENT("1")) == 0 || strcmp(line, WENT("\"two\"")) == 0);
        free(line);
    }
    close(w.to[1]);
    join(&w);
    assert_int_equal(w.rc, IA_OK);
    close_world(&w);
}

static void a_cancelled_call_is_not_answered_and_an_unknown_id_is_ignored(void **state)
{
    (void)state;
    struct world w;
    open_world(&w);
    call(&w, "7", "wait", "");
    until(&w.desk.waiting, 1);
    say(&w, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
            "\"requestId\":\"7\"}}");
    say(&w, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"
            "\"requestId\":7}}");
    until(&w.desk.cancelled, 1);
    call(&w, "8", "note", "\"n\":1");
    hears(&w, "{\"jsonrpc\":\"2.0\",\"id\":8,\"result\":{\"content\":[{\"type\":\"text\","
              "\"text\":\"\"}]}}");
    close(w.to[1]);
    assert_null(hear(&w));
    join(&w);
    close_world(&w);
}

static void calls_for_one_device_keep_their_order(void **state)
{
    (void)state;
    struct world w;
    open_world(&w);
    call(&w, "0", "wait_device", "\"device\":\"a\"");
    for (int i = 1; i <= 40; i++) {
        char id[16], args[64];
        (void)snprintf(id, sizeof(id), "%d", i);
        (void)snprintf(args, sizeof(args), "\"device\":\"a\",\"n\":%d", i);
        call(&w, id, "note", args);
    }
    call(&w, "99", "note", "\"device\":\"b\",\"n\":99");
    free(hear(&w)); /* another device does not wait */
    order_is(&w, "99 ");
    ia_cancel_fire(w.desk.go);
    for (int i = 0; i <= 40; i++) {
        free(hear(&w));
    }
    order_is(
        &w,
        "99 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 "
        "31 32 33 34 35 36 37 38 39 40 ");
    close(w.to[1]);
    join(&w);
    close_world(&w);
}

static void the_end_of_the_input_cancels_what_is_under_way(void **state)
{
    (void)state;
    struct world w;
    open_world(&w);
    call(&w, "1", "wait", "");
    until(&w.desk.waiting, 1);
    close(w.to[1]);
    assert_null(hear(&w));
    join(&w);
    assert_int_equal(w.rc, IA_OK);
    assert_int_equal(w.desk.cancelled, 1);
    close_world(&w);
}

/* In a process of its own: what the call uses must not be freed before that ends. */
static void end_with_a_stubborn_call(void)
{
    static struct world w;
    open_world(&w);
    atomic_store(&w.desk.stubborn, 1);
    call(&w, "1", "wait", "");
    until(&w.desk.waiting, 1);
    int64_t before = ia_mono_us(ia_clock_system());
    ia_cancel_fire(w.stop);
    assert_null(hear(&w));
    join(&w);
    assert_int_equal(w.rc, IA_E_TIMEOUT);
    assert_true(ia_mono_us(ia_clock_system()) - before < 5000000);
    _exit(0);
}

static void the_end_does_not_wait_for_a_call_that_does_not_end(void **state)
{
    (void)state;
#if defined(__SANITIZE_THREAD__)
    skip(); /* it allows no threads in a child of a process that had some */
#endif
    int status = -1;
    pid_t pid = fork();
    if (pid == 0) {
        end_with_a_stubborn_call();
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void a_line_of_4_mib_is_taken_and_a_longer_one_is_refused(void **state)
{
    (void)state;
    struct world w;
    open_world(&w);
    char *pad = ia_alloc(IA_MCP_MESSAGE_MAX + 1);
    memset(pad, ' ', IA_MCP_MESSAGE_MAX);
    const char *ping = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";
    memcpy(pad, ping, strlen(ping));
    pad[IA_MCP_MESSAGE_MAX] = '\0';
    say(&w, pad);
    hears(&w, PONG("1"));
    memset(pad, 'x', IA_MCP_MESSAGE_MAX);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(ia_write_all(w.to[1], pad, IA_MCP_MESSAGE_MAX), IA_OK);
    }
    say(&w, "");
    hears(&w, "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"Parse "
              "error\"}}");
    say(&w, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}");
    hears(&w, PONG("2"));
    free(pad);
    close(w.to[1]);
    join(&w);
    close_world(&w);
}

static void more_requests_than_fit_are_refused_one_by_one(void **state)
{
    (void)state;
    struct world w;
    open_world(&w);
    for (int i = 0; i <= IA_MCP_STDIO_WAITING_MAX; i++) {
        char id[16];
        (void)snprintf(id, sizeof(id), "%d", i);
        call(&w, id, "wait", "");
    }
    hears(&w, "{\"jsonrpc\":\"2.0\",\"id\":256,\"error\":{\"code\":-32603,\"message\":\"more "
              "than 256 requests at once\"}}");
    ia_cancel_fire(w.desk.go);
    for (int i = 0; i < IA_MCP_STDIO_WAITING_MAX; i++) {
        free(hear(&w));
    }
    close(w.to[1]);
    join(&w);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slow_call_does_not_hold_up_others),
        cmocka_unit_test(a_cancelled_call_is_not_answered_and_an_unknown_id_is_ignored),
        cmocka_unit_test(calls_for_one_device_keep_their_order),
        cmocka_unit_test(the_end_of_the_input_cancels_what_is_under_way),
        cmocka_unit_test(the_end_does_not_wait_for_a_call_that_does_not_end),
        cmocka_unit_test(a_line_of_4_mib_is_taken_and_a_longer_one_is_refused),
        cmocka_unit_test(more_requests_than_fit_are_refused_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
