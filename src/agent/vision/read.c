/* read.c: the text on the picture, and waiting for what it shows.
 *
 * Waiting is cheap as long as it can be: pixels first; text is read only of a picture that is
 * another one than the last; a model is asked at most ASKS_MAX times, and never twice of one picture. */
#include "agent/vision/vision_impl.h"

#include "driver/image/image.h"
#include "json/json.h"

#include <math.h>
#include <string.h>

enum { SECONDS = 10, POLL_US = 300000, ASKS_MAX = 5, LINE_MAX_BYTES = 4096 };

/* In the device's own pixels, which read best. The tree is read first, for what must not be seen. v, which may be NULL:
 * the model is told of it. */
static enum ia_rc read_screen(const struct ia_tool_env *env, const json_t *in,
                              struct ia_ocr *ret, struct ia_vision *v, struct ia_err *err)
{
    struct ia_vision_look look;
    struct ia_buf sharp = IA_BUF(IA_PNG_BYTES_MAX);
    struct ia_deadline deadline = ia_tool_deadline(env);
    enum ia_rc rc = ia_vision_look(env, false, &look, err);
    if (rc == IA_OK) {
        rc = ia_session_picture(env->session, &deadline, &sharp, err);
    }
    if (rc == IA_OK) {
        const char *language = ia_json_text(in, "language");
        const struct ia_ocr_request r = {.png = ia_buf_str(&sharp),
                                         .width_pt = look.pixels.width,
                                         .region = ia_vision_region(in),
                                         .language = *language ? language : NULL,
                                         .deadline = &deadline};
        rc = ia_ocr_read(&r, ret, err);
    }
    if (rc == IA_OK && v) {
        ia_vision_know(v, &look.pixels, ia_vision_region(in));
    }
    ia_buf_fini(&sharp);
    ia_vision_look_fini(&look);
    return rc;
}

/* The text with its places for the model; the journal gets it in the form of a screen, so that a quote
 * of this step is looked for in what this program read. */
static void put_lines(const struct ia_ocr *o, const struct ia_tool_env *env,
                      struct ia_tool_result *ret)
{
    struct ia_buf lines = IA_BUF(IA_RESULT_BYTES_MAX);
    for (size_t i = 0; i < o->count; i++) {
        const struct ia_ocr_line *l = &o->lines[i];
        ia_buf_printf(&lines, "%g,%g %gx%g %d%% %s\n", floor(l->box.x), floor(l->box.y),
                      ceil(l->box.w), ceil(l->box.h), l->confidence, l->text);
    }
    ia_buf_printf(&ret->text, "\n%zu lines of text on the picture%s%s\n", o->count,
                  o->count > 0 ? ", each with its place and how sure it is" : "",
                  o->cut ? "; there are more" : "");
    ia_fence(&ret->text, env->boundary, ia_buf_str(&lines));
    ia_buf_reset(&ret->screen);
    ia_ocr_text(o, &ret->screen);
    ia_buf_fini(&lines);
}

enum ia_rc ia_vision_call_read_text(void *ctx, const struct ia_tool_env *env, const json_t *in,
                                    struct ia_tool_result *ret, struct ia_err *err)
{
    struct ia_ocr o = {0};
    enum ia_rc rc = read_screen(env, in, &o, ctx, err);
    if (rc == IA_OK) {
        put_lines(&o, env, ret);
    }
    ia_ocr_fini(&o);
    return rc;
}

/* ---- watch_until ------------------------------------------------------------------------- */

struct watch {
    struct ia_vision *v;
    const struct ia_tool_env *env;
    const char *until, *text;
    struct ia_pixels first, last;
    int asks, looks;
    struct ia_buf said; /* the model's last answer */
};

static enum ia_rc text_shown(struct watch *w, bool *ret, struct ia_err *err)
{
    struct ia_ocr o = {0};
    enum ia_rc rc = read_screen(w->env, NULL, &o, NULL, err);
    *ret = rc == IA_OK && ia_ocr_has(&o, w->text);
    ia_ocr_fini(&o);
    return rc;
}

static enum ia_rc question_holds(struct watch *w, const struct ia_vision_look *look, bool *ret,
                                 struct ia_err *err)
{
    json_t *answer = NULL;
    if (w->asks == ASKS_MAX) {
        return ia_err_set(err, IA_E_NOT_MET, "asked %d times, it does not hold: %.300s",
                          ASKS_MAX, ia_buf_cstr(&w->said));
    }
    w->asks++;
    enum ia_rc rc = ia_vision_ask(w->v, w->env, IA_VISION_ANSWER, ia_str(w->text),
                                  ia_buf_str(&look->png), &answer, err);
    if (rc == IA_OK) {
        *ret = json_is_true(json_object_get(answer, "holds"));
        ia_buf_reset(&w->said);
        ia_buf_puts(&w->said, ia_json_text(answer, "answer"));
    }
    json_decref(answer);
    return rc;
}

/* One look. changed: another picture than the one before, or the first. */
static enum ia_rc holds(struct watch *w, const struct ia_vision_look *look, bool changed,
                        bool *ret, struct ia_err *err)
{
    struct ia_pixels_change c;
    *ret = false;
    if (strcmp(w->until, "changed") == 0) {
        *ret = ia_pixels_changed(&w->first, &look->pixels, &c);
    } else if (strcmp(w->until, "still") == 0) {
        *ret = w->looks > 0 && !changed;
    } else if (changed && strcmp(w->until, "text") == 0) {
        return text_shown(w, ret, err);
    } else if (changed) {
        return question_holds(w, look, ret, err);
    }
    return IA_OK;
}

static enum ia_rc watch_once(struct watch *w, bool *ret, struct ia_err *err)
{
    struct ia_vision_look look;
    struct ia_pixels_change c;
    enum ia_rc rc = ia_vision_look(w->env, false, &look, err);
    if (rc == IA_OK) {
        bool changed = w->looks == 0 || ia_pixels_changed(&w->last, &look.pixels, &c);
        struct ia_pixels *keep = w->looks == 0 ? &w->first : NULL;
        if (keep) {
            rc = ia_pixels_read(ia_buf_str(&look.png), keep, err);
        }
        rc = rc == IA_OK ? holds(w, &look, changed, ret, err) : rc;
        w->looks++;
        ia_pixels_fini(&w->last);
        w->last = look.pixels;
        look.pixels = (struct ia_pixels){0};
    }
    ia_vision_look_fini(&look);
    return rc;
}

static enum ia_rc watch(struct watch *w, struct ia_err *err)
{
    bool met = false;
    enum ia_rc rc = IA_OK;
    while (rc == IA_OK && !met) {
        rc = ia_deadline_check(&w->env->limit, w->env->clock, err);
        if (rc == IA_OK && w->looks > 0) {
            int64_t next = ia_mono_us(w->env->clock) + POLL_US;
            (void)ia_clock_wait(w->env->clock, w->env->limit.cancel,
                                next < w->env->limit.at_us ? next : w->env->limit.at_us);
        }
        if (rc == IA_OK) {
            rc = watch_once(w, &met, err);
        }
    }
    if (rc == IA_E_TIMEOUT) {
        (void)ia_err_set(err, rc, "until %s: it did not come about in that time", w->until);
    }
    return rc;
}

static void tell(struct watch *w, struct ia_tool_result *ret)
{
    ret->picture = w->last.rgb ? ia_pixels_hash(&w->last) : 0;
    ia_tool_show(w->env, ret, false);
    if (w->said.len > 0) {
        ia_buf_puts(&ret->text, "\nsaid of the picture:\n");
        ia_fence(&ret->text, w->env->boundary, ia_buf_str(&w->said));
    }
}

enum ia_rc ia_vision_call_watch_until(void *ctx, const struct ia_tool_env *env,
                                      const json_t *in, struct ia_tool_result *ret,
                                      struct ia_err *err)
{
    struct ia_tool_env mine = *env;
    json_int_t s = json_integer_value(json_object_get(in, "seconds"));
    int64_t until = ia_mono_us(env->clock) + (s > 0 ? s : SECONDS) * 1000000;
    mine.limit.at_us = until < env->limit.at_us ? until : env->limit.at_us;
    struct watch w = {.v = ctx,
                      .env = &mine,
                      .until = ia_json_text(in, "until"),
                      .text = ia_json_text(in, "text"),
                      .said = IA_BUF(LINE_MAX_BYTES)};
    bool needs = strcmp(w.until, "text") == 0 || strcmp(w.until, "question") == 0;
    enum ia_rc rc =
        needs && !*w.text
            ? ia_err_set(err, IA_E_USAGE, "watch_until: until %s needs the field text", w.until)
            : watch(&w, err);
    if (rc == IA_OK) {
        tell(&w, ret);
    }
    ia_buf_fini(&w.said);
    ia_pixels_fini(&w.first);
    ia_pixels_fini(&w.last);
    return rc;
}
