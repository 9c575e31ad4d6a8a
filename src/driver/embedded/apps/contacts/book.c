/* book.c: the address book. */
#include "driver/embedded/apps/contacts/contacts.h"

#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define C(i, first, last, phone, email)                                                        \
    {                                                                                          \
        i, {first, last, phone, email}, true                                                   \
    }
static const struct ia_contact factory[] = {
    C(1, "Nora", "Abbott", "555-0111", "nora.abbott@example.com"),
    C(2, "Samuel", "Adler", "555-0112", ""),
    C(3, "Priya", "Anand", "555-0113", "priya@example.com"),
    C(4, "Luca", "Bianchi", "555-0114", "luca.bianchi@example.com"),
    C(5, "Hannah", "Brandt", "555-0115", ""),
    C(6, "Diego", "Castillo", "555-0116", "diego.c@example.com"),
    C(7, "Mei", "Chen", "555-0117", "mei.chen@example.com"),
    C(8, "Oliver", "Cole", "555-0118", ""),
    C(9, "Amara", "Diallo", "555-0119", "amara@example.com"),
    C(10, "Theo", "Dupont", "555-0120", "theo.dupont@example.com"),
    C(11, "Ingrid", "Eriksen", "555-0121", ""),
    C(12, "Marco", "Ferrari", "555-0122", "marco.f@example.com"),
    C(13, "Grace", "Foster", "555-0123", "grace.foster@example.com"),
    C(14, "Yuki", "Fujita", "555-0124", ""),
    C(15, "Elena", "Garcia", "555-0125", "elena.garcia@example.com"),
    C(16, "Liam", "Hughes", "555-0126", "liam.h@example.com"),
    C(17, "Fatima", "Ibrahim", "555-0127", ""),
    C(18, "Jonas", "Keller", "555-0128", "jonas.keller@example.com"),
    C(19, "Chloe", "Lambert", "555-0129", "chloe@example.com"),
    C(20, "Daniel", "Meyer", "555-0130", ""),
    C(21, "Aisha", "Mohamed", "555-0131", "aisha.m@example.com"),
    C(22, "Mateo", "Navarro", "555-0132", "mateo@example.com"),
    C(23, "Sofia", "Novak", "555-0133", ""),
    C(24, "Kwame", "Osei", "555-0134", "kwame.osei@example.com"),
    C(25, "Isabel", "Pereira", "555-0135", "isabel@example.com"),
    C(26, "Ravi", "Rao", "555-0136", ""),
    C(27, "Emma", "Schmidt", "555-0137", "emma.schmidt@example.com"),
    C(28, "Noah", "Tanaka", "555-0138", "noah.t@example.com"),
    C(29, "Zoe", "Walker", "555-0139", ""),
    C(30, "Adam", "Young", "555-0140", "adam.young@example.com"),
};
#undef C

static void forget(struct ia_contact *c)
{
    for (int i = 0; i < IA_CONTACT_PARTS && !c->factory; i++) {
        free((void *)(uintptr_t)c->part[i]);
    }
}

void ia_book_free(struct ia_book *b)
{
    for (int i = 0; b->rows && i < b->count; i++) {
        forget(&b->rows[i]);
    }
    free(b->rows);
    free(b);
}

int ia_book_count(const struct ia_book *b)
{
    return b->count;
}

const struct ia_contact *ia_book_at(const struct ia_book *b, int i)
{
    return b->rows ? &b->rows[i] : &factory[i];
}

const struct ia_contact *ia_book_find(const struct ia_book *b, int32_t id)
{
    for (int i = 0; i < b->count; i++) {
        if (ia_book_at(b, i)->id == id) {
            return ia_book_at(b, i);
        }
    }
    return NULL;
}

/* The rows as our own copy, with room for one more. */
static struct ia_contact *own_rows(struct ia_book *b)
{
    size_t n = (size_t)b->count + 1;
    if (b->rows) {
        b->rows = ia_realloc(b->rows, n, sizeof(*b->rows));
    } else {
        b->rows = ia_calloc(n, sizeof(*b->rows));
        memcpy(b->rows, factory, sizeof(factory));
    }
    return b->rows;
}

int32_t ia_book_put(struct ia_book *b, int32_t id, const char *const part[IA_CONTACT_PARTS])
{
    const struct ia_contact *old = id ? ia_book_find(b, id) : NULL;
    if (!old && b->count == IA_CONTACTS_MAX) {
        return 0;
    }
    int at = old ? (int)(old - ia_book_at(b, 0)) : b->count;
    struct ia_contact fresh = {.id = old ? id : b->next_id};
    for (int i = 0; i < IA_CONTACT_PARTS; i++) {
        fresh.part[i] = ia_trimmed(part[i]);
    }
    struct ia_contact *rows = own_rows(b);
    if (old) {
        forget(&rows[at]);
    } else {
        b->count++;
        b->next_id++;
    }
    rows[at] = fresh;
    return fresh.id;
}

/* Whoever has written a message keeps the number that it came from. */
static bool writes(const struct ia_contact *c)
{
    static const char *const numbers[] = {"555-0123", "555-0136", "555-0140"};
    for (size_t i = 0; i < IA_COUNTOF(numbers); i++) {
        if (strcmp(c->part[IA_CONTACT_PHONE], numbers[i]) == 0) {
            return true;
        }
    }
    return false;
}

static void vary(struct ia_book *b, uint64_t seed)
{
    static const char *const more[][2] = {{"Olivia", "Evans"},
                                          {"Hugo", "Lindqvist"},
                                          {"Tara", "Quinn"},
                                          {"Ben", "Underwood"},
                                          {"Iris", "Vance"}};
    int from = 2000 + 100 * ia_phone_number(seed, 3, 70);
    int extra = 1 + ia_phone_number(seed, 4, (int32_t)IA_COUNTOF(more));
    for (int i = 0; i < (int)IA_COUNTOF(factory) + extra; i++) {
        const struct ia_contact *c = i < (int)IA_COUNTOF(factory) ? &factory[i] : NULL;
        const char *const *name = more[c ? 0 : i - (int)IA_COUNTOF(factory)];
        char phone[16];
        (void)snprintf(phone, sizeof(phone), "555-%04d", from + i);
        const char *part[IA_CONTACT_PARTS] = {c ? c->part[IA_CONTACT_FIRST] : name[0],
                                              c ? c->part[IA_CONTACT_LAST] : name[1], phone,
                                              c ? c->part[IA_CONTACT_EMAIL] : ""};
        if (!c || !writes(c)) {
            (void)ia_book_put(b, c ? c->id : 0, part);
        }
    }
}

struct ia_book *ia_book_new(uint64_t seed)
{
    struct ia_book *b = ia_calloc(1, sizeof(*b));
    b->count = IA_COUNTOF(factory);
    b->next_id = b->count + 1;
    if (seed != IA_PHONE_DEFAULT_SEED) {
        vary(b, seed);
    }
    return b;
}

void ia_book_remove(struct ia_book *b, int32_t id)
{
    const struct ia_contact *old = ia_book_find(b, id);
    if (!old) {
        return;
    }
    size_t at = (size_t)(old - ia_book_at(b, 0));
    struct ia_contact *rows = own_rows(b);
    forget(&rows[at]);
    b->count--;
    memmove(&rows[at], &rows[at + 1], ((size_t)b->count - at) * sizeof(*rows));
}

const char *ia_contact_name(const struct ia_contact *c, char buf[IA_CONTACT_NAME_BYTES])
{
    const char *first = c->part[IA_CONTACT_FIRST], *last = c->part[IA_CONTACT_LAST];
    if (!*first && !*last) {
        return *c->part[IA_CONTACT_PHONE] ? c->part[IA_CONTACT_PHONE]
                                          : c->part[IA_CONTACT_EMAIL];
    }
    (void)snprintf(buf, IA_CONTACT_NAME_BYTES, "%s%s%s", first, *first && *last ? " " : "",
                   last);
    return buf;
}

/* The part a contact is sorted by: last name (or first), else whatever there is. */
static const char *sort_key(const struct ia_contact *c, bool first_last)
{
    static const uint8_t orders[2][IA_CONTACT_PARTS] = {
        {IA_CONTACT_LAST, IA_CONTACT_FIRST, IA_CONTACT_PHONE, IA_CONTACT_EMAIL},
        {IA_CONTACT_FIRST, IA_CONTACT_LAST, IA_CONTACT_PHONE, IA_CONTACT_EMAIL},
    };
    for (int i = 0; i < IA_CONTACT_PARTS; i++) {
        const char *text = c->part[orders[first_last][i]];
        if (*text) {
            return text;
        }
    }
    return "";
}

/* The base letter of a Latin letter with a mark (U+00C0 to U+00FF), else the code point. */
static uint32_t folded(uint32_t cp)
{
    static const char base[] =
        "AAAAAAACEEEEIIIIDNOOOOO*OUUUUYTSAAAAAAACEEEEIIIIDNOOOOO/OUUUUYTY";
    if (cp >= 0xC0 && cp <= 0xFF) {
        return (uint32_t)base[cp - 0xC0];
    }
    return cp >= 'a' && cp <= 'z' ? cp - 32 : cp;
}

static uint32_t next_folded(const char **text)
{
    size_t n = strnlen(*text, 4);
    size_t len = ia_utf8_valid_len(*text, n);
    uint32_t cp = len ? ia_utf8_decode(*text, len) : (unsigned char)**text;
    *text += len ? len : n > 0;
    return folded(cp);
}

char ia_contact_letter(const struct ia_contact *c, bool first_last)
{
    const char *key = sort_key(c, first_last);
    uint32_t letter = next_folded(&key);
    if (letter >= 'A' && letter <= 'Z') {
        return (char)letter;
    }
    return '#';
}

static int compare_text(const char *a, const char *b)
{
    while (*a && *b) {
        uint32_t x = next_folded(&a), y = next_folded(&b);
        if (x != y) {
            return x < y ? -1 : 1;
        }
    }
    return (*a != 0) - (*b != 0);
}

/* '#' stands after the letters; equal names keep the order in which they were added. */
static int compare(const struct ia_contact *a, const struct ia_contact *b, bool first_last)
{
    int other =
        (ia_contact_letter(a, first_last) == '#') - (ia_contact_letter(b, first_last) == '#');
    if (other) {
        return other;
    }
    int d = compare_text(sort_key(a, first_last), sort_key(b, first_last));
    if (d == 0) {
        d = compare_text(sort_key(a, !first_last), sort_key(b, !first_last));
    }
    return d ? d : (a->id > b->id) - (a->id < b->id);
}

/* By insertion: the book is nearly sorted, and small. */
void ia_book_order(const struct ia_book *b, bool first_last, uint16_t order[IA_CONTACTS_MAX])
{
    for (int i = 0; i < b->count; i++) {
        int at = i;
        const struct ia_contact *c = ia_book_at(b, i);
        while (at > 0 && compare(ia_book_at(b, order[at - 1]), c, first_last) > 0) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = (uint16_t)i;
    }
}

void ia_book_json(const void *book, struct ia_jsonw *w)
{
    const struct ia_book *b = book;
    uint16_t order[IA_CONTACTS_MAX];
    ia_book_order(b, false, order);
    ia_jsonw_key(w, "contacts");
    ia_jsonw_array(w);
    for (int i = 0; i < b->count; i++) {
        const struct ia_contact *c = ia_book_at(b, order[i]);
        char name[IA_CONTACT_NAME_BYTES];
        ia_jsonw_object(w);
        ia_jsonw_kv(w, "name", ia_contact_name(c, name));
        ia_jsonw_kv(w, "first", c->part[IA_CONTACT_FIRST]);
        ia_jsonw_kv(w, "last", c->part[IA_CONTACT_LAST]);
        ia_jsonw_kv(w, "phone", c->part[IA_CONTACT_PHONE]);
        ia_jsonw_kv(w, "email", c->part[IA_CONTACT_EMAIL]);
        ia_jsonw_end_object(w);
    }
    ia_jsonw_end_array(w);
}

const struct ia_book *ia_contacts_book(const struct ia_phone *p)
{
    return ia_phone_state_of_const(p, &ia_app_contacts)->data;
}

struct ia_book *ia_contacts_book_mut(struct ia_phone *p)
{
    return ia_phone_state_of(p, &ia_app_contacts)->data;
}
