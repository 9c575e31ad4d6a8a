/* openapi.h: the control API as an OpenAPI document. */
#ifndef IA_SERVER_API_OPENAPI_H
#define IA_SERVER_API_OPENAPI_H

#include "base/jsonw.h"

struct ia_api_route;
/* Writes the document of the table (ended by a NULL path). version is that of the API. */
void ia_api_document(struct ia_jsonw *w, const struct ia_api_route *routes,
                     const char *version);

#endif
