/* chat.c: one conversation: its bubbles, the bar in which one writes, pictures, details. */
#include "driver/embedded/apps/messages/messages.h"

#include <stdlib.h>
#include <string.h>

enum {
    BUBBLE_MAX_W = 262,
    BUBBLE_PAD = 13,
    BUBBLE_LINE_PAD = 8,
    PICTURE_W = 210,
    PICTURE_H = 140,
    BAR_H = 52,
    CHIP_H = 40,
    SEND = 32,
    TEXT = 17,
    SMALL = 12
};

/* Pictures that every phone has; those that were put on it come after them. */
static const char *const pictures[] = {"Beach.jpg", "Garden.jpg", "Receipt.jpg"};

static const char *picture_name(const struct ia_phone *p, int i)
{
    int own = IA_COUNTOF(pictures);
    if (i < own) {
        return pictures[i];
    }
    return i - own < p->system.media_count ? p->system.media[i - own] : NULL;
}

static const char *attached(const struct ia_phone *p)
{
    int32_t memo = ia_phone_front_const(p)->memo[IA_MESSAGES_MEMO_PICTURE];
    return memo ? picture_name(p, memo - 1) : NULL;
}

static struct ia_chat *chat_of(struct ia_phone *p)
{
    return ia_messages_chat(ia_messages_of(p), ia_nav_top(p)->arg);
}

void ia_messages_open(struct ia_phone *p, int32_t chat)
{
    ia_edit_end_search(p);
    ia_nav_push(p, &ia_messages_chat_page, chat);
    ia_nav_top(p)->scroll = IA_MESSAGES_END;
}

/* ---- sending ---- */

static bool blank(const char *text)
{
    return text[strspn(text, " ")] == '\0';
}

static void send_one(struct ia_phone *p, struct ia_chat *c, const char *text, bool picture)
{
    int peer = ia_phone_link_find_number(&p->link, c->number);
    bool reached = (peer >= 0 || ia_rules_reach(c->number)) &&
                   !ia_prefs_on(&p->prefs, IA_PREF_AIRPLANE_MODE);
    struct ia_message sent = {.text = ia_trimmed(text),
                              .at_ms = p->now_ms,
                              .mine = true,
                              .picture = picture,
                              .failed = !reached};
    ia_chat_add(c, &sent);
    if (reached && peer >= 0) {
        ia_phone_link_send(&p->link, peer, p->seq, sent.text, picture);
    } else if (reached) {
        ia_rules_answer(ia_messages_of(p), c, &sent);
    }
    free(sent.text);
    ia_nav_top(p)->scroll = IA_MESSAGES_END;
}

static void on_send(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    struct ia_app_state *a = ia_phone_front(p);
    const char *picture = attached(p);
    if (picture && !ia_phone_bug(p, IA_BUG_MESSAGES_PICTURE)) {
        send_one(p, chat_of(p), picture, true);
    }
    if (!blank(ia_edit_text(a, IA_MESSAGES_FIELD_TEXT))) {
        send_one(p, chat_of(p), ia_edit_text(a, IA_MESSAGES_FIELD_TEXT), false);
    }
    a->memo[IA_MESSAGES_MEMO_PICTURE] = 0;
    ia_edit_set(p, IA_MESSAGES_FIELD_TEXT, "");
}

/* ---- what is done with a message ---- */

static void copy_message(struct ia_phone *p, const struct ia_touch *t)
{
    const struct ia_chat *c = chat_of(p);
    if (t->arg < c->count) {
        ia_system_set_pasteboard(&p->system, ia_str(c->rows[t->arg].text));
    }
}

static void delete_message(struct ia_phone *p, const struct ia_touch *t)
{
    struct ia_chat *c = chat_of(p);
    if (t->arg < c->count) {
        ia_chat_remove(c, t->arg);
    }
}

static void try_again(struct ia_phone *p, const struct ia_touch *t)
{
    struct ia_chat *c = chat_of(p);
    if (t->arg < c->count) {
        struct ia_message m = c->rows[t->arg];
        char *text = ia_strdup(m.text);
        ia_chat_remove(c, t->arg);
        send_one(p, c, text, m.picture);
        free(text);
    }
}

static const struct ia_alert alert_message = {
    .action_sheet = true,
    .title = "Message",
    .buttons = {{"Copy", IA_ALERT_DEFAULT, copy_message},
                {"Delete", IA_ALERT_DESTRUCTIVE, delete_message},
                {"Cancel", IA_ALERT_CANCEL, NULL}},
};
static const struct ia_alert alert_failed = {
    .action_sheet = true,
    .title = "Your message was not delivered.",
    .buttons = {{"Try Again", IA_ALERT_DEFAULT, try_again},
                {"Delete", IA_ALERT_DESTRUCTIVE, delete_message},
                {"Cancel", IA_ALERT_CANCEL, NULL}},
};

static void on_message(struct ia_phone *p, const struct ia_touch *t)
{
    const struct ia_chat *c = chat_of(p);
    ia_alert_show(p, c->rows[t->arg].failed ? &alert_failed : &alert_message, t->arg);
}

/* ---- pictures ---- */

static void on_picture(struct ia_phone *p, const struct ia_touch *t)
{
    ia_nav_pop(p);
    ia_phone_front(p)->memo[IA_MESSAGES_MEMO_PICTURE] = 1 + t->arg;
}

static void on_detach(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    ia_phone_front(p)->memo[IA_MESSAGES_MEMO_PICTURE] = 0;
}

static void build_pictures(struct ia_kit *k)
{
    static const struct ia_kit_nav nav = {
        .left = {.label = "Cancel", .ident = "cancel", .tap = ia_nav_on_back}};
    ia_kit_begin(k, &nav, IA_LIST_GROUPED);
    ia_kit_section(k, NULL);
    for (int i = 0; picture_name(k->phone, i); i++) {
        ia_kit_row(k, &(struct ia_kit_row){.label = picture_name(k->phone, i),
                                           .symbol = IA_SYMBOL_PHOTO,
                                           .tile = IA_COLOR_ORANGE,
                                           .tap = on_picture,
                                           .arg = i});
    }
    ia_kit_end(k);
}

static const struct ia_screen screen_pictures = {"Photos", build_pictures, NULL,
                                                 ia_nav_on_back};

static void on_attach(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    ia_nav_present(p, &screen_pictures, 0);
}

/* ---- bubbles ---- */

static struct ia_view *small_text(struct ia_kit *k, const char *text, float x,
                                  enum ia_color color, uint32_t flags)
{
    float y = ia_kit_space(k, 24);
    return ia_scene_label(k->scene, text, x, y + 5, 300, IA_INK(SMALL, color, flags));
}

/* Its dots move, so that who looks sees that something is going on; its frame does not. */
static void typing(struct ia_kit *k, const struct ia_chat *c)
{
    int dots = 1 + (int)(k->phone->now_ms / 1000 % 3);
    const char *text = ia_scene_printf(k->scene, "%s is typing%.*s", c->name, dots, "...");
    struct ia_view *v = small_text(k, text, k->left + 20, IA_COLOR_SECONDARY, 0);
    v->w = 300;
    v->ident = "typing";
}

static float picture_bubble(struct ia_scene *s, const char *name, float x, float y)
{
    struct ia_view *v = ia_scene_fill(s, IA_COLOR_MINT, x, y, PICTURE_W, PICTURE_H);
    v->radius = 18;
    struct ia_rect box = {x + PICTURE_W / 2.0F - 32, y + 28, 64, 64};
    ia_kit_symbol(s, IA_SYMBOL_PHOTO, IA_COLOR_SECONDARY, box);
    (void)ia_scene_label(s, name, x + PICTURE_W / 2.0F, y + PICTURE_H - 32, PICTURE_W - 20,
                         IA_INK(13, IA_COLOR_SECONDARY, IA_VIEW_CENTER));
    return PICTURE_H;
}

static float text_bubble(struct ia_scene *s, const struct ia_message *m, float x, float y,
                         float w)
{
    int32_t ground = s->count;
    struct ia_view *v = ia_scene_fill(s, m->mine ? IA_COLOR_BLUE : IA_COLOR_FIELD, x, y, w, 0);
    v->radius = 18;
    struct ia_rect box = {x + BUBBLE_PAD, y + BUBBLE_LINE_PAD, w - 2 * BUBBLE_PAD, 0};
    enum ia_color ink = m->mine ? IA_COLOR_WHITE : IA_COLOR_LABEL;
    float h = ia_kit_text(s, m->text, box, IA_INK(TEXT, ink, 0)) + 2 * BUBBLE_LINE_PAD;
    s->views[ground].h = h;
    return h;
}

static void bubble(struct ia_kit *k, const struct ia_message *m, int i)
{
    struct ia_scene *s = k->scene;
    float text_w = ia_text_width(m->text, strlen(m->text), TEXT, false) + 2 * BUBBLE_PAD + 1;
    float w = m->picture ? PICTURE_W : text_w < BUBBLE_MAX_W ? text_w : BUBBLE_MAX_W;
    float y = k->y + 4, x = m->mine ? k->left + k->width - 16 - w : k->left + 16;
    int32_t cell = ia_scene_push(s, IA_EL_CELL, k->left, y, k->width, 0);
    float h = m->picture ? picture_bubble(s, m->text, x, y) : text_bubble(s, m, x, y, w);
    ia_scene_pop(s);
    const char *at = ia_time_text(k->phone, s, m->at_ms);
    struct ia_view *v = &s->views[cell];
    v->label = m->text;
    v->value = ia_scene_printf(s, "%s, %s",
                               m->failed ? "Not delivered"
                               : m->mine ? "Sent"
                                         : "Received",
                               at);
    v->h = h;
    v->tap = on_message;
    v->arg = i;
    k->y = y + h;
    if (m->failed) {
        (void)small_text(k, "Not Delivered", k->left + k->width - 20, IA_COLOR_RED,
                         IA_VIEW_RIGHT);
    }
}

static void bubbles(struct ia_kit *k, const struct ia_chat *c)
{
    int32_t today = ia_day_of(k->phone->now_ms), day = 0;
    float middle = k->left + k->width / 2 - 0.5F;
    for (int i = 0; i < c->count; i++) {
        const struct ia_message *m = &c->rows[i];
        if (ia_day_of(m->at_ms) != day) {
            day = ia_day_of(m->at_ms);
            (void)small_text(k, ia_day_text(k->scene, day, today), middle, IA_COLOR_SECONDARY,
                             IA_VIEW_CENTER);
        }
        bubble(k, m, i);
    }
    if (c->count && c->rows[c->count - 1].mine && !c->rows[c->count - 1].failed) {
        (void)small_text(k, "Delivered", k->left + k->width - 20, IA_COLOR_SECONDARY,
                         IA_VIEW_RIGHT);
    }
    if (ia_messages_coming(ia_messages_of_const(k->phone), c->id)) {
        typing(k, c);
    }
}

/* ---- the bar ---- */

static void round_button(struct ia_kit *k, const struct ia_kit_button *b, float x, float y)
{
    struct ia_view *v = ia_kit_push_button(k, b, &(struct ia_rect){x, y, SEND, SEND});
    v->paint = IA_PAINT_FILL;
    v->color = b->disabled || !b->bold ? IA_COLOR_TRACK : IA_COLOR_BLUE;
    v->radius = SEND / 2;
    ia_kit_symbol(k->scene, (enum ia_symbol)b->symbol,
                  b->bold && !b->disabled ? IA_COLOR_WHITE : IA_COLOR_SECONDARY,
                  (struct ia_rect){x + 8, y + 8, SEND - 16, SEND - 16});
    ia_scene_pop(k->scene);
}

static void attachment(struct ia_kit *k, const char *name, float y)
{
    struct ia_scene *s = k->scene;
    const struct ia_kit_button remove = {.label = ia_scene_printf(s, "Remove %s", name),
                                         .ident = "detach",
                                         .symbol = IA_SYMBOL_CLEAR,
                                         .tap = on_detach};
    ia_kit_symbol(s, IA_SYMBOL_PHOTO, IA_COLOR_ORANGE, (struct ia_rect){60, y + 12, 20, 20});
    struct ia_view *v = ia_scene_label(s, name, 88, y + 12, 220, IA_INK(15, IA_COLOR_LABEL, 0));
    v->ident = "attached";
    round_button(k, &remove, IA_SCREEN_W - 44, y + 6);
}

static void writing_bar(struct ia_kit *k, const char *picture)
{
    struct ia_scene *s = k->scene;
    static const struct ia_kit_button attach = {
        .label = "Attach", .ident = "attach", .symbol = IA_SYMBOL_PLUS, .tap = on_attach};
    const struct ia_field *spec = &ia_phone_app(k->phone)->fields[IA_MESSAGES_FIELD_TEXT];
    const struct ia_kit_button send = {
        .label = "Send",
        .ident = "send",
        .symbol = IA_SYMBOL_SEND,
        .bold = true,
        .tap = on_send,
        .disabled = blank(ia_edit_text(k->app, IA_MESSAGES_FIELD_TEXT)) && !picture};
    float y = ia_kit_foot(k);
    (void)ia_scene_push(s, IA_EL_TOOLBAR, 0, y, IA_SCREEN_W, s->display->h - y);
    struct ia_view *v = &s->views[s->parent];
    v->paint = IA_PAINT_FILL;
    v->color = IA_COLOR_BAR;
    v->flags = IA_VIEW_BLOCKS;
    (void)ia_scene_fill(s, IA_COLOR_SEPARATOR, 0, y, IA_SCREEN_W, 0.5F);
    if (picture) {
        attachment(k, picture, y);
        y += CHIP_H;
    }
    round_button(k, &attach, 12, y + 10);
    struct ia_rect box = {54, y + 8, IA_SCREEN_W - 54 - 54, 36};
    v = ia_kit_push_field(s, k->app, spec, IA_MESSAGES_FIELD_TEXT, box);
    v->paint = IA_PAINT_FILL;
    v->color = IA_COLOR_FIELD;
    v->radius = 18;
    box.x += 14;
    box.w -= 24;
    ia_kit_field_content(s, k->app, spec, IA_MESSAGES_FIELD_TEXT, box, true);
    ia_scene_pop(s);
    round_button(k, &send, IA_SCREEN_W - 44, y + 10);
    ia_scene_pop(s);
}

/* ---- details ---- */

static void toggle_alerts(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    struct ia_chat *c = chat_of(p);
    c->muted = !c->muted;
}

static void delete_chat(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    int32_t id = ia_nav_top(p)->arg;
    ia_nav_to_root(p);
    ia_messages_remove(ia_messages_of(p), id);
}

static const struct ia_alert alert_delete = {
    .action_sheet = true,
    .title = "Are you sure you want to delete this conversation?",
    .buttons = {{"Delete Conversation", IA_ALERT_DESTRUCTIVE, delete_chat},
                {"Cancel", IA_ALERT_CANCEL, NULL}},
};

static void on_delete(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    ia_alert_show(p, &alert_delete, 0);
}

static void build_details(struct ia_kit *k)
{
    static const struct ia_kit_nav nav = {0};
    const struct ia_chat *c = ia_messages_chat(ia_messages_of_const(k->phone), k->entry->arg);
    ia_kit_begin(k, &nav, IA_LIST_GROUPED);
    ia_kit_section(k, NULL);
    ia_kit_row(k, &(struct ia_kit_row){.label = c->name,
                                       .ident = "chat-name",
                                       .subtitle = c->number,
                                       .symbol = IA_SYMBOL_PERSON,
                                       .tile = IA_COLOR_AVATAR});
    ia_kit_section(k, NULL);
    ia_kit_row(k, &(struct ia_kit_row){.label = "Hide Alerts",
                                       .ident = "hide-alerts",
                                       .accessory = IA_ROW_SWITCH,
                                       .on = c->muted,
                                       .tap = toggle_alerts});
    ia_kit_section(k, NULL);
    ia_kit_row(k, &(struct ia_kit_row){.label = "Delete Conversation",
                                       .ident = "delete-conversation",
                                       .color = IA_COLOR_RED,
                                       .button = true,
                                       .tap = on_delete});
    ia_kit_end(k);
}

static const struct ia_screen screen_details = {"Details", build_details, NULL, NULL};

static void open_details(struct ia_phone *p, const struct ia_touch *t)
{
    ia_nav_push(p, &screen_details, t->arg);
}

/* ---- the page ---- */

static void build_chat(struct ia_kit *k)
{
    const struct ia_chat *c = ia_messages_chat(ia_messages_of_const(k->phone), k->entry->arg);
    const char *picture = attached(k->phone);
    const struct ia_kit_nav nav = {
        .right = {.label = "Details", .ident = "details", .tap = open_details, .arg = c->id},
        .bar_h = BAR_H + (picture ? CHIP_H : 0)};
    ia_kit_begin(k, &nav, IA_LIST_PLAIN);
    bubbles(k, c);
    ia_kit_end(k);
    writing_bar(k, picture);
}

static const char *chat_title(const struct ia_phone *p, const struct ia_nav_entry *e)
{
    return ia_messages_chat(ia_messages_of_const(p), e->arg)->name;
}

const struct ia_screen ia_messages_chat_page = {"Conversation", build_chat, chat_title, NULL};
