/* history.c: the messages of a conversation, checked once and then kept byte for byte.
 *
 * A message is one text, the blocks joined by commas; blocks and images are offsets into it:
 *
 *     text    {"type":"tool_result",…,"content":[{"type":"image","source":{"type":"ia_file",…}}]}
 *             └ block ───────────────────────────┴ image: offset, length without its last "}" ┘ ┘
 *
 * The writer of the request replaces the image's part by base64 of the file, and may put
 * cache_control before a closing brace. That is why the brace is outside the image's length.
 *
 * Nothing in a message is ever re-serialised: the prompt cache is hit only by the same
 * bytes, and signed thinking is valid only in them. Dropping an image is the one change that
 * is made afterwards. */
#include "agent/claude/history.h"

#include "agent/claude/jscan.h"
#include "agent/claude/models.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The API takes 10 MB of base64 for one image. */
#define IMAGE_FILE_MAX ((int64_t)10 * 1000 * 1000 / 4 * 3)
enum { UNKNOWN_IMAGE_TOKENS = 1568, BYTES_PER_TOKEN = 3, BLOCKS_MAX = 100000 };

struct ia_history *ia_history_new(const char *image_root)
{
    struct ia_history *h = ia_calloc(1, sizeof(*h));
    h->root = ia_strdup(image_root ? image_root : ".");
    return h;
}

static void message_fini(struct ia_hist_message *m)
{
    for (size_t i = 0; i < m->image_count; i++) {
        free(m->images[i].path);
    }
    free(m->images);
    free(m->blocks);
    free(m->text);
}

void ia_history_clear(struct ia_history *h)
{
    for (size_t i = 0; i < h->count; i++) {
        message_fini(&h->messages[i]);
    }
    h->count = 0;
    h->bytes = 0;
}

void ia_history_free(struct ia_history *h)
{
    if (!h) {
        return;
    }
    ia_history_clear(h);
    free(h->messages);
    free(h->root);
    free(h);
}

static bool type_is(struct ia_str block, const char *quoted)
{
    return ia_str_is(ia_json_get(block, "type"), quoted);
}

static bool known_media_type(const char *type)
{
    static const char *const types[] = {"image/png", "image/jpeg", "image/gif", "image/webp"};
    for (size_t i = 0; i < IA_COUNTOF(types); i++) {
        if (strcmp(type, types[i]) == 0) {
            return true;
        }
    }
    return false;
}

static char *resolve(const char *root, const char *path)
{
    if (path[0] == '/') {
        return ia_strdup(path);
    }
    struct ia_buf b = IA_BUF(4096);
    ia_buf_printf(&b, "%s/%s", root, path);
    return ia_buf_steal(&b);
}

static enum ia_rc check_file(const char *path, struct ia_err *err)
{
    /* Checked when it is added, so that the run learns of it while it can still do
     * something; it is read only when the body is sent. */
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size == 0) {
        return ia_err_set(err, IA_E_IO, "cannot send the image %s: it is not a readable file",
                          path);
    }
    if (st.st_size > IMAGE_FILE_MAX) {
        return ia_err_set(err, IA_E_LIMIT,
                          "cannot send the image %s: it is larger than %lld bytes", path,
                          (long long)IMAGE_FILE_MAX);
    }
    return IA_OK;
}

/* Notes an image block whose source is a file of ours; other images are sent as they are. */
static enum ia_rc note_image(const struct ia_history *h, struct ia_hist_message *m,
                             struct ia_str image, size_t offset, struct ia_err *err)
{
    struct ia_str source = ia_json_get(image, "source");
    if (!type_is(image, "\"image\"") || !type_is(source, "\"ia_file\"")) {
        return IA_OK;
    }
    char *path = ia_json_get_string(source, "path");
    char *media = ia_json_get_string(source, "media_type");
    enum ia_rc rc = IA_OK;
    if (!path || !path[0] || !media || !known_media_type(media)) {
        rc = ia_err_set(err, IA_E_USAGE,
                        "an image of the history names no file or an unknown type");
        goto out;
    }
    struct ia_hist_image made = {.offset = offset,
                                 .length = image.n - 1,
                                 .path = resolve(h->root, path),
                                 .width_px = (int)ia_json_get_int(source, "width", 0),
                                 .height_px = (int)ia_json_get_int(source, "height", 0)};
    memcpy(made.media_type, media, strlen(media) + 1);
    rc = check_file(made.path, err);
    if (rc) {
        free(made.path);
        goto out;
    }
    m->images = ia_realloc(m->images, m->image_count + 1, sizeof(*m->images));
    m->images[m->image_count++] = made;
out:
    free(path);
    free(media);
    return rc;
}

/* The images of one user block: the block itself, or those in a tool_result. */
static enum ia_rc note_images(const struct ia_history *h, struct ia_hist_message *m,
                              struct ia_str block, size_t offset, struct ia_err *err)
{
    struct ia_str content = ia_json_get(block, "content");
    if (!type_is(block, "\"tool_result\"") || content.n == 0 || content.p[0] != '[') {
        return note_image(h, m, block, offset, err);
    }
    struct ia_jwalk w = ia_jwalk(ia_jscan(content), '[');
    struct ia_str item;
    enum ia_rc rc = IA_OK;
    while (!rc && ia_jwalk_item(&w) && ia_jwalk_value(&w, &item)) {
        if (item.p[0] == '{') {
            rc = note_image(h, m, item, offset + (size_t)(item.p - block.p), err);
        }
    }
    return rc;
}

static bool empty_text(struct ia_str block)
{
    return type_is(block, "\"text\"") && ia_str_is(ia_json_get(block, "text"), "\"\"");
}

static enum ia_rc add_block(const struct ia_history *h, struct ia_hist_message *m,
                            struct ia_str block, struct ia_buf *text, struct ia_err *err)
{
    if (block.p[0] != '{') {
        return ia_err_set(err, IA_E_PARSE, "a content block of the history is not an object");
    }
    /* The body places the breakpoints (request.c), and the API allows only four. */
    if (ia_json_get(block, "cache_control").n > 0) {
        return ia_err_set(err, IA_E_USAGE,
                          "a content block of the history carries its own cache_control");
    }
    /* The API refuses an empty text block, though it may send one. */
    if (empty_text(block)) {
        return IA_OK;
    }
    ia_buf_puts(text, m->block_count ? "," : "");
    struct ia_hist_block made = {.offset = text->len,
                                 .length = block.n,
                                 .thinking = type_is(block, "\"thinking\"") ||
                                             type_is(block, "\"redacted_thinking\"")};
    ia_buf_putstr(text, block);
    if (m->block_count == BLOCKS_MAX) {
        return ia_err_set(err, IA_E_LIMIT, "a message has more than %d content blocks",
                          BLOCKS_MAX);
    }
    m->blocks = ia_realloc(m->blocks, m->block_count + 1, sizeof(*m->blocks));
    m->blocks[m->block_count++] = made;
    /* Only our own messages can name files of ours: an answer must not make the client read
     * one. */
    return m->role == IA_MESSAGE_USER ? note_images(h, m, block, made.offset, err) : IA_OK;
}

static enum ia_rc read_message(const struct ia_history *h, struct ia_str blocks,
                               struct ia_hist_message *m, struct ia_err *err)
{
    /* What is left of the whole history's limit, so that one check covers both. */
    struct ia_buf text = IA_BUF(IA_HISTORY_MAX - h->bytes);
    struct ia_jwalk w = ia_jwalk(ia_jscan(blocks), '[');
    struct ia_str block;
    enum ia_rc rc = IA_OK;
    while (!rc && ia_jwalk_item(&w) && ia_jwalk_value(&w, &block)) {
        rc = add_block(h, m, block, &text, err);
    }
    if (!rc && (w.bad || !ia_jscan_end(&w.s))) {
        rc = ia_err_set(err, IA_E_PARSE,
                        "the content of a message is not a JSON array of blocks");
    }
    rc = rc ? rc : ia_buf_check(&text, "the history of the conversation", err);
    m->text_len = text.len;
    m->text = ia_buf_steal(&text);
    return rc;
}

static void push(struct ia_history *h, const struct ia_hist_message *m)
{
    if (h->count == h->cap) {
        h->cap = h->cap ? h->cap * 2 : 16;
        h->messages = ia_realloc(h->messages, h->cap, sizeof(*h->messages));
    }
    h->messages[h->count++] = *m;
    h->bytes += m->text_len;
}

enum ia_rc ia_history_append(struct ia_history *h, enum ia_message_role role,
                             struct ia_str blocks, bool *ret_appended, struct ia_err *err)
{
    struct ia_hist_message m = {.role = role};
    if (h->count == IA_HISTORY_MESSAGES_MAX) {
        return ia_err_set(err, IA_E_LIMIT, "the history has %d messages, which is the limit",
                          IA_HISTORY_MESSAGES_MAX);
    }
    enum ia_rc rc = read_message(h, blocks, &m, err);
    /* An answer without blocks is no message: the API would refuse it. */
    bool keep = !rc && m.block_count > 0;
    if (keep) {
        push(h, &m);
    } else {
        message_fini(&m);
    }
    if (!rc && ret_appended) {
        *ret_appended = keep;
    }
    return rc;
}

enum ia_rc ia_history_append_message(struct ia_history *h, const struct ia_claude_message *m,
                                     bool *ret_appended, struct ia_err *err)
{
    struct ia_buf content = IA_BUF(IA_HISTORY_MAX);
    ia_claude_message_content(m, &content);
    enum ia_rc rc = ia_buf_check(&content, "the answer", err);
    rc = rc ? rc
            : ia_history_append(h, IA_MESSAGE_ASSISTANT, ia_buf_str(&content), ret_appended,
                                err);
    ia_buf_fini(&content);
    return rc;
}

void ia_history_image(struct ia_jsonw *w, const char *path, const char *media_type,
                      int width_px, int height_px)
{
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "type", "image");
    ia_jsonw_key(w, "source");
    ia_jsonw_object(w);
    ia_jsonw_kv(w, "type", "ia_file");
    ia_jsonw_kv(w, "media_type", media_type);
    ia_jsonw_kv(w, "path", path);
    ia_jsonw_kv_int(w, "width", width_px);
    ia_jsonw_kv_int(w, "height", height_px);
    ia_jsonw_end_object(w);
    ia_jsonw_end_object(w);
}

/* Nothing else of the assistant's may come first (request.c checks that). */
bool ia_history_compacted(const struct ia_history *h)
{
    return h->count > 0 && h->messages[0].role == IA_MESSAGE_ASSISTANT;
}

size_t ia_history_count(const struct ia_history *h)
{
    return h->count;
}

size_t ia_history_images(const struct ia_history *h)
{
    size_t n = 0;
    for (size_t i = 0; i < h->count; i++) {
        for (size_t k = 0; k < h->messages[i].image_count; k++) {
            n += !h->messages[i].images[k].dropped;
        }
    }
    return n;
}

size_t ia_history_drop_images(struct ia_history *h, size_t keep)
{
    size_t live = ia_history_images(h);
    size_t drop = live > keep ? live - keep : 0;
    size_t left = drop;
    /* Oldest first: the newest screens are what the model acts on. */
    for (size_t i = 0; i < h->count && left > 0; i++) {
        struct ia_hist_message *m = &h->messages[i];
        for (size_t k = 0; k < m->image_count && left > 0; k++) {
            left -= !m->images[k].dropped;
            m->images[k].dropped = true;
        }
    }
    return drop;
}

static int64_t image_tokens(const struct ia_hist_image *image, bool high_res)
{
    if (image->dropped) {
        return 0;
    }
    if (image->width_px < 1 || image->height_px < 1) {
        return UNKNOWN_IMAGE_TOKENS;
    }
    return ia_image_tokens(image->width_px, image->height_px, high_res).tokens;
}

int64_t ia_history_estimate(const struct ia_history *h, size_t from, bool high_res)
{
    int64_t tokens = 0;
    for (size_t i = from; i < h->count; i++) {
        const struct ia_hist_message *m = &h->messages[i];
        tokens += (int64_t)(m->text_len / BYTES_PER_TOKEN) + 1;
        for (size_t k = 0; k < m->image_count; k++) {
            tokens += image_tokens(&m->images[k], high_res);
        }
    }
    return tokens;
}
