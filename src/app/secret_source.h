/* secret_source.h: secrets that a run may type, by name: from the environment of the process that does
 * the run, else from the store, where they lie sealed as the API key does (store/secret.h).
 *
 * A value is never listed, logged or answered; it leaves guarded memory only into what types it, which is
 * wiped. */
#ifndef IA_APP_SECRET_SOURCE_H
#define IA_APP_SECRET_SOURCE_H

#include "agent/goal/job.h"
#include "agent/secrets/secrets.h"
#include "app/credentials.h"
#include "base/jsonw.h"

struct ia_store;

/* ---- looking up -------------------------------------------------------------------------- */

struct ia_secret_source;
/* Both borrowed. credentials know how a passphrase is asked for; an opened value is kept until
 * the source is freed, so that it is asked for once. */
struct ia_secret_source *ia_secret_source_new(struct ia_store *store,
                                              const struct ia_credentials *credentials);
void ia_secret_source_free(struct ia_secret_source *from); /* NULL is fine */
/* For the run. Any thread. IA_E_KEY_PASSPHRASE where nobody can be asked for the passphrase, beyond that
 * as ia_secret_open. */
struct ia_secret_lookup ia_secret_source_lookup(struct ia_secret_source *from);

/* That every secret of the request has a value, and that none is written in its texts.
 * IA_E_USAGE names the one that has none, or that is written. */
enum ia_rc ia_secrets_check(struct ia_secret_source *from, const struct ia_run_request *req,
                            struct ia_err *err);
/* The same with values from a lookup. */
enum ia_rc ia_secrets_check_by(const struct ia_secret_lookup *lookup,
                               const struct ia_run_request *req, struct ia_err *err);
/* The second half of it: for a request whose values may be missing now. */
enum ia_rc ia_secrets_check_texts_now(struct ia_secret_source *from,
                                      const struct ia_run_request *req, struct ia_err *err);

/* ---- keeping ----------------------------------------------------------------------------- */

/* A-Z a-z 0-9 _, no digit first. IA_E_USAGE. */
enum ia_rc ia_secret_name_check(const char *name, struct ia_err *err);
/* Whether a run can type it: its name, and its bytes, which are UTF-8 without a NUL. IA_E_USAGE, without
 * the value. */
enum ia_rc ia_stored_secret_check(const char *name, struct ia_str value, struct ia_err *err);
/* Seals and stores it, in place of one that was there. opts as for ia_secret_seal. */
enum ia_rc ia_stored_secret_put(struct ia_store *store, const char *name, struct ia_str value,
                                const struct ia_seal_opts *opts, struct ia_err *err);
/* IA_E_NOT_FOUND. */
enum ia_rc ia_stored_secret_remove(struct ia_store *store, const char *name,
                                   struct ia_err *err);

/* What is known of a secret. The next run takes it from the environment where it is there. */
struct ia_secret_entry {
    char name[IA_SECRET_NAME_MAX + 1];
    bool stored, in_environment;
    enum ia_seal seal;
    char sealed_at[IA_ISO_SIZE]; /* empty: not stored */
};
typedef void ia_secret_entry_fn(void *ctx, const struct ia_secret_entry *entry);
/* All that are stored, and of the environment those that a schedule or an unfinished run names, by name;
 * only: that one, or none (NULL: all). */
enum ia_rc ia_secrets_each(struct ia_store *store, const char *only, ia_secret_entry_fn *fn,
                           void *ctx, struct ia_err *err);
/* Whether the text has the value of one of them in it, as far as that opens without a passphrase, or that
 * is not to be found out: for who would show what somebody typed. */
bool ia_secret_in_text(struct ia_store *store, const char *text);
/* {"name","sealed_at"|null,"seal":"key-file"|"passphrase"|null,"origin":"stored"|"environment"} */
void ia_secret_entry_json(const struct ia_secret_entry *entry, struct ia_jsonw *w);

#endif
