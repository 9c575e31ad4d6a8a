/* text.c: typing, clearing, and reading back what a field then says. */
#include "core/impl.h"

#include <stdlib.h>
#include <string.h>

enum { SECURE_FIELD = 50, TEXT_VIEW = 52, CLEAR_TRIES = 3 };

/* ---- characters ---- */

static uint32_t code_point(const char *s, size_t *ret_len)
{
    const unsigned char *p = (const unsigned char *)s;
    size_t len = p[0] < 0x80 ? 1 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    uint32_t c = len == 1 ? p[0] : p[0] & (0xffu >> (len + 1));
    for (size_t i = 1; i < len; i++) {
        c = c << 6 | (p[i] & 0x3fu);
    }
    *ret_len = len;
    return c;
}

/* Whether it belongs to the character before it: marks, joiners, skin tones, flags. */
static bool joins(uint32_t c)
{
    static const struct {
        uint32_t from, to;
    } ranges[] = {{0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},     {0x610, 0x61a},
                  {0x64b, 0x65f},   {0x900, 0x903},   {0x93a, 0x94f},     {0xe31, 0xe3a},
                  {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200d, 0x200d},   {0x20d0, 0x20ff},
                  {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0x1f3fb, 0x1f3ff}, {0xe0020, 0xe007f}};
    for (size_t i = 0; i < IA_BRIDGE_COUNTOF(ranges); i++) {
        if (c >= ranges[i].from && c <= ranges[i].to) {
            return true;
        }
    }
    return false;
}

/* Length of the first character as people count them, roughly: what is typed and deleted as
 * one.
 */
static size_t character(const char *s)
{
    size_t n, len;
    uint32_t c = code_point(s, &n);
    bool flag = c >= 0x1f1e6 && c <= 0x1f1ff;
    while (s[n]) {
        uint32_t last = c;
        c = code_point(s + n, &len);
        bool second_flag = flag && c >= 0x1f1e6 && c <= 0x1f1ff;
        if (!joins(c) && last != 0x200d && !second_flag) {
            break;
        }
        flag = false;
        n += len;
    }
    return n;
}

static uint32_t characters(const char *s)
{
    uint32_t n = 0;
    for (; s && *s; s += character(s)) {
        n++;
    }
    return n;
}

/* ---- typing ---- */

/* One piece. A failure becomes the reply's, which keeps what was typed before it. */
static bool type_piece(struct ia_bridge_doing *d, const char *piece, size_t n,
                       struct ia_wire_reply *reply)
{
    struct ia_wire_request req = {.op = IA_WIRE_OP_TYPE_TEXT, .id = reply->id};
    struct ia_wire_reply done;
    uint32_t before = reply->u.typed.count;
    req.u.type_text.text = ia_wire_text(&req.arena, piece, n, IA_WIRE_TYPED_MAX);
    if (!req.u.type_text.text) {
        ia_wire_reply_fail(reply, IA_WIRE_E_MEMORY, IA_WIRE_NOT_SENT, true, "no memory");
        return false;
    }
    ia_bridge_primitive(d, &req, &done);
    bool ok = done.code == IA_WIRE_OK;
    if (ok) {
        reply->u.typed.count = before + characters(req.u.type_text.text);
    } else {
        ia_bridge_pass_on(reply, &done);
        reply->u.typed.count = before + (done.has_body ? done.u.typed.count : 0);
        reply->has_body = reply->u.typed.count > 0;
        if (reply->has_body && reply->outcome == IA_WIRE_NOT_SENT) {
            reply->outcome = IA_WIRE_SENT;
            reply->retry_safe = false;
        }
    }
    ia_wire_reply_fini(&done);
    ia_wire_arena_fini(&req.arena);
    return ok;
}

/* An empty text is a piece as well: the back end says whether there is a keyboard. */
void ia_bridge_type(struct ia_bridge_doing *d, const char *text, struct ia_wire_reply *reply)
{
    do {
        size_t n = 0;
        for (int i = 0; i < IA_BRIDGE_PIECE_CHARS && text[n]; i++) {
            n += character(text + n);
        }
        if (!type_piece(d, text, n, reply)) {
            return;
        }
        text += n;
    } while (*text);
    ia_wire_reply_ok(reply, true);
}

/* ---- fields ---- */

/* A field while it is filled. */
struct field {
    struct ia_bridge_doing *d;
    const struct ia_wire_target *target;
    struct ia_bridge_spot spot;
    struct ia_wire_reply *reply;
    int64_t until_us; /* for focus */
    bool sent;        /* something has been sent already */
};

/* Makes the failure that the reply is one of the whole operation: after a first tap nothing is
 * "not sent" any more. */
static bool failed(struct field *f)
{
    if (f->sent && f->reply->outcome <= IA_WIRE_NOT_SENT) {
        f->reply->outcome = IA_WIRE_SENT;
        f->reply->retry_safe = false;
    }
    if (f->reply->has_body) { /* it was that of a part */
        f->reply->has_body = false;
        f->reply->u = (union ia_wire_reply_body){0};
    }
    return false;
}

/* What the field says, "" when it is empty: a placeholder is no text. */
static const char *said(const struct ia_bridge_spot *s)
{
    if (!s->value || (s->placeholder && strcmp(s->value, s->placeholder) == 0)) {
        return "";
    }
    return s->value;
}

static bool rest(struct field *f, int64_t until_us)
{
    return ia_bridge_rest(f->d, f->d->bridge->opt.poll_ms * INT64_C(1000), until_us);
}

static bool reread(struct field *f)
{
    if (!ia_bridge_reread(f->d, f->target, &f->spot)) {
        ia_wire_reply_fail(f->reply, IA_WIRE_E_TREE_MALFORMED, IA_WIRE_NOT_SENT, false,
                           "the screen could not be read");
        return failed(f);
    }
    return true;
}

/* Taps the field where it ends, so that the cursor comes after the text. */
static bool tap_end(struct field *f)
{
    if (f->spot.seen != IA_WIRE_OK) {
        ia_bridge_refuse(f->reply, f->target, f->spot.seen);
        return failed(f);
    }
    struct ia_wire_rect r = f->spot.frame;
    struct ia_wire_point end = {r.x + r.w - (r.w > 12 ? 4 : r.w / 2), f->spot.at.y};
    if (f->spot.type == TEXT_VIEW) {
        end.y = r.y + r.h - (r.h > 12 ? 4 : r.h / 2);
    }
    if (!ia_bridge_tap(f->d, end, 1, f->reply)) {
        return failed(f);
    }
    f->sent = true;
    return true;
}

/* What has the keyboard, where no field is named. */
static bool focused_already(struct field *f)
{
    if (!reread(f)) {
        return false;
    }
    if (f->spot.flags & IA_WIRE_NODE_FOCUSED) {
        return true;
    }
    ia_wire_reply_fail(f->reply, IA_WIRE_E_NO_KEYBOARD, IA_WIRE_NOT_SENT, false,
                       "no element is known to have the keyboard, and no field is named");
    return false;
}

/* Not every device tells what has the keyboard; where one does, it must be this field. */
static bool await_focus(struct field *f)
{
    do {
        if (!reread(f)) {
            return false;
        }
    } while (f->spot.elsewhere && rest(f, f->until_us));
    if (f->spot.elsewhere) {
        ia_wire_reply_fail(f->reply, IA_WIRE_E_NO_KEYBOARD, IA_WIRE_SENT, false,
                           "the field was tapped, and another element has the keyboard");
        return failed(f);
    }
    return true;
}

static bool focus(struct field *f, uint32_t timeout_ms)
{
    if (!f->target->signature && !f->target->selector) {
        return focused_already(f);
    }
    if (!ia_bridge_steady(f->d, f->target, timeout_ms, &f->spot, f->reply)) {
        return false;
    }
    if (f->spot.flags & IA_WIRE_NODE_FOCUSED) {
        return true;
    }
    if (!ia_bridge_tap(f->d, f->spot.at, 1, f->reply)) {
        return failed(f);
    }
    f->sent = true;
    return await_focus(f);
}

/* The keyboard may need a moment after the tap: while there is none, it is tried again. */
static bool patiently(struct field *f, const struct ia_wire_request *req, const char *text)
{
    for (;;) {
        struct ia_wire_reply part = {.op = req ? req->op : IA_WIRE_OP_TYPE_TEXT};
        if (req) {
            ia_bridge_primitive(f->d, req, &part);
        } else {
            ia_bridge_type(f->d, text, &part);
        }
        bool ok = part.code == IA_WIRE_OK;
        bool again = part.code == IA_WIRE_E_NO_KEYBOARD && part.outcome == IA_WIRE_NOT_SENT;
        f->sent = f->sent || part.outcome == IA_WIRE_SENT;
        if (!ok && !again) {
            ia_bridge_pass_on(f->reply, &part);
        }
        ia_wire_reply_fini(&part);
        if (!again) {
            return ok || failed(f);
        }
        if (!rest(f, f->until_us)) {
            ia_wire_reply_fail(f->reply, IA_WIRE_E_NO_KEYBOARD, IA_WIRE_NOT_SENT, false,
                               "the field was tapped and got no keyboard");
            return failed(f);
        }
    }
}

static bool empty_field(struct field *f)
{
    for (int i = 0; i < CLEAR_TRIES; i++) {
        uint32_t n = characters(said(&f->spot));
        if (n == 0) {
            return true;
        }
        struct ia_wire_request req = {.op = IA_WIRE_OP_DELETE_TEXT, .id = f->reply->id};
        req.u.delete_text.count = n;
        if ((i > 0 && !tap_end(f)) || !patiently(f, &req, NULL)) {
            return false;
        }
        int64_t until = ia_bridge_clock(f->d) + f->d->bridge->opt.verify_ms * INT64_C(250);
        do {
            if (!reread(f)) {
                return false;
            }
        } while (said(&f->spot)[0] && rest(f, until));
    }
    if (said(&f->spot)[0] == 0) {
        return true;
    }
    ia_wire_reply_fail(f->reply, IA_WIRE_E_TEXT_MISMATCH, IA_WIRE_SENT, false,
                       "the field could not be emptied, it reads '%.200s'", said(&f->spot));
    return failed(f);
}

/* ---- read-back ---- */

/* What the field is to say: return is no text except in a text view. */
static char *expected(const struct field *f, const char *old, const char *text)
{
    size_t n = strlen(old), m = strlen(text);
    char *want = malloc(n + m + 1);
    if (!want) {
        return NULL;
    }
    memcpy(want, old, n);
    size_t to = n;
    for (size_t i = 0; i < m; i++) {
        if (text[i] != '\n' || f->spot.type == TEXT_VIEW) {
            want[to++] = text[i];
        }
    }
    want[to] = 0;
    return want;
}

static bool reads_as(const struct field *f, const char *want)
{
    const char *now = said(&f->spot);
    if (f->spot.type == SECURE_FIELD) {
        return characters(now) == characters(want);
    }
    /* A tree cuts texts that are very long. */
    size_t n = strlen(now);
    return n >= IA_WIRE_TEXT_MAX - 4 ? strncmp(now, want, n) == 0 : strcmp(now, want) == 0;
}

static bool read_back(struct field *f, const char *want)
{
    int64_t until = ia_bridge_clock(f->d) + f->d->bridge->opt.verify_ms * INT64_C(1000);
    bool good;
    do {
        if (!reread(f)) {
            return false;
        }
        good = reads_as(f, want);
    } while (!good && rest(f, until));
    struct ia_wire_text_reply *to = &f->reply->u.text;
    to->secure = f->spot.type == SECURE_FIELD;
    to->value = ia_wire_str(&f->reply->arena, said(&f->spot));
    if (!good) {
        ia_wire_reply_fail(f->reply, IA_WIRE_E_TEXT_MISMATCH, IA_WIRE_SENT, true,
                           to->secure ? "the field holds another number of characters"
                                      : "the field reads '%.200s'",
                           said(&f->spot));
    }
    return good;
}

static struct field field_of(struct ia_bridge_doing *d, const struct ia_wire_target *target,
                             uint32_t timeout_ms, struct ia_wire_reply *reply)
{
    uint32_t least = d->bridge->opt.verify_ms;
    return (struct field){.d = d,
                          .target = target,
                          .reply = reply,
                          .until_us =
                              ia_bridge_until(d, timeout_ms > least ? timeout_ms : least)};
}

void ia_bridge_clear(struct ia_bridge_doing *d, const struct ia_wire_request *req,
                     struct ia_wire_reply *reply)
{
    const struct ia_wire_clear *c = &req->u.clear;
    struct field f = field_of(d, &c->target, c->timeout_ms, reply);
    if (ia_bridge_target_sound(&c->target, true, reply) && focus(&f, c->timeout_ms) &&
        empty_field(&f)) {
        reply->u.text =
            (struct ia_wire_text_reply){.value = "", .secure = f.spot.type == SECURE_FIELD};
        ia_wire_reply_ok(reply, true);
    }
    ia_bridge_spot_fini(&f.spot);
}

static bool fill(struct field *f, const struct ia_wire_set_text *s)
{
    bool append = s->flags & IA_WIRE_TEXT_APPEND;
    char *want = NULL;
    bool ok = append || empty_field(f);
    if (ok) {
        want = expected(f, append ? said(&f->spot) : "", s->text);
        ok = want && (!s->text[0] || patiently(f, NULL, s->text));
    }
    if (ok && !(s->flags & IA_WIRE_TEXT_UNVERIFIED)) {
        ok = read_back(f, want);
    }
    free(want);
    return ok && (!(s->flags & IA_WIRE_TEXT_SUBMIT) || patiently(f, NULL, "\n"));
}

void ia_bridge_set_text(struct ia_bridge_doing *d, const struct ia_wire_request *req,
                        struct ia_wire_reply *reply)
{
    const struct ia_wire_set_text *s = &req->u.set_text;
    struct field f = field_of(d, &s->target, s->timeout_ms, reply);
    if (ia_bridge_target_sound(&s->target, true, reply) && focus(&f, s->timeout_ms) &&
        fill(&f, s)) {
        ia_wire_reply_ok(reply, true);
    }
    ia_bridge_spot_fini(&f.spot);
}
