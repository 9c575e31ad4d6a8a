/* report ID: what a run or a sweep came to, as files. */
#include "agent/report/report.h"
#include "app/setup.h"
#include "base/clean.h"
#include "cli/cmd/cmd.h"

#include <string.h>

/* The destination without --out: stdout for text formats, a folder here for HTML. */
static const char *out_path(const struct ia_cli *c, enum ia_report_format format)
{
    const char *out = ia_args_text(&c->args, "out");
    if (out && strcmp(out, "-") == 0) {
        return NULL;
    }
    return out ? out : format == IA_REPORT_HTML ? "ios-agent-report" : NULL;
}

static void put_size(struct ia_buf *out, int64_t bytes)
{
    if (bytes < 10000) {
        ia_buf_printf(out, "%lld bytes", (long long)bytes);
    } else if (bytes < 10000000) {
        ia_buf_printf(out, "%.0f KB", (double)bytes / 1e3);
    } else {
        ia_buf_printf(out, "%.1f MB", (double)bytes / 1e6);
    }
}

/* What was written, for people. */
static void put_done(struct ia_cli *c, const struct ia_report_done *d)
{
    ia_buf_puts(&c->text, "report  ");
    ia_clean(&c->text, ia_str(d->path), IA_CLEAN_LINE);
    ia_buf_puts(&c->text, "\nsize    ");
    put_size(&c->text, d->bytes);
    if (d->pictures > 0) {
        ia_buf_printf(&c->text, " with %d picture%s", d->pictures, d->pictures == 1 ? "" : "s");
    }
    ia_buf_putc(&c->text, '\n');
    if (d->pictures_missing > 0) {
        ia_buf_printf(&c->text,
                      "note    %d picture%s no longer in the store; the report says "
                      "where\n",
                      d->pictures_missing, d->pictures_missing == 1 ? " is" : "s are");
    }
    if (d->unfinished) {
        ia_buf_puts(&c->text, "note    not finished yet: these are the results so far\n");
    }
}

static void put_json(struct ia_cli *c, enum ia_report_format format,
                     const struct ia_report_done *d)
{
    struct ia_jsonw *w = &c->w;
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "format", ia_report_format_name(format));
    ia_jsonw_kv(w, "path", d->path);
    ia_jsonw_kv(w, "kind", d->sweep ? "sweep" : "run");
    ia_jsonw_kv_bool(w, "unfinished", d->unfinished);
    ia_jsonw_kv_int(w, "goals", d->goals);
    ia_jsonw_kv_int(w, "passed", d->passed);
    ia_jsonw_kv_int(w, "flaky", d->flaky);
    ia_jsonw_kv_int(w, "healed", d->healed);
    ia_jsonw_kv_int(w, "failed", d->failed);
    ia_jsonw_kv_int(w, "blocked", d->blocked);
    ia_jsonw_kv_int(w, "errors", d->errors);
    ia_jsonw_kv_int(w, "cancelled", d->cancelled);
    ia_jsonw_kv_int(w, "skipped", d->skipped);
    ia_jsonw_kv_int(w, "expected", d->expected);
    ia_jsonw_kv_int(w, "waiting", d->waiting);
    ia_jsonw_kv_int(w, "pictures", d->pictures);
    ia_jsonw_kv_int(w, "pictures_missing", d->pictures_missing);
    ia_jsonw_kv_int(w, "bytes", d->bytes);
    ia_jsonw_end_object(w);
}

/* Prints the report. Raw JSON may hold control characters for the terminal, so they are escaped. */
static void put_text(struct ia_cli *c, enum ia_report_format format, struct ia_str text)
{
    c->verbatim = true;
    if (format == IA_REPORT_JSON || format == IA_REPORT_CTRF) {
        ia_clean_json(&c->text, text);
    } else {
        ia_buf_putstr(&c->text, text);
    }
}

static enum ia_rc check(const struct ia_cli *c, enum ia_report_format format,
                        struct ia_err *err)
{
    const char *out = ia_args_text(&c->args, "out");
    if (ia_args_has(&c->args, "junit-flavor") && format != IA_REPORT_JUNIT) {
        return ia_err_set(err, IA_E_USAGE, "--junit-flavor is for --format junit");
    }
    if (out && out[0] == '\0') {
        return ia_err_set(err, IA_E_USAGE, "--out is empty");
    }
    return IA_OK;
}

enum ia_rc ia_cmd_report(struct ia_cli *c, struct ia_err *err)
{
    const char *name = ia_args_text(&c->args, "format");
    const char *flavor = ia_args_text(&c->args, "junit-flavor");
    enum ia_report_format format = ia_report_format_from_name(name ? name : "html");
    struct ia_report_opts opts = {
        .id = ia_args_operand(&c->args, 0),
        .format = format,
        .junit = !flavor                           ? IA_JUNIT_RICH
                 : strcmp(flavor, "strict") == 0   ? IA_JUNIT_STRICT
                 : strcmp(flavor, "surefire") == 0 ? IA_JUNIT_SUREFIRE
                                                   : IA_JUNIT_RICH,
        .path = out_path(c, format),
        .program = "ios-agent " IA_VERSION,
    };
    struct ia_report_done done = {0};
    struct ia_setup setup = {0};
    enum ia_rc rc = check(c, format, err);
    if (rc == IA_OK) {
        rc = ia_setup_store(&setup, "ios-agent report", err);
    }
    if (rc == IA_OK) {
        rc = ia_report_write(setup.store, &opts, &done, err);
    }
    if (rc == IA_OK) {
        if (done.path) {
            put_done(c, &done);
        } else {
            put_text(c, format, ia_buf_str(&done.text));
        }
        put_json(c, format, &done);
    }
    ia_report_done_fini(&done);
    ia_setup_close(&setup);
    return rc;
}
