/* table.h: rows of cells that fit a terminal: columns are as wide as what is in them, then cut with
 * "…", then left out. */
#ifndef IA_CLI_VIEW_TABLE_H
#define IA_CLI_VIEW_TABLE_H

#include "base/buf.h"

enum { IA_TABLE_COLUMNS_MAX = 12 };

struct ia_table_column {
    const char *head;
    size_t min; /* may be cut to this many columns of the terminal; 0: is never cut */
    int drop;   /* where cutting is not enough, the highest is left out first; 0: never */
    bool right; /* stands at the right */
};

struct ia_table;
/* columns (at most IA_TABLE_COLUMNS_MAX) must outlive the table. */
struct ia_table *ia_table_new(const struct ia_table_column *columns, size_t count);
void ia_table_free(struct ia_table *t);

/* The next cell, made harmless; NULL is empty. As many of them as there are columns make a row. */
void ia_table_add(struct ia_table *t, const char *text);
/* The same, of at most 199 bytes. */
void ia_table_addf(struct ia_table *t, const char *fmt, ...) IA_PRINTF(2, 3);
/* A line under the row that is complete, indented and wrapped at words. */
void ia_table_note(struct ia_table *t, const char *text);
/* Head and rows in at most `width` columns, or without a limit for 0. Nothing without rows. */
void ia_table_write(const struct ia_table *t, size_t width, struct ia_buf *out);

#endif
