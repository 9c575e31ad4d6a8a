/* Many clients at a time: answers do not mix, counters add up, stopping cuts everything. */
#include "test.h"

#include "fixture.h"

#include <pthread.h>
#include <unistd.h>

enum { CLIENTS = 8, REQUESTS = 40 };

struct client {
    pthread_t thread;
    int port;
    int number;
    int good;
    int cut;
};

static void ask(struct client *c, int fd, int i)
{
    char body[600];
    char expected[32];
    struct http_reply r;
    snprintf(expected, sizeof(expected), "\"ref\": %d", 100 + c->number);
    snprintf(body, sizeof(body),
             "{\"model\":\"claude-sonnet-5-5\",\"max_tokens\":99,\"stream\":%s,\"messages\":[{"
             "\"role\":\"user\",\"content\":\"<screen a>\\n- 9x9 #0000\\n%d button "
             "Add\\n</screen a> %d\"}]}",
             i % 2 ? "true" : "false", 100 + c->number, i);
    http_send(fd, "POST", "/v1/messages", &http_good, ia_str(body));
    http_receive(fd, 20000, &r);
    const char *text = ia_buf_cstr(&r.body);
    /* A streamed input comes in pieces, so only whole answers are looked into. */
    bool own = i % 2 || strstr(text, expected + 7) != NULL;
    c->good += r.status == 200 && r.end == HTTP_COMPLETE && own;
    c->cut += r.end != HTTP_COMPLETE;
    http_reply_fini(&r);
}

static void *client_main(void *ctx)
{
    struct client *c = ctx;
    int fd = http_connect(c->port);
    for (int i = 0; i < REQUESTS && c->cut == 0; i++) {
        ask(c, fd, i);
    }
    close(fd);
    return NULL;
}

static void start_clients(struct client *clients, int port)
{
    for (int i = 0; i < CLIENTS; i++) {
        clients[i] = (struct client){.port = port, .number = i};
        assert_int_equal(pthread_create(&clients[i].thread, NULL, client_main, &clients[i]), 0);
    }
}

#define TAP_ADD                                                                                \
    "{'turns':[{'repeat':true,'blocks':[{'thinking':'x'},{'tool_use':'tap','input':{'ref':"    \
    "'$ref(button \\'Add\\')'}}]}]}"

static void answers_do_not_mix(void **state)
{
    (void)state;
    struct client clients[CLIENTS];
    struct ia_mock *m = start_double(TAP_ADD, NULL);
    start_clients(clients, ia_mock_port(m));
    for (int i = 0; i < CLIENTS; i++) {
        pthread_join(clients[i].thread, NULL);
        assert_int_equal(clients[i].good, REQUESTS);
    }
    assert_int_equal(counted(m, "messages"), CLIENTS * REQUESTS);
    assert_int_equal(counted(m, "answered"), CLIENTS * REQUESTS);
    assert_int_equal(counted(m, "streams"), CLIENTS * REQUESTS / 2);
    assert_in_range(counted(m, "connections.most"), 1, CLIENTS);
    ia_mock_stop(m);
}

static void stopping_ends_every_stream_that_is_under_way(void **state)
{
    (void)state;
    struct client clients[CLIENTS];
    struct ia_mock *m = start_double(TAP_ADD, "stall");
    start_clients(clients, ia_mock_port(m));
    while (counted(m, "faults.stall") < CLIENTS) {
        (void)usleep(1000);
    }
    ia_mock_stop(m);
    for (int i = 0; i < CLIENTS; i++) {
        pthread_join(clients[i].thread, NULL);
        assert_int_equal(clients[i].cut, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_do_not_mix),
        cmocka_unit_test(stopping_ends_every_stream_that_is_under_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
