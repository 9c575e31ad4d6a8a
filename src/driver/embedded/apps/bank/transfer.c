/* transfer.c: a transfer, from its form over its confirmation to what was sent; payees. */
#include "driver/embedded/apps/bank/bank.h"

#include <stdlib.h>
#include <string.h>

static const struct ia_alert alert_amount =
    IA_ALERT_OK("Check the Amount", "Write it as 120 or 120.50.");
static const struct ia_alert alert_same =
    IA_ALERT_OK("Same Account", "Choose two different accounts.");
static const struct ia_alert alert_money =
    IA_ALERT_OK("Not Enough Money", "The account does not have that much.");
static const struct ia_alert alert_limit =
    IA_ALERT_OK("Over the Daily Limit", "You can change the limit in your profile.");
static const struct ia_alert alert_number =
    IA_ALERT_OK("Check the Account Number", "An account number has eight digits.");
static const struct ia_alert alert_payees =
    IA_ALERT_OK("Cannot Save", "There is no room for more payees.");

/* ---- who pays, who is paid ---- */

static void choose_from(struct ia_phone *p, const struct ia_touch *t)
{
    ia_bank_of(p)->order.from = t->arg;
    ia_nav_pop(p);
}

static void choose_to(struct ia_phone *p, const struct ia_touch *t)
{
    ia_bank_of(p)->order.to = t->arg;
    ia_nav_pop(p);
}

static void choice(struct ia_kit *k, const char *label, const char *detail, ia_touch_fn *tap,
                   int arg, int chosen)
{
    ia_kit_row(k, &(struct ia_kit_row){.label = label,
                                       .subtitle = detail,
                                       .accessory = IA_ROW_CHECK,
                                       .on = arg == chosen,
                                       .tap = tap,
                                       .arg = arg});
}

/* Money goes to any account, and comes from those that hold some. */
static void own_accounts(struct ia_kit *k, ia_touch_fn *tap, int count, int first, int chosen)
{
    const struct ia_bank *b = ia_bank_of_const(k->phone);
    ia_kit_section(k, "MY ACCOUNTS");
    for (int i = 0; i < count; i++) {
        choice(k, ia_bank_account_name(i), ia_money_text(k->scene, b->balance[i]), tap,
               first + i, chosen);
    }
}

static void build_from(struct ia_kit *k)
{
    static const struct ia_kit_nav nav = {0};
    ia_kit_begin(k, &nav, IA_LIST_GROUPED);
    own_accounts(k, choose_from, IA_BANK_CARD, 0, ia_bank_of_const(k->phone)->order.from);
    ia_kit_end(k);
}

static void new_payee(struct ia_phone *p, const struct ia_touch *t);

static void build_to(struct ia_kit *k)
{
    static const struct ia_kit_nav nav = {
        .right = {.label = "Add Payee", .ident = "add-payee", .tap = new_payee}};
    const struct ia_bank *b = ia_bank_of_const(k->phone);
    ia_kit_begin(k, &nav, IA_LIST_GROUPED);
    ia_kit_section(k, "PAYEES");
    for (int i = 0; i < b->payee_count; i++) {
        choice(k, b->payees[i].name, b->payees[i].account, choose_to, i, b->order.to);
    }
    own_accounts(k, choose_to, IA_BANK_ACCOUNTS, IA_BANK_TO_OWN, b->order.to);
    ia_kit_end(k);
}

static const struct ia_screen screen_from = {"From", build_from, NULL, NULL};
static const struct ia_screen screen_to = {"Recipient", build_to, NULL, NULL};

static void open_from(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    ia_nav_push(p, &screen_from, 0);
}

static void open_to(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    ia_nav_push(p, &screen_to, 0);
}

/* ---- a new payee ---- */

static void cancel_payee(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    ia_edit_set(p, IA_BANK_FIELD_NAME, "");
    ia_edit_set(p, IA_BANK_FIELD_ACCOUNT, "");
    ia_nav_pop(p);
}

void ia_bank_save_payee(struct ia_phone *p)
{
    struct ia_bank *b = ia_bank_of(p);
    const struct ia_app_state *a = ia_phone_front(p);
    bool saved = ia_bank_add_payee(b, ia_edit_text(a, IA_BANK_FIELD_NAME),
                                   ia_edit_text(a, IA_BANK_FIELD_ACCOUNT));
    ia_nav_to_root(p);
    cancel_payee(p, NULL);
    b->order.to = saved ? b->payee_count - 1 : b->order.to;
    if (!saved) {
        ia_alert_show(p, &alert_payees, 0);
    }
}

static void on_payee(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    const char *account = ia_edit_text(ia_phone_front(p), IA_BANK_FIELD_ACCOUNT);
    size_t digits = strspn(account, "0123456789");
    if (digits == IA_BANK_ACCOUNT_DIGITS && !account[digits]) {
        ia_bank_ask_code(p, IA_BANK_PAYEE);
    } else {
        ia_alert_show(p, &alert_number, 0);
    }
}

static void build_payee(struct ia_kit *k)
{
    const char *name = ia_edit_text(k->app, IA_BANK_FIELD_NAME);
    const struct ia_kit_nav nav = {
        .left = {.label = "Cancel", .ident = "cancel", .tap = cancel_payee},
        .right = {.label = "Save",
                  .ident = "save",
                  .bold = true,
                  .tap = on_payee,
                  .disabled = name[strspn(name, " ")] == '\0'}};
    ia_kit_begin(k, &nav, IA_LIST_GROUPED);
    ia_kit_section(k, NULL);
    ia_kit_field(k, IA_BANK_FIELD_NAME);
    ia_kit_field(k, IA_BANK_FIELD_ACCOUNT);
    ia_kit_end(k);
}

static const struct ia_screen screen_payee = {"New Payee", build_payee, NULL, cancel_payee};

static void new_payee(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    ia_nav_present(p, &screen_payee, 0);
    ia_edit_focus(p, IA_BANK_FIELD_NAME);
}

/* ---- the transfer ---- */

static const struct ia_alert *objection(const struct ia_phone *p)
{
    const struct ia_bank *b = ia_bank_of_const(p);
    const struct ia_bank_order *o = &b->order;
    bool own = o->to >= IA_BANK_TO_OWN;
    if (o->cents == 0) {
        return &alert_amount;
    }
    if (own && o->to - IA_BANK_TO_OWN == o->from) {
        return &alert_same;
    }
    if (o->cents > b->balance[o->from]) {
        return &alert_money;
    }
    bool over = !own && ia_bank_spent(b, p->now_ms) + o->cents > b->limit;
    return over && !ia_phone_bug(p, IA_BUG_BANK_LIMIT) ? &alert_limit : NULL;
}

void ia_bank_transfer(struct ia_phone *p)
{
    struct ia_bank *b = ia_bank_of(p);
    ia_bank_book(b, ia_edit_text(ia_phone_front(p), IA_BANK_FIELD_REFERENCE), p->now_ms,
                 p->bugs);
    ia_edit_set(p, IA_BANK_FIELD_AMOUNT, "");
    ia_edit_set(p, IA_BANK_FIELD_REFERENCE, "");
    ia_nav_to_root(p);
    ia_nav_present(p, &ia_bank_sent_page, b->row_count);
}

static void on_confirm(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    const struct ia_bank_order *o = &ia_bank_of(p)->order;
    if (o->to < IA_BANK_TO_OWN && o->cents >= IA_BANK_CODE_FROM) {
        ia_bank_ask_code(p, IA_BANK_TRANSFER);
    } else {
        ia_bank_transfer(p);
    }
}

static void order_rows(struct ia_kit *k)
{
    const struct ia_bank *b = ia_bank_of_const(k->phone);
    const struct ia_bank_order *o = &b->order;
    ia_kit_section(k, NULL);
    ia_kit_fact(k, "From", "from", ia_bank_account_name(o->from));
    ia_kit_fact(k, "Recipient", "to", ia_bank_to_name(b, o->to));
    if (o->to < IA_BANK_TO_OWN) {
        ia_kit_fact(k, "Account number", "to-account", b->payees[o->to].account);
    }
    ia_kit_fact(k, "Amount", "order-amount", ia_money_text(k->scene, o->cents));
}

static void build_confirm(struct ia_kit *k)
{
    static const struct ia_kit_nav nav = {
        .left = {.label = "Cancel", .ident = "cancel", .tap = ia_nav_on_back}};
    static const struct ia_kit_button confirm = {
        .label = "Confirm", .ident = "confirm", .tap = on_confirm};
    const struct ia_bank *b = ia_bank_of_const(k->phone);
    const char *reference = ia_edit_text(k->app, IA_BANK_FIELD_REFERENCE);
    ia_kit_begin(k, &nav, IA_LIST_GROUPED);
    order_rows(k);
    ia_kit_fact(k, "Reference", "order-reference", *reference ? reference : "None");
    ia_kit_fact(k, "Balance after it", "balance-after",
                ia_money_text(k->scene, b->balance[b->order.from] - b->order.cents));
    ia_kit_action(k, &confirm);
    ia_kit_footer(k, b->order.to < IA_BANK_TO_OWN && b->order.cents >= IA_BANK_CODE_FROM
                         ? "This transfer needs a code."
                         : "It cannot be taken back.");
    ia_kit_end(k);
}

static const struct ia_screen screen_confirm = {"Confirm Transfer", build_confirm, NULL,
                                                ia_nav_on_back};

static void on_continue(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    char *amount = ia_trimmed(ia_edit_text(ia_phone_front(p), IA_BANK_FIELD_AMOUNT));
    ia_bank_of(p)->order.cents = ia_bank_cents(amount);
    free(amount);
    const struct ia_alert *no = objection(p);
    if (no) {
        ia_alert_show(p, no, 0);
    } else {
        ia_nav_present(p, &screen_confirm, 0);
    }
}

static void chooser(struct ia_kit *k, const char *label, const char *ident, const char *chosen,
                    ia_touch_fn *tap)
{
    ia_kit_row(k, &(struct ia_kit_row){.label = label,
                                       .ident = ident,
                                       .detail = chosen ? chosen : "Choose",
                                       .accessory = IA_ROW_CHEVRON,
                                       .tap = tap});
}

void ia_bank_build_transfer(struct ia_kit *k)
{
    const struct ia_bank *b = ia_bank_of_const(k->phone);
    static const struct ia_kit_nav nav = {IA_BANK_NAV(IA_BANK_TAB_TRANSFER)};
    const struct ia_kit_button go = {.label = "Continue",
                                     .ident = "continue",
                                     .tap = on_continue,
                                     .disabled = !ia_bank_to_name(b, b->order.to) ||
                                                 !*ia_edit_text(k->app, IA_BANK_FIELD_AMOUNT)};
    ia_kit_begin(k, &nav, IA_LIST_GROUPED);
    ia_kit_section(k, NULL);
    chooser(k, "From", "from", ia_bank_account_name(b->order.from), open_from);
    chooser(k, "Recipient", "to", ia_bank_to_name(b, b->order.to), open_to);
    ia_kit_section(k, NULL);
    ia_kit_field(k, IA_BANK_FIELD_AMOUNT);
    ia_kit_field(k, IA_BANK_FIELD_REFERENCE);
    ia_kit_footer(k,
                  ia_scene_printf(k->scene, "%s of your daily limit of %s are used.",
                                  ia_money_text(k->scene, ia_bank_spent(b, k->phone->now_ms)),
                                  ia_money_text(k->scene, b->limit)));
    ia_kit_action(k, &go);
    ia_kit_end(k);
}

/* ---- what was sent ---- */

static void close_sent(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    ia_bank_of(p)->order.to = IA_BANK_TO_NOBODY;
    ia_nav_pop(p);
}

static void build_sent(struct ia_kit *k)
{
    static const struct ia_kit_nav nav = {
        .right = {.label = "Done", .ident = "done", .bold = true, .tap = close_sent}};
    const struct ia_bank *b = ia_bank_of_const(k->phone);
    ia_kit_begin(k, &nav, IA_LIST_GROUPED);
    order_rows(k);
    ia_kit_fact(k, "Balance", "balance", ia_money_text(k->scene, b->balance[b->order.from]));
    ia_kit_end(k);
}

const struct ia_screen ia_bank_sent_page = {"Transfer Sent", build_sent, NULL, close_sent};
