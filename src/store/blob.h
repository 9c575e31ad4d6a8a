/* blob.h: files named by their SHA-256 under <home>/blobs/ab/cdef….
 *
 * Screenshots and trees live here, not in the database. A blob is written once, whole or not at
 * all (temporary file, fsync, rename, fsync of the folder), and never changed. Any thread. */
#ifndef IA_STORE_BLOB_H
#define IA_STORE_BLOB_H

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"

struct ia_store;

enum { IA_BLOB_BYTES_MAX = 64 << 20 };

/* Stores the bytes and writes their name. The same bytes are stored once. Durable on return.
 * IA_E_LIMIT beyond IA_BLOB_BYTES_MAX, IA_E_DB_FULL on a full disk, else IA_E_IO. */
enum ia_rc ia_blob_put(struct ia_store *s, const void *bytes, size_t n,
                       char ret_sha256[IA_SHA256_HEX_SIZE], struct ia_err *err);
/* Appends the path of that blob, whether or not it exists. IA_E_USAGE unless sha256 is 64
 * lower-case hexadecimal digits, so that no name can lead out of the folder. */
enum ia_rc ia_blob_path(struct ia_store *s, const char *sha256, struct ia_buf *ret_path,
                        struct ia_err *err);
/* Gives a blob a second name that people and viewers know, <home>/<folder>/<name>, and appends
 * that path: a hard link, or a copy where the file system has none. folder and name are ours,
 * without "/". Replaces a file of that name. Not synced: the blob itself is what counts. */
enum ia_rc ia_blob_show_as(struct ia_store *s, const char *sha256, const char *folder,
                           const char *name, struct ia_buf *ret_path, struct ia_err *err);
/* Appends the bytes after checking them against the name: IA_E_NOT_FOUND, or IA_E_DB_CORRUPT
 * when the file was changed (nothing is appended then). */
enum ia_rc ia_blob_read(struct ia_store *s, const char *sha256, struct ia_buf *ret,
                        struct ia_err *err);

#endif
