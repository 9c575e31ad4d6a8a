/* An error as people see it. */
#include "base/complaint.h"

#include "base/clean.h"

#include <string.h>

static bool in_key(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '-' || c == '_';
}

/* Cuts every word that may be a key down to its first letters, in place. */
void ia_hide_keys(char *text)
{
    enum { SHOWN = sizeof("sk-") - 1, KEY_MIN = 10 };
    char *to = text;
    for (const char *p = text; *p != '\0';) {
        size_t n = 0;
        while (in_key(p[n])) {
            n++;
        }
        bool key = n >= KEY_MIN && strncmp(p, "sk-", SHOWN) == 0;
        size_t keep = key ? SHOWN : n > 0 ? n : 1;
        memmove(to, p, keep);
        to += keep;
        if (key) {
            memcpy(to, "\xe2\x80\xa6", 3);
            to += 3;
        }
        p += n > 0 ? n : 1;
    }
    *to = '\0';
}

void ia_complaint_hide_keys(struct ia_err *err)
{
    ia_hide_keys(err->msg);
    ia_hide_keys(err->hint);
}

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
