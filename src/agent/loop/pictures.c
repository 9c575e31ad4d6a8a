/* pictures.c: screenshots that people look at later. They are a record only: without them the
 * run goes on, and their time counts as the device's. */
#include "agent/loop/run_ctx.h"
#include "base/log.h"
#include "store/blob.h"

#include <string.h>

enum { PNG_BYTES_MAX = 32 << 20, PNG_WIDTH_AT = 16, PNG_HEIGHT_AT = 20, PICTURE_MS_MAX = 5000 };

/* A number of a PNG's IHDR (RFC 2083, section 4.1.1); no picture is larger than 16 bits. */
static int png_number(const struct ia_buf *png, size_t at)
{
    uint32_t n = 0;
    for (size_t i = 0; png->len >= at + 4 && i < 4; i++) {
        n = n << 8 | (unsigned char)png->p[at + i];
    }
    return (int)(n & 0xffff);
}

enum ia_rc ia_picture_take(struct ia_run_ctx *run, int64_t ms, struct ia_picture *ret,
                           struct ia_err *err)
{
    struct ia_deadline deadline = {run->env->cancel, ia_mono_us(run->clock) + ms * 1000};
    struct ia_buf png = IA_BUF(PNG_BYTES_MAX);
    struct ia_picture p = {.step = -1};
    enum ia_rc rc = ia_session_screenshot(run->session, &deadline, &png, err);
    if (rc == IA_OK) {
        rc = ia_blob_put(run->env->store, png.p, png.len, p.sha, err);
    }
    if (rc == IA_OK) {
        p.width_px = png_number(&png, PNG_WIDTH_AT);
        p.height_px = png_number(&png, PNG_HEIGHT_AT);
        *ret = p;
    }
    ia_buf_fini(&png);
    return rc;
}

/* Takes one for the next commit to record. */
static void keep(struct ia_run_ctx *run, int step)
{
    struct ia_err err;
    int64_t from = ia_host_time_now(), away = run->timed.away_us;
    struct ia_picture p;
    if (ia_picture_take(run, PICTURE_MS_MAX, &p, &err) == IA_OK) {
        run->picture = p;
        run->picture.step = step;
        run->pictured = true;
    } else {
        IA_LOG(IA_LOG_WARN, "picture", IA_S("run", run->id), IA_I("step", step),
               IA_S("why", err.msg));
    }
    ia_host_time_away(&run->timed, ia_host_time_now() - from - (run->timed.away_us - away), 0);
}

static bool wanted(const struct ia_run_ctx *run)
{
    return run->req->pictures == IA_PICTURES_STEPS && !run->end.over && !run->cancel_asked;
}

void ia_picture_before(struct ia_run_ctx *run, int step)
{
    if (wanted(run) && !run->pictured) {
        keep(run, step - 1);
    }
}

void ia_picture_after(struct ia_run_ctx *run, int step, bool acted)
{
    if (wanted(run) && acted) {
        keep(run, step);
    }
}

void ia_picture_commit(struct ia_commit *c)
{
    struct ia_picture *p = &c->loop->picture;
    if (p->sha[0] == '\0') {
        return;
    }
    struct ia_buf body = IA_BUF(512);
    ia_buf_printf(&body, "{\"step\":%d,\"image\":\"%s\",\"width\":%d,\"height\":%d}", p->step,
                  p->sha, p->width_px, p->height_px);
    ia_commit_event(c, "picture", &body);
    ia_buf_fini(&body);
    p->sha[0] = '\0';
}
