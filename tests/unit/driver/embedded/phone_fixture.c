/* phone_fixture.c: opens a phone in memory or in a folder, finds elements in its tree by name,
 * and touches them in their middle. */
#include "phone_fixture.h"

#include <dirent.h>
#include <unistd.h>

const struct ia_deadline no_limit = {.cancel = NULL, .at_us = IA_NO_DEADLINE};

static struct ia_device *open_phone(const struct ia_embedded_options *opt)
{
    struct ia_device *d = NULL;
    struct ia_err err = {0};
    if (ia_embedded_open(opt, &d, &err) != IA_OK) {
        fail_msg("cannot open the phone: %s", err.msg);
    }
    return d;
}

struct ia_device *phone_new(void)
{
    return open_phone(&(struct ia_embedded_options){.name = "test"});
}

struct ia_device *phone_open(const char *folder, const char *name)
{
    return open_phone(&(struct ia_embedded_options){.folder = folder, .name = name});
}

char *folder_new(void)
{
    char *path = ia_strdup("/tmp/ia-phone-XXXXXX");
    assert_non_null(mkdtemp(path));
    return path;
}

char *file_path(const char *folder, const char *file)
{
    static char path[512];
    snprintf(path, sizeof(path), "%s/%s", folder, file);
    return path;
}

void folder_remove(char *folder)
{
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        if (e->d_name[0] != '.') {
            unlink(file_path(folder, e->d_name));
        }
    }
    if (dir) {
        closedir(dir);
    }
    assert_int_equal(rmdir(folder), 0);
    free(folder);
}

struct ia_tree *tree_of(struct ia_device *d)
{
    struct ia_tree *t = NULL;
    assert_int_equal(d->ops->tree(d, &no_limit, &t, NULL), IA_OK);
    return t;
}

static bool named(const struct ia_node *n, const char *name)
{
    return (n->identifier && strcmp(n->identifier, name) == 0) ||
           (n->label && strcmp(n->label, name) == 0);
}

struct ia_node *find(const struct ia_tree *t, enum ia_eltype type, const char *name)
{
    struct ia_node *root = ia_tree_root(t), *found = NULL;
    for (struct ia_node *n = root; n; n = ia_node_next(n, root)) {
        if ((type == IA_EL_ANY || n->type == type) && named(n, name)) {
            found = n;
        }
    }
    return found;
}

static struct ia_node *find_control(const struct ia_tree *t, const char *name)
{
    static const enum ia_eltype order[] = {
        IA_EL_BUTTON,       IA_EL_KEY,  IA_EL_SWITCH,     IA_EL_SECURE_TEXT_FIELD,
        IA_EL_SEARCH_FIELD, IA_EL_ICON, IA_EL_TEXT_FIELD, IA_EL_SLIDER,
        IA_EL_CELL,         IA_EL_ANY};
    for (size_t i = 0; i < IA_COUNTOF(order); i++) {
        struct ia_node *n = find(t, order[i], name);
        if (n) {
            return n;
        }
    }
    fail_msg("nothing on the screen is named \"%s\"", name);
    return NULL;
}

static void must(enum ia_rc rc, const struct ia_err *err, const char *what)
{
    if (rc != IA_OK) {
        fail_msg("%s: %s", what, err->msg);
    }
}

void launch(struct ia_device *d, const char *bundle_id)
{
    struct ia_err err = {0};
    must(d->ops->launch(d, &no_limit, bundle_id, &err), &err, bundle_id);
}

void tap_at(struct ia_device *d, double x, double y)
{
    struct ia_err err = {0};
    must(d->ops->tap(d, &no_limit, (struct ia_point){x, y}, &err), &err, "tap");
}

void tap(struct ia_device *d, const char *name)
{
    struct ia_tree *t = tree_of(d);
    struct ia_rect f = find_control(t, name)->frame;
    ia_tree_free(t);
    tap_at(d, f.x + f.w / 2, f.y + f.h / 2);
}

void drag(struct ia_device *d, double x, double y, double to_x, double to_y)
{
    struct ia_err err = {0};
    must(d->ops->drag(d, &no_limit, (struct ia_point){x, y}, (struct ia_point){to_x, to_y}, 300,
                      &err),
         &err, "drag");
}

void type(struct ia_device *d, const char *text)
{
    struct ia_err err = {0};
    must(d->ops->type_text(d, &no_limit, ia_str(text), &err), &err, text);
}

bool shows_type(struct ia_device *d, enum ia_eltype el, const char *name)
{
    struct ia_tree *t = tree_of(d);
    bool found = find(t, el, name) != NULL;
    ia_tree_free(t);
    return found;
}

bool shows(struct ia_device *d, const char *name)
{
    return shows_type(d, IA_EL_ANY, name);
}

char *value_of(struct ia_device *d, const char *name)
{
    struct ia_tree *t = tree_of(d);
    char *value = ia_strdup(find_control(t, name)->value);
    ia_tree_free(t);
    return value;
}

void assert_value(struct ia_device *d, const char *name, const char *value)
{
    char *is = value_of(d, name);
    if (value) {
        assert_non_null(is);
        assert_string_equal(is, value);
    } else {
        assert_null(is);
    }
    free(is);
}

static void node_text(const struct ia_node *n, int depth, struct ia_buf *out)
{
    const char *texts[] = {n->identifier, n->label, n->value, n->placeholder};
    ia_buf_printf(out, "%*s%s", depth, "", ia_eltype_name((enum ia_eltype)n->type));
    for (size_t i = 0; i < IA_COUNTOF(texts); i++) {
        ia_buf_printf(out, "|%s", texts[i] ? texts[i] : "-");
    }
    ia_buf_printf(out, "|%.17g,%.17g,%.17g,%.17g|%x\n", n->frame.x, n->frame.y, n->frame.w,
                  n->frame.h, n->flags);
    for (const struct ia_node *c = n->first_child; c; c = c->next) {
        node_text(c, depth + 1, out);
    }
}

char *tree_text(struct ia_device *d)
{
    struct ia_tree *t = tree_of(d);
    struct ia_buf out = IA_BUF((size_t)4 << 20);
    ia_buf_printf(&out, "%s\n", ia_tree_app(t));
    node_text(ia_tree_root(t), 0, &out);
    ia_tree_free(t);
    return ia_buf_steal(&out);
}

char *state_of(struct ia_device *d)
{
    struct ia_buf out = IA_BUF((size_t)4 << 20);
    struct ia_jsonw w;
    ia_jsonw_init(&w, &out);
    ia_embedded_device_state_json(d, &w);
    assert_true(ia_buf_ok(&out));
    return ia_buf_steal(&out);
}

bool state_has(struct ia_device *d, const char *text)
{
    char *state = state_of(d);
    bool has = strstr(state, text) != NULL;
    free(state);
    return has;
}
