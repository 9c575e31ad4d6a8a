/* message.c: orders, proposals and workers as JSON; the codes of a run's key. */
#include "fleet/message.h"

#include "base/base64.h"
#include "base/jsonw.h"
#include "base/rand.h"
#include "json/json.h"

#include <jansson.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 24, HEAD_MAX = 2048, CODED_MAX = 1024 };
_Static_assert(IA_FLEET_KEY_SIZE == crypto_auth_KEYBYTES, "HMAC-SHA-512-256");
_Static_assert(IA_FLEET_KEY_SIZE == crypto_secretbox_KEYBYTES, "XSalsa20-Poly1305");
_Static_assert(IA_SHA256_HEX_SIZE == 2 * crypto_auth_BYTES + 1, "a code is as long as a hash");

void ia_fleet_key_new(struct ia_fleet_key *ret)
{
    randombytes_buf(ret->bytes, sizeof(ret->bytes));
}

void ia_fleet_code(const struct ia_fleet_key *key, const char *purpose, struct ia_str text,
                   char ret[IA_SHA256_HEX_SIZE])
{
    unsigned char code[crypto_auth_BYTES];
    struct ia_buf coded = IA_BUF(CODED_MAX + text.n);
    ia_buf_puts(&coded, purpose);
    ia_buf_putstr(&coded, text);
    (void)crypto_auth(code, (const unsigned char *)ia_buf_cstr(&coded), coded.len, key->bytes);
    (void)sodium_bin2hex(ret, IA_SHA256_HEX_SIZE, code, sizeof(code));
    ia_buf_fini(&coded);
}

static json_t *load(struct ia_str text)
{
    json_t *doc = ia_json_depth_ok(text, DEPTH_MAX)
                      ? json_loadb(text.p, text.n, JSON_REJECT_DUPLICATES, NULL)
                      : NULL;
    if (json_is_object(doc)) {
        return doc;
    }
    json_decref(doc);
    return NULL;
}

static bool of_protocol(const json_t *doc)
{
    return json_integer_value(json_object_get(doc, "v")) == IA_FLEET_PROTOCOL;
}

static bool int_field(const json_t *doc, const char *key, int min, int max, int *ret)
{
    const json_t *v = json_object_get(doc, key);
    json_int_t n = json_integer_value(v);
    *ret = (int)n;
    return json_is_integer(v) && n >= min && n <= max;
}

/* ---- the order --------------------------------------------------------------------------- */

void ia_fleet_order_write(const struct ia_fleet_order *order, struct ia_buf *out)
{
    struct ia_jsonw w;
    ia_jsonw_init(&w, out);
    ia_jsonw_object(&w);
    ia_jsonw_kv_int(&w, "v", IA_FLEET_PROTOCOL);
    ia_jsonw_kv(&w, "batch", order->batch);
    ia_jsonw_kv(&w, "run", order->run);
    ia_jsonw_kv(&w, "class", order->class_key);
    ia_jsonw_kv_int(&w, "attempts", order->attempts);
    ia_jsonw_kv_int(&w, "lease_ms", order->lease_ms);
    ia_jsonw_key(&w, "key");
    ia_jsonw_base64(&w, order->key.bytes, sizeof(order->key.bytes));
    ia_jsonw_key(&w, "job");
    ia_jsonw_raw(&w, order->job);
    if (order->recording.n > 0) {
        ia_jsonw_key(&w, "recording");
        ia_jsonw_str(&w, order->recording);
        ia_jsonw_kv_bool(&w, "quarantined", order->quarantined);
    }
    if (order->shared.n > 0) {
        ia_jsonw_key(&w, "shared");
        ia_jsonw_str(&w, order->shared);
    }
    ia_jsonw_end_object(&w);
}

static bool read_key(const json_t *doc, struct ia_fleet_key *ret)
{
    struct ia_buf bytes = IA_BUF(IA_FLEET_KEY_SIZE + 8);
    bool ok = ia_base64_decode(ia_json_field(doc, "key"), &bytes) && ia_buf_ok(&bytes) &&
              bytes.len == IA_FLEET_KEY_SIZE;
    if (ok) {
        memcpy(ret->bytes, bytes.p, IA_FLEET_KEY_SIZE);
    }
    ia_buf_fini(&bytes);
    return ok;
}

static bool read_run(const json_t *doc, char batch[IA_ID_SIZE], char run[IA_ID_SIZE])
{
    return ia_json_copy(doc, "batch", batch, IA_ID_SIZE) &&
           ia_json_copy(doc, "run", run, IA_ID_SIZE) && ia_id_valid(batch) && ia_id_valid(run);
}

/* Appends a text with its NUL; its place is known once all texts are there. */
static size_t put_text(struct ia_buf *texts, const char *text)
{
    size_t at = texts->len;
    ia_buf_puts(texts, text ? text : "");
    ia_buf_putc(texts, '\0');
    return at;
}

/* The texts of an order, in one buffer. NULL: it has no job. */
static char *read_texts(const json_t *doc, struct ia_fleet_order *ret)
{
    struct ia_buf texts = IA_BUF(SIZE_MAX);
    char *job = json_dumps(json_object_get(doc, "job"), JSON_COMPACT);
    if (!job) {
        return NULL;
    }
    size_t at_job = put_text(&texts, job);
    size_t at_recording = put_text(&texts, ia_json_text(doc, "recording"));
    size_t at_shared = put_text(&texts, ia_json_text(doc, "shared"));
    free(job);
    char *all = ia_buf_steal(&texts);
    ret->job = ia_str(all + at_job);
    ret->recording = ia_str(all + at_recording);
    ret->shared = ia_str(all + at_shared);
    ret->quarantined = json_is_true(json_object_get(doc, "quarantined"));
    return all;
}

enum ia_rc ia_fleet_order_read(struct ia_str text, struct ia_fleet_order *ret, char **ret_job,
                               struct ia_err *err)
{
    json_t *doc = load(text);
    int lease_ms = 0;
    *ret = (struct ia_fleet_order){.attempts = 0};
    bool ok = of_protocol(doc) && read_run(doc, ret->batch, ret->run) &&
              ia_json_copy(doc, "class", ret->class_key, sizeof(ret->class_key)) &&
              ia_fleet_class_ok(ret->class_key) &&
              int_field(doc, "attempts", 1, IA_FLEET_ATTEMPTS_MAX, &ret->attempts) &&
              int_field(doc, "lease_ms", 1, 3600000, &lease_ms) && read_key(doc, &ret->key);
    ret->lease_ms = lease_ms;
    char *job = ok ? read_texts(doc, ret) : NULL;
    json_decref(doc);
    if (!job) {
        return ia_err_set(err, IA_E_PARSE,
                          "a message of the fleet's queue is not an order of "
                          "this version");
    }
    *ret_job = job;
    return IA_OK;
}

/* ---- the proposal ------------------------------------------------------------------------ */

static void proposal_code(const struct ia_fleet_proposal *p, const struct ia_fleet_key *key,
                          char ret[IA_SHA256_HEX_SIZE])
{
    struct ia_buf text = IA_BUF(CODED_MAX);
    ia_buf_printf(&text, "%s\n%s\n%d\n%s\n%s\n%s", p->batch, p->run, p->attempt, p->worker,
                  p->sha256, p->url);
    ia_fleet_code(key, "verdict\n", ia_buf_str(&text), ret);
    ia_buf_fini(&text);
}

void ia_fleet_proposal_write(const struct ia_fleet_proposal *p, const struct ia_fleet_key *key,
                             struct ia_buf *out)
{
    struct ia_jsonw w;
    char code[IA_SHA256_HEX_SIZE];
    proposal_code(p, key, code);
    ia_jsonw_init(&w, out);
    ia_jsonw_object(&w);
    ia_jsonw_kv_int(&w, "v", IA_FLEET_PROTOCOL);
    ia_jsonw_kv(&w, "batch", p->batch);
    ia_jsonw_kv(&w, "run", p->run);
    ia_jsonw_kv(&w, "worker", p->worker);
    ia_jsonw_kv_int(&w, "attempt", p->attempt);
    ia_jsonw_kv(&w, "url", p->url);
    ia_jsonw_kv(&w, "sha256", p->sha256);
    ia_jsonw_kv(&w, "code", code);
    ia_jsonw_end_object(&w);
    ia_buf_putc(out, '\n');
    ia_buf_putstr(out, p->bundle);
}

bool ia_fleet_url_ok(const char *url)
{
    size_t scheme = strncmp(url, "https://", 8) == 0  ? 8
                    : strncmp(url, "http://", 7) == 0 ? 7
                                                      : 0;
    const char *host = url + scheme;
    return url[0] == '\0' ||
           (scheme > 0 && host[0] &&
            strspn(host,
                   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-:[]") ==
                strlen(host));
}

enum ia_rc ia_fleet_proposal_read(struct ia_str text, struct ia_fleet_proposal *ret,
                                  char ret_code[IA_SHA256_HEX_SIZE], struct ia_err *err)
{
    const char *end = text.n > 0 ? memchr(text.p, '\n', text.n) : NULL;
    size_t head = end ? (size_t)(end - text.p) : 0;
    json_t *doc = head > 0 && head <= HEAD_MAX ? load((struct ia_str){text.p, head}) : NULL;
    *ret = (struct ia_fleet_proposal){.attempt = 0};
    bool ok = of_protocol(doc) && read_run(doc, ret->batch, ret->run) &&
              ia_json_copy(doc, "worker", ret->worker, sizeof(ret->worker)) &&
              ia_fleet_name_ok(ret->worker) &&
              ia_json_copy(doc, "url", ret->url, sizeof(ret->url)) &&
              ia_fleet_url_ok(ret->url) &&
              ia_json_copy(doc, "sha256", ret->sha256, sizeof(ret->sha256)) &&
              ia_json_copy(doc, "code", ret_code, IA_SHA256_HEX_SIZE) &&
              ia_sha256_hex_ok(ia_str(ret->sha256)) && ia_sha256_hex_ok(ia_str(ret_code)) &&
              int_field(doc, "attempt", 1, INT32_MAX, &ret->attempt);
    json_decref(doc);
    if (!ok) {
        return ia_err_set(err, IA_E_PARSE, "a proposal is not one of this version");
    }
    ret->bundle = (struct ia_str){end + 1, text.n - head - 1};
    return IA_OK;
}

bool ia_fleet_proposal_true(const struct ia_fleet_proposal *p, const char *code,
                            const struct ia_fleet_key *key)
{
    char mine[IA_SHA256_HEX_SIZE];
    char hash[IA_SHA256_HEX_SIZE];
    proposal_code(p, key, mine);
    if (sodium_memcmp(mine, code, sizeof(mine)) != 0) {
        return false;
    }
    ia_sha256_hex(p->bundle.p, p->bundle.n, hash);
    return p->bundle.n == 0 || strcmp(hash, p->sha256) == 0;
}

/* ---- a worker ---------------------------------------------------------------------------- */

static void write_lane(struct ia_jsonw *j, const struct ia_fleet_lane *lane)
{
    ia_jsonw_object(j);
    ia_jsonw_kv(j, "device", lane->device);
    if (lane->run[0]) {
        ia_jsonw_kv(j, "batch", lane->batch);
        ia_jsonw_kv(j, "run", lane->run);
    }
    ia_jsonw_kv_int(j, "since_ms", lane->since_ms);
    ia_jsonw_end_object(j);
}

void ia_fleet_worker_write(const struct ia_fleet_worker *w, const struct ia_fleet_lane *lanes,
                           size_t n, struct ia_buf *out)
{
    struct ia_jsonw j;
    ia_jsonw_init(&j, out);
    ia_jsonw_object(&j);
    ia_jsonw_kv_int(&j, "v", IA_FLEET_PROTOCOL);
    ia_jsonw_kv(&j, "class", w->class_key);
    ia_jsonw_kv(&j, "version", w->version);
    ia_jsonw_kv(&j, "state", w->state);
    ia_jsonw_kv_int(&j, "lanes", w->lanes);
    ia_jsonw_kv_int(&j, "busy", w->busy);
    ia_jsonw_kv_int(&j, "since_ms", w->since_ms);
    ia_jsonw_kv_int(&j, "done", w->done);
    ia_jsonw_kv_int(&j, "now_ms", w->now_ms);
    ia_jsonw_key(&j, "at");
    ia_jsonw_array(&j);
    for (size_t i = 0; i < n && i < IA_FLEET_LANES_SHOWN; i++) {
        write_lane(&j, &lanes[i]);
    }
    ia_jsonw_end_array(&j);
    ia_jsonw_end_object(&j);
}

/* A time in ms: from 1970 on, and such that it can be written as a date. */
static int64_t time_field(const json_t *doc, const char *key)
{
    json_int_t ms = json_integer_value(json_object_get(doc, key));
    return ms > 0 && ms < INT64_C(253402300800000) ? (int64_t)ms : 0;
}

static json_t *load_worker(const char *text)
{
    return strlen(text) <= IA_FLEET_WORKER_MAX ? load(ia_str(text)) : NULL;
}

bool ia_fleet_worker_read(const char *key, const char *text, struct ia_fleet_worker *ret)
{
    json_t *doc = load_worker(text);
    *ret = (struct ia_fleet_worker){.lanes = 0};
    bool ok = of_protocol(doc) && ia_fleet_name_ok(key) &&
              ia_json_copy(doc, "class", ret->class_key, sizeof(ret->class_key)) &&
              ia_fleet_class_ok(ret->class_key) &&
              ia_json_copy(doc, "version", ret->version, sizeof(ret->version)) &&
              ia_json_copy(doc, "state", ret->state, sizeof(ret->state)) &&
              (strcmp(ret->state, "up") == 0 || strcmp(ret->state, "draining") == 0) &&
              strspn(ret->version, "0123456789.+-abcdefghijklmnopqrstuvwxyz") ==
                  strlen(ret->version) &&
              int_field(doc, "lanes", 0, 10000, &ret->lanes) &&
              int_field(doc, "busy", 0, 10000, &ret->busy);
    if (ok) {
        (void)snprintf(ret->name, sizeof(ret->name), "%s", key);
        ret->since_ms = time_field(doc, "since_ms");
        ret->now_ms = time_field(doc, "now_ms");
        ret->done = (int64_t)json_integer_value(json_object_get(doc, "done"));
        ret->done = ret->done > 0 ? ret->done : 0;
    }
    json_decref(doc);
    return ok;
}

static bool read_lane(const json_t *doc, struct ia_fleet_lane *ret)
{
    *ret = (struct ia_fleet_lane){.since_ms = time_field(doc, "since_ms")};
    return ia_json_copy(doc, "device", ret->device, sizeof(ret->device)) && ret->device[0] &&
           (!json_object_get(doc, "run") || read_run(doc, ret->batch, ret->run));
}

size_t ia_fleet_lanes_read(const char *text, struct ia_fleet_lane ret[IA_FLEET_LANES_SHOWN])
{
    json_t *doc = load_worker(text);
    const json_t *all = json_object_get(doc, "at");
    size_t n = 0;
    for (size_t i = 0; i < json_array_size(all) && n < IA_FLEET_LANES_SHOWN; i++) {
        n += read_lane(json_array_get(all, i), &ret[n]) ? 1 : 0;
    }
    json_decref(doc);
    return n;
}

/* ---- schedules --------------------------------------------------------------------------- */

void ia_fleet_leader_write(const struct ia_fleet_leader *l, struct ia_buf *out)
{
    struct ia_jsonw w;
    ia_jsonw_init(&w, out);
    ia_jsonw_object(&w);
    ia_jsonw_kv_int(&w, "v", IA_FLEET_PROTOCOL);
    ia_jsonw_kv(&w, "id", l->id);
    ia_jsonw_kv(&w, "name", l->name);
    ia_jsonw_kv(&w, "version", l->version);
    ia_jsonw_kv_int(&w, "since_ms", l->since_ms);
    ia_jsonw_end_object(&w);
}

bool ia_fleet_leader_parse(struct ia_str text, struct ia_fleet_leader *ret)
{
    json_t *doc = text.n <= HEAD_MAX ? load(text) : NULL;
    bool ok =
        doc && of_protocol(doc) && ia_json_copy(doc, "id", ret->id, sizeof(ret->id)) &&
        ia_json_copy(doc, "name", ret->name, sizeof(ret->name)) &&
        ia_json_copy(doc, "version", ret->version, sizeof(ret->version)) &&
        strlen(ret->id) == sizeof(ret->id) - 1 &&
        strspn(ret->id, "0123456789abcdef") == strlen(ret->id) && ia_fleet_name_ok(ret->name) &&
        strspn(ret->version, "0123456789.+-abcdefghijklmnopqrstuvwxyz") == strlen(ret->version);
    if (ok) {
        ret->since_ms = (int64_t)json_integer_value(json_object_get(doc, "since_ms"));
    }
    json_decref(doc);
    return ok;
}

/* ---- what is fetched --------------------------------------------------------------------- */

void ia_fleet_blob_code(const struct ia_fleet_key *key, const char *run, const char *sha256,
                        char ret[IA_SHA256_HEX_SIZE])
{
    struct ia_buf text = IA_BUF(CODED_MAX);
    ia_buf_printf(&text, "%s\n%s", run, sha256);
    ia_fleet_code(key, "blob\n", ia_buf_str(&text), ret);
    ia_buf_fini(&text);
}

/* The key of codes is not the key of the cipher. */
static void cipher_key(const struct ia_fleet_key *key, unsigned char ret[IA_FLEET_KEY_SIZE])
{
    (void)crypto_generichash(ret, IA_FLEET_KEY_SIZE, (const unsigned char *)"blob cipher", 11,
                             key->bytes, sizeof(key->bytes));
}

void ia_fleet_seal(const struct ia_fleet_key *key, struct ia_str bytes, struct ia_buf *out)
{
    unsigned char nonce[crypto_secretbox_NONCEBYTES];
    unsigned char k[IA_FLEET_KEY_SIZE];
    randombytes_buf(nonce, sizeof(nonce));
    cipher_key(key, k);
    ia_buf_put(out, nonce, sizeof(nonce));
    unsigned char *to = ia_buf_reserve(out, bytes.n + crypto_secretbox_MACBYTES);
    if (to) {
        (void)crypto_secretbox_easy(to, (const unsigned char *)bytes.p, bytes.n, nonce, k);
        ia_buf_grew(out, bytes.n + crypto_secretbox_MACBYTES);
    }
    sodium_memzero(k, sizeof(k));
}

bool ia_fleet_unseal(const struct ia_fleet_key *key, struct ia_str sealed, struct ia_buf *out)
{
    enum { MORE = crypto_secretbox_NONCEBYTES + crypto_secretbox_MACBYTES };
    unsigned char k[IA_FLEET_KEY_SIZE];
    const unsigned char *nonce = (const unsigned char *)sealed.p;
    if (sealed.n < MORE) {
        return false;
    }
    cipher_key(key, k);
    unsigned char *to = ia_buf_reserve(out, sealed.n - MORE + 1);
    bool ok =
        to && crypto_secretbox_open_easy(to, nonce + crypto_secretbox_NONCEBYTES,
                                         sealed.n - crypto_secretbox_NONCEBYTES, nonce, k) == 0;
    if (ok) {
        ia_buf_grew(out, sealed.n - MORE);
    }
    sodium_memzero(k, sizeof(k));
    return ok;
}
