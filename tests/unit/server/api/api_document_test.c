/* api_document_test.c: docs/openapi.json is what the table of routes says, and the server does what the
 * document says. With IA_OPENAPI_DOC=1 in its environment the test writes the file first. */
#include "asked.h"

#include "server/api/call.h"
#include "server/api/openapi.h"
#include "server/verbs/verbs.h"
#include "source_dir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_NAME IA_SOURCE_DIR "/docs/openapi.json"
enum { DOCUMENT_MAX = 2 << 20 };

static json_t *document(void)
{
    struct ia_buf out = IA_BUF(DOCUMENT_MAX);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &out);
    ia_api_document(&w, ia_api_routes, "1");
    json_t *doc = json_loadb(out.p, out.len, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(doc);
    ia_buf_fini(&out);
    return doc;
}

static void the_file_says_what_the_table_says(void **state)
{
    (void)state;
    json_t *doc = document();
    char *now = json_dumps(doc, JSON_INDENT(1));
    if (getenv("IA_OPENAPI_DOC")) {
        FILE *f = fopen(FILE_NAME, "w");
        assert_non_null(f);
        assert_true(fprintf(f, "%s\n", now) > 0);
        assert_int_equal(fclose(f), 0);
    }
    char *there = calloc(1, DOCUMENT_MAX);
    FILE *f = fopen(FILE_NAME, "r");
    assert_non_null(f);
    size_t n = fread(there, 1, DOCUMENT_MAX - 1, f);
    fclose(f);
    assert_true(n > 0 && there[n - 1] == '\n');
    there[n - 1] = '\0';
    if (strcmp(now, there) != 0) {
        fail_msg(
            "docs/openapi.json is old: IA_OPENAPI_DOC=1 server_api_document_test writes it");
    }
    free(there);
    free(now);
    json_decref(doc);
}

static json_t *operation(const json_t *doc, const char *path, const char *method)
{
    char lower[16];
    size_t n = strlen(method);
    for (size_t i = 0; i <= n; i++) {
        lower[i] = (char)(method[i] ? method[i] | 0x20 : 0);
    }
    return json_object_get(json_object_get(json_object_get(doc, "paths"), path), lower);
}

static void every_route_and_every_verb_is_in_it(void **state)
{
    (void)state;
    json_t *doc = document();
    for (const struct ia_api_route *r = ia_api_routes; r->path; r++) {
        if (!(r->flags & IA_API_VERB) && !operation(doc, r->path, r->method)) {
            fail_msg("%s %s is missing", r->method, r->path);
        }
    }
    for (const struct ia_verb *v = ia_verbs; v->name; v++) {
        char path[128] = "/v1/device/";
        strncat(path, v->name, sizeof(path) - strlen(path) - 1);
        for (char *space = path; (space = strchr(space, ' ')) != NULL;) {
            *space = '-';
        }
        const json_t *op = operation(doc, path, "POST");
        if (!op) {
            fail_msg("%s is missing", path);
        }
        const json_t *members = json_object_get(
            json_object_get(
                json_object_get(json_object_get(json_object_get(op, "requestBody"), "content"),
                                "application/json"),
                "schema"),
            "properties");
        for (const struct ia_opt *o = v->opts; o->name; o++) {
            assert_int_equal(json_object_get(members, o->name) != NULL, !o->local);
        }
        assert_non_null(json_object_get(members, "seen"));
    }
    json_decref(doc);
}

/* No path of the document is unknown to the server. */
static void every_operation_of_it_is_served(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    json_t *doc = document();
    const char *path, *method;
    json_t *item, *op;
    int count = 0;
    world_open(&w, false);
    json_object_foreach(json_object_get(doc, "paths"), path, item)
    {
        json_object_foreach(item, method, op)
        {
            char line[256];
            size_t n = 0;
            for (; method[n]; n++) {
                line[n] = (char)(method[n] & ~0x20);
            }
            (void)snprintf(line + n, sizeof(line) - n, " %s?unknown=1", path);
            struct answer a = ask(&w, line, NULL, NULL);
            if (a.status != 400 || strcmp(code(&a), "USAGE") != 0) {
                fail_msg("%s: %d %s", line, a.status, ia_buf_cstr(&a.body));
            }
            answer_fini(&a);
            count++;
        }
    }
    assert_true(count > 40);
    world_close(&w);
    json_decref(doc);
}

static void the_server_hands_it_out(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    world_open(&w, false);
    struct answer a = ask(&w, "GET /v1/openapi.json", NULL, NULL);
    json_t *doc = document();
    assert_true(json_equal(a.json, doc));
    json_decref(doc);
    answer_fini(&a);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_file_says_what_the_table_says),
        cmocka_unit_test(every_route_and_every_verb_is_in_it),
        cmocka_unit_test(every_operation_of_it_is_served),
        cmocka_unit_test(the_server_hands_it_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
