/* Any body of a request: it is refused or answered, by the demo brain, as a stream and as a
 * count of tokens. */
#include "mock/server/core.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void answer(struct ia_mock_core *core, const char *path, const char *version,
                   struct ia_str body)
{
    const struct ia_mock_headers h = {.api_key = "k",
                                      .version = version,
                                      .beta = "context-management-2025-06-27,"
                                              "compact-2026-09-04,compact-2026-01-12",
                                      .content_type = "application/json"};
    struct ia_mock_reply reply;
    ia_mock_core_answer(core, "POST", path, &h, body, false, &reply);
    if (reply.status < 200 || !reply.body.frames) {
        abort();
    }
    ia_mock_reply_fini(&reply);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct ia_mock_core *core;
    const struct ia_mock_options opt = {.seed = 1};
    struct ia_err err;
    if (!core && ia_mock_core_new(&opt, &core, &err) != IA_OK) {
        abort();
    }
    struct ia_str body = {(const char *)data, size};
    answer(core, "/v1/messages", "2023-06-01", body);
    answer(core, "/v1/messages/count_tokens", "2026-10-21", body);
    return 0;
}
