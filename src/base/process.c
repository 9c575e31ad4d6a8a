/* process.c: is a pid still the process that wrote it down?
 *
 * A pid is given again once its process is gone, so it is kept together with a token of its start
 * time. With platform.c this is the only file with a branch per system, as POSIX has no start time
 * of a process. Linux: proc(5), /proc/PID/stat, field 22, in ticks since boot, so the boot's id
 * goes with it. macOS: sysctl(3), KERN_PROC_PID, p_starttime. A zombie's token has the time 0, so
 * that it matches no token of a living process. */
#include "base/process.h"

#include "base/buf.h"
#include "base/fd.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__APPLE__)
#include <sys/proc.h>
#include <sys/sysctl.h>
#include <sys/types.h>

void ia_process_token(int64_t pid, char ret[IA_PROCESS_TOKEN_SIZE])
{
    int mib[] = {CTL_KERN, KERN_PROC, KERN_PROC_PID, (int)pid};
    struct kinfo_proc info = {0};
    size_t size = sizeof(info);
    ret[0] = '\0';
    if (sysctl(mib, (unsigned)IA_COUNTOF(mib), &info, &size, NULL, 0) == 0 && size > 0) {
        bool zombie = info.kp_proc.p_stat == SZOMB;
        (void)snprintf(ret, IA_PROCESS_TOKEN_SIZE, "%lld.%06d",
                       zombie ? 0LL : (long long)info.kp_proc.p_starttime.tv_sec,
                       (int)info.kp_proc.p_starttime.tv_usec);
    }
}

#elif defined(__linux__)

enum { STAT_MAX = 4096, BOOT_CHARS = 8, FIELDS_AFTER_NAME = 20 };

/* Field 22, counted behind the command name, which may itself hold blanks and brackets. 0 for a
 * zombie: it waits for its parent and does nothing any more. */
static unsigned long long start_ticks(const char *stat)
{
    const char *p = strrchr(stat, ')');
    if (p && strncmp(p, ") Z", 3) == 0) {
        return 0;
    }
    for (int i = 0; p && i < FIELDS_AFTER_NAME; i++) {
        p = strchr(p + 1, ' ');
    }
    return p ? strtoull(p + 1, NULL, 10) : 0;
}

static char boot_id[BOOT_CHARS + 1];

static void read_boot_id(void)
{
    struct ia_buf boot = IA_BUF(STAT_MAX);
    (void)ia_file_read("/proc/sys/kernel/random/boot_id", &boot, NULL);
    (void)snprintf(boot_id, sizeof(boot_id), "%s", ia_buf_cstr(&boot));
    ia_buf_fini(&boot);
}

void ia_process_token(int64_t pid, char ret[IA_PROCESS_TOKEN_SIZE])
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    char path[64];
    struct ia_buf stat = IA_BUF(STAT_MAX);
    (void)pthread_once(&once, read_boot_id);
    (void)snprintf(path, sizeof(path), "/proc/%lld/stat", (long long)pid);
    ret[0] = '\0';
    if (ia_file_read(path, &stat, NULL) == IA_OK) {
        (void)snprintf(ret, IA_PROCESS_TOKEN_SIZE, "%s-%llu", boot_id,
                       start_ticks(ia_buf_cstr(&stat)));
    }
    ia_buf_fini(&stat);
}

#else

void ia_process_token(int64_t pid, char ret[IA_PROCESS_TOKEN_SIZE])
{
    (void)pid;
    ret[0] = '\0';
}

#endif

bool ia_process_alive(int64_t pid, const char *token)
{
    if (pid <= 0 || (kill((pid_t)pid, 0) != 0 && errno == ESRCH)) {
        return false;
    }
    char now[IA_PROCESS_TOKEN_SIZE];
    ia_process_token(pid, now);
    return now[0] == '\0' || !token || token[0] == '\0' || strcmp(now, token) == 0;
}
