/* lock.c: a POSIX record lock on NAME.lock, and a list of the locks of this process. The file's
 * content is how many of its holders changed the phone, raised before the first change: who only
 * looked leaves nothing behind.
 *
 * A process never conflicts with itself: a second open of a locked file would succeed, and its
 * close would drop the first lock. So the list is asked first, by device and inode. */
#include "driver/embedded/op/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct ia_phone_lock {
    struct ia_phone_lock *next;
    dev_t dev;
    ino_t ino;
    int fd;
    uint64_t turn;
    bool marked;
};

/* The locks of this process. */
static pthread_mutex_t held_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct ia_phone_lock *held;

static enum ia_rc busy(const char *path, pid_t pid, struct ia_err *err)
{
    enum ia_rc rc =
        ia_err_set(err, IA_E_BUSY, "process %ld is using this phone (%s)", (long)pid, path);
    ia_err_hint(err, "wait for it to end, or use another phone: --device embedded:NAME");
    return rc;
}

static bool held_here(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0) {
        return false;
    }
    for (const struct ia_phone_lock *l = held; l; l = l->next) {
        if (l->dev == st.st_dev && l->ino == st.st_ino) {
            return true;
        }
    }
    return false;
}

static enum ia_rc lock_fd(int fd, const char *path, struct ia_err *err)
{
    struct flock want = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(fd, F_SETLK, &want) == 0) {
        return IA_OK;
    }
    if (errno != EACCES && errno != EAGAIN) {
        return ia_err_set(err, IA_E_IO, "cannot lock %s: %s", path, strerror(errno));
    }
    struct flock owner = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    bool known = fcntl(fd, F_GETLK, &owner) == 0 && owner.l_type != F_UNLCK;
    return busy(path, known ? owner.l_pid : 0, err);
}

static enum ia_rc read_turn(int fd, const char *path, uint64_t *ret, struct ia_err *err)
{
    char text[24] = "";
    ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
    *ret = n > 0 ? strtoull(text, NULL, 10) : 0;
    return n >= 0 ? IA_OK
                  : ia_err_set(err, IA_E_IO, "cannot read %s: %s", path, strerror(errno));
}

/* Of one length, so that a new number replaces the whole of the old one. */
enum ia_rc ia_phone_lock_mark(struct ia_phone_lock *lock, struct ia_err *err)
{
    char text[24];
    int len = snprintf(text, sizeof(text), "%020" PRIu64 "\n", lock->turn + 1);
    if (lock->marked) {
        return IA_OK;
    }
    if (pwrite(lock->fd, text, (size_t)len, 0) != len) {
        return ia_err_set(err, IA_E_IO, "cannot write the phone's lock: %s", strerror(errno));
    }
    lock->marked = true;
    lock->turn++;
    return IA_OK;
}

static enum ia_rc take(const char *path, struct ia_phone_lock **ret, struct ia_err *err)
{
    if (held_here(path)) {
        return busy(path, getpid(), err);
    }
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) {
        return ia_err_set(err, IA_E_IO, "cannot open %s: %s", path, strerror(errno));
    }
    enum ia_rc rc = lock_fd(fd, path, err);
    uint64_t turn = 0;
    if (rc == IA_OK) {
        rc = read_turn(fd, path, &turn, err);
    }
    struct stat st;
    if (rc == IA_OK && fstat(fd, &st) != 0) {
        rc = ia_err_set(err, IA_E_IO, "cannot inspect %s: %s", path, strerror(errno));
    }
    if (rc != IA_OK) {
        (void)close(fd);
        return rc;
    }
    struct ia_phone_lock *l = ia_alloc(sizeof(*l));
    *l = (struct ia_phone_lock){
        .next = held, .dev = st.st_dev, .ino = st.st_ino, .fd = fd, .turn = turn};
    held = l;
    *ret = l;
    return IA_OK;
}

enum ia_rc ia_phone_lock_take(const char *path, struct ia_phone_lock **ret, struct ia_err *err)
{
    (void)pthread_mutex_lock(&held_mutex);
    enum ia_rc rc = take(path, ret, err);
    (void)pthread_mutex_unlock(&held_mutex);
    return rc;
}

uint64_t ia_phone_lock_turn(const struct ia_phone_lock *lock)
{
    return lock->turn;
}

void ia_phone_lock_release(struct ia_phone_lock *lock)
{
    if (!lock) {
        return;
    }
    (void)pthread_mutex_lock(&held_mutex);
    struct ia_phone_lock **at = &held;
    while (*at != lock) {
        at = &(*at)->next;
    }
    *at = lock->next;
    (void)close(lock->fd);
    (void)pthread_mutex_unlock(&held_mutex);
    free(lock);
}
