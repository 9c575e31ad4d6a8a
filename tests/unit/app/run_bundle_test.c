/* A run as one text and back: the rows of the run that takes it over say what those of the run that was done say. */
#include "test.h"
#include "tmpdir.h"

#include "app/run_bundle.h"
#include "store/fleet_runs.h"

#include <jansson.h>

#define SHA "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

struct world {
    char *home;
    struct ia_store *store;
    char done[IA_ID_SIZE], here[IA_ID_SIZE];
};

static struct ia_tx *begin(struct world *w)
{
    struct ia_tx *tx = NULL;
    assert_int_equal(ia_tx_begin(w->store, &tx, NULL), IA_OK);
    return tx;
}

static void commit(struct ia_tx *tx)
{
    struct ia_err err = {0};
    enum ia_rc rc = ia_tx_commit(tx, &err);
    if (rc != IA_OK) {
        fail_msg("%s: %s", ia_rc_name(rc), err.msg);
    }
}

static void add(struct world *w, char id[IA_ID_SIZE])
{
    const struct ia_run_new run = {.goal = "open Settings", .model = "m", .lane = "embedded:a"};
    struct ia_tx *tx = begin(w);
    ia_tx_add_run(tx, &run, id);
    commit(tx);
    tx = begin(w);
    ia_run_move(tx, id, IA_RUN_CLAIMED, NULL, NULL);
    commit(tx);
}

/* A step with its input, its result, and texts that are no JSON of ours. */
static void do_step(struct world *w)
{
    const struct ia_message_row message = {
        .role = "assistant",
        .purpose = "act",
        .content = ia_str("[{\"type\":\"text\",\"text\":\"\\u00e9 \\\"x\\\"\"}]"),
        .stop_reason = "tool_use",
        .usage = {.input = 12, .output = 3, .cost_usd = 0.25, .cost_known = true},
        .ms = 40};
    struct ia_call_row call = {.message_seq = 1,
                               .step = 1,
                               .tool_use_id = "toolu_1",
                               .name = "tap",
                               .input = ia_str("{\"ref\":\"e1\"}"),
                               .has_effect = true,
                               .result = ia_str("[{\"type\":\"text\",\"text\":\"ok\"}]"),
                               .outcome = "sent",
                               .ms = 7,
                               .screen = ia_str("Settings\n  @e1 button \"A\"")};
    const struct ia_event_tool_started started = {
        .step = 1,
        .id = ia_str("toolu_1"),
        .tool = ia_str("tap"),
        .input = {.text = ia_str("{\"ref\":\"e1\"}")}};
    const struct ia_event_picture picture = {
        .step = 1, .image = ia_str(SHA), .width = 390, .height = 844};
    struct ia_tx *tx = begin(w);
    ia_tx_add_message(tx, w->done, &message, NULL);
    ia_tx_add_call(tx, w->done, &call);
    ia_tx_add_event(tx, w->done, IA_EVENT(&started), NULL);
    ia_tx_set_result(tx, w->done, &call);
    ia_tx_add_event(tx, w->done, IA_EVENT(&picture), NULL);
    commit(tx);
}

static void finish(struct world *w)
{
    const struct ia_usage_row usage = {
        .input = 12, .output = 3, .cost_usd = 0.25, .cost_known = true};
    const struct ia_event_run_finished finished = {
        .state = ia_str("passed"),
        .code = ia_str("OK"),
        .message = ia_str("done"),
        .record = {.has = true, .screenshot = ia_str("/Users/them/screens/x.png")}};
    const struct ia_run_moved moved = {
        .event = IA_EVENT(&finished),
        .code = "OK",
        .summary = "done",
        .basis = "expect",
        .result = ia_str("{\"steps\":1,\"screenshot\":\"/Users/them/x.png\"}"),
        .screenshot = SHA};
    struct ia_tx *tx = begin(w);
    ia_tx_set_usage(tx, w->done, 1, &usage);
    ia_tx_set_run_notes(tx, w->done, ia_str("a note"));
    ia_run_move(tx, w->done, IA_RUN_PASSED, &moved, NULL);
    commit(tx);
}

static int setup(void **state)
{
    struct world *w = calloc(1, sizeof(*w));
    w->home = tmpdir_new();
    struct ia_store_opts opts = {.home = w->home, .command = "test"};
    assert_int_equal(ia_store_open(&opts, &w->store, NULL), IA_OK);
    add(w, w->done);
    const struct ia_event_run_started started = {
        {.goal = ia_str("open Settings"),
         .device = {true, ia_str("embedded"), ia_str("embedded:a"), ia_str("iPhone"),
                    ia_str("iOS 18.5"), true},
         .model = ia_str("m")}};
    const struct ia_run_moved moved = {.event = IA_EVENT(&started)};
    struct ia_tx *tx = begin(w);
    ia_run_move(tx, w->done, IA_RUN_RUNNING, &moved, NULL);
    commit(tx);
    do_step(w);
    finish(w);
    add(w, w->here);
    *state = w;
    return 0;
}

static int teardown(void **state)
{
    struct world *w = *state;
    ia_store_close(w->store);
    tmpdir_free(w->home);
    free(w);
    return 0;
}

static void write_bundle(struct world *w, struct ia_buf *text)
{
    *text = IA_BUF(IA_BUNDLE_BYTES_MAX);
    assert_int_equal(ia_run_bundle_write(w->store, w->done, text, NULL), IA_OK);
}

static enum ia_rc take(struct world *w, struct ia_str text, struct ia_err *err)
{
    struct ia_run_bundle *b = NULL;
    enum ia_rc rc = ia_run_bundle_read(text, w->here, &b, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_tx *tx = begin(w);
    rc = ia_run_bundle_take(tx, w->here, "mac-1", 2, b, err);
    if (rc == IA_OK) {
        rc = ia_tx_commit(tx, err);
    } else {
        ia_tx_rollback(tx);
    }
    ia_run_bundle_free(b);
    return rc;
}

static void rows_are_those_of_the_run_that_was_done(void **state)
{
    struct world *w = *state;
    struct ia_buf text;
    struct ia_err err = {0};
    struct ia_run_row *a = NULL;
    struct ia_run_row *b = NULL;
    write_bundle(w, &text);
    if (take(w, ia_buf_str(&text), &err) != IA_OK) {
        fail_msg("%s", err.msg);
    }
    assert_int_equal(ia_store_run(w->store, w->done, &a, NULL), IA_OK);
    assert_int_equal(ia_store_run(w->store, w->here, &b, NULL), IA_OK);
    assert_int_equal(b->state, IA_RUN_PASSED);
    assert_string_equal(b->summary, a->summary);
    assert_string_equal(b->basis, a->basis);
    assert_string_equal(b->result, "{\"steps\":1,\"screenshot\":null}");
    assert_string_equal(b->screenshot, SHA);
    assert_string_equal(b->notes, "a note");
    assert_string_equal(b->lane, "mac-1/embedded:a");
    assert_int_equal(b->steps, 1);
    assert_int_equal(b->usage.input, 12);
    assert_true(b->usage.cost_known);
    assert_int_equal(b->started_ms, a->started_ms);
    assert_int_equal(b->finished_ms, a->finished_ms);
    ia_run_row_free(a);
    ia_run_row_free(b);
    ia_buf_fini(&text);
}

struct texts {
    struct ia_buf out;
};

static bool put_event(void *ctx, const struct ia_event_row *row)
{
    struct texts *t = ctx;
    ia_buf_printf(&t->out, "%lld %s %s\n", (long long)row->seq, row->run_id, row->json.p);
    return true;
}

static bool put_message(void *ctx, const struct ia_message_row *m)
{
    ia_buf_printf(&((struct texts *)ctx)->out, "%d %s %.*s %lld %lld\n", m->seq, m->role,
                  (int)m->content.n, m->content.p, (long long)m->created_ms,
                  (long long)m->usage.input);
    return true;
}

static bool put_call(void *ctx, const struct ia_call_row *c)
{
    ia_buf_printf(&((struct texts *)ctx)->out, "%d %s %.*s %.*s %.*s %lld %lld %d\n", c->step,
                  c->tool_use_id, (int)c->input.n, c->input.p, (int)c->result.n, c->result.p,
                  (int)c->screen.n, c->screen.p, (long long)c->intent_ms, (long long)c->done_ms,
                  (int)c->state);
    return true;
}

static void transcript_and_journal_are_the_same_byte_for_byte(void **state)
{
    struct world *w = *state;
    struct ia_buf text;
    struct ia_err err = {0};
    struct texts a = {IA_BUF(1 << 20)};
    struct texts b = {IA_BUF(1 << 20)};
    write_bundle(w, &text);
    assert_int_equal(take(w, ia_buf_str(&text), &err), IA_OK);
    assert_int_equal(ia_store_messages(w->store, w->done, NULL, put_message, &a, NULL), IA_OK);
    assert_int_equal(ia_store_calls(w->store, w->done, put_call, &a, NULL), IA_OK);
    assert_int_equal(ia_store_messages(w->store, w->here, NULL, put_message, &b, NULL), IA_OK);
    assert_int_equal(ia_store_calls(w->store, w->here, put_call, &b, NULL), IA_OK);
    assert_true(a.out.len > 100);
    assert_string_equal(ia_buf_cstr(&a.out), ia_buf_cstr(&b.out));
    ia_buf_fini(&a.out);
    ia_buf_fini(&b.out);
    ia_buf_fini(&text);
}

static void events_follow_those_that_are_here(void **state)
{
    struct world *w = *state;
    struct ia_buf text;
    struct ia_err err = {0};
    struct texts t = {IA_BUF(1 << 20)};
    const struct ia_event_range range = {.run_id = w->here};
    write_bundle(w, &text);
    assert_int_equal(take(w, ia_buf_str(&text), &err), IA_OK);
    assert_int_equal(ia_store_events(w->store, &range, put_event, &t, NULL, NULL), IA_OK);
    const char *all = ia_buf_cstr(&t.out);
    assert_non_null(strstr(all, "\"event\":\"run.placed\""));
    assert_non_null(strstr(all, "\"worker\":\"mac-1\",\"attempt\":2"));
    assert_non_null(strstr(all, "\"input\":{\"ref\":\"e1\"}"));
    assert_null(strstr(all, w->done));       /* its id there is known to nobody here */
    assert_null(strstr(all, "/Users/them")); /* nor are its files */
    int lines = 0;
    for (const char *p = all; (p = strchr(p, '\n')) != NULL; p++) {
        lines++;
    }
    /* queued and claimed here; placed, claimed there, started, tool.started, picture, finished */
    assert_int_equal(lines, 8);
    ia_buf_fini(&t.out);
    ia_buf_fini(&text);
}

/* Changes one member of the bundle, and expects that nothing of it comes in. */
static void refused(struct world *w, const char *member, json_t *value, enum ia_rc rc)
{
    struct ia_buf text;
    struct ia_err err = {0};
    struct ia_run_row *row = NULL;
    write_bundle(w, &text);
    json_t *doc = json_loadb(text.p, text.len, 0, NULL);
    json_object_set_new(doc, member, value);
    char *changed = json_dumps(doc, 0);
    print_message("%s\n", member);
    assert_int_equal(take(w, ia_str(changed), &err), rc);
    assert_int_equal(ia_store_run(w->store, w->here, &row, NULL), IA_OK);
    assert_int_equal(row->state, IA_RUN_CLAIMED);
    ia_run_row_free(row);
    free(changed);
    json_decref(doc);
    ia_buf_fini(&text);
}

static void what_no_run_could_have_done_is_refused_whole(void **state)
{
    struct world *w = *state;
    refused(w, "v", json_integer(2), IA_E_PARSE);
    refused(w, "state", json_string("running"), IA_E_PARSE);
    refused(w, "state", json_integer(1), IA_E_PARSE);
    refused(w, "events", json_array(), IA_E_PARSE);
    refused(w, "events", json_pack("[{s:s}]", "event", "x"), IA_E_PARSE);
    refused(w, "run", json_string("01890000-0000-7000-8000-000000000002"), IA_E_PARSE);
    refused(w, "messages", json_pack("[{s:s}]", "role", "assistant"), IA_E_PARSE);
    refused(w, "messages",
            json_pack("[{s:s,s:s,s:s,s:i}]", "role", "god", "purpose", "act", "content", "[]",
                      "seq", 1),
            IA_E_DB);
    refused(w, "messages",
            json_pack("[{s:s,s:s,s:s,s:i}]", "role", "user", "purpose", "act", "content", "[",
                      "seq", 1),
            IA_E_PARSE);
    refused(w, "messages",
            json_pack("[{s:s,s:s,s:s,s:i}]", "role", "user", "purpose", "act", "content", "[]",
                      "seq", 9),
            IA_E_PARSE);
    refused(w, "calls", json_pack("[{s:s}]", "id", "x"), IA_E_PARSE);
}

static void a_run_that_is_not_over_has_no_bundle(void **state)
{
    struct world *w = *state;
    struct ia_buf text = IA_BUF(1 << 20);
    assert_int_equal(ia_run_bundle_write(w->store, w->here, &text, NULL), IA_E_STATE);
    ia_buf_fini(&text);
}

static bool keep_row(void *ctx, const struct ia_fleet_run_row *row)
{
    *(int *)ctx = row->attempt;
    return true;
}

static void a_row_of_the_fleet_keeps_its_key_and_its_newest_attempt(void **state)
{
    struct world *w = *state;
    struct ia_fleet_run_row row = {.run_id = w->here,
                                   .batch = w->done,
                                   .order_run = w->done,
                                   .state = IA_FLEET_RUN_HELD,
                                   .key = {1, 2, 3},
                                   .attempt = 2};
    int attempt = 0;
    bool found = false;
    struct ia_tx *tx = begin(w);
    ia_tx_put_fleet_run(tx, &row);
    row.attempt = 1;
    ia_tx_put_fleet_run(tx, &row);
    commit(tx);
    assert_int_equal(ia_store_fleet_order(w->store, w->done, keep_row, &attempt, &found, NULL),
                     IA_OK);
    assert_true(found);
    assert_int_equal(attempt, 2);
    tx = begin(w);
    ia_tx_end_fleet_run(tx, w->here, IA_FLEET_RUN_COUNTED, "mac-1", "http://x");
    commit(tx);
    attempt = 0;
    assert_int_equal(ia_store_fleet_fetches(w->store, w->done, keep_row, &attempt, NULL),
                     IA_OK);
    assert_int_equal(attempt, 2);
    tx = begin(w);
    ia_tx_fetched_fleet_run(tx, w->here);
    commit(tx);
    attempt = 0;
    assert_int_equal(ia_store_fleet_fetches(w->store, w->done, keep_row, &attempt, NULL),
                     IA_OK);
    assert_int_equal(attempt, 0);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(rows_are_those_of_the_run_that_was_done),
        T(transcript_and_journal_are_the_same_byte_for_byte),
        T(events_follow_those_that_are_here),
        T(what_no_run_could_have_done_is_refused_whole),
        T(a_run_that_is_not_over_has_no_bundle),
        T(a_row_of_the_fleet_keeps_its_key_and_its_newest_attempt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
