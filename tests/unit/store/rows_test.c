/* What is written to the store is what is read from it, and a transaction is all or nothing. */
#include "home.h"

/* ---- runs ------------------------------------------------------------------------------ */

static void a_new_run_is_queued_and_reads_back(void **state)
{
    struct ia_store *s = home_open(*state);
    const struct ia_run_new run = {
        .goal = "buy \"milk\"",
        .app = "com.example.shop",
        .model = "m",
        .lane = "embedded:demo",
        .expect = ia_str("[\"text \\\"paid\\\"\"]"),
        .budget = ia_str("{\"steps\":3}"),
        .demo = true,
    };
    char id[IA_ID_SIZE];
    struct ia_tx *tx = begin(s);
    ia_tx_add_run(tx, &run, id);
    commit(tx);
    struct ia_run_row *row = NULL;
    assert_rc(IA_OK, ia_store_run(s, id, &row, NULL));
    assert_string_equal(row->goal, "buy \"milk\"");
    assert_string_equal(row->app, "com.example.shop");
    assert_string_equal(row->expect, "[\"text \\\"paid\\\"\"]");
    assert_string_equal(row->budget, "{\"steps\":3}");
    assert_string_equal(row->device, "{}");
    assert_string_equal(ia_run_state_name(row->state), "queued");
    assert_null(row->hint);
    assert_null(row->code);
    assert_int_equal(row->attempt, 1);
    assert_true(row->demo);
    assert_false(row->usage.cost_known);
    assert_true(row->created_ms > 0);
    assert_int_equal(row->started_ms, 0);
    assert_false(ia_run_owner_alive(row));
    ia_run_row_free(row);
    ia_store_close(s);
}

static void an_id_given_by_the_caller_is_kept_and_a_malformed_one_refused(void **state)
{
    struct ia_store *s = home_open(*state);
    struct ia_run_new run = {.goal = "g", .model = "m", .lane = "l"};
    char made[IA_ID_SIZE], id[IA_ID_SIZE] = "";
    ia_id_new(ia_clock_system(), ia_rand_system(), made);
    run.id = made;
    struct ia_tx *tx = begin(s);
    ia_tx_add_run(tx, &run, id);
    commit(tx);
    assert_string_equal(id, made);

    struct ia_err err;
    tx = begin(s);
    ia_tx_add_run(tx, &run, id);
    assert_rc(IA_E_EXISTS, ia_tx_commit(tx, &err));
    run.id = "../evil";
    tx = begin(s);
    ia_tx_add_run(tx, &run, id);
    assert_rc(IA_E_USAGE, ia_tx_commit(tx, &err));
    ia_store_close(s);
}

static void every_move_is_allowed_or_refused_by_the_table(void **state)
{
    static const char *const allowed[] = {
        "queued claimed",       "queued cancelled", "claimed running",   "claimed queued",
        "claimed retry_wait",   "claimed error",    "claimed cancelled", "running passed",
        "running failed",       "running blocked",  "running error",     "running cancelled",
        "running retry_wait",   "running queued",   "retry_wait queued", "retry_wait error",
        "retry_wait cancelled",
    };
    (void)state;
    int found = 0;
    for (int from = 0; from < IA_RUN_STATE_COUNT; from++) {
        for (int to = 0; to < IA_RUN_STATE_COUNT; to++) {
            char name[40];
            snprintf(name, sizeof(name), "%s %s", ia_run_state_name((enum ia_run_state)from),
                     ia_run_state_name((enum ia_run_state)to));
            bool listed = false;
            for (size_t i = 0; i < IA_COUNTOF(allowed); i++) {
                listed = listed || strcmp(allowed[i], name) == 0;
            }
            found += listed;
            if (listed != ia_run_move_allowed((enum ia_run_state)from, (enum ia_run_state)to)) {
                fail_msg("%s: the table says otherwise", name);
            }
        }
    }
    assert_int_equal(found, IA_COUNTOF(allowed));
    assert_false(ia_run_move_allowed(IA_RUN_STATE_COUNT, IA_RUN_QUEUED));
}

static bool count_events(void *ctx, const struct ia_event_row *row)
{
    (void)row;
    (*(int *)ctx)++;
    return true;
}

static int events_of(struct ia_store *s, const char *run)
{
    int n = 0;
    assert_rc(IA_OK, ia_store_events(s, &(struct ia_event_range){run, 0, 0}, count_events, &n,
                                     NULL, NULL));
    return n;
}

static void an_illegal_move_changes_nothing(void **state)
{
    struct ia_store *s = home_open(*state);
    struct ia_err err;
    char id[IA_ID_SIZE];
    add_run(s, "l", id);
    int before = events_of(s, id);
    assert_rc(IA_E_STATE, move_run(s, id, IA_RUN_PASSED, &err));
    assert_contains(err.msg, "is queued and cannot become passed");
    assert_int_equal(events_of(s, id), before);
    assert_rc(IA_E_NOT_FOUND, move_run(s, "0199", IA_RUN_CLAIMED, &err));
    ia_store_close(s);
}

static void a_move_carries_its_event_and_its_columns(void **state)
{
    struct ia_store *s = home_open(*state);
    char id[IA_ID_SIZE];
    start_run(s, "l", id);
    const struct ia_event_run_finished finished = {.state = ia_str("failed")};
    const struct ia_run_moved end = {.event = IA_EVENT(&finished),
                                     .code = "BUDGET",
                                     .summary = "out of steps",
                                     .basis = "unverified",
                                     .result = ia_str("{\"a\":1}"),
                                     .screenshot = "abc"};
    struct ia_buf json = IA_BUF(4096);
    struct ia_tx *tx = begin(s);
    ia_run_move(tx, id, IA_RUN_FAILED, &end, &json);
    commit(tx);
    assert_contains(ia_buf_cstr(&json), "{\"event\":\"run.finished\",\"seq\":4,\"ts\":\"");
    assert_contains(ia_buf_cstr(&json),
                    "\",\"state\":\"failed\",\"code\":\"\",\"message\":\"\"}");
    struct ia_run_row *row = NULL;
    assert_rc(IA_OK, ia_store_run(s, id, &row, NULL));
    assert_int_equal(row->state, IA_RUN_FAILED);
    assert_string_equal(row->code, "BUDGET");
    assert_string_equal(row->summary, "out of steps");
    assert_string_equal(row->basis, "unverified");
    assert_string_equal(row->result, "{\"a\":1}");
    assert_string_equal(row->screenshot, "abc");
    assert_true(row->started_ms > 0 && row->finished_ms >= row->started_ms);
    assert_true(ia_run_owner_alive(row));
    ia_run_row_free(row);
    ia_buf_fini(&json);
    ia_store_close(s);
}

static void a_retry_counts_and_waits_for_its_time(void **state)
{
    struct ia_store *s = home_open(*state);
    char id[IA_ID_SIZE];
    start_run(s, "l", id);
    struct ia_tx *tx = begin(s);
    int64_t at = ia_tx_wall_ms(tx) + 5000;
    ia_run_move(tx, id, IA_RUN_RETRY_WAIT, &(struct ia_run_moved){.retry_at_ms = at}, NULL);
    commit(tx);
    struct ia_run_row *row = NULL;
    assert_rc(IA_OK, ia_store_run(s, id, &row, NULL));
    assert_true(row->retry_at_ms == at);
    assert_int_equal(row->attempt, 1);
    assert_false(ia_run_owner_alive(row));
    ia_run_row_free(row);
    assert_rc(IA_OK, move_run(s, id, IA_RUN_QUEUED, NULL));
    assert_rc(IA_OK, ia_store_run(s, id, &row, NULL));
    assert_int_equal(row->attempt, 2);
    assert_true(row->retry_at_ms == 0);
    ia_run_row_free(row);
    ia_store_close(s);
}

static void usage_and_notes_are_replaced_not_added(void **state)
{
    struct ia_store *s = home_open(*state);
    struct ia_usage_row usage = {10, 20, 30, 40, 0.25, true};
    char id[IA_ID_SIZE];
    start_run(s, "l", id);
    for (int i = 0; i < 2; i++) {
        struct ia_tx *tx = begin(s);
        ia_tx_set_usage(tx, id, 7, &usage);
        ia_tx_set_run_notes(tx, id, ia_str("the PIN is asked twice"));
        commit(tx);
    }
    struct ia_run_row *row = NULL;
    assert_rc(IA_OK, ia_store_run(s, id, &row, NULL));
    assert_int_equal(row->steps, 7);
    assert_memory_equal(&row->usage, &usage, offsetof(struct ia_usage_row, cost_known));
    assert_true(row->usage.cost_known);
    assert_string_equal(row->notes, "the PIN is asked twice");
    ia_run_row_free(row);
    ia_store_close(s);
}

static void a_run_is_found_by_the_start_or_the_end_of_its_id(void **state)
{
    struct ia_store *s = home_open(*state);
    struct ia_err err;
    struct ia_run_row *row = NULL;
    struct ia_run_new run = {.goal = "g", .model = "m", .lane = "l"};
    static const char *const ids[] = {"01999999-0000-7000-8000-00000000aaaa",
                                      "01999999-0000-7000-8000-00000000aaab",
                                      "01999998-0000-7000-8000-00000000bbbb"};
    char id[IA_ID_SIZE];
    for (size_t i = 0; i < IA_COUNTOF(ids); i++) {
        struct ia_tx *tx = begin(s);
        run.id = ids[i];
        ia_tx_add_run(tx, &run, id);
        commit(tx);
    }
    const struct {
        const char *text;
        const char *id; /* NULL: rc */
        enum ia_rc rc;
    } cases[] = {
        {"01999998", ids[2], IA_OK},
        {"aaab", ids[1], IA_OK},
        {"01999999", NULL, IA_E_USAGE},
        {ids[0], ids[0], IA_OK},
        {"0199", NULL, IA_E_USAGE},
        {"bbb", NULL, IA_E_NOT_FOUND},
        {"", NULL, IA_E_NOT_FOUND},
        {"%%%%%", NULL, IA_E_NOT_FOUND},
        {"cccc", NULL, IA_E_NOT_FOUND},
        {"01999999-0000-7000-8000-00000000aaac", NULL, IA_E_NOT_FOUND},
        {"01999999-0000-7000-8000-00000000aaaa-and-more", NULL, IA_E_NOT_FOUND},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        assert_rc(cases[i].rc, ia_store_run(s, cases[i].text, &row, &err));
        if (cases[i].id) {
            assert_string_equal(row->id, cases[i].id);
            ia_run_row_free(row);
        }
    }
    assert_rc(IA_E_USAGE, ia_store_run(s, "01999999", &row, &err));
    assert_contains(err.msg, ids[0]);
    assert_contains(err.msg, ids[1]);
    ia_store_close(s);
}

struct ids {
    char id[64][IA_ID_SIZE];
    int n;
    int stop_after;
};

static bool collect_run(void *ctx, const struct ia_run_row *row)
{
    struct ids *ids = ctx;
    memcpy(ids->id[ids->n++], row->id, IA_ID_SIZE);
    return ids->n != ids->stop_after;
}

static void runs_are_listed_newest_first_and_filtered(void **state)
{
    struct ia_store *s = home_open(*state);
    struct ia_vclock *vc = ia_vclock_new(1700000000000);
    ia_store_close(s);
    struct ia_store_opts opts = {.home = ((struct home *)*state)->dir,
                                 .clock = ia_vclock_clock(vc)};
    assert_rc(IA_OK, ia_store_open(&opts, &s, NULL));
    char id[5][IA_ID_SIZE];
    for (int i = 0; i < 5; i++) {
        ia_vclock_advance(vc, 2000);
        add_run(s, i % 2 ? "odd" : "even", id[i]);
    }
    assert_rc(IA_OK, move_run(s, id[0], IA_RUN_CANCELLED, NULL));

    struct ids all = {0}, some = {0}, odd = {0}, open = {0}, page = {0},
               first = {.stop_after = 1};
    assert_rc(IA_OK, ia_store_runs(s, NULL, collect_run, &all, NULL));
    assert_int_equal(all.n, 5);
    assert_string_equal(all.id[0], id[4]);
    assert_string_equal(all.id[4], id[0]);
    struct ia_run_filter limit = {.limit = 2};
    assert_rc(IA_OK, ia_store_runs(s, &limit, collect_run, &some, NULL));
    assert_int_equal(some.n, 2);
    struct ia_run_filter lane = {.lane = "odd"};
    assert_rc(IA_OK, ia_store_runs(s, &lane, collect_run, &odd, NULL));
    assert_int_equal(odd.n, 2);
    struct ia_run_filter unfinished = {.state = "unfinished"};
    assert_rc(IA_OK, ia_store_runs(s, &unfinished, collect_run, &open, NULL));
    assert_int_equal(open.n, 4);
    struct ia_run_filter before = {.before_id = id[2]};
    assert_rc(IA_OK, ia_store_runs(s, &before, collect_run, &page, NULL));
    assert_int_equal(page.n, 2);
    assert_string_equal(page.id[0], id[1]);
    assert_rc(IA_OK, ia_store_runs(s, NULL, collect_run, &first, NULL));
    assert_int_equal(first.n, 1);
    struct ia_err err;
    struct ia_run_filter wrong = {.state = "asleep"};
    assert_rc(IA_E_USAGE, ia_store_runs(s, &wrong, collect_run, &all, &err));
    assert_contains(err.hint, "retry_wait");
    ia_store_close(s);
    ia_vclock_free(vc);
}

static void cancelling_asks_a_live_owner_and_ends_a_waiting_run(void **state)
{
    struct ia_store *s = home_open(*state);
    char queued[IA_ID_SIZE], running[IA_ID_SIZE];
    enum ia_cancel_result result = IA_CANCEL_TOO_LATE;
    bool asked = true;
    add_run(s, "l", queued);
    start_run(s, "m", running);

    assert_rc(IA_OK, ia_store_cancel_requested(s, running, &asked, NULL));
    assert_false(asked);
    assert_rc(IA_OK, ia_store_cancel_run(s, running, &result, NULL));
    assert_int_equal(result, IA_CANCEL_ASKED);
    assert_rc(IA_OK, ia_store_cancel_requested(s, running, &asked, NULL));
    assert_true(asked);
    asked = false;
    assert_rc(IA_OK, ia_store_heartbeat(s, running, &asked, NULL));
    assert_true(asked);

    assert_rc(IA_OK, ia_store_cancel_run(s, queued, &result, NULL));
    assert_int_equal(result, IA_CANCEL_DONE);
    struct ia_run_row *row = NULL;
    assert_rc(IA_OK, ia_store_run(s, queued, &row, NULL));
    assert_int_equal(row->state, IA_RUN_CANCELLED);
    assert_string_equal(row->code, "CANCELLED");
    ia_run_row_free(row);
    assert_rc(IA_OK, ia_store_cancel_run(s, queued, &result, NULL));
    assert_int_equal(result, IA_CANCEL_TOO_LATE);
    assert_rc(IA_E_NOT_FOUND, ia_store_cancel_run(s, "nobody", &result, NULL));
    assert_rc(IA_E_NOT_FOUND, ia_store_cancel_requested(s, "nobody", &asked, NULL));
    ia_store_close(s);
}

/* ---- transcript, journal ----------------------------------------------------------------- */

static const char thinking[] =
    "[{\"type\":\"thinking\",\"thinking\":\"\\u00e4  \",\"signature\":\"x==\"} ]";

static bool check_message(void *ctx, const struct ia_message_row *m)
{
    int *n = ctx;
    (*n)++;
    assert_int_equal(m->seq, *n);
    assert_string_equal(m->role, *n % 2 ? "user" : "assistant");
    assert_int_equal(m->content.n, *n == 2 ? sizeof(thinking) - 1 : 2);
    if (*n == 2) {
        assert_memory_equal(m->content.p, thinking, m->content.n);
        assert_string_equal(m->stop_reason, "tool_use");
        assert_int_equal(m->usage.output, 4);
        assert_false(m->usage.cost_known);
        assert_int_equal(m->ms, 1234);
    }
    return true;
}

static void messages_keep_their_bytes_and_their_order(void **state)
{
    struct ia_store *s = home_open(*state);
    char id[IA_ID_SIZE];
    int seq = 0, n = 0, verify = 0;
    start_run(s, "l", id);
    struct ia_message_row user = {.role = "user", .content = ia_str("[]")};
    struct ia_message_row assistant = {.role = "assistant",
                                       .content = ia_str(thinking),
                                       .stop_reason = "tool_use",
                                       .usage = {1, 2, 3, 4, 0, false},
                                       .ms = 1234};
    struct ia_tx *tx = begin(s);
    ia_tx_add_message(tx, id, &user, &seq);
    assert_int_equal(seq, 1);
    ia_tx_add_message(tx, id, &assistant, &seq);
    assert_int_equal(seq, 2);
    commit(tx);
    assert_rc(IA_OK, ia_store_messages(s, id, NULL, check_message, &n, NULL));
    assert_int_equal(n, 2);
    assert_rc(IA_OK, ia_store_messages(s, id, "verify", check_message, &verify, NULL));
    assert_int_equal(verify, 0);
    ia_store_close(s);
}

static bool copy_call(void *ctx, const struct ia_call_row *c)
{
    struct ia_buf *b = ctx;
    ia_buf_printf(b, "%d/%d %s %s %.*s %s%s", c->message_seq, c->step, c->tool_use_id, c->name,
                  (int)c->input.n, c->input.p, c->has_effect ? "effect " : "",
                  c->state == IA_CALL_DONE ? "done" : "intent");
    if (c->state == IA_CALL_DONE) {
        ia_buf_printf(b, " %.*s %s%s %s %d [%.*s]", (int)c->result.n, c->result.p,
                      c->is_error ? "error " : "", c->code, c->outcome, (int)c->ms,
                      (int)c->screen.n, c->screen.p);
    }
    ia_buf_putc(b, ';');
    return true;
}

static void add_turn(struct ia_store *s, const char *id)
{
    struct ia_message_row m = {.role = "assistant", .content = ia_str("[]")};
    struct ia_call_row tap = {.step = 1,
                              .tool_use_id = "t1",
                              .name = "tap",
                              .input = ia_str("{\"ref\":\"@e1\"}"),
                              .has_effect = true};
    struct ia_call_row look = {
        .step = 2, .tool_use_id = "t2", .name = "snapshot", .input = ia_str("{}")};
    struct ia_tx *tx = begin(s);
    ia_tx_add_message(tx, id, &m, &tap.message_seq);
    look.message_seq = tap.message_seq;
    ia_tx_add_call(tx, id, &tap);
    ia_tx_add_call(tx, id, &look);
    commit(tx);
}

static void the_journal_shows_intents_until_they_have_results(void **state)
{
    struct ia_store *s = home_open(*state);
    char id[IA_ID_SIZE];
    struct ia_err err;
    struct ia_buf text = IA_BUF(4096);
    start_run(s, "l", id);
    add_turn(s, id);
    struct ia_call_row done = {.tool_use_id = "t1",
                               .result = ia_str("[1]"),
                               .is_error = true,
                               .code = "STALE_REF",
                               .outcome = "not_sent",
                               .screen = ia_str("3 icon Contacts"),
                               .ms = 5};
    struct ia_tx *tx = begin(s);
    ia_tx_set_result(tx, id, &done);
    commit(tx);
    assert_rc(IA_OK, ia_store_calls(s, id, copy_call, &text, NULL));
    assert_string_equal(ia_buf_cstr(&text),
                        "1/1 t1 tap {\"ref\":\"@e1\"} effect done [1] error STALE_REF "
                        "not_sent 5 [3 icon Contacts];1/2 t2 snapshot {} intent;");

    tx = begin(s);
    ia_tx_set_result(tx, id, &done);
    assert_rc(IA_E_STATE, ia_tx_commit(tx, &err));
    done.tool_use_id = "t3";
    tx = begin(s);
    ia_tx_set_result(tx, id, &done);
    assert_rc(IA_E_NOT_FOUND, ia_tx_commit(tx, &err));
    struct ia_call_row again = {
        .message_seq = 1, .step = 3, .tool_use_id = "t2", .name = "tap", .input = ia_str("{}")};
    tx = begin(s);
    ia_tx_add_call(tx, id, &again);
    assert_rc(IA_E_EXISTS, ia_tx_commit(tx, &err));
    again.tool_use_id = "t4";
    again.message_seq = 99;
    tx = begin(s);
    ia_tx_add_call(tx, id, &again);
    assert_rc(IA_E_NOT_FOUND, ia_tx_commit(tx, &err));
    ia_buf_fini(&text);
    ia_store_close(s);
}

static void content_beyond_the_cap_is_refused(void **state)
{
    struct ia_store *s = home_open(*state);
    struct ia_err err;
    struct ia_str big = {"", (size_t)IA_CONTENT_BYTES_MAX + 1}; /* refused before it is read */
    char id[IA_ID_SIZE];
    start_run(s, "l", id);
    add_turn(s, id);
    struct ia_message_row m = {.role = "user", .content = big};
    struct ia_call_row call = {
        .message_seq = 1, .step = 3, .tool_use_id = "t3", .name = "tap", .input = big};
    struct ia_call_row done = {.tool_use_id = "t1", .result = big};
    for (int i = 0; i < 3; i++) {
        struct ia_tx *tx = begin(s);
        if (i == 0) {
            ia_tx_add_message(tx, id, &m, NULL);
        } else if (i == 1) {
            ia_tx_add_call(tx, id, &call);
        } else {
            ia_tx_set_result(tx, id, &done);
        }
        assert_rc(IA_E_LIMIT, ia_tx_commit(tx, &err));
        assert_contains(err.msg, "is larger than 33554432");
    }
    ia_store_close(s);
}

/* ---- transactions ------------------------------------------------------------------------ */

static void one_failed_write_undoes_the_whole_transaction(void **state)
{
    struct ia_store *s = home_open(*state);
    struct ia_err err;
    char id[IA_ID_SIZE], other[IA_ID_SIZE] = "";
    start_run(s, "l", id);
    int before = events_of(s, id);
    struct ia_tx *tx = begin(s);
    ia_tx_add_event(tx, id, IA_EVENT(&(struct ia_event_notice){.text = ia_str("a")}), NULL);
    assert_false(ia_tx_failed(tx));
    ia_run_move(tx, id, IA_RUN_CLAIMED, NULL, NULL);
    assert_true(ia_tx_failed(tx));
    ia_tx_add_event(tx, id, IA_EVENT(&(struct ia_event_notice){.text = ia_str("b")}), NULL);
    ia_tx_add_run(tx, &(struct ia_run_new){.goal = "g", .model = "m", .lane = "l"}, other);
    assert_string_equal(other, "");
    assert_rc(IA_E_STATE, ia_tx_commit(tx, &err));
    assert_contains(err.msg, "is running and cannot become claimed");
    assert_int_equal(events_of(s, id), before);
    ia_store_close(s);
}

static void a_rollback_leaves_nothing_and_readers_see_only_commits(void **state)
{
    struct ia_store *s = home_open(*state);
    char id[IA_ID_SIZE];
    start_run(s, "l", id);
    int before = events_of(s, id);
    struct ia_tx *tx = begin(s);
    ia_tx_add_event(tx, id, IA_EVENT(&(struct ia_event_notice){.text = ia_str("a")}), NULL);
    assert_int_equal(events_of(s, id), before);
    ia_tx_rollback(tx);
    assert_int_equal(events_of(s, id), before);
    ia_tx_rollback(NULL);
    ia_store_close(s);
}

static void a_second_transaction_on_the_same_thread_is_refused_not_a_deadlock(void **state)
{
    struct ia_store *s = home_open(*state);
    struct ia_tx *tx = begin(s), *second = NULL;
    struct ia_err err;
    assert_rc(IA_E_INTERNAL, ia_tx_begin(s, &second, &err));
    assert_null(second);
    commit(tx);
    commit(begin(s));
    ia_store_close(s);
}

/* ---- events, cursors --------------------------------------------------------------------- */

struct seen {
    int64_t ids[16];
    char json[512];
    int n;
};

static bool see(void *ctx, const struct ia_event_row *row)
{
    struct seen *seen = ctx;
    seen->ids[seen->n++] = row->id;
    snprintf(seen->json, sizeof(seen->json), "%.*s", (int)row->json.n, row->json.p);
    return true;
}

static void events_are_numbered_per_run_and_read_on_from_any_id(void **state)
{
    struct ia_store *s = home_open(*state);
    char a[IA_ID_SIZE], b[IA_ID_SIZE];
    struct ia_buf json = IA_BUF(1000);
    add_run(s, "l", a);
    add_run(s, "m", b);
    struct ia_tx *tx = begin(s);
    ia_tx_add_event(tx, a, IA_EVENT(&(struct ia_event_notice){.text = ia_str("hi")}), NULL);
    ia_tx_add_event(tx, b, IA_EVENT(&(struct ia_event_run_interrupted){.owner_pid = 0}), &json);
    commit(tx);

    struct seen all = {0}, rest = {0}, only_b = {0};
    int64_t last = 0;
    assert_rc(IA_OK,
              ia_store_events(s, &(struct ia_event_range){NULL, 0, 0}, see, &all, &last, NULL));
    assert_int_equal(all.n, 4);
    assert_true(all.ids[0] < all.ids[1] && all.ids[1] < all.ids[2] && all.ids[2] < all.ids[3]);
    assert_true(last == all.ids[3]);
    assert_rc(IA_OK, ia_store_events(s, &(struct ia_event_range){NULL, all.ids[0], 2}, see,
                                     &rest, &last, NULL));
    assert_int_equal(rest.n, 2);
    assert_true(last == all.ids[2]);
    assert_rc(IA_OK,
              ia_store_events(s, &(struct ia_event_range){b, 0, 0}, see, &only_b, &last, NULL));
    assert_int_equal(only_b.n, 2);
    assert_string_equal(only_b.json, ia_buf_cstr(&json));
    char expected[200];
    snprintf(expected, sizeof(expected), "\",\"run\":\"%s\"}", b);
    assert_contains(only_b.json, "{\"event\":\"run.interrupted\",\"seq\":2,\"ts\":\"20");
    assert_contains(only_b.json, expected);
    last = -1;
    assert_rc(IA_OK, ia_store_events(s, &(struct ia_event_range){b, 1000, 0}, see, &only_b,
                                     &last, NULL));
    assert_true(last == 1000);
    ia_buf_fini(&json);
    ia_store_close(s);
}

static void an_event_that_is_too_large_or_of_no_run_is_refused(void **state)
{
    struct ia_store *s = home_open(*state);
    char id[IA_ID_SIZE];
    add_run(s, "l", id);
    struct ia_tx *tx = begin(s);
    char *big = ia_alloc(IA_EVENT_BYTES_MAX);
    memset(big, ' ', IA_EVENT_BYTES_MAX);
    const struct ia_event_notice notice = {.text = {big, IA_EVENT_BYTES_MAX}};
    ia_tx_add_event(tx, id, IA_EVENT(&notice), NULL);
    assert_rc(IA_E_LIMIT, ia_tx_commit(tx, NULL));
    tx = begin(s);
    ia_tx_add_event(tx, "no-such-run", IA_EVENT(&(struct ia_event_notice){.text = ia_str("a")}),
                    NULL);
    assert_rc(IA_E_NOT_FOUND, ia_tx_commit(tx, NULL));
    free(big);
    ia_store_close(s);
}

static void events_cannot_be_rewritten(void **state)
{
    struct home *h = *state;
    struct ia_store *s = home_open(h);
    char id[IA_ID_SIZE];
    add_run(s, "l", id);
    ia_store_close(s);
    char *error = raw_sql_error(h->db, "UPDATE events SET json = '{}'");
    assert_contains(error, "append-only");
    free(error);
}

static void a_cursor_moves_forward_only(void **state)
{
    struct ia_store *s = home_open(*state);
    int64_t id = -1;
    assert_rc(IA_OK, ia_store_cursor(s, "dashboard", &id, NULL));
    assert_true(id == 0);
    static const struct {
        int64_t set, then;
    } steps[] = {{5, 5}, {3, 5}, {9, 9}};
    for (size_t i = 0; i < IA_COUNTOF(steps); i++) {
        struct ia_tx *tx = begin(s);
        ia_tx_set_cursor(tx, "dashboard", steps[i].set);
        commit(tx);
        assert_rc(IA_OK, ia_store_cursor(s, "dashboard", &id, NULL));
        assert_true(id == steps[i].then);
    }
    ia_store_close(s);
}

/* ---- agents ------------------------------------------------------------------------------ */

static bool copy_agent(void *ctx, const struct ia_agent_row *a)
{
    ia_buf_printf(ctx, "%s|%s|%s|%s|%s;", a->name, a->model ? a->model : "-",
                  a->prompt ? a->prompt : "-", a->tools ? a->tools : "-", a->memory);
    return true;
}

static void an_agent_keeps_its_memory_when_it_is_reconfigured(void **state)
{
    struct ia_store *s = home_open(*state);
    struct ia_buf text = IA_BUF(1000);
    struct ia_agent_row agent = {.name = "qa", .model = "m1", .prompt = "be careful"};
    struct ia_tx *tx = begin(s);
    ia_tx_put_agent(tx, &agent);
    ia_tx_set_memory(tx, "qa", ia_str("# seen"));
    agent.model = "m2";
    agent.tools = "[\"tap\"]";
    agent.prompt = NULL;
    ia_tx_put_agent(tx, &agent);
    commit(tx);
    assert_rc(IA_OK, ia_store_agents(s, "qa", copy_agent, &text, NULL));
    assert_string_equal(ia_buf_cstr(&text), "qa|m2|-|[\"tap\"]|# seen;");
    assert_rc(IA_E_NOT_FOUND, ia_store_agents(s, "dev", copy_agent, &text, NULL));
    tx = begin(s);
    ia_tx_set_memory(tx, "dev", ia_str("x"));
    assert_rc(IA_E_NOT_FOUND, ia_tx_commit(tx, NULL));
    tx = begin(s);
    ia_tx_remove_agent(tx, "dev");
    assert_rc(IA_E_NOT_FOUND, ia_tx_commit(tx, NULL));
    ia_buf_fini(&text);
    ia_store_close(s);
}

static void a_session_follows_its_agent(void **state)
{
    struct ia_store *s = home_open(*state);
    char run[IA_ID_SIZE], found[IA_ID_SIZE] = "x";
    add_run(s, "l", run);
    struct ia_tx *tx = begin(s);
    ia_tx_put_agent(tx, &(struct ia_agent_row){.name = "qa"});
    commit(tx);
    assert_rc(IA_OK, ia_store_session(s, "qa", found, NULL));
    assert_string_equal(found, "");
    tx = begin(s);
    ia_tx_set_session(tx, "qa", run);
    commit(tx);
    assert_rc(IA_OK, ia_store_session(s, "qa", found, NULL));
    assert_string_equal(found, run);
    tx = begin(s);
    ia_tx_remove_agent(tx, "qa");
    commit(tx);
    assert_rc(IA_OK, ia_store_session(s, "qa", found, NULL));
    assert_string_equal(found, "");
    ia_store_close(s);
}

#define T(name) cmocka_unit_test_setup_teardown(name, home_make, home_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_new_run_is_queued_and_reads_back),
        T(an_id_given_by_the_caller_is_kept_and_a_malformed_one_refused),
        T(every_move_is_allowed_or_refused_by_the_table),
        T(an_illegal_move_changes_nothing),
        T(a_move_carries_its_event_and_its_columns),
        T(a_retry_counts_and_waits_for_its_time),
        T(usage_and_notes_are_replaced_not_added),
        T(a_run_is_found_by_the_start_or_the_end_of_its_id),
        T(runs_are_listed_newest_first_and_filtered),
        T(cancelling_asks_a_live_owner_and_ends_a_waiting_run),
        T(messages_keep_their_bytes_and_their_order),
        T(the_journal_shows_intents_until_they_have_results),
        T(content_beyond_the_cap_is_refused),
        T(one_failed_write_undoes_the_whole_transaction),
        T(a_rollback_leaves_nothing_and_readers_see_only_commits),
        T(a_second_transaction_on_the_same_thread_is_refused_not_a_deadlock),
        T(events_are_numbered_per_run_and_read_on_from_any_id),
        T(an_event_that_is_too_large_or_of_no_run_is_refused),
        T(events_cannot_be_rewritten),
        T(a_cursor_moves_forward_only),
        T(an_agent_keeps_its_memory_when_it_is_reconfigured),
        T(a_session_follows_its_agent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
