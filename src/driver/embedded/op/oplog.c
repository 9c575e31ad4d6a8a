/* oplog.c: the file that is the phone: opened, replayed, appended to, shown.
 *
 *     open:    lock ─► read ─► header, then each line: parse, check, act ─► the phone
 *                                │ torn last line: cut off     │ refused: damaged, file and line
 *     append:  line written ─► the operation acts
 *                │ failed: cut back to the old size (NOT_SENT); if that fails too, the log takes
 *                │ nothing more (UNKNOWN)
 *
 * An operation that was logged and not acted on (killed in between) acts at the next replay, so the
 * phone is always what its log says.
 *
 *     release: file and lock let go; the phone stays in memory
 *     acquire: lock ─► the same turn, the same file, the same size? ─► the phone in memory is the one
 *                │ someone else wrote: what is new is replayed, or all of it where the beginning
 *                │ is another one
 *
 * Only the process that holds the lock writes. ia_oplog_read() takes no lock: a last line that is
 * still being written is passed over. A replay must reach the state that the live phone had, so an
 * operation depends on nothing but the seed, the operations before it and its own line. */
#include "driver/embedded/op/oplog.h"

#include "base/fd.h"
#include "base/hash.h"
#include "base/killpoint.h"
#include "driver/embedded/op/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 65536, PATH_BYTES = 4096 };

struct ia_oplog {
    struct ia_phone_lock *lock;
    int fd;
    off_t size;
    bool broken; /* a half-written line could not be taken back */
    char *path, *lock_path;
    uint64_t seed; /* of a phone whose log says none */
    uint64_t hash; /* of those `size` bytes, from which the phone in memory was made */
    bool known;    /* it was made whole */
    bool driven;   /* somebody else's operations were replayed since, other than time passing */
    /* What the file was when this process let go of it. */
    uint64_t turn;
    dev_t dev;
    ino_t ino;
};

/* The next complete line from *at, without its newline; false when there is none. */
static bool next_line(struct ia_str bytes, size_t *at, struct ia_str *ret)
{
    const char *from = bytes.p ? bytes.p + *at : NULL;
    const char *nl = from ? memchr(from, '\n', bytes.n - *at) : NULL;
    if (!nl) {
        return false;
    }
    *ret = (struct ia_str){from, (size_t)(nl - from)};
    *at += ret->n + 1;
    return true;
}

static bool parse_seed(const char *text, uint64_t *ret)
{
    char *end = NULL;
    errno = 0;
    unsigned long long v = text && *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
    *ret = v;
    return end && *end == '\0' && errno == 0 && v != 0;
}

static enum ia_rc read_header(struct ia_str line, uint64_t *ret_seed, struct ia_err *err)
{
    json_error_t ignored;
    json_t *o = json_loadb(line.p, line.n, JSON_REJECT_DUPLICATES, &ignored);
    json_int_t version = json_integer_value(json_object_get(o, "phone"));
    bool good = parse_seed(json_string_value(json_object_get(o, "seed")), ret_seed);
    json_decref(o);
    if (version != 0 && version != IA_OPLOG_VERSION) {
        return ia_err_set(err, IA_E_PARSE, "it has version %lld; this program reads version %d",
                          (long long)version, IA_OPLOG_VERSION);
    }
    return good && version != 0 ? IA_OK
                                : ia_err_set(err, IA_E_PARSE, "it is not a phone's log");
}

static enum ia_rc damaged(const char *path, size_t line, struct ia_err *err)
{
    if (err) {
        err->code = IA_E_DEVICE;
        err->outcome = IA_OUTCOME_NOT_SENT;
    }
    enum ia_rc rc = ia_err_wrap(err, IA_E_DEVICE, "%s, line %zu", path, line);
    ia_err_hint(err,
                "the log is the phone's memory, and it is damaged or of another version: start "
                "over with --fresh, or move %s away",
                path);
    return rc;
}

static enum ia_rc replay_line(struct ia_phone *p, struct ia_str line, bool *driven,
                              struct ia_err *err)
{
    struct ia_op op;
    struct json_t *json;
    enum ia_rc rc = ia_op_read(p, line, &op, &json, err);
    if (rc == IA_OK) {
        *driven = *driven || op.kind != IA_OP_TICK;
        /* Ignored: characters that were lost when it happened are lost again now. */
        (void)ia_op_act(p, &op, NULL);
        ia_op_free(json);
    }
    return rc;
}

static size_t count_lines(struct ia_str bytes)
{
    size_t at = 0, count = 0;
    for (struct ia_str line; next_line(bytes, &at, &line);) {
        count++;
    }
    return count;
}

/* Acts on the complete lines from *at on, which is moved behind the last of them. */
static enum ia_rc replay_from(struct ia_phone *p, struct ia_str bytes, size_t *at,
                              const char *path, bool *driven, struct ia_err *err)
{
    size_t begin = *at;
    struct ia_str line;
    while (next_line(bytes, at, &line)) {
        if (replay_line(p, line, driven, err) != IA_OK) {
            return damaged(path,
                           count_lines((struct ia_str){bytes.p, begin}) +
                               count_lines((struct ia_str){bytes.p + begin, *at - begin}),
                           err);
        }
    }
    return IA_OK;
}

/* As ia_op_write begins a line: the name stands behind the second comma. NULL for one that it did not
 * write. */
static const char *op_name(struct ia_str line)
{
    static const char before[] = ",\"op\":\"";
    const char *end = line.p + line.n, *at = memchr(line.p, ',', line.n);
    at = at ? memchr(at + 1, ',', (size_t)(end - at - 1)) : NULL;
    size_t n = sizeof(before) - 1;
    return at && (size_t)(end - at) > n && memcmp(at, before, n) == 0 ? at + n : NULL;
}

static bool is_op(struct ia_str line, const char *name)
{
    const char *at = op_name(line);
    size_t n = strlen(name);
    return at && (size_t)(line.p + line.n - at) > n && memcmp(at, name, n) == 0 && at[n] == '"';
}

/* What it sets may outlast a reset (IA_OP_BUGS, IA_OP_CHANGES, IA_OP_LINK, what was received, a URL of knobs). */
static bool outlasts(struct ia_str line)
{
    static const char *const lasting[] = {"bugs",     "changes", "link",
                                          "open_url", "receive", "receive_picture"};
    bool lasts = !op_name(line);
    for (size_t i = 0; !lasts && i < IA_COUNTOF(lasting); i++) {
        lasts = is_op(line, lasting[i]);
    }
    return lasts;
}

/* The operations that the last reset undoes, up to it and from the last one that outlasts it: of them a phone
 * keeps the number and the time alone (fill in phone.c). */
struct undone {
    size_t from, to;
    int64_t count;
};

static struct undone undone_in(struct ia_str bytes, size_t at)
{
    struct undone last = {at, at, 0}, now = last;
    struct ia_str line;
    for (size_t begin = at; next_line(bytes, &at, &line); begin = at) {
        if (is_op(line, "reset")) {
            now.to = begin;
            last = now;
        }
        now.count++;
        if (outlasts(line)) {
            now = (struct undone){at, at, 0};
        }
    }
    return last;
}

static enum ia_rc replay_all(struct ia_phone *p, struct ia_str bytes, size_t *at,
                             const char *path, struct ia_err *err)
{
    bool ignored = false;
    struct undone u = undone_in(bytes, *at);
    enum ia_rc rc = replay_from(p, (struct ia_str){bytes.p, u.from}, at, path, &ignored, err);
    if (rc != IA_OK) {
        return rc;
    }
    p->seq += u.count;
    p->now_ms += u.count * IA_OP_MS;
    *at = u.to;
    return replay_from(p, bytes, at, path, &ignored, err);
}

enum ia_rc ia_oplog_replay(struct ia_str bytes, const char *path, uint64_t seed,
                           struct ia_phone **ret, size_t *ret_good, struct ia_err *err)
{
    size_t at = 0;
    struct ia_str line;
    if (next_line(bytes, &at, &line) && read_header(line, &seed, err) != IA_OK) {
        return damaged(path, 1, err);
    }
    struct ia_phone *p = ia_phone_new(seed);
    enum ia_rc rc = replay_all(p, bytes, &at, path, err);
    if (rc != IA_OK) {
        ia_phone_free(p);
        return rc;
    }
    *ret = p;
    *ret_good = at;
    return IA_OK;
}

struct ia_str ia_oplog_first(struct ia_str bytes, int64_t n)
{
    size_t at = 0;
    struct ia_str line;
    for (int64_t i = 0; i <= n && next_line(bytes, &at, &line);
         i++) { /* the header is one more */
    }
    return n > 0 ? (struct ia_str){bytes.p, at} : bytes;
}

bool ia_oplog_last_reset(struct ia_str bytes, size_t setup, int64_t *ret, int64_t *ret_all)
{
    size_t at = 0, done = 0;
    int64_t seq = -1; /* the header's */
    bool found = false;
    for (struct ia_str line; next_line(bytes, &at, &line); seq++) {
        bool reset = is_op(line, "reset");
        found = found || reset;
        done = reset ? 1 : done + !is_op(line, "tick");
        *ret = done <= setup && !is_op(line, "tick") ? seq + 1 : *ret;
    }
    *ret_all = seq;
    return found;
}

enum ia_rc ia_oplog_check_name(const char *name, struct ia_err *err)
{
    if (name && ia_peer_name_ok(ia_str(name))) {
        return IA_OK;
    }
    enum ia_rc rc =
        ia_err_set(err, IA_E_USAGE, "\"%.40s\" is not a name for a phone", name ? name : "");
    ia_err_hint(err, "1 to %d of a-z, 0-9 and \"-\"", IA_OPLOG_NAME_MAX);
    return rc;
}

static enum ia_rc make_path(const char *folder, const char *name, const char *ext,
                            char path[PATH_BYTES], struct ia_err *err)
{
    int n = snprintf(path, PATH_BYTES, "%s/%s.%s", folder, name, ext);
    return n > 0 && n < PATH_BYTES
               ? IA_OK
               : ia_err_set(err, IA_E_USAGE, "the path of the phone's folder is too long");
}

enum ia_rc ia_oplog_read(const char *folder, const char *name, struct ia_buf *ret_bytes,
                         struct ia_err *err)
{
    char path[PATH_BYTES];
    enum ia_rc rc = make_path(folder, name, "log", path, err);
    if (rc == IA_OK) {
        rc = ia_file_read(path, ret_bytes, err);
    }
    return rc == IA_E_NOT_FOUND ? IA_OK : rc;
}

static enum ia_rc io_error(const struct ia_oplog *log, const char *doing, struct ia_err *err)
{
    return ia_err_set(err, IA_E_IO, "cannot %s %s: %s", doing, log->path, strerror(errno));
}

static enum ia_rc write_header(struct ia_oplog *log, uint64_t seed, struct ia_err *err)
{
    char line[64];
    int n = snprintf(line, sizeof(line), "{\"phone\":%d,\"seed\":\"%" PRIu64 "\"}\n",
                     IA_OPLOG_VERSION, seed);
    if (ia_write_all(log->fd, line, (size_t)n) != IA_OK) {
        return io_error(log, "write", err);
    }
    log->size = n;
    log->hash = ia_hash(IA_HASH_SEED, line, (size_t)n);
    return IA_OK;
}

/* The file begins with all that the phone in memory was made from. */
static bool goes_on(const struct ia_oplog *log, struct ia_str bytes)
{
    size_t had = (size_t)log->size;
    return log->known && had > 0 && bytes.n >= had &&
           ia_hash(IA_HASH_SEED, bytes.p, had) == log->hash;
}

/* Makes *phone the one that the bytes describe: by what is new in them, where it was made from the
 * rest, else (or where there is none yet) from the beginning. */
static enum ia_rc replay(struct ia_oplog *log, struct ia_str bytes, struct ia_phone **phone,
                         size_t *ret_good, struct ia_err *err)
{
    struct ia_phone *p = NULL;
    if (*phone && goes_on(log, bytes)) {
        *ret_good = (size_t)log->size;
        log->driven = bytes.n == (size_t)log->size; /* begun anew, and driven alike */
        return replay_from(*phone, bytes, ret_good, log->path, &log->driven, err);
    }
    log->driven = true;
    enum ia_rc rc = ia_oplog_replay(bytes, log->path, log->seed, &p, ret_good, err);
    if (rc == IA_OK) {
        ia_phone_free(*phone);
        *phone = p;
    }
    return rc;
}

/* Reads and replays the file, cuts off a torn last line, and writes the header of an empty log. */
static enum ia_rc load(struct ia_oplog *log, struct ia_phone **phone, struct ia_err *err)
{
    struct ia_buf bytes = IA_BUF(IA_OPLOG_BYTES_MAX);
    size_t good = 0;
    enum ia_rc rc = ia_file_read(log->path, &bytes, err);
    if (rc == IA_OK) {
        rc = replay(log, ia_buf_str(&bytes), phone, &good, err);
    }
    if (rc == IA_OK && good < bytes.len) {
        rc = ia_phone_lock_mark(log->lock, err);
    }
    if (rc == IA_OK && good < bytes.len && ftruncate(log->fd, (off_t)good) != 0) {
        rc = io_error(log, "shorten", err);
    }
    log->known = rc == IA_OK; /* a phone that came half way is made anew the next time */
    if (rc == IA_OK) {
        log->size = (off_t)good;
        log->hash = ia_hash(IA_HASH_SEED, bytes.p, good);
        rc = good == 0 ? write_header(log, (*phone)->seed, err) : IA_OK;
    }
    ia_buf_fini(&bytes);
    log->broken = log->broken && rc != IA_OK;
    return rc;
}

static enum ia_rc open_files(struct ia_oplog *log, bool fresh, struct ia_err *err)
{
    enum ia_rc rc = ia_phone_lock_take(log->lock_path, &log->lock, err);
    if (rc == IA_OK && fresh) {
        rc = ia_phone_lock_mark(log->lock, err);
    }
    if (rc != IA_OK) {
        return rc;
    }
    int mode = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | (fresh ? O_TRUNC : 0);
    log->fd = open(log->path, mode, 0600);
    return log->fd >= 0 ? IA_OK : io_error(log, "open", err);
}

static enum ia_rc set_paths(struct ia_oplog *log, const char *folder, const char *name,
                            struct ia_err *err)
{
    char path[PATH_BYTES];
    enum ia_rc rc = make_path(folder, name, "lock", path, err);
    if (rc == IA_OK) {
        log->lock_path = ia_strdup(path);
        (void)make_path(folder, name, "log", path, NULL); /* shorter */
        log->path = ia_strdup(path);
    }
    return rc;
}

enum ia_rc ia_oplog_open(const char *folder, const char *name, bool fresh, uint64_t seed,
                         struct ia_oplog **ret, struct ia_phone **ret_phone, struct ia_err *err)
{
    struct ia_oplog *log = ia_calloc(1, sizeof(*log));
    struct ia_phone *p = NULL;
    log->fd = -1;
    log->seed = seed;
    enum ia_rc rc = set_paths(log, folder, name, err);
    if (rc == IA_OK) {
        rc = ia_mkdirs(folder, err);
    }
    if (rc == IA_OK) {
        rc = open_files(log, fresh, err);
    }
    if (rc == IA_OK) {
        rc = load(log, &p, err);
    }
    if (rc != IA_OK) {
        ia_phone_free(p);
        ia_oplog_close(log);
        return rc;
    }
    *ret_phone = p;
    *ret = log;
    return IA_OK;
}

bool ia_oplog_held(const struct ia_oplog *log)
{
    return log->lock != NULL;
}

static void let_go(struct ia_oplog *log)
{
    if (log->fd >= 0) {
        (void)close(log->fd);
    }
    log->fd = -1;
    ia_phone_lock_release(log->lock);
    log->lock = NULL;
}

void ia_oplog_close(struct ia_oplog *log)
{
    if (!log) {
        return;
    }
    let_go(log);
    free(log->lock_path);
    free(log->path);
    free(log);
}

void ia_oplog_release(struct ia_oplog *log)
{
    struct stat st = {0};
    if (!log->lock) {
        return;
    }
    /* A file that cannot be looked at is none that acquire will know again. */
    (void)fstat(log->fd, &st);
    log->dev = st.st_dev;
    log->ino = st.st_ino;
    log->turn = ia_phone_lock_turn(log->lock);
    let_go(log);
}

static bool same_as_left(const struct ia_oplog *log)
{
    struct stat st;
    return !log->broken && log->known && ia_phone_lock_turn(log->lock) == log->turn &&
           fstat(log->fd, &st) == 0 && st.st_dev == log->dev && st.st_ino == log->ino &&
           st.st_size == log->size;
}

enum ia_rc ia_oplog_acquire(struct ia_oplog *log, struct ia_phone **phone, bool *ret_changed,
                            struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    bool changed = false;
    if (!log->lock) {
        rc = open_files(log, false, err);
        changed = rc == IA_OK && !same_as_left(log);
    }
    if (changed) {
        log->driven = false;
        rc = load(log, phone, err);
        changed = log->driven;
    }
    if (rc != IA_OK) {
        let_go(log);
        return rc;
    }
    *ret_changed = changed;
    return IA_OK;
}

static enum ia_rc take_back(struct ia_oplog *log, struct ia_err *err)
{
    enum ia_rc rc = io_error(log, "write", err);
    ia_err_hint(err, "free some space on the disk that holds %s", log->path);
    /* The file ends with the last whole line again, or nothing more may be added behind the
     * torn one. */
    log->broken = ftruncate(log->fd, log->size) != 0;
    if (err) {
        err->outcome = log->broken ? IA_OUTCOME_UNKNOWN : IA_OUTCOME_NOT_SENT;
        err->retry_safe = !log->broken;
    }
    return rc;
}

static enum ia_rc append_line(struct ia_oplog *log, struct ia_str line, struct ia_err *err)
{
    IA_KILL_POINT("embedded.log.before");
    if (ia_write_all(log->fd, line.p, line.n) != IA_OK) {
        return take_back(log, err);
    }
    log->size += (off_t)line.n;
    log->hash = ia_hash(log->hash, line.p, line.n);
    IA_KILL_POINT("embedded.log.after");
    return IA_OK;
}

enum ia_rc ia_oplog_append(struct ia_oplog *log, const struct ia_phone *p,
                           const struct ia_op *op, struct ia_err *err)
{
    if (log->broken) {
        return ia_err_set(err, IA_E_IO, "an earlier write to %s failed halfway", log->path);
    }
    struct ia_buf line = IA_BUF(LINE_MAX_BYTES);
    ia_op_write(p, op, &line);
    ia_buf_putc(&line, '\n');
    enum ia_rc rc = ia_buf_check(&line, "the operation", err);
    if (rc == IA_OK) {
        rc = ia_phone_lock_mark(log->lock, err);
    }
    if (rc == IA_OK) {
        rc = append_line(log, ia_buf_str(&line), err);
    }
    ia_buf_fini(&line);
    return rc;
}

/* One operation for display: text typed into a secure field is replaced. */
static void line_json(struct ia_str line, struct ia_jsonw *w)
{
    static const char mark[] = ",\"secure\":true}";
    size_t n = sizeof(mark) - 1;
    if (line.n < n || memcmp(line.p + line.n - n, mark, n) != 0) {
        ia_jsonw_raw(w, line);
        return;
    }
    json_t *o = json_loadb(line.p, line.n, JSON_ALLOW_NUL, NULL);
    (void)json_object_set_new(o, "text", json_string("\xE2\x80\xA2\xE2\x80\xA2\xE2\x80\xA2"));
    char *shown = json_dumps(o, JSON_COMPACT);
    ia_jsonw_raw(w, ia_str(shown ? shown : "null"));
    free(shown);
    json_decref(o);
}

void ia_oplog_json(struct ia_str bytes, struct ia_jsonw *w)
{
    size_t at = 0;
    struct ia_str line;
    ia_jsonw_array(w);
    bool header = next_line(bytes, &at, &line);
    while (header && next_line(bytes, &at, &line)) {
        line_json(line, w);
    }
    ia_jsonw_end_array(w);
}
