/* stream.h: a streamed body as libmicrohttpd reads it. */
#ifndef IA_SERVER_HTTP_STREAM_H
#define IA_SERVER_HTTP_STREAM_H

#include "net/mhd.h"
#include "server/http/connections.h"

/* A response that reads from ops on the connection's thread. ops->done is called when the response is
 * destroyed, and at once where it cannot be made (NULL, and err). */
struct MHD_Response *ia_stream_response(const struct ia_mhd *mhd, struct ia_conn *conn,
                                        const struct ia_http_stream_ops *ops, void *ctx,
                                        struct ia_err *err);

#endif
