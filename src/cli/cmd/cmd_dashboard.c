/* dashboard: opens the daemon's page in a browser.
 *
 * The one-time code must not stand among a program's arguments, which every user of the machine can read.
 * So the browser is given a file of the data folder, which only its owner can read and which leads on. */
#include "base/clock.h"
#include "base/fd.h"
#include "base/paths.h"
#include "base/platform.h"
#include "base/spawn.h"
#include "cli/cmd/cmd.h"
#include "cli/cmd/daemon_calls.h"
#include "json/json.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { CALL_MS = 30000, FAIL_US = 3000000, TICK_US = 20000, URL_MAX = 256, PAGE_MAX = 1024 };

/* The code stands behind "#", which a browser keeps to itself. */
static enum ia_rc ask_address(bool view, char ret[URL_MAX], struct ia_err *err)
{
    struct ia_client *c = ia_client_new(&(struct ia_client_opts){.start = true}, err);
    struct ia_client_request q = {
        .method = "POST",
        .path = "/codes",
        .body = ia_str(view ? "{\"scope\":\"view\"}" : "{\"scope\":\"act\"}"),
        .deadline_ms = CALL_MS};
    json_t *result = NULL;
    enum ia_rc rc = c ? ia_daemon_call(c, &q, &result, err) : err->code;
    if (rc == IA_OK) {
        (void)snprintf(ret, URL_MAX, "%s/#code=%s", ia_json_text(result, "url"),
                       ia_json_text(result, "code"));
    }
    json_decref(result);
    ia_client_free(c);
    return rc;
}

/* What opens files may become the browser, which stays: it gets a moment to fail, and is left alone then. */
static bool open_file(const char *path)
{
    const char *const argv[] = {ia_platform_opener(), path, NULL};
    const struct ia_spawn s = {.argv = argv};
    const struct ia_clock *clock = ia_clock_system();
    struct ia_err ignored;
    pid_t pid;
    int status = 0, signal_no = 0, fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    bool ok = fd >= 0 && ia_spawn_detached(&s, fd, &pid, &ignored) == IA_OK;
    int64_t until_us = ia_mono_us(clock) + FAIL_US;
    while (ok && !ia_spawn_ended(pid, &status, &signal_no) && ia_mono_us(clock) < until_us) {
        (void)ia_clock_wait(clock, NULL, ia_mono_us(clock) + TICK_US);
    }
    if (fd >= 0) {
        close(fd);
    }
    return ok && status == 0;
}

/* Whether a browser was told. */
static bool show(const char *url)
{
    struct ia_paths paths;
    struct ia_err ignored;
    char page[PAGE_MAX];
    bool ok = false;
    if (ia_paths_find(NULL, &paths, &ignored) != IA_OK) {
        return false;
    }
    char *path = ia_path_join(paths.home, "dashboard.html");
    int n = snprintf(page, sizeof(page),
                     "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">"
                     "<meta http-equiv=\"refresh\" content=\"0;url=%s\">"
                     "<title>ios-agent</title><a href=\"%s\">Open the dashboard</a>\n",
                     url, url);
    if (n > 0 && (size_t)n < sizeof(page) &&
        ia_file_write_atomic(path, page, (size_t)n, 0600, &ignored) == IA_OK) {
        ok = open_file(path);
    }
    free(path);
    ia_paths_fini(&paths);
    return ok;
}

enum ia_rc ia_cmd_dashboard(struct ia_cli *c, struct ia_err *err)
{
    char url[URL_MAX];
    enum ia_rc rc = ask_address(ia_args_has(&c->args, "view-only"), url, err);
    if (rc != IA_OK) {
        return rc;
    }
    bool opened = !ia_args_has(&c->args, "print") && show(url);
    c->verbatim = true;
    if (opened) {
        ia_buf_puts(&c->text, "the dashboard opens in the browser (if it does not: ios-agent "
                              "dashboard --print)\n");
    } else {
        ia_buf_printf(&c->text, "%s\n", url);
    }
    ia_jsonw_object(&c->w);
    ia_jsonw_kv(&c->w, "url", url);
    ia_jsonw_kv_bool(&c->w, "opened", opened);
    ia_jsonw_end_object(&c->w);
    return IA_OK;
}
