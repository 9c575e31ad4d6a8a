/* arena.h: memory of one snapshot: allocated in order, freed at once.
 *
 * Allocations are zeroed, aligned for anything and live until ia_arena_fini.
 * Not thread-safe. */
#ifndef IA_DRIVER_SNAPSHOT_ARENA_H
#define IA_DRIVER_SNAPSHOT_ARENA_H

#include "base/base.h"

struct ia_arena_chunk;
struct ia_arena {
    struct ia_arena_chunk *chunks; /* newest first */
};

void ia_arena_fini(struct ia_arena *a);
/* count * size zeroed bytes; never NULL. */
void *ia_arena_get(struct ia_arena *a, size_t count, size_t size) IA_MUST_USE;
/* A NUL-terminated copy of n bytes. */
const char *ia_arena_str(struct ia_arena *a, const char *s, size_t n) IA_MUST_USE;

#endif
