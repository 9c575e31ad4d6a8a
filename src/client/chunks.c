/* chunks.c: a state machine over bytes.
 *
 *   SIZE ─► SIZE_END ─► DATA ─► DATA_END ─► SIZE …      size 0: SIZE_END ─► LAST ─► DONE
 */
#include "client/chunks.h"

/* The next byte of a line end, "\r" then "\n"; `left` says how far it is. *ret_over: it was the last. */
static bool feed_line_end(struct ia_chunks *c, char byte, bool *ret_over)
{
    *ret_over = c->left == 1;
    c->left++;
    return byte == (*ret_over ? '\n' : '\r');
}

static int digit(char byte)
{
    if (byte >= '0' && byte <= '9') {
        return byte - '0';
    }
    byte = (char)(byte | 0x20);
    return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

static void move(struct ia_chunks *c, enum ia_chunks_state state, size_t left)
{
    *c = (struct ia_chunks){.state = state, .left = left};
}

static bool feed_size(struct ia_chunks *c, char byte, size_t max)
{
    int v = digit(byte);
    if (v >= 0) {
        c->digits++;
        c->left = c->left * 16 + (size_t)v;
        return c->left <= max && c->digits <= 8;
    }
    bool over = byte == '\r' && c->digits > 0;
    c->state = over ? IA_CHUNKS_SIZE_END : c->state;
    return over;
}

static bool feed_byte(struct ia_chunks *c, char byte, size_t max)
{
    bool over = false;
    if (c->state == IA_CHUNKS_SIZE) {
        return feed_size(c, byte, max);
    }
    if (c->state == IA_CHUNKS_SIZE_END) {
        move(c, c->left > 0 ? IA_CHUNKS_DATA : IA_CHUNKS_LAST, c->left);
        return byte == '\n';
    }
    if (c->state == IA_CHUNKS_DONE || !feed_line_end(c, byte, &over)) {
        return false;
    }
    if (over) {
        move(c, c->state == IA_CHUNKS_LAST ? IA_CHUNKS_DONE : IA_CHUNKS_SIZE, 0);
    }
    return true;
}

bool ia_chunks_feed(struct ia_chunks *c, struct ia_str bytes, size_t max, struct ia_buf *out)
{
    while (bytes.n > 0) {
        size_t n = 1;
        if (c->state == IA_CHUNKS_DATA) {
            n = bytes.n < c->left ? bytes.n : c->left;
            ia_buf_put(out, bytes.p, n);
            c->left -= n;
            if (c->left == 0) {
                move(c, IA_CHUNKS_DATA_END, 0);
            }
        } else if (!feed_byte(c, *bytes.p, max)) {
            return false;
        }
        bytes = (struct ia_str){bytes.p + n, bytes.n - n};
    }
    return true;
}
