#include "world.h"

#include "driver/image/image.h"

#include <math.h>

static const struct ia_deadline no_limit = {NULL, IA_NO_DEADLINE};

/* ---- the phone --------------------------------------------------------------------------- */

static struct seen_phone *of(struct ia_device *d)
{
    return (struct seen_phone *)d;
}

static void somebody_touches(struct seen_phone *p)
{
    struct ia_err err;
    if (++p->pictures != p->touch_at) {
        return;
    }
    bool drags = p->touch_to.x > 0 || p->touch_to.y > 0;
    enum ia_rc rc =
        drags ? ia_device_drag(p->forward.inner, &no_limit, p->touch, p->touch_to, 200, &err)
              : ia_device_tap(p->forward.inner, &no_limit, p->touch, &err);
    assert_int_equal(rc, IA_OK);
}

static enum ia_rc scaled_screenshot(struct ia_device *d, const struct ia_deadline *deadline,
                                    struct ia_buf *ret, struct ia_err *err)
{
    struct seen_phone *p = of(d);
    struct ia_buf png = IA_BUF(IA_PNG_BYTES_MAX);
    struct ia_device_info info;
    somebody_touches(p);
    enum ia_rc rc = ia_device_forward_ops.screenshot(d, deadline, &png, err);
    if (rc == IA_OK && p->scale > 0) {
        rc = ia_device_info(p->forward.inner, &info, err);
        rc = rc == IA_OK ? ia_png_scale(ia_buf_str(&png), (int)lrint(info.width_pt * p->scale),
                                        (int)lrint(info.height_pt * p->scale), ret, err)
                         : rc;
    } else if (rc == IA_OK) {
        ia_buf_putstr(ret, ia_buf_str(&png));
    }
    ia_buf_fini(&png);
    return rc;
}

static enum ia_rc point_screenshot(struct ia_device *d, const struct ia_deadline *deadline,
                                   struct ia_buf *ret, struct ia_err *err)
{
    if (of(d)->scale > 0) { /* then the session makes points of pixels */
        return ia_err_set(err, IA_E_UNSUPPORTED, "only pixels");
    }
    somebody_touches(of(d));
    return ia_device_forward_ops.screenshot_pt(d, deadline, ret, err);
}

/* ---- what a call works with -------------------------------------------------------------- */

static enum ia_rc keep(void *ctx, struct ia_str png, struct ia_tool_image *ret,
                       struct ia_err *err)
{
    struct world *w = ctx;
    ia_pixels_fini(&w->kept);
    memcpy(ret->sha, "5ha", 4);
    return ia_pixels_read(png, &w->kept, err);
}

static enum ia_rc answer(void *ctx, const struct ia_tool_question *q, json_t **ret,
                         struct ia_err *err)
{
    struct world *w = ctx;
    char json[512];
    size_t n = 0;
    w->asked++;
    (void)snprintf(w->question, sizeof(w->question), "%.*s", (int)q->text.n, q->text.p);
    ia_pixels_fini(&w->asked_of);
    assert_int_equal(ia_pixels_read(q->png, &w->asked_of, err), IA_OK);
    assert_true(q->system.n > 100 && q->tool.n > 100);
    if (!w->answer) {
        return ia_err_set(err, IA_E_API_STOP, "no answer");
    }
    for (; w->answer[n] && n < sizeof(json) - 1; n++) {
        json[n] = w->answer[n];
        if (json[n] == '\'') {
            json[n] = '"';
        }
    }
    json[n] = '\0';
    *ret = json_loads(json, 0, NULL);
    return ia_prompts_check_any(q->name, q->schema, *ret, err);
}

static enum ia_rc guard(void *ctx, const struct ia_snapshot *fresh, struct ia_err *err)
{
    const struct world *w = ctx;
    (void)fresh;
    return w->guard == IA_OK ? IA_OK : ia_err_set(err, w->guard, "locked to another app");
}

static bool hides(void *ctx, const struct ia_snapshot *s)
{
    (void)s;
    return ((const struct world *)ctx)->hides;
}

void world_open(struct world *w, const char *query, const char *app)
{
    struct ia_embedded_options opt = {.name = "default", .fresh = true, .query = query};
    memset(w, 0, sizeof(*w));
    assert_int_equal(ia_embedded_open(&opt, &w->device, &w->err), IA_OK);
    ia_device_forward_init(&w->phone.forward, w->device);
    w->phone.forward.ops.screenshot = scaled_screenshot;
    w->phone.forward.ops.screenshot_pt = point_screenshot;
    if (app) {
        assert_int_equal(ia_device_launch(w->device, &no_limit, app, &w->err), IA_OK);
    }
    json_t *names = json_pack("[s]", "vision");
    assert_int_equal(ia_prompts_open(NULL, &w->prompts, &w->err), IA_OK);
    w->tools = ia_toolset_new(w->prompts);
    const struct ia_skills_env none = {0};
    assert_int_equal(ia_skills_open(names, &none, w->tools, &w->skills, &w->err), IA_OK);
    json_decref(names);
    const struct ia_session_options how = {.guard = guard, .guard_ctx = w};
    w->env = (struct ia_tool_env){.session = ia_session_new(&w->phone.forward.device, &how),
                                  .clock = ia_clock_system(),
                                  .limit = no_limit,
                                  .boundary = BOUNDARY,
                                  .shown = &w->shown,
                                  .hides = hides,
                                  .hides_ctx = w,
                                  .keep = keep,
                                  .keep_ctx = w,
                                  .ask = answer,
                                  .ask_ctx = w};
    ia_tool_result_init(&w->result);
}

void world_close(struct world *w)
{
    ia_tool_result_fini(&w->result);
    ia_pixels_fini(&w->kept);
    ia_pixels_fini(&w->asked_of);
    ia_snapshot_free(w->shown);
    ia_session_free(w->env.session);
    ia_toolset_free(w->tools);
    ia_skills_free(w->skills);
    ia_prompts_free(w->prompts);
    ia_device_close(w->device);
}

/* ---- calls ------------------------------------------------------------------------------- */

static const struct ia_tool_def *tool_named(const struct world *w, const char *name)
{
    const struct ia_tool_def *def = ia_toolset_find(w->tools, ia_str(name));
    assert_non_null(def);
    return def;
}

enum ia_rc call(struct world *w, const char *tool, const char *input)
{
    const struct ia_tool_def *def = tool_named(w, tool);
    char *json = strdup(input);
    for (char *p = json; *p; p++) {
        *p = *p == '\'' ? '"' : *p;
    }
    json_t *value = json_loads(json, 0, NULL);
    assert_non_null(value);
    ia_tool_result_fini(&w->result);
    ia_tool_result_init(&w->result);
    w->err = (struct ia_err){0};
    enum ia_rc rc = ia_tool_def_check(def, value, &w->err);
    if (rc == IA_OK) {
        rc = def->call(def->ctx, &w->env, value, &w->result, &w->err);
    } else {
        w->err.outcome = IA_OUTCOME_NOT_SENT; /* as the loop does */
    }
    json_decref(value);
    free(json);
    return rc;
}

const char *said(const struct world *w)
{
    return ia_buf_cstr(&w->result.text);
}

void call_ok(struct world *w, const char *tool, const char *input, const char *says)
{
    if (call(w, tool, input) != IA_OK) {
        fail_msg("%s %s: %s", tool, input, w->err.msg);
    }
    if (says && !strstr(said(w), says)) {
        fail_msg("%s %s does not say %s:\n%s", tool, input, says, said(w));
    }
}

void call_refused(struct world *w, const char *tool, const char *input, enum ia_rc code,
                  const char *says)
{
    int64_t before = operations(w);
    enum ia_rc rc = call(w, tool, input);
    if (rc != code) {
        fail_msg("%s %s: %s (%s)\n%s", tool, input, ia_rc_name(rc), w->err.msg, said(w));
    }
    if (tool_named(w, tool)->has_effect) {
        assert_int_equal(w->err.outcome, IA_OUTCOME_NOT_SENT);
    }
    if (!strstr(w->err.msg, says)) {
        fail_msg("%s %s: %s", tool, input, w->err.msg);
    }
    assert_int_equal(operations(w), before);
}

size_t marks(const struct world *w, struct mark *ret, size_t max)
{
    const char *p = strstr(said(w), "marks that are no elements:");
    size_t n = 0;
    for (p = p ? strchr(p, '\n') : NULL; p && n < max; p = strchr(p + 1, '\n')) {
        struct mark *m = &ret[n];
        n += sscanf(p, "\n%u at %lf,%lf %lfx%lf #%x", &m->number, &m->x, &m->y, &m->w, &m->h,
                    &m->color) == 6;
    }
    return n;
}

struct mark mark_of(const struct world *w, unsigned color)
{
    struct mark all[128], found = {0};
    size_t n = marks(w, all, IA_COUNTOF(all)), hits = 0;
    for (size_t i = 0; i < n; i++) {
        if (ia_pixels_apart(all[i].color, color) < 8) {
            found = all[i];
            hits++;
        }
    }
    if (hits != 1) {
        fail_msg("%zu marks of #%06x:\n%s", hits, color, said(w));
    }
    return found;
}

/* ---- the phone's own word ---------------------------------------------------------------- */

char *phone_state(struct world *w)
{
    struct ia_buf out = IA_BUF(1 << 20);
    struct ia_jsonw j;
    ia_jsonw_init(&j, &out);
    ia_embedded_device_state_json(w->device, &j);
    return ia_buf_steal(&out);
}

void assert_state(struct world *w, const char *has)
{
    char *state = phone_state(w);
    if (!strstr(state, has)) {
        fail_msg("no %s in %s", has, state);
    }
    free(state);
}

int64_t operations(struct world *w)
{
    char *state = phone_state(w);
    const char *seq = strstr(state, "\"seq\":");
    int64_t n = seq ? strtoll(seq + 6, NULL, 10) : -1;
    free(state);
    return n;
}
