/* lazylib.c: dlopen of the first name that works, and a table of function pointers by dlsym. */
#include "base/lazylib.h"

#include "base/paths.h"
#include "base/platform.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* By its name, as the loader finds it; else in the package manager's folders. */
static void *open_one(const char *name)
{
    void *handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    const char *const *folder = ia_platform_library_folders();
    for (; !handle && *folder; folder++) {
        char *path = ia_path_join(*folder, name);
        handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
        free(path);
    }
    return handle;
}

enum ia_rc ia_lazy_load(const char *const names[], const struct ia_lazy_sym *syms, size_t count,
                        void *table, struct ia_err *err)
{
    void *handle = NULL;
    for (size_t i = 0; !handle && names[i]; i++) {
        handle = open_one(names[i]);
    }
    if (!handle) {
        const char *reason = dlerror();
        enum ia_rc rc = ia_err_set(err, IA_E_MISSING, "cannot load the library %s: %s",
                                   names[0], reason ? reason : "not found");
        ia_err_hint(err, "run script/bootstrap, or install the package that provides %s",
                    names[0]);
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
