/* contacts.c: the list and the card. */
#include "driver/embedded/apps/contacts/contacts.h"

#include <stdio.h>
#include <string.h>

enum { INDEX_X = IA_SCREEN_W - 18, INDEX_W = 18, INDEX_TOP = 230, LETTER_H = 15, LETTERS = 27 };

static bool first_last(const struct ia_phone *p)
{
    return p->prefs.choice[IA_CHOICE_SORT] == 1;
}

static void open_card(struct ia_phone *p, const struct ia_touch *t)
{
    ia_nav_push(p, &ia_contacts_card, t->arg);
}

static void add_contact(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    ia_contacts_edit(p, 0);
}

static void edit_contact(struct ia_phone *p, const struct ia_touch *t)
{
    ia_contacts_edit(p, t->arg);
}

static const char *name_of(struct ia_scene *s, const struct ia_contact *c)
{
    char buf[IA_CONTACT_NAME_BYTES];
    const char *name = ia_contact_name(c, buf);
    return ia_scene_text(s, name, strlen(name));
}

static void list_row(struct ia_kit *k, const struct ia_contact *c)
{
    ia_kit_row(
        k, &(struct ia_kit_row){.label = name_of(k->scene, c), .tap = open_card, .arg = c->id});
}

/* Scrolls to the first heading at or after the touched letter. */
static void jump(struct ia_phone *p, const struct ia_touch *t)
{
    int letter = (int)(t->fy * (float)LETTERS);
    letter = letter >= LETTERS ? LETTERS - 1 : letter;
    const struct ia_book *b = ia_contacts_book(p);
    uint16_t order[IA_CONTACTS_MAX];
    ia_book_order(b, first_last(p), order);
    float y = 0;
    char last = 0;
    for (int i = 0; i < ia_book_count(b); i++) {
        char at = ia_contact_letter(ia_book_at(b, order[i]), first_last(p));
        if (at == '#' ? letter == LETTERS - 1 : at - 'A' >= letter) {
            break;
        }
        y += (float)(IA_KIT_ROW_H + (at != last ? IA_KIT_PLAIN_HEADER_H : 0));
        last = at;
    }
    ia_nav_top(p)->scroll = y > 0 ? y + IA_KIT_LARGE_H + IA_KIT_SEARCH_H : 0;
}

static void index_bar(struct ia_kit *k)
{
    struct ia_scene *s = k->scene;
    float top = (float)(INDEX_TOP + (k->phone->shifted ? IA_KIT_BANNER_H : 0));
    (void)ia_scene_push(s, IA_EL_OTHER, INDEX_X, top, INDEX_W, LETTERS * LETTER_H);
    struct ia_view *v = &s->views[s->parent];
    v->label = "table index";
    v->ident = "table-index";
    v->flags = IA_VIEW_ADJUSTABLE;
    v->tap = jump;
    for (int i = 0; i < LETTERS; i++) {
        const char *letter = &"ABCDEFGHIJKLMNOPQRSTUVWXYZ#"[i];
        struct ia_view *text = ia_scene_label(
            s, ia_scene_text(s, letter, 1), INDEX_X + 9, top + (float)(i * LETTER_H), 18,
            IA_INK(11, IA_COLOR_BLUE, IA_VIEW_BOLD | IA_VIEW_CENTER));
        text->type = IA_EL_ANY;
    }
    ia_scene_pop(s);
}

static void all_rows(struct ia_kit *k, const struct ia_book *b, const uint16_t *order)
{
    char last = 0;
    for (int i = 0; i < ia_book_count(b); i++) {
        const struct ia_contact *c = ia_book_at(b, order[i]);
        char letter = ia_contact_letter(c, first_last(k->phone));
        if (letter != last) {
            ia_kit_section(k, ia_scene_text(k->scene, &letter, 1));
            last = letter;
        }
        list_row(k, c);
    }
    if (ia_book_count(b) == 0) {
        ia_kit_empty(k, "No Contacts", "Contacts you've added will appear here.");
        return;
    }
    float y = ia_kit_space(k, 60);
    const char *count = ia_scene_printf(k->scene, "%d Contact%s", ia_book_count(b),
                                        ia_book_count(b) == 1 ? "" : "s");
    (void)ia_scene_label(k->scene, count, (float)IA_SCREEN_W / 2 - 0.5F, y + 20, 300,
                         IA_INK(17, IA_COLOR_SECONDARY, IA_VIEW_CENTER));
}

static bool found(const struct ia_phone *p, const struct ia_contact *c, const char *query)
{
    if (ia_phone_bug(p, IA_BUG_CONTACTS_SEARCH)) {
        return ia_kit_matches(c->part[IA_CONTACT_FIRST], query);
    }
    char buf[IA_CONTACT_NAME_BYTES];
    return ia_kit_matches(ia_contact_name(c, buf), query) ||
           ia_kit_matches(c->part[IA_CONTACT_PHONE], query) ||
           ia_kit_matches(c->part[IA_CONTACT_EMAIL], query);
}

static void found_rows(struct ia_kit *k, const struct ia_book *b, const uint16_t *order,
                       const char *query)
{
    int n = 0;
    for (int i = 0; i < ia_book_count(b); i++) {
        const struct ia_contact *c = ia_book_at(b, order[i]);
        if (found(k->phone, c, query)) {
            if (n++ == 0) {
                ia_kit_section(k, "Top Name Matches");
            }
            list_row(k, c);
        }
    }
    if (n == 0) {
        ia_kit_empty(k, "No Results", ia_scene_printf(k->scene, "for \"%s\"", query));
    }
}

static void build_list(struct ia_kit *k)
{
    const struct ia_kit_nav nav = {
        .large = true,
        .search = true,
        .right = {.label = "Add", .ident = "add", .symbol = IA_SYMBOL_PLUS, .tap = add_contact},
    };
    const struct ia_book *b = ia_contacts_book(k->phone);
    uint16_t order[IA_CONTACTS_MAX];
    ia_book_order(b, first_last(k->phone), order);
    ia_kit_begin(k, &nav, IA_LIST_PLAIN);
    const char *query = ia_kit_query(k);
    if (*query) {
        found_rows(k, b, order, query);
    } else {
        all_rows(k, b, order);
    }
    bool indexed = !ia_kit_searching(k) && ia_book_count(b) > 0;
    ia_kit_end(k);
    if (indexed) {
        index_bar(k);
    }
}

/* Up to two initials. */
static const char *initials(struct ia_scene *s, const struct ia_contact *c)
{
    const char *out = "";
    for (int i = IA_CONTACT_FIRST; i <= IA_CONTACT_LAST; i++) {
        const char *text = c->part[i];
        size_t n = *text ? 1 : 0;
        while (n && ((unsigned char)text[n] & 0xC0) == 0x80) {
            n++;
        }
        out = ia_scene_printf(s, "%s%.*s", out, (int)n, text);
    }
    return out;
}

static void card_head(struct ia_kit *k, const struct ia_contact *c)
{
    struct ia_scene *s = k->scene;
    float y = ia_kit_space(k, 160), middle = (float)IA_SCREEN_W / 2 - 0.5F;
    (void)ia_scene_push(s, IA_EL_IMAGE, middle - 50, y, 100, 100);
    struct ia_view *v = &s->views[s->parent];
    v->ident = "contact-photo";
    v->paint = IA_PAINT_FILL;
    v->color = IA_COLOR_AVATAR;
    v->radius = 50;
    const char *letters = initials(s, c);
    if (*letters) {
        struct ia_view *text = ia_scene_label(s, letters, middle, y + 26, 96,
                                              IA_INK(40, IA_COLOR_WHITE, IA_VIEW_CENTER));
        text->type = IA_EL_ANY;
    } else {
        struct ia_view *sym = ia_scene_add(s, IA_EL_ANY, middle - 32, y + 18, 64, 64);
        sym->paint = IA_PAINT_SYMBOL;
        sym->symbol = IA_SYMBOL_PERSON;
        sym->color = IA_COLOR_WHITE;
    }
    ia_scene_pop(s);
    v = ia_scene_label(
        s, name_of(s, c), middle, y + 110, 345,
        IA_INK(26, IA_COLOR_LABEL, IA_VIEW_BOLD | IA_VIEW_CENTER | IA_VIEW_HEADER));
    v->ident = "contact-name";
}

/* Message, call, video, mail: there, but disabled, as on a phone that cannot do them. */
static void card_actions(struct ia_kit *k)
{
    static const struct {
        const char *label;
        uint8_t symbol;
    } actions[] = {{"message", IA_SYMBOL_MESSAGE},
                   {"call", IA_SYMBOL_PHONE},
                   {"video", IA_SYMBOL_VIDEO},
                   {"mail", IA_SYMBOL_MAIL}};
    struct ia_scene *s = k->scene;
    float y = ia_kit_space(k, 74);
    for (int i = 0; i < 4; i++) {
        float x = 16 + (float)i * 92;
        (void)ia_scene_push(s, IA_EL_BUTTON, x, y, 85, 58);
        struct ia_view *v = &s->views[s->parent];
        v->label = actions[i].label;
        v->paint = IA_PAINT_FILL;
        v->color = IA_COLOR_CARD;
        v->radius = 10;
        v->flags = IA_VIEW_DISABLED;
        struct ia_view *sym = ia_scene_add(s, IA_EL_ANY, x + 31.5F, y + 8, 22, 22);
        sym->paint = IA_PAINT_SYMBOL;
        sym->symbol = actions[i].symbol;
        sym->color = IA_COLOR_TERTIARY;
        struct ia_view *text = ia_scene_label(s, actions[i].label, x + 42.5F, y + 36, 80,
                                              IA_INK(11, IA_COLOR_TERTIARY, IA_VIEW_CENTER));
        text->type = IA_EL_ANY;
        ia_scene_pop(s);
    }
}

static void card_value(struct ia_kit *k, const char *label, const char *ident,
                       const char *value)
{
    if (*value) {
        ia_kit_row(k, &(struct ia_kit_row){.label = label, .ident = ident, .subtitle = value});
    }
}

static void build_card(struct ia_kit *k)
{
    const struct ia_contact *c = ia_book_find(ia_contacts_book(k->phone), k->entry->arg);
    const struct ia_kit_nav nav = {
        .hidden_title = true,
        .right = {.label = "Edit", .ident = "edit", .tap = edit_contact, .arg = k->entry->arg},
    };
    ia_kit_begin(k, &nav, IA_LIST_GROUPED);
    if (c) {
        card_head(k, c);
        card_actions(k);
        card_value(k, "mobile", "phone", c->part[IA_CONTACT_PHONE]);
        card_value(k, "home", "email", c->part[IA_CONTACT_EMAIL]);
    }
    ia_kit_end(k);
}

/* The scene copies nothing here: the text lives as long as the contact. */
static const char *card_title(const struct ia_phone *p, const struct ia_nav_entry *e)
{
    (void)p;
    (void)e;
    return "Contact";
}

static void *create(uint64_t seed)
{
    return ia_book_new(seed);
}

static void destroy(void *data)
{
    ia_book_free(data);
}

static bool takes_url(struct ia_str url)
{
    return ia_str_starts(url, ia_str("contacts:")) ||
           ia_str_starts(url, ia_str("addressbook:"));
}

static const struct ia_screen screen_list = {"Contacts", build_list, NULL, NULL};
const struct ia_screen ia_contacts_card = {"Contact", build_card, card_title, NULL};

static const struct ia_field fields[IA_CONTACTS_FIELD_COUNT] = {
    [IA_CONTACTS_FIELD_SEARCH] = {"search", "Search", "Search", IA_KEYBOARD_TEXT, -1, "search"},
    [IA_CONTACTS_FIELD_FIRST] = {"first-name", "First name", "First name", IA_KEYBOARD_WORDS,
                                 IA_CONTACTS_FIELD_LAST, "next"},
    [IA_CONTACTS_FIELD_LAST] = {"last-name", "Last name", "Last name", IA_KEYBOARD_WORDS,
                                IA_CONTACTS_FIELD_PHONE, "next"},
    [IA_CONTACTS_FIELD_PHONE] = {"phone", "Phone", "Phone", IA_KEYBOARD_PHONE,
                                 IA_CONTACTS_FIELD_EMAIL, "next"},
    [IA_CONTACTS_FIELD_EMAIL] = {"email", "Email", "Email", IA_KEYBOARD_EMAIL, -1, "return"},
};

const struct ia_app ia_app_contacts = {
    .bundle_id = "com.apple.MobileAddressBook",
    .name = "Contacts",
    .icon = IA_ICON_CONTACTS,
    .dock = true,
    .root = &screen_list,
    .fields = fields,
    .create = create,
    .destroy = destroy,
    .takes_url = takes_url,
    .state_json = ia_book_json,
};
