/* pixels.h: what a picture shows, for code: colours, what changed, and what stands out.
 *
 * A picture is one pixel a point, as the session's screenshots are. Pure but for reading a PNG. */
#ifndef IA_DRIVER_IMAGE_PIXELS_H
#define IA_DRIVER_IMAGE_PIXELS_H

#include "base/buf.h"
#include "base/err.h"
#include "driver/tree.h"

struct ia_pixels {
    int width, height;
    uint32_t *rgb; /* 0xRRGGBB, row by row */
};

/* The picture behind a PNG that ia_png_size accepts. Loads cairo on first use: IA_E_MISSING;
 * IA_E_PARSE, IA_E_LIMIT. Release with ia_pixels_fini. Any thread. */
enum ia_rc ia_pixels_read(struct ia_str png, struct ia_pixels *ret, struct ia_err *err);
void ia_pixels_fini(struct ia_pixels *p);

/* The colour at a point that must lie inside. */
uint32_t ia_pixels_at(const struct ia_pixels *p, int x, int y);
/* How far two colours are apart in the channel where they differ most, 0 to 255. */
int ia_pixels_apart(uint32_t a, uint32_t b);

/* Which part of the screen is another one now, by more than IA_PIXELS_NOISE in a channel: the
 * smallest rectangle around it, and how many pixels of it. Only what lies in `in`, which may reach
 * beyond the picture, is compared. Nothing changed: false, and *ret is empty. Pictures of two sizes
 * are different all over. */
enum { IA_PIXELS_NOISE = 12 };
struct ia_pixels_change {
    struct ia_rect box;
    int pixels;
};
bool ia_pixels_differ(const struct ia_pixels *a, const struct ia_pixels *b, struct ia_rect in,
                      struct ia_pixels_change *ret);

/* Whether something else on the screen changed than what changes by itself: the status bar at the top, which tells
 * the time, and a cursor. *ret has the part, also where it is only that. */
bool ia_pixels_changed(const struct ia_pixels *a, const struct ia_pixels *b,
                       struct ia_pixels_change *ret);
/* Where the status bar ends; 0 on a screen that lies on its side. */
double ia_pixels_status(const struct ia_pixels *p);
/* Of all below the status bar; never 0. */
uint64_t ia_pixels_hash(const struct ia_pixels *p);

/* What stands out from what is around it: the boxes of shapes, words and pictures, in reading
 * order, at most max of them (the smallest are left out first). Parts that lie closer to each
 * other than the gap between two words are one. Returns how many there are. */
enum { IA_BLOBS_MAX = 64 };
size_t ia_pixels_blobs(const struct ia_pixels *p, struct ia_rect *ret, size_t max);

#endif
