/* pictures.h: screenshots of a run. */
#ifndef IA_AGENT_LOOP_PICTURES_H
#define IA_AGENT_LOOP_PICTURES_H

#include "agent/loop/run_ctx.h"

/* Stores a screenshot of one pixel a point as a blob. */
enum ia_rc ia_picture_store(struct ia_run_ctx *run, struct ia_str png, struct ia_picture *ret,
                            struct ia_err *err);
/* Where that blob lies below the store's home, as a transcript names it: it stays valid when the folder is moved. */
enum { IA_PICTURE_PATH_MAX = 128 };
enum ia_rc ia_picture_path(struct ia_run_ctx *run, const char *sha,
                           char ret[IA_PICTURE_PATH_MAX], struct ia_err *err);
/* Takes a screenshot and stores it: every picture that is kept comes this way. At most ms. */
enum ia_rc ia_picture_take(struct ia_run_ctx *run, int64_t ms, struct ia_picture *ret,
                           struct ia_err *err);
/* Where each step is to have its picture: of the screen before the first one, and after one
 * that acted. Never fails the run; not counted as host time. The next commit adds the event. */
void ia_picture_before(struct ia_run_ctx *run, int step);
void ia_picture_after(struct ia_run_ctx *run, int step, bool acted);
/* Tells people, once in a run, that a picture is missing. Nothing for one that a stop cut off. */
void ia_picture_lost(struct ia_run_ctx *run, const struct ia_err *why);

#endif
