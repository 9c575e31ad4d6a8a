/* text.c: TYPE_TEXT, SET_TEXT and CLEAR.
 *
 *   SET_TEXT:  focus --> empty --> type in chunks --> read back --> return key, if asked for
 *   CLEAR:     focus --> empty
 *   focus:     wait until steady --> tap --> until nothing else has the keyboard
 *   empty:     delete as many characters as the field shows, read again; CLEAR_TRIES times
 *
 * After the first tap no failure is "not sent" any more (fail_field). */
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

/* Whether it belongs to the character before it: combining marks, joiners, skin tones, tags. */
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

/* Bytes of the first character as people count them, roughly: what one press of the delete key
 * removes. The whole of Unicode's rules for it would need a table of many kilobytes. */
static size_t character_len(const char *s)
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

static uint32_t count_characters(const char *s)
{
    uint32_t n = 0;
    for (; s && *s; s += character_len(s)) {
        n++;
    }
    return n;
}

/* ---- typing ---- */

/* Types one chunk. A failure becomes that of the reply, which still counts what was typed
 * before it. */
static bool type_chunk(struct ia_bridge_ctx *ctx, const char *chunk, size_t n,
                       struct ia_wire_reply *reply)
{
    struct ia_wire_request req = {.op = IA_WIRE_OP_TYPE_TEXT, .id = reply->id};
    struct ia_wire_reply done;
    uint32_t before = reply->u.typed.count;
    req.u.type_text.text = ia_wire_text(&req.arena, chunk, n, IA_WIRE_TYPED_MAX);
    if (!req.u.type_text.text) {
        ia_wire_reply_fail(reply, IA_WIRE_E_MEMORY, IA_WIRE_NOT_SENT, true, "out of memory");
        return false;
    }
    ia_bridge_primitive(ctx, &req, &done);
    bool ok = done.code == IA_WIRE_OK;
    if (ok) {
        reply->u.typed.count = before + count_characters(req.u.type_text.text);
    } else {
        ia_bridge_copy_failure(reply, &done);
        reply->u.typed.count = before + (done.has_body ? done.u.typed.count : 0);
        reply->has_body = reply->u.typed.count > 0;
        /* This chunk was not sent, but others were: the text is in the field in part. */
        if (reply->has_body && reply->outcome == IA_WIRE_NOT_SENT) {
            reply->outcome = IA_WIRE_SENT;
            reply->retry_safe = false;
        }
    }
    ia_wire_reply_fini(&done);
    ia_wire_arena_fini(&req.arena);
    return ok;
}

/* An empty text is sent as well: then the back end reports whether there is a keyboard. */
void ia_bridge_type(struct ia_bridge_ctx *ctx, const char *text, struct ia_wire_reply *reply)
{
    do {
        size_t n = 0;
        for (int i = 0; i < IA_BRIDGE_CHUNK_CHARS && text[n]; i++) {
            n += character_len(text + n);
        }
        if (!type_chunk(ctx, text, n, reply)) {
            return;
        }
        text += n;
    } while (*text);
    ia_wire_reply_ok(reply, true);
}

/* ---- fields ---- */

/* A field while it is being filled. */
struct field {
    struct ia_bridge_ctx *ctx;
    const struct ia_wire_target *target;
    struct ia_bridge_spot spot;
    struct ia_wire_reply *reply;
    int64_t until_us; /* how long to wait for the keyboard */
    bool sent;        /* an effect was sent already */
};

/* Turns the failure of a part, which the reply is, into one of the whole operation. Returns
 * false, for its callers to return. */
static bool fail_field(struct field *f)
{
    if (f->sent && f->reply->outcome <= IA_WIRE_NOT_SENT) {
        f->reply->outcome = IA_WIRE_SENT;
        f->reply->retry_safe = false;
    }
    if (f->reply->has_body) { /* the body of the part, not of SET_TEXT */
        f->reply->has_body = false;
        f->reply->u = (union ia_wire_reply_body){0};
    }
    return false;
}

/* The text in the field. An empty field often reports its placeholder as its value. */
static const char *field_text(const struct ia_bridge_spot *s)
{
    if (!s->value || (s->placeholder && strcmp(s->value, s->placeholder) == 0)) {
        return "";
    }
    return s->value;
}

static bool pause_before_poll(struct field *f, int64_t until_us)
{
    return ia_bridge_sleep(f->ctx, f->ctx->bridge->opt.poll_ms * INT64_C(1000), until_us);
}

static bool reread(struct field *f)
{
    if (!ia_bridge_reread(f->ctx, f->target, &f->spot)) {
        ia_wire_reply_fail(f->reply, IA_WIRE_E_TREE_MALFORMED, IA_WIRE_NOT_SENT, false,
                           "the screen could not be read");
        return fail_field(f);
    }
    return true;
}

/* Taps near the end of the field, which puts the cursor behind the text. */
static bool tap_end(struct field *f)
{
    if (f->spot.visibility != IA_WIRE_OK) {
        ia_bridge_fail_target(f->reply, f->target, f->spot.visibility);
        return fail_field(f);
    }
    struct ia_wire_rect r = f->spot.frame;
    struct ia_wire_point end = {r.x + r.w - (r.w > 12 ? 4 : r.w / 2), f->spot.at.y};
    if (f->spot.type == TEXT_VIEW) {
        end.y = r.y + r.h - (r.h > 12 ? 4 : r.h / 2);
    }
    if (!ia_bridge_tap(f->ctx, end, 1, f->reply)) {
        return fail_field(f);
    }
    f->sent = true;
    return true;
}

/* Without a named field, the text goes to whichever has the keyboard. */
static bool require_focus(struct field *f)
{
    if (!reread(f)) {
        return false;
    }
    if (f->spot.flags & IA_WIRE_NODE_FOCUSED) {
        return true;
    }
    ia_wire_reply_fail(
        f->reply, IA_WIRE_E_NO_KEYBOARD, IA_WIRE_NOT_SENT, false,
        "no field is named and none is known to have the keyboard; name one, or tap it first");
    return false;
}

/* Not every device reports which element has the keyboard. If one does, it has to be this
 * field. */
static bool await_focus(struct field *f)
{
    do {
        if (!reread(f)) {
            return false;
        }
    } while (f->spot.focus_elsewhere && pause_before_poll(f, f->until_us));
    if (f->spot.focus_elsewhere) {
        ia_wire_reply_fail(f->reply, IA_WIRE_E_NO_KEYBOARD, IA_WIRE_SENT, false,
                           "the field was tapped, but another element has the keyboard");
        return fail_field(f);
    }
    return true;
}

static bool focus(struct field *f, uint32_t timeout_ms)
{
    if (!f->target->signature && !f->target->selector) {
        return require_focus(f);
    }
    if (!ia_bridge_wait_until_steady(f->ctx, f->target, timeout_ms, &f->spot, f->reply)) {
        return false;
    }
    if (f->spot.flags & IA_WIRE_NODE_FOCUSED) {
        return true;
    }
    if (!ia_bridge_tap(f->ctx, f->spot.at, 1, f->reply)) {
        return fail_field(f);
    }
    f->sent = true;
    return await_focus(f);
}

/* Sends `req`, or types `text` when it is NULL. The keyboard may need a moment to appear after
 * the tap, so it is retried while there is none; nothing was sent then, so that is safe. */
static bool retry_until_keyboard(struct field *f, const struct ia_wire_request *req,
                                 const char *text)
{
    for (;;) {
        struct ia_wire_reply part = {.op = req ? req->op : IA_WIRE_OP_TYPE_TEXT};
        if (req) {
            ia_bridge_primitive(f->ctx, req, &part);
        } else {
            ia_bridge_type(f->ctx, text, &part);
        }
        bool ok = part.code == IA_WIRE_OK;
        bool no_keyboard =
            part.code == IA_WIRE_E_NO_KEYBOARD && part.outcome == IA_WIRE_NOT_SENT;
        f->sent = f->sent || part.outcome == IA_WIRE_SENT;
        if (!ok && !no_keyboard) {
            ia_bridge_copy_failure(f->reply, &part);
        }
        ia_wire_reply_fini(&part);
        if (!no_keyboard) {
            return ok || fail_field(f);
        }
        if (!pause_before_poll(f, f->until_us)) {
            ia_wire_reply_fail(f->reply, IA_WIRE_E_NO_KEYBOARD, IA_WIRE_NOT_SENT, false,
                               "the field was tapped but no keyboard appeared");
            return fail_field(f);
        }
    }
}

static bool clear_field(struct field *f)
{
    for (int i = 0; i < CLEAR_TRIES; i++) {
        uint32_t n = count_characters(field_text(&f->spot));
        if (n == 0) {
            return true;
        }
        struct ia_wire_request req = {.op = IA_WIRE_OP_DELETE_TEXT, .id = f->reply->id};
        req.u.delete_text.count = n;
        if ((i > 0 && !tap_end(f)) || !retry_until_keyboard(f, &req, NULL)) {
            return false;
        }
        int64_t until = ia_bridge_clock(f->ctx) + f->ctx->bridge->opt.verify_ms * INT64_C(250);
        do {
            if (!reread(f)) {
                return false;
            }
        } while (field_text(&f->spot)[0] && pause_before_poll(f, until));
    }
    if (field_text(&f->spot)[0] == 0) {
        return true;
    }
    ia_wire_reply_fail(f->reply, IA_WIRE_E_TEXT_MISMATCH, IA_WIRE_SENT, false,
                       "the field could not be emptied; it still reads '%.200s'",
                       field_text(&f->spot));
    return fail_field(f);
}

/* ---- read-back ---- */

/* What the field should read. Outside a text view the return key submits, and is no text. */
static char *expected_text(const struct field *f, const char *old, const char *text)
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
    const char *now = field_text(&f->spot);
    if (f->spot.type == SECURE_FIELD) {
        return count_characters(now) == count_characters(want);
    }
    /* A snapshot cuts very long texts, so only what is there can be compared. */
    size_t n = strlen(now);
    return n >= IA_WIRE_TEXT_MAX - 4 ? strncmp(now, want, n) == 0 : strcmp(now, want) == 0;
}

static bool verify_text(struct field *f, const char *want)
{
    int64_t until = ia_bridge_clock(f->ctx) + f->ctx->bridge->opt.verify_ms * INT64_C(1000);
    bool matches;
    do {
        if (!reread(f)) {
            return false;
        }
        matches = reads_as(f, want);
    } while (!matches && pause_before_poll(f, until));
    struct ia_wire_text_reply *to = &f->reply->u.text;
    to->secure = f->spot.type == SECURE_FIELD;
    to->value = ia_wire_str(&f->reply->arena, field_text(&f->spot));
    if (!matches) {
        ia_wire_reply_fail(f->reply, IA_WIRE_E_TEXT_MISMATCH, IA_WIRE_SENT, true,
                           to->secure ? "the field holds a different number of characters"
                                      : "the field reads '%.200s'",
                           field_text(&f->spot));
    }
    return matches;
}

static struct field field_new(struct ia_bridge_ctx *ctx, const struct ia_wire_target *target,
                              uint32_t timeout_ms, struct ia_wire_reply *reply)
{
    uint32_t least = ctx->bridge->opt.verify_ms;
    return (struct field){.ctx = ctx,
                          .target = target,
                          .reply = reply,
                          .until_us =
                              ia_bridge_until(ctx, timeout_ms > least ? timeout_ms : least)};
}

void ia_bridge_clear(struct ia_bridge_ctx *ctx, const struct ia_wire_request *req,
                     struct ia_wire_reply *reply)
{
    const struct ia_wire_clear *c = &req->u.clear;
    struct field f = field_new(ctx, &c->target, c->timeout_ms, reply);
    if (ia_bridge_check_target(&c->target, true, reply) && focus(&f, c->timeout_ms) &&
        clear_field(&f)) {
        reply->u.text =
            (struct ia_wire_text_reply){.value = "", .secure = f.spot.type == SECURE_FIELD};
        ia_wire_reply_ok(reply, true);
    }
    ia_bridge_spot_fini(&f.spot);
}

/* Types the text into the focused field and verifies it. */
static bool fill_field(struct field *f, const struct ia_wire_set_text *s)
{
    bool append = s->flags & IA_WIRE_TEXT_APPEND;
    if (!append && !clear_field(f)) {
        return false;
    }
    char *want = expected_text(f, append ? field_text(&f->spot) : "", s->text);
    bool ok = want && (!s->text[0] || retry_until_keyboard(f, NULL, s->text)) &&
              ((s->flags & IA_WIRE_TEXT_UNVERIFIED) || verify_text(f, want));
    free(want);
    /* The return key often leaves the screen, so it comes last. */
    return ok && (!(s->flags & IA_WIRE_TEXT_SUBMIT) || retry_until_keyboard(f, NULL, "\n"));
}

void ia_bridge_set_text(struct ia_bridge_ctx *ctx, const struct ia_wire_request *req,
                        struct ia_wire_reply *reply)
{
    const struct ia_wire_set_text *s = &req->u.set_text;
    struct field f = field_new(ctx, &s->target, s->timeout_ms, reply);
    if (ia_bridge_check_target(&s->target, true, reply) && focus(&f, s->timeout_ms) &&
        fill_field(&f, s)) {
        ia_wire_reply_ok(reply, true);
    }
    ia_bridge_spot_fini(&f.spot);
}
