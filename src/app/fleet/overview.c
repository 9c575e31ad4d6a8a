/* overview.c: the bucket of workers, the queues and the streams, read once. */
#include "app/fleet/overview.h"

#include "app/fleet/leader.h"
#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WORKERS_MAX = 4096,
    LANES_MAX = 16384, /* of all workers together: an answer of the API holds no more */
    QUEUES_MAX = 1024,
    GROW = 64,
    DRAIN_WAIT_US = 10000000,
    DRAIN_TURN_US = 200000,
};

/* ---- reading ----------------------------------------------------------------------------- */

/* Makes room for one more element. */
static void *room(void *all, size_t n, size_t size)
{
    return n % GROW == 0 ? ia_realloc(all, n + GROW, size) : all;
}

static void on_worker(void *ctx, const char *key, const char *value)
{
    struct ia_fleet_overview *o = ctx;
    struct ia_fleet_lane lanes[IA_FLEET_LANES_SHOWN];
    struct ia_fleet_member m = {.quiet_ms = -1};
    if (o->worker_count == WORKERS_MAX || !ia_fleet_worker_read(key, value, &m.worker)) {
        return;
    }
    m.lane_count = o->lane_count < LANES_MAX ? ia_fleet_lanes_read(value, lanes) : 0;
    o->lane_count += m.lane_count;
    m.lanes = ia_calloc(m.lane_count + 1, sizeof(*lanes));
    memcpy(m.lanes, lanes, m.lane_count * sizeof(*lanes));
    o->workers = room(o->workers, o->worker_count, sizeof(m));
    o->workers[o->worker_count++] = m;
}

static void on_queue(void *ctx, const char *name, uint64_t waiting, uint64_t in_hand)
{
    struct ia_fleet_overview *o = ctx;
    struct ia_fleet_queue q = {.waiting = waiting, .in_hand = in_hand};
    if (o->queue_count == QUEUES_MAX || strlen(name) >= sizeof(q.class_key) ||
        !ia_fleet_class_ok(name)) {
        return;
    }
    (void)snprintf(q.class_key, sizeof(q.class_key), "%s", name);
    o->queues = room(o->queues, o->queue_count, sizeof(q));
    o->queues[o->queue_count++] = q;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct ia_fleet_member *)a)->worker.name,
                  ((const struct ia_fleet_member *)b)->worker.name);
}

static int by_class(const void *a, const void *b)
{
    return strcmp(((const struct ia_fleet_queue *)a)->class_key,
                  ((const struct ia_fleet_queue *)b)->class_key);
}

/* Streams that do not exist yet are made by the first submitter. */
static enum ia_rc or_nothing(enum ia_rc rc)
{
    return rc == IA_E_NOT_FOUND ? IA_OK : rc;
}

enum ia_rc ia_fleet_look_at_workers(struct ia_bus *bus, struct ia_fleet_overview *ret,
                                    struct ia_err *err)
{
    *ret = (struct ia_fleet_overview){.workers = NULL};
    enum ia_rc rc = or_nothing(ia_bus_values(bus, IA_FLEET_WORKERS, on_worker, ret, err));
    if (ret->worker_count > 0) {
        qsort(ret->workers, ret->worker_count, sizeof(*ret->workers), by_name);
    }
    return rc;
}

enum ia_rc ia_fleet_look(struct ia_bus *bus, struct ia_fleet_overview *ret, struct ia_err *err)
{
    enum ia_rc rc = ia_fleet_look_at_workers(bus, ret, err);
    if (rc == IA_OK) {
        rc = or_nothing(ia_bus_count(bus, IA_FLEET_RUNS, &ret->runs, err));
    }
    if (rc == IA_OK) {
        rc = or_nothing(ia_bus_count(bus, IA_FLEET_PROPOSED, &ret->proposed, err));
    }
    if (rc == IA_OK) {
        rc = or_nothing(ia_bus_count(bus, IA_FLEET_VERDICTS, &ret->verdicts, err));
    }
    if (rc == IA_OK) {
        rc = or_nothing(ia_bus_consumers(bus, IA_FLEET_RUNS, on_queue, ret, err));
    }
    if (rc == IA_OK) {
        rc = ia_fleet_leader_read(bus, &ret->leader, &ret->led, err);
    }
    if (ret->queue_count > 0) {
        qsort(ret->queues, ret->queue_count, sizeof(*ret->queues), by_class);
    }
    return rc;
}

void ia_fleet_overview_fini(struct ia_fleet_overview *o)
{
    for (size_t i = 0; i < o->worker_count; i++) {
        free(o->workers[i].lanes);
    }
    free(o->workers);
    free(o->queues);
    *o = (struct ia_fleet_overview){.workers = NULL};
}

const struct ia_fleet_member *ia_fleet_member_of(const struct ia_fleet_overview *o,
                                                 const char *name)
{
    for (size_t i = 0; i < o->worker_count; i++) {
        if (strcmp(o->workers[i].worker.name, name) == 0) {
            return &o->workers[i];
        }
    }
    return NULL;
}

/* ---- as JSON ----------------------------------------------------------------------------- */

static void put_time(struct ia_jsonw *w, const char *key, int64_t ms)
{
    char iso[IA_ISO_SIZE];
    if (ms > 0) {
        ia_iso_format(ms, iso);
    }
    ia_jsonw_kv(w, key, ms > 0 ? iso : NULL);
}

static void put_lane(struct ia_jsonw *w, const struct ia_fleet_lane *lane)
{
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "device", lane->device);
    ia_jsonw_kv(w, "batch", lane->run[0] ? lane->batch : NULL);
    ia_jsonw_kv(w, "run", lane->run[0] ? lane->run : NULL);
    put_time(w, "since", lane->since_ms);
    ia_jsonw_end_object(w);
}

static void put_worker(struct ia_jsonw *w, const struct ia_fleet_member *m)
{
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "worker", m->worker.name);
    ia_jsonw_kv(w, "state", m->worker.state);
    ia_jsonw_kv(w, "labels", m->worker.class_key);
    ia_jsonw_kv_int(w, "devices", m->worker.lanes);
    ia_jsonw_kv_int(w, "busy", m->worker.busy);
    ia_jsonw_kv_int(w, "done", m->worker.done);
    ia_jsonw_kv(w, "version", m->worker.version);
    put_time(w, "since", m->worker.since_ms);
    ia_jsonw_key(w, "quiet_s");
    if (m->quiet_ms >= 0) {
        ia_jsonw_int(w, m->quiet_ms / 1000);
    } else {
        ia_jsonw_null(w);
    }
    ia_jsonw_key(w, "lanes");
    ia_jsonw_array(w);
    for (size_t i = 0; i < m->lane_count; i++) {
        put_lane(w, &m->lanes[i]);
    }
    ia_jsonw_end_array(w);
    ia_jsonw_end_object(w);
}

void ia_fleet_workers_json(const struct ia_fleet_overview *o, struct ia_jsonw *w)
{
    ia_jsonw_array(w);
    for (size_t i = 0; i < o->worker_count; i++) {
        put_worker(w, &o->workers[i]);
    }
    ia_jsonw_end_array(w);
}

void ia_fleet_queues_json(const struct ia_fleet_overview *o, struct ia_jsonw *w)
{
    ia_jsonw_kv_int(w, "runs_out", (int64_t)o->runs.messages);
    ia_jsonw_kv_int(w, "proposed", (int64_t)o->proposed.messages);
    ia_jsonw_kv_int(w, "verdicts", (int64_t)o->verdicts.messages);
    ia_jsonw_key(w, "queues");
    ia_jsonw_array(w);
    for (size_t i = 0; i < o->queue_count; i++) {
        ia_jsonw_object(w);
        ia_jsonw_kv(w, "labels", o->queues[i].class_key);
        ia_jsonw_kv_int(w, "waiting", (int64_t)o->queues[i].waiting);
        ia_jsonw_kv_int(w, "in_hand", (int64_t)o->queues[i].in_hand);
        ia_jsonw_end_object(w);
    }
    ia_jsonw_end_array(w);
}

void ia_fleet_leader_json(const struct ia_fleet_overview *o, struct ia_jsonw *w)
{
    ia_jsonw_key(w, "leader");
    if (!o->led) {
        ia_jsonw_null(w);
        return;
    }
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "machine", o->leader.name);
    ia_jsonw_kv(w, "version", o->leader.version);
    put_time(w, "since", o->leader.since_ms);
    ia_jsonw_end_object(w);
}

/* ---- draining ---------------------------------------------------------------------------- */

/* Looks once: *ret_there, and whether it drains. */
static enum ia_rc look_at_one(struct ia_bus *bus, const char *name, bool *ret_there,
                              bool *ret_drains, struct ia_err *err)
{
    struct ia_fleet_overview o;
    enum ia_rc rc = ia_fleet_look_at_workers(bus, &o, err);
    const struct ia_fleet_member *m = ia_fleet_member_of(&o, name);
    *ret_there = m != NULL;
    *ret_drains = m && strcmp(m->worker.state, "draining") == 0;
    ia_fleet_overview_fini(&o);
    return rc;
}

static enum ia_rc tell_until_it_drains(struct ia_bus *bus, const char *name,
                                       struct ia_cancel *cancel, struct ia_err *err)
{
    const struct ia_clock *clock = ia_clock_system();
    int64_t until = ia_mono_us(clock) + DRAIN_WAIT_US;
    char subject[IA_FLEET_SUBJECT_SIZE];
    bool there = true;
    bool drains = false;
    enum ia_rc rc = IA_OK;
    (void)snprintf(subject, sizeof(subject), "ia.drain.%.40s", name);
    while (rc == IA_OK && there && !drains) {
        if (ia_mono_us(clock) > until || (cancel && ia_cancel_fired(cancel))) {
            return ia_err_set(err, IA_E_TIMEOUT, "worker %s does not say that it drains", name);
        }
        ia_bus_tell(bus, subject, (struct ia_str){"", 0});
        (void)ia_clock_wait(clock, cancel, ia_mono_us(clock) + DRAIN_TURN_US);
        rc = look_at_one(bus, name, &there, &drains, err);
    }
    return rc;
}

enum ia_rc ia_fleet_drain(struct ia_bus *bus, const char *name, struct ia_cancel *cancel,
                          struct ia_err *err)
{
    bool there = false;
    bool drains = false;
    enum ia_rc rc = look_at_one(bus, name, &there, &drains, err);
    if (rc == IA_OK && (!ia_fleet_name_ok(name) || !there)) {
        rc = ia_err_set(err, IA_E_NOT_FOUND, "no worker %.60s is there", name);
        ia_err_hint(err, "ios-agent fleet workers lists them");
    }
    return rc == IA_OK && !drains ? tell_until_it_drains(bus, name, cancel, err) : rc;
}
