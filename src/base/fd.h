/* fd.h: descriptors that children never inherit, and files read and written in one piece. */
#ifndef IA_BASE_FD_H
#define IA_BASE_FD_H

#include "base/buf.h"
#include "base/err.h"

#include <sys/types.h>

/* pipe() with both ends close-on-exec and above 2, even where a standard stream is closed. */
enum ia_rc ia_pipe(int ret_fds[2], struct ia_err *err);
enum ia_rc ia_fd_nonblocking(int fd);

/* Appends a whole file to b. A file larger than the buffer's cap is IA_E_LIMIT, a missing one
 * is IA_E_NOT_FOUND, anything else IA_E_IO; each names the path. */
enum ia_rc ia_file_read(const char *path, struct ia_buf *b, struct ia_err *err);
/* The same, but anything that is no regular file, such as a FIFO, is IA_E_IO, and nobody waits for it. */
enum ia_rc ia_file_read_regular(const char *path, struct ia_buf *b, struct ia_err *err);
/* The same of standard input, whatever it is: "/dev/stdin" cannot be opened where that is a socket, as
 * programs that start others often have it. */
enum ia_rc ia_stdin_read(struct ia_buf *b, struct ia_err *err);
/* Replaces a file so that a reader finds the old one or the complete new one, after any crash:
 * temporary file in the same folder, fsync, rename, fsync of the folder. mode as in open(2). */
enum ia_rc ia_file_write_atomic(const char *path, const void *bytes, size_t n, unsigned mode,
                                struct ia_err *err);
/* read(2) until dst is full or the file ends; restarts after EINTR. How many bytes there were, or -1
 * with errno. fd must be blocking. */
ssize_t ia_read_full(int fd, void *dst, size_t size);
/* write(2) until everything is out; restarts after EINTR. fd must be blocking. errno says why
 * it is IA_E_IO. */
enum ia_rc ia_write_all(int fd, const void *bytes, size_t n);
/* mkdir -p with mode 0700 for what it makes. */
enum ia_rc ia_mkdirs(const char *path, struct ia_err *err);

#endif
