/* peers.h: the phones that a phone exchanges messages with, as the knob `link` names them. */
#ifndef IA_DRIVER_EMBEDDED_FAULT_PEERS_H
#define IA_DRIVER_EMBEDDED_FAULT_PEERS_H

#include "base/base.h"
#include "base/err.h"

enum { IA_PEERS_MAX = 8, IA_PEER_NAME_MAX = 32, IA_PEER_NUMBER_BYTES = 16 };

struct ia_peers {
    int count;
    char name[IA_PEERS_MAX][IA_PEER_NAME_MAX + 1];
};

/* Reads names of phones, separated by commas; "none" and "" are empty. IA_E_USAGE: a name that no phone can
 * have, one that is there twice, too many, or two that have the same number. */
enum ia_rc ia_peers_parse(struct ia_str list, struct ia_peers *ret, struct ia_err *err);
/* The number of the phone with that name; it follows from the name alone. */
void ia_peer_number(const char *name, char ret[IA_PEER_NUMBER_BYTES]);

#endif
