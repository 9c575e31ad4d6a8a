/* fake_http.c: a request in memory, taken apart at its line breaks. */
#include "fake_http.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

int stream_waits_left;

const char *ia_http_query(const struct ia_http_request *r, const char *name)
{
    const struct fake_request *f = r->connection;
    for (size_t i = 0; i < f->members; i++) {
        if (strcmp(f->names[i], name) == 0) {
            return f->values[i];
        }
    }
    return NULL;
}

void ia_http_query_each(const struct ia_http_request *r, ia_http_query_fn *fn, void *ctx)
{
    const struct fake_request *f = r->connection;
    for (size_t i = 0; i < f->members; i++) {
        fn(ctx, f->names[i], f->values[i]);
    }
}

const char *ia_http_header(const struct ia_http_request *r, const char *name)
{
    const struct fake_request *f = r->connection;
    for (size_t i = 0; i < f->header_count; i++) {
        if (strcasecmp(f->header_names[i], name) == 0) {
            return f->header_values[i];
        }
    }
    return NULL;
}

struct ia_cancel *ia_http_cancel(const struct ia_http_request *r)
{
    (void)r;
    return NULL;
}

bool ia_http_stream_wait(struct ia_http_stream *s, int64_t until_us)
{
    (void)s;
    (void)ia_clock_wait(ia_clock_system(), NULL, until_us);
    return --stream_waits_left > 0;
}

void ia_http_stream_wake(struct ia_http_stream *s)
{
    (void)s;
}

/* Ends the text at the first of these characters, and returns what is behind it; NULL: none is there. */
static char *cut(char *text, const char *at)
{
    char *end = text ? strpbrk(text, at) : NULL;
    if (end) {
        *end++ = '\0';
    }
    return end;
}

bool fake_request_init(struct fake_request *f, const char *line, const char *headers,
                       struct ia_str body)
{
    *f = (struct fake_request){.line = ia_strdup(line), .headers = ia_strdup(headers)};
    f->body = ia_strndup(body.n > 0 ? body.p : "", body.n); /* a route may write to it */
    f->r = (struct ia_http_request){.method = f->line,
                                    .body = {f->body, body.n},
                                    .scope = IA_HTTP_SCOPE_ACT,
                                    .client = "unix",
                                    .connection = f};
    char *path = cut(f->line, " ");
    char *query = cut(path, "?");
    f->r.path = path;
    while (query && *query != '\0' && f->members < FAKE_MEMBERS_MAX) {
        char *next = cut(query, "&");
        char *value = cut(query, "=");
        f->names[f->members] = query;
        f->values[f->members++] = value ? value : "";
        query = next;
    }
    for (char *h = f->headers; h && *h != '\0' && f->header_count < FAKE_HEADERS_MAX;) {
        char *next = cut(h, "\n");
        char *value = cut(h, ":");
        if (value) {
            f->header_names[f->header_count] = h;
            f->header_values[f->header_count++] = value + strspn(value, " ");
        }
        h = next;
    }
    return path && path[0] == '/' && !strstr(path, "..") && !strstr(path, "//");
}

void fake_request_fini(struct fake_request *f)
{
    free(f->line);
    free(f->headers);
    free(f->body);
}
