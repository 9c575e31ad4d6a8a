/* accounts.c: the accounts, what was paid on each, and the profile with its limit. */
#include "driver/embedded/apps/bank/bank.h"

static const int32_t limits[] = {50000, 100000, 250000};

static void on_tab(struct ia_phone *p, const struct ia_touch *t)
{
    ia_nav_to_root(p);
    ia_nav_top(p)->arg = t->arg;
}

const struct ia_kit_button ia_bank_tabs[IA_BANK_TABS] = {
    {.label = "Accounts", .ident = "tab-accounts", .symbol = IA_SYMBOL_BANK, .tap = on_tab},
    {.label = "Transfer", .ident = "tab-transfer", .symbol = IA_SYMBOL_TRANSFER, .tap = on_tab},
    {.label = "Profile", .ident = "tab-profile", .symbol = IA_SYMBOL_PERSON, .tap = on_tab},
};

/* ---- one account ---- */

static void toggle_freeze(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    ia_bank_of(p)->frozen = !ia_bank_of(p)->frozen;
}

static void account_rows(struct ia_kit *k, const struct ia_bank *b, int account)
{
    const char *query = ia_kit_query(k);
    int32_t today = ia_day_of(k->phone->now_ms);
    int n = 0;
    for (int i = b->row_count - 1; i >= 0; i--) {
        const struct ia_bank_row *row = &b->rows[i];
        if (row->account != account ||
            !(ia_kit_matches(row->who, query) || ia_kit_matches(row->reference, query))) {
            continue;
        }
        if (n++ == 0) {
            ia_kit_section(k, "TRANSACTIONS");
        }
        const char *day = ia_day_text(k->scene, ia_day_of(row->at_ms), today);
        ia_kit_row(k, &(struct ia_kit_row){.label = row->who,
                                           .subtitle =
                                               *row->reference
                                                   ? ia_scene_printf(k->scene, "%s \xC2\xB7 %s",
                                                                     day, row->reference)
                                                   : day,
                                           .detail = ia_money_text(k->scene, row->cents)});
    }
    if (n == 0) {
        ia_kit_empty(k, "No Results", ia_scene_printf(k->scene, "for \"%s\"", query));
    }
}

static void build_account(struct ia_kit *k)
{
    const struct ia_bank *b = ia_bank_of_const(k->phone);
    static const struct ia_kit_nav nav = {IA_BANK_NAV(IA_BANK_TAB_ACCOUNTS), .search = true};
    int account = k->entry->arg;
    ia_kit_begin(k, &nav, IA_LIST_GROUPED);
    if (!*ia_kit_query(k)) {
        ia_kit_section(k, NULL);
        ia_kit_fact(k, "Balance", "balance", ia_money_text(k->scene, b->balance[account]));
        if (account == IA_BANK_CARD) {
            ia_kit_row(k, &(struct ia_kit_row){.label = "Freeze Card",
                                               .ident = "freeze-card",
                                               .accessory = IA_ROW_SWITCH,
                                               .on = b->frozen,
                                               .tap = toggle_freeze});
        }
    }
    account_rows(k, b, account);
    ia_kit_end(k);
}

static const char *account_title(const struct ia_phone *p, const struct ia_nav_entry *e)
{
    (void)p;
    return ia_bank_account_name(e->arg);
}

static const struct ia_screen screen_account = {"Account", build_account, account_title, NULL};

/* ---- all of them ---- */

static void open_account(struct ia_phone *p, const struct ia_touch *t)
{
    ia_nav_push(p, &screen_account, t->arg);
}

void ia_bank_build_accounts(struct ia_kit *k)
{
    static const struct {
        const char *number;
        uint8_t symbol, tile;
    } looks[IA_BANK_ACCOUNTS] = {
        {"\xE2\x80\xA2\xE2\x80\xA2 4821", IA_SYMBOL_BANK, IA_COLOR_BLUE},
        {"\xE2\x80\xA2\xE2\x80\xA2 7730", IA_SYMBOL_TRAY, IA_COLOR_GREEN},
        {"\xE2\x80\xA2\xE2\x80\xA2 0096", IA_SYMBOL_CARD, IA_COLOR_INDIGO}};
    const struct ia_bank *b = ia_bank_of_const(k->phone);
    static const struct ia_kit_nav nav = {IA_BANK_NAV(IA_BANK_TAB_ACCOUNTS)};
    int32_t total = 0;
    ia_kit_begin(k, &nav, IA_LIST_GROUPED);
    if (ia_phone_loaded(k->phone) < 100) {
        ia_kit_progress(k, "Loading your accounts");
        ia_kit_end(k);
        return;
    }
    ia_kit_section(k, NULL);
    for (int i = 0; i < IA_BANK_ACCOUNTS; i++) {
        total += b->balance[i];
        ia_kit_row(k, &(struct ia_kit_row){.label = ia_bank_account_name(i),
                                           .subtitle = looks[i].number,
                                           .detail = ia_money_text(k->scene, b->balance[i]),
                                           .symbol = looks[i].symbol,
                                           .tile = looks[i].tile,
                                           .accessory = IA_ROW_CHEVRON,
                                           .tap = open_account,
                                           .arg = i});
    }
    ia_kit_section(k, NULL);
    ia_kit_fact(k, "Total", "total", ia_money_text(k->scene, total));
    ia_kit_end(k);
}

/* ---- the profile ---- */

void ia_bank_set_limit(struct ia_phone *p)
{
    ia_bank_of(p)->limit = ia_bank_of(p)->order.limit;
    ia_nav_to_root(p);
}

/* Less needs no code. */
static void choose_limit(struct ia_phone *p, const struct ia_touch *t)
{
    struct ia_bank *b = ia_bank_of(p);
    b->order.limit = limits[t->arg];
    if (b->order.limit > b->limit) {
        ia_bank_ask_code(p, IA_BANK_LIMIT);
    } else {
        ia_bank_set_limit(p);
    }
}

static void build_limit(struct ia_kit *k)
{
    static const struct ia_kit_nav nav = {0};
    ia_kit_begin(k, &nav, IA_LIST_GROUPED);
    ia_kit_section(k, NULL);
    for (int i = 0; i < (int)IA_COUNTOF(limits); i++) {
        ia_kit_row(k, &(struct ia_kit_row){.label = ia_money_text(k->scene, limits[i]),
                                           .accessory = IA_ROW_CHECK,
                                           .on = ia_bank_of_const(k->phone)->limit == limits[i],
                                           .tap = choose_limit,
                                           .arg = i});
    }
    ia_kit_footer(k, "This much may go to payees in a day. More needs a code.");
    ia_kit_end(k);
}

static const struct ia_screen screen_limit = {"Daily Limit", build_limit, NULL, NULL};

static void open_limit(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    ia_nav_push(p, &screen_limit, 0);
}

static void log_out(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    ia_bank_leave(p);
}

static const struct ia_alert alert_logout = {
    .action_sheet = true,
    .title = "Do you want to log out?",
    .buttons = {{"Log Out", IA_ALERT_DESTRUCTIVE, log_out}, {"Cancel", IA_ALERT_CANCEL, NULL}},
};

static void on_logout(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    ia_alert_show(p, &alert_logout, 0);
}

void ia_bank_build_profile(struct ia_kit *k)
{
    static const struct ia_kit_nav nav = {IA_BANK_NAV(IA_BANK_TAB_PROFILE)};
    ia_kit_begin(k, &nav, IA_LIST_GROUPED);
    ia_kit_section(k, NULL);
    ia_kit_row(k, &(struct ia_kit_row){.label = "Ada Lovelace",
                                       .ident = "customer",
                                       .subtitle = "ada",
                                       .symbol = IA_SYMBOL_PERSON,
                                       .tile = IA_COLOR_GRAY});
    ia_kit_section(k, NULL);
    ia_kit_row(k, &(struct ia_kit_row){
                      .label = "Daily Limit",
                      .ident = "limit",
                      .detail = ia_money_text(k->scene, ia_bank_of_const(k->phone)->limit),
                      .accessory = IA_ROW_CHEVRON,
                      .tap = open_limit});
    ia_kit_section(k, NULL);
    ia_kit_row(k, &(struct ia_kit_row){.label = "Log Out",
                                       .ident = "logout",
                                       .color = IA_COLOR_RED,
                                       .button = true,
                                       .centered = true,
                                       .tap = on_logout});
    ia_kit_end(k);
}
