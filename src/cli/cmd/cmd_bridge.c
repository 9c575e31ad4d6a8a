/* bridge build | start | stop | status | logs: the XCTest runner of a simulator. */
#include "app/setup.h"
#include "base/clean.h"
#include "cli/cmd/cmd.h"
#include "cli/sys/interrupt.h"
#include "cli/sys/sim.h"
#include "driver/runner/runner.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { LOG_MAX = 1 << 18 };

/* What every one of them opens. */
struct session {
    struct ia_setup setup;
    struct ia_runner_opts opts;
    struct ia_cancel *cancel;
    struct ia_deadline deadline;
};

/* May be closed with close_session even if it failed. */
static enum ia_rc open_session(struct session *s, struct ia_err *err)
{
    *s = (struct session){.deadline = {.at_us = IA_NO_DEADLINE}};
    enum ia_rc rc = ia_setup_config(&s->setup, err);
    if (rc == IA_OK) {
        s->opts.home = s->setup.paths.home;
        s->opts.ready_ms = ia_config_int(s->setup.config, IA_CFG_RUNNER_START_S) * 1000;
        s->opts.skip_quiescence =
            ia_config_bool(s->setup.config, IA_CFG_RUNNER_SKIP_QUIESCENCE);
    }
    return rc;
}

/* Ctrl-C ends every wait. If a simulator was opened, its token is the one that fires. */
static enum ia_rc take_interrupt(struct session *s, struct ia_err *err)
{
    s->cancel = ia_cancel_new(err);
    if (!s->cancel) {
        return err->code;
    }
    ia_interrupt_install(s->cancel, -1);
    s->deadline.cancel = s->cancel;
    return IA_OK;
}

static void close_session(struct session *s)
{
    if (s->cancel) {
        ia_interrupt_remove();
        ia_cancel_free(s->cancel);
    }
    ia_setup_close(&s->setup);
}

static void set_limit(struct ia_deadline *deadline, int64_t seconds)
{
    if (seconds > 0) {
        deadline->at_us = ia_mono_us(ia_clock_system()) + seconds * INT64_C(1000000);
    }
}

/* ---- build ------------------------------------------------------------------------------- */

static void put_build(struct ia_cli *c, const struct ia_runner_build *b)
{
    struct ia_jsonw *w = &c->w;
    ia_buf_printf(&c->text, "%s for Xcode %s, %s (recipe %s)\n  ",
                  b->fresh ? "built" : "is already built", b->xcode, b->arch, b->recipe);
    ia_clean(&c->text, ia_str(b->app), IA_CLEAN_LINE);
    ia_buf_putc(&c->text, '\n');
    if (b->note[0] != '\0') {
        ia_buf_puts(&c->text, "  recipe A did not work: ");
        ia_clean(&c->text, ia_str(b->note), IA_CLEAN_LINE);
        ia_buf_putc(&c->text, '\n');
    }
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "key", b->key);
    ia_jsonw_kv(w, "recipe", b->recipe);
    ia_jsonw_kv(w, "xcode", b->xcode);
    ia_jsonw_kv(w, "arch", b->arch);
    ia_jsonw_kv(w, "app", b->app);
    ia_jsonw_kv(w, "xctestrun", b->xctestrun);
    ia_jsonw_kv(w, "note", b->note[0] != '\0' ? b->note : NULL);
    ia_jsonw_kv_bool(w, "fresh", b->fresh);
    ia_jsonw_end_object(w);
}

enum ia_rc ia_cmd_bridge_build(struct ia_cli *c, struct ia_err *err)
{
    struct session s;
    struct ia_runner_build b;
    enum ia_rc rc = open_session(&s, err);
    if (rc == IA_OK) {
        rc = take_interrupt(&s, err);
    }
    s.opts.recipe = ia_args_text(&c->args, "recipe");
    if (rc == IA_OK) {
        rc = ia_runner_build(&s.opts, &s.deadline, ia_args_has(&c->args, "force"), &b, err);
    }
    if (rc == IA_OK) {
        put_build(c, &b);
    }
    close_session(&s);
    return rc;
}

/* ---- one runner -------------------------------------------------------------------------- */

static void put_name(struct ia_buf *out, const struct ia_runner *r)
{
    ia_clean(out, ia_str(r->name[0] != '\0' ? r->name : r->udid), IA_CLEAN_LINE);
    if (r->os[0] != '\0') {
        ia_buf_puts(out, ", ");
        ia_clean(out, ia_str(r->os), IA_CLEAN_LINE);
    }
}

/* Never its token. */
static void put_runner(struct ia_jsonw *w, const struct ia_runner *r)
{
    ia_jsonw_kv(w, "udid", r->udid);
    ia_jsonw_kv(w, "name", r->name);
    ia_jsonw_kv(w, "runtime", r->os);
    ia_jsonw_kv(w, "build", r->key);
    ia_jsonw_kv(w, "started_by", ia_runner_way_name(r->way));
    ia_jsonw_kv_int(w, "port", r->port);
    ia_jsonw_kv_int(w, "pid", r->pid);
    ia_jsonw_kv_int(w, "started_ms", r->started_ms);
}

enum ia_rc ia_cmd_bridge_start(struct ia_cli *c, struct ia_err *err)
{
    struct session s;
    struct ia_cli_sim sim;
    struct ia_runner r;
    enum ia_rc rc = ia_cli_sim_open(c, ia_args_operand(&c->args, 0), &sim, err);
    if (rc == IA_OK) {
        rc = open_session(&s, err);
        set_limit(&sim.deadline, ia_args_int(&c->args, "timeout", 0));
        if (rc == IA_OK) {
            struct ia_runner_sim which = {sim.udid, sim.name, sim.runtime};
            rc = ia_runner_start(&s.opts, &sim.deadline, &which, &r, err);
        }
        close_session(&s);
    }
    if (rc == IA_OK) {
        put_name(&c->text, &r);
        ia_buf_printf(&c->text, ": the runner %s on port %u (%s, pid %lld)\n",
                      r.adopted ? "was already running," : "listens", (unsigned)r.port,
                      ia_runner_way_name(r.way), (long long)r.pid);
        ia_jsonw_object(&c->w);
        put_runner(&c->w, &r);
        ia_jsonw_kv_bool(&c->w, "adopted", r.adopted);
        ia_jsonw_kv(&c->w, "note", r.note[0] != '\0' ? r.note : NULL);
        ia_jsonw_end_object(&c->w);
    }
    ia_cli_sim_close(&sim);
    return rc;
}

/* ---- which of those that were started ---------------------------------------------------- */

struct chosen {
    char udids[IA_RUNNERS_MAX][IA_RUNNER_UDID_SIZE];
    size_t n;
};

/* Keeps the runners whose UDID or simulator name matches. */
static void keep_named(const struct session *s, const char *name, struct chosen *all)
{
    size_t kept = 0;
    for (size_t i = 0; i < all->n; i++) {
        struct ia_runner_status status;
        bool same = strcasecmp(all->udids[i], name) == 0;
        if (!same && ia_runner_get_status(&s->opts, &s->deadline, all->udids[i], &status,
                                          NULL) == IA_OK) {
            same = strcasecmp(status.runner.name, name) == 0;
        }
        if (same) {
            memmove(all->udids[kept++], all->udids[i], IA_RUNNER_UDID_SIZE);
        }
    }
    all->n = kept;
}

/* A name without a state file is resolved by simctl, so that "booted" and "NAME, RUNTIME" work
 * too and an unknown name is not reported as a missing runner. */
static enum ia_rc ask_simctl(struct ia_cli *c, const char *operand, struct chosen *ret,
                             struct ia_err *err)
{
    struct ia_cli_sim sim;
    enum ia_rc rc = ia_cli_sim_open(c, operand, &sim, err);
    if (rc == IA_OK) {
        (void)snprintf(ret->udids[0], sizeof(ret->udids[0]), "%s", sim.udid);
        ret->n = 1;
    }
    ia_cli_sim_close(&sim);
    return rc;
}

/* All of them if none is named. */
static enum ia_rc choose(struct ia_cli *c, const struct session *s, struct chosen *ret,
                         struct ia_err *err)
{
    const char *operand = ia_args_operand(&c->args, 0);
    const char *option = ia_args_text(&c->args, "sim");
    const char *name = operand ? operand : option;
    ret->n = ia_runner_list(&s->opts, ret->udids);
    if (!name) {
        return IA_OK;
    }
    if (operand && option) {
        return ia_err_set(err, IA_E_USAGE, "the simulator is named twice: \"%s\" and \"%s\"",
                          operand, option);
    }
    keep_named(s, name, ret);
    return ret->n > 0 ? IA_OK : ask_simctl(c, operand, ret, err);
}

/* Just one. */
static enum ia_rc choose_one(struct ia_cli *c, const struct session *s, struct chosen *ret,
                             struct ia_err *err)
{
    enum ia_rc rc = choose(c, s, ret, err);
    if (rc == IA_OK && ret->n == 0) {
        rc = ia_err_set(err, IA_E_NOT_FOUND, "no runner has been started");
        ia_err_hint(err, "ios-agent bridge start NAME");
    } else if (rc == IA_OK && ret->n > 1) {
        rc = ia_err_set(err, IA_E_AMBIGUOUS, "there are %zu runners", ret->n);
        ia_err_hint(err, "name the simulator; ios-agent bridge status shows them");
    }
    return rc;
}

/* ---- stop -------------------------------------------------------------------------------- */

static enum ia_rc stop_one(struct ia_cli *c, const struct session *s, const char *udid,
                           struct ia_err *err)
{
    bool was = false;
    struct ia_runner_status before;
    enum ia_rc rc = ia_runner_get_status(&s->opts, &s->deadline, udid, &before, err);
    if (rc == IA_OK) {
        rc = ia_runner_stop(&s->opts, &s->deadline, udid, &was, err);
    }
    if (rc == IA_OK) {
        (void)snprintf(before.runner.udid, sizeof(before.runner.udid), "%s", udid);
        put_name(&c->text, &before.runner);
        ia_buf_printf(&c->text, ": %s\n",
                      was ? "the runner is stopped" : "no runner was running");
        ia_jsonw_object(&c->w);
        ia_jsonw_kv(&c->w, "udid", udid);
        ia_jsonw_kv_bool(&c->w, "stopped", was);
        ia_jsonw_end_object(&c->w);
    }
    return rc;
}

enum ia_rc ia_cmd_bridge_stop(struct ia_cli *c, struct ia_err *err)
{
    struct session s;
    struct chosen which = {.n = 0};
    bool all = ia_args_has(&c->args, "all");
    enum ia_rc rc = open_session(&s, err);
    if (rc == IA_OK) {
        rc = all ? choose(c, &s, &which, err) : choose_one(c, &s, &which, err);
    }
    if (rc == IA_OK) {
        rc = take_interrupt(&s, err);
    }
    if (rc == IA_OK) {
        ia_jsonw_object(&c->w);
        ia_jsonw_key(&c->w, "runners");
        ia_jsonw_array(&c->w);
        for (size_t i = 0; i < which.n && rc == IA_OK; i++) {
            rc = stop_one(c, &s, which.udids[i], err);
        }
        if (rc == IA_OK && which.n == 0) {
            ia_buf_puts(&c->text, "no runner has been started\n");
        }
        ia_jsonw_end_array(&c->w);
        ia_jsonw_end_object(&c->w);
    }
    close_session(&s);
    return rc;
}

/* ---- status ------------------------------------------------------------------------------ */

static void put_status_text(struct ia_buf *t, const struct ia_runner_status *st)
{
    put_name(t, &st->runner);
    ia_buf_printf(t, ": %s", ia_runner_health_name(st->health));
    if (st->runner.port != 0) {
        ia_buf_printf(t, ", port %u, pid %lld, by %s", (unsigned)st->runner.port,
                      (long long)st->runner.pid, ia_runner_way_name(st->runner.way));
    }
    ia_buf_printf(t, "\n  %s\n", st->runner.udid);
    if (st->note[0] != '\0') {
        ia_buf_puts(t, "  ");
        ia_clean(t, ia_str(st->note), IA_CLEAN_LINE);
        ia_buf_putc(t, '\n');
    }
    if (st->last[0] != '\0') {
        ia_buf_puts(t, "  last output: ");
        ia_clean(t, ia_str(st->last), IA_CLEAN_LINE);
        ia_buf_putc(t, '\n');
    }
}

static void put_status(struct ia_cli *c, const struct ia_runner_status *st)
{
    struct ia_jsonw *w = &c->w;
    put_status_text(&c->text, st);
    ia_jsonw_object(w);
    put_runner(w, &st->runner);
    ia_jsonw_kv(w, "health", ia_runner_health_name(st->health));
    ia_jsonw_kv(w, "note", st->note[0] != '\0' ? st->note : NULL);
    ia_jsonw_kv(w, "last_line", st->last[0] != '\0' ? st->last : NULL);
    ia_jsonw_end_object(w);
}

static enum ia_rc show_runners(struct ia_cli *c, const struct session *s,
                               const struct chosen *which, struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    size_t shown = 0;
    ia_jsonw_object(&c->w);
    ia_jsonw_key(&c->w, "runners");
    ia_jsonw_array(&c->w);
    for (size_t i = 0; i < which->n && rc == IA_OK; i++) {
        struct ia_runner_status st;
        rc = ia_runner_get_status(&s->opts, &s->deadline, which->udids[i], &st, err);
        if (rc == IA_OK && st.health != IA_RUNNER_NONE) {
            put_status(c, &st);
            shown++;
        }
    }
    ia_jsonw_end_array(&c->w);
    ia_jsonw_end_object(&c->w);
    if (rc == IA_OK && shown == 0) {
        ia_buf_puts(&c->text, "no runner has been started\n");
    }
    return rc;
}

enum ia_rc ia_cmd_bridge_status(struct ia_cli *c, struct ia_err *err)
{
    struct session s;
    struct chosen which = {.n = 0};
    enum ia_rc rc = open_session(&s, err);
    if (rc == IA_OK) {
        rc = choose(c, &s, &which, err);
    }
    if (rc == IA_OK) {
        rc = take_interrupt(&s, err);
    }
    if (rc == IA_OK) {
        rc = show_runners(c, &s, &which, err);
    }
    close_session(&s);
    return rc;
}

/* ---- logs -------------------------------------------------------------------------------- */

enum ia_rc ia_cmd_bridge_logs(struct ia_cli *c, struct ia_err *err)
{
    struct session s;
    struct chosen which = {.n = 0};
    struct ia_buf log = IA_BUF(LOG_MAX);
    size_t lines = (size_t)ia_args_int(&c->args, "lines", IA_RUNNER_LOG_LINES);
    enum ia_rc rc = open_session(&s, err);
    if (rc == IA_OK) {
        rc = choose_one(c, &s, &which, err);
    }
    if (rc == IA_OK) {
        rc = ia_runner_log(&s.opts, which.udids[0], lines, &log, err);
    }
    if (rc == IA_OK) {
        ia_clean(&c->text, ia_buf_str(&log), IA_CLEAN_TEXT);
        ia_jsonw_object(&c->w);
        ia_jsonw_kv(&c->w, "udid", which.udids[0]);
        ia_jsonw_key(&c->w, "log");
        ia_jsonw_str(&c->w, ia_buf_str(&log));
        ia_jsonw_end_object(&c->w);
    }
    ia_buf_fini(&log);
    close_session(&s);
    return rc;
}
