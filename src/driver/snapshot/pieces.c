/* pieces.c: what is folded into an element, and the label that is made of it.
 *
 * An owner collects its pieces in a list through next_piece. One kind of them speaks: the texts;
 * where there is none the controls, which are pieces only while their owner is off-screen; else
 * the images. Little pictures that are labelled, as a dot for what is unread, count as texts. A piece that only repeats what is already said adds nothing. */
#include "driver/snapshot/build.h"
#include "driver/snapshot/phrase.h"
#include "driver/snapshot/rect.h"

#include "base/utf8.h"

#include <math.h>
#include <string.h>

enum { PIECES_BYTES_MAX = 4096, WRAPPERS_MAX = 8, BADGE_MAX_PT = 18 };

void ia_build_gather(struct ia_build *b, int32_t owner, int32_t i)
{
    struct ia_build_item *o = &b->items[owner];
    if (o->last_piece < 0) {
        o->pieces = i;
    } else {
        b->items[o->last_piece].next_piece = i;
    }
    o->last_piece = i;
}

/* What a piece says: its label, and its value where that says more. */
static void put_piece(const struct ia_build_item *t, struct ia_buf *out)
{
    ia_buf_puts(out, t->label ? t->label : t->value);
    if (t->label && t->value && !ia_phrase_has(t->label, t->value)) {
        ia_buf_putc(out, ' ');
        ia_buf_puts(out, t->value);
    }
}

/* True when a wrapper around the piece, or one drawn in the same place before it, says it too;
 * the same word elsewhere in the row is another one, as two equal scores are. */
static bool repeats(const struct ia_build *b, const struct ia_build_item *t,
                    const struct ia_build_item *before, const char *text)
{
    int32_t p = t->parent;
    for (int steps = 0; p > t->owner && steps < WRAPPERS_MAX; steps++, p = b->items[p].parent) {
        bool speaks = b->items[p].part == t->part; /* of a row's pieces only one kind speaks */
        if (speaks && b->items[p].label && ia_phrase_has(b->items[p].label, text)) {
            return true;
        }
    }
    return before && !ia_rect_empty(ia_rect_cut(before->frame, t->frame)) &&
           ia_phrase_has(before->label, text) && before->label;
}

enum piece { PIECE_TEXT, PIECE_CONTROL, PIECE_IMAGE, PIECES };

/* A symbol with a label of its own beside the name of its picture; the arrow at a row's end says
 * nothing. */
static bool badge(const struct ia_build_item *t)
{
    static const char arrow[] = "chevron";
    const char *id = t->own;
    return t->role == IA_ROLE_IMAGE && t->label && id && !t->selected &&
           strncmp(id, arrow, sizeof(arrow) - 1) != 0 &&
           fmax(t->frame.w, t->frame.h) <= BADGE_MAX_PT;
}

static enum piece piece_of(const struct ia_build *b, const struct ia_build_item *t)
{
    if (badge(t) && b->items[t->owner].role == IA_ROLE_ROW) {
        return PIECE_TEXT;
    }
    return t->part == IA_PART_CONTROL ? PIECE_CONTROL
           : t->role == IA_ROLE_IMAGE ? PIECE_IMAGE
                                      : PIECE_TEXT;
}

/* The owner's label with the pieces of one kind that it does not already say. */
static void put_pieces(const struct ia_build *b, const struct ia_build_item *it,
                       enum piece kind, struct ia_buf *buf)
{
    struct ia_buf piece = IA_BUF(PIECES_BYTES_MAX);
    const struct ia_build_item *before = NULL;
    for (int32_t i = it->pieces; i >= 0; i = b->items[i].next_piece) {
        const struct ia_build_item *t = &b->items[i];
        if (piece_of(b, t) != kind) {
            continue;
        }
        ia_buf_reset(&piece);
        put_piece(t, &piece);
        const char *text = ia_buf_cstr(&piece);
        if (!(it->label && ia_phrase_has(it->label, text)) &&
            !(it->value && ia_phrase_has(it->value, text)) && !repeats(b, t, before, text)) {
            ia_buf_puts(buf, buf->len ? ", " : "");
            ia_buf_puts(buf, text);
            before = t;
        }
    }
    ia_buf_fini(&piece);
}

void ia_build_join(struct ia_build *b, struct ia_build_item *it)
{
    struct ia_buf buf = IA_BUF(PIECES_BYTES_MAX);
    ia_buf_puts(&buf, it->label);
    put_pieces(b, it, PIECE_TEXT, &buf);
    for (enum piece kind = PIECE_CONTROL; kind < PIECES && buf.len == 0; kind++) {
        put_pieces(b, it, kind, &buf); /* the others speak only where no text does */
    }
    if (buf.len > 0) {
        size_t n = ia_utf8_cut(buf.p, buf.len);
        it->label = ia_arena_str(&b->s->arena, buf.p, n);
    }
    ia_buf_fini(&buf);
}
