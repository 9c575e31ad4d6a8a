/* run_lines.c: the lines of a run's view, and the text that is streamed between them. */
#include "cli/view/run_view_impl.h"

#include "base/clean.h"
#include "base/columns.h"
#include "base/fd.h"
#include "cli/view/labels.h"
#include "cli/view/wrap.h"

#include <errno.h>

void ia_run_view_flush(struct ia_run_view *r)
{
    ia_spinner_hide(r->opt.spinner);
    if (r->opt.fd >= 0 && r->line.len > 0) {
        struct ia_buf fitted = IA_BUF(2 * IA_RUN_VIEW_LINE_MAX);
        /* The rest of a streamed line is still to come, and nobody knows where it would break. */
        ia_wrap_lines(&fitted, ia_buf_str(&r->line), r->open ? 0 : (size_t)r->opt.width);
        bool written = ia_write_all(r->opt.fd, fitted.p, fitted.len) == IA_OK;
        ia_buf_fini(&fitted);
        r->lost = r->lost || (!written && errno != EPIPE);
    }
    if (r->opt.out) {
        ia_buf_putstr(r->opt.out, ia_buf_str(&r->line));
    }
    ia_buf_reset(&r->line);
}

/* Writes the word that was streamed, on a new line where it does not fit. */
static void put_word(struct ia_run_view *r)
{
    size_t columns = ia_columns(ia_buf_str(&r->word));
    bool fits = r->opt.width == 0 || r->column + columns <= (size_t)r->opt.width;
    if (!fits && r->column > 0) {
        ia_buf_putc(&r->line, '\n');
        r->column = 0;
    }
    ia_buf_putstr(&r->line, ia_buf_str(&r->word));
    r->column += columns;
    ia_buf_reset(&r->word);
}

void ia_run_view_settle(struct ia_run_view *r)
{
    put_word(r);
    if (r->dim) {
        ia_buf_puts(&r->line, IA_SAY_RESET);
        r->dim = false;
    }
    if (r->open) {
        ia_buf_putc(&r->line, '\n');
        r->open = false;
    }
    r->column = 0;
}

void ia_run_view_style(struct ia_run_view *r, const char *code)
{
    if (r->opt.color) {
        ia_buf_puts(&r->line, code);
    }
}

void ia_run_view_field(struct ia_run_view *r, const char *name)
{
    ia_run_view_style(r, IA_SAY_DIM);
    ia_buf_printf(&r->line, "%-8s", name);
    ia_run_view_style(r, IA_SAY_RESET);
}

void ia_run_view_line(struct ia_run_view *r, const char *name, struct ia_str text)
{
    if (text.n > 0) {
        ia_run_view_field(r, name);
        ia_clean(&r->line, text, IA_CLEAN_LINE);
        ia_buf_putc(&r->line, '\n');
    }
}

void ia_run_view_stream(struct ia_run_view *r, struct ia_str text)
{
    if (!r->dim && r->opt.color) {
        ia_buf_puts(&r->line, IA_SAY_DIM);
        r->dim = true;
    }
    struct ia_buf part = IA_BUF(4 * text.n + 16);
    ia_clean(&part, text, IA_CLEAN_PART);
    for (size_t i = 0; i < part.len; i++) {
        char c = part.p[i];
        if (c != ' ' && c != '\n') {
            ia_buf_putc(&r->word, c);
            continue;
        }
        put_word(r);
        ia_buf_putc(&r->line, c);
        r->column = c == '\n' ? 0 : r->column + 1;
    }
    ia_buf_fini(&part);
    r->open = r->column > 0 || r->word.len > 0;
    ia_run_view_flush(r);
}
