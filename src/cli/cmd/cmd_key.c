/* key set | status | remove: the API key, sealed in the store. */
#include "app/key_source.h"
#include "app/setup.h"
#include "cli/cmd/cmd.h"
#include "cli/key/passphrase.h"

static enum ia_rc seal(struct ia_cli *c, const struct ia_setup *setup, struct ia_err *err)
{
    struct ia_secret *key = NULL;
    struct ia_secret *passphrase = NULL;
    struct ia_seal_opts opts = {.passphrase = {NULL, 0}};
    enum ia_rc rc = ia_key_read(&key, err);
    if (rc == IA_OK) {
        rc = ia_key_check(ia_secret_bytes(key), setup->config, err);
    }
    if (rc == IA_OK && ia_args_has(&c->args, "passphrase")) {
        rc = ia_passphrase_ask(true, &passphrase, err);
        if (rc == IA_OK) {
            opts.passphrase = ia_secret_bytes(passphrase);
        }
    }
    if (rc == IA_OK) {
        rc = ia_secret_seal(setup->store, IA_SECRET_API_KEY, ia_secret_bytes(key), &opts, err);
    }
    ia_secret_free(passphrase);
    ia_secret_free(key);
    return rc;
}

/* What the next run would use, and what is stored. */
static enum ia_rc report(struct ia_cli *c, struct ia_store *store, struct ia_err *err)
{
    struct ia_key_report r;
    enum ia_rc rc = ia_key_report(&c->credentials, store, &c->w, &r, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_buf *t = &c->text;
    if (r.sealed.stored) {
        ia_buf_printf(t, "stored   yes, sealed with a %s at %s\n",
                      r.sealed.seal == IA_SEAL_PASSPHRASE ? "passphrase" : "key file",
                      r.sealed.sealed_at);
    } else {
        ia_buf_puts(t, "stored   no\n");
    }
    ia_buf_printf(t, "in use   %s\n",
                  r.source == IA_KEY_NONE
                      ? "none: runs use the demo brain, which does not reason"
                      : ia_key_source_name(r.source));
    return IA_OK;
}

enum ia_rc ia_cmd_key_set(struct ia_cli *c, struct ia_err *err)
{
    struct ia_setup setup;
    enum ia_rc rc = ia_setup_store(&setup, "ios-agent key set", err);
    if (rc == IA_OK) {
        rc = seal(c, &setup, err);
    }
    if (rc == IA_OK) {
        rc = report(c, setup.store, err);
    }
    ia_setup_close(&setup);
    return rc;
}

enum ia_rc ia_cmd_key_status(struct ia_cli *c, struct ia_err *err)
{
    struct ia_setup setup;
    enum ia_rc rc = ia_setup_store(&setup, "ios-agent key status", err);
    if (rc == IA_OK) {
        rc = report(c, setup.store, err);
    }
    ia_setup_close(&setup);
    return rc;
}

enum ia_rc ia_cmd_key_remove(struct ia_cli *c, struct ia_err *err)
{
    struct ia_setup setup;
    enum ia_rc rc = ia_setup_store(&setup, "ios-agent key remove", err);
    if (rc == IA_OK) {
        rc = ia_secret_remove(setup.store, IA_SECRET_API_KEY, err);
    }
    if (rc == IA_OK) {
        rc = report(c, setup.store, err);
    }
    ia_setup_close(&setup);
    return rc;
}
