/* session_image.c: the screen as a picture, one pixel a point. */
#include "driver/session/session_impl.h"

#include "base/hash.h"
#include "driver/image/image.h"

#include <math.h>

/* The long side of the screen lies as in the picture: info may tell the portrait size while the
 * device lies on its side. */
static void size_in_points(const struct ia_device_info *info, int px_w, int px_h, int *ret_w,
                           int *ret_h)
{
    bool turned = (px_w > px_h) != (info->width_pt > info->height_pt);
    *ret_w = (int)lrint(turned ? info->height_pt : info->width_pt);
    *ret_h = (int)lrint(turned ? info->width_pt : info->height_pt);
}

/* Whether it is the picture of *hash, which becomes its own. */
static bool known(struct ia_str png, uint64_t *hash)
{
    uint64_t before = *hash;
    *hash = ia_hash(IA_HASH_SEED, png.p, png.n);
    return *hash == before;
}

static enum ia_rc take_and_scale(struct ia_session *s, const struct ia_deadline *deadline,
                                 uint64_t *hash, struct ia_buf *ret_png, struct ia_err *err)
{
    struct ia_device_info info;
    enum ia_rc rc = ia_device_info(s->device, &info, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_buf raw = IA_BUF(IA_PNG_BYTES_MAX);
    rc = ia_device_screenshot(s->device, deadline, &raw, err);
    int w = 0;
    int h = 0;
    bool as_before = rc == IA_OK && known(ia_buf_str(&raw), hash);
    if (rc == IA_OK && !as_before) {
        rc = ia_png_size(ia_buf_str(&raw), &w, &h, err);
    }
    if (rc == IA_OK && !as_before) {
        size_in_points(&info, w, h, &w, &h);
        rc = ia_png_scale(ia_buf_str(&raw), w, h, ret_png, err);
    }
    ia_buf_fini(&raw);
    return rc;
}

enum ia_rc ia_session_screenshot_unless(struct ia_session *s,
                                        const struct ia_deadline *deadline, uint64_t *hash,
                                        struct ia_buf *ret_png, struct ia_err *err)
{
    size_t begin = ret_png->len;
    enum ia_rc rc = ia_device_screenshot_pt(s->device, deadline, ret_png, err);
    if (rc == IA_E_UNSUPPORTED) {
        return take_and_scale(s, deadline, hash, ret_png, err);
    }
    if (rc == IA_OK && known((struct ia_str){ret_png->p + begin, ret_png->len - begin}, hash)) {
        ia_buf_cut(ret_png, begin);
    }
    return rc;
}

enum ia_rc ia_session_screenshot(struct ia_session *s, const struct ia_deadline *deadline,
                                 struct ia_buf *ret_png, struct ia_err *err)
{
    uint64_t any = 0;
    return ia_session_screenshot_unless(s, deadline, &any, ret_png, err);
}

enum ia_rc ia_session_picture(struct ia_session *s, const struct ia_deadline *deadline,
                              struct ia_buf *ret_png, struct ia_err *err)
{
    return ia_device_screenshot(s->device, deadline, ret_png, err);
}
