/* search.c: made and checked by the same two seals.
 *
 *     answer   server_tool_use ─► web_search_tool_result ─► text with citations
 *     request  the same blocks, in the assistant's turn, or refused */
#include "mock/api/search.h"

#include "base/hash.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { SEAL_SIZE = 24, ID_SIZE = 40 };

/* Of two members of a block. */
static void seal(const json_t *of, const char *one, const char *other, char ret[SEAL_SIZE])
{
    const char *const parts[] = {one, ia_mock_str(of, one), other, ia_mock_str(of, other)};
    uint64_t h = IA_HASH_SEED;
    for (size_t i = 0; i < IA_COUNTOF(parts); i++) {
        const char *text = parts[i] ? parts[i] : "";
        h = ia_hash(h, text, strlen(text) + 1);
    }
    (void)snprintf(ret, SEAL_SIZE, "Enc%016llx==", (unsigned long long)h);
}

/* ---- answering --------------------------------------------------------------------------- */

static const json_t *offered(const struct ia_mock_request *req)
{
    const json_t *tool, *found = NULL;
    size_t i;
    json_array_foreach((json_t *)(uintptr_t)req->tools, i, tool)
    {
        const char *type = ia_mock_str(tool, "type");
        found = type && strncmp(type, IA_MOCK_SEARCH "_", 11) == 0 ? tool : found;
    }
    return found;
}

static bool names_domain(const json_t *domains, const char *url)
{
    const char *host = strstr(url, "://");
    host = host ? host + 3 : url;
    size_t n = strcspn(host, "/:?#"), i;
    const json_t *domain;
    bool found = false;
    json_array_foreach((json_t *)(uintptr_t)domains, i, domain)
    {
        const char *d = json_string_value(domain);
        size_t len = d ? strlen(d) : 0;
        found = found || (d && n >= len && strncasecmp(host + n - len, d, len) == 0 &&
                          (n == len || host[n - len - 1] == '.'));
    }
    return found;
}

static json_t *found(const json_t *tool, const json_t *results)
{
    const json_t *allowed = json_object_get(tool, "allowed_domains");
    const json_t *blocked = json_object_get(tool, "blocked_domains"), *result;
    json_t *list = json_array();
    size_t i;
    json_array_foreach((json_t *)(uintptr_t)results, i, result)
    {
        const char *url = ia_mock_str(result, "url");
        char sealed[SEAL_SIZE];
        if ((allowed && !names_domain(allowed, url)) || names_domain(blocked, url)) {
            continue;
        }
        seal(result, "url", "title", sealed);
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:n}", "type",
                                              "web_search_result", "title",
                                              ia_mock_str(result, "title"), "url", url,
                                              "encrypted_content", sealed, "page_age"));
    }
    return list;
}

static size_t searches_of(const struct ia_mock_answer *a, bool failed)
{
    size_t n = 0, i;
    const json_t *block;
    json_array_foreach(a->content, i, block)
    {
        bool result = strcmp(ia_mock_str(block, "type"), "web_search_tool_result") == 0;
        n += result && (failed || json_is_array(json_object_get(block, "content")));
    }
    return n;
}

int64_t ia_mock_searches(const struct ia_mock_answer *a)
{
    return (int64_t)searches_of(a, false);
}

bool ia_mock_search_add(const struct ia_mock_request *req, const char *query,
                        const json_t *results, const char *error, struct ia_mock_answer *a)
{
    const json_t *tool = offered(req), *max = json_object_get(tool, "max_uses");
    char id[ID_SIZE];
    uint64_t place[] = {req->turn_count, json_array_size(a->content)};
    if (!tool) {
        return false;
    }
    uint64_t h = ia_hash(ia_hash(IA_HASH_SEED, query, strlen(query)), place, sizeof(place));
    (void)snprintf(id, sizeof(id), "srvtoolu_%016llx", (unsigned long long)h);
    if (max && (json_int_t)searches_of(a, true) >= json_integer_value(max)) {
        error = "max_uses_exceeded";
    }
    json_array_append_new(a->content,
                          json_pack("{s:s, s:s, s:s, s:{s:s}}", "type", "server_tool_use", "id",
                                    id, "name", IA_MOCK_SEARCH, "input", "query", query));
    json_t *content = error ? json_pack("{s:s, s:s}", "type", "web_search_tool_result_error",
                                        "error_code", error)
                            : found(tool, results);
    json_array_append_new(a->content,
                          json_pack("{s:s, s:s, s:o}", "type", "web_search_tool_result",
                                    "tool_use_id", id, "content", content));
    return true;
}

json_t *ia_mock_search_cite(const json_t *citation)
{
    char sealed[SEAL_SIZE];
    seal(citation, "url", "cited_text", sealed);
    return json_pack("{s:s, s:s, s:s, s:s, s:s}", "type", "web_search_result_location", "url",
                     ia_mock_str(citation, "url"), "title", ia_mock_str(citation, "title"),
                     "encrypted_index", sealed, "cited_text",
                     ia_mock_str(citation, "cited_text"));
}

/* ---- checking ---------------------------------------------------------------------------- */

static bool is_sealed(const json_t *j, const char *one, const char *other, const char *member)
{
    char want[SEAL_SIZE];
    const char *have = ia_mock_str(j, member);
    seal(j, one, other, want);
    return have && strcmp(have, want) == 0;
}

static bool has_block(const struct ia_mock_turn *t, size_t from, size_t to, const char *type,
                      const char *key, const char *id)
{
    bool found = false;
    for (size_t i = from; i < to; i++) {
        const char *have =
            ia_mock_block_is(&t->blocks[i], type) ? ia_mock_str(t->blocks[i].json, key) : NULL;
        found = found || (have && strcmp(have, id) == 0);
    }
    return found;
}

static bool check_use(const struct ia_mock_request *req, size_t t, size_t i,
                      struct ia_mock_reject *r)
{
    const struct ia_mock_turn *turn = &req->turns[t];
    const char *id = ia_mock_str(turn->blocks[i].json, "id");
    const char *name = ia_mock_str(turn->blocks[i].json, "name");
    bool open = t + 1 == req->turn_count && req->resumes_pause;
    if (!id || strncmp(id, "srvtoolu_", 9) != 0) {
        return ia_mock_refuse(r, "server_tool_use",
                              "messages.%zu.content.%zu.server_tool_use.id: String should "
                              "match pattern '^srvtoolu_[a-zA-Z0-9_]+$'",
                              t, i);
    }
    return !name || strcmp(name, IA_MOCK_SEARCH) != 0 || open ||
           has_block(turn, i + 1, turn->count, "web_search_tool_result", "tool_use_id", id) ||
           ia_mock_refuse(r, "server_tool_use",
                          "messages.%zu: `web_search` tool use with id `%.60s` was found "
                          "without a corresponding `web_search_tool_result` block",
                          t, id);
}

static bool check_result(const struct ia_mock_request *req, size_t t, size_t i,
                         struct ia_mock_reject *r)
{
    const struct ia_mock_turn *turn = &req->turns[t];
    const json_t *content = json_object_get(turn->blocks[i].json, "content"), *item;
    const char *id = ia_mock_str(turn->blocks[i].json, "tool_use_id");
    size_t k;
    if (!id || !has_block(turn, 0, i, "server_tool_use", "id", id)) {
        return ia_mock_refuse(r, "server_tool_use",
                              "messages.%zu.content.%zu: unexpected `tool_use_id` found in "
                              "`web_search_tool_result` blocks: %.60s",
                              t, i, id ? id : "");
    }
    json_array_foreach((json_t *)(uintptr_t)content, k, item)
    {
        if (!is_sealed(item, "url", "title", "encrypted_content")) {
            return ia_mock_refuse(r, "encrypted_content",
                                  "messages.%zu.content.%zu: Invalid `encrypted_content` in "
                                  "`web_search_result` block",
                                  t, i);
        }
    }
    return true;
}

static bool check_citations(const struct ia_mock_request *req, size_t t, size_t i,
                            struct ia_mock_reject *r)
{
    const json_t *all = json_object_get(req->turns[t].blocks[i].json, "citations"), *c;
    size_t k;
    json_array_foreach((json_t *)(uintptr_t)all, k, c)
    {
        const char *type = ia_mock_str(c, "type");
        if (type && strcmp(type, "web_search_result_location") == 0 &&
            !is_sealed(c, "url", "cited_text", "encrypted_index")) {
            return ia_mock_refuse(r, "encrypted_content",
                                  "messages.%zu.content.%zu: Invalid `encrypted_index` in "
                                  "`citations`",
                                  t, i);
        }
    }
    return true;
}

bool ia_mock_check_search(const struct ia_mock_request *req, struct ia_mock_reject *r)
{
    bool ok = true;
    for (size_t t = 0; ok && t < req->turn_count; t++) {
        const struct ia_mock_turn *turn = &req->turns[t];
        for (size_t i = 0; ok && i < turn->count; i++) {
            const struct ia_mock_block *b = &turn->blocks[i];
            ok = ia_mock_block_is(b, "server_tool_use")          ? check_use(req, t, i, r)
                 : ia_mock_block_is(b, "web_search_tool_result") ? check_result(req, t, i, r)
                 : ia_mock_block_is(b, "text") && b->json        ? check_citations(req, t, i, r)
                                                                 : true;
        }
    }
    return ok;
}
