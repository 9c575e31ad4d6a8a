/* native.c: the table of native.h, and how its arguments are written. */
#include "wire/native.h"

#include <string.h>

const struct ia_native_action ia_native_actions[IA_NATIVE_COUNT] = {
#define ROW(name, service, action, effect, args, answer)                                       \
    [IA_NATIVE_##name] = {service "." action, service, action, args, answer, effect},
    IA_NATIVE_LIST(ROW)
#undef ROW
};

int ia_native_find(const char *service, const char *action)
{
    for (int i = 0; i < IA_NATIVE_COUNT; i++) {
        if (strcmp(ia_native_actions[i].service, service) == 0 &&
            strcmp(ia_native_actions[i].action, action) == 0) {
            return i;
        }
    }
    return -1;
}

bool ia_native_next_arg(const char **at, struct ia_native_arg *ret)
{
    const char *p = *at + strspn(*at, " ");
    size_t n = strcspn(p, ":");
    if (n == 0 || n >= sizeof(ret->name)) {
        return false;
    }
    memset(ret, 0, sizeof(*ret));
    memcpy(ret->name, p, n);
    p += n + 1;
    ret->kind = *p++;
    ret->required = *p == '!';
    *at = p + (ret->required ? 1 : 0);
    return true;
}
