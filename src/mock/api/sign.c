/* sign.c: thinking blocks: what a signature says, and what is wrong with one that comes back.
 *
 *     signature   [ of the model ][ of the text ][ of the text and all before it ]     16 hex each
 *     judgement    other model:     altered:       moved: the conversation before it
 *                  ignored          refused        was edited; refused on models that bind
 *
 * `sent` is the only memory: which turns had thinking (a client must not drop it within a tool
 * loop) and which were paused (a request may end with them). Both are tables of a fixed size. */
#include "mock/api/sign.h"

#include "base/hash.h"
#include "mock/api/check.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAC_HEX = 16, PAUSED_MAX = 256, THINKING_MAX = 8 };

/* The thinking blocks of a turn: the hash of each, and of all. */
struct thinking {
    uint64_t all; /* 0: it has none */
    uint64_t blocks[THINKING_MAX];
};

struct ia_mock_sent {
    pthread_mutex_t lock;
    struct {
        uint64_t id; /* hash of the first tool_use id; 0: free */
        struct thinking thinking;
    } turns[IA_MOCK_SENT_MAX];
    uint64_t paused[PAUSED_MAX];
    size_t paused_next;
};

static uint64_t mac(const char *text, uint64_t more)
{
    static const char secret[] = "ia-mock-thinking";
    uint64_t h = ia_hash(IA_HASH_SEED, secret, sizeof(secret));
    h = ia_hash(h, &more, sizeof(more));
    return ia_hash(h, text, strlen(text));
}

static uint64_t model_mac(const struct ia_mock_model *model)
{
    return mac(model->id, 1);
}

void ia_mock_sign(const struct ia_mock_model *model, const char *text, uint64_t bind,
                  char ret[IA_MOCK_SIGNATURE_SIZE])
{
    snprintf(ret, IA_MOCK_SIGNATURE_SIZE, "%016llx%016llx%016llx",
             (unsigned long long)model_mac(model), (unsigned long long)mac(text, 2),
             (unsigned long long)mac(text, bind));
}

struct ia_mock_sent *ia_mock_sent_new(void)
{
    struct ia_mock_sent *s = ia_calloc(1, sizeof(*s));
    pthread_mutex_init(&s->lock, NULL);
    return s;
}

void ia_mock_sent_free(struct ia_mock_sent *s)
{
    if (s) {
        pthread_mutex_destroy(&s->lock);
        free(s);
    }
}

static bool is_thinking(const struct ia_mock_block *b)
{
    return ia_mock_block_is(b, "thinking") || ia_mock_block_is(b, "redacted_thinking");
}

static struct thinking thinking_of(const struct ia_mock_turn *turn)
{
    struct thinking h = {.all = 0};
    for (size_t i = 0, n = 0; i < turn->count; i++) {
        if (is_thinking(&turn->blocks[i])) {
            uint64_t block = ia_mock_hash_block(&turn->blocks[i], NULL);
            h.all = ia_hash(h.all ? h.all : IA_HASH_SEED, &block, sizeof(block));
            h.blocks[n < THINKING_MAX ? n++ : n - 1] = block;
        }
    }
    return h;
}

/* Of the turn's blocks from `from` on. */
static uint64_t turn_hash(const struct ia_mock_turn *turn, size_t from)
{
    uint64_t h = IA_HASH_SEED;
    for (size_t i = from; i < turn->count; i++) {
        uint64_t block = ia_mock_hash_block(&turn->blocks[i], NULL);
        h = ia_hash(h, &block, sizeof(block));
    }
    return h;
}

/* Hash of the first tool_use id, or 0. */
static uint64_t turn_id(const struct ia_mock_turn *turn)
{
    for (size_t i = 0; i < turn->count; i++) {
        const char *id = ia_mock_block_is(&turn->blocks[i], "tool_use")
                             ? ia_mock_str(turn->blocks[i].json, "id")
                             : NULL;
        if (id) {
            uint64_t h = ia_hash(IA_HASH_SEED, id, strlen(id));
            return h ? h : 1;
        }
    }
    return 0;
}

void ia_mock_sent_turn(struct ia_mock_sent *s, const struct ia_mock_turn *turn, bool paused)
{
    uint64_t id = turn_id(turn);
    struct thinking thinking = thinking_of(turn);
    pthread_mutex_lock(&s->lock);
    if (id && thinking.all) {
        s->turns[id % IA_MOCK_SENT_MAX].id = id;
        s->turns[id % IA_MOCK_SENT_MAX].thinking = thinking;
    }
    if (paused) {
        s->paused[s->paused_next++ % PAUSED_MAX] = turn_hash(turn, 0);
    }
    pthread_mutex_unlock(&s->lock);
}

/* One turn after another may have paused: they arrive joined, and the last one counts. */
bool ia_mock_sent_was_paused(struct ia_mock_sent *s, const struct ia_mock_request *req)
{
    const struct ia_mock_turn *last = &req->turns[req->turn_count - 1];
    bool found = false;
    pthread_mutex_lock(&s->lock);
    for (size_t from = 0; last->role == IA_MOCK_ASSISTANT && from < last->count; from++) {
        uint64_t h = turn_hash(last, from);
        for (size_t i = 0; i < PAUSED_MAX && i < s->paused_next; i++) {
            found = found || s->paused[i] == h;
        }
    }
    pthread_mutex_unlock(&s->lock);
    return found;
}

/* What was remembered for a turn, or nothing. forget: and drop it. */
static struct thinking sent_thinking(struct ia_mock_sent *s, const struct ia_mock_turn *turn,
                                     bool forget)
{
    uint64_t id = turn_id(turn);
    struct thinking thinking = {.all = 0};
    pthread_mutex_lock(&s->lock);
    if (id && s->turns[id % IA_MOCK_SENT_MAX].id == id) {
        thinking = s->turns[id % IA_MOCK_SENT_MAX].thinking;
        s->turns[id % IA_MOCK_SENT_MAX].id = forget ? 0 : id;
    }
    pthread_mutex_unlock(&s->lock);
    return thinking;
}

enum signature_state { GOOD, OTHER_MODEL, INVALID, ALTERED, MOVED };

static bool mac_is(const char *signature, size_t index, uint64_t value)
{
    char hex[MAC_HEX + 1];
    snprintf(hex, sizeof(hex), "%016llx", (unsigned long long)value);
    return strncmp(signature + index * MAC_HEX, hex, MAC_HEX) == 0;
}

static enum signature_state check_signature(const struct ia_mock_model *model,
                                            const struct ia_mock_block *b, uint64_t bind)
{
    const char *text = ia_mock_str(b->json, "thinking");
    const char *signature = ia_mock_str(b->json, "signature");
    if (ia_mock_block_is(b, "redacted_thinking")) {
        signature = ia_mock_str(b->json, "data");
        text = signature && strlen(signature) >= IA_MOCK_SIGNATURE_SIZE - 1
                   ? signature + IA_MOCK_SIGNATURE_SIZE - 1
                   : "";
    } else if (signature && strlen(signature) != IA_MOCK_SIGNATURE_SIZE - 1) {
        return INVALID;
    }
    if (!signature || !text || strlen(signature) < IA_MOCK_SIGNATURE_SIZE - 1) {
        return INVALID;
    }
    if (!mac_is(signature, 0, model_mac(model))) {
        for (size_t i = 0; ia_mock_model_at(i); i++) {
            if (mac_is(signature, 0, model_mac(ia_mock_model_at(i)))) {
                return OTHER_MODEL;
            }
        }
        return INVALID;
    }
    if (!mac_is(signature, 1, mac(text, 2))) {
        return ALTERED;
    }
    return model->bound && !mac_is(signature, 2, mac(text, bind)) ? MOVED : GOOD;
}

bool ia_mock_signed(const char *signature, const char *text)
{
    return strlen(signature) == IA_MOCK_SIGNATURE_SIZE - 1 &&
           mac_is(signature, 1, mac(text, 2));
}

static bool drops_mismatch(const struct ia_mock_request *req)
{
    const json_t *binding =
        json_object_get(json_object_get(req->root, "thinking"), "block_binding");
    const char *what = ia_mock_str(binding, "prefix_mismatch_behavior");
    return what && strcmp(what, "drop_block") == 0 &&
           ia_mock_beta(req->headers, "thinking-binding-controls-");
}

static bool refuse_block(const struct ia_mock_request *req, enum signature_state j, bool latest,
                         const char *where, struct ia_mock_reject *r)
{
    if (j == ALTERED && latest) {
        return ia_mock_refuse(r, "thinking_altered",
                              "%s: `thinking` or `redacted_thinking` blocks in the latest "
                              "assistant message cannot be modified. These blocks must remain "
                              "as they were in the original response.",
                              where);
    }
    if (j == MOVED) {
        return drops_mismatch(req) ||
               ia_mock_refuse(r, "thinking_bound",
                              "%s: Invalid `signature` in `thinking` block. The block is bound "
                              "to a different conversation: the system prompt, the tools or an "
                              "earlier message changed after it was generated.",
                              where);
    }
    return ia_mock_refuse(r, "thinking_signature",
                          "%s: Invalid `signature` in `thinking` block", where);
}

static bool check_blocks(const struct ia_mock_request *req, const struct ia_mock_digest *d,
                         struct ia_mock_reject *r)
{
    size_t index = 0;
    for (size_t t = 0; t < req->turn_count; t++) {
        const struct ia_mock_turn *turn = &req->turns[t];
        for (size_t i = 0; i < turn->count; i++, index++) {
            if (!is_thinking(&turn->blocks[i])) {
                continue;
            }
            char where[IA_MOCK_WHERE_SIZE];
            ia_mock_where(where, t, i);
            enum signature_state j =
                check_signature(req->model, &turn->blocks[i], ia_mock_digest_before(d, index));
            bool latest = t + 2 >= req->turn_count;
            if (j != GOOD && j != OTHER_MODEL && !refuse_block(req, j, latest, where, r)) {
                return false;
            }
        }
    }
    return true;
}

static bool answers_tools(const struct ia_mock_turn *turn)
{
    return turn->role == IA_MOCK_USER && turn->count > 0 &&
           ia_mock_block_is(&turn->blocks[0], "tool_result");
}

/* The first block that is not as it was sent: another, or where a missing one should be. */
static size_t first_other(const struct ia_mock_turn *turn, const struct thinking *sent)
{
    size_t n = 0, i = 0, behind = 0;
    for (; i < turn->count; i++) {
        if (is_thinking(&turn->blocks[i])) {
            behind = i + 1;
            if (n == THINKING_MAX ||
                ia_mock_hash_block(&turn->blocks[i], NULL) != sent->blocks[n++]) {
                return i;
            }
        }
    }
    return behind;
}

static bool refuse_missing(const struct ia_mock_turn *turn, size_t t,
                           const struct thinking *sent, bool have, struct ia_mock_reject *r)
{
    if (have) {
        return ia_mock_refuse(
            r, "thinking_altered",
            "messages.%zu.content.%zu: `thinking` or `redacted_thinking` blocks "
            "in the latest assistant message cannot be modified. These blocks "
            "must remain as they were in the original response.",
            t, first_other(turn, sent));
    }
    return ia_mock_refuse(r, "thinking_missing",
                          "messages.%zu.content.0.type: Expected `thinking` or "
                          "`redacted_thinking`, but found `%s`. When `thinking` is enabled, a "
                          "final `assistant` message must start with a thinking block "
                          "(preceeding the lastmost set of `tool_use` and `tool_result` "
                          "blocks).",
                          t, turn->count ? turn->blocks[0].type : "nothing");
}

/* Walks back through the tool loop that the last message continues. */
static bool check_loop(struct ia_mock_sent *s, const struct ia_mock_request *req,
                       struct ia_mock_reject *r)
{
    for (size_t t = req->turn_count; t > 1 && answers_tools(&req->turns[t - 1]); t -= 2) {
        const struct ia_mock_turn *turn = &req->turns[t - 2];
        struct thinking sent = sent_thinking(s, turn, false);
        uint64_t have = thinking_of(turn).all;
        if (sent.all && sent.all != have) {
            return refuse_missing(turn, t - 2, &sent, have != 0, r);
        }
    }
    return true;
}

bool ia_mock_check_thinking(struct ia_mock_sent *s, const struct ia_mock_request *req,
                            const struct ia_mock_digest *d, struct ia_mock_reject *r)
{
    /* Forgotten after a refusal: the same conversation may come back without its thinking,
     * and check_loop() would demand the very blocks that were refused. */
    if (!check_blocks(req, d, r)) {
        for (size_t t = 0; t < req->turn_count; t++) {
            (void)sent_thinking(s, &req->turns[t], true);
        }
        return false;
    }
    return check_loop(s, req, r);
}
