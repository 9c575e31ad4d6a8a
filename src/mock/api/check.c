/* check.c: the headers, and the order in which the rules about the body run. */
#include "mock/api/check.h"

#include "mock/api/search.h"

#include "mock/api/compaction.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char *const versions[] = {"2023-06-01", "2026-10-21"};

static const char *bearer_token(const char *authorization)
{
    static const char prefix[] = "Bearer ";
    if (authorization && strncasecmp(authorization, prefix, sizeof(prefix) - 1) == 0) {
        return authorization + sizeof(prefix) - 1;
    }
    return NULL;
}

static bool check_key(const struct ia_mock_headers *h, const char *key,
                      struct ia_mock_reject *r)
{
    if (h->api_key && h->authorization) {
        return ia_mock_refuse_as(r, 401, "auth_both",
                                 "x-api-key and Authorization must not both be sent");
    }
    const char *given = h->api_key ? h->api_key : bearer_token(h->authorization);
    if (!h->api_key && !h->authorization) {
        return ia_mock_refuse_as(r, 401, "auth_missing", "x-api-key header is required");
    }
    if (!given || !*given || (key && strcmp(given, key) != 0)) {
        return ia_mock_refuse_as(r, 401, "auth_wrong", "%s",
                                 h->api_key ? "invalid x-api-key" : "Invalid bearer token");
    }
    return true;
}

static bool check_version(const struct ia_mock_headers *h, struct ia_mock_reject *r)
{
    if (!h->version) {
        return ia_mock_refuse(r, "version", "anthropic-version: header is required");
    }
    for (size_t i = 0; i < IA_COUNTOF(versions); i++) {
        if (strcmp(versions[i], h->version) == 0) {
            return true;
        }
    }
    return ia_mock_refuse(r, "version", "anthropic-version: \"%.60s\" is not a valid version",
                          h->version);
}

bool ia_mock_check_headers(const struct ia_mock_headers *h, const char *key, bool with_body,
                           struct ia_mock_reject *r)
{
    static const char json[] = "application/json";
    if (!check_key(h, key, r) || !check_version(h, r)) {
        return false;
    }
    if (with_body &&
        (!h->content_type || strncasecmp(h->content_type, json, sizeof(json) - 1) != 0)) {
        return ia_mock_refuse(r, "content_type", "content-type: must be application/json");
    }
    return true;
}

bool ia_mock_check_request(const struct ia_mock_request *req, struct ia_mock_reject *r)
{
    return ia_mock_check_fields(req, r) && ia_mock_check_thinking_param(req, r) &&
           ia_mock_check_tools(req, r) && ia_mock_check_tool_choice(req, r) &&
           ia_mock_check_system(req, r) && ia_mock_check_compaction(req, r) &&
           ia_mock_check_messages(req, r) && ia_mock_check_pairing(req, r) &&
           ia_mock_check_search(req, r) && ia_mock_check_cache(req, r) &&
           ia_mock_check_images(req, r);
}
