/* result.c: texts and pictures within the limits of the clients that show them. */
#include "agent/prompts/fence.h"
#include "base/base64.h"
#include "driver/image/image.h"
#include "server/mcp/mcp_impl.h"

#include <string.h>

enum { FENCE_BYTES = 64, NOTE_BYTES = 80 };

/* The last line end within max bytes, so that no line is cut in two. */
static struct ia_str cut_lines(struct ia_str text, size_t max)
{
    size_t n = max;
    while (n > 0 && text.p[n - 1] != '\n') {
        n--;
    }
    return (struct ia_str){text.p, n > 0 ? n : max};
}

void ia_mcp_put_text(struct ia_mcp_result *ret, struct ia_str text, bool fence)
{
    char boundary[IA_BOUNDARY_SIZE];
    size_t used = ret->text.len + FENCE_BYTES + NOTE_BYTES;
    size_t max = used < IA_MCP_TEXT_MAX ? IA_MCP_TEXT_MAX - used : 0;
    struct ia_str shown = text.n > max ? cut_lines(text, max) : text;
    if (ret->text.len > 0 && ret->text.p[ret->text.len - 1] != '\n') {
        ia_buf_putc(&ret->text, '\n');
    }
    if (fence) {
        ia_fence_boundary(ia_rand_system(), boundary);
        ia_fence(&ret->text, boundary, shown);
    } else {
        ia_buf_putstr(&ret->text, shown);
    }
    if (shown.n < text.n) {
        ia_buf_printf(&ret->text, "\n(%zu bytes more are left out)", text.n - shown.n);
    }
}

/* Half the size until it fits. *ret_parts: so many times it was halved. */
static enum ia_rc shrink(struct ia_str png, struct ia_buf *out, int *ret_halved,
                         struct ia_err *err)
{
    enum { HALVED_MAX = 4 };
    int width = 0, height = 0;
    enum ia_rc rc = ia_png_size(png, &width, &height, err);
    ia_buf_putstr(out, png);
    for (*ret_halved = 0;
         rc == IA_OK && IA_BASE64_SIZE(out->len) > IA_MCP_IMAGE_MAX && *ret_halved < HALVED_MAX;
         (*ret_halved)++) {
        width = (width + 1) / 2;
        height = (height + 1) / 2;
        ia_buf_reset(out);
        rc = ia_png_scale(png, width, height, out, err);
    }
    return rc;
}

enum ia_rc ia_mcp_put_image(struct ia_mcp_result *ret, struct ia_str png, struct ia_err *err)
{
    struct ia_buf small = IA_BUF(IA_PNG_BYTES_MAX);
    int halved = 0;
    enum ia_rc rc = shrink(png, &small, &halved, err);
    if (rc == IA_OK) {
        ia_mcp_result_blob(ret, "image", "image/png", ia_buf_str(&small));
        if (halved > 0) {
            ia_buf_printf(&ret->text, "\n(one pixel of the picture is %d points)", 1 << halved);
        }
    }
    ia_buf_fini(&small);
    return rc;
}

void ia_mcp_put_structured(const struct ia_mcp_call *call, struct ia_mcp_result *ret,
                           struct ia_str json)
{
    if (!call->peer->structured || json.n == 0) {
        return;
    }
    bool object = json.p[0] == '{';
    ia_buf_puts(&ret->structured, object ? "" : "{\"result\":");
    ia_buf_putstr(&ret->structured, json);
    ia_buf_puts(&ret->structured, object ? "" : "}");
}
