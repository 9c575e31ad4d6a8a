/* questions.c: what runs ask a person, and the answers.
 *
 * An answer comes from the user's own socket or from a dashboard that may act. A token is what other programs have, clients of
 * MCP among them: none of these approves what its own run asked. */
#include "app/question_json.h"
#include "app/runs.h"
#include "server/api/handlers.h"

#include <stdlib.h>
#include <string.h>

static bool put_question(void *ctx, const struct ia_question_row *q)
{
    struct ia_api_call *call = ctx;
    ia_question_json(&call->w, q);
    return true;
}

static enum ia_rc put_questions(struct ia_api_call *call, struct ia_err *err)
{
    ia_jsonw_key(&call->w, "questions");
    ia_jsonw_array(&call->w);
    enum ia_rc rc =
        ia_store_questions(call->api->opts.setup->store, ia_args_has(&call->query, "all"),
                           ia_args_text(&call->query, "run"), put_question, call, err);
    ia_jsonw_end_array(&call->w);
    return rc;
}

enum ia_rc ia_api_questions(struct ia_api_call *call, struct ia_err *err)
{
    return ia_api_as_of(call, put_questions, err);
}

static enum ia_rc check_person(const struct ia_api_call *call, struct ia_err *err)
{
    const char *client = call->http->client;
    if (strcmp(client, "unix") == 0 ||
        strncmp(client, "dashboard-", strlen("dashboard-")) == 0) {
        return IA_OK;
    }
    ia_err_set(err, IA_E_FORBIDDEN, "a token of the API answers no question");
    ia_err_hint(err, "a person answers with ios-agent approve or deny");
    return IA_E_FORBIDDEN;
}

static enum ia_rc answer(struct ia_api_call *call, bool approve, struct ia_err *err)
{
    struct ia_question_row *q = NULL;
    struct ia_store *store = call->api->opts.setup->store;
    enum ia_rc rc = check_person(call, err);
    if (rc == IA_OK) {
        rc = ia_question_find(store, call->params[0], &q, err);
    }
    if (rc == IA_OK) {
        rc = ia_store_answer(store, q->id, approve, call->http->client,
                             ia_args_text(&call->input, "note"), err);
    }
    if (rc == IA_OK) {
        /* It is queued; this only saves the wait until the queue is polled. */
        (void)ia_runs_resume(call->api->opts.runs, q->run_id, NULL, NULL);
        ia_jsonw_object(&call->w);
        ia_jsonw_kv(&call->w, "question", q->id);
        ia_jsonw_kv(&call->w, "run", q->run_id);
        ia_jsonw_kv(&call->w, "answer", approve ? "approved" : "denied");
        ia_jsonw_end_object(&call->w);
    }
    free(q);
    return rc;
}

enum ia_rc ia_api_question_approve(struct ia_api_call *call, struct ia_err *err)
{
    return answer(call, true, err);
}

enum ia_rc ia_api_question_deny(struct ia_api_call *call, struct ia_err *err)
{
    return answer(call, false, err);
}
