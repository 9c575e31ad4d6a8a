/* The rules of the audit: each on a screen of its own, with what must not be found beside it, and all
 * of them on the corpus of trees, whose findings (tests/data/trees/audit.txt) were reviewed by eye.
 * IA_GOLDEN=1 writes that file. */
#include "source_dir.h"
#include "test.h"

#include "draw.h"

#include "base/fd.h"
#include "driver/adapt/adapt.h"
#include "driver/snapshot/audit.h"

#include <glob.h>
#include <jansson.h>

#define SCREEN "Application 0,0,400,800\n"

/* "error label-missing 1\n" for each finding: severity, rule, ref. */
static void findings_of(const char *tree, struct ia_buf *out)
{
    struct ia_refs *refs = ia_refs_new();
    struct ia_tree *t = draw_tree(tree);
    struct ia_snapshot *s = ia_snapshot_new(t, refs, 0, 0);
    struct ia_audit a;
    ia_audit_run(s, t, &a);
    for (size_t i = 0; i < a.count; i++) {
        const struct ia_finding *f = &a.findings[i];
        ia_buf_printf(out, "%s %s %u\n",
                      ia_audit_severity_name((enum ia_audit_severity)f->severity),
                      ia_audit_rule_id((enum ia_audit_rule)f->rule), f->ref);
        assert_true(f->element[0] != '\0' && f->message[0] != '\0');
    }
    ia_audit_fini(&a);
    ia_snapshot_free(s);
    ia_tree_free(t);
    ia_refs_free(refs);
}

struct row {
    const char *tree, *findings;
};

static void check(const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct ia_buf out = IA_BUF(1 << 16);
        findings_of(rows[i].tree, &out);
        if (strcmp(ia_buf_cstr(&out), rows[i].findings) != 0) {
            fail_msg("row %zu:\n%s\nfound:\n%s", i, rows[i].tree, ia_buf_cstr(&out));
        }
        ia_buf_fini(&out);
    }
}

static void controls_need_a_label_and_rows_and_texts_do_not(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {SCREEN " Button #close 20,100,44,44\n", "error label-missing 1\n"},
        {SCREEN " Slider ='50%' 20,100,200,30\n", "error label-missing 1\n"},
        {SCREEN " Switch ='1' 20,100,51,31\n", "error label-missing 1\n"},
        {SCREEN " Button 'Close' 20,100,44,44\n", ""},
        {SCREEN " Button 20,100,44,44\n  StaticText 'Close' 22,102,40,40\n", ""},
        {SCREEN " Button 20,100,44,44 disabled\n", "error label-missing 1\n"},
        {SCREEN " Cell 0,100,400,60\n  StaticText 'Ada' 20,110,100,20\n", ""},
        {SCREEN " Button 20,900,44,44\n Button 'Here' 20,100,44,44\n", ""}, /* off-screen */
        {SCREEN " Keyboard 0,500,400,300\n  Key 0,500,40,40\n  Button 100,700,44,44\n", ""},
    };
    check(rows, IA_COUNTOF(rows));
}

static void labels_do_not_repeat_the_role_or_name_a_file(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {SCREEN " Button 'Save button' 20,100,90,44\n", "warning label-is-role 1\n"},
        {SCREEN " Button 'Save Button' 20,100,90,44\n", "warning label-is-role 1\n"},
        {SCREEN " Link 'Terms link' 20,100,90,44\n", "warning label-is-role 1\n"},
        {SCREEN " TextField 'Name field' 20,100,90,44\n", "warning label-is-role 1\n"},
        {SCREEN " Button 'Buttons' 20,100,90,44\n", ""},
        {SCREEN " Button 'Unbutton' 20,100,90,44\n", ""},
        {SCREEN " Button 'Switch' 20,100,90,44\n", ""}, /* what it does */
        {SCREEN " StaticText 'Save button' 20,100,90,44\n", ""},
        {SCREEN " Button 'ic_close' 20,100,44,44\n", "warning label-is-name 1\n"},
        {SCREEN " Button 'close.PNG' 20,100,44,44\n", "warning label-is-name 1\n"},
        {SCREEN " Button 'square.and.arrow.up' 20,100,44,44\n", "warning label-is-name 1\n"},
        {SCREEN " Image 'hero_1' 20,100,90,90\n", "warning label-is-name 1\n"},
        {SCREEN " Link 'docs_v2.pdf' 20,100,90,44\n", ""}, /* it leads there */
        {SCREEN " Button 'example.com' 20,100,90,44\n", ""},
        {SCREEN " Button 'U.S.A.' 20,100,90,44\n", ""},
        {SCREEN " Button '3.14' 20,100,90,44\n", ""},
        {SCREEN " StaticText 'ic_close' 20,100,90,44\n", ""},
    };
    check(rows, IA_COUNTOF(rows));
}

static void fields_need_a_label(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {SCREEN " TextField 20,100,200,44\n", "error field-label 1\n"},
        {SCREEN " TextField ='Ada' 20,100,200,44\n", "warning field-label 1\n"},
        {SCREEN " TextField ?'Name' 20,100,200,44\n", "notice field-label 1\n"},
        {SCREEN " SecureTextField 20,100,200,34\n", "error field-label 1\n"},
        {SCREEN " SearchField 'Search' 20,100,200,36\n", ""},
    };
    check(rows, IA_COUNTOF(rows));
}

static void equal_labels_are_told_apart_by_their_rows(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {SCREEN " Button 'More' 20,100,90,44\n Button 'More' 20,200,90,44\n"
                " Button 'More' 20,300,90,44\n",
         "warning label-duplicate 1\n"},
        {SCREEN " Button 'More' 20,100,90,44\n Link 'More' 20,200,90,44\n", ""},
        {SCREEN " Switch 'Wi-Fi' ='1' 20,100,51,44\n Switch 'Wi-Fi' ='0' 20,200,51,44\n",
         "warning label-duplicate 1\n"},
        {SCREEN " Cell 'Ada' 0,100,400,60\n  Button 'Call' 300,105,80,50\n"
                " Cell 'Bob' 0,160,400,60\n  Button 'Call' 300,165,80,50\n",
         "notice label-duplicate 2\n"},
        {SCREEN " Cell 'Ada' 0,100,400,60\n Cell 'Ada' 0,160,400,60\n", ""}, /* content */
        {SCREEN " StaticText 'New' 20,100,90,44\n StaticText 'New' 20,200,90,44\n", ""},
    };
    check(rows, IA_COUNTOF(rows));
}

static void targets_are_as_large_as_a_finger(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {SCREEN " Button 'A' 20,100,43,44\n", "warning target-small 1\n"},
        {SCREEN " Button 'A' 20,100,43.6,44\n", ""},
        {SCREEN " Button 'A' 20,100,200,20\n", "error target-small 1\n"},
        {SCREEN " Button 'A' 20,100,24,24\n", "warning target-small 1\n"},
        {SCREEN " Button 'A' 20,100,20,20 disabled\n", ""},
        {SCREEN " Switch 'A' ='1' 20,100,51,31\n", ""},   /* the system's size */
        {SCREEN " Slider 'A' ='5%' 20,100,200,31\n", ""}, /* likewise */
        {SCREEN
         " Stepper 'A' 20,100,94,32\n  Button '-' 20,100,47,32\n  Button '+' 67,100,47,32\n",
         ""},
        {SCREEN " SearchField 'S' 20,100,300,36\n  Button 'Clear text' 290,108,20,20\n", ""},
        {SCREEN " ScrollView 0,100,400,200\n  Button 'A' 20,280,44,44\n", ""}, /* cut off */
    };
    check(rows, IA_COUNTOF(rows));
}

static void targets_do_not_overlap_unless_one_holds_the_other(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {SCREEN " Button 'A' 20,100,100,44\n Button 'B' 80,100,100,44\n",
         "warning target-overlap 1\n"},
        {SCREEN " Button 'A' 20,100,100,44\n Button 'B' 115,100,100,44\n", ""}, /* hardly */
        {SCREEN " Button 'A' 20,100,100,44\n Button 'B' 120,100,100,44\n", ""},
        {SCREEN " Cell 'A' 0,100,400,60\n Button 'B' 300,108,80,44\n", ""},
        {SCREEN " Cell 'A' 0,100,400,60\n  Button 'B' 300,80,80,60\n", ""}, /* its own */
    };
    check(rows, IA_COUNTOF(rows));
}

static void large_images_say_something_or_are_hidden(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {SCREEN " Image 20,100,200,200\n", "notice image-label 0\n"},
        {SCREEN " Image 'A red bicycle' 20,100,200,200\n", ""},
        {SCREEN " Image 20,100,40,40\n", ""},                          /* a mark */
        {SCREEN " Image 0,0,400,800\n Button 'A' 20,100,90,44\n", ""}, /* the ground */
        {SCREEN " Image 20,100,200,200 invisible\n", ""},
        {SCREEN
         " Cell 0,100,400,120\n  Image 10,110,100,100\n  StaticText 'Ada' 120,110,90,40\n",
         ""},
        {SCREEN " Button 'Play' 0,100,200,200\n  Image 0,100,200,200\n", ""},
        {SCREEN " Image 20,900,200,200\n Button 'A' 20,100,90,44\n", ""},
    };
    check(rows, IA_COUNTOF(rows));
}

static void what_is_in_something_disabled_is_disabled_too(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {SCREEN " Other 0,100,400,200 disabled\n  Button 'Pay' 20,120,90,44\n",
         "warning disabled-around 0\n"},
        {SCREEN " Other 0,100,400,200 disabled\n  Button 'Pay' 20,120,90,44 disabled\n", ""},
        {SCREEN " Other 0,100,400,200\n  Button 'Pay' 20,120,90,44 disabled\n", ""},
    };
    check(rows, IA_COUNTOF(rows));
}

/* ---- forms and bounds -------------------------------------------------------------------- */

static void the_gravest_come_first_and_a_fix_is_told_once(void **state)
{
    (void)state;
    struct ia_refs *refs = ia_refs_new();
    struct ia_tree *t = draw_tree(SCREEN " Button 'A' 20,100,40,44\n Button 'B' 20,200,40,44\n"
                                         " Button #c 20,300,44,44\n");
    struct ia_snapshot *s = ia_snapshot_new(t, refs, 0, 0);
    struct ia_audit a;
    struct ia_buf text = IA_BUF(1 << 16), json = IA_BUF(1 << 16);
    struct ia_jsonw w;
    ia_audit_run(s, t, &a);
    ia_audit_text(&a, &text);
    assert_string_equal(
        ia_buf_cstr(&text),
        "error label-missing: 3 button #c: has no label: only its role is read\n"
        "  fix: give it an accessibilityLabel that says what it does\n"
        "warning target-small: 1 button A: is 40 by 44 points\n"
        "  fix: make the area that takes touches at least 44 by 44 points\n"
        "warning target-small: 2 button B: is 40 by 44 points\n"
        "1 error, 2 warnings, 0 notices in 3 elements\n");
    ia_jsonw_init(&w, &json);
    ia_audit_json(&a, &w);
    json_t *o = json_loadb(json.p, json.len, JSON_REJECT_DUPLICATES, NULL);
    const json_t *first = json_array_get(json_object_get(o, "findings"), 0);
    assert_int_equal(json_integer_value(json_object_get(o, "warnings")), 2);
    assert_int_equal(json_integer_value(json_object_get(first, "ref")), 3);
    assert_string_equal(json_string_value(json_object_get(first, "rule")), "label-missing");
    json_decref(o);
    ia_buf_fini(&text);
    ia_buf_fini(&json);
    ia_audit_fini(&a);
    ia_snapshot_free(s);
    ia_tree_free(t);
    ia_refs_free(refs);
}

static void a_hostile_screen_is_bounded(void **state)
{
    (void)state;
    struct ia_refs *refs = ia_refs_new();
    struct ia_tree *t = ia_tree_new();
    struct ia_node *root =
        ia_tree_add(t, NULL, IA_EL_APPLICATION, (struct ia_rect){0, 0, 400, 800});
    for (int i = 0; i < 3000; i++) {
        struct ia_rect r = {i % 380, (i * 7) % 780, 15, 15};
        ia_tree_add(t, root, i % 2 ? IA_EL_BUTTON : IA_EL_TEXT_FIELD, r);
    }
    struct ia_snapshot *s = ia_snapshot_new(t, refs, 0, 0);
    struct ia_audit a;
    ia_audit_run(s, t, &a);
    assert_int_equal(a.count, IA_AUDIT_FINDINGS_MAX);
    assert_true(a.cut);
    ia_audit_fini(&a);
    ia_tree_free(t);
    ia_snapshot_free(s);
    t = ia_tree_new(); /* an empty one */
    s = ia_snapshot_new(t, refs, 0, 0);
    ia_audit_run(s, t, &a);
    assert_int_equal(a.count, 0);
    ia_audit_fini(&a);
    ia_tree_free(t);
    ia_snapshot_free(s);
    ia_refs_free(refs);
}

/* ---- the corpus -------------------------------------------------------------------------- */

static struct ia_tree *read_tree(const char *path, enum ia_source source)
{
    struct ia_buf b = IA_BUF(1 << 22);
    struct ia_tree *t = NULL;
    assert_int_equal(ia_file_read(path, &b, NULL), IA_OK);
    if (source == IA_SOURCE_COUNT) {
        t = draw_tree(ia_buf_cstr(&b));
    } else {
        assert_int_equal(ia_adapt(source, ia_buf_str(&b), &t, NULL), IA_OK);
    }
    ia_buf_fini(&b);
    return t;
}

static void audit_file(const char *path, enum ia_source source, struct ia_buf *out)
{
    struct ia_refs *refs = ia_refs_new();
    struct ia_tree *t = read_tree(path, source);
    struct ia_snapshot *s = ia_snapshot_new(t, refs, 0, 0);
    struct ia_audit a;
    ia_audit_run(s, t, &a);
    ia_buf_printf(out, "\n%s\n", path + strlen(IA_TEST_DATA "/trees/"));
    ia_audit_text(&a, out);
    ia_audit_fini(&a);
    ia_snapshot_free(s);
    ia_tree_free(t);
    ia_refs_free(refs);
}

static void every_tree_has_the_findings_that_were_reviewed(void **state)
{
    (void)state;
    static const struct {
        const char *files;
        enum ia_source source;
    } kinds[] = {{"axe/*.json", IA_SOURCE_AXE},
                 {"wda/*.xml", IA_SOURCE_WDA_XML},
                 {"synthetic/*.xml", IA_SOURCE_WDA_XML},
                 {"synthetic/*.json", IA_SOURCE_AXE},
                 {"drawn/*.tree", IA_SOURCE_COUNT}};
    static const char golden[] = IA_TEST_DATA "/trees/audit.txt";
    struct ia_buf found = IA_BUF(1 << 20), want = IA_BUF(1 << 20);
    ia_buf_puts(&found, "# What the audit finds on each tree; reviewed by eye.\n");
    for (size_t k = 0; k < IA_COUNTOF(kinds); k++) {
        char pattern[512];
        glob_t g;
        snprintf(pattern, sizeof(pattern), IA_TEST_DATA "/trees/%s", kinds[k].files);
        assert_int_equal(glob(pattern, 0, NULL, &g), 0);
        for (size_t i = 0; i < g.gl_pathc; i++) {
            audit_file(g.gl_pathv[i], kinds[k].source, &found);
        }
        globfree(&g);
    }
    if (getenv("IA_GOLDEN")) {
        assert_int_equal(ia_file_write_atomic(golden, found.p, found.len, 0644, NULL), IA_OK);
    }
    assert_int_equal(ia_file_read(golden, &want, NULL), IA_OK);
    assert_string_equal(ia_buf_cstr(&found), ia_buf_cstr(&want));
    ia_buf_fini(&found);
    ia_buf_fini(&want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(controls_need_a_label_and_rows_and_texts_do_not),
        cmocka_unit_test(labels_do_not_repeat_the_role_or_name_a_file),
        cmocka_unit_test(fields_need_a_label),
        cmocka_unit_test(equal_labels_are_told_apart_by_their_rows),
        cmocka_unit_test(targets_are_as_large_as_a_finger),
        cmocka_unit_test(targets_do_not_overlap_unless_one_holds_the_other),
        cmocka_unit_test(large_images_say_something_or_are_hidden),
        cmocka_unit_test(what_is_in_something_disabled_is_disabled_too),
        cmocka_unit_test(the_gravest_come_first_and_a_fix_is_told_once),
        cmocka_unit_test(a_hostile_screen_is_bounded),
        cmocka_unit_test(every_tree_has_the_findings_that_were_reviewed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
