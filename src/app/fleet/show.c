/* show.c: writes this worker's row in the bucket, with the batch and run of each lane by the submitter's ids. The row
 * contains nothing of the goals. */
#include "app/fleet/work_impl.h"
#include "base/clock.h"
#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

enum {
    SHOW_US = 5000000,    /* between two writes, while nothing changes */
    CHANGED_US = 1000000, /* the same, while lanes change what they do */
    AGAIN_US = 500000,    /* after a write that failed: the first submitter makes the bucket */
    NAME_MAX_BYTES = 4096,
};

int ia_fleet_busy(struct ia_fleet_work *w)
{
    int n = 0;
    pthread_mutex_lock(&w->mutex);
    for (size_t i = 0; i < w->opts.lane_count; i++) {
        n += w->hands[i].taken ? 1 : 0;
    }
    n += (int)w->over_count;
    pthread_mutex_unlock(&w->mutex);
    return n;
}

/* The lane's name as others may see it: truncated, and without a password. */
static void name_lane(const char *lane, char ret[IA_FLEET_DEVICE_SIZE])
{
    struct ia_buf name = IA_BUF(NAME_MAX_BYTES);
    ia_bus_hide(lane, &name);
    size_t n = name.len < IA_FLEET_DEVICE_SIZE ? name.len : IA_FLEET_DEVICE_SIZE - 1;
    n = ia_utf8_cut(ia_buf_cstr(&name), n);
    memcpy(ret, ia_buf_cstr(&name), n);
    ret[n] = '\0';
    ia_buf_fini(&name);
}

/* Notes what the lanes do now. True if any of them changed since the last call. */
static bool note_lanes(struct ia_fleet_work *w, size_t n)
{
    int64_t now_ms = ia_wall_ms(ia_clock_system());
    bool changed = false;
    pthread_mutex_lock(&w->mutex);
    for (size_t i = 0; i < n; i++) {
        const struct ia_fleet_hand *h = &w->hands[i];
        struct ia_fleet_lane *lane = &w->shown[i];
        const char *run = h->taken ? h->order.run : "";
        if (lane->since_ms > 0 && strcmp(lane->run, run) == 0) {
            continue;
        }
        (void)snprintf(lane->run, sizeof(lane->run), "%s", run);
        (void)snprintf(lane->batch, sizeof(lane->batch), "%s", h->taken ? h->order.batch : "");
        lane->since_ms = now_ms;
        changed = true;
    }
    pthread_mutex_unlock(&w->mutex);
    return changed;
}

static bool write_row(struct ia_fleet_work *w, size_t n, bool draining)
{
    struct ia_buf text = IA_BUF(IA_FLEET_WORKER_MAX);
    struct ia_err ignored;
    struct ia_fleet_worker row = {.lanes = (int)w->opts.lane_count,
                                  .busy = ia_fleet_busy(w),
                                  .since_ms = w->since_ms,
                                  .done = atomic_load(&w->done),
                                  .now_ms = ia_wall_ms(ia_clock_system())};
    (void)snprintf(row.class_key, sizeof(row.class_key), "%s", w->opts.class_key);
    (void)snprintf(row.version, sizeof(row.version), "%s", IA_VERSION);
    (void)snprintf(row.state, sizeof(row.state), "%s", draining ? "draining" : "up");
    ia_fleet_worker_write(&row, w->shown, n, &text);
    if (!ia_buf_ok(&text)) { /* names with many control characters, which JSON escapes */
        ia_buf_reset(&text);
        ia_fleet_worker_write(&row, NULL, 0, &text);
    }
    enum ia_rc rc =
        ia_bus_set(w->opts.bus, IA_FLEET_WORKERS, w->opts.name, ia_buf_cstr(&text), &ignored);
    ia_buf_fini(&text);
    return rc == IA_OK;
}

void ia_fleet_show(struct ia_fleet_work *w)
{
    size_t n =
        w->opts.lane_count < IA_FLEET_LANES_SHOWN ? w->opts.lane_count : IA_FLEET_LANES_SHOWN;
    int64_t now = ia_mono_us(ia_clock_system());
    bool draining = atomic_load(&w->draining);
    for (size_t i = 0; i < n && !w->shown[i].device[0]; i++) {
        name_lane(w->opts.lanes[i], w->shown[i].device);
    }
    w->show_changed |= note_lanes(w, n);
    if (now >= w->show_us || draining != w->show_drained ||
        (w->show_changed && now >= w->show_changed_us)) {
        w->show_us = now + (write_row(w, n, draining) ? SHOW_US : AGAIN_US);
        w->show_changed_us = now + CHANGED_US;
        w->show_changed = false;
        w->show_drained = draining;
    }
}
