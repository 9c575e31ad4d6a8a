/* A page of the web. The first two bytes choose its type and its charset. Whatever comes out is visible
 * UTF-8 within its limits, and no link in it leads anywhere but to the web. */
#include "agent/core_tools/page_text.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const types[] = {"text/html", "", "text/plain", "application/xhtml+xml"};
static const char *const charsets[] = {"",          "utf-8",    "windows-1252",
                                       "shift_jis", "utf-16le", "gb18030"};

static void check(const struct ia_buf *text, size_t max)
{
    if (text->len > max || !ia_utf8_printable(ia_buf_str(text), "\n\t")) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) {
        return 0;
    }
    const struct ia_page page = {.url = "https://example.com/docs/page",
                                 .type = types[data[0] % IA_COUNTOF(types)],
                                 .charset = charsets[data[1] % IA_COUNTOF(charsets)],
                                 .bytes = {(const char *)data + 2, size - 2}};
    struct ia_buf title = IA_BUF(IA_PAGE_TITLE_MAX + 1), text = IA_BUF(IA_PAGE_TEXT_MAX);
    struct ia_err err = {0};
    enum ia_rc rc = ia_page_read(&page, &title, &text, &err);
    if (rc != IA_OK && !err.msg[0]) {
        abort();
    }
    check(&title, IA_PAGE_TITLE_MAX);
    check(&text, IA_PAGE_TEXT_MAX);
    ia_buf_fini(&title);
    ia_buf_fini(&text);
    return 0;
}
