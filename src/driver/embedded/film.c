/* film.c: a film of the phone: a picture of each screen that differs from the one before, shown as
 * long as it was on the screen by the phone's own clock. A film has one size: what is on its side lies on
 * its side there too, as in the recordings of a phone that is turned. */
#include "driver/embedded/draw/paint.h"
#include "driver/embedded/impl.h"
#include "driver/image/apng.h"
#include "driver/image/image.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { FILM_SCALE = 2 };

static enum ia_rc add_picture(struct ia_embedded *e, struct ia_err *err)
{
    struct ia_buf png = IA_BUF(IA_PNG_BYTES_MAX);
    struct ia_scene s;
    int64_t passed_ms = e->phone->now_ms - e->film_now_ms;
    e->film_now_ms = e->phone->now_ms;
    e->film_ms += passed_ms >= 0 ? passed_ms : IA_OP_MS;
    ia_phone_scene(e->phone, &s);
    enum ia_rc rc = ia_paint_png(&s, FILM_SCALE, ia_phone_orientation(e->phone), &png, err);
    if (rc == IA_OK) {
        ia_apng_show(e->film, ia_buf_str(&png), e->film_ms);
    }
    ia_scene_fini(&s);
    ia_buf_fini(&png);
    return rc;
}

void ia_embedded_film(struct ia_embedded *e)
{
    if (e->film) {
        /* A picture that cannot be drawn is missing from the film; the operation was done. */
        (void)add_picture(e, NULL);
    }
}

/* A film that is called a video would open nowhere. */
static enum ia_rc check_name(const char *path, struct ia_err *err)
{
    static const char *const videos[] = {".mp4", ".mov", ".m4v"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < IA_COUNTOF(videos); i++) {
        if (strcasecmp(dot, videos[i]) == 0) {
            enum ia_rc rc =
                ia_err_set(err, IA_E_USAGE,
                           "a film of a simulated phone is an animated PNG, not %s", videos[i]);
            ia_err_hint(err, "name it film.apng or film.png; a browser shows it");
            return ia_device_not_sent(rc, err);
        }
    }
    return IA_OK;
}

enum ia_rc ia_embedded_film_begin(struct ia_embedded *e, const char *path, struct ia_err *err)
{
    struct ia_apng_end ignored;
    if (e->film) {
        return ia_err_set(err, IA_E_STATE, "the screen is being recorded already");
    }
    enum ia_rc rc = check_name(path, err);
    if (rc != IA_OK) {
        return rc;
    }
    rc = ia_apng_new(path, &e->film, err);
    e->film_now_ms = e->phone->now_ms;
    e->film_ms = 0;
    if (rc == IA_OK) {
        rc = add_picture(e, err);
    }
    if (rc != IA_OK && e->film) {
        (void)ia_apng_finish(e->film, 0, &ignored,
                             NULL); /* without a picture it leaves nothing */
        e->film = NULL;
    }
    return rc;
}

/* The last screen is shown for a second. */
enum ia_rc ia_embedded_film_end(struct ia_embedded *e, struct ia_recording *ret,
                                struct ia_err *err)
{
    struct ia_apng_end end;
    struct ia_apng *film = e->film;
    e->film = NULL;
    if (!film) {
        return ia_err_set(err, IA_E_STATE, "the screen is not being recorded");
    }
    enum ia_rc rc = ia_apng_finish(film, e->film_ms + IA_OP_MS, &end, err);
    if (rc == IA_OK) {
        *ret = (struct ia_recording){.bytes = end.bytes,
                                     .duration_ms = end.duration_ms,
                                     .frames = end.frames,
                                     .cut = end.cut};
        (void)snprintf(ret->format, sizeof(ret->format), "apng");
    }
    return rc;
}
