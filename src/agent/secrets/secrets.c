/* secrets.c: a device that translates between names and values.
 *
 *     {{secret:PW}} ──type_text──► value ──► inner device
 *     {{secret:PW}} ◄──strings of the tree── value
 *     black boxes   ◄──screenshots── the places of values on the screen
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
 * the length: it is replaced by that of the shown name. */
#include "agent/secrets/secrets.h"

#include "agent/goal/job.h"
#include "base/utf8.h"
#include "driver/device_forward.h"
#include "driver/image/image.h"

#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TYPED_MAX = 32, BOXES_MAX = 128, HIDDEN_BYTES_MAX = 1 << 20, BOX_MARGIN_PX = 2 };

static const char open_mark[] = "{{secret:";
static const char close_mark[] = "}}";

struct secret {
    char *name, *value;
    char *folded; /* letters and digits of the value in lower case; "" when too few */
    struct ia_buf shown;
};

struct ia_secrets {
    struct ia_device_forward forward; /* first: the device is the whole */
    struct secret items[IA_JOB_SECRETS_MAX];
    size_t count;
    /* Texts that were typed, by their lengths in characters: as they are, and as shown. */
    struct {
        int real, shown;
    } typed[TYPED_MAX];
    size_t typed_count;
    int focused_real, focused_shown; /* characters in the field that has the focus */
};

/* ---- values ------------------------------------------------------------------------------ */

static void wipe(char *s)
{
    if (s) {
        sodium_memzero(s, strlen(s));
    }
    free(s);
}

char ia_secret_fold(char c)
{
    if (c >= 'A' && c <= 'Z') {
        return (char)(c + 32);
    }
    bool kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (unsigned char)c >= 0x80;
    return kept ? c : '\0';
}

/* Letters, digits and what is beyond ASCII, in lower case. */
static char *folded(struct ia_str s)
{
    char *out = ia_alloc(s.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        char c = ia_secret_fold(s.p[i]);
        if (c) {
            out[n++] = c;
        }
    }
    out[n] = '\0';
    return out;
}

static enum ia_rc add(struct ia_secrets *s, const char *name, const char *value,
                      struct ia_err *err)
{
    size_t n = value ? strlen(value) : 0;
    if (n == 0) {
        ia_err_set(err, IA_E_USAGE, "the secret %.64s has no value", name);
        ia_err_hint(err, "set the environment variable %.64s", name);
        return IA_E_USAGE;
    }
    /* A shorter value would be found in ordinary texts and hide them. */
    if (n < IA_SECRET_VALUE_BYTES_MIN || n > IA_SECRET_VALUE_BYTES_MAX) {
        return ia_err_set(err, IA_E_USAGE, "the secret %.64s must have %d to %d bytes", name,
                          IA_SECRET_VALUE_BYTES_MIN, IA_SECRET_VALUE_BYTES_MAX);
    }
    struct secret *item = &s->items[s->count++];
    *item = (struct secret){.name = ia_strdup(name),
                            .value = ia_strdup(value),
                            .folded = folded(ia_str(value)),
                            .shown = IA_BUF(IA_SECRET_NAME_MAX + 32)};
    ia_buf_printf(&item->shown, "%s%s%s", open_mark, name, close_mark);
    return IA_OK;
}

void ia_secrets_free(struct ia_secrets *s)
{
    if (!s) {
        return;
    }
    for (size_t i = 0; i < s->count; i++) {
        free(s->items[i].name);
        wipe(s->items[i].value);
        wipe(s->items[i].folded);
        ia_buf_fini(&s->items[i].shown);
    }
    free(s);
}

/* ---- out: from values to names ----------------------------------------------------------- */

static bool same_letter(char a, char b)
{
    return a == b || (ia_secret_fold(a) && ia_secret_fold(a) == ia_secret_fold(b));
}

static bool stands_at(const char *p, size_t left, const char *value)
{
    size_t n = strlen(value);
    if (n > left) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (!same_letter(p[i], value[i])) {
            return false;
        }
    }
    return true;
}

/* The secret whose value stands there; the longest, as one may begin as another does. */
static const struct secret *find_at(const struct ia_secrets *s, const char *p, size_t left)
{
    const struct secret *best = NULL;
    for (size_t i = 0; i < s->count; i++) {
        const struct secret *item = &s->items[i];
        bool longer = !best || strlen(item->value) > strlen(best->value);
        best = longer && stands_at(p, left, item->value) ? item : best;
    }
    return best;
}

/* The secret that the text has with other punctuation. */
static const struct secret *find_folded(const struct ia_secrets *s, struct ia_str text)
{
    const struct secret *found = NULL;
    char *letters = folded(text);
    for (size_t i = 0; i < s->count && !found; i++) {
        const char *want = s->items[i].folded;
        found = strlen(want) >= IA_SECRET_VALUE_BYTES_MIN && strstr(letters, want)
                    ? &s->items[i]
                    : NULL;
    }
    wipe(letters);
    return found;
}

void ia_secrets_hide(const struct ia_secrets *s, struct ia_str text, struct ia_buf *out)
{
    struct ia_buf plain = IA_BUF(out->max);
    bool replaced = false;
    for (size_t i = 0; i < text.n;) {
        const struct secret *item = find_at(s, text.p + i, text.n - i);
        if (item) {
            ia_buf_putstr(&plain, ia_buf_str(&item->shown));
            i += strlen(item->value);
            replaced = true;
        } else {
            ia_buf_putc(&plain, text.p[i++]);
        }
    }
    /* Only where nothing was found as it is: that is the better replacement. */
    const struct secret *other = replaced ? NULL : find_folded(s, text);
    ia_buf_putstr(out, ia_buf_str(other ? &other->shown : &plain));
    ia_buf_fini(&plain);
}

static bool holds_secret(const struct ia_secrets *s, const char *text)
{
    struct ia_str all = ia_str(text);
    for (size_t i = 0; i < all.n; i++) {
        if (find_at(s, all.p + i, all.n - i)) {
            return true;
        }
    }
    return all.n > 0 && find_folded(s, all);
}

static void hide_string(const struct ia_secrets *s, struct ia_tree *t, const char **text)
{
    if (!*text || !holds_secret(s, *text)) {
        return;
    }
    struct ia_buf b = IA_BUF(HIDDEN_BYTES_MAX);
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

/* A password field shows as many dots as the name of what was typed has characters. */
static void hide_dots(const struct ia_secrets *s, struct ia_tree *t, struct ia_node *n)
{
    int have = characters(n->value);
    for (size_t i = 0; i < s->typed_count; i++) {
        if (have > 0 && have == s->typed[i].real) {
            struct ia_buf dots = IA_BUF(HIDDEN_BYTES_MAX);
            for (int k = 0; k < s->typed[i].shown; k++) {
                ia_buf_puts(&dots, "\xe2\x80\xa2");
            }
            n->value = ia_tree_text(t, ia_buf_cstr(&dots), dots.len);
            ia_buf_fini(&dots);
            return;
        }
    }
}

static void hide_node(struct ia_secrets *s, struct ia_tree *t, struct ia_node *n)
{
    int real = characters(n->value);
    hide_string(s, t, &n->label);
    hide_string(s, t, &n->value);
    hide_string(s, t, &n->placeholder);
    hide_string(s, t, &n->identifier);
    if (n->type == IA_EL_SECURE_TEXT_FIELD) {
        hide_dots(s, t, n);
    }
    /* For secret_delete, which counts what the model was shown. */
    if (n->flags & IA_NODE_FOCUSED) {
        s->focused_real = real;
        s->focused_shown = characters(n->value);
    }
}

static void hide_tree(struct ia_secrets *s, struct ia_tree *t)
{
    struct ia_node *root = ia_tree_root(t);
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
        struct ia_buf msg = IA_BUF(HIDDEN_BYTES_MAX), hint = IA_BUF(HIDDEN_BYTES_MAX);
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

static const struct secret *find_name(const struct ia_secrets *s, struct ia_str name)
{
    for (size_t i = 0; i < s->count; i++) {
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
        const struct secret *item = find_name(s, name);
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
    /* Equal lengths need no entry: the dots are right as they are. */
    if (have != want && s->typed_count < TYPED_MAX) {
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
    struct ia_buf real = IA_BUF(HIDDEN_BYTES_MAX);
    enum ia_rc rc = ia_secrets_fill(s, text, &real, err);
    if (rc == IA_OK) {
        /* Before typing: the field may show dots even if the call fails half way. */
        note_typed(s, text, &real);
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

static bool is_shown_in(const struct ia_secrets *s, const struct ia_node *n)
{
    return n->type == IA_EL_SECURE_TEXT_FIELD || (n->label && holds_secret(s, n->label)) ||
           (n->value && holds_secret(s, n->value)) ||
           (n->placeholder && holds_secret(s, n->placeholder));
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
    ret->width_pt = root ? root->frame.w : 0;
    for (struct ia_node *n = root; n && rc == IA_OK; n = ia_node_next(n, root)) {
        /* Better no picture than one that shows the rest. */
        if (is_shown_in(s, n) && ret->count == BOXES_MAX) {
            rc = ia_err_set(err, IA_E_LIMIT, "more secrets on one screen than can be hidden");
        } else if (is_shown_in(s, n)) {
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
}

struct ia_device *ia_secrets_device(struct ia_secrets *s)
{
    return &s->forward.device;
}

enum ia_rc ia_secrets_new(struct ia_device *device, const struct ia_secret_lookup *lookup,
                          const struct ia_run_request *req, struct ia_secrets **ret,
                          struct ia_err *err)
{
    *ret = NULL;
    if (req->secret_count == 0) {
        return IA_OK;
    }
    if (req->secret_count > IA_JOB_SECRETS_MAX) {
        return ia_err_set(err, IA_E_USAGE, "a run can have at most %d secrets",
                          IA_JOB_SECRETS_MAX);
    }
    struct ia_secrets *s = ia_calloc(1, sizeof(*s));
    enum ia_rc rc = IA_OK;
    for (size_t i = 0; i < req->secret_count && rc == IA_OK; i++) {
        const char *name = req->secrets[i];
        rc = add(s, name, lookup->value ? lookup->value(lookup->ctx, name) : NULL, err);
    }
    if (rc != IA_OK) {
        ia_secrets_free(s);
        return rc;
    }
    /* Without one only hide and fill are used. */
    if (device) {
        take_device(s, device);
    }
    *ret = s;
    return IA_OK;
}
