/* ask_test.c: one request and its answer, against a server that answers well and badly. */
#include "net/ask.h"

#include "peer.h"
#include "test.h"
#include "tmpdir.h"

#include "base/clock.h"

#include <pthread.h>

enum { ANSWER_MAX = 1 << 16 };

/* Answers as told, from the n-th request on; the ones before it are answered well. */
struct told {
    _Atomic enum peer_how
        how; /* may be changed while a request that was given up is still served */
    int from, status;
    const char *body;
    _Atomic int seen;
};

static void answer(void *ctx, const struct peer_request *r, struct peer_reply *ret)
{
    struct told *t = ctx;
    int n = ++t->seen;
    ret->how = n >= t->from ? t->how : PEER_ANSWER;
    ret->status = t->status;
    if (t->body) {
        ia_buf_puts(&ret->body, t->body);
    } else {
        ia_buf_printf(&ret->body, "%s %s %s", r->method, r->path, r->body);
    }
}

struct world {
    struct peer *peer;
    struct ia_ask_link *link;
};

static struct world begin(struct told *t)
{
    struct world w = {.peer = peer_start(NULL, answer, t)};
    struct ia_ask_place place = {.url = peer_url(w.peer)};
    assert_int_equal(ia_ask_open(&place, &w.link, NULL), IA_OK);
    return w;
}

static void end(struct world *w)
{
    ia_ask_close(w->link);
    peer_stop(w->peer);
}

static int64_t in_ms(int ms)
{
    return ia_mono_us(ia_clock_system()) + INT64_C(1000) * ms;
}

static struct ia_ask_request post(const char *path, const char *body, bool once)
{
    return (struct ia_ask_request){.method = "POST",
                                   .path = path,
                                   .body = ia_str(body),
                                   .once = once,
                                   .bytes_max = ANSWER_MAX,
                                   .deadline_us = in_ms(10000)};
}

static struct ia_ask_request get(const char *path)
{
    return (struct ia_ask_request){
        .method = "GET", .path = path, .bytes_max = ANSWER_MAX, .deadline_us = in_ms(10000)};
}

/* Sends it and compares the answer's body. */
static void expect(struct world *w, struct ia_ask_request r, const char *want)
{
    struct ia_ask_answer a;
    struct ia_err err = {0};
    if (ia_ask(w->link, &r, &a, &err) != IA_OK) {
        fail_msg("%s", err.msg);
    }
    assert_string_equal(ia_buf_cstr(&a.body), want);
    ia_buf_fini(&a.body);
}

static enum ia_rc failing(struct world *w, struct ia_ask_request r, bool *ret_sent)
{
    struct ia_ask_answer a;
    struct ia_err err = {0};
    enum ia_rc rc = ia_ask(w->link, &r, &a, &err);
    assert_true(rc == IA_OK || err.msg[0] != '\0');
    *ret_sent = a.sent;
    ia_buf_fini(&a.body);
    return rc;
}

static void requests_share_one_connection(void **state)
{
    (void)state;
    struct told t = {.how = PEER_ANSWER};
    struct world w = begin(&t);
    expect(&w, get("/status"), "GET /status ");
    expect(&w, post("/session", "{\"a\":1}", true), "POST /session {\"a\":1}");
    struct ia_ask_request delete = get("/session/1");
    delete.method = "DELETE";
    expect(&w, delete, "DELETE /session/1 ");
    expect(&w, get("/status"), "GET /status ");
    assert_int_equal(peer_request(w.peer, 3)->connection, 1);
    end(&w);
}

/* What libcurl makes of ".." would be another request than the one that was meant. */
static void a_path_is_sent_as_it_is(void **state)
{
    (void)state;
    struct told t = {.how = PEER_ANSWER};
    struct world w = begin(&t);
    expect(&w, get("/session/../source"), "GET /session/../source ");
    end(&w);
}

static void a_body_has_a_length_and_waits_for_no_permission(void **state)
{
    (void)state;
    struct told t = {.how = PEER_ANSWER};
    struct world w = begin(&t);
    char *body = ia_alloc(100001);
    memset(body, 'x', 100000);
    body[100000] = '\0';
    bool sent;
    struct ia_ask_request r = post("/long", body, true);
    r.bytes_max = 1 << 20;
    assert_int_equal(failing(&w, r, &sent), IA_OK);
    const char *head = peer_request(w.peer, 0)->head;
    assert_non_null(strstr(head, "Content-Length: 100000\r\n"));
    assert_non_null(strstr(head, "Content-Type: application/json; charset=utf-8\r\n"));
    assert_null(strstr(head, "Expect"));
    assert_null(strstr(head, "Transfer-Encoding"));
    assert_null(strstr(head, "Authorization"));
    assert_string_equal(peer_request(w.peer, 0)->body, body);
    free(body);
    end(&w);
}

static void any_status_and_any_framing_is_an_answer(void **state)
{
    (void)state;
    struct told t = {
        .how = PEER_CHUNKED, .status = 404, .body = "{\"value\":{\"error\":\"x\"}}"};
    struct world w = begin(&t);
    struct ia_ask_request r = get("/a");
    struct ia_ask_answer a;
    assert_int_equal(ia_ask(w.link, &r, &a, NULL), IA_OK);
    assert_int_equal(a.status, 404);
    assert_string_equal(ia_buf_cstr(&a.body), t.body);
    ia_buf_fini(&a.body);
    end(&w);
}

static void a_redirect_is_not_followed(void **state)
{
    (void)state;
    struct told t = {.how = PEER_RAW,
                     .body = "HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\n"
                             "Content-Length: 0\r\n\r\n"};
    struct world w = begin(&t);
    struct ia_ask_request r = get("/a");
    struct ia_ask_answer a;
    assert_int_equal(ia_ask(w.link, &r, &a, NULL), IA_OK);
    assert_int_equal(a.status, 302);
    assert_int_equal(peer_count(w.peer), 1);
    ia_buf_fini(&a.body);
    end(&w);
}

/* The reason for `once`: libcurl would send it again on a new connection. */
static void an_effect_on_a_kept_connection_that_breaks_is_sent_once(void **state)
{
    (void)state;
    static const enum peer_how ways[] = {PEER_CUT, PEER_RESET, PEER_CUT_HEAD, PEER_CUT_BODY};
    for (size_t i = 0; i < IA_COUNTOF(ways); i++) {
        struct ia_ask_request delete = get("/place");
        delete.method = "DELETE";
        delete.once = true;
        const struct ia_ask_request effects[] = {post("/tap", "{}", true), delete};
        for (size_t k = 0; k < IA_COUNTOF(effects); k++) {
            struct told t = {.how = ways[i], .from = 2};
            struct world w = begin(&t);
            bool sent = false;
            expect(&w, get("/status"), "GET /status ");
            assert_int_equal(failing(&w, effects[k], &sent), IA_E_IO);
            assert_true(sent);
            assert_int_equal(peer_count(w.peer), 2);
            end(&w);
        }
    }
}

static void a_reading_on_a_dead_kept_connection_is_sent_again(void **state)
{
    (void)state;
    struct told t = {.how = PEER_ANSWER};
    struct world w = begin(&t);
    t.how = PEER_CLOSE; /* the server ends the connection after this answer */
    expect(&w, get("/status"), "GET /status ");
    t.how = PEER_ANSWER;
    expect(&w, post("/state", "{}", false), "POST /state {}");
    assert_int_equal(peer_count(w.peer), 2);
    end(&w);
}

static void nothing_is_sent_where_nobody_listens(void **state)
{
    (void)state;
    struct told t = {.how = PEER_KILLED};
    struct world w = begin(&t);
    bool sent = false;
    assert_int_equal(failing(&w, post("/tap", "{}", true), &sent), IA_E_IO);
    assert_true(sent);
    assert_int_equal(failing(&w, post("/tap", "{}", true), &sent), IA_E_IO);
    assert_false(sent);
    assert_int_equal(peer_count(w.peer), 1);
    end(&w);
}

static void *fire_soon(void *cancel)
{
    (void)usleep(50000);
    ia_cancel_fire(cancel);
    return NULL;
}

static void a_token_ends_the_wait_at_once(void **state)
{
    (void)state;
    struct told t = {.how = PEER_SILENT, .from = 2};
    struct world w = begin(&t);
    struct ia_cancel *parent = ia_cancel_new(NULL);
    struct ia_cancel *patient = ia_cancel_new_patient(parent, NULL, 1000);
    struct ia_cancel *tokens[] = {parent, patient};
    expect(&w, get("/status"), "GET /status ");
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, fire_soon, parent), 0);
    for (size_t i = 0; i < IA_COUNTOF(tokens); i++) {
        struct ia_ask_request r = get("/hangs");
        int64_t begun = ia_mono_us(ia_clock_system());
        bool sent;
        r.cancel = tokens[i];
        assert_int_equal(failing(&w, r, &sent), IA_E_CANCELLED);
        assert_true(ia_mono_us(ia_clock_system()) - begun < 2000000);
    }
    pthread_join(thread, NULL);
    t.how = PEER_ANSWER;
    expect(&w, get("/status"), "GET /status "); /* on another connection */
    assert_int_equal(peer_request(w.peer, peer_count(w.peer) - 1)->connection > 1, 1);
    ia_cancel_free(patient);
    ia_cancel_free(parent);
    end(&w);
}

static void the_deadline_ends_the_wait(void **state)
{
    (void)state;
    struct told t = {.how = PEER_SILENT};
    struct world w = begin(&t);
    struct ia_ask_request r = post("/tap", "{}", true);
    bool sent = false;
    r.deadline_us = in_ms(60);
    assert_int_equal(failing(&w, r, &sent), IA_E_TIMEOUT);
    assert_true(sent);
    end(&w);
}

static void an_answer_has_a_cap(void **state)
{
    (void)state;
    struct told t = {.how = PEER_ANSWER, .body = "0123456789012345678901234567890123456789"};
    struct world w = begin(&t);
    struct ia_ask_request r = get("/a");
    bool sent;
    r.bytes_max = 20;
    assert_int_equal(failing(&w, r, &sent), IA_E_LIMIT);
    struct ia_buf head = IA_BUF(1 << 20);
    ia_buf_puts(&head, "HTTP/1.1 200 OK\r\n");
    while (head.len < 2 * IA_ASK_HEADER_BYTES_MAX) {
        ia_buf_puts(&head, "X-Filler: 0123456789012345678901234567890123456789\r\n");
    }
    ia_buf_puts(&head, "Content-Length: 2\r\n\r\n{}"); /* it is whole */
    t.body = ia_buf_cstr(&head);
    t.how = PEER_RAW;
    assert_int_equal(failing(&w, get("/a"), &sent), IA_E_LIMIT);
    end(&w);
    ia_buf_fini(&head);
}

/* A proxy of the environment is for the world outside. */
static void what_is_on_this_machine_is_asked_without_a_proxy(void **state)
{
    (void)state;
    struct told t = {.how = PEER_ANSWER}, elsewhere = {.how = PEER_ANSWER, .body = "proxy"};
    struct peer *proxy = peer_start(NULL, answer, &elsewhere);
    char *dir = tmpdir_new(), *path = ia_path_join(dir, "relay"), local[64];
    struct peer *relay = peer_start(path, answer, &t);
    struct world w = begin(&t);
    (void)snprintf(local, sizeof(local), "http://localhost:%d", peer_port(w.peer));
    const struct {
        struct ia_ask_place place;
        const char *says;
    } rows[] = {{{.url = peer_url(w.peer)}, "GET /status "},
                {{.url = local}, "GET /status "},
                {{.url = "http://phone.invalid", .unix_socket = path}, "GET /status "},
                {{.url = "http://phone.invalid"}, "proxy"}};
    assert_int_equal(setenv("http_proxy", peer_url(proxy), 1), 0);
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct world one = {.peer = NULL};
        assert_int_equal(ia_ask_open(&rows[i].place, &one.link, NULL), IA_OK);
        expect(&one, get("/status"), rows[i].says);
        ia_ask_close(one.link);
    }
    assert_int_equal(unsetenv("http_proxy"), 0);
    assert_int_equal(peer_count(proxy), 1);
    end(&w);
    peer_stop(relay);
    peer_stop(proxy);
    free(path);
    tmpdir_free(dir);
}

static void what_is_no_http_is_an_error(void **state)
{
    (void)state;
    static const char *const bytes[] = {"garbage\n\n", "\x16\x03\x01", "",
                                        "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nshort"};
    for (size_t i = 0; i < IA_COUNTOF(bytes); i++) {
        struct told t = {.how = PEER_RAW, .body = bytes[i]};
        struct world w = begin(&t);
        bool sent;
        assert_int_equal(failing(&w, post("/a", "{}", true), &sent), IA_E_IO);
        assert_int_equal(peer_count(w.peer), 1);
        end(&w);
    }
}

static void a_unix_socket_carries_it(void **state)
{
    (void)state;
    struct told t = {.how = PEER_ANSWER};
    char *dir = tmpdir_new(), *path = ia_path_join(dir, "relay");
    struct world w = {.peer = peer_start(path, answer, &t)};
    struct ia_ask_place place = {.url = "http://phone", .unix_socket = path};
    assert_int_equal(ia_ask_open(&place, &w.link, NULL), IA_OK);
    expect(&w, get("/status"), "GET /status ");
    expect(&w, get("/status"), "GET /status ");
    assert_int_equal(peer_request(w.peer, 1)->connection, 1);
    end(&w);
    free(path);
    tmpdir_free(dir);
}

static void a_login_goes_into_its_header_and_no_message(void **state)
{
    (void)state;
    struct told t = {.how = PEER_ANSWER};
    struct world w = {.peer = peer_start(NULL, answer, &t)};
    struct ia_ask_place place = {.url = peer_url(w.peer), .authorization = "Basic c2VjcmV0"};
    struct ia_err err = {0};
    struct ia_ask_answer a;
    struct ia_ask_request r = get("/status");
    assert_int_equal(ia_ask_open(&place, &w.link, NULL), IA_OK);
    expect(&w, r, "GET /status ");
    assert_non_null(strstr(peer_request(w.peer, 0)->head, "Authorization: Basic c2VjcmV0\r\n"));
    t.how = PEER_CUT;
    assert_int_equal(ia_ask(w.link, &r, &a, &err), IA_E_IO);
    assert_null(strstr(err.msg, "c2VjcmV0"));
    ia_buf_fini(&a.body);
    end(&w);
    place =
        (struct ia_ask_place){.url = "http://phone", .authorization = "Basic x\r\nX-Other: y"};
    assert_int_equal(ia_ask_open(&place, &w.link, &err), IA_E_USAGE);
    assert_null(strstr(err.msg, "X-Other"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_share_one_connection),
        cmocka_unit_test(a_path_is_sent_as_it_is),
        cmocka_unit_test(a_body_has_a_length_and_waits_for_no_permission),
        cmocka_unit_test(any_status_and_any_framing_is_an_answer),
        cmocka_unit_test(a_redirect_is_not_followed),
        cmocka_unit_test(an_effect_on_a_kept_connection_that_breaks_is_sent_once),
        cmocka_unit_test(a_reading_on_a_dead_kept_connection_is_sent_again),
        cmocka_unit_test(nothing_is_sent_where_nobody_listens),
        cmocka_unit_test(a_token_ends_the_wait_at_once),
        cmocka_unit_test(the_deadline_ends_the_wait),
        cmocka_unit_test(an_answer_has_a_cap),
        cmocka_unit_test(what_is_on_this_machine_is_asked_without_a_proxy),
        cmocka_unit_test(what_is_no_http_is_an_error),
        cmocka_unit_test(a_unix_socket_carries_it),
        cmocka_unit_test(a_login_goes_into_its_header_and_no_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
