/* Runs through app/runs.h as a server uses it: no command line is linked here. */
#include "test.h"
#include "tmpdir.h"

#include "app/runs.h"

#include <pthread.h>

#define GOAL "open Settings, turn on Airplane Mode"

/* A home with a store, and threads that do runs. */
struct world {
    char *home;
    struct ia_setup setup;
    struct ia_credentials credentials;
    struct ia_runs *runs;
};

static void open_world(struct world *w)
{
    struct ia_err err = {.code = IA_OK};
    *w = (struct world){.home = tmpdir_new()};
    assert_int_equal(setenv("IOS_AGENT_HOME", w->home, 1), 0);
    assert_int_equal(ia_setup_store(&w->setup, "test server", &err), IA_OK);
    struct ia_runs_opts opts = {
        .setup = &w->setup, .credentials = &w->credentials, .max_runs = 4};
    assert_int_equal(ia_runs_open(&opts, &w->runs, &err), IA_OK);
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
        .goal = GOAL, .device = device, .model = "claude-sonnet-5", .demo_brain = true};
    enum ia_rc rc = ia_runs_start(w->runs, &request, id, &err);
    if (rc != IA_OK) {
        fail_msg("%s: %s", ia_rc_name(rc), err.msg);
    }
}

/* ---- a watcher that can hold its run ----------------------------------------------------- */

struct watcher {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool hold;         /* the first event waits until it is let go */
    bool begun, ended; /* run.started and run.finished came */
    int64_t seq;       /* of the last event */
    int gaps;          /* events that did not follow the one before */
    int messages;      /* message.taken */
    struct ia_buf last;
    struct ia_runs_watch *watch;
};

static void on_event(void *ctx, enum ia_event_type event, struct ia_str json)
{
    struct watcher *v = ctx;
    const char *seq = strstr(json.p, "\"seq\":");
    pthread_mutex_lock(&v->mutex);
    int64_t n = seq ? strtoll(seq + strlen("\"seq\":"), NULL, 10) : 0;
    v->gaps += n != 0 && n != v->seq + 1;
    v->seq = n > 0 ? n : v->seq;
    v->begun = v->begun || event == IA_EVENT_RUN_STARTED;
    v->ended = v->ended || event == IA_EVENT_RUN_FINISHED;
    v->messages += event == IA_EVENT_MESSAGE_TAKEN;
    ia_buf_reset(&v->last);
    ia_buf_putstr(&v->last, json);
    pthread_cond_broadcast(&v->changed);
    while (v->hold && v->begun) {
        pthread_cond_wait(&v->changed, &v->mutex);
    }
    pthread_mutex_unlock(&v->mutex);
}

static void watch(struct world *w, struct watcher *v, const char *id, bool hold)
{
    struct ia_err err = {.code = IA_OK};
    *v = (struct watcher){.hold = hold, .last = IA_BUF(1 << 20)};
    pthread_mutex_init(&v->mutex, NULL);
    pthread_cond_init(&v->changed, NULL);
    v->watch = ia_runs_watch(w->runs, id, on_event, v, &err);
    assert_non_null(v->watch);
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
    start(&w, "embedded:a", a);
    watch(&w, &told, a, true);
    wait_for(&told, &told.begun);
    /* The device is held: these two wait for it. */
    start(&w, "embedded:a", b);
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
        .goal = GOAL, .device = "embedded", .model = "claude-sonnet-5", .demo_brain = true};
    struct ia_run_request device = good, expectation = good, key = good;
    device.device = "iphone";
    expectation.expect = &expect;
    expectation.expect_count = 1;
    key.demo_brain = false;
    open_world(&w);
    assert_int_equal(ia_runs_start(w.runs, &device, id, &err), IA_E_NO_DEVICE);
    assert_int_equal(ia_runs_start(w.runs, &expectation, id, &err), IA_E_PARSE);
    assert_int_equal(ia_runs_start(w.runs, &key, id, &err), IA_E_KEY_MISSING);
    assert_int_equal(ia_runs_say(w.setup.store, "x", NULL, " \n", NULL, &err), IA_E_USAGE);
    assert_int_equal(ia_runs_say(w.setup.store, "x", "", "y", NULL, &err), IA_E_USAGE);
    assert_int_equal(ia_runs_say(w.setup.store, "x", NULL, "y", NULL, &err), IA_E_NOT_FOUND);
    assert_null(ia_runs_watch(w.runs, "x", on_event, NULL, &err));
    struct ia_buf list = IA_BUF(1024);
    struct ia_jsonw json;
    const struct ia_run_filter all = {.limit = 0};
    ia_jsonw_init(&json, &list);
    assert_int_equal(ia_runs_list(w.setup.store, &all, &json, &err), IA_OK);
    assert_string_equal(ia_buf_cstr(&list), "[]");
    ia_buf_fini(&list);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_is_watched_from_its_first_event_to_its_verdict),
        cmocka_unit_test(a_run_reads_what_it_is_told_and_others_are_stopped_and_listed),
        cmocka_unit_test(what_cannot_be_done_is_refused_before_anything_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
