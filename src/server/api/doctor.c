/* doctor.c: GET /v1/doctor: every part checked as a command would use it, by the command itself: in a
 * process of its own, which asks this daemon over its socket, so that it cannot go another way. */
#include "base/spawn.h"
#include "server/api/handlers.h"

#include <stdlib.h>

enum { DOCTOR_MS = 120000, OUTPUT_MAX = 1 << 20 };

/* What a daemon has of its caller's environment, and the home that it serves. */
static void list_env(const struct ia_api *api, char *ret[8])
{
    static const char *const kept[] = {"PATH", "HOME", "TMPDIR", "DEVELOPER_DIR"};
    struct ia_buf line = IA_BUF(64 << 10);
    size_t n = 0;
    ia_buf_printf(&line, "IOS_AGENT_HOME=%s", api->opts.setup->paths.home);
    ret[n++] = ia_buf_steal(&line);
    for (size_t i = 0; i < IA_COUNTOF(kept); i++) {
        const char *value = ia_env_get(NULL, kept[i]);
        if (value) {
            ia_buf_printf(&line, "%s=%s", kept[i], value);
            ret[n++] = ia_buf_steal(&line);
        }
    }
    ret[n] = NULL;
}

static void free_env(char **env)
{
    for (; *env; env++) {
        free(*env);
    }
}

/* A check that fails is what was asked for: the command's envelope says which, and why. */
static enum ia_rc pass_on(struct ia_api_call *call, const struct ia_spawn_result *r,
                          struct ia_err *err)
{
    json_t *envelope = json_loadb(r->out.p ? r->out.p : "", r->out.len, 0, NULL);
    bool ok = json_is_object(envelope) && json_object_get(envelope, "result");
    json_decref(envelope);
    if (!ok) {
        enum ia_rc rc = ia_spawn_check(r, "ios-agent doctor", err);
        return rc != IA_OK ? rc : ia_err_set(err, IA_E_CHILD, "ios-agent doctor said nothing");
    }
    ia_buf_putstr(&call->reply->body, ia_buf_str(&r->out));
    call->answered = true;
    return IA_OK;
}

enum ia_rc ia_api_doctor(struct ia_api_call *call, struct ia_err *err)
{
    const char *program = call->api->opts.program;
    const char *const argv[] = {program, "doctor", "--json", NULL};
    char *env[8];
    struct ia_spawn_result r;
    if (!program) {
        return ia_err_set(err, IA_E_UNSUPPORTED, "the program's own file is not known");
    }
    list_env(call->api, env);
    const struct ia_spawn spawn = {.argv = argv,
                                   .env = (const char *const *)env,
                                   .cwd = ia_api_folder(call),
                                   .output_max = OUTPUT_MAX,
                                   .timeout_ms = DOCTOR_MS,
                                   .cancel = ia_http_cancel(call->http)};
    enum ia_rc rc = ia_spawn_run(&spawn, &r, err);
    if (rc == IA_OK) {
        rc = pass_on(call, &r, err);
    }
    ia_spawn_result_fini(&r);
    free_env(env);
    return rc;
}
