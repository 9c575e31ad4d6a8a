/* apng.h: a film of screenshots as an animated PNG (APNG, part of the third edition of the PNG
 * specification): readers that know no animation show its first picture.
 *
 * Pictures are appended to the file as they come, each with how long it was shown, so the film
 * is never in memory. A file is complete under its name, or not there: it grows beside it. */
#ifndef IA_DRIVER_IMAGE_APNG_H
#define IA_DRIVER_IMAGE_APNG_H

#include "base/buf.h"
#include "base/err.h"

struct ia_apng;

/* More than that is left out of the film. */
enum { IA_APNG_FRAMES_MAX = 2000 };
#define IA_APNG_BYTES_MAX ((int64_t)64 << 20)

/* Begins a film that will replace the file at path. IA_E_IO. */
enum ia_rc ia_apng_new(const char *path, struct ia_apng **ret, struct ia_err *err);
/* Shows a PNG from at_ms on, until the next one; one that equals the picture shown is no new one.
 * All pictures have one size and one pixel format. What fails is told by ia_apng_finish. */
void ia_apng_show(struct ia_apng *a, struct ia_str png, int64_t at_ms);

struct ia_apng_end {
    int64_t bytes, duration_ms;
    int frames;
    bool cut; /* a cap was reached */
};
/* Ends the film at at_ms and frees it. On failure no file is left, and one that was there before
 * stays: IA_E_IO, IA_E_PARSE for a picture that is no PNG, IA_E_STATE for a film without any. */
enum ia_rc ia_apng_finish(struct ia_apng *a, int64_t at_ms, struct ia_apng_end *ret,
                          struct ia_err *err);

#endif
