/* daemon status, stop, restart, logs: what a person asks of the daemon, over its socket. */
#include "base/clock.h"
#include "base/fd.h"
#include "base/paths.h"
#include "cli/cmd/cmd.h"
#include "cli/cmd/daemon_calls.h"
#include "client/address.h"
#include "server/daemon/place.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

enum {
    CONTROL_MS = 5000, /* for an answer that waits for nothing */
    STOP_MS = 30000,
    PAUSE_MS = 10,
    LOG_BYTES_MAX = 16 << 20,
    LOG_LINES = 100
};

/* ---- calls --------------------------------------------------------------------------------- */

static enum ia_rc read_error(const json_t *error, const struct ia_client_answer *a,
                             struct ia_err *err)
{
    enum ia_rc rc = ia_rc_from_name(ia_json_text(error, "code"));
    rc = rc == IA_RC_COUNT || rc == IA_OK ? IA_E_PROTO : rc;
    (void)ia_err_set(err, rc, "%s", ia_json_text(error, "message"));
    ia_err_hint(err, "%s", ia_json_text(error, "hint"));
    if (!error) {
        return ia_err_set(err, IA_E_PROTO, "the daemon (build %s) answered with status %d",
                          a->build, a->http_status);
    }
    return rc;
}

enum ia_rc ia_daemon_call(struct ia_client *c, const struct ia_client_request *request,
                          json_t **ret, struct ia_err *err)
{
    struct ia_client_answer a;
    json_t *envelope = NULL;
    enum ia_rc rc = ia_client_call(c, request, &a, err);
    if (rc == IA_OK) {
        envelope = json_loadb(a.body.p, a.body.len, JSON_REJECT_DUPLICATES, NULL);
        const json_t *error = json_object_get(envelope, "error");
        bool ok = envelope && strcmp(ia_json_text(envelope, "status"), "ok") == 0;
        rc = ok ? IA_OK : read_error(error, &a, err);
    }
    if (rc == IA_OK) {
        *ret = json_incref(json_object_get(envelope, "result"));
    }
    json_decref(envelope);
    ia_client_answer_fini(&a);
    return rc;
}

static enum ia_rc get_status(const char *home, bool start, json_t **ret, struct ia_err *err)
{
    struct ia_client *c =
        ia_client_new(&(struct ia_client_opts){.home = home, .start = start}, err);
    struct ia_client_request q = {
        .method = "GET", .path = "/daemon", .deadline_ms = CONTROL_MS};
    enum ia_rc rc = ia_daemon_call(c, &q, ret, err);
    ia_client_free(c);
    return rc;
}

/* Whether another process has its place by now. */
static bool replaced(const char *home, int64_t pid)
{
    struct ia_lock_note note;
    ia_lock_note_read(home, &note);
    return note.pid != pid;
}

/* Until the lock is free: the socket goes before the process does. */
static enum ia_rc wait_for_end(const char *home, int64_t pid, struct ia_err *err)
{
    const struct ia_clock *clock = ia_clock_system();
    int64_t until_us = ia_mono_us(clock) + STOP_MS * INT64_C(1000);
    struct ia_place place;
    enum ia_rc rc = ia_place_take(home, &place, err);
    while (rc == IA_E_BUSY && ia_mono_us(clock) < until_us) {
        if (replaced(home, pid)) {
            return IA_OK;
        }
        (void)ia_clock_wait(clock, NULL, ia_mono_us(clock) + PAUSE_MS * INT64_C(1000));
        rc = ia_place_take(home, &place, err);
    }
    if (rc == IA_OK) {
        ia_place_leave(&place);
    } else if (rc == IA_E_BUSY) {
        rc = ia_err_set(err, IA_E_TIMEOUT, "the daemon still works: it ends when that is done");
        ia_err_hint(err,
                    "ios-agent runs says what; ios-agent daemon stop --now interrupts it, and "
                    "the next daemon resumes it");
    }
    return rc;
}

enum ia_rc ia_daemon_call_stop(const char *home, bool drain, struct ia_err *err)
{
    struct ia_client *c =
        ia_client_new(&(struct ia_client_opts){.home = home, .quiet = true}, err);
    struct ia_client_request q = {.method = "POST",
                                  .path = "/daemon/stop",
                                  .body =
                                      ia_str(drain ? "{\"drain\":true}" : "{\"drain\":false}"),
                                  .deadline_ms = CONTROL_MS};
    struct ia_lock_note note;
    ia_lock_note_read(home, &note);
    json_t *result = NULL;
    enum ia_rc rc = ia_daemon_call(c, &q, &result, err);
    int64_t pid = json_integer_value(json_object_get(result, "pid"));
    json_decref(result);
    ia_client_free(c);
    /* It may be killed, or end, with its answer unread. */
    if (rc == IA_E_IO && wait_for_end(home, note.pid, NULL) == IA_OK) {
        return IA_OK;
    }
    if (rc == IA_E_TIMEOUT) {
        (void)ia_err_set(err, rc, "the daemon (pid %lld) does not answer", (long long)note.pid);
        ia_err_hint(err, "kill %lld; what it did is in the database, and is resumed",
                    (long long)note.pid);
    }
    return rc == IA_OK ? wait_for_end(home, pid, err) : rc;
}

/* ---- commands ------------------------------------------------------------------------------ */

static void none_runs(struct ia_cli *c, const char *home)
{
    ia_buf_printf(&c->text, "no daemon runs for %s\n", home);
    ia_jsonw_object(&c->w);
    ia_jsonw_kv_bool(&c->w, "running", false);
    ia_jsonw_kv(&c->w, "home", home);
    ia_jsonw_end_object(&c->w);
}

static void put_lanes(struct ia_buf *out, const json_t *lanes)
{
    size_t i;
    const json_t *lane;
    json_array_foreach(lanes, i, lane)
    {
        const char *holder = ia_json_text(lane, "holder");
        ia_buf_printf(out, "device   %s%s%s\n", ia_json_text(lane, "lane"),
                      *holder ? ", held by " : "", holder);
    }
}

static void put_status(struct ia_cli *c, const json_t *s)
{
    const json_t *idle = json_object_get(s, "idle_in_s");
    const char *http = ia_json_text(s, "http");
    ia_buf_printf(&c->text, "daemon   pid %lld, build %s, since %s\nhome     %s\n",
                  (long long)json_integer_value(json_object_get(s, "pid")),
                  ia_json_text(s, "build"), ia_json_text(s, "started"),
                  ia_json_text(s, "home"));
    if (*http) {
        ia_buf_printf(&c->text, "http     %s\n", http);
    }
    if (json_is_integer(idle)) {
        ia_buf_printf(&c->text, "ends     in %lld s, unless something is asked of it\n",
                      (long long)json_integer_value(idle));
    }
    put_lanes(&c->text, json_object_get(s, "lanes"));
}

static enum ia_rc put_json(struct ia_cli *c, json_t *s, struct ia_err *err)
{
    (void)json_object_set_new(s, "running", json_true());
    char *text = json_dumps(s, JSON_COMPACT);
    if (!text) {
        return ia_err_set(err, IA_E_INTERNAL, "the status cannot be written");
    }
    ia_buf_puts(&c->result, text);
    free(text);
    return IA_OK;
}

static enum ia_rc show_status(struct ia_cli *c, const char *home, bool start,
                              struct ia_err *err)
{
    json_t *s = NULL;
    enum ia_rc rc = get_status(home, start, &s, err);
    if (rc == IA_E_NOT_FOUND) {
        none_runs(c, home);
        return IA_OK;
    }
    if (rc == IA_OK) {
        put_status(c, s);
        rc = put_json(c, s, err);
    }
    json_decref(s);
    return rc;
}

static enum ia_rc stop_it(struct ia_cli *c, const char *home, bool drain, struct ia_err *err)
{
    enum ia_rc rc = ia_daemon_call_stop(home, drain, err);
    if (rc == IA_E_NOT_FOUND) {
        none_runs(c, home);
        return IA_OK;
    }
    if (rc == IA_OK) {
        ia_buf_puts(&c->text, "stopped\n");
        ia_jsonw_object(&c->w);
        ia_jsonw_kv_bool(&c->w, "running", false);
        ia_jsonw_kv(&c->w, "home", home);
        ia_jsonw_end_object(&c->w);
    }
    return rc;
}

enum ia_rc ia_cmd_daemon_status(struct ia_cli *c, struct ia_err *err)
{
    struct ia_paths paths;
    enum ia_rc rc = ia_paths_find(NULL, &paths, err);
    if (rc == IA_OK) {
        rc = show_status(c, paths.home, false, err);
        ia_paths_fini(&paths);
    }
    return rc;
}

enum ia_rc ia_cmd_daemon_stop(struct ia_cli *c, struct ia_err *err)
{
    struct ia_paths paths;
    enum ia_rc rc = ia_paths_find(NULL, &paths, err);
    if (rc == IA_OK) {
        rc = stop_it(c, paths.home, !ia_args_has(&c->args, "now"), err);
        ia_paths_fini(&paths);
    }
    return rc;
}

enum ia_rc ia_cmd_daemon_restart(struct ia_cli *c, struct ia_err *err)
{
    struct ia_paths paths;
    enum ia_rc rc = ia_paths_find(NULL, &paths, err);
    if (rc != IA_OK) {
        return rc;
    }
    rc = ia_daemon_call_stop(paths.home, false, err);
    if (rc == IA_OK || rc == IA_E_NOT_FOUND) {
        rc = show_status(c, paths.home, true, err);
    }
    ia_paths_fini(&paths);
    return rc;
}

/* The last lines of one file, or nothing where there is none. */
static void put_tail(struct ia_buf *out, const char *home, const char *name)
{
    struct ia_buf text = IA_BUF(LOG_BYTES_MAX);
    char *path = ia_path_join(home, name);
    if (ia_file_read(path, &text, NULL) == IA_OK) {
        size_t from = text.len;
        for (int lines = 0; from > 0 && lines <= LOG_LINES; from--) {
            lines += text.p[from - 1] == '\n' ? 1 : 0;
        }
        from += from > 0 ? 2 : 0; /* back behind the newline that was one too many */
        ia_buf_put(out, text.p + from, text.len - from);
    }
    free(path);
    ia_buf_fini(&text);
}

enum ia_rc ia_cmd_daemon_logs(struct ia_cli *c, struct ia_err *err)
{
    struct ia_paths paths;
    enum ia_rc rc = ia_paths_find(NULL, &paths, err);
    if (rc != IA_OK) {
        return rc;
    }
    put_tail(&c->text, paths.home, "daemon.log");
    if (c->text.len == 0) {
        rc = ia_err_set(err, IA_E_NOT_FOUND, "there is no %s/daemon.log", paths.home);
        ia_err_hint(err,
                    "a daemon that a command started writes it; ios-agent daemon prints to "
                    "its terminal");
    }
    ia_paths_fini(&paths);
    return rc;
}
