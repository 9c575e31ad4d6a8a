/* make.c: what a new simulator is made of: the device type and the runtime that a person names.
 *
 *   type      an identifier, a whole name, else the beginning of just one name
 *   runtime   an identifier, "iOS 26.2", "26.2", or "26" for the newest of those; none named: the
 *             newest that is available and runs on the type */
#include "base/buf.h"
#include "base/suggest.h"
#include "driver/simctl/list.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { SHOWN_MAX = 6 };

/* ---- types ------------------------------------------------------------------------------- */

static enum ia_rc unknown_type(const struct ia_sim_list *l, const char *text,
                               struct ia_err *err)
{
    const char **names = ia_calloc(l->type_count + 1, sizeof(*names));
    for (size_t i = 0; i < l->type_count; i++) {
        names[i] = l->types[i].name;
    }
    const char *nearest = ia_nearest(ia_str(text), names, l->type_count);
    (void)ia_err_set(err, IA_E_NOT_FOUND, "there is no device type \"%.100s\"", text);
    if (nearest) {
        ia_err_hint(err, "did you mean \"%s\"?", nearest);
    } else {
        ia_err_hint(err, "xcrun simctl list devicetypes lists all%s%s%s",
                    l->type_count > 0 ? "; for example, \"" : "",
                    l->type_count > 0 ? l->types[l->type_count - 1].name : "",
                    l->type_count > 0 ? "\"" : "");
    }
    free(names);
    return IA_E_NOT_FOUND;
}

static enum ia_rc several_types(const struct ia_sim_list *l, const char *text,
                                struct ia_err *err)
{
    struct ia_buf names = IA_BUF(2048);
    size_t n = 0;
    for (size_t i = l->type_count; i-- > 0;) { /* the newest stand last */
        if (strncasecmp(l->types[i].name, text, strlen(text)) == 0 && n++ < SHOWN_MAX) {
            ia_buf_printf(&names, "%s%s", names.len > 0 ? ", " : "", l->types[i].name);
        }
    }
    enum ia_rc rc =
        ia_err_set(err, IA_E_AMBIGUOUS, "%zu device types begin with \"%.100s\"", n, text);
    ia_err_hint(err, "give the whole name: %s%s", ia_buf_cstr(&names),
                n > SHOWN_MAX ? " …" : "");
    ia_buf_fini(&names);
    return rc;
}

enum ia_rc ia_sim_type_find(const struct ia_sim_list *l, const char *text,
                            const struct ia_sim_type **ret, struct ia_err *err)
{
    const struct ia_sim_type *whole = NULL, *begun = NULL;
    size_t n = strlen(text), count = 0;
    for (size_t i = 0; i < l->type_count; i++) {
        const struct ia_sim_type *t = &l->types[i];
        if (strcasecmp(t->name, text) == 0 || strcasecmp(t->id, text) == 0) {
            whole = t;
        } else if (n > 0 && strncasecmp(t->name, text, n) == 0) {
            begun = t;
            count++;
        }
    }
    if (!whole && count != 1) {
        return count == 0 ? unknown_type(l, text, err) : several_types(l, text, err);
    }
    *ret = whole ? whole : begun;
    return IA_OK;
}

/* ---- runtimes ---------------------------------------------------------------------------- */

/* The system of a type, by its family; an unknown family runs iOS. */
static const char *platform_of(const struct ia_sim_type *t)
{
    static const struct {
        const char *family, *platform;
    } rows[] = {{"Apple Watch", "watchOS"}, {"Apple TV", "tvOS"}, {"Apple Vision", "visionOS"}};
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        if (strncmp(t->family, rows[i].family, strlen(rows[i].family)) == 0 ||
            strncmp(t->name, rows[i].family, strlen(rows[i].family)) == 0) {
            return rows[i].platform;
        }
    }
    return "iOS";
}

static bool named(const struct ia_sim_runtime *r, const char *text)
{
    size_t p = strlen(r->platform), n;
    const char *version = r->name + p + (r->name[p] == ' ');
    if (strcasecmp(r->id, text) == 0) {
        return true;
    }
    if (strncasecmp(text, r->platform, p) == 0 && text[p] == ' ') {
        text += p + 1;
    }
    n = strlen(text);
    return n > 0 && strncmp(version, text, n) == 0 && (version[n] == '\0' || version[n] == '.');
}

static bool runs_on(const struct ia_sim_runtime *r, const struct ia_sim_type *t)
{
    return r->version >= t->min_version && r->version <= t->max_version &&
           strcmp(r->platform, platform_of(t)) == 0;
}

static void put_runtimes(const struct ia_sim_list *l, const struct ia_sim_type *t,
                         struct ia_buf *out)
{
    for (size_t i = 0; i < l->runtime_count; i++) {
        if (l->runtimes[i].available && runs_on(&l->runtimes[i], t)) {
            ia_buf_printf(out, "%s%s", out->len > 0 ? ", " : "", l->runtimes[i].name);
        }
    }
}

/* `near` has the name that was given and cannot be used; NULL: nothing has. */
static enum ia_rc no_runtime(const struct ia_sim_list *l, const struct ia_sim_type *t,
                             const char *text, const struct ia_sim_runtime *near,
                             struct ia_err *err)
{
    struct ia_buf fit = IA_BUF(2048);
    put_runtimes(l, t, &fit);
    if (near && near->available) {
        (void)ia_err_set(err, IA_E_UNSUPPORTED, "%s does not run on %s", near->name, t->name);
    } else if (near) {
        (void)ia_err_set(err, IA_E_MISSING, "the runtime %s is not available", near->name);
    } else if (text) {
        (void)ia_err_set(err, IA_E_MISSING, "there is no runtime \"%.60s\"", text);
    } else {
        (void)ia_err_set(err, IA_E_MISSING, "no runtime that is installed runs on %s", t->name);
    }
    if (fit.len > 0) {
        ia_err_hint(err, "there is %s", ia_buf_cstr(&fit));
    } else {
        ia_err_hint(err, "install one: xcodebuild -downloadPlatform iOS, or Xcode's settings "
                         "under Components");
    }
    ia_buf_fini(&fit);
    return near && near->available ? IA_E_UNSUPPORTED : IA_E_MISSING;
}

enum ia_rc ia_sim_runtime_find(const struct ia_sim_list *l, const char *text,
                               const struct ia_sim_type *type,
                               const struct ia_sim_runtime **ret, struct ia_err *err)
{
    const struct ia_sim_runtime *near = NULL;
    /* The newest stand first. */
    for (size_t i = 0; i < l->runtime_count; i++) {
        const struct ia_sim_runtime *r = &l->runtimes[i];
        if (text && !named(r, text)) {
            continue;
        }
        if (r->available && runs_on(r, type)) {
            *ret = r;
            return IA_OK;
        }
        near = text && !near ? r : near;
    }
    return no_runtime(l, type, text, near, err);
}
