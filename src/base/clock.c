/* clock.c: the system's clock, the virtual clock of tests, and time as ISO-8601 text.
 *
 * A wait on the virtual clock returns at once and moves the time to its end, so that a test
 * of minutes takes none; it is shared by threads under its lock. */
#include "base/clock.h"

#include "base/cancel.h"
#include "base/civil.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int64_t ia_mono_us(const struct ia_clock *clock)
{
    return clock->mono_us(clock->ctx);
}

int64_t ia_wall_ms(const struct ia_clock *clock)
{
    return clock->wall_ms(clock->ctx);
}

enum ia_rc ia_clock_wait(const struct ia_clock *clock, struct ia_cancel *cancel,
                         int64_t until_us)
{
    return clock->wait(clock->ctx, cancel, until_us);
}

static int64_t system_mono_us(void *ctx)
{
    (void)ctx;
    return ia_now_mono_us();
}

static int64_t system_wall_ms(void *ctx)
{
    (void)ctx;
    return ia_now_wall_ms();
}

static enum ia_rc system_wait(void *ctx, struct ia_cancel *cancel, int64_t until_us)
{
    (void)ctx;
    int ready = 0;
    enum ia_rc rc = ia_cancel_poll(cancel, NULL, 0, until_us, &ready);
    return rc == IA_E_TIMEOUT ? IA_OK : rc;
}

const struct ia_clock *ia_clock_system(void)
{
    static const struct ia_clock clock = {system_mono_us, system_wall_ms, system_wait, NULL};
    return &clock;
}

struct ia_vclock {
    pthread_mutex_t lock;
    int64_t mono_us;
    int64_t wall_start_ms;
    struct ia_clock clock;
};

static int64_t virtual_mono_us(void *ctx)
{
    struct ia_vclock *vc = ctx;
    pthread_mutex_lock(&vc->lock);
    int64_t now = vc->mono_us;
    pthread_mutex_unlock(&vc->lock);
    return now;
}

static int64_t virtual_wall_ms(void *ctx)
{
    struct ia_vclock *vc = ctx;
    return vc->wall_start_ms + virtual_mono_us(ctx) / 1000;
}

static enum ia_rc virtual_wait(void *ctx, struct ia_cancel *cancel, int64_t until_us)
{
    struct ia_vclock *vc = ctx;
    if (ia_cancel_fired(cancel)) {
        return IA_E_CANCELLED;
    }
    if (until_us == IA_NO_DEADLINE) {
        return system_wait(NULL, cancel, until_us); /* only the token can end it */
    }
    pthread_mutex_lock(&vc->lock);
    vc->mono_us = until_us > vc->mono_us ? until_us : vc->mono_us;
    pthread_mutex_unlock(&vc->lock);
    return IA_OK;
}

struct ia_vclock *ia_vclock_new(int64_t wall_ms)
{
    struct ia_vclock *vc = ia_calloc(1, sizeof(*vc));
    pthread_mutex_init(&vc->lock, NULL);
    vc->wall_start_ms = wall_ms;
    vc->clock = (struct ia_clock){virtual_mono_us, virtual_wall_ms, virtual_wait, vc};
    return vc;
}

void ia_vclock_free(struct ia_vclock *vc)
{
    if (vc) {
        pthread_mutex_destroy(&vc->lock);
        free(vc);
    }
}

const struct ia_clock *ia_vclock_clock(struct ia_vclock *vc)
{
    return &vc->clock;
}

void ia_vclock_advance(struct ia_vclock *vc, int64_t us)
{
    pthread_mutex_lock(&vc->lock);
    vc->mono_us += us;
    pthread_mutex_unlock(&vc->lock);
}

static char *put_digits(char *p, int value, int digits, char after)
{
    for (int i = digits - 1; i >= 0; i--, value /= 10) {
        p[i] = (char)('0' + value % 10);
    }
    p[digits] = after;
    return p + digits + 1;
}

/* By hand: every row has times, and printf takes ten times as long. */
void ia_iso_format(int64_t wall_ms, char dst[IA_ISO_SIZE])
{
    int64_t ms = wall_ms % 1000;
    int64_t rest = wall_ms / 1000 - (ms < 0);
    time_t seconds = (time_t)rest;
    struct tm tm = {0};
    if (!gmtime_r(&seconds, &tm) || tm.tm_year < -1900 || tm.tm_year > 9999 - 1900) {
        memcpy(dst, "0000-00-00T00:00:00.000Z", IA_ISO_SIZE);
        return;
    }
    char *p = put_digits(dst, tm.tm_year + 1900, 4, '-');
    p = put_digits(p, tm.tm_mon + 1, 2, '-');
    p = put_digits(p, tm.tm_mday, 2, 'T');
    p = put_digits(p, tm.tm_hour, 2, ':');
    p = put_digits(p, tm.tm_min, 2, ':');
    p = put_digits(p, tm.tm_sec, 2, '.');
    *put_digits(p, (int)((ms + 1000) % 1000), 3, 'Z') = '\0';
}

/* Reads exactly `digits` decimal digits; false on anything else. */
static bool read_digits(const char **p, int digits, int *ret)
{
    int value = 0;
    for (int i = 0; i < digits; i++, (*p)++) {
        if (**p < '0' || **p > '9') {
            return false;
        }
        value = value * 10 + (**p - '0');
    }
    *ret = value;
    return true;
}

static bool read_char(const char **p, char c)
{
    if (**p != c) {
        return false;
    }
    (*p)++;
    return true;
}

enum ia_rc ia_iso_parse(const char *text, int64_t *ret_wall_ms)
{
    const char *p = text;
    struct ia_civil c = {0};
    int ms = 0;
    bool ok = read_digits(&p, 4, &c.year) && read_char(&p, '-') &&
              read_digits(&p, 2, &c.month) && read_char(&p, '-') &&
              read_digits(&p, 2, &c.day) && read_char(&p, 'T') && read_digits(&p, 2, &c.hour) &&
              read_char(&p, ':') && read_digits(&p, 2, &c.minute) && read_char(&p, ':') &&
              read_digits(&p, 2, &c.second);
    if (ok && *p == '.') {
        ok = read_char(&p, '.') && read_digits(&p, 3, &ms);
    }
    if (!ok || strcmp(p, "Z") != 0 || !ia_civil_ok(&c)) {
        return IA_E_PARSE;
    }
    *ret_wall_ms = ia_civil_ms(&c) + ms;
    return IA_OK;
}
