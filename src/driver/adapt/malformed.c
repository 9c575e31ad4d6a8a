/* malformed.c: the failure that all adapters share. */
#include "driver/adapt/impl.h"

#include <stdarg.h>
#include <stdio.h>

enum ia_rc ia_adapt_malformed(const struct ia_adapting *a, struct ia_err *err, const char *fmt,
                              ...)
{
    char why[256];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(why, sizeof(why), fmt, ap);
    va_end(ap);
    enum ia_rc rc = ia_err_set(err, IA_E_TREE_MALFORMED, "this is not a valid %s: %s",
                               a->adapter->what, why);
    ia_err_hint(err, "pass the whole, unchanged output of %s, or name its real source",
                a->adapter->made_by);
    return rc;
}
