/* picture.c: the picture as proof. It is taken when the proof is asked for, not when the model looked. */
#include "agent/verdict/picture.h"

#include "driver/image/image.h"
#include "driver/image/pixels.h"

#include <stdlib.h>

/* The tool whose text may be quoted (prompts/skills/vision). */
static const char reader[] = "read_text";

bool ia_proof_sees(const struct ia_run_ctx *run)
{
    return ia_toolset_find(run->texts.tools, ia_str(reader)) != NULL;
}

static enum ia_rc read_now(struct ia_run_ctx *run, const struct ia_snapshot *s,
                           struct ia_proof_picture *p)
{
    struct ia_deadline deadline = ia_run_ctx_deadline(run, IA_ACTION_MS_MAX);
    struct ia_buf png = IA_BUF(IA_PNG_BYTES_MAX);
    enum ia_rc rc = ia_app_lock_screen(&run->device.lock, s, &p->err);
    if (rc == IA_OK) {
        rc = ia_session_picture(run->device.session, &deadline, &png, &p->err);
    }
    int w = 0, h = 0;
    if (rc == IA_OK) {
        rc = ia_png_size(ia_buf_str(&png), &w, &h, &p->err);
    }
    if (rc == IA_OK) {
        double scale = run->device.info.scale > 0 ? run->device.info.scale : 1;
        const struct ia_ocr_request r = {
            .png = ia_buf_str(&png), .width_pt = w / scale, .deadline = &deadline};
        rc = ia_ocr_read(&r, &p->ocr, &p->err);
    }
    if (rc == IA_OK) {
        ia_ocr_text(&p->ocr, &p->text);
    }
    ia_buf_fini(&png);
    return rc;
}

const struct ia_proof_picture *ia_proof_picture(struct ia_run_ctx *run,
                                                const struct ia_snapshot *s)
{
    if (!run->proof.picture) {
        struct ia_proof_picture *p = ia_calloc(1, sizeof(*p));
        p->text = IA_BUF(IA_RESULT_BYTES_MAX);
        p->err.code = read_now(run, s, p);
        run->proof.picture = p;
    }
    return run->proof.picture;
}

void ia_proof_forget_picture(struct ia_run_ctx *run)
{
    if (run->proof.picture) {
        ia_ocr_fini(&run->proof.picture->ocr);
        ia_buf_fini(&run->proof.picture->text);
    }
    free(run->proof.picture);
    run->proof.picture = NULL;
}

static enum ia_rc take(struct ia_run_ctx *run, struct ia_buf *ret_png, uint64_t *ret_hash,
                       struct ia_err *err)
{
    struct ia_deadline deadline = ia_run_ctx_deadline(run, IA_ACTION_MS_MAX);
    struct ia_pixels pixels = {0};
    enum ia_rc rc = ia_session_screenshot(run->device.session, &deadline, ret_png, err);
    if (rc == IA_OK) {
        rc = ia_pixels_read(ia_buf_str(ret_png), &pixels, err);
    }
    if (rc == IA_OK) {
        *ret_hash = ia_pixels_hash(&pixels);
    }
    ia_pixels_fini(&pixels);
    return rc;
}

uint64_t ia_proof_picture_hash(struct ia_run_ctx *run)
{
    struct ia_buf png = IA_BUF(IA_PNG_BYTES_MAX);
    uint64_t hash = 0;
    (void)take(run, &png, &hash, NULL);
    ia_buf_fini(&png);
    return hash;
}

enum ia_rc ia_proof_see(struct ia_run_ctx *run, struct ia_seen_picture *ret, struct ia_err *err)
{
    struct ia_buf png = IA_BUF(IA_PNG_BYTES_MAX);
    enum ia_rc rc = take(run, &png, &ret->hash, err);
    if (rc == IA_OK) {
        rc = ia_picture_store(run, ia_buf_str(&png), &ret->picture, err);
    }
    if (rc == IA_OK) {
        rc = ia_picture_path(run, ret->picture.sha, ret->path, err);
    }
    ia_buf_fini(&png);
    return rc;
}
