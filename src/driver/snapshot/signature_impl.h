/* signature_impl.h: shared by signature.c, which takes signatures, and signature_match.c, which searches. */
#ifndef IA_DRIVER_SNAPSHOT_SIGNATURE_IMPL_H
#define IA_DRIVER_SNAPSHOT_SIGNATURE_IMPL_H

#include "driver/snapshot/signature.h"

/* One text of an element's signature; free it. NULL if the element has none. */
char *ia_sign_text(const struct ia_snapshot *s, const struct ia_element *e, enum ia_sign which);
/* True if the element lies inside the container, an index of the snapshot. */
bool ia_sign_within(const struct ia_snapshot *s, const struct ia_element *e, int32_t container);
bool ia_sign_has_digits(const char *text);
/* True if the element has the signature's role, label and container, so that only its neighbours could tell
 * them apart. */
bool ia_sign_same(const struct ia_snapshot *s, const struct ia_element *a,
                  const struct ia_signature *sig);

#endif
