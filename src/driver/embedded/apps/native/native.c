/* native.c: from an action to its function, past the phone's owner. */
#include "driver/embedded/apps/native/native.h"

#include "json/json.h"

#include <stdlib.h>
#include <string.h>

static ia_native_fn *const functions[IA_NATIVE_COUNT] = {
#define ROW(name, fn) [IA_NATIVE_##name] = ia_native_##fn,
    IA_PHONE_NATIVE_LIST(ROW)
#undef ROW
};

/* What iOS permits for each service of the table; those that it does not ask about are missing. */
static const struct {
    const char *service, *permission;
} permissions[] = {{"calendar", "calendar"},  {"reminder", "reminders"},
                   {"contact", "contacts"},   {"photo", "photos"},
                   {"health", "health"},      {"home", "home"},
                   {"music", "media-library"}};

const char *ia_phone_native_service(enum ia_native action)
{
    if (action == IA_NATIVE_LOCATION_HERE) {
        return "location"; /* the names of places are no secret */
    }
    for (size_t i = 0; i < IA_COUNTOF(permissions); i++) {
        if (strcmp(ia_native_actions[action].service, permissions[i].service) == 0) {
            return permissions[i].permission;
        }
    }
    return NULL;
}

static enum ia_rc refuse(enum ia_native action, enum ia_permission is, struct ia_err *err)
{
    const char *name = ia_native_actions[action].name;
    bool asked = is == IA_PERMISSION_DENIED;
    enum ia_rc rc = ia_err_set(err, IA_E_FORBIDDEN,
                               asked ? "the phone does not permit %s: \"%s\" was denied"
                                     : "%s needs \"%s\", which nobody has permitted yet",
                               name, ia_phone_native_service(action));
    if (!asked) {
        ia_err_hint(err, "the phone asks: answer its alert, then try again");
    } else if (ia_privacy_service_find(ia_str(ia_phone_native_service(action))) >= 0) {
        ia_err_hint(err, "its owner can permit it: ios-agent privacy grant %s " IA_NATIVE_APP,
                    ia_phone_native_service(action));
    } else {
        ia_err_hint(err, "to be asked again: ios-agent privacy reset all " IA_NATIVE_APP);
    }
    rc = ia_device_not_sent(rc, err);
    if (err) {
        err->retry_safe = !asked;
    }
    return rc;
}

/* iOS does not tell a program whether it may read health data: where it may not, there is none. */
static enum ia_rc permitted(const struct ia_phone *p, enum ia_native action, bool *ret_limited,
                            struct ia_err *err)
{
    const char *service = ia_phone_native_service(action);
    enum ia_permission is =
        service ? ia_system_permission(&p->system, IA_PERMISSIONS_NATIVE, service)
                : IA_PERMISSION_GRANTED;
    bool hidden = action == IA_NATIVE_HEALTH_QUERY && is == IA_PERMISSION_DENIED;
    bool may = is == IA_PERMISSION_GRANTED || is == IA_PERMISSION_LIMITED || hidden;
    *ret_limited = is == IA_PERMISSION_LIMITED || hidden;
    return may ? IA_OK : refuse(action, is, err);
}

enum ia_rc ia_phone_native_read(const struct ia_phone *p, enum ia_native action,
                                const struct json_t *args, struct ia_jsonw *w,
                                struct ia_err *err)
{
    struct ia_native_call c = {.p = (struct ia_phone *)(uintptr_t)p, /* it only reads */
                               .args = args,
                               .w = w,
                               .err = err};
    enum ia_rc rc = permitted(p, action, &c.limited, err);
    if (rc == IA_OK) {
        rc = functions[action](&c);
    }
    if (rc == IA_OK && c.limited && action != IA_NATIVE_HEALTH_QUERY) {
        ia_jsonw_kv_bool(w, "limited", true);
    }
    return rc;
}

enum ia_rc ia_phone_native_check(const struct ia_phone *p, enum ia_native action,
                                 struct ia_str args, struct ia_err *err)
{
    struct ia_native_call c = {.p = (struct ia_phone *)(uintptr_t)p, /* w is NULL: unchanged */
                               .err = err};
    json_t *o = NULL;
    enum ia_rc rc =
        (int)action >= 0 && action < IA_NATIVE_COUNT && ia_native_actions[action].effect
            ? ia_native_parse(action, args, &o, err)
            : ia_err_set(err, IA_E_USAGE, "that is no action that changes something");
    c.args = o;
    if (rc == IA_OK) {
        rc = permitted(p, action, &c.limited, err);
    }
    if (rc == IA_OK) {
        rc = functions[action](&c);
    }
    json_decref(o);
    return rc;
}

void ia_phone_native_act(struct ia_phone *p, enum ia_native action, struct ia_str args)
{
    struct ia_buf answer = IA_BUF(IA_NATIVE_ANSWER_MAX);
    struct ia_jsonw w;
    json_t *o = json_loadb(args.p, args.n, 0, NULL);
    struct ia_native_call c = {.p = p, .args = o, .w = &w};
    ia_jsonw_init(&w, &answer);
    ia_jsonw_object(&w);
    (void)functions[action](&c);
    ia_jsonw_end_object(&w);
    free(p->answer);
    p->answer = ia_buf_steal(&answer);
    json_decref(o);
}

enum ia_rc ia_native_services(struct ia_native_call *c)
{
    static const char *const words[] = {[IA_PERMISSION_UNASKED] = "not asked",
                                        [IA_PERMISSION_GRANTED] = "full",
                                        [IA_PERMISSION_DENIED] = "denied",
                                        [IA_PERMISSION_LIMITED] = "limited"};
    struct ia_native_list list = ia_native_list_begin(c->w, "services");
    const char *last = "device";
    for (int i = 0; i < IA_NATIVE_COUNT; i++) {
        const char *service = ia_native_actions[i].service;
        const char *needs = ia_phone_native_service((enum ia_native)i);
        if (strcmp(service, last) == 0 || !ia_native_list_item(&list)) {
            continue;
        }
        ia_jsonw_kv(c->w, "service", service);
        ia_jsonw_kv_bool(c->w, "can", true);
        ia_jsonw_kv(
            c->w, "access",
            needs ? words[ia_system_permission(&c->p->system, IA_PERMISSIONS_NATIVE, needs)]
                  : "full");
        ia_jsonw_end_object(c->w);
        last = service;
    }
    ia_native_list_end(&list);
    return IA_OK;
}
