/* find.c: from words in a goal to an element on the screen. */
#include "mock/brain/know.h"
#include "mock/brain/state.h"
#include "mock/brain/words.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { LIST_ITEMS = 12, LIST_BYTES = 400 };
enum { FIT_VALUE = 1, FIT_PART, FIT_HEAD, FIT_SAME };

/* Roles in order of preference for each want. */
static const char *const tap_roles[] = {
    "button",  "row",      "link",  "tab",   "icon",   "menu-item", "segment",
    "switch",  "checkbox", "radio", "field", "search", "password",  "picker",
    "stepper", "image",    "text",  "other", NULL};
static const char *const field_roles[] = {"field", "password", "search", NULL};
static const char *const toggle_roles[] = {"switch", "checkbox", "radio", NULL};
static const char *const icon_roles[] = {"icon", NULL};
static const char *const row_roles[] = {"row", "button", "link", "menu-item", NULL};
static const char *const cell_roles[] = {"row", NULL};
static const char *const slider_roles[] = {"slider", NULL};
static const char *const any_roles[] = {"", NULL};

static const char *const *const roles_for[] = {
    [IA_WANT_TAP] = tap_roles,       [IA_WANT_FIELD] = field_roles,
    [IA_WANT_TOGGLE] = toggle_roles, [IA_WANT_ICON] = icon_roles,
    [IA_WANT_ROW] = row_roles,       [IA_WANT_CELL] = cell_roles,
    [IA_WANT_SLIDER] = slider_roles, [IA_WANT_ANY] = any_roles,
};

bool ia_brain_role_is(const struct ia_brain_item *item, const char *role)
{
    return strcmp(item->role, role) == 0;
}

static bool word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (unsigned char)c >= 0x80;
}

bool ia_brain_contains(const char *text, const char *part)
{
    size_t n = strlen(part);
    for (const char *p = text; n > 0 && *p; p++) {
        if (strncasecmp(p, part, n) == 0) {
            return true;
        }
    }
    return false;
}

bool ia_brain_has_words(const char *text, const char *part)
{
    size_t n = strlen(part);
    for (const char *p = text; n > 0 && *p; p++) {
        bool starts = p == text || !word_byte(p[-1]) || !word_byte(part[0]);
        if (starts && strncasecmp(p, part, n) == 0 &&
            (!word_byte(p[n]) || !word_byte(part[n - 1]))) {
            return true;
        }
    }
    return false;
}

/* The label up to ", ": "Desk Lamp, Home" is a Desk Lamp. */
static struct ia_str head_of(const struct ia_brain_item *item)
{
    const char *comma = strstr(item->label, ", ");
    return (struct ia_str){item->label,
                           comma ? (size_t)(comma - item->label) : strlen(item->label)};
}

/* How well the item's texts fit the name; 0 for not at all. */
static int quality(const struct ia_brain_item *item, const char *name)
{
    if (ia_text_same(ia_str(item->label), name) && *item->label) {
        return FIT_SAME;
    }
    if (ia_word_same(head_of(item), ia_str(name))) {
        return FIT_HEAD;
    }
    if (ia_brain_has_words(item->label, name)) {
        return FIT_PART;
    }
    return strcasecmp(item->value, name) == 0 ? FIT_VALUE : 0;
}

/* Preference of the role among the wanted, from 1; 0 when it is not wanted. */
static int role_rank(enum ia_want want, const char *role)
{
    const char *const *roles = roles_for[want];
    int count = 0;
    while (roles[count]) {
        count++;
    }
    for (int i = 0; i < count; i++) {
        if (!*roles[i] || strcmp(roles[i], role) == 0) {
            return count - i;
        }
    }
    return 0;
}

static const struct ia_brain_item *best(const struct ia_brain_screen *s, enum ia_want want,
                                        const char *name, int least)
{
    const struct ia_brain_item *found = NULL;
    int best_score = 0;
    const char *bare = strncasecmp(name, "the ", 4) == 0 ? name + 4 : name;
    for (size_t i = 0; *name && i < s->count; i++) {
        const struct ia_brain_item *item = &s->items[i];
        int rank = role_rank(want, item->role);
        int fit = rank ? quality(item, name) : 0;
        fit = rank && !fit && bare != name ? quality(item, bare) : fit;
        /* Being disabled costs two and a half steps of quality(); the role only decides
         * within one. */
        int score = fit >= least && fit ? fit * 100 + rank - (item->disabled ? 250 : 0) : 0;
        if (score > best_score || (fit >= least && fit && !found)) {
            found = item;
            best_score = score;
        }
    }
    return found;
}

const struct ia_brain_item *ia_brain_find(const struct ia_brain_screen *s, enum ia_want want,
                                          const char *name)
{
    return best(s, want, name, FIT_VALUE);
}

const struct ia_brain_item *ia_brain_find_exact(const struct ia_brain_screen *s,
                                                enum ia_want want, const char *name)
{
    return best(s, want, name, FIT_HEAD);
}

const struct ia_brain_item *ia_brain_find_akin(const struct ia_brain_screen *s,
                                               enum ia_want want, const char *name,
                                               size_t *ret_count)
{
    const struct ia_brain_item *found = ia_brain_find_exact(s, want, name);
    *ret_count = found ? 1 : 0;
    for (size_t i = 0;
         !(found && *ret_count == 1 && quality(found, name) >= FIT_HEAD) && i < s->count; i++) {
        const struct ia_brain_item *item = &s->items[i];
        if (role_rank(want, item->role) && ia_text_tells(item->label, ia_str(name))) {
            found = item;
            ++*ret_count;
        }
    }
    return *ret_count == 1 ? found : NULL;
}

const struct ia_brain_item *ia_brain_find_any(const struct ia_brain_screen *s,
                                              enum ia_want want, const char *const *names)
{
    const struct ia_brain_item *found = NULL;
    for (; !found && *names; names++) {
        found = ia_brain_find(s, want, *names);
    }
    return found;
}

const struct ia_brain_item *ia_brain_role(const struct ia_brain_screen *s, const char *role)
{
    for (size_t i = 0; i < s->count; i++) {
        if (ia_brain_role_is(&s->items[i], role)) {
            return &s->items[i];
        }
    }
    return NULL;
}

const struct ia_brain_item *ia_brain_alert(const struct ia_brain_screen *s)
{
    const struct ia_brain_item *alert = ia_brain_role(s, "alert");
    return alert ? alert : ia_brain_role(s, "sheet");
}

const struct ia_brain_item *ia_brain_only_field(const struct ia_brain_screen *s)
{
    const struct ia_brain_item *only = NULL;
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++) {
        const struct ia_brain_item *item = &s->items[i];
        if (role_rank(IA_WANT_FIELD, item->role)) {
            only = item;
            count++;
            if (item->focused) {
                return item;
            }
        }
    }
    return count == 1 ? only : NULL;
}

bool ia_brain_shown(const struct ia_brain_screen *s, const char *text, const char **ret_quote)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct ia_brain_item *item = &s->items[i];
        bool label = ia_brain_has_words(item->label, text);
        if (label || ia_brain_has_words(item->value, text)) {
            *ret_quote = label ? item->label : item->value;
            return true;
        }
    }
    if (s->title && ia_brain_has_words(s->title, text)) {
        *ret_quote = s->title;
        return true;
    }
    return false;
}

const char *ia_brain_setting(const char *name)
{
    const struct ia_known_setting *known = ia_known_setting(ia_str(name));
    return known ? known->label : name;
}

void ia_brain_list(const struct ia_brain_screen *s, struct ia_buf *out)
{
    size_t named = 0;
    for (size_t i = 0; i < s->count && named < LIST_ITEMS && out->len < LIST_BYTES; i++) {
        if (*s->items[i].label) {
            ia_buf_printf(out, "%s%s", named++ ? ", " : "", s->items[i].label);
        }
    }
    if (!named) {
        ia_buf_puts(out, "nothing with a name");
    }
}
