/* A request to the control API: its line, header lines, an empty line and a body. No request may bring
 * the daemon down; every answer but a stream's and a file's is an envelope. */
#include "fake_http.h"

#include "server/api/api.h"

#include <ftw.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void facts(void *ctx, struct ia_api_facts *ret)
{
    (void)ctx;
    *ret = (struct ia_api_facts){.idle_in_s = -1};
}

static void stop(void *ctx, bool drain)
{
    (void)ctx;
    (void)drain;
}

static char home[] = "/tmp/ia-fuzz-api-XXXXXX";

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    return remove(path);
}

static void remove_home(void)
{
    (void)nftw(home, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/* One home and no threads that do runs: those it makes wait for ever. */
static struct ia_api *api(void)
{
    static struct ia_setup setup;
    static struct ia_credentials none;
    static struct ia_api *made;
    struct ia_runs *runs = NULL;
    struct ia_err err;
    if (made) {
        return made;
    }
    if (!mkdtemp(home) || atexit(remove_home) != 0 || setenv("IOS_AGENT_HOME", home, 1) != 0 ||
        setenv("IOS_AGENT_CONFIG", "/dev/null", 1) != 0 ||
        ia_setup_store(&setup, "fuzz", &err) != IA_OK ||
        ia_runs_open(&(struct ia_runs_opts){.setup = &setup, .credentials = &none}, &runs,
                     &err) != IA_OK) {
        abort();
    }
    const struct ia_hub_opts hub = {.paths = &setup.paths, .command = "fuzz"};
    const struct ia_api_opts opts = {.setup = &setup,
                                     .credentials = &none,
                                     .runs = runs,
                                     .hub = ia_hub_new(&hub),
                                     .daemon = {.facts = facts, .stop = stop},
                                     .build = "fuzz",
                                     .version = "1"};
    made = ia_api_new(&opts);
    return made;
}

static void check(const struct ia_http_reply *reply)
{
    if (reply->stream) {
        struct ia_buf out = IA_BUF(2 << 20);
        stream_waits_left = 0;
        (void)reply->stream->next(reply->stream_ctx, NULL, &out);
        reply->stream->done(reply->stream_ctx);
        ia_buf_fini(&out);
        return;
    }
    json_error_t where;
    json_t *j = reply->content_type ? NULL
                                    : json_loadb(reply->body.p, reply->body.len,
                                                 JSON_REJECT_DUPLICATES, &where);
    bool document = json_object_get(j, "openapi") || json_object_get(j, "results") != NULL;
    if (!reply->content_type && !document && !json_object_get(j, "status") &&
        reply->status >= 400) {
        fprintf(stderr, "no envelope: %d %.*s\n", reply->status, (int)reply->body.len,
                reply->body.p);
        abort();
    }
    json_decref(j);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fake_request f;
    char *text = ia_strndup((const char *)data, size);
    size_t head = strlen(text);
    char *body = strstr(text, "\n\n");
    struct ia_str bytes = {NULL, 0};
    if (body && (size_t)(body - text) < head) {
        *body = '\0';
        bytes = (struct ia_str){body + 2, size - (size_t)(body + 2 - text)};
    }
    char *headers = strchr(text, '\n');
    if (headers) {
        *headers++ = '\0';
    }
    if (fake_request_init(&f, text, headers, bytes)) {
        struct ia_http_reply reply = {.body = IA_BUF(IA_HTTP_ANSWER_MAX),
                                      .headers = IA_BUF(IA_HTTP_HEADERS_MAX)};
        ia_api_handle(api(), &f.r, &reply);
        check(&reply);
        ia_buf_fini(&reply.body);
        ia_buf_fini(&reply.headers);
    }
    fake_request_fini(&f);
    free(text);
    return 0;
}
