/* blob_server.h: an HTTP server for the pictures of a fleet's runs. Its only request is
 * GET /fleet/blobs/SHA256?run=RUN&code=CODE; the code proves that the client knows the run's key, with which the response
 * is encrypted. */
#ifndef IA_APP_FLEET_BLOB_SERVER_H
#define IA_APP_FLEET_BLOB_SERVER_H

#include "store/store.h"

struct ia_fleet_blobs;

/* listen: HOST:PORT, a numeric address of this machine, or "localhost". url: the address that others use, or NULL. IA_E_USAGE, IA_E_IO. */
enum ia_rc ia_fleet_blobs_open(struct ia_store *store, const char *listen, const char *url,
                               struct ia_fleet_blobs **ret, struct ia_err *err);
const char *ia_fleet_blobs_url(const struct ia_fleet_blobs *b); /* "" for NULL */
void ia_fleet_blobs_close(struct ia_fleet_blobs *b);            /* NULL is fine */

#endif
