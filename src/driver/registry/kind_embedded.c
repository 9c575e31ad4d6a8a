/* kind_embedded.c: "embedded:NAME?QUERY", a phone that this program simulates, kept in
 * <home>/embedded. */
#include "base/fd.h"
#include "driver/registry/kinds.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum { LISTED_MAX = 256 };

static enum ia_rc parse(struct ia_device_spec *spec, const char *given, struct ia_err *err)
{
    (void)given;
    enum ia_rc rc = ia_embedded_check(spec->query, err);
    return rc == IA_OK ? ia_embedded_check_name(spec->name, err) : rc;
}

enum ia_rc ia_device_spec_embedded(const struct ia_device_spec *spec,
                                   struct ia_embedded_options *ret, char **ret_folder,
                                   struct ia_err *err)
{
    if (spec->kind != &ia_device_kind_embedded) {
        enum ia_rc rc =
            ia_err_set(err, IA_E_USAGE, "%s:%s is not a phone simulated by this program",
                       spec->kind->scheme, spec->name);
        ia_err_hint(
            err,
            "use --device embedded:NAME; a served phone has the name given to embedded serve");
        return rc;
    }
    *ret_folder = ia_path_join(spec->paths->home, IA_DEVICE_EMBEDDED);
    *ret = (struct ia_embedded_options){
        .folder = *ret_folder, .name = spec->name, .query = spec->query};
    return IA_OK;
}

static enum ia_rc open_phone(const struct ia_device_spec *spec,
                             const struct ia_deadline *deadline, bool fresh,
                             struct ia_device **ret, struct ia_err *err)
{
    struct ia_embedded_options opt;
    char *folder = NULL;
    (void)deadline; /* it opens at once */
    enum ia_rc rc = ia_device_spec_embedded(spec, &opt, &folder, err);
    if (rc == IA_OK) {
        rc = ia_mkdirs(folder, err);
    }
    if (rc == IA_OK) {
        opt.fresh = fresh;
        rc = ia_embedded_open(&opt, ret, err);
    }
    free(folder);
    return rc;
}

/* Replays the phone's log, which is only read: a damaged one is found here. */
static enum ia_rc describe(const struct ia_device_spec *spec,
                           const struct ia_deadline *deadline, struct ia_buf *out,
                           struct ia_err *err)
{
    enum { STATE_MAX = 64 << 20 };
    struct ia_embedded_options opt;
    char *folder = NULL;
    struct ia_buf state = IA_BUF(STATE_MAX);
    struct ia_jsonw w;
    (void)deadline;
    ia_jsonw_init(&w, &state);
    enum ia_rc rc = ia_device_spec_embedded(spec, &opt, &folder, err);
    if (rc == IA_OK) {
        opt.query = NULL;
        ia_buf_printf(out, IA_DEVICE_EMBEDDED ":%s: simulated in this program, kept in %s",
                      spec->name, folder);
        rc = ia_embedded_state_json(&opt, &w, err);
    }
    ia_buf_fini(&state);
    free(folder);
    return rc;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The default phone, which is there before it is used, then those that left a log. */
static void list(const struct ia_paths *paths, ia_device_list_fn *fn, void *ctx)
{
    static const char suffix[] = ".log";
    const char *first = ia_device_kind_embedded.default_name;
    char *names[LISTED_MAX];
    size_t n = 0;
    char *folder = ia_path_join(paths->home, IA_DEVICE_EMBEDDED);
    DIR *dir = opendir(folder);
    names[n++] = ia_strdup(first);
    for (struct dirent *e; dir && n < LISTED_MAX && (e = readdir(dir));) {
        size_t len = strlen(e->d_name);
        size_t keep = len > sizeof(suffix) - 1 ? len - (sizeof(suffix) - 1) : 0;
        if (keep == 0 || strcmp(e->d_name + keep, suffix) != 0 || e->d_name[0] == '.') {
            continue;
        }
        char *name = ia_strndup(e->d_name, keep);
        if (strcmp(name, first) != 0) {
            names[n++] = name;
        } else {
            free(name);
        }
    }
    if (dir) {
        closedir(dir);
    }
    free(folder);
    qsort(names + 1, n - 1, sizeof(*names), compare_names);
    for (size_t i = 0; i < n; i++) {
        struct ia_buf name = IA_BUF(512);
        ia_buf_printf(&name, IA_DEVICE_EMBEDDED ":%s", names[i]);
        fn(ctx, ia_buf_cstr(&name));
        ia_buf_fini(&name);
        free(names[i]);
    }
}

const struct ia_device_kind ia_device_kind_embedded = {
    .scheme = IA_DEVICE_EMBEDDED,
    .help = "embedded, or embedded:NAME for another simulated phone",
    .default_name = "default",
    .simulated = true,
    .parse = parse,
    .open = open_phone,
    .describe = describe,
    .list = list,
};
