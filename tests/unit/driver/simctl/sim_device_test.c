/* A simulator's own operations around a device that drives its screen. */
#include "sim_world.h"

#include "base/clock.h"
#include "driver/native.h"
#include "driver/simctl/sim_device.h"

#include <signal.h>

/* The device inside: it can tap, and says whether it was closed. */
struct inner {
    struct ia_device device;
    int taps, closed;
};

static enum ia_rc inner_tap(struct ia_device *d, const struct ia_deadline *deadline,
                            struct ia_point at, struct ia_err *err)
{
    (void)deadline, (void)at, (void)err;
    ((struct inner *)d)->taps++;
    return IA_OK;
}

static enum ia_rc inner_pasteboard(struct ia_device *d, const struct ia_deadline *deadline,
                                   struct ia_buf *ret_text, struct ia_err *err)
{
    (void)d, (void)deadline, (void)ret_text;
    return ia_err_set(err, IA_E_INTERNAL, "the runner's pasteboard was asked");
}

static void inner_close(struct ia_device *d)
{
    ((struct inner *)d)->closed++;
}

static const struct ia_device_ops inner_ops = {
    .tap = inner_tap, .pasteboard = inner_pasteboard, .close = inner_close};

struct world {
    struct sim_world w;
    struct inner inner;
    struct ia_device *d;
};

static void open_world(struct world *x, const char *setup)
{
    x->w = sim_world_new(setup);
    x->inner = (struct inner){.device = {&inner_ops}};
    x->d = ia_sim_device_new(&x->inner.device, PHONE);
}

static void close_world(struct world *x)
{
    ia_device_close(x->d);
    assert_int_equal(x->inner.closed, 1);
    sim_world_free(&x->w);
}

static void what_needs_no_touch_goes_to_simctl_and_touches_go_inside(void **state)
{
    (void)state;
    struct world x;
    const struct ia_location bern = {46.9480911, 7.4474};
    struct ia_status_bar bar = IA_STATUS_BAR;
    bar.time = "9:41";
    open_world(&x, SETUP);
    struct ia_err *err = &x.w.err;
    char *file = tmpdir_file(x.w.folder, "picture.png", "not looked at"),
         *real = realpath(file, NULL);
    struct ia_buf want = IA_BUF(1 << 16);
    sim_world_ok(&x.w, ia_device_tap(x.d, &forever, (struct ia_point){1, 2}, err));
    assert_int_equal(x.inner.taps, 1);
    sim_world_ok(&x.w, ia_device_status_bar(x.d, &forever, &bar, err));
    sim_world_ok(&x.w, ia_device_status_bar(x.d, &forever, NULL, err));
    sim_world_ok(&x.w,
                 ia_device_privacy(x.d, &forever, IA_PRIVACY_GRANT, "photos", "a.b", err));
    sim_world_ok(&x.w, ia_device_location(x.d, &forever, &bern, err));
    sim_world_ok(&x.w, ia_device_location(x.d, &forever, NULL, err));
    sim_world_ok(&x.w, ia_device_push(x.d, &forever, "a.b", ia_str("{\"aps\":{}}"), err));
    sim_world_ok(&x.w, ia_device_add_media(x.d, &forever, file, err));
    ia_buf_printf(&want,
                  "simctl|status_bar|" PHONE "|override|--time|9:41\n"
                  "simctl|status_bar|" PHONE "|clear\n"
                  "simctl|privacy|" PHONE "|grant|photos|a.b\n"
                  "simctl|location|" PHONE "|set|46.9480911,7.4474000\n"
                  "simctl|location|" PHONE "|clear\nsimctl|push|" PHONE "|a.b|-\n"
                  "simctl|addmedia|" PHONE "|%s\n",
                  real);
    sim_world_calls(&x.w, ia_buf_cstr(&want));
    sim_world_ok(&x.w, ia_device_set_pasteboard(x.d, &forever, ia_str("Zo\xC3\xAB"), err));
    sim_world_ok(&x.w, ia_device_pasteboard(x.d, &forever, &x.w.text, err));
    assert_string_equal(ia_buf_cstr(&x.w.text), "Zo\xC3\xAB");
    ia_buf_fini(&want);
    free(file);
    free(real);
    close_world(&x);
}

static void the_runner_is_permitted_what_native_actions_need(void **state)
{
    (void)state;
    static const char *const services[] = {
        "calendar", "reminders",     "contacts", "contacts-limited",
        "photos",   "media-library", "location", "location-always"};
    static const char *const words[] = {"grant", "revoke", "reset"};
    struct world x;
    struct ia_buf want = IA_BUF(1 << 16);
    open_world(&x, SETUP);
    for (size_t i = 0; i < IA_COUNTOF(services) * IA_COUNTOF(words); i++) {
        const char *service = services[i / IA_COUNTOF(words)];
        size_t set = i % IA_COUNTOF(words);
        sim_world_ok(&x.w, ia_device_privacy(x.d, &forever, (enum ia_privacy)set, service,
                                             IA_NATIVE_APP, &x.w.err));
        ia_buf_printf(&want, "simctl|privacy|" PHONE "|%s|%s|" IA_NATIVE_APP "\n", words[set],
                      service);
    }
    sim_world_calls(&x.w, ia_buf_cstr(&want));
    ia_buf_fini(&want);
    close_world(&x);
}

static void what_no_device_takes_is_refused_before_any_call(void **state)
{
    (void)state;
    struct world x;
    const struct ia_location nowhere = {91, 0};
    open_world(&x, SETUP);
    struct ia_err *err = &x.w.err;
    assert_int_equal(ia_device_privacy(x.d, &forever, IA_PRIVACY_GRANT, "camera", "a.b", err),
                     IA_E_UNSUPPORTED);
    assert_int_equal(ia_device_location(x.d, &forever, &nowhere, err), IA_E_USAGE);
    assert_int_equal(ia_device_push(x.d, &forever, "a.b", ia_str("{}"), err), IA_E_USAGE);
    assert_int_equal(err->outcome, IA_OUTCOME_NOT_SENT);
    sim_world_calls(&x.w, "");
    close_world(&x);
}

/* ---- films ------------------------------------------------------------------------------- */

static void a_film_is_complete_when_it_was_stopped(void **state)
{
    (void)state;
    struct world x;
    struct ia_recording film = {.bytes = -1};
    struct ia_buf bytes = IA_BUF(1 << 16);
    open_world(&x, SETUP);
    char *path = ia_path_join(x.w.folder, "film.mp4");
    assert_int_equal(ia_device_record_stop(x.d, &forever, &film, &x.w.err), IA_E_STATE);
    assert_int_equal(x.w.err.outcome, IA_OUTCOME_NOT_SENT);
    for (int i = 0; i < 2; i++) {
        sim_world_ok(&x.w, ia_device_record_start(x.d, &forever, path, &x.w.err));
        assert_int_equal(ia_device_record_start(x.d, &forever, path, &x.w.err), IA_E_STATE);
        assert_non_null(strstr(x.w.err.msg, "film.mp4"));
        sim_world_ok(&x.w, ia_device_tap(x.d, &forever, (struct ia_point){1, 2}, &x.w.err));
        sim_world_ok(&x.w, ia_device_record_stop(x.d, &forever, &film, &x.w.err));
        ia_buf_reset(&bytes);
        fake_xcode_file(x.w.folder, "film.mp4", &bytes);
        assert_true(bytes.len > 0 && film.bytes == (int64_t)bytes.len);
        assert_string_equal(film.format, "mp4");
        assert_true(film.duration_ms >= 0);
    }
    fake_xcode_file(x.w.folder, "signals.jsonl", &x.w.text);
    assert_string_equal(ia_buf_cstr(&x.w.text), "\"interrupt\"\n\"interrupt\"\n");
    ia_buf_fini(&bytes);
    free(path);
    close_world(&x);
}

static void a_device_that_is_closed_finishes_its_film(void **state)
{
    (void)state;
    struct world x;
    struct ia_buf bytes = IA_BUF(1 << 16);
    open_world(&x, SETUP);
    char *path = ia_path_join(x.w.folder, "film.mp4");
    sim_world_ok(&x.w, ia_device_record_start(x.d, &forever, path, &x.w.err));
    ia_device_close(x.d);
    fake_xcode_file(x.w.folder, "film.mp4", &bytes);
    assert_true(bytes.len > 0);
    x.d = NULL;
    assert_int_equal(x.inner.closed, 1);
    ia_buf_fini(&bytes);
    free(path);
    sim_world_free(&x.w);
}

static void a_recorder_that_fails_at_once_is_told_by_the_start(void **state)
{
    (void)state;
    struct world x;
    struct ia_recording film;
    open_world(
        &x, "{\"devices\":[{\"name\":\"iPhone 17\",\"runtime\":\"iOS 26.2\",\"udid\":\"" PHONE
            "\",\"state\":\"Shutdown\"}]}");
    assert_int_equal(ia_device_record_start(x.d, &forever, "/tmp/never.mp4", &x.w.err),
                     IA_E_STATE);
    assert_non_null(strstr(x.w.err.hint, "boot"));
    assert_int_equal(ia_device_record_stop(x.d, &forever, &film, &x.w.err), IA_E_STATE);
    close_world(&x);
}

static void a_start_past_its_deadline_films_nothing(void **state)
{
    (void)state;
    struct world x;
    struct ia_recording film;
    open_world(&x, "{" DEVICES ",\"black\":100}"); /* a second until the first frame */
    char *path = ia_path_join(x.w.folder, "film.mp4");
    struct ia_deadline soon = {.at_us = ia_mono_us(ia_clock_system()) + 100000};
    assert_int_equal(ia_device_record_start(x.d, &soon, path, &x.w.err), IA_E_TIMEOUT);
    assert_int_equal(ia_device_record_stop(x.d, &forever, &film, &x.w.err), IA_E_STATE);
    free(path);
    close_world(&x);
}

static void a_stop_past_its_deadline_may_be_asked_again(void **state)
{
    (void)state;
    struct world x;
    struct ia_recording film;
    open_world(&x, "{" DEVICES ",\"deaf\":1}"); /* the first interrupt is lost: two seconds */
    char *path = ia_path_join(x.w.folder, "film.mp4");
    sim_world_ok(&x.w, ia_device_record_start(x.d, &forever, path, &x.w.err));
    struct ia_deadline soon = {.at_us = ia_mono_us(ia_clock_system()) + 200000};
    assert_int_equal(ia_device_record_stop(x.d, &soon, &film, &x.w.err), IA_E_TIMEOUT);
    sim_world_ok(&x.w, ia_device_record_stop(x.d, &forever, &film, &x.w.err));
    assert_true(film.bytes > 0);
    free(path);
    close_world(&x);
}

int main(void)
{
    if (!fake_xcode_works()) {
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_needs_no_touch_goes_to_simctl_and_touches_go_inside),
        cmocka_unit_test(the_runner_is_permitted_what_native_actions_need),
        cmocka_unit_test(what_no_device_takes_is_refused_before_any_call),
        cmocka_unit_test(a_film_is_complete_when_it_was_stopped),
        cmocka_unit_test(a_device_that_is_closed_finishes_its_film),
        cmocka_unit_test(a_recorder_that_fails_at_once_is_told_by_the_start),
        cmocka_unit_test(a_start_past_its_deadline_films_nothing),
        cmocka_unit_test(a_stop_past_its_deadline_may_be_asked_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
