/* home.h: the Home app and the accessories of a home. */
#ifndef IA_DRIVER_EMBEDDED_APPS_HOME_HOME_H
#define IA_DRIVER_EMBEDDED_APPS_HOME_HOME_H

#include "driver/embedded/ui/kit.h"

extern const struct ia_app ia_app_home;

enum ia_accessory_kind { IA_HOME_LIGHT, IA_HOME_OUTLET, IA_HOME_LOCK, IA_HOME_THERMOSTAT };
enum { IA_HOME_ACCESSORIES = 6 };

struct ia_home_accessory {
    const char *name, *room;
    uint8_t kind; /* enum ia_accessory_kind */
    bool on;      /* of a lock: locked */
    int value;    /* percent of a light, tenths of a degree Celsius of a thermostat */
};
struct ia_home {
    struct ia_home_accessory rows[IA_HOME_ACCESSORIES];
};

const char *ia_home_kind(enum ia_accessory_kind kind);
/* "On, 40 %", "Locked", "21.5 degrees" */
const char *ia_home_text(struct ia_scene *s, const struct ia_home_accessory *a);
/* The members of one; the caller opens and closes the object. */
void ia_home_accessory_json(const struct ia_home_accessory *a, struct ia_jsonw *w);
/* Whether the accessory takes the action; value: a number, or NAN. */
bool ia_home_takes(const struct ia_home_accessory *a, const char *action, double value);
/* Does one that it takes. */
void ia_home_do(struct ia_home_accessory *a, const char *action, double value);

struct ia_home *ia_home_of(struct ia_phone *p);
const struct ia_home *ia_home_of_const(const struct ia_phone *p);

#endif
