/* actions.c: sources and their items are checked and become strokes and keys.
 *
 *   sources ─► pointer items ─► strokes ─► taps, presses, drags ─┐
 *           └► key items ─► groups up to a pause ─► texts        ├─► by time
 *                                                  deletions ────┘ */
#include "server/wda/actions/actions.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "server/wda/actions/acts.h"
#include "server/wda/actions/stroke.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct decoder {
    const struct ia_wda_where *where;
    struct ia_wda_acts acts;
    size_t items; /* of all sources so far */
    bool finger;  /* a source had a stroke */
    struct ia_err *err;
};

/* A source that is being read. */
struct source {
    struct decoder *d;
    const char *id;
    double ms;         /* its clock */
    bool placed, down; /* a pointer is somewhere; it touches */
    struct ia_point at;
    struct ia_wda_strokes strokes;
    size_t way_cap;     /* of the newest stroke */
    struct ia_buf keys; /* of the group, as typed */
    const char **held;  /* of the group: keys that are down */
    size_t held_n;
};

/* ---- mistakes ---- */

enum { SHOWN_MAX = 200 };

/* The words, with the first %s in them the item as JSON. */
static enum ia_rc refuse(const struct source *s, const json_t *item, const char *before,
                         const char *behind)
{
    char *text = json_dumps(item, JSON_COMPACT | JSON_ENCODE_ANY);
    size_t n = text ? strlen(text) : 0;
    int shown = (int)(n <= SHOWN_MAX ? n : ia_utf8_cut(text, SHOWN_MAX));
    enum ia_rc rc = ia_err_set(s->d->err, IA_E_USAGE, "%s'%.*s'%s", before, shown,
                               text ? text : "", behind);
    free(text);
    return rc;
}

/* ---- pointers ---- */

static void add_waypoint(struct source *s, double from_ms)
{
    struct ia_wda_stroke *stroke = &s->strokes.at[s->strokes.n - 1];
    if (stroke->n == s->way_cap) {
        s->way_cap = s->way_cap ? s->way_cap * 2 : 4;
        stroke->way = ia_realloc(stroke->way, s->way_cap, sizeof(*stroke->way));
    }
    stroke->way[stroke->n++] = (struct ia_wda_waypoint){s->at, from_ms, s->ms};
}

static void touch_down(struct source *s)
{
    if (!s->down) {
        s->strokes.at = ia_grow(s->strokes.at, s->strokes.n, sizeof(*s->strokes.at));
        s->strokes.at[s->strokes.n++] = (struct ia_wda_stroke){0};
        s->way_cap = 0;
        add_waypoint(s, s->ms);
    }
    s->down = true;
}

static void touch_up(struct source *s)
{
    if (s->down) {
        add_waypoint(s, s->ms);
    }
    s->down = false;
}

static bool coordinate(const json_t *value, double *ret)
{
    static const double far_pt = 1e6;
    *ret = json_number_value(value);
    return json_is_number(value) && fabs(*ret) <= far_pt;
}

/* The keys under which clients name an element: WebDriver's and the older one. */
static struct ia_str element_of(const json_t *origin)
{
    struct ia_str id = ia_json_field(origin, "element-6066-11e4-a52e-4f735466cecf");
    id = id.n ? id : ia_json_field(origin, "ELEMENT");
    return id.n ? id : ia_json_str(origin);
}

static enum ia_rc origin_of(const struct source *s, const json_t *item, bool both,
                            struct ia_point *ret)
{
    const json_t *origin = json_object_get(item, "origin");
    struct ia_str name = ia_json_str(origin);
    *ret = (struct ia_point){0, 0};
    if (!origin || ia_str_is(name, "viewport")) {
        return both ? IA_OK
                    : refuse(s, item, "Both 'x' and 'y' options should be set for ",
                             " action item");
    }
    if (ia_str_is(name, "pointer")) {
        *ret = s->at;
        return s->placed ? IA_OK
                         : refuse(s, item, "There is no previous item for ",
                                  " action item, however origin is set to 'pointer'");
    }
    struct ia_str id = element_of(origin);
    if (id.n == 0) {
        return refuse(s, item, "Unsupported origin type is set for ",
                      " action item. Supported origin types: (pointer, viewport) or an element "
                      "instance");
    }
    return s->d->where->middle(s->d->where->ctx, id, ret, s->d->err);
}

static enum ia_rc move(struct source *s, const json_t *item, double duration)
{
    const json_t *x = json_object_get(item, "x"), *y = json_object_get(item, "y");
    double dx = 0, dy = 0;
    bool both = x && y;
    if ((x || y) && !(coordinate(x, &dx) && coordinate(y, &dy))) {
        return refuse(s, item, "Both 'x' and 'y' options should be set for ", " action item");
    }
    struct ia_point origin;
    enum ia_rc rc = origin_of(s, item, both, &origin);
    if (rc != IA_OK) {
        return rc;
    }
    double began = s->ms;
    s->ms += duration;
    s->at = (struct ia_point){origin.x + dx, origin.y + dy};
    s->placed = true;
    if (s->down) {
        add_waypoint(s, began);
    }
    return IA_OK;
}

static enum ia_rc pointer_item(struct source *s, const json_t *item, const char *type,
                               double duration)
{
    if (strcmp(type, "pointerMove") == 0) {
        return move(s, item, duration);
    }
    bool up = strcmp(type, "pointerUp") == 0, down = strcmp(type, "pointerDown") == 0;
    if (!up && !down && strcmp(type, "pause") != 0) {
        return refuse(s, item, "The action item type of ",
                      " is not supported. Only the following action item types are supported: "
                      "(pause, pointerUp, pointerDown, pointerMove)");
    }
    /* A pause may come before the first move; WebDriverAgent has that since 16.12.2. */
    if (!s->placed && (up || down)) {
        return refuse(s, item, "The ", " action item must be preceded by pointerMove item");
    }
    if (json_object_get(item, "pressure") && down) {
        return ia_err_set(s->d->err, IA_E_UNSUPPORTED,
                          "This device does not support force press interactions");
    }
    if (down) {
        touch_down(s);
    }
    s->ms += duration;
    if (up) {
        touch_up(s);
    }
    return IA_OK;
}

static enum ia_rc pointer_end(struct source *s)
{
    struct decoder *d = s->d;
    touch_up(s);
    if (s->strokes.n > 0 && d->finger) {
        return ia_err_set(d->err, IA_E_UNSUPPORTED,
                          "There is one finger, and '%s' would be another", s->id);
    }
    d->finger = d->finger || s->strokes.n > 0;
    return ia_wda_strokes_act(&s->strokes, &d->acts, d->err);
}

/* ---- keys ---- */

static enum ia_rc end_group(struct source *s)
{
    if (s->held_n > 0) {
        return ia_err_set(s->d->err, IA_E_USAGE,
                          "Key Down action '%.40s' must have a closing Key Up successor",
                          s->held[0]);
    }
    ia_wda_acts_type(&s->d->acts, ia_buf_str(&s->keys), (int)lround(s->ms));
    ia_buf_reset(&s->keys);
    return IA_OK;
}

static enum ia_rc key_up(struct source *s, const json_t *item, const char *value)
{
    for (size_t i = s->held_n; i > 0; i--) {
        if (strcmp(s->held[i - 1], value) == 0) {
            s->held_n--;
            memmove(&s->held[i - 1], &s->held[i], (s->held_n - i + 1) * sizeof(*s->held));
            ia_buf_puts(&s->keys, value);
            return IA_OK;
        }
    }
    return refuse(s, item, "Key Up action is not balanced with a preceding Key Down one in ",
                  "");
}

static enum ia_rc key_item(struct source *s, const json_t *item, const char *type,
                           double duration)
{
    if (strcmp(type, "pause") == 0) {
        enum ia_rc rc = end_group(s);
        s->ms += duration;
        return rc;
    }
    bool up = strcmp(type, "keyUp") == 0;
    if (!up && strcmp(type, "keyDown") != 0) {
        return refuse(s, item, "The action item type of ",
                      " is not supported. Only the following action item types are supported: "
                      "(pause, keyUp, keyDown)");
    }
    const char *value = ia_json_text(item, "value");
    if (!value[0]) {
        return refuse(s, item,
                      "Key value must be present and should be a valid non-empty string for ",
                      "");
    }
    if (up) {
        return key_up(s, item, value);
    }
    s->held = ia_realloc(s->held, s->held_n + 1, sizeof(*s->held));
    s->held[s->held_n++] = value;
    return IA_OK;
}

/* ---- sources ---- */

struct source_type {
    const char *name;
    enum ia_rc (*item)(struct source *s, const json_t *item, const char *type, double duration);
    enum ia_rc (*end)(struct source *s);
    bool pause_needs_duration;
};

static const struct source_type source_types[] = {
    {"pointer", pointer_item, pointer_end, false},
    {"key", key_item, end_group, true},
};

static enum ia_rc duration_of(const struct source *s, const json_t *item, bool needed,
                              double *ret)
{
    const json_t *duration = json_object_get(item, "duration");
    *ret = json_number_value(duration);
    if (!duration && needed) {
        return refuse(s, item, "Duration must be present for ", " action item");
    }
    if (duration && (!json_is_number(duration) || !(*ret >= 0))) {
        return refuse(s, item, "Duration must be a valid positive number for ", " action item");
    }
    if (s->ms + *ret > IA_WDA_ACTION_MS_MAX) {
        return refuse(s, item, "With ", " the action is longer than ten minutes");
    }
    return IA_OK;
}

static enum ia_rc read_item(struct source *s, const struct source_type *type,
                            const json_t *item)
{
    const char *name = ia_json_text(item, "type");
    if (!name[0]) {
        return refuse(s, item, "The type property is mandatory to set for ", " action item");
    }
    bool needed = type->pause_needs_duration && strcmp(name, "pause") == 0;
    double duration = 0;
    enum ia_rc rc = duration_of(s, item, needed, &duration);
    return rc == IA_OK ? type->item(s, item, name, duration) : rc;
}

/* From behind: a pointerCancel takes the item before it back, also when that is another one. What is left
 * goes to the end of ret, which has room for all; returns how many. */
static size_t surviving(const json_t *items, const json_t **ret)
{
    size_t n = json_array_size(items), first = n;
    bool cancel = false;
    for (size_t i = n; i > 0; i--) {
        const json_t *item = json_array_get(items, i - 1);
        bool is = strcmp(ia_json_text(item, "type"), "pointerCancel") == 0;
        if (!cancel && !is) {
            ret[--first] = item;
        }
        cancel = !cancel && is;
    }
    return n - first;
}

static enum ia_rc too_many(const struct decoder *d)
{
    return ia_err_set(d->err, IA_E_USAGE, "There are more than %d action items",
                      IA_WDA_ACTION_ITEMS_MAX);
}

static enum ia_rc read_items(struct decoder *d, const char *id, const struct source_type *type,
                             const json_t *items)
{
    struct source s = {.d = d, .id = id, .keys = IA_BUF(1 << 20)};
    size_t n = json_array_size(items);
    d->items += n;
    if (d->items > IA_WDA_ACTION_ITEMS_MAX) {
        return too_many(d);
    }
    const json_t **left = ia_calloc(n, sizeof(void *));
    enum ia_rc rc = IA_OK;
    for (size_t i = n - surviving(items, left); i < n && rc == IA_OK; i++) {
        rc = read_item(&s, type, left[i]);
    }
    rc = rc == IA_OK ? type->end(&s) : rc;
    free(left);
    free(s.held);
    ia_buf_fini(&s.keys);
    ia_wda_strokes_free(&s.strokes);
    return rc;
}

static enum ia_rc check_pointer(struct decoder *d, const json_t *source, const char *id)
{
    const char *type = ia_json_text(json_object_get(source, "parameters"), "pointerType");
    if (strcmp(type, "touch") == 0) {
        return IA_OK;
    }
    return ia_err_set(
        d->err, IA_E_USAGE,
        "Only pointer type 'touch' is supported. '%.40s' is given instead for action with id "
        "'%.100s'",
        type[0] ? type : "mouse", id);
}

static enum ia_rc read_source(struct decoder *d, const json_t *source)
{
    const char *id = ia_json_text(source, "id"), *name = ia_json_text(source, "type");
    const json_t *items = json_object_get(source, "actions");
    if (json_array_size(items) == 0) {
        return IA_OK;
    }
    const struct source_type *type = NULL;
    for (size_t i = 0; i < IA_COUNTOF(source_types); i++) {
        type = strcmp(source_types[i].name, name) == 0 ? &source_types[i] : type;
    }
    if (!type) {
        return ia_err_set(
            d->err, IA_E_USAGE,
            "Only actions of '(pointer, key)' types are supported. '%.40s' is given "
            "instead for action with id '%.100s'",
            name, id);
    }
    enum ia_rc rc = strcmp(name, "pointer") == 0 ? check_pointer(d, source, id) : IA_OK;
    return rc == IA_OK ? read_items(d, id, type, items) : rc;
}

/* Before anything is read: each source has an id of its own, and items. */
static enum ia_rc check_sources(const json_t *actions, struct ia_err *err)
{
    size_t i;
    json_t *source;
    json_t *ids = json_object();
    enum ia_rc rc = IA_OK;
    json_array_foreach(actions, i, source)
    {
        const char *id = ia_json_text(source, "id");
        if (!id[0]) {
            rc = ia_err_set(err, IA_E_USAGE,
                            "The mandatory action id field is missing or empty for action %zu",
                            i + 1);
        } else if (json_object_get(ids, id)) {
            rc = ia_err_set(err, IA_E_USAGE, "Action id '%.100s' is not unique", id);
        } else if (!json_is_array(json_object_get(source, "actions"))) {
            rc =
                ia_err_set(err, IA_E_USAGE,
                           "It is mandatory to have at least one item defined for each action. "
                           "Action with id '%.100s' contains none",
                           id);
        }
        if (rc != IA_OK) {
            break;
        }
        (void)json_object_set_new(ids, id, json_true());
    }
    json_decref(ids);
    return rc;
}

/* Keeps the order of those that begin at the same time. */
static void sort_by_time(struct ia_wda_acts *acts)
{
    for (size_t i = 1; i < acts->n; i++) {
        struct ia_wda_act act = acts->at[i];
        size_t k = i;
        for (; k > 0 && acts->at[k - 1].at_ms > act.at_ms; k--) {
            acts->at[k] = acts->at[k - 1];
        }
        acts->at[k] = act;
    }
}

enum ia_rc ia_wda_actions_read(const json_t *actions, const struct ia_wda_where *where,
                               struct ia_wda_acts *ret, struct ia_err *err)
{
    if (!json_is_array(actions)) {
        return ia_err_set(err, IA_E_USAGE, "'actions' must be a list");
    }
    struct decoder d = {.where = where, .err = err};
    enum ia_rc rc = check_sources(actions, err);
    for (size_t i = 0; i < json_array_size(actions) && rc == IA_OK; i++) {
        rc = read_source(&d, json_array_get(actions, i));
    }
    /* One key may be a long text with a deletion after each letter. */
    if (rc == IA_OK && d.acts.n > IA_WDA_ACTION_ITEMS_MAX) {
        rc = too_many(&d);
    }
    if (rc != IA_OK) {
        ia_wda_acts_free(&d.acts);
        return rc;
    }
    sort_by_time(&d.acts);
    *ret = d.acts;
    return IA_OK;
}
