/* The tools against the simulated iPhone with a bare session: no run, no model, no store. */
#include "test.h"

#include "agent/tools/act.h"
#include "driver/embedded/embedded.h"

#define CONTACTS "com.apple.MobileAddressBook"
#define SETTINGS "com.apple.Preferences"
#define BOUNDARY "k7f3m2qa"

struct world {
    struct ia_device *device;
    struct ia_prompts *prompts;
    struct ia_snapshot *shown;
    struct ia_buf notes;
    struct ia_tool_env env;
    struct ia_tool_result result;
    struct ia_err err;
    size_t png_bytes; /* of the last screenshot */
};

static enum ia_rc keep(void *ctx, struct ia_str png, struct ia_tool_image *ret,
                       struct ia_err *err)
{
    struct world *w = ctx;
    (void)err;
    w->png_bytes = png.n;
    memcpy(ret->sha, "5ha", 4);
    return IA_OK;
}

static void open_world(struct world *w)
{
    memset(w, 0, sizeof(*w));
    struct ia_embedded_options opt = {.name = "default", .fresh = true};
    assert_int_equal(ia_embedded_open(&opt, &w->device, &w->err), IA_OK);
    assert_int_equal(ia_prompts_open(NULL, &w->prompts, &w->err), IA_OK);
    w->notes = IA_BUF(64);
    w->env = (struct ia_tool_env){.session = ia_session_new(w->device, NULL),
                                  .clock = ia_clock_system(),
                                  .limit = {NULL, IA_NO_DEADLINE},
                                  .boundary = BOUNDARY,
                                  .shown = &w->shown,
                                  .notes = &w->notes,
                                  .keep = keep,
                                  .keep_ctx = w};
    ia_tool_result_init(&w->result);
}

static void close_world(struct world *w)
{
    ia_tool_result_fini(&w->result);
    ia_snapshot_free(w->shown);
    ia_session_free(w->env.session);
    ia_device_close(w->device);
    ia_prompts_free(w->prompts);
    ia_buf_fini(&w->notes);
}

/* The ref of what the selector matches in the latest snapshot; 0 without a selector. */
static unsigned ref_of(struct world *w, const char *selector)
{
    struct ia_selector sel;
    if (!selector) {
        return 0;
    }
    assert_int_equal(ia_selector_parse(ia_str(selector), &sel, NULL, &w->err), IA_OK);
    const struct ia_element *e = ia_snapshot_find(ia_session_latest(w->env.session), &sel);
    ia_selector_fini(&sel);
    if (!e) {
        fail_msg("no %s", selector);
    }
    return e->ref;
}

/* Calls a tool with checked input, as every caller has to. */
static enum ia_rc call(struct world *w, enum ia_tool tool, const char *input)
{
    json_t *value = json_loads(input, 0, NULL);
    if (ia_prompts_check_input(w->prompts, tool, value, &w->err) != IA_OK) {
        fail_msg("%s", w->err.msg);
    }
    ia_tool_result_fini(&w->result);
    ia_tool_result_init(&w->result);
    w->err = (struct ia_err){0};
    enum ia_rc rc = ia_tool_act(&w->env, tool, value, &w->result, &w->err);
    json_decref(value);
    return rc;
}

static void every_tool_of_a_device_works_without_a_run(void **state)
{
    (void)state;
    /* In the order of one walk through the phone. R in the input is the ref of the selector. */
    static const struct {
        enum ia_tool tool;
        const char *input, *selector, *shows;
    } steps[] = {
        {IA_TOOL_SNAPSHOT, "{}", NULL, "icon Contacts"},
        {IA_TOOL_LAUNCH_APP, "{'bundle_id':'" CONTACTS "'}", NULL, "new screen"},
        {IA_TOOL_SWIPE, "{'direction':'up'}", NULL, "+ "},
        {IA_TOOL_SCROLL_TO, "{'text':'Adam Young'}", NULL, "row Adam Young"},
        {IA_TOOL_LONG_PRESS, "{'ref':R}", "row \"Adam Young\"", NULL},
        {IA_TOOL_SNAPSHOT, "{}", NULL, CONTACTS},
        {IA_TOOL_PRESS_BUTTON, "{'button':'home'}", NULL, "new screen"},
        {IA_TOOL_TERMINATE_APP, "{'bundle_id':'" CONTACTS "'}", NULL, NULL},
        {IA_TOOL_LAUNCH_APP, "{'bundle_id':'" CONTACTS "'}", NULL, "new screen"},
        {IA_TOOL_TAP, "{'ref':R}", "#add", "New Contact"},
        {IA_TOOL_TYPE_TEXT, "{'ref':R,'text':'Ada'}", "#first-name", "= Ada"},
        {IA_TOOL_CLEAR_TEXT, "{'ref':R}", "#first-name", "~ "},
        {IA_TOOL_TYPE_TEXT, "{'ref':R,'text':'Grace','replace':true}", "#first-name",
         "= Grace"},
        {IA_TOOL_TAP, "{'ref':R}", "#done", "Grace"},
        {IA_TOOL_WAIT_FOR, "{'until':'exists','element':'#contact-name','seconds':5}", NULL,
         "nothing changed"},
        {IA_TOOL_BACK, "{}", NULL, "row Nora Abbott"},
        {IA_TOOL_OPEN_URL, "{'url':'prefs:root=General'}", NULL, SETTINGS},
        {IA_TOOL_BACK, "{}", NULL, "Apple Account"},
        {IA_TOOL_TAP, "{'ref':R}", "#com.apple.settings.account", "Sign In Unavailable"},
        {IA_TOOL_ALERT, "{'action':'accept'}", NULL, "Apple Account"},
        {IA_TOOL_SCREENSHOT, "{}", NULL, NULL},
        {IA_TOOL_REMEMBER, "{'note':'General is in\\nSettings'}", NULL, NULL},
    };
    struct world w;
    bool called[IA_TOOL_COUNT] = {false};
    open_world(&w);
    for (size_t i = 0; i < IA_COUNTOF(steps); i++) {
        char input[256];
        size_t n = 0;
        for (const char *p = steps[i].input; *p; p++) {
            n += *p == 'R' ? (size_t)sprintf(input + n, "%u", ref_of(&w, steps[i].selector))
                           : (size_t)sprintf(input + n, "%c", *p == '\'' ? '"' : *p);
        }
        if (call(&w, steps[i].tool, input) != IA_OK) {
            fail_msg("%s %s: %s", ia_tool_name(steps[i].tool), input, w.err.msg);
        }
        if (steps[i].shows && !strstr(ia_buf_cstr(&w.result.text), steps[i].shows)) {
            fail_msg("%s %s shows no %s:\n%s", ia_tool_name(steps[i].tool), input,
                     steps[i].shows, ia_buf_cstr(&w.result.text));
        }
        if (steps[i].selector) {
            assert_true(w.result.element[0] != '\0' && w.result.has_box);
        }
        called[steps[i].tool] = true;
    }
    for (int tool = 0; tool < IA_TOOL_COUNT; tool++) {
        assert_int_equal(called[tool], tool != IA_TOOL_FINISH);
    }
    assert_true(w.png_bytes > 1000);
    assert_string_equal(ia_buf_cstr(&w.notes), "- General is in Settings\n");
    close_world(&w);
}

static void each_reader_is_told_what_changed_since_it_was_last_shown_something(void **state)
{
    (void)state;
    struct world w;
    struct ia_snapshot *other = NULL;
    open_world(&w);
    assert_int_equal(call(&w, IA_TOOL_SNAPSHOT, "{}"), IA_OK);
    assert_int_equal(call(&w, IA_TOOL_WAIT_FOR, "{\"until\":\"settled\"}"), IA_OK);
    assert_string_equal(ia_buf_cstr(&w.result.text),
                        "\n<screen " BOUNDARY ">\nnothing changed\n</screen " BOUNDARY ">");
    assert_false(w.result.changed);

    w.env.shown = &other; /* it saw nothing yet */
    assert_int_equal(call(&w, IA_TOOL_WAIT_FOR, "{\"until\":\"settled\"}"), IA_OK);
    assert_non_null(strstr(ia_buf_cstr(&w.result.text), "new screen\n"));
    assert_non_null(strstr(ia_buf_cstr(&w.result.text), "icon Contacts"));
    assert_true(w.result.changed);
    ia_snapshot_free(other);
    close_world(&w);
}

static void a_text_that_was_cut_is_read_by_its_ref(void **state)
{
    (void)state;
    struct world w;
    open_world(&w);
    char input[1024];
    struct ia_buf text = IA_BUF(800);
    for (int i = 0; i < 40; i++) {
        ia_buf_puts(&text, "and so on ");
    }
    ia_buf_puts(&text, "the seller is Acme");
    assert_int_equal(call(&w, IA_TOOL_LAUNCH_APP, "{\"bundle_id\":\"" CONTACTS "\"}"), IA_OK);
    snprintf(input, sizeof(input), "{\"ref\":%u}", ref_of(&w, "#add"));
    assert_int_equal(call(&w, IA_TOOL_TAP, input), IA_OK);
    unsigned ref = ref_of(&w, "#first-name");
    snprintf(input, sizeof(input), "{\"ref\":%u,\"text\":\"%s\"}", ref, ia_buf_cstr(&text));
    assert_int_equal(call(&w, IA_TOOL_TYPE_TEXT, input), IA_OK);
    assert_null(strstr(ia_buf_cstr(&w.result.text), "Acme"));
    char where[64];
    snprintf(where, sizeof(where), " characters: read ref %u\n", ref);
    assert_non_null(strstr(ia_buf_cstr(&w.result.text), where));

    snprintf(input, sizeof(input), "{\"ref\":%u}", ref);
    assert_int_equal(call(&w, IA_TOOL_SNAPSHOT, input), IA_OK);
    snprintf(input, sizeof(input),
             "\n<screen " BOUNDARY ">\n%u field:focused First name = %s\n</screen " BOUNDARY
             ">",
             ref, ia_buf_cstr(&text));
    assert_string_equal(ia_buf_cstr(&w.result.text), input);
    assert_non_null(strstr(ia_buf_cstr(&w.result.screen), "seller is Acme")); /* for proof */
    assert_int_equal(call(&w, IA_TOOL_SNAPSHOT, "{\"ref\":9999}"), IA_E_NOT_FOUND);
    ia_buf_fini(&text);
    close_world(&w);
}

static void a_refused_action_says_what_is_near_and_that_nothing_was_sent(void **state)
{
    (void)state;
    struct world w;
    open_world(&w);
    assert_int_equal(call(&w, IA_TOOL_TAP, "{\"ref\":1}"), IA_E_NO_SNAPSHOT);
    assert_int_equal(call(&w, IA_TOOL_SNAPSHOT, "{}"), IA_OK);
    static const char *const never_given[] = {"{\"ref\":9999}", "{\"ref\":4294967297}"};
    for (size_t i = 0; i < IA_COUNTOF(never_given); i++) {
        assert_int_equal(call(&w, IA_TOOL_TAP, never_given[i]), IA_E_NOT_FOUND);
        assert_int_equal(w.err.outcome, IA_OUTCOME_NOT_SENT);
    }
    assert_int_equal(w.result.text.len, 0);
    assert_int_equal(call(&w, IA_TOOL_ALERT, "{\"action\":\"button\"}"), IA_E_USAGE);
    assert_int_equal(call(&w, IA_TOOL_WAIT_FOR, "{\"until\":\"exists\"}"), IA_E_USAGE);
    close_world(&w);
}

static void the_callers_limit_ends_a_wait_before_its_own(void **state)
{
    (void)state;
    struct world w;
    open_world(&w);
    w.env.limit.at_us = ia_mono_us(w.env.clock) + 50000;
    assert_int_equal(
        call(&w, IA_TOOL_WAIT_FOR, "{\"until\":\"text\",\"text\":\"never\",\"seconds\":60}"),
        IA_E_TIMEOUT);
    close_world(&w);
}

static void what_the_caller_has_no_place_for_is_unsupported(void **state)
{
    (void)state;
    struct world w;
    open_world(&w);
    w.env.keep = NULL;
    assert_int_equal(call(&w, IA_TOOL_SCREENSHOT, "{}"), IA_E_UNSUPPORTED);
    w.env.notes = NULL;
    assert_int_equal(call(&w, IA_TOOL_REMEMBER, "{\"note\":\"a\"}"), IA_E_UNSUPPORTED);
    assert_int_equal(
        call(&w, IA_TOOL_FINISH, "{\"verdict\":\"passed\",\"summary\":\"s\",\"evidence\":[]}"),
        IA_E_UNSUPPORTED);
    close_world(&w);
}

static void a_full_memory_keeps_its_notes_and_takes_no_half_one(void **state)
{
    (void)state;
    struct world w;
    open_world(&w);
    assert_int_equal(call(&w, IA_TOOL_REMEMBER, "{\"note\":\"<b>one</b>\"}"), IA_OK);
    assert_true(w.result.remembered);
    assert_string_equal(ia_buf_cstr(&w.notes), "-  b one /b \n");
    assert_int_equal(
        call(&w, IA_TOOL_REMEMBER,
             "{\"note\":\"a note of more bytes than what is left of the memory\"}"),
        IA_E_LIMIT);
    assert_false(w.result.remembered);
    assert_string_equal(ia_buf_cstr(&w.notes), "-  b one /b \n");
    assert_int_equal(call(&w, IA_TOOL_REMEMBER, "{\"note\":\"two\"}"), IA_OK);
    assert_string_equal(ia_buf_cstr(&w.notes), "-  b one /b \n- two\n");
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tool_of_a_device_works_without_a_run),
        cmocka_unit_test(each_reader_is_told_what_changed_since_it_was_last_shown_something),
        cmocka_unit_test(a_text_that_was_cut_is_read_by_its_ref),
        cmocka_unit_test(a_refused_action_says_what_is_near_and_that_nothing_was_sent),
        cmocka_unit_test(the_callers_limit_ends_a_wait_before_its_own),
        cmocka_unit_test(what_the_caller_has_no_place_for_is_unsupported),
        cmocka_unit_test(a_full_memory_keeps_its_notes_and_takes_no_half_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
