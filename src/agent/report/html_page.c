/* html_page.c: what all pages are made of: texts of figures, the frame of a page, pictures.
 *
 * A page names its one script by hash in its Content-Security-Policy, so that nothing else can
 * run in it. Pictures are copied beside the pages on first use, under the first 16 digits of
 * their SHA-256. */
#include "agent/report/html.h"

#include "base/fd.h"
#include "base/hash.h"
#include "base/jsonw.h"
#include "store/blob.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORD_MAX = 30 }; /* bytes of a word that fits a line of a phone */

/* ---- texts ------------------------------------------------------------------------------- */

void ia_html_rate(const struct ia_rep_goal *g, struct ia_buf *out)
{
    if (g->repeats > 1 && g->repeats_done > 0) {
        ia_buf_printf(out, "%d of %d times (%.0f to %.0f %% with 95 %% confidence)",
                      g->repeats_passed, g->repeats_done, ia_percent(g->rate.low),
                      ia_percent(g->rate.high));
    }
}

void ia_html_repeat(const struct ia_rep_goal *g, struct ia_buf *out)
{
    if (g->repeats > 1) {
        ia_buf_printf(out, "%d of %d", g->repeat, g->repeats);
    }
}

void ia_html_tokens(int64_t in, int64_t cached, int64_t out_tokens, struct ia_buf *out)
{
    ia_fmt_count(out, in + out_tokens);
    if (in > 0 && cached > 0) {
        ia_buf_puts(out, " (");
        ia_fmt_percent(out, (double)cached / (double)in);
        ia_buf_puts(out, " of the input cached)");
    }
}

/* The length of the shell word at the beginning, as ia_esc_shell writes words. */
static size_t shell_word(const char *s)
{
    bool quoted = false, escapes = false;
    size_t n = 0;
    for (; s[n] != '\0' && (quoted || s[n] != ' '); n++) {
        if (s[n] == '\\' && (!quoted || escapes) && s[n + 1] != '\0') {
            n++;
        } else if (s[n] == '\'') {
            escapes = !quoted && n > 0 && s[n - 1] == '$';
            quoted = !quoted;
        }
    }
    return n;
}

void ia_html_command(const struct ia_rep *r, const struct ia_rep_goal *g,
                     const struct ia_rep_run *run, struct ia_buf *out)
{
    struct ia_buf text = IA_BUF(IA_HTML_PART_MAX);
    ia_rep_command(r, g, run, &text);
    for (const char *p = ia_buf_cstr(&text); *p != '\0';) {
        size_t n = shell_word(p);
        bool whole = n > 0 && n <= WORD_MAX && !memchr(p, '\'', n);
        ia_buf_puts(out, whole ? "<span class=\"word\">" : "");
        ia_esc_markup_text(out, (struct ia_str){p, n});
        ia_buf_puts(out, whole ? "</span>" : "");
        p += n;
        if (*p == ' ') {
            ia_buf_putc(out, *p++);
        }
    }
    ia_buf_fini(&text);
}

void ia_site_goal_href(const struct ia_rep_goal *g, struct ia_buf *out)
{
    ia_buf_printf(out, "goals/%03d.html", g->no);
}

/* ---- pages ------------------------------------------------------------------------------- */

static int hex(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

/* The script's hash as the policy names it: base64 of its SHA-256. */
static void put_hash(struct ia_buf *out)
{
    struct ia_str script = ia_tmpl_asset("report.js");
    char digits[IA_SHA256_HEX_SIZE];
    unsigned char bytes[32];
    struct ia_buf quoted = IA_BUF(256);
    struct ia_jsonw w;
    ia_sha256_hex(script.p, script.n, digits);
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (unsigned char)(hex(digits[2 * i]) << 4 | hex(digits[2 * i + 1]));
    }
    ia_jsonw_init(&w, &quoted);
    ia_jsonw_base64(&w, bytes, sizeof(bytes));
    ia_buf_put(out, quoted.p + 1, quoted.len - 2);
    ia_buf_fini(&quoted);
}

enum ia_rc ia_page_open(struct ia_page *p, struct ia_site *site, const char *path,
                        const char *to_root, const char *title, struct ia_err *err)
{
    *p = (struct ia_page){.site = site, .to_root = to_root};
    enum ia_rc rc = ia_out_file(&p->out, path, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_buf hash = IA_BUF(256), text = IA_BUF(4096);
    ia_buf_puts(&text, "ios-agent: ");
    ia_cut(&text, ia_str(title), 200);
    put_hash(&hash);
    ia_tmpl(&p->out.buf, "head.html",
            (struct ia_tmpl_var[]){IA_VAR_BUF("title", &text),
                                   IA_VAR("program", site->r->program),
                                   IA_VAR_BUF("hash", &hash),
                                   {"style", ia_tmpl_asset("report.css")},
                                   {0}});
    ia_buf_fini(&hash);
    ia_buf_fini(&text);
    return IA_OK;
}

enum ia_rc ia_page_close(struct ia_page *p, enum ia_rc rc, struct ia_err *err)
{
    const struct ia_rep *r = p->site->r;
    struct ia_buf now = IA_BUF(64);
    ia_fmt_time(&now, r->now_ms);
    ia_tmpl(&p->out.buf, "foot.html",
            (struct ia_tmpl_var[]){IA_VAR("program", r->program),
                                   IA_VAR("id", r->id),
                                   IA_VAR("kind", r->sweep ? "sweep" : "run"),
                                   IA_VAR_BUF("now", &now),
                                   {"script", ia_tmpl_asset("report.js")},
                                   {0}});
    ia_buf_fini(&now);
    rc = ia_out_end(&p->out, rc, NULL, err);
    p->site->done->bytes += p->out.bytes;
    return rc;
}

/* ---- pictures ---------------------------------------------------------------------------- */

enum { NAME_DIGITS = 16, KNOWN_MIN = 256 };

/* True when the name was not known before. The lowest bit says whether its blob is there. */
static uint64_t *slot_of(struct ia_site *s, uint64_t name)
{
    size_t i = (size_t)(name >> 8) & (s->known_cap - 1);
    while (s->known[i] != 0 && s->known[i] >> 1 != name >> 1) {
        i = (i + 1) & (s->known_cap - 1);
    }
    return &s->known[i];
}

static void grow_known(struct ia_site *s)
{
    uint64_t *old = s->known;
    size_t old_cap = s->known_cap;
    s->known_cap = old_cap > 0 ? old_cap * 2 : KNOWN_MIN;
    s->known = ia_calloc(s->known_cap, sizeof(*s->known));
    for (size_t i = 0; i < old_cap; i++) {
        if (old[i] != 0) {
            *slot_of(s, old[i]) = old[i];
        }
    }
    free(old);
}

static bool copy_picture(struct ia_site *s, const char *sha)
{
    struct ia_buf png = IA_BUF(IA_BLOB_BYTES_MAX), path = IA_BUF(1 << 16);
    bool there = ia_blob_read(s->r->store, sha, &png, NULL) == IA_OK;
    if (there) {
        struct ia_out out;
        ia_buf_printf(&path, "%s/pictures/%.*s.png", s->root, (int)NAME_DIGITS, sha);
        there = ia_out_file(&out, ia_buf_cstr(&path), NULL) == IA_OK;
        if (there) {
            ia_buf_putstr(&out.buf, ia_buf_str(&png));
            there = ia_out_end(&out, IA_OK, NULL, NULL) == IA_OK;
            s->done->bytes += (int64_t)png.len;
        }
    }
    s->done->pictures += there ? 1 : 0;
    s->done->pictures_missing += there ? 0 : 1;
    ia_buf_fini(&png);
    ia_buf_fini(&path);
    return there;
}

bool ia_page_picture(struct ia_page *p, const char *sha, struct ia_buf *ret_src)
{
    struct ia_site *s = p->site;
    if (!ia_sha256_hex_ok(ia_str(sha))) {
        return false;
    }
    uint64_t name = 0;
    for (int i = 0; i < NAME_DIGITS; i++) {
        name = name << 4 | (uint64_t)hex(sha[i]);
    }
    if (2 * s->known_count >= s->known_cap) {
        grow_known(s);
    }
    uint64_t *slot = slot_of(s, name | 2);
    if (*slot == 0) {
        s->known_count++;
        *slot = ((name | 2) & ~UINT64_C(1)) | (copy_picture(s, sha) ? 1 : 0);
    }
    if (*slot & 1) {
        ia_buf_printf(ret_src, "%spictures/%.*s.png", p->to_root, (int)NAME_DIGITS, sha);
    }
    return (*slot & 1) != 0;
}

/* The box as shares of the picture, within it. */
static void put_box(struct ia_buf *out, const struct ia_rep_step *s, int width, int height)
{
    if (!s || !s->has_box || width <= 0 || height <= 0) {
        return;
    }
    double left = s->x < 0 ? 0 : s->x, top = s->y < 0 ? 0 : s->y;
    double right = s->x + s->w > width ? width : s->x + s->w;
    double bottom = s->y + s->h > height ? height : s->y + s->h;
    if (right > left && bottom > top) {
        ia_buf_printf(out, "left:%.2f%%;top:%.2f%%;width:%.2f%%;height:%.2f%%",
                      left * 100 / width, top * 100 / height, (right - left) * 100 / width,
                      (bottom - top) * 100 / height);
    }
}

static void put_number(struct ia_buf *out, int n)
{
    ia_buf_printf(out, "%d", n);
}

void ia_page_shot(struct ia_page *p, struct ia_buf *out, const struct ia_rep_picture *pic,
                  const char *caption, const struct ia_rep_step *box)
{
    struct ia_buf src = IA_BUF(4096), style = IA_BUF(256), w = IA_BUF(32), h = IA_BUF(32);
    if (!ia_page_picture(p, pic->sha, &src)) {
        ia_tmpl(out, "lost.html",
                (struct ia_tmpl_var[]){{"sha", {pic->sha, strnlen(pic->sha, NAME_DIGITS)}},
                                       IA_VAR("caption", caption),
                                       {0}});
    } else {
        put_box(&style, box, pic->width, pic->height);
        put_number(&w, pic->width > 0 ? pic->width : 393);
        put_number(&h, pic->height > 0 ? pic->height : 852);
        ia_tmpl(out, "shot.html",
                (struct ia_tmpl_var[]){IA_VAR_BUF("src", &src),
                                       IA_VAR("caption", caption),
                                       IA_VAR_BUF("width", &w),
                                       IA_VAR_BUF("height", &h),
                                       IA_VAR_BUF("box", &style),
                                       {0}});
    }
    ia_buf_fini(&src);
    ia_buf_fini(&style);
    ia_buf_fini(&w);
    ia_buf_fini(&h);
}
