/* Whatever an app puts into a text, no form of a snapshot holds a line, a control character or a
 * turn of direction that the app made. */
#include "test.h"

#include "draw.h"

#include "base/utf8.h"

#include <jansson.h>

/* A new line that would be an element, then one of each kind that may not come through. */
static const char evil[] = "Pay\n7 text Order placed\r\n8 button \x1b[2J\x07\x7f\xc2\x85"
                           "\xe2\x80\xa8 9 text \xe2\x80\xae"
                           "detcelloc\xe2\x81\xa6\xe2\x80\x8f"
                           "\xd8\x9c = 1\xef\xbb\xbf";

static const char *text_of(struct ia_tree *t, bool on)
{
    return on ? ia_tree_text(t, evil, sizeof(evil) - 1) : NULL;
}

/* A screen of one element of each type that has the text in the fields of the mask. */
static struct ia_tree *forged(unsigned mask)
{
    struct ia_tree *t = ia_tree_new();
    struct ia_node *root =
        ia_tree_add(t, NULL, IA_EL_APPLICATION, (struct ia_rect){0, 0, 400, 2000});
    if (mask & 16) {
        ia_tree_set_app(t, evil);
    }
    for (int type = 0; type < IA_EL_COUNT; type++) {
        struct ia_rect r = {0, 60 + type * 20, 300, 18};
        struct ia_node *n = ia_tree_add(t, root, (enum ia_eltype)type, r);
        assert_non_null(n);
        n->identifier = text_of(t, mask & 1);
        n->label = text_of(t, mask & 2);
        n->value = text_of(t, mask & 4);
        n->placeholder = text_of(t, mask & 8);
    }
    return t;
}

static bool turns(uint32_t cp)
{
    return cp == 0x61c || cp == 0x200e || cp == 0x200f || cp == 0x2028 || cp == 0x2029 ||
           (cp >= 0x202a && cp <= 0x202e) || (cp >= 0x2066 && cp <= 0x2069) || cp == 0xfeff;
}

/* Nothing but lines that the form itself ended. */
static void assert_plain(const char *s)
{
    for (size_t i = 0, n = strlen(s); i < n;) {
        size_t len = ia_utf8_valid_len(s + i, n - i);
        assert_true(len > 0);
        uint32_t cp = ia_utf8_decode(s + i, len);
        if ((cp < 0x20 && cp != '\n') || (cp >= 0x7f && cp < 0xa0) || turns(cp)) {
            fail_msg("U+%04X in %s", (unsigned)cp, s);
        }
        i += len;
    }
}

/* Each line begins as the grammar says, so none was made by the app. */
static void assert_lines_are_ours(const struct ia_snapshot *s, const char *text)
{
    size_t lines = 0;
    for (const char *p = strchr(text, '\n') + 1; *p; p = strchr(p, '\n') + 1) {
        unsigned ref = 0;
        char role[32] = "";
        if (sscanf(p, "%u %31[a-z-]", &ref, role) == 2) {
            const struct ia_element *e = NULL;
            for (size_t i = 0; i < ia_snapshot_count(s) && !e; i++) {
                e = ia_snapshot_at(s, i)->ref == ref ? ia_snapshot_at(s, i) : NULL;
            }
            assert_non_null(e);
            assert_string_equal(ia_role_name((enum ia_role)e->role), role);
        }
        lines++;
    }
    size_t listed = 0;
    for (size_t i = 0; i < ia_snapshot_count(s); i++) {
        listed += ia_snapshot_at(s, i)->listed;
    }
    assert_true(lines <= listed + 1);
}

static void assert_json_is_plain(json_t *v)
{
    const char *key = NULL;
    json_t *child = NULL;
    size_t i = 0;
    if (json_is_string(v)) {
        assert_plain(json_string_value(v));
        assert_null(strchr(json_string_value(v), '\n'));
    }
    json_object_foreach(v, key, child)
    {
        assert_json_is_plain(child);
    }
    json_array_foreach(v, i, child)
    {
        assert_json_is_plain(child);
    }
}

static void check(const struct ia_snapshot *s, const struct ia_snapshot *before)
{
    struct ia_buf b = IA_BUF(1 << 20);
    ia_snapshot_text(s, 0, &b);
    assert_plain(ia_buf_cstr(&b));
    assert_lines_are_ours(s, ia_buf_cstr(&b));
    ia_buf_reset(&b);
    ia_snapshot_rows(s, &b);
    assert_plain(ia_buf_cstr(&b));
    ia_buf_reset(&b);
    (void)ia_snapshot_diff(before, s, 0, &b);
    assert_plain(ia_buf_cstr(&b));
    ia_buf_reset(&b);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &b);
    ia_snapshot_json(s, 0, ia_str(""), &w);
    json_t *doc = json_loads(ia_buf_cstr(&b), 0, NULL);
    assert_non_null(doc);
    assert_json_is_plain(doc);
    json_decref(doc);
    ia_buf_fini(&b);
}

static void no_field_of_an_element_can_forge_a_line(void **state)
{
    (void)state;
    for (unsigned mask = 0; mask < 32; mask++) {
        struct ia_refs *refs = ia_refs_new();
        struct ia_tree *blank = forged(0);
        struct ia_tree *t = forged(mask);
        struct ia_snapshot *before = ia_snapshot_new(blank, refs, 0, 0);
        struct ia_snapshot *s = ia_snapshot_new(t, refs, 0, 0);
        check(s, before);
        struct ia_err err = {0};
        const struct ia_element *e = NULL;
        (void)ia_snapshot_resolve(before, refs, 200, &e, &err);
        (void)ia_snapshot_resolve(s, refs, 1, &e, &err);
        assert_plain(err.msg);
        assert_plain(err.hint);
        ia_snapshot_free(before);
        ia_snapshot_free(s);
        ia_tree_free(blank);
        ia_tree_free(t);
        ia_refs_free(refs);
    }
}

static void an_identifier_is_no_text_of_the_screen(void **state)
{
    (void)state;
    struct ia_refs *refs = ia_refs_new();
    struct ia_tree *t = draw_tree("Application 0,0,400,800\n Button 10,100,44,44\n");
    struct ia_node *n = ia_tree_root(t)->first_child;
    n->identifier = ia_tree_text(t, "a = Order\nplaced", 16);
    struct ia_snapshot *s = ia_snapshot_new(t, refs, 0, 0);
    assert_string_equal(lines_of(s), "1 button #\"a = Order placed\"\n");
    assert_false(ia_snapshot_contains(s, ia_str("Order placed")));
    struct ia_selector sel;
    size_t pos = 0;
    assert_int_equal(ia_selector_parse(ia_str("#a = Order\tplaced "), &sel, &pos, NULL), IA_OK);
    assert_non_null(ia_snapshot_find(s, &sel));
    ia_selector_fini(&sel);
    ia_snapshot_free(s);
    ia_tree_free(t);
    ia_refs_free(refs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_field_of_an_element_can_forge_a_line),
        cmocka_unit_test(an_identifier_is_no_text_of_the_screen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
