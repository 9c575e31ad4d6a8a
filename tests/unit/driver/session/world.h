/* world.h: a session on the fake device, with all that a test needs around one action. */
#ifndef IA_TESTS_UNIT_DRIVER_SESSION_WORLD_H
#define IA_TESTS_UNIT_DRIVER_SESSION_WORLD_H

#include "test.h"

#include "draw.h"
#include "fake.h"

#define SCREEN "Application 0,0,400,800\n"
#define BAR(title)                                                                             \
    SCREEN " NavigationBar 0,50,400,44\n  StaticText '" title "' 150,50,100,44 header\n"

/* Everything a test needs around one action. */
struct world {
    struct fake f;
    struct ia_deadline deadline;
    struct ia_act_result r;
    struct ia_err err;
    const struct ia_snapshot *s;
};

static inline void open_world(struct world *w, const char *(*screen)(struct fake *f))
{
    memset(w, 0, sizeof(*w));
    fake_open(&w->f, screen);
    w->deadline = fake_call(&w->f, 0);
    assert_int_equal(ia_session_snapshot(w->f.session, &w->deadline, &w->s, &w->err), IA_OK);
}

static inline void close_world(struct world *w)
{
    ia_act_result_fini(&w->r);
    fake_close(&w->f);
}

static inline enum ia_rc tap(struct world *w, const char *ref)
{
    ia_act_result_fini(&w->r);
    return ia_session_tap(w->f.session, &w->deadline, ia_ref_parse(ia_str(ref)), &w->r,
                          &w->err);
}

static inline const char *changes(const struct world *w)
{
    return ia_buf_cstr(&w->r.changes);
}

static inline const char *still_screen(struct fake *f)
{
    (void)f;
    return BAR("T") " Button 'A' 0,100,90,40\n";
}

static inline const char *gliding_screen(struct fake *f)
{
    int y = 100 + (f->state > 0 ? (f->trees - f->state < 5 ? f->trees - f->state : 5) * 30 : 0);
    snprintf(f->page, sizeof(f->page), BAR("T") " Button 'A' 0,%d,90,40\n", y);
    return f->page;
}

#endif
