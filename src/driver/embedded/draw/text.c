/* text.c: widths and line breaks without a font: advances of Helvetica in thousandths of the size. */
#include "base/utf8.h"
#include "driver/embedded/draw/style.h"

#include <math.h>
#include <string.h>

/* Advance widths of ASCII 32 to 126 in thousandths of the size: those of Helvetica (Adobe Font
 * Metrics), which the platform's own face follows closely. */
static const uint16_t widths[95] = {
    278,  278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
    556,  556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
    667,  778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
    333,  556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
    556,  556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
};

static unsigned advance(uint32_t cp)
{
    if (cp >= 32 && cp < 127) {
        return widths[cp - 32];
    }
    bool wide = cp >= 0x1100 && cp != 0x2026 && (cp < 0x2000 || cp > 0x2FFF);
    return wide || cp == 0x2026 ? 1000 : 556;
}

/* Decodes the character at text; a byte that is none counts as one character. */
static size_t character(const char *text, size_t n, uint32_t *ret_cp)
{
    size_t len = ia_utf8_valid_len(text, n);
    *ret_cp = len ? ia_utf8_decode(text, len) : 0xFFFD;
    return len ? len : 1;
}

static unsigned scaled(unsigned units, bool bold)
{
    return bold ? units + units / 16 : units;
}

float ia_text_width(const char *text, size_t n, uint8_t size, bool bold)
{
    unsigned units = 0;
    for (size_t i = 0; i < n;) {
        uint32_t cp;
        i += character(text + i, n - i, &cp);
        units += scaled(advance(cp), bold);
    }
    return ceilf((float)units * (float)size / 500.0F) / 2.0F;
}

float ia_text_height(uint8_t size)
{
    int leading = (size + 4) / 5;
    return (float)(size + leading);
}

/* Bytes of text whose characters fit into `units` thousandths of the size. */
static size_t fit_units(const char *text, size_t n, bool bold, float units)
{
    float used = 0;
    size_t i = 0;
    while (i < n) {
        uint32_t cp;
        size_t len = character(text + i, n - i, &cp);
        used += (float)scaled(advance(cp), bold);
        if (used > units) {
            return i;
        }
        i += len;
    }
    return n;
}

size_t ia_text_fit(const char *text, size_t n, uint8_t size, bool bold, float max_w)
{
    if (ia_text_width(text, n, size, bold) <= max_w) {
        return n;
    }
    float ellipsis = (float)scaled(1000, bold);
    return fit_units(text, n, bold, max_w * 1000.0F / (float)size - ellipsis);
}

size_t ia_text_line(const char *text, uint8_t size, bool bold, float max_w)
{
    size_t n = strlen(text);
    size_t fit = fit_units(text, n, bold, max_w * 1000.0F / (float)size);
    if (fit == n) {
        return n;
    }
    size_t at = fit;
    while (at > 0 && text[at] != ' ') {
        at--;
    }
    if (at > 0) {
        return at + 1;
    }
    uint32_t cp;
    return fit > 0 ? fit : character(text, n, &cp);
}
