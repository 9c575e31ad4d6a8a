/* sim.c: opening the simulator that a command is about, and describing it in the result.
 *
 * `begin` makes a client of simctl that Ctrl-C cancels; `open` also resolves the name. If several
 * simulators match, the candidates go into the result, so that a program can choose one. */
#include "cli/sys/sim.h"

#include "base/clean.h"
#include "base/clock.h"
#include "base/term.h"
#include "cli/sys/interrupt.h"
#include "driver/registry/device_registry.h"
#include "driver/registry/sim_name.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { FOLDER_MAX = 4096 };

enum ia_rc ia_cli_sim_begin(struct ia_cli_sim *ret, struct ia_err *err)
{
    *ret = (struct ia_cli_sim){.deadline = {.at_us = IA_NO_DEADLINE}};
    ret->cancel = ia_cancel_new(err);
    if (!ret->cancel) {
        return IA_E_IO;
    }
    ret->deadline.cancel = ret->cancel;
    ret->ctl = ia_simctl_new();
    ia_interrupt_install(ret->cancel, ia_term_is(STDERR_FILENO) ? STDERR_FILENO : -1);
    return IA_OK;
}

void ia_cli_sim_close(struct ia_cli_sim *s)
{
    if (s->cancel) {
        ia_interrupt_remove();
    }
    ia_simctl_free(s->ctl);
    ia_cancel_free(s->cancel);
}

enum ia_rc ia_cli_sim_check_whole(const struct ia_cli_sim *s, const char *name,
                                  const char *command, struct ia_err *err)
{
    size_t n = strlen(s->name);
    bool whole = ia_sim_is_udid(name) ||
                 (strncasecmp(name, s->name, n) == 0 && (name[n] == '\0' || name[n] == ','));
    if (whole) {
        return IA_OK;
    }
    enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "\"%s\" is not the whole name of \"%s\", %s",
                               name, s->name, s->runtime);
    ia_err_hint(err, "%s is for good: give the whole name or the UDID %s", command, s->udid);
    return rc;
}

static void put_candidates(struct ia_jsonw *w, const struct ia_sim_found *found)
{
    ia_jsonw_object(w);
    ia_jsonw_key(w, "candidates");
    ia_jsonw_array(w);
    for (size_t i = 0; i < found->candidate_count && i < IA_SIM_CANDIDATES_MAX; i++) {
        const struct ia_sim *sim = found->candidates[i];
        ia_jsonw_object(w);
        ia_jsonw_kv(w, "udid", sim->udid);
        ia_jsonw_kv(w, "name", sim->name);
        ia_jsonw_kv(w, "runtime", sim->runtime);
        ia_jsonw_kv(w, "state", sim->state_text);
        ia_jsonw_end_object(w);
    }
    ia_jsonw_end_array(w);
    ia_jsonw_end_object(w);
}

static enum ia_rc find(struct ia_cli *c, const char *name, struct ia_cli_sim *s,
                       struct ia_err *err)
{
    struct ia_sim_query query = {name, ia_args_text(&c->args, "runtime")};
    struct ia_sim_found found;
    enum ia_rc rc = ia_simctl_find(s->ctl, &s->deadline, &query, &found, err);
    if (rc == IA_E_AMBIGUOUS) {
        put_candidates(&c->w, &found);
    }
    if (rc == IA_OK) {
        memcpy(s->udid, found.sim->udid, sizeof(s->udid));
        (void)snprintf(s->name, sizeof(s->name), "%s", found.sim->name);
        (void)snprintf(s->runtime, sizeof(s->runtime), "%s", found.sim->runtime);
        s->state = found.sim->state;
    }
    return rc;
}

enum ia_rc ia_cli_sim_open_named(struct ia_cli *c, const char *name, struct ia_cli_sim *ret,
                                 struct ia_err *err)
{
    enum ia_rc rc = ia_cli_sim_begin(ret, err);
    return rc == IA_OK ? find(c, name, ret, err) : rc;
}

enum ia_rc ia_cli_sim_open(struct ia_cli *c, const char *operand, struct ia_cli_sim *ret,
                           struct ia_err *err)
{
    const char *option = ia_args_text(&c->args, "sim");
    if (operand && option) {
        *ret = (struct ia_cli_sim){.ctl = NULL};
        return ia_err_set(err, IA_E_USAGE,
                          "the simulator is named twice: \"%s\" and --sim \"%s\"", operand,
                          option);
    }
    return ia_cli_sim_open_named(c, operand ? operand : option, ret, err);
}

enum ia_rc ia_cli_sim_device(struct ia_config *config, struct ia_err *err)
{
    const char *given = ia_config_str(config, IA_CFG_RUN_DEVICE);
    char folder[FOLDER_MAX];
    struct ia_buf whole = IA_BUF(strlen(given) + 2 * sizeof(folder));
    struct ia_buf name = IA_BUF(IA_DEVICE_NAME_MAX + whole.max);
    /* A run may go on elsewhere. */
    ia_device_name_absolute(given, getcwd(folder, sizeof(folder)), &whole);
    enum ia_rc rc = ia_sim_device_name(ia_buf_cstr(&whole), NULL, &name, err);
    if (rc == IA_OK && strcmp(ia_buf_cstr(&name), given) != 0) {
        rc = ia_config_set(config, IA_CFG_RUN_DEVICE, "--device", ia_buf_cstr(&name), err);
    }
    ia_buf_fini(&name);
    ia_buf_fini(&whole);
    return rc;
}

struct ia_spinner *ia_cli_sim_wait(const struct ia_cli_sim *s, const char *doing)
{
    struct ia_err ignored;
    struct ia_buf text = IA_BUF(512);
    struct ia_spinner *spinner =
        ia_term_is(STDERR_FILENO) ? ia_spinner_new(STDERR_FILENO, &ignored) : NULL;
    ia_buf_printf(&text, "%s ", doing);
    ia_cli_sim_put_name(&text, s);
    ia_spinner_show(spinner, ia_buf_cstr(&text));
    ia_buf_fini(&text);
    return spinner;
}

void ia_cli_sim_result(struct ia_cli *c, const struct ia_cli_sim *s, enum ia_sim_state state)
{
    ia_jsonw_object(&c->w);
    ia_jsonw_key(&c->w, "simulator");
    ia_jsonw_object(&c->w);
    ia_jsonw_kv(&c->w, "udid", s->udid);
    ia_jsonw_kv(&c->w, "name", s->name);
    ia_jsonw_kv(&c->w, "runtime", s->runtime);
    ia_jsonw_kv(&c->w, "state", ia_sim_state_name(state));
    ia_jsonw_end_object(&c->w);
}

void ia_cli_sim_put_name(struct ia_buf *out, const struct ia_cli_sim *s)
{
    ia_clean(out, ia_str(s->name), IA_CLEAN_LINE);
    ia_buf_puts(out, ", ");
    ia_clean(out, ia_str(s->runtime), IA_CLEAN_LINE);
}
