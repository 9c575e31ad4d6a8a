/* What stands out on a picture, and what changed between two, on every app of the simulated iPhone in
 * light and dark. */
#include "test.h"

#include "driver/embedded/embedded.h"
#include "driver/image/image.h"
#include "driver/image/pixels.h"
#include "driver/session/session.h"
#include "driver/snapshot/rect.h"

struct world {
    struct ia_device *d;
    struct ia_session *s;
    struct ia_deadline deadline;
    struct ia_buf png;
    struct ia_pixels p;
    struct ia_err err;
};

static void open_world(struct world *w)
{
    struct ia_embedded_options opt = {.name = "default", .fresh = true};
    *w = (struct world){.deadline = {NULL, IA_NO_DEADLINE}, .png = IA_BUF(IA_PNG_BYTES_MAX)};
    assert_int_equal(ia_embedded_open(&opt, &w->d, &w->err), IA_OK);
    w->s = ia_session_new(w->d, NULL);
}

static void close_world(struct world *w)
{
    ia_pixels_fini(&w->p);
    ia_buf_fini(&w->png);
    ia_session_free(w->s);
    ia_device_close(w->d);
}

static void launch(struct world *w, const char *app)
{
    struct ia_act_result r;
    assert_int_equal(ia_session_launch(w->s, &w->deadline, app, &r, &w->err), IA_OK);
    ia_act_result_fini(&r);
}

static void photograph(struct world *w)
{
    ia_buf_reset(&w->png);
    ia_pixels_fini(&w->p);
    assert_int_equal(ia_session_screenshot(w->s, &w->deadline, &w->png, &w->err), IA_OK);
    assert_int_equal(ia_pixels_read(ia_buf_str(&w->png), &w->p, &w->err), IA_OK);
}

static size_t blobs(const struct world *w, struct ia_rect *ret)
{
    struct ia_rect again[IA_BLOBS_MAX];
    size_t n = ia_pixels_blobs(&w->p, ret, IA_BLOBS_MAX);
    assert_int_equal(ia_pixels_blobs(&w->p, again, IA_BLOBS_MAX), n);
    assert_memory_equal(ret, again, n * sizeof(*ret));
    return n;
}

static bool aims_at(const struct ia_rect *parts, size_t n, struct ia_rect box)
{
    for (size_t i = 0; i < n; i++) {
        if (ia_rect_has(box, ia_rect_center(parts[i]))) {
            return true;
        }
    }
    return false;
}

/* How many elements a finger can aim at, and how many of them have no part's middle inside. */
static void count_targets(struct world *w, const char *app, int *ret_all, int *ret_missed)
{
    struct ia_rect parts[IA_BLOBS_MAX];
    const struct ia_snapshot *s = NULL;
    const struct ia_element *e;
    assert_int_equal(ia_session_snapshot(w->s, &w->deadline, &s, &w->err), IA_OK);
    photograph(w);
    size_t n = blobs(w, parts);
    for (size_t i = 0; i < n; i++) {
        assert_true(parts[i].x >= 0 && parts[i].y >= 0 && parts[i].w >= 4 && parts[i].h >= 4);
        assert_true(parts[i].x + parts[i].w <= w->p.width &&
                    parts[i].y + parts[i].h <= w->p.height);
    }
    for (size_t i = 0; (e = ia_snapshot_at(s, i)) != NULL; i++) {
        bool target = e->listed && (e->actions & IA_ACT_TAP) && e->reach == IA_REACH_OK;
        bool missed = target && !aims_at(parts, n, e->frame);
        *ret_all += target;
        *ret_missed += missed;
        if (missed) {
            print_message("%s: nothing stands out in %s\n", app, e->label ? e->label : "?");
        }
    }
}

static void what_can_be_tapped_stands_out_in_light_and_dark(void **state)
{
    (void)state;
    struct world w;
    struct ia_embedded_app app;
    int targets = 0, missed = 0;
    open_world(&w);
    for (int dark = 0; dark < 2; dark++) {
        assert_int_equal(ia_embedded_device_set_dark(w.d, &w.deadline, dark, &w.err), IA_OK);
        for (int i = 0; ia_embedded_device_app(w.d, i, &app); i++) {
            launch(&w, app.bundle_id);
            count_targets(&w, app.bundle_id, &targets, &missed);
        }
    }
    print_message("%d of %d targets stand out\n", targets - missed, targets);
    assert_true(targets > 150);
    assert_int_equal(missed, 0);
    close_world(&w);
}

/* ---- pictures made here ------------------------------------------------------------------ */

static struct ia_pixels blank(int width, int height)
{
    struct ia_pixels p = {width, height,
                          calloc((size_t)width * (size_t)height, sizeof(uint32_t))};
    memset(p.rgb, 0xff, (size_t)width * (size_t)height * sizeof(uint32_t));
    for (size_t i = 0; i < (size_t)width * (size_t)height; i++) {
        p.rgb[i] = 0xffffff;
    }
    return p;
}

static void fill(struct ia_pixels *p, int x, int y, int w, int h, uint32_t color)
{
    for (int j = y; j < y + h; j++) {
        for (int i = x; i < x + w; i++) {
            p->rgb[j * p->width + i] = color;
        }
    }
}

static void the_time_and_a_cursor_are_no_change(void **state)
{
    (void)state;
    static const struct {
        int width, height; /* of the screen */
        int x, y, w, h;    /* what is drawn on it */
        uint32_t color;
        bool changed;
    } cases[] = {
        {393, 852, 40, 20, 60, 30, 0, false},         /* the clock */
        {393, 852, 40, 20, 60, 40, 0, true},          /* reaches below the status bar */
        {393, 852, 100, 300, 2, 20, 0x0000ff, false}, /* a cursor */
        {393, 852, 100, 300, 5, 20, 0x0000ff, true},
        {393, 852, 100, 300, 4, 49, 0x0000ff, true},   /* too high for one */
        {393, 852, 100, 300, 50, 50, 0xfafafa, false}, /* less than noise */
        {393, 852, 100, 300, 50, 50, 0xf0f0f0, true},
        {852, 393, 40, 10, 60, 20, 0, true},  /* lies on its side: there is no status bar */
        {820, 1180, 40, 5, 60, 20, 0, false}, /* a tablet's is lower */
        {820, 1180, 40, 33, 60, 10, 0, true},
        {375, 667, 40, 5, 60, 20, 0, false},
        {375, 667, 40, 44, 60, 20, 0, true},
    };
    for (size_t i = 0; i < IA_COUNTOF(cases); i++) {
        struct ia_pixels a = blank(cases[i].width, cases[i].height),
                         b = blank(cases[i].width, cases[i].height);
        struct ia_pixels_change c;
        fill(&b, cases[i].x, cases[i].y, cases[i].w, cases[i].h, cases[i].color);
        if (ia_pixels_changed(&a, &b, &c) != cases[i].changed) {
            fail_msg("case %zu", i);
        }
        ia_pixels_fini(&a);
        ia_pixels_fini(&b);
    }
}

static void what_changed_is_the_smallest_box_around_it(void **state)
{
    (void)state;
    struct ia_pixels a = blank(100, 200), b = blank(100, 200), other = blank(99, 200);
    struct ia_pixels_change c;
    struct ia_rect all = {-10, -10, 1000, 1000};
    assert_false(ia_pixels_differ(&a, &b, all, &c));
    assert_true(c.pixels == 0 && ia_rect_empty(c.box));
    fill(&b, 10, 50, 1, 1, 0);
    fill(&b, 99, 199, 1, 1, 0);
    assert_true(ia_pixels_differ(&a, &b, all, &c));
    assert_true(c.pixels == 2 && c.box.x == 10 && c.box.y == 50 && c.box.w == 90 &&
                c.box.h == 150);
    assert_false(ia_pixels_differ(&a, &b, (struct ia_rect){11, 51, 80, 100}, &c));
    assert_true(ia_pixels_differ(&a, &other, all, &c));
    assert_int_equal(c.pixels, 99 * 200);
    assert_true(ia_pixels_hash(&a) != ia_pixels_hash(&b));
    ia_pixels_fini(&a);
    ia_pixels_fini(&b);
    ia_pixels_fini(&other);
}

static void words_are_one_part_and_the_ground_is_none(void **state)
{
    (void)state;
    struct ia_pixels p = blank(393, 852);
    struct ia_rect parts[IA_BLOBS_MAX];
    assert_int_equal(ia_pixels_blobs(&p, parts, IA_BLOBS_MAX), 0);
    for (int i = 0; i < 5; i++) { /* letters */
        fill(&p, 50 + i * 10, 100, 6, 12, 0);
    }
    fill(&p, 200, 100, 30, 30, 0xff0000); /* a symbol beside the word */
    for (int y = 300; y < 800; y += 20) { /* dots of the paper */
        for (int x = 20; x < 380; x += 20) {
            fill(&p, x, y, 1, 1, 0xc0c0c0);
        }
    }
    fill(&p, 0, 250, 393, 1, 0xc0c0c0); /* a hairline */
    assert_int_equal(ia_pixels_blobs(&p, parts, IA_BLOBS_MAX), 2);
    struct ia_rect word = parts[0].x < parts[1].x ? parts[0] : parts[1];
    assert_true(word.x >= 49 && word.x <= 50 && word.w >= 46 && word.w <= 49);
    assert_int_equal(ia_pixels_blobs(&p, parts, 1), 1); /* the smallest are left out first */
    assert_true(parts[0].x >= 199);
    ia_pixels_fini(&p);
}

static void pictures_without_room_for_anything_have_no_parts(void **state)
{
    (void)state;
    static const int sides[][2] = {{1, 1}, {1, 400}, {400, 1}, {2, 2}};
    for (size_t i = 0; i < IA_COUNTOF(sides); i++) {
        struct ia_pixels p = blank(sides[i][0], sides[i][1]);
        struct ia_rect parts[IA_BLOBS_MAX];
        p.rgb[0] = 0;
        assert_int_equal(ia_pixels_blobs(&p, parts, IA_BLOBS_MAX), 0);
        assert_true(ia_pixels_hash(&p) != 0);
        ia_pixels_fini(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_can_be_tapped_stands_out_in_light_and_dark),
        cmocka_unit_test(the_time_and_a_cursor_are_no_change),
        cmocka_unit_test(what_changed_is_the_smallest_box_around_it),
        cmocka_unit_test(words_are_one_part_and_the_ground_is_none),
        cmocka_unit_test(pictures_without_room_for_anything_have_no_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
