/* phone.c: words are parsed by the verb's own table, as a command line is; the phone is real. */
#include "phone.h"

#include "base/clock.h"

int phone_begin(void **state)
{
    struct phone *p = calloc(1, sizeof(*p));
    p->home = tmpdir_new();
    p->paths = (struct ia_paths){.home = p->home};
    p->hub =
        ia_hub_new(&(struct ia_hub_opts){.paths = &p->paths, .command = "ios-agent daemon"});
    p->seen = IA_BUF(64 << 20);
    *state = p;
    return 0;
}

int phone_end(void **state)
{
    struct phone *p = *state;
    ia_hub_free(p->hub);
    ia_buf_fini(&p->seen);
    tmpdir_free(p->home);
    free(p);
    return 0;
}

/* The number of the last line that reads "12 TEXT", also behind "+ " or "~ ", or before " = value". */
static unsigned ref_of(const struct phone *p, const char *text)
{
    unsigned found = 0;
    const char *line = p->seen.len > 0 ? p->seen.p : "";
    for (const char *end; (end = strchr(line, '\n')); line = end + 1) {
        const char *at = line + (line[0] == '+' || line[0] == '~' ? 2 : 0);
        size_t digits = strspn(at, "0123456789");
        size_t n = strlen(text);
        const char *rest = at + digits + 1;
        if (digits > 0 && at[digits] == ' ' && strncmp(rest, text, n) == 0 &&
            (rest[n] == '\n' || strncmp(rest + n, " = ", 3) == 0)) {
            found = (unsigned)strtoul(at, NULL, 10);
        }
    }
    if (found == 0) {
        fail_msg("nothing was shown as \"%s\"", text);
    }
    return found;
}

static char *word_of(const struct phone *p, const char *word)
{
    const char *at = strchr(word, '%');
    struct ia_buf b = IA_BUF(1 << 21);
    if (at && at - word <= 2) {
        ia_buf_put(&b, word, (size_t)(at - word));
        ia_buf_printf(&b, "%u", ref_of(p, at + 1));
    } else {
        ia_buf_puts(&b, word);
    }
    return ia_buf_steal(&b);
}

static void contains(const struct row *row, const char *what, const char *text,
                     const char *wanted)
{
    if (wanted && !strstr(text, wanted)) {
        fail_msg("%s %s: %s has no \"%s\": %.2000s", row->words[0],
                 row->words[1] ? row->words[1] : "", what, wanted, text);
    }
    if (row->never && strstr(text, row->never)) {
        fail_msg("%s: %s has \"%s\": %.2000s", row->words[0], what, row->never, text);
    }
}

static void check(struct phone *p, const struct row *row, enum ia_rc rc,
                  struct ia_verb_result *r, const struct ia_err *err)
{
    if (rc != row->code) {
        fail_msg("%s %.60s %.60s: %s instead of %s: %.300s (%s)", row->words[0],
                 row->words[1] ? row->words[1] : "", row->words[2] ? row->words[2] : "",
                 ia_rc_name(rc), ia_rc_name(row->code), err->msg, err->hint);
    }
    ia_buf_putstr(&p->seen, ia_buf_str(&r->text));
    contains(row, "the text", ia_buf_cstr(&r->text), row->says);
    contains(row, "the result", ia_buf_cstr(&r->result), row->json);
    contains(row, "the message", err->msg, row->msg);
    contains(row, "the hint", err->hint, row->hint);
    json_t *result = r->result.len > 0 ? json_loadb(r->result.p, r->result.len, 0, NULL) : NULL;
    assert_true(r->result.len == 0 || json_is_object(result));
    /* What failed says so in one line, and nothing has happened unless it says otherwise. */
    if (rc != IA_OK) {
        assert_int_equal(err->code, rc);
        assert_true(err->msg[0] != '\0');
    }
    json_decref(result);
}

void phone_try(struct phone *p, const struct row *row)
{
    char *words[ROW_WORDS] = {NULL};
    int n = 0;
    for (; n + 1 < ROW_WORDS && row->words[n + 1]; n++) {
        words[n] = word_of(p, row->words[n + 1]);
    }
    const struct ia_verb *verb = ia_verb_find(row->words[0]);
    assert_non_null(verb);
    struct ia_args args;
    struct ia_err err = {.code = IA_OK};
    struct ia_verb_result result;
    ia_verb_result_init(&result);
    enum ia_rc rc = ia_args_parse(&args, verb->opts, n, words, &err);
    if (rc == IA_OK) {
        struct ia_verb_request request = {
            .verb = verb,
            .args = &args,
            .actor = "cli",
            .device = "embedded:verbs",
            .session = p->session,
            .deadline = {NULL, ia_mono_us(ia_clock_system()) + 60 * INT64_C(1000000)}};
        rc = ia_verb_run(p->hub, &request, &result, &err);
    }
    check(p, row, rc, &result, &err);
    ia_verb_result_fini(&result);
    for (int i = 0; i < n; i++) {
        free(words[i]);
    }
}

void phone_script(struct phone *p, const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        phone_try(p, &rows[i]);
    }
}
