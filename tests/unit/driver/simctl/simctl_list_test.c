/* What `simctl list -j` prints, in every shape that was seen, and how a simulator is found. */
#include "source_dir.h"
#include "test.h"

#include "base/buf.h"
#include "base/fd.h"
#include "driver/simctl/list.h"

static struct ia_sim_list *parse_file(const char *name)
{
    struct ia_buf text = IA_BUF(IA_SIM_LIST_BYTES_MAX);
    struct ia_sim_list *l = NULL;
    struct ia_err err = {0};
    char path[512];
    (void)snprintf(path, sizeof(path), "%s/simctl/%s", IA_TEST_DATA, name);
    assert_int_equal(ia_file_read(path, &text, &err), IA_OK);
    if (ia_sim_list_parse(ia_buf_str(&text), &l, &err) != IA_OK) {
        fail_msg("%s: %s", name, err.msg);
    }
    ia_buf_fini(&text);
    return l;
}

static struct ia_sim_list *parse_text(const char *text)
{
    struct ia_sim_list *l = NULL;
    struct ia_err err = {0};
    if (ia_sim_list_parse(ia_str(text), &l, &err) != IA_OK) {
        fail_msg("%s", err.msg);
    }
    return l;
}

/* ---- parsing ----------------------------------------------------------------------------- */

static void every_real_list_is_read_completely(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        size_t sims, unavailable, runtimes, types;
        const char *first_runtime;
    } cases[] = {
        {"apple-clis_simctl-list-full_xcode15.json", 35, 10, 2, 96, "iOS 17.5"},
        {"go-xcode_DeviceList.json", 71, 30, 4, 78, "iOS 16.0"},
        {"node-simctl_devices-simple.json", 16, 0, 0, 0, "iOS 12.1"},
        {"node-simctl_devices.json", 16, 0, 0, 0, "iOS 12.1"},
        {"node-simctl_devices-with-unavailable-simple.json", 32, 16, 0, 0, "iOS 12.2"},
        {"node-simctl_devices-with-unavailable.json", 32, 16, 0, 0, "iOS 12.2"},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct ia_sim_list *l = parse_file(cases[i].file);
        size_t unavailable = 0;
        for (size_t k = 0; k < l->count; k++) {
            unavailable += !l->sims[k].available;
            assert_true(ia_sim_is_udid(l->sims[k].udid));
            assert_true(l->sims[k].available || l->sims[k].problem[0] != '\0');
            assert_true(l->sims[k].version > 0);
        }
        assert_int_equal(l->count, cases[i].sims);
        assert_int_equal(unavailable, cases[i].unavailable);
        assert_int_equal(l->runtime_count, cases[i].runtimes);
        assert_int_equal(l->type_count, cases[i].types);
        assert_string_equal(l->sims[0].runtime, cases[i].first_runtime);
        ia_sim_list_free(l);
    }
}

static void both_spellings_of_a_runtime_read_the_same(void **state)
{
    (void)state;
    struct ia_sim_list *lists[] = {
        parse_file("node-simctl_devices-with-unavailable-simple.json"),
        parse_file("node-simctl_devices-with-unavailable.json")};
    assert_int_equal(lists[0]->count, lists[1]->count);
    for (size_t i = 0; i < lists[1]->count; i++) {
        const struct ia_sim *b = &lists[1]->sims[i];
        const struct ia_sim *a = ia_sim_by_udid(lists[0], b->udid);
        assert_non_null(a);
        assert_string_equal(a->runtime, b->runtime);
        assert_string_equal(a->platform, b->platform);
        assert_int_equal(a->version, b->version);
    }
    ia_sim_list_free(lists[0]);
    ia_sim_list_free(lists[1]);
}

static void order_is_ios_then_newest_then_as_listed(void **state)
{
    (void)state;
    struct ia_sim_list *l = parse_file("go-xcode_DeviceList.json");
    for (size_t i = 1; i < l->count; i++) {
        bool was_ios = strcmp(l->sims[i - 1].platform, "iOS") == 0;
        bool is_ios = strcmp(l->sims[i].platform, "iOS") == 0;
        assert_true(was_ios || !is_ios);
        assert_true(was_ios != is_ios || l->sims[i - 1].version >= l->sims[i].version);
    }
    assert_string_equal(l->sims[0].name, "iPhone 8");
    assert_string_equal(l->sims[1].name, "iPhone 8 Plus");
    assert_string_equal(ia_sim_newest_runtime(l)->name, "iOS 16.0");
    ia_sim_list_free(l);
}

#define UDID_A "0000000A-0000-4000-8000-000000000001"
#define UDID_B "0000000B-0000-4000-8000-000000000002"
#define UDID_C "0000000C-0000-4000-8000-000000000003"

static void old_and_odd_rows_are_read_and_invalid_ones_skipped(void **state)
{
    (void)state;
    struct ia_sim_list *l = parse_text(
        "Install Started\n1%.........20%\n"
        "{\"devices\":{"
        "\"com.apple.CoreSimulator.SimRuntime.xrOS-2-1\":[{\"udid\":\"" UDID_A "\","
        "\"name\":\"Vision\",\"state\":\"Shutting Down\",\"isAvailable\":\"YES\",\"new\":{}}],"
        "\"Unavailable: com.apple.CoreSimulator.SimRuntime.iOS-9-0\":[{\"udid\":\"" UDID_B "\","
        "\"name\":\"Old\",\"state\":\"Thinking\",\"availability\":"
        "\"(unavailable, runtime profile not found)\"}],"
        "\"iOS 26.2\":[{\"udid\":\"0000000c-0000-4000-8000-000000000003\",\"name\":\"New\"},"
        "{\"udid\":\"short\",\"name\":\"X\"},{\"udid\":\"" UDID_C "\"},7,null],"
        "\"iOS 1\":null}}");
    assert_int_equal(l->count, 3);
    assert_string_equal(l->sims[0].udid, UDID_C);
    assert_string_equal(l->sims[0].runtime, "iOS 26.2");
    assert_true(l->sims[0].available);
    assert_string_equal(l->sims[1].runtime, "iOS 9.0");
    assert_false(l->sims[1].available);
    assert_int_equal(l->sims[1].state, IA_SIM_STATE_OTHER);
    assert_string_equal(l->sims[2].runtime, "visionOS 2.1");
    assert_int_equal(l->sims[2].state, IA_SIM_SHUTTING_DOWN);
    assert_true(l->sims[2].available);
    ia_sim_list_free(l);
}

static void output_that_is_no_list_is_refused_with_a_hint(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "", "{", "[]", "{}", "{\"devices\":[]}", "no json at all", "{\"devices\":{}} x"};
    for (size_t i = 0; i < IA_COUNTOF(texts); i++) {
        struct ia_sim_list *l = NULL;
        struct ia_err err = {0};
        assert_int_equal(ia_sim_list_parse(ia_str(texts[i]), &l, &err), IA_E_PARSE);
        assert_null(l);
        assert_true(err.hint[0] != '\0');
    }
}

static void more_rows_than_the_cap_are_refused(void **state)
{
    (void)state;
    struct ia_buf text = IA_BUF(IA_SIM_LIST_BYTES_MAX);
    struct ia_sim_list *l = NULL;
    struct ia_err err = {0};
    ia_buf_puts(&text, "{\"devices\":{\"iOS 1\":[0");
    for (int i = 0; i < IA_SIM_LIST_ROWS_MAX; i++) {
        ia_buf_puts(&text, ",0");
    }
    ia_buf_puts(&text, "]}}");
    assert_int_equal(ia_sim_list_parse(ia_buf_str(&text), &l, &err), IA_E_LIMIT);
    ia_buf_fini(&text);
}

static void images_of_runtimes_are_read(void **state)
{
    (void)state;
    struct ia_buf text = IA_BUF(IA_SIM_LIST_BYTES_MAX);
    struct ia_sim_images *images = NULL;
    struct ia_err err = {0};
    assert_int_equal(ia_file_read(IA_TEST_DATA
                                  "/simctl/xcodes_ShellOutput-InstalledRuntimes.json",
                                  &text, &err),
                     IA_OK);
    assert_int_equal(ia_sim_images_parse(ia_buf_str(&text), &images, &err), IA_OK);
    assert_int_equal(images->count, 9);
    const struct ia_sim_image *first = &images->images[0];
    assert_string_equal(first->platform, "iOS");
    assert_string_equal(first->version, "15.5");
    assert_string_equal(first->state, "Ready");
    assert_string_equal(first->kind, "Bundled with Xcode");
    assert_true(first->size_bytes == INT64_C(3310809088));
    assert_string_equal(images->images[8].platform, "watchOS");
    ia_sim_images_free(images);
    images = NULL;
    assert_int_equal(ia_sim_images_parse(ia_str("[]"), &images, &err), IA_E_PARSE);
    assert_int_equal(ia_sim_images_parse(ia_str("No runtimes"), &images, &err), IA_E_PARSE);
    assert_null(images);
    ia_buf_fini(&text);
}

/* ---- finding ----------------------------------------------------------------------------- */

/* Two iOS versions, one of them with two phones of the same name, one booted phone, one that is
 * not available. */
static const char phones[] =
    "{\"devices\":{"
    "\"iOS 26.2\":["
    "{\"udid\":\"A0000000-0000-4000-8000-000000000001\",\"name\":\"iPhone "
    "17\",\"state\":\"Shutdown\"},"
    "{\"udid\":\"A0000000-0000-4000-8000-000000000002\",\"name\":\"iPhone 17 "
    "Pro\",\"state\":\"Booted\"},"
    "{\"udid\":\"A0000000-0000-4000-8000-000000000003\",\"name\":\"iPhone "
    "16\",\"state\":\"Shutdown\"},"
    "{\"udid\":\"A0000000-0000-4000-8000-000000000004\",\"name\":\"Twin\",\"state\":"
    "\"Shutdown\"},"
    "{\"udid\":\"A0000000-0000-4000-8000-000000000005\",\"name\":\"Twin\",\"state\":"
    "\"Shutdown\"},"
    "{\"udid\":\"A0000000-0000-4000-8000-000000000006\",\"name\":\"Desk, "
    "left\",\"state\":\"Shutdown\"}],"
    "\"iOS 26.0\":["
    "{\"udid\":\"B0000000-0000-4000-8000-000000000001\",\"name\":\"iPhone "
    "16\",\"state\":\"Shutdown\"},"
    "{\"udid\":\"B0000000-0000-4000-8000-000000000002\",\"name\":\"iPhone 17 "
    "Pro\",\"state\":\"Shutdown\"}],"
    "\"iOS 17.5\":["
    "{\"udid\":\"C0000000-0000-4000-8000-000000000001\",\"name\":\"iPhone "
    "15\",\"state\":\"Shutdown\","
    "\"isAvailable\":false,\"availabilityError\":\"runtime profile not found\"}],"
    "\"watchOS 11.0\":["
    "{\"udid\":\"D0000000-0000-4000-8000-000000000001\",\"name\":\"Apple "
    "Watch\",\"state\":\"Booted\"}]"
    "}}";

static void a_simulator_is_found_by_name_runtime_and_state(void **state)
{
    (void)state;
    static const struct {
        const char *name, *runtime, *udid;
    } cases[] = {
        {"iPhone 17", NULL, "A0000000-0000-4000-8000-000000000001"}, /* not 17 Pro */
        {"IPHONE 17", NULL, "A0000000-0000-4000-8000-000000000001"},
        {" iPhone 17 ", NULL, "A0000000-0000-4000-8000-000000000001"},
        {"iPhone 17 Pro", NULL, "A0000000-0000-4000-8000-000000000002"}, /* the booted one */
        {"iPhone 17 Pro", "26.0", "B0000000-0000-4000-8000-000000000002"},
        {"iPhone 17 P", NULL, "A0000000-0000-4000-8000-000000000002"}, /* a beginning */
        {"iPhone 16, iOS 26.0", NULL, "B0000000-0000-4000-8000-000000000001"},
        {"iPhone 16,ios 26.2", NULL, "A0000000-0000-4000-8000-000000000003"},
        {"iPhone 16, 26.0", NULL, "B0000000-0000-4000-8000-000000000001"},
        {"iPhone 16", "iOS 26.2", "A0000000-0000-4000-8000-000000000003"},
        {"Desk, left", NULL, "A0000000-0000-4000-8000-000000000006"},
        {"Desk, left, 26", NULL, "A0000000-0000-4000-8000-000000000006"},
        {"desk", NULL, "A0000000-0000-4000-8000-000000000006"},
        {"a0000000-0000-4000-8000-000000000005", NULL, "A0000000-0000-4000-8000-000000000005"},
        {NULL, NULL, "A0000000-0000-4000-8000-000000000002"}, /* the watch is no phone */
        {"", NULL, "A0000000-0000-4000-8000-000000000002"},
        {"booted", NULL, "A0000000-0000-4000-8000-000000000002"},
        {"Apple Watch", NULL, "D0000000-0000-4000-8000-000000000001"},
    };
    struct ia_sim_list *l = parse_text(phones);
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct ia_sim_query q = {cases[i].name, cases[i].runtime};
        struct ia_sim_found found;
        struct ia_err err = {0};
        if (ia_sim_resolve(l, &q, &found, &err) != IA_OK) {
            fail_msg("%s: %s", cases[i].name, err.msg);
        }
        assert_string_equal(found.sim->udid, cases[i].udid);
    }
    ia_sim_list_free(l);
}

static void an_ambiguous_name_shows_each_candidate_and_how_to_say_which(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t count;
        const char *in_msg[3];
        const char *in_hint;
    } cases[] = {
        {"iPhone 16",
         2,
         {"iPhone 16, iOS 26.2, Shutdown, A0000000-0000-4000-8000-000000000003",
          "iPhone 16, iOS 26.0, Shutdown, B0000000-0000-4000-8000-000000000001", "ambiguous"},
         "iPhone 16, iOS 26.2"},
        {"twin",
         2,
         {"A0000000-0000-4000-8000-000000000004", "A0000000-0000-4000-8000-000000000005",
          "Shutdown"},
         "UDID"},
        {"iPhone 1",
         5,
         {"and 1 more", "iPhone 17 Pro, iOS 26.2, Booted", "5 simulators"},
         "whole name"},
    };
    struct ia_sim_list *l = parse_text(phones);
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct ia_sim_query q = {cases[i].name, NULL};
        struct ia_sim_found found;
        struct ia_err err = {0};
        assert_int_equal(ia_sim_resolve(l, &q, &found, &err), IA_E_AMBIGUOUS);
        assert_null(found.sim);
        assert_int_equal(found.candidate_count, cases[i].count);
        assert_non_null(found.candidates[1]);
        for (size_t k = 0; k < 3; k++) {
            if (!strstr(err.msg, cases[i].in_msg[k])) {
                fail_msg("no \"%s\" in: %s", cases[i].in_msg[k], err.msg);
            }
        }
        assert_non_null(strstr(err.hint, cases[i].in_hint));
    }
    ia_sim_list_free(l);
}

static void real_twins_are_ambiguous(void **state)
{
    (void)state;
    struct ia_sim_list *l = parse_file("go-xcode_DeviceList.json");
    struct ia_sim_query q = {"iPhone 11, 13.7", NULL};
    struct ia_sim_found found;
    struct ia_err err = {0};
    assert_int_equal(ia_sim_resolve(l, &q, &found, &err), IA_E_AMBIGUOUS);
    assert_int_equal(found.candidate_count, 2);
    assert_non_null(strstr(err.hint, "UDID"));
    ia_sim_list_free(l);
}

static void an_unknown_name_is_answered_with_what_is_near_and_why(void **state)
{
    (void)state;
    static const struct {
        const char *name, *runtime, *in_msg, *in_hint;
    } cases[] = {
        {"iPhone 71", NULL, "no simulator \"iPhone 71\"", "\"iPhone 17\""},
        {"Pixel 9", NULL, "Pixel 9", "ios-agent devices"},
        {"iPhone 17", "18.0", "but none with 18.0", "devices"},
        {"iPhone 17, iOS 2", NULL, "but none with iOS 2", "devices"}, /* 2 is not 26 */
        {"iPhone 15", NULL, "runtime profile not found", "downloadPlatform"},
        {"C0000000-0000-4000-8000-000000000001", NULL, "not available", "downloadPlatform"},
        {"E0000000-0000-4000-8000-000000000001", NULL, "UDID", "devices"},
        {",", NULL, "\",\"", "devices"},
        {NULL, "26.0", "none is booted", "boot"},
    };
    struct ia_sim_list *l = parse_text(phones);
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct ia_sim_query q = {cases[i].name, cases[i].runtime};
        struct ia_sim_found found;
        struct ia_err err = {0};
        assert_int_equal(ia_sim_resolve(l, &q, &found, &err), IA_E_NO_DEVICE);
        if (!strstr(err.msg, cases[i].in_msg) || !strstr(err.hint, cases[i].in_hint)) {
            fail_msg("%s: %s / %s", cases[i].name, err.msg, err.hint);
        }
    }
    ia_sim_list_free(l);
}

static void nothing_at_all_says_how_to_get_one(void **state)
{
    (void)state;
    struct ia_sim_list *l = parse_text("{\"devices\":{}}");
    struct ia_sim_query q = {"iPhone 17", NULL};
    struct ia_sim_found found;
    struct ia_err err = {0};
    assert_int_equal(ia_sim_resolve(l, &q, &found, &err), IA_E_NO_DEVICE);
    assert_non_null(strstr(err.hint, "downloadPlatform"));
    assert_null(ia_sim_newest_runtime(l));
    ia_sim_list_free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_real_list_is_read_completely),
        cmocka_unit_test(both_spellings_of_a_runtime_read_the_same),
        cmocka_unit_test(order_is_ios_then_newest_then_as_listed),
        cmocka_unit_test(old_and_odd_rows_are_read_and_invalid_ones_skipped),
        cmocka_unit_test(output_that_is_no_list_is_refused_with_a_hint),
        cmocka_unit_test(more_rows_than_the_cap_are_refused),
        cmocka_unit_test(images_of_runtimes_are_read),
        cmocka_unit_test(a_simulator_is_found_by_name_runtime_and_state),
        cmocka_unit_test(an_ambiguous_name_shows_each_candidate_and_how_to_say_which),
        cmocka_unit_test(real_twins_are_ambiguous),
        cmocka_unit_test(an_unknown_name_is_answered_with_what_is_near_and_why),
        cmocka_unit_test(nothing_at_all_says_how_to_get_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
