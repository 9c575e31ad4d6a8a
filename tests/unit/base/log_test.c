/* The log, a JSON object in each line, and libraries that are loaded at run time. */
#include "tmpdir.h"

#include "base/lazylib.h"
#include "base/log.h"

#include <jansson.h>
#include <pthread.h>

static char *read_log(const char *path)
{
    struct ia_buf b = IA_BUF(1 << 20);
    assert_int_equal(ia_file_read(path, &b, NULL), IA_OK);
    return ia_buf_steal(&b);
}

static void a_line_is_one_json_object(void **state)
{
    (void)state;
    char *dir = tmpdir_new();
    char *path = ia_path_join(dir, "log");
    struct stat st;
    assert_int_equal(ia_log_open(path, IA_LOG_INFO, NULL), IA_OK);
    IA_LOG(IA_LOG_INFO, "retry", IA_S("run", "a\"b\n"), IA_I("status", 429),
           IA_S("none", NULL));
    ia_log_close();
    char *text = read_log(path);
    json_t *line = json_loads(text, 0, NULL);
    assert_non_null(line);
    assert_string_equal(json_string_value(json_object_get(line, "event")), "retry");
    assert_string_equal(json_string_value(json_object_get(line, "level")), "info");
    assert_string_equal(json_string_value(json_object_get(line, "run")), "a\"b\n");
    assert_string_equal(json_string_value(json_object_get(line, "none")), "");
    assert_int_equal(json_integer_value(json_object_get(line, "status")), 429);
    assert_int_equal(strlen(json_string_value(json_object_get(line, "ts"))), 24);
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0077, 0);
    json_decref(line);
    free(text);
    free(path);
    tmpdir_free(dir);
}

static void *log_of_another_thread(void *arg)
{
    (void)arg;
    IA_LOG(IA_LOG_INFO, "other", IA_I("n", 1));
    return NULL;
}

static void lines_of_a_thread_name_its_run(void **state)
{
    (void)state;
    char *dir = tmpdir_new();
    char *path = ia_path_join(dir, "log");
    pthread_t thread;
    assert_int_equal(ia_log_open(path, IA_LOG_INFO, NULL), IA_OK);
    ia_log_run("0199-run");
    IA_LOG(IA_LOG_INFO, "mine", IA_I("status", 429));
    IA_LOG(IA_LOG_INFO, "named", IA_S("run", "another"));
    assert_int_equal(pthread_create(&thread, NULL, log_of_another_thread, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    ia_log_run(NULL);
    IA_LOG(IA_LOG_INFO, "after", IA_I("n", 1));
    ia_log_close();
    char *text = read_log(path);
    assert_non_null(strstr(text, "\"mine\",\"run\":\"0199-run\",\"status\":429}\n"));
    assert_non_null(strstr(text, "\"named\",\"run\":\"another\"}\n"));
    assert_non_null(strstr(text, "\"other\",\"n\":1}\n"));
    assert_non_null(strstr(text, "\"after\",\"n\":1}\n"));
    free(text);
    free(path);
    tmpdir_free(dir);
}

static int evaluated;

static const char *expensive(void)
{
    evaluated++;
    return "x";
}

static void below_the_level_nothing_is_even_evaluated(void **state)
{
    (void)state;
    char *dir = tmpdir_new();
    char *path = ia_path_join(dir, "log");
    assert_int_equal(ia_log_open(path, IA_LOG_WARN, NULL), IA_OK);
    IA_LOG(IA_LOG_INFO, "quiet", IA_S("a", expensive()));
    assert_int_equal(evaluated, 0);
    IA_LOG(IA_LOG_ERROR, "loud", IA_S("a", expensive()));
    assert_int_equal(evaluated, 1);
    assert_false(ia_log_on(IA_LOG_OFF));
    ia_log_close();
    IA_LOG(IA_LOG_ERROR, "closed", IA_S("a", expensive()));
    assert_int_equal(evaluated, 1);
    char *text = read_log(path);
    assert_null(strstr(text, "quiet"));
    assert_non_null(strstr(text, "loud"));
    assert_null(strstr(text, "closed"));
    free(text);
    free(path);
    tmpdir_free(dir);
}

static void a_line_that_is_too_long_says_so(void **state)
{
    (void)state;
    char *dir = tmpdir_new();
    char *path = ia_path_join(dir, "log");
    static char big[40000];
    memset(big, 'a', sizeof(big) - 1);
    assert_int_equal(ia_log_open(path, IA_LOG_DEBUG, NULL), IA_OK);
    IA_LOG(IA_LOG_DEBUG, "big", IA_S("text", big));
    ia_log_close();
    char *text = read_log(path);
    assert_non_null(strstr(text, "\"event\":\"big\",\"log\":\"line too long\"}\n"));
    free(text);
    free(path);
    tmpdir_free(dir);
}

enum { THREADS = 4, LINES = 200 };

static void *write_lines(void *arg)
{
    for (int i = 0; i < LINES; i++) {
        IA_LOG(IA_LOG_INFO, "line", IA_I("thread", (intptr_t)arg), IA_I("n", i));
    }
    return NULL;
}

static void threads_do_not_mix_their_lines(void **state)
{
    (void)state;
    char *dir = tmpdir_new();
    char *path = ia_path_join(dir, "log");
    pthread_t threads[THREADS];
    int lines = 0;
    assert_int_equal(ia_log_open(path, IA_LOG_INFO, NULL), IA_OK);
    for (intptr_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, write_lines, (void *)i), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    ia_log_close();
    char *text = read_log(path);
    for (char *p = text, *end; (end = strchr(p, '\n')); p = end + 1, lines++) {
        json_t *line = json_loadb(p, (size_t)(end - p), 0, NULL);
        assert_non_null(line);
        json_decref(line);
    }
    assert_int_equal(lines, THREADS * LINES);
    free(text);
    free(path);
    tmpdir_free(dir);
}

static void a_log_that_cannot_be_opened_is_named(void **state)
{
    (void)state;
    struct ia_err err;
    assert_int_equal(ia_log_open("/no/such/folder/log", IA_LOG_INFO, &err), IA_E_IO);
    assert_non_null(strstr(err.msg, "/no/such/folder/log"));
    assert_false(ia_log_on(IA_LOG_ERROR));
}

static void levels_are_read_by_name(void **state)
{
    (void)state;
    enum ia_log_level level = IA_LOG_OFF;
    assert_true(ia_log_level_parse("debug", &level));
    assert_int_equal(level, IA_LOG_DEBUG);
    assert_true(ia_log_level_parse("off", &level));
    assert_int_equal(level, IA_LOG_OFF);
    assert_false(ia_log_level_parse("DEBUG", &level));
    assert_false(ia_log_level_parse("", &level));
}

/* --- lazylib --------------------------------------------------------------------------- */

#define SYMS(X) X(json_object) X(json_object_size)
struct api {
    SYMS(IA_LAZY_FIELD)
};
#define ROW(fn) IA_LAZY_ROW(struct api, fn),
static const struct ia_lazy_sym syms[] = {SYMS(ROW)};

#ifdef __APPLE__
#define LIBRARY "libjansson.4.dylib"
#else
#define LIBRARY "libjansson.so.4"
#endif

static void a_library_is_loaded_by_the_first_name_that_opens(void **state)
{
    (void)state;
    static const char *const names[] = {"libia-no-such.so", LIBRARY, NULL};
    struct api api;
    assert_int_equal(ia_lazy_load(names, syms, IA_COUNTOF(syms), &api, NULL), IA_OK);
    json_t *o = api.json_object_();
    assert_int_equal(api.json_object_size_(o), 0);
    json_decref(o);
}

static void a_missing_library_is_named_with_a_hint(void **state)
{
    (void)state;
    static const char *const names[] = {"libia-no-such.so", NULL};
    struct api api;
    struct ia_err err;
    assert_int_equal(ia_lazy_load(names, syms, IA_COUNTOF(syms), &api, &err), IA_E_MISSING);
    assert_non_null(strstr(err.msg, "libia-no-such.so"));
    assert_non_null(strstr(err.hint, "script/bootstrap"));
}

static void a_function_that_is_missing_is_named(void **state)
{
    (void)state;
    static const char *const names[] = {LIBRARY, NULL};
    static const struct ia_lazy_sym wrong[] = {{"json_no_such", 0}};
    void *table[1];
    struct ia_err err;
    assert_int_equal(ia_lazy_load(names, wrong, 1, table, &err), IA_E_MISSING);
    assert_non_null(strstr(err.msg, "json_no_such"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_one_json_object),
        cmocka_unit_test(lines_of_a_thread_name_its_run),
        cmocka_unit_test(below_the_level_nothing_is_even_evaluated),
        cmocka_unit_test(a_line_that_is_too_long_says_so),
        cmocka_unit_test(threads_do_not_mix_their_lines),
        cmocka_unit_test(a_log_that_cannot_be_opened_is_named),
        cmocka_unit_test(levels_are_read_by_name),
        cmocka_unit_test(a_library_is_loaded_by_the_first_name_that_opens),
        cmocka_unit_test(a_missing_library_is_named_with_a_hint),
        cmocka_unit_test(a_function_that_is_missing_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
