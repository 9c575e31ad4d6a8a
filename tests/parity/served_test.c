/* served_test.c: the same scripts on the phone itself, on the phone behind the wire, and on the phone behind
 * WebDriverAgent's protocol. Every answer is compared, and so are the logs, from which the phones can
 * be rebuilt. A difference that is not listed in served.differences or wda.differences fails the test,
 * and so does a listed one that no longer exists. */
#include "script.h"
#include "source_dir.h"

#include "../unit/driver/embedded/serve/served.h"
#include "../unit/tmpdir.h"

#include "driver/bridge/bridge.h"
#include "driver/embedded/embedded.h"
#include "driver/wda/wda.h"
#include "server/wda/wda_server.h"

static const struct {
    const char *script, *query;
    bool wire; /* for the wire only: its faults are the wire's, or it needs two fingers */
} cases[] = {
    {"walk", NULL, false},
    {"refusals", NULL, false},
    {"trouble", "faults=popup@2,silent-typing@5,late-shift@8,crash@12", false},
    {"lost", "faults=unanswered@2,lost@4:3", true},
    {"long", NULL, false},
    {"sketch", NULL, true},
    {"board", NULL, false},
    {"catalog", NULL, false},
    {"turned", NULL, false},
    {"native", NULL, true},
    {"native_lost", "faults=unanswered@3", true},
};

/* The wire has one text where an error here has a message and a hint: it must contain both. */
static enum same how(const char *key)
{
    return strcmp(key, "message") == 0 ? SAME_CONTAINED : SAME_TEXT;
}

struct world {
    char *folder;
    const char *name;
};

typedef enum ia_rc oracle_fn(const struct ia_embedded_options *, struct ia_jsonw *,
                             struct ia_err *);

static char *ask(oracle_fn *oracle, const struct world *w)
{
    struct ia_embedded_options opt = {.folder = w->folder, .name = w->name};
    struct ia_buf json = IA_BUF((size_t)16 << 20);
    struct ia_jsonw out;
    struct ia_err err = {0};
    ia_jsonw_init(&out, &json);
    if (oracle(&opt, &out, &err) != IA_OK) {
        fail_msg("%s", err.msg);
    }
    return ia_buf_steal(&json);
}

/* The log determines the phone: after each line the two must be equal. */
static void report_phone(void *ctx, struct facts *f)
{
    char *json = ask(ia_embedded_state_json, ctx);
    facts_add(f, "phone", json);
    free(json);
}

/* An operation is a JSON object without nested objects. */
static void report_log(const struct world *w, struct facts *f)
{
    char *json = ask(ia_embedded_log_json, w), key[32];
    int n = 0;
    for (char *p = strchr(json, '{'); p; p = strchr(p, '{')) {
        char *end = strstr(p, "},");
        end = end ? end : strrchr(p, '}');
        *end = '\0';
        (void)snprintf(key, sizeof(key), "operation %d", ++n);
        facts_add(f, key, p + 1);
        p = end + 1;
    }
    free(json);
}

static char *read_text(const char *folder, const char *name, const char *suffix)
{
    struct ia_buf path = IA_BUF(4096), text = IA_BUF(1 << 20);
    struct ia_err err = {0};
    ia_buf_printf(&path, "%s/tests/parity/%s%s%s", IA_SOURCE_DIR, folder, name, suffix);
    if (ia_file_read(ia_buf_cstr(&path), &text, &err) != IA_OK) {
        fail_msg("%s", err.msg);
    }
    ia_buf_fini(&path);
    return ia_buf_steal(&text);
}

static struct facts run_direct(const char *text, char *folder, const char *query)
{
    struct world w = {folder, "direct"};
    struct ia_embedded_options opt = {.folder = folder, .name = w.name, .query = query};
    struct script s = {.text = text, .after = report_phone, .ctx = &w};
    struct ia_device *d = NULL;
    struct facts f;
    assert_int_equal(ia_embedded_open(&opt, &d, NULL), IA_OK);
    script_run(&s, d, &f);
    ia_device_close(d);
    report_log(&w, &f);
    return f;
}

static struct facts run_served(const char *text, char *folder, const char *query)
{
    struct world w = {folder, "served"};
    struct served server = served_start_in(folder, w.name, query);
    struct ia_bridge_client_options opt = {.place = {.address = "127.0.0.1"}};
    struct script s = {.text = text, .after = report_phone, .ctx = &w};
    struct ia_device *d = NULL;
    struct ia_err err = {0};
    struct facts f;
    opt.place.port = (uint16_t)server.port;
    if (ia_bridge_client_open(&opt, NULL, &d, &err) != IA_OK) {
        fail_msg("%s", err.msg);
    }
    script_run(&s, d, &f);
    ia_device_close(d);
    served_stop(&server);
    served_end(&server);
    report_log(&w, &f);
    return f;
}

/* A page source has other texts and fewer flags than a tree of ours, and a message is WebDriver's. What the
 * device does must be the same, and so must what a field holds. */
static enum same how_by_wda(const char *key)
{
    static const char *const same[] = {
        "operation ", "phone",   "code", "outcome", "value",     "has",     "pasteboard",
        "png",        "focused", "app",  "screen",  "truncated", "missing", "line"};
    bool found = false;
    for (size_t i = 0; i < IA_COUNTOF(same); i++) {
        found = found || strncmp(key, same[i], strlen(same[i])) == 0;
    }
    return found ? SAME_TEXT : SAME_IGNORED;
}

static struct facts run_wda(const char *text, char *folder, const char *query)
{
    struct world w = {folder, "wda"};
    struct ia_embedded_options phone = {.folder = folder, .name = w.name, .query = query};
    struct ia_wda_server_options served = {.mjpeg_port = -1};
    struct ia_wda_server *server = NULL;
    struct script s = {.text = text, .after = report_phone, .ctx = &w};
    struct ia_device *d = NULL;
    struct ia_err err = {0};
    struct facts f;
    char url[64];
    assert_int_equal(ia_embedded_open(&phone, &served.device, NULL), IA_OK);
    if (ia_wda_server_start(&served, &server, &err) != IA_OK) {
        fail_msg("%s", err.msg);
    }
    (void)snprintf(url, sizeof(url), "http://127.0.0.1:%d", ia_wda_server_port(server));
    struct ia_wda_options opt = {.url = url, .lane = "wda:served"};
    if (ia_wda_open(&opt, NULL, &d, &err) != IA_OK) {
        fail_msg("%s", err.msg);
    }
    script_run(&s, d, &f);
    ia_device_close(d);
    ia_wda_server_stop(server);
    ia_device_close(served.device);
    report_log(&w, &f);
    return f;
}

static bool has_line(const char *text, const char *line, size_t n)
{
    for (const char *at = text; (at = strchr(at, '\n')); at++) {
        if (strncmp(at + 1, line, n) == 0 && at[1 + n] == '\n') {
            return true;
        }
    }
    return false;
}

/* How many lines of a, except comments and empty ones, are missing from b, whose first line
 * does not count. */
static int count_missing(const char *a, const char *b, const char *what)
{
    int missing = 0;
    for (const char *p = a; *p != '\0';) {
        size_t n = strcspn(p, "\n");
        if (n > 0 && *p != '#' && !has_line(b, p, n)) {
            fprintf(stderr, "%s: %.*s\n", what, (int)n, p);
            missing++;
        }
        p += n + (p[n] == '\n');
    }
    return missing;
}

typedef struct facts run_fn(const char *text, char *folder, const char *query);

static void compare(run_fn *other, same_fn *same, bool wire, const char *reviewed)
{
    struct ia_buf found = IA_BUF((size_t)8 << 20);
    ia_buf_putc(&found, '\n');
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        if (cases[i].wire && !wire) {
            continue;
        }
        char *folder = tmpdir_new();
        char *text = read_text("scripts/", cases[i].script, ".script");
        struct facts a = run_direct(text, folder, cases[i].query);
        struct facts b = other(text, folder, cases[i].query);
        facts_compare(cases[i].script, &a, &b, same, &found);
        facts_fini(&a);
        facts_fini(&b);
        free(text);
        tmpdir_free(folder);
    }
    char *known = read_text("", reviewed, ".differences");
    int bad = count_missing(ia_buf_cstr(&found), known, "not reviewed");
    bad += count_missing(known, ia_buf_cstr(&found), "no difference any more");
    free(known);
    ia_buf_fini(&found);
    assert_int_equal(bad, 0);
}

static void every_difference_of_a_served_phone_is_reviewed(void **state)
{
    (void)state;
    compare(run_served, how, true, "served");
}

static void every_difference_of_a_phone_behind_webdriveragent_is_reviewed(void **state)
{
    (void)state;
    compare(run_wda, how_by_wda, false, "wda");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_difference_of_a_served_phone_is_reviewed),
        cmocka_unit_test(every_difference_of_a_phone_behind_webdriveragent_is_reviewed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
