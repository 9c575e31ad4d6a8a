/* impl.h: what the readers of this folder share. */
#ifndef IA_DRIVER_EMBEDDED_FAULT_IMPL_H
#define IA_DRIVER_EMBEDDED_FAULT_IMPL_H

#include "base/base.h"

#include <string.h>

/* Cuts the part up to the first `mark` off the front of *rest. */
static inline struct ia_str ia_knob_cut(struct ia_str *rest, char mark)
{
    const char *at = rest->n ? memchr(rest->p, mark, rest->n) : NULL;
    size_t n = at ? (size_t)(at - rest->p) : rest->n;
    struct ia_str part = {rest->p, n};
    rest->p += at ? n + 1 : n;
    rest->n -= at ? n + 1 : n;
    return part;
}

#endif
