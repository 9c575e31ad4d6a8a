/* format.h: figures for people, the same on every surface. Each appends to `out`.
 * Any thread. */
#ifndef IA_BASE_FORMAT_H
#define IA_BASE_FORMAT_H

#include "base/buf.h"

void ia_fmt_ms(struct ia_buf *out, int64_t ms);        /* "34 ms", "1.2 s", "3 min 20 s" */
void ia_fmt_count(struct ia_buf *out, int64_t n);      /* "12,345" */
void ia_fmt_usd(struct ia_buf *out, double usd);       /* "$0.0123" */
void ia_fmt_time(struct ia_buf *out, int64_t wall_ms); /* "2026-11-21 06:40:31 UTC"; 0: "-" */
void ia_fmt_percent(struct ia_buf *out, double share); /* "67 %" */

#endif
