/* api_events_test.c: the stream of events, read as a client reads it, and as fast as it comes. */
#include "asked.h"

#include "server/api/api.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a client ---------------------------------------------------------------------------- */

/* What a client of server-sent events keeps. */
struct client {
    struct answer a;
    struct ia_buf in;
    int64_t *ids;
    size_t count;
    int64_t last_id;
    int resets, nows, comments, empty_ids;
};

static void open_stream(struct world *w, struct client *c, const char *query, int64_t last_id)
{
    char line[256], headers[64] = "";
    (void)snprintf(line, sizeof(line), "GET /v1/events%s", query);
    if (last_id >= 0) {
        (void)snprintf(headers, sizeof(headers), "Last-Event-ID: %lld\n", (long long)last_id);
    }
    *c = (struct client){.in = IA_BUF(1 << 24)};
    c->a = ask(w, line, headers, NULL);
    assert_int_equal(c->a.status, 200);
    assert_string_equal(c->a.type, "text/event-stream");
    assert_non_null(c->a.stream);
}

static void close_stream(struct client *c)
{
    c->a.stream->done(c->a.stream_ctx);
    answer_fini(&c->a);
    ia_buf_fini(&c->in);
    free(c->ids);
}

static void take_block(struct client *c, const char *block)
{
    int64_t id = -1;
    bool data = strncmp(block, "data: ", 6) == 0 || strstr(block, "\ndata: ");
    const char *at = strstr(block, "id: ");
    if (at == block || (at && at[-1] == '\n')) {
        id = strtoll(at + 4, NULL, 10);
    }
    c->comments += block[0] == ':';
    c->nows += strstr(block, "event: now\n") != NULL;
    bool reset = strstr(block, "event: reset\n") != NULL;
    c->resets += reset;
    c->empty_ids += id >= 0 && !data;
    if (id >= 0) {
        c->last_id = id;
    }
    if (id >= 0 && data && !reset) {
        c->ids = ia_realloc(c->ids, c->count + 1, sizeof(*c->ids));
        c->ids[c->count++] = id;
        const char *json = strstr(block, "\ndata: ") + 7;
        json_t *j = json_loads(json, 0, NULL);
        assert_non_null(j);
        assert_non_null(json_object_get(j, "run"));
        json_decref(j);
    }
}

static void take_blocks(struct client *c)
{
    char *from = c->in.p, *end;
    while (from && (end = strstr(from, "\n\n")) != NULL) {
        *end = '\0';
        take_block(c, from);
        from = end + 2;
    }
    ia_buf_consume(&c->in, from ? (size_t)(from - c->in.p) : 0);
}

/* Reads until there is nothing more to read, or at most so many pieces. */
static void read_stream(struct client *c, int pieces)
{
    for (int i = 0; i < pieces; i++) {
        struct ia_buf out = IA_BUF(2 << 20);
        stream_waits_left = 1;
        bool more = c->a.stream->next(c->a.stream_ctx, NULL, &out);
        ia_buf_putstr(&c->in, ia_buf_str(&out));
        take_blocks(c);
        ia_buf_fini(&out);
        if (!more) { /* it waited: it has no more now */
            break;
        }
    }
}

/* ---- events ------------------------------------------------------------------------------ */

static void add_run(struct ia_store *s, const char *lane, char id[IA_ID_SIZE])
{
    struct ia_err err;
    struct ia_tx *tx = NULL;
    const struct ia_run_new run = {.goal = "x", .model = "m", .lane = lane};
    assert_int_equal(ia_tx_begin(s, &tx, &err), IA_OK);
    ia_tx_add_run(tx, &run, id);
    assert_int_equal(ia_tx_commit(tx, &err), IA_OK);
}

static void add_events(struct ia_store *s, const char *run, int n)
{
    struct ia_err err;
    struct ia_tx *tx = NULL;
    const struct ia_event_notice notice = {.text = ia_str("hello")};
    assert_int_equal(ia_tx_begin(s, &tx, &err), IA_OK);
    for (int i = 0; i < n; i++) {
        ia_tx_add_event(tx, run, IA_EVENT(&notice), NULL);
    }
    assert_int_equal(ia_tx_commit(tx, &err), IA_OK);
}

static void a_stream_begins_now_and_goes_on_with_what_is_committed(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    struct client c;
    char run[IA_ID_SIZE];
    world_open(&w, false);
    add_run(w.setup.store, "embedded:a", run);
    open_stream(&w, &c, "", -1);
    read_stream(&c, 10);
    assert_int_equal(c.count, 0);
    assert_int_equal(c.nows, 1);
    struct ia_store *other = NULL; /* as another process has it */
    const struct ia_store_opts opts = {.home = w.home};
    struct ia_err err;
    assert_int_equal(ia_store_open(&opts, &other, &err), IA_OK);
    add_events(other, run, 3);
    add_events(w.setup.store, run, 2);
    read_stream(&c, 1); /* one reading, which does not wait */
    assert_int_equal(c.count, 5);
    ia_store_close(other);
    close_stream(&c);
    world_close(&w);
}

static void filters_let_through_what_they_name(void **state)
{
    (void)state;
    static const struct {
        const char *query;
        size_t count;
    } cases[] = {{"?after=0", 8},
                 {"?after=0&types=run.queued", 2},
                 {"?after=0&types=run.queued,notice", 8},
                 {"?after=0&types=run.finished", 0},
                 {"?after=0&device=embedded:a", 5},
                 {"?after=0&device=embedded:none", 0},
                 {"?after=0&run=RUN", 3},
                 {"?after=0&run=RUN&types=notice", 2},
                 {"?after=7", 1}};
    struct world w = {.clock = NULL};
    char a[IA_ID_SIZE], b[IA_ID_SIZE];
    world_open(&w, false);
    add_run(w.setup.store, "embedded:a", a);
    add_run(w.setup.store, "embedded:b", b);
    add_events(w.setup.store, a, 4);
    add_events(w.setup.store, b, 2);
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct client c;
        char query[256];
        const char *run = strstr(cases[i].query, "RUN");
        (void)snprintf(query, sizeof(query), "%.*s%s%s",
                       run ? (int)(run - cases[i].query) : (int)strlen(cases[i].query),
                       cases[i].query, run ? b : "", run ? run + 3 : "");
        open_stream(&w, &c, query, -1);
        read_stream(&c, 20);
        if (c.count != cases[i].count) {
            fail_msg("%s: %zu events", query, c.count);
        }
        close_stream(&c);
    }
    world_close(&w);
}

static void what_is_too_far_back_or_of_another_database_begins_anew(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    struct client c;
    char run[IA_ID_SIZE];
    world_open(&w, false);
    add_run(w.setup.store, "embedded:a", run);
    add_events(w.setup.store, run, 9999); /* 10,000 with run.queued */
    open_stream(&w, &c, "", 0);
    read_stream(&c, 100000);
    assert_int_equal(c.resets, 0);
    assert_int_equal(c.count, 10000);
    close_stream(&c);
    add_events(w.setup.store, run, 1);
    open_stream(&w, &c, "", 0);
    read_stream(&c, 100000);
    assert_int_equal(c.resets, 1);
    assert_int_equal(c.count, 0);
    assert_int_equal(c.last_id, 10001);
    close_stream(&c);
    open_stream(&w, &c, "", 10002);
    read_stream(&c, 10);
    assert_int_equal(c.resets, 1);
    assert_int_equal(c.last_id, 10001);
    add_events(w.setup.store, run, 2);
    read_stream(&c, 10);
    assert_int_equal(c.count, 2);
    close_stream(&c);
    open_stream(&w, &c, "", 10003);
    read_stream(&c, 10);
    assert_int_equal(c.resets, 0);
    close_stream(&c);
    world_close(&w);
}

static void an_idle_stream_shows_that_it_lives_and_moves_a_filters_place(void **state)
{
    (void)state;
    struct world w = {.clock = ia_vclock_new(0)};
    struct client c;
    char run[IA_ID_SIZE];
    world_open(&w, false);
    add_run(w.setup.store, "embedded:a", run);
    open_stream(&w, &c, "?types=run.finished", -1);
    read_stream(&c, 10);
    add_events(w.setup.store, run, 5);
    for (int s = 0; s < 61; s++) {
        ia_vclock_advance(w.clock, 1000000);
        read_stream(&c, 3);
    }
    assert_int_equal(c.comments, 4);
    assert_int_equal(c.nows, 3);
    assert_int_equal(c.empty_ids, 1);
    assert_int_equal(c.last_id, 6);
    close_stream(&c);
    world_close(&w);
    ia_vclock_free(w.clock);
}

/* Its list was read after the other streams asked last. */
static void who_comes_with_the_newest_event_does_not_begin_anew(void **state)
{
    (void)state;
    struct world w = {.clock = ia_vclock_new(0)};
    char run[IA_ID_SIZE], query[64];
    struct ia_err err;
    int64_t newest = 0;
    struct client first, second;
    world_open(&w, false);
    add_run(w.setup.store, "embedded:a", run);
    open_stream(&w, &first, "", -1);
    read_stream(&first, 10);
    add_events(w.setup.store, run, 3);
    assert_int_equal(ia_store_last_event(w.setup.store, &newest, &err), IA_OK);
    (void)snprintf(query, sizeof(query), "?after=%lld", (long long)newest);
    open_stream(&w, &second, query, -1);
    read_stream(&second, 10);
    assert_int_equal(second.resets, 0);
    assert_int_equal(second.count, 0);
    close_stream(&first);
    close_stream(&second);
    world_close(&w);
    ia_vclock_free(w.clock);
}

static void an_event_of_the_largest_size_fits(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    struct client c;
    struct ia_err err;
    struct ia_tx *tx = NULL;
    char run[IA_ID_SIZE];
    struct ia_buf text = IA_BUF(1 << 20);
    world_open(&w, false);
    add_run(w.setup.store, "embedded:a", run);
    for (int i = 0; i < (1 << 20) - 4096; i++) {
        ia_buf_putc(&text, 'x');
    }
    const struct ia_event_notice notice = {.text = ia_buf_str(&text)};
    assert_int_equal(ia_tx_begin(w.setup.store, &tx, &err), IA_OK);
    ia_tx_add_event(tx, run, IA_EVENT(&notice), NULL);
    assert_int_equal(ia_tx_commit(tx, &err), IA_OK);
    open_stream(&w, &c, "?after=0", -1);
    read_stream(&c, 10);
    assert_int_equal(c.count, 2);
    close_stream(&c);
    ia_buf_fini(&text);
    world_close(&w);
}

/* ---- what is only told ------------------------------------------------------------------- */

static void tell(struct world *w, enum ia_event_type type, const char *run, const char *text)
{
    char json[128];
    (void)snprintf(json, sizeof(json), "{\"run\":\"%s\",\"text\":\"%s\"}", run, text);
    ia_live_add(w->live, type, run, "embedded:a", ia_str(json));
}

/* Reads so many pieces as they stand: "EVENT TEXT," for each that has no id, "ID," for the others. */
static void read_told(struct client *c, struct ia_buf *told)
{
    struct ia_buf out = IA_BUF(2 << 20);
    ia_buf_reset(told);
    bool more = true;
    while (more) {
        ia_buf_reset(&out);
        stream_waits_left = 1;
        more = c->a.stream->next(c->a.stream_ctx, NULL, &out);
        const char *end;
        for (const char *p = ia_buf_cstr(&out); (end = strstr(p, "\n\n")); p = end + 2) {
            const char *text = strstr(p, "\"text\":\"");
            if (strncmp(p, "id: ", 4) == 0) {
                ia_buf_printf(told, "%d,", atoi(p + 4));
            } else if (strncmp(p, "event: ", 7) == 0 && text && text < end) {
                ia_buf_printf(told, "%.*s %.*s,", (int)strcspn(p + 7, "\n"), p + 7,
                              (int)strcspn(text + 8, "\""), text + 8);
            }
        }
    }
    ia_buf_fini(&out);
}

static void what_is_only_told_comes_where_it_is_asked_for(void **state)
{
    (void)state;
    static const struct {
        const char *query, *told;
    } cases[] = {
        {"", ""},
        {"?live=1", "text.delta one,request.started two,notice three,command four,"},
        {"?live=true&types=text.delta", "text.delta one,"},
        {"?live=1&types=command,notice", "notice three,command four,"},
        {"?live=1&run=RUN", "text.delta one,notice three,"},
        {"?live=1&device=embedded:a", "text.delta one,request.started two,notice three,"},
        {"?live=1&device=embedded:b", "command four,"},
        {"?types=text.delta", ""},
    };
    struct world w = {.clock = NULL};
    struct client c[IA_COUNTOF(cases)];
    struct ia_buf told = IA_BUF(1 << 20);
    char run[IA_ID_SIZE];
    world_open(&w, false);
    add_run(w.setup.store, "embedded:a", run);
    tell(&w, IA_EVENT_NOTICE, run, "before anybody listened");
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        char query[128];
        const char *at = strstr(cases[i].query, "RUN");
        (void)snprintf(query, sizeof(query), "%.*s%s",
                       at ? (int)(at - cases[i].query) : (int)strlen(cases[i].query),
                       cases[i].query, at ? run : "");
        open_stream(&w, &c[i], query, -1);
        read_stream(&c[i], 1);
    }
    tell(&w, IA_EVENT_TEXT_DELTA, run, "one");
    tell(&w, IA_EVENT_REQUEST_STARTED, "another run", "two");
    tell(&w, IA_EVENT_NOTICE, run, "three");
    ia_live_command(w.live, "embedded:b", ia_str("{\"text\":\"four\"}"));
    (void)ia_clock_wait(ia_clock_system(), NULL, ia_mono_us(ia_clock_system()) + 10000);
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        read_told(&c[i], &told);
        assert_string_equal(ia_buf_cstr(&told), cases[i].told);
        close_stream(&c[i]);
    }
    ia_buf_fini(&told);
    world_close(&w);
}

static void what_is_only_told_stands_among_the_events_where_it_happened(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    struct client c;
    struct ia_buf told = IA_BUF(1 << 20);
    char run[IA_ID_SIZE];
    world_open(&w, false);
    add_run(w.setup.store, "embedded:a", run);
    open_stream(&w, &c, "?live=1", -1);
    read_stream(&c, 1);
    for (int i = 0; i < 3; i++) {
        char text[8];
        (void)snprintf(text, sizeof(text), "%d", i);
        tell(&w, IA_EVENT_TEXT_DELTA, run, text);
        (void)ia_clock_wait(ia_clock_system(), NULL, ia_mono_us(ia_clock_system()) + 10000);
        add_events(w.setup.store, run, 1);
        (void)ia_clock_wait(ia_clock_system(), NULL, ia_mono_us(ia_clock_system()) + 10000);
    }
    read_told(&c, &told);
    assert_string_equal(ia_buf_cstr(&told), "text.delta 0,2,text.delta 1,3,text.delta 2,4,");
    close_stream(&c);
    ia_buf_fini(&told);
    world_close(&w);
}

/* Whoever adds never waits, and what is kept stays small. */
static void a_reader_that_is_too_slow_skips_what_is_only_told(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    struct client c;
    struct ia_buf told = IA_BUF(4 << 20), big = IA_BUF(1 << 20);
    char run[IA_ID_SIZE], last[64];
    world_open(&w, false);
    add_run(w.setup.store, "embedded:a", run);
    open_stream(&w, &c, "?live=1", -1);
    read_stream(&c, 1);
    add_events(w.setup.store, run, 2);
    for (int i = 0; i < 10000; i++) {
        char text[16];
        (void)snprintf(text, sizeof(text), "%d", i);
        tell(&w, IA_EVENT_TEXT_DELTA, run, text);
    }
    while (big.len <= IA_LIVE_ROW_BYTES_MAX) {
        ia_buf_puts(&big, "                ");
    }
    ia_live_add(w.live, IA_EVENT_TEXT_DELTA, run, "embedded:a", ia_buf_str(&big));
    (void)ia_clock_wait(ia_clock_system(), NULL, ia_mono_us(ia_clock_system()) + 10000);
    read_told(&c, &told);
    (void)snprintf(last, sizeof(last), "text.delta %d,", 10000 - 1);
    assert_non_null(strstr(ia_buf_cstr(&told), last));
    assert_null(strstr(ia_buf_cstr(&told), "text.delta 7951,"));
    assert_non_null(strstr(ia_buf_cstr(&told), "text.delta 7952,")); /* the newest 2,048 */
    assert_int_equal(strncmp(ia_buf_cstr(&told), "2,3,", 4), 0); /* of events none is lost */
    close_stream(&c);
    ia_buf_fini(&told);
    ia_buf_fini(&big);
    world_close(&w);
}

/* ---- killed, and killed again ------------------------------------------------------------ */

struct writer {
    struct ia_store *store;
    const char *run;
    int rounds;
};

static void *write_events(void *ctx)
{
    const struct writer *w = ctx;
    for (int i = 0; i < w->rounds; i++) {
        add_events(w->store, w->run, 1 + i % 7);
        (void)ia_clock_wait(ia_clock_system(), NULL, ia_mono_us(ia_clock_system()) + 2000);
    }
    return NULL;
}

/* A client that loses its connection in the middle of anything, and comes back with the last id of
 * which it saw all: together it has what the table has, in its order, and nothing twice. */
static void a_stream_that_is_killed_100_times_loses_and_doubles_nothing(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    char run[IA_ID_SIZE];
    pthread_t thread;
    int64_t last = 0, newest = 0;
    size_t total = 0;
    struct ia_err err;
    world_open(&w, false);
    add_run(w.setup.store, "embedded:a", run);
    struct writer writer = {w.setup.store, run, 300};
    assert_int_equal(pthread_create(&thread, NULL, write_events, &writer), 0);
    for (int kill = 0; kill < 100; kill++) {
        struct client c;
        open_stream(&w, &c, "", last);
        read_stream(&c, 1 + kill % 3);
        assert_int_equal(c.resets, 0);
        for (size_t i = 0; i < c.count; i++) {
            assert_int_equal(c.ids[i], last + 1);
            last = c.ids[i];
        }
        total += c.count;
        close_stream(&c);
    }
    pthread_join(thread, NULL);
    struct client c;
    open_stream(&w, &c, "", last);
    read_stream(&c, 1000);
    for (size_t i = 0; i < c.count; i++) {
        assert_int_equal(c.ids[i], last + 1);
        last = c.ids[i];
    }
    total += c.count;
    close_stream(&c);
    assert_int_equal(ia_store_last_event(w.setup.store, &newest, &err), IA_OK);
    assert_int_equal(last, newest);
    assert_int_equal(total, newest);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_begins_now_and_goes_on_with_what_is_committed),
        cmocka_unit_test(filters_let_through_what_they_name),
        cmocka_unit_test(what_is_too_far_back_or_of_another_database_begins_anew),
        cmocka_unit_test(an_idle_stream_shows_that_it_lives_and_moves_a_filters_place),
        cmocka_unit_test(who_comes_with_the_newest_event_does_not_begin_anew),
        cmocka_unit_test(an_event_of_the_largest_size_fits),
        cmocka_unit_test(what_is_only_told_comes_where_it_is_asked_for),
        cmocka_unit_test(what_is_only_told_stands_among_the_events_where_it_happened),
        cmocka_unit_test(a_reader_that_is_too_slow_skips_what_is_only_told),
        cmocka_unit_test(a_stream_that_is_killed_100_times_loses_and_doubles_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
