/* Answers of a usbmuxd: the first 16 bytes as a header, the rest as a property list, which is read as an
 * answer to every request. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "driver/usbmux/impl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds) {
        abort();
    }
}

static int depth(const json_t *v)
{
    int deepest = 0, d;
    size_t i;
    const char *key;
    json_t *child;
    if (json_is_array(v)) {
        json_array_foreach(v, i, child)
        {
            d = depth(child);
            deepest = d > deepest ? d : deepest;
        }
    } else if (json_is_object(v)) {
        json_object_foreach((json_t *)v, key, child)
        {
            d = depth(child);
            deepest = d > deepest ? d : deepest;
        }
    } else {
        return 0;
    }
    return deepest + 1;
}

static void read_devices(const json_t *answer)
{
    struct ia_usbmux_phones all;
    struct ia_err err;
    char again[IA_USBMUX_UDID_SIZE];
    if (ia_usbmux_devices(answer, &all, &err) != IA_OK) {
        return;
    }
    check(all.count <= IA_USBMUX_PHONES_MAX);
    for (size_t i = 0; i < all.count; i++) {
        const struct ia_usbmux_phone *p = &all.phones[i];
        check(p->id != 0 && ia_usbmux_udid(p->udid, again) && strcmp(again, p->udid) == 0);
        for (size_t k = 0; k < i; k++) {
            check(strcmp(all.phones[k].udid, p->udid) != 0);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    json_t *answer = NULL;
    struct ia_err err = {.code = IA_OK};
    size_t left = 0;
    if (size < IA_USBMUX_HEADER_BYTES) {
        return 0;
    }
    if (ia_usbmux_header(data, 1, &left, &err) == IA_OK) {
        check(left > 0 && left <= IA_USBMUX_ANSWER_MAX - IA_USBMUX_HEADER_BYTES);
    }
    struct ia_str body = {(const char *)data + IA_USBMUX_HEADER_BYTES,
                          size - IA_USBMUX_HEADER_BYTES};
    if (ia_plist_read(body, &answer, &err) == IA_OK) {
        check(answer && depth(answer) <= 16);
        check(ia_usbmux_result(answer) >= -1);
        read_devices(answer);
    } else {
        check(!answer && err.msg[0] != '\0');
    }
    json_decref(answer);
    return 0;
}
