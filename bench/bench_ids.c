/* bench_ids.c: how the SDK's identifiers (driver/app_sdk.h) affect the screens that a model reads, and refs.
 *
 * bench_ids FOLDER runs the same steps on four simulated phones: with the identifiers of the apps; with none;
 * with the SDK's where the apps give none; and with those again, renamed so that they count as a developer's.
 * Between the steps lists grow, shrink and change. Prints one JSON line for each phone:
 * {"ids","screens","shown","common","kept","swapped"}. shown: all elements shown. common: those that appear on two
 * successive screens with the same role and label, once on each. kept: how many of these kept their ref.
 * swapped: refs that went to another of them. FOLDER/NAME.txt and NAME.json get the screens in both forms, for
 * bench/ids.mjs. */
#include "driver/app_sdk.h"
#include "driver/embedded/embedded.h"
#include "driver/snapshot/snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_MAX = 1 << 24 };

static const struct {
    const char *name, *query;
    bool names; /* renamed, so that they count as a developer's */
} phones[] = {
    {"the apps'", NULL, false},
    {"none", "ids=bare", false},
    {"the SDK's", "ids=sdk,bare", false},
    {"the SDK's as names", "ids=sdk,bare", true},
};

/* A step: a URL, or what to tap, or a text to type. */
static const struct {
    const char *url, *tap, *type;
} steps[] = {
    {.url = "x-apple-reminderkit://"},
    {.tap = "row \"Groceries\""},
    {.tap = "\"New Reminder\""},
    {.type = "Apples"},
    {.tap = "\"Add\""},
    {.tap = "\"Complete Apples\""},
    {.tap = "\"New Reminder\""},
    {.type = "Bread"},
    {.tap = "\"Add\""},
    {.tap = "\"Complete Bread\""},
    {.url = "shop://add/Desk-Lamp/2"},
    {.url = "shop://add/Tea-Kettle/1"},
    {.url = "shop://add/Sketchbook/3"},
    {.url = "shop://add/Pocket-Speaker/1"},
    {.tap = "\"User name\""},
    {.type = "ada\nengine-1843\n"},
    {.tap = "button \"Log In\""},
    {.tap = "tab \"Cart\""},
    {.tap = "\"Increase Desk Lamp\""},
    {.tap = "\"Remove Tea Kettle\""},
    {.tap = "\"Remove Desk Lamp\""},
    {.tap = "\"Decrease Sketchbook\""},
    {.url = "prefs:root=WIFI"},
    {.tap = "switch"},
    {.tap = "switch"},
    {.url = "contacts://"},
    {.tap = "\"Add\""},
    {.type = "Aaron\nAalto\n"},
    {.tap = "\"Done\""},
    {.tap = "button \"Contacts\""},
};

struct phone {
    struct ia_device *device;
    struct ia_refs *refs;
    struct ia_snapshot *now;
    struct ia_buf text, json;
    int screens, shown, common, kept, swapped;
};

static void die(const char *what, const struct ia_err *err)
{
    fprintf(stderr, "bench_ids: %s: %s\n", what, err->msg);
    exit(1);
}

static struct ia_snapshot *look(struct phone *p, bool names)
{
    struct ia_tree *t = NULL;
    struct ia_err err = {0};
    if (ia_device_tree(p->device, NULL, &t, &err) != IA_OK) {
        die("tree", &err);
    }
    const struct ia_node *root = ia_tree_root(t);
    for (struct ia_node *n = ia_tree_root(t); names && n; n = ia_node_next(n, root)) {
        if (ia_sdk_generated(n->identifier)) {
            char called[IA_SDK_IDENTIFIER_MAX + 1];
            (void)snprintf(called, sizeof(called), "at~%s", n->identifier + 3);
            n->identifier = ia_tree_text(t, called, strlen(called));
        }
    }
    struct ia_snapshot *s = ia_snapshot_new(t, p->refs, 0, 0);
    ia_tree_free(t);
    return s;
}

static bool alike(const struct ia_element *a, const struct ia_element *b)
{
    return a->role == b->role && a->label && b->label && strcmp(a->label, b->label) == 0;
}

/* The only listed element of s that is like e; NULL if there is none, or more than one. */
static const struct ia_element *one_like(const struct ia_snapshot *s,
                                         const struct ia_element *e)
{
    const struct ia_element *found = NULL;
    for (size_t i = 0; i < ia_snapshot_count(s); i++) {
        const struct ia_element *o = ia_snapshot_at(s, i);
        if (o->listed && o->label && alike(o, e)) {
            if (found) {
                return NULL;
            }
            found = o;
        }
    }
    return found;
}

static const struct ia_element *with_ref(const struct ia_snapshot *s, uint32_t ref)
{
    for (size_t i = 0; i < ia_snapshot_count(s); i++) {
        if (ia_snapshot_at(s, i)->ref == ref) {
            return ia_snapshot_at(s, i);
        }
    }
    return NULL;
}

static void compare(struct phone *p, const struct ia_snapshot *before,
                    const struct ia_snapshot *after)
{
    for (size_t i = 0; before && i < ia_snapshot_count(after); i++) {
        const struct ia_element *e = ia_snapshot_at(after, i);
        bool once = e->listed && e->label && one_like(after, e) == e;
        const struct ia_element *was = once ? one_like(before, e) : NULL;
        const struct ia_element *owner = once && e->ref ? with_ref(before, e->ref) : NULL;
        p->common += was != NULL;
        p->kept += was && was->ref == e->ref;
        p->swapped += owner && owner->label && !alike(owner, e);
    }
}

static void keep(struct phone *p, struct ia_snapshot *s)
{
    struct ia_str none = {NULL, 0};
    struct ia_jsonw w;
    ia_snapshot_text(s, 0, &p->text);
    ia_jsonw_init(&w, &p->json);
    ia_snapshot_json(s, 0, none, &w);
    ia_buf_putc(&p->json, '\n');
    for (size_t i = 0; i < ia_snapshot_count(s); i++) {
        p->shown += ia_snapshot_at(s, i)->listed;
    }
    p->screens++;
    compare(p, p->now, s);
    ia_snapshot_free(p->now);
    p->now = s;
}

static enum ia_rc tap(struct phone *p, const char *what, struct ia_err *err)
{
    struct ia_selector sel;
    size_t at;
    if (ia_selector_parse(ia_str(what), &sel, &at, err) != IA_OK) {
        die(what, err);
    }
    const struct ia_element *e = ia_snapshot_find(p->now, &sel);
    if (!e) {
        ia_err_set(err, IA_E_NOT_FOUND, "is not on the screen");
        die(what, err);
    }
    enum ia_rc rc = ia_device_tap(p->device, NULL, e->activation, err);
    ia_selector_fini(&sel);
    return rc;
}

static void act(struct phone *p, size_t k)
{
    struct ia_err err = {0};
    enum ia_rc rc = steps[k].url ? ia_device_open_url(p->device, NULL, steps[k].url, &err)
                    : steps[k].tap
                        ? tap(p, steps[k].tap, &err)
                        : ia_device_type_text(p->device, NULL, ia_str(steps[k].type), &err);
    if (rc != IA_OK) {
        die(steps[k].url ? steps[k].url : steps[k].tap ? steps[k].tap : steps[k].type, &err);
    }
}

/* Apps take a few looks to load. */
static void settle(struct phone *p, bool names)
{
    for (int i = 0; i < 8; i++) {
        ia_snapshot_free(look(p, names));
    }
}

static void write_file(const char *folder, const char *name, const char *end,
                       const struct ia_buf *bytes)
{
    char path[4096];
    (void)snprintf(path, sizeof(path), "%s/%s.%s", folder, name, end);
    FILE *f = fopen(path, "w");
    if (!f || fwrite(ia_buf_cstr(bytes), 1, bytes->len, f) != bytes->len || fclose(f) != 0) {
        perror(path);
        exit(1);
    }
}

static void drive(size_t i, const char *folder)
{
    struct phone p = {
        .refs = ia_refs_new(), .text = IA_BUF(BYTES_MAX), .json = IA_BUF(BYTES_MAX)};
    struct ia_embedded_options opt = {.name = "ids", .query = phones[i].query};
    struct ia_err err = {0};
    if (ia_embedded_open(&opt, &p.device, &err) != IA_OK) {
        die(phones[i].name, &err);
    }
    for (size_t k = 0; k < IA_COUNTOF(steps); k++) {
        act(&p, k);
        settle(&p, phones[i].names);
        keep(&p, look(&p, phones[i].names));
    }
    write_file(folder, phones[i].name, "txt", &p.text);
    write_file(folder, phones[i].name, "json", &p.json);
    printf("{\"ids\":\"%s\",\"screens\":%d,\"shown\":%d,\"common\":%d,\"kept\":%d,\"swapped\":%"
           "d}\n",
           phones[i].name, p.screens, p.shown, p.common, p.kept, p.swapped);
    ia_snapshot_free(p.now);
    ia_refs_free(p.refs);
    ia_device_close(p.device);
    ia_buf_fini(&p.text);
    ia_buf_fini(&p.json);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: bench_ids FOLDER\n");
        return 2;
    }
    for (size_t i = 0; i < IA_COUNTOF(phones); i++) {
        drive(i, argv[1]);
    }
    return 0;
}
