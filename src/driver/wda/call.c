/* call.c: a request with its answer, whatever it takes.
 *
 *   session? ──no──► begin (session.c) ──► once (once.c) ──► answer
 *                                            │
 *              a reading ◄── once more ──────┤ the connection broke, or the session is gone
 *                                            ├ an effect of which nothing arrived: not_sent
 *                                            └ an effect that may have: is the server there?
 *
 * A session that is gone is begun again by whichever call comes next, under the rules of open: one of
 * another client is left alone. Through Appium nobody can tell, so there it is begun again only with
 * `take`. */
#include "driver/wda/impl.h"

#include <string.h>

static enum ia_rc have_session(struct ia_wda_client *w, const struct ia_deadline *deadline,
                               struct ia_err *err)
{
    if (w->released) {
        return ia_err_set(err, IA_E_INTERNAL, "the device was released and not acquired again");
    }
    if (w->session[0] != '\0') {
        return IA_OK;
    }
    if (w->dialect == IA_WDA_APPIUM && !w->take) {
        enum ia_rc rc =
            ia_err_set(err, IA_E_DEVICE_LOST,
                       "the session of %s is gone, and Appium does not tell whether "
                       "another client has the phone now",
                       w->url);
        ia_err_hint(err, "open the device again; ?take does so by itself");
        return rc;
    }
    return ia_wda_client_begin(w, deadline, err);
}

/* An effect whose answer is lost: says whether there is somebody to be asked what became of it. */
static enum ia_rc lost_effect(struct ia_wda_client *w, const struct ia_deadline *deadline,
                              enum ia_rc rc, struct ia_err *err)
{
    char session[IA_WDA_ID_MAX + 1];
    json_t *status = NULL;
    struct ia_err ignored = {.code = IA_OK};
    if (ia_wda_client_look(w, deadline, session, &status, &ignored) == IA_OK) {
        struct ia_err why = *err;
        if (w->dialect == IA_WDA_DIRECT && strcmp(session, w->session) != 0) {
            w->session[0] = '\0'; /* it was started again */
        }
        rc = ia_err_set(err, IA_E_DEVICE, "%s; the server is there again", why.msg);
        ia_err_hint(err, "%s", why.hint);
        (void)ia_wda_client_outcome(rc, IA_OUTCOME_UNKNOWN, err);
    }
    json_decref(status);
    return rc;
}

/* Whether a failed request is to be made once more. */
static bool again(struct ia_wda_client *w, const struct ia_wda_client_request *r, enum ia_rc rc,
                  bool broken)
{
    bool gone = strcmp(w->error, "invalid session id") == 0;
    if (rc == IA_E_DEVICE_LOST && gone) {
        w->session[0] = '\0';
    }
    return !ia_wda_client_call_kind(r->kind)->effect && (broken || gone);
}

enum ia_rc ia_wda_client_fetch(struct ia_wda_client *w, const struct ia_deadline *deadline,
                               const struct ia_wda_client_request *r, struct ia_buf *ret_body,
                               struct ia_err *err)
{
    struct ia_err local = {.code = IA_OK};
    struct ia_err *e = err ? err : &local;
    bool effect = ia_wda_client_call_kind(r->kind)->effect;
    bool broken = false, more = true;
    enum ia_rc rc = IA_OK;
    for (int tries = 0; tries < 2 && more; tries++) {
        rc = have_session(w, deadline, e);
        if (rc != IA_OK) {
            return ia_wda_client_outcome(rc, effect ? IA_OUTCOME_NOT_SENT : IA_OUTCOME_NONE, e);
        }
        struct ia_deadline limit = ia_wda_client_limit(w, r, deadline);
        rc = ia_wda_client_once(w, r, &limit, ret_body, &broken, e);
        more = rc != IA_OK && again(w, r, rc, broken);
    }
    return rc != IA_OK && effect && broken && e->outcome == IA_OUTCOME_UNKNOWN
               ? lost_effect(w, deadline, rc, e)
               : rc;
}

enum ia_rc ia_wda_client_call(struct ia_wda_client *w, const struct ia_deadline *deadline,
                              const struct ia_wda_client_request *r, json_t **ret_value,
                              struct ia_err *err)
{
    struct ia_buf body = IA_BUF(0);
    enum ia_rc rc = ia_wda_client_fetch(w, deadline, r, &body, err);
    if (rc == IA_OK) {
        rc = ia_wda_client_read(w, r->kind, IA_WDA_GOOD, ia_buf_str(&body), ret_value, err);
    }
    ia_buf_fini(&body);
    return rc;
}

enum ia_rc ia_wda_client_args(struct ia_wda_client *w, const struct ia_deadline *deadline,
                              struct ia_wda_client_request r, struct ia_buf *args,
                              json_t **ret_value, struct ia_err *err)
{
    enum ia_rc rc = ia_buf_check(args, "the request", err);
    bool effect = ia_wda_client_call_kind(r.kind)->effect;
    r.args = ia_buf_str(args);
    rc = rc == IA_OK
             ? ia_wda_client_call(w, deadline, &r, ret_value, err)
             : ia_wda_client_outcome(rc, effect ? IA_OUTCOME_NOT_SENT : IA_OUTCOME_NONE, err);
    ia_buf_fini(args);
    return rc;
}

enum ia_rc ia_wda_client_set(struct ia_wda_client *w, const struct ia_deadline *deadline,
                             const char *text, struct ia_err *err)
{
    struct ia_buf body = IA_BUF(1024);
    ia_buf_printf(&body, "{\"settings\":%s}", text);
    return ia_wda_client_args(
        w, deadline, (struct ia_wda_client_request){.kind = IA_WDA_ASK_SET}, &body, NULL, err);
}
