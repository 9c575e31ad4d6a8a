/* rand.c: the secure generator (libsodium), the reproducible one (SplitMix64: Steele, Lea, Flood,
 * "Fast splittable pseudorandom number generators", 2014), and UUIDv7.
 *
 *     xxxxxxxx-xxxx-7xxx-yxxx-xxxxxxxxxxxx
 *     └── 48 bits ─┘ │   └ 10 (variant) and 62 random bits
 *      ms since 1970 └ version 7, then 12 random bits */
#include "base/rand.h"

#include <pthread.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t ia_rand_next(const struct ia_rand *r)
{
    return r->next(r->ctx);
}

static pthread_once_t sodium_once = PTHREAD_ONCE_INIT;

static void start_sodium(void)
{
    if (sodium_init() < 0) {
        (void)fputs("ios-agent: no secure randomness on this system\n", stderr);
        abort();
    }
}

/* libsodium's generator is thread-safe only behind sodium_init (its manual, "Usage"). */
static uint64_t system_next(void *ctx)
{
    (void)ctx;
    uint64_t value = 0;
    (void)pthread_once(&sodium_once, start_sodium);
    randombytes_buf(&value, sizeof(value));
    return value;
}

const struct ia_rand *ia_rand_system(void)
{
    static const struct ia_rand r = {system_next, NULL};
    return &r;
}

static uint64_t seeded_next(void *ctx)
{
    uint64_t *state = ctx;
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

struct ia_rand ia_rand_seeded(uint64_t *state)
{
    return (struct ia_rand){seeded_next, state};
}

void ia_id_new(const struct ia_clock *clock, const struct ia_rand *r, char ret_id[IA_ID_SIZE])
{
    uint64_t ms = (uint64_t)ia_wall_ms(clock) & UINT64_C(0xFFFFFFFFFFFF);
    uint64_t a = ia_rand_next(r);
    uint64_t b = ia_rand_next(r);
    (void)snprintf(ret_id, IA_ID_SIZE, "%08llx-%04llx-7%03llx-%04llx-%012llx",
                   (unsigned long long)(ms >> 16), (unsigned long long)(ms & 0xFFFF),
                   (unsigned long long)(a & 0xFFF),
                   (unsigned long long)(0x8000 | ((a >> 12) & 0x3FFF)),
                   (unsigned long long)(b & UINT64_C(0xFFFFFFFFFFFF)));
}

bool ia_id_valid(const char *text)
{
    if (!text || strlen(text) != IA_ID_SIZE - 1) {
        return false;
    }
    for (int i = 0; i < IA_ID_SIZE - 1; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? text[i] != '-' : !strchr("0123456789abcdef", text[i])) {
            return false;
        }
    }
    return true;
}
