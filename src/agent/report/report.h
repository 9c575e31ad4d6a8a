/* report.h: what a run or a sweep came to, as files for people and for other programs.
 *
 * A report is a view: it reads rows, events and blobs, and nothing else, so it can be made
 * again at any time, also of a run that still runs (it then says so). Steps are read piece by
 * piece: memory does not grow with the length of a run. Text of the model, of screens and of
 * goals is hostile in every format and is written as text only.
 *
 * Sources: the JUnit XML that Jenkins, GitLab and Testmo read, CTRF 0.0.0
 * (ctrf.io), GitHub's workflow commands. */
#ifndef IA_AGENT_REPORT_REPORT_H
#define IA_AGENT_REPORT_REPORT_H

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"

struct ia_store;
struct ia_eval;

enum ia_report_format {
    IA_REPORT_HTML,  /* a folder with index.html, pages and pictures */
    IA_REPORT_JUNIT, /* one XML file */
    IA_REPORT_JSON,  /* one file of our own schema (docs/report.schema.json) */
    IA_REPORT_MD,    /* one Markdown file, for a pull request */
    IA_REPORT_CTRF,  /* one JSON file of the Common Test Report Format */
    IA_REPORT_FORMAT_COUNT
};
/* "html", "junit", "json", "md", "ctrf". */
const char *ia_report_format_name(enum ia_report_format format);
/* The format with that name, or IA_REPORT_FORMAT_COUNT. */
enum ia_report_format ia_report_format_from_name(const char *name);

/* RICH: docs/junit.xsd. STRICT: only what the schemas of Ant and Jenkins both allow. SUREFIRE: by
 * Maven's, which forbids what Ant's requires. */
enum ia_junit_flavor { IA_JUNIT_RICH, IA_JUNIT_STRICT, IA_JUNIT_SUREFIRE };

struct ia_report_opts {
    const char *id; /* of a run or a sweep, or its unique start or end */
    enum ia_report_format format;
    enum ia_junit_flavor junit;
    const char *path;    /* HTML: a folder, or a name that ends in .html (its other files go to
                            NAME_files beside it); else a file. Folders are made. NULL: into
                            ret->text, not for HTML */
    const char *program; /* "ios-agent 0.2.0" */
    const struct ia_clock *clock; /* for "generated at"; NULL: the system's */
};

/* What was written. */
struct ia_report_done {
    char *path;         /* of the file to open; NULL when it went to text */
    struct ia_buf text; /* the report, when opts->path was NULL */
    bool sweep;         /* the id was a sweep's */
    bool unfinished;    /* something of it still runs */
    int goals, passed, flaky, healed, failed, blocked, errors, cancelled, skipped, expected,
        waiting;
    int pictures;         /* files of pictures written */
    int pictures_missing; /* whose blob is gone; the report says so where they were */
    int64_t bytes;        /* of all files */
};
void ia_report_done_fini(struct ia_report_done *d);

/* Makes one report. IA_E_NOT_FOUND for an unknown id, IA_E_IO with the path when something
 * cannot be written. ret is filled only on success. */
enum ia_rc ia_report_write(struct ia_store *store, const struct ia_report_opts *opts,
                           struct ia_report_done *ret, struct ia_err *err);

/* Makes all of them in one folder, as `sweep --report-dir` does: index.html, junit.xml,
 * report.json, report.md, ctrf.json; of an evaluation also eval.html and eval.json. ret (may be NULL) tells of index.html. */
enum ia_rc ia_report_write_all(struct ia_store *store, const char *id, const char *folder,
                               const char *program, struct ia_report_done *ret,
                               struct ia_err *err);

/* Writes the page of two evaluations side by side into the file at that path, whose folder is there. IA_E_IO. */
enum ia_rc ia_report_compared(const struct ia_eval *a, const struct ia_eval *b,
                              const char *path, const char *program, struct ia_err *err);

/* Makes the folder and tries that a file can be written there, so that hours of work do not end
 * in a report that cannot be kept. IA_E_IO. */
enum ia_rc ia_report_check_folder(const char *folder, struct ia_err *err);

/* In a GitHub workflow: appends the Markdown report to the file of $GITHUB_STEP_SUMMARY (NULL
 * or "": none) and appends to ret_lines one "::error file=…,line=…,title=…::…" line for each
 * goal that did not pass, or a "::warning …" for one that was healed, which the caller prints on stdout. */
enum ia_rc ia_report_github(struct ia_store *store, const char *id, const char *summary_path,
                            struct ia_buf *ret_lines, struct ia_err *err);

#endif
