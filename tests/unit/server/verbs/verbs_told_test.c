/* verbs_told_test.c: what who watches hears of commands, and what nobody hears. */
#include "phone.h"

#include "base/clock.h"

#define SCRIPT(state, ...)                                                                     \
    do {                                                                                       \
        static const struct row rows[] = {__VA_ARGS__};                                        \
        phone_script(*(state), rows, IA_COUNTOF(rows));                                        \
    } while (0)

struct heard {
    struct ia_buf all; /* a line for each */
    int count, wrong;  /* of another device */
};

static void hear(void *ctx, const char *device, struct ia_str json)
{
    struct heard *h = ctx;
    h->wrong += strcmp(device, "embedded:verbs") != 0;
    ia_buf_putstr(&h->all, json);
    ia_buf_putc(&h->all, '\n');
    h->count++;
}

static void listen_to(struct phone *p, struct heard *h)
{
    *h = (struct heard){.all = IA_BUF(1 << 22)};
    ia_commands_listen(ia_hub_commands(p->hub), hear, h);
}

/* As GET /v1/commands has it. */
static json_t *listed(struct phone *p, const char *device, int limit)
{
    struct ia_buf out = IA_BUF(1 << 22);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &out);
    ia_commands_list(ia_hub_commands(p->hub), device, limit, &w);
    json_t *list = json_loadb(out.p, out.len, 0, NULL);
    assert_non_null(list);
    ia_buf_fini(&out);
    return list;
}

static const char *member(const json_t *list, size_t i, const char *name)
{
    return json_string_value(json_object_get(json_array_get(list, i), name));
}

static void each_command_is_told_when_it_begins_and_when_it_is_done(void **state)
{
    struct phone *p = *state;
    struct heard h;
    listen_to(p, &h);
    SCRIPT(state, {{"tap", "Settings"}, .code = IA_OK},
           {{"swipe", "up", "--distance", "0.5"}, .code = IA_OK},
           {{"tap", "Nothing"}, .code = IA_E_NOT_FOUND});
    assert_int_equal(h.count, 6);
    assert_int_equal(h.wrong, 0);
    json_t *list = listed(p, NULL, 500);
    assert_int_equal(json_array_size(list), 3);
    assert_string_equal(member(list, 0, "verb"), "tap");
    assert_string_equal(member(list, 0, "code"), "NOT_FOUND");
    assert_string_equal(member(list, 0, "text"), "nothing on the screen matches Nothing");
    assert_null(member(list, 0, "element"));
    const json_t *args = json_object_get(json_array_get(list, 1), "args");
    assert_string_equal(json_string_value(json_object_get(args, "direction")), "up");
    assert_true(json_real_value(json_object_get(args, "distance")) == 0.5);
    assert_non_null(strstr(member(list, 2, "element"), " icon Settings"));
    assert_non_null(strstr(member(list, 2, "text"), "tapped "));
    assert_string_equal(member(list, 2, "state"), "done");
    assert_string_equal(member(list, 2, "device"), "embedded:verbs");
    json_decref(list);
    list = listed(p, "embedded:verbs", 2);
    assert_int_equal(json_array_size(list), 2);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(list, 0), "n")), 3);
    json_decref(list);
    list = listed(p, "embedded:other", 2);
    assert_int_equal(json_array_size(list), 0);
    json_decref(list);
    ia_buf_fini(&h.all);
}

static void what_is_typed_is_told_when_the_field_is_known_to_be_plain(void **state)
{
    struct phone *p = *state;
    struct heard h;
    listen_to(p, &h);
    SCRIPT(state, {{"open", "Settings"}, .code = IA_OK},
           {{"type", "search Search", "wi-fi text"}, .code = IA_E_NOT_FOUND});
    assert_null(strstr(ia_buf_cstr(&h.all), "wi-fi text")); /* the field was not found */
    SCRIPT(state, {{"type", "search", "blue"}, .code = IA_OK});
    const char *done = strstr(ia_buf_cstr(&h.all), "\"text\":\"blue\"");
    assert_non_null(done);
    assert_null(strstr(done + 1, "\"text\":\"blue\"")); /* not when it began */
    assert_non_null(strstr(done, "\"state\":\"done\""));
    ia_buf_fini(&h.all);
}

static void what_is_typed_in_secret_is_never_told(void **state)
{
    struct phone *p = *state;
    struct heard h;
    listen_to(p, &h);
    SCRIPT(state, {{"open", "Shop"}, .code = IA_OK},
           {{"wait-for", "text", "Log In"}, .code = IA_OK},
           {{"type", "#password", "engine-1843"}, .code = IA_OK},
           {{"type", "focused", "and-more"}, .code = IA_OK},
           {{"type", "#password", "hunter2-again", "--replace"}, .code = IA_OK},
           {{"type", "#nowhere", "engine-1843"}, .code = IA_E_NOT_FOUND},
           {{"pasteboard", "engine-1843"}, .code = IA_OK},
           {{"pasteboard"}, .code = IA_OK, .says = "engine-1843"},
           {{"type", "#user", "sk-ant-api03-abcdefghijklmnop"}, .code = IA_OK});
    static const char *const never[] = {"engine-1843", "and-more", "hunter2",
                                        "abcdefghijklmnop"};
    json_t *list = listed(p, NULL, 500);
    char *all = json_dumps(list, 0);
    for (size_t i = 0; i < IA_COUNTOF(never); i++) {
        assert_null(strstr(ia_buf_cstr(&h.all), never[i]));
        assert_null(strstr(all, never[i]));
    }
    assert_non_null(strstr(member(list, 0, "element"), "field"));
    assert_non_null(strstr(member(list, 4, "element"), "password"));
    free(all);
    json_decref(list);
    ia_buf_fini(&h.all);
}

static void a_key_is_found_wherever_it_stands(void **state)
{
    struct phone *p = *state;
    struct heard h;
    listen_to(p, &h);
    SCRIPT(state, {{"scroll-to", "a\tsk-ant-api03-abcdefghijklmnop"}, .code = IA_E_NOT_FOUND},
           {{"tap", "\"\\sk-ant-api03-abcdefghijklmnop"}, .code = IA_E_USAGE});
    assert_int_equal(h.count, 4);
    assert_null(strstr(ia_buf_cstr(&h.all), "abcdefghijklmnop"));
    ia_buf_fini(&h.all);
}

static bool has_secret(void *ctx, const char *text)
{
    return strstr(text, ctx) != NULL;
}

/* The screen shows only a beginning of a long text, which is not all that was typed and still tells it. */
static void what_a_field_shows_of_a_stored_secret_is_not_told(void **state)
{
    static char secret[] = "correct horse battery staple correct horse battery staple correct "
                           "horse battery staple correct horse battery staple correct horse "
                           "battery staple correct horse battery staple correct horse battery "
                           "staple correct horse battery staple correct horse battery staple";
    struct phone *p = *state;
    struct heard h;
    ia_hub_free(p->hub);
    p->hub = ia_hub_new(&(struct ia_hub_opts){.paths = &p->paths,
                                              .command = "ios-agent daemon",
                                              .is_secret = has_secret,
                                              .ctx = secret});
    listen_to(p, &h);
    SCRIPT(state, {{"open", "Settings"}, .code = IA_OK},
           {{"type", "search", secret}, .code = IA_OK},
           {{"open-url", "https://example.com/?q=correct horse"}, .code = IA_E_NO_APP});
    assert_null(strstr(ia_buf_cstr(&h.all), "horse battery"));
    ia_buf_fini(&h.all);
}

static void a_command_that_got_no_device_is_told_too(void **state)
{
    struct phone *p = *state;
    struct heard h;
    struct ia_hub_lane *lane = NULL;
    struct ia_deadline now = {NULL, ia_mono_us(ia_clock_system()) + 50000};
    listen_to(p, &h);
    assert_int_equal(ia_hub_enter(p->hub, "embedded:verbs", NULL, "mcp", &now, &lane, NULL),
                     IA_OK);
    struct ia_args args = {.opts = ia_verb_back_opts};
    struct ia_verb_result result;
    struct ia_err err = {0};
    const struct ia_verb_request request = {.verb = ia_verb_find("back"),
                                            .args = &args,
                                            .actor = "http",
                                            .device = "embedded:verbs",
                                            .deadline = now};
    ia_verb_result_init(&result);
    assert_int_equal(ia_verb_run(p->hub, &request, &result, &err), IA_E_BUSY);
    ia_verb_result_fini(&result);
    ia_hub_leave(p->hub, lane);
    assert_int_equal(h.count, 2);
    assert_non_null(strstr(ia_buf_cstr(&h.all), "\"code\":\"BUSY\""));
    ia_buf_fini(&h.all);
}

static void the_newest_500_are_kept(void **state)
{
    struct phone *p = *state;
    struct ia_commands *c = ia_hub_commands(p->hub);
    const struct ia_command_begin begin = {
        .device = "d", .verb = "tap", .actor = "cli", .args = ia_str("{}")};
    const struct ia_command_end end = {.code = IA_OK, .text = ia_str("x")};
    int64_t first = ia_commands_begin(c, &begin);
    for (int i = 0; i < IA_COMMANDS_KEPT; i++) {
        (void)ia_commands_begin(c, &begin);
    }
    ia_commands_end(c, first, &end); /* it is forgotten by now, and is no other */
    json_t *list = listed(p, NULL, IA_COMMANDS_KEPT + 1);
    assert_int_equal(json_array_size(list), IA_COMMANDS_KEPT);
    for (size_t i = 0; i < IA_COMMANDS_KEPT; i++) {
        assert_string_equal(member(list, i, "state"), "started");
    }
    json_decref(list);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, phone_begin, phone_end)
    const struct CMUnitTest tests[] = {
        T(each_command_is_told_when_it_begins_and_when_it_is_done),
        T(what_is_typed_is_told_when_the_field_is_known_to_be_plain),
        T(what_is_typed_in_secret_is_never_told),
        T(a_key_is_found_wherever_it_stands),
        T(what_a_field_shows_of_a_stored_secret_is_not_told),
        T(a_command_that_got_no_device_is_told_too),
        T(the_newest_500_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
