/* live.c: the ring, oldest out first, by count and by bytes. */
#include "server/api/live.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    struct ia_live_row row;
    char *bytes; /* run, lane and json of the row, each with a NUL */
    size_t size;
};

struct ia_live {
    const struct ia_clock *clock;
    pthread_mutex_t mutex;
    struct entry ring[IA_LIVE_KEPT];
    uint64_t begin, end; /* what is kept, counted from the first on */
    size_t bytes;
    int readers;
};

struct ia_live *ia_live_new(const struct ia_clock *clock)
{
    struct ia_live *l = ia_calloc(1, sizeof(*l));
    l->clock = clock ? clock : ia_clock_system();
    pthread_mutex_init(&l->mutex, NULL);
    return l;
}

static struct entry *at(struct ia_live *l, uint64_t n)
{
    return &l->ring[n % IA_LIVE_KEPT];
}

static void drop_oldest(struct ia_live *l)
{
    struct entry *e = at(l, l->begin++);
    l->bytes -= e->size;
    free(e->bytes);
    *e = (struct entry){.size = 0};
}

static void drop_all(struct ia_live *l)
{
    while (l->begin < l->end) {
        drop_oldest(l);
    }
}

void ia_live_free(struct ia_live *l)
{
    if (l) {
        drop_all(l);
        pthread_mutex_destroy(&l->mutex);
        free(l);
    }
}

static const char *copy(char **to, struct ia_str text)
{
    char *begin = *to;
    memcpy(begin, text.p, text.n);
    begin[text.n] = '\0';
    *to += text.n + 1;
    return begin;
}

static void add(struct ia_live *l, enum ia_event_type type, struct ia_str run,
                struct ia_str lane, struct ia_str json)
{
    size_t size = run.n + lane.n + json.n + 3;
    while (l->begin < l->end &&
           (l->end - l->begin == IA_LIVE_KEPT || l->bytes + size > IA_LIVE_BYTES_MAX)) {
        drop_oldest(l);
    }
    struct entry *e = at(l, l->end++);
    char *to = e->bytes = ia_alloc(size);
    e->size = size;
    e->row = (struct ia_live_row){
        .type = type, .at_ms = ia_wall_ms(l->clock), .at_us = ia_mono_us(l->clock)};
    e->row.run = copy(&to, run);
    e->row.lane = copy(&to, lane);
    e->row.json = (struct ia_str){copy(&to, json), json.n};
    l->bytes += size;
}

void ia_live_add(struct ia_live *l, enum ia_event_type type, const char *run, const char *lane,
                 struct ia_str json)
{
    pthread_mutex_lock(&l->mutex);
    if (l->readers > 0 && json.n <= IA_LIVE_ROW_BYTES_MAX) {
        add(l, type, ia_str(run), ia_str(lane), json);
    }
    pthread_mutex_unlock(&l->mutex);
}

void ia_live_command(void *ctx, const char *device, struct ia_str json)
{
    ia_live_add(ctx, IA_LIVE_COMMAND, "", device, json);
}

void ia_live_enter(struct ia_live *l, uint64_t *ret_after)
{
    pthread_mutex_lock(&l->mutex);
    l->readers++;
    *ret_after = l->end;
    pthread_mutex_unlock(&l->mutex);
}

void ia_live_leave(struct ia_live *l)
{
    pthread_mutex_lock(&l->mutex);
    if (--l->readers == 0) {
        drop_all(l);
    }
    pthread_mutex_unlock(&l->mutex);
}

void ia_live_read(struct ia_live *l, uint64_t *after, ia_live_fn *fn, void *ctx)
{
    pthread_mutex_lock(&l->mutex);
    *after = *after < l->begin ? l->begin : *after;
    while (*after < l->end && fn(ctx, &at(l, *after)->row)) {
        ++*after;
    }
    pthread_mutex_unlock(&l->mutex);
}
