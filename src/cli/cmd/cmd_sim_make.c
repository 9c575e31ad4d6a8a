/* sim create, sim clone, sim delete: simulators that come and go. */
#include "base/clean.h"
#include "cli/cmd/cmd.h"
#include "cli/sys/sim.h"

#include <stdio.h>
#include <string.h>

/* done: what was done, as a member of the result. */
static void finish(struct ia_cli *c, const struct ia_cli_sim *s, enum ia_sim_state state,
                   const char *done, const char *says)
{
    ia_cli_sim_put_name(&c->text, s);
    ia_buf_printf(&c->text, " %s (%s)\n", says, s->udid);
    ia_cli_sim_result(c, s, state);
    ia_jsonw_kv_bool(&c->w, done, true);
    ia_jsonw_end_object(&c->w);
}

/* ---- create ------------------------------------------------------------------------------ */

static enum ia_rc create(struct ia_cli *c, struct ia_cli_sim *s, struct ia_err *err)
{
    const struct ia_sim_list *list = NULL;
    const struct ia_sim_type *type = NULL;
    const struct ia_sim_runtime *runtime = NULL;
    const char *name = ia_args_text(&c->args, "name");
    char udid[IA_SIM_UDID_SIZE];
    enum ia_rc rc = ia_simctl_list(s->ctl, &s->deadline, &list, err);
    if (rc == IA_OK) {
        rc = ia_sim_type_find(list, ia_args_operand(&c->args, 0), &type, err);
    }
    if (rc == IA_OK) {
        rc = ia_sim_runtime_find(list, ia_args_text(&c->args, "runtime"), type, &runtime, err);
    }
    if (rc != IA_OK) {
        return rc;
    }
    (void)snprintf(s->runtime, sizeof(s->runtime), "%s", runtime->name);
    (void)snprintf(s->name, sizeof(s->name), "%s", name ? name : type->name);
    rc = ia_simctl_create(s->ctl, &s->deadline, s->name, type->id, runtime->id, udid, err);
    if (rc == IA_OK) {
        memcpy(s->udid, udid, sizeof(udid));
    }
    return rc;
}

enum ia_rc ia_cmd_sim_create(struct ia_cli *c, struct ia_err *err)
{
    struct ia_cli_sim s;
    bool boot = ia_args_has(&c->args, "boot"), already = false;
    enum ia_rc rc = ia_cli_sim_begin(&s, err);
    if (rc == IA_OK) {
        rc = create(c, &s, err);
    }
    if (rc == IA_OK && boot) {
        struct ia_spinner *spinner = ia_cli_sim_wait(&s, "booting");
        rc = ia_simctl_boot(s.ctl, &s.deadline, s.udid, &already, err);
        ia_spinner_free(spinner);
        rc = rc == IA_OK ? rc : ia_err_wrap(err, rc, "created %s, but not booted", s.udid);
    }
    if (rc == IA_OK) {
        finish(c, &s, boot ? IA_SIM_BOOTED : IA_SIM_SHUTDOWN, "created",
               boot ? "was created and is booted" : "was created");
    }
    ia_cli_sim_close(&s);
    return rc;
}

/* ---- clone, delete ----------------------------------------------------------------------- */

enum ia_rc ia_cmd_sim_clone(struct ia_cli *c, struct ia_err *err)
{
    struct ia_cli_sim s;
    const char *name = ia_args_operand(&c->args, 1);
    char udid[IA_SIM_UDID_SIZE];
    enum ia_rc rc = ia_cli_sim_open_named(c, ia_args_operand(&c->args, 0), &s, err);
    if (rc == IA_OK && s.state != IA_SIM_SHUTDOWN) {
        rc = ia_err_set(err, IA_E_STATE, "%s is %s; only one that is shut down can be cloned",
                        s.name, ia_sim_state_name(s.state));
        ia_err_hint(err, "ios-agent shutdown %s", s.udid);
    }
    if (rc == IA_OK) {
        struct ia_spinner *spinner = ia_cli_sim_wait(&s, "cloning");
        rc = ia_simctl_clone(s.ctl, &s.deadline, s.udid, name, udid, err);
        ia_spinner_free(spinner);
    }
    if (rc == IA_OK) {
        memcpy(s.udid, udid, sizeof(udid)); /* what is told about is the copy */
        (void)snprintf(s.name, sizeof(s.name), "%s", name);
        finish(c, &s, IA_SIM_SHUTDOWN, "created", "was cloned");
    }
    ia_cli_sim_close(&s);
    return rc;
}

enum ia_rc ia_cmd_sim_delete(struct ia_cli *c, struct ia_err *err)
{
    struct ia_cli_sim s;
    const char *operand = ia_args_operand(&c->args, 0);
    enum ia_rc rc = ia_cli_sim_open_named(c, operand, &s, err);
    if (rc == IA_OK) {
        rc = ia_cli_sim_check_whole(&s, operand, "sim delete", err);
    }
    if (rc == IA_OK) {
        rc = ia_simctl_delete(s.ctl, &s.deadline, s.udid, err);
    }
    if (rc == IA_OK) {
        finish(c, &s, s.state, "deleted", "was deleted");
    }
    ia_cli_sim_close(&s);
    return rc;
}
