/* look.c: one look at a device: its elements with their frames in points and its picture by hash, or,
 * while somebody has the device, what its holder saw last.
 *
 *   nobody has it   lane ─► elements, picture, refs ─► lane back
 *   a run has it    its newest picture event, the newest screen of its journal: none is made extra
 *   a command       the picture of the look before
 *
 * Watching is no reading: what a command or an agent saw last stays what it was, no ref goes stale by
 * it, and the lane's generation stays. Pictures are kept in memory, the newest few, and are read by
 * GET /v1/blobs/SHA256 as those of runs are. */
#include "server/api/look.h"

#include "events/events.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_MAX = 4 << 20 };

static void name_look(struct ia_look *l)
{
    (void)snprintf(l->hash, sizeof(l->hash), "%.16s%016" PRIx64,
                   l->picture[0] ? l->picture : "0000000000000000", l->elements);
}

/* ---- nobody has it ----------------------------------------------------------------------- */

static void put_free(const struct ia_look_ctx *ctx, const struct ia_hub_lane *lane,
                     const struct ia_snapshot *s, struct ia_look *l)
{
    struct ia_jsonw w;
    ia_jsonw_init(&w, &l->json);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "hash", l->hash);
    ia_jsonw_kv(&w, "device", ctx->lane);
    ia_jsonw_kv_int(&w, "generation", (int64_t)lane->generation);
    ia_jsonw_kv(&w, "holder", NULL);
    ia_jsonw_kv(&w, "picture", l->picture);
    ia_jsonw_kv(&w, "screen", NULL); /* the snapshot says it */
    ia_jsonw_key(&w, "snapshot");
    ia_snapshot_json(s, ia_wall_ms(ia_clock_system()), ia_str(""), &w);
    ia_jsonw_key(&w, "lines");
    ia_snapshot_json_lines(s, &w);
    ia_jsonw_end_object(&w);
}

/* An instant device draws what its elements say, so what nobody touched looks as it did. */
static enum ia_rc picture(const struct ia_look_ctx *ctx, const struct ia_hub_lane *lane,
                          bool same_elements, struct ia_look *io, struct ia_err *err)
{
    struct ia_buf png = IA_BUF(IA_LOOK_BYTES_MAX);
    bool kept = ia_pictures_need(ctx->pictures, io->picture);
    if (kept && same_elements && io->untouched && io->instant) {
        return IA_OK;
    }
    io->pixels = kept ? io->pixels : 0;
    enum ia_rc rc =
        ia_session_screenshot_unless(lane->session, &ctx->deadline, &io->pixels, &png, err);
    if (rc == IA_OK && png.len > 0) {
        ia_sha256_hex(png.p, png.len, io->picture);
        ia_pictures_keep(ctx->pictures, io->picture, ia_buf_str(&png));
    }
    ia_buf_fini(&png);
    return rc;
}

static enum ia_rc look(const struct ia_look_ctx *ctx, const struct ia_hub_lane *lane,
                       struct ia_look *io, struct ia_err *err)
{
    struct ia_device_info info = {.kind = ""};
    struct ia_snapshot *s = NULL;
    uint64_t before = io->elements;
    enum ia_rc rc = ia_device_info(lane->device, &info, err);
    if (rc == IA_OK) {
        rc = ia_session_look(lane->session, &ctx->deadline, &s, err);
    }
    if (rc != IA_OK) {
        return rc;
    }
    io->elements = ia_session_look_id(s);
    rc = picture(ctx, lane, io->elements == before, io, err);
    if (rc == IA_OK) {
        char known[IA_FRAME_HASH_SIZE];
        memcpy(known, io->hash, sizeof(known));
        io->instant = info.instant && strcmp(info.kind, "embedded") == 0;
        io->held = io->run = false;
        name_look(io);
        if (strcmp(known, io->hash) != 0) {
            put_free(ctx, lane, s, io);
        }
    }
    ia_snapshot_free(s);
    return rc;
}

/* ---- somebody has it --------------------------------------------------------------------- */

struct holder {
    const char *lane;
    char run[IA_ID_SIZE];
    char command[IA_LANE_HOLDER_MAX];
};

static bool find_lease(void *ctx, const struct ia_lease_row *row)
{
    struct holder *h = ctx;
    if (strcmp(row->lane, h->lane) == 0 && row->owner_alive) {
        (void)snprintf(h->run, sizeof(h->run), "%s", row->run_id ? row->run_id : "");
        (void)snprintf(h->command, sizeof(h->command), "%s", row->owner_command);
        return false;
    }
    return true;
}

/* Its newest picture; io->picture stays "" where it has none. */
static enum ia_rc find_picture(struct ia_store *store, const char *run_id, struct ia_look *io,
                               struct ia_err *err)
{
    struct ia_buf json = IA_BUF(TEXT_MAX);
    struct ia_event e;
    enum ia_rc rc = ia_store_newest_event(store, run_id, IA_EVENT_PICTURE, &json, err);
    if (ia_event_read(&e, ia_buf_str(&json)) && e.type == IA_EVENT_PICTURE &&
        e.picture.image.n == IA_SHA256_HEX_SIZE - 1) {
        memcpy(io->picture, e.picture.image.p, e.picture.image.n);
    }
    ia_event_fini(&e);
    ia_buf_fini(&json);
    return rc;
}

/* The screen after its newest call, else the one that it began on. */
static enum ia_rc find_screen(struct ia_store *store, const char *run_id, struct ia_buf *ret,
                              struct ia_err *err)
{
    struct ia_buf json = IA_BUF(TEXT_MAX);
    struct ia_event e;
    enum ia_rc rc = ia_store_call_screen(store, run_id, ret, err);
    if (rc == IA_OK && ret->len == 0) {
        rc = ia_store_newest_event(store, run_id, IA_EVENT_RUN_LOOKED, &json, err);
        if (ia_event_read(&e, ia_buf_str(&json)) && e.type == IA_EVENT_RUN_LOOKED) {
            ia_buf_putstr(ret, e.run_looked.screen);
        }
        ia_event_fini(&e);
    }
    ia_buf_fini(&json);
    return rc;
}

static void put_held(const struct ia_look_ctx *ctx, const struct holder *h,
                     const struct ia_buf *screen, struct ia_look *l)
{
    struct ia_jsonw w;
    ia_jsonw_init(&w, &l->json);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "hash", l->hash);
    ia_jsonw_kv(&w, "device", ctx->lane);
    ia_jsonw_key(&w, "holder");
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "run", h->run[0] ? h->run : NULL);
    ia_jsonw_kv(&w, "command", h->command[0] ? h->command : NULL);
    ia_jsonw_end_object(&w);
    ia_jsonw_kv(&w, "picture", l->picture[0] ? l->picture : NULL);
    ia_jsonw_kv(&w, "screen", screen->len > 0 ? ia_buf_cstr(screen) : NULL);
    ia_jsonw_kv(&w, "snapshot", NULL);
    ia_jsonw_kv(&w, "generation", NULL);
    ia_jsonw_key(&w, "lines");
    ia_jsonw_object(&w);
    ia_jsonw_end_object(&w);
    ia_jsonw_end_object(&w);
}

static enum ia_rc look_at_holder(const struct ia_look_ctx *ctx,
                                 const struct ia_hub_holder *holder, struct ia_look *io,
                                 struct ia_err *err)
{
    struct holder h = {.lane = holder->lane};
    struct ia_buf screen = IA_BUF(TEXT_MAX);
    enum ia_rc rc = IA_OK;
    char known[IA_FRAME_HASH_SIZE];
    memcpy(known, io->hash, sizeof(known));
    (void)snprintf(h.command, sizeof(h.command), "%s", holder->who);
    if (holder->run) {
        rc = ia_store_leases(ctx->store, find_lease, &h, err);
    }
    if (rc == IA_OK && h.run[0]) {
        io->picture[0] = '\0';
        rc = find_picture(ctx->store, h.run, io, err);
    }
    if (rc == IA_OK && h.run[0]) {
        rc = find_screen(ctx->store, h.run, &screen, err);
    }
    if (rc == IA_OK) {
        io->held = true;
        io->run = holder->run;
        io->pixels = 0; /* the next look at the device makes its picture anew */
        io->elements = ia_hash(IA_HASH_SEED, h.run, strlen(h.run));
        io->elements = ia_hash(io->elements, h.command, strlen(h.command));
        io->elements = ia_hash(io->elements, screen.p, screen.len);
        name_look(io);
        if (strcmp(known, io->hash) != 0) {
            put_held(ctx, &h, &screen, io);
        }
    }
    ia_buf_fini(&screen);
    return rc;
}

enum ia_rc ia_look_take(const struct ia_look_ctx *ctx, struct ia_look *io, struct ia_err *err)
{
    struct ia_hub_lane *lane = NULL;
    struct ia_hub_holder holder;
    enum ia_rc rc = ia_hub_watch(ctx->hub, ctx->device, &ctx->deadline, &lane, &holder, err);
    if (rc == IA_E_BUSY) {
        return look_at_holder(ctx, &holder, io, err);
    }
    if (rc != IA_OK) {
        return rc;
    }
    rc = look(ctx, lane, io, err);
    if (rc == IA_E_DEVICE_LOST) {
        ia_hub_lose(lane);
    }
    ia_hub_leave(ctx->hub, lane);
    return rc;
}
