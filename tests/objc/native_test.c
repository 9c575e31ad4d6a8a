/* native_test.c: native actions, performed by the bridge's own sources on stubs of Apple's
 * frameworks (bridge-xcuitest/linux/stub/frameworks*.m). */
#include "host.h"

#include "test.h"

#include <jansson.h>

static struct host host;
static struct link to;

/* Starts a bridge of its own, with one variable. */
static void start_with(const char *name, const char *value)
{
    host_start(&host, name, value, NULL);
    link_open(&to, &host);
}

static int start(void **state)
{
    (void)state;
    host_start(&host, NULL);
    link_open(&to, &host);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    link_close(&to);
    assert_int_equal(host_stop(&host), 0);
    return 0;
}

static struct ia_wire_request request(enum ia_native action, const char *args)
{
    struct ia_wire_request req = {.op = IA_WIRE_OP_NATIVE};
    req.u.native = (struct ia_wire_native){.action = (uint8_t)action, .args = args};
    return req;
}

/* The answer, which must come; free it with json_decref. */
static json_t *answer_of(enum ia_native action, const char *args)
{
    struct ia_wire_request req = request(action, args);
    struct ia_wire_reply reply;
    link_call(&to, &req, &reply);
    if (reply.code != IA_WIRE_OK) {
        print_message("%s %s: %s\n", ia_native_actions[action].name, args, reply.text);
    }
    assert_int_equal(reply.code, IA_WIRE_OK);
    assert_int_equal(reply.outcome,
                     ia_native_actions[action].effect ? IA_WIRE_SENT : IA_WIRE_NONE);
    json_t *answer = json_loads(reply.u.native.answer, JSON_REJECT_DUPLICATES, NULL);
    assert_true(json_is_object(answer));
    ia_wire_reply_fini(&reply);
    return answer;
}

static void fails(enum ia_native action, const char *args, enum ia_wire_code code,
                  enum ia_wire_outcome outcome, const char *words)
{
    struct ia_wire_request req = request(action, args);
    struct ia_wire_reply reply;
    link_call(&to, &req, &reply);
    print_message("%s %s: %s\n", ia_native_actions[action].name, args, reply.text);
    assert_int_equal(reply.code, code);
    assert_int_equal(reply.outcome, outcome);
    assert_non_null(strstr(reply.text, words));
    assert_non_null(strstr(reply.text, ia_native_actions[action].name));
    ia_wire_reply_fini(&reply);
}

/* A text in the answer, by the names that lead to it; "" where it is not. */
static const char *text_at(const json_t *answer, const char *list, size_t i, const char *key)
{
    const json_t *item = json_object_get(answer, list);
    item = json_is_array(item) ? json_array_get(item, i) : item;
    const char *text = json_string_value(json_object_get(item, key));
    return text ? text : "";
}

static size_t count_of(enum ia_native action, const char *args, const char *list)
{
    json_t *answer = answer_of(action, args);
    size_t n = json_array_size(json_object_get(answer, list));
    json_decref(answer);
    return n;
}

/* ---- calendar ---------------------------------------------------------------------------- */

static void an_event_is_created_read_changed_and_deleted(void **state)
{
    (void)state;
    char args[256], id[64];
    json_t *a =
        answer_of(IA_NATIVE_CALENDAR_CREATE,
                  "{\"title\":\"Sync\",\"start\":\"2025-03-04T09:30\",\"notes\":\"bring "
                  "\\u00e4pples\",\"location\":\"Room 5\"}");
    (void)snprintf(id, sizeof(id), "%s", text_at(a, "event", 0, "id"));
    assert_string_equal(text_at(a, "event", 0, "start"), "2025-03-04T09:30");
    assert_string_equal(text_at(a, "event", 0, "end"), "2025-03-04T10:30");
    json_decref(a);
    static const char march[] = "{\"from\":\"2025-03-01\",\"to\":\"2025-03-04\"}";
    a = answer_of(IA_NATIVE_CALENDAR_READ, march);
    assert_string_equal(text_at(a, "events", 0, "title"), "Sync");
    assert_string_equal(text_at(a, "events", 0, "notes"), "bring \xc3\xa4pples");
    assert_string_equal(text_at(a, "events", 0, "calendar"), "Home");
    json_decref(a);
    assert_int_equal(
        count_of(IA_NATIVE_CALENDAR_READ,
                 "{\"from\":\"2025-03-01\",\"to\":\"2025-03-31\",\"query\":\"ROOM\"}",
                 "events"),
        1);
    assert_int_equal(count_of(IA_NATIVE_CALENDAR_READ,
                              "{\"from\":\"2025-03-01\",\"to\":\"2025-03-31\",\"query\":\"x\"}",
                              "events"),
                     0);
    (void)snprintf(args, sizeof(args), "{\"id\":\"%s\",\"start\":\"2025-03-04T12:00\"}", id);
    a = answer_of(IA_NATIVE_CALENDAR_UPDATE, args);
    assert_string_equal(text_at(a, "event", 0, "end"), "2025-03-04T13:00"); /* keeps its hour */
    assert_string_equal(text_at(a, "event", 0, "title"), "Sync");
    json_decref(a);
    (void)snprintf(args, sizeof(args), "{\"id\":\"%s\"}", id);
    json_decref(answer_of(IA_NATIVE_CALENDAR_DELETE, args));
    assert_int_equal(count_of(IA_NATIVE_CALENDAR_READ, march, "events"), 0);
    fails(IA_NATIVE_CALENDAR_DELETE, args, IA_WIRE_E_NOT_FOUND, IA_WIRE_NOT_SENT, "no event");
}

static void a_day_without_an_end_is_a_whole_day(void **state)
{
    (void)state;
    char args[128];
    json_t *a =
        answer_of(IA_NATIVE_CALENDAR_CREATE, "{\"title\":\"Trip\",\"start\":\"2025-04-01\"}");
    assert_true(json_is_true(json_object_get(json_object_get(a, "event"), "all_day")));
    assert_string_equal(text_at(a, "event", 0, "end"), "2025-04-01");
    (void)snprintf(args, sizeof(args), "{\"id\":\"%s\"}", text_at(a, "event", 0, "id"));
    json_decref(a);
    json_decref(answer_of(IA_NATIVE_CALENDAR_DELETE, args));
}

static void impossible_dates_and_orders_are_refused_before_anything_is_saved(void **state)
{
    (void)state;
    static const char *const args[] = {
        "{\"title\":\"a\",\"start\":\"2025-02-30T10:00\"}",
        "{\"title\":\"a\",\"start\":\"2025-02-03T10:00\",\"end\":\"2025-02-31T10:00\"}",
        "{\"title\":\"a\",\"start\":\"2025-02-03T10:00\",\"end\":\"2025-02-03T09:00\"}",
    };
    for (size_t i = 0; i < 3; i++) {
        fails(IA_NATIVE_CALENDAR_CREATE, args[i], IA_WIRE_E_USAGE, IA_WIRE_NOT_SENT,
              i < 2 ? "not a date" : "before the start");
    }
    assert_int_equal(count_of(IA_NATIVE_CALENDAR_READ,
                              "{\"from\":\"2025-01-01\",\"to\":\"2025-12-31\"}", "events"),
                     0);
}

/* ---- reminders --------------------------------------------------------------------------- */

static void reminders_are_kept_in_lists(void **state)
{
    (void)state;
    char args[256];
    json_decref(answer_of(IA_NATIVE_REMINDER_ADD_LIST, "{\"name\":\"Shopping\"}"));
    fails(IA_NATIVE_REMINDER_ADD_LIST, "{\"name\":\"Shopping\"}", IA_WIRE_E_EXISTS,
          IA_WIRE_NOT_SENT, "Shopping");
    assert_int_equal(count_of(IA_NATIVE_REMINDER_LISTS, "{}", "lists"), 2);
    json_t *a = answer_of(IA_NATIVE_REMINDER_CREATE,
                          "{\"title\":\"Milk\",\"list\":\"Shopping\",\"due\":\"2025-05-06\"}");
    assert_string_equal(text_at(a, "reminder", 0, "due"), "2025-05-06");
    assert_string_equal(text_at(a, "reminder", 0, "list"), "Shopping");
    (void)snprintf(args, sizeof(args), "{\"id\":\"%s\",\"completed\":true}",
                   text_at(a, "reminder", 0, "id"));
    json_decref(a);
    json_decref(answer_of(IA_NATIVE_REMINDER_CREATE, "{\"title\":\"Call\"}"));
    assert_int_equal(count_of(IA_NATIVE_REMINDER_READ, "{}", "reminders"), 2);
    assert_int_equal(count_of(IA_NATIVE_REMINDER_READ, "{\"list\":\"Shopping\"}", "reminders"),
                     1);
    json_decref(answer_of(IA_NATIVE_REMINDER_UPDATE, args));
    assert_int_equal(count_of(IA_NATIVE_REMINDER_READ, "{\"completed\":false}", "reminders"),
                     1);
    assert_int_equal(count_of(IA_NATIVE_REMINDER_READ, "{\"query\":\"mil\"}", "reminders"), 1);
    fails(IA_NATIVE_REMINDER_READ, "{\"list\":\"None\"}", IA_WIRE_E_NOT_FOUND, IA_WIRE_NONE,
          "None");
    fails(IA_NATIVE_REMINDER_UPDATE, "{\"id\":\"none\"}", IA_WIRE_E_NOT_FOUND, IA_WIRE_NOT_SENT,
          "no reminder");
}

static void a_fetch_that_answers_too_late_ends_with_its_deadline(void **state)
{
    (void)state;
    struct ia_wire_request req = request(IA_NATIVE_REMINDER_READ, "{}");
    start_with("STUB_LATER", "end");
    req.deadline_ms = 600;
    refused(&to, &req, IA_WIRE_E_TIMEOUT, IA_WIRE_NONE);
    /* The bridge goes on. */
    assert_int_equal(count_of(IA_NATIVE_REMINDER_LISTS, "{}", "lists"), 1);
    assert_int_equal(stop(state), 0);
}

/* ---- contacts and photos ----------------------------------------------------------------- */

static void contacts_are_found_by_name_number_and_address(void **state)
{
    (void)state;
    json_decref(answer_of(IA_NATIVE_CONTACT_CREATE,
                          "{\"first\":\"Ada\",\"last\":\"Lovelace\",\"phone\":\"+44 20\","
                          "\"email\":\"ada@example.org\"}"));
    json_decref(answer_of(IA_NATIVE_CONTACT_CREATE, "{\"last\":\"Babbage\"}"));
    static const char *const queries[] = {"{\"query\":\"lovel\"}", "{\"query\":\"+44 20\"}",
                                          "{\"query\":\"ada@example.org\"}"};
    for (size_t i = 0; i < 3; i++) {
        json_t *a = answer_of(IA_NATIVE_CONTACT_SEARCH, queries[i]);
        assert_int_equal(json_array_size(json_object_get(a, "contacts")), 1);
        assert_string_equal(text_at(a, "contacts", 0, "first"), "Ada");
        assert_string_equal(text_at(a, "contacts", 0, "phone"), "+44 20");
        json_decref(a);
    }
    assert_int_equal(count_of(IA_NATIVE_CONTACT_SEARCH, "{\"query\":\"a\"}", "contacts"), 2);
    fails(IA_NATIVE_CONTACT_CREATE, "{}", IA_WIRE_E_USAGE, IA_WIRE_NOT_SENT, "needs a name");
}

static void photos_are_the_newest_first_and_no_more_than_fit(void **state)
{
    (void)state;
    json_t *a = answer_of(IA_NATIVE_PHOTO_SEARCH, "{}");
    assert_int_equal(json_array_size(json_object_get(a, "photos")), IA_NATIVE_ITEMS_MAX);
    assert_int_equal(json_integer_value(json_object_get(a, "more")), 10);
    assert_string_equal(text_at(a, "photos", 0, "name"), "IMG_P59.HEIC");
    json_decref(a);
    assert_int_equal(count_of(IA_NATIVE_PHOTO_SEARCH, "{\"kind\":\"video\"}", "photos"), 6);
    assert_int_equal(count_of(IA_NATIVE_PHOTO_SEARCH,
                              "{\"from\":\"2025-01-02\",\"to\":\"2025-01-04\"}", "photos"),
                     3);
    assert_int_equal(
        count_of(IA_NATIVE_PHOTO_SEARCH, "{\"album\":\"Videos\",\"kind\":\"photo\"}", "photos"),
        0);
    assert_int_equal(count_of(IA_NATIVE_PHOTO_ALBUMS, "{}", "albums"), 2);
    fails(IA_NATIVE_PHOTO_SEARCH, "{\"kind\":\"song\"}", IA_WIRE_E_USAGE, IA_WIRE_NONE,
          "photo or video");
    fails(IA_NATIVE_PHOTO_SEARCH, "{\"album\":\"None\"}", IA_WIRE_E_NOT_FOUND, IA_WIRE_NONE,
          "None");
}

/* ---- places ------------------------------------------------------------------------------ */

static double number_at(const json_t *answer, const char *list, size_t i, const char *key)
{
    return json_number_value(
        json_object_get(json_array_get(json_object_get(answer, list), i), key));
}

static void places_have_coordinates_and_the_nearest_is_first(void **state)
{
    (void)state;
    json_t *a = answer_of(IA_NATIVE_LOCATION_HERE, "{}");
    assert_true(json_number_value(json_object_get(a, "latitude")) == 52.5);
    json_decref(a);
    a = answer_of(IA_NATIVE_LOCATION_GEOCODE, "{\"query\":\"1 Main Street\"}");
    assert_string_equal(text_at(a, "places", 0, "address"), "1 Main Street, Springfield");
    assert_true(number_at(a, "places", 0, "longitude") == 2);
    json_decref(a);
    a = answer_of(IA_NATIVE_LOCATION_REVERSE, "{\"latitude\":3.5,\"longitude\":-4}");
    assert_true(number_at(a, "places", 0, "latitude") == 3.5);
    assert_true(number_at(a, "places", 0, "longitude") == -4);
    json_decref(a);
    a = answer_of(IA_NATIVE_LOCATION_SEARCH,
                  "{\"query\":\"cafe\",\"latitude\":0,\"longitude\":0}");
    assert_string_equal(text_at(a, "places", 0, "name"), "cafe near");
    assert_true(number_at(a, "places", 0, "metres") == 200000);
    assert_string_equal(text_at(a, "places", 1, "name"), "cafe far");
    json_decref(a);
    a = answer_of(IA_NATIVE_LOCATION_SEARCH, "{\"query\":\"cafe\"}");
    assert_string_equal(text_at(a, "places", 0, "name"), "cafe far");
    json_decref(a);
    fails(IA_NATIVE_LOCATION_GEOCODE, "{\"query\":\"nowhere\"}", IA_WIRE_E_DEVICE, IA_WIRE_NONE,
          "the store is full");
}

/* ---- what does not work ------------------------------------------------------------------ */

static void a_service_that_is_not_granted_is_forbidden(void **state)
{
    (void)state;
    static const struct {
        enum ia_native action;
        const char *args, *words;
        bool limited; /* status 4 is enough */
    } cases[] = {
        {IA_NATIVE_CALENDAR_READ, "{}", "grant calendar", false},
        {IA_NATIVE_REMINDER_CREATE, "{\"title\":\"a\"}", "grant reminders", false},
        {IA_NATIVE_CONTACT_SEARCH, "{\"query\":\"a\"}", "grant contacts", true},
        {IA_NATIVE_PHOTO_ALBUMS, "{}", "grant photos", true},
        {IA_NATIVE_LOCATION_HERE, "{}", "grant location", true},
    };
    for (int status = 0; status < 5; status++) {
        char privacy[128];
        (void)snprintf(privacy, sizeof(privacy),
                       "calendar=%d,reminders=%d,contacts=%d,photos=%d,location=%d", status,
                       status, status, status, status);
        start_with("STUB_PRIVACY", privacy);
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
            enum ia_native action = cases[i].action;
            bool effect = ia_native_actions[action].effect;
            if (status == 3 || (status == 4 && cases[i].limited)) {
                json_decref(answer_of(action, cases[i].args));
            } else {
                fails(action, cases[i].args, IA_WIRE_E_FORBIDDEN,
                      effect ? IA_WIRE_NOT_SENT : IA_WIRE_NONE, cases[i].words);
            }
        }
        assert_int_equal(stop(state), 0);
    }
}

static void what_a_runner_cannot_do_is_unsupported_with_the_reason(void **state)
{
    (void)state;
    static const struct {
        enum ia_native action;
        const char *args, *words;
    } cases[] = {
        {IA_NATIVE_HEALTH_QUERY, "{\"type\":\"steps\"}", "HealthKit"},
        {IA_NATIVE_HOME_DEVICES, "{}", "HomeKit"},
        {IA_NATIVE_MUSIC_PLAY, "{}", "Music"},
        {IA_NATIVE_SHORTCUTS_LIST, "{}", "no API"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bool effect = ia_native_actions[cases[i].action].effect;
        fails(cases[i].action, cases[i].args, IA_WIRE_E_UNSUPPORTED,
              effect ? IA_WIRE_NOT_SENT : IA_WIRE_NONE, cases[i].words);
    }
    json_t *a = answer_of(IA_NATIVE_DEVICE_SERVICES, "{}");
    const json_t *services = json_object_get(a, "services");
    assert_int_equal(json_array_size(services), 9);
    for (size_t i = 0; i < json_array_size(services); i++) {
        const json_t *row = json_array_get(services, i);
        bool can = json_is_true(json_object_get(row, "can"));
        assert_int_equal(can, i < 5);
        assert_int_equal(json_object_get(row, "why") == NULL, can);
    }
    json_decref(a);
}

static void a_refused_save_says_apples_reason(void **state)
{
    (void)state;
    start_with("STUB_REFUSE", "save");
    fails(IA_NATIVE_CONTACT_CREATE, "{\"first\":\"A\"}", IA_WIRE_E_DEVICE, IA_WIRE_UNKNOWN,
          "the store is full");
    assert_int_equal(count_of(IA_NATIVE_CONTACT_SEARCH, "{\"query\":\"A\"}", "contacts"), 0);
    assert_int_equal(stop(state), 0);
}

/* Arguments that a host should have refused. */
static void arguments_that_are_no_object_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"", "[]", "7", "{", "{\"title\":", "null"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct ia_wire_request req = request(IA_NATIVE_CONTACT_CREATE, bad[i]);
        struct ia_wire_reply reply;
        link_call(&to, &req, &reply);
        assert_true(reply.code == IA_WIRE_E_USAGE || reply.code == IA_WIRE_E_PROTO);
        assert_int_equal(reply.outcome, IA_WIRE_NOT_SENT);
        ia_wire_reply_fini(&reply);
    }
    /* Values of another type count as not given, or are refused; nothing crashes. */
    fails(IA_NATIVE_CALENDAR_DELETE, "{\"id\":7}", IA_WIRE_E_NOT_FOUND, IA_WIRE_NOT_SENT,
          "no event");
    fails(IA_NATIVE_REMINDER_UPDATE, "{\"id\":null}", IA_WIRE_E_NOT_FOUND, IA_WIRE_NOT_SENT,
          "no reminder");
}

static void an_exception_after_the_save_leaves_the_outcome_unknown(void **state)
{
    (void)state;
    struct ia_wire_request req =
        request(IA_NATIVE_REMINDER_CREATE, "{\"title\":\"once\",\"notes\":\"faulty\"}");
    launch_fake(&to, "FAKE_THROW_LATE", "save", NULL);
    refused(&to, &req, IA_WIRE_E_DEVICE, IA_WIRE_UNKNOWN);
    launch_fake(&to, NULL);
    assert_int_equal(count_of(IA_NATIVE_REMINDER_READ, "{\"query\":\"once\"}", "reminders"), 1);
    launch_fake(&to, "FAKE_THROW", "save", NULL);
    refused(&to, &req, IA_WIRE_E_DEVICE, IA_WIRE_UNKNOWN);
    launch_fake(&to, NULL);
    assert_int_equal(count_of(IA_NATIVE_REMINDER_READ, "{\"query\":\"once\"}", "reminders"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_event_is_created_read_changed_and_deleted, start,
                                        stop),
        cmocka_unit_test_setup_teardown(a_day_without_an_end_is_a_whole_day, start, stop),
        cmocka_unit_test_setup_teardown(
            impossible_dates_and_orders_are_refused_before_anything_is_saved, start, stop),
        cmocka_unit_test_setup_teardown(reminders_are_kept_in_lists, start, stop),
        cmocka_unit_test(a_fetch_that_answers_too_late_ends_with_its_deadline),
        cmocka_unit_test_setup_teardown(contacts_are_found_by_name_number_and_address, start,
                                        stop),
        cmocka_unit_test_setup_teardown(photos_are_the_newest_first_and_no_more_than_fit, start,
                                        stop),
        cmocka_unit_test_setup_teardown(places_have_coordinates_and_the_nearest_is_first, start,
                                        stop),
        cmocka_unit_test(a_service_that_is_not_granted_is_forbidden),
        cmocka_unit_test_setup_teardown(what_a_runner_cannot_do_is_unsupported_with_the_reason,
                                        start, stop),
        cmocka_unit_test(a_refused_save_says_apples_reason),
        cmocka_unit_test_setup_teardown(arguments_that_are_no_object_are_refused, start, stop),
        cmocka_unit_test_setup_teardown(an_exception_after_the_save_leaves_the_outcome_unknown,
                                        start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
