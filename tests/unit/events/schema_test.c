/* docs/events.schema.json is what list.h says, written as a JSON schema. With IA_EVENTS_DOC=1 in
 * the environment this program writes it anew. */
#include "events/shapes.h"

#include "source_dir.h"
#include "test.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_NAME IA_SOURCE_DIR "/docs/events.schema.json"
enum { SCHEMA_MAX = 1 << 20 };

static void describe(struct ia_jsonw *w, const char *what)
{
    if (what[0] != '\0') {
        ia_jsonw_kv(w, "description", what);
    }
}

static void put_type(struct ia_jsonw *w, const char *type, bool nullable)
{
    ia_jsonw_key(w, "type");
    if (!nullable) {
        ia_jsonw_string(w, type);
        return;
    }
    ia_jsonw_array(w);
    ia_jsonw_string(w, type);
    ia_jsonw_string(w, "null");
    ia_jsonw_end_array(w);
}

static void put_ref(struct ia_jsonw *w, const char *tag)
{
    char ref[100];
    snprintf(ref, sizeof(ref), "#/definitions/%s", tag);
    ia_jsonw_kv(w, "$ref", ref);
}

/* Beside a $ref nothing counts (draft 7), so that a part has its description in itself. */
static void put_part(struct ia_jsonw *w, const struct ia_event_field *f, bool nullable)
{
    if (!nullable) {
        put_ref(w, f->shape()->tag);
        return;
    }
    ia_jsonw_key(w, "anyOf");
    ia_jsonw_array(w);
    ia_jsonw_object(w);
    put_ref(w, f->shape()->tag);
    ia_jsonw_end_object(w);
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "type", "null");
    ia_jsonw_end_object(w);
    ia_jsonw_end_array(w);
    describe(w, f->what);
}

static void put_array(struct ia_jsonw *w, const struct ia_event_field *f)
{
    put_type(w, "array", false);
    ia_jsonw_key(w, "items");
    ia_jsonw_object(w);
    if (f->shape) {
        put_ref(w, f->shape()->tag);
    } else {
        ia_jsonw_kv(w, "type", "string");
    }
    ia_jsonw_end_object(w);
    describe(w, f->what);
}

static void put_property(struct ia_jsonw *w, const struct ia_event_field *f)
{
    static const char *const types[] = {
        [IA_EVENT_K_TEXT] = "string",     [IA_EVENT_K_INT] = "integer",
        [IA_EVENT_K_NATURAL] = "integer", [IA_EVENT_K_REAL] = "number",
        [IA_EVENT_K_BOOL] = "boolean",    [IA_EVENT_K_COST] = "number",
        [IA_EVENT_K_JSON] = NULL,
    };
    bool nullable = f->presence == IA_EVENT_P_NULLABLE;
    ia_jsonw_key(w, f->key);
    ia_jsonw_object(w);
    if (f->kind == IA_EVENT_K_PART) {
        put_part(w, f, nullable);
    } else if (f->kind == IA_EVENT_K_LIST || f->kind == IA_EVENT_K_TEXTS) {
        put_array(w, f);
    } else {
        if (types[f->kind]) {
            put_type(w, types[f->kind], nullable);
        }
        describe(w, f->what);
    }
    ia_jsonw_end_object(w);
}

static void put_properties(struct ia_jsonw *w, const struct ia_event_shape *s)
{
    for (size_t i = 0; i < s->n; i++) {
        if (s->fields[i].kind == IA_EVENT_K_GROUP) {
            put_properties(w, s->fields[i].shape());
        } else {
            put_property(w, &s->fields[i]);
        }
    }
}

static void put_required(struct ia_jsonw *w, const struct ia_event_shape *s)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct ia_event_field *f = &s->fields[i];
        if (f->presence == IA_EVENT_P_OPTIONAL) {
            continue;
        }
        if (f->kind == IA_EVENT_K_GROUP) {
            put_required(w, f->shape());
        } else {
            ia_jsonw_string(w, f->key);
        }
    }
}

/* A group that may be left out is there as a whole or not at all. */
static void put_groups(struct ia_jsonw *w, const struct ia_event_shape *s)
{
    bool any = false;
    for (size_t i = 0; i < s->n; i++) {
        const struct ia_event_field *f = &s->fields[i];
        if (f->kind != IA_EVENT_K_GROUP || f->presence != IA_EVENT_P_OPTIONAL) {
            continue;
        }
        if (!any) {
            ia_jsonw_key(w, "dependencies");
            ia_jsonw_object(w);
            any = true;
        }
        for (size_t j = 0; j < f->shape()->n; j++) {
            ia_jsonw_key(w, f->shape()->fields[j].key);
            ia_jsonw_array(w);
            put_required(w, f->shape());
            ia_jsonw_end_array(w);
        }
    }
    if (any) {
        ia_jsonw_end_object(w);
    }
}

static void put_named(struct ia_jsonw *w, const char *key, const char *type, const char *what)
{
    ia_jsonw_key(w, key);
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "type", type);
    describe(w, what);
    ia_jsonw_end_object(w);
}

static void put_envelope(struct ia_jsonw *w, const struct ia_event_info *info)
{
    ia_jsonw_key(w, "event");
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "const", info->name);
    ia_jsonw_end_object(w);
    if (info->where != IA_EVENT_W_BARE) {
        put_named(w, "seq", "integer",
                  info->where == IA_EVENT_W_LIVE ? "0: it is not kept"
                                                 : "1, 2, … within the run");
        put_named(w, "ts", "string", "UTC, ISO 8601 with milliseconds");
        put_named(w, "run", "string", "id of the run");
    }
}

/* info is NULL for a part. */
static void put_shape(struct ia_jsonw *w, const struct ia_event_shape *s,
                      const struct ia_event_info *info)
{
    ia_jsonw_key(w, s->tag);
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "type", "object");
    if (info) {
        char comment[200];
        snprintf(comment, sizeof(comment), "written by %s; read by %s", info->writers,
                 info->readers[0] ? info->readers : "people and scripts");
        describe(w, info->what);
        ia_jsonw_kv(w, "$comment", comment);
    }
    ia_jsonw_key(w, "properties");
    ia_jsonw_object(w);
    if (info) {
        put_envelope(w, info);
    }
    put_properties(w, s);
    ia_jsonw_end_object(w);
    ia_jsonw_key(w, "required");
    ia_jsonw_array(w);
    if (info) {
        ia_jsonw_string(w, "event");
    }
    if (info && info->where != IA_EVENT_W_BARE) {
        ia_jsonw_string(w, "seq");
        ia_jsonw_string(w, "ts");
        ia_jsonw_string(w, "run");
    }
    put_required(w, s);
    ia_jsonw_end_array(w);
    put_groups(w, s);
    ia_jsonw_kv_bool(w, "additionalProperties", false);
    ia_jsonw_end_object(w);
}

static bool seen_before(const struct ia_event_shape *const *all, size_t n,
                        const struct ia_event_shape *one)
{
    for (size_t i = 0; i < n; i++) {
        if (all[i] == one) {
            return true;
        }
    }
    return false;
}

/* The objects that the fields of s contain, each once, the innermost first. */
static void put_parts(struct ia_jsonw *w, const struct ia_event_shape *s,
                      const struct ia_event_shape **all, size_t *n)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct ia_event_field *f = &s->fields[i];
        if (!f->shape) {
            continue;
        }
        put_parts(w, f->shape(), all, n);
        if (f->kind != IA_EVENT_K_GROUP && !seen_before(all, *n, f->shape())) {
            put_shape(w, f->shape(), NULL);
            all[(*n)++] = f->shape();
        }
    }
}

static char *schema(void)
{
    const struct ia_event_shape *parts[64];
    size_t n = 0;
    struct ia_buf out = IA_BUF(SCHEMA_MAX);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &out);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "$schema", "http://json-schema.org/draft-07/schema#");
    ia_jsonw_kv(&w, "title",
                "A line of ios-agent run --events, resume --events or sweep "
                "--events, and an event of ios-agent show --json");
    ia_jsonw_key(&w, "oneOf");
    ia_jsonw_array(&w);
    for (int i = 0; i < IA_EVENT_COUNT; i++) {
        ia_jsonw_object(&w);
        put_ref(&w, ia_event_infos[i].shape()->tag);
        ia_jsonw_end_object(&w);
    }
    ia_jsonw_end_array(&w);
    ia_jsonw_key(&w, "definitions");
    ia_jsonw_object(&w);
    for (int i = 0; i < IA_EVENT_COUNT; i++) {
        put_parts(&w, ia_event_infos[i].shape(), parts, &n);
    }
    for (int i = 0; i < IA_EVENT_COUNT; i++) {
        put_shape(&w, ia_event_infos[i].shape(), &ia_event_infos[i]);
    }
    ia_jsonw_end_object(&w);
    ia_jsonw_end_object(&w);
    assert_true(ia_buf_ok(&out));
    json_t *doc = json_loadb(out.p, out.len, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(doc);
    char *text = json_dumps(doc, JSON_INDENT(2));
    json_decref(doc);
    ia_buf_fini(&out);
    return text;
}

static void the_schema_says_what_the_list_says(void **state)
{
    (void)state;
    char *now = schema();
    if (getenv("IA_EVENTS_DOC")) {
        FILE *f = fopen(FILE_NAME, "w");
        assert_non_null(f);
        assert_true(fprintf(f, "%s\n", now) > 0);
        assert_int_equal(fclose(f), 0);
    }
    char *there = calloc(1, SCHEMA_MAX);
    FILE *f = fopen(FILE_NAME, "r");
    assert_non_null(f);
    size_t n = fread(there, 1, SCHEMA_MAX - 1, f);
    fclose(f);
    assert_true(n > 0 && there[n - 1] == '\n');
    there[n - 1] = '\0';
    assert_string_equal(now, there);
    free(there);
    free(now);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_schema_says_what_the_list_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
