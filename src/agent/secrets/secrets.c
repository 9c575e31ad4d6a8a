/* secrets.c: a device that translates between names and values.
 *
 *     {{secret:PW}} ──type_text──► value ──► inner device
 *     {{secret:PW}} ◄──strings of the tree── value
 *     black boxes   ◄──screenshots── the places of values on the screen
 *     {{secret:PW}} ◄──pasteboard, answers of native actions── value; no films
 *
 * Operations that carry no text go straight to the inner device; its errors are translated
 * too.
 *
 * The wrapper sits directly above the driver: session, journal, events, reports and the
 * model see only what has passed through it. Where it cannot be sure it fails: no picture
 * without a tree to find the boxes in, no text with a name it does not know.
 *
 * Apps show values in other forms, so a value is also looked for with letter case and
 * punctuation left out (`folded`); then the whole string is replaced, as nobody can say
 * which part of it is the value. A password field shows dots, and their number would tell
 * the length: it is replaced by that of the shown name.
 *
 * A field into which a secret was typed (secret_fields.h) reads "•••" when what it holds is
 * no longer the whole value. */
#include "agent/secrets/secrets_impl.h"

#include "base/utf8.h"
#include "driver/image/image.h"

#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BOXES_MAX = 128, BOX_MARGIN_PX = 2 };

/* What is left of a value. */
static const char remains[] = "\xe2\x80\xa2\xe2\x80\xa2\xe2\x80\xa2";

static const char open_mark[] = IA_SECRET_OPEN;
static const char close_mark[] = IA_SECRET_CLOSE;

/* ---- values ------------------------------------------------------------------------------ */

static enum ia_rc no_value(const char *name, struct ia_err *err)
{
    enum ia_rc rc = ia_err_set(err, IA_E_USAGE, "the secret %.64s has no value", name);
    ia_err_hint(err,
                "ios-agent secret set %.64s stores one; or set the environment variable %.64s",
                name, name);
    return rc;
}

static void add(struct ia_secrets *s, const char *name, const char *value)
{
    struct ia_secret_item *item = &s->items[s->count++];
    *item = (struct ia_secret_item){.name = ia_strdup(name),
                                    .value = ia_strdup(value),
                                    .folded = ia_secret_folded(ia_str(value)),
                                    .shown = IA_BUF(IA_SECRET_NAME_MAX + 32)};
    ia_buf_printf(&item->shown, "%s%s%s", open_mark, name, close_mark);
}

static enum ia_rc look_up(struct ia_secrets *s, const struct ia_secret_lookup *from,
                          const char *name, struct ia_err *err)
{
    struct ia_buf value;
    enum ia_rc rc = ia_secret_value(from, name, &value, err);
    if (rc == IA_OK && value.len == 0) {
        rc = no_value(name, err);
    }
    if (rc == IA_OK || !ia_buf_ok(&value)) {
        size_t n = ia_buf_ok(&value) ? value.len : IA_SECRET_VALUE_BYTES_MAX + 1;
        rc = ia_secret_value_check(name, (struct ia_str){value.p, n}, err);
    }
    if (rc == IA_OK) {
        add(s, name, ia_buf_cstr(&value));
    }
    ia_secret_value_fini(&value);
    return rc;
}

void ia_secrets_free(struct ia_secrets *s)
{
    if (!s) {
        return;
    }
    for (size_t i = 0; i < s->count; i++) {
        free(s->items[i].name);
        ia_free_wiped(s->items[i].value);
        ia_free_wiped(s->items[i].folded);
        ia_buf_fini(&s->items[i].shown);
    }
    ia_secret_fields_fini(&s->fields);
    free(s);
}

/* ---- out: from values to names ----------------------------------------------------------- */

/* The node's value where it is a field that holds what is left of a secret, else NULL. */
static const char *left_in(const struct ia_secrets *s, const struct ia_tree *t,
                           const struct ia_node *n)
{
    bool left = ia_secret_fields_has(&s->fields, t, n) && n->type != IA_EL_SECURE_TEXT_FIELD &&
                !ia_secrets_whole(s, n->value);
    return left ? n->value : NULL;
}

/* What is left of secrets in the fields of this tree, as other elements may repeat it. */
static void look(struct ia_secrets *s, const struct ia_tree *t)
{
    const struct ia_node *root = ia_tree_root(t);
    ia_secret_fields_look(&s->fields, t);
    s->left_count = 0;
    for (const struct ia_node *n = root; n; n = ia_node_next(n, root)) {
        const char *left = left_in(s, t, n);
        if (left && s->left_count < IA_SECRET_FIELDS_MAX) {
            s->left[s->left_count++] = left;
        }
    }
    s->edited = s->edited || s->left_count > 0;
}

/* Whether it is what is left in a field, or has that and more in it; or was left in one that is gone,
 * as an app that saves it shows it elsewhere. */
static bool repeats(struct ia_secrets *s, const char *text)
{
    bool found =
        text && s->edited && ia_secrets_like(s, text, false) && !ia_secrets_whole(s, text);
    for (size_t i = 0; text && text[0] != '\0' && i < s->left_count; i++) {
        bool inside =
            strlen(s->left[i]) >= IA_SECRET_VALUE_BYTES_MIN && strstr(text, s->left[i]);
        found = found || inside || strcmp(text, s->left[i]) == 0;
    }
    return found;
}

static void hide_string(struct ia_secrets *s, struct ia_tree *t, const char **text)
{
    if (repeats(s, *text)) {
        *text = ia_tree_text(t, remains, strlen(remains));
    }
    if (!*text || !ia_secrets_hold(s, *text)) {
        return;
    }
    struct ia_buf b = IA_BUF(IA_SECRET_TEXT_MAX);
    ia_secrets_hide(s, ia_str(*text), &b);
    *text = ia_tree_text(t, ia_buf_cstr(&b), b.len);
    ia_buf_fini(&b);
}

static int characters(const char *text)
{
    int n = 0;
    for (size_t i = 0, len = text ? strlen(text) : 0; i < len; n++) {
        size_t w = ia_utf8_valid_len(text + i, len - i);
        i += w ? w : 1;
    }
    return n;
}

/* A password field shows as many dots as the name of what was typed has characters; false when it
 * holds something else. */
static bool hide_dots(const struct ia_secrets *s, struct ia_tree *t, struct ia_node *n)
{
    int have = characters(n->value);
    for (size_t i = 0; i < s->typed_count; i++) {
        if (have > 0 && have == s->typed[i].real) {
            struct ia_buf dots = IA_BUF(IA_SECRET_TEXT_MAX);
            for (int k = 0; k < s->typed[i].shown; k++) {
                ia_buf_puts(&dots, "\xe2\x80\xa2");
            }
            n->value = ia_tree_text(t, ia_buf_cstr(&dots), dots.len);
            ia_buf_fini(&dots);
            return true;
        }
    }
    return false;
}

static void hide_node(struct ia_secrets *s, struct ia_tree *t, struct ia_node *n)
{
    int real = characters(n->value);
    bool secure = n->type == IA_EL_SECURE_TEXT_FIELD;
    bool marked = ia_secret_fields_has(&s->fields, t, n);
    bool dots = secure && hide_dots(s, t, n);
    if (marked && !dots && secure) {
        n->value = ia_tree_text(t, remains, strlen(remains));
    }
    hide_string(s, t, &n->label);
    hide_string(s, t, &n->value);
    hide_string(s, t, &n->placeholder);
    hide_string(s, t, &n->identifier);
    /* For secret_delete, which counts what the model was shown. */
    if (n->flags & IA_NODE_FOCUSED) {
        s->focused_real = real;
        s->focused_shown = characters(n->value);
    }
}

static void hide_tree(struct ia_secrets *s, struct ia_tree *t)
{
    struct ia_node *root = ia_tree_root(t);
    look(s, t);
    /* Until a node says otherwise: perhaps no field has the focus. */
    s->focused_real = s->focused_shown = 0;
    for (struct ia_node *n = root; n; n = ia_node_next(n, root)) {
        hide_node(s, t, n);
    }
}

/* The error of a device may quote what was to be typed. */
static enum ia_rc hide_error(const struct ia_secrets *s, enum ia_rc rc, struct ia_err *err)
{
    if (rc != IA_OK && err) {
        struct ia_buf msg = IA_BUF(IA_SECRET_TEXT_MAX), hint = IA_BUF(IA_SECRET_TEXT_MAX);
        ia_secrets_hide(s, ia_str(err->msg), &msg);
        ia_secrets_hide(s, ia_str(err->hint), &hint);
        (void)snprintf(err->msg, sizeof(err->msg), "%s", ia_buf_cstr(&msg));
        (void)snprintf(err->hint, sizeof(err->hint), "%s", ia_buf_cstr(&hint));
        ia_buf_fini(&msg);
        ia_buf_fini(&hint);
    }
    return rc;
}

/* ---- in: from names to values ------------------------------------------------------------ */

static const struct ia_secret_item *find_name(const struct ia_secrets *s, struct ia_str name)
{
    for (size_t i = 0; i < s->own; i++) {
        if (ia_str_is(name, s->items[i].name)) {
            return &s->items[i];
        }
    }
    return NULL;
}

static enum ia_rc not_ours(struct ia_str name, struct ia_err *err)
{
    ia_err_set(err, IA_E_USAGE, "%.*s is not one of the secrets of this run",
               (int)(name.n < IA_SECRET_NAME_MAX ? name.n : IA_SECRET_NAME_MAX), name.p);
    if (err) {
        err->outcome = IA_OUTCOME_NOT_SENT;
    }
    return IA_E_USAGE;
}

enum ia_rc ia_secrets_fill(const struct ia_secrets *s, struct ia_str text, struct ia_buf *out,
                           struct ia_err *err)
{
    for (size_t i = 0; i < text.n;) {
        struct ia_str rest = {text.p + i, text.n - i};
        size_t from = strlen(open_mark), to = from;
        if (!ia_str_starts(rest, ia_str(open_mark))) {
            ia_buf_putc(out, text.p[i++]);
            continue;
        }
        while (to < rest.n && rest.p[to] != '}') {
            to++;
        }
        struct ia_str name = {rest.p + from, to - from};
        const struct ia_secret_item *item = find_name(s, name);
        /* A name that is not known is an error and not text: the model may not try out names
         * on the screen. */
        if (!item || to + 1 >= rest.n || rest.p[to + 1] != '}') {
            return not_ours(name, err);
        }
        ia_buf_puts(out, item->value);
        i += to + strlen(close_mark);
    }
    return ia_buf_check(out, "the text with its secrets", err);
}

static void note_typed(struct ia_secrets *s, struct ia_str shown, const struct ia_buf *real)
{
    char *text = ia_strndup(shown.p, shown.n);
    int have = characters(text), want = characters(ia_buf_cstr(real));
    free(text);
    for (size_t i = 0; i < s->typed_count; i++) {
        if (s->typed[i].real == want && s->typed[i].shown == have) {
            return;
        }
    }
    if (s->typed_count < IA_SECRET_TYPED_MAX) {
        s->typed[s->typed_count].real = want;
        s->typed[s->typed_count++].shown = have;
    }
}

/* ---- the device -------------------------------------------------------------------------- */

static struct ia_secrets *of(struct ia_device *d)
{
    return (struct ia_secrets *)d;
}

/* Every operation that reaches the inner device ends here: it may quote what it was to type. */
static enum ia_rc after(struct ia_device_forward *f, enum ia_rc rc, struct ia_err *err)
{
    return hide_error((struct ia_secrets *)f, rc, err);
}

static enum ia_rc secret_tree(struct ia_device *d, const struct ia_deadline *deadline,
                              struct ia_tree **ret, struct ia_err *err)
{
    enum ia_rc rc = ia_device_forward_ops.tree(d, deadline, ret, err);
    if (rc == IA_OK) {
        hide_tree(of(d), *ret);
    }
    return rc;
}

static enum ia_rc secret_type(struct ia_device *d, const struct ia_deadline *deadline,
                              struct ia_str text, struct ia_err *err)
{
    struct ia_secrets *s = of(d);
    struct ia_buf real = IA_BUF(IA_SECRET_TEXT_MAX);
    enum ia_rc rc = ia_secrets_fill(s, text, &real, err);
    bool secret = rc == IA_OK && !ia_str_eq(text, ia_buf_str(&real));
    /* Before typing: the field may show some of it even if the call fails half way. */
    if (rc == IA_OK) {
        rc = ia_secret_fields_typing(&s->fields, secret, err);
    }
    if (secret && rc == IA_OK) {
        note_typed(s, text, &real);
    }
    if (rc == IA_OK) {
        rc = ia_device_forward_ops.type_text(d, deadline, ia_buf_str(&real), err);
    }
    if (real.len > 0) {
        memset(real.p, 0, real.len);
    }
    ia_buf_fini(&real);
    return rc;
}

/* All that is shown in the field that has the focus means all that is in it. */
static enum ia_rc secret_delete(struct ia_device *d, const struct ia_deadline *deadline,
                                int count, struct ia_err *err)
{
    const struct ia_secrets *s = of(d);
    bool all = count == s->focused_shown && s->focused_real > count;
    return ia_device_forward_ops.delete_text(d, deadline, all ? s->focused_real : count, err);
}

/* ---- pictures ---------------------------------------------------------------------------- */

struct boxes {
    struct ia_rect items[BOXES_MAX]; /* points */
    size_t count;
    double width_pt; /* of the screen */
};

static bool is_shown_in(struct ia_secrets *s, const struct ia_tree *t, const struct ia_node *n)
{
    return n->type == IA_EL_SECURE_TEXT_FIELD || ia_secret_fields_has(&s->fields, t, n) ||
           (n->label && ia_secrets_hold(s, n->label)) ||
           (n->value && ia_secrets_hold(s, n->value)) ||
           (n->placeholder && ia_secrets_hold(s, n->placeholder)) || repeats(s, n->label) ||
           repeats(s, n->value);
}

/* Adds the places of secrets on the screen as it is now. Without them there is no picture. */
static enum ia_rc find_boxes(struct ia_secrets *s, const struct ia_deadline *deadline,
                             struct boxes *ret, struct ia_err *err)
{
    struct ia_tree *t = NULL;
    enum ia_rc rc = ia_device_forward_ops.tree(&s->forward.device, deadline, &t, err);
    if (rc != IA_OK) {
        return rc;
    }
    struct ia_node *root = ia_tree_root(t);
    look(s, t);
    ret->width_pt = root ? root->frame.w : 0;
    for (struct ia_node *n = root; n && rc == IA_OK; n = ia_node_next(n, root)) {
        /* Better no picture than one that shows the rest. */
        if (is_shown_in(s, t, n) && ret->count == BOXES_MAX) {
            rc = ia_err_set(err, IA_E_LIMIT, "more secrets on one screen than can be hidden");
        } else if (is_shown_in(s, t, n)) {
            ret->items[ret->count++] = n->frame;
        }
    }
    ia_tree_free(t);
    return rc;
}

static enum ia_rc blacken(const struct boxes *b, struct ia_str png, struct ia_buf *ret_png,
                          struct ia_err *err)
{
    int w = 0, h = 0;
    struct ia_rect px[BOXES_MAX];
    enum ia_rc rc = ia_png_size(png, &w, &h, err);
    if (rc != IA_OK) {
        return rc;
    }
    /* Frames are in points, the picture is in pixels. */
    double scale = b->width_pt > 0 ? w / b->width_pt : 1;
    for (size_t i = 0; i < b->count; i++) {
        const struct ia_rect *r = &b->items[i];
        px[i] = (struct ia_rect){
            floor(r->x * scale) - BOX_MARGIN_PX, floor(r->y * scale) - BOX_MARGIN_PX,
            ceil(r->w * scale) + 2 * BOX_MARGIN_PX, ceil(r->h * scale) + 2 * BOX_MARGIN_PX};
    }
    return ia_png_blacken(png, px, b->count, ret_png, err);
}

typedef enum ia_rc shoot_fn(struct ia_device *d, const struct ia_deadline *deadline,
                            struct ia_buf *ret_png, struct ia_err *err);

/* The screen may change while it is taken: what is hidden before or after is hidden. */
static enum ia_rc shoot(struct ia_secrets *s, shoot_fn *fn, const struct ia_deadline *deadline,
                        struct ia_buf *ret_png, struct ia_err *err)
{
    struct boxes b = {.count = 0};
    struct ia_buf png = IA_BUF(IA_PNG_BYTES_MAX);
    enum ia_rc rc = find_boxes(s, deadline, &b, err);
    if (rc == IA_OK) {
        rc = fn(&s->forward.device, deadline, &png, err);
    }
    if (rc == IA_OK) {
        rc = find_boxes(s, deadline, &b, err);
    }
    if (rc == IA_OK) {
        rc = blacken(&b, ia_buf_str(&png), ret_png, err);
    }
    ia_buf_fini(&png);
    return rc;
}

static enum ia_rc secret_screenshot(struct ia_device *d, const struct ia_deadline *deadline,
                                    struct ia_buf *ret_png, struct ia_err *err)
{
    return shoot(of(d), ia_device_forward_ops.screenshot, deadline, ret_png, err);
}

static enum ia_rc secret_screenshot_pt(struct ia_device *d, const struct ia_deadline *deadline,
                                       struct ia_buf *ret_png, struct ia_err *err)
{
    return shoot(of(d), ia_device_forward_ops.screenshot_pt, deadline, ret_png, err);
}

/* What was copied from a field. */
static enum ia_rc secret_pasteboard(struct ia_device *d, const struct ia_deadline *deadline,
                                    struct ia_buf *ret_text, struct ia_err *err)
{
    struct ia_buf text = IA_BUF(ret_text->max);
    enum ia_rc rc = ia_device_forward_ops.pasteboard(d, deadline, &text, err);
    if (rc == IA_OK) {
        ia_secrets_hide(of(d), ia_buf_str(&text), ret_text);
        rc = ia_buf_check(ret_text, "the pasteboard", err);
    }
    if (text.len > 0) {
        memset(text.p, 0, text.len);
    }
    ia_buf_fini(&text);
    return rc;
}

/* What is in a calendar, say. Names of secrets in what is written stay names. */
static enum ia_rc secret_native(struct ia_device *d, const struct ia_deadline *deadline,
                                enum ia_native native, struct ia_str json,
                                struct ia_buf *ret_answer, struct ia_err *err)
{
    struct ia_buf answer = IA_BUF(IA_NATIVE_ANSWER_MAX);
    enum ia_rc rc = ia_device_forward_ops.native(d, deadline, native, json, &answer, err);
    if (rc == IA_OK) {
        ia_secret_json_hide(of(d), ia_buf_str(&answer), ret_answer);
        rc = ia_buf_check(ret_answer, "the answer", err);
    }
    if (answer.len > 0) {
        memset(answer.p, 0, answer.len);
    }
    ia_buf_fini(&answer);
    return rc;
}

static void take_device(struct ia_secrets *s, struct ia_device *inner)
{
    ia_device_forward_init(&s->forward, inner);
    s->forward.after = after;
    struct ia_device_ops *ops = &s->forward.ops;
    ops->tree = secret_tree;
    ops->type_text = secret_type;
    ops->delete_text = secret_delete;
    ops->screenshot = secret_screenshot;
    /* Left NULL where the device has none: callers look at that. */
    ops->screenshot_pt = ops->screenshot_pt ? secret_screenshot_pt : NULL;
    ops->pasteboard = ops->pasteboard ? secret_pasteboard : NULL;
    ops->native = ops->native ? secret_native : NULL;
    /* A secret is typed once. */
    ops->typing_pace = NULL;
    /* A film would show what the pictures hide. */
    ops->record_start = NULL;
    ops->record_stop = NULL;
}

void ia_secrets_resumed(struct ia_secrets *s)
{
    if (s) {
        s->fields.resumed = true;
        s->edited = true; /* another process may have seen it */
    }
}

struct ia_device *ia_secrets_device(struct ia_secrets *s)
{
    return &s->forward.device;
}

enum ia_rc ia_secrets_new(struct ia_device *device, const struct ia_secret_lookup *lookup,
                          const struct ia_run_request *req, const json_t *hidden,
                          struct ia_secrets **ret, struct ia_err *err)
{
    size_t own = req->secret_count, all = own + json_array_size(hidden);
    *ret = NULL;
    if (all == 0) {
        return IA_OK;
    }
    if (all > IA_JOB_SECRETS_MAX) {
        return ia_err_set(err, IA_E_USAGE, "a run can have at most %d secrets",
                          IA_JOB_SECRETS_MAX);
    }
    struct ia_secrets *s = ia_calloc(1, sizeof(*s));
    enum ia_rc rc = IA_OK;
    s->fields.like = ia_secrets_like;
    s->fields.ctx = s;
    for (size_t i = 0; i < all && rc == IA_OK; i++) {
        const char *name =
            i < own ? req->secrets[i] : json_string_value(json_array_get(hidden, i - own));
        rc = look_up(s, lookup, name, err);
    }
    if (rc != IA_OK) {
        ia_secrets_free(s);
        return rc;
    }
    s->own = own;
    /* Without one only hide and fill are used. */
    if (device) {
        take_device(s, device);
    }
    *ret = s;
    return IA_OK;
}
