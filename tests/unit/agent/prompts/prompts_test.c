#include "source_dir.h"
#include "test.h"

#include "agent/prompts/prompts.h"
#include "base/fd.h"

#include <sys/stat.h>
#include <unistd.h>

enum { TOOL_BYTES_MAX = 6 << 10 };

static struct ia_prompts *open_builtin(void)
{
    struct ia_prompts *p = NULL;
    struct ia_err err;
    if (ia_prompts_open(NULL, &p, &err) != IA_OK) {
        fail_msg("%s", err.msg);
    }
    return p;
}

static void built_in_tools_have_their_names_and_stay_within_6_kb(void **state)
{
    (void)state;
    struct ia_prompts *p = open_builtin();
    size_t total = 0;
    for (int i = 0; i < IA_TOOL_COUNT; i++) {
        struct ia_str tool = ia_prompts_tool(p, (enum ia_tool)i);
        total += tool.n;
        assert_null(memchr(tool.p, '\n', tool.n));
        assert_int_equal(ia_tool_from_name(ia_str(ia_tool_name((enum ia_tool)i))), i);
    }
    assert_in_range(total, 1000, TOOL_BYTES_MAX);
    print_message("the tools take %zu bytes; %zu are left\n", total, TOOL_BYTES_MAX - total);
    assert_in_range(ia_prompts_system(p).n, 500, 4000);
    assert_true(ia_prompts_verifier(p).n > 100);
    for (int i = 0; i < IA_NOTE_COUNT; i++) {
        assert_true(strlen(ia_prompts_note(p, (enum ia_note)i)) > 10);
    }
    ia_prompts_free(p);
}

/* The section from one line's beginning to the next section's. */
static size_t words_between(const char *text, const char *from, const char *to)
{
    const char *p = strstr(text, from);
    const char *end = p ? strstr(p, to) : NULL;
    assert_non_null(end);
    size_t words = 0;
    for (bool in = false; p < end; p++) {
        bool space = *p == ' ' || *p == '\n';
        words += !space && !in;
        in = !space;
    }
    return words;
}

static void the_format_of_screens_is_explained_in_less_than_150_words(void **state)
{
    (void)state;
    struct ia_prompts *p = open_builtin();
    struct ia_str system = ia_prompts_system(p);
    char *text = ia_strndup(system.p, system.n);
    size_t words = words_between(text, "How to read screen text.", "\nEnd with finish");
    assert_in_range(words, 60, 149);
    static const char *const explained[] = {"app WIDTHxHEIGHT #layout",
                                            "ref, role",
                                            "below:",
                                            "keyboard",
                                            "`+` appeared",
                                            "new screen"};
    for (size_t i = 0; i < IA_COUNTOF(explained); i++) {
        assert_non_null(strstr(text, explained[i]));
    }
    free(text);
    ia_prompts_free(p);
}

static void fractions_in_schemas_are_sent_as_they_are_written(void **state)
{
    (void)state;
    struct ia_prompts *p = open_builtin();
    struct ia_str swipe = ia_prompts_tool(p, IA_TOOL_SWIPE);
    char *text = ia_strndup(swipe.p, swipe.n);
    assert_non_null(strstr(text, "\"minimum\":0.1,"));
    free(text);
    ia_prompts_free(p);
}

/* The fuzzer starts from them, and a tool whose file is refused is not reached by it. */
static void every_tool_has_an_accepted_input_in_the_fuzz_corpus(void **state)
{
    (void)state;
    struct ia_prompts *p = open_builtin();
    for (int i = 0; i < IA_TOOL_COUNT; i++) {
        const char *name = ia_tool_name((enum ia_tool)i);
        char path[600];
        struct ia_buf b = IA_BUF(1 << 16);
        struct ia_err err = {0};
        snprintf(path, sizeof(path), "%s/tests/fuzz/corpus/tool_input/%s", IA_SOURCE_DIR, name);
        if (ia_file_read(path, &b, &err) != IA_OK) {
            fail_msg("%s", err.msg);
        }
        struct ia_str text = ia_buf_str(&b);
        size_t n = strlen(name);
        assert_true(ia_str_starts(text, ia_str(name)) && text.n > n && text.p[n] == ' ');
        json_t *input = json_loadb(text.p + n + 1, text.n - n - 1, 0, NULL);
        if (!input || ia_prompts_check_input(p, (enum ia_tool)i, input, &err) != IA_OK) {
            fail_msg("%s: %s", path, input ? err.msg : "not JSON");
        }
        json_decref(input);
        ia_buf_fini(&b);
    }
    ia_prompts_free(p);
}

struct input_case {
    const char *tool, *input;
    enum ia_rc rc;
    const char *says;
};

static void tool_input_is_checked_strictly_and_the_error_teaches(void **state)
{
    (void)state;
    static const struct input_case cases[] = {
        {"tap", "{\"ref\":12}", IA_OK, NULL},
        {"tap", "{}", IA_E_USAGE,
         "tap: missing field \"ref\"; fields: ref (integer, required)"},
        {"tap", "{\"ref\":\"12\"}", IA_E_USAGE, "tap.ref: must be an integer"},
        {"tap", "{\"ref\":12.5}", IA_E_USAGE, "tap.ref: must be an integer"},
        {"tap", "{\"ref\":0}", IA_E_USAGE, "tap.ref: 0 is out of range (1 or more)"},
        {"tap", "{\"ref\":12,\"x\":1}", IA_E_USAGE, "tap: unknown field \"x\"; fields: ref"},
        {"tap", "[1]", IA_E_USAGE, "tap: must be an object"},
        {"tap", "1", IA_E_USAGE, "tap: must be an object"},
        {"tap", "{\"ref\":[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]}", IA_E_USAGE, "too deep"},
        {"back", "{}", IA_OK, NULL},
        {"back", "{\"ref\":1}", IA_E_USAGE, "fields: none"},
        {"swipe", "{\"direction\":\"up\"}", IA_OK, NULL},
        {"swipe", "{\"direction\":\"up\",\"distance\":0.5}", IA_OK, NULL},
        {"swipe", "{\"direction\":\"up\",\"distance\":1}", IA_OK, NULL},
        {"swipe", "{\"direction\":\"north\"}", IA_E_USAGE,
         "\"north\" is not one of: up, down, left, right"},
        {"swipe", "{\"direction\":\"up\",\"distance\":7}", IA_E_USAGE, "out of range"},
        {"type_text", "{\"ref\":1,\"text\":\"\"}", IA_E_USAGE, "must not be empty"},
        {"type_text", "{\"ref\":1,\"text\":\"a\\u0000b\"}", IA_E_USAGE,
         "type_text.text: must not contain a NUL character"},
        {"type_text", "{\"ref\":1,\"text\":\"a\",\"submit\":1}", IA_E_USAGE,
         "type_text.submit: must be a boolean"},
        {"wait_for",
         "{\"until\":\"gone\",\"element\":\"progress\",\"match\":\"any\","
         "\"also\":[{\"until\":\"text\",\"text\":\"Done\"}],\"seconds\":5}",
         IA_OK, NULL},
        {"wait_for", "{\"until\":\"settled\",\"also\":[{\"text\":\"Done\"}]}", IA_E_USAGE,
         "wait_for.also[0]: missing field \"until\""},
        {"wait_for", "{\"until\":\"settled\",\"match\":\"some\"}", IA_E_USAGE, "all, any"},
        {"finish", "{\"verdict\":\"passed\",\"summary\":\"s\",\"evidence\":[]}", IA_OK, NULL},
        {"finish",
         "{\"verdict\":\"passed\",\"summary\":\"s\",\"evidence\":[{\"quote\":\"a\",\"step\":3}]"
         "}",
         IA_OK, NULL},
        {"finish", "{\"verdict\":\"passed\",\"summary\":\"s\",\"evidence\":[{\"step\":3}]}",
         IA_E_USAGE, "finish.evidence[0]: missing field \"quote\""},
        {"finish", "{\"verdict\":\"passed\",\"summary\":\"s\",\"evidence\":[\"a\"]}",
         IA_E_USAGE, "finish.evidence[0]: must be an object"},
        {"finish", "{\"verdict\":\"ok\",\"summary\":\"s\",\"evidence\":[]}", IA_E_USAGE,
         "passed, failed, blocked"},
    };
    struct ia_prompts *p = open_builtin();
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        json_t *value = json_loads(cases[i].input, JSON_ALLOW_NUL | JSON_DECODE_ANY, NULL);
        struct ia_err err = {0};
        assert_non_null(value);
        enum ia_rc rc =
            ia_prompts_check_input(p, ia_tool_from_name(ia_str(cases[i].tool)), value, &err);
        if (rc != cases[i].rc) {
            fail_msg("%s %s: %s %s", cases[i].tool, cases[i].input, ia_rc_name(rc), err.msg);
        }
        if (rc != IA_OK && !strstr(err.msg, cases[i].says)) {
            fail_msg("%s: %s", cases[i].input, err.msg);
        }
        json_decref(value);
    }
    ia_prompts_free(p);
}

static void input_beyond_the_cap_is_refused_unread(void **state)
{
    (void)state;
    struct ia_prompts *p = open_builtin();
    size_t n = 40000;
    char *big = malloc(n);
    memset(big, '1', n);
    json_t *value = json_pack("{s:s%}", "ref", big, n);
    struct ia_err err;
    assert_int_equal(ia_prompts_check_input(p, IA_TOOL_TAP, value, &err), IA_E_USAGE);
    assert_non_null(strstr(err.msg, "too large"));
    json_decref(value);
    free(big);
    ia_prompts_free(p);
}

/* A folder with a copy of the prompts. */
struct folder {
    char path[64];
};

static void put_file(const char *dir, const char *name, const char *text, size_t n)
{
    char path[300];
    snprintf(path, sizeof(path), "%s/%s", dir, name);
    assert_int_equal(ia_file_write_atomic(path, text, n, 0600, NULL), IA_OK);
}

static void make_folder(struct folder *f)
{
    snprintf(f->path, sizeof(f->path), "/tmp/ia-prompts-XXXXXX");
    assert_non_null(mkdtemp(f->path));
    char tools[128];
    snprintf(tools, sizeof(tools), "%s/tools", f->path);
    assert_int_equal(mkdir(tools, 0700), 0);
    struct ia_prompts *p = open_builtin();
    for (int i = 0; i < IA_TOOL_COUNT; i++) {
        char name[64];
        snprintf(name, sizeof(name), "tools/%s.json", ia_tool_name((enum ia_tool)i));
        struct ia_str text = ia_prompts_tool(p, (enum ia_tool)i);
        put_file(f->path, name, text.p, text.n);
    }
    ia_prompts_free(p);
    put_file(f->path, "system.md", "mine\n", 5);
    static const char *const same[] = {"verifier.md", "verdict.json",  "planner.md",
                                       "plan.json",   "delegate.json", "notes.json"};
    for (size_t i = 0; i < IA_COUNTOF(same); i++) {
        char from[300];
        struct ia_buf b = IA_BUF(100000);
        snprintf(from, sizeof(from), IA_SOURCE_DIR "/prompts/%s", same[i]);
        assert_int_equal(ia_file_read(from, &b, NULL), IA_OK);
        put_file(f->path, same[i], b.p, b.len);
        ia_buf_fini(&b);
    }
}

static void remove_folder(const struct folder *f)
{
    char cmd[128];
    static const char *const names[] = {"system.md",  "verifier.md", "verdict.json",
                                        "planner.md", "plan.json",   "delegate.json",
                                        "notes.json"};
    for (size_t i = 0; i < IA_COUNTOF(names); i++) {
        snprintf(cmd, sizeof(cmd), "%s/%s", f->path, names[i]);
        unlink(cmd);
    }
    for (int i = 0; i < IA_TOOL_COUNT; i++) {
        snprintf(cmd, sizeof(cmd), "%s/tools/%s.json", f->path, ia_tool_name((enum ia_tool)i));
        unlink(cmd);
    }
    snprintf(cmd, sizeof(cmd), "%s/tools", f->path);
    rmdir(cmd);
    rmdir(f->path);
}

static void a_folder_of_the_user_replaces_the_built_in_prompts(void **state)
{
    (void)state;
    struct folder f;
    make_folder(&f);
    struct ia_prompts *p = NULL;
    assert_int_equal(ia_prompts_open(f.path, &p, NULL), IA_OK);
    assert_true(ia_str_is(ia_prompts_system(p), "mine"));
    ia_prompts_free(p);
    remove_folder(&f);
}

struct break_case {
    const char *file, *text, *says; /* text NULL: the file is removed */
};

static void a_broken_folder_is_refused_with_the_file_that_is_wrong(void **state)
{
    (void)state;
    static const struct break_case cases[] = {
        {"system.md", NULL, "system.md: the file does not exist"},
        {"verifier.md", " \n", "verifier.md is empty"},
        {"notes.json", "{}", "notes.json: \"continue\" is missing"},
        {"notes.json", "{\n \"a\": }", "notes.json:2:"},
        {"tools/tap.json", NULL, "tools/tap.json: the file does not exist"},
        {"tools/tap.json", "{\"name\":\"tip\"}", "name must be \"tap\""},
        {"tools/tap.json", "{\"name\":\"tap\"}", "description is missing"},
        {"tools/tap.json", "{\"name\":\"tap\",\"description\":\"d\",\"input_schema\":{}}",
         "must be an object schema"},
        {"tools/tap.json",
         "{\"name\":\"tap\",\"description\":\"d\",\"input_schema\":{\"type\":\"object\","
         "\"properties\":{\"a\":{\"type\":\"string\",\"pattern\":\"x\"}},"
         "\"additionalProperties\":false}}",
         "tap.json.a: schema keyword pattern is not supported"},
        {"tools/tap.json",
         "{\"name\":\"tap\",\"description\":\"d\",\"input_schema\":{\"type\":\"object\","
         "\"properties\":{}}}",
         "additionalProperties must be false"},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct folder f;
        make_folder(&f);
        char path[300];
        snprintf(path, sizeof(path), "%s/%s", f.path, cases[i].file);
        unlink(path);
        if (cases[i].text) {
            put_file(f.path, cases[i].file, cases[i].text, strlen(cases[i].text));
        }
        struct ia_prompts *p = NULL;
        struct ia_err err = {0};
        assert_int_equal(ia_prompts_open(f.path, &p, &err), IA_E_CONFIG);
        if (!strstr(err.msg, cases[i].says)) {
            fail_msg("%s", err.msg);
        }
        remove_folder(&f);
    }
}

static void a_folder_that_does_not_exist_is_refused(void **state)
{
    (void)state;
    struct ia_prompts *p = NULL;
    struct ia_err err = {0};
    assert_int_equal(ia_prompts_open("/nonexistent/prompts", &p, &err), IA_E_CONFIG);
    assert_non_null(strstr(err.msg, "/nonexistent/prompts/system.md"));
    assert_non_null(strstr(err.hint, "prompts.dir"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(built_in_tools_have_their_names_and_stay_within_6_kb),
        cmocka_unit_test(the_format_of_screens_is_explained_in_less_than_150_words),
        cmocka_unit_test(fractions_in_schemas_are_sent_as_they_are_written),
        cmocka_unit_test(every_tool_has_an_accepted_input_in_the_fuzz_corpus),
        cmocka_unit_test(tool_input_is_checked_strictly_and_the_error_teaches),
        cmocka_unit_test(input_beyond_the_cap_is_refused_unread),
        cmocka_unit_test(a_folder_of_the_user_replaces_the_built_in_prompts),
        cmocka_unit_test(a_broken_folder_is_refused_with_the_file_that_is_wrong),
        cmocka_unit_test(a_folder_that_does_not_exist_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
