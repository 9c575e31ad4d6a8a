/* lanelock.c: the file lock of a lane. The system drops it when the process dies, however that
 * happens, which no row in a database can promise. */
#include "store/lanelock.h"

#include "base/buf.h"
#include "base/fd.h"
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum {
    PATH_MAX_BYTES = 4096,
    NOTE_SIZE = IA_LANE_HOLDER_MAX + 48,
    WAIT_US_MIN = 1000,
    WAIT_US_MAX = 32000
};

/* Letters, digits and a few marks stay; anything else is %XX, so that no lane's name can lead
 * out of the folder and no two lanes share a file. */
static void put_escaped(struct ia_buf *b, const char *lane)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    for (const char *p = lane; *p; p++) {
        if (strchr(plain, *p)) {
            ia_buf_putc(b, *p);
        } else {
            ia_buf_printf(b, "%%%02X", (unsigned)(unsigned char)*p);
        }
    }
}

static void put_path(struct ia_buf *path, const char *home, const char *lane)
{
    ia_buf_printf(path, "%s/lanes/", home);
    put_escaped(path, lane);
    ia_buf_puts(path, ".lock");
}

static enum ia_rc open_file(const char *home, const char *lane, int *ret_fd, struct ia_err *err)
{
    struct ia_buf path = IA_BUF(PATH_MAX_BYTES);
    ia_buf_printf(&path, "%s/lanes", home);
    enum ia_rc rc = ia_mkdirs(ia_buf_cstr(&path), err);
    ia_buf_reset(&path);
    put_path(&path, home, lane);
    if (rc == IA_OK) {
        rc = ia_buf_check(&path, "the path of the lane's lock", err);
    }
    if (rc == IA_OK) {
        /* O_CLOEXEC, or a child would hold the lane after its parent died. O_NOFOLLOW, so
         * that a link cannot lead the lock out of the folder. */
        int fd = open(ia_buf_cstr(&path), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd < 0) {
            rc = ia_err_set(err, IA_E_IO, "cannot open %s: %s", ia_buf_cstr(&path),
                            strerror(errno));
        } else {
            *ret_fd = fd;
        }
    }
    ia_buf_fini(&path);
    return rc;
}

/* ---- the note ---------------------------------------------------------------------------- */

static const char kinds[] = "-crs"; /* by enum ia_lane_kind; a watcher writes none */

static void read_note(int fd, struct ia_lane_note *ret)
{
    char line[NOTE_SIZE];
    *ret = (struct ia_lane_note){.generation = 0};
    ssize_t n = pread(fd, line, sizeof(line) - 1, 0);
    line[n > 0 ? n : 0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    char *end = NULL;
    unsigned long long generation = strtoull(line, &end, 10);
    const char *kind = end[0] == ' ' && end[1] ? strchr(kinds, end[1]) : NULL;
    if (!kind || end[2] != ' ') {
        return;
    }
    unsigned long refs = strtoul(end + 3, &end, 10);
    if (*end == ' ' && refs <= UINT32_MAX) {
        ret->generation = generation;
        ret->kind = (enum ia_lane_kind)(kind - kinds);
        ret->refs = (uint32_t)refs;
        (void)snprintf(ret->who, sizeof(ret->who), "%s", end + 1);
    }
}

/* A note that cannot be written costs nobody the device. It overwrites the line before it, which takes
 * no room on the disk. */
static void write_note(int fd, const struct ia_lane_note *note)
{
    char line[NOTE_SIZE];
    int n = snprintf(line, sizeof(line), "%llu %c %lu %.*s\n",
                     (unsigned long long)note->generation, kinds[note->kind],
                     (unsigned long)note->refs, IA_LANE_HOLDER_MAX - 1, note->who);
    bool ok = n > 0 && pwrite(fd, line, (size_t)n, 0) == n && ftruncate(fd, n) == 0;
    (void)ok;
}

void ia_lanelock_look(const char *home, const char *lane, struct ia_lane_note *ret)
{
    struct ia_buf path = IA_BUF(PATH_MAX_BYTES);
    *ret = (struct ia_lane_note){.generation = 0};
    put_path(&path, home, lane);
    int fd =
        ia_buf_ok(&path) ? open(ia_buf_cstr(&path), O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
    if (fd >= 0) {
        read_note(fd, ret);
        close(fd);
    }
    ia_buf_fini(&path);
}

/* ---- taking ------------------------------------------------------------------------------ */

enum ia_rc ia_lanelock_take(const char *home, const char *lane, enum ia_lane_kind kind,
                            const char *who, int *ret_fd, struct ia_lane_note *ret_before,
                            struct ia_err *err)
{
    *ret_before = (struct ia_lane_note){.generation = 0};
    if (!lane || !lane[0] || strlen(lane) > IA_LANE_MAX) {
        return ia_err_set(err, IA_E_USAGE, "a device's name must have 1 to %d bytes",
                          IA_LANE_MAX);
    }
    int fd = -1;
    enum ia_rc rc = open_file(home, lane, &fd, err);
    if (rc != IA_OK) {
        return rc;
    }
    int locked = -1;
    /* flock and not fcntl: the lock belongs to this descriptor, so closing another one of
     * the same file does not drop it. The file itself stays for ever; removing it would let
     * two processes lock two different files of one name. */
    do {
        locked = flock(fd, LOCK_EX | LOCK_NB);
    } while (locked != 0 && errno == EINTR);
    int failed = errno;
    read_note(fd, ret_before);
    if (locked == 0) {
        bool drives = kind != IA_LANE_WATCHER;
        struct ia_lane_note note = {.generation = ret_before->generation + drives,
                                    .kind = drives ? kind : IA_LANE_COMMAND,
                                    .refs = ret_before->refs};
        (void)snprintf(note.who, sizeof(note.who), "%s", who);
        write_note(fd, &note);
        *ret_fd = fd;
        return IA_OK;
    }
    rc = failed == EWOULDBLOCK ? IA_E_BUSY
                               : ia_err_set(err, IA_E_IO, "cannot lock the device %s: %s", lane,
                                            strerror(failed));
    close(fd);
    return rc;
}

/* ---- commands ---------------------------------------------------------------------------- */

/* A run or a server keeps its device for minutes; a command is over in a moment, and worth waiting for. */
enum ia_rc ia_lane_busy(const char *lane, const struct ia_lane_note *holder, struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_BUSY, "%s is busy: held by %s", lane,
                               holder->who[0] ? holder->who : "another process");
    ia_err_hint(err, holder->kind == IA_LANE_RUN
                         ? "wait for it, end it with `ios-agent cancel`, or "
                           "use another device (--device)"
                     : holder->kind == IA_LANE_SERVER
                         ? "stop it, or use another device (--device)"
                         : "wait for it, or use another device (--device)");
    if (err) {
        err->outcome = IA_OUTCOME_NOT_SENT;
        err->retry_safe = true;
    }
    return rc;
}

static void hold(struct ia_lane_hold *ret, int fd, const char *who,
                 const struct ia_lane_note *before)
{
    *ret = (struct ia_lane_hold){.fd = fd,
                                 .generation = before->generation + 1,
                                 .refs = before->refs,
                                 .refs_before = before->refs};
    (void)snprintf(ret->who, sizeof(ret->who), "%s", who);
    memcpy(ret->previous, before->who, sizeof(ret->previous));
}

enum ia_rc ia_lane_take(const char *home, const char *lane, const char *who,
                        const struct ia_clock *clock, struct ia_cancel *cancel,
                        int64_t until_us, struct ia_lane_hold *ret, struct ia_err *err)
{
    struct ia_lane_note before;
    int64_t wait_us = WAIT_US_MIN;
    *ret = (struct ia_lane_hold){.fd = -1};
    for (;;) {
        int fd;
        enum ia_rc rc = ia_lanelock_take(home, lane, IA_LANE_COMMAND, who, &fd, &before, err);
        if (rc == IA_OK) {
            hold(ret, fd, who, &before);
            return IA_OK;
        }
        int64_t now = ia_mono_us(clock);
        bool long_held = before.kind == IA_LANE_RUN || before.kind == IA_LANE_SERVER;
        if (rc != IA_E_BUSY || long_held || now >= until_us) {
            return rc == IA_E_BUSY ? ia_lane_busy(lane, &before, err) : rc;
        }
        if (cancel && ia_cancel_fired(cancel)) {
            return ia_err_set(err, IA_E_CANCELLED, "cancelled while %s was busy", lane);
        }
        (void)ia_clock_wait(clock, cancel, now + wait_us < until_us ? now + wait_us : until_us);
        wait_us = wait_us < WAIT_US_MAX ? 2 * wait_us : wait_us;
    }
}

enum ia_rc ia_lane_keep(const char *home, const char *lane, const char *who,
                        struct ia_lane_hold *ret, struct ia_err *err)
{
    struct ia_lane_note before;
    int fd;
    *ret = (struct ia_lane_hold){.fd = -1};
    enum ia_rc rc = ia_lanelock_take(home, lane, IA_LANE_SERVER, who, &fd, &before, err);
    if (rc == IA_OK) {
        hold(ret, fd, who, &before);
        return IA_OK;
    }
    return rc == IA_E_BUSY ? ia_lane_busy(lane, &before, err) : rc;
}

enum ia_rc ia_lane_watch(const char *home, const char *lane, const char *who,
                         struct ia_lane_hold *ret, bool *ret_run, struct ia_err *err)
{
    struct ia_lane_note before;
    *ret = (struct ia_lane_hold){.fd = -1};
    enum ia_rc rc = ia_lanelock_take(home, lane, IA_LANE_WATCHER, who, &ret->fd, &before, err);
    *ret_run = rc == IA_E_BUSY && before.kind == IA_LANE_RUN;
    memcpy(ret->previous, before.who, sizeof(ret->previous));
    if (rc == IA_OK) {
        ret->generation = before.generation;
        ret->refs = before.refs;
        ret->watches = true;
        ret->kind_after = (int)before.kind;
    }
    return rc == IA_E_BUSY ? ia_lane_busy(lane, &before, err) : rc;
}

uint64_t ia_lane_generation(const char *home, const char *lane)
{
    struct ia_lane_note note;
    ia_lanelock_look(home, lane, &note);
    return note.generation;
}

/* Who only watched is not named: the next one hears of who drove. */
void ia_lane_release(struct ia_lane_hold *hold)
{
    if (hold->fd >= 0) {
        bool drove = !hold->watches;
        struct ia_lane_note note = {.generation = hold->generation,
                                    .kind = drove ? IA_LANE_COMMAND
                                                  : (enum ia_lane_kind)hold->kind_after,
                                    .refs = hold->refs};
        memcpy(note.who, drove ? hold->who : hold->previous, sizeof(note.who));
        if (!drove || hold->refs != hold->refs_before) {
            write_note(hold->fd, &note);
        }
        close(hold->fd);
        hold->fd = -1;
    }
}
