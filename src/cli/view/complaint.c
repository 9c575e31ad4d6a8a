/* An error as people see it. */
#include "cli/view/complaint.h"

#include "cli/view/clean.h"

/* An indented block: continued lines stand under the first one. */
static void put_indented(struct ia_buf *out, const char *text, const char *indent)
{
    struct ia_buf clean = IA_BUF(IA_COMPLAINT_BYTES_MAX);
    ia_clean(&clean, ia_str(text), IA_CLEAN_TEXT);
    for (const char *p = ia_buf_cstr(&clean); *p != '\0'; p++) {
        ia_buf_putc(out, *p);
        if (*p == '\n' && p[1] != '\0') {
            ia_buf_puts(out, indent);
        }
    }
    ia_buf_fini(&clean);
}

void ia_complaint(const struct ia_err *err, struct ia_buf *out)
{
    ia_buf_puts(out, "ios-agent: ");
    put_indented(out, err->msg, "  ");
    if (err->hint[0] != '\0') {
        ia_buf_puts(out, "\n  hint: ");
        put_indented(out, err->hint, "        ");
    }
    ia_buf_putc(out, '\n');
}
