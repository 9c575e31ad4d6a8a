/* hash.h: SHA-256 for content addresses, and a fast non-cryptographic hash. */
#ifndef IA_BASE_HASH_H
#define IA_BASE_HASH_H

#include "base/base.h"

enum { IA_SHA256_HEX_SIZE = 65 };
/* Lower-case hexadecimal SHA-256 (libsodium). */
void ia_sha256_hex(const void *bytes, size_t n, char ret_hex[IA_SHA256_HEX_SIZE]);
/* Whether the text is such a hash: 64 lower-case hexadecimal digits and nothing else. */
bool ia_sha256_hex_ok(struct ia_str text);

#define IA_HASH_SEED UINT64_C(0xcbf29ce484222325)
/* FNV-1a, 64 bits; chain calls by passing the last result as h. Not for hostile keys. */
uint64_t ia_hash(uint64_t h, const void *bytes, size_t n);

#endif
