/* Any script: it is refused with a reason, or it answers requests of every kind. */
#include "mock/server/core.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define HEAD "{\"model\":\"claude-sonnet-5-5\",\"max_tokens\":99,"
#define SCREEN                                                                                 \
    "step 0\\n<screen a>\\ncom.apple.Preferences 402x874 #3fa2: Settings\\n12 switch:on "      \
    "Airplane Mode\\n14 button Add\\n</screen a>"

static const char *const requests[] = {
    HEAD "\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"" SCREEN "\"}]}",
    HEAD
    "\"messages\":[{\"role\":\"user\",\"content\":\"" SCREEN
    "\"},{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":"
    "\"tap\",\"input\":{}}]},{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\","
    "\"tool_use_id\":\"t1\",\"is_error\":true,\"content\":\"step 1 error\"}]}]}",
    HEAD "\"tools\":[{\"name\":\"verdict\",\"input_schema\":{\"type\":\"object\"}}],"
         "\"messages\":[{\"role\":\"user\",\"content\":\"<goal>open X</goal>\"}]}",
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct ia_mock_headers h = {
        .api_key = "k", .version = "2023-06-01", .content_type = "application/json"};
    struct ia_mock_core *core;
    struct ia_err err = {0};
    char *text = ia_strndup((const char *)data, size);
    const struct ia_mock_options opt = {.brain = IA_MOCK_SCRIPT, .script = text, .seed = 1};
    if (ia_mock_core_new(&opt, &core, &err) == IA_OK) {
        for (size_t i = 0; i < IA_COUNTOF(requests); i++) {
            struct ia_mock_reply reply;
            ia_mock_core_answer(core, "POST", "/v1/messages", &h, ia_str(requests[i]), false,
                                &reply);
            ia_mock_reply_fini(&reply);
        }
        ia_mock_core_free(core);
    } else if (!err.msg[0]) {
        abort();
    }
    free(text);
    return 0;
}
