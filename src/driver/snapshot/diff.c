/* diff.c: what changed between two snapshots, in lines of the text form.
 *
 * Lines are matched by ref. When most refs are new the screen is another one, unless what was there
 * is only scrolled off; it is then shown whole. So it is whenever that costs fewer bytes than the
 * differences.
 *
 *   new side, line by line:  ref unknown ─► + (or ~ when a text was replaced in place)
 *                            text differs ─► ~      same text ─► counted as moved, if it did
 *   old side, line by line:  ref unknown and not merely scrolled off ─► -
 *
 * Both forms are written out, each within the limit, before one of them is chosen. A change that
 * does not fit is counted, never cut. */
#include "driver/snapshot/build.h"

#include "base/utf8.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* When fewer than this share of b's lines was there before, b is shown whole. */
static const double SAME_SCREEN_SHARE = 1.0 / 3;
enum { MOVED_PT = 2, TAIL_BYTES = 40 };

/* The lines of one side by ref. */
struct row {
    uint32_t ref;
    int32_t line;
};

struct side {
    const struct ia_snapshot *s;
    struct row *rows; /* element lines, ascending refs */
    size_t n;
    struct row *outs; /* elements counted in an outside line, likewise */
    size_t out_n;
};

static int by_ref(const void *a, const void *b)
{
    const struct row *x = a;
    const struct row *y = b;
    return (x->ref > y->ref) - (x->ref < y->ref);
}

static struct side side_of(const struct ia_snapshot *s)
{
    struct side v = {.s = s, .rows = ia_alloc((s->line_count + 1) * sizeof(*v.rows))};
    for (size_t i = 0; i < s->line_count; i++) {
        if (s->lines[i].kind == IA_LINE_ELEMENT) {
            v.rows[v.n++] = (struct row){s->elements[s->lines[i].index].ref, (int32_t)i};
        }
    }
    qsort(v.rows, v.n, sizeof(*v.rows), by_ref);
    v.outs = ia_alloc((s->count + 1) * sizeof(*v.outs));
    for (size_t i = 0; i < s->count; i++) {
        if (s->more[i].outside && s->elements[i].ref) {
            v.outs[v.out_n++] = (struct row){s->elements[i].ref, (int32_t)i};
        }
    }
    qsort(v.outs, v.out_n, sizeof(*v.outs), by_ref);
    return v;
}

/* The line that shows the ref, or -1. */
static int32_t line_of(const struct side *v, uint32_t ref)
{
    struct row key = {ref, 0};
    const struct row *r = bsearch(&key, v->rows, v->n, sizeof(key), by_ref);
    return r ? r->line : -1;
}

struct diff {
    struct side a, b;
    struct ia_buf *out;
    struct ia_buf x, y; /* scratch for two lines */
    size_t max;
    size_t left_out;
    size_t written;
    int moved;
};

static const char *line_text(const struct ia_snapshot *s, int32_t line, struct ia_buf *b)
{
    ia_buf_reset(b);
    ia_snapshot_line(s, &s->lines[line], b);
    return ia_buf_cstr(b);
}

static void put(struct diff *d, char mark, const char *text)
{
    /* TAIL_BYTES stay free for the lines that show_changes() writes last. */
    size_t need = strlen(text) + 3;
    if (d->out->len + need + TAIL_BYTES > d->max) {
        d->left_out++;
        return;
    }
    ia_buf_printf(d->out, "%c ", mark);
    ia_buf_puts(d->out, text);
    ia_buf_putc(d->out, '\n');
    d->written++;
}

static const struct ia_element *element_at(const struct ia_snapshot *s, int32_t line)
{
    return &s->elements[s->lines[line].index];
}

static bool moved(const struct ia_element *x, const struct ia_element *y)
{
    return fabs(x->frame.x - y->frame.x) > MOVED_PT || fabs(x->frame.y - y->frame.y) > MOVED_PT;
}

/* A text without identifier that reads differently in the same place: shown as a change. */
static bool replaces(const struct ia_element *gone, const struct ia_element *came)
{
    return gone->role == came->role && gone->role == IA_ROLE_TEXT && !moved(gone, came);
}

/* True when the text at this place in b is what a's text became. */
static int32_t replaced_by(const struct diff *d, const struct ia_element *gone, int32_t near)
{
    const struct ia_snapshot *b = d->b.s;
    int32_t from = near > 2 ? near - 2 : 0;
    for (int32_t k = from; k < near + 3 && k < (int32_t)b->line_count; k++) {
        if (b->lines[k].kind == IA_LINE_ELEMENT && replaces(gone, element_at(b, k)) &&
            line_of(&d->a, element_at(b, k)->ref) < 0) {
            return k;
        }
    }
    return -1;
}

static bool replaces_some(const struct diff *d, const struct ia_element *came, int32_t near)
{
    const struct ia_snapshot *a = d->a.s;
    int32_t from = near > 2 ? near - 2 : 0;
    for (int32_t k = from; k < near + 3 && k < (int32_t)a->line_count; k++) {
        if (a->lines[k].kind == IA_LINE_ELEMENT && replaces(element_at(a, k), came) &&
            line_of(&d->b, element_at(a, k)->ref) < 0) {
            return true;
        }
    }
    return false;
}

static bool outside_in(const struct ia_snapshot *s, const char *text, struct ia_buf *scratch)
{
    for (size_t i = 0; i < s->line_count; i++) {
        if (s->lines[i].kind == IA_LINE_OUTSIDE &&
            strcmp(line_text(s, (int32_t)i, scratch), text) == 0) {
            return true;
        }
    }
    return false;
}

static bool equal_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* A long text may differ where its line is cut. */
static bool reads_otherwise(const struct ia_element *x, const struct ia_element *y)
{
    return !equal_text(x->label, y->label) || !equal_text(x->value, y->value);
}

static void compare_element(struct diff *d, int32_t line)
{
    const struct ia_element *y = element_at(d->b.s, line);
    int32_t old = line_of(&d->a, y->ref);
    const char *text = line_text(d->b.s, line, &d->y);
    if (old < 0) {
        put(d, replaces_some(d, y, line) ? '~' : '+', text);
    } else if (strcmp(line_text(d->a.s, old, &d->x), text) != 0 ||
               reads_otherwise(element_at(d->a.s, old), y)) {
        put(d, '~', text);
    } else {
        d->moved += moved(element_at(d->a.s, old), y);
    }
}

/* Counted in an outside line, and so not gone. */
static bool scrolled_off(const struct side *v, uint32_t ref)
{
    struct row key = {ref, 0};
    return bsearch(&key, v->outs, v->out_n, sizeof(key), by_ref) != NULL;
}

static void compare_lines(struct diff *d)
{
    const struct ia_snapshot *b = d->b.s;
    for (size_t i = 0; i < b->line_count; i++) {
        if (b->lines[i].kind == IA_LINE_ELEMENT) {
            compare_element(d, (int32_t)i);
            continue;
        }
        const char *text = line_text(b, (int32_t)i, &d->y);
        if (!outside_in(d->a.s, text, &d->x)) {
            put(d, '~', text);
        }
    }
    const struct ia_snapshot *a = d->a.s;
    for (size_t i = 0; i < a->line_count; i++) {
        if (a->lines[i].kind != IA_LINE_ELEMENT) {
            continue;
        }
        const struct ia_element *x = element_at(a, (int32_t)i);
        bool gone = line_of(&d->b, x->ref) < 0 && !scrolled_off(&d->b, x->ref);
        if (gone && replaced_by(d, x, (int32_t)i) < 0) {
            put(d, '-', line_text(a, (int32_t)i, &d->x));
        }
    }
}

/* How much of what was listed is still there, listed or not. */
static double share_left(const struct diff *d)
{
    size_t left = 0;
    for (size_t i = 0; i < d->a.n; i++) {
        uint32_t ref = d->a.rows[i].ref;
        left += line_of(&d->b, ref) >= 0 || scrolled_off(&d->b, ref);
    }
    return d->a.n ? (double)left / (double)d->a.n : 0;
}

static bool same_place(const struct diff *d)
{
    size_t kept = 0;
    for (size_t i = 0; i < d->b.n; i++) {
        kept += line_of(&d->a, d->b.rows[i].ref) >= 0;
    }
    bool head = equal_text(d->a.s->app, d->b.s->app) &&
                (equal_text(d->a.s->screen, d->b.s->screen) || d->b.s->title_scrolls);
    /* Nothing listed at all is no reason to call it another screen; nor is a screen of a few
     * lines under the same header, where one new row already changes the share a lot. */
    double share = d->b.n ? (double)kept / (double)d->b.n : 1;
    return share >= SAME_SCREEN_SHARE ||
           (head && (d->b.n < 6 || share_left(d) >= SAME_SCREEN_SHARE));
}

static void put_header_change(struct diff *d)
{
    const struct ia_snapshot *a = d->a.s;
    const struct ia_snapshot *b = d->b.s;
    if (!equal_text(a->app, b->app) || !equal_text(a->screen, b->screen)) {
        ia_buf_reset(&d->y);
        ia_snapshot_header(b, &d->y);
        put(d, '~', ia_buf_cstr(&d->y));
    }
}

static void show_changes(struct diff *d)
{
    put_header_change(d);
    compare_lines(d);
    if (d->moved > 0 && d->out->len + TAIL_BYTES <= d->max) {
        ia_buf_printf(d->out, "~ %d moved\n", d->moved);
        d->written++;
    }
    if (d->left_out > 0) {
        ia_buf_printf(d->out, "(+%zu left out: text limit)\n", d->left_out);
    }
    if (d->written == 0 && d->left_out == 0) {
        ia_buf_puts(d->out, "nothing changed\n");
    }
}

static void diff_free(struct diff *d)
{
    free(d->a.rows);
    free(d->b.rows);
    free(d->a.outs);
    free(d->b.outs);
    ia_buf_fini(&d->x);
    ia_buf_fini(&d->y);
}

static const char new_screen[] = "new screen\n";

static void show_whole(const struct ia_snapshot *b, size_t max, struct ia_buf *out)
{
    ia_buf_puts(out, new_screen);
    ia_snapshot_text(b, max - (sizeof(new_screen) - 1), out);
}

bool ia_snapshot_diff(const struct ia_snapshot *a, const struct ia_snapshot *b,
                      size_t max_bytes, struct ia_buf *out)
{
    size_t max = max_bytes ? max_bytes : IA_TEXT_BYTES;
    struct ia_buf changes = IA_BUF(SIZE_MAX / 2);
    struct ia_buf whole = IA_BUF(SIZE_MAX / 2);
    struct diff d = {.a = side_of(a),
                     .b = side_of(b),
                     .out = &changes,
                     .x = IA_BUF(SIZE_MAX / 2),
                     .y = IA_BUF(SIZE_MAX / 2),
                     .max = max};
    show_changes(&d);
    bool changed = d.written + d.left_out > 0;
    bool other = !same_place(&d);
    if (changed && max > sizeof(new_screen)) {
        show_whole(b, other || max > IA_TEXT_BYTES ? max : IA_TEXT_BYTES, &whole);
    }
    /* Whichever is shorter, once something changed; but of two that do not fit, the changes. */
    bool shorter = d.left_out > 0 ? whole.len <= max : whole.len < changes.len;
    bool as_whole = whole.len > 0 && (other || shorter);
    const struct ia_buf *shown = as_whole ? &whole : &changes;
    ia_buf_put(out, ia_buf_cstr(shown), shown->len);
    diff_free(&d);
    ia_buf_fini(&changes);
    ia_buf_fini(&whole);
    return changed;
}
