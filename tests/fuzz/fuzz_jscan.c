/* The JSON scanner against jansson: what jansson takes, the scanner takes; cut-off texts are
 * closed into valid ones; mended strings decode alike. */
#include "agent/claude/jscan.h"

#include <jansson.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int depth_of(const json_t *v)
{
    int deepest = 0;
    const char *key;
    json_t *item;
    size_t i;
    if (json_is_object(v)) {
        json_object_foreach((json_t *)v, key, item)
        {
            int d = depth_of(item);
            deepest = d > deepest ? d : deepest;
        }
    }
    json_array_foreach(v, i, item)
    {
        int d = depth_of(item);
        deepest = d > deepest ? d : deepest;
    }
    return json_is_object(v) || json_is_array(v) ? deepest + 1 : 0;
}

static void check_valid(struct ia_str text)
{
    json_t *v = json_loadb(text.p, text.n, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    /* jansson takes a NUL byte for the end of the text. */
    bool nul = text.n > 0 && memchr(text.p, 0, text.n);
    if (v && !nul && depth_of(v) <= IA_JSCAN_DEPTH && !ia_json_valid(text)) {
        abort();
    }
    json_decref(v);
}

static void check_close(struct ia_str text)
{
    struct ia_buf closed = IA_BUF((size_t)1 << 20);
    if (ia_json_close(text, &closed) && ia_buf_ok(&closed) &&
        !ia_json_valid(ia_buf_str(&closed))) {
        abort();
    }
    ia_buf_fini(&closed);
}

static void check_string(struct ia_str text)
{
    struct ia_jscan s = ia_jscan(text);
    struct ia_jstr str;
    struct ia_buf plain = IA_BUF((size_t)1 << 20);
    struct ia_buf mended = IA_BUF((size_t)1 << 20);
    struct ia_buf again = IA_BUF((size_t)1 << 20);
    if (ia_jscan_string(&s, &str)) {
        ia_jstr_decode(str, &plain);
        ia_jstr_fix_surrogates(str.raw, &mended);
        ia_jstr_decode((struct ia_jstr){ia_buf_str(&mended), true, false}, &again);
        if (!ia_str_eq(ia_buf_str(&plain), ia_buf_str(&again))) {
            abort();
        }
    }
    ia_buf_fini(&plain);
    ia_buf_fini(&mended);
    ia_buf_fini(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 65536) {
        return 0;
    }
    char *copy = malloc(size + 1);
    for (size_t i = 0; i < size; i++) {
        copy[i] = (char)data[i];
    }
    char *exact = realloc(copy, size ? size : 1);
    struct ia_str text = {exact, size};
    check_valid(text);
    check_close(text);
    check_string(text);
    free(exact);
    return 0;
}
