/* dashboard.c: answers with a file of the page. The address of a file does not change with its text, so
 * a browser asks each time and is told by a hash that it has the text already. */
#include "server/dashboard/dashboard.h"

#include "base/hash.h"

#include <stdio.h>
#include <string.h>

/* Everything is this origin's own. No text ever becomes markup or a program: trusted types refuse it
 * where a slip in the page would let it. Source: w3c.github.io/webappsec-csp, 2026-11. */
static const char policy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
    "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'";

enum { NAME_BYTES_MAX = 128 };

static const struct {
    const char *end, *type;
} types[] = {
    {".html", "text/html; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".svg", "image/svg+xml"},
};

bool ia_dashboard_path(const char *path)
{
    return strcmp(path, "/") == 0 || strcmp(path, "/favicon.svg") == 0 ||
           strncmp(path, "/app/", 5) == 0;
}

static const char *type_of(const char *name)
{
    size_t n = strlen(name);
    for (size_t i = 0; i < IA_COUNTOF(types); i++) {
        size_t m = strlen(types[i].end);
        if (n >= m && strcmp(name + n - m, types[i].end) == 0) {
            return types[i].type;
        }
    }
    return "application/octet-stream";
}

static void refuse(struct ia_http_reply *reply, enum ia_rc code, const char *path)
{
    struct ia_err err = {.code = IA_OK};
    (void)ia_err_set(&err, code, "the dashboard has no \"%.100s\"", path);
    ia_http_reply_error(reply, &err);
}

/* The compressed form, where the caller takes it. No caller forbids it by "gzip;q=0". */
static const struct ia_embedded *packed(const struct ia_http_request *request,
                                        struct ia_http_reply *reply,
                                        const struct ia_embedded *file)
{
    char name[NAME_BYTES_MAX];
    const char *takes = ia_http_header(request, "Accept-Encoding");
    (void)snprintf(name, sizeof(name), "%s.gz", file->name);
    const struct ia_embedded *gz = ia_embedded_find(ia_embedded_dashboard, name);
    ia_http_reply_header(reply, "Vary", "Accept-Encoding");
    if (!gz || !takes || !strstr(takes, "gzip")) {
        return file;
    }
    ia_http_reply_header(reply, "Content-Encoding", "gzip");
    return gz;
}

void ia_dashboard_handle(const struct ia_http_request *request, struct ia_http_reply *reply)
{
    const char *name = strcmp(request->path, "/") == 0 ? "index.html" : request->path + 1;
    const struct ia_embedded *file = ia_embedded_find(ia_embedded_dashboard, name);
    if (!file || strcmp(request->method, "GET") != 0) {
        refuse(reply, file ? IA_E_UNSUPPORTED : IA_E_NOT_FOUND, request->path);
        return;
    }
    file = packed(request, reply, file);
    char hash[IA_SHA256_HEX_SIZE], tag[IA_SHA256_HEX_SIZE + 2];
    ia_sha256_hex(file->data, file->size, hash);
    (void)snprintf(tag, sizeof(tag), "\"%s\"", hash);
    ia_http_reply_header(reply, "ETag", "%s", tag);
    ia_http_reply_header(reply, "Cache-Control", "no-cache");
    ia_http_reply_header(reply, "Content-Security-Policy", "%s", policy);
    ia_http_reply_header(reply, "Referrer-Policy", "no-referrer");
    ia_http_reply_header(reply, "Cross-Origin-Opener-Policy", "same-origin");
    reply->content_type = type_of(name);
    const char *known = ia_http_header(request, "If-None-Match");
    if (known && strstr(known, tag)) {
        reply->status = 304;
        return;
    }
    ia_buf_put(&reply->body, file->data, file->size);
}
