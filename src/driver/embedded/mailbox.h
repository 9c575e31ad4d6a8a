/* mailbox.h: the files by which linked phones exchange messages (driver/embedded/phone/link.h). Private to this folder. */
#ifndef IA_DRIVER_EMBEDDED_MAILBOX_H
#define IA_DRIVER_EMBEDDED_MAILBOX_H

#include "driver/embedded/impl.h"

enum { IA_MAILBOX_PATH_BYTES = 4096 };
#define IA_MAILBOX_BYTES_MAX ((size_t)16 << 20)

/* A line of a mailbox. */
struct ia_mail {
    struct json_t *json; /* what the others borrow from; the caller releases it in any case */
    const char *from, *as;
    int64_t no;
    struct ia_str text; /* or the name of the picture */
    bool picture;
};

/* False for a line that is no message. */
bool ia_mail_read(struct ia_str line, struct ia_mail *ret);
/* The mailbox of the phone with that name, in the folder of e. */
void ia_mailbox_path(const struct ia_embedded *e, const char *name,
                     char path[IA_MAILBOX_PATH_BYTES]);
/* Reads the complete lines; a missing file has none. IA_E_IO, IA_E_LIMIT. */
enum ia_rc ia_mailbox_read(const char *path, struct ia_buf *ret, struct ia_err *err);

#endif
