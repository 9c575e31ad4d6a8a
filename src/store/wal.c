/* wal.c: reads the frames of a write-ahead log as SQLite's recovery does (sqlite.org/fileformat2.html,
 * section 4, 2026-11), and goes on where that stops.
 *
 *     header   magic, …, page size at 8, salts at 16, checksum at 24          32 bytes
 *     frame    page number, size of the database if it commits, salts at 8,
 *              checksum at 16 (of all before it and this frame), page         24 bytes + page
 *
 * A checksum goes on from that of the frame before. Recovery ends at the first that does not. What
 * lies behind it may be leftovers: of an earlier round of the file (other salts), or of a commit
 * that failed and was overwritten by a shorter one. Those go on from each other too, but only to
 * the end of their one commit. A power failure takes commits that were not durable yet, and may leave
 * the later ones whole: at most IA_UNSYNCED_MAX in all. A longer run of commits that go on from each
 * other was written after the bad frame, and has been promised to somebody. */
#include "store/wal.h"

#include "store/durable.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    HEAD_BYTES = 32,
    FRAME_BYTES = 24,
    SUMMED_BYTES = 24, /* of the header */
    SALTS_AT = 16,
    HEAD_SUM_AT = 24,
    FRAME_SALTS_AT = 8,
    FRAME_SUM_AT = 16,
    SALTS_BYTES = 8,
    PAGE_BYTES_MAX = 65536,
    LOOKS = 3,
};
static const uint32_t MAGIC = 0x377f0682; /* the last bit: checksums of big-endian words */

struct sum {
    uint32_t a, b;
};

struct wal {
    int fd;
    bool big; /* words of the checksum */
    uint8_t head[HEAD_BYTES];
    size_t frame_bytes;
    uint8_t *frame;
    struct sum before; /* as stored in the frame before */
};

static uint32_t word(const uint8_t *p, bool big)
{
    uint32_t n = 0;
    for (int i = 0; i < 4; i++) {
        n = n << 8 | p[big ? i : 3 - i];
    }
    return n;
}

static struct sum sum_on(struct sum s, const uint8_t *p, size_t n, bool big)
{
    for (size_t i = 0; i + 8 <= n; i += 8) {
        s.a += word(p + i, big) + s.b;
        s.b += word(p + i + 4, big) + s.a;
    }
    return s;
}

/* The stored words are big-endian whatever the checksum is made of. */
static bool sum_is(struct sum s, const uint8_t *stored)
{
    return word(stored, true) == s.a && word(stored + 4, true) == s.b;
}

static bool read_at(int fd, void *into, size_t n, off_t at)
{
    ssize_t got;
    do {
        got = pread(fd, into, n, at);
    } while (got < 0 && errno == EINTR);
    return got == (ssize_t)n;
}

/* False for a file that SQLite would not recover anything from. */
static bool read_head(struct wal *w)
{
    if (!read_at(w->fd, w->head, sizeof(w->head), 0)) {
        return false;
    }
    uint32_t magic = word(w->head, true), page = word(w->head + 8, true);
    w->big = (magic & 1) != 0;
    w->before = sum_on((struct sum){0}, w->head, SUMMED_BYTES, w->big);
    w->frame_bytes = FRAME_BYTES + page;
    return (magic & ~UINT32_C(1)) == MAGIC && page >= 512 && page <= PAGE_BYTES_MAX &&
           sum_is(w->before, w->head + HEAD_SUM_AT);
}

/* Whether the frame is of this round and goes on from the one before. */
static bool goes_on(struct wal *w)
{
    struct sum s = sum_on(w->before, w->frame, FRAME_SALTS_AT, w->big);
    s = sum_on(s, w->frame + FRAME_BYTES, w->frame_bytes - FRAME_BYTES, w->big);
    w->before = (struct sum){word(w->frame + FRAME_SUM_AT, true),
                             word(w->frame + FRAME_SUM_AT + 4, true)};
    return memcmp(w->frame + FRAME_SALTS_AT, w->head + SALTS_AT, SALTS_BYTES) == 0 &&
           word(w->frame, true) != 0 && sum_is(s, w->frame + FRAME_SUM_AT);
}

static bool commits(const struct wal *w)
{
    return word(w->frame + 4, true) != 0 &&
           memcmp(w->frame + FRAME_SALTS_AT, w->head + SALTS_AT, SALTS_BYTES) == 0;
}

/* The longest run of commits that go on from each other behind the first bad frame, its own
 * included. */
static int commits_lost(struct wal *w)
{
    bool bad = false;
    int run = 0, longest = 0;
    for (off_t at = HEAD_BYTES; read_at(w->fd, w->frame, w->frame_bytes, at);
         at += (off_t)w->frame_bytes) {
        bool on = goes_on(w);
        bad = bad || !on;
        run = (on ? run : 0) + (bad && commits(w));
        longest = run > longest ? run : longest;
    }
    return longest;
}

/* Frames that another process was writing look bad, and are not the next time. */
static int commits_lost_for_good(struct wal *w)
{
    int lost = 0;
    for (int i = 0; i < LOOKS; i++) {
        lost = read_head(w) ? commits_lost(w) : 0;
        if (lost <= IA_UNSYNCED_MAX) {
            return 0;
        }
    }
    return lost;
}

enum ia_rc ia_wal_check(const char *path, struct ia_err *err)
{
    struct wal w = {.fd = open(path, O_RDONLY | O_CLOEXEC)};
    if (w.fd < 0) {
        return IA_OK;
    }
    w.frame = ia_alloc(FRAME_BYTES + PAGE_BYTES_MAX);
    int lost = commits_lost_for_good(&w);
    free(w.frame);
    close(w.fd);
    if (lost == 0) {
        return IA_OK;
    }
    ia_err_set(err, IA_E_DB_CORRUPT, "%s is damaged: at least %d commits would be lost", path,
               lost);
    ia_err_hint(err,
                "restore it; or keep what is before the damage with `sqlite3 ios-agent.db "
                "'PRAGMA wal_checkpoint(TRUNCATE)'` in that folder, and look at the device "
                "before anything is resumed");
    return IA_E_DB_CORRUPT;
}
