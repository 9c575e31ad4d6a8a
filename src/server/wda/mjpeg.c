/* mjpeg.c: a live picture of the screen on a port of its own (FBMjpegServer.m).
 *
 *     a viewer's thread                              the worker (queue.c)
 *     ─────────────────                              ────────────────────
 *     GET / ──► multipart/x-mixed-replace
 *     a newer frame? ── yes ─► a part with it        no request waits, a frame is wanted:
 *        │ no: is the next one due?                    takes it, wakes the viewers
 *        └─► wants it, and waits
 *
 * A frame is for all viewers. It is taken mjpegServerFramerate times a second at most, and less and less often
 * while it stays the same and no request comes.
 *
 * The parts are the device's PNGs in points, as browsers and Appium's reader of such streams take them: cairo,
 * which draws here, writes no JPEG, and making one would cost more than it saves on loopback. */
#include "server/wda/wda_impl.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

enum {
    FRAME_MAX = 1 << 20,
    RATE = 10,
    RATE_MAX = 60,
    US_PER_S = 1000000,
    TAKE_US = 5 * US_PER_S,  /* how long a device may take for one */
    STILL_US = US_PER_S,     /* between two that are the same, at most */
    FAILED_US = 5 * US_PER_S /* after one that was not to be had */
};

struct ia_wda_viewer {
    struct ia_wda_server *s;
    struct ia_wda_viewer *next;
    struct ia_http_stream *stream; /* NULL: it has not begun */
    uint64_t seen;                 /* the number of its last frame */
};

static int64_t now_us(void)
{
    return ia_mono_us(ia_clock_system());
}

/* ---- frames ------------------------------------------------------------------------------- */

static enum ia_rc take(struct ia_wda_server *s, struct ia_buf *png)
{
    struct ia_deadline deadline = {s->stop, now_us() + TAKE_US};
    struct ia_buf whole = IA_BUF(IA_WDA_PNG_MAX);
    enum ia_rc rc = ia_device_screenshot_pt(s->device, &deadline, png, NULL);
    if (rc == IA_E_UNSUPPORTED) {
        rc = ia_device_screenshot(s->device, &deadline, &whole, NULL);
        struct ia_device_info info = ia_wda_info(s);
        rc = rc == IA_OK ? ia_png_scale(ia_buf_str(&whole), (int)info.width_pt,
                                        (int)info.height_pt, png, NULL)
                         : rc;
    }
    ia_buf_fini(&whole);
    return rc == IA_OK ? ia_buf_check(png, "a frame", NULL) : rc;
}

static int64_t asked_us(const struct ia_wda_server *s)
{
    double rate = json_number_value(json_object_get(s->settings, "mjpegServerFramerate"));
    return (int64_t)(US_PER_S / (rate >= 1 && rate <= RATE_MAX ? rate : RATE));
}

/* The lock is held. */
static void wake_viewers(struct ia_wda_film *f)
{
    for (struct ia_wda_viewer *v = f->viewers; v; v = v->next) {
        if (v->stream) {
            ia_http_stream_wake(v->stream);
        }
    }
}

void ia_wda_film_take(struct ia_wda_server *s)
{
    struct ia_wda_film *f = &s->film;
    struct ia_buf png = IA_BUF(FRAME_MAX);
    bool ok = take(s, &png) == IA_OK;
    int64_t asked = asked_us(s);
    pthread_mutex_lock(&s->lock);
    f->asked_us = asked;
    bool same = ok && png.len == f->png.len && memcmp(png.p, f->png.p, png.len) == 0;
    int64_t longer = f->every_us * 2 < STILL_US ? f->every_us * 2 : STILL_US;
    f->every_us = !ok ? FAILED_US : same ? longer : asked;
    f->taken_us = now_us();
    f->wanted = false;
    if (ok && f->viewers) {
        struct ia_buf old = f->png;
        f->png = png;
        png = old;
        f->number++;
    }
    wake_viewers(f);
    pthread_mutex_unlock(&s->lock);
    ia_buf_fini(&png);
}

void ia_wda_film_stir(struct ia_wda_server *s)
{
    struct ia_wda_film *f = &s->film;
    if (f->every_us > f->asked_us && f->every_us <= STILL_US) {
        f->every_us = f->asked_us;
        wake_viewers(f);
    }
}

/* ---- viewers ------------------------------------------------------------------------------ */

static void put_part(const struct ia_buf *png, struct ia_buf *out)
{
    ia_buf_printf(out,
                  "--BoundaryString\r\nContent-Type: image/png\r\nContent-Length: %zu\r\n\r\n",
                  png->len);
    ia_buf_putstr(out, ia_buf_str(png));
    ia_buf_puts(out, "\r\n\r\n");
}

static bool next_frame(void *ctx, struct ia_http_stream *stream, struct ia_buf *out)
{
    struct ia_wda_viewer *v = ctx;
    struct ia_wda_film *f = &v->s->film;
    pthread_mutex_lock(&v->s->lock);
    int64_t until = f->taken_us + f->every_us;
    v->stream = stream;
    if (f->png.len && f->number != v->seen) {
        v->seen = f->number;
        put_part(&f->png, out);
    } else if (until <= now_us()) {
        until = IA_NO_DEADLINE; /* until the worker has it */
        f->wanted = true;
        pthread_cond_signal(&v->s->work);
    }
    pthread_mutex_unlock(&v->s->lock);
    return out->len > 0 || ia_http_stream_wait(stream, until);
}

/* What the last one leaves would be old for the next. */
static void leave(void *ctx)
{
    struct ia_wda_viewer *v = ctx;
    struct ia_wda_film *f = &v->s->film;
    struct ia_wda_viewer **at = &f->viewers;
    pthread_mutex_lock(&v->s->lock);
    while (*at != v) {
        at = &(*at)->next;
    }
    *at = v->next;
    if (!f->viewers) {
        f->wanted = false;
        f->every_us = f->asked_us;
        ia_buf_fini(&f->png);
    }
    pthread_mutex_unlock(&v->s->lock);
    free(v);
}

static const struct ia_http_stream_ops stream_ops = {.next = next_frame, .done = leave};

void ia_wda_mjpeg(void *ctx, const struct ia_http_request *request, struct ia_http_reply *reply)
{
    struct ia_wda_server *s = ctx;
    struct ia_wda_viewer *v = ia_calloc(1, sizeof(*v));
    (void)request;
    v->s = s;
    pthread_mutex_lock(&s->lock);
    v->next = s->film.viewers;
    s->film.viewers = v;
    pthread_mutex_unlock(&s->lock);
    reply->content_type = "multipart/x-mixed-replace; boundary=--BoundaryString";
    reply->stream = &stream_ops;
    reply->stream_ctx = v;
}
