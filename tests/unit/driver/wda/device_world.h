/* device_world.h: a device on a phone double, for the tests of its operations and of its trees. */
#ifndef IA_TESTS_UNIT_DRIVER_WDA_DEVICE_WORLD_H
#define IA_TESTS_UNIT_DRIVER_WDA_DEVICE_WORLD_H

#include "phone_double.h"

#define EL(type, rest) "<XCUIElementType" type " type='XCUIElementType" type "' " rest
#define AT(x, y, w, h) " x='" #x "' y='" #y "' width='" #w "' height='" #h "'"
#define SCREEN(inside)                                                                         \
    EL("Application", "name='Notes' bundleId='com.example.notes'" AT(0, 0, 390, 844) ">")      \
    inside "</XCUIElementTypeApplication>"
#define KEYBOARD EL("Keyboard", AT(0, 500, 390, 344) "/>")
#define BUTTON(label, place) EL("Button", "label='" label "'" place "/>")

struct world {
    struct phone_double p;
    struct ia_device *d;
    struct ia_err err;
};

static inline void begin(struct world *w, bool appium)
{
    *w = (struct world){.d = NULL};
    double_start(&w->p, appium);
    w->d = double_open(&w->p, (struct ia_wda_options){.url = NULL});
}

static inline void end(struct world *w)
{
    ia_device_close(w->d);
    double_stop(&w->p);
}

#endif
