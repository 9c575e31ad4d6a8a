/* bank.c: the app and its log-in. */
#include "driver/embedded/apps/bank/bank.h"

enum { LOAD_MS = 3000 };

/* ---- log-in ---- */

static void on_login(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    struct ia_app_state *a = ia_phone_front(p);
    bool right = ia_bank_login(ia_edit_text(a, IA_BANK_FIELD_USER),
                               ia_edit_text(a, IA_BANK_FIELD_PASSWORD));
    ia_edit_focus(p, -1);
    ia_edit_set(p, IA_BANK_FIELD_PASSWORD, "");
    ia_bank_of(p)->ended = false;
    if (right) {
        ia_bank_ask_code(p, IA_BANK_LOGIN);
    } else {
        ia_bank_count_wrong(p, IA_BANK_SAYS_WRONG_PASSWORD);
    }
}

static void login_head(struct ia_kit *k)
{
    struct ia_scene *s = k->scene;
    float y = ia_kit_space(k, 150), middle = (float)IA_SCREEN_W / 2 - 0.5F;
    struct ia_view *v = ia_scene_add(s, IA_EL_IMAGE, middle - 36, y + 14, 72, 72);
    v->paint = IA_PAINT_APP_ICON;
    v->symbol = IA_ICON_BANK;
    v->ident = "bank-logo";
    v->flags = IA_VIEW_INVISIBLE;
    (void)ia_scene_label(s, "Harbor Bank", middle, y + 104, 340,
                         IA_INK(22, IA_COLOR_LABEL, IA_VIEW_CENTER | IA_VIEW_BOLD));
}

static void build_login(struct ia_kit *k)
{
    static const struct ia_kit_nav nav = {0};
    const struct ia_bank *b = ia_bank_of_const(k->phone);
    ia_kit_begin(k, &nav, IA_LIST_GROUPED);
    login_head(k);
    if (b->locked) {
        ia_kit_message(
            k,
            "Your account is locked after three wrong tries. Visit a branch with your "
            "passport to unlock it.",
            "locked", IA_COLOR_RED);
        ia_kit_end(k);
        return;
    }
    ia_kit_section(k, NULL);
    ia_kit_field(k, IA_BANK_FIELD_USER);
    ia_kit_field(k, IA_BANK_FIELD_PASSWORD);
    if (b->ended) {
        ia_kit_message(k, "Your session has ended. Log in again.", "session-ended",
                       IA_COLOR_ORANGE);
    }
    ia_bank_says(k);
    const struct ia_kit_button login = {.label = "Log In",
                                        .ident = "login",
                                        .tap = on_login,
                                        .disabled =
                                            !*ia_edit_text(k->app, IA_BANK_FIELD_USER) ||
                                            !*ia_edit_text(k->app, IA_BANK_FIELD_PASSWORD)};
    ia_kit_action(k, &login);
    ia_kit_footer(k, "This bank has no money: it is a part of the simulated iPhone.");
    ia_kit_end(k);
}

/* ---- the app ---- */

static void build_root(struct ia_kit *k)
{
    static void (*const tabs[IA_BANK_TABS])(struct ia_kit *) = {
        ia_bank_build_accounts, ia_bank_build_transfer, ia_bank_build_profile};
    switch ((enum ia_bank_stage)ia_bank_of_const(k->phone)->stage) {
    case IA_BANK_OUT:
        build_login(k);
        break;
    case IA_BANK_CODE:
        ia_bank_build_code(k);
        break;
    case IA_BANK_IN:
        tabs[k->entry->arg](k);
        break;
    }
}

static const char *root_title(const struct ia_phone *p, const struct ia_nav_entry *e)
{
    static const char *const titles[IA_BANK_TABS] = {"Accounts", "Transfer", "Profile"};
    static const char *const before[] = {
        [IA_BANK_OUT] = "Log In", [IA_BANK_CODE] = "Enter Code"};
    int stage = ia_bank_of_const(p)->stage;
    return stage == IA_BANK_IN ? titles[e->arg] : before[stage];
}

static void started(struct ia_phone *p)
{
    ia_bank_leave(p);
    ia_bank_of(p)->ended = false;
}

/* A session ends when the app was left for too long; that shows when it comes back. */
static void passed(struct ia_phone *p)
{
    struct ia_bank *b = ia_bank_of(p);
    bool front = !p->locked && ia_phone_app(p) == &ia_app_bank;
    if (!front || b->stage != IA_BANK_IN) {
        return;
    }
    if (p->now_ms - b->seen_ms > IA_BANK_AWAY_MS) {
        ia_bank_leave(p);
        b->ended = true;
    }
    b->seen_ms = p->now_ms;
}

/* A screen's message disappears when something else is typed. */
static void edited(struct ia_phone *p, int field)
{
    struct ia_app_state *a = ia_phone_front(p);
    if (a->focus == field) {
        a->memo[IA_BANK_MEMO_MESSAGE] = IA_BANK_SAYS_NOTHING;
    }
}

static void left(struct ia_phone *p, const struct ia_nav_entry *e)
{
    (void)e;
    ia_phone_front(p)->memo[IA_BANK_MEMO_MESSAGE] = IA_BANK_SAYS_NOTHING;
    ia_edit_end_search(p);
}

static bool takes_url(struct ia_str url)
{
    return ia_str_starts(url, ia_str("bank:"));
}

static void enter(struct ia_phone *p)
{
    ia_bank_of(p)->stage = IA_BANK_IN;
    ia_bank_of(p)->seen_ms = p->now_ms;
    ia_nav_top(p)->scroll = 0;
    ia_bank_forget_typed(p);
    ia_phone_busy(p, LOAD_MS);
}

void (*const ia_bank_granted[])(struct ia_phone *p) = {[IA_BANK_LOGIN] = enter,
                                                       [IA_BANK_TRANSFER] = ia_bank_transfer,
                                                       [IA_BANK_PAYEE] = ia_bank_save_payee,
                                                       [IA_BANK_LIMIT] = ia_bank_set_limit};

static const struct ia_screen screen_root = {"Bank", build_root, root_title, NULL};

static const struct ia_field fields[IA_BANK_FIELD_COUNT] = {
    [IA_BANK_FIELD_SEARCH] = {"search", "Search", "Search", IA_KEYBOARD_TEXT, -1, "search"},
    [IA_BANK_FIELD_USER] = {"user", "User name", "User name", IA_KEYBOARD_EMAIL,
                            IA_BANK_FIELD_PASSWORD, "next"},
    [IA_BANK_FIELD_PASSWORD] = {"password", "Password", "Password", IA_KEYBOARD_SECURE, -1,
                                "return"},
    [IA_BANK_FIELD_CODE] = {"code", "Code", "Six digits", IA_KEYBOARD_PHONE, -1, "done"},
    [IA_BANK_FIELD_AMOUNT] = {"amount", "Amount", "Amount in dollars", IA_KEYBOARD_TEXT,
                              IA_BANK_FIELD_REFERENCE, "next"},
    [IA_BANK_FIELD_REFERENCE] = {"reference", "Reference", "Reference", IA_KEYBOARD_TEXT, -1,
                                 "done"},
    [IA_BANK_FIELD_NAME] = {"payee-name", "Name", "Name", IA_KEYBOARD_WORDS,
                            IA_BANK_FIELD_ACCOUNT, "next"},
    [IA_BANK_FIELD_ACCOUNT] = {"payee-account", "Account number", "Eight digits",
                               IA_KEYBOARD_PHONE, -1, "done"},
};

const struct ia_app ia_app_bank = {
    .bundle_id = "com.example.bank",
    .name = "Bank",
    .icon = IA_ICON_BANK,
    .root = &screen_root,
    .fields = fields,
    .create = ia_bank_new,
    .destroy = ia_bank_free,
    .takes_url = takes_url,
    .started = started,
    .edited = edited,
    .passed = passed,
    .left = left,
    .example = ia_bank_example,
    .state_json = ia_bank_json,
    .tell = ia_bank_tell,
};
