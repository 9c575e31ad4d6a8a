/* What a person sees on each screen of a corpus reaches the model, or the model is told where it is.
 *
 * A NAME.seen beside a tree under tests/data/trees/{synthetic,drawn} was written by reading the tree.
 * Its lines (tests/data/trees/README.md):
 *
 *     title TEXT             stands in the header
 *     see TEXT [: STATE]     a listed element says it, or can be read by its ref
 *     touch TEXT [: STATE]   the same, and it can be tapped; each line is another element
 *     off N SIDE TEXT        "+N SIDE: TEXT…" stands there
 *     behind TEXT            is not offered
 *     next WORDS             what is suggested
 *
 * And nothing else that can be tapped is listed. NAME.txt is the whole text form, reviewed by eye;
 * IA_GOLDEN=1 writes it. */
#include "source_dir.h"
#include "test.h"

#include "draw.h"

#include "base/fd.h"
#include "driver/adapt/adapt.h"

#include <glob.h>
#include <unistd.h>

enum { ELEMENTS_MAX = 128, SCREENS = 38 };

struct screen {
    const char *name;
    struct ia_tree *tree;
    struct ia_refs *refs;
    struct ia_snapshot *snapshot;
    struct ia_buf text;
    bool touched[ELEMENTS_MAX];
    int wrong;
};

static void wrong(struct screen *s, const char *what, const char *text)
{
    print_error("%s: %s: %s\n", s->name, what, text);
    s->wrong++;
}

static char *read_all(const char *path)
{
    struct ia_buf b = IA_BUF(1 << 20);
    struct ia_err err = {0};
    if (ia_file_read(path, &b, &err) != IA_OK) {
        fail_msg("%s", err.msg);
    }
    return ia_buf_steal(&b);
}

/* The tree beside the list, in whichever of the three notations it is. */
static struct ia_tree *tree_of(const char *seen)
{
    static const struct {
        const char *suffix;
        enum ia_source source;
    } kinds[] = {
        {".xml", IA_SOURCE_WDA_XML}, {".json", IA_SOURCE_AXE}, {".tree", IA_SOURCE_COUNT}};
    for (size_t i = 0; i < IA_COUNTOF(kinds); i++) {
        char path[512];
        snprintf(path, sizeof(path), "%.*s%s", (int)(strlen(seen) - strlen(".seen")), seen,
                 kinds[i].suffix);
        if (access(path, R_OK) != 0) {
            continue;
        }
        char *text = read_all(path);
        struct ia_tree *t = NULL;
        struct ia_err err = {0};
        if (kinds[i].source == IA_SOURCE_COUNT) {
            t = draw_tree(text);
        } else if (ia_adapt(kinds[i].source, ia_str(text), &t, &err) != IA_OK) {
            fail_msg("%s: %s", path, err.msg);
        }
        free(text);
        return t;
    }
    fail_msg("%s has no tree", seen);
    return NULL;
}

/* "row:selected Ada" of "12 row:selected Ada". */
static const char *past_ref(const char *line)
{
    return line + strspn(line, "0123456789 ");
}

static bool says_state(const char *line, const char *state)
{
    const char *at = NULL;
    if (*state == '=') {
        return (at = strstr(line, state)) && at[strlen(state)] == '\0';
    }
    bool absent = *state == '-';
    const char *end = strchr(past_ref(line), ' ');
    at = strstr(past_ref(line), state + absent);
    bool there = at && end && at < end && (at[-1] == ':' || at[-1] == ',');
    return there != absent;
}

/* The line shows the text, or says that the rest can be read. */
static bool says(const struct ia_element *e, const char *text, const char *state)
{
    struct ia_buf shown = IA_BUF(1 << 16);
    struct ia_buf whole = IA_BUF(1 << 16);
    ia_element_text(e, &shown);
    ia_element_text_whole(e, &whole);
    const char *line = ia_buf_cstr(&shown);
    bool told = strstr(past_ref(line), text) ||
                (strstr(line, " characters: read ref ") && strstr(ia_buf_cstr(&whole), text));
    told = told && (!state || says_state(ia_buf_cstr(&whole), state));
    ia_buf_fini(&shown);
    ia_buf_fini(&whole);
    return told;
}

static bool in_title(const struct screen *s, const char *text)
{
    const char *title = ia_snapshot_screen(s->snapshot);
    return title && strcmp(title, text) == 0;
}

static bool in_keyboard(const struct screen *s, const char *text)
{
    const char *line = strstr(ia_buf_cstr(&s->text), " keyboard ");
    const char *at = line ? strstr(line, text) : NULL;
    return at && at < strchr(line, '\n');
}

static void check_see(struct screen *s, const char *text, const char *state)
{
    bool found = (!state && in_title(s, text)) || in_keyboard(s, text);
    for (size_t i = 0; i < ia_snapshot_count(s->snapshot) && !found; i++) {
        const struct ia_element *e = ia_snapshot_at(s->snapshot, i);
        found = e->listed && says(e, text, state);
    }
    if (!found) {
        wrong(s, "a person sees, and the model is not told", text);
    }
}

static bool touchable(const struct ia_element *e)
{
    bool reads = e->role == IA_ROLE_TEXT || e->role == IA_ROLE_HEADING ||
                 e->role == IA_ROLE_IMAGE || e->role == IA_ROLE_PROGRESS;
    return e->listed && !reads && (e->actions & IA_ACT_TAP);
}

static void check_touch(struct screen *s, const char *text, const char *state)
{
    for (size_t i = 0; i < ia_snapshot_count(s->snapshot); i++) {
        const struct ia_element *e = ia_snapshot_at(s->snapshot, i);
        if (!s->touched[i] && touchable(e) && says(e, text, state)) {
            s->touched[i] = true;
            return;
        }
    }
    wrong(s, "a person can touch, and the model is not offered", text);
}

static void check_off(struct screen *s, const char *rest)
{
    char side[16] = "", line[600];
    int count = 0, used = 0;
    assert_int_equal(sscanf(rest, "%d %15s %n", &count, side, &used), 2);
    for (const char *p = ia_buf_cstr(&s->text); p; p = strchr(p + 1, '\n')) {
        const char *from = *p == '\n' ? p + 1 : p;
        snprintf(line, sizeof(line), "%.*s", (int)strcspn(from, "\n"), from);
        int n = 0;
        char where[16] = "";
        if (sscanf(line, "+%d %15[a-z]", &n, where) == 2 && n == count &&
            strcmp(where, side) == 0 && strstr(line, rest + used)) {
            return;
        }
    }
    wrong(s, "scrolling would show, and the model is not told", rest);
}

static void check_behind(struct screen *s, const char *text)
{
    for (size_t i = 0; i < ia_snapshot_count(s->snapshot); i++) {
        const struct ia_element *e = ia_snapshot_at(s->snapshot, i);
        if ((e->listed || e->actions) && e->label && strcmp(e->label, text) == 0) {
            wrong(s, "lies behind, and is offered", text);
        }
    }
    if (in_title(s, text)) {
        wrong(s, "lies behind, and is the title", text);
    }
}

static void check_next(struct screen *s, const char *text)
{
    struct ia_buf b = IA_BUF(4096);
    ia_snapshot_next(s->snapshot, &b);
    if (!strstr(ia_buf_cstr(&b), text)) {
        wrong(s, "is not suggested", text);
    }
    ia_buf_fini(&b);
}

static void check_line(struct screen *s, char *line)
{
    char *text = line + strcspn(line, " ");
    *text++ = '\0';
    char *state = strstr(text, " : ");
    if (state) {
        *state = '\0';
        state += 3;
    }
    if (strcmp(line, "title") == 0) {
        in_title(s, text) ? (void)0 : wrong(s, "is not the title", text);
    } else if (strcmp(line, "see") == 0) {
        check_see(s, text, state);
    } else if (strcmp(line, "touch") == 0) {
        check_touch(s, text, state);
    } else if (strcmp(line, "off") == 0) {
        check_off(s, text);
    } else if (strcmp(line, "behind") == 0) {
        check_behind(s, text);
    } else if (strcmp(line, "next") == 0) {
        check_next(s, text);
    } else {
        fail_msg("%s: what is \"%s\"?", s->name, line);
    }
}

static void check_nothing_else(struct screen *s)
{
    for (size_t i = 0; i < ia_snapshot_count(s->snapshot); i++) {
        const struct ia_element *e = ia_snapshot_at(s->snapshot, i);
        if (!s->touched[i] && touchable(e)) {
            struct ia_buf line = IA_BUF(1 << 16);
            ia_element_text(e, &line);
            wrong(s, "nobody sees", ia_buf_cstr(&line));
            ia_buf_fini(&line);
        }
    }
}

static void check_text(struct screen *s, const char *seen)
{
    char path[512];
    struct ia_err err = {0};
    snprintf(path, sizeof(path), "%.*s.txt", (int)(strlen(seen) - strlen(".seen")), seen);
    if (getenv("IA_GOLDEN")) {
        assert_int_equal(ia_file_write_atomic(path, s->text.p, s->text.len, 0644, &err), IA_OK);
    }
    char *want = read_all(path);
    if (strcmp(want, ia_buf_cstr(&s->text)) != 0) {
        wrong(s, "does not read as reviewed", want);
    }
    free(want);
}

static int check_screen(const char *seen)
{
    const char *slash = strrchr(seen, '/');
    struct screen s = {.name = slash ? slash + 1 : seen,
                       .tree = tree_of(seen),
                       .refs = ia_refs_new(),
                       .text = IA_BUF(1 << 20)};
    s.snapshot = ia_snapshot_new(s.tree, s.refs, 0, 0);
    assert_true(ia_snapshot_count(s.snapshot) <= ELEMENTS_MAX);
    ia_snapshot_text(s.snapshot, 0, &s.text);
    char *list = read_all(seen), *next = NULL;
    for (char *line = strtok_r(list, "\n", &next); line; line = strtok_r(NULL, "\n", &next)) {
        check_line(&s, line);
    }
    check_nothing_else(&s);
    check_text(&s, seen);
    if (s.wrong > 0) {
        print_error("%s\n", ia_buf_cstr(&s.text));
    }
    free(list);
    ia_buf_fini(&s.text);
    ia_snapshot_free(s.snapshot);
    ia_refs_free(s.refs);
    ia_tree_free(s.tree);
    return s.wrong;
}

static void the_model_is_told_all_that_a_person_sees(void **state)
{
    (void)state;
    glob_t found = {0};
    assert_int_equal(glob(IA_TEST_DATA "/trees/synthetic/*.seen", 0, NULL, &found), 0);
    assert_int_equal(glob(IA_TEST_DATA "/trees/drawn/*.seen", GLOB_APPEND, NULL, &found), 0);
    assert_int_equal(found.gl_pathc, SCREENS);
    int count = 0;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        count += check_screen(found.gl_pathv[i]);
    }
    globfree(&found);
    assert_int_equal(count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_model_is_told_all_that_a_person_sees)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
