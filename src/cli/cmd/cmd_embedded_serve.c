/* embedded serve: a simulated phone for any client of the bridge's wire,
 * until a signal comes. */
#include "app/setup.h"
#include "base/fd.h"
#include "cli/cmd/cmd.h"
#include "cli/cmd/serve.h"
#include "cli/sys/interrupt.h"
#include "driver/embedded/serve/serve.h"
#include "driver/registry/device_registry.h"
#include "server/http/token.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct served {
    struct ia_setup setup;
    struct ia_device_spec spec;
    struct ia_embedded_options opt; /* of the phone */
    char *folder;
    struct ia_cancel *cancel;
    struct ia_serve *serve;
    char token[IA_ACCESS_TOKEN_SIZE]; /* "": none is asked for */
    char *token_file;                 /* NULL until it was written */
};

/* Only this user may read the file, and the token is written nowhere else. */
static enum ia_rc write_token(struct ia_cli *c, struct served *s, struct ia_err *err)
{
    const char *named = ia_args_text(&c->args, "token-file");
    struct ia_buf path = IA_BUF(4096);
    if (s->token[0] == '\0') {
        return IA_OK;
    }
    if (named) {
        ia_buf_puts(&path, named);
    } else {
        ia_buf_printf(&path, "%s/%s.token", s->folder, s->spec.name);
    }
    enum ia_rc rc = ia_buf_check(&path, "the path of the token file", err);
    if (rc == IA_OK) {
        rc = ia_file_write_atomic(ia_buf_cstr(&path), s->token, IA_ACCESS_TOKEN_SIZE - 1, 0600,
                                  err);
    }
    if (rc == IA_OK) {
        s->token_file = ia_strdup(ia_buf_cstr(&path));
    }
    ia_buf_fini(&path);
    return rc;
}

static enum ia_rc find_phone(struct ia_cli *c, struct served *s, struct ia_err *err)
{
    const char *name = ia_args_text(&c->args, "name");
    struct ia_buf device = IA_BUF(4096);
    enum ia_rc rc = ia_setup_config(&s->setup, err);
    if (rc != IA_OK) {
        return rc;
    }
    ia_buf_printf(&device, IA_DEVICE_EMBEDDED "%s%s", name ? ":" : "", name ? name : "");
    rc = ia_buf_check(&device, "the name of the phone", err);
    if (rc == IA_OK) {
        rc = ia_device_spec_find(ia_buf_cstr(&device), &s->setup.paths, &s->spec, err);
    }
    if (rc == IA_OK) {
        rc = ia_device_spec_embedded(&s->spec, &s->opt, &s->folder, err);
    }
    if (rc == IA_OK) {
        rc = ia_mkdirs(s->folder, err);
    }
    ia_buf_fini(&device);
    return rc;
}

static enum ia_rc open_server(struct ia_cli *c, struct served *s, struct ia_err *err)
{
    if (!ia_args_has(&c->args, "no-token")) {
        ia_token_random(s->token, IA_ACCESS_TOKEN_SIZE);
    } else if (ia_args_has(&c->args, "token-file")) {
        return ia_err_set(err, IA_E_USAGE,
                          "--no-token and --token-file cannot be used together");
    }
    struct ia_serve_options opt = {
        .phone = s->opt,
        .port = (int)ia_args_int(&c->args, "port", 0),
        .token = s->token,
        .server = "ios-agent " IA_VERSION " embedded",
        .cancel = s->cancel,
    };
    opt.phone.fresh = ia_args_has(&c->args, "fresh");
    return ia_serve_open(&opt, &s->serve, err);
}

/* Prints the address at once: the process that started it waits for this line. */
static enum ia_rc announce(struct ia_cli *c, const struct served *s, struct ia_err *err)
{
    int port = ia_serve_port(s->serve);
    struct ia_buf device = IA_BUF(128);
    ia_buf_printf(&c->text, "127.0.0.1:%d", port);
    if (s->token_file) {
        ia_buf_printf(&c->text, " token in %s", s->token_file);
    }
    ia_buf_putc(&c->text, '\n');
    if (c->json) {
        ia_device_spec_lane(&s->spec, &device);
        ia_jsonw_object(&c->w);
        ia_jsonw_kv(&c->w, "host", "127.0.0.1");
        ia_jsonw_kv_int(&c->w, "port", port);
        ia_jsonw_kv(&c->w, "device", ia_buf_cstr(&device));
        ia_jsonw_kv(&c->w, "token_file", s->token_file);
        ia_jsonw_end_object(&c->w);
    }
    ia_buf_fini(&device);
    return ia_cli_announce(c, err);
}

/* A server that is gone without a word looks like one that crashed. */
static void tell_end(const struct served *s)
{
    static const char by_signal[] = "ios-agent: stopped by a signal\n";
    static const char by_host[] = "ios-agent: a host asked for the end\n";
    bool signal = ia_cancel_fired(s->cancel);
    (void)ia_write_all(STDERR_FILENO, signal ? by_signal : by_host,
                       signal ? sizeof(by_signal) - 1 : sizeof(by_host) - 1);
}

static void close_all(struct served *s)
{
    ia_serve_close(s->serve);
    ia_interrupt_remove();
    ia_cancel_free(s->cancel);
    if (s->token_file) {
        (void)unlink(s->token_file);
    }
    free(s->token_file);
    free(s->folder);
    ia_device_spec_fini(&s->spec);
    ia_setup_close(&s->setup);
}

static enum ia_rc serve_wda(struct ia_cli *c, struct ia_err *err)
{
    const char *name = ia_args_text(&c->args, "name");
    struct ia_buf device = IA_BUF(4096);
    ia_buf_printf(&device, IA_DEVICE_EMBEDDED "%s%s", name ? ":" : "", name ? name : "");
    enum ia_rc rc = ia_buf_check(&device, "the name of the phone", err);
    if (rc == IA_OK) {
        rc = ia_cli_serve_wda(c, ia_buf_cstr(&device), ia_args_has(&c->args, "fresh"), err);
    }
    ia_buf_fini(&device);
    return rc;
}

enum ia_rc ia_cmd_embedded_serve(struct ia_cli *c, struct ia_err *err)
{
    const char *protocol = ia_args_text(&c->args, "protocol");
    if (protocol && strcmp(protocol, "wda") == 0) {
        return serve_wda(c, err);
    }
    struct served s = {.spec = {.kind = NULL}};
    enum ia_rc rc = find_phone(c, &s, err);
    if (rc == IA_OK) {
        s.cancel = ia_cancel_new(err);
        rc = s.cancel ? IA_OK : err->code;
    }
    if (rc == IA_OK) {
        ia_interrupt_install(s.cancel, -1);
        rc = open_server(c, &s, err);
    }
    if (rc == IA_OK) { /* not before: another server of that phone has a file of that name */
        rc = write_token(c, &s, err);
    }
    if (rc == IA_OK) {
        rc = announce(c, &s, err);
    }
    if (rc == IA_OK) {
        ia_serve_run(s.serve);
        tell_end(&s);
    }
    close_all(&s);
    return rc;
}
