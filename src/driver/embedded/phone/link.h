/* link.h: messages between phones of one folder, as the phone itself knows them.
 *
 *     alice.log    … link bob, tap "Send" …     her outbox follows from her operations
 *         │ device: append what bob's mailbox does not have yet (driver/embedded/mail.c)
 *     bob.mail     {"from":"alice","as":…,"no":35,"text":"Hi"}
 *         │ device: each line that bob has not received is an operation of his
 *     bob.log      … receive 1 alice "Hi" …     which line came last follows from his operations
 *
 * Wherever a process is killed, both ends know from their logs what is still to be done, so each
 * message arrives exactly once. A link and the number of the last received line outlast a reset, as a
 * SIM card does. */
#ifndef IA_DRIVER_EMBEDDED_PHONE_LINK_H
#define IA_DRIVER_EMBEDDED_PHONE_LINK_H

#include "driver/embedded/fault/peers.h"

enum { IA_LINK_ID_BYTES = 17 };

/* A message to a linked phone. */
struct ia_outgoing {
    int peer;   /* its place among the peers at that time */
    int64_t no; /* ascending */
    char *text; /* or the name of the picture */
    bool picture;
};

struct ia_phone_link {
    struct ia_peers peers;
    char id
        [IA_LINK_ID_BYTES]; /* another one for each life of the log: its numbers begin anew then */
    int64_t received;       /* lines of its mailbox */
    struct ia_outgoing *out; /* oldest first */
    size_t out_count;
};

void ia_phone_link_fini(struct ia_phone_link *l);
/* Another set of peers, or another id: what is in the outbox is dropped. */
void ia_phone_link_set(struct ia_phone_link *l, const struct ia_peers *peers, struct ia_str id);
void ia_phone_link_forget_outgoing(struct ia_phone_link *l);
/* The linked phone with that number, or -1. Digits alone count. */
int ia_phone_link_find_number(const struct ia_phone_link *l, const char *number);
/* Adds a message to the outbox; seq is the phone's operation. The text is copied. */
void ia_phone_link_send(struct ia_phone_link *l, int peer, int64_t seq, const char *text,
                        bool picture);
/* "Bob" for bob: how people see a linked phone. */
void ia_phone_link_display_name(const char *name, char ret[IA_PEER_NAME_MAX + 1]);

#endif
