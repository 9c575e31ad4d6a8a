#include "test.h"
#include "tmpdir.h"

#include "server/daemon/place.h"

static struct ia_place taken(const char *home)
{
    struct ia_place p;
    struct ia_err err;
    assert_int_equal(ia_place_take(home, &p, &err), IA_OK);
    return p;
}

static int listening(struct ia_place *p)
{
    struct ia_err err;
    int fd = -1;
    assert_int_equal(ia_place_listen(p, true, &fd, &err), IA_OK);
    return fd;
}

static void a_home_has_one_place_until_it_is_left(void **state)
{
    (void)state;
    char *home = tmpdir_new();
    struct ia_place first = taken(home), second;
    struct ia_err err;
    int fd = listening(&first);
    char who[32];
    (void)snprintf(who, sizeof(who), "pid %d", (int)getpid());
    assert_int_equal(ia_place_take(home, &second, &err), IA_E_BUSY);
    assert_non_null(strstr(err.msg, who));
    assert_non_null(strstr(err.msg, home));
    ia_place_leave(&first);
    close(fd);
    second = taken(home);
    ia_place_leave(&second);
    tmpdir_free(home);
}

static void a_lock_whose_file_was_replaced_is_no_place(void **state)
{
    (void)state;
    char *home = tmpdir_new();
    struct ia_place old = taken(home);
    int fd = listening(&old);
    assert_false(ia_place_lost(&old));
    assert_int_equal(unlink(old.lock_path), 0);
    assert_true(ia_place_lost(&old));
    struct ia_place next = taken(home);
    int next_fd = listening(&next);
    /* The one that lost it leaves what is not its own. */
    ia_place_leave(&old);
    close(fd);
    assert_false(ia_place_lost(&next));
    ia_place_leave(&next);
    close(next_fd);
    tmpdir_free(home);
}

static void a_socket_that_was_removed_is_noticed(void **state)
{
    (void)state;
    char *home = tmpdir_new();
    struct ia_place p = taken(home);
    int fd = listening(&p);
    assert_int_equal(unlink(p.address.path), 0);
    assert_true(ia_place_lost(&p));
    ia_place_leave(&p);
    close(fd);
    tmpdir_free(home);
}

static void a_stale_socket_is_removed_and_nothing_else_is(void **state)
{
    (void)state;
    char *home = tmpdir_new();
    struct ia_place p = taken(home);
    int stale = listening(&p);
    p.listening = false; /* as by a kill */
    ia_place_leave(&p);
    close(stale);
    p = taken(home);
    int fd = listening(&p);
    struct stat st;
    assert_int_equal(lstat(p.address.path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    ia_place_hide(&p);
    assert_int_equal(lstat(p.address.path, &st), -1);
    close(fd);
    struct ia_err err;
    free(tmpdir_file(home, "daemon.sock", "mine"));
    assert_int_equal(ia_place_listen(&p, true, &fd, &err), IA_E_EXISTS);
    assert_int_equal(unlink(p.address.path), 0);
    assert_int_equal(symlink("/etc/passwd", p.address.path), 0);
    assert_int_equal(ia_place_listen(&p, true, &fd, &err), IA_E_EXISTS);
    ia_place_leave(&p);
    assert_int_equal(access("/etc/passwd", F_OK), 0);
    tmpdir_free(home);
}

static void a_lock_file_that_is_a_link_is_refused(void **state)
{
    (void)state;
    char *home = tmpdir_new(), *target = tmpdir_file(home, "target", "precious");
    char *lock = ia_path_join(home, "daemon.lock");
    struct ia_buf text = IA_BUF(64);
    struct ia_place p;
    struct ia_err err;
    assert_int_equal(symlink(target, lock), 0);
    assert_int_equal(ia_place_take(home, &p, &err), IA_E_IO);
    assert_int_equal(ia_file_read(target, &text, &err), IA_OK);
    assert_string_equal(ia_buf_cstr(&text), "precious");
    ia_buf_fini(&text);
    free(target);
    free(lock);
    tmpdir_free(home);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_home_has_one_place_until_it_is_left),
        cmocka_unit_test(a_lock_whose_file_was_replaced_is_no_place),
        cmocka_unit_test(a_socket_that_was_removed_is_noticed),
        cmocka_unit_test(a_stale_socket_is_removed_and_nothing_else_is),
        cmocka_unit_test(a_lock_file_that_is_a_link_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
