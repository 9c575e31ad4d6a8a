/* fleet status, fleet workers, fleet drain: what the server of a fleet says of it. */
#include "app/fleet/connect.h"
#include "app/setup.h"
#include "base/clock.h"
#include "base/format.h"
#include "cli/cmd/cmd.h"
#include "cli/view/table.h"
#include "fleet/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS_MAX = 4096, DRAIN_WAIT_US = 10000000, DRAIN_TURN_US = 200000 };

struct fleet {
    struct ia_setup setup;
    struct ia_bus *bus;
    struct ia_fleet_worker *workers;
    size_t n;
};

static void on_worker(void *ctx, const char *key, const char *value)
{
    struct fleet *f = ctx;
    if (f->n < WORKERS_MAX && ia_fleet_worker_read(key, value, &f->workers[f->n])) {
        f->n++;
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct ia_fleet_worker *)a)->name,
                  ((const struct ia_fleet_worker *)b)->name);
}

static enum ia_rc look(struct fleet *f, struct ia_err *err)
{
    f->n = 0;
    enum ia_rc rc = ia_bus_values(f->bus, IA_FLEET_WORKERS, on_worker, f, err);
    qsort(f->workers, f->n, sizeof(*f->workers), by_name);
    return rc == IA_E_NOT_FOUND ? IA_OK : rc; /* nobody has used this server yet */
}

static enum ia_rc fleet_open(struct fleet *f, const struct ia_cli *c, struct ia_err *err)
{
    *f = (struct fleet){.workers = ia_calloc(WORKERS_MAX, sizeof(*f->workers))};
    enum ia_rc rc = ia_setup_config(&f->setup, err);
    if (rc == IA_OK) {
        rc = ia_fleet_connect(f->setup.config, ia_args_text(&c->args, "fleet"), NULL, &f->bus,
                              err);
    }
    return rc == IA_OK ? look(f, err) : rc;
}

static void fleet_close(struct fleet *f)
{
    ia_bus_close(f->bus);
    free(f->workers);
    ia_setup_close(&f->setup);
}

/* ---- workers ------------------------------------------------------------------------------- */

static const struct ia_table_column columns[] = {
    {.head = "WORKER", .min = 10},   {.head = "STATE"},
    {.head = "LABELS", .min = 6},    {.head = "DEVICES", .right = true},
    {.head = "BUSY", .right = true}, {.head = "DONE", .right = true, .drop = 1},
    {.head = "VERSION", .drop = 2},
};

static void put_worker(struct ia_jsonw *w, const struct ia_fleet_worker *row)
{
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "worker", row->name);
    ia_jsonw_kv(w, "state", row->state);
    ia_jsonw_kv(w, "labels", row->class_key);
    ia_jsonw_kv_int(w, "devices", row->lanes);
    ia_jsonw_kv_int(w, "busy", row->busy);
    ia_jsonw_kv_int(w, "done", row->done);
    ia_jsonw_kv(w, "version", row->version);
    ia_jsonw_end_object(w);
}

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
    ia_jsonw_array(&c->w);
    for (size_t i = 0; rc == IA_OK && i < f.n; i++) {
        add_worker(t, &f.workers[i]);
        put_worker(&c->w, &f.workers[i]);
    }
    ia_jsonw_end_array(&c->w);
    if (rc == IA_OK && f.n == 0) {
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
    int workers, draining, lanes, busy;
    struct ia_bus_count runs, verdicts;
};

static enum ia_rc add_up(struct fleet *f, struct sums *s, struct ia_err *err)
{
    for (size_t i = 0; i < f->n; i++) {
        s->workers++;
        s->draining += strcmp(f->workers[i].state, "up") != 0 ? 1 : 0;
        s->lanes += f->workers[i].lanes;
        s->busy += f->workers[i].busy;
    }
    enum ia_rc rc = ia_bus_count(f->bus, IA_FLEET_RUNS, &s->runs, err);
    rc = rc == IA_OK ? ia_bus_count(f->bus, IA_FLEET_VERDICTS, &s->verdicts, err) : rc;
    return rc == IA_E_NOT_FOUND ? IA_OK : rc;
}

enum ia_rc ia_cmd_fleet_status(struct ia_cli *c, struct ia_err *err)
{
    struct fleet f;
    struct sums s = {.workers = 0};
    enum ia_rc rc = fleet_open(&f, c, err);
    rc = rc == IA_OK ? add_up(&f, &s, err) : rc;
    if (rc == IA_OK) {
        ia_jsonw_object(&c->w);
        ia_jsonw_kv(&c->w, "server", ia_bus_shown_url(f.bus));
        ia_jsonw_kv_int(&c->w, "workers", s.workers);
        ia_jsonw_kv_int(&c->w, "draining", s.draining);
        ia_jsonw_kv_int(&c->w, "devices", s.lanes);
        ia_jsonw_kv_int(&c->w, "busy", s.busy);
        ia_jsonw_kv_int(&c->w, "runs_out", (int64_t)s.runs.messages);
        ia_jsonw_kv_int(&c->w, "verdicts", (int64_t)s.verdicts.messages);
        ia_jsonw_end_object(&c->w);
        ia_buf_printf(&c->text,
                      "server:   %s\nworkers:  %d (%d draining)\ndevices:  %d (%d busy)\n"
                      "runs out: %llu\nverdicts: %llu\n",
                      ia_bus_shown_url(f.bus), s.workers, s.draining, s.lanes, s.busy,
                      (unsigned long long)s.runs.messages,
                      (unsigned long long)s.verdicts.messages);
    }
    fleet_close(&f);
    return rc;
}

/* ---- drain --------------------------------------------------------------------------------- */

/* True once it drains, or is gone. */
static bool drains(const struct fleet *f, const char *name)
{
    for (size_t i = 0; i < f->n; i++) {
        if (strcmp(f->workers[i].name, name) == 0) {
            return strcmp(f->workers[i].state, "draining") == 0;
        }
    }
    return true;
}

static bool is_there(const struct fleet *f, const char *name)
{
    for (size_t i = 0; i < f->n; i++) {
        if (strcmp(f->workers[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

enum ia_rc ia_cmd_fleet_drain(struct ia_cli *c, struct ia_err *err)
{
    struct fleet f;
    char subject[IA_FLEET_SUBJECT_SIZE];
    const char *name = c->args.operands[0];
    const struct ia_clock *clock = ia_clock_system();
    int64_t until = ia_mono_us(clock) + DRAIN_WAIT_US;
    enum ia_rc rc = fleet_open(&f, c, err);
    if (rc == IA_OK && (!ia_fleet_name_ok(name) || !is_there(&f, name))) {
        rc = ia_err_set(err, IA_E_NOT_FOUND, "no worker %.60s is there", name);
        ia_err_hint(err, "ios-agent fleet workers lists them");
    }
    (void)snprintf(subject, sizeof(subject), "ia.drain.%.40s", name);
    while (rc == IA_OK && !drains(&f, name)) {
        if (ia_mono_us(clock) > until) {
            rc = ia_err_set(err, IA_E_TIMEOUT, "worker %s does not say that it drains", name);
            break;
        }
        ia_bus_tell(f.bus, subject, (struct ia_str){"", 0});
        (void)ia_clock_wait(clock, NULL, ia_mono_us(clock) + DRAIN_TURN_US);
        rc = look(&f, err);
    }
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
