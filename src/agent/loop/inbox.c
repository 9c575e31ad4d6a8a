/* inbox.c: messages of people to a run, as XML for the model and as an event. They are read
 * before the transaction and taken in it: what arrives in between waits for the next
 * message. */
#include "agent/loop/inbox.h"

#include "base/xml.h"
#include "store/queue.h"

#include <stdlib.h>

enum { TAKEN_BYTES_MAX = 128 << 10 };

static void put_message(struct ia_inbox *box, const struct ia_inbox_row *row)
{
    char time[IA_ISO_SIZE];
    ia_iso_format(row->created_ms, time);
    ia_buf_puts(&box->xml, box->count == 0 ? "<messages>\n" : "");
    ia_buf_puts(&box->xml, "<message sender=\"");
    ia_xml_escape(&box->xml, ia_str(row->sender));
    ia_buf_printf(&box->xml, "\" time=\"%s\">", time);
    /* A message cannot close its element and pose as another sender's. */
    ia_xml_escape(&box->xml, ia_str(row->text));
    ia_buf_puts(&box->xml, "</message>\n");
}

static bool take_row(void *ctx, const struct ia_inbox_row *row)
{
    struct ia_inbox *box = ctx;
    /* What does not fit stays in the inbox for the next message. */
    if (box->count == IA_INBOX_TAKEN_MAX || box->xml.len > TAKEN_BYTES_MAX) {
        return false;
    }
    put_message(box, row);
    box->messages[box->count++] = (struct ia_event_messages){
        .id = row->id,
        .sender = ia_str(ia_strdup(row->sender)),
        .text = ia_str(ia_strdup(row->text)),
    };
    box->last_id = row->id;
    return true;
}

enum ia_rc ia_inbox_read(struct ia_run_ctx *run, struct ia_inbox *ret, struct ia_err *err)
{
    *ret = (struct ia_inbox){.xml = IA_BUF(IA_TURN_BYTES_MAX)};
    enum ia_rc rc = ia_store_inbox(run->env->store, run->id, take_row, ret, err);
    if (ret->count > 0) {
        ia_buf_puts(&ret->xml, "</messages>");
    }
    return rc;
}

void ia_inbox_take(struct ia_commit *c, struct ia_inbox *box)
{
    if (box->count > 0) {
        ia_tx_inbox_taken(c->tx, c->run->id, box->last_id);
        const struct ia_event_message_taken taken = {
            .messages = {.items = box->messages, .n = box->count}};
        ia_commit_event(c, IA_EVENT(&taken));
    }
}

void ia_inbox_fini(struct ia_inbox *box)
{
    for (size_t i = 0; i < box->count; i++) {
        free((void *)(uintptr_t)box->messages[i].sender.p);
        free((void *)(uintptr_t)box->messages[i].text.p);
    }
    ia_buf_fini(&box->xml);
}
