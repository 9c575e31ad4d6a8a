/* lanelock.c: the file lock of a lane. The system drops it when the process dies, however that
 * happens, which no row in a database can promise. */
#include "store/lanelock.h"

#include "base/buf.h"
#include "base/fd.h"
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { PATH_MAX_BYTES = 4096 };

/* Letters, digits and a few marks stay; anything else is %XX, so that no lane's name can lead
 * out of the folder and no two lanes share a file. */
static void put_escaped(struct ia_buf *b, const char *lane)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    for (const char *p = lane; *p; p++) {
        if (strchr(plain, *p)) {
            ia_buf_putc(b, *p);
        } else {
            ia_buf_printf(b, "%%%02X", (unsigned)(unsigned char)*p);
        }
    }
}

static enum ia_rc open_file(const char *home, const char *lane, int *ret_fd, struct ia_err *err)
{
    struct ia_buf path = IA_BUF(PATH_MAX_BYTES);
    ia_buf_printf(&path, "%s/lanes", home);
    enum ia_rc rc = ia_mkdirs(ia_buf_cstr(&path), err);
    ia_buf_putc(&path, '/');
    put_escaped(&path, lane);
    ia_buf_puts(&path, ".lock");
    if (rc == IA_OK) {
        rc = ia_buf_check(&path, "the path of the lane's lock", err);
    }
    if (rc == IA_OK) {
        /* O_CLOEXEC, or a child would hold the lane after its parent died. O_NOFOLLOW, so
         * that a link cannot lead the lock out of the folder. */
        int fd = open(ia_buf_cstr(&path), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd < 0) {
            rc = ia_err_set(err, IA_E_IO, "cannot open %s: %s", ia_buf_cstr(&path),
                            strerror(errno));
        } else {
            *ret_fd = fd;
        }
    }
    ia_buf_fini(&path);
    return rc;
}

enum ia_rc ia_lanelock_take(const char *home, const char *lane, int *ret_fd, struct ia_err *err)
{
    if (!lane || !lane[0] || strlen(lane) > IA_LANE_MAX) {
        return ia_err_set(err, IA_E_USAGE, "a device's name must have 1 to %d bytes",
                          IA_LANE_MAX);
    }
    int fd = -1;
    enum ia_rc rc = open_file(home, lane, &fd, err);
    if (rc != IA_OK) {
        return rc;
    }
    int locked = -1;
    /* flock and not fcntl: the lock belongs to this descriptor, so closing another one of
     * the same file does not drop it. The file itself stays for ever; removing it would let
     * two processes lock two different files of one name. */
    do {
        locked = flock(fd, LOCK_EX | LOCK_NB);
    } while (locked != 0 && errno == EINTR);
    if (locked == 0) {
        *ret_fd = fd;
        return IA_OK;
    }
    bool busy = errno == EWOULDBLOCK;
    rc = busy
             ? IA_E_BUSY
             : ia_err_set(err, IA_E_IO, "cannot lock the device %s: %s", lane, strerror(errno));
    close(fd);
    return rc;
}
