/* Cache counters come from real prefixes: a moved breakpoint keeps the cache, an edited history
 * loses it, by exactly the tokens that the estimate gives. */
#include "test.h"

#include "base/jsonw.h"
#include "fixture.h"
#include "mock/api/image.h"

enum { BLOCKS_MAX = 64 };

/* A prompt in the order of the cache: tools, system, one text block a message or more. tokens
 * are exact, as every text is four bytes a token. */
struct part {
    int tokens;
    char letter;     /* what the text consists of */
    const char *ttl; /* NULL: no breakpoint */
    bool assistant;
};

struct prompt {
    const char *model;
    const char *tool;  /* name of the one tool, NULL for none */
    const char *extra; /* further members, ' for " */
    struct part system;
    struct part parts[BLOCKS_MAX];
    size_t count;
};

struct counters {
    long long input, read, created, created_5m, created_1h;
};

static void write_text(struct ia_jsonw *w, const struct part *p)
{
    struct ia_buf text = IA_BUF(1 << 20);
    for (int i = 0; i < p->tokens * 4; i++) {
        ia_buf_putc(&text, p->letter);
    }
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "type", "text");
    ia_jsonw_kv(w, "text", ia_buf_cstr(&text));
    if (p->ttl) {
        ia_jsonw_key(w, "cache_control");
        ia_jsonw_object(w);
        ia_jsonw_kv(w, "type", "ephemeral");
        ia_jsonw_kv(w, "ttl", p->ttl);
        ia_jsonw_end_object(w);
    }
    ia_jsonw_end_object(w);
    ia_buf_fini(&text);
}

static void write_messages(struct ia_jsonw *w, const struct prompt *p)
{
    ia_jsonw_array(w);
    for (size_t i = 0; i < p->count; i++) {
        ia_jsonw_object(w);
        ia_jsonw_kv(w, "role", p->parts[i].assistant ? "assistant" : "user");
        ia_jsonw_key(w, "content");
        ia_jsonw_array(w);
        write_text(w, &p->parts[i]);
        ia_jsonw_end_array(w);
        ia_jsonw_end_object(w);
    }
    ia_jsonw_end_array(w);
}

static char *body_of(const struct prompt *p)
{
    struct ia_buf b = IA_BUF(8 << 20);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &b);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "model", p->model ? p->model : "claude-sonnet-5-5");
    ia_jsonw_kv_int(&w, "max_tokens", 50);
    if (p->tool) {
        ia_jsonw_key(&w, "tools");
        char tools[128];
        snprintf(tools, sizeof(tools),
                 "[{\"name\":\"%s\",\"input_schema\":{\"type\":\"object\"}}]", p->tool);
        ia_jsonw_raw(&w, ia_str(tools));
    }
    if (p->system.tokens) {
        ia_jsonw_key(&w, "system");
        ia_jsonw_array(&w);
        write_text(&w, &p->system);
        ia_jsonw_end_array(&w);
    }
    ia_jsonw_key(&w, "messages");
    write_messages(&w, p);
    if (p->extra) {
        char *extra = quotes(p->extra);
        ia_buf_printf(&b, ",%s", extra);
        free(extra);
    }
    ia_jsonw_end_object(&w);
    assert_true(ia_buf_ok(&b));
    return ia_buf_steal(&b);
}

static struct counters send_as(struct ia_mock *m, const struct prompt *p,
                               const struct http_headers *h)
{
    struct http_reply r;
    char *body = body_of(p);
    http_call(ia_mock_port(m), "POST", "/v1/messages", h, body, &r);
    if (r.status != 200) {
        fail_msg("%s", ia_buf_cstr(&r.body));
    }
    json_t *j = http_json(&r);
    struct counters c = {
        json_at(j, "usage.input_tokens"),
        json_at(j, "usage.cache_read_input_tokens"),
        json_at(j, "usage.cache_creation_input_tokens"),
        json_at(j, "usage.cache_creation.ephemeral_5m_input_tokens"),
        json_at(j, "usage.cache_creation.ephemeral_1h_input_tokens"),
    };
    json_decref(j);
    http_reply_fini(&r);
    free(body);
    return c;
}

static struct counters ask(struct ia_mock *m, const struct prompt *p)
{
    return send_as(m, p, &http_good);
}

static void expect(struct counters c, long long read, long long created, long long input)
{
    if (c.read != read || c.created != created || c.input != input) {
        fail_msg("read %lld, created %lld, input %lld instead of %lld, %lld, %lld", c.read,
                 c.created, c.input, read, created, input);
    }
}

static struct prompt two_turns(void)
{
    return (struct prompt){
        .system = {600, 's', "5m", false}, .parts = {{300, 'a', "5m", false}}, .count = 1};
}

static void add_turn(struct prompt *p, int tokens)
{
    char letter = (char)('b' + p->count % 20);
    p->parts[p->count++] = (struct part){tokens, letter, NULL, true};
    p->parts[p->count++] = (struct part){tokens, letter, "5m", false};
}

static int start(void **state)
{
    *state = start_double(ALWAYS_OK, NULL);
    return 0;
}

static int stop(void **state)
{
    ia_mock_stop(*state);
    return 0;
}

static void the_same_request_is_written_once_and_read_afterwards(void **state)
{
    struct prompt p = two_turns();
    p.parts[0].ttl = NULL;
    expect(ask(*state, &p), 0, 600, 300);
    expect(ask(*state, &p), 600, 0, 300);
}

static void a_breakpoint_that_moves_on_reads_the_prefix_and_writes_the_rest(void **state)
{
    struct prompt p = two_turns();
    expect(ask(*state, &p), 0, 900, 0);
    p.parts[0].ttl = NULL;
    add_turn(&p, 50);
    expect(ask(*state, &p), 900, 100, 0);
    add_turn(&p, 50);
    p.parts[2].ttl = NULL;
    expect(ask(*state, &p), 1000, 100, 0);
}

static void an_edited_message_loses_everything_behind_it(void **state)
{
    struct prompt p = two_turns();
    (void)ask(*state, &p);
    add_turn(&p, 50);
    (void)ask(*state, &p);
    p.parts[0].letter = 'z';
    expect(ask(*state, &p), 600, 400, 0);
}

static void an_edited_system_prompt_or_tool_loses_everything(void **state)
{
    struct prompt p = two_turns();
    p.tool = "tap";
    struct counters first = ask(*state, &p);
    expect(ask(*state, &p), first.created, 0, 0);
    p.system.letter = 'x';
    expect(ask(*state, &p), 0, first.created, 0);
    p.tool = "top";
    expect(ask(*state, &p), 0, first.created, 0);
}

static void without_a_breakpoint_nothing_is_read(void **state)
{
    struct prompt p = two_turns();
    (void)ask(*state, &p);
    p.system.ttl = NULL;
    p.parts[0].ttl = NULL;
    expect(ask(*state, &p), 0, 0, 900);
}

static void a_breakpoint_looks_back_over_twenty_blocks_and_no_further(void **state)
{
    for (int blocks = 19; blocks <= 20; blocks++) {
        struct prompt p = {.system = {600, (char)('A' + blocks), NULL, false},
                           .parts = {{100, 'a', "5m", false}},
                           .count = 1};
        (void)ask(*state, &p);
        p.parts[0].ttl = NULL;
        for (int i = 0; i < blocks; i++) {
            p.parts[p.count++] = (struct part){1, 'b', NULL, false};
        }
        p.parts[p.count - 1].ttl = "5m";
        if (blocks == 19) {
            expect(ask(*state, &p), 700, 19, 0);
        } else {
            expect(ask(*state, &p), 0, 720, 0);
        }
    }
}

static void a_prefix_below_the_models_minimum_is_not_cached(void **state)
{
    struct prompt p = {
        .system = {511, 's', "5m", false}, .parts = {{10, 'a', NULL, false}}, .count = 1};
    (void)ask(*state, &p);
    expect(ask(*state, &p), 0, 0, 521);
    p.system.tokens = 512;
    (void)ask(*state, &p);
    expect(ask(*state, &p), 512, 0, 10);
    p.model = "claude-haiku-4-5";
    p.system.tokens = 4095;
    (void)ask(*state, &p);
    expect(ask(*state, &p), 0, 0, 4105);
}

static void the_cache_belongs_to_a_model(void **state)
{
    struct prompt p = two_turns();
    (void)ask(*state, &p);
    p.model = "claude-opus-5-5";
    expect(ask(*state, &p), 0, 900, 0);
}

static void the_cache_belongs_to_a_key(void **state)
{
    (void)state;
    struct ia_err err;
    struct ia_mock *m;
    const struct ia_mock_options opt = {.seed = 1};
    assert_int_equal(ia_mock_start(&opt, &m, &err), IA_OK);
    struct http_headers other = http_good;
    other.api_key = "another-key";
    struct prompt p = two_turns();
    p.tool = "finish";
    struct counters first = send_as(m, &p, &http_good);
    expect(send_as(m, &p, &other), 0, first.created, 0);
    expect(send_as(m, &p, &http_good), first.created, 0, 0);
    ia_mock_stop(m);
}

static void changed_settings_lose_the_messages_and_keep_the_system_prompt(void **state)
{
    struct prompt p = two_turns();
    (void)ask(*state, &p);
    p.extra = "'thinking':{'type':'adaptive'}";
    expect(ask(*state, &p), 600, 300, 0);
    expect(ask(*state, &p), 900, 0, 0);
    p.extra = "'output_config':{'effort':'low'}";
    expect(ask(*state, &p), 900, 0, 0);
}

static void hour_and_five_minute_writes_are_counted_separately(void **state)
{
    struct prompt p = two_turns();
    p.system.ttl = "1h";
    struct counters c = ask(*state, &p);
    expect(c, 0, 900, 0);
    assert_int_equal(c.created_1h, 600);
    assert_int_equal(c.created_5m, 300);
}

static void a_top_level_breakpoint_falls_on_the_last_block(void **state)
{
    struct prompt p = two_turns();
    p.system.ttl = NULL;
    p.parts[0].ttl = NULL;
    p.extra = "'cache_control':{'type':'ephemeral'}";
    expect(ask(*state, &p), 0, 900, 0);
    expect(ask(*state, &p), 900, 0, 0);
}

static void key_order_and_message_boundaries_are_what_the_model_sees(void **state)
{
    static const char *const same[] = {
        "{'role':'user','content':'hello'},{'role':'user','content':'there'}",
        "{'role':'user','content':[{'type':'text','text':'hello'},{'text':'there','type':'text'"
        "}]}",
    };
    struct counters c[2];
    for (size_t i = 0; i < 2; i++) {
        struct ia_buf b = IA_BUF(1 << 16);
        struct http_reply r;
        ia_buf_puts(&b, "{'model':'claude-sonnet-5-5','max_tokens':9,'cache_control':{'type':"
                        "'ephemeral'},'system':'");
        for (int k = 0; k < 4096; k++) {
            ia_buf_putc(&b, 'x');
        }
        ia_buf_printf(&b, "','messages':[%s]}", same[i]);
        http_message(ia_mock_port(*state), ia_buf_cstr(&b), &r);
        json_t *j = http_json(&r);
        c[i] = (struct counters){.read = json_at(j, "usage.cache_read_input_tokens"),
                                 .created = json_at(j, "usage.cache_creation_input_tokens")};
        json_decref(j);
        http_reply_fini(&r);
        ia_buf_fini(&b);
    }
    assert_int_equal(c[0].created, 1024 + 2 + 2);
    assert_int_equal(c[1].read, c[0].created);
}

/* The layout of breakpoints that the agent uses: system, and the last two user turns. */
static void an_append_only_run_of_twenty_steps_reads_nine_tenths(void **state)
{
    struct prompt p = two_turns();
    p.system.tokens = 2500;
    (void)ask(*state, &p);
    for (int step = 1; step <= 20; step++) {
        for (size_t i = 0; i + 1 < p.count; i++) {
            p.parts[i].ttl = NULL;
        }
        p.parts[p.count - 1].ttl = "5m";
        add_turn(&p, 80);
        struct counters c = ask(*state, &p);
        long long all = c.input + c.read + c.created;
        if (step > 3) {
            assert_true(c.read * 10 >= all * 9);
        }
        assert_int_equal(c.created, 160);
    }
}

/* Rows of the service's own table of image sizes. */
static void images_cost_what_the_table_says(void **state)
{
    (void)state;
    static const struct {
        int w, h, standard, high;
    } rows[] = {
        {1, 1, 1, 1},         {28, 28, 1, 1},          {200, 200, 64, 64},
        {393, 852, 465, 465}, {786, 1704, 1456, 1769}, {1179, 2556, 1456, 3956},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        assert_int_equal(ia_mock_image_tokens(rows[i].w, rows[i].h, false), rows[i].standard);
        assert_int_equal(ia_mock_image_tokens(rows[i].w, rows[i].h, true), rows[i].high);
    }
    assert_int_equal(ia_mock_image_tokens(0, 0, true), 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(the_same_request_is_written_once_and_read_afterwards),
        CASE(a_breakpoint_that_moves_on_reads_the_prefix_and_writes_the_rest),
        CASE(an_edited_message_loses_everything_behind_it),
        CASE(an_edited_system_prompt_or_tool_loses_everything),
        CASE(without_a_breakpoint_nothing_is_read),
        CASE(a_breakpoint_looks_back_over_twenty_blocks_and_no_further),
        CASE(a_prefix_below_the_models_minimum_is_not_cached),
        CASE(the_cache_belongs_to_a_model),
        CASE(the_cache_belongs_to_a_key),
        CASE(changed_settings_lose_the_messages_and_keep_the_system_prompt),
        CASE(hour_and_five_minute_writes_are_counted_separately),
        CASE(a_top_level_breakpoint_falls_on_the_last_block),
        CASE(key_order_and_message_boundaries_are_what_the_model_sees),
        CASE(an_append_only_run_of_twenty_steps_reads_nine_tenths),
        CASE(images_cost_what_the_table_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
