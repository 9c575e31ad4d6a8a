#include "agent/loop/compose.h"

#include <string.h>

void ia_boundary_new(const struct ia_rand *rand, char ret[IA_BOUNDARY_SIZE])
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

void ia_fence(struct ia_buf *out, const char *boundary, struct ia_str text)
{
    while (text.n > 0 && text.p[text.n - 1] == '\n') {
        text.n--;
    }
    ia_buf_printf(out, "<screen %s>\n", boundary);
    put_without(out, boundary, text);
    ia_buf_printf(out, "\n</screen %s>", boundary);
}

static void put_tag(struct ia_buf *out, const char *tag, const char *text)
{
    if (text && *text) {
        ia_buf_printf(out, "<%s>%s</%s>\n", tag, text, tag);
    }
}

void ia_compose_first(struct ia_buf *out, const struct ia_run_request *req, const char *memory,
                      const char *boundary, struct ia_str screen)
{
    ia_buf_printf(out, "<goal>\n%s\n</goal>\n", req->goal);
    put_tag(out, "app", req->app);
    put_tag(out, "hint", req->hint);
    for (size_t i = 0; i < req->expect_count; i++) {
        put_tag(out, "expect", req->expect[i]);
    }
    put_tag(out, "memory", memory);
    ia_buf_printf(out, "Screen boundary: %s\nstep 0\n", boundary);
    ia_fence(out, boundary, screen);
}

void ia_compose_head(struct ia_buf *out, int step, enum ia_rc rc, enum ia_outcome outcome)
{
    static const char *const said[] = {
        [IA_OUTCOME_NONE] = "",
        [IA_OUTCOME_NOT_SENT] = ", nothing was sent",
        [IA_OUTCOME_SENT] = ", the action was sent",
        [IA_OUTCOME_UNKNOWN] = ", the action may have been sent: observe before you repeat it",
    };
    if (rc == IA_OK) {
        ia_buf_printf(out, "step %d ok", step);
    } else {
        ia_buf_printf(out, "step %d error %s%s", step, ia_rc_name(rc), said[outcome]);
    }
}

void ia_compose_block(struct ia_jsonw *w, struct ia_str text)
{
    if (text.n > 0) {
        ia_jsonw_object(w);
        ia_jsonw_kv(w, "type", "text");
        ia_jsonw_key(w, "text");
        ia_jsonw_str(w, text);
        ia_jsonw_end_object(w);
    }
}
