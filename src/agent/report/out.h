/* out.h: where a report goes: a file that is written piece by piece and appears whole, or text.
 *
 * Build into out->buf and call ia_out_flush between pieces. Failure is sticky; ia_out_end says
 * what it was. Not thread-safe. */
#ifndef IA_AGENT_REPORT_OUT_H
#define IA_AGENT_REPORT_OUT_H

#include "base/buf.h"
#include "base/err.h"

#define IA_OUT_PIECE_MAX ((size_t)64 << 20) /* between two flushes; all of a text */

struct ia_out {
    struct ia_buf buf;
    int fd; /* -1: text, which stays in buf */
    int error;
    char *path, *partial;
    int64_t bytes;
};

/* The file appears under its name at ia_out_end; until then it is PATH.partial. IA_E_IO. */
enum ia_rc ia_out_file(struct ia_out *out, const char *path, struct ia_err *err);
void ia_out_text(struct ia_out *out);
/* Writes what was built when it is worth a write. */
void ia_out_flush(struct ia_out *out);
/* Finishes when rc is IA_OK, and undoes otherwise; frees all but the text, which is moved to
 * ret_text (may be NULL for a file). Returns rc, or why writing failed. */
enum ia_rc ia_out_end(struct ia_out *out, enum ia_rc rc, struct ia_buf *ret_text,
                      struct ia_err *err);

#endif
