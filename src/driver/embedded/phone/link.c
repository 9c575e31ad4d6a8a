/* link.c: the linked phones, and what was sent to them. */
#include "driver/embedded/phone/link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An operation sends a picture and a text at most. */
enum { MESSAGES_PER_OPERATION = 2 };

void ia_phone_link_forget_outgoing(struct ia_phone_link *l)
{
    for (size_t i = 0; i < l->out_count; i++) {
        free(l->out[i].text);
    }
    free(l->out);
    l->out = NULL;
    l->out_count = 0;
}

void ia_phone_link_fini(struct ia_phone_link *l)
{
    ia_phone_link_forget_outgoing(l);
}

void ia_phone_link_set(struct ia_phone_link *l, const struct ia_peers *peers, struct ia_str id)
{
    ia_phone_link_forget_outgoing(l);
    l->peers = *peers;
    (void)snprintf(l->id, sizeof(l->id), "%.*s", (int)id.n, id.p);
}

static bool same_number(const char *a, const char *b)
{
    for (;; a++, b++) {
        a += strcspn(a, "0123456789");
        b += strcspn(b, "0123456789");
        if (*a != *b || *a == '\0') {
            return *a == *b;
        }
    }
}

int ia_phone_link_find_number(const struct ia_phone_link *l, const char *number)
{
    char own[IA_PEER_NUMBER_BYTES];
    for (int i = 0; i < l->peers.count; i++) {
        ia_peer_number(l->peers.name[i], own);
        if (same_number(own, number)) {
            return i;
        }
    }
    return -1;
}

void ia_phone_link_send(struct ia_phone_link *l, int peer, int64_t seq, const char *text,
                        bool picture)
{
    int64_t no = seq * MESSAGES_PER_OPERATION;
    if (l->out_count > 0 && l->out[l->out_count - 1].no >= no) {
        no = l->out[l->out_count - 1].no + 1;
    }
    l->out = ia_realloc(l->out, l->out_count + 1, sizeof(*l->out));
    l->out[l->out_count++] = (struct ia_outgoing){
        .peer = peer, .no = no, .text = ia_strdup(text), .picture = picture};
}

void ia_phone_link_display_name(const char *name, char ret[IA_PEER_NAME_MAX + 1])
{
    (void)snprintf(ret, IA_PEER_NAME_MAX + 1, "%s", name);
    if (ret[0] >= 'a' && ret[0] <= 'z') {
        ret[0] = (char)(ret[0] - 'a' + 'A');
    }
}
