/* messages.h: conversations: what is sent, what comes, and who answers by which rules. */
#ifndef IA_DRIVER_EMBEDDED_APPS_MESSAGES_MESSAGES_H
#define IA_DRIVER_EMBEDDED_APPS_MESSAGES_MESSAGES_H

#include "driver/embedded/ui/format.h"
#include "driver/embedded/ui/kit.h"

extern const struct ia_app ia_app_messages;

enum {
    IA_MESSAGES_FIELD_SEARCH,
    IA_MESSAGES_FIELD_TEXT,
    IA_MESSAGES_FIELD_TO,
    IA_MESSAGES_FIELD_COUNT
};

/* A conversation that is full loses its oldest message; what would come when too much is on its way
 * does not come. */
enum { IA_CHATS_MAX = 40, IA_CHAT_MESSAGES_MAX = 200, IA_MESSAGES_COMING_MAX = 16 };
enum { IA_CHAT_KEPT = 2 };

struct ia_message {
    char *text; /* or the name of the picture */
    int64_t at_ms;
    bool mine, picture;
    bool failed; /* mine, and not delivered */
};

struct ia_chat {
    int32_t id; /* never 0, never reused */
    char *name, *number;
    bool muted;
    uint8_t unread;
    uint8_t step;               /* of its rules */
    char kept[IA_CHAT_KEPT][8]; /* what its rules remember of the answers */
    int count;
    struct ia_message *rows; /* oldest first; a conversation without any is not listed */
};

struct ia_coming {
    int32_t chat;
    int64_t at_ms;
    char *text;
};

/* What the app keeps. */
struct ia_messages {
    struct ia_chat *chats;
    int count;
    int32_t next_id;
    struct ia_coming coming[IA_MESSAGES_COMING_MAX];
    int coming_count;
    uint64_t seed;
};

/* ---- store.c ---- */

void *ia_messages_new(uint64_t seed);
void ia_messages_free(void *messages);
void ia_messages_example(void *messages);
void ia_messages_json(const void *messages, struct ia_jsonw *w);
void ia_messages_tell(const void *messages, uint32_t bugs, struct ia_jsonw *w);
int ia_messages_unread(const void *messages);
/* The conversation, or NULL. */
struct ia_chat *ia_messages_chat(const struct ia_messages *m, int32_t id);
/* The conversation with that number, a new one if need be; NULL when there is no room. */
struct ia_chat *ia_messages_with(struct ia_messages *m, const char *number, const char *name);
/* Adds a message; the text is copied. */
void ia_chat_add(struct ia_chat *c, const struct ia_message *message);
void ia_chat_remove(struct ia_chat *c, int message);
void ia_messages_remove(struct ia_messages *m, int32_t id);
/* A text will come in that conversation. */
void ia_messages_expect(struct ia_messages *m, int32_t chat, const char *text, int64_t at_ms);
/* Whether something is on its way in that conversation, or (0) in any. */
bool ia_messages_coming(const struct ia_messages *m, int32_t chat);
/* Fills order[] with the indices of the conversations that are listed, the newest first; how many. */
int ia_messages_order(const struct ia_messages *m, uint8_t order[IA_CHATS_MAX]);

/* ---- rules.c ---- */

/* Whether that number takes answers. */
bool ia_rules_reach(const char *number);
/* What comes back for a message that was sent. */
void ia_rules_answer(struct ia_messages *m, struct ia_chat *c, const struct ia_message *sent);

/* ---- for other apps ---- */

/* A text to this phone, after so many seconds of its clock. */
void ia_messages_announce(struct ia_phone *p, const char *number, const char *name,
                          const char *text, int after_s);
/* A message of a linked phone (driver/embedded/phone/link.h), or the name of its picture, now. */
void ia_messages_receive(struct ia_phone *p, const char *peer, const char *text, bool picture);

/* ---- of the screens ---- */

/* A scroll position that settles at the end of the conversation. */
enum { IA_MESSAGES_END = 1000000 };
enum { IA_MESSAGES_MEMO_PICTURE }; /* attached: 1 + its number among the pictures; 0: none */
extern const struct ia_screen ia_messages_chat_page;
struct ia_messages *ia_messages_of(struct ia_phone *p);
const struct ia_messages *ia_messages_of_const(const struct ia_phone *p);
void ia_messages_open(struct ia_phone *p, int32_t chat);

#endif
