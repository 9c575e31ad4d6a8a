/* credentials.c: keys leave the environment: copied into guarded
 * memory, wiped where they stood, and the variable removed, so that no child process (a
 * precheck, a notification's command) inherits them. Core dumps are turned off for the same
 * reason. */
#include "app/credentials.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* Moves one variable's value. The copy is byte for byte: what is wrong with a key is the
 * provider's to say, in words that do not show it. */
static enum ia_rc take(const char *name, struct ia_secret **ret, struct ia_err *err)
{
    char *value = getenv(name);
    if (!value) {
        return IA_OK;
    }
    size_t n = strlen(value);
    enum ia_rc rc = IA_OK;
    if (n > 0) {
        rc = ia_secret_new((struct ia_str){value, n}, ret, err);
    }
    sodium_memzero(value, n);
    (void)unsetenv(name);
    return rc == IA_OK ? rc : ia_err_wrap(err, rc, "%s", name);
}

enum ia_rc ia_credentials_take(struct ia_credentials *ret, struct ia_err *err)
{
    static const struct rlimit none = {0, 0};
    const struct {
        const char *name;
        struct ia_secret **to;
    } variables[] = {{"ANTHROPIC_API_KEY", &ret->api_key},
                     {"ANTHROPIC_AUTH_TOKEN", &ret->auth_token},
                     {"OTEL_EXPORTER_OTLP_HEADERS", &ret->otlp_headers}};
    enum ia_rc rc = IA_OK;
    struct ia_err later;
    (void)setrlimit(RLIMIT_CORE, &none);
    *ret = (struct ia_credentials){.api_key = NULL};
    /* Also after one has failed: the others must not stay in the environment either. */
    for (size_t i = 0; i < IA_COUNTOF(variables); i++) {
        enum ia_rc one = take(variables[i].name, variables[i].to, rc == IA_OK ? err : &later);
        rc = rc == IA_OK ? one : rc;
    }
    return rc;
}

void ia_credentials_fini(struct ia_credentials *c)
{
    ia_secret_free(c->api_key);
    ia_secret_free(c->auth_token);
    ia_secret_free(c->otlp_headers);
    *c = (struct ia_credentials){.api_key = NULL};
}

enum ia_rc ia_credentials_of(const char *api_key, const char *auth_token,
                             struct ia_credentials *ret, struct ia_err *err)
{
    *ret = (struct ia_credentials){.api_key = NULL};
    enum ia_rc rc = api_key ? ia_secret_new(ia_str(api_key), &ret->api_key, err) : IA_OK;
    return rc == IA_OK && auth_token ? ia_secret_new(ia_str(auth_token), &ret->auth_token, err)
                                     : rc;
}
