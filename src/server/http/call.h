/* call.h: one request, from its first line to the last byte of its answer. */
#ifndef IA_SERVER_HTTP_CALL_H
#define IA_SERVER_HTTP_CALL_H

#include "net/mhd.h"
#include "server/http/access.h"
#include "server/http/connections.h"

/* What a call needs of the server. */
struct ia_call_ctx {
    const struct ia_mhd *mhd;
    struct ia_conns *conns;
    struct ia_access *access; /* NULL: no TCP */
    ia_http_handler *handler;
    void *handler_ctx;
    const char *build;
    void (*refusal)(struct ia_http_reply *reply, const struct ia_err *err);
    _Atomic int port; /* of the TCP listener; 0: none */
};

/* The library's callbacks; ctx is a struct ia_call_ctx. */
void *ia_call_line(void *ctx, const char *target, struct MHD_Connection *connection);
enum MHD_Result ia_call_request(void *ctx, struct MHD_Connection *connection, const char *path,
                                const char *method, const char *version, const char *upload,
                                size_t *upload_size, void **state);
void ia_call_done(void *ctx, struct MHD_Connection *connection, void **state,
                  enum MHD_RequestTerminationCode reason);

#endif
