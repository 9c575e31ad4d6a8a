/* live_config.c: versions of the configuration, each freed when nobody has it and there is a newer one.
 *
 * Files are told apart by their times, sizes and numbers, which are read before the files: a change in
 * between is seen the next time. */
#include "app/live_config.h"

#include "base/log.h"
#include "base/platform.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* All zero: there is no file. */
struct stamp {
    int64_t changed_ns, bytes;
    uint64_t number, device;
};

struct version {
    struct ia_config *config;
    int users;
    struct version *older;
};

struct ia_live_config {
    const struct ia_setup *setup;
    pthread_mutex_t mutex; /* guards the rest */
    ia_live_config_fn *changed;
    void *ctx;
    struct stamp stamps[2];
    struct version *newest; /* none: the setup's own, which is never freed here */
};

static struct stamp stamp_of(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0) {
        return (struct stamp){0};
    }
    return (struct stamp){ia_platform_mtime_ns(&st), st.st_size, (uint64_t)st.st_ino,
                          (uint64_t)st.st_dev};
}

static bool same(const struct stamp *a, const struct stamp *b)
{
    return a->changed_ns == b->changed_ns && a->bytes == b->bytes && a->number == b->number &&
           a->device == b->device;
}

/* Whether a file is another one than it was the last time. */
static bool look(struct ia_live_config *live)
{
    const struct ia_paths *p = &live->setup->paths;
    const struct stamp now[2] = {stamp_of(p->user_config), stamp_of(p->project_config)};
    bool other = !same(&now[0], &live->stamps[0]) || !same(&now[1], &live->stamps[1]);
    live->stamps[0] = now[0];
    live->stamps[1] = now[1];
    return other;
}

void ia_setup_follow(struct ia_setup *s)
{
    struct ia_live_config *live = ia_calloc(1, sizeof(*live));
    live->setup = s;
    pthread_mutex_init(&live->mutex, NULL);
    s->live = live;
}

void ia_setup_hear(const struct ia_setup *s, ia_live_config_fn *fn, void *ctx)
{
    struct ia_live_config *live = s->live;
    pthread_mutex_lock(&live->mutex);
    live->changed = fn;
    live->ctx = ctx;
    fn(ctx, live->newest ? live->newest->config : s->config);
    pthread_mutex_unlock(&live->mutex);
}

static void free_version(struct version *v)
{
    ia_config_free(v->config);
    free(v);
}

void ia_setup_unfollow(struct ia_setup *s)
{
    struct ia_live_config *live = s->live;
    s->live = NULL;
    while (live && live->newest) {
        struct version *v = live->newest;
        live->newest = v->older;
        free_version(v);
    }
    if (live) {
        pthread_mutex_destroy(&live->mutex);
        free(live);
    }
}

/* Frees the versions below the newest that nobody has. */
static void sweep(struct ia_live_config *live)
{
    struct version **at = live->newest ? &live->newest->older : &live->newest;
    while (*at) {
        struct version *v = *at;
        if (v->users > 0) {
            at = &v->older;
        } else {
            *at = v->older;
            free_version(v);
        }
    }
}

static void load(struct ia_live_config *live)
{
    struct ia_config *config = NULL;
    struct ia_err err;
    if (ia_setup_load(&live->setup->paths, &config, &err) != IA_OK) {
        IA_LOG(IA_LOG_WARN, "configuration kept as it was", IA_S("why", err.msg));
        return;
    }
    struct version *v = ia_calloc(1, sizeof(*v));
    *v = (struct version){.config = config, .older = live->newest};
    live->newest = v;
    sweep(live);
    if (live->changed) {
        live->changed(live->ctx, config);
    }
}

const struct ia_config *ia_config_take(const struct ia_setup *s)
{
    struct ia_live_config *live = s->live;
    const struct ia_config *config = s->config;
    if (!live) {
        return config;
    }
    pthread_mutex_lock(&live->mutex);
    if (look(live)) {
        load(live);
    }
    if (live->newest) {
        live->newest->users++;
        config = live->newest->config;
    }
    pthread_mutex_unlock(&live->mutex);
    return config;
}

void ia_config_give_back(const struct ia_setup *s, const struct ia_config *config)
{
    struct ia_live_config *live = s->live;
    if (!live) {
        return;
    }
    pthread_mutex_lock(&live->mutex);
    for (struct version *v = live->newest; v; v = v->older) {
        v->users -= v->config == config;
    }
    sweep(live);
    pthread_mutex_unlock(&live->mutex);
}

bool ia_config_bool_now(const struct ia_setup *s, enum ia_config_key key)
{
    const struct ia_config *config = ia_config_take(s);
    bool on = ia_config_bool(config, key);
    ia_config_give_back(s, config);
    return on;
}
