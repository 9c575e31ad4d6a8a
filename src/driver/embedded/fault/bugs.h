/* bugs.h: bugs planted in the apps, off by default. Each one shows on the screen, so that a goal
 * with the right expectations finds it. */
#ifndef IA_DRIVER_EMBEDDED_FAULT_BUGS_H
#define IA_DRIVER_EMBEDDED_FAULT_BUGS_H

#include "base/err.h"
#include "base/jsonw.h"

/* X(name, word, effect) */
#define IA_BUG_LIST(X)                                                                         \
    X(IA_BUG_SHOP_TOTAL, "shop-total", "the cart's total counts each item once")               \
    X(IA_BUG_SHOP_COUPON, "shop-coupon", "a coupon is accepted but takes nothing off")         \
    X(IA_BUG_SHOP_CART, "shop-cart-stays", "the cart stays full after an order")               \
    X(IA_BUG_CONTACTS_PHONE, "contacts-lost-phone",                                            \
      "an edited contact keeps its old phone number")                                          \
    X(IA_BUG_CONTACTS_SEARCH, "contacts-deaf-search", "the search does not find last names")   \
    X(IA_BUG_REMINDERS_GHOST, "reminders-ghost",                                               \
      "a deleted reminder returns when the app is restarted")                                  \
    X(IA_BUG_REMINDERS_LATE, "reminders-late",                                                 \
      "\"Tomorrow\" is saved as the day after tomorrow")                                       \
    X(IA_BUG_SETTINGS_SWITCH, "settings-switch-lies",                                          \
      "a switch flips back when its page is closed")                                           \
    X(IA_BUG_MESSAGES_BADGE, "messages-badge-stays",                                           \
      "a conversation stays unread after it was opened")                                       \
    X(IA_BUG_MESSAGES_PICTURE, "messages-lost-picture", "an attached picture is not sent")     \
    X(IA_BUG_MESSAGES_SEARCH, "messages-deaf-search",                                          \
      "the search finds names only, not texts")                                                \
    X(IA_BUG_BANK_DOUBLE, "bank-double-transfer", "a transfer is booked twice")                \
    X(IA_BUG_BANK_LIMIT, "bank-no-limit", "a transfer over the daily limit is accepted")       \
    X(IA_BUG_BANK_PAYEE, "bank-wrong-payee",                                                   \
      "a transfer goes to the first payee, whoever was chosen")                                \
    X(IA_BUG_BANK_CODE, "bank-any-code", "any code is accepted")

enum ia_bug {
#define IA_BUG_ENUM(name, word, what) name,
    IA_BUG_LIST(IA_BUG_ENUM)
#undef IA_BUG_ENUM
        IA_BUG_COUNT
};

/* Reads "shop-total,reminders-ghost", "all", or "none". IA_E_USAGE names the word that is no
 * bug, with the nearest one. */
enum ia_rc ia_bugs_parse(struct ia_str list, uint32_t *ret, struct ia_err *err);
/* Appends "shop-total,reminders-ghost", or "none". */
void ia_bugs_write(uint32_t bugs, struct ia_buf *out);
/* ["shop-total"] */
void ia_bugs_json(uint32_t bugs, struct ia_jsonw *w);
const char *ia_bug_word(enum ia_bug bug);
const char *ia_bug_what(enum ia_bug bug);

#endif
