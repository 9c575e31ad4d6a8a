/* dashboard.h: the page for people: its files, as they were compiled into the program.
 *
 * They hold no data and no secret, so they need no token; what the page shows comes from the control
 * API, which asks for one. */
#ifndef IA_SERVER_DASHBOARD_DASHBOARD_H
#define IA_SERVER_DASHBOARD_DASHBOARD_H

#include "base/embed.h"
#include "server/http/http.h"

/* Whether the path belongs to the page: "/", "/favicon.svg" or one below "/app/". */
bool ia_dashboard_path(const char *path);
/* Answers such a request: the file, 304 when the caller has it already, 404 or 405. Any thread. */
void ia_dashboard_handle(const struct ia_http_request *request, struct ia_http_reply *reply);

/* The files, by their names below assets/; ended by a NULL name. */
extern const struct ia_embedded ia_embedded_dashboard[];

#endif
