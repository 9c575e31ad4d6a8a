/* changes.c: planted changes of screens (driver/embedded/fault/changes.h), as a pass over the views of a scene.
 *
 *   each view is marked with the changes that mean it ─► each change is made to its views, in order
 *
 * So a change names what was there before any other was made, and touches, the tree and the pixels
 * see the same. */
#include "driver/embedded/fault/changes.h"

#include "driver/embedded/ui/shell.h"

#include <string.h>

enum { WINDOW = 1, TEXT_SIZE = 17, PAD = 24, BUTTON_H = 50, BOX_W = 270, BOX_H = 140 };

struct pass {
    const struct ia_phone *phone;
    struct ia_scene *s;
    const struct ia_change *change;
    int number;       /* of the change, from 0 */
    const char *text; /* its TEXT, or NULL */
};

static bool equal(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

/* ---- views ------------------------------------------------------------------------------ */

static bool is_meant(const struct ia_view *v, struct ia_str what)
{
    struct ia_str name = {what.p + 1, what.n - (what.n > 0)};
    if (v->type == IA_EL_ANY || what.n == 0) {
        return false;
    }
    return what.p[0] == '#'   ? v->ident && ia_str_is(name, v->ident)
           : what.p[0] == '.' ? ia_eltype_from_name(name) == (enum ia_eltype)v->type
                              : v->label && ia_str_is(what, v->label);
}

/* What the system draws is no part of an app. */
static bool is_system(const struct ia_view *v)
{
    return v->type == IA_EL_KEYBOARD || v->type == IA_EL_STATUS_BAR;
}

static int32_t up_to(const struct ia_scene *s, int32_t i, enum ia_eltype type)
{
    while (i >= 0 && s->views[i].type != type) {
        i = s->views[i].parent;
    }
    return i;
}

/* The row that it is, or is in; else itself. */
static int32_t row_of(const struct ia_scene *s, int32_t i)
{
    int32_t row = up_to(s, i, IA_EL_CELL);
    return row >= 0 ? row : i;
}

/* What lies below y in the list of view i moves, but for i itself. */
static void move_below(struct ia_scene *s, int32_t i, float y, float dy)
{
    int32_t list = up_to(s, i, IA_EL_TABLE);
    for (int32_t k = list + 1; list >= 0 && k < s->views[list].end; k++) {
        bool own = k >= i && k < s->views[i].end;
        s->views[k].y += !own && s->views[k].y >= y ? dy : 0;
    }
}

static void rename_in(struct ia_scene *s, int32_t i, const char *text)
{
    const char *old = s->views[i].label;
    for (int32_t k = i; k < s->views[i].end; k++) {
        struct ia_view *v = &s->views[k];
        v->text = equal(v->text, old) ? text : v->text;
        v->label = k == i || equal(v->label, old) ? text : v->label;
    }
}

static void blank(struct ia_scene *s, int32_t from, int32_t to)
{
    for (int32_t k = from; k < to; k++) {
        struct ia_view *v = &s->views[k];
        v->type = IA_EL_ANY;
        v->paint = IA_PAINT_NONE;
        v->flags = 0;
        v->tap = NULL;
        v->text = NULL;
    }
}

/* ---- changes of one view ---------------------------------------------------------------- */

static void relabel(struct pass *x, int32_t i)
{
    int32_t row = row_of(x->s, i);
    bool whole = equal(x->s->views[row].label, x->s->views[i].label);
    rename_in(x->s, whole ? row : i, x->text);
}

/* The field has it, and what is drawn in it while it is empty. */
static void rehint(struct pass *x, int32_t i)
{
    const char *was = x->s->views[i].placeholder;
    for (int32_t k = i; was && k < x->s->views[i].end; k++) {
        struct ia_view *v = &x->s->views[k];
        v->text = equal(v->text, was) ? x->text : v->text;
    }
    x->s->views[i].placeholder = was ? x->text : NULL;
}

static void identify(struct pass *x, int32_t i)
{
    x->s->views[i].ident = x->text;
}

static void retype(struct pass *x, int32_t i)
{
    x->s->views[i].type = (uint8_t)ia_eltype_from_name(x->change->text);
}

static void hide(struct pass *x, int32_t i)
{
    struct ia_view *v = &x->s->views[i];
    if (v->type == IA_EL_CELL) {
        move_below(x->s, i, v->y + v->h, -v->h);
    }
    blank(x->s, i, v->end);
}

static void deaden(struct pass *x, int32_t i)
{
    for (int32_t k = i; k < x->s->views[i].end; k++) {
        struct ia_view *v = &x->s->views[k];
        v->flags |= v->tap || k == i ? IA_VIEW_BLOCKS : 0U;
        v->flags |= x->change->kind == IA_CHANGE_DISABLE && k == i ? IA_VIEW_DISABLED : 0U;
        v->tap = NULL;
    }
}

static void move(struct pass *x, int32_t i)
{
    for (int32_t k = i; k < x->s->views[i].end; k++) {
        x->s->views[k].x += (float)x->change->x;
        x->s->views[k].y += (float)x->change->y;
    }
}

static void add_row(struct pass *x, int32_t i)
{
    struct ia_scene *s = x->s;
    int32_t row = row_of(s, i), n = s->views[row].end - row;
    float y = s->views[row].y, h = s->views[row].h;
    if (s->views[row].type != IA_EL_CELL) {
        return; /* a title reads as the row that led to it */
    }
    ia_scene_insert(s, row, n, s->views[row].parent);
    for (int32_t k = row; k < row + n; k++) {
        struct ia_view copy = s->views[k + n];
        copy.parent -= k > row ? n : 0;
        copy.end -= n;
        copy.changes = 0;
        if (x->text) { /* another row, which leads nowhere */
            copy.tap = NULL;
            copy.ident = NULL;
        }
        s->views[k] = copy;
    }
    if (x->text) {
        rename_in(s, row, x->text);
    }
    move_below(s, row, y, h);
}

static void wrap(struct pass *x, int32_t i)
{
    struct ia_scene *s = x->s;
    ia_scene_insert(s, i, 1, s->views[i].parent);
    struct ia_view *around = &s->views[i], *inside = &s->views[i + 1];
    around->type = IA_EL_OTHER;
    around->x = inside->x;
    around->y = inside->y;
    around->w = inside->w;
    around->h = inside->h;
    around->label = x->text;
    around->end = inside->end;
    inside->parent = i;
}

/* The one that a touch answers. */
static void answer(struct ia_phone *p, const struct ia_touch *t)
{
    p->answered |= UINT32_C(1) << t->arg;
}

static void make_button(struct pass *x, int32_t i)
{
    struct ia_view *v = &x->s->views[i];
    v->type = IA_EL_BUTTON;
    v->ident = NULL;
    v->value = NULL;
    v->label = v->text = x->text;
    v->paint = IA_PAINT_TEXT;
    v->color = IA_COLOR_BLUE;
    v->size = TEXT_SIZE;
    v->flags = IA_VIEW_CENTER;
    v->tap = answer;
    v->arg = x->number;
}

static bool answered(const struct pass *x)
{
    return (x->phone->answered >> x->number & 1) != 0;
}

static void put_behind(struct pass *x, int32_t i)
{
    if (!answered(x)) {
        blank(x->s, i, x->s->views[i].end);
        make_button(x, i);
    }
}

/* ---- changes of several views, or of the screen ----------------------------------------- */

static void shift_to(struct ia_scene *s, int32_t i, float x, float y)
{
    float dx = x - s->views[i].x, dy = y - s->views[i].y;
    for (int32_t k = i; k < s->views[i].end; k++) {
        s->views[k].x += dx;
        s->views[k].y += dy;
    }
}

/* The first and the last change places, then those between them. */
static void reverse(struct pass *x)
{
    struct ia_view *v = x->s->views;
    uint32_t bit = UINT32_C(1) << x->number;
    for (int32_t a = 0, b = x->s->count - 1; a < b; a++, b--) {
        while (a < b && !(v[a].changes & bit)) {
            a++;
        }
        while (a < b && !(v[b].changes & bit)) {
            b--;
        }
        float at_x = v[a].x, at_y = v[a].y;
        shift_to(x->s, a, v[b].x, v[b].y);
        shift_to(x->s, b, at_x, at_y);
    }
}

static struct ia_view *put(struct pass *x, int32_t i, enum ia_eltype type, struct ia_rect box)
{
    struct ia_view *v = &x->s->views[i];
    v->type = (uint8_t)type;
    v->x = (float)box.x;
    v->y = (float)box.y;
    v->w = (float)box.w;
    v->h = (float)box.h;
    return v;
}

/* A page hides the app, a dialog stands before it: ground, box, text, button. */
static void put_before(struct pass *x)
{
    struct ia_scene *s = x->s;
    const struct ia_display *d = s->display;
    bool page = x->change->kind == IA_CHANGE_PAGE;
    int32_t at = s->views[WINDOW].end;
    float w = page ? d->w : BOX_W, h = page ? d->h : BOX_H;
    struct ia_rect box = {(d->w - w) / 2, (d->h - h) / 2, w, h};
    if (answered(x)) {
        return;
    }
    if (page) {
        blank(s, WINDOW + 1, at);
    }
    ia_scene_insert(s, at, 4, WINDOW);
    struct ia_view *v = put(x, at, IA_EL_OTHER, (struct ia_rect){0, 0, d->w, d->h});
    v->paint = IA_PAINT_FILL;
    v->color = page ? IA_COLOR_PLAIN : IA_COLOR_DIM;
    v->flags = IA_VIEW_BLOCKS;
    v = put(x, at + 1, x->change->kind == IA_CHANGE_DIALOG ? IA_EL_ALERT : IA_EL_OTHER, box);
    v->paint = IA_PAINT_FILL;
    v->color = page ? IA_COLOR_PLAIN : IA_COLOR_ALERT;
    v->flags = IA_VIEW_BLOCKS;
    v->label = page ? NULL : ia_scene_text(s, x->change->what.p, x->change->what.n);
    v->end = at + 4;
    box = (struct ia_rect){box.x + PAD, box.y + h / 2 - BUTTON_H, w - 2 * PAD, BUTTON_H};
    v = put(x, at + 2, IA_EL_STATIC_TEXT, box);
    v->label = v->text = ia_scene_text(s, x->change->what.p, x->change->what.n);
    v->paint = IA_PAINT_TEXT;
    v->color = IA_COLOR_LABEL;
    v->size = TEXT_SIZE;
    v->parent = at + 1;
    box.y += BUTTON_H;
    (void)put(x, at + 3, IA_EL_BUTTON, box);
    make_button(x, at + 3);
    s->views[at + 3].parent = at + 1;
}

static void empty_lists(struct pass *x)
{
    for (int32_t i = 0; i < x->s->count && ia_phone_loaded(x->phone) < 100; i++) {
        if (x->s->views[i].type == IA_EL_TABLE) {
            blank(x->s, i + 1, x->s->views[i].end);
        }
    }
}

/* As a pseudo-language is written: the vowels have accents. */
static const char *accented(struct ia_scene *s, const char *text)
{
    static const char plain[] = "aeiouAEIOU";
    static const char *const letters[] = {"\xC3\xA2", "\xC3\xA9", "\xC3\xAE", "\xC3\xB6",
                                          "\xC3\xBC", "\xC3\x82", "\xC3\x89", "\xC3\x8E",
                                          "\xC3\x96", "\xC3\x9C"};
    struct ia_buf out = IA_BUF(IA_CHANGES_BYTES_MAX);
    for (const char *c = text; c && *c; c++) {
        const char *vowel = strchr(plain, *c);
        if (vowel) {
            ia_buf_puts(&out, letters[vowel - plain]);
        } else {
            ia_buf_putc(&out, *c);
        }
    }
    const char *kept = text ? ia_scene_text(s, ia_buf_cstr(&out), out.len) : NULL;
    ia_buf_fini(&out);
    return kept;
}

/* What was typed stays. */
static bool is_typed(const struct ia_scene *s, int32_t i)
{
    return up_to(s, i, IA_EL_TEXT_FIELD) >= 0 || up_to(s, i, IA_EL_SEARCH_FIELD) >= 0 ||
           up_to(s, i, IA_EL_SECURE_TEXT_FIELD) >= 0;
}

static void translate(struct pass *x)
{
    for (int32_t i = 0; i < x->s->count; i++) {
        struct ia_view *v = &x->s->views[i];
        if (is_system(v)) {
            i = v->end - 1;
            continue;
        }
        v->label = accented(x->s, v->label);
        v->placeholder = accented(x->s, v->placeholder);
        if (!is_typed(x->s, i)) {
            v->value = accented(x->s, v->value);
            v->text = accented(x->s, v->text);
        }
    }
}

/* ---- the pass --------------------------------------------------------------------------- */

static const struct {
    void (*view)(struct pass *x, int32_t i);
    void (*screen)(struct pass *x);
} makers[IA_CHANGE_COUNT] = {
    [IA_CHANGE_LABEL] = {.view = relabel},       [IA_CHANGE_PLACEHOLDER] = {.view = rehint},
    [IA_CHANGE_ID] = {.view = identify},         [IA_CHANGE_TYPE] = {.view = retype},
    [IA_CHANGE_HIDE] = {.view = hide},           [IA_CHANGE_DISABLE] = {.view = deaden},
    [IA_CHANGE_DEAD] = {.view = deaden},         [IA_CHANGE_MOVE] = {.view = move},
    [IA_CHANGE_REVERSE] = {.screen = reverse},   [IA_CHANGE_ROW] = {.view = add_row},
    [IA_CHANGE_TWIN] = {.view = add_row},        [IA_CHANGE_WRAP] = {.view = wrap},
    [IA_CHANGE_MORE] = {.view = put_behind},     [IA_CHANGE_PAGE] = {.screen = put_before},
    [IA_CHANGE_DIALOG] = {.screen = put_before}, [IA_CHANGE_CARD] = {.screen = put_before},
    [IA_CHANGE_LATE] = {.screen = empty_lists},  [IA_CHANGE_ACCENTS] = {.screen = translate},
};

static void mark(struct ia_scene *s, const struct ia_changes *all)
{
    for (int32_t i = 0; i < s->count; i++) {
        struct ia_view *v = &s->views[i];
        if (is_system(v)) {
            i = v->end - 1;
            continue;
        }
        for (int c = 0; c < all->count; c++) {
            v->changes |= is_meant(v, all->list[c].what) ? UINT32_C(1) << c : 0;
        }
        /* What stands in it is meant with it: a row's text has the row's label. */
        for (int32_t up = v->parent; up >= 0; up = s->views[up].parent) {
            v->changes &= ~s->views[up].changes;
        }
    }
}

static void make(struct pass *x)
{
    uint32_t bit = UINT32_C(1) << x->number;
    if (makers[x->change->kind].screen) {
        makers[x->change->kind].screen(x);
        return;
    }
    for (int32_t i = 0; i < x->s->count; i++) {
        if (x->s->views[i].changes & bit) {
            x->s->views[i].changes &= ~bit; /* it may move on by this */
            makers[x->change->kind].view(x, i);
        }
    }
}

void ia_changes_build(const struct ia_phone *p, struct ia_scene *s)
{
    struct ia_changes all;
    if (ia_changes_parse(ia_str(p->changes), &all, NULL) != IA_OK) {
        return; /* it was checked when it was planted */
    }
    mark(s, &all);
    for (int i = 0; i < all.count; i++) {
        const struct ia_change *c = &all.list[i];
        struct pass x = {.phone = p, .s = s, .change = c, .number = i};
        x.text = c->text.n > 0 ? ia_scene_text(s, c->text.p, c->text.n) : NULL;
        make(&x);
    }
}
