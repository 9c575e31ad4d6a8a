/* lookup.h: the secrets of these tests. */
#ifndef IA_TESTS_AGENT_SECRETS_LOOKUP_H
#define IA_TESTS_AGENT_SECRETS_LOOKUP_H

#include "agent/secrets/secrets.h"

#include <string.h>

static inline enum ia_rc lookup(void *ctx, const char *name, struct ia_buf *ret,
                                struct ia_err *err)
{
    (void)ctx;
    if (strcmp(name, "SEALED") == 0) {
        return ia_err_set(err, IA_E_KEY_PASSPHRASE, "the passphrase is wrong");
    }
    for (size_t i = 0; strcmp(name, "HUGE") == 0 && i <= IA_SECRET_VALUE_BYTES_MAX; i++) {
        ia_buf_putc(ret, 'x');
    }
    static const struct {
        const char *name, *value;
    } rows[] = {{"PW", "Hunter-2"},       {"LONG", "Hunter-2 and much more of it than that"},
                {"PHONE", "555-0100-77"}, {"EMPTY", ""},
                {"SHORT", "ab"},          {"MARKS", "#!/?"},
                {"SHOP", "shop"},         {"PIN", "1843"},
                {"TINY", "art"}};
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        if (strcmp(rows[i].name, name) == 0) {
            ia_buf_puts(ret, rows[i].value);
        }
    }
    return IA_OK;
}

#endif
