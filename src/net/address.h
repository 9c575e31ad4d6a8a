/* address.h: which addresses are places of the public internet.
 *
 * For a client whose target somebody else names: a model, a page that redirects. What a name resolves
 * to is judged at the moment of connecting, so it does not matter how the address was written, who
 * resolved it, or whether the next answer of the name server is another one. Pure; any thread.
 * Source: IANA's registries of special-purpose addresses for IPv4 and IPv6, as of 2025-10. */
#ifndef IA_NET_ADDRESS_H
#define IA_NET_ADDRESS_H

#include "base/base.h"

#include <sys/socket.h>

enum { IA_ADDRESS_TEXT_SIZE = 64 };

/* Whether packets to it leave for the public internet: no address of this machine, of a private or
 * shared network, of a link, of a group, none that is reserved or for documents, and none of IPv6 that
 * hides one of IPv4 in itself, but NAT64's (64:ff9b::/96) with a public one. */
bool ia_address_public(const struct sockaddr *address, socklen_t size);

/* "127.0.0.1:80" or "[::1]:80"; "?" for another family. */
void ia_address_text(const struct sockaddr *address, socklen_t size,
                     char ret[IA_ADDRESS_TEXT_SIZE]);

#endif
