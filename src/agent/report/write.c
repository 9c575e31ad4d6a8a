/* write.c: one report, or all of them.
 *
 * All formats of one folder are made from one reading of the store, so they agree with each
 * other even while the run goes on. The events of the steps are read again by each format. */
#include "agent/report/model.h"

#include "agent/report/out.h"
#include "base/fd.h"
#include "base/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const format_names[IA_REPORT_FORMAT_COUNT] = {"html", "junit", "json", "md",
                                                                 "ctrf"};

const char *ia_report_format_name(enum ia_report_format format)
{
    return format_names[format];
}

enum ia_report_format ia_report_format_from_name(const char *name)
{
    int i = 0;
    while (i < IA_REPORT_FORMAT_COUNT && (!name || strcmp(name, format_names[i]) != 0)) {
        i++;
    }
    return (enum ia_report_format)i;
}

void ia_report_done_fini(struct ia_report_done *d)
{
    free(d->path);
    ia_buf_fini(&d->text);
    *d = (struct ia_report_done){0};
}

/* ---- one --------------------------------------------------------------------------------- */

/* Makes the folders that lead to the file. */
static enum ia_rc make_parent(const char *path, struct ia_err *err)
{
    const char *slash = strrchr(path, '/');
    if (!slash || slash == path) {
        return IA_OK;
    }
    char *folder = ia_strndup(path, (size_t)(slash - path));
    enum ia_rc rc = ia_mkdirs(folder, err);
    free(folder);
    return rc;
}

static enum ia_rc put(const struct ia_rep *r, const struct ia_report_opts *opts,
                      struct ia_out *out, struct ia_err *err)
{
    switch (opts->format) {
    case IA_REPORT_JUNIT:
        return ia_rep_junit(r, opts->junit, opts->path, out, err);
    case IA_REPORT_JSON:
        return ia_rep_json(r, out, err);
    case IA_REPORT_MD:
        return ia_rep_md(r, out, err);
    case IA_REPORT_CTRF:
        return ia_rep_ctrf(r, out, err);
    default:
        return ia_err_set(err, IA_E_USAGE, "that format is not one file");
    }
}

static enum ia_rc write_one(const struct ia_rep *r, const struct ia_report_opts *opts,
                            struct ia_report_done *ret, struct ia_err *err)
{
    struct ia_out out;
    enum ia_rc rc = IA_OK;
    if (opts->path) {
        rc = make_parent(opts->path, err);
        if (rc == IA_OK) {
            rc = ia_out_file(&out, opts->path, err);
        }
    } else {
        ia_out_text(&out);
    }
    if (rc != IA_OK) {
        return rc;
    }
    /* Also after a failure: it decides what becomes of the file that was begun. */
    rc = ia_out_end(&out, put(r, opts, &out, err), opts->path ? NULL : &ret->text, err);
    if (rc == IA_OK) {
        ret->path = opts->path ? ia_strdup(opts->path) : NULL;
        ret->bytes += out.bytes;
    }
    return rc;
}

static void fill_done(const struct ia_rep *r, struct ia_report_done *d)
{
    const int *n = r->totals.count;
    d->sweep = r->sweep;
    d->unfinished = ia_rep_unfinished(r);
    d->goals = (int)r->goal_count;
    d->passed = n[IA_REP_PASSED];
    d->flaky = n[IA_REP_FLAKY];
    d->healed = n[IA_REP_HEALED];
    d->failed = n[IA_REP_FAILED];
    d->blocked = n[IA_REP_BLOCKED];
    d->errors = n[IA_REP_ERROR];
    d->cancelled = n[IA_REP_CANCELLED];
    d->skipped = n[IA_REP_SKIPPED];
    d->expected = n[IA_REP_EXPECTED];
    d->waiting = n[IA_REP_WAITING] + n[IA_REP_RUNNING];
}

static enum ia_rc write_report(const struct ia_rep *r, const struct ia_report_opts *opts,
                               struct ia_report_done *ret, struct ia_err *err)
{
    *ret = (struct ia_report_done){0};
    enum ia_rc rc = IA_OK;
    if (opts->format != IA_REPORT_HTML) {
        rc = write_one(r, opts, ret, err);
    } else if (!opts->path) {
        rc = ia_err_set(err, IA_E_USAGE,
                        "an HTML report needs a folder, because it has pictures");
        ia_err_hint(err, "add --out FOLDER");
    } else {
        rc = ia_rep_html(r, opts->path, ret, err);
    }
    if (rc == IA_OK) {
        fill_done(r, ret);
    } else {
        ia_report_done_fini(ret);
    }
    return rc;
}

enum ia_rc ia_report_write(struct ia_store *store, const struct ia_report_opts *opts,
                           struct ia_report_done *ret, struct ia_err *err)
{
    struct ia_rep r;
    enum ia_rc rc = ia_rep_read(store, opts, &r, err);
    if (rc == IA_OK) {
        rc = write_report(&r, opts, ret, err);
        ia_rep_fini(&r);
    }
    return rc;
}

/* ---- all --------------------------------------------------------------------------------- */

enum ia_rc ia_report_check_folder(const char *folder, struct ia_err *err)
{
    enum ia_rc rc = ia_mkdirs(folder, err);
    if (rc != IA_OK) {
        return rc;
    }
    char *path = ia_path_join(folder, ".ios-agent-check");
    /* Tried before a long sweep begins, rather than found out at its end. */
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0) {
        rc = ia_err_set(err, IA_E_IO, "cannot write to the report folder %s: %s", folder,
                        strerror(errno));
        ia_err_hint(err, "choose a writable folder");
    } else {
        (void)close(fd);
        (void)unlink(path);
    }
    free(path);
    return rc;
}

/* What `eval show --json` says. */
static enum ia_rc write_eval(const struct ia_rep *r, const char *folder, struct ia_err *err)
{
    struct ia_out out;
    struct ia_jsonw w;
    char *path = ia_path_join(folder, "eval.json");
    enum ia_rc rc = ia_out_file(&out, path, err);
    if (rc == IA_OK) {
        ia_jsonw_init(&w, &out.buf);
        ia_eval_put(r->eval, &w);
        ia_buf_putc(&out.buf, '\n');
        rc = ia_out_end(&out, IA_OK, NULL, err);
    }
    free(path);
    return rc;
}

/* The HTML comes first, as the JUnit file points at its pictures. */
enum ia_rc ia_report_write_all(struct ia_store *store, const char *id, const char *folder,
                               const char *program, struct ia_report_done *ret,
                               struct ia_err *err)
{
    static const struct {
        enum ia_report_format format;
        const char *name;
    } rows[] = {
        {IA_REPORT_JUNIT, "junit.xml"},
        {IA_REPORT_JSON, "report.json"},
        {IA_REPORT_MD, "report.md"},
        {IA_REPORT_CTRF, "ctrf.json"},
    };
    struct ia_report_opts opts = {.id = id, .path = folder, .program = program};
    struct ia_report_done html, other;
    struct ia_rep r;
    enum ia_rc rc = ia_rep_read(store, &opts, &r, err);
    if (rc != IA_OK) {
        return rc;
    }
    rc = write_report(&r, &opts, &html, err);
    bool made = rc == IA_OK;
    for (size_t i = 0; rc == IA_OK && i < IA_COUNTOF(rows); i++) {
        char *path = ia_path_join(folder, rows[i].name);
        opts.format = rows[i].format;
        opts.path = path;
        rc = write_report(&r, &opts, &other, err);
        if (rc == IA_OK) {
            html.bytes += other.bytes;
            ia_report_done_fini(&other);
        }
        free(path);
    }
    if (rc == IA_OK && r.eval) {
        rc = write_eval(&r, folder, err);
    }
    if (rc == IA_OK && ret) {
        *ret = html;
    } else if (made) {
        ia_report_done_fini(&html);
    }
    ia_rep_fini(&r);
    return rc;
}
