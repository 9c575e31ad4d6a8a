/* The decoder of server-sent events: every recorded stream in chunks of every size, UTF-8,
 * limits. */
#include "test.h"

#include "golden.h"

#include "net/sse.h"

static json_t *event_json(struct ia_str name, struct ia_str data)
{
    json_t *event = json_object();
    json_object_set_new(event, "event", name.p ? json_stringn(name.p, name.n) : json_null());
    json_object_set_new(event, "data", json_stringn(data.p, data.n));
    return event;
}

static enum ia_rc collect(void *ctx, struct ia_str name, struct ia_str data, struct ia_err *err)
{
    (void)err;
    json_t *event = event_json(name, data);
    assert_true(json_is_string(json_object_get(event, "data"))); /* valid UTF-8 */
    json_array_append_new(ctx, event);
    return IA_OK;
}

static json_t *decode(const char *p, size_t n, size_t chunk)
{
    struct ia_sse s;
    struct ia_err err;
    json_t *events = json_array();
    ia_sse_init(&s, collect, events);
    for (size_t at = 0; at < n;) {
        size_t size = chunk && chunk < n - at ? chunk : n - at;
        /* A copy of its own size, so that a sanitizer sees every byte read too far. */
        char *piece = ia_alloc(size);
        memcpy(piece, p + at, size);
        assert_int_equal(ia_sse_feed(&s, piece, size, &err), IA_OK);
        free(piece);
        at += size;
    }
    ia_sse_fini(&s);
    return events;
}

static json_t *decode_text(const char *text)
{
    return decode(text, strlen(text), 0);
}

static json_t *read_events(const char *path)
{
    size_t n;
    char *text = golden_read(path, &n);
    json_t *events = json_array();
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        json_t *event = json_loadb(line, (size_t)(end - line), JSON_ALLOW_NUL, NULL);
        assert_non_null(event);
        json_array_append_new(events, event);
    }
    free(text);
    return events;
}

static bool same_event(const json_t *want, const json_t *got)
{
    const json_t *length = json_object_get(want, "data_len");
    if (!length) {
        return json_equal(want, got);
    }
    return json_equal(json_object_get(want, "event"), json_object_get(got, "event")) &&
           json_string_length(json_object_get(got, "data")) ==
               (size_t)json_integer_value(length);
}

static void check_events(const char *path, const json_t *want, const json_t *got, size_t chunk)
{
    if (json_array_size(want) != json_array_size(got)) {
        fail_msg("%s at %zu: %zu events, not %zu", path, chunk, json_array_size(got),
                 json_array_size(want));
    }
    for (size_t i = 0; i < json_array_size(want); i++) {
        if (!same_event(json_array_get(want, i), json_array_get(got, i))) {
            fail_msg("%s at %zu: event %zu is %s", path, chunk, i,
                     json_dumps(json_array_get(got, i), 0));
        }
    }
}

static void recorded_streams_give_the_golden_events_at_every_chunk_size(void **state)
{
    (void)state;
    struct golden *list;
    size_t count = golden_list(&list);
    assert_true(count >= 49);
    for (size_t i = 0; i < count; i++) {
        size_t n;
        char *body = golden_read(list[i].body_path, &n);
        json_t *want = read_events(list[i].events_path);
        for (size_t c = 0; c < golden_chunk_count; c++) {
            json_t *got = decode(body, n, golden_chunks[c]);
            check_events(list[i].body_path, want, got, golden_chunks[c]);
            json_decref(got);
        }
        json_decref(want);
        free(body);
    }
    free(list);
}

static void one_event_has(const char *text, const char *name, const char *data)
{
    json_t *events = decode_text(text);
    assert_int_equal(json_array_size(events), 1);
    const json_t *event = json_array_get(events, 0);
    assert_string_equal(json_string_value(json_object_get(event, "event")), name);
    assert_string_equal(json_string_value(json_object_get(event, "data")), data);
    json_decref(events);
}

static void each_cut_off_sequence_becomes_one_replacement_character(void **state)
{
    (void)state;
    /* The examples of the Unicode standard, table 3-8 and following. */
    one_event_has("event: a\ndata: \xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41\n\n", "a",
                  "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\x41");
    one_event_has("event: a\ndata: \xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41\n\n", "a",
                  "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"
                  "\xEF\xBF\xBD\xEF\xBF\xBD\x41");
    one_event_has("event: a\ndata: \xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41\n\n", "a",
                  "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"
                  "\xEF\xBF\xBD\xEF\xBF\xBD\x41");
    one_event_has("event: a\ndata: \xF4\x91\x92\x93\xFF\x41\x80\xBF\x42\n\n", "a",
                  "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\x41"
                  "\xEF\xBF\xBD\xEF\xBF\xBD\x42");
}

static void half_a_byte_order_mark_is_text(void **state)
{
    (void)state;
    one_event_has("\xEF\xBB\xBF"
                  "event: a\ndata: x\n\n",
                  "a", "x");
    /* The first line's field name is then unknown. */
    one_event_has("\xEF\xBB"
                  "event: b\nevent: a\ndata: x\n\n",
                  "a", "x");
}

static enum ia_rc refuse(void *ctx, struct ia_str name, struct ia_str data, struct ia_err *err)
{
    (void)name;
    (void)data;
    ++*(int *)ctx;
    return ia_err_set(err, IA_E_API_PROTOCOL, "no");
}

static void a_refusing_sink_stops_the_decoder_for_good(void **state)
{
    (void)state;
    struct ia_sse s;
    struct ia_err err;
    int calls = 0;
    const char *text = "data: a\n\ndata: b\n\n";
    ia_sse_init(&s, refuse, &calls);
    assert_int_equal(ia_sse_feed(&s, text, strlen(text), &err), IA_E_API_PROTOCOL);
    assert_int_equal(ia_sse_feed(&s, text, strlen(text), &err), IA_E_API_PROTOCOL);
    assert_int_equal(calls, 1);
    ia_sse_fini(&s);
}

static enum ia_rc measure(void *ctx, struct ia_str name, struct ia_str data, struct ia_err *err)
{
    (void)name;
    (void)err;
    *(size_t *)ctx = data.n;
    return IA_OK;
}

static void lines_up_to_the_cap_pass_and_longer_ones_are_refused(void **state)
{
    (void)state;
    struct ia_sse s;
    struct ia_err err;
    size_t got = 0;
    size_t room = IA_SSE_LINE_MAX - strlen("data: ");
    char *fill = ia_alloc(room + 1);
    memset(fill, 'x', room + 1);
    ia_sse_init(&s, measure, &got);
    assert_int_equal(ia_sse_feed(&s, "data: ", 6, &err), IA_OK);
    assert_int_equal(ia_sse_feed(&s, fill, room, &err), IA_OK);
    assert_int_equal(ia_sse_feed(&s, "\n\n", 2, &err), IA_OK);
    assert_int_equal(got, room);
    assert_int_equal(ia_sse_feed(&s, "data: ", 6, &err), IA_OK);
    assert_int_equal(ia_sse_feed(&s, fill, room + 1, &err), IA_E_LIMIT);
    assert_non_null(strstr(err.msg, "line"));
    ia_sse_fini(&s);
    free(fill);
}

/* What a client needs that takes a broken stream up again. */
static void the_id_is_that_of_the_last_finished_event(void **state)
{
    (void)state;
    static const struct {
        const char *bytes, *id;
        int retry_ms;
    } rows[] = {{"data: a\n\n", "", -1},
                {"id: 7\ndata: a\n\n", "7", -1},
                {"id: 7\ndata: a\n\ndata: b\n\n", "7", -1},
                {"id: 7\ndata:\n\nid: 8\ndata: b\n", "7", -1}, /* 8 is not finished */
                {"id: 7\n\nid\ndata: b\n\n", "", -1},
                {"id: a b\ndata: a\n\n", "", -1}, /* it would be no header value */
                {"retry: 250\n\n", "", 250},
                {"retry: 250\nretry: soon\nretry:\nretry: 99999999999\n\n", "", 250}};
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_sse s;
        size_t got = 0;
        ia_sse_init(&s, measure, &got);
        assert_int_equal(ia_sse_feed(&s, rows[i].bytes, strlen(rows[i].bytes), NULL), IA_OK);
        assert_string_equal(s.id, rows[i].id);
        assert_int_equal(s.retry_ms, rows[i].retry_ms);
        ia_sse_fini(&s);
    }
    char id[IA_SSE_ID_SIZE + 16] = "id: ";
    struct ia_sse s;
    size_t got = 0;
    memset(id + 4, 'x', IA_SSE_ID_SIZE);
    memcpy(id + 4 + IA_SSE_ID_SIZE, "\n\n", 3);
    ia_sse_init(&s, measure, &got);
    assert_int_equal(ia_sse_feed(&s, id, strlen(id), NULL), IA_OK);
    assert_string_equal(s.id, "");
    ia_sse_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_streams_give_the_golden_events_at_every_chunk_size),
        cmocka_unit_test(each_cut_off_sequence_becomes_one_replacement_character),
        cmocka_unit_test(half_a_byte_order_mark_is_text),
        cmocka_unit_test(a_refusing_sink_stops_the_decoder_for_good),
        cmocka_unit_test(lines_up_to_the_cap_pass_and_longer_ones_are_refused),
        cmocka_unit_test(the_id_is_that_of_the_last_finished_event),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
