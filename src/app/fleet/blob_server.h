/* blob_server.h: an HTTP server that hands out the pictures of a fleet's runs, to whoever knows the key of the run: GET
 * /fleet/blobs/SHA256?run=RUN&code=CODE. What it sends is encrypted with that key. It knows no other request. */
#ifndef IA_APP_FLEET_BLOB_SERVER_H
#define IA_APP_FLEET_BLOB_SERVER_H

#include "store/store.h"

struct ia_fleet_blobs;

/* listen: HOST:PORT, an address of this machine as numbers, or "localhost"; url: by which others reach it, or NULL. IA_E_USAGE, IA_E_IO. */
enum ia_rc ia_fleet_blobs_open(struct ia_store *store, const char *listen, const char *url,
                               struct ia_fleet_blobs **ret, struct ia_err *err);
const char *ia_fleet_blobs_url(const struct ia_fleet_blobs *b); /* "" for NULL */
void ia_fleet_blobs_close(struct ia_fleet_blobs *b);            /* NULL is fine */

#endif
