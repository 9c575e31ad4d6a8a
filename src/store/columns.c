/* columns.c: reads and copies rows by the lists of columns.h. */
#include "store/columns.h"

#include <stdlib.h>
#include <string.h>

void ia_columns_read(const struct ia_column *columns, size_t n, struct ia_q *q, void *row)
{
    for (size_t i = 0; i < n; i++) {
        const struct ia_column *c = &columns[i];
        void *member = (char *)row + c->offset;
        bool known = false;
        switch (c->kind) {
        case IA_COLUMN_IS_TEXT:
            *(const char **)member = ia_q_get_text(q);
            break;
        case IA_COLUMN_IS_STR:
            *(struct ia_str *)member = ia_q_get_str(q);
            break;
        case IA_COLUMN_IS_INT:
            *(int *)member = (int)ia_q_get_int(q);
            break;
        case IA_COLUMN_IS_INT64:
            *(int64_t *)member = ia_q_get_int(q);
            break;
        case IA_COLUMN_IS_BOOL:
            *(bool *)member = ia_q_get_int(q) != 0;
            break;
        case IA_COLUMN_IS_REAL:
            *(double *)member = ia_q_get_real(q, &known);
            break;
        case IA_COLUMN_IS_TIME:
            *(int64_t *)member = ia_q_get_iso(q);
            break;
        case IA_COLUMN_IS_COST:
            *(double *)member = ia_q_get_real(q, (bool *)((char *)row + c->known));
            break;
        case IA_COLUMN_IS_NAME: /* enums without negative values are unsigned int */
            *(unsigned *)member = ia_name_find(c->names, ia_q_get_text(q));
            break;
        case IA_COLUMN_IS_EVENT:
            *(enum ia_event_type *)member = ia_event_from_name(ia_q_get_text(q));
            break;
        }
    }
}

void *ia_columns_copy(const struct ia_column *columns, size_t n, const void *row, size_t size)
{
    size_t total = size;
    for (size_t i = 0; i < n; i++) {
        const char *text = columns[i].kind == IA_COLUMN_IS_TEXT
                               ? *(const char *const *)((const char *)row + columns[i].offset)
                               : NULL;
        total += text ? strlen(text) + 1 : 0;
    }
    char *copy = ia_alloc(total), *end = copy + size;
    memcpy(copy, row, size);
    for (size_t i = 0; i < n; i++) {
        const char **text = (const char **)(void *)(copy + columns[i].offset);
        if (columns[i].kind == IA_COLUMN_IS_TEXT && *text) {
            size_t bytes = strlen(*text) + 1;
            memcpy(end, *text, bytes);
            *text = end;
            end += bytes;
        }
    }
    return copy;
}
