/* devices: what can be driven: Apple's simulators,
 * and the phones that this program simulates. */
#include "app/setup.h"
#include "base/clean.h"
#include "cli/cmd/cmd.h"
#include "cli/sys/sim.h"
#include "cli/view/table.h"
#include "driver/registry/device_registry.h"

#include <stdlib.h>
#include <string.h>

struct listing {
    struct ia_cli *c;
    struct ia_table *table;
    bool all;
    size_t shown, hidden;
};

/* ---- simulators -------------------------------------------------------------------------- */

static const struct ia_table_column columns[] = {
    {.head = "NAME", .min = 12}, {.head = "RUNTIME"}, {.head = "STATE"}, {.head = "UDID"}};

static void add_row(struct ia_table *t, const struct ia_sim *sim)
{
    ia_table_add(t, sim->name);
    ia_table_add(t, sim->runtime);
    ia_table_add(t, sim->available ? sim->state_text : "unavailable");
    ia_table_add(t, sim->udid);
}

static void put_sim_json(struct ia_jsonw *w, const struct ia_sim *sim)
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

/* Booted ones first: most commands mean those. */
static void put_sims(struct listing *l, const struct ia_sim_list *list, bool booted)
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
        add_row(l->table, sim);
        put_sim_json(&l->c->w, sim);
    }
}

static void put_list(struct listing *l, const struct ia_sim_list *list)
{
    l->table = ia_table_new(columns, IA_COUNTOF(columns));
    put_sims(l, list, true);
    put_sims(l, list, false);
    ia_table_write(l->table, ia_cli_width(l->c), &l->c->text);
    ia_table_free(l->table);
    if (l->shown == 0) {
        ia_buf_puts(&l->c->text, "no simulator\n");
    }
    if (l->hidden > 0) {
        ia_buf_printf(&l->c->text, "and %zu more that are unavailable or not iOS (--all)\n",
                      l->hidden);
    }
}

static void put_problem(struct ia_cli *c, enum ia_rc rc, const struct ia_err *err)
{
    ia_jsonw_key(&c->w, "problem");
    if (rc == IA_OK) {
        ia_jsonw_null(&c->w);
        return;
    }
    ia_buf_puts(&c->text, "no simulators: ");
    ia_clean(&c->text, ia_str(err->msg), IA_CLEAN_LINE);
    ia_buf_puts(&c->text, "\n  hint: ");
    ia_clean(&c->text, ia_str(err->hint), IA_CLEAN_LINE);
    ia_buf_putc(&c->text, '\n');
    ia_jsonw_object(&c->w);
    ia_jsonw_kv(&c->w, "code", ia_rc_name(rc));
    ia_jsonw_kv(&c->w, "message", err->msg);
    ia_jsonw_kv(&c->w, "hint", err->hint);
    ia_jsonw_end_object(&c->w);
}

static enum ia_rc put_simulators(struct ia_cli *c, struct ia_err *err)
{
    struct listing l = {.c = c, .all = ia_args_has(&c->args, "all")};
    const struct ia_sim_list *list = NULL;
    struct ia_cli_sim s;
    enum ia_rc rc = ia_cli_sim_begin(&s, err);
    if (rc == IA_OK) {
        rc = ia_simctl_list(s.ctl, &s.deadline, &list, err);
    }
    ia_jsonw_key(&c->w, "simulators");
    ia_jsonw_array(&c->w);
    if (rc == IA_OK) {
        put_list(&l, list);
    }
    ia_jsonw_end_array(&c->w);
    put_problem(c, rc, err);
    ia_cli_sim_close(&s);
    return rc;
}

/* ---- simulated phones -------------------------------------------------------------------- */

static void put_phone(void *ctx, const char *name)
{
    struct ia_cli *c = ctx;
    ia_clean(&c->text, ia_str(name), IA_CLEAN_LINE);
    ia_buf_putc(&c->text, '\n');
    ia_jsonw_string(&c->w, name);
}

static void put_phones(struct ia_cli *c, const struct ia_paths *paths)
{
    ia_jsonw_key(&c->w, IA_DEVICE_EMBEDDED);
    ia_jsonw_array(&c->w);
    ia_buf_puts(&c->text, "\nsimulated by this program (--device):\n");
    ia_device_list(paths, put_phone, c);
    ia_jsonw_end_array(&c->w);
}

/* A missing Xcode is a line of the list. Any other problem with simulators fails the command, after
 * the other devices are listed. */
enum ia_rc ia_cmd_devices(struct ia_cli *c, struct ia_err *err)
{
    struct ia_setup setup;
    struct ia_err sims_err = {.code = IA_OK};
    enum ia_rc rc = ia_setup_config(&setup, err);
    if (rc == IA_OK) {
        ia_jsonw_object(&c->w);
        enum ia_rc sims = put_simulators(c, &sims_err);
        put_phones(c, &setup.paths);
        ia_jsonw_end_object(&c->w);
        if (sims != IA_OK && sims != IA_E_MISSING) {
            *err = sims_err;
            rc = sims;
        }
    }
    ia_setup_close(&setup);
    return rc;
}
