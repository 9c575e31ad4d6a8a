#include "agent/loop/inbox.h"

#include "store/queue.h"

/* Of one user message; what is beyond waits for the next. */
enum { TAKEN_MAX = 32, TAKEN_BYTES_MAX = 128 << 10 };

/* The four characters that could end a message or its attributes. */
static void put_escaped(struct ia_buf *out, struct ia_str text)
{
    for (size_t i = 0; i < text.n; i++) {
        switch (text.p[i]) {
        case '&':
            ia_buf_puts(out, "&amp;");
            break;
        case '<':
            ia_buf_puts(out, "&lt;");
            break;
        case '>':
            ia_buf_puts(out, "&gt;");
            break;
        case '"':
            ia_buf_puts(out, "&quot;");
            break;
        default:
            ia_buf_putc(out, text.p[i]);
        }
    }
}

static void put_message(struct ia_inbox *box, const struct ia_inbox_row *row)
{
    char time[IA_ISO_SIZE];
    ia_iso_format(row->created_ms, time);
    ia_buf_puts(&box->xml, box->count == 0 ? "<messages>\n" : "");
    ia_buf_puts(&box->xml, "<message sender=\"");
    put_escaped(&box->xml, ia_str(row->sender));
    ia_buf_printf(&box->xml, "\" time=\"%s\">", time);
    put_escaped(&box->xml, ia_str(row->text));
    ia_buf_puts(&box->xml, "</message>\n");
}

static void put_event(struct ia_inbox *box, const struct ia_inbox_row *row)
{
    ia_jsonw_object(&box->w);
    ia_jsonw_kv_int(&box->w, "id", row->id);
    ia_jsonw_kv(&box->w, "sender", row->sender);
    ia_jsonw_kv(&box->w, "text", row->text);
    ia_jsonw_end_object(&box->w);
}

static bool take_row(void *ctx, const struct ia_inbox_row *row)
{
    struct ia_inbox *box = ctx;
    if (box->count == TAKEN_MAX || box->xml.len > TAKEN_BYTES_MAX) {
        return false;
    }
    put_message(box, row);
    put_event(box, row);
    box->count++;
    box->last_id = row->id;
    return true;
}

enum ia_rc ia_inbox_read(struct ia_run_ctx *run, struct ia_inbox *ret, struct ia_err *err)
{
    *ret = (struct ia_inbox){.xml = IA_BUF(IA_TURN_BYTES_MAX),
                             .event = IA_BUF(IA_EVENT_BYTES_MAX)};
    ia_jsonw_init(&ret->w, &ret->event);
    ia_jsonw_object(&ret->w);
    ia_jsonw_key(&ret->w, "messages");
    ia_jsonw_array(&ret->w);
    enum ia_rc rc = ia_store_inbox(run->env->store, run->id, take_row, ret, err);
    if (ret->count > 0) {
        ia_buf_puts(&ret->xml, "</messages>");
    }
    ia_jsonw_end_array(&ret->w);
    ia_jsonw_end_object(&ret->w);
    return rc;
}

void ia_inbox_take(struct ia_commit *c, struct ia_inbox *box)
{
    if (box->count > 0) {
        ia_tx_inbox_taken(c->tx, c->run->id, box->last_id);
        ia_commit_event(c, "message.taken", &box->event);
    }
}

void ia_inbox_fini(struct ia_inbox *box)
{
    ia_buf_fini(&box->xml);
    ia_buf_fini(&box->event);
}
