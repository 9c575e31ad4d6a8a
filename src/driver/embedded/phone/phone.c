/* phone.c: a phone's life: made from a seed, apps launched and terminated, home, reset, freed. */
#include "driver/embedded/phone/phone.h"

#include "base/rand.h"
#include <stdlib.h>
#include <string.h>

int ia_app_count(void)
{
    int n = 0;
    while (ia_apps[n]) {
        n++;
    }
    return n;
}

int ia_app_find(const char *bundle_id)
{
    for (int i = 0; ia_apps[i]; i++) {
        if (strcmp(ia_apps[i]->bundle_id, bundle_id) == 0) {
            return i;
        }
    }
    return IA_NO_APP;
}

int32_t ia_phone_number(uint64_t seed, int n, int32_t max)
{
    uint64_t state = seed + (uint64_t)n * UINT64_C(0x2545F491);
    struct ia_rand r = ia_rand_seeded(&state);
    return (int32_t)(ia_rand_next(&r) % (uint64_t)max);
}

/* The one is never the other, nor so near an end that it could not be moved. */
static void vary_levels(struct ia_phone *p)
{
    if (p->seed != IA_PHONE_DEFAULT_SEED) {
        p->prefs.level[IA_LEVEL_BRIGHTNESS] = (uint8_t)(35 + ia_phone_number(p->seed, 1, 35));
        p->prefs.level[IA_LEVEL_VOLUME] = (uint8_t)(72 + ia_phone_number(p->seed, 2, 20));
    }
}

/* The state of a new phone; seed and serial number stay. */
static void fill(struct ia_phone *p)
{
    p->foreground = IA_NO_APP;
    p->locked = false;
    p->held = IA_PORTRAIT;
    p->bugs = p->installed;
    p->answered = 0;
    p->mute = p->shifted = false;
    p->system_alert = NULL;
    p->system_alert_arg = 0;
    ia_prefs_reset(&p->prefs);
    vary_levels(p);
    ia_system_init(&p->system);
    for (int i = 0; i < p->app_count; i++) {
        p->apps[i] = (struct ia_app_state){.focus = -1};
        p->apps[i].data = ia_apps[i]->create ? ia_apps[i]->create(p->seed) : NULL;
    }
}

struct ia_phone *ia_phone_new(uint64_t seed)
{
    size_t apps = (size_t)ia_app_count();
    struct ia_phone *p = ia_calloc(1, sizeof(*p) + apps * sizeof(p->apps[0]));
    p->seed = p->born = seed ? seed : IA_PHONE_DEFAULT_SEED;
    p->now_ms = IA_PHONE_EPOCH_MS;
    p->app_count = (uint8_t)apps;
    fill(p);
    return p;
}

static void forget_fields(struct ia_app_state *a)
{
    for (int i = 0; i < IA_FIELDS_MAX; i++) {
        free(a->fields[i]);
    }
}

static void forget_apps(struct ia_phone *p)
{
    for (int i = 0; i < p->app_count; i++) {
        forget_fields(&p->apps[i]);
        if (ia_apps[i]->destroy) {
            ia_apps[i]->destroy(p->apps[i].data);
        }
    }
}

void ia_phone_free(struct ia_phone *p)
{
    if (p) {
        forget_apps(p);
        ia_system_fini(&p->system);
        ia_phone_link_fini(&p->link);
        free(p->changes);
        free(p->answer);
        free(p);
    }
}

void ia_phone_reset(struct ia_phone *p, uint64_t seed)
{
    forget_apps(p);
    ia_system_fini(&p->system);
    ia_phone_link_forget_outgoing(&p->link);
    p->seed = seed ? seed : p->born;
    fill(p);
}

const struct ia_app *ia_phone_app(const struct ia_phone *p)
{
    return p->foreground == IA_NO_APP ? NULL : ia_apps[p->foreground];
}

const struct ia_app_state *ia_phone_front_const(const struct ia_phone *p)
{
    return p->foreground == IA_NO_APP ? NULL : &p->apps[p->foreground];
}

struct ia_app_state *ia_phone_front(struct ia_phone *p)
{
    return p->foreground == IA_NO_APP ? NULL : &p->apps[p->foreground];
}

enum ia_orientation ia_phone_orientation(const struct ia_phone *p)
{
    const struct ia_app *app = p->locked ? NULL : ia_phone_app(p);
    return app && app->rotates ? (enum ia_orientation)p->held : IA_PORTRAIT;
}

const struct ia_display *ia_phone_display(const struct ia_phone *p)
{
    return ia_phone_orientation(p) == IA_PORTRAIT ? &ia_display_upright : &ia_display_wide;
}

static int index_of(const struct ia_app *app)
{
    int i = 0;
    while (ia_apps[i] != app) {
        i++;
    }
    return i;
}

struct ia_app_state *ia_phone_state_of(struct ia_phone *p, const struct ia_app *app)
{
    return &p->apps[index_of(app)];
}

const struct ia_app_state *ia_phone_state_of_const(const struct ia_phone *p,
                                                   const struct ia_app *app)
{
    return &p->apps[index_of(app)];
}

/* A process that starts: first screen, nothing typed. */
static void start(struct ia_phone *p, int app)
{
    struct ia_app_state *a = &p->apps[app];
    a->running = true;
    a->depth = 1;
    a->nav[0] = (struct ia_nav_entry){.screen = ia_apps[app]->root};
    if (ia_apps[app]->started) {
        ia_apps[app]->started(p);
    }
}

void ia_phone_launch(struct ia_phone *p, int app)
{
    p->locked = false;
    p->foreground = app;
    if (!p->apps[app].running) {
        start(p, app);
    }
}

void ia_phone_terminate(struct ia_phone *p, int app)
{
    struct ia_app_state *a = &p->apps[app];
    /* What the app has stored stays; its screens and what was typed do not. */
    void *data = a->data;
    forget_fields(a);
    *a = (struct ia_app_state){.data = data, .focus = -1};
    if (p->foreground == app) {
        p->foreground = IA_NO_APP;
    }
}

void ia_phone_home(struct ia_phone *p)
{
    if (p->locked) {
        p->locked = false;
    } else {
        p->foreground = IA_NO_APP;
    }
}

void ia_phone_busy(struct ia_phone *p, int64_t ms)
{
    struct ia_app_state *a = ia_phone_front(p);
    a->busy_from_ms = p->now_ms;
    a->busy_until_ms = p->now_ms + ms;
}

int ia_phone_loaded(const struct ia_phone *p)
{
    const struct ia_app_state *a = p->locked ? NULL : ia_phone_front_const(p);
    if (!a || a->busy_until_ms <= p->now_ms) {
        return 100;
    }
    int64_t total_ms = a->busy_until_ms - a->busy_from_ms;
    return (int)((p->now_ms - a->busy_from_ms) * 100 / total_ms);
}

bool ia_phone_waits(const struct ia_phone *p)
{
    bool waits = ia_phone_loaded(p) < 100;
    for (int i = 0; !waits && i < p->app_count; i++) {
        waits = ia_apps[i]->waits && ia_apps[i]->waits(p);
    }
    return waits;
}

void ia_phone_pass(struct ia_phone *p)
{
    for (int i = 0; i < p->app_count; i++) {
        if (ia_apps[i]->passed) {
            ia_apps[i]->passed(p);
        }
    }
}

bool ia_phone_secure(const struct ia_phone *p)
{
    const struct ia_app_state *a = p->locked ? NULL : ia_phone_front_const(p);
    return a && a->focus >= 0 &&
           ia_phone_app(p)->fields[a->focus].keyboard == IA_KEYBOARD_SECURE;
}

bool ia_phone_bug(const struct ia_phone *p, enum ia_bug bug)
{
    return (p->bugs >> bug & 1) != 0;
}

int ia_phone_battery(const struct ia_phone *p)
{
    uint64_t state = p->seed;
    struct ia_rand r = ia_rand_seeded(&state);
    return IA_PHONE_BATTERY_MIN + (int)(ia_rand_next(&r) % (101 - IA_PHONE_BATTERY_MIN));
}
