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
    static const char kind[] = "embedded";
    size_t n = sizeof(kind) - 1;
    if (strncmp(name, kind, n) != 0 || !strchr(":?", name[n])) {
        return unknown(name, err);
    }
    const char *phone = name[n] == ':' ? name + n + 1 : "default";
    size_t len = name[n] == ':' ? strcspn(phone, "?") : strlen(phone);
    const char *query = strchr(name, '?');
    if (len == 0 || len >= sizeof(ret->name)) {
        return unknown(name, err);
    }
    enum ia_rc rc = ia_embedded_check(query ? query + 1 : NULL, err);
    if (rc != IA_OK) {
        return rc;
    }
    memcpy(ret->name, phone, len);
    ret->name[len] = '\0';
    ret->query = ia_strdup(query ? query + 1 : "");
    ret->folder = ia_path_join(paths->home, "embedded");
    return IA_OK;
}

void ia_phone_fini(struct ia_phone *p)
{
    free(p->folder);
    free(p->query);
    p->folder = p->query = NULL;
}

enum ia_rc ia_phone_open(const struct ia_phone *p, bool fresh, struct ia_device **ret,
                         struct ia_err *err)
{
    struct ia_embedded_options opt = {
        .folder = p->folder, .name = p->name, .query = p->query, .fresh = fresh};
    enum ia_rc rc = ia_mkdirs(p->folder, err);
    return rc == IA_OK ? ia_embedded_open(&opt, ret, err) : rc;
}
