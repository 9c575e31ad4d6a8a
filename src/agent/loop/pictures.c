/* pictures.c: screenshots that people look at later. They are a record only: without them the
 * run goes on, and their time counts as the device's. */
#include "agent/loop/pictures.h"

#include "agent/loop/commit.h"
#include "base/log.h"
#include "driver/image/image.h"
#include "store/blob.h"

#include <math.h>
#include <string.h>

enum { PNG_WIDTH_AT = 16, PNG_HEIGHT_AT = 20, PICTURE_MS_MAX = 5000, PATH_BYTES = 4096 };

/* A number of a PNG's IHDR (RFC 2083, section 4.1.1); no picture is larger than 16 bits. */
static int png_number(struct ia_str png, size_t at)
{
    uint32_t n = 0;
    for (size_t i = 0; png.n >= at + 4 && i < 4; i++) {
        n = n << 8 | (unsigned char)png.p[at + i];
    }
    return (int)(n & 0xffff);
}

enum ia_rc ia_picture_store(struct ia_run_ctx *run, struct ia_str png, struct ia_picture *ret,
                            struct ia_err *err)
{
    struct ia_picture p = {.step = -1,
                           .width_pt = png_number(png, PNG_WIDTH_AT),
                           .height_pt = png_number(png, PNG_HEIGHT_AT)};
    enum ia_rc rc = ia_blob_put(run->env->store, png.p, png.n, p.sha, err);
    if (rc == IA_OK) {
        *ret = p;
    }
    return rc;
}

enum ia_rc ia_picture_path(struct ia_run_ctx *run, const char *sha,
                           char ret[IA_PICTURE_PATH_MAX], struct ia_err *err)
{
    struct ia_buf path = IA_BUF(PATH_BYTES);
    enum ia_rc rc = ia_blob_path(run->env->store, sha, &path, err);
    if (rc == IA_OK) {
        const char *home = ia_store_home(run->env->store), *at = ia_buf_cstr(&path);
        size_t n = strlen(home);
        at += strncmp(at, home, n) == 0 && at[n] == '/' ? n + 1 : 0;
        (void)snprintf(ret, IA_PICTURE_PATH_MAX, "%s", at);
    }
    ia_buf_fini(&path);
    return rc;
}

enum ia_rc ia_picture_take(struct ia_run_ctx *run, int64_t ms, struct ia_picture *ret,
                           struct ia_err *err)
{
    struct ia_deadline deadline = {run->env->cancel, ia_mono_us(run->clock) + ms * 1000};
    struct ia_buf png = IA_BUF(IA_PNG_BYTES_MAX);
    enum ia_rc rc = run->req->pictures == IA_PICTURES_SHARP
                        ? ia_session_picture(run->device.session, &deadline, &png, err)
                        : ia_session_screenshot(run->device.session, &deadline, &png, err);
    if (rc == IA_OK) {
        rc = ia_picture_store(run, ia_buf_str(&png), ret, err);
    }
    /* What was touched is marked in points. */
    double scale = run->device.info.scale;
    if (rc == IA_OK && run->req->pictures == IA_PICTURES_SHARP && scale > 0) {
        ret->width_pt = (int)lrint(ret->width_pt / scale);
        ret->height_pt = (int)lrint(ret->height_pt / scale);
    }
    ia_buf_fini(&png);
    return rc;
}

void ia_picture_lost(struct ia_run_ctx *run, const struct ia_err *why)
{
    if (!run->pictures.lost && why->code != IA_E_CANCELLED) {
        run->pictures.lost = true;
        ia_run_ctx_notice(
            run, "a picture could not be kept, and others may be missing too: ", why->msg);
    }
}

/* The commit that records it may come after the model has thought for long: who watches sees it now. */
static void tell(struct ia_run_ctx *run, const struct ia_picture *p)
{
    const struct ia_event_picture_taken taken = {p->step, ia_str(p->sha), p->width_pt,
                                                 p->height_pt};
    ia_live_event(run, IA_EVENT(&taken));
}

/* Takes one for the next commit to record. */
static void keep(struct ia_run_ctx *run, int step)
{
    struct ia_err err;
    int64_t from = ia_host_time_now(), away = run->device.timed.away_us;
    struct ia_picture p;
    if (ia_picture_take(run, PICTURE_MS_MAX, &p, &err) == IA_OK) {
        run->pictures.next = p;
        run->pictures.next.step = step;
        run->pictures.taken = true;
        tell(run, &run->pictures.next);
    } else {
        ia_picture_lost(run, &err);
        IA_LOG(IA_LOG_WARN, "picture", IA_S("run", run->id), IA_I("step", step),
               IA_S("why", err.msg));
    }
    /* What the device took is counted already; this adds the rest (hash, disk), so that a
     * picture does not make the agent look slow. */
    ia_host_time_away(&run->device.timed,
                      ia_host_time_now() - from - (run->device.timed.away_us - away), 0);
}

static bool wanted(const struct ia_run_ctx *run)
{
    bool steps =
        run->req->pictures == IA_PICTURES_STEPS || run->req->pictures == IA_PICTURES_SHARP;
    return steps && !run->end.over && !run->watch.cancel_asked;
}

void ia_picture_before(struct ia_run_ctx *run, int step)
{
    /* The first picture shows the screen before the first step; after that each step's own
     * is the next one's "before". */
    if (wanted(run) && !run->pictures.taken) {
        keep(run, step - 1);
    }
}

void ia_picture_after(struct ia_run_ctx *run, int step, bool acted)
{
    if (wanted(run) && acted) {
        keep(run, step);
    }
}
