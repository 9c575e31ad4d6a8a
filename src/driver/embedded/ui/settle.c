/* settle.c: what follows from an operation without being asked for: scroll positions stay in range,
 * and the focused field stays clear of the keyboard. */
#include "driver/embedded/ui/shell.h"

static void settle_scroll(struct ia_app_state *a, const struct ia_scene *s)
{
    for (int i = 0; i < s->scroller_count; i++) {
        const struct ia_scroller *sc = &s->scrollers[i];
        float *scroll = &a->nav[sc->entry].scroll;
        *scroll = *scroll > sc->max ? sc->max : *scroll;
    }
}

static const struct ia_view *focused_field(const struct ia_scene *s)
{
    for (int32_t i = 0; i < s->count; i++) {
        if (s->views[i].flags & IA_VIEW_FIELD) {
            return &s->views[i];
        }
    }
    return NULL;
}

/* Scrolls the top screen so that the focused field stands clear of the keyboard. */
static void reveal_field(struct ia_app_state *a, const struct ia_scene *s)
{
    const struct ia_view *field = focused_field(s);
    float limit = s->display->h - s->display->keyboard - 8;
    if (a->focus >= 0 && field && field->y + field->h > limit) {
        a->nav[a->depth - 1].scroll += field->y + field->h - limit;
    }
}

void ia_phone_settle(struct ia_phone *p)
{
    struct ia_app_state *a = ia_phone_front(p);
    if (!a || p->locked) {
        return;
    }
    struct ia_scene s;
    ia_phone_scene(p, &s);
    settle_scroll(a, &s);
    reveal_field(a, &s);
    ia_scene_fini(&s);
}
