/* doctor: checks that every part works here and, if not, says how to fix it.
 *
 * Each check uses the part as a run would, and every one runs whatever the others found.
 * Nothing is sent to the model provider. */
#include "cli/doctor/doctor.h"
#include "agent/prompts/prompts.h"
#include "app/model_client.h"
#include "app/setup.h"
#include "base/clean.h"
#include "base/fd.h"
#include "cli/doctor/doctor_compat.h"
#include "cli/doctor/doctor_iphones.h"
#include "cli/doctor/doctor_runner.h"
#include "cli/sys/sim.h"
#include "client/client.h"
#include "driver/registry/device_registry.h"
#include "store/schedules.h"

#include <jansson.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { DAEMON_MS = 10000, HTTP_CONFLICT = 409 };

struct exam {
    struct ia_cli *c;
    struct ia_setup setup; /* config and store are NULL if they could not be opened */
    enum ia_rc worst;      /* the first failure */
    struct ia_err worst_err;
    int failures, warnings;
    struct ia_doctor_sims sims;
    char device[512]; /* what was said of a device that WebDriverAgent or Appium answers for */
};

/* A check writes what it found into detail, or fails with err. */
typedef enum ia_rc check_fn(struct exam *x, struct ia_buf *detail, struct ia_err *err);

/* ---- the checks -------------------------------------------------------------------------- */

static enum ia_rc check_config(struct exam *x, struct ia_buf *detail, struct ia_err *err)
{
    enum ia_rc rc = ia_setup_config(&x->setup, err);
    if (rc == IA_OK) {
        rc = ia_args_configure(&x->c->args, "device", x->setup.config, IA_CFG_RUN_DEVICE, err);
    }
    if (rc == IA_OK) {
        bool user = access(x->setup.paths.user_config, F_OK) == 0;
        bool project = access(x->setup.paths.project_config, F_OK) == 0;
        ia_buf_printf(detail, "%s%s%s", user ? x->setup.paths.user_config : "",
                      user && project ? ", " : "",
                      project ? x->setup.paths.project_config : "");
        if (!user && !project) {
            ia_buf_puts(detail, "no file; every value is a default or from the environment");
        }
    }
    return rc;
}

static enum ia_rc check_home(struct exam *x, struct ia_buf *detail, struct ia_err *err)
{
    const char *home = x->setup.paths.home;
    if (!home) {
        return ia_err_set(err, IA_E_CONFIG, "the data folder is not known");
    }
    enum ia_rc rc = ia_mkdirs(home, err);
    if (rc == IA_OK && access(home, R_OK | W_OK | X_OK) != 0) {
        rc = ia_err_set(err, IA_E_IO, "cannot write to %s", home);
        ia_err_hint(err, "chmod u+rwx %s, or set IOS_AGENT_HOME to another folder", home);
    }
    ia_buf_puts(detail, home);
    return rc;
}

static enum ia_rc check_database(struct exam *x, struct ia_buf *detail, struct ia_err *err)
{
    struct ia_store_opts opts = {.home = x->setup.paths.home, .command = "ios-agent doctor"};
    if (!opts.home) {
        return ia_err_set(err, IA_E_CONFIG, "the data folder is not known");
    }
    enum ia_rc rc = ia_store_open(&opts, &x->setup.store, err);
    if (rc == IA_OK) {
        rc = ia_store_check(x->setup.store, err);
    }
    if (rc == IA_OK) {
        ia_buf_printf(detail, "%s, schema %d, every page is sound",
                      ia_store_path(x->setup.store), ia_store_schema_version());
    }
    return rc;
}

/* The form of the key that a run would use, where it can be seen without asking anybody. */
static enum ia_rc check_form(const struct exam *x, enum ia_key_source source,
                             struct ia_err *err)
{
    struct ia_secret *opened = NULL;
    struct ia_str none = {NULL, 0};
    struct ia_err ignored;
    const struct ia_secret *key =
        source == IA_KEY_ENV_API_KEY ? x->c->credentials.api_key : NULL;
    if (source == IA_KEY_SEALED &&
        ia_secret_open(x->setup.store, IA_SECRET_API_KEY, none, &opened, &ignored) == IA_OK) {
        key = opened;
    }
    enum ia_rc rc = key && x->setup.config
                        ? ia_key_check(ia_secret_bytes(key), x->setup.config, err)
                        : IA_OK;
    ia_secret_free(opened);
    return rc;
}

static enum ia_rc check_key(struct exam *x, struct ia_buf *detail, struct ia_err *err)
{
    enum ia_key_source source = IA_KEY_NONE;
    struct ia_secret_status s;
    if (!x->setup.store) {
        return ia_err_set(err, IA_E_DB, "unknown without the database");
    }
    enum ia_rc rc = ia_key_find(&x->c->credentials, x->setup.store, &source, &s, err);
    if (rc != IA_OK) {
        return rc;
    }
    bool needs_file = source == IA_KEY_SEALED && s.seal == IA_SEAL_KEY_FILE;
    if (needs_file && s.key_file != IA_OK) {
        rc = ia_err_set(err, s.key_file, "cannot use the file that seals the key: %s",
                        ia_rc_name(s.key_file));
        ia_err_hint(err, s.key_file == IA_E_KEY_FILE_MODE
                             ? "chmod 600 sealing.key in the data folder"
                             : "store the key again: ios-agent key set");
        return rc;
    }
    rc = check_form(x, source, err);
    if (rc != IA_OK) {
        return rc;
    }
    if (source == IA_KEY_NONE) {
        x->warnings++;
        ia_buf_puts(detail,
                    "none: runs use the demo brain, which does not reason. ios-agent key "
                    "set stores one");
    } else if (source == IA_KEY_SEALED) {
        ia_buf_printf(detail, "sealed with a %s at %s",
                      s.seal == IA_SEAL_PASSPHRASE ? "passphrase" : "key file", s.sealed_at);
    } else {
        ia_buf_printf(detail, "from %s", ia_key_source_name(source));
    }
    return IA_OK;
}

static enum ia_rc check_prompts(struct exam *x, struct ia_buf *detail, struct ia_err *err)
{
    const char *dir = x->setup.config ? ia_config_str(x->setup.config, IA_CFG_PROMPTS_DIR) : "";
    struct ia_prompts *prompts = NULL;
    enum ia_rc rc = ia_prompts_open(dir[0] != '\0' ? dir : NULL, &prompts, err);
    ia_prompts_free(prompts);
    ia_buf_puts(detail, dir[0] != '\0' ? dir : "the built-in ones");
    return rc;
}

static struct ia_str no_key(void *ctx)
{
    (void)ctx;
    return (struct ia_str){NULL, 0};
}

static enum ia_rc check_client(struct exam *x, struct ia_buf *detail, struct ia_err *err)
{
    struct ia_claude_options opt = {.secret = {.borrow = no_key}};
    struct ia_claude *claude = NULL;
    struct ia_claude_conn *conn = NULL;
    if (x->setup.config) {
        opt.base_url = ia_config_str(x->setup.config, IA_CFG_API_BASE_URL);
    }
    enum ia_rc rc = ia_claude_new(&opt, &claude, err);
    if (rc == IA_OK) {
        rc = ia_claude_conn_new(claude, &conn, err);
    }
    if (rc == IA_OK) {
        ia_buf_printf(detail, "libcurl is loaded; would talk to %s (not contacted)",
                      opt.base_url ? opt.base_url : IA_CLAUDE_BASE_URL);
    }
    ia_claude_conn_free(conn);
    ia_claude_free(claude);
    return rc;
}

static enum ia_rc check_demo(struct exam *x, struct ia_buf *detail, struct ia_err *err)
{
    (void)x;
    struct ia_mock_options opt = {.brain = IA_MOCK_DEMO};
    struct ia_mock *mock = NULL;
    enum ia_rc rc = ia_mock_start(&opt, &mock, err);
    if (rc == IA_OK) {
        ia_buf_puts(detail, "libmicrohttpd is loaded; serves on loopback");
    }
    ia_mock_stop(mock);
    return rc;
}

static enum ia_rc describe_device(struct ia_device *device, struct ia_buf *detail,
                                  struct ia_err *err)
{
    struct ia_deadline deadline = {.at_us = IA_NO_DEADLINE};
    struct ia_device_info info;
    struct ia_tree *tree = NULL;
    struct ia_buf png = IA_BUF(64 << 20);
    enum ia_rc rc = ia_device_info(device, &info, err);
    if (rc == IA_OK) {
        rc = ia_device_tree(device, &deadline, &tree, err);
    }
    if (rc == IA_OK) {
        rc = ia_device_screenshot(device, &deadline, &png, err);
    }
    if (rc == IA_OK) {
        ia_buf_printf(detail, "%s, %s, %.0f x %.0f points, %zu elements, PNG of %zu bytes",
                      info.name, info.os, info.width_pt, info.height_pt, ia_tree_count(tree),
                      png.len);
    }
    ia_tree_free(tree);
    ia_buf_fini(&png);
    return rc;
}

static enum ia_rc check_simulator(struct exam *x, struct ia_buf *detail, struct ia_err *err)
{
    (void)x;
    struct ia_embedded_options opt = {.name = "doctor"};
    struct ia_device *device = NULL;
    enum ia_rc rc = ia_embedded_open(&opt, &device, err);
    if (rc == IA_OK) {
        rc = describe_device(device, detail, err);
    }
    ia_device_close(device);
    return rc;
}

static enum ia_rc check_device(struct exam *x, struct ia_buf *detail, struct ia_err *err)
{
    if (!x->setup.config) {
        return ia_err_set(err, IA_E_CONFIG, "unknown without the configuration");
    }
    struct ia_device_spec spec = {.kind = NULL};
    enum ia_rc rc = ia_cli_sim_device(x->setup.config, err);
    const char *name = ia_config_str(x->setup.config, IA_CFG_RUN_DEVICE);
    rc = rc == IA_OK ? ia_device_spec_find(name, &x->setup.paths, &spec, err) : rc;
    if (rc == IA_OK) {
        rc = ia_device_spec_describe(&spec, NULL, detail, err);
    }
    if (rc == IA_OK && strncmp(name, "embedded", 8) != 0 && strncmp(name, "bridge:", 7) != 0) {
        (void)snprintf(x->device, sizeof(x->device), "%s", ia_buf_cstr(detail));
    }
    ia_device_spec_fini(&spec);
    return rc;
}

struct retired {
    struct ia_buf *detail;
    int all, broken;
};

static bool on_schedule(void *ctx, const struct ia_schedule_row *row)
{
    struct retired *r = ctx;
    r->all++;
    if (row->problem) {
        ia_buf_printf(r->detail, "%s%s can never run again: %s", r->broken++ > 0 ? "; " : "",
                      row->name, row->problem);
    }
    return true;
}

/* ---- the daemon, asked where every command asks ------------------------------------------- */

/* IA_OK for an answer that is no failure; IA_E_BUSY where the device is in use. */
static enum ia_rc ask(struct ia_client *c, const char *method, const char *path,
                      struct ia_client_answer *ret, struct ia_err *err)
{
    struct ia_client_request q = {
        .method = method, .path = path, .body = ia_str("{}"), .deadline_ms = DAEMON_MS};
    q.body.n = strcmp(method, "GET") == 0 ? 0 : q.body.n;
    enum ia_rc rc = ia_client_call(c, &q, ret, err);
    if (rc == IA_OK && ret->http_status == HTTP_CONFLICT) {
        rc = ia_err_set(err, IA_E_BUSY, "somebody else is using it");
    } else if (rc == IA_OK && ret->http_status >= 400) {
        rc = ia_err_set(err, IA_E_PROTO, "the daemon answers %s with status %d: %.*s", path,
                        ret->http_status, (int)(ret->body.len < 200 ? ret->body.len : 200),
                        ia_buf_cstr(&ret->body));
        ia_err_hint(err, "ios-agent daemon logs, ios-agent daemon restart");
    }
    return rc;
}

static enum ia_rc ask_once(struct ia_client *c, const char *method, const char *path,
                           struct ia_err *err)
{
    struct ia_client_answer a = {.exit_status = -1};
    enum ia_rc rc = ask(c, method, path, &a, err);
    ia_client_answer_fini(&a);
    return rc;
}

/* A command's whole way, up to the screen of a simulated phone where commands drive one. A daemon is started as a command would start it. */
static enum ia_rc check_daemon(struct exam *x, struct ia_buf *detail, struct ia_err *err)
{
    bool start = !ia_client_unwanted();
    struct ia_client *c = ia_client_new(&(struct ia_client_opts){.start = start}, err);
    if (!c) {
        return err->code;
    }
    enum ia_rc rc = ask_once(c, "GET", "/daemon", err);
    if (rc == IA_E_NOT_FOUND && !start) {
        ia_buf_puts(detail, "none runs, and none is wanted (IOS_AGENT_NO_DAEMON)");
        ia_client_free(c);
        return IA_OK;
    }
    const char *device =
        x->setup.config ? ia_config_str(x->setup.config, IA_CFG_RUN_DEVICE) : "";
    bool embedded = strncmp(device, "embedded", 8) == 0;
    if (rc == IA_OK && embedded) {
        rc = ask_once(c, "POST", "/device/snapshot", err);
    }
    if (rc == IA_OK || rc == IA_E_BUSY) {
        ia_buf_printf(detail, "answers%s",
                      rc == IA_E_BUSY ? "; the simulated phone is in use"
                      : embedded      ? ", and reads the simulated phone"
                                      : "");
        rc = IA_OK;
    }
    ia_client_free(c);
    return rc;
}

/* Somebody has to fire them. */
static void check_firing(struct exam *x, struct ia_buf *detail)
{
    struct ia_err ignored;
    struct ia_client *c = ia_client_new(&(struct ia_client_opts){.quiet = true}, &ignored);
    if (c && ask_once(c, "GET", "/daemon", &ignored) == IA_OK) {
        ia_buf_puts(detail, "; the daemon runs");
        if (ia_config_bool(x->setup.config, IA_CFG_FLEET_SCHEDULES)) {
            ia_buf_puts(detail,
                        ", with others (ios-agent fleet status says which one starts them)");
        }
    } else {
        x->warnings++;
        ia_buf_puts(detail, "; no daemon runs: ios-agent daemon install, or ios-agent schedule "
                            "tick from cron");
    }
    ia_client_free(c);
}

static enum ia_rc check_schedules(struct exam *x, struct ia_buf *detail, struct ia_err *err)
{
    struct retired r = {.detail = detail};
    if (!x->setup.store) {
        return ia_err_set(err, IA_E_DB, "unknown without the database");
    }
    enum ia_rc rc = ia_store_schedules(x->setup.store, NULL, on_schedule, &r, err);
    if (r.broken > 0) {
        x->warnings++;
        ia_buf_puts(detail, ". Fix: ios-agent schedule edit NAME");
    } else if (rc == IA_OK) {
        ia_buf_printf(detail, "%d, all can run", r.all);
    }
    if (rc == IA_OK && r.all > 0) {
        check_firing(x, detail);
    }
    return rc;
}

static enum ia_rc check_xcode(struct exam *x, struct ia_buf *detail, struct ia_err *err)
{
    bool warn = false;
    enum ia_rc rc = ia_doctor_xcode(&x->sims, detail, &warn, err);
    x->warnings += warn;
    return rc;
}

static enum ia_rc check_runtimes(struct exam *x, struct ia_buf *detail, struct ia_err *err)
{
    bool warn = false;
    enum ia_rc rc = ia_doctor_runtimes(&x->sims, detail, &warn, err);
    x->warnings += warn;
    return rc;
}

static enum ia_rc check_simulators(struct exam *x, struct ia_buf *detail, struct ia_err *err)
{
    bool warn = false;
    enum ia_rc rc = ia_doctor_simulators(&x->sims, detail, &warn, err);
    x->warnings += warn;
    return rc;
}

static enum ia_rc check_runner(struct exam *x, struct ia_buf *detail, struct ia_err *err)
{
    bool warn = false;
    enum ia_rc rc = ia_doctor_runner(&x->sims, x->setup.paths.home, detail, &warn, err);
    x->warnings += warn;
    return rc;
}

static enum ia_rc check_ports(struct exam *x, struct ia_buf *detail, struct ia_err *err)
{
    bool warn = false;
    enum ia_rc rc = ia_doctor_ports(&x->sims, x->setup.paths.home, detail, &warn, err);
    x->warnings += warn;
    return rc;
}

static enum ia_rc check_iphones(struct exam *x, struct ia_buf *detail, struct ia_err *err)
{
    bool warn = false;
    if (!x->setup.paths.home) {
        return ia_err_set(err, IA_E_CONFIG, "the data folder is not known");
    }
    enum ia_rc rc = ia_doctor_iphones(&x->setup.paths, detail, &warn, err);
    x->warnings += warn;
    return rc;
}

static enum ia_rc check_compat(struct exam *x, struct ia_buf *detail, struct ia_err *err)
{
    (void)err;
    x->warnings += ia_doctor_compat(&x->sims, x->device, detail);
    return IA_OK;
}

static enum ia_rc check_libraries(struct exam *x, struct ia_buf *detail, struct ia_err *err)
{
    (void)x;
    (void)err;
    ia_buf_printf(detail, "libsodium %s, jansson %s", sodium_version_string(),
                  jansson_version_str());
    return IA_OK;
}

/* ---- the report -------------------------------------------------------------------------- */

static void put_check(struct exam *x, const char *name, const char *status,
                      const struct ia_buf *detail, const struct ia_err *err)
{
    struct ia_buf *t = &x->c->text;
    struct ia_jsonw *w = &x->c->w;
    const char *text = err ? err->msg : ia_buf_cstr(detail);
    ia_buf_printf(t, "%-5s %-14s ", status, name);
    ia_clean(t, ia_str(text), IA_CLEAN_LINE);
    ia_buf_putc(t, '\n');
    if (err && err->hint[0] != '\0') {
        ia_buf_printf(t, "%-20s fix: ", "");
        ia_clean(t, ia_str(err->hint), IA_CLEAN_LINE);
        ia_buf_putc(t, '\n');
    }
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "name", name);
    ia_jsonw_kv(w, "status", status);
    ia_jsonw_kv(w, "detail", text);
    ia_jsonw_kv(w, "code", err ? ia_rc_name(err->code) : NULL);
    ia_jsonw_kv(w, "mend", err ? err->hint : NULL);
    ia_jsonw_end_object(w);
}

static void examine(struct exam *x, const char *name, check_fn *check)
{
    struct ia_buf detail = IA_BUF(4096);
    struct ia_err err = {.code = IA_OK};
    int warned = x->warnings;
    enum ia_rc rc = check(x, &detail, &err);
    if (rc == IA_OK) {
        put_check(x, name, x->warnings > warned ? "warn" : "ok", &detail, NULL);
    } else {
        put_check(x, name, "FAIL", &detail, &err);
        if (x->failures++ == 0) {
            x->worst = rc;
            x->worst_err = err;
        }
    }
    ia_buf_fini(&detail);
}

static enum ia_rc conclude(struct exam *x, struct ia_err *err)
{
    if (x->failures == 0) {
        ia_buf_printf(&x->c->text, "\n%s\n",
                      x->warnings == 0 ? "everything works"
                                       : "everything that is needed works");
        return IA_OK;
    }
    (void)ia_err_set(err, x->worst, "%d checks failed; the first: %s", x->failures,
                     x->worst_err.msg);
    ia_err_hint(err, "%s", x->worst_err.hint);
    return x->worst;
}

enum ia_rc ia_cmd_doctor(struct ia_cli *c, struct ia_err *err)
{
    static const struct {
        const char *name;
        check_fn *check;
    } rows[] = {
        {"config", check_config},       {"data folder", check_home},
        {"database", check_database},   {"key", check_key},
        {"prompts", check_prompts},     {"api client", check_client},
        {"demo brain", check_demo},     {"simulator", check_simulator},
        {"device", check_device},       {"daemon", check_daemon},
        {"schedules", check_schedules}, {"xcode", check_xcode},
        {"runtimes", check_runtimes},   {"simulators", check_simulators},
        {"runner", check_runner},       {"ports", check_ports},
        {"iphones", check_iphones},     {"versions", check_compat},
        {"libraries", check_libraries},
    };
    struct exam x = {.c = c, .worst = IA_OK};
    ia_jsonw_object(&c->w);
    ia_jsonw_key(&c->w, "checks");
    ia_jsonw_array(&c->w);
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        examine(&x, rows[i].name, rows[i].check);
    }
    ia_jsonw_end_array(&c->w);
    ia_jsonw_kv_int(&c->w, "failures", x.failures);
    ia_jsonw_kv_int(&c->w, "warnings", x.warnings);
    ia_jsonw_end_object(&c->w);
    ia_doctor_sims_close(&x.sims);
    ia_setup_close(&x.setup);
    return conclude(&x, err);
}
