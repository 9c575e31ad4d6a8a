#include "agent/report/report.h"
#include "base/hash.h"
#include "sample.h"
#include "source_dir.h"
#include "store/blob.h"

#include "test.h"
#include "tmpdir.h"

#include <jansson.h>
#include <libxml/parser.h>
#include <libxml/xmlschemas.h>
#include <libxml/xmlschemastypes.h>
#include <sys/resource.h>

/* ---- the world --------------------------------------------------------------------------- */

struct world {
    char *dir, *out;
    struct ia_store *store;
    struct ia_err err;
    char sha[IA_SHA256_HEX_SIZE];
    const char *shas[1];
    char id[IA_ID_SIZE];
};

static int set_up(void **state)
{
    static const char png[] = "\x89PNG\r\n\x1a\nnot a picture, but bytes";
    struct world *w = calloc(1, sizeof(*w));
    w->dir = tmpdir_new();
    w->out = ia_path_join(w->dir, "out");
    char *home = ia_path_join(w->dir, "home");
    const struct ia_store_opts opts = {.home = home};
    assert_int_equal(ia_store_open(&opts, &w->store, &w->err), IA_OK);
    assert_int_equal(ia_blob_put(w->store, png, sizeof(png), w->sha, &w->err), IA_OK);
    w->shas[0] = w->sha;
    free(home);
    *state = w;
    return 0;
}

static int tear_down(void **state)
{
    struct world *w = *state;
    ia_store_close(w->store);
    tmpdir_free(w->dir);
    free(w->out);
    free(w);
    return 0;
}

static struct sample sample_of(struct world *w, int goals, int steps)
{
    return (struct sample){.goals = goals, .steps = steps, .shas = w->shas, .sha_count = 1};
}

/* The report as text. */
static char *text_of(struct world *w, enum ia_report_format format, enum ia_junit_flavor junit)
{
    const struct ia_report_opts opts = {
        .id = w->id, .format = format, .junit = junit, .program = "ios-agent 1.2.3"};
    struct ia_report_done done;
    if (ia_report_write(w->store, &opts, &done, &w->err) != IA_OK) {
        fail_msg("%s", w->err.msg);
    }
    assert_null(done.path);
    char *text = ia_buf_steal(&done.text);
    ia_report_done_fini(&done);
    return text;
}

static struct ia_report_done html_of(struct world *w, const char *path)
{
    const struct ia_report_opts opts = {
        .id = w->id, .path = path, .program = "ios-agent 1.2.3"};
    struct ia_report_done done;
    if (ia_report_write(w->store, &opts, &done, &w->err) != IA_OK) {
        fail_msg("%s", w->err.msg);
    }
    return done;
}

static char *file_of(const char *folder, const char *name)
{
    struct ia_buf b = IA_BUF((size_t)256 << 20);
    char *path = ia_path_join(folder, name);
    struct ia_err err = {0};
    if (ia_file_read(path, &b, &err) != IA_OK) {
        fail_msg("%s", err.msg);
    }
    free(path);
    return ia_buf_steal(&b);
}

static int count_of(const char *text, const char *what)
{
    int n = 0;
    for (const char *p = strstr(text, what); p; p = strstr(p + 1, what)) {
        n++;
    }
    return n;
}

/* ---- JUnit ------------------------------------------------------------------------------- */

static xmlDoc *parse(const char *xml)
{
    xmlDoc *doc = xmlReadMemory(xml, (int)strlen(xml), "junit.xml", NULL, XML_PARSE_NONET);
    assert_non_null(doc);
    return doc;
}

static int children(const xmlNode *node, const char *name)
{
    int n = 0;
    for (const xmlNode *c = node->children; c; c = c->next) {
        n += strcmp((const char *)c->name, name) == 0 ? 1 : 0;
    }
    return n;
}

static int attribute(xmlNode *node, const char *name)
{
    xmlChar *text = xmlGetProp(node, (const xmlChar *)name);
    assert_non_null(text);
    int n = atoi((const char *)text);
    xmlFree(text);
    return n;
}

static xmlNode *element(xmlNode *node, const char *name)
{
    xmlNode *c = node->children;
    while (c && strcmp((const char *)c->name, name) != 0) {
        c = c->next;
    }
    assert_non_null(c);
    return c;
}

static void check_counts(xmlNode *suite, int tests)
{
    int failures = 0, errors = 0, skipped = 0;
    for (xmlNode *c = suite->children; c; c = c->next) {
        if (strcmp((const char *)c->name, "testcase") == 0) {
            failures += children(c, "failure");
            errors += children(c, "error");
            skipped += children(c, "skipped");
        }
    }
    assert_int_equal(children(suite, "testcase"), tests);
    assert_int_equal(attribute(suite, "tests"), tests);
    assert_int_equal(attribute(suite, "failures"), failures);
    assert_int_equal(attribute(suite, "errors"), errors);
    assert_int_equal(attribute(suite, "skipped"), skipped);
    assert_int_equal(failures, 2);
    assert_int_equal(errors, 4);
    assert_int_equal(skipped, 2);
}

static void junit_tells_failures_from_errors_and_its_counts_are_right(void **state)
{
    struct world *w = *state;
    struct sample s = sample_of(w, 12, 3);
    sample_sweep(w->store, &s, w->id);
    for (int flavor = IA_JUNIT_RICH; flavor <= IA_JUNIT_SUREFIRE; flavor++) {
        char *xml = text_of(w, IA_REPORT_JUNIT, (enum ia_junit_flavor)flavor);
        xmlDoc *doc = parse(xml);
        xmlNode *root = xmlDocGetRootElement(doc);
        check_counts(flavor == IA_JUNIT_SUREFIRE ? root : element(root, "testsuite"), 12);
        assert_int_equal(count_of(xml, "step[passed]") > 0, flavor == IA_JUNIT_RICH);
        assert_int_equal(count_of(xml, " line=\"") > 0, flavor == IA_JUNIT_RICH);
        assert_int_equal(count_of(xml, "\"flaky\"") > 0, flavor == IA_JUNIT_RICH);
        xmlFreeDoc(doc);
        free(xml);
    }
}

static int validity(const char *schema_path, xmlDoc *doc)
{
    xmlSchemaParserCtxt *parser = xmlSchemaNewParserCtxt(schema_path);
    xmlSchema *schema = xmlSchemaParse(parser);
    assert_non_null(schema);
    xmlSchemaValidCtxt *valid = xmlSchemaNewValidCtxt(schema);
    int code = xmlSchemaValidateDoc(valid, doc);
    xmlSchemaFreeValidCtxt(valid);
    xmlSchemaFree(schema);
    xmlSchemaFreeParserCtxt(parser);
    return code;
}

static void junit_is_valid_by_the_schema_of_its_flavour(void **state)
{
    static const struct {
        enum ia_junit_flavor flavor;
        const char *schema;
    } rows[] = {{IA_JUNIT_STRICT, IA_TEST_DATA "/report/junit-10.xsd"},
                {IA_JUNIT_SUREFIRE, IA_TEST_DATA "/report/junit-10.xsd"},
                {IA_JUNIT_RICH, IA_SOURCE_DIR "/docs/junit.xsd"}};
    struct world *w = *state;
    struct sample s = sample_of(w, 12, 3);
    sample_sweep(w->store, &s, w->id);
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        char *xml = text_of(w, IA_REPORT_JUNIT, rows[i].flavor);
        xmlDoc *doc = parse(xml);
        assert_int_equal(validity(rows[i].schema, doc), 0);
        xmlFreeDoc(doc);
        free(xml);
    }
}

/* Maven's schema names every attribute and element that there may be. */
static void surefire_junit_has_nothing_that_its_schema_does_not_name(void **state)
{
    static const char *const foreign[] = {
        "<testsuites", " hostname=",    " timestamp=", " package=", " id=\"",
        "<system-err", "<system-out/>", " file=\"",    " line=\""};
    struct world *w = *state;
    struct sample s = sample_of(w, 12, 3);
    sample_sweep(w->store, &s, w->id);
    char *xml = text_of(w, IA_REPORT_JUNIT, IA_JUNIT_SUREFIRE);
    for (size_t i = 0; i < IA_COUNTOF(foreign); i++) {
        assert_null(strstr(xml, foreign[i]));
    }
    free(xml);
}

static void repeats_of_a_goal_have_names_of_their_own(void **state)
{
    struct world *w = *state;
    struct sample s = sample_of(w, 2, 1);
    sample_sweep(w->store, &s, w->id);
    char *xml = text_of(w, IA_REPORT_JUNIT, IA_JUNIT_RICH);
    assert_non_null(strstr(xml, "name=\"twice (1)\""));
    assert_non_null(strstr(xml, "name=\"twice (2)\""));
    free(xml);
}

static void junit_beside_an_html_report_points_at_its_pictures(void **state)
{
    struct world *w = *state;
    struct sample s = sample_of(w, 3, 1);
    sample_sweep(w->store, &s, w->id);
    struct ia_report_done done;
    assert_int_equal(
        ia_report_write_all(w->store, w->id, w->out, "ios-agent 1", &done, &w->err), IA_OK);
    char *xml = file_of(w->out, "junit.xml");
    assert_int_equal(count_of(xml, "[[ATTACHMENT|/"), 3);
    static const char *const names[] = {"index.html", "report.json", "report.md", "ctrf.json"};
    for (size_t i = 0; i < 4; i++) {
        free(file_of(w->out, names[i]));
    }
    assert_int_equal(done.passed, 1);
    assert_int_equal(done.failed, 1);
    assert_int_equal(done.flaky, 1);
    ia_report_done_fini(&done);
    free(xml);
}

/* ---- JSON -------------------------------------------------------------------------------- */

static json_t *json_of(struct world *w, enum ia_report_format format)
{
    char *text = text_of(w, format, IA_JUNIT_RICH);
    json_error_t why;
    json_t *v = json_loads(text, JSON_REJECT_DUPLICATES, &why);
    if (!v) {
        fail_msg("%s at %d:%d", why.text, why.line, why.column);
    }
    free(text);
    return v;
}

static int int_at(const json_t *o, const char *a, const char *b)
{
    return (int)json_integer_value(json_object_get(json_object_get(o, a), b));
}

static void json_tells_of_each_step_of_each_run(void **state)
{
    struct world *w = *state;
    struct sample s = sample_of(w, 12, 3);
    sample_sweep(w->store, &s, w->id);
    json_t *r = json_of(w, IA_REPORT_JSON);
    assert_int_equal(int_at(r, "totals", "goals"), 12);
    assert_int_equal(int_at(r, "totals", "flaky"), 2);
    json_t *goals = json_object_get(r, "goals");
    json_t *flaky = json_array_get(goals, 2);
    assert_true(json_is_true(json_object_get(flaky, "flaky")));
    json_t *runs = json_object_get(flaky, "runs");
    assert_int_equal(json_array_size(runs), 2);
    json_t *steps = json_object_get(json_array_get(runs, 1), "steps");
    assert_int_equal(json_array_size(steps), 3);
    json_t *step = json_array_get(steps, 0);
    assert_string_equal(json_string_value(json_object_get(step, "reason")), "Dark mode is on");
    assert_string_equal(json_string_value(json_object_get(step, "before")), w->sha);
    assert_string_equal(json_string_value(json_object_get(step, "after")), w->sha);
    assert_int_equal(int_at(step, "answer", "tokens_in"), 1000);
    assert_string_equal(json_string_value(json_object_get(json_array_get(steps, 2), "code")),
                        "STALE_REF");
    json_decref(r);
}

static void repeats_have_a_pass_rate_with_its_interval(void **state)
{
    struct world *w = *state;
    struct sample s = sample_of(w, 2, 1);
    sample_sweep(w->store, &s, w->id);
    json_t *r = json_of(w, IA_REPORT_JSON);
    json_t *rate = json_object_get(json_array_get(json_object_get(r, "goals"), 0), "pass_rate");
    assert_int_equal(json_integer_value(json_object_get(rate, "passed")), 1);
    assert_int_equal(json_integer_value(json_object_get(rate, "of")), 2);
    double low = json_real_value(json_object_get(rate, "low"));
    assert_true(low > 0.094 && low < 0.095);
    json_decref(r);
}

static void ctrf_counts_and_names_earlier_attempts(void **state)
{
    struct world *w = *state;
    struct sample s = sample_of(w, 12, 1);
    sample_sweep(w->store, &s, w->id);
    json_t *r = json_of(w, IA_REPORT_CTRF);
    const json_t *results = json_object_get(r, "results");
    assert_int_equal(int_at(results, "summary", "tests"), 12);
    assert_int_equal(int_at(results, "summary", "passed"), 4);
    assert_int_equal(int_at(results, "summary", "failed"), 2);
    assert_int_equal(int_at(results, "summary", "other"), 4);
    assert_int_equal(int_at(results, "summary", "skipped"), 2);
    const json_t *flaky = json_array_get(json_object_get(results, "tests"), 2);
    assert_int_equal(json_array_size(json_object_get(flaky, "retryAttempts")), 1);
    json_decref(r);
}

/* ---- Markdown and GitHub ----------------------------------------------------------------- */

/* Takes the fenced blocks out. */
static void cut_fences(char *md)
{
    for (char *open = strstr(md, "```sh\n"); open; open = strstr(open, "```sh\n")) {
        char *close = strstr(open, "\n```\n");
        assert_non_null(close);
        memmove(open, close + 5, strlen(close + 5) + 1);
    }
}

static void markdown_holds_no_structure_from_outside(void **state)
{
    struct world *w = *state;
    struct sample s = sample_of(w, 12, 1);
    sample_sweep(w->store, &s, w->id);
    char *md = text_of(w, IA_REPORT_MD, IA_JUNIT_RICH);
    cut_fences(md); /* a command stands in one, as it is */
    assert_null(strstr(md, "<script>alert(1)</script> <img"));
    assert_null(strstr(md, " @octocat #12 [a]("));
    assert_int_equal(count_of(md, "\n| "), 13); /* the head and a row for each goal */
    for (const char *row = strstr(md, "\n| "); row; row = strstr(row + 1, "\n| ")) {
        int bars = 0;
        for (const char *p = row + 1; *p != '\n'; p++) {
            bars += *p == '|' ? 1 : 0;
        }
        assert_int_equal(bars, 9);
    }
    free(md);
}

static void markdown_of_many_goals_fits_a_comment(void **state)
{
    struct world *w = *state;
    struct sample s = sample_of(w, 600, 0);
    sample_sweep(w->store, &s, w->id);
    char *md = text_of(w, IA_REPORT_MD, IA_JUNIT_RICH);
    assert_true(strlen(md) < 65536);
    assert_non_null(strstr(md, " more"));
    free(md);
}

static void a_workflow_gets_one_error_line_for_each_goal_that_did_not_pass(void **state)
{
    struct world *w = *state;
    struct sample s = sample_of(w, 12, 1);
    sample_sweep(w->store, &s, w->id);
    struct ia_buf lines = IA_BUF(1 << 20);
    char *summary = tmpdir_file(w->dir, "summary.md", "before\n");
    assert_int_equal(ia_report_github(w->store, w->id, summary, &lines, &w->err), IA_OK);
    assert_int_equal(count_of(ia_buf_cstr(&lines), "\n"), 6);
    assert_int_equal(strncmp(ia_buf_cstr(&lines), "::error file=goals/", 19), 0);
    assert_int_equal(count_of(ia_buf_cstr(&lines), "\n::error file="), 5);
    assert_non_null(strstr(ia_buf_cstr(&lines), "file=goals/shop%2C all.toml,line=43,title="));
    char *text = file_of(w->dir, "summary.md");
    assert_int_equal(strncmp(text, "before\n## ", 10), 0);
    free(text);
    free(summary);
    ia_buf_fini(&lines);
}

/* ---- HTML -------------------------------------------------------------------------------- */

static void html_is_pages_and_pictures_without_anything_from_outside(void **state)
{
    struct world *w = *state;
    struct sample s = sample_of(w, 12, 3);
    sample_sweep(w->store, &s, w->id);
    struct ia_report_done done = html_of(w, w->out);
    assert_int_equal(done.pictures, 1); /* the same bytes are one file */
    assert_int_equal(done.pictures_missing, 0);
    static const char *const pages[] = {"index.html", "goals/001.html", "goals/004.html",
                                        "goals/012.html"};
    for (size_t i = 0; i < 4; i++) {
        char *html = file_of(w->out, pages[i]);
        assert_int_equal(count_of(html, "<script"), 1);
        assert_int_equal(count_of(html, "<img src=x"), 0);
        assert_int_equal(count_of(html, "http://"), count_of(html, "(http://evil.example)"));
        assert_int_equal(count_of(html, "https://"), 0);
        assert_int_equal(count_of(html, "\x1b"), 0);
        assert_null(strstr(html, "\xe2\x80\xae"));
        assert_non_null(strstr(html, "default-src 'none'"));
        free(html);
    }
    ia_report_done_fini(&done);
}

static void evidence_leads_to_its_step_and_the_box_stays_on_the_picture(void **state)
{
    struct world *w = *state;
    struct sample s = sample_of(w, 1, 2);
    sample_sweep(w->store, &s, w->id);
    struct ia_report_done done = html_of(w, w->out);
    char *html = file_of(w->out, "goals/001.html");
    assert_non_null(strstr(html, "href=\"#r1-2\">“"));
    assert_non_null(strstr(html, "id=\"r1-2\""));
    assert_non_null(strstr(html, "href=\"#r1-end\""));
    assert_non_null(strstr(html, "id=\"r1-end\""));
    assert_non_null(strstr(html, "left:76.34%;top:7.04%;width:23.66%;height:5.16%"));
    ia_report_done_fini(&done);
    free(html);
}

static void a_report_can_be_one_named_file_with_a_folder_beside_it(void **state)
{
    struct world *w = *state;
    struct sample s = sample_of(w, 1, 1);
    sample_sweep(w->store, &s, w->id);
    char *path = ia_path_join(w->dir, "my report #1.html");
    struct ia_report_done done = html_of(w, path);
    assert_string_equal(done.path, path);
    char *html = file_of(w->dir, "my report #1.html");
    char *goal = file_of(w->dir, "my report #1_files/goals/001.html");
    assert_non_null(strstr(html, "href=\"my%20report%20%231_files/goals/001.html\""));
    assert_non_null(strstr(html, "src=\"my%20report%20%231_files/pictures/"));
    assert_non_null(strstr(goal, "href=\"../../my%20report%20%231.html\""));
    ia_report_done_fini(&done);
    free(html);
    free(goal);
    free(path);
}

static void a_picture_that_is_gone_is_said_where_it_was(void **state)
{
    struct world *w = *state;
    const char *gone = "00000000000000000000000000000000000000000000000000000000000000ff";
    const char *bad = "../../../../etc/passwd";
    const char *shas[] = {gone, bad};
    struct sample s = {.goals = 1, .steps = 2, .shas = shas, .sha_count = 2};
    sample_sweep(w->store, &s, w->id);
    struct ia_report_done done = html_of(w, w->out);
    assert_int_equal(done.pictures, 0);
    assert_int_equal(done.pictures_missing, 1);
    char *html = file_of(w->out, "goals/001.html");
    assert_non_null(strstr(html, "no longer stored"));
    assert_null(strstr(html, "src=\"../pictures"));
    ia_report_done_fini(&done);
    free(html);
}

static void what_still_runs_says_so_in_every_format(void **state)
{
    struct world *w = *state;
    struct sample s = sample_of(w, 3, 1);
    s.running = true;
    sample_sweep(w->store, &s, w->id);
    struct ia_report_done done = html_of(w, w->out);
    assert_true(done.unfinished);
    ia_report_done_fini(&done);
    char *texts[] = {file_of(w->out, "index.html"), text_of(w, IA_REPORT_MD, IA_JUNIT_RICH),
                     text_of(w, IA_REPORT_JUNIT, IA_JUNIT_RICH)};
    assert_non_null(strstr(texts[0], "Not finished:"));
    assert_non_null(strstr(texts[1], "Not finished:"));
    assert_non_null(strstr(texts[2], "<property name=\"unfinished\" value=\"true\"/>"));
    for (size_t i = 0; i < 3; i++) {
        free(texts[i]);
    }
}

/* ---- bad input --------------------------------------------------------------------------- */

static void what_does_not_exist_or_cannot_be_written_is_refused(void **state)
{
    struct world *w = *state;
    struct sample s = sample_of(w, 1, 1);
    struct ia_report_done done;
    sample_sweep(w->store, &s, w->id);
    struct ia_report_opts opts = {.id = "0123456789", .format = IA_REPORT_MD};
    assert_int_equal(ia_report_write(w->store, &opts, &done, &w->err), IA_E_NOT_FOUND);
    char *file = tmpdir_file(w->dir, "file", "x");
    char *below = ia_path_join(file, "out");
    opts = (struct ia_report_opts){.id = w->id, .path = below};
    assert_int_equal(ia_report_write(w->store, &opts, &done, &w->err), IA_E_IO);
    assert_non_null(strstr(w->err.msg, file));
    assert_int_equal(ia_report_check_folder(below, &w->err), IA_E_IO);
    assert_int_equal(ia_report_check_folder(w->out, &w->err), IA_OK);
    opts.path = NULL;
    assert_int_equal(ia_report_write(w->store, &opts, &done, &w->err), IA_E_USAGE);
    free(below);
    free(file);
}

static long resident_kb(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_maxrss;
}

static void a_run_of_ten_thousand_steps_is_told_in_bounded_memory(void **state)
{
    struct world *w = *state;
    struct sample s = {.steps = 10000};
    sample_run(w->store, &s, w->id);
    long before = resident_kb();
    struct ia_report_done done = html_of(w, w->out);
    long grew = resident_kb() - before;
    char *html = file_of(w->out, "index.html");
    assert_int_equal(count_of(html, "<li class=\"step"), 10000);
    assert_non_null(strstr(html, "--transcript"));
    print_message("10,000 steps: %ld KB more, a page of %zu KB\n", grew, strlen(html) / 1000);
#ifndef __SANITIZE_ADDRESS__ /* it keeps what was freed */
    assert_true(grew < 64 * 1024);
#endif
    ia_report_done_fini(&done);
    free(html);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(junit_tells_failures_from_errors_and_its_counts_are_right),
        TEST(junit_is_valid_by_the_schema_of_its_flavour),
        TEST(surefire_junit_has_nothing_that_its_schema_does_not_name),
        TEST(repeats_of_a_goal_have_names_of_their_own),
        TEST(junit_beside_an_html_report_points_at_its_pictures),
        TEST(json_tells_of_each_step_of_each_run),
        TEST(repeats_have_a_pass_rate_with_its_interval),
        TEST(ctrf_counts_and_names_earlier_attempts),
        TEST(markdown_holds_no_structure_from_outside),
        TEST(markdown_of_many_goals_fits_a_comment),
        TEST(a_workflow_gets_one_error_line_for_each_goal_that_did_not_pass),
        TEST(html_is_pages_and_pictures_without_anything_from_outside),
        TEST(evidence_leads_to_its_step_and_the_box_stays_on_the_picture),
        TEST(a_report_can_be_one_named_file_with_a_folder_beside_it),
        TEST(a_picture_that_is_gone_is_said_where_it_was),
        TEST(what_still_runs_says_so_in_every_format),
        TEST(what_does_not_exist_or_cannot_be_written_is_refused),
        TEST(a_run_of_ten_thousand_steps_is_told_in_bounded_memory),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    xmlSchemaCleanupTypes();
    xmlCleanupParser();
    return failed;
}
