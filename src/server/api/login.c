/* login.c: how a page gets its token: a one-time code from the Unix socket, traded over TCP. The code is
 * all that stands in an address, for a minute and once (server/http/access.h). */
#include "server/api/handlers.h"
#include "server/http/access.h"

#include <stdio.h>
#include <string.h>

static const char *scope_name(enum ia_http_scope scope)
{
    return scope == IA_HTTP_SCOPE_ACT ? "act" : "view";
}

static enum ia_rc check(const struct ia_api_call *call, struct ia_err *err)
{
    if (call->http->listener != IA_HTTP_UNIX) {
        return ia_err_set(err, IA_E_FORBIDDEN, "codes are given over the Unix socket only");
    }
    if (!call->api->opts.access || !call->api->opts.daemon.listen) {
        return ia_err_set(err, IA_E_UNSUPPORTED, "this daemon does not listen on TCP");
    }
    return IA_OK;
}

enum ia_rc ia_api_codes(struct ia_api_call *call, struct ia_err *err)
{
    const struct ia_api_opts *o = &call->api->opts;
    const char *scope = ia_args_text(&call->input, "scope");
    bool view = scope && strcmp(scope, "view") == 0;
    enum ia_http_scope wanted = view ? IA_HTTP_SCOPE_VIEW : IA_HTTP_SCOPE_ACT;
    char text[IA_ACCESS_CODE_SIZE], url[64];
    int port = 0;
    enum ia_rc rc = check(call, err);
    if (rc == IA_OK) {
        rc = o->daemon.listen(o->daemon.ctx, &port, err);
    }
    if (rc != IA_OK) {
        return rc;
    }
    ia_access_code(o->access, wanted, text);
    (void)snprintf(url, sizeof(url), "http://127.0.0.1:%d", port);
    ia_jsonw_object(&call->w);
    ia_jsonw_kv(&call->w, "code", text);
    ia_jsonw_kv(&call->w, "url", url);
    ia_jsonw_kv(&call->w, "scope", scope_name(wanted));
    ia_jsonw_kv_int(&call->w, "seconds", IA_ACCESS_CODE_S);
    ia_jsonw_end_object(&call->w);
    return IA_OK;
}

enum ia_rc ia_api_login(struct ia_api_call *call, struct ia_err *err)
{
    struct ia_access *access = call->api->opts.access;
    char token[IA_ACCESS_TOKEN_SIZE];
    enum ia_http_scope scope = IA_HTTP_SCOPE_NONE;
    enum ia_rc rc =
        access ? ia_access_trade(access, ia_args_text(&call->input, "code"), token, &scope, err)
               : ia_err_set(err, IA_E_UNSUPPORTED, "this daemon does not listen on TCP");
    if (rc == IA_OK) {
        ia_jsonw_object(&call->w);
        ia_jsonw_kv(&call->w, "token", token);
        ia_jsonw_kv(&call->w, "scope", scope_name(scope));
        ia_jsonw_end_object(&call->w);
    }
    return rc;
}
