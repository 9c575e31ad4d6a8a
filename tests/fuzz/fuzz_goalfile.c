/* fuzz_goalfile.c: any bytes as a goal file. Whatever is accepted is a goal that can be kept as
 * a job and read back; whatever is not has a message that begins with the file, or says that
 * there is no goal. */
#include "agent/goal/goalfile.h"
#include "agent/goal/job.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char path[] = "goals.toml";

static void check_goal(const struct ia_goals *set, size_t i)
{
    const struct ia_goal *g = ia_goals_at(set, i);
    struct ia_buf json = IA_BUF(IA_JOB_BYTES_MAX * 8);
    struct ia_job *job = NULL;
    struct ia_err err = {0};
    assert(g->req.goal && g->req.name && g->line > 0 && g->group <= i);
    for (size_t k = 0; k < g->need_count; k++) {
        assert(g->needs[k] < ia_goals_count(set) && g->needs[k] != i);
        assert(ia_goals_at(set, g->needs[k])->group == g->group);
    }
    ia_job_write(&g->req, g->device, &json);
    assert(ia_buf_ok(&json));
    enum ia_rc rc = ia_job_parse(ia_buf_str(&json), &job, &err);
    assert(rc == IA_OK || rc == IA_E_LIMIT);
    if (rc == IA_OK) {
        assert(strcmp(ia_job_request(job)->goal, g->req.goal) == 0);
        assert(ia_job_request(job)->expect_count == g->req.expect_count);
        assert(ia_job_request(job)->setup_count == g->req.setup_count);
    }
    ia_job_free(job);
    ia_buf_fini(&json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const env[] = {"USER=ada", "EMPTY=", NULL};
    static const char *const vars[] = {"city=Bern"};
    static const struct ia_run_request base = {.model = "m"};
    struct ia_goal_sources src = {.env = env, .vars = vars, .var_count = 1, .base = &base};
    struct ia_goals *set = NULL;
    struct ia_err err = {0};
    struct ia_str text = {(const char *)data, size};
    enum ia_rc rc = ia_goals_parse(path, text, &src, &set, &err);
    if (rc == IA_E_USAGE) { /* also where no goal uses the variable */
        src.var_count = 0;
        rc = ia_goals_parse(path, text, &src, &set, &err);
    }
    if (rc != IA_OK) {
        assert(rc == IA_E_CONFIG || rc == IA_E_USAGE);
        assert(rc == IA_E_USAGE || strncmp(err.msg, path, strlen(path)) == 0);
        return 0;
    }
    assert(ia_goals_count(set) > 0);
    for (size_t i = 0; i < ia_goals_count(set); i++) {
        check_goal(set, i);
    }
    ia_goals_free(set);
    return 0;
}
