/* charset.c: g_iconv, a piece at a time, past what it cannot read. */
#include "agent/core_tools/charset.h"

#include "base/glib_lib.h"
#include "base/utf8.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { PIECE_BYTES = 4096, DECLARED_WITHIN = 1024, NAME_MAX_BYTES = 40 };

/* What pages are written in, and iconv's name for it, as the WHATWG Encoding Standard maps labels. */
static const struct {
    const char *label, *iconv;
} known[] = {
    {"utf-8", "UTF-8"},
    {"utf8", "UTF-8"},
    {"us-ascii", "CP1252"},
    {"ascii", "CP1252"},
    {"iso-8859-1", "CP1252"},
    {"latin1", "CP1252"},
    {"iso8859-1", "CP1252"},
    {"windows-1252", "CP1252"},
    {"cp1252", "CP1252"},
    {"iso-8859-2", "ISO-8859-2"},
    {"iso-8859-3", "ISO-8859-3"},
    {"iso-8859-4", "ISO-8859-4"},
    {"iso-8859-5", "ISO-8859-5"},
    {"iso-8859-6", "ISO-8859-6"},
    {"iso-8859-7", "ISO-8859-7"},
    {"iso-8859-8", "ISO-8859-8"},
    {"iso-8859-9", "CP1254"},
    {"iso-8859-10", "ISO-8859-10"},
    {"iso-8859-13", "ISO-8859-13"},
    {"iso-8859-14", "ISO-8859-14"},
    {"iso-8859-15", "ISO-8859-15"},
    {"iso-8859-16", "ISO-8859-16"},
    {"windows-1250", "CP1250"},
    {"windows-1251", "CP1251"},
    {"windows-1253", "CP1253"},
    {"windows-1254", "CP1254"},
    {"windows-1255", "CP1255"},
    {"windows-1256", "CP1256"},
    {"windows-1257", "CP1257"},
    {"windows-1258", "CP1258"},
    {"koi8-r", "KOI8-R"},
    {"koi8-u", "KOI8-U"},
    {"shift_jis", "SHIFT_JIS"},
    {"shift-jis", "SHIFT_JIS"},
    {"sjis", "SHIFT_JIS"},
    {"euc-jp", "EUC-JP"},
    {"gbk", "GBK"},
    {"gb2312", "GBK"},
    {"gb18030", "GB18030"},
    {"big5", "BIG5"},
    {"euc-kr", "EUC-KR"},
    {"utf-16le", "UTF-16LE"},
    {"utf-16", "UTF-16LE"},
    {"utf-16be", "UTF-16BE"},
};

static const char *iconv_name(const char *charset)
{
    for (size_t i = 0; i < IA_COUNTOF(known); i++) {
        if (strcmp(known[i].label, charset) == 0) {
            return known[i].iconv;
        }
    }
    return NULL;
}

static void decode(const struct ia_glib *glib, GIConv cd, struct ia_str bytes,
                   struct ia_buf *out)
{
    char piece[PIECE_BYTES], *in = (char *)(uintptr_t)bytes.p;
    size_t left = bytes.n;
    while (left > 0 && ia_buf_ok(out)) {
        char *to = piece;
        size_t room = sizeof(piece);
        errno = 0;
        size_t rc = glib->g_iconv_(cd, &in, &left, &to, &room);
        int why = errno;
        ia_buf_put(out, piece, sizeof(piece) - room);
        if (rc == (size_t)-1 && why != E2BIG && left > 0) {
            ia_buf_puts(out, "\xef\xbf\xbd");
            in++;
            left--;
        }
    }
}

enum ia_rc ia_charset_decode(const char *charset, struct ia_str bytes, struct ia_buf *out,
                             struct ia_err *err)
{
    const char *name = iconv_name(charset);
    if (!name) {
        return ia_err_set(err, IA_E_UNSUPPORTED,
                          "the text is in an encoding that is not read: %.60s", charset);
    }
    if (strcmp(name, "UTF-8") == 0) {
        ia_buf_putstr(out, bytes); /* ia_page_visible replaces what is none */
        return IA_OK;
    }
    const struct ia_glib *glib = ia_glib(err);
    if (!glib) {
        return IA_E_MISSING;
    }
    GIConv cd = glib->g_iconv_open_("UTF-8", name);
    if (cd == (GIConv)-1) {
        return ia_err_set(err, IA_E_UNSUPPORTED, "this system cannot read text in %.60s",
                          charset);
    }
    decode(glib, cd, bytes, out);
    (void)glib->g_iconv_close_(cd);
    return IA_OK;
}

/* ---- which one -------------------------------------------------------------------------- */

/* A long text may have been cut in the middle of its last character. */
static bool valid(struct ia_str s)
{
    size_t n, rest = s.n > DECLARED_WITHIN ? 3 : 0;
    while (s.n > 0 && (n = ia_utf8_valid_len(s.p, s.n)) > 0) {
        s.p += n;
        s.n -= n;
    }
    return s.n <= rest;
}

/* The name behind "charset=" near the start: <meta charset="x"> and the older form alike. */
static bool declared(struct ia_str bytes, char *ret, size_t size)
{
    static const char key[] = "charset=";
    size_t end = bytes.n < DECLARED_WITHIN ? bytes.n : DECLARED_WITHIN, n = 0;
    for (size_t i = 0; i + sizeof(key) < end; i++) {
        if (strncasecmp(bytes.p + i, key, sizeof(key) - 1) != 0) {
            continue;
        }
        for (i += sizeof(key) - 1; i < end && strchr("\"' ", bytes.p[i]) && bytes.p[i]; i++) {
        }
        for (; i < end && n + 1 < size && n < NAME_MAX_BYTES; i++) {
            unsigned char c = (unsigned char)bytes.p[i];
            if (!isalnum(c) && c != '-' && c != '_') {
                break;
            }
            ret[n++] = (char)tolower(c);
        }
        break;
    }
    ret[n] = '\0';
    return n > 0;
}

static const char *by_mark(struct ia_str b)
{
    return b.n >= 3 && memcmp(b.p, "\xef\xbb\xbf", 3) == 0 ? "utf-8"
           : b.n >= 2 && memcmp(b.p, "\xff\xfe", 2) == 0   ? "utf-16le"
           : b.n >= 2 && memcmp(b.p, "\xfe\xff", 2) == 0   ? "utf-16be"
                                                           : NULL;
}

void ia_charset_of(const char *header, struct ia_str bytes, char *ret, size_t size)
{
    const char *mark = by_mark(bytes);
    if (mark || (header && *header)) {
        (void)snprintf(ret, size, "%s", mark ? mark : header);
    } else if (!declared(bytes, ret, size) || !iconv_name(ret) ||
               strncmp(ret, "utf-16", 6) == 0) {
        /* A declaration that could be read is no UTF-16, whatever it says. */
        (void)snprintf(ret, size, "%s", valid(bytes) ? "utf-8" : "windows-1252");
    }
}
