/* lent_secrets.h: secrets that belong to one run each: their values came with the run, from another machine.
 *
 * They are in guarded memory of this process and nowhere else, and are wiped when the run ends. Any thread. */
#ifndef IA_APP_LENT_SECRETS_H
#define IA_APP_LENT_SECRETS_H

#include "base/buf.h"
#include "base/err.h"
#include "store/secret.h"

struct ia_lent_secrets;

struct ia_lent_secrets *ia_lent_secrets_new(void);
void ia_lent_secrets_free(struct ia_lent_secrets *t); /* NULL is fine */
/* Gives a run a value; takes it over. */
void ia_lent_secrets_give(struct ia_lent_secrets *t, const char *run_id, const char *name,
                          struct ia_secret *value);
/* Appends the value. False: the run was given none of that name. */
bool ia_lent_secrets_value(struct ia_lent_secrets *t, const char *run_id, const char *name,
                           struct ia_buf *ret);
/* Wipes the values of a run. */
void ia_lent_secrets_end(struct ia_lent_secrets *t, const char *run_id);

#endif
