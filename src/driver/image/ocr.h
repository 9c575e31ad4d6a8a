/* ocr.h: reads the text on a picture, by Tesseract.
 *
 * Optional: the library is loaded by the first call, and what it needs for a language is a file of its
 * own. Without either: IA_E_MISSING with what to install. What it reads is what the picture shows,
 * so it is data of the screen, and may be wrong in single letters. */
#ifndef IA_DRIVER_IMAGE_OCR_H
#define IA_DRIVER_IMAGE_OCR_H

#include "driver/device.h"

/* One line of text. */
struct ia_ocr_line {
    char *text;         /* UTF-8, on one line, at most IA_OCR_LINE_BYTES */
    struct ia_rect box; /* in points of the screen */
    int confidence;     /* 0 to 100 */
};
struct ia_ocr {
    struct ia_ocr_line *lines; /* from top to bottom */
    size_t count;
    bool cut; /* there were more than IA_OCR_LINES_MAX */
};
enum { IA_OCR_LINES_MAX = 300, IA_OCR_LINE_BYTES = 400, IA_OCR_LANGUAGE_MAX = 32 };

struct ia_ocr_request {
    struct ia_str png;                  /* any scale; the larger, the better it reads */
    double width_pt;                    /* what the whole picture is wide, in points */
    struct ia_rect region;              /* in points; empty: all */
    const char *language;               /* Tesseract's names, "eng" or "deu+eng"; NULL: "eng" */
    const struct ia_deadline *deadline; /* may be NULL */
};

/* Reads it. Lines of less than IA_OCR_CONFIDENCE_MIN are noise and left out. Release with ia_ocr_fini.
 * IA_E_MISSING, IA_E_USAGE for a language that is no name or a region outside of the picture,
 * IA_E_PARSE and IA_E_LIMIT as ia_pixels_read, IA_E_TIMEOUT, IA_E_CANCELLED. Any thread. */
enum { IA_OCR_CONFIDENCE_MIN = 60 };
enum ia_rc ia_ocr_read(const struct ia_ocr_request *r, struct ia_ocr *ret, struct ia_err *err);
void ia_ocr_fini(struct ia_ocr *o);

/* Whether a line contains the text, as ia_text_fold (base/textfold.h) makes of both. */
bool ia_ocr_has(const struct ia_ocr *o, const char *text);

/* Appends it in the text form of a screen (driver/snapshot/snapshot.h): a header, then a line
 * `0 text WORDS` for each, so that a quote is looked for in it as in a screen. */
void ia_ocr_text(const struct ia_ocr *o, struct ia_buf *out);
/* Whether a text is such a one, and not that of a screen. */
bool ia_ocr_is_text(struct ia_str screen);

#endif
