/* fence.c: text from outside between two lines that name the run's boundary. */
#include "agent/prompts/fence.h"

#include <string.h>

void ia_fence_boundary(const struct ia_rand *rand, char ret[IA_BOUNDARY_SIZE])
{
    static const char letters[] = "abcdefghjkmnpqrstuvwxyz23456789a";
    uint64_t r = ia_rand_next(rand);
    for (int i = 0; i < IA_BOUNDARY_SIZE - 1; i++) {
        ret[i] = letters[(r >> (8 * i)) & 31];
    }
    ret[IA_BOUNDARY_SIZE - 1] = '\0';
}

/* text with every occurrence of the boundary replaced, so that nothing inside can end it. */
static void put_without(struct ia_buf *out, const char *boundary, struct ia_str text)
{
    size_t n = strlen(boundary);
    size_t i = 0;
    while (i < text.n) {
        size_t from = i;
        while (i < text.n && !(text.n - i >= n && memcmp(text.p + i, boundary, n) == 0)) {
            i++;
        }
        ia_buf_put(out, text.p + from, i - from);
        if (i < text.n) {
            ia_buf_puts(out, "[boundary]");
            i += n;
        }
    }
}

static void fence(struct ia_buf *out, const char *what, const char *boundary,
                  struct ia_str text)
{
    while (text.n > 0 && text.p[text.n - 1] == '\n') {
        text.n--;
    }
    ia_buf_printf(out, "<%s %s>\n", what, boundary);
    put_without(out, boundary, text);
    ia_buf_printf(out, "\n</%s %s>", what, boundary);
}

void ia_fence(struct ia_buf *out, const char *boundary, struct ia_str text)
{
    fence(out, "screen", boundary, text);
}

void ia_fence_data(struct ia_buf *out, const char *boundary, struct ia_str text)
{
    fence(out, "data", boundary, text);
}

void ia_fence_skill(struct ia_buf *out, const char *boundary, struct ia_str text)
{
    fence(out, "skill", boundary, text);
}
