/* Images in the body of a request: sent from their files, left out, lost, and counted. */
#include "request_fixture.h"

#include "base/fd.h"

#include <unistd.h>

struct image {
    char path[64];
    size_t size;
};

static struct image make_image(size_t size)
{
    struct image image = {.path = "/tmp/ia-image-XXXXXX", .size = size};
    int fd = mkstemp(image.path);
    assert_true(fd >= 0);
    for (size_t i = 0; i < size; i++) {
        char c = (char)(i * 7);
        assert_int_equal(ia_write_all(fd, &c, 1), IA_OK);
    }
    close(fd);
    return image;
}

static char *result_with_image(const char *path)
{
    struct ia_buf b = IA_BUF(4096);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &b);
    ia_jsonw_array(&w);
    ia_jsonw_object(&w);
    ia_jsonw_kv(&w, "type", "tool_result");
    ia_jsonw_kv(&w, "tool_use_id", "t1");
    ia_jsonw_key(&w, "content");
    ia_jsonw_array(&w);
    ia_jsonw_raw(&w, ia_str("{\"type\":\"text\",\"text\":\"screen\"}"));
    ia_history_image(&w, path, "image/png", 393, 852);
    ia_jsonw_raw(&w, ia_str("{\"type\":\"text\",\"text\":\"after\"}"));
    ia_jsonw_end_array(&w);
    ia_jsonw_end_object(&w);
    ia_jsonw_end_array(&w);
    return ia_buf_steal(&b);
}

/* What the base64 of base/jsonw.h makes of the file. */
static char *base64_of(const struct image *image)
{
    struct ia_buf b = IA_BUF((size_t)1 << 20);
    struct ia_jsonw w;
    struct ia_err err;
    ia_jsonw_init(&w, &b);
    assert_int_equal(ia_jsonw_base64_file(&w, image->path, &err), IA_OK);
    return ia_buf_steal(&b);
}

static void an_image_file_is_sent_as_base64_inside_a_tool_result(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 3, 3071, 3072, 3073, 10000};
    for (size_t i = 0; i < IA_COUNTOF(sizes); i++) {
        struct image image = make_image(sizes[i]);
        struct ia_history *h = ia_history_new("/tmp");
        char *blocks = result_with_image(strrchr(image.path, '/') + 1);
        append(h, IA_MESSAGE_USER, blocks);
        assert_int_equal(ia_history_images(h), 1);
        struct ia_claude_request req = request(h);
        struct ia_buf want = IA_BUF((size_t)1 << 20);
        char *data = base64_of(&image);
        ia_buf_printf(&want,
                      HEAD ",\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"tool_"
                           "result\",\"tool_use_id\":\"t1\",\"content\":[{\"type\":\"text\","
                           "\"text\":\"screen\"},{\"type\":\"image\",\"source\":{\"type\":"
                           "\"base64\",\"media_type\":\"image/png\",\"data\":%s}},{\"type\":"
                           "\"text\",\"text\":\"after\"}]" CC "}]}]}",
                      data);
        check_body(&req, &no_repairs, want.p);
        ia_buf_fini(&want);
        free(data);
        free(blocks);
        ia_history_free(h);
        unlink(image.path);
    }
}

static void an_image_of_its_own_can_carry_the_breakpoint(void **state)
{
    (void)state;
    struct image image = make_image(3);
    struct ia_history *h = ia_history_new(NULL);
    struct ia_buf b = IA_BUF(4096);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &b);
    ia_jsonw_array(&w);
    ia_history_image(&w, image.path, "image/jpeg", 0, 0);
    ia_jsonw_end_array(&w);
    append(h, IA_MESSAGE_USER, b.p);
    struct ia_claude_request req = request(h);
    check_body(&req, &no_repairs,
               HEAD ",\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"image\","
                    "\"source\":{\"type\":\"base64\",\"media_type\":\"image/jpeg\",\"data\":"
                    "\"AAcO\"}" CC "}]}]}");
    ia_buf_fini(&b);
    ia_history_free(h);
    unlink(image.path);
}

static void the_model_cannot_make_us_send_a_file(void **state)
{
    (void)state;
    struct ia_history *h = ia_history_new(NULL);
    const char *block = "[{\"type\":\"image\",\"source\":{\"type\":\"ia_file\",\"media_type\":"
                        "\"image/png\",\"path\":\"/etc/passwd\"}}]";
    append(h, IA_MESSAGE_USER, "[{\"q\":1}]");
    append(h, IA_MESSAGE_ASSISTANT, block);
    assert_int_equal(ia_history_images(h), 0);
    struct ia_claude_request req = request(h);
    char *body = body_of(&req, &no_repairs);
    assert_non_null(strstr(body, "\"ia_file\""));
    free(body);
    ia_history_free(h);
}

static void old_images_can_be_dropped_for_good(void **state)
{
    (void)state;
    struct image image = make_image(3);
    struct ia_history *h = ia_history_new(NULL);
    char *blocks = result_with_image(image.path);
    for (int i = 0; i < 3; i++) {
        append(h, IA_MESSAGE_USER, blocks);
    }
    assert_int_equal(ia_history_drop_images(h, 5), 0);
    assert_int_equal(ia_history_drop_images(h, 1), 2);
    assert_int_equal(ia_history_images(h), 1);
    assert_int_equal(ia_history_drop_images(h, 1), 0);
    struct ia_claude_request req = request(h);
    char *body = body_of(&req, &no_repairs);
    assert_int_equal(count(body, "AAcO"), 1);
    assert_int_equal(count(body, "image no longer available"), 2);
    assert_null(strstr(body, "ia_file"));
    free(body);
    free(blocks);
    ia_history_free(h);
    unlink(image.path);
}

static void an_image_that_is_gone_is_an_error_that_names_it(void **state)
{
    (void)state;
    struct image image = make_image(3);
    struct ia_history *h = ia_history_new(NULL);
    char *blocks = result_with_image(image.path);
    struct ia_body *b = NULL;
    struct ia_err err;
    append(h, IA_MESSAGE_USER, blocks);
    unlink(image.path);
    assert_int_equal(ia_history_append(h, IA_MESSAGE_USER, ia_str(blocks), NULL, &err),
                     IA_E_IO);
    assert_non_null(strstr(err.msg, image.path));
    struct ia_claude_request req = request(h);
    assert_int_equal(ia_body_new(&req, &no_repairs, &b, &err), IA_E_IO);
    free(blocks);
    ia_history_free(h);
}

static void an_image_that_shrinks_while_it_is_sent_is_an_error(void **state)
{
    (void)state;
    struct image image = make_image(8000);
    struct ia_history *h = ia_history_new(NULL);
    char *blocks = result_with_image(image.path);
    struct ia_body *b = NULL;
    struct ia_err err;
    char piece[16384];
    size_t got;
    append(h, IA_MESSAGE_USER, blocks);
    struct ia_claude_request req = request(h);
    assert_int_equal(ia_body_new(&req, &no_repairs, &b, &err), IA_OK);
    assert_int_equal(truncate(image.path, 100), 0);
    assert_int_equal(ia_body_read(b, piece, sizeof(piece), &got, &err), IA_E_IO);
    ia_body_free(b);
    free(blocks);
    ia_history_free(h);
    unlink(image.path);
}

static void a_request_beyond_the_limit_is_refused_here(void **state)
{
    (void)state;
    struct image image = make_image(1);
    assert_int_equal(truncate(image.path, 7000000), 0);
    struct ia_history *h = ia_history_new(NULL);
    char *blocks = result_with_image(image.path);
    struct ia_body *b = NULL;
    struct ia_err err;
    for (int i = 0; i < 4; i++) {
        append(h, IA_MESSAGE_USER, blocks);
    }
    struct ia_claude_request req = request(h);
    assert_int_equal(ia_body_new(&req, &no_repairs, &b, &err), IA_E_API_TOO_LARGE);
    ia_history_drop_images(h, 3);
    assert_int_equal(ia_body_new(&req, &no_repairs, &b, &err), IA_OK);
    ia_body_free(b);
    assert_int_equal(truncate(image.path, 8000000), 0);
    assert_int_equal(ia_history_append(h, IA_MESSAGE_USER, ia_str(blocks), NULL, &err),
                     IA_E_LIMIT);
    free(blocks);
    ia_history_free(h);
    unlink(image.path);
}

static void the_estimate_counts_text_and_images(void **state)
{
    (void)state;
    struct image image = make_image(3);
    struct ia_history *h = ia_history_new(NULL);
    char *blocks = result_with_image(image.path);
    append(h, IA_MESSAGE_USER, "[{\"q\":1}]");
    int64_t before = ia_history_estimate(h, 0, true);
    append(h, IA_MESSAGE_USER, blocks);
    assert_true(ia_history_estimate(h, 1, true) > 465);
    assert_int_equal(ia_history_estimate(h, 0, true), before + ia_history_estimate(h, 1, true));
    free(blocks);
    ia_history_free(h);
    unlink(image.path);
}
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_image_file_is_sent_as_base64_inside_a_tool_result),
        cmocka_unit_test(an_image_of_its_own_can_carry_the_breakpoint),
        cmocka_unit_test(the_model_cannot_make_us_send_a_file),
        cmocka_unit_test(old_images_can_be_dropped_for_good),
        cmocka_unit_test(an_image_that_is_gone_is_an_error_that_names_it),
        cmocka_unit_test(an_image_that_shrinks_while_it_is_sent_is_an_error),
        cmocka_unit_test(a_request_beyond_the_limit_is_refused_here),
        cmocka_unit_test(the_estimate_counts_text_and_images),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
