/* An opcode and a payload, as a host reads them from a bridge: a reply, an answer,
 * or an error. */
#include <stdlib.h>

#include "wire/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void reply(struct ia_wire_frame f)
{
    struct ia_wire_reply r, back;
    struct ia_wire_buf out = {0};
    struct ia_wire_fault fault = {0};
    if (!ia_wire_get_reply(&f, &r, &fault)) {
        return;
    }
    if (!ia_wire_put_reply(&out, &r, &fault)) {
        abort();
    }
    f = (struct ia_wire_frame){.op = out.p[4], .p = out.p + 5, .n = out.len - 5};
    if (!ia_wire_get_reply(&f, &back, &fault) || !ia_wire_reply_eq(&r, &back)) {
        abort();
    }
    ia_wire_reply_fini(&r);
    ia_wire_reply_fini(&back);
    ia_wire_buf_fini(&out);
}

static void answer(struct ia_wire_frame f)
{
    struct ia_wire_answer a, back;
    struct ia_wire_buf out = {0};
    if (!ia_wire_get_answer(&f, &a, NULL)) {
        return;
    }
    if (!ia_wire_put_answer(&out, &a, NULL)) {
        abort();
    }
    f = (struct ia_wire_frame){.op = out.p[4], .p = out.p + 5, .n = out.len - 5};
    if (!ia_wire_get_answer(&f, &back, NULL) || !ia_wire_answer_eq(&a, &back)) {
        abort();
    }
    ia_wire_answer_fini(&a);
    ia_wire_answer_fini(&back);
    ia_wire_buf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 0) {
        struct ia_wire_frame f = {.op = data[0], .p = data + 1, .n = size - 1};
        reply(f);
        answer(f);
    }
    return 0;
}
