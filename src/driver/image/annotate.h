/* annotate.h: refs on the picture, for models and people that see better than they read. */
#ifndef IA_DRIVER_IMAGE_ANNOTATE_H
#define IA_DRIVER_IMAGE_ANNOTATE_H

#include "driver/snapshot/snapshot.h"

/* Appends a PNG: the screenshot with a frame and its ref around each listed element that is no
 * plain text, and right of it a legend with one line of the text form each. The screenshot may
 * be of any scale; an empty one gives a blank screen, so that a tree alone can be looked at.
 * The picture is at most IA_ANNOTATE_SIDE_MAX pixels on each side; what the legend has no room
 * for is counted in its last line. Loads cairo on first use: IA_E_MISSING. Any thread.
 * IA_E_PARSE, IA_E_LIMIT as ia_png_size. */
enum { IA_ANNOTATE_SIDE_MAX = 4096 };
enum ia_rc ia_snapshot_annotate(const struct ia_snapshot *s, struct ia_str png,
                                struct ia_buf *ret_png, struct ia_err *err);

#endif
