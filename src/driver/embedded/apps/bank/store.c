/* store.c: accounts, payees and what was paid. */
#include "driver/embedded/apps/bank/bank.h"

#include "base/rand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DAY_MS = 86400000, FIRST_CODE = 100000, CODES = 900000, AMOUNT_DIGITS_MAX = 7 };

static const char *const account_names[IA_BANK_ACCOUNTS] = {"Everyday", "Savings",
                                                            "Credit Card"};
/* Before the rows below; what a phone of another seed has differs. */
static const int32_t opening[IA_BANK_ACCOUNTS] = {185820, 790000, 0};

static const struct {
    const char *name, *account;
} factory_payees[] = {
    {"Emma Schmidt", "40218837"},
    {"Ravi Rao", "55810264"},
    {"Northern Power", "70034518"},
    {"Maple Street Housing", "61190072"},
};

/* Days before the one on which every phone begins. */
static const struct {
    uint8_t account;
    int days;
    int32_t cents;
    const char *who, *reference;
} factory_rows[] = {
    {IA_BANK_SAVINGS, 40, 30000, "From Everyday", "August"},
    {IA_BANK_EVERYDAY, 31, -98000, "Maple Street Housing", "Rent August"},
    {IA_BANK_CARD, 21, -4990, "Cinema Lux", "4 tickets"},
    {IA_BANK_EVERYDAY, 15, 284000, "Brightwater Ltd", "Salary August"},
    {IA_BANK_EVERYDAY, 12, -6420, "Corner Market", "Card 0096"},
    {IA_BANK_CARD, 11, -18900, "Hotel Seeblick", "2 nights"},
    {IA_BANK_EVERYDAY, 9, -30000, "To Savings", "September"},
    {IA_BANK_SAVINGS, 9, 30000, "From Everyday", "September"},
    {IA_BANK_EVERYDAY, 8, -98000, "Maple Street Housing", "Rent September"},
    {IA_BANK_EVERYDAY, 6, -7315, "Northern Power", "Invoice 2231"},
    {IA_BANK_CARD, 5, -3455, "Blue Door Restaurant", "Table 6"},
    {IA_BANK_EVERYDAY, 4, -2840, "Corner Market", "Card 0096"},
    {IA_BANK_EVERYDAY, 2, 4500, "Ravi Rao", "Concert"},
    {IA_BANK_EVERYDAY, 1, -3185, "Corner Market", "Card 0096"},
    {IA_BANK_EVERYDAY, 1, 6000, "Grace Foster", "Thank you"},
};

struct ia_bank *ia_bank_of(struct ia_phone *p)
{
    return ia_phone_state_of(p, &ia_app_bank)->data;
}

const struct ia_bank *ia_bank_of_const(const struct ia_phone *p)
{
    return ia_phone_state_of_const(p, &ia_app_bank)->data;
}

/* ---- made and freed ---- */

static void add_row(struct ia_bank *b, const struct ia_bank_row *row)
{
    b->balance[row->account] += row->cents;
    if (b->row_count == IA_BANK_ROWS_MAX) {
        free(b->rows[0].who);
        free(b->rows[0].reference);
        memmove(b->rows, b->rows + 1, (size_t)--b->row_count * sizeof(*b->rows));
    }
    b->rows = ia_realloc(b->rows, (size_t)b->row_count + 1, sizeof(*b->rows));
    struct ia_bank_row *to = &b->rows[b->row_count++];
    *to = *row;
    to->who = ia_strdup(row->who);
    to->reference = ia_strdup(row->reference);
}

void *ia_bank_new(uint64_t seed)
{
    struct ia_bank *b = ia_calloc(1, sizeof(*b));
    bool usual = seed == IA_PHONE_DEFAULT_SEED;
    b->seed = seed;
    b->limit = 100000;
    b->order.to = IA_BANK_TO_NOBODY;
    for (int i = 0; i < IA_BANK_ACCOUNTS; i++) {
        b->balance[i] =
            opening[i] + (usual || i == IA_BANK_CARD ? 0 : ia_phone_number(seed, i, 200000));
    }
    for (size_t i = 0; i < IA_COUNTOF(factory_payees); i++) {
        (void)ia_bank_add_payee(b, factory_payees[i].name, factory_payees[i].account);
    }
    for (size_t i = 0; i < IA_COUNTOF(factory_rows); i++) {
        int32_t cents = factory_rows[i].cents;
        add_row(b, &(struct ia_bank_row){
                       .account = factory_rows[i].account,
                       .cents = cents,
                       .at_ms = IA_PHONE_EPOCH_MS - factory_rows[i].days * (int64_t)DAY_MS,
                       .who = (char *)(uintptr_t)factory_rows[i].who,
                       .reference = (char *)(uintptr_t)factory_rows[i].reference});
    }
    return b;
}

void ia_bank_free(void *bank)
{
    struct ia_bank *b = bank;
    for (int i = 0; i < b->payee_count; i++) {
        free(b->payees[i].name);
        free(b->payees[i].account);
    }
    for (int i = 0; i < b->row_count; i++) {
        free(b->rows[i].who);
        free(b->rows[i].reference);
    }
    free(b->rows);
    free(b);
}

/* ---- what it does ---- */

bool ia_bank_login(const char *user, const char *password)
{
    return strcmp(user, "ada") == 0 && strcmp(password, "ledger-1815") == 0;
}

const char *ia_bank_account_name(int account)
{
    return account_names[account];
}

const char *ia_bank_to_name(const struct ia_bank *b, int to)
{
    if (to >= IA_BANK_TO_OWN) {
        return account_names[to - IA_BANK_TO_OWN];
    }
    return to >= 0 && to < b->payee_count ? b->payees[to].name : NULL;
}

bool ia_bank_add_payee(struct ia_bank *b, const char *name, const char *account)
{
    if (b->payee_count == IA_BANK_PAYEES_MAX) {
        return false;
    }
    b->payees[b->payee_count++] =
        (struct ia_bank_payee){.name = ia_trimmed(name), .account = ia_trimmed(account)};
    return true;
}

int32_t ia_bank_spent(const struct ia_bank *b, int64_t now_ms)
{
    int32_t cents = 0;
    for (int i = 0; i < b->row_count; i++) {
        const struct ia_bank_row *row = &b->rows[i];
        cents -= row->transfer && ia_day_of(row->at_ms) == ia_day_of(now_ms) ? row->cents : 0;
    }
    return cents;
}

int32_t ia_bank_cents(const char *text)
{
    size_t whole = strspn(text, "0123456789"), part = 0;
    if (text[whole] == '.') {
        part = strspn(text + whole + 1, "0123456789");
        if (part == 0 || part > 2 || text[whole + 1 + part]) {
            return 0;
        }
    } else if (text[whole]) {
        return 0;
    }
    if (whole == 0 || whole > AMOUNT_DIGITS_MAX) {
        return 0;
    }
    int32_t cents = (int32_t)strtol(text, NULL, 10) * 100;
    int32_t rest = part ? (int32_t)strtol(text + whole + 1, NULL, 10) : 0;
    return cents + (part == 1 ? rest * 10 : rest);
}

void ia_bank_book(struct ia_bank *b, const char *reference, int64_t now_ms, uint32_t bugs)
{
    struct ia_bank_order *o = &b->order;
    bool own = o->to >= IA_BANK_TO_OWN, twice = bugs >> IA_BUG_BANK_DOUBLE & 1;
    o->to = !own && bugs >> IA_BUG_BANK_PAYEE & 1 ? 0 : o->to;
    struct ia_bank_row row = {.account = (uint8_t)o->from,
                              .transfer = !own,
                              .cents = -o->cents,
                              .at_ms = now_ms,
                              .who = (char *)(uintptr_t)ia_bank_to_name(b, o->to),
                              .reference = (char *)(uintptr_t)reference};
    for (int i = 0; i <= (int)twice; i++) {
        add_row(b, &row);
    }
    if (own) {
        row.account = (uint8_t)(o->to - IA_BANK_TO_OWN);
        row.cents = o->cents;
        row.who = (char *)(uintptr_t)account_names[o->from];
        add_row(b, &row);
    }
}

void ia_bank_new_code(struct ia_bank *b, enum ia_bank_ask ask, int64_t now_ms)
{
    b->ask = (uint8_t)ask;
    b->code = FIRST_CODE + ia_phone_number(b->seed, 100 + b->codes++, CODES);
    b->code_until_ms = now_ms + IA_BANK_CODE_MS;
}

void ia_bank_example(void *bank)
{
    struct ia_bank *b = bank;
    b->order.to = 0;
    ia_bank_book(b, "", 0, 0);
}

/* ---- oracle, and what its build for tests tells ---- */

static void transfer_json(const struct ia_bank_row *row, struct ia_jsonw *w)
{
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "from", account_names[row->account]);
    ia_jsonw_kv(w, "to", row->who);
    ia_money_json(w, "amount", -row->cents);
    ia_jsonw_kv(w, "reference", row->reference);
    ia_jsonw_end_object(w);
}

static const char *code_text(const struct ia_bank *b, char buf[16])
{
    (void)snprintf(buf, 16, "%d", b->code);
    return b->code ? buf : NULL;
}

void ia_bank_json(const void *bank, struct ia_jsonw *w)
{
    const struct ia_bank *b = bank;
    char code[16];
    ia_jsonw_key(w, "bank");
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "user", b->stage == IA_BANK_IN ? "ada" : NULL);
    ia_jsonw_kv_bool(w, "locked", b->locked);
    ia_jsonw_kv(w, "code", code_text(b, code));
    ia_jsonw_key(w, "balances");
    ia_jsonw_object(w);
    for (int i = 0; i < IA_BANK_ACCOUNTS; i++) {
        ia_money_json(w, account_names[i], b->balance[i]);
    }
    ia_jsonw_end_object(w);
    ia_money_json(w, "limit", b->limit);
    ia_jsonw_kv_bool(w, "card_frozen", b->frozen);
    ia_jsonw_key(w, "payees");
    ia_jsonw_array(w);
    for (int i = 0; i < b->payee_count; i++) {
        ia_jsonw_object(w);
        ia_jsonw_kv(w, "name", b->payees[i].name);
        ia_jsonw_kv(w, "account", b->payees[i].account);
        ia_jsonw_end_object(w);
    }
    ia_jsonw_end_array(w);
    ia_jsonw_key(w, "transfers");
    ia_jsonw_array(w);
    for (int i = 0; i < b->row_count; i++) {
        if (b->rows[i].transfer) {
            transfer_json(&b->rows[i], w);
        }
    }
    ia_jsonw_end_array(w);
    ia_jsonw_end_object(w);
}

void ia_bank_tell(const void *bank, uint32_t bugs, struct ia_jsonw *w)
{
    const struct ia_bank *b = bank;
    const struct ia_bank_row *last = NULL;
    int transfers = 0;
    (void)bugs;
    for (int i = 0; i < b->row_count; i++) {
        last = b->rows[i].transfer ? &b->rows[i] : last;
        transfers += b->rows[i].transfer;
    }
    ia_jsonw_kv(w, "bank.user", b->stage == IA_BANK_IN ? "ada" : "nobody");
    ia_money_json(w, "bank.balance", b->balance[IA_BANK_EVERYDAY]);
    ia_money_json(w, "bank.savings", b->balance[IA_BANK_SAVINGS]);
    ia_money_json(w, "bank.card", b->balance[IA_BANK_CARD]);
    ia_jsonw_kv(w, "bank.card_frozen", b->frozen ? "yes" : "no");
    ia_jsonw_kv(w, "bank.locked", b->locked ? "yes" : "no");
    ia_money_json(w, "bank.limit", b->limit);
    ia_count_json(w, "bank.payees", b->payee_count);
    ia_count_json(w, "bank.transfers", transfers);
    ia_jsonw_kv(w, "bank.last_payee", last ? last->who : "nobody");
    ia_money_json(w, "bank.last_amount", last ? -last->cents : 0);
    ia_jsonw_kv(w, "bank.last_reference", last ? last->reference : "");
}
