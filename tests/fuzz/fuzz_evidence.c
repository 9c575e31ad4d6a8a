/* A quote and a screen, apart by the first byte 0xff. Whatever both are, the answer is the same the
 * second time, and a quote that is found is also found on the screen with a line more. */
#include "agent/verdict/evidence.h"
#include "base/buf.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *p = (const char *)data;
    const char *cut = size > 0 ? memchr(p, 0xff, size) : NULL;
    if (!cut) {
        return 0;
    }
    struct ia_str quote = {p, (size_t)(cut - p)};
    struct ia_str screen = {cut + 1, size - quote.n - 1};
    bool shown = ia_evidence_shown(quote, screen);
    struct ia_buf more = IA_BUF(1 << 20);
    ia_buf_putstr(&more, screen);
    ia_buf_puts(&more, "\n9999 text more\n");
    if (shown != ia_evidence_shown(quote, screen) ||
        (shown && ia_buf_ok(&more) && !ia_evidence_shown(quote, ia_buf_str(&more)))) {
        abort();
    }
    ia_buf_fini(&more);
    return 0;
}
