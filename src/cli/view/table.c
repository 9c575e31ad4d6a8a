/* table.c: the rows are kept until all are known, then columns are fitted to the terminal:
 *
 *     natural widths ─► too wide: cut those with a minimum, the one with most to spare first
 *          ▲                        │ still too wide
 *          └── without the column ◄─┘ that may be left out first */
#include "cli/view/table.h"

#include "base/clean.h"
#include "base/columns.h"
#include "cli/view/wrap.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { GAP = 2, NOTE_INDENT = 4, CELL_BYTES_MAX = 64 << 10, FORMATTED_MAX = 200 };

struct row {
    char *cells[IA_TABLE_COLUMNS_MAX];
    char *note; /* or NULL */
};

struct ia_table {
    const struct ia_table_column *columns;
    size_t column_count;
    struct row *rows;
    size_t count, cap;
    size_t filled; /* cells of the last row */
};

struct ia_table *ia_table_new(const struct ia_table_column *columns, size_t count)
{
    struct ia_table *t = ia_calloc(1, sizeof(*t));
    t->columns = columns;
    t->column_count = count;
    t->filled = count;
    return t;
}

void ia_table_free(struct ia_table *t)
{
    for (size_t i = 0; t && i < t->count; i++) {
        for (size_t k = 0; k < t->column_count; k++) {
            free(t->rows[i].cells[k]);
        }
        free(t->rows[i].note);
    }
    if (t) {
        free(t->rows);
    }
    free(t);
}

static char *cleaned(const char *text)
{
    struct ia_buf b = IA_BUF(CELL_BYTES_MAX);
    ia_clean(&b, ia_str(text ? text : ""), IA_CLEAN_LINE);
    char *copy = ia_strdup(ia_buf_cstr(&b));
    ia_buf_fini(&b);
    return copy;
}

void ia_table_add(struct ia_table *t, const char *text)
{
    if (t->filled == t->column_count) {
        if (t->count == t->cap) {
            t->cap = t->cap > 0 ? 2 * t->cap : 32;
            t->rows = ia_realloc(t->rows, t->cap, sizeof(*t->rows));
        }
        t->rows[t->count++] = (struct row){.note = NULL};
        t->filled = 0;
    }
    t->rows[t->count - 1].cells[t->filled++] = cleaned(text);
}

void ia_table_addf(struct ia_table *t, const char *fmt, ...)
{
    char cell[FORMATTED_MAX];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(cell, sizeof(cell), fmt, ap);
    va_end(ap);
    ia_table_add(t, cell);
}

void ia_table_note(struct ia_table *t, const char *text)
{
    t->rows[t->count - 1].note = cleaned(text);
}

/* ---- fitting ----------------------------------------------------------------------------- */

struct fit {
    const struct ia_table *t;
    bool shown[IA_TABLE_COLUMNS_MAX];
    size_t widths[IA_TABLE_COLUMNS_MAX];
};

static void take_natural(struct fit *f)
{
    for (size_t k = 0; k < f->t->column_count; k++) {
        f->widths[k] = ia_columns(ia_str(f->t->columns[k].head));
        for (size_t i = 0; i < f->t->count; i++) {
            const char *cell = f->t->rows[i].cells[k];
            size_t n = cell ? ia_columns(ia_str(cell)) : 0;
            f->widths[k] = n > f->widths[k] ? n : f->widths[k];
        }
    }
}

static size_t total(const struct fit *f)
{
    size_t sum = 0;
    for (size_t k = 0; k < f->t->column_count; k++) {
        sum += f->shown[k] ? f->widths[k] + (sum > 0 ? GAP : 0) : 0;
    }
    return sum;
}

/* Cuts columns until the table fits; false when that is not enough. */
static bool cut(struct fit *f, size_t width)
{
    while (total(f) > width) {
        size_t most = 0, spare = 0, excess = total(f) - width;
        for (size_t k = 0; k < f->t->column_count; k++) {
            size_t min = f->t->columns[k].min;
            if (f->shown[k] && min > 0 && f->widths[k] > min + spare) {
                most = k;
                spare = f->widths[k] - min;
            }
        }
        if (spare == 0) {
            return false;
        }
        f->widths[most] -= excess < spare ? excess : spare;
    }
    return true;
}

static bool drop_one(struct fit *f)
{
    size_t first = f->t->column_count;
    int highest = 0;
    for (size_t k = 0; k < f->t->column_count; k++) {
        if (f->shown[k] && f->t->columns[k].drop > highest) {
            first = k;
            highest = f->t->columns[k].drop;
        }
    }
    if (highest > 0) {
        f->shown[first] = false;
    }
    return highest > 0;
}

static struct fit fit(const struct ia_table *t, size_t width)
{
    struct fit f = {.t = t};
    for (size_t k = 0; k < t->column_count; k++) {
        f.shown[k] = true;
    }
    take_natural(&f);
    while (width > 0 && !cut(&f, width) && drop_one(&f)) {
        take_natural(&f);
    }
    return f;
}

/* ---- writing ----------------------------------------------------------------------------- */

static void put_blanks(struct ia_buf *out, size_t n)
{
    ia_buf_printf(out, "%*s", (int)n, "");
}

static void put_row(const struct fit *f, const char *const *cells, struct ia_buf *out)
{
    size_t blanks = 0; /* those of the end of a line are left out */
    bool first = true;
    for (size_t k = 0; k < f->t->column_count; k++) {
        struct ia_buf cell = IA_BUF(CELL_BYTES_MAX);
        ia_clean_cut(&cell, ia_str(cells[k] ? cells[k] : ""), f->widths[k]);
        size_t n = ia_columns(ia_buf_str(&cell));
        size_t fill = n < f->widths[k] ? f->widths[k] - n : 0;
        bool right = f->t->columns[k].right;
        if (f->shown[k]) {
            blanks += (first ? 0 : GAP) + (right ? fill : 0);
            first = false;
        }
        if (f->shown[k] && cell.len > 0) {
            put_blanks(out, blanks);
            ia_buf_putstr(out, ia_buf_str(&cell));
            blanks = 0;
        }
        blanks += f->shown[k] && !right ? fill : 0;
        ia_buf_fini(&cell);
    }
    ia_buf_putc(out, '\n');
}

void ia_table_write(const struct ia_table *t, size_t width, struct ia_buf *out)
{
    const char *heads[IA_TABLE_COLUMNS_MAX] = {NULL};
    struct fit f = fit(t, width);
    for (size_t k = 0; k < t->column_count; k++) {
        heads[k] = t->columns[k].head;
    }
    if (t->count > 0) {
        put_row(&f, heads, out);
    }
    for (size_t i = 0; i < t->count; i++) {
        put_row(&f, (const char *const *)t->rows[i].cells, out);
        if (t->rows[i].note) {
            put_blanks(out, NOTE_INDENT);
            ia_wrap(out, ia_str(t->rows[i].note), width, NOTE_INDENT, NOTE_INDENT);
            ia_buf_putc(out, '\n');
        }
    }
}
