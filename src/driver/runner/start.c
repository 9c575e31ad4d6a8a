/* start.c: the runner that is already there, or a new one.
 *
 *       state file? ── no ──────────────────────────────────────────────┐
 *          │ yes                                                        │
 *          ├─ answers, same build and options ──► adopted               │
 *          ├─ starting, alive ──► wait for hello ──► adopted            │
 *          └─ anything else ──► stop what is left ──────────────────────┤
 *                                                                       ▼
 *          ┌────────────────────────────────────► port, token, state file "starting"
 *          │                                                            │
 *          │ port taken, at most 3 times                                ▼
 *          │                                      launch: by simctl, else by xcodebuild
 *          │                                                            │
 *          └─────────────────────────────── wait for hello ◄────────────┘
 *                                                 │
 *                                                 ▼
 *                                        state file "ready"
 *
 * The state file is written before the launch, so that after a kill the next call finds port and
 * token. When the call's deadline passes, the start goes on and the next call waits for it. */
#include "driver/runner/impl.h"

#include "base/fd.h"
#include "base/hash.h"
#include "base/killpoint.h"
#include "base/rand.h"
#include "base/spawn.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PORTS_TRIED = 64,
    PORT_LOSSES = 3, /* how often a port may be taken between our check and the runner's bind */
    POLL_MS = 100,
    FIRST_IOS_BY_SIMCTL = 17, /* an older one does not run the tests of an app that is only
                                 launched */
    OUTPUT_MAX = 1 << 18
};

/* What one call works with. */
struct start {
    const struct ia_runner_opts *opts;
    const struct ia_deadline *deadline;
    const struct ia_runner_sim *sim;
    struct ia_runner_build build;
    struct ia_runner r;
    unsigned ports_skipped;
    bool call_is_over; /* the failure is the call's deadline or token: the start goes on */
    enum ia_runner_cause cause;
};

/* ---- port and token ---------------------------------------------------------------------- */

static unsigned port_offset(const char *udid)
{
    uint64_t h = IA_HASH_SEED;
    for (const char *p = udid; *p; p++) {
        char c = *p >= 'a' && *p <= 'z' ? (char)(*p - 'a' + 'A') : *p;
        h = ia_hash(h, &c, 1);
    }
    return (unsigned)((h ^ (h >> 32)) % IA_RUNNER_PORT_COUNT);
}

uint16_t ia_runner_port_of(const char *udid)
{
    return (uint16_t)(IA_RUNNER_PORT_FIRST + port_offset(udid));
}

static enum ia_rc choose_port(struct start *s, struct ia_err *err)
{
    unsigned offset = port_offset(s->r.udid);
    for (unsigned i = s->ports_skipped; i < s->ports_skipped + PORTS_TRIED; i++) {
        uint16_t port = (uint16_t)(IA_RUNNER_PORT_FIRST + (offset + i) % IA_RUNNER_PORT_COUNT);
        if (ia_runner_port_free(port)) {
            s->r.port = port;
            s->ports_skipped = i + 1;
            return IA_OK;
        }
    }
    enum ia_rc rc = ia_err_set(err, IA_E_BUSY, "%d ports starting at %u are all in use",
                               PORTS_TRIED, IA_RUNNER_PORT_FIRST + offset);
    ia_err_hint(err, "find out which programs use them: lsof -nP -iTCP -sTCP:LISTEN");
    return rc;
}

static void choose_token(struct ia_runner *r)
{
    const struct ia_rand *rand = ia_rand_system();
    size_t at = 0;
    while (at + 16 < sizeof(r->token)) {
        at += (size_t)snprintf(r->token + at, sizeof(r->token) - at, "%016" PRIx64,
                               ia_rand_next(rand));
    }
}

/* ---- waiting for hello ------------------------------------------------------------------- */

static bool is_gone(const struct ia_runner *r, struct ia_runner_end *end)
{
    end->exit_status = -1;
    end->signal = 0;
    return ia_spawn_ended((pid_t)r->pid, &end->exit_status, &end->signal) ||
           !ia_process_alive(r->pid, r->pid_token);
}

static enum ia_rc exited_early(struct start *s, struct ia_runner_end *end, struct ia_err *err)
{
    struct ia_buf out = IA_BUF(OUTPUT_MAX);
    ia_runner_output(s->opts, s->r.udid, s->r.token, &out);
    end->what = s->r.way == IA_RUNNER_BY_XCODEBUILD ? "xcodebuild" : "the runner";
    end->text = ia_buf_str(&out);
    enum ia_rc rc = ia_runner_explain(end, &s->cause, err);
    ia_buf_fini(&out);
    return rc;
}

/* It runs and does not answer, or somebody else does. */
static enum ia_rc not_ready(struct start *s, enum ia_rc rc, const char *what,
                            struct ia_err *err)
{
    struct ia_buf out = IA_BUF(OUTPUT_MAX);
    char last[300];
    ia_runner_output(s->opts, s->r.udid, s->r.token, &out);
    ia_runner_last_lines(ia_buf_str(&out), 3, last, sizeof(last));
    (void)ia_err_set(err, rc, "%s%s%s", what, last[0] != '\0' ? "; it wrote: " : "", last);
    ia_buf_fini(&out);
    return rc;
}

static enum ia_rc never_answered(struct start *s, int64_t ready_ms, struct ia_err *err)
{
    char what[96];
    (void)snprintf(what, sizeof(what), "the runner did not answer within %lld s",
                   (long long)((ready_ms + 999) / 1000));
    enum ia_rc rc = not_ready(s, IA_E_TIMEOUT, what, err);
    ia_err_hint(err, "the first start on a machine is slow, so start it again; ios-agent "
                     "bridge logs shows its output");
    return rc;
}

/* An answer that is not the runner's and will not become it. */
static enum ia_rc foreign_answer(struct start *s, const struct ia_runner_probe *p,
                                 struct ia_err *err)
{
    bool taken = p->answer == IA_RUNNER_UNRELATED;
    enum ia_rc rc = not_ready(s, taken ? IA_E_BUSY : IA_E_DEVICE, p->note, err);
    s->cause = taken ? IA_RUNNER_CAUSE_PORT : IA_RUNNER_CAUSE_OTHER;
    ia_err_hint(err, "%s",
                taken ? "another program listens there: quit it, or start again"
                      : "build it again: ios-agent bridge build --force");
    return rc;
}

static enum ia_rc deadline_passed(struct start *s, enum ia_rc rc, struct ia_err *err)
{
    s->call_is_over = true;
    (void)not_ready(s, rc,
                    rc == IA_E_CANCELLED ? "cancelled while the runner was starting"
                                         : "the runner is still starting",
                    err);
    ia_err_hint(err, "the start continues: ios-agent bridge start waits for it");
    return rc;
}

static enum ia_rc become_ready(struct start *s, struct ia_err *err)
{
    s->r.phase = IA_RUNNER_READY;
    return ia_runner_save(s->opts, &s->r, err);
}

/* Until it answers as itself, is gone, or its time is over. */
static enum ia_rc wait_ready(struct start *s, struct ia_err *err)
{
    int64_t ready_ms = s->opts->ready_ms > 0 ? s->opts->ready_ms : IA_RUNNER_READY_MS;
    for (;;) {
        struct ia_runner_probe p;
        struct ia_runner_end end = {.what = NULL};
        /* Looked at before the probe and judged after it: what answers as ours is ready,
         * whatever became of the process that launched it. */
        bool gone = is_gone(&s->r, &end);
        enum ia_rc rc = ia_runner_probe_port(&s->r, s->deadline, false, &p, err);
        if (rc != IA_OK) {
            return deadline_passed(s, rc, err);
        }
        if (p.answer == IA_RUNNER_MATCH) {
            return become_ready(s, err);
        }
        if (gone) {
            return exited_early(s, &end, err);
        }
        if (p.answer != IA_RUNNER_NO_LISTENER && p.answer != IA_RUNNER_NO_ANSWER) {
            return foreign_answer(s, &p, err);
        }
        /* By the wall clock, because another process may have launched it. */
        if (ia_wall_ms(ia_clock_system()) - s->r.started_ms >= ready_ms) {
            return never_answered(s, ready_ms, err);
        }
        rc = ia_runner_wait(s->deadline, POLL_MS);
        if (rc != IA_OK) {
            return deadline_passed(s, rc, err);
        }
    }
}

/* ---- one start --------------------------------------------------------------------------- */

static enum ia_rc launch(struct start *s, enum ia_runner_way way, struct ia_err *err)
{
    s->r.way = way;
    s->r.phase = IA_RUNNER_STARTING;
    s->r.pid = 0;
    s->r.pid_token[0] = '\0';
    s->cause = IA_RUNNER_CAUSE_OTHER;
    enum ia_rc rc = choose_port(s, err);
    if (rc != IA_OK) {
        return rc;
    }
    choose_token(&s->r);
    s->r.started_ms = ia_wall_ms(ia_clock_system());
    rc = ia_runner_save(s->opts, &s->r, err);
    IA_KILL_POINT("runner.start.before");
    if (rc == IA_OK) {
        rc = ia_runner_launch(s->opts, s->deadline, &s->build, &s->r, err);
        /* Again: the time to get ready counts from the end of the launch. */
        s->r.started_ms = ia_wall_ms(ia_clock_system());
    }
    IA_KILL_POINT("runner.start.launched");
    return rc == IA_OK ? ia_runner_save(s->opts, &s->r, err) : rc;
}

/* A launch that was cut off at the call's end may have taken effect. That is no reason to try the
 * other way: the state stays, and the next call probes the port. */
static enum ia_rc launch_interrupted(struct start *s, enum ia_rc rc)
{
    bool by_call = ia_cancel_fired(s->deadline->cancel) ||
                   ia_mono_us(ia_clock_system()) >= s->deadline->at_us;
    s->call_is_over = by_call && (rc == IA_E_TIMEOUT || rc == IA_E_CANCELLED);
    return rc;
}

static enum ia_rc try_way(struct start *s, enum ia_runner_way way, struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    for (int losses = 0; losses < PORT_LOSSES; losses++) {
        rc = launch(s, way, err);
        rc = rc == IA_OK ? wait_ready(s, err) : launch_interrupted(s, rc);
        if (rc == IA_OK || s->call_is_over) {
            return rc;
        }
        /* Nothing of a failed launch may keep the port or the app; the failure to report is
         * the launch's. */
        (void)ia_runner_stop_locked(s->opts, s->deadline, &s->r, NULL);
        if (s->cause != IA_RUNNER_CAUSE_PORT) {
            return rc;
        }
    }
    return rc;
}

/* Failures that have nothing to do with how it is started. */
static bool is_final(const struct start *s, enum ia_rc rc)
{
    static const enum ia_rc final[] = {IA_E_CANCELLED, IA_E_MISSING,  IA_E_NO_DEVICE,
                                       IA_E_STATE,     IA_E_BUSY,     IA_E_IO,
                                       IA_E_LIMIT,     IA_E_INTERNAL, IA_E_USAGE};
    bool is = rc == IA_OK || s->call_is_over;
    for (size_t i = 0; i < IA_COUNTOF(final) && !is; i++) {
        is = rc == final[i];
    }
    return is;
}

static enum ia_rc both_failed(enum ia_rc rc, const struct ia_err *first, struct ia_err *err)
{
    /* Copies, as ia_err_set() writes over the texts that it would read from. */
    char second[sizeof(first->msg)];
    char hint[sizeof(first->hint)];
    if (!err) {
        return rc;
    }
    (void)snprintf(second, sizeof(second), "%s", err->msg);
    (void)snprintf(hint, sizeof(hint), "%s", err->hint);
    (void)ia_err_set(err, rc,
                     "the runner did not start. By simctl: %.220s. By xcodebuild: %.220s",
                     first->msg, second);
    ia_err_hint(err, "%s", hint);
    return rc;
}

/* "iOS 26.2", "26.2": 26; 0 when unknown. */
static long major_of(const char *os)
{
    size_t skip = os ? strcspn(os, "0123456789") : 0;
    return os ? strtol(os + skip, NULL, 10) : 0;
}

static enum ia_rc start_new(struct start *s, struct ia_err *err)
{
    long ios = major_of(s->sim->os);
    struct ia_err first = {.code = IA_OK};
    if (ios != 0 && ios < FIRST_IOS_BY_SIMCTL) {
        (void)snprintf(s->r.note, sizeof(s->r.note),
                       "iOS %ld can start tests only through xcodebuild", ios);
        return try_way(s, IA_RUNNER_BY_XCODEBUILD, err);
    }
    enum ia_rc rc = try_way(s, IA_RUNNER_BY_SIMCTL, &first);
    if (is_final(s, rc)) {
        if (rc != IA_OK && err) {
            *err = first;
        }
        return rc;
    }
    (void)snprintf(s->r.note, sizeof(s->r.note), "by simctl: %.490s", first.msg);
    rc = try_way(s, IA_RUNNER_BY_XCODEBUILD, err);
    return is_final(s, rc) ? rc : both_failed(rc, &first, err);
}

/* ---- the one that is there --------------------------------------------------------------- */

/* IA_OK: it is ready. IA_E_NOT_FOUND: a new one is needed, and nothing is left of the old. */
static enum ia_rc take_over(struct start *s, struct ia_err *err)
{
    struct ia_runner old;
    struct ia_runner_probe p;
    if (ia_runner_load(s->opts, s->sim->udid, &old, NULL) != IA_OK) {
        return IA_E_NOT_FOUND;
    }
    enum ia_rc rc = ia_runner_probe_port(&old, s->deadline, false, &p, err);
    if (rc != IA_OK) {
        s->call_is_over = true;
        return rc;
    }
    bool same =
        strcmp(old.key, s->build.key) == 0 && old.skip_quiescence == s->opts->skip_quiescence;
    bool starting = old.phase == IA_RUNNER_STARTING && p.answer <= IA_RUNNER_NO_ANSWER &&
                    ia_runner_alive(&old);
    if (same && (p.answer == IA_RUNNER_MATCH || starting)) {
        s->r = old;
        s->r.adopted = true;
        rc = starting ? wait_ready(s, err) : become_ready(s, err);
        if (rc == IA_OK || s->call_is_over) {
            return rc;
        }
    }
    rc = ia_runner_stop_locked(s->opts, s->deadline, &old, err);
    return rc == IA_OK ? IA_E_NOT_FOUND : rc;
}

static void init_runner(struct start *s)
{
    s->r = (struct ia_runner){.pid = 0};
    (void)snprintf(s->r.udid, sizeof(s->r.udid), "%s", s->sim->udid);
    (void)snprintf(s->r.name, sizeof(s->r.name), "%s", s->sim->name ? s->sim->name : "");
    (void)snprintf(s->r.os, sizeof(s->r.os), "%s", s->sim->os ? s->sim->os : "");
    (void)snprintf(s->r.key, sizeof(s->r.key), "%s", s->build.key);
    s->r.skip_quiescence = s->opts->skip_quiescence;
}

static enum ia_rc start_locked(struct start *s, struct ia_err *err)
{
    enum ia_rc rc = take_over(s, err);
    if (rc != IA_E_NOT_FOUND) {
        return rc;
    }
    init_runner(s);
    rc = start_new(s, err);
    /* A start that goes on keeps its state file: the next call finds port and token there. */
    if (rc != IA_OK && !s->call_is_over) {
        ia_runner_forget(s->opts, s->sim->udid);
    }
    return rc;
}

enum ia_rc ia_runner_start(const struct ia_runner_opts *opts,
                           const struct ia_deadline *deadline, const struct ia_runner_sim *sim,
                           struct ia_runner *ret, struct ia_err *err)
{
    struct start s = {.opts = opts, .deadline = ia_runner_deadline(deadline), .sim = sim};
    int lock = -1;
    enum ia_rc rc = ia_runner_check_udid(sim->udid, err);
    if (rc == IA_OK) {
        rc = ia_runner_build(opts, s.deadline, false, &s.build, err);
    }
    if (rc != IA_OK) {
        return rc;
    }
    char *folder = ia_runner_path(opts, "runners");
    char *path = ia_runner_path(opts, "runners/%s.lock", sim->udid);
    rc = ia_mkdirs(folder, err);
    if (rc == IA_OK) {
        rc = ia_runner_lock(path, "the runner is being started or stopped", s.deadline, &lock,
                            err);
    }
    if (rc == IA_OK) {
        rc = start_locked(&s, err);
        close(lock);
    }
    if (rc == IA_OK) {
        *ret = s.r;
    }
    free(path);
    free(folder);
    return rc;
}
