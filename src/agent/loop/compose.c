/* compose.c: the texts that the loop puts before the model. */
#include "agent/loop/compose.h"

#include "agent/prompts/fence.h"
#include "base/clean.h"

#include <string.h>

static void put_tag(struct ia_buf *out, const char *tag, const char *text)
{
    if (text && *text) {
        ia_buf_printf(out, "<%s>%s</%s>\n", tag, text, tag);
    }
}

void ia_compose_first(struct ia_buf *out, const struct ia_run_request *req, const char *memory,
                      const char *boundary, struct ia_str done, int step, struct ia_str screen)
{
    ia_buf_printf(out, "<goal>\n%s\n</goal>\n", req->goal);
    put_tag(out, "app", req->app);
    put_tag(out, "hint", req->hint);
    for (size_t i = 0; i < req->expect_count; i++) {
        put_tag(out, "expect", req->expect[i]);
    }
    put_tag(out, "memory", memory);
    ia_buf_printf(out, "Screen boundary: %s\n", boundary);
    ia_buf_putstr(out, done);
    if (screen.n > 0) {
        ia_buf_printf(out, "step %d\n", step);
        ia_fence(out, boundary, screen);
    }
}

void ia_compose_secrets(struct ia_buf *out, const struct ia_run_request *req, const char *note)
{
    if (req->secret_count == 0) {
        return;
    }
    ia_buf_printf(out, "\n<secrets>\n%s\n", note);
    for (size_t i = 0; i < req->secret_count; i++) {
        ia_buf_printf(out, "{{secret:%s}}\n", req->secrets[i]);
    }
    ia_buf_puts(out, "</secrets>");
}

void ia_compose_plan_lines(struct ia_buf *out, const struct ia_event_plan *steps, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ia_buf_printf(out, "%s%zu. ", i > 0 ? "\n" : "", i + 1);
        ia_clean(out, steps[i].action, IA_CLEAN_LINE);
        ia_buf_puts(out, " (check: ");
        ia_clean(out, steps[i].check, IA_CLEAN_LINE);
        ia_buf_putc(out, ')');
    }
}

void ia_compose_plan(struct ia_buf *out, const char *note, const char *boundary,
                     struct ia_str lines)
{
    if (lines.n > 0) {
        ia_buf_printf(out, "\n<plan>\n%s\n", note);
        ia_fence_data(out, boundary, lines);
        ia_buf_puts(out, "\n</plan>");
    }
}

void ia_compose_head(struct ia_buf *out, int step, enum ia_rc rc, enum ia_outcome outcome)
{
    static const char *const said[] = {
        [IA_OUTCOME_NONE] = "",
        [IA_OUTCOME_NOT_SENT] = ", nothing was sent",
        [IA_OUTCOME_SENT] = ", the action was sent",
        [IA_OUTCOME_UNKNOWN] = ", the action may have been sent: observe before you repeat it",
    };
    if (rc == IA_OK) {
        ia_buf_printf(out, "step %d ok", step);
    } else {
        ia_buf_printf(out, "step %d error %s%s", step, ia_rc_name(rc), said[outcome]);
    }
}

void ia_compose_block(struct ia_jsonw *w, struct ia_str text)
{
    if (text.n > 0) {
        ia_jsonw_object(w);
        ia_jsonw_kv(w, "type", "text");
        ia_jsonw_key(w, "text");
        ia_jsonw_str(w, text);
        ia_jsonw_end_object(w);
    }
}
