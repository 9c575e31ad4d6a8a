/* memory_files_test.c: files of a memory on a real disk: what is made, what is refused, and that nothing
 * outside is touched whatever lies in the folder. */
#include "agent/core_tools/memory_files.h"

#include "base/fd.h"
#include "base/paths.h"
#include "test.h"
#include "tmpdir.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct world {
    char *home, *folder;
    struct ia_memory *m;
    struct ia_err err;
};

static int set_up(void **state)
{
    struct world *w = ia_calloc(1, sizeof(*w));
    w->home = tmpdir_new();
    w->folder = ia_memory_folder(w->home, "agent");
    assert_int_equal(ia_memory_open(w->home, "agent", NULL, &w->m, &w->err), IA_OK);
    *state = w;
    return 0;
}

static int tear_down(void **state)
{
    struct world *w = *state;
    ia_memory_close(w->m);
    tmpdir_free(w->home);
    free(w->folder);
    free(w);
    return 0;
}

static struct ia_memory_path path_of(const char *text)
{
    struct ia_memory_path p;
    struct ia_err err;
    assert_int_equal(ia_memory_path_read(text, &p, &err), IA_OK);
    return p;
}

static enum ia_rc put(struct world *w, const char *path, const char *text)
{
    struct ia_memory_path p = path_of(path);
    return ia_memory_write(w->m, &p, ia_str(text), &w->err);
}

static enum ia_rc move(struct world *w, const char *from, const char *to)
{
    struct ia_memory_path a = path_of(from), b = path_of(to);
    return ia_memory_move(w->m, &a, &b, &w->err);
}

static enum ia_rc drop(struct world *w, const char *path)
{
    struct ia_memory_path p = path_of(path);
    return ia_memory_remove(w->m, &p, &w->err);
}

static void check_file(struct world *w, const char *path, const char *want)
{
    struct ia_memory_path p = path_of(path);
    struct ia_buf text = IA_BUF(IA_MEMORY_FILE_BYTES_MAX);
    enum ia_rc rc = ia_memory_read(w->m, &p, &text, &w->err);
    assert_int_equal(rc, want ? IA_OK : IA_E_NOT_FOUND);
    assert_string_equal(ia_buf_cstr(&text), want ? want : "");
    ia_buf_fini(&text);
}

/* All that is there, "notes/ notes/a.md". */
static void check_list(struct world *w, const char *want)
{
    struct ia_memory_list list;
    struct ia_buf all = IA_BUF(65536);
    struct ia_memory_path root = {.count = 0};
    assert_int_equal(ia_memory_list(w->m, &root, &list, &w->err), IA_OK);
    for (size_t i = 0; i < list.count; i++) {
        ia_buf_printf(&all, "%s%s%s", i ? " " : "", list.items[i].path,
                      list.items[i].folder ? "/" : "");
    }
    assert_string_equal(ia_buf_cstr(&all), want);
    ia_buf_fini(&all);
    ia_memory_list_fini(&list);
}

static void paths_lead_nowhere_but_into_the_folder(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "/",
        "/etc/passwd",
        "memories/a",
        "/memoriesx",
        "/memories/../etc",
        "/memories/..",
        "/memories/.",
        "/memories/./a",
        "/memories/a/../../b",
        "/memories//a",
        "/memories/a//b",
        "/memories/.hidden",
        "/memories/a/.new",
        "/memories/%2e%2e/a",
        "/memories/..%2fa",
        "/memories/a\\..\\b",
        "/memories/~root",
        "/memories/$HOME",
        "/memories/a\nb",
        "/memories/ a",
        "/memories/a ",
        "/memories/\xef\xbc\x8e\xef\xbc\x8e/a", /* full width dots */
        "/memories/\xe2\x80\xa4\xe2\x80\xa4/a", /* one dot leaders */
        "/memories/z\xe2\x88\x95y",             /* division slash */
        "/memories/a\xe2\x80\x8b",              /* zero width */
        "/memories/\xc0\xae\xc0\xae/a",         /* overlong dots */
        "/memories/a/b/c/d/e/f/g"};
    for (size_t i = 0; i < IA_COUNTOF(bad); i++) {
        struct ia_memory_path p;
        struct ia_err err = {0};
        if (ia_memory_path_read(bad[i], &p, &err) != IA_E_USAGE || !err.msg[0]) {
            fail_msg("%s", bad[i]);
        }
    }
    assert_int_equal(path_of("/memories").count, 0);
    assert_int_equal(path_of("/memories/").count, 0);
    assert_int_equal(path_of("/memories/a/").count, 1);
    assert_string_equal(path_of("/memories/my notes/Shop (1).md").names[1], "Shop (1).md");
}

static void files_are_made_replaced_moved_and_removed(void **state)
{
    struct world *w = *state;
    assert_int_equal(put(w, "/memories/a.md", "one"), IA_OK);
    assert_int_equal(put(w, "/memories/notes/deep/b.md", "two"), IA_OK);
    assert_int_equal(put(w, "/memories/a.md", "three"), IA_OK);
    check_file(w, "/memories/a.md", "three");
    check_list(w, "a.md notes/ notes/deep/ notes/deep/b.md");
    assert_int_equal(move(w, "/memories/notes", "/memories/old/notes"), IA_OK);
    check_list(w, "a.md old/ old/notes/ old/notes/deep/ old/notes/deep/b.md");
    assert_int_equal(move(w, "/memories/old/notes/deep/b.md", "/memories/b.md"), IA_OK);
    check_list(w, "a.md b.md");
    assert_int_equal(put(w, "/memories/c/d.md", ""), IA_OK);
    assert_int_equal(drop(w, "/memories/c"), IA_OK);
    assert_int_equal(drop(w, "/memories/a.md"), IA_OK);
    check_list(w, "b.md");
    struct stat st;
    char *at = ia_path_join(w->folder, "b.md");
    assert_int_equal(stat(at, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    free(at);
}

static void what_cannot_be_is_refused_and_changes_nothing(void **state)
{
    struct world *w = *state;
    assert_int_equal(put(w, "/memories/a.md", "one"), IA_OK);
    assert_int_equal(put(w, "/memories/n/b.md", "two"), IA_OK);
    assert_int_equal(put(w, "/memories/n", "x"), IA_E_STATE);
    assert_int_not_equal(put(w, "/memories/a.md/x", "x"), IA_OK);
    assert_int_equal(w->err.outcome, IA_OUTCOME_NOT_SENT);
    assert_int_equal(put(w, "/memories", "x"), IA_E_STATE);
    assert_int_equal(drop(w, "/memories"), IA_E_NOT_FOUND);
    assert_int_equal(drop(w, "/memories/gone"), IA_E_NOT_FOUND);
    assert_int_equal(move(w, "/memories/gone", "/memories/x"), IA_E_NOT_FOUND);
    assert_int_equal(move(w, "/memories", "/memories/x"), IA_E_NOT_FOUND);
    assert_int_equal(move(w, "/memories/a.md", "/memories/n"), IA_E_EXISTS);
    assert_int_equal(move(w, "/memories/a.md", "/memories/n/b.md"), IA_E_EXISTS);
    assert_int_equal(move(w, "/memories/n", "/memories/n/m"), IA_E_USAGE);
    assert_int_equal(move(w, "/memories/n", "/memories/1/2/3/4/5/6"), IA_E_LIMIT);
    check_file(w, "/memories/a.md", "one");
    check_list(w, "a.md n/ n/b.md");
}

static void caps_are_kept(void **state)
{
    struct world *w = *state;
    char *text = ia_alloc(IA_MEMORY_FILE_BYTES_MAX + 2);
    memset(text, 'x', IA_MEMORY_FILE_BYTES_MAX + 1);
    text[IA_MEMORY_FILE_BYTES_MAX + 1] = '\0';
    assert_int_equal(put(w, "/memories/a", text), IA_E_LIMIT);
    text[IA_MEMORY_FILE_BYTES_MAX] = '\0';
    int n = 0;
    for (enum ia_rc rc = IA_OK; rc == IA_OK; n++) {
        char path[64];
        (void)snprintf(path, sizeof(path), "/memories/f%d", n);
        rc = put(w, path, text);
    }
    assert_int_equal(n - 1, IA_MEMORY_FILES_BYTES_MAX / IA_MEMORY_FILE_BYTES_MAX);
    assert_int_equal(put(w, "/memories/f0", text), IA_OK); /* replaced, not added */
    assert_int_equal(put(w, "/memories/f0", ""), IA_OK);
    for (n = 0; n < IA_MEMORY_FILES_MAX + 1; n++) {
        char path[64];
        (void)snprintf(path, sizeof(path), "/memories/g/%d", n);
        if (put(w, path, "") != IA_OK) {
            break;
        }
    }
    assert_int_equal(n, IA_MEMORY_FILES_MAX -
                            IA_MEMORY_FILES_BYTES_MAX / IA_MEMORY_FILE_BYTES_MAX);
    free(text);
}

/* Links, devices and second names that somebody put there. */
static void nothing_is_followed_out_of_the_folder(void **state)
{
    struct world *w = *state;
    struct stat st;
    char *outside = ia_path_join(w->home, "outside"),
         *inner = ia_path_join(w->home, "outside/f"), *link = ia_path_join(w->folder, "link"),
         *folder = ia_path_join(w->folder, "folder"),
         *second = ia_path_join(w->folder, "second"), *fifo = ia_path_join(w->folder, "fifo"),
         *dangling = ia_path_join(w->folder, "dangling");
    assert_int_equal(mkdir(outside, 0700), 0);
    assert_int_equal(ia_file_write_atomic(inner, "private", 7, 0600, NULL), IA_OK);
    assert_int_equal(symlink(inner, link), 0);
    assert_int_equal(symlink(outside, folder), 0);
    assert_int_equal(linkat(AT_FDCWD, inner, AT_FDCWD, second, 0), 0);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_int_equal(symlink("/nowhere/at/all", dangling), 0);
    static const char *const names[] = {"/memories/link", "/memories/folder/f",
                                        "/memories/second", "/memories/fifo",
                                        "/memories/dangling"};
    for (size_t i = 0; i < IA_COUNTOF(names); i++) {
        struct ia_memory_path p = path_of(names[i]);
        struct ia_buf text = IA_BUF(IA_MEMORY_FILE_BYTES_MAX);
        assert_int_not_equal(ia_memory_read(w->m, &p, &text, &w->err), IA_OK);
        assert_int_equal(text.len, 0);
        assert_int_not_equal(put(w, names[i], "overwritten"), IA_OK);
        assert_int_not_equal(drop(w, names[i]), IA_OK);
        assert_int_not_equal(move(w, names[i], "/memories/mine"), IA_OK);
        ia_buf_fini(&text);
    }
    assert_int_not_equal(put(w, "/memories/folder/new", "x"), IA_OK);
    check_list(w, "");
    struct ia_buf text = IA_BUF(100);
    assert_int_equal(ia_file_read(inner, &text, NULL), IA_OK);
    assert_string_equal(ia_buf_cstr(&text), "private");
    assert_int_not_equal(stat(ia_buf_cstr(&text), &st), 0);
    ia_buf_fini(&text);
    free(outside), free(inner), free(link), free(folder), free(second), free(fifo),
        free(dangling);
}

static void what_a_kill_left_is_cleared_away(void **state)
{
    struct world *w = *state;
    char *left = ia_path_join(w->folder, ".new"), *old = ia_path_join(w->folder, ".old"),
         *in = ia_path_join(w->folder, ".old/deep"),
         *file = ia_path_join(w->folder, ".old/deep/f");
    assert_int_equal(ia_file_write_atomic(left, "half", 4, 0600, NULL), IA_OK);
    assert_int_equal(mkdir(old, 0700), 0);
    assert_int_equal(mkdir(in, 0700), 0);
    assert_int_equal(ia_file_write_atomic(file, "x", 1, 0600, NULL), IA_OK);
    ia_memory_close(w->m);
    assert_int_equal(ia_memory_open(w->home, "agent", NULL, &w->m, &w->err), IA_OK);
    assert_int_not_equal(access(left, F_OK), 0);
    assert_int_not_equal(access(old, F_OK), 0);
    assert_int_equal(put(w, "/memories/a", "x"), IA_OK);
    check_list(w, "a");
    free(left), free(old), free(in), free(file);
}

enum { THREADS = 4, ROUNDS = 25 };

/* Adds lines to one file: read, change, write, as the tool does. */
static void *add_lines(void *ctx)
{
    for (int i = 0; i < ROUNDS; i++) {
        struct ia_memory *m = NULL;
        struct ia_memory_path p = path_of("/memories/log");
        struct ia_buf text = IA_BUF(IA_MEMORY_FILE_BYTES_MAX);
        struct ia_err err;
        bool ok = ia_memory_open(ctx, "crowd", NULL, &m, &err) == IA_OK;
        (void)(ok && ia_memory_read(m, &p, &text, &err));
        ia_buf_puts(&text, "line\n");
        ok = ok && ia_memory_write(m, &p, ia_buf_str(&text), &err) == IA_OK;
        ia_memory_close(m);
        ia_buf_fini(&text);
        if (!ok) {
            return ctx;
        }
    }
    return NULL;
}

static void runs_of_one_agent_take_turns(void **state)
{
    struct world *w = *state;
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, add_lines, w->home), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *failed;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    struct ia_memory_list list;
    struct ia_memory_path root = {.count = 0};
    ia_memory_close(w->m);
    assert_int_equal(ia_memory_open(w->home, "crowd", NULL, &w->m, &w->err), IA_OK);
    assert_int_equal(ia_memory_list(w->m, &root, &list, &w->err), IA_OK);
    assert_int_equal(list.items[0].size_bytes, THREADS * ROUNDS * 5);
    ia_memory_list_fini(&list);
}

static void names_of_agents_stay_apart_where_case_does_not_count(void **state)
{
    (void)state;
    char *a = ia_memory_folder("/h", "Reader"), *b = ia_memory_folder("/h", "reader");
    assert_string_equal(a, "/h/memories/=reader");
    assert_string_equal(b, "/h/memories/reader");
    free(a), free(b);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_lead_nowhere_but_into_the_folder),
        TEST(files_are_made_replaced_moved_and_removed),
        TEST(what_cannot_be_is_refused_and_changes_nothing),
        TEST(caps_are_kept),
        TEST(nothing_is_followed_out_of_the_folder),
        TEST(what_a_kill_left_is_cleared_away),
        TEST(runs_of_one_agent_take_turns),
        cmocka_unit_test(names_of_agents_stay_apart_where_case_does_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
