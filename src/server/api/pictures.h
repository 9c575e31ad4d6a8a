/* pictures.h: the newest pictures of screens that somebody watches (private to api/). They are of no
 * run, so no row would ever need them on disk. */
#ifndef IA_SERVER_API_PICTURES_H
#define IA_SERVER_API_PICTURES_H

#include "base/buf.h"

enum { IA_PICTURES_KEPT = 24 };

struct ia_pictures_kept;
struct ia_pictures_kept *ia_pictures_new(void);
void ia_pictures_free(struct ia_pictures_kept *p); /* NULL is fine */
/* Keeps a copy in place of the one that was needed least lately, unless it is there. Any thread, as below. */
void ia_pictures_keep(struct ia_pictures_kept *p, const char *sha256, struct ia_str png);
/* It is still shown: others go before it. False: it is not there, any more. */
bool ia_pictures_need(struct ia_pictures_kept *p, const char *sha256);
/* Appends it. False: it is not there, any more. */
bool ia_pictures_get(struct ia_pictures_kept *p, const char *sha256, struct ia_buf *ret);

#endif
