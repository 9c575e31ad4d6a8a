/* kind_iphone.c: "iphone:UDID?take", WebDriverAgent on a plugged-in iPhone.
 *
 *   WebDriverAgent's client ──Unix socket── relay ──usbmuxd── iPhone, port 8100
 *
 * The relay is private to this user, while a forwarded port would be open to everybody on this computer. It lives
 * as long as the device. The lane is "bridge:UDID", so that both names of a phone share one lane. */
#include "base/clock.h"
#include "driver/device_forward.h"
#include "driver/registry/iphone_check.h"
#include "driver/registry/kinds.h"
#include "driver/usbmux/usbmux.h"
#include "driver/wda/wda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXPLAIN_US = 2 * 1000000 };

struct relayed {
    struct ia_device_forward forward; /* first */
    struct ia_usbmux_relay *relay;
    char udid[IA_USBMUX_UDID_SIZE];
};

static void close_relayed(struct ia_device *d)
{
    struct relayed *r = (struct relayed *)d;
    ia_device_close(r->forward.inner);
    ia_usbmux_relay_close(r->relay);
    free(r);
}

static enum ia_rc parse(struct ia_device_spec *spec, const char *given, struct ia_err *err)
{
    char udid[IA_USBMUX_UDID_SIZE];
    if (!ia_usbmux_udid(spec->name, udid)) {
        enum ia_rc rc =
            ia_err_set(err, IA_E_USAGE, "--device %.100s: \"%s\" is not the UDID of an iPhone",
                       given, spec->name);
        ia_err_hint(err, "ios-agent devices lists those that are plugged in; a simulator is "
                         "bridge:UDID");
        return rc;
    }
    memcpy(spec->name, udid, sizeof(udid));
    if (spec->query && strcmp(spec->query, "take") != 0) {
        enum ia_rc rc =
            ia_err_set(err, IA_E_USAGE, "--device %.100s: there is no setting \"%.60s\"", given,
                       spec->query);
        ia_err_hint(err, "the only one is take, which ends the session of another client");
        return rc;
    }
    return IA_OK;
}

/* Checks what a relay cannot report: whether the phone is there, and whether anything listens. */
static enum ia_rc try_port(const char *udid, const struct ia_deadline *deadline,
                           struct ia_err *err)
{
    int fd = -1;
    enum ia_rc rc = ia_usbmux_connect(udid, IA_IPHONE_WDA_PORT, deadline, &fd, err);
    if (rc != IA_OK) {
        return ia_device_not_sent(rc, err);
    }
    close(fd);
    return IA_OK;
}

/* WebDriverAgent's client sees only that the relay closes the connection. The cable may be unplugged, or the
 * runner gone. */
static enum ia_rc explain(struct ia_device_forward *f, enum ia_rc rc, struct ia_err *err)
{
    const struct relayed *r = (const struct relayed *)f;
    struct ia_deadline soon = {NULL, ia_mono_us(ia_clock_system()) + EXPLAIN_US};
    struct ia_err why = {.code = IA_OK};
    if (rc == IA_E_DEVICE_LOST && err && try_port(r->udid, &soon, &why) != IA_OK) {
        (void)ia_err_wrap(err, rc, "%s", why.msg);
        ia_err_hint(err, "%s", why.hint);
    }
    return rc;
}

static enum ia_rc info(struct ia_device *d, struct ia_device_info *ret, struct ia_err *err)
{
    const struct relayed *r = (const struct relayed *)d;
    enum ia_rc rc = ia_device_forward_ops.info(d, ret, err);
    (void)snprintf(ret->lane, sizeof(ret->lane), "bridge:%s", r->udid);
    return rc;
}

static enum ia_rc open_wda(const struct ia_device_spec *spec,
                           const struct ia_deadline *deadline, struct relayed *r,
                           struct ia_device **ret, struct ia_err *err)
{
    char name[IA_DEVICE_NAME_MAX];
    char *file = NULL;
    const struct ia_usbmux_relay_options relay = {.udid = spec->name,
                                                  .port = IA_IPHONE_WDA_PORT};
    (void)snprintf(name, sizeof(name), "iphone:%.56s", spec->name);
    enum ia_rc rc = ia_usbmux_relay_open(&relay, &r->relay, err);
    rc = rc == IA_OK ? ia_device_wda_session_file(spec, &file, err) : rc;
    if (rc == IA_OK) {
        const struct ia_wda_options opt = {.url = IA_IPHONE_WDA_URL,
                                           .unix_socket = ia_usbmux_relay_path(r->relay),
                                           .dialect = IA_WDA_DIRECT,
                                           .lane = name,
                                           .session_file = file,
                                           .take = spec->query != NULL};
        rc = ia_wda_open(&opt, deadline, ret, err);
    }
    free(file);
    return rc;
}

static enum ia_rc open_iphone(const struct ia_device_spec *spec,
                              const struct ia_deadline *deadline, bool fresh,
                              struct ia_device **ret, struct ia_err *err)
{
    struct ia_device *wda = NULL;
    enum ia_rc rc = fresh ? ia_device_cannot("be reset", err) : IA_OK;
    rc = rc == IA_OK ? try_port(spec->name, deadline, err) : rc;
    if (rc != IA_OK) {
        return rc;
    }
    struct relayed *r = ia_calloc(1, sizeof(*r));
    rc = open_wda(spec, deadline, r, &wda, err);
    if (rc != IA_OK) {
        ia_usbmux_relay_close(r->relay);
        free(r);
        return rc;
    }
    ia_device_forward_init(&r->forward, wda);
    r->forward.ops.info = info;
    r->forward.ops.close = close_relayed;
    r->forward.after = explain;
    memcpy(r->udid, spec->name, sizeof(r->udid));
    *ret = &r->forward.device;
    return IA_OK;
}

static enum ia_rc describe(const struct ia_device_spec *spec,
                           const struct ia_deadline *deadline, struct ia_buf *out,
                           struct ia_err *err)
{
    char *file = NULL;
    enum ia_rc rc = ia_device_wda_session_file(spec, &file, err);
    if (rc == IA_OK) {
        const struct ia_iphone_check check = {
            .udid = spec->name, .session_file = file, .take = spec->query != NULL};
        rc = ia_iphone_check(&check, deadline, out, err);
    }
    free(file);
    return rc;
}

/* Only the user may decide that something drives their iPhone. */
const struct ia_device_kind ia_device_kind_iphone = {
    .scheme = "iphone",
    .help = "iphone:UDID for WebDriverAgent on an iPhone that is plugged in",
    .reaches_out = true,
    .parse = parse,
    .open = open_iphone,
    .describe = describe,
};
