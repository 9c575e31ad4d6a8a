/* find.c: from words in a goal to an element on the screen. */
#include "mock/brain/state.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { LIST_ITEMS = 12, LIST_BYTES = 400 };

/* Roles in order of preference for each want. */
static const char *const tap_roles[] = {
    "button",  "row",      "link",  "tab",   "icon",   "menu-item", "segment",
    "switch",  "checkbox", "radio", "field", "search", "password",  "picker",
    "stepper", "image",    "text",  "other", NULL};
static const char *const field_roles[] = {"field", "password", "search", NULL};
static const char *const toggle_roles[] = {"switch", "checkbox", "radio", NULL};
static const char *const icon_roles[] = {"icon", NULL};
static const char *const row_roles[] = {"row", "button", "link", "menu-item", NULL};
static const char *const any_roles[] = {"", NULL};

static const char *const *const roles_for[] = {
    [IA_WANT_TAP] = tap_roles,   [IA_WANT_FIELD] = field_roles, [IA_WANT_TOGGLE] = toggle_roles,
    [IA_WANT_ICON] = icon_roles, [IA_WANT_ROW] = row_roles,     [IA_WANT_ANY] = any_roles,
};

static const struct {
    const char *app;
    const char *bundle;
} bundles[] = {
    {"Settings", "com.apple.Preferences"},
    {"Contacts", "com.apple.MobileAddressBook"},
    {"Reminders", "com.apple.reminders"},
    {"Shop", "com.example.shop"},
    {"Sketch", "com.example.sketch"},
    {"Safari", "com.apple.mobilesafari"},
    {"Photos", "com.apple.mobileslideshow"},
    {"Calendar", "com.apple.mobilecal"},
    {"Maps", "com.apple.Maps"},
    {"Messages", "com.apple.MobileSMS"},
    {"Notes", "com.apple.mobilenotes"},
    {"Mail", "com.apple.mobilemail"},
    {"Clock", "com.apple.mobiletimer"},
    {"Files", "com.apple.DocumentsApp"},
    {"Health", "com.apple.Health"},
    {"Camera", "com.apple.camera"},
};

const char *ia_brain_bundle(const char *app)
{
    for (size_t i = 0; i < IA_COUNTOF(bundles); i++) {
        if (strcasecmp(bundles[i].app, app) == 0) {
            return bundles[i].bundle;
        }
    }
    return NULL;
}

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

/* True when part stands in text between word boundaries. */
static bool contains_words(const char *text, const char *part)
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

/* How well the item's texts fit the name; 0 for not at all. */
static int quality(const struct ia_brain_item *item, const char *name)
{
    size_t n = strlen(name);
    if (strcasecmp(item->label, name) == 0) {
        return 5;
    }
    if (strncasecmp(item->label, name, n) == 0 && item->label[n] == ',') {
        return 4;
    }
    if (contains_words(item->label, name)) {
        return 3;
    }
    return strcasecmp(item->value, name) == 0 ? 2 : 0;
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

const struct ia_brain_item *ia_brain_find(const struct ia_brain *b, enum ia_want want,
                                          const char *name)
{
    const struct ia_brain_item *best = NULL;
    int best_score = 0;
    name = strncasecmp(name, "the ", 4) == 0 ? name + 4 : name;
    for (size_t i = 0; *name && i < b->screen.count; i++) {
        const struct ia_brain_item *item = &b->screen.items[i];
        int fit = quality(item, name);
        int rank = role_rank(want, item->role);
        /* Being disabled costs two and a half steps of quality(); the role only decides
         * within one. */
        int score = fit && rank ? fit * 100 + rank - (item->disabled ? 250 : 0) : 0;
        if (score > best_score || (fit && rank && !best)) {
            best = item;
            best_score = score;
        }
    }
    return best;
}

const struct ia_brain_item *ia_brain_find_any(const struct ia_brain *b, enum ia_want want,
                                              const char *const *names)
{
    const struct ia_brain_item *found = NULL;
    for (; !found && *names; names++) {
        found = ia_brain_find(b, want, *names);
    }
    return found;
}

const struct ia_brain_item *ia_brain_only_field(const struct ia_brain *b)
{
    const struct ia_brain_item *only = NULL;
    size_t count = 0;
    for (size_t i = 0; i < b->screen.count; i++) {
        const struct ia_brain_item *item = &b->screen.items[i];
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
        bool label = contains_words(item->label, text);
        if (label || contains_words(item->value, text)) {
            *ret_quote = label ? item->label : item->value;
            return true;
        }
    }
    if (s->title && contains_words(s->title, text)) {
        *ret_quote = s->title;
        return true;
    }
    return false;
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
