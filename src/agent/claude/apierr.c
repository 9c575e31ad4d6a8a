/* apierr.c: what an error of the API means: its code, and the hint of what to do.
 *
 * The status decides; the error's type stands in for it in a stream, where the status was 200
 * already. Three errors are known only by their text or error_code: a prompt that is too long (a
 * 400 like any other) and the two spend limits. */
#include "agent/claude/jscan.h"
#include "agent/claude/retry.h"
#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *type;
    int status;
} types[] = {
    {"invalid_request_error", 400}, {"authentication_error", 401}, {"billing_error", 402},
    {"permission_error", 403},      {"not_found_error", 404},      {"conflict_error", 409},
    {"request_too_large", 413},     {"rate_limit_error", 429},     {"api_error", 500},
    {"timeout_error", 504},         {"overloaded_error", 529},
};

static int status_of(const char *type)
{
    for (size_t i = 0; i < IA_COUNTOF(types); i++) {
        if (strcmp(type, types[i].type) == 0) {
            return types[i].status;
        }
    }
    return 0;
}

static enum ia_rc code_of(int status)
{
    static const struct {
        int status;
        enum ia_rc code;
    } rows[] = {
        {401, IA_E_API_AUTH},       {402, IA_E_API_BILLING}, {403, IA_E_API_PERMISSION},
        {404, IA_E_API_NOT_FOUND},  {408, IA_E_API_TIMEOUT}, {409, IA_E_API_SERVER},
        {413, IA_E_API_TOO_LARGE},  {429, IA_E_API_RATE},    {504, IA_E_API_TIMEOUT},
        {529, IA_E_API_OVERLOADED},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        if (rows[i].status == status) {
            return rows[i].code;
        }
    }
    if (status >= 500) {
        return IA_E_API_SERVER;
    }
    return status >= 400 ? IA_E_API_INVALID : IA_E_API_PROTOCOL;
}

static void copy_member(char *dst, size_t size, struct ia_str object, const char *key)
{
    char *text = ia_json_get_string(object, key);
    struct ia_str s = ia_str(text);
    size_t n = s.n < size ? s.n : ia_utf8_cut(s.p, size - 1);
    memcpy(dst, text ? text : "", n);
    dst[n] = '\0';
    free(text);
}

/* The words of a body that is not the API's JSON: tags left out, white space collapsed. */
static void copy_words(char *dst, size_t size, struct ia_str body)
{
    size_t n = 0;
    bool in_tag = false;
    for (size_t i = 0; i < body.n && n + 1 < size && n < 200; i++) {
        unsigned char c = (unsigned char)body.p[i];
        in_tag = c == '<' || (in_tag && c != '>');
        bool word = !in_tag && c > ' ' && c < 0x7F && c != '>';
        if (word) {
            dst[n++] = (char)c;
        } else if (n > 0 && dst[n - 1] != ' ') {
            dst[n++] = ' ';
        }
    }
    dst[n > 0 && dst[n - 1] == ' ' ? n - 1 : n] = '\0';
}

/* Spend limits come as 429, and a prompt that is too long as 400 like any other invalid request. */
static enum ia_rc classify(const struct ia_api_failure *f)
{
    if (strcmp(f->error_code, "enforced_spend_limit_reached") == 0 ||
        strcmp(f->error_code, "contract_spend_limit_reached") == 0) {
        return IA_E_API_SPEND;
    }
    if (f->status == 400 && (strstr(f->message, "prompt is too long") ||
                             strstr(f->message, "exceed context limit"))) {
        return IA_E_API_TOO_LARGE;
    }
    return code_of(f->status);
}

void ia_api_error(struct ia_api_failure *f, int status, struct ia_str body)
{
    struct ia_str error = ia_json_valid(body) ? ia_json_get(body, "error") : (struct ia_str){0};
    if (error.n > 0 && error.p[0] == '{') {
        copy_member(f->type, sizeof(f->type), error, "type");
        copy_member(f->message, sizeof(f->message), error, "message");
        copy_member(f->error_code, sizeof(f->error_code), ia_json_get(error, "details"),
                    "error_code");
    } else {
        copy_words(f->message, sizeof(f->message), body);
    }
    if (!f->headers.request_id[0]) {
        copy_member(f->headers.request_id, sizeof(f->headers.request_id), body, "request_id");
    }
    int named = status_of(f->type);
    f->status = status ? status : named ? named : 500;
    f->code = classify(f);
}

static void set_hint(const struct ia_api_failure *f, const char *model, struct ia_err *err)
{
    static const struct {
        enum ia_rc code;
        const char *hint;
    } rows[] = {
        {IA_E_API_AUTH, "the key was rejected: set a valid one with `ios-agent key set`, or "
                        "check ANTHROPIC_API_KEY and ANTHROPIC_AUTH_TOKEN"},
        {IA_E_API_PERMISSION,
         "this key is not allowed to do that: use a key of a workspace that has access"},
        {IA_E_API_BILLING, "check the billing of the API account"},
        {IA_E_API_SPEND, "the account's spend limit is reached: raise it in the API console"},
        {IA_E_API_RATE,
         "the account's rate limit is reached: run fewer agents at once, or try later"},
        {IA_E_API_OVERLOADED, "the API is overloaded: try again in a few minutes"},
        {IA_E_API_TOO_LARGE,
         "the conversation is too long for the model: start a new run, or use "
         "a model with a larger context"},
        {IA_E_API_NETWORK, "check the network, the proxy (HTTPS_PROXY) and the base URL "
                           "(ANTHROPIC_BASE_URL)"},
        {IA_E_API_TIMEOUT, "check the network, or try again later"},
        {IA_E_API_STREAM, "the connection was lost while the model was answering: try again"},
        {IA_E_API_SERVER, "the API had an internal problem: try again later"},
        {IA_E_API_PROTOCOL, "the server at the base URL does not speak the Messages API: check "
                            "ANTHROPIC_BASE_URL"},
    };
    if (f->code == IA_E_API_NOT_FOUND) {
        ia_err_hint(err, "check the model name \"%s\" (--model) and the base URL",
                    model ? model : "");
        return;
    }
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        if (rows[i].code == f->code) {
            ia_err_hint(err, "%s", rows[i].hint);
        }
    }
}

enum ia_rc ia_api_failure_err(const struct ia_api_failure *f, const char *model,
                              struct ia_err *err)
{
    const char *id = f->headers.request_id;
    if (f->status == 0) {
        ia_err_set(err, f->code, "%s", f->message);
    } else {
        ia_err_set(err, f->code, "the API answered %d%s%s%s%s%s%s%s", f->status,
                   f->type[0] ? " " : "", f->type, f->message[0] ? ": " : "", f->message,
                   id[0] ? " (request " : "", id, id[0] ? ")" : "");
    }
    if (err) {
        err->http_status = f->status;
        err->retry_safe = true;
        set_hint(f, model, err);
    }
    return f->code;
}
