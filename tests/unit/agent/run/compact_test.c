/* compact_test.c: conversations that grow beyond what the request allows and go on from a summary. */
#include "test.h"

#include "rig.h"

#include "store/queue.h"

#include <stdio.h>

#define GOAL "wait for Contacts"
enum { LIMIT = 3500, TURNS = 20, TALK_BYTES = 1200 };

/* Turns of about 300 tokens, known by the step that the newest message reports, and an end. */
static char *script(void)
{
    struct ia_buf b = IA_BUF(1 << 20);
    /* The message behind a summary names the step, and has no result of it. */
    ia_buf_puts(&b, "{\"turns\":[");
    for (int i = 0; i < 2; i++) {
        char match[64];
        snprintf(match, sizeof(match),
                 i ? "\"user_text\":\"step %d\\n\"" : "\"latest\":\"step %d ok\"", TURNS);
        ia_buf_printf(&b,
                      "%s{\"match\":{%s},\"blocks\":[{\"tool_use\":\"finish\",\"input\":{"
                      "\"verdict\":\"blocked\",\"summary\":\"waited\",\"evidence\":[]}}]}",
                      i ? "," : "", match);
    }
    ia_buf_puts(&b, "],\"default\":{\"blocks\":[{\"thinking\":\"still\"},{\"text\":\"");
    for (int i = 0; i < TALK_BYTES; i++) {
        ia_buf_putc(&b, i % 6 == 5 ? ' ' : 'x');
    }
    ia_buf_puts(&b, "\"},{\"tool_use\":\"wait_for\",\"input\":{\"until\":\"exists\","
                    "\"element\":\"icon \\\"Contacts\\\"\",\"seconds\":1}}]}}");
    return ia_buf_steal(&b);
}

static void open_rig(struct rig *r, const char *faults)
{
    char *text = script();
    rig_open(r, text, faults);
    r->req.context_tokens = LIMIT;
    free(text);
}

static void expect_waited(struct rig *r)
{
    rig_expect(r, "blocked", IA_E_BLOCKED);
    assert_int_equal(r->result.steps, TURNS + 1);
}

static double field(const char *json, const char *name)
{
    char key[64];
    snprintf(key, sizeof(key), "\"%s\":", name);
    const char *at = json ? strstr(json, key) : NULL;
    return at ? strtod(at + strlen(key), NULL) : -1;
}

/* The most that one request of the run sent. */
static int64_t most_sent(const struct rig *r)
{
    double most = 0;
    for (const char *at = ia_buf_cstr(&r->events);
         (at = strstr(at, "{\"event\":\"request.finished\"")) != NULL; at++) {
        double sent = field(at, "input") + field(at, "cache_read") + field(at, "cache_write");
        most = sent > most ? sent : most;
    }
    return (int64_t)most;
}

static void a_long_conversation_goes_on_from_the_summary_of_the_model(void **state)
{
    (void)state;
    struct rig r;
    open_rig(&r, NULL);
    rig_run(&r, GOAL);
    expect_waited(&r);
    int n = rig_count(&r, "context.compacted");
    assert_in_range(n, 2, 4);
    assert_non_null(strstr(rig_event(&r, "context.compacted"), "\"by\":\"model\""));
    assert_true(field(rig_event(&r, "context.compacted"), "tokens") > LIMIT);
    /* One request a step and one a summary, and none is much above what is allowed. */
    assert_int_equal(rig_count(&r, "request.finished"), TURNS + 1 + n);
    assert_in_range(most_sent(&r), LIMIT / 2, LIMIT + 600);
    rig_no_rejects(&r);
    rig_close(&r);
}

static void what_a_summary_used_is_counted_and_billed(void **state)
{
    (void)state;
    struct rig r;
    open_rig(&r, NULL);
    rig_run(&r, GOAL);
    expect_waited(&r);
    const char *summary = strstr(ia_buf_cstr(&r.events), "\"stop_reason\":\"compaction\"");
    assert_non_null(summary);
    assert_true(field(summary, "cache_read") > 1000);
    assert_true(field(summary, "output") > 50);
    assert_true(field(summary, "cost_usd") > 0);
    /* What the double counted is what the run says it used. */
    char *stats = rig_mock_stats(&r);
    const char *end = rig_event(&r, "run.finished");
    const char *tokens = strstr(stats, "\"tokens\":");
    assert_int_equal(field(tokens, "output"), field(strstr(end, "\"tokens\":"), "output"));
    assert_int_equal(field(tokens, "cache_read"),
                     field(strstr(end, "\"tokens\":"), "cache_read"));
    free(stats);
    rig_close(&r);
}

static void without_a_summary_of_the_model_it_goes_on_from_a_list(void **state)
{
    (void)state;
    static const struct {
        const char *model, *faults;
    } rows[] = {
        {"claude-haiku-4-5", NULL}, /* has none */
        {RIG_MODEL, "400@7"},       /* request 7 is the first that asks for one */
        {RIG_MODEL, "500@7-9"},     /* with its retries */
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct rig r;
        open_rig(&r, rows[i].faults);
        r.req.model = rows[i].model;
        rig_run(&r, GOAL);
        expect_waited(&r);
        const char *first = strstr(ia_buf_cstr(&r.events), "{\"event\":\"context.compacted\"");
        assert_non_null(first);
        if (!strstr(first, "\"by\":\"steps\"")) {
            fail_msg("row %zu: %.200s", i, first);
        }
        assert_in_range(most_sent(&r), LIMIT / 2, LIMIT + 600);
        rig_no_rejects(&r);
        rig_close(&r);
    }
}

static void interrupt_at_16(struct rig *r, enum ia_event_type event, struct ia_str json)
{
    (void)json;
    if (event == IA_EVENT_TOOL_FINISHED && rig_count(r, "tool.finished") == 16) {
        r->interrupt = true;
        ia_cancel_fire(r->cancel);
    }
}

static void an_interrupted_run_resumes_behind_the_summary(void **state)
{
    (void)state;
    static const char *const models[] = {RIG_MODEL, "claude-haiku-4-5"};
    for (size_t i = 0; i < IA_COUNTOF(models); i++) {
        struct rig r;
        open_rig(&r, NULL);
        r.req.model = models[i];
        r.on_event = interrupt_at_16;
        rig_run(&r, GOAL);
        assert_string_equal(r.result.state, "queued");
        assert_true(rig_count(&r, "context.compacted") > 0);
        r.on_event = NULL;
        rig_go_on(&r, r.result.id);
        expect_waited(&r);
        /* The whole transcript would be twice that. */
        assert_in_range(most_sent(&r), LIMIT / 4, LIMIT + 600);
        rig_no_rejects(&r);
        rig_close(&r);
    }
}

/* What is refused is matched before the script; what goes on from a list is answered. */
static void a_conversation_that_is_refused_goes_on_from_a_list(void **state)
{
    (void)state;
    static const struct {
        const char *match, *message;
        int limit;
    } rows[] = {
        {"\"user_text\":\"This conversation was shortened\"",
         "messages.0.content.0: compaction blocks cannot be read", LIMIT},
        {"\"turn\":9", "prompt is too long: 9 tokens > 8 maximum", 0},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct rig r;
        struct ia_buf refuses = IA_BUF(1 << 20);
        char *text = script();
        const char *turns = strchr(text, '[') + 1;
        ia_buf_printf(
            &refuses,
            "%.*s{\"match\":{\"any_text\":\"<steps>\",\"turn\":0},\"blocks\":[{"
            "\"tool_use\":\"wait_for\",\"input\":{\"until\":\"settled\"}}]},{\"match\":{"
            "%s},\"error\":{\"status\":400,\"message\":\"%s\"}},%s",
            (int)(turns - text), text, rows[i].match, rows[i].message, turns);
        rig_open(&r, ia_buf_cstr(&refuses), NULL);
        r.req.context_tokens = rows[i].limit;
        /* Its signatures are bound, so no picture may be dropped to make room. */
        rig_run(&r, GOAL);
        expect_waited(&r);
        const char *last = rig_event(&r, "context.compacted");
        assert_non_null(last);
        assert_non_null(strstr(last, "\"by\":\"steps\""));
        rig_close(&r);
        ia_buf_fini(&refuses);
        free(text);
    }
}

static void say_at_3(struct rig *r, enum ia_event_type event, struct ia_str json)
{
    (void)json;
    struct ia_tx *tx = NULL;
    if (event != IA_EVENT_TOOL_FINISHED || rig_count(r, "tool.finished") != 3) {
        return;
    }
    const char *id = strstr(rig_event(r, "tool.finished"), "\"run\":\"") + strlen("\"run\":\"");
    char run[IA_ID_SIZE];
    snprintf(run, sizeof(run), "%s", id);
    assert_int_equal(ia_tx_begin(r->store, &tx, NULL), IA_OK);
    ia_tx_say(tx, run, "Ada", ia_str("not on Mondays"));
    assert_int_equal(ia_tx_commit(tx, NULL), IA_OK);
}

static bool count_said(void *ctx, const struct ia_message_row *row)
{
    struct ia_buf b = IA_BUF(8 << 20);
    ia_buf_putstr(&b, row->content);
    /* The double quotes it in its summaries as well. */
    *(int *)ctx +=
        strcmp(row->role, "user") == 0 && strstr(ia_buf_cstr(&b), "not on Mondays") != NULL;
    ia_buf_fini(&b);
    return true;
}

static void what_people_said_is_said_again_behind_each_summary(void **state)
{
    (void)state;
    static const char *const models[] = {RIG_MODEL, "claude-haiku-4-5"};
    for (size_t i = 0; i < IA_COUNTOF(models); i++) {
        struct rig r;
        int said = 0;
        open_rig(&r, NULL);
        r.req.model = models[i];
        r.on_event = say_at_3;
        rig_run(&r, GOAL);
        expect_waited(&r);
        assert_int_equal(
            ia_store_messages(r.store, r.result.id, "act", count_said, &said, NULL), IA_OK);
        assert_int_equal(said, 1 + rig_count(&r, "context.compacted"));
        rig_close(&r);
    }
}

static void a_conversation_may_be_left_to_grow(void **state)
{
    (void)state;
    for (int demo = 0; demo < 2; demo++) {
        struct rig r;
        open_rig(&r, NULL);
        r.req.context_tokens = demo ? LIMIT : 0;
        r.req.demo_brain = demo;
        rig_run(&r, GOAL);
        expect_waited(&r);
        assert_int_equal(rig_count(&r, "context.compacted"), 0);
        assert_true(most_sent(&r) > 2 * LIMIT);
        rig_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_conversation_goes_on_from_the_summary_of_the_model),
        cmocka_unit_test(what_a_summary_used_is_counted_and_billed),
        cmocka_unit_test(without_a_summary_of_the_model_it_goes_on_from_a_list),
        cmocka_unit_test(an_interrupted_run_resumes_behind_the_summary),
        cmocka_unit_test(a_conversation_that_is_refused_goes_on_from_a_list),
        cmocka_unit_test(what_people_said_is_said_again_behind_each_summary),
        cmocka_unit_test(a_conversation_may_be_left_to_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
