/* platform.c: the differences between macOS and other POSIX systems, one function each. Whether a
 * process lives is the other difference and is in process.c. */
#include "base/platform.h"

#include <fcntl.h>
#include <unistd.h>

#ifdef __APPLE__

enum ia_platform ia_platform_here(void)
{
    return IA_PLATFORM_MACOS;
}

int ia_platform_fsync(int fd)
{
    /* Some file systems (network, FUSE) do not know F_FULLFSYNC. */
    return fcntl(fd, F_FULLFSYNC) == 0 ? 0 : fsync(fd);
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

#else

enum ia_platform ia_platform_here(void)
{
    return IA_PLATFORM_XDG;
}

int ia_platform_fsync(int fd)
{
    return fsync(fd);
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
