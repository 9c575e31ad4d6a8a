/* Requests to the WebDriverAgent server over a simulated phone, a line each: method, path, body. "S" begins
 * a path of the session, "E" stands for the id of the element that was found last. No request may bring the
 * server down, and every answer is an envelope, or the bare text of /health. */
#include "fake_http.h"

#include "base/rand.h"
#include "driver/embedded/embedded.h"
#include "server/wda/wda_impl.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LINES_MAX = 12, PATH_MAX_BYTES = 4096 };

static char element[64] = "none";

/* A server that listens nowhere, with a session. */
static struct ia_wda_server *server(void)
{
    static struct ia_wda_server s;
    static const char id[IA_WDA_UID_SIZE] = "00000000-0000-7000-8000-000000000000";
    if (!s.started) {
        struct ia_embedded_options opt = {.name = "default"};
        pthread_mutex_init(&s.lock, NULL);
        pthread_cond_init(&s.work, NULL);
        if (ia_embedded_open(&opt, &s.device, NULL) != IA_OK ||
            ia_device_info(s.device, &s.info, NULL) != IA_OK ||
            ia_wda_worker_start(&s, NULL) != IA_OK) {
            abort();
        }
    }
    (void)ia_device_reset(s.device, NULL, NULL);
    ia_wda_session_reset(&s);
    ia_wda_session_set(&s, id);
    return &s;
}

/* What takes real time, or draws. */
static bool is_slow(const char *path)
{
    return strcasestr(path, "deactivateApp") || strcasestr(path, "screenshot");
}

static void expand(struct ia_str path, const struct ia_wda_server *s, struct ia_buf *out)
{
    for (size_t i = 0; i < path.n; i++) {
        if (i == 0 && path.p[i] == 'S') {
            ia_buf_printf(out, "/session/%s", s->session);
        } else if (path.p[i] == 'E') {
            ia_buf_puts(out, element);
        } else {
            ia_buf_putc(out, path.p[i]);
        }
    }
}

static void check(const struct ia_http_reply *reply)
{
    json_t *whole = json_loadb(reply->body.p, reply->body.len, 0, NULL);
    bool text = ia_str_eq(ia_buf_str(&reply->body), ia_str("I-AM-ALIVE"));
    if (!text && (!json_object_get(whole, "sessionId") || !json_object_get(whole, "value"))) {
        abort();
    }
    const char *id =
        json_string_value(json_object_get(json_object_get(whole, "value"), IA_WDA_ELEMENT_KEY));
    if (id) {
        (void)snprintf(element, sizeof(element), "%s", id);
    }
    json_decref(whole);
}

static struct ia_str word(struct ia_str *rest)
{
    const char *space = rest->n ? memchr(rest->p, ' ', rest->n) : NULL;
    struct ia_str w = {rest->p, space ? (size_t)(space - rest->p) : rest->n};
    size_t skip = space ? w.n + 1 : w.n;
    *rest = (struct ia_str){rest->p + skip, rest->n - skip};
    return w;
}

static void ask(struct ia_wda_server *s, struct ia_str line)
{
    struct ia_buf request = IA_BUF(PATH_MAX_BYTES);
    struct fake_request fake;
    ia_buf_putstr(&request, word(&line));
    ia_buf_putc(&request, ' ');
    expand(word(&line), s, &request);
    if (ia_buf_ok(&request) && !memchr(request.p, '\0', request.len) &&
        !is_slow(ia_buf_cstr(&request))) {
        struct ia_http_reply reply = {.body = IA_BUF(IA_HTTP_ANSWER_MAX),
                                      .headers = IA_BUF(4096)};
        if (fake_request_init(&fake, ia_buf_cstr(&request), "", line)) {
            ia_wda_handle(s, &fake.r, &reply);
            check(&reply);
        }
        ia_buf_fini(&reply.body);
        ia_buf_fini(&reply.headers);
        fake_request_fini(&fake);
    }
    ia_buf_fini(&request);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ia_wda_server *s = server();
    struct ia_str rest = {(const char *)data, size};
    struct ia_str line;
    for (int i = 0; i < LINES_MAX && ia_str_line(&rest, &line); i++) {
        ask(s, line);
    }
    return 0;
}
