/* model_client.c: which model a run gets, and the client for it.
 *
 * asked for the demo ────────────────────────────────► demo brain
 * key in the environment, or sealed in the store ────► Claude
 * no key, a server of the user's own is configured ──► refused
 * no key ────────────────────────────────────────────► demo brain, but never for a run that
 *                                                      began with Claude (open_again)
 *
 * The demo brain is a server in this process (mock), so everything behind it is the real
 * client. The key stays in guarded memory; the client borrows it for each request. */
#include "app/model_client.h"

#include <stdio.h>

static struct ia_str borrow(void *ctx)
{
    const struct ia_model_client *b = ctx;
    return ia_secret_bytes(b->lent);
}

static enum ia_rc open_sealed(struct ia_model_client *b, const struct ia_credentials *env,
                              struct ia_store *store, const struct ia_secret_status *sealed,
                              struct ia_err *err)
{
    struct ia_secret *passphrase = NULL;
    struct ia_str text = {NULL, 0};
    enum ia_rc rc = IA_OK;
    if (sealed->seal == IA_SEAL_PASSPHRASE && !env->passphrase) {
        return ia_err_set(
            err, IA_E_KEY_PASSPHRASE,
            "the key is sealed with a passphrase, and there is no terminal to ask for it");
    }
    if (sealed->seal == IA_SEAL_PASSPHRASE) {
        rc = env->passphrase(env->passphrase_ctx, &passphrase, err);
        if (rc == IA_OK) {
            text = ia_secret_bytes(passphrase);
        }
    }
    if (rc == IA_OK) {
        rc = ia_secret_open(store, IA_SECRET_API_KEY, text, &b->own, err);
    }
    /* Wiped as soon as the key is open. */
    ia_secret_free(passphrase);
    b->lent = b->own;
    return rc;
}

/* A server of the user's own and no key for it: the demo brain would be a surprise. */
static enum ia_rc check_no_server(const struct ia_config *config, struct ia_err *err)
{
    if (ia_config_origin(config, IA_CFG_API_BASE_URL) == IA_CFG_FROM_DEFAULT) {
        return IA_OK;
    }
    enum ia_rc rc = ia_err_set(err, IA_E_KEY_MISSING, "there is no key for %s",
                               ia_config_str(config, IA_CFG_API_BASE_URL));
    ia_err_hint(err, "set ANTHROPIC_API_KEY or use ios-agent key set (any text will do for a "
                     "server that needs no key), or pass --demo");
    return rc;
}

/* Any text will do as the key: the double is this process, and it checks that one is there. */
static enum ia_rc start_demo(struct ia_model_client *b, struct ia_err *err)
{
    struct ia_mock_options opt = {.brain = IA_MOCK_DEMO};
    enum ia_rc rc = ia_mock_start(&opt, &b->demo, err);
    if (rc == IA_OK) {
        rc = ia_secret_new(ia_str("demo-brain"), &b->own, err);
    }
    b->lent = b->own;
    return rc;
}

static enum ia_rc connect_claude(struct ia_model_client *b, const struct ia_config *config,
                                 struct ia_err *err)
{
    char url[64];
    struct ia_claude_options opt = {
        .base_url = ia_config_str(config, IA_CFG_API_BASE_URL),
        .auth =
            b->source == IA_KEY_ENV_AUTH_TOKEN ? IA_CLAUDE_AUTH_BEARER : IA_CLAUDE_AUTH_API_KEY,
        .secret = {.borrow = borrow, .ctx = b},
        .version = ia_config_str(config, IA_CFG_API_VERSION),
        .user_agent = "ios-agent/" IA_VERSION,
        .idle_timeout_ms = ia_config_int(config, IA_CFG_API_IDLE_TIMEOUT_S) * 1000,
    };
    const char *ca_bundle = ia_config_str(config, IA_CFG_API_CA_BUNDLE);
    const char *proxy = ia_config_str(config, IA_CFG_API_PROXY);
    int64_t retries = ia_config_int(config, IA_CFG_API_MAX_RETRIES);
    const char *models = ia_config_str(config, IA_CFG_API_MODELS_FILE);
    opt.allow_http = ia_config_bool(config, IA_CFG_API_ALLOW_HTTP);
    opt.models_path = models[0] != '\0' ? models : NULL;
    opt.ca_bundle = ca_bundle[0] != '\0' ? ca_bundle : NULL;
    opt.proxy = proxy[0] != '\0' ? proxy : NULL;
    /* 0 in the options means the client's own default, so a configured 0 becomes -1. */
    opt.max_retries = retries > 0 ? (int)retries : -1;
    /* Nothing of the way to the real server applies to a port of this machine. */
    if (b->demo) {
        (void)snprintf(url, sizeof(url), "http://127.0.0.1:%d", ia_mock_port(b->demo));
        opt.base_url = url;
        opt.ca_bundle = NULL;
        opt.proxy = NULL;
    }
    return ia_claude_new(&opt, &b->claude, err);
}

/* IA_KEY_NONE: the demo brain. */
static enum ia_rc choose(const struct ia_credentials *env, const struct ia_setup *setup,
                         enum ia_key_source *ret, struct ia_secret_status *ret_sealed,
                         struct ia_err *err)
{
    enum ia_rc rc = ia_key_find(env, setup->store, ret, ret_sealed, err);
    return rc == IA_OK && *ret == IA_KEY_NONE ? check_no_server(setup->config, err) : rc;
}

enum ia_rc ia_model_client_choose(const struct ia_credentials *env,
                                  const struct ia_setup *setup, bool *ret_demo,
                                  struct ia_err *err)
{
    struct ia_secret_status sealed;
    enum ia_key_source source = IA_KEY_NONE;
    enum ia_rc rc = choose(env, setup, &source, &sealed, err);
    *ret_demo = rc == IA_OK && source == IA_KEY_NONE;
    return rc;
}

enum ia_rc ia_model_client_made_of(const struct ia_credentials *env,
                                   const struct ia_setup *setup, bool demo, struct ia_buf *ret,
                                   struct ia_err *err)
{
    static const enum ia_config_key texts[] = {IA_CFG_API_BASE_URL, IA_CFG_API_VERSION,
                                               IA_CFG_API_PROXY, IA_CFG_API_CA_BUNDLE,
                                               IA_CFG_API_MODELS_FILE};
    static const enum ia_config_key numbers[] = {IA_CFG_API_MAX_RETRIES,
                                                 IA_CFG_API_IDLE_TIMEOUT_S};
    struct ia_secret_status sealed = {.stored = false};
    enum ia_key_source source = IA_KEY_NONE;
    enum ia_rc rc = demo ? IA_OK : ia_key_find(env, setup->store, &source, &sealed, err);
    for (size_t i = 0; i < IA_COUNTOF(texts); i++) {
        ia_buf_printf(ret, "%s\n", ia_config_str(setup->config, texts[i]));
    }
    for (size_t i = 0; i < IA_COUNTOF(numbers); i++) {
        ia_buf_printf(ret, "%lld\n", (long long)ia_config_int(setup->config, numbers[i]));
    }
    ia_buf_printf(ret, "%d %d %s", ia_config_bool(setup->config, IA_CFG_API_ALLOW_HTTP),
                  (int)source, source == IA_KEY_SEALED ? sealed.sealed_at : "");
    return rc;
}

static enum ia_rc find_key(struct ia_model_client *b, const struct ia_credentials *env,
                           const struct ia_setup *setup, struct ia_err *err)
{
    struct ia_secret_status sealed;
    enum ia_rc rc = choose(env, setup, &b->source, &sealed, err);
    if (rc != IA_OK) {
        return rc;
    }
    switch (b->source) {
    case IA_KEY_ENV_API_KEY:
        b->lent = env->api_key;
        break;
    case IA_KEY_ENV_AUTH_TOKEN:
        b->lent = env->auth_token;
        break;
    case IA_KEY_SEALED:
        return open_sealed(b, env, setup->store, &sealed, err);
    case IA_KEY_NONE:
        break;
    }
    return IA_OK;
}

enum ia_rc ia_model_client_open(struct ia_model_client *b, const struct ia_credentials *env,
                                const struct ia_setup *setup, bool demo, struct ia_err *err)
{
    *b = (struct ia_model_client){.source = IA_KEY_NONE};
    enum ia_rc rc = demo ? IA_OK : find_key(b, env, setup, err);
    if (rc == IA_OK && b->source == IA_KEY_NONE) {
        rc = start_demo(b, err);
    }
    return rc == IA_OK ? connect_claude(b, setup->config, err) : rc;
}

enum ia_rc ia_model_client_open_again(struct ia_model_client *b,
                                      const struct ia_credentials *env,
                                      const struct ia_setup *setup, bool demo,
                                      struct ia_err *err)
{
    enum ia_rc rc = ia_model_client_open(b, env, setup, demo, err);
    if (rc == IA_OK && !demo && b->source == IA_KEY_NONE) {
        rc = ia_err_set(err, IA_E_KEY_MISSING, "there is no key for Claude");
        ia_err_hint(
            err,
            "this run needs Claude: store a key with ios-agent key set, and start it again; "
            "a replay without --heal needs none");
    }
    return rc;
}

void ia_model_client_close(struct ia_model_client *b)
{
    ia_claude_free(b->claude);
    ia_mock_stop(b->demo);
    ia_secret_free(b->own);
    *b = (struct ia_model_client){.source = IA_KEY_NONE};
}
