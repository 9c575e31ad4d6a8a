/* place.c: flock on one file decides who the daemon is; only its holder touches the socket.
 *
 * The lock belongs to the open file, not to its name: after it is taken the name must still lead to
 * that file, or two processes hold the locks of two files. */
#include "server/daemon/place.h"

#include "base/fd.h"
#include "base/killpoint.h"
#include "base/paths.h"
#include "client/build.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { LISTEN_BACKLOG = 128, NOTE_MAX = 512 };

static bool same_file(int fd, const char *path)
{
    struct stat ours, there;
    return fstat(fd, &ours) == 0 && lstat(path, &there) == 0 && ours.st_dev == there.st_dev &&
           ours.st_ino == there.st_ino;
}

static enum ia_rc held(const char *home, struct ia_err *err)
{
    struct ia_lock_note note;
    ia_lock_note_read(home, &note);
    enum ia_rc rc =
        ia_err_set(err, IA_E_BUSY, "daemon is busy: held by ios-agent daemon (pid %lld) for %s",
                   (long long)note.pid, home);
    ia_err_hint(err,
                "ios-agent daemon status says what it does; ios-agent daemon stop ends it");
    return rc;
}

enum ia_rc ia_place_take(const char *home, struct ia_place *ret, struct ia_err *err)
{
    struct ia_place p = {.lock_fd = -1};
    enum ia_rc rc = ia_mkdirs(home, err);
    if (rc != IA_OK) {
        return rc;
    }
    p.home = ia_strdup(home);
    p.lock_path = ia_path_join(home, "daemon.lock");
    p.lock_fd = open(p.lock_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (p.lock_fd < 0) {
        rc = ia_err_set(err, IA_E_IO, "cannot write %s: %s", p.lock_path, strerror(errno));
        ia_err_hint(err, "make the folder writable, or set IOS_AGENT_HOME to another one");
    } else if (flock(p.lock_fd, LOCK_EX | LOCK_NB) != 0 || !same_file(p.lock_fd, p.lock_path)) {
        rc = held(home, err);
    }
    if (rc != IA_OK) {
        ia_place_leave(&p);
        return rc;
    }
    IA_KILL_POINT("daemon.locked");
    *ret = p;
    return IA_OK;
}

/* ---- the socket ---------------------------------------------------------------------------- */

static enum ia_rc clear_way(const char *path, struct ia_err *err)
{
    struct stat st;
    if (lstat(path, &st) != 0) {
        return errno == ENOENT
                   ? IA_OK
                   : ia_err_set(err, IA_E_IO, "cannot look at %s: %s", path, strerror(errno));
    }
    if (!S_ISSOCK(st.st_mode)) {
        enum ia_rc rc = ia_err_set(err, IA_E_EXISTS, "%s is no socket, and not ours", path);
        ia_err_hint(err, "move it away");
        return rc;
    }
    return unlink(path) == 0 || errno == ENOENT
               ? IA_OK
               : ia_err_set(err, IA_E_IO, "cannot remove %s: %s", path, strerror(errno));
}

static int bind_and_listen(const char *path)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0) {
        return -1;
    }
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    (void)snprintf(at.sun_path, sizeof(at.sun_path), "%s", path);
    mode_t before = umask(0177);
    bool ok = bind(fd, (const struct sockaddr *)&at, sizeof(at)) == 0;
    (void)umask(before);
    IA_KILL_POINT("daemon.bound");
    if (!ok || listen(fd, LISTEN_BACKLOG) != 0) {
        int saved = errno;
        close(fd);
        errno = saved;
        return -1;
    }
    return fd;
}

static void write_note(const struct ia_place *p, bool background)
{
    char text[NOTE_MAX];
    struct ia_lock_note note = {.pid = getpid(), .background = background};
    (void)snprintf(note.build, sizeof(note.build), "%s", ia_build_id());
    (void)snprintf(note.address, sizeof(note.address), "%s", p->address.path);
    ia_lock_note_write(&note, text, sizeof(text));
    /* In place, as the lock is on this very file, and never empty between. A full disk leaves what was
     * there. */
    ssize_t n = pwrite(p->lock_fd, text, strlen(text), 0);
    bool cut = n > 0 && ftruncate(p->lock_fd, n) == 0;
    (void)cut;
}

enum ia_rc ia_place_listen(struct ia_place *p, bool background, int *ret_fd, struct ia_err *err)
{
    struct stat st;
    enum ia_rc rc = ia_address_find(p->home, true, &p->address, err);
    if (rc == IA_OK) {
        rc = clear_way(p->address.path, err);
    }
    if (rc != IA_OK) {
        return rc;
    }
    int fd = bind_and_listen(p->address.path);
    if (fd < 0) {
        return ia_err_set(err, IA_E_IO, "cannot listen at %s: %s", p->address.path,
                          strerror(errno));
    }
    p->listening = lstat(p->address.path, &st) == 0;
    p->socket_dev = p->listening ? st.st_dev : 0;
    p->socket_ino = p->listening ? st.st_ino : 0;
    IA_KILL_POINT("daemon.listening");
    write_note(p, background);
    *ret_fd = fd;
    return IA_OK;
}

static bool socket_is_ours(const struct ia_place *p)
{
    struct stat st;
    return p->listening && lstat(p->address.path, &st) == 0 && st.st_dev == p->socket_dev &&
           st.st_ino == p->socket_ino;
}

bool ia_place_lost(const struct ia_place *p)
{
    return !same_file(p->lock_fd, p->lock_path) || !socket_is_ours(p);
}

void ia_place_hide(struct ia_place *p)
{
    if (socket_is_ours(p)) {
        (void)unlink(p->address.path);
    }
    p->listening = false;
    IA_KILL_POINT("daemon.hidden");
}

void ia_place_leave(struct ia_place *p)
{
    if (p->listening) {
        ia_place_hide(p);
    }
    if (p->lock_fd >= 0) {
        close(p->lock_fd);
    }
    free(p->home);
    free(p->lock_path);
    *p = (struct ia_place){.lock_fd = -1};
}
