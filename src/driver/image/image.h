/* image.h: screenshots made small: PNG in device pixels to PNG in points. */
#ifndef IA_DRIVER_IMAGE_IMAGE_H
#define IA_DRIVER_IMAGE_IMAGE_H

#include "base/buf.h"
#include "base/err.h"
#include "driver/tree.h"

/* What a screenshot may be. The header is checked before anything is decoded, so that a small
 * file cannot unfold into gigabytes. The largest iPad is 2752 by 2064 pixels. */
enum { IA_PNG_SIDE_MAX = 8192 };
#define IA_PNG_PIXELS_MAX ((int64_t)32 << 20)
#define IA_PNG_BYTES_MAX ((size_t)64 << 20)

/* Reads width and height from a PNG's IHDR (PNG specification, section 11.2.2). IA_E_PARSE when
 * it is no PNG, IA_E_LIMIT when it is larger than allowed. */
enum ia_rc ia_png_size(struct ia_str png, int *ret_width, int *ret_height, struct ia_err *err);
/* Appends the picture scaled to width by height pixels; unchanged when it has that size. Loads
 * cairo on first use: IA_E_MISSING. Any thread. */
enum ia_rc ia_png_scale(struct ia_str png, int width, int height, struct ia_buf *ret_png,
                        struct ia_err *err);
/* Appends the picture with black where the boxes are (pixels; what is outside is ignored). Of
 * no box: the same bytes. As above. */
enum ia_rc ia_png_blacken(struct ia_str png, const struct ia_rect *boxes, size_t n,
                          struct ia_buf *ret_png, struct ia_err *err);

/* Appends that part of the picture (pixels, rounded outwards; what is outside is ignored). IA_E_USAGE
 * where nothing of it is inside. As above. */
enum ia_rc ia_png_crop(struct ia_str png, const struct ia_rect *part, struct ia_buf *ret_png,
                       struct ia_err *err);

#endif
