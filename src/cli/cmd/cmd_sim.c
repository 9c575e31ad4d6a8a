/* boot, shutdown, reset-sim: the life of a simulator. */
#include "app/setup.h"
#include "base/clean.h"
#include "base/clock.h"
#include "cli/cmd/cmd.h"
#include "cli/sys/sim.h"
#include "driver/registry/device_registry.h"

#include <strings.h>

static void finish(struct ia_cli *c, const struct ia_cli_sim *s, enum ia_sim_state state,
                   const char *says, bool already)
{
    struct ia_buf *t = &c->text;
    ia_cli_sim_put_name(t, s);
    ia_buf_printf(t, " %s (%s)\n", says, s->udid);
    ia_cli_sim_result(c, s, state);
    ia_jsonw_kv_bool(&c->w, "already", already);
    ia_jsonw_end_object(&c->w);
}

enum ia_rc ia_cmd_boot(struct ia_cli *c, struct ia_err *err)
{
    struct ia_cli_sim s;
    bool already = false;
    int64_t timeout_s = ia_args_int(&c->args, "timeout", 0);
    enum ia_rc rc = ia_cli_sim_open(c, ia_args_operand(&c->args, 0), &s, err);
    if (rc == IA_OK) {
        if (timeout_s > 0) {
            s.deadline.at_us = ia_mono_us(ia_clock_system()) + timeout_s * INT64_C(1000000);
        }
        struct ia_spinner *spinner = ia_cli_sim_wait(&s, "booting");
        rc = ia_simctl_boot(s.ctl, &s.deadline, s.udid, &already, err);
        ia_spinner_free(spinner);
    }
    if (rc == IA_OK) {
        finish(c, &s, IA_SIM_BOOTED, already ? "was already booted" : "is booted", already);
    }
    ia_cli_sim_close(&s);
    return rc;
}

enum ia_rc ia_cmd_shutdown(struct ia_cli *c, struct ia_err *err)
{
    struct ia_cli_sim s;
    bool already = false;
    enum ia_rc rc = ia_cli_sim_open(c, ia_args_operand(&c->args, 0), &s, err);
    if (rc == IA_OK) {
        rc = ia_simctl_shutdown(s.ctl, &s.deadline, s.udid, &already, err);
    }
    if (rc == IA_OK) {
        finish(c, &s, IA_SIM_SHUTDOWN, already ? "was already shut down" : "is shut down",
               already);
    }
    ia_cli_sim_close(&s);
    return rc;
}

/* ---- reset-sim --------------------------------------------------------------------------- */

static enum ia_rc reset_phone(struct ia_cli *c, const char *name, struct ia_err *err)
{
    struct ia_setup setup;
    struct ia_device_spec spec = {.kind = NULL};
    struct ia_device *d = NULL;
    enum ia_rc rc = ia_setup_config(&setup, err);
    rc = rc == IA_OK ? ia_device_spec_find(name, &setup.paths, &spec, err) : rc;
    rc = rc == IA_OK ? ia_device_spec_open(&spec, NULL, true, &d, err) : rc;
    if (rc == IA_OK) {
        ia_device_spec_lane(&spec, &c->text);
        ia_buf_puts(&c->text, " is in factory state\n");
        ia_jsonw_object(&c->w);
        ia_jsonw_kv(&c->w, "device", name);
        ia_jsonw_end_object(&c->w);
    }
    ia_device_close(d);
    ia_device_spec_fini(&spec);
    ia_setup_close(&setup);
    return rc;
}

/* Erases it, and boots it again if it was booted or --boot is given. */
static enum ia_rc reset_sim(struct ia_cli *c, struct ia_cli_sim *s, struct ia_err *err)
{
    bool again = s->state == IA_SIM_BOOTED || s->state == IA_SIM_BOOTING ||
                 ia_args_has(&c->args, "boot");
    bool already = false;
    struct ia_spinner *spinner = ia_cli_sim_wait(s, "resetting");
    enum ia_rc rc = ia_simctl_erase(s->ctl, &s->deadline, s->udid, true, err);
    if (rc == IA_OK && again) {
        rc = ia_simctl_boot(s->ctl, &s->deadline, s->udid, &already, err);
        rc = rc == IA_OK ? rc : ia_err_wrap(err, rc, "erased, but not rebooted");
    }
    ia_spinner_free(spinner);
    if (rc == IA_OK) {
        ia_cli_sim_put_name(&c->text, s);
        ia_buf_printf(&c->text, " is as new%s (%s)\n", again ? ", and booted" : "", s->udid);
        ia_cli_sim_result(c, s, again ? IA_SIM_BOOTED : IA_SIM_SHUTDOWN);
        ia_jsonw_end_object(&c->w);
    }
    return rc;
}

/* Everything on it is lost, so the simulator must be named. */
static enum ia_rc not_named(struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "reset-sim erases a simulator: say which one");
    ia_err_hint(err, "ios-agent reset-sim \"iPhone 17\"; ios-agent devices shows the names");
    return rc;
}

enum ia_rc ia_cmd_reset_sim(struct ia_cli *c, struct ia_err *err)
{
    const char *operand = ia_args_operand(&c->args, 0);
    const char *device = ia_args_text(&c->args, "device");
    const char *name = operand ? operand : ia_args_text(&c->args, "sim");
    struct ia_cli_sim s;
    if (device && name) {
        return ia_err_set(err, IA_E_USAGE, "--device and a simulator cannot be used together");
    }
    if (device) {
        return reset_phone(c, device, err);
    }
    if (!name) {
        return not_named(err);
    }
    enum ia_rc rc = ia_cli_sim_open(c, operand, &s, err);
    if (rc == IA_OK) {
        rc = strcasecmp(name, "booted") == 0
                 ? IA_OK
                 : ia_cli_sim_check_whole(&s, name, "reset-sim", err);
    }
    if (rc == IA_OK) {
        rc = reset_sim(c, &s, err);
    }
    ia_cli_sim_close(&s);
    return rc;
}
