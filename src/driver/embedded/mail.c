/* mail.c: what a linked phone receives, and how it is linked. */
#include "driver/embedded/mailbox.h"

#include "base/rand.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <sys/stat.h>

/* ---- receiving ---------------------------------------------------------------------------- */

/* A line that is no message of a phone is counted and passed over. */
static enum ia_rc receive_line(struct ia_embedded *e, struct ia_str line, int64_t number,
                               struct ia_err *err)
{
    struct ia_mail m;
    bool good = ia_mail_read(line, &m);
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
    struct ia_buf bytes = IA_BUF(IA_MAILBOX_BYTES_MAX);
    enum ia_rc rc = ia_mailbox_read(path, &bytes, err);
    struct ia_str lines = ia_buf_str(&bytes), line;
    for (int64_t n = 1; rc == IA_OK && ia_str_line(&lines, &line); n++) {
        if (n > e->phone->link.received) {
            rc = receive_line(e, line, n, err);
        }
    }
    e->mail_size = rc == IA_OK ? (off_t)bytes.len : e->mail_size;
    ia_buf_fini(&bytes);
    return rc;
}

enum ia_rc ia_embedded_receive_mail(struct ia_embedded *e, struct ia_err *err)
{
    char path[IA_MAILBOX_PATH_BYTES];
    struct stat st;
    if (!e->folder || e->phone->link.peers.count == 0 ||
        ia_prefs_on(&e->phone->prefs, IA_PREF_AIRPLANE_MODE)) {
        return IA_OK;
    }
    ia_mailbox_path(e, e->name, path);
    if (stat(path, &st) != 0 || st.st_size == e->mail_size) {
        return IA_OK;
    }
    return receive_all(e, path, err);
}

/* ---- linking ------------------------------------------------------------------------------ */

/* What came before a phone was begun anew was for the one before it. */
static enum ia_rc skip_old(struct ia_embedded *e, struct ia_err *err)
{
    char path[IA_MAILBOX_PATH_BYTES];
    struct ia_buf bytes = IA_BUF(IA_MAILBOX_BYTES_MAX);
    ia_mailbox_path(e, e->name, path);
    enum ia_rc rc = ia_mailbox_read(path, &bytes, err);
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
