/* Child processes: input and output, signals, time limits, cancellation, and programs that
 * stay in the background. The children are lines of sh. */
#include "tmpdir.h"

#include "base/spawn.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

static enum ia_rc shell(const char *script, struct ia_spawn s, struct ia_spawn_result *r,
                        struct ia_err *err)
{
    const char *argv[] = {"sh", "-c", script, NULL};
    s.argv = argv;
    return ia_spawn_run(&s, r, err);
}

static void output_and_status_come_back(void **state)
{
    (void)state;
    struct ia_spawn_result r;
    struct ia_err err;
    assert_int_equal(
        shell("echo out; echo one >&2; echo two >&2; exit 3", (struct ia_spawn){0}, &r, &err),
        IA_OK);
    assert_int_equal(r.exit_status, 3);
    assert_int_equal(r.signal, 0);
    assert_false(r.truncated);
    assert_string_equal(ia_buf_cstr(&r.out), "out\n");
    assert_string_equal(ia_buf_cstr(&r.err), "one\ntwo\n");
    assert_int_equal(ia_spawn_check(&r, "sh", &err), IA_E_CHILD);
    assert_string_equal(err.msg, "sh exited with status 3: two");
    ia_spawn_result_fini(&r);
}

static void success_passes_the_check(void **state)
{
    (void)state;
    struct ia_spawn_result r;
    assert_int_equal(shell("echo noise >&2", (struct ia_spawn){0}, &r, NULL), IA_OK);
    assert_int_equal(ia_spawn_check(&r, "sh", NULL), IA_OK);
    assert_true(r.duration_ms >= 0);
    ia_spawn_result_fini(&r);
}

static void a_signal_and_a_status_are_distinct(void **state)
{
    (void)state;
    struct ia_spawn_result r;
    struct ia_err err;
    assert_int_equal(shell("kill -9 $$", (struct ia_spawn){0}, &r, &err), IA_OK);
    assert_int_equal(r.signal, SIGKILL);
    assert_int_equal(r.exit_status, -1);
    assert_int_equal(ia_spawn_check(&r, "sh", &err), IA_E_CHILD);
    assert_string_equal(err.msg, "sh was killed by signal 9");
    ia_spawn_result_fini(&r);
}

enum { BIG = 1 << 20 };

static void input_and_output_larger_than_a_pipe_do_not_lock_up(void **state)
{
    (void)state;
    char *text = ia_alloc(BIG);
    for (int i = 0; i < BIG; i++) {
        text[i] = (char)('a' + i % 23);
    }
    struct ia_spawn_result r;
    assert_int_equal(shell("cat", (struct ia_spawn){.input = {text, BIG}}, &r, NULL), IA_OK);
    assert_int_equal(r.exit_status, 0);
    assert_int_equal(r.out.len, BIG);
    assert_memory_equal(r.out.p, text, BIG);
    assert_false(r.truncated);
    ia_spawn_result_fini(&r);
    free(text);
}

static void a_child_that_does_not_read_its_input_is_no_error(void **state)
{
    (void)state;
    char *text = ia_calloc(1, BIG);
    struct ia_spawn_result r;
    assert_int_equal(
        shell("exec 0<&-; echo done", (struct ia_spawn){.input = {text, BIG}}, &r, NULL),
        IA_OK);
    assert_string_equal(ia_buf_cstr(&r.out), "done\n");
    ia_spawn_result_fini(&r);
    free(text);
}

static void without_input_stdin_is_at_its_end(void **state)
{
    (void)state;
    struct ia_spawn_result r;
    assert_int_equal(shell("cat; echo end", (struct ia_spawn){0}, &r, NULL), IA_OK);
    assert_string_equal(ia_buf_cstr(&r.out), "end\n");
    ia_spawn_result_fini(&r);
}

static void output_beyond_the_cap_is_dropped_and_the_child_goes_on(void **state)
{
    (void)state;
    struct ia_spawn_result r;
    const char *script = "head -c 300000 /dev/zero; echo tail >&2; exit 4";
    assert_int_equal(shell(script, (struct ia_spawn){.output_max = 1000}, &r, NULL), IA_OK);
    assert_int_equal(r.exit_status, 4);
    assert_int_equal(r.out.len, 1000);
    assert_true(r.truncated);
    assert_string_equal(ia_buf_cstr(&r.err), "tail\n");
    ia_spawn_result_fini(&r);
}

static void environment_and_folder_are_the_given_ones(void **state)
{
    (void)state;
    char *dir = tmpdir_new();
    char *path = ia_path_join(dir, "sub");
    assert_int_equal(mkdir(path, 0700), 0);
    const char *env[] = {"FOO=bar baz", "PATH=/bin:/usr/bin", NULL};
    struct ia_spawn_result r;
    assert_int_equal(shell("echo \"$FOO,$HOME\"; basename \"$(pwd)\"",
                           (struct ia_spawn){.env = env, .cwd = path}, &r, NULL),
                     IA_OK);
    assert_string_equal(ia_buf_cstr(&r.out), "bar baz,\nsub\n");
    ia_spawn_result_fini(&r);
    free(path);
    tmpdir_free(dir);
}

static void what_cannot_be_started_is_named(void **state)
{
    (void)state;
    char *dir = tmpdir_new();
    char *plain = tmpdir_file(dir, "plain", "not a program");
    const char *missing[] = {"ia-no-such-program", NULL};
    const char *forbidden[] = {plain, NULL};
    const char *fine[] = {"true", NULL};
    struct ia_spawn_result r;
    struct ia_err err;
    assert_int_equal(ia_spawn_run(&(struct ia_spawn){.argv = missing}, &r, &err), IA_E_MISSING);
    assert_non_null(strstr(err.msg, "ia-no-such-program"));
    assert_non_null(strstr(err.hint, "PATH"));
    ia_spawn_result_fini(&r);
    assert_int_equal(ia_spawn_run(&(struct ia_spawn){.argv = forbidden}, &r, &err), IA_E_IO);
    assert_non_null(strstr(err.msg, plain));
    ia_spawn_result_fini(&r);
    assert_int_equal(ia_spawn_run(&(struct ia_spawn){.argv = fine, .cwd = plain}, &r, &err),
                     IA_E_IO);
    assert_non_null(strstr(err.msg, "no such folder"));
    ia_spawn_result_fini(&r);
    free(plain);
    tmpdir_free(dir);
}

/* Ends the program once it has said what it is to be ended for. */
static int end_when_asked(void *ctx, const struct ia_spawn_result *so_far)
{
    int *looks = ctx;
    (*looks)++;
    return strstr(ia_buf_cstr(&so_far->err), "ready") ? SIGINT : 0;
}

static void a_watcher_sees_what_is_written_and_may_signal(void **state)
{
    (void)state;
    int looks = 0;
    struct ia_spawn_result r;
    struct ia_err err;
    struct ia_spawn s = {.watch = end_when_asked, .watch_ctx = &looks};
    assert_int_equal(shell("trap 'echo finished; exit 5' INT; echo ready >&2; "
                           "while :; do sleep 0.05; done",
                           s, &r, &err),
                     IA_OK);
    assert_int_equal(r.exit_status, 5);
    assert_non_null(strstr(ia_buf_cstr(&r.out), "finished\n"));
    assert_true(looks > 0);
    ia_spawn_result_fini(&r);
}

static void no_other_descriptor_is_inherited(void **state)
{
    (void)state;
    struct ia_spawn_result r;
    assert_int_equal(dup2(STDERR_FILENO, 7), 7); /* without close-on-exec */
    enum ia_rc rc = shell("if (echo x >&7) 2>/dev/null; then echo open; else echo closed; fi",
                          (struct ia_spawn){0}, &r, NULL);
    close(7);
    assert_int_equal(rc, IA_OK);
    assert_string_equal(ia_buf_cstr(&r.out), "closed\n");
    ia_spawn_result_fini(&r);
}

static void signals_are_as_in_a_fresh_program(void **state)
{
    (void)state;
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction before;
    sigset_t block;
    sigset_t mask;
    struct ia_spawn_result r;
    sigemptyset(&block);
    sigaddset(&block, SIGTERM);
    assert_int_equal(pthread_sigmask(SIG_BLOCK, &block, &mask), 0);
    assert_int_equal(sigaction(SIGTERM, &ignore, &before), 0);
    enum ia_rc rc = shell("kill -TERM $$; echo survived", (struct ia_spawn){0}, &r, NULL);
    assert_int_equal(sigaction(SIGTERM, &before, NULL), 0);
    assert_int_equal(pthread_sigmask(SIG_SETMASK, &mask, NULL), 0);
    assert_int_equal(rc, IA_OK);
    assert_int_equal(r.signal, SIGTERM);
    assert_int_equal(r.out.len, 0);
    ia_spawn_result_fini(&r);
}

static void a_child_that_takes_too_long_is_ended(void **state)
{
    (void)state;
    struct ia_spawn_result r;
    struct ia_err err;
    assert_int_equal(
        shell("echo before; exec sleep 600", (struct ia_spawn){.timeout_ms = 100}, &r, &err),
        IA_E_TIMEOUT);
    assert_non_null(strstr(err.msg, "sh did not finish within 100 ms"));
    assert_true(r.duration_ms >= 100);
    assert_true(r.duration_ms < 60000);
    assert_int_equal(r.signal, SIGTERM);
    ia_spawn_result_fini(&r);
}

static void a_child_without_output_is_timed_out_as_well(void **state)
{
    (void)state;
    struct ia_spawn_result r;
    assert_int_equal(
        shell("exec sleep 600 >&- 2>&-", (struct ia_spawn){.timeout_ms = 100}, &r, NULL),
        IA_E_TIMEOUT);
    ia_spawn_result_fini(&r);
}

/* Fires the token when the child has written a byte into the fifo. */
struct trigger {
    int fifo;
    struct ia_cancel *cancel;
};

static void *fire_when_ready(void *arg)
{
    struct trigger *t = arg;
    struct pollfd fd = {t->fifo, POLLIN, 0};
    char c;
    if (poll(&fd, 1, 60000) == 1 && read(t->fifo, &c, 1) == 1) {
        ia_cancel_fire(t->cancel);
    }
    return NULL;
}

/* Runs script with $1 = a fifo, cancels it once it has written to the fifo, and checks that
 * nobody holds the fifo open after. */
static void cancelled_when_ready(const char *script, struct ia_spawn_result *r)
{
    char *dir = tmpdir_new();
    char *fifo = ia_path_join(dir, "fifo");
    pthread_t thread;
    assert_int_equal(mkfifo(fifo, 0600), 0);
    struct trigger t = {open(fifo, O_RDONLY | O_NONBLOCK), ia_cancel_new(NULL)};
    assert_true(t.fifo >= 0);
    assert_int_equal(pthread_create(&thread, NULL, fire_when_ready, &t), 0);
    const char *argv[] = {"sh", "-c", script, "sh", fifo, NULL};
    struct ia_err err;
    assert_int_equal(
        ia_spawn_run(&(struct ia_spawn){.argv = argv, .cancel = t.cancel}, r, &err),
        IA_E_CANCELLED);
    assert_int_equal(pthread_join(thread, NULL), 0);
    struct pollfd fd = {t.fifo, POLLIN, 0};
    char rest[16];
    ssize_t n = 1;
    while (n != 0) { /* 0 is the end of the file: no writer is left */
        assert_int_equal(poll(&fd, 1, 60000), 1);
        n = read(t.fifo, rest, sizeof(rest));
        assert_true(n >= 0);
    }
    close(t.fifo);
    ia_cancel_free(t.cancel);
    free(fifo);
    tmpdir_free(dir);
}

static void cancelling_ends_the_process_group(void **state)
{
    (void)state;
    struct ia_spawn_result r;
    cancelled_when_ready("exec 9>\"$1\"; sleep 600 & sleep 600 & echo x >&9; wait", &r);
    assert_int_equal(r.signal, SIGTERM);
    ia_spawn_result_fini(&r);
}

static void a_child_that_ignores_the_request_is_killed(void **state)
{
    (void)state;
    struct ia_spawn_result r;
    cancelled_when_ready("trap '' TERM; exec 9>\"$1\"; echo x >&9; while :; do sleep 600; done",
                         &r);
    assert_int_equal(r.signal, SIGKILL);
    ia_spawn_result_fini(&r);
}

static void a_fired_token_starts_nothing(void **state)
{
    (void)state;
    struct ia_cancel *c = ia_cancel_new(NULL);
    struct ia_spawn_result r;
    struct ia_err err;
    ia_cancel_fire(c);
    assert_int_equal(shell("echo x", (struct ia_spawn){.cancel = c}, &r, &err), IA_E_CANCELLED);
    assert_int_equal(r.out.len, 0);
    ia_spawn_result_fini(&r);
    ia_cancel_free(c);
}

static void a_background_process_that_keeps_the_pipes_is_not_waited_for(void **state)
{
    (void)state;
    struct ia_spawn_result r;
    assert_int_equal(
        shell("sleep 600 & echo $!", (struct ia_spawn){.timeout_ms = 60000}, &r, NULL), IA_OK);
    assert_int_equal(r.exit_status, 0);
    long pid = strtol(ia_buf_cstr(&r.out), NULL, 10);
    assert_true(pid > 1);
    assert_int_equal(kill((pid_t)pid, SIGKILL), 0);
    ia_spawn_result_fini(&r);
}

/* In a process whose standard streams are closed, a pipe end could get the number 0 or 1. */
static int with_closed_streams(void)
{
    struct ia_spawn_result r;
    close(0);
    close(1);
    close(2);
    if (shell("cat; echo done", (struct ia_spawn){.input = {"in ", 3}}, &r, NULL) != IA_OK) {
        return 2;
    }
    int same = strcmp(ia_buf_cstr(&r.out), "in done\n") == 0;
    ia_spawn_result_fini(&r);
    return same ? 0 : 1;
}

static void closed_standard_streams_do_no_harm(void **state)
{
    (void)state;
    pid_t pid = fork();
    int status = 0;
    if (pid == 0) {
        _exit(with_closed_streams());
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void a_long_last_line_is_cut_in_the_message(void **state)
{
    (void)state;
    struct ia_spawn_result r;
    struct ia_err err;
    assert_int_equal(shell("head -c 5000 /dev/zero | tr '\\0' 'z' >&2; exit 1",
                           (struct ia_spawn){0}, &r, NULL),
                     IA_OK);
    assert_int_equal(ia_spawn_check(&r, "sh", &err), IA_E_CHILD);
    assert_true(strlen(err.msg) < 300);
    ia_spawn_result_fini(&r);
}

/* ---- in the background ------------------------------------------------------------------- */

static void wait_for_end(pid_t pid, int *exit_status, int *signo)
{
    while (!ia_spawn_ended(pid, exit_status, signo)) {
        (void)poll(NULL, 0, 5);
    }
}

static void a_background_program_writes_its_log_and_its_end_is_seen_once(void **state)
{
    (void)state;
    char *dir = tmpdir_new();
    char *log = tmpdir_file(dir, "log", "before\n");
    const char *argv[] = {"sh", "-c", "echo out; echo err >&2; cat; exit 3", NULL};
    struct ia_spawn s = {.argv = argv};
    struct ia_err err = {0};
    struct ia_buf text = IA_BUF(1000);
    pid_t pid = -1;
    int exit_status = 0;
    int signo = -1;
    assert_int_equal(ia_spawn_background(&s, log, &pid, &err), IA_OK);
    wait_for_end(pid, &exit_status, &signo);
    assert_int_equal(exit_status, 3);
    assert_int_equal(signo, 0);
    assert_false(ia_spawn_ended(pid, &exit_status, &signo));
    assert_int_equal(ia_file_read(log, &text, &err), IA_OK);
    assert_string_equal(ia_buf_cstr(&text), "before\nout\nerr\n");
    ia_buf_fini(&text);
    free(log);
    tmpdir_free(dir);
}

static void a_background_program_leads_a_session_and_its_group(void **state)
{
    (void)state;
    char *dir = tmpdir_new();
    char *log = ia_path_join(dir, "log");
    const char *argv[] = {"sh", "-c", "sleep 600 & wait", NULL};
    struct ia_spawn s = {.argv = argv};
    struct ia_err err = {0};
    pid_t pid = -1;
    int exit_status = 0;
    int signo = 0;
    assert_int_equal(ia_spawn_background(&s, log, &pid, &err), IA_OK);
    assert_int_equal(getsid(pid), pid);
    assert_int_equal(getpgid(pid), pid);
    assert_false(ia_spawn_ended(pid, &exit_status, &signo));
    assert_int_equal(kill(-pid, SIGKILL), 0);
    wait_for_end(pid, &exit_status, &signo);
    assert_int_equal(exit_status, -1);
    assert_int_equal(signo, SIGKILL);
    free(log);
    tmpdir_free(dir);
}

static void a_background_program_that_cannot_be_started_is_named(void **state)
{
    (void)state;
    char *dir = tmpdir_new();
    char *log = ia_path_join(dir, "log");
    const char *argv[] = {"no-such-program-here", NULL};
    struct ia_spawn s = {.argv = argv};
    struct ia_err err = {0};
    pid_t pid = -1;
    assert_int_equal(ia_spawn_background(&s, log, &pid, &err), IA_E_MISSING);
    assert_non_null(strstr(err.msg, "no-such-program-here"));
    assert_int_equal(pid, -1);
    free(log);
    log = ia_path_join(dir, "none/log");
    assert_int_equal(ia_spawn_background(&s, log, &pid, &err), IA_E_IO);
    free(log);
    tmpdir_free(dir);
}

/* ---- a program that is talked to, and all of a group ------------------------------------- */

/* A script has the other end open as descriptor 9, and so has what it starts. */
struct group {
    char *dir, *script;
    int fifo;
};

static struct group group_new(const char *script)
{
    struct group g = {.dir = tmpdir_new()};
    char *path = ia_path_join(g.dir, "fifo");
    struct ia_buf text = IA_BUF(4096);
    assert_int_equal(mkfifo(path, 0600), 0);
    g.fifo = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    ia_buf_printf(&text, "exec 9>%s; echo ready; %s", path, script);
    g.script = ia_buf_steal(&text);
    free(path);
    return g;
}

/* All that had it open have ended. */
static void group_ended(struct group *g)
{
    struct pollfd fd = {.fd = g->fifo};
    assert_int_equal(poll(&fd, 1, 10000), 1);
    assert_true(fd.revents & POLLHUP);
    close(g->fifo);
    free(g->script);
    tmpdir_free(g->dir);
}

static void talk_open(const char *script, struct ia_spawn_talk *t)
{
    const char *argv[] = {"sh", "-c", script, NULL};
    struct ia_spawn s = {.argv = argv};
    assert_int_equal(ia_spawn_talk_open(&s, t, NULL), IA_OK);
}

static void a_child_is_talked_to_while_it_runs(void **state)
{
    (void)state;
    struct ia_spawn_talk t;
    char got[16] = "";
    int status;
    int signo;
    talk_open("while read -r line; do echo \"<$line>\"; done", &t);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ia_spawn_talk_write(&t, ia_str("hi\n")), 3);
        struct pollfd fd = {.fd = t.out, .events = POLLIN};
        assert_int_equal(poll(&fd, 1, 10000), 1);
        assert_int_equal(read(t.out, got, sizeof(got)), 5);
        assert_memory_equal(got, "<hi>\n", 5);
        assert_false(ia_spawn_talk_ended(&t, 0, &status, &signo));
    }
    ia_spawn_talk_close(&t, 10000);
}

static void how_a_child_ended_is_told_before_it_is_closed(void **state)
{
    (void)state;
    static const struct {
        const char *script;
        int status, signo;
    } rows[] = {{"exit 7", 7, 0}, {"kill -9 $$", -1, 9}, {"exit 0", 0, 0}};
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_spawn_talk t;
        int status = 99;
        int signo = 99;
        talk_open(rows[i].script, &t);
        assert_true(ia_spawn_talk_ended(&t, 10000, &status, &signo));
        assert_true(ia_spawn_talk_ended(&t, 0, &status, &signo));
        assert_int_equal(status, rows[i].status);
        assert_int_equal(signo, rows[i].signo);
        assert_int_equal(ia_spawn_talk_write(&t, ia_str("x")), -1);
        ia_spawn_talk_close(&t, 0);
    }
}

static void closing_ends_what_a_child_started_too(void **state)
{
    (void)state;
    static const char *const scripts[] = {"sleep 1000 & exit 0",
                                          "trap '' TERM; sleep 1000 & sleep 1000"};
    for (size_t i = 0; i < IA_COUNTOF(scripts); i++) {
        struct group g = group_new(scripts[i]);
        struct ia_spawn_talk t;
        talk_open(g.script, &t);
        struct pollfd fd = {.fd = t.out, .events = POLLIN};
        assert_int_equal(poll(&fd, 1, 10000), 1);
        ia_spawn_talk_close(&t, 10);
        group_ended(&g);
    }
}

static void a_whole_group_ends_with_its_leader(void **state)
{
    (void)state;
    struct group g = group_new("sleep 1000 & exit 3");
    struct ia_spawn_result r;
    assert_int_equal(shell(g.script, (struct ia_spawn){.whole_group = true}, &r, NULL), IA_OK);
    assert_int_equal(r.exit_status, 3);
    ia_spawn_result_fini(&r);
    group_ended(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(output_and_status_come_back),
        cmocka_unit_test(success_passes_the_check),
        cmocka_unit_test(a_signal_and_a_status_are_distinct),
        cmocka_unit_test(input_and_output_larger_than_a_pipe_do_not_lock_up),
        cmocka_unit_test(a_child_that_does_not_read_its_input_is_no_error),
        cmocka_unit_test(without_input_stdin_is_at_its_end),
        cmocka_unit_test(output_beyond_the_cap_is_dropped_and_the_child_goes_on),
        cmocka_unit_test(environment_and_folder_are_the_given_ones),
        cmocka_unit_test(what_cannot_be_started_is_named),
        cmocka_unit_test(a_watcher_sees_what_is_written_and_may_signal),
        cmocka_unit_test(no_other_descriptor_is_inherited),
        cmocka_unit_test(signals_are_as_in_a_fresh_program),
        cmocka_unit_test(a_child_that_takes_too_long_is_ended),
        cmocka_unit_test(a_child_without_output_is_timed_out_as_well),
        cmocka_unit_test(cancelling_ends_the_process_group),
        cmocka_unit_test(a_child_that_ignores_the_request_is_killed),
        cmocka_unit_test(a_fired_token_starts_nothing),
        cmocka_unit_test(a_background_process_that_keeps_the_pipes_is_not_waited_for),
        cmocka_unit_test(closed_standard_streams_do_no_harm),
        cmocka_unit_test(a_long_last_line_is_cut_in_the_message),
        cmocka_unit_test(a_background_program_writes_its_log_and_its_end_is_seen_once),
        cmocka_unit_test(a_background_program_leads_a_session_and_its_group),
        cmocka_unit_test(a_background_program_that_cannot_be_started_is_named),
        cmocka_unit_test(a_child_is_talked_to_while_it_runs),
        cmocka_unit_test(how_a_child_ended_is_told_before_it_is_closed),
        cmocka_unit_test(closing_ends_what_a_child_started_too),
        cmocka_unit_test(a_whole_group_ends_with_its_leader),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
