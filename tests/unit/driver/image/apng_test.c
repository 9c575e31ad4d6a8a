/* Films as animated PNGs: read back by a strict reader of its own, picture by picture. */
#include "test.h"
#include "tmpdir.h"

#include "base/fd.h"
#include "driver/embedded/embedded.h"
#include "driver/image/apng.h"
#include "driver/image/image.h"

#include <unistd.h>

/* ---- a strict reader --------------------------------------------------------------------- */

enum { FRAMES_MAX = 64 };
struct film {
    struct ia_buf file;
    uint32_t frames, plays; /* as acTL says */
    uint32_t sequence;
    int n;
    struct ia_buf pictures[FRAMES_MAX]; /* each a PNG again */
    uint32_t delay_num[FRAMES_MAX], delay_den[FRAMES_MAX];
    struct ia_str head; /* signature and IHDR */
    bool ended;
};

static uint32_t word(const char *p)
{
    const uint8_t *u = (const uint8_t *)p;
    return (uint32_t)u[0] << 24 | (uint32_t)u[1] << 16 | (uint32_t)u[2] << 8 | u[3];
}

/* Bit by bit, as the specification defines it. */
static uint32_t crc_of(const char *p, size_t n)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        crc ^= (uint8_t)p[i];
        for (int k = 0; k < 8; k++) {
            crc = crc & 1 ? crc >> 1 ^ 0xEDB88320 : crc >> 1;
        }
    }
    return ~crc;
}

static void put_word(struct ia_buf *b, uint32_t v)
{
    const char bytes[4] = {(char)(v >> 24), (char)(v >> 16), (char)(v >> 8), (char)v};
    ia_buf_put(b, bytes, 4);
}

static void put_chunk(struct ia_buf *b, const char *type, const char *data, size_t n)
{
    size_t from = b->len + 4;
    put_word(b, (uint32_t)n);
    ia_buf_put(b, type, 4);
    ia_buf_put(b, data, n);
    put_word(b, crc_of(b->p + from, n + 4));
}

static void read_chunk(struct film *f, const char *type, struct ia_str data)
{
    struct ia_buf *picture = f->n > 0 ? &f->pictures[f->n - 1] : NULL;
    if (memcmp(type, "acTL", 4) == 0) {
        assert_int_equal(f->n, 0);
        assert_int_equal(data.n, 8);
        f->frames = word(data.p);
        f->plays = word(data.p + 4);
    } else if (memcmp(type, "fcTL", 4) == 0) {
        assert_int_equal(data.n, 26);
        assert_int_equal(word(data.p), f->sequence++);
        assert_memory_equal(data.p + 4, f->head.p + 16, 8);         /* as large as the film */
        assert_int_equal(word(data.p + 12) | word(data.p + 16), 0); /* at 0,0 */
        assert_true(f->n < FRAMES_MAX);
        f->delay_num[f->n] = word(data.p + 20) >> 16;
        f->delay_den[f->n] = word(data.p + 20) & 0xFFFF;
        f->pictures[f->n] = IA_BUF((size_t)16 << 20);
        ia_buf_putstr(&f->pictures[f->n++], f->head);
    } else if (memcmp(type, "IDAT", 4) == 0) {
        assert_int_equal(f->n, 1);
        put_chunk(picture, "IDAT", data.p, data.n);
    } else if (memcmp(type, "fdAT", 4) == 0) {
        assert_true(f->n > 1 && data.n > 4);
        assert_int_equal(word(data.p), f->sequence++);
        put_chunk(picture, "IDAT", data.p + 4, data.n - 4);
    } else {
        assert_memory_equal(type, "IEND", 4);
        f->ended = true;
    }
}

static void film_read(struct film *f, const char *path)
{
    *f = (struct film){.file = IA_BUF((size_t)64 << 20)};
    assert_int_equal(ia_file_read(path, &f->file, NULL), IA_OK);
    const char *p = f->file.p;
    assert_memory_equal(p, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
    f->head = (struct ia_str){p, 33};
    for (size_t at = 8; at < f->file.len;) {
        size_t n = word(p + at);
        assert_true(at + 12 + n <= f->file.len && !f->ended);
        assert_int_equal(word(p + at + 8 + n), crc_of(p + at + 4, n + 4));
        if (at > 8) {
            read_chunk(f, p + at + 4, (struct ia_str){p + at + 8, n});
        }
        at += n + 12;
    }
    assert_true(f->ended);
    assert_int_equal(f->frames, f->n);
    for (int i = 0; i < f->n; i++) {
        put_chunk(&f->pictures[i], "IEND", "", 0);
    }
}

static void film_fini(struct film *f)
{
    for (int i = 0; i < f->n; i++) {
        ia_buf_fini(&f->pictures[i]);
    }
    ia_buf_fini(&f->file);
}

/* ---- pictures ---------------------------------------------------------------------------- */

/* Two screens of the phone, in points. */
static struct ia_device *phone_with(struct ia_buf shots[2])
{
    static const char *const apps[] = {"com.apple.Preferences", "com.example.shop"};
    struct ia_embedded_options opt = {.name = "default"};
    struct ia_device *d = NULL;
    assert_int_equal(ia_embedded_open(&opt, &d, NULL), IA_OK);
    for (int i = 0; i < 2; i++) {
        shots[i] = IA_BUF(IA_PNG_BYTES_MAX);
        assert_int_equal(ia_device_launch(d, NULL, apps[i], NULL), IA_OK);
        if (ia_device_screenshot_pt(d, NULL, &shots[i], NULL) == IA_E_MISSING) {
            skip();
        }
    }
    return d;
}

/* Decoded by cairo both look alike: scaled by another factor, the encoder writes both. */
static void assert_same_picture(const struct ia_buf *a, const struct ia_buf *b)
{
    struct ia_buf x = IA_BUF(IA_PNG_BYTES_MAX), y = IA_BUF(IA_PNG_BYTES_MAX);
    assert_int_equal(ia_png_scale(ia_buf_str(a), 200, 400, &x, NULL), IA_OK);
    assert_int_equal(ia_png_scale(ia_buf_str(b), 200, 400, &y, NULL), IA_OK);
    assert_true(ia_str_eq(ia_buf_str(&x), ia_buf_str(&y)));
    ia_buf_fini(&x);
    ia_buf_fini(&y);
}

struct world {
    char *folder, *path;
    struct ia_buf shots[2];
    struct ia_device *d;
};

static struct world open_world(void)
{
    struct world w = {.folder = tmpdir_new()};
    w.path = ia_path_join(w.folder, "film.png");
    w.d = phone_with(w.shots);
    return w;
}

static void close_world(struct world *w)
{
    ia_device_close(w->d);
    ia_buf_fini(&w->shots[0]);
    ia_buf_fini(&w->shots[1]);
    free(w->path);
    tmpdir_free(w->folder);
}

/* ---- tests ------------------------------------------------------------------------------- */

static void each_picture_is_shown_as_long_as_it_was_there(void **state)
{
    (void)state;
    struct world w = open_world();
    struct ia_apng *a = NULL;
    struct ia_apng_end end;
    struct film f;
    static const struct {
        int shot;
        int64_t at_ms;
    } shown[] = {{0, 5000}, {0, 5200}, {1, 5500}, {0, 5500}, {1, 205500}, {1, 205501}};
    assert_int_equal(ia_apng_new(w.path, &a, NULL), IA_OK);
    for (size_t i = 0; i < IA_COUNTOF(shown); i++) {
        ia_apng_show(a, ia_buf_str(&w.shots[shown[i].shot]), shown[i].at_ms);
    }
    assert_int_equal(access(w.path, F_OK), -1); /* not before it is complete */
    assert_int_equal(ia_apng_finish(a, 206500, &end, NULL), IA_OK);
    film_read(&f, w.path);
    assert_int_equal(f.plays, 1);
    static const struct {
        int shot;
        uint32_t num, den;
    } want[] = {{0, 500, 1000}, {1, 0, 1000}, {0, 20000, 100}, {1, 1000, 1000}};
    assert_int_equal(f.n, IA_COUNTOF(want));
    for (int i = 0; i < f.n; i++) {
        assert_int_equal(f.delay_num[i], want[i].num);
        assert_int_equal(f.delay_den[i], want[i].den);
        assert_same_picture(&f.pictures[i], &w.shots[want[i].shot]);
    }
    assert_true(end.bytes == (int64_t)f.file.len && end.frames == f.n && !end.cut);
    assert_int_equal(end.duration_ms, 201500);
    film_fini(&f);
    close_world(&w);
}

static void a_film_ends_at_its_cap_and_says_so(void **state)
{
    (void)state;
    struct world w = open_world();
    struct ia_apng *a = NULL;
    struct ia_apng_end end;
    assert_int_equal(ia_apng_new(w.path, &a, NULL), IA_OK);
    for (int i = 0; i < IA_APNG_FRAMES_MAX + 10; i++) {
        ia_apng_show(a, ia_buf_str(&w.shots[i % 2]), i * 10);
    }
    assert_int_equal(ia_apng_finish(a, 1000000, &end, NULL), IA_OK);
    assert_true(end.cut && end.frames <= IA_APNG_FRAMES_MAX);
    assert_true(end.bytes < IA_APNG_BYTES_MAX + ((int64_t)1 << 20));
    assert_true(end.duration_ms <= IA_APNG_FRAMES_MAX * 10);
    struct ia_buf file = IA_BUF((size_t)128 << 20);
    assert_int_equal(ia_file_read(w.path, &file, NULL), IA_OK);
    assert_true(end.bytes == (int64_t)file.len);
    assert_memory_equal(file.p + file.len - 8, "IEND", 4);
    ia_buf_fini(&file);
    close_world(&w);
}

static void what_fails_leaves_no_film_and_the_old_one(void **state)
{
    (void)state;
    struct world w = open_world();
    struct ia_buf large = IA_BUF(IA_PNG_BYTES_MAX);
    assert_int_equal(ia_device_screenshot(w.d, NULL, &large, NULL), IA_OK);
    const struct {
        struct ia_str second;
        enum ia_rc rc;
    } rows[] = {{ia_str("no PNG"), IA_E_PARSE}, {ia_buf_str(&large), IA_E_PARSE}};
    char *old = tmpdir_file(w.folder, "film.png", "old"),
         *part = ia_path_join(w.folder, "film.png.part");
    for (size_t i = 0; i <= IA_COUNTOF(rows); i++) {
        struct ia_apng *a = NULL;
        struct ia_apng_end end;
        struct ia_err err = {0};
        struct ia_buf is = IA_BUF(16);
        bool none = i == IA_COUNTOF(rows); /* no picture at all */
        assert_int_equal(ia_apng_new(w.path, &a, &err), IA_OK);
        if (!none) {
            ia_apng_show(a, ia_buf_str(&w.shots[0]), 0);
            ia_apng_show(a, rows[i].second, 10);
        }
        assert_int_equal(ia_apng_finish(a, 20, &end, &err), none ? IA_E_STATE : rows[i].rc);
        assert_true(err.msg[0] != '\0');
        assert_int_equal(access(part, F_OK), -1);
        assert_int_equal(ia_file_read(w.path, &is, NULL), IA_OK);
        assert_string_equal(ia_buf_cstr(&is), "old");
        ia_buf_fini(&is);
    }
    struct ia_apng *a = NULL;
    struct ia_err err = {0};
    assert_int_equal(ia_apng_new("/no/such/folder/film.png", &a, &err), IA_E_IO);
    ia_buf_fini(&large);
    free(old);
    free(part);
    close_world(&w);
}

static void the_phone_films_what_it_shows(void **state)
{
    (void)state;
    struct world w = open_world();
    struct ia_recording film = {.bytes = 0};
    struct film f;
    struct ia_err err = {0};
    struct ia_deadline deadline = {NULL, IA_NO_DEADLINE};
    assert_int_equal(ia_device_record_stop(w.d, &deadline, &film, &err), IA_E_STATE);
    assert_int_equal(ia_device_record_start(w.d, &deadline, w.path, &err), IA_OK);
    assert_int_equal(ia_device_record_start(w.d, &deadline, w.path, &err), IA_E_STATE);
    assert_int_equal(err.outcome, IA_OUTCOME_NOT_SENT);
    assert_int_equal(ia_device_press(w.d, &deadline, IA_BUTTON_HOME, &err), IA_OK);
    assert_int_equal(ia_device_press(w.d, &deadline, IA_BUTTON_HOME, &err),
                     IA_OK); /* the same */
    assert_int_equal(ia_device_launch(w.d, &deadline, "com.example.sketch", &err), IA_OK);
    assert_int_equal(ia_device_record_stop(w.d, &deadline, &film, &err), IA_OK);
    film_read(&f, w.path);
    assert_int_equal(f.n, 3);
    assert_int_equal(film.frames, 3);
    assert_string_equal(film.format, "apng");
    assert_int_equal(film.duration_ms, 4000);
    assert_int_equal(f.delay_num[1], 2000); /* home, for two operations */
    assert_true(film.bytes == (int64_t)f.file.len);
    film_fini(&f);
    /* One that is not stopped is finished when the phone is closed. */
    assert_int_equal(ia_device_record_start(w.d, &deadline, w.path, &err), IA_OK);
    ia_device_close(w.d);
    w.d = NULL;
    film_read(&f, w.path);
    assert_int_equal(f.n, 1);
    film_fini(&f);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_picture_is_shown_as_long_as_it_was_there),
        cmocka_unit_test(a_film_ends_at_its_cap_and_says_so),
        cmocka_unit_test(what_fails_leaves_no_film_and_the_old_one),
        cmocka_unit_test(the_phone_films_what_it_shows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
