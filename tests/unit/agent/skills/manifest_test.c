/* manifest_test.c: mistakes of every kind in a skill's folder, each with its place. */
#include "test.h"

#include "agent/skills/manifest.h"
#include "tmpdir.h"

#include <string.h>
#include <sys/stat.h>

#define HEAD "name = \"probe\"\npurpose = \"tests\"\n"
#define TOOL "[tools.go]\nprogram = [\"./go\"]\n"

static void a_mistake_is_told_with_its_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "m:1:1: a skill has a name and a purpose"},
        {"name = ", "m:1:"},
        {"name = \"probe\"\n" TOOL, "m:1:1: a skill has a name and a purpose"},
        {HEAD, "m:1:1: a skill has either tools or a server"},
        {HEAD TOOL "[mcp]\nurl = \"https://x\"\n",
         "m:1:1: a skill has either tools or a server"},
        {"name = \"other\"\npurpose = \"tests\"\n" TOOL, "m:1:1: name is that of the folder"},
        {"name = 7\npurpose = \"tests\"\n" TOOL,
         "m:1:1: this must be a string, not an integer"},
        {"name = \"probe\"\npurpose = \"\"\n" TOOL, "m:2:1: this is empty or too long"},
        {"name = \"probe\"\npurpose = \"a\\nb\"\n" TOOL, "m:2:1: this has a control character"},
        {HEAD "tool = 1\n" TOOL, "m:3:1: unknown key tool"},
        {HEAD "tools = 1\n", "m:3:1: this must be a section, not an integer"},
        {HEAD "[tools]\ngo = 1\n", "m:4:1: a tool is a section"},
        {HEAD "[tools.\"a b\"]\nprogram = [\"x\"]\n", "m:3:"},
        {HEAD "[tools.go]\n", "this tool has no program"},
        {HEAD "[tools.go]\nprogram = []\n", "this tool has no program"},
        {HEAD "[tools.go]\nprogram = \"./go\"\n", "m:4:1: this must be a list of strings"},
        {HEAD "[tools.go]\nprogram = [\"./go\", 1]\n", "m:4:"},
        {HEAD "[tools.go]\nprogram = [\"\"]\n", "is empty or too long"},
        {HEAD TOOL "effect = \"no\"\n", "m:5:1: this must be true or false, not a string"},
        {HEAD TOOL "seconds = 0\n", "m:5:1: this must be a number of seconds from 1 to 600"},
        {HEAD TOOL "seconds = 601\n", "m:5:1: this must be a number of seconds"},
        {HEAD TOOL "example = \"{\"\n", "m:5:1: this must be a JSON object"},
        {HEAD TOOL "shell = true\n", "m:5:1: unknown key shell"},
        {HEAD "secrets = [\"ANTHROPIC_API_KEY\"]\n" TOOL, "no skill may have the variable"},
        {HEAD "environment = [\"IOS_AGENT_HOME\"]\n" TOOL, "no skill may have the variable"},
        {HEAD "environment = [\"LD_PRELOAD\"]\n" TOOL, "no skill may have the variable"},
        {HEAD "environment = [\"a=b\"]\n" TOOL, "no skill may have the variable"},
        {HEAD "[mcp]\n", "m:3:"},
        {HEAD "[mcp]\nurl = \"https://x\"\nprogram = [\"x\"]\n",
         "has either a program or a url"},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct ia_err err = {0};
        struct ia_manifest *m = NULL;
        if (ia_manifest_parse("m", "probe", ia_str(cases[i].text), &m, &err) != IA_E_CONFIG ||
            !strstr(err.msg, cases[i].message)) {
            fail_msg("%s\ngave: %s", cases[i].text, err.msg);
        }
    }
}

static void the_name_of_a_built_in_skill_is_taken(void **state)
{
    (void)state;
    struct ia_err err = {0};
    struct ia_manifest *m = NULL;
    const char *text = "name = \"accessibility\"\npurpose = \"tests\"\n" TOOL;
    assert_int_equal(ia_manifest_parse("m", "accessibility", ia_str(text), &m, &err),
                     IA_E_CONFIG);
    assert_non_null(strstr(err.msg, "m:1:1: this is the name of a built-in skill"));
}

static void ten_thousand_tools_are_refused_at_once(void **state)
{
    (void)state;
    struct ia_err err = {0};
    struct ia_manifest *m = NULL;
    struct ia_buf text = IA_BUF(1 << 20);
    ia_buf_puts(&text, HEAD);
    for (int i = 0; i < 10000; i++) {
        ia_buf_printf(&text, "[tools.t%d]\n", i);
    }
    enum ia_rc rc = ia_manifest_parse("m", "probe", ia_buf_str(&text), &m, &err);
    assert_true(rc == IA_E_CONFIG || rc == IA_E_LIMIT);
    ia_buf_fini(&text);
}

static void a_whole_manifest_is_read(void **state)
{
    (void)state;
    struct ia_err err = {0};
    struct ia_manifest *m = NULL;
    const char *text =
        HEAD "permissions = [\"asks\"]\nsecrets = [\"TOKEN\"]\n"
             "[tools.go]\nprogram = [\"./go\", \"-v\"]\neffect = false\npolls = true\n"
             "seconds = 7\nexample = '{\"n\": 1}'\n[tools.stay]\nprogram = [\"x\"]\n";
    if (ia_manifest_parse("m", "probe", ia_str(text), &m, &err) != IA_OK) {
        fail_msg("%s", err.msg);
    }
    assert_int_equal(m->tool_count, 2);
    assert_string_equal(m->tools[0].argv.items[1], "-v");
    assert_null(m->tools[0].argv.items[2]);
    assert_false(m->tools[0].has_effect);
    assert_true(m->tools[0].polls);
    assert_int_equal(m->tools[0].seconds, 7);
    assert_true(m->tools[1].has_effect);
    assert_int_equal(m->tools[1].seconds, IA_SKILL_SECONDS);
    assert_string_equal(m->secrets.items[0], "TOKEN");
    ia_manifest_free(m);
}

/* ---- whole folders ----------------------------------------------------------------------- */

static char *make_folder(const char *dir)
{
    char *folder = ia_path_join(dir, "probe");
    (void)mkdir(folder, 0700);
    free(tmpdir_file(folder, "skill.toml", HEAD TOOL));
    free(tmpdir_file(folder, "instructions.md", "Go.\n"));
    free(tmpdir_file(
        folder, "go.json",
        "{\"name\":\"go\",\"description\":\"d\",\"input_schema\":{\"type\":\"object\","
        "\"properties\":{},\"additionalProperties\":false}}"));
    return folder;
}

static void expect_read(const char *folder, enum ia_rc code, const char *message)
{
    struct ia_err err = {0};
    struct ia_manifest *m = NULL;
    enum ia_rc rc = ia_manifest_read(folder, &m, &err);
    if (rc != code || (message && !strstr(err.msg, message))) {
        fail_msg("%s %s", ia_rc_name(rc), err.msg);
    }
    ia_manifest_free(m);
}

static void what_lies_beside_the_manifest_is_checked_too(void **state)
{
    (void)state;
    static const struct {
        const char *file, *text, *message;
    } cases[] = {
        {"go.json", "{\"name\":\"go\"\n,}", "go.json:2:"},
        {"go.json", "{\"name\":\"stay\"}", "must have name \"go\""},
        {"go.json", "[]", "must have name \"go\""},
        {"go.json",
         "{\"name\":\"go\",\"description\":\"d\",\"input_schema\":{\"type\":\"object\"}}",
         "additionalProperties must be false"},
        {"go.json",
         "{\"name\":\"go\",\"description\":\"d\",\"input_schema\":{\"type\":\"object\","
         "\"properties\":{\"a\":{\"type\":\"string\",\"pattern\":\"(a+)+\"}},"
         "\"additionalProperties\":false}}",
         "pattern"},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        char *dir = tmpdir_new(), *folder = make_folder(dir);
        expect_read(folder, IA_OK, NULL);
        free(tmpdir_file(folder, cases[i].file, cases[i].text));
        expect_read(folder, IA_E_CONFIG, cases[i].message);
        free(folder);
        tmpdir_free(dir);
    }
}

static void a_folder_with_anything_but_files_is_refused(void **state)
{
    (void)state;
    char *dir = tmpdir_new(), *folder = make_folder(dir);
    char *out = tmpdir_file(dir, "outside", "x");
    char *link = ia_path_join(folder, "link"), *fifo = ia_path_join(folder, "fifo");
    assert_int_equal(symlink(out, link), 0);
    expect_read(folder, IA_E_CONFIG, "link is a link");
    assert_int_equal(unlink(link), 0);
    assert_int_equal(symlink("skill.toml", link), 0);
    expect_read(folder, IA_E_CONFIG, "link is a link");
    assert_int_equal(unlink(link), 0);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    expect_read(folder, IA_E_CONFIG, "no file and no folder");
    assert_int_equal(unlink(fifo), 0);
    expect_read(folder, IA_OK, NULL);
    free(out);
    free(link);
    free(fifo);
    free(folder);
    tmpdir_free(dir);
}

static void the_hash_is_that_of_paths_modes_and_contents(void **state)
{
    (void)state;
    char *dir = tmpdir_new(), *folder = make_folder(dir);
    char first[IA_SHA256_HEX_SIZE], again[IA_SHA256_HEX_SIZE];
    struct ia_err err;
    assert_int_equal(ia_skill_hash(folder, first, &err), IA_OK);
    char *moved = ia_path_join(dir, "moved");
    assert_int_equal(rename(folder, moved), 0);
    assert_int_equal(ia_skill_hash(moved, again, &err), IA_OK);
    assert_string_equal(first, again);
    char *file = ia_path_join(moved, "go.json");
    assert_int_equal(chmod(file, 0700), 0);
    assert_int_equal(ia_skill_hash(moved, again, &err), IA_OK);
    assert_string_not_equal(first, again);
    free(file);
    free(moved);
    free(folder);
    tmpdir_free(dir);
}

static void a_projects_skill_comes_before_the_users_and_the_nearest_name_is_told(void **state)
{
    (void)state;
    char *dir = tmpdir_new();
    char *project = ia_path_join(dir, "p/.ios-agent/skills"),
         *user = ia_path_join(dir, "u/skills");
    struct ia_err err = {0};
    assert_int_equal(ia_mkdirs(project, &err), IA_OK);
    assert_int_equal(ia_mkdirs(user, &err), IA_OK);
    free(make_folder(project));
    free(make_folder(user));
    char *pc = ia_path_join(dir, "p/ios-agent.toml"), *uc = ia_path_join(dir, "u/config.toml");
    const struct ia_skill_places both = {pc, uc}, users = {NULL, uc};
    struct ia_buf found = IA_BUF(4096);
    assert_int_equal(ia_skill_find(&both, "probe", &found, &err), IA_OK);
    assert_non_null(strstr(ia_buf_cstr(&found), "/p/.ios-agent/skills/probe"));
    assert_false(ia_skill_users_own(uc, ia_buf_cstr(&found)));
    ia_buf_reset(&found);
    assert_int_equal(ia_skill_find(&users, "probe", &found, &err), IA_OK);
    assert_true(ia_skill_users_own(uc, ia_buf_cstr(&found)));
    ia_buf_reset(&found);
    assert_int_equal(ia_skill_find(&both, "prob", &found, &err), IA_E_CONFIG);
    assert_string_equal(err.hint, "did you mean probe?");
    assert_int_equal(ia_skill_find(&both, "/etc", &found, &err), IA_E_CONFIG);
    ia_buf_fini(&found);
    free(pc);
    free(uc);
    free(project);
    free(user);
    tmpdir_free(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mistake_is_told_with_its_place),
        cmocka_unit_test(the_name_of_a_built_in_skill_is_taken),
        cmocka_unit_test(ten_thousand_tools_are_refused_at_once),
        cmocka_unit_test(a_whole_manifest_is_read),
        cmocka_unit_test(what_lies_beside_the_manifest_is_checked_too),
        cmocka_unit_test(a_folder_with_anything_but_files_is_refused),
        cmocka_unit_test(the_hash_is_that_of_paths_modes_and_contents),
        cmocka_unit_test(a_projects_skill_comes_before_the_users_and_the_nearest_name_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
