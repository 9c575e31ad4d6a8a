/* accessibility.c: what a screen is to people who do not see or aim well. With the device's tools, which an
 * agent has anyway, this is all that the accessibility tree can tell. */
#include "agent/skills/builtin.h"

#include "agent/tools/act.h"
#include "driver/snapshot/voiceover.h"

/* Findings quote labels, so they are text of the screen. */
static void put(const struct ia_tool_env *env, const struct ia_buf *text,
                struct ia_tool_result *ret)
{
    ia_buf_putc(&ret->text, '\n');
    ia_fence(&ret->text, env->boundary, ia_buf_str(text));
    ia_tool_show(env, ret, false);
}

static enum ia_rc audit(void *ctx, const struct ia_tool_env *env, const json_t *input,
                        struct ia_tool_result *ret, struct ia_err *err)
{
    (void)ctx;
    (void)input;
    struct ia_audit found;
    struct ia_buf text = IA_BUF(IA_RESULT_BYTES_MAX / 2);
    struct ia_deadline deadline = ia_tool_deadline(env);
    enum ia_rc rc = ia_session_audit(env->session, &deadline, &found, err);
    if (rc != IA_OK) {
        return rc;
    }
    rc = ia_tool_may_show(env, ia_session_latest(env->session), err);
    if (rc == IA_OK) {
        ia_audit_text(&found, &text);
        put(env, &text, ret);
    }
    ia_audit_fini(&found);
    ia_buf_fini(&text);
    return rc;
}

static enum ia_rc voiceover_order(void *ctx, const struct ia_tool_env *env, const json_t *input,
                                  struct ia_tool_result *ret, struct ia_err *err)
{
    (void)ctx;
    (void)input;
    const struct ia_snapshot *s = NULL;
    struct ia_buf text = IA_BUF(IA_RESULT_BYTES_MAX / 2);
    struct ia_deadline deadline = ia_tool_deadline(env);
    enum ia_rc rc = ia_session_snapshot(env->session, &deadline, &s, err);
    if (rc == IA_OK) {
        rc = ia_tool_may_show(env, s, err);
    }
    if (rc == IA_OK) {
        ia_voiceover_text(s, &text);
        put(env, &text, ret);
    }
    ia_buf_fini(&text);
    return rc;
}

static const struct ia_skill_tool tools[] = {
    {"audit", false, false, audit},
    {"voiceover_order", false, false, voiceover_order},
    {NULL, false, false, NULL},
};

const struct ia_skill ia_skill_accessibility = {
    .name = "accessibility",
    .purpose = "judges screens for people who use VoiceOver or do not aim well",
    .permissions = "reads the screen",
    .tools = tools,
};
