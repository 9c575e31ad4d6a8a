/* junit.c: JUnit XML.
 *
 * One testcase a goal with its final verdict. <failure>: the app did not do what was asked.
 * <error>: nobody can tell, because the environment, the budget, the model or a person was in
 * the way. <skipped>: it was not tried, or is not done yet.
 *
 * strict has only what the XSDs of Ant (windyroad JUnit.xsd) and of Jenkins (junit-10.xsd)
 * both allow. surefire has only what Maven's (surefire-test-report.xsd) allows: one suite as the
 * root, without the time, host and output that Ant's requires. rich (docs/junit.xsd) adds file and
 * line, properties of testcases, attachments in the form that Jenkins, GitLab and Azure read, and
 * Testmo's properties for steps.
 *
 * The file is written while it is made: steps are read run by run and flushed, so that a
 * large sweep does not have to fit into memory. Counts come first in the format and are
 * therefore made in a pass of their own. */
#include "agent/report/model.h"

#include "agent/report/escape.h"
#include "agent/report/out.h"
#include "store/questions.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DETAIL_MAX = 16 << 10, HOST_MAX = 256 };

struct junit {
    const struct ia_rep *r;
    struct ia_out *out;
    struct ia_buf *b;
    bool strict; /* anything but rich */
    bool surefire;
    struct ia_buf folder; /* absolute, where attachments are; empty: none */
};

/* ---- pieces ------------------------------------------------------------------------------ */

static void attr(struct ia_buf *b, const char *name, const char *value)
{
    ia_buf_printf(b, " %s=\"", name);
    ia_esc_markup(b, ia_str(value));
    ia_buf_putc(b, '"');
}

static void attr_int(struct ia_buf *b, const char *name, int64_t n)
{
    ia_buf_printf(b, " %s=\"%lld\"", name, (long long)n);
}

/* Plain seconds with a point, whatever the locale. */
static void attr_seconds(struct ia_buf *b, const char *name, int64_t ms)
{
    ia_buf_printf(b, " %s=\"%lld.%03d\"", name, (long long)(ms / 1000), (int)(ms % 1000));
}

static void property(struct ia_buf *b, const char *name, const char *value)
{
    if (value && value[0] != '\0') {
        ia_buf_puts(b, "<property");
        attr(b, "name", name);
        attr(b, "value", value);
        ia_buf_puts(b, "/>\n");
    }
}

static void property_int(struct ia_buf *b, const char *name, int64_t n)
{
    char text[24];
    (void)snprintf(text, sizeof(text), "%lld", (long long)n);
    property(b, name, text);
}

static void property_real(struct ia_buf *b, const char *name, double v)
{
    char text[32];
    (void)snprintf(text, sizeof(text), "%.6g", v);
    property(b, name, text);
}

/* ---- the verdict ------------------------------------------------------------------------- */

/* "failure", "error", "skipped", or NULL for a pass. */
static const char *element_of(const struct ia_rep_goal *g)
{
    if (ia_rep_state_good(g->state) && !ia_rep_refused(g)) {
        return NULL;
    }
    if (g->state == IA_REP_FAILED || g->state == IA_REP_HEALED) {
        return "failure";
    }
    bool skipped = g->state == IA_REP_SKIPPED || g->state == IA_REP_EXPECTED;
    return skipped || ia_rep_state_open(g->state) ? "skipped" : "error";
}

/* The code of the last run, or the state's name; so also where the run passed and that is wrong. */
static const char *type_of(const struct ia_rep_goal *g)
{
    const struct ia_rep_run *last = ia_rep_last(g);
    const char *code = last ? last->row->code : NULL;
    bool known = code && code[0] != '\0' && strcmp(code, ia_rc_name(IA_OK)) != 0;
    return known ? code : ia_rep_state_name(g->state);
}

static void put_line(struct ia_buf *b, const char *head, const char *text)
{
    if (text && text[0] != '\0') {
        struct ia_buf cut = IA_BUF(DETAIL_MAX + 8);
        /* Texts of models and screens may be long; the report's readers have limits. */
        ia_cut(&cut, ia_str(text), DETAIL_MAX);
        ia_buf_puts(b, head);
        ia_esc_markup_text(b, ia_buf_str(&cut));
        ia_buf_putc(b, '\n');
        ia_buf_fini(&cut);
    }
}

static void put_replay(struct ia_buf *b, const struct ia_rep_run *run)
{
    struct ia_buf words = IA_BUF(DETAIL_MAX);
    ia_rep_replay(run, &words);
    put_line(b, "replay: ", ia_buf_cstr(&words));
    ia_buf_fini(&words);
}

static void put_detail(struct ia_buf *b, const struct ia_rep *r, const struct ia_rep_goal *g)
{
    const struct ia_rep_run *last = ia_rep_last(g);
    put_line(b, "", g->reason);
    if (!last) {
        return;
    }
    size_t i = 0;
    const json_t *e = NULL;
    struct ia_buf command = IA_BUF((size_t)1 << 20);
    put_line(b, "summary: ", last->row->summary);
    put_line(b, "why: ", last->message);
    put_line(b, "basis: ", ia_rep_basis(last));
    put_replay(b, last);
    put_line(b, "hint: ", last->hint);
    json_array_foreach(last->expect, i, e)
    {
        const struct ia_event_expects *checked = ia_rep_checked(last, json_string_value(e));
        struct ia_buf head = IA_BUF(64);
        ia_buf_printf(&head, "expected (%s): ", ia_rep_checked_words(checked));
        put_line(b, ia_buf_cstr(&head), json_string_value(e));
        put_line(b, "  found: ", checked ? ia_event_text(checked->found) : "");
        ia_buf_fini(&head);
    }
    put_line(b, "run: ", last->row->id);
    ia_rep_command(r, g, last, &command);
    put_line(b, "again: ", ia_buf_cstr(&command));
    ia_buf_fini(&command);
}

static void put_verdict(struct junit *j, const struct ia_rep_goal *g)
{
    const char *element = element_of(g);
    if (!element) {
        return;
    }
    bool skipped = strcmp(element, "skipped") == 0;
    const char *story = ia_rep_goal_story(g);
    ia_buf_printf(j->b, "<%s", element);
    /* In the strict form <skipped> has no attributes. */
    if (!skipped || !j->strict) {
        attr(j->b, "message", story[0] != '\0' ? story : ia_rep_state_name(g->state));
    }
    if (!skipped) {
        attr(j->b, "type", type_of(g));
        ia_buf_putc(j->b, '>');
        put_detail(j->b, j->r, g);
        ia_buf_printf(j->b, "</%s>\n", element);
    } else {
        ia_buf_puts(j->b, "/>\n");
    }
}

/* ---- what only rich has ------------------------------------------------------------------ */

struct stepping {
    struct junit *j;
    int last;
};

static bool put_step(void *ctx, const struct ia_rep_step *s)
{
    struct stepping *st = ctx;
    struct ia_buf *b = st->j->b, text = IA_BUF(2048);
    ia_buf_printf(&text, "%d %s", s->step, s->tool);
    ia_buf_puts(&text, s->element[0] != '\0' ? " " : "");
    ia_cut(&text, ia_str(s->element), 160);
    if (s->done && !s->ok) {
        ia_buf_printf(&text, ": %s", s->code);
    }
    property(b, s->done && s->ok ? "step[passed]" : "step[failure]", ia_buf_cstr(&text));
    ia_buf_fini(&text);
    ia_out_flush(st->j->out);
    return true;
}

static bool put_question(void *ctx, const struct ia_question_row *q)
{
    struct ia_buf text = IA_BUF(DETAIL_MAX);
    ia_buf_printf(&text, "%s: %s (", q->rule, q->text);
    ia_rep_answer(q, &text);
    ia_buf_putc(&text, ')');
    property(ctx, "question", ia_buf_cstr(&text));
    ia_buf_fini(&text);
    return true;
}

static bool put_suspect(void *ctx, int step, struct ia_str found)
{
    struct ia_buf text = IA_BUF(DETAIL_MAX);
    ia_buf_printf(&text, "step %d: ", step);
    ia_buf_putstr(&text, found);
    property(ctx, "suspicious", ia_buf_cstr(&text));
    ia_buf_fini(&text);
    return true;
}

static enum ia_rc put_policy(struct junit *j, const char *run_id, struct ia_err *err)
{
    enum ia_rc rc = ia_store_questions(j->r->store, true, run_id, put_question, j->b, err);
    return rc == IA_OK ? ia_rep_suspicious(j->r->store, run_id, put_suspect, j->b, err) : rc;
}

struct nesting {
    struct ia_buf *b;
    int number[IA_DELEGATE_DEPTH_MAX];
};

/* A property, as a subtask is no test of its own: "1.2 failed, hand on embedded:bob: …". */
static bool put_subtask(void *ctx, const struct ia_tree_item *item)
{
    struct nesting *n = ctx;
    struct ia_buf text = IA_BUF(DETAIL_MAX);
    n->number[item->depth] = item->number;
    for (int i = 0; i <= item->depth; i++) {
        ia_buf_printf(&text, "%s%d", i > 0 ? "." : "", n->number[i]);
    }
    ia_buf_putc(&text, ' ');
    ia_rep_subtask(item, &text);
    property(n->b, "subtask", ia_buf_cstr(&text));
    ia_buf_fini(&text);
    return true;
}

static void put_about_run(struct ia_buf *b, const struct ia_rep_run *run)
{
    const struct ia_run_row *row = run->row;
    property(b, "run", row->id);
    property(b, "goal", row->goal);
    property(b, "app", row->app);
    property(b, "device", run->device_name);
    property(b, "model", ia_run_model(row));
    property(b, "basis", row->basis);
    property(b, "outcome", row->outcome);
    property(b, "recording", row->recording);
    property_int(b, "steps", row->steps);
    property_int(b, "tokens",
                 row->usage.input + row->usage.cache_read + row->usage.cache_write +
                     row->usage.output);
    property(b, "demo", row->demo ? "true" : NULL);
    property(b, "simulated", run->simulated ? "true" : NULL);
    for (size_t i = 0; i < run->evidence_count; i++) {
        property(b, "evidence", run->evidence[i].quote);
    }
}

static enum ia_rc put_properties(struct junit *j, const struct ia_rep_goal *g,
                                 struct ia_err *err)
{
    const struct ia_rep_run *last = ia_rep_last(g);
    bool known;
    double usd = ia_rep_goal_cost(g, &known);
    enum ia_rc rc = IA_OK;
    ia_buf_puts(j->b, "<properties>\n");
    property(j->b, "state", ia_rep_state_name(g->state));
    property(j->b, "flaky", g->state == IA_REP_FLAKY ? "true" : NULL);
    property_int(j->b, "tries", (int64_t)g->run_count);
    if (g->repeats > 1) {
        property_int(j->b, "repeat", g->repeat);
        property_int(j->b, "repeats_passed", g->repeats_passed);
        property_int(j->b, "repeats_done", g->repeats_done);
    }
    if (known) {
        property_real(j->b, "cost_usd", usd);
    }
    if (last) {
        struct stepping st = {j, 0};
        put_about_run(j->b, last);
        struct nesting below = {.b = j->b};
        rc = put_policy(j, last->row->id, err);
        rc = rc == IA_OK ? ia_store_tree(j->r->store, last->row->id, put_subtask, &below, err)
                         : rc;
        if (rc == IA_OK) {
            rc = ia_rep_steps(j->r->store, last->row->id, put_step, &st, err);
        }
    }
    ia_buf_puts(j->b, "</properties>\n");
    return rc;
}

/* The last screen, beside the XML where an HTML report of the same folder has put it. */
static void put_attachment(struct junit *j, const struct ia_rep_run *last)
{
    const char *sha = last ? last->row->screenshot : NULL;
    if (!sha || j->folder.len == 0) {
        return;
    }
    struct ia_buf path = IA_BUF(1 << 16);
    ia_buf_printf(&path, "%s/pictures/%.16s.png", ia_buf_cstr(&j->folder), sha);
    /* Only what is there: this report writes no pictures itself. */
    if (access(ia_buf_cstr(&path), R_OK) == 0) {
        ia_buf_puts(j->b, "<system-out>[[ATTACHMENT|");
        ia_esc_markup_text(j->b, ia_buf_str(&path));
        ia_buf_puts(j->b, "]]</system-out>\n");
    }
    ia_buf_fini(&path);
}

/* ---- cases and suites -------------------------------------------------------------------- */

/* GitLab drops what has the same classname and name, so repeats are told apart by name. */
static void attr_name(struct ia_buf *b, const struct ia_rep_goal *g)
{
    struct ia_buf name = IA_BUF((size_t)1 << 16);
    ia_cut(&name, ia_str(g->name), 1000);
    if (g->repeats > 1) {
        ia_buf_printf(&name, " (%d)", g->repeat > 0 ? g->repeat : g->no);
    }
    attr(b, "name", ia_buf_cstr(&name));
    ia_buf_fini(&name);
}

static enum ia_rc put_case(struct junit *j, const struct ia_rep_goal *g, struct ia_err *err)
{
    enum ia_rc rc = IA_OK;
    ia_buf_puts(j->b, "<testcase");
    attr_name(j->b, g);
    attr(j->b, "classname", g->file && g->file[0] ? g->file : "ios-agent");
    attr_seconds(j->b, "time", ia_rep_goal_ms(g));
    if (!j->strict && g->file) {
        attr(j->b, "file", g->file);
        attr_int(j->b, "line", g->line);
    }
    ia_buf_puts(j->b, ">\n");
    if (!j->strict) {
        rc = put_properties(j, g, err);
    }
    put_verdict(j, g);
    if (!j->strict) {
        put_attachment(j, ia_rep_last(g));
    }
    ia_buf_puts(j->b, "</testcase>\n");
    ia_out_flush(j->out);
    return rc;
}

struct counts {
    int tests, failures, errors, skipped;
    int64_t ms;
};

static struct counts count(const struct ia_rep *r)
{
    struct counts c = {0};
    for (size_t i = 0; i < r->goal_count; i++) {
        const char *element = element_of(&r->goals[i]);
        c.tests++;
        c.ms += ia_rep_goal_ms(&r->goals[i]);
        if (element) {
            c.failures += strcmp(element, "failure") == 0 ? 1 : 0;
            c.errors += strcmp(element, "error") == 0 ? 1 : 0;
            c.skipped += strcmp(element, "skipped") == 0 ? 1 : 0;
        }
    }
    return c;
}

static void put_counts(struct ia_buf *b, const struct counts *c)
{
    attr_int(b, "tests", c->tests);
    attr_int(b, "failures", c->failures);
    attr_int(b, "errors", c->errors);
    attr_int(b, "skipped", c->skipped);
    attr_seconds(b, "time", c->ms);
}

/* Without a zone, in UTC, as the schemas want it. */
static void attr_timestamp(struct ia_buf *b, const struct ia_rep *r)
{
    char iso[IA_ISO_SIZE];
    ia_iso_format(r->started_ms > 0 ? r->started_ms : r->now_ms, iso);
    iso[19] = '\0';
    attr(b, "timestamp", iso);
}

static void put_suite_head(struct junit *j, const struct counts *c)
{
    char host[HOST_MAX] = "";
    if (gethostname(host, sizeof(host) - 1) != 0 || host[0] == '\0') {
        (void)snprintf(host, sizeof(host), "localhost");
    }
    ia_buf_puts(j->b, "<testsuite");
    attr(j->b, "name", j->r->title[0] != '\0' ? j->r->title : "ios-agent");
    if (!j->surefire) {
        if (j->strict) {
            attr(j->b, "package", "ios-agent");
        }
        attr(j->b, "id", j->strict ? "0" : j->r->id);
        attr_timestamp(j->b, j->r);
        attr(j->b, "hostname", host);
    }
    put_counts(j->b, c);
    ia_buf_puts(j->b, ">\n<properties>\n");
    property(j->b, "id", j->r->id);
    property(j->b, "program", j->r->program);
    property(j->b, "state", j->r->state);
    property(j->b, "unfinished", ia_rep_unfinished(j->r) ? "true" : NULL);
    property(j->b, "demo", j->r->totals.demo ? "true" : NULL);
    property(j->b, "simulated", j->r->totals.simulated ? "true" : NULL);
    ia_buf_puts(j->b, "</properties>\n");
}

/* The absolute folder of the file, for attachments. */
static void find_folder(const char *path, struct ia_buf *ret)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    char *folder = slash ? ia_strndup(path, (size_t)(slash - path)) : ia_strdup(".");
    char *real = path ? realpath(folder[0] ? folder : "/", NULL) : NULL;
    ia_buf_puts(ret, real);
    free(real);
    free(folder);
}

enum ia_rc ia_rep_junit(const struct ia_rep *r, enum ia_junit_flavor flavor, const char *path,
                        struct ia_out *out, struct ia_err *err)
{
    bool strict = flavor != IA_JUNIT_RICH, surefire = flavor == IA_JUNIT_SUREFIRE;
    struct junit j = {r, out, &out->buf, strict, surefire, IA_BUF(1 << 16)};
    struct counts c = count(r);
    enum ia_rc rc = IA_OK;
    find_folder(path, &j.folder);
    ia_buf_puts(j.b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    ia_buf_puts(j.b, surefire ? "" : "<testsuites");
    if (!strict) {
        attr(j.b, "name", "ios-agent");
        put_counts(j.b, &c);
        attr_timestamp(j.b, r);
    }
    ia_buf_puts(j.b, surefire ? "" : ">\n");
    put_suite_head(&j, &c);
    for (size_t i = 0; rc == IA_OK && i < r->goal_count; i++) {
        rc = put_case(&j, &r->goals[i], err);
    }
    ia_buf_puts(j.b, strict && !surefire ? "<system-out/>\n<system-err/>\n" : "");
    ia_buf_puts(j.b, "</testsuite>\n");
    ia_buf_puts(j.b, surefire ? "" : "</testsuites>\n");
    ia_buf_fini(&j.folder);
    return rc;
}
