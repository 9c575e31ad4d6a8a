/* place.c: "HOST:PORT", "[::1]:PORT" or "PORT" from the command line. */
#include "driver/bridge/impl.h"

#include <arpa/inet.h>
#include <string.h>

static enum ia_rc bad(const char *text, struct ia_err *err)
{
    enum ia_rc rc =
        ia_err_set(err, IA_E_USAGE, "\"%.80s\" is not the address of a bridge", text);
    ia_err_hint(err, "write HOST:PORT with an IP address or localhost, such as 127.0.0.1:8100 "
                     "or [::1]:8100");
    return rc;
}

/* 1 to 65535, digits only; 0 for anything else. */
static uint16_t port_of(const char *s)
{
    unsigned v = 0;
    size_t n = strlen(s);
    if (n == 0 || n > 5) {
        return 0;
    }
    for (; *s; s++) {
        if (*s < '0' || *s > '9') {
            return 0;
        }
        v = v * 10 + (unsigned)(*s - '0');
    }
    return v > 65535 ? 0 : (uint16_t)v;
}

static bool address_good(const char *s)
{
    unsigned char bytes[sizeof(struct in6_addr)];
    return strcmp(s, "localhost") == 0 || inet_pton(AF_INET, s, bytes) == 1 ||
           inet_pton(AF_INET6, s, bytes) == 1;
}

enum ia_rc ia_bridge_client_place_parse(const char *text, struct ia_bridge_client_place *ret,
                                        struct ia_err *err)
{
    char address[IA_BRIDGE_CLIENT_ADDRESS_MAX] = "127.0.0.1";
    const char *colon = strrchr(text, ':');
    size_t n = colon ? (size_t)(colon - text) : 0;
    const char *from = text;
    if (n >= 2 && text[0] == '[' && text[n - 1] == ']') {
        from = text + 1;
        n -= 2;
    } else if (colon && memchr(text, ':', n)) {
        return bad(text, err); /* an IPv6 address without its brackets */
    }
    if (n >= sizeof(address)) {
        return bad(text, err);
    }
    if (colon) {
        memcpy(address, from, n);
        address[n] = '\0';
    }
    uint16_t port = port_of(colon ? colon + 1 : text);
    if (port == 0 || !address_good(address)) {
        return bad(text, err);
    }
    memcpy(ret->address, address, sizeof(address));
    ret->port = port;
    return IA_OK;
}
