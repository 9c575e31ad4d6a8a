/* marks.c: the picture of the screen, and numbers on what can be pointed at. */
#include "agent/vision/vision_impl.h"

#include "driver/image/image.h"
#include "driver/image/marks.h"
#include "driver/snapshot/rect.h"
#include "json/json.h"

#include <math.h>
#include <string.h>

enum { STILL_TRIES = 12, STILL_US = 150000, GRID_PT = 50 };
/* Of the screen: a larger element is a canvas or a list, and its parts are marked. */
#define CANVAS_SHARE 0.25

/* ---- looking ----------------------------------------------------------------------------- */

static enum ia_rc read_tree(const struct ia_tool_env *env, bool still,
                            const struct ia_snapshot **ret, struct ia_err *err)
{
    struct ia_deadline deadline = ia_tool_deadline(env);
    enum ia_rc rc = still ? ia_session_snapshot(env->session, &deadline, ret, err)
                          : ia_session_peek(env->session, &deadline, ret, err);
    return rc == IA_OK ? ia_tool_may_show(env, *ret, err) : rc;
}

static enum ia_rc photograph(const struct ia_tool_env *env, struct ia_vision_look *l,
                             struct ia_err *err)
{
    ia_buf_reset(&l->png);
    ia_pixels_fini(&l->pixels);
    struct ia_deadline deadline = ia_tool_deadline(env);
    enum ia_rc rc = ia_session_screenshot(env->session, &deadline, &l->png, err);
    return rc == IA_OK ? ia_pixels_read(ia_buf_str(&l->png), &l->pixels, err) : rc;
}

static enum ia_rc until_still(const struct ia_tool_env *env, struct ia_vision_look *l,
                              struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    bool same = false;
    for (int i = 0; i < STILL_TRIES && !same && rc == IA_OK; i++) {
        struct ia_pixels before = l->pixels;
        struct ia_pixels_change ignored;
        l->pixels = (struct ia_pixels){0};
        rc = i > 0 ? ia_clock_wait(env->clock, env->limit.cancel,
                                   ia_mono_us(env->clock) + STILL_US)
                   : IA_OK;
        if (rc == IA_OK) {
            rc = photograph(env, l, err);
        }
        same = rc == IA_OK && !ia_pixels_changed(&before, &l->pixels, &ignored);
        ia_pixels_fini(&before);
    }
    return rc;
}

void ia_vision_know(struct ia_vision *v, const struct ia_pixels *pixels, struct ia_rect shown)
{
    size_t n = (size_t)pixels->width * (size_t)pixels->height;
    v->known.rgb = ia_realloc(v->known.rgb, n, sizeof(*v->known.rgb));
    memcpy(v->known.rgb, pixels->rgb, n * sizeof(*v->known.rgb));
    v->known.width = pixels->width;
    v->known.height = pixels->height;
    v->shown =
        ia_rect_empty(shown) ? (struct ia_rect){0, 0, pixels->width, pixels->height} : shown;
}

enum ia_rc ia_vision_look(const struct ia_tool_env *env, bool still, struct ia_vision_look *ret,
                          struct ia_err *err)
{
    *ret = (struct ia_vision_look){.png = IA_BUF(IA_PNG_BYTES_MAX)};
    enum ia_rc rc = read_tree(env, still, &ret->tree, err);
    if (rc == IA_OK) {
        rc = photograph(env, ret, err);
    }
    if (rc == IA_OK && still) {
        rc = until_still(env, ret, err);
    }
    return rc;
}

void ia_vision_look_fini(struct ia_vision_look *l)
{
    ia_buf_fini(&l->png);
    ia_pixels_fini(&l->pixels);
}

struct ia_rect ia_vision_region(const json_t *input)
{
    const json_t *r = json_object_get(input, "region");
    return (struct ia_rect){json_number_value(json_object_get(r, "x")),
                            json_number_value(json_object_get(r, "y")),
                            json_number_value(json_object_get(r, "width")),
                            json_number_value(json_object_get(r, "height"))};
}

/* ---- marks ------------------------------------------------------------------------------- */

void ia_vision_forget(struct ia_vision *v)
{
    ia_pixels_fini(&v->seen);
    v->count = 0;
}

const struct ia_vision_mark *ia_vision_find(const struct ia_vision *v, uint32_t number)
{
    for (size_t i = 0; i < v->count; i++) {
        if (v->marks[i].number == number) {
            return &v->marks[i];
        }
    }
    return NULL;
}

static void add_elements(struct ia_vision *v, const struct ia_snapshot *s)
{
    const struct ia_element *e;
    for (size_t i = 0; (e = ia_snapshot_at(s, i)) && v->count < IA_VISION_MARKS_MAX; i++) {
        bool touched = (e->actions & IA_ACT_TAP) && e->reach == IA_REACH_OK;
        if (e->listed && e->ref > 0 && touched && e->role != IA_ROLE_OTHER) {
            v->marks[v->count++] = (struct ia_vision_mark){e->ref, e->frame, true, e->ref};
        }
    }
}

/* Whether an element's mark says as much: the part lies in it, and it is no whole canvas. */
static bool is_known(const struct ia_vision *v, size_t elements, struct ia_rect part,
                     const struct ia_pixels *p)
{
    for (size_t i = 0; i < elements; i++) {
        struct ia_rect box = v->marks[i].box;
        bool inside = ia_rect_has(box, ia_rect_center(part));
        if (inside && ia_rect_area(box) < CANVAS_SHARE * p->width * p->height) {
            return true;
        }
    }
    return false;
}

/* The number that the same part had on the picture before: same place, same pixels. */
static uint32_t number_before(const struct ia_vision *old, const struct ia_vision_look *now,
                              struct ia_rect box)
{
    for (size_t i = 0; i < old->count; i++) {
        const struct ia_vision_mark *m = &old->marks[i];
        struct ia_pixels_change ignored;
        if (!m->element && ia_rect_near(m->box, box, 0.5) &&
            !ia_pixels_differ(&old->seen, &now->pixels, box, &ignored)) {
            return m->number;
        }
    }
    return 0;
}

static void add_parts(struct ia_vision *v, const struct ia_vision *old,
                      const struct ia_tool_env *env, const struct ia_vision_look *look)
{
    struct ia_rect parts[IA_BLOBS_MAX];
    size_t n = ia_pixels_blobs(&look->pixels, parts, IA_BLOBS_MAX), elements = v->count;
    uint32_t last = ia_session_last_ref(env->session);
    double top = ia_pixels_status(&look->pixels);
    for (size_t i = 0; i < n && v->count < IA_VISION_MARKS_MAX; i++) {
        if (parts[i].y + parts[i].h <= top || is_known(v, elements, parts[i], &look->pixels)) {
            continue;
        }
        const struct ia_element *e = ia_session_under(look->tree, ia_rect_center(parts[i]));
        uint32_t number = number_before(old, look, parts[i]);
        v->marks[v->count++] =
            (struct ia_vision_mark){number ? number : ++last, parts[i], false, e ? e->ref : 0};
    }
    /* No element will get them. */
    ia_session_skip_refs(env->session, last);
}

void ia_vision_mark(struct ia_vision *v, const struct ia_tool_env *env,
                    struct ia_vision_look *look)
{
    struct ia_vision *old = ia_calloc(1, sizeof(*old));
    old->seen = v->seen;
    old->count = v->count;
    memcpy(old->marks, v->marks, sizeof(v->marks));
    v->count = 0;
    add_elements(v, look->tree);
    add_parts(v, old, env, look);
    ia_pixels_fini(&old->seen);
    free(old);
    v->seen = look->pixels;
    look->pixels = (struct ia_pixels){0};
}

enum ia_rc ia_vision_draw_marks(const struct ia_vision *v, const struct ia_vision_look *look,
                                int grid_pt, struct ia_buf *ret_png, struct ia_err *err)
{
    struct ia_mark marks[IA_VISION_MARKS_MAX];
    for (size_t i = 0; i < v->count; i++) {
        marks[i] = (struct ia_mark){v->marks[i].number, v->marks[i].box};
    }
    const struct ia_marks_page page = {marks, v->count, grid_pt, {0, 0}};
    return ia_png_mark(ia_buf_str(&look->png), &page, ret_png, err);
}

/* ---- capture_screen ---------------------------------------------------------------------- */

/* What is no element, with the colour of its middle: elements are in the text of the screen. */
static void put_parts(const struct ia_vision *v, struct ia_buf *out)
{
    for (size_t i = 0; i < v->count; i++) {
        const struct ia_vision_mark *m = &v->marks[i];
        struct ia_point c = ia_rect_center(m->box);
        if (!m->element) {
            ia_buf_printf(out, "%u at %g,%g %gx%g #%06x\n", (unsigned)m->number, floor(c.x),
                          floor(c.y), m->box.w, m->box.h,
                          (unsigned)ia_pixels_at(&v->seen, (int)c.x, (int)c.y));
        }
    }
}

static enum ia_rc cut(const json_t *in, struct ia_buf *png, struct ia_err *err)
{
    struct ia_rect part = ia_vision_region(in);
    struct ia_buf all = *png;
    if (ia_rect_empty(part)) {
        return IA_OK;
    }
    *png = IA_BUF(IA_PNG_BYTES_MAX);
    enum ia_rc rc = ia_png_crop(ia_buf_str(&all), &part, png, err);
    ia_buf_fini(&all);
    return rc;
}

static enum ia_rc picture_of(struct ia_vision *v, const struct ia_tool_env *env,
                             const json_t *in, struct ia_vision_look *look,
                             struct ia_tool_result *ret, struct ia_err *err)
{
    struct ia_buf png = IA_BUF(IA_PNG_BYTES_MAX);
    int grid = json_is_true(json_object_get(in, "grid")) ? GRID_PT : 0;
    ret->picture = ia_pixels_hash(&look->pixels);
    ia_vision_know(v, &look->pixels, ia_vision_region(in));
    if (json_is_false(json_object_get(in, "marks"))) {
        ia_vision_forget(v);
    } else {
        ia_vision_mark(v, env, look);
    }
    enum ia_rc rc = ia_vision_draw_marks(v, look, grid, &png, err);
    if (rc == IA_OK) {
        rc = cut(in, &png, err);
    }
    if (rc == IA_OK) {
        rc = env->keep(env->keep_ctx, ia_buf_str(&png), &ret->image, err);
    }
    ia_buf_fini(&png);
    return rc;
}

enum ia_rc ia_vision_call_capture_screen(void *ctx, const struct ia_tool_env *env,
                                         const json_t *in, struct ia_tool_result *ret,
                                         struct ia_err *err)
{
    struct ia_vision *v = ctx;
    struct ia_vision_look look;
    struct ia_buf parts = IA_BUF(IA_RESULT_BYTES_MAX);
    if (!env->keep) {
        return ia_err_set(err, IA_E_UNSUPPORTED,
                          "capture_screen: pictures cannot be stored here");
    }
    enum ia_rc rc = ia_vision_look(env, true, &look, err);
    if (rc == IA_OK) {
        rc = picture_of(v, env, in, &look, ret, err);
    }
    if (rc == IA_OK) {
        ia_tool_show(env, ret, false);
        put_parts(v, &parts);
    }
    if (parts.len > 0) {
        ia_buf_puts(&ret->text, "\nmarks that are no elements:\n");
        ia_fence(&ret->text, env->boundary, ia_buf_str(&parts));
    }
    ia_buf_fini(&parts);
    ia_vision_look_fini(&look);
    return rc;
}
