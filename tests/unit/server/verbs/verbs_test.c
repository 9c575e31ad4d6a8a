/* What every verb that acts or shows does on a real phone, and how it refuses: a command line a row,
 * tried in order. */
#include "phone.h"

#define SCRIPT(state, ...)                                                                     \
    do {                                                                                       \
        const struct row rows[] = {__VA_ARGS__};                                               \
        phone_script(*(state), rows, IA_COUNTOF(rows));                                        \
    } while (0)

static void a_screen_is_shown_as_text_rows_and_json(void **state)
{
    SCRIPT(state,
           {{"snapshot"},
            .code = IA_OK,
            "com.apple.springboard 393x852 #",
            "\"elements\":[{\"ref\":\"@e1\""},
           {{"snapshot"},
            .code = IA_OK,
            "icon Settings",
            "\"actions_available\":[{\"name\":\"tap\""},
           {{"snapshot", "--rows"}, .code = IA_OK, "|tap|icon|Settings|", "\"rows\":[[\"@e1\""},
           {{"snapshot", "--text"},
            .code = IA_OK,
            "icon Shop",
            "\"type\":\"XCUIElementTypeIcon\""},
           {{"snapshot", "--status"}, .code = IA_OK, "status \"9:41\""},
           {{"snapshot", "--next"}, .code = IA_OK, "next: tap "},
           {{"snapshot", "--max-bytes", "100"}, .code = IA_OK, "left out"},
           {{"snapshot", "--max-bytes", "99"},
            .code = IA_E_USAGE,
            .msg = "--max-bytes needs a whole number from 100"},
           {{"snapshot", "--rows", "--text"},
            .code = IA_E_USAGE,
            .msg = "--text and --rows cannot be used together"},
           {{"snapshot", "--rows", "--max-bytes", "500"},
            .code = IA_E_USAGE,
            .msg = "cannot be used together"},
           {{"snapshot", "--screenshot"}, .code = IA_OK, NULL, "data:image/png;base64,"},
           {{"screenshot"},
            .code = IA_OK,
            "screenshot.png: 1179 x 2556 pixels\n",
            "\"width\":1179,\"height\":2556"},
           {{"screenshot", "--points"}, .code = IA_OK, "393 x 852 pixels", "\"width\":393"},
           {{"screenshot", "a.png", "--annotate"}, .code = IA_OK, "a.png: "},
           {{"snapshot", "--colour"}, .code = IA_E_USAGE, .msg = "unknown option --colour"}, );
}

static void a_ref_is_written_in_every_way(void **state)
{
    SCRIPT(state, {{"snapshot"}, .code = IA_OK},
           {{"tap", "%icon Settings"}, .code = IA_OK, "Settings\n"},
           {{"tap", "@e%row Wi-Fi"}, .code = IA_OK, "tapped ", "\"element\":\""},
           {{"back"}, .code = IA_OK},
           {{"tap", "e%row Bluetooth"}, .code = IA_OK, "switch:on Bluetooth"},
           {{"back"}, .code = IA_OK},
           {{"tap", "--ref", "%row Battery"}, .code = IA_OK, "row Battery Level"},
           {{"back"}, .code = IA_OK},
           {{"tap", "--ref", "@e%row Cellular"}, .code = IA_OK, "Cellular"},
           {{"back"}, .code = IA_OK}, {{"tap", "@%row General"}, .code = IA_OK, "row About"}, );
}

static void an_element_is_named_by_what_it_says(void **state)
{
    SCRIPT(state, {{"tap", "\"Settings\""}, .code = IA_OK, "com.apple.Preferences"},
           {{"tap", "Wi-Fi"}, .code = IA_OK, "tapped ", "\"changed\":true"},
           {{"tap", "Wi-Fi"},
            .code = IA_E_AMBIGUOUS,
            .msg = "2 elements match Wi-Fi",
            .hint = "switch:on Wi-Fi"},
           {{"tap", "switch \"Wi-Fi\""}, .code = IA_OK, "switch:off Wi-Fi"},
           {{"back"}, .code = IA_OK, "went back"},
           {{"tap", "  row   \"General\" "}, .code = IA_OK, "row About"},
           {{"back"}, .code = IA_OK}, {{"open", "Contacts"}, .code = IA_OK, "button Add"},
           {{"tap", "Add"}, .code = IA_OK, "field:focused First name"},
           {{"type", "#last-name", "Lovelace"},
            .code = IA_OK,
            "field:focused Last name = Lovelace"},
           {{"type", "focused", "x"}, .code = IA_OK, "Last name = Lovelacex"},
           {{"clear", "focused"}, .code = IA_OK, "cleared "}, );
}

/* A canvas has nothing beside it to be known by. */
static void an_element_that_is_alone_on_its_screen_keeps_its_ref(void **state)
{
    SCRIPT(state, {{"open", "Sketch"}, .code = IA_OK, "other Drawing board"},
           {{"tap", "\"Drawing board\""}, .code = IA_OK, "tapped "},
           {{"snapshot"}, .code = IA_OK}, {{"tap", "%other Drawing board"}, .code = IA_OK},
           {{"swipe", "left"}, .code = IA_OK},
           {{"tap", "%other Drawing board"}, .code = IA_OK}, );
}

static void an_element_that_is_not_there_is_refused_with_what_is(void **state)
{
    SCRIPT(
        state,
        {{"tap", "Settngs"},
         .code = IA_E_NOT_FOUND,
         .msg = "nothing on the screen matches Settngs",
         .hint = "nearest: 3 icon Settings"},
        {{"tap", "icon Settings"},
         .code = IA_E_NOT_FOUND,
         .hint = "did you mean 'icon \"Settings\"'?"},
        {{"tap", "button \"Nope\""}, .code = IA_E_NOT_FOUND, .hint = "on the screen: 1 other"},
        {{"tap", "#nope"}, .code = IA_E_NOT_FOUND, .hint = "icon Settings"},
        {{"tap", "button"}, .code = IA_E_NOT_FOUND, .msg = "matches button"},
        {{"tap", "icon"},
         .code = IA_E_AMBIGUOUS,
         .msg = "elements match icon",
         .hint = "name one of: "},
        {{"tap", ""}, .code = IA_E_USAGE, .msg = "is empty", .hint = "an element is 12"},
        {{"tap", "\""}, .code = IA_E_USAGE, .msg = "closing quote"},
        {{"tap", "#"}, .code = IA_E_USAGE, .msg = "identifier is missing"},
        {{"tap", "\"\""}, .code = IA_E_USAGE, .msg = "empty"},
        {{"tap", "0"}, .code = IA_E_NOT_FOUND},
        {{"tap", "-1"}, .code = IA_E_NOT_FOUND, .msg = "matches -1"},
        {{"tap", "99999"},
         .code = IA_E_NOT_FOUND,
         .msg = "there is no element 99999",
         .hint = "take a snapshot"},
        {{"tap", "9999999999"}, .code = IA_E_NOT_FOUND},
        {{"tap"}, .code = IA_E_USAGE, .msg = "REF is missing"},
        {{"type", "focused", "x"},
         .code = IA_E_NOT_FOUND,
         .msg = "keyboard focus",
         .hint = "tap a text field"},
        {{"snapshot"}, .code = IA_OK, "icon Settings"}, {{"open", "Settings"}, .code = IA_OK},
        {{"tap", "%icon Settings"},
         .code = IA_E_STALE_REF,
         .msg = "(icon Settings) is no longer on the screen",
         .hint = "Settings"},
        {{"tap", "%row Wi-Fi"}, .code = IA_OK},
        {{"tap", "%row Wi-Fi"}, .code = IA_E_STALE_REF, .hint = "nearest: "},
        {{"long-press", "%row Wi-Fi"}, .code = IA_E_STALE_REF},
        {{"type", "%row Wi-Fi", "x"}, .code = IA_E_STALE_REF},
        {{"clear", "%row Wi-Fi"}, .code = IA_E_STALE_REF},
        {{"swipe", "up", "%row Wi-Fi"}, .code = IA_E_STALE_REF},
        {{"drag", "%row Wi-Fi", "100,500"}, .code = IA_E_STALE_REF},
        {{"pinch", "%row Wi-Fi"}, .code = IA_E_STALE_REF},
        {{"get", "value", "%row Wi-Fi"}, .code = IA_E_STALE_REF},
        {{"is", "enabled", "%row Wi-Fi"}, .code = IA_E_STALE_REF}, );
}

static void what_cannot_be_acted_on_is_refused_before_anything_is_sent(void **state)
{
    SCRIPT(
        state, {{"open", "Contacts"}, .code = IA_OK}, {{"tap", "Add"}, .code = IA_OK},
        {{"tap", "Done"}, .code = IA_E_DISABLED, .msg = "disabled"},
        {{"long-press", "Done"}, .code = IA_E_DISABLED},
        {{"type", "Cancel", "x"}, .code = IA_E_NOT_ACTIONABLE, .msg = "cannot be typed into"},
        {{"clear", "Cancel"}, .code = IA_E_NOT_ACTIONABLE},
        {{"alert", "accept"}, .code = IA_E_NO_ALERT, .msg = "no alert"},
        {{"alert", "--button", "OK"}, .code = IA_E_NO_ALERT},
        {{"alert"}, .code = IA_E_USAGE, .msg = "accept, dismiss or the label"},
        {{"alert", "accept", "--button", "OK"}, .code = IA_E_USAGE},
        {{"alert", "OK"}, .code = IA_E_NO_ALERT},
        {{"alert", "accept", "OK"}, .code = IA_E_USAGE}, {{"press", "home"}, .code = IA_OK},
        {{"back"}, .code = IA_E_NO_BACK, .hint = "first screen"},
        {{"press", "back"}, .code = IA_E_NO_BACK},
        {{"press", "power"}, .code = IA_E_USAGE, .msg = "home|lock"},
        {{"press"}, .code = IA_E_USAGE}, );
}

static void an_alert_is_answered(void **state)
{
    SCRIPT(state, {{"open", "Settings"}, .code = IA_OK},
           {{"tap", "row \"Privacy & Security\""},
            .code = IA_E_NOT_FOUND,
            .hint = "scroll-to \"Privacy & Security\""},
           {{"scroll-to", "Privacy & Security"}, .code = IA_OK},
           {{"tap", "row \"Privacy & Security\""}, .code = IA_OK},
           {{"tap", "Location Services"}, .code = IA_OK},
           {{"tap", "switch \"Location Services\""}, .code = IA_OK, "alert"},
           {{"alert", "--button", "Nope"}, .code = IA_E_NOT_FOUND},
           {{"tap", "General"}, .code = IA_E_NOT_FOUND, .hint = "an alert covers the app"},
           {{"tap", "%switch:on Location Services"}, .code = IA_E_COVERED},
           {{"alert", "dismiss"}, .code = IA_OK, "answered the alert"},
           {{"is", "on", "switch \"Location Services\""}, .code = IA_OK, "yes"},
           {{"tap", "switch \"Location Services\""}, .code = IA_OK, "alert"},
           {{"alert", "Turn Off"}, .code = IA_OK},
           {{"is", "off", "switch \"Location Services\""}, .code = IA_OK}, );
}

static void text_is_typed_as_it_is(void **state)
{
    SCRIPT(state, {{"open", "Contacts"}, .code = IA_OK},
           {{"tap", "Add"}, .code = IA_OK, "field:focused First name"},
           {{"type", "%field:focused First name", "Ada"},
            .code = IA_OK,
            "= Ada",
            "\"did\":\"typed into\""},
           {{"type", "First name", "Grace", "--replace"},
            .code = IA_OK,
            "= Grace",
            .never = "AdaGrace"},
           {{"type", "First name", "--text", "--replace"}, .code = IA_OK, "= Grace--replace"},
           {{"type", "First name", "--replace", "--", "--json"}, .code = IA_OK, "= --json"},
           {{"type", "First name", "--replace", "--text=-"}, .code = IA_OK, "= -"},
           {{"type", "--ref", "First name", "--text", "Äpfel 🍏", "--replace"},
            .code = IA_OK,
            "Äpfel 🍏"},
           {{"type", "First name", ""}, .code = IA_OK, "nothing changed"},
           {{"type", "First name"}, .code = IA_E_USAGE, .msg = "--text TEXT is missing"},
           {{"type", "First name", "\xff\xfe"}, .code = IA_E_USAGE, .msg = "UTF-8"},
           {{"tap", "\xff"}, .code = IA_E_USAGE, .msg = "not printable UTF-8", .never = "\xff"},
           {{"scroll-to", "\xff"}, .code = IA_E_USAGE, .msg = "UTF-8"},
           {{"alert", "--button", "\xff"}, .code = IA_E_USAGE, .msg = "UTF-8"},
           {{"clear", "First name"}, .code = IA_OK, "field:focused First name\n"},
           {{"clear", "First name"}, .code = IA_OK, "nothing changed"}, );
}

/* On the home screen the ref 4 is an icon, and "9:41" a part of the clock's label. */
static void a_text_that_is_scrolled_to_is_no_ref(void **state)
{
    SCRIPT(state, {{"snapshot"}, .code = IA_OK, "4 icon"},
           {{"scroll-to", "4"}, .code = IA_OK, "scrolled to 2 other Clock", .never = "→"},
           {{"open", "Settings"}, .code = IA_OK},
           {{"tap", "Privacy"},
            .code = IA_E_NOT_FOUND,
            .hint = "ios-agent scroll-to \"Privacy & Security\""}, );
}

static void a_finger_moves_as_it_is_told(void **state)
{
    SCRIPT(state, {{"open", "Settings"}, .code = IA_OK},
           {{"swipe", "up"}, .code = IA_OK, "Apps", "\"did\":\"swiped up\""},
           {{"swipe", "down", "--distance", "1"}, .code = IA_OK, "search Search"},
           {{"snapshot", "--json"}, .code = IA_OK},
           {{"swipe", "General", "left"}, .code = IA_OK, "swiped left "},
           {{"swipe", "right", "General"}, .code = IA_OK, "swiped"},
           {{"swipe", "--direction", "left", "--ref", "General"}, .code = IA_OK},
           {{"swipe", "General", "up"}, .code = IA_OK, "swiped"},
           {{"swipe", "sideways"}, .code = IA_E_USAGE, .msg = "not \"sideways\""},
           {{"swipe", "Up"}, .code = IA_E_USAGE}, {{"swipe", ""}, .code = IA_E_USAGE},
           {{"swipe"}, .code = IA_E_USAGE, .msg = "up|down|left|right is missing"},
           {{"swipe", "up", "--distance", "0"}, .code = IA_E_USAGE},
           {{"swipe", "up", "--distance", "1.01"}, .code = IA_E_USAGE},
           {{"swipe", "up", "--distance", "nan"}, .code = IA_E_USAGE},
           {{"swipe", "up", "nowhere"}, .code = IA_E_NOT_FOUND},
           {{"scroll-to", "Sounds"}, .code = IA_OK, "scrolled to"},
           {{"scroll-to", "Nowhere", "--max-swipes", "2"},
            .code = IA_E_NOT_FOUND,
            .msg = "did not come into view",
            .hint = "wording"},
           {{"scroll-to", ""}, .code = IA_E_USAGE, .msg = "empty"},
           {{"scroll-to", "x", "--max-swipes", "0"}, .code = IA_E_USAGE},
           {{"drag", "100,600", "100,300"}, .code = IA_OK, "dragged", "\"element\":null"},
           {{"drag", "General", "100,300", "--ms", "300"}, .code = IA_OK, "dragged"},
           {{"drag", "100,600"}, .code = IA_E_USAGE, .msg = "TO is missing"},
           {{"drag", "1,2", "100,300"}, .code = IA_E_USAGE, .msg = "edge"},
           {{"drag", "100,100", "9999,100"}, .code = IA_E_USAGE},
           {{"drag", "nan,100", "100,100"}, .code = IA_E_NOT_FOUND},
           {{"drag", "100,100", "inf,100"}, .code = IA_E_NOT_FOUND},
           {{"drag", "100;100", "1,1"}, .code = IA_E_NOT_FOUND},
           {{"drag", "-5,100", "1,1"}, .code = IA_E_USAGE},
           {{"pinch"}, .code = IA_OK, "pinched"}, {{"pinch", "--scale", "0.5"}, .code = IA_OK},
           {{"pinch", "--scale", "0"}, .code = IA_E_USAGE, .msg = "scale"},
           {{"pinch", "--scale", "10.1"}, .code = IA_E_USAGE},
           {{"pinch", "--scale", "x"}, .code = IA_E_USAGE},
           {{"pinch", "nowhere"}, .code = IA_E_NOT_FOUND}, {{"press", "home"}, .code = IA_OK},
           {{"long-press", "Settings", "--ms", "299"}, .code = IA_E_USAGE},
           {{"long-press", "Settings", "--ms", "300"}, .code = IA_OK, "pressed "}, );
}

static void apps_are_opened_and_ended(void **state)
{
    SCRIPT(state, {{"open", "settings"}, .code = IA_OK, "com.apple.Preferences"},
           {{"open", "com.example.shop"}, .code = IA_OK, "com.example.shop"},
           {{"open", "contacts://"}, .code = IA_OK, "com.apple.MobileAddressBook"},
           {{"open", "Nope"},
            .code = IA_E_NOT_FOUND,
            .msg = "no app is known as \"Nope\"",
            .hint = "bundle id"},
           {{"open", "com.example.nope"}, .code = IA_E_NO_APP, .hint = "installed: "},
           {{"open", "nope://x"}, .code = IA_E_NO_APP, .hint = "known: "},
           {{"open", ""}, .code = IA_E_NOT_FOUND}, {{"open"}, .code = IA_E_USAGE},
           {{"open", "\xff.x"}, .code = IA_E_USAGE, .msg = "UTF-8"},
           {{"launch", "com.apple.reminders"},
            .code = IA_OK,
            "launched",
            "\"app\":\"com.apple.reminders\""},
           {{"launch", "com.example.nope"}, .code = IA_E_NO_APP},
           {{"launch", "\xff"}, .code = IA_E_USAGE, .msg = "UTF-8"},
           {{"terminate", "com.apple.reminders"}, .code = IA_OK, "ended"},
           {{"terminate", "com.example.nope"}, .code = IA_E_NO_APP},
           {{"open-url", "shop://"}, .code = IA_OK, "com.example.shop"},
           {{"open-url", "nope://"}, .code = IA_E_NO_APP},
           {{"open-url", ""}, .code = IA_E_NO_APP}, );
}

static void a_device_is_turned_where_its_app_rotates(void **state)
{
    SCRIPT(state, {{"rotate", "landscape"}, .code = IA_E_UNSUPPORTED, .msg = "home screen"},
           {{"rotate", "sideways"}, .code = IA_E_USAGE}, {{"rotate"}, .code = IA_E_USAGE},
           {{"open", "Contacts"}, .code = IA_OK},
           {{"rotate", "landscape-right"},
            .code = IA_E_UNSUPPORTED,
            .msg = "Contacts supports portrait only",
            .hint = "Settings"},
           {{"open", "Settings"}, .code = IA_OK},
           {{"rotate", "upside-down"}, .code = IA_E_UNSUPPORTED},
           {{"rotate", "landscape"}, .code = IA_OK, "turned the device"},
           {{"get", "frame", "Wi-Fi"}, .code = IA_OK, "702"},
           {{"tap", "switch \"Airplane Mode\""}, .code = IA_OK},
           {{"is", "on", "switch \"Airplane Mode\""}, .code = IA_OK},
           {{"swipe", "up"}, .code = IA_OK}, {{"tap", "General"}, .code = IA_OK},
           {{"rotate", "--orientation", "portrait"}, .code = IA_OK, "turned the device"},
           {{"get", "title"}, .code = IA_OK, "General"}, );
}

static void the_system_is_told(void **state)
{
    SCRIPT(
        state,
        {{"status-bar", "--time", "10:10", "--battery-level", "50"},
         .code = IA_OK,
         "changed the status bar"},
        {{"snapshot", "--status"}, .code = IA_OK, "10:10"},
        {{"status-bar", "clear"}, .code = IA_OK, "cleared"},
        {{"status-bar"}, .code = IA_E_USAGE, .msg = "nothing to override"},
        {{"status-bar", "--battery-level", "101"}, .code = IA_E_USAGE},
        {{"status-bar", "--battery-state", "full"},
         .code = IA_E_USAGE,
         .msg = "charging|charged"},
        {{"privacy", "grant", "photos", "com.example.shop"}, .code = IA_OK, "granted photos"},
        {{"get", "app", "General"}, .code = IA_E_USAGE, .msg = "about the screen"},
        {{"privacy", "revoke", "photos", "com.example.shop"}, .code = IA_OK, "revoked photos"},
        {{"privacy", "reset", "all"}, .code = IA_OK, "reset all"},
        {{"privacy", "grant", "photos"}, .code = IA_E_USAGE, .hint = "bundle id"},
        {{"privacy", "grant", "nope", "com.example.shop"},
         .code = IA_E_UNSUPPORTED,
         .hint = "photos"},
        {{"privacy", "allow", "photos"}, .code = IA_E_USAGE, .msg = "not \"allow\""},
        {{"location", "47.3769,8.5417"}, .code = IA_OK, "is now at 47.3769,8.5417"},
        {{"location", "clear"}, .code = IA_OK, "cleared the location"},
        {{"location", "91,0"}, .code = IA_E_USAGE},
        {{"location", "x"}, .code = IA_E_USAGE, .msg = "LATITUDE,LONGITUDE"},
        {{"location", "nan,nan"}, .code = IA_E_USAGE}, {{"location", "1"}, .code = IA_E_USAGE},
        {{"location", "-10,-20"}, .code = IA_OK, "is now at -10,-20"},
        {{"location", "--place", "-10,-20"}, .code = IA_OK},
        {{"push", "com.example.shop", "--title", "Hello", "--body", "It is ready"},
         .code = IA_OK,
         "delivered",
         "\"changed\":true"},
        {{"push", "com.example.shop"}, .code = IA_E_USAGE},
        {{"push", "--title", "x"}, .code = IA_E_USAGE, .hint = "bundle id"},
        {{"push", "com.example.shop", "--title", "x", "--payload", "y"}, .code = IA_E_USAGE},
        {{"push", "com.example.shop", "--payload", "/nonexistent"}, .code = IA_E_NOT_FOUND},
        {{"push", "com.example.nope", "--title", "x"}, .code = IA_E_NO_APP},
        {{"pasteboard", "a text\nof two lines"}, .code = IA_OK, "filled"},
        {{"pasteboard"},
         .code = IA_OK,
         "a text\nof two lines\n",
         "\"text\":\"a text\\nof two lines\""},
        {{"media", "/nonexistent.png"}, .code = IA_E_NOT_FOUND},
        {{"media"}, .code = IA_E_USAGE}, {{"record", "stop"}, .code = IA_E_STATE},
        {{"record", "start"}, .code = IA_E_USAGE, .msg = "record start FILE"},
        {{"record", "stop", "x"}, .code = IA_E_USAGE}, );
}

static void a_film_is_written_where_it_was_asked_for(void **state)
{
    struct phone *p = *state;
    char *path = ia_path_join(p->home, "film.apng");
    SCRIPT(state,
           {{"record", "start", "film.MP4"},
            .code = IA_E_USAGE,
            .msg = "animated PNG",
            .hint = "film.apng"},
           {{"record", "start", path}, .code = IA_OK, "filming into"},
           {{"record", "start", path}, .code = IA_E_STATE},
           {{"open", "Settings"}, .code = IA_OK},
           {{"record", "stop"}, .code = IA_OK, "filmed ", "\"format\":\"apng\""}, );
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_true(st.st_size > 1000);
    free(path);
}

/* 100 KB in every place that takes text: refused or typed, and never more than that. */
static void long_and_strange_texts_do_no_harm(void **state)
{
    struct phone *p = *state;
    enum { LONG = 100000 };
    char *text = ia_calloc(LONG + 1, 1);
    memset(text, 'x', LONG);
    phone_try(p, &(struct row){{"tap", text}, .code = IA_E_USAGE, .msg = "too long"});
    phone_try(p, &(struct row){{"open", text}, .code = IA_E_NOT_FOUND});
    phone_try(p, &(struct row){{"scroll-to", text}, .code = IA_E_NOT_FOUND});
    phone_try(p, &(struct row){{"is", text}, .code = IA_E_USAGE});
    phone_try(p, &(struct row){{"is", "text", text}, .code = IA_E_USAGE});
    phone_try(p, &(struct row){{"location", text}, .code = IA_E_USAGE});
    phone_try(p, &(struct row){{"swipe", text}, .code = IA_E_USAGE});
    phone_try(p, &(struct row){{"snapshot", "--device", text}, .code = IA_E_NO_DEVICE});
    phone_try(p, &(struct row){{"snapshot", "--session", text}, .code = IA_E_USAGE});
    SCRIPT(state, {{"tap", "\a\b\x1b[31mred"}, .code = IA_E_NOT_FOUND},
           {{"open", "a\nb"}, .code = IA_E_NOT_FOUND},
           {{"snapshot", "--session", "../x"}, .code = IA_E_USAGE, .msg = "a session's name"},
           {{"snapshot", "--device", "embedded:../x"}, .code = IA_E_USAGE}, );
    free(text);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, phone_begin, phone_end)
    const struct CMUnitTest tests[] = {
        T(a_screen_is_shown_as_text_rows_and_json),
        T(a_ref_is_written_in_every_way),
        T(an_element_is_named_by_what_it_says),
        T(an_element_that_is_alone_on_its_screen_keeps_its_ref),
        T(an_element_that_is_not_there_is_refused_with_what_is),
        T(what_cannot_be_acted_on_is_refused_before_anything_is_sent),
        T(an_alert_is_answered),
        T(text_is_typed_as_it_is),
        T(a_text_that_is_scrolled_to_is_no_ref),
        T(a_finger_moves_as_it_is_told),
        T(apps_are_opened_and_ended),
        T(a_device_is_turned_where_its_app_rotates),
        T(the_system_is_told),
        T(a_film_is_written_where_it_was_asked_for),
        T(long_and_strange_texts_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
