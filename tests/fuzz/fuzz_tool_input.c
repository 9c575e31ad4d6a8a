/* Tool input as a model may send it: the first byte chooses the tool. Whatever is accepted must
 * be accepted again after it was written out. */
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
    if (size == 0) {
        return 0;
    }
    enum ia_tool tool = (enum ia_tool)(data[0] % IA_TOOL_COUNT);
    json_t *value = json_loadb((const char *)data + 1, size - 1,
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
