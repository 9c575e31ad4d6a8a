/* Every control that a person sees on a real screen is offered, every state can be read, and
 * nothing that lies behind a sheet, page or keyboard is offered. The lists under
 * tests/data/trees/seen were made by reading the raw trees. */
#include "source_dir.h"
#include "test.h"

#include "base/fd.h"
#include "driver/adapt/adapt.h"
#include "driver/snapshot/snapshot.h"

static const char *const axe[] = {
    "offsider-choice-test",         "offsider-menu",
    "offsider-overlay-test",        "offsider-sheet-test-open",
    "offsider-slider-value-test",   "offsider-stack-test-full",
    "offsider-switch-test",         "offsider-text-input-keyboard",
    "simuse-line-account-settings", "simuse-line-emoji",
    "trailblaze-contacts-search",   "xcodebuildmcp-calculator",
};
static const char *const wda[] = {"appium_universal-xml_ios", "shirates_SettingsTopScreen",
                                  "shirates_iOS1"};
enum { AXE_CONTROLS = 176, WDA_CONTROLS = 27, BEHIND = 11 };

/* One screen, what is known of it, and how much of it was checked. */
struct screen {
    const char *name;
    struct ia_tree *tree;
    struct ia_refs *refs;
    struct ia_snapshot *snapshot;
    struct ia_buf text, list;
    int controls, behind;
    bool known[512]; /* by element: stands in the list */
};

struct row {
    char kind[16];
    struct ia_point at;
    char name[256];
    char state[64];
};

static void read_file(const char *folder, const char *name, const char *suffix,
                      struct ia_buf *ret)
{
    char path[512];
    struct ia_err err = {0};
    snprintf(path, sizeof(path), "%s/trees/%s/%s.%s", IA_TEST_DATA, folder, name, suffix);
    if (ia_file_read(path, ret, &err) != IA_OK) {
        fail_msg("%s", err.msg);
    }
}

static void open_screen(struct screen *s, const char *name, bool xml)
{
    *s = (struct screen){
        .name = name, .refs = ia_refs_new(), .text = IA_BUF(1 << 20), .list = IA_BUF(1 << 20)};
    struct ia_buf raw = IA_BUF(1 << 20);
    struct ia_err err = {0};
    read_file(xml ? "wda" : "axe", name, xml ? "xml" : "json", &raw);
    if (ia_adapt(xml ? IA_SOURCE_WDA_XML : IA_SOURCE_AXE, ia_buf_str(&raw), &s->tree, &err)) {
        fail_msg("%s", err.msg);
    }
    s->snapshot = ia_snapshot_new(s->tree, s->refs, 0, 0);
    ia_snapshot_text(s->snapshot, 0, &s->text);
    read_file("seen", name, "txt", &s->list);
    ia_buf_fini(&raw);
    assert_in_range(ia_snapshot_count(s->snapshot), 1, IA_COUNTOF(s->known));
}

static void close_screen(struct screen *s)
{
    ia_buf_fini(&s->text);
    ia_buf_fini(&s->list);
    ia_snapshot_free(s->snapshot);
    ia_refs_free(s->refs);
    ia_tree_free(s->tree);
}

static struct row parse(const char *line)
{
    struct row r = {.name = ""};
    int used = 0;
    if (sscanf(line, "%15s %lf,%lf%n", r.kind, &r.at.x, &r.at.y, &used) != 3) {
        fail_msg("not a row: %s", line);
    }
    const char *rest = line + used + strspn(line + used, " ");
    const char *state = strncmp(rest, ": ", 2) == 0 ? rest : strstr(rest, " : ");
    size_t n = state ? (size_t)(state - rest) : strlen(rest);
    snprintf(r.name, sizeof(r.name), "%.*s", (int)n, rest);
    if (state) {
        state += strspn(state, " :");
        snprintf(r.state, sizeof(r.state), "%s", state);
    }
    return r;
}

static bool has(struct ia_rect r, struct ia_point p)
{
    return p.x >= r.x && p.y >= r.y && p.x < r.x + r.w && p.y < r.y + r.h;
}

static bool same(const char *a, const char *b)
{
    return a && strcmp(a, b) == 0;
}

static bool named(const struct ia_element *e, const char *name)
{
    return name[0] == '\0' || same(e->label, name) || same(e->identifier, name) ||
           same(e->placeholder, name);
}

/* The element of that name at that place, the listed one if there are several. */
static int find(const struct screen *s, const struct row *r, int role)
{
    int found = -1;
    for (size_t i = 0; i < ia_snapshot_count(s->snapshot); i++) {
        const struct ia_element *e = ia_snapshot_at(s->snapshot, i);
        bool area = e->role == IA_ROLE_SCROLL || e->role == IA_ROLE_LIST;
        if (!area && named(e, r->name) && has(e->frame, r->at) &&
            (role < 0 || e->role == role) && (found < 0 || e->listed)) {
            found = (int)i;
        }
    }
    return found;
}

/* The element's own line stands in the text form as a whole. */
static bool has_line(const struct screen *s, const struct ia_element *e, char *line, size_t n)
{
    struct ia_buf b = IA_BUF(4096);
    ia_buf_putc(&b, '\n');
    ia_element_text(e, &b);
    snprintf(line, n, "%s", ia_buf_cstr(&b));
    bool there = strstr(ia_buf_cstr(&s->text), ia_buf_cstr(&b)) != NULL;
    ia_buf_fini(&b);
    return there;
}

static bool says(const char *line, const char *state)
{
    const char *at = strstr(line, state);
    if (state[0] == '=') {
        return at && at[strlen(state)] == '\0';
    }
    return at && (at[-1] == ':' || at[-1] == ',') && strchr(" ,", at[strlen(state)]);
}

static const struct ia_element *listed(struct screen *s, const struct row *r)
{
    int i = find(s, r, -1);
    if (i < 0) {
        fail_msg("%s: %s is not there\n%s", s->name, r->name, ia_buf_cstr(&s->text));
    }
    const struct ia_element *e = ia_snapshot_at(s->snapshot, (size_t)i);
    char line[4096];
    if (!e->listed || !has_line(s, e, line, sizeof(line))) {
        fail_msg("%s: %s is not listed\n%s", s->name, r->name, ia_buf_cstr(&s->text));
    }
    if (r->state[0] && !says(line, r->state)) {
        fail_msg("%s: %s does not say %s:%s", s->name, r->name, r->state, line);
    }
    s->known[i] = true;
    return e;
}

static void check_control(struct screen *s, const struct row *r)
{
    const struct ia_element *e = listed(s, r);
    if (!(e->actions & IA_ACT_TAP) || e->reach != IA_REACH_OK ||
        !has(e->frame, e->activation)) {
        fail_msg("%s: %s cannot be used", s->name, r->name);
    }
    s->controls++;
}

static void check_key(struct screen *s, const struct row *r)
{
    int i = find(s, r, IA_ROLE_KEY);
    const char *keyboard = strstr(ia_buf_cstr(&s->text), " keyboard");
    if (i < 0 || !keyboard || !(ia_snapshot_at(s->snapshot, (size_t)i)->actions & IA_ACT_TAP)) {
        fail_msg("%s: no key %s", s->name, r->name);
    }
    /* Letters and pictures are what a keyboard is; other keys are named. */
    bool word = strlen(r->name) > 8 || (strlen(r->name) > 1 && r->name[0] > 0);
    if (word && !strstr(keyboard, r->name)) {
        fail_msg("%s: the keyboard does not name %s", s->name, r->name);
    }
    s->known[i] = true;
    s->controls++;
}

static void check_heading(struct screen *s, const struct row *r)
{
    char title[300];
    snprintf(title, sizeof(title), ": %s\n", r->name);
    const char *text = ia_buf_cstr(&s->text);
    const char *header = strstr(text, title);
    if (header && header < strchr(text, '\n')) {
        return;
    }
    assert_int_equal(listed(s, r)->role, IA_ROLE_HEADING);
}

static void check_outside(struct screen *s, const struct row *r)
{
    int i = find(s, r, -1);
    if (i < 0 || ia_snapshot_at(s->snapshot, (size_t)i)->listed ||
        ia_snapshot_at(s->snapshot, (size_t)i)->reach != IA_REACH_OFFSCREEN) {
        fail_msg("%s: %s is not kept as off-screen", s->name, r->name);
    }
}

static void check_behind(struct screen *s, const struct row *r)
{
    for (size_t i = 0; i < ia_snapshot_count(s->snapshot); i++) {
        const struct ia_element *e = ia_snapshot_at(s->snapshot, i);
        if (named(e, r->name) && (e->listed || e->actions)) {
            fail_msg("%s: %s lies behind and is offered", s->name, r->name);
        }
    }
    s->behind++;
}

static void check_row(struct screen *s, const char *line)
{
    struct row r = parse(line);
    if (strcmp(r.kind, "control") == 0) {
        check_control(s, &r);
    } else if (strcmp(r.kind, "key") == 0) {
        check_key(s, &r);
    } else if (strcmp(r.kind, "heading") == 0) {
        check_heading(s, &r);
    } else if (strcmp(r.kind, "text") == 0 || strcmp(r.kind, "also") == 0) {
        listed(s, &r);
    } else if (strcmp(r.kind, "outside") == 0) {
        check_outside(s, &r);
    } else if (strcmp(r.kind, "behind") == 0) {
        check_behind(s, &r);
    } else {
        fail_msg("unknown kind: %s", line);
    }
}

/* No control is offered that the list does not have. */
static void check_nothing_else(const struct screen *s)
{
    for (size_t i = 0; i < ia_snapshot_count(s->snapshot); i++) {
        const struct ia_element *e = ia_snapshot_at(s->snapshot, i);
        bool says_only = e->role == IA_ROLE_TEXT || e->role == IA_ROLE_HEADING ||
                         e->role == IA_ROLE_IMAGE || e->role == IA_ROLE_OTHER ||
                         e->role == IA_ROLE_KEYBOARD || e->role == IA_ROLE_PROGRESS;
        if (e->listed && !says_only && !s->known[i]) {
            char line[4096];
            has_line(s, e, line, sizeof(line));
            fail_msg("%s: nobody sees%s", s->name, line);
        }
    }
}

static void check_screen(const char *name, bool xml, int *controls, int *behind)
{
    struct screen s;
    open_screen(&s, name, xml);
    char *list = ia_buf_steal(&s.list);
    char *next = NULL;
    for (char *line = strtok_r(list, "\n", &next); line; line = strtok_r(NULL, "\n", &next)) {
        check_row(&s, line);
    }
    free(list);
    check_nothing_else(&s);
    *controls += s.controls;
    *behind += s.behind;
    close_screen(&s);
}

static void every_control_is_offered_and_nothing_behind_is(void **state)
{
    (void)state;
    int controls = 0;
    int behind = 0;
    for (size_t i = 0; i < IA_COUNTOF(axe); i++) {
        check_screen(axe[i], false, &controls, &behind);
    }
    assert_int_equal(controls, AXE_CONTROLS);
    assert_int_equal(behind, BEHIND);
    controls = 0;
    for (size_t i = 0; i < IA_COUNTOF(wda); i++) {
        check_screen(wda[i], true, &controls, &behind);
    }
    assert_int_equal(controls, WDA_CONTROLS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_control_is_offered_and_nothing_behind_is)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
