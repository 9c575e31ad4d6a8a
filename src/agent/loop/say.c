#include "agent/loop/say.h"

#include "agent/loop/commit.h"
#include "agent/loop/compose.h"
#include "base/jsonw.h"

/* The message, its event, and the cursor of what it takes from the inbox,
 * in one transaction. */
static enum ia_rc commit_said(struct ia_run_ctx *run, struct ia_str content,
                              struct ia_inbox *box, struct ia_event_ref event,
                              struct ia_err *err)
{
    struct ia_commit c;
    enum ia_rc rc = ia_commit_begin(&c, run, err);
    if (rc == IA_OK) {
        struct ia_message_row row = {.role = "user", .purpose = "act", .content = content};
        ia_tx_add_message(c.tx, run->id, &row, NULL);
        if (event.fields) {
            ia_commit_event(&c, event);
        }
        ia_inbox_take(&c, box);
        rc = ia_commit_end(&c, err);
    }
    return rc;
}

void ia_say_resumed(struct ia_run_ctx *run, struct ia_buf *text)
{
    struct ia_err why = {0};
    struct ia_deadline deadline = ia_run_ctx_deadline(run, IA_ACTION_MS_MAX);
    const struct ia_snapshot *s = ia_session_latest(run->session);
    if (!s && ia_session_snapshot(run->session, &deadline, &s, &why) != IA_OK) {
        ia_run_ctx_fail(run, &why);
        return;
    }
    struct ia_buf screen = IA_BUF(IA_RESULT_BYTES_MAX);
    ia_snapshot_text(s, 0, &screen);
    ia_buf_printf(text, "notice: %s\n", ia_prompts_note(run->prompts, IA_NOTE_RESUMED));
    ia_fence(text, run->boundary, ia_buf_str(&screen));
    ia_stuck_saw(&run->stuck, ia_snapshot_content_hash(s));
    ia_snapshot_free(run->shown);
    run->shown = ia_snapshot_ref(s);
    run->say_resumed = false;
    ia_buf_fini(&screen);
}

enum ia_rc ia_say_with(struct ia_run_ctx *run, const char *text, struct ia_inbox *box,
                       struct ia_event_ref event, struct ia_err *err)
{
    struct ia_buf content = IA_BUF((size_t)2 * IA_TURN_BYTES_MAX);
    struct ia_buf note = IA_BUF(IA_TURN_BYTES_MAX);
    struct ia_jsonw w;
    if (run->say_resumed) {
        ia_say_resumed(run, &note);
    }
    ia_jsonw_init(&w, &content);
    ia_jsonw_array(&w);
    ia_compose_block(&w, ia_buf_str(&note));
    ia_compose_block(&w, ia_str(text));
    ia_compose_block(&w, ia_buf_str(&box->xml));
    ia_jsonw_end_array(&w);
    enum ia_rc rc =
        run->end.over ? IA_OK : commit_said(run, ia_buf_str(&content), box, event, err);
    if (rc == IA_OK && !run->end.over) {
        ia_run_ctx_append(run, IA_MESSAGE_USER, ia_buf_str(&content));
    }
    ia_buf_fini(&content);
    ia_buf_fini(&note);
    return rc;
}

enum ia_rc ia_say(struct ia_run_ctx *run, const char *text, struct ia_event_ref event,
                  struct ia_err *err)
{
    struct ia_inbox box;
    enum ia_rc rc = ia_inbox_read(run, &box, err);
    if (rc == IA_OK) {
        rc = ia_say_with(run, text, &box, event, err);
    }
    ia_inbox_fini(&box);
    return rc;
}
