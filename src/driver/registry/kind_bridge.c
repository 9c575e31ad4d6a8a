/* kind_bridge.c: the kinds of device whose scheme is "bridge". Which one is meant the form of the name tells:
 * a simulator's UDID is a UUID, an iPhone's is not.
 *
 * "bridge:HOST:PORT": whatever serves the bridge's wire there, a real device or a simulated one.
 * "bridge:UDID" of an iPhone: the runner on one that is plugged in, over usbmuxd.
 * "bridge:UDID": the XCTest runner of that simulator, which is found, or started when needed. */
#include "base/fd.h"
#include "driver/bridge/bridge.h"
#include "driver/registry/kinds.h"
#include "driver/registry/runner_supervisor.h"
#include "driver/simctl/list.h"
#include "driver/simctl/sim_device.h"
#include "driver/usbmux/usbmux.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char token_key[] = "token-file=";

/* ---- either ------------------------------------------------------------------------------ */

static enum ia_rc connect_bridge(const struct ia_bridge_client_options *opt,
                                 const struct ia_deadline *deadline, bool fresh,
                                 struct ia_device **ret, struct ia_err *err)
{
    struct ia_device *d = NULL;
    enum ia_rc rc = ia_bridge_client_open(opt, deadline, &d, err);
    if (rc == IA_OK && fresh) {
        rc = ia_device_reset(d, deadline, err);
    }
    if (rc != IA_OK) {
        ia_device_close(d);
        return rc;
    }
    *ret = d;
    return IA_OK;
}

/* ---- an address -------------------------------------------------------------------------- */

static const char *token_file(const struct ia_device_spec *spec)
{
    return spec->query ? spec->query + sizeof(token_key) - 1 : NULL;
}

/* The only setting that a bridge has. */
static enum ia_rc check_query(const struct ia_device_spec *spec, const char *given,
                              struct ia_err *err)
{
    size_t n = sizeof(token_key) - 1;
    if (!spec->query || (strncmp(spec->query, token_key, n) == 0 && spec->query[n] != '\0')) {
        return IA_OK;
    }
    enum ia_rc rc =
        ia_err_set(err, IA_E_USAGE, "--device %.100s: a bridge has no setting \"%.60s\"", given,
                   spec->query);
    ia_err_hint(err, "write %s?token-file=FILE, where FILE holds its token",
                spec->kind == &ia_device_kind_bridge ? "bridge:HOST:PORT" : "bridge:UDID");
    return rc;
}

static enum ia_rc parse_address(struct ia_device_spec *spec, const char *given,
                                struct ia_err *err)
{
    struct ia_bridge_client_place place = {.port = 0};
    enum ia_rc rc = ia_bridge_client_place_parse(spec->name, &place, err);
    return rc == IA_OK ? check_query(spec, given, err) : rc;
}

/* The token is one line; a line end is no part of it. Without a file it comes from the
 * environment, if it is there. */
static enum ia_rc read_token(const struct ia_device_spec *spec,
                             struct ia_bridge_client_place *place, struct ia_err *err)
{
    const char *path = token_file(spec);
    struct ia_buf text = IA_BUF(sizeof(place->token));
    enum ia_rc rc = IA_OK;
    if (path) {
        rc = ia_file_read(path, &text, err);
    } else {
        ia_buf_puts(&text, ia_device_spec_token(spec));
    }
    const char *p = ia_buf_cstr(&text);
    size_t n = strcspn(p, "\r\n");
    if (rc == IA_OK && (path ? n == 0 : !ia_buf_ok(&text) || n == sizeof(place->token))) {
        rc = ia_err_set(err, IA_E_USAGE, "%s contains no token",
                        path ? path : IA_DEVICE_TOKEN_VARIABLE);
    }
    if (rc == IA_OK) {
        memcpy(place->token, p, n);
        place->token[n] = '\0';
    }
    ia_buf_fini(&text);
    return rc;
}

static enum ia_rc open_address(const struct ia_device_spec *spec,
                               const struct ia_deadline *deadline, bool fresh,
                               struct ia_device **ret, struct ia_err *err)
{
    struct ia_bridge_client_options opt = {.client = "ios-agent " IA_VERSION};
    enum ia_rc rc = ia_bridge_client_place_parse(spec->name, &opt.place, err);
    if (rc == IA_OK) {
        rc = read_token(spec, &opt.place, err);
    }
    return rc == IA_OK ? connect_bridge(&opt, deadline, fresh, ret, err) : rc;
}

/* Which device answers; closes it. */
static enum ia_rc describe_bridge(const struct ia_device_spec *spec, struct ia_device *d,
                                  struct ia_buf *out, struct ia_err *err)
{
    struct ia_device_info info;
    enum ia_rc rc = ia_device_info(d, &info, err);
    if (rc == IA_OK) {
        ia_buf_printf(out, "bridge at %s: %s, %s%s", spec->name, info.name, info.os,
                      info.simulated ? ", simulated by ios-agent" : "");
    }
    ia_device_close(d);
    return rc;
}

static enum ia_rc describe_address(const struct ia_device_spec *spec,
                                   const struct ia_deadline *deadline, struct ia_buf *out,
                                   struct ia_err *err)
{
    struct ia_device *d = NULL;
    enum ia_rc rc = open_address(spec, deadline, false, &d, err);
    return rc == IA_OK ? describe_bridge(spec, d, out, err) : rc;
}

const struct ia_device_kind ia_device_kind_bridge = {
    .scheme = "bridge",
    .help = "bridge:HOST:PORT for a bridge's server",
    .reaches_out = true,
    .parse = parse_address,
    .open = open_address,
    .describe = describe_address,
};

/* ---- the runner of a simulator ----------------------------------------------------------- */

static bool is_udid(const char *name, const char *query)
{
    return !query && ia_sim_is_udid(name);
}

/* simctl writes UDIDs in capitals, and so does the runner when it says which device it is. */
static enum ia_rc parse_udid(struct ia_device_spec *spec, const char *given, struct ia_err *err)
{
    (void)given;
    (void)err;
    for (char *p = spec->name; *p != '\0'; p++) {
        *p = (char)toupper((unsigned char)*p);
    }
    return IA_OK;
}

static enum ia_rc open_runner(const struct ia_device_spec *spec,
                              const struct ia_deadline *deadline, bool fresh,
                              struct ia_device **ret, struct ia_err *err)
{
    struct ia_bridge_client_options opt = {.client = "ios-agent " IA_VERSION};
    struct ia_device *d = NULL;
    enum ia_rc rc = ia_runner_supervisor_take(spec->paths, spec->name, &opt, err);
    if (rc == IA_OK) {
        rc = connect_bridge(&opt, deadline, fresh, &d, err);
    }
    if (rc == IA_OK) {
        *ret = ia_sim_device_new(d, spec->name);
    }
    return rc;
}

/* Opening it would build and start it. */
static enum ia_rc describe_runner(const struct ia_device_spec *spec,
                                  const struct ia_deadline *deadline, struct ia_buf *out,
                                  struct ia_err *err)
{
    (void)deadline;
    (void)err;
    ia_buf_printf(out, "bridge:%s: the runner of that simulator, started when it is used",
                  spec->name);
    return IA_OK;
}

const struct ia_device_kind ia_device_kind_runner = {
    .scheme = "bridge",
    .help = "bridge:UDID for a simulator",
    .match = is_udid,
    .parse = parse_udid,
    .open = open_runner,
    .describe = describe_runner,
};

/* ---- the runner on an iPhone that is plugged in ------------------------------------------- */

/* Where the runner listens on the device: BRIDGE_PORT of its environment. */
enum { DEVICE_PORT = 27753 };

static bool is_iphone(const char *name, const char *query)
{
    char udid[IA_USBMUX_UDID_SIZE];
    (void)query;
    return ia_usbmux_udid(name, udid);
}

static enum ia_rc parse_iphone(struct ia_device_spec *spec, const char *given,
                               struct ia_err *err)
{
    char udid[IA_USBMUX_UDID_SIZE];
    (void)ia_usbmux_udid(spec->name, udid); /* it matched */
    memcpy(spec->name, udid, sizeof(udid));
    return check_query(spec, given, err);
}

/* The address is the UDID. */
static enum ia_rc dial_usb(void *ctx, const struct ia_bridge_client_place *place,
                           const struct ia_limit *limit, int *ret_fd, struct ia_err *err)
{
    (void)ctx;
    struct ia_deadline deadline = {limit->cancel, limit->deadline_us};
    return ia_usbmux_connect(place->address, place->port, &deadline, ret_fd, err);
}

static enum ia_rc open_iphone(const struct ia_device_spec *spec,
                              const struct ia_deadline *deadline, bool fresh,
                              struct ia_device **ret, struct ia_err *err)
{
    static const struct ia_dialer usb = {dial_usb, NULL};
    struct ia_bridge_client_options opt = {.place = {.port = DEVICE_PORT},
                                           .dialer = &usb,
                                           .called = spec->name,
                                           .client = "ios-agent " IA_VERSION};
    memcpy(opt.place.address, spec->name, IA_USBMUX_UDID_SIZE);
    enum ia_rc rc = read_token(spec, &opt.place, err);
    return rc == IA_OK ? connect_bridge(&opt, deadline, fresh, ret, err) : rc;
}

static enum ia_rc describe_iphone(const struct ia_device_spec *spec,
                                  const struct ia_deadline *deadline, struct ia_buf *out,
                                  struct ia_err *err)
{
    struct ia_device *d = NULL;
    enum ia_rc rc = open_iphone(spec, deadline, false, &d, err);
    return rc == IA_OK ? describe_bridge(spec, d, out, err) : rc;
}

const struct ia_device_kind ia_device_kind_iphone_bridge = {
    .scheme = "bridge",
    .help = "bridge:UDID for the runner on an iPhone",
    .reaches_out = true,
    .match = is_iphone,
    .parse = parse_iphone,
    .open = open_iphone,
    .describe = describe_iphone,
};
