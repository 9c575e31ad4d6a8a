/* Which device type and runtime a person means for a new simulator. */
#include "test.h"

#include "driver/simctl/list.h"

#define TYPE(name, family, min, max)                                                           \
    "{\"name\":\"" name "\",\"identifier\":\"com.apple.CoreSimulator.SimDeviceType." name      \
    "\",\"productFamily\":\"" family "\",\"minRuntimeVersion\":" min                           \
    ",\"maxRuntimeVersion\":" max "}"
#define RUNTIME(name, id, version, available)                                                  \
    "{\"name\":\"" name "\",\"identifier\":\"com.apple.CoreSimulator.SimRuntime." id           \
    "\",\"version\":\"" version "\",\"isAvailable\":" available "}"
/* Versions as simctl packs them: 17.0 is 1114112, 26.0 is 1703936. */
static const char list[] =
    "{\"devices\":{},\"devicetypes\":[" TYPE("iPhone 12", "iPhone", "917760", "1703935") "," TYPE("iPhone 17", "iPhone", "1703936", "4294967295") "," TYPE(
        "iPhone 17 Pro", "iPhone", "1703936",
        "4294967295") "," TYPE("Apple Watch Series 9", "Apple Watch", "655360",
                               "4294967295") "],\"runtimes\":[" RUNTIME("iOS 17.5", "iOS-17-5",
                                                                        "17.5",
                                                                        "true") "," RUNTIME("iO"
                                                                                            "S "
                                                                                            "26"
                                                                                            "."
                                                                                            "0",
                                                                                            "iO"
                                                                                            "S-"
                                                                                            "26"
                                                                                            "-"
                                                                                            "0",
                                                                                            "26"
                                                                                            "."
                                                                                            "0",
                                                                                            "tr"
                                                                                            "u"
                                                                                            "e") "," RUNTIME("iOS 26.2",
                                                                                                             "iOS-26-2",
                                                                                                             "26.2",
                                                                                                             "true") "," RUNTIME("iOS 26.4",
                                                                                                                                 "iOS-26-4",
                                                                                                                                 "26.4",
                                                                                                                                 "false") "," RUNTIME("watchOS 26.2",
                                                                                                                                                      "watchOS-26-2",
                                                                                                                                                      "26.2",
                                                                                                                                                      "true") "]}";

static struct ia_sim_list *read_list(void)
{
    struct ia_sim_list *l = NULL;
    struct ia_err err = {0};
    if (ia_sim_list_parse(ia_str(list), &l, &err) != IA_OK) {
        fail_msg("%s", err.msg);
    }
    return l;
}

static void a_type_is_a_name_an_identifier_or_the_beginning_of_one_name(void **state)
{
    (void)state;
    static const struct {
        const char *text, *name; /* NULL: rc */
        enum ia_rc rc;
        const char *hint;
    } rows[] = {
        {"iPhone 17", "iPhone 17", IA_OK, NULL}, /* whole, though another begins so */
        {"iphone 17 pro", "iPhone 17 Pro", IA_OK, NULL},
        {"com.apple.CoreSimulator.SimDeviceType.iPhone 12", "iPhone 12", IA_OK, NULL},
        {"Apple W", "Apple Watch Series 9", IA_OK, NULL},
        {"iPhone", NULL, IA_E_AMBIGUOUS, "iPhone 17 Pro, iPhone 17, iPhone 12"},
        {"iPhone 71", NULL, IA_E_NOT_FOUND, "did you mean"},
        {"", NULL, IA_E_NOT_FOUND, "devicetypes"},
        {"Fridge", NULL, IA_E_NOT_FOUND, "Apple Watch Series 9"},
    };
    struct ia_sim_list *l = read_list();
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        const struct ia_sim_type *type = NULL;
        struct ia_err err = {0};
        assert_int_equal(ia_sim_type_find(l, rows[i].text, &type, &err), rows[i].rc);
        if (rows[i].name) {
            assert_string_equal(type->name, rows[i].name);
        } else if (!strstr(err.hint, rows[i].hint)) {
            fail_msg("%s: %s (%s)", rows[i].text, err.msg, err.hint);
        }
    }
    ia_sim_list_free(l);
}

static void a_runtime_is_the_newest_of_those_that_fit(void **state)
{
    (void)state;
    static const struct {
        const char *type, *text, *name; /* NULL: rc */
        enum ia_rc rc;
        const char *hint;
    } rows[] = {
        {"iPhone 17", NULL, "iOS 26.2", IA_OK, NULL}, /* 26.4 is not available */
        {"iPhone 12", NULL, "iOS 17.5", IA_OK, NULL}, /* the newest that it runs */
        {"Apple Watch", NULL, "watchOS 26.2", IA_OK, NULL},
        {"iPhone 17", "26", "iOS 26.2", IA_OK, NULL},
        {"iPhone 17", "26.0", "iOS 26.0", IA_OK, NULL},
        {"iPhone 17", "ios 26.2", "iOS 26.2", IA_OK, NULL},
        {"Apple Watch", "26.2", "watchOS 26.2", IA_OK, NULL},
        {"iPhone 17", "com.apple.CoreSimulator.SimRuntime.iOS-26-0", "iOS 26.0", IA_OK, NULL},
        {"iPhone 17", "17.5", NULL, IA_E_UNSUPPORTED, "there is iOS 26.2, iOS 26.0"},
        {"iPhone 17", "watchOS 26.2", NULL, IA_E_UNSUPPORTED, "iOS 26.2"},
        {"iPhone 17", "26.4", NULL, IA_E_MISSING, "iOS 26.2"},
        {"iPhone 17", "2", NULL, IA_E_MISSING, "iOS 26.2"},
        {"iPhone 17", "", NULL, IA_E_MISSING, "iOS 26.2"},
    };
    struct ia_sim_list *l = read_list();
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        const struct ia_sim_type *type = NULL;
        const struct ia_sim_runtime *runtime = NULL;
        struct ia_err err = {0};
        assert_int_equal(ia_sim_type_find(l, rows[i].type, &type, &err), IA_OK);
        enum ia_rc rc = ia_sim_runtime_find(l, rows[i].text, type, &runtime, &err);
        if (rc != rows[i].rc) {
            fail_msg("row %zu: %s: %s", i, ia_rc_name(rc), err.msg);
        }
        if (rows[i].name) {
            assert_string_equal(runtime->name, rows[i].name);
        } else if (!strstr(err.hint, rows[i].hint)) {
            fail_msg("row %zu: %s (%s)", i, err.msg, err.hint);
        }
    }
    ia_sim_list_free(l);
}

static void a_machine_without_any_says_how_to_get_one(void **state)
{
    (void)state;
    struct ia_sim_list *l = NULL;
    struct ia_err err = {0};
    const struct ia_sim_type *type = NULL;
    const struct ia_sim_runtime *runtime = NULL;
    const struct ia_sim_type iphone = {
        .name = "iPhone 17", .family = "iPhone", .max_version = UINT32_MAX};
    assert_int_equal(ia_sim_list_parse(ia_str("{\"devices\":{}}"), &l, &err), IA_OK);
    assert_int_equal(ia_sim_type_find(l, "iPhone 17", &type, &err), IA_E_NOT_FOUND);
    assert_int_equal(ia_sim_runtime_find(l, NULL, &iphone, &runtime, &err), IA_E_MISSING);
    assert_non_null(strstr(err.hint, "downloadPlatform"));
    ia_sim_list_free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_type_is_a_name_an_identifier_or_the_beginning_of_one_name),
        cmocka_unit_test(a_runtime_is_the_newest_of_those_that_fit),
        cmocka_unit_test(a_machine_without_any_says_how_to_get_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
