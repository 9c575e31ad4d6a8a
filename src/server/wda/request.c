/* request.c: a request from its first byte to its answer.
 *
 *   route ─► session ─► ASIDE: handler here; else the queue (queue.c) ─► reply */
#include "server/wda/wda_impl.h"

#include <stdlib.h>
#include <string.h>

/* Refused as WebDriverAgent refuses it, before anything else is read, with the end of the connection. */
static bool is_coded(const struct ia_http_request *request)
{
    return ia_http_header(request, "Transfer-Encoding") != NULL;
}

static enum ia_wda_error answer(struct ia_wda_call *c)
{
    if (is_coded(c->http)) {
        return ia_wda_fail(c, IA_WDA_E_ARGUMENT, "Transfer-Encoding is not supported");
    }
    enum ia_wda_error error = ia_wda_route(c);
    if (error != IA_WDA_OK) {
        return error;
    }
    if (!ia_wda_enter(c)) {
        return ia_wda_fail(c, IA_WDA_E_NO_SESSION, "Session does not exist");
    }
    c->deadline.cancel = ia_http_cancel(c->http);
    return c->route->flags & IA_WDA_ASIDE ? ia_wda_perform(c) : ia_wda_queue(c);
}

void ia_wda_handle(void *ctx, const struct ia_http_request *request,
                   struct ia_http_reply *reply)
{
    struct ia_wda_server *s = ctx;
    struct ia_wda_call c = {.s = s, .http = request, .out = &reply->body, .session = ""};
    char session[IA_WDA_UID_SIZE];
    enum ia_wda_error error = answer(&c);
    pthread_mutex_lock(&s->lock);
    memcpy(session, s->session, sizeof(session));
    pthread_mutex_unlock(&s->lock);
    ia_wda_reply(&c, error, session, reply);
    if (is_coded(request)) {
        ia_http_reply_header(reply, "Connection", "close");
    }
    free(c.path);
}
