/* mjpeg_test.c: the live picture: one frame for all viewers, at the rate that was asked for, behind every
 * request that waits. */
#include "served.h"
#include "server/wda/wda_impl.h"

#include "base/clock.h"

#include <unistd.h>

enum { VIEWERS = 4, RATE = 20, FRAMES = 6, US_PER_S = 1000000 };

static int64_t now_us(void)
{
    return ia_mono_us(ia_clock_system());
}

static struct served *served_of(struct ia_device *d)
{
    return (struct served *)((char *)d - offsetof(struct served, device));
}

static void start(struct served *s)
{
    served_start(s, &(struct ia_wda_server_options){.mjpeg_port = 0});
    served_session(s);
}

static int view(struct served *s)
{
    struct wire at = {.port = ia_wda_server_mjpeg_port(s->server)};
    int fd = wire_tcp(&at);
    wire_send(fd, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    return fd;
}

/* Reads on until so many more parts have begun. */
static void read_parts(int fd, int parts)
{
    static const char mark[] = "\r\n--BoundaryString\r\n";
    char byte;
    for (size_t at = 0; parts > 0;) {
        assert_int_equal(read(fd, &byte, 1), 1);
        at = byte == mark[at] ? at + 1 : byte == mark[0];
        if (!mark[at]) {
            parts--;
            at = 0;
        }
    }
}

/* ---- one for all -------------------------------------------------------------------------- */

/* Each picture is another one. */
static enum ia_rc count_picture(struct ia_device *d, const struct ia_deadline *deadline,
                                struct ia_buf *ret_png, struct ia_err *err)
{
    (void)deadline;
    (void)err;
    ia_buf_printf(ret_png, "picture %d", ++served_of(d)->inside);
    return IA_OK;
}

static void viewers_share_each_frame_at_the_rate_that_was_asked_for(void **state)
{
    (void)state;
    struct served s;
    int fds[VIEWERS];
    served_open(&s);
    s.device.ops.screenshot_pt = count_picture;
    start(&s);
    served_says(&s, "POST", "/appium/settings", "{\"settings\":{\"mjpegServerFramerate\":20}}",
                200, "20");
    int64_t begun = now_us();
    for (int i = 0; i < VIEWERS; i++) {
        fds[i] = view(&s);
    }
    for (int n = 0; n < FRAMES; n++) {
        for (int i = 0; i < VIEWERS; i++) {
            read_parts(fds[i], 1);
        }
    }
    int taken = s.inside;
    int64_t most = (now_us() - begun) * RATE / US_PER_S + 1;
    assert_in_range(taken, FRAMES, most);
    for (int i = 0; i < VIEWERS; i++) {
        close(fds[i]);
    }
    served_close(&s);
}

/* ---- a screen that stands still ----------------------------------------------------------- */

static void a_still_screen_is_looked_at_less_and_less_often(void **state)
{
    (void)state;
    struct served s;
    served_open(&s);
    start(&s);
    int fd = view(&s);
    int64_t begun = now_us();
    read_parts(fd, 5); /* 0.1, 0.2, 0.4, 0.8 s between them */
    assert_true(now_us() - begun >= US_PER_S * 14 / 10);
    /* What is done ends the long wait of 1 s. */
    begun = now_us();
    served_says(&s, "POST", "/wda/homescreen", "{}", 200, "null");
    read_parts(fd, 1);
    assert_true(now_us() - begun < US_PER_S * 9 / 10);
    close(fd);
    served_close(&s);
}

/* ---- requests first ----------------------------------------------------------------------- */

static char order[8]; /* on the worker */
static int done;
static _Atomic int let_go;

static void note(char what)
{
    if (done < (int)sizeof(order)) {
        order[done++] = what;
    }
}

static enum ia_rc held_tree(struct ia_device *d, const struct ia_deadline *deadline,
                            struct ia_tree **ret_tree, struct ia_err *err)
{
    served_of(d)->inside++;
    wire_until(&let_go, 1);
    note('t');
    return ia_device_forward_ops.tree(d, deadline, ret_tree, err);
}

static enum ia_rc noted_picture(struct ia_device *d, const struct ia_deadline *deadline,
                                struct ia_buf *ret_png, struct ia_err *err)
{
    note('p');
    return ia_device_forward_ops.screenshot_pt(d, deadline, ret_png, err);
}

static int begin(struct served *s, const char *path)
{
    int fd = wire_tcp(&s->at);
    wire_send(fd, "GET /session/%s%s HTTP/1.1\r\nHost: localhost\r\n\r\n", s->session, path);
    return fd;
}

static void end(int fd)
{
    struct wire_reply r;
    wire_read(fd, &r);
    assert_int_equal(r.status, 200);
    wire_reply_fini(&r);
    close(fd);
}

/* Until a frame is wanted, or a request waits. */
static void until_wanted(struct served *s, bool frame)
{
    for (bool is = false; !is;) {
        pthread_mutex_lock(&s->server->lock);
        is = frame ? s->server->film.wanted : s->server->first != NULL;
        pthread_mutex_unlock(&s->server->lock);
    }
}

static void no_frame_is_taken_while_a_request_waits(void **state)
{
    (void)state;
    struct served s;
    served_open(&s);
    s.device.ops.tree = held_tree;
    s.device.ops.screenshot_pt = noted_picture;
    start(&s);
    int running = begin(&s, "/source");
    wire_until(&s.inside, 1);
    int viewer = view(&s);
    until_wanted(&s, true);
    int waiting = begin(&s, "/source");
    until_wanted(&s, false);
    let_go = 1;
    end(running);
    end(waiting);
    read_parts(viewer, 1);
    close(viewer);
    served_close(&s);
    assert_memory_equal(order, "ttp", 3);
}

/* ---- what a frame may be ------------------------------------------------------------------- */

static struct ia_wda_film film_of(struct served *s)
{
    pthread_mutex_lock(&s->server->lock);
    struct ia_wda_film film = s->server->film; /* its pointers are only compared */
    pthread_mutex_unlock(&s->server->lock);
    return film;
}

static void only_a_rate_up_to_sixty_is_one(void **state)
{
    (void)state;
    static const struct {
        const char *rate;
        int64_t us;
    } rows[] = {{"60", US_PER_S / 60}, {"61", US_PER_S / 10}, {"0", US_PER_S / 10}};
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct served s;
        char body[128];
        served_open(&s);
        s.device.ops.screenshot_pt = count_picture;
        start(&s);
        (void)snprintf(body, sizeof(body), "{\"settings\":{\"mjpegServerFramerate\":%s}}",
                       rows[i].rate);
        served_says(&s, "POST", "/appium/settings", body, 200, rows[i].rate);
        int fd = view(&s);
        read_parts(fd, 1);
        assert_int_equal(film_of(&s).asked_us, rows[i].us);
        close(fd);
        served_close(&s);
    }
}

static enum ia_rc large_picture(struct ia_device *d, const struct ia_deadline *deadline,
                                struct ia_buf *ret_png, struct ia_err *err)
{
    static char bytes[(1 << 20) + 2];
    (void)deadline;
    (void)err;
    memset(bytes, 'x', sizeof(bytes) - 1);
    ia_buf_puts(ret_png, bytes);
    served_of(d)->inside++;
    return IA_OK;
}

static void a_frame_that_is_too_large_is_none_and_the_next_one_is_late(void **state)
{
    (void)state;
    struct served s;
    served_open(&s);
    s.device.ops.screenshot_pt = large_picture;
    start(&s);
    int fd = view(&s);
    wire_until(&s.inside, 1);
    while (film_of(&s).wanted) {
    }
    assert_int_equal(film_of(&s).number, 0);
    assert_int_equal(film_of(&s).every_us, 5 * US_PER_S);
    close(fd);
    served_close(&s);
}

static void no_frame_is_kept_for_the_next_viewer(void **state)
{
    (void)state;
    struct served s;
    served_open(&s);
    s.device.ops.screenshot_pt = count_picture;
    start(&s);
    int fd = view(&s);
    read_parts(fd, 1);
    assert_true(film_of(&s).png.len > 0);
    close(fd);
    while (film_of(&s).viewers) {
    }
    assert_int_equal(film_of(&s).png.len, 0);
    served_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(viewers_share_each_frame_at_the_rate_that_was_asked_for),
        cmocka_unit_test(a_still_screen_is_looked_at_less_and_less_often),
        cmocka_unit_test(only_a_rate_up_to_sixty_is_one),
        cmocka_unit_test(a_frame_that_is_too_large_is_none_and_the_next_one_is_late),
        cmocka_unit_test(no_frame_is_kept_for_the_next_viewer),
        cmocka_unit_test(no_frame_is_taken_while_a_request_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
