/* rect.c: rectangles on a screen. */
#include "driver/snapshot/rect.h"

#include <math.h>

bool ia_rect_has(struct ia_rect r, struct ia_point p)
{
    return p.x >= r.x && p.y >= r.y && p.x < r.x + r.w && p.y < r.y + r.h;
}

struct ia_rect ia_rect_cut(struct ia_rect a, struct ia_rect b)
{
    double x = fmax(a.x, b.x);
    double y = fmax(a.y, b.y);
    double w = fmin(a.x + a.w, b.x + b.w) - x;
    double h = fmin(a.y + a.h, b.y + b.h) - y;
    return w > 0 && h > 0 ? (struct ia_rect){x, y, w, h} : (struct ia_rect){0};
}

bool ia_rect_empty(struct ia_rect r)
{
    return !(r.w > 0 && r.h > 0);
}

double ia_rect_area(struct ia_rect r)
{
    return r.w * r.h;
}

struct ia_point ia_rect_center(struct ia_rect r)
{
    return (struct ia_point){r.x + r.w / 2, r.y + r.h / 2};
}

struct ia_rect ia_rect_join(struct ia_rect a, struct ia_rect b)
{
    if (ia_rect_empty(a) || ia_rect_empty(b)) {
        return ia_rect_empty(a) ? b : a;
    }
    double x = fmin(a.x, b.x);
    double y = fmin(a.y, b.y);
    double right = fmax(a.x + a.w, b.x + b.w);
    double bottom = fmax(a.y + a.h, b.y + b.h);
    return (struct ia_rect){x, y, right - x, bottom - y};
}

bool ia_rect_near(struct ia_rect a, struct ia_rect b, double eps)
{
    return fabs(a.x - b.x) <= eps && fabs(a.y - b.y) <= eps &&
           fabs(a.x + a.w - b.x - b.w) <= eps && fabs(a.y + a.h - b.y - b.h) <= eps;
}
