/* spawn.h: running another program to its end, with nothing inherited by accident.
 *
 * The child gets its own process group, no descriptor beyond 0, 1 and 2, default signal
 * handling and an empty signal mask. No shell is involved. */
#ifndef IA_BASE_SPAWN_H
#define IA_BASE_SPAWN_H

#include "base/buf.h"
#include "base/cancel.h"
#include "base/err.h"

#include <sys/types.h>

/* Caps of what is kept of each of stdout and stderr; the rest is read and dropped. */
enum { IA_SPAWN_OUTPUT_MAX = 1 << 20 };

struct ia_spawn_result;

struct ia_spawn {
    const char *const
        *argv;              /* NULL-ended; argv[0] is looked up in PATH unless it has a slash */
    const char *const *env; /* NULL-ended "NAME=value"; NULL: this process's */
    const char *cwd;        /* NULL: this process's */
    struct ia_str input;    /* all of stdin; empty: stdin is at its end */
    size_t output_max;      /* 0: IA_SPAWN_OUTPUT_MAX */
    bool whole_group;   /* at its end, what it left running in its process group is killed */
    int64_t timeout_ms; /* 0: none */
    struct ia_cancel *cancel; /* may be NULL */
    /* Called while the program runs, after each wait of at most 50 ms, with what it has written
     * so far. Returns a signal for its process group, or 0. May be NULL. */
    int (*watch)(void *ctx, const struct ia_spawn_result *so_far);
    void *watch_ctx;
};

struct ia_spawn_result {
    int exit_status; /* 0 to 255, or -1 when a signal ended it */
    int signal;      /* the signal that ended it, or 0 */
    bool truncated;  /* stdout or stderr was longer than the cap */
    int64_t duration_ms;
    struct ia_buf out, err;
};
void ia_spawn_result_fini(struct ia_spawn_result *r);

/* Runs a program and waits for its end. IA_OK whenever it ran to an end of its own, whatever
 * its exit status. IA_E_TIMEOUT, IA_E_CANCELLED: its process group was ended (SIGTERM, after a
 * short grace SIGKILL) and waited for. IA_E_MISSING: there is no such program. IA_E_IO
 * otherwise. *ret is written in every case and freed with ia_spawn_result_fini; on failure it
 * has the output up to there. Any thread. The program must not ignore SIGCHLD. */
enum ia_rc ia_spawn_run(const struct ia_spawn *s, struct ia_spawn_result *ret,
                        struct ia_err *err);
/* Starts a program that outlives this one: in a session of its own, with stdin at its end,
 * stdout and stderr appended to the file `log` (made with mode 0600). Of *s only argv, env and
 * cwd are used. *ret_pid leads its own process group. Errors as for ia_spawn_run.
 * Any thread. */
enum ia_rc ia_spawn_background(const struct ia_spawn *s, const char *log, pid_t *ret_pid,
                               struct ia_err *err);
/* The same, with stdout and stderr going to out_fd. */
enum ia_rc ia_spawn_detached(const struct ia_spawn *s, int out_fd, pid_t *ret_pid,
                             struct ia_err *err);
/* Takes note of the end of such a program, without waiting. True once, with how it ended
 * (*ret_exit -1 when a signal did); false while it runs, and for what this process did not
 * start. */
bool ia_spawn_ended(pid_t pid, int *ret_exit, int *ret_signal);

/* A program that is talked to while it runs. */
struct ia_spawn_talk {
    pid_t pid;
    int in, out, err; /* our ends of its pipes, which never block; -1: closed */
};
/* Starts it. Of *s only argv, env and cwd are used. Close with ia_spawn_talk_close. Errors as for
 * ia_spawn_run. One thread at a time. */
enum ia_rc ia_spawn_talk_open(const struct ia_spawn *s, struct ia_spawn_talk *ret,
                              struct ia_err *err);
/* write(2) to its stdin, without a SIGPIPE where it has closed that. */
ssize_t ia_spawn_talk_write(struct ia_spawn_talk *t, struct ia_str bytes);
/* Whether it has ended, whatever it left running, and if so how: ret_exit and ret_signal as in a
 * result. It stays to be closed. Waits for that for at most wait_ms. */
bool ia_spawn_talk_ended(const struct ia_spawn_talk *t, int64_t wait_ms, int *ret_exit,
                         int *ret_signal);
/* Ends its stdin, gives it grace_ms to end by itself, then ends its whole process group as a
 * timeout does. Waits for its end. */
void ia_spawn_talk_close(struct ia_spawn_talk *t, int64_t grace_ms);

/* IA_OK for exit status 0, else IA_E_CHILD that names the program, how it ended and the last
 * line that it wrote to stderr. */
enum ia_rc ia_spawn_check(const struct ia_spawn_result *r, const char *program,
                          struct ia_err *err);

#endif
