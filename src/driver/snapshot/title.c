/* title.c: the screen's title and its back control, by structure and place alone, as texts may be
 * in any language.
 *
 * The title: the text of the navigation bar in front; else, unless an alert is in front, the
 * first heading among the first lines, or the bar's name where that heading only begins a list;
 * else the title of the bar behind the alert. */
#include "driver/snapshot/build.h"

#include "driver/snapshot/phrase.h"
#include "driver/snapshot/rect.h"

#include <math.h>
#include <string.h>

/* A title without a navigation bar is among the first things on the screen. */
enum { TITLE_WITHIN = 4, BACK_EDGE_PT = 24, BACK_TOP_PT = 20, BACK_BOTTOM_PT = 130 };

static bool is_title_role(const struct ia_build_item *it)
{
    return it->role == IA_ROLE_HEADING || it->role == IA_ROLE_TEXT || it->role == IA_ROLE_OTHER;
}

/* The last navigation bar that is on screen, behind something or not, or -1. */
static int32_t bar_of(const struct ia_build *b, bool behind)
{
    for (int32_t i = b->n - 1; i >= 0; i--) {
        const struct ia_build_item *it = &b->items[i];
        if (it->node->type == IA_EL_NAVIGATION_BAR && !ia_rect_empty(it->vis) &&
            ia_build_is(it, IA_IT_BEHIND) == behind) {
            return i;
        }
    }
    return -1;
}

static int32_t title_in_bar(const struct ia_build *b, int32_t bar)
{
    for (int32_t i = bar + 1; i < b->items[bar].end; i++) {
        const struct ia_build_item *it = &b->items[i];
        if (it->element >= 0 && it->label && is_title_role(it) && it->owner < 0) {
            return it->element;
        }
    }
    return -1;
}

/* The headings of a list's sections look alike; a title is one of its kind. */
static bool heads_section(const struct ia_snapshot *s, size_t i)
{
    const struct ia_element *e = &s->elements[i];
    for (size_t k = i + 1; s->more[i].scrolls && k < s->count; k++) {
        const struct ia_element *o = &s->elements[k];
        if (o->role == IA_ROLE_HEADING && s->more[k].scrolls &&
            fabs(o->frame.x - e->frame.x) < 1 && fabs(o->frame.h - e->frame.h) < 1) {
            return true;
        }
    }
    return false;
}

static int32_t first_heading(const struct ia_build *b)
{
    const struct ia_snapshot *s = b->s;
    int seen = 0;
    for (size_t i = 0; i < s->count && seen < TITLE_WITHIN; i++) {
        const struct ia_element *e = &s->elements[i];
        if (e->listed && e->role == IA_ROLE_HEADING && e->label) {
            return heads_section(s, i) ? -1 : (int32_t)i;
        }
        seen += e->listed;
    }
    return -1;
}

static bool hugs_corner(const struct ia_build *b, const struct ia_element *e, bool mirrored)
{
    double gap = mirrored ? b->viewport.w - e->frame.x - e->frame.w : e->frame.x;
    double y = ia_rect_center(e->frame).y;
    return gap <= BACK_EDGE_PT && y >= BACK_TOP_PT && y <= BACK_BOTTOM_PT &&
           e->frame.w < b->viewport.w * 0.5;
}

/* The leading control of the bar, which is the right one where the title is written from right
 * to left; without a bar, a button in the top leading corner. */
static int32_t find_back(const struct ia_build *b, int32_t bar)
{
    double w = b->viewport.w;
    bool mirrored = b->s->mirrored;
    int32_t from = bar < 0 ? 0 : bar;
    int32_t to = bar < 0 ? b->n : b->items[bar].end;
    for (int32_t i = from; i < to; i++) {
        int32_t k = b->items[i].element;
        const struct ia_element *e = k >= 0 ? &b->s->elements[k] : NULL;
        if (!e || e->role != IA_ROLE_BUTTON || !(e->actions & IA_ACT_TAP)) {
            continue;
        }
        double x = ia_rect_center(e->frame).x;
        bool leading = mirrored ? x > w * 0.6 : x < w * 0.4;
        if (bar < 0 ? hugs_corner(b, e, mirrored) : leading) {
            return k;
        }
    }
    return -1;
}

/* Without a title UIKit takes the class of the view controller, less its "Controller"; SwiftUI's
 * classes begin with an underscore. */
static bool names_class(const char *name)
{
    size_t n = strlen(name);
    bool view = n > 4 && strcmp(name + n - 4, "View") == 0 && !strchr(name, ' ');
    return *name == '_' || view;
}

/* XCTest identifies a bar by its title, or by the developer's word for it. */
static const char *name_of_bar(struct ia_build *b, int32_t bar)
{
    const struct ia_build_item *it = bar >= 0 ? &b->items[bar] : NULL;
    const char *name = it && it->node->label ? it->node->label : it ? it->own : NULL;
    return name && !names_class(name) ? ia_phrase_fold(&b->s->arena, name) : NULL;
}

/* A heading of a list, right before its rows, that says something else than the bar does. */
static bool begins_list(const struct ia_snapshot *s, int32_t i, const char *name)
{
    int32_t list = s->more[i].scroll;
    size_t next = (size_t)i + 1;
    return list >= 0 && s->elements[list].role == IA_ROLE_LIST && next < s->count &&
           s->elements[next].role == IA_ROLE_ROW && strcmp(s->elements[i].label, name) != 0;
}

void ia_build_title(struct ia_build *b)
{
    struct ia_snapshot *s = b->s;
    int32_t bar = bar_of(b, false);
    int32_t title = bar >= 0 ? title_in_bar(b, bar) : -1;
    const char *name = title < 0 ? name_of_bar(b, bar) : NULL;
    s->title_scrolls = title < 0 && !name;
    if (title < 0 && s->alert < 0) {
        title = first_heading(b);
        title = title >= 0 && name && begins_list(s, title, name) ? -1 : title;
        s->title_scrolls = title >= 0 && s->more[title].scrolls;
    } else if (title < 0) {
        int32_t below = bar_of(b, true);
        title = below >= 0 ? title_in_bar(b, below) : -1;
        name = name ? name : name_of_bar(b, below);
        s->title_scrolls = false;
    }
    s->title = title;
    s->screen = title >= 0 ? s->elements[title].label : name;
    s->mirrored = s->screen && ia_phrase_rtl(s->screen);
    s->back = find_back(b, bar);
    s->back_in_bar = bar >= 0;
}
