/* Diffs, budgets, JSON, rows, hashes and selectors. */
#include "test.h"

#include "draw.h"

#include <jansson.h>

#define SCREEN "Application 0,0,400,800\n"
#define BAR(title)                                                                             \
    SCREEN " NavigationBar 0,50,400,44\n  StaticText '" title "' 150,50,100,44 header\n"
#define ROWS " Cell 'One' 0,100,400,40\n Cell 'Two' 0,140,400,40\n Cell 'Three' 0,180,400,40\n"

static const struct {
    const char *why, *before, *after, *diff;
} diffs[] = {
    {"the same", BAR("T") ROWS, BAR("T") ROWS, "nothing changed\n"},
    {"a switch", BAR("T") ROWS " Switch 'S' ='0' 0,300,50,30\n",
     BAR("T") ROWS " Switch 'S' ='1' 0,300,50,30\n", "~ 5 switch:on S\n"},
    {"a row came", BAR("T") ROWS, BAR("T") ROWS " Cell 'Four' 0,220,400,40\n",
     "+ 5 row Four\n"},
    {"a row went", BAR("T") ROWS " Cell 'Four' 0,220,400,40\n", BAR("T") ROWS,
     "- 5 row Four\n"},
    {"a clock ticks", BAR("T") ROWS " StaticText 'Clock: 9' 100,300,60,20\n",
     BAR("T") ROWS " StaticText 'Clock: 10' 100,300,66,20\n", "~ 6 text Clock: 10\n"},
    {"something moved", BAR("T") ROWS " Button 'B' 0,300,50,30\n",
     BAR("T") ROWS " Button 'B' 0,340,50,30\n", "~ 1 moved\n"},
    {"a row scrolled off is not gone",
     BAR("T") " Table 0,94,400,706\n  Cell 'A' 0,100,400,340\n  Cell 'B' 0,440,400,340\n"
              "  Cell 'C' 0,780,400,340\n  Cell 'D' 0,1120,400,340\n",
     BAR("T") " Table 0,94,400,706\n  Cell 'A' 0,-240,400,340\n  Cell 'B' 0,100,400,340\n"
              "  Cell 'C' 0,440,400,340\n  Cell 'D' 0,780,400,340\n",
     "~ +1 above: A\n+ 5 row D\n~ 2 moved\n"},
};

static void a_diff_says_what_changed_and_nothing_else(void **state)
{
    (void)state;
    for (size_t i = 0; i < IA_COUNTOF(diffs); i++) {
        print_message("%s\n", diffs[i].why);
        struct ia_refs *refs = ia_refs_new();
        struct ia_snapshot *a = draw(diffs[i].before, refs);
        struct ia_snapshot *b = draw(diffs[i].after, refs);
        struct ia_buf out = IA_BUF(65536);
        bool changed = ia_snapshot_diff(a, b, 0, &out);
        assert_string_equal(ia_buf_cstr(&out), diffs[i].diff);
        assert_int_equal(changed, strcmp(diffs[i].diff, "nothing changed\n") != 0);
        ia_buf_fini(&out);
        ia_snapshot_free(a);
        ia_snapshot_free(b);
        ia_refs_free(refs);
    }
}

static void another_screen_is_shown_whole(void **state)
{
    (void)state;
    struct ia_refs *refs = ia_refs_new();
    struct ia_snapshot *a = draw(BAR("One") ROWS, refs);
    struct ia_snapshot *b = draw(BAR("Two") " Button 'X' 0,100,90,40\n", refs);
    struct ia_buf out = IA_BUF(65536);
    struct ia_buf text = IA_BUF(65536);
    ia_buf_puts(&text, "new screen\n");
    ia_snapshot_text(b, 0, &text);
    assert_true(ia_snapshot_diff(a, b, 0, &out));
    assert_string_equal(ia_buf_cstr(&out), ia_buf_cstr(&text));
    ia_buf_fini(&out);
    ia_buf_fini(&text);
    ia_snapshot_free(a);
    ia_snapshot_free(b);
    ia_refs_free(refs);
}

static struct ia_snapshot *long_screen(struct ia_refs *refs)
{
    struct ia_buf b = IA_BUF(65536);
    ia_buf_puts(&b, BAR("T"));
    for (int i = 0; i < 20; i++) {
        ia_buf_printf(&b, " StaticText 'Some text %d' 0,%d,200,10\n", i, 100 + i * 30);
        ia_buf_printf(&b, " Button 'Button %d' 0,%d,200,10\n", i, 115 + i * 30);
    }
    struct ia_snapshot *s = draw(ia_buf_cstr(&b), refs);
    ia_buf_fini(&b);
    return s;
}

static void the_budget_holds_and_the_least_useful_goes_first(void **state)
{
    (void)state;
    struct ia_refs *refs = ia_refs_new();
    struct ia_snapshot *s = long_screen(refs);
    for (size_t max = 1; max < 1500; max += 7) {
        struct ia_buf out = IA_BUF(65536);
        ia_snapshot_text(s, max, &out);
        assert_true(out.len <= max);
        bool buttons = strstr(ia_buf_cstr(&out), "button Button 0") != NULL;
        bool texts = strstr(ia_buf_cstr(&out), "text Some") != NULL;
        assert_true(!texts || buttons);
        ia_buf_fini(&out);
    }
    struct ia_buf out = IA_BUF(65536);
    ia_snapshot_text(s, 600, &out);
    assert_non_null(
        strstr(ia_buf_cstr(&out), "button Button 19\n(+12 left out: text limit)\n"));
    assert_in_range(out.len, 575, 600);
    ia_buf_fini(&out);
    ia_snapshot_free(s);
    ia_refs_free(refs);
}

static void what_is_left_out_is_counted_however_small_the_budget(void **state)
{
    (void)state;
    struct ia_refs *refs = ia_refs_new();
    struct ia_snapshot *s =
        draw(BAR("A title that is as long as titles of mails and articles often are, or longer")
                 ROWS,
             refs);
    for (size_t max = 50; max < 120; max++) {
        struct ia_buf out = IA_BUF(65536);
        ia_snapshot_text(s, max, &out);
        assert_true(out.len <= max);
        assert_true(ia_str_starts(ia_buf_str(&out), ia_str("com.test 400x800 #")));
        assert_non_null(strstr(ia_buf_cstr(&out), "\n(+"));
        assert_non_null(strstr(ia_buf_cstr(&out), " left out: text limit)\n"));
        ia_buf_fini(&out);
    }
    ia_snapshot_free(s);
    ia_refs_free(refs);
}

/* Ten rows of the list, from the one at number `first` on. */
static struct ia_snapshot *scrolled(int first, struct ia_refs *refs)
{
    struct ia_buf b = IA_BUF(65536);
    ia_buf_puts(&b, BAR("Contacts") " Table 0,94,400,706\n");
    for (int i = 0; i < 40; i++) {
        ia_buf_printf(&b, "  Cell 'Person number %d' 0,%d,400,70\n", i, 100 + (i - first) * 70);
    }
    struct ia_snapshot *s = draw(ia_buf_cstr(&b), refs);
    ia_buf_fini(&b);
    return s;
}

static void a_scrolled_list_is_no_new_screen(void **state)
{
    (void)state;
    static const struct {
        int first;
        size_t max;
        const char *diff;
    } cases[] = {
        {9, 150,
         "~ +9 above: Person number 8, Person number 7, Person number 6, …\n"
         "+ 12 row Person number 10\n~ 1 moved\n(+9 left out: text limit)\n"},
        {10, 150,
         "~ +10 above: Person number 9, Person number 8, Person number 7, …\n"
         "+ 12 row Person number 10\n(+10 left out: text limit)\n"},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct ia_refs *refs = ia_refs_new();
        struct ia_snapshot *a = scrolled(0, refs);
        struct ia_snapshot *b = scrolled(cases[i].first, refs);
        struct ia_buf out = IA_BUF(65536);
        assert_true(ia_snapshot_diff(a, b, cases[i].max, &out));
        assert_string_equal(ia_buf_cstr(&out), cases[i].diff);
        ia_buf_fini(&out);
        ia_snapshot_free(a);
        ia_snapshot_free(b);
        ia_refs_free(refs);
    }
}

static void layout_ignores_values_and_clocks_but_not_elements(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        bool layout, content; /* equal */
    } cases[] = {
        {" StaticText 'Clock: 9' 0,0,50,20\n", " StaticText 'Clock: 10' 0,0,56,20\n", true,
         false},
        {" Switch 'S' ='0' 0,0,50,20\n", " Switch 'S' ='1' 0,0,50,20\n", true, false},
        {" TextField 'F' ='a' 0,0,50,20\n", " TextField 'F' ='b' 0,0,50,20\n", true, false},
        {" Button 'A' 0,0,50,20\n", " Button 'B' 0,0,50,20\n", false, false},
        {" Button 'A' 0,0,50,20\n", " Link 'A' 0,0,50,20\n", false, false},
        {" Button 'A' 0,200,50,20\n", " Button 'A' 0,100,50,20\n", true, true},
        {" Button 'A' 0,0,50,20\n", " Button 'A' 0,0,50,20\n Button 'B' 0,50,50,20\n", false,
         false},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        char before[512];
        char after[512];
        snprintf(before, sizeof(before), "%s%s", BAR("T"), cases[i].a);
        snprintf(after, sizeof(after), "%s%s", BAR("T"), cases[i].b);
        struct ia_refs *refs = ia_refs_new();
        struct ia_snapshot *a = draw(before, refs);
        struct ia_snapshot *b = draw(after, refs);
        bool layout = ia_snapshot_layout_hash(a) == ia_snapshot_layout_hash(b);
        bool content = ia_snapshot_content_hash(a) == ia_snapshot_content_hash(b);
        assert_int_equal(layout, cases[i].layout);
        assert_int_equal(content, cases[i].content);
        ia_snapshot_free(a);
        ia_snapshot_free(b);
        ia_refs_free(refs);
    }
}

static void json_follows_the_schema(void **state)
{
    (void)state;
    struct ia_refs *refs = ia_refs_new();
    struct ia_snapshot *s = draw(BAR("T") " Cell #c 'One' 0,100,400,40\n"
                                          "  Button 'Call' 340,100,40,40\n"
                                          " SecureTextField 'PIN' ='••' 0,200,100,40\n",
                                 refs);
    struct ia_buf b = IA_BUF(65536);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &b);
    ia_snapshot_json(s, 1768558329123, ia_str("PNG"), &w);
    json_error_t err;
    json_t *j = json_loads(ia_buf_cstr(&b), JSON_REJECT_DUPLICATES, &err);
    assert_non_null(j);
    const char *app, *screen, *time, *png, *ref, *type, *role, *label, *id, *child, *act,
        *target;
    double x;
    int hittable;
    json_t *elements, *actions;
    assert_int_equal(json_unpack(j, "{s:s,s:s,s:s,s:s,s:o,s:o}", "app", &app, "screen", &screen,
                                 "timestamp", &time, "screenshot", &png, "elements", &elements,
                                 "actions_available", &actions),
                     0);
    assert_string_equal(app, "com.test");
    assert_string_equal(screen, "T");
    assert_string_equal(time, "2026-01-16T10:12:09.123Z");
    assert_string_equal(png, "data:image/png;base64,UE5H");
    json_t *row = json_array_get(elements, 1);
    assert_int_equal(json_unpack(row, "{s:s,s:s,s:s,s:s,s:s,s:n,s:{s:F},s:b,s:[s]}", "ref",
                                 &ref, "type", &type, "role", &role, "label", &label,
                                 "identifier", &id, "value", "frame", "x", &x, "hittable",
                                 &hittable, "children", &child),
                     0);
    assert_string_equal(ref, "@e2");
    assert_string_equal(type, "XCUIElementTypeCell");
    assert_string_equal(role, "row");
    assert_string_equal(label, "One");
    assert_string_equal(id, "c");
    assert_true(hittable);
    assert_string_equal(child, "@e3");
    bool typed = false;
    size_t i = 0;
    json_t *a = NULL;
    json_array_foreach(actions, i, a)
    {
        assert_int_equal(json_unpack(a, "{s:s,s:s}", "name", &act, "target", &target), 0);
        typed |= strcmp(act, "type") == 0 && strcmp(target, "@e4") == 0 &&
                 strcmp(json_string_value(json_object_get(a, "keyboard")), "secure") == 0;
    }
    assert_true(typed);
    json_decref(j);
    ia_buf_fini(&b);
    ia_snapshot_free(s);
    ia_refs_free(refs);
}

/* A screen as JSON, its containers named. */
static json_t *json_of(const char *tree, bool rows)
{
    struct ia_refs *refs = ia_refs_new();
    struct ia_snapshot *s = draw(tree, refs);
    struct ia_buf b = IA_BUF(65536);
    struct ia_jsonw w;
    ia_snapshot_name_containers(s, refs);
    ia_jsonw_init(&w, &b);
    if (rows) {
        ia_snapshot_json_rows(s, &w);
    } else {
        ia_snapshot_json(s, 0, ia_str(""), &w);
    }
    json_t *doc = json_loads(ia_buf_cstr(&b), JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(doc);
    ia_buf_fini(&b);
    ia_snapshot_free(s);
    ia_refs_free(refs);
    return doc;
}

/* "tap type clear" of the element. */
static const char *actions_on(json_t *doc, const char *ref)
{
    static char names[128];
    names[0] = '\0';
    size_t i = 0;
    json_t *a = NULL;
    json_array_foreach(json_object_get(doc, "actions_available"), i, a)
    {
        if (strcmp(json_string_value(json_object_get(a, "target")), ref) == 0) {
            size_t n = strlen(names);
            snprintf(names + n, sizeof(names) - n, "%s%s", n ? " " : "",
                     json_string_value(json_object_get(a, "name")));
        }
    }
    return names;
}

static void json_offers_what_each_element_is_for(void **state)
{
    (void)state;
    json_t *doc =
        json_of(BAR("T") " Table 0,94,400,706\n  StaticText 'Head' 0,94,400,30 header\n"
                         "  Cell 'One' 0,124,400,40\n"
                         "  TextField 'Name' 0,164,400,40\n"
                         "  StaticText 'Note' 0,204,400,40\n",
                false);
    assert_string_equal(actions_on(doc, "@e1"), ""); /* the title */
    assert_string_equal(actions_on(doc, "@e2"), "");
    assert_string_equal(actions_on(doc, "@e3"), "tap long_press swipe");
    assert_string_equal(actions_on(doc, "@e4"), "tap long_press type clear");
    assert_string_equal(actions_on(doc, "@e5"), "");
    assert_string_equal(actions_on(doc, "@e6"), "swipe"); /* the list */
    json_t *list = json_array_get(json_object_get(doc, "elements"), 1);
    assert_string_equal(json_string_value(json_object_get(list, "role")), "list");
    json_t *children = json_object_get(list, "children");
    assert_int_equal(json_array_size(children), 4);
    assert_string_equal(json_string_value(json_array_get(children, 0)), "@e2");
    json_decref(doc);
}

static void json_has_a_short_form(void **state)
{
    (void)state;
    json_t *doc = json_of(BAR("T") " Cell #c 'One' 0,100,400,40\n"
                                   " Switch 'Wi-Fi' ='1' 0,250,90,40\n",
                          true);
    assert_string_equal(json_string_value(json_object_get(doc, "screen")), "T");
    char *rows = json_dumps(json_object_get(doc, "rows"), JSON_COMPACT);
    assert_string_equal(rows, "[[\"@e1\",\"text\",\"heading\",\"T\",null,null],"
                              "[\"@e2\",\"tap\",\"row\",\"One\",null,\"c\"],"
                              "[\"@e3\",\"tap\",\"switch:on\",\"Wi-Fi\",null,null]]");
    free(rows);
    json_decref(doc);
}

#define STATUS                                                                                 \
    SCREEN " StatusBar 0,0,400,50\n  Other '9:41' 0,0,60,20\n   StaticText '9:41' 0,0,60,20\n" \
           "  Other 'Battery, full' ='80%' 340,0,60,20\n Button 'A' 10,60,100,40\n"            \
           " Keyboard 0,500,400,300\n  Key 'q' 0,500,40,50\n"                                  \
           "  Button 'Next keyboard' ='Deutsch' 0,750,50,50\n"                                 \
           "  Button 'return' 300,700,100,50 disabled\n"

static void the_status_bar_and_every_key_are_told_on_request(void **state)
{
    (void)state;
    assert_lines(STATUS, "1 button A\n2 keyboard 4 Next keyboard\n");
    struct ia_refs *refs = ia_refs_new();
    struct ia_snapshot *s = draw(STATUS, refs);
    struct ia_buf b = IA_BUF(4096);
    ia_snapshot_unlisted(s, &b);
    assert_string_equal(ia_buf_cstr(&b), "status \"9:41\", \"Battery, full\" = \"80%\"\n"
                                         "keys return:disabled, Next keyboard = Deutsch\n");
    ia_buf_fini(&b);
    ia_snapshot_free(s);
    ia_refs_free(refs);

    json_t *doc = json_of(STATUS, false);
    json_t *bar = json_object_get(doc, "status_bar");
    assert_int_equal(json_array_size(bar), 2);
    assert_string_equal(json_string_value(json_object_get(json_array_get(bar, 1), "value")),
                        "80%");
    json_t *elements = json_object_get(doc, "elements");
    const char *value = NULL, *label = NULL;
    int enabled = 1;
    json_t *key = json_array_get(elements, 3);
    assert_int_equal(json_unpack(key, "{s:s,s:s}", "label", &label, "value", &value), 0);
    assert_string_equal(value, "Deutsch");
    key = json_array_get(elements, 2);
    assert_int_equal(json_unpack(key, "{s:s,s:b}", "label", &label, "enabled", &enabled), 0);
    assert_string_equal(label, "return");
    assert_false(enabled);
    json_decref(doc);
}

static void rows_have_six_cells(void **state)
{
    (void)state;
    struct ia_refs *refs = ia_refs_new();
    struct ia_snapshot *s = draw(SCREEN " Button #id 'a|b' 0,100,90,40\n"
                                        " TextField 'Name' ='Ada' 0,150,90,40\n"
                                        " StaticText 'Hello' 0,200,90,40\n"
                                        " Switch 'Wi-Fi' ='1' 0,250,90,40 disabled\n",
                                 refs);
    struct ia_buf b = IA_BUF(65536);
    ia_snapshot_rows(s, &b);
    assert_string_equal(ia_buf_cstr(&b), "e1|tap|button|a/b||id\ne2|type|field|Name|Ada|\n"
                                         "e3|text|text|Hello||\n"
                                         "e4|text|switch:on,disabled|Wi-Fi||\n");
    ia_buf_fini(&b);
    ia_snapshot_free(s);
    ia_refs_free(refs);
}

static const struct {
    const char *text;
    const char *identifier, *label;
    int role;
    int wrong_at; /* -1: fine */
} selectors[] = {
    {"#login", "login", NULL, -1, -1},
    {" #a b ", "a b", NULL, -1, -1},
    {"\"Log in\"", NULL, "Log in", -1, -1},
    {"\"say \\\"hi\\\" \\\\\"", NULL, "say \"hi\" \\", -1, -1},
    {"button \"Log  in\"", NULL, "Log in", IA_ROLE_BUTTON, -1},
    {"button", NULL, NULL, IA_ROLE_BUTTON, -1},
    {"menu-item \"Copy\"", NULL, "Copy", IA_ROLE_MENU_ITEM, -1},
    {"", NULL, NULL, -1, 0},
    {"   ", NULL, NULL, -1, 3},
    {"#", NULL, NULL, -1, 1},
    {"Log in", NULL, NULL, -1, 0},
    {"button Log in", NULL, NULL, -1, 7},
    {"button \"Log in", NULL, NULL, -1, 7},
    {"\"\"", NULL, NULL, -1, 0},
    {"\"a\" b", NULL, NULL, -1, 4},
};

static void selectors_are_parsed_or_refused_at_the_mistake(void **state)
{
    (void)state;
    for (size_t i = 0; i < IA_COUNTOF(selectors); i++) {
        struct ia_selector sel;
        size_t pos = 0;
        struct ia_err err;
        enum ia_rc rc = ia_selector_parse(ia_str(selectors[i].text), &sel, &pos, &err);
        assert_int_equal(rc, selectors[i].wrong_at < 0 ? IA_OK : IA_E_PARSE);
        if (rc != IA_OK) {
            assert_int_equal(pos, selectors[i].wrong_at);
            continue;
        }
        assert_int_equal(sel.role, selectors[i].role);
        assert_int_equal(!sel.label, !selectors[i].label);
        assert_int_equal(!sel.identifier, !selectors[i].identifier);
        assert_true(!sel.label || strcmp(sel.label, selectors[i].label) == 0);
        assert_true(!sel.identifier || strcmp(sel.identifier, selectors[i].identifier) == 0);
        ia_selector_fini(&sel);
    }
}

static void what_is_contained_is_what_a_person_sees(void **state)
{
    (void)state;
    struct ia_refs *refs = ia_refs_new();
    struct ia_snapshot *s = draw(BAR("Title") " Table 0,94,400,706\n  Cell 'Wi-Fi' ='Home'"
                                              " 0,94,400,706\n  Cell 'Privacy' 0,800,400,60\n",
                                 refs);
    assert_true(ia_snapshot_contains(s, ia_str("Title")));
    assert_true(ia_snapshot_contains(s, ia_str("Wi-Fi")));
    assert_true(ia_snapshot_contains(s, ia_str("Home")));
    assert_false(ia_snapshot_contains(s, ia_str("Privacy")));
    assert_false(ia_snapshot_contains(s, ia_str("wi-fi")));
    /* What the text form adds to a line is not on the screen. */
    static const char *const forms[] = {"1", "row", "row Wi-Fi", "Wi-Fi =", "Wi-Fi = Home"};
    for (size_t i = 0; i < IA_COUNTOF(forms); i++) {
        assert_false(ia_snapshot_contains(s, ia_str(forms[i])));
    }
    assert_false(ia_snapshot_contains(s, ia_str("")));
    assert_false(ia_snapshot_contains(s, ia_str(" ")));
    ia_snapshot_free(s);
    ia_refs_free(refs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_diff_says_what_changed_and_nothing_else),
        cmocka_unit_test(another_screen_is_shown_whole),
        cmocka_unit_test(the_budget_holds_and_the_least_useful_goes_first),
        cmocka_unit_test(what_is_left_out_is_counted_however_small_the_budget),
        cmocka_unit_test(a_scrolled_list_is_no_new_screen),
        cmocka_unit_test(layout_ignores_values_and_clocks_but_not_elements),
        cmocka_unit_test(json_follows_the_schema),
        cmocka_unit_test(json_offers_what_each_element_is_for),
        cmocka_unit_test(json_has_a_short_form),
        cmocka_unit_test(the_status_bar_and_every_key_are_told_on_request),
        cmocka_unit_test(rows_have_six_cells),
        cmocka_unit_test(selectors_are_parsed_or_refused_at_the_mistake),
        cmocka_unit_test(what_is_contained_is_what_a_person_sees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
