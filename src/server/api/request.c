/* request.c: from a job in a body to a request that can be queued. */
#include "app/agents.h"
#include "app/key_source.h"
#include "app/request_defaults.h"
#include "server/api/call.h"

enum { MODEL_BYTES_MAX = 4096 };

enum ia_rc ia_api_check_key(const struct ia_api_call *call, bool demo, struct ia_err *err)
{
    const struct ia_api_opts *o = &call->api->opts;
    enum ia_key_source source = IA_KEY_NONE;
    struct ia_secret_status sealed;
    if (demo) {
        return IA_OK;
    }
    enum ia_rc rc = ia_key_find(o->credentials, o->setup->store, &source, &sealed, err);
    if (rc == IA_OK && source == IA_KEY_NONE) {
        rc = ia_err_set(err, IA_E_KEY_MISSING, "there is no API key for this");
        ia_err_hint(err,
                    "store one with ios-agent key set, or send \"demo\": true for the demo "
                    "brain, which does not reason");
        err->outcome = IA_OUTCOME_NOT_SENT;
    }
    return rc;
}

static bool has_own_key(const struct ia_api_call *call)
{
    return ia_api_own_key(call, IA_HTTP_API_KEY_HEADER) ||
           ia_api_own_key(call, IA_HTTP_AUTH_TOKEN_HEADER);
}

enum ia_rc ia_api_request(struct ia_api_call *call, const char *device,
                          struct ia_api_request *ret, struct ia_err *err)
{
    const struct ia_config_agent *agent = NULL;
    struct ia_run_request *r = &ret->request;
    *ret = (struct ia_api_request){.model = IA_BUF(MODEL_BYTES_MAX)};
    if (!call->job) {
        return ia_err_set(err, IA_E_USAGE, "the body has no member \"run\"");
    }
    *r = *ia_job_request(call->job);
    r->device = ia_job_device(call->job);
    enum ia_rc rc = ia_api_check_key(call, r->demo_brain || has_own_key(call), err);
    if (rc == IA_OK) {
        rc = ia_setup_config_in(&ret->setup, ia_api_folder(call), err);
    }
    if (rc == IA_OK) {
        rc = ia_agent_prepare(ret->setup.config, call->api->opts.setup->store, r, &ret->model,
                              &agent, err);
    }
    if (rc == IA_OK) {
        bool chosen =
            ia_config_origin(ret->setup.config, IA_CFG_RUN_DEVICE) != IA_CFG_FROM_DEFAULT;
        r->device = r->device || chosen ? r->device : device;
        ia_run_request_plan(ret->setup.config, r);
        ia_run_request_defaults(ret->setup.config, agent, r);
    }
    return rc;
}

void ia_api_request_fini(struct ia_api_request *r)
{
    ia_buf_fini(&r->model);
    ia_setup_close(&r->setup);
}
