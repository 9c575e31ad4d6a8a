/* retry.c: whether, when and in which form a refused request is sent again. Pure.
 *
 *     failure ─► repair possible? ─► sent again at once, changed (each repair once per session)
 *                     │ no
 *                     ▼
 *                worth a retry, tries left? ─► wait: retry-after, else backoff with jitter
 *                     │ no                     (longer than 10 min or the deadline: final)
 *                     ▼
 *                   final
 *
 * 429 and 529 have a count and a cap of their own: an overloaded server recovers in minutes. */
#include "agent/claude/retry.h"

#include "base/clock.h"

#include <stdio.h>
#include <string.h>

struct ia_retry ia_retry_start(int max_retries, int64_t deadline_us)
{
    bool few = max_retries < IA_RETRY_TRIES;
    return (struct ia_retry){.tries_left = few ? max_retries : IA_RETRY_TRIES,
                             .overload_tries_left = max_retries,
                             .deadline_us = deadline_us};
}

/* Reads "12" or "12.5" times scale into *ret; false for anything else or more than a day's
 * worth of digits. Independent of the locale. */
static bool parse_decimal(const char *s, int64_t scale, int64_t *ret)
{
    int64_t integral = 0;
    size_t n = strspn(s, "0123456789");
    if (n == 0 || n > 10) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        integral = integral * 10 + (s[i] - '0');
    }
    int64_t value = integral * scale;
    s += n;
    if (*s == '.') {
        s++;
        for (int64_t unit = scale / 10; *s >= '0' && *s <= '9'; s++, unit /= 10) {
            value += unit * (*s - '0');
        }
    }
    *ret = value;
    return *s == '\0';
}

/* True when s is written like form, where 0 stands for any digit and a for any letter. */
static bool written_like(const char *s, const char *form)
{
    for (; *form; s++, form++) {
        bool digit = *s >= '0' && *s <= '9';
        bool letter = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z');
        if (*form == '0' ? !digit : *form == 'a' ? !letter : *s != *form) {
            return false;
        }
    }
    return *s == '\0';
}

/* An HTTP date as wall-clock milliseconds. */
static bool parse_http_date(const char *s, int64_t *ret_wall_ms)
{
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    char iso[IA_ISO_SIZE];
    int month = 0;
    if (!written_like(s, "aaa, 00 aaa 0000 00:00:00 GMT")) {
        return false;
    }
    while (month < 12 && strncmp(s + 8, months[month], 3) != 0) {
        month++;
    }
    int n =
        snprintf(iso, sizeof(iso), "%.4s-%02d-%.2sT%.8sZ", s + 12, month + 1, s + 5, s + 17);
    return month < 12 && n > 0 && (size_t)n < sizeof(iso) &&
           ia_iso_parse(iso, ret_wall_ms) == IA_OK;
}

int64_t ia_retry_after_ms(const struct ia_api_headers *h, int64_t wall_ms)
{
    int64_t ms;
    if (parse_decimal(h->retry_after_ms, 1, &ms) && ms > 0) {
        return ms;
    }
    if (parse_decimal(h->retry_after, 1000, &ms)) {
        return ms > 0 ? ms : -1;
    }
    if (parse_http_date(h->retry_after, &ms)) {
        return ms > wall_ms ? ms - wall_ms : -1;
    }
    return -1;
}

static bool worth_retrying(const struct ia_api_failure *f)
{
    if (f->code == IA_E_API_SPEND) {
        return false;
    }
    /* The server's word (x-should-retry) wins over the status. */
    if (f->headers.should_retry >= 0) {
        return f->headers.should_retry == 1;
    }
    if (f->status > 0) {
        return f->status == 408 || f->status == 409 || f->status == 429 || f->status >= 500;
    }
    return ia_rc_retryable(f->code);
}

/* min(base * 2^n, cap), less up to a quarter so that many clients spread out. */
static int64_t backoff_ms(int n, int64_t cap_ms, uint64_t rnd)
{
    /* The shift stays below the cap's width however often it was tried. */
    int64_t ms = n < 16 ? (int64_t)IA_RETRY_BASE_MS << n : cap_ms;
    ms = ms < cap_ms ? ms : cap_ms;
    return ms - ms * (int64_t)(rnd % 1000) / 4000;
}

bool ia_retry_next(struct ia_retry *r, const struct ia_api_failure *f, int64_t now_us,
                   int64_t wall_ms, uint64_t rnd, int64_t *ret_wait_ms)
{
    bool busy = f->status == 429 || f->status == 529;
    int *left = busy ? &r->overload_tries_left : &r->tries_left;
    if (*left <= 0 || !worth_retrying(f)) {
        return false;
    }
    int64_t wait_ms = ia_retry_after_ms(&f->headers, wall_ms);
    if (wait_ms < 0) {
        wait_ms = backoff_ms(r->tried, busy ? IA_RETRY_CAP_OVERLOAD_MS : IA_RETRY_CAP_MS, rnd);
    }
    /* Waiting for nothing is worse than failing now: the run can be retried later by the
     * queue. */
    if (wait_ms > IA_RETRY_AFTER_MAX_MS ||
        (r->deadline_us != IA_NO_DEADLINE && wait_ms > (r->deadline_us - now_us) / 1000)) {
        return false;
    }
    (*left)--;
    r->tried++;
    *ret_wait_ms = wait_ms;
    return true;
}

static bool mentions(const struct ia_api_failure *f, const char *text)
{
    return strstr(f->message, text) != NULL;
}

/* The server does not know the members or the beta that the binding repair added. */
static bool binding_refused(const struct ia_api_failure *f)
{
    return mentions(f, "block_binding") || mentions(f, "anthropic-beta") ||
           mentions(f, "thinking.type");
}

static bool unsupported(const struct ia_api_failure *f, const char *member)
{
    return mentions(f, member) && mentions(f, "not supported for this model");
}

static enum ia_repair repair_signature(struct ia_claude_repairs *rep)
{
    /* Gently first: the server drops the blocks that do not match. All thinking is stripped
     * only if that does not help. */
    if (!rep->binding) {
        rep->binding = true;
        return IA_REPAIR_BINDING;
    }
    rep->strip_thinking = true;
    return IA_REPAIR_STRIP;
}

static enum ia_repair repair_invalid(const struct ia_api_failure *f,
                                     const struct ia_claude_request *req,
                                     struct ia_claude_repairs *rep)
{
    if (!rep->strip_thinking && (mentions(f, "Invalid `signature` in `thinking` block") ||
                                 (rep->binding && binding_refused(f)))) {
        return repair_signature(rep);
    }
    if (unsupported(f, "thinking") && req->thinking.n > 0 && !rep->no_thinking) {
        rep->no_thinking = true;
        return IA_REPAIR_THINKING;
    }
    if (unsupported(f, "tool_choice") && req->tool_choice.n > 0 && !rep->no_tool_choice) {
        rep->no_tool_choice = true;
        return IA_REPAIR_TOOL_CHOICE;
    }
    return IA_REPAIR_NONE;
}

enum ia_repair ia_repair_next(const struct ia_api_failure *f,
                              const struct ia_claude_request *req,
                              struct ia_claude_repairs *rep)
{
    if (f->code == IA_E_API_TOO_LARGE) {
        return IA_REPAIR_IMAGES;
    }
    return f->status == 400 ? repair_invalid(f, req, rep) : IA_REPAIR_NONE;
}
