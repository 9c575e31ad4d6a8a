/* memory_path.c: "/memories", and names between single slashes. */
#include "agent/core_tools/memory_path.h"

#include <string.h>

static enum ia_rc bad(struct ia_err *err, const char *why)
{
    (void)ia_err_set(err, IA_E_USAGE, "this is no path of the memory: %s", why);
    ia_err_hint(err, "Paths look like " IA_MEMORY_ROOT "/topic/notes.md.");
    return IA_E_USAGE;
}

static enum ia_rc read_name(struct ia_str name, char *ret, struct ia_err *err)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                  "0123456789-_. ,+=@()";
    if (name.n == 0 || name.n > IA_MEMORY_NAME_MAX) {
        return bad(err, name.n == 0 ? "a name is empty" : "a name is longer than 80 bytes");
    }
    if (name.p[0] == '.') {
        return bad(err, "a name begins with a dot");
    }
    if (name.p[0] == ' ' || name.p[name.n - 1] == ' ') {
        return bad(err, "a name begins or ends with a blank");
    }
    for (size_t i = 0; i < name.n; i++) {
        if (!memchr(allowed, name.p[i], sizeof(allowed) - 1)) {
            return bad(err, "names have ASCII letters, digits, blanks and -_.,+=@() only");
        }
    }
    memcpy(ret, name.p, name.n);
    ret[name.n] = '\0';
    return IA_OK;
}

enum ia_rc ia_memory_path_read(const char *text, struct ia_memory_path *ret, struct ia_err *err)
{
    static const char root[] = IA_MEMORY_ROOT;
    *ret = (struct ia_memory_path){.count = 0};
    if (strncmp(text, root, sizeof(root) - 1) != 0 ||
        (text[sizeof(root) - 1] != '/' && text[sizeof(root) - 1] != '\0')) {
        return bad(err, "it does not begin with " IA_MEMORY_ROOT);
    }
    const char *p = text + sizeof(root) - 1;
    while (*p == '/' && p[1] != '\0') {
        p++;
        size_t n = strcspn(p, "/");
        if (ret->count == IA_MEMORY_DEPTH_MAX) {
            return bad(err, "it is nested too deep");
        }
        enum ia_rc rc = read_name((struct ia_str){p, n}, ret->names[ret->count], err);
        if (rc != IA_OK) {
            return rc;
        }
        ret->count++;
        p += n;
    }
    return IA_OK;
}
