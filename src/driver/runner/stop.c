/* stop.c: stop, status, log.
 *
 *     stop:  shutdown on the wire ─► simctl terminate ─► SIGTERM ─► SIGKILL
 *            each only if the one before did not end it within stop_ms
 *
 * It is gone when its process is and nothing of ours answers at its port: xcodebuild may die and
 * leave its runner behind. */
#include "driver/runner/impl.h"

#include "base/fd.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { POLL_MS = 50, OUTPUT_MAX = 1 << 18, KILL_MS = 5000 };

/* ---- stopping ---------------------------------------------------------------------------- */

/* The process may be xcodebuild, whose runner can outlive it, or unknown (after a kill between
 * launch and save), so the port is checked as well. */
static enum ia_rc is_gone(const struct ia_runner *r, const struct ia_deadline *deadline,
                          bool *ret)
{
    struct ia_runner_probe p;
    *ret = false;
    if (ia_runner_alive(r)) {
        return IA_OK;
    }
    enum ia_rc rc = ia_runner_probe_port(r, deadline, false, &p, NULL);
    *ret = rc == IA_OK && p.answer < IA_RUNNER_OTHER_DEVICE;
    return rc;
}

/* Polls until it is gone, for at most `ms`. The end of the call itself is a failure. */
static enum ia_rc wait_gone(const struct ia_runner *r, const struct ia_deadline *deadline,
                            int64_t ms, bool *ret)
{
    struct ia_deadline limit = ia_runner_within(deadline, ms);
    enum ia_rc rc = is_gone(r, deadline, ret);
    while (rc == IA_OK && !*ret) {
        rc = ia_runner_wait(&limit, POLL_MS);
        if (rc == IA_E_TIMEOUT && limit.at_us < deadline->at_us) {
            return IA_OK;
        }
        if (rc == IA_OK) {
            rc = is_gone(r, deadline, ret);
        }
    }
    return rc;
}

/* Only a process that is surely ours: without its start time a pid says nothing. xcodebuild
 * leads a group of its own, in which its helpers are. */
static void send_signal(const struct ia_runner *r, int signo)
{
    if (r->pid > 1 && r->pid_token[0] != '\0' && ia_runner_alive(r)) {
        (void)kill((pid_t)(r->way == IA_RUNNER_BY_XCODEBUILD ? -r->pid : r->pid), signo);
    }
}

enum { ASK, TERMINATE, TERM, KILL, STEPS };

/* *ret_delivered: the runner may have received it, so its end is worth waiting for. */
static enum ia_rc take_step(int step, const struct ia_runner *r,
                            const struct ia_deadline *deadline, bool *ret_delivered,
                            struct ia_err *err)
{
    struct ia_runner_probe p;
    enum ia_rc rc = IA_OK;
    *ret_delivered = true;
    switch (step) {
    case ASK:
        rc = ia_runner_probe_port(r, deadline, true, &p, err);
        *ret_delivered = rc == IA_OK && p.answer >= IA_RUNNER_OTHER_DEVICE;
        break;
    case TERMINATE:
        (void)ia_runner_terminate(deadline, r->udid);
        break;
    case TERM:
        send_signal(r, SIGTERM);
        break;
    default:
        send_signal(r, SIGKILL);
        break;
    }
    return rc;
}

enum ia_rc ia_runner_stop_locked(const struct ia_runner_opts *opts,
                                 const struct ia_deadline *deadline, const struct ia_runner *r,
                                 struct ia_err *err)
{
    int64_t step_ms = opts->stop_ms > 0 ? opts->stop_ms : IA_RUNNER_STOP_MS;
    bool gone = false;
    enum ia_rc rc = is_gone(r, deadline, &gone);
    for (int step = ASK; step < STEPS && rc == IA_OK && !gone; step++) {
        bool delivered = false;
        rc = take_step(step, r, deadline, &delivered, err);
        if (rc == IA_OK && delivered) {
            rc = wait_gone(r, deadline, step == KILL ? KILL_MS : step_ms, &gone);
        }
    }
    if (rc != IA_OK) {
        return ia_err_set(err, rc, "the runner of %s is still being stopped", r->udid);
    }
    if (!gone) {
        rc = ia_err_set(err, IA_E_DEVICE, "the runner of %s does not stop (pid %lld)", r->udid,
                        (long long)r->pid);
        ia_err_hint(err, "shut the simulator down: ios-agent shutdown %s", r->udid);
        return rc;
    }
    char *derived = ia_runner_path(opts, "runners/%s.derived", r->udid);
    ia_runner_remove(derived);
    free(derived);
    ia_runner_forget(opts, r->udid);
    return IA_OK;
}

enum ia_rc ia_runner_stop(const struct ia_runner_opts *opts, const struct ia_deadline *deadline,
                          const char *udid, bool *ret_was, struct ia_err *err)
{
    struct ia_runner r;
    int lock = -1;
    deadline = ia_runner_deadline(deadline);
    *ret_was = false;
    enum ia_rc rc = ia_runner_load(opts, udid, &r, err);
    if (rc == IA_E_NOT_FOUND) {
        return IA_OK;
    }
    if (rc == IA_E_USAGE) {
        return rc;
    }
    char *path = ia_runner_path(opts, "runners/%s.lock", udid);
    rc = ia_runner_lock(path, "the runner is being started or stopped", deadline, &lock, err);
    free(path);
    if (rc != IA_OK) {
        return rc;
    }
    rc = ia_runner_load(opts, udid, &r, err);
    if (rc == IA_OK) {
        bool gone = false;
        /* What cannot be found out counts as running. */
        *ret_was = is_gone(&r, deadline, &gone) != IA_OK || !gone;
        rc = ia_runner_stop_locked(opts, deadline, &r, err);
    } else {
        /* The file cannot be trusted, but its name is the simulator's UDID. */
        *ret_was = rc == IA_E_STATE && ia_runner_terminate(deadline, udid);
        ia_runner_forget(opts, udid);
        rc = IA_OK;
    }
    close(lock);
    return rc;
}

/* ---- status ------------------------------------------------------------------------------ */

const char *ia_runner_health_name(enum ia_runner_health h)
{
    static const char *const names[] = {"none", "dead", "silent", "wrong", "old", "live"};
    return names[h];
}

static enum ia_runner_health health_of(enum ia_runner_answer answer, bool alive)
{
    switch (answer) {
    case IA_RUNNER_MATCH:
        return IA_RUNNER_LIVE;
    case IA_RUNNER_OTHER_BUILD:
        return IA_RUNNER_OLD;
    case IA_RUNNER_OTHER_DEVICE:
        return IA_RUNNER_WRONG;
    case IA_RUNNER_UNRELATED:
        return alive ? IA_RUNNER_WRONG : IA_RUNNER_DEAD;
    default:
        return alive ? IA_RUNNER_SILENT : IA_RUNNER_DEAD;
    }
}

static void describe(struct ia_runner_status *s, const struct ia_runner_probe *p)
{
    if (s->health == IA_RUNNER_DEAD && s->runner.pid == 0) {
        (void)snprintf(s->note, sizeof(s->note), "its start was interrupted");
    } else if (s->health == IA_RUNNER_DEAD) {
        (void)snprintf(s->note, sizeof(s->note), "its process %lld is gone",
                       (long long)s->runner.pid);
    } else if (s->health == IA_RUNNER_SILENT && s->runner.phase == IA_RUNNER_STARTING) {
        (void)snprintf(s->note, sizeof(s->note), "it is starting");
    } else if (s->health != IA_RUNNER_LIVE) {
        (void)snprintf(s->note, sizeof(s->note), "%s", p->note);
    }
}

enum ia_rc ia_runner_get_status(const struct ia_runner_opts *opts,
                                const struct ia_deadline *deadline, const char *udid,
                                struct ia_runner_status *ret, struct ia_err *err)
{
    struct ia_err load_err = {.code = IA_OK};
    struct ia_runner_probe p;
    struct ia_buf out = IA_BUF(OUTPUT_MAX);
    *ret = (struct ia_runner_status){.health = IA_RUNNER_NONE};
    enum ia_rc rc = ia_runner_load(opts, udid, &ret->runner, &load_err);
    if (rc == IA_E_STATE) {
        ret->health = IA_RUNNER_DEAD;
        (void)snprintf(ret->runner.udid, sizeof(ret->runner.udid), "%s", udid);
        (void)snprintf(ret->note, sizeof(ret->note), "%.*s", (int)sizeof(ret->note) - 1,
                       load_err.msg);
    }
    if (rc != IA_OK) {
        bool answered = rc == IA_E_STATE || rc == IA_E_NOT_FOUND;
        return answered ? IA_OK : ia_err_set(err, rc, "%s", load_err.msg);
    }
    rc = ia_runner_probe_port(&ret->runner, ia_runner_deadline(deadline), false, &p, err);
    if (rc == IA_OK) {
        ret->health = health_of(p.answer, ia_runner_alive(&ret->runner));
        describe(ret, &p);
        ia_runner_output(opts, udid, ret->runner.token, &out);
        ia_runner_last_lines(ia_buf_str(&out), 1, ret->last, sizeof(ret->last));
    }
    ia_buf_fini(&out);
    return rc;
}

/* ---- the log ----------------------------------------------------------------------------- */

/* Where the last `lines` lines begin. */
static size_t start_of_last(struct ia_str text, size_t lines)
{
    size_t at = text.n > 0 && text.p[text.n - 1] == '\n' ? text.n - 1 : text.n;
    for (; at > 0; at--) {
        if (text.p[at - 1] == '\n' && --lines == 0) {
            break;
        }
    }
    return at;
}

enum ia_rc ia_runner_log(const struct ia_runner_opts *opts, const char *udid, size_t lines,
                         struct ia_buf *ret, struct ia_err *err)
{
    struct ia_runner r = {.token = ""};
    struct ia_buf out = IA_BUF(OUTPUT_MAX);
    enum ia_rc rc = ia_runner_check_udid(udid, err);
    if (rc != IA_OK) {
        return rc;
    }
    char *path = ia_runner_path(opts, "runners/%s.log", udid);
    (void)ia_runner_load(opts, udid, &r, NULL);
    if (!ia_runner_exists(path)) {
        rc = ia_err_set(err, IA_E_NOT_FOUND, "no runner of %s has any output", udid);
        ia_err_hint(err, "ios-agent bridge start");
    } else {
        ia_runner_output(opts, udid, r.token, &out);
        struct ia_str text = ia_buf_str(&out);
        size_t from = lines > 0 ? start_of_last(text, lines) : 0;
        ia_buf_put(ret, text.p + from, text.n - from);
        rc = ia_buf_check(ret, "the log of the runner", err);
    }
    free(path);
    ia_buf_fini(&out);
    return rc;
}
