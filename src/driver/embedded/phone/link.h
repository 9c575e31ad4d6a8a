/* link.h: messages between phones of one folder.
 *
 * A phone's log is its outbox: what it sent to a linked phone follows from its operations. The other
 * phone reads that log and writes down each message as an operation of its own, with its number, so it
 * has each one exactly once:
 *
 *     alice.log  … tap "Send" …             ─► her 3rd message; read without a lock by whoever has bob open
 *     bob.log    … receive alice 3 "Hi" …   ─► the next one from alice has a number above 3
 *
 * A link is not undone by a reset, as a SIM card is not: neither are the numbers of what was received.
 * The log of a linked phone is never begun anew, so that its numbers only grow; only deleting the file
 * does that, and then its first messages may be taken for old ones. */
#ifndef IA_DRIVER_EMBEDDED_PHONE_LINK_H
#define IA_DRIVER_EMBEDDED_PHONE_LINK_H

#include "driver/embedded/fault/peers.h"

struct ia_phone;

/* One that was linked once stays known, so that nothing of it is received again. */
enum { IA_PEERS_KNOWN_MAX = 4 * IA_PEERS_MAX };
struct ia_peer {
    char name[IA_PEER_NAME_MAX + 1], number[IA_PEER_NUMBER_BYTES];
    bool linked;
    int64_t received; /* the number of the last message from it; 0: none */
};

/* What was sent to a linked phone. The first one has the number 1. */
struct ia_sent {
    char to[IA_PEER_NAME_MAX + 1];
    char *text; /* or the name of the picture */
    bool picture;
};

struct ia_link {
    int count;
    struct ia_peer peers[IA_PEERS_KNOWN_MAX];
    struct ia_sent *sent; /* oldest first */
    size_t sent_count;
};

/* Whether there is room for what is not known yet. IA_E_LIMIT. */
enum ia_rc ia_link_check(const struct ia_link *l, const struct ia_peers *peers, struct ia_err *err);
/* These are the linked ones from now on. */
void ia_link_set(struct ia_link *l, const struct ia_peers *peers);
void ia_link_fini(struct ia_link *l);
/* The linked phone with that name; NULL: none. */
const struct ia_peer *ia_link_named(const struct ia_link *l, struct ia_str name);
/* Notes that a message of it was received. */
void ia_link_received(struct ia_link *l, struct ia_str name, int64_t no);
/* Notes a message to a number; nothing where that is no linked phone's. */
void ia_link_send(struct ia_phone *p, const char *number, const char *text, bool picture);

#endif
