/* start.c: starts the daemon in the background and waits until somebody answers for the home.
 *
 *   spawn ─► its output ends ─┬─ somebody listens ─► GET /v1/daemon names our home: ready
 *              (a pipe)       ├─ it said why not ──► DAEMON_START
 *                             └─ neither ──────────► again, until the deadline
 *
 * The daemon keeps its end of the pipe as stdout and stderr until it listens, or until it found that
 * another one does, so its end wakes this process at once, and what went wrong is read from it. */
#include "base/clock.h"
#include "base/fd.h"
#include "base/paths.h"
#include "base/spawn.h"
#include "base/term.h"
#include "client/build.h"
#include "client/connection.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    START_MAX_MS = 15000,
    NOTICE_MS = 500,
    PAUSE_MIN_MS = 1,
    PAUSE_MAX_MS = 50,
    SAID_MAX = 4096,
    LOG_LINES = 3,
    ENV_MAX = 16
};

struct start {
    struct ia_client *c;
    int64_t began_us, until_us;
    bool noticed;
    pid_t pid;
    struct ia_buf said;
};

static int64_t now_us(void)
{
    return ia_mono_us(ia_clock_system());
}

/* ---- the child ----------------------------------------------------------------------------- */

/* What a daemon may know of whoever started it: nothing that differs from call to call. */
static size_t make_environment(const struct ia_client *c, char *env[ENV_MAX])
{
    static const char *const passed[] = {"PATH",
                                         "HOME",
                                         "TMPDIR",
                                         "DEVELOPER_DIR",
                                         "USBMUXD_SOCKET_ADDRESS",
                                         "XDG_RUNTIME_DIR",
                                         "XDG_CONFIG_HOME",
#ifdef IA_TEST_HOOKS
                                         "IOS_AGENT_TEST_API",
                                         "ASAN_OPTIONS",
                                         "TSAN_OPTIONS",
                                         "LSAN_OPTIONS",
#endif
                                         "IOS_AGENT_CONFIG"};
    struct ia_buf text = IA_BUF(SIZE_MAX / 2);
    size_t n = 0;
    for (size_t i = 0; i < IA_COUNTOF(passed); i++) {
        const char *value = ia_env_get(NULL, passed[i]);
        if (value) {
            bool relative = strcmp(passed[i], "IOS_AGENT_CONFIG") == 0 && value[0] != '/';
            char *cwd = relative ? getcwd(NULL, 0) : NULL;
            ia_buf_printf(&text, "%s=%s%s%s", passed[i], cwd ? cwd : "", cwd ? "/" : "", value);
            env[n++] = ia_buf_steal(&text);
            free(cwd);
        }
    }
    ia_buf_printf(&text, "IOS_AGENT_HOME=%s", c->home);
    env[n++] = ia_buf_steal(&text);
    env[n] = NULL;
    return n;
}

static enum ia_rc spawn(struct start *s, int out_fd, struct ia_err *err)
{
    char program[4096];
    if (!ia_platform_program(program, sizeof(program))) {
        return ia_err_set(err, IA_E_DAEMON_START, "cannot find this program's own file");
    }
    char *env[ENV_MAX];
    size_t n = make_environment(s->c, env);
    const char *const argv[] = {program, "__daemon", NULL};
    const struct ia_spawn how = {.argv = argv, .env = (const char *const *)env, .cwd = "/"};
    int exit_status, signo;
    (void)ia_spawn_ended(s->pid, &exit_status, &signo); /* the one before */
    enum ia_rc rc = ia_spawn_detached(&how, out_fd, &s->pid, err);
    while (n > 0) {
        free(env[--n]);
    }
    return rc;
}

static void notice(struct start *s)
{
    if (!s->noticed && !s->c->opts.quiet && ia_term_is(STDERR_FILENO)) {
        static const char text[] = "starting the daemon …\n";
        (void)ia_write_all(STDERR_FILENO, text, sizeof(text) - 1);
    }
    s->noticed = true;
}

/* Reads until the child has let go of the pipe. False at the deadline. */
static bool hear(struct start *s, int fd)
{
    char chunk[512];
    for (;;) {
        int64_t notice_us = s->began_us + NOTICE_MS * INT64_C(1000);
        struct pollfd p = {fd, POLLIN, 0};
        int ready;
        enum ia_rc rc =
            ia_cancel_poll(NULL, &p, 1, s->noticed ? s->until_us : notice_us, &ready);
        if (rc == IA_E_TIMEOUT && s->noticed) {
            return false;
        }
        if (rc == IA_E_TIMEOUT) {
            notice(s);
            continue;
        }
        ssize_t n = read(fd, chunk, sizeof(chunk));
        if (n <= 0) {
            return true;
        }
        ia_buf_put(&s->said, chunk, (size_t)n);
    }
}

/* ---- what came of it ----------------------------------------------------------------------- */

static void last_lines(const struct start *s, struct ia_buf *out)
{
    struct ia_buf log = IA_BUF(16 << 20);
    char *path = ia_path_join(s->c->home, "daemon.log");
    if (ia_file_read(path, &log, NULL) == IA_OK) {
        size_t from = log.len > 0 ? log.len - 1 : 0;
        for (int lines = 0; from > 0; from--) {
            lines += log.p[from - 1] == '\n' ? 1 : 0;
            if (lines == LOG_LINES) {
                break;
            }
        }
        ia_buf_put(out, log.p + from, log.len - from);
    }
    free(path);
    ia_buf_fini(&log);
}

/* The child printed its complaint as every command does: "ios-agent: MESSAGE\n  hint: HINT\n". */
static enum ia_rc failed(const struct start *s, const char *what, struct ia_err *err)
{
    static const char prefix[] = "ios-agent: ", hint[] = "\n  hint: ";
    struct ia_buf log = IA_BUF(SAID_MAX);
    if (s->said.len == 0) {
        last_lines(s, &log);
    }
    struct ia_str text = s->said.len > 0 ? ia_buf_str(&s->said) : ia_buf_str(&log);
    while (text.n > 0 && text.p[text.n - 1] == '\n') {
        text.n--;
    }
    if (ia_str_starts(text, ia_str(prefix))) {
        text = (struct ia_str){text.p + strlen(prefix), text.n - strlen(prefix)};
    }
    const char *tip = ia_str_find(text, hint);
    size_t n = tip ? (size_t)(tip - text.p) : text.n;
    enum ia_rc rc = ia_err_set(err, IA_E_DAEMON_START, "%s%s%.*s", what, n > 0 ? ": " : "",
                               (int)n, n > 0 ? text.p : "");
    if (tip) {
        ia_err_hint(err, "%.*s", (int)(text.n - n - strlen(hint)), tip + strlen(hint));
    } else {
        ia_err_hint(err, "ios-agent daemon logs; --no-daemon works without it");
    }
    if (err) {
        err->outcome = IA_OUTCOME_NOT_SENT;
    }
    ia_buf_fini(&log);
    return rc;
}

/* Whether whoever answers is the daemon of this home. Its answer is one JSON object. */
static enum ia_rc check_ready(struct start *s, struct ia_err *err)
{
    struct ia_client_request ask = {
        .method = "GET", .path = "/daemon", .deadline_ms = START_MAX_MS};
    struct ia_client_answer answer = {.body = IA_BUF(IA_CLIENT_ANSWER_MAX)};
    struct ia_buf wanted = IA_BUF(SIZE_MAX / 2);
    enum ia_client_sent sent;
    ia_buf_puts(&wanted, "\"home\":\"");
    ia_json_escape(&wanted, ia_str(s->c->home));
    ia_buf_putc(&wanted, '"');
    enum ia_rc rc = ia_client_exchange(s->c, &ask, s->until_us, &answer, &sent, err);
    bool ours = rc == IA_OK && ia_str_find(ia_buf_str(&answer.body), ia_buf_cstr(&wanted));
    /* One that speaks another version says so to the request itself. */
    if (rc == IA_OK && !ours && !answer.again && answer.http_status < 400) {
        rc = failed(s, "what listens there is not the daemon of this home", err);
        ia_client_hang_up(s->c);
    }
    ia_client_answer_fini(&answer);
    ia_buf_fini(&wanted);
    return rc;
}

/* IA_E_BUSY: nobody is there yet. */
static enum ia_rc try_connect(struct start *s, struct ia_err *err)
{
    struct ia_address address;
    enum ia_rc rc = ia_address_find(s->c->home, false, &address, err);
    if (rc != IA_OK) {
        return rc;
    }
    if (!ia_client_dial(s->c, &address)) {
        return IA_E_BUSY;
    }
    rc = check_ready(s, err);
    return rc == IA_E_IO ? IA_E_BUSY : rc; /* it ended again */
}

static enum ia_rc start_once(struct start *s, struct ia_err *err)
{
    int ends[2];
    enum ia_rc rc = ia_pipe(ends, err);
    if (rc != IA_OK) {
        return rc;
    }
    rc = spawn(s, ends[1], err);
    close(ends[1]);
    if (rc == IA_OK && !hear(s, ends[0])) {
        rc = failed(s, "the daemon does not get ready", err);
    }
    close(ends[0]);
    if (rc == IA_OK) {
        rc = try_connect(s, err);
    }
    return rc == IA_E_BUSY && s->said.len > 0 ? failed(s, "the daemon did not start", err) : rc;
}

enum ia_rc ia_client_start(struct ia_client *c, struct ia_err *err)
{
    struct start s = {.c = c, .began_us = now_us(), .said = IA_BUF(SAID_MAX)};
    s.until_us = s.began_us + START_MAX_MS * INT64_C(1000);
    int64_t pause_ms = PAUSE_MIN_MS;
    enum ia_rc rc = start_once(&s, err);
    while (rc == IA_E_BUSY && now_us() < s.until_us) {
        (void)ia_clock_wait(ia_clock_system(), NULL, now_us() + pause_ms * 1000);
        pause_ms = pause_ms * 2 < PAUSE_MAX_MS ? pause_ms * 2 : PAUSE_MAX_MS;
        rc = start_once(&s, err);
    }
    if (rc == IA_E_BUSY) {
        rc = failed(&s, "the daemon ends again and again", err);
    }
    ia_buf_fini(&s.said);
    return rc;
}
