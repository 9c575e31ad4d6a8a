/* button.h: a phone with one button, and a world in which it is asked for. */
#ifndef IA_TEST_BRIDGE_BUTTON_H
#define IA_TEST_BRIDGE_BUTTON_H

#include "fake.h"

enum { BUTTON = 9 };
enum { LONG_MS = 120000 };

static const struct ia_wire_selector ok_button = {.identifier = "ok"};

static inline struct fake *phone(void)
{
    struct fake *f = fake_new();
    fake_add(f, 1, BUTTON, "ok", "OK", (struct ia_wire_rect){100, 200, 80, 40});
    return f;
}

struct world {
    struct fake *f;
    struct host h;
};

static inline void begin(struct world *w, struct fake *f)
{
    w->f = f;
    fake_start(f);
    host_open(&w->h, f);
}

static inline void end(struct world *w)
{
    host_close(&w->h);
    fake_free(w->f);
}

/* Adds a second button with the same identifier. */
static inline void doubled(struct fake *f)
{
    fake_add(f, 1, BUTTON, "ok", "OK", (struct ia_wire_rect){100, 300, 80, 40});
}

#endif
