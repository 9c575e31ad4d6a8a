/* recordings.c: /v1/recordings: runs that can be done again, and what people decide on those that a model healed. */
#include "app/recording_json.h"
#include "server/api/handlers.h"

static struct ia_store *store_of(const struct ia_api_call *call)
{
    return call->api->opts.setup->store;
}

struct listing {
    struct ia_jsonw *w;
    int64_t left;
};

static bool put_row(void *ctx, const struct ia_recording_row *row)
{
    struct listing *l = ctx;
    ia_recording_json(l->w, row, false);
    return --l->left > 0;
}

static enum ia_rc list(struct ia_api_call *call, struct ia_err *err)
{
    const struct ia_args *q = &call->query;
    struct listing l = {.w = &call->w, .left = ia_args_int(q, "limit", IA_API_PAGE)};
    ia_jsonw_key(&call->w, "recordings");
    ia_jsonw_array(&call->w);
    enum ia_rc rc = ia_store_recordings(store_of(call), ia_args_text(q, "goal"),
                                        ia_args_text(q, "state"), put_row, &l, err);
    ia_jsonw_end_array(&call->w);
    return rc;
}

enum ia_rc ia_api_recordings(struct ia_api_call *call, struct ia_err *err)
{
    return ia_api_as_of(call, list, err);
}

static enum ia_rc show(struct ia_api_call *call, struct ia_err *err)
{
    struct ia_recording_row *row = NULL, *parent = NULL;
    enum ia_rc rc = ia_store_recording(store_of(call), call->params[0], &row, err);
    if (rc == IA_OK && row->parent) {
        rc = ia_store_recording(store_of(call), row->parent, &parent, err);
    }
    if (rc == IA_OK) {
        ia_jsonw_key(&call->w, "recording");
        ia_recording_json(&call->w, row, true);
        ia_jsonw_key(&call->w, "parent");
        if (parent) {
            ia_recording_json(&call->w, parent, true);
        } else {
            ia_jsonw_null(&call->w);
        }
    }
    ia_recording_row_free(row);
    ia_recording_row_free(parent);
    return rc;
}

enum ia_rc ia_api_recording(struct ia_api_call *call, struct ia_err *err)
{
    return ia_api_as_of(call, show, err);
}

static enum ia_rc decide(struct ia_api_call *call, bool accept, struct ia_err *err)
{
    struct ia_recording_row *row = NULL, *now = NULL;
    enum ia_rc rc = ia_store_recording(store_of(call), call->params[0], &row, err);
    if (rc == IA_OK) {
        rc = ia_recording_decide(store_of(call), row->id, accept, "api", &now, err);
    }
    if (rc == IA_OK) {
        ia_jsonw_object(&call->w);
        ia_jsonw_key(&call->w, "recording");
        ia_recording_json(&call->w, now, false);
        ia_jsonw_end_object(&call->w);
    }
    ia_recording_row_free(row);
    ia_recording_row_free(now);
    return rc;
}

enum ia_rc ia_api_recording_accept(struct ia_api_call *call, struct ia_err *err)
{
    return decide(call, true, err);
}

enum ia_rc ia_api_recording_reject(struct ia_api_call *call, struct ia_err *err)
{
    return decide(call, false, err);
}
