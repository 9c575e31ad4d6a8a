/* The models table: any text is read or refused, and what was read answers every question. */
#include "agent/claude/models.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ia_models *m = NULL;
    struct ia_err err;
    if (ia_models_parse((struct ia_str){(const char *)data, size}, "fuzz", &m, &err)) {
        return 0;
    }
    struct ia_claude_usage u = ia_claude_usage_parse(
        ia_str("{\"input_tokens\":5,\"output_tokens\":7,\"cache_read_input_tokens\":9}"));
    double usd = 0;
    if (ia_models_cost(m, "a", &u, &usd) && (usd < 0 || isnan(usd))) {
        abort();
    }
    (void)ia_models_project(m, "claude-x", &u, 10, 10, &usd);
    (void)ia_models_nearest(m, "claude-x");
    ia_claude_usage_fini(&u);
    ia_models_free(m);
    return 0;
}
