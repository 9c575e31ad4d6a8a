/* bench_vision.c: what it costs to go by the picture: marks and text on the first screen of every app of the
 * simulated iPhone.
 *
 *     bench_vision [ROUNDS]        5
 *
 * For each app the median of: the picture in points as pixels, the parts that stand out, the picture with their numbers
 * drawn, and the text read by Tesseract from the picture in device pixels. */
#include "driver/embedded/embedded.h"
#include "driver/image/image.h"
#include "driver/image/marks.h"
#include "driver/image/ocr.h"
#include "driver/image/pixels.h"
#include "driver/session/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS_MAX = 101, KINDS = 4 };
static const char *const kinds[KINDS] = {"pixels", "parts", "numbers", "text"};
static const struct ia_deadline no_limit = {NULL, IA_NO_DEADLINE};

static void must(enum ia_rc rc, const struct ia_err *err)
{
    if (rc != IA_OK) {
        fprintf(stderr, "%s\n", err->msg);
        exit(2);
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* CPU time, as a busy machine changes it little. */
static double lap(clock_t *from)
{
    clock_t now = clock();
    double ms = (double)(now - *from) * 1000 / CLOCKS_PER_SEC;
    *from = now;
    return ms;
}

/* One round on a screen: milliseconds of each kind; returns how many lines were read. */
static size_t measure(struct ia_session *s, double ms[KINDS], size_t *ret_parts)
{
    struct ia_err err = {0};
    struct ia_buf png = IA_BUF(IA_PNG_BYTES_MAX), sharp = IA_BUF(IA_PNG_BYTES_MAX);
    struct ia_buf out = IA_BUF(IA_PNG_BYTES_MAX);
    struct ia_pixels pixels;
    struct ia_rect parts[IA_BLOBS_MAX];
    struct ia_mark marks[IA_BLOBS_MAX];
    struct ia_ocr o;
    must(ia_session_screenshot(s, &no_limit, &png, &err), &err);
    must(ia_session_picture(s, &no_limit, &sharp, &err), &err);
    clock_t from = clock();
    must(ia_pixels_read(ia_buf_str(&png), &pixels, &err), &err);
    ms[0] = lap(&from);
    *ret_parts = ia_pixels_blobs(&pixels, parts, IA_BLOBS_MAX);
    ms[1] = lap(&from);
    for (size_t i = 0; i < *ret_parts; i++) {
        marks[i] = (struct ia_mark){(uint32_t)i + 1, parts[i]};
    }
    const struct ia_marks_page page = {marks, *ret_parts, 0, {0, 0}};
    must(ia_png_mark(ia_buf_str(&png), &page, &out, &err), &err);
    ms[2] = lap(&from);
    const struct ia_ocr_request r = {.png = ia_buf_str(&sharp), .width_pt = pixels.width};
    must(ia_ocr_read(&r, &o, &err), &err);
    ms[3] = lap(&from);
    size_t lines = o.count;
    ia_ocr_fini(&o);
    ia_pixels_fini(&pixels);
    ia_buf_fini(&png);
    ia_buf_fini(&sharp);
    ia_buf_fini(&out);
    return lines;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 5;
    rounds = rounds < 1 ? 1 : rounds > ROUNDS_MAX ? ROUNDS_MAX : rounds;
    struct ia_embedded_options opt = {.name = "default", .fresh = true};
    struct ia_device *d = NULL;
    struct ia_err err = {0};
    struct ia_embedded_app app;
    must(ia_embedded_open(&opt, &d, &err), &err);
    struct ia_session *s = ia_session_new(d, NULL);
    printf("%-14s %6s %6s", "app", "parts", "lines");
    for (int k = 0; k < KINDS; k++) {
        printf(" %8s", kinds[k]);
    }
    printf("  (ms of CPU, median of %d)\n", rounds);
    for (int i = 0; ia_embedded_device_app(d, i, &app); i++) {
        static double all[KINDS][ROUNDS_MAX];
        size_t parts = 0, lines = 0;
        must(ia_device_launch(d, &no_limit, app.bundle_id, &err), &err);
        for (int n = 0; n < rounds; n++) {
            double ms[KINDS];
            lines = measure(s, ms, &parts);
            for (int k = 0; k < KINDS; k++) {
                all[k][n] = ms[k];
            }
        }
        printf("%-14s %6zu %6zu", app.name, parts, lines);
        for (int k = 0; k < KINDS; k++) {
            qsort(all[k], (size_t)rounds, sizeof(double), by_value);
            printf(" %8.1f", all[k][rounds / 2]);
        }
        printf("\n");
    }
    ia_session_free(s);
    ia_device_close(d);
    return 0;
}
