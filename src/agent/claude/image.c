/* image.c: how the API scales an image and what it costs: padded to patches of 28 x 28 pixels, one
 * token each, and scaled down until neither the long edge nor the count of tokens is too large. */
#include "agent/claude/models.h"

#include <math.h>

enum { PATCH_PX = 28 };

struct limit {
    int edge_px;
    int tokens;
};

static const struct limit standard = {1568, 1568};
static const struct limit high = {2576, 4784};

static int patches(int px)
{
    return (px + PATCH_PX - 1) / PATCH_PX;
}

/* long_px >= short_px; both are padded to whole patches. */
static bool fits(int long_px, int short_px, const struct limit *l)
{
    return patches(long_px) * PATCH_PX <= l->edge_px &&
           patches(short_px) * PATCH_PX <= l->edge_px &&
           patches(long_px) * patches(short_px) <= l->tokens;
}

static int short_for(int long_px, double aspect)
{
    int px = (int)rint(long_px / aspect);
    return px < 1 ? 1 : px;
}

/* The largest long edge that fits at that aspect ratio, by bisection: lo fits, hi does not. */
static int largest_long(int long_px, double aspect, const struct limit *l)
{
    int lo = 1;
    int hi = long_px;
    while (lo + 1 < hi) {
        int mid = lo + (hi - lo) / 2;
        if (fits(mid, short_for(mid, aspect), l)) {
            lo = mid;
        } else {
            hi = mid;
        }
    }
    return lo;
}

struct ia_image_size ia_image_tokens(int width_px, int height_px, bool high_res)
{
    const struct limit *l = high_res ? &high : &standard;
    bool tall = height_px > width_px;
    int long_px = tall ? height_px : width_px;
    int short_px = tall ? width_px : height_px;
    if (long_px > l->edge_px || !fits(long_px, short_px, l)) {
        double aspect = (double)long_px / short_px;
        long_px = largest_long(long_px, aspect, l);
        short_px = short_for(long_px, aspect);
    }
    return (struct ia_image_size){.width_px = tall ? short_px : long_px,
                                  .height_px = tall ? long_px : short_px,
                                  .tokens = patches(long_px) * patches(short_px)};
}
