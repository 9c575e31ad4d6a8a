/* ask.c: what another model says of the picture: where a thing is, or the answer to a question. The
 * answer is checked by schema and used as a place on the screen or as data, never as an instruction. */
#include "agent/vision/vision_impl.h"

#include "driver/image/image.h"
#include "driver/snapshot/rect.h"
#include "json/json.h"

#include <string.h>

enum { TEXT_BYTES = 4096 };

enum ia_rc ia_vision_ask(const struct ia_vision *v, const struct ia_tool_env *env,
                         enum ia_vision_answers by, struct ia_str text, struct ia_str png,
                         json_t **ret_answer, struct ia_err *err)
{
    const json_t *tool = v->answers[by].tool;
    const struct ia_tool_question q = {
        .text = text,
        .png = png,
        .system = ia_skill_text(IA_VISION, "see.md"),
        .tool = ia_str(v->answers[by].text),
        .schema = json_object_get(tool, "input_schema"),
        .name = json_string_value(json_object_get(tool, "name")),
    };
    if (!env->ask) {
        return ia_err_set(err, IA_E_UNSUPPORTED, "there is no model here to look at a picture");
    }
    return env->ask(env->ask_ctx, &q, ret_answer, err);
}

/* ---- find_and_tap ------------------------------------------------------------------------ */

static enum ia_rc not_found(const char *why, const struct ia_tool_env *env,
                            struct ia_tool_result *ret, struct ia_err *err)
{
    ia_buf_puts(&ret->text, "\nsaid of the picture:\n");
    ia_fence(&ret->text, env->boundary, ia_str(why));
    enum ia_rc rc =
        ia_err_set(err, IA_E_NOT_FOUND, "it was not found on the picture: %.300s", why);
    ia_err_hint(err, "describe it by what it shows and where it is, or call capture_screen");
    err->outcome = IA_OUTCOME_NOT_SENT;
    return rc;
}

/* By the mark that it names, else by the point; both only on the picture that it was shown. */
static enum ia_rc tap_answer(struct ia_vision *v, const struct ia_tool_env *env,
                             const json_t *answer, struct ia_tool_result *ret,
                             struct ia_err *err)
{
    const char *what = ia_json_text(answer, "what");
    json_int_t number = json_integer_value(json_object_get(answer, "mark"));
    const json_t *x = json_object_get(answer, "x"), *y = json_object_get(answer, "y");
    const struct ia_vision_mark *m =
        number > 0 && number <= UINT32_MAX ? ia_vision_find(v, (uint32_t)number) : NULL;
    struct ia_point at = {json_number_value(x), json_number_value(y)};
    bool inside =
        x && y && ia_rect_has((struct ia_rect){0, 0, v->seen.width, v->seen.height}, at);
    if (!json_is_true(json_object_get(answer, "found"))) {
        return not_found(what, env, ret, err);
    }
    if (!m && !inside) {
        return not_found("the place that was named is not on the screen", env, ret, err);
    }
    ia_buf_puts(&ret->text, "\nfound:\n");
    ia_fence(&ret->text, env->boundary, ia_str(what));
    return m ? ia_vision_tap_mark(v, env, m, ret, err)
             : ia_vision_tap_point(v, env, at, &v->seen, ret, err);
}

enum ia_rc ia_vision_call_find_and_tap(void *ctx, const struct ia_tool_env *env,
                                       const json_t *in, struct ia_tool_result *ret,
                                       struct ia_err *err)
{
    struct ia_vision *v = ctx;
    struct ia_vision_look look;
    struct ia_buf png = IA_BUF(IA_PNG_BYTES_MAX), text = IA_BUF(TEXT_BYTES);
    json_t *answer = NULL;
    enum ia_rc rc = ia_vision_look(env, true, &look, err);
    if (rc == IA_OK) {
        ia_vision_mark(v, env, &look);
        rc = ia_vision_draw_marks(v, &look, 0, &png, err);
    }
    if (rc == IA_OK) {
        ia_buf_printf(&text, "Where is this? %s", ia_json_text(in, "description"));
        rc = ia_vision_ask(v, env, IA_VISION_LOCATE, ia_buf_str(&text), ia_buf_str(&png),
                           &answer, err);
    }
    if (rc != IA_OK) {
        err->outcome = IA_OUTCOME_NOT_SENT;
    } else {
        rc = tap_answer(v, env, answer, ret, err);
    }
    /* The model has not seen these numbers. */
    ia_vision_forget(v);
    json_decref(answer);
    ia_buf_fini(&text);
    ia_buf_fini(&png);
    ia_vision_look_fini(&look);
    return rc;
}

/* ---- analyze_screen ---------------------------------------------------------------------- */

enum ia_rc ia_vision_call_analyze_screen(void *ctx, const struct ia_tool_env *env,
                                         const json_t *in, struct ia_tool_result *ret,
                                         struct ia_err *err)
{
    struct ia_vision_look look;
    json_t *answer = NULL;
    enum ia_rc rc = ia_vision_look(env, true, &look, err);
    if (rc == IA_OK) {
        rc = ia_vision_ask(ctx, env, IA_VISION_ANSWER, ia_str(ia_json_text(in, "question")),
                           ia_buf_str(&look.png), &answer, err);
    }
    if (rc == IA_OK) {
        ret->picture = ia_pixels_hash(&look.pixels);
        ia_buf_puts(&ret->text, "\nsaid of the picture:\n");
        ia_fence(&ret->text, env->boundary, ia_str(ia_json_text(answer, "answer")));
    }
    json_decref(answer);
    ia_vision_look_fini(&look);
    return rc;
}
