/* link.c: which phones are linked, what was sent to them, what of theirs was received. */
#include "driver/embedded/phone/phone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int known(const struct ia_link *l, struct ia_str name)
{
    int i = 0;
    while (i < l->count && !ia_str_is(name, l->peers[i].name)) {
        i++;
    }
    return i;
}

const struct ia_peer *ia_link_named(const struct ia_link *l, struct ia_str name)
{
    int i = known(l, name);
    return i < l->count && l->peers[i].linked ? &l->peers[i] : NULL;
}

/* Digits alone count: people write numbers with and without signs between them. */
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

enum ia_rc ia_link_check(const struct ia_link *l, const struct ia_peers *peers, struct ia_err *err)
{
    int count = l->count;
    for (int i = 0; i < peers->count; i++) {
        count += known(l, ia_str(peers->name[i])) == l->count;
    }
    return count <= IA_PEERS_KNOWN_MAX
               ? IA_OK
               : ia_err_set(err, IA_E_LIMIT, "a phone remembers at most %d phones that it was linked to",
                            IA_PEERS_KNOWN_MAX);
}

void ia_link_set(struct ia_link *l, const struct ia_peers *peers)
{
    for (int i = 0; i < l->count; i++) {
        l->peers[i].linked = false;
    }
    for (int i = 0; i < peers->count; i++) {
        struct ia_peer *peer = &l->peers[known(l, ia_str(peers->name[i]))];
        if (peer == &l->peers[l->count]) {
            l->count++;
            (void)snprintf(peer->name, sizeof(peer->name), "%s", peers->name[i]);
            ia_peer_number(peer->name, peer->number);
        }
        peer->linked = true;
    }
}

void ia_link_fini(struct ia_link *l)
{
    for (size_t i = 0; i < l->sent_count; i++) {
        free(l->sent[i].text);
    }
    free(l->sent);
}

void ia_link_received(struct ia_link *l, struct ia_str name, int64_t no)
{
    l->peers[known(l, name)].received = no;
}

void ia_link_send(struct ia_phone *p, const char *number, const char *text, bool picture)
{
    struct ia_link *l = &p->link;
    for (int i = 0; i < l->count; i++) {
        if (l->peers[i].linked && same_number(l->peers[i].number, number)) {
            l->sent = ia_realloc(l->sent, l->sent_count + 1, sizeof(*l->sent));
            struct ia_sent *s = &l->sent[l->sent_count++];
            *s = (struct ia_sent){.text = ia_strdup(text), .picture = picture};
            (void)snprintf(s->to, sizeof(s->to), "%s", l->peers[i].name);
            return;
        }
    }
}
