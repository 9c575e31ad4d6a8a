/* serve: serves any device to clients of another protocol, until a signal arrives. So far the only protocol is
 * WebDriverAgent's; embedded serve --protocol wda does the same for a simulated phone. */
#include "app/setup.h"
#include "base/fd.h"
#include "cli/cmd/cmd.h"
#include "cli/cmd/serve.h"
#include "cli/sys/interrupt.h"
#include "cli/sys/sim.h"
#include "driver/registry/device_registry.h"
#include "server/http/token.h"
#include "server/wda/wda_server.h"
#include "store/lane.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct served {
    struct ia_setup setup;
    struct ia_device_spec spec;
    struct ia_lane_hold lane, own;
    struct ia_cancel *cancel;
    struct ia_device *device;
    struct ia_wda_server *server;
    const char *token_file; /* NULL: no token */
};

/* Under the device's own name for its lane as well, where it has one: another name of it may be used meanwhile. */
static enum ia_rc keep_own(struct served *s, const char *lane, const char *who,
                           struct ia_err *err)
{
    struct ia_device_info info = {.kind = ""};
    enum ia_rc rc = ia_device_info(s->device, &info, err);
    if (rc != IA_OK || strcmp(ia_device_info_lane(&info), lane) == 0) {
        return rc;
    }
    return ia_lane_keep(s->setup.paths.home, ia_device_info_lane(&info), who, &s->own, err);
}

/* Runs and commands wait until this command ends, because it holds the lane. */
static enum ia_rc open_device(struct ia_cli *c, struct served *s, bool fresh,
                              struct ia_err *err)
{
    struct ia_deadline deadline = {s->cancel, IA_NO_DEADLINE};
    struct ia_buf lane = IA_BUF(128);
    char who[64];
    (void)snprintf(who, sizeof(who), "ios-agent %s, pid %ld", c->command->name, (long)getpid());
    ia_device_spec_lane(&s->spec, &lane);
    enum ia_rc rc = ia_lane_keep(s->setup.paths.home, ia_buf_cstr(&lane), who, &s->lane, err);
    if (rc == IA_OK) {
        rc = ia_device_spec_open(&s->spec, &deadline, fresh, &s->device, err);
    }
    if (rc == IA_OK) {
        rc = keep_own(s, ia_buf_cstr(&lane), who, err);
    }
    ia_buf_fini(&lane);
    return rc;
}

static enum ia_rc start(struct ia_cli *c, struct served *s, struct ia_err *err)
{
    char token[IA_ACCESS_TOKEN_SIZE];
    const char *file = ia_args_text(&c->args, "token-file");
    enum ia_rc rc = file ? ia_token_write(file, token, err) : IA_OK;
    if (rc != IA_OK) {
        return rc;
    }
    s->token_file = file;
    struct ia_wda_server_options opt = {
        .device = s->device,
        .port = (int)ia_args_int(&c->args, "port", 0),
        .mjpeg_port = (int)ia_args_int(&c->args, "mjpeg-port", -1),
        .token_file = file,
    };
    return ia_wda_server_start(&opt, &s->server, err);
}

/* Prints the address at once: whoever started it waits for this line. */
static enum ia_rc announce(struct ia_cli *c, const struct served *s, struct ia_err *err)
{
    int port = ia_wda_server_port(s->server);
    int mjpeg = ia_wda_server_mjpeg_port(s->server);
    struct ia_buf device = IA_BUF(128), url = IA_BUF(64);
    ia_buf_printf(&url, "http://127.0.0.1:%d", port);
    ia_device_spec_lane(&s->spec, &device);
    ia_buf_puts(&c->text, ia_buf_cstr(&url));
    if (mjpeg) {
        ia_buf_printf(&c->text, " pictures on http://127.0.0.1:%d", mjpeg);
    }
    if (s->token_file) {
        ia_buf_printf(&c->text, " token in %s", s->token_file);
    }
    ia_buf_putc(&c->text, '\n');
    if (c->json) {
        ia_jsonw_object(&c->w);
        ia_jsonw_kv(&c->w, "url", ia_buf_cstr(&url));
        ia_jsonw_kv(&c->w, "host", "127.0.0.1");
        ia_jsonw_kv_int(&c->w, "port", port);
        ia_jsonw_kv_known(&c->w, "mjpeg_port", mjpeg, mjpeg != 0);
        ia_jsonw_kv(&c->w, "device", ia_buf_cstr(&device));
        ia_jsonw_kv(&c->w, "token_file", s->token_file);
        ia_jsonw_end_object(&c->w);
    }
    ia_buf_fini(&device);
    ia_buf_fini(&url);
    return ia_cli_announce(c, err);
}

static void close_all(struct served *s)
{
    ia_wda_server_stop(s->server);
    ia_device_close(s->device);
    ia_lane_release(&s->own);
    ia_lane_release(&s->lane);
    ia_interrupt_remove();
    ia_cancel_free(s->cancel);
    if (s->token_file) {
        (void)unlink(s->token_file);
    }
    ia_device_spec_fini(&s->spec);
    ia_setup_close(&s->setup);
}

enum ia_rc ia_cli_serve_wda(struct ia_cli *c, const char *device, bool fresh,
                            struct ia_err *err)
{
    static const char stopped[] = "ios-agent: stopped by a signal\n";
    struct served s = {.spec = {.kind = NULL}, .lane = {.fd = -1}, .own = {.fd = -1}};
    enum ia_rc rc = ia_setup_config(&s.setup, err);
    if (rc == IA_OK && !device) {
        rc = ia_args_configure(&c->args, "device", s.setup.config, IA_CFG_RUN_DEVICE, err);
        rc = rc == IA_OK ? ia_cli_sim_device(s.setup.config, err) : rc;
        device = ia_config_str(s.setup.config, IA_CFG_RUN_DEVICE);
    }
    if (rc == IA_OK) {
        rc = ia_device_spec_find(device, &s.setup.paths, &s.spec, err);
    }
    if (rc == IA_OK) {
        s.cancel = ia_cancel_new(err);
        rc = s.cancel ? IA_OK : err->code;
    }
    if (rc == IA_OK) {
        ia_interrupt_install(s.cancel, -1);
        rc = open_device(c, &s, fresh, err);
    }
    if (rc == IA_OK) {
        rc = start(c, &s, err);
    }
    if (rc == IA_OK) {
        rc = announce(c, &s, err);
    }
    if (rc == IA_OK) {
        (void)ia_clock_wait(ia_clock_system(), s.cancel, IA_NO_DEADLINE);
        (void)ia_write_all(STDERR_FILENO, stopped, sizeof(stopped) - 1);
    }
    close_all(&s);
    return rc;
}

enum ia_rc ia_cmd_serve(struct ia_cli *c, struct ia_err *err)
{
    return ia_cli_serve_wda(c, NULL, false, err);
}
