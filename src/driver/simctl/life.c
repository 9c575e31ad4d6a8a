/* life.c: boot, shutdown, erase, create, clone, delete.
 *
 *     Shutting Down ──settle──► Shutdown ──boot──► Booting ──bootstatus -b──► Booted
 *
 * Another process may boot or shut down the same simulator at any moment. So a verb that fails
 * because the state is the wanted one already is a success, and where the state is another one
 * than the list said, a fresh list decides. */
#include "base/clock.h"
#include "driver/simctl/impl.h"

#include <string.h>

enum {
    BOOTSTATUS_TRIES = 3,
    SETTLE_MS = 60000, /* how long a simulator may be on its way down */
    SETTLE_POLL_MS = 500
};

static struct ia_simctl_verb changing(const char *const *args, int64_t limit_ms)
{
    return (struct ia_simctl_verb){
        .args = args, .limit_ms = limit_ms, .repeatable = true, .changes_list = true};
}

/* The state by the list that is there, or a new one. */
static enum ia_rc known_state(struct ia_simctl *s, const struct ia_deadline *deadline,
                              const char *udid, enum ia_sim_state *ret, struct ia_err *err)
{
    const struct ia_sim *sim = s->list ? ia_sim_by_udid(s->list, udid) : NULL;
    if (sim) {
        *ret = sim->state;
        return IA_OK;
    }
    return ia_simctl_state(s, deadline, udid, ret, err);
}

/* Waits until it is no longer on its way down; what it is then into *state. */
static enum ia_rc settle(struct ia_simctl *s, const struct ia_deadline *deadline,
                         const char *udid, enum ia_sim_state *state, struct ia_err *err)
{
    const struct ia_clock *clock = ia_clock_system();
    int64_t until_us = ia_mono_us(clock) + SETTLE_MS * INT64_C(1000);
    enum ia_rc rc = IA_OK;
    while (rc == IA_OK && *state == IA_SIM_SHUTTING_DOWN && ia_mono_us(clock) < until_us) {
        rc = ia_clock_wait(clock, deadline->cancel, ia_mono_us(clock) + SETTLE_POLL_MS * 1000);
        if (rc != IA_OK) {
            return ia_err_set(err, rc, "waiting for the shutdown of %s was cancelled", udid);
        }
        rc = ia_simctl_state(s, deadline, udid, state, err);
    }
    return rc;
}

/* ---- boot -------------------------------------------------------------------------------- */

static enum ia_rc start(struct ia_simctl *s, const struct ia_deadline *deadline,
                        const char *udid, bool *ret_already, struct ia_err *err)
{
    const char *const args[] = {"boot", udid, NULL};
    struct ia_simctl_verb verb = changing(args, IA_SIMCTL_BOOT_MS);
    enum ia_simctl_cause cause;
    enum ia_rc rc = ia_simctl_do(s, deadline, &verb, NULL, &cause, err);
    *ret_already = rc != IA_OK && cause == IA_SIMCTL_ALREADY_BOOTED;
    return *ret_already ? IA_OK : rc;
}

/* bootstatus -b can complain that the simulator is booted while it waits for just that: then
 * the state decides, and what still boots is waited for again. */
static enum ia_rc wait_ready(struct ia_simctl *s, const struct ia_deadline *deadline,
                             const char *udid, struct ia_err *err)
{
    const char *const args[] = {"bootstatus", udid, "-b", NULL};
    struct ia_simctl_verb verb = changing(args, IA_SIMCTL_BOOT_MS);
    enum ia_sim_state state = IA_SIM_STATE_OTHER;
    enum ia_rc rc = IA_OK;
    for (int i = 0; i < BOOTSTATUS_TRIES; i++) {
        enum ia_simctl_cause cause;
        rc = ia_simctl_do(s, deadline, &verb, NULL, &cause, err);
        if (rc == IA_OK) {
            ia_simctl_set_state(s, udid, IA_SIM_BOOTED);
        }
        if (rc == IA_OK || cause != IA_SIMCTL_ALREADY_BOOTED) {
            return rc;
        }
        enum ia_rc state_rc = ia_simctl_state(s, deadline, udid, &state, err);
        if (state_rc != IA_OK || state == IA_SIM_BOOTED) {
            return state_rc;
        }
    }
    return ia_err_set(err, rc, "%s was reported as booted, but is %s", udid,
                      ia_sim_state_name(state));
}

enum ia_rc ia_simctl_boot(struct ia_simctl *s, const struct ia_deadline *deadline,
                          const char *udid, bool *ret_already, struct ia_err *err)
{
    enum ia_sim_state state = IA_SIM_STATE_OTHER;
    *ret_already = false;
    enum ia_rc rc = ia_simctl_check_udid(udid, err);
    if (rc == IA_OK) {
        rc = known_state(s, deadline, udid, &state, err);
    }
    if (rc == IA_OK) {
        rc = settle(s, deadline, udid, &state, err);
    }
    if (rc == IA_OK && state == IA_SIM_BOOTED) {
        *ret_already = true;
    } else if (rc == IA_OK && state != IA_SIM_BOOTING) {
        rc = start(s, deadline, udid, ret_already, err);
    }
    return rc == IA_OK ? wait_ready(s, deadline, udid, err) : rc;
}

/* ---- shutdown, erase --------------------------------------------------------------------- */

enum ia_rc ia_simctl_shutdown(struct ia_simctl *s, const struct ia_deadline *deadline,
                              const char *udid, bool *ret_already, struct ia_err *err)
{
    const char *const args[] = {"shutdown", udid, NULL};
    struct ia_simctl_verb verb = changing(args, IA_SIMCTL_SHUTDOWN_MS);
    enum ia_simctl_cause cause;
    *ret_already = false;
    enum ia_rc rc = ia_simctl_check_udid(udid, err);
    if (rc != IA_OK) {
        return rc;
    }
    rc = ia_simctl_do(s, deadline, &verb, NULL, &cause, err);
    *ret_already = rc != IA_OK && cause == IA_SIMCTL_ALREADY_SHUT_DOWN;
    if (rc == IA_OK) {
        ia_simctl_set_state(s, udid, IA_SIM_SHUTDOWN);
    }
    return *ret_already ? IA_OK : rc;
}

static enum ia_rc bring_down(struct ia_simctl *s, const struct ia_deadline *deadline,
                             const char *udid, enum ia_sim_state state, struct ia_err *err)
{
    bool already = false;
    enum ia_rc rc = settle(s, deadline, udid, &state, err);
    if (rc == IA_OK && state != IA_SIM_SHUTDOWN) {
        rc = ia_simctl_shutdown(s, deadline, udid, &already, err);
    }
    return rc;
}

static enum ia_rc erase(struct ia_simctl *s, const struct ia_deadline *deadline,
                        const char *udid, enum ia_simctl_cause *ret_cause, struct ia_err *err)
{
    const char *const args[] = {"erase", udid, NULL};
    struct ia_simctl_verb verb = changing(args, IA_SIMCTL_ERASE_MS);
    return ia_simctl_do(s, deadline, &verb, NULL, ret_cause, err);
}

enum ia_rc ia_simctl_erase(struct ia_simctl *s, const struct ia_deadline *deadline,
                           const char *udid, bool shut_down_first, struct ia_err *err)
{
    enum ia_sim_state state = IA_SIM_STATE_OTHER;
    enum ia_simctl_cause cause = IA_SIMCTL_OTHER;
    enum ia_rc rc = ia_simctl_check_udid(udid, err);
    if (rc == IA_OK && shut_down_first) {
        rc = known_state(s, deadline, udid, &state, err);
    }
    if (rc == IA_OK && shut_down_first) {
        rc = bring_down(s, deadline, udid, state, err);
    }
    if (rc == IA_OK) {
        rc = erase(s, deadline, udid, &cause, err);
    }
    if (!shut_down_first || rc == IA_OK || cause != IA_SIMCTL_NOT_SHUT_DOWN) {
        return rc;
    }
    /* The list was older than somebody else's boot, or it is still on its way down. */
    rc = ia_simctl_state(s, deadline, udid, &state, err);
    rc = rc == IA_OK ? bring_down(s, deadline, udid, state, err) : rc;
    return rc == IA_OK ? erase(s, deadline, udid, &cause, err) : rc;
}

/* ---- create, clone, delete --------------------------------------------------------------- */

/* A verb that prints the UDID of what it made. Made twice there are two. */
static enum ia_rc make(struct ia_simctl *s, const struct ia_deadline *deadline,
                       const char *const *args, char ret_udid[IA_SIM_UDID_SIZE],
                       struct ia_err *err)
{
    struct ia_simctl_verb verb = changing(args, IA_SIMCTL_MAKE_MS);
    struct ia_buf out = IA_BUF(4096);
    verb.repeatable = false;
    enum ia_rc rc = ia_simctl_do(s, deadline, &verb, &out, NULL, err);
    ia_simctl_forget(s);
    if (rc == IA_OK) {
        ia_buf_cut(&out, strcspn(ia_buf_cstr(&out), " \r\n"));
        const char *udid = ia_buf_cstr(&out);
        if (ia_sim_is_udid(udid)) {
            memcpy(ret_udid, udid, IA_SIM_UDID_SIZE);
        } else {
            rc =
                ia_err_set(err, IA_E_PARSE, "simctl %s printed no UDID: \"%s\"", args[0], udid);
            ia_err_hint(err, "it may have been created anyway: check with ios-agent devices");
        }
    }
    ia_buf_fini(&out);
    return rc;
}

enum ia_rc ia_simctl_create(struct ia_simctl *s, const struct ia_deadline *deadline,
                            const char *name, const char *type_id, const char *runtime_id,
                            char ret_udid[IA_SIM_UDID_SIZE], struct ia_err *err)
{
    const char *const args[] = {"create", name, type_id, runtime_id, NULL};
    enum ia_rc rc = ia_simctl_check_word("the name of a simulator", name, err);
    rc = rc == IA_OK ? ia_simctl_check_word("a device type", type_id, err) : rc;
    rc = rc == IA_OK ? ia_simctl_check_word("a runtime", runtime_id, err) : rc;
    return rc == IA_OK ? make(s, deadline, args, ret_udid, err) : rc;
}

enum ia_rc ia_simctl_clone(struct ia_simctl *s, const struct ia_deadline *deadline,
                           const char *udid, const char *name, char ret_udid[IA_SIM_UDID_SIZE],
                           struct ia_err *err)
{
    const char *const args[] = {"clone", udid, name, NULL};
    enum ia_rc rc = ia_simctl_check_udid(udid, err);
    rc = rc == IA_OK ? ia_simctl_check_word("the name of a simulator", name, err) : rc;
    return rc == IA_OK ? make(s, deadline, args, ret_udid, err) : rc;
}

enum ia_rc ia_simctl_delete(struct ia_simctl *s, const struct ia_deadline *deadline,
                            const char *udid, struct ia_err *err)
{
    const char *const args[] = {"delete", udid, NULL};
    struct ia_simctl_verb verb = changing(args, IA_SIMCTL_MAKE_MS);
    enum ia_rc rc = ia_simctl_check_udid(udid, err);
    rc = rc == IA_OK ? ia_simctl_do(s, deadline, &verb, NULL, NULL, err) : rc;
    ia_simctl_forget(s);
    return rc;
}
