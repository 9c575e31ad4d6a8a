/* fetch_tool.c: the tool fetch_url.
 *
 *     url ─► no secret in it? ─► net/fetch.h ─► page_text.h ─► a part of the text, fenced
 *
 * A GET changes nothing, so the journal repeats it after a crash. What a page says is no screen:
 * evidence cannot quote it, and the verifier is not shown it. */
#include "agent/core_tools/core_tools_impl.h"
#include "agent/core_tools/page_text.h"
#include "agent/core_tools/url_secret.h"
#include "base/utf8.h"
#include "json/json.h"

enum { PART_BYTES = 20 << 10, TYPE_SHOWN = 100 };

/* Of the system's monotonic clock: the earlier of the run's limit, which counts by its own, and ours. */
static int64_t deadline_us(const struct ia_core_tools *core, const struct ia_tool_env *env)
{
    int seconds = core->settings.fetch_seconds;
    int64_t left_us = INT64_C(1000000) * (seconds > 0 ? seconds : IA_FETCH_SECONDS_DEFAULT);
    if (env->limit.at_us != IA_NO_DEADLINE) {
        int64_t run_us = env->limit.at_us - ia_mono_us(env->clock);
        left_us = run_us < left_us ? run_us : left_us;
    }
    return ia_mono_us(ia_clock_system()) + left_us;
}

static void put_page(const struct ia_tool_env *env, const struct ia_fetch_answer *a,
                     const struct ia_buf *title, struct ia_str part, struct ia_buf *out)
{
    struct ia_buf page = IA_BUF(IA_RESULT_BYTES_MAX);
    ia_buf_printf(&page, "url: %s\nstatus: %d\ntype: %.*s\n", a->url, a->status, TYPE_SHOWN,
                  *a->type ? a->type : "not said");
    if (title->len > 0) {
        ia_buf_printf(&page, "title: %s\n", ia_buf_cstr(title));
    }
    ia_buf_putc(&page, '\n');
    ia_buf_putstr(&page, part);
    ia_buf_putc(out, '\n');
    ia_fence_data(out, env->boundary, ia_buf_str(&page));
    ia_buf_fini(&page);
}

/* The part of the text that begins at start, or behind the character that it falls into. */
static struct ia_str part_of(struct ia_str text, size_t start)
{
    size_t from = start < text.n ? start : text.n;
    while (from < text.n && ((unsigned char)text.p[from] & 0xc0) == 0x80) {
        from++;
    }
    struct ia_str rest = {text.p + from, text.n - from};
    rest.n = rest.n > PART_BYTES ? ia_utf8_cut(rest.p, PART_BYTES) : rest.n;
    return rest;
}

static void put_place(struct ia_str text, struct ia_str part, bool cut, struct ia_buf *out)
{
    size_t from = (size_t)(part.p - text.p), end = from + part.n;
    if (from > 0 || end < text.n) {
        ia_buf_printf(out, "\ntext: bytes %zu to %zu of %zu", from, end, text.n);
    }
    if (end < text.n) {
        ia_buf_printf(out, "; the next part: start %zu", end);
    }
    if (cut) {
        ia_buf_puts(out, "\nThe page is longer than is read; its end is missing.");
    }
}

static enum ia_rc show(const struct ia_tool_env *env, const struct ia_fetch_answer *a,
                       size_t start, struct ia_buf *out, struct ia_err *err)
{
    struct ia_buf title = IA_BUF(IA_PAGE_TITLE_MAX + 1), text = IA_BUF(IA_PAGE_TEXT_MAX);
    const struct ia_page page = {
        .url = a->url, .type = a->type, .charset = a->charset, .bytes = ia_buf_str(&a->body)};
    enum ia_rc rc = ia_page_read(&page, &title, &text, err);
    if (rc == IA_OK) {
        struct ia_str part = part_of(ia_buf_str(&text), start);
        put_place(ia_buf_str(&text), part, a->cut, out);
        put_page(env, a, &title, part, out);
    }
    ia_buf_fini(&title);
    ia_buf_fini(&text);
    return rc;
}

enum ia_rc ia_fetch_tool_call(void *ctx, const struct ia_tool_env *env, const json_t *input,
                              struct ia_tool_result *ret, struct ia_err *err)
{
    const struct ia_core_tools *core = ctx;
    struct ia_fetch_answer answer = {.status = 0};
    int64_t bytes_max = core->settings.fetch_bytes_max;
    const struct ia_fetch fetch = {
        .url = ia_json_text(input, "url"),
        .rules = core->settings.fetch,
        .wants = ia_page_is_text,
        .bytes_max = (size_t)(bytes_max > 0 ? bytes_max : IA_FETCH_BYTES_DEFAULT),
        .deadline_us = deadline_us(core, env),
        .cancel = env->limit.cancel,
    };
    json_int_t start = json_integer_value(json_object_get(input, "start"));
    enum ia_rc rc = ia_url_secret_check(core->secrets, ia_str(fetch.url), err);
    if (rc == IA_OK) {
        rc = ia_fetch(&fetch, &answer, err);
        rc = rc == IA_OK ? show(env, &answer, start > 0 ? (size_t)start : 0, &ret->text, err)
                         : rc;
        ia_fetch_answer_fini(&answer);
    }
    return rc;
}
