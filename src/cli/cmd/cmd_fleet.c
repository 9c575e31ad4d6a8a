/* fleet status, fleet workers, fleet drain: what the server of a fleet says of it. */
#include "app/fleet/connect.h"
#include "app/fleet/overview.h"
#include "app/setup.h"
#include "base/clock.h"
#include "base/format.h"
#include "cli/cmd/cmd.h"
#include "cli/view/table.h"

#include <string.h>

struct fleet {
    struct ia_setup setup;
    struct ia_bus *bus;
    struct ia_fleet_overview seen;
};

static enum ia_rc fleet_open(struct fleet *f, const struct ia_cli *c, struct ia_err *err)
{
    *f = (struct fleet){.bus = NULL};
    enum ia_rc rc = ia_setup_config(&f->setup, err);
    return rc == IA_OK ? ia_fleet_connect(f->setup.config, ia_args_text(&c->args, "fleet"),
                                          NULL, &f->bus, err)
                       : rc;
}

static void fleet_close(struct fleet *f)
{
    ia_fleet_overview_fini(&f->seen);
    ia_bus_close(f->bus);
    ia_setup_close(&f->setup);
}

/* ---- workers ------------------------------------------------------------------------------- */

static const struct ia_table_column columns[] = {
    {.head = "WORKER", .min = 10},   {.head = "STATE"},
    {.head = "LABELS", .min = 6},    {.head = "DEVICES", .right = true},
    {.head = "BUSY", .right = true}, {.head = "DONE", .right = true, .drop = 1},
    {.head = "VERSION", .drop = 2},
};

static void add_worker(struct ia_table *t, const struct ia_fleet_worker *row)
{
    ia_table_add(t, row->name);
    ia_table_add(t, row->state);
    ia_table_add(t, row->class_key);
    ia_table_addf(t, "%d", row->lanes);
    ia_table_addf(t, "%d", row->busy);
    ia_table_addf(t, "%lld", (long long)row->done);
    ia_table_add(t, row->version);
}

enum ia_rc ia_cmd_fleet_workers(struct ia_cli *c, struct ia_err *err)
{
    struct fleet f;
    enum ia_rc rc = fleet_open(&f, c, err);
    struct ia_table *t = ia_table_new(columns, IA_COUNTOF(columns));
    rc = rc == IA_OK ? ia_fleet_look_at_workers(f.bus, &f.seen, err) : rc;
    for (size_t i = 0; rc == IA_OK && i < f.seen.worker_count; i++) {
        add_worker(t, &f.seen.workers[i].worker);
    }
    ia_fleet_workers_json(&f.seen, &c->w);
    if (rc == IA_OK && f.seen.worker_count == 0) {
        ia_buf_puts(&c->text, "no worker is there; start one: ios-agent worker --fleet URL\n");
    } else if (rc == IA_OK) {
        ia_table_write(t, ia_cli_width(c), &c->text);
    }
    ia_table_free(t);
    fleet_close(&f);
    return rc;
}

/* ---- status -------------------------------------------------------------------------------- */

struct sums {
    int draining, lanes, busy;
    uint64_t waiting;
};

static struct sums add_up(const struct ia_fleet_overview *o)
{
    struct sums s = {.lanes = 0};
    for (size_t i = 0; i < o->worker_count; i++) {
        const struct ia_fleet_worker *w = &o->workers[i].worker;
        s.draining += strcmp(w->state, "up") != 0 ? 1 : 0;
        s.lanes += w->lanes;
        s.busy += w->busy;
    }
    for (size_t i = 0; i < o->queue_count; i++) {
        s.waiting += o->queues[i].waiting;
    }
    return s;
}

static void put_status(struct ia_cli *c, const struct fleet *f)
{
    const struct sums s = add_up(&f->seen);
    ia_jsonw_object(&c->w);
    ia_jsonw_kv(&c->w, "server", ia_bus_shown_url(f->bus));
    ia_jsonw_kv_int(&c->w, "workers", (int64_t)f->seen.worker_count);
    ia_jsonw_kv_int(&c->w, "draining", s.draining);
    ia_jsonw_kv_int(&c->w, "devices", s.lanes);
    ia_jsonw_kv_int(&c->w, "busy", s.busy);
    ia_fleet_queues_json(&f->seen, &c->w);
    ia_fleet_leader_json(&f->seen, &c->w);
    ia_jsonw_end_object(&c->w);
    ia_buf_printf(&c->text,
                  "server:   %s\nworkers:  %zu (%d draining)\ndevices:  %d (%d busy)\n"
                  "runs out: %llu (%llu waiting)\nverdicts: %llu\n",
                  ia_bus_shown_url(f->bus), f->seen.worker_count, s.draining, s.lanes, s.busy,
                  (unsigned long long)f->seen.runs.messages, (unsigned long long)s.waiting,
                  (unsigned long long)f->seen.verdicts.messages);
    if (f->seen.led) {
        char since[IA_ISO_SIZE];
        ia_iso_format(f->seen.leader.since_ms, since);
        ia_buf_printf(&c->text, "leader:   %s, since %.19sZ (starts the schedules)\n",
                      f->seen.leader.name, since);
    } else {
        ia_buf_puts(&c->text, "leader:   none\n");
    }
}

enum ia_rc ia_cmd_fleet_status(struct ia_cli *c, struct ia_err *err)
{
    struct fleet f;
    enum ia_rc rc = fleet_open(&f, c, err);
    rc = rc == IA_OK ? ia_fleet_look(f.bus, &f.seen, err) : rc;
    if (rc == IA_OK) {
        put_status(c, &f);
    }
    fleet_close(&f);
    return rc;
}

/* ---- drain --------------------------------------------------------------------------------- */

enum ia_rc ia_cmd_fleet_drain(struct ia_cli *c, struct ia_err *err)
{
    struct fleet f;
    const char *name = c->args.operands[0];
    enum ia_rc rc = fleet_open(&f, c, err);
    rc = rc == IA_OK ? ia_fleet_drain(f.bus, name, NULL, err) : rc;
    if (rc == IA_OK) {
        ia_buf_printf(&c->text, "%s takes no new runs, and ends when those in hand are done\n",
                      name);
        ia_jsonw_object(&c->w);
        ia_jsonw_kv(&c->w, "draining", name);
        ia_jsonw_end_object(&c->w);
    }
    fleet_close(&f);
    return rc;
}
