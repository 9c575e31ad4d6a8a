/* Blobs are found by what they contain, and a changed one is noticed. */
#include "home.h"

#include "base/fd.h"
#include "store/blob.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static const char abc_sha[] =
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

static void a_blob_is_stored_once_under_its_hash(void **state)
{
    struct home *h = *state;
    struct ia_store *s = home_open(h);
    char sha[IA_SHA256_HEX_SIZE], expected[160];
    struct stat first, second;
    struct ia_buf path = IA_BUF(500), bytes = IA_BUF(500);
    assert_rc(IA_OK, ia_blob_put(s, "abc", 3, sha, NULL));
    assert_string_equal(sha, abc_sha);
    assert_rc(IA_OK, ia_blob_path(s, sha, &path, NULL));
    snprintf(expected, sizeof(expected), "%s/blobs/ba/%s", h->dir, abc_sha + 2);
    assert_string_equal(ia_buf_cstr(&path), expected);
    assert_int_equal(stat(expected, &first), 0);
    assert_int_equal(first.st_mode & 0777, 0600);
    assert_rc(IA_OK, ia_blob_put(s, "abc", 3, sha, NULL));
    assert_int_equal(stat(expected, &second), 0);
    assert_true(first.st_ino == second.st_ino);
    ia_buf_puts(&bytes, "-");
    assert_rc(IA_OK, ia_blob_read(s, sha, &bytes, NULL));
    assert_string_equal(ia_buf_cstr(&bytes), "-abc");
    ia_buf_fini(&path);
    ia_buf_fini(&bytes);
    ia_store_close(s);
}

static void an_empty_blob_and_one_with_zero_bytes_are_kept(void **state)
{
    static const struct {
        const char *bytes;
        size_t n;
    } cases[] = {{"", 0}, {"a\0b", 3}};
    struct ia_store *s = home_open(*state);
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        char sha[IA_SHA256_HEX_SIZE];
        struct ia_buf bytes = IA_BUF(500);
        assert_rc(IA_OK, ia_blob_put(s, cases[i].bytes, cases[i].n, sha, NULL));
        assert_rc(IA_OK, ia_blob_read(s, sha, &bytes, NULL));
        assert_int_equal(bytes.len, cases[i].n);
        assert_memory_equal(ia_buf_cstr(&bytes), cases[i].bytes, cases[i].n);
        ia_buf_fini(&bytes);
    }
    ia_store_close(s);
}

static void hostile_and_malformed_names_are_refused(void **state)
{
    static const char *const names[] = {
        "",
        "abc",
        "../../../../../../../../../../../../../../../../etc/passwd",
        "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD",
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad0",
        "ba/../../8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015a",
        "..7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    };
    struct ia_store *s = home_open(*state);
    struct ia_err err;
    for (size_t i = 0; i < IA_COUNTOF(names); i++) {
        struct ia_buf out = IA_BUF(500);
        assert_rc(IA_E_USAGE, ia_blob_path(s, names[i], &out, &err));
        assert_rc(IA_E_USAGE, ia_blob_read(s, names[i], &out, &err));
        assert_int_equal(out.len, 0);
    }
    assert_rc(IA_E_USAGE, ia_blob_path(s, NULL, NULL, &err));
    ia_store_close(s);
}

static void a_missing_blob_and_a_changed_one_are_told_apart(void **state)
{
    struct ia_store *s = home_open(*state);
    struct ia_err err;
    struct ia_buf path = IA_BUF(500), bytes = IA_BUF(500);
    char sha[IA_SHA256_HEX_SIZE];
    assert_rc(IA_E_NOT_FOUND, ia_blob_read(s, abc_sha, &bytes, &err));
    assert_rc(IA_OK, ia_blob_put(s, "abc", 3, sha, NULL));
    assert_rc(IA_OK, ia_blob_path(s, sha, &path, NULL));
    write_file(ia_buf_cstr(&path), "abd", 3);
    assert_rc(IA_E_DB_CORRUPT, ia_blob_read(s, sha, &bytes, &err));
    assert_contains(err.msg, ia_buf_cstr(&path));
    assert_int_equal(bytes.len, 0);
    write_file(ia_buf_cstr(&path), "ab", 2); /* cut short: the next put mends it */
    assert_rc(IA_OK, ia_blob_put(s, "abc", 3, sha, NULL));
    assert_rc(IA_OK, ia_blob_read(s, sha, &bytes, NULL));
    assert_string_equal(ia_buf_cstr(&bytes), "abc");
    ia_buf_fini(&path);
    ia_buf_fini(&bytes);
    ia_store_close(s);
}

static void a_blob_larger_than_the_cap_is_refused(void **state)
{
    struct ia_store *s = home_open(*state);
    char sha[IA_SHA256_HEX_SIZE] = "";
    assert_rc(IA_E_LIMIT, ia_blob_put(s, "", (size_t)IA_BLOB_BYTES_MAX + 1, sha, NULL));
    assert_string_equal(sha, "");
    ia_store_close(s);
}

static void old_litter_of_killed_processes_is_removed_and_young_work_stays(void **state)
{
    struct home *h = *state;
    char old[128], young[128], dir[128], sha[IA_SHA256_HEX_SIZE];
    struct ia_store *s = home_open(h);
    snprintf(dir, sizeof(dir), "%s/blobs", h->dir);
    assert_int_equal(mkdir(dir, 0700), 0);
    snprintf(dir, sizeof(dir), "%s/blobs/tmp", h->dir);
    assert_int_equal(mkdir(dir, 0700), 0);
    snprintf(old, sizeof(old), "%s/blobs/tmp/old", h->dir);
    snprintf(young, sizeof(young), "%s/blobs/tmp/young", h->dir);
    write_file(old, "x", 1);
    write_file(young, "x", 1);
    const struct timespec times[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
    assert_int_equal(utimensat(AT_FDCWD, old, times, 0), 0);
    assert_rc(IA_OK, ia_blob_put(s, "abc", 3, sha, NULL));
    assert_int_not_equal(access(old, F_OK), 0);
    assert_int_equal(access(young, F_OK), 0);
    ia_store_close(s);
}

static void a_blob_gets_a_name_for_people_again_and_again(void **state)
{
    struct ia_store *s = home_open(*state);
    char sha[IA_SHA256_HEX_SIZE];
    struct ia_buf path = IA_BUF(4096), bytes = IA_BUF(100);
    assert_rc(IA_OK, ia_blob_put(s, "abc", 3, sha, NULL));
    for (int i = 0; i < 2; i++) {
        ia_buf_reset(&path);
        ia_buf_reset(&bytes);
        assert_rc(IA_OK, ia_blob_show_as(s, sha, "screens", "x.png", &path, NULL));
        assert_rc(IA_OK, ia_file_read(ia_buf_cstr(&path), &bytes, NULL));
        assert_string_equal(ia_buf_cstr(&bytes), "abc");
    }
    assert_contains(ia_buf_cstr(&path), "/screens/x.png");
    assert_rc(IA_E_USAGE, ia_blob_show_as(s, sha, "..", "../x.png", &path, NULL));
    ia_buf_fini(&path);
    ia_buf_fini(&bytes);
    ia_store_close(s);
}

#define T(name) cmocka_unit_test_setup_teardown(name, home_make, home_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_blob_is_stored_once_under_its_hash),
        T(an_empty_blob_and_one_with_zero_bytes_are_kept),
        T(hostile_and_malformed_names_are_refused),
        T(a_missing_blob_and_a_changed_one_are_told_apart),
        T(a_blob_larger_than_the_cap_is_refused),
        T(a_blob_gets_a_name_for_people_again_and_again),
        T(old_litter_of_killed_processes_is_removed_and_young_work_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
