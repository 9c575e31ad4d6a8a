/* picture.h: what the picture of the screen shows, as proof: its text, read by Tesseract, and the picture itself
 * for the verifier of an agent that goes by pictures. */
#ifndef IA_AGENT_VERDICT_PICTURE_H
#define IA_AGENT_VERDICT_PICTURE_H

#include "agent/loop/pictures.h"
#include "agent/loop/run_ctx.h"
#include "driver/image/ocr.h"

struct ia_proof_picture {
    struct ia_ocr ocr;
    struct ia_buf text; /* the same in the form of a screen */
    struct ia_err err;  /* why there is none */
};

/* Whether the agent has tools that go by pictures. */
bool ia_proof_sees(const struct ia_run_ctx *run);

/* The text on a picture that is taken now, of the screen that has just been read as s; read once until
 * ia_proof_forget_picture. Where another app is in front of the one that the run is locked to, nothing is read.
 * Never NULL; owned by the run. */
const struct ia_proof_picture *ia_proof_picture(struct ia_run_ctx *run,
                                                const struct ia_snapshot *s);
/* The screen may have changed since. */
void ia_proof_forget_picture(struct ia_run_ctx *run);

/* A picture of the screen for the verifier, kept as a blob; hash is of what it shows without status bar. */
struct ia_seen_picture {
    struct ia_picture picture;
    char path[IA_PICTURE_PATH_MAX]; /* as the history wants it */
    uint64_t hash;
};
enum ia_rc ia_proof_see(struct ia_run_ctx *run, struct ia_seen_picture *ret,
                        struct ia_err *err);
/* That hash alone; 0 where there is no picture. */
uint64_t ia_proof_picture_hash(struct ia_run_ctx *run);

#endif
