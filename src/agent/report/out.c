/* out.c: a report on its way to a file or to memory.
 *
 * A file is written under a name of its own and renamed at the end, so that a reader never
 * finds half a report. What is built is written in pieces of FLUSH_AT, so that memory does not
 * grow with a run. */
#include "agent/report/out.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FLUSH_AT = 64 << 10 };

enum ia_rc ia_out_file(struct ia_out *out, const char *path, struct ia_err *err)
{
    struct ia_buf partial = IA_BUF(1 << 16);
    ia_buf_printf(&partial, "%s.%ld.partial", path,
                  (long)getpid()); /* others may write it too */
    *out = (struct ia_out){.buf = IA_BUF(IA_OUT_PIECE_MAX), .path = ia_strdup(path)};
    out->partial = ia_buf_steal(&partial);
    out->fd = open(out->partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (out->fd >= 0) {
        return IA_OK;
    }
    enum ia_rc rc = ia_err_set(err, IA_E_IO, "cannot write %s: %s", path, strerror(errno));
    ia_err_hint(err, "choose a writable folder with --out");
    free(out->path);
    free(out->partial);
    *out = (struct ia_out){.fd = -1};
    return rc;
}

void ia_out_text(struct ia_out *out)
{
    *out = (struct ia_out){.buf = IA_BUF(IA_OUT_PIECE_MAX), .fd = -1};
}

static void write_out(struct ia_out *out)
{
    /* The first error is kept and nothing is written after it: builders do not check each
     * piece. */
    if (out->error == 0 && ia_buf_ok(&out->buf) &&
        ia_write_all(out->fd, out->buf.p, out->buf.len) != IA_OK) {
        out->error = errno;
    }
    out->bytes += (int64_t)out->buf.len;
    if (ia_buf_ok(&out->buf)) {
        ia_buf_cut(&out->buf, 0);
    }
}

void ia_out_flush(struct ia_out *out)
{
    if (out->fd >= 0 && out->buf.len >= FLUSH_AT) {
        write_out(out);
    }
}

static enum ia_rc end_file(struct ia_out *out, enum ia_rc rc, struct ia_err *err)
{
    if (out->buf.len > 0) {
        write_out(out);
    }
    /* Some file systems report a full disk only here. */
    bool closed = close(out->fd) == 0;
    if (rc == IA_OK) {
        rc = ia_buf_check(&out->buf, out->path, err);
    }
    if (rc == IA_OK && out->error == 0 && (!closed || rename(out->partial, out->path) != 0)) {
        out->error = errno;
    }
    if (rc == IA_OK && out->error != 0) {
        rc = ia_err_set(err, IA_E_IO, "cannot write %s: %s", out->path, strerror(out->error));
    }
    /* The report that was there before, if any, stays as it was. */
    if (rc != IA_OK) {
        (void)unlink(out->partial);
    }
    return rc;
}

enum ia_rc ia_out_end(struct ia_out *out, enum ia_rc rc, struct ia_buf *ret_text,
                      struct ia_err *err)
{
    if (out->fd >= 0) {
        rc = end_file(out, rc, err);
    } else if (rc == IA_OK) {
        rc = ia_buf_check(&out->buf, "the report", err);
        out->bytes = (int64_t)out->buf.len;
    }
    if (out->fd < 0 && rc == IA_OK && ret_text) {
        *ret_text = out->buf;
    } else {
        ia_buf_fini(&out->buf);
    }
    free(out->path);
    free(out->partial);
    out->path = out->partial = NULL;
    return rc;
}
