/* fuzz_http.c: what strangers send to the daemon: a request's target, and the headers that decide who may talk.
 *
 * The input's lines are target, method, Host, Origin, Sec-Fetch-Site, Authorization, Content-Type; "-" is a
 * header that is not there. Whatever they are: a target that is read has one plain path, and nobody
 * without the token gets further than the public paths of this machine's own names. */
#include "server/http/access.h"
#include "server/http/target.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void check_target(const char *raw)
{
    struct ia_target t;
    struct ia_err err = {0};
    if (ia_target_parse(raw, &t, &err) != IA_OK) {
        must(err.code == IA_E_PARSE && err.msg[0]);
        return;
    }
    must(t.path[0] == '/' && strlen(t.path) <= strlen(raw));
    must(!strstr(t.path, "//") && !strstr(t.path, "/../") && !strstr(t.path, "/./"));
    size_t n = strlen(t.path);
    must(n < 3 || strcmp(t.path + n - 3, "/..") != 0);
    must(!strpbrk(t.path, "\\\n\r"));
    must(t.members <= IA_HTTP_QUERY_MAX);
    for (size_t i = 0; i < t.members; i++) {
        must(t.query[i].name[0] != '\0');
        must(ia_target_query(&t, t.query[i].name) == t.query[i].value);
    }
    ia_target_fini(&t);
}

static bool is_public(const struct ia_access_request *r)
{
    bool looks = strcmp(r->method, "GET") == 0 || strcmp(r->method, "HEAD") == 0;
    return looks ? strcmp(r->path, "/") == 0 || strcmp(r->path, "/favicon.svg") == 0 ||
                       strncmp(r->path, "/app/", 5) == 0
                 : strcmp(r->method, "POST") == 0 && strcmp(r->path, "/v1/login") == 0;
}

static void check_access(char *const lines[7])
{
    static struct ia_access *access;
    if (!access) {
        access = ia_access_new(&(struct ia_access_opts){.allowed_hosts = "proxy.example"});
    }
    struct ia_access_request r = {.listener = IA_HTTP_TCP,
                                  .port = 4848,
                                  .path = lines[0],
                                  .method = lines[1],
                                  .host = lines[2],
                                  .origin = lines[3],
                                  .fetch_site = lines[4],
                                  .authorization = lines[5],
                                  .content_type = lines[6],
                                  .has_body = true};
    struct ia_access_verdict v;
    struct ia_err err = {0};
    ia_access_check(access, &r, &v, &err);
    must(v.scope == IA_HTTP_SCOPE_NONE);
    must((v.status != 0) == (err.msg[0] != '\0'));
    if (v.status == 0) {
        must(is_public(&r) && r.host && (strstr(r.host, ":4848") || strlen(r.host) == 13));
        must(!r.origin || strstr(r.origin, r.host) || strcasecmp(r.origin + 7, r.host) == 0 ||
             strcasecmp(r.origin + 8, r.host) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = ia_strndup((const char *)data, size);
    char *lines[7] = {NULL};
    char *p = text;
    for (size_t i = 0; i < IA_COUNTOF(lines) && p; i++) {
        lines[i] = p;
        p = strchr(p, '\n');
        if (p) {
            *p++ = '\0';
        }
    }
    for (size_t i = 2; i < IA_COUNTOF(lines); i++) {
        lines[i] = lines[i] && strcmp(lines[i], "-") == 0 ? NULL : lines[i];
    }
    check_target(lines[0]);
    lines[1] = lines[1] ? lines[1] : lines[0];
    check_access(lines);
    free(text);
    return 0;
}
