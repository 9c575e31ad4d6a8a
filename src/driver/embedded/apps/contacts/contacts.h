/* contacts.h: the Contacts app and its address book. */
#ifndef IA_DRIVER_EMBEDDED_APPS_CONTACTS_CONTACTS_H
#define IA_DRIVER_EMBEDDED_APPS_CONTACTS_CONTACTS_H

#include "driver/embedded/ui/format.h"
#include "driver/embedded/ui/kit.h"

extern const struct ia_app ia_app_contacts;

enum {
    IA_CONTACTS_FIELD_SEARCH,
    IA_CONTACTS_FIELD_FIRST,
    IA_CONTACTS_FIELD_LAST,
    IA_CONTACTS_FIELD_PHONE,
    IA_CONTACTS_FIELD_EMAIL,
    IA_CONTACTS_FIELD_COUNT
};

enum ia_contact_part {
    IA_CONTACT_FIRST,
    IA_CONTACT_LAST,
    IA_CONTACT_PHONE,
    IA_CONTACT_EMAIL,
    IA_CONTACT_PARTS
};

enum { IA_CONTACTS_MAX = 500, IA_CONTACT_NAME_BYTES = 2 * IA_FIELD_BYTES_MAX + 2 };

struct ia_contact {
    int32_t id;                         /* never 0, never reused */
    const char *part[IA_CONTACT_PARTS]; /* never NULL */
    bool factory;                       /* the parts are constants */
};

/* The address book. Until its first change it is the constant factory list. */
struct ia_book {
    struct ia_contact *rows; /* NULL: still the factory list */
    int count;
    int32_t next_id;
};

/* With another seed than the default one: other numbers, and some people more. */
struct ia_book *ia_book_new(uint64_t seed);
void ia_book_free(struct ia_book *b);
int ia_book_count(const struct ia_book *b);
const struct ia_contact *ia_book_at(const struct ia_book *b, int i);
/* The contact with that id, or NULL. */
const struct ia_contact *ia_book_find(const struct ia_book *b, int32_t id);
/* Adds (id 0) or changes a contact, copying the parts without spaces around them. Returns its
 * id, or 0 when the book is full. */
int32_t ia_book_put(struct ia_book *b, int32_t id, const char *const part[IA_CONTACT_PARTS]);
void ia_book_remove(struct ia_book *b, int32_t id);
void ia_book_json(const void *book, struct ia_jsonw *w);

/* "First Last", or the one there is, else the phone number or the e-mail address. */
const char *ia_contact_name(const struct ia_contact *c, char buf[IA_CONTACT_NAME_BYTES]);
/* Fills order[] with the rows' indices, sorted as the list shows them. */
void ia_book_order(const struct ia_book *b, bool first_last, uint16_t order[IA_CONTACTS_MAX]);
/* The heading a contact stands under: 'A' to 'Z', or '#'. */
char ia_contact_letter(const struct ia_contact *c, bool first_last);

/* Of the screens (contacts.c, form.c). */
extern const struct ia_screen ia_contacts_card, ia_contacts_form;
const struct ia_book *ia_contacts_book(const struct ia_phone *p);
struct ia_book *ia_contacts_book_mut(struct ia_phone *p);
/* Presents the form: for a new contact with id 0, else filled with the contact. */
void ia_contacts_edit(struct ia_phone *p, int32_t id);

#endif
