/* secret_env.c: values of a run's secrets are looked up in the environment of the process
 * that does the run, and are stored nowhere. */
#include "app/secret_env.h"

#include "agent/secrets/secrets.h"
#include "base/paths.h"

const char *ia_secret_from_env(void *ctx, const char *name)
{
    (void)ctx;
    return ia_env_get(NULL, name);
}

enum ia_rc ia_secrets_check(const struct ia_run_request *req, struct ia_err *err)
{
    const struct ia_secret_lookup lookup = {.value = ia_secret_from_env};
    struct ia_secrets *secrets = NULL;
    enum ia_rc rc = ia_secrets_new(NULL, &lookup, req, &secrets, err);
    ia_secrets_free(secrets);
    return rc == IA_OK ? ia_secrets_check_texts(&lookup, req, err) : rc;
}

enum ia_rc ia_secrets_check_texts_now(const struct ia_run_request *req, struct ia_err *err)
{
    const struct ia_secret_lookup lookup = {.value = ia_secret_from_env};
    return ia_secrets_check_texts(&lookup, req, err);
}
