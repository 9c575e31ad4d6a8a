/* once.c: one request and its answer, in the dialect of who answers.
 *
 *   direct    POST /session/ID/wda/tap            {"x":1,"y":2}
 *   Appium    POST /session/ID/execute/sync       {"script":"mobile: tap","args":[{"x":1,"y":2}]} */
#include "driver/wda/impl.h"

#include <stdio.h>
#include <string.h>

enum { PATH_MAX_BYTES = 1024, BODY_MAX = 4 << 20, APPIUM_BEGIN_MS = 300000 };

static const char *script_of(const struct ia_wda_client *w,
                             const struct ia_wda_client_call_kind *k)
{
    bool script = w->dialect == IA_WDA_APPIUM && k->script && k->script[0] != '/';
    return script ? k->script : NULL;
}

static const char *path_of(const struct ia_wda_client *w,
                           const struct ia_wda_client_call_kind *k)
{
    bool other = w->dialect == IA_WDA_APPIUM && k->script && k->script[0] == '/';
    return other ? k->script : k->path;
}

static void put_path(const struct ia_wda_client *w, const struct ia_wda_client_request *r,
                     struct ia_buf *out)
{
    const struct ia_wda_client_call_kind *k = ia_wda_client_call_kind(r->kind);
    if (k->bare) {
        ia_buf_puts(out, k->path);
        return;
    }
    ia_buf_printf(out, "/session/%s", w->session);
    if (script_of(w, k)) {
        ia_buf_puts(out, "/execute/sync");
        return;
    }
    const char *path = path_of(w, k), *hole = strstr(path, "%s");
    size_t n = hole ? (size_t)(hole - path) : strlen(path);
    ia_buf_put(out, path, n);
    if (hole) {
        ia_buf_printf(out, "%s%s", r->id, hole + 2);
    }
    ia_buf_puts(out, r->query);
}

static void put_body(const struct ia_wda_client *w, const struct ia_wda_client_request *r,
                     struct ia_buf *out)
{
    const struct ia_wda_client_call_kind *k = ia_wda_client_call_kind(r->kind);
    const char *script = script_of(w, k);
    struct ia_str args = r->args.n > 0 ? r->args : ia_str("{}");
    if (script) {
        ia_buf_printf(out, "{\"script\":\"mobile: %s\",\"args\":[", script);
        ia_buf_putstr(out, args);
        ia_buf_puts(out, "]}");
    } else if (strcmp(k->method, "POST") == 0) {
        ia_buf_putstr(out, args);
    }
}

struct ia_deadline ia_wda_client_limit(const struct ia_wda_client *w,
                                       const struct ia_wda_client_request *r,
                                       const struct ia_deadline *deadline)
{
    int64_t ms = ia_wda_client_call_kind(r->kind)->limit_ms + r->more_ms;
    if (r->kind == IA_WDA_ASK_BEGIN && w->dialect == IA_WDA_APPIUM) {
        ms = APPIUM_BEGIN_MS; /* it may build WebDriverAgent first */
    }
    struct ia_deadline limit = {deadline ? deadline->cancel : NULL,
                                ia_mono_us(ia_clock_system()) + ms * 1000};
    if (deadline && deadline->at_us < limit.at_us) {
        limit.at_us = deadline->at_us;
    }
    return limit;
}

/* No whole answer came. */
static enum ia_rc unanswered(const struct ia_wda_client *w,
                             const struct ia_wda_client_request *r, enum ia_rc rc, bool sent,
                             struct ia_err *err)
{
    const struct ia_wda_client_call_kind *k = ia_wda_client_call_kind(r->kind);
    const struct ia_err why = *err;
    rc = rc == IA_E_IO ? IA_E_DEVICE_LOST : rc;
    (void)ia_err_set(err, rc, "%s: %.200s (%s)", k->what, why.msg, w->url);
    ia_err_hint(err, "%s",
                k->effect && sent
                    ? "it may have taken effect: look at the screen before trying again"
                : rc == IA_E_TIMEOUT
                    ? "the app in front or WebDriverAgent may hang: try again, or start "
                      "WebDriverAgent again"
                : rc == IA_E_DEVICE_LOST ? "start WebDriverAgent, or the way to it, again"
                                         : "");
    enum ia_outcome outcome = sent ? IA_OUTCOME_UNKNOWN : IA_OUTCOME_NOT_SENT;
    return ia_wda_client_outcome(rc, k->effect ? outcome : IA_OUTCOME_NONE, err);
}

/* Bad answers to requests whose bytes are wanted are told here too. */
static enum ia_rc judge(struct ia_wda_client *w, const struct ia_wda_client_request *r,
                        int status, const struct ia_buf *body, struct ia_err *err)
{
    return status == IA_WDA_GOOD
               ? IA_OK
               : ia_wda_client_read(w, r->kind, status, ia_buf_str(body), NULL, err);
}

enum ia_rc ia_wda_client_once(struct ia_wda_client *w, const struct ia_wda_client_request *r,
                              const struct ia_deadline *limit, struct ia_buf *ret_body,
                              bool *ret_broken, struct ia_err *err)
{
    const struct ia_wda_client_call_kind *k = ia_wda_client_call_kind(r->kind);
    struct ia_buf path = IA_BUF(PATH_MAX_BYTES), body = IA_BUF(BODY_MAX);
    struct ia_ask_answer answer = {.status = 0};
    put_path(w, r, &path);
    put_body(w, r, &body);
    *ret_broken = false;
    w->error[0] = '\0';
    enum ia_rc rc = ia_buf_check(&body, "the request", err);
    rc = rc == IA_OK ? ia_buf_check(&path, "the request's path", err) : rc;
    if (rc == IA_OK) {
        rc = ia_deadline_check(limit, ia_clock_system(), err);
    }
    if (rc == IA_OK) {
        struct ia_ask_request ask = {.method = script_of(w, k) ? "POST" : k->method,
                                     .path = ia_buf_cstr(&path),
                                     .body = ia_buf_str(&body),
                                     .once = k->effect,
                                     .bytes_max = k->answer_max,
                                     .deadline_us = limit->at_us,
                                     .cancel = limit->cancel};
        rc = w->send(w->send_ctx, &ask, &answer, err);
        *ret_broken = rc == IA_E_IO;
        w->hung = k->bare ? w->hung : rc == IA_E_TIMEOUT || rc == IA_E_CANCELLED;
        rc = rc == IA_OK ? judge(w, r, answer.status, &answer.body, err)
                         : unanswered(w, r, rc, answer.sent, err);
    } else {
        rc = ia_wda_client_outcome(rc, k->effect ? IA_OUTCOME_NOT_SENT : IA_OUTCOME_NONE, err);
    }
    if (rc == IA_OK) {
        *ret_body = answer.body;
    } else {
        ia_buf_fini(&answer.body);
    }
    ia_buf_fini(&body);
    ia_buf_fini(&path);
    return rc;
}
