/* hold.c: one process at a time drives a phone by one session file. A session whose process lives is no
 * leftover, though the file names it. The lock is the system's: it goes with its process, however that ends.
 *
 *   open ─► lock ─► session … release ─► (another process: lock, a session of its own) … acquire ─► lock,
 *   and a new session where the file no longer names the one from before */
#include "driver/wda/impl.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { PATH_BYTES_MAX = 4096 };

static enum ia_rc in_use(const struct ia_wda_client *w, struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(
        err, IA_E_BUSY, "another run or command of ios-agent drives the device at %s", w->url);
    ia_err_hint(err, "wait for it to end, or use another device (--device)");
    return ia_wda_client_outcome(rc, IA_OUTCOME_NOT_SENT, err);
}

enum ia_rc ia_wda_client_hold(struct ia_wda_client *w, struct ia_err *err)
{
    struct ia_buf path = IA_BUF(PATH_BYTES_MAX);
    if (!w->session_file || w->lock_fd >= 0) {
        return IA_OK;
    }
    ia_buf_printf(&path, "%s.lock", w->session_file);
    enum ia_rc rc = ia_buf_check(&path, "the path of the session's lock", err);
    int fd = rc == IA_OK
                 ? open(ia_buf_cstr(&path), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)
                 : -1;
    if (rc == IA_OK && fd < 0) {
        rc =
            ia_err_set(err, IA_E_IO, "cannot open %s: %s", ia_buf_cstr(&path), strerror(errno));
    } else if (rc == IA_OK && flock(fd, LOCK_EX | LOCK_NB) != 0) {
        rc = errno == EWOULDBLOCK ? in_use(w, err)
                                  : ia_err_set(err, IA_E_IO, "cannot lock %s: %s",
                                               ia_buf_cstr(&path), strerror(errno));
        close(fd);
        fd = -1;
    }
    w->lock_fd = fd;
    ia_buf_fini(&path);
    return rc;
}

void ia_wda_client_let_go(struct ia_wda_client *w)
{
    if (w->lock_fd >= 0) {
        close(w->lock_fd);
    }
    w->lock_fd = -1;
}
