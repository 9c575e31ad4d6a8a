/* guarded.h: secrets while they are filled (private to store/). secret.h has the rest. */
#ifndef IA_STORE_GUARDED_H
#define IA_STORE_GUARDED_H

#include "store/secret.h"

/* Makes libsodium usable; to be called before any other call into it. */
enum ia_rc ia_guarded_start(struct ia_err *err);
/* A secret of n bytes that can still be written; ia_guarded_lock makes it read-only. NULL and
 * IA_E_LIMIT without memory. Free with ia_secret_free. */
struct ia_secret *ia_guarded_new(size_t n, struct ia_err *err);
unsigned char *ia_guarded_bytes(struct ia_secret *secret);
void ia_guarded_lock(struct ia_secret *secret);

#endif
