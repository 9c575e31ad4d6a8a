/* messages.c: the app: its conversations, a search over them, new ones, and what comes with time. */
#include "driver/embedded/apps/messages/messages.h"

#include "base/urlquery.h"

#include "driver/embedded/apps/contacts/contacts.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBER_DIGITS_MIN = 3, FOUND_MAX = 8 };

/* ---- the list ---- */

static void open_chat(struct ia_phone *p, const struct ia_touch *t)
{
    ia_messages_open(p, t->arg);
}

static const char *when(const struct ia_kit *k, int64_t at_ms)
{
    int32_t day = ia_day_of(at_ms), today = ia_day_of(k->phone->now_ms);
    return day == today ? ia_time_text(k->phone, k->scene, at_ms)
                        : ia_day_text(k->scene, day, today);
}

static void chat_row(struct ia_kit *k, const struct ia_chat *c, const struct ia_message *shown)
{
    ia_kit_row(k, &(struct ia_kit_row){.label = c->name,
                                       .subtitle = shown->text,
                                       .detail = when(k, shown->at_ms),
                                       .symbol = IA_SYMBOL_PERSON,
                                       .tile = IA_COLOR_AVATAR,
                                       .accessory = IA_ROW_CHEVRON,
                                       .unread = c->unread,
                                       .tap = open_chat,
                                       .arg = c->id});
}

/* The newest message that the search finds; with a name that it finds, the newest of all. */
static const struct ia_message *found(const struct ia_kit *k, const struct ia_chat *c,
                                      const char *query)
{
    bool deaf = ia_phone_bug(k->phone, IA_BUG_MESSAGES_SEARCH);
    if (ia_kit_matches(c->name, query) || ia_kit_matches(c->number, query)) {
        return &c->rows[c->count - 1];
    }
    for (int i = c->count - 1; i >= 0 && !deaf; i--) {
        if (ia_kit_matches(c->rows[i].text, query)) {
            return &c->rows[i];
        }
    }
    return NULL;
}

static void new_message(struct ia_phone *p, const struct ia_touch *t);

static void build_list(struct ia_kit *k)
{
    static const struct ia_kit_nav nav = {.large = true,
                                          .search = true,
                                          .right = {.label = "New Message",
                                                    .ident = "compose",
                                                    .symbol = IA_SYMBOL_PENCIL,
                                                    .tap = new_message}};
    const struct ia_messages *m = ia_messages_of_const(k->phone);
    uint8_t order[IA_CHATS_MAX];
    int n = ia_messages_order(m, order), shown = 0;
    ia_kit_begin(k, &nav, IA_LIST_PLAIN);
    const char *query = ia_kit_query(k);
    ia_kit_section(k, NULL);
    for (int i = 0; i < n; i++) {
        const struct ia_message *row = found(k, &m->chats[order[i]], query);
        if (row) {
            chat_row(k, &m->chats[order[i]], row);
            shown++;
        }
    }
    if (shown == 0 && *query) {
        ia_kit_empty(k, "No Results", ia_scene_printf(k->scene, "for \"%s\"", query));
    } else if (shown == 0) {
        ia_kit_empty(k, "No Messages", "What you send and get will appear here.");
    }
    ia_kit_end(k);
}

/* ---- a new message: whom it is for ---- */

static const struct ia_alert alert_full =
    IA_ALERT_OK("Cannot Write", "There is no room for more conversations.");

static void cancel_new(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    ia_edit_set(p, IA_MESSAGES_FIELD_TO, "");
    ia_nav_pop(p);
}

static void write_to(struct ia_phone *p, const char *number, const char *name)
{
    struct ia_chat *c = ia_messages_with(ia_messages_of(p), number, name);
    if (!c) {
        ia_alert_show(p, &alert_full, 0);
        return;
    }
    int32_t id = c->id;
    cancel_new(p, NULL);
    ia_messages_open(p, id);
    ia_edit_focus(p, IA_MESSAGES_FIELD_TEXT);
}

static void on_person(struct ia_phone *p, const struct ia_touch *t)
{
    char name[IA_CONTACT_NAME_BYTES];
    const struct ia_contact *c = ia_book_find(ia_contacts_book(p), t->arg);
    write_to(p, c->part[IA_CONTACT_PHONE], ia_contact_name(c, name));
}

static bool is_number(const char *text)
{
    size_t n = strlen(text), digits = 0;
    for (const char *c = text; *c; c++) {
        digits += *c >= '0' && *c <= '9';
    }
    return digits >= NUMBER_DIGITS_MIN && strspn(text, "0123456789+- ") == n;
}

static void on_number(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    char *number = ia_trimmed(ia_edit_text(ia_phone_front(p), IA_MESSAGES_FIELD_TO));
    write_to(p, number, number);
    free(number);
}

static void on_linked(struct ia_phone *p, const struct ia_touch *t)
{
    char number[IA_PEER_NUMBER_BYTES], name[IA_PEER_NAME_MAX + 1];
    ia_peer_number(p->link.peers.name[t->arg], number);
    ia_phone_link_display_name(p->link.peers.name[t->arg], name);
    write_to(p, number, name);
}

/* Linked phones are known without being contacts. */
static void linked_rows(struct ia_kit *k, const char *typed)
{
    for (int i = 0; *typed && i < k->phone->link.peers.count; i++) {
        char number[IA_PEER_NUMBER_BYTES], name[IA_PEER_NAME_MAX + 1];
        ia_peer_number(k->phone->link.peers.name[i], number);
        ia_phone_link_display_name(k->phone->link.peers.name[i], name);
        if (ia_kit_matches(name, typed) || ia_kit_matches(number, typed)) {
            ia_kit_row(k,
                       &(struct ia_kit_row){.label = ia_scene_printf(k->scene, "%s", name),
                                            .subtitle = ia_scene_printf(k->scene, "%s", number),
                                            .tap = on_linked,
                                            .arg = i});
        }
    }
}

/* The people with a number that what was typed fits. */
static void people_rows(struct ia_kit *k, const char *typed)
{
    const struct ia_book *book = ia_contacts_book(k->phone);
    ia_kit_section(k, NULL);
    linked_rows(k, typed);
    for (int i = 0, n = 0; *typed && i < ia_book_count(book) && n < FOUND_MAX; i++) {
        const struct ia_contact *c = ia_book_at(book, i);
        char buf[IA_CONTACT_NAME_BYTES];
        const char *name = ia_scene_printf(k->scene, "%s", ia_contact_name(c, buf));
        const char *number = c->part[IA_CONTACT_PHONE];
        if (*number && (ia_kit_matches(name, typed) || ia_kit_matches(number, typed))) {
            ia_kit_row(k,
                       &(struct ia_kit_row){
                           .label = name, .subtitle = number, .tap = on_person, .arg = c->id});
            n++;
        }
    }
}

static void build_new(struct ia_kit *k)
{
    const char *typed = ia_edit_text(k->app, IA_MESSAGES_FIELD_TO);
    const struct ia_kit_nav nav = {
        .left = {.label = "Cancel", .ident = "cancel", .tap = cancel_new},
        .right = {.label = "Next",
                  .ident = "next",
                  .bold = true,
                  .tap = on_number,
                  .disabled = !is_number(typed)}};
    ia_kit_begin(k, &nav, IA_LIST_GROUPED);
    ia_kit_section(k, NULL);
    ia_kit_field(k, IA_MESSAGES_FIELD_TO);
    ia_kit_footer(k, "A number, or a name from your contacts");
    people_rows(k, typed);
    ia_kit_end(k);
}

static const struct ia_screen screen_new = {"New Message", build_new, NULL, cancel_new};

static void new_message(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    ia_nav_present(p, &screen_new, 0);
    ia_edit_focus(p, IA_MESSAGES_FIELD_TO);
}

/* ---- what comes ---- */

/* The conversation that is on the screen, or 0. */
static int32_t on_screen(const struct ia_phone *p)
{
    const struct ia_app_state *a = p->locked ? NULL : ia_phone_front_const(p);
    bool chat = a && a->depth > 0 && a->nav[a->depth - 1].screen == &ia_messages_chat_page;
    return chat ? a->nav[a->depth - 1].arg : 0;
}

static void deliver(struct ia_phone *p, struct ia_chat *c, char *text, bool picture)
{
    ia_chat_add(c, &(struct ia_message){.text = text, .at_ms = p->now_ms, .picture = picture});
    c->unread = (uint8_t)(c->unread + (c->unread < 99));
    if (on_screen(p) == c->id) {
        ia_nav_top(p)->scroll = IA_MESSAGES_END;
        return;
    }
    struct ia_notice notice = {.app = ia_app_find(ia_app_messages.bundle_id),
                               .arg = c->id,
                               .title = c->name,
                               .body = text};
    ia_phone_post(p, &notice, !c->muted);
}

/* Nothing comes in airplane mode; it comes afterwards. */
static bool comes(const struct ia_phone *p)
{
    return ia_messages_coming(ia_messages_of_const(p), 0) &&
           !ia_prefs_on(&p->prefs, IA_PREF_AIRPLANE_MODE);
}

/* A banner may stand over what is needed next: it must go by itself, too. */
static bool waits(const struct ia_phone *p)
{
    const struct ia_notice *n = ia_phone_banner(p);
    return comes(p) || (n && ia_apps[n->app] == &ia_app_messages);
}

static void passed(struct ia_phone *p)
{
    struct ia_messages *m = ia_messages_of(p);
    const struct ia_notice *n = ia_phone_banner(p);
    struct ia_notice seen;
    if (n && ia_apps[n->app] == &ia_app_messages && ia_phone_app(p) == &ia_app_messages) {
        (void)ia_phone_take_banner(p, &seen); /* the app shows what the banner says */
    }
    for (int i = 0; i < m->coming_count && comes(p);) {
        struct ia_coming coming = m->coming[i];
        if (coming.at_ms > p->now_ms) {
            i++;
            continue;
        }
        m->coming_count--;
        memmove(&m->coming[i], &m->coming[i + 1],
                (size_t)(m->coming_count - i) * sizeof(coming));
        struct ia_chat *to = ia_messages_chat(m, coming.chat);
        if (to) { /* else it was deleted meanwhile */
            deliver(p, to, coming.text, false);
        }
        free(coming.text);
    }
    struct ia_chat *c = ia_messages_chat(m, on_screen(p));
    if (c && !ia_phone_bug(p, IA_BUG_MESSAGES_BADGE)) {
        c->unread = 0;
    }
}

void ia_messages_announce(struct ia_phone *p, const char *number, const char *name,
                          const char *text, int after_s)
{
    struct ia_chat *c = ia_messages_with(ia_messages_of(p), number, name);
    if (c) {
        ia_messages_expect(ia_messages_of(p), c->id, text, p->now_ms + after_s * INT64_C(1000));
    }
}

void ia_messages_receive(struct ia_phone *p, const char *peer, const char *text, bool picture)
{
    char number[IA_PEER_NUMBER_BYTES], name[IA_PEER_NAME_MAX + 1];
    ia_peer_number(peer, number);
    ia_phone_link_display_name(peer, name);
    struct ia_chat *c = ia_messages_with(ia_messages_of(p), number, name);
    if (c) {
        deliver(p, c, (char *)(uintptr_t)text, picture);
    }
}

/* ---- the app ---- */

/* What was being written to somebody is not sent to the next one. */
static void left(struct ia_phone *p, const struct ia_nav_entry *e)
{
    if (e->screen == &ia_messages_chat_page) {
        ia_edit_set(p, IA_MESSAGES_FIELD_TEXT, "");
        ia_phone_front(p)->memo[IA_MESSAGES_MEMO_PICTURE] = 0;
    }
}

static void open_notice(struct ia_phone *p, int32_t arg)
{
    ia_nav_to_root(p);
    if (ia_messages_chat(ia_messages_of(p), arg)) {
        ia_messages_open(p, arg);
    }
}

static bool takes_url(struct ia_str url)
{
    return ia_str_starts(url, ia_str("sms:"));
}

/* sms:555-0123, or with a text that waits to be sent: sms:555-0123?&body=On%20my%20way */
static void open_url(struct ia_phone *p, struct ia_str url)
{
    const char *query = memchr(url.p, '?', url.n);
    char *number = ia_strndup(url.p + 4, (query ? (size_t)(query - url.p) : url.n) - 4);
    struct ia_buf body = IA_BUF(IA_FIELD_BYTES_MAX);
    if (is_number(number)) {
        write_to(p, number, number);
        if (ia_url_query(url, "body", &body) && ia_buf_ok(&body)) {
            ia_edit_set(p, IA_MESSAGES_FIELD_TEXT, ia_buf_cstr(&body));
        }
    }
    ia_buf_fini(&body);
    free(number);
}

static const struct ia_screen screen_list = {"Messages", build_list, NULL, NULL};

static const struct ia_field fields[IA_MESSAGES_FIELD_COUNT] = {
    [IA_MESSAGES_FIELD_SEARCH] = {"search", "Search", "Search", IA_KEYBOARD_TEXT, -1, "search"},
    [IA_MESSAGES_FIELD_TEXT] = {"message", "Message", "Message", IA_KEYBOARD_TEXT, -1, "done"},
    [IA_MESSAGES_FIELD_TO] = {"to", "To", "To", IA_KEYBOARD_WORDS, -1, "done"},
};

const struct ia_app ia_app_messages = {
    .bundle_id = "com.apple.MobileSMS",
    .name = "Messages",
    .icon = IA_ICON_MESSAGES,
    .root = &screen_list,
    .fields = fields,
    .create = ia_messages_new,
    .destroy = ia_messages_free,
    .takes_url = takes_url,
    .open_url = open_url,
    .passed = passed,
    .waits = waits,
    .open_notice = open_notice,
    .left = left,
    .example = ia_messages_example,
    .state_json = ia_messages_json,
    .tell = ia_messages_tell,
    .badge = ia_messages_unread,
};
