/* Loads libmicrohttpd once, for the whole process. */
#include "net/mhd.h"

#include <pthread.h>

#define ROW(fn) IA_LAZY_ROW(struct ia_mhd, fn),

static const char *const names[] = {"libmicrohttpd.so.12", "libmicrohttpd.12.dylib",
                                    "libmicrohttpd.so", "libmicrohttpd.dylib", NULL};
static const struct ia_lazy_sym syms[] = {IA_MHD_SYMS(ROW)};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct ia_mhd table;
static struct ia_err load_err;
static enum ia_rc load_rc;

static void load(void)
{
    load_rc = ia_lazy_load(names, syms, IA_COUNTOF(syms), &table, &load_err);
}

const struct ia_mhd *ia_mhd(struct ia_err *err)
{
    pthread_once(&once, load);
    if (load_rc != IA_OK) {
        if (err) {
            *err = load_err;
        }
        return NULL;
    }
    return &table;
}
