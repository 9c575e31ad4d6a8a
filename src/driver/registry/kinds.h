/* kinds.h: the kinds of devices, each in a file of its own. Only device_registry.c and these files
 * include it. */
#ifndef IA_DRIVER_REGISTRY_KINDS_H
#define IA_DRIVER_REGISTRY_KINDS_H

#include "driver/registry/device_registry.h"

#include <stdlib.h>

extern const struct ia_device_kind ia_device_kind_embedded;
extern const struct ia_device_kind ia_device_kind_runner, ia_device_kind_iphone_bridge;
extern const struct ia_device_kind ia_device_kind_bridge, ia_device_kind_wda,
    ia_device_kind_appium, ia_device_kind_iphone;

/* Where a session of WebDriverAgent is kept: <home>/wda/NAME.json, NAME that of the lane with every sign that no
 * file should have replaced, and a hash behind it where another lane's could be the same; makes the folder. *ret is the caller's, NULL on failure. */
enum ia_rc ia_device_wda_session_file(const struct ia_device_spec *spec, char **ret,
                                      struct ia_err *err);

/* A variable of the environment that the spec was lent, or of this process's. NULL: it is not set. */
#define IA_DEVICE_TOKEN_VARIABLE "IOS_AGENT_DEVICE_TOKEN"
static inline const char *ia_device_spec_token(const struct ia_device_spec *spec)
{
    return spec->token ? spec->token : getenv(IA_DEVICE_TOKEN_VARIABLE);
}
static inline const char *ia_device_spec_caps(const struct ia_device_spec *spec)
{
    return spec->caps ? spec->caps : getenv("IOS_AGENT_APPIUM_CAPS");
}

#endif
