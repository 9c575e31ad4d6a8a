/* calls.c: tool_use blocks as calls.
 *
 * Every tool_use block of an answer becomes a call, in the order of the answer, also one
 * that will not be made (too many in one turn, no steps left, unknown tool): the API wants a
 * result for each. Steps are counted here, so a call that is made uses one whether it
 * succeeds or not. */
#include "agent/tools/calls.h"

#include "base/jsonw.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES_MAX = 128, ID_BYTES_MAX = 256 };
#define BAD_INPUT_BYTES_MAX ((size_t)4 << 20)

/* The input as an object, and its text: journal, events and checks all use this one reading.
 * What is not JSON becomes an object that no tool takes, so that the model is told. */
static void read_input(const struct ia_claude_block *b, struct ia_tool_call *ret)
{
    if (b->input_ok) {
        ret->input = json_incref(b->input);
        ret->input_text = json_dumps(b->input, JSON_COMPACT | JSON_PRESERVE_ORDER);
        ret->input_text = ret->input_text ? ret->input_text : ia_strdup("{}");
        return;
    }
    const char *bad = b->bad_input ? b->bad_input : "";
    struct ia_buf out = IA_BUF(BAD_INPUT_BYTES_MAX);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &out);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "INVALID_JSON", bad);
    ia_jsonw_end_object(&w);
    ret->input_text = ia_buf_steal(&out);
    ret->input = json_pack("{s:s?}", "INVALID_JSON", bad);
    /* Where the text is no UTF-8, jansson refuses it; the object alone is enough to be
     * refused. */
    ret->input = ret->input ? ret->input : json_pack("{s:n}", "INVALID_JSON");
}

/* Of two verdicts in one turn none counts: whichever came first would decide. */
static void refuse_two_verdicts(const struct ia_calls *calls)
{
    int verdicts = 0;
    for (size_t i = 0; i < calls->n; i++) {
        verdicts += calls->items[i].tool == IA_TOOL_FINISH;
    }
    for (size_t i = 0; i < calls->n && verdicts > 1; i++) {
        calls->items[i].ambiguous = calls->items[i].tool == IA_TOOL_FINISH;
    }
}

bool ia_call_has_effect(const struct ia_tool_call *call)
{
    return call->def ? ia_tool_def_acts(call->def, call->input)
                     : ia_tool_has_effect(call->tool);
}

/* To the model a tool that its agent does not have looks like one that does not exist. */
static void find_tool(struct ia_tool_call *c, const struct ia_toolset *tools)
{
    struct ia_str name = ia_str(c->block->name);
    c->tool = ia_tool_from_name(name);
    c->tool = ia_toolset_has(tools, c->tool) ? c->tool : IA_TOOL_COUNT;
    c->def = c->tool == IA_TOOL_COUNT ? ia_toolset_find(tools, name) : NULL;
    if (c->def && c->def->serves) {
        c->def = NULL; /* the service does those, and never asks for it by a tool_use */
    }
}

void ia_calls_read(const struct ia_claude_message *m, const struct ia_toolset *tools,
                   int max_steps, int *steps, struct ia_calls *ret)
{
    *ret = (struct ia_calls){.items = ia_calloc(m->block_count + 1, sizeof(*ret->items))};
    if (m->stop != IA_STOP_TOOL_USE && m->stop != IA_STOP_END_TURN) {
        return; /* nothing of such an answer may run */
    }
    size_t index = 0;
    const struct ia_claude_block *b;
    while ((b = ia_claude_message_next_tool(m, &index)) != NULL) {
        struct ia_tool_call *c = &ret->items[ret->n++];
        *c = (struct ia_tool_call){.block = b, .step = *steps + 1};
        find_tool(c, tools);
        read_input(b, c);
        c->skipped = ret->n > IA_TURN_TOOLS_MAX || c->step > max_steps;
        *steps += !c->skipped;
    }
    refuse_two_verdicts(ret);
}

void ia_calls_fini(struct ia_calls *calls)
{
    for (size_t i = 0; i < calls->n; i++) {
        json_decref(calls->items[i].input);
        free(calls->items[i].input_text);
        free(calls->items[i].result);
    }
    free(calls->items);
    *calls = (struct ia_calls){0};
}

bool ia_calls_sound(const struct ia_calls *calls)
{
    for (size_t i = 0; i < calls->n; i++) {
        const struct ia_claude_block *b = calls->items[i].block;
        /* Checked before anything is committed: the id is the journal's key, and the name is
         * stored. */
        if (!b->complete || !b->id || !b->name || strlen(b->name) > NAME_BYTES_MAX ||
            strlen(b->id) > ID_BYTES_MAX) {
            return false;
        }
    }
    return true;
}
