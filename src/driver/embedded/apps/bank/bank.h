/* bank.h: a bank: log in with a code that comes as a message, accounts, payees, transfers within a limit. */
#ifndef IA_DRIVER_EMBEDDED_APPS_BANK_BANK_H
#define IA_DRIVER_EMBEDDED_APPS_BANK_BANK_H

#include "driver/embedded/ui/format.h"
#include "driver/embedded/ui/kit.h"

extern const struct ia_app ia_app_bank;

enum {
    IA_BANK_FIELD_SEARCH,
    IA_BANK_FIELD_USER,
    IA_BANK_FIELD_PASSWORD,
    IA_BANK_FIELD_CODE,
    IA_BANK_FIELD_AMOUNT,
    IA_BANK_FIELD_REFERENCE,
    IA_BANK_FIELD_NAME,
    IA_BANK_FIELD_ACCOUNT,
    IA_BANK_FIELD_COUNT
};

/* Money is in cents. */
enum {
    IA_BANK_PAYEES_MAX = 20,
    IA_BANK_ROWS_MAX = 300,
    IA_BANK_TRIES = 3,         /* wrong passwords and codes in a row that lock it */
    IA_BANK_CODE_FROM = 25000, /* a transfer of that much needs a code */
    IA_BANK_CODE_MS = 300000,  /* how long a code is valid */
    IA_BANK_AWAY_MS = 60000,   /* how long it may be left before its session ends */
    IA_BANK_ACCOUNT_DIGITS = 8
};

enum ia_bank_account { IA_BANK_EVERYDAY, IA_BANK_SAVINGS, IA_BANK_CARD, IA_BANK_ACCOUNTS };
enum ia_bank_stage { IA_BANK_OUT, IA_BANK_CODE, IA_BANK_IN };
/* What a code is for. */
enum ia_bank_ask { IA_BANK_LOGIN, IA_BANK_TRANSFER, IA_BANK_PAYEE, IA_BANK_LIMIT };

/* Where a transfer goes: a payee by its number, or an account of one's own. */
enum { IA_BANK_TO_NOBODY = -1, IA_BANK_TO_OWN = 100 };

struct ia_bank_payee {
    char *name, *account;
};

struct ia_bank_row {
    uint8_t account;
    bool transfer; /* one that was made here, to a payee */
    int32_t cents; /* below 0: paid */
    int64_t at_ms;
    char *who, *reference;
};

/* What a form asks for, until it is confirmed. */
struct ia_bank_order {
    int from, to;
    int32_t cents, limit;
};

/* What the app keeps. */
struct ia_bank {
    uint64_t seed;
    uint8_t stage; /* enum ia_bank_stage */
    uint8_t ask;   /* enum ia_bank_ask, of the code */
    uint8_t wrong; /* tries in a row */
    bool locked, ended, frozen;
    int32_t code; /* 0: none was sent */
    int codes;
    int64_t code_until_ms, seen_ms;
    int32_t limit;
    struct ia_bank_order order;
    int32_t balance[IA_BANK_ACCOUNTS];
    struct ia_bank_payee payees[IA_BANK_PAYEES_MAX];
    int payee_count;
    struct ia_bank_row *rows; /* oldest first */
    int row_count;
};

/* ---- store.c ---- */

void *ia_bank_new(uint64_t seed);
void ia_bank_free(void *bank);
void ia_bank_example(void *bank);
void ia_bank_json(const void *bank, struct ia_jsonw *w);
void ia_bank_tell(const void *bank, uint32_t bugs, struct ia_jsonw *w);
struct ia_bank *ia_bank_of(struct ia_phone *p);
const struct ia_bank *ia_bank_of_const(const struct ia_phone *p);
bool ia_bank_login(const char *user, const char *password);
const char *ia_bank_account_name(int account);
/* The name of where a transfer goes; NULL: nobody was chosen. */
const char *ia_bank_to_name(const struct ia_bank *b, int to);
/* Adds a payee; false when there is no room. The texts are copied. */
bool ia_bank_add_payee(struct ia_bank *b, const char *name, const char *account);
/* What went to payees on that day. */
int32_t ia_bank_spent(const struct ia_bank *b, int64_t now_ms);
/* "120", "120.5" or "120.50"; 0 for anything else. */
int32_t ia_bank_cents(const char *text);
/* Books the order. bugs: the phone's. */
void ia_bank_book(struct ia_bank *b, const char *reference, int64_t now_ms, uint32_t bugs);
/* A new code of six digits, by the phone's seed. */
void ia_bank_new_code(struct ia_bank *b, enum ia_bank_ask ask, int64_t now_ms);

/* ---- of the screens ---- */

enum { IA_BANK_TAB_ACCOUNTS, IA_BANK_TAB_TRANSFER, IA_BANK_TAB_PROFILE, IA_BANK_TABS };
enum { IA_BANK_MEMO_MESSAGE }; /* shown until something else happens */
enum {
    IA_BANK_SAYS_NOTHING,
    IA_BANK_SAYS_WRONG_PASSWORD,
    IA_BANK_SAYS_WRONG_CODE,
    IA_BANK_SAYS_OLD_CODE,
    IA_BANK_SAYS_SENT
};

extern const struct ia_screen ia_bank_code_page, ia_bank_sent_page;
extern const struct ia_kit_button ia_bank_tabs[IA_BANK_TABS];
/* The navigation of the first page of a tab. */
#define IA_BANK_NAV(tab)                                                                       \
    .large = true, .tabs = ia_bank_tabs, .tab_count = IA_BANK_TABS, .tab_selected = (tab)
void ia_bank_build_code(struct ia_kit *k);
void ia_bank_build_accounts(struct ia_kit *k);
void ia_bank_build_transfer(struct ia_kit *k);
void ia_bank_build_profile(struct ia_kit *k);
/* Sends a code, and shows where it is entered. */
void ia_bank_ask_code(struct ia_phone *p, enum ia_bank_ask ask);
/* Ends the session; what was typed is gone. */
void ia_bank_leave(struct ia_phone *p);
void ia_bank_forget_typed(struct ia_phone *p);
/* A wrong password or code; the last one that is allowed locks. */
void ia_bank_count_wrong(struct ia_phone *p, int32_t says);
/* What the memo says, as a message. */
void ia_bank_says(struct ia_kit *k);
/* What follows a right code, by enum ia_bank_ask. */
extern void (*const ia_bank_granted[])(struct ia_phone *p);
/* What was confirmed with a code, or needs none. */
void ia_bank_transfer(struct ia_phone *p);
void ia_bank_save_payee(struct ia_phone *p);
void ia_bank_set_limit(struct ia_phone *p);

#endif
