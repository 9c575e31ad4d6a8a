/* connection.h: the insides of a client: its connection, and the start of a daemon. Private to
 * src/client. */
#ifndef IA_CLIENT_CONNECTION_H
#define IA_CLIENT_CONNECTION_H

#include "client/address.h"
#include "client/client.h"

struct ia_client {
    struct ia_client_opts opts;
    char *home;
    int fd;    /* -1: not connected */
    bool told; /* of builds that differ */
    struct ia_buf out;
};

/* Connects to whoever listens. False with errno. */
bool ia_client_dial(struct ia_client *c, const struct ia_address *address);
void ia_client_hang_up(struct ia_client *c);

/* How far a request got. */
enum ia_client_sent { IA_CLIENT_NOTHING_SENT, IA_CLIENT_SENT };
/* One request on the open connection; until_us is monotonic. *ret_sent says whether it may have been
 * done when this fails; then the connection is closed. */
enum ia_rc ia_client_exchange(struct ia_client *c, const struct ia_client_request *request,
                              int64_t until_us, struct ia_client_answer *ret,
                              enum ia_client_sent *ret_sent, struct ia_err *err);

/* Starts a daemon and connects to it, or to the one that another process started meanwhile: ready is
 * whoever answers GET /v1/daemon with this home. IA_E_DAEMON_START. */
enum ia_rc ia_client_start(struct ia_client *c, struct ia_err *err);

#endif
