/* Answers from a WebDriverAgent or an Appium server into the client: whatever they are, every call ends with
 * a result or with an error that says why, and an effect is never sent twice.
 *
 * The first byte chooses operations (bits 0 to 2), the dialect (bit 3) and whether the session begins
 * well (bit 4). The rest is cut at the bytes ff 00 ff into one answer for each request; its first byte
 * is the status, or how the connection fails. */
#include "driver/wda/impl.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { READ = 1, ACT = 2, MORE = 4, APPIUM = 8, BEGUN = 16 };

struct world {
    const uint8_t *p;
    size_t n;
    bool appium, begun;
    int effects; /* sent within the call that is under way */
};

static void must(bool ok)
{
    if (!ok) {
        abort();
    }
}

/* The next answer of the input; false at its end. */
static bool next_piece(struct world *w, struct ia_str *ret)
{
    static const uint8_t mark[] = {0xff, 0x00, 0xff};
    const uint8_t *end = w->n > 0 ? memmem(w->p, w->n, mark, sizeof(mark)) : NULL;
    size_t n = end ? (size_t)(end - w->p) : w->n;
    size_t used = end ? n + sizeof(mark) : n;
    *ret = (struct ia_str){(const char *)w->p, n};
    w->p += used;
    w->n -= used;
    return n > 0;
}

static bool is_effect(const struct ia_ask_request *r)
{
    static const char *const readings[] = {
        "/status",    "/appium/settings", "/wda/apps/state", "/wda/getPasteboard",
        "getButtons", "queryAppState",    "get_clipboard",   "deviceScreenInfo",
        "deviceInfo"};
    bool reading = strcmp(r->method, "POST") != 0;
    for (size_t i = 0; i < IA_COUNTOF(readings); i++) {
        reading = reading || strstr(r->path, readings[i]) || ia_str_find(r->body, readings[i]);
    }
    return !reading && strcmp(r->path, "/session") != 0;
}

/* What a good server says while a session begins. */
static const char *good(const struct world *w, const struct ia_ask_request *r)
{
    if (strcmp(r->path, "/status") == 0) {
        return w->appium ? "{\"value\":{\"build\":{\"version\":\"3\"}}}"
                         : "{\"value\":{\"state\":\"success\"},\"sessionId\":null}";
    }
    return strcmp(r->path, "/session") == 0 ? "{\"value\":{\"sessionId\":\"S-1\"}}" : NULL;
}

static enum ia_rc answer(void *ctx, const struct ia_ask_request *r, struct ia_ask_answer *ret,
                         struct ia_err *err)
{
    static const int statuses[] = {200, 200, 200, 404, 400, 500, 502, 401};
    struct world *w = ctx;
    struct ia_str piece;
    const char *text = w->begun ? good(w, r) : NULL;
    must(strlen(r->path) < 1000 && !strpbrk(r->path, " \r\n"));
    must(r->once == (is_effect(r) || strcmp(r->path, "/session") == 0));
    w->effects += is_effect(r);
    must(w->effects <= 1);
    *ret = (struct ia_ask_answer){.body = IA_BUF(r->bytes_max), .status = 200};
    if (text) {
        ia_buf_puts(&ret->body, text);
        return IA_OK;
    }
    bool any = next_piece(w, &piece);
    unsigned kind = any ? (unsigned char)piece.p[0] % 10 : 8;
    ret->sent = kind != 9;
    if (kind >= IA_COUNTOF(statuses)) {
        return ia_err_set(err, IA_E_IO, "the connection broke");
    }
    ret->status = statuses[kind];
    ia_buf_put(&ret->body, piece.p + 1, piece.n - 1);
    return ia_buf_check(&ret->body, "the answer", err);
}

static void check(struct world *w, enum ia_rc rc, const struct ia_err *err)
{
    must(rc == IA_OK || (err->code == rc && err->msg[0] != '\0'));
    must(rc == IA_OK || w->effects > 0 || err->outcome == IA_OUTCOME_NONE ||
         err->outcome == IA_OUTCOME_NOT_SENT);
    w->effects = 0;
}

static void read_all(struct world *w, struct ia_device *d)
{
    struct ia_tree *t = NULL;
    struct ia_buf png = IA_BUF(1 << 20);
    struct ia_device_info info;
    struct ia_err err = {.code = IA_OK};
    enum ia_rc rc = ia_device_tree(d, NULL, &t, &err);
    check(w, rc, &err);
    must(rc != IA_OK || ia_tree_count(t) > 0);
    ia_tree_free(t);
    check(w, ia_device_screenshot(d, NULL, &png, &err), &err);
    check(w, ia_device_pasteboard(d, NULL, &png, &err), &err);
    check(w, ia_device_info(d, &info, &err), &err);
    ia_buf_fini(&png);
}

static void act_all(struct world *w, struct ia_device *d)
{
    struct ia_err err = {.code = IA_OK};
    struct ia_point at = {3, 4};
    check(w, ia_device_tap(d, NULL, at, &err), &err);
    check(w, ia_device_type_text(d, NULL, ia_str("x"), &err), &err);
    check(w, ia_device_terminate(d, NULL, "a.b", &err), &err);
    check(w, ia_device_alert(d, NULL, IA_ALERT_ACCEPT, NULL, &err), &err);
    check(w, ia_device_alert(d, NULL, IA_ALERT_BUTTON, "OK", &err), &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    struct world w = {
        .p = data + 1, .n = size - 1, .appium = data[0] & APPIUM, .begun = data[0] & BEGUN};
    struct ia_wda_options opt = {.url = "http://127.0.0.1:1", .lane = "wda:x", .take = true};
    struct ia_device *d = NULL;
    struct ia_err err = {.code = IA_OK};
    enum ia_rc rc = ia_wda_client_open_with(&opt, answer, &w, NULL, &d, &err);
    check(&w, rc, &err);
    if (rc == IA_OK) {
        if (data[0] & READ) {
            read_all(&w, d);
        }
        if (data[0] & ACT) {
            act_all(&w, d);
        }
        if (data[0] & MORE) {
            read_all(&w, d);
        }
        ia_device_close(d);
    }
    return 0;
}
