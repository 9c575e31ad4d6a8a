/* classes.c: the workers that a submitter knows, and the class that it chooses for a run. */
#include "app/fleet/submit_impl.h"
#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct look {
    struct ia_fleet_worker *workers;
    size_t n;
};

static void on_worker(void *ctx, const char *key, const char *value)
{
    struct look *l = ctx;
    if (l->n < IA_FLEET_WORKERS_MAX && ia_fleet_worker_read(key, value, &l->workers[l->n])) {
        l->n++;
    }
}

static bool serves(const struct ia_fleet_worker *w, const char *needs)
{
    return strcmp(w->state, "up") == 0 && ia_fleet_class_serves(w->class_key, needs);
}

enum ia_rc ia_fleet_capacity(struct ia_bus *bus, const char *needs, size_t *ret_lanes,
                             size_t *ret_workers, struct ia_err *err)
{
    struct look l = {.workers = ia_calloc(IA_FLEET_WORKERS_MAX, sizeof(*l.workers))};
    enum ia_rc rc = ia_bus_values(bus, IA_FLEET_WORKERS, on_worker, &l, err);
    *ret_lanes = *ret_workers = 0;
    for (size_t i = 0; i < l.n; i++) {
        if (serves(&l.workers[i], needs)) {
            *ret_lanes += (size_t)l.workers[i].lanes;
            ++*ret_workers;
        }
    }
    free(l.workers);
    return rc == IA_E_NOT_FOUND ? IA_OK : rc;
}

void ia_fleet_read_workers(struct ia_fleet_submit *s)
{
    struct look l = {.workers = s->workers};
    struct ia_err ignored;
    s->looked_us = ia_mono_us(ia_clock_system());
    if (ia_bus_values(s->opts.bus, IA_FLEET_WORKERS, on_worker, &l, &ignored) == IA_OK) {
        s->worker_count = l.n;
    }
}

static size_t out_of_class(const struct ia_fleet_submit *s, const char *class_key)
{
    size_t n = 0;
    for (size_t i = 0; i < s->opts.slots; i++) {
        n += s->slots[i].run_id[0] && strcmp(s->slots[i].class_key, class_key) == 0 ? 1 : 0;
    }
    return n;
}

size_t ia_fleet_lanes_of_class(const struct ia_fleet_submit *s, const char *class_key)
{
    size_t n = 0;
    for (size_t i = 0; i < s->worker_count; i++) {
        const struct ia_fleet_worker *w = &s->workers[i];
        n += serves(w, s->opts.needs) && strcmp(w->class_key, class_key) == 0 ? (size_t)w->lanes
                                                                              : 0;
    }
    return n;
}

bool ia_fleet_choose_class(const struct ia_fleet_submit *s, char ret[IA_FLEET_CLASS_SIZE])
{
    double least = 0;
    bool found = false;
    for (size_t i = 0; i < s->worker_count; i++) {
        const char *class_key = s->workers[i].class_key;
        size_t lanes = ia_fleet_lanes_of_class(s, class_key);
        double load = lanes > 0 ? (double)out_of_class(s, class_key) / (double)lanes : 0;
        if (lanes > 0 && (!found || load < least)) {
            found = true;
            least = load;
            (void)snprintf(ret, IA_FLEET_CLASS_SIZE, "%s", class_key);
        }
    }
    return found;
}
