/* proof.c: the expectations of a run at its finish.
 *
 *     fresh screen ─► app, expectations ─► commands ─► quotes, verifier (finish.c)
 *                                                          │
 *       end and launch the app ◄── COMMIT finish.checked ◄─┘
 *                 │
 *                 └─► expectations after a relaunch
 *
 * A relaunch loses what was on the screen, so it comes last, when all that needs that screen has been
 * shown; the commit before it says so. A finish that was interrupted after that commit is made again
 * from there: ending and launching an app twice does no harm. */
#include "agent/verdict/proof.h"

#include "agent/loop/commit.h"
#include "agent/verdict/picture.h"
#include "base/killpoint.h"
#include "base/spawn.h"
#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WHY_BYTES = 64 << 10,
    COMMAND_OUTPUT_MAX = 64 << 10,
    ENV_MAX = 16,
    FOUND_BYTES_MAX = 300,
    AWAIT_MS = 5000
};

/* ---- what was found of each -------------------------------------------------------------- */

/* found: what was seen instead; NULL where it holds. */
static void note(struct ia_run_ctx *run, const struct ia_expect *x, const char *found)
{
    json_t *item = json_object();
    json_object_set_new(item, "expect", json_string(x->source));
    json_object_set_new(item, "held", json_boolean(!found));
    if (found) {
        /* The line may begin with what was expected, which the item says already. */
        size_t said = strlen(x->source);
        bool repeats = strncmp(found, x->source, said) == 0 && found[said] == ':';
        found += repeats ? said + 1 : 0;
        found += strspn(found, " ");
        size_t n = strlen(found);
        n = n > FOUND_BYTES_MAX ? ia_utf8_cut(found, FOUND_BYTES_MAX) : n;
        while (n > 0 && found[n - 1] == '\n') {
            n--;
        }
        json_object_set_new(item, "found", json_stringn(found, n));
    }
    if (!run->proof.checked) {
        run->proof.checked = json_array();
    }
    json_array_append_new(run->proof.checked, item);
}

void ia_proof_all_hold(struct ia_run_ctx *run)
{
    json_array_clear(run->proof.checked);
    for (size_t i = 0; i < run->proof.expects.count; i++) {
        note(run, &run->proof.expects.items[i], NULL);
    }
}

size_t ia_proof_not_held(const struct ia_run_ctx *run, struct ia_buf *out)
{
    size_t count = 0, i;
    json_t *item;
    json_array_foreach(run->proof.checked, i, item)
    {
        if (!json_is_true(json_object_get(item, "held"))) {
            ia_buf_printf(out, "%s%s", count > 0 ? "; " : "",
                          json_string_value(json_object_get(item, "expect")));
            count++;
        }
    }
    return count;
}

/* ---- on the screen ----------------------------------------------------------------------- */

static bool names_app(const struct ia_expects *all)
{
    for (size_t i = 0; i < all->count; i++) {
        if (all->items[i].kind == IA_EXPECT_APP) {
            return true;
        }
    }
    return false;
}

/* A screen without a bundle id is not held against the run: some devices do not tell. */
static void check_app(const struct ia_run_ctx *run, const struct ia_snapshot *fresh,
                      ia_proof_missing *missing, void *ctx)
{
    const char *front = ia_snapshot_app(fresh), *app = run->device.lock.app;
    if (app && front && strcmp(app, front) != 0 && !names_app(&run->proof.expects)) {
        missing(ctx, app, IA_NOTE_OTHER_APP, ia_str(front));
    }
}

bool ia_proof_holds(struct ia_run_ctx *run, const struct ia_expect *x,
                    const struct ia_snapshot *s, struct ia_buf *why)
{
    const struct ia_proof_picture *p;
    if (ia_expect_holds(x, s, why)) {
        return true;
    }
    if (!x->picture) {
        return false;
    }
    p = ia_proof_picture(run, s);
    if (p->err.code != IA_OK && why) {
        ia_buf_reset(why);
        ia_buf_printf(why, "%s: the picture could not be read: %s\n", x->source, p->err.msg);
    } else if (why && !ia_ocr_has(&p->ocr, x->text)) {
        ia_buf_reset(why);
        ia_buf_printf(why, "%s: neither the screen nor the text on its picture has it\n",
                      x->source);
    }
    return p->err.code == IA_OK && ia_ocr_has(&p->ocr, x->text);
}

static void check_screen(struct ia_run_ctx *run, const struct ia_snapshot *s, bool relaunched,
                         ia_proof_missing *missing, void *ctx)
{
    const struct ia_expects *all = &run->proof.expects;
    for (size_t i = 0; i < all->count; i++) {
        const struct ia_expect *x = &all->items[i];
        struct ia_buf why = IA_BUF(WHY_BYTES);
        if (x->kind != IA_EXPECT_COMMAND && x->relaunch == relaunched) {
            bool holds = ia_proof_holds(run, x, s, &why);
            note(run, x, holds ? NULL : ia_buf_cstr(&why));
            if (!holds) {
                missing(ctx, x->source, IA_NOTE_EXPECT_ABSENT, ia_buf_str(&why));
            }
        }
        ia_buf_fini(&why);
    }
}

void ia_proof_screen(struct ia_run_ctx *run, const struct ia_snapshot *fresh,
                     ia_proof_missing *missing, void *ctx)
{
    json_array_clear(run->proof.checked);
    check_app(run, fresh, missing, ctx);
    check_screen(run, fresh, false, missing, ctx);
}

struct awaited {
    const struct ia_expects *all;
    bool relaunched;
};

static bool all_hold(void *ctx, const struct ia_snapshot *fresh)
{
    const struct awaited *w = ctx;
    bool hold = true;
    for (size_t i = 0; i < w->all->count && hold; i++) {
        const struct ia_expect *x = &w->all->items[i];
        /* A picture takes too long to read again and again. */
        hold = x->kind == IA_EXPECT_COMMAND || x->picture || x->relaunch != w->relaunched ||
               ia_expect_holds(x, fresh, NULL);
    }
    return hold;
}

void ia_proof_await(struct ia_run_ctx *run, bool relaunched)
{
    struct awaited w = {&run->proof.expects, relaunched};
    struct ia_deadline deadline = ia_run_ctx_deadline(run, AWAIT_MS);
    struct ia_err ignored;
    (void)ia_session_await(run->device.session, &deadline, all_hold, &w, &ignored);
}

/* ---- commands ---------------------------------------------------------------------------- */

/* NULL-ended, with texts of its own. */
static void make_env(const struct ia_run_ctx *run, char *env[ENV_MAX])
{
    static const char *const passed[] = {"PATH", "HOME",   "TMPDIR",   "USER", "LOGNAME",
                                         "LANG", "LC_ALL", "LC_CTYPE", "TZ"};
    struct ia_buf b = IA_BUF(WHY_BYTES);
    size_t n = 0;
    for (size_t i = 0; i < IA_COUNTOF(passed); i++) {
        const char *value = getenv(passed[i]);
        if (value) {
            ia_buf_printf(&b, "%s=%s", passed[i], value);
            env[n++] = ia_buf_steal(&b);
            b = IA_BUF(WHY_BYTES);
        }
    }
    ia_buf_printf(&b, "IOS_AGENT_RUN=%s", run->id);
    env[n++] = ia_buf_steal(&b);
    env[n] = NULL;
}

static enum ia_rc run_command(struct ia_run_ctx *run, const struct ia_expect *x,
                              struct ia_err *err)
{
    char *env[ENV_MAX];
    char **words = ia_command_words(x->text);
    struct ia_deadline deadline = ia_run_ctx_deadline(run, IA_COMMAND_MS_MAX);
    int64_t left_ms = (deadline.at_us - ia_mono_us(run->clock)) / 1000;
    make_env(run, env);
    const struct ia_spawn program = {
        .argv = (const char *const *)words,
        .env = (const char *const *)env,
        .output_max = COMMAND_OUTPUT_MAX,
        .timeout_ms = left_ms > 0 ? left_ms : 1,
        .cancel = deadline.cancel,
    };
    struct ia_spawn_result result;
    enum ia_rc rc = ia_spawn_run(&program, &result, err);
    if (rc == IA_OK) {
        rc = ia_spawn_check(&result, words[0], err);
    }
    ia_spawn_result_fini(&result);
    ia_words_free(words);
    for (size_t i = 0; env[i]; i++) {
        free(env[i]);
    }
    return rc;
}

void ia_proof_commands(struct ia_run_ctx *run, ia_proof_missing *missing, void *ctx,
                       struct ia_err *why)
{
    for (size_t i = 0; i < run->proof.expects.count && why->code == IA_OK; i++) {
        const struct ia_expect *x = &run->proof.expects.items[i];
        struct ia_err failed = {0};
        if (x->kind == IA_EXPECT_COMMAND) {
            if (ia_commit_settled(run, why) != IA_OK) {
                return;
            }
            enum ia_rc rc = run_command(run, x, &failed);
            if (rc == IA_E_CANCELLED) { /* it says nothing about the phone */
                *why = failed;
                return;
            }
            note(run, x, rc == IA_OK ? NULL : failed.msg);
            if (rc != IA_OK) {
                missing(ctx, x->source, IA_NOTE_EXPECT_ABSENT, ia_str(failed.msg));
            }
        }
    }
}

/* ---- what was shown ---------------------------------------------------------------------- */

static void add_quote(json_t **list, const char *quote)
{
    if (!*list) {
        *list = json_array();
    }
    json_array_append_new(*list, json_string(quote));
}

void ia_proof_unproven(struct ia_run_ctx *run, const char *quote)
{
    add_quote(&run->proof.unproven, quote);
}

void ia_proof_pictured(struct ia_run_ctx *run, const char *quote)
{
    add_quote(&run->proof.pictured, quote);
}

/* The texts of a list; free() them. */
static struct ia_event_texts texts_of(const json_t *list)
{
    size_t n = json_array_size(list);
    struct ia_str *texts = ia_calloc(n + 1, sizeof(*texts));
    for (size_t i = 0; i < n; i++) {
        texts[i] = ia_str(json_string_value(json_array_get(list, i)));
    }
    return (struct ia_event_texts){texts, n};
}

bool ia_proof_relaunches(const struct ia_run_ctx *run)
{
    for (size_t i = 0; i < run->proof.expects.count; i++) {
        if (run->proof.expects.items[i].relaunch) {
            return true;
        }
    }
    return false;
}

enum ia_rc ia_proof_checked(struct ia_run_ctx *run, struct ia_err *err)
{
    bool noted =
        json_array_size(run->proof.unproven) + json_array_size(run->proof.pictured) > 0;
    run->proof.relaunch[0] = '\0';
    if (ia_proof_relaunches(run)) {
        (void)snprintf(run->proof.relaunch, sizeof(run->proof.relaunch), "%s", run->req->app);
    } else if (!noted) {
        return IA_OK;
    }
    struct ia_event_texts unproven = texts_of(run->proof.unproven);
    struct ia_event_texts pictured = texts_of(run->proof.pictured);
    const struct ia_event_finish_checked checked = {
        .unproven = unproven,
        .pictured = pictured,
        .relaunch = ia_str(ia_proof_relaunches(run) ? run->proof.relaunch : NULL)};
    enum ia_rc rc = ia_commit_one(run, IA_EVENT(&checked), err);
    free((void *)(uintptr_t)unproven.items);
    free((void *)(uintptr_t)pictured.items);
    IA_KILL_POINT("agent.finish.checked");
    return rc;
}

/* ---- after a relaunch -------------------------------------------------------------------- */

static enum ia_rc relaunch(struct ia_run_ctx *run, struct ia_err *why)
{
    struct ia_session *s = run->device.session;
    struct ia_deadline deadline = ia_run_ctx_deadline(run, IA_ACTION_MS_MAX);
    struct ia_act_result act;
    enum ia_rc rc = ia_session_terminate(s, &deadline, run->proof.relaunch, &act, why);
    ia_act_result_fini(&act);
    IA_KILL_POINT("finish.ended");
    if (rc == IA_OK) {
        deadline = ia_run_ctx_deadline(run, IA_ACTION_MS_MAX);
        rc = ia_session_launch(s, &deadline, run->proof.relaunch, &act, why);
        ia_act_result_fini(&act);
    }
    if (rc != IA_OK) {
        ia_err_wrap(why, rc,
                    "%s could not be launched again for the expectations after a "
                    "relaunch",
                    run->proof.relaunch);
    }
    return rc;
}

void ia_proof_relaunch(struct ia_run_ctx *run, ia_proof_missing *missing, void *ctx,
                       const struct ia_snapshot **ret, struct ia_err *why)
{
    *ret = NULL;
    if (!ia_proof_relaunches(run)) {
        return;
    }
    why->code = relaunch(run, why);
    if (why->code == IA_OK) {
        ia_proof_await(run, true);
        ia_proof_forget_picture(run);
        *ret = ia_session_latest(run->device.session);
        check_screen(run, *ret, true, missing, ctx);
    }
    run->proof.relaunch[0] = '\0';
}
