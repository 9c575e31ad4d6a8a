/* config_key.c: keys by name, what an unknown one was meant to be, and how a value is kept. */
#include "base/config_schema.h"

#include "base/suggest.h"

#include <string.h>

size_t ia_config_find(struct ia_str key)
{
    size_t i = 0;
    while (i < IA_CFG_COUNT && !ia_str_is(key, ia_config_rows[i].key)) {
        i++;
    }
    return i;
}

enum ia_rc ia_config_key_find(const char *name, enum ia_config_key *ret, struct ia_err *err)
{
    size_t key = ia_config_find(ia_str(name));
    if (key == IA_CFG_COUNT) {
        return ia_config_unknown(ia_str(name), err);
    }
    *ret = (enum ia_config_key)key;
    return IA_OK;
}

bool ia_config_settable(enum ia_config_key key, enum ia_config_may may)
{
    return may == IA_CFG_MAY_ALL ||
           (may == IA_CFG_MAY_TOKEN && ia_config_rows[key].setter == IA_CFG_SETTER_TOKEN);
}

void ia_config_value_put(struct ia_config_value *slot, struct ia_config_value v,
                         enum ia_config_origin origin, const char *where)
{
    v.origin = origin;
    v.where = ia_strdup(where);
    ia_config_value_fini(slot);
    *slot = v;
}

char *ia_config_folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) : 0;
    return slash && n == 0 ? ia_strdup("/") : ia_strndup(path, n);
}

/* The part behind the last dot. */
static struct ia_str last_part(struct ia_str key)
{
    size_t n = 0;
    while (n < key.n && key.p[key.n - 1 - n] != '.') {
        n++;
    }
    return (struct ia_str){key.p + key.n - n, n};
}

static bool secret_name(struct ia_str name)
{
    static const char *const names[] = {"key",   "api_key",    "apikey",
                                        "token", "auth_token", "secret"};
    for (size_t i = 0; i < IA_COUNTOF(names); i++) {
        if (ia_str_is(name, names[i])) {
            return true;
        }
    }
    return false;
}

/* True when the known name is the word, or "max_" or so before the word. */
static bool ends_with_word(struct ia_str known, struct ia_str word)
{
    size_t more = known.n > word.n ? known.n - word.n : 0;
    struct ia_str end = {known.p + more, known.n - more};
    return word.n > 0 && ia_str_eq(end, word) && (more == 0 || known.p[more - 1] == '_');
}

/* The known key nearest to one that is not: the same name in another section or with a longer
 * beginning, else a near spelling. */
static const char *nearest_key(struct ia_str key)
{
    const char *names[IA_CFG_COUNT];
    for (size_t i = 0; i < IA_CFG_COUNT; i++) {
        names[i] = ia_config_rows[i].key;
        if (ends_with_word(last_part(ia_str(names[i])), last_part(key))) {
            return names[i];
        }
    }
    return ia_nearest(key, names, IA_CFG_COUNT);
}

enum ia_rc ia_config_unknown(struct ia_str key, struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_CONFIG, "unknown key %.*s",
                               (int)(key.n < 100 ? key.n : 100), key.p);
    const char *near = nearest_key(key);
    if (secret_name(last_part(key))) {
        ia_err_hint(err,
                    "a secret does not belong in the configuration: use `ios-agent key set`");
    } else if (near) {
        ia_err_hint(err, "did you mean %s?", near);
    } else {
        ia_err_hint(err, "`ios-agent config` lists every key");
    }
    return rc;
}
