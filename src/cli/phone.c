#include "cli/phone.h"

#include "base/fd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum ia_rc unknown(const char *name, struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_NO_DEVICE, "there is no device \"%s\"", name);
    ia_err_hint(err, "this version drives simulated phones only: --device embedded, or "
                     "--device embedded:NAME for another one");
    return rc;
}

enum ia_rc ia_phone_find(const char *name, const struct ia_paths *paths, struct ia_phone *ret,
                         struct ia_err *err)
{
    static const char prefix[] = "embedded:";
    const char *phone = "default";
    if (strncmp(name, prefix, sizeof(prefix) - 1) == 0) {
        phone = name + sizeof(prefix) - 1;
    } else if (strcmp(name, "embedded") != 0) {
        return unknown(name, err);
    }
    size_t n = strlen(phone);
    if (n == 0 || n >= sizeof(ret->name)) {
        return unknown(name, err);
    }
    memcpy(ret->name, phone, n + 1);
    ret->folder = ia_path_join(paths->home, "embedded");
    return IA_OK;
}

void ia_phone_fini(struct ia_phone *p)
{
    free(p->folder);
    p->folder = NULL;
}

enum ia_rc ia_phone_open(const struct ia_phone *p, bool fresh, struct ia_device **ret,
                         struct ia_err *err)
{
    struct ia_embedded_options opt = {.folder = p->folder, .name = p->name, .fresh = fresh};
    enum ia_rc rc = ia_mkdirs(p->folder, err);
    return rc == IA_OK ? ia_embedded_open(&opt, ret, err) : rc;
}
