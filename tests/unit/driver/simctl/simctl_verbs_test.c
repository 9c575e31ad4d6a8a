/* Every verb of simctl: its argv word for word, and what it gives back. The stand-in in tests/fake
 * refuses any other argv. */
#include "sim_world.h"

/* ---- argv -------------------------------------------------------------------------------- */

static void finding_a_simulator_lists_once(void **state)
{
    (void)state;
    struct sim_world w = sim_world_new(SETUP);
    struct ia_sim_query q = {"iPhone 17 Pro", NULL};
    struct ia_sim_found found;
    sim_world_ok(&w, ia_simctl_find(w.s, &forever, &q, &found, &w.err));
    assert_string_equal(found.sim->udid, OTHER);
    q.name = NULL;
    sim_world_ok(&w, ia_simctl_find(w.s, &forever, &q, &found, &w.err));
    assert_string_equal(found.sim->udid, PHONE);
    sim_world_calls(&w, "simctl|list|-j\n");
    sim_world_free(&w);
}

static void images_are_listed(void **state)
{
    (void)state;
    struct sim_world w = sim_world_new(SETUP);
    struct ia_sim_images *images = NULL;
    sim_world_ok(&w, ia_simctl_images(w.s, &forever, &images, &w.err));
    assert_int_equal(images->count, 9);
    ia_sim_images_free(images);
    sim_world_calls(&w, "simctl|runtime|list|-j\n");
    sim_world_free(&w);
}

static void life_is_called_word_for_word(void **state)
{
    (void)state;
    struct sim_world w = sim_world_new(SETUP);
    char udid[IA_SIM_UDID_SIZE];
    bool already = true;
    sim_world_ok(&w, ia_simctl_boot(w.s, &forever, OTHER, &already, &w.err));
    assert_false(already);
    sim_world_ok(&w, ia_simctl_shutdown(w.s, &forever, OTHER, &already, &w.err));
    assert_false(already);
    sim_world_ok(&w, ia_simctl_erase(w.s, &forever, OTHER, false, &w.err));
    sim_world_calls(&w, "simctl|list|-j\nsimctl|boot|" OTHER "\nsimctl|bootstatus|" OTHER
                        "|-b\nsimctl|shutdown|" OTHER "\nsimctl|erase|" OTHER "\n");
    sim_world_ok(&w,
                 ia_simctl_create(w.s, &forever, "My Phone",
                                  "com.apple.CoreSimulator.SimDeviceType.iPhone-15",
                                  "com.apple.CoreSimulator.SimRuntime.iOS-26-2", udid, &w.err));
    assert_true(ia_sim_is_udid(udid));
    sim_world_calls(&w,
                    "simctl|create|My Phone|com.apple.CoreSimulator.SimDeviceType.iPhone-15|"
                    "com.apple.CoreSimulator.SimRuntime.iOS-26-2\n");
    sim_world_ok(&w, ia_simctl_clone(w.s, &forever, OTHER, "Copy", udid, &w.err));
    sim_world_calls(&w, "simctl|clone|" OTHER "|Copy\n");
    struct ia_sim_query q = {"copy", NULL};
    struct ia_sim_found found;
    sim_world_ok(&w, ia_simctl_find(w.s, &forever, &q, &found, &w.err));
    assert_string_equal(found.sim->udid, udid);
    sim_world_ok(&w, ia_simctl_delete(w.s, &forever, OTHER, &w.err));
    sim_world_calls(&w, "simctl|list|-j\nsimctl|delete|" OTHER "\n");
    assert_int_equal(
        ia_simctl_find(w.s, &forever, &(struct ia_sim_query){OTHER, NULL}, &found, &w.err),
        IA_E_NO_DEVICE);
    sim_world_free(&w);
}

static void apps_are_called_word_for_word(void **state)
{
    (void)state;
    struct sim_world w = sim_world_new(SETUP);
    char *app = sim_world_app(&w, "com.example.shop", "");
    char *real = realpath(app, NULL);
    struct ia_buf want = IA_BUF(4096);
    int pid = 0;
    bool already = true;
    sim_world_ok(&w, ia_simctl_install(w.s, &forever, PHONE, app, &w.err));
    ia_buf_printf(&want, "simctl|install|" PHONE "|%s\n", real);
    sim_world_calls(&w, ia_buf_cstr(&want));
    struct ia_sim_launch launch = {.bundle_id = "com.example.shop"};
    sim_world_ok(&w, ia_simctl_launch(w.s, &forever, PHONE, &launch, &pid, &w.err));
    assert_int_equal(pid, 34882);
    sim_world_calls(&w, "simctl|launch|" PHONE "|com.example.shop\n");
    sim_world_ok(&w, ia_simctl_running(w.s, &forever, PHONE, "com.example.shop", &pid, &w.err));
    assert_int_equal(pid, 34882);
    sim_world_ok(&w, ia_simctl_running(w.s, &forever, PHONE, "com.example.sho", &pid, &w.err));
    assert_int_equal(pid, 0);
    sim_world_calls(&w, "simctl|spawn|" PHONE "|launchctl|list\nsimctl|spawn|" PHONE
                        "|launchctl|list\n");
    sim_world_ok(&w,
                 ia_simctl_openurl(w.s, &forever, PHONE, "https://example.com/?a=b c", &w.err));
    sim_world_ok(
        &w, ia_simctl_terminate(w.s, &forever, PHONE, "com.example.shop", &already, &w.err));
    assert_false(already);
    sim_world_ok(&w, ia_simctl_uninstall(w.s, &forever, PHONE, "com.example.shop", &w.err));
    sim_world_calls(&w, "simctl|openurl|" PHONE "|https://example.com/?a=b c\n"
                        "simctl|terminate|" PHONE "|com.example.shop\n"
                        "simctl|uninstall|" PHONE "|com.example.shop\n");
    ia_buf_fini(&want);
    free(real);
    free(app);
    sim_world_free(&w);
}

static void a_launch_carries_arguments_and_environment(void **state)
{
    (void)state;
    struct sim_world w = sim_world_new(SETUP);
    static const char *const args[] = {"-AppleLanguages", "(de)", "", "a b", NULL};
    static const char *const env[] = {"STAGE=test", "EMPTY=", "URL=x=y", NULL};
    struct ia_sim_launch launch = {.bundle_id = "com.apple.Preferences",
                                   .args = args,
                                   .env = env,
                                   .relaunch = true,
                                   .wait_for_debugger = true};
    int pid = 0;
    assert_int_equal(setenv("SIMCTL_CHILD_STAGE", "ours is replaced", 1), 0);
    sim_world_ok(&w, ia_simctl_launch(w.s, &forever, PHONE, &launch, &pid, &w.err));
    assert_int_equal(unsetenv("SIMCTL_CHILD_STAGE"), 0);
    fake_xcode_env(w.folder, &w.text);
    assert_string_equal(ia_buf_cstr(&w.text), "SIMCTL_CHILD_EMPTY=\nSIMCTL_CHILD_STAGE=test\n"
                                              "SIMCTL_CHILD_URL=x=y\n");
    sim_world_calls(&w, "simctl|launch|--terminate-running-process|-w|" PHONE
                        "|com.apple.Preferences|-AppleLanguages|(de)||a b\n");
    sim_world_free(&w);
}

static void settings_are_called_word_for_word(void **state)
{
    (void)state;
    struct sim_world w = sim_world_new(SETUP);
    enum ia_sim_appearance looks = IA_SIM_UNKNOWN;
    const struct ia_location bern = {46.9480911, -7.4474};
    sim_world_ok(&w, ia_simctl_privacy(w.s, &forever, PHONE, IA_PRIVACY_GRANT, "photos",
                                       "com.example.shop", &w.err));
    sim_world_ok(&w, ia_simctl_privacy(w.s, &forever, PHONE, IA_PRIVACY_REVOKE,
                                       "location-always", "com.example.shop", &w.err));
    sim_world_ok(
        &w, ia_simctl_privacy(w.s, &forever, PHONE, IA_PRIVACY_RESET, "all", NULL, &w.err));
    sim_world_calls(&w, "simctl|privacy|" PHONE "|grant|photos|com.example.shop\n"
                        "simctl|privacy|" PHONE "|revoke|location-always|com.example.shop\n"
                        "simctl|privacy|" PHONE "|reset|all\n");
    sim_world_ok(&w, ia_simctl_set_appearance(w.s, &forever, PHONE, IA_SIM_DARK, &w.err));
    sim_world_ok(&w, ia_simctl_appearance(w.s, &forever, PHONE, &looks, &w.err));
    assert_int_equal(looks, IA_SIM_DARK);
    sim_world_ok(&w, ia_simctl_appearance(w.s, &forever, OTHER, &looks, &w.err));
    assert_int_equal(looks, IA_SIM_UNKNOWN);
    sim_world_calls(&w, "simctl|ui|" PHONE "|appearance|dark\nsimctl|ui|" PHONE
                        "|appearance\nsimctl|ui|" OTHER "|appearance\n");
    sim_world_ok(&w, ia_simctl_location(w.s, &forever, PHONE, &bern, &w.err));
    sim_world_ok(&w, ia_simctl_location_clear(w.s, &forever, PHONE, &w.err));
    sim_world_calls(&w, "simctl|location|" PHONE "|set|46.9480911,-7.4474000\n"
                        "simctl|location|" PHONE "|clear\n");
    sim_world_free(&w);
}

static void the_status_bar_takes_an_empty_operator_as_a_word(void **state)
{
    (void)state;
    struct sim_world w = sim_world_new(SETUP);
    struct ia_status_bar bar = IA_STATUS_BAR;
    bar.time = "9:41";
    bar.operator_name = "";
    bar.battery_level = 100;
    sim_world_ok(&w, ia_simctl_status_bar(w.s, &forever, PHONE, &bar, &w.err));
    sim_world_calls(&w, "simctl|status_bar|" PHONE
                        "|override|--time|9:41|--operatorName||--batteryLevel|100\n");
    bar = (struct ia_status_bar){.time = "7:20",
                                 .data_network = "lte",
                                 .wifi_mode = "failed",
                                 .wifi_bars = 1,
                                 .cellular_mode = "active",
                                 .cellular_bars = 2,
                                 .operator_name = "Yaad",
                                 .battery_state = "discharging",
                                 .battery_level = 42};
    sim_world_ok(&w, ia_simctl_status_bar(w.s, &forever, PHONE, &bar, &w.err));
    sim_world_ok(&w, ia_simctl_status_bar_list(w.s, &forever, PHONE, &w.text, &w.err));
    assert_non_null(strstr(ia_buf_cstr(&w.text), "Operator Name: Yaad"));
    sim_world_ok(&w, ia_simctl_status_bar_clear(w.s, &forever, PHONE, &w.err));
    sim_world_calls(
        &w, "simctl|status_bar|" PHONE "|override|--time|7:20|--dataNetwork|lte|--wifiMode|"
            "failed|--wifiBars|1|--cellularMode|active|--cellularBars|2|--operatorName|Yaad|"
            "--batteryState|discharging|--batteryLevel|42\n"
            "simctl|status_bar|" PHONE "|list\nsimctl|status_bar|" PHONE "|clear\n");
    bar.battery_level = 101;
    assert_int_equal(ia_simctl_status_bar(w.s, &forever, PHONE, &bar, &w.err), IA_E_USAGE);
    sim_world_free(&w);
}

static void files_and_text_go_in_and_come_out(void **state)
{
    (void)state;
    struct sim_world w = sim_world_new(SETUP);
    char *file = tmpdir_file(w.folder, "picture.png", "not looked at");
    char *real = realpath(file, NULL);
    struct ia_buf want = IA_BUF(1 << 16);
    const char *const media[] = {file, file, NULL};
    struct ia_str hi = ia_str("{\"aps\":{\"alert\":\"hi\"}}");
    sim_world_ok(&w, ia_simctl_push(w.s, &forever, PHONE, "com.example.shop", hi, &w.err));
    sim_world_ok(&w, ia_simctl_push(w.s, &forever, PHONE, NULL, hi, &w.err));
    sim_world_ok(&w, ia_simctl_addmedia(w.s, &forever, PHONE, media, &w.err));
    ia_buf_printf(&want,
                  "simctl|push|" PHONE "|com.example.shop|-\nsimctl|push|" PHONE
                  "|-\nsimctl|addmedia|" PHONE "|%s|%s\n",
                  real, real);
    sim_world_calls(&w, ia_buf_cstr(&want));
    sim_world_ok(&w, ia_simctl_pbcopy(w.s, &forever, PHONE, ia_str("Grüezi\n"), &w.err));
    sim_world_ok(&w, ia_simctl_pbpaste(w.s, &forever, PHONE, &w.text, &w.err));
    assert_string_equal(ia_buf_cstr(&w.text), "Grüezi\n");
    sim_world_calls(&w, "simctl|pbcopy|" PHONE "\nsimctl|pbpaste|" PHONE "\n");
    ia_buf_fini(&want);
    free(real);
    free(file);
    sim_world_free(&w);
}

/* ---- states ------------------------------------------------------------------------------ */

static void a_verb_whose_result_is_there_already_succeeds(void **state)
{
    (void)state;
    struct sim_world w = sim_world_new(SETUP);
    bool already = false;
    sim_world_ok(&w, ia_simctl_boot(w.s, &forever, PHONE, &already, &w.err));
    assert_true(already);
    sim_world_calls(&w, "simctl|list|-j\nsimctl|bootstatus|" PHONE "|-b\n");
    already = false;
    sim_world_ok(&w, ia_simctl_shutdown(w.s, &forever, OTHER, &already, &w.err));
    assert_true(already);
    already = false;
    sim_world_ok(&w, ia_simctl_terminate(w.s, &forever, PHONE, "com.apple.Preferences",
                                         &already, &w.err));
    assert_true(already);
    sim_world_free(&w);
}

static void a_boot_by_another_process_in_between_is_no_failure(void **state)
{
    (void)state;
    struct sim_world w =
        sim_world_new("{" DEVICES ",\"answers\":[{\"match\":[\"boot\"],\"also_do\":true,"
                      "\"row\":\"boot|bootstatus -b <booted>\"}]}");
    bool already = false;
    sim_world_ok(&w, ia_simctl_boot(w.s, &forever, OTHER, &already, &w.err));
    assert_true(already);
    sim_world_free(&w);
}

static void bootstatus_that_says_booted_is_checked_against_the_state(void **state)
{
    (void)state;
    struct sim_world w =
        sim_world_new("{" DEVICES ",\"answers\":[{\"match\":[\"bootstatus\"],\"also_do\":true,"
                      "\"times\":1,\"row\":\"bootstatus <booted> -b (race)\"}]}");
    bool already = true;
    sim_world_ok(&w, ia_simctl_boot(w.s, &forever, OTHER, &already, &w.err));
    assert_false(already);
    sim_world_calls(&w, "simctl|list|-j\nsimctl|boot|" OTHER "\nsimctl|bootstatus|" OTHER
                        "|-b\nsimctl|list|-j\n");
    sim_world_free(&w);
    /* Where the state says otherwise every time, it is a failure that says so. */
    w = sim_world_new("{\"devices\":[{\"name\":\"P\",\"runtime\":\"iOS 26.2\",\"udid\":\"" OTHER
                      "\",\"state\":\"Booting\"}],\"answers\":[{\"match\":[\"bootstatus\"],"
                      "\"row\":\"bootstatus <booted> -b (race)\"}]}");
    assert_int_equal(ia_simctl_boot(w.s, &forever, OTHER, &already, &w.err), IA_E_STATE);
    assert_non_null(strstr(w.err.msg, "is Booting"));
    sim_world_free(&w);
}

static void a_simulator_on_its_way_down_is_waited_for(void **state)
{
    (void)state;
    struct sim_world w =
        sim_world_new("{\"devices\":[{\"name\":\"P\",\"runtime\":\"iOS 26.2\",\"udid\":\"" OTHER
                      "\",\"state\":\"Shutting Down\"}]}");
    bool already = true;
    sim_world_ok(&w, ia_simctl_boot(w.s, &forever, OTHER, &already, &w.err));
    assert_false(already);
    sim_world_calls(&w, "simctl|list|-j\nsimctl|list|-j\nsimctl|boot|" OTHER
                        "\nsimctl|bootstatus|" OTHER "|-b\n");
    sim_world_free(&w);
}

static void erasing_shuts_down_first_only_when_asked(void **state)
{
    (void)state;
    struct sim_world w = sim_world_new(SETUP);
    assert_int_equal(ia_simctl_erase(w.s, &forever, PHONE, false, &w.err), IA_E_STATE);
    assert_int_equal(w.err.outcome, IA_OUTCOME_NOT_SENT);
    assert_non_null(strstr(w.err.hint, "reset-sim"));
    sim_world_calls(&w, "simctl|erase|" PHONE "\n");
    sim_world_ok(&w, ia_simctl_erase(w.s, &forever, PHONE, true, &w.err));
    sim_world_calls(&w, "simctl|list|-j\nsimctl|shutdown|" PHONE "\nsimctl|erase|" PHONE "\n");
    sim_world_free(&w);
}

static void a_list_that_is_out_of_date_is_read_again(void **state)
{
    (void)state;
    struct sim_world w = sim_world_new(SETUP);
    const struct ia_sim_list *list = NULL;
    struct ia_simctl *somebody_else = ia_simctl_new();
    bool already = false;
    sim_world_ok(&w, ia_simctl_list(w.s, &forever, &list, &w.err));
    sim_world_ok(&w, ia_simctl_boot(somebody_else, &forever, OTHER, &already, &w.err));
    fake_xcode_forget(w.folder);
    sim_world_ok(&w, ia_simctl_erase(w.s, &forever, OTHER, true, &w.err));
    sim_world_calls(&w, "simctl|erase|" OTHER "\nsimctl|list|-j\nsimctl|shutdown|" OTHER
                        "\nsimctl|erase|" OTHER "\n");
    ia_simctl_free(somebody_else);
    sim_world_free(&w);
}

/* ---- screen ------------------------------------------------------------------------------ */

static void a_screenshot_is_a_png_and_never_taken_of_a_dark_screen(void **state)
{
    (void)state;
    struct sim_world w = sim_world_new(SETUP);
    sim_world_ok(&w, ia_simctl_screenshot(w.s, &forever, PHONE, &w.text, &w.err));
    assert_memory_equal(w.text.p, "\x89PNG", 4);
    sim_world_calls(&w, "simctl|list|-j\nsimctl|io|" PHONE "|screenshot|--type=png|-\n");
    assert_int_equal(ia_simctl_screenshot(w.s, &forever, OTHER, &w.text, &w.err), IA_E_STATE);
    assert_non_null(strstr(w.err.hint, "boot"));
    sim_world_calls(&w, "simctl|list|-j\n");
    sim_world_free(&w);
    w = sim_world_new("{" DEVICES
                      ",\"answers\":[{\"match\":[\"io\"],\"stdout\":\"no picture\"}]}");
    ia_buf_puts(&w.text, "before");
    assert_int_equal(ia_simctl_screenshot(w.s, &forever, PHONE, &w.text, &w.err), IA_E_DEVICE);
    assert_string_equal(ia_buf_cstr(&w.text), "before");
    sim_world_free(&w);
}

static void fire(void *ctx)
{
    ia_cancel_fire(ctx);
}

static void record(struct sim_world *w, bool at_once, const char *codec)
{
    char *path = ia_path_join(w->folder, "film.mov");
    struct ia_cancel *stop = ia_cancel_new(&w->err);
    struct ia_sim_record r = {.path = path, .codec = codec, .stop = stop};
    struct ia_buf film = IA_BUF(4096);
    if (at_once) {
        ia_cancel_fire(stop);
    } else {
        r.started = fire;
        r.started_ctx = stop;
    }
    sim_world_ok(w, ia_simctl_record(w->s, &forever, PHONE, &r, &w->err));
    fake_xcode_file(w->folder, "film.mov", &film);
    assert_true(film.len > 0);
    fake_xcode_file(w->folder, "signals.jsonl", &w->text);
    ia_buf_fini(&film);
    ia_cancel_free(stop);
    free(path);
}

static void a_recording_is_interrupted_after_its_first_frame(void **state)
{
    (void)state;
    struct sim_world w = sim_world_new(SETUP);
    struct ia_buf want = IA_BUF(4096);
    record(&w, false, NULL);
    assert_string_equal(ia_buf_cstr(&w.text), "\"interrupt\"\n");
    ia_buf_printf(&want,
                  "simctl|list|-j\nsimctl|io|" PHONE "|recordVideo|--force|%s/film.mov\n",
                  w.folder);
    sim_world_calls(&w, ia_buf_cstr(&want));
    record(&w, false, "hevc");
    ia_buf_reset(&want);
    ia_buf_printf(&want, "simctl|io|" PHONE "|recordVideo|--codec=hevc|--force|%s/film.mov\n",
                  w.folder);
    sim_world_calls(&w, ia_buf_cstr(&want));
    ia_buf_fini(&want);
    sim_world_free(&w);
}

static void a_stop_that_comes_early_waits_for_the_first_frame(void **state)
{
    (void)state;
    struct sim_world w = sim_world_new("{" DEVICES ",\"black\":30}");
    record(&w, true, NULL);
    assert_string_equal(ia_buf_cstr(&w.text), "\"interrupt\"\n");
    sim_world_free(&w);
}

static void an_interrupt_that_is_lost_is_sent_again(void **state)
{
    (void)state;
    struct sim_world w = sim_world_new("{" DEVICES ",\"deaf\":1}");
    record(&w, false, NULL);
    assert_string_equal(ia_buf_cstr(&w.text), "\"interrupt\"\n\"interrupt\"\n");
    sim_world_free(&w);
}

int main(void)
{
    if (!fake_xcode_works()) {
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finding_a_simulator_lists_once),
        cmocka_unit_test(images_are_listed),
        cmocka_unit_test(life_is_called_word_for_word),
        cmocka_unit_test(apps_are_called_word_for_word),
        cmocka_unit_test(a_launch_carries_arguments_and_environment),
        cmocka_unit_test(settings_are_called_word_for_word),
        cmocka_unit_test(the_status_bar_takes_an_empty_operator_as_a_word),
        cmocka_unit_test(files_and_text_go_in_and_come_out),
        cmocka_unit_test(a_verb_whose_result_is_there_already_succeeds),
        cmocka_unit_test(a_boot_by_another_process_in_between_is_no_failure),
        cmocka_unit_test(bootstatus_that_says_booted_is_checked_against_the_state),
        cmocka_unit_test(a_simulator_on_its_way_down_is_waited_for),
        cmocka_unit_test(erasing_shuts_down_first_only_when_asked),
        cmocka_unit_test(a_list_that_is_out_of_date_is_read_again),
        cmocka_unit_test(a_screenshot_is_a_png_and_never_taken_of_a_dark_screen),
        cmocka_unit_test(a_recording_is_interrupted_after_its_first_frame),
        cmocka_unit_test(a_stop_that_comes_early_waits_for_the_first_frame),
        cmocka_unit_test(an_interrupt_that_is_lost_is_sent_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
