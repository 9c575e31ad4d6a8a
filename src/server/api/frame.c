/* frame.c: GET /v1/device/frame: the present screen, for who only watches: its elements with their
 * frames in points, and a picture by hash. A screen that is still as the caller has it costs no body.
 *
 *   lane ─► elements, picture ─► lane back ─► hash as `after`? ─► wait, again ─► … ─► 204
 *
 * Watching is no reading: what a command or an agent saw last stays what it was, so a ref that went
 * stale meanwhile is still refused. Pictures are kept in memory, the newest few, and are read by
 * GET /v1/blobs/SHA256 as those of runs are. */
#include "base/hash.h"
#include "server/api/handlers.h"
#include "server/api/pictures.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LOOK_US = 10 * 1000000, AGAIN_US = 100000, NAME_BYTES_MAX = 4096, HASH_SIZE = 33 };

struct frame {
    struct ia_snapshot *snapshot;
    struct ia_buf png;
    char device[IA_DEVICE_NAME_MAX];
    char picture[IA_SHA256_HEX_SIZE], hash[HASH_SIZE];
};

static void fini(struct frame *f)
{
    ia_snapshot_free(f->snapshot);
    ia_buf_fini(&f->png);
}

/* The picture alone would miss what is only read out, and the elements what is only drawn. */
static void name_frame(struct frame *f)
{
    ia_sha256_hex(f->png.p, f->png.len, f->picture);
    (void)snprintf(f->hash, sizeof(f->hash), "%.16s%016" PRIx64, f->picture,
                   ia_snapshot_content_hash(f->snapshot));
}

static enum ia_rc look(struct ia_api_call *call, const char *device, struct frame *f,
                       struct ia_err *err)
{
    const struct ia_deadline deadline = {ia_http_cancel(call->http),
                                         ia_mono_us(ia_clock_system()) + LOOK_US};
    struct ia_hub *hub = call->api->opts.hub;
    struct ia_hub_lane *lane = NULL;
    *f = (struct frame){.png = IA_BUF(IA_API_ANSWER_BYTES_MAX)};
    enum ia_rc rc = ia_hub_enter(hub, device, "watch", &deadline, &lane, err);
    if (rc != IA_OK) {
        return rc;
    }
    (void)snprintf(f->device, sizeof(f->device), "%s", lane->name);
    rc = ia_session_look(lane->session, &deadline, &f->snapshot, err);
    if (rc == IA_OK) {
        rc = ia_session_screenshot(lane->session, &deadline, &f->png, err);
    }
    if (rc == IA_E_DEVICE_LOST) {
        ia_hub_lose(lane);
    }
    ia_hub_leave(hub, lane);
    if (rc == IA_OK) {
        name_frame(f);
    }
    return rc;
}

static void put(struct ia_api_call *call, const struct frame *f)
{
    struct ia_jsonw *w = &call->w;
    struct ia_str none = {NULL, 0};
    ia_pictures_keep(call->api->pictures, f->picture, ia_buf_str(&f->png));
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "hash", f->hash);
    ia_jsonw_kv(w, "device", f->device);
    ia_jsonw_kv(w, "picture", f->picture);
    ia_jsonw_key(w, "snapshot");
    ia_snapshot_json(f->snapshot, ia_wall_ms(ia_clock_system()), none, w);
    ia_jsonw_end_object(w);
}

static enum ia_rc watch(struct ia_api_call *call, const char *device, struct ia_err *err)
{
    const struct ia_clock *clock = ia_clock_system();
    const char *after = ia_args_text(&call->query, "after");
    int64_t until_us = ia_mono_us(clock) + 1000 * ia_args_int(&call->query, "wait_ms", 0);
    for (;;) {
        struct frame f;
        enum ia_rc rc = look(call, device, &f, err);
        bool other = rc == IA_OK && (!after || strcmp(after, f.hash) != 0);
        if (other) {
            put(call, &f);
        }
        fini(&f);
        if (rc != IA_OK || other) {
            return rc;
        }
        int64_t again_us = ia_mono_us(clock) + AGAIN_US;
        if (again_us > until_us ||
            ia_clock_wait(clock, ia_http_cancel(call->http), again_us) != IA_OK) {
            call->reply->status = 204;
            call->answered = true;
            return IA_OK;
        }
    }
}

enum ia_rc ia_api_frame(struct ia_api_call *call, struct ia_err *err)
{
    const struct ia_verb_request request = {
        .args = &call->query,
        .cwd = ia_api_folder(call),
        .device = ia_http_header(call->http, "Ios-Agent-Device"),
        .session = ia_http_header(call->http, "Ios-Agent-Session")};
    struct ia_buf device = IA_BUF(NAME_BYTES_MAX);
    enum ia_rc rc = ia_verb_device(call->api->opts.hub, &request, &device, err);
    if (rc == IA_OK) {
        rc = watch(call, ia_buf_cstr(&device), err);
    }
    ia_buf_fini(&device);
    return rc;
}
