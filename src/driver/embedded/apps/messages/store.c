/* store.c: the conversations themselves. */
#include "driver/embedded/apps/messages/messages.h"

#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

enum { TOLD_MAX = 256 }; /* bytes that a build for tests tells of a text */

/* What a new phone has: the numbers of people are those of its contacts. Minutes are before the moment at
 * which every phone begins. */
static const struct {
    const char *number, *name, *text;
    int minutes;
    bool mine, unread;
} factory[] = {
    {"555-0140", "Adam Young", "We have moved! The new address is 14 Mill Lane.", 4320, false,
     false},
    {"555-0140", "Adam Young", "Thanks, see you on Sunday.", 4315, true, false},
    {"555-0170", "Blue Door Restaurant", "Thank you for your visit. We hope to see you again!",
     2890, false, false},
    {"555-0180", "City Library",
     "\"The Sea Wall\" is due on 12 September. Write RENEW to keep it for two more weeks.",
     1500, false, false},
    {"555-0199", "555-0199",
     "You have won $5,000! Send the code of your bank to this number to get it.", 1440, false,
     true},
    {"555-0190", "Parcel Service", "Your parcel is in locker 14. The pickup code is 7731.", 185,
     false, false},
    {"555-0136", "Ravi Rao", "Hi! Did you keep the receipt of the hotel?", 95, false, true},
    {"555-0136", "Ravi Rao", "Please send me the picture.", 94, false, true},
    {"555-0123", "Grace Foster", "The concert was wonderful.", 1460, true, false},
    {"555-0123", "Grace Foster", "Yes! Are we still on for dinner on Friday?", 26, false, true},
};

void *ia_messages_new(uint64_t seed)
{
    struct ia_messages *m = ia_calloc(1, sizeof(*m));
    m->next_id = 1;
    m->seed = seed;
    for (size_t i = 0; i < IA_COUNTOF(factory); i++) {
        struct ia_chat *c = ia_messages_with(m, factory[i].number, factory[i].name);
        ia_chat_add(c, &(struct ia_message){.text = (char *)(uintptr_t)factory[i].text,
                                            .at_ms = IA_PHONE_EPOCH_MS -
                                                     factory[i].minutes * INT64_C(60000),
                                            .mine = factory[i].mine});
        c->unread = (uint8_t)(c->unread + factory[i].unread);
    }
    return m;
}

struct ia_messages *ia_messages_of(struct ia_phone *p)
{
    return ia_phone_state_of(p, &ia_app_messages)->data;
}

const struct ia_messages *ia_messages_of_const(const struct ia_phone *p)
{
    return ia_phone_state_of_const(p, &ia_app_messages)->data;
}

static void forget(struct ia_chat *c)
{
    while (c->count > 0) {
        ia_chat_remove(c, c->count - 1);
    }
    free(c->rows);
    free(c->name);
    free(c->number);
}

void ia_messages_free(void *messages)
{
    struct ia_messages *m = messages;
    for (int i = 0; i < m->count; i++) {
        forget(&m->chats[i]);
    }
    for (int i = 0; i < m->coming_count; i++) {
        free(m->coming[i].text);
    }
    free(m->chats);
    free(m);
}

struct ia_chat *ia_messages_chat(const struct ia_messages *m, int32_t id)
{
    for (int i = 0; i < m->count; i++) {
        if (m->chats[i].id == id) {
            return &m->chats[i];
        }
    }
    return NULL;
}

struct ia_chat *ia_messages_with(struct ia_messages *m, const char *number, const char *name)
{
    for (int i = 0; i < m->count; i++) {
        if (strcmp(m->chats[i].number, number) == 0) {
            return &m->chats[i];
        }
    }
    if (m->count == IA_CHATS_MAX) {
        return NULL;
    }
    m->chats = ia_realloc(m->chats, (size_t)m->count + 1, sizeof(*m->chats));
    struct ia_chat *c = &m->chats[m->count++];
    *c = (struct ia_chat){
        .id = m->next_id++, .name = ia_strdup(name), .number = ia_strdup(number)};
    return c;
}

void ia_messages_remove(struct ia_messages *m, int32_t id)
{
    struct ia_chat *c = ia_messages_chat(m, id);
    if (c) {
        forget(c);
        size_t at = (size_t)(c - m->chats);
        m->count--;
        memmove(c, c + 1, ((size_t)m->count - at) * sizeof(*c));
    }
}

void ia_chat_remove(struct ia_chat *c, int message)
{
    free(c->rows[message].text);
    c->count--;
    memmove(&c->rows[message], &c->rows[message + 1],
            (size_t)(c->count - message) * sizeof(c->rows[0]));
}

void ia_chat_add(struct ia_chat *c, const struct ia_message *message)
{
    if (c->count == IA_CHAT_MESSAGES_MAX) {
        ia_chat_remove(c, 0);
    }
    c->rows = ia_realloc(c->rows, (size_t)c->count + 1, sizeof(*c->rows));
    c->rows[c->count] = *message;
    c->rows[c->count++].text = ia_strdup(message->text);
}

void ia_messages_expect(struct ia_messages *m, int32_t chat, const char *text, int64_t at_ms)
{
    if (m->coming_count < IA_MESSAGES_COMING_MAX) {
        m->coming[m->coming_count++] =
            (struct ia_coming){.chat = chat, .at_ms = at_ms, .text = ia_strdup(text)};
    }
}

bool ia_messages_coming(const struct ia_messages *m, int32_t chat)
{
    for (int i = 0; i < m->coming_count; i++) {
        if (chat == 0 || m->coming[i].chat == chat) {
            return true;
        }
    }
    return false;
}

static int64_t newest(const struct ia_chat *c)
{
    return c->rows[c->count - 1].at_ms;
}

int ia_messages_order(const struct ia_messages *m, uint8_t order[IA_CHATS_MAX])
{
    int n = 0;
    for (int i = 0; i < m->count; i++) {
        int at = n;
        if (m->chats[i].count == 0) {
            continue;
        }
        for (; at > 0 && newest(&m->chats[order[at - 1]]) < newest(&m->chats[i]); at--) {
            order[at] = order[at - 1];
        }
        order[at] = (uint8_t)i;
        n++;
    }
    return n;
}

int ia_messages_unread(const void *messages)
{
    const struct ia_messages *m = messages;
    int n = 0;
    for (int i = 0; i < m->count; i++) {
        n += m->chats[i].unread;
    }
    return n;
}

/* ---- oracle, and what its build for tests tells ---- */

static void chat_json(const struct ia_chat *c, struct ia_jsonw *w)
{
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "with", c->name);
    ia_jsonw_kv(w, "number", c->number);
    ia_jsonw_kv_int(w, "unread", c->unread);
    ia_jsonw_kv_bool(w, "muted", c->muted);
    ia_jsonw_key(w, "messages");
    ia_jsonw_array(w);
    for (int i = 0; i < c->count; i++) {
        ia_jsonw_object(w);
        ia_jsonw_kv_bool(w, "mine", c->rows[i].mine);
        ia_jsonw_kv(w, c->rows[i].picture ? "picture" : "text", c->rows[i].text);
        if (c->rows[i].mine) {
            ia_jsonw_kv_bool(w, "delivered", !c->rows[i].failed);
        }
        ia_jsonw_end_object(w);
    }
    ia_jsonw_end_array(w);
    ia_jsonw_end_object(w);
}

void ia_messages_example(void *messages)
{
    struct ia_chat *c = ia_messages_with(messages, factory[0].number, factory[0].name);
    ia_chat_add(c, &(struct ia_message){.text = (char *)(uintptr_t) "", .picture = true});
}

void ia_messages_json(const void *messages, struct ia_jsonw *w)
{
    const struct ia_messages *m = messages;
    uint8_t order[IA_CHATS_MAX];
    int n = ia_messages_order(m, order);
    ia_jsonw_key(w, "messages");
    ia_jsonw_array(w);
    for (int i = 0; i < n; i++) {
        chat_json(&m->chats[order[i]], w);
    }
    ia_jsonw_end_array(w);
}

void ia_messages_tell(const void *messages, uint32_t bugs, struct ia_jsonw *w)
{
    const struct ia_messages *m = messages;
    uint8_t order[IA_CHATS_MAX];
    int n = ia_messages_order(m, order), sent = 0;
    const struct ia_message *last = NULL;
    const char *to = "nobody";
    (void)bugs;
    for (int i = 0; i < n; i++) {
        const struct ia_chat *c = &m->chats[order[i]];
        for (int k = 0; k < c->count; k++) {
            const struct ia_message *row = &c->rows[k];
            sent += row->mine && !row->failed;
            if (row->mine && !row->failed && (!last || row->at_ms > last->at_ms)) {
                last = row;
                to = c->name;
            }
        }
    }
    ia_count_json(w, "messages.conversations", n);
    ia_count_json(w, "messages.unread", ia_messages_unread(m));
    ia_count_json(w, "messages.sent", sent);
    ia_jsonw_kv(w, "messages.last_to", to);
    struct ia_str text = ia_str(last ? last->text : "");
    ia_jsonw_key(w, "messages.last_sent");
    ia_jsonw_str(
        w, (struct ia_str){text.p, ia_utf8_cut(text.p, text.n < TOLD_MAX ? text.n : TOLD_MAX)});
}
