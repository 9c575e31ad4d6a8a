/* A ref stays with its element and never goes to another. */
#include "test.h"

#include "draw.h"

#include "base/rand.h"
#include "driver/snapshot/refs.h"

static uint32_t ref_of(const struct ia_snapshot *s, const char *label)
{
    for (size_t i = 0; i < ia_snapshot_count(s); i++) {
        const struct ia_element *e = ia_snapshot_at(s, i);
        if (e->label && strcmp(e->label, label) == 0) {
            return e->ref;
        }
    }
    fail_msg("no element %s", label);
    return 0;
}

/* Draws both with one registry and returns whether `label` has the same ref in both. */
static bool same(const char *before, const char *after, const char *label,
                 const char *label_after)
{
    struct ia_refs *refs = ia_refs_new();
    struct ia_snapshot *a = draw(before, refs);
    struct ia_snapshot *b = draw(after, refs);
    bool equal = ref_of(a, label) == ref_of(b, label_after);
    assert_int_not_equal(ref_of(b, label_after), 0);
    ia_snapshot_free(a);
    ia_snapshot_free(b);
    ia_refs_free(refs);
    return equal;
}

#define SCREEN "Application 0,0,400,800\n"
#define BAR(title)                                                                             \
    SCREEN " NavigationBar 0,50,400,44\n  StaticText '" title "' 150,50,100,44 header\n"

static const struct {
    const char *why, *before, *after, *label, *label_after;
    bool same;
} cases[] = {
    {"an identical screen", BAR("T") " Button 'A' 0,100,90,40\n",
     BAR("T") " Button 'A' 0,100,90,40\n", "A", "A", true},
    {"a banner pushes everything down",
     BAR("T") " StaticText 'x' 0,100,90,40\n Button 'A' 0,140,90,40\n",
     BAR("T") " Button 'Ad' 0,100,90,40\n StaticText 'x' 0,140,90,40\n Button 'A' "
              "0,180,90,40\n",
     "A", "A", true},
    {"the banner is not what was there", BAR("T") " Button 'Show scrim' 0,100,90,40\n",
     BAR("T") " Button 'Banner' 0,100,90,40\n Button 'Show scrim' 0,140,90,40\n", "Show scrim",
     "Banner", false},
    {"an identifier outlives another label", BAR("T") " Button #f 'Follow' 0,100,90,40\n",
     BAR("T") " Button #f 'Following' 0,100,90,40\n", "Follow", "Following", true},
    {"an identifier of a row's number does not",
     BAR("T") " Table 0,94,400,706\n  Cell #row-0 'Ada' 0,100,400,40\n",
     BAR("T") " Table 0,94,400,706\n  Cell #row-0 'Bob' 0,100,400,40\n", "Ada", "Bob", false},
    {"nor where the labels differ in a number only",
     BAR("T") " Table 0,94,400,706\n  Cell #row-0 'Order 1' 0,100,400,40\n  Cell #row-1 'Order "
              "2' "
              "0,140,400,40\n",
     BAR("T") " Table 0,94,400,706\n  Cell #row-0 'Order 2' 0,100,400,40\n", "Order 1",
     "Order 2", false},
    {"the button of an alert that asks something else is another one",
     SCREEN " Alert 'Sure?' 60,300,280,200\n  StaticText 'Save it' 60,340,280,40\n"
            "  Button #yes 'Yes' 60,450,140,50\n",
     SCREEN " Alert 'Sure?' 60,300,280,200\n  StaticText 'Erase it' 60,340,280,40\n"
            "  Button #yes 'Yes' 60,450,140,50\n",
     "Yes", "Yes", false},
    {"one whose alert counts down is the same",
     SCREEN " Alert 'Sure?' 60,300,280,200\n  StaticText '9 s left' 60,340,280,40\n"
            "  Button 'Yes' 60,450,140,50\n",
     SCREEN " Alert 'Sure?' 60,300,280,200\n  StaticText '8 s left' 60,340,280,40\n"
            "  Button 'Yes' 60,450,140,50\n",
     "Yes", "Yes", true},
    {"nor where nothing scrolls",
     BAR("T") " Button #row-0 'Ada' 0,100,400,40\n Button #row-1 'Bob' 0,140,400,40\n",
     BAR("T") " Button #row-0 'Bob' 0,100,400,40\n", "Ada", "Bob", false},
    {"the neighbour that took a deleted row's place is another row",
     BAR("T") " Button 'Ada' 0,100,400,40\n Button 'Bob' 0,140,400,40\n",
     BAR("T") " Button 'Bob' 0,100,400,40\n", "Ada", "Bob", false},
    {"a row that moved to the top is still that row",
     BAR("T") " Button 'Ada' 0,100,400,40\n Button 'Bob' 0,140,400,40\n Button 'Cid' "
              "0,180,400,40\n",
     BAR("T") " Button 'Cid' 0,100,400,40\n Button 'Ada' 0,140,400,40\n Button 'Bob' "
              "0,180,400,40\n",
     "Ada", "Ada", true},
    {"a row keeps its ref when the list scrolls",
     BAR("T") " Table 0,94,400,706\n  Cell 'Ada' 0,100,400,40\n  Cell 'Bob' 0,140,400,40\n",
     BAR("T") " Table 0,94,400,706\n  Cell 'Bob' 0,100,400,40\n  Cell 'Cid' 0,140,400,40\n",
     "Bob", "Bob", false}, /* both neighbours are others: not certain */
    {"a row keeps its ref when a neighbour does",
     BAR("T") " Table 0,94,400,706\n  Cell 'Ada' 0,100,400,40\n  Cell 'Bob' 0,140,400,40\n"
              "  Cell 'Cid' 0,180,400,40\n",
     BAR("T") " Table 0,94,400,706\n  Cell 'Bob' 0,100,400,40\n  Cell 'Cid' 0,140,400,40\n",
     "Bob", "Bob", true},
    {"the same word on another page is another element",
     BAR("Ada") " Button 'Call' 0,100,90,40\n", BAR("Nora") " Button 'Call' 0,100,90,40\n",
     "Call", "Call", false},
    {"the button of another row is another element",
     BAR("T") " Table 0,94,400,706\n  StaticText 'Milk' 0,100,90,40\n  Button 'Add' "
              "90,100,90,40\n"
              "  StaticText 'Salt' 0,140,90,40\n",
     BAR("T") " Table 0,94,400,706\n  StaticText 'Rice' 0,100,90,40\n  Button 'Add' "
              "90,100,90,40\n"
              "  StaticText 'Tea' 0,140,90,40\n",
     "Add", "Add", false},
    {"item 1 is not item 2", BAR("T") " Button 'Item 1' 0,100,90,40\n",
     BAR("T") " Button 'Item 2' 0,100,90,40\n", "Item 1", "Item 2", false},
    {"delete in an alert is not delete on the page", BAR("T") " Button 'Delete' 0,100,90,40\n",
     BAR("T") " Button 'Delete' 0,100,90,40\n Alert 'Sure?' 60,300,280,200\n"
              "  Button 'Delete' 60,400,280,50\n",
     "Delete", "Sure?", false},
    {"a field keeps its ref while the bar goes away",
     BAR("T") " SearchField #q 'Search' 0,100,400,40\n Cell 'A' 0,150,400,40\n",
     SCREEN " SearchField #q 'Search' 0,50,300,40 focused\n Button 'Cancel' 300,50,100,40\n",
     "Search", "Search", true},
    {"a focused field keeps its ref when the bar goes and sections are left",
     BAR("Names") " SearchField 'Search' 0,100,400,40\n Table 0,150,400,650\n"
                  "  StaticText 'A' 0,150,400,20 header\n  Cell 'Ada' 0,170,400,40\n"
                  "  StaticText 'B' 0,210,400,20 header\n  Cell 'Bob' 0,230,400,40\n",
     SCREEN " SearchField 'Search' 0,50,300,40 focused\n Button 'Cancel' 300,50,100,40\n"
            " Table 0,94,400,706\n"
            "  StaticText 'A' 0,100,400,20 header\n  Cell 'Ada' 0,120,400,40\n"
            "  StaticText 'B' 0,160,400,20 header\n  Cell 'Bob' 0,180,400,40\n",
     "Search", "Search", true},
    {"a focused field under another title keeps its ref",
     BAR("Names") " SearchField 'Search' 0,100,400,40\n Button 'x' 0,150,90,40\n",
     BAR("Find") " SearchField 'Search' 0,100,300,40 focused\n Button 'y' 0,150,90,40\n",
     "Search", "Search", true},
    {"a field under another title that nobody focused is another field",
     BAR("Names") " SearchField 'Search' 0,100,400,40\n Button 'x' 0,150,90,40\n",
     BAR("Find") " SearchField 'Search' 0,100,300,40\n Button 'y' 0,150,90,40\n", "Search",
     "Search", false},
    {"a title that scrolls away does not rename the page",
     SCREEN " ScrollView 0,0,400,800\n  StaticText 'Menu' 0,60,400,40 header\n"
            "  StaticText 'First' 0,110,400,40 header\n  Button 'A' 0,160,400,40\n"
            "  Button 'B' 0,200,400,40\n",
     SCREEN " ScrollView 0,0,400,800\n  StaticText 'Menu' 0,-90,400,40 header\n"
            "  StaticText 'First' 0,10,400,40 header\n  Button 'A' 0,60,400,40\n"
            "  Button 'B' 0,100,400,40\n",
     "A", "A", true},
    {"another page with a title in its content is another page",
     SCREEN
     " ScrollView 0,0,400,800\n  StaticText 'Ada' 0,60,400,40 header\n"
     "  Button 'a' 0,110,400,40\n  Button 'Call' 0,160,400,40\n  Button 'b' 0,200,400,40\n",
     SCREEN
     " ScrollView 0,0,400,800\n  StaticText 'Nora' 0,60,400,40 header\n"
     "  Button 'a' 0,110,400,40\n  Button 'Call' 0,160,400,40\n  Button 'b' 0,200,400,40\n",
     "Call", "Call", false},
};

static void a_ref_stays_with_its_element_and_only_with_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        print_message("%s\n", cases[i].why);
        assert_int_equal(
            same(cases[i].before, cases[i].after, cases[i].label, cases[i].label_after),
            cases[i].same);
    }
}

static void an_element_that_returns_has_its_ref_again(void **state)
{
    (void)state;
    struct ia_refs *refs = ia_refs_new();
    struct ia_snapshot *a = draw(BAR("One") " Button 'A' 0,100,90,40\n", refs);
    struct ia_snapshot *b = draw(BAR("Two") " Button 'B' 0,100,90,40\n", refs);
    struct ia_snapshot *c = draw(BAR("One") " Button 'A' 0,100,90,40\n", refs);
    assert_int_equal(ref_of(a, "A"), ref_of(c, "A"));
    assert_int_not_equal(ref_of(a, "A"), ref_of(b, "B"));
    ia_snapshot_free(a);
    ia_snapshot_free(b);
    ia_snapshot_free(c);
    ia_refs_free(refs);
}

static void refs_are_accepted_in_three_spellings(void **state)
{
    (void)state;
    struct ia_refs *refs = ia_refs_new();
    struct ia_snapshot *s = draw(SCREEN " Button 'A' 0,100,90,40\n", refs);
    static const char *const good[] = {"1", "e1", "@e1", "@1"};
    static const char *const bad[] = {"",   "@",  "e",  "0",           "2",
                                      "-1", "1x", "1 ", "99999999999", "A"};
    const struct ia_element *e = NULL;
    struct ia_err err;
    for (size_t i = 0; i < IA_COUNTOF(good); i++) {
        assert_int_equal(ia_snapshot_resolve(s, refs, ia_ref_parse(ia_str(good[i])), &e, &err),
                         IA_OK);
        assert_string_equal(e->label, "A");
    }
    for (size_t i = 0; i < IA_COUNTOF(bad); i++) {
        assert_int_equal(ia_snapshot_resolve(s, refs, ia_ref_parse(ia_str(bad[i])), &e, &err),
                         IA_E_NOT_FOUND);
        assert_int_equal(err.outcome, IA_OUTCOME_NOT_SENT);
    }
    ia_snapshot_free(s);
    ia_refs_free(refs);
}

static void a_gone_element_is_stale_with_the_nearest_candidates(void **state)
{
    (void)state;
    struct ia_refs *refs = ia_refs_new();
    struct ia_snapshot *a = draw(BAR("T") " Button 'Log in' 0,100,90,40\n", refs);
    uint32_t gone = ref_of(a, "Log in");
    struct ia_snapshot *b = draw(BAR("T") " StaticText 'Welcome' 0,100,90,40\n"
                                          " Button 'Log in with code' 0,300,90,40\n"
                                          " Button 'Help' 0,700,90,40\n",
                                 refs);
    const struct ia_element *e = NULL;
    struct ia_err err;
    assert_int_equal(ia_snapshot_resolve(b, refs, gone, &e, &err), IA_E_STALE_REF);
    assert_null(e);
    assert_non_null(strstr(err.msg, "Log in"));
    assert_int_equal(strncmp(err.hint, "nearest: ", 9), 0);
    assert_non_null(strstr(err.hint, "button Log in with code"));
    assert_true(strstr(err.hint, "Log in with code") < strstr(err.hint, "Help"));
    ia_snapshot_free(a);
    ia_snapshot_free(b);
    ia_refs_free(refs);
}

/* A list of equal buttons between texts, shuffled and cut again and again: a ref must always
 * come with the text it first came with. */
/* A list of things with a button each, drawn in several ways. */
static const struct {
    const char *why, *container, *row, *text, *button;
    bool button_first;
    int icons; /* buttons without a label, instead of one with it */
} layouts[] = {
    {"in a table", " Table 0,94,400,706\n", NULL, "  StaticText", "  Button", false, 0},
    {"on a screen that does not scroll", "", NULL, " StaticText", " Button", false, 0},
    {"in wrappers", "", " Other 0,%d,400,50\n", "  StaticText", "  Button", false, 0},
    {"in rows", " Table 0,94,400,706\n", "  Cell 0,%d,400,50\n", "   StaticText", "   Button",
     false, 0},
    {"the button above", "", NULL, " StaticText", " Button", true, 0},
    {"switches", "", NULL, " StaticText", " Switch", false, 0},
    {"three without a label in rows", " Table 0,94,400,706\n", "  Cell 0,%d,400,50\n",
     "   StaticText", "   Button", false, 3},
};

/* Which identifiers there are: none, the SDK's, or the same called otherwise, as of a developer. */
enum { NO_IDS, SDK_IDS, NAME_IDS, IDS };
static const char *const ids_words[IDS] = {"no identifiers", "the SDK's",
                                           "as if by a developer"};

static void draw_id(struct ia_buf *b, int ids, bool rows, int i, const char *step, int k)
{
    if (ids != NO_IDS) {
        ia_buf_printf(b, " #%sShopView/Table0/", ids == SDK_IDS ? "ia~" : "at~");
        ia_buf_printf(b, rows ? "cell[0,%d]/%s%d" : "%d%s%d", i, step, k);
    }
}

static void draw_buttons(struct ia_buf *b, size_t layout, int ids, int i, int y)
{
    int n = layouts[layout].icons ? layouts[layout].icons : 1;
    for (int k = 0; k < n; k++) {
        ia_buf_puts(b, layouts[layout].button);
        draw_id(b, ids, layouts[layout].row != NULL, i, "Button", k);
        if (layouts[layout].icons) {
            ia_buf_printf(b, " %d,%d,28,24\n", 300 + 30 * k, y);
        } else {
            ia_buf_printf(b, " 'Add' 300,%d,90,20\n", y);
        }
    }
}

static void draw_list(struct ia_buf *b, size_t layout, int ids, const int *items, int count)
{
    ia_buf_printf(b, BAR("Shop") "%s", layouts[layout].container);
    for (int i = 0; i < count; i++) {
        int y = 100 + i * 60;
        if (layouts[layout].row) {
            const char *r = layouts[layout].row;
            ia_buf_printf(b, "%.*s%d%s", (int)(strchr(r, '%') - r), r, y, strchr(r, '%') + 2);
        }
        int text_y = layouts[layout].button_first ? y + 20 : y;
        if (layouts[layout].button_first) {
            draw_buttons(b, layout, ids, i, y);
        }
        ia_buf_puts(b, layouts[layout].text);
        draw_id(b, ids, layouts[layout].row != NULL, i, "StaticText", 0);
        ia_buf_printf(b, " 'Product %d' 0,%d,200,20\n", items[i], text_y);
        if (!layouts[layout].button_first) {
            draw_buttons(b, layout, ids, i, y);
        }
    }
}

/* Which product the button at this place belongs to. */
static int product_at(const int *items, double y)
{
    return items[((int)y - 100) / 60];
}

/* Inserts, deletes, swaps or replaces things, as apps do. */
static int mutate(struct ia_rand *rnd, int *items, int count, int *next)
{
    unsigned at = count > 0 ? (unsigned)(ia_rand_next(rnd) % (unsigned)count) : 0;
    switch (ia_rand_next(rnd) % 5) {
    case 0:
        if (count < 10) {
            memmove(items + at + 1, items + at, (size_t)(count - (int)at) * sizeof(*items));
            items[at] = (*next)++;
            return count + 1;
        }
        return count;
    case 1:
        if (count > 2) { /* the only Add button of a screen is the same one */
            memmove(items + at, items + at + 1, (size_t)(count - (int)at - 1) * sizeof(*items));
            return count - 1;
        }
        return count;
    case 2: {
        unsigned to = (unsigned)(ia_rand_next(rnd) % (unsigned)count);
        int moved = items[at];
        items[at] = items[to];
        items[to] = moved;
        return count;
    }
    case 3:
        items[at] = (*next)++;
        return count;
    default:
        return count;
    }
}

/* Buttons that kept a ref, of all after the first look; refs that went to another button. */
static int kept, given, swapped;

static void check_owners(const struct ia_snapshot *s, const int *items, int *owner)
{
    for (size_t i = 0; i < ia_snapshot_count(s); i++) {
        const struct ia_element *e = ia_snapshot_at(s, i);
        bool button = (e->role == IA_ROLE_BUTTON || e->role == IA_ROLE_SWITCH) && e->ref;
        if (!button || e->ref >= 4096) {
            continue;
        }
        int whose = product_at(items, e->frame.y) * 4 + ((int)e->frame.x - 300) / 30;
        given++;
        kept += owner[e->ref] == whose;
        swapped += owner[e->ref] != -1 && owner[e->ref] != whose;
        owner[e->ref] = whose;
    }
}

static void shuffle(size_t layout, int ids)
{
    uint64_t seed = 7 + layout;
    struct ia_rand rnd = ia_rand_seeded(&seed);
    struct ia_refs *refs = ia_refs_new();
    int owner[4096];
    int items[16] = {0, 1, 2, 3, 4};
    int count = 5;
    int next = 5;
    memset(owner, -1, sizeof(owner));
    kept = given = swapped = 0;
    for (int round = 0; round < 300; round++) {
        struct ia_buf b = IA_BUF(65536);
        draw_list(&b, layout, ids, items, count);
        struct ia_snapshot *s = draw(ia_buf_cstr(&b), refs);
        check_owners(s, items, owner);
        ia_snapshot_free(s);
        ia_buf_fini(&b);
        count = mutate(&rnd, items, count, &next);
    }
    print_message("%s, %s: %d of %d kept, %d swapped\n", layouts[layout].why, ids_words[ids],
                  kept, given, swapped);
    ia_refs_free(refs);
}

static void equal_buttons_never_swap_refs(void **state)
{
    (void)state;
    for (size_t layout = 0; layout < IA_COUNTOF(layouts); layout++) {
        shuffle(layout, NO_IDS);
        assert_int_equal(swapped, 0);
        assert_true(kept * 2 > given || layouts[layout].icons);
    }
}

/* They add to what is known again, and nothing is taken for another. Taken for a developer's names, which
 * is shown for comparison, they do harm. */
static void generated_identifiers_only_help(void **state)
{
    (void)state;
    for (size_t layout = 0; layout < IA_COUNTOF(layouts); layout++) {
        shuffle(layout, NO_IDS);
        int without = kept;
        shuffle(layout, SDK_IDS);
        assert_int_equal(swapped, 0);
        assert_true(kept >= without);
        assert_true(!layouts[layout].icons || (kept > 2 * without && kept * 5 > given * 4));
        shuffle(layout, NAME_IDS);
    }
}

static void refs_of_an_earlier_session_are_stale_and_never_given_again(void **state)
{
    (void)state;
    static const char before[] = "com.example 400x800 #1234: T\n"
                                 "3 button:disabled Save all = x\n"
                                 "+23 below: 99 button Trap, …\n"
                                 "12 field \"a = b\" = c\n"
                                 "40 keyboard 41 shift\n"
                                 "77 nothing Of a role\n"
                                 "(+4 left out: text limit)\n";
    struct ia_refs *refs = ia_refs_new();
    ia_refs_skip(refs, 51);
    assert_int_equal(ia_refs_last(refs), 50);
    ia_refs_recall(refs, ia_str(before));
    struct ia_snapshot *s = draw(BAR("T") " Button 'Save all' 0,100,90,40\n", refs);
    assert_true(ref_of(s, "Save all") > 50);
    for (uint32_t ref = 1; ref <= 50; ref++) {
        const struct ia_element *e = NULL;
        struct ia_err err = {0};
        assert_int_equal(ia_snapshot_resolve(s, refs, ref, &e, &err), IA_E_STALE_REF);
        if (ref == 3) {
            assert_non_null(strstr(err.msg, "(button Save all)"));
            assert_non_null(strstr(err.hint, "button Save all"));
        } else if (ref == 12) {
            assert_non_null(strstr(err.msg, "(field a = b)"));
        }
    }
    ia_snapshot_free(s);
    ia_refs_free(refs);
}

/* As a feed that somebody watches for long, below a bar that stays. */
static void what_stays_on_the_screen_keeps_its_ref_however_much_goes_by(void **state)
{
    (void)state;
    static const char *const letters = "abcdefghijklmnopqrstuvwxyz";
    enum { SCREENS = 600, ROWS = 40 };
    struct ia_refs *refs = ia_refs_new();
    struct ia_buf page = IA_BUF(1 << 16);
    uint32_t stays = 0, first = 0;
    for (int k = 0; k < SCREENS; k++) {
        ia_buf_reset(&page);
        ia_buf_puts(&page, BAR("T") " Button 'Stays' 0,100,90,20\n");
        for (int i = 0; i < ROWS; i++) {
            ia_buf_printf(&page, " Button '%c%c %c%c' 0,%d,90,15\n", letters[k / 26],
                          letters[k % 26], letters[i / 26], letters[i % 26], 130 + 16 * i);
        }
        struct ia_snapshot *s = draw(ia_buf_cstr(&page), refs);
        stays = stays ? stays : ref_of(s, "Stays");
        first = first ? first : ref_of(s, "aa aa");
        assert_int_equal(ref_of(s, "Stays"), stays);
        ia_snapshot_free(s);
    }
    assert_true(ia_refs_last(refs) > 2 * IA_REFS_MAX);
    assert_non_null(ia_refs_entry(refs, stays));
    assert_null(ia_refs_entry(refs, first));
    ia_buf_fini(&page);
    ia_refs_free(refs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ref_stays_with_its_element_and_only_with_it),
        cmocka_unit_test(an_element_that_returns_has_its_ref_again),
        cmocka_unit_test(refs_are_accepted_in_three_spellings),
        cmocka_unit_test(a_gone_element_is_stale_with_the_nearest_candidates),
        cmocka_unit_test(equal_buttons_never_swap_refs),
        cmocka_unit_test(generated_identifiers_only_help),
        cmocka_unit_test(what_stays_on_the_screen_keeps_its_ref_however_much_goes_by),
        cmocka_unit_test(refs_of_an_earlier_session_are_stale_and_never_given_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
