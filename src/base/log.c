/* log.c: one JSON object per line, each in one write(2) under a lock, so that lines of different
 * threads and processes never mix (the file is opened with O_APPEND). */
#include "base/log.h"

#include "base/clock.h"
#include "base/fd.h"
#include "base/jsonw.h"
#include "base/rand.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 16384 };

/* The one global of the program: where lines go. */
static pthread_mutex_t sink_lock = PTHREAD_MUTEX_INITIALIZER;
static int sink_fd = -1;
static atomic_int sink_level = IA_LOG_OFF;

/* And the one of each thread: the run that it works on. */
static _Thread_local char run_in_hand[IA_ID_SIZE];

static const char *const level_names[] = {"debug", "info", "warn", "error", "off"};

enum ia_rc ia_log_open(const char *path, enum ia_log_level level, struct ia_err *err)
{
    int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)
                  : fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    if (fd < 0) {
        return ia_err_set(err, IA_E_IO, "cannot open the log %s: %s", path ? path : "on stderr",
                          strerror(errno));
    }
    ia_log_close();
    pthread_mutex_lock(&sink_lock);
    sink_fd = fd;
    pthread_mutex_unlock(&sink_lock);
    /* Last: before there is a sink, no line is worth making. */
    atomic_store(&sink_level, (int)level);
    return IA_OK;
}

void ia_log_close(void)
{
    atomic_store(&sink_level, IA_LOG_OFF);
    pthread_mutex_lock(&sink_lock);
    if (sink_fd >= 0) {
        close(sink_fd);
    }
    sink_fd = -1;
    pthread_mutex_unlock(&sink_lock);
}

bool ia_log_on(enum ia_log_level level)
{
    return (int)level >= atomic_load(&sink_level) && level < IA_LOG_OFF;
}

void ia_log_run(const char *run_id)
{
    (void)snprintf(run_in_hand, sizeof(run_in_hand), "%s", run_id ? run_id : "");
}

static bool has_key(const struct ia_kv *kvs, const char *key)
{
    while (kvs->key && strcmp(kvs->key, key) != 0) {
        kvs++;
    }
    return kvs->key != NULL;
}

static void write_line(struct ia_buf *line, enum ia_log_level level, const char *event,
                       const struct ia_kv *kvs)
{
    struct ia_jsonw w;
    char ts[IA_ISO_SIZE];
    ia_iso_format(ia_wall_ms(ia_clock_system()), ts);
    ia_jsonw_init(&w, line);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "ts", ts);
    ia_jsonw_kv(&w, "level", level_names[level]);
    ia_jsonw_kv(&w, "event", event);
    if (run_in_hand[0] != '\0' && !has_key(kvs, "run")) {
        ia_jsonw_kv(&w, "run", run_in_hand);
    }
    for (; kvs->key; kvs++) {
        if (kvs->s) {
            ia_jsonw_kv(&w, kvs->key, kvs->s);
        } else {
            ia_jsonw_kv_int(&w, kvs->key, kvs->i);
        }
    }
    ia_jsonw_end_object(&w);
    ia_buf_putc(line, '\n');
}

void ia_log_write(enum ia_log_level level, const char *event, const struct ia_kv *kvs)
{
    struct ia_buf line = IA_BUF(LINE_MAX_BYTES);
    write_line(&line, level, event, kvs);
    if (!ia_buf_ok(&line)) {
        ia_buf_reset(&line);
        write_line(&line, level, event,
                   (const struct ia_kv[]){IA_S("log", "line too long"), {0}});
    }
    pthread_mutex_lock(&sink_lock);
    if (sink_fd >= 0) {
        (void)ia_write_all(sink_fd, line.p, line.len);
    }
    pthread_mutex_unlock(&sink_lock);
    ia_buf_fini(&line);
}

bool ia_log_level_parse(const char *text, enum ia_log_level *ret)
{
    for (size_t i = 0; i < IA_COUNTOF(level_names); i++) {
        if (strcmp(text, level_names[i]) == 0) {
            *ret = (enum ia_log_level)i;
            return true;
        }
    }
    return false;
}
