/* Pictures as a device may send them: whatever they are, what is found on them lies inside. */
#include "driver/image/image.h"
#include "driver/image/pixels.h"
#include "driver/snapshot/rect.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SIDE_MAX = 600 };

static void need(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void check(const struct ia_pixels *p)
{
    struct ia_rect parts[IA_BLOBS_MAX];
    struct ia_pixels_change c;
    size_t n = ia_pixels_blobs(p, parts, IA_BLOBS_MAX);
    need(n <= IA_BLOBS_MAX);
    for (size_t i = 0; i < n; i++) {
        need(parts[i].x >= 0 && parts[i].y >= 0 && parts[i].w > 0 && parts[i].h > 0);
        need(parts[i].x + parts[i].w <= p->width && parts[i].y + parts[i].h <= p->height);
    }
    need(!ia_pixels_changed(p, p, &c) && c.pixels == 0);
    need(ia_pixels_hash(p) != 0 && ia_pixels_status(p) <= p->height);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ia_str png = {(const char *)data, size};
    struct ia_pixels p = {0};
    int w = 0, h = 0;
    if (ia_png_size(png, &w, &h, NULL) == IA_OK && w <= SIDE_MAX && h <= SIDE_MAX &&
        ia_pixels_read(png, &p, NULL) == IA_OK) {
        need(p.width == w && p.height == h);
        check(&p);
    }
    ia_pixels_fini(&p);
    return 0;
}
