/* The parts of the toolkit that no app of the phone uses yet, and the scene's own rules. */
#include "test.h"

#include "driver/embedded/phone/prefs.h"
#include "driver/embedded/ui/kit.h"
#include "driver/embedded/ui/shell.h"

static int touched;

static void on_tab(struct ia_phone *p, const struct ia_touch *t)
{
    (void)p;
    touched = t->arg;
}

static void build_tabs(struct ia_kit *k)
{
    static const struct ia_kit_button tabs[] = {
        {.label = "Shop", .ident = "shop", .symbol = IA_SYMBOL_GEAR, .tap = on_tab},
        {.label = "Cart", .ident = "cart", .symbol = IA_SYMBOL_BELL, .tap = on_tab},
        {.label = "Me", .ident = "me", .symbol = IA_SYMBOL_PERSON, .tap = on_tab},
    };
    const struct ia_kit_nav nav = {.tabs = tabs, .tab_count = 3, .tab_selected = 1};
    ia_kit_begin(k, &nav, IA_LIST_GROUPED);
    for (int i = 0; i < 30; i++) {
        ia_kit_row(k, &(struct ia_kit_row){.label = "row"});
    }
    ia_kit_end(k);
}

static const struct ia_screen tabs_screen = {"Tabs", build_tabs, NULL, NULL};

/* A phone whose Settings app stands on a screen of ours. */
static struct ia_phone *phone_with(const struct ia_screen *screen)
{
    struct ia_phone *p = ia_phone_new(1);
    ia_phone_launch(p, ia_app_find("com.apple.Preferences"));
    ia_nav_top(p)->screen = screen;
    return p;
}

static const struct ia_view *view_named(const struct ia_scene *s, const char *ident)
{
    for (int32_t i = 0; i < s->count; i++) {
        if (s->views[i].ident && strcmp(s->views[i].ident, ident) == 0) {
            return &s->views[i];
        }
    }
    fail_msg("no view %s", ident);
    return NULL;
}

static void a_tab_bar_takes_touches_and_marks_the_chosen_tab(void **state)
{
    (void)state;
    struct ia_phone *p = phone_with(&tabs_screen);
    struct ia_scene s;
    ia_phone_scene(p, &s);
    assert_false(view_named(&s, "shop")->flags & IA_VIEW_SELECTED);
    assert_true(view_named(&s, "cart")->flags & IA_VIEW_SELECTED);
    const struct ia_view *me = view_named(&s, "me");
    int32_t hit = ia_scene_hit(&s, me->x + me->w / 2, me->y + me->h / 2);
    assert_ptr_equal(&s.views[hit], me);
    struct ia_touch t = ia_scene_touch(me, me->x, me->y);
    me->tap(p, &t);
    assert_int_equal(touched, 2);
    ia_scene_fini(&s);
    ia_phone_free(p);
}

static void a_list_ends_above_the_tab_bar(void **state)
{
    (void)state;
    struct ia_phone *p = phone_with(&tabs_screen);
    ia_nav_top(p)->scroll = 1e6F;
    ia_phone_settle(p);
    struct ia_scene s;
    ia_phone_scene(p, &s);
    float last = 0;
    for (int32_t i = 0; i < s.count; i++) {
        last = s.views[i].type == IA_EL_CELL ? s.views[i].y + s.views[i].h : last;
    }
    assert_true(last < IA_SCREEN_H - IA_SAFE_BOTTOM - 49);
    assert_true(ia_nav_top(p)->scroll == s.scrollers[0].max);
    ia_scene_fini(&s);
    ia_phone_free(p);
}

static void views_keep_their_family_when_they_are_brought_back(void **state)
{
    (void)state;
    struct ia_scene s;
    ia_scene_init(&s);
    (void)ia_scene_push(&s, IA_EL_WINDOW, 0, 0, 9, 9);
    (void)ia_scene_push(&s, IA_EL_TABLE, 0, 0, 9, 9);
    (void)ia_scene_add(&s, IA_EL_CELL, 0, 0, 9, 9);
    (void)ia_scene_add(&s, IA_EL_CELL, 0, 0, 9, 9);
    ia_scene_pop(&s);
    s.scrollers[s.scroller_count++] = (struct ia_scroller){.view = 1};
    (void)ia_scene_push(&s, IA_EL_NAVIGATION_BAR, 0, 0, 9, 9);
    (void)ia_scene_add(&s, IA_EL_BUTTON, 0, 0, 9, 9);
    ia_scene_pop(&s);
    ia_scene_bring_back(&s, 1, 4);
    ia_scene_pop(&s);
    static const struct {
        enum ia_eltype type;
        int32_t parent, end;
    } rows[] = {{IA_EL_WINDOW, -1, 6}, {IA_EL_NAVIGATION_BAR, 0, 3}, {IA_EL_BUTTON, 1, 3},
                {IA_EL_TABLE, 0, 6},   {IA_EL_CELL, 3, 5},           {IA_EL_CELL, 3, 6}};
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        assert_int_equal(s.views[i].type, rows[i].type);
        assert_int_equal(s.views[i].parent, rows[i].parent);
        assert_int_equal(s.views[i].end, rows[i].end);
    }
    assert_int_equal(s.scrollers[0].view, 3);
    ia_scene_fini(&s);
}

static void a_touch_goes_to_the_topmost_view_inside_its_clips(void **state)
{
    (void)state;
    struct ia_scene s;
    ia_scene_init(&s);
    (void)ia_scene_push(&s, IA_EL_TABLE, 0, 0, 100, 50);
    s.views[0].flags = IA_VIEW_CLIP | IA_VIEW_BLOCKS;
    ia_scene_add(&s, IA_EL_CELL, 0, 0, 100, 80)->tap = on_tab;
    ia_scene_pop(&s);
    ia_scene_add(&s, IA_EL_OTHER, 0, 0, 20, 20)->flags = IA_VIEW_BLOCKS;
    assert_int_equal(ia_scene_hit(&s, 50, 10), 1);
    assert_int_equal(ia_scene_hit(&s, 50, 60), -1);
    assert_int_equal(ia_scene_hit(&s, 10, 10), 2);
    ia_scene_fini(&s);
}

static void text_is_measured_cut_and_broken(void **state)
{
    (void)state;
    assert_true(ia_text_width("", 0, 17, false) == 0);
    assert_true(ia_text_width("il", 2, 17, false) < ia_text_width("MW", 2, 17, false));
    assert_true(ia_text_width("abc", 3, 17, true) > ia_text_width("abc", 3, 17, false));
    assert_true(ia_text_width("\xFF\xFE", 2, 17, false) > 0);
    assert_int_equal(ia_text_fit("hello world", 11, 17, false, 1000), 11);
    assert_int_equal(ia_text_fit("hello world", 11, 17, false, 60), 6);
    assert_int_equal(ia_text_line("hello big world", 17, false, 75), 10);
    assert_int_equal(ia_text_line("hello", 17, false, 1000), 5);
    assert_int_equal(ia_text_line("\xC3\xBC", 17, false, 1), 2);
    assert_true(ia_text_line("unbreakable", 17, false, 30) > 0);
}

static void letters_match_without_case(void **state)
{
    (void)state;
    assert_true(ia_kit_matches("Auto-Lock", "LOCK"));
    assert_true(ia_kit_matches("Auto-Lock", ""));
    assert_true(ia_kit_matches("", ""));
    assert_false(ia_kit_matches("Auto", "Auto-Lock"));
    assert_true(ia_kit_matches("aab", "ab"));
}

static void every_choice_has_its_factory_option(void **state)
{
    (void)state;
    struct ia_prefs p;
    ia_prefs_reset(&p);
    for (int i = 0; i < IA_CHOICE_COUNT; i++) {
        assert_true(ia_prefs_choice(&p, (enum ia_choice)i).n > 0);
        assert_int_equal(ia_choice_option((enum ia_choice)i, 99).n, 0);
    }
    assert_true(ia_str_is(ia_prefs_choice(&p, IA_CHOICE_PREVIEWS), "When Unlocked"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tab_bar_takes_touches_and_marks_the_chosen_tab),
        cmocka_unit_test(a_list_ends_above_the_tab_bar),
        cmocka_unit_test(views_keep_their_family_when_they_are_brought_back),
        cmocka_unit_test(a_touch_goes_to_the_topmost_view_inside_its_clips),
        cmocka_unit_test(text_is_measured_cut_and_broken),
        cmocka_unit_test(letters_match_without_case),
        cmocka_unit_test(every_choice_has_its_factory_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
