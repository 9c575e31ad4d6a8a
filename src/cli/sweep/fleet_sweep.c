/* fleet_sweep.c: the fleet options of a sweep. The names of its lanes contain the labels that workers must have, from which
 * --resume reads them. */
#include "cli/sweep/fleet_sweep.h"

#include "app/fleet/connect.h"
#include "app/secret_source.h"
#include "store/queue.h"

#include <stdio.h>
#include <string.h>

#define LANE_PREFIX "fleet:"
enum { PICTURES_MS = 10000, LEAST_LANES = 4, LANES_A_DEVICE = 2 };

bool ia_sweep_fleet_wanted(const struct ia_cli *c)
{
    /* eval reads the phones' state, which is possible on this machine only. */
    return strcmp(c->command->name, "sweep") == 0 && ia_args_has(&c->args, "fleet");
}

static const char *first_lane(const struct ia_sweep *sweep)
{
    const char *const *lanes;
    return ia_sweep_lanes(sweep, &lanes) > 0 ? lanes[0] : "";
}

bool ia_sweep_fleet_was(const struct ia_sweep *sweep)
{
    return strncmp(first_lane(sweep), LANE_PREFIX, sizeof(LANE_PREFIX) - 1) == 0;
}

enum ia_rc ia_sweep_fleet_connect(struct ia_sweep_fleet *f, const struct ia_cli *c,
                                  const struct ia_setup *setup, struct ia_err *err)
{
    f->credentials = &c->credentials;
    return ia_fleet_connect(setup->config, ia_args_text(&c->args, "fleet"), NULL, &f->bus, err);
}

static void say(void *ctx, const char *text)
{
    (void)ctx;
    (void)fprintf(stderr, "ios-agent: %s\n", text);
}

static enum ia_rc check_goals(const struct ia_sweep_plan *p, struct ia_err *err)
{
    for (size_t i = 0; i < ia_goals_count(p->goals); i++) {
        const struct ia_goal *g = ia_goals_at(p->goals, i);
        if (p->chosen[i] && g->device) {
            enum ia_rc rc =
                ia_err_set(err, IA_E_USAGE, "%s:%u: goal \"%.100s\" names its device", g->file,
                           g->line, g->req.name);
            ia_err_hint(
                err, "a fleet's devices belong to its workers; choose workers with --labels");
            return rc;
        }
    }
    return IA_OK;
}

enum ia_rc ia_sweep_fleet_lanes(struct ia_sweep_fleet *f, struct ia_sweep_plan *p,
                                const struct ia_cli *c, struct ia_err *err)
{
    char name[IA_LANE_MAX];
    size_t lanes = 0;
    size_t workers = 0;
    const char *labels = ia_args_text(&c->args, "labels");
    enum ia_rc rc = IA_OK;
    if (ia_args_has(&c->args, "device") || ia_args_has(&c->args, "agent")) {
        return ia_err_set(err, IA_E_USAGE,
                          "--device and --agent name things of this machine; a fleet's "
                          "workers have their own");
    }
    rc = check_goals(p, err);
    rc = rc == IA_OK ? ia_fleet_class(labels ? labels : "", f->needs, err) : rc;
    rc = rc == IA_OK ? ia_fleet_capacity(f->bus, f->needs, &lanes, &workers, err) : rc;
    size_t n = (size_t)ia_args_int(&c->args, "jobs", 0);
    size_t usual = lanes * LANES_A_DEVICE;
    n = n > 0 ? n : usual < LEAST_LANES ? LEAST_LANES : usual;
    n = n < IA_SWEEP_LANES_MAX ? n : IA_SWEEP_LANES_MAX;
    for (size_t i = 0; i < n && rc == IA_OK; i++) {
        (void)snprintf(name, sizeof(name), LANE_PREFIX "%s:%zu", f->needs, i + 1);
        p->lanes[i] = ia_strdup(name);
        p->opts.lane_count++;
    }
    p->opts.lanes = (const char *const *)p->lanes;
    p->opts.fresh = true;
    return rc;
}

/* "fleet:CLASS:1" */
static void read_needs(struct ia_sweep_fleet *f, const char *lane)
{
    const char *class_key = strchr(lane, ':') ? strchr(lane, ':') + 1 : "";
    const char *end = strrchr(class_key, ':');
    (void)snprintf(f->needs, sizeof(f->needs), "%.*s",
                   end ? (int)(end - class_key) : (int)strlen(class_key), class_key);
}

enum ia_rc ia_sweep_fleet_open(struct ia_sweep_fleet *f, const struct ia_setup *setup,
                               const struct ia_sweep *sweep,
                               const struct ia_sweep_fleet_callbacks *callbacks,
                               struct ia_err *err)
{
    struct ia_fleet_submit_opts opts = {
        .bus = f->bus,
        .store = setup->store,
        .batch = ia_sweep_id(sweep),
        .pool = ia_sweep_pool(sweep),
        .needs = f->needs,
        .share = ia_config_str(setup->config, IA_CFG_FLEET_SHARE_SECRETS),
        .attempts = (int)ia_config_int(setup->config, IA_CFG_FLEET_ATTEMPTS),
        .lease_ms = ia_config_int(setup->config, IA_CFG_FLEET_LEASE_S) * 1000,
        .replicas = (int)ia_config_int(setup->config, IA_CFG_FLEET_REPLICAS),
        .event = callbacks->event,
        .budgeted = ia_sweep_budgeted(sweep),
        .lost = callbacks->lost,
        .say = say,
        .ctx = callbacks->ctx,
    };
    opts.slots = ia_sweep_lanes(sweep, &opts.lanes);
    opts.secrets = f->secrets = ia_secret_source_new(setup->store, f->credentials);
    read_needs(f, first_lane(sweep));
    /* Slots of a submitter that was killed are free. */
    enum ia_rc rc = ia_store_recover(setup->store, NULL, err);
    return rc == IA_OK ? ia_fleet_submit_open(&opts, &f->submit, err) : rc;
}

void ia_sweep_fleet_stop(struct ia_sweep_fleet *f)
{
    size_t out = 0;
    struct ia_err ignored;
    if (f->submit) {
        (void)ia_fleet_submit_withdraw(f->submit, &out, &ignored);
        if (!ia_fleet_submit_settle(f->submit, PICTURES_MS)) {
            say(NULL, "some pictures are still with their workers, which do not answer");
        }
    }
}

void ia_sweep_fleet_close(struct ia_sweep_fleet *f)
{
    ia_fleet_submit_close(f->submit);
    ia_secret_source_free(f->secrets);
    ia_bus_close(f->bus);
    *f = (struct ia_sweep_fleet){.bus = NULL};
}
