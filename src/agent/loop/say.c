/* say.c: one user message: the note of an interruption, the text, what people said meanwhile.
 * Message, event and the cursor of the inbox are one transaction. */
#include "agent/loop/say.h"

#include "agent/loop/commit.h"
#include "agent/loop/compose.h"
#include "agent/loop/suspicious.h"
#include "base/jsonw.h"

void ia_say_screen(struct ia_run_ctx *run, struct ia_buf *screen)
{
    struct ia_err why = {0};
    struct ia_deadline deadline = ia_run_ctx_deadline(run, IA_ACTION_MS_MAX);
    const struct ia_snapshot *s = ia_session_latest(run->device.session);
    if (!s && ia_session_snapshot(run->device.session, &deadline, &s, &why) != IA_OK) {
        ia_run_ctx_fail(run, &why);
        return;
    }
    if (ia_app_lock_screen(&run->device.lock, s, NULL) == IA_OK) {
        ia_snapshot_text(s, 0, screen);
    } else {
        ia_buf_puts(screen, ia_prompts_note(run->texts.prompts, IA_NOTE_LEFT_APP));
    }
    ia_stuck_saw(&run->watch.stuck, ia_snapshot_content_hash(s));
    ia_snapshot_free(run->device.shown);
    run->device.shown = ia_snapshot_ref(s);
}

void ia_say_resumed(struct ia_run_ctx *run, bool *resumed, struct ia_buf *text)
{
    if (!*resumed) {
        return;
    }
    /* Said once, with the first message of the attempt. */
    *resumed = false;
    struct ia_buf screen = IA_BUF(IA_RESULT_BYTES_MAX);
    ia_say_screen(run, &screen);
    if (!run->end.over) {
        ia_buf_printf(text, "notice: %s\n",
                      ia_prompts_note(run->texts.prompts, run->previous_attempt.rested
                                                              ? IA_NOTE_SUBTASKS_OVER
                                                              : IA_NOTE_RESUMED));
        ia_fence(text, run->boundary, ia_buf_str(&screen));
        ia_suspicious_screen(run, text);
    }
    ia_buf_fini(&screen);
}

/* The message, its event, and the cursor of what it takes from the inbox, in one
 * transaction. */
static enum ia_rc commit_said(struct ia_run_ctx *run, const struct ia_say *message,
                              struct ia_str content, struct ia_inbox *inbox, struct ia_err *err)
{
    struct ia_commit c;
    enum ia_rc rc = ia_commit_begin(&c, run, err);
    if (rc == IA_OK) {
        struct ia_message_row row = {.role = "user", .purpose = "act", .content = content};
        ia_tx_add_message(c.tx, run->id, &row, NULL);
        if (message->event.fields) {
            ia_commit_event(&c, message->event);
        }
        ia_suspicious_commit(&c, run->spent.spending.steps);
        ia_inbox_take(&c, inbox);
        rc = ia_commit_end(&c, err);
    }
    return rc;
}

enum ia_rc ia_say(struct ia_run_ctx *run, const struct ia_say *message, struct ia_err *err)
{
    struct ia_buf content = IA_BUF((size_t)2 * IA_TURN_BYTES_MAX);
    struct ia_buf note = IA_BUF(IA_TURN_BYTES_MAX);
    struct ia_inbox own = {.count = 0};
    struct ia_inbox *inbox = message->inbox ? message->inbox : &own;
    /* The caller may have read it already, to find out whether there is a reason to go on. */
    enum ia_rc rc = message->inbox ? IA_OK : ia_inbox_read(run, &own, err);
    if (rc == IA_OK && message->resumed) {
        ia_say_resumed(run, message->resumed, &note);
    }
    if (rc == IA_OK && !run->end.over) {
        struct ia_jsonw w;
        ia_jsonw_init(&w, &content);
        ia_jsonw_array(&w);
        ia_compose_block(&w, ia_buf_str(&note));
        ia_compose_block(&w, ia_str(message->text ? message->text : ""));
        ia_compose_block(&w, ia_buf_str(&inbox->xml));
        ia_jsonw_end_array(&w);
        rc = commit_said(run, message, ia_buf_str(&content), inbox, err);
        if (rc == IA_OK && !run->end.over) {
            ia_run_ctx_append(run, IA_MESSAGE_USER, ia_buf_str(&content));
        }
    }
    ia_inbox_fini(&own);
    ia_buf_fini(&content);
    ia_buf_fini(&note);
    return rc;
}
