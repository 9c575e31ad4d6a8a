/* arena.c: chunks of 4 KiB in a list, filled from the newest. A snapshot makes hundreds of small
 * allocations that all die together: one free() a chunk instead of one each. */
#include "driver/snapshot/arena.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK_SIZE = 4096 };

struct ia_arena_chunk {
    struct ia_arena_chunk *next;
    size_t used, size;
    max_align_t bytes[];
};

void ia_arena_fini(struct ia_arena *a)
{
    for (struct ia_arena_chunk *c = a->chunks; c;) {
        struct ia_arena_chunk *next = c->next;
        free(c);
        c = next;
    }
    a->chunks = NULL;
}

/* A large request gets a chunk of its own behind the open one, whose room stays in use. */
static struct ia_arena_chunk *chunk_for(struct ia_arena *a, size_t n)
{
    struct ia_arena_chunk *open = a->chunks;
    if (open && open->size - open->used >= n) {
        return open;
    }
    bool dedicated = n > CHUNK_SIZE / 4 && open;
    size_t size = n > CHUNK_SIZE / 4 ? n : CHUNK_SIZE;
    struct ia_arena_chunk *c = ia_alloc(sizeof(*c) + size);
    c->used = 0;
    c->size = size;
    if (dedicated) {
        c->next = open->next;
        open->next = c;
    } else {
        c->next = open;
        a->chunks = c;
    }
    return c;
}

static void *take(struct ia_arena *a, size_t n)
{
    n = (n + sizeof(void *) - 1) & ~(sizeof(void *) - 1);
    struct ia_arena_chunk *c = chunk_for(a, n);
    void *p = (char *)c->bytes + c->used;
    c->used += n;
    return p;
}

void *ia_arena_get(struct ia_arena *a, size_t count, size_t size)
{
    size_t n = count * size; /* counts are capped by IA_TREE_NODES_MAX */
    return memset(take(a, n), 0, n);
}

const char *ia_arena_str(struct ia_arena *a, const char *s, size_t n)
{
    char *p = take(a, n + 1);
    memcpy(p, s, n);
    p[n] = '\0';
    return p;
}
