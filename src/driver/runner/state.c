/* state.c: the state file of a simulator's runner: <home>/bridge/runners/UDID.json, mode 0600.
 *
 * {"udid","name","os","key","way":"simctl"|"xcodebuild","phase":"starting"|"ready","port",
 *  "token","pid","pid_token","started","skip_quiescence","note"}
 *
 * Written before the launch ("starting", without a pid), after it (with the pid), and once
 * the runner has answered ("ready"); removed once it is gone. Each write replaces the file
 * as a whole, so that a kill leaves the old one or the new one. */
#include "driver/runner/impl.h"

#include "base/fd.h"
#include "base/spawn.h"
#include "json/json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STATE_MAX = 16384 };

static const char *const way_names[] = {"simctl", "xcodebuild"};
static const char *const phase_names[] = {"starting", "ready"};

const char *ia_runner_way_name(enum ia_runner_way way)
{
    return way_names[way];
}

enum ia_rc ia_runner_check_udid(const char *udid, struct ia_err *err)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-";
    size_t n = udid ? strspn(udid, allowed) : 0;
    if (n > 0 && n < IA_RUNNER_UDID_SIZE && udid[n] == '\0' && udid[0] != '-') {
        return IA_OK;
    }
    return ia_err_set(err, IA_E_USAGE, "\"%s\" is not the UDID of a simulator",
                      udid ? udid : "");
}

/* ---- reading ----------------------------------------------------------------------------- */

static bool read_name(const json_t *root, const char *key, const char *const names[2], int *ret)
{
    const char *text = json_string_value(json_object_get(root, key));
    for (int i = 0; text && i < 2; i++) {
        if (strcmp(text, names[i]) == 0) {
            *ret = i;
            return true;
        }
    }
    return false;
}

static bool parse(const json_t *root, struct ia_runner *r)
{
    int way = 0;
    int phase = 0;
    json_int_t port = json_integer_value(json_object_get(root, "port"));
    bool ok = ia_json_copy(root, "udid", r->udid, sizeof(r->udid)) &&
              ia_json_copy(root, "name", r->name, sizeof(r->name)) &&
              ia_json_copy(root, "os", r->os, sizeof(r->os)) &&
              ia_json_copy(root, "key", r->key, sizeof(r->key)) &&
              ia_json_copy(root, "token", r->token, sizeof(r->token)) &&
              ia_json_copy(root, "pid_token", r->pid_token, sizeof(r->pid_token)) &&
              ia_json_copy(root, "note", r->note, sizeof(r->note)) &&
              read_name(root, "way", way_names, &way) &&
              read_name(root, "phase", phase_names, &phase) && port > 0 && port <= UINT16_MAX;
    r->way = (enum ia_runner_way)way;
    r->phase = (enum ia_runner_phase)phase;
    r->port = ok ? (uint16_t)port : 0;
    r->pid = json_integer_value(json_object_get(root, "pid"));
    r->started_ms = json_integer_value(json_object_get(root, "started"));
    r->skip_quiescence = json_is_true(json_object_get(root, "skip_quiescence"));
    return ok;
}

static enum ia_rc unusable(const char *path, const char *reason, struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_STATE, "cannot use %s: %s", path, reason);
    ia_err_hint(err, "ios-agent bridge start writes a new one");
    return rc;
}

/* Whoever can read the token can drive the simulator, and whoever can write the file could make
 * this program kill any process. */
static enum ia_rc check_mode(const char *path, struct ia_err *err)
{
    struct stat st;
    if (lstat(path, &st) != 0) {
        return ia_err_set(err, IA_E_NOT_FOUND, "no runner has been started: %s: %s", path,
                          strerror(errno));
    }
    bool safe = S_ISREG(st.st_mode) && (st.st_mode & 077) == 0 && st.st_uid == geteuid();
    return safe ? IA_OK : unusable(path, "other users can read or write it", err);
}

enum ia_rc ia_runner_load(const struct ia_runner_opts *opts, const char *udid,
                          struct ia_runner *ret, struct ia_err *err)
{
    struct ia_buf text = IA_BUF(STATE_MAX);
    struct ia_runner r = {.pid = 0};
    enum ia_rc rc = ia_runner_check_udid(udid, err);
    if (rc != IA_OK) {
        return rc;
    }
    char *path = ia_runner_path(opts, "runners/%s.json", udid);
    rc = check_mode(path, err);
    if (rc == IA_OK) {
        rc = ia_file_read(path, &text, err);
    }
    if (rc == IA_OK) {
        json_t *root = json_loadb(ia_buf_cstr(&text), text.len, JSON_REJECT_DUPLICATES, NULL);
        /* A file that was copied from another simulator's is no state of this one. */
        bool ok = root && parse(root, &r) && strcmp(r.udid, udid) == 0;
        json_decref(root);
        rc = ok ? IA_OK : unusable(path, "it is damaged", err);
    }
    if (rc == IA_OK) {
        *ret = r;
    }
    free(path);
    ia_buf_fini(&text);
    return rc;
}

/* ---- writing ----------------------------------------------------------------------------- */

static void put(struct ia_jsonw *w, const struct ia_runner *r)
{
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "udid", r->udid);
    ia_jsonw_kv(w, "name", r->name);
    ia_jsonw_kv(w, "os", r->os);
    ia_jsonw_kv(w, "key", r->key);
    ia_jsonw_kv(w, "way", way_names[r->way]);
    ia_jsonw_kv(w, "phase", phase_names[r->phase]);
    ia_jsonw_kv_int(w, "port", r->port);
    ia_jsonw_kv(w, "token", r->token);
    ia_jsonw_kv_int(w, "pid", r->pid);
    ia_jsonw_kv(w, "pid_token", r->pid_token);
    ia_jsonw_kv_int(w, "started", r->started_ms);
    ia_jsonw_kv_bool(w, "skip_quiescence", r->skip_quiescence);
    ia_jsonw_kv(w, "note", r->note);
    ia_jsonw_end_object(w);
}

enum ia_rc ia_runner_save(const struct ia_runner_opts *opts, const struct ia_runner *r,
                          struct ia_err *err)
{
    struct ia_buf text = IA_BUF(STATE_MAX);
    struct ia_jsonw w;
    char *path = ia_runner_path(opts, "runners/%s.json", r->udid);
    ia_jsonw_init(&w, &text);
    put(&w, r);
    enum ia_rc rc = ia_buf_check(&text, "the state of the runner", err);
    if (rc == IA_OK) {
        rc = ia_file_write_atomic(path, text.p, text.len, 0600, err);
    }
    free(path);
    ia_buf_fini(&text);
    return rc;
}

void ia_runner_forget(const struct ia_runner_opts *opts, const char *udid)
{
    char *path = ia_runner_path(opts, "runners/%s.json", udid);
    (void)unlink(path);
    free(path);
}

bool ia_runner_alive(const struct ia_runner *r)
{
    int exit_status = 0;
    int signo = 0;
    if (r->pid <= 0) {
        return false;
    }
    /* Reaps it where it is this process's child, so that no zombie is taken for it. */
    (void)ia_spawn_ended((pid_t)r->pid, &exit_status, &signo);
    return ia_process_alive(r->pid, r->pid_token);
}

/* ---- all of them ------------------------------------------------------------------------- */

static bool is_state(const char *name)
{
    static const char tail[] = ".json";
    size_t n = strlen(name);
    return n > strlen(tail) && n < IA_RUNNER_UDID_SIZE + strlen(tail) &&
           strcmp(name + n - strlen(tail), tail) == 0;
}

size_t ia_runner_list(const struct ia_runner_opts *opts, char (*ret_udids)[IA_RUNNER_UDID_SIZE])
{
    char *folder = ia_runner_path(opts, "runners");
    char **names = ia_runner_names(folder, is_state);
    size_t n = 0;
    for (char **p = names; *p && n < IA_RUNNERS_MAX; p++) {
        (*p)[strlen(*p) - strlen(".json")] = '\0';
        if (ia_runner_check_udid(*p, NULL) == IA_OK) {
            (void)snprintf(ret_udids[n++], IA_RUNNER_UDID_SIZE, "%s", *p);
        }
    }
    ia_runner_names_free(names);
    free(folder);
    return n;
}
