/* Every verb of simctl: its argv word for word, what it gives back, what it does when things
 * are not as they should be. The stand-in in tests/fake refuses any other argv. */
#include "fake_xcode.h"
#include "source_dir.h"

#include "driver/simctl/simctl.h"
#include "driver/simctl/xcrun.h"

#include <jansson.h>
#include <pthread.h>

#define PHONE "00000000-0000-4000-8000-00000000000A" /* booted */
#define OTHER "00000000-0000-4000-8000-00000000000B" /* shut down */

#define DEVICES                                                                                \
    "\"devices\":[{\"name\":\"iPhone 17\",\"runtime\":\"iOS 26.2\",\"udid\":\"" PHONE          \
    "\",\"state\":\"Booted\"},"                                                                \
    "{\"name\":\"iPhone 17 Pro\",\"runtime\":\"iOS 26.2\",\"udid\":\"" OTHER "\"}]"
#define SETUP "{" DEVICES "}"

static const struct ia_deadline forever = {.at_us = IA_NO_DEADLINE};

struct world {
    char *folder;
    struct ia_simctl *s;
    struct ia_buf text;
    struct ia_err err;
};

static struct world begin(const char *setup)
{
    return (struct world){
        .folder = fake_xcode_new(setup), .s = ia_simctl_new(), .text = IA_BUF(1 << 20)};
}

static void end(struct world *w)
{
    ia_simctl_free(w->s);
    ia_buf_fini(&w->text);
    fake_xcode_free(w->folder);
}

static void ok(struct world *w, enum ia_rc rc)
{
    if (rc != IA_OK) {
        fail_msg("%s: %s", ia_rc_name(rc), w->err.msg);
    }
}

/* The calls since the last question are these. */
static void calls(struct world *w, const char *want)
{
    struct ia_buf got = IA_BUF(1 << 20);
    fake_xcode_calls(w->folder, &got);
    assert_string_equal(ia_buf_cstr(&got), want);
    fake_xcode_forget(w->folder);
    ia_buf_fini(&got);
}

static char *app_folder(struct world *w, const char *bundle_id, const char *more)
{
    char *app = ia_path_join(w->folder, "Shop.app");
    struct ia_buf plist = IA_BUF(1 << 16);
    assert_int_equal(ia_mkdirs(app, &w->err), IA_OK);
    ia_buf_printf(&plist,
                  "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict>"
                  "<key>CFBundleIdentifier</key><string>%s</string>%s</dict></plist>",
                  bundle_id, more);
    free(tmpdir_file(app, "Info.plist", ia_buf_cstr(&plist)));
    ia_buf_fini(&plist);
    return app;
}

/* ---- argv -------------------------------------------------------------------------------- */

static void finding_a_simulator_lists_once(void **state)
{
    (void)state;
    struct world w = begin(SETUP);
    struct ia_sim_query q = {"iPhone 17 Pro", NULL};
    struct ia_sim_found found;
    ok(&w, ia_simctl_find(w.s, &forever, &q, &found, &w.err));
    assert_string_equal(found.sim->udid, OTHER);
    q.name = NULL;
    ok(&w, ia_simctl_find(w.s, &forever, &q, &found, &w.err));
    assert_string_equal(found.sim->udid, PHONE);
    calls(&w, "simctl|list|-j\n");
    end(&w);
}

static void images_are_listed(void **state)
{
    (void)state;
    struct world w = begin(SETUP);
    struct ia_sim_images *images = NULL;
    ok(&w, ia_simctl_images(w.s, &forever, &images, &w.err));
    assert_int_equal(images->count, 9);
    ia_sim_images_free(images);
    calls(&w, "simctl|runtime|list|-j\n");
    end(&w);
}

static void life_is_called_word_for_word(void **state)
{
    (void)state;
    struct world w = begin(SETUP);
    char udid[IA_SIM_UDID_SIZE];
    bool already = true;
    ok(&w, ia_simctl_boot(w.s, &forever, OTHER, &already, &w.err));
    assert_false(already);
    ok(&w, ia_simctl_shutdown(w.s, &forever, OTHER, &already, &w.err));
    assert_false(already);
    ok(&w, ia_simctl_erase(w.s, &forever, OTHER, false, &w.err));
    calls(&w, "simctl|list|-j\nsimctl|boot|" OTHER "\nsimctl|bootstatus|" OTHER
              "|-b\nsimctl|shutdown|" OTHER "\nsimctl|erase|" OTHER "\n");
    ok(&w, ia_simctl_create(w.s, &forever, "My Phone",
                            "com.apple.CoreSimulator.SimDeviceType.iPhone-15",
                            "com.apple.CoreSimulator.SimRuntime.iOS-26-2", udid, &w.err));
    assert_true(ia_sim_is_udid(udid));
    calls(&w, "simctl|create|My Phone|com.apple.CoreSimulator.SimDeviceType.iPhone-15|"
              "com.apple.CoreSimulator.SimRuntime.iOS-26-2\n");
    ok(&w, ia_simctl_clone(w.s, &forever, OTHER, "Copy", udid, &w.err));
    calls(&w, "simctl|clone|" OTHER "|Copy\n");
    struct ia_sim_query q = {"copy", NULL};
    struct ia_sim_found found;
    ok(&w, ia_simctl_find(w.s, &forever, &q, &found, &w.err));
    assert_string_equal(found.sim->udid, udid);
    ok(&w, ia_simctl_delete(w.s, &forever, OTHER, &w.err));
    calls(&w, "simctl|list|-j\nsimctl|delete|" OTHER "\n");
    assert_int_equal(
        ia_simctl_find(w.s, &forever, &(struct ia_sim_query){OTHER, NULL}, &found, &w.err),
        IA_E_NO_DEVICE);
    end(&w);
}

static void apps_are_called_word_for_word(void **state)
{
    (void)state;
    struct world w = begin(SETUP);
    char *app = app_folder(&w, "com.example.shop", "");
    char *real = realpath(app, NULL);
    struct ia_buf want = IA_BUF(4096);
    int pid = 0;
    bool already = true;
    ok(&w, ia_simctl_install(w.s, &forever, PHONE, app, &w.err));
    ia_buf_printf(&want, "simctl|install|" PHONE "|%s\n", real);
    calls(&w, ia_buf_cstr(&want));
    struct ia_sim_launch launch = {.bundle_id = "com.example.shop"};
    ok(&w, ia_simctl_launch(w.s, &forever, PHONE, &launch, &pid, &w.err));
    assert_int_equal(pid, 34882);
    calls(&w, "simctl|launch|" PHONE "|com.example.shop\n");
    ok(&w, ia_simctl_running(w.s, &forever, PHONE, "com.example.shop", &pid, &w.err));
    assert_int_equal(pid, 34882);
    ok(&w, ia_simctl_running(w.s, &forever, PHONE, "com.example.sho", &pid, &w.err));
    assert_int_equal(pid, 0);
    calls(&w, "simctl|spawn|" PHONE "|launchctl|list\nsimctl|spawn|" PHONE "|launchctl|list\n");
    ok(&w, ia_simctl_openurl(w.s, &forever, PHONE, "https://example.com/?a=b c", &w.err));
    ok(&w, ia_simctl_terminate(w.s, &forever, PHONE, "com.example.shop", &already, &w.err));
    assert_false(already);
    ok(&w,
       ia_simctl_container(w.s, &forever, PHONE, "com.example.shop", NULL, &w.text, &w.err));
    assert_true(w.text.len > 0 && w.text.p[w.text.len - 1] != '\n');
    ok(&w,
       ia_simctl_container(w.s, &forever, PHONE, "com.example.shop", "data", &w.text, &w.err));
    ok(&w, ia_simctl_container(w.s, &forever, PHONE, "com.example.shop", "group.shop", &w.text,
                               &w.err));
    ok(&w, ia_simctl_uninstall(w.s, &forever, PHONE, "com.example.shop", &w.err));
    calls(&w, "simctl|openurl|" PHONE "|https://example.com/?a=b c\n"
              "simctl|terminate|" PHONE "|com.example.shop\n"
              "simctl|get_app_container|" PHONE "|com.example.shop\n"
              "simctl|get_app_container|" PHONE "|com.example.shop|data\n"
              "simctl|get_app_container|" PHONE "|com.example.shop|group.shop\n"
              "simctl|uninstall|" PHONE "|com.example.shop\n");
    ia_buf_fini(&want);
    free(real);
    free(app);
    end(&w);
}

static void a_launch_carries_arguments_and_environment(void **state)
{
    (void)state;
    struct world w = begin(SETUP);
    static const char *const args[] = {"-AppleLanguages", "(de)", "", "a b", NULL};
    static const char *const env[] = {"STAGE=test", "EMPTY=", "URL=x=y", NULL};
    struct ia_sim_launch launch = {.bundle_id = "com.apple.Preferences",
                                   .args = args,
                                   .env = env,
                                   .relaunch = true,
                                   .wait_for_debugger = true};
    int pid = 0;
    assert_int_equal(setenv("SIMCTL_CHILD_STAGE", "ours is replaced", 1), 0);
    ok(&w, ia_simctl_launch(w.s, &forever, PHONE, &launch, &pid, &w.err));
    assert_int_equal(unsetenv("SIMCTL_CHILD_STAGE"), 0);
    fake_xcode_env(w.folder, &w.text);
    assert_string_equal(ia_buf_cstr(&w.text), "SIMCTL_CHILD_EMPTY=\nSIMCTL_CHILD_STAGE=test\n"
                                              "SIMCTL_CHILD_URL=x=y\n");
    calls(&w, "simctl|launch|--terminate-running-process|-w|" PHONE
              "|com.apple.Preferences|-AppleLanguages|(de)||a b\n");
    end(&w);
}

static void settings_are_called_word_for_word(void **state)
{
    (void)state;
    struct world w = begin(SETUP);
    enum ia_sim_appearance looks = IA_SIM_UNKNOWN;
    ok(&w, ia_simctl_privacy(w.s, &forever, PHONE, IA_SIM_GRANT, "photos", "com.example.shop",
                             &w.err));
    ok(&w, ia_simctl_privacy(w.s, &forever, PHONE, IA_SIM_REVOKE, "location-always",
                             "com.example.shop", &w.err));
    ok(&w, ia_simctl_privacy(w.s, &forever, PHONE, IA_SIM_RESET, "all", NULL, &w.err));
    calls(&w, "simctl|privacy|" PHONE "|grant|photos|com.example.shop\n"
              "simctl|privacy|" PHONE "|revoke|location-always|com.example.shop\n"
              "simctl|privacy|" PHONE "|reset|all\n");
    ok(&w, ia_simctl_set_appearance(w.s, &forever, PHONE, IA_SIM_DARK, &w.err));
    ok(&w, ia_simctl_appearance(w.s, &forever, PHONE, &looks, &w.err));
    assert_int_equal(looks, IA_SIM_DARK);
    ok(&w, ia_simctl_appearance(w.s, &forever, OTHER, &looks, &w.err));
    assert_int_equal(looks, IA_SIM_UNKNOWN);
    calls(&w, "simctl|ui|" PHONE "|appearance|dark\nsimctl|ui|" PHONE
              "|appearance\nsimctl|ui|" OTHER "|appearance\n");
    ok(&w, ia_simctl_location(w.s, &forever, PHONE, 46.9480911, -7.4474, &w.err));
    ok(&w, ia_simctl_location_clear(w.s, &forever, PHONE, &w.err));
    ok(&w, ia_simctl_accessibility(w.s, &forever, PHONE, &w.err));
    calls(&w, "simctl|location|" PHONE "|set|46.9480911,-7.4474000\n"
              "simctl|location|" PHONE "|clear\n"
              "simctl|spawn|" PHONE "|defaults|write|com.apple.Accessibility|"
              "ApplicationAccessibilityEnabled|-bool|true\n"
              "simctl|spawn|" PHONE "|defaults|write|com.apple.Accessibility|"
              "AutomationEnabled|-bool|true\n");
    end(&w);
}

static void the_status_bar_takes_an_empty_operator_as_a_word(void **state)
{
    (void)state;
    struct world w = begin(SETUP);
    struct ia_sim_status_bar bar = IA_SIM_STATUS_BAR;
    bar.time = "9:41";
    bar.operator_name = "";
    bar.battery_level = 100;
    ok(&w, ia_simctl_status_bar(w.s, &forever, PHONE, &bar, &w.err));
    calls(&w, "simctl|status_bar|" PHONE
              "|override|--time|9:41|--operatorName||--batteryLevel|100\n");
    bar = (struct ia_sim_status_bar){.time = "7:20",
                                     .data_network = "lte",
                                     .wifi_mode = "failed",
                                     .wifi_bars = 1,
                                     .cellular_mode = "active",
                                     .cellular_bars = 2,
                                     .operator_name = "Yaad",
                                     .battery_state = "discharging",
                                     .battery_level = 42};
    ok(&w, ia_simctl_status_bar(w.s, &forever, PHONE, &bar, &w.err));
    ok(&w, ia_simctl_status_bar_list(w.s, &forever, PHONE, &w.text, &w.err));
    assert_non_null(strstr(ia_buf_cstr(&w.text), "Operator Name: Yaad"));
    ok(&w, ia_simctl_status_bar_clear(w.s, &forever, PHONE, &w.err));
    calls(&w, "simctl|status_bar|" PHONE "|override|--time|7:20|--dataNetwork|lte|--wifiMode|"
              "failed|--wifiBars|1|--cellularMode|active|--cellularBars|2|--operatorName|Yaad|"
              "--batteryState|discharging|--batteryLevel|42\n"
              "simctl|status_bar|" PHONE "|list\nsimctl|status_bar|" PHONE "|clear\n");
    bar.battery_level = 101;
    assert_int_equal(ia_simctl_status_bar(w.s, &forever, PHONE, &bar, &w.err), IA_E_USAGE);
    end(&w);
}

static void files_and_text_go_in_and_come_out(void **state)
{
    (void)state;
    struct world w = begin(SETUP);
    char *file = tmpdir_file(w.folder, "push.json", "{\"aps\":{\"alert\":\"hi\"}}");
    char *real = realpath(file, NULL);
    struct ia_buf want = IA_BUF(1 << 16);
    const char *const media[] = {file, file, NULL};
    ok(&w, ia_simctl_push(w.s, &forever, PHONE, "com.example.shop", file, &w.err));
    ok(&w, ia_simctl_push(w.s, &forever, PHONE, NULL, file, &w.err));
    ok(&w, ia_simctl_addmedia(w.s, &forever, PHONE, media, &w.err));
    ia_buf_printf(&want,
                  "simctl|push|" PHONE "|com.example.shop|%s\nsimctl|push|" PHONE
                  "|%s\nsimctl|addmedia|" PHONE "|%s|%s\n",
                  real, real, real, real);
    calls(&w, ia_buf_cstr(&want));
    ok(&w, ia_simctl_pbcopy(w.s, &forever, PHONE, ia_str("Grüezi\n"), &w.err));
    ok(&w, ia_simctl_pbpaste(w.s, &forever, PHONE, &w.text, &w.err));
    assert_string_equal(ia_buf_cstr(&w.text), "Grüezi\n");
    calls(&w, "simctl|pbcopy|" PHONE "\nsimctl|pbpaste|" PHONE "\n");
    ia_buf_fini(&want);
    free(real);
    free(file);
    end(&w);
}

static void installed_apps_are_read_with_their_names(void **state)
{
    (void)state;
    struct world w = begin(SETUP);
    struct ia_sim_apps *apps = NULL;
    char *app = app_folder(&w, "com.example.shop",
                           "<key>CFBundleName</key><string>示例 \"🛒\" \\</string>");
    ok(&w, ia_simctl_install(w.s, &forever, PHONE, app, &w.err));
    fake_xcode_forget(w.folder);
    ok(&w, ia_simctl_listapps(w.s, &forever, PHONE, &apps, &w.err));
    assert_int_equal(apps->count, 4);
    assert_string_equal(apps->apps[0].bundle_id, "com.apple.MobileAddressBook");
    assert_string_equal(apps->apps[0].type, "System");
    assert_string_equal(apps->apps[3].bundle_id, "com.example.shop");
    assert_string_equal(apps->apps[3].name, "示例 \"🛒\" \\");
    assert_string_equal(apps->apps[3].version, "1.2");
    assert_string_equal(apps->apps[3].type, "User");
    assert_non_null(strstr(apps->apps[3].path, "com.example.shop.app"));
    ia_sim_apps_free(apps);
    ok(&w, ia_simctl_appinfo(w.s, &forever, PHONE, "com.apple.mobilesafari", &apps, &w.err));
    assert_string_equal(apps->apps[0].name, "Safari");
    ia_sim_apps_free(apps);
    assert_int_equal(ia_simctl_appinfo(w.s, &forever, PHONE, "com.example.nope", &apps, &w.err),
                     IA_E_NO_APP);
    calls(&w, "simctl|listapps|" PHONE "\nsimctl|appinfo|" PHONE
              "|com.apple.mobilesafari\nsimctl|appinfo|" PHONE "|com.example.nope\n");
    free(app);
    end(&w);
}

/* ---- states ------------------------------------------------------------------------------ */

static void what_is_already_so_is_done(void **state)
{
    (void)state;
    struct world w = begin(SETUP);
    bool already = false;
    ok(&w, ia_simctl_boot(w.s, &forever, PHONE, &already, &w.err));
    assert_true(already);
    calls(&w, "simctl|list|-j\nsimctl|bootstatus|" PHONE "|-b\n");
    already = false;
    ok(&w, ia_simctl_shutdown(w.s, &forever, OTHER, &already, &w.err));
    assert_true(already);
    already = false;
    ok(&w,
       ia_simctl_terminate(w.s, &forever, PHONE, "com.apple.Preferences", &already, &w.err));
    assert_true(already);
    end(&w);
}

static void somebody_elses_boot_in_between_is_no_failure(void **state)
{
    (void)state;
    struct world w = begin("{" DEVICES ",\"answers\":[{\"match\":[\"boot\"],\"also_do\":true,"
                           "\"row\":\"boot|bootstatus -b <booted>\"}]}");
    bool already = false;
    ok(&w, ia_simctl_boot(w.s, &forever, OTHER, &already, &w.err));
    assert_true(already);
    end(&w);
}

static void bootstatus_that_says_booted_is_checked_against_the_state(void **state)
{
    (void)state;
    struct world w =
        begin("{" DEVICES ",\"answers\":[{\"match\":[\"bootstatus\"],\"also_do\":true,"
              "\"times\":1,\"row\":\"bootstatus <booted> -b (race)\"}]}");
    bool already = true;
    ok(&w, ia_simctl_boot(w.s, &forever, OTHER, &already, &w.err));
    assert_false(already);
    calls(&w, "simctl|list|-j\nsimctl|boot|" OTHER "\nsimctl|bootstatus|" OTHER
              "|-b\nsimctl|list|-j\n");
    end(&w);
    /* Where the state says otherwise every time, it is a failure that says so. */
    w = begin("{\"devices\":[{\"name\":\"P\",\"runtime\":\"iOS 26.2\",\"udid\":\"" OTHER
              "\",\"state\":\"Booting\"}],\"answers\":[{\"match\":[\"bootstatus\"],"
              "\"row\":\"bootstatus <booted> -b (race)\"}]}");
    assert_int_equal(ia_simctl_boot(w.s, &forever, OTHER, &already, &w.err), IA_E_STATE);
    assert_non_null(strstr(w.err.msg, "is Booting"));
    end(&w);
}

static void a_simulator_on_its_way_down_is_waited_for(void **state)
{
    (void)state;
    struct world w =
        begin("{\"devices\":[{\"name\":\"P\",\"runtime\":\"iOS 26.2\",\"udid\":\"" OTHER
              "\",\"state\":\"Shutting Down\"}]}");
    bool already = true;
    ok(&w, ia_simctl_boot(w.s, &forever, OTHER, &already, &w.err));
    assert_false(already);
    calls(&w, "simctl|list|-j\nsimctl|list|-j\nsimctl|boot|" OTHER "\nsimctl|bootstatus|" OTHER
              "|-b\n");
    end(&w);
}

static void erasing_shuts_down_first_only_when_asked(void **state)
{
    (void)state;
    struct world w = begin(SETUP);
    assert_int_equal(ia_simctl_erase(w.s, &forever, PHONE, false, &w.err), IA_E_STATE);
    assert_int_equal(w.err.outcome, IA_OUTCOME_NOT_SENT);
    assert_non_null(strstr(w.err.hint, "reset-sim"));
    calls(&w, "simctl|erase|" PHONE "\n");
    ok(&w, ia_simctl_erase(w.s, &forever, PHONE, true, &w.err));
    calls(&w, "simctl|list|-j\nsimctl|shutdown|" PHONE "\nsimctl|erase|" PHONE "\n");
    end(&w);
}

static void a_list_that_is_no_longer_true_is_read_again(void **state)
{
    (void)state;
    struct world w = begin(SETUP);
    const struct ia_sim_list *list = NULL;
    struct ia_simctl *somebody_else = ia_simctl_new();
    bool already = false;
    ok(&w, ia_simctl_list(w.s, &forever, &list, &w.err));
    ok(&w, ia_simctl_boot(somebody_else, &forever, OTHER, &already, &w.err));
    fake_xcode_forget(w.folder);
    ok(&w, ia_simctl_erase(w.s, &forever, OTHER, true, &w.err));
    calls(&w, "simctl|erase|" OTHER "\nsimctl|list|-j\nsimctl|shutdown|" OTHER
              "\nsimctl|erase|" OTHER "\n");
    ia_simctl_free(somebody_else);
    end(&w);
}

/* ---- screen ------------------------------------------------------------------------------ */

static void a_picture_is_a_png_and_never_asked_of_a_dark_screen(void **state)
{
    (void)state;
    struct world w = begin(SETUP);
    ok(&w, ia_simctl_screenshot(w.s, &forever, PHONE, &w.text, &w.err));
    assert_memory_equal(w.text.p, "\x89PNG", 4);
    calls(&w, "simctl|list|-j\nsimctl|io|" PHONE "|screenshot|--type=png|-\n");
    assert_int_equal(ia_simctl_screenshot(w.s, &forever, OTHER, &w.text, &w.err), IA_E_STATE);
    assert_non_null(strstr(w.err.hint, "boot"));
    calls(&w, "simctl|list|-j\n");
    end(&w);
    w = begin("{" DEVICES ",\"answers\":[{\"match\":[\"io\"],\"stdout\":\"no picture\"}]}");
    ia_buf_puts(&w.text, "before");
    assert_int_equal(ia_simctl_screenshot(w.s, &forever, PHONE, &w.text, &w.err), IA_E_DEVICE);
    assert_string_equal(ia_buf_cstr(&w.text), "before");
    end(&w);
}

static void fire(void *ctx)
{
    ia_cancel_fire(ctx);
}

static void record(struct world *w, bool at_once, const char *codec)
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
    ok(w, ia_simctl_record(w->s, &forever, PHONE, &r, &w->err));
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
    struct world w = begin(SETUP);
    struct ia_buf want = IA_BUF(4096);
    record(&w, false, NULL);
    assert_string_equal(ia_buf_cstr(&w.text), "\"interrupt\"\n");
    ia_buf_printf(&want,
                  "simctl|list|-j\nsimctl|io|" PHONE "|recordVideo|--force|%s/film.mov\n",
                  w.folder);
    calls(&w, ia_buf_cstr(&want));
    record(&w, false, "hevc");
    ia_buf_reset(&want);
    ia_buf_printf(&want, "simctl|io|" PHONE "|recordVideo|--codec=hevc|--force|%s/film.mov\n",
                  w.folder);
    calls(&w, ia_buf_cstr(&want));
    ia_buf_fini(&want);
    end(&w);
}

static void a_stop_that_comes_early_waits_for_the_first_frame(void **state)
{
    (void)state;
    struct world w = begin("{" DEVICES ",\"black\":30}");
    record(&w, true, NULL);
    assert_string_equal(ia_buf_cstr(&w.text), "\"interrupt\"\n");
    end(&w);
}

static void an_interrupt_that_is_lost_is_sent_again(void **state)
{
    (void)state;
    struct world w = begin("{" DEVICES ",\"deaf\":1}");
    record(&w, false, NULL);
    assert_string_equal(ia_buf_cstr(&w.text), "\"interrupt\"\n\"interrupt\"\n");
    end(&w);
}

/* ---- what goes wrong --------------------------------------------------------------------- */

static void what_would_mean_something_else_is_refused_before_any_call(void **state)
{
    (void)state;
    struct world w = begin(SETUP);
    bool already;
    int pid;
    char udid[IA_SIM_UDID_SIZE];
    static const char *const bad_env[] = {"1A=b", NULL};
    static const char *const no_files[] = {NULL};
    struct ia_sim_launch dash = {.bundle_id = "--console"};
    struct ia_sim_launch env = {.bundle_id = "com.example.shop", .env = bad_env};
    struct ia_sim_status_bar bar = IA_SIM_STATUS_BAR;
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
        ia_simctl_container(w.s, &forever, PHONE, "a.b", "-x", &w.text, &w.err),
        ia_simctl_privacy(w.s, &forever, PHONE, IA_SIM_GRANT, "photos", NULL, &w.err),
        ia_simctl_set_appearance(w.s, &forever, PHONE, IA_SIM_UNSUPPORTED, &w.err),
        ia_simctl_status_bar(w.s, &forever, PHONE, &bar, &w.err),
        ia_simctl_location(w.s, &forever, PHONE, 91, 0, &w.err),
        ia_simctl_addmedia(w.s, &forever, PHONE, no_files, &w.err),
    };
    for (size_t i = 0; i < IA_COUNTOF(refused); i++) {
        if (refused[i] != IA_E_USAGE) {
            fail_msg("case %zu: %s", i, ia_rc_name(refused[i]));
        }
    }
    assert_int_equal(
        ia_simctl_privacy(w.s, &forever, PHONE, IA_SIM_GRANT, "camera", "a.b", &w.err),
        IA_E_UNSUPPORTED);
    assert_int_equal(ia_simctl_install(w.s, &forever, PHONE, "/no/such.app", &w.err),
                     IA_E_NOT_FOUND);
    assert_int_equal(w.err.outcome, IA_OUTCOME_NOT_SENT);
    calls(&w, "");
    end(&w);
}

static void failures_of_the_real_tool_come_back_with_their_mends(void **state)
{
    (void)state;
    struct world w = begin("{" DEVICES ",\"answers\":[{\"match\":[\"boot\"],"
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
    end(&w);
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

static void each_failure_that_was_seen_comes_through_a_process_with_its_mend(void **state)
{
    (void)state;
    json_t *rows[64];
    size_t n = read_rows(rows);
    struct world w = begin(SETUP);
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
    end(&w);
}

static void a_list_that_is_none_is_refused(void **state)
{
    (void)state;
    struct world w =
        begin("{\"answers\":[{\"match\":[\"list\"],\"stdout\":\"Usage: simctl list\"}]}");
    const struct ia_sim_list *list = NULL;
    assert_int_equal(ia_simctl_list(w.s, &forever, &list, &w.err), IA_E_PARSE);
    assert_null(list);
    end(&w);
}

static void what_else_reads_not_as_expected_is_refused(void **state)
{
    (void)state;
    struct world w = begin("{" DEVICES ",\"answers\":[{\"match\":[\"spawn\"],\"stdout\":\"?\"},"
                           "{\"match\":[\"launch\"],\"stdout\":\"com.apple.Preferences\"},"
                           "{\"match\":[\"clone\"],\"stdout\":\"done\"},"
                           "{\"match\":[\"listapps\"],\"stdout\":\"( a )\"},"
                           "{\"match\":[\"runtime\"],\"stdout\":\"none\"}]}");
    struct ia_sim_launch launch = {.bundle_id = "com.apple.Preferences"};
    struct ia_sim_images *images = NULL;
    struct ia_sim_apps *apps = NULL;
    char udid[IA_SIM_UDID_SIZE];
    int pid = 7;
    const enum ia_rc refused[] = {
        ia_simctl_running(w.s, &forever, PHONE, "com.apple.Preferences", &pid, &w.err),
        ia_simctl_launch(w.s, &forever, PHONE, &launch, &pid, &w.err),
        ia_simctl_clone(w.s, &forever, OTHER, "Copy", udid, &w.err),
        ia_simctl_listapps(w.s, &forever, PHONE, &apps, &w.err),
        ia_simctl_images(w.s, &forever, &images, &w.err),
    };
    for (size_t i = 0; i < IA_COUNTOF(refused); i++) {
        assert_int_equal(refused[i], IA_E_PARSE);
    }
    assert_int_equal(pid, 7);
    assert_null(apps);
    assert_null(images);
    end(&w);
}

static void a_call_that_hangs_ends_at_its_deadline_with_unknown_outcome(void **state)
{
    (void)state;
    struct world w = begin("{" DEVICES ",\"answers\":[{\"match\":[\"erase\"],\"hang\":true}]}");
    struct ia_deadline soon = {.at_us = ia_mono_us(ia_clock_system()) + 1000000};
    assert_int_equal(ia_simctl_erase(w.s, &soon, OTHER, false, &w.err), IA_E_TIMEOUT);
    assert_int_equal(w.err.outcome, IA_OUTCOME_UNKNOWN);
    assert_non_null(strstr(w.err.msg, "simctl erase"));
    /* With no time left nothing is started. */
    assert_int_equal(ia_simctl_erase(w.s, &soon, OTHER, false, &w.err), IA_E_TIMEOUT);
    assert_int_equal(w.err.outcome, IA_OUTCOME_NOT_SENT);
    end(&w);
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
    struct world w = begin("{" DEVICES ",\"answers\":[{\"match\":[\"erase\"],\"hang\":true}]}");
    struct ia_deadline deadline = {.cancel = ia_cancel_new(&w.err), .at_us = IA_NO_DEADLINE};
    struct canceller c = {w.folder, deadline.cancel};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, cancel_when_called, &c), 0);
    assert_int_equal(ia_simctl_erase(w.s, &deadline, OTHER, false, &w.err), IA_E_CANCELLED);
    assert_int_equal(w.err.outcome, IA_OUTCOME_UNKNOWN);
    assert_int_equal(pthread_join(thread, NULL), 0);
    ia_cancel_free(deadline.cancel);
    end(&w);
}

static void without_xcode_the_mend_says_what_to_install(void **state)
{
    (void)state;
    static const struct {
        const char *setup, *in_hint;
    } cases[] = {{"{\"xcode\":null}", "install Xcode"},
                 {"{\"xcode\":\"broken\"}", "DEVELOPER_DIR"}};
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct world w = begin(cases[i].setup);
        const struct ia_sim_list *list = NULL;
        struct ia_xcode xcode;
        assert_int_equal(ia_simctl_list(w.s, &forever, &list, &w.err), IA_E_MISSING);
        assert_non_null(strstr(w.err.hint, cases[i].in_hint));
        assert_int_equal(ia_xcode_version(&forever, &xcode, &w.err), IA_E_MISSING);
        end(&w);
    }
    struct world w = begin(SETUP);
    struct ia_xcode xcode;
    ok(&w, ia_xcode_version(&forever, &xcode, &w.err));
    assert_string_equal(xcode.version, "26.2");
    assert_string_equal(xcode.build, "17C52");
    calls(&w, "xcodebuild|-version\n");
    end(&w);
}

static void without_xcrun_it_is_said_at_once_with_what_works_here(void **state)
{
    (void)state;
    struct world w = begin(SETUP);
    const struct ia_sim_list *list = NULL;
    char *path = ia_strdup(getenv("PATH"));
    assert_int_equal(setenv("PATH", w.folder, 1), 0);
    enum ia_rc rc = ia_simctl_list(w.s, &forever, &list, &w.err);
    assert_int_equal(setenv("PATH", path, 1), 0);
    assert_int_equal(rc, IA_E_MISSING);
    assert_int_equal(ia_rc_exit(rc), 3);
    assert_non_null(strstr(w.err.hint, "--device embedded"));
    free(path);
    end(&w);
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
        cmocka_unit_test(installed_apps_are_read_with_their_names),
        cmocka_unit_test(what_is_already_so_is_done),
        cmocka_unit_test(somebody_elses_boot_in_between_is_no_failure),
        cmocka_unit_test(bootstatus_that_says_booted_is_checked_against_the_state),
        cmocka_unit_test(a_simulator_on_its_way_down_is_waited_for),
        cmocka_unit_test(erasing_shuts_down_first_only_when_asked),
        cmocka_unit_test(a_list_that_is_no_longer_true_is_read_again),
        cmocka_unit_test(a_picture_is_a_png_and_never_asked_of_a_dark_screen),
        cmocka_unit_test(a_recording_is_interrupted_after_its_first_frame),
        cmocka_unit_test(a_stop_that_comes_early_waits_for_the_first_frame),
        cmocka_unit_test(an_interrupt_that_is_lost_is_sent_again),
        cmocka_unit_test(what_would_mean_something_else_is_refused_before_any_call),
        cmocka_unit_test(failures_of_the_real_tool_come_back_with_their_mends),
        cmocka_unit_test(each_failure_that_was_seen_comes_through_a_process_with_its_mend),
        cmocka_unit_test(a_list_that_is_none_is_refused),
        cmocka_unit_test(what_else_reads_not_as_expected_is_refused),
        cmocka_unit_test(a_call_that_hangs_ends_at_its_deadline_with_unknown_outcome),
        cmocka_unit_test(a_call_can_be_cancelled),
        cmocka_unit_test(without_xcode_the_mend_says_what_to_install),
        cmocka_unit_test(without_xcrun_it_is_said_at_once_with_what_works_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
