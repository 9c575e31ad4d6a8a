/* conversation.c: what a request tells the demo brain: the goal, the screen, actor or verifier. */
#include "mock/brain/state.h"

#include "base/utf8.h"
#include "mock/brain/goal.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 1 << 20 };

bool ia_brain_is_verifier(const struct ia_mock_request *req)
{
    return ia_mock_has_tool(req, "verdict") && !ia_mock_has_tool(req, "finish");
}

void ia_brain_goal(const struct ia_mock_request *req, struct ia_buf *out)
{
    struct ia_buf text = IA_BUF(TEXT_BYTES);
    const struct ia_mock_turn *turn = &req->turns[0];
    for (size_t i = 0; i < turn->count; i++) {
        ia_mock_block_text(&turn->blocks[i], &text);
    }
    const char *open = strstr(ia_buf_cstr(&text), "<goal>");
    const char *close = open ? strstr(open, "</goal>") : NULL;
    if (close) {
        open += strlen("<goal>");
        ia_buf_put(out, open, (size_t)(close - open));
    } else {
        ia_buf_putstr(out, ia_buf_str(&text));
    }
    ia_buf_fini(&text);
}

/* The clauses of the goal as they were written: a plan as simple as the brain itself. */
void ia_brain_plan_goal(const struct ia_mock_request *req, struct ia_mock_answer *answer)
{
    enum { STEPS_MAX = 12, TEXT_MAX = 60 };
    struct ia_buf goal = IA_BUF(TEXT_BYTES);
    struct ia_step *steps = ia_calloc(IA_STEPS_MAX, sizeof(*steps));
    json_t *plan = json_array();
    ia_brain_goal(req, &goal);
    size_t n = ia_goal_parse(ia_buf_str(&goal), steps);
    for (size_t i = 0; i < n && i < STEPS_MAX; i++) {
        const char *text = steps[i].text;
        size_t length = ia_utf8_cut(text, strlen(text) < TEXT_MAX ? strlen(text) : TEXT_MAX);
        json_array_append_new(plan, json_pack("{s:s%, s:s}", "do", text, length, "check",
                                              "the screen shows that it is done"));
    }
    ia_mock_answer_tool(answer, "plan", json_pack("{s:o}", "steps", plan));
    free(steps);
    ia_buf_fini(&goal);
}

bool ia_brain_read_screen(const struct ia_mock_block *block, struct ia_brain_screen *s)
{
    struct ia_buf text = IA_BUF(TEXT_BYTES);
    ia_mock_block_text(block, &text);
    bool read = ia_brain_screen_read(s, ia_brain_screen_part(ia_buf_str(&text)));
    ia_buf_fini(&text);
    return read;
}

void ia_brain_screen_at(const struct ia_mock_request *req, size_t last,
                        struct ia_brain_screen *s)
{
    for (size_t t = 0; t <= last && t < req->turn_count; t++) {
        const struct ia_mock_turn *turn = &req->turns[t];
        for (size_t i = 0; turn->role == IA_MOCK_USER && i < turn->count; i++) {
            (void)ia_brain_read_screen(&turn->blocks[i], s);
        }
    }
}
