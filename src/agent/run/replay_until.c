/* replay_until.c: whether a step led to what it led to when it was recorded.
 *
 * Nothing sleeps for as long as something took then: a condition is awaited, and the recorded time is where the
 * limit of the wait comes from. */
#include "agent/run/replay_impl.h"

#include "agent/goal/expect.h"

#include <stdlib.h>

enum { WAIT_MS_MIN = 5000, WAIT_MS_MAX = 30000, TIMES = 3 };

struct ia_deadline ia_replay_limit(struct ia_run_ctx *run, const json_t *step)
{
    int64_t ms = TIMES * json_integer_value(json_object_get(step, "ms"));
    ms = ms < WAIT_MS_MIN ? WAIT_MS_MIN : ms > WAIT_MS_MAX ? WAIT_MS_MAX : ms;
    return ia_run_ctx_deadline(run, ms);
}

/* What a step led to, when it was recorded. */
struct until {
    struct ia_expects all;
    struct ia_buf why; /* the last that did not hold */
    /* Where a model did the step: what it touched stands for the recorded element. */
    const struct ia_signature *target;
    const struct ia_element *touched;
};

/* Whether the condition is about the recorded element, and holds of the one that was touched instead. */
static bool holds_of_touched(const struct until *u, const struct ia_expect *x)
{
    const struct ia_element *e = u->touched;
    if (!e || x->kind != IA_EXPECT_VALUE) {
        return false;
    }
    bool named = x->sel.identifier
                     ? ia_replay_equal(x->sel.identifier, u->target->text[IA_SIGN_ID])
                     : ia_replay_equal(x->sel.label, u->target->text[IA_SIGN_LABEL]);
    const char *value = e->on == IA_ON ? "on" : e->on == IA_OFF ? "off" : e->value;
    return named && ia_replay_equal(value, x->text);
}

/* All that the step set, and one of what it brought onto the screen: another control of the next page may have
 * changed, which the next step will find. */
static bool has_led(void *ctx, const struct ia_snapshot *fresh)
{
    struct until *u = ctx;
    size_t brought = 0, seen = 0;
    ia_buf_reset(&u->why);
    for (size_t i = 0; i < u->all.count; i++) {
        bool holds = ia_expect_holds(&u->all.items[i], fresh, &u->why) ||
                     holds_of_touched(u, &u->all.items[i]);
        bool brings = u->all.items[i].kind == IA_EXPECT_VISIBLE;
        brought += brings;
        seen += brings && holds;
        if (!brings && !holds) {
            return false;
        }
    }
    return brought == 0 || seen > 0;
}

static enum ia_rc read_until(const json_t *step, struct until *ret, struct ia_err *err)
{
    const json_t *lines = json_object_get(step, "until");
    size_t n = json_array_size(lines);
    const char **texts = ia_calloc(n + 1, sizeof(*texts));
    for (size_t i = 0; i < n; i++) {
        texts[i] = json_string_value(json_array_get(lines, i));
    }
    *ret = (struct until){.why = IA_BUF(IA_EVENT_BYTES_MAX)};
    enum ia_rc rc = ia_expects_parse(texts, n, &ret->all, err);
    free(texts);
    return rc;
}

static void until_fini(struct until *u)
{
    ia_expects_fini(&u->all);
    ia_buf_fini(&u->why);
}

/* IA_E_TIMEOUT where the step does not lead to what it led to when it was recorded; why says what is missing. */
static enum ia_rc await_until(struct ia_run_ctx *run, const json_t *step, struct ia_err *why)
{
    struct ia_deadline deadline = ia_replay_limit(run, step);
    struct until u;
    enum ia_rc rc = read_until(step, &u, why);
    if (rc == IA_OK) {
        rc = ia_session_await(run->device.session, &deadline, has_led, &u, why);
    }
    if (rc == IA_E_TIMEOUT) {
        ia_err_set(why, IA_E_FAILED,
                   "step %zu, %s, did not lead to what it led to when it was recorded: %s",
                   run->replay.at, ia_json_text(step, "act"), ia_buf_cstr(&u.why));
    }
    until_fini(&u);
    return rc;
}

/* Whether two screens in text form read the same; the numbers of their elements do not count. */
static bool reads_same(const char *a, const char *b)
{
    while (*a && *b) {
        size_t n = strcspn(a += strspn(a, "0123456789"), "\n");
        size_t m = strcspn(b += strspn(b, "0123456789"), "\n");
        if (n != m || memcmp(a, b, n) != 0) {
            return false;
        }
        a += n + (a[n] == '\n');
        b += m + (b[m] == '\n');
    }
    return *a == *b;
}

/* After an interruption: a step that led nowhere on a screen that reads word for word as before it was not made. */
static bool was_not_made(const struct ia_run_ctx *run, const json_t *step)
{
    const struct ia_snapshot *now = ia_session_latest(run->device.session);
    const char *before =
        run->replay.screen ? run->replay.screen : ia_buf_cstr(&run->proof.first_screen);
    struct ia_buf text = IA_BUF(IA_RESULT_BYTES_MAX);
    ia_snapshot_text(now, 0, &text);
    bool same = reads_same(before, ia_buf_cstr(&text));
    ia_buf_fini(&text);
    return same && !json_is_true(json_object_get(step, "commit"));
}

/* What the step before came to. Where the next one must not be done, the run has ended. */
void ia_replay_settle(struct ia_run_ctx *run)
{
    struct ia_run_replay *r = &run->replay;
    if (r->settled) { /* a model did the step, and was watched */
        r->settled = false;
        return;
    }
    const json_t *step = ia_recording_step(r->recording, r->at - 1);
    struct ia_err why = {0};
    bool unknown = r->unknown;
    enum ia_rc rc = await_until(run, step, &why);
    r->unknown = false;
    if (rc == IA_OK) {
        return;
    }
    if (rc != IA_E_TIMEOUT) {
        ia_run_ctx_fail(run, &why);
    } else if (!unknown) {
        ia_run_ctx_end(run, IA_RUN_FAILED, &why);
    } else if (was_not_made(run, step)) {
        r->at--;
    } else {
        ia_err_set(
            &why, IA_E_INTERRUPTED,
            "step %zu, %s, was interrupted, and the screen does not tell whether it was done",
            r->at, ia_json_text(step, "act"));
        ia_err_hint(&why, "look at the app, then replay again from its beginning");
        ia_run_ctx_end(run, IA_RUN_ERROR, &why);
    }
}

bool ia_replay_led(const struct ia_run_ctx *run, const json_t *step)
{
    const struct ia_session *session = run->device.session;
    const struct ia_snapshot *now = ia_session_latest(session);
    struct ia_signature target;
    struct until u;
    uint32_t ref = 0;
    bool has_target = ia_recording_target(step, &target);
    enum ia_rc rc = read_until(step, &u, NULL);
    (void)ia_session_acted(session, &ref);
    if (has_target && ref > 0 &&
        ia_snapshot_resolve(now, ia_session_refs(session), ref, &u.touched, NULL) == IA_OK) {
        u.target = &target;
    }
    bool led = rc == IA_OK && u.all.count > 0 && has_led(&u, now);
    ia_signature_fini(&target);
    until_fini(&u);
    return led;
}
