/* edit_menu.c: the menu of a text field that was pressed long while there is something to paste. Paste
 * types it where the cursor is; whatever else is done takes the menu away
 * (driver/embedded/op/op_act.c). */
#include "driver/embedded/ui/shell.h"

#include "base/utf8.h"

#include <math.h>
#include <string.h>

enum { W = 84, H = 44, GAP = 8, TEXT = 15 };

/* Lines become spaces: a field has one, and a newline would be the return key. */
static void on_paste(struct ia_phone *p, const struct ia_touch *t)
{
    const char *text = p->system.pasteboard ? p->system.pasteboard : "";
    (void)t;
    for (size_t i = 0, n = strlen(text); i < n && ia_phone_front(p)->focus >= 0;) {
        size_t len = ia_utf8_valid_len(text + i, n - i);
        bool space = text[i] == '\n' || text[i] == '\t';
        ia_edit_type(p, space ? " " : text + i, space ? 1 : len);
        i += len > 0 ? len : 1;
    }
}

/* The field that has the keyboard; NULL: it is not on the screen. */
static const struct ia_view *field_of(const struct ia_scene *s)
{
    for (int32_t i = 0; i < s->count; i++) {
        if (s->views[i].flags & IA_VIEW_FOCUSED) {
            return &s->views[i];
        }
    }
    return NULL;
}

void ia_edit_menu_build(const struct ia_phone *p, struct ia_scene *s)
{
    const struct ia_view *field = p->system.menu ? field_of(s) : NULL;
    if (!field) {
        return;
    }
    float above = field->y - H - GAP, below = field->y + field->h + GAP;
    float y = rintf(above > s->display->top ? above : below);
    float x = fminf(fmaxf(field->x, GAP), s->display->w - W - GAP);
    (void)ia_scene_push(s, IA_EL_MENU_ITEM, x, y, W, H);
    struct ia_view *v = &s->views[s->parent];
    v->label = "Paste";
    v->tap = on_paste;
    v->paint = IA_PAINT_FILL;
    v->color = IA_COLOR_ALERT;
    v->radius = 12;
    v->flags = IA_VIEW_SHADOW;
    struct ia_view *text =
        ia_scene_label(s, "Paste", x + W / 2.0F, y + (H - ia_text_height(TEXT)) / 2, W,
                       IA_INK(TEXT, IA_COLOR_LABEL, IA_VIEW_CENTER));
    text->type = IA_EL_ANY;
    ia_scene_pop(s);
}
