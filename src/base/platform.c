/* platform.c: the differences between macOS and other POSIX systems, one function each. Whether a
 * process lives is the other difference and is in process.c. */
#include "base/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void host_name(char *ret, size_t size)
{
    if (gethostname(ret, size) != 0) {
        ret[0] = '\0';
    }
    ret[size - 1] = '\0';
}

#ifdef __APPLE__
#include <mach-o/dyld.h>
#include <malloc/malloc.h>

enum ia_platform ia_platform_here(void)
{
    return IA_PLATFORM_MACOS;
}

int ia_platform_fsync(int fd)
{
    /* Some file systems (network, FUSE) do not know F_FULLFSYNC. */
    return fcntl(fd, F_FULLFSYNC) == 0 ? 0 : fsync(fd);
}

int64_t ia_platform_mtime_ns(const struct stat *st)
{
    return (int64_t)st->st_mtimespec.tv_sec * 1000000000 + st->st_mtimespec.tv_nsec;
}

int ia_platform_spawn_closed(posix_spawnattr_t *attr, posix_spawn_file_actions_t *actions)
{
    (void)actions;
    short flags = 0;
    int rc = posix_spawnattr_getflags(attr, &flags);
    return rc != 0
               ? rc
               : posix_spawnattr_setflags(attr, (short)(flags | POSIX_SPAWN_CLOEXEC_DEFAULT));
}

const char *const *ia_platform_library_folders(void)
{
    static const char *const folders[] = {"/opt/homebrew/lib", "/usr/local/lib", NULL};
    return folders;
}

const char *ia_platform_opener(void)
{
    return "open";
}

void ia_platform_machine(char *ret, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    const struct timespec wait = {.tv_sec = 5};
    uuid_t id;
    if (gethostuuid(id, &wait) != 0 || size <= 2 * sizeof(id)) {
        host_name(ret, size);
        return;
    }
    for (size_t i = 0; i < sizeof(id); i++) {
        ret[2 * i] = digits[id[i] >> 4];
        ret[2 * i + 1] = digits[id[i] & 15];
    }
    ret[2 * sizeof(id)] = '\0';
}

bool ia_platform_program(char *ret, size_t size)
{
    uint32_t n = (uint32_t)size;
    return _NSGetExecutablePath(ret, &n) == 0;
}

void ia_platform_name_thread(const char *name)
{
    (void)pthread_setname_np(name);
}

void ia_platform_few_heaps(void)
{
}

void ia_platform_give_back_memory(void)
{
    (void)malloc_zone_pressure_relief(NULL, 0);
}

bool ia_platform_peer(int fd, uid_t *ret_uid)
{
    gid_t gid;
    return getpeereid(fd, ret_uid, &gid) == 0;
}

bool ia_platform_peer_gone(int fd)
{
    char byte;
    ssize_t n = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
}

bool ia_platform_peer_lost(int fd)
{
    char byte;
    return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno != EAGAIN && errno != EINTR;
}

short ia_platform_hangup_events(void)
{
    return POLLIN;
}

#else
#include <features.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

enum ia_platform ia_platform_here(void)
{
    return IA_PLATFORM_XDG;
}

int ia_platform_fsync(int fd)
{
    return fsync(fd);
}

int64_t ia_platform_mtime_ns(const struct stat *st)
{
    return (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

int ia_platform_spawn_closed(posix_spawnattr_t *attr, posix_spawn_file_actions_t *actions)
{
    (void)attr;
    return posix_spawn_file_actions_addclosefrom_np(actions, 3);
}

const char *const *ia_platform_library_folders(void)
{
    static const char *const folders[] = {NULL};
    return folders;
}

const char *ia_platform_opener(void)
{
    return "xdg-open";
}

/* machine-id(5): made when the system was installed. */
void ia_platform_machine(char *ret, size_t size)
{
    FILE *f = fopen("/etc/machine-id", "re");
    bool ok = f && fgets(ret, (int)size, f) && ret[0] != '\n';
    if (f) {
        (void)fclose(f);
    }
    if (ok) {
        ret[strcspn(ret, "\n")] = '\0';
    } else {
        host_name(ret, size);
    }
}

/* A program whose file was replaced meanwhile still is what the link itself leads to. */
bool ia_platform_program(char *ret, size_t size)
{
    static const char link[] = "/proc/self/exe";
    ssize_t n = readlink(link, ret, size);
    if (n <= 0 || (size_t)n >= size || sizeof(link) > size) {
        return false;
    }
    ret[n] = '\0';
    if (access(ret, X_OK) != 0) {
        memcpy(ret, link, sizeof(link));
    }
    return true;
}

void ia_platform_name_thread(const char *name)
{
#ifdef __GLIBC__
    (void)pthread_setname_np(pthread_self(), name);
#else
    (void)name;
#endif
}

void ia_platform_few_heaps(void)
{
#ifdef __GLIBC__
    (void)mallopt(M_ARENA_MAX, 2);
#endif
}

void ia_platform_give_back_memory(void)
{
#ifdef __GLIBC__
    (void)malloc_trim(0);
#endif
}

bool ia_platform_peer(int fd, uid_t *ret_uid)
{
    struct ucred cred;
    socklen_t n = sizeof(cred);
    bool known = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &n) == 0;
    *ret_uid = known ? cred.uid : (uid_t)-1;
    return known;
}

bool ia_platform_peer_gone(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLRDHUP};
    return poll(&p, 1, 0) == 1;
}

bool ia_platform_peer_lost(int fd)
{
    struct pollfd p = {.fd = fd};
    return poll(&p, 1, 0) == 1;
}

short ia_platform_hangup_events(void)
{
    return POLLRDHUP;
}

#endif

/* Not yet POSIX in 2017, but the same function in both C libraries (glibc 2.29, macOS 10.15). */
int ia_platform_spawn_chdir(posix_spawn_file_actions_t *actions, const char *folder)
{
    return posix_spawn_file_actions_addchdir_np(actions, folder);
}

/* Likewise: in both since glibc 2.26 and macOS 10.15, POSIX since 2024. */
int ia_platform_spawn_session(void)
{
    return POSIX_SPAWN_SETSID;
}
