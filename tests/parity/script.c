/* script.c: reads a script line by line, performs each line on a device through its vtable, and
 * records facts (code, message, outcome, tree) under the line. Two runs are compared fact by
 * fact. */
#include "script.h"

#include "../unit/test.h"

#include "base/hash.h"

enum { WORDS_MAX = 8, WORD_BYTES = 2048, LINE_BYTES = 4096, FACT_BYTES = 1 << 20 };

/* ---- facts ---- */

void facts_fini(struct facts *f)
{
    for (size_t i = 0; i < f->n; i++) {
        free(f->list[i].verb);
        free(f->list[i].key);
        free(f->list[i].text);
    }
    free(f->list);
    *f = (struct facts){0};
}

static struct fact *grow(struct facts *f)
{
    if (f->n == f->cap) {
        f->cap = f->cap ? 2 * f->cap : 256;
        f->list = ia_realloc(f->list, f->cap, sizeof(*f->list));
    }
    return &f->list[f->n++];
}

/* The current line is that of the last fact, since each line begins with one. */
void facts_add(struct facts *f, const char *key, const char *text)
{
    struct fact last = f->list[f->n - 1];
    *grow(f) = (struct fact){last.line, ia_strdup(last.verb), ia_strdup(key), ia_strdup(text)};
}

static void add_printf(struct facts *f, const char *key, const char *fmt, ...) IA_PRINTF(3, 4);
static void add_printf(struct facts *f, const char *key, const char *fmt, ...)
{
    char text[LINE_BYTES];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    facts_add(f, key, text);
}

static void begin_line(struct facts *f, int line, const char *text)
{
    *grow(f) = (struct fact){line, ia_strdup(text), ia_strdup("line"), ia_strdup(text)};
}

/* ---- words ---- */

struct words {
    char word[WORDS_MAX][WORD_BYTES];
    int n;
};

static const char *of_cast(const struct script *s, const char *name)
{
    for (const struct cast *c = s->cast; c && c->name; c++) {
        if (strcmp(c->name, name) == 0) {
            return c->word;
        }
    }
    fail_msg("the cast has no $%s", name);
    return "";
}

/* The next word from *at; false at the end of the line. */
static bool next_word(const char **at, char *dst)
{
    const char *p = *at + strspn(*at, " ");
    size_t n = 0;
    if (*p == '\0' || *p == '#') {
        return false;
    }
    bool quoted = *p == '"';
    for (p += quoted; *p != '\0' && *p != (quoted ? '"' : ' '); p++) {
        bool escape = quoted && p[0] == '\\' && p[1] == 'n';
        p += escape;
        assert_true(n + 1 < WORD_BYTES);
        dst[n++] = escape ? '\n' : *p;
    }
    dst[n] = '\0';
    *at = p + (quoted && *p == '"');
    return true;
}

static struct words split(const struct script *s, const char *line)
{
    struct words w = {.n = 0};
    char word[WORD_BYTES];
    while (next_word(&line, word)) {
        assert_true(w.n < WORDS_MAX);
        (void)snprintf(w.word[w.n++], WORD_BYTES, "%s",
                       word[0] == '$' ? of_cast(s, word + 1) : word);
    }
    return w;
}

/* ---- one line ---- */

struct step {
    struct ia_device *d;
    struct ia_deadline deadline;
    struct facts *f;
    const struct words *w;
    int at; /* of the verb */
    struct ia_err err;
};

static const char *arg(const struct step *s, int i)
{
    assert_true(s->at + 1 + i < s->w->n);
    return s->w->word[s->at + 1 + i];
}

static double number(const struct step *s, int i)
{
    char *end;
    double v = strtod(arg(s, i), &end);
    assert_true(*end == '\0');
    return v;
}

static bool named(const struct ia_node *n, const char *name)
{
    return (n->identifier && strcmp(n->identifier, name) == 0) ||
           (n->label && strcmp(n->label, name) == 0);
}

/* The last node with that name, in a tree that the caller frees, if there is one. NULL: no such
 * node. */
static struct ia_node *find(struct step *s, const char *name, struct ia_tree **ret)
{
    struct ia_node *found = NULL;
    const struct ia_deadline calm = {.cancel = NULL, .at_us = IA_NO_DEADLINE};
    *ret = NULL;
    if (s->d->ops->tree(s->d, &calm, ret, NULL) != IA_OK) {
        return NULL;
    }
    struct ia_node *root = ia_tree_root(*ret);
    for (struct ia_node *n = root; n; n = ia_node_next(n, root)) {
        found = named(n, name) ? n : found;
    }
    return found;
}

static struct ia_point middle(struct step *s, const char *name)
{
    struct ia_tree *t;
    struct ia_node *n = find(s, name, &t);
    struct ia_point at = {0, 0};
    if (n) {
        at = (struct ia_point){n->frame.x + n->frame.w / 2, n->frame.y + n->frame.h / 2};
    } else {
        facts_add(s->f, "missing", name);
    }
    ia_tree_free(t);
    return at;
}

static enum ia_rc do_info(struct step *s)
{
    struct ia_device_info i = {.scale = 0};
    enum ia_rc rc = s->d->ops->info(s->d, &i, &s->err);
    facts_add(s->f, "kind", i.kind);
    facts_add(s->f, "id", i.id);
    facts_add(s->f, "name", i.name);
    facts_add(s->f, "os", i.os);
    add_printf(s->f, "screen", "%g x %g at %g", i.width_pt, i.height_pt, i.scale);
    add_printf(s->f, "simulated", "%d, instant %d", i.simulated, i.instant);
    return rc;
}

static const char *or_dash(const char *s)
{
    return s ? s : "-";
}

static void report_node(struct facts *f, size_t i, const struct ia_node *n)
{
    char key[32];
    (void)snprintf(key, sizeof(key), "node %zu", i);
    add_printf(
        f, key, "%s flags %x at %g,%g %gx%g below %s #%s '%s' =%s (%s)",
        ia_eltype_name((enum ia_eltype)n->type), n->flags, n->frame.x, n->frame.y, n->frame.w,
        n->frame.h, n->parent ? ia_eltype_name((enum ia_eltype)n->parent->type) : "-",
        or_dash(n->identifier), or_dash(n->label), or_dash(n->value), or_dash(n->placeholder));
}

static enum ia_rc do_tree(struct step *s)
{
    struct ia_tree *t = NULL;
    enum ia_rc rc = s->d->ops->tree(s->d, &s->deadline, &t, &s->err);
    if (rc == IA_OK) {
        struct ia_node *root = ia_tree_root(t);
        size_t i = 0;
        facts_add(s->f, "app", or_dash(ia_tree_app(t)));
        facts_add(s->f, "truncated", ia_tree_truncated(t) ? "yes" : "no");
        add_printf(s->f, "nodes", "%zu", ia_tree_count(t));
        for (struct ia_node *n = root; n; n = ia_node_next(n, root)) {
            report_node(s->f, i++, n);
        }
    }
    ia_tree_free(t);
    return rc;
}

static enum ia_rc picture(struct step *s, bool points)
{
    struct ia_buf png = IA_BUF((size_t)32 << 20);
    char hex[IA_SHA256_HEX_SIZE] = "";
    enum ia_rc rc = points ? ia_device_screenshot_pt(s->d, &s->deadline, &png, &s->err)
                           : s->d->ops->screenshot(s->d, &s->deadline, &png, &s->err);
    if (rc == IA_OK) {
        ia_sha256_hex(png.p, png.len, hex);
    }
    facts_add(s->f, "png", hex);
    ia_buf_fini(&png);
    return rc;
}

static enum ia_rc do_shot(struct step *s)
{
    return picture(s, false);
}

static enum ia_rc do_shot_pt(struct step *s)
{
    return picture(s, true);
}

static enum ia_rc do_has(struct step *s)
{
    struct ia_tree *t;
    facts_add(s->f, "has", find(s, arg(s, 0), &t) ? "yes" : "no");
    ia_tree_free(t);
    return IA_OK;
}

static enum ia_rc do_value(struct step *s)
{
    struct ia_tree *t;
    const struct ia_node *n = find(s, arg(s, 0), &t);
    facts_add(s->f, "value", n ? or_dash(n->value) : "(missing)");
    ia_tree_free(t);
    return IA_OK;
}

static enum ia_rc do_focused(struct step *s)
{
    struct ia_tree *t;
    const struct ia_node *n = find(s, arg(s, 0), &t);
    facts_add(s->f, "focused", n && (n->flags & IA_NODE_FOCUSED) ? "yes" : "no");
    ia_tree_free(t);
    return IA_OK;
}

static enum ia_rc do_launch(struct step *s)
{
    return s->d->ops->launch(s->d, &s->deadline, arg(s, 0), &s->err);
}

static enum ia_rc do_terminate(struct step *s)
{
    return s->d->ops->terminate(s->d, &s->deadline, arg(s, 0), &s->err);
}

static enum ia_rc do_open(struct step *s)
{
    return s->d->ops->open_url(s->d, &s->deadline, arg(s, 0), &s->err);
}

static enum ia_rc do_press(struct step *s)
{
    static const char *const names[] = {"home", "lock", "volume_up", "volume_down"};
    for (size_t i = 0; i < IA_COUNTOF(names); i++) {
        if (strcmp(names[i], arg(s, 0)) == 0) {
            return s->d->ops->press(s->d, &s->deadline, (enum ia_button)i, &s->err);
        }
    }
    fail_msg("no button is called %s", arg(s, 0));
    return IA_E_INTERNAL;
}

static enum ia_rc do_orient(struct step *s)
{
    return s->d->ops->orientation(s->d, &s->deadline, (enum ia_orientation)number(s, 0),
                                  &s->err);
}

static enum ia_rc do_reset(struct step *s)
{
    return ia_device_reset(s->d, &s->deadline, &s->err);
}

static enum ia_rc do_tap(struct step *s)
{
    return s->d->ops->tap(s->d, &s->deadline, middle(s, arg(s, 0)), &s->err);
}

static enum ia_rc do_tap_at(struct step *s)
{
    struct ia_point at = {number(s, 0), number(s, 1)};
    return s->d->ops->tap(s->d, &s->deadline, at, &s->err);
}

static enum ia_rc do_hold(struct step *s)
{
    return s->d->ops->long_press(s->d, &s->deadline, middle(s, arg(s, 0)), (int)number(s, 1),
                                 &s->err);
}

static enum ia_rc do_hold_at(struct step *s)
{
    struct ia_point at = {number(s, 0), number(s, 1)};
    return s->d->ops->long_press(s->d, &s->deadline, at, (int)number(s, 2), &s->err);
}

static enum ia_rc do_drag(struct step *s)
{
    struct ia_point from = {number(s, 0), number(s, 1)}, to = {number(s, 2), number(s, 3)};
    return s->d->ops->drag(s->d, &s->deadline, from, to, (int)number(s, 4), &s->err);
}

static enum ia_rc do_pinch(struct step *s)
{
    struct ia_tree *t;
    struct ia_node *n = find(s, arg(s, 0), &t);
    struct ia_rect in = n ? n->frame : (struct ia_rect){0, 0, 393, 852};
    ia_tree_free(t);
    return ia_device_pinch(s->d, &s->deadline, in, number(s, 1), &s->err);
}

static enum ia_rc do_copy(struct step *s)
{
    return ia_device_set_pasteboard(s->d, &s->deadline, ia_str(arg(s, 0)), &s->err);
}

static enum ia_rc do_pasteboard(struct step *s)
{
    struct ia_buf text = IA_BUF(1 << 16);
    enum ia_rc rc = ia_device_pasteboard(s->d, &s->deadline, &text, &s->err);
    facts_add(s->f, "pasteboard", ia_buf_cstr(&text));
    ia_buf_fini(&text);
    return rc;
}

static enum ia_rc do_native(struct step *s)
{
    char service[16] = "", args[512];
    const char *dot = strchr(arg(s, 0), '.');
    struct ia_buf answer = IA_BUF(IA_NATIVE_ANSWER_MAX);
    assert_non_null(dot);
    (void)snprintf(service, sizeof(service), "%.*s", (int)(dot - arg(s, 0)), arg(s, 0));
    (void)snprintf(args, sizeof(args), "%s", s->w->n > s->at + 2 ? arg(s, 1) : "{}");
    for (char *quote = strchr(args, '\''); quote; quote = strchr(quote, '\'')) {
        *quote = '"';
    }
    int action = ia_native_find(service, dot + 1);
    assert_true(action >= 0);
    enum ia_rc rc = ia_device_native(s->d, &s->deadline, (enum ia_native)action, ia_str(args),
                                     &answer, &s->err);
    facts_add(s->f, "answer", ia_buf_cstr(&answer));
    ia_buf_fini(&answer);
    return rc;
}

static enum ia_rc do_type(struct step *s)
{
    return s->d->ops->type_text(s->d, &s->deadline, ia_str(arg(s, 0)), &s->err);
}

static enum ia_rc do_delete(struct step *s)
{
    return s->d->ops->delete_text(s->d, &s->deadline, (int)number(s, 0), &s->err);
}

static enum ia_rc do_alert(struct step *s)
{
    bool named_one = strcmp(arg(s, 0), "button") == 0;
    bool accept = strcmp(arg(s, 0), "accept") == 0;
    return s->d->ops->alert(s->d, &s->deadline,
                            named_one ? IA_ALERT_BUTTON
                            : accept  ? IA_ALERT_ACCEPT
                                      : IA_ALERT_DISMISS,
                            named_one ? arg(s, 1) : NULL, &s->err);
}

static const struct {
    const char *verb;
    enum ia_rc (*run)(struct step *s);
} verbs[] = {
    {"info", do_info},       {"tree", do_tree},       {"shot", do_shot},
    {"shot_pt", do_shot_pt}, {"has", do_has},         {"value", do_value},
    {"focused", do_focused}, {"launch", do_launch},   {"terminate", do_terminate},
    {"open", do_open},       {"press", do_press},     {"orient", do_orient},
    {"reset", do_reset},     {"tap", do_tap},         {"tap_at", do_tap_at},
    {"hold", do_hold},       {"hold_at", do_hold_at}, {"drag", do_drag},
    {"type", do_type},       {"delete", do_delete},   {"alert", do_alert},
    {"pinch", do_pinch},     {"copy", do_copy},       {"pasteboard", do_pasteboard},
    {"native", do_native},
};

static enum ia_rc run_verb(struct step *s)
{
    const char *verb = s->w->word[s->at];
    for (size_t i = 0; i < IA_COUNTOF(verbs); i++) {
        if (strcmp(verbs[i].verb, verb) == 0) {
            return verbs[i].run(s);
        }
    }
    fail_msg("there is no verb \"%s\"", verb);
    return IA_E_INTERNAL;
}

static void report_failure(struct facts *f, enum ia_rc rc, const struct ia_err *err)
{
    facts_add(f, "code", ia_rc_name(rc));
    if (rc != IA_OK) {
        facts_add(f, "outcome", ia_outcome_name(err->outcome));
        facts_add(f, "retry safe", err->retry_safe ? "yes" : "no");
        add_printf(f, "message", "%s; %s", err->msg, err->hint);
    }
}

static void run_line(const struct script *s, struct ia_device *d, const struct words *w,
                     struct facts *f)
{
    struct ia_cancel *cancel = ia_cancel_new(NULL);
    struct step step = {
        .d = d, .f = f, .w = w, .deadline = {.cancel = cancel, .at_us = IA_NO_DEADLINE}};
    if (strcmp(w->word[0], "cancelled") == 0) {
        ia_cancel_fire(cancel);
        step.at = 1;
    } else if (strcmp(w->word[0], "late") == 0) {
        step.deadline.at_us = ia_mono_us(ia_clock_system()) - 1;
        step.at = 1;
    }
    enum ia_rc rc = run_verb(&step);
    report_failure(f, rc, &step.err);
    if (s->after) {
        s->after(s->ctx, f);
    }
    ia_cancel_free(cancel);
}

void script_run(const struct script *s, struct ia_device *d, struct facts *ret)
{
    struct words *w = ia_alloc(sizeof(*w));
    char line[LINE_BYTES];
    int number_of_line = 0;
    *ret = (struct facts){0};
    for (const char *p = s->text; *p != '\0';) {
        size_t n = strcspn(p, "\n");
        assert_true(n < sizeof(line));
        memcpy(line, p, n);
        line[n] = '\0';
        p += n + (p[n] == '\n');
        number_of_line++;
        *w = split(s, line);
        if (w->n > 0) {
            begin_line(ret, number_of_line, line);
            run_line(s, d, w, ret);
        }
    }
    free(w);
}

/* ---- comparison ---- */

/* Shortens long texts to the place where they begin to differ. */
enum { SHOWN = 160, BEFORE = 40 };

static void differ(const char *script, const struct fact *of, const char *a, const char *b,
                   struct ia_buf *out)
{
    size_t same = 0;
    while (a[same] != '\0' && a[same] == b[same]) {
        same++;
    }
    bool from_start = same < SHOWN || strcmp(of->key, "message") == 0;
    size_t skip = from_start ? 0 : same - BEFORE;
    int most = strcmp(of->key, "message") == 0 ? LINE_BYTES : SHOWN;
    const char *more = skip > 0 ? "…" : "";
    ia_buf_printf(out, "%s:%d %s | %s | %s%.*s | %s%.*s\n", script, of->line, of->verb, of->key,
                  more, most, a + skip, more, most, b + skip);
}

static const struct fact *find_fact(const struct facts *in, size_t from, size_t to,
                                    const char *key)
{
    for (size_t i = from; i < to; i++) {
        if (strcmp(in->list[i].key, key) == 0) {
            return &in->list[i];
        }
    }
    return NULL;
}

/* One past the last fact of the line that begins at `from`. */
static size_t end_of_line(const struct facts *f, size_t from)
{
    size_t i = from;
    while (i < f->n && f->list[i].line == f->list[from].line) {
        i++;
    }
    return i;
}

static bool contains_all(const char *whole, const char *parts)
{
    char copy[LINE_BYTES], *rest = copy;
    (void)snprintf(copy, sizeof(copy), "%s", parts);
    while (rest && *rest) {
        char *end = strstr(rest, "; ");
        if (end) {
            *end = '\0';
        }
        if (!strstr(whole, rest)) {
            return false;
        }
        rest = end ? end + 2 : NULL;
    }
    return true;
}

static void compare_line(const char *script, const struct facts *a, size_t a_from, size_t a_to,
                         const struct facts *b, size_t b_from, size_t b_to, same_fn *how,
                         struct ia_buf *out)
{
    const struct fact *code = find_fact(a, a_from, a_to, "code");
    const struct fact *code_b = find_fact(b, b_from, b_to, "code");
    bool other_code =
        strcmp(code->text, code_b->text) != 0; /* then the message says the same */
    for (size_t i = a_from; i < a_to; i++) {
        const struct fact *x = &a->list[i], *y = find_fact(b, b_from, b_to, x->key);
        enum same same =
            other_code && strcmp(x->key, "message") == 0 ? SAME_IGNORED : how(x->key);
        bool ok = same == SAME_IGNORED ||
                  (y && (strcmp(x->text, y->text) == 0 ||
                         (same == SAME_CONTAINED && contains_all(y->text, x->text))));
        if (!ok) {
            differ(script, x, x->text, y ? y->text : "(nothing)", out);
        }
    }
    for (size_t i = b_from; i < b_to; i++) {
        const struct fact *y = &b->list[i];
        if (how(y->key) != SAME_IGNORED && !find_fact(a, a_from, a_to, y->key)) {
            differ(script, y, "(nothing)", y->text, out);
        }
    }
}

void facts_compare(const char *script, const struct facts *a, const struct facts *b,
                   same_fn *how, struct ia_buf *out)
{
    size_t i = 0, k = 0;
    while (i < a->n && k < b->n) {
        size_t i_end = end_of_line(a, i), k_end = end_of_line(b, k);
        compare_line(script, a, i, i_end, b, k, k_end, how, out);
        i = i_end;
        k = k_end;
    }
    assert_true(i == a->n && k == b->n); /* the same script gives the same lines */
}
