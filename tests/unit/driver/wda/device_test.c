/* device_test.c: the operations as requests in both dialects, and what cancels them. */
#include "device_world.h"

#include "source_dir.h"

#include "test.h"

#include "base/clock.h"

#include <pthread.h>
#include <unistd.h>

/* The last request of that name had these arguments. */
static void expect(struct world *w, const char *name, const char *args)
{
    json_t *got = double_last(&w->p, name), *want = json_loads(args, 0, NULL);
    char *text = json_dumps(got, JSON_COMPACT);
    assert_non_null(want);
    if (!json_equal(got, want)) {
        fail_msg("%s had %s, not %s", name, text, args);
    }
    free(text);
    json_decref(want);
    json_decref(got);
}

/* ---- requests --------------------------------------------------------------------------- */

#define MOVE(x, y, ms)                                                                         \
    "{\"type\":\"pointerMove\",\"duration\":" #ms ",\"origin\":\"viewport\",\"x\":" #x         \
    ",\"y\":" #y "}"

#define FINGER(id, from, to)                                                                   \
    "{\"type\":\"pointer\",\"id\":\"finger" id                                                 \
    "\",\"parameters\":{\"pointerType\":\"touch\"},"                                           \
    "\"actions\":[" from ",{\"type\":\"pointerDown\",\"button\":0}," to                        \
    ",{\"type\":\"pointerUp\",\"button\":0}]}"

static void operations_are_these_requests(void **state)
{
    (void)state;
    for (int appium = 0; appium < 2; appium++) {
        struct world w;
        struct ia_buf png = IA_BUF(1 << 20);
        begin(&w, appium);
        struct ia_device *d = w.d;
        assert_int_equal(ia_device_tap(d, NULL, (struct ia_point){12.5, 30}, NULL), IA_OK);
        expect(&w, "POST /wda/tap", "{\"x\":12.5,\"y\":30}");
        assert_int_equal(ia_device_long_press(d, NULL, (struct ia_point){1, 2}, 800, NULL),
                         IA_OK);
        expect(&w, "POST /wda/touchAndHold", "{\"x\":1,\"y\":2,\"duration\":0.8}");
        assert_int_equal(ia_device_drag(d, NULL, (struct ia_point){200, 600},
                                        (struct ia_point){200, 300}, 300, NULL),
                         IA_OK);
        expect(&w, "POST /actions",
               "{\"actions\":[" FINGER("1", MOVE(200, 600, 0), MOVE(200, 300, 300)) "]}");
        assert_int_equal(ia_device_pinch(d, NULL, (struct ia_rect){0, 0, 390, 844}, 0.5, NULL),
                         IA_OK);
        expect(&w, "POST /wda/pinch", "{\"scale\":0.5,\"velocity\":-1}");
        assert_int_equal(
            ia_device_pinch(d, NULL, (struct ia_rect){100, 300, 200, 100}, 2, NULL), IA_OK);
        expect(&w, "POST /actions",
               "{\"actions\":[" FINGER("1", MOVE(160, 350, 0), MOVE(120, 350, 500)) "," FINGER(
                   "2", MOVE(240, 350, 0), MOVE(280, 350, 500)) "]}");
        assert_int_equal(ia_device_press(d, NULL, IA_BUTTON_HOME, NULL), IA_OK);
        expect(&w, "POST /wda/pressButton", "{\"name\":\"home\"}");
        assert_int_equal(ia_device_press(d, NULL, IA_BUTTON_VOLUME_UP, NULL), IA_OK);
        expect(&w, "POST /wda/pressButton", "{\"name\":\"volumeUp\"}");
        assert_int_equal(ia_device_press(d, NULL, IA_BUTTON_LOCK, NULL), IA_OK);
        expect(&w, "POST /wda/lock", "{}");
        assert_int_equal(ia_device_launch(d, NULL, "com.example.notes", NULL), IA_OK);
        expect(&w, "POST /wda/apps/activate", "{\"bundleId\":\"com.example.notes\"}");
        expect(&w, "POST /wda/apps/state", "{\"bundleId\":\"com.example.notes\"}");
        assert_int_equal(ia_device_terminate(d, NULL, "com.example.notes", NULL), IA_OK);
        expect(&w, "POST /wda/apps/terminate", "{\"bundleId\":\"com.example.notes\"}");
        enum ia_application_state of_app;
        w.p.app_state = 3;
        assert_int_equal(ia_device_app_state(d, NULL, "com.example.notes", &of_app, NULL),
                         IA_OK);
        assert_int_equal(of_app, IA_APP_BACKGROUND);
        struct ia_location place = {52.1, -4.3};
        assert_int_equal(ia_device_location(d, NULL, &place, NULL), IA_OK);
        expect(&w, "POST /wda/simulatedLocation", "{\"latitude\":52.1,\"longitude\":-4.3}");
        assert_int_equal(ia_device_location(d, NULL, NULL, NULL), IA_OK);
        assert_int_equal(double_count(&w.p, "DELETE /wda/simulatedLocation"), 1);
        place.latitude = 91;
        assert_int_equal(ia_device_location(d, NULL, &place, NULL), IA_E_USAGE);
        assert_int_equal(ia_device_open_url(d, NULL, "notes://a?b=\"c\"", NULL), IA_OK);
        expect(&w, "POST /url", "{\"url\":\"notes://a?b=\\\"c\\\"\"}");
        assert_int_equal(ia_device_orientation(d, NULL, IA_LANDSCAPE_LEFT, NULL), IA_OK);
        expect(&w, "POST /orientation", "{\"orientation\":\"LANDSCAPE\"}");
        assert_int_equal(ia_device_screenshot(d, NULL, &png, NULL), IA_OK);
        assert_memory_equal(png.p, "\x89PNG\r\n\x1a\n", 8);
        assert_int_equal(double_count(&w.p, "POST /element"), 0);
        assert_int_equal(double_count(&w.p, "POST /elements"), 0);
        ia_buf_fini(&png);
        end(&w);
    }
}

/* Every member of ours is one of theirs, of the same type; and the other way round, but for durations of buttons. */
static void same_form(const char *name, const json_t *ours, const json_t *theirs)
{
    const char *key;
    json_t *value;
    assert_true(json_typeof(ours) == json_typeof(theirs) ||
                (json_is_number(ours) && json_is_number(theirs)));
    for (size_t i = 0; i < json_array_size(ours); i++) {
        same_form(name, json_array_get(ours, i), json_array_get(theirs, i));
    }
    json_object_foreach((json_t *)(uintptr_t)ours, key, value)
    {
        if (!json_object_get(theirs, key)) {
            fail_msg("%s: the driver sends no \"%s\"", name, key);
        }
        same_form(name, value, json_object_get(theirs, key));
    }
    json_object_foreach((json_t *)(uintptr_t)theirs, key, value)
    {
        if (!json_object_get(ours, key) && strcmp(key, "duration") != 0) {
            fail_msg("%s: \"%s\" is missing", name, key);
        }
    }
}

static void requests_have_the_form_of_the_drivers(void **state)
{
    (void)state;
    struct world w;
    struct ia_buf text = IA_BUF(100);
    struct ia_point at = {1, 2};
    json_t *all = json_load_file(IA_TEST_DATA "/wda/driver_requests.json", 0, NULL), *theirs;
    const char *name;
    begin(&w, false);
    struct ia_device *d = w.d;
    w.p.buttons = "[\"OK\"]";
    assert_int_equal(ia_device_tap(d, NULL, at, NULL), IA_OK);
    assert_int_equal(ia_device_long_press(d, NULL, at, 800, NULL), IA_OK);
    assert_int_equal(ia_device_drag(d, NULL, at, at, 300, NULL), IA_OK);
    assert_int_equal(ia_device_press(d, NULL, IA_BUTTON_HOME, NULL), IA_OK);
    assert_int_equal(ia_device_launch(d, NULL, "a.b", NULL), IA_OK);
    assert_int_equal(ia_device_terminate(d, NULL, "a.b", NULL), IA_OK);
    assert_int_equal(ia_device_open_url(d, NULL, "a:b", NULL), IA_OK);
    assert_int_equal(ia_device_orientation(d, NULL, IA_PORTRAIT, NULL), IA_OK);
    assert_int_equal(ia_device_set_pasteboard(d, NULL, ia_str("x"), NULL), IA_OK);
    assert_int_equal(ia_device_pasteboard(d, NULL, &text, NULL), IA_OK);
    assert_int_equal(ia_device_alert(d, NULL, IA_ALERT_ACCEPT, NULL, NULL), IA_OK);
    assert_int_equal(json_object_size(all), 12);
    json_object_foreach(all, name, theirs)
    {
        json_t *ours = double_last(&w.p, name);
        same_form(name, ours, theirs);
        json_decref(ours);
    }
    json_decref(all);
    ia_buf_fini(&text);
    end(&w);
}

static void keys_are_sent_as_each_dialect_takes_them(void **state)
{
    (void)state;
    struct world w;
    begin(&w, false);
    w.p.app = SCREEN(KEYBOARD);
    assert_int_equal(ia_device_type_text(w.d, NULL, ia_str("Lö\n😀"), NULL), IA_OK);
    expect(&w, "POST /wda/keys", "{\"value\":[\"L\",\"ö\",\"\\n\",\"😀\"],\"frequency\":60}");
    assert_int_equal(ia_device_delete_text(w.d, NULL, 2, NULL), IA_OK);
    expect(&w, "POST /wda/keys", "{\"value\":[\"\\b\",\"\\b\"],\"frequency\":60}");
    size_t asked = peer_count(w.p.peer);
    assert_int_equal(ia_device_typing_pace(w.d, 8, &w.err), IA_OK);
    assert_int_equal(peer_count(w.p.peer), asked);
    assert_int_equal(ia_device_type_text(w.d, NULL, ia_str("x"), &w.err), IA_OK);
    expect(&w, "POST /wda/keys", "{\"value\":[\"x\"],\"frequency\":8}");
    assert_int_equal(ia_device_typing_pace(w.d, 0, &w.err), IA_OK);
    assert_int_equal(ia_device_type_text(w.d, NULL, ia_str("x"), &w.err), IA_OK);
    expect(&w, "POST /wda/keys", "{\"value\":[\"x\"],\"frequency\":60}");
    end(&w);
    begin(&w, true);
    w.p.app = SCREEN(KEYBOARD);
    assert_int_equal(ia_device_type_text(w.d, NULL, ia_str("ö"), NULL), IA_OK);
    expect(&w, "POST /actions",
           "{\"actions\":[{\"type\":\"key\",\"id\":\"keyboard\",\"actions\":["
           "{\"type\":\"keyDown\",\"value\":\"ö\"},{\"type\":\"keyUp\",\"value\":\"ö\"}]}]}");
    assert_int_equal(ia_device_delete_text(w.d, NULL, 1, NULL), IA_OK);
    expect(&w, "POST /actions",
           "{\"actions\":[{\"type\":\"key\",\"id\":\"keyboard\",\"actions\":["
           "{\"type\":\"keyDown\",\"value\":\"\\ue003\"},"
           "{\"type\":\"keyUp\",\"value\":\"\\ue003\"}]}]}");
    end(&w);
}

static void nothing_is_typed_without_a_keyboard(void **state)
{
    (void)state;
    for (int appium = 0; appium < 2; appium++) {
        struct world w;
        begin(&w, appium);
        assert_int_equal(ia_device_type_text(w.d, NULL, ia_str("x"), &w.err), IA_E_NO_KEYBOARD);
        assert_int_equal(w.err.outcome, IA_OUTCOME_NOT_SENT);
        assert_int_equal(ia_device_delete_text(w.d, NULL, 1, &w.err), IA_E_NO_KEYBOARD);
        assert_int_equal(double_count(&w.p, "POST /wda/keys"), 0);
        assert_int_equal(double_count(&w.p, "POST /actions"), 0);
        end(&w);
    }
}

static void what_no_phone_could_do_is_refused_before_it_is_sent(void **state)
{
    (void)state;
    struct world w;
    begin(&w, false);
    size_t before = peer_count(w.p.peer);
    struct ia_point in = {1, 1}, out = {1, 845}, left = {-1, 0};
    struct ia_device *d = w.d;
    struct ia_err *e = &w.err;
    /* The screen is 844 points high: they are 0 to 843, whichever way it is turned. */
    const struct ia_point edges[] = {{1, 844}, {844, 1}};
    for (size_t i = 0; i < IA_COUNTOF(edges); i++) {
        assert_int_equal(ia_device_tap(d, NULL, edges[i], e), IA_E_USAGE);
        assert_non_null(strstr(e->msg, "outside the screen"));
    }
    assert_int_equal(ia_device_tap(d, NULL, out, e), IA_E_USAGE);
    assert_int_equal(ia_device_long_press(d, NULL, left, 100, e), IA_E_USAGE);
    assert_int_equal(ia_device_long_press(d, NULL, in, 0, e), IA_E_USAGE);
    assert_int_equal(ia_device_drag(d, NULL, in, out, 100, e), IA_E_USAGE);
    assert_int_equal(ia_device_drag(d, NULL, in, in, -1, e), IA_E_USAGE);
    assert_int_equal(ia_device_delete_text(d, NULL, 0, e), IA_E_USAGE);
    assert_int_equal(ia_device_type_text(d, NULL, (struct ia_str){"a\0b", 3}, e), IA_E_USAGE);
    assert_int_equal(ia_device_type_text(d, NULL, ia_str("\xff"), e), IA_E_USAGE);
    assert_int_equal(ia_device_launch(d, NULL, "", e), IA_E_USAGE);
    assert_int_equal(ia_device_open_url(d, NULL, "", e), IA_E_USAGE);
    assert_int_equal(e->outcome, IA_OUTCOME_NOT_SENT);
    assert_true(e->retry_safe);
    assert_int_equal(peer_count(w.p.peer), before);
    end(&w);
}

/* WebDriverAgent reads a body that ends too early as an empty one, and would press a button of its own choice. */
static void what_does_not_fit_is_not_sent_cut_off(void **state)
{
    (void)state;
    struct ia_buf name = IA_BUF(1 << 20), names = IA_BUF(1 << 20), long_id = IA_BUF(8 << 20);
    while (name.len < 9000) {
        ia_buf_puts(&name, "Label");
    }
    while (long_id.len < (5 << 20)) {
        ia_buf_puts(&long_id, ia_buf_cstr(&name));
    }
    ia_buf_printf(&names, "[\"OK\",\"%s\"]", ia_buf_cstr(&name));
    for (int appium = 0; appium < 2; appium++) {
        struct world w;
        begin(&w, appium);
        w.p.buttons = ia_buf_cstr(&names);
        assert_int_equal(
            ia_device_alert(w.d, NULL, IA_ALERT_BUTTON, ia_buf_cstr(&name), &w.err),
            IA_E_LIMIT);
        assert_int_equal(w.err.outcome, IA_OUTCOME_NOT_SENT);
        assert_int_equal(double_count(&w.p, "POST /alert/accept"), 0);
        assert_int_equal(ia_device_terminate(w.d, NULL, ia_buf_cstr(&long_id), &w.err),
                         IA_E_LIMIT);
        assert_int_equal(w.err.outcome, IA_OUTCOME_NOT_SENT);
        assert_true(w.err.retry_safe);
        assert_int_equal(double_count(&w.p, "POST /wda/apps/terminate"), 0);
        end(&w);
    }
    ia_buf_fini(&long_id);
    ia_buf_fini(&names);
    ia_buf_fini(&name);
}

/* An app that crashes at once answers its launch well. */
static void an_app_that_does_not_come_up_is_told(void **state)
{
    (void)state;
    static const struct {
        int state;
        const char *says;
    } rows[] = {{1, "does not run"}, {3, "stays in the background"}};
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_vclock *clock = ia_vclock_new(0);
        struct world w = {.d = NULL};
        double_start(&w.p, false);
        w.d = double_open(&w.p, (struct ia_wda_options){.clock = ia_vclock_clock(clock)});
        w.p.app_state = rows[i].state;
        assert_int_equal(ia_device_launch(w.d, NULL, "a.b", &w.err), IA_E_NO_APP);
        assert_non_null(strstr(w.err.msg, rows[i].says));
        assert_int_equal(w.err.outcome, IA_OUTCOME_SENT);
        assert_int_equal(double_count(&w.p, "POST /wda/apps/activate"), 1);
        end(&w);
        ia_vclock_free(clock);
    }
}

static void the_pasteboard_goes_both_ways(void **state)
{
    (void)state;
    struct world w;
    struct ia_buf text = IA_BUF(1000);
    begin(&w, false);
    assert_int_equal(ia_device_set_pasteboard(w.d, NULL, ia_str("Zoë"), NULL), IA_OK);
    expect(&w, "POST /wda/setPasteboard",
           "{\"content\":\"Wm/Dqw==\",\"contentType\":\"plaintext\"}");
    w.p.pasteboard = "Wm/D\r\nqw==";
    assert_int_equal(ia_device_pasteboard(w.d, NULL, &text, NULL), IA_OK);
    assert_string_equal(ia_buf_cstr(&text), "Zoë");
    w.p.pasteboard = "Wm/D?w==";
    assert_int_equal(ia_device_pasteboard(w.d, NULL, &text, &w.err), IA_E_PROTO);
    end(&w);
    ia_buf_fini(&text);
}

/* ---- a login ---------------------------------------------------------------------------- */

/* Some servers tell what they were sent. */
static void a_login_that_a_server_says_back_is_in_no_message(void **state)
{
    (void)state;
    static const struct {
        const char *login, *body, *type;
        int status;
    } rows[] = {
        {"Bearer s3cret/Token+9=",
         "{\"value\":{\"error\":\"unknown error\",\"message\":\"bad header Authorization: "
         "Bearer s3cret\\/Token+9=, said twice: s3cret/Token+9=\"}}",
         NULL, 500},
        {"Bearer s3cret/Token+9=",
         "{\"value\":{\"error\":\"Bearer s3cret/Token+9=\",\"message\":\"no\"}}", NULL, 500},
        {"Bearer s3cret/Token+9=", "{\"headers\":\"Bearer s3cret\\/Token+9=\"}", NULL, 500},
        {"Basic c2VjcmV0OnM=", "<p>Basic c2VjcmV0OnM=</p>", "text/html", 401},
        {"s3cret/Token+9=", "<p>s3cret/Token+9=</p>", "text/html", 200},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct world w = {.d = NULL};
        double_start(&w.p, false);
        w.d = double_open(&w.p, (struct ia_wda_options){.authorization = rows[i].login});
        w.p.trouble = (struct trouble){.on = "POST /wda/tap",
                                       .status = rows[i].status,
                                       .body = rows[i].body,
                                       .type = rows[i].type};
        assert_int_not_equal(ia_device_tap(w.d, NULL, (struct ia_point){1, 2}, &w.err), IA_OK);
        assert_null(strstr(w.err.msg, "Token"));
        assert_null(strstr(w.err.msg, "c2V"));
        assert_non_null(strstr(w.err.msg, "***"));
        end(&w);
    }
}

/* Of a message that is cut in the middle of a login nothing of it is left. */
static void a_login_at_the_end_of_a_long_message_is_not_shown_in_part(void **state)
{
    (void)state;
    struct world w = {.d = NULL};
    char body[600];
    (void)snprintf(body, sizeof(body),
                   "{\"value\":{\"error\":\"unknown error\",\"message\":\"%0190dBearer "
                   "s3cretToken\"}}",
                   0);
    double_start(&w.p, false);
    w.d = double_open(&w.p, (struct ia_wda_options){.authorization = "Bearer s3cretToken"});
    w.p.trouble = (struct trouble){.on = "POST /wda/tap", .status = 500, .body = body};
    assert_int_equal(ia_device_tap(w.d, NULL, (struct ia_point){1, 2}, &w.err), IA_E_DEVICE);
    assert_null(strstr(w.err.msg, "s3"));
    end(&w);
}

/* ---- cancelling ------------------------------------------------------------------------- */

static void *fire_soon(void *cancel)
{
    (void)usleep(50000);
    ia_cancel_fire(cancel);
    return NULL;
}

/* A server that hangs: the call ends at once, and the end of the session is tried on another connection. */
static void a_hanging_call_ends_with_the_token(void **state)
{
    (void)state;
    static const struct {
        const char *on;
        bool effect;
    } rows[] = {{"GET /source", false}, {"POST /wda/tap", true}};
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct world w;
        struct ia_tree *t = NULL;
        struct ia_cancel *cancel = ia_cancel_new(NULL);
        struct ia_deadline deadline = {cancel, IA_NO_DEADLINE};
        pthread_t thread;
        begin(&w, false);
        w.p.trouble = (struct trouble){.on = rows[i].on, .how = PEER_SILENT};
        int64_t begun = ia_mono_us(ia_clock_system());
        assert_int_equal(pthread_create(&thread, NULL, fire_soon, cancel), 0);
        enum ia_rc rc = rows[i].effect
                            ? ia_device_tap(w.d, &deadline, (struct ia_point){1, 2}, &w.err)
                            : ia_device_tree(w.d, &deadline, &t, &w.err);
        assert_int_equal(rc, IA_E_CANCELLED);
        assert_int_equal(w.err.outcome, rows[i].effect ? IA_OUTCOME_UNKNOWN : IA_OUTCOME_NONE);
        assert_true(ia_mono_us(ia_clock_system()) - begun < 2000000);
        pthread_join(thread, NULL);
        ia_device_close(w.d);
        const struct peer_request *last = peer_request(w.p.peer, peer_count(w.p.peer) - 1);
        assert_string_equal(last->method, "DELETE");
        assert_true(last->connection > 1);
        assert_int_equal(double_count(&w.p, "POST /appium/settings"), 1);
        double_stop(&w.p);
        ia_cancel_free(cancel);
    }
}

static void a_call_that_is_cancelled_or_late_sends_nothing(void **state)
{
    (void)state;
    struct world w;
    struct ia_cancel *cancel = ia_cancel_new(NULL);
    struct ia_deadline fired = {cancel, IA_NO_DEADLINE}, late = {NULL, 1};
    begin(&w, false);
    ia_cancel_fire(cancel);
    size_t before = peer_count(w.p.peer);
    struct ia_point at = {1, 2};
    assert_int_equal(ia_device_tap(w.d, &fired, at, &w.err), IA_E_CANCELLED);
    assert_int_equal(w.err.outcome, IA_OUTCOME_NOT_SENT);
    assert_int_equal(ia_device_tap(w.d, &late, at, &w.err), IA_E_TIMEOUT);
    assert_int_equal(w.err.outcome, IA_OUTCOME_NOT_SENT);
    assert_int_equal(ia_device_alert(w.d, &fired, IA_ALERT_ACCEPT, NULL, &w.err),
                     IA_E_CANCELLED);
    assert_int_equal(w.err.outcome, IA_OUTCOME_NOT_SENT);
    assert_int_equal(peer_count(w.p.peer), before);
    end(&w);
    ia_cancel_free(cancel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_are_these_requests),
        cmocka_unit_test(requests_have_the_form_of_the_drivers),
        cmocka_unit_test(keys_are_sent_as_each_dialect_takes_them),
        cmocka_unit_test(nothing_is_typed_without_a_keyboard),
        cmocka_unit_test(what_no_phone_could_do_is_refused_before_it_is_sent),
        cmocka_unit_test(what_does_not_fit_is_not_sent_cut_off),
        cmocka_unit_test(an_app_that_does_not_come_up_is_told),
        cmocka_unit_test(the_pasteboard_goes_both_ways),
        cmocka_unit_test(a_login_that_a_server_says_back_is_in_no_message),
        cmocka_unit_test(a_login_at_the_end_of_a_long_message_is_not_shown_in_part),
        cmocka_unit_test(a_hanging_call_ends_with_the_token),
        cmocka_unit_test(a_call_that_is_cancelled_or_late_sends_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
