/* golden.h: the recorded streams and what they must decode to. Shared by the tests here. */
#ifndef IA_TESTS_UNIT_CLAUDE_GOLDEN_H
#define IA_TESTS_UNIT_CLAUDE_GOLDEN_H

#include "base/base.h"

#include <jansson.h>

struct golden {
    char body_path[512];
    char events_path[512];
    char final_path[512]; /* may not exist */
};

/* Every recorded body under tests/data/claude. Returns how many;
 * *ret is freed by the caller. */
size_t golden_list(struct golden **ret);
/* Reads a whole file; fails the test when it cannot. Freed by the caller. */
char *golden_read(const char *path, size_t *ret_n);

extern const size_t golden_chunks[]; /* sizes in which bodies are fed; 0 is whole */
extern const size_t golden_chunk_count;

#endif
