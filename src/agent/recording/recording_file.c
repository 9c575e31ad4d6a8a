/* recording_file.c: the name and path of a recording's file, and its import into the store. */
#include "agent/recording/recording_file.h"

#include "agent/goal/goalfile.h"
#include "agent/recording/make.h"
#include "agent/recording/recording_vars.h"
#include "base/fd.h"
#include "base/paths.h"
#include "base/utf8.h"
#include "store/recordings.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 100 };

/* ---- names ------------------------------------------------------------------------------ */

/* Letters and digits, ASCII ones in lower case, with one hyphen for everything between. */
static void put_name(struct ia_buf *out, const char *goal)
{
    size_t n = ia_utf8_cut(goal, strlen(goal) < NAME_BYTES ? strlen(goal) : NAME_BYTES);
    bool gap = false;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)goal[i];
        bool upper = c >= 'A' && c <= 'Z';
        bool kept = upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c >= 0x80;
        if (kept && gap && out->len > 0) {
            ia_buf_putc(out, '-');
        }
        if (kept) {
            ia_buf_putc(out, (char)(upper ? c - 'A' + 'a' : c));
        }
        gap = !kept;
    }
    ia_buf_puts(out, out->len > 0 ? IA_RECORDING_SUFFIX : "goal" IA_RECORDING_SUFFIX);
}

char *ia_recording_path(const char *goal_file, const char *goal_name)
{
    struct ia_buf name = IA_BUF(SIZE_MAX);
    const char *slash = strrchr(goal_file, '/');
    char *folder = slash ? ia_strndup(goal_file, (size_t)(slash - goal_file) + 1) : NULL;
    put_name(&name, goal_name);
    char *path = folder ? ia_path_join(folder, ia_buf_cstr(&name)) : ia_buf_steal(&name);
    ia_buf_fini(&name);
    free(folder);
    return path;
}

bool ia_recording_named(const char *path)
{
    size_t n = strlen(path), end = strlen(IA_RECORDING_SUFFIX);
    return n > end && strcmp(path + n - end, IA_RECORDING_SUFFIX) == 0;
}

/* ---- reading ---------------------------------------------------------------------------- */

enum ia_rc ia_recording_open(const char *path, json_t **ret, struct ia_err *err)
{
    struct ia_buf text = IA_BUF(IA_RECORDING_BYTES_MAX);
    enum ia_rc rc = ia_file_read_regular(path, &text, err);
    if (rc == IA_OK) {
        rc = ia_recording_read(path, ia_buf_str(&text), ret, err);
    } else if (rc == IA_E_LIMIT) {
        rc = ia_err_set(err, IA_E_CONFIG, "%s: a recording has at most %d KB", path,
                        IA_RECORDING_BYTES_MAX >> 10);
    }
    ia_buf_fini(&text);
    return rc;
}

/* Checks that every variable of the recording has a value. */
static enum ia_rc check_vars(const char *path, const json_t *names,
                             const struct ia_run_request *req, struct ia_err *err)
{
    size_t i, k;
    json_t *name;
    json_array_foreach(names, i, name)
    {
        struct ia_str want = ia_json_str(name);
        for (k = 0; k < req->var_count; k++) {
            struct ia_str var = {req->vars[k], strcspn(req->vars[k], "=")};
            if (ia_str_eq(var, want)) {
                break;
            }
        }
        if (k == req->var_count) {
            enum ia_rc rc = ia_err_set(err, IA_E_STATE, "%s: the goal has no variable \"%.*s\"",
                                       path, (int)want.n, want.p);
            ia_err_hint(err, "take it out of vars, and its {{%.*s}} out of the steps",
                        (int)want.n, want.p);
            return rc;
        }
    }
    return IA_OK;
}

static bool is_known(const struct ia_run_request *req, const char *var)
{
    size_t i = 0;
    while (i < req->known_count && strcmp(req->known[i], var) != 0) {
        i++;
    }
    return i < req->known_count;
}

static bool has_var(const json_t *names, struct ia_str name)
{
    size_t i;
    json_t *item;
    json_array_foreach((json_t *)names, i, item)
    {
        if (ia_str_eq(ia_json_str(item), name)) {
            return true;
        }
    }
    return false;
}

static const char *value_of(const struct ia_run_request *req, const char *name)
{
    size_t n = strlen(name);
    for (size_t i = 0; i < req->var_count; i++) {
        if (strncmp(req->vars[i], name, n) == 0 && req->vars[i][n] == '=') {
            return req->vars[i] + n + 1;
        }
    }
    return NULL;
}

static enum ia_rc uncertain(const char *path, struct ia_str name, const char *value,
                            struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_STATE,
                               "%s: it was recorded with %.*s = \"%.100s\", and it is not "
                               "certain what depends on that value",
                               path, (int)name.n, name.p, value);
    ia_err_hint(err,
                "run the goal once with a model and the new value; or put {{%.*s}} into the "
                "steps wherever the value is meant, and its name into vars instead of fixed",
                (int)name.n, name.p);
    return rc;
}

/* A variable must keep its recorded value if its influence on the steps is not certain. */
static enum ia_rc check_fixed(const char *path, const json_t *fixed,
                              const struct ia_run_request *req, struct ia_err *err)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)fixed, name, value)
    {
        const char *now = value_of(req, name);
        if (now && strcmp(now, json_string_value(value)) != 0) {
            return uncertain(path, ia_str(name), json_string_value(value), err);
        }
    }
    return IA_OK;
}

/* A file may have been edited: a value that the goal's file does not have must not meet steps with one that it has. */
static enum ia_rc check_known(const char *path, const json_t *recording,
                              const struct ia_run_request *req, struct ia_err *err)
{
    const json_t *names = json_object_get(recording, "vars");
    for (size_t i = 0; i < req->known_count; i++) {
        struct ia_str name = {req->known[i], strcspn(req->known[i], "=")};
        char *text = ia_strndup(name.p, name.n);
        const char *now = has_var(names, name) ? value_of(req, text) : NULL;
        const char *value = req->known[i] + name.n + 1;
        free(text);
        if (now && !is_known(req, now - name.n - 1) &&
            !ia_recording_certain(json_object_get(recording, "step"), name, value)) {
            return uncertain(path, name, value, err);
        }
    }
    return IA_OK;
}

enum ia_rc ia_recording_check_goal(const char *path, const json_t *recording,
                                   const struct ia_run_request *req, struct ia_err *err)
{
    char hash[IA_GOAL_HASH_SIZE];
    const char *name = req->name ? req->name : req->goal;
    ia_goal_hash(req, hash);
    if (strcmp(hash, ia_json_text(recording, "goal_hash")) == 0) {
        enum ia_rc rc = check_vars(path, json_object_get(recording, "vars"), req, err);
        rc =
            rc == IA_OK ? check_fixed(path, json_object_get(recording, "fixed"), req, err) : rc;
        return rc == IA_OK ? check_known(path, recording, req, err) : rc;
    }
    bool same = strcmp(ia_json_text(recording, "goal"), name) == 0;
    enum ia_rc rc =
        same ? ia_err_set(err, IA_E_STATE, "%s: the goal was changed since it was recorded",
                          path)
             : ia_err_set(err, IA_E_STATE, "%s is a recording of another goal, \"%.100s\"",
                          path, ia_json_text(recording, "goal"));
    ia_err_hint(err,
                "run the goal once more with a model; what passes is a new recording. A "
                "variable is a part of the goal if its value is short or in its text, too");
    return rc;
}

/* ---- rows ------------------------------------------------------------------------------- */

enum ia_rc ia_recording_import(struct ia_tx *tx, const json_t *recording, bool by_hand,
                               char ret_id[IA_ID_SIZE], struct ia_err *err)
{
    struct ia_recording_put put;
    enum ia_rc rc = ia_recording_put(recording, &put, err);
    if (rc == IA_OK) {
        put.row.run_id = ia_json_text(json_object_get(recording, "recorded"), "run");
        put.row.state = IA_RECORDING_TRUSTED;
        put.row.decided_by = "file";
        ia_tx_import_recording(tx, &put.row, by_hand, ret_id);
    }
    ia_buf_fini(&put.body);
    return rc;
}

/* The path as the sweep named it, relative to the folder in which it ran. */
static void on_goal_file(void *ctx, const char *file, const char *options)
{
    json_t *doc = json_loads(options, 0, NULL);
    const char *folder = ia_json_text(doc, "folder");
    *(char **)ctx = ia_path_join(*folder ? folder : ".", file);
    json_decref(doc);
}

enum ia_rc ia_recording_goal_file(struct ia_store *store, const char *goal_hash, char **ret,
                                  struct ia_err *err)
{
    *ret = NULL;
    return ia_store_goal_file(store, goal_hash, on_goal_file, ret, err);
}

enum ia_rc ia_recording_place(struct ia_store *store, const struct ia_recording_row *row,
                              char **ret, struct ia_err *err)
{
    char *goal_file = NULL;
    enum ia_rc rc = ia_recording_goal_file(store, row->goal_hash, &goal_file, err);
    if (rc == IA_OK && !goal_file) {
        rc = ia_err_set(err, IA_E_NOT_FOUND,
                        "\"%.100s\" is in no goal file that a sweep has run", row->name);
        ia_err_hint(err, "name the file: ios-agent recordings export %.36s NAME%s", row->id,
                    IA_RECORDING_SUFFIX);
    }
    if (rc == IA_OK) {
        *ret = ia_recording_path(goal_file, row->name);
    }
    free(goal_file);
    return rc;
}
