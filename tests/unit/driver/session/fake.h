/* fake.h: a device for tests: scripted screens, faults, and a record of what reached it. */
#ifndef IA_TESTS_UNIT_DRIVER_FAKE_H
#define IA_TESTS_UNIT_DRIVER_FAKE_H

#include "driver/session/session.h"

struct fake {
    struct ia_device device;
    struct ia_vclock *clock;
    /* The screen now, as text for draw_tree; written into `page` or static. */
    const char *(*screen)(struct fake *f);
    /* Reacts to what reached the device; may be NULL. */
    void (*tapped)(struct fake *f, struct ia_point at);
    void (*typed)(struct fake *f, struct ia_str text);
    void (*deleted)(struct fake *f, int count);
    void (*dragged)(struct fake *f, struct ia_point from, struct ia_point to);
    char page[8192];
    char field[256]; /* what the text field holds */
    int state;       /* of the script */
    double scroll;
    int trees, taps, types, deletes, drags, presses; /* how often each reached the device */
    struct ia_point last; /* of the last tap, or where the last drag began */
    struct ia_point end;  /* where the last drag ended */
    struct ia_rect pinched;
    double pinch_scale;                           /* of the last pinch; 0: none */
    int pace;                                     /* as it was told last */
    bool paced;                                   /* it takes a pace */
    int64_t tree_cost_us;                         /* of the virtual clock */
    enum ia_rc tree_fails, tap_fails, type_fails; /* IA_OK: it works */
    enum ia_outcome outcome;                      /* of a scripted failure */
    bool instant;
    struct ia_session *session;
};

/* Opens the fake with a session on its clock. */
void fake_open(struct fake *f, const char *(*screen)(struct fake *f));
void fake_close(struct fake *f);
int64_t fake_ms(const struct fake *f);                      /* virtual time since the start */
struct ia_deadline fake_call(const struct fake *f, int ms); /* deadline in ms; 0: none */

#endif
