/* ask.c: see ask.h. */
#include "fleet/ask.h"

#include "base/base64.h"
#include "base/jsonw.h"
#include "json/json.h"

#include <jansson.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 8, ASK_MAX = 2048 };
_Static_assert(IA_FLEET_PUBLIC_SIZE == crypto_box_PUBLICKEYBYTES, "X25519");
_Static_assert(IA_FLEET_PUBLIC_SIZE == crypto_box_SECRETKEYBYTES, "X25519");

void ia_fleet_ask_new(struct ia_fleet_ask *ask, unsigned char ret_secret[IA_FLEET_PUBLIC_SIZE])
{
    (void)crypto_box_keypair(ask->public_key, ret_secret);
}

/* What a code is about: the ask, and the hash of the sealed values in an answer. */
static void code_of(const struct ia_fleet_ask *ask, const struct ia_fleet_key *key,
                    const char *purpose, const char *hash, char ret[IA_SHA256_HEX_SIZE])
{
    struct ia_buf text = IA_BUF(ASK_MAX);
    char public_key[2 * IA_FLEET_PUBLIC_SIZE + 1];
    (void)sodium_bin2hex(public_key, sizeof(public_key), ask->public_key,
                         sizeof(ask->public_key));
    ia_buf_printf(&text, "%s\n%s\n%s\n%s\n%s", ask->batch, ask->run, ask->worker, public_key,
                  hash);
    ia_fleet_code(key, purpose, ia_buf_str(&text), ret);
    ia_buf_fini(&text);
}

static json_t *load(struct ia_str text, size_t max)
{
    json_t *doc = text.n <= max && ia_json_depth_ok(text, DEPTH_MAX)
                      ? json_loadb(text.p, text.n, JSON_REJECT_DUPLICATES, NULL)
                      : NULL;
    if (json_integer_value(json_object_get(doc, "v")) == IA_FLEET_PROTOCOL) {
        return doc;
    }
    json_decref(doc);
    return NULL;
}

/* ---- the ask ----------------------------------------------------------------------------- */

void ia_fleet_ask_write(const struct ia_fleet_ask *ask, const struct ia_fleet_key *key,
                        struct ia_buf *out)
{
    struct ia_jsonw w;
    char code[IA_SHA256_HEX_SIZE];
    code_of(ask, key, "ask\n", "", code);
    ia_jsonw_init(&w, out);
    ia_jsonw_object(&w);
    ia_jsonw_kv_int(&w, "v", IA_FLEET_PROTOCOL);
    ia_jsonw_kv(&w, "batch", ask->batch);
    ia_jsonw_kv(&w, "run", ask->run);
    ia_jsonw_kv(&w, "worker", ask->worker);
    ia_jsonw_key(&w, "public_key");
    ia_jsonw_base64(&w, ask->public_key, sizeof(ask->public_key));
    ia_jsonw_kv(&w, "code", code);
    ia_jsonw_end_object(&w);
}

static bool read_public_key(const json_t *doc, unsigned char ret[IA_FLEET_PUBLIC_SIZE])
{
    struct ia_buf bytes = IA_BUF(IA_FLEET_PUBLIC_SIZE + 8);
    bool ok = ia_base64_decode(ia_json_field(doc, "public_key"), &bytes) && ia_buf_ok(&bytes) &&
              bytes.len == IA_FLEET_PUBLIC_SIZE;
    if (ok) {
        memcpy(ret, bytes.p, IA_FLEET_PUBLIC_SIZE);
    }
    ia_buf_fini(&bytes);
    return ok;
}

enum ia_rc ia_fleet_ask_read(struct ia_str text, struct ia_fleet_ask *ret,
                             char ret_code[IA_SHA256_HEX_SIZE], struct ia_err *err)
{
    json_t *doc = load(text, ASK_MAX);
    *ret = (struct ia_fleet_ask){.batch = ""};
    bool ok = doc && ia_json_copy(doc, "batch", ret->batch, sizeof(ret->batch)) &&
              ia_json_copy(doc, "run", ret->run, sizeof(ret->run)) && ia_id_valid(ret->batch) &&
              ia_id_valid(ret->run) &&
              ia_json_copy(doc, "worker", ret->worker, sizeof(ret->worker)) &&
              ia_fleet_name_ok(ret->worker) && read_public_key(doc, ret->public_key) &&
              ia_json_copy(doc, "code", ret_code, IA_SHA256_HEX_SIZE) &&
              ia_sha256_hex_ok(ia_str(ret_code));
    json_decref(doc);
    return ok ? IA_OK
              : ia_err_set(err, IA_E_PARSE,
                           "a worker's request for secrets is not one of this "
                           "version");
}

bool ia_fleet_ask_true(const struct ia_fleet_ask *ask, const char *code,
                       const struct ia_fleet_key *key)
{
    char mine[IA_SHA256_HEX_SIZE];
    code_of(ask, key, "ask\n", "", mine);
    return sodium_memcmp(mine, code, sizeof(mine)) == 0;
}

/* ---- the answer -------------------------------------------------------------------------- */

void ia_fleet_answer_write(const struct ia_fleet_ask *ask, const struct ia_fleet_key *key,
                           struct ia_str values, struct ia_buf *out)
{
    struct ia_jsonw w;
    char hash[IA_SHA256_HEX_SIZE], code[IA_SHA256_HEX_SIZE];
    size_t n = values.n + crypto_box_SEALBYTES;
    unsigned char *sealed = ia_calloc(1, n);
    (void)crypto_box_seal(sealed, (const unsigned char *)values.p, values.n, ask->public_key);
    ia_sha256_hex(sealed, n, hash);
    code_of(ask, key, "answer\n", hash, code);
    ia_jsonw_init(&w, out);
    ia_jsonw_object(&w);
    ia_jsonw_kv_int(&w, "v", IA_FLEET_PROTOCOL);
    ia_jsonw_key(&w, "sealed");
    ia_jsonw_base64(&w, sealed, n);
    ia_jsonw_kv(&w, "code", code);
    ia_jsonw_end_object(&w);
    free(sealed);
}

static bool open_sealed(struct ia_str sealed, const struct ia_fleet_ask *ask,
                        const unsigned char secret[IA_FLEET_PUBLIC_SIZE], struct ia_buf *values)
{
    size_t n = sealed.n - crypto_box_SEALBYTES;
    unsigned char *opened = sodium_malloc(n + 1);
    bool ok = opened && crypto_box_seal_open(opened, (const unsigned char *)sealed.p, sealed.n,
                                             ask->public_key, secret) == 0;
    if (ok) {
        ia_buf_put(values, opened, n);
    }
    sodium_free(opened);
    return ok && ia_buf_ok(values);
}

bool ia_fleet_answer_read(struct ia_str text, const struct ia_fleet_ask *ask,
                          const unsigned char secret[IA_FLEET_PUBLIC_SIZE],
                          const struct ia_fleet_key *key, struct ia_buf *values)
{
    struct ia_buf sealed = IA_BUF(IA_FLEET_ANSWER_MAX);
    char hash[IA_SHA256_HEX_SIZE], mine[IA_SHA256_HEX_SIZE], code[IA_SHA256_HEX_SIZE];
    json_t *doc = load(text, IA_FLEET_ANSWER_MAX);
    bool ok = doc && ia_json_copy(doc, "code", code, sizeof(code)) &&
              ia_sha256_hex_ok(ia_str(code)) &&
              ia_base64_decode(ia_json_field(doc, "sealed"), &sealed) && ia_buf_ok(&sealed) &&
              sealed.len >= crypto_box_SEALBYTES;
    json_decref(doc);
    if (ok) {
        ia_sha256_hex(sealed.p, sealed.len, hash);
        code_of(ask, key, "answer\n", hash, mine);
        ok = sodium_memcmp(mine, code, sizeof(mine)) == 0 &&
             open_sealed(ia_buf_str(&sealed), ask, secret, values);
    }
    ia_buf_fini(&sealed);
    return ok;
}

bool ia_fleet_names(const char *list, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = list; n > 0 && (p = strstr(p, name)) != NULL; p += n) {
        bool begins = p == list || strchr(", ", p[-1]);
        if (begins && (p[n] == '\0' || strchr(", ", p[n]))) {
            return true;
        }
    }
    return false;
}

bool ia_fleet_values_next(struct ia_str *values, struct ia_str *ret_name,
                          struct ia_str *ret_value)
{
    const char *name_end = values->n > 0 ? memchr(values->p, '\0', values->n) : NULL;
    size_t name_n = name_end ? (size_t)(name_end - values->p) : 0;
    const char *value = name_end ? name_end + 1 : NULL;
    const char *value_end = value ? memchr(value, '\0', values->n - name_n - 1) : NULL;
    if (!value_end || name_n == 0) {
        return false;
    }
    *ret_name = (struct ia_str){values->p, name_n};
    *ret_value = (struct ia_str){value, (size_t)(value_end - value)};
    size_t taken = (size_t)(value_end + 1 - values->p);
    *values = (struct ia_str){values->p + taken, values->n - taken};
    return true;
}
