/* What simctl.h does when arguments, tools, their output or time are not as they should be. */
#include "sim_world.h"
#include "source_dir.h"

#include "driver/simctl/xcrun.h"

#include <jansson.h>
#include <pthread.h>

static void arguments_that_would_be_read_as_options_are_refused_before_any_call(void **state)
{
    (void)state;
    struct sim_world w = sim_world_new(SETUP);
    bool already;
    int pid;
    char udid[IA_SIM_UDID_SIZE];
    static const char *const bad_env[] = {"1A=b", NULL};
    static const char *const no_files[] = {NULL};
    struct ia_sim_launch dash = {.bundle_id = "--console"};
    struct ia_sim_launch env = {.bundle_id = "com.example.shop", .env = bad_env};
    struct ia_status_bar bar = IA_STATUS_BAR;
    const struct ia_location nowhere = {91, 0};
    const enum ia_rc refused[] = {
        ia_simctl_boot(w.s, &forever, "booted", &already, &w.err),
        ia_simctl_shutdown(w.s, &forever, "all", &already, &w.err),
        ia_simctl_erase(w.s, &forever, "", true, &w.err),
        ia_simctl_delete(w.s, &forever, "unavailable", &w.err),
        ia_simctl_create(w.s, &forever, "-name", "t", "r", udid, &w.err),
        ia_simctl_clone(w.s, &forever, PHONE, "", udid, &w.err),
        ia_simctl_launch(w.s, &forever, PHONE, &dash, &pid, &w.err),
        ia_simctl_launch(w.s, &forever, PHONE, &env, &pid, &w.err),
        ia_simctl_terminate(w.s, &forever, PHONE, "a b", &already, &w.err),
        ia_simctl_uninstall(w.s, &forever, PHONE, "", &w.err),
        ia_simctl_openurl(w.s, &forever, PHONE, "example.com", &w.err),
        ia_simctl_openurl(w.s, &forever, PHONE, "--help", &w.err),
        ia_simctl_privacy(w.s, &forever, PHONE, IA_PRIVACY_GRANT, "photos", NULL, &w.err),
        ia_simctl_set_appearance(w.s, &forever, PHONE, IA_SIM_UNSUPPORTED, &w.err),
        ia_simctl_status_bar(w.s, &forever, PHONE, &bar, &w.err),
        ia_simctl_location(w.s, &forever, PHONE, &nowhere, &w.err),
        ia_simctl_addmedia(w.s, &forever, PHONE, no_files, &w.err),
        ia_simctl_push(w.s, &forever, PHONE, "a.b", ia_str("{}"), &w.err),
        ia_simctl_push(w.s, &forever, PHONE, "-a", ia_str("{\"aps\":{}}"), &w.err),
    };
    for (size_t i = 0; i < IA_COUNTOF(refused); i++) {
        if (refused[i] != IA_E_USAGE) {
            fail_msg("case %zu: %s", i, ia_rc_name(refused[i]));
        }
    }
    assert_int_equal(
        ia_simctl_privacy(w.s, &forever, PHONE, IA_PRIVACY_GRANT, "camera", "a.b", &w.err),
        IA_E_UNSUPPORTED);
    assert_int_equal(ia_simctl_install(w.s, &forever, PHONE, "/no/such.app", &w.err),
                     IA_E_NOT_FOUND);
    assert_int_equal(w.err.outcome, IA_OUTCOME_NOT_SENT);
    sim_world_calls(&w, "");
    sim_world_free(&w);
}

static void failures_of_the_real_tool_come_back_with_their_hints(void **state)
{
    (void)state;
    struct sim_world w =
        sim_world_new("{" DEVICES ",\"answers\":[{\"match\":[\"boot\"],"
                      "\"row\":\"boot (launchd_sim dead)\"},{\"match\":[\"openurl\"],"
                      "\"exit\":77,\"stderr\":\"Never seen before.\\n\"}]}");
    struct ia_sim_launch launch = {.bundle_id = "com.example.nope"};
    bool already;
    int pid;
    assert_int_equal(ia_simctl_boot(w.s, &forever, OTHER, &already, &w.err), IA_E_DEVICE_LOST);
    assert_non_null(strstr(w.err.hint, "shutdown all"));
    assert_int_equal(ia_simctl_launch(w.s, &forever, PHONE, &launch, &pid, &w.err),
                     IA_E_NO_APP);
    assert_int_equal(ia_simctl_launch(w.s, &forever, OTHER, &launch, &pid, &w.err), IA_E_STATE);
    assert_int_equal(ia_simctl_openurl(w.s, &forever, PHONE, "zzzz://x", &w.err), IA_E_DEVICE);
    assert_non_null(strstr(w.err.msg, "Never seen before. (status 77)"));
    assert_int_equal(w.err.outcome, IA_OUTCOME_UNKNOWN);
    sim_world_free(&w);
}

/* The "cmd" of each row of errors.jsonl. */
static size_t read_rows(json_t *rows[64])
{
    struct ia_buf text = IA_BUF(1 << 20);
    struct ia_err err;
    size_t n = 0;
    assert_int_equal(ia_file_read(IA_TEST_DATA "/simctl/errors.jsonl", &text, &err), IA_OK);
    const char *p = ia_buf_cstr(&text);
    for (const char *end = strchr(p, '\n'); end && n < 64; p = end + 1, end = strchr(p, '\n')) {
        rows[n++] = json_loadb(p, (size_t)(end - p), 0, NULL);
    }
    ia_buf_fini(&text);
    return n;
}

static void each_recorded_failure_comes_through_a_process_with_its_hint(void **state)
{
    (void)state;
    json_t *rows[64];
    size_t n = read_rows(rows);
    struct sim_world w = sim_world_new(SETUP);
    assert_true(n >= 30);
    for (size_t i = 0; i < n; i++) {
        json_t *setup = json_pack("{s:[{s:[s], s:O}]}", "answers", "match", "openurl", "row",
                                  json_object_get(rows[i], "cmd"));
        char *text = json_dumps(setup, 0);
        fake_xcode_setup(w.folder, text);
        enum ia_rc rc = ia_simctl_openurl(w.s, &forever, PHONE, "https://example.com", &w.err);
        if (rc == IA_OK || strstr(w.err.hint, "doctor") ||
            !strstr(w.err.msg, "simctl openurl: ")) {
            fail_msg("%s: %s: %s / %s", text, ia_rc_name(rc), w.err.msg, w.err.hint);
        }
        free(text);
        json_decref(setup);
        json_decref(rows[i]);
    }
    sim_world_free(&w);
}

static void output_that_is_not_a_list_is_refused(void **state)
{
    (void)state;
    struct sim_world w = sim_world_new(
        "{\"answers\":[{\"match\":[\"list\"],\"stdout\":\"Usage: simctl list\"}]}");
    const struct ia_sim_list *list = NULL;
    assert_int_equal(ia_simctl_list(w.s, &forever, &list, &w.err), IA_E_PARSE);
    assert_null(list);
    sim_world_free(&w);
}

static void other_output_in_an_unexpected_form_is_refused(void **state)
{
    (void)state;
    struct sim_world w =
        sim_world_new("{" DEVICES ",\"answers\":[{\"match\":[\"spawn\"],\"stdout\":\"?\"},"
                      "{\"match\":[\"launch\"],\"stdout\":\"com.apple.Preferences\"},"
                      "{\"match\":[\"clone\"],\"stdout\":\"done\"},"
                      "{\"match\":[\"runtime\"],\"stdout\":\"none\"}]}");
    struct ia_sim_launch launch = {.bundle_id = "com.apple.Preferences"};
    struct ia_sim_images *images = NULL;
    char udid[IA_SIM_UDID_SIZE];
    int pid = 7;
    const enum ia_rc refused[] = {
        ia_simctl_running(w.s, &forever, PHONE, "com.apple.Preferences", &pid, &w.err),
        ia_simctl_launch(w.s, &forever, PHONE, &launch, &pid, &w.err),
        ia_simctl_clone(w.s, &forever, OTHER, "Copy", udid, &w.err),
        ia_simctl_images(w.s, &forever, &images, &w.err),
    };
    for (size_t i = 0; i < IA_COUNTOF(refused); i++) {
        assert_int_equal(refused[i], IA_E_PARSE);
    }
    assert_int_equal(pid, 7);
    assert_null(images);
    sim_world_free(&w);
}

static void a_call_that_hangs_ends_at_its_deadline_with_unknown_outcome(void **state)
{
    (void)state;
    struct sim_world w =
        sim_world_new("{" DEVICES ",\"answers\":[{\"match\":[\"erase\"],\"hang\":true}]}");
    struct ia_deadline soon = {.at_us = ia_mono_us(ia_clock_system()) + 1000000};
    assert_int_equal(ia_simctl_erase(w.s, &soon, OTHER, false, &w.err), IA_E_TIMEOUT);
    assert_int_equal(w.err.outcome, IA_OUTCOME_UNKNOWN);
    assert_non_null(strstr(w.err.msg, "simctl erase"));
    /* With no time left nothing is started. */
    assert_int_equal(ia_simctl_erase(w.s, &soon, OTHER, false, &w.err), IA_E_TIMEOUT);
    assert_int_equal(w.err.outcome, IA_OUTCOME_NOT_SENT);
    sim_world_free(&w);
}

struct canceller {
    const char *folder;
    struct ia_cancel *token;
};

/* Fires once the call has been written down. */
static void *cancel_when_called(void *arg)
{
    struct canceller *c = arg;
    struct ia_buf log = IA_BUF(1 << 20);
    while (!strstr(ia_buf_cstr(&log), "erase")) {
        ia_buf_reset(&log);
        fake_xcode_file(c->folder, "log.jsonl", &log);
        (void)ia_clock_wait(ia_clock_system(), NULL, ia_mono_us(ia_clock_system()) + 5000);
    }
    ia_cancel_fire(c->token);
    ia_buf_fini(&log);
    return NULL;
}

static void a_call_can_be_cancelled(void **state)
{
    (void)state;
    struct sim_world w =
        sim_world_new("{" DEVICES ",\"answers\":[{\"match\":[\"erase\"],\"hang\":true}]}");
    struct ia_deadline deadline = {.cancel = ia_cancel_new(&w.err), .at_us = IA_NO_DEADLINE};
    struct canceller c = {w.folder, deadline.cancel};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, cancel_when_called, &c), 0);
    assert_int_equal(ia_simctl_erase(w.s, &deadline, OTHER, false, &w.err), IA_E_CANCELLED);
    assert_int_equal(w.err.outcome, IA_OUTCOME_UNKNOWN);
    assert_int_equal(pthread_join(thread, NULL), 0);
    ia_cancel_free(deadline.cancel);
    sim_world_free(&w);
}

static void without_xcode_the_hint_says_what_to_install(void **state)
{
    (void)state;
    static const struct {
        const char *setup, *in_hint;
    } cases[] = {{"{\"xcode\":null}", "install Xcode"},
                 {"{\"xcode\":\"broken\"}", "DEVELOPER_DIR"}};
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct sim_world w = sim_world_new(cases[i].setup);
        const struct ia_sim_list *list = NULL;
        struct ia_xcode xcode;
        assert_int_equal(ia_simctl_list(w.s, &forever, &list, &w.err), IA_E_MISSING);
        assert_non_null(strstr(w.err.hint, cases[i].in_hint));
        assert_int_equal(ia_xcode_version(&forever, &xcode, &w.err), IA_E_MISSING);
        sim_world_free(&w);
    }
    struct sim_world w = sim_world_new(SETUP);
    struct ia_xcode xcode;
    sim_world_ok(&w, ia_xcode_version(&forever, &xcode, &w.err));
    assert_string_equal(xcode.version, "26.2");
    assert_string_equal(xcode.build, "17C52");
    sim_world_calls(&w, "xcodebuild|-version\n");
    sim_world_free(&w);
}

static void without_xcrun_the_error_comes_at_once_and_names_what_works_here(void **state)
{
    (void)state;
    struct sim_world w = sim_world_new(SETUP);
    const struct ia_sim_list *list = NULL;
    char *path = ia_strdup(getenv("PATH"));
    assert_int_equal(setenv("PATH", w.folder, 1), 0);
    enum ia_rc rc = ia_simctl_list(w.s, &forever, &list, &w.err);
    assert_int_equal(setenv("PATH", path, 1), 0);
    assert_int_equal(rc, IA_E_MISSING);
    assert_int_equal(ia_rc_exit(rc), 3);
    assert_non_null(strstr(w.err.hint, "--device embedded"));
    free(path);
    sim_world_free(&w);
}

int main(void)
{
    if (!fake_xcode_works()) {
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_that_would_be_read_as_options_are_refused_before_any_call),
        cmocka_unit_test(failures_of_the_real_tool_come_back_with_their_hints),
        cmocka_unit_test(each_recorded_failure_comes_through_a_process_with_its_hint),
        cmocka_unit_test(output_that_is_not_a_list_is_refused),
        cmocka_unit_test(other_output_in_an_unexpected_form_is_refused),
        cmocka_unit_test(a_call_that_hangs_ends_at_its_deadline_with_unknown_outcome),
        cmocka_unit_test(a_call_can_be_cancelled),
        cmocka_unit_test(without_xcode_the_hint_says_what_to_install),
        cmocka_unit_test(without_xcrun_the_error_comes_at_once_and_names_what_works_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
