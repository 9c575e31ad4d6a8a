/* device_registry.c: the table of device kinds, and what follows from it.
 *
 *   "bridge:UDID" ─► scheme ─► rows of that scheme, in order ─► match ─► parse ─► spec ─► open
 *
 * A spec is a name that was understood; parsing it connects and starts nothing. */
#include "driver/registry/device_registry.h"

#include "driver/registry/kinds.h"

#include <stdlib.h>
#include <string.h>

/* A UDID is narrower than an address: the rows of the runners come first. */
static const struct ia_device_kind *const kinds[] = {
    &ia_device_kind_embedded, &ia_device_kind_runner, &ia_device_kind_iphone_bridge,
    &ia_device_kind_bridge,   &ia_device_kind_iphone, &ia_device_kind_wda,
    &ia_device_kind_appium};

static const struct ia_deadline none = {NULL, IA_NO_DEADLINE};

static enum ia_rc unknown(const char *name, struct ia_err *err)
{
    struct ia_buf forms = IA_BUF(sizeof(err->hint));
    for (size_t i = 0; i < IA_COUNTOF(kinds); i++) {
        ia_buf_printf(&forms, "%s%s", i > 0 ? "; " : "", kinds[i]->help);
    }
    enum ia_rc rc = ia_err_set(err, IA_E_NO_DEVICE, "there is no device \"%s\"", name);
    ia_err_hint(err, "--device %s", ia_buf_cstr(&forms));
    ia_buf_fini(&forms);
    return rc;
}

/* Whether the name is of this scheme: *ret_rest is what follows the colon, or NULL where the
 * scheme stands alone. */
static bool has_scheme(const char *name, const char *scheme, const char **ret_rest)
{
    size_t n = strlen(scheme);
    if (strncmp(name, scheme, n) != 0 || !strchr(":?", name[n])) {
        return false;
    }
    *ret_rest = name[n] == ':' ? name + n + 1 : NULL;
    return true;
}

/* Cuts a name of this kind into its parts; false when it is of another. */
static bool split(const struct ia_device_kind *kind, const char *given,
                  struct ia_device_spec *ret)
{
    const char *rest;
    if (!has_scheme(given, kind->scheme, &rest) || (!rest && !kind->default_name)) {
        return false;
    }
    const char *query = strchr(given, '?');
    const char *name = rest ? rest : kind->default_name;
    size_t n = rest && query ? (size_t)(query - rest) : strlen(name);
    if (n == 0 && kind->default_name) {
        return false;
    }
    *ret = (struct ia_device_spec){.kind = kind};
    memcpy(ret->name, name, n);
    if (kind->match && !kind->match(ret->name, query ? query + 1 : NULL)) {
        return false;
    }
    ret->query = query ? ia_strdup(query + 1) : NULL;
    return true;
}

/* Whether a scheme that there is stands before a name that no spec could hold. */
static bool too_long(const char *given)
{
    bool found = false;
    const char *rest;
    for (size_t i = 0; i < IA_COUNTOF(kinds); i++) {
        found = found || (has_scheme(given, kinds[i]->scheme, &rest) && rest &&
                          strcspn(rest, "?") >= IA_DEVICE_NAME_MAX);
    }
    return found;
}

enum ia_rc ia_device_spec_find(const char *name, const struct ia_paths *paths,
                               struct ia_device_spec *ret, struct ia_err *err)
{
    struct ia_device_spec spec = {.kind = NULL};
    size_t i = 0;
    if (too_long(name)) {
        enum ia_rc rc = ia_err_set(
            err, IA_E_NO_DEVICE, "there is no device \"%s\": its name is longer than %d bytes",
            name, IA_DEVICE_NAME_MAX - 1);
        ia_err_hint(err, "shorten what stands behind the colon in --device");
        return rc;
    }
    while (i < IA_COUNTOF(kinds) && !split(kinds[i], name, &spec)) {
        i++;
    }
    if (i == IA_COUNTOF(kinds)) {
        return unknown(name, err);
    }
    spec.paths = paths;
    enum ia_rc rc = kinds[i]->parse(&spec, name, err);
    if (rc != IA_OK) {
        ia_device_spec_fini(&spec);
        return rc;
    }
    *ret = spec;
    return IA_OK;
}

/* Which kind is asked as it is for a spec, so that this check and the opening never differ. */
enum ia_rc ia_device_name_check_foreign(const char *name, struct ia_err *err)
{
    struct ia_device_spec spec = {.kind = NULL};
    bool known = false;
    for (size_t i = 0; !too_long(name) && !known && i < IA_COUNTOF(kinds); i++) {
        known = split(kinds[i], name, &spec);
    }
    bool refused = known && spec.kind->reaches_out;
    ia_device_spec_fini(&spec);
    if (!refused) {
        return IA_OK;
    }
    /* Without what stands behind "?": it may name a file. */
    (void)ia_err_set(
        err, IA_E_CONFIG,
        "the device \"%.*s\" is an address or your own iPhone, and only you may name "
        "one",
        (int)(strcspn(name, "?") < 80 ? strcspn(name, "?") : 80), name);
    ia_err_hint(err,
                "a project's or a goal's file names devices, such as embedded:NAME or a "
                "simulator's bridge:UDID; for these use --device or your own configuration");
    return IA_E_CONFIG;
}

void ia_device_spec_fini(struct ia_device_spec *spec)
{
    free(spec->query);
    ia_free_wiped(spec->token);
    free(spec->caps);
    *spec = (struct ia_device_spec){.kind = NULL};
}

void ia_device_spec_lend(struct ia_device_spec *spec, const struct ia_device_env *env)
{
    if (env && spec->kind->reaches_out) {
        ia_free_wiped(spec->token);
        free(spec->caps);
        spec->token = ia_strdup(env->token);
        spec->caps = ia_strdup(env->caps);
    }
}

static bool same(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

bool ia_device_spec_serves(const struct ia_device_spec *open,
                           const struct ia_device_spec *asked)
{
    return same(open->query, asked->query) &&
           (!asked->token || same(open->token, asked->token)) &&
           (!asked->caps || same(open->caps, asked->caps));
}

void ia_device_name_absolute(const char *name, const char *folder, struct ia_buf *out)
{
    static const char *const files[] = {"token-file=", "caps="};
    const char *at = strchr(name, '?');
    ia_buf_put(out, name, at ? (size_t)(at - name) : strlen(name));
    while (at) {
        const char *setting = at + 1, *end = strchr(setting, '&');
        size_t n = end ? (size_t)(end - setting) : strlen(setting), skip = 0;
        for (size_t i = 0; i < IA_COUNTOF(files); i++) {
            size_t m = strlen(files[i]);
            skip = n > m && strncmp(setting, files[i], m) == 0 ? m : skip;
        }
        ia_buf_put(out, at, 1 + skip);
        if (folder && skip > 0 && setting[skip] != '/') {
            ia_buf_printf(out, "%s/", folder);
        }
        ia_buf_put(out, setting + skip, n - skip);
        at = end;
    }
}

void ia_device_spec_lane(const struct ia_device_spec *spec, struct ia_buf *out)
{
    if (spec->kind->lane) {
        spec->kind->lane(spec, out);
    } else {
        ia_buf_printf(out, "%s:%s", spec->kind->scheme, spec->name);
    }
}

void ia_device_lane(const char *name, struct ia_buf *out)
{
    struct ia_device_spec spec;
    struct ia_err ignored;
    if (ia_device_spec_find(name, NULL, &spec, &ignored) == IA_OK) {
        ia_device_spec_lane(&spec, out);
        ia_device_spec_fini(&spec);
    } else {
        ia_buf_putstr(out, (struct ia_str){name, strcspn(name, "?")});
    }
}

bool ia_device_lane_simulated(const char *lane)
{
    bool simulated = false;
    const char *rest;
    for (size_t i = 0; i < IA_COUNTOF(kinds); i++) {
        simulated =
            simulated || (kinds[i]->simulated && has_scheme(lane, kinds[i]->scheme, &rest));
    }
    return simulated;
}

enum ia_rc ia_device_spec_open(const struct ia_device_spec *spec,
                               const struct ia_deadline *deadline, bool fresh,
                               struct ia_device **ret, struct ia_err *err)
{
    return spec->kind->open(spec, deadline ? deadline : &none, fresh, ret, err);
}

enum ia_rc ia_device_spec_describe(const struct ia_device_spec *spec,
                                   const struct ia_deadline *deadline, struct ia_buf *out,
                                   struct ia_err *err)
{
    return spec->kind->describe(spec, deadline ? deadline : &none, out, err);
}

void ia_device_list(const struct ia_paths *paths, ia_device_list_fn *fn, void *ctx)
{
    for (size_t i = 0; i < IA_COUNTOF(kinds); i++) {
        if (kinds[i]->list) {
            kinds[i]->list(paths, fn, ctx);
        }
    }
}
