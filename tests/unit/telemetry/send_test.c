/* send_test.c: what reaches a collector, and what becomes of runs when it answers badly or not at all. */
#include "telemetry/telemetry.h"

#include "home.h"
#include "peer.h"

#include "base/cancel.h"
#include "base/clock.h"

#include <jansson.h>
#include <string.h>

enum { PAUSE_MS = 5, FLUSH_MS = 150 };

/* A collector that answers as told: the first `bad` requests with that status, or not at all. */
struct told {
    _Atomic int bad, status;
    _Atomic enum peer_how how;
    const char *body;
};

static void answer(void *ctx, const struct peer_request *r, struct peer_reply *ret)
{
    struct told *t = ctx;
    (void)r;
    if (t->bad > 0) {
        t->bad--;
        ret->how = t->how;
        ret->status = t->status;
    }
    ia_buf_puts(&ret->body, t->body ? t->body : "{}");
}

struct world {
    struct told told;
    struct peer *peer;
    struct ia_store *store;
    struct ia_telemetry *t;
    char run[IA_ID_SIZE];
};

static void open_world(struct world *w, const struct home *h, const char *headers)
{
    w->peer = peer_start(NULL, answer, &w->told);
    w->store = home_open(h);
    start_run(w->store, "a", w->run);
    const struct ia_event_request_finished asked = {.ms = 5, .usage = {.output = 3}};
    struct ia_tx *tx = begin(w->store);
    ia_tx_add_event(tx, w->run, IA_EVENT(&asked), NULL);
    commit(tx);
    assert_rc(IA_OK, move_run(w->store, w->run, IA_RUN_PASSED, NULL));
    char endpoint[64];
    (void)snprintf(endpoint, sizeof(endpoint), "%s/", peer_url(w->peer));
    const struct ia_telemetry_opts opts = {.store = w->store,
                                           .endpoint = endpoint,
                                           .headers = ia_str(headers),
                                           .service = "phones",
                                           .version = "1",
                                           .pause_ms = PAUSE_MS,
                                           .flush_ms = FLUSH_MS};
    assert_rc(IA_OK, ia_telemetry_new(&opts, &w->t, NULL));
}

static void close_world(struct world *w)
{
    peer_stop(w->peer);
    ia_store_close(w->store);
}

/* Until so many runs are sent or dropped. */
static struct ia_telemetry_counts settled(struct world *w, int64_t runs)
{
    struct ia_telemetry_counts c;
    const struct ia_clock *clock = ia_clock_system();
    int64_t until_us = ia_mono_us(clock) + INT64_C(30000000);
    for (ia_telemetry_counts(w->t, &c); c.sent + c.dropped < runs;
         ia_telemetry_counts(w->t, &c)) {
        assert_true(ia_mono_us(clock) < until_us);
        (void)ia_clock_wait(clock, NULL, ia_mono_us(clock) + 1000);
    }
    return c;
}

static void traces_go_first_then_metrics_as_json_with_the_headers(void **state)
{
    struct world w = {.peer = NULL};
    open_world(&w, *state, "api-key=hush,x-tenant=a%20b");
    ia_telemetry_run_ended(w.t, w.run);
    struct ia_telemetry_counts c = settled(&w, 1);
    assert_int_equal(c.sent, 1);
    assert_int_equal(c.dropped + c.rejected, 0);
    ia_telemetry_close(w.t);
    assert_int_equal(peer_count(w.peer), 2);
    const char *paths[] = {"/v1/traces", "/v1/metrics"};
    const char *first[] = {"{\"resourceSpans\":", "{\"resourceMetrics\":"};
    for (size_t i = 0; i < 2; i++) {
        const struct peer_request *r = peer_request(w.peer, i);
        assert_string_equal(r->method, "POST");
        assert_string_equal(r->path, paths[i]);
        assert_non_null(strstr(r->head, "Content-Type: application/json\r\n"));
        assert_non_null(strstr(r->head, "api-key: hush\r\n"));
        assert_non_null(strstr(r->head, "x-tenant: a b\r\n"));
        assert_int_equal(strncmp(r->body, first[i], strlen(first[i])), 0);
        assert_non_null(strstr(
            r->body, "{\"key\":\"service.name\",\"value\":{\"stringValue\":\"phones\"}}"));
    }
    close_world(&w);
}

static void a_collector_that_is_busy_or_cut_off_is_asked_again(void **state)
{
    static const struct {
        int status;
        enum peer_how how;
    } cases[] = {{503, PEER_ANSWER}, {429, PEER_ANSWER}, {200, PEER_CUT}, {200, PEER_RESET}};
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct world w = {.told = {.bad = 3, .status = cases[i].status, .how = cases[i].how}};
        open_world(&w, *state, NULL);
        ia_telemetry_run_ended(w.t, w.run);
        assert_int_equal(settled(&w, 1).sent, 1);
        ia_telemetry_close(w.t);
        assert_int_equal(peer_count_of(w.peer, "POST /v1/metrics"), 1);
        close_world(&w);
    }
}

static void what_it_refuses_is_dropped_and_the_next_run_is_sent(void **state)
{
    struct world w = {.told = {.bad = 1, .status = 400, .how = PEER_ANSWER}};
    open_world(&w, *state, NULL);
    ia_telemetry_run_ended(w.t, w.run);
    ia_telemetry_run_ended(w.t, w.run);
    struct ia_telemetry_counts c = settled(&w, 2);
    assert_int_equal(c.dropped, 1);
    assert_int_equal(c.sent, 1);
    ia_telemetry_close(w.t);
    assert_int_equal(peer_count(w.peer), 3);
    close_world(&w);
}

static void parts_that_it_did_not_want_are_counted(void **state)
{
    struct world w = {
        .told = {.body =
                     "{\"partialSuccess\":{\"rejectedSpans\":\"2\",\"errorMessage\":\"no\"}}"}};
    open_world(&w, *state, NULL);
    ia_telemetry_run_ended(w.t, w.run);
    struct ia_telemetry_counts c = settled(&w, 1);
    assert_int_equal(c.sent, 1);
    assert_int_equal(c.rejected, 4);
    ia_telemetry_close(w.t);
    close_world(&w);
}

static void the_end_waits_a_bounded_time_for_one_that_is_silent(void **state)
{
    struct world w = {.told = {.bad = 1000, .how = PEER_SILENT}};
    const struct ia_clock *clock = ia_clock_system();
    open_world(&w, *state, NULL);
    int64_t from_us = ia_mono_us(clock);
    for (int i = 0; i < IA_TELEMETRY_QUEUE_MAX + 20; i++) {
        ia_telemetry_run_ended(w.t, w.run);
    }
    assert_true(ia_mono_us(clock) - from_us < 1000000);
    struct ia_telemetry_counts c;
    ia_telemetry_counts(w.t, &c);
    assert_true(c.dropped >= 19 && c.dropped <= 20); /* one may be in hand */
    from_us = ia_mono_us(clock);
    ia_telemetry_close(w.t);
    int64_t took_us = ia_mono_us(clock) - from_us;
    assert_true(took_us >= (FLUSH_MS - 1) * 1000 && took_us < 5000000);
    close_world(&w);
}

static void the_end_of_a_process_still_sends_what_waits(void **state)
{
    struct world w = {.peer = NULL};
    open_world(&w, *state, NULL);
    ia_telemetry_run_ended(w.t, w.run);
    ia_telemetry_close(w.t);
    assert_int_equal(peer_count(w.peer), 2);
    close_world(&w);
}

static void without_a_collector_there_is_nothing(void **state)
{
    (void)state;
    struct ia_telemetry_counts c;
    ia_telemetry_run_ended(NULL, "0199");
    ia_telemetry_counts(NULL, &c);
    assert_int_equal(c.sent + c.dropped + c.rejected, 0);
    ia_telemetry_close(NULL);
}

#define T(name) cmocka_unit_test_setup_teardown(name, home_make, home_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(traces_go_first_then_metrics_as_json_with_the_headers),
        T(a_collector_that_is_busy_or_cut_off_is_asked_again),
        T(what_it_refuses_is_dropped_and_the_next_run_is_sent),
        T(parts_that_it_did_not_want_are_counted),
        T(the_end_waits_a_bounded_time_for_one_that_is_silent),
        T(the_end_of_a_process_still_sends_what_waits),
        cmocka_unit_test(without_a_collector_there_is_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
