/* The text form of real screens, reviewed by eye against the trees. */
#include "../test.h"

#include "axe.h"

#include "base/fd.h"
#include "driver/snapshot.h"

static const char *const screens[] = {
    "offsider-choice-test",         "offsider-menu",
    "offsider-overlay-test",        "offsider-sheet-test-open",
    "offsider-slider-value-test",   "offsider-stack-test-full",
    "offsider-switch-test",         "offsider-text-input-keyboard",
    "simuse-line-account-settings", "simuse-line-emoji",
    "trailblaze-contacts-search",   "xcodebuildmcp-calculator",
};

static void check(const char *screen)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/trees/axe/%s.json", IA_TEST_DATA, screen);
    struct ia_tree *t = axe_load(path);
    assert_non_null(t);
    struct ia_refs *refs = ia_refs_new();
    struct ia_snapshot *s = ia_snapshot_new(t, refs, 0, 0);
    struct ia_buf got = IA_BUF(1 << 20);
    ia_snapshot_text(s, 0, &got);
    struct ia_buf want = IA_BUF(1 << 20);
    struct ia_err err;
    snprintf(path, sizeof(path), "%s/trees/text/%s.txt", IA_TEST_DATA, screen);
    assert_int_equal(ia_file_read(path, &want, &err), IA_OK);
    assert_string_equal(ia_buf_cstr(&got), ia_buf_cstr(&want));
    ia_buf_fini(&got);
    ia_buf_fini(&want);
    ia_snapshot_free(s);
    ia_refs_free(refs);
    ia_tree_free(t);
}

static void real_screens_read_as_reviewed(void **state)
{
    (void)state;
    for (size_t i = 0; i < IA_COUNTOF(screens); i++) {
        check(screens[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(real_screens_read_as_reviewed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
