/* name.c: names that a model can call, made of names that a server chose. */
#include "agent/mcp_tools/mcp_tools.h"

#include <string.h>

enum { SKILL_MAX = 24, HASH_CHARS = 6, SEPARATOR = 2 };

static bool allowed(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '-';
}

/* Writes at most max characters of the name, and a NUL; returns their number. Where that changes anything, and
 * for a name that is empty or has the separator in it, the end is "_" and a hash of the whole name. */
static size_t put_part(const char *name, size_t max, bool separates, char *ret)
{
    size_t n = 0;
    bool same = name[0] != '\0' && !(separates && strstr(name, "__"));
    for (; name[n] && n < max; n++) {
        ret[n] = allowed(name[n]) ? name[n] : '_';
        same = same && ret[n] == name[n];
    }
    ret[n] = '\0';
    if (same && name[n] == '\0') {
        return n;
    }
    char hex[IA_SHA256_HEX_SIZE];
    size_t keep = n < max - HASH_CHARS - 1 ? n : max - HASH_CHARS - 1;
    ia_sha256_hex(name, strlen(name), hex);
    ret[keep] = '_';
    memcpy(ret + keep + 1, hex, HASH_CHARS);
    ret[keep + 1 + HASH_CHARS] = '\0';
    return keep + 1 + HASH_CHARS;
}

void ia_mcp_tool_name(const char *skill, const char *tool, char ret[IA_TOOL_NAME_MAX + 1])
{
    size_t n = put_part(skill, SKILL_MAX, true, ret);
    memcpy(ret + n, "__", SEPARATOR);
    n += SEPARATOR;
    (void)put_part(tool, IA_TOOL_NAME_MAX - n, false, ret + n);
}
