/* faults.c: parses a fault list and picks the rule that strikes. The first match wins.
 *
 *   list    entry { "," entry }
 *   entry   name [ "@" first [ "-" last ] ] { ":" arg }
 *   arg     0.3 (a probability) │ 5 (a frame) │ retry-after=S │ retry-after-ms=MS
 *           │ should-retry=true|false │ type=ERROR (error-event) │ ms=MS (stall)
 *
 * Without a range a rule holds for every request, without a probability it always strikes. */
#include "mock/server/faults.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRY_MAX = 200 };
#define LAST_REQUEST INT64_MAX
#define NUMBER_MAX INT64_C(1000000000)

static const struct ia_mock_fault known[] = {
    {.name = "400", .status = 400},
    {.name = "401", .status = 401},
    {.name = "402", .status = 402},
    {.name = "403", .status = 403},
    {.name = "404", .status = 404},
    {.name = "409", .status = 409},
    {.name = "413", .status = 413},
    {.name = "429", .status = 429},
    {.name = "500", .status = 500},
    {.name = "503", .status = 503},
    {.name = "504", .status = 504},
    {.name = "529", .status = 529},
    {.name = "spend-limit",
     .status = 429,
     .details = "{\"error_code\":\"enforced_spend_limit_reached\"}"},
    {.name = "html502", .kind = IA_MOCK_FAULT_HTML, .status = 502},
    {.name = "html413", .kind = IA_MOCK_FAULT_HTML, .status = 413},
    {.name = "error-event", .kind = IA_MOCK_FAULT_ERROR_EVENT, .frame = 2},
    {.name = "cut", .kind = IA_MOCK_FAULT_CUT, .frame = 2},
    {.name = "reset", .kind = IA_MOCK_FAULT_RESET, .frame = 0},
    {.name = "stall", .kind = IA_MOCK_FAULT_STALL, .frame = 2},
    {.name = "garbage", .kind = IA_MOCK_FAULT_GARBAGE, .frame = 2},
};

struct parse {
    const char *spec;
    const char *at;
    struct ia_err *err;
};

static enum ia_rc error_at(const struct parse *p, const char *what)
{
    enum ia_rc rc = ia_err_set(p->err, IA_E_USAGE, "fault list, position %zu: %s in \"%.120s\"",
                               (size_t)(p->at - p->spec) + 1, what, p->spec);
    ia_err_hint(p->err, "entries look like 429@1:retry-after=1, 529:0.3 or cut@2:5");
    return rc;
}

static bool take_name(struct parse *p, struct ia_mock_fault *ret)
{
    size_t n = strcspn(p->at, "@:,");
    for (size_t i = 0; i < IA_COUNTOF(known); i++) {
        if (strlen(known[i].name) == n && strncmp(known[i].name, p->at, n) == 0) {
            *ret = known[i];
            p->at += n;
            return true;
        }
    }
    return false;
}

static bool take_integer(struct parse *p, int64_t min, int64_t *ret)
{
    char *end;
    errno = 0;
    if (*p->at < '0' || *p->at > '9') {
        return false;
    }
    long long v = strtoll(p->at, &end, 10);
    if (errno || v < min || v > NUMBER_MAX) {
        return false;
    }
    *ret = v;
    p->at = end;
    return true;
}

/* Digits with at most one point; nothing else that strtod would take. */
static bool take_real(struct parse *p, double *ret)
{
    size_t n = strspn(p->at, "0123456789.");
    char text[24];
    char *end;
    if (n == 0 || n >= sizeof(text)) {
        return false;
    }
    memcpy(text, p->at, n);
    text[n] = '\0';
    *ret = strtod(text, &end);
    if (*end || *ret > (double)NUMBER_MAX) {
        return false;
    }
    p->at += n;
    return true;
}

static enum ia_rc take_range(struct parse *p, struct ia_mock_fault *f)
{
    p->at++;
    if (!take_integer(p, 1, &f->first)) {
        return error_at(p, "expected a request number of at least 1");
    }
    f->last = f->first;
    if (*p->at == '-') {
        p->at++;
        if (!take_integer(p, f->first, &f->last)) {
            return error_at(p, "expected the end of a range of requests");
        }
    }
    return IA_OK;
}

static bool word(struct parse *p, const char *w)
{
    size_t n = strlen(w);
    if (strncmp(p->at, w, n) != 0) {
        return false;
    }
    p->at += n;
    return true;
}

static enum ia_rc take_bool(struct parse *p, int *ret)
{
    if (word(p, "true")) {
        *ret = 1;
    } else if (word(p, "false")) {
        *ret = 0;
    } else {
        return error_at(p, "expected true or false");
    }
    return IA_OK;
}

static enum ia_rc take_type(struct parse *p, struct ia_mock_fault *f)
{
    size_t n = strspn(p->at, "abcdefghijklmnopqrstuvwxyz_");
    if (n == 0 || n >= sizeof(f->type)) {
        return error_at(p, "expected an error type");
    }
    memcpy(f->type, p->at, n);
    f->type[n] = '\0';
    p->at += n;
    return IA_OK;
}

static enum ia_rc take_number(struct parse *p, struct ia_mock_fault *f)
{
    size_t n = strcspn(p->at, ":,");
    if (memchr(p->at, '.', n)) {
        return take_real(p, &f->probability) && f->probability <= 1
                   ? IA_OK
                   : error_at(p, "expected a probability from 0.0 to 1.0");
    }
    if (f->kind == IA_MOCK_FAULT_STATUS || f->kind == IA_MOCK_FAULT_HTML) {
        return error_at(p, "a probability needs a decimal point, a frame needs a stream");
    }
    return take_integer(p, 0, &f->frame) ? IA_OK : error_at(p, "expected a frame number");
}

static enum ia_rc take_arg(struct parse *p, struct ia_mock_fault *f)
{
    p->at++;
    if (*p->at >= '0' && *p->at <= '9') {
        return take_number(p, f);
    }
    if (word(p, "retry-after=")) {
        return take_real(p, &f->retry_after_s) ? IA_OK : error_at(p, "expected seconds");
    }
    if (word(p, "retry-after-ms=")) {
        return take_real(p, &f->retry_after_ms) ? IA_OK : error_at(p, "expected milliseconds");
    }
    if (word(p, "should-retry=")) {
        return take_bool(p, &f->should_retry);
    }
    if (word(p, "type=") && f->kind == IA_MOCK_FAULT_ERROR_EVENT) {
        return take_type(p, f);
    }
    if (word(p, "ms=") && f->kind == IA_MOCK_FAULT_STALL) {
        return take_integer(p, 0, &f->stall_ms) ? IA_OK : error_at(p, "expected milliseconds");
    }
    return error_at(p, "unknown argument");
}

static enum ia_rc take_entry(struct parse *p, struct ia_mock_fault *f)
{
    if (!take_name(p, f)) {
        return error_at(p, "unknown fault");
    }
    f->first = 1;
    f->last = LAST_REQUEST;
    f->probability = 1;
    f->retry_after_s = -1;
    f->retry_after_ms = -1;
    f->should_retry = -1;
    f->stall_ms = -1;
    snprintf(f->type, sizeof(f->type), "overloaded_error");
    enum ia_rc rc = *p->at == '@' ? take_range(p, f) : IA_OK;
    while (rc == IA_OK && *p->at == ':') {
        rc = take_arg(p, f);
    }
    if (rc == IA_OK && *p->at && *p->at != ',') {
        rc = error_at(p, "expected a comma, a colon or the end");
    }
    return rc;
}

enum ia_rc ia_mock_faults_parse(const char *spec, struct ia_mock_faults *ret,
                                struct ia_err *err)
{
    struct ia_mock_faults f = {.count = 0};
    struct parse p = {spec, spec, err};
    while (spec && *p.at) {
        if (f.count == IA_MOCK_FAULTS_MAX) {
            return error_at(&p, "too many faults");
        }
        enum ia_rc rc = take_entry(&p, &f.rules[f.count++]);
        if (rc != IA_OK) {
            return rc;
        }
        if (*p.at == ',' && !*++p.at) {
            return error_at(&p, "expected a fault");
        }
    }
    *ret = f;
    return IA_OK;
}

const struct ia_mock_fault *ia_mock_faults_pick(const struct ia_mock_faults *f, int64_t request,
                                                uint64_t rnd)
{
    for (size_t i = 0; i < f->count; i++) {
        const struct ia_mock_fault *rule = &f->rules[i];
        /* 53 bits make a fraction below 1, so 1.0 always strikes and 0.0 never does. */
        double dice = (double)(rnd >> 11) / 9007199254740992.0;
        rnd = rnd * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        if (request >= rule->first && request <= rule->last && dice < rule->probability) {
            return rule;
        }
    }
    return NULL;
}
