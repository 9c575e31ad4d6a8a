/* lent_keys.h: keys that belong to one run each: a client of the daemon lends the key of its own
 * environment for the run that it starts.
 *
 * They are in guarded memory of this process and nowhere else. When it ends, such a run waits with
 * KEY_MISSING, as any run whose key is gone. Any thread. */
#ifndef IA_APP_LENT_KEYS_H
#define IA_APP_LENT_KEYS_H

#include "app/credentials.h"
#include "app/model_client.h"

struct ia_lent_keys;
struct ia_lent_key;
enum { IA_LENT_KEYS_MAX = 64 };

struct ia_lent_keys *ia_lent_keys_new(const struct ia_setup *setup);
void ia_lent_keys_free(struct ia_lent_keys *keys); /* NULL is fine */

/* What a client lends. */
struct ia_lent {
    struct ia_credentials keys;
    const char
        *base_url; /* of its environment: where its key is for; NULL: the configured server */
};
/* Opens a client with copies of it. It belongs to no run until ia_lent_key_give; one that is not
 * given is dropped. IA_E_LIMIT beyond IA_LENT_KEYS_MAX. */
enum ia_rc ia_lent_key_open(struct ia_lent_keys *keys, const struct ia_lent *lent,
                            struct ia_lent_key **ret, struct ia_claude **ret_claude,
                            struct ia_err *err);
void ia_lent_key_give(struct ia_lent_keys *keys, struct ia_lent_key *key, const char *run_id);
void ia_lent_key_drop(struct ia_lent_keys *keys, struct ia_lent_key *key); /* NULL is fine */

/* The client of that run, or NULL: none was lent for it. Borrowed until ia_lent_keys_end. */
struct ia_claude *ia_lent_keys_find(struct ia_lent_keys *keys, const char *run_id);
/* The run has ended, and nobody uses its client any more. */
void ia_lent_keys_end(struct ia_lent_keys *keys, const char *run_id);

#endif
