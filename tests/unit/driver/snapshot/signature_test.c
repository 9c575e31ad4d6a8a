/* Elements are found again in another run by what names them, or are said not to be there. */
#include "test.h"

#include "draw.h"

#include "driver/snapshot/signature.h"

#define SCREEN "Application 0,0,400,800\n"
#define LIST " Table 'People' 0,100,400,600\n"
#define ADD "Button #add 'Add' 300,50,60,40\n"
#define EDIT "Button #edit 'Edit' 100,50,60,40\n"
#define DELETE "Button #delete 'Delete' 200,50,60,40\n"
#define ALERT(text)                                                                            \
    " Alert 'Sure?' 60,300,280,200\n  StaticText '" text "' 60,340,280,40\n"                   \
    "  Button 'Delete' 60,450,140,50\n"

/* The element of `target` (a label) is recorded in `before` and looked for in `after`. */
static const struct {
    const char *why, *before, *target, *after;
    enum ia_match_class class;
    const char *found; /* its label; where there is none, why the nearest one is not it */
} cases[] = {
    {"the same screen", SCREEN " " ADD, "Add", SCREEN " " ADD, IA_MATCH_EXACT, "Add"},
    {"in another place", SCREEN " " ADD, "Add", SCREEN " Button #add 'Add' 10,700,60,40\n",
     IA_MATCH_EXACT, "Add"},
    {"behind other rows", SCREEN LIST "  Cell 'Ada' 0,100,400,40\n  Cell 'Bob' 0,140,400,40\n",
     "Bob",
     SCREEN LIST
     "  Cell 'Zoe' 0,100,400,40\n  Cell 'Bob' 0,140,400,40\n  Cell 'Ada' 0,180,400,40\n",
     IA_MATCH_EXACT, "Bob"},
    {"a row's identifier is its place",
     SCREEN LIST "  Cell #row-0 'Ada' 0,100,400,40\n  Cell #row-1 'Bob' 0,140,400,40\n", "Ada",
     SCREEN LIST "  Cell #row-0 'Bob' 0,100,400,40\n  Cell #row-1 'Ada' 0,140,400,40\n",
     IA_MATCH_EXACT, "Ada"},
    {"a count in a label", SCREEN " Button #cart 'Cart, 2 items' 0,100,90,40\n",
     "Cart, 2 items", SCREEN " Button #cart 'Cart, 3 items' 0,100,90,40\n", IA_MATCH_EXACT,
     "Cart, 3 items"},
    {"an amount is another one", SCREEN " Button '$500.00' 0,100,90,40\n", "$500.00",
     SCREEN " Button '$700.00' 0,100,90,40\n", IA_MATCH_CHANGED, "another label"},
    {"a number is another one", SCREEN " Button #n '500' 0,100,90,40\n", "500",
     SCREEN " Button #n '700' 0,100,90,40\n", IA_MATCH_CHANGED, "another label"},
    {"an amount among words", SCREEN " Button #pay 'Pay 5 €' 0,100,90,40\n", "Pay 5 €",
     SCREEN " Button #pay 'Pay 7 €' 0,100,90,40\n", IA_MATCH_CHANGED, "another label"},
    {"a number that tells rows apart",
     SCREEN LIST "  Cell 'Order 1' 0,100,400,40\n  Cell 'Order 2' 0,140,400,40\n", "Order 1",
     SCREEN LIST "  Cell 'Order 2' 0,140,400,40\n", IA_MATCH_CHANGED, "another label"},
    {"a container around it that was not there",
     SCREEN LIST
     "  Cell 'Ada' 0,100,400,40\n  Cell 'Bob' 0,140,400,40\n  Cell 'Cay' 0,180,400,40\n",
     "Bob",
     SCREEN " ScrollView 'All' 0,100,400,600\n  Cell 'Ada' 0,100,400,40\n"
            "  Cell 'Bob' 0,140,400,40\n  Cell 'Cay' 0,180,400,40\n",
     IA_MATCH_DRIFTED, "Bob"},
    {"another label", SCREEN " " ADD, "Add", SCREEN " Button #add 'New' 300,50,60,40\n",
     IA_MATCH_CHANGED, "another label"},
    {"another identifier", SCREEN " " ADD, "Add", SCREEN " Button #plus 'Add' 300,50,60,40\n",
     IA_MATCH_CHANGED, "another identifier"},
    {"two identifiers changed places", SCREEN " " EDIT " " DELETE, "Edit",
     SCREEN " Button #delete 'Edit' 100,50,60,40\n Button #edit 'Delete' 200,50,60,40\n",
     IA_MATCH_CHANGED, "another label"},
    {"a neighbour is no substitute", SCREEN " " EDIT " " DELETE, "Delete", SCREEN " " EDIT,
     IA_MATCH_MISSING, NULL},
    {"nothing is there", SCREEN " " ADD, "Add", SCREEN " Image 0,100,400,400\n",
     IA_MATCH_MISSING, NULL},
    {"a switch that is on already", SCREEN " Switch #air 'Airplane' ='0' 300,50,60,40\n",
     "Airplane", SCREEN " Switch #air 'Airplane' ='1' 300,50,60,40\n", IA_MATCH_CHANGED,
     "another state"},
    {"the same alert", SCREEN ALERT("Delete Ada?"), "Delete", SCREEN ALERT("Delete Ada?"),
     IA_MATCH_EXACT, "Delete"},
    {"an alert that asks something else", SCREEN ALERT("Delete Ada?"), "Delete",
     SCREEN ALERT("Delete all contacts?"), IA_MATCH_CHANGED, "another question"},
    {"a text where a button was", SCREEN " Button 'Save' 0,100,90,40\n", "Save",
     SCREEN " StaticText 'Save' 0,100,90,40\n", IA_MATCH_MISSING, "another role"},
    {"of two equal ones, the one with its neighbours",
     SCREEN " StaticText 'Home' 0,100,90,40\n Button 'Edit' 100,100,90,40\n"
            " StaticText 'Work' 0,200,90,40\n Button 'Edit' 100,200,90,40\n StaticText 'End' "
            "0,300,90,40\n",
     "Edit",
     SCREEN " StaticText 'Work' 0,100,90,40\n Button 'Edit' 100,100,90,40\n"
            " StaticText 'Home' 0,200,90,40\n Button 'Edit' 100,200,90,40\n StaticText 'Work' "
            "0,300,90,40\n",
     IA_MATCH_EXACT, "Edit"},
    {"a row that reads differently",
     SCREEN LIST "  Cell 'Nora Abbott' 0,100,400,40\n  Cell 'Samuel Adler' 0,140,400,40\n",
     "Nora Abbott",
     SCREEN LIST "  Cell 'Nora Abbot' 0,100,400,40\n  Cell 'Samuel Adler' 0,140,400,40\n",
     IA_MATCH_CHANGED, "another label"},
    {"a link that was a button", SCREEN " " ADD, "Add",
     SCREEN " Link #add 'Add' 300,50,60,40\n", IA_MATCH_DRIFTED, "Add"},
    {"a password is no other field", SCREEN " TextField #pin 'Code' 0,100,200,40\n", "Code",
     SCREEN " SecureTextField #pin 'Code' 0,100,200,40\n", IA_MATCH_CHANGED, "another role"},
    {"other letters of the same words", SCREEN " " ADD, "Add",
     SCREEN " Button #add 'ADD' 300,50,60,40\n", IA_MATCH_DRIFTED, "ADD"},
    {"an identifier that stands on another element now", SCREEN " " ADD " " EDIT, "Add",
     SCREEN " Button #edit 'Add' 300,50,60,40\n StaticText #add 'Edit' 100,50,60,40\n",
     IA_MATCH_CHANGED, "another element has the identifier"},
    {"several equal ones, as many as before, by order",
     SCREEN LIST "  Cell 'Milk' 0,100,400,40\n  Cell 'Egg' 0,140,400,40\n"
                 "  Cell 'Milk' 0,180,400,40\n",
     "Milk",
     SCREEN LIST "  Cell 'Milk' 0,100,400,40\n  Cell 'Egg' 0,140,400,40\n"
                 "  Cell 'Milk' 0,180,400,40\n",
     IA_MATCH_EXACT, "Milk"},
    {"one that is left of two may be the other one",
     SCREEN LIST "  Cell 'Order 1' 0,100,400,40\n   Button 'Delete' 300,100,90,40\n"
                 "  Cell 'Order 2' 0,140,400,40\n   Button 'Delete' 300,140,90,40\n",
     "Delete", SCREEN LIST "  Cell 'Order 2' 0,100,400,40\n   Button 'Delete' 300,100,90,40\n",
     IA_MATCH_AMBIGUOUS, NULL},
    {"several equal ones with equal neighbours, by order",
     SCREEN LIST "  Cell 'Egg' 0,100,400,40\n  Cell 'Milk' 0,140,400,40\n"
                 "  Cell 'Egg' 0,180,400,40\n  Cell 'Milk' 0,220,400,40\n"
                 "  Cell 'Egg' 0,260,400,40\n",
     "Milk",
     SCREEN LIST "  Cell 'Egg' 0,100,400,40\n  Cell 'Milk' 0,140,400,40\n"
                 "  Cell 'Egg' 0,180,400,40\n  Cell 'Milk' 0,220,400,40\n"
                 "  Cell 'Egg' 0,260,400,40\n",
     IA_MATCH_EXACT, "Milk"},
    {"of two equal ones, the one with its identifier",
     SCREEN " Button #home 'Edit' 100,100,90,40\n Button #work 'Edit' 100,200,90,40\n", "Edit",
     SCREEN " Button #home 'Edit' 100,100,90,40\n", IA_MATCH_EXACT, "Edit"},
    {"two in other containers",
     SCREEN LIST
     "  Cell 'Ada' 0,100,400,40\n  Cell 'Bob' 0,140,400,40\n  Cell 'Cay' 0,180,400,40\n",
     "Bob",
     SCREEN " ScrollView 'One' 0,100,400,150\n  Cell 'Ada' 0,100,400,40\n"
            "  Cell 'Bob' 0,140,400,40\n  Cell 'Cay' 0,180,400,40\n"
            " ScrollView 'Two' 0,300,400,150\n  Cell 'Ada' 0,300,400,40\n"
            "  Cell 'Bob' 0,340,400,40\n  Cell 'Cay' 0,380,400,40\n",
     IA_MATCH_AMBIGUOUS, NULL},
    {"two where there was one",
     SCREEN LIST "  Cell 'Ada' 0,100,400,40\n  Cell 'Nora' 0,140,400,40\n", "Nora",
     SCREEN LIST "  Cell 'Nora' 0,100,400,40\n  Cell 'Nora' 0,140,400,40\n", IA_MATCH_AMBIGUOUS,
     NULL},
};

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

static void found_by_what_names_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct ia_refs *refs = ia_refs_new(), *others = ia_refs_new();
        struct ia_snapshot *before = draw(cases[i].before, refs);
        struct ia_snapshot *after = draw(cases[i].after, others);
        struct ia_signature sig = {0};
        struct ia_match m;
        assert_true(ia_signature_of(before, labelled(before, cases[i].target), &sig));
        ia_signature_match(after, &sig, &m);
        const char *found = m.e ? m.e->label : m.count > 0 ? m.best[0].veto : NULL;
        bool same = cases[i].found ? found && strcmp(found, cases[i].found) == 0 : m.e == NULL;
        if (m.class != cases[i].class || !same) {
            fail_msg("%s: %s, found %s; the best has %d points", cases[i].why,
                     ia_match_names[m.class], found ? found : "nothing",
                     m.count > 0 ? m.best[0].score : 0);
        }
        ia_signature_fini(&sig);
        ia_snapshot_free(before);
        ia_snapshot_free(after);
        ia_refs_free(refs);
        ia_refs_free(others);
    }
}

static void what_has_no_name_has_no_signature(void **state)
{
    (void)state;
    struct ia_refs *refs = ia_refs_new();
    struct ia_snapshot *s =
        draw(SCREEN " Button 0,100,90,40\n Button #x-20441 0,200,90,40\n", refs);
    struct ia_signature sig = {0};
    for (size_t i = 0; i < ia_snapshot_count(s); i++) {
        assert_false(ia_signature_of(s, ia_snapshot_at(s, i), &sig));
    }
    ia_snapshot_free(s);
    ia_refs_free(refs);
}

static void a_question_is_its_texts_and_has_buttons(void **state)
{
    (void)state;
    static const struct {
        const char *screen, *asked;
        size_t buttons;
    } screens[] = {
        {SCREEN ALERT("Delete Ada?"), "Sure? Delete Ada?", 1},
        {SCREEN ALERT("Delete Ada?") "  Button 'Cancel' 200,450,140,50\n", "Sure? Delete Ada?",
         2},
        {SCREEN " Sheet 'Log out?' 0,500,400,300\n  Button 'Log Out' 0,500,400,60\n"
                "  Button 'Cancel' 0,600,400,60\n",
         "Log out?", 2},
        {SCREEN " " ADD " " EDIT, "", 0},
    };
    for (size_t i = 0; i < IA_COUNTOF(screens); i++) {
        struct ia_refs *refs = ia_refs_new();
        struct ia_snapshot *s = draw(screens[i].screen, refs);
        struct ia_buf text = IA_BUF(1024);
        assert_int_equal(ia_signature_question(s, &text), screens[i].buttons);
        assert_string_equal(ia_buf_cstr(&text), screens[i].asked);
        ia_buf_fini(&text);
        ia_snapshot_free(s);
        ia_refs_free(refs);
    }
}

static void add_line(void *ctx, struct ia_str selector, const char *value)
{
    ia_buf_putstr(ctx, selector);
    ia_buf_printf(ctx, "%s%s;", value ? "=" : "", value ? value : "");
}

static void what_could_be_found_before_proves_nothing(void **state)
{
    (void)state;
    struct ia_refs *refs = ia_refs_new();
    struct ia_snapshot *before =
        draw(SCREEN " Cell 'Mail' 0,100,400,40\n  Button 'Clear' 300,100,90,40\n", refs);
    struct ia_snapshot *after = draw(
        SCREEN " Cell 'Phone' 0,200,400,40\n  Button 'Clear' 300,200,90,40\n"
               " Button #save 'Save' 0,300,90,40\n Switch #air 'Airplane' ='1' 0,400,60,40\n",
        refs);
    struct ia_buf told = IA_BUF(1024);
    ia_signature_changes(before, after, 0, 9, add_line, &told);
    assert_null(strstr(ia_buf_cstr(&told), "Clear"));
    assert_non_null(strstr(ia_buf_cstr(&told), "#save;"));
    assert_non_null(strstr(ia_buf_cstr(&told), "row \"Phone\";"));
    ia_buf_fini(&told);
    ia_snapshot_free(before);
    ia_snapshot_free(after);
    ia_refs_free(refs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(found_by_what_names_it),
        cmocka_unit_test(what_has_no_name_has_no_signature),
        cmocka_unit_test(a_question_is_its_texts_and_has_buttons),
        cmocka_unit_test(what_could_be_found_before_proves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
