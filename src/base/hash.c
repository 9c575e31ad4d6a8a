/* hash.c: SHA-256 from libsodium; FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/). */
#include "base/hash.h"

#include <sodium.h>

void ia_sha256_hex(const void *bytes, size_t n, char ret_hex[IA_SHA256_HEX_SIZE])
{
    unsigned char digest[crypto_hash_sha256_BYTES];
    crypto_hash_sha256(digest, bytes, n);
    sodium_bin2hex(ret_hex, IA_SHA256_HEX_SIZE, digest, sizeof(digest));
}

bool ia_sha256_hex_ok(struct ia_str text)
{
    bool ok = text.n == IA_SHA256_HEX_SIZE - 1;
    for (size_t i = 0; ok && i < text.n; i++) {
        char c = text.p[i];
        ok = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    }
    return ok;
}

uint64_t ia_hash(uint64_t h, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < n; i++) {
        h = (h ^ p[i]) * UINT64_C(0x100000001b3);
    }
    return h;
}
