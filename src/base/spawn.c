/* spawn.c: a child process from its start to its end, in one thread.
 *
 *     make pipes ─► posix_spawnp ─► ┌► poll: write stdin, read stdout and stderr, at most one tick
 *                                   │     │
 *                                   └─────┤ not ended
 *                                         ├ ended by itself ──────────────────────► drain ─► reap
 *                                         └ timeout or cancelled ─► SIGTERM, grace,
 *                                                                   SIGKILL ──────► drain ─► reap
 *
 * No handler of SIGCHLD tells when a child ends (the handlers belong to the program, not to this
 * file): poll wakes when the child closes its output, and at every tick otherwise. The child is
 * examined with WNOWAIT and reaped last. Until then its pid, and the process group that the
 * signals go to, cannot be given to another process. */
#include "base/spawn.h"

#include "base/clock.h"
#include "base/fd.h"
#include "base/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    CHUNK = 16384,
    TICK_MAX_MS = 50,      /* how late the end of a child that closed its output is seen */
    GRACE_MS = 500,        /* between SIGTERM and SIGKILL */
    READS_AFTER_END = 256, /* of what a dead child left in its pipes */
    LAST_LINE_MAX = 200
};

extern char **environ; /* POSIX has no header for it */

/* A running child and our ends of its pipes; -1 when closed. */
struct child {
    pid_t pid;
    int in, out, err;
    struct ia_str input; /* what is still to be written */
    int64_t idle_ms;     /* the last wait without an open output */
};

void ia_spawn_result_fini(struct ia_spawn_result *r)
{
    ia_buf_fini(&r->out);
    ia_buf_fini(&r->err);
}

static void close_fd(int *fd)
{
    if (*fd >= 0) {
        close(*fd);
    }
    *fd = -1;
}

/* --- starting -------------------------------------------------------------------------- */

/* Signals that the child gets with their default action, whatever this process ignores. */
static void default_signals(sigset_t *set)
{
    static const int signals[] = {SIGINT,  SIGQUIT, SIGTERM, SIGHUP,  SIGPIPE, SIGCHLD,
                                  SIGALRM, SIGTSTP, SIGTTIN, SIGTTOU, SIGUSR1, SIGUSR2};
    sigemptyset(set);
    for (size_t i = 0; i < IA_COUNTOF(signals); i++) {
        sigaddset(set, signals[i]);
    }
}

/* With a session of its own a child leads a process group too, and may not be moved to one. */
static int set_attributes(posix_spawnattr_t *attr, bool session)
{
    sigset_t none;
    sigset_t defaults;
    sigemptyset(&none);
    default_signals(&defaults);
    int leads = session ? ia_platform_spawn_session() : POSIX_SPAWN_SETPGROUP;
    int rc = posix_spawnattr_setflags(
        attr, (short)(leads | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
    rc = rc || session ? rc : posix_spawnattr_setpgroup(attr, 0);
    rc = rc ? rc : posix_spawnattr_setsigmask(attr, &none);
    return rc ? rc : posix_spawnattr_setsigdefault(attr, &defaults);
}

/* theirs: the child's ends for 0, 1, 2; theirs[0] is -1 when stdin is at its end. */
static int set_actions(posix_spawn_file_actions_t *fa, posix_spawnattr_t *attr,
                       const struct ia_spawn *s, const int theirs[3])
{
    int rc = theirs[0] >= 0 ? posix_spawn_file_actions_adddup2(fa, theirs[0], 0)
                            : posix_spawn_file_actions_addopen(fa, 0, "/dev/null", O_RDONLY, 0);
    rc = rc ? rc : posix_spawn_file_actions_adddup2(fa, theirs[1], 1);
    rc = rc ? rc : posix_spawn_file_actions_adddup2(fa, theirs[2], 2);
    if (s->cwd) {
        rc = rc ? rc : ia_platform_spawn_chdir(fa, s->cwd);
    }
    return rc ? rc : ia_platform_spawn_closed(attr, fa);
}

/* Returns 0 or an errno value. */
static int start(const struct ia_spawn *s, const int theirs[3], bool session, pid_t *ret_pid)
{
    posix_spawnattr_t attr;
    posix_spawn_file_actions_t fa;
    int rc = posix_spawnattr_init(&attr);
    if (rc != 0) {
        return rc;
    }
    rc = posix_spawn_file_actions_init(&fa);
    if (rc == 0) {
        rc = set_attributes(&attr, session);
        rc = rc ? rc : set_actions(&fa, &attr, s, theirs);
        char *const *env = s->env ? (char *const *)s->env : environ;
        rc = rc ? rc
                : posix_spawnp(ret_pid, s->argv[0], &fa, &attr, (char *const *)s->argv, env);
        posix_spawn_file_actions_destroy(&fa);
    }
    posix_spawnattr_destroy(&attr);
    return rc;
}

static enum ia_rc start_failed(const struct ia_spawn *s, int error, struct ia_err *err)
{
    struct stat st;
    if (s->cwd && (stat(s->cwd, &st) != 0 || !S_ISDIR(st.st_mode))) {
        return ia_err_set(err, IA_E_IO, "cannot run %s in %s: no such folder", s->argv[0],
                          s->cwd);
    }
    enum ia_rc rc = error == ENOENT || error == ENOTDIR ? IA_E_MISSING : IA_E_IO;
    ia_err_set(err, rc, "cannot run %s: %s", s->argv[0], strerror(error));
    if (rc == IA_E_MISSING) {
        ia_err_hint(err, "install %s, or add its folder to PATH", s->argv[0]);
    }
    return rc;
}

/* Makes the pipes and starts the child with its ends of them. talk: stdin stays open. */
static enum ia_rc child_start(struct child *c, const struct ia_spawn *s, bool talk,
                              struct ia_err *err)
{
    int in[2] = {-1, -1};
    int out[2] = {-1, -1};
    int errs[2] = {-1, -1};
    enum ia_rc rc = talk || s->input.n > 0 ? ia_pipe(in, err) : IA_OK;
    rc = rc == IA_OK ? ia_pipe(out, err) : rc;
    rc = rc == IA_OK ? ia_pipe(errs, err) : rc;
    if (rc == IA_OK) {
        int error = start(s, (const int[3]){in[0], out[1], errs[1]}, false, &c->pid);
        rc = error == 0 ? IA_OK : start_failed(s, error, err);
    }
    /* The child's ends: while one is open here too, the pipe never reaches its end. */
    close_fd(&in[0]);
    close_fd(&out[1]);
    close_fd(&errs[1]);
    c->in = in[1];
    c->out = out[0];
    c->err = errs[0];
    c->input = s->input;
    /* Never blocking: poll says that something can be read, not how much may be written. */
    const int ours[] = {c->in, c->out, c->err};
    for (size_t i = 0; i < IA_COUNTOF(ours); i++) {
        if (ours[i] >= 0) {
            (void)ia_fd_nonblocking(ours[i]);
        }
    }
    return rc;
}

/* --- stdin, stdout, stderr ------------------------------------------------------------- */

/* write(2) without the SIGPIPE that a child brings about by closing its stdin. The signal goes
 * to the writing thread, so it is held back there and taken away. */
static ssize_t write_quietly(int fd, struct ia_str text)
{
    sigset_t pipe_only;
    sigset_t before;
    sigset_t pending;
    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    sigpending(&pending);
    bool was_pending = sigismember(&pending, SIGPIPE) == 1;
    (void)pthread_sigmask(SIG_BLOCK, &pipe_only, &before);
    ssize_t n = write(fd, text.p, text.n);
    int saved = errno;
    sigpending(&pending);
    if (!was_pending && sigismember(&pending, SIGPIPE) == 1) {
        int taken = 0;
        (void)sigwait(&pipe_only, &taken);
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = saved;
    return n;
}

static bool transient(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

static void write_input(struct child *c)
{
    ssize_t n = write_quietly(c->in, c->input);
    if (n > 0) {
        c->input = (struct ia_str){c->input.p + n, c->input.n - (size_t)n};
    }
    bool broken = n < 0 && !transient(); /* the child does not want the rest */
    if (broken || c->input.n == 0) {
        close_fd(&c->in);
    }
}

/* Reads once. What is beyond the cap is dropped. False when there was nothing. */
static bool read_output(int *fd, struct ia_buf *b, bool *truncated)
{
    char chunk[CHUNK];
    ssize_t n = *fd >= 0 ? read(*fd, chunk, sizeof(chunk)) : 0;
    if (n < 0 && transient()) {
        return false;
    }
    if (n <= 0) {
        close_fd(fd);
        return false;
    }
    size_t room = b->max - b->len;
    size_t keep = (size_t)n < room ? (size_t)n : room;
    *truncated = *truncated || keep < (size_t)n;
    ia_buf_put(b, chunk, keep);
    return true;
}

/* What is left in the pipes when the child has ended. A grandchild may still hold them open and
 * go on writing: that is not waited for. */
static void drain(struct child *c, struct ia_spawn_result *ret)
{
    for (int i = 0; i < READS_AFTER_END && read_output(&c->out, &ret->out, &ret->truncated);
         i++) {
    }
    for (int i = 0; i < READS_AFTER_END && read_output(&c->err, &ret->err, &ret->truncated);
         i++) {
    }
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t in_ms(int64_t ms)
{
    return ia_mono_us(ia_clock_system()) + ms * 1000;
}

/* How long to wait before checking whether the child has ended. Once its output is closed the
 * end is near: check often at first, then less and less. */
static int64_t next_tick_ms(struct child *c)
{
    if (c->out >= 0 || c->err >= 0) {
        return TICK_MAX_MS;
    }
    c->idle_ms = c->idle_ms > 0 ? earlier(c->idle_ms * 2, TICK_MAX_MS) : 1;
    return c->idle_ms;
}

/* One wait of at most a tick, and what it brings. IA_OK also at the end of the tick. */
static enum ia_rc step(struct child *c, struct ia_spawn_result *ret, struct ia_cancel *cancel,
                       int64_t deadline_us)
{
    struct pollfd fds[] = {{c->in, POLLOUT, 0}, {c->out, POLLIN, 0}, {c->err, POLLIN, 0}};
    int ready = 0;
    int64_t until = earlier(deadline_us, in_ms(next_tick_ms(c)));
    enum ia_rc rc = ia_cancel_poll(cancel, fds, IA_COUNTOF(fds), until, &ready);
    /* Only the tick is over. */
    if (rc == IA_E_TIMEOUT && ia_mono_us(ia_clock_system()) < deadline_us) {
        return IA_OK;
    }
    if (rc != IA_OK) {
        return rc;
    }
    if (fds[0].revents) {
        write_input(c);
    }
    if (fds[1].revents) {
        (void)read_output(&c->out, &ret->out, &ret->truncated);
    }
    if (fds[2].revents) {
        (void)read_output(&c->err, &ret->err, &ret->truncated);
    }
    return IA_OK;
}

/* --- ending ---------------------------------------------------------------------------- */

/* True when the child has ended. WNOWAIT leaves it unreaped (see the top). */
static bool has_ended(pid_t pid)
{
    siginfo_t info;
    memset(&info, 0, sizeof(info));
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == pid;
}

/* Waits for its end, for at most ms. */
static void await_end(pid_t pid, int64_t ms)
{
    int64_t deadline = in_ms(ms);
    int64_t tick_ms = 1;
    while (!has_ended(pid) && ia_mono_us(ia_clock_system()) < deadline) {
        (void)ia_clock_wait(ia_clock_system(), NULL, earlier(deadline, in_ms(tick_ms)));
        tick_ms = tick_ms < TICK_MAX_MS ? tick_ms * 2 : TICK_MAX_MS;
    }
}

/* Asks the process group to end, waits a little, and ends it. */
static void end_group(pid_t pid)
{
    (void)kill(-pid, SIGTERM);
    await_end(pid, GRACE_MS);
    /* Also when the child has ended: others of its group may have ignored SIGTERM. */
    (void)kill(-pid, SIGKILL);
}

static void reap(pid_t pid, struct ia_spawn_result *ret)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    ret->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    ret->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The child is not reaped yet, so the signal cannot reach another process group. */
static void call_watch(const struct child *c, const struct ia_spawn *s,
                       const struct ia_spawn_result *so_far)
{
    int signo = s->watch ? s->watch(s->watch_ctx, so_far) : 0;
    if (signo != 0) {
        (void)kill(-c->pid, signo);
    }
}

static enum ia_rc run_to_end(struct child *c, const struct ia_spawn *s,
                             struct ia_spawn_result *ret, struct ia_err *err)
{
    int64_t deadline = s->timeout_ms > 0 ? in_ms(s->timeout_ms) : IA_NO_DEADLINE;
    enum ia_rc rc = IA_OK;
    while (rc == IA_OK && !has_ended(c->pid)) {
        rc = step(c, ret, s->cancel, deadline);
        call_watch(c, s, ret);
    }
    if (rc != IA_OK) {
        end_group(c->pid);
    } else if (s->whole_group) {
        (void)kill(-c->pid, SIGKILL);
    }
    /* What it wrote before it ended counts, also when it was ended here. */
    drain(c, ret);
    reap(c->pid, ret);
    switch (rc) {
    case IA_OK:
        return IA_OK;
    case IA_E_TIMEOUT:
        return ia_err_set(err, rc, "%s did not finish within %lld ms", s->argv[0],
                          (long long)s->timeout_ms);
    case IA_E_CANCELLED:
        return ia_err_set(err, rc, "%s was cancelled", s->argv[0]);
    default:
        return ia_err_set(err, rc, "cannot wait for %s", s->argv[0]);
    }
}

enum ia_rc ia_spawn_run(const struct ia_spawn *s, struct ia_spawn_result *ret,
                        struct ia_err *err)
{
    size_t max = s->output_max > 0 ? s->output_max : IA_SPAWN_OUTPUT_MAX;
    int64_t start_us = ia_mono_us(ia_clock_system());
    struct child c = {.in = -1, .out = -1, .err = -1};
    *ret = (struct ia_spawn_result){.exit_status = -1, .out = IA_BUF(max), .err = IA_BUF(max)};
    enum ia_rc rc = ia_cancel_fired(s->cancel)
                        ? ia_err_set(err, IA_E_CANCELLED, "%s was not started", s->argv[0])
                        : child_start(&c, s, false, err);
    if (rc == IA_OK) {
        rc = run_to_end(&c, s, ret, err);
    }
    close_fd(&c.in);
    close_fd(&c.out);
    close_fd(&c.err);
    ret->duration_ms = (ia_mono_us(ia_clock_system()) - start_us) / 1000;
    return rc;
}

/* --- talked to ------------------------------------------------------------------------- */

enum ia_rc ia_spawn_talk_open(const struct ia_spawn *s, struct ia_spawn_talk *ret,
                              struct ia_err *err)
{
    struct child c = {.in = -1, .out = -1, .err = -1};
    enum ia_rc rc = child_start(&c, s, true, err);
    if (rc != IA_OK) {
        close_fd(&c.in);
        close_fd(&c.out);
        close_fd(&c.err);
        return rc;
    }
    *ret = (struct ia_spawn_talk){.pid = c.pid, .in = c.in, .out = c.out, .err = c.err};
    return IA_OK;
}

ssize_t ia_spawn_talk_write(struct ia_spawn_talk *t, struct ia_str bytes)
{
    return write_quietly(t->in, bytes);
}

bool ia_spawn_talk_ended(const struct ia_spawn_talk *t, int64_t wait_ms, int *ret_exit,
                         int *ret_signal)
{
    siginfo_t info;
    await_end(t->pid, wait_ms);
    memset(&info, 0, sizeof(info));
    if (waitid(P_PID, (id_t)t->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        info.si_pid != t->pid) {
        return false;
    }
    bool exited = info.si_code == CLD_EXITED;
    *ret_exit = exited ? info.si_status : -1;
    *ret_signal = exited ? 0 : info.si_status;
    return true;
}

/* Its output stays open meanwhile, so that a program that writes its last words gets no SIGPIPE. */
void ia_spawn_talk_close(struct ia_spawn_talk *t, int64_t grace_ms)
{
    struct ia_spawn_result none;
    close_fd(&t->in);
    await_end(t->pid, grace_ms);
    end_group(t->pid);
    close_fd(&t->out);
    close_fd(&t->err);
    reap(t->pid, &none);
}

/* --- in the background ----------------------------------------------------------------- */

/* The log's descriptor must not be one of 0, 1, 2: those are being set. */
static int open_log(const char *log)
{
    int fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0 || fd > STDERR_FILENO) {
        return fd;
    }
    int high = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(fd);
    return high;
}

enum ia_rc ia_spawn_detached(const struct ia_spawn *s, int out_fd, pid_t *ret_pid,
                             struct ia_err *err)
{
    pid_t pid = -1;
    int error = start(s, (const int[3]){-1, out_fd, out_fd}, true, &pid);
    if (error != 0) {
        return start_failed(s, error, err);
    }
    *ret_pid = pid;
    return IA_OK;
}

enum ia_rc ia_spawn_background(const struct ia_spawn *s, const char *log, pid_t *ret_pid,
                               struct ia_err *err)
{
    int fd = open_log(log);
    if (fd < 0) {
        return ia_err_set(err, IA_E_IO, "cannot write %s: %s", log, strerror(errno));
    }
    enum ia_rc rc = ia_spawn_detached(s, fd, ret_pid, err);
    close(fd);
    return rc;
}

bool ia_spawn_ended(pid_t pid, int *ret_exit, int *ret_signal)
{
    int status = 0;
    if (pid <= 0 || waitpid(pid, &status, WNOHANG) != pid) {
        return false;
    }
    *ret_signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    *ret_exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return true;
}

/* The last line that is not empty, cut to a length that fits a message. */
static struct ia_str last_line(struct ia_str text)
{
    while (text.n > 0 && (text.p[text.n - 1] == '\n' || text.p[text.n - 1] == '\r')) {
        text.n--;
    }
    size_t start = text.n;
    while (start > 0 && text.p[start - 1] != '\n' && text.n - start < LAST_LINE_MAX) {
        start--;
    }
    return (struct ia_str){text.p + start, text.n - start};
}

enum ia_rc ia_spawn_check(const struct ia_spawn_result *r, const char *program,
                          struct ia_err *err)
{
    struct ia_str line = last_line(ia_buf_str(&r->err));
    const char *colon = line.n > 0 ? ": " : "";
    const char *text = line.n > 0 ? line.p : "";
    if (r->signal != 0) {
        return ia_err_set(err, IA_E_CHILD, "%s was killed by signal %d%s%.*s", program,
                          r->signal, colon, (int)line.n, text);
    }
    if (r->exit_status != 0) {
        return ia_err_set(err, IA_E_CHILD, "%s exited with status %d%s%.*s", program,
                          r->exit_status, colon, (int)line.n, text);
    }
    return IA_OK;
}
