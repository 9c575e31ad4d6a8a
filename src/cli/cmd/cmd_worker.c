/* worker: does runs of a fleet on this machine's devices until it is stopped. */
#include "app/fleet/connect.h"
#include "app/fleet/worker.h"
#include "base/clean.h"
#include "base/hash.h"
#include "base/term.h"
#include "cli/cmd/cmd.h"
#include "cli/sys/interrupt.h"
#include "driver/registry/device_registry.h"
#include "store/queue.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LANES_MAX = 256, OWN_MAX = 64, GRACE_MS = 20000, HOST_MAX = 64 };

struct worker {
    struct ia_cli *c;
    struct ia_setup setup;
    struct ia_bus *bus;
    struct ia_cancel *cancel;
    struct ia_fleet_work *work;
    char name[IA_FLEET_NAME_SIZE], class_key[IA_FLEET_CLASS_SIZE];
    char *lanes[LANES_MAX], *devices[LANES_MAX];
    size_t lane_count;
};

static void say(void *ctx, const char *text)
{
    struct ia_buf line = IA_BUF(4096);
    (void)ctx;
    ia_clean(&line, ia_str(text), IA_CLEAN_LINE); /* it may quote an order */
    (void)fprintf(stderr, "ios-agent worker: %s\n", ia_buf_cstr(&line));
    ia_buf_fini(&line);
}

/* ---- options ----------------------------------------------------------------------------- */

/* The host name and a hash of the home: two homes on one machine are two workers, and each keeps its name. */
static void default_name(const struct ia_paths *paths, char ret[IA_FLEET_NAME_SIZE])
{
    char host[HOST_MAX] = "worker";
    char hash[IA_SHA256_HEX_SIZE];
    size_t n = 0;
    if (gethostname(host, sizeof(host)) != 0) {
        (void)snprintf(host, sizeof(host), "worker");
    }
    host[sizeof(host) - 1] = '\0';
    ia_sha256_hex(paths->home, strlen(paths->home), hash);
    for (const char *p = host; *p && *p != '.' && n < 24; p++) {
        ret[n++] = isalnum((unsigned char)*p) ? *p : '-';
    }
    (void)snprintf(ret + n, IA_FLEET_NAME_SIZE - n, "-%.6s", hash);
}

static enum ia_rc read_name(struct worker *w, struct ia_err *err)
{
    const char *given = ia_args_text(&w->c->args, "name");
    if (!given) {
        default_name(&w->setup.paths, w->name);
        return IA_OK;
    }
    if (!ia_fleet_name_ok(given)) {
        return ia_err_set(err, IA_E_USAGE,
                          "\"%.80s\" is no name of a worker: 1 to 40 of A-Z a-z 0-9 _ -",
                          given);
    }
    (void)snprintf(w->name, sizeof(w->name), "%s", given);
    return IA_OK;
}

static enum ia_rc add_lane(struct worker *w, const char *device, struct ia_err *err)
{
    struct ia_device_spec spec;
    struct ia_buf lane = IA_BUF(4096);
    enum ia_rc rc = ia_device_spec_find(device, &w->setup.paths, &spec, err);
    if (rc == IA_OK) {
        ia_device_spec_fini(&spec);
        ia_device_lane(device, &lane);
        w->devices[w->lane_count] = ia_strdup(device);
        w->lanes[w->lane_count++] = ia_buf_steal(&lane);
    }
    ia_buf_fini(&lane);
    return rc;
}

static enum ia_rc read_lanes(struct worker *w, struct ia_err *err)
{
    const char *named[IA_ARGS_MAX];
    char own[IA_LANE_MAX];
    enum ia_rc rc = IA_OK;
    size_t n = ia_args_list(&w->c->args, "device", named, IA_COUNTOF(named));
    int64_t jobs = ia_args_int(&w->c->args, "jobs", 0);
    if (n > 0 && jobs > 0) {
        return ia_err_set(err, IA_E_USAGE,
                          "--jobs is for simulated phones of the worker's own; with --device, "
                          "each device runs one goal at a time");
    }
    for (size_t i = 0; i < n && i < LANES_MAX && rc == IA_OK; i++) {
        rc = add_lane(w, named[i], err);
    }
    for (int64_t i = 0; n == 0 && i < (jobs > 0 ? jobs : 1) && rc == IA_OK; i++) {
        (void)snprintf(own, sizeof(own), IA_DEVICE_EMBEDDED ":fleet-%d", (int)i + 1);
        rc = add_lane(w, own, err);
    }
    return rc;
}

/* The address at which others fetch pictures. */
static enum ia_rc check_places(const struct ia_args *a, struct ia_err *err)
{
    const char *url = ia_args_text(a, "url");
    const char *listen = ia_args_text(a, "listen");
    if (url && !ia_fleet_url_ok(url)) {
        return ia_err_set(err, IA_E_USAGE, "--url %.100s: http://HOST:PORT and nothing else",
                          url);
    }
    if (!url && listen && (strncmp(listen, "0.0.0.0:", 8) == 0 || listen[0] == '[')) {
        return ia_err_set(err, IA_E_USAGE,
                          "--listen %.100s needs --url, by which others reach it", listen);
    }
    return IA_OK;
}

/* ---- running ----------------------------------------------------------------------------- */

static enum ia_rc open_worker(struct worker *w, struct ia_err *err)
{
    const struct ia_args *a = &w->c->args;
    const char *labels = ia_args_text(a, "labels");
    const char *listen = ia_args_text(a, "listen");
    enum ia_rc rc = ia_setup_store(&w->setup, "ios-agent worker", err);
    rc = rc == IA_OK ? check_places(a, err) : rc;
    rc = rc == IA_OK ? read_name(w, err) : rc;
    rc = rc == IA_OK ? ia_fleet_class(labels ? labels : "", w->class_key, err) : rc;
    rc = rc == IA_OK ? read_lanes(w, err) : rc;
    if (rc == IA_OK) {
        rc = ia_fleet_connect(w->setup.config, ia_args_text(a, "fleet"), w->name, &w->bus, err);
    }
    rc = rc == IA_OK ? ia_store_recover(w->setup.store, NULL, err) : rc;
    const struct ia_fleet_work_opts opts = {
        .setup = &w->setup,
        .credentials = &w->c->credentials,
        .bus = w->bus,
        .name = w->name,
        .class_key = w->class_key,
        .lanes = (const char *const *)w->lanes,
        .devices = (const char *const *)w->devices,
        .lane_count = w->lane_count,
        .listen = listen ? listen : "127.0.0.1:0",
        .url = ia_args_text(a, "url"),
        .say = say,
    };
    return rc == IA_OK ? ia_fleet_work_open(&opts, &w->work, err) : rc;
}

/* The first signal drains: runs in progress are finished, so that their attempts are not lost. */
static enum ia_rc serve(struct worker *w, struct ia_err *err)
{
    ia_interrupt_install(w->cancel, -1);
    (void)fprintf(stderr,
                  "ios-agent worker: %s (%s), %zu devices, at %s; Ctrl-C finishes what is "
                  "in hand\n",
                  w->name, w->class_key, w->lane_count, ia_bus_shown_url(w->bus));
    enum ia_rc rc = ia_fleet_work_serve(w->work, w->cancel, err);
    if (rc == IA_OK && ia_cancel_fired(w->cancel)) {
        ia_fleet_work_drain(w->work);
        rc = ia_fleet_work_serve(w->work, NULL, err);
    }
    return rc;
}

static enum ia_rc close_worker(struct worker *w, struct ia_err *err)
{
    struct ia_err second;
    int64_t done = w->work ? ia_fleet_work_done(w->work) : 0;
    if (w->work && ia_fleet_work_close(w->work, GRACE_MS, &second) == IA_E_TIMEOUT) {
        _exit(ia_rc_exit(IA_E_CANCELLED)); /* a run still uses this memory: free nothing */
    }
    ia_jsonw_object(&w->c->w);
    ia_jsonw_kv(&w->c->w, "worker", w->name);
    ia_jsonw_kv_int(&w->c->w, "runs", done);
    ia_jsonw_end_object(&w->c->w);
    (void)err;
    ia_bus_close(w->bus);
    for (size_t i = 0; i < w->lane_count; i++) {
        free(w->lanes[i]);
        free(w->devices[i]);
    }
    ia_interrupt_remove();
    ia_cancel_free(w->cancel);
    ia_setup_close(&w->setup);
    return IA_OK;
}

enum ia_rc ia_cmd_worker(struct ia_cli *c, struct ia_err *err)
{
    struct worker w = {.c = c};
    w.cancel = ia_cancel_new(err);
    if (!w.cancel) {
        return err->code;
    }
    enum ia_rc rc = open_worker(&w, err);
    rc = rc == IA_OK ? serve(&w, err) : rc;
    (void)close_worker(&w, err);
    return rc;
}
