/* ocr.c: Tesseract on a screenshot.
 *
 *     PNG ─► the region, in pixels ─► at least SCALE_MIN pixels a point ─► what stands out (pixels.h)
 *         ─► words beside each other are one ─► Tesseract on each ─► lines in points
 *
 * Letters of a screen are 9 to 34 points high, and Tesseract reads best at 30 pixels. A screen is no page: its
 * columns, symbols and cards confuse Tesseract's own search for text, and one threshold for all of it
 * loses what is faint. So it gets one part at a time, and each part its own threshold. */
#include "driver/image/ocr.h"

#include "base/lazylib.h"
#include "base/textfold.h"
#include "base/utf8.h"
#include "driver/image/image.h"
#include "driver/image/pixels.h"
#include "driver/snapshot/phrase.h"
#include "driver/snapshot/rect.h"

#include <ctype.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <tesseract/capi.h>

#define SYMS(X)                                                                                \
    X(TessBaseAPICreate)                                                                       \
    X(TessBaseAPIDelete)                                                                       \
    X(TessBaseAPIEnd)                                                                          \
    X(TessBaseAPIInit3)                                                                        \
    X(TessBaseAPISetVariable)                                                                  \
    X(TessBaseAPISetPageSegMode)                                                               \
    X(TessBaseAPISetImage)                                                                     \
    X(TessBaseAPISetRectangle)                                                                 \
    X(TessBaseAPISetSourceResolution)                                                          \
    X(TessBaseAPIRecognize)                                                                    \
    X(TessBaseAPIGetIterator)                                                                  \
    X(TessResultIteratorDelete)                                                                \
    X(TessResultIteratorGetPageIteratorConst)                                                  \
    X(TessResultIteratorNext)                                                                  \
    X(TessResultIteratorGetUTF8Text)                                                           \
    X(TessResultIteratorConfidence)                                                            \
    X(TessPageIteratorBoundingBox)                                                             \
    X(TessDeleteText)                                                                          \
    X(TessMonitorCreate)                                                                       \
    X(TessMonitorDelete)                                                                       \
    X(TessMonitorSetCancelFunc)                                                                \
    X(TessMonitorSetCancelThis)

struct tess {
    SYMS(IA_LAZY_FIELD)
};

/* Of the library by which Tesseract spreads a part over threads: for parts that are so small it only waits for
 * them. Not everywhere. */
void omp_set_num_threads(int n);
void omp_set_dynamic(int on); /* or Tesseract's own number counts */
#define OMP_SYMS(X) X(omp_set_num_threads) X(omp_set_dynamic)
struct omp {
    OMP_SYMS(IA_LAZY_FIELD)
};

static struct tess table;
static struct omp omp;
static struct ia_err load_err;
static enum ia_rc load_rc;

static void load(void)
{
#define ROW(fn) IA_LAZY_ROW(struct tess, fn),
    static const struct ia_lazy_sym syms[] = {SYMS(ROW)};
#undef ROW
#define ROW(fn) IA_LAZY_ROW(struct omp, fn),
    static const struct ia_lazy_sym omp_syms[] = {OMP_SYMS(ROW)};
#undef ROW
    static const char *const omp_names[] = {"libgomp.so.1", "libomp.dylib", NULL};
    static const char *const names[] = {"libtesseract.so.5", "libtesseract.5.dylib",
                                        "libtesseract.so", "libtesseract.dylib", NULL};
    load_rc = ia_lazy_load(names, syms, IA_COUNTOF(syms), &table, &load_err);
    if (load_rc == IA_OK) {
        (void)ia_lazy_load(omp_names, omp_syms, IA_COUNTOF(omp_syms), &omp, NULL);
    }
    ia_err_hint(&load_err, "to read text on pictures, install Tesseract: apt-get install "
                           "libtesseract5 tesseract-ocr-eng, or brew install tesseract");
}

static const struct tess *library(struct ia_err *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    if (load_rc != IA_OK && err) {
        *err = load_err;
    }
    return load_rc == IA_OK ? &table : NULL;
}

/* ---- the picture ------------------------------------------------------------------------- */

enum {
    SCALE_MIN = 2,
    SCALE_UP = 3,
    GRAY_DPI = 300,
    PARTS_MAX = 256,
    ROW_PT = 8,        /* lines whose middles lie in one are read from left to right */
    LINE_HIGH_PT = 30, /* a higher part may have several lines */
    MARGIN_PT = 4      /* around a part: letters must not touch the border */
};
/* Of the lower one's height: two parts that are closer are words of one line. */
#define WORD_GAP 0.8
/* Of the screen: a larger part is a picture, and its text is in parts of their own. */
#define PART_SHARE 0.25

struct page {
    const struct ia_ocr_request *r;
    struct ia_pixels pixels;
    double scale;                    /* pixels a point */
    struct ia_point from;            /* its left upper corner on the screen */
    struct ia_rect parts[PARTS_MAX]; /* in points of this page */
    size_t count;
};

/* Beside each other and on one line. */
static bool one_line(struct ia_rect a, struct ia_rect b)
{
    double low = fmin(a.h, b.h);
    double overlap = fmin(a.y + a.h, b.y + b.h) - fmax(a.y, b.y);
    double gap = fmax(a.x, b.x) - fmin(a.x + a.w, b.x + b.w);
    return overlap > low / 2 && gap < WORD_GAP * low && a.h <= LINE_HIGH_PT &&
           b.h <= LINE_HIGH_PT;
}

static struct ia_rect around(struct ia_rect a, struct ia_rect b)
{
    double x = fmin(a.x, b.x), y = fmin(a.y, b.y);
    return (struct ia_rect){x, y, fmax(a.x + a.w, b.x + b.w) - x,
                            fmax(a.y + a.h, b.y + b.h) - y};
}

/* Until nothing joins: one that grew may reach another. */
static size_t join_words(struct ia_rect *parts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = i + 1; k < n; k++) {
            if (one_line(parts[i], parts[k])) {
                parts[i] = around(parts[i], parts[k]);
                parts[k] = parts[--n];
                k = i;
            }
        }
    }
    return n;
}

static bool inside(struct ia_rect a, struct ia_rect b)
{
    return a.x >= b.x && a.y >= b.y && a.x + a.w <= b.x + b.w && a.y + a.h <= b.y + b.h;
}

/* What has other parts in it is a card, a bar or a field: its text is in those. */
static size_t drop_frames(struct ia_rect *parts, size_t n)
{
    for (size_t i = 0; i < n;) {
        bool frame = false;
        for (size_t k = 0; k < n && !frame; k++) {
            frame = k != i && inside(parts[k], parts[i]);
        }
        if (frame) {
            parts[i] = parts[--n];
        } else {
            i++;
        }
    }
    return n;
}

/* In points of this page. */
static enum ia_rc find_parts(const struct page *p, struct ia_str png, struct ia_rect *parts,
                             size_t *ret_count, struct ia_err *err)
{
    struct ia_buf small = IA_BUF(IA_PNG_BYTES_MAX);
    struct ia_pixels pixels = {0};
    int w = (int)lrint(p->pixels.width / p->scale), h = (int)lrint(p->pixels.height / p->scale);
    enum ia_rc rc = ia_png_scale(png, w > 0 ? w : 1, h > 0 ? h : 1, &small, err);
    if (rc == IA_OK) {
        rc = ia_pixels_read(ia_buf_str(&small), &pixels, err);
    }
    if (rc == IA_OK) {
        *ret_count = ia_pixels_blobs(&pixels, parts, PARTS_MAX);
        *ret_count = join_words(parts, drop_frames(parts, *ret_count));
    }
    ia_pixels_fini(&pixels);
    ia_buf_fini(&small);
    return rc;
}

/* The region alone; *png is it then. */
static enum ia_rc cut_region(struct page *p, double scale, struct ia_buf *png,
                             struct ia_err *err)
{
    struct ia_rect in = p->r->region;
    if (ia_rect_empty(in)) {
        ia_buf_putstr(png, p->r->png);
        return ia_buf_check(png, "the screenshot", err);
    }
    p->from = (struct ia_point){fmax(in.x, 0), fmax(in.y, 0)};
    struct ia_rect px = {in.x * scale, in.y * scale, in.w * scale, in.h * scale};
    return ia_png_crop(p->r->png, &px, png, err);
}

static enum ia_rc enlarge(struct page *p, double scale, struct ia_buf *png, struct ia_err *err)
{
    struct ia_buf large = IA_BUF(IA_PNG_BYTES_MAX);
    int w = 0, h = 0;
    p->scale = scale;
    enum ia_rc rc = ia_png_size(ia_buf_str(png), &w, &h, err);
    if (rc != IA_OK || scale >= SCALE_MIN || w > IA_PNG_SIDE_MAX / SCALE_UP ||
        h > IA_PNG_SIDE_MAX / SCALE_UP) {
        return rc;
    }
    rc = ia_png_scale(ia_buf_str(png), w * SCALE_UP, h * SCALE_UP, &large, err);
    if (rc == IA_OK) {
        p->scale = scale * SCALE_UP;
        ia_buf_reset(png);
        ia_buf_putstr(png, ia_buf_str(&large));
    }
    ia_buf_fini(&large);
    return rc;
}

static enum ia_rc open_page(struct page *p, struct ia_err *err)
{
    struct ia_buf png = IA_BUF(IA_PNG_BYTES_MAX);
    int w = 0, h = 0;
    enum ia_rc rc = ia_png_size(p->r->png, &w, &h, err);
    double scale = rc == IA_OK && p->r->width_pt >= 1 ? w / p->r->width_pt : 1;
    if (rc == IA_OK) {
        rc = cut_region(p, scale, &png, err);
    }
    if (rc == IA_OK) {
        rc = enlarge(p, scale, &png, err);
    }
    if (rc == IA_OK) {
        rc = ia_pixels_read(ia_buf_str(&png), &p->pixels, err);
    }
    if (rc == IA_OK) {
        rc = find_parts(p, ia_buf_str(&png), p->parts, &p->count, err);
    }
    ia_buf_fini(&png);
    return rc;
}

/* A byte a pixel: its brightness (ITU-R BT.601). */
static uint8_t *gray_of(const struct ia_pixels *p)
{
    size_t n = (size_t)p->width * (size_t)p->height;
    uint8_t *gray = ia_calloc(n, 1);
    for (size_t i = 0; i < n; i++) {
        uint32_t c = p->rgb[i];
        gray[i] =
            (uint8_t)(((c >> 16 & 0xff) * 299 + (c >> 8 & 0xff) * 587 + (c & 0xff) * 114) /
                      1000);
    }
    return gray;
}

/* ---- reading ----------------------------------------------------------------------------- */

static bool language_ok(const char *name)
{
    size_t n = strlen(name);
    return n >= 3 && n <= IA_OCR_LANGUAGE_MAX &&
           strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+") ==
               n;
}

static bool stops(void *ctx, int words)
{
    (void)words;
    return ia_deadline_check(ctx, ia_clock_system(), NULL) != IA_OK;
}

static void add_line(const struct page *p, struct ia_ocr *o, const char *text,
                     struct ia_rect px, float confidence)
{
    struct ia_buf line = IA_BUF(IA_OCR_LINE_BYTES);
    struct ia_buf whole = IA_BUF((size_t)IA_OCR_LINE_BYTES * 64);
    ia_phrase_fold_to(&whole, text, strlen(text));
    size_t n =
        whole.len < IA_OCR_LINE_BYTES ? whole.len : ia_utf8_cut(whole.p, IA_OCR_LINE_BYTES - 1);
    ia_buf_put(&line, ia_buf_cstr(&whole), n);
    if (n > 0) {
        o->lines[o->count++] =
            (struct ia_ocr_line){ia_buf_steal(&line),
                                 {p->from.x + px.x / p->scale, p->from.y + px.y / p->scale,
                                  px.w / p->scale, px.h / p->scale},
                                 (int)confidence};
    }
    ia_buf_fini(&whole);
    ia_buf_fini(&line);
}

/* Symbols are taken for single signs, and lines of them. */
static bool is_text(const char *text)
{
    int letters = 0;
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        letters += isalnum(*p) || *p >= 0x80;
    }
    return letters > 0;
}

static void take_lines(const struct tess *t, TessBaseAPI *api, const struct page *p,
                       struct ia_ocr *o)
{
    TessResultIterator *it = t->TessBaseAPIGetIterator_(api);
    bool more = it != NULL;
    for (; more; more = t->TessResultIteratorNext_(it, RIL_TEXTLINE)) {
        int left, top, right, bottom;
        const TessPageIterator *at = t->TessResultIteratorGetPageIteratorConst_(it);
        float sure = t->TessResultIteratorConfidence_(it, RIL_TEXTLINE);
        char *text = t->TessResultIteratorGetUTF8Text_(it, RIL_TEXTLINE);
        bool box =
            t->TessPageIteratorBoundingBox_(at, RIL_TEXTLINE, &left, &top, &right, &bottom);
        bool good = text && box && sure >= IA_OCR_CONFIDENCE_MIN && is_text(text);
        o->cut = o->cut || (good && o->count == IA_OCR_LINES_MAX);
        if (good && o->count < IA_OCR_LINES_MAX) {
            add_line(p, o, text, (struct ia_rect){left, top, right - left, bottom - top}, sure);
        }
        if (text) {
            t->TessDeleteText_(text);
        }
    }
    if (it) {
        t->TessResultIteratorDelete_(it);
    }
}

static int by_place(const void *a, const void *b)
{
    const struct ia_rect *p = &((const struct ia_ocr_line *)a)->box;
    const struct ia_rect *q = &((const struct ia_ocr_line *)b)->box;
    int row_p = (int)((p->y + p->h / 2) / ROW_PT), row_q = (int)((q->y + q->h / 2) / ROW_PT);
    return row_p != row_q ? row_p - row_q : p->x < q->x ? -1 : p->x > q->x;
}

static bool select_part(const struct tess *t, TessBaseAPI *api, const struct page *p,
                        struct ia_rect part)
{
    struct ia_rect all = {0, 0, p->pixels.width, p->pixels.height};
    struct ia_rect px = {(part.x - MARGIN_PT) * p->scale, (part.y - MARGIN_PT) * p->scale,
                         (part.w + 2 * MARGIN_PT) * p->scale,
                         (part.h + 2 * MARGIN_PT) * p->scale};
    px = ia_rect_cut(all, px);
    bool picture =
        ia_rect_empty(p->r->region) && ia_rect_area(px) > PART_SHARE * ia_rect_area(all);
    bool good = px.w >= 1 && px.h >= 1 && !picture;
    if (good) {
        t->TessBaseAPISetPageSegMode_(api, part.h > LINE_HIGH_PT ? PSM_SINGLE_BLOCK
                                                                 : PSM_SINGLE_LINE);
        t->TessBaseAPISetRectangle_(api, (int)px.x, (int)px.y, (int)px.w, (int)px.h);
    }
    return good;
}

static enum ia_rc recognize(const struct tess *t, TessBaseAPI *api, const struct page *p,
                            struct ia_ocr *ret, struct ia_err *err)
{
    uint8_t *gray = gray_of(&p->pixels);
    ETEXT_DESC *monitor = t->TessMonitorCreate_();
    struct ia_deadline none = {NULL, IA_NO_DEADLINE};
    const struct ia_deadline *until = p->r->deadline ? p->r->deadline : &none;
    enum ia_rc rc = IA_OK;
    t->TessMonitorSetCancelThis_(monitor, (void *)(uintptr_t)until);
    t->TessMonitorSetCancelFunc_(monitor, stops);
    t->TessBaseAPISetImage_(api, gray, p->pixels.width, p->pixels.height, 1, p->pixels.width);
    t->TessBaseAPISetSourceResolution_(api, GRAY_DPI);
    for (size_t i = 0; i < p->count && rc == IA_OK; i++) {
        rc = ia_deadline_check(until, ia_clock_system(), err);
        if (rc == IA_OK && select_part(t, api, p, p->parts[i]) &&
            t->TessBaseAPIRecognize_(api, monitor) == 0) {
            take_lines(t, api, p, ret);
        }
    }
    qsort(ret->lines, ret->count, sizeof(*ret->lines), by_place);
    t->TessMonitorDelete_(monitor);
    free(gray);
    return rc;
}

static enum ia_rc no_language(const char *language, struct ia_err *err)
{
    (void)ia_err_set(err, IA_E_MISSING, "Tesseract has no data for the language %s", language);
    ia_err_hint(err,
                "install it: apt-get install tesseract-ocr-%s, or brew install tesseract-lang "
                "(English is part of tesseract); TESSDATA_PREFIX names another folder",
                language);
    return IA_E_MISSING;
}

static enum ia_rc read_page(const struct tess *t, const struct page *p, struct ia_ocr *ret,
                            struct ia_err *err)
{
    const char *language = p->r->language ? p->r->language : "eng";
    if (omp.omp_set_num_threads_) {
        omp.omp_set_num_threads_(1); /* of this thread */
        omp.omp_set_dynamic_(1);
    }
    TessBaseAPI *api = t->TessBaseAPICreate_();
    /* It would tell of missing files on stderr. */
    t->TessBaseAPISetVariable_(api, "debug_file", "/dev/null");
    enum ia_rc rc =
        t->TessBaseAPIInit3_(api, NULL, language) == 0 ? IA_OK : no_language(language, err);
    if (rc == IA_OK) {
        t->TessBaseAPISetVariable_(api, "debug_file", "/dev/null");
        rc = recognize(t, api, p, ret, err);
    }
    t->TessBaseAPIEnd_(api);
    t->TessBaseAPIDelete_(api);
    return rc;
}

enum ia_rc ia_ocr_read(const struct ia_ocr_request *r, struct ia_ocr *ret, struct ia_err *err)
{
    struct page p = {.r = r};
    *ret = (struct ia_ocr){0};
    if (r->language && !language_ok(r->language)) {
        return ia_err_set(err, IA_E_USAGE, "\"%.40s\" is no name of a language for Tesseract",
                          r->language);
    }
    const struct tess *t = library(err);
    if (!t) {
        return IA_E_MISSING;
    }
    enum ia_rc rc = open_page(&p, err);
    if (rc == IA_OK) {
        ret->lines = ia_calloc(IA_OCR_LINES_MAX, sizeof(*ret->lines));
        rc = read_page(t, &p, ret, err);
    }
    ia_pixels_fini(&p.pixels);
    if (rc != IA_OK) {
        ia_ocr_fini(ret);
    }
    return rc;
}

void ia_ocr_fini(struct ia_ocr *o)
{
    for (size_t i = 0; i < o->count; i++) {
        free(o->lines[i].text);
    }
    free(o->lines);
    *o = (struct ia_ocr){0};
}

bool ia_ocr_has(const struct ia_ocr *o, const char *text)
{
    struct ia_buf want = IA_BUF(IA_OCR_LINE_BYTES * 4), line = IA_BUF(IA_OCR_LINE_BYTES * 4);
    bool found = false;
    ia_text_fold(&want, ia_str(text));
    for (size_t i = 0; i < o->count && !found && want.len > 0; i++) {
        ia_buf_reset(&line);
        ia_text_fold(&line, ia_str(o->lines[i].text));
        found = strstr(ia_buf_cstr(&line), ia_buf_cstr(&want)) != NULL;
    }
    ia_buf_fini(&want);
    ia_buf_fini(&line);
    return found;
}

/* The header of a screen begins with an app. */
#define HEADER "- picture\n"

bool ia_ocr_is_text(struct ia_str screen)
{
    return ia_str_starts(screen, ia_str(HEADER));
}

void ia_ocr_text(const struct ia_ocr *o, struct ia_buf *out)
{
    ia_buf_puts(out, HEADER);
    for (size_t i = 0; i < o->count; i++) {
        ia_buf_puts(out, "0 text ");
        ia_phrase_write(out, o->lines[i].text, IA_PHRASE_LABEL, IA_OCR_LINE_BYTES);
        ia_buf_putc(out, '\n');
    }
}
