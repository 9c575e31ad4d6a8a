/* frames.c: who takes the next look at a device, and when.
 *
 *   due? ─► one of those who watch: look (look.c) ─► all: is it another one than mine? ─► answer
 *    ▲                                                                │ no
 *    └──── a command or a step ended, or some time has passed ◄───────┘ until the time is over: 204
 *
 * The mutex guards the list and what stands in it, and is not held while somebody looks. */
#include "server/api/frames.h"

#include "server/api/look.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIGHTS_MAX = 16,
    GAP_US = 50000,       /* between two looks at an instant device, at least */
    ACTIVE_US = 100000,   /* while it changes */
    SLOW_GAP_US = 500000, /* at any other */
    IDLE_US = 1000000,    /* between two looks at a screen that has not changed for so long */
    HELD_US = 250000,     /* between two looks at what a run keeps */
    SLICE_US = 100000,    /* another process's commands are seen so late */
    LOOK_US = 10000000,
    PATIENCE_US = 1000000 /* a command that takes longer is named as the holder */
};

/* A device that somebody watches, or did. */
struct sight {
    struct sight *next;
    char lane[IA_LANE_MAX + 1];
    int watchers;
    bool looking;
    int64_t looked_us, changed_us; /* the last look began, and the last one with news */
    int64_t busy_us, tried_us; /* a command has had it since then (0: it has not), until then */
    uint64_t changes;          /* as of that look */
    struct ia_look last;
};

struct ia_frames {
    struct ia_frames_opts opts;
    pthread_mutex_t mutex;
    struct sight *sights; /* the last one that was asked for first */
};

struct ia_frames *ia_frames_new(const struct ia_frames_opts *opts)
{
    struct ia_frames *f = ia_calloc(1, sizeof(*f));
    f->opts = *opts;
    pthread_mutex_init(&f->mutex, NULL);
    return f;
}

static void sight_free(struct sight *s)
{
    ia_buf_fini(&s->last.json);
    free(s);
}

void ia_frames_free(struct ia_frames *f)
{
    while (f && f->sights) {
        struct sight *s = f->sights;
        f->sights = s->next;
        sight_free(s);
    }
    if (f) {
        pthread_mutex_destroy(&f->mutex);
        free(f);
    }
}

bool ia_frame_look(const char *hash, uint64_t *ret_look)
{
    size_t n = strspn(hash, "0123456789abcdef");
    *ret_look = 0;
    if (n == IA_FRAME_HASH_SIZE - 1 && hash[n] == '\0') {
        *ret_look = strtoull(hash + 16, NULL, 16);
    }
    return *ret_look != 0;
}

/* Those that nobody watched for longest go when there are many. */
static struct sight *enter(struct ia_frames *f, const char *lane)
{
    struct sight **at = &f->sights, **unused = NULL, *s = NULL;
    int count = 0;
    for (; *at && strcmp((*at)->lane, lane) != 0; at = &(*at)->next) {
        unused = (*at)->watchers == 0 ? at : unused;
        count++;
    }
    if (*at) {
        s = *at;
        *at = s->next;
    } else {
        if (count >= SIGHTS_MAX && unused) {
            s = *unused;
            *unused = s->next;
            sight_free(s);
        }
        s = ia_calloc(1, sizeof(*s));
        (void)snprintf(s->lane, sizeof(s->lane), "%s", lane);
    }
    s->next = f->sights;
    f->sights = s;
    s->watchers++;
    return s;
}

/* When the next look is due, unless somebody is at it. */
static int64_t due_us(const struct sight *s, bool changed, bool fresh)
{
    int64_t gap = s->last.held ? HELD_US : s->last.instant ? GAP_US : SLOW_GAP_US;
    if (s->looked_us == 0) {
        return 0;
    }
    if (s->busy_us) {
        return s->tried_us + SLICE_US;
    }
    if (!changed && !fresh && !s->last.held) {
        bool idle = s->looked_us - s->changed_us >= IDLE_US;
        gap = idle ? IDLE_US : s->last.instant ? ACTIVE_US : SLOW_GAP_US;
    }
    return s->looked_us + (changed && s->last.held ? 0 : gap);
}

/* A command is over in a moment: what was seen last counts as long. */
static bool worth_telling(struct sight *s, const struct ia_look *now)
{
    bool command = now->held && !now->run;
    s->busy_us = !command ? 0 : s->busy_us ? s->busy_us : s->looked_us;
    return !command || s->last.json.len == 0 || s->looked_us - s->busy_us >= PATIENCE_US;
}

/* With the mutex, which it gives up while it looks. */
static enum ia_rc look(struct ia_frames *f, struct sight *s, const struct ia_frame_want *want,
                       uint64_t changes, struct ia_err *err)
{
    struct ia_look now = s->last;
    now.json = IA_BUF(IA_LOOK_BYTES_MAX);
    now.untouched = s->changes == changes;
    s->looking = true;
    s->looked_us = ia_mono_us(ia_clock_system());
    pthread_mutex_unlock(&f->mutex);
    const struct ia_look_ctx ctx = {.hub = f->opts.hub,
                                    .store = f->opts.store,
                                    .pictures = f->opts.pictures,
                                    .device = want->device,
                                    .lane = s->lane,
                                    .deadline = {want->cancel, s->looked_us + LOOK_US}};
    enum ia_rc rc = ia_look_take(&ctx, &now, err);
    pthread_mutex_lock(&f->mutex);
    s->looking = false;
    s->tried_us = ia_mono_us(ia_clock_system());
    if (rc == IA_OK && worth_telling(s, &now)) {
        bool news = strcmp(now.hash, s->last.hash) != 0;
        ia_buf_fini(news ? &s->last.json : &now.json);
        now.json = news ? now.json : s->last.json;
        s->last = now;
        s->changes = changes;
        s->changed_us = news ? s->looked_us : s->changed_us;
    } else {
        ia_buf_fini(&now.json);
    }
    return rc;
}

/* Whether the last look answers: it is another one than the caller has, or as new as can be had. */
static bool answers(const struct sight *s, const struct ia_frame_want *want, bool fresh)
{
    bool known = want->after && strcmp(want->after, s->last.hash) == 0;
    return s->last.json.len > 0 && !known && (want->after || fresh);
}

/* The picture of the last look is there no more: whoever is told of it could not have it. */
static bool lost_picture(const struct ia_frames *f, const struct sight *s)
{
    return s->last.json.len > 0 && !s->last.held &&
           !ia_pictures_need(f->opts.pictures, s->last.picture);
}

static enum ia_rc watch(struct ia_frames *f, struct sight *s, const struct ia_frame_want *want,
                        struct ia_buf *ret_json, struct ia_err *err)
{
    uint64_t turns = 0;
    bool looked = false;
    for (;;) {
        uint64_t changes = ia_hub_changes(f->opts.hub, s->lane);
        int64_t now = ia_mono_us(ia_clock_system());
        bool changed = changes != s->changes && !s->busy_us;
        bool lost = !looked && lost_picture(f, s);
        int64_t due = lost ? 0 : due_us(s, changed, !want->after && !looked);
        bool over = want->after && now >= want->until_us && (looked || (now < due && !changed));
        if (now >= due && !s->looking && !over) {
            enum ia_rc rc = look(f, s, want, changes, err);
            if (rc != IA_OK) {
                return rc;
            }
            looked = true;
            continue;
        }
        if (answers(s, want, looked || (now < due && !changed))) {
            ia_buf_putstr(ret_json, ia_buf_str(&s->last.json));
            return IA_OK;
        }
        if (over || ia_cancel_fired(want->cancel)) {
            return IA_OK;
        }
        int64_t again = due > now && due < now + SLICE_US ? due : now + SLICE_US;
        bool last = now < want->until_us && want->until_us < again;
        pthread_mutex_unlock(&f->mutex);
        ia_hub_await(f->opts.hub, &turns, want->cancel, last ? want->until_us : again);
        pthread_mutex_lock(&f->mutex);
    }
}

enum ia_rc ia_frames_get(struct ia_frames *f, const struct ia_frame_want *want,
                         struct ia_buf *ret_json, struct ia_err *err)
{
    struct ia_buf lane = IA_BUF(IA_LANE_MAX + 1);
    enum ia_rc rc = ia_hub_lane_name(f->opts.hub, want->device, &lane, err);
    if (rc == IA_OK) {
        pthread_mutex_lock(&f->mutex);
        struct sight *s = enter(f, ia_buf_cstr(&lane));
        rc = watch(f, s, want, ret_json, err);
        s->watchers--;
        pthread_mutex_unlock(&f->mutex);
    }
    ia_buf_fini(&lane);
    return rc;
}
