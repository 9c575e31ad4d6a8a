#include "test.h"

#include "cli/view/labels.h"
#include "cli/view/spinner.h"

#include <unistd.h>

static void an_unknown_cost_is_never_zero(void **state)
{
    (void)state;
    static const struct {
        struct ia_label_figures f;
        const char *text;
    } rows[] = {
        {{.cost_usd = 0}, "cost unknown"},
        {{.cost_usd = 0.5, .cost_known = true}, "$0.5000"},
        {{.cost_usd = 2.5, .cost_known = true}, "$2.50"},
        {{.cost_usd = 2.5, .cost_known = true, .demo = true}, "nothing billed (demo brain)"},
    };
    for (size_t i = 0; i < IA_COUNTOF(rows); i++) {
        struct ia_buf b = IA_BUF(100);
        ia_label_cost(&b, &rows[i].f);
        assert_string_equal(ia_buf_cstr(&b), rows[i].text);
        ia_buf_fini(&b);
    }
}

/* Reads from fd until `what` came: the spinner's thread draws when it wants. */
static void read_until(int fd, struct ia_buf *got, const char *what)
{
    while (!strstr(ia_buf_cstr(got), what)) {
        char bytes[256];
        ssize_t n = read(fd, bytes, sizeof(bytes));
        assert_true(n > 0);
        ia_buf_put(got, bytes, (size_t)n);
    }
}

static void a_hidden_spinner_erases_its_line_and_draws_no_more(void **state)
{
    (void)state;
    int fds[2];
    struct ia_err err;
    struct ia_buf got = IA_BUF(1 << 16);
    assert_int_equal(pipe(fds), 0);
    struct ia_spinner *s = ia_spinner_new(fds[1], &err);
    assert_non_null(s);
    ia_spinner_show(s, "waiting");
    read_until(fds[0], &got, "waiting");
    ia_spinner_hide(s);
    assert_int_equal(write(fds[1], "line\n", 5), 5);
    ia_spinner_free(s);
    close(fds[1]);
    char bytes[256];
    for (ssize_t n; (n = read(fds[0], bytes, sizeof(bytes))) > 0;) {
        ia_buf_put(&got, bytes, (size_t)n);
    }
    close(fds[0]);
    static const char end[] = "\r\x1b[Kline\n";
    assert_true(got.len > sizeof(end));
    assert_string_equal(got.p + got.len - (sizeof(end) - 1), end);
    ia_buf_fini(&got);
    ia_spinner_free(NULL);
    ia_spinner_show(NULL, "x");
    ia_spinner_hide(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unknown_cost_is_never_zero),
        cmocka_unit_test(a_hidden_spinner_erases_its_line_and_draws_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
