/* Questions to a person at a terminal, on a pseudo-terminal, with Ctrl-C while the echo is
 * off. */
#include "tmpdir.h"

#include "base/term.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>

/* A pseudo terminal whose slave is the controlling terminal of a child that asks for a secret.
 * The child reports through a pipe what it got: the code, then the text. */
struct pty {
    int master;
    int report; /* our end of the pipe */
    int keeper; /* the slave: keeps the terminal's settings for a last look */
    pid_t pid;
    char slave[128];
};

enum { SECRET_SIZE = 16 };

static void ask(int report)
{
    char secret[SECRET_SIZE];
    struct ia_err err = {0};
    memset(secret, 'x', sizeof(secret));
    int tty = ia_term_open(&err);
    enum ia_rc rc = ia_term_read_secret(tty, "Key: ", secret, sizeof(secret), &err);
    struct ia_buf b = IA_BUF(1000);
    ia_buf_printf(&b, "%s|%s", ia_rc_name(rc), rc == IA_OK ? secret : err.msg);
    /* After a failure nothing of the line may be left in the memory. */
    for (size_t i = 0; rc != IA_OK && i < sizeof(secret); i++) {
        ia_buf_puts(&b, secret[i] ? "|not wiped" : "");
    }
    (void)ia_write_all(report, b.p, b.len);
    _exit(0);
}

static volatile sig_atomic_t handled;

static void note(int signo)
{
    handled = signo;
}

static void child(struct pty *p, int report, void (*on_interrupt)(int))
{
    struct sigaction action = {.sa_handler = on_interrupt};
    close(p->master);
    close(p->report);
    if (setsid() < 0) {
        _exit(10);
    }
    int slave = open(p->slave, O_RDWR);
    if (slave < 0 || ioctl(slave, TIOCSCTTY, 0) != 0) {
        _exit(11);
    }
    close(slave);
    close(p->keeper);
    sigaction(SIGINT, &action, NULL);
    ask(report);
}

static bool echoes(const struct pty *p)
{
    struct termios t;
    int fd = open(p->slave, O_RDWR | O_NOCTTY);
    assert_true(fd >= 0);
    assert_int_equal(tcgetattr(fd, &t), 0);
    close(fd);
    return (t.c_lflag & ECHO) != 0;
}

static void start(struct pty *p, void (*on_interrupt)(int))
{
    int fds[2];
    memset(p, 0, sizeof(*p));
    p->master = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(p->master >= 0);
    assert_int_equal(grantpt(p->master), 0);
    assert_int_equal(unlockpt(p->master), 0);
    snprintf(p->slave, sizeof(p->slave), "%s", ptsname(p->master));
    p->keeper = open(p->slave, O_RDWR | O_NOCTTY);
    assert_true(p->keeper >= 0);
    assert_true(echoes(p));
    assert_int_equal(pipe(fds), 0);
    p->report = fds[0];
    fflush(NULL);
    p->pid = fork();
    assert_true(p->pid >= 0);
    if (p->pid == 0) {
        child(p, fds[1], on_interrupt);
    }
    close(fds[1]);
}

/* Reads from the terminal until the text ends with `end`, at most 10 s. */
static void expect(const struct pty *p, const char *end, struct ia_buf *seen)
{
    size_t n = strlen(end);
    while (seen->len < n || strcmp(seen->p + seen->len - n, end) != 0) {
        struct pollfd fd = {p->master, POLLIN, 0};
        char c = '\0';
        assert_int_equal(poll(&fd, 1, 10000), 1);
        assert_int_equal(read(p->master, &c, 1), 1);
        ia_buf_putc(seen, c);
    }
}

/* Types text at the prompt and returns what the child reported; its wait status in *ret. */
static char *answer(struct pty *p, const char *text, int *ret_status)
{
    struct ia_buf seen = IA_BUF(1000);
    struct ia_buf report = IA_BUF(1000);
    char chunk[256];
    expect(p, "Key: ", &seen);
    assert_false(echoes(p));
    assert_int_equal(ia_write_all(p->master, text, strlen(text)), IA_OK);
    for (ssize_t n; (n = read(p->report, chunk, sizeof(chunk))) > 0;) {
        ia_buf_put(&report, chunk, (size_t)n);
    }
    assert_int_equal(waitpid(p->pid, ret_status, 0), p->pid);
    expect(p, "Key: \r\n", &seen); /* the newline only: nothing of the answer was echoed */
    assert_true(echoes(p));
    close(p->keeper);
    close(p->report);
    close(p->master);
    ia_buf_fini(&seen);
    return ia_buf_steal(&report);
}

struct row {
    const char *what, *typed, *report;
};

static const struct row rows[] = {
    {"a line", "hunter2\n", "OK|hunter2"},
    {"an empty line", "\n", "OK|"},
    {"a corrected line",
     "hunterX\x7f"
     "2\n",
     "OK|hunter2"},
    {"a line that just fits", "123456789012345\n", "OK|123456789012345"},
    {"a line too long", "1234567890123456\n", "LIMIT|the line is longer than 15 bytes"},
    {"the end of the input", "\x04", "CANCELLED|nothing was entered"},
};

static void a_line_is_read_without_echo(void **state)
{
    (void)state;
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct pty p;
        int status = 0;
        print_message("%s\n", rows[i].what);
        start(&p, SIG_DFL);
        char *report = answer(&p, rows[i].typed, &status);
        assert_string_equal(report, rows[i].report);
        assert_int_equal(status, 0);
        free(report);
    }
}

static void an_interrupt_restores_the_terminal_and_is_delivered(void **state)
{
    (void)state;
    struct pty p;
    int status = 0;
    start(&p, SIG_DFL);
    char *report = answer(&p, "hun\x03", &status);
    assert_string_equal(report, "");
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGINT);
    free(report);
}

static void an_interrupt_reaches_the_programs_own_handler(void **state)
{
    (void)state;
    struct pty p;
    int status = 0;
    start(&p, note);
    char *report = answer(&p, "hun\x03", &status);
    assert_string_equal(report, "CANCELLED|nothing was entered");
    assert_int_equal(status, 0);
    free(report);
}

static void an_ignored_interrupt_stays_ignored(void **state)
{
    (void)state;
    struct pty p;
    int status = 0;
    start(&p, SIG_IGN);
    char *report = answer(&p, "x\x03hunter2\n", &status);
    assert_string_equal(report, "OK|hunter2"); /* the terminal drops what came before it */
    free(report);
}

static void what_is_not_a_terminal_cannot_be_asked(void **state)
{
    (void)state;
    int fds[2];
    char secret[8];
    struct ia_err err;
    assert_int_equal(pipe(fds), 0);
    assert_int_equal(ia_term_read_secret(fds[0], "Key: ", secret, sizeof(secret), &err),
                     IA_E_IO);
    assert_int_equal(ia_term_read_secret(-1, "Key: ", secret, sizeof(secret), &err), IA_E_IO);
    assert_non_null(strstr(err.msg, "not a terminal"));
    assert_false(ia_term_is(fds[0]));
    assert_false(ia_term_colors(fds[0]));
    close(fds[0]);
    close(fds[1]);
}

static void without_a_controlling_terminal_the_hint_is_stdin(void **state)
{
    (void)state;
    int status = 0;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        struct ia_err err = {0};
        bool ok = setsid() > 0 && ia_term_open(&err) < 0 && strstr(err.hint, "stdin");
        _exit(ok ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void width_comes_from_the_terminal_then_from_columns(void **state)
{
    (void)state;
    struct winsize size = {.ws_col = 132, .ws_row = 50};
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    assert_int_equal(grantpt(master), 0);
    assert_int_equal(unlockpt(master), 0);
    int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    assert_int_equal(ioctl(slave, TIOCSWINSZ, &size), 0);
    assert_int_equal(ia_term_width(slave), 132);
    assert_int_equal(unsetenv("COLUMNS"), 0);
    assert_int_equal(ia_term_width(fds[0]), 80);
    assert_int_equal(setenv("COLUMNS", "100", 1), 0);
    assert_int_equal(ia_term_width(fds[0]), 100);
    assert_int_equal(setenv("COLUMNS", "3", 1), 0);
    assert_int_equal(ia_term_width(fds[0]), 80);
    assert_int_equal(setenv("COLUMNS", "99999999999999999999", 1), 0);
    assert_int_equal(ia_term_width(fds[0]), 80);
    close(slave);
    close(master);
    close(fds[0]);
    close(fds[1]);
}

static void colours_need_a_terminal_that_has_them(void **state)
{
    (void)state;
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    assert_int_equal(grantpt(master), 0);
    assert_int_equal(unlockpt(master), 0);
    int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    assert_true(ia_term_is(slave));
    setenv("TERM", "xterm-256color", 1);
    unsetenv("NO_COLOR");
    assert_true(ia_term_colors(slave));
    setenv("NO_COLOR", "1", 1);
    assert_false(ia_term_colors(slave));
    setenv("NO_COLOR", "", 1); /* set, but to nothing */
    assert_true(ia_term_colors(slave));
    setenv("TERM", "dumb", 1);
    assert_false(ia_term_colors(slave));
    unsetenv("TERM");
    assert_false(ia_term_colors(slave));
    close(slave);
    close(master);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_read_without_echo),
        cmocka_unit_test(an_interrupt_restores_the_terminal_and_is_delivered),
        cmocka_unit_test(an_interrupt_reaches_the_programs_own_handler),
        cmocka_unit_test(an_ignored_interrupt_stays_ignored),
        cmocka_unit_test(what_is_not_a_terminal_cannot_be_asked),
        cmocka_unit_test(without_a_controlling_terminal_the_hint_is_stdin),
        cmocka_unit_test(width_comes_from_the_terminal_then_from_columns),
        cmocka_unit_test(colours_need_a_terminal_that_has_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
