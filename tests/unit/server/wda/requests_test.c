/* requests_test.c: what clients send, against a simulated phone: every route, every kind of answer.
 *
 * tests/data/wda/requests.jsonl has a request a line, in the order in which they are sent:
 *   m, p, b   method, path ("S" at its beginning is the session's, "E(name)" an element's id), body
 *   s, e      the status (200) and, of a failure, the error
 *   v         the value, exactly;  has, hasnot: a text in the value as JSON
 *   keep      the name of the element that was found;  same: that it is that one
 *   session   its session is the one from now on */
#include "served.h"
#include "server/wda/wda_impl.h"
#include "source_dir.h"

#include <ctype.h>

enum { NAMES_MAX = 16, PATH_SIZE = 512 };

struct replay {
    struct served phone;
    char session[64]; /* stays when it is over */
    char names[NAMES_MAX][32], ids[NAMES_MAX][64];
    int n;
    int line;
};

static const char *id_of(const struct replay *r, const char *name, size_t len)
{
    for (int i = 0; i < r->n; i++) {
        if (strlen(r->names[i]) == len && strncmp(r->names[i], name, len) == 0) {
            return r->ids[i];
        }
    }
    fail_msg("line %d: no element is kept under %s", r->line, name);
    return NULL;
}

static void keep(struct replay *r, const char *name, const char *id)
{
    assert_true(r->n < NAMES_MAX);
    (void)snprintf(r->names[r->n], sizeof(r->names[0]), "%s", name);
    (void)snprintf(r->ids[r->n], sizeof(r->ids[0]), "%s", id);
    r->n++;
}

static void expand(const struct replay *r, const char *path, struct ia_buf *out)
{
    bool ours = (path[0] == 'S' || path[0] == 's');
    ia_buf_printf(out, "%s%s", ours ? "/session/" : "", ours ? r->session : "");
    for (const char *p = path + ours; *p;) {
        if (strncmp(p, "E(", 2) == 0) {
            size_t len = strcspn(p + 2, ")");
            ia_buf_puts(out, id_of(r, p + 2, len));
            p += 3 + len;
        } else {
            ia_buf_putc(out, *p++);
        }
    }
}

/* The value as text: a string as it is, all else as JSON. */
static char *shown(const json_t *value)
{
    return json_dumps(value, JSON_ENCODE_ANY | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(6));
}

static void check_value(const struct replay *r, const json_t *row, const json_t *value)
{
    const char *has = json_string_value(json_object_get(row, "has"));
    const char *hasnot = json_string_value(json_object_get(row, "hasnot"));
    const json_t *exact = json_object_get(row, "v");
    char *text = shown(value);
    if (exact && !json_equal(exact, value)) {
        fail_msg("line %d: %.300s", r->line, text);
    }
    if ((has && !strstr(text, has)) || (hasnot && strstr(text, hasnot))) {
        fail_msg("line %d: %.3000s", r->line, text);
    }
    free(text);
}

static void check_element(struct replay *r, const json_t *row, const json_t *value)
{
    const char *name = json_string_value(json_object_get(row, "keep"));
    const char *same = json_string_value(json_object_get(row, "same"));
    const char *id = json_string_value(json_object_get(value, IA_WDA_ELEMENT_KEY));
    if (name || same) {
        assert_non_null(id);
        assert_string_equal(id, json_string_value(json_object_get(value, "ELEMENT")));
    }
    if (name) {
        keep(r, name, id);
    }
    if (same) {
        assert_string_equal(id, id_of(r, same, strlen(same)));
    }
}

static void replay_row(struct replay *r, const json_t *row)
{
    struct ia_buf path = IA_BUF(PATH_SIZE);
    const json_t *body = json_object_get(row, "b");
    const json_t *status = json_object_get(row, "s");
    const char *error = json_string_value(json_object_get(row, "e"));
    char *text = body ? json_dumps(body, 0) : NULL;
    struct said said;
    expand(r, json_string_value(json_object_get(row, "p")), &path);
    served_ask(&r->phone, json_string_value(json_object_get(row, "m")), ia_buf_cstr(&path),
               text, &said);
    if (said.status != (status ? json_integer_value(status) : 200) ||
        strcmp(said.error, error ? error : "") != 0) {
        fail_msg("line %d: %s: %d %s: %s", r->line, ia_buf_cstr(&path), said.status, said.error,
                 json_string_value(json_object_get(said.value, "message")));
    }
    check_value(r, row, said.value);
    check_element(r, row, said.value);
    if (json_is_true(json_object_get(row, "session"))) {
        const char *id = json_string_value(json_object_get(said.value, "sessionId"));
        (void)snprintf(r->session, sizeof(r->session), "%s", id);
    }
    said_fini(&said);
    free(text);
    ia_buf_fini(&path);
}

static void what_clients_send_is_answered_as_they_expect(void **state)
{
    (void)state;
    static char line[16384];
    struct replay r = {.n = 0};
    FILE *f = fopen(IA_TEST_DATA "/wda/requests.jsonl", "r");
    assert_non_null(f);
    served_open(&r.phone);
    served_start(&r.phone, NULL);
    while (fgets(line, sizeof(line), f)) {
        json_error_t where;
        json_t *row = json_loads(line, 0, &where);
        r.line++;
        if (!row) {
            fail_msg("line %d: %s", r.line, where.text);
        }
        replay_row(&r, row);
        json_decref(row);
    }
    fclose(f);
    assert_true(r.line > 200);
    served_close(&r.phone);
}

/* ---- the table of routes ------------------------------------------------------------------ */

static void path_of(const struct ia_wda_route *route, const char *session, struct ia_buf *out)
{
    ia_buf_reset(out);
    ia_buf_printf(out, "%s%s", session[0] ? "/session/" : "", session);
    if (route->path[0]) {
        ia_buf_putc(out, '/');
    }
    for (const char *p = route->path; *p; p++) {
        ia_buf_puts(out,
                    *p == ':' ? "x1" : (const char[]){(char)toupper((unsigned char)*p), 0});
    }
}

/* An effect would end the session of the test. */
static bool ends(const struct ia_wda_route *r)
{
    return r->flags & IA_WDA_ENDS || strcmp(r->path, "session") == 0;
}

static void every_route_is_known_in_its_session_and_only_there(void **state)
{
    (void)state;
    struct served s;
    struct ia_buf path = IA_BUF(PATH_SIZE);
    size_t n;
    const struct ia_wda_route *routes = ia_wda_routes(&n);
    served_open(&s);
    served_start(&s, NULL);
    served_session(&s);
    assert_true(n >= 90);
    for (size_t i = 0; i < n; i++) {
        const struct ia_wda_route *r = &routes[i];
        struct said said;
        if (r->flags & IA_WDA_TEXT_ONLY || strcmp(r->path, "wda/deactivateApp") == 0) {
            continue;
        }
        path_of(r, "another", &path);
        served_ask(&s, r->method, ia_buf_cstr(&path), "{}", &said);
        assert_string_equal(said.error, "invalid session id");
        assert_int_equal(said.status, 404);
        said_fini(&said);
        if (!ends(r)) {
            path_of(r, s.session, &path);
            served_ask(&s, r->method, ia_buf_cstr(&path), "{}", &said);
            assert_string_not_equal(said.error, "unknown command");
            assert_string_not_equal(said.error, "invalid session id");
            said_fini(&said);
        }
        if (!(r->flags & IA_WDA_FREE) && r->path[0]) {
            path_of(r, "", &path);
            served_ask(&s, r->method, ia_buf_cstr(&path), "{}", &said);
            assert_string_equal(said.error, "unknown command");
            said_fini(&said);
        }
    }
    ia_buf_fini(&path);
    served_close(&s);
}

/* "window/:/size" and "element/:/rect" are like the first half of these. */
static void only_the_route_that_matches_has_parts_of_the_path(void **state)
{
    (void)state;
    static const struct {
        const char *method, *path, *route, *args[IA_WDA_ARGS_MAX];
    } rows[] = {
        {"GET", "/session/s/window/rect", "window/rect", {NULL, NULL}},
        {"GET", "/session/s/element/active", "element/active", {NULL, NULL}},
        {"GET", "/SESSION/s/Element/Active", "element/active", {NULL, NULL}},
        {"POST", "/session/s/element/active", NULL, {NULL, NULL}},
        {"GET", "/session/s/element/activeX", NULL, {NULL, NULL}},
        {"GET", "/session/s/window", NULL, {NULL, NULL}},
        {"POST", "/session/s/wda/element/e1/tap", "wda/element/:/tap", {"e1", NULL}},
        {"GET", "/session/s/element/e1/attribute/a", "element/:/attribute/:", {"e1", "a"}},
        {"GET", "/session/s/element/e1/attribute", NULL, {NULL, NULL}},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_http_request http = {.method = rows[i].method, .path = rows[i].path};
        struct ia_wda_call c = {.http = &http};
        enum ia_wda_error error = ia_wda_route(&c);
        assert_int_equal(error, rows[i].route ? IA_WDA_OK : IA_WDA_E_UNKNOWN_COMMAND);
        assert_string_equal(c.route ? c.route->path : "", rows[i].route ? rows[i].route : "");
        for (size_t a = 0; a < IA_WDA_ARGS_MAX; a++) {
            assert_string_equal(c.args[a] ? c.args[a] : "",
                                rows[i].args[a] ? rows[i].args[a] : "");
        }
        free(c.path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_clients_send_is_answered_as_they_expect),
        cmocka_unit_test(every_route_is_known_in_its_session_and_only_there),
        cmocka_unit_test(only_the_route_that_matches_has_parts_of_the_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
