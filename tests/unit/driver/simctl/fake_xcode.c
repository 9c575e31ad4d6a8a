/* fake_xcode.c: puts tests/fake at the head of PATH, and reads the calls that the stand-in
 * notes in its folder, one JSON object in each line. */
#include "fake_xcode.h"
#include "source_dir.h"

#include "base/spawn.h"

#include <jansson.h>

bool fake_xcode_works(void)
{
    const char *const argv[] = {"python3", "-c", "", NULL};
    struct ia_spawn s = {.argv = argv};
    struct ia_spawn_result r;
    struct ia_err err;
    bool works = ia_spawn_run(&s, &r, &err) == IA_OK && r.exit_status == 0;
    ia_spawn_result_fini(&r);
    return works;
}

static void put_first_in_path(void)
{
    const char *path = getenv("PATH");
    const char *folder = IA_SOURCE_DIR "/tests/fake:";
    if (strncmp(path, folder, strlen(folder)) != 0) {
        struct ia_buf more = IA_BUF(1 << 16);
        ia_buf_printf(&more, "%s%s", folder, path);
        assert_int_equal(setenv("PATH", ia_buf_cstr(&more), 1), 0);
        ia_buf_fini(&more);
    }
}

char *fake_xcode_new(const char *setup)
{
    char *folder = tmpdir_new();
    put_first_in_path();
    assert_int_equal(setenv("FAKE_XCODE", folder, 1), 0);
    if (setup) {
        fake_xcode_setup(folder, setup);
    }
    return folder;
}

void fake_xcode_setup(const char *folder, const char *setup)
{
    free(tmpdir_file(folder, "setup.json", setup));
}

void fake_xcode_free(char *folder)
{
    struct ia_buf wrong = IA_BUF(1 << 20);
    fake_xcode_file(folder, "violations.jsonl", &wrong);
    if (wrong.len > 0) {
        fail_msg("calls that the real tools do not know: %s", ia_buf_cstr(&wrong));
    }
    ia_buf_fini(&wrong);
    tmpdir_free(folder);
}

void fake_xcode_file(const char *folder, const char *name, struct ia_buf *out)
{
    struct ia_err err;
    char *path = ia_path_join(folder, name);
    (void)ia_file_read(path, out, &err);
    free(path);
}

void fake_xcode_forget(const char *folder)
{
    char *path = ia_path_join(folder, "log.jsonl");
    (void)remove(path);
    free(path);
}

/* Calls fn with each line of the log. */
static void each_call(const char *folder, void (*fn)(json_t *call, struct ia_buf *out),
                      struct ia_buf *out)
{
    struct ia_buf log = IA_BUF(16 << 20);
    fake_xcode_file(folder, "log.jsonl", &log);
    const char *p = ia_buf_cstr(&log);
    for (const char *end = strchr(p, '\n'); end; p = end + 1, end = strchr(p, '\n')) {
        json_error_t why;
        json_t *call = json_loadb(p, (size_t)(end - p), 0, &why);
        assert_non_null(call);
        fn(call, out);
        json_decref(call);
    }
    ia_buf_fini(&log);
}

static void put_argv(json_t *call, struct ia_buf *out)
{
    size_t i;
    json_t *word;
    ia_buf_puts(out, json_string_value(json_object_get(call, "tool")));
    json_array_foreach(json_object_get(call, "argv"), i, word)
    {
        ia_buf_printf(out, "|%s", json_string_value(word));
    }
    ia_buf_putc(out, '\n');
}

static void put_env(json_t *call, struct ia_buf *out)
{
    const char *name;
    json_t *value;
    ia_buf_reset(out);
    json_object_foreach(json_object_get(call, "env"), name, value)
    {
        ia_buf_printf(out, "%s=%s\n", name, json_string_value(value));
    }
}

void fake_xcode_calls(const char *folder, struct ia_buf *out)
{
    ia_buf_reset(out);
    each_call(folder, put_argv, out);
}

void fake_xcode_env(const char *folder, struct ia_buf *out)
{
    each_call(folder, put_env, out);
}
