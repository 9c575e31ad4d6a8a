/* image.h: an image's type and size from its first bytes. Pure. */
#ifndef IA_MOCK_API_IMAGE_H
#define IA_MOCK_API_IMAGE_H

#include "base/base.h"

enum { IA_MOCK_IMAGE_BYTES_MAX = 10 << 20 }; /* of the base64 text */

struct ia_mock_image {
    const char *media_type;  /* by its magic bytes; NULL when it is none of the four */
    int width_px, height_px; /* 0 when not found */
};

/* False when the text is not base64 (padding included, no white space). */
bool ia_mock_image_read(struct ia_str base64, struct ia_mock_image *ret);
/* Tokens of an image: patches of 28 px after the service's own scaling. Source: documentation
 * of image sizes, 2026-10-10; a 393x852 screenshot is 465 tokens. */
int64_t ia_mock_image_tokens(int width_px, int height_px, bool high_res);

#endif
