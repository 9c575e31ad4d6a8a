/* form.c: the sheet in which a contact is made or changed. */
#include "driver/embedded/apps/contacts/contacts.h"

#include <string.h>

static const char *typed(const struct ia_app_state *a, enum ia_contact_part part)
{
    return ia_edit_text(a, IA_CONTACTS_FIELD_FIRST + (int)part);
}

static bool blank(const char *text)
{
    return text[strspn(text, " ")] == '\0';
}

static const struct ia_contact *edited_contact(const struct ia_phone *p, int32_t id)
{
    return id ? ia_book_find(ia_contacts_book(p), id) : NULL;
}

/* Whether the fields differ from what the form was opened with. */
static bool changed(const struct ia_phone *p, int32_t id)
{
    const struct ia_app_state *a = ia_phone_front_const(p);
    const struct ia_contact *c = edited_contact(p, id);
    for (int i = 0; i < IA_CONTACT_PARTS; i++) {
        if (strcmp(typed(a, (enum ia_contact_part)i), c ? c->part[i] : "") != 0) {
            return true;
        }
    }
    return false;
}

static void close_form(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    for (int i = IA_CONTACTS_FIELD_FIRST; i < IA_CONTACTS_FIELD_COUNT; i++) {
        ia_edit_set(p, i, "");
    }
    ia_nav_pop(p);
}

static void delete_contact(struct ia_phone *p, const struct ia_touch *t)
{
    close_form(p, t);
    ia_nav_pop(p);
    ia_book_remove(ia_contacts_book_mut(p), t->arg);
}

static const struct ia_alert alert_discard_new = {
    .action_sheet = true,
    .title = "Are you sure you want to discard this new contact?",
    .buttons = {{"Discard Changes", IA_ALERT_DESTRUCTIVE, close_form},
                {"Keep Editing", IA_ALERT_CANCEL, NULL}},
};
static const struct ia_alert alert_discard_changes = {
    .action_sheet = true,
    .title = "Are you sure you want to discard your changes?",
    .buttons = {{"Discard Changes", IA_ALERT_DESTRUCTIVE, close_form},
                {"Keep Editing", IA_ALERT_CANCEL, NULL}},
};
static const struct ia_alert alert_delete = {
    .action_sheet = true,
    .title = "Are you sure you want to delete this contact?",
    .buttons = {{"Delete Contact", IA_ALERT_DESTRUCTIVE, delete_contact},
                {"Cancel", IA_ALERT_CANCEL, NULL}},
};
static const struct ia_alert alert_name =
    IA_ALERT_OK("Name Required", "Enter a first name or a last name to save this contact.");
static const struct ia_alert alert_full =
    IA_ALERT_OK("Cannot Save Contact", "The address book is full.");

static void on_cancel(struct ia_phone *p, const struct ia_touch *t)
{
    int32_t id = ia_nav_top(p)->arg;
    if (changed(p, id)) {
        ia_alert_show(p, id ? &alert_discard_changes : &alert_discard_new, id);
    } else {
        close_form(p, t);
    }
}

/* A saved new contact is shown on its card; after a change the card is there already. */
static void save(struct ia_phone *p, int32_t id)
{
    const struct ia_app_state *a = ia_phone_front_const(p);
    const char *part[IA_CONTACT_PARTS];
    for (int i = 0; i < IA_CONTACT_PARTS; i++) {
        part[i] = typed(a, (enum ia_contact_part)i);
    }
    const struct ia_contact *old = edited_contact(p, id);
    if (old && ia_phone_bug(p, IA_BUG_CONTACTS_PHONE)) {
        part[IA_CONTACT_PHONE] = old->part[IA_CONTACT_PHONE];
    }
    int32_t saved = ia_book_put(ia_contacts_book_mut(p), id, part);
    if (!saved) {
        ia_alert_show(p, &alert_full, 0);
        return;
    }
    close_form(p, NULL);
    if (!id) {
        ia_nav_push(p, &ia_contacts_card, saved);
    }
}

static void on_done(struct ia_phone *p, const struct ia_touch *t)
{
    const struct ia_app_state *a = ia_phone_front_const(p);
    if (blank(typed(a, IA_CONTACT_FIRST)) && blank(typed(a, IA_CONTACT_LAST))) {
        ia_alert_show(p, &alert_name, 0);
    } else {
        save(p, t->arg);
    }
}

static void on_delete(struct ia_phone *p, const struct ia_touch *t)
{
    ia_alert_show(p, &alert_delete, t->arg);
}

void ia_contacts_edit(struct ia_phone *p, int32_t id)
{
    ia_nav_present(p, &ia_contacts_form, id);
    const struct ia_contact *c = edited_contact(p, id);
    for (int i = 0; i < IA_CONTACT_PARTS; i++) {
        ia_edit_set(p, IA_CONTACTS_FIELD_FIRST + i, c ? c->part[i] : "");
    }
    ia_edit_focus(p, id ? -1 : IA_CONTACTS_FIELD_FIRST);
}

static void form_photo(struct ia_kit *k)
{
    struct ia_scene *s = k->scene;
    float y = ia_kit_space(k, 116), x = (float)IA_SCREEN_W / 2 - 50.5F;
    (void)ia_scene_push(s, IA_EL_IMAGE, x, y, 100, 100);
    struct ia_view *v = &s->views[s->parent];
    v->ident = "contact-photo";
    v->paint = IA_PAINT_FILL;
    v->color = IA_COLOR_AVATAR;
    v->radius = 50;
    struct ia_view *sym = ia_scene_add(s, IA_EL_ANY, x + 18, y + 18, 64, 64);
    sym->paint = IA_PAINT_SYMBOL;
    sym->symbol = IA_SYMBOL_PERSON;
    sym->color = IA_COLOR_WHITE;
    ia_scene_pop(s);
}

static void build_form(struct ia_kit *k)
{
    int32_t id = k->entry->arg;
    const struct ia_kit_nav nav = {
        .left = {.label = "Cancel", .ident = "cancel", .tap = on_cancel, .arg = id},
        .right = {.label = "Done",
                  .ident = "done",
                  .bold = true,
                  .tap = on_done,
                  .arg = id,
                  .disabled = !changed(k->phone, id)},
    };
    ia_kit_begin(k, &nav, IA_LIST_GROUPED);
    form_photo(k);
    ia_kit_section(k, NULL);
    ia_kit_field(k, IA_CONTACTS_FIELD_FIRST);
    ia_kit_field(k, IA_CONTACTS_FIELD_LAST);
    ia_kit_section(k, NULL);
    ia_kit_field(k, IA_CONTACTS_FIELD_PHONE);
    ia_kit_section(k, NULL);
    ia_kit_field(k, IA_CONTACTS_FIELD_EMAIL);
    if (id) {
        ia_kit_section(k, NULL);
        ia_kit_row(k, &(struct ia_kit_row){.label = "Delete Contact",
                                           .ident = "delete-contact",
                                           .color = IA_COLOR_RED,
                                           .button = true,
                                           .tap = on_delete,
                                           .arg = id});
    }
    ia_kit_end(k);
}

static const char *form_title(const struct ia_phone *p, const struct ia_nav_entry *e)
{
    (void)p;
    return e->arg ? "Edit Contact" : "New Contact";
}

const struct ia_screen ia_contacts_form = {"New Contact", build_form, form_title, on_cancel};
