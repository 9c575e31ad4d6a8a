/* code.c: sessions, and the codes that the bank asks for: sent as a message, entered on a page. */
#include "driver/embedded/apps/bank/bank.h"

#include "driver/embedded/apps/messages/messages.h"

#include <stdlib.h>
#include <string.h>

#define SENDER "22650"
enum { CODE_AFTER_S = 4, CODE_DIGITS = 6 };

/* ---- sessions ---- */

void ia_bank_forget_typed(struct ia_phone *p)
{
    for (int i = IA_BANK_FIELD_USER; i < IA_BANK_FIELD_COUNT; i++) {
        ia_edit_set(p, i, "");
    }
}

void ia_bank_leave(struct ia_phone *p)
{
    struct ia_bank *b = ia_bank_of(p);
    b->stage = IA_BANK_OUT;
    b->code = 0;
    b->order = (struct ia_bank_order){.to = IA_BANK_TO_NOBODY};
    ia_nav_to_root(p);
    ia_nav_top(p)->arg = IA_BANK_TAB_ACCOUNTS;
    ia_bank_forget_typed(p);
}

void ia_bank_count_wrong(struct ia_phone *p, int32_t says)
{
    struct ia_bank *b = ia_bank_of(p);
    ia_phone_front(p)->memo[IA_BANK_MEMO_MESSAGE] = says;
    if (++b->wrong == IA_BANK_TRIES) {
        b->locked = true;
        ia_bank_leave(p);
    }
}

/* ---- codes ---- */

/* What a code is for, as its message says it. */
static void purpose(const struct ia_bank *b, struct ia_buf *out)
{
    struct ia_scene s;
    ia_scene_init(&s);
    switch ((enum ia_bank_ask)b->ask) {
    case IA_BANK_LOGIN:
        ia_buf_puts(out, "to log in");
        break;
    case IA_BANK_TRANSFER:
        ia_buf_printf(out, "for a transfer of %s to %s", ia_money_text(&s, b->order.cents),
                      ia_bank_to_name(b, b->order.to));
        break;
    case IA_BANK_PAYEE:
        ia_buf_puts(out, "for a new payee");
        break;
    case IA_BANK_LIMIT:
        ia_buf_printf(out, "for a limit of %s", ia_money_text(&s, b->order.limit));
        break;
    }
    ia_scene_fini(&s);
}

static void send_code(struct ia_phone *p, enum ia_bank_ask ask)
{
    struct ia_bank *b = ia_bank_of(p);
    struct ia_buf text = IA_BUF(2048);
    ia_bank_new_code(b, ask, p->now_ms);
    ia_buf_printf(&text, "%d is your code ", b->code);
    purpose(b, &text);
    ia_buf_puts(&text, ". It is valid for 5 minutes. Never tell it to anybody.");
    ia_messages_announce(p, SENDER, "Harbor Bank", ia_buf_cstr(&text), CODE_AFTER_S);
    ia_buf_fini(&text);
    ia_edit_set(p, IA_BANK_FIELD_CODE, "");
}

void ia_bank_ask_code(struct ia_phone *p, enum ia_bank_ask ask)
{
    send_code(p, ask);
    ia_phone_front(p)->memo[IA_BANK_MEMO_MESSAGE] = IA_BANK_SAYS_NOTHING;
    if (ask == IA_BANK_LOGIN) {
        ia_bank_of(p)->stage = IA_BANK_CODE;
    } else {
        ia_nav_push(p, &ia_bank_code_page, 0);
    }
    ia_edit_focus(p, IA_BANK_FIELD_CODE);
}

static void on_resend(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    ia_edit_focus(p, -1);
    send_code(p, (enum ia_bank_ask)ia_bank_of(p)->ask);
    ia_phone_front(p)->memo[IA_BANK_MEMO_MESSAGE] = IA_BANK_SAYS_SENT;
}

static void on_verify(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    struct ia_bank *b = ia_bank_of(p);
    const char *typed = ia_edit_text(ia_phone_front(p), IA_BANK_FIELD_CODE);
    bool right = strtol(typed, NULL, 10) == b->code || ia_phone_bug(p, IA_BUG_BANK_CODE);
    ia_edit_focus(p, -1);
    ia_edit_set(p, IA_BANK_FIELD_CODE, "");
    if (p->now_ms > b->code_until_ms) {
        ia_phone_front(p)->memo[IA_BANK_MEMO_MESSAGE] = IA_BANK_SAYS_OLD_CODE;
    } else if (!right) {
        ia_bank_count_wrong(p, IA_BANK_SAYS_WRONG_CODE);
    } else {
        b->wrong = 0;
        b->code = 0;
        ia_bank_granted[b->ask](p);
    }
}

void ia_bank_says(struct ia_kit *k)
{
    const struct ia_bank *b = ia_bank_of_const(k->phone);
    int left = IA_BANK_TRIES - b->wrong;
    switch (k->app->memo[IA_BANK_MEMO_MESSAGE]) {
    case IA_BANK_SAYS_WRONG_PASSWORD:
        ia_kit_message(k, "Wrong user name or password.", "login-error", IA_COLOR_RED);
        break;
    case IA_BANK_SAYS_WRONG_CODE:
        ia_kit_message(k,
                       ia_scene_printf(k->scene, "Wrong code. %d %s left.", left,
                                       left == 1 ? "try" : "tries"),
                       "code-error", IA_COLOR_RED);
        break;
    case IA_BANK_SAYS_OLD_CODE:
        ia_kit_message(k, "This code has expired. Ask for a new one.", "code-error",
                       IA_COLOR_RED);
        break;
    case IA_BANK_SAYS_SENT:
        ia_kit_message(k, "A new code is on its way.", "code-sent", IA_COLOR_GREEN);
        break;
    default:
        break;
    }
}

/* It moves while the code is on its way, so that who looks sees that something is going on. */
static void countdown(struct ia_kit *k)
{
    int64_t left_ms = ia_bank_of_const(k->phone)->code_until_ms - k->phone->now_ms;
    int s = left_ms > 0 ? (int)(left_ms / 1000) : 0;
    ia_kit_message(k, ia_scene_printf(k->scene, "Valid for %d:%02d", s / 60, s % 60),
                   "code-valid", IA_COLOR_SECONDARY);
}

static void cancel_code(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    if (ia_bank_of(p)->stage == IA_BANK_CODE) {
        ia_bank_leave(p);
    } else {
        ia_nav_pop(p);
    }
}

void ia_bank_build_code(struct ia_kit *k)
{
    static const struct ia_kit_nav nav = {
        .left = {.label = "Cancel", .ident = "cancel", .tap = cancel_code}};
    const struct ia_kit_button verify = {
        .label = "Verify",
        .ident = "verify",
        .tap = on_verify,
        .disabled = strlen(ia_edit_text(k->app, IA_BANK_FIELD_CODE)) != CODE_DIGITS};
    ia_kit_begin(k, &nav, IA_LIST_GROUPED);
    ia_kit_footer(k, "We send a code of six digits to your phone as a message.");
    ia_kit_section(k, NULL);
    ia_kit_field(k, IA_BANK_FIELD_CODE);
    ia_bank_says(k);
    countdown(k);
    ia_kit_action(k, &verify);
    ia_kit_section(k, NULL);
    ia_kit_row(k, &(struct ia_kit_row){.label = "Send a New Code",
                                       .ident = "resend",
                                       .color = IA_COLOR_BLUE,
                                       .button = true,
                                       .centered = true,
                                       .tap = on_resend});
    ia_kit_end(k);
}

const struct ia_screen ia_bank_code_page = {"Enter Code", ia_bank_build_code, NULL,
                                            cancel_code};
