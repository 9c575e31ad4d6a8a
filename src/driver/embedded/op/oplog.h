/* oplog.h: the file that is the phone between programs.
 *
 * The first line is {"phone":2,"seed":"N"}; each further line is one operation (op.h). A line
 * is written with its newline before the operation acts. A last line without a newline is one
 * that was being written when the program was killed: it never acted, and is cut off. */
#ifndef IA_DRIVER_EMBEDDED_OP_OPLOG_H
#define IA_DRIVER_EMBEDDED_OP_OPLOG_H

#include "driver/embedded/op/op.h"

struct ia_oplog;

#define IA_OPLOG_BYTES_MAX ((size_t)256 << 20)
enum { IA_OPLOG_VERSION = 2, IA_OPLOG_NAME_MAX = IA_PEER_NAME_MAX };

/* IA_E_USAGE unless it is 1 to 32 of a-z, 0-9 and "-". NULL is no name. */
enum ia_rc ia_oplog_check_name(const char *name, struct ia_err *err);

/* Makes the phone that the bytes of a log describe. path is for messages. seed is used when the
 * log does not say one (0: the default). *ret_good is the length of its complete
 * lines. IA_E_PARSE names file and line. */
enum ia_rc ia_oplog_replay(struct ia_str bytes, const char *path, uint64_t seed,
                           struct ia_phone **ret, size_t *ret_good, struct ia_err *err);

/* The bytes of a log's first n operations; all if there are fewer, or if n is 0. Borrowed from bytes. */
struct ia_str ia_oplog_first(struct ia_str bytes, int64_t n);
/* Counts in the complete lines of a log: *ret is the number of the operation that completes `setup` operations from the
 * last reset on, the reset included and the mere passing of time left out; *ret_all is that of the last operation.
 * Returns false if there is none. */
bool ia_oplog_last_reset(struct ia_str bytes, size_t setup, int64_t *ret, int64_t *ret_all);

/* Reads folder/NAME.log; a missing file is an empty log. */
enum ia_rc ia_oplog_read(const char *folder, const char *name, struct ia_buf *ret_bytes,
                         struct ia_err *err);

/* Opens folder/NAME.log for this process alone and replays it; fresh empties it first. */
enum ia_rc ia_oplog_open(const char *folder, const char *name, bool fresh, uint64_t seed,
                         struct ia_oplog **ret, struct ia_phone **ret_phone,
                         struct ia_err *err);
void ia_oplog_close(struct ia_oplog *log);

/* Lets other processes have the phone until ia_oplog_acquire; the log stays open in memory. */
void ia_oplog_release(struct ia_oplog *log);
/* Takes the phone back: *phone, which is that of ia_oplog_open, or another one after this, becomes
 * the one that the file describes now. *ret_changed: somebody else did something with it, or the file
 * is not the one that was left; who only looked, which lets a loading screen go on, did nothing. On
 * failure (IA_E_BUSY, and those of ia_oplog_open) the log stays released, and the phone waits to be
 * made by the next call. */
enum ia_rc ia_oplog_acquire(struct ia_oplog *log, struct ia_phone **phone, bool *ret_changed,
                            struct ia_err *err);
bool ia_oplog_held(const struct ia_oplog *log);
/* Writes the phone's next operation. On failure the file is as before (outcome NOT_SENT), or,
 * if even that failed, the log takes no more operations (outcome UNKNOWN). */
enum ia_rc ia_oplog_append(struct ia_oplog *log, const struct ia_phone *p,
                           const struct ia_op *op, struct ia_err *err);

/* Writes the operations of a log as a JSON array; a torn last line is left out, and of a text
 * that was typed into a secure field there is "•••" only. */
void ia_oplog_json(struct ia_str bytes, struct ia_jsonw *w);

#endif
