/* The text form of real screens, reviewed by eye against the trees. */
#include "source_dir.h"
#include "test.h"

#include "base/fd.h"
#include "driver/adapt/adapt.h"
#include "driver/snapshot/snapshot.h"

static const struct {
    const char *name, *suffix;
    enum ia_source source;
} screens[] = {
    {"offsider-choice-test", "json", IA_SOURCE_AXE},
    {"offsider-menu", "json", IA_SOURCE_AXE},
    {"offsider-overlay-test", "json", IA_SOURCE_AXE},
    {"offsider-sheet-test-open", "json", IA_SOURCE_AXE},
    {"offsider-slider-value-test", "json", IA_SOURCE_AXE},
    {"offsider-stack-test-full", "json", IA_SOURCE_AXE},
    {"offsider-switch-test", "json", IA_SOURCE_AXE},
    {"offsider-text-input-keyboard", "json", IA_SOURCE_AXE},
    {"simuse-line-account-settings", "json", IA_SOURCE_AXE},
    {"simuse-line-emoji", "json", IA_SOURCE_AXE},
    {"trailblaze-contacts-search", "json", IA_SOURCE_AXE},
    {"xcodebuildmcp-calculator", "json", IA_SOURCE_AXE},
    {"appium_universal-xml_ios", "xml", IA_SOURCE_WDA_XML},
    {"shirates_SettingsTopScreen", "xml", IA_SOURCE_WDA_XML},
    {"shirates_iOS1", "xml", IA_SOURCE_WDA_XML},
};

static struct ia_buf read_data(const char *folder, const char *name, const char *suffix)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/trees/%s/%s.%s", IA_TEST_DATA, folder, name, suffix);
    struct ia_buf b = IA_BUF(1 << 20);
    struct ia_err err = {0};
    if (ia_file_read(path, &b, &err) != IA_OK) {
        fail_msg("%s", err.msg);
    }
    return b;
}

static void check(size_t i)
{
    bool xml = screens[i].source == IA_SOURCE_WDA_XML;
    struct ia_buf raw = read_data(xml ? "wda" : "axe", screens[i].name, screens[i].suffix);
    struct ia_tree *t = NULL;
    struct ia_err err = {0};
    if (ia_adapt(screens[i].source, ia_buf_str(&raw), &t, &err) != IA_OK) {
        fail_msg("%s: %s", screens[i].name, err.msg);
    }
    assert_false(ia_tree_truncated(t));
    struct ia_refs *refs = ia_refs_new();
    struct ia_snapshot *s = ia_snapshot_new(t, refs, 0, 0);
    struct ia_buf got = IA_BUF(1 << 20);
    ia_snapshot_text(s, 0, &got);
    struct ia_buf want = read_data("text", screens[i].name, "txt");
    assert_string_equal(ia_buf_cstr(&got), ia_buf_cstr(&want));
    ia_buf_fini(&raw);
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
        check(i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(real_screens_read_as_reviewed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
