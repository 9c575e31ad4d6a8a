/* serve.c: the life of a served phone, and how its time passes.
 *
 *   client ─► bridge-xcuitest/core (queue, threads) ─► perform.c ─► device vtable ─► phone
 *
 * The phone is touched by one thread only, the one in ia_serve_run(), between whose requests
 * pump() looks at the cancel token. */
#include "driver/embedded/serve/impl.h"

#include <stdio.h>
#include <stdlib.h>

enum { SLICE_US = 20000 };

/* ---- time -------------------------------------------------------------------------------- */

static int64_t patient_mono(void *ctx)
{
    return ia_mono_us(((struct ia_serve *)ctx)->clock);
}

static int64_t patient_wall(void *ctx)
{
    return ia_wall_ms(((struct ia_serve *)ctx)->clock);
}

/* A phone with the fault slow-tree waits in here: in slices, so that a cancel ends it. */
static enum ia_rc patient_wait(void *ctx, struct ia_cancel *cancel, int64_t until_us)
{
    struct ia_serve *s = ctx;
    for (int64_t now = ia_mono_us(s->clock); now < until_us; now = ia_mono_us(s->clock)) {
        if ((s->call && ia_bridge_cancelled(s->call)) || ia_cancel_fired(s->cancel)) {
            return IA_E_CANCELLED;
        }
        bool last = until_us - now <= SLICE_US;
        enum ia_rc rc = ia_clock_wait(s->clock, cancel, last ? until_us : now + SLICE_US);
        if (rc != IA_OK) {
            return rc;
        }
    }
    return IA_OK;
}

/* The phone's time moves with its calls: between two snapshots there is nothing to wait for, and
 * nobody else's request can come in between. */
static void skip_wait(void *ctx, int64_t us)
{
    (void)ctx;
    (void)us;
}

static void pump(void *ctx)
{
    struct ia_serve *s = ctx;
    if (s->bridge && ia_cancel_fired(s->cancel)) {
        ia_bridge_stop(s->bridge);
    }
}

/* ---- life -------------------------------------------------------------------------------- */

static enum ia_rc open_phone(struct ia_serve *s, const struct ia_serve_options *opt,
                             struct ia_err *err)
{
    struct ia_embedded_options phone = opt->phone;
    struct ia_device_info info;
    s->clock = phone.clock ? phone.clock : ia_clock_system();
    s->patient = (struct ia_clock){patient_mono, patient_wall, patient_wait, s};
    phone.clock = &s->patient;
    enum ia_rc rc = ia_embedded_open(&phone, &s->phone, err);
    if (rc == IA_OK) {
        rc = ia_device_info(s->phone, &info, err);
    }
    if (rc == IA_OK) {
        (void)snprintf(s->id, sizeof(s->id), "%s", info.id);
    }
    return rc;
}

static enum ia_rc listen_on(struct ia_serve *s, const struct ia_serve_options *opt,
                            struct ia_err *err)
{
    struct ia_wire_fault fault = {.code = IA_WIRE_OK};
    struct ia_bridge_options bridge = {
        .port = (uint16_t)opt->port, .token = opt->token, .server = opt->server, .udid = s->id};
    struct ia_bridge_ops ops = {.ctx = s,
                                .can = ia_serve_can,
                                .features = IA_WIRE_FEATURE_SIMULATED | IA_WIRE_FEATURE_INSTANT,
                                .pump = pump,
                                .sleep = skip_wait,
                                .perform = ia_serve_perform};
    if (ia_bridge_open(&bridge, &ops, &s->bridge, &fault)) {
        return IA_OK;
    }
    enum ia_rc rc = ia_err_set(err, IA_E_IO, "cannot serve the phone: %s", fault.text);
    ia_err_hint(err, "use another port, or --port 0 for any free one");
    return rc;
}

enum ia_rc ia_serve_open(const struct ia_serve_options *opt, struct ia_serve **ret,
                         struct ia_err *err)
{
    if (opt->port < 0 || opt->port > UINT16_MAX) {
        return ia_err_set(err, IA_E_USAGE, "%d is not a port", opt->port);
    }
    struct ia_serve *s = ia_calloc(1, sizeof(*s));
    s->cancel = opt->cancel;
    enum ia_rc rc = open_phone(s, opt, err);
    if (rc == IA_OK) {
        rc = listen_on(s, opt, err);
    }
    if (rc != IA_OK) {
        ia_serve_close(s);
        return rc;
    }
    *ret = s;
    return IA_OK;
}

int ia_serve_port(const struct ia_serve *s)
{
    return ia_bridge_port(s->bridge);
}

void ia_serve_run(struct ia_serve *s)
{
    ia_bridge_run(s->bridge);
}

void ia_serve_stop(struct ia_serve *s)
{
    ia_bridge_stop(s->bridge);
}

struct ia_device *ia_serve_phone(struct ia_serve *s)
{
    return s->phone;
}

void ia_serve_close(struct ia_serve *s)
{
    if (s) {
        ia_bridge_close(s->bridge);
        ia_device_close(s->phone);
        free(s);
    }
}
