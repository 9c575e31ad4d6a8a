/* address.c: an address against tables of networks. IPv4 is public unless a row says otherwise; IPv6 is
 * only in 2000::/3, and there unless a row says otherwise. */
#include "net/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

struct network {
    unsigned char bytes[16];
    unsigned bits;
};

static const struct network not_public_4[] = {
    {{0}, 8},             /* this network */
    {{10}, 8},            /* private */
    {{100, 64}, 10},      /* shared by customers of a provider (CGNAT) */
    {{127}, 8},           /* this machine */
    {{169, 254}, 16},     /* the link; also where clouds tell secrets */
    {{172, 16}, 12},      /* private */
    {{192, 0, 0}, 24},    /* of the IETF */
    {{192, 0, 2}, 24},    /* documents */
    {{192, 88, 99}, 24},  /* 6to4 relays */
    {{192, 168}, 16},     /* private */
    {{198, 18}, 15},      /* benchmarks */
    {{198, 51, 100}, 24}, /* documents */
    {{203, 0, 113}, 24},  /* documents */
    {{224}, 4},           /* groups */
    {{240}, 4},           /* reserved, broadcast */
};

static const struct network public_6 = {{0x20}, 3};
static const struct network nat64 = {{0x00, 0x64, 0xff, 0x9b}, 96};
static const struct network not_public_6[] = {
    {{0x20, 0x01, 0x00}, 23},       /* of the IETF, Teredo among them */
    {{0x20, 0x01, 0x0d, 0xb8}, 32}, /* documents */
    {{0x20, 0x02}, 16},             /* 6to4: an address of IPv4 inside */
    {{0x3f, 0xff, 0x00}, 20},       /* documents */
};

static bool inside(const unsigned char *address, const struct network *n)
{
    unsigned whole = n->bits / 8, rest = n->bits % 8;
    unsigned mask = rest ? (0xffU << (8 - rest)) & 0xffU : 0;
    return memcmp(address, n->bytes, whole) == 0 &&
           (address[whole < 16 ? whole : 15] & mask) ==
               (n->bytes[whole < 16 ? whole : 15] & mask);
}

static bool in_any(const unsigned char *address, const struct network *table, size_t rows)
{
    bool found = false;
    for (size_t i = 0; i < rows; i++) {
        found = found || inside(address, &table[i]);
    }
    return found;
}

static bool public_4(const unsigned char address[4])
{
    unsigned char wide[16] = {0};
    memcpy(wide, address, 4);
    return !in_any(wide, not_public_4, IA_COUNTOF(not_public_4));
}

bool ia_address_public(const struct sockaddr *address, socklen_t size)
{
    if (address->sa_family == AF_INET && size >= (socklen_t)sizeof(struct sockaddr_in)) {
        struct sockaddr_in in;
        memcpy(&in, address, sizeof(in));
        return public_4((const unsigned char *)&in.sin_addr);
    }
    if (address->sa_family == AF_INET6 && size >= (socklen_t)sizeof(struct sockaddr_in6)) {
        struct sockaddr_in6 in;
        memcpy(&in, address, sizeof(in));
        const unsigned char *a = in.sin6_addr.s6_addr;
        return inside(a, &nat64)
                   ? public_4(a + 12)
                   : inside(a, &public_6) && !in_any(a, not_public_6, IA_COUNTOF(not_public_6));
    }
    return false;
}

void ia_address_text(const struct sockaddr *address, socklen_t size,
                     char ret[IA_ADDRESS_TEXT_SIZE])
{
    char host[INET6_ADDRSTRLEN] = "?";
    (void)snprintf(ret, IA_ADDRESS_TEXT_SIZE, "?");
    if (address->sa_family == AF_INET && size >= (socklen_t)sizeof(struct sockaddr_in)) {
        struct sockaddr_in in;
        memcpy(&in, address, sizeof(in));
        (void)inet_ntop(AF_INET, &in.sin_addr, host, sizeof(host));
        (void)snprintf(ret, IA_ADDRESS_TEXT_SIZE, "%s:%u", host, ntohs(in.sin_port));
    } else if (address->sa_family == AF_INET6 &&
               size >= (socklen_t)sizeof(struct sockaddr_in6)) {
        struct sockaddr_in6 in;
        memcpy(&in, address, sizeof(in));
        (void)inet_ntop(AF_INET6, &in.sin6_addr, host, sizeof(host));
        (void)snprintf(ret, IA_ADDRESS_TEXT_SIZE, "[%s]:%u", host, ntohs(in.sin6_port));
    }
}
