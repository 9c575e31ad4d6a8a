/* leader.c: stands for leader, and claims due times. */
#include "app/fleet/leader.h"

#include "app/fleet/connect.h"
#include "app/live_config.h"
#include "base/cancel.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/killpoint.h"
#include "base/log.h"
#include "base/platform.h"

#include <ctype.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    CONNECT_AGAIN_MS = 2000,
    TURN_MIN_MS = 50, /* between two tries, when something was lost or is awaited */
    VALUE_MAX = 2048,
    HOST_MAX = 256,
    HOST_SHOWN = 24,
    /* A leader that does not start within so many TTLs what is due will not. */
    PATIENCE_TTLS = 6,
    WARN_AGAIN_S = 600,
    /* Claims expire: no machine starts older due times. */
    CLAIM_DAYS = IA_FLEET_FIRED_S / 86400 - 1,
};
static const int64_t DAY_MS = 86400000;

struct ia_leader {
    struct ia_leader_opts opts;
    struct ia_fleet_leader me; /* as it stays */
    struct ia_cancel *stop;
    int wake[2]; /* a byte: the leader has left */
    pthread_t thread;
    bool started;
    /* Of the thread. */
    struct ia_bus_watch *watch;
    int64_t ttl_us;
    uint64_t revision; /* of this machine's row; 0: it does not lead */
    int64_t since_ms;  /* since when it leads */
    struct ia_err problem;
    char other[IA_FLEET_NAME_SIZE], said_other[IA_FLEET_NAME_SIZE]; /* who leads instead */
    bool said_leads, said_waits;
    _Atomic(int64_t) heard_us; /* when the row was written last, as far as is known */

    pthread_mutex_t mutex; /* guards what follows */
    struct ia_bus *bus;    /* NULL until it is connected; stays */
    int64_t leads_until_us, answers_until_us;
    int64_t follows_us; /* since when `leader` leads; 0: nobody, or this machine */
    char leader[IA_FLEET_NAME_SIZE];
    bool left;
    int64_t warned_us;
};

static int64_t now_us(void)
{
    return ia_mono_us(ia_clock_system());
}

bool ia_leader_wanted(const struct ia_config *config)
{
    return ia_config_bool(config, IA_CFG_FLEET_SCHEDULES);
}

/* ---- who this machine is ------------------------------------------------------------------- */

/* The id is a hash of the machine and the data folder: it changes if the folder is copied to another machine, and not if the
 * machine is renamed. */
static void name_self(struct ia_leader *l)
{
    char machine[HOST_MAX] = "", host[HOST_MAX] = "mac", hash[IA_SHA256_HEX_SIZE];
    struct ia_buf who = IA_BUF(2 * HOST_MAX + 8192);
    size_t n = 0;
    ia_platform_machine(machine, sizeof(machine));
    if (gethostname(host, sizeof(host) - 1) != 0) {
        (void)snprintf(host, sizeof(host), "mac");
    }
    ia_buf_printf(&who, "%s\n%s", machine, l->opts.setup->paths.home);
    ia_sha256_hex(ia_buf_cstr(&who), who.len, hash);
    ia_buf_fini(&who);
    (void)snprintf(l->me.id, sizeof(l->me.id), "%.16s", hash);
    for (const char *p = host; *p && *p != '.' && n < HOST_SHOWN; p++) {
        l->me.name[n++] = isalnum((unsigned char)*p) ? *p : '-';
    }
    (void)snprintf(l->me.name + n, sizeof(l->me.name) - n, "-%.6s", hash);
    (void)snprintf(l->me.version, sizeof(l->me.version), "%s", IA_VERSION);
}

static void write_self(const struct ia_leader *l, int64_t since_ms, struct ia_buf *out)
{
    struct ia_fleet_leader row = l->me;
    row.since_ms = since_ms;
    ia_fleet_leader_write(&row, out);
}

/* ---- the connection ------------------------------------------------------------------------ */

static void heard(void *ctx, const char *subject, struct ia_str body)
{
    struct ia_leader *l = ctx;
    (void)subject;
    atomic_store(&l->heard_us, now_us());
    if (body.n == 0) {
        (void)!write(l->wake[1], "", 1);
    }
}

static enum ia_rc make(struct ia_bus *bus, const struct ia_config *config, int64_t *ret_ttl_ms,
                       struct ia_err *err)
{
    int64_t ttl_s = ia_config_int(config, IA_CFG_FLEET_LEASE_S) / 2;
    int replicas = (int)ia_config_int(config, IA_CFG_FLEET_REPLICAS);
    /* The stream is made before the bucket: if the bucket exists, everything does, and no permission to make it is needed. */
    enum ia_rc rc = ia_bus_bucket_ttl(bus, IA_FLEET_LEADER, ret_ttl_ms, err);
    if (rc == IA_E_NOT_FOUND) {
        rc = ia_fleet_make_schedules(bus, ttl_s > 0 ? ttl_s : 1, replicas, err);
        rc = rc == IA_OK ? ia_bus_bucket_ttl(bus, IA_FLEET_LEADER, ret_ttl_ms, err) : rc;
    }
    if (rc == IA_OK && *ret_ttl_ms < 1000) {
        rc = ia_err_set(err, IA_E_STATE, "the fleet's bucket %s forgets nothing, or too early",
                        IA_FLEET_LEADER);
    }
    return rc;
}

static enum ia_rc connect_up(struct ia_leader *l, struct ia_err *err)
{
    struct ia_bus *bus = NULL;
    int64_t ttl_ms = 0;
    const struct ia_config *config = ia_config_take(l->opts.setup);
    enum ia_rc rc = ia_fleet_connect(config, NULL, "schedules", &bus, err);
    rc = rc == IA_OK ? make(bus, config, &ttl_ms, err) : rc;
    ia_config_give_back(l->opts.setup, config);
    if (rc == IA_OK && !l->opts.tick) {
        rc = ia_bus_listen_value(bus, IA_FLEET_LEADER, IA_FLEET_LEADER_KEY, heard, l, &l->watch,
                                 err);
    }
    if (rc != IA_OK) {
        ia_bus_close(bus);
        return rc;
    }
    l->ttl_us = ttl_ms * 1000;
    atomic_store(&l->heard_us, now_us());
    pthread_mutex_lock(&l->mutex);
    l->bus = bus;
    pthread_mutex_unlock(&l->mutex);
    return IA_OK;
}

/* ---- leading ------------------------------------------------------------------------------- */

/* from_us: when the server was asked. Its answer is valid for two thirds of the TTL from then. */
static void answered(struct ia_leader *l, int64_t from_us, bool leads)
{
    pthread_mutex_lock(&l->mutex);
    l->answers_until_us = from_us + l->ttl_us * 2 / 3;
    l->leads_until_us = leads ? l->answers_until_us : 0;
    const char *other = leads ? "" : l->other;
    if (strcmp(l->leader, other) != 0) {
        l->follows_us = other[0] ? from_us : 0;
        (void)snprintf(l->leader, sizeof(l->leader), "%s", other);
    }
    pthread_mutex_unlock(&l->mutex);
}

static enum ia_rc take_row(struct ia_leader *l, uint64_t revision, struct ia_err *err)
{
    struct ia_buf value = IA_BUF(VALUE_MAX);
    int64_t from_us = now_us();
    if (l->since_ms == 0) {
        l->since_ms = ia_wall_ms(ia_clock_system());
    }
    write_self(l, l->since_ms, &value);
    enum ia_rc rc = ia_bus_swap(l->bus, IA_FLEET_LEADER, IA_FLEET_LEADER_KEY,
                                ia_buf_cstr(&value), revision, &l->revision, err);
    ia_buf_fini(&value);
    if (rc == IA_OK) {
        answered(l, from_us, true);
    } else if (rc == IA_E_STATE) { /* another machine was first, or a response was lost */
        l->revision = 0;
        answered(l, from_us, false);
    }
    return rc;
}

/* Takes the row if it is free, or if this machine has it from an earlier process. */
static enum ia_rc stand(struct ia_leader *l, struct ia_err *err)
{
    struct ia_buf value = IA_BUF(VALUE_MAX);
    struct ia_fleet_leader row;
    uint64_t revision = 0;
    int64_t from_us = now_us();
    enum ia_rc rc =
        ia_bus_get(l->bus, IA_FLEET_LEADER, IA_FLEET_LEADER_KEY, &value, &revision, err);
    bool free_row = ia_buf_ok(&value) && value.len == 0; /* what is too long is somebody's */
    bool known = rc == IA_OK && ia_fleet_leader_parse(ia_buf_str(&value), &row);
    bool ours = known && strcmp(row.id, l->me.id) == 0;
    ia_buf_fini(&value);
    if (rc != IA_OK) {
        return rc;
    }
    (void)snprintf(l->other, sizeof(l->other), "%s", known && !ours ? row.name : "");
    answered(l, from_us, false);
    return free_row || ours ? take_row(l, revision, err) : IA_OK;
}

static void say(struct ia_leader *l, const char *event, const char *before, const char *name,
                const char *after)
{
    char line[sizeof(l->problem.msg) + 64];
    IA_LOG(IA_LOG_WARN, event, IA_S("machine", name[0] ? name : after));
    (void)snprintf(line, sizeof(line), "%s%s%s", before, name, after);
    if (l->opts.say) {
        l->opts.say(l->opts.ctx, line);
    }
}

/* Reports each change once. */
static void tell(struct ia_leader *l, enum ia_rc rc)
{
    bool leads = ia_leader_leads(l);
    bool waits = rc != IA_OK && rc != IA_E_STATE && !leads;
    if (leads != l->said_leads) {
        say(l, leads ? "fleet.leads" : "fleet.leads_no_longer", "this machine (", l->me.name,
            leads ? ") starts the fleet's schedules"
                  : ") no longer starts the fleet's schedules");
    }
    if (waits && !l->said_waits) {
        say(l, "fleet.schedules_wait", "schedules wait: ", "", l->problem.msg);
    }
    if (rc == IA_OK && !leads && l->other[0] && strcmp(l->other, l->said_other) != 0) {
        say(l, "fleet.follows", "the fleet's schedules are started by ", l->other, "");
    }
    (void)snprintf(l->said_other, sizeof(l->said_other), "%s",
                   rc == IA_OK && !leads ? l->other : "");
    l->said_leads = leads;
    l->said_waits = waits;
}

/* One turn. Returns the time until the next one in µs. */
static int64_t turn(struct ia_leader *l)
{
    enum ia_rc rc = l->bus ? IA_OK : connect_up(l, &l->problem);
    if (rc != IA_OK) {
        tell(l, rc);
        return CONNECT_AGAIN_MS * 1000;
    }
    int64_t from_us = now_us(), third_us = l->ttl_us / 3, least_us = TURN_MIN_MS * 1000;
    rc = l->revision > 0 ? take_row(l, l->revision, &l->problem) : stand(l, &l->problem);
    if (!ia_leader_leads(l)) {
        l->since_ms = 0;
    }
    tell(l, rc);
    int64_t next_us = from_us + third_us;
    if (rc == IA_E_STATE) {
        next_us = from_us;
    } else if (rc != IA_OK) {
        next_us = from_us + third_us / 2;
    } else if (l->revision == 0 && atomic_load(&l->heard_us) + l->ttl_us < next_us) {
        next_us = atomic_load(&l->heard_us) + l->ttl_us; /* the row expires then */
    }
    next_us -= now_us();
    return next_us > least_us ? next_us : least_us;
}

/* Empties the row, so that another machine need not wait for the TTL. */
static void give_up(struct ia_leader *l)
{
    struct ia_err ignored;
    uint64_t revision;
    if (l->revision > 0 && ia_leader_leads(l)) {
        (void)ia_bus_swap(l->bus, IA_FLEET_LEADER, IA_FLEET_LEADER_KEY, "", l->revision,
                          &revision, &ignored);
        IA_LOG(IA_LOG_INFO, "fleet.left", IA_S("machine", l->me.name));
    }
    pthread_mutex_lock(&l->mutex);
    l->leads_until_us = 0;
    l->left = true;
    pthread_mutex_unlock(&l->mutex);
}

static void *run(void *ctx)
{
    struct ia_leader *l = ctx;
    char bytes[64];
    while (!ia_cancel_fired(l->stop)) {
        struct pollfd woken = {.fd = l->wake[0], .events = POLLIN};
        int64_t until_us = now_us() + turn(l);
        int ready = 0;
        if (ia_cancel_poll(l->stop, &woken, 1, until_us, &ready) == IA_OK && ready > 0) {
            (void)!read(l->wake[0], bytes, sizeof(bytes));
        }
    }
    give_up(l);
    return NULL;
}

/* ---- claiming ------------------------------------------------------------------------------ */

bool ia_leader_leads(struct ia_leader *l)
{
    pthread_mutex_lock(&l->mutex);
    bool leads = now_us() < l->leads_until_us;
    pthread_mutex_unlock(&l->mutex);
    return leads;
}

static enum ia_rc look(struct ia_leader *l, const char *subject, enum ia_fire_owner *ret,
                       struct ia_err *err)
{
    struct ia_buf text = IA_BUF(2 * VALUE_MAX);
    struct ia_fleet_leader row;
    bool found = false;
    enum ia_rc rc = ia_bus_last(l->bus, IA_FLEET_FIRED, subject, &text, &found, err);
    if (rc == IA_OK && found) {
        bool ours =
            ia_fleet_leader_parse(ia_buf_str(&text), &row) && strcmp(row.id, l->me.id) == 0;
        *ret = ours ? IA_FIRE_OURS : IA_FIRE_TAKEN;
    } else if (rc == IA_OK) {
        *ret = IA_FIRE_FREE;
    }
    ia_buf_fini(&text);
    return rc;
}

/* The message id names this machine's claim: if it is sent again after a lost response, it is a duplicate. */
static enum ia_rc publish_claim(struct ia_leader *l, const char *subject,
                                enum ia_fire_owner *ret, struct ia_err *err)
{
    char id[IA_FLEET_SUBJECT_SIZE + IA_FLEET_MACHINE_SIZE];
    struct ia_buf body = IA_BUF(VALUE_MAX);
    enum ia_bus_put put = IA_BUS_TAKEN;
    write_self(l, ia_wall_ms(ia_clock_system()), &body);
    (void)snprintf(id, sizeof(id), "%s %s", subject, l->me.id);
    IA_KILL_POINT("fleet.fire.claim");
    enum ia_rc rc = ia_bus_publish(l->bus, subject, ia_buf_str(&body), id, true, &put, err);
    ia_buf_fini(&body);
    if (rc != IA_OK) {
        return rc;
    }
    *ret = IA_FIRE_OURS;
    if (put == IA_BUS_TAKEN) {
        rc = look(l, subject, ret, err);
        *ret = *ret == IA_FIRE_OURS ? IA_FIRE_OURS : IA_FIRE_TAKEN;
    }
    return rc;
}

/* The leader has not this schedule, or has paused it: nobody else would notice. */
static void warn_of_undone(struct ia_leader *l, const char *schedule, int64_t due_ms)
{
    char leader[IA_FLEET_NAME_SIZE], line[512];
    int64_t now = now_us(), patience_us = PATIENCE_TTLS * l->ttl_us;
    bool late = ia_wall_ms(ia_clock_system()) - due_ms > patience_us / 1000;
    pthread_mutex_lock(&l->mutex);
    bool warn = late && l->follows_us > 0 && now - l->follows_us > patience_us &&
                (l->warned_us == 0 || now - l->warned_us > WARN_AGAIN_S * INT64_C(1000000));
    l->warned_us = warn ? now : l->warned_us;
    (void)snprintf(leader, sizeof(leader), "%s", l->leader);
    pthread_mutex_unlock(&l->mutex);
    if (warn) {
        IA_LOG(IA_LOG_WARN, "fleet.undone", IA_S("schedule", schedule), IA_S("leader", leader));
        (void)snprintf(
            line, sizeof(line),
            "schedule %.100s is due, but %s, which starts the fleet's schedules, does "
            "not start it: is it there, and not paused?",
            schedule, leader);
        if (l->opts.say) {
            l->opts.say(l->opts.ctx, line);
        }
    }
}

enum ia_rc ia_leader_claim(void *ctx, const char *schedule, int64_t due_ms, bool take,
                           enum ia_fire_owner *ret, struct ia_err *err)
{
    struct ia_leader *l = ctx;
    char subject[IA_FLEET_SUBJECT_SIZE];
    if (due_ms < ia_wall_ms(ia_clock_system()) - CLAIM_DAYS * DAY_MS) {
        *ret = IA_FIRE_TAKEN;
        return IA_OK;
    }
    pthread_mutex_lock(&l->mutex);
    bool answers = l->bus && (l->opts.tick || now_us() < l->answers_until_us);
    bool left = l->left;
    pthread_mutex_unlock(&l->mutex);
    if (left) {
        *ret = IA_FIRE_WAITS;
        return IA_OK;
    }
    if (!answers) {
        return ia_err_set(err, IA_E_IO,
                          "the fleet's server is not reached: schedules that are due wait");
    }
    ia_fleet_fired_subject(schedule, due_ms, subject);
    if (take && (l->opts.tick || ia_leader_leads(l))) {
        return publish_claim(l, subject, ret, err);
    }
    enum ia_rc rc = look(l, subject, ret, err);
    if (rc == IA_OK && *ret == IA_FIRE_FREE && !l->opts.tick && !ia_leader_leads(l)) {
        *ret = IA_FIRE_WAITS;
        warn_of_undone(l, schedule, due_ms);
    }
    return rc;
}

/* ---- life ---------------------------------------------------------------------------------- */

static enum ia_rc start(struct ia_leader *l, struct ia_err *err)
{
    enum ia_rc rc = ia_pipe(l->wake, err);
    if (rc == IA_OK) {
        (void)ia_fd_nonblocking(l->wake[0]);
        (void)ia_fd_nonblocking(l->wake[1]);
        l->started = pthread_create(&l->thread, NULL, run, l) == 0;
        rc = l->started ? IA_OK
                        : ia_err_set(err, IA_E_LIMIT, "no thread is left to start schedules");
    }
    return rc;
}

enum ia_rc ia_leader_open(const struct ia_leader_opts *opts, struct ia_leader **ret,
                          struct ia_err *err)
{
    struct ia_leader *l = ia_calloc(1, sizeof(*l));
    *l = (struct ia_leader){.opts = *opts, .wake = {-1, -1}};
    pthread_mutex_init(&l->mutex, NULL);
    name_self(l);
    l->stop = ia_cancel_new(err);
    enum ia_rc rc = l->stop ? IA_OK : err->code;
    if (rc == IA_OK) {
        rc = opts->tick ? connect_up(l, err) : start(l, err);
    }
    if (rc != IA_OK) {
        ia_leader_close(l);
        return rc;
    }
    *ret = l;
    return IA_OK;
}

void ia_leader_leave(struct ia_leader *l)
{
    if (l && l->started) {
        ia_cancel_fire(l->stop);
        pthread_join(l->thread, NULL);
        l->started = false;
    }
}

void ia_leader_close(struct ia_leader *l)
{
    if (!l) {
        return;
    }
    ia_leader_leave(l);
    ia_bus_unlisten(l->watch);
    ia_bus_close(l->bus);
    for (int i = 0; i < 2; i++) {
        if (l->wake[i] >= 0) {
            close(l->wake[i]);
        }
    }
    ia_cancel_free(l->stop);
    pthread_mutex_destroy(&l->mutex);
    free(l);
}

/* ---- who leads ----------------------------------------------------------------------------- */

enum ia_rc ia_fleet_leader_read(struct ia_bus *bus, struct ia_fleet_leader *ret,
                                bool *ret_found, struct ia_err *err)
{
    struct ia_buf value = IA_BUF(VALUE_MAX);
    uint64_t revision = 0;
    enum ia_rc rc =
        ia_bus_get(bus, IA_FLEET_LEADER, IA_FLEET_LEADER_KEY, &value, &revision, err);
    rc = rc == IA_E_NOT_FOUND ? IA_OK : rc;
    if (rc == IA_OK) {
        *ret_found = ia_fleet_leader_parse(ia_buf_str(&value), ret);
    }
    ia_buf_fini(&value);
    return rc;
}
