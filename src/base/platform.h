/* platform.h: the seam between operating systems. Everything else in this program is POSIX;
 * platform.c has one branch per system. */
#ifndef IA_BASE_PLATFORM_H
#define IA_BASE_PLATFORM_H

#include "base/base.h"

#include <spawn.h>
#include <sys/stat.h>
#include <sys/types.h>

enum ia_platform { IA_PLATFORM_XDG, IA_PLATFORM_MACOS };

/* The system this program was built for. */
enum ia_platform ia_platform_here(void);
/* fsync(2) that reaches the medium: macOS needs F_FULLFSYNC for that (its fsync(2) man page). */
int ia_platform_fsync(int fd);
/* When the file was changed last, in nanoseconds since 1970. */
int64_t ia_platform_mtime_ns(const struct stat *st);
/* Adds to a spawn that the child keeps no descriptor beyond 0, 1 and 2, whatever another thread
 * opened without close-on-exec. 0 or an errno value. */
int ia_platform_spawn_closed(posix_spawnattr_t *attr, posix_spawn_file_actions_t *actions);
/* The flag for posix_spawnattr_setflags that gives the child a session of its own. */
int ia_platform_spawn_session(void);
/* Adds to a spawn that the child starts in the folder. 0 or an errno value. */
int ia_platform_spawn_chdir(posix_spawn_file_actions_t *actions, const char *folder);
/* The file of this program, also where it was started through PATH or a link. False where the system
 * does not say, or the path does not fit. */
bool ia_platform_program(char *ret, size_t size);
/* What tells this machine from others, also after its name has changed; the host's name where the system has
 * nothing better. */
void ia_platform_machine(char *ret, size_t size);
/* The program that opens an address in the user's browser: "open", or "xdg-open". */
const char *ia_platform_opener(void);
/* The user at the other end of a connected Unix socket. False where the system does not say. */
bool ia_platform_peer(int fd, uid_t *ret_uid);
/* Names the calling thread for debuggers and ps; at most 15 bytes. */
void ia_platform_name_thread(const char *name);
/* Has the allocator keep few heaps, however many threads there are: for a process that mostly waits.
 * Before the first thread. */
void ia_platform_few_heaps(void);
/* Gives freed memory back to the system, where its allocator keeps it. For a process that has become
 * idle. */
void ia_platform_give_back_memory(void);
/* Folders where libraries of the package manager lie that the loader does not search by itself
 * (Homebrew's); NULL-ended. */
const char *const *ia_platform_library_folders(void);
/* Whether the other end of a connected socket has closed it, or has said that it sends no more. On
 * macOS bytes that wait to be read hide that. Never waits. */
bool ia_platform_peer_gone(int fd);
/* Whether nothing reaches it any more. */
bool ia_platform_peer_lost(int fd);
/* What to poll for to be woken when it is gone; on macOS also by bytes that arrive. */
short ia_platform_hangup_events(void);

#endif
