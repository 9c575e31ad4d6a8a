/* digest.c: hashes every block of a request, and chains the hashes.
 *
 *     mark i: cache = chain(cache of mark i-1, role, hash of block i)
 *             bind  = the same, but thinking blocks are passed over
 *
 * `cache` answers whether a prefix was seen; `bind` is what a signature of thinking is bound to. The
 * order of members changes the prompt, so it counts in `cache`; many clients keep no order, and what
 * they send back is the same conversation, so it does not count in `bind`.
 *
 * Both see a block as the model would, so what the service ignores (cache_control, caller) is left
 * out, and every string is preceded by its length, so that "ab","c" and "a","bc" differ. */
#include "mock/api/digest.h"

#include "base/hash.h"
#include "mock/api/image.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES_PER_TOKEN = 4 };

struct walk {
    uint64_t hash;
    int64_t bytes;
    int64_t image_tokens;
    bool high_res;
    bool canonical; /* members by name, not in the order in which they came */
};

static void add_bytes(struct walk *w, const void *bytes, size_t n)
{
    w->hash = ia_hash(w->hash, &n, sizeof(n));
    w->hash = ia_hash(w->hash, bytes, n);
    w->bytes += (int64_t)n;
}

static void add_uncounted(struct walk *w, const char *s, size_t n)
{
    int64_t before = w->bytes;
    add_bytes(w, s, n);
    w->bytes = before;
}

static void tag(struct walk *w, char c)
{
    w->hash = ia_hash(w->hash, &c, 1);
}

static void add_text_value(struct walk *w, const char *s)
{
    add_bytes(w, s ? s : "", s ? strlen(s) : 0);
}

static void add_json(struct walk *w, const json_t *j);

static void add_image(struct walk *w, const json_t *block)
{
    const json_t *source = json_object_get(block, "source");
    static const char *const keys[] = {"type", "media_type", "data", "url", "file_id"};
    struct ia_mock_image img = {0};
    struct ia_str data = {json_string_value(json_object_get(source, "data")),
                          json_string_length(json_object_get(source, "data"))};
    if (data.p) {
        (void)ia_mock_image_read(data, &img);
    }
    w->image_tokens += ia_mock_image_tokens(img.width_px, img.height_px, w->high_res);
    for (size_t i = 0; i < IA_COUNTOF(keys); i++) {
        const json_t *value = json_object_get(source, keys[i]);
        /* An image costs by its pixels, however long its data are. */
        add_uncounted(w, keys[i], strlen(keys[i]));
        add_uncounted(w, json_string_value(value), json_string_length(value));
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void add_object(struct walk *w, const json_t *j)
{
    const char **keys = ia_calloc(json_object_size(j) + 1, sizeof(*keys));
    const char *key;
    json_t *value;
    size_t n = 0;
    json_object_foreach((json_t *)j, key, value)
    {
        keys[n++] = key;
    }
    if (w->canonical) {
        qsort(keys, n, sizeof(*keys), by_name);
    }
    tag(w, '{');
    for (size_t i = 0; i < n; i++) {
        if (strcmp(keys[i], "cache_control") != 0) {
            add_text_value(w, keys[i]);
            add_json(w, json_object_get(j, keys[i]));
        }
    }
    tag(w, '}');
    free(keys);
}

static void add_array(struct walk *w, const json_t *j)
{
    size_t i;
    json_t *value;
    tag(w, '[');
    json_array_foreach(j, i, value)
    {
        add_json(w, value);
    }
    tag(w, ']');
}

static void add_number(struct walk *w, const json_t *j)
{
    if (json_is_integer(j)) {
        json_int_t v = json_integer_value(j);
        add_bytes(w, &v, sizeof(v));
    } else {
        double v = json_real_value(j);
        add_bytes(w, &v, sizeof(v));
    }
}

/* A missing value counts as null: turns are hashed before they are checked, too. */
static void add_json(struct walk *w, const json_t *j)
{
    if (!j) {
        tag(w, '0');
        return;
    }
    switch (json_typeof(j)) {
    case JSON_OBJECT:
        add_object(w, j);
        break;
    case JSON_ARRAY:
        add_array(w, j);
        break;
    case JSON_STRING:
        tag(w, 's');
        add_bytes(w, json_string_value(j), json_string_length(j));
        break;
    case JSON_INTEGER:
    case JSON_REAL:
        tag(w, 'n');
        add_number(w, j);
        break;
    case JSON_TRUE:
        tag(w, 't');
        break;
    case JSON_FALSE:
        tag(w, 'f');
        break;
    case JSON_NULL:
        tag(w, '0');
        break;
    }
}

static void add_text_block(struct walk *w, const char *text)
{
    add_text_value(w, "text");
    /* The word is hashed, not charged. */
    w->bytes -= 4;
    add_text_value(w, text);
}

static void add_block(struct walk *w, const struct ia_mock_block *b);

static void add_content(struct walk *w, const json_t *content)
{
    if (json_is_string(content)) {
        add_text_block(w, json_string_value(content));
        return;
    }
    size_t i;
    json_t *part;
    json_array_foreach(content, i, part)
    {
        const char *type = ia_mock_str(part, "type");
        struct ia_mock_block b = {type ? type : "", part, ia_mock_str(part, "text")};
        /* A result inside a result is passed over, which bounds the recursion. */
        if (type && strcmp(type, "tool_result") != 0) {
            add_block(w, &b);
        }
    }
}

static void add_block(struct walk *w, const struct ia_mock_block *b)
{
    if (b->text) {
        add_text_block(w, b->text);
    } else if (ia_mock_block_is(b, "image")) {
        add_image(w, b->json);
    } else if (ia_mock_block_is(b, "tool_use")) {
        tag(w, 'u');
        add_text_value(w, ia_mock_str(b->json, "id"));
        add_text_value(w, ia_mock_str(b->json, "name"));
        add_json(w, json_object_get(b->json, "input"));
    } else if (ia_mock_block_is(b, "tool_result")) {
        tag(w, 'r');
        add_text_value(w, ia_mock_str(b->json, "tool_use_id"));
        tag(w, json_is_true(json_object_get(b->json, "is_error")) ? 'e' : 'o');
        add_content(w, json_object_get(b->json, "content"));
    } else if (ia_mock_block_is(b, "thinking")) {
        const char *signature = ia_mock_str(b->json, "signature");
        tag(w, 'h');
        add_text_value(w, ia_mock_str(b->json, "thinking"));
        add_uncounted(w, signature ? signature : "", signature ? strlen(signature) : 0);
    } else {
        add_json(w, b->json);
    }
}

static int64_t tokens_of(const struct walk *w)
{
    return (w->bytes + BYTES_PER_TOKEN - 1) / BYTES_PER_TOKEN + w->image_tokens;
}

uint64_t ia_mock_hash_block(const struct ia_mock_block *b, int64_t *ret_tokens)
{
    struct walk w = {.hash = IA_HASH_SEED, .canonical = true};
    add_block(&w, b);
    if (ret_tokens) {
        *ret_tokens = tokens_of(&w);
    }
    return w.hash;
}

static bool is_thinking(const struct ia_mock_block *b)
{
    return ia_mock_block_is(b, "thinking") || ia_mock_block_is(b, "redacted_thinking");
}

static uint64_t chain(uint64_t h, char role, uint64_t block)
{
    h = ia_hash(h, &role, 1);
    return ia_hash(h, &block, sizeof(block));
}

uint64_t ia_mock_bind_block(uint64_t bind, const struct ia_mock_block *b)
{
    return is_thinking(b) ? bind : chain(bind, 'a', ia_mock_hash_block(b, NULL));
}

static enum ia_mock_ttl ttl_of(const json_t *holder)
{
    const json_t *control = json_object_get(holder, "cache_control");
    if (!json_is_object(control)) {
        return IA_MOCK_TTL_NONE;
    }
    const char *ttl = ia_mock_str(control, "ttl");
    return ttl && strcmp(ttl, "1h") == 0 ? IA_MOCK_TTL_1H : IA_MOCK_TTL_5M;
}

/* The block's own, else that of a part inside it. */
static enum ia_mock_ttl block_ttl(const json_t *block)
{
    enum ia_mock_ttl ttl = ttl_of(block);
    size_t i;
    json_t *part;
    json_array_foreach(json_object_get(block, "content"), i, part)
    {
        ttl = ttl == IA_MOCK_TTL_NONE ? ttl_of(part) : ttl;
    }
    return ttl;
}

/* The hash of a block for `bind`; as_it_came is that for `cache`, which texts and images share. */
static uint64_t bound(const struct ia_mock_block *b, uint64_t as_it_came)
{
    bool plain = b->text || ia_mock_block_is(b, "image");
    return plain ? as_it_came : ia_mock_hash_block(b, NULL);
}

static void add_mark(struct ia_mock_digest *d, char role, const struct ia_mock_block *b,
                     bool high_res)
{
    struct walk w = {.hash = IA_HASH_SEED, .high_res = high_res};
    struct ia_mock_mark last = {.cache = IA_HASH_SEED, .bind = IA_HASH_SEED};
    if (d->count > 0) {
        last = d->marks[d->count - 1];
    }
    add_block(&w, b);
    d->marks[d->count++] = (struct ia_mock_mark){
        .cache = chain(last.cache, role, w.hash),
        .bind = is_thinking(b) ? last.bind : chain(last.bind, role, bound(b, w.hash)),
        .tokens = last.tokens + tokens_of(&w),
        .ttl = block_ttl(b->json),
    };
}

static void add_list(struct ia_mock_digest *d, char role, const json_t *list)
{
    if (json_is_string(list) && json_string_length(list) > 0) {
        struct ia_mock_block b = {"text", NULL, json_string_value(list)};
        add_mark(d, role, &b, false);
    }
    size_t i;
    json_t *item;
    json_array_foreach(list, i, item)
    {
        const char *type = ia_mock_str(item, "type");
        bool text = type && strcmp(type, "text") == 0;
        struct ia_mock_block b = {type ? type : "custom", item,
                                  text ? ia_mock_str(item, "text") : NULL};
        add_mark(d, role, &b, false);
    }
}

/* tool_choice and thinking are no part of the prompt's text, but a change of them loses the
 * cache of messages. */
static void mix_settings(struct ia_mock_digest *d, const struct ia_mock_request *req)
{
    struct walk w = {.hash = IA_HASH_SEED};
    const json_t *choice = json_object_get(req->root, "tool_choice");
    const json_t *thinking = json_object_get(req->root, "thinking");
    if (choice) {
        add_json(&w, choice);
    }
    tag(&w, '|');
    if (thinking) {
        add_json(&w, thinking);
    }
    for (size_t i = d->first_message; i < d->count; i++) {
        d->marks[i].cache = chain(d->marks[i].cache, 'p', w.hash);
    }
}

/* A top-level cache_control falls on the last block that can hold one. */
static void place_auto(struct ia_mock_digest *d, const struct ia_mock_request *req)
{
    enum ia_mock_ttl ttl = ttl_of(req->root);
    const struct ia_mock_turn *last = &req->turns[req->turn_count - 1];
    const struct ia_mock_block *end = last->blocks + last->count;
    for (size_t i = d->count; ttl && i > d->first_message; i--) {
        const struct ia_mock_block *b = --end;
        struct ia_mock_mark *m = &d->marks[i - 1];
        if (!is_thinking(b)) {
            m->ttl = m->ttl == IA_MOCK_TTL_NONE ? ttl : m->ttl;
            return;
        }
    }
}

void ia_mock_digest_init(struct ia_mock_digest *d, const struct ia_mock_request *req)
{
    static const char roles[] = {'u', 'a', 'y'};
    size_t max = json_array_size(req->tools) + json_array_size(req->system) + 2;
    for (size_t t = 0; t < req->turn_count; t++) {
        max += req->turns[t].count;
    }
    *d = (struct ia_mock_digest){.marks = ia_calloc(max, sizeof(*d->marks))};
    add_list(d, 't', req->tools);
    add_list(d, 's', req->system);
    d->first_message = d->count;
    for (size_t t = 0; t < req->turn_count; t++) {
        const struct ia_mock_turn *turn = &req->turns[t];
        for (size_t i = 0; i < turn->count; i++) {
            add_mark(d, roles[turn->role], &turn->blocks[i], req->model->high_res);
        }
    }
    mix_settings(d, req);
    place_auto(d, req);
}

void ia_mock_digest_fini(struct ia_mock_digest *d)
{
    free(d->marks);
    *d = (struct ia_mock_digest){0};
}

int64_t ia_mock_digest_tokens(const struct ia_mock_digest *d)
{
    return d->count > 0 ? d->marks[d->count - 1].tokens : 0;
}

uint64_t ia_mock_digest_before(const struct ia_mock_digest *d, size_t index)
{
    size_t i = d->first_message + index;
    return i > 0 && i <= d->count ? d->marks[i - 1].bind : IA_HASH_SEED;
}
