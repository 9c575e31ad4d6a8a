/* lazylib.h: shared libraries that are loaded only by the commands that use them.
 *
 * libcurl, libmicrohttpd, cairo and libxml2 each pull in dozens of other libraries; a command
 * pays for them only when it makes its first call. A module lists its functions once:
 *
 *     #define SYMS(X) X(curl_easy_init) X(curl_easy_cleanup)
 *     struct curl { SYMS(IA_LAZY_FIELD) };
 *     #define ROW(fn) IA_LAZY_ROW(struct curl, fn),
 *     static const struct ia_lazy_sym syms[] = {SYMS(ROW)};
 *
 * The types come from the library's own header, so a call through the table is checked by the
 * compiler as a direct call would be. */
#ifndef IA_BASE_LAZYLIB_H
#define IA_BASE_LAZYLIB_H

#include "base/err.h"

#include <stddef.h>

struct ia_lazy_sym {
    const char *name;
    size_t offset; /* of the function pointer in the table */
};

#define IA_LAZY_FIELD(fn) __typeof__(fn) *fn##_;
#define IA_LAZY_ROW(type, fn)                                                                  \
    {                                                                                          \
#fn, offsetof(type, fn##_)                                                             \
    }

/* Opens the first of the NULL-ended list of file names that can be opened, and fills table. The
 * library stays loaded until exit. IA_E_MISSING names the library or the function, and the
 * hint says what to install. Call it from pthread_once. */
enum ia_rc ia_lazy_load(const char *const names[], const struct ia_lazy_sym *syms, size_t count,
                        void *table, struct ia_err *err);

#endif
