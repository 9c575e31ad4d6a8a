/* text_test.c: typing, clearing and reading back. */
#include "fake.h"

enum { FIELD = 49, SECURE = 50, VIEW = 52 };

struct world {
    struct fake *f;
    struct host h;
};

/* The field shows the typed text, or its placeholder while it is empty. */
static void show(struct fake *f)
{
    static char stars[FAKE_TEXT];
    struct ia_wire_node *n = &f->nodes[1];
    n->value = f->field[0] ? f->field : n->placeholder;
    if (n->type == SECURE && f->field[0]) {
        size_t len = 0;
        for (const char *p = f->field; *p; p++) {
            if (((unsigned char)*p & 0xc0) != 0x80) {
                stars[len++] = '*';
            }
        }
        stars[len] = 0;
        n->value = stars;
    }
}

static void focus(struct fake *f)
{
    f->nodes[1].flags |= IA_WIRE_NODE_FOCUSED;
}

static void begin(struct world *w, uint16_t type, const char *text)
{
    w->f = fake_new();
    fake_add(w->f, 1, type, "name", "Name", (struct ia_wire_rect){20, 100, 200, 40})
        ->placeholder = "Your name";
    snprintf(w->f->field, sizeof(w->f->field), "%s", text);
    w->f->on_snapshot = show;
    w->f->on_tap = focus;
    fake_start(w->f);
    host_open(&w->h, w->f);
}

static void end(struct world *w)
{
    host_close(&w->h);
    fake_free(w->f);
}

static const struct ia_wire_selector name = {.identifier = "name"};

static struct ia_wire_request set(const char *text, uint8_t flags)
{
    return (struct ia_wire_request){
        .op = IA_WIRE_OP_SET_TEXT,
        .id = 1,
        .deadline_ms = 600000,
        .u.set_text = {
            .target.selector = &name, .text = text, .timeout_ms = 60000, .flags = flags}};
}

static void a_field_is_emptied_filled_and_read_back(void **state)
{
    (void)state;
    const struct {
        const char *before, *text, *after;
        uint8_t flags;
    } rows[] = {
        {"", "Ann", "Ann", 0},
        {"Bob", "Ann", "Ann", 0},
        {"Bob", "", "", 0},
        {"Bob", "Ann", "BobAnn", IA_WIRE_TEXT_APPEND},
        {"", "Ann\n", "Ann", 0},
        {"\xc3\xa9\xf0\x9f\x98\x80", "\xe2\x82\xac", "\xe2\x82\xac", 0},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct world w;
        struct ia_wire_reply r;
        struct ia_wire_request req = set(rows[i].text, rows[i].flags);
        begin(&w, FIELD, rows[i].before);
        host_do(&w.h, &req, &r);
        if (r.code != IA_WIRE_OK) {
            fail_msg("row %zu: %s", i, r.text);
        }
        assert_int_equal(r.outcome, IA_WIRE_SENT);
        assert_string_equal(r.u.text.value, rows[i].after);
        assert_string_equal(w.f->field, rows[i].after);
        assert_int_equal(w.f->taps, 1);
        ia_wire_reply_fini(&r);
        end(&w);
    }
}

static void a_field_that_has_the_keyboard_is_not_tapped(void **state)
{
    (void)state;
    struct world w;
    struct ia_wire_request req = set("Ann", 0);
    begin(&w, FIELD, "");
    focus(w.f);
    host_expect(&w.h, &req, IA_WIRE_OK, IA_WIRE_SENT);
    assert_int_equal(w.f->taps, 0);
    req.u.set_text.target.selector = NULL; /* the element that has the keyboard */
    req.u.set_text.text = "Eve";
    host_expect(&w.h, &req, IA_WIRE_OK, IA_WIRE_SENT);
    assert_string_equal(w.f->field, "Eve");
    end(&w);
}

static void without_a_field_and_without_a_keyboard_nothing_is_sent(void **state)
{
    (void)state;
    struct world w;
    struct ia_wire_request req = set("Ann", 0);
    req.u.set_text.target.selector = NULL;
    begin(&w, FIELD, "");
    host_expect(&w.h, &req, IA_WIRE_E_NO_KEYBOARD, IA_WIRE_NOT_SENT);
    assert_string_equal(w.f->field, "");
    end(&w);
}

static void typing_waits_for_the_keyboard(void **state)
{
    (void)state;
    struct world w;
    struct ia_wire_request req = set("Ann", 0);
    begin(&w, FIELD, "");
    w.f->type_failures = 5;
    host_expect(&w.h, &req, IA_WIRE_OK, IA_WIRE_SENT);
    assert_string_equal(w.f->field, "Ann");
    assert_int_equal(w.f->taps, 1);
    end(&w);
}

static void a_missing_keyboard_is_reported(void **state)
{
    (void)state;
    struct world w;
    struct ia_wire_request req = set("Ann", 0);
    req.u.set_text.timeout_ms = 30;
    begin(&w, FIELD, "");
    w.f->type_failures = 1 << 30;
    host_expect(&w.h, &req, IA_WIRE_E_NO_KEYBOARD, IA_WIRE_SENT); /* the tap was sent */
    end(&w);
}

/* The tap lands in the neighbouring field. */
static void misses(struct fake *f)
{
    f->nodes[2].flags |= IA_WIRE_NODE_FOCUSED;
}

static void nothing_is_typed_into_another_field(void **state)
{
    (void)state;
    struct world w;
    struct ia_wire_request req = set("Ann", 0);
    req.u.set_text.timeout_ms = 30;
    begin(&w, FIELD, "");
    fake_add(w.f, 1, FIELD, "other", "Other", (struct ia_wire_rect){20, 200, 200, 40});
    w.f->on_tap = misses;
    host_expect(&w.h, &req, IA_WIRE_E_NO_KEYBOARD, IA_WIRE_SENT);
    assert_int_equal(w.f->chunks + w.f->deletes, 0);
    assert_int_equal(w.f->taps, 1);
    end(&w);
}

static void a_device_that_reports_no_focus_is_trusted(void **state)
{
    (void)state;
    struct world w;
    struct ia_wire_request req = set("Ann", 0);
    begin(&w, FIELD, "");
    w.f->on_tap = NULL;
    host_expect(&w.h, &req, IA_WIRE_OK, IA_WIRE_SENT);
    assert_string_equal(w.f->field, "Ann");
    end(&w);
}

static void lost_characters_are_a_mismatch(void **state)
{
    (void)state;
    struct world w;
    struct ia_wire_reply r;
    struct ia_wire_request req = set("abcdef", 0);
    begin(&w, FIELD, "");
    w.f->drops_characters = true;
    host_do(&w.h, &req, &r);
    assert_int_equal(r.code, IA_WIRE_E_TEXT_MISMATCH);
    assert_int_equal(r.outcome, IA_WIRE_SENT);
    assert_false(r.retry_safe);
    assert_true(r.has_body);
    assert_string_equal(r.u.text.value, "ace");
    ia_wire_reply_fini(&r);
    req.u.set_text.flags = IA_WIRE_TEXT_UNVERIFIED;
    host_expect(&w.h, &req, IA_WIRE_OK, IA_WIRE_SENT);
    end(&w);
}

static void a_secure_field_is_compared_by_length_and_never_quoted(void **state)
{
    (void)state;
    struct world w;
    struct ia_wire_reply r;
    struct ia_wire_request req = set("h\xc3\xa9llo!", 0);
    begin(&w, SECURE, "old");
    host_do(&w.h, &req, &r);
    assert_int_equal(r.code, IA_WIRE_OK);
    assert_true(r.u.text.secure);
    assert_string_equal(r.u.text.value, "******");
    ia_wire_reply_fini(&r);
    w.f->drops_characters = true;
    host_do(&w.h, &req, &r);
    assert_int_equal(r.code, IA_WIRE_E_TEXT_MISMATCH);
    assert_null(strstr(r.text, "h"
                               "\xc3\xa9"));
    assert_string_equal(r.text, "the field holds a different number of characters");
    ia_wire_reply_fini(&r);
    end(&w);
}

static void return_is_pressed_only_after_the_text_was_verified(void **state)
{
    (void)state;
    struct world w;
    struct ia_wire_request req = set("Ann", IA_WIRE_TEXT_SUBMIT);
    begin(&w, FIELD, "");
    host_expect(&w.h, &req, IA_WIRE_OK, IA_WIRE_SENT);
    assert_int_equal(w.f->chunks, 2);
    end(&w);
    begin(&w, FIELD, "");
    w.f->drops_characters = true;
    host_expect(&w.h, &req, IA_WIRE_E_TEXT_MISMATCH, IA_WIRE_SENT);
    assert_int_equal(w.f->chunks, 1);
    end(&w);
}

static void in_a_text_view_return_is_text(void **state)
{
    (void)state;
    struct world w;
    struct ia_wire_request req = set("a\nb", 0);
    begin(&w, VIEW, "");
    host_expect(&w.h, &req, IA_WIRE_E_TEXT_MISMATCH, IA_WIRE_SENT); /* the fake drops it */
    end(&w);
}

static void clear_empties_a_field(void **state)
{
    (void)state;
    struct world w;
    struct ia_wire_reply r;
    struct ia_wire_request req = {
        .op = IA_WIRE_OP_CLEAR, .id = 2, .u.clear = {{NULL, &name}, 9000}};
    begin(&w, FIELD, "Bob");
    host_do(&w.h, &req, &r);
    assert_int_equal(r.code, IA_WIRE_OK);
    assert_string_equal(r.u.text.value, "");
    assert_string_equal(w.f->field, "");
    assert_int_equal(w.f->deletes, 1);
    ia_wire_reply_fini(&r);
    host_expect(&w.h, &req, IA_WIRE_OK,
                IA_WIRE_SENT); /* a placeholder does not count as text */
    assert_int_equal(w.f->deletes, 1);
    end(&w);
}

/* The keyboard appears over the field, and the field keeps its text. */
static void covers(struct fake *f)
{
    focus(f);
    fake_add(f, 1, 19, NULL, "Keyboard", (struct ia_wire_rect){0, 50, 390, 794});
    f->nodes[1].value = "stuck";
    f->on_snapshot = NULL;
}

static void the_end_of_a_covered_field_is_not_tapped(void **state)
{
    (void)state;
    struct world w;
    struct ia_wire_request req = {
        .op = IA_WIRE_OP_CLEAR, .id = 2, .u.clear = {{NULL, &name}, 0}};
    begin(&w, FIELD, "stuck");
    w.f->on_tap = covers;
    host_expect(&w.h, &req, IA_WIRE_E_COVERED, IA_WIRE_SENT);
    assert_int_equal(w.f->taps, 1);
    assert_int_equal(w.f->deletes, 1);
    end(&w);
}

static void end_keeps(struct fake *f)
{
    focus(f);
    f->nodes[1].value = f->taps < 2 ? "stuck" : NULL;
    f->on_snapshot = NULL;
}

static void a_cursor_in_the_middle_is_moved_to_the_end(void **state)
{
    (void)state;
    struct world w;
    struct ia_wire_request req = {
        .op = IA_WIRE_OP_CLEAR, .id = 2, .u.clear = {{NULL, &name}, 0}};
    begin(&w, FIELD, "stuck");
    w.f->on_tap = end_keeps;
    host_expect(&w.h, &req, IA_WIRE_OK, IA_WIRE_SENT);
    assert_int_equal(w.f->taps, 2);
    assert_true(w.f->at.x == 216 && w.f->at.y == 120);
    end(&w);
}

static void long_texts_are_sent_in_chunks_of_whole_characters(void **state)
{
    (void)state;
    struct world w;
    struct ia_wire_reply r;
    char text[600];
    /* a family emoji of joined people would straddle the end of the first chunk */
    snprintf(text, sizeof(text), "%059d%s", 0,
             "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7yz");
    struct ia_wire_request req = {
        .op = IA_WIRE_OP_TYPE_TEXT, .id = 3, .u.type_text.text = text};
    begin(&w, FIELD, "");
    host_do(&w.h, &req, &r);
    assert_int_equal(r.code, IA_WIRE_OK);
    assert_int_equal(r.u.typed.count, 62);
    assert_int_equal(w.f->chunks, 2);
    assert_string_equal(w.f->field, text);
    ia_wire_reply_fini(&r);
    req.u.type_text.text = "";
    host_expect(&w.h, &req, IA_WIRE_OK, IA_WIRE_SENT);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_field_is_emptied_filled_and_read_back),
        cmocka_unit_test(a_field_that_has_the_keyboard_is_not_tapped),
        cmocka_unit_test(without_a_field_and_without_a_keyboard_nothing_is_sent),
        cmocka_unit_test(typing_waits_for_the_keyboard),
        cmocka_unit_test(a_missing_keyboard_is_reported),
        cmocka_unit_test(nothing_is_typed_into_another_field),
        cmocka_unit_test(a_device_that_reports_no_focus_is_trusted),
        cmocka_unit_test(lost_characters_are_a_mismatch),
        cmocka_unit_test(a_secure_field_is_compared_by_length_and_never_quoted),
        cmocka_unit_test(return_is_pressed_only_after_the_text_was_verified),
        cmocka_unit_test(in_a_text_view_return_is_text),
        cmocka_unit_test(clear_empties_a_field),
        cmocka_unit_test(the_end_of_a_covered_field_is_not_tapped),
        cmocka_unit_test(a_cursor_in_the_middle_is_moved_to_the_end),
        cmocka_unit_test(long_texts_are_sent_in_chunks_of_whole_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
