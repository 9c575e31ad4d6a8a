/* Native actions on the phone: what they answer, what the apps then show, what the phone asks its owner
 * first, and that each change is one operation of the log. */
#include "phone_fixture.h"

#include "driver/native.h"

#include <jansson.h>

#define CALENDAR "com.apple.mobilecal"
#define HOME_APP "com.apple.Home"
#define MUSIC "com.apple.Music"

/* The answer, or the error in *ret_err; free it. */
static json_t *try_native(struct ia_device *d, enum ia_native action, const char *args,
                          struct ia_err *ret_err)
{
    struct ia_buf answer = IA_BUF(IA_NATIVE_ANSWER_MAX);
    *ret_err = (struct ia_err){.code = IA_OK};
    enum ia_rc rc = ia_device_native(d, &no_limit, action, ia_str(args), &answer, ret_err);
    json_t *o = rc == IA_OK ? json_loads(ia_buf_cstr(&answer), 0, NULL) : NULL;
    assert_true(rc == IA_OK ? json_is_object(o) : answer.len == 0);
    assert_int_equal(rc, ret_err->code);
    ia_buf_fini(&answer);
    return o;
}

static json_t *native(struct ia_device *d, enum ia_native action, const char *args)
{
    struct ia_err err;
    json_t *o = try_native(d, action, args, &err);
    if (!o) {
        fail_msg("%s %s: %s", ia_native_actions[action].name, args, err.msg);
    }
    return o;
}

static void permit(struct ia_device *d, enum ia_privacy set, const char *service)
{
    assert_int_equal(ia_device_privacy(d, &no_limit, set, service, IA_NATIVE_APP, NULL), IA_OK);
}

static struct ia_device *permitted_phone(void)
{
    static const char *const by_prompt[] = {"{\"type\":\"steps\"}", "{}"};
    static const enum ia_native asks[] = {IA_NATIVE_HEALTH_QUERY, IA_NATIVE_HOME_DEVICES};
    struct ia_device *d = phone_new();
    permit(d, IA_PRIVACY_GRANT, "calendar");
    permit(d, IA_PRIVACY_GRANT, "reminders");
    permit(d, IA_PRIVACY_GRANT, "contacts");
    permit(d, IA_PRIVACY_GRANT, "photos");
    permit(d, IA_PRIVACY_GRANT, "media-library");
    permit(d, IA_PRIVACY_GRANT, "location");
    for (size_t i = 0; i < IA_COUNTOF(asks); i++) {
        struct ia_err err;
        assert_null(try_native(d, asks[i], by_prompt[i], &err));
        tap(d, "Allow");
    }
    return d;
}

/* The text under a path of members and numbers: "events.0.title"; static. */
static const char *at(const json_t *o, const char *path)
{
    static char out[256];
    char copy[128], *rest = NULL;
    (void)snprintf(copy, sizeof(copy), "%s", path);
    for (char *part = strtok_r(copy, ".", &rest); part; part = strtok_r(NULL, ".", &rest)) {
        o = json_is_array(o) ? json_array_get(o, (size_t)atoi(part)) : json_object_get(o, part);
    }
    if (json_is_string(o)) {
        return json_string_value(o);
    }
    char *text =
        o ? json_dumps(o, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(10)) : NULL;
    (void)snprintf(out, sizeof(out), "%s", text ? text : "(none)");
    free(text);
    return out;
}

/* ---- every action ------------------------------------------------------------------------ */

/* In order, on one phone. */
static const struct {
    enum ia_native action;
    const char *args, *path, *is;
} walk[] = {
    {IA_NATIVE_DEVICE_SERVICES, "{}", "services.0.service", "calendar"},
    {IA_NATIVE_DEVICE_SERVICES, "{}", "services.8.service", "shortcuts"},
    {IA_NATIVE_CALENDAR_READ, "{}", "events.0.title", "Stand-up"},
    {IA_NATIVE_CALENDAR_READ, "{\"from\":\"2025-09-08\",\"to\":\"2025-09-08\"}",
     "events.0.title", "Yoga"},
    {IA_NATIVE_CALENDAR_READ, "{\"from\":\"2025-09-08\",\"to\":\"2025-09-08\"}", "events.1",
     "(none)"},
    {IA_NATIVE_CALENDAR_READ, "{\"query\":\"oslo\"}", "events.0.title", "Budget review"},
    {IA_NATIVE_CALENDAR_CREATE, "{\"title\":\"Review\",\"start\":\"2025-09-09T14:00\"}",
     "event.end", "2025-09-09T15:00"},
    {IA_NATIVE_CALENDAR_CREATE,
     "{\"title\":\"Trip\",\"start\":\"2025-09-20\",\"end\":"
     "\"2025-09-22\",\"location\":\"Rome\"}",
     "event.end", "2025-09-22"},
    {IA_NATIVE_CALENDAR_UPDATE,
     "{\"id\":\"8\",\"title\":\"Code review\",\"start\":"
     "\"2025-09-10T09:30\"}",
     "event.end", "2025-09-10T10:30"},
    {IA_NATIVE_CALENDAR_UPDATE, "{\"id\":\"8\",\"start\":\"2025-09-11\"}", "event.all_day",
     "true"},
    {IA_NATIVE_CALENDAR_DELETE, "{\"id\":\"8\"}", "deleted.title", "Code review"},
    {IA_NATIVE_REMINDER_LISTS, "{}", "lists.1", "Groceries"},
    {IA_NATIVE_REMINDER_READ, "{\"list\":\"groceries\",\"completed\":true}",
     "reminders.0.title", "Coffee beans"},
    {IA_NATIVE_REMINDER_ADD_LIST, "{\"name\":\"Trip\"}", "list", "Trip"},
    {IA_NATIVE_REMINDER_CREATE,
     "{\"title\":\"Pack\",\"list\":\"Trip\",\"due\":\"2025-09-19\",\"notes\":\"Light\"}",
     "reminder.due", "2025-09-19"},
    {IA_NATIVE_REMINDER_READ, "{\"query\":\"light\"}", "reminders.0.list", "Trip"},
    {IA_NATIVE_REMINDER_UPDATE, "{\"id\":\"1\",\"completed\":true}", "(none)", NULL},
    {IA_NATIVE_CONTACT_SEARCH, "{\"query\":\"nora a\"}", "contacts.0.phone", "555-0111"},
    {IA_NATIVE_CONTACT_SEARCH, "{\"query\":\"555-0137\"}", "contacts.0.first", "Emma"},
    {IA_NATIVE_CONTACT_SEARCH, "{\"query\":\"nobody\"}", "contacts", "[]"},
    {IA_NATIVE_CONTACT_CREATE, "{\"first\":\"Wes\",\"phone\":\"555-0199\"}", "contact.id",
     "31"},
    {IA_NATIVE_PHOTO_ALBUMS, "{}", "albums.0.album", "Favorites"},
    {IA_NATIVE_PHOTO_SEARCH, "{\"album\":\"lisbon\",\"kind\":\"video\"}", "photos.0.name",
     "IMG_0107.MOV"},
    {IA_NATIVE_PHOTO_SEARCH, "{\"from\":\"2025-09-08\"}", "photos.1.name", "IMG_0111.PNG"},
    {IA_NATIVE_HEALTH_QUERY, "{\"type\":\"steps\"}", "days.6.day", "2025-09-09"},
    {IA_NATIVE_HEALTH_QUERY, "{\"type\":\"sleep\"}", "unit", "hours"},
    {IA_NATIVE_HEALTH_QUERY,
     "{\"type\":\"steps\",\"from\":\"2025-01-01\",\"to\":\"2025-09-01\"}", "more", "194"},
    {IA_NATIVE_HOME_DEVICES, "{}", "devices.4.locked", "true"},
    {IA_NATIVE_HOME_CONTROL, "{\"device\":\"front door\",\"action\":\"unlock\"}",
     "device.locked", "false"},
    {IA_NATIVE_HOME_CONTROL, "{\"device\":\"Thermostat\",\"action\":\"set\",\"value\":19.5}",
     "device.value", "19.5"},
    {IA_NATIVE_HOME_CONTROL, "{\"device\":\"Reading Lamp\",\"action\":\"set\",\"value\":65}",
     "device.on", "true"},
    {IA_NATIVE_MUSIC_SEARCH, "{\"query\":\"ostwind\"}", "songs.1.title", "Relay"},
    {IA_NATIVE_MUSIC_PLAY, "{\"query\":\"low tide\"}", "song.title", "Low Tide"},
    {IA_NATIVE_MUSIC_QUEUE, "{\"query\":\"hana\"}", "queue.0.title", "Winter Garden"},
    {IA_NATIVE_MUSIC_PAUSE, "{}", "playing", "false"},
    {IA_NATIVE_MUSIC_PLAY, "{}", "playing", "true"},
    {IA_NATIVE_MUSIC_STATUS, "{}", "song.artist", "Ines Moreau"},
    {IA_NATIVE_LOCATION_HERE, "{}", "latitude", "37.3349"},
    {IA_NATIVE_LOCATION_GEOCODE, "{\"query\":\"market square\"}", "places.0.name", "City Hall"},
    {IA_NATIVE_LOCATION_REVERSE, "{\"latitude\":37.3318,\"longitude\":-122.0312}",
     "places.0.name", "City Hall"},
    {IA_NATIVE_LOCATION_REVERSE, "{\"latitude\":0,\"longitude\":0}", "places", "[]"},
    {IA_NATIVE_LOCATION_SEARCH, "{\"query\":\"coffee\"}", "places.0.metres", "0"},
    {IA_NATIVE_LOCATION_SEARCH, "{\"query\":\"coffee\",\"latitude\":37.8,\"longitude\":-122.4}",
     "places.0.name", "Harbour Coffee"},
    {IA_NATIVE_SHORTCUTS_LIST, "{}", "shortcuts.0.name", "Shout"},
};

static void every_action_answers_from_the_data_of_the_apps(void **state)
{
    (void)state;
    struct ia_device *d = permitted_phone();
    bool seen[IA_NATIVE_COUNT] = {false};
    for (size_t i = 0; i < IA_COUNTOF(walk); i++) {
        json_t *o;
        seen[walk[i].action] = true;
        if (!walk[i].is) {
            /* The first reminder's id is what reading says. */
            o = native(d, IA_NATIVE_REMINDER_READ, "{\"query\":\"dentist\"}");
            char args[64];
            (void)snprintf(args, sizeof(args), "{\"id\":\"%s\",\"completed\":true}",
                           at(o, "reminders.0.id"));
            json_decref(o);
            o = native(d, walk[i].action, args);
            assert_string_equal(at(o, "reminder.completed"), "true");
            json_decref(o);
            continue;
        }
        o = native(d, walk[i].action, walk[i].args);
        if (strcmp(at(o, walk[i].path), walk[i].is) != 0) {
            fail_msg("%s %s: %s is %s, not %s", ia_native_actions[walk[i].action].name,
                     walk[i].args, walk[i].path, at(o, walk[i].path), walk[i].is);
        }
        json_decref(o);
    }
    for (int i = 0; i < IA_NATIVE_COUNT; i++) {
        if (!seen[i]) {
            fail_msg("%s is not tested", ia_native_actions[i].name);
        }
    }
    ia_device_close(d);
}

/* ---- what is refused --------------------------------------------------------------------- */

static const struct {
    enum ia_native action;
    const char *args;
    enum ia_rc rc;
} refused[] = {
    {IA_NATIVE_CALENDAR_CREATE, "{}", IA_E_USAGE},
    {IA_NATIVE_CALENDAR_CREATE, "{\"title\":\"\",\"start\":\"2025-09-09\"}", IA_E_USAGE},
    {IA_NATIVE_CALENDAR_CREATE, "{\"title\":\"A\",\"start\":\"tomorrow\"}", IA_E_USAGE},
    {IA_NATIVE_CALENDAR_CREATE, "{\"title\":\"A\",\"start\":\"2025-02-30\"}", IA_E_USAGE},
    {IA_NATIVE_CALENDAR_CREATE, "{\"title\":7,\"start\":\"2025-09-09\"}", IA_E_USAGE},
    {IA_NATIVE_CALENDAR_CREATE, "{\"title\":\"A\",\"start\":\"2025-09-09\",\"day\":1}",
     IA_E_USAGE},
    {IA_NATIVE_CALENDAR_CREATE,
     "{\"title\":\"A\",\"start\":\"2025-09-09\",\"end\":\"2025-09-09T10:00\"}", IA_E_USAGE},
    {IA_NATIVE_CALENDAR_CREATE,
     "{\"title\":\"A\",\"start\":\"2025-09-09T10:00\",\"end\":\"2025-09-09T09:00\"}",
     IA_E_USAGE},
    {IA_NATIVE_CALENDAR_CREATE, "{\"title\":\"A\\u0007\",\"start\":\"2025-09-09\"}",
     IA_E_USAGE},
    {IA_NATIVE_CALENDAR_CREATE, "[]", IA_E_USAGE},
    {IA_NATIVE_CALENDAR_CREATE, "not json", IA_E_USAGE},
    {IA_NATIVE_CALENDAR_CREATE, "{\"title\":\"A\",\"title\":\"B\",\"start\":\"2025-09-09\"}",
     IA_E_USAGE},
    {IA_NATIVE_CALENDAR_CREATE, "[[[[[[]]]]]]", IA_E_LIMIT},
    {IA_NATIVE_CALENDAR_READ, "{\"from\":\"2025-09-09\",\"to\":\"2025-09-01\"}", IA_E_USAGE},
    {IA_NATIVE_CALENDAR_UPDATE, "{\"id\":\"99\",\"title\":\"A\"}", IA_E_NOT_FOUND},
    {IA_NATIVE_CALENDAR_UPDATE, "{\"id\":\"1x\",\"title\":\"A\"}", IA_E_NOT_FOUND},
    {IA_NATIVE_CALENDAR_DELETE, "{\"id\":\"99999999999999999999\"}", IA_E_NOT_FOUND},
    {IA_NATIVE_REMINDER_CREATE, "{\"title\":\"A\",\"list\":\"None\"}", IA_E_NOT_FOUND},
    {IA_NATIVE_REMINDER_CREATE, "{\"title\":\"A\",\"due\":\"2025-09-09T10:00\"}", IA_E_USAGE},
    {IA_NATIVE_REMINDER_READ, "{\"list\":\"None\"}", IA_E_NOT_FOUND},
    {IA_NATIVE_REMINDER_UPDATE, "{\"id\":\"99\"}", IA_E_NOT_FOUND},
    {IA_NATIVE_REMINDER_ADD_LIST, "{\"name\":\"work\"}", IA_E_EXISTS},
    {IA_NATIVE_CONTACT_CREATE, "{}", IA_E_USAGE},
    {IA_NATIVE_PHOTO_SEARCH, "{\"kind\":\"film\"}", IA_E_USAGE},
    {IA_NATIVE_HEALTH_QUERY, "{\"type\":\"luck\"}", IA_E_NOT_FOUND},
    {IA_NATIVE_HOME_CONTROL, "{\"device\":\"Gate\",\"action\":\"on\"}", IA_E_NOT_FOUND},
    {IA_NATIVE_HOME_CONTROL, "{\"device\":\"Front Door\",\"action\":\"on\"}", IA_E_USAGE},
    {IA_NATIVE_HOME_CONTROL, "{\"device\":\"Thermostat\",\"action\":\"set\",\"value\":90}",
     IA_E_USAGE},
    {IA_NATIVE_HOME_CONTROL, "{\"device\":\"Thermostat\",\"action\":\"set\"}", IA_E_USAGE},
    {IA_NATIVE_MUSIC_PLAY, "{}", IA_E_STATE},
    {IA_NATIVE_MUSIC_QUEUE, "{\"query\":\"polka\"}", IA_E_NOT_FOUND},
    {IA_NATIVE_LOCATION_REVERSE, "{\"latitude\":91,\"longitude\":0}", IA_E_USAGE},
    {IA_NATIVE_LOCATION_SEARCH, "{\"query\":\"a\",\"latitude\":1}", IA_E_USAGE},
};

static void what_an_action_cannot_do_is_refused_and_changes_nothing(void **state)
{
    (void)state;
    struct ia_device *d = permitted_phone();
    char *before = state_of(d);
    for (size_t i = 0; i < IA_COUNTOF(refused); i++) {
        struct ia_err err;
        assert_null(try_native(d, refused[i].action, refused[i].args, &err));
        if (err.code != refused[i].rc) {
            fail_msg("%s %s: %s (%s)", ia_native_actions[refused[i].action].name,
                     refused[i].args, ia_rc_name(err.code), err.msg);
        }
        assert_int_equal(err.outcome, IA_OUTCOME_NOT_SENT);
        assert_true(err.msg[0]);
    }
    char *after = state_of(d);
    assert_string_equal(before, after);
    free(before);
    free(after);
    ia_device_close(d);
}

static void what_is_full_takes_no_more(void **state)
{
    (void)state;
    static const struct {
        enum ia_native action;
        const char *args; /* %d: a number, so that each is another */
    } rows[] = {
        {IA_NATIVE_CALENDAR_CREATE, "{\"title\":\"%d\",\"start\":\"2025-09-09\"}"},
        {IA_NATIVE_REMINDER_CREATE, "{\"title\":\"%d\"}"},
        {IA_NATIVE_REMINDER_ADD_LIST, "{\"name\":\"%d\"}"},
        {IA_NATIVE_CONTACT_CREATE, "{\"first\":\"%d\"}"},
        {IA_NATIVE_MUSIC_QUEUE, "{\"query\":\"Relay\"}"},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_device *d = permitted_phone();
        struct ia_err err = {.code = IA_OK};
        for (int n = 0; n < 600 && err.code == IA_OK; n++) {
            struct ia_buf args = IA_BUF(200);
            const char *mark = strstr(rows[i].args, "%d");
            ia_buf_put(&args, rows[i].args,
                       mark ? (size_t)(mark - rows[i].args) : strlen(rows[i].args));
            if (mark) {
                ia_buf_printf(&args, "%d%s", n, mark + 2);
            }
            json_decref(try_native(d, rows[i].action, ia_buf_cstr(&args), &err));
            ia_buf_fini(&args);
        }
        assert_int_equal(err.code, IA_E_LIMIT);
        ia_device_close(d);
    }
}

/* ---- permission -------------------------------------------------------------------------- */

static void the_phone_asks_its_owner_once_and_goes_by_the_answer(void **state)
{
    (void)state;
    static const struct {
        enum ia_native action;
        const char *args, *prompt, *allow;
    } rows[] = {
        {IA_NATIVE_CALENDAR_READ, "{}", "Would Like Full Access to Your Calendar",
         "Full Access"},
        {IA_NATIVE_REMINDER_CREATE, "{\"title\":\"A\"}",
         "Would Like Full Access to Your Reminders", "Full Access"},
        {IA_NATIVE_CONTACT_SEARCH, "{\"query\":\"a\"}", "Would Like to Access Your Contacts",
         "Allow Full Access"},
        {IA_NATIVE_PHOTO_ALBUMS, "{}", "Would Like to Access Your Photo Library",
         "Allow Full Access"},
        {IA_NATIVE_HOME_DEVICES, "{}", "Would Like to Access Your Home Data", "Allow"},
        {IA_NATIVE_MUSIC_STATUS, "{}",
         "Would Like to Access Apple Music and Your Media Library", "Allow"},
        {IA_NATIVE_LOCATION_HERE, "{}", "Would Like to Use Your Location",
         "Allow While Using App"},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows) * 2; i++) {
        struct ia_device *d = phone_new();
        bool deny = i % 2;
        size_t r = i / 2;
        char title[128];
        struct ia_err err;
        (void)snprintf(title, sizeof(title), "\xE2\x80\x9Cios-agent\xE2\x80\x9D %s",
                       rows[r].prompt);
        assert_null(try_native(d, rows[r].action, rows[r].args, &err));
        assert_int_equal(err.code, IA_E_FORBIDDEN);
        assert_int_equal(err.outcome, IA_OUTCOME_NOT_SENT);
        assert_true(err.retry_safe);
        assert_true(shows_type(d, IA_EL_ALERT, title));
        assert_true(state_has(d, "\"seq\":1")); /* the question alone */
        /* Asked again while the question stands: it is still there, once. */
        assert_null(try_native(d, rows[r].action, rows[r].args, &err));
        assert_int_equal(err.code, IA_E_FORBIDDEN);
        assert_true(state_has(d, "\"seq\":1"));
        tap(d, deny ? "Don\xE2\x80\x99t Allow" : rows[r].allow);
        json_t *o = try_native(d, rows[r].action, rows[r].args, &err);
        assert_int_equal(err.code, deny ? IA_E_FORBIDDEN : IA_OK);
        assert_true(!deny || !err.retry_safe);
        assert_false(shows_type(d, IA_EL_ALERT, title));
        json_decref(o);
        ia_device_close(d);
    }
}

static void health_that_may_not_be_read_looks_like_none(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    struct ia_err err;
    assert_null(try_native(d, IA_NATIVE_HEALTH_QUERY, "{\"type\":\"steps\"}", &err));
    tap(d, "Don\xE2\x80\x99t Allow");
    json_t *o = native(d, IA_NATIVE_HEALTH_QUERY, "{\"type\":\"steps\"}");
    assert_string_equal(at(o, "days"), "[]");
    assert_string_equal(at(o, "limited"), "(none)");
    assert_non_null(strstr(at(o, "note"), "not permitted"));
    json_decref(o);
    ia_device_close(d);
}

static void a_limited_access_shows_what_was_picked_and_says_so(void **state)
{
    (void)state;
    struct ia_device *d = phone_new();
    struct ia_err err;
    permit(d, IA_PRIVACY_GRANT, "contacts-limited");
    json_t *o = native(d, IA_NATIVE_CONTACT_SEARCH, "{\"query\":\"5\"}");
    assert_int_equal(json_array_size(json_object_get(o, "contacts")), 3);
    assert_string_equal(at(o, "limited"), "true");
    json_decref(o);
    assert_null(try_native(d, IA_NATIVE_PHOTO_SEARCH, "{}", &err));
    tap(d, "Limit Access");
    o = native(d, IA_NATIVE_PHOTO_SEARCH, "{}");
    assert_int_equal(json_array_size(json_object_get(o, "photos")), 2);
    assert_string_equal(at(o, "limited"), "true");
    json_decref(o);
    assert_true(state_has(d, "\"service\":\"photos-limited\",\"granted\":true"));
    permit(d, IA_PRIVACY_GRANT, "photos");
    o = native(d, IA_NATIVE_PHOTO_SEARCH, "{}");
    assert_string_equal(at(o, "limited"), "(none)");
    json_decref(o);
    permit(d, IA_PRIVACY_RESET, "all");
    assert_null(try_native(d, IA_NATIVE_PHOTO_SEARCH, "{}", &err));
    assert_int_equal(err.code, IA_E_FORBIDDEN);
    ia_device_close(d);
}

/* ---- the apps show it, the log has it ---------------------------------------------------- */

static void what_an_action_changed_is_what_the_apps_show(void **state)
{
    (void)state;
    struct ia_device *d = permitted_phone();
    json_decref(native(d, IA_NATIVE_CALENDAR_CREATE,
                       "{\"title\":\"Review\",\"start\":\"2025-09-09T14:00\"}"));
    json_decref(
        native(d, IA_NATIVE_REMINDER_CREATE, "{\"title\":\"Pack\",\"list\":\"Holiday\"}"));
    json_decref(native(d, IA_NATIVE_CONTACT_CREATE, "{\"first\":\"Wes\",\"last\":\"Aaron\"}"));
    json_decref(
        native(d, IA_NATIVE_HOME_CONTROL, "{\"device\":\"Front Door\",\"action\":\"unlock\"}"));
    json_decref(native(d, IA_NATIVE_MUSIC_PLAY, "{\"query\":\"Relay\"}"));
    launch(d, CALENDAR);
    assert_value(d, "Review", "2:00 PM - 3:00 PM");
    launch(d, REMINDERS);
    tap(d, "Holiday");
    assert_true(shows(d, "Pack"));
    launch(d, CONTACTS);
    assert_true(shows(d, "Wes Aaron"));
    launch(d, HOME_APP);
    assert_value(d, "Front Door", "Unlocked");
    launch(d, MUSIC);
    assert_value(d, "play-pause", "Relay");
    assert_true(state_has(d, "\"title\":\"Review\",\"start\":\"2025-09-09T14:00\""));
    ia_device_close(d);
}

static void each_change_is_one_operation_that_replays(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_device *d = phone_open(folder, "n");
    permit(d, IA_PRIVACY_GRANT, "calendar");
    json_decref(native(d, IA_NATIVE_CALENDAR_READ, "{}"));
    json_decref(native(d, IA_NATIVE_CALENDAR_CREATE,
                       "{\"title\":\"A \\\"b\\\"\",\"start\":\"2025-09-09T14:00\"}"));
    struct ia_err err;
    assert_null(try_native(d, IA_NATIVE_REMINDER_LISTS, "{}", &err));
    tap(d, "Full Access");
    json_decref(native(d, IA_NATIVE_REMINDER_LISTS, "{}"));
    assert_true(state_has(d, "\"seq\":4")); /* grant, create, the question, the answer */
    char *before = state_of(d);
    ia_device_close(d);
    d = phone_open(folder, "n");
    char *after = state_of(d);
    assert_string_equal(before, after);
    ia_device_close(d);
    free(before);
    free(after);
    folder_remove(folder);
}

static void what_is_cancelled_late_or_lost_happens_at_most_once(void **state)
{
    (void)state;
    struct ia_embedded_options opt = {.name = "n", .query = "faults=unanswered@2"};
    struct ia_buf answer = IA_BUF(IA_NATIVE_ANSWER_MAX);
    struct ia_deadline late = {.at_us = 1};
    struct ia_str args = ia_str("{\"title\":\"Once\",\"start\":\"2025-09-09\"}");
    struct ia_device *d = NULL;
    struct ia_err err = {0};
    assert_int_equal(ia_embedded_open(&opt, &d, NULL), IA_OK);
    permit(d, IA_PRIVACY_GRANT, "calendar");
    assert_int_equal(
        ia_device_native(d, &late, IA_NATIVE_CALENDAR_READ, ia_str("{}"), &answer, &err),
        IA_E_TIMEOUT);
    assert_int_equal(err.outcome, IA_OUTCOME_NOT_SENT);
    err = (struct ia_err){0};
    assert_int_equal(
        ia_device_native(d, &no_limit, IA_NATIVE_CALENDAR_CREATE, args, &answer, &err),
        IA_E_DEVICE_LOST);
    assert_int_equal(err.outcome, IA_OUTCOME_UNKNOWN);
    assert_false(err.retry_safe);
    assert_int_equal(answer.len, 0);
    char *now = state_of(d);
    const char *first = strstr(now, "\"Once\"");
    assert_non_null(first);
    assert_null(strstr(first + 1, "\"Once\""));
    free(now);
    ia_buf_fini(&answer);
    ia_device_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_action_answers_from_the_data_of_the_apps),
        cmocka_unit_test(what_an_action_cannot_do_is_refused_and_changes_nothing),
        cmocka_unit_test(what_is_full_takes_no_more),
        cmocka_unit_test(the_phone_asks_its_owner_once_and_goes_by_the_answer),
        cmocka_unit_test(health_that_may_not_be_read_looks_like_none),
        cmocka_unit_test(a_limited_access_shows_what_was_picked_and_says_so),
        cmocka_unit_test(what_an_action_changed_is_what_the_apps_show),
        cmocka_unit_test(each_change_is_one_operation_that_replays),
        cmocka_unit_test(what_is_cancelled_late_or_lost_happens_at_most_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
