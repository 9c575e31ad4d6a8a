/* secret_fields.c: marks on fields, kept from tree to tree.
 *
 *     typed into it, or seen in it ──► marked ──► seen empty ───────────────► no mark
 *                                        │
 *                                        └─► not in the tree ─► back, like a secret ─► marked
 *                                                            └► back, like none ─────► no mark
 *
 * A field is known again by its identifier, or by its place, or by its label; two that cannot be told
 * apart are both hidden. A field that scrolled away comes back with what it held, so being gone alone
 * ends nothing. */
#include "agent/secrets/secret_fields.h"

#include "driver/app_sdk.h"

#include <stdlib.h>
#include <string.h>

static bool is_empty(const struct ia_node *n)
{
    return !n->value || n->value[0] == '\0' ||
           (n->placeholder && strcmp(n->value, n->placeholder) == 0);
}

static bool takes_text(const struct ia_node *n)
{
    return n->type == IA_EL_TEXT_FIELD || n->type == IA_EL_SECURE_TEXT_FIELD ||
           n->type == IA_EL_TEXT_VIEW || n->type == IA_EL_SEARCH_FIELD ||
           n->type == IA_EL_COMBO_BOX;
}

/* ---- which field it is ------------------------------------------------------------------- */

static void field_fini(struct ia_secret_field *f)
{
    free(f->app);
    free(f->identifier);
    free(f->label);
    *f = (struct ia_secret_field){.type = 0};
}

/* What a developer called it. The SDK's identifier of a place may change while the field stays. */
static const char *name_of(const struct ia_node *n)
{
    bool named = n->identifier && n->identifier[0] && !ia_sdk_generated(n->identifier);
    return named ? n->identifier : NULL;
}

static struct ia_secret_field field_of(const struct ia_tree *t, const struct ia_node *n)
{
    bool labelled = n->label && n->label[0] != '\0' &&
                    (!n->value || strcmp(n->label, n->value) != 0); /* else it is content */
    return (struct ia_secret_field){
        .app = ia_strdup(ia_tree_app(t)),
        .identifier = ia_strdup(name_of(n)),
        .label = labelled ? ia_strdup(n->label) : NULL,
        .frame = n->frame,
        .type = n->type,
        .empty = is_empty(n),
    };
}

static bool same_place(struct ia_rect a, struct ia_rect b)
{
    return a.x == b.x && a.y == b.y && a.w == b.w && a.h == b.h;
}

static bool is_field(const struct ia_secret_field *f, const struct ia_tree *t,
                     const struct ia_node *n)
{
    const char *app = ia_tree_app(t);
    bool elsewhere = f->app && app && strcmp(f->app, app) != 0;
    if (elsewhere || (!takes_text(n) && n->type != f->type)) {
        return false;
    }
    if (f->identifier && name_of(n)) {
        return strcmp(f->identifier, name_of(n)) == 0;
    }
    return same_place(f->frame, n->frame) ||
           (f->label && n->label && strcmp(f->label, n->label) == 0);
}

static bool same_field(const struct ia_secret_field *a, const struct ia_secret_field *b)
{
    if (a->identifier && b->identifier) {
        return strcmp(a->identifier, b->identifier) == 0;
    }
    return same_place(a->frame, b->frame);
}

/* ---- marks ------------------------------------------------------------------------------- */

/* Takes the field's memory. */
static bool mark(struct ia_secret_fields *f, struct ia_secret_field field)
{
    if (f->count == IA_SECRET_FIELDS_MAX) {
        field_fini(&field);
        return false;
    }
    f->items[f->count++] = field;
    return true;
}

static void unmark(struct ia_secret_fields *f, size_t i)
{
    field_fini(&f->items[i]);
    f->items[i] = f->items[--f->count];
}

void ia_secret_fields_fini(struct ia_secret_fields *f)
{
    while (f->count > 0) {
        unmark(f, f->count - 1);
    }
    field_fini(&f->focused);
}

/* A password field shows nothing that could be compared. */
static bool like_one(const struct ia_secret_fields *f, const struct ia_node *n, bool closely)
{
    return !is_empty(n) &&
           (n->type == IA_EL_SECURE_TEXT_FIELD ? closely : f->like(f->ctx, n->value, closely));
}

/* Brings a mark up to date; false when it ends. */
static bool update(const struct ia_secret_fields *f, struct ia_secret_field *field,
                   const struct ia_tree *t)
{
    const struct ia_node *root = ia_tree_root(t);
    bool seen = false, filled = false, like = false;
    struct ia_rect frame = field->frame;
    for (const struct ia_node *n = root; n; n = ia_node_next(n, root)) {
        if (is_field(field, t, n)) {
            frame = seen ? frame : n->frame;
            seen = true;
            filled = filled || !is_empty(n);
            like = like || like_one(f, n, true);
        }
    }
    bool ended = seen && (filled ? field->gone && !like : field->filled);
    field->frame = frame;
    field->gone = !seen;
    field->empty = seen && !filled;
    field->filled = field->filled || filled;
    return !ended;
}

static bool is_marked(const struct ia_secret_fields *f, const struct ia_tree *t,
                      const struct ia_node *n)
{
    size_t i = 0;
    while (i < f->count && !is_field(&f->items[i], t, n)) {
        i++;
    }
    return i < f->count;
}

void ia_secret_fields_look(struct ia_secret_fields *f, const struct ia_tree *t)
{
    const struct ia_node *root = ia_tree_root(t);
    for (size_t i = f->count; i > 0; i--) {
        if (!update(f, &f->items[i - 1], t)) {
            unmark(f, i - 1);
        }
    }
    field_fini(&f->focused);
    for (const struct ia_node *n = root; n; n = ia_node_next(n, root)) {
        if (takes_text(n) && like_one(f, n, f->resumed) && !is_marked(f, t, n)) {
            /* Beyond the cap it is hidden as far as its text can be found. */
            (void)mark(f, field_of(t, n));
        }
        if (n->flags & IA_NODE_FOCUSED) {
            field_fini(&f->focused);
            f->focused = field_of(t, n);
        }
    }
    f->resumed = f->resumed && !root;
}

enum ia_rc ia_secret_fields_typing(struct ia_secret_fields *f, bool secret, struct ia_err *err)
{
    struct ia_secret_field *to = &f->focused;
    if (to->type == 0) { /* what was typed is found when it is seen */
        return IA_OK;
    }
    size_t i = 0;
    while (i < f->count && !same_field(&f->items[i], to)) {
        i++;
    }
    if (i < f->count && !secret && f->items[i].empty) {
        unmark(f, i);
    }
    if (i < f->count || !secret) {
        return IA_OK;
    }
    struct ia_secret_field field = *to;
    *to = (struct ia_secret_field){.type = 0};
    if (mark(f, field)) {
        return IA_OK;
    }
    return ia_err_set(err, IA_E_LIMIT, "secrets were typed into more than %d fields",
                      IA_SECRET_FIELDS_MAX);
}

bool ia_secret_fields_has(const struct ia_secret_fields *f, const struct ia_tree *t,
                          const struct ia_node *n)
{
    return !is_empty(n) && is_marked(f, t, n);
}
