/* Escaping: whatever the bytes, they are text in every format of a report. */
#include "agent/report/escape.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef void escape_fn(struct ia_buf *out, struct ia_str s);

/* Valid UTF-8 without control characters but those allowed, and without any of `never`. */
static void check(escape_fn *fn, struct ia_str in, const char *allowed, const char *never)
{
    struct ia_buf b = IA_BUF(16 * in.n + 64);
    fn(&b, in);
    if (!ia_buf_ok(&b)) {
        abort();
    }
    for (size_t i = 0; i < b.len;) {
        size_t n = ia_utf8_valid_len(b.p + i, b.len - i);
        unsigned char c = (unsigned char)b.p[i];
        bool control = c < 0x20 || c == 0x7f;
        if (n == 0 || (control && (c == 0 || !strchr(allowed, c))) ||
            (c != 0 && strchr(never, c))) {
            abort();
        }
        i += n;
    }
    ia_buf_fini(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ia_str in = {(const char *)data, size};
    check(ia_esc_markup, in, "", "<>\"'");
    check(ia_esc_markup_text, in, "\n\t", "<>\"'");
    check(ia_esc_md, in, "", "<>|`*_[]@");
    check(ia_esc_command, in, "\t", "");
    check(ia_esc_command_property, in, "\t", ",:");
    check(ia_esc_shell, in, "", "");
    check(ia_esc_url_path, in, "", " <>\"'#?\\");
    return 0;
}
