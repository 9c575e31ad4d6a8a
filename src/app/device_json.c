/* device_json.c: Apple's simulators, iPhones that are plugged in, and the phones that this program
 * simulates. */
#include "app/device_json.h"

#include "base/clock.h"
#include "driver/registry/device_registry.h"

#include <string.h>

enum { IPHONES_US = 10 * 1000000 };

static void put_simulator(struct ia_jsonw *w, const struct ia_sim *sim)
{
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "udid", sim->udid);
    ia_jsonw_kv(w, "name", sim->name);
    ia_jsonw_kv(w, "runtime", sim->runtime);
    ia_jsonw_kv(w, "runtime_id", sim->runtime_id);
    ia_jsonw_kv(w, "platform", sim->platform);
    ia_jsonw_kv(w, "type", sim->type_id);
    ia_jsonw_kv(w, "state", sim->state_text);
    ia_jsonw_kv_bool(w, "available", sim->available);
    ia_jsonw_kv(w, "problem", sim->problem[0] != '\0' ? sim->problem : NULL);
    ia_jsonw_end_object(w);
}

static void put_simulators(struct ia_jsonw *w, const struct ia_sim_list *list, bool booted,
                           struct ia_device_listing *l)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct ia_sim *sim = &list->sims[i];
        bool usual = sim->available && strcmp(sim->platform, "iOS") == 0;
        if ((sim->state == IA_SIM_BOOTED) != booted) {
            continue;
        }
        if (!l->all && !usual) {
            l->hidden++;
            continue;
        }
        l->shown++;
        put_simulator(w, sim);
        if (l->simulator) {
            l->simulator(l->ctx, sim);
        }
    }
}

static void put_problem(struct ia_jsonw *w, const char *key, enum ia_rc rc,
                        const struct ia_err *err)
{
    ia_jsonw_key(w, key);
    if (rc == IA_OK) {
        ia_jsonw_null(w);
        return;
    }
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "code", ia_rc_name(rc));
    ia_jsonw_kv(w, "message", err->msg);
    ia_jsonw_kv(w, "hint", err->hint);
    ia_jsonw_end_object(w);
}

/* ---- iPhones ---------------------------------------------------------------------------- */

static void put_known(struct ia_jsonw *w, const char *key, const char *text)
{
    ia_jsonw_kv(w, key, text[0] != '\0' ? text : NULL);
}

static void put_flag(struct ia_jsonw *w, const char *key, enum ia_lockdown_flag t)
{
    ia_jsonw_key(w, key);
    if (t == IA_LOCKDOWN_UNKNOWN) {
        ia_jsonw_null(w);
    } else {
        ia_jsonw_bool(w, t == IA_LOCKDOWN_YES);
    }
}

static void put_iphone(struct ia_jsonw *w, const struct ia_usbmux_phone *phone,
                       const struct ia_lockdown *says)
{
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "udid", phone->udid);
    put_known(w, "name", says->name);
    put_known(w, "version", says->version);
    put_known(w, "type", says->type);
    ia_jsonw_kv(w, "connection", phone->network ? "wifi" : "usb");
    ia_jsonw_kv(w, "trust", ia_lockdown_trust_word(says->trust));
    put_flag(w, "developer_mode", says->developer_mode);
    ia_jsonw_end_object(w);
}

/* One that says nothing holds up the others' list for a few seconds at most. */
static void put_iphones(struct ia_jsonw *w, const struct ia_deadline *deadline,
                        const struct ia_device_listing *l)
{
    struct ia_usbmux_phones all = {.count = 0};
    struct ia_lockdown says;
    struct ia_err err = {.code = IA_OK}, ignored;
    int64_t until_us = ia_mono_us(ia_clock_system()) + IPHONES_US;
    struct ia_deadline limit = {deadline->cancel,
                                until_us < deadline->at_us ? until_us : deadline->at_us};
    ia_jsonw_key(w, "iphones");
    ia_jsonw_array(w);
    enum ia_rc rc = ia_usbmux_list(&limit, &all, &err);
    rc = rc == IA_E_MISSING ? IA_OK : rc;
    for (size_t i = 0; i < all.count; i++) {
        (void)ia_lockdown_recall(&all.phones[i], &limit, &says, &ignored);
        put_iphone(w, &all.phones[i], &says);
        if (l->iphone) {
            l->iphone(l->ctx, &all.phones[i], &says);
        }
    }
    ia_jsonw_end_array(w);
    put_problem(w, "iphones_problem", rc, &err);
    if (rc != IA_OK && l->iphones_problem) {
        l->iphones_problem(l->ctx, &err);
    }
}

/* ---- all of them ------------------------------------------------------------------------ */

struct phones {
    struct ia_jsonw *w;
    const struct ia_device_listing *l;
};

static void put_phone(void *ctx, const char *name)
{
    const struct phones *p = ctx;
    ia_jsonw_string(p->w, name);
    if (p->l->phone) {
        p->l->phone(p->l->ctx, name);
    }
}

enum ia_rc ia_devices_json(struct ia_jsonw *w, const struct ia_paths *paths,
                           const struct ia_deadline *deadline, struct ia_device_listing *l,
                           struct ia_err *err)
{
    const struct ia_sim_list *list = NULL;
    struct ia_simctl *ctl = ia_simctl_new();
    enum ia_rc rc = ia_simctl_list(ctl, deadline, &list, err);
    ia_jsonw_key(w, "simulators");
    ia_jsonw_array(w);
    /* Most commands mean those that are booted. */
    if (rc == IA_OK) {
        put_simulators(w, list, true, l);
        put_simulators(w, list, false, l);
    }
    ia_jsonw_end_array(w);
    put_problem(w, "problem", rc, err);
    put_iphones(w, deadline, l);
    ia_jsonw_key(w, "embedded");
    ia_jsonw_array(w);
    struct phones phones = {w, l};
    ia_device_list(paths, put_phone, &phones);
    ia_jsonw_end_array(w);
    ia_simctl_free(ctl);
    return rc;
}
