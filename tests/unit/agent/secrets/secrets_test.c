/* secrets_test.c: values go to the device, and only names come back from it. */
#include "test.h"

#include "driver/device_table.h"
#include "driver/image/image.h"
#include "lookup.h"

/* A device whose one field holds what was typed, in front of a label that repeats it. */
struct fake {
    struct ia_device device;
    char typed[256];
    const char *identifier, *label;
    double y;                /* of the field */
    bool secure, gone, cold; /* the field is a password field; not there; without the focus */
    int deleted;
};

static struct fake *of(struct ia_device *d)
{
    return (struct fake *)d;
}

static enum ia_rc fake_tree(struct ia_device *d, const struct ia_deadline *deadline,
                            struct ia_tree **ret, struct ia_err *err)
{
    (void)deadline;
    (void)err;
    struct fake *f = of(d);
    struct ia_tree *t = ia_tree_new();
    struct ia_node *root =
        ia_tree_add(t, NULL, IA_EL_APPLICATION, (struct ia_rect){0, 0, 100, 200});
    if (f->gone) {
        *ret = t;
        return IA_OK;
    }
    struct ia_node *field =
        ia_tree_add(t, root, f->secure ? IA_EL_SECURE_TEXT_FIELD : IA_EL_TEXT_FIELD,
                    (struct ia_rect){10, 20 + f->y, 80, 20});
    field->identifier =
        ia_tree_text(t, f->identifier, f->identifier ? strlen(f->identifier) : 0);
    field->label = ia_tree_text(t, f->label, f->label ? strlen(f->label) : 0);
    struct ia_buf value = IA_BUF(2000);
    for (size_t i = 0; i < strlen(f->typed); i++) {
        if (f->secure) {
            ia_buf_puts(&value, "\xe2\x80\xa2");
        } else {
            ia_buf_putc(&value, f->typed[i]);
        }
    }
    field->value = ia_tree_text(t, value.p, value.len);
    field->flags |= f->cold ? 0 : IA_NODE_FOCUSED;
    struct ia_node *echo =
        ia_tree_add(t, root, IA_EL_STATIC_TEXT, (struct ia_rect){10, 60, 80, 20});
    ia_buf_reset(&value);
    ia_buf_printf(&value, "You typed %s!", f->secure ? "something" : f->typed);
    echo->label = ia_tree_text(t, value.p, value.len);
    ia_buf_fini(&value);
    *ret = t;
    return IA_OK;
}

static enum ia_rc fake_type(struct ia_device *d, const struct ia_deadline *deadline,
                            struct ia_str text, struct ia_err *err)
{
    (void)deadline;
    struct fake *f = of(d);
    (void)snprintf(f->typed, sizeof(f->typed), "%.*s", (int)text.n, text.p);
    if (strstr(f->typed, "FAIL")) {
        return ia_err_set(err, IA_E_DEVICE, "cannot type \"%s\"", f->typed);
    }
    return IA_OK;
}

static enum ia_rc fake_delete(struct ia_device *d, const struct ia_deadline *deadline,
                              int count, struct ia_err *err)
{
    (void)deadline;
    (void)err;
    of(d)->deleted = count;
    return IA_OK;
}

/* The typed text was copied. */
static enum ia_rc fake_pasteboard(struct ia_device *d, const struct ia_deadline *deadline,
                                  struct ia_buf *ret_text, struct ia_err *err)
{
    (void)deadline;
    (void)err;
    ia_buf_printf(ret_text, "copied: %s", of(d)->typed);
    return IA_OK;
}

/* The typed text is in the title of an event, and with quotes in its notes. */
static enum ia_rc fake_native(struct ia_device *d, const struct ia_deadline *deadline,
                              enum ia_native native, struct ia_str json,
                              struct ia_buf *ret_answer, struct ia_err *err)
{
    (void)deadline;
    (void)native;
    (void)err;
    assert_true(ia_str_is(json, "{\"query\":\"{{secret:PW}}\"}"));
    ia_buf_printf(ret_answer,
                  "{\"events\":[{\"id\":\"1\",\"title\":\"%s\",\"notes\":\"a \\\"%s\\\"\","
                  "\"x\":0.1,\"all_day\":true}]}",
                  of(d)->typed, of(d)->typed);
    return IA_OK;
}

static enum ia_rc fake_record(struct ia_device *d, const struct ia_deadline *deadline,
                              const char *path, struct ia_err *err)
{
    (void)d;
    (void)deadline;
    (void)path;
    (void)err;
    fail_msg("a film of secrets was begun");
    return IA_OK;
}

static enum ia_rc fake_pace(struct ia_device *d, int per_second, struct ia_err *err)
{
    (void)d;
    (void)per_second;
    (void)err;
    return IA_OK;
}

static const struct ia_device_ops fake_ops = {.tree = fake_tree,
                                              .type_text = fake_type,
                                              .delete_text = fake_delete,
                                              .pasteboard = fake_pasteboard,
                                              .native = fake_native,
                                              .typing_pace = fake_pace,
                                              .record_start = fake_record};

static struct ia_secrets *open_with(struct fake *f, const char *const *names, size_t n)
{
    const struct ia_secret_lookup from = {.value = lookup};
    struct ia_run_request req = {.secrets = names, .secret_count = n};
    struct ia_secrets *s = NULL;
    f->device.ops = &fake_ops;
    assert_int_equal(ia_secrets_new(&f->device, &from, &req, NULL, &s, NULL), IA_OK);
    return s;
}

static const char *const names[] = {"PW", "LONG", "PHONE", "MARKS"};

static void the_device_has_every_operation(void **state)
{
    (void)state;
    struct fake f = {0};
    struct ia_secrets *s = open_with(&f, names, 1);
    assert_device_table("secrets", ia_secrets_device(s)->ops);
    ia_secrets_free(s);
}

static void values_become_names_however_they_are_written(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"", ""},
        {"nothing", "nothing"},
        {"Hunter-2", "{{secret:PW}}"},
        {"a Hunter-2, b hunter-2.", "a {{secret:PW}}, b {{secret:PW}}."},
        {"HUNTER-2", "{{secret:PW}}"},
        {"x hunter2 y", "{{secret:PW}}"},
        {"Hunter-2 and much more of it than that", "{{secret:LONG}}"},
        {"call (555) 010-078", "call (555) 010-078"},
        {"call (555) 0100 77 now", "{{secret:PHONE}}"},
        {"5550100", "5550100"},
        {"#!/?", "{{secret:MARKS}}"},
        {"Hunter-2 and 555 0100 77", "{{secret:PW}} {{secret:PHONE}}"},
        {"5550100 77, Hunter-2", "{{secret:PW}} {{secret:PHONE}}"},
        {"Hunter-2 555-0100-77", "{{secret:PW}} {{secret:PHONE}}"},
        {"Hunter-2, hunter2", "{{secret:PW}}"},
        {"#!/?Hunter 2", "{{secret:PW}} {{secret:MARKS}}"},
        {"Hunt#!/?er-2", "Hunt{{secret:MARKS}}er-2"},
        {"HUNTER-2 and much more", "{{secret:PW}} and much more"},
        {"!", "!"},
    };
    struct fake f = {.deleted = 0};
    struct ia_secrets *s = open_with(&f, names, IA_COUNTOF(names));
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_buf out = IA_BUF(1000);
        ia_secrets_hide(s, ia_str(rows[i].text), &out);
        assert_string_equal(ia_buf_cstr(&out), rows[i].want);
        ia_buf_fini(&out);
    }
    ia_secrets_free(s);
}

static void names_become_values_and_foreign_ones_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want; /* NULL: refused */
    } rows[] = {
        {"plain {{x}}", "plain {{x}}"},
        {"{{secret:PW}}", "Hunter-2"},
        {"a{{secret:PW}}b{{secret:PHONE}}", "aHunter-2b555-0100-77"},
        {"{{secret:OTHER}}", NULL},
        {"{{secret:}}", NULL},
        {"{{secret:PW", NULL},
        {"{{secret:PW}", NULL},
    };
    struct fake f = {.deleted = 0};
    struct ia_secrets *s = open_with(&f, names, IA_COUNTOF(names));
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_buf out = IA_BUF(1000);
        struct ia_err err = {0};
        enum ia_rc rc = ia_secrets_fill(s, ia_str(rows[i].text), &out, &err);
        assert_int_equal(rc, rows[i].want ? IA_OK : IA_E_USAGE);
        if (rows[i].want) {
            assert_string_equal(ia_buf_cstr(&out), rows[i].want);
        } else {
            assert_int_equal(err.outcome, IA_OUTCOME_NOT_SENT);
        }
        ia_buf_fini(&out);
    }
    ia_secrets_free(s);
}

static struct ia_tree *tree_of(struct ia_secrets *s)
{
    struct ia_device *d = ia_secrets_device(s);
    struct ia_tree *t = NULL;
    assert_int_equal(d->ops->tree(d, NULL, &t, NULL), IA_OK);
    return t;
}

static void the_device_gets_the_value_and_shows_the_name(void **state)
{
    (void)state;
    struct fake f = {.deleted = 0};
    struct ia_secrets *s = open_with(&f, names, IA_COUNTOF(names));
    struct ia_device *d = ia_secrets_device(s);
    assert_int_equal(d->ops->type_text(d, NULL, ia_str("{{secret:PW}}"), NULL), IA_OK);
    assert_string_equal(f.typed, "Hunter-2");
    struct ia_tree *t = tree_of(s);
    const struct ia_node *field = ia_tree_root(t)->first_child;
    assert_string_equal(field->value, "{{secret:PW}}");
    assert_string_equal(field->next->label, "You typed {{secret:PW}}!");
    ia_tree_free(t);
    ia_secrets_free(s);
}

static void what_was_copied_is_named_and_nothing_is_filmed_or_typed_again(void **state)
{
    (void)state;
    struct fake f = {.deleted = 0};
    struct ia_secrets *s = open_with(&f, names, IA_COUNTOF(names));
    struct ia_device *d = ia_secrets_device(s);
    struct ia_buf text = IA_BUF(4096);
    assert_int_equal(d->ops->type_text(d, NULL, ia_str("{{secret:PW}}"), NULL), IA_OK);
    assert_int_equal(ia_device_pasteboard(d, NULL, &text, NULL), IA_OK);
    assert_string_equal(ia_buf_cstr(&text), "copied: {{secret:PW}}");
    /* Without it nothing is typed a second time. */
    assert_int_equal(ia_device_typing_pace(d, 8, NULL), IA_E_UNSUPPORTED);
    assert_int_equal(ia_device_record_start(d, NULL, "/tmp/film", NULL), IA_E_UNSUPPORTED);
    ia_buf_fini(&text);
    ia_secrets_free(s);
}

static void what_native_actions_answer_is_named_and_stays_json(void **state)
{
    (void)state;
    struct fake f = {.deleted = 0};
    struct ia_secrets *s = open_with(&f, names, IA_COUNTOF(names));
    struct ia_device *d = ia_secrets_device(s);
    struct ia_buf answer = IA_BUF(4096);
    assert_int_equal(d->ops->type_text(d, NULL, ia_str("{{secret:PW}}"), NULL), IA_OK);
    assert_int_equal(ia_device_native(d, NULL, IA_NATIVE_CALENDAR_READ,
                                      ia_str("{\"query\":\"{{secret:PW}}\"}"), &answer, NULL),
                     IA_OK);
    assert_string_equal(ia_buf_cstr(&answer),
                        "{\"events\":[{\"id\":\"1\",\"title\":\"{{secret:PW}}\",\"notes\":"
                        "\"a \\\"{{secret:PW}}\\\"\",\"x\":0.1,\"all_day\":true}]}");
    ia_buf_fini(&answer);
    ia_secrets_free(s);
}

static struct ia_secrets *typed_into(struct fake *f, const char *text)
{
    struct ia_secrets *s = open_with(f, names, IA_COUNTOF(names));
    struct ia_device *d = ia_secrets_device(s);
    ia_tree_free(tree_of(s)); /* as a session looks before it types */
    assert_int_equal(d->ops->type_text(d, NULL, ia_str(text), NULL), IA_OK);
    return s;
}

static int count_dots(const char *value)
{
    return (int)(strlen(value) / 3);
}

static void a_password_field_reads_back_as_what_was_typed_and_hides_its_length(void **state)
{
    (void)state;
    struct fake f = {.secure = true};
    struct ia_secrets *s = typed_into(&f, "{{secret:PW}}");
    struct ia_tree *t = tree_of(s);
    assert_int_equal(count_dots(ia_tree_root(t)->first_child->value), strlen("{{secret:PW}}"));
    ia_tree_free(t);
    /* The app lost some: that is seen, and not how many are left. */
    for (size_t left = strlen(f.typed) - 1; left > 0; left--) {
        f.typed[left] = '\0';
        t = tree_of(s);
        assert_int_equal(count_dots(ia_tree_root(t)->first_child->value), 3);
        ia_tree_free(t);
    }
    ia_secrets_free(s);
}

/* What the field and the label that repeats it read. */
static void assert_reads(struct ia_secrets *s, const char *field, const char *label)
{
    struct ia_tree *t = tree_of(s);
    const struct ia_node *n = ia_tree_root(t)->first_child;
    const char *value = n->value ? n->value : "";
    if (strcmp(value, field) != 0 || (label && strcmp(n->next->label, label) != 0)) {
        fail_msg("\"%s\" and \"%s\"", value, n->next->label);
    }
    ia_tree_free(t);
}

static const char dots[] = "\xe2\x80\xa2\xe2\x80\xa2\xe2\x80\xa2";

static void what_is_left_of_a_secret_in_its_field_stays_hidden(void **state)
{
    (void)state;
    static const struct {
        const char *left, *shown, *label;
    } rows[] = {
        {"Hunter-2", "{{secret:PW}}", "You typed {{secret:PW}}!"},
        {"Hunter-", dots, dots},
        {"Hunte", dots, dots},
        {"unter-2", dots, dots},
        {"Hner-2", dots, dots},
        {"Hunt er", dots, dots},
        {"Hun", dots, dots},
        {"H", dots, "You typed H!"}, /* as many ordinary texts have */
        {"for Hunter-2", "for {{secret:PW}}", "You typed for {{secret:PW}}!"},
        {"Hunter-2Hunter-", dots, dots},
        {"HUNTER 2", "{{secret:PW}}", "{{secret:PW}}"},
        {"Zoe", dots, dots},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct fake f = {.identifier = i % 2 ? "pw" : NULL};
        struct ia_secrets *s = typed_into(&f, "{{secret:PW}}");
        ia_tree_free(tree_of(s));
        (void)snprintf(f.typed, sizeof(f.typed), "%s", rows[i].left);
        assert_reads(s, rows[i].shown, rows[i].label);
        ia_secrets_free(s);
    }
}

static void a_field_is_known_again_by_its_identifier_its_place_or_its_label(void **state)
{
    (void)state;
    static const struct fake rows[] = {
        {.identifier = "pw", .y = 40}, {.label = "Pass", .y = 40}, {.y = 0}, {.secure = true}};
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct fake f = rows[i];
        f.y = 0;
        struct ia_secrets *s = typed_into(&f, "{{secret:PW}}");
        ia_tree_free(tree_of(s));
        f.y = rows[i].y;
        f.secure = false; /* as an eye beside the field shows it */
        (void)snprintf(f.typed, sizeof(f.typed), "Hu");
        assert_reads(s, dots, NULL);
        ia_secrets_free(s);
    }
}

/* It says where a field stands among others, and another one may come before it. */
static void a_field_is_not_known_again_by_an_identifier_of_the_sdk(void **state)
{
    (void)state;
    struct fake f = {.identifier = "ia~LogInView/TextField0"};
    struct ia_secrets *s = typed_into(&f, "{{secret:PW}}");
    ia_tree_free(tree_of(s));
    (void)snprintf(f.typed, sizeof(f.typed), "Hu");
    f.identifier = "ia~LogInView/TextField1";
    assert_reads(s, dots, NULL);
    ia_secrets_free(s);
}

static void
a_mark_ends_when_the_field_is_seen_empty_or_comes_back_with_something_else(void **state)
{
    (void)state;
    struct fake f = {.identifier = "pw"};
    struct ia_secrets *s = typed_into(&f, "{{secret:PW}}");
    struct ia_device *d = ia_secrets_device(s);
    ia_tree_free(tree_of(s));
    (void)snprintf(f.typed, sizeof(f.typed), "Hu");
    f.gone = true;
    ia_tree_free(tree_of(s));
    f.gone = false;
    assert_reads(s, dots, NULL); /* it scrolled away and back */
    f.gone = true;
    ia_tree_free(tree_of(s));
    f.gone = false;
    (void)snprintf(f.typed, sizeof(f.typed), "Zoe");
    assert_reads(s, "Zoe", NULL);
    assert_int_equal(d->ops->type_text(d, NULL, ia_str("{{secret:PW}}"), NULL), IA_OK);
    ia_tree_free(tree_of(s));
    f.typed[0] = '\0';
    assert_reads(s, "", NULL);
    assert_int_equal(d->ops->type_text(d, NULL, ia_str("Hu"), NULL), IA_OK);
    assert_reads(s, "Hu", NULL); /* the model's own text */
    ia_secrets_free(s);
}

static void a_field_that_took_nothing_shows_what_is_typed_next(void **state)
{
    (void)state;
    struct fake f = {.identifier = "pw"};
    struct ia_secrets *s = typed_into(&f, "{{secret:PW}}");
    struct ia_device *d = ia_secrets_device(s);
    f.typed[0] = '\0';
    ia_tree_free(tree_of(s));
    assert_int_equal(d->ops->type_text(d, NULL, ia_str("Zoe"), NULL), IA_OK);
    assert_reads(s, "Zoe", NULL);
    ia_secrets_free(s);
}

static void a_field_without_focus_is_found_by_what_it_shows(void **state)
{
    (void)state;
    struct fake f = {.cold = true};
    struct ia_secrets *s = typed_into(&f, "{{secret:PW}}");
    ia_tree_free(tree_of(s));
    (void)snprintf(f.typed, sizeof(f.typed), "Hu");
    assert_reads(s, dots, NULL);
    ia_secrets_free(s);
}

static void a_resumed_run_hides_what_an_earlier_process_may_have_typed(void **state)
{
    (void)state;
    static const struct {
        const char *held, *shown;
        bool secure;
    } rows[] = {{"Hu", dots, false},
                {"Hunter-", dots, false},
                {"Hun and", dots, false},
                {"Ada", "Ada", false},
                {"12345", dots, true}};
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct fake f = {.secure = rows[i].secure};
        struct ia_secrets *s = open_with(&f, names, 1);
        (void)snprintf(f.typed, sizeof(f.typed), "%s", rows[i].held);
        ia_secrets_resumed(s);
        assert_reads(s, rows[i].shown, NULL);
        assert_reads(s, rows[i].shown, NULL); /* not only at the first look */
        ia_secrets_free(s);
    }
}

static void deleting_what_is_shown_of_the_rest_deletes_the_rest(void **state)
{
    (void)state;
    struct fake f = {.identifier = "pw"};
    struct ia_secrets *s = typed_into(&f, "{{secret:PW}}");
    struct ia_device *d = ia_secrets_device(s);
    ia_tree_free(tree_of(s));
    f.typed[strlen(f.typed) - 1] = '\0';
    ia_tree_free(tree_of(s));
    assert_int_equal(d->ops->delete_text(d, NULL, 3, NULL), IA_OK);
    assert_int_equal(f.deleted, strlen("Hunter-"));
    ia_secrets_free(s);
}

static void deleting_all_that_is_shown_deletes_all_there_is(void **state)
{
    (void)state;
    struct fake f = {.deleted = 0};
    struct ia_secrets *s = open_with(&f, names, IA_COUNTOF(names));
    struct ia_device *d = ia_secrets_device(s);
    assert_int_equal(d->ops->type_text(d, NULL, ia_str("{{secret:LONG}}"), NULL), IA_OK);
    ia_tree_free(tree_of(s));
    assert_int_equal(d->ops->delete_text(d, NULL, (int)strlen("{{secret:LONG}}"), NULL), IA_OK);
    assert_int_equal(f.deleted, strlen(f.typed));
    assert_int_equal(d->ops->delete_text(d, NULL, 2, NULL), IA_OK);
    assert_int_equal(f.deleted, 2);
    ia_secrets_free(s);
}

static void an_error_of_the_device_does_not_quote_the_value(void **state)
{
    (void)state;
    struct fake f = {.deleted = 0};
    struct ia_secrets *s = open_with(&f, names, IA_COUNTOF(names));
    struct ia_device *d = ia_secrets_device(s);
    struct ia_err err = {0};
    assert_int_equal(d->ops->type_text(d, NULL, ia_str("FAIL {{secret:PW}}"), &err),
                     IA_E_DEVICE);
    assert_null(strstr(err.msg, "Hunter"));
    assert_non_null(strstr(err.msg, "{{secret:PW}}"));
    ia_secrets_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_device_has_every_operation),
        cmocka_unit_test(values_become_names_however_they_are_written),
        cmocka_unit_test(names_become_values_and_foreign_ones_are_refused),
        cmocka_unit_test(the_device_gets_the_value_and_shows_the_name),
        cmocka_unit_test(what_native_actions_answer_is_named_and_stays_json),
        cmocka_unit_test(what_was_copied_is_named_and_nothing_is_filmed_or_typed_again),
        cmocka_unit_test(a_password_field_reads_back_as_what_was_typed_and_hides_its_length),
        cmocka_unit_test(what_is_left_of_a_secret_in_its_field_stays_hidden),
        cmocka_unit_test(a_field_is_known_again_by_its_identifier_its_place_or_its_label),
        cmocka_unit_test(a_field_is_not_known_again_by_an_identifier_of_the_sdk),
        cmocka_unit_test(
            a_mark_ends_when_the_field_is_seen_empty_or_comes_back_with_something_else),
        cmocka_unit_test(a_field_that_took_nothing_shows_what_is_typed_next),
        cmocka_unit_test(a_field_without_focus_is_found_by_what_it_shows),
        cmocka_unit_test(a_resumed_run_hides_what_an_earlier_process_may_have_typed),
        cmocka_unit_test(deleting_what_is_shown_of_the_rest_deletes_the_rest),
        cmocka_unit_test(deleting_all_that_is_shown_deletes_all_there_is),
        cmocka_unit_test(an_error_of_the_device_does_not_quote_the_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
