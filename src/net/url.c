/* url.c: the host of a URL, compared as a whole: "127.example.com" is another machine. */
#include "net/url.h"

#include <string.h>
#include <strings.h>

static bool is_name(struct ia_str host, const char *name)
{
    return host.n == strlen(name) && strncasecmp(host.p, name, host.n) == 0;
}

bool ia_url_local(const char *url)
{
    const char *start = strstr(url, "://");
    if (!start) {
        return false;
    }
    start += 3;
    size_t rest = strcspn(start, "/?#");
    if (memchr(start, '@', rest)) {
        return false;
    }
    size_t n = start[0] == '[' ? strcspn(start, "]") + 1 : strcspn(start, ":/?#");
    struct ia_str host = {start, n};
    return is_name(host, "localhost") || is_name(host, "[::1]") ||
           (ia_str_starts(host, ia_str("127.")) && strspn(host.p, "0123456789.") >= host.n);
}
