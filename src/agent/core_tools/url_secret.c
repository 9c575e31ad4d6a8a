/* url_secret.c: the URL is judged as it is, and again each time that its percent signs are decoded. */
#include "agent/core_tools/url_secret.h"

#include <ctype.h>
#include <string.h>

enum { DECODINGS_MAX = 4 };

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : (tolower((unsigned char)c) - 'a') + 10;
}

/* Appends it decoded, and '+' as a blank; NUL becomes '?'. Whether anything was. */
static bool decode(struct ia_str s, struct ia_buf *out)
{
    bool any = false;
    for (size_t i = 0; i < s.n; i++) {
        bool coded = s.p[i] == '%' && s.n - i > 2 && isxdigit((unsigned char)s.p[i + 1]) &&
                     isxdigit((unsigned char)s.p[i + 2]);
        int c = coded ? hex_digit(s.p[i + 1]) * 16 + hex_digit(s.p[i + 2])
                      : (unsigned char)(s.p[i] == '+' ? ' ' : s.p[i]);
        ia_buf_putc(out, c == 0 ? '?' : (char)c);
        any = any || coded || s.p[i] == '+';
        i += coded ? 2 : 0;
    }
    return any;
}

static bool reveals(const struct ia_secrets *secrets, const char *text)
{
    return strstr(text, "{{secret:") || (secrets && ia_secrets_hold(secrets, text));
}

enum ia_rc ia_url_secret_check(const struct ia_secrets *secrets, struct ia_str url,
                               struct ia_err *err)
{
    struct ia_buf text = IA_BUF(url.n + 1);
    ia_buf_putstr(&text, url);
    bool found = reveals(secrets, ia_buf_cstr(&text)), more = true;
    for (int i = 0; !found && more && i < DECODINGS_MAX; i++) {
        struct ia_buf decoded = IA_BUF(url.n + 1);
        more = decode(ia_buf_str(&text), &decoded);
        ia_buf_fini(&text);
        text = decoded;
        found = reveals(secrets, ia_buf_cstr(&text));
    }
    ia_buf_fini(&text);
    if (!found) {
        return IA_OK;
    }
    (void)ia_err_set(err, IA_E_USAGE, "the URL has a secret of this run in it: not sent");
    ia_err_hint(err, "Secrets can only be typed on the device.");
    return IA_E_USAGE;
}
