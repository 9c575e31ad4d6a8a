/* term.c: what the terminal can do, and a line read from it without echo.
 *
 * A signal that ends or stops the program while the echo is off would leave the terminal silent:
 *
 *     block the signals ─► handler notes which one ─► echo off
 *          ┌► pselect, the signals let in ─► read a byte ─┐
 *          └──────────────────────────────────────────────┘
 *     echo on ─► old handlers ─► raise the noted signal ─► unblock: it is delivered now */
#include "base/term.h"

#include "base/fd.h"
#include "base/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <termios.h>
#include <unistd.h>

enum { ROWS_DEFAULT = 24, WIDTH_DEFAULT = 80, WIDTH_MIN = 20, WIDTH_MAX = 1000 };

bool ia_term_is(int fd)
{
    return isatty(fd) == 1;
}

static int usable_width(long columns)
{
    return columns >= WIDTH_MIN && columns <= WIDTH_MAX ? (int)columns : 0;
}

int ia_term_width(int fd)
{
    struct winsize size;
    int width = ioctl(fd, TIOCGWINSZ, &size) == 0 ? usable_width(size.ws_col) : 0;
    const char *columns = ia_env_get(NULL, "COLUMNS");
    if (width == 0 && columns) {
        width = usable_width(strtol(columns, NULL, 10));
    }
    return width > 0 ? width : WIDTH_DEFAULT;
}

int ia_term_rows(int fd)
{
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : ROWS_DEFAULT;
}

bool ia_term_colors(int fd)
{
    const char *term = ia_env_get(NULL, "TERM");
    return ia_term_is(fd) && !ia_env_get(NULL, "NO_COLOR") && term && strcmp(term, "dumb") != 0;
}

int ia_term_open(struct ia_err *err)
{
    int fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        (void)ia_err_set(err, IA_E_IO, "there is no terminal to ask for input: %s",
                         strerror(errno));
        ia_err_hint(err, "pass the text on stdin instead");
    }
    return fd;
}

/* --- a line without echo --------------------------------------------------------------- */

static const int held_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};

/* The signal that arrived while a terminal was without echo; 0 for none. */
static volatile sig_atomic_t arrived;

static void on_signal(int signo)
{
    arrived = signo;
}

/* What has to be put back. */
struct echo_off {
    int fd;
    struct termios termios;
    sigset_t mask;
    struct sigaction actions[IA_COUNTOF(held_signals)];
};

static void echo_off_end(const struct echo_off *q)
{
    while (tcsetattr(q->fd, TCSAFLUSH, &q->termios) != 0 && errno == EINTR) {
    }
    for (size_t i = 0; i < IA_COUNTOF(held_signals); i++) {
        (void)sigaction(held_signals[i], &q->actions[i], NULL);
    }
    if (arrived != 0) {
        (void)raise(arrived);
    }
    (void)pthread_sigmask(SIG_SETMASK, &q->mask, NULL);
}

/* Holds the signals back (they are let in only while waiting) and turns the echo off. */
static bool echo_off_begin(struct echo_off *q, int fd)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigset_t blocked;
    q->fd = fd;
    if (tcgetattr(fd, &q->termios) != 0) {
        return false;
    }
    arrived = 0;
    sigemptyset(&action.sa_mask);
    sigemptyset(&blocked);
    for (size_t i = 0; i < IA_COUNTOF(held_signals); i++) {
        sigaddset(&blocked, held_signals[i]);
    }
    (void)pthread_sigmask(SIG_BLOCK, &blocked, &q->mask);
    for (size_t i = 0; i < IA_COUNTOF(held_signals); i++) {
        (void)sigaction(held_signals[i], &action, &q->actions[i]);
        if (q->actions[i].sa_handler == SIG_IGN) { /* stays ignored, as under nohup */
            (void)sigaction(held_signals[i], &q->actions[i], NULL);
        }
    }
    struct termios silent = q->termios;
    silent.c_lflag &= ~(tcflag_t)(ECHO | ECHOE | ECHOK | ECHONL);
    /* Line editing and Ctrl-C work here even where the terminal was left in raw mode. */
    silent.c_lflag |= ICANON | ISIG;
    if (tcsetattr(fd, TCSAFLUSH, &silent) != 0) {
        int saved = errno;
        echo_off_end(q);
        errno = saved;
        return false;
    }
    return true;
}

/* One byte, or false at a signal and at the end of the file. The signals of mask are let in for
 * exactly the time of the wait, so that none is missed between a check and the wait. */
static bool read_byte(const struct echo_off *q, char *ret)
{
    for (;;) {
        fd_set readable;
        FD_ZERO(&readable);
        FD_SET(q->fd, &readable);
        int ready = pselect(q->fd + 1, &readable, NULL, NULL, NULL, &q->mask);
        if (ready < 0 && (errno != EINTR || arrived != 0)) {
            return false;
        }
        if (ready > 0) {
            ssize_t n = read(q->fd, ret, 1);
            if (n >= 0 || errno != EINTR) {
                return n == 1;
            }
        }
    }
}

/* Reads up to the newline. IA_E_LIMIT only after the whole line, so that its rest is not taken
 * for the next answer. */
static enum ia_rc read_line(const struct echo_off *q, char *dst, size_t size)
{
    size_t n = 0;
    char c = '\0';
    while (read_byte(q, &c)) {
        if (c == '\n' || c == '\r') {
            dst[n < size ? n : 0] = '\0';
            return n < size ? IA_OK : IA_E_LIMIT;
        }
        if (n + 1 < size) {
            dst[n] = c;
        }
        n++;
    }
    return IA_E_CANCELLED;
}

enum ia_rc ia_term_read_secret(int tty_fd, const char *prompt, char *dst, size_t size,
                               struct ia_err *err)
{
    struct echo_off q;
    if (tty_fd < 0 || tty_fd >= FD_SETSIZE || !ia_term_is(tty_fd)) {
        return ia_err_set(err, IA_E_IO, "cannot ask: not a terminal");
    }
    if (!echo_off_begin(&q, tty_fd)) {
        return ia_err_set(err, IA_E_IO, "cannot turn off the terminal's echo: %s",
                          strerror(errno));
    }
    (void)ia_write_all(tty_fd, prompt, strlen(prompt));
    enum ia_rc rc = read_line(&q, dst, size);
    (void)ia_write_all(tty_fd, "\n", 1);
    if (rc != IA_OK) {
        /* Before echo_off_end(): the signal that it lets in may end the program. */
        sodium_memzero(dst, size);
    }
    echo_off_end(&q);
    if (rc == IA_E_LIMIT) {
        return ia_err_set(err, rc, "the line is longer than %zu bytes", size - 1);
    }
    return rc == IA_OK ? rc : ia_err_set(err, rc, "nothing was entered");
}
