/* Runs through app/runs.h as a server uses it: no command line is linked here. */
#include "test.h"
#include "tmpdir.h"

#include "agent/claude/client.h"
#include "agent/run/run_store.h"
#include "app/runs.h"

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#define GOAL "open Settings, turn on Airplane Mode"

/* A home with a store, and threads that do runs. */
struct world {
    char *home;
    struct ia_setup setup;
    struct ia_credentials credentials;
    struct ia_runs *runs;
};

static void open_runs(struct world *w, bool all_lanes)
{
    struct ia_err err = {.code = IA_OK};
    struct ia_runs_opts opts = {.setup = &w->setup,
                                .credentials = &w->credentials,
                                .max_runs = 4,
                                .all_lanes = all_lanes};
    assert_int_equal(ia_runs_open(&opts, &w->runs, &err), IA_OK);
}

static void open_world(struct world *w)
{
    struct ia_err err = {.code = IA_OK};
    *w = (struct world){.home = tmpdir_new()};
    assert_int_equal(setenv("IOS_AGENT_HOME", w->home, 1), 0);
    assert_int_equal(ia_setup_store(&w->setup, "test server", &err), IA_OK);
    open_runs(w, false);
}

static void close_world(struct world *w)
{
    struct ia_err err = {.code = IA_OK};
    assert_int_equal(ia_runs_close(w->runs, 60000, &err), IA_OK);
    ia_setup_close(&w->setup);
    tmpdir_free(w->home);
}

static void start(struct world *w, const char *device, char id[IA_ID_SIZE])
{
    struct ia_err err = {.code = IA_OK};
    const struct ia_run_request request = {
        .goal = GOAL, .device = device, .model = IA_CLAUDE_MODEL, .demo_brain = true};
    enum ia_rc rc = ia_runs_start(w->runs, &request, id, &err);
    if (rc != IA_OK) {
        fail_msg("%s: %s", ia_rc_name(rc), err.msg);
    }
}

/* A run as another process queues it: nobody does it before its device is served here. */
static void queue_only(struct world *w, const char *device, char id[IA_ID_SIZE])
{
    struct ia_err err = {.code = IA_OK};
    struct ia_tx *tx = NULL;
    const struct ia_run_request request = {
        .goal = GOAL, .device = device, .model = IA_CLAUDE_MODEL, .demo_brain = true};
    const struct ia_run_place place = {.lane = device, .kind = IA_RUN_GOAL};
    assert_int_equal(ia_tx_begin(w->setup.store, &tx, &err), IA_OK);
    ia_run_store_add(tx, &request, &place, id);
    assert_int_equal(ia_tx_commit(tx, &err), IA_OK);
}

/* ---- a watcher that can hold its run ----------------------------------------------------- */

struct watcher {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    pthread_t opener;  /* gets the stored events, and never waits in on_event */
    bool hold;         /* an event after run.started waits until it is let go */
    bool begun, ended; /* run.started and run.finished came */
    int64_t seq;       /* of the last event, or where the watch went on */
    int gaps;     /* events that did not follow the one before, or are not what fn was told */
    int messages; /* message.taken */
    struct ia_buf last;
    struct ia_runs_watch *watch;
};

static void on_event(void *ctx, int64_t seq, enum ia_event_type event, struct ia_str json)
{
    struct watcher *v = ctx;
    struct ia_event e;
    pthread_mutex_lock(&v->mutex);
    v->gaps += !ia_event_read(&e, json) || e.seq != seq || e.type != event;
    v->gaps += seq != 0 && seq != v->seq + 1;
    v->seq = seq > 0 ? seq : v->seq;
    ia_event_fini(&e);
    v->begun = v->begun || event == IA_EVENT_RUN_STARTED;
    v->ended = v->ended || event == IA_EVENT_RUN_FINISHED;
    v->messages += event == IA_EVENT_MESSAGE_TAKEN;
    ia_buf_reset(&v->last);
    ia_buf_putstr(&v->last, json);
    pthread_cond_broadcast(&v->changed);
    while (v->hold && v->begun && !pthread_equal(pthread_self(), v->opener)) {
        pthread_cond_wait(&v->changed, &v->mutex);
    }
    pthread_mutex_unlock(&v->mutex);
}

static void watch_after(struct world *w, struct watcher *v, const char *id, int64_t seq,
                        bool hold)
{
    struct ia_err err = {.code = IA_OK};
    *v = (struct watcher){
        .opener = pthread_self(), .hold = hold, .seq = seq, .last = IA_BUF(1 << 20)};
    pthread_mutex_init(&v->mutex, NULL);
    pthread_cond_init(&v->changed, NULL);
    v->watch = ia_runs_watch(w->runs, id, seq, on_event, v, &err);
    assert_non_null(v->watch);
}

static void watch(struct world *w, struct watcher *v, const char *id, bool hold)
{
    watch_after(w, v, id, 0, hold);
}

static void wait_for(struct watcher *v, const bool *what)
{
    pthread_mutex_lock(&v->mutex);
    while (!*what) {
        pthread_cond_wait(&v->changed, &v->mutex);
    }
    pthread_mutex_unlock(&v->mutex);
}

static void let_go(struct watcher *v)
{
    pthread_mutex_lock(&v->mutex);
    v->hold = false;
    pthread_cond_broadcast(&v->changed);
    pthread_mutex_unlock(&v->mutex);
}

static void end_watch(struct world *w, struct watcher *v)
{
    ia_runs_unwatch(w->runs, v->watch);
    assert_int_equal(v->gaps, 0);
    pthread_mutex_destroy(&v->mutex);
    pthread_cond_destroy(&v->changed);
    ia_buf_fini(&v->last);
}

static void assert_state(struct world *w, const char *id, const char *state)
{
    struct ia_err err = {.code = IA_OK};
    struct ia_buf out = IA_BUF(1 << 20);
    struct ia_jsonw json;
    char want[64];
    (void)snprintf(want, sizeof(want), "\"state\":\"%s\"", state);
    ia_jsonw_init(&json, &out);
    assert_int_equal(ia_runs_show(w->setup.store, id, &json, &err), IA_OK);
    if (!strstr(ia_buf_cstr(&out), want)) {
        fail_msg("not %s: %s", want, ia_buf_cstr(&out));
    }
    ia_buf_fini(&out);
}

/* ---- the tests --------------------------------------------------------------------------- */

static void a_run_is_watched_from_its_first_event_to_its_verdict(void **state)
{
    (void)state;
    struct world w;
    struct watcher v;
    char id[IA_ID_SIZE];
    open_world(&w);
    start(&w, "embedded:a", id);
    watch(&w, &v, id, false);
    wait_for(&v, &v.ended);
    assert_true(v.begun);
    assert_non_null(strstr(ia_buf_cstr(&v.last), "\"state\":\"passed\""));
    end_watch(&w, &v);
    assert_state(&w, id, "passed");
    /* Who comes late gets the same events from the store. */
    int64_t seq = v.seq;
    watch(&w, &v, id, false);
    assert_true(v.begun && v.ended);
    assert_int_equal(v.seq, seq);
    end_watch(&w, &v);
    close_world(&w);
}

static void a_run_reads_what_it_is_told_and_others_are_stopped_and_listed(void **state)
{
    (void)state;
    struct world w;
    struct watcher told, stopped;
    struct ia_err err = {.code = IA_OK};
    enum ia_cancel_result how;
    struct ia_run_row *row = NULL;
    char a[IA_ID_SIZE], b[IA_ID_SIZE], c[IA_ID_SIZE];
    open_world(&w);
    /* The first waits until the second has its device served, so that the watch is there before it
     * begins. Held at its start, it keeps the others waiting for the device. */
    queue_only(&w, "embedded:a", a);
    watch(&w, &told, a, true);
    start(&w, "embedded:a", b);
    wait_for(&told, &told.begun);
    start(&w, "embedded:a", c);
    watch(&w, &stopped, b, true);
    assert_int_equal(ia_runs_say(w.setup.store, a, "anna", "be quick", &row, &err), IA_OK);
    assert_string_equal(row->id, a);
    ia_run_row_free(row);
    assert_int_equal(ia_runs_stop(w.runs, c, &how, &err), IA_OK);
    assert_int_equal(how, IA_CANCEL_DONE);
    assert_state(&w, c, "cancelled");
    let_go(&told);
    wait_for(&told, &told.ended);
    assert_int_equal(told.messages, 1);
    /* One that is being done is asked, and ends at its next safe moment. */
    wait_for(&stopped, &stopped.begun);
    assert_int_equal(ia_runs_stop(w.runs, b, &how, &err), IA_OK);
    assert_int_equal(how, IA_CANCEL_ASKED);
    let_go(&stopped);
    wait_for(&stopped, &stopped.ended);
    assert_non_null(strstr(ia_buf_cstr(&stopped.last), "\"state\":\"cancelled\""));
    assert_int_equal(ia_runs_stop(w.runs, a, &how, &err), IA_OK);
    assert_int_equal(how, IA_CANCEL_TOO_LATE);

    struct ia_buf list = IA_BUF(1 << 20);
    struct ia_jsonw json;
    const struct ia_run_filter all = {.limit = 0};
    ia_jsonw_init(&json, &list);
    assert_int_equal(ia_runs_list(w.setup.store, &all, &json, &err), IA_OK);
    const char *first = strstr(ia_buf_cstr(&list), c), *second = strstr(ia_buf_cstr(&list), b),
               *third = strstr(ia_buf_cstr(&list), a);
    assert_true(first && second && third && first < second && second < third);
    ia_buf_fini(&list);
    end_watch(&w, &told);
    end_watch(&w, &stopped);
    close_world(&w);
}

static void what_cannot_be_done_is_refused_before_anything_is_written(void **state)
{
    (void)state;
    struct world w;
    struct ia_err err = {.code = IA_OK};
    char id[IA_ID_SIZE];
    const char *expect = "nonsense";
    static const struct ia_run_request good = {
        .goal = GOAL, .device = "embedded", .model = IA_CLAUDE_MODEL, .demo_brain = true};
    struct ia_run_request device = good, expectation = good, key = good;
    const struct ia_run_request bare[] = {
        {.goal = GOAL, .model = IA_CLAUDE_MODEL, .demo_brain = true},
        {.goal = GOAL, .device = "embedded", .demo_brain = true},
        {.device = "embedded", .model = IA_CLAUDE_MODEL, .demo_brain = true},
    };
    device.device = "iphone";
    expectation.expect = &expect;
    expectation.expect_count = 1;
    key.demo_brain = false;
    open_world(&w);
    for (size_t i = 0; i < IA_COUNTOF(bare); i++) {
        assert_int_equal(ia_runs_start(w.runs, &bare[i], id, &err), IA_E_USAGE);
    }
    assert_int_equal(ia_runs_start(w.runs, &device, id, &err), IA_E_NO_DEVICE);
    assert_int_equal(ia_runs_start(w.runs, &expectation, id, &err), IA_E_PARSE);
    assert_int_equal(ia_runs_start(w.runs, &key, id, &err), IA_E_KEY_MISSING);
    assert_int_equal(ia_runs_say(w.setup.store, "x", NULL, " \n", NULL, &err), IA_E_USAGE);
    assert_int_equal(ia_runs_say(w.setup.store, "x", "", "y", NULL, &err), IA_E_USAGE);
    assert_int_equal(ia_runs_say(w.setup.store, "x", NULL, "y", NULL, &err), IA_E_NOT_FOUND);
    assert_null(ia_runs_watch(w.runs, "x", 0, on_event, NULL, &err));
    struct ia_buf list = IA_BUF(1024);
    struct ia_jsonw json;
    const struct ia_run_filter all = {.limit = 0};
    ia_jsonw_init(&json, &list);
    assert_int_equal(ia_runs_list(w.setup.store, &all, &json, &err), IA_OK);
    assert_string_equal(ia_buf_cstr(&list), "[]");
    ia_buf_fini(&list);
    close_world(&w);
}

static void a_watch_goes_on_after_the_event_that_its_client_had_last(void **state)
{
    (void)state;
    struct world w;
    struct watcher v, later;
    char id[IA_ID_SIZE];
    open_world(&w);
    start(&w, "embedded:a", id);
    watch(&w, &v, id, false);
    wait_for(&v, &v.ended);
    assert_true(v.seq > 3);
    watch_after(&w, &later, id, v.seq - 1, false);
    assert_true(later.ended && !later.begun);
    assert_int_equal(later.seq, v.seq);
    end_watch(&w, &later);
    watch_after(&w, &later, id, v.seq, false);
    assert_false(later.ended);
    end_watch(&w, &later);
    end_watch(&w, &v);
    close_world(&w);
}

struct caller {
    struct world *w;
    const char *id;
    int calls;
};

static void call_the_store(void *ctx, int64_t seq, enum ia_event_type event, struct ia_str json)
{
    struct caller *c = ctx;
    struct ia_err err = {.code = IA_OK};
    (void)seq;
    (void)event;
    (void)json;
    assert_state(c->w, c->id, "passed");
    assert_int_equal(ia_runs_say(c->w->setup.store, c->id, NULL, "seen", NULL, &err),
                     IA_E_STATE);
    c->calls++;
}

static void the_function_of_a_watch_may_use_the_store(void **state)
{
    (void)state;
    struct world w;
    struct watcher v;
    struct ia_err err = {.code = IA_OK};
    char id[IA_ID_SIZE];
    open_world(&w);
    start(&w, "embedded:a", id);
    watch(&w, &v, id, false);
    wait_for(&v, &v.ended);
    struct caller c = {.w = &w, .id = id};
    struct ia_runs_watch *handle =
        ia_runs_watch(w.runs, id, v.seq - 3, call_the_store, &c, &err);
    assert_non_null(handle);
    assert_true(c.calls >= 3);
    ia_runs_unwatch(w.runs, handle);
    end_watch(&w, &v);
    close_world(&w);
}

static void what_waits_on_a_device_nobody_named_is_done_with_all_lanes_only(void **state)
{
    (void)state;
    struct world w;
    struct watcher v;
    struct ia_err err = {.code = IA_OK};
    char waits[IA_ID_SIZE], other[IA_ID_SIZE];
    open_world(&w);
    queue_only(&w, "embedded:a", waits);
    start(&w, "embedded:b", other);
    watch(&w, &v, other, false);
    wait_for(&v, &v.ended);
    end_watch(&w, &v);
    assert_state(&w, waits, "queued");
    assert_int_equal(ia_runs_close(w.runs, 60000, &err), IA_OK);
    open_runs(&w, true);
    watch(&w, &v, waits, false);
    wait_for(&v, &v.ended);
    assert_state(&w, waits, "passed");
    end_watch(&w, &v);
    close_world(&w);
}

static void who_answers_is_decided_as_on_the_command_line(void **state)
{
    (void)state;
    struct world w;
    struct ia_err err = {.code = IA_OK};
    bool demo = false;
    open_world(&w);
    assert_int_equal(ia_runs_choose_model(w.runs, &demo, &err), IA_OK);
    assert_true(demo);
    assert_int_equal(ia_config_set(w.setup.config, IA_CFG_API_BASE_URL, "a test",
                                   "https://example.com", &err),
                     IA_OK);
    assert_int_equal(ia_runs_choose_model(w.runs, &demo, &err), IA_E_KEY_MISSING);
    assert_int_equal(ia_secret_new(ia_str("a key"), &w.credentials.api_key, &err), IA_OK);
    assert_int_equal(ia_runs_choose_model(w.runs, &demo, &err), IA_OK);
    assert_false(demo);
    close_world(&w);
    ia_credentials_fini(&w.credentials);
}

/* ---- a store that is locked while a run stops -------------------------------------------- */

/* A port that accepts connections and says nothing: opening the device behind it takes long. */
static int listen_silently(char device[64])
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof(at);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, n), 0);
    assert_int_equal(listen(fd, 8), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &n), 0);
    (void)snprintf(device, 64, "bridge:127.0.0.1:%d", ntohs(at.sin_port));
    return fd;
}

static void *close_runs(void *runs)
{
    struct ia_err err = {.code = IA_OK};
    if (ia_runs_close(runs, 60000, &err) != IA_OK) {
        return ia_strdup(err.msg);
    }
    return NULL;
}

/* The run's token has fired by then: the wait for the store must not end with it. */
static void a_run_that_is_stopped_while_the_store_is_locked_is_put_back(void **state)
{
    (void)state;
    enum { BUSY_MS = 50, LOCKED_MS = 500 };
    struct world w;
    struct ia_err err = {.code = IA_OK};
    struct ia_store *other = NULL;
    struct ia_tx *tx = NULL;
    char id[IA_ID_SIZE], device[64];
    open_world(&w);
    assert_int_equal(ia_runs_close(w.runs, 60000, &err), IA_OK);
    ia_store_close(w.setup.store);
    const struct ia_store_opts opts = {.home = w.home, .busy_ms = BUSY_MS};
    assert_int_equal(ia_store_open(&opts, &w.setup.store, &err), IA_OK);
    assert_int_equal(ia_store_open(&opts, &other, &err), IA_OK);
    open_runs(&w, false);
    int fd = listen_silently(device);
    start(&w, device, id);
    struct pollfd opening = {.fd = fd, .events = POLLIN};
    assert_int_equal(poll(&opening, 1, 30000), 1);
    assert_state(&w, id, "claimed");

    pthread_t closer;
    void *failure = NULL;
    assert_int_equal(ia_tx_begin(other, &tx, &err), IA_OK);
    assert_int_equal(pthread_create(&closer, NULL, close_runs, w.runs), 0);
    (void)poll(NULL, 0, LOCKED_MS);
    ia_tx_rollback(tx);
    pthread_join(closer, &failure);
    if (failure) {
        fail_msg("%s", (char *)failure);
    }
    assert_state(&w, id, "queued");
    ia_store_close(other);
    close(fd);
    ia_setup_close(&w.setup);
    tmpdir_free(w.home);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_is_watched_from_its_first_event_to_its_verdict),
        cmocka_unit_test(a_run_reads_what_it_is_told_and_others_are_stopped_and_listed),
        cmocka_unit_test(what_cannot_be_done_is_refused_before_anything_is_written),
        cmocka_unit_test(a_watch_goes_on_after_the_event_that_its_client_had_last),
        cmocka_unit_test(the_function_of_a_watch_may_use_the_store),
        cmocka_unit_test(what_waits_on_a_device_nobody_named_is_done_with_all_lanes_only),
        cmocka_unit_test(who_answers_is_decided_as_on_the_command_line),
        cmocka_unit_test(a_run_that_is_stopped_while_the_store_is_locked_is_put_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
