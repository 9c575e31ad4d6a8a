/* app_sdk.c: tells what the SDK put into a tree from what the app's developers put there. */
#include "driver/app_sdk.h"

#include <string.h>

bool ia_sdk_generated(const char *identifier)
{
    return identifier && strncmp(identifier, IA_SDK_GENERATED, strlen(IA_SDK_GENERATED)) == 0;
}

bool ia_sdk_is_state(const struct ia_node *n)
{
    bool named = n->identifier && strcmp(n->identifier, IA_SDK_STATE) == 0;
    for (const struct ia_node *p = n->parent; named && p; p = p->parent) {
        named = p->type != IA_EL_WEB_VIEW;
    }
    return named && !n->first_child && n->parent;
}
