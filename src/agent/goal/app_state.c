/* app_state.c: reads the state that an app reports. It checks all of it, not only the value that was asked
 * for, so that a half-broken state never proves anything. */
#include "agent/goal/app_state.h"

#include "json/json.h"

#include <string.h>

enum { DEPTH_MAX = 2 };

bool ia_app_state_name_ok(struct ia_str name)
{
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        bool ok = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '.' || c == '_' || c == '-';
        if (!ok) {
            return false;
        }
    }
    return name.n > 0 && name.n <= IA_APP_STATE_NAME_MAX;
}

static enum ia_rc broken(struct ia_err *err, const char *what)
{
    return ia_err_set(err, IA_E_PARSE, "%s", what);
}

static enum ia_rc check_values(const json_t *state, struct ia_err *err)
{
    const char *name;
    json_t *value;
    if (!json_is_object(state) || json_object_size(state) > IA_APP_STATE_VALUES_MAX) {
        return broken(err, "\"state\" is not an object of at most 64 values");
    }
    json_object_foreach((json_t *)state, name, value)
    {
        struct ia_str text = ia_json_str(value);
        if (!ia_app_state_name_ok(ia_str(name))) {
            return broken(err, "a name is not 1 to 64 letters, digits, \".\", \"_\" or \"-\"");
        }
        if (!json_is_string(value) || text.n > IA_APP_STATE_VALUE_MAX ||
            memchr(text.p, '\0', text.n)) {
            return ia_err_set(err, IA_E_PARSE, "%s is not a text of at most %d bytes", name,
                              IA_APP_STATE_VALUE_MAX);
        }
    }
    return IA_OK;
}

static enum ia_rc check(const json_t *doc, struct ia_err *err)
{
    const json_t *version = json_object_get(doc, "v");
    const json_t *left_out = json_object_get(doc, "left_out");
    size_t members = 2 + (left_out != NULL);
    if (!json_is_integer(version) || json_integer_value(version) != IA_APP_STATE_VERSION) {
        return broken(err, "it has no \"v\" of 1; the app's IOSAgent.h or IOSAgent.swift and "
                           "ios-agent are of different versions");
    }
    if (json_object_size(doc) != members || (left_out && !json_is_integer(left_out))) {
        return broken(err, "it has other members than \"v\", \"state\" and \"left_out\"");
    }
    return check_values(json_object_get(doc, "state"), err);
}

static enum ia_rc parse(const char *json, json_t **ret, struct ia_err *err)
{
    size_t n = strlen(json);
    if (n > IA_APP_STATE_BYTES_MAX) {
        return ia_err_set(err, IA_E_PARSE, "it is longer than %d bytes",
                          IA_APP_STATE_BYTES_MAX);
    }
    bool flat = ia_json_depth_ok((struct ia_str){json, n}, DEPTH_MAX);
    json_t *doc = flat ? json_loadb(json, n, JSON_REJECT_DUPLICATES, NULL) : NULL;
    if (!json_is_object(doc)) {
        json_decref(doc);
        return broken(err, "it is not a JSON object with names that differ");
    }
    *ret = doc;
    return IA_OK;
}

static enum ia_rc not_told(const json_t *doc, struct ia_err *err)
{
    const json_t *state = json_object_get(doc, "state");
    struct ia_buf names = IA_BUF(IA_APP_STATE_LISTED * (IA_APP_STATE_NAME_MAX + 4));
    const char *name;
    json_t *value;
    size_t count = 0;
    json_object_foreach((json_t *)state, name, value)
    {
        if (count++ < IA_APP_STATE_LISTED) {
            ia_buf_printf(&names, "%s%s", names.len > 0 ? ", " : "", name);
        }
    }
    json_int_t left_out = json_integer_value(json_object_get(doc, "left_out"));
    ia_err_set(err, IA_E_NOT_FOUND, "the app does not tell it; it tells %s%s%s",
               count > 0 ? ia_buf_cstr(&names) : "nothing yet",
               count > IA_APP_STATE_LISTED ? ", \xe2\x80\xa6" : "",
               left_out > 0 ? ", and has more than the SDK shows" : "");
    ia_buf_fini(&names);
    return IA_E_NOT_FOUND;
}

enum ia_rc ia_app_state_get(const char *json, const char *name, struct ia_buf *ret,
                            struct ia_err *err)
{
    json_t *doc = NULL;
    enum ia_rc rc = parse(json, &doc, err);
    rc = rc == IA_OK ? check(doc, err) : rc;
    const json_t *value =
        rc == IA_OK ? json_object_get(json_object_get(doc, "state"), name) : NULL;
    if (rc == IA_OK && !value) {
        rc = not_told(doc, err);
    } else if (rc == IA_OK) {
        struct ia_str text = ia_json_str(value);
        ia_buf_put(ret, text.p, text.n);
    }
    json_decref(doc);
    return rc;
}
