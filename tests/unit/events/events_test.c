/* Events to JSON and back. */
#include "base/base.h"
#include "events/shapes.h"

#include "test.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Any struct of the list; all members of the union begin where it does. */
union any {
#define ANY_MEMBER(ID, tag, name, where, writers, readers, what) struct ia_event_##tag tag;
    IA_EVENT_LIST(ANY_MEMBER)
};

static const struct ia_event_envelope envelope = {"R1", 7, 1700000000123};

static void assert_written(struct ia_event_ref e, const char *expected)
{
    struct ia_buf out = IA_BUF(1 << 16);
    ia_event_write_body(&out, e);
    assert_string_equal(ia_buf_cstr(&out), expected);
    ia_buf_fini(&out);
}

/* ---- writing ------------------------------------------------------------------------------ */

static void the_envelope_comes_first(void **state)
{
    (void)state;
    const struct ia_event_notice notice = {.text = ia_str("a \"b\"\n")};
    struct ia_buf out = IA_BUF(4096);
    ia_event_write(&out, IA_EVENT(&notice), &envelope);
    assert_string_equal(ia_buf_cstr(&out),
                        "{\"event\":\"notice\",\"seq\":7,\"ts\":\"2023-11-14T22:13:20.123Z\","
                        "\"run\":\"R1\",\"text\":\"a \\\"b\\\"\\n\"}");
    ia_buf_reset(&out);
    ia_event_write(&out, IA_EVENT(&notice), NULL);
    assert_string_equal(ia_buf_cstr(&out),
                        "{\"event\":\"notice\",\"text\":\"a \\\"b\\\"\\n\"}");
    ia_buf_fini(&out);
}

static void what_is_missing_is_empty_null_or_left_out_as_the_list_says(void **state)
{
    (void)state;
    assert_written(IA_EVENT(&(struct ia_event_run_queued){.goal = {NULL, 0}}),
                   "{\"goal\":\"\",\"lane\":null}");
    assert_written(IA_EVENT(&(struct ia_event_tool_started){.step = 1}),
                   "{\"step\":1,\"id\":\"\",\"tool\":\"\",\"element\":\"\",\"input\":null}");
    assert_written(IA_EVENT(&(struct ia_event_tool_started){.input_left_out_bytes = 70000}),
                   "{\"step\":0,\"id\":\"\",\"tool\":\"\",\"element\":\"\",\"input\":null,"
                   "\"input_left_out_bytes\":70000}");
    assert_written(IA_EVENT(&(struct ia_event_run_interrupted){.owner_pid = 0}), "{}");
    assert_written(IA_EVENT(&(struct ia_event_run_interrupted){.owner_pid = 12}),
                   "{\"owner_pid\":12}");
}

static void a_group_stands_among_the_fields_or_not_at_all(void **state)
{
    (void)state;
    struct ia_event_run_finished e = {.state = ia_str("error"), .code = ia_str("BUSY")};
    assert_written(IA_EVENT(&e), "{\"state\":\"error\",\"code\":\"BUSY\",\"message\":\"\"}");
    e.result.has = true;
    e.result.seconds = 1.5;
    e.result.cost_usd = (struct ia_event_cost){true, 0.25};
    e.result.evidence.json = ia_str("[{\"quote\":\"q\",\"step\":0}]");
    assert_written(
        IA_EVENT(&e),
        "{\"state\":\"error\",\"code\":\"BUSY\",\"message\":\"\",\"basis\":\"\",\"summary\":"
        "\"\","
        "\"evidence\":[{\"quote\":\"q\",\"step\":0}],\"expects\":[],\"steps\":0,\"seconds\":1."
        "5,\"tokens\":{"
        "\"input\":0,\"cache_read\":0,\"cache_write\":0,\"output\":0,\"cached_share\":0},"
        "\"cost_usd\":0.25,\"demo\":false}");
    e.result.has = false;
    e.record = (struct ia_event_record){.has = true, .host_us_median = 3};
    assert_written(IA_EVENT(&e), "{\"state\":\"error\",\"code\":\"BUSY\",\"message\":\"\","
                                 "\"screenshot\":null,\"host_us_median\":3}");
}

static void lists_are_written_item_by_item(void **state)
{
    (void)state;
    const struct ia_str missing[] = {ia_str("a"), ia_str("b")};
    const struct ia_event_setup setup[] = {{.action = ia_str("reset"), .ms = 3}};
    assert_written(IA_EVENT(&(struct ia_event_finish_refused){.missing = {missing, 2}}),
                   "{\"missing\":[\"a\",\"b\"]}");
    assert_written(IA_EVENT(&(struct ia_event_run_looked){.setup = {.items = setup, .n = 1}}),
                   "{\"setup\":[{\"do\":\"reset\",\"value\":null,\"ms\":3}],\"app\":null,"
                   "\"screen\":\"\",\"expects_held\":false,\"refs\":0,\"continues\":null}");
}

/* ---- reading ------------------------------------------------------------------------------ */

static void an_event_is_read_with_its_envelope(void **state)
{
    (void)state;
    struct ia_event e;
    assert_true(ia_event_read(
        &e,
        ia_str("{\"event\":\"tool.finished\",\"seq\":9,\"ts\":\"T\",\"run\":\"R1\",\"step\":2,"
               "\"tool\":\"tap\",\"ok\":true,\"box\":{\"x\":1,\"y\":2.5,\"w\":3,\"h\":4},"
               "\"changes\":\"a\\u0000b\",\"image\":null}")));
    assert_int_equal(e.type, IA_EVENT_TOOL_FINISHED);
    assert_int_equal(e.seq, 9);
    assert_string_equal(e.run.p, "R1");
    assert_string_equal(e.ts.p, "T");
    assert_int_equal(e.tool_finished.step, 2);
    assert_string_equal(e.tool_finished.tool.p, "tap");
    assert_true(e.tool_finished.ok);
    assert_true(e.tool_finished.box.has && e.tool_finished.box.y == 2.5);
    assert_int_equal(e.tool_finished.changes.n, 3);
    assert_null(e.tool_finished.image.p);
    assert_string_equal(ia_event_text(e.tool_finished.image), "");
    ia_event_fini(&e);
}

static void members_of_older_events_and_of_other_types_read_as_nothing(void **state)
{
    (void)state;
    struct ia_event e;
    assert_true(ia_event_read(&e, ia_str("{\"event\":\"request.finished\",\"turn\":\"two\","
                                         "\"ms\":3.9,\"usage\":[],\"cost_usd\":\"x\"}")));
    assert_int_equal(e.request_finished.turn, 0);
    assert_int_equal(e.request_finished.ms, 3);
    assert_false(e.request_finished.usage.has);
    assert_false(e.request_finished.cost_usd.known);
    assert_null(e.request_finished.purpose.p);
    assert_null(ia_event_spent(&e));
    ia_event_fini(&e);
    assert_true(ia_event_read(&e, ia_str("{\"event\":\"run.finished\",\"state\":\"error\"}")));
    assert_false(e.run_finished.result.has);
    assert_int_equal(e.run_finished.result.evidence.n, 0);
    ia_event_fini(&e);
}

/* Whoever adds up the time of a run must not take it for no time at all. */
static void a_running_time_that_an_older_event_lacks_is_not_zero(void **state)
{
    (void)state;
    struct ia_event e;
    assert_true(
        ia_event_read(&e, ia_str("{\"event\":\"run.interrupted\",\"spent\":{\"tokens\":5}}")));
    assert_non_null(ia_event_spent(&e));
    assert_int_equal(ia_event_spent(&e)->tokens, 5);
    assert_int_equal(ia_event_spent(&e)->ran_ms, -1);
    ia_event_fini(&e);
}

static void a_number_that_no_integer_holds_is_0(void **state)
{
    (void)state;
    struct ia_event e;
    assert_true(ia_event_read(&e, ia_str("{\"event\":\"request.started\",\"turn\":1e300}")));
    assert_int_equal(e.request_started.turn, 0);
    ia_event_fini(&e);
}

static void what_is_no_event_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "[]",
        "{}",
        "{\"event\":7}",
        "{\"event\":\"run.unknown\"}",
        "{\"event\":\"notice\"",
        "1",
        "\"notice\"",
        "{\"event\":\"sweep.goal\"}", /* a line of a command is no event of a run */
    };
    for (size_t i = 0; i < IA_COUNTOF(bad); i++) {
        struct ia_event e;
        assert_false(ia_event_read(&e, ia_str(bad[i])));
        assert_int_equal(e.type, IA_EVENT_COUNT);
        ia_event_fini(&e);
    }
}

static void evidence_without_a_step_is_of_the_last_screen(void **state)
{
    (void)state;
    struct ia_event e;
    assert_true(ia_event_read_body(
        &e, IA_EVENT_RUN_FINISHED,
        ia_str("{\"basis\":\"none\",\"evidence\":[{\"quote\":\"a\"},{\"quote\":\"b\","
               "\"step\":0},3]}")));
    const struct ia_event_evidence_list *list = &e.run_finished.result.evidence;
    assert_true(e.run_finished.result.has);
    assert_int_equal(list->n, 3);
    assert_string_equal(list->items[0].quote.p, "a");
    assert_int_equal(list->items[0].step, -1);
    assert_int_equal(list->items[1].step, 0);
    assert_null(list->items[2].quote.p);
    ia_event_fini(&e);
}

static void run_started_and_run_resumed_have_a_start(void **state)
{
    (void)state;
    static const char *const names[] = {"run.started", "run.resumed"};
    for (size_t i = 0; i < IA_COUNTOF(names); i++) {
        char json[100];
        struct ia_event e;
        snprintf(json, sizeof(json), "{\"event\":\"%s\",\"goal\":\"g\"}", names[i]);
        assert_true(ia_event_read(&e, ia_str(json)));
        assert_string_equal(ia_event_start(&e)->goal.p, "g");
        ia_event_fini(&e);
    }
}

/* ---- the whole list ----------------------------------------------------------------------- */

static const struct ia_str some_texts[] = {{"one", 3}, {"two", 3}};

/* Fills every member, different each time; items are kept in `memory` until the end. */
static void fill(const struct ia_event_shape *shape, char *to, int *n, struct ia_buf *memory)
{
    for (size_t i = 0; i < shape->n; i++) {
        const struct ia_event_field *f = &shape->fields[i];
        void *m = to + f->at;
        ++*n;
        switch (f->kind) {
        case IA_EVENT_K_TEXT:
            *(struct ia_str *)m = some_texts[*n % 2];
            break;
        case IA_EVENT_K_INT:
        case IA_EVENT_K_NATURAL:
            *(int64_t *)m = *n;
            break;
        case IA_EVENT_K_REAL:
            *(double *)m = *n + 0.25;
            break;
        case IA_EVENT_K_BOOL:
            *(bool *)m = *n % 2 == 0;
            break;
        case IA_EVENT_K_COST:
            *(struct ia_event_cost *)m = (struct ia_event_cost){true, *n / 8.0};
            break;
        case IA_EVENT_K_TEXTS:
            *(struct ia_event_texts *)m = (struct ia_event_texts){some_texts, 2};
            break;
        case IA_EVENT_K_JSON:
            ((struct ia_event_json *)m)->text = ia_str("{\"a\":[1,null]}");
            break;
        case IA_EVENT_K_PART:
        case IA_EVENT_K_GROUP:
            fill(f->shape(), m, n, memory);
            *(bool *)m = true;
            break;
        case IA_EVENT_K_LIST: {
            struct ia_event_setup_list *list = m; /* all lists begin alike */
            char *item = ia_calloc(1, f->shape()->size);
            fill(f->shape(), item, n, memory);
            list->items = (const void *)item;
            list->n = 1;
            ia_buf_put(memory, (const char *)&item, sizeof(item));
            break;
        }
        }
    }
}

static void free_items(struct ia_buf *memory)
{
    for (size_t at = 0; at < memory->len; at += sizeof(char *)) {
        char *item;
        memcpy(&item, memory->p + at, sizeof(item));
        free(item);
    }
    ia_buf_fini(memory);
}

/* A reader's JSON member as a writer's, so that what was read can be written again. */
static void texts_of_values(const struct ia_event_shape *shape, char *of, char **ret)
{
    for (size_t i = 0; i < shape->n; i++) {
        struct ia_event_json *json = (void *)(of + shape->fields[i].at);
        if (shape->fields[i].kind == IA_EVENT_K_JSON) {
            *ret = json_dumps(json->value, JSON_COMPACT | JSON_ENCODE_ANY);
            json->text = ia_str(*ret);
        }
    }
}

static void every_event_is_read_as_it_was_written(void **state)
{
    (void)state;
    for (int type = 0; type < IA_EVENT_COUNT; type++) {
        union any any;
        struct ia_event e;
        struct ia_buf memory = IA_BUF(1 << 16), out = IA_BUF(1 << 16), again = IA_BUF(1 << 16);
        char *json = NULL;
        int n = 0;
        memset(&any, 0, sizeof(any));
        fill(ia_event_infos[type].shape(), (char *)&any, &n, &memory);
        ia_event_write_body(&out, (struct ia_event_ref){(enum ia_event_type)type, &any});
        assert_true(ia_event_read_body(&e, (enum ia_event_type)type, ia_buf_str(&out)));
        texts_of_values(ia_event_infos[type].shape(), (char *)&e.run_queued, &json);
        ia_event_write_body(&again,
                            (struct ia_event_ref){(enum ia_event_type)type, &e.run_queued});
        assert_string_equal(ia_buf_cstr(&again), ia_buf_cstr(&out));
        ia_event_fini(&e);
        free(json);
        free_items(&memory);
        ia_buf_fini(&out);
        ia_buf_fini(&again);
    }
}

static void names_and_types_belong_together(void **state)
{
    (void)state;
    for (int type = 0; type < IA_EVENT_COUNT; type++) {
        const struct ia_event_info *info = &ia_event_infos[type];
        enum ia_event_type found = ia_event_from_name(info->name);
        assert_true(info->where == IA_EVENT_W_BARE ? found != (enum ia_event_type)type
                                                   : found == (enum ia_event_type)type);
        assert_string_equal(ia_event_name((enum ia_event_type)type), info->name);
    }
    assert_string_equal(ia_event_name(IA_EVENT_COUNT), "");
    assert_int_equal(ia_event_from_name("run.unknown"), IA_EVENT_COUNT);
    assert_int_equal(ia_event_from_name(NULL), IA_EVENT_COUNT);
}

/* ia_event_write puts the envelope into the same object. */
static void no_field_has_a_name_of_the_envelope(void **state)
{
    (void)state;
    static const char *const taken[] = {"event", "seq", "ts", "run"};
    for (int type = 0; type < IA_EVENT_COUNT; type++) {
        const struct ia_event_shape *s = ia_event_infos[type].shape();
        bool bare = ia_event_infos[type].where == IA_EVENT_W_BARE; /* has only the name */
        for (size_t i = 0; i < s->n; i++) {
            for (size_t j = 0; j < (bare ? 1 : IA_COUNTOF(taken)); j++) {
                assert_string_not_equal(s->fields[i].key, taken[j]);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_envelope_comes_first),
        cmocka_unit_test(what_is_missing_is_empty_null_or_left_out_as_the_list_says),
        cmocka_unit_test(a_group_stands_among_the_fields_or_not_at_all),
        cmocka_unit_test(lists_are_written_item_by_item),
        cmocka_unit_test(an_event_is_read_with_its_envelope),
        cmocka_unit_test(members_of_older_events_and_of_other_types_read_as_nothing),
        cmocka_unit_test(a_running_time_that_an_older_event_lacks_is_not_zero),
        cmocka_unit_test(a_number_that_no_integer_holds_is_0),
        cmocka_unit_test(what_is_no_event_is_refused),
        cmocka_unit_test(evidence_without_a_step_is_of_the_last_screen),
        cmocka_unit_test(run_started_and_run_resumed_have_a_start),
        cmocka_unit_test(every_event_is_read_as_it_was_written),
        cmocka_unit_test(names_and_types_belong_together),
        cmocka_unit_test(no_field_has_a_name_of_the_envelope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
