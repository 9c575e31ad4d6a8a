/* signature_impl.h: what taking a signature and finding by it share. */
#ifndef IA_DRIVER_SNAPSHOT_SIGNATURE_IMPL_H
#define IA_DRIVER_SNAPSHOT_SIGNATURE_IMPL_H

#include "driver/snapshot/signature.h"

/* One text of an element's signature, to be freed; NULL where it has none. */
char *ia_sign_text(const struct ia_snapshot *s, const struct ia_element *e, enum ia_sign which);
/* Whether a container is around the element. */
bool ia_sign_within(const struct ia_snapshot *s, const struct ia_element *e, int32_t container);
bool ia_sign_has_digits(const char *text);
/* Whether two elements cannot be told apart but by what is around them: role, label, container. */
bool ia_sign_same(const struct ia_snapshot *s, const struct ia_element *a,
                  const struct ia_signature *sig);

#endif
