/* An event stream, decoded and accumulated: however it is cut into pieces, the events and the
 * message are the same; what comes out is valid JSON that the history takes. */
#include "agent/claude/message.h"
#include "agent/claude/request.h"
#include "base/hash.h"
#include "base/rand.h"
#include "net/sse.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct outcome {
    uint64_t events;
    enum ia_rc rc;
    struct ia_buf message;
    struct ia_buf text;
};

struct run {
    struct outcome *out;
    struct ia_accum *accum;
};

static enum ia_rc on_event(void *ctx, struct ia_str name, struct ia_str data,
                           struct ia_err *err)
{
    struct run *r = ctx;
    r->out->events = ia_hash(r->out->events, name.p ? name.p : "-", name.p ? name.n : 1);
    r->out->events = ia_hash(r->out->events, data.p, data.n);
    return ia_accum_event(r->accum, name, data, err);
}

static void on_text(void *ctx, struct ia_str text)
{
    ia_buf_putstr(&((struct outcome *)ctx)->text, text);
}

static void check_message(const struct ia_claude_message *m, struct ia_buf *json)
{
    struct ia_history *h = ia_history_new(NULL);
    ia_claude_message_json(m, json);
    json_t *parsed = json_loadb(json->p, json->len, JSON_ALLOW_NUL, NULL);
    bool kept = ia_history_append_message(h, m, NULL, NULL) == IA_OK;
    size_t tools = 0;
    for (size_t at = 0; ia_claude_message_next_tool(m, &at);) {
        tools++;
    }
    if (!kept || tools > m->block_count) {
        /* A block may carry a cache_control of its own, which is refused. */
        if (!strstr(json->p, "cache_control")) {
            abort();
        }
    }
    json_decref(parsed);
    ia_history_free(h);
}

static void run(const uint8_t *data, size_t size, uint64_t seed, struct outcome *out)
{
    struct run r = {.out = out, .accum = ia_accum_new(on_text, out)};
    struct ia_sse s;
    struct ia_err err;
    struct ia_claude_message m;
    struct ia_rand rnd = ia_rand_seeded(&seed);
    bool whole = seed == 0;
    *out = (struct outcome){.events = IA_HASH_SEED,
                            .message = IA_BUF((size_t)64 << 20),
                            .text = IA_BUF((size_t)64 << 20)};
    ia_sse_init(&s, on_event, &r);
    for (size_t at = 0; !out->rc && at < size;) {
        size_t n = whole ? size : 1 + ia_rand_next(&rnd) % 9;
        n = n < size - at ? n : size - at;
        char *piece = malloc(n); /* of its own, so that reading too far is seen */
        memcpy(piece, data + at, n);
        out->rc = ia_sse_feed(&s, piece, n, &err);
        free(piece);
        at += n;
    }
    out->rc = out->rc ? out->rc : ia_accum_finish(r.accum, &m, &err);
    if (!out->rc) {
        check_message(&m, &out->message);
        ia_claude_message_fini(&m);
    }
    ia_sse_fini(&s);
    ia_accum_free(r.accum);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct outcome a, b;
    run(data, size, 0, &a);
    run(data, size, ia_hash(IA_HASH_SEED, data, size) | 1, &b);
    if (a.rc != b.rc || a.events != b.events || a.message.len != b.message.len ||
        memcmp(ia_buf_cstr(&a.message), ia_buf_cstr(&b.message), a.message.len) != 0 ||
        strcmp(ia_buf_cstr(&a.text), ia_buf_cstr(&b.text)) != 0) {
        abort();
    }
    ia_buf_fini(&a.message);
    ia_buf_fini(&a.text);
    ia_buf_fini(&b.message);
    ia_buf_fini(&b.text);
    return 0;
}
