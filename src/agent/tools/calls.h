/* calls.h: the tool calls of one answer of the model: read from its blocks, counted as steps,
 * and what is known of each from before. Pure; no store, no device. */
#ifndef IA_AGENT_TOOLS_CALLS_H
#define IA_AGENT_TOOLS_CALLS_H

#include "agent/claude/message.h"
#include "agent/toolset/toolset.h"

enum { IA_TURN_TOOLS_MAX = 16 }; /* calls of one answer that are made */

/* What is known of a call from before this process took the run. */
enum ia_call_history {
    IA_CALL_NEW,     /* it is to be made */
    IA_CALL_MADE,    /* it has a result */
    IA_CALL_UNKNOWN, /* it may have been made, and has an effect */
    IA_CALL_DROPPED  /* it was not made, and comes after one of which nothing is known */
};

/* A tool_use, ready to be committed and run. */
struct ia_tool_call {
    const struct ia_claude_block *block; /* borrowed from the answer */
    enum ia_tool tool;                   /* of the device; IA_TOOL_COUNT: see def */
    const struct ia_tool_def *def;       /* another one, of the toolset; NULL: unknown */
    json_t *input;                       /* an object, not checked */
    char *input_text;                    /* as JSON, for journal and events */
    int step;
    bool skipped; /* answered without being made */
    enum ia_call_history history;
    char *result; /* of one that was made: content of the tool_result, JSON */
    bool is_error;
    bool ambiguous; /* one of several verdicts in an answer: refused */
};

/* One for each tool_use of the answer, in its order. */
struct ia_calls {
    struct ia_tool_call *items;
    size_t n;
};

/* Whether the call may change something, so that it is never repeated; false for an unknown tool. */
bool ia_call_has_effect(const struct ia_tool_call *call);

/* Reads the calls of an answer. A tool that is not in the toolset counts as unknown; the calls borrow from the toolset. *steps, the steps
 * made so far, counts on for each call that is to be made: at most IA_TURN_TOOLS_MAX of one
 * answer, and none beyond max_steps. An answer that was cut or refused has no calls. Free with
 * ia_calls_fini. */
void ia_calls_read(const struct ia_claude_message *m, const struct ia_toolset *tools,
                   int max_steps, int *steps, struct ia_calls *ret);
void ia_calls_fini(struct ia_calls *calls);

/* False where a tool_use never ended or has no usable id or name: then nothing of the answer
 * may run. */
bool ia_calls_sound(const struct ia_calls *calls);

#endif
