/* Planted changes of screens: tree and touches agree, an app works as before, and a phone keeps them. */
#include "phone_fixture.h"

static struct ia_device *phone_with(const char *folder, const char *query)
{
    struct ia_device *d = NULL;
    struct ia_err err = {0};
    const struct ia_embedded_options opt = {.folder = folder, .name = "test", .query = query};
    if (ia_embedded_open(&opt, &d, &err) != IA_OK) {
        fail_msg("%s: %s", query, err.msg);
    }
    return d;
}

static struct ia_rect frame_of(struct ia_device *d, const char *name)
{
    struct ia_tree *t = tree_of(d);
    const struct ia_node *n = find(t, IA_EL_ANY, name);
    assert_non_null(n);
    struct ia_rect frame = n->frame;
    ia_tree_free(t);
    return frame;
}

/* On the list of contacts: what is there then, what is not, and what a touch of something leads to. */
static const struct {
    const char *changes, *there, *gone, *touched, *leads_to;
} cases[] = {
    {"label:#add=New", "New", "Add", "New", "first-name"},
    {"placeholder:.SearchField=Find", "Search", NULL, "add", "first-name"},
    {"id:#add=plus", "plus", "add", "plus", "first-name"},
    {"id:#add", "Add", "add", "Add", "first-name"},
    {"label:#add=New;id:#add=plus", "plus", "Add", "New", "first-name"},
    {"id:#add=search;id:#search=add", "Add", NULL, "Add", "first-name"},
    {"hide:Nora Abbott", "Samuel Adler", "Nora Abbott", "Samuel Adler", "edit"},
    {"dead:#add", "add", NULL, "add", "Contacts"},
    {"disable:#add", "add", NULL, "add", "Contacts"},
    {"dead:Nora Abbott", "Nora Abbott", NULL, "Nora Abbott", "add"},
    {"move:#add=-250,100", "add", NULL, "add", "first-name"},
    {"reverse:.Cell", "Nora Abbott", NULL, "add", "first-name"},
    {"row:Nora Abbott=Gifts", "Gifts", NULL, "Gifts", "add"},
    {"row:Nora Abbott=Gifts", "Gifts", NULL, "Samuel Adler", "edit"},
    {"twin:Nora Abbott", "Nora Abbott", NULL, "Nora Abbott", "edit"},
    {"wrap:.Table=Box", "Box", NULL, "Nora Abbott", "edit"},
    {"wrap:.Table", "Nora Abbott", NULL, "Nora Abbott", "edit"},
    {"more:#add=More", "More", "add", "More", "add"},
    {"page:Welcome=Continue", "Welcome", "add", "Continue", "add"},
    {"dialog:Rate us=Not Now", "Rate us", NULL, "add", "Rate us"},
    {"dialog:Rate us=Not Now", "Rate us", NULL, "Not Now", "add"},
    {"accents",
     "\xC3\x82"
     "dd",
     "Add", "add", "first-name"},
    {"type:#add=Link", "add", NULL, "add", "first-name"},
};

static void what_is_shown_is_what_is_touched(void **state)
{
    (void)state;
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        char query[200];
        (void)snprintf(query, sizeof(query), "changes=%s", cases[i].changes);
        struct ia_device *d = phone_with(NULL, query);
        launch(d, CONTACTS);
        if (!shows(d, cases[i].there) || (cases[i].gone && shows(d, cases[i].gone))) {
            fail_msg("%s: not shown, or not gone", query);
        }
        struct ia_rect f = frame_of(d, cases[i].touched);
        tap_at(d, f.x + f.w / 2, f.y + f.h / 2);
        if (!shows(d, cases[i].leads_to)) {
            fail_msg("%s: a touch of %s does not lead to %s", query, cases[i].touched,
                     cases[i].leads_to);
        }
        ia_device_close(d);
    }
}

static void rows_stand_where_the_change_puts_them(void **state)
{
    (void)state;
    struct ia_device *d = phone_with(NULL, NULL);
    launch(d, CONTACTS);
    double nora = frame_of(d, "Nora Abbott").y, samuel = frame_of(d, "Samuel Adler").y;
    ia_device_close(d);
    d = phone_with(NULL, "changes=row:Nora Abbott=Gifts");
    launch(d, CONTACTS);
    assert_true(frame_of(d, "Gifts").y == nora);
    assert_true(frame_of(d, "Nora Abbott").y == samuel);
    ia_device_close(d);
    d = phone_with(NULL, "changes=hide:Nora Abbott");
    launch(d, CONTACTS);
    assert_true(frame_of(d, "Samuel Adler").y == nora);
    ia_device_close(d);
    d = phone_with(NULL, "changes=reverse:.Cell");
    launch(d, CONTACTS);
    assert_true(frame_of(d, "Nora Abbott").y > frame_of(d, "Samuel Adler").y);
    assert_true(frame_of(d, "Adam Young").y == nora);
    ia_device_close(d);
}

static void late_lists_come_while_they_are_looked_at(void **state)
{
    (void)state;
    struct ia_device *d = phone_with(NULL, "changes=late:3000");
    struct ia_device_info info;
    int looks = 0;
    launch(d, CONTACTS);
    assert_int_equal(ia_device_info(d, &info, NULL), IA_OK);
    assert_false(info.instant); /* waiting for them is of use */
    while (!shows(d, "Nora Abbott")) {
        looks++;
    }
    assert_int_equal(looks, 3);
    tap(d, "Nora Abbott");
    assert_false(shows(d, "contact-name"));
    ia_device_close(d);
}

static void a_phone_keeps_its_changes(void **state)
{
    (void)state;
    char *folder = folder_new();
    struct ia_device *d = phone_with(folder, "changes=label:#add=New;page:Welcome=Continue");
    launch(d, CONTACTS);
    tap(d, "Continue");
    tap(d, "New");
    type(d, "Ada");
    ia_device_close(d);
    d = phone_with(folder, NULL); /* its log is replayed: the same touches touch the same */
    assert_true(state_has(d, "\"changes\":\"label:#add=New;page:Welcome=Continue\""));
    assert_value(d, "first-name", "Ada");
    assert_int_equal(ia_device_reset(d, &no_limit, NULL), IA_OK);
    launch(d, CONTACTS);
    assert_true(shows(d, "Welcome"));
    assert_int_equal(ia_device_open_url(d, &no_limit, "embedded://?changes=hide:#add", NULL),
                     IA_OK);
    launch(d, CONTACTS);
    assert_false(shows(d, "add"));
    ia_device_close(d);
    d = phone_with(folder, "changes=none");
    assert_true(state_has(d, "\"changes\":null"));
    assert_true(shows(d, "Add"));
    ia_device_close(d);
    folder_remove(folder);
}

static void what_is_no_change_is_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "lable:#add=New", "label",        "label:#add",       "label:=New",    "hide:#add=New",
        "move:#add",      "move:#add=1",  "move:#add=1,",     "move:#add=1,x", "late:soon",
        "late:99999999",  "accents:much", "label:#add=New;;", "more:#add",     "late:1000;hide",
    };
    for (size_t i = 0; i < IA_COUNTOF(wrong); i++) {
        char query[100];
        struct ia_err err = {0};
        (void)snprintf(query, sizeof(query), "changes=%s", wrong[i]);
        if (ia_embedded_check(query, &err) != IA_E_USAGE || !err.msg[0]) {
            fail_msg("%s is taken", query);
        }
    }
    struct ia_buf many = IA_BUF(2000);
    ia_buf_puts(&many, "changes=accents");
    for (int i = 0; i < 24; i++) {
        ia_buf_puts(&many, ";accents");
    }
    assert_int_equal(ia_embedded_check(ia_buf_cstr(&many), NULL), IA_E_USAGE);
    ia_buf_fini(&many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_shown_is_what_is_touched),
        cmocka_unit_test(rows_stand_where_the_change_puts_them),
        cmocka_unit_test(late_lists_come_while_they_are_looked_at),
        cmocka_unit_test(a_phone_keeps_its_changes),
        cmocka_unit_test(what_is_no_change_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
