/* match_test.c: which nodes a selector or a signature means, and which can be touched. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/impl.h"

enum {
    OTHER = 1,
    APP = 2,
    ALERT = 7,
    BUTTON = 9,
    KEYBOARD = 19,
    NAV = 21,
    SCROLL = 46,
    CELL = 75
};
#define ON IA_WIRE_NODE_ENABLED

static void texts_match(void **state)
{
    (void)state;
    const struct {
        uint8_t match;
        const char *pattern, *text;
        bool yes;
    } rows[] = {
        {IA_WIRE_EXACT, "Save", "Save", true},
        {IA_WIRE_EXACT, "Save", "save", false},
        {IA_WIRE_EXACT, "Save", "Save as", false},
        {IA_WIRE_EXACT, "", NULL, true},
        {IA_WIRE_CONTAINS, "ave", "Save as", true},
        {IA_WIRE_CONTAINS, "SAVE", "Save as", true},
        {IA_WIRE_CONTAINS, "aas", "aaas", true},
        {IA_WIRE_CONTAINS, "x", "", false},
        {IA_WIRE_CONTAINS, "x", NULL, false},
        {IA_WIRE_CONTAINS, "\xc3\x89t\xc3\xa9", "L'\xc3\x89T\xc3\xa9", true},
        {IA_WIRE_CONTAINS, "\xc3\xa9", "\xc3\x89", false},
        {IA_WIRE_GLOB, "*", "", true},
        {IA_WIRE_GLOB, "S*e", "Save", true},
        {IA_WIRE_GLOB, "S*e", "Saved", false},
        {IA_WIRE_GLOB, "*a*b*", "xxaxxbxx", true},
        {IA_WIRE_GLOB, "a*ab", "aabab", true},
        {IA_WIRE_GLOB, "?", "\xe2\x82\xac", true},
        {IA_WIRE_GLOB, "?", "ab", false},
        {IA_WIRE_GLOB, "row-??", "row-12", true},
        {IA_WIRE_GLOB, "row-??", "row-1", false},
        {IA_WIRE_GLOB, "a?c*", "abcd", true},
        {IA_WIRE_GLOB, "", "a", false},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (ia_bridge_text_matches(rows[i].match, rows[i].pattern, rows[i].text) !=
            rows[i].yes) {
            fail_msg("'%s' and '%s'", rows[i].pattern, rows[i].text);
        }
    }
}

/*  0 app
 *  1   list
 *  2     cell    3 delete
 *  4     cell    5 delete
 *  6   save */
static const struct ia_wire_node list[] = {
    {.depth = 0, .type = APP, .flags = ON, .frame = {0, 0, 390, 844}},
    {.depth = 1, .type = SCROLL, .flags = ON, .frame = {0, 100, 390, 200}},
    {.depth = 2, .type = CELL, .flags = ON, .label = "One", .frame = {0, 100, 390, 50}},
    {.depth = 3, .type = BUTTON, .flags = ON, .label = "Delete", .frame = {300, 100, 80, 50}},
    {.depth = 2, .type = CELL, .flags = ON, .label = "Two", .frame = {0, 150, 390, 50}},
    {.depth = 3, .type = BUTTON, .flags = ON, .label = "Delete", .frame = {300, 150, 80, 50}},
    {.depth = 1,
     .type = BUTTON,
     .flags = ON,
     .identifier = "save",
     .label = "Save",
     .frame = {0, 700, 390, 44}},
};
static const struct ia_bridge_view view = {list, 7};

static void selectors_select(void **state)
{
    (void)state;
    const struct {
        struct ia_wire_selector s;
        uint32_t count;
        int32_t at;
    } rows[] = {
        {{.label = "Delete"}, 2, 3},
        {{.label = "Delete", .index = 1}, 2, 5},
        {{.label = "Delete", .index = 2}, 2, IA_BRIDGE_NONE},
        {{.label = "Delete", .index = IA_WIRE_UNIQUE}, 2, 3},
        {{.label = "Delete", .type = CELL}, 0, IA_BRIDGE_NONE},
        {{.type = CELL}, 2, 2},
        {{.text = "save"}, 1, 6},
        {{.text = "Save"}, 1, 6},
        {{.identifier = "Save"}, 0, IA_BRIDGE_NONE},
        {{.match = IA_WIRE_GLOB, .label = "?ne"}, 1, 2},
        {{.match = IA_WIRE_CONTAINS, .label = "E"}, 4, 2},
        {{.identifier = "save", .label = "Save", .type = BUTTON}, 1, 6},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        int32_t at;
        assert_int_equal(ia_bridge_select(view, &rows[i].s, &at), rows[i].count);
        assert_int_equal(at, rows[i].at);
    }
}

static void a_node_is_found_by_its_path(void **state)
{
    (void)state;
    for (int32_t i = 0; i < 7; i++) {
        uint16_t path[IA_WIRE_DEPTH_MAX];
        struct ia_wire_signature s = {.type = list[i].type,
                                      .identifier = list[i].identifier,
                                      .label = list[i].label,
                                      .path = path};
        s.path_n = ia_bridge_path(view, i, path);
        assert_int_equal(s.path_n, list[i].depth);
        assert_int_equal(ia_bridge_find_signature(view, &s), i);
    }
}

static void a_signature_never_matches_another_element(void **state)
{
    (void)state;
    const uint16_t first[] = {0, 0, 0}, second[] = {0, 1, 0}, nowhere[] = {4};
    const struct {
        struct ia_wire_signature s;
        int32_t at;
    } rows[] = {
        {{.type = BUTTON,
          .label = "Delete",
          .path = second,
          .path_n = 3,
          .ordinal = 1,
          .count = 2},
         5},
        {{.type = BUTTON, .label = "Delete", .path = first, .path_n = 3, .count = 2}, 3},
        /* it moved and is still the second of two */
        {{.type = BUTTON,
          .label = "Delete",
          .path = nowhere,
          .path_n = 1,
          .ordinal = 1,
          .count = 2},
         5},
        /* a third is gone: not even the path tells which two are left */
        {{.type = BUTTON,
          .label = "Delete",
          .path = second,
          .path_n = 3,
          .ordinal = 1,
          .count = 3},
         IA_BRIDGE_NONE},
        {{.type = BUTTON,
          .label = "Save",
          .identifier = "save",
          .path = nowhere,
          .path_n = 1,
          .count = 2},
         IA_BRIDGE_NONE},
        /* the only one may be anywhere */
        {{.type = BUTTON,
          .label = "Save",
          .identifier = "save",
          .path = nowhere,
          .path_n = 1,
          .count = 1},
         6},
        {{.type = BUTTON, .label = "Save", .identifier = "save", .path = nowhere, .path_n = 1},
         6},
        /* another label, type or identifier: gone */
        {{.type = BUTTON, .label = "Saved", .identifier = "save", .count = 1}, IA_BRIDGE_NONE},
        {{.type = CELL, .label = "Save", .identifier = "save", .count = 1}, IA_BRIDGE_NONE},
        {{.type = BUTTON, .label = "Save", .count = 1}, IA_BRIDGE_NONE},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (ia_bridge_find_signature(view, &rows[i].s) != rows[i].at) {
            fail_msg("row %zu: %d", i, ia_bridge_find_signature(view, &rows[i].s));
        }
    }
    assert_int_equal(ia_bridge_find_signature((struct ia_bridge_view){NULL, 0}, &rows[0].s),
                     IA_BRIDGE_NONE);
}

static void visibility_is_estimated_from_the_tree(void **state)
{
    (void)state;
    const struct ia_wire_node screen[] = {
        {.depth = 0, .type = APP, .flags = ON, .frame = {0, 0, 390, 844}},
        {.depth = 1, .type = SCROLL, .flags = ON, .frame = {0, 100, 390, 500}},
        /* 2 whole, 3 partly visible, 4 scrolled out, 5 no area, 6 disabled, 7 invisible */
        {.depth = 2, .type = CELL, .flags = ON, .frame = {0, 100, 390, 50}},
        {.depth = 2, .type = CELL, .flags = ON, .frame = {0, 580, 390, 50}},
        {.depth = 2, .type = CELL, .flags = ON, .frame = {0, 610, 390, 50}},
        {.depth = 2, .type = BUTTON, .flags = ON, .frame = {10, 200, 0, 50}},
        {.depth = 2, .type = BUTTON, .flags = 0, .frame = {10, 200, 40, 50}},
        {.depth = 2,
         .type = BUTTON,
         .flags = ON | IA_WIRE_NODE_INVISIBLE,
         .frame = {10, 200, 40, 50}},
        /* 8 under the alert, 9 beside it, 10 off the screen, 11 under a plain view */
        {.depth = 1, .type = BUTTON, .flags = ON, .frame = {100, 300, 100, 50}},
        {.depth = 1, .type = BUTTON, .flags = ON, .frame = {0, 300, 40, 50}},
        {.depth = 1, .type = BUTTON, .flags = ON, .frame = {0, 900, 40, 50}},
        {.depth = 1, .type = OTHER, .flags = ON, .frame = {0, 0, 390, 844}},
        {.depth = 1, .type = ALERT, .flags = ON, .frame = {60, 250, 270, 150}},
        /* 13 in the alert; 14 not hittable according to the back end */
        {.depth = 2, .type = BUTTON, .flags = ON, .frame = {70, 350, 250, 40}},
        {.depth = 1,
         .type = BUTTON,
         .flags = ON | IA_WIRE_NODE_HITTABLE_KNOWN,
         .frame = {0, 700, 40, 50}},
    };
    const struct {
        int32_t at;
        enum ia_wire_code code;
        double x, y;
    } rows[] = {
        {2, IA_WIRE_OK, 195, 125},         {3, IA_WIRE_OK, 195, 590},
        {4, IA_WIRE_E_NOT_VISIBLE, 0, 0},  {5, IA_WIRE_E_NOT_VISIBLE, 0, 0},
        {6, IA_WIRE_E_DISABLED, 0, 0},     {7, IA_WIRE_E_NOT_VISIBLE, 0, 0},
        {8, IA_WIRE_E_COVERED, 0, 0},      {9, IA_WIRE_OK, 20, 325},
        {10, IA_WIRE_E_NOT_VISIBLE, 0, 0}, {12, IA_WIRE_OK, 195, 325},
        {13, IA_WIRE_OK, 195, 370},        {14, IA_WIRE_E_NOT_VISIBLE, 0, 0},
    };
    struct ia_bridge_view v = {screen, sizeof(screen) / sizeof(screen[0])};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct ia_wire_point p = {0, 0};
        enum ia_wire_code code = ia_bridge_visibility(v, rows[i].at, &p);
        if (code != rows[i].code || p.x != rows[i].x || p.y != rows[i].y) {
            fail_msg("node %d: %s at %g, %g", rows[i].at, ia_wire_code_name(code), p.x, p.y);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_match),
        cmocka_unit_test(selectors_select),
        cmocka_unit_test(a_node_is_found_by_its_path),
        cmocka_unit_test(a_signature_never_matches_another_element),
        cmocka_unit_test(visibility_is_estimated_from_the_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
