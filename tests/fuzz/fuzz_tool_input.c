/* Tool input as a model may send it, after the tool's name and a space: `tap {"ref":12}`.
 * Whatever is accepted must be accepted again after it was written out. The corpus has a file
 * for every tool that is named after it; agent_prompts_test checks that those are accepted. */
#include "agent/prompts/prompts.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_again(const struct ia_prompts *p, enum ia_tool tool, json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT);
    json_t *again = text ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;
    if (text && (!again || ia_prompts_check_input(p, tool, again, NULL) != IA_OK)) {
        abort();
    }
    json_decref(again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct ia_prompts *p;
    if (!p && ia_prompts_open(NULL, &p, NULL) != IA_OK) {
        abort();
    }
    const char *text = (const char *)data;
    const char *space = size > 0 ? memchr(text, ' ', size) : NULL;
    size_t name_n = space ? (size_t)(space - text) : size;
    enum ia_tool tool = ia_tool_from_name((struct ia_str){text, name_n});
    if (tool == IA_TOOL_COUNT || !space) {
        return 0;
    }
    json_t *value = json_loadb(space + 1, size - name_n - 1,
                               JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_ANY, NULL);
    if (!value) {
        return 0;
    }
    struct ia_err err = {0};
    if (ia_prompts_check_input(p, tool, value, &err) == IA_OK) {
        check_again(p, tool, value);
    } else if (err.code != IA_E_USAGE || err.msg[0] == '\0') {
        abort();
    }
    json_decref(value);
    return 0;
}
