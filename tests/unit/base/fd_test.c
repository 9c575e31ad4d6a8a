/* Files and folders: read whole or refused, replaced in one step or left as they were. */
#include "tmpdir.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>

static void a_file_is_read_completely_or_refused(void **state)
{
    (void)state;
    char *dir = tmpdir_new();
    char *path = tmpdir_file(dir, "f", "0123456789");
    struct ia_err err;
    for (size_t max = 0; max < 12; max++) {
        struct ia_buf b = IA_BUF(max);
        enum ia_rc rc = ia_file_read(path, &b, &err);
        assert_int_equal(rc, max < 10 ? IA_E_LIMIT : IA_OK);
        assert_true(rc != IA_OK || strcmp(ia_buf_cstr(&b), "0123456789") == 0);
        assert_true(rc == IA_OK || strstr(err.msg, path));
        ia_buf_fini(&b);
    }
    struct ia_buf any = IA_BUF(SIZE_MAX);
    assert_int_equal(ia_file_read(path, &any, &err), IA_OK);
    assert_int_equal(any.len, 10);
    ia_buf_fini(&any);
    free(path);
    tmpdir_free(dir);
}

static void read_failures_have_different_codes(void **state)
{
    (void)state;
    char *dir = tmpdir_new();
    char *file = tmpdir_file(dir, "f", "x");
    char *below = ia_path_join(file, "g");
    struct ia_buf b = IA_BUF(100);
    struct ia_err err;
    assert_int_equal(ia_file_read(below, &b, &err), IA_E_NOT_FOUND);
    assert_int_equal(ia_file_read("/no/such/file", &b, &err), IA_E_NOT_FOUND);
    assert_non_null(strstr(err.msg, "/no/such/file"));
    assert_int_equal(ia_file_read(dir, &b, &err), IA_E_IO);
    assert_non_null(strstr(err.msg, dir));
    free(below);
    free(file);
    tmpdir_free(dir);
}

static void a_large_file_is_read_in_pieces(void **state)
{
    (void)state;
    enum { SIZE = 300000 };
    char *dir = tmpdir_new();
    char *path = ia_path_join(dir, "f");
    char *bytes = ia_calloc(1, SIZE);
    bytes[SIZE - 1] = 'z';
    struct ia_buf b = IA_BUF(SIZE);
    assert_int_equal(ia_file_write_atomic(path, bytes, SIZE, 0644, NULL), IA_OK);
    assert_int_equal(ia_file_read(path, &b, NULL), IA_OK);
    assert_int_equal(b.len, SIZE);
    assert_memory_equal(b.p, bytes, SIZE);
    ia_buf_fini(&b);
    free(bytes);
    free(path);
    tmpdir_free(dir);
}

static void writing_replaces_the_file_and_its_mode(void **state)
{
    (void)state;
    char *dir = tmpdir_new();
    char *path = tmpdir_file(dir, "f", "a long text that was there before");
    struct ia_buf b = IA_BUF(100);
    struct stat st;
    mode_t before = umask(0077);
    assert_int_equal(ia_file_write_atomic(path, "new", 3, 0644, NULL), IA_OK);
    umask(before);
    assert_int_equal(ia_file_read(path, &b, NULL), IA_OK);
    assert_string_equal(ia_buf_cstr(&b), "new");
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0644);
    ia_buf_fini(&b);
    free(path);
    tmpdir_free(dir);
}

static size_t entries(const char *dir)
{
    size_t n = 0;
    DIR *d = opendir(dir);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        n += e->d_name[0] != '.';
    }
    closedir(d);
    return n;
}

static void a_write_that_fails_leaves_no_trace(void **state)
{
    (void)state;
    char *dir = tmpdir_new();
    char *target = ia_path_join(dir, "sub");
    char *nowhere = ia_path_join(dir, "no/such/file");
    char huge[5000];
    struct ia_err err;
    assert_int_equal(mkdir(target, 0700), 0); /* a file cannot replace a folder */
    assert_int_equal(ia_file_write_atomic(target, "x", 1, 0600, &err), IA_E_IO);
    assert_non_null(strstr(err.msg, target));
    assert_int_equal(entries(dir), 1);
    assert_int_equal(ia_file_write_atomic(nowhere, "x", 1, 0600, &err), IA_E_IO);
    memset(huge, 'a', sizeof(huge) - 1);
    huge[sizeof(huge) - 1] = '\0';
    assert_int_equal(ia_file_write_atomic(huge, "x", 1, 0600, &err), IA_E_LIMIT);
    free(nowhere);
    free(target);
    tmpdir_free(dir);
}

/* In a process that may not write files longer than 16 bytes: as a disk that is full. */
static int write_beyond_the_limit(const char *path)
{
    struct rlimit limit = {16, 16};
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct ia_err err;
    char text[64] = {0};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0 || sigaction(SIGXFSZ, &ignore, NULL) != 0) {
        return 2;
    }
    enum ia_rc rc = ia_file_write_atomic(path, text, sizeof(text), 0600, &err);
    return rc == IA_E_IO && strstr(err.msg, path) ? 0 : 1;
}

static void a_full_disk_keeps_the_old_file(void **state)
{
    (void)state;
    char *dir = tmpdir_new();
    char *path = tmpdir_file(dir, "f", "old");
    struct ia_buf b = IA_BUF(100);
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        _exit(write_beyond_the_limit(path));
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(ia_file_read(path, &b, NULL), IA_OK);
    assert_string_equal(ia_buf_cstr(&b), "old");
    assert_int_equal(entries(dir), 1);
    ia_buf_fini(&b);
    free(path);
    tmpdir_free(dir);
}

static void folders_are_made_down_to_the_last(void **state)
{
    (void)state;
    char *dir = tmpdir_new();
    char *deep = ia_path_join(dir, "a//b/c/");
    struct stat st;
    assert_int_equal(ia_mkdirs(deep, NULL), IA_OK);
    assert_int_equal(ia_mkdirs(deep, NULL), IA_OK);
    assert_int_equal(stat(deep, &st), 0);
    assert_true(S_ISDIR(st.st_mode));
    assert_int_equal(st.st_mode & 0077, 0);
    assert_int_equal(ia_mkdirs("/", NULL), IA_OK);
    free(deep);
    tmpdir_free(dir);
}

static void a_folder_that_cannot_be_made_is_named(void **state)
{
    (void)state;
    char *dir = tmpdir_new();
    char *file = tmpdir_file(dir, "f", "x");
    char *below = ia_path_join(file, "g");
    char huge[5000];
    struct ia_err err;
    assert_int_equal(ia_mkdirs(file, &err), IA_E_IO);
    assert_non_null(strstr(err.msg, file));
    assert_int_equal(ia_mkdirs(below, &err), IA_E_IO);
    assert_int_equal(ia_mkdirs("", &err), IA_E_LIMIT);
    memset(huge, 'a', sizeof(huge) - 1);
    huge[sizeof(huge) - 1] = '\0';
    assert_int_equal(ia_mkdirs(huge, &err), IA_E_LIMIT);
    free(below);
    free(file);
    tmpdir_free(dir);
}

static void pipes_are_private_and_above_the_standard_streams(void **state)
{
    (void)state;
    int fds[2];
    int saved = dup(0);
    assert_true(saved > 2);
    close(0); /* the next descriptor would be 0 */
    enum ia_rc rc = ia_pipe(fds, NULL);
    assert_int_equal(dup2(saved, 0), 0);
    close(saved);
    assert_int_equal(rc, IA_OK);
    for (int i = 0; i < 2; i++) {
        assert_true(fds[i] > 2);
        assert_true((fcntl(fds[i], F_GETFD) & FD_CLOEXEC) != 0);
    }
    assert_int_equal(ia_write_all(fds[1], "x", 1), IA_OK);
    close(fds[0]);
    close(fds[1]);
    assert_int_equal(ia_write_all(fds[1], "x", 1), IA_E_IO);
    assert_int_equal(ia_fd_nonblocking(fds[1]), IA_E_IO);
}

static void without_descriptors_there_is_no_pipe(void **state)
{
    (void)state;
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        struct rlimit limit = {3, 3};
        struct ia_err err;
        int fds[2];
        bool ok = setrlimit(RLIMIT_NOFILE, &limit) == 0 && ia_pipe(fds, &err) == IA_E_IO;
        _exit(ok && err.msg[0] ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_read_completely_or_refused),
        cmocka_unit_test(read_failures_have_different_codes),
        cmocka_unit_test(a_large_file_is_read_in_pieces),
        cmocka_unit_test(writing_replaces_the_file_and_its_mode),
        cmocka_unit_test(a_write_that_fails_leaves_no_trace),
        cmocka_unit_test(a_full_disk_keeps_the_old_file),
        cmocka_unit_test(folders_are_made_down_to_the_last),
        cmocka_unit_test(a_folder_that_cannot_be_made_is_named),
        cmocka_unit_test(pipes_are_private_and_above_the_standard_streams),
        cmocka_unit_test(without_descriptors_there_is_no_pipe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
