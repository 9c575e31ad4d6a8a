/* toml_scan.c: strings of four kinds, and comments. */
#include "base/toml_scan.h"

#include <string.h>

bool ia_toml_scan_at(const struct ia_toml_scan *s, const char *text)
{
    size_t n = strlen(text);
    return (size_t)(s->end - s->p) >= n && memcmp(s->p, text, n) == 0;
}

/* Skips to behind the delimiter. */
static void skip_string(struct ia_toml_scan *s, const char *delimiter)
{
    size_t n = strlen(delimiter);
    s->p += n;
    while (s->p < s->end && !ia_toml_scan_at(s, delimiter)) {
        if (*s->p == '\n' && n == 1) {
            return;
        }
        bool escape = *s->p == '\\' && delimiter[0] == '"' && s->p + 1 < s->end;
        s->p += escape ? 2 : 1;
    }
    s->p = s->p < s->end ? s->p + n : s->end;
    /* Up to two more quotes at its end still belong to a string of several lines. */
    for (int more = 0; n == 3 && more < 2 && s->p < s->end && *s->p == delimiter[0]; more++) {
        s->p++;
    }
}

bool ia_toml_scan_opaque(struct ia_toml_scan *s)
{
    static const char *const delimiters[] = {"\"\"\"", "'''", "\"", "'"};
    for (size_t i = 0; i < IA_COUNTOF(delimiters); i++) {
        if (ia_toml_scan_at(s, delimiters[i])) {
            skip_string(s, delimiters[i]);
            return true;
        }
    }
    if (*s->p != '#') {
        return false;
    }
    while (s->p < s->end && *s->p != '\n') {
        s->p++;
    }
    return true;
}
