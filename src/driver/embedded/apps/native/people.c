/* people.c: contacts. */
#include "driver/embedded/apps/contacts/contacts.h"
#include "driver/embedded/apps/native/native.h"

/* How many contacts a limited access shows: as if the owner had picked these. */
enum { PICKED = 3 };

static const char *const parts[IA_CONTACT_PARTS] = {[IA_CONTACT_FIRST] = "first",
                                                    [IA_CONTACT_LAST] = "last",
                                                    [IA_CONTACT_PHONE] = "phone",
                                                    [IA_CONTACT_EMAIL] = "email"};

static void put_contact(const struct ia_native_call *c, const struct ia_contact *row)
{
    ia_native_put_id(c->w, row->id);
    for (int i = 0; i < IA_CONTACT_PARTS; i++) {
        ia_jsonw_kv(c->w, parts[i], row->part[i]);
    }
    ia_jsonw_end_object(c->w);
}

static bool matches(const struct ia_contact *row, const char *query)
{
    char name[IA_CONTACT_NAME_BYTES];
    return ia_kit_matches(ia_contact_name(row, name), query) ||
           ia_kit_matches(row->part[IA_CONTACT_PHONE], query) ||
           ia_kit_matches(row->part[IA_CONTACT_EMAIL], query);
}

enum ia_rc ia_native_contact_search(struct ia_native_call *c)
{
    const struct ia_book *book = ia_contacts_book(c->p);
    uint16_t order[IA_CONTACTS_MAX];
    int count = ia_book_count(book);
    ia_book_order(book, false, order);
    struct ia_native_list list = ia_native_list_begin(c->w, "contacts");
    for (int i = 0; i < (c->limited && count > PICKED ? PICKED : count); i++) {
        const struct ia_contact *row = ia_book_at(book, order[i]);
        if (matches(row, ia_native_text(c, "query")) && ia_native_list_item(&list)) {
            put_contact(c, row);
        }
    }
    ia_native_list_end(&list);
    return IA_OK;
}

enum ia_rc ia_native_contact_create(struct ia_native_call *c)
{
    struct ia_book *book = ia_contacts_book_mut(c->p);
    const char *part[IA_CONTACT_PARTS];
    bool empty = true;
    for (int i = 0; i < IA_CONTACT_PARTS; i++) {
        part[i] = ia_native_text(c, parts[i]);
        empty = empty && part[i][0] == '\0';
    }
    if (empty) {
        return ia_err_set(c->err, IA_E_USAGE,
                          "contact.create needs a name, a phone number or an e-mail address");
    }
    if (ia_book_count(book) == IA_CONTACTS_MAX) {
        return ia_err_set(c->err, IA_E_LIMIT, "the phone has room for %d contacts",
                          IA_CONTACTS_MAX);
    }
    if (c->w) {
        const struct ia_contact *row = ia_book_find(book, ia_book_put(book, 0, part));
        ia_jsonw_key(c->w, "contact");
        ia_jsonw_object(c->w);
        put_contact(c, row);
    }
    return IA_OK;
}
