/* api_frames_test.c: watching a device, and acting by what was seen. */
#include "asked.h"

#include "base/hash.h"
#include "server/api/call.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define DEVICE "\"device\":\"embedded:test\""
#define FRAME "GET /v1/device/frame?device=embedded:test"

static void a_frame_comes_once_and_again_when_the_screen_changed(void **state)
{
    (void)state;
    char line[256], known[64], value[256];
    struct world w = {.clock = NULL};
    world_open(&w, false);
    struct answer a = ask(&w, "GET /v1/device/frame?device=embedded:test", NULL, NULL);
    assert_int_equal(a.status, 200);
    assert_true(json_array_size(result(&a, "snapshot.elements")) > 3);
    assert_string_equal(result_text(&a, "device"), "embedded:test");
    (void)snprintf(known, sizeof(known), "%s", result_text(&a, "hash"));
    (void)snprintf(line, sizeof(line), "GET /v1/blobs/%s", result_text(&a, "picture"));
    answer_fini(&a);
    a = ask(&w, line, NULL, NULL);
    assert_string_equal(a.type, "image/png");
    assert_string_equal(header(&a, "Cache-Control", value),
                        "private, max-age=31536000, immutable");
    answer_fini(&a);
    (void)snprintf(line, sizeof(line), "GET /v1/device/frame?device=embedded:test&after=%s",
                   known);
    a = ask(&w, line, NULL, NULL);
    assert_int_equal(a.status, 204);
    assert_int_equal(a.body.len, 0);
    answer_fini(&a);
    a = ask(&w, "POST /v1/device/open", NULL, "{" DEVICE ",\"what\":\"Settings\"}");
    answer_fini(&a);
    (void)snprintf(line, sizeof(line),
                   "GET /v1/device/frame?device=embedded:test&wait_ms=5000&after=%s", known);
    a = ask(&w, line, NULL, NULL);
    assert_int_equal(a.status, 200);
    assert_string_equal(result_text(&a, "snapshot.app"), "com.apple.Preferences");
    answer_fini(&a);
    world_close(&w);
}

static void who_may_only_look_opens_no_device(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    world_open(&w, false);
    w.scope = IA_HTTP_SCOPE_VIEW;
    struct answer a = ask(&w, FRAME, NULL, NULL);
    assert_int_equal(a.status, 403);
    assert_string_equal(code(&a), "FORBIDDEN");
    answer_fini(&a);
    w.scope = IA_HTTP_SCOPE_ACT;
    a = ask(&w, "POST /v1/device/open", NULL, "{" DEVICE ",\"what\":\"Settings\"}");
    assert_int_equal(a.status, 200);
    answer_fini(&a);
    w.scope = IA_HTTP_SCOPE_VIEW;
    a = ask(&w, FRAME, NULL, NULL);
    assert_int_equal(a.status, 200);
    answer_fini(&a);
    world_close(&w);
}

static struct answer frame_after(struct world *w, const char *hash, int wait_ms)
{
    char line[256];
    (void)snprintf(line, sizeof(line), FRAME "&wait_ms=%d&after=%s", wait_ms, hash);
    return ask(w, line, NULL, NULL);
}

/* The ref, "@e7", whose line has those words. */
static const char *ref_of_line(const struct answer *a, const char *words)
{
    const char *ref;
    json_t *line;
    json_object_foreach(result(a, "lines"), ref, line)
    {
        if (strstr(json_string_value(line), words)) {
            return ref;
        }
    }
    fail_msg("no line has %s", words);
    return "";
}

static struct answer act(struct world *w, const char *verb, const char *ref, const char *seen)
{
    char line[64], body[256];
    (void)snprintf(line, sizeof(line), "POST /v1/device/%s", verb);
    (void)snprintf(body, sizeof(body), "{" DEVICE ",\"ref\":\"%s\"%s%s%s}", ref,
                   seen ? ",\"seen\":\"" : "", seen ? seen : "", seen ? "\"" : "");
    return ask(w, line, NULL, body);
}

static void a_frame_has_the_lines_that_the_model_sees(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    world_open(&w, false);
    struct answer a = ask(&w, FRAME, NULL, NULL);
    struct answer s = ask(&w, "POST /v1/device/snapshot?as=cli", NULL, "{" DEVICE "}");
    const char *ref;
    json_t *line;
    assert_true(json_object_size(result(&a, "lines")) > 5);
    json_object_foreach(result(&a, "lines"), ref, line)
    {
        assert_non_null(strstr(ia_buf_cstr(&s.body), json_string_value(line)));
        assert_int_equal(strtoul(ref + 2, NULL, 10),
                         strtoul(json_string_value(line), NULL, 10));
    }
    assert_true(json_is_null(result(&a, "holder")));
    assert_int_equal(json_integer_value(result(&a, "generation")), 0);
    answer_fini(&s);
    answer_fini(&a);
    world_close(&w);
}

/* A quiet screen outlives any number of pictures of others. */
static void the_picture_of_a_frame_is_there_while_it_is_shown(void **state)
{
    (void)state;
    char line[256], sha[IA_SHA256_HEX_SIZE];
    struct world w = {.clock = NULL};
    world_open(&w, false);
    for (int round = 0; round < 3; round++) {
        struct answer a = ask(&w, FRAME, NULL, NULL);
        (void)snprintf(line, sizeof(line), "GET /v1/blobs/%s", result_text(&a, "picture"));
        answer_fini(&a);
        a = ask(&w, line, NULL, NULL);
        assert_string_equal(a.type, "image/png");
        answer_fini(&a);
        /* Fewer than are kept, and then more than that. */
        for (int i = 0; i < (round == 0 ? IA_PICTURES_KEPT - 1 : IA_PICTURES_KEPT); i++) {
            (void)snprintf(sha, sizeof(sha), "%064d", 100 * round + i);
            ia_pictures_keep(w.api->pictures, sha, ia_str("another"));
        }
    }
    world_close(&w);
}

static void a_ref_of_a_frame_is_good_at_once(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    world_open(&w, false);
    for (int seen = 0; seen < 2; seen++) {
        struct answer a = ask(&w, FRAME, NULL, NULL);
        struct answer t = act(&w, "tap", ref_of_line(&a, "icon Settings"),
                              seen ? result_text(&a, "hash") : NULL);
        assert_int_equal(t.status, 200);
        assert_string_equal(result_text(&t, "app"), "com.apple.Preferences");
        answer_fini(&t);
        answer_fini(&a);
        a = ask(&w, "POST /v1/device/press", NULL, "{" DEVICE ",\"button\":\"home\"}");
        answer_fini(&a);
    }
    world_close(&w);
}

static void who_acts_by_a_frame_is_refused_what_it_did_not_show(void **state)
{
    (void)state;
    static const char *const wrong[] = {"x", "0123456789abcdef",
                                        "0123456789abcdef0123456789abcdeg",
                                        "0123456789abcdef0123456789abcdef0"};
    struct world w = {.clock = NULL};
    world_open(&w, false);
    struct answer a = ask(&w, FRAME, NULL, NULL);
    struct answer s =
        ask(&w, "POST /v1/device/open", NULL, "{" DEVICE ",\"what\":\"Settings\"}");
    answer_fini(&s);
    struct answer b = ask(&w, FRAME, NULL, NULL);
    const char *wifi = ref_of_line(&b, "row Wi-Fi");
    struct answer t = act(&w, "tap", wifi, result_text(&a, "hash"));
    assert_string_equal(code(&t), "STALE_REF");
    answer_fini(&t);
    t = act(&w, "tap", wifi, "0123456789abcdef0123456789abcdef");
    assert_string_equal(code(&t), "STALE_REF");
    answer_fini(&t);
    for (size_t i = 0; i < IA_COUNTOF(wrong); i++) {
        t = act(&w, "tap", wifi, wrong[i]);
        assert_string_equal(code(&t), "USAGE");
        answer_fini(&t);
    }
    t = act(&w, "tap", wifi, result_text(&b, "hash"));
    assert_int_equal(t.status, 200);
    answer_fini(&t);
    answer_fini(&b);
    answer_fini(&a);
    world_close(&w);
}

static void add_event(struct world *w, const char *run_id, struct ia_event_ref event)
{
    struct ia_tx *tx = NULL;
    assert_int_equal(ia_tx_begin(w->setup.store, &tx, NULL), IA_OK);
    ia_tx_add_event(tx, run_id, event, NULL);
    assert_int_equal(ia_tx_commit(tx, NULL), IA_OK);
}

/* A run that has the device, as one of another process would. */
static struct ia_lease *hold(struct world *w, char run_id[IA_ID_SIZE])
{
    struct ia_tx *tx = NULL;
    struct ia_lease *lease = NULL;
    const struct ia_run_new run = {
        .goal = "look", .model = "m", .lane = "embedded:test", .demo = true};
    assert_int_equal(ia_tx_begin(w->setup.store, &tx, NULL), IA_OK);
    ia_tx_add_run(tx, &run, run_id);
    assert_int_equal(ia_tx_commit(tx, NULL), IA_OK);
    assert_int_equal(
        ia_lease_take(w->setup.store, "embedded:test", run_id, 60000, &lease, NULL), IA_OK);
    return lease;
}

#define SHA_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define SHA_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

static void while_a_run_has_the_device_a_frame_is_what_the_run_saw(void **state)
{
    (void)state;
    const struct ia_event_run_looked looked = {.screen = ia_str("app 1x1 #0000: First")};
    const struct ia_event_picture first = {.image = ia_str(SHA_A)},
                                  next = {.step = 1, .image = ia_str(SHA_B)};
    struct world w = {.clock = NULL};
    char run_id[IA_ID_SIZE];
    world_open(&w, false);
    struct answer before = ask(&w, FRAME, NULL, NULL);
    struct ia_lease *lease = hold(&w, run_id);
    struct answer a = frame_after(&w, result_text(&before, "hash"), 5000);
    assert_int_equal(a.status, 200);
    assert_string_equal(result_text(&a, "holder.run"), run_id);
    assert_string_equal(result_text(&a, "holder.command"), "api test");
    assert_true(json_is_null(result(&a, "picture")) && json_is_null(result(&a, "screen")) &&
                json_is_null(result(&a, "snapshot")));
    add_event(&w, run_id, IA_EVENT(&looked));
    add_event(&w, run_id, IA_EVENT(&first));
    add_event(&w, run_id, IA_EVENT(&next));
    struct answer b = frame_after(&w, result_text(&a, "hash"), 5000);
    assert_string_equal(result_text(&b, "picture"), SHA_B);
    assert_string_equal(result_text(&b, "screen"), "app 1x1 #0000: First");
    answer_fini(&a);
    a = frame_after(&w, result_text(&b, "hash"), 300);
    assert_int_equal(a.status, 204);
    answer_fini(&a);
    ia_lease_release(lease);
    a = frame_after(&w, result_text(&b, "hash"), 5000);
    assert_true(json_is_null(result(&a, "holder")));
    assert_true(json_is_object(result(&a, "snapshot")));
    answer_fini(&a);
    answer_fini(&b);
    answer_fini(&before);
    world_close(&w);
}

static void a_command_that_takes_long_is_named_as_the_holder(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    struct ia_hub_lane *lane = NULL;
    struct ia_deadline deadline = {NULL, INT64_MAX};
    world_open(&w, false);
    struct answer before = ask(&w, FRAME, NULL, NULL);
    assert_int_equal(ia_hub_enter(w.hub, "embedded:test", NULL, "mcp", &deadline, &lane, NULL),
                     IA_OK);
    struct answer a = frame_after(&w, result_text(&before, "hash"), 300);
    assert_int_equal(a.status, 204); /* most are over by then */
    answer_fini(&a);
    a = frame_after(&w, result_text(&before, "hash"), 5000);
    assert_int_equal(a.status, 200);
    assert_true(json_is_null(result(&a, "holder.run")));
    assert_non_null(strstr(result_text(&a, "holder.command"), "mcp"));
    assert_string_equal(result_text(&a, "picture"), result_text(&before, "picture"));
    ia_hub_leave(w.hub, lane);
    struct answer b = frame_after(&w, result_text(&a, "hash"), 5000);
    assert_string_equal(result_text(&b, "hash"), result_text(&before, "hash"));
    answer_fini(&b);
    answer_fini(&a);
    answer_fini(&before);
    world_close(&w);
}

enum { WATCHERS = 6 };

static void *watch_once(void *ctx)
{
    struct answer *a = ia_calloc(1, sizeof(*a));
    *a = ask(ctx, FRAME "&wait_ms=5000&after=0", NULL, NULL);
    return a;
}

static void all_who_watch_are_answered_with_the_same_look(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    pthread_t threads[WATCHERS];
    struct answer *answers[WATCHERS];
    world_open(&w, false);
    for (int i = 0; i < WATCHERS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, watch_once, &w), 0);
    }
    for (int i = 0; i < WATCHERS; i++) {
        void *ret = NULL;
        pthread_join(threads[i], &ret);
        answers[i] = ret;
        assert_int_equal(answers[i]->status, 200);
        assert_string_equal(result_text(answers[i], "snapshot.timestamp"),
                            result_text(answers[0], "snapshot.timestamp"));
    }
    for (int i = 0; i < WATCHERS; i++) {
        answer_fini(answers[i]);
        free(answers[i]);
    }
    world_close(&w);
}

/* ---- all at once ------------------------------------------------------------------------- */

enum { ROUNDS = 30, THREADS = 6 };

struct one {
    struct world *w;
    pthread_t thread;
    bool drives;
    int frames, wrong;
};

static void watch_on(struct one *o, char hash[64])
{
    struct answer a = frame_after(o->w, hash, 50);
    o->wrong += a.status != 200 && a.status != 204;
    if (a.status == 200) {
        (void)snprintf(hash, 64, "%s", result_text(&a, "hash"));
        o->frames++;
    }
    answer_fini(&a);
}

static void *go_on(void *ctx)
{
    struct one *o = ctx;
    char hash[64] = "0";
    for (int i = 0; i < ROUNDS; i++) {
        if (o->drives) {
            struct answer a = i % 2 ? ask(o->w, "POST /v1/device/press", NULL,
                                          "{" DEVICE ",\"button\":\"home\"}")
                                    : ask(o->w, "POST /v1/device/open", NULL,
                                          "{" DEVICE ",\"what\":\"Settings\"}");
            o->wrong += a.status != 200;
            answer_fini(&a);
        } else {
            watch_on(o, hash);
        }
    }
    return NULL;
}

/* Some drive, some watch, somebody reads what is told: nobody is refused, and nobody waits for ever. */
static void watching_and_driving_go_on_side_by_side(void **state)
{
    (void)state;
    struct world w = {.clock = NULL};
    struct one all[THREADS];
    uint64_t after;
    world_open(&w, false);
    ia_live_enter(w.live, &after);
    for (int i = 0; i < THREADS; i++) {
        all[i] = (struct one){.w = &w, .drives = i % 3 == 0};
        assert_int_equal(pthread_create(&all[i].thread, NULL, go_on, &all[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(all[i].thread, NULL);
        assert_int_equal(all[i].wrong, 0);
        assert_true(all[i].drives || all[i].frames > 0);
    }
    ia_live_leave(w.live);
    assert_int_equal(ia_hub_busy(w.hub), 0);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_comes_once_and_again_when_the_screen_changed),
        cmocka_unit_test(who_may_only_look_opens_no_device),
        cmocka_unit_test(a_frame_has_the_lines_that_the_model_sees),
        cmocka_unit_test(the_picture_of_a_frame_is_there_while_it_is_shown),
        cmocka_unit_test(a_ref_of_a_frame_is_good_at_once),
        cmocka_unit_test(who_acts_by_a_frame_is_refused_what_it_did_not_show),
        cmocka_unit_test(while_a_run_has_the_device_a_frame_is_what_the_run_saw),
        cmocka_unit_test(a_command_that_takes_long_is_named_as_the_holder),
        cmocka_unit_test(all_who_watch_are_answered_with_the_same_look),
        cmocka_unit_test(watching_and_driving_go_on_side_by_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
