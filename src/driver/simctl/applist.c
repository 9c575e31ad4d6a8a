/* applist.c: listapps and appinfo: which apps are installed. Both print old-style property lists
 * (openstep.h), which become JSON values; rows borrow their strings from those. */
#include "driver/simctl/impl.h"
#include "driver/simctl/openstep.h"

#include "json/json.h"

#include <stdlib.h>
#include <string.h>

static const char *first_of(const json_t *row, const char *a, const char *b)
{
    const char *text = ia_json_text(row, a);
    return text[0] != '\0' ? text : ia_json_text(row, b);
}

static struct ia_sim_app app_of(const char *id, const json_t *row)
{
    return (struct ia_sim_app){
        .bundle_id = id,
        .name = first_of(row, "CFBundleDisplayName", "CFBundleName"),
        .version = first_of(row, "CFBundleShortVersionString", "CFBundleVersion"),
        .type = ia_json_text(row, "ApplicationType"),
        .path = ia_json_text(row, "Path"),
        .data = ia_json_text(row, "DataContainer")};
}

static int by_id(const void *a, const void *b)
{
    const struct ia_sim_app *x = a;
    const struct ia_sim_app *y = b;
    return strcmp(x->bundle_id, y->bundle_id);
}

void ia_sim_apps_free(struct ia_sim_apps *apps)
{
    if (apps) {
        free(apps->apps);
        json_decref(apps->memory);
        free(apps);
    }
}

/* Takes root. */
static struct ia_sim_apps *apps_new(json_t *root, size_t room)
{
    struct ia_sim_apps *a = ia_calloc(1, sizeof(*a));
    a->apps = ia_calloc(room + 1, sizeof(*a->apps));
    a->memory = root;
    return a;
}

static struct ia_simctl_verb reading(const char *const *args)
{
    return (struct ia_simctl_verb){.args = args,
                                   .output_max = IA_OPENSTEP_BYTES_MAX,
                                   .limit_ms = IA_SIMCTL_APP_MS,
                                   .reads = true};
}

/* Runs it and parses the object that it prints. */
static enum ia_rc ask(struct ia_simctl *s, const struct ia_deadline *deadline,
                      const char *const *args, json_t **ret, struct ia_err *err)
{
    struct ia_simctl_verb verb = reading(args);
    struct ia_buf out = IA_BUF(IA_OPENSTEP_BYTES_MAX);
    json_t *root = NULL;
    enum ia_rc rc = ia_simctl_do(s, deadline, &verb, &out, NULL, err);
    if (rc == IA_OK) {
        rc = ia_openstep_parse(ia_buf_str(&out), &root, err);
        rc = rc == IA_OK ? rc : ia_err_wrap(err, rc, "simctl %s", args[0]);
    }
    if (rc == IA_OK && !json_is_object(root)) {
        rc = ia_err_set(err, IA_E_PARSE, "simctl %s printed no dictionary", args[0]);
        json_decref(root);
        root = NULL;
    }
    ia_buf_fini(&out);
    *ret = root;
    return rc;
}

enum ia_rc ia_simctl_listapps(struct ia_simctl *s, const struct ia_deadline *deadline,
                              const char *udid, struct ia_sim_apps **ret, struct ia_err *err)
{
    const char *const args[] = {"listapps", udid, NULL};
    json_t *root = NULL;
    enum ia_rc rc = ia_simctl_check_udid(udid, err);
    if (rc == IA_OK) {
        rc = ask(s, deadline, args, &root, err);
    }
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_sim_apps *a = apps_new(root, json_object_size(root));
    const char *id;
    json_t *row;
    json_object_foreach(root, id, row)
    {
        if (json_is_object(row)) {
            a->apps[a->count++] = app_of(id, row);
        }
    }
    qsort(a->apps, a->count, sizeof(*a->apps), by_id);
    *ret = a;
    return IA_OK;
}

enum ia_rc ia_simctl_appinfo(struct ia_simctl *s, const struct ia_deadline *deadline,
                             const char *udid, const char *bundle_id, struct ia_sim_apps **ret,
                             struct ia_err *err)
{
    const char *const args[] = {"appinfo", udid, bundle_id, NULL};
    json_t *root = NULL;
    enum ia_rc rc = ia_simctl_check_udid(udid, err);
    rc = rc == IA_OK ? ia_simctl_check_bundle(bundle_id, err) : rc;
    if (rc == IA_OK) {
        rc = ask(s, deadline, args, &root, err);
    }
    if (rc != IA_OK) {
        return rc;
    }
    /* For an app that is not there it prints a dictionary too, but without a path. */
    if (ia_json_text(root, "Path")[0] == '\0') {
        json_decref(root);
        rc = ia_err_set(err, IA_E_NO_APP, "%s is not installed on %s", bundle_id, udid);
        ia_err_hint(err, "install it first: ios-agent install APP --sim NAME");
        return rc;
    }
    struct ia_sim_apps *a = apps_new(root, 1);
    a->apps[a->count++] = app_of(ia_json_text(root, "CFBundleIdentifier"), root);
    *ret = a;
    return IA_OK;
}
