/* served.c: see served.h. */
#include "served.h"

#include "base/clock.h"
#include "driver/embedded/embedded.h"

#include <unistd.h>

void served_open(struct served *s)
{
    served_open_with(s, NULL);
}

void served_open_with(struct served *s, const char *query)
{
    struct ia_embedded_options opt = {.name = "default", .query = query};
    *s = (struct served){.session = ""};
    assert_int_equal(ia_embedded_open(&opt, &s->phone, NULL), IA_OK);
    ia_device_forward_init(&s->device, s->phone);
}

void served_start(struct served *s, const struct ia_wda_server_options *options)
{
    struct ia_wda_server_options opt = {.mjpeg_port = -1};
    struct ia_err err = {0};
    opt = options ? *options : opt;
    opt.device = &s->device.device;
    if (ia_wda_server_start(&opt, &s->server, &err) != IA_OK) {
        fail_msg("%s", err.msg);
    }
    s->at.port = ia_wda_server_port(s->server);
}

void served_close(struct served *s)
{
    ia_wda_server_stop(s->server);
    ia_device_close(s->phone);
}

void served_ask(struct served *s, const char *method, const char *path, const char *body,
                struct said *ret)
{
    struct wire_reply r;
    int fd = wire_tcp(&s->at);
    wire_send(fd, "%s %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n", method, path, s->at.port);
    if (body) {
        wire_send(fd, "Content-Length: %zu\r\n\r\n%s", strlen(body), body);
    } else {
        wire_send(fd, "\r\n");
    }
    wire_read(fd, &r);
    close(fd);
    *ret =
        (struct said){.status = r.status, .whole = json_loadb(r.body.p, r.body.len, 0, NULL)};
    if (!ret->whole || !json_object_get(ret->whole, "sessionId")) {
        fail_msg("%s %s: %d, no envelope: %s", method, path, r.status, ia_buf_cstr(&r.body));
    }
    ret->value = json_object_get(ret->whole, "value");
    const char *error = json_string_value(json_object_get(ret->value, "error"));
    ret->error = error ? error : "";
    wire_reply_fini(&r);
}

void said_fini(struct said *r)
{
    json_decref(r->whole);
}

void served_session(struct served *s)
{
    struct said r;
    served_ask(s, "POST", "/session", "{\"capabilities\":{}}", &r);
    assert_int_equal(r.status, 200);
    (void)snprintf(s->session, sizeof(s->session), "%s",
                   json_string_value(json_object_get(r.whole, "sessionId")));
    said_fini(&r);
}

enum ia_rc served_wait(struct ia_device *d, const struct ia_deadline *deadline,
                       struct ia_tree **ret_tree, struct ia_err *err)
{
    struct served *s = (struct served *)((char *)d - offsetof(struct served, device));
    (void)ret_tree;
    s->inside++;
    enum ia_rc rc = ia_clock_wait(ia_clock_system(), deadline->cancel, deadline->at_us);
    s->inside--;
    return ia_err_set(err, rc == IA_OK ? IA_E_TIMEOUT : rc, "nothing came");
}

void served_says(struct served *s, const char *method, const char *rest, const char *body,
                 int status, const char *text)
{
    struct said r;
    char path[256];
    (void)snprintf(path, sizeof(path), "/session/%s%s", s->session, rest);
    served_ask(s, method, path, body, &r);
    char *all = json_dumps(r.value, JSON_ENCODE_ANY);
    if (r.status != status || !strstr(all, text)) {
        fail_msg("%s %s: %d %.400s", method, rest, r.status, all);
    }
    free(all);
    said_fini(&r);
}

static void ignore(const void *first, ...)
{
    (void)first;
}

#define LOST(name, what, params, args)                                                         \
    static enum ia_rc lost_##name(struct ia_device *d, IA_DEVICE_LIST params)                  \
    {                                                                                          \
        ignore(d, IA_DEVICE_LIST args);                                                        \
        return ia_err_set(err, IA_E_DEVICE_LOST, "the cable is out");                          \
    }
IA_DEVICE_OPS(LOST)

void served_lose(struct served *s)
{
#define LOSE(name, what, params, args) s->device.ops.name = lost_##name;
    IA_DEVICE_OPS(LOSE)
    s->device.ops.info = ia_device_forward_ops.info;
}
