/* clock.h: time behind one struct, so that a test can be the world.
 *
 * Monotonic time is int64_t microseconds and is used for deadlines; wall time is int64_t
 * milliseconds since 1970 UTC and is used for storage and display. */
#ifndef IA_BASE_CLOCK_H
#define IA_BASE_CLOCK_H

#include "base/base.h"
#include "base/err.h"
#include "base/now.h"

struct ia_cancel;

#define IA_NO_DEADLINE INT64_MAX

struct ia_clock {
    int64_t (*mono_us)(void *ctx);
    int64_t (*wall_ms)(void *ctx);
    /* Waits until mono_us >= until_us or until the token fires (token may be NULL). IA_OK when
     * the time came, IA_E_CANCELLED when the token fired first. */
    enum ia_rc (*wait)(void *ctx, struct ia_cancel *cancel, int64_t until_us);
    void *ctx;
};

/* The system's clocks. Static; never freed. */
const struct ia_clock *ia_clock_system(void);

int64_t ia_mono_us(const struct ia_clock *clock);
int64_t ia_wall_ms(const struct ia_clock *clock);
enum ia_rc ia_clock_wait(const struct ia_clock *clock, struct ia_cancel *cancel,
                         int64_t until_us);

/* A clock that moves only with ia_vclock_advance, or when something waits on it: ia_clock_wait sets it
 * forward to until_us at once (without a deadline it waits for the token). Thread-safe. Free
 * with ia_vclock_free. */
struct ia_vclock;
struct ia_vclock *ia_vclock_new(int64_t wall_ms);
void ia_vclock_free(struct ia_vclock *vc);
const struct ia_clock *ia_vclock_clock(struct ia_vclock *vc);
void ia_vclock_advance(struct ia_vclock *vc, int64_t us);

enum { IA_ISO_SIZE = 25 };
/* "2026-11-21T02:41:07.123Z" into dst; all zeros for a year that is not 0000 to 9999. */
void ia_iso_format(int64_t wall_ms, char dst[IA_ISO_SIZE]);
/* Parses that form; the fraction may be missing. IA_E_PARSE on anything else. */
enum ia_rc ia_iso_parse(const char *text, int64_t *ret_wall_ms);

#endif
