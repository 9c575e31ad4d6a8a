#include "test.h"
#include "tmpdir.h"

#include "server/daemon/log.h"

static off_t size_of(const char *folder, const char *name)
{
    struct stat st;
    char *path = ia_path_join(folder, name);
    off_t size = stat(path, &st) == 0 ? st.st_size : -1;
    free(path);
    return size;
}

static void it_never_holds_more_than_two_full_files(void **state)
{
    (void)state;
    char *home = tmpdir_new(), line[1800];
    memset(line, 'x', sizeof(line) - 1);
    line[sizeof(line) - 1] = '\0';
    struct ia_daemon_log *l = ia_daemon_log_open(home);
    for (int i = 0; i < 3 * IA_DAEMON_LOG_MAX / (int)sizeof(line); i++) {
        ia_daemon_log_say(l, "%d %s", i, line);
    }
    assert_in_range(size_of(home, "daemon.log"), 1, IA_DAEMON_LOG_MAX);
    assert_in_range(size_of(home, "daemon.log.1"), IA_DAEMON_LOG_MAX / 2, IA_DAEMON_LOG_MAX);
    ia_daemon_log_close(l);
    tmpdir_free(home);
}

static void a_line_that_is_too_long_is_cut_and_still_a_line(void **state)
{
    (void)state;
    char *home = tmpdir_new(), *line = ia_alloc(10000);
    struct ia_buf text = IA_BUF(1 << 20);
    struct ia_err err;
    memset(line, 'x', 9999);
    line[9999] = '\0';
    struct ia_daemon_log *l = ia_daemon_log_open(home);
    ia_daemon_log_say(l, "%s", line);
    ia_daemon_log_say(l, "next");
    ia_daemon_log_close(l);
    char *path = ia_path_join(home, "daemon.log");
    assert_int_equal(ia_file_read(path, &text, &err), IA_OK);
    struct ia_str rest = ia_buf_str(&text), first, second, third;
    assert_true(ia_str_line(&rest, &first));
    assert_true(ia_str_line(&rest, &second));
    assert_false(ia_str_line(&rest, &third));
    assert_non_null(ia_str_find(second, "next"));
    free(path);
    free(line);
    ia_buf_fini(&text);
    tmpdir_free(home);
}

static void without_a_place_to_write_nothing_is_said(void **state)
{
    (void)state;
    struct ia_daemon_log *l = ia_daemon_log_open("/nonexistent");
    ia_daemon_log_say(l, "unheard");
    ia_daemon_log_close(l);
    ia_daemon_log_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_never_holds_more_than_two_full_files),
        cmocka_unit_test(a_line_that_is_too_long_is_cut_and_still_a_line),
        cmocka_unit_test(without_a_place_to_write_nothing_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
