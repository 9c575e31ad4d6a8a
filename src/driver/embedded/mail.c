/* mail.c: the mailboxes by which linked phones exchange messages (phone/link.h).
 *
 * NAME.mail lies beside NAME.log. Senders append to it under its lock, a line a message, and the phone that
 * it belongs to reads it; nobody shortens it but to cut off a line that a killed sender left torn. */
#include "driver/embedded/impl.h"

#include "base/fd.h"
#include "base/jsonw.h"
#include "base/killpoint.h"
#include "base/rand.h"
#include "json/json.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };
#define MAIL_BYTES_MAX ((size_t)16 << 20)

static enum ia_rc failed(const char *doing, const char *path, struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_IO, "cannot %s %s: %s", doing, path, strerror(errno));
    ia_err_hint(err, "messages between linked phones go through this file");
    return rc;
}

static void mail_path(const struct ia_embedded *e, const char *name, char path[PATH_BYTES])
{
    (void)snprintf(path, PATH_BYTES, "%s/%s.mail", e->folder, name);
}

/* ---- a line ------------------------------------------------------------------------------- */

struct mail {
    json_t *json;
    const char *from, *as;
    int64_t no;
    struct ia_str text;
    bool picture;
};

/* False for a line that is no message. Borrows from ret->json, which the caller releases. */
static bool read_mail(struct ia_str line, struct mail *ret)
{
    json_t *o = json_loadb(line.p, line.n, JSON_REJECT_DUPLICATES, NULL);
    const json_t *picture = json_object_get(o, "picture");
    const json_t *text = picture ? picture : json_object_get(o, "text");
    *ret = (struct mail){.json = o,
                         .from = json_string_value(json_object_get(o, "from")),
                         .as = json_string_value(json_object_get(o, "as")),
                         .no = json_integer_value(json_object_get(o, "no")),
                         .text = {json_string_value(text), json_string_length(text)},
                         .picture = picture != NULL};
    return ret->from && ret->as && ret->no > 0 && ret->text.p;
}

static void write_mail(const struct ia_embedded *e, const struct ia_outgoing *m,
                       struct ia_buf *out)
{
    struct ia_jsonw w;
    ia_jsonw_init(&w, out);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "from", e->name);
    ia_jsonw_kv(&w, "as", e->phone->link.id);
    ia_jsonw_kv_int(&w, "no", m->no);
    ia_jsonw_kv(&w, m->picture ? "picture" : "text", m->text);
    ia_jsonw_end_object(&w);
    ia_buf_putc(out, '\n');
}

/* Its complete lines. */
static enum ia_rc read_mailbox(const char *path, struct ia_buf *ret, struct ia_err *err)
{
    enum ia_rc rc = ia_file_read(path, ret, err);
    while (ret->len > 0 && ret->p[ret->len - 1] != '\n') {
        ret->len--;
    }
    return rc == IA_E_NOT_FOUND ? IA_OK : rc;
}

/* ---- sending ------------------------------------------------------------------------------ */

/* The number of this phone's last message in a mailbox; 0: none. */
static int64_t last_sent(const struct ia_embedded *e, struct ia_str lines)
{
    struct ia_str line;
    int64_t last = 0;
    while (ia_str_line(&lines, &line)) {
        struct mail m;
        if (read_mail(line, &m) && strcmp(m.from, e->name) == 0 &&
            strcmp(m.as, e->phone->link.id) == 0 && m.no > last) {
            last = m.no;
        }
        json_decref(m.json);
    }
    return last;
}

static enum ia_rc append(struct ia_embedded *e, int peer, const char *path, int fd,
                         struct ia_err *err)
{
    const struct ia_phone_link *l = &e->phone->link;
    struct ia_buf have = IA_BUF(MAIL_BYTES_MAX), add = IA_BUF(MAIL_BYTES_MAX);
    enum ia_rc rc = read_mailbox(path, &have, err);
    int64_t last = rc == IA_OK ? last_sent(e, ia_buf_str(&have)) : 0;
    for (size_t i = e->handed; rc == IA_OK && i < l->out_count; i++) {
        if (l->out[i].peer == peer && l->out[i].no > last) {
            write_mail(e, &l->out[i], &add);
        }
    }
    if (rc == IA_OK && add.len > 0) {
        IA_KILL_POINT("embedded.mail.before");
        if (ftruncate(fd, (off_t)have.len) != 0 || ia_write_all(fd, add.p, add.len) != IA_OK) {
            rc = failed("write", path, err);
        }
        IA_KILL_POINT("embedded.mail.after");
    }
    ia_buf_fini(&add);
    ia_buf_fini(&have);
    return rc;
}

/* Brings the mailbox of a peer up to date. */
static enum ia_rc send_to(struct ia_embedded *e, int peer, struct ia_err *err)
{
    char path[PATH_BYTES];
    mail_path(e, e->phone->link.peers.name[peer], path);
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0) {
        return failed("open", path, err);
    }
    int locked;
    while ((locked = flock(fd, LOCK_EX)) != 0 && errno == EINTR) {
    }
    enum ia_rc rc = locked == 0 ? append(e, peer, path, fd, err) : failed("lock", path, err);
    (void)close(fd);
    return rc;
}

enum ia_rc ia_embedded_send_mail(struct ia_embedded *e, struct ia_err *err)
{
    const struct ia_phone_link *l = &e->phone->link;
    enum ia_rc rc = IA_OK;
    for (int i = 0; rc == IA_OK && e->folder && e->handed < l->out_count && i < l->peers.count;
         i++) {
        rc = send_to(e, i, err);
    }
    e->handed = rc == IA_OK ? l->out_count : e->handed;
    return rc;
}

/* ---- receiving ---------------------------------------------------------------------------- */

/* A line that is no message of a phone is counted and passed over. */
static enum ia_rc receive_line(struct ia_embedded *e, struct ia_str line, int64_t number,
                               struct ia_err *err)
{
    struct mail m;
    bool good = read_mail(line, &m);
    struct ia_op op = {.kind = good && m.picture ? IA_OP_RECEIVE_PICTURE : IA_OP_RECEIVE,
                       .n = (int)number,
                       .text = good ? m.text : ia_str(""),
                       .app = ia_str(good ? m.from : "")};
    enum ia_rc rc = ia_op_check(e->phone, &op, err);
    if (rc != IA_OK) {
        op.app = op.text = ia_str("");
    }
    rc = ia_embedded_commit(e, &op, err);
    json_decref(m.json);
    return rc;
}

static enum ia_rc receive_all(struct ia_embedded *e, const char *path, struct ia_err *err)
{
    struct ia_buf bytes = IA_BUF(MAIL_BYTES_MAX);
    enum ia_rc rc = read_mailbox(path, &bytes, err);
    struct ia_str lines = ia_buf_str(&bytes), line;
    for (int64_t n = 1; rc == IA_OK && ia_str_line(&lines, &line); n++) {
        if (n > e->phone->link.received) {
            rc = receive_line(e, line, n, err);
        }
    }
    ia_buf_fini(&bytes);
    return rc;
}

enum ia_rc ia_embedded_receive_mail(struct ia_embedded *e, struct ia_err *err)
{
    char path[PATH_BYTES];
    struct stat st;
    if (!e->folder || e->phone->link.peers.count == 0 ||
        ia_prefs_on(&e->phone->prefs, IA_PREF_AIRPLANE_MODE)) {
        return IA_OK;
    }
    mail_path(e, e->name, path);
    if (stat(path, &st) != 0 || st.st_size == e->mail_size) {
        return IA_OK;
    }
    enum ia_rc rc = receive_all(e, path, err);
    e->mail_size = rc == IA_OK ? st.st_size : e->mail_size;
    return rc;
}

/* ---- linking ------------------------------------------------------------------------------ */

/* What came before a phone was begun anew was for the one before it. */
static enum ia_rc skip_old(struct ia_embedded *e, struct ia_err *err)
{
    char path[PATH_BYTES];
    struct ia_buf bytes = IA_BUF(MAIL_BYTES_MAX);
    mail_path(e, e->name, path);
    enum ia_rc rc = read_mailbox(path, &bytes, err);
    int lines = 0;
    for (size_t i = 0; i < bytes.len; i++) {
        lines += bytes.p[i] == '\n';
    }
    ia_buf_fini(&bytes);
    struct ia_op op = {.kind = IA_OP_RECEIVE, .n = lines};
    return rc == IA_OK && lines > e->phone->link.received ? ia_embedded_commit(e, &op, err)
                                                          : rc;
}

enum ia_rc ia_embedded_link(struct ia_embedded *e, bool fresh, struct ia_err *err)
{
    struct ia_peers wanted = e->knobs.link;
    ia_peers_remove(&wanted, e->name);
    if (!e->knobs.has_link || ia_peers_equal(&wanted, &e->phone->link.peers)) {
        return IA_OK;
    }
    if (!e->folder) {
        return ia_err_set(err, IA_E_USAGE, "link=: a phone that is kept nowhere has no peers");
    }
    enum ia_rc rc = fresh ? skip_old(e, err) : IA_OK;
    if (rc != IA_OK) {
        return rc;
    }
    char id[IA_LINK_ID_BYTES];
    struct ia_buf names = IA_BUF(1024);
    (void)snprintf(id, sizeof(id), "%016" PRIx64, ia_rand_next(ia_rand_system()));
    ia_peers_write(&wanted, &names);
    struct ia_op op = {.kind = IA_OP_LINK, .text = ia_buf_str(&names), .app = ia_str(id)};
    rc = ia_embedded_commit(e, &op, err);
    e->handed = 0;
    ia_buf_fini(&names);
    return rc;
}
