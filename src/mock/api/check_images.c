/* check_images.c: count, size, pixels and media type of images, wherever they stand. */
#include "mock/api/check.h"
#include "mock/api/image.h"

#include <stdio.h>
#include <string.h>

enum {
    PX_MAX = 8000,
    PX_MAX_MANY = 2000,
    MANY = 20,
    COUNT_MAX_200K = 100,
    COUNT_MAX = 600,
    CONTEXT_200K = 200000
};

struct scan {
    size_t count;
    bool over_many_px; /* one has a side over PX_MAX_MANY */
    char many_where[IA_MOCK_WHERE_SIZE + 64];
    struct ia_mock_reject *r;
};

static bool known_media(const char *type)
{
    static const char *const types[] = {"image/jpeg", "image/png", "image/gif", "image/webp"};
    for (size_t i = 0; type && i < IA_COUNTOF(types); i++) {
        if (strcmp(types[i], type) == 0) {
            return true;
        }
    }
    return false;
}

static bool check_pixels(struct scan *s, const struct ia_mock_image *img, const char *where)
{
    int side = img->width_px > img->height_px ? img->width_px : img->height_px;
    if (side > PX_MAX) {
        return ia_mock_refuse(s->r, "image_pixels",
                              "%s.image.source.base64.data: At least one of the image "
                              "dimensions exceed max allowed size: %d pixels",
                              where, PX_MAX);
    }
    if (side > PX_MAX_MANY && !s->over_many_px) {
        s->over_many_px = true;
        snprintf(s->many_where, sizeof(s->many_where), "%s", where);
    }
    return true;
}

static bool check_base64(struct scan *s, const json_t *source, const char *where)
{
    const json_t *data = json_object_get(source, "data");
    const char *media = ia_mock_str(source, "media_type");
    struct ia_mock_image img;
    if (!known_media(media)) {
        return ia_mock_refuse(s->r, "image_media",
                              "%s.image.source.base64.media_type: Input should be "
                              "'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
                              where);
    }
    struct ia_str text = {json_string_value(data), json_string_length(data)};
    if (text.n > IA_MOCK_IMAGE_BYTES_MAX) {
        return ia_mock_refuse(s->r, "image_bytes",
                              "%s.image.source.base64: image exceeds 10 MB maximum: %zu bytes "
                              "> %d bytes",
                              where, text.n, IA_MOCK_IMAGE_BYTES_MAX);
    }
    if (!text.p || !ia_mock_image_read(text, &img)) {
        return ia_mock_refuse(s->r, "image_base64",
                              "%s.image.source.base64.data: Invalid base64 data", where);
    }
    if (!img.media_type) {
        return ia_mock_refuse(s->r, "image_media",
                              "%s.image.source.base64.data: Could not "
                              "process image",
                              where);
    }
    if (strcmp(img.media_type, media) != 0) {
        return ia_mock_refuse(s->r, "image_media",
                              "%s.image.source.base64: The image was specified using the %s "
                              "media type, but the image appears to be a %s image",
                              where, media, img.media_type);
    }
    return check_pixels(s, &img, where);
}

static bool scan_block(struct scan *s, const json_t *block, const char *where)
{
    const char *type = ia_mock_str(block, "type");
    if (!type || strcmp(type, "image") != 0) {
        return true;
    }
    const json_t *source = json_object_get(block, "source");
    const char *kind = ia_mock_str(source, "type");
    s->count++;
    if (kind && strcmp(kind, "base64") == 0) {
        return check_base64(s, source, where);
    }
    if (kind && strcmp(kind, "url") == 0 && ia_mock_str(source, "url")) {
        return true;
    }
    return (kind && strcmp(kind, "file") == 0 && ia_mock_str(source, "file_id")) ||
           ia_mock_refuse(s->r, "image_source",
                          "%s.image.source: Input should be 'base64', 'url' or 'file'", where);
}

static bool scan_nested(struct scan *s, const json_t *content, const char *where)
{
    size_t i;
    json_t *part;
    json_array_foreach(content, i, part)
    {
        char inner[IA_MOCK_WHERE_SIZE + 48];
        snprintf(inner, sizeof(inner), "%s.tool_result.content.%zu", where, i);
        if (!scan_block(s, part, inner)) {
            return false;
        }
    }
    return true;
}

bool ia_mock_check_images(const struct ia_mock_request *req, struct ia_mock_reject *r)
{
    struct scan s = {.r = r};
    for (size_t t = 0; t < req->turn_count; t++) {
        for (size_t i = 0; i < req->turns[t].count; i++) {
            const json_t *block = req->turns[t].blocks[i].json;
            char where[IA_MOCK_WHERE_SIZE];
            ia_mock_where(where, t, i);
            if (!scan_block(&s, block, where) ||
                !scan_nested(&s, json_object_get(block, "content"), where)) {
                return false;
            }
        }
    }
    /* Only now is it known how many there are, and so which limits hold. */
    size_t max = req->model->context_tokens <= CONTEXT_200K ? COUNT_MAX_200K : COUNT_MAX;
    if (s.count > max) {
        return ia_mock_refuse(r, "image_count", "messages: too many images: %zu > %zu", s.count,
                              max);
    }
    if (s.count > MANY && s.over_many_px) {
        return ia_mock_refuse(r, "image_pixels",
                              "%s.image.source.base64.data: At least one of the image "
                              "dimensions exceed max allowed size for many-image requests: %d "
                              "pixels",
                              s.many_where, PX_MAX_MANY);
    }
    return true;
}
