/* usbmux.c: one connection to usbmuxd for each call; requests and answers in turn.
 *
 *   ia_usbmux_connect:  dial ─► ListDevices ─► Connect{DeviceID, port} ─► the stream is the caller's
 *
 * Exactly the bytes of an answer are read, as those after a good Connect are the device's. */
#include "driver/usbmux/impl.h"

#include "base/paths.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char default_path[] = "/var/run/usbmuxd";
static const char variable[] = "USBMUXD_SOCKET_ADDRESS";

/* A connection on which requests are asked one after the other. */
struct talk {
    int fd;
    uint32_t tag; /* of the last request */
    struct ia_limit limit;
};

/* ---- the daemon ------------------------------------------------------------------------- */

static enum ia_rc no_daemon(const char *where, struct ia_err *err)
{
    char why[160];
    memccpy(why, err->msg, '\0', sizeof(why) - 1);
    why[sizeof(why) - 1] = '\0';
    (void)ia_err_set(err, IA_E_MISSING, "usbmuxd does not answer at %s: %s", where, why);
    ia_err_hint(err, "Linux: sudo apt install usbmuxd, then plug the iPhone in; macOS has one. "
                     "Another place: USBMUXD_SOCKET_ADDRESS=UNIX:PATH or HOST:PORT");
    return IA_E_MISSING;
}

/* "HOST:PORT" with a numeric address; false where it is not that. */
static bool split(const char *text, char host[64], uint16_t *ret_port)
{
    const char *colon = strrchr(text, ':');
    size_t n = colon ? (size_t)(colon - text) : 0;
    char *end = NULL;
    unsigned long port = colon ? strtoul(colon + 1, &end, 10) : 0;
    if (n == 0 || n >= 64 || port == 0 || port > 65535 || *end != '\0') {
        return false;
    }
    bool brackets = text[0] == '[' && text[n - 1] == ']';
    memcpy(host, text + brackets, n - 2 * (size_t)brackets);
    host[n - 2 * (size_t)brackets] = '\0';
    *ret_port = (uint16_t)port;
    return true;
}

static enum ia_rc bad_address(const char *text, struct ia_err *err)
{
    (void)ia_err_set(err, IA_E_CONFIG, "%s=%.100s is not the address of a usbmuxd", variable,
                     text);
    ia_err_hint(err, "UNIX:PATH, or HOST:PORT with an IP address or localhost");
    return IA_E_CONFIG;
}

static enum ia_rc dial(struct talk *t, struct ia_err *err)
{
    const char *at = ia_env_get(NULL, variable);
    char host[64];
    uint16_t port = 0;
    enum ia_rc rc;
    if (!at || strncmp(at, "UNIX:", 5) == 0) {
        rc = ia_stream_dial_unix(at ? at + 5 : default_path, &t->limit, &t->fd, err);
    } else if (split(at, host, &port)) {
        rc = ia_stream_dial_tcp(host, port, &t->limit, &t->fd, err);
    } else {
        return bad_address(at, err);
    }
    if (rc == IA_E_USAGE) {
        return bad_address(at ? at : default_path, err);
    }
    return rc == IA_E_IO ? no_daemon(at ? at : default_path, err) : rc;
}

/* ---- one request ------------------------------------------------------------------------ */

static enum ia_rc receive(struct talk *t, struct ia_buf *body, struct ia_err *err)
{
    uint8_t header[IA_USBMUX_HEADER_BYTES];
    size_t got = 0, left = 0;
    enum ia_rc rc = ia_stream_recv(t->fd, &t->limit, header, sizeof(header), &got, err);
    if (rc == IA_OK) {
        rc = ia_usbmux_header(header, t->tag, &left, err);
    }
    void *to = rc == IA_OK ? ia_buf_reserve(body, left) : NULL;
    if (rc == IA_OK && !to) {
        rc = ia_buf_check(body, "the answer", err);
    }
    if (rc == IA_OK) {
        rc = ia_stream_recv(t->fd, &t->limit, to, left, &got, err);
        ia_buf_grew(body, got);
    }
    return rc;
}

static enum ia_rc ask(struct talk *t, const struct ia_usbmux_request *q, json_t **ret,
                      struct ia_err *err)
{
    struct ia_buf out = IA_BUF(IA_USBMUX_REQUEST_MAX);
    struct ia_buf body = IA_BUF(IA_USBMUX_ANSWER_MAX);
    size_t sent;
    ia_usbmux_put(&out, ++t->tag, q);
    enum ia_rc rc = ia_buf_check(&out, "the request", err);
    if (rc == IA_OK) {
        rc = ia_stream_send(t->fd, &t->limit, out.p, out.len, &sent, err);
    }
    if (rc == IA_OK) {
        rc = receive(t, &body, err);
    }
    if (rc == IA_OK) {
        rc = ia_plist_read(ia_buf_str(&body), ret, err);
    }
    ia_buf_fini(&out);
    ia_buf_fini(&body);
    if (rc == IA_E_TIMEOUT) {
        ia_err_hint(err, "plug the iPhone out and in; if that is of no use, restart usbmuxd: "
                         "sudo systemctl restart usbmuxd (macOS: sudo killall usbmuxd)");
    }
    return rc == IA_OK ? rc : ia_err_wrap(err, rc, "usbmuxd, %s", q->type);
}

static enum ia_rc begin(struct talk *t, const struct ia_deadline *deadline, struct ia_err *err)
{
    struct ia_limit all = {deadline ? deadline->cancel : NULL,
                           deadline ? deadline->at_us : IA_NO_DEADLINE};
    *t = (struct talk){.fd = -1, .limit = ia_limit_within(&all, IA_USBMUX_ANSWER_MS)};
    return dial(t, err);
}

static void end(struct talk *t)
{
    if (t->fd >= 0) {
        close(t->fd);
    }
}

/* A request on a connection of its own. */
static enum ia_rc ask_once(const struct ia_deadline *deadline,
                           const struct ia_usbmux_request *q, json_t **ret, struct ia_err *err)
{
    struct ia_err local;
    struct talk t;
    err = err ? err : &local;
    enum ia_rc rc = begin(&t, deadline, err);
    if (rc == IA_OK) {
        rc = ask(&t, q, ret, err);
    }
    end(&t);
    return rc;
}

/* ---- what is plugged in ----------------------------------------------------------------- */

static const struct ia_usbmux_request list_devices = {.type = "ListDevices"};

static enum ia_rc read_list(json_t *answer, struct ia_usbmux_phones *ret, struct ia_err *err)
{
    enum ia_rc rc = ia_usbmux_devices(answer, ret, err);
    json_decref(answer);
    return rc == IA_OK ? rc : ia_err_wrap(err, IA_E_PROTO, "usbmuxd");
}

enum ia_rc ia_usbmux_list(const struct ia_deadline *deadline, struct ia_usbmux_phones *ret,
                          struct ia_err *err)
{
    json_t *answer = NULL;
    enum ia_rc rc = ask_once(deadline, &list_devices, &answer, err);
    return rc == IA_OK ? read_list(answer, ret, err) : rc;
}

static enum ia_rc pick(const struct ia_usbmux_phones *all, const char *udid,
                       struct ia_usbmux_phone *ret, struct ia_err *err)
{
    for (size_t i = 0; i < all->count; i++) {
        if (strcmp(all->phones[i].udid, udid) == 0) {
            *ret = all->phones[i];
            return IA_OK;
        }
    }
    enum ia_rc rc =
        ia_err_set(err, IA_E_NO_DEVICE, "no iPhone with the UDID %s is plugged in", udid);
    ia_err_hint(err, "plug it in, unlock it and tap Trust; ios-agent devices lists what is "
                     "plugged in");
    return rc;
}

enum ia_rc ia_usbmux_find(const char *udid, const struct ia_deadline *deadline,
                          struct ia_usbmux_phone *ret, struct ia_err *err)
{
    struct ia_usbmux_phones all;
    enum ia_rc rc = ia_usbmux_list(deadline, &all, err);
    return rc == IA_OK ? pick(&all, udid, ret, err) : rc;
}

/* ---- a port ----------------------------------------------------------------------------- */

static enum ia_rc refused(int result, const char *udid, uint16_t port, struct ia_err *err)
{
    enum ia_rc rc = IA_E_NO_DEVICE;
    switch (result) {
    case IA_USBMUX_REFUSED:
        (void)ia_err_set(err, rc, "nothing listens on port %u of the iPhone %s", (unsigned)port,
                         udid);
        ia_err_hint(err,
                    "start what is to listen there, such as WebDriverAgent's runner: "
                    "ios-agent doctor --device iphone:%s says how",
                    udid);
        break;
    case IA_USBMUX_BAD_DEVICE:
        (void)ia_err_set(err, rc, "the iPhone %s was unplugged just now", udid);
        ia_err_hint(err, "plug it in again");
        break;
    default:
        rc = ia_err_set(err, IA_E_PROTO, "usbmuxd refuses to connect to port %u of %s: %s %d",
                        (unsigned)port, udid,
                        result == IA_USBMUX_BAD_VERSION ? "another version, result" : "result",
                        result);
        ia_err_hint(err, "update usbmuxd; iproxy 8100:8100 of libusbmuxd shows whether another "
                         "program can");
    }
    return rc;
}

static enum ia_rc connect_port(struct talk *t, const char *udid, uint16_t port,
                               struct ia_err *err)
{
    struct ia_usbmux_phones all;
    struct ia_usbmux_phone phone = {.id = 0};
    json_t *answer = NULL;
    enum ia_rc rc = ask(t, &list_devices, &answer, err);
    rc = rc == IA_OK ? read_list(answer, &all, err) : rc;
    rc = rc == IA_OK ? pick(&all, udid, &phone, err) : rc;
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_usbmux_request q = {.type = "Connect", .device = phone.id, .port = port};
    answer = NULL;
    rc = ask(t, &q, &answer, err);
    int result = rc == IA_OK ? ia_usbmux_result(answer) : 0;
    json_decref(answer);
    return result != IA_USBMUX_OK ? refused(result, udid, port, err) : rc;
}

enum ia_rc ia_usbmux_connect(const char *udid, uint16_t port,
                             const struct ia_deadline *deadline, int *ret_fd,
                             struct ia_err *err)
{
    struct ia_err local;
    struct talk t;
    err = err ? err : &local;
    enum ia_rc rc = begin(&t, deadline, err);
    if (rc == IA_OK) {
        rc = connect_port(&t, udid, port, err);
    }
    if (rc == IA_OK) {
        *ret_fd = t.fd;
    } else {
        end(&t);
    }
    return rc;
}

enum ia_rc ia_usbmux_paired(const struct ia_usbmux_phone *phone,
                            const struct ia_deadline *deadline, bool *ret, struct ia_err *err)
{
    const struct ia_usbmux_request q = {.type = "ReadPairRecord", .record_id = phone->serial};
    json_t *answer = NULL;
    enum ia_rc rc = ask_once(deadline, &q, &answer, err);
    if (rc == IA_OK) {
        *ret = json_is_string(json_object_get(answer, "PairRecordData"));
    }
    json_decref(answer);
    return rc;
}
