/* secret_json.c: values in the strings of a JSON text, which stays one. */
#include "agent/secrets/secrets_impl.h"

#include "json/json.h"

#include <stdlib.h>

enum { REAL_DIGITS = 15 /* 0.1 stays 0.1 */ };

/* The names of members are those of a format, not of somebody's data. */
static void hide_value(const struct ia_secrets *s, json_t *v, size_t max)
{
    struct ia_buf text = IA_BUF(max);
    const char *key;
    json_t *member;
    size_t i;
    if (json_is_string(v)) {
        ia_secrets_hide(s, ia_json_str(v), &text);
        (void)json_string_setn(v, ia_buf_cstr(&text), text.len);
    }
    json_array_foreach(v, i, member)
    {
        hide_value(s, member, max);
    }
    json_object_foreach(v, key, member)
    {
        hide_value(s, member, max);
    }
    ia_buf_fini(&text);
}

void ia_secret_json_hide(const struct ia_secrets *s, struct ia_str json, struct ia_buf *out)
{
    json_t *o = json_loadb(json.p, json.n, 0, NULL);
    hide_value(s, o, out->max);
    char *text =
        json_dumps(o, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(REAL_DIGITS));
    ia_buf_puts(out, text);
    free(text);
    json_decref(o);
}
