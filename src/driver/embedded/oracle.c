/* oracle.c: a phone's actual state, its log, and its bugs and faults as JSON. Reads the log file of
 * a phone that another process may be driving, and replays it in memory. */
#include "driver/embedded/embedded.h"

#include "driver/embedded/fault/knobs.h"
#include "driver/embedded/op/oplog.h"

static void running_json(const struct ia_phone *p, struct ia_jsonw *w)
{
    ia_jsonw_key(w, "running");
    ia_jsonw_array(w);
    for (int i = 0; i < p->app_count; i++) {
        if (p->apps[i].running) {
            ia_jsonw_string(w, ia_apps[i]->bundle_id);
        }
    }
    ia_jsonw_end_array(w);
}

void ia_phone_state_json(const struct ia_phone *p, struct ia_jsonw *w)
{
    const struct ia_app_state *a = p->locked ? NULL : ia_phone_front_const(p);
    const struct ia_app *app = ia_phone_app(p);
    const struct ia_alert *alert = ia_alert_shown(p);
    ia_jsonw_object(w);
    for (int i = 0; i < p->app_count; i++) {
        if (ia_apps[i]->state_json) {
            ia_apps[i]->state_json(p->apps[i].data, w);
        }
    }
    ia_jsonw_key(w, "settings");
    ia_prefs_json(&p->prefs, w);
    ia_phone_system_json(p, w);
    ia_jsonw_kv(w, "foreground", app ? app->bundle_id : IA_SPRINGBOARD);
    ia_jsonw_kv(w, "screen", ia_phone_title(p));
    ia_jsonw_kv(w, "alert", alert ? alert->title : NULL);
    ia_jsonw_kv_bool(w, "keyboard", a && a->focus >= 0 && !p->system_alert);
    ia_jsonw_kv_bool(w, "locked", p->locked);
    ia_jsonw_kv(w, "orientation", ia_op_orientations[ia_phone_orientation(p)]);
    ia_jsonw_kv(w, "held", ia_op_orientations[p->held]);
    running_json(p, w);
    ia_jsonw_key(w, "bugs");
    ia_bugs_json(p->bugs, w);
    ia_jsonw_kv(w, "changes", p->changes);
    ia_jsonw_kv_int(w, "seq", p->seq);
    ia_jsonw_kv_int(w, "time_ms", p->now_ms);
    ia_jsonw_end_object(w);
}

/* Replays the log of a phone that another process may be driving, without touching it. */
static enum ia_rc read_phone(const struct ia_embedded_options *opt, struct ia_buf *bytes,
                             struct ia_phone **ret, struct ia_err *err)
{
    enum ia_rc rc = ia_oplog_check_name(opt->name, err);
    struct ia_buf path = IA_BUF(4096);
    size_t good;
    if (rc == IA_OK && opt->folder) {
        ia_buf_printf(&path, "%s/%s.log", opt->folder, opt->name);
        rc = ia_oplog_read(opt->folder, opt->name, bytes, err);
    }
    if (rc == IA_OK) {
        rc = ia_oplog_replay(ia_oplog_first(ia_buf_str(bytes), opt->at), ia_buf_cstr(&path),
                             opt->seed, ret, &good, err);
    }
    ia_buf_fini(&path);
    return rc;
}

enum ia_rc ia_embedded_state_json(const struct ia_embedded_options *opt, struct ia_jsonw *w,
                                  struct ia_err *err)
{
    struct ia_buf bytes = IA_BUF(IA_OPLOG_BYTES_MAX);
    struct ia_phone *p = NULL;
    enum ia_rc rc = read_phone(opt, &bytes, &p, err);
    if (rc == IA_OK) {
        ia_phone_state_json(p, w);
    }
    ia_phone_free(p);
    ia_buf_fini(&bytes);
    return rc;
}

void ia_embedded_example_json(struct ia_jsonw *w)
{
    struct ia_phone *p = ia_phone_new(0);
    for (int i = 0; i < p->app_count; i++) {
        if (ia_apps[i]->example) {
            ia_apps[i]->example(p->apps[i].data);
        }
    }
    ia_phone_state_json(p, w);
    ia_phone_free(p);
}

enum ia_rc ia_embedded_last_run(const struct ia_embedded_options *opt, size_t setup,
                                int64_t *ret_before, int64_t *ret_after, struct ia_err *err)
{
    struct ia_buf bytes = IA_BUF(IA_OPLOG_BYTES_MAX);
    enum ia_rc rc = ia_oplog_read(opt->folder, opt->name, &bytes, err);
    if (rc == IA_OK && !ia_oplog_last_reset(ia_buf_str(&bytes), setup, ret_before, ret_after)) {
        rc = ia_err_set(err, IA_E_NOT_FOUND, "the phone %s was never reset", opt->name);
    }
    ia_buf_fini(&bytes);
    return rc;
}

enum ia_rc ia_embedded_log_json(const struct ia_embedded_options *opt, struct ia_jsonw *w,
                                struct ia_err *err)
{
    struct ia_buf bytes = IA_BUF(IA_OPLOG_BYTES_MAX);
    struct ia_phone *p = NULL;
    enum ia_rc rc = read_phone(opt, &bytes, &p, err);
    if (rc == IA_OK) {
        ia_oplog_json(ia_oplog_first(ia_buf_str(&bytes), opt->at), w);
    }
    ia_phone_free(p);
    ia_buf_fini(&bytes);
    return rc;
}

/* "label:WHAT=TEXT": as a change is written. */
static const char *change_form(enum ia_change_kind kind)
{
    static const char *const forms[IA_CHANGE_COUNT] = {
#define FORM(name, word, what, text, effect)                                                   \
    [name] = (what) == '-' ? (word) : (text) == '-' ? word ":WHAT" : word ":WHAT=TEXT",
        IA_CHANGE_LIST(FORM)
#undef FORM
    };
    return forms[kind];
}

void ia_embedded_bugs_text(struct ia_buf *out)
{
    ia_buf_puts(out, "planted bugs (off until they are switched on):\n");
    for (int i = 0; i < IA_BUG_COUNT; i++) {
        ia_buf_printf(out, "  %-22s %s\n", ia_bug_word((enum ia_bug)i),
                      ia_bug_what((enum ia_bug)i));
    }
    ia_buf_puts(out, "faults, as FAULT[@N|@N+|%P][:VALUE]:\n");
    for (int i = 0; i < IA_FAULT_COUNT; i++) {
        ia_buf_printf(out, "  %-22s %s\n", ia_fault_word((enum ia_fault_kind)i),
                      ia_fault_what((enum ia_fault_kind)i));
    }
    ia_buf_puts(out, "changes of screens, where WHAT is #IDENTIFIER, .TYPE or a label:\n");
    for (int i = 0; i < IA_CHANGE_COUNT; i++) {
        ia_buf_printf(out, "  %-22s %s\n", change_form((enum ia_change_kind)i),
                      ia_change_effect((enum ia_change_kind)i));
    }
}

static void named_json(struct ia_jsonw *w, const char *name, const char *what)
{
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "name", name);
    ia_jsonw_kv(w, "what", what);
    ia_jsonw_end_object(w);
}

void ia_embedded_bugs_json(struct ia_jsonw *w)
{
    ia_jsonw_object(w);
    ia_jsonw_key(w, "bugs");
    ia_jsonw_array(w);
    for (int i = 0; i < IA_BUG_COUNT; i++) {
        named_json(w, ia_bug_word((enum ia_bug)i), ia_bug_what((enum ia_bug)i));
    }
    ia_jsonw_end_array(w);
    ia_jsonw_key(w, "faults");
    ia_jsonw_array(w);
    for (int i = 0; i < IA_FAULT_COUNT; i++) {
        named_json(w, ia_fault_word((enum ia_fault_kind)i),
                   ia_fault_what((enum ia_fault_kind)i));
    }
    ia_jsonw_end_array(w);
    ia_jsonw_key(w, "changes");
    ia_jsonw_array(w);
    for (int i = 0; i < IA_CHANGE_COUNT; i++) {
        named_json(w, change_form((enum ia_change_kind)i),
                   ia_change_effect((enum ia_change_kind)i));
    }
    ia_jsonw_end_array(w);
    ia_jsonw_end_object(w);
}
