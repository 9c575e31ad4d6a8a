/* nats.c: loads libnats once per process, at the first connection to a fleet. */
#include "fleet/nats.h"

#include <pthread.h>

static const char *const names[] = {"libnats.so.3.4", "libnats.dylib", "libnats.so", NULL};

#define ROW(fn) IA_LAZY_ROW(struct ia_nats, fn),
static const struct ia_lazy_sym syms[] = {IA_NATS_SYMS(ROW)};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct ia_nats table;
static struct ia_err load_err;
static bool loaded;

static void load(void)
{
    if (ia_lazy_load(names, syms, IA_COUNTOF(syms), &table, &load_err)) {
        return;
    }
    loaded = table.nats_Open_(-1) == NATS_OK;
    if (!loaded) {
        (void)ia_err_set(&load_err, IA_E_INTERNAL, "cannot initialise libnats");
    }
}

const struct ia_nats *ia_nats(struct ia_err *err)
{
    pthread_once(&once, load);
    if (!loaded && err) {
        *err = load_err;
    }
    return loaded ? &table : NULL;
}
