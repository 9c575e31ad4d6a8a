/* Snapshots: any tree, built from bytes, gives a text within its budget and refs that resolve.
 *
 * A node is 6 bytes: type, depth step, place, size, flags, texts. */
#include "base/jsonw.h"
#include "driver/snapshot/snapshot.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { NODE_BYTES = 6, NODES_MAX = 600 };

static const char *const texts[] = {
    NULL,
    "Log in",
    "a\nb",
    "=",
    "\"q\"",
    "1",
    "0%",
    "radio button, checked",
    "🙂",
    "Return",
    "delete",
    "Item 12",
    " ",
    "busy",
    "T",
    "\xE2\x80\xAE",
    /* for labels alone */
    "checkmark",
    "circle",
    "#1",
    "A text that is too long for its line: room 5B, 48,200 EUR, 2026年12月1日, "
    "ada@example.com, and "
    "words without a number that go on for as long as it takes to be cut, which is at 240 "
    "bytes of "
    "it, whatever they are about; the code is QX-77391, the time 19:45, and there is a +3.",
};

static const char *text(struct ia_tree *t, unsigned i)
{
    const char *s = texts[i % IA_COUNTOF(texts)];
    return s ? ia_tree_text(t, s, strlen(s)) : NULL;
}

static struct ia_rect rect(uint8_t place, uint8_t extent)
{
    static const double sizes[] = {0, 1, 10, 44, 60, 120, 400, 800};
    return (struct ia_rect){(place & 15) * 40.0 - 80, (place >> 4) * 70.0 - 90,
                            sizes[extent & 7], sizes[(extent >> 3) & 7]};
}

static struct ia_node *add(struct ia_tree *t, struct ia_node *parent, const uint8_t *p)
{
    struct ia_node *n =
        ia_tree_add(t, parent, (enum ia_eltype)(p[0] % IA_EL_COUNT), rect(p[2], p[3]));
    if (n) {
        n->flags = p[4] & 63;
        n->label = text(t, (p[5] & 15U) + (p[0] & 128U) / 32);
        n->value = text(t, p[5] >> 4);
        n->identifier = text(t, (p[4] >> 6) * 5u);
        n->placeholder = text(t, p[3] >> 6);
    }
    return n;
}

static struct ia_tree *tree_of(const uint8_t *data, size_t size)
{
    struct ia_tree *t = ia_tree_new();
    struct ia_node *last =
        ia_tree_add(t, NULL, IA_EL_APPLICATION, (struct ia_rect){0, 0, 400, 800});
    for (size_t i = 0; i + NODE_BYTES <= size && i / NODE_BYTES < NODES_MAX; i += NODE_BYTES) {
        for (int up = data[i + 1] % 4; up > 0 && last->parent; up--) {
            last = last->parent;
        }
        struct ia_node *n = add(t, last, data + i);
        last = n ? n : last;
    }
    return t;
}

/* Every other form, which has no budget. */
static void write_forms(struct ia_snapshot *s, struct ia_refs *refs)
{
    struct ia_buf b = IA_BUF(1 << 22);
    struct ia_jsonw w;
    ia_snapshot_name_containers(s, refs);
    ia_snapshot_text_whole(s, SIZE_MAX / 4, &b);
    ia_snapshot_rows(s, &b);
    ia_snapshot_unlisted(s, &b);
    ia_jsonw_init(&w, &b);
    ia_snapshot_json(s, 0, ia_str(""), &w);
    ia_jsonw_init(&w, &b);
    ia_snapshot_json_rows(s, &w);
    if (!ia_buf_ok(&b)) {
        abort();
    }
    ia_buf_fini(&b);
}

static void check(const struct ia_snapshot *s, const struct ia_refs *refs, size_t max)
{
    struct ia_buf b = IA_BUF(1 << 20);
    ia_snapshot_text(s, max, &b);
    if (b.len > max) {
        abort();
    }
    for (size_t i = 0; i < ia_snapshot_count(s); i++) {
        const struct ia_element *e = ia_snapshot_at(s, i);
        const struct ia_element *found = NULL;
        if (e->listed &&
            (ia_snapshot_resolve(s, refs, e->ref, &found, NULL) != IA_OK || found != e)) {
            abort();
        }
    }
    ia_buf_fini(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ia_refs *refs = ia_refs_new();
    struct ia_tree *a = tree_of(data, size / 2);
    struct ia_tree *b = tree_of(data + size / 2, size - size / 2);
    struct ia_snapshot *x = ia_snapshot_new(a, refs, 0, 0);
    struct ia_snapshot *y = ia_snapshot_new(b, refs, 400, 800);
    check(x, refs, 1 + size % 700);
    check(y, refs, 12000);
    struct ia_buf d = IA_BUF(1 << 20);
    (void)ia_snapshot_diff(x, y, 500, &d);
    ia_buf_fini(&d);
    write_forms(y, refs);
    ia_snapshot_free(x);
    ia_snapshot_free(y);
    ia_tree_free(a);
    ia_tree_free(b);
    ia_refs_free(refs);
    return 0;
}
