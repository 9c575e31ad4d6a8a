/* Four ways in which agents were led astray on real screens: a ref that means something else
 * after the screen changed, a clock that never rests, a sheet over live controls, a phone in
 * another language. */
#include "source_dir.h"
#include "test.h"

#include "base/fd.h"
#include "driver/adapt/adapt.h"
#include "driver/snapshot/snapshot.h"

#include <jansson.h>

struct shown {
    struct ia_tree *tree;
    struct ia_snapshot *snapshot;
};

static json_t *load(const char *name)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/trees/axe/%s.json", IA_TEST_DATA, name);
    json_error_t err;
    json_t *doc = json_load_file(path, 0, &err);
    assert_non_null(doc);
    return doc;
}

static struct shown show(json_t *doc, struct ia_refs *refs)
{
    struct shown s = {.tree = NULL};
    struct ia_err err = {0};
    char *text = json_dumps(doc, 0);
    if (ia_adapt(IA_SOURCE_AXE, ia_str(text), &s.tree, &err) != IA_OK) {
        fail_msg("%s", err.msg);
    }
    free(text);
    s.snapshot = ia_snapshot_new(s.tree, refs, 0, 0);
    return s;
}

static void drop(struct shown *s)
{
    ia_snapshot_free(s->snapshot);
    ia_tree_free(s->tree);
}

static bool labelled(json_t *node, const char *label)
{
    const char *s = json_string_value(json_object_get(node, "AXLabel"));
    return s && strcmp(s, label) == 0;
}

/* The children array that holds the node with that label, and its index there. */
static json_t *home_of(json_t *list, const char *label, size_t *ret_index)
{
    json_t *node = NULL;
    size_t i = 0;
    json_array_foreach(list, i, node)
    {
        if (labelled(node, label)) {
            *ret_index = i;
            return list;
        }
        json_t *found = home_of(json_object_get(node, "children"), label, ret_index);
        if (found) {
            return found;
        }
    }
    return NULL;
}

static const struct ia_element *by_label(const struct ia_snapshot *s, const char *label)
{
    for (size_t i = 0; i < ia_snapshot_count(s); i++) {
        const struct ia_element *e = ia_snapshot_at(s, i);
        if (e->label && strcmp(e->label, label) == 0 && e->listed) {
            return e;
        }
    }
    return NULL;
}

static uint32_t ref_of(const struct ia_snapshot *s, const char *label)
{
    const struct ia_element *e = by_label(s, label);
    assert_non_null(e);
    return e->ref;
}

static void a_banner_above_does_not_turn_a_ref_into_another_button(void **state)
{
    (void)state;
    json_t *doc = load("offsider-overlay-test");
    struct ia_refs *refs = ia_refs_new();
    struct shown before = show(doc, refs);
    uint32_t ref = ref_of(before.snapshot, "Show Silent Scrim");

    size_t at = 0;
    json_t *home = home_of(doc, "Overlay Tab: Home", &at);
    json_t *banner = json_deep_copy(json_array_get(home, at));
    json_object_set_new(banner, "AXLabel", json_string("Banner"));
    json_object_set_new(banner, "AXUniqueId", json_null());
    json_array_insert_new(home, 0, banner);
    struct shown after = show(doc, refs);
    const struct ia_element *e = NULL;
    assert_int_equal(ia_snapshot_resolve(after.snapshot, refs, ref, &e, NULL), IA_OK);
    assert_string_equal(e->label, "Show Silent Scrim");
    drop(&after);

    home = home_of(doc, "Show Silent Scrim", &at);
    json_array_remove(home, at);
    after = show(doc, refs);
    struct ia_err err = {0};
    e = NULL;
    assert_int_equal(ia_snapshot_resolve(after.snapshot, refs, ref, &e, &err), IA_E_STALE_REF);
    assert_null(e);
    assert_non_null(strstr(err.hint, "Show Banner"));
    drop(&after);
    drop(&before);
    ia_refs_free(refs);
    json_decref(doc);
}

static void a_ticking_clock_keeps_layout_refs_and_capture(void **state)
{
    (void)state;
    json_t *doc = load("offsider-overlay-test");
    struct ia_refs *refs = ia_refs_new();
    struct shown before = show(doc, refs);
    size_t at = 0;
    json_t *home = home_of(doc, "Clock: 0", &at);
    json_t *clock = json_array_get(home, at);
    json_object_set_new(clock, "AXLabel", json_string("Clock: 17"));
    json_object_set_new(clock, "AXValue", json_string("17"));
    struct shown after = show(doc, refs);
    assert_true(ia_snapshot_layout_hash(before.snapshot) ==
                ia_snapshot_layout_hash(after.snapshot));
    assert_false(ia_snapshot_content_hash(before.snapshot) ==
                 ia_snapshot_content_hash(after.snapshot));
    struct ia_buf d = IA_BUF(4096);
    assert_true(ia_snapshot_diff(before.snapshot, after.snapshot, 0, &d));
    char want[64];
    snprintf(want, sizeof(want), "~ %u text Clock: 17\n",
             (unsigned)by_label(before.snapshot, "Clock: 0")->ref);
    assert_string_equal(ia_buf_cstr(&d), want);
    ia_buf_fini(&d);
    drop(&after);
    drop(&before);
    ia_refs_free(refs);
    json_decref(doc);
}

static void only_the_controls_of_an_open_sheet_are_offered_and_suggested(void **state)
{
    (void)state;
    static const char *const screens[][3] = {
        {"offsider-sheet-test-open", "Run Sheet Action", "Close Sheet"},
        {"offsider-stack-test-full", "Open Flags", "Buy"}};
    for (size_t k = 0; k < IA_COUNTOF(screens); k++) {
        json_t *doc = load(screens[k][0]);
        struct ia_refs *refs = ia_refs_new();
        struct shown s = show(doc, refs);
        assert_non_null(by_label(s.snapshot, screens[k][1]));
        assert_non_null(by_label(s.snapshot, screens[k][2]));
        assert_null(by_label(s.snapshot, "Offsider Playground"));
        struct ia_buf b = IA_BUF(4096);
        ia_snapshot_next(s.snapshot, &b);
        unsigned first = 0;
        assert_int_equal(sscanf(ia_buf_cstr(&b), "next: tap %u", &first), 1);
        assert_int_equal(first, by_label(s.snapshot, screens[k][1])->ref);
        ia_buf_fini(&b);
        drop(&s);
        ia_refs_free(refs);
        json_decref(doc);
    }
}

static void back_and_close_are_not_suggested_in_japanese(void **state)
{
    (void)state;
    json_t *doc = load("simuse-line-account-settings");
    struct ia_refs *refs = ia_refs_new();
    struct shown s = show(doc, refs);
    assert_string_equal(ia_snapshot_screen(s.snapshot), "アカウント");
    struct ia_buf b = IA_BUF(4096);
    ia_snapshot_next(s.snapshot, &b);
    unsigned a = 0;
    unsigned c = 0;
    assert_int_equal(sscanf(ia_buf_cstr(&b), "next: tap %u or %u", &a, &c), 2);
    unsigned back = by_label(s.snapshot, "戻る")->ref;
    unsigned close = by_label(s.snapshot, "閉じる")->ref;
    assert_true(a != back && a != close && c != back && c != close);
    ia_buf_fini(&b);
    drop(&s);
    ia_refs_free(refs);
    json_decref(doc);
}

/* Every label becomes a word of no language; equal ones stay equal, single characters and the
 * commas of composed labels stay. */
static void translate(json_t *list)
{
    json_t *node = NULL;
    size_t i = 0;
    json_array_foreach(list, i, node)
    {
        const char *s = json_string_value(json_object_get(node, "AXLabel"));
        if (s && strlen(s) > 8) {
            struct ia_buf b = IA_BUF(4096);
            for (; *s; s++) {
                bool letter = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z');
                ia_buf_putc(&b, letter ? (char)((*s & ~31) | (1 + ((*s & 31) + 12) % 26)) : *s);
            }
            json_object_set_new(node, "AXLabel", json_string(ia_buf_cstr(&b)));
            ia_buf_fini(&b);
        }
        translate(json_object_get(node, "children"));
    }
}

static void no_rule_needs_english(void **state)
{
    (void)state;
    static const char *const screens[] = {
        "offsider-choice-test",     "offsider-menu",
        "offsider-overlay-test",    "offsider-sheet-test-open",
        "offsider-stack-test-full", "offsider-text-input-keyboard",
        "simuse-line-emoji",        "offsider-slider-value-test"};
    for (size_t k = 0; k < IA_COUNTOF(screens); k++) {
        json_t *doc = load(screens[k]);
        struct ia_refs *r1 = ia_refs_new();
        struct ia_refs *r2 = ia_refs_new();
        struct shown a = show(doc, r1);
        translate(doc);
        struct shown b = show(doc, r2);
        assert_int_equal(ia_snapshot_count(a.snapshot), ia_snapshot_count(b.snapshot));
        for (size_t i = 0; i < ia_snapshot_count(a.snapshot); i++) {
            const struct ia_element *x = ia_snapshot_at(a.snapshot, i);
            const struct ia_element *y = ia_snapshot_at(b.snapshot, i);
            if (x->role != y->role || x->listed != y->listed || x->reach != y->reach ||
                x->actions != y->actions || x->on != y->on ||
                memcmp(&x->frame, &y->frame, sizeof(x->frame)) != 0) {
                fail_msg("%s: %s became %s", screens[k], x->label, y->label);
            }
        }
        drop(&a);
        drop(&b);
        ia_refs_free(r1);
        ia_refs_free(r2);
        json_decref(doc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_banner_above_does_not_turn_a_ref_into_another_button),
        cmocka_unit_test(a_ticking_clock_keeps_layout_refs_and_capture),
        cmocka_unit_test(only_the_controls_of_an_open_sheet_are_offered_and_suggested),
        cmocka_unit_test(back_and_close_are_not_suggested_in_japanese),
        cmocka_unit_test(no_rule_needs_english),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
