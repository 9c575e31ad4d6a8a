/* edit.c: text editing in the app in front. The cursor is always at the end. */
#include "driver/embedded/phone/phone.h"

#include <stdlib.h>
#include <string.h>

const char *ia_edit_text(const struct ia_app_state *a, int field)
{
    return a->fields[field] ? a->fields[field] : "";
}

/* As the platform does it: names and sentences begin with a capital on the keyboard. */
static void auto_shift(struct ia_phone *p, struct ia_app_state *a)
{
    a->shift = false;
    if (a->focus < 0 || !ia_prefs_on(&p->prefs, IA_PREF_AUTO_CAPS)) {
        return;
    }
    const char *text = ia_edit_text(a, a->focus);
    size_t n = strlen(text);
    uint8_t kind = ia_phone_app(p)->fields[a->focus].keyboard;
    a->shift = kind == IA_KEYBOARD_WORDS && (n == 0 || text[n - 1] == ' ');
}

void ia_edit_focus(struct ia_phone *p, int field)
{
    struct ia_app_state *a = ia_phone_front(p);
    if (!a || a->focus == field) {
        return;
    }
    a->focus = (int8_t)field;
    a->page = 0;
    a->searching = a->searching || field == 0;
    auto_shift(p, a);
}

static void edited(struct ia_phone *p, struct ia_app_state *a, int field)
{
    const struct ia_app *app = ia_phone_app(p);
    auto_shift(p, a);
    if (field == 0) {
        a->nav[a->depth - 1].scroll = 0;
    }
    if (app->edited) {
        app->edited(p, field);
    }
}

static void replace(struct ia_app_state *a, int field, const char *text, size_t n)
{
    char *copy = n ? ia_strndup(text, n) : NULL;
    free(a->fields[field]);
    a->fields[field] = copy;
}

void ia_edit_set(struct ia_phone *p, int field, const char *text)
{
    struct ia_app_state *a = ia_phone_front(p);
    replace(a, field, text, strlen(text));
    edited(p, a, field);
}

void ia_edit_append(struct ia_phone *p, const char *utf8, size_t n)
{
    struct ia_app_state *a = ia_phone_front(p);
    char *old = a->fields[a->focus];
    size_t have = old ? strlen(old) : 0;
    if (have + n > IA_FIELD_BYTES_MAX) {
        return;
    }
    char *grown = ia_realloc(old, have + n + 1, 1);
    memcpy(grown + have, utf8, n);
    grown[have + n] = '\0';
    a->fields[a->focus] = grown;
    edited(p, a, a->focus);
}

void ia_edit_delete(struct ia_phone *p)
{
    struct ia_app_state *a = ia_phone_front(p);
    if (!a || a->focus < 0 || !a->fields[a->focus]) {
        return;
    }
    const char *text = a->fields[a->focus];
    /* At least 0: replace() keeps no empty text. */
    size_t n = strlen(text) - 1;
    while (n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80) {
        n--;
    }
    replace(a, a->focus, text, n);
    edited(p, a, a->focus);
}

void ia_edit_end_search(struct ia_phone *p)
{
    struct ia_app_state *a = ia_phone_front(p);
    if (!a) {
        return;
    }
    ia_edit_focus(p, -1);
    replace(a, 0, "", 0);
    a->searching = false;
}
