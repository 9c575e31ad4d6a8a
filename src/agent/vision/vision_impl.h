/* vision_impl.h: what the files of this folder share.
 *
 *   vision.c   the row of the skill
 *   marks.c    pictures, and the marks on them
 *   touch.c    what touches: marks, points, lines, typing
 *   ask.c      what another model says of the picture
 *   read.c     text on pictures, waiting */
#ifndef IA_AGENT_VISION_VISION_IMPL_H
#define IA_AGENT_VISION_VISION_IMPL_H

#include "agent/vision/vision.h"

#include "agent/tools/act.h"

#include "driver/image/ocr.h"
#include "driver/image/pixels.h"

/* X(name, has an effect, is judged for going in circles) */
#define IA_VISION_TOOLS(X)                                                                     \
    X(capture_screen, false, true)                                                             \
    X(tap_mark, true, true)                                                                    \
    X(find_and_tap, true, true)                                                                \
    X(tap_point, true, true)                                                                   \
    X(draw, true, true)                                                                        \
    X(type_focused, true, true)                                                                \
    X(analyze_screen, false, true)                                                             \
    X(read_text, false, true)                                                                  \
    X(watch_until, false, false)

enum { IA_VISION_MARKS_MAX = 64 };

/* A number on the picture. */
struct ia_vision_mark {
    uint32_t number;
    struct ia_rect box;
    bool element;   /* number is its ref */
    uint32_t under; /* else: the ref of the element that lies under its middle, 0 for none */
};

/* A tool by which the other model answers. */
enum ia_vision_answers { IA_VISION_LOCATE, IA_VISION_ANSWER, IA_VISION_ANSWERS };
struct ia_vision_answer {
    json_t *tool;
    char *text; /* on one line */
};

struct ia_vision {
    struct ia_vision_answer answers[IA_VISION_ANSWERS];
    struct ia_pixels seen;  /* the screen that the marks are of; empty: none */
    struct ia_pixels known; /* the screen that the model was shown last, which points are of */
    struct ia_rect shown;   /* the part of it that it was shown */
    struct ia_vision_mark marks[IA_VISION_MARKS_MAX];
    size_t count;
};

/* One look: the session's fresh snapshot, and the picture in points. */
struct ia_vision_look {
    const struct ia_snapshot *tree; /* the session's latest */
    struct ia_buf png;
    struct ia_pixels pixels;
};
/* still: waits until the tree has settled and two pictures are equal. IA_E_APP_LOCK where another app's
 * screen must not be seen. Release with ia_vision_look_fini, whatever it returns. */
enum ia_rc ia_vision_look(const struct ia_tool_env *env, bool still, struct ia_vision_look *ret,
                          struct ia_err *err);
/* The model is shown that picture, or a part of it: points are of it from now on. An empty part is all of it. */
void ia_vision_know(struct ia_vision *v, const struct ia_pixels *pixels, struct ia_rect shown);
void ia_vision_look_fini(struct ia_vision_look *l);
/* Numbers what stands out; the look becomes what the marks are of. */
void ia_vision_mark(struct ia_vision *v, const struct ia_tool_env *env,
                    struct ia_vision_look *look);
/* The picture with them, appended. */
enum ia_rc ia_vision_draw_marks(const struct ia_vision *v, const struct ia_vision_look *look,
                                int grid_pt, struct ia_buf *ret_png, struct ia_err *err);
const struct ia_vision_mark *ia_vision_find(const struct ia_vision *v, uint32_t number);
void ia_vision_forget(struct ia_vision *v);
/* The member region of an input; all zero without one. */
struct ia_rect ia_vision_region(const json_t *input);

/* What the other model says of a picture; the answer is checked. */
enum ia_rc ia_vision_ask(const struct ia_vision *v, const struct ia_tool_env *env,
                         enum ia_vision_answers by, struct ia_str text, struct ia_str png,
                         json_t **ret_answer, struct ia_err *err);

/* Touches a mark; an element as tap does. */
enum ia_rc ia_vision_tap_mark(struct ia_vision *v, const struct ia_tool_env *env,
                              const struct ia_vision_mark *m, struct ia_tool_result *ret,
                              struct ia_err *err);
/* chosen_by: the picture that the point was chosen on; without pixels the call is refused. */
enum ia_rc ia_vision_tap_point(struct ia_vision *v, const struct ia_tool_env *env,
                               struct ia_point at, const struct ia_pixels *chosen_by,
                               struct ia_tool_result *ret, struct ia_err *err);

#define IA_VISION_CALL(name, effect, screen) ia_tool_call_fn ia_vision_call_##name;
IA_VISION_TOOLS(IA_VISION_CALL)
#undef IA_VISION_CALL

#endif
