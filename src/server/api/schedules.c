/* schedules.c: /v1/schedules: goals that repeat. The rules are those of `schedule` (app/schedule_plan.h,
 * agent/schedule/schedule.h). */
#include "agent/schedule/schedule.h"
#include "app/schedule_json.h"
#include "app/schedule_plan.h"
#include "server/api/handlers.h"

enum { PHONE_BYTES_MAX = 256 };

static struct ia_store *store_of(const struct ia_api_call *call)
{
    return call->api->opts.setup->store;
}

static bool put_schedule(void *ctx, const struct ia_schedule_row *row)
{
    struct ia_jsonw *w = ctx;
    ia_jsonw_object(w);
    ia_schedule_json(w, row);
    ia_jsonw_end_object(w);
    return true;
}

static enum ia_rc list(struct ia_api_call *call, struct ia_err *err)
{
    ia_jsonw_key(&call->w, "schedules");
    ia_jsonw_array(&call->w);
    enum ia_rc rc = ia_store_schedules(store_of(call), NULL, put_schedule, &call->w, err);
    ia_jsonw_end_array(&call->w);
    return rc;
}

enum ia_rc ia_api_schedules(struct ia_api_call *call, struct ia_err *err)
{
    return ia_api_as_of(call, list, err);
}

static bool put_fire(void *ctx, const struct ia_fire_row *row)
{
    ia_fire_json(ctx, row);
    return true;
}

static enum ia_rc show(struct ia_api_call *call, struct ia_err *err)
{
    struct ia_schedule_row *row = NULL;
    enum ia_rc rc = ia_schedule_find(store_of(call), call->params[0], &row, err);
    if (rc == IA_OK) {
        ia_jsonw_key(&call->w, "schedule");
        (void)put_schedule(&call->w, row);
        ia_jsonw_key(&call->w, "fires");
        ia_jsonw_array(&call->w);
        rc = ia_store_fires(store_of(call), row->name, IA_API_PAGE, put_fire, &call->w, err);
        ia_jsonw_end_array(&call->w);
    }
    ia_schedule_row_free(row);
    return rc;
}

enum ia_rc ia_api_schedule(struct ia_api_call *call, struct ia_err *err)
{
    return ia_api_as_of(call, show, err);
}

/* ---- adding and changing ----------------------------------------------------------------- */

static bool is_command(const char *notify)
{
    struct ia_str text = ia_str(notify);
    return text.n > 0 && !ia_str_starts(text, ia_str("http://")) &&
           !ia_str_starts(text, ia_str("https://"));
}

/* A program of this machine is named by its user only: the token of a page may be lost. */
static enum ia_rc check_commands(const struct ia_api_call *call, struct ia_err *err)
{
    const char *check = ia_args_text(&call->input, "if");
    bool has = (check && check[0] != '\0') || is_command(ia_args_text(&call->input, "notify"));
    if (!has || call->http->listener == IA_HTTP_UNIX) {
        return IA_OK;
    }
    enum ia_rc rc = ia_err_set(err, IA_E_FORBIDDEN, "commands are not set over the network");
    ia_err_hint(err, "ios-agent schedule edit sets them");
    return rc;
}

/* What is run: given, or that of before. */
static enum ia_rc plan_run(struct ia_api_call *call, struct ia_schedule_plan *plan,
                           struct ia_err *err)
{
    struct ia_buf phone = IA_BUF(PHONE_BYTES_MAX);
    struct ia_api_request r;
    ia_schedule_plan_phone(plan->row.name, &phone);
    enum ia_rc rc = ia_api_request(call, ia_buf_cstr(&phone), &r, err);
    if (rc == IA_OK) {
        r.request.name = plan->row.name;
        rc = ia_runs_check_later(call->api->opts.runs, &r.request, err);
    }
    if (rc == IA_OK) {
        rc = ia_schedule_plan_run(plan, &r.setup.paths, &r.request, r.request.device, err);
    }
    ia_api_request_fini(&r);
    ia_buf_fini(&phone);
    return rc;
}

static enum ia_rc plan(struct ia_api_call *call, struct ia_schedule_plan *p, struct ia_err *err)
{
    enum ia_rc rc = check_commands(call, err);
    if (rc == IA_OK) {
        rc = ia_schedule_plan_when(p, err);
    }
    if (rc == IA_OK) {
        rc = ia_schedule_plan_policies(p, err);
    }
    if (rc == IA_OK && (call->job || !p->row.run)) {
        rc = plan_run(call, p, err);
    }
    return rc;
}

static enum ia_rc show_named(struct ia_api_call *call, const char *name, struct ia_err *err)
{
    struct ia_schedule_row *row = NULL;
    enum ia_rc rc = ia_schedule_find(store_of(call), name, &row, err);
    if (rc == IA_OK) {
        ia_jsonw_object(&call->w);
        ia_jsonw_key(&call->w, "schedule");
        (void)put_schedule(&call->w, row);
        ia_jsonw_end_object(&call->w);
    }
    ia_schedule_row_free(row);
    return rc;
}

enum ia_rc ia_api_schedule_create(struct ia_api_call *call, struct ia_err *err)
{
    const char *name = ia_args_text(&call->input, "name");
    struct ia_schedule_plan p;
    ia_schedule_plan_init(&p, &call->input, name, NULL);
    enum ia_rc rc = plan(call, &p, err);
    if (rc == IA_OK) {
        rc = ia_schedule_add(store_of(call), &p.row, NULL, err);
    }
    ia_schedule_plan_fini(&p);
    return rc == IA_OK ? show_named(call, name, err) : rc;
}

enum ia_rc ia_api_schedule_patch(struct ia_api_call *call, struct ia_err *err)
{
    struct ia_schedule_plan p = {.args = NULL};
    struct ia_schedule_row *before = NULL;
    enum ia_rc rc = ia_schedule_find(store_of(call), call->params[0], &before, err);
    if (rc == IA_OK) {
        ia_schedule_plan_init(&p, &call->input, NULL, before);
        rc = plan(call, &p, err);
    }
    if (rc == IA_OK) {
        rc = ia_schedule_edit(store_of(call), &p.row, p.when, NULL, err);
    }
    ia_schedule_plan_fini(&p);
    ia_schedule_row_free(before);
    return rc == IA_OK ? show_named(call, call->params[0], err) : rc;
}

/* ---- the rest ---------------------------------------------------------------------------- */

static void put_cancelled(struct ia_api_call *call, int cancelled)
{
    ia_jsonw_object(&call->w);
    ia_jsonw_kv(&call->w, "name", call->params[0]);
    ia_jsonw_kv_int(&call->w, "cancelled", cancelled);
    ia_jsonw_end_object(&call->w);
}

enum ia_rc ia_api_schedule_delete(struct ia_api_call *call, struct ia_err *err)
{
    int cancelled = 0;
    enum ia_rc rc = ia_schedule_remove(store_of(call), call->params[0], &cancelled, err);
    if (rc == IA_OK) {
        put_cancelled(call, cancelled);
    }
    return rc;
}

enum ia_rc ia_api_schedule_pause(struct ia_api_call *call, struct ia_err *err)
{
    int cancelled = 0;
    enum ia_rc rc = ia_schedule_pause(store_of(call), call->params[0], &cancelled, err);
    if (rc == IA_OK) {
        put_cancelled(call, cancelled);
    }
    return rc;
}

enum ia_rc ia_api_schedule_resume(struct ia_api_call *call, struct ia_err *err)
{
    enum ia_rc rc = ia_schedule_resume(store_of(call), call->params[0], NULL, err);
    return rc == IA_OK ? show_named(call, call->params[0], err) : rc;
}

enum ia_rc ia_api_schedule_run_now(struct ia_api_call *call, struct ia_err *err)
{
    char run[IA_ID_SIZE];
    enum ia_rc rc = ia_schedule_run_now(store_of(call), call->params[0], run, err);
    if (rc == IA_OK) {
        ia_jsonw_object(&call->w);
        ia_jsonw_kv(&call->w, "name", call->params[0]);
        ia_jsonw_kv(&call->w, "run", run);
        ia_jsonw_end_object(&call->w);
    }
    return rc;
}
