/* session_image.c: the screen as a picture, one pixel a point. */
#include "driver/session/session_impl.h"

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

static enum ia_rc take_and_scale(struct ia_session *s, const struct ia_deadline *deadline,
                                 struct ia_buf *ret_png, struct ia_err *err)
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
    if (rc == IA_OK) {
        rc = ia_png_size(ia_buf_str(&raw), &w, &h, err);
    }
    if (rc == IA_OK) {
        size_in_points(&info, w, h, &w, &h);
        rc = ia_png_scale(ia_buf_str(&raw), w, h, ret_png, err);
    }
    ia_buf_fini(&raw);
    return rc;
}

enum ia_rc ia_session_screenshot(struct ia_session *s, const struct ia_deadline *deadline,
                                 struct ia_buf *ret_png, struct ia_err *err)
{
    enum ia_rc rc = ia_device_screenshot_pt(s->device, deadline, ret_png, err);
    return rc == IA_E_UNSUPPORTED ? take_and_scale(s, deadline, ret_png, err) : rc;
}

enum ia_rc ia_session_picture(struct ia_session *s, const struct ia_deadline *deadline,
                              struct ia_buf *ret_png, struct ia_err *err)
{
    return ia_device_screenshot(s->device, deadline, ret_png, err);
}
