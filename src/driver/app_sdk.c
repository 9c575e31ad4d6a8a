/* app_sdk.c: distinguishes what the SDK put into a tree from what the app's developers put there. */
#include "driver/app_sdk.h"

#include "base/hash.h"

#include <string.h>

bool ia_sdk_generated(const char *identifier)
{
    return identifier && strncmp(identifier, IA_SDK_GENERATED, strlen(IA_SDK_GENERATED)) == 0;
}

uint64_t ia_sdk_place(const char *identifier)
{
    uint64_t h = IA_HASH_SEED;
    size_t n = identifier ? strlen(identifier) : 0;
    if (!ia_sdk_generated(identifier) || n >= IA_SDK_IDENTIFIER_MAX) {
        return 0;
    }
    for (const char *at = identifier, *end = at + n; at < end;) {
        /* Hashes what comes before and after a row's numbers. */
        size_t part = strcspn(at, "[");
        h = ia_hash(h, at, part);
        at += part;
        at += strcspn(at, "]");
    }
    return h ? h : 1;
}

bool ia_sdk_is_state(const struct ia_node *n)
{
    bool named = n->identifier && strcmp(n->identifier, IA_SDK_STATE) == 0;
    for (const struct ia_node *p = n->parent; named && p; p = p->parent) {
        named = p->type != IA_EL_WEB_VIEW;
    }
    return named && !n->first_child && n->parent;
}
