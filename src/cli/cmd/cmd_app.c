/* install, uninstall, launch, terminate, open-url: apps on a simulator, or on a simulated phone
 * (--device). */
#include "app/setup.h"
#include "base/clean.h"
#include "cli/cmd/cmd.h"
#include "cli/sys/sim.h"

#include <stdlib.h>
#include <unistd.h>

/* ---- which device ------------------------------------------------------------------------ */

/* A device of ios-agent that somebody chose, here or in the environment or the configuration; simctl
 * is for simulators that are named as such, and for nobody's choice. */
static enum ia_rc wants_device(struct ia_cli *c, bool *ret, struct ia_err *err)
{
    bool sim = ia_args_has(&c->args, "sim") || ia_args_has(&c->args, "runtime");
    *ret = ia_args_has(&c->args, "device") || ia_args_has(&c->args, "session");
    if (*ret && sim) {
        return ia_err_set(err, IA_E_USAGE, "--device and --sim cannot be used together");
    }
    if (*ret || sim) {
        return IA_OK;
    }
    struct ia_setup setup;
    enum ia_rc rc = ia_setup_config(&setup, err);
    *ret = getenv("IOS_AGENT_DEVICE") || getenv("IOS_AGENT_SESSION") ||
           (rc == IA_OK &&
            ia_config_origin(setup.config, IA_CFG_RUN_DEVICE) != IA_CFG_FROM_DEFAULT);
    ia_setup_close(&setup);
    return rc;
}

/* Opens the simulator; *ret_sim is false where the command is the verb's instead: another device was
 * chosen, or there is no Xcode, and with it no simulator. */
static enum ia_rc open_sim(struct ia_cli *c, struct ia_cli_sim *s, bool *ret_sim,
                           struct ia_err *err)
{
    bool device = false;
    *s = (struct ia_cli_sim){.cancel = NULL};
    *ret_sim = false;
    enum ia_rc rc = wants_device(c, &device, err);
    if (rc != IA_OK || device) {
        return rc;
    }
    *ret_sim = true;
    rc = ia_cli_sim_open(c, NULL, s, err);
    if (rc == IA_E_MISSING && !ia_args_has(&c->args, "sim")) {
        ia_cli_sim_close(s);
        *s = (struct ia_cli_sim){.cancel = NULL};
        *ret_sim = false;
        rc = IA_OK;
    }
    return rc;
}

/* ---- install, uninstall ------------------------------------------------------------------ */

static void say(struct ia_cli *c, const struct ia_cli_sim *s, const char *what,
                const char *says)
{
    ia_clean(&c->text, ia_str(what), IA_CLEAN_LINE);
    ia_buf_printf(&c->text, " %s ", says);
    ia_cli_sim_put_name(&c->text, s);
    ia_cli_sim_result(c, s, IA_SIM_BOOTED);
}

/* Finds the simulator; --device is refused, with what to do instead. */
static enum ia_rc open_for_install(struct ia_cli *c, struct ia_cli_sim *s, struct ia_err *err)
{
    const char *device = ia_args_text(&c->args, "device");
    *s = (struct ia_cli_sim){.cancel = NULL};
    if (!device) {
        return ia_cli_sim_open(c, NULL, s, err);
    }
    enum ia_rc rc = ia_err_set(err, IA_E_UNSUPPORTED, "%s works on Apple simulators only",
                               c->command->name);
    ia_err_hint(err,
                "the apps of a simulated phone are built in (ios-agent snapshot shows them); "
                "for a simulator: ios-agent %s %s --sim \"iPhone 17\"",
                c->command->name, c->command->operands);
    return rc;
}

/* A simulator that is shut down is started for it. */
static enum ia_rc start_for_install(const struct ia_cli_sim *s, const char *app,
                                    struct ia_err *err)
{
    bool already = false;
    if (s->state == IA_SIM_BOOTED || access(app, F_OK) != 0) {
        return IA_OK; /* what is not there is refused by the installation itself */
    }
    struct ia_spinner *spinner = ia_cli_sim_wait(s, "booting");
    enum ia_rc rc = ia_simctl_boot(s->ctl, &s->deadline, s->udid, &already, err);
    ia_spinner_free(spinner);
    return rc;
}

enum ia_rc ia_cmd_install(struct ia_cli *c, struct ia_err *err)
{
    const char *app = ia_args_operand(&c->args, 0);
    struct ia_cli_sim s;
    enum ia_rc rc = open_for_install(c, &s, err);
    rc = rc == IA_OK ? start_for_install(&s, app, err) : rc;
    if (rc == IA_OK) {
        struct ia_spinner *spinner = ia_cli_sim_wait(&s, "installing on");
        rc = ia_simctl_install(s.ctl, &s.deadline, s.udid, app, err);
        ia_spinner_free(spinner);
    }
    if (rc == IA_OK) {
        say(c, &s, app, "is installed on");
        ia_jsonw_kv(&c->w, "app", app);
        ia_jsonw_end_object(&c->w);
        ia_buf_putc(&c->text, '\n');
    }
    ia_cli_sim_close(&s);
    return rc;
}

enum ia_rc ia_cmd_uninstall(struct ia_cli *c, struct ia_err *err)
{
    const char *bundle_id = ia_args_operand(&c->args, 0);
    struct ia_cli_sim s;
    enum ia_rc rc = open_for_install(c, &s, err);
    if (rc == IA_OK) {
        rc = ia_simctl_uninstall(s.ctl, &s.deadline, s.udid, bundle_id, err);
    }
    if (rc == IA_OK) {
        say(c, &s, bundle_id, "is not (or no longer) installed on");
        ia_jsonw_kv(&c->w, "bundle_id", bundle_id);
        ia_jsonw_end_object(&c->w);
        ia_buf_putc(&c->text, '\n');
    }
    ia_cli_sim_close(&s);
    return rc;
}

/* ---- launch ------------------------------------------------------------------------------ */

/* simctl reports success even if the app crashes at once, so check once that it still runs. If
 * that cannot be determined, the launch counts. */
static enum ia_rc check_alive(const struct ia_cli_sim *s, const char *bundle_id,
                              struct ia_err *err)
{
    int pid = 0;
    struct ia_err ignored;
    enum ia_rc rc = ia_simctl_running(s->ctl, &s->deadline, s->udid, bundle_id, &pid, &ignored);
    if (rc != IA_OK || pid > 0) {
        return IA_OK;
    }
    (void)ia_err_set(err, IA_E_FAILED, "%s was launched and has already ended", bundle_id);
    ia_err_hint(err, "it probably crashed: see ~/Library/Logs/DiagnosticReports");
    if (err) {
        err->outcome = IA_OUTCOME_SENT;
    }
    return IA_E_FAILED;
}

static enum ia_rc launch_on_sim(struct ia_cli *c, struct ia_cli_sim *s, struct ia_err *err)
{
    const char *env[IA_SIM_LAUNCH_ENV_MAX + 2] = {NULL};
    const char *args[IA_SIM_LAUNCH_ARGS_MAX + 2] = {NULL};
    struct ia_sim_launch launch = {.bundle_id = ia_args_text(&c->args, "bundle"),
                                   .args = args,
                                   .env = env,
                                   .relaunch = ia_args_has(&c->args, "relaunch")};
    int pid = 0;
    /* One more than allowed, so that an excess is refused instead of dropped. */
    (void)ia_args_list(&c->args, "env", env, IA_SIM_LAUNCH_ENV_MAX + 1);
    for (size_t i = 0; i <= IA_SIM_LAUNCH_ARGS_MAX; i++) {
        args[i] = ia_args_operand(&c->args, i);
    }
    enum ia_rc rc = ia_simctl_launch(s->ctl, &s->deadline, s->udid, &launch, &pid, err);
    rc = rc == IA_OK ? check_alive(s, launch.bundle_id, err) : rc;
    if (rc == IA_OK) {
        say(c, s, launch.bundle_id, "runs on");
        ia_buf_printf(&c->text, " as process %d\n", pid);
        ia_jsonw_kv(&c->w, "bundle_id", launch.bundle_id);
        ia_jsonw_kv_int(&c->w, "pid", pid);
        ia_jsonw_end_object(&c->w);
    }
    return rc;
}

static enum ia_rc launch_on_device(struct ia_cli *c, struct ia_err *err)
{
    bool more = c->args.operand_count > 0 || ia_args_has(&c->args, "env") ||
                ia_args_has(&c->args, "relaunch");
    if (more) {
        return ia_err_set(
            err, IA_E_UNSUPPORTED,
            "arguments, environment and --relaunch are for Apple simulators (--sim)");
    }
    return ia_cli_verb(c, "launch", err);
}

enum ia_rc ia_cmd_launch(struct ia_cli *c, struct ia_err *err)
{
    struct ia_cli_sim s;
    bool sim = false;
    enum ia_rc rc = open_sim(c, &s, &sim, err);
    if (rc == IA_OK) {
        rc = sim ? launch_on_sim(c, &s, err) : launch_on_device(c, err);
    }
    ia_cli_sim_close(&s);
    return rc;
}

/* ---- terminate, open-url ----------------------------------------------------------------- */

enum ia_rc ia_cmd_terminate(struct ia_cli *c, struct ia_err *err)
{
    const char *bundle_id = ia_args_text(&c->args, "bundle");
    struct ia_cli_sim s;
    bool sim = false;
    bool already = false;
    enum ia_rc rc = open_sim(c, &s, &sim, err);
    if (rc == IA_OK && !sim) {
        return ia_cli_verb(c, "terminate", err);
    }
    if (rc == IA_OK) {
        rc = ia_simctl_terminate(s.ctl, &s.deadline, s.udid, bundle_id, &already, err);
    }
    if (rc == IA_OK) {
        say(c, &s, bundle_id, already ? "was not running on" : "no longer runs on");
        ia_jsonw_kv(&c->w, "bundle_id", bundle_id);
        ia_jsonw_kv_bool(&c->w, "already", already);
        ia_jsonw_end_object(&c->w);
        ia_buf_putc(&c->text, '\n');
    }
    ia_cli_sim_close(&s);
    return rc;
}

enum ia_rc ia_cmd_open_url(struct ia_cli *c, struct ia_err *err)
{
    const char *url = ia_args_text(&c->args, "url");
    struct ia_cli_sim s;
    bool sim = false;
    enum ia_rc rc = open_sim(c, &s, &sim, err);
    if (rc == IA_OK && !sim) {
        return ia_cli_verb(c, "open-url", err);
    }
    if (rc == IA_OK) {
        rc = ia_simctl_openurl(s.ctl, &s.deadline, s.udid, url, err);
    }
    if (rc == IA_OK) {
        say(c, &s, url, "is open on");
        ia_jsonw_kv(&c->w, "url", url);
        ia_jsonw_end_object(&c->w);
        ia_buf_putc(&c->text, '\n');
    }
    ia_cli_sim_close(&s);
    return rc;
}
