/* schedule list | show | history | pause | resume | remove | run-now: goals that repeat. */
#include "agent/schedule/schedule.h"
#include "app/schedule_json.h"
#include "app/setup.h"
#include "base/clean.h"
#include "cli/cmd/cmd.h"
#include "cli/view/table.h"

#include <string.h>

enum { NEXT_SHOWN = 5 };

/* What a command does with the open store. */
typedef enum ia_rc work_fn(struct ia_cli *c, struct ia_store *store, const char *name,
                           struct ia_err *err);

static enum ia_rc with_store(struct ia_cli *c, const char *command, work_fn *work,
                             struct ia_err *err)
{
    struct ia_setup setup;
    enum ia_rc rc = ia_setup_store(&setup, command, err);
    if (rc == IA_OK) {
        rc = work(c, setup.store, ia_args_operand(&c->args, 0), err);
    }
    ia_setup_close(&setup);
    return rc;
}

static void put_clean(struct ia_buf *out, const char *label, const char *text)
{
    ia_buf_printf(out, "%-9s ", label);
    ia_clean(out, ia_str(text), IA_CLEAN_LINE);
    ia_buf_putc(out, '\n');
}

/* ---- list -------------------------------------------------------------------------------- */

static const struct ia_table_column list_columns[] = {
    {.head = "NAME", .min = 12}, {.head = "STATE"},           {.head = "NEXT"},
    {.head = "WHEN", .min = 12}, {.head = "ZONE", .drop = 1}, {.head = "LAST"},
};

struct listing {
    struct ia_cli *c;
    struct ia_table *table;
    size_t count, retired;
};

static void add_row(struct ia_table *t, const struct ia_schedule_row *row)
{
    struct ia_buf when = IA_BUF(512), next = IA_BUF(128);
    ia_schedule_say_when(&when, row);
    ia_schedule_say_time(&next, row->problem ? 0 : row->next_ms, row->zone);
    ia_table_add(t, row->name);
    ia_table_add(t, ia_schedule_state(row));
    ia_table_add(t, ia_buf_cstr(&next));
    ia_table_add(t, ia_buf_cstr(&when));
    ia_table_add(t, row->zone);
    ia_table_add(t, row->last_verdict ? row->last_verdict : "-");
    if (row->problem) {
        ia_table_note(t, row->problem);
    }
    ia_buf_fini(&when);
    ia_buf_fini(&next);
}

static bool on_row(void *ctx, const struct ia_schedule_row *row)
{
    struct listing *l = ctx;
    l->count++;
    l->retired += row->problem ? 1 : 0;
    add_row(l->table, row);
    ia_jsonw_object(&l->c->w);
    ia_schedule_json(&l->c->w, row);
    ia_jsonw_end_object(&l->c->w);
    return true;
}

static enum ia_rc list(struct ia_cli *c, struct ia_store *store, const char *name,
                       struct ia_err *err)
{
    (void)name;
    struct listing l = {.c = c, .table = ia_table_new(list_columns, IA_COUNTOF(list_columns))};
    ia_jsonw_object(&c->w);
    ia_jsonw_key(&c->w, "schedules");
    ia_jsonw_array(&c->w);
    enum ia_rc rc = ia_store_schedules(store, NULL, on_row, &l, err);
    ia_table_write(l.table, ia_cli_width(c), &c->text);
    ia_table_free(l.table);
    ia_jsonw_end_array(&c->w);
    ia_jsonw_end_object(&c->w);
    if (rc == IA_OK && l.count == 0) {
        ia_buf_puts(&c->text, "no schedules; ios-agent schedule add creates one\n");
    }
    if (l.retired > 0) {
        ia_buf_puts(&c->text, "retired: fix it with ios-agent schedule edit NAME, or "
                              "reactivate it with schedule resume NAME\n");
    }
    return rc;
}

enum ia_rc ia_cmd_schedule_list(struct ia_cli *c, struct ia_err *err)
{
    return with_store(c, "ios-agent schedule list", list, err);
}

/* ---- show -------------------------------------------------------------------------------- */

/* The next due times, or why there are none. */
static void put_next(struct ia_cli *c, const struct ia_schedule_row *row)
{
    struct ia_schedule *s = NULL;
    struct ia_err err = {.code = IA_OK};
    ia_jsonw_key(&c->w, "next_fires");
    ia_jsonw_array(&c->w);
    if (!row->paused && !row->problem && ia_schedule_open(row, &s, &err) == IA_OK) {
        int64_t at = row->next_ms;
        for (int i = 0; i < NEXT_SHOWN && at != 0; i++) {
            char iso[IA_ISO_SIZE];
            ia_iso_format(at, iso);
            ia_buf_printf(&c->text, "%-9s ", i == 0 ? "next" : "");
            ia_schedule_say_time(&c->text, at, row->zone);
            ia_buf_putc(&c->text, '\n');
            ia_jsonw_string(&c->w, iso);
            at = ia_schedule_next(s, at);
        }
    }
    ia_jsonw_end_array(&c->w);
    ia_schedule_free(s);
}

static void put_run(struct ia_buf *out, const struct ia_schedule_row *row)
{
    struct ia_job *job = NULL;
    if (ia_job_parse(ia_str(row->run), &job, NULL) != IA_OK) {
        return;
    }
    const struct ia_run_request *r = ia_job_request(job);
    put_clean(out, "goal", r->goal);
    for (size_t i = 0; i < r->expect_count; i++) {
        put_clean(out, i == 0 ? "expect" : "", r->expect[i]);
    }
    put_clean(out, "device", ia_job_device(job) ? ia_job_device(job) : row->lane);
    put_clean(out, "model", r->demo_brain ? "demo brain (it does not reason)" : r->model);
    ia_job_free(job);
}

static void put_policies(struct ia_buf *out, const struct ia_schedule_row *row)
{
    struct ia_buf b = IA_BUF(8192);
    ia_buf_printf(out, "%-9s %s", "missed", ia_missed_name(row->missed));
    if (row->missed == IA_MISSED_SKIP) {
        ia_buf_printf(out, ", after %lld s", (long long)row->grace_s);
    }
    ia_buf_printf(out, "\n%-9s %s\n", "overlap", ia_overlap_name(row->overlap));
    if (row->precheck) {
        put_clean(out, "if", row->precheck);
    }
    if (row->notify) {
        ia_schedule_say_notify(&b, row->notify);
        put_clean(out, "notify", ia_buf_cstr(&b));
    }
    ia_buf_fini(&b);
}

static void put_schedule(struct ia_cli *c, const struct ia_schedule_row *row)
{
    struct ia_buf *out = &c->text;
    struct ia_buf when = IA_BUF(512);
    ia_schedule_say_when(&when, row);
    ia_buf_printf(&when, " (%s)", row->zone);
    put_clean(out, "schedule", row->name);
    put_run(out, row);
    put_clean(out, "when", ia_buf_cstr(&when));
    put_clean(out, "state", ia_schedule_state(row));
    if (row->problem) {
        put_clean(out, "problem", row->problem);
    }
    ia_jsonw_object(&c->w);
    ia_schedule_json(&c->w, row);
    put_next(c, row);
    ia_jsonw_end_object(&c->w);
    put_policies(out, row);
    put_clean(out, "last", row->last_verdict ? row->last_verdict : "-");
    ia_buf_fini(&when);
}

static enum ia_rc show(struct ia_cli *c, struct ia_store *store, const char *name,
                       struct ia_err *err)
{
    struct ia_schedule_row *row = NULL;
    enum ia_rc rc = ia_schedule_find(store, name, &row, err);
    if (rc == IA_OK) {
        put_schedule(c, row);
    }
    ia_schedule_row_free(row);
    return rc;
}

enum ia_rc ia_cmd_schedule_show(struct ia_cli *c, struct ia_err *err)
{
    return with_store(c, "ios-agent schedule show", show, err);
}

/* ---- history ----------------------------------------------------------------------------- */

static const struct ia_table_column fire_columns[] = {
    {.head = "SCHEDULED FOR"}, {.head = "STATE"}, {.head = "RUN"}, {.head = "WHY", .min = 20}};

struct fires {
    struct ia_cli *c;
    struct ia_table *table;
    const char *zone;
    size_t count;
};

static bool on_fire(void *ctx, const struct ia_fire_row *row)
{
    struct fires *f = ctx;
    struct ia_buf time = IA_BUF(128);
    size_t n = row->run_id ? strlen(row->run_id) : 0;
    bool failed = row->run_code && strcmp(row->run_code, ia_rc_name(IA_OK)) != 0;
    f->count++;
    ia_schedule_say_time(&time, row->scheduled_ms, f->zone);
    ia_table_add(f->table, ia_buf_cstr(&time));
    ia_table_add(f->table, row->run_id ? ia_run_state_name(row->run_state) : "skipped");
    ia_table_add(f->table, n > 8 ? row->run_id + n - 8 : "-");
    ia_table_add(f->table, row->reason ? row->reason : failed ? row->run_code : NULL);
    ia_buf_fini(&time);
    ia_fire_json(&f->c->w, row);
    return true;
}

static enum ia_rc history(struct ia_cli *c, struct ia_store *store, const char *name,
                          struct ia_err *err)
{
    struct ia_schedule_row *row = NULL;
    enum ia_rc rc = ia_schedule_find(store, name, &row, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct fires f = {.c = c,
                      .table = ia_table_new(fire_columns, IA_COUNTOF(fire_columns)),
                      .zone = row->zone};
    ia_jsonw_object(&c->w);
    ia_jsonw_kv(&c->w, "name", row->name);
    ia_jsonw_key(&c->w, "fires");
    ia_jsonw_array(&c->w);
    rc = ia_store_fires(store, row->name, (int)ia_args_int(&c->args, "limit", 20), on_fire, &f,
                        err);
    ia_table_write(f.table, ia_cli_width(c), &c->text);
    ia_table_free(f.table);
    ia_jsonw_end_array(&c->w);
    ia_jsonw_end_object(&c->w);
    if (rc == IA_OK && f.count == 0) {
        ia_buf_puts(&c->text, "it has not run yet\n");
    }
    ia_schedule_row_free(row);
    return rc;
}

enum ia_rc ia_cmd_schedule_history(struct ia_cli *c, struct ia_err *err)
{
    return with_store(c, "ios-agent schedule history", history, err);
}

/* ---- pause, resume, remove, run-now ------------------------------------------------------ */

static void put_cancelled(struct ia_cli *c, const char *name, const char *done, int cancelled)
{
    ia_buf_printf(&c->text, "%s %s", done, name);
    if (cancelled > 0) {
        ia_buf_printf(&c->text, "; %d queued run%s cancelled", cancelled,
                      cancelled == 1 ? " was" : "s were");
    }
    ia_buf_putc(&c->text, '\n');
    ia_jsonw_object(&c->w);
    ia_jsonw_kv(&c->w, "name", name);
    ia_jsonw_kv_int(&c->w, "cancelled", cancelled);
    ia_jsonw_end_object(&c->w);
}

static enum ia_rc pause_it(struct ia_cli *c, struct ia_store *store, const char *name,
                           struct ia_err *err)
{
    int cancelled = 0;
    enum ia_rc rc = ia_schedule_pause(store, name, &cancelled, err);
    if (rc == IA_OK) {
        put_cancelled(c, name, "paused", cancelled);
    }
    return rc;
}

static enum ia_rc remove_it(struct ia_cli *c, struct ia_store *store, const char *name,
                            struct ia_err *err)
{
    int cancelled = 0;
    enum ia_rc rc = ia_schedule_remove(store, name, &cancelled, err);
    if (rc == IA_OK) {
        put_cancelled(c, name, "removed", cancelled);
    }
    return rc;
}

static enum ia_rc resume_it(struct ia_cli *c, struct ia_store *store, const char *name,
                            struct ia_err *err)
{
    enum ia_rc rc = ia_schedule_resume(store, name, NULL, err);
    return rc == IA_OK ? show(c, store, name, err) : rc;
}

static enum ia_rc run_it(struct ia_cli *c, struct ia_store *store, const char *name,
                         struct ia_err *err)
{
    char run[IA_ID_SIZE];
    enum ia_rc rc = ia_schedule_run_now(store, name, run, err);
    if (rc == IA_OK) {
        ia_buf_printf(&c->text,
                      "queued   run %s of %s\n"
                      "The daemon will run it; without a daemon: ios-agent schedule tick\n",
                      run, name);
        ia_jsonw_object(&c->w);
        ia_jsonw_kv(&c->w, "name", name);
        ia_jsonw_kv(&c->w, "run", run);
        ia_jsonw_end_object(&c->w);
    }
    return rc;
}

enum ia_rc ia_cmd_schedule_pause(struct ia_cli *c, struct ia_err *err)
{
    return with_store(c, "ios-agent schedule pause", pause_it, err);
}

enum ia_rc ia_cmd_schedule_resume(struct ia_cli *c, struct ia_err *err)
{
    return with_store(c, "ios-agent schedule resume", resume_it, err);
}

enum ia_rc ia_cmd_schedule_remove(struct ia_cli *c, struct ia_err *err)
{
    return with_store(c, "ios-agent schedule remove", remove_it, err);
}

enum ia_rc ia_cmd_schedule_run_now(struct ia_cli *c, struct ia_err *err)
{
    return with_store(c, "ios-agent schedule run-now", run_it, err);
}
