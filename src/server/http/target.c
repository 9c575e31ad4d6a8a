/* target.c: reads a request's target, strictly.
 *
 *     /v1/runs/a%20b?state=passed&limit=5
 *     └── path ────┘ └── members ───────┘   every text is decoded into one block of memory, which is
 *                                           never longer than the raw text and a NUL for each part */
#include "server/http/target.h"

#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

/* What is left to decode, and where it goes. */
struct reader {
    const char *p;
    char *out;
};

static int digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* Decodes up to one of `ends` or the end of the text. NULL where a "%" is no escape, or is one of
 * NUL: then nothing in the target can be trusted. */
static const char *decode(struct reader *r, const char *ends, bool plus)
{
    char *start = r->out;
    for (; *r->p && !strchr(ends, *r->p); r->p++) {
        char c = plus && *r->p == '+' ? ' ' : *r->p;
        if (c == '%') {
            int high = digit(r->p[1]);
            int low = high < 0 ? -1 : digit(r->p[2]);
            if (low < 0 || (high == 0 && low == 0)) {
                return NULL;
            }
            c = (char)(high << 4 | low);
            r->p += 2;
        }
        *r->out++ = c;
    }
    *r->out++ = '\0';
    for (const char *p = start; *p;) {
        size_t n = ia_utf8_valid_len(p, strlen(p));
        if (n == 0) {
            return NULL;
        }
        p += n;
    }
    return start;
}

/* One spelling for each path: routes compare texts, and a check that saw another one than the route
 * would be no check. */
static bool path_is_plain(const char *path)
{
    for (const char *p = path; *p;) {
        size_t n = strcspn(++p, "/");
        bool dots = (n == 1 && p[0] == '.') || (n == 2 && p[0] == '.' && p[1] == '.');
        if (dots || (n == 0 && *p)) {
            return false;
        }
        p += n;
    }
    for (const char *p = path; *p; p++) {
        if ((unsigned char)*p < ' ' || *p == 0x7f || *p == '\\') {
            return false;
        }
    }
    return true;
}

static bool has_encoded_slash(const char *raw, size_t n)
{
    for (size_t i = 0; i + 2 < n; i++) {
        if (raw[i] == '%' && raw[i + 1] == '2' && (raw[i + 2] | 0x20) == 'f') {
            return true;
        }
    }
    return false;
}

static const char *read_query(struct reader *r, struct ia_target *t)
{
    while (*r->p) {
        if (!*++r->p) { /* nothing behind a "?" or "&" */
            break;
        }
        const char *name = decode(r, "=&", true);
        bool valued = *r->p == '=';
        r->p += valued;
        const char *value = valued ? decode(r, "&", true) : "";
        if (!name || !value || !*name) {
            return "a member of its query has no name, or is not UTF-8 text in URL encoding";
        }
        if (ia_target_query(t, name)) {
            return "a member of its query comes twice";
        }
        if (t->members == IA_HTTP_QUERY_MAX) {
            return "its query has too many members";
        }
        t->query[t->members].name = name;
        t->query[t->members++].value = value;
    }
    return NULL;
}

static const char *read_target(const char *raw, struct ia_target *t)
{
    for (const char *p = raw; *p; p++) {
        if (*p <= ' ' || *p >= 0x7f) {
            return "it has a character that is not visible ASCII";
        }
    }
    struct reader r = {.p = raw, .out = t->memory};
    const char *path = decode(&r, "?", false);
    if (raw[0] != '/' || !path || !path_is_plain(path) ||
        has_encoded_slash(raw, (size_t)(r.p - raw))) {
        return "it is not one plain absolute path: no scheme or host, no empty segment, no "
               "\".\" or "
               "\"..\", no encoded \"/\" or control character";
    }
    t->path = t->memory;
    return read_query(&r, t);
}

enum ia_rc ia_target_parse(const char *raw, struct ia_target *ret, struct ia_err *err)
{
    /* Decoding only shortens; each part adds its NUL in the place of what ended it. */
    struct ia_target t = {.memory = ia_alloc(strlen(raw) + 2)};
    const char *wrong = read_target(raw, &t);
    if (wrong) {
        ia_target_fini(&t);
        return ia_err_set(err, IA_E_PARSE, "the request's target is not valid: %s", wrong);
    }
    *ret = t;
    return IA_OK;
}

void ia_target_fini(struct ia_target *t)
{
    free(t->memory);
    *t = (struct ia_target){0};
}

const char *ia_target_query(const struct ia_target *t, const char *name)
{
    for (size_t i = 0; i < t->members; i++) {
        if (strcmp(t->query[i].name, name) == 0) {
            return t->query[i].value;
        }
    }
    return NULL;
}
