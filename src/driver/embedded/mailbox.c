/* mailbox.c: the mailboxes by which linked phones exchange messages (driver/embedded/phone/link.h).
 *
 * NAME.mail lies beside NAME.log. Senders append to it under its lock, a line a message, and the phone that
 * it belongs to reads it; nobody shortens it but to cut off a line that a killed sender left torn. */
#include "driver/embedded/mailbox.h"

#include "base/fd.h"
#include "base/jsonw.h"
#include "base/killpoint.h"
#include "json/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static enum ia_rc failed(const char *doing, const char *path, struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_IO, "cannot %s %s: %s", doing, path, strerror(errno));
    ia_err_hint(err, "messages between linked phones go through this file");
    return rc;
}

void ia_mailbox_path(const struct ia_embedded *e, const char *name,
                     char path[IA_MAILBOX_PATH_BYTES])
{
    (void)snprintf(path, IA_MAILBOX_PATH_BYTES, "%s/%s.mail", e->folder, name);
}

/* ---- a line ------------------------------------------------------------------------------- */

bool ia_mail_read(struct ia_str line, struct ia_mail *ret)
{
    json_t *o = json_loadb(line.p, line.n, JSON_REJECT_DUPLICATES, NULL);
    const json_t *picture = json_object_get(o, "picture");
    const json_t *text = picture ? picture : json_object_get(o, "text");
    *ret = (struct ia_mail){.json = o,
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

enum ia_rc ia_mailbox_read(const char *path, struct ia_buf *ret, struct ia_err *err)
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
        struct ia_mail m;
        if (ia_mail_read(line, &m) && strcmp(m.from, e->name) == 0 &&
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
    struct ia_buf have = IA_BUF(IA_MAILBOX_BYTES_MAX);
    enum ia_rc rc = ia_mailbox_read(path, &have, err);
    /* What is longer its reader would refuse as a whole. */
    struct ia_buf add = IA_BUF(IA_MAILBOX_BYTES_MAX - have.len);
    int64_t last = rc == IA_OK ? last_sent(e, ia_buf_str(&have)) : 0;
    for (size_t i = e->handed; rc == IA_OK && i < l->out_count; i++) {
        if (l->out[i].peer == peer && l->out[i].no > last) {
            write_mail(e, &l->out[i], &add);
        }
    }
    if (rc == IA_OK && ia_buf_check(&add, path, err) != IA_OK) {
        rc = IA_E_LIMIT;
        ia_err_hint(
            err, "the mailbox is full: begin both phones anew with --fresh, or move it away");
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
    char path[IA_MAILBOX_PATH_BYTES];
    ia_mailbox_path(e, e->phone->link.peers.name[peer], path);
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
