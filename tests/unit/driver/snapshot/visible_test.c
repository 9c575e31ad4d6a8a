/* What is visible, reachable and in front, and where it is touched. */
#include "test.h"

#include "draw.h"

#include "driver/snapshot/model.h"

#define SCREEN "Application 0,0,400,800\n"

static const struct {
    const char *why, *tree, *lines;
} cases[] = {
    {"an alert hides what is behind it",
     " Window 0,0,400,800\n  Button 'Buy' 10,100,100,40\n"
     " Window 0,0,400,800\n  Alert 'Delete?' 60,300,280,200\n"
     "   StaticText 'Delete?' 80,310,200,20\n   StaticText 'It is gone for good.' "
     "80,340,200,20\n"
     "   Button 'Cancel' 60,450,140,50\n   Button 'Delete' 200,450,140,50\n",
     "1 alert Delete?\n2 text It is gone for good.\n3 button Cancel\n4 button Delete\n"},
    {"of an alert over a sheet over a page only the alert is left",
     " Window 0,0,400,800\n  Button 'Buy' 10,100,100,40\n  Other 0,0,400,800\n"
     "  Other 0,300,400,500\n   Button 'Pay' 10,400,100,40\n"
     " Window 0,0,400,800\n  Alert 'Sure?' 60,300,280,200\n"
     "   Button 'No' 60,450,140,50\n   Button 'Yes' 200,450,140,50\n",
     "1 alert Sure?\n2 button No\n3 button Yes\n"},
    {"a field under the keyboard is not offered, one above it is",
     " TextField 'Name' 10,100,200,40\n TextField 'Phone' 10,600,200,40 focused\n"
     " Keyboard 0,500,400,300\n  Key 'q' 0,500,40,50\n  Key 'w' 40,500,40,50\n"
     "  Button 'shift' #shift 0,650,50,50\n",
     "1 field Name\n2 keyboard 3 shift\n"},
    {"a sheet behind a dimming view hides the page",
     " Window 0,0,400,800\n  Button 'Buy' 10,100,100,40\n  Other 0,0,400,800\n"
     "  Other 0,300,400,500\n   Button 'Pay' 10,400,100,40\n",
     "1 button Pay\n"},
    {"an oversized dimming view hides the page",
     " Other 0,0,400,800\n  Button 'Buy' 10,100,100,40\n"
     " Other 0,0,400,800\n  Other -400,-800,1200,2400\n  Other 0,60,400,740\n"
     "   Button 'Pay' 10,400,100,40\n",
     "1 button Pay\n"},
    {"a sheet with its own bar hides a page with one",
     " Other 0,0,400,800\n  NavigationBar 0,50,400,44\n   Button 'Add' 340,50,60,44\n"
     "  Other 0,64,400,736\n   NavigationBar 0,64,400,50\n    Button 'Done' 330,64,60,50\n",
     "1 button Done\n"},
    {"a page pushed over a mounted one hides it",
     " Other 0,0,400,800\n  Button 'Old' 10,100,380,40\n  Button 'Older' 10,700,380,40\n"
     " Other 0,0,400,800\n  Button 'New' 10,60,380,60\n  Button 'Newer' 10,680,380,40\n",
     "1 button New\n2 button Newer\n"},
    {"a pushed page of React Native's touchables hides the one below",
     " Other 0,0,400,800\n  Button 'Old' 10,100,380,600\n  Button 'Older' 10,700,380,40\n"
     " Other 0,0,400,800\n  Other 'Back' 10,90,40,40\n  Other 'Done' 40,700,320,60\n",
     "1 other Back\n2 other Done\n"},
    {"a toast over the whole screen hides nothing",
     " Other 0,0,400,800\n  Button 'Old' 10,100,380,40\n  Button 'Older' 10,700,380,40\n"
     " Other 0,0,400,800\n  Button 'Undo' 10,640,380,40\n",
     "1 button Old\n2 button Older\n3 button Undo\n"},
    {"a search bar and a panel over a map hide nothing of it",
     " Other 0,0,400,800\n  Button 'Pin' 100,200,40,40\n  Button 'Park' 200,450,40,40\n"
     " Other 0,0,400,800\n  Button 'Search' 10,60,380,40\n  Button 'Home' 10,740,380,40\n",
     "1 button Pin\n2 button Park\n3 button Search\n4 button Home\n"},
    {"a drawer behind a dimming view hides the page",
     " Other 0,0,400,800\n  Button 'Menu' 10,60,40,40\n  Other 0,0,400,800\n"
     "  Other 0,0,300,800\n   Button 'Profile' 10,100,200,40\n",
     "1 button Profile\n"},
    {"a dimming view with nothing in front hides nothing",
     " Other 0,0,400,800\n  Button 'A' 10,60,40,40\n  Other -400,-800,1200,2400\n",
     "1 button A\n"},
    {"rows that scrolled off are counted and named",
     " Table 0,100,400,700\n  Cell 'Above' 0,20,400,60\n  Cell 'One' 0,100,400,350\n"
     "  Cell 'Two' 0,450,400,350\n  Cell 'Three' 0,800,400,60\n  Cell 'Four' 0,860,400,60\n"
     "  Cell 'Five' 0,920,400,60\n  Cell '6, six' 0,980,400,60\n",
     "+1 above: Above\n1 row One\n2 row Two\n+4 below: Three, Four, Five, …\n"},
    {"rows that scrolled off are counted though only what they hold has a name",
     " CollectionView 0,100,400,700\n  Cell 0,100,400,600\n   Button 'One' 16,100,370,600\n"
     "  Cell 0,800,400,60\n   Button 'Two' 16,800,370,60\n    StaticText 'Two' 20,810,90,20\n"
     "  Cell 0,860,400,60\n   Switch 'Three' ='1' 16,860,370,60\n    Switch ='1' "
     "320,870,50,30\n"
     "  Cell 0,920,400,60\n   TextField 'Four' ='4' 16,920,370,60\n"
     "  Cell 0,980,400,60\n   Button 300,980,60,60\n",
     "1 button One\n+4 below: Two, Three, Four 4, …\n"},
    {"controls do not name a row that has a text",
     " CollectionView 0,100,400,700\n  Cell 'One' 0,100,400,600\n"
     "  Cell 0,800,400,60\n   StaticText 'Two' 20,810,90,20\n   Button 'Buy' 300,810,80,40\n",
     "1 row One\n+1 below: Two\n"},
    {"what scrolls passes under the bars",
     " Table 0,0,400,800\n  Cell 'Under' 0,50,400,44\n  Cell 'Free' 0,94,400,600\n"
     "  Cell 'Below' 0,750,400,44\n"
     " NavigationBar 0,0,400,94\n  Button 'Back' 8,50,60,44\n"
     " TabBar 0,745,400,55\n  Button 'Home' 0,745,200,55\n",
     "1 button Back\n+1 above: Under\n2 row Free\n+1 below: Below\n3 tab Home\n"},
    {"a second container is named",
     " Table 0,200,400,600\n  Cell 'One' 0,200,400,600\n  Cell 'Two' 0,800,400,60\n"
     " CollectionView 0,100,400,100\n  Cell 'A' 0,100,400,100\n  Cell 'B' 400,100,400,100\n",
     "1 row A\n+1 right in 3: B\n2 row One\n+1 below in 4: Two\n"},
    {"a parked sheet is not below",
     " Button 'Open' 10,100,100,40\n Other 0,800,400,600\n  Button 'Parked' 10,900,100,40\n",
     "1 button Open\n"},
    {"the keyboard is one line and hides what it covers",
     " Button 'Covered' 10,600,100,40\n TextField 'Name' 10,100,200,40 focused\n"
     " Keyboard 0,500,400,300\n  Key 'q' 0,500,40,50\n  Key 'w' 40,500,40,50\n"
     "  Button 'shift' #shift 0,650,50,50\n  Button 'Return' #Return 300,700,100,50\n",
     "1 field:focused Name\n2 keyboard 3 shift, 4 Return\n"},
    {"a keyboard below the screen is none",
     " Button 'A' 10,600,100,40\n Keyboard 0,800,400,300\n  Key 'q' 0,800,40,50\n",
     "1 button A\n"},
    {"the status bar is left out",
     " StatusBar 0,0,400,50\n  Other '9:41' 10,10,50,20\n Button 'A' 10,60,100,40\n",
     "1 button A\n"},
    {"what another control covers wholly is left out",
     " Button 'Under' 10,100,100,40\n Button 'Over' 0,90,300,200\n", "1 button Over\n"},
    {"texts stay under controls",
     " StaticText 'Caption' 10,100,100,40\n Button 'Over' 0,90,300,200\n",
     "1 text Caption\n2 button Over\n"},
    {"columns of a split view stand beside each other",
     " Other 0,0,400,800\n  Other 0,0,130,800\n   NavigationBar 0,24,130,50\n"
     "    Button 'Edit' 80,24,40,50\n   Cell 'Ada' 0,74,130,60\n"
     "  Other 130,0,270,800\n   NavigationBar 130,24,270,50\n    Button 'Reply' 340,24,50,50\n",
     "1 button Edit\n2 row Ada\n3 button Reply\n"},
    {"a dimming view that closes the sheet by a touch may have a name",
     " Other 0,0,400,800\n  Other 0,0,400,800\n   Button 'Buy' 10,100,100,40\n"
     "   StaticText 'Shoes' 10,300,100,40\n  Other 'Close' 0,0,400,800\n"
     "  Other 0,400,400,400\n   Button 'Pay' 10,500,100,40\n",
     "1 other Close\n2 button Pay\n"},
    {"a region that closes a menu hides the page, however little is on it",
     " Other 0,0,400,800\n  Table 0,100,400,700\n   Cell 'Inbox' 0,100,400,60\n"
     " Other 0,0,400,800\n  Other #PopoverDismissRegion 'close' 0,0,400,800\n"
     "  Other 200,300,190,140\n   Button 'Rename' 200,300,190,44\n",
     "1 other close\n2 button Rename\n"},
    {"the same with a button as region",
     " Other 0,0,400,800\n  Table 0,100,400,700\n   Cell 'Inbox' 0,100,400,60\n"
     "    StaticText 'Inbox' 16,110,90,30\n"
     " Other 0,0,400,800\n  Button 'Close' 0,0,400,800\n"
     "  Other 200,300,190,140\n   Button 'Rename' 200,300,190,44\n",
     "1 button Close\n2 button Rename\n"},
    {"a named picture behind a panel hides nothing of its own page",
     " Other 0,0,400,800\n  Button 'Back' 8,50,60,44\n  Other 'Map' 0,0,400,800\n"
     "  Other 200,300,190,140\n   Button 'Zoom' 200,300,190,44\n",
     "1 button Back\n2 other Map\n3 button Zoom\n"},
    {"texts behind a dimming button are behind",
     " Other 0,0,400,800\n  Other 0,0,400,800\n   StaticText 'Shoes' 10,300,100,40\n"
     "  Button 'Close' 0,0,400,800\n"
     "  Other 0,400,400,400\n   Button 'Pay' 10,500,100,40\n",
     "1 button Close\n2 button Pay\n"},
    {"a camera's picture hides no bar that is listed before it",
     " Other 0,0,400,800\n  NavigationBar 0,50,400,44\n   Button 'Back' 8,50,60,44\n"
     "  Other 'Picture' 0,0,400,800\n  Other 0,600,400,200\n   Button 'Take' 150,650,90,90\n",
     "1 button Back\n2 other Picture\n3 button Take\n"},
    {"a card that moved up for the keyboard hides the page",
     " Window 0,0,400,800\n  Button 'Buy' 10,20,100,40\n  Other 0,0,400,800\n"
     "  Other 50,100,300,180\n   Button 'OK' 200,220,100,40\n"
     " Window 0,0,400,800\n  Keyboard 0,500,400,300\n   Key 'q' 0,500,40,50\n",
     "1 button OK\n2 keyboard\n"},
    {"the keys below a typed keyboard belong to it",
     " Window 0,0,400,800\n  Other 0,460,400,340\n   Button 'Adam' 0,460,130,40\n"
     "   Keyboard 0,500,400,220\n    Key 'q' 0,500,40,50\n"
     "   Button 'Dictate' #dictation 320,720,70,70\n",
     "1 button Adam\n2 keyboard 3 Dictate\n"},
    {"a floating keyboard hides what is under it and nothing beside it",
     " Button 'Beside' 10,600,60,40\n Button 'Under' 220,560,60,40\n"
     " Keyboard 200,500,190,150\n  Key 'q' 200,500,20,30\n",
     "2 button Beside\n1 keyboard\n"},
    {"an outside line stands after all that its container shows",
     " ScrollView 0,0,400,800\n  StaticText 'New' 10,50,100,30\n"
     "  CollectionView 0,100,400,200\n   Cell 'A' 0,100,200,200\n   Cell 'B' 400,100,200,200\n"
     "  Button 'Far' 10,1200,100,40\n",
     "1 text New\n2 row A\n+1 right in 3: B\n+1 below in 4: Far\n"},
    {"a sliver is off-screen",
     " Table 0,100,400,700\n  Cell 'Sliver' 0,45,400,60\n  Cell 'One' 0,105,400,60\n",
     "+1 above: Sliver\n1 row One\n"},
    {"what is inside an off-screen row is not on screen",
     " Table 0,100,400,700\n  Cell 'One' 0,100,400,60\n  Cell 'Far' 0,900,400,60\n"
     "   Button 'Ghost' 0,143,12,14\n",
     "1 row One\n+1 below: Far\n"},
};

static void only_what_is_in_front_and_on_screen_is_listed(void **state)
{
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        char tree[4096];
        snprintf(tree, sizeof(tree), "%s%s", SCREEN, cases[i].tree);
        bool same = lines_are(tree, cases[i].lines);
        print_message("%s: %s\n", cases[i].why, same ? "yes" : "no");
        wrong += !same;
    }
    assert_int_equal(wrong, 0);
}

static const struct ia_element *labelled(const struct ia_snapshot *s, const char *label)
{
    for (size_t i = 0; i < ia_snapshot_count(s); i++) {
        const struct ia_element *e = ia_snapshot_at(s, i);
        if (e->label && strcmp(e->label, label) == 0) {
            return e;
        }
    }
    fail_msg("no element %s", label);
    return NULL;
}

static void check_point(const char *tree, const char *label, double x, double y)
{
    char text[2048];
    snprintf(text, sizeof(text), "%s%s", SCREEN, tree);
    struct ia_refs *refs = ia_refs_new();
    struct ia_snapshot *s = draw(text, refs);
    const struct ia_element *e = labelled(s, label);
    assert_true(e->actions & IA_ACT_TAP);
    assert_float_equal(e->activation.x, x, 0.01);
    assert_float_equal(e->activation.y, y, 0.01);
    ia_snapshot_free(s);
    ia_refs_free(refs);
}

static void elements_are_touched_where_they_are_free(void **state)
{
    (void)state;
    check_point(" Button 'A' 10,100,100,40\n", "A", 60, 120);
    check_point(" Switch 'Wide' ='0' 0,100,400,60\n", "Wide", 368, 130);
    check_point(" Switch 'رائع' ='0' 0,100,400,60\n", "رائع", 32, 130);
    /* the knob is another switch inside */
    check_point(" Switch 'Knob' ='0' 0,100,400,60\n  Switch ='0' 20,115,50,30\n", "Knob", 45,
                130);
    check_point(" Switch 'Small' ='0' 300,100,50,30\n", "Small", 325, 115);
    /* half below the screen's edge: the middle of what is seen */
    check_point(" Button 'Low' 0,780,100,40\n", "Low", 50, 790);
    /* a button in the middle of a row: beside it */
    check_point(" Cell 'Row' 0,100,300,60\n  Button 'In' 100,100,100,60\n", "Row", 50, 110);
    /* a later control over the right half */
    check_point(" Button 'Half' 0,100,100,40\n Button 'Over' 40,90,100,60\n", "Half", 100.0 / 6,
                100 + 40.0 / 6);
}

static void back_stands_where_the_title_begins(void **state)
{
    (void)state;
    static const struct {
        const char *title, *back;
    } bars[] = {{"Settings", "left"}, {"الإعدادات", "right"}, {"הגדרות", "right"}};
    for (size_t i = 0; i < IA_COUNTOF(bars); i++) {
        char tree[1024];
        snprintf(tree, sizeof(tree),
                 SCREEN " NavigationBar 0,50,400,44\n  Button 'left' 8,50,60,44\n"
                        "  StaticText '%s' 150,50,100,44\n  Button 'right' 332,50,60,44\n",
                 bars[i].title);
        struct ia_refs *refs = ia_refs_new();
        struct ia_snapshot *s = draw(tree, refs);
        assert_true(s->back >= 0);
        assert_string_equal(s->elements[s->back].label, bars[i].back);
        ia_snapshot_free(s);
        ia_refs_free(refs);
    }
}

static enum ia_rc check(const char *tree, const char *label, unsigned action)
{
    char text[2048];
    snprintf(text, sizeof(text), "%s%s", SCREEN, tree);
    struct ia_refs *refs = ia_refs_new();
    struct ia_snapshot *s = draw(text, refs);
    struct ia_err err = {0};
    enum ia_rc rc = ia_snapshot_check(s, labelled(s, label), action, &err);
    if (rc != IA_OK) {
        assert_int_equal(err.code, rc);
        assert_int_equal(err.outcome, IA_OUTCOME_NOT_SENT);
        assert_true(err.hint[0] != '\0');
    }
    ia_snapshot_free(s);
    ia_refs_free(refs);
    return rc;
}

static void an_action_is_refused_with_its_reason(void **state)
{
    (void)state;
    assert_int_equal(check(" Button 'A' 10,100,100,40\n", "A", IA_ACT_TAP), IA_OK);
    assert_int_equal(check(" Button 'A' 10,100,100,40 disabled\n", "A", IA_ACT_TAP),
                     IA_E_DISABLED);
    assert_int_equal(check(" Button 'A' 10,900,100,40\n", "A", IA_ACT_TAP), IA_E_NOT_VISIBLE);
    assert_int_equal(
        check(" Button 'A' 10,100,50,40\n Button 'B' 0,90,300,90\n", "A", IA_ACT_TAP),
        IA_E_COVERED);
    /* React Native's tabs have no type, and take the touches nevertheless */
    assert_int_equal(
        check(" Other 'A' 10,750,100,40\n Other 0,740,400,60\n  Other 'B' 0,740,300,60\n", "A",
              IA_ACT_TAP),
        IA_E_COVERED);
    assert_int_equal(check(" Button 'A' 10,100,100,40\n", "A", IA_ACT_TYPE),
                     IA_E_NOT_ACTIONABLE);
    assert_int_equal(check(" TextField 'A' 10,100,100,40\n", "A", IA_ACT_TYPE), IA_OK);
    assert_int_equal(check(" Button 'A' 10,100,100,40\n Alert 'B' 60,300,280,200\n"
                           "  Button 'OK' 60,450,280,50\n",
                           "A", IA_ACT_TAP),
                     IA_E_COVERED);
}

static void an_empty_tree_gives_an_empty_snapshot(void **state)
{
    (void)state;
    struct ia_refs *refs = ia_refs_new();
    struct ia_tree *t = ia_tree_new();
    struct ia_snapshot *s = ia_snapshot_new(t, refs, 0, 0);
    assert_int_equal(ia_snapshot_count(s), 0);
    assert_null(ia_snapshot_at(s, 0));
    assert_string_equal(lines_of(s), "");
    assert_non_null(strstr(header_of(s), "- 0x0 #"));
    ia_snapshot_free(s);
    ia_tree_free(t);
    ia_refs_free(refs);
}

static void a_truncated_tree_says_so(void **state)
{
    (void)state;
    struct ia_refs *refs = ia_refs_new();
    struct ia_tree *t = draw_tree(SCREEN " Button 'A' 10,100,100,40\n");
    ia_tree_set_truncated(t);
    struct ia_snapshot *s = ia_snapshot_new(t, refs, 0, 0);
    assert_true(ia_snapshot_truncated(s));
    assert_non_null(strstr(header_of(s), " truncated"));
    ia_snapshot_free(s);
    ia_tree_free(t);
    ia_refs_free(refs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_is_in_front_and_on_screen_is_listed),
        cmocka_unit_test(elements_are_touched_where_they_are_free),
        cmocka_unit_test(back_stands_where_the_title_begins),
        cmocka_unit_test(an_action_is_refused_with_its_reason),
        cmocka_unit_test(an_empty_tree_gives_an_empty_snapshot),
        cmocka_unit_test(a_truncated_tree_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
