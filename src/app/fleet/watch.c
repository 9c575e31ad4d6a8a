/* watch.c: the thread that reads the state of the fleet.
 *
 *   request ─► connect to the configured server, if not connected ─► read ─► answer all waiting requests
 *
 * libnats reconnects by itself but does not tell why it cannot. So if the connection is lost when a request comes, a new
 * one is opened, whose error says why. */
#include "app/fleet/watch.h"

#include "app/fleet/connect.h"
#include "app/fleet/overview.h"
#include "app/live_config.h"
#include "base/clock.h"
#include "base/log.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    FRESH_US = 1000000, /* an answer is good for so long */
    LATE_US = 8000000,  /* the server has not answered */
    IDLE_MS = 60000,
    ANSWER_MAX = 15 << 20,
    SETTINGS_MAX = 64 << 10,
};

/* When a worker's row changed last. */
struct word {
    char worker[IA_FLEET_NAME_SIZE];
    int64_t now_ms; /* as it wrote */
    int64_t heard_us;
};

struct ia_fleet_watch {
    const struct ia_setup *setup;

    /* Used by the thread only. */
    char *settings; /* that the connection was opened with */
    struct word *words;
    size_t word_count;

    pthread_mutex_t mutex; /* guards what follows */
    pthread_cond_t changed;
    pthread_t thread;
    bool started, asked, stop;
    struct ia_bus *bus; /* the thread opens and closes it */
    int users;          /* others that use it now */
    struct ia_err why;  /* there is no bus */
    struct ia_buf answer;
    uint64_t turn; /* answers so far */
    int64_t answered_us;
};

static int64_t now_us(void)
{
    return ia_mono_us(ia_clock_system());
}

/* Waits up to ms for a change; the mutex is held. False on timeout. */
static bool wait_for_change(struct ia_fleet_watch *w, int64_t ms)
{
    int64_t wall_ms = ia_wall_ms(ia_clock_system()) + ms;
    const struct timespec until = {.tv_sec = wall_ms / 1000,
                                   .tv_nsec = (wall_ms % 1000) * 1000000};
    return pthread_cond_timedwait(&w->changed, &w->mutex, &until) == 0;
}

/* ---- the connection ---------------------------------------------------------------------- */

static void close_bus(struct ia_fleet_watch *w)
{
    pthread_mutex_lock(&w->mutex);
    struct ia_bus *bus = w->bus;
    w->bus = NULL;
    while (w->users > 0) {
        (void)pthread_cond_wait(&w->changed, &w->mutex);
    }
    pthread_mutex_unlock(&w->mutex);
    ia_bus_close(bus);
}

/* The settings that the connection depends on, as one text. */
static char *settings_of(const struct ia_config *config)
{
    static const enum ia_config_key keys[] = {IA_CFG_FLEET_URL,  IA_CFG_FLEET_CREDS,
                                              IA_CFG_FLEET_NKEY, IA_CFG_FLEET_CA,
                                              IA_CFG_FLEET_CERT, IA_CFG_FLEET_CERT_KEY};
    struct ia_buf text = IA_BUF(SETTINGS_MAX);
    for (size_t i = 0; i < IA_COUNTOF(keys); i++) {
        ia_buf_printf(&text, "%s\n", ia_config_str(config, keys[i]));
    }
    return ia_buf_steal(&text);
}

static enum ia_rc connect_anew(struct ia_fleet_watch *w, const struct ia_config *config,
                               struct ia_err *err)
{
    struct ia_bus *bus = NULL;
    char *settings = settings_of(config);
    if (w->bus && strcmp(settings, w->settings) == 0 && ia_bus_connected(w->bus)) {
        ia_free_wiped(settings);
        return IA_OK;
    }
    close_bus(w);
    ia_free_wiped(w->settings);
    w->settings = settings;
    enum ia_rc rc = ia_fleet_connect(config, NULL, NULL, &bus, err);
    pthread_mutex_lock(&w->mutex);
    w->bus = bus;
    pthread_mutex_unlock(&w->mutex);
    return rc;
}

/* ---- looking ----------------------------------------------------------------------------- */

static int by_worker(const void *name, const void *word)
{
    return strcmp(name, ((const struct word *)word)->worker);
}

/* Sorted by the workers' names. */
static const struct word *word_of(const struct ia_fleet_watch *w, const char *worker)
{
    return w->words ? bsearch(worker, w->words, w->word_count, sizeof(*w->words), by_worker)
                    : NULL;
}

/* Other machines' clocks may be wrong, so a worker's silence is measured from the last change of its row. */
static void note_words(struct ia_fleet_watch *w, struct ia_fleet_overview *o)
{
    struct word *words = ia_calloc(o->worker_count + 1, sizeof(*words));
    int64_t now = now_us();
    for (size_t i = 0; i < o->worker_count; i++) {
        struct ia_fleet_member *m = &o->workers[i];
        const struct word *old = word_of(w, m->worker.name);
        bool same = old && old->now_ms == m->worker.now_ms;
        words[i].now_ms = m->worker.now_ms;
        words[i].heard_us = same ? old->heard_us : now;
        memcpy(words[i].worker, m->worker.name, sizeof(words[i].worker));
        m->quiet_ms = m->worker.now_ms > 0 ? (now - words[i].heard_us) / 1000 : -1;
    }
    free(w->words);
    w->words = words;
    w->word_count = o->worker_count;
}

/* url: "" if no fleet is configured. err: why it could not be read, or NULL. */
static void put_answer(const struct ia_fleet_overview *o, const char *url,
                       const struct ia_err *err, struct ia_jsonw *j)
{
    char iso[IA_ISO_SIZE];
    ia_iso_format(ia_wall_ms(ia_clock_system()), iso);
    ia_jsonw_object(j);
    ia_jsonw_kv_bool(j, "configured", url[0] != '\0');
    ia_jsonw_kv_bool(j, "connected", url[0] && !err);
    ia_jsonw_kv(j, "url", url);
    ia_jsonw_key(j, "error");
    if (err) {
        ia_jsonw_err(j, err);
    } else {
        ia_jsonw_null(j);
    }
    ia_jsonw_kv(j, "looked", iso);
    ia_jsonw_key(j, "workers");
    ia_fleet_workers_json(o, j);
    ia_fleet_queues_json(o, j);
    ia_fleet_leader_json(o, j);
    ia_jsonw_end_object(j);
}

/* The address without its password. */
static void show_url(const struct ia_setup *setup, struct ia_buf *out)
{
    const struct ia_config *config = ia_config_take(setup);
    ia_bus_hide(ia_config_str(config, IA_CFG_FLEET_URL), out);
    ia_config_give_back(setup, config);
}

static void look(struct ia_fleet_watch *w, struct ia_buf *answer, struct ia_err *err)
{
    struct ia_fleet_overview o = {.workers = NULL};
    struct ia_buf url = IA_BUF(SETTINGS_MAX);
    struct ia_jsonw j;
    const struct ia_config *config = ia_config_take(w->setup);
    enum ia_rc rc = connect_anew(w, config, err);
    ia_config_give_back(w->setup, config);
    if (rc == IA_OK) {
        rc = ia_fleet_look(w->bus, &o, err);
    }
    show_url(w->setup, &url);
    if (rc == IA_OK) {
        note_words(w, &o);
    } else {
        ia_fleet_overview_fini(&o);
    }
    if (rc == IA_E_TIMEOUT) { /* the request that timed out is of no interest */
        (void)ia_err_set(err, rc, "the fleet's server %s does not answer", ia_buf_cstr(&url));
    }
    ia_jsonw_init(&j, answer);
    put_answer(&o, ia_buf_cstr(&url), rc == IA_OK ? NULL : err, &j);
    ia_buf_fini(&url);
    ia_fleet_overview_fini(&o);
}

/* ---- the thread -------------------------------------------------------------------------- */

/* Waits for a request: true. Closes the connection after a time without one. The mutex is held. */
static bool wait_until_asked(struct ia_fleet_watch *w)
{
    while (!w->asked && !w->stop) {
        if (!wait_for_change(w, IDLE_MS) && !w->asked && !w->stop && w->bus) {
            pthread_mutex_unlock(&w->mutex);
            close_bus(w);
            pthread_mutex_lock(&w->mutex);
        }
    }
    return !w->stop;
}

static void *serve(void *ctx)
{
    struct ia_fleet_watch *w = ctx;
    pthread_mutex_lock(&w->mutex);
    while (wait_until_asked(w)) {
        struct ia_buf answer = IA_BUF(ANSWER_MAX);
        struct ia_err err = {.code = IA_OK};
        w->asked = false;
        pthread_mutex_unlock(&w->mutex);
        look(w, &answer, &err);
        pthread_mutex_lock(&w->mutex);
        ia_buf_fini(&w->answer);
        w->answer = answer;
        w->why = err;
        w->answered_us = now_us();
        w->turn++;
        pthread_cond_broadcast(&w->changed);
    }
    pthread_mutex_unlock(&w->mutex);
    close_bus(w);
    return NULL;
}

/* ---- requests ---------------------------------------------------------------------------- */

/* Has the state read, unless the last answer is still fresh, and waits for it. The mutex is held. */
static void refresh(struct ia_fleet_watch *w, int64_t wait_ms)
{
    int64_t until = now_us() + wait_ms * 1000;
    uint64_t turn = w->turn;
    if (turn > 0 && now_us() - w->answered_us < FRESH_US) {
        return;
    }
    if (!w->started && pthread_create(&w->thread, NULL, serve, w) != 0) {
        IA_LOG(IA_LOG_WARN, "fleet.watch", IA_S("why", "no thread is left"));
        return;
    }
    w->started = true;
    w->asked = true;
    pthread_cond_broadcast(&w->changed);
    while (w->turn == turn && now_us() < until) {
        (void)wait_for_change(w, (until - now_us()) / 1000 + 1);
    }
}

static bool configured(const struct ia_fleet_watch *w)
{
    const struct ia_config *config = ia_config_take(w->setup);
    bool is = ia_config_str(config, IA_CFG_FLEET_URL)[0] != '\0';
    ia_config_give_back(w->setup, config);
    return is;
}

/* The answer if the server did not respond in time. */
static void put_late(const struct ia_fleet_watch *w, struct ia_jsonw *out)
{
    const struct ia_fleet_overview none = {.workers = NULL};
    struct ia_buf url = IA_BUF(SETTINGS_MAX);
    struct ia_err err = {.code = IA_OK};
    show_url(w->setup, &url);
    (void)ia_err_set(&err, IA_E_TIMEOUT, "the fleet's server has not answered yet");
    ia_err_hint(&err, "ask again in a moment; fleet.url names the server");
    put_answer(&none, ia_buf_cstr(&url), &err, out);
    ia_buf_fini(&url);
}

void ia_fleet_watch_json(struct ia_fleet_watch *w, int64_t wait_ms, struct ia_jsonw *out)
{
    const struct ia_fleet_overview none = {.workers = NULL};
    if (!configured(w)) {
        put_answer(&none, "", NULL, out);
        return;
    }
    pthread_mutex_lock(&w->mutex);
    refresh(w, wait_ms);
    bool good = w->turn > 0 && ia_buf_ok(&w->answer) && now_us() - w->answered_us < LATE_US;
    if (good) {
        ia_jsonw_raw(out, ia_buf_str(&w->answer));
    }
    pthread_mutex_unlock(&w->mutex);
    if (!good) {
        put_late(w, out);
    }
}

enum ia_rc ia_fleet_watch_drain(struct ia_fleet_watch *w, const char *name,
                                struct ia_cancel *cancel, struct ia_err *err)
{
    enum { WAIT_MS = 3000 };
    if (!configured(w)) {
        enum ia_rc rc = ia_err_set(err, IA_E_STATE, "no fleet is configured");
        ia_err_hint(err, "fleet.url in the configuration names its server");
        return rc;
    }
    pthread_mutex_lock(&w->mutex);
    refresh(w, WAIT_MS);
    struct ia_bus *bus = w->bus;
    if (!bus) {
        const char *why = w->why.msg[0] ? w->why.msg : "it has not answered yet";
        enum ia_rc rc =
            ia_err_set(err, IA_E_IO, "the fleet's server cannot be reached: %s", why);
        pthread_mutex_unlock(&w->mutex);
        return rc;
    }
    w->users++;
    pthread_mutex_unlock(&w->mutex);
    enum ia_rc rc = ia_fleet_drain(bus, name, cancel, err);
    pthread_mutex_lock(&w->mutex);
    w->users--;
    w->answered_us -= FRESH_US; /* the state has changed */
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->mutex);
    return rc;
}

struct ia_fleet_watch *ia_fleet_watch_new(const struct ia_setup *setup)
{
    struct ia_fleet_watch *w = ia_calloc(1, sizeof(*w));
    w->setup = setup;
    w->answer = IA_BUF(ANSWER_MAX);
    pthread_mutex_init(&w->mutex, NULL);
    pthread_cond_init(&w->changed, NULL);
    return w;
}

void ia_fleet_watch_free(struct ia_fleet_watch *w)
{
    if (!w) {
        return;
    }
    pthread_mutex_lock(&w->mutex);
    w->stop = true;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->mutex);
    if (w->started) {
        (void)pthread_join(w->thread, NULL);
    }
    ia_free_wiped(w->settings);
    free(w->words);
    ia_buf_fini(&w->answer);
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->mutex);
    free(w);
}
