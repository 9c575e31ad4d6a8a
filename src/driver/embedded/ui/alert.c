/* alert.c: alerts in the middle of the screen and action sheets at its foot. */
#include "driver/embedded/ui/kit.h"
#include "driver/embedded/ui/shell.h"

enum {
    ALERT_W = 270,
    BUTTON_H = 44,
    PAD = 16,
    SHEET_W = IA_SCREEN_W - 16,
    SHEET_BUTTON_H = 57,
    TITLE = 17,
    MESSAGE = 13,
    FIELD_H = 30
};

static void on_button(struct ia_phone *p, const struct ia_touch *t)
{
    ia_alert_press(p, t->arg);
}

static void button(struct ia_scene *s, const struct ia_alert *alert, int i, struct ia_rect box,
                   uint8_t size)
{
    const struct ia_alert_button *b = &alert->buttons[i];
    float x = (float)box.x, y = (float)box.y, w = (float)box.w, h = (float)box.h;
    (void)ia_scene_push(s, IA_EL_BUTTON, x, y, w, h);
    struct ia_view *v = &s->views[s->parent];
    v->label = b->label;
    v->tap = on_button;
    v->arg = i;
    enum ia_color color = b->role == IA_ALERT_DESTRUCTIVE ? IA_COLOR_RED : IA_COLOR_BLUE;
    struct ia_view *text = ia_scene_label(
        s, b->label, x + w / 2, y + (h - ia_text_height(size)) / 2, w - 8,
        IA_INK(size, color,
               IA_VIEW_CENTER | (b->role == IA_ALERT_CANCEL ? (uint32_t)IA_VIEW_BOLD : 0)));
    text->type = IA_EL_ANY;
    ia_scene_pop(s);
}

static void hairline(struct ia_scene *s, float x, float y, float w, float h)
{
    (void)ia_scene_fill(s, IA_COLOR_SEPARATOR, x, y, w, h);
}

/* Title and message from y down inside a box x, w; returns where they end. */
static float texts(struct ia_scene *s, const struct ia_alert *alert, float x, float y, float w)
{
    uint32_t flags = IA_VIEW_CENTER;
    if (alert->title) {
        uint8_t size = alert->action_sheet ? MESSAGE : TITLE;
        enum ia_color color = alert->action_sheet ? IA_COLOR_SECONDARY : IA_COLOR_LABEL;
        y += ia_kit_text(s, alert->title, (struct ia_rect){x, y, w, 0},
                         IA_INK(size, color, flags | IA_VIEW_BOLD | IA_VIEW_HEADER));
    }
    if (alert->message) {
        enum ia_color color = alert->action_sheet ? IA_COLOR_SECONDARY : IA_COLOR_LABEL;
        y += 3;
        y += ia_kit_text(s, alert->message, (struct ia_rect){x, y, w, 0},
                         IA_INK(MESSAGE, color, flags));
    }
    return y;
}

static int32_t panel(struct ia_scene *s, enum ia_eltype type, float x, float w,
                     const char *title)
{
    int32_t at = ia_scene_push(s, type, x, 0, w, 0);
    struct ia_view *v = &s->views[at];
    v->label = title;
    v->ident = title;
    v->flags = IA_VIEW_BLOCKS;
    v->paint = IA_PAINT_FILL;
    v->color = IA_COLOR_ALERT;
    v->radius = 14;
    return at;
}

/* Two buttons stand side by side, others below each other. Returns the height. */
static float alert_buttons(struct ia_scene *s, const struct ia_alert *alert, float x, float y)
{
    int n = ia_alert_count(alert);
    if (n == 2) {
        float half = ALERT_W / 2.0F;
        hairline(s, x, y, ALERT_W, 0.5F);
        button(s, alert, 0, (struct ia_rect){x, y, half, BUTTON_H}, TITLE);
        button(s, alert, 1, (struct ia_rect){x + half, y, half, BUTTON_H}, TITLE);
        hairline(s, x + half, y, 0.5F, BUTTON_H);
        return BUTTON_H;
    }
    for (int i = 0; i < n; i++) {
        float at = y + (float)i * BUTTON_H;
        hairline(s, x, at, ALERT_W, 0.5F);
        button(s, alert, i, (struct ia_rect){x, at, ALERT_W, BUTTON_H}, TITLE);
    }
    return (float)n * BUTTON_H;
}

/* The text field of an alert, under its message; returns where it ends. */
static float alert_field(const struct ia_phone *p, struct ia_scene *s, int field, float x,
                         float y)
{
    const struct ia_field *spec = &ia_phone_app(p)->fields[field];
    const struct ia_app_state *a = ia_phone_front_const(p);
    struct ia_rect box = {x, y + 12, ALERT_W - 2 * PAD, FIELD_H};
    struct ia_view *v = ia_kit_push_field(s, a, spec, field, box);
    v->paint = IA_PAINT_FILL;
    v->color = IA_COLOR_FIELD;
    v->radius = 6;
    box.x += 6;
    box.w -= 12;
    ia_kit_field_content(s, a, spec, field, box, false);
    ia_scene_pop(s);
    return y + 12 + FIELD_H;
}

/* Built at the top of the screen, then moved to its middle, or to that of what the keyboard leaves,
 * when its height is known. */
static void centred_alert(const struct ia_phone *p, struct ia_scene *s,
                          const struct ia_alert *alert)
{
    const struct ia_display *d = s->display;
    float x = (d->w - ALERT_W) / 2 - 0.5F;
    int32_t at = panel(s, IA_EL_ALERT, x, ALERT_W, alert->title);
    float y = texts(s, alert, x + PAD, 20, ALERT_W - 2 * PAD);
    y = (alert->field ? alert_field(p, s, alert->field, x + PAD, y) : y) + 20;
    float h = y + alert_buttons(s, alert, x, y);
    s->views[at].h = h;
    ia_scene_pop(s);
    float room = alert->field ? d->h - d->keyboard : d->h;
    ia_scene_shift(s, at, s->count, (float)((int)((room - h) / 2)));
}

/* The card with the choices; the Cancel button is a card of its own below it. */
static float sheet_choices(struct ia_scene *s, const struct ia_alert *alert, float x, float y)
{
    for (int i = 0; i < ia_alert_count(alert); i++) {
        if (alert->buttons[i].role != IA_ALERT_CANCEL) {
            hairline(s, x, y, SHEET_W, 0.5F);
            button(s, alert, i, (struct ia_rect){x, y, SHEET_W, SHEET_BUTTON_H}, 20);
            y += SHEET_BUTTON_H;
        }
    }
    return y;
}

static void action_sheet(struct ia_scene *s, const struct ia_alert *alert)
{
    float x = (s->display->w - SHEET_W) / 2;
    int32_t outer = ia_scene_push(s, IA_EL_SHEET, x, 0, SHEET_W, 0);
    s->views[outer].label = alert->title;
    s->views[outer].ident = alert->title;
    s->views[outer].flags = IA_VIEW_BLOCKS;
    int32_t card = panel(s, IA_EL_OTHER, x, SHEET_W, NULL);
    float y = texts(s, alert, x + PAD, 14, SHEET_W - 2 * PAD);
    y = sheet_choices(s, alert, x, y > 14 ? y + 14 : 0);
    s->views[card].h = y;
    ia_scene_pop(s);
    y += 8; /* the card with the button that dismisses it stands apart */
    ia_scene_fill(s, IA_COLOR_CARD, x, y, SHEET_W, SHEET_BUTTON_H)->radius = 14;
    button(s, alert, ia_alert_dismiss_index(alert),
           (struct ia_rect){x, y, SHEET_W, SHEET_BUTTON_H}, 20);
    float h = y + SHEET_BUTTON_H;
    s->views[outer].h = h;
    ia_scene_pop(s);
    ia_scene_shift(s, outer, s->count, s->display->h - s->display->foot - h);
}

void ia_alert_build(const struct ia_phone *p, struct ia_scene *s)
{
    const struct ia_alert *alert = ia_alert_shown(p);
    (void)ia_scene_push(s, IA_EL_WINDOW, 0, 0, s->display->w, s->display->h);
    struct ia_view *dim = ia_scene_add(s, IA_EL_OTHER, 0, 0, s->display->w, s->display->h);
    dim->ident = "dimming-view";
    dim->paint = IA_PAINT_FILL;
    dim->color = IA_COLOR_DIM;
    dim->flags = IA_VIEW_BLOCKS;
    if (alert->action_sheet) {
        action_sheet(s, alert);
    } else {
        centred_alert(p, s, alert);
    }
    ia_scene_pop(s);
}
