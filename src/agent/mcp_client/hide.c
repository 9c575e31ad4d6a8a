/* hide.c: the secrets that a server was given appear in nothing that comes from it. */
#include "agent/mcp_client/client_impl.h"

#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECRET_MIN = 8 }; /* shorter values occur in other texts by chance */

static const char hidden[] = "[hidden]";

static size_t count(const char *const *list)
{
    size_t n = 0;
    while (list && list[n]) {
        n++;
    }
    return n;
}

char **ia_mcp_copy_list(const char *const *list)
{
    size_t n = count(list);
    if (!list) {
        return NULL;
    }
    char **copy = ia_calloc(n + 1, sizeof(*copy));
    for (size_t i = 0; i < n; i++) {
        copy[i] = ia_strdup(list[i]);
    }
    return copy;
}

void ia_mcp_free_list(char **list)
{
    for (size_t i = 0; list && list[i]; i++) {
        ia_free_wiped(list[i]);
    }
    free(list);
}

static void add(char **list, size_t *n, const char *value)
{
    if (value && strlen(value) >= SECRET_MIN) {
        list[(*n)++] = ia_strdup(value);
    }
}

/* Of "name: Bearer x" both "Bearer x" and "x"; of a URL what follows its "?". */
char **ia_mcp_secrets(const struct ia_mcp_server *s)
{
    size_t headers = count(s->headers);
    size_t values = count(s->secrets);
    char **list = ia_calloc(2 * headers + values + 2, sizeof(*list));
    size_t n = 0;
    for (size_t i = 0; i < headers; i++) {
        const char *colon = strchr(s->headers[i], ':');
        const char *value = colon ? colon + 1 + strspn(colon + 1, " \t") : NULL;
        const char *space = value ? strrchr(value, ' ') : NULL;
        add(list, &n, value);
        add(list, &n, space ? space + 1 : NULL);
    }
    for (size_t i = 0; i < values; i++) {
        add(list, &n, s->secrets[i]);
    }
    const char *query = s->url ? strchr(s->url, '?') : NULL;
    add(list, &n, query ? query + 1 : NULL);
    return list;
}

/* Whether text had the secret. *out is text without it then. */
static bool cut_out(struct ia_str text, const char *secret, struct ia_buf *out)
{
    const char *at = ia_str_find(text, secret);
    if (!at) {
        return false;
    }
    while (at) {
        size_t before = (size_t)(at - text.p);
        ia_buf_put(out, text.p, before);
        ia_buf_puts(out, hidden);
        text.p += before + strlen(secret);
        text.n -= before + strlen(secret);
        at = ia_str_find(text, secret);
    }
    ia_buf_putstr(out, text);
    return true;
}

/* Whether text had one of the secrets; *out is text without them then. */
static bool hide(const struct ia_mcp_client *c, struct ia_str text, struct ia_buf *out)
{
    bool found = false;
    for (size_t i = 0; c->secrets && c->secrets[i]; i++) {
        struct ia_buf next = IA_BUF(out->max);
        if (cut_out(found ? ia_buf_str(out) : text, c->secrets[i], &next)) {
            ia_buf_fini(out);
            *out = next;
            found = true;
        }
    }
    return found;
}

static void hide_string(const struct ia_mcp_client *c, json_t *value)
{
    struct ia_buf out = IA_BUF((size_t)IA_MCP_CLIENT_MESSAGE_MAX * 2);
    struct ia_str text = {json_string_value(value), json_string_length(value)};
    if (hide(c, text, &out)) {
        (void)json_string_setn(value, ia_buf_cstr(&out), out.len);
    }
    ia_buf_fini(&out);
}

/* Its depth was checked before it was parsed. */
void ia_mcp_hide_json(const struct ia_mcp_client *c, json_t *value)
{
    const char *key;
    json_t *item;
    size_t i;
    if (!c->secrets || !c->secrets[0]) {
        return;
    }
    if (json_is_string(value)) {
        hide_string(c, value);
    } else if (json_is_array(value)) {
        json_array_foreach(value, i, item)
        {
            ia_mcp_hide_json(c, item);
        }
    } else {
        json_object_foreach(value, key, item)
        {
            ia_mcp_hide_json(c, item);
        }
    }
}

void ia_mcp_hide(const struct ia_mcp_client *c, struct ia_str text, struct ia_buf *out)
{
    if (!hide(c, text, out)) {
        ia_buf_putstr(out, text);
    }
}

static void hide_text(const struct ia_mcp_client *c, char *text, size_t size)
{
    struct ia_buf out = IA_BUF(4 * size);
    if (hide(c, ia_str(text), &out)) {
        (void)snprintf(text, size, "%s", ia_buf_cstr(&out));
    }
    ia_buf_fini(&out);
}

void ia_mcp_hide_err(const struct ia_mcp_client *c, struct ia_err *err)
{
    if (err) {
        hide_text(c, err->msg, sizeof(err->msg));
        hide_text(c, err->hint, sizeof(err->hint));
    }
}
