/* args.c: what the actions share: arguments, and lists that end somewhere. */
#include "driver/embedded/apps/native/native.h"

#include "json/json.h"

#include <stdio.h>
#include <stdlib.h>

enum { DAY_MS = 86400000 };

bool ia_native_has(const struct ia_native_call *c, const char *name)
{
    return json_object_get(c->args, name) != NULL;
}

const char *ia_native_text(const struct ia_native_call *c, const char *name)
{
    return ia_json_text(c->args, name);
}

bool ia_native_when(const struct ia_native_call *c, const char *name, int64_t *ret_ms,
                    bool *ret_day)
{
    return ia_native_time(ia_json_field(c->args, name), ret_ms, ret_day);
}

enum ia_rc ia_native_span(const struct ia_native_call *c, int64_t *from_ms, int64_t *to_ms)
{
    bool day = false;
    (void)ia_native_when(c, "from", from_ms, &day);
    if (ia_native_when(c, "to", to_ms, &day) && day) {
        *to_ms += DAY_MS;
    }
    if (*to_ms >= *from_ms) {
        return IA_OK;
    }
    enum ia_rc rc = ia_err_set(c->err, IA_E_USAGE, "\"to\" is before \"from\"");
    ia_err_hint(c->err, "swap them, or leave one out");
    return rc;
}

int32_t ia_native_id(const struct ia_native_call *c)
{
    const char *text = ia_native_text(c, "id");
    char *end;
    long id = strtol(text, &end, 10);
    return *text && !*end && id > 0 && id <= INT32_MAX ? (int32_t)id : 0;
}

enum ia_rc ia_native_missing(const struct ia_native_call *c, const char *what, const char *name)
{
    return ia_err_set(c->err, IA_E_NOT_FOUND, "there is no %s \"%.100s\"", what, name);
}

void ia_native_put_id(struct ia_jsonw *w, int32_t id)
{
    char text[12];
    (void)snprintf(text, sizeof(text), "%d", id);
    ia_jsonw_kv(w, "id", text);
}

struct ia_native_list ia_native_list_begin(struct ia_jsonw *w, const char *key)
{
    ia_jsonw_key(w, key);
    ia_jsonw_array(w);
    return (struct ia_native_list){.w = w};
}

bool ia_native_list_item(struct ia_native_list *l)
{
    if (l->n++ >= IA_NATIVE_ITEMS_MAX) {
        return false;
    }
    ia_jsonw_object(l->w);
    return true;
}

void ia_native_list_end(struct ia_native_list *l)
{
    ia_jsonw_end_array(l->w);
    if (l->n > IA_NATIVE_ITEMS_MAX) {
        ia_jsonw_kv_int(l->w, "more", l->n - IA_NATIVE_ITEMS_MAX);
    }
}
