/* rand.h: randomness behind a struct, and the ids made from it. */
#ifndef IA_BASE_RAND_H
#define IA_BASE_RAND_H

#include "base/base.h"
#include "base/clock.h"

struct ia_rand {
    uint64_t (*next)(void *ctx);
    void *ctx;
};

/* The system's secure generator (libsodium). Static; any thread. */
const struct ia_rand *ia_rand_system(void);
uint64_t ia_rand_next(const struct ia_rand *r);

/* A small deterministic generator (SplitMix64) for tests and the simulated device. The state is
 * the caller's; ia_rand_seeded returns a struct that points at it. Not for secrets. */
struct ia_rand ia_rand_seeded(uint64_t *state);

enum { IA_ID_SIZE = 37 };
/* A UUIDv7 (RFC 9562, section 5.7) as text: sorts by time of creation. */
void ia_id_new(const struct ia_clock *clock, const struct ia_rand *r, char ret_id[IA_ID_SIZE]);
/* True when text has the form 8-4-4-4-12 of hexadecimal digits. */
bool ia_id_valid(const char *text);

#endif
