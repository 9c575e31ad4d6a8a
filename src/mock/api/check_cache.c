/* check_cache.c: where cache_control may stand. */
#include "mock/api/check.h"

#include <stdio.h>
#include <string.h>

enum { BREAKPOINTS_MAX = 4 };

struct scan {
    int count;
    bool seen_5m;
    const char *last_ttl; /* of the last block that has one, "5m" or "1h" */
    struct ia_mock_reject *r;
};

static const char *ttl_of(const json_t *control)
{
    const json_t *ttl = json_object_get(control, "ttl");
    return ttl ? json_string_value(ttl) : "5m";
}

static bool check_control(const json_t *control, const char *where, struct ia_mock_reject *r)
{
    const char *type = ia_mock_str(control, "type");
    const char *ttl = ttl_of(control);
    const char *name;
    json_t *value;
    if (!type || strcmp(type, "ephemeral") != 0) {
        return ia_mock_refuse(r, "cache_control",
                              "%s.cache_control.type: Input should be 'ephemeral'", where);
    }
    if (!ttl || (strcmp(ttl, "5m") != 0 && strcmp(ttl, "1h") != 0)) {
        return ia_mock_refuse(r, "cache_control",
                              "%s.cache_control.ttl: Input should be '5m' or '1h'", where);
    }
    json_object_foreach((json_t *)control, name, value)
    {
        if (strcmp(name, "type") != 0 && strcmp(name, "ttl") != 0) {
            return ia_mock_refuse(r, "cache_control",
                                  "%s.cache_control.%.60s: Extra inputs are not permitted",
                                  where, name);
        }
    }
    return true;
}

static bool scan_block(struct scan *s, const json_t *block, const char *where)
{
    const json_t *control = json_object_get(block, "cache_control");
    if (!control || json_is_null(control)) {
        return true;
    }
    if (!check_control(control, where, s->r)) {
        return false;
    }
    s->count++;
    s->last_ttl = ttl_of(control);
    bool hour = strcmp(s->last_ttl, "1h") == 0;
    if (hour && s->seen_5m) {
        return ia_mock_refuse(s->r, "cache_ttl_order",
                              "%s.cache_control.ttl: a ttl='1h' cache_control block must not "
                              "come after a ttl='5m' cache_control block. Note that blocks are "
                              "processed in the following order: `tools`, `system`, "
                              "`messages`.",
                              where);
    }
    s->seen_5m = s->seen_5m || !hour;
    return true;
}

static bool scan_list(struct scan *s, const json_t *list, const char *where)
{
    size_t i;
    json_t *block;
    json_array_foreach(list, i, block)
    {
        char inner[IA_MOCK_WHERE_SIZE + 32];
        snprintf(inner, sizeof(inner), "%s.%zu", where, i);
        if (!scan_block(s, block, inner)) {
            return false;
        }
    }
    return true;
}

static bool scan_turns(struct scan *s, const struct ia_mock_request *req)
{
    for (size_t t = 0; t < req->turn_count; t++) {
        for (size_t i = 0; i < req->turns[t].count; i++) {
            const json_t *block = req->turns[t].blocks[i].json;
            char where[IA_MOCK_WHERE_SIZE];
            ia_mock_where(where, t, i);
            if (!scan_list(s, json_object_get(block, "content"), where) ||
                !scan_block(s, block, where)) {
                return false;
            }
        }
    }
    return true;
}

static bool check_auto(struct scan *s, const struct ia_mock_request *req)
{
    const json_t *control = json_object_get(req->root, "cache_control");
    if (!control || json_is_null(control)) {
        return true;
    }
    if (!check_control(control, "cache_control", s->r)) {
        return false;
    }
    /* It falls on the last block. */
    const struct ia_mock_turn *turn = &req->turns[req->turn_count - 1];
    const json_t *last = turn->count ? turn->blocks[turn->count - 1].json : NULL;
    const json_t *there = json_object_get(last, "cache_control");
    if (there && strcmp(ttl_of(there), ttl_of(control)) != 0) {
        return ia_mock_refuse(s->r, "cache_auto",
                              "cache_control: the last block already has a cache_control with "
                              "another ttl");
    }
    /* A block that has one of its own was counted already. */
    s->count += there ? 0 : 1;
    return true;
}

bool ia_mock_check_cache(const struct ia_mock_request *req, struct ia_mock_reject *r)
{
    struct scan s = {.r = r};
    if (!scan_list(&s, req->tools, "tools") || !scan_list(&s, req->system, "system") ||
        !scan_turns(&s, req) || !check_auto(&s, req)) {
        return false;
    }
    return s.count <= BREAKPOINTS_MAX ||
           ia_mock_refuse(r, "cache_count",
                          "A maximum of %d blocks with cache_control may be provided. Found "
                          "%d.",
                          BREAKPOINTS_MAX, s.count);
}
