/* A write-ahead log with one bit flipped: what is lost by it is noticed, unless it is what a crash may
 * take too. */
#include "home.h"

#include "store/durable.h"
#include "store/wal.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOG_MAX = 8 << 20, COMMITS = 12, HEAD = 32, FRAME = 24 + 4096, FLIPS = 60 };

/* Leaves a log as a killed process does: the last to close it would empty it. */
static void leave_log(const struct home *h)
{
    pid_t pid = fork();
    if (pid == 0) {
        struct ia_store *s = home_open(h);
        char id[IA_ID_SIZE];
        for (int i = 0; i < COMMITS; i++) {
            add_run(s, "lane", id);
        }
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static enum ia_rc try_open(const struct home *h, struct ia_err *err)
{
    struct ia_store *s = NULL;
    struct ia_store_opts opts = {.home = h->dir};
    enum ia_rc rc = ia_store_open(&opts, &s, err);
    ia_store_close(s);
    return rc;
}

/* Number of frames, and where the last commits that a power failure may take begin. */
static size_t frames_of(const struct ia_buf *log, size_t *ret_last)
{
    size_t n = 0, ends[IA_UNSYNCED_MAX + 1] = {0};
    const unsigned char *p = (const unsigned char *)log->p;
    for (size_t at = HEAD; at + FRAME <= log->len; at += FRAME) {
        if (memcmp(p + at + 8, p + 16, 8) != 0) {
            break;
        }
        n++;
        if (p[at + 4] | p[at + 5] | p[at + 6] | p[at + 7]) {
            memmove(ends, ends + 1, sizeof(ends) - sizeof(*ends));
            ends[IA_UNSYNCED_MAX] = n;
        }
    }
    *ret_last = ends[0];
    return n;
}

static void a_flipped_bit_before_the_last_commits_is_noticed(void **state)
{
    struct home *h = *state;
    char wal[128];
    struct ia_buf whole = IA_BUF(LOG_MAX);
    struct ia_err err = {0};
    size_t before_last = 0;
    leave_log(h);
    snprintf(wal, sizeof(wal), "%s-wal", h->db);
    read_file(wal, &whole);
    size_t frames = frames_of(&whole, &before_last);
    assert_true(frames > COMMITS && before_last > COMMITS);
    assert_rc(IA_OK, ia_wal_check(wal, &err));
    srandom(7);
    bool opened = false;
    for (int i = 0; i < FLIPS; i++) {
        size_t at = HEAD + (size_t)random() % (frames * FRAME);
        unsigned char bit = (unsigned char)(1U << (random() % 8));
        whole.p[at] = (char)(whole.p[at] ^ bit);
        write_file(wal, whole.p, whole.len);
        enum ia_rc want = (at - HEAD) / FRAME < before_last ? IA_E_DB_CORRUPT : IA_OK;
        enum ia_rc got = ia_wal_check(wal, &err);
        if (got != want) {
            fail_msg("frame %zu of %zu (the last commits begin at %zu), byte %zu: %s",
                     (at - HEAD) / FRAME, frames, before_last, (at - HEAD) % FRAME,
                     ia_rc_name(got));
        }
        if (!opened && want != IA_OK) {
            opened = true;
            assert_rc(IA_E_DB_CORRUPT, try_open(h, &err));
            assert_contains(err.msg, "commits would be lost");
            assert_contains(err.hint, "look at the device");
        }
        whole.p[at] = (char)(whole.p[at] ^ bit);
    }
    assert_true(opened);
    write_file(wal, whole.p, whole.len);
    assert_rc(IA_OK, try_open(h, &err));
    ia_buf_fini(&whole);
}

static void a_log_that_ends_anywhere_is_what_a_crash_leaves(void **state)
{
    struct home *h = *state;
    char wal[128];
    struct ia_buf whole = IA_BUF(LOG_MAX);
    leave_log(h);
    snprintf(wal, sizeof(wal), "%s-wal", h->db);
    read_file(wal, &whole);
    for (size_t n = 0; n < whole.len; n += 997) {
        write_file(wal, whole.p, n);
        assert_rc(IA_OK, ia_wal_check(wal, NULL));
    }
    ia_buf_fini(&whole);
}

#define T(name) cmocka_unit_test_setup_teardown(name, home_make, home_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_flipped_bit_before_the_last_commits_is_noticed),
        T(a_log_that_ends_anywhere_is_what_a_crash_leaves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
