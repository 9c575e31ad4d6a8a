/* glib_lib.c: glib, loaded once. */
#include "base/glib_lib.h"

#include <pthread.h>

static struct ia_glib lib;
static struct ia_err lib_err;
static enum ia_rc lib_rc;

static void load(void)
{
#define ROW(fn) IA_LAZY_ROW(struct ia_glib, fn),
    static const struct ia_lazy_sym syms[] = {IA_GLIB_SYMS(ROW)};
#undef ROW
    static const char *const names[] = {"libglib-2.0.so.0", "libglib-2.0.0.dylib", NULL};
    lib_rc = ia_lazy_load(names, syms, IA_COUNTOF(syms), &lib, &lib_err);
}

const struct ia_glib *ia_glib(struct ia_err *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    if (lib_rc != IA_OK && err) {
        *err = lib_err;
    }
    return lib_rc == IA_OK ? &lib : NULL;
}
