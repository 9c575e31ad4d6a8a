/* What a command left, printed: text for people, or one envelope for programs. */
#include "base/complaint.h"
#include "base/envelope.h"
#include "base/fd.h"
#include "cli/command/command.h"
#include "cli/view/wrap.h"

#include <errno.h>
#include <unistd.h>

void ia_cli_envelope(const struct ia_cli *c, enum ia_rc rc, const struct ia_err *err,
                     struct ia_buf *out)
{
    ia_envelope(out, ia_buf_str(&c->text), ia_buf_str(&c->result), rc, err);
}

enum ia_rc ia_cli_announce(struct ia_cli *c, struct ia_err *err)
{
    struct ia_buf line = IA_BUF(8192);
    if (c->json) {
        ia_cli_envelope(c, IA_OK, NULL, &line);
    } else {
        ia_buf_putstr(&line, ia_buf_str(&c->text));
    }
    enum ia_rc rc = ia_write_all(STDOUT_FILENO, line.p, line.len);
    ia_buf_fini(&line);
    ia_buf_reset(&c->text);
    c->printed = true;
    return rc == IA_OK ? rc : ia_err_set(err, rc, "cannot write to standard output");
}

/* A reader that went away is not worth a word; anything else that keeps data from arriving is a
 * failure of the command. */
static int write_stdout(struct ia_str bytes, int status)
{
    if (bytes.n == 0 || ia_write_all(STDOUT_FILENO, bytes.p, bytes.n) == IA_OK) {
        return status;
    }
    if (errno != EPIPE) {
        static const char msg[] = "ios-agent: cannot write to standard output\n";
        (void)ia_write_all(STDERR_FILENO, msg, sizeof(msg) - 1);
    }
    return ia_rc_exit(IA_E_IO);
}

static int finish_json(const struct ia_cli *c, enum ia_rc rc, const struct ia_err *err)
{
    struct ia_buf out = IA_BUF(12 * IA_CLI_OUTPUT_MAX);
    rc = ia_envelope_line(&out, ia_buf_str(&c->text), ia_buf_str(&c->result), rc, err,
                          2 * IA_CLI_OUTPUT_MAX);
    int status = write_stdout(ia_buf_str(&out), ia_rc_exit(rc));
    ia_buf_fini(&out);
    return status;
}

size_t ia_cli_width(const struct ia_cli *c)
{
    return c->json ? 0 : ia_wrap_width(STDOUT_FILENO);
}

int ia_cli_finish(struct ia_cli *c, enum ia_rc rc, struct ia_err *err)
{
    if (rc != IA_OK) {
        ia_complaint_hide_keys(err);
    }
    if (c->w.depth != 0) { /* the command failed half way through its result */
        ia_buf_reset(&c->result);
    }
    if (c->json && !c->printed) {
        return finish_json(c, rc, err);
    }
    struct ia_buf fitted = IA_BUF(2 * IA_CLI_OUTPUT_MAX);
    ia_wrap_lines(&fitted, ia_buf_str(&c->text), c->verbatim ? 0 : ia_cli_width(c));
    int status = write_stdout(ia_buf_str(&fitted), ia_rc_exit(rc));
    ia_buf_fini(&fitted);
    if (rc != IA_OK && err->msg[0] != '\0') {
        struct ia_buf out = IA_BUF(IA_COMPLAINT_BYTES_MAX);
        ia_complaint(err, &out);
        struct ia_buf lines = IA_BUF(2 * IA_COMPLAINT_BYTES_MAX);
        ia_wrap_lines(&lines, ia_buf_str(&out), ia_wrap_width(STDERR_FILENO));
        (void)ia_write_all(STDERR_FILENO, lines.p, lines.len);
        ia_buf_fini(&lines);
        ia_buf_fini(&out);
    }
    return status;
}
