/* skills_test.c: names, tools and instructions of the skills of a run, without a run. */
#include "test.h"

#include "agent/skills/builtin.h"
#include "agent/skills/skills.h"
#include "agent/tools/act.h"

#include <string.h>

static struct ia_prompts *prompts;

static int open_prompts(void **state)
{
    (void)state;
    return ia_prompts_open(NULL, &prompts, NULL) == IA_OK ? 0 : -1;
}

static int close_prompts(void **state)
{
    (void)state;
    ia_prompts_free(prompts);
    return 0;
}

static enum ia_rc open_named(const char *names, struct ia_toolset *t, struct ia_skills **ret,
                             struct ia_err *err)
{
    json_t *list = json_loads(names, 0, NULL);
    const struct ia_skills_env env = {.prompts = prompts};
    enum ia_rc rc = ia_skills_open(list, &env, t, ret, err);
    json_decref(list);
    return rc;
}

static void every_built_in_skill_has_all_that_it_needs(void **state)
{
    (void)state;
    for (size_t i = 0; ia_builtin_skills[i]; i++) {
        const struct ia_skill *row = ia_builtin_skills[i];
        char names[128];
        struct ia_err err = {0};
        struct ia_skills *s = NULL;
        struct ia_toolset *t = ia_toolset_new(prompts);
        assert_true(row->purpose[0] && strlen(row->purpose) <= 120);
        assert_true(row->permissions[0] != '\0');
        assert_true(ia_skill_text(row->name, "instructions.md").n > 100);
        assert_true(!row->open == !row->close);
        (void)snprintf(names, sizeof(names), "[\"%s\",\"%s\"]", row->name, row->name);
        if (open_named(names, t, &s, &err) != IA_OK) {
            fail_msg("%s: %s", row->name, err.msg);
        }
        for (const struct ia_skill_tool *it = row->tools; it->name; it++) {
            const struct ia_tool_def *def = ia_toolset_find(t, ia_str(it->name));
            assert_non_null(def);
            assert_string_equal(def->skill, row->name);
            assert_ptr_equal(def->call, it->call);
            assert_int_equal(def->has_effect, it->has_effect);
            assert_non_null(def->schema);
        }
        ia_toolset_free(t);
        ia_skills_free(s);
    }
}

static void without_skills_nothing_is_added(void **state)
{
    (void)state;
    struct ia_err err;
    struct ia_skills *s = NULL;
    struct ia_toolset *t = ia_toolset_new(prompts);
    assert_int_equal(open_named("null", t, &s, &err), IA_OK);
    assert_int_equal(open_named("[]", t, &s, &err), IA_OK);
    assert_int_equal(ia_toolset_added(t), 0);
    assert_null(s);
    ia_skills_free(s);
    ia_toolset_free(t);
}

static void an_unknown_name_is_refused_with_the_nearest_one(void **state)
{
    (void)state;
    static const char *const names[] = {"[\"accessibilty\"]", "[\"\"]", "[7]", "[null]",
                                        "[\"../accessibility\"]"};
    for (size_t i = 0; i < IA_COUNTOF(names); i++) {
        struct ia_err err = {0};
        struct ia_skills *s = NULL;
        struct ia_toolset *t = ia_toolset_new(prompts);
        assert_int_equal(open_named(names[i], t, &s, &err), IA_E_CONFIG);
        assert_non_null(strstr(err.hint, i == 0 ? "did you mean accessibility?" : ""));
        ia_toolset_free(t);
        ia_skills_free(s);
    }
}

static void use_skill_has_a_line_for_each_skill_and_reads_instructions(void **state)
{
    (void)state;
    struct ia_err err = {0};
    struct ia_skills *s = NULL;
    struct ia_toolset *t = ia_toolset_new(prompts);
    struct ia_tool_env env = {.boundary = "abcdefgh"};
    struct ia_tool_result r;
    ia_tool_result_init(&r);
    assert_int_equal(open_named("[\"accessibility\"]", t, &s, &err), IA_OK);
    const struct ia_tool_def *def = ia_toolset_find(t, ia_str(IA_USE_SKILL));
    assert_non_null(def);
    assert_false(def->has_effect);
    assert_non_null(strstr(def->json.p, "\\naccessibility: "));
    assert_null(strstr(def->json.p, "voiceover_order shows"));
    json_t *good = json_pack("{s:s}", "skill", "accessibility");
    json_t *bad = json_pack("{s:s}", "skill", "vision");
    assert_int_equal(ia_tool_def_check(def, good, &err), IA_OK);
    assert_int_equal(ia_tool_def_check(def, bad, &err), IA_E_USAGE);
    assert_int_equal(def->call(def->ctx, &env, good, &r, &err), IA_OK);
    assert_non_null(strstr(ia_buf_cstr(&r.text), "\nJudge a screen"));
    assert_int_equal(def->call(def->ctx, &env, bad, &r, &err), IA_E_USAGE);
    json_decref(good);
    json_decref(bad);
    ia_tool_result_fini(&r);
    ia_toolset_free(t);
    ia_skills_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_built_in_skill_has_all_that_it_needs),
        cmocka_unit_test(without_skills_nothing_is_added),
        cmocka_unit_test(an_unknown_name_is_refused_with_the_nearest_one),
        cmocka_unit_test(use_skill_has_a_line_for_each_skill_and_reads_instructions),
    };
    return cmocka_run_group_tests(tests, open_prompts, close_prompts);
}
