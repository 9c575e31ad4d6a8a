/* nav.c: navigation stacks, sheets and alerts of the app in front. */
#include "driver/embedded/phone/phone.h"

static void enter(struct ia_phone *p, struct ia_nav_entry e)
{
    struct ia_app_state *a = ia_phone_front(p);
    if (!a || a->depth == IA_NAV_MAX) {
        return;
    }
    ia_edit_focus(p, -1);
    a->nav[a->depth++] = e;
}

void ia_nav_push(struct ia_phone *p, const struct ia_screen *screen, int32_t arg)
{
    enter(p, (struct ia_nav_entry){.screen = screen, .arg = arg});
}

void ia_nav_present(struct ia_phone *p, const struct ia_screen *screen, int32_t arg)
{
    enter(p, (struct ia_nav_entry){.screen = screen, .arg = arg, .sheet = true});
}

void ia_nav_pop(struct ia_phone *p)
{
    struct ia_app_state *a = ia_phone_front(p);
    if (!a || a->depth <= 1) {
        return;
    }
    ia_edit_focus(p, -1);
    struct ia_nav_entry e = a->nav[--a->depth];
    const struct ia_app *app = ia_phone_app(p);
    if (app->left) {
        app->left(p, &e);
    }
}

void ia_nav_on_back(struct ia_phone *p, const struct ia_touch *t)
{
    (void)t;
    ia_nav_pop(p);
}

void ia_nav_to_root(struct ia_phone *p)
{
    struct ia_app_state *a = ia_phone_front(p);
    if (a) {
        a->alert = NULL;
        ia_edit_end_search(p);
        while (a->depth > 1) {
            ia_nav_pop(p);
        }
        a->nav[0].scroll = 0;
    }
}

struct ia_nav_entry *ia_nav_top(struct ia_phone *p)
{
    struct ia_app_state *a = ia_phone_front(p);
    return a ? &a->nav[a->depth - 1] : NULL;
}

void ia_nav_swipe_back(struct ia_phone *p)
{
    const struct ia_nav_entry *top = ia_nav_top(p);
    if (top && !top->sheet) {
        ia_nav_pop(p);
    }
}

const char *ia_nav_title(const struct ia_phone *p, const struct ia_nav_entry *e)
{
    return e->screen->title ? e->screen->title(p, e) : e->screen->name;
}

const char *ia_nav_back_title(const struct ia_phone *p, const struct ia_app_state *a, int entry)
{
    bool first = entry == 0 || a->nav[entry].sheet;
    return first ? NULL : ia_nav_title(p, &a->nav[entry - 1]);
}

const char *ia_phone_title(const struct ia_phone *p)
{
    if (p->locked) {
        return "Lock Screen";
    }
    const struct ia_app_state *a = ia_phone_front_const(p);
    return a ? ia_nav_title(p, &a->nav[a->depth - 1]) : "Home Screen";
}

void ia_alert_show(struct ia_phone *p, const struct ia_alert *alert, int32_t arg)
{
    struct ia_app_state *a = ia_phone_front(p);
    if (a) {
        ia_edit_focus(p, -1);
        a->alert = alert;
        a->alert_arg = arg;
        if (alert->field) {
            ia_edit_set(p, alert->field, "");
            ia_edit_focus(p, alert->field);
        }
    }
}

const struct ia_alert *ia_alert_shown(const struct ia_phone *p)
{
    const struct ia_app_state *a = p->locked ? NULL : ia_phone_front_const(p);
    if (p->system_alert && !p->locked) {
        return p->system_alert;
    }
    return a ? a->alert : NULL;
}

int ia_alert_count(const struct ia_alert *alert)
{
    int n = 0;
    while (n < IA_ALERT_BUTTONS_MAX && alert->buttons[n].label) {
        n++;
    }
    return n;
}

void ia_alert_press(struct ia_phone *p, int i)
{
    struct ia_app_state *a = ia_phone_front(p);
    const struct ia_alert *alert = ia_alert_shown(p);
    if (!alert || i < 0 || i >= ia_alert_count(alert)) {
        return;
    }
    const struct ia_alert_button *b = &alert->buttons[i];
    int32_t arg = 0;
    /* The alert goes before its button acts, as the action may show the next one. */
    if (alert == p->system_alert) {
        arg = p->system_alert_arg;
        p->system_alert = NULL;
        p->system_alert_arg = 0;
    } else {
        a->alert = NULL;
        arg = a->alert_arg;
        ia_edit_focus(p, -1);
    }
    if (b->tap) {
        b->tap(p, &(struct ia_touch){.arg = arg, .fx = 0.5F, .fy = 0.5F});
    }
}

/* The first button with (or without) the role Cancel, else the first. */
static int index_by_cancel(const struct ia_alert *alert, bool cancel)
{
    for (int i = 0; i < ia_alert_count(alert); i++) {
        if ((alert->buttons[i].role == IA_ALERT_CANCEL) == cancel) {
            return i;
        }
    }
    return 0;
}

int ia_alert_accept_index(const struct ia_alert *alert)
{
    return index_by_cancel(alert, false);
}

int ia_alert_dismiss_index(const struct ia_alert *alert)
{
    return index_by_cancel(alert, true);
}
