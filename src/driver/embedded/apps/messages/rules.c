/* rules.c: who answers what. A rule belongs to a number and to a step of the conversation with it; the
 * first one that hears its word answers, remembers what it heard, and leads to a step. */
#include "driver/embedded/apps/messages/messages.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define GRACE "555-0123"
#define RAVI "555-0136"
#define TABLE "555-0170"
#define LIBRARY "555-0180"
#define PARCEL "555-0190"

static const struct rule {
    const char *number;
    uint8_t step, next;
    const char *hears; /* words, any of which; "#": a number; "": any text; "*": any picture,
                          "*NAME": that one */
    const char *says;  /* %1 and %2: what was kept; %r: a number by the phone's seed */
    uint8_t keeps;     /* what it heard, as %1 or %2; 0: nothing */
    uint8_t after_s;
} rules[] = {
    {GRACE, 0, 0, "yes|sure|of course|gladly",
     "Great! Can you book a table at the Blue Door for Friday?", 0, 8},
    {GRACE, 0, 0, "no|sorry|cannot|can't", "What a pity. Maybe next week!", 0, 8},
    {GRACE, 0, 0, "booked|18:00|19:30|21:00", "Perfect, see you there!", 0, 6},
    {GRACE, 0, 0, "*", "What a nice picture!", 0, 8},
    {GRACE, 0, 0, "", "All right!", 0, 10},
    {RAVI, 0, 1, "*Receipt.jpg", "That is the one. Thank you!", 0, 8},
    {RAVI, 0, 0, "*", "That is another one. I need the receipt.", 0, 8},
    {RAVI, 0, 0, "", "Please send me the picture of the receipt.", 0, 10},
    {RAVI, 1, 1, "", "You are welcome!", 0, 10},
    {TABLE, 0, 1, "book|table|reserve", "With pleasure! For how many people?", 0, 6},
    {TABLE, 0, 0, "", "Write BOOK to reserve a table for Friday.", 0, 6},
    {TABLE, 1, 2, "#", "At what time? We have 18:00, 19:30 and 21:00.", 1, 6},
    {TABLE, 1, 1, "", "Please answer with the number of people.", 0, 6},
    {TABLE, 2, 3, "18:00|19:30|21:00", "A table for %1 on Friday at %2. Shall I book it?", 2,
     3},
    {TABLE, 2, 2, "", "Please choose: 18:00, 19:30 or 21:00.", 0, 6},
    {TABLE, 3, 4, "yes", "Your table for %1 on Friday at %2 is booked. Reference: BD-%r", 0, 6},
    {TABLE, 3, 0, "no", "Nothing was booked.", 0, 6},
    {TABLE, 3, 3, "", "Please answer yes or no.", 0, 6},
    {TABLE, 4, 0, "cancel", "Your table BD-%r is cancelled.", 0, 6},
    {TABLE, 4, 4, "", "Your table for %1 at %2 is booked. Write CANCEL to cancel it.", 0, 6},
    {LIBRARY, 0, 1, "renew", "Renewed. It is now due on 26 September.", 0, 6},
    {LIBRARY, 1, 1, "renew", "A book can be renewed only once.", 0, 6},
    {LIBRARY, 0, 2, "stop", "You will get no more messages.", 0, 6},
    {LIBRARY, 1, 2, "stop", "You will get no more messages.", 0, 6},
    {LIBRARY, 0, 0, "", "Please write RENEW or STOP.", 0, 6},
    {LIBRARY, 1, 1, "", "Please write RENEW or STOP.", 0, 6},
};

/* The first place in text where the word stands as one, in any case of letters; NULL: nowhere. */
static const char *word_in(const char *text, struct ia_str word)
{
    for (const char *at = text; *at; at++) {
        bool first = at == text || !isalnum((unsigned char)at[-1]);
        if (first && strncasecmp(at, word.p, word.n) == 0 &&
            !isalnum((unsigned char)at[word.n])) {
            return at;
        }
    }
    return NULL;
}

/* What of a message a rule hears. */
static bool hears(const struct rule *r, const struct ia_message *m, struct ia_str *ret)
{
    const char *words = r->hears + m->picture;
    *ret = (struct ia_str){m->text, 0};
    if ((*r->hears == '*') != m->picture) {
        return false;
    }
    if (strcmp(words, "#") == 0) {
        ret->p = m->text + strcspn(m->text, "0123456789");
        ret->n = strspn(ret->p, "0123456789");
        return ret->n > 0;
    }
    for (const char *w = words; *w;) {
        size_t n = strcspn(w, "|");
        ret->p = word_in(m->text, (struct ia_str){w, n});
        ret->n = n;
        if (ret->p) {
            return true;
        }
        w += n + (w[n] == '|');
    }
    return !*words;
}

static void say(const struct ia_messages *m, const struct ia_chat *c, const char *says,
                struct ia_buf *out)
{
    for (; *says; says++) {
        if (*says != '%') {
            ia_buf_putc(out, *says);
        } else if (*++says == 'r') {
            ia_buf_printf(out, "%d", (int)(1000 + m->seed * 5821 % 9000));
        } else {
            ia_buf_puts(out, c->kept[*says - '1']);
        }
    }
}

bool ia_rules_reach(const char *number)
{
    return strcmp(number, PARCEL) != 0 && strlen(number) > 5;
}

void ia_rules_answer(struct ia_messages *m, struct ia_chat *c, const struct ia_message *sent)
{
    for (size_t i = 0; i < IA_COUNTOF(rules); i++) {
        const struct rule *r = &rules[i];
        struct ia_str heard;
        if (strcmp(r->number, c->number) != 0 || r->step != c->step ||
            !hears(r, sent, &heard)) {
            continue;
        }
        if (r->keeps) {
            (void)snprintf(c->kept[r->keeps - 1], sizeof(c->kept[0]), "%.*s", (int)heard.n,
                           heard.p);
        }
        struct ia_buf out = IA_BUF(1024);
        say(m, c, r->says, &out);
        ia_messages_expect(m, c->id, ia_buf_cstr(&out),
                           sent->at_ms + r->after_s * INT64_C(1000));
        ia_buf_fini(&out);
        c->step = r->next;
        return;
    }
}
