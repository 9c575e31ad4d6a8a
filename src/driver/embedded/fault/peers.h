/* peers.h: the phones that a phone exchanges messages with, as the knob `link` names them. */
#ifndef IA_DRIVER_EMBEDDED_FAULT_PEERS_H
#define IA_DRIVER_EMBEDDED_FAULT_PEERS_H

#include "base/buf.h"
#include "base/err.h"

enum { IA_PEERS_MAX = 8, IA_PEER_NAME_MAX = 32, IA_PEER_NUMBER_BYTES = 16 };

struct ia_peers {
    int count;
    char name[IA_PEERS_MAX][IA_PEER_NAME_MAX + 1];
};

/* Whether a phone can have that name: 1 to 32 of a-z, 0-9 and "-". */
bool ia_peer_name_ok(struct ia_str name);
/* Parses names of phones, separated by commas; "none" and "" are no phones. IA_E_USAGE: a name that no
 * phone can have, the same name twice, more than IA_PEERS_MAX, or two names with the same number. */
enum ia_rc ia_peers_parse(struct ia_str list, struct ia_peers *ret, struct ia_err *err);
/* Writes them the same way. */
void ia_peers_write(const struct ia_peers *peers, struct ia_buf *out);
bool ia_peers_equal(const struct ia_peers *a, const struct ia_peers *b);
/* Its place among them, or -1. */
int ia_peers_find(const struct ia_peers *peers, struct ia_str name);
void ia_peers_remove(struct ia_peers *peers, const char *name);

/* The telephone number of the phone with that name. It depends on the name alone. */
void ia_peer_number(const char *name, char ret[IA_PEER_NUMBER_BYTES]);

#endif
