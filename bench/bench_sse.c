/* bench_sse FILE: decodes and accumulates every message of a file of event streams, fed in
 * pieces as a socket delivers them, and prints one JSON line. bench/sse.mjs writes the file and
 * runs the peer on the same bytes. */
#include "agent/claude/message.h"
#include "base/clock.h"
#include "base/fd.h"
#include "net/sse.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 16 * 1024, ROUNDS = 5 };
#define FILE_MAX ((size_t)256 << 20)

struct counts {
    int64_t messages, events, blocks, inputs, text_bytes;
    struct ia_accum *accum;
};

static enum ia_rc count_event(void *ctx, struct ia_str name, struct ia_str data,
                              struct ia_err *err)
{
    struct counts *c = ctx;
    c->events++;
    return ia_accum_event(c->accum, name, data, err);
}

static void count_message(struct counts *c, struct ia_claude_message *m)
{
    c->messages++;
    c->blocks += (int64_t)m->block_count;
    for (size_t i = 0; i < m->block_count; i++) {
        c->inputs += m->blocks[i].input_ok;
        c->text_bytes += m->blocks[i].text ? (int64_t)strlen(m->blocks[i].text) : 0;
    }
    ia_claude_message_fini(m);
}

static enum ia_rc read_message(const char *p, size_t n, struct counts *c, struct ia_err *err)
{
    struct ia_sse s;
    struct ia_claude_message m;
    enum ia_rc rc = IA_OK;
    c->accum = ia_accum_new(NULL, NULL);
    ia_sse_init(&s, count_event, c);
    for (size_t at = 0; !rc && at < n; at += PIECE) {
        rc = ia_sse_feed(&s, p + at, n - at < PIECE ? n - at : PIECE, err);
    }
    rc = rc ? rc : ia_accum_finish(c->accum, &m, err);
    if (!rc) {
        count_message(c, &m);
    }
    ia_sse_fini(&s);
    ia_accum_free(c->accum);
    return rc;
}

/* Messages start at "event: message_start". */
static enum ia_rc read_all(struct ia_str body, struct counts *c, struct ia_err *err)
{
    static const char mark[] = "event: message_start";
    const char *end = body.p + body.n;
    const char *p = body.p;
    enum ia_rc rc = IA_OK;
    while (!rc && p < end) {
        const char *next = strstr(p + 1, mark);
        next = next ? next : end;
        rc = read_message(p, (size_t)(next - p), c, err);
        p = next;
    }
    return rc;
}

int main(int argc, char **argv)
{
    struct ia_buf body = IA_BUF(FILE_MAX);
    struct ia_err err = {0};
    struct counts c = {0};
    int64_t best_us = INT64_MAX;
    if (argc != 2 || ia_file_read(argv[1], &body, &err)) {
        fprintf(stderr, "usage: bench_sse FILE\n%s\n", err.msg);
        return 2;
    }
    for (int round = 0; round < ROUNDS; round++) {
        c = (struct counts){0};
        int64_t start_us = ia_mono_us(ia_clock_system());
        if (read_all(ia_buf_str(&body), &c, &err)) {
            fprintf(stderr, "%s\n", err.msg);
            return 1;
        }
        int64_t us = ia_mono_us(ia_clock_system()) - start_us;
        best_us = us < best_us ? us : best_us;
    }
    printf("{\"bytes\":%zu,\"us\":%" PRId64 ",\"messages\":%" PRId64 ",\"events\":%" PRId64
           ",\"blocks\":%" PRId64 ",\"inputs\":%" PRId64 ",\"text_bytes\":%" PRId64 "}\n",
           body.len, best_us, c.messages, c.events, c.blocks, c.inputs, c.text_bytes);
    ia_buf_fini(&body);
    return 0;
}
