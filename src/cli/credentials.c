#include "cli/credentials.h"

#include "base/base.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

struct ia_credentials {
    char *api_key; /* sodium_malloc, or NULL */
    char *auth_token;
};

/* Moves one variable's value. The copy is byte for byte: what is wrong with a key is the
 * provider's to say, in words that do not show it. */
static char *take(const char *name)
{
    char *value = getenv(name);
    if (!value) {
        return NULL;
    }
    size_t n = strlen(value);
    char *copy = NULL;
    if (n > 0 && sodium_init() >= 0) {
        copy = sodium_malloc(n + 1);
        if (!copy) {
            abort();
        }
        memcpy(copy, value, n + 1);
    }
    sodium_memzero(value, n);
    (void)unsetenv(name);
    return copy;
}

struct ia_credentials *ia_credentials_take(void)
{
    struct ia_credentials *c = ia_calloc(1, sizeof(*c));
    c->api_key = take("ANTHROPIC_API_KEY");
    c->auth_token = take("ANTHROPIC_AUTH_TOKEN");
    return c;
}

void ia_credentials_free(struct ia_credentials *c)
{
    if (c) {
        sodium_free(c->api_key);
        sodium_free(c->auth_token);
        free(c);
    }
}

const char *ia_credentials_api_key(const struct ia_credentials *c)
{
    return c->api_key;
}

const char *ia_credentials_auth_token(const struct ia_credentials *c)
{
    return c->auth_token;
}
