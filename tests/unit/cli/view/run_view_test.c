#include "test.h"

#include "cli/view/run_view.h"

struct event {
    const char *name, *json;
};

static const struct event passed_run[] = {
    {"run.started",
     "{\"run\":\"0199-a\",\"goal\":\"add Ada\",\"app\":\"com.x\",\"device\":{\"id\":"
     "\"embedded:default\",\"name\":\"iPhone\",\"simulated\":true},\"model\":"
     "\"claude-sonnet-5-5\",\"demo\":false}"},
    {"request.started", "{\"turn\":1}"},
    {"text.delta", "{\"text\":\"I open \"}"},
    {"text.delta", "{\"text\":\"Contacts.\\nThen I add.\"}"},
    {"request.finished", "{\"turn\":1}"},
    {"tool.started", "{\"step\":1,\"tool\":\"tap\",\"element\":\"button Add\"}"},
    {"tool.finished", "{\"step\":1,\"tool\":\"tap\",\"ok\":true,\"code\":\"OK\",\"element\":"
                      "\"button Add\",\"changed\":true,\"changes\":\"new screen\\ncom.x "
                      "393x852 #cca7: New Contact\\n5 field\","
                      "\"ms\":34}"},
    {"tool.started", "{\"step\":2,\"tool\":\"launch_app\",\"element\":\"\",\"input\":{\"n\":1,"
                     "\"bundle_id\":\"com.x\"}}"},
    {"tool.finished",
     "{\"step\":2,\"tool\":\"launch_app\",\"ok\":false,\"code\":\"STALE_REF\","
     "\"element\":\"\",\"changed\":true,\"changes\":\"~ 1 a\\n~ 2 b\\n~ 3 c\\n\",\"ms\":1200}"},
    {"tool.finished",
     "{\"step\":3,\"tool\":\"type_text\",\"ok\":true,\"element\":\"28 field Name\","
     "\"changes\":\"~ 2 button Done\\n~ 28 field Name = Ada\\n+ 3 x\\n\",\"ms\":5}"},
    {"request.retry", "{\"attempt\":1,\"wait_ms\":1000,\"code\":\"API_OVERLOADED\",\"message\":"
                      "\"busy\"}"},
    {"finish.refused", "{\"missing\":[\"visible \\\"Ada\\\"\"]}"},
    {"verifier.result", "{\"agrees\":true,\"reason\":\"Ada is listed\"}"},
    {"notice", "{\"text\":\"a nudge\"}"},
    {"run.finished",
     "{\"run\":\"0199-a\",\"state\":\"passed\",\"code\":\"OK\",\"message\":\"\",\"basis\":"
     "\"verifier\",\"summary\":\"Ada is there\",\"evidence\":[{\"quote\":\"Ada Lovelace\"},"
     "{\"quote\":\"555\",\"step\":7}],\"steps\":2,\"seconds\":3.25,\"tokens\":{\"input\":100,"
     "\"cache_read\":900,"
     "\"cache_write\":0,\"output\":50},\"cost_usd\":0.01234,\"demo\":false,\"screenshot\":"
     "\"/tmp/a.png\"}"},
};

static char *render(const struct ia_run_view_options *base, const struct event *events,
                    size_t n)
{
    struct ia_buf out = IA_BUF(1 << 20);
    struct ia_run_view_options opt = *base;
    opt.fd = -1;
    opt.out = &out;
    struct ia_run_view *r = ia_run_view_new(&opt);
    for (size_t i = 0; i < n; i++) {
        const char *json = events[i].json;
        struct ia_buf event = IA_BUF(1 << 20);
        if (json[0] == '{') {
            ia_buf_printf(&event, "{\"event\":\"%s\"%s%s", events[i].name,
                          json[1] == '}' ? "" : ",", json + 1);
        } else {
            ia_buf_puts(&event, json);
        }
        ia_run_view_event(r, ia_buf_str(&event));
        ia_buf_fini(&event);
    }
    ia_run_view_free(r);
    ia_buf_putc(&out, '\0');
    return ia_buf_steal(&out);
}

static void plain_lines_tell_the_whole_run(void **state)
{
    (void)state;
    static const char expected[] =
        "goal    add Ada\n"
        "app     com.x (the run is locked to it)\n"
        "device  iPhone, embedded:default (simulated by this program; not Apple's simulator)\n"
        "model   claude-sonnet-5-5\n"
        "run     0199-a\n"
        "\n"
        "    I open Contacts.\n"
        "    Then I add.\n"
        "  1 tap           button Add                           34 ms  new screen: New "
        "Contact\n"
        "  2 launch_app    com.x                                1.2 s  STALE_REF ~ 1 a (+2)\n"
        "  3 type_text     28 field Name                         5 ms  ~ 28 field Name = Ada "
        "(+2)\n"
        "    retrying in 1.0 s: API_OVERLOADED busy\n"
        "    the finish was refused\n"
        "      missing: visible \"Ada\"\n"
        "    the verifier agrees: Ada is listed\n"
        "    note: a nudge\n"
        "\n"
        "PASSED  Ada is there\n"
        "basis   the quoted evidence holds, and the verifier agrees\n"
        "proof   Ada Lovelace\n"
        "        555 (step 7)\n"
        "used    2 steps, 3.2 s, 1,050 tokens (90 % of the input cached), $0.0123\n"
        "screen  /tmp/a.png\n"
        "run     0199-a\n";
    char *text = render(&(struct ia_run_view_options){0}, passed_run, IA_COUNTOF(passed_run));
    assert_string_equal(text, expected);
    free(text);
}

static void streamed_text_is_dim_and_its_line_is_closed(void **state)
{
    (void)state;
    struct ia_run_view_options opt = {.color = true, .stream = true, .width = 80};
    char *text = render(&opt, passed_run + 2, 4);
    assert_string_equal(text, "\x1b[2mI open Contacts.\nThen I add.\x1b[0m\n");
    free(text);
}

static void text_that_never_ends_is_still_closed(void **state)
{
    (void)state;
    struct ia_run_view_options opt = {.color = true, .stream = true};
    char *text = render(&opt, passed_run + 2, 1);
    assert_string_equal(text, "\x1b[2mI open \x1b[0m\n");
    free(text);
}

static void the_demo_brain_is_named_at_the_start_and_at_the_end(void **state)
{
    (void)state;
    static const struct event events[] = {
        {"run.started", "{\"goal\":\"g\",\"device\":{},\"model\":\"claude\",\"demo\":true}"},
        {"run.finished", "{\"state\":\"blocked\",\"summary\":\"s\",\"basis\":\"none\","
                         "\"evidence\":[],\"steps\":1,\"seconds\":0.5,\"tokens\":{},"
                         "\"cost_usd\":0.1,\"demo\":true,\"code\":\"BLOCKED\","
                         "\"message\":\"not understood: dance\"}"},
    };
    char *text = render(&(struct ia_run_view_options){0}, events, 2);
    assert_non_null(
        strstr(text, "model   demo brain (follows literal steps; it does not reason)"));
    assert_null(strstr(text, "claude"));
    assert_non_null(strstr(text, "BLOCKED  s\nwhy     BLOCKED: not understood: dance\n"));
    assert_non_null(strstr(text, "nothing billed (demo brain)"));
    assert_null(strstr(text, "basis"));
    free(text);
}

static void a_pass_without_a_verifier_says_that_it_is_unverified(void **state)
{
    (void)state;
    static const struct event e = {
        "run.finished", "{\"state\":\"passed\",\"summary\":\"s\",\"basis\":\"unverified\"}"};
    char *text = render(&(struct ia_run_view_options){0}, &e, 1);
    assert_non_null(strstr(text, "basis   unverified"));
    assert_non_null(strstr(text, "cost unknown"));
    free(text);
}

static void no_text_from_outside_reaches_the_terminal_raw(void **state)
{
    (void)state;
#define EVIL "\"\\u001b]52;c;AAAA\\u0007\\u009b2J\\r\\b\""
    static const struct event events[] = {
        {"run.started", "{\"run\":" EVIL ",\"goal\":" EVIL ",\"app\":" EVIL
                        ",\"device\":{\"id\":" EVIL ",\"name\":" EVIL "},\"model\":" EVIL "}"},
        {"text.delta", "{\"text\":" EVIL "}"},
        {"request.finished", "{}"},
        {"request.retry", "{\"code\":" EVIL ",\"message\":" EVIL "}"},
        {"tool.finished", "{\"tool\":" EVIL ",\"element\":" EVIL ",\"code\":" EVIL
                          ",\"changes\":" EVIL ",\"ok\":false}"},
        {"finish.refused", "{\"missing\":[" EVIL "]}"},
        {"verifier.result", "{\"reason\":" EVIL "}"},
        {"notice", "{\"text\":" EVIL "}"},
        {"run.finished", "{\"run\":" EVIL ",\"state\":" EVIL ",\"code\":" EVIL
                         ",\"message\":" EVIL ",\"basis\":" EVIL ",\"summary\":" EVIL
                         ",\"evidence\":[{\"quote\":" EVIL "}],\"screenshot\":" EVIL "}"},
    };
    for (int stream = 0; stream < 2; stream++) {
        char *text = render(&(struct ia_run_view_options){.stream = stream == 1}, events,
                            IA_COUNTOF(events));
        assert_true(strlen(text) > 200);
        assert_null(strpbrk(text, "\x1b\x07\r\b"));
        assert_null(strstr(text, "\xc2\x9b"));
        free(text);
    }
}

static void what_is_not_an_event_shows_nothing(void **state)
{
    (void)state;
    static const struct event events[] = {
        {"tool.finished", "[]"}, {"notice", "{\"text\":"}, {"no.such", "{}"},
        {"tool.finished", ""},   {"run.finished", "17"},
    };
    char *text = render(&(struct ia_run_view_options){0}, events, IA_COUNTOF(events));
    assert_string_equal(text, "");
    free(text);
}

static void lines_are_cut_to_the_terminal(void **state)
{
    (void)state;
    char json[4000];
    char wide[1001];
    memset(wide, 'x', 1000);
    wide[1000] = '\0';
    snprintf(json, sizeof(json),
             "{\"step\":1,\"tool\":\"tap\",\"ok\":true,\"element\":\"%s\",\"changes\":\"%s\"}",
             wide, wide);
    struct event e = {"tool.finished", json};
    char *text = render(&(struct ia_run_view_options){.width = 100}, &e, 1);
    assert_true(strlen(text) <= 110); /* "…" is three bytes, twice */
    assert_non_null(strstr(text, "x…"));
    free(text);
    text = render(&(struct ia_run_view_options){.width = 0}, &e, 1);
    assert_true(strlen(text) > 2000);
    free(text);
}

static void steps_of_subtasks_have_its_number_in_front(void **state)
{
    (void)state;
    static const struct {
        const char *json;
        bool below;
    } events[] = {
        {"{\"event\":\"run.delegated\",\"run\":\"p\",\"call\":\"t\",\"number\":2,\"child\":"
         "\"c\","
         "\"agent\":\"hand\",\"goal\":\"do it\",\"device\":\"embedded:a\",\"budget\":{}}",
         false},
        {"{\"event\":\"run.waits\",\"run\":\"p\",\"children\":1,\"spent\":{}}", false},
        {"{\"event\":\"run.started\",\"run\":\"c\",\"goal\":\"do it\"}", true},
        {"{\"event\":\"tool.finished\",\"run\":\"c\",\"step\":1,\"tool\":\"tap\",\"ok\":true,"
         "\"element\":\"button Add\",\"changes\":\"\",\"ms\":5}",
         true},
        {"{\"event\":\"run.delegated\",\"run\":\"c\",\"call\":\"t\",\"number\":1,\"child\":"
         "\"g\","
         "\"agent\":\"third\",\"goal\":\"a part\",\"device\":\"embedded:b\",\"budget\":{}}",
         true},
        {"{\"event\":\"notice\",\"run\":\"g\",\"text\":\"hm\"}", true},
        {"{\"event\":\"notice\",\"run\":\"0199-unknown\",\"text\":\"who\"}", true},
        {"{\"event\":\"run.child_finished\",\"run\":\"p\",\"number\":2,\"child\":\"c\","
         "\"state\":\"blocked\",\"code\":\"BLOCKED\",\"basis\":null}",
         false},
        {"{\"event\":\"run.resumed\",\"run\":\"p\",\"goal\":\"all\",\"steps\":1}", false},
    };
    struct ia_buf out = IA_BUF(1 << 16);
    const struct ia_run_view_options opt = {.fd = -1, .out = &out};
    struct ia_run_view *r = ia_run_view_new(&opt);
    for (size_t i = 0; i < IA_COUNTOF(events); i++) {
        (events[i].below ? ia_run_view_below : ia_run_view_event)(r, ia_str(events[i].json));
    }
    ia_run_view_free(r);
    assert_string_equal(ia_buf_cstr(&out),
                        "    subtask 2: hand on embedded:a: do it\n"
                        "[2]   1 tap           button Add                            5 ms  \n"
                        "    subtask 2.1: third on embedded:b: a part\n"
                        "[2.1]     note: hm\n"
                        "[-unknown]     note: who\n"
                        "    subtask 2 blocked: BLOCKED\n");
    ia_buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_lines_tell_the_whole_run),
        cmocka_unit_test(streamed_text_is_dim_and_its_line_is_closed),
        cmocka_unit_test(text_that_never_ends_is_still_closed),
        cmocka_unit_test(the_demo_brain_is_named_at_the_start_and_at_the_end),
        cmocka_unit_test(a_pass_without_a_verifier_says_that_it_is_unverified),
        cmocka_unit_test(no_text_from_outside_reaches_the_terminal_raw),
        cmocka_unit_test(what_is_not_an_event_shows_nothing),
        cmocka_unit_test(lines_are_cut_to_the_terminal),
        cmocka_unit_test(steps_of_subtasks_have_its_number_in_front),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
