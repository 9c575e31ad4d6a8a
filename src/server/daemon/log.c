/* log.c: appends lines, one write each, and moves the file away when it is full. */
#include "server/daemon/log.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/paths.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 2048 };

struct ia_daemon_log {
    pthread_mutex_t mutex; /* guards the rest */
    char *path, *old_path;
    int fd;
};

static int open_file(const char *path)
{
    return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
}

struct ia_daemon_log *ia_daemon_log_open(const char *home)
{
    struct ia_daemon_log *l = ia_calloc(1, sizeof(*l));
    pthread_mutex_init(&l->mutex, NULL);
    l->path = ia_path_join(home, "daemon.log");
    l->old_path = ia_path_join(home, "daemon.log.1");
    l->fd = open_file(l->path);
    return l;
}

void ia_daemon_log_close(struct ia_daemon_log *l)
{
    if (l) {
        if (l->fd >= 0) {
            close(l->fd);
        }
        pthread_mutex_destroy(&l->mutex);
        free(l->path);
        free(l->old_path);
        free(l);
    }
}

static void make_room(struct ia_daemon_log *l, size_t n)
{
    struct stat st;
    if (l->fd >= 0 && fstat(l->fd, &st) == 0 && st.st_size + (off_t)n > IA_DAEMON_LOG_MAX) {
        close(l->fd);
        (void)rename(l->path, l->old_path);
        l->fd = open_file(l->path);
    }
}

void ia_daemon_log_say(struct ia_daemon_log *l, const char *fmt, ...)
{
    char line[LINE_MAX_BYTES], when[IA_ISO_SIZE];
    va_list args;
    ia_iso_format(ia_wall_ms(ia_clock_system()), when);
    int at = snprintf(line, sizeof(line), "%s  ", when);
    va_start(args, fmt);
    int n = vsnprintf(line + at, sizeof(line) - (size_t)at - 1, fmt, args);
    va_end(args);
    size_t len = (size_t)at + (n > 0 ? (size_t)n : 0);
    len = len < sizeof(line) - 1 ? len : sizeof(line) - 2;
    line[len++] = '\n';
    pthread_mutex_lock(&l->mutex);
    make_room(l, len);
    if (l->fd >= 0) {
        (void)ia_write_all(l->fd, line, len);
    }
    pthread_mutex_unlock(&l->mutex);
}
