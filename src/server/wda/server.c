/* server.c: the server's life: the thread that owns the device, and what listens. */
#include "server/wda/wda_impl.h"

#include "server/http/access.h"

#include <stdlib.h>

enum { KEEP_S = 600 /* WebDriverAgent never closes; a model's turn takes a while */ };

static enum ia_rc start_http(struct ia_wda_server *s, int port, ia_http_handler *handler,
                             struct ia_http_server **ret, struct ia_err *err)
{
    struct ia_http_opts http = {.unix_fd = -1,
                                .tcp_port = port,
                                .access = s->access,
                                .handler = handler,
                                .ctx = s,
                                .build = IA_VERSION,
                                .refusal = ia_wda_refusal,
                                .keep_s = KEEP_S,
                                .half_close = true,
                                .exact_port = true};
    return ia_http_start(&http, ret, err);
}

static enum ia_rc start(struct ia_wda_server *s, const struct ia_wda_server_options *opt,
                        struct ia_err *err)
{
    struct ia_access_opts access = {
        .token_file = opt->token_file, .open = !opt->token_file, .no_page = true};
    s->access = ia_access_new(&access);
    enum ia_rc rc = ia_device_info(s->device, &s->info, err);
    if (rc == IA_OK) {
        s->stop = ia_cancel_new(err);
        rc = s->stop ? ia_wda_worker_start(s, err) : IA_E_IO;
    }
    if (rc == IA_OK) {
        rc = start_http(s, opt->port, ia_wda_handle, &s->http, err);
    }
    if (rc == IA_OK && opt->mjpeg_port >= 0) {
        rc = start_http(s, opt->mjpeg_port, ia_wda_mjpeg, &s->mjpeg, err);
    }
    return rc;
}

enum ia_rc ia_wda_server_start(const struct ia_wda_server_options *opt,
                               struct ia_wda_server **ret, struct ia_err *err)
{
    struct ia_wda_server *s = ia_calloc(1, sizeof(*s));
    s->device = opt->device;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->work, NULL);
    ia_wda_session_reset(s);
    enum ia_rc rc = start(s, opt, err);
    if (rc != IA_OK) {
        ia_wda_server_stop(s);
        return rc;
    }
    *ret = s;
    return IA_OK;
}

int ia_wda_server_port(const struct ia_wda_server *s)
{
    return ia_http_port(s->http);
}

int ia_wda_server_mjpeg_port(const struct ia_wda_server *s)
{
    return s->mjpeg ? ia_http_port(s->mjpeg) : 0;
}

void ia_wda_server_stop(struct ia_wda_server *s)
{
    if (!s) {
        return;
    }
    ia_cancel_fire(s->stop);
    ia_http_stop(s->mjpeg);
    ia_http_stop(s->http);
    ia_wda_worker_stop(s);
    ia_cancel_free(s->stop);
    ia_access_free(s->access);
    ia_wda_session_fini(s);
    pthread_cond_destroy(&s->work);
    pthread_mutex_destroy(&s->lock);
    free(s);
}
