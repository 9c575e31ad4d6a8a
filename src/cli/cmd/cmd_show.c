/* show ID: a run's events as they were shown when it ran, and its messages; or a sweep. */
#include "app/run_json.h"
#include "app/setup.h"
#include "base/format.h"
#include "cli/cmd/cmd.h"
#include "cli/view/run_view.h"
#include "cli/view/transcript.h"
#include "json/json.h"

#include "base/term.h"

#include <unistd.h>

struct showing {
    struct ia_cli *c;
    struct ia_run_view *render;
};

static bool on_event(void *ctx, const struct ia_event_row *row)
{
    struct showing *s = ctx;
    ia_run_view_event(s->render, row->json);
    ia_json_put(&s->c->w, row->json);
    return true;
}

static enum ia_rc put_events(struct showing *s, struct ia_store *store, const char *run_id,
                             struct ia_err *err)
{
    int64_t last = -1;
    int64_t next = 0;
    enum ia_rc rc = IA_OK;
    ia_jsonw_key(&s->c->w, "events");
    ia_jsonw_array(&s->c->w);
    while (rc == IA_OK && next != last) {
        last = next;
        const struct ia_event_range range = {
            .run_id = run_id, .after_id = last, .limit = IA_EVENT_BATCH_MAX};
        rc = ia_store_events(store, &range, on_event, s, &next, err);
    }
    if (rc == IA_OK) {
        ia_jsonw_end_array(&s->c->w);
    }
    return rc;
}

struct telling {
    struct ia_cli *c;
    bool demo;
};

static bool on_message(void *ctx, const struct ia_message_row *row)
{
    const struct telling *t = ctx;
    struct ia_cli *c = t->c;
    ia_transcript_message(&c->text, row);
    ia_message_json(&c->w, row, t->demo);
    return true;
}

static enum ia_rc put_transcript(struct ia_cli *c, struct ia_store *store,
                                 const struct ia_run_row *run, struct ia_err *err)
{
    struct telling t = {c, run->demo};
    ia_buf_putc(&c->text, '\n');
    ia_jsonw_key(&c->w, "messages");
    ia_jsonw_array(&c->w);
    enum ia_rc rc = ia_store_messages(store, run->id, NULL, on_message, &t, err);
    if (rc == IA_OK) {
        ia_jsonw_end_array(&c->w);
    }
    return rc;
}

/* Without a verdict, the current state. */
static void put_unfinished(struct ia_cli *c, const struct ia_run_row *run)
{
    if (ia_run_state_final(run->state)) {
        return;
    }
    ia_buf_printf(&c->text, "\nstate   %s", ia_run_json_word(run));
    if (run->owner_token) {
        ia_buf_printf(&c->text, " (pid %lld%s)", (long long)run->owner_pid,
                      ia_run_owner_alive(run) ? "" : ", which is gone");
    }
    if (run->state == IA_RUN_ASKING) {
        ia_buf_printf(&c->text, ": %s\nanswer  ios-agent approve %s, or ios-agent deny %s",
                      run->summary ? run->summary : "", run->id, run->id);
    }
    int64_t silent_ms = ia_run_silent_ms(run);
    if (silent_ms > 0) {
        ia_buf_puts(&c->text, ": no sign of life for ");
        ia_fmt_ms(&c->text, silent_ms);
        ia_buf_printf(&c->text, ". End that process, then: ios-agent resume %s", run->id);
    }
    ia_buf_printf(&c->text, "\nrun     %s\n", run->id);
}

static enum ia_rc show(struct ia_cli *c, struct ia_store *store, const struct ia_run_row *run,
                       struct ia_err *err)
{
    bool tty = !c->json && ia_term_is(STDOUT_FILENO);
    struct ia_run_view_options opt = {
        .fd = -1,
        .out = &c->text,
        .color = tty && ia_term_colors(STDOUT_FILENO),
        .width = tty ? ia_term_width(STDOUT_FILENO) : 0,
    };
    struct showing s = {.c = c, .render = ia_run_view_new(&opt)};
    ia_jsonw_object(&c->w);
    ia_jsonw_key(&c->w, "run");
    ia_run_json(&c->w, run);
    enum ia_rc rc = put_events(&s, store, run->id, err);
    ia_run_view_free(s.render);
    if (rc != IA_OK) {
        return rc;
    }
    put_unfinished(c, run);
    if (ia_args_has(&c->args, "transcript")) {
        rc = put_transcript(c, store, run, err);
    }
    if (rc == IA_OK) {
        ia_jsonw_end_object(&c->w);
    }
    return rc;
}

enum ia_rc ia_cmd_show(struct ia_cli *c, struct ia_err *err)
{
    struct ia_setup setup;
    struct ia_run_row *run = NULL;
    struct ia_sweep_row *sweep = NULL;
    enum ia_rc rc = ia_setup_store(&setup, "ios-agent show", err);
    if (rc == IA_OK) {
        rc =
            ia_store_run_or_sweep(setup.store, ia_args_operand(&c->args, 0), &run, &sweep, err);
    }
    if (rc == IA_OK) {
        bool tree = ia_args_has(&c->args, "tree");
        rc = run && tree ? ia_cmd_show_tree(c, setup.store, run, err)
             : run       ? show(c, setup.store, run, err)
             : tree      ? ia_err_set(err, IA_E_USAGE, "--tree is of a run, and %s is a sweep",
                                      sweep->id)
                         : ia_cmd_show_sweep(c, setup.store, sweep, err);
    }
    ia_run_row_free(run);
    ia_sweep_row_free(sweep);
    ia_setup_close(&setup);
    return rc;
}
