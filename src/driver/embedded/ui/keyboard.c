/* keyboard.c: the on-screen keyboards: letters, numbers, and the phone pad. */
#include "driver/embedded/ui/shell.h"

#include "base/utf8.h"

#include <math.h>
#include <string.h>

enum { TOP_GAP = 4 };
/* The measures of a keyboard, from which all keys have theirs. */
struct board {
    float left, pitch, row,
        gap; /* gap: between a cap and the end of its cell, above and below */
    float side, more, space, enter; /* how wide: shift and delete, numbers, space, return */
    float pad_left, pad;            /* of the phone pad, and of its keys */
    float y;                        /* its first row */
};
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
static void add_key(struct ia_scene *s, const struct board *b, const struct key *key)
{
    (void)ia_scene_push(s, key->type, key->x, key->y, key->w, b->row);
    struct ia_view *v = &s->views[s->parent];
    v->label = key->label;
    v->ident = key->ident;
    v->tap = on_key;
    v->arg = key->arg;
    v->flags = key->on ? IA_VIEW_SELECTED : 0;
    struct ia_view *cap =
        ia_scene_fill(s, key->dark ? IA_COLOR_KEY_DARK : IA_COLOR_KEY, key->x + 3,
                      key->y + b->gap, key->w - 6, b->row - 2 * b->gap);
    cap->radius = 5;
    cap->flags = IA_VIEW_SHADOW;
    float middle = key->x + key->w / 2, middle_y = key->y + b->row / 2;
    if (key->cap) {
        uint8_t size = key->cap_size;
        struct ia_view *text =
            ia_scene_label(s, key->cap, middle, middle_y - ia_text_height(size) / 2, key->w,
                           IA_INK(size, IA_COLOR_LABEL, IA_VIEW_CENTER));
        text->type = IA_EL_ANY;
    } else {
        struct ia_view *sym = ia_scene_add(s, IA_EL_ANY, middle - 11, middle_y - 11, 22, 22);
        sym->paint = IA_PAINT_SYMBOL;
        sym->symbol = key->symbol;
        sym->color = IA_COLOR_LABEL;
    }
    ia_scene_pop(s);
}

/* A run of one-character keys, each `w` wide. */
static void add_row(struct ia_scene *s, const struct board *b, const char *chars, float x,
                    float y, float w, bool upper)
{
    for (size_t i = 0; chars[i]; i++) {
        char c = chars[i];
        if (upper && c >= 'a' && c <= 'z') {
            c = (char)(c - 32);
        }
        const char *label = ia_scene_text(s, &c, 1);
        add_key(s, b,
                &(struct key){.x = x + (float)i * w,
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

static float row_y(const struct board *b, int row)
{
    return b->y + (float)row * b->row;
}

static void delete_key(struct ia_scene *s, const struct board *b, float x, float y, float w,
                       bool dark)
{
    add_key(s, b,
            &(struct key){.x = x,
                          .y = y,
                          .w = w,
                          .type = IA_EL_KEY,
                          .label = "delete",
                          .ident = "delete",
                          .symbol = IA_SYMBOL_DELETE,
                          .dark = dark,
                          .arg = KEY_DELETE});
}

static void bottom_row(struct ia_scene *s, const struct board *b, const struct ia_app_state *a,
                       const struct ia_field *spec)
{
    float y = row_y(b, 3), x = b->left + b->more;
    bool numbers = a->page == 1, email = spec->keyboard == IA_KEYBOARD_EMAIL && !numbers;
    add_key(s, b,
            &(struct key){.x = b->left,
                          .y = y,
                          .w = b->more,
                          .type = IA_EL_KEY,
                          .label = numbers ? "letters" : "numbers",
                          .ident = "more",
                          .cap = numbers ? "ABC" : "123",
                          .cap_size = 16,
                          .dark = true,
                          .arg = KEY_PAGE});
    float space_w = b->space - (email ? 2 * b->pitch : 0);
    add_key(s, b,
            &(struct key){.x = x,
                          .y = y,
                          .w = space_w,
                          .type = IA_EL_KEY,
                          .label = "space",
                          .ident = "space",
                          .cap = "space",
                          .cap_size = 16,
                          .arg = ' '});
    if (email) {
        add_row(s, b, "@.", x + space_w, y, b->pitch, false);
    }
    add_key(s, b,
            &(struct key){.x = x + b->space,
                          .y = y,
                          .w = b->enter,
                          .type = IA_EL_BUTTON,
                          .label = spec->return_label,
                          .ident = "Return",
                          .cap = spec->return_label,
                          .cap_size = 16,
                          .dark = true,
                          .arg = '\n'});
}

static void letters(struct ia_scene *s, const struct board *b, bool shift)
{
    add_row(s, b, "qwertyuiop", b->left, row_y(b, 0), b->pitch, shift);
    add_row(s, b, "asdfghjkl", b->left + b->pitch / 2, row_y(b, 1), b->pitch, shift);
    float y = row_y(b, 2);
    add_key(s, b,
            &(struct key){.x = b->left,
                          .y = y,
                          .w = b->side,
                          .type = IA_EL_BUTTON,
                          .label = "shift",
                          .ident = "shift",
                          .symbol = shift ? IA_SYMBOL_SHIFT_ON : IA_SYMBOL_SHIFT,
                          .dark = !shift,
                          .on = shift,
                          .arg = KEY_SHIFT});
    add_row(s, b, "zxcvbnm", b->left + b->pitch * 1.5F, y, b->pitch, shift);
    delete_key(s, b, b->left + b->pitch * 10 - b->side, y, b->side, true);
}

static void numbers(struct ia_scene *s, const struct board *b)
{
    float foot = row_y(b, 2), right = b->pitch * 10 - b->side;
    float w = floorf((right - 2) / 9 * 2) / 2;
    add_row(s, b, "1234567890", b->left, row_y(b, 0), b->pitch, false);
    add_row(s, b, "-/:;()$&@\"", b->left, row_y(b, 1), b->pitch, false);
    add_row(s, b, ".,?!'+#*_", b->left + 0.5F, foot, w, false);
    delete_key(s, b, b->left + right, foot, b->side, true);
}

static void phone_pad(struct ia_scene *s, const struct board *b)
{
    static const char *const rows[] = {"123", "456", "789", "+0"};
    for (int i = 0; i < 4; i++) {
        add_row(s, b, rows[i], b->pad_left, row_y(b, i), b->pad, false);
    }
    delete_key(s, b, b->pad_left + 2 * b->pad, row_y(b, 3), b->pad, true);
}

static struct board board_of(const struct ia_display *d)
{
    static const struct board upright = {1, 39, 54, 6, 50, 95, 200, 96, 0, 131, 0};
    static const struct board wide = {66, 72, 40, 4, 92, 175, 370, 175, 66, 240, 0};
    struct board b = d->wide ? wide : upright;
    b.y = d->h - d->keyboard + TOP_GAP;
    return b;
}

void ia_keyboard_build(const struct ia_phone *p, struct ia_scene *s)
{
    const struct ia_app_state *a = ia_phone_front_const(p);
    const struct ia_field *spec = &ia_phone_app(p)->fields[a->focus];
    const struct ia_display *d = s->display;
    const struct board b = board_of(d);
    (void)ia_scene_push(s, IA_EL_WINDOW, 0, 0, d->w, d->h);
    int32_t board = ia_scene_push(s, IA_EL_KEYBOARD, 0, d->h - d->keyboard, d->w, d->keyboard);
    struct ia_view *v = &s->views[board];
    v->paint = IA_PAINT_FILL;
    v->color = IA_COLOR_KEYBOARD;
    v->flags = IA_VIEW_BLOCKS;
    if (spec->keyboard == IA_KEYBOARD_PHONE) {
        phone_pad(s, &b);
    } else {
        if (a->page == 1) {
            numbers(s, &b);
        } else {
            letters(s, &b, a->shift);
        }
        bottom_row(s, &b, a, spec);
    }
    ia_scene_pop(s);
    ia_scene_pop(s);
}
