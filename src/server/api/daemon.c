/* daemon.c: what the daemon is, and its end. The first of them never changes: a client of any version
 * asks it before anything else. */
#include "server/api/handlers.h"

#include <unistd.h>

enum ia_rc ia_api_daemon(struct ia_api_call *call, struct ia_err *err)
{
    const struct ia_api_opts *o = &call->api->opts;
    struct ia_api_facts f = {.idle_in_s = -1};
    struct ia_jsonw *w = &call->w;
    char started[IA_ISO_SIZE];
    (void)err;
    o->daemon.facts(o->daemon.ctx, &f);
    ia_iso_format(f.started_ms, started);
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "build", o->build);
    ia_jsonw_kv(w, "version", o->version);
    ia_jsonw_key(w, "api");
    ia_jsonw_array(w);
    ia_jsonw_int(w, 1);
    ia_jsonw_end_array(w);
    ia_jsonw_kv_int(w, "pid", getpid());
    ia_jsonw_kv(w, "home", o->setup->paths.home);
    ia_jsonw_kv(w, "started", started);
    ia_jsonw_key(w, "idle_in_s");
    if (f.idle_in_s >= 0) {
        ia_jsonw_int(w, f.idle_in_s);
    } else {
        ia_jsonw_null(w);
    }
    ia_jsonw_kv(w, "http", f.http[0] != '\0' ? f.http : NULL);
    ia_jsonw_key(w, "lanes");
    ia_hub_lanes(o->hub, w);
    ia_jsonw_kv_int(w, "clients", f.clients);
    ia_jsonw_end_object(w);
    return IA_OK;
}

enum ia_rc ia_api_daemon_stop(struct ia_api_call *call, struct ia_err *err)
{
    const struct ia_api_daemon *d = &call->api->opts.daemon;
    const json_t *drain = json_object_get(call->body, "drain");
    (void)err;
    d->stop(d->ctx, !json_is_false(drain));
    ia_jsonw_object(&call->w);
    ia_jsonw_kv_bool(&call->w, "drain", !json_is_false(drain));
    ia_jsonw_kv_int(&call->w, "pid", getpid());
    ia_jsonw_end_object(&call->w);
    return IA_OK;
}
