/* mjpeg.c: a live picture of the screen on a port of its own (FBMjpegServer.m).
 *
 *   GET / ──► multipart/x-mixed-replace; every 1/mjpegServerFramerate s a part with the screen
 *
 * The parts are the device's PNGs in points, as browsers and Appium's reader of such streams take them:
 * making JPEGs of them would cost more than it saves on loopback. Each viewer's pictures queue for the
 * device as requests do. */
#include "server/wda/wda_impl.h"

#include "base/clock.h"

#include <stdlib.h>

enum { FRAME_MAX = 1 << 20, RATE = 10, RATE_MAX = 60, US_PER_S = 1000000 };

struct viewer {
    struct ia_wda_server *s;
    int64_t next_us;
};

/* On the worker. */
static enum ia_wda_error take_frame(struct ia_wda_call *c)
{
    struct ia_device *d = c->s->device;
    struct ia_buf whole = IA_BUF(IA_WDA_PNG_MAX);
    double rate = json_number_value(json_object_get(c->s->settings, "mjpegServerFramerate"));
    c->num[0] = rate >= 1 && rate <= RATE_MAX ? rate : RATE;
    enum ia_rc rc = ia_device_screenshot_pt(d, &c->deadline, c->out, &c->err);
    if (rc == IA_E_UNSUPPORTED) {
        rc = ia_device_screenshot(d, &c->deadline, &whole, &c->err);
        rc = rc == IA_OK ? ia_png_scale(ia_buf_str(&whole), (int)c->s->info.width_pt,
                                        (int)c->s->info.height_pt, c->out, &c->err)
                         : rc;
    }
    ia_buf_fini(&whole);
    return ia_wda_result(rc);
}

static bool next_frame(void *ctx, struct ia_http_stream *stream, struct ia_buf *out)
{
    static const struct ia_wda_route route = {.fn = take_frame, .flags = IA_WDA_TEXT_ONLY};
    struct viewer *v = ctx;
    struct ia_buf png = IA_BUF(FRAME_MAX);
    struct ia_wda_call c = {.s = v->s,
                            .route = &route,
                            .session = "",
                            .out = &png,
                            .num = {RATE},
                            .deadline = {.cancel = v->s->stop}};
    while (ia_mono_us(ia_clock_system()) < v->next_us) {
        if (!ia_http_stream_wait(stream, v->next_us)) {
            return false;
        }
    }
    bool ok = ia_wda_queue(&c) == IA_WDA_OK && ia_buf_ok(&png);
    v->next_us = ia_mono_us(ia_clock_system()) + (int64_t)(US_PER_S / c.num[0]);
    if (ok) {
        ia_buf_printf(
            out, "--BoundaryString\r\nContent-Type: image/png\r\nContent-Length: %zu\r\n\r\n",
            png.len);
        ia_buf_putstr(out, ia_buf_str(&png));
        ia_buf_puts(out, "\r\n\r\n");
    }
    ia_buf_fini(&png);
    return !ia_cancel_fired(v->s->stop);
}

static const struct ia_http_stream_ops stream_ops = {.next = next_frame, .done = free};

void ia_wda_mjpeg(void *ctx, const struct ia_http_request *request, struct ia_http_reply *reply)
{
    struct viewer *v = ia_calloc(1, sizeof(*v));
    (void)request;
    v->s = ctx;
    reply->content_type = "multipart/x-mixed-replace; boundary=--BoundaryString";
    reply->stream = &stream_ops;
    reply->stream_ctx = v;
}
