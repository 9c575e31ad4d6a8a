/* spinner.c: a thread that redraws one line of the terminal until it is stopped.
 *
 * The thread waits on a cancel token with a timeout, so that stopping never waits for a tick. The
 * lock is held while drawing: when hide returns, the line is gone and the thread cannot bring it
 * back. */
#include "cli/view/spinner.h"

#include "base/buf.h"
#include "base/cancel.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/utf8.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { TICK_US = 100000, TEXT_MAX = 200 };

struct ia_spinner {
    int fd;
    pthread_t thread;
    struct ia_cancel *stop;
    pthread_mutex_t lock; /* guards what follows, and the terminal while it is held */
    bool shown;
    bool drawn;
    int frame;
    int64_t since_us;
    char text[TEXT_MAX + 1];
};

static void erase(struct ia_spinner *s)
{
    if (s->drawn) {
        static const char seq[] = "\r\x1b[K";
        (void)ia_write_all(s->fd, seq, sizeof(seq) - 1);
        s->drawn = false;
    }
}

static void draw(struct ia_spinner *s)
{
    static const char *const frames[] = {"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"};
    int64_t seconds = (ia_mono_us(ia_clock_system()) - s->since_us) / 1000000;
    struct ia_buf b = IA_BUF(1024);
    ia_buf_printf(&b, "\r\x1b[K%s %s", frames[s->frame], s->text);
    if (seconds > 0) {
        ia_buf_printf(&b, " \x1b[2m%lld s\x1b[0m", (long long)seconds);
    }
    (void)ia_write_all(s->fd, b.p, b.len);
    ia_buf_fini(&b);
    s->frame = (s->frame + 1) % (int)IA_COUNTOF(frames);
    s->drawn = true;
}

static void *tick(void *arg)
{
    struct ia_spinner *s = arg;
    int ready = 0;
    for (;;) {
        int64_t next = ia_mono_us(ia_clock_system()) + TICK_US;
        if (ia_cancel_poll(s->stop, NULL, 0, next, &ready) == IA_E_CANCELLED) {
            return NULL;
        }
        pthread_mutex_lock(&s->lock);
        if (s->shown) {
            draw(s);
        }
        pthread_mutex_unlock(&s->lock);
    }
}

struct ia_spinner *ia_spinner_new(int fd, struct ia_err *err)
{
    struct ia_cancel *stop = ia_cancel_new(err);
    if (!stop) {
        return NULL;
    }
    struct ia_spinner *s = ia_calloc(1, sizeof(*s));
    s->fd = fd;
    s->stop = stop;
    pthread_mutex_init(&s->lock, NULL);
    int rc = pthread_create(&s->thread, NULL, tick, s);
    if (rc != 0) {
        (void)ia_err_set(err, IA_E_IO, "cannot start a thread: %s", strerror(rc));
        pthread_mutex_destroy(&s->lock);
        ia_cancel_free(stop);
        free(s);
        return NULL;
    }
    return s;
}

void ia_spinner_free(struct ia_spinner *s)
{
    if (!s) {
        return;
    }
    ia_cancel_fire(s->stop);
    pthread_join(s->thread, NULL);
    erase(s);
    pthread_mutex_destroy(&s->lock);
    ia_cancel_free(s->stop);
    free(s);
}

void ia_spinner_show(struct ia_spinner *s, const char *text)
{
    if (!s) {
        return;
    }
    size_t n = strlen(text);
    n = n > TEXT_MAX ? ia_utf8_cut(text, TEXT_MAX) : n;
    pthread_mutex_lock(&s->lock);
    memcpy(s->text, text, n);
    s->text[n] = '\0';
    s->shown = true;
    s->since_us = ia_mono_us(ia_clock_system());
    pthread_mutex_unlock(&s->lock);
}

void ia_spinner_hide(struct ia_spinner *s)
{
    if (!s) {
        return;
    }
    pthread_mutex_lock(&s->lock);
    s->shown = false;
    erase(s);
    pthread_mutex_unlock(&s->lock);
}
