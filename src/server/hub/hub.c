/* hub.c: lanes, each with its device, its session and the commands that wait for it.
 *
 *   enter   wait for my turn ─► file lock ─► open, or go on with what is open ─► command
 *   watch   wait a moment     ─► file lock ─► the same ─► look; the generation stays
 *   leave   device at rest ─► file lock back ─► the next one's turn
 *
 * A lane stays until its place is needed for another one; its device may be closed in between. The mutex
 * of the hub guards the list and who has a lane; what hangs on a lane belongs to whoever has it. */
#include "server/hub/hub_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    LANES_MAX = 64,
    SLICE_MS = 50,
    OPEN_TRIES = 40,
    OPEN_AGAIN_US = 25000,
    LOOK_WAIT_US = 250000 /* for a look, in the queue of commands */
};

/* A command in the queue of a lane, on its own stack. */
struct ia_hub_waiter {
    struct ia_hub_waiter *next;
    bool turn;
    bool watches; /* it counts for nobody: one look, and only a moment in the queue */
};

struct ia_hub *ia_hub_new(const struct ia_hub_opts *opts)
{
    struct ia_hub *hub = ia_calloc(1, sizeof(*hub));
    hub->paths = opts->paths;
    hub->command = ia_strdup(opts->command);
    hub->commands = ia_commands_new(NULL);
    hub->is_secret = opts->is_secret;
    hub->ctx = opts->ctx;
    pthread_mutex_init(&hub->mutex, NULL);
    pthread_cond_init(&hub->turned, NULL);
    return hub;
}

const struct ia_paths *ia_hub_paths(const struct ia_hub *hub)
{
    return hub->paths;
}

struct ia_commands *ia_hub_commands(struct ia_hub *hub)
{
    return hub->commands;
}

bool ia_hub_is_secret(const struct ia_hub *hub, const char *text)
{
    return hub->is_secret && hub->is_secret(hub->ctx, text);
}

/* ---- turns ------------------------------------------------------------------------------- */

static struct ia_hub_slot *find_lane(const struct ia_hub *hub, const char *name)
{
    struct ia_hub_slot *l = hub->lanes;
    while (l && strcmp(l->name, name) != 0) {
        l = l->next;
    }
    return l;
}

static bool is_idle(const struct ia_hub_slot *l)
{
    return !l->taken && !l->waiting && !l->shared.keep_open;
}

static void free_lane(struct ia_hub_slot *l)
{
    if (l) {
        ia_slot_close(l);
        free(l);
    }
}

/* Takes the lane that nobody used for longest off the list: a daemon meets more devices in its life than
 * it has in use at once. What was shown on it is stale for the next command; the refs go on, by the
 * lane's file. NULL: each is in use. */
static struct ia_hub_slot *forget_one(struct ia_hub *hub)
{
    struct ia_hub_slot **oldest = NULL;
    for (struct ia_hub_slot **at = &hub->lanes; *at; at = &(*at)->next) {
        if (is_idle(*at) && (!oldest || (*at)->used_us <= (*oldest)->used_us)) {
            oldest = at;
        }
    }
    struct ia_hub_slot *l = oldest ? *oldest : NULL;
    if (l) {
        *oldest = l->next;
        hub->count--;
    }
    return l;
}

static struct ia_hub_slot *add_lane(struct ia_hub *hub, const char *name,
                                    struct ia_hub_slot **ret_forgotten)
{
    struct ia_hub_slot *l = find_lane(hub, name);
    *ret_forgotten = !l && hub->count >= LANES_MAX ? forget_one(hub) : NULL;
    if (!l && hub->count < LANES_MAX) {
        l = ia_calloc(1, sizeof(*l));
        (void)snprintf(l->name, sizeof(l->name), "%s", name);
        l->shared.name = l->name;
        l->hold.fd = -1;
        l->own.fd = -1;
        l->next = hub->lanes;
        hub->lanes = l;
        hub->count++;
    }
    return l;
}

/* Wakes at least every SLICE_MS, to see a cancel and the deadline. */
static void wait_slice(struct ia_hub *hub)
{
    int64_t ms = ia_wall_ms(ia_clock_system()) + SLICE_MS;
    struct timespec at = {.tv_sec = (time_t)(ms / 1000), .tv_nsec = ms % 1000 * 1000000};
    (void)pthread_cond_timedwait(&hub->turned, &hub->mutex, &at);
}

static enum ia_rc refuse_turn(const struct ia_hub_slot *l, struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_BUSY, "%s is busy: %d commands wait for it", l->name,
                               IA_HUB_WAITING_MAX);
    ia_err_hint(err, "wait for them, or use another device (--device)");
    return ia_device_not_sent(rc, err);
}

/* The time ran out in the queue: the same answer as where another process has the device. */
static enum ia_rc still_taken(const struct ia_hub *hub, const struct ia_hub_slot *l,
                              struct ia_err *err)
{
    char who[IA_LANE_HOLDER_MAX];
    ia_slot_describe(hub, l, who);
    enum ia_rc rc = ia_err_set(err, IA_E_BUSY, "%s is busy: held by %s", l->name, who);
    ia_err_hint(err, "wait for it, or use another device (--device)");
    return ia_device_not_sent(rc, err);
}

static int count_waiting(const struct ia_hub_slot *l)
{
    int n = 0;
    for (const struct ia_hub_waiter *w = l->waiting; w; w = w->next) {
        n += !w->watches;
    }
    return n;
}

/* With the mutex in hand, which it gives up while it waits. Whoever gives up leaves the queue at
 * once. */
static enum ia_rc wait_turn(struct ia_hub *hub, struct ia_hub_slot *l, bool watches,
                            const struct ia_deadline *deadline, struct ia_err *err)
{
    struct ia_hub_waiter self = {.watches = watches};
    struct ia_hub_waiter **at = &l->waiting;
    if (!l->taken) {
        l->taken = true;
        return IA_OK;
    }
    if (count_waiting(l) >= IA_HUB_WAITING_MAX) {
        return refuse_turn(l, err);
    }
    while (*at) {
        at = &(*at)->next;
    }
    *at = &self;
    enum ia_rc rc = IA_OK;
    while (!self.turn && rc == IA_OK) {
        wait_slice(hub);
        rc = self.turn ? IA_OK : ia_deadline_check(deadline, ia_clock_system(), err);
    }
    rc = rc == IA_E_TIMEOUT ? still_taken(hub, l, err) : rc;
    for (at = &l->waiting; rc != IA_OK && *at; at = &(*at)->next) {
        if (*at == &self) {
            *at = self.next;
            break;
        }
    }
    return rc;
}

static void pass_turn(struct ia_hub *hub, struct ia_hub_slot *l)
{
    pthread_mutex_lock(&hub->mutex);
    hub->busy--;
    l->used_us = ia_mono_us(ia_clock_system());
    l->told_generation = l->generation;
    l->told_ref = l->last_ref;
    l->changes += !l->watched;
    l->watched = false;
    hub->turns++;
    l->taken = l->waiting != NULL;
    if (l->waiting) {
        l->waiting->turn = true;
        l->waiting = l->waiting->next;
    }
    pthread_cond_broadcast(&hub->turned);
    pthread_mutex_unlock(&hub->mutex);
}

/* ret_holder: who has the lane, for one who only watches; NULL: for a command. */
static enum ia_rc take_turn(struct ia_hub *hub, const char *name, const char *actor,
                            const struct ia_deadline *deadline, struct ia_hub_slot **ret,
                            struct ia_hub_holder *ret_holder, struct ia_err *err)
{
    struct ia_hub_slot *forgotten = NULL;
    bool watches = ret_holder != NULL;
    pthread_mutex_lock(&hub->mutex);
    struct ia_hub_slot *l = add_lane(hub, name, &forgotten);
    enum ia_rc rc =
        l ? wait_turn(hub, l, watches, deadline, err)
          : ia_err_set(err, IA_E_LIMIT, "more than %d devices are in use", LANES_MAX);
    if (rc == IA_OK) {
        hub->busy++;
        l->watched = watches;
        l->commands += !watches;
        (void)snprintf(l->actor, sizeof(l->actor), "%s", actor);
    } else if (l && watches) {
        ia_slot_describe(hub, l, ret_holder->who);
    }
    pthread_mutex_unlock(&hub->mutex);
    free_lane(forgotten);
    *ret = l;
    return rc;
}

/* ---- a command --------------------------------------------------------------------------- */

/* A note never goes back, unless it is damaged. */
static void note_refs(struct ia_lane_hold *hold, uint32_t last)
{
    if (hold->refs < last || hold->refs >= IA_HUB_REFS_MAX) {
        hold->refs = last;
    }
}

static void release_lane(struct ia_hub_slot *l)
{
    if (l->shared.session) {
        l->last_ref = ia_session_last_ref(l->shared.session);
        note_refs(&l->hold, l->last_ref);
        note_refs(&l->own, l->last_ref);
    }
    if (l->shared.device && l->shared.device->ops->release) {
        struct ia_err ignored;
        if (ia_device_release(l->shared.device, &ignored) != IA_OK) {
            ia_slot_close(l);
        }
    }
    ia_lane_release(&l->own);
    ia_lane_release(&l->hold);
}

/* A hold in which nothing was done is nobody else's. */
static void forget_hold(struct ia_hub_slot *l)
{
    const struct ia_lane_hold *hold = l->own.fd >= 0 ? &l->own : &l->hold;
    if (!l->watched && hold->generation == l->generation + 1) {
        l->generation = hold->generation;
    }
}

/* A run opens its device before it takes the lane. Whoever has the lane meanwhile finds the device in
 * use, by nobody who could be named: it gives the lane back for a moment, so that the run can take it,
 * and then hears which one that is, or finds the device free. A stranger takes no lane. */
static enum ia_rc hold_and_open(const struct ia_hub *hub, struct ia_hub_slot *l,
                                struct ia_device_spec *spec, const struct ia_deadline *deadline,
                                struct ia_err *err)
{
    struct ia_err local;
    err = err ? err : &local;
    for (int left = OPEN_TRIES;; left--) {
        enum ia_rc rc = ia_slot_hold(hub, l, l->name, deadline, &l->hold, err);
        if (rc == IA_OK) {
            rc = ia_slot_ready(hub, l, spec, deadline, err);
            if (rc == IA_OK) {
                return rc;
            }
            forget_hold(l);
        }
        bool held_here = l->hold.fd >= 0;
        release_lane(l);
        int64_t now = ia_mono_us(ia_clock_system());
        if (rc != IA_E_BUSY || err->foreign || !held_here || !spec->kind || left == 0 ||
            l->watched || now >= deadline->at_us) {
            return rc;
        }
        if (ia_clock_wait(ia_clock_system(), deadline->cancel, now + OPEN_AGAIN_US) ==
            IA_E_CANCELLED) {
            return rc;
        }
    }
}

/* As take_turn, with the device: of a command, or of one who only watches. `turn` is until when it waits for
 * its turn. */
static enum ia_rc take(struct ia_hub *hub, const char *device, const struct ia_device_env *env,
                       const char *actor, const struct ia_deadline *turn,
                       const struct ia_deadline *deadline, struct ia_hub_lane **ret,
                       struct ia_hub_holder *ret_holder, struct ia_err *err)
{
    struct ia_device_spec spec = {.kind = NULL};
    struct ia_hub_slot *l = NULL;
    struct ia_buf name = IA_BUF(IA_LANE_MAX + 1);
    enum ia_rc rc = ia_device_spec_find(device, hub->paths, &spec, err);
    if (rc == IA_OK) {
        ia_device_spec_lend(&spec, env);
        ia_device_spec_lane(&spec, &name);
        rc = take_turn(hub, ia_buf_cstr(&name), actor, turn, &l, ret_holder, err);
    }
    if (rc == IA_OK) {
        l->holder = (struct ia_hub_holder){.run = false};
        rc = hold_and_open(hub, l, &spec, deadline, err);
        if (ret_holder) {
            *ret_holder = l->holder;
        }
        if (rc != IA_OK) {
            pass_turn(hub, l);
        }
    }
    *ret = rc == IA_OK ? &l->shared : NULL;
    ia_buf_fini(&name);
    ia_device_spec_fini(&spec);
    return rc;
}

enum ia_rc ia_hub_enter(struct ia_hub *hub, const char *device, const struct ia_device_env *env,
                        const char *actor, const struct ia_deadline *deadline,
                        struct ia_hub_lane **ret, struct ia_err *err)
{
    return take(hub, device, env, actor, deadline, deadline, ret, NULL, err);
}

void ia_hub_leave(struct ia_hub *hub, struct ia_hub_lane *lane)
{
    if (lane) {
        struct ia_hub_slot *l = (struct ia_hub_slot *)lane;
        release_lane(l);
        pass_turn(hub, l);
    }
}

void ia_hub_lose(struct ia_hub_lane *lane)
{
    ia_slot_close((struct ia_hub_slot *)lane);
}

/* ---- watching ---------------------------------------------------------------------------- */

enum ia_rc ia_hub_lane_name(const struct ia_hub *hub, const char *device, struct ia_buf *ret,
                            struct ia_err *err)
{
    struct ia_device_spec spec = {.kind = NULL};
    enum ia_rc rc = ia_device_spec_find(device, hub->paths, &spec, err);
    if (rc == IA_OK) {
        ia_device_spec_lane(&spec, ret);
    }
    ia_device_spec_fini(&spec);
    return rc;
}

enum ia_rc ia_hub_watch(struct ia_hub *hub, const char *device,
                        const struct ia_deadline *deadline, struct ia_hub_lane **ret,
                        struct ia_hub_holder *ret_holder, struct ia_err *err)
{
    const struct ia_deadline soon = {deadline->cancel,
                                     ia_mono_us(ia_clock_system()) + LOOK_WAIT_US};
    *ret_holder = (struct ia_hub_holder){.run = false};
    return take(hub, device, NULL, "watch", &soon, deadline, ret, ret_holder, err);
}

uint64_t ia_hub_changes(struct ia_hub *hub, const char *lane)
{
    pthread_mutex_lock(&hub->mutex);
    const struct ia_hub_slot *l = find_lane(hub, lane);
    uint64_t changes = l ? l->changes : 0;
    pthread_mutex_unlock(&hub->mutex);
    return changes + ia_lane_generation(hub->paths->home, lane);
}

void ia_hub_changed(struct ia_hub *hub, const char *lane)
{
    pthread_mutex_lock(&hub->mutex);
    struct ia_hub_slot *l = find_lane(hub, lane);
    if (l) {
        l->changes++;
        hub->turns++;
        pthread_cond_broadcast(&hub->turned);
    }
    pthread_mutex_unlock(&hub->mutex);
}

void ia_hub_await(struct ia_hub *hub, uint64_t *turns, struct ia_cancel *cancel,
                  int64_t until_us)
{
    pthread_mutex_lock(&hub->mutex);
    while (hub->turns == *turns && !ia_cancel_fired(cancel) &&
           ia_mono_us(ia_clock_system()) < until_us) {
        wait_slice(hub);
    }
    *turns = hub->turns;
    pthread_mutex_unlock(&hub->mutex);
}

/* ---- all of them ------------------------------------------------------------------------- */

int ia_hub_busy(struct ia_hub *hub)
{
    pthread_mutex_lock(&hub->mutex);
    int busy = hub->busy;
    pthread_mutex_unlock(&hub->mutex);
    return busy;
}

int ia_hub_waiting(struct ia_hub *hub, const char *lane)
{
    pthread_mutex_lock(&hub->mutex);
    const struct ia_hub_slot *l = find_lane(hub, lane);
    int n = l ? count_waiting(l) : 0;
    pthread_mutex_unlock(&hub->mutex);
    return n;
}

/* Takes a lane whose device nobody used for that long, as a command would; NULL: there is none. */
static struct ia_hub_slot *take_unused(struct ia_hub *hub, int64_t idle_us)
{
    int64_t now = ia_mono_us(ia_clock_system());
    pthread_mutex_lock(&hub->mutex);
    struct ia_hub_slot *l = hub->lanes;
    while (l && (l->taken || !l->shared.device || l->shared.keep_open ||
                 now - l->used_us < idle_us)) {
        l = l->next;
    }
    if (l) {
        l->taken = true;
        hub->busy++;
        (void)snprintf(l->actor, sizeof(l->actor), "closing it");
    }
    pthread_mutex_unlock(&hub->mutex);
    return l;
}

/* Closing may take a while, as the end of a film does: nobody else waits for it meanwhile. */
int ia_hub_trim(struct ia_hub *hub, int64_t idle_us)
{
    int open = 0;
    for (struct ia_hub_slot *l; (l = take_unused(hub, idle_us)) != NULL;) {
        ia_slot_close(l);
        pass_turn(hub, l);
    }
    pthread_mutex_lock(&hub->mutex);
    for (const struct ia_hub_slot *l = hub->lanes; l; l = l->next) {
        open += l->taken || l->shared.device != NULL;
    }
    pthread_mutex_unlock(&hub->mutex);
    return open;
}

void ia_hub_lanes(struct ia_hub *hub, struct ia_jsonw *w)
{
    pthread_mutex_lock(&hub->mutex);
    ia_jsonw_array(w);
    for (const struct ia_hub_slot *l = hub->lanes; l; l = l->next) {
        ia_jsonw_object(w);
        ia_jsonw_kv(w, "lane", l->name);
        ia_jsonw_kv(w, "holder", l->taken && !l->watched ? l->actor : NULL);
        ia_jsonw_kv_int(w, "waiting", count_waiting(l));
        ia_jsonw_kv_int(w, "commands", l->commands);
        ia_jsonw_kv_int(w, "generation", (int64_t)l->told_generation);
        ia_jsonw_kv_int(w, "last_ref", l->told_ref);
        ia_jsonw_end_object(w);
    }
    ia_jsonw_end_array(w);
    pthread_mutex_unlock(&hub->mutex);
}

void ia_hub_free(struct ia_hub *hub)
{
    if (!hub) {
        return;
    }
    pthread_mutex_lock(&hub->mutex);
    while (hub->busy > 0) {
        wait_slice(hub);
    }
    pthread_mutex_unlock(&hub->mutex);
    while (hub->lanes) {
        struct ia_hub_slot *l = hub->lanes;
        hub->lanes = l->next;
        free_lane(l);
    }
    pthread_cond_destroy(&hub->turned);
    pthread_mutex_destroy(&hub->mutex);
    ia_commands_free(hub->commands);
    free(hub->command);
    free(hub);
}
