/* kinds.h: the kinds of devices, each in a file of its own. Only device_registry.c and these files
 * include it. */
#ifndef IA_DRIVER_REGISTRY_KINDS_H
#define IA_DRIVER_REGISTRY_KINDS_H

#include "driver/registry/device_registry.h"

extern const struct ia_device_kind ia_device_kind_embedded;
extern const struct ia_device_kind ia_device_kind_runner;
extern const struct ia_device_kind ia_device_kind_bridge, ia_device_kind_wda,
    ia_device_kind_appium;

#endif
