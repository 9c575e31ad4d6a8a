#include "test.h"
#include "tmpdir.h"

#include "driver/registry/kinds.h"

#include <strings.h>

#define UDID "5A1B2C3D-0000-4000-8000-00000000ABCD"
#define IPHONE "00008110-000A1B2C3D4E5F60" /* an iPhone's */
#define IPHONE_PLAIN "00008110000a1b2c3d4e5f60"
#define UDID_SMALL "5a1b2c3d-0000-4000-8000-00000000abcd"
/* As many bytes as a name may have. */
#define NAME_63 "a234567890.b234567890.c234567890.d234567890.e234567890.com:8100"

static const struct {
    const char *name, *lane, *query; /* lane NULL: refused with rc */
    enum ia_rc rc;
} known_names[] = {
    {"embedded", "embedded:default", NULL, IA_OK},
    {"embedded:qa", "embedded:qa", NULL, IA_OK},
    {"embedded?seed=7", "embedded:default", "seed=7", IA_OK},
    {"embedded:qa?bugs=all", "embedded:qa", "bugs=all", IA_OK},
    {"bridge:127.0.0.1:8100", "bridge:127.0.0.1:8100", NULL, IA_OK},
    {"bridge:[::1]:8100?token-file=/x", "bridge:[::1]:8100", "token-file=/x", IA_OK},
    {"bridge:" UDID, "bridge:" UDID, NULL, IA_OK},
    {"bridge:" UDID_SMALL, "bridge:" UDID, NULL, IA_OK},
    {"bridge:" IPHONE, "bridge:" IPHONE, NULL, IA_OK},
    {"bridge:" IPHONE_PLAIN, "bridge:" IPHONE, NULL, IA_OK},
    {"bridge:" IPHONE "?token-file=/x", "bridge:" IPHONE, "token-file=/x", IA_OK},
    {"bridge:" IPHONE "?token-file=", NULL, NULL, IA_E_USAGE},
    {"bridge:" IPHONE "?take", NULL, NULL, IA_E_USAGE},
    {"iphone:" IPHONE, "iphone:" IPHONE, NULL, IA_OK},
    {"iphone:" IPHONE_PLAIN "?take", "iphone:" IPHONE, "take", IA_OK},
    {"iphone:" IPHONE "?take=1", NULL, NULL, IA_E_USAGE},
    {"iphone:" UDID, NULL, NULL, IA_E_USAGE}, /* a simulator's */
    {"iphone:", NULL, NULL, IA_E_USAGE},
    {"", NULL, NULL, IA_E_NO_DEVICE},
    {"iphone", NULL, NULL, IA_E_NO_DEVICE},
    {"embedded:", NULL, NULL, IA_E_NO_DEVICE},
    {"embedded:?bugs=all", NULL, NULL, IA_E_NO_DEVICE},
    {"embeddedness", NULL, NULL, IA_E_NO_DEVICE},
    {"embedded:Upper", NULL, NULL, IA_E_USAGE},
    {"embedded?nonsense", NULL, NULL, IA_E_USAGE},
    {"wda:127.0.0.1:8100", "wda:http://127.0.0.1:8100", NULL, IA_OK},
    {"wda:LocalHost:8100", "wda:http://127.0.0.1:8100", NULL, IA_OK},
    {"wda:https://[::1]:8100/x", "wda:https://127.0.0.1:8100/x", NULL, IA_OK},
    {"appium:localhost", "appium:http://127.0.0.1", NULL, IA_OK},
    {"wda:localhost.example:8100", "wda:http://localhost.example:8100", NULL, IA_OK},
    {"wda:HTTP://Phone.example:8100/", "wda:http://phone.example:8100", NULL, IA_OK},
    {"wda:http://127.0.0.1:8100?take&token-file=/x", "wda:http://127.0.0.1:8100",
     "take&token-file=/x", IA_OK},
    {"appium:https://hub.example/wd/Hub?caps=/a.json&udid=1",
     "appium:https://hub.example/wd/Hub", "caps=/a.json&udid=1", IA_OK},
    {"bridge", NULL, NULL, IA_E_NO_DEVICE},
    {"wda", NULL, NULL, IA_E_NO_DEVICE},
    {"wda:", NULL, NULL, IA_E_USAGE},
    {"wda:http://", NULL, NULL, IA_E_USAGE},
    {"wda:http:///x", NULL, NULL, IA_E_USAGE},
    {"wda:ftp://127.0.0.1", NULL, NULL, IA_E_USAGE},
    {"wda:http://me:secret@127.0.0.1:8100", NULL, NULL, IA_E_USAGE},
    {"wda:127.0.0.1:8100?token=secret", NULL, NULL, IA_E_USAGE},
    {"appium:127.0.0.1:4723?take&password=secret", NULL, NULL, IA_E_USAGE},
    {"wda:127.0.0.1:8100?caps=/a.json", NULL, NULL, IA_E_USAGE},
    {"wda:127.0.0.1:8100?take=yes", NULL, NULL, IA_E_USAGE},
    {"appium:127.0.0.1:4723?caps=", NULL, NULL, IA_E_USAGE},
    {"wda:http://a b", NULL, NULL, IA_E_USAGE},
    {"wda:http://a/\x1b[31m", NULL, NULL, IA_E_USAGE},
    {"wda:http://a\r\n", NULL, NULL, IA_E_USAGE},
    {"wda:http://a/\xff", NULL, NULL, IA_E_USAGE},
    {"wda:http://a/\x7f", NULL, NULL, IA_E_USAGE},
    {"bridge:", NULL, NULL, IA_E_USAGE},
    {"bridge:host", NULL, NULL, IA_E_USAGE},
    {"bridge:127.0.0.1:8100?token=x", NULL, NULL, IA_E_USAGE},
    {"bridge:127.0.0.1:8100?token-file=", NULL, NULL, IA_E_USAGE},
    {"bridge:" UDID "?token-file=/x", NULL, NULL, IA_E_USAGE},
    {"bridge:" NAME_63 "x", NULL, NULL, IA_E_NO_DEVICE},
};

static void a_name_gives_its_lane_or_says_what_is_wrong(void **state)
{
    (void)state;
    for (size_t i = 0; i < IA_COUNTOF(known_names); i++) {
        struct ia_device_spec spec = {.kind = NULL};
        struct ia_err err = {.code = IA_OK};
        struct ia_buf lane = IA_BUF(256);
        enum ia_rc rc = ia_device_spec_find(known_names[i].name, NULL, &spec, &err);
        if (rc != known_names[i].rc) {
            fail_msg("%s: %s", known_names[i].name, ia_rc_name(rc));
        }
        if (rc == IA_OK) {
            ia_device_spec_lane(&spec, &lane);
            assert_string_equal(ia_buf_cstr(&lane), known_names[i].lane);
            ia_buf_reset(&lane);
            ia_device_lane(known_names[i].name, &lane);
            assert_string_equal(ia_buf_cstr(&lane), known_names[i].lane);
            if (known_names[i].query) {
                assert_string_equal(spec.query, known_names[i].query);
            } else {
                assert_null(spec.query);
            }
        } else {
            assert_true(err.msg[0] != '\0' && err.hint[0] != '\0');
            assert_null(strstr(err.msg, "secret"));
        }
        ia_device_spec_fini(&spec);
        ia_buf_fini(&lane);
    }
}

static void an_unknown_name_is_answered_with_every_kind_that_there_is(void **state)
{
    (void)state;
    struct ia_device_spec spec;
    struct ia_err err = {.code = IA_OK};
    assert_int_equal(ia_device_spec_find("iphone", NULL, &spec, &err), IA_E_NO_DEVICE);
    assert_non_null(strstr(err.hint, "embedded:NAME"));
    assert_non_null(strstr(err.hint, "bridge:UDID"));
    assert_non_null(strstr(err.hint, "bridge:HOST:PORT"));
}

static void only_a_user_may_name_what_to_connect_to(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum ia_rc rc;
    } rows[] = {
        {"embedded", IA_OK},
        {"embedded:qa?bugs=all", IA_OK},
        {"bridge:" UDID, IA_OK},
        {"bridge", IA_OK}, /* no device, which is another mistake */
        {"iphone", IA_OK},
        {"bridge:127.0.0.1:8100", IA_E_CONFIG},
        {"bridge:[::1]:8100", IA_E_CONFIG},
        {"bridge:127.0.0.1:8100?token-file=/x", IA_E_CONFIG},
        {"bridge:" UDID "?token-file=/x", IA_E_CONFIG},
        {"bridge:" IPHONE, IA_E_CONFIG}, /* the user's own */
        {"iphone:" IPHONE, IA_E_CONFIG},
        {"iphone:nonsense", IA_E_CONFIG},
        {"bridge:host", IA_E_CONFIG},
        {"wda:127.0.0.1:8100", IA_E_CONFIG},
        {"appium:http://hub.example?caps=/a.json", IA_E_CONFIG},
        {"bridge:" NAME_63 "x", IA_OK}, /* too long to be opened */
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_err err = {.code = IA_OK};
        if (ia_device_name_check_foreign(rows[i].name, &err) != rows[i].rc) {
            fail_msg("%s", rows[i].name);
        }
        assert_null(strstr(err.msg, "token-file"));
        assert_true(rows[i].rc == IA_OK || strstr(err.hint, "--device"));
    }
}

static void an_address_says_what_is_wrong_with_it(void **state)
{
    (void)state;
    static const struct {
        const char *address, *says; /* NULL: nothing is */
    } rows[] = {
        {"http://127.0.0.1:99999", "no port from 1 to 65535"},
        {"127.0.0.1:99999", "no port from 1 to 65535"},
        {"127.0.0.1:0", "no port"},
        {"127.0.0.1:", "no port"},
        {"127.0.0.1:8100x", "no port"},
        {"127.0.0.1:-1/x", "no port"},
        {"[::1]:65536", "no port"},
        {"unix:/x", "no port"},
        {"unix:///x", "no http or https address"},
        {"http://", "no http or https address"},
        {"http://:8100", "no http or https address"},
        {"http://?take", "no http or https address"},
        {"[::1]8100", "no http or https address"},
        {"[::1]:65535/x", NULL},
        {"https://hub.example/a:b", NULL},
    };
    static const char *const schemes[] = {"wda", "appium"};
    for (size_t i = 0; i < 2 * IA_COUNTOF(rows); i++) {
        struct ia_device_spec spec = {.kind = NULL};
        struct ia_err err = {.code = IA_OK};
        char name[80];
        (void)snprintf(name, sizeof(name), "%s:%s", schemes[i % 2], rows[i / 2].address);
        enum ia_rc rc = ia_device_spec_find(name, NULL, &spec, &err);
        const char *says = rows[i / 2].says;
        if (rc != (says ? IA_E_USAGE : IA_OK) || (says && !strstr(err.msg, says))) {
            fail_msg("%s: %s %s", name, ia_rc_name(rc), err.msg);
        }
        assert_true(!says || strstr(err.hint, "http://HOST:"));
        ia_device_spec_fini(&spec);
    }
}

static char *session_file(const char *name, const struct ia_paths *paths)
{
    struct ia_device_spec spec = {.kind = NULL};
    char *file = NULL;
    assert_int_equal(ia_device_spec_find(name, paths, &spec, NULL), IA_OK);
    assert_int_equal(ia_device_wda_session_file(&spec, &file, NULL), IA_OK);
    ia_device_spec_fini(&spec);
    return file;
}

static void every_lane_has_a_session_file_of_its_own(void **state)
{
    (void)state;
    static const char *const one_each[] = {
        "wda:http://my-host:8100",  "wda:http://my_host:8100",  "wda:http://my.host:8100",
        "wda:http://host:8100",     "wda:http://host/8100",     "wda:http://host_8100",
        "wda:https://host:8100",    "appium:http://host:8100",  "wda:http://host:8100/a/b",
        "wda:http://host:8100/a_b", "wda:http://host:8100/A_b", ("iphone:" IPHONE)};
    char *dir = tmpdir_new(), *files[IA_COUNTOF(one_each)];
    const struct ia_paths paths = {.home = dir};
    for (size_t i = 0; i < IA_COUNTOF(one_each); i++) {
        files[i] = session_file(one_each[i], &paths);
        for (size_t k = 0; k < i; k++) {
            assert_int_not_equal(strcasecmp(files[i], files[k]), 0); /* macOS folds case */
        }
    }
    char *here = session_file("wda:127.0.0.1:8100", &paths);
    char *same = session_file("wda:localhost:8100", &paths);
    assert_string_equal(here, same);
    /* What is there is still found. */
    assert_string_equal(strrchr(here, '/'), "/wda-http___127.0.0.1_8100.json");
    assert_string_equal(strrchr(files[11], '/'), "/iphone-00008110_000A1B2C3D4E5F60.json");
    for (size_t i = 0; i < IA_COUNTOF(one_each); i++) {
        free(files[i]);
    }
    free(here);
    free(same);
    tmpdir_free(dir);
}

static void files_in_a_name_are_meant_from_the_callers_folder(void **state)
{
    static const struct {
        const char *name, *absolute;
    } rows[] = {
        {"embedded", "embedded"},
        {"embedded:a?bugs=all", "embedded:a?bugs=all"},
        {"bridge:127.0.0.1:1?token-file=tok", "bridge:127.0.0.1:1?token-file=/home/a b/tok"},
        {"bridge:127.0.0.1:1?token-file=a&b", "bridge:127.0.0.1:1?token-file=/home/a b/a&b"},
        {"wda:h:1?take&token-file=../t", "wda:h:1?take&token-file=/home/a b/../t"},
        {"appium:http://h?caps=c.json&udid=1&token-file=/t",
         "appium:http://h?caps=/home/a b/c.json&udid=1&token-file=/t"},
        {"appium:http://h?caps=&udid=caps=", "appium:http://h?caps=&udid=caps="},
        {"wda:h:1?", "wda:h:1?"},
        {"", ""},
    };
    (void)state;
    struct ia_buf out = IA_BUF(256);
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        ia_buf_reset(&out);
        ia_device_name_absolute(rows[i].name, "/home/a b", &out);
        assert_string_equal(ia_buf_cstr(&out), rows[i].absolute);
        ia_buf_reset(&out);
        ia_device_name_absolute(rows[i].name, NULL, &out);
        assert_string_equal(ia_buf_cstr(&out), rows[i].name);
    }
    ia_buf_fini(&out);
}

static struct ia_device_spec lent(const char *name, const char *token, const char *caps)
{
    struct ia_device_spec spec;
    const struct ia_device_env env = {token, caps};
    assert_int_equal(ia_device_spec_find(name, NULL, &spec, NULL), IA_OK);
    ia_device_spec_lend(&spec, &env);
    return spec;
}

static void an_open_device_serves_who_asks_for_the_same_or_says_nothing(void **state)
{
    static const struct {
        const char *name, *token, *caps;
        bool served;
    } rows[] = {
        {"wda:h:1?take", "T", "/c", true},  {"wda:h:1?take", NULL, NULL, true},
        {"wda:h:1?take", "U", NULL, false}, {"wda:h:1?take", NULL, "/d", false},
        {"wda:h:1", "T", "/c", false},
    };
    (void)state;
    struct ia_device_spec open = lent("wda:h:1?take", "T", "/c");
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_device_spec asked = lent(rows[i].name, rows[i].token, rows[i].caps);
        assert_int_equal(ia_device_spec_serves(&open, &asked), rows[i].served);
        ia_device_spec_fini(&asked);
    }
    ia_device_spec_fini(&open);
    struct ia_device_spec phone = lent("embedded", "T", "/c"); /* needs neither */
    assert_null(phone.token);
    assert_null(phone.caps);
    ia_device_spec_fini(&phone);
}

static void only_phones_of_this_program_are_simulated_lanes(void **state)
{
    (void)state;
    assert_true(ia_device_lane_simulated("embedded:qa"));
    assert_false(ia_device_lane_simulated("bridge:127.0.0.1:1"));
    assert_false(ia_device_lane_simulated("embeddedness"));
    assert_false(ia_device_lane_simulated("sweep:1"));
}

static void a_name_that_is_too_long_is_called_that(void **state)
{
    (void)state;
    static const char too_long[] = "its name is longer than 63 bytes";
    struct ia_device_spec spec;
    struct ia_err err = {.code = IA_OK};
    assert_int_equal(ia_device_spec_find("bridge:" NAME_63 "x", NULL, &spec, &err),
                     IA_E_NO_DEVICE);
    assert_non_null(strstr(err.msg, too_long));
    /* One that fits is refused for what it is. */
    assert_int_equal(ia_device_spec_find("bridge:" NAME_63, NULL, &spec, &err), IA_E_USAGE);
    assert_null(strstr(err.msg, too_long));
}

static void keep_name(void *ctx, const char *name)
{
    ia_buf_printf(ctx, "%s ", name);
}

static void a_phone_is_listed_once_it_was_opened(void **state)
{
    (void)state;
    struct ia_paths paths = {.home = tmpdir_new()};
    struct ia_device_spec spec;
    struct ia_device *d = NULL;
    struct ia_err err = {.code = IA_OK};
    struct ia_buf names = IA_BUF(1024);
    ia_device_list(&paths, keep_name, &names);
    assert_string_equal(ia_buf_cstr(&names), "embedded:default ");
    assert_int_equal(ia_device_spec_find("embedded:qa", &paths, &spec, &err), IA_OK);
    assert_int_equal(ia_device_spec_open(&spec, NULL, false, &d, &err), IA_OK);
    ia_device_close(d);
    ia_buf_reset(&names);
    ia_device_list(&paths, keep_name, &names);
    assert_string_equal(ia_buf_cstr(&names), "embedded:default embedded:qa ");
    ia_buf_fini(&names);
    ia_device_spec_fini(&spec);
    tmpdir_free(paths.home);
}

static void only_an_embedded_phone_has_an_oracle(void **state)
{
    (void)state;
    struct ia_paths paths = {.home = (char[]){"/home"}};
    struct ia_embedded_options opt;
    struct ia_device_spec spec;
    struct ia_err err = {.code = IA_OK};
    char *folder = NULL;
    assert_int_equal(ia_device_spec_find("embedded?seed=7", &paths, &spec, &err), IA_OK);
    assert_int_equal(ia_device_spec_embedded(&spec, &opt, &folder, &err), IA_OK);
    assert_string_equal(opt.folder, "/home/embedded");
    assert_string_equal(opt.name, "default");
    assert_string_equal(opt.query, "seed=7");
    free(folder);
    ia_device_spec_fini(&spec);
    assert_int_equal(ia_device_spec_find("bridge:127.0.0.1:8100", &paths, &spec, &err), IA_OK);
    assert_int_equal(ia_device_spec_embedded(&spec, &opt, &folder, &err), IA_E_USAGE);
    ia_device_spec_fini(&spec);
    /* Being simulated is not enough: another kind may be that, too. */
    static const struct ia_device_kind other = {.scheme = "other", .simulated = true};
    struct ia_device_spec simulated = {.kind = &other, .name = "default", .paths = &paths};
    assert_int_equal(ia_device_spec_embedded(&simulated, &opt, &folder, &err), IA_E_USAGE);
}

/* The deadline and the token reach the bridge's connection. */
static void opening_ends_with_its_token(void **state)
{
    (void)state;
    struct ia_paths paths = {.home = (char[]){"/home"}};
    struct ia_device_spec spec;
    struct ia_device *d = NULL;
    struct ia_err err = {.code = IA_OK};
    struct ia_cancel *cancel = ia_cancel_new(&err);
    const struct ia_deadline deadline = {cancel, IA_NO_DEADLINE};
    ia_cancel_fire(cancel);
    assert_int_equal(ia_device_spec_find("bridge:127.0.0.1:9", &paths, &spec, &err), IA_OK);
    assert_int_equal(ia_device_spec_open(&spec, &deadline, false, &d, &err), IA_E_CANCELLED);
    assert_null(d);
    ia_device_spec_fini(&spec);
    ia_cancel_free(cancel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_gives_its_lane_or_says_what_is_wrong),
        cmocka_unit_test(an_unknown_name_is_answered_with_every_kind_that_there_is),
        cmocka_unit_test(a_name_that_is_too_long_is_called_that),
        cmocka_unit_test(only_a_user_may_name_what_to_connect_to),
        cmocka_unit_test(an_address_says_what_is_wrong_with_it),
        cmocka_unit_test(every_lane_has_a_session_file_of_its_own),
        cmocka_unit_test(files_in_a_name_are_meant_from_the_callers_folder),
        cmocka_unit_test(an_open_device_serves_who_asks_for_the_same_or_says_nothing),
        cmocka_unit_test(only_phones_of_this_program_are_simulated_lanes),
        cmocka_unit_test(a_phone_is_listed_once_it_was_opened),
        cmocka_unit_test(only_an_embedded_phone_has_an_oracle),
        cmocka_unit_test(opening_ends_with_its_token),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
