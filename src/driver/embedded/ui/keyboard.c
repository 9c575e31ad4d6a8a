/* keyboard.c: the on-screen keyboards: letters, numbers, and the phone pad. */
#include "driver/embedded/ui/shell.h"

#include "base/utf8.h"

#include <string.h>

enum { PITCH = 39, ROW_PITCH = 54, TOP_GAP = 4, LEFT = 1, PAD_W = 131 };
/* Below 0, as the argument of any other key is the character that it types. */
enum { KEY_SHIFT = -1, KEY_DELETE = -2, KEY_PAGE = -3 };

static void on_key(struct ia_phone *p, const struct ia_touch *t)
{
    struct ia_app_state *a = ia_phone_front(p);
    char utf8[4];
    switch (t->arg) {
    case KEY_SHIFT:
        a->shift = !a->shift;
        break;
    case KEY_DELETE:
        ia_edit_delete(p);
        break;
    case KEY_PAGE:
        a->page = !a->page;
        break;
    default:
        ia_edit_type(p, utf8, ia_utf8_encode((uint32_t)t->arg, utf8));
        break;
    }
}

struct key {
    float x, y, w;
    enum ia_eltype type;
    const char *label, *ident, *cap; /* cap: what is drawn; NULL: a symbol */
    uint8_t symbol, cap_size;
    bool dark, on, disabled;
    int32_t arg;
};

/* A key's frame is its whole cell; the cap is drawn a little smaller. */
static void add_key(struct ia_scene *s, const struct key *key)
{
    (void)ia_scene_push(s, key->type, key->x, key->y, key->w, ROW_PITCH);
    struct ia_view *v = &s->views[s->parent];
    v->label = key->label;
    v->ident = key->ident;
    v->tap = on_key;
    v->arg = key->arg;
    v->flags = key->on ? IA_VIEW_SELECTED : 0;
    struct ia_view *cap = ia_scene_fill(s, key->dark ? IA_COLOR_KEY_DARK : IA_COLOR_KEY,
                                        key->x + 3, key->y + 6, key->w - 6, ROW_PITCH - 12);
    cap->radius = 5;
    cap->flags = IA_VIEW_SHADOW;
    float middle = key->x + key->w / 2;
    if (key->cap) {
        uint8_t size = key->cap_size;
        struct ia_view *text =
            ia_scene_label(s, key->cap, middle, key->y + 27 - ia_text_height(size) / 2, key->w,
                           IA_INK(size, IA_COLOR_LABEL, IA_VIEW_CENTER));
        text->type = IA_EL_ANY;
    } else {
        struct ia_view *sym = ia_scene_add(s, IA_EL_ANY, middle - 11, key->y + 16, 22, 22);
        sym->paint = IA_PAINT_SYMBOL;
        sym->symbol = key->symbol;
        sym->color = IA_COLOR_LABEL;
    }
    ia_scene_pop(s);
}

/* A run of one-character keys, each `w` wide. */
static void add_row(struct ia_scene *s, const char *chars, float x, float y, float w,
                    bool upper)
{
    for (size_t i = 0; chars[i]; i++) {
        char c = chars[i];
        if (upper && c >= 'a' && c <= 'z') {
            c = (char)(c - 32);
        }
        const char *label = ia_scene_text(s, &c, 1);
        add_key(s, &(struct key){.x = x + (float)i * w,
                                 .y = y,
                                 .w = w,
                                 .type = IA_EL_KEY,
                                 .label = label,
                                 .ident = label,
                                 .cap = label,
                                 .cap_size = 23,
                                 .arg = c});
    }
}

static float row_y(int row)
{
    return IA_SCREEN_H - IA_KEYBOARD_H + TOP_GAP + (float)row * ROW_PITCH;
}

static void delete_key(struct ia_scene *s, float x, float y, float w, bool dark)
{
    add_key(s, &(struct key){.x = x,
                             .y = y,
                             .w = w,
                             .type = IA_EL_KEY,
                             .label = "delete",
                             .ident = "delete",
                             .symbol = IA_SYMBOL_DELETE,
                             .dark = dark,
                             .arg = KEY_DELETE});
}

static void bottom_row(struct ia_scene *s, const struct ia_app_state *a,
                       const struct ia_field *spec, bool email)
{
    float y = row_y(3);
    bool numbers = a->page == 1;
    add_key(s, &(struct key){.x = LEFT,
                             .y = y,
                             .w = 95,
                             .type = IA_EL_KEY,
                             .label = numbers ? "letters" : "numbers",
                             .ident = "more",
                             .cap = numbers ? "ABC" : "123",
                             .cap_size = 16,
                             .dark = true,
                             .arg = KEY_PAGE});
    float space_w = email && !numbers ? 122 : 200;
    add_key(s, &(struct key){.x = LEFT + 95,
                             .y = y,
                             .w = space_w,
                             .type = IA_EL_KEY,
                             .label = "space",
                             .ident = "space",
                             .cap = "space",
                             .cap_size = 16,
                             .arg = ' '});
    if (email && !numbers) {
        add_row(s, "@.", LEFT + 95 + space_w, y, PITCH, false);
    }
    add_key(s, &(struct key){.x = LEFT + 295,
                             .y = y,
                             .w = 96,
                             .type = IA_EL_BUTTON,
                             .label = spec->return_label,
                             .ident = "Return",
                             .cap = spec->return_label,
                             .cap_size = 16,
                             .dark = true,
                             .arg = '\n'});
}

static void letters(struct ia_scene *s, bool shift)
{
    add_row(s, "qwertyuiop", LEFT, row_y(0), PITCH, shift);
    add_row(s, "asdfghjkl", LEFT + 19.5F, row_y(1), PITCH, shift);
    float y = row_y(2);
    add_key(s, &(struct key){.x = LEFT,
                             .y = y,
                             .w = 50,
                             .type = IA_EL_BUTTON,
                             .label = "shift",
                             .ident = "shift",
                             .symbol = shift ? IA_SYMBOL_SHIFT_ON : IA_SYMBOL_SHIFT,
                             .dark = !shift,
                             .on = shift,
                             .arg = KEY_SHIFT});
    add_row(s, "zxcvbnm", LEFT + 58.5F, y, PITCH, shift);
    delete_key(s, LEFT + 340, y, 50, true);
}

static void numbers(struct ia_scene *s)
{
    add_row(s, "1234567890", LEFT, row_y(0), PITCH, false);
    add_row(s, "-/:;()$&@\"", LEFT, row_y(1), PITCH, false);
    add_row(s, ".,?!'+#*_", LEFT + 0.5F, row_y(2), 37.5F, false);
    delete_key(s, LEFT + 340, row_y(2), 50, true);
}

static void phone_pad(struct ia_scene *s)
{
    static const char *const rows[] = {"123", "456", "789", "+0"};
    for (int i = 0; i < 4; i++) {
        add_row(s, rows[i], 0, row_y(i), PAD_W, false);
    }
    delete_key(s, 2 * PAD_W, row_y(3), PAD_W, true);
}

void ia_keyboard_build(const struct ia_phone *p, struct ia_scene *s)
{
    const struct ia_app_state *a = ia_phone_front_const(p);
    const struct ia_field *spec = &ia_phone_app(p)->fields[a->focus];
    float y = IA_SCREEN_H - IA_KEYBOARD_H;
    (void)ia_scene_push(s, IA_EL_WINDOW, 0, 0, IA_SCREEN_W, IA_SCREEN_H);
    int32_t board = ia_scene_push(s, IA_EL_KEYBOARD, 0, y, IA_SCREEN_W, IA_KEYBOARD_H);
    struct ia_view *v = &s->views[board];
    v->paint = IA_PAINT_FILL;
    v->color = IA_COLOR_KEYBOARD;
    v->flags = IA_VIEW_BLOCKS;
    bool email = spec->keyboard == IA_KEYBOARD_EMAIL;
    if (spec->keyboard == IA_KEYBOARD_PHONE) {
        phone_pad(s);
    } else {
        if (a->page == 1) {
            numbers(s);
        } else {
            letters(s, a->shift);
        }
        bottom_row(s, a, spec, email);
    }
    ia_scene_pop(s);
    ia_scene_pop(s);
}
