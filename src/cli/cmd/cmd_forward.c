/* forward: makes a port of a plugged-in iPhone a port of this computer, until a signal arrives. */
#include "base/clean.h"
#include "base/fd.h"
#include "cli/cmd/cmd.h"
#include "cli/sys/interrupt.h"
#include "driver/usbmux/lockdown.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct forwarded {
    struct ia_usbmux_relay_options opt;
    struct ia_usbmux_phone phone;
    struct ia_cancel *cancel;
    struct ia_usbmux_relay *relay;
};

/* A client sees only that the connection ends. The reason goes to whoever started this command. */
static void on_problem(void *ctx, const struct ia_err *err)
{
    struct ia_buf line = IA_BUF(4096);
    (void)ctx;
    ia_buf_puts(&line, "ios-agent: ");
    ia_clean(&line, ia_str(err->msg), IA_CLEAN_LINE);
    ia_buf_putc(&line, '\n');
    (void)ia_write_all(STDERR_FILENO, line.p, line.len);
    ia_buf_fini(&line);
}

/* A port, 1 to 65535, whose text ends at `end`. */
static bool port(const char *from, const char *end, uint16_t *ret)
{
    uint32_t v = 0;
    const char *p = from;
    for (; p < end && *p >= '0' && *p <= '9' && v <= 65535; p++) {
        v = v * 10 + (uint32_t)(*p - '0');
    }
    *ret = (uint16_t)v;
    return p == end && v > 0 && v <= 65535;
}

static enum ia_rc parse(struct ia_cli *c, struct forwarded *f, struct ia_err *err)
{
    const char *ports = ia_args_operand(&c->args, 1);
    const char *end = ports + strlen(ports), *colon = strchr(ports, ':');
    f->opt = (struct ia_usbmux_relay_options){.tcp = true, .problem = on_problem};
    if (!port(ports, colon ? colon : end, &f->opt.port) ||
        (colon && !port(colon + 1, end, &f->opt.local))) {
        enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "\"%.60s\" names no port", ports);
        ia_err_hint(err,
                    "PORT of the iPhone, or PORT:LOCAL with the port of this computer, such as "
                    "8100:8100");
        return rc;
    }
    return IA_OK;
}

/* Prints the address at once: the process that started it waits for this line. */
static enum ia_rc announce(struct ia_cli *c, const struct forwarded *f, struct ia_err *err)
{
    int local = ia_usbmux_relay_port(f->relay);
    ia_buf_printf(&c->text, "127.0.0.1:%d is port %u of %s\n", local, (unsigned)f->opt.port,
                  f->phone.udid);
    if (c->json) {
        ia_jsonw_object(&c->w);
        ia_jsonw_kv(&c->w, "host", "127.0.0.1");
        ia_jsonw_kv_int(&c->w, "port", local);
        ia_jsonw_kv(&c->w, "udid", f->phone.udid);
        ia_jsonw_kv_int(&c->w, "device_port", f->opt.port);
        ia_jsonw_end_object(&c->w);
    }
    return ia_cli_announce(c, err);
}

/* Waits until the token fires. */
static void serve(const struct forwarded *f)
{
    static const char ended[] = "ios-agent: stopped by a signal\n";
    int ready;
    (void)ia_cancel_poll(f->cancel, NULL, 0, IA_NO_DEADLINE, &ready);
    (void)ia_write_all(STDERR_FILENO, ended, sizeof(ended) - 1);
}

enum ia_rc ia_cmd_forward(struct ia_cli *c, struct ia_err *err)
{
    struct forwarded f = {.relay = NULL};
    enum ia_rc rc = parse(c, &f, err);
    if (rc != IA_OK) {
        return rc;
    }
    f.cancel = ia_cancel_new(err);
    if (!f.cancel) {
        return err->code;
    }
    struct ia_deadline deadline = {f.cancel, IA_NO_DEADLINE};
    ia_interrupt_install(f.cancel, -1);
    rc = ia_lockdown_find(ia_args_operand(&c->args, 0), &deadline, &f.phone, err);
    if (rc == IA_OK) {
        f.opt.udid = f.phone.udid;
        rc = ia_usbmux_relay_open(&f.opt, &f.relay, err);
    }
    if (rc == IA_OK) {
        rc = announce(c, &f, err);
    }
    if (rc == IA_OK) {
        serve(&f);
    }
    ia_usbmux_relay_close(f.relay);
    ia_interrupt_remove();
    ia_cancel_free(f.cancel);
    return rc;
}
