#include "base/lazylib.h"

#include <dlfcn.h>
#include <string.h>

static void *open_first(const char *const names[])
{
    for (size_t i = 0; names[i]; i++) {
        void *handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (handle) {
            return handle;
        }
    }
    return NULL;
}

enum ia_rc ia_lazy_load(const char *const names[], const struct ia_lazy_sym *syms, size_t count,
                        void *table, struct ia_err *err)
{
    void *handle = open_first(names);
    if (!handle) {
        enum ia_rc rc = ia_err_set(err, IA_E_MISSING, "cannot load the library %s", names[0]);
        ia_err_hint(err, "run script/bootstrap, or install the package that has %s", names[0]);
        return rc;
    }
    for (size_t i = 0; i < count; i++) {
        void *address = dlsym(handle, syms[i].name);
        if (!address) {
            enum ia_rc rc =
                ia_err_set(err, IA_E_MISSING, "%s has no function %s", names[0], syms[i].name);
            ia_err_hint(err, "install a newer version of the library");
            return rc;
        }
        memcpy((char *)table + syms[i].offset, &address, sizeof(address));
    }
    return IA_OK;
}
