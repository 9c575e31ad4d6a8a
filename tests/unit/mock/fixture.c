/* fixture.c: starts the double with a script that is written with ' for ", and reads its
 * counters. */
#include "fixture.h"

#include "test.h"

struct ia_mock *start_double(const char *script, const char *faults)
{
    struct ia_mock *m = NULL;
    struct ia_err err;
    char *json = script ? quotes(script) : NULL;
    struct ia_mock_options opt = {.brain = script ? IA_MOCK_SCRIPT : IA_MOCK_DEMO,
                                  .script = json,
                                  .faults = faults,
                                  .seed = 7,
                                  .key = "test-key",
                                  .keep_requests = 2};
    if (ia_mock_start(&opt, &m, &err) != IA_OK) {
        fail_msg("%s", err.msg);
    }
    free(json);
    return m;
}

long long counted(struct ia_mock *m, const char *path)
{
    struct ia_buf b = IA_BUF(1 << 16);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &b);
    ia_mock_stats_json(m, &w);
    json_t *j = json_loads(ia_buf_cstr(&b), 0, NULL);
    assert_non_null(j);
    long long n = json_at(j, path);
    json_decref(j);
    ia_buf_fini(&b);
    return n < 0 ? 0 : n;
}
